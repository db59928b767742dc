"""Correlation dimensions against known ones, and what noise looks like."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stickslip.errors import SeriesError
from stickslip.series import Series, correlation_dimension


def test_henon():
    values = [0.1, 0.1]
    for _ in range(20_100):
        values.append(1 - 1.4 * values[-1] ** 2 + 0.3 * values[-2])
    found = correlation_dimension(Series(np.array(values[100:])))
    # Slopes of this attractor swing by ±0.08 with the distance (its gaps repeat), so that the mean is no sharper.
    assert found.saturated and abs(found.value - 1.22) < 0.03 and found.error < 0.05


@pytest.mark.nightly
def test_lorenz():
    times = 3 + 0.03 * np.arange(15_000)

    def rates(t, z):
        return [10 * (z[1] - z[0]), z[0] * (28 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]]

    motion = solve_ivp(rates, (0, times[-1]), [1, 1, 20], method="DOP853", rtol=1e-8, atol=1e-8, t_eval=times)
    found = correlation_dimension(Series(motion.y[0], 0.03))
    assert found.saturated and abs(found.value - 2.05) < 0.08 and found.error < 0.1


def test_a_closed_curve():
    times = 0.1 * np.arange(20_000)
    assert correlation_dimension(Series(np.sin(times), 0.1)).value == pytest.approx(1.0, abs=0.06)


@pytest.mark.nightly
def test_a_torus():
    times = 0.1 * np.arange(20_000)
    assert correlation_dimension(Series(np.sin(times) + np.sin(np.sqrt(2) * times), 0.1)).value == pytest.approx(
        2.0, abs=0.1
    )


def test_noise_fills_whatever_space_it_is_given():
    found = correlation_dimension(Series(np.random.default_rng(0).standard_normal(8000)), dimension=2)
    assert not found.saturated and "does not stay" in found.summary
    for dimension, value in found.by_dimension.items():
        assert value == pytest.approx(dimension, abs=0.15)


def test_neighbours_in_time_would_make_a_line_of_anything():
    """Theiler's point: a smooth path of noise looks one-dimensional where its own past counts as neighbours."""
    steps = np.random.default_rng(3).standard_normal(60_000)
    smooth = np.convolve(steps, np.hanning(400), "valid")[:6000]
    series = Series(smooth, 1.0)
    without = correlation_dimension(series, dimension=4, delay=100, window=0)
    assert without.by_dimension[4] < 1.5
    within = correlation_dimension(series, dimension=4, delay=100, window=400)
    assert not within.by_dimension[4] < 2


def test_the_sums_are_shares_of_pairs():
    series = Series(np.random.default_rng(4).random(1000))
    sums = correlation_dimension(series, dimension=1, window=0).data["correlation_sum"].sel(dimension=1)
    assert bool((np.diff(sums) >= 0).all()) and float(sums[-1]) == pytest.approx(1.0, abs=1e-4)
    # Two numbers drawn from [0, 1] are nearer than r with probability 2r − r².
    r = sums["distance"].values
    assert np.allclose(sums, 2 * r - r**2, atol=0.02)


def test_too_few_values():
    with pytest.raises(SeriesError, match="needs 200 values or more"):
        correlation_dimension(Series(np.arange(50.0)))
