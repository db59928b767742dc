"""Right on systems that nobody chose: families of them, against an event-driven solver that shares no code."""

from __future__ import annotations

import math
from math import cos, sin, tanh

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss
from stickslip.kernels import clock
from stickslip.symbolic.rounding import size


def finished(run):
    assert run.attrs["status"] == ss.Status.FINISHED.value, run.attrs["status"]
    return run


def table(law):
    """A tabulated law as a quick function: cubics between its points, constant beyond."""
    starts, cubics = np.array(law.speeds), np.array(law.cubics)

    def value(u):
        i = max(int(np.searchsorted(starts, u, "right")) - 1, 0)
        return float(np.polynomial.polynomial.polyval(u - starts[i], cubics[i]))

    return value


def single(force, belt, kinetic, static, end, start, span):
    """Events (time, mode before, mode after) of one mass of unit size, `force(x, v, t)` beside friction at `belt(t)`.

    `kinetic(u)` and `static` are friction forces. Steps are at most `span`, so that no event hides between them.
    """
    t, (x, v) = 0.0, start
    slope = lambda t: (belt(t + 1e-6) - belt(t - 1e-6)) / 2e-6  # noqa: E731 - a formula

    def held(t, x):
        return slope(t) - force(x, belt(t), t)

    def modes_at_rest():
        needed = held(t, x)
        if abs(needed) <= static:
            return 0
        return -1 if needed > 0 else 1

    mode = int(np.sign(v - belt(t))) if abs(v - belt(t)) > 1e-12 else modes_at_rest()
    events = []
    while t < end:
        if mode == 0:
            right = lambda t, z: [belt(t), slope(t)]  # noqa: E731
            guard = lambda t, z: static - abs(held(t, z[0]))  # noqa: E731
        else:
            right = lambda t, z, s=mode: [z[1], force(z[0], z[1], t) - s * kinetic(abs(z[1] - belt(t)))]  # noqa: E731
            guard = lambda t, z, s=mode: s * (z[1] - belt(t))  # noqa: E731
        run = solve_ivp(right, (t, end), [x, v], "DOP853", rtol=1e-12, atol=1e-13, max_step=span, dense_output=True)
        times = np.unique(np.concatenate([np.linspace(a, b, 7) for a, b in zip(run.t[:-1], run.t[1:], strict=True)]))
        values = np.array([guard(s, run.sol(s)) for s in times])
        off = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0) & (times[1:] > t + 1e-9))
        if not len(off):
            return events
        t = brentq(lambda s, g=guard, z=run.sol: g(s, z(s)), times[off[0]], times[off[0] + 1], xtol=1e-14)
        x, v = run.sol(t)
        before, mode = mode, (modes_at_rest() if mode else (-1 if held(t, x) > 0 else 1))
        if before == 0:
            v += 1e-13 * mode
        events.append((t, before, mode))
    return events


def assert_same(run, expected, tolerance=1e-7):
    found = list(zip(run["event_before"].values, run["event_after"].values, strict=True))
    assert found == [(before, after) for _, before, after in expected]
    np.testing.assert_allclose(run["event_time"], [t for t, _, _ in expected], atol=tolerance)


# -- what moves in time ------------------------------------------------------------------------------------------------

BLOCK = ss.Mass("block", m=1.0)


def belt_speed(t, mean=1.0, swing=0.9, w=5.0, p=0.0):
    return mean + swing * cos(w * t + p)


def test_a_belt_that_moves_in_time():
    """Known from two other solvers."""
    belt = ss.Belt("belt", speed=lambda t: 1 + 0.9 * cos(5 * t))
    system = ss.System(ss.Spring(BLOCK, ss.ground, k=1.0), ss.Contact(BLOCK, belt, law=ss.Coulomb(0.3), normal=1.0))
    run = finished(ss.simulate(system, 12.0))
    known = [0.5559, 0.6688, 1.7612, 1.9516, 8.0993, 8.1813]
    np.testing.assert_allclose(run["event_time"], known, atol=5e-5)


