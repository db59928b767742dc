"""The switch model: its field, its convergence in η, its agreement with Exact, and what it refuses."""

from __future__ import annotations

from math import sin

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.methods.switch import Switch

PERIOD = 12.00103129483


def slope(x: np.ndarray, errors: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(errors), 1)[0])


def releases(run: xr.Dataset) -> np.ndarray:
    return np.asarray(run.event_time.values[(run.event_before == 0).values])


def stops(run: xr.Dataset) -> np.ndarray:
    return np.asarray(run.event_time.values[(run.event_after == 0).values])


def largest_error(run: xr.Dataset, exact: xr.Dataset, states: tuple[str, ...]) -> float:
    """Largest error of a state, over the largest value of that state."""
    times = np.linspace(float(exact.time[0]), float(exact.time[-1]), 1001)
    a, b = ss.interpolate(run, times), ss.interpolate(exact, times)
    return max(float(np.abs(a[s] - b[s]).max() / np.abs(b[s]).max()) for s in states)


# -- the field ----------------------------------------------------------------------------------------------------


def printed_field(x: float, v: float, eta: float, m: float, k: float) -> list[float]:
    """The pseudo code of leine1998, Sec. 5."""
    v_rel, limit, delta = v - 0.2, 1.0, 3.0
    if abs(v_rel) > eta:
        return [v, -k / m * x - np.sign(v_rel) * limit / (1 + delta * abs(v_rel)) / m]
    if abs(k * x) > limit:
        return [v, -k / m * x + limit / m * np.sign(k * x)]
    return [0.2, -v_rel * np.sqrt(k / m)]


@pytest.mark.parametrize(("m", "k"), [(1.0, 1.0), (4.0, 25.0)])
@pytest.mark.parametrize("v_rel", [-0.3, -2e-4, -6e-5, 0.0, 3e-5, 2e-4, 0.5])
@pytest.mark.parametrize("x", [-1.5, -0.5, -0.03, 0.0, 0.02, 0.9, 1.2])
def test_field_is_the_printed_one(m, k, x, v_rel):
    system = ss.models.block_on_belt().with_({"block.m": m, "spring.k": k})
    rate = Switch(eta=1e-4).right_hand_side(system)
    np.testing.assert_allclose(
        rate(0.0, [x, 0.2 + v_rel]), printed_field(x, 0.2 + v_rel, 1e-4, m, k), rtol=1e-9, atol=1e-12
    )


