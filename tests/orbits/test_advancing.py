"""Orbits that advance by a constant in every period: on feeds, with nothing tied to a place, and by whole turns.

Against exact solutions, against SciPy where no contact sticks, and against long simulations.
"""

import math
from functools import cache
from math import sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.model import files
from stickslip.result import interpolate

MODEL = """
time_unit = "s"
[mass.slide]
m = 50.0
[base.drive]
motion = {formula = "feed*t", feed = 0.002}
[spring.screw]
between = ["slide", "drive"]
k = 4.0e5
[contact.guideway]
on = "slide"
against = "ground"
normal = 500.0
law = {kind = "stribeck", mu_s = 0.2, mu_k = 0.12, v_s = 0.005, viscous = 0.5}
"""


@cache
def readme_slide() -> ss.System:
    return files.loads(MODEL)


def slide(feed: float, m: float = 1.0, k: float = 1.0, normal: float = 1.0, law=None, **parts) -> ss.System:
    """A mass that is drawn along the ground by a spring whose other end moves evenly."""
    mass, drive = ss.Mass("slide", m=m), ss.Base("drive", motion=lambda t, feed=0.1: feed * t)
    contact = ss.Contact(mass, ss.ground, law=law or ss.Coulomb(0.5, 0.3), normal=normal)
    return ss.System(ss.Spring(mass, drive, k=k), contact, *(part(mass) for part in parts.values())).with_(
        {"drive.feed": feed}
    )


def test_the_slide_of_the_readme() -> None:
    model = readme_slide()
    orbit = ss.find_orbit(model)
    assert orbit.advance == {"x.slide": pytest.approx(0.002 * orbit.period, rel=1e-14)}
    assert orbit.stable and str(orbit.signature) == "slip+ → stick" and orbit.turns == 0
    run = ss.simulate(model, 5.0)
    releases = run.event_time.values[run.event_before.values == 0]
    assert np.diff(releases)[-5:] == pytest.approx(orbit.period, abs=1e-8)
    end = interpolate(orbit.data, [orbit.start_time + orbit.period])
    assert float(end["x.slide"][0]) - orbit.start["x.slide"] == pytest.approx(orbit.advance["x.slide"], abs=1e-14)
    assert "advancing by 0.000263931" in orbit.summary()


def test_the_period_of_coulomb_friction_with_a_jump() -> None:
    """T = 2Δ/V + (2/ω)(π − arctan(Δω/V)), Δ = (F_s − F_k)/k, in any units; the spring pulls with F_s when it begins."""
    numbers = np.random.default_rng(3)
    for _ in range(6):
        m, k, normal = 10 ** numbers.uniform(-3, 3, 3)
        kinetic = numbers.uniform(0.05, 0.4)
        static = kinetic + numbers.uniform(0.01, 0.5)
        jump, omega = (static - kinetic) * normal / k, math.sqrt(k / m)
        feed = jump * omega * 10 ** numbers.uniform(-4, 2)
        orbit = ss.find_orbit(slide(feed, m, k, normal, ss.Coulomb(static, kinetic)))
        period = 2 * jump / feed + 2 / omega * (math.pi - math.atan(jump * omega / feed))
        assert orbit.period == pytest.approx(period, rel=1e-10)
        assert orbit.advance["x.slide"] == pytest.approx(feed * period, rel=1e-10)
        assert orbit.start["x.slide"] == pytest.approx(-static * normal / k, rel=1e-10)
        # A small change of place grows by Δω/V in a release and shrinks as much in the stop: so many digits are lost.
        assert orbit.multipliers == pytest.approx([1, 0], abs=1e-11 + 1e-16 * (jump * omega / feed) ** 2)


def test_a_feed_is_followed_as_anything_else() -> None:
    """Along the feed and along the stiffness, against orbits found there by simulation; and it is saved."""
    orbit = ss.find_orbit(slide(0.1, law=ss.Stribeck(0.5, 0.3, 0.2).with_viscous(0.2)))
    for parameter, end in (("drive.feed", 0.2), ("spring.k", 1.4)):
        branch = ss.follow(orbit, parameter, to=end)
        assert branch.outcomes == ("reached",)
        alone = ss.find_orbit(orbit.model.with_({parameter: end}))
        last = branch.points[-1]
        assert last.period == pytest.approx(alone.period, rel=1e-10)
        assert last.advance == pytest.approx(alone.advance, rel=1e-10)
        # Seen from the drive, the slide goes no farther than the spring is stretched.
        stretch = np.ptp(branch.extremes[-1], axis=0)[0]
        run, feed = alone.data, alone.model.parameters["drive.feed"]
        assert stretch == pytest.approx(np.ptp(run["x.slide"].values - feed * run["time"].values), rel=1e-3)