@pytest.mark.parametrize("k", [1.0, pytest.param(0.0, marks=pytest.mark.nightly)])
def test_belts_much_faster_than_the_block(k):
    belt = ss.Belt("belt", speed=belt_speed)
    system = ss.System(
        ss.Spring(BLOCK, ss.ground, k=k, name="spring"),
        ss.Contact(BLOCK, belt, law=ss.Coulomb(0.4, 0.3), normal=1.0, name="contact"),
    )
    random = np.random.default_rng(3)
    seen = 0
    for _ in range(3):
        values = {"mean": random.uniform(0, 1), "swing": random.uniform(0.5, 2), "w": random.uniform(4.4, 20)}
        values["p"] = random.uniform(0, 6)
        mu_s = random.uniform(0.2, 0.6)
        parameters = {f"belt.{name}": value for name, value in values.items()}
        model = system.with_(parameters | {"contact.mu_s": mu_s, "contact.mu_k": 0.8 * mu_s})
        x = random.uniform(-1, 1)
        expected = single(
            lambda x, v, t: -k * x, lambda t, o=values: belt_speed(t, **o), lambda u, o=mu_s: 0.8 * o, mu_s,
            8.0, (x, 0.0), 0.05,
        )  # fmt: skip
        assert_same(finished(ss.simulate(model, 8.0, start={"x.block": x})), expected)
        seen += len(expected)
    assert seen > 30


def test_a_switching_line_that_moves_in_time():
    """ẋ = −sign(x − sin 5t)/2 follows the line where that is slow enough, and meets it else."""
    model = ss.Filippov(
        ("x",), f=lambda x: (0 * x,), G=lambda: (1.0,), h=lambda x, t: x - sin(5 * t), kinetic=0.5, start={"x": 0.7}
    )
    run = finished(ss.simulate(model, 6.0))
    # In slip x moves by ±t/2; the line is met where that equals sin 5t, and left where its slope is 1/2 again.
    times, mode, x, t = [], 1, 0.7, 0.0
    while True:
        grid = np.linspace(t + 1e-9, 6.0, 60001)
        gap = mode * (x - mode * 0.5 * (grid - t) - np.sin(5 * grid))
        met = np.flatnonzero(gap < 0)
        if not len(met):
            break
        last = grid[met[0]]
        t_met = brentq(lambda s: x - mode * 0.5 * (s - t) - sin(5 * s), last - 1e-4, last)  # noqa: B023
        times.append(t_met)
        if abs(5 * cos(5 * t_met)) > 0.5:
            x, t, mode = sin(5 * t_met), t_met, -mode
            continue
        leave = next(s for s in np.linspace(t_met, t_met + 1, 200001) if abs(5 * cos(5 * s)) > 0.5)
        t = brentq(lambda s: abs(5 * cos(5 * s)) - 0.5, leave - 1e-5, leave)
        times.append(t)
        x, mode = sin(5 * t), -1 if cos(5 * t) > 0 else 1
    np.testing.assert_allclose(run["event_time"], times, atol=1e-9)
    assert len(times) > 8


# -- large numbers, long times -----------------------------------------------------------------------------------------


def push(t, a=1.0, w=0.8, p=0.0, begin=0.0):
    return a * cos(w * (t - begin) + p)


HELD = ss.System(
    ss.Spring(BLOCK, ss.ground, k=1.0, name="spring"),
    ss.Force(BLOCK, push, name="push"),
    ss.Contact(BLOCK, ss.ground, law=ss.Coulomb(1.0), normal=0.9, name="contact"),
)


def drawn(random):
    return {
        "push.w": random.uniform(0.3, 2.5),
        "push.p": random.uniform(0, 6),
        "contact.normal": random.uniform(0.4, 0.95),
    }


