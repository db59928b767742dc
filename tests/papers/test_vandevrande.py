"""vandevrande1999: the errors of smoothed cycles, Tables 1 and 4, to the digits printed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import stickslip as ss
from stickslip.cycles import maxima

SCRIPT = Path(__file__).parents[2] / "bench" / "papers_errors.py"


def load_script() -> ModuleType:
    """The script that prints the tables."""
    spec = importlib.util.spec_from_file_location("papers_errors", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["papers_errors"] = module
    spec.loader.exec_module(module)
    return module


errors = load_script()


@pytest.mark.parametrize("eps", errors.TABLE_1)
def test_table_1(eps):
    assert f"{errors.block_on_belt(eps):.1e}" == errors.TABLE_1[eps]


@pytest.mark.parametrize("kappa", errors.TABLE_4)
def test_table_4(kappa):
    assert f"{errors.drill_string(kappa):.1e}" == errors.TABLE_4[kappa]


def test_the_odd_quartic_is_as_good_but_not_the_same():
    """Table 4 distinguishes the printed law from its odd relative, though hardly."""
    system = ss.models.drill_string()
    run = ss.simulate(system, t=25, method=ss.Smoothing(1.0, "quartic"))
    assert ss.orbit_error(run, ss.simulate(system, t=60), "twist") == pytest.approx(0.3044, abs=5e-5)


def test_cycle_begins_at_the_maximum():
    run = ss.simulate(ss.models.block_on_belt(), t=60)
    cycle = ss.last_cycle(run, "block", points=50)
    assert cycle.period == pytest.approx(12.00103129483, abs=1e-9)
    assert cycle.samples[0] == pytest.approx([1.13394467644, 0.0], abs=1e-9)
    assert np.all(cycle.samples[:, 0] <= cycle.samples[0, 0])
    assert ss.orbit_error(run, run, "block") == 0


def test_period_of_several_maxima_is_found():
    """Two blocks out of phase at V_dr = 0.14: Fig. 5b shows a period-4 solution, four maxima of X1 each time round."""
    start = {"x.block1": 0.3, "x.block2": -0.6, "v.block1": -0.6, "v.block2": -0.6}
    run = ss.simulate(ss.models.two_blocks(v_dr=0.14), t=800, start=start)
    cycle = ss.last_cycle(run, "block1")
    inside = maxima(run, "block1")
    inside = inside[(inside > cycle.start - 1e-6) & (inside < cycle.start + cycle.period - 1e-6)]
    later = ss.interpolate(run, [cycle.start, cycle.start + cycle.period])
    assert len(inside) == 4
    for name in ("x.block1", "x.block2", "v.block2"):
        assert float(later[name][1] - later[name][0]) == pytest.approx(0, abs=1e-6)


def test_period_of_a_forced_cycle_is_a_multiple_of_the_forcing():
    """hinrichs1998: 2-periodic at η = 1.15, within three periods of the excitation."""
    cycle = ss.last_cycle(ss.simulate(ss.models.forced_oscillator("III", eta=1.15), t=700), "block")
    assert cycle.period * 1.15 / (2 * np.pi) == pytest.approx(3, abs=1e-9)


def test_runs_without_a_cycle_are_refused():
    decaying = ss.simulate(ss.models.coulomb_oscillator(), t=8)
    with pytest.raises(ss.errors.ResultError, match="has no cycle"):
        ss.last_cycle(ss.simulate(ss.models.coulomb_oscillator(), t=2), "block")
    with pytest.raises(ss.errors.ResultError, match="has not settled on a cycle"):
        ss.last_cycle(decaying, "block")
    with pytest.raises(ss.errors.ResultError, match="the run has no mass 'brick'"):
        maxima(decaying, "brick")
    with pytest.raises(ss.errors.ResultError, match=r"the run has no state 'v\.brick'"):
        belt = ss.simulate(ss.models.block_on_belt(), t=60)
        ss.orbit_error(belt, belt, "block", states=["v.brick"])