def test_centring_does_not_mistake_damping_for_stiffness():
    """A damped block on a spring: v̇ = −v √(k/m), whatever the damper."""
    system = ss.models.excited_oscillator(xi=0.4)
    rate = Switch(eta=1e-3).right_hand_side(system)
    at_rest, inside = rate(0.0, [0.1, 1.0]), rate(0.0, [0.1, 1.0 + 5e-4])
    np.testing.assert_allclose(at_rest, [1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(inside, [1.0, -5e-4], rtol=1e-6)


def test_contacts_in_the_band_are_solved_together():
    """Both blocks of a stack stick: neither accelerates, though each pulls at the other. States: high, then low."""
    low, high = ss.Mass("low", m=1.0), ss.Mass("high", m=2.0)
    system = ss.System(
        ss.Spring(high, ss.ground, k=1.0),
        ss.Contact(low, ss.ground, law=ss.Coulomb(mu_s=1.0), normal=3.0, name="floor"),
        ss.Contact(high, low, law=ss.Coulomb(mu_s=1.0), normal=2.0, name="between"),
    )
    rate = Switch().right_hand_side(system)
    np.testing.assert_allclose(rate(0.0, [1.5, 0.0, 0.0, 0.0]), 0.0, atol=1e-14)
    # Beyond the limit of the upper contact, 2, that one is in transition and the lower one holds.
    np.testing.assert_allclose(rate(0.0, [2.5, 0.0, 0.0, 0.0]), [0.0, 0.0, (-2.5 + 2.0) / 2, 0.0], atol=1e-14)


def test_any_solver_can_use_the_field():
    rate = Switch(eta=1e-6).right_hand_side(ss.models.block_on_belt())
    solution = solve_ivp(rate, (0, 60), [1.1, 0.0], method="RK45", rtol=1e-9, atol=1e-9, dense_output=True)
    t = np.linspace(30, 45, 301)
    np.testing.assert_allclose(solution.sol(t), solution.sol(t + PERIOD), atol=1e-4)
    exact = ss.simulate(ss.models.block_on_belt(), t=60, samples=t)
    np.testing.assert_allclose(solution.sol(t)[0], exact["x.block"], atol=5e-5)


# -- convergence --------------------------------------------------------------------------------------------------


def test_errors_vanish_with_eta():
    """Stick begins at |v| = η, early by η/|v̇|. The release is late only by what the transition lasts: η^(3/2)."""
    etas = np.array([1e-3, 3e-4, 1e-4, 3e-5, 1e-5])
    exact = stops(ss.simulate(ss.models.block_on_belt(), t=8))[0]
    onset, period = [], []
    for eta in etas:
        run = ss.simulate(ss.models.block_on_belt(), t=60, method=Switch(eta=eta, rtol=1e-12))
        onset.append(exact - stops(run)[0])
        period.append(abs(np.diff(releases(run))[-1] - PERIOD))
    assert slope(etas, np.array(onset)) == pytest.approx(1.0, abs=0.05)
    assert slope(etas, np.array(period)) == pytest.approx(1.5, abs=0.15)
    assert period[-1] < 1e-5


def test_static_above_kinetic_costs_the_root_of_eta():
    """The friction force stays at its static limit while |v| < η: release is late by a time of the order √η."""
    etas = np.array([1e-4, 1e-5, 1e-6, 1e-7])
    system = ss.models.drill_string()
    exact = ss.simulate(system, t=9).event_time.values[1]
    late = [
        ss.simulate(system, t=9, method=Switch(eta=eta, rtol=1e-11, atol=1e-12)).event_time.values[1] - exact
        for eta in etas
    ]
    assert slope(etas, np.abs(late)) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("system", "t", "allowed"),
    [
        (ss.models.block_on_belt(), 30, 2e-4),
        (ss.models.two_blocks(), 30, 1e-3),
        (ss.models.drill_string(), 20, 5e-3),  # O(√η), see above
        (ss.models.forced_oscillator(), 40, 3e-4),
        (ss.models.bowed_string(), 0.01, 3e-4),
        (ss.models.block_and_pendulum(), 20, 2e-4),
        (ss.models.coulomb_oscillator(), 30, 1e-5),
        (ss.models.chain(5), 15, 2e-3),
    ],
    ids=lambda value: value.about.name if isinstance(value, ss.System) else "",
)
def test_agrees_with_exact(system, t, allowed):
    run, exact = ss.simulate(system, t=t, method=Switch()), ss.simulate(system, t=t)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert largest_error(run, exact, system.states) < allowed
    assert run.event_contact.values.tolist() == exact.event_contact.values.tolist()
    assert run.event_after.values.tolist() == exact.event_after.values.tolist()


def test_filippov_system_with_curved_switching_surface():
    relay = ss.Filippov(
        ("x", "y"),
        f=lambda x, y: (y, -x - 0.1 * y),
        G=lambda: (0.0, 1.0),
        h=lambda x, y: y + 0.5 * x + 0.1 * x**3,
        start={"x": 3.0},
    )
    run, exact = ss.simulate(relay, t=8, method=Switch()), ss.simulate(relay, t=8)
    assert largest_error(run, exact, relay.states) < 1e-5
    np.testing.assert_allclose(run.event_time, exact.event_time, atol=1e-5)


def test_stick_to_a_belt_whose_speed_changes():
    """The stages of a step scatter about the curved surface v = 0: none may leave the band, or stick ends too early."""
    block, shaker = ss.Mass("block", m=1.0), ss.Belt("shaker", speed=lambda t, a=3.0: a * sin(t))
    system = ss.System(ss.Contact(block, shaker, law=ss.Coulomb(mu_s=0.9, mu_k=0.7), normal=2.0))
    run, exact = ss.simulate(system, t=10, method=Switch()), ss.simulate(system, t=10)
    assert run.event_after.values.tolist() == exact.event_after.values.tolist()
    np.testing.assert_allclose(run.event_time, exact.event_time, atol=5e-4)


# -- the record ---------------------------------------------------------------------------------------------------


def test_record_is_that_of_exact():
    system = ss.models.two_blocks()
    run, exact = ss.simulate(system, t=20, method=Switch()), ss.simulate(system, t=20)
    assert set(run.variables) == set(exact.variables)
    assert (np.diff(run.event_time) >= 0).all()
    ends = run.step_start + run.step_length
    np.testing.assert_allclose(run.step_start[1:], ends[:-1], atol=1e-12)
    joints = ss.interpolate(run, run.step_start.values[1:] - 1e-13)
    for i, name in enumerate(system.states):
        np.testing.assert_allclose(joints[name], run.step_state[1:, i, 0], atol=1e-10)


def test_velocity_and_force_of_the_record():
    run = ss.simulate(ss.models.block_on_belt(), t=30, method=Switch(eta=1e-6))
    sliding = (run["v.block"] - 0.2).values
    # Velocities are sampled and interpolated: as exact as the dense output, of degree four.
    np.testing.assert_allclose(run.slip_velocity[:, 0], sliding, atol=1e-7)
    stick = run.mode.values[:, 0] == 0
    assert stick.any() and np.abs(sliding[stick]).max() <= 1.1e-6
    np.testing.assert_allclose(run.force[stick, 0], run["x.block"][stick], atol=1e-6)
    slip = np.abs(sliding) > 1.1e-6
    law = -np.sign(sliding) / (1 + 3 * np.abs(sliding))
    np.testing.assert_allclose(run.force.values[slip, 0], law[slip], atol=1e-4)


def test_plain_python_gives_the_same():
    compiled = ss.simulate(ss.models.two_blocks(), t=3, method=Switch(), samples=50)
    plain = ss.simulate(ss.models.two_blocks(), t=3, method=Switch(target="python"), samples=50)
    assert plain.attrs["steps"] == compiled.attrs["steps"]
    np.testing.assert_allclose(plain["x.block1"], compiled["x.block1"], atol=1e-9)  # round-off moves the step ends


def test_counts_what_it_costs():
    run = ss.simulate(ss.models.block_on_belt(), t=12, method=Switch())
    assert 30 < run.attrs["steps"] < 300
    assert run.attrs["evaluations"] > 6 * run.attrs["steps"]


def test_long_runs_fill_more_than_one_block():
    run = ss.simulate(ss.models.block_on_belt(), t=2000, method=Switch(eta=1e-5, rtol=1e-9))
    assert run.attrs["steps"] > 8192
    np.testing.assert_allclose(np.diff(releases(run))[-20:], PERIOD, atol=1e-4)


# -- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [0.0, -1e-6, float("nan"), "small"])
def test_eta_must_be_positive(eta):
    with pytest.raises(ss.errors.ModelError, match=r"Switch: eta is .* positive number"):
        Switch(eta=eta)


@pytest.mark.parametrize("rtol", [0.0, 0.5, 1e-16])
def test_tolerance_must_be_sensible(rtol):
    with pytest.raises(ss.errors.ModelError, match="Switch: rtol is"):
        Switch(rtol=rtol)


@pytest.mark.parametrize("eta", [0.2, 3.0])
def test_band_must_be_narrower_than_the_belt_is_fast(eta):
    with pytest.raises(
        ss.errors.ModelError, match=rf"eta is {eta:g} and the speed of 'belt' is 0\.2.*smaller than the belt"
    ):
        ss.simulate(ss.models.block_on_belt(), t=1, method=Switch(eta=eta))


def test_errors_must_fit_into_the_band():
    with pytest.raises(ss.errors.ModelError, match=r"rtol 1e-05 .* not below eta, 1e-06; lower rtol"):
        ss.simulate(ss.models.block_on_belt(), t=1, method=Switch(eta=1e-6, rtol=1e-5))


def test_redundant_contacts_are_refused_in_a_sentence():
    block = ss.Mass("block", m=1.0)
    twice = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=1.0), normal=1.0, name="left"),
        ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=1.0), normal=1.0, name="right"),
    )
    with pytest.raises(ss.errors.ModelError, match="no consistent mode: with left, right at rest"):
        ss.simulate(twice, t=1, method=Switch())
    with pytest.raises(ss.errors.ModelError, match="left, right at rest"):
        Switch().right_hand_side(twice)(0.0, [0.0, 0.0])


def test_a_lifting_contact_ends_the_run():
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    contact = ss.Contact(block, belt, law=ss.Coulomb(mu_s=0.4), normal=lambda t, rate=0.5: 1.0 - rate * t)
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), contact)
    run = ss.simulate(system, t=5, method=Switch())
    assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value)
    assert "'contact'" in run.attrs["status"]
    assert run.time.values[-1] == pytest.approx(2.0, abs=0.5)  # seen at the end of a step


def test_steps_can_be_limited():
    run = ss.simulate(ss.models.block_on_belt(), t=100, method=Switch(most_steps=50))
    assert run.attrs["status"].startswith(ss.Status.TOO_MANY_STEPS.value)
    assert run.attrs["steps"] == 50