def test_the_origin_of_time_does_not_matter():
    random = np.random.default_rng(5)
    events = 0
    for _ in range(8):
        values = drawn(random)
        run = finished(ss.simulate(HELD.with_(values), 60.0))
        for begin in (1e2, 1e4, 123456.789, 1e7):
            later = finished(ss.simulate(HELD.with_(values | {"push.begin": begin}), begin + 60.0, start_time=begin))
            assert np.array_equal(run["event_after"], later["event_after"])
            spacing = np.diff(run["event_time"].values, prepend=0.0)
            error = np.abs(later["event_time"].values - begin - run["event_time"].values)
            assert np.all(error <= 1e-9 * np.maximum(spacing, 0) + np.spacing(begin))
        events += run.sizes["event"]
    assert events > 60


def test_a_motion_that_repeats_itself_does_so_for_ever():
    random = np.random.default_rng(6)
    for _ in range(6):
        values = drawn(random)
        run = finished(ss.simulate(HELD.with_(values), 1e4, dense=False, samples=2))
        times, period = run["event_time"].values, 2 * math.pi / values["push.w"]
        if len(times) < 100:
            continue
        late = times[times > 9e3]
        phases = np.sort(np.mod(late - late[0] + period / 4, period))
        # The last events lie at a few phases of the push, to the digits that a time of 10⁴ has.
        groups = np.split(phases, np.flatnonzero(np.diff(phases) > 1e-6) + 1)
        assert len(groups) <= 8 and max(np.ptp(group) for group in groups) < 1e-9


def test_a_sweep_over_many_periods_ends():
    points = ss.sweep(HELD, {"push.w": np.linspace(0.5, 1.5, 20)}, periods=(400, 400))
    assert np.all(points["status"].values == ss.Status.FINISHED.code)


def test_a_slide_far_from_where_it_began():
    """The spring force is a small difference of two large positions; the cycle stays what it was."""
    drive = ss.Base("drive", motion=lambda t, feed=0.01: feed * t)
    slide = ss.Mass("slide", m=50.0)
    law = ss.Stribeck(mu_s=0.2, mu_k=0.12, v_s=0.005)
    system = ss.System(ss.Spring(slide, drive, k=4e5), ss.Contact(slide, ss.ground, law=law, normal=500.0))
    run = finished(ss.simulate(system, 200.0, dense=False, samples=2))
    released = run["event_time"].values[(run["event_before"].values == 0)]
    spacing = np.diff(released)
    assert len(spacing) > 2000
    assert np.ptp(spacing[5:]) < 1e-8 * spacing.mean()


def test_units_do_not_matter():
    random = np.random.default_rng(8)
    for _ in range(6):
        values = drawn(random)
        run = finished(ss.simulate(HELD.with_(values), 40.0))
        for mass, length, time in ((1e-9, 1e9, 1e-6), (1e9, 1e-9, 1e6), (1e-9, 1e-9, 1e9), (3e5, 7e-8, 2e-9)):
            force = mass * length / time**2
            changed = {"block.m": mass, "spring.k": mass / time**2, "push.a": force, "push.p": values["push.p"]}
            changed |= {"push.w": values["push.w"] / time, "contact.normal": force * values["contact.normal"]}
            again = finished(ss.simulate(HELD.with_(changed), 40.0 * time))
            assert np.array_equal(run["event_after"], again["event_after"])
            np.testing.assert_allclose(again["event_time"] / time, run["event_time"], rtol=1e-10)


def test_what_is_held_does_not_creep():
    """Forces cancel for a million units of time; what round-off leaves of them adds up nowhere."""
    low, high = ss.Mass("low", m=1.3), ss.Mass("high", m=0.7)
    system = ss.System(
        ss.Spring(low, ss.ground, k=1.0), ss.Spring(high, ss.ground, k=0.3), ss.Force(high, 0.1),
        ss.Contact(low, ss.ground, law=ss.Coulomb(0.5), normal=2.0, name="below"),
        ss.Contact(high, low, law=ss.Coulomb(0.5), normal=1.0, name="above"),
    )  # fmt: skip
    run = finished(ss.simulate(system, 1e6, start={"x.low": 0.3, "x.high": -0.2}))
    assert run.sizes["event"] == 0 and run.attrs["steps"] < 100
    for name, place in (("x.low", 0.3), ("x.high", -0.2)):
        np.testing.assert_allclose(run[name], place, rtol=1e-14)
    carried = ss.System(
        ss.Force(BLOCK, 0.2), ss.Contact(BLOCK, ss.Belt("belt", speed=0.5), law=ss.Coulomb(0.5), normal=1.0)
    )
    run = finished(ss.simulate(carried, 1e6, start={"v.block": 0.5}))
    np.testing.assert_allclose(run["x.block"], 0.5 * run["time"], rtol=1e-14)