def test_the_same_as_on_a_belt() -> None:
    """Whoever sits on the drive sees a block on a belt: the same period, multipliers and change of signature."""
    law = ss.Polynomial([1.0, -0.9, 0.0, 0.3])
    block = ss.Mass("slide", m=1.0)
    belt = ss.System(
        ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.Belt("belt", speed=0.95), law=law, normal=1.0)
    )
    seen, fed = (ss.find_orbit(model, [0.5, 0.9]) for model in (belt, slide(0.95, law=law)))
    assert str(fed.signature) == "slip+" and fed.period == pytest.approx(seen.period, rel=1e-11)
    assert fed.multipliers == pytest.approx(seen.multipliers, abs=1e-9)
    ours, theirs = ss.follow(fed, "drive.feed", to=0.8), ss.follow(seen, "belt.speed", to=0.8)
    assert [point.kind for point in ours.special] == ["grazing-sliding"]
    assert ours.special[0].value == pytest.approx(theirs.special[0].value, abs=1e-10)
    assert ours.points[-1].period == pytest.approx(theirs.points[-1].period, rel=1e-10)


def test_a_feed_that_is_shaken() -> None:
    """The period is a multiple of that of the shaking, and the advance is the feed times that."""
    model = slide(0.1, push=lambda mass: ss.Force(mass, lambda t, a=0.1, omega=1.3: a * sin(omega * t)))
    orbit = ss.find_orbit(model)
    assert orbit.turns == 2 and orbit.period == pytest.approx(4 * math.pi / 1.3, rel=1e-14)
    assert orbit.advance["x.slide"] == pytest.approx(0.1 * orbit.period, rel=1e-12)
    run = ss.simulate(model, 120 * orbit.period)
    late = interpolate(run, np.array([100, 101]) * orbit.period)
    assert float(np.diff(late["x.slide"])[0]) == pytest.approx(orbit.advance["x.slide"], abs=1e-9)
    # How fast a neighbour returns is what the multiplier says.
    rows = interpolate(run, np.arange(3, 9) * orbit.period)["x.slide"].values - 0.1 * np.arange(3, 9) * orbit.period
    shrinking = np.diff(rows)[1:] / np.diff(rows)[:-1]
    assert shrinking[-1] == pytest.approx(orbit.multipliers[0].real, abs=0.01)


def crawler() -> ss.System:
    """Two masses that push each other off in turn; rougher ground under one lets both crawl."""
    a, b = ss.Mass("a", m=1.0), ss.Mass("b", m=1.0)
    return ss.System(
        ss.Spring(a, b, k=2.0),
        ss.Damper(a, b, c=0.3),
        ss.Force(a, lambda t, push=3.0: push * (sin(t) + 0.6 * sin(2 * t + 0.7)), name="on_a"),
        ss.Force(b, lambda t, push=3.0: -push * (sin(t) + 0.6 * sin(2 * t + 0.7)), name="on_b"),
        ss.Contact(a, ss.ground, law=ss.Coulomb(0.5), normal=1.0, name="rough"),
        ss.Contact(b, ss.ground, law=ss.Coulomb(0.2), normal=1.0, name="even"),
    )


def test_what_nothing_ties_to_a_place_finds_its_own_advance() -> None:
    model = crawler()
    orbit = ss.find_orbit(model)
    period = 2 * math.pi
    run = ss.simulate(model, 61 * period)
    late = interpolate(run, np.array([59, 60]) * period)
    for name in ("x.a", "x.b"):
        assert orbit.advance[name] == pytest.approx(float(np.diff(late[name])[0]), abs=1e-10)
    # One multiplier less than states: to be elsewhere is no change.
    assert len(orbit.multipliers) == 3 and orbit.stable
    branch = ss.follow(orbit, "rough.mu_s", to=0.4)
    assert branch.outcomes == ("reached",)
    alone = ss.find_orbit(model.with_({"rough.mu_s": 0.4}))
    assert branch.points[-1].advance == pytest.approx(alone.advance, rel=1e-8)


