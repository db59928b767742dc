"""hinrichs1998, Sec. 7.2: contact stiffness and damping. Captions print the parameters; see `models._FIGURES`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr

import stickslip as ss


def releases(run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Times and positions at which the asperity breaks away."""
    mine = (run.event_before == 0).values
    return run.event_time.values[mine], run.event_state.sel(state="x.block").values[mine]


def test_figure_26() -> None:
    """Self-excited: period and displacement at breakaway, recomputed independently; velocity overshoots the belt's."""
    model = ss.models.compliant_oscillator(26)
    run = ss.simulate(model, t=8)
    times, places = releases(run)
    np.testing.assert_allclose(np.diff(times)[-3:], 0.8960669551, rtol=1e-9)
    np.testing.assert_allclose(places[-3:], 2.527366684e-3, rtol=1e-9)
    assert model.about.known == {"period": 0.8960669551, "x_release": 2.527366684e-3}
    # What the rigid contact cannot do: after slip the block swings about the belt's speed.
    assert float(run["v.block"].max()) > 1.5 * 0.0025
    rigid = 2 * 0.15 * 25 / 3956  # the slip of dry friction, 2Δ
    assert rigid < float(np.ptp(run["x.block"].values[run.time.values > 4])) < 1.3 * rigid


@pytest.mark.parametrize(("figure", "asperity", "block"), [(27, 2, 10), (28, 6, 18)])
def test_figures_27_and_28(figure: int, asperity: int, block: int) -> None:
    """Excited on a belt at rest: stops of the asperity per period, and many more of the block."""
    model = ss.models.compliant_oscillator(figure)
    period = 2 * math.pi / 10.5
    found = ss.stops(ss.simulate(model, t=20 * period))
    late = found.stop_time.values > 10 * period
    kinds = found.stop_kind.values[late]
    assert np.sum(kinds == "asperity") == 10 * asperity and np.sum(kinds == "block") == 10 * block
    assert model.about.known["asperity_stops_per_period"] == asperity


@pytest.mark.parametrize(("omega", "turns"), [(8.0, 2), (11.0, 3), (14.5, 4), (17.5, 5)])
def test_figure_31(omega: float, turns: int) -> None:
    """Self- and externally excited: one breakaway in 2, 3, 4, 5 periods of the excitation."""
    period = 2 * math.pi / omega
    run = ss.simulate(ss.models.compliant_oscillator(31, omega=omega), t=260 * period, samples=2, dense=False)
    times, places = releases(run)
    late = times > 200 * period
    np.testing.assert_allclose(np.diff(times[late]), turns * period, rtol=1e-4)
    assert np.ptp(places[late]) < 1e-3 * places[-1]