# -- features that a series does not feel ------------------------------------------------------------------------------


def on_belt(law, spring=None, c=0.0, speed=1.0):
    pull = {"force": spring} if spring else {"k": 1.0}
    return ss.System(
        ss.Spring(BLOCK, ss.ground, name="spring", **pull),
        ss.Damper(BLOCK, ss.ground, c=c, name="damper"),
        ss.Contact(BLOCK, ss.Belt("belt", speed=speed), law=law, normal=1.0, name="contact"),
    )


def test_steps_stay_long_as_a_motion_settles():
    system = on_belt(ss.Stribeck(0.4, 0.3, 0.2), c=0.5)
    short, long = (finished(ss.simulate(system, t)).attrs["steps"] for t in (400.0, 800.0))
    assert long < 2 * short < 800


def test_weakening_beside_a_spring_that_is_not_linear():
    system = on_belt(ss.Stribeck(0.4, 0.28, 0.1), spring=lambda e, k=1.0, q=0.5: k * e + q * e * e, speed=0.2)
    random = np.random.default_rng(9)
    seen = 0
    for _ in range(5):
        mu_k, mu_s, v_s = random.uniform(0.1, 0.3), random.uniform(0.3, 0.6), random.uniform(0.05, 0.3)
        q, speed, x = random.uniform(-0.4, 0.4), random.uniform(0.1, 0.8), random.uniform(-0.5, 0.5)
        law = {"contact.mu_s": mu_s, "contact.mu_k": mu_k, "contact.v_s": v_s}
        run = finished(
            ss.simulate(system.with_(law | {"spring.q": q, "belt.speed": speed}), 25.0, start={"x.block": x})
        )
        expected = single(
            lambda x, v, t, q=q: -x - q * x * x, lambda t, o=speed: o,
            lambda u, a=mu_k, b=mu_s, w=v_s: a + (b - a) * math.exp(-u / w), mu_s, 25.0, (x, 0.0), 0.5,
        )  # fmt: skip
        assert_same(run, expected)
        assert run.attrs["steps"] < 60 + 30 * len(expected)
        seen += len(expected)
    assert seen > 10


def test_three_inertias_that_slide_steadily():
    """A drill string with friction at the bit alone comes to rest in its own frame, in few steps."""
    top, middle, bit = (ss.Mass(name, m=m) for name, m in (("top", 2.0), ("middle", 1.0), ("bit", 0.5)))
    table = ss.Base("table", motion=lambda t, speed=5.0: speed * t)
    system = ss.System(
        ss.Spring(top, table, k=1.0), ss.Spring(middle, top, k=1.5), ss.Spring(bit, middle, k=2.0),
        ss.Damper(top, ss.ground, c=0.3), ss.Damper(middle, ss.ground, c=0.3), ss.Damper(bit, ss.ground, c=0.3),
        ss.Contact(bit, ss.ground, law=ss.Stribeck(0.5, 0.3, 0.3), normal=1.0),
    )  # fmt: skip
    run = finished(
        ss.simulate(system, 2000.0, start={"v.top": 5.0, "v.middle": 5.0, "v.bit": 5.0}, dense=False, samples=2)
    )
    assert run.attrs["steps"] < 2000


