"""Branches between stick-slip and pure slip, and down to the Hopf point where an orbit is born."""

import math
from functools import cache

import numpy as np
import pytest
import xarray as xr

import stickslip as ss

V = "belt.speed"


def block(speed: float, coefficients=(1.0, -0.9, 0.0, 0.3), m: float = 1.0, k: float = 1.0, **law) -> ss.System:
    """A block on a belt with friction that falls with speed and rises again, without a jump at rest."""
    mass, belt = ss.Mass("block", m=m), ss.Belt("belt", speed=speed)
    return ss.System(
        ss.Spring(mass, ss.ground, k=k), ss.Contact(mass, belt, law=ss.Polynomial(list(coefficients), **law))
    )


@cache
def upwards() -> ss.Branch:
    return ss.follow(ss.find_orbit(block(0.8)), V, to=1.2)


def settled(model: ss.System, orbit: ss.Orbit, periods: float = 150) -> list[tuple[int, int]]:
    """The changes of mode in some ten periods, after the motion from an orbit nearby has settled."""
    t = orbit.start_time + np.array([0, periods, periods + 10.37]) * orbit.period
    first = ss.simulate(model, t[1], start_time=t[0], start=orbit.start)
    run = ss.simulate(model, t[2], start_time=t[1], start={name: float(first[name][-1]) for name in model.states})
    return list(zip(run.event_before.values.tolist(), run.event_after.values.tolist(), strict=True))


def goes_through(orbit: ss.Orbit, changes: list[tuple[int, int]]) -> bool:
    """Whether changes of mode are those of an orbit's signature, over and over."""
    modes = [mode[0] for mode in orbit.signature.modes]
    cycle = list(zip(modes, [*modes[1:], modes[0]], strict=True)) if len(modes) > 1 else []
    if not cycle or not changes:
        return cycle == changes
    first = cycle.index(changes[0])
    return changes == [cycle[(first + i) % len(cycle)] for i in range(len(changes))]


def beside(branch: ss.Branch, value: float, side: float) -> ss.Orbit:
    """The orbit of a branch next to a value, on one side."""
    orbits = [orbit for orbit in branch.points if (orbit.model.parameters[branch.parameter] - value) * side > 0]
    return min(orbits, key=lambda orbit: abs(orbit.model.parameters[branch.parameter] - value))


def check_both_sides(branch: ss.Branch, away: float = 1e-4) -> None:
    """A little beside each change of signature the simulated motion has the signature that the branch has there."""
    for point in branch.special:
        if point.kind.endswith("sliding"):
            for side in (-1, 1):
                orbit = beside(branch, point.value, side)
                model = orbit.model.with_({branch.parameter: point.value * (1 + side * away)})
                assert goes_through(orbit, settled(model, orbit)), (point, side)


def test_from_stick_slip_to_the_hopf_point() -> None:
    """Friction has its minimum at the speed 1: there steady sliding becomes stable."""
    branch = upwards()
    assert [point.kind for point in branch.special] == ["grazing-sliding", "Hopf"]
    grazing, hopf = branch.special
    assert grazing.note == "contact loses a stick phase; slip- → stick becomes slip-"
    assert hopf.value == pytest.approx(1.0, abs=1e-13) and hopf.orbit.period == pytest.approx(2 * math.pi, abs=1e-12)
    assert hopf.note.startswith("supercritical") and hopf.numbers["omega"] == pytest.approx(1.0, abs=1e-13)
    assert "shrinks to a point at belt.speed = 1, a Hopf point" in branch.reason and branch.values[-1] == hopf.value
    assert np.all(branch.stable)
    check_both_sides(branch)
    # The amplitude of what is born grows like the square root of the distance: x = x₀ + a cos t, a² = 4 (1 − V²).
    small = branch.points[-3]
    squared = (0.5 * np.ptp(branch.extremes[-3], axis=0)) ** 2 / (4 * (1 - small.model.parameters[V] ** 2))
    assert squared == pytest.approx([1, 1], rel=0.02)


def test_the_way_back() -> None:
    slipping = ss.find_orbit(block(0.95), [0.5, 0.9])
    assert str(slipping.signature) == "slip-"
    branch = ss.follow(slipping, V, to=0.8)
    (grazing,) = branch.special
    assert grazing.value == pytest.approx(upwards().special[0].value, abs=1e-13)
    assert grazing.note == "contact gains a stick phase; slip- becomes slip- → stick"
    assert branch.reason == "The branch reached belt.speed = 0.8."
    assert branch.points[-1].period == pytest.approx(upwards().points[0].period, abs=1e-11)


