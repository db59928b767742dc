"""Published and closed-form values, each with its source."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import stickslip as ss


def releases(run: xr.Dataset, contact: str = "contact") -> np.ndarray:
    """Times at which a contact leaves stick."""
    chosen = (run.event_contact == contact) & (run.event_before == 0) & (run.event_after != 0)
    return run.event_time.values[chosen.values]


def stops(run: xr.Dataset, contact: str = "contact") -> np.ndarray:
    """Times at which a contact comes to stick."""
    chosen = (run.event_contact == contact) & (run.event_after == 0)
    return run.event_time.values[chosen.values]


def state_at(run: xr.Dataset, time: float, state: str) -> float:
    return float(ss.interpolate(run, [time])[state][0])


def maximum(run: xr.Dataset, velocity: str, position: str, low: float, high: float) -> float:
    """The largest position in an interval in which the velocity goes from + to −."""
    time = brentq(lambda t: state_at(run, t, velocity), low, high, xtol=1e-14)
    return state_at(run, time, position)


def test_block_on_belt_cycle() -> None:
    """leine1998, recomputed independently."""
    system = ss.models.block_on_belt(v_dr=0.2, delta=3)
    run = ss.simulate(system, t=100)
    release, stop = releases(run), stops(run)
    np.testing.assert_allclose(np.diff(release)[1:], 12.00103129483, atol=1e-9)
    onset = run["x.block"].sel(time=stop[-1], method="nearest")
    assert float(run.event_state.sel(state="x.block")[run.event_time == stop[-1]][0]) == pytest.approx(
        -0.54100635387, abs=1e-9
    )
    assert float(onset) == pytest.approx(-0.54100635387, abs=1e-9)
    assert release[-1] - stop[stop < release[-1]][-1] == pytest.approx(7.70503176935, abs=1e-9)
    x_max = maximum(run, "v.block", "x.block", release[-1], release[-1] + 1.5)
    assert x_max == pytest.approx(1.13394467644, abs=1e-9)
    for name, value in (("period", 12.00103129483), ("x_max", 1.13394467644), ("x_at_stick_onset", -0.54100635387)):
        assert system.about.known[name] == value


@settings(max_examples=100, deadline=None)
@given(
    m=st.floats(0.2, 5),
    k=st.floats(0.2, 5),
    speed=st.floats(0.05, 2),
    kinetic=st.floats(0.1, 1),
    excess=st.floats(0.05, 1),
    normal=st.floats(0.5, 5),
)
def test_coulomb_with_static_above_kinetic(
    m: float, k: float, speed: float, kinetic: float, excess: float, normal: float
) -> None:
    """T = 2Δ/V + (2/ω)(π − arctan(Δω/V)) with Δ = (F_s − F_k)/k."""
    block, belt = ss.Mass("block", m=m, v=speed), ss.Belt("belt", speed=speed)
    system = ss.System(
        ss.Spring(block, ss.ground, k=k),
        ss.Contact(block, belt, law=ss.Coulomb(mu_s=kinetic + excess, mu_k=kinetic), normal=normal),
    )
    omega, delta = math.sqrt(k / m), excess * normal / k
    period = 2 * delta / speed + 2 / omega * (math.pi - math.atan(delta * omega / speed))
    first_release = (kinetic + excess) * normal / k / speed
    run = ss.simulate(system, t=first_release + 3.2 * period)
    cycles = np.diff(releases(run))
    assert len(cycles) >= 2
    np.testing.assert_allclose(cycles, period, rtol=1e-11)


@pytest.mark.parametrize("speed", [0.0, 1e-30, 1e-17, 1e-13])
def test_a_belt_that_hardly_moves_takes_few_steps(speed: float) -> None:
    system = ss.models.block_on_belt().with_({"belt.speed": speed})
    run = ss.simulate(system, t=1000, method=ss.Exact(most_steps=1000))
    assert run.status == ss.Status.FINISHED.value
    moved = float(run["x.block"][-1] - run.event_state.sel(state="x.block")[-1])
    assert moved == pytest.approx(speed * (1000 - float(run.event_time[-1])), rel=1e-9, abs=1e-12)


def test_free_oscillator_comes_to_rest() -> None:
    """ẍ + x ∈ −Sign(ẋ) from (12, 6) rests at 15 − √205."""
    run = ss.simulate(ss.models.coulomb_oscillator(), t=40)
    assert float(run["x.block"][-1]) == pytest.approx(15 - math.sqrt(205), abs=1e-10)
    assert float(run["v.block"][-1]) == 0.0
    assert int(run["mode"][-1, 0]) == 0
    assert run.sizes["event"] == 8


def test_drill_string_cycle() -> None:
    """vandevrande1999 Sec. 3 at η = 4, recomputed independently."""
    run = ss.simulate(ss.models.drill_string(eta=4), t=60)
    release = releases(run)
    np.testing.assert_allclose(np.diff(release)[-3:], 6.53058288421, atol=1e-9)
    x_max = maximum(run, "v.twist", "x.twist", release[-2] + 0.1, release[-2] + 2.5)
    assert x_max == pytest.approx(5.43551787361, abs=1e-9)


def test_forced_oscillator_characteristic_two() -> None:
    """hinrichs1998, characteristic II at η = 0.9: one stick→slip point per period."""
    eta = 0.9
    system = ss.models.forced_oscillator(characteristic="II", eta=eta, u0=0.5, v0=1, load=10)
    run = ss.simulate(system, t=100 * 2 * math.pi / eta)
    release = releases(run)[-10:]
    np.testing.assert_allclose(np.diff(release), 2 * math.pi / eta, atol=1e-8)
    x = run.event_state.sel(state="x.block").values[(run.event_before == 0).values][-10:]
    np.testing.assert_allclose(x, 3.7275233436, atol=1e-8)


def test_bowed_string() -> None:
    """leine1998 Sec. 7: ω_t/ω_l, and the motion near 134.4966 Hz with micro-slips."""
    system = ss.models.bowed_string(diameter=1e-3)
    p = system.parameters
    lateral = math.sqrt(p["lateral.k"] / p["string.m"])
    torsional = math.sqrt(p["twisting.k"] / p["torsion.m"])
    assert torsional / lateral == pytest.approx(35.36034, abs=5e-6)
    run = ss.simulate(system, t=1.0)
    period = 1 / 134.4966
    release = releases(run)
    before, after = state_near(run, 0.95), state_near(run, 0.95 + period)
    # One period later the string is where it was, to the accuracy of the printed frequency.
    assert np.linalg.norm((after - before) / np.abs(run_scale(run))) < 2e-4
    in_period = release[(release > 0.95) & (release <= 0.95 + period)]
    assert len(in_period) >= 3  # the large slip, and micro-slips
    forward = (run.event_after == 1) & (run.event_time > 0.95) & (run.event_time <= 0.95 + period)
    assert int(forward.sum()) >= 1  # one of them with v > 0


def state_near(run: xr.Dataset, time: float) -> np.ndarray:
    there = ss.interpolate(run, [time])
    return np.array([float(there[name][0]) for name in run.state.values])


def run_scale(run: xr.Dataset) -> np.ndarray:
    return np.array([float(np.abs(run[name]).max()) for name in run.state.values])


ENERGY_RUNS = {
    "block_on_belt": 100.0,
    "two_blocks": 100.0,
    "drill_string": 60.0,
    "bowed_string": 0.05,
    "forced_oscillator": 100.0,
    "excited_oscillator": 100.0,
    "block_and_pendulum": 50.0,
    "coulomb_oscillator": 30.0,
    "chain": 50.0,
    "aging_block": 100.0,
    "compliant_oscillator": 5.0,
    "iwan": 50.0,
    "lugre_block": 50.0,
    "fault": 50.0,
}


@pytest.mark.parametrize("name", sorted(ss.models.LIBRARY))
def test_energy_balance(name: str) -> None:
    """The work of all forces is the change of energy, within 1e-9."""
    system = ss.models.LIBRARY[name]()
    run = ss.simulate(system, t=ENERGY_RUNS[name])
    assert abs(float(ss.energy_balance(system, run).residual)) < 1e-9


def test_energy_balance_notices_a_missing_force() -> None:
    system = ss.models.drill_string()
    run = ss.simulate(system, t=20)
    wrong = system.with_({"damper.c": 0.1001})
    assert abs(float(ss.energy_balance(wrong, run).residual)) > 1e-6


@pytest.mark.parametrize("blocks", [15, pytest.param(50, marks=pytest.mark.nightly)])
def test_long_chain(blocks: int) -> None:
    system = ss.models.chain(blocks)
    run = ss.simulate(system, t=20)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert len(system.contacts) == blocks
    assert abs(float(ss.energy_balance(system, run).residual)) < 1e-9


def test_a_narrow_law_is_not_overlooked() -> None:
    """awrejcewicz2002 Fig. 10b: the Stribeck peak is 1/400 as wide as the slip speeds; a long step could pass it by.

    Order 8 at the tightest tolerance needs steps so short that it cannot; orders 16 to 24 take long ones.
    """
    system = ss.models.block_and_pendulum("stribeck")
    start = {"x.block": 3.0, "v.block": 1.0}
    careful = ss.simulate(system, t=30, start=start, method=ss.Exact(rtol=1e-15, order=8))
    for rtol, allowed in ((1e-12, 1e-9), (1e-10, 1e-7), (1e-8, 1e-5)):
        run = ss.simulate(system, t=30, start=start, method=ss.Exact(rtol=rtol))
        np.testing.assert_allclose(run.event_time, careful.event_time, rtol=0, atol=allowed)
        for name in system.states:
            assert float(run[name][-1]) == pytest.approx(float(careful[name][-1]), abs=10 * allowed)