def test_a_narrow_peak_is_not_passed_over():
    """Friction that is strong between speeds 0.999 and 1.001 of the block takes energy where it passes there."""
    width = 1e-3

    def peak(v, mu=0.1, more=5.0, at=1.0, width=width):
        return mu + more * math.exp(-(((v - at) / width) ** 2))

    system = ss.System(ss.Spring(BLOCK, ss.ground, k=1.0), ss.Contact(BLOCK, ss.ground, law=peak, normal=1.0))
    run = finished(ss.simulate(system, 3.0, start={"x.block": 3.0}))
    expected = solve_ivp(
        lambda t, z: [z[1], -z[0] + 0.1 + 5 * math.exp(-(((-z[1] - 1) / width) ** 2))],
        (0, 1.4), [3.0, -1e-12], "DOP853", rtol=1e-11, atol=1e-12, max_step=1e-4,
    )  # fmt: skip
    ours = ss.interpolate(run, [1.4])
    np.testing.assert_allclose([float(ours["x.block"][0]), float(ours["v.block"][0])], expected.y[:, -1], atol=1e-7)
    field = ss.Field.of(system, order=20)
    together, _ = field._in_lockstep(
        np.array([[3.0, 0.0]] * 9), np.tile(field.parameters, (9, 1)), (0, 1.4), 1e-9, 10**6
    )
    np.testing.assert_allclose(together, np.tile(expected.y[:, -1], (9, 1)), atol=1e-7)


# -- tables and other frozen branches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("starts", [3, pytest.param(40, marks=pytest.mark.nightly)])
def test_a_table_beside_a_spring_that_saturates(starts):
    law = ss.Tabulated([0, 0.5, 1], [0.4, 0.3, 0.3])
    system = ss.System(
        ss.Spring(BLOCK, ss.ground, force=lambda e, k=1.0, s=3.0: k * tanh(s * e), name="spring"),
        ss.Contact(BLOCK, ss.ground, law=law, normal=1.0, name="contact"),
    )
    random = np.random.default_rng(10)
    for _ in range(starts):
        x, v, k, s = random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(0.5, 2), random.uniform(1, 8)
        run = finished(
            ss.simulate(system.with_({"spring.k": k, "spring.s": s}), 20.0, start={"x.block": x, "v.block": v})
        )
        slips = np.abs(run["mode"].values[:, 0]) == 1
        slid, force = run["slip_velocity"].values[slips, 0], run["force"].values[slips, 0]
        np.testing.assert_allclose(np.abs(force), [table(law)(abs(u)) for u in slid], rtol=1e-9)
        expected = single(
            lambda x, v, t, k=k, s=s: -k * tanh(s * x), lambda t: 0.0, table(law), 0.4,
            20.0, (x, v), 0.2,
        )  # fmt: skip
        assert_same(run, expected)


# -- normal forces of zero ---------------------------------------------------------------------------------------------


def pressed(normal):
    return ss.System(
        ss.Spring(BLOCK, ss.ground, k=1.0, name="spring"),
        ss.Contact(BLOCK, ss.Belt("belt", speed=0.5), law=ss.Coulomb(0.5, 0.4), normal=normal, name="pad"),
    )


@pytest.mark.parametrize("normal", [lambda t: max(0, cos(t)), lambda t: ss.where(cos(t) > 0, cos(t), 0)])
def test_a_normal_force_of_zero_is_no_friction(normal):
    run = finished(ss.simulate(pressed(normal), 20.0, start={"x.block": 0.3}))
    free = np.cos(run["time"].values) < -1e-9
    assert np.all(run["force"].values[free] == 0) and np.any(run["force"].values[~free] != 0)
    # Between the times at which it is pressed the block swings freely: its energy stays.
    energy = run["x.block"].values ** 2 + run["v.block"].values ** 2
    first = (run["time"].values > 0.5 * math.pi + 1e-9) & (run["time"].values < 1.5 * math.pi - 1e-9)
    assert np.ptp(energy[first]) < 1e-12


def test_no_normal_force_at_all():
    run = finished(ss.simulate(pressed(lambda t: 0 * t), 20.0, start={"x.block": 1.0}))
    np.testing.assert_allclose(run["x.block"], np.cos(run["time"]), atol=1e-10)


