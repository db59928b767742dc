"""Branches of orbits: bifurcations to all digits, changes of signature, ends with reasons."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import stickslip as ss
from stickslip.branches.orbits import OrbitWalk
from stickslip.branches.outcome import Outcome

M = ss.models


@cache
def drill() -> ss.Branch:
    return ss.follow(ss.find_orbit(M.drill_string()), "table.speed", to=5)


@cache
def in_phase() -> ss.Orbit:
    return ss.find_orbit(M.two_blocks(), [1.09, 1.19, 0.14, 0.14])


def test_the_drill_string_cycle_ends_by_grazing() -> None:
    """η* = θ/(c + 2ζ) where the slip arc just reaches ψ′ = η."""
    branch = drill()
    point = branch.special[-1]
    assert point.kind == "grazing-sliding" and point.value == pytest.approx(4.6119890213, abs=1e-8)
    assert "ends at table.speed = 4.611989021 by grazing" in branch.reason
    assert point.note == "the orbit ceases to exist"
    assert branch.values[-1] == point.value and np.all(branch.stable[:-1])


@pytest.mark.nightly
def test_the_period_of_the_drill_string_along_the_branch() -> None:
    """Orbits of the branch are those that the motion from rest settles on."""
    branch = drill()
    for orbit in branch.points[:-1:6]:
        again = ss.find_orbit(orbit.model, [0.0, orbit.model.parameters["table.speed"]])
        assert again.period == pytest.approx(orbit.period, abs=1e-9)


def test_block_on_belt_period_against_its_definition() -> None:
    branch = ss.follow(ss.find_orbit(M.block_on_belt()), "belt.speed", to=(0.05, 0.5))
    assert branch.reason == "The branch reached belt.speed = 0.05. The branch reached belt.speed = 0.5."
    assert branch.special == () and np.all(branch.stable)
    assert list(branch.values) == sorted(branch.values)
    middle = branch.points[len(branch) // 3]
    alone = ss.find_orbit(M.block_on_belt(v_dr=middle.model.parameters["belt.speed"]))
    assert middle.period == pytest.approx(alone.period, abs=1e-10)


def test_flips_of_two_blocks() -> None:
    branch = ss.follow(in_phase(), "belt.speed", to=(0.08, 0.16))
    flips = [point.value for point in branch.of_kind("flip")]
    assert flips == pytest.approx([0.0840914136, 0.1442518660], abs=1e-8)
    for point in branch.special:
        assert np.min(np.abs(point.orbit.multipliers + 1)) < 1e-8
    between = (branch.values > 0.0841) & (branch.values < 0.1442)
    assert np.array_equal(branch.stable, between)


@cache
def flip_and_doubled() -> tuple[ss.SpecialPoint, ss.Branch]:
    """Where the in-phase orbit of two blocks doubles its period, and the branch from there to beyond its fold."""
    flip = ss.follow(in_phase(), "belt.speed", to=0.15).of_kind("flip")[0]
    return flip, ss.follow(flip, "belt.speed", to=(0.14, 0.2), most=240)


def test_the_doubled_branch_leaves_at_the_flip() -> None:
    flip, doubled = flip_and_doubled()
    first = doubled.points[0]
    assert first.period == pytest.approx(2 * flip.orbit.period, rel=1e-3)
    assert first.stable  # the flip is supercritical
    assert doubled.of_kind("fold")[0].value == pytest.approx(0.1697425740, abs=1e-8)
    assert [p.kind for p in doubled.special][:3] == ["exchange of events", "exchange of events", "fold"]


@pytest.mark.nightly
def test_a_branch_that_ends_on_one_of_half_the_period() -> None:
    """Followed upwards, the out-of-phase orbit of two blocks merges with one of half its period: its flip."""
    branch = ss.follow(ss.find_orbit(M.two_blocks()), "belt.speed", to=0.16)
    point = branch.special[-1]
    assert point.kind == "flip" and point.value == pytest.approx(0.1479043049, abs=1e-8)
    assert point.orbit.period == pytest.approx(0.5 * branch.points[-1].period, rel=1e-2)
    assert "at a flip of the orbit of period" in branch.reason


def test_a_closed_branch() -> None:
    """The 1:1 orbit of forced III exists between two folds, and the branch through them is a closed loop."""
    branch = ss.follow(ss.find_orbit(M.forced_oscillator(eta=0.9)), "base.eta", to=(0.5, 1.2))
    assert branch.reason == "The branch is closed: it came back to the orbit at base.eta = 0.9."
    folds = [point.value for point in branch.of_kind("fold")]
    assert len(folds) == 2 and sorted(folds) == pytest.approx([0.6714713889, 0.949995362], abs=1e-9)
    assert 0 < np.sum(branch.stable) < len(branch)


@pytest.mark.nightly
def test_a_flip_in_two_parameters() -> None:
    flip = ss.follow(in_phase(), "belt.speed", to=0.15).of_kind("flip")[0]
    curve = ss.follow(flip, ("coupling.k", "belt.speed"), to=1.22)
    assert curve.reason == "The curve reached coupling.k = 1.22."
    end = curve.points[-1]
    assert np.min(np.abs(end.multipliers + 1)) < 1e-8
    direct = ss.follow(ss.find_orbit(M.two_blocks(alpha=1.22), in_phase()), "belt.speed", to=0.1)
    assert curve.along("belt.speed")[-1] == pytest.approx(direct.of_kind("flip")[0].value, abs=1e-8)


def test_a_fold_in_two_parameters() -> None:
    _, doubled = flip_and_doubled()
    fold = doubled.of_kind("fold")[0]
    curve = ss.follow(fold, ("coupling.k", "belt.speed"), to=1.21)
    assert curve.reason == "The curve reached coupling.k = 1.21."
    for orbit in curve.points:
        assert np.sort(np.abs(orbit.multipliers - 1))[1] < 1e-5
    assert np.all(np.diff(curve.along("belt.speed")) < 0)


def test_grazing_in_two_parameters() -> None:
    """With another damping the grazing of the drill string lies elsewhere."""
    curve = ss.follow(drill().special[-1], ("damper.c", "table.speed"), to=0.2)
    assert curve.reason == "The curve reached damper.c = 0.2."
    direct = ss.follow(ss.find_orbit(M.drill_string(eta=2.0, zeta=0.1)), "table.speed", to=4)
    assert curve.along("table.speed")[-1] == pytest.approx(direct.special[-1].value, abs=1e-8)


def test_a_branch_is_saved_and_loaded(tmp_path) -> None:
    branch = drill()
    again = ss.load(branch.save(tmp_path / "branch.nc"))
    assert again.data.equals(branch.data) and again.reason == branch.reason
    assert np.array_equal(again.points[3].phases.states, branch.points[3].phases.states)
    assert again.special[-1].margin == branch.special[-1].margin
    assert ss.follow(again.points[3], "table.speed", to=4.2).values[-1] == 4.2


def test_the_table_and_the_data() -> None:
    data = drill().data
    assert data.sizes["point"] == len(drill()) and data.attrs["parameter"] == "table.speed"
    assert float(data["maximum"].sel(state="x.twist")[0]) == pytest.approx(5.43551787361, abs=1e-6)
    assert "grazing-sliding" in drill().table() and "4.611989021" in drill().table()


def test_progress_is_told() -> None:
    seen: list[tuple[float, int]] = []
    branch = ss.follow(in_phase(), "belt.speed", to=0.143, progress=lambda value, count: seen.append((value, count)))
    assert [count for _, count in seen] == list(range(1, len(branch) + 1))
    assert seen[-1][0] == 0.143


def test_a_branch_that_is_interrupted_keeps_what_it_has() -> None:
    def impatient(value: float, count: int) -> None:
        if count == 5:
            raise KeyboardInterrupt

    branch = ss.follow(in_phase(), "belt.speed", to=0.2, progress=impatient)
    assert len(branch) == 5 and branch.reason == "The branch was interrupted by the user."


def test_an_interruption_ends_both_directions() -> None:
    """What was found in the first is kept, also where the second has no point yet."""
    turns: list[int] = []

    def impatient(value: float, count: int) -> None:
        turns.append(count)
        if len(turns) == most:
            raise KeyboardInterrupt

    most = 3
    down = ss.follow(in_phase(), "belt.speed", to=(0.139, 0.145), progress=impatient)
    assert turns == [1, 2, 3] and len(down) == 3 and down.reason == "The branch was interrupted by the user."
    turns, most = [], 10**6
    both = ss.follow(in_phase(), "belt.speed", to=(0.139, 0.145), progress=impatient)
    first = turns.index(1, 1)
    turns, most = [], first + 2
    half = ss.follow(in_phase(), "belt.speed", to=(0.139, 0.145), progress=impatient)
    assert len(half) == first + 1 < len(both) and half.reason.endswith("The branch was interrupted by the user.")

    def at_once(self: object, *arguments: object) -> None:
        raise KeyboardInterrupt

    walks = []
    facing = OrbitWalk._facing

    def interrupted(self: OrbitWalk, *arguments: Any) -> Any:
        walks.append(self)
        return facing(self, *arguments) if len(walks) == 1 else at_once(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OrbitWalk, "_facing", interrupted)
        kept = ss.follow(in_phase(), "belt.speed", to=(0.139, 0.145))
    assert len(kept) == first and kept.reason.endswith("The branch was interrupted by the user.")


def test_a_parameter_that_may_not_go_on() -> None:
    """A normal force cannot become negative: the branch ends before, with a sentence, and keeps its points."""
    branch = ss.follow(ss.find_orbit(M.block_on_belt()), "contact.normal", to=-1.0)
    assert len(branch) > 5 and np.all(branch.values > 0)
    assert "The branch ends near contact.normal" in branch.reason and "must be a positive number" in branch.reason


def test_without_weakening_there_is_no_cycle() -> None:
    """With δ = 0 friction is Coulomb's; the slip is a harmonic half wave that just grazes, and the period is 2π."""
    branch = ss.follow(ss.find_orbit(M.block_on_belt()), "contact.delta", to=-1.0)
    point = branch.special[-1]
    assert point.kind == "grazing-sliding" and abs(point.value) < 1e-12
    assert point.orbit.period == pytest.approx(2 * np.pi, abs=1e-9)


