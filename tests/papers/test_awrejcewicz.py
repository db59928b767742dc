"""awrejcewicz2002: the error measure of Eq. (16) on the orbits of Fig. 10.

Table 1 of the paper cannot be reproduced, because its trajectory is not given; these are its columns on other orbits.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import xarray as xr

import stickslip as ss

SCRIPT = Path(__file__).parents[2] / "bench" / "papers_errors.py"
ERRORS = {
    "hyperbolic": {10.0: 5.84e-2, 50.0: 2.48e-2, 1e2: 1.67e-2, 1e3: 4.18e-3, 1e4: 9.69e-4, 1e5: 2.17e-4, 1e6: 4.76e-5},
    "stribeck": {10.0: None, 50.0: None, 1e2: None, 1e3: 1.68e-2, 1e4: 6.29e-3, 1e5: 1.90e-3, 1e6: 5.18e-4},
}
"""e by ε; None where no self-excited orbit is left."""


@pytest.fixture(scope="module")
def errors() -> ModuleType:
    """The script that prints the tables."""
    spec = importlib.util.spec_from_file_location("papers_errors", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["papers_errors"] = module
    spec.loader.exec_module(module)
    return module


def on_orbit(law: str, exact: xr.Dataset, eps: float, t: float) -> xr.Dataset:
    """The smoothed system, integrated by Taylor series from the exact orbit on."""
    cycle = ss.last_cycle(exact, "block")
    start = dict(zip(cycle.states, cycle.samples[0].tolist(), strict=True))
    return ss.simulate(ss.models.block_and_pendulum(law).smoothed(eps), t=t, start=start)


def test_orbits_of_figure_10(errors):
    assert ss.last_cycle(errors.exact_cycle("hyperbolic"), "block").period == pytest.approx(1.0192966810, abs=1e-9)
    assert ss.last_cycle(errors.exact_cycle("stribeck"), "block").period == pytest.approx(1.0111155032, abs=1e-9)


@pytest.mark.parametrize("eps", [pytest.param(10.0, marks=pytest.mark.nightly), 1e2])
def test_errors_of_mildly_smoothed_orbits(errors, eps):
    exact = errors.exact_cycle("hyperbolic")
    run = on_orbit("hyperbolic", exact, eps, 250)
    e = ss.orbit_error(run, exact, "block", states=("x.block", "v.block"), period=False)
    assert e == pytest.approx(ERRORS["hyperbolic"][eps], rel=5e-3)


def test_arctan_may_erase_the_peak_and_the_orbit(errors):
    """c = 10, ε = 100: friction nowhere falls with the slip speed, and the motion dies out."""
    v = np.geomspace(1e-5, 10, 10000)
    friction = (0.4 * np.exp(-v / 0.01) + 0.6) * 2 / np.pi * np.arctan(1e2 * v)
    assert np.all(np.diff(friction) > 0)
    run = on_orbit("stribeck", errors.exact_cycle("stribeck"), 1e2, 1000)
    x, time = run["x.block"].values, run.time.values
    early, late = (np.ptp(x[(time > end - 20) & (time <= end)]) for end in (250, 1000))
    assert late < 0.5 * early


@pytest.mark.nightly
@pytest.mark.parametrize("law", ERRORS)
def test_table_on_the_orbits_of_figure_10(errors, law):
    exact = errors.exact_cycle(law)
    found = {eps: errors.block_and_pendulum(law, eps, exact) for eps in errors.EPSILONS}
    for eps, e in ERRORS[law].items():
        assert found[eps] is None if e is None else found[eps] == pytest.approx(e, rel=1e-2)
    numbers = [e for e in found.values() if e is not None]
    assert all(later < earlier for earlier, later in pairwise(numbers))