def test_a_negative_normal_force_ends_the_run_by_its_name():
    for normal in (lambda t: cos(t), lambda t: ss.where(t < 1.2, 1.0, -1.0)):
        run = ss.simulate(pressed(normal), 20.0, start={"x.block": 0.3})
        assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value) and "'pad'" in run.attrs["status"]
    assert float(run["time"][-1]) == pytest.approx(1.2, abs=1e-12)
    for start in ({"x.block": 0.3}, {"x.block": 0.3, "v.block": 0.5}, {"v.block": 0.5}):
        run = ss.simulate(pressed(lambda t: cos(t) - 2), 20.0, start=start)
        assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value) and run.sizes["event"] == 0


# -- what it rests on --------------------------------------------------------------------------------------------------


def test_waves_keep_their_phase():
    random = np.random.default_rng(11)
    with mpmath.workdps(50):
        for _ in range(200):
            rate, phase, time = random.uniform(0.1, 9), random.uniform(-9, 9), 10 ** random.uniform(0, 7)
            late = random.uniform(-0.5, 0.5) * np.spacing(time)
            angle = mpmath.mpf(rate) * (mpmath.mpf(time) + mpmath.mpf(late)) + mpmath.mpf(phase)
            assert abs(clock.wave_sine(rate, phase, time, late) - mpmath.sin(angle)) < 3e-16
            assert abs(clock.wave_cosine(rate, phase, time, late) - mpmath.cos(angle)) < 3e-16


def test_sizes_bound_round_off():
    """Expressions of random numbers, computed with and without round-off."""
    x, y, z = symbols = sympy.symbols("x y z", real=True)
    shapes = [
        3 * (x - y), (x - y) * (y - z) * x, (x - y) ** 3, sympy.sin(x - y), sympy.exp((x - y) / 5), x / (1 + y**2),
        sympy.tanh(4 * (x - y)) + z, sympy.sqrt(1 + (x - y) ** 2), sympy.Max(x - y, z) * y, sympy.log(2 + (x - z) ** 2),
    ]  # fmt: skip
    random = np.random.default_rng(12)
    for shape in shapes:
        plain = sympy.lambdify(symbols, shape, "math")
        bound = sympy.lambdify(symbols, size(shape), [{"Magnitude": abs}, "math"])
        exact = sympy.lambdify(symbols, shape, "mpmath")
        for _ in range(100):
            values = random.normal(size=3) * 10 ** random.uniform(-2, 2)
            values[1:] = values[0] + random.normal(size=2) * 10 ** random.uniform(-9, 0)
            # What is rounded before: neighbours of the numbers, half a unit away.
            near = [v * (1 + random.choice([-1, 1]) * 2.0**-53 * random.uniform(0, 1)) for v in values]
            with mpmath.workdps(40):
                exactly = [mpmath.mpf(v) for v in near]
                truth = exact(*exactly)
            assert abs(plain(*near) - truth) <= 16 * 2.0**-53 * bound(*values)
            assert bound(*values) >= abs(plain(*values)) * (1 - 1e-12)


def test_a_step_that_overlooks_something_ends_the_run(monkeypatch):
    """With steps far too long for the belt, the run must not reach its end as if nothing were wrong."""
    belt = ss.Belt("belt", speed=lambda t: 1 + 0.9 * cos(5 * t))
    system = ss.System(ss.Spring(BLOCK, ss.ground, k=1.0), ss.Contact(BLOCK, belt, law=ss.Coulomb(0.3), normal=1.0))
    mode = ss.Field.of(system, target="python", order=20).program.kernels.mode
    chosen = mode.set_natural_step

    def too_long(trajectory):
        chosen(trajectory)
        trajectory.natural_step *= 6.0

    monkeypatch.setattr(mode, "set_natural_step", too_long)
    run = ss.simulate(system, 12.0, method=ss.Exact(target="python"))
    assert run.attrs["status"].startswith(ss.Status.INCONSISTENT.value)