@pytest.mark.nightly
def test_the_violin_through_many_signatures() -> None:
    """Micro-slips come and go with the speed of the bow: each by its own bifurcation."""
    orbit = ss.find_orbit(M.bowed_string())
    branch = ss.follow(orbit, "bow.speed", to=1.2)
    assert branch.reason == "The branch reached bow.speed = 1.2."
    kinds = [(point.kind, round(point.value, 6)) for point in branch.special]
    assert kinds == [("adding-sliding", 1.174013), ("grazing-sliding", 1.190554), ("flip", 1.199016)]
    assert branch.special[0].note.startswith("contact loses a stick phase; slip- → stick → slip+")
    # The simulation sees the same micro-slips on both sides of each.
    for speed, phases in ((1.17, 10), (1.18, 8), (1.195, 6)):
        settled = ss.find_orbit(orbit.model.with_({"bow.speed": speed}), branch_orbit_near(branch, speed))
        run = ss.simulate(settled.model, 20 * settled.period, start=settled.start)
        assert run.sizes["event"] in range(20 * phases - 2, 20 * phases + 3)


def branch_orbit_near(branch: ss.Branch, value: float) -> ss.Orbit:
    return branch.points[int(np.argmin(np.abs(branch.values - value)))]


def test_a_closed_branch_through_grazing_and_adding_sliding() -> None:
    """The 1:3 orbit of forced III: five folds and sliding bifurcations, and back to where it began."""
    orbit = ss.find_orbit(M.forced_oscillator(eta=2.4))
    down, up = (ss.follow(orbit, "base.eta", to=end) for end in (1.5, 4))
    for branch in (down, up):
        assert branch.reason == "The branch is closed: it came back to the orbit at base.eta = 2.4."
        values = sorted(point.value for point in branch.special)
        assert values == pytest.approx([2.233023528, 2.23325094, 2.233256313, 2.233264746, 2.490762423], abs=2e-9)
    assert {point.kind for point in down.special} == {"fold", "adding-sliding", "grazing-sliding"}


