"""Pictures of measurements show the numbers they are made from."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import QuadMesh

import stickslip as ss
from stickslip.identify import aging, classes, compare, compare_aging, fit_law, reconstruct, ringdown

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def measured(count):
    random = np.random.default_rng(0)
    v = random.uniform(-2, 2, count)
    return v, -np.sign(v) * 10 * 0.4 / (1 + 3 * np.abs(v)) + random.normal(0, 0.1, count)


def line(ax, label):
    return next(one for one in ax.lines if str(one.get_label()).startswith(label))


def test_a_fit_shows_samples_law_band_and_classes():
    fit = fit_law(measured(500), "hyperbolic", normal=10.0)
    ax = ss.plot.fit(fit)
    samples, curve, means = line(ax, "samples"), line(ax, "hyperbolic"), line(ax, "class means")
    assert len(samples.get_xdata()) == 500
    assert curve.get_ydata() == pytest.approx(fit.coefficient(curve.get_xdata()))
    assert means.get_ydata() == pytest.approx(fit.classes().mean)
    assert r"$\mu_\mathrm{s}$" in ax.get_title(loc="left") and "±" in ax.get_title(loc="left")
    assert ax.get_ylabel() == r"friction coefficient $\mu$"
    low, high = ax.get_ylim()
    assert low < np.quantile(fit.samples.coefficient, 0.01) and high > fit.law.mu_s


def test_many_samples_are_drawn_as_a_density():
    found = compare(measured(8000), ["hyperbolic", "stribeck"], normal=10.0)
    ax = ss.plot.fit(found, classes=False)
    (mesh,) = [one for one in ax.collections if isinstance(one, QuadMesh)]
    assert float(np.ma.sum(np.ma.asarray(mesh.get_array()) ** 2)) > 7900
    assert {"hyperbolic", "stribeck"} <= {text.get_text() for text in ax.get_legend().get_texts()}


def test_forces_without_a_normal_force_are_forces():
    v, force = measured(300)
    ax = ss.plot.fit(fit_law((v, force), "hyperbolic"), units={"velocity": "m/s", "force": "N"})
    assert ax.get_ylabel() == "friction force $F$ (N)" and ax.get_xlabel() == "slip speed $|v|$ (m/s)"
    with pytest.raises(TypeError, match="fit_law or identify"):
        ss.plot.fit([1, 2])


def test_classes_have_bars_of_one_deviation():
    found = classes(measured(500), 10, normal=10.0)
    ax = ss.plot.classes(found, ss.Hyperbolic(0.4, 3.0))
    thin = ax.collections[0].get_segments()
    assert [segment[1][1] - segment[0][1] for segment in thin] == pytest.approx(2 * found.deviation)


def test_ring_down_and_aging():
    t = np.linspace(0, 1, 400)
    found = ringdown(t, np.exp(-3 * t) * np.cos(40 * t) + np.random.default_rng(0).normal(0, 0.02, 400), mass=2.0)
    ax = ss.plot.ringdown(found, unit="mm")
    assert line(ax, "fit").get_ydata() == pytest.approx(found.curve(line(ax, "fit").get_xdata()))
    assert line(ax, "envelope").get_ydata()[0] == pytest.approx(found["offset"] + found.envelope([0.0])[0])
    assert "c_" in ax.get_title(loc="left") and ax.get_ylabel().endswith("(mm)")
    stick = np.geomspace(0.01, 50, 60)
    ax = ss.plot.aging(compare_aging(stick, 2 - np.exp(-0.1 * stick) + np.random.default_rng(0).normal(0, 0.01, 60)))
    assert ax.get_xscale() == "log" and len(ax.lines) == 4
    even = ss.plot.aging(aging(np.linspace(0, 5, 30), np.linspace(1, 1.5, 30), "constant"))
    assert even.get_xscale() == "linear"


def test_a_reconstruction_shades_stick():
    t = np.linspace(0, 20, 800)
    run = ss.simulate(ss.models.block_on_belt(), t=20, start={"x.block": 1.1})
    x = ss.interpolate(run, t)["x.block"].values + np.random.default_rng(0).normal(0, 1e-3, 800)
    found = reconstruct(t, x, mass=1.0, stiffness=1.0, belt=0.2)
    axes = ss.plot.reconstruction(found)
    assert len(axes) == 3
    phases = int(np.sum(np.diff(np.r_[0, found.stick.astype(int)]) == 1))
    assert phases >= 1 and all(len(ax.patches) == phases for ax in axes)
    assert axes[2].lines[-1].get_ydata() == pytest.approx(found.force)
