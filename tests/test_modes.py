"""Hard decisions between stick and slip, and how a run says that it cannot go on."""

from __future__ import annotations

import itertools
import math
from math import cos, sin

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss

FINISHED = ss.Status.FINISHED.value
CAPPED = ss.Exact(most_steps=200_000)


def run_of(model, t, **keywords):
    return ss.simulate(model, t, method=keywords.pop("method", CAPPED), **keywords)


def on_belt(law, normal=1.0, speed=0.2, m=1.0, **start):
    block, belt = ss.Mass("block", m=m, **start), ss.Belt("belt", speed=speed)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=normal))


def events(run):
    return list(
        zip(
            run["event_contact"].values.tolist(),
            run["event_before"].values,
            run["event_after"].values,
            strict=True,
        )
    )


# -- redundant contacts -----------------------------------------------------------------------------------------


def redundant(**start):
    block, belt = ss.Mass("block", m=1.0, **start), ss.Belt("belt", speed=0.2)
    return ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, belt, law=ss.Hyperbolic(1.0, 3.0), normal=0.5, name="left"),
        ss.Contact(block, belt, law=ss.Hyperbolic(1.0, 2.0), normal=0.5, name="right"),
    )


def test_redundant_contacts_at_rest_are_refused():
    with pytest.raises(ss.errors.ModelError, match=r"left, right"):
        run_of(redundant(v=0.2), 5.0)


def test_redundant_contacts_that_come_to_rest_stop_the_run():
    run = run_of(redundant(x=1.1), 50.0)
    assert run.attrs["status"].startswith(ss.Status.INDETERMINATE.value)
    assert 1.0 < float(run["time"][-1]) < 20.0
    assert float(run["v.block"][-1]) == pytest.approx(0.2, abs=1e-9)


def test_no_contact_slips_without_moving():
    run = run_of(redundant(x=1.1), 50.0)
    slipping = run["step_mode"].values != 0
    assert np.all(np.abs(run["step_slip_velocity"].values[slipping]).max(axis=-1) > 0)


# -- accumulating events ----------------------------------------------------------------------------------------


def double_relay(**start):
    """x'' = -sign(x) - sign(x')/2: swings shrink by a fixed ratio, so that infinitely many fit in a finite time."""
    return ss.Filippov(
        ("x", "y"),
        f=lambda y: (y, 0.0),
        G=lambda: ((0.0, 0.0), (1.0, 0.5)),
        h=lambda x, y: (x, y),
        contacts=("place", "speed"),
        start=start,
    )


def test_chattering_is_named_and_located():
    run = run_of(double_relay(x=1.0), 100.0)
    assert run.attrs["status"].startswith(ss.Status.CHATTERING.value)
    # One half swing from x = 1 at rest: down with 1/2, up with 3/2: times 2 + 2/3, amplitude falls to 1/3.
    down, up, ratio = 2.0, 2 / 3, 1 / math.sqrt(3)
    assert float(run["time"][-1]) == pytest.approx((down + up) / (1 - ratio), abs=1e-3)


@pytest.mark.parametrize("amplitude", [2.0, 1e-2, 1e-6])
def test_a_steady_oscillation_is_not_chattering(amplitude):
    """x'' = -sign(x): parabolas, one after another, at a constant rate."""
    model = ss.Filippov(("x", "y"), f=lambda y: (y, 0.0), G=lambda: (0.0, 1.0), h=lambda x: x, start={"x": amplitude})
    quarter = math.sqrt(2 * amplitude)
    run = run_of(model, 4 * quarter * 100)
    assert run.attrs["status"] == FINISHED
    assert run.sizes["event"] == 200
    np.testing.assert_allclose(run["event_time"], quarter * (1 + 2 * np.arange(200)), rtol=1e-10)
    assert float(run["x"][-1]) == pytest.approx(amplitude, rel=1e-8)


# -- forces that leave their range ------------------------------------------------------------------------------


def pair(first_normal=1.0, second_normal=1.0, first_law=None, second_law=None):
    a, b, belt = ss.Mass("a", 1.0, x=0.5), ss.Mass("b", 1.0, x=3.0), ss.Belt("belt", 1.0)
    return ss.System(
        ss.Spring(a, ss.ground, k=1.0, name="sa"),
        ss.Spring(b, ss.ground, k=1.0, name="sb"),
        ss.Contact(a, belt, law=first_law or ss.Coulomb(0.4, 0.3), normal=first_normal, name="first"),
        ss.Contact(b, belt, law=second_law or ss.Coulomb(0.4, 0.3), normal=second_normal, name="second"),
    )


