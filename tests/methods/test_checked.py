"""Every method of the literature in a checked build: no index leaves its array."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import stickslip as ss
from stickslip import field
from stickslip.methods.stiff import Map, StiffFlow
from stickslip.targets import checked

METHODS = (
    ss.Henon(step=0.02),
    ss.Bisection(step=0.02, band=1e-4),
    ss.Bisection(step=0.02, live=True),
    ss.Switch(eta=1e-5, rtol=1e-6),
    ss.TimeStepping(step=0.01),
)
MODELS = ("two_blocks", "forced_oscillator", "block_and_pendulum", "chain")


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("two_blocks", "forced_oscillator") else pytest.param(name, marks=pytest.mark.nightly)
        for name in MODELS
    ],
)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method)[:40])
def test_indices_stay_inside(name, method):
    model = getattr(ss.models, name)()
    quick, slow = (
        ss.simulate(model, t=6.0, method=dataclasses.replace(method, target=target)) for target in ("cpu", "checked")
    )
    assert len(quick.event_time) > 0
    for variable in quick.variables:
        np.testing.assert_array_equal(quick[variable].values, slow[variable].values)


@pytest.mark.parametrize("name", [pytest.param("two_blocks", marks=pytest.mark.nightly), "forced_oscillator"])
def test_indices_of_collocation_stay_inside(name, monkeypatch):
    """Quick code sums scalar products in another order, so that the last digits differ."""
    model = getattr(ss.models, name)()

    def mapped() -> Map:
        flow = StiffFlow(model, 1e4)
        start = flow.exchanged(np.array(model.start_state()), 0.0)
        flow.path(start, 0.0, 5.0, dense=1e-8)
        return flow.map(start, 0.0, 5.0, wrt=[0, len(model.parameters)])

    quick = mapped()
    monkeypatch.setitem(field.TARGETS, "cpu", checked)
    slow = mapped()
    assert quick.steps > 20
    for part in ("y", "phi", "by_parameter", "by_start_time"):
        found, expected = getattr(slow, part), getattr(quick, part)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