@pytest.mark.parametrize("sticking", [False, True], ids=["stop", "release"])
def test_an_event_that_is_missed_ends_the_run(monkeypatch, sticking):
    """What slips backwards, or is held by more than its limit, is no motion, whyever it came to that."""
    system = ss.models.forced_oscillator("III")
    events = ss.Field.of(system, target="python", order=20).program.kernels.events
    looked = events.earliest_event

    def blind(trajectory, h):
        place = looked(trajectory, h)
        if bool(trajectory.mode[0] == 0) != sticking:
            return place
        trajectory.root[0] = 2.0
        trajectory.guard = -1
        return 2.0

    monkeypatch.setattr(events, "earliest_event", blind)
    run = ss.simulate(system, 30.0, method=ss.Exact(target="python", order=20))
    assert run.attrs["outcome"] == "inconsistent"
    assert run.sizes["event"] < 3


@pytest.mark.parametrize("speed", [1e-4, 1e-6, 1e-8])
def test_a_belt_that_hardly_moves(speed):
    """A stick phase however long takes a few steps, and ends where the spring pulls with the static friction."""
    model = ss.models.block_on_belt().with_({"belt.speed": speed})
    run = ss.simulate(model, 5 / speed, method=ss.Exact(most_steps=300))
    assert run.attrs["outcome"] == "finished"
    released = run.event_before.values == 0
    assert released.sum() == 4
    np.testing.assert_allclose(run.event_state.sel(state="x.block").values[released], 1.0, rtol=1e-9)


# -- what fades away in stick ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [0.2, 1.0])
@pytest.mark.parametrize("force", [1.0, 1e3])
def test_a_relay_whose_sliding_motion_fades_takes_long_steps(gain: float, force: float) -> None:
    """On y = −c x it is ẋ = −c x, while the relay could do far more than it does: x = x₀ exp(−c t), however small."""
    relay = ss.Filippov(
        ("x", "y"),
        f=lambda x, y, a=2.0: (y, -a * x),
        G=lambda: (0.0, 1.0),
        h=lambda x, y, c=gain: y + c * x,
        kinetic=force,
        start={"x": 1.0, "y": 0.3},
    )
    run = ss.simulate(relay, t=300, samples=[100.0, 200.0, 300.0])
    assert run.attrs["outcome"] == "finished" and run.attrs["steps"] < 300
    x = run["x"].values[-3:]
    assert x[1:] / x[:-1] == pytest.approx(np.exp(-100 * gain), rel=1e-9)


def relay_against(d: float, unit: float = 1.0) -> ss.Filippov:
    """A relay that keeps y = −x against a disturbance; `unit` is that of the distance from this line."""
    return ss.Filippov(
        ("x", "y"),
        f=lambda x, y, d=d: (y, d - 2 * x),
        G=lambda: (0.0, 1.0),
        h=lambda x, y, unit=unit: unit * (y + x),
        kinetic=2 * abs(d) + 3.0,
    )


@pytest.mark.parametrize(("d", "unit"), [(0.5, 1.0), (-1e6, 1.0), (0.5, 1e9), (0.5, 1e-9)])
def test_sliding_does_not_feel_a_disturbance_that_the_relay_cancels(d: float, unit: float) -> None:
    """Nor does round-off in the cancelling move what slides, and steps are as long as its motion allows: x₀ exp(−t)."""
    for x in (1.0, 1e-17):
        method = ss.Exact(most_steps=300)
        run = ss.simulate(relay_against(d, unit), t=200, start={"x": x, "y": -x}, samples=[100, 200], method=method)
        assert run.attrs["outcome"] == "finished" and not len(run.event)
        assert run["x"].values == pytest.approx([x * math.exp(-100), x * math.exp(-200)], rel=1e-10)


