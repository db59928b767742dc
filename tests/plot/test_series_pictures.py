"""Pictures of series show the curves that were computed, and the lines that were fitted where they were fitted."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

import stickslip as ss
from stickslip.series import Series

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def henon():
    values = [0.1, 0.1]
    for _ in range(4000):
        values.append(1 - 1.4 * values[-1] ** 2 + 0.3 * values[-2])
    return Series(np.array(values[100:]), name="x")


WAVE = Series(np.sin(2 * np.pi * 3 * 0.01 * np.arange(3000)), 0.01, "x.block", "m", "s")


def notes(ax):
    return " ".join(text.get_text() for text in ax.texts)


def test_spectrum():
    data = ss.series.spectrum(WAVE)
    ax = ss.plot.spectrum(data)
    curve, peak = ax.lines
    assert np.array_equal(curve.get_ydata(), data["density"].values[1:]) and ax.get_yscale() == "log"
    assert peak.get_xdata()[0] == data.attrs["peak"] and f"{data.attrs['peak']:.5g}" in notes(ax)
    assert ax.get_xlabel() == "frequency $f$ (Hz)" and ax.get_title("left") == "x.block – spectrum"


def test_autocorrelation():
    data = ss.series.autocorrelation(WAVE, 100)
    ax = ss.plot.autocorrelation(data)
    assert np.array_equal(ax.lines[-1].get_ydata(), data["autocorrelation"].values)
    assert ax.get_xlabel() == "lag (s)"


def test_delay_plots(henon):
    ax = ss.plot.embedding(ss.series.embed(WAVE, 2, 8))
    assert ax.lines[0].get_linestyle() == "-" and ax.get_ylabel() == "$x_\\mathrm{block}$, 0.08 s later (m)"
    ax = ss.plot.embedding(ss.series.embed(henon))
    assert ax.lines[0].get_marker() == "." and ax.get_ylabel() == "$x$, 1 event later"
    assert np.array_equal(ax.lines[0].get_ydata(), henon.values[1:])
    with pytest.raises(ValueError, match="needs two coordinates"):
        ss.plot.embedding(ss.series.embed(henon, 1, 1))


def test_mutual_information_and_false_neighbours(henon):
    data = ss.series.mutual_information(Series(WAVE.values + 0.01 * np.random.default_rng(0).random(3000), 0.01))
    ax = ss.plot.mutual_information(data)
    assert ax.lines[-1].get_xdata()[0] == data["lag"][data.attrs["delay"]]
    ax = ss.plot.false_neighbours(ss.series.false_neighbours(henon))
    assert ax.lines[-1].get_xdata()[0] == 2 and "2 coordinates" in notes(ax)


def test_correlation_sums(henon):
    found = ss.series.correlation_dimension(henon)
    ax = ss.plot.correlation_sums(found)
    *curves, fit = ax.lines
    assert len(curves) == 3 and np.allclose(fit.get_xdata(), found.region)
    rise = np.diff(np.log(fit.get_ydata())) / np.diff(np.log(fit.get_xdata()))
    assert rise[0] == pytest.approx(found.by_dimension[found.embedding.dimension])
    # The line lies on the curve it was fitted to.
    there = np.interp(np.log(fit.get_xdata()), np.log(curves[0].get_xdata()), np.log(curves[0].get_ydata()))
    assert np.allclose(there, np.log(fit.get_ydata()), atol=0.2)


def test_divergence(henon):
    found = ss.series.largest_exponent(henon)
    ax = ss.plot.divergence(found)
    curve, fit = ax.lines
    assert np.array_equal(curve.get_ydata(), found.data["divergence"].values)
    assert np.diff(fit.get_ydata())[0] / np.diff(fit.get_xdata())[0] == pytest.approx(found.exponent)
    assert ax.get_xlabel() == "events after neighbours are nearest" and f"{found.exponent:.4g}" in notes(ax)


def test_a_curve_without_a_line_is_drawn_all_the_same():
    noise = Series(np.random.default_rng(0).standard_normal(2000))
    assert len(ss.plot.divergence(ss.series.largest_exponent(noise)).lines) == 1
    assert len(ss.plot.correlation_sums(ss.series.correlation_dimension(noise)).lines) == 3
