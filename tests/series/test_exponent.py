"""The largest exponent from a series alone, with everything chosen by default, against exponents that are known."""

from math import cos

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.errors import SeriesError
from stickslip.series import Series, largest_exponent

FORCED = ss.models.forced_oscillator("III", eta=1.915, u0=1.0)


def flow(rates, start, interval, count, transient):
    """The first state of a flow at equal times."""
    times = transient + interval * np.arange(count)
    motion = solve_ivp(rates, (0, times[-1]), start, method="DOP853", rtol=1e-8, atol=1e-8, t_eval=times)
    return Series(motion.y[0], interval, "x")


def iterated(function, start, count):
    values = [*start]
    for _ in range(count + 100):
        values.append(function(values))
    return Series(np.array(values[-count:]), name="x")


def lorenz(t, z):
    return [10 * (z[1] - z[0]), z[0] * (28 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]]


def roessler(t, z):
    return [-z[1] - z[2], z[0] + 0.2 * z[1], 0.2 + z[2] * (z[0] - 5.7)]


@pytest.fixture(scope="module")
def tangent():
    """The exponent from exact derivatives; hinrichs1998's setting, about 0.1597 per release."""
    found = ss.lyapunov(FORCED, t=20_000, per="release")
    assert found.per_cycle[0] == pytest.approx(0.1597, abs=3 * found.per_cycle_error[0])
    return found


@pytest.fixture(scope="module")
def run():
    return ss.simulate(FORCED, t=12_000)


def test_the_displacement_of_the_forced_oscillator(run, tangent):
    found = largest_exponent(ss.series.from_run(run, "x.block"))
    assert found.per == "" and found.chaotic
    assert found.exponent == pytest.approx(tangent.largest, rel=0.15)
    assert found.exponent * tangent.cycle == pytest.approx(0.1597, rel=0.15)
    assert found.error < 0.1 * found.exponent


def test_the_release_points_of_the_forced_oscillator(run, tangent):
    releases = ss.series.from_events(run, "x.block")
    found = largest_exponent(releases)
    assert found.per == "event" and found.chaotic
    assert found.exponent == pytest.approx(tangent.per_cycle[0], rel=0.15)
    assert releases.cycle == pytest.approx(tangent.cycle, rel=0.01)
    assert found.per_time == pytest.approx(tangent.largest, rel=0.15)


@pytest.mark.parametrize(
    ("rates", "start", "interval", "known"),
    [
        pytest.param(lorenz, [1.0, 1.0, 20.0], 0.03, 0.906, id="Lorenz"),
        pytest.param(roessler, [1.0, 1.0, 0.0], 0.2, 0.0714, id="Rössler", marks=pytest.mark.nightly),
    ],
)
def test_flows(rates, start, interval, known):
    series = flow(rates, start, interval, 12_000, 100 * interval)
    found = largest_exponent(series)
    assert found.embedding.dimension == 3 and found.embedding.unfolded
    assert found.chaotic and found.exponent == pytest.approx(known, rel=0.15)
    # The error is of the size of what is missing.
    assert abs(found.exponent - known) < 4 * found.error < 0.4 * known


@pytest.mark.parametrize(
    ("function", "start", "known", "within"),
    [
        (lambda x: 1 - 1.4 * x[-1] ** 2 + 0.3 * x[-2], [0.1, 0.1], 0.419, 0.02),
        (lambda x: 4 * x[-1] * (1 - x[-1]), [0.3123], np.log(2), 0.01),
    ],
    ids=["Hénon", "logistic"],
)
def test_maps(function, start, known, within):
    found = largest_exponent(iterated(function, start, 10_000))
    assert found.chaotic and found.per == "event"
    assert found.exponent == pytest.approx(known, rel=within)
    assert abs(found.exponent - known) < 4 * found.error


TIMES = 0.1 * np.arange(10_000)


def test_two_incommensurate_frequencies_do_not_diverge():
    found = largest_exponent(Series(np.sin(TIMES) + np.sin(np.sqrt(2) * TIMES), 0.1))
    assert not found.chaotic and 0 < found.error < 2e-3
    assert abs(found.exponent) < 1e-3


def test_a_rotation_does_not_diverge():
    found = largest_exponent(Series(np.sin(2 * np.pi * np.arange(3000) * (np.sqrt(5) - 1) / 2)))
    assert not found.chaotic and abs(found.exponent) < 1e-3


@pytest.mark.parametrize("samples", [50, 2 * np.pi / 0.1], ids=["50 in a period", "none at the same phase"])
def test_a_periodic_motion_does_not_diverge(samples):
    phase = 2 * np.pi / samples * np.arange(5000)
    found = largest_exponent(Series(np.sin(phase) + 0.3 * np.sin(2 * phase), 0.1))
    assert found.found and not found.chaotic and abs(found.exponent) < 0.01


def test_a_cycle_of_a_map_does_not_diverge():
    found = largest_exponent(iterated(lambda x: 3.5 * x[-1] * (1 - x[-1]), [0.3], 2000))
    assert found.exponent == 0.0 and not found.chaotic


def test_a_stick_slip_cycle_does_not_diverge():
    run = ss.simulate(ss.models.block_on_belt(), t=1200)
    found = largest_exponent(ss.series.from_run(run, "x.block", after=50))
    assert not found.chaotic


@pytest.mark.parametrize("interval", [None, 1.0], ids=["events", "in time"])
def test_noise_has_no_exponent(interval):
    found = largest_exponent(Series(np.random.default_rng(1).standard_normal(5000), interval))
    assert not found.found and not found.chaotic and "noise" in found.summary


def test_correlated_noise_is_not_taken_for_chaos():
    steps = np.random.default_rng(2).standard_normal(10_000)
    values = np.zeros(10_000)
    for i in range(1, len(values)):
        values[i] = 0.98 * values[i - 1] + steps[i]
    assert not largest_exponent(Series(values, 1.0)).chaotic


def test_what_is_reported_is_what_was_fitted():
    found = largest_exponent(iterated(lambda x: 4 * x[-1] * (1 - x[-1]), [0.3123], 3000))
    curve = found.data["divergence"].sel(time=slice(*found.region))
    assert np.polyfit(curve["time"], curve, 1)[0] == pytest.approx(found.exponent, abs=1e-12)
    assert f"{found.exponent:.4g}" in repr(found) and "per event" in repr(found)


def test_what_is_too_short_or_constant_is_refused():
    with pytest.raises(SeriesError, match="needs 100 values or more"):
        largest_exponent(Series(np.arange(20.0)))
    with pytest.raises(SeriesError, match="is constant"):
        largest_exponent(Series(np.ones(500), 0.1, "x"))
    with pytest.raises(SeriesError, match="about 2 mean periods, and 20 are the least"):
        largest_exponent(Series(np.sin(np.linspace(0, 12, 300)), 0.1, "x"))
    with pytest.raises(SeriesError, match="a Series is needed, not ndarray"):
        largest_exponent(np.arange(1000.0))


def test_rest_on_the_ground_does_not_diverge():
    """While the block sticks its displacement stands still, and there is no direction of motion to measure across."""
    block = ss.Mass("block", m=1.0)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Force(block, lambda t, amplitude=1.2, w=0.5: amplitude * cos(w * t)),
        ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=1.0, mu_k=0.6), normal=1.0),
    )
    run = ss.simulate(system, t=1500)
    assert float((run["mode"] == 0).mean()) > 0.1
    found = largest_exponent(ss.series.from_run(run, "x.block", after=100))
    assert found.found and not found.chaotic and abs(found.exponent) < 0.005
