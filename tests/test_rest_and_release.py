"""What rest, release and the choice of modes must obey, each against a calculation of its own."""

from __future__ import annotations

import itertools
from math import cos, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

import stickslip as ss

Modes = tuple[int, ...]


# -- rest ---------------------------------------------------------------------------------------------------------


def test_what_rests_does_not_drift() -> None:
    """Forces that balance leave their round-off, which grows with the square of a step."""
    mass = ss.Mass("mass", 0.7, x=0.3)
    held = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, ss.ground, law=ss.Coulomb(1.0, 0.8)))
    run = ss.simulate(held, 1e3, dense=False, samples=100)
    assert run.outcome == "finished" and run.sizes["event"] == 0
    assert float(np.abs(run["x.mass"] - 0.3).max()) <= 1e-14
    assert float(np.abs(run["v.mass"]).max()) <= 1e-15


def test_what_a_belt_takes_along_stays_on_it() -> None:
    """Two masses on top of each other, on a slow belt: both have come as far as the belt."""
    lower, upper = ss.Mass("lower", 0.7, v=1e-3), ss.Mass("upper", 0.3, v=1e-3)
    stack = ss.System(
        ss.Spring(lower, ss.ground, k=1.3),
        ss.Spring(upper, ss.ground, k=0.4, name="weak"),
        ss.Contact(lower, ss.Belt("belt", speed=1e-3), law=ss.Coulomb(1.0, 0.8), normal=3.0),
        ss.Contact(upper, lower, law=ss.Coulomb(1.0, 0.8), name="between"),
    )
    run = ss.simulate(stack, 1000.0, dense=False, samples=100)
    assert run.outcome == "finished" and run.sizes["event"] == 0
    for name in ("x.lower", "x.upper"):
        np.testing.assert_allclose(run[name], 1e-3 * run["time"], rtol=1e-11)


def test_events_after_a_long_rest_are_no_chatter() -> None:
    """Nothing for a long time, then a quick vibration: events may be as near to each other as they like."""
    mass = ss.Mass("mass", 1.0)
    late = ss.Force(mass, lambda t, late=1e5: ss.where(t < late, 0.0, 2.0 * cos(1.3 * t)))
    system = ss.System(ss.Spring(mass, ss.ground, k=1.0), late, ss.Contact(mass, ss.ground, law=ss.Coulomb(1.0, 0.8)))
    run = ss.simulate(system, 1e5 + 300, dense=False, samples=2)
    assert run.outcome == "finished"
    assert run.sizes["event"] == pytest.approx(300 / (np.pi / 1.3), abs=4)  # it turns twice in a period


# -- release ------------------------------------------------------------------------------------------------------


def shaken(speed: float, a: float, omega: float, slow: float, more: float) -> ss.System:
    """A mass on a belt, whose pull rises slowly past the friction, with ripples."""
    mass, belt = ss.Mass("mass", 1.0, v=speed), ss.Belt("belt", speed=speed)
    pull = ss.Force(
        mass,
        lambda t, a=a, omega=omega, slow=slow, more=more: (
            -(0.3 + slow * t + a * sin(omega * t) + more * sin(3.7 * omega * t))
        ),
    )
    return ss.System(pull, ss.Contact(mass, belt, law=ss.Coulomb(0.3)))


@pytest.mark.parametrize("speed", [1.0, 100.0])
def test_slip_after_release_as_from_a_moving_frame(speed: float) -> None:
    """Events do not depend on the speed of the belt: just after release v is a small difference of large velocities.

    It has their round-off, ε·V, and so events are uncertain by ε·V over the acceleration, a, and no more.
    """
    chance = np.random.default_rng(0)
    for _ in range(20):
        a, omega = 10 ** chance.uniform(-4, -2), 10 ** chance.uniform(1, 2.5)
        slow, more = a * omega * chance.uniform(0.02, 0.3), a * chance.uniform(0, 1.5)
        times = (-1.5 * a / slow, 6 * a / slow)
        still, moving = (
            ss.simulate(shaken(each, a, omega, slow, more), times[1], start_time=times[0], dense=False, samples=2)
            for each in (0.0, speed)
        )
        assert still.event_after.values.tolist() == moving.event_after.values.tolist() != []
        assert np.abs(still.event_time.values - moving.event_time.values).max() < 10 * 2.2e-16 * speed / a


