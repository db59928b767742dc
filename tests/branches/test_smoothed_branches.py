"""Branches of orbits whose friction is smoothed, or that rub by a law of their own: from one Hopf point to the next."""

import math

import numpy as np
import pytest

import stickslip as ss

V = "belt.speed"


def hopf_points(model: ss.System, parameter: str, to: float) -> list[ss.SpecialPoint]:
    """Those of the equilibrium of a system that is smooth, by a way that knows nothing of orbits."""
    (rest,) = ss.find_equilibria(model)
    return ss.follow(rest, parameter, to=to).of_kind("Hopf")


def shrinks_like_a_root(branch: ss.Branch) -> bool:
    """Whether the square of the extent runs to zero where the branch ends, as the distance from there does."""
    distance = np.abs(branch.values[-3:-1] - branch.values[-1])
    squares = np.ptp(branch.extremes[-3:-1, :, 0], axis=1) ** 2
    return squares[1] / squares[0] == pytest.approx(distance[1] / distance[0], rel=0.1)


@pytest.mark.parametrize(
    ("parameter", "to"), [pytest.param("belt.speed", 1e-3, marks=pytest.mark.nightly), ("contact.delta", -1.0)]
)
def test_a_smoothed_cycle_ends_at_its_hopf_point(parameter: str, to: float) -> None:
    """vandevrande1999 Table 2: 1.52e-02 for ε = 1e3. There is no fold, and nothing is gone through twice."""
    model, method = ss.models.block_on_belt(), ss.Smoothing(eps=1e3)
    branch = ss.follow(ss.find_orbit(model, method=method), parameter, to=to)
    (point,) = branch.special
    start = model if parameter == V else model.with_({"contact.delta": 1e-4})
    (known,) = hopf_points(start.smoothed(1e3), parameter, 1e-3 if parameter == V else 1.0)
    assert point.kind == "Hopf" and point.value == pytest.approx(known.value, rel=1e-12)
    assert point.numbers == pytest.approx(known.numbers, rel=1e-9)
    assert f"a Hopf point ({known.note.split(',')[0]})" in branch.reason
    assert branch.points[-1] is point.orbit and np.all(np.diff(branch.values) < 0)
    assert shrinks_like_a_root(branch)


@pytest.mark.nightly
def test_from_one_hopf_point_to_the_other() -> None:
    """vandevrande1999 Table 5, κ = 1: the cycle of the drill string is born at 1.02e+00 and vanishes at 3.76e+00."""
    model, method = ss.models.drill_string(), ss.Smoothing(1.0, "quartic_one_sided")
    orbit = ss.find_orbit(model, ss.find_orbit(model), method=method)
    branch = ss.follow(orbit, "table.speed", to=(0.5, 30.0), step=0.1)
    assert [point.kind for point in branch.special] == ["Hopf", "fold", "Hopf"]
    birth, fold, death = branch.special
    assert (f"{birth.value:.2e}", f"{death.value:.2e}") == ("1.02e+00", "3.76e+00")
    assert birth.note.startswith("supercritical") and death.note.startswith("subcritical")
    smoothed = ss.models.drill_string(eta=5.0).smoothed(1.0, "quartic_one_sided")
    known = [point.value for point in hopf_points(smoothed, "table.speed", 0.5)]
    assert [death.value, birth.value] == pytest.approx(known, rel=1e-12)
    # The cycle is stable up to the fold, where a multiplier is 1, and unstable from there on.
    assert np.array_equal(branch.stable[1:-1], np.arange(1, len(branch) - 1) < fold.after)
    assert np.sort(np.abs(fold.orbit.multipliers - 1)) == pytest.approx([0, 0], abs=1e-3)


@pytest.mark.nightly
def test_a_hopf_point_leads_to_the_equilibrium() -> None:
    model, method = ss.models.block_on_belt(v_dr=0.03), ss.Smoothing(eps=1e3)
    point = ss.follow(ss.find_orbit(model, method=method), V, to=1e-3).special[-1]
    steady = ss.follow(point.orbit, V, to=0.01)
    assert steady.reason == "The branch reached belt.speed = 0.01." and steady.points[-1].stable
    curve = ss.follow(point, ("contact.delta", V), to=2.5)
    (known,) = hopf_points(ss.models.block_on_belt(delta=2.5).smoothed(1e3), V, 1e-3)
    assert curve.along(V)[-1] == pytest.approx(known.value, rel=1e-9)


@pytest.mark.nightly
def test_the_switch_model_ends_there_too() -> None:
    mass, belt = ss.Mass("block", m=1.0, x=1.0), ss.Belt("belt", speed=0.97)
    contact = ss.Contact(mass, belt, law=ss.Polynomial([1.0, -0.9, 0.0, 0.3]))
    orbit = ss.find_orbit(ss.System(ss.Spring(mass, ss.ground, k=1.0), contact), method=ss.Switch(1e-6))
    branch = ss.follow(orbit, V, to=1.1, step=0.1)
    assert branch.special[-1].kind == "Hopf" and branch.special[-1].value == pytest.approx(1.0, abs=1e-10)


