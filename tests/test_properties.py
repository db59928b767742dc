"""What must hold for every motion: friction stays in its range, symmetries, restarts, agreement with an ODE solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import stickslip as ss

some = settings(deadline=None, max_examples=25)
speeds, places = st.floats(0.05, 0.6), st.floats(-1.5, 1.5)
MODEL = ss.models.block_on_belt()
PAIR = ss.models.two_blocks()
CHAIN = ss.models.chain(3)


def finished(run):
    assert run.attrs["status"] == ss.Status.FINISHED.value
    return run


@some
@given(x1=places, x2=places, speed=speeds)
def test_friction_stays_in_its_range(x1, x2, speed):
    model = PAIR.with_({"belt.speed": speed})
    run = finished(ss.simulate(model, 30.0, start={"x.block1": x1, "x.block2": x2}, samples=400))
    field = ss.Field.of(model, order=20)
    states = np.stack([run[s].values for s in run["state"].values], axis=1)
    for i in range(0, 400, 7):
        mode = run["mode"].values[i]
        point = field.evaluate(states[i], float(run["time"][i]), mode)
        v, force = run["slip_velocity"].values[i], run["force"].values[i]
        for j in range(2):
            if mode[j] == 0:
                assert abs(force[j]) <= point.static[j] * (1 + 1e-9)
                assert v[j] == 0
            else:
                assert mode[j] * v[j] >= -1e-12
                kinetic = (1.0, 1.3)[j] / (1 + 3.0 * abs(v[j]))
                assert force[j] == pytest.approx(-mode[j] * kinetic, rel=1e-9)
            assert force[j] == pytest.approx(point.force[j], rel=1e-8, abs=1e-9)


@some
@given(x=places, v=st.floats(-1, 1), speed=speeds)
def test_mirror_symmetry(x, v, speed):
    run = finished(ss.simulate(MODEL.with_({"belt.speed": speed}), 40.0, start={"x.block": x, "v.block": v}))
    other = finished(ss.simulate(MODEL.with_({"belt.speed": -speed}), 40.0, start={"x.block": -x, "v.block": -v}))
    assert np.array_equal(run["event_after"], -other["event_after"])
    np.testing.assert_allclose(run["event_time"], other["event_time"], rtol=1e-12)
    np.testing.assert_allclose(run["x.block"], -other["x.block"], atol=1e-11)
    np.testing.assert_allclose(run["force"], -other["force"], atol=1e-11)


@some
@given(x=places, shift=st.floats(-50, 500))
def test_time_shift(x, shift):
    run = finished(ss.simulate(PAIR, 25.0, start={"x.block1": x}, samples=50))
    other = finished(ss.simulate(PAIR, shift + 25.0, start_time=shift, start={"x.block1": x}, samples=50))
    assert np.array_equal(run["event_after"], other["event_after"])
    np.testing.assert_allclose(run["event_time"], other["event_time"] - shift, atol=1e-9)
    np.testing.assert_allclose(run["x.block2"], other["x.block2"], atol=1e-8)


@some
@given(eta=st.floats(0.4, 2.5), periods=st.integers(1, 40))
def test_shift_by_forcing_periods(eta, periods):
    model = ss.models.forced_oscillator("II").with_({"base.eta": eta})
    shift = 2 * math.pi / eta * periods
    run = finished(ss.simulate(model, 12.0, samples=40))
    other = finished(ss.simulate(model, shift + 12.0, start_time=shift, samples=40))
    assert run["event_after"].values.tolist() == other["event_after"].values.tolist()
    np.testing.assert_allclose(run["event_time"], other["event_time"] - shift, atol=1e-11)
    np.testing.assert_allclose(run["x.block"], other["x.block"], atol=1e-10)


@some
@given(x1=places, x2=places, cut=st.floats(0.5, 14.5))
def test_a_run_split_in_two_is_the_same_run(x1, x2, cut):
    start = {"x.block1": x1, "x.block2": x2}
    whole = finished(ss.simulate(CHAIN, 15.0, start=start))
    assume(np.abs(whole["event_time"].values - cut).min(initial=1.0) > 1e-6)
    middle = ss.interpolate(whole, [cut])
    state = [float(middle[name][0]) for name in CHAIN.states]
    rest = finished(ss.simulate(CHAIN, 15.0, start_time=cut, start=state))
    later = whole["event_time"].values > cut
    assert rest["event_contact"].values.tolist() == whole["event_contact"].values[later].tolist()
    assert rest["event_after"].values.tolist() == whole["event_after"].values[later].tolist()
    np.testing.assert_allclose(rest["event_time"], whole["event_time"].values[later], atol=1e-9)
    for name in CHAIN.states:
        assert float(rest[name][-1]) == pytest.approx(float(whole[name][-1]), abs=1e-10)


@some
@given(x=places, v=st.floats(-2, 0.1))
def test_a_slip_phase_agrees_with_an_ode_solver(x, v):
    def right(t, z):
        slip = z[1] - 0.2
        return [z[1], -z[0] + 1.0 / (1 + 3 * abs(slip))]

    run = finished(ss.simulate(MODEL, 6.0, start={"x.block": x, "v.block": v}))
    end = float(run["event_time"][0]) if run.sizes["event"] else 6.0
    assume(end > 0.1)
    times = np.linspace(0, 0.999 * end, 25)
    theirs = solve_ivp(right, (0, times[-1]), [x, v], "DOP853", times, rtol=1e-13, atol=1e-14)
    ours = ss.interpolate(run, times)
    np.testing.assert_allclose(ours["x.block"], theirs.y[0], atol=1e-10)
    np.testing.assert_allclose(ours["v.block"], theirs.y[1], atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(end=st.floats(0.1, 1000), begin=st.floats(-100, 100))
def test_the_end_is_part_of_the_run(end, begin):
    run = finished(ss.simulate(MODEL, begin + end, start_time=begin, samples=7))
    assert run.sizes["time"] == 7
    assert float(run["time"][-1]) == begin + end
    last = ss.interpolate(run, [begin + end])
    assert float(last["x.block"][0]) == float(run["x.block"][-1])