def test_lift_off_names_the_contact_and_stops_at_zero_normal_force():
    run = run_of(pair(second_normal=lambda x_b: 1 + x_b), 50.0)
    assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value)
    assert "'second'" in run.attrs["status"]
    assert float(run["x.b"][-1]) == pytest.approx(-1.0, abs=1e-12)
    assert np.all(run["x.b"].values > -1.0 - 1e-12)


def test_lift_off_in_stick():
    model = on_belt(ss.Coulomb(1.0), normal=lambda t: 2 - t, speed=0.0)
    run = run_of(model, 50.0)
    assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value)
    assert float(run["time"][-1]) == pytest.approx(2.0, abs=1e-12)


def test_negative_friction_names_the_contact():
    run = run_of(pair(second_law=ss.Polynomial([0.5, -0.25])), 50.0)
    assert run.attrs["status"].startswith(ss.Status.NEGATIVE_FRICTION.value)
    assert "'second'" in run.attrs["status"]


def test_no_motion_with_negative_friction_is_kept():
    run = run_of(pair(second_law=ss.Polynomial([0.5, -0.25])), 50.0)
    power = (run["force"] * run["slip_velocity"]).values
    assert power.max() <= 1e-9


# -- simultaneous events ----------------------------------------------------------------------------------------


def twins(n=2, coupling=0.0):
    belt = ss.Belt("belt", 0.2)
    masses = [ss.Mass(f"m{i}", 1.0, x=1.1) for i in range(n)]
    law = ss.Hyperbolic(1.0, 3.0)
    return ss.System(
        *(ss.Spring(m, ss.ground, k=1.0, name=f"s{i}") for i, m in enumerate(masses)),
        *(ss.Spring(a, b, k=coupling, name=f"k{i}") for i, (a, b) in enumerate(itertools.pairwise(masses))),
        *(ss.Contact(m, belt, law=law, normal=1.0, name=f"c{i}") for i, m in enumerate(masses)),
    )


@pytest.mark.parametrize("n", [2, 3])
def test_identical_blocks_move_as_one(n):
    single = run_of(ss.models.block_on_belt(), 100.0)
    run = run_of(twins(n), 100.0)
    assert run.attrs["status"] == FINISHED
    assert run.sizes["event"] == n * single.sizes["event"]
    for i in range(n):
        own = run["event_time"].values[run["event_contact"].values == f"c{i}"]
        np.testing.assert_allclose(own, single["event_time"], rtol=1e-9)


@pytest.mark.parametrize("n", [2, 3])
def test_symmetric_chain_from_equal_starts_releases_all_at_once(n):
    single = run_of(ss.models.block_on_belt(), 40.0)
    run = run_of(twins(n, coupling=1.0), 40.0)
    assert run.attrs["status"] == FINISHED
    own = run["event_time"].values[run["event_contact"].values == "c0"]
    np.testing.assert_allclose(own, single["event_time"], rtol=1e-6)


# -- several contacts at once -----------------------------------------------------------------------------------


def stacked(mu_upper=0.8, mu_lower=0.9):
    top, bottom, belt = ss.Mass("top", 1.0), ss.Mass("bottom", 2.0), ss.Belt("belt", 0.3)
    return ss.System(
        ss.Spring(top, ss.ground, k=1.0, name="s1"),
        ss.Spring(bottom, ss.ground, k=0.5, name="s2"),
        ss.Contact(top, bottom, law=ss.Coulomb(mu_upper, 0.7 * mu_upper), normal=1.0, name="upper"),
        ss.Contact(bottom, belt, law=ss.Coulomb(mu_lower, 0.7 * mu_lower), normal=2.0, name="lower"),
        start={"v.top": 0.3, "v.bottom": 0.3},
    )


def test_stacked_blocks_that_stick_together():
    """While both stick: upper force = spring on top, lower force = both springs; the upper one is released."""
    run = run_of(stacked(), 60.0)
    assert run.attrs["status"] == FINISHED
    assert events(run)[0] == ("upper", 0, -1)
    assert float(run["event_time"][0]) == pytest.approx(0.8 / 0.3, rel=1e-12)
    both = (run["mode"].values == 0).all(axis=1)
    x = 0.3 * run["time"].values
    early = both & (run["time"].values < 2.6)
    assert early.sum() > 3
    np.testing.assert_allclose(run["force"].values[early, 0], x[early], rtol=1e-12)
    np.testing.assert_allclose(run["force"].values[early, 1], 1.5 * x[early], rtol=1e-12)
    stuck = run["mode"].values[:, 0] == 0
    assert np.abs((run["v.top"] - run["v.bottom"]).values[stuck]).max() <= 1e-15