def test_sliding_on_a_curve_that_moves_against_a_wave() -> None:
    """On y = 0.2 sin t − x − 0.3 x² it is ẋ = y, whatever the relay cancels meanwhile."""
    relay = ss.Filippov(
        ("x", "y"),
        f=lambda x, y, t: (y, 1e4 * cos(3 * t) - x),
        G=lambda x: (0.0, 2.0 + tanh(x)),
        h=lambda x, y, t: y + x + 0.3 * x**2 - 0.2 * sin(t),
        kinetic=2e4,
        start={"x": 0.5, "y": -0.575},
    )
    run = ss.simulate(relay, t=50, samples=[10, 20, 50])
    slides = solve_ivp(
        lambda t, x: 0.2 * sin(t) - x - 0.3 * x**2, (0, 50), [0.5], method="DOP853", rtol=1e-13, atol=1e-15,
        t_eval=[10, 20, 50],
    )  # fmt: skip
    assert run.attrs["outcome"] == "finished" and not len(run.event)
    assert run["x"].values == pytest.approx(slides.y[0], abs=1e-12)


@pytest.mark.parametrize("count", [2, 3, 9])
def test_relays_that_push_each_other_slide_together(count: int) -> None:
    """Written out for two, as loops over contacts for three, as loops over equal parts for nine: xᵢ = x₀ exp(−cᵢ t)."""
    names = [f"x{i}" for i in range(count)] + [f"y{i}" for i in range(count)]
    gains = [0.5 + 0.1 * i for i in range(count)]
    acting = [[1.0 if i == j else 0.2 if abs(i - j) == 1 else 0.0 for j in range(count)] for i in range(count)]
    listed = ", ".join(names)
    x, y = names[:count], names[count:]
    rates = ", ".join([*y, *(f"{7 + i} - 2*{x[i]} + {x[i - 1]}" for i in range(count))])
    lines = ", ".join(f"{y[i]} + {gains[i]}*{x[i]}" for i in range(count))
    relays = ss.Filippov(
        names,
        f=eval(f"lambda {listed}: ({rates})"),
        G=lambda: (*[(0.0,) * count] * count, *map(tuple, acting)),
        h=eval(f"lambda {listed}: ({lines})"),
        kinetic=100.0,
        contacts=[f"relay{i}" for i in range(count)],
        start=dict.fromkeys(x, 1.0) | {y[i]: -gains[i] for i in range(count)},
    )
    run = ss.simulate(relays, t=80, samples=[80], method=ss.Exact(most_steps=1000))
    assert run.attrs["outcome"] == "finished" and not len(run.event)
    ends = [float(run[name][-1]) for name in x]
    assert ends == pytest.approx([math.exp(-80 * c) for c in gains], rel=1e-9)


def relays_that_turn_each_other() -> ss.Filippov:
    """Two relays each of which pushes the other five times as hard as its own."""
    return ss.Filippov(
        ("x", "y", "u", "w"),
        f=lambda x, y, u, w: (u, w, 0.7 - 2 * x, 0.4 * x - y),
        G=lambda: ((0.0, 0.0), (0.0, 0.0), (0.2, 1.0), (-1.0, 0.2)),
        h=lambda x, y, u, w: (u + 0.3 * x, w + 0.5 * y),
        kinetic=100.0,
        contacts=("first", "second"),
    )


def test_relays_that_turn_each_other_are_put_on_their_surfaces_together() -> None:
    """One after the other, each would throw the other off by more than it was before."""
    start = {"x": 1.0, "y": 0.7, "u": -0.3, "w": -0.35}
    run = ss.simulate(relays_that_turn_each_other(), t=40, start=start, samples=[40])
    assert run.attrs["outcome"] == "finished"
    ends = [float(run[name][-1]) for name in ("x", "y")]
    assert ends == pytest.approx([math.exp(-12), 0.7 * math.exp(-20)], rel=1e-9)
    field = ss.Field.of(relays_that_turn_each_other())
    together, outcome = field.propagate(np.tile([1.0, 0.7, -0.3, -0.35], (300, 1)), 40.0)
    assert not outcome[:, 0].any()
    np.testing.assert_allclose(together[:, :2], np.tile(ends, (300, 1)), atol=1e-9)