def test_slip_through_the_knots_of_a_table() -> None:
    """Every interval of a table ends where the next begins, upwards and downwards."""
    speeds, values = [0.0, 0.8, 1.6, 2.1, 3.0, 4.4], [0.9, 0.5, 0.65, 0.4, 0.7, 0.3]
    mass, belt = ss.Mass("mass", 1.0, x=2.2), ss.Belt("belt", speed=2.5)
    law = ss.Tabulated(speeds, values)
    system = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, belt, law=law, normal=0.6))
    run = ss.simulate(system, 12.0)
    slid = np.abs(run["slip_velocity"].values)
    assert run.sizes["event"] == 0 and slid.min() < 0.8 and slid.max() > 4.4
    curve = PchipInterpolator(speeds, values)

    def rates(t: float, z: np.ndarray) -> list[float]:
        return [z[1], -z[0] + 0.6 * float(curve(min(2.5 - z[1], 4.4)))]

    times = np.linspace(0.0, 12.0, 60)
    expected = solve_ivp(rates, (0.0, 12.0), [2.2, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13, max_step=0.01)
    np.testing.assert_allclose(ss.interpolate(run, times)["x.mass"], expected.y[0], atol=2e-10)


# -- the choice of modes ------------------------------------------------------------------------------------------


def consistent(a: np.ndarray, D: np.ndarray, static: np.ndarray, kinetic: np.ndarray) -> list[Modes]:
    """All combinations of modes at rest with v̇ = a + Dλ: sticking forces within their limits, slip away from rest."""
    found = []
    for modes in itertools.product((-1, 0, 1), repeat=len(a)):
        s = np.array(modes)
        stuck, force = s == 0, -s * kinetic
        force[stuck] = np.linalg.solve(D[np.ix_(stuck, stuck)], -(a + D @ force)[stuck])
        if np.all(np.abs(force[stuck]) <= static[stuck]) and np.all((s * (a + D @ force))[~stuck] > 0):
            found.append(modes)
    return found


def two_masses(swapped: bool) -> ss.System:
    lower, upper = ss.Mass("lower", 1.0), ss.Mass("upper", 1.0)
    contacts = [
        ss.Contact(lower, ss.ground, law=ss.Coulomb(1.0, 0.6), name="ground"),
        ss.Contact(upper, lower, law=ss.Coulomb(1.0, 0.6), name="between"),
    ]
    return ss.System(ss.Force(lower, 1.0), ss.Force(upper, 1.0, name="push"), *contacts[:: -1 if swapped else 1])


@pytest.mark.parametrize("swapped", [False, True], ids=["in order", "swapped"])
def test_most_stick_and_the_farthest_beyond_their_limits_go(swapped: bool) -> None:
    """Where several combinations are consistent, whatever the order of parts."""
    model, chance, seen = two_masses(swapped), np.random.default_rng(0), []
    while len(seen) < 60:
        push, limits, masses = chance.uniform(-3, 3, 2), chance.uniform(0.5, 2.5, 2), chance.uniform(0.3, 3, 2)
        J = np.array([[1.0, 0.0], [-1.0, 1.0]])  # sliding velocities from those of the masses
        D = J @ np.diag(1 / masses) @ J.T
        possible = consistent(J @ (push / masses), D, limits, 0.6 * limits)
        asked = np.abs([push.sum(), push[1]])
        excess = (asked - limits) / (asked + limits)
        if excess.min() <= 0 or len(possible) < 2:
            continue
        values = {"force.force": push[0], "push.force": push[1], "lower.m": masses[0], "upper.m": masses[1]}
        run = ss.simulate(model.with_(values | {"ground.normal": limits[0], "between.normal": limits[1]}), 1e-9)
        chosen = tuple(int(run["mode"].sel(contact=name)[0]) for name in ("ground", "between"))
        best = max(possible, key=lambda modes: (modes.count(0), sum(excess[i] for i in (0, 1) if modes[i])))
        assert chosen == best
        seen.append(int(best[0] != 0))
    assert 10 < sum(seen) < 50


THREE = (
    ((-0.4, 1.1, -0.7), ((1.4, 0.0, -1.2), (0.8, 2.0, -0.1), (-0.3, 1.3, 0.6))),
    ((0.9, 1.3, -0.2), ((1.3, -0.9, 1.0), (-1.3, 0.3, 0.3), (-1.3, 0.1, 1.4))),
    ((1.8, -1.5, -0.3), ((1.1, -1.3, 1.4), (0.6, 2.2, 0.0), (1.4, -0.6, 0.6))),
    ((-0.7, 0.1, 0.7), ((2.2, -1.2, -1.3), (-1.2, 0.5, 0.8), (0.3, 0.6, 1.6))),
    ((0.1, 0.4, 1.6), ((0.4, 0.0, -1.2), (0.1, 1.7, -1.1), (0.7, -0.6, 0.3))),
    ((-1.2, -1.8, 1.8), ((1.1, 0.3, 0.8), (1.0, 1.5, -0.5), (1.0, 0.5, 0.3))),
)
"""Where releasing one contact after another does not end, and several combinations are consistent."""


def test_most_stick_where_all_combinations_are_tried() -> None:
    names = [f"d{i}{j}" for i in range(3) for j in range(3)]
    model = ss.Filippov(
        ("x", "y", "z"),
        f=lambda a=1.0, b=1.0, c=1.0: (a, b, c),
        G=lambda d00=1.0, d01=0.0, d02=0.0, d10=0.0, d11=1.0, d12=0.0, d20=0.0, d21=0.0, d22=1.0: (
            (d00, d01, d02), (d10, d11, d12), (d20, d21, d22),
        ),
        h=lambda x, y, z: (x, y, z),
        contacts=("p", "q", "r"),
        kinetic=0.5,
        static=1.0,
    )  # fmt: skip
    for a, D in THREE:
        possible = consistent(np.array(a), np.array(D), np.ones(3), np.full(3, 0.5))
        sticking = sorted(modes.count(0) for modes in possible)
        assert sticking[0] < sticking[-1] > sticking[-2]
        values = dict(zip("abc", a, strict=True)) | dict(zip(names, np.ravel(D).tolist(), strict=True))
        run = ss.simulate(model.with_(values), 1e-9)
        assert tuple(run["mode"].values[0]) == max(possible, key=lambda modes: modes.count(0))