def random_laws(count: int, seed: int):
    """Cubic laws that fall and rise again, with the speed at which they have their minimum; masses and springs."""
    numbers = np.random.default_rng(seed)
    for _ in range(count):
        c1, c2, c3 = numbers.uniform(0.3, 1.2), numbers.uniform(-0.3, 0.3), numbers.uniform(0.05, 0.6)
        lowest = (-c2 + math.sqrt(c2**2 + 3 * c1 * c3)) / (3 * c3)
        c0 = c1 * lowest - c2 * lowest**2 - c3 * lowest**3 + numbers.uniform(0.2, 1.0)
        m, k = numbers.uniform(0.3, 3.0, 2)
        yield (c0, -c1, c2, c3), lowest, m, k


def check_a_random_law(coefficients, lowest: float, m: float, k: float) -> list[str]:
    """From stick-slip to the Hopf point and back: the same special points, which the simulation confirms."""
    start = block(0.3 * lowest, coefficients, m, k)
    up = ss.follow(ss.find_orbit(start, [coefficients[0] / k, 0.3 * lowest]), V, to=1.3 * lowest)
    *changes, hopf = up.special
    assert hopf.kind == "Hopf" and hopf.value == pytest.approx(lowest, rel=1e-12)
    assert hopf.numbers["omega"] == pytest.approx(math.sqrt(k / m), rel=1e-12)
    check_both_sides(up)
    slipping = [orbit for orbit in up.points if len(orbit.signature) == 1]
    down = ss.follow(slipping[len(slipping) // 2], V, to=0.3 * lowest)
    assert [point.kind for point in down.special[::-1]] == [point.kind for point in changes]
    assert [p.value for p in down.special[::-1]] == pytest.approx([p.value for p in changes], rel=1e-11)
    assert down.points[-1].period == pytest.approx(up.points[0].period, rel=1e-10)
    return [point.kind for point in changes]


FIRST, SECOND = random_laws(2, 5)


@pytest.mark.parametrize("law", [FIRST, *random_laws(1, 0), pytest.param(SECOND, marks=pytest.mark.nightly)])
def test_random_laws(law) -> None:
    """The second overshoots: it loses a short slip to the other side before it loses its stick."""
    kinds = check_a_random_law(*law)
    assert kinds in (["grazing-sliding"], ["switching-sliding", "grazing-sliding"])


@pytest.mark.nightly
def test_many_random_laws() -> None:
    seen = {kind for law in random_laws(60, 1) for kind in check_a_random_law(*law)}
    assert seen == {"grazing-sliding", "switching-sliding"}


def test_where_static_friction_is_higher_both_orbits_end() -> None:
    """A motion that just touches rest sticks until its force has grown: that is another orbit, and both coexist."""
    low, high = block(0.5, mu_s=1.1), block(0.97, mu_s=1.1)
    sticking = ss.follow(ss.find_orbit(low, [1.1, 0.5]), V, to=1.3)
    slipping = ss.follow(ss.find_orbit(high, [0.7, 0.0]), V, to=0.5)
    for branch in (sticking, slipping):
        assert [point.kind for point in branch.special] == ["grazing-sliding"]
        assert branch.reason.endswith("beyond, it ceases to exist.")
    assert slipping.values[-1] == pytest.approx(upwards().special[0].value, abs=1e-12)
    assert slipping.values[-1] < sticking.values[-1]
    between = low.with_({V: 0.5 * (sticking.values[-1] + slipping.values[-1])})
    assert settled(between, slipping.points[-2]) == [] and settled(between, sticking.points[-2])


def excited(speed: float) -> ss.System:
    mass, belt = ss.Mass("block", m=1.0, x=1.0), ss.Belt("belt", speed=speed)
    return ss.System(
        ss.Spring(mass, ss.ground, k=1.0),
        ss.Damper(mass, ss.ground, c=0.4),
        ss.Force(mass, lambda t, F=0.5, om=2.1: F * math.cos(om * t)),
        ss.Contact(mass, belt, law=ss.Polynomial([1.0, -0.3, 0.0, 0.1])),
    )


def ends_on(orbit: ss.Orbit, run: xr.Dataset) -> bool:
    """Whether the orbit, at the time at which the run ends, is where that is."""
    later = float(run["time"][-1]) - orbit.start_time
    times = orbit.start_time, orbit.start_time + later % orbit.period + orbit.period
    along = ss.simulate(orbit.model, times[1], start_time=times[0], start=list(orbit.state))
    return all(abs(float(along[name][-1]) - float(run[name][-1])) < 1e-8 for name in orbit.model.states)


def test_an_excited_orbit_begins_to_stick() -> None:
    """Cut by an instant of the excitation, not by a plane. The run that is the guess ends anywhere in the period."""
    run = ss.simulate(excited(1.1), t=200.123)
    orbit = ss.find_orbit(excited(1.1), guess=run)
    assert ends_on(orbit, run) and str(orbit.signature) == "slip-"
    down = ss.follow(orbit, V, to=0.15)
    (grazing,) = down.of_kind("grazing")
    check_both_sides(down)
    up = ss.follow(down.points[-1], V, to=1.1)
    assert up.of_kind("grazing")[0].value == pytest.approx(grazing.value, abs=1e-12)
    assert up.points[-1].multipliers == pytest.approx(orbit.multipliers, abs=1e-9)


def test_a_relay_that_no_longer_switches() -> None:
    """The sign of c + sin ωt is constant beyond c = 1, and nothing can be held at rest there."""

    def model(c: float) -> ss.Filippov:
        return ss.Filippov(
            ("x", "v"),
            f=lambda x, v, t, om=1.3: (v, -0.2 * v - x - x**3 + math.cos(om * t)),
            G=lambda: (0.0, 2.0),
            h=lambda t, c=c, om=1.3: math.sin(om * t) + c,
        )

    for begin, end, words in ((0.9, 1.2, "slip+ → slip- becomes slip+"), (1.2, 0.9, "slip+ becomes slip+ → slip-")):
        branch = ss.follow(ss.find_orbit(model(begin)), "c", to=end)
        (point,) = branch.of_kind("grazing")
        assert point.value == pytest.approx(1.0, abs=1e-12) and point.note == words
        assert branch.reason == f"The branch reached c = {end:g}."


def duffing(F: float) -> ss.System:
    """A Duffing oscillator with a constant force: friction on a belt that is always faster."""
    mass, belt = ss.Mass("block", m=1.0, x=0.5), ss.Belt("belt", speed=60.0)
    return ss.System(
        ss.Spring(mass, ss.ground, force=lambda e, k3=1.0: k3 * e**3),
        ss.Damper(mass, ss.ground, c=0.2),
        ss.Force(mass, lambda t, F=F: F * math.cos(t)),
        ss.Contact(mass, belt, law=ss.Coulomb(0.4)),
    )


def test_an_orbit_without_events_doubles_its_period() -> None:
    run = ss.simulate(duffing(4.0), t=300.123)
    orbit = ss.find_orbit(duffing(4.0), guess=run)
    assert ends_on(orbit, run)
    (flip,) = ss.follow(orbit, "force.F", to=5.5).of_kind("flip")
    doubled = ss.follow(flip, "force.F", to=(0.5, 5.4))
    assert doubled.periods == pytest.approx(4 * math.pi, rel=1e-12) and doubled.stable[0]
    for F, differs in ((flip.value - 0.05, False), (flip.value + 0.05, True)):
        long = ss.simulate(duffing(F), t=1200 * math.pi, start=flip.orbit.start)
        once, twice = (ss.interpolate(long, [long.time.values[-1] - n * 2 * math.pi])["x.block"][0] for n in (1, 2))
        assert (abs(float(once) - float(long["x.block"][-1])) > 1e-2) is differs
        assert float(twice) == pytest.approx(float(long["x.block"][-1]), abs=1e-5)


def test_a_slip_that_ends_for_good() -> None:
    """Below F = S |k − mω² + icω|/k the first mass never slips; where it sticks is then left open."""
    first, second = ss.Mass("a", m=1.0), ss.Mass("b", m=0.5)
    model = ss.System(
        ss.Spring(first, ss.ground, k=1.0, name="k1"),
        ss.Spring(first, second, k=2.0, name="k2"),
        ss.Damper(second, ss.ground, c=0.3),
        ss.Force(second, lambda t, F=1.5, om=0.8: F * math.cos(om * t)),
        ss.Contact(first, ss.ground, law=ss.Coulomb(1.0), normal=0.9),
    )
    branch = ss.follow(ss.find_orbit(model), "force.F", to=0.1)
    (point,) = branch.special
    assert point.kind == "adding-sliding"
    assert point.value == pytest.approx(0.9 * abs(2.0 - 0.5 * 0.8**2 + 0.8j * 0.3) / 2.0, abs=1e-9)
    assert "is one of many" in branch.reason and str(branch.points[-1].signature) == "stick"
    again = ss.follow(branch.points[-1], "force.F", to=1.0)
    assert len(again) == 1 and "is one of many" in again.reason
