"""Spectra, autocorrelation, mutual information and false neighbours against what is known of them."""

import numpy as np
import pytest
from scipy.signal import lfilter

import stickslip as ss
from stickslip.errors import SeriesError
from stickslip.series import Series, autocorrelation, embed, false_neighbours, fundamental, mutual_information, spectrum


def noise(count, seed=0):
    return np.random.default_rng(seed).standard_normal(count)


def test_parseval_exactly_with_one_segment_and_no_window():
    series = Series(noise(4096), 0.01)
    lines = spectrum(series, segments=1, window="boxcar")
    total = float(lines["density"].sum()) * lines.attrs["resolution"]
    assert total == pytest.approx(np.var(series.values), rel=1e-12)


@pytest.mark.parametrize("segments", [4, 8, 32])
def test_the_area_of_an_averaged_spectrum_is_the_variance(segments):
    series = Series(noise(100_000), 0.01)
    lines = spectrum(series, segments)
    assert float(lines["density"].integrate("frequency")) == pytest.approx(1.0, rel=0.03)
    assert lines["density"].mean() == pytest.approx(1 / 50, rel=0.03)  # white: variance over half the sampling rate


def test_peaks_are_read_between_the_lines():
    times = 0.01 * np.arange(5000)
    for frequency in (3.0, 7.113, 20.5):
        lines = spectrum(Series(np.sin(2 * np.pi * frequency * times), 0.01))
        assert abs(lines.attrs["peak"] - frequency) < 0.05 * lines.attrs["resolution"]


def test_the_spectrum_of_a_cycle_has_its_peak_at_the_period():
    orbit = ss.find_orbit(ss.models.block_on_belt())
    run = ss.simulate(orbit.model, t=100 * orbit.period, start=orbit.start)
    lines = spectrum(ss.series.from_run(run, "v.block"))
    assert abs(lines.attrs["peak"] - 1 / orbit.period) < 0.1 * lines.attrs["resolution"]
    assert fundamental(ss.series.from_run(run, "v.block")) == pytest.approx(1 / orbit.period, rel=1e-4)


def test_the_fundamental_may_be_weaker_than_its_overtones():
    times = 0.01 * np.arange(5000)
    series = Series(0.3 * np.sin(2 * np.pi * times) + np.sin(4 * np.pi * times) + np.cos(6 * np.pi * times), 0.01)
    assert spectrum(series).attrs["peak"] > 1.9
    assert fundamental(series) == pytest.approx(1.0, rel=1e-4)
    with pytest.raises(SeriesError, match="does not repeat itself"):
        fundamental(Series(np.linspace(0, 1, 100), 0.1, "ramp"))


@pytest.mark.parametrize("memory", [0.5, 0.9, -0.7])
def test_autocorrelation_of_a_first_order_process(memory):
    count = 200_000
    series = Series(lfilter([1.0], [1.0, -memory], noise(count)), 0.5)
    found = autocorrelation(series, 20)["autocorrelation"]
    assert float(found[0]) == pytest.approx(1.0, abs=1e-12) and float(found["lag"][-1]) == 10.0
    # Bartlett's standard error is at most √((1 + φ²)/(1 − φ²)/N).
    error = np.sqrt((1 + memory**2) / (1 - memory**2) / count)
    assert np.allclose(found, memory ** np.arange(21), atol=4 * error)


def test_the_time_of_an_autocorrelation():
    series = Series(lfilter([1.0], [1.0, -0.9], noise(200_000)), 1.0)
    assert autocorrelation(series).attrs["time"] == 10  # 0.9¹⁰ is the first power below 1/e


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9])
def test_mutual_information_of_gaussian_pairs(correlation):
    """In a first-order process neighbours are such pairs: −½ ln(1 − ρ²)."""
    series = Series(lfilter([1.0], [1.0, -correlation], noise(200_000, 5)))
    known = -0.5 * np.log(1 - correlation**2)
    assert float(mutual_information(series, 1)["information"][1]) == pytest.approx(known, rel=0.02, abs=0.002)


def test_mutual_information_does_not_depend_on_the_scale():
    series = Series(lfilter([1.0], [1.0, -0.8], noise(5000)))
    bent = Series(np.exp(series.values))
    assert np.array_equal(mutual_information(series, 9)["information"], mutual_information(bent, 9)["information"])


def test_the_delay_of_a_sine_is_a_quarter_of_a_period():
    series = Series(np.sin(2 * np.pi * np.arange(20_000) / 100.3) + 0.05 * noise(20_000), 1.0)
    assert mutual_information(series).attrs["delay"] == pytest.approx(25, abs=4)


@pytest.mark.parametrize(
    ("turns", "interval"), [(0.0137, 0.1), ((np.sqrt(5) - 1) / 2, None)], ids=["in time", "events"]
)
def test_a_closed_curve_needs_two_coordinates(turns, interval):
    found = false_neighbours(Series(np.sin(2 * np.pi * turns * np.arange(5000)), interval))
    assert found.attrs["dimension"] == 2 and float(found["fraction"][0]) > 0.3


def test_false_neighbours_of_noise_never_vanish():
    assert false_neighbours(Series(noise(5000))).attrs["dimension"] == 0


def test_an_embedding_is_the_series_beside_itself():
    series = Series(np.arange(10.0), 0.5, "x")
    points = embed(series, dimension=3, delay=2)
    assert points.dims == ("time", "coordinate") and points.shape == (6, 3)
    assert points.values[1].tolist() == [1.0, 3.0, 5.0] and float(points["time"][1]) == 0.5
    with pytest.raises(SeriesError, match="too few for 6 coordinates"):
        embed(series, dimension=6, delay=2)
    with pytest.raises(SeriesError, match="must be a whole number"):
        embed(series, dimension=2.5, delay=1)