def test_release_of_two_contacts_at_once():
    """Upper and lower limits are reached at the same moment: 0.3 t = 0.8 and 0.45 t = 1.2."""
    run = run_of(stacked(0.8, 0.6), 20.0)
    assert run.attrs["status"] == FINISHED
    first = [e for e, t in zip(events(run), run["event_time"].values, strict=True) if t < 0.8 / 0.3 + 1e-6]
    # The lower block is braked by the top's friction, which drops to 0.56: it may go with it or stay; either way
    # what happens must be consistent: check the decision against the equations just after.
    field = ss.Field.of(stacked(0.8, 0.6), order=20)
    i = np.searchsorted(run["time"].values, 0.8 / 0.3 + 1e-4)
    state = [float(run[s][i]) for s in run["state"].values]
    mode = run["mode"].values[i]
    point = field.evaluate(state, 0.0, mode)
    for s, v, force, static in zip(mode, point.v, point.force, point.static, strict=True):
        assert (s == 0 and abs(force) <= static * (1 + 1e-9)) or (s != 0 and s * v > 0)
    assert first, "one of them goes"


def test_crossing_from_slip_to_slip():
    """A strongly drawn block passes v = 0 without sticking, where the spring pulls more than static friction holds."""
    run = run_of(on_belt(ss.Coulomb(0.5), x=5.0, speed=0.0), 3.5)
    assert events(run)[0] == ("contact", -1, 1)
    assert float(run["event_time"][0]) == pytest.approx(math.pi, rel=1e-12)
    # The amplitude falls by 2 F/k in a half swing.
    assert float(run["event_state"][0, 0]) == pytest.approx(-4.0, rel=1e-12)


def test_immediate_release_after_touching():
    """Static friction equal to kinetic: where |kx| is above the limit at v = 0, the block goes on; below, it stays."""
    for x, stays in ((0.99, True), (1.01, False)):
        run = run_of(on_belt(ss.Coulomb(1.0), x=x, speed=0.0), 3.0)
        assert run.attrs["status"] == FINISHED
        assert (run["mode"].values == 0).all() == stays


def test_stick_does_not_drift():
    block, belt = ss.Mass("block", 1.0, v=0.3), ss.Belt("belt", 0.3)
    model = ss.System(block, ss.Contact(block, belt, law=ss.Coulomb(0.4), normal=1.0))
    run = run_of(model, 1e6, samples=101)
    assert run.attrs["status"] == FINISHED and run.sizes["event"] == 0
    assert np.all(run["slip_velocity"].values == 0)
    assert np.all(run["v.block"].values == 0.3)
    np.testing.assert_allclose(run["x.block"], 0.3 * run["time"], rtol=1e-9)


def test_stick_on_an_oscillating_belt_follows_it():
    block, belt = ss.Mass("block", 1.0, v=0.1), ss.Belt("belt", lambda t: 0.1 * cos(2 * t))
    model = ss.System(block, ss.Contact(block, belt, law=ss.Coulomb(0.4), normal=1.0))
    run = run_of(model, 2000.0, samples=401)
    assert run.attrs["status"] == FINISHED and run.sizes["event"] == 0
    np.testing.assert_allclose(run["v.block"], 0.1 * np.cos(2 * run["time"]), atol=1e-11)
    np.testing.assert_allclose(run["x.block"], 0.05 * np.sin(2 * run["time"]), atol=1e-9)


def test_release_by_inertia():
    """A block on a shaken plate breaks loose where the plate's acceleration 0.5·sin exceeds μg, against the motion."""
    block, belt = ss.Mass("block", 2.0, v=0.5), ss.Belt("plate", lambda t, a=0.5: a * cos(t))
    model = ss.System(block, ss.Contact(block, belt, law=ss.Coulomb(0.4), normal=2.0))
    run = run_of(model, 10.0)
    assert run.attrs["status"] == FINISHED
    assert events(run)[0] == ("contact", 0, 1)
    release = math.asin(0.8)
    assert float(run["event_time"][0]) == pytest.approx(release, rel=1e-12)
    # It then loses speed at 0.4 until the plate has that speed again.
    caught = brentq(lambda t: 0.5 * cos(release) - 0.4 * (t - release) - 0.5 * cos(t), release + 1.0, 5.0, xtol=1e-14)
    assert float(run["event_time"][1]) == pytest.approx(caught, rel=1e-11)


@pytest.mark.parametrize("eta", [2.0, 2.0001, 2.001, 2.005, 2.01, 2.02, 2.03, 2.05])
def test_forced_oscillator_just_above_two(eta):
    run = run_of(ss.models.forced_oscillator("III", eta=eta), 200 * math.pi / eta)
    assert run.attrs["status"] == FINISHED
    assert run.sizes["step"] < 20_000