def test_an_angle_advances_by_whole_turns() -> None:
    wheel = ss.Mass("wheel", m=1.0)
    model = ss.System(
        ss.Force(wheel, lambda x, weight=1.0, torque=1.5: torque - weight * sin(x)),
        ss.Contact(wheel, ss.ground, law=ss.Coulomb(0.2).with_viscous(0.3), normal=1.0),
    )
    orbit = ss.find_orbit(model, [0.0, 3.0])
    assert orbit.advance == {"x.wheel": pytest.approx(2 * math.pi, rel=1e-14)}
    assert 0 <= orbit.start["x.wheel"] < 2 * math.pi

    def rates(t: float, z: np.ndarray) -> list[float]:
        return [z[1], 1.5 - sin(z[0]) - 0.2 - 0.3 * z[1]]

    end = solve_ivp(rates, (0, orbit.period), orbit.state, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert end - orbit.state == pytest.approx([2 * math.pi, 0], abs=1e-10)
    # Liouville: the product of both multipliers is exp(−cT).
    assert np.prod(orbit.multipliers).real == pytest.approx(math.exp(-0.3 * orbit.period), rel=1e-10)
    slower = ss.follow(orbit, "force.torque", to=1.2)
    assert slower.outcomes == ("reached",) and slower.points[-1].period > orbit.period
    assert slower.points[-1].advance == orbit.advance


def test_smoothed_friction_advances_too() -> None:
    model = slide(0.1, law=ss.Stribeck(0.5, 0.3, 0.2).with_viscous(0.2))
    exact = ss.find_orbit(model)
    smooth = ss.find_orbit(model, exact, method=ss.Smoothing(eps=1e6))
    assert smooth.period == pytest.approx(exact.period, rel=1e-2)
    assert smooth.advance["x.slide"] == pytest.approx(0.1 * smooth.period, rel=1e-12)


def test_a_force_that_grows_evenly_is_a_feed() -> None:
    """k x = a t moves what balances: seen from there, nothing depends on time. SciPy confirms a motion that slips."""
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.9)
    contact = ss.Contact(mass, belt, law=ss.Polynomial([1.0, -0.9, 0.0, 0.3]))
    model = ss.System(ss.Spring(mass, ss.ground, k=2.0), ss.Force(mass, lambda t, a=-0.1: a * t), contact)
    orbit = ss.find_orbit(model, [0.2, 0.2])
    assert orbit.advance["x.block"] == pytest.approx(-0.05 * orbit.period, rel=1e-12)
    assert str(orbit.signature) == "slip-"

    def rates(t: float, z: np.ndarray) -> list[float]:
        s = 0.9 - z[1]
        return [z[1], -2 * z[0] - 0.1 * t + 1 - 0.9 * s + 0.3 * s**3]

    span = (orbit.start_time, orbit.start_time + orbit.period)
    end = solve_ivp(rates, span, orbit.state, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert end - orbit.state == pytest.approx([orbit.advance["x.block"], 0], abs=1e-9)


def test_an_even_motion_is_no_orbit_and_time_without_a_pattern_is_told(tmp_path) -> None:
    with pytest.raises(ss.errors.OrbitError, match="the motion becomes even"):
        ss.find_orbit(slide(0.1, law=ss.Coulomb(0.3).with_viscous(1.0)))
    with pytest.raises(ss.errors.OrbitError, match="nor as an even advance"):
        ss.find_orbit(slide(0.1, push=lambda mass: ss.Force(mass, lambda t, a=0.1: a * t * t)))
    orbit = ss.find_orbit(slide(0.1))
    again = ss.load(ss.save(orbit, tmp_path / "orbit.nc"))
    assert again.advance == orbit.advance and again.phases.states.tolist() == orbit.phases.states.tolist()
    assert ss.find_orbit(slide(0.1), again).period == pytest.approx(orbit.period, rel=1e-13)