@pytest.mark.nightly
def test_a_law_with_a_state_of_its_own() -> None:
    """Rice and Ruina 1983: k = N(b − a)/D_c (1 + mV²/(aND_c)). The orbit is small beside where it is: x ≈ 120."""
    slider, belt = ss.Mass("slider", m=1e-4, x=1.02 * 0.6 / 0.0049), ss.Belt("belt", speed=1.0)
    law = ss.DieterichRuina(0.6, 0.01, 0.015, 1.0, v_star=1.0, evolution="slip")
    model = ss.System(ss.Spring(slider, ss.ground, k=0.0049), ss.DynamicContact(slider, belt, law=law))
    branch = ss.follow(ss.find_orbit(model, guess=ss.simulate(model, t=300)), "spring.k", to=0.0055)
    (point,) = branch.special
    assert point.kind == "Hopf" and point.value == pytest.approx(0.005 * (1 + 1e-4 / 0.01), rel=1e-9)
    assert np.all(np.diff(branch.values) > 0)


@pytest.mark.nightly
def test_where_single_shooting_ends_the_branch_is_kept() -> None:
    """Where the cycle follows what repels it, neighbours part by more than any digits hold; nothing is made up."""
    model = ss.models.drill_string()
    orbit = ss.find_orbit(model, ss.find_orbit(model), method=ss.Smoothing(100.0, "quartic_one_sided"))
    branch = ss.follow(orbit, "table.speed", to=5.0)
    assert branch.reason.startswith("The steps shrank to nothing near table.speed = 4.9033")
    assert len(branch) > 30 and branch.special == () and np.all(np.diff(branch.values) > -1e-6)
    # Nor is what lies elsewhere taken for a point between the ends of a step, be it the equilibrium.
    branch = ss.follow(orbit, "table.speed", to=(3.9, 30.0))
    assert branch.outcomes == ("reached", "stalled") and np.ptp(branch.extremes[:, :, 0], axis=1).min() > 5


@pytest.mark.nightly
def test_through_a_canard_explosion() -> None:
    """With ε = 1e4 nearly all of the cycle's size is lost within 2e-5 of the belt speed."""
    orbit = ss.find_orbit(ss.models.block_on_belt(), method=ss.Smoothing(eps=1e4))
    branch = ss.follow(orbit, V, to=2e-3)
    assert [point.kind for point in branch.special] == ["Hopf"]
    assert branch.special[0].value == pytest.approx(0.004669614952, abs=1e-12)


@pytest.mark.nightly
def test_a_small_orbit_is_not_gone_through_twice() -> None:
    """Near a Hopf point an orbit nearly closes after any part of its period; it is small, not of a shorter period."""
    mass, belt = ss.Mass("block", m=1.0, x=1.0), ss.Belt("belt", speed=0.9)
    contact = ss.Contact(mass, belt, law=ss.Polynomial([1.0, -0.9, 0.0, 0.3]))
    model = ss.System(ss.Spring(mass, ss.ground, k=1.0), contact)
    branch = ss.follow(ss.find_orbit(model, method=ss.Smoothing(eps=100.0)), V, to=1.2)
    assert [point.kind for point in branch.special] == ["Hopf"]
    assert branch.periods == pytest.approx(2 * math.pi, rel=0.1)


@pytest.mark.nightly
@pytest.mark.parametrize("step", [0.02, 0.05])
def test_no_step_leads_to_another_part_of_the_branch(step: float) -> None:
    """At the canard of ε = 1e4 the branch lies beside itself: orbits of V = 0.0050 and 0.0055 are nearly alike there.

    A step across is not taken: it had ended as a branch that is closed, or as one that meets that of half the period.
    """
    model, method = ss.models.block_on_belt(), ss.Smoothing(eps=1e4)
    branch = ss.follow(ss.find_orbit(model, method=method), V, to=1e-3, step=step)
    assert set(branch.outcomes) <= {"born", "stalled"}, branch.reason
    assert np.all(np.diff(branch.values) < 1e-9) and branch.values[-1] < 0.00495


@pytest.mark.nightly
def test_a_long_step_over_a_sharp_fold_does_not_end_on_the_orbit_of_half_the_period() -> None:
    """With hardly any smoothing the fold of +2 is sharp. Beyond it lies twice the orbit +1, which has no flip there."""
    in_phase = min(ss.find_orbits(ss.models.two_blocks()), key=lambda orbit: orbit.period)
    smooth = ss.find_orbit(in_phase.model, in_phase, method=ss.Smoothing(1e7, rtol=1e-5))
    one = ss.follow(smooth, "belt.speed", to=(0.066, 0.2), step=0.06)
    flip = max(one.of_kind("flip"), key=lambda point: point.value)
    doubled = ss.follow(flip, "belt.speed", to=(0.066, 0.2), step=0.06)
    assert [point.kind for point in doubled.special] == ["fold"]
    assert doubled.special[0].value == pytest.approx(0.169466, abs=1e-6)