@pytest.mark.parametrize("characteristic", ["I", "II", "III"])
def test_forced_oscillator_for_many_frequencies(characteristic):
    model = ss.models.forced_oscillator(characteristic)
    for eta in np.linspace(0.1, 3.0, 59):
        run = run_of(model.with_({"base.eta": eta}), 60.0, dense=False, samples=2)
        assert run.attrs["status"] == FINISHED, eta


@pytest.mark.parametrize("eta", [2.5, 4.0, 8.0])
def test_excitation_faster_than_the_belt(eta):
    """u0·eta > v0: the sticking force is not monotone, the first crossing counts."""
    model = ss.models.forced_oscillator("II", eta=eta, u0=1.0, v0=0.2)
    run = run_of(model, 40.0)
    assert run.attrs["status"] == FINISHED
    t = np.linspace(0, 40, 4_000_001)
    force = 0.2 * t - np.cos(eta * t)
    index = int(np.argmax(np.abs(force) > 4.0))
    first = brentq(lambda s: abs(0.2 * s - cos(eta * s)) - 4.0, t[index - 1], t[index], xtol=1e-14)
    assert float(run["event_time"][0]) == pytest.approx(first, rel=1e-11)


# -- steep laws, kinks far from zero ----------------------------------------------------------------------------


@pytest.mark.parametrize("v_s", [0.1, 1e-2, 1e-4])
@pytest.mark.parametrize("shape", [0.5, 1.5])
def test_powers_that_are_not_whole_leave_stick(shape, v_s):
    run = run_of(on_belt(ss.Stribeck(1.0, 0.6, v_s, shape=shape), speed=0.1), 40.0, method=ss.Exact(most_steps=20_000))
    assert run.attrs["status"] == FINISHED
    assert run.sizes["step"] < 2000


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e3, 1e5, 1e6])
def test_a_kink_far_from_zero(offset):
    """The same motion about another origin: a stiffer spring beyond a stop."""
    block = ss.Mass("block", 1.0, x=offset - 1.0)
    model = ss.System(
        ss.Spring(block, ss.ground, force=lambda e, o=offset: e - o + 2 * max(e - o - 0.1234567, 0.0)),
        ss.Contact(block, ss.ground, law=ss.Coulomb(1e-4), normal=1.0),
    )
    run = run_of(model, 20.0)
    assert run.attrs["status"] == FINISHED
    # The turning point on the stiff side from the energy, friction aside: x²/2 + (x − s)² = 1/2.
    s = 0.1234567
    turn = (2 * s + math.sqrt(4 * s**2 - 6 * (s**2 - 0.5))) / 3
    assert float(run["x.block"].max()) - offset == pytest.approx(turn, abs=1e-3)


def test_a_table_knot_at_the_starting_speed():
    model = on_belt(ss.Tabulated([0, 0.2, 0.5, 1], [0.9, 0.7, 0.6, 0.65], mu_s=1.0), speed=0.2)
    run = run_of(model, 20.0)
    assert run.attrs["status"] == FINISHED
    assert run.sizes["step"] < 5000


def test_forces_in_stick_follow_a_fast_push():
    """Stick at rest under 0.9 cos 5t + 0.003 t: the states stay zero, yet the force must be right all along."""
    block = ss.Mass("block", 1.0)
    model = ss.System(
        ss.Force(block, lambda t: 0.003 * t + 0.9 * sin(5 * t)),
        ss.Contact(block, ss.ground, law=ss.Coulomb(2.0, 1.0)),
    )
    run = run_of(model, 300.0, samples=1000)
    assert run.sizes["event"] == 0
    np.testing.assert_allclose(
        run["force"].values[:, 0], -(0.003 * run["time"] + 0.9 * np.sin(5 * run["time"])), atol=1e-9
    )


@pytest.mark.parametrize(("rate", "order"), [(1e-9, 20), (1e-6, 24), (1e6, 24), (1e9, 24), (1e9, 20), (1e12, 20)])
def test_units_of_time_do_not_matter(rate, order):
    """The block on a belt told in other units of time: from nanoseconds to centuries."""
    block, belt = ss.Mass("block", 1.0, x=1.1), ss.Belt("belt", 0.2 * rate)
    model = ss.System(
        ss.Spring(block, ss.ground, k=rate**2),
        ss.Contact(block, belt, law=ss.Hyperbolic(1.0, 3.0 / rate), normal=rate**2),
    )
    run = run_of(model, 30.0 / rate, method=ss.Exact(order=order, most_steps=5000))
    same = run_of(ss.models.block_on_belt(), 30.0)
    assert run.attrs["status"] == FINISHED
    np.testing.assert_allclose(run["event_time"] * rate, same["event_time"], rtol=1e-9)