def test_a_slip_that_comes_to_rest_again_soon_after_it_began() -> None:
    """Both slips of the symmetric orbit touch rest at the same time, in the first hundredth of their length."""
    orbit = ss.find_orbit(M.forced_oscillator("I", eta=0.6, u0=8.0, v0=0.0))
    branch = ss.follow(orbit, "base.eta", to=0.4882)
    (grazing,) = branch.special
    assert grazing.kind == "grazing-sliding" and grazing.value == pytest.approx(0.4883716222, abs=1e-9)
    assert branch.reason == "The branch reached base.eta = 0.4882."
    for eta, per_period in ((grazing.value + 1e-5, 2), (grazing.value - 1e-5, 6)):
        near, period = branch_orbit_near(branch, eta), 2 * np.pi / eta
        begin = near.start_time * near.model.parameters["base.eta"] / eta
        run = ss.simulate(near.model.with_({"base.eta": eta}), begin + 50 * period, start_time=begin, start=near.start)
        assert np.sum(run.event_time.values > run.time.values[-1] - 10 * period) == 10 * per_period


def test_as_many_points_as_allowed() -> None:
    branch = ss.follow(in_phase(), "belt.speed", to=0.2, most=4)
    assert len(branch) == 4 and "allow more with most=" in branch.reason


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"parameter": "belt.sped", "to": 0.1}, ss.errors.ModelError, "no parameter 'belt.sped'.*belt.speed"),
        ({"parameter": "belt.speed", "to": 0.2}, ss.errors.OrbitError, "is 0.2 already"),
        ({"parameter": "belt.speed", "to": (0.3, 0.4)}, ss.errors.OrbitError, "not between 0.3 and 0.4"),
        ({"parameter": "belt.speed", "to": (0.4, 0.2)}, ss.errors.OrbitError, "0.2 already: give .* alone, to=0.4"),
        ({"parameter": "belt.speed", "to": float("nan")}, ss.errors.ModelError, "nan"),
        ({"parameter": ("belt.speed", "block.m"), "to": 0.1}, ss.errors.OrbitError, "for following a special point"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(arguments: dict, error: type, words: str) -> None:
    orbit = ss.find_orbit(M.block_on_belt())
    with pytest.raises(error, match=words):
        ss.follow(orbit, **arguments)


def test_only_orbits_can_be_followed() -> None:
    with pytest.raises(ss.errors.OrbitError, match="cannot be followed"):
        ss.follow(M.block_on_belt(), "belt.speed", to=0.1)


def test_a_closed_branch_is_gone_round_once() -> None:
    """The 2:3 orbit of forced III, whose phases are counted from elsewhere after one turn."""
    branch = ss.follow(ss.find_orbit(M.forced_oscillator(eta=1.15)), "base.eta", to=(1.0, 1.3))
    assert branch.reason == "The branch is closed: it came back to the orbit at base.eta = 1.15."
    assert [point.kind for point in branch.special] == ["fold", "fold"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("model", "parameter", "to"),
    [
        (M.two_blocks(), "contact2.normal", (1.0, 1.8)),
        (M.block_and_pendulum("stribeck"), "belt.speed", (1.0, 3.0)),
        (M.chain(3), "belt.speed", (0.05, 0.3)),
        (M.bowed_string(), "contact.delta", (0.2, 1.5)),
        (M.forced_oscillator("III", eta=0.9), "contact.normal", (2.0, 20.0)),
        (M.block_and_pendulum(), "belt.speed", (0.5, 4.0)),
    ],
    ids=lambda value: getattr(value, "about", None) and value.about.name,
)
def test_long_ways_end_with_a_reason(model: ss.System, parameter: str, to: tuple[float, float]) -> None:
    """Whatever is met on the way, every point is an orbit that closes, and the end has its sentence."""
    branch = ss.follow(ss.find_orbit(model), parameter, to=to, most=150)
    assert branch.reason.startswith(("The branch", "The orbit", "The steps"))
    # Orbits that are just about to lose a phase are not asked again: they may be the next ones as well.
    settled = [orbit for orbit in branch.points if np.min(orbit.phases.durations) > 1e-3 * orbit.period]
    for orbit in settled[:: max(1, len(settled) // 10)]:
        again = ss.find_orbit(orbit.model, orbit)
        assert again.period == pytest.approx(orbit.period, rel=1e-7)


def test_a_doubled_branch_in_slip_ends_at_both_of_its_flips() -> None:
    """An orbit of two excitation periods ends where it becomes one of a single period, also where it never sticks: it
    does not pass through, and come back as itself a period later. SciPy has the multiplier −1 at both ends.
    """
    start = ss.find_orbit(ss.models.excited_oscillator(xi=0.093, beta=0.7, load=5.0, eta=2.0, v0=1.5))
    branch = ss.follow(start, "belt.speed", to=(0.5, 1.9))
    assert [ending.outcome for ending in branch.endings] == [Outcome.FLIPPED, Outcome.FLIPPED]
    low, high = sorted(point.value for point in branch.of_kind("flip"))
    assert max(p.model.parameters["belt.speed"] for p in branch.points) == pytest.approx(1.681591661, abs=1e-5)
    for value in (low, high):
        assert _multiplier_in_slip(value, 0.093, 0.7, 5.0, 2.0) == pytest.approx(-1.0, abs=1e-5)


def _multiplier_in_slip(v0: float, xi: float, beta: float, load: float, eta: float) -> float:
    """The multiplier nearest to −1 of the orbit of one excitation period that slips backwards all the time."""

    def rates(t: float, y: Any) -> list[float]:
        speed = v0 - y[1]
        mu = 0.3 / (1 + 1.42 * speed) + 0.1 + 0.01 * speed**2
        return [y[1], -y[0] - 2 * xi * y[1] + load * mu + beta * np.cos(eta * t)]

    def after(y: Any) -> Any:
        return solve_ivp(rates, (0, 2 * np.pi / eta), y, rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]

    orbit = fsolve(lambda y: after(y) - y, [1.0, 0.0], xtol=1e-12)
    matrix = np.column_stack([(after(orbit + d) - after(orbit - d)) / 2e-5 for d in 1e-5 * np.eye(2)])
    found = np.linalg.eigvals(matrix)
    return float(found[np.argmin(np.abs(found + 1))].real)
