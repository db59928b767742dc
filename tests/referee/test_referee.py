"""The referee against what is known exactly: who judges is judged first."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq
from tests.referee.equations import Mechanics
from tests.referee.instants import Instant, cos, shifted_phase
from tests.referee.motion import CHATTERING, FINISHED, LIFT_OFF, NEGATIVE, REDUNDANT, Referee
from tests.referee.switching import Switching

import stickslip as ss
from stickslip.model.formula import Formula


def motion(system, start, duration, origin=0.0, **more):
    return Referee(Mechanics(system, origin), **more).motion(start, duration)


def block(*parts, m=1.0, k=1.0):
    mass = ss.Mass("block", m)
    return ss.System(ss.Spring(mass, ss.ground, k=k), *(part(mass) for part in parts))


def test_turning_points_move_in_by_twice_the_friction_every_half_swing():
    system = block(lambda m: ss.Contact(m, ss.ground, law=ss.Coulomb(0.2), normal=0.5))
    found = motion(system, [1.0, 0.0], 20.0)
    assert [event.before for event in found.events] == [-1, 1, -1, 1, -1]
    assert [event.after for event in found.events] == [1, -1, 1, -1, 0]
    assert np.array([e.elapsed for e in found.events]) == pytest.approx(math.pi * np.arange(1, 6), rel=1e-11)
    assert [e.state[0] for e in found.events] == pytest.approx([-0.8, 0.6, -0.4, 0.2, 0.0], abs=1e-11)


def test_the_period_of_stick_slip_on_a_belt():
    speed, static, kinetic = 0.2, 0.4, 0.25
    belt = ss.Belt("belt", speed=speed)
    system = block(lambda m: ss.Contact(m, belt, law=ss.Coulomb(static, kinetic)))
    found = motion(system, [0.0, speed], 40.0)
    drop = static - kinetic
    period = 2 * drop / speed + 2 * (math.pi - math.atan(drop / speed))
    stops = [event.elapsed for event in found.events if event.after == 0]
    assert len(stops) > 3
    assert np.diff(stops) == pytest.approx(period, rel=1e-11)


def test_a_belt_that_moves_faster_than_the_block_swings():
    belt = ss.Belt("belt", speed=lambda t: 1 + 0.9 * math.cos(5 * t))
    found = motion(block(lambda m: ss.Contact(m, belt, law=ss.Coulomb(0.3))), [0.0, 0.0], 12.0)
    times = [event.elapsed for event in found.events]
    assert times == pytest.approx([0.5559, 0.6688, 1.7612, 1.9516, 8.0993, 8.1813], abs=5e-5)


@pytest.mark.parametrize("beyond", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("unit", [1.0, 1e-9])
def test_a_speed_that_only_just_reaches_that_of_the_belt_is_seen_wherever_a_step_ends(beyond, unit):
    """x = μN + A cos(t + φ), so that v − V = −A sin(t + φ) − V reaches zero where −sin(t + φ) = V / A."""
    speed, friction = 0.3, 0.2
    belt = ss.Belt("belt", speed=speed / unit)
    system = block(lambda m: ss.Contact(m, belt, law=ss.Coulomb(friction)), k=1.0, m=unit**2)
    amplitude = speed * (1 + beyond)
    for phase in np.linspace(-1.4, 4.0, 40):
        start = [friction + amplitude * math.cos(phase), -amplitude * math.sin(phase) / unit]
        found = Referee(Mechanics(system, 0.0, 1.0, unit)).motion(start, 7.0 * unit)
        reached = (math.pi + math.asin(speed / amplitude) - phase) % (2 * math.pi)
        assert found.events[0].after == 0
        assert found.events[0].elapsed / unit == pytest.approx(reached, abs=1e-11 / math.sqrt(beyond))


def test_digits_of_a_late_time_are_kept():
    late = Instant(1e7 + 0.3, 1e-12)
    with mpmath.workdps(50):
        exact = mpmath.cos(mpmath.mpf(1.7) * (mpmath.mpf(1e7 + 0.3) + mpmath.mpf(1e-12)) + mpmath.mpf(0.4))
    assert cos(1.7 * late + 0.4) == pytest.approx(float(exact), abs=1e-15)


@pytest.mark.parametrize("origin", [1e4, 1e7])
def test_a_late_start_is_a_change_of_phase(origin):
    def pushed(phase):
        push = Formula("a*cos(w*t + p)", ("t",), {"a": 1.0, "w": 0.8, "p": phase})
        return block(lambda m: ss.Force(m, push), lambda m: ss.Contact(m, ss.ground, law=ss.Coulomb(0.9)))

    late = motion(pushed(0.3), [0.0, 0.0], 30.0, origin)
    early = motion(pushed(shifted_phase(0.3, 0.8, origin)), [0.0, 0.0], 30.0)
    assert len(early.events) > 4
    assert [e.elapsed for e in late.events] == pytest.approx([e.elapsed for e in early.events], abs=1e-11)


def test_contacts_on_the_same_motion_are_redundant():
    system = block(*[lambda m, i=i: ss.Contact(m, ss.ground, law=ss.Coulomb(0.3), name=f"c{i}") for i in range(2)])
    assert motion(system, [0.1, 0.0], 5.0).end == REDUNDANT
    assert motion(system, [10.0, 0.0], 3.0).end == FINISHED


def test_a_load_that_turns_negative_lifts_off():
    load = Formula("n + k*x_block", ("x_block",), {"n": 0.5, "k": 1.0})
    found = motion(block(lambda m: ss.Contact(m, ss.ground, law=ss.Coulomb(0.0), normal=load)), [1.0, 0.0], 5.0)
    assert found.end == LIFT_OFF
    assert found.elapsed == pytest.approx(math.acos(-0.5), rel=1e-11)


def test_a_load_of_zero_is_no_friction():
    load = Formula("max(0, x_block)", ("x_block",))
    found = motion(
        block(lambda m: ss.Contact(m, ss.ground, law=ss.Coulomb(0.3), normal=load)), [-1.0, 0.0], math.pi / 2
    )
    assert found.end == FINISHED
    assert found.state == pytest.approx((0.0, 1.0), abs=1e-11)


def test_a_load_that_is_taken_away_releases_at_once():
    load = Formula("where(cos(t) > 0, n, 0)", ("t",), {"n": 1.0})
    found = motion(block(lambda m: ss.Contact(m, ss.ground, law=ss.Coulomb(0.9), normal=load)), [0.5, 0.0], 3.0)
    assert [(event.before, event.after) for event in found.events] == [(0, -1)]
    assert found.events[0].elapsed == pytest.approx(math.pi / 2, abs=1e-12)
    assert found.state[0] == pytest.approx(0.5 * math.cos(3 - math.pi / 2), abs=1e-11)


def test_a_contact_that_ages_holds_longer():
    """Pulled evenly at rate r, it releases where r·t = μ_s (1 + (β − 1)(1 − exp(−a t)))."""
    pull = Formula("r*t", ("t",), {"r": 0.1})
    law = ss.Coulomb(0.4, 0.3).with_aging(a=0.5, beta=2.0)
    found = motion(
        block(lambda m: ss.Force(m, pull), lambda m: ss.Contact(m, ss.ground, law=law)), [0.0, 0.0, 0.0], 8.0
    )
    release = brentq(lambda t: 0.1 * t - 0.4 * (1 + (1 - math.exp(-0.5 * t))), 4.0, 9.0, xtol=1e-14)
    assert found.events[0].elapsed == pytest.approx(release, abs=1e-11)
    assert found.events[0].state[2] == pytest.approx(release, abs=1e-11)


def test_bristles_bend_until_they_slide():
    """Dahl's law pushed along at a constant velocity: z = (μ/σ)(1 − exp(−σ v t/μ)); a mass so heavy keeps it."""
    mass = ss.Mass("block", 1e12)
    system = ss.System(ss.DynamicContact(mass, ss.ground, law=ss.Dahl(mu=0.3, sigma_0=3.0)))
    found = motion(system, [0.0, 0.5, 0.0], 0.7)
    assert found.state[2] == pytest.approx(0.1 * (1 - math.exp(-3.0 * 0.5 * 0.7 / 0.3)), abs=1e-11)


def test_a_law_that_turns_negative_is_none():
    law = ss.Polynomial([0.3, -0.2])
    found = motion(block(lambda m: ss.Contact(m, ss.ground, law=law)), [5.0, 0.0], 5.0)
    assert found.end == NEGATIVE


def test_one_contact_that_slips_lets_the_other_hold():
    """Two masses, the first pulled: only the contact at its limit is released."""
    a, b = ss.Mass("a", 1.0), ss.Mass("b", 1.0)
    pull = Formula("r*t", ("t",), {"r": 0.1})
    system = ss.System(
        ss.Spring(a, b, k=1.0),
        ss.Force(a, pull),
        ss.Contact(a, ss.ground, law=ss.Coulomb(0.4, 0.3), name="near"),
        ss.Contact(b, ss.ground, law=ss.Coulomb(0.4, 0.3), name="far"),
    )
    found = motion(system, [0.0, 0.0, 0.0, 0.0], 4.5)
    assert [(event.contact, event.before, event.after) for event in found.events] == [(0, 0, 1)]
    assert found.events[0].elapsed == pytest.approx(4.0, rel=1e-12)


def test_a_relay_slides_along_a_target_that_moves():
    """ẋ = 6λ follows sin 5t while |5 cos 5t| ≤ 6: always. From x = 1 it reaches it where 1 − 6t = sin 5t."""
    relay = ss.Filippov(("x",), f=lambda x: (0 * x,), G=lambda: (6.0,), h=lambda x, t: x - math.sin(5 * t))
    found = Referee(Switching(relay)).motion([1.0], 3.0)
    assert [(event.before, event.after) for event in found.events] == [(1, 0)]
    meet = brentq(lambda t: 1 - 6 * t - math.sin(5 * t), 0, 0.2, xtol=1e-15)
    assert found.events[0].elapsed == pytest.approx(meet, abs=1e-13)
    assert found.state == pytest.approx((math.sin(15.0),), abs=1e-12)


def test_a_relay_too_weak_to_follow_is_left_and_met_again():
    relay = ss.Filippov(("x",), f=lambda x: (0 * x,), G=lambda: (3.0,), h=lambda x, t: x - math.sin(5 * t))
    found = Referee(Switching(relay)).motion([0.0], 1.0)
    modes = [(event.before, event.after) for event in found.events]
    assert modes[:2] == [(-1, 0), (0, 1)]
    meet = brentq(lambda t: 3 * t - math.sin(5 * t), 0.1, 0.6, xtol=1e-15)
    leave = math.acos(-3 / 5) / 5
    assert [event.elapsed for event in found.events[:2]] == pytest.approx([meet, leave], abs=1e-12)


def test_events_without_end_are_told():
    belt = ss.Belt("belt", speed=lambda t: 0.5 * math.cos(3 * t))
    system = block(lambda m: ss.Contact(m, belt, law=ss.Coulomb(0.1)))
    assert motion(system, [1.0, 0.0], 60.0, most_events=5).end == CHATTERING
