"""leine1998, Sec. 5: a limit cycle by shooting, on the switch model and on the smoothed law."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

PERIOD, X_MAX = 12.00103129483, 1.13394467644
SCRIPT = Path(__file__).parents[2] / "bench" / "leine_counts.py"


@pytest.fixture(scope="module")
def counts() -> ModuleType:
    """The script that prints the comparison."""
    spec = importlib.util.spec_from_file_location("leine_counts", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["leine_counts"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def switch(counts):
    return counts.shoot(counts.SwitchFlow())


@pytest.fixture(scope="module")
def smoothed(counts):
    return counts.shoot(counts.SmoothedFlow())


def test_shooting_on_the_switch_model_finds_the_cycle(switch):
    """η = 1e-6 leaves an error of 1e-7 in T; the shooting accuracy, 1e-5, is what is left to see."""
    assert switch.period == pytest.approx(PERIOD, abs=1e-4)
    np.testing.assert_allclose(switch.start, [X_MAX, 0.0], atol=1e-5)
    assert switch.iterations <= 6


def test_monodromy_has_the_multipliers_one_and_zero(counts, switch):
    flow = counts.SwitchFlow()
    matrix = flow.monodromy(switch.start, switch.period, flow.end(switch.start, switch.period))
    np.testing.assert_allclose(sorted(np.linalg.eigvals(matrix).real), [0.0, 1.0], atol=0.15)


def test_the_smoothed_law_has_another_cycle(smoothed):
    """At ε = 1e6 its period is 0.012 short, whatever the integration."""
    assert smoothed.period - PERIOD == pytest.approx(-0.01183, abs=1e-4)


def test_the_switch_model_costs_less(switch, smoothed):
    """Printed: 1217 against 123 points, 31.7 times the operations; the counts themselves are not reproducible."""
    assert smoothed.points > 5 * switch.points
    assert smoothed.operations > 3 * switch.operations
    assert 6 * smoothed.evaluations > 3 * 2 * switch.evaluations  # numbers evaluated: six states against two


def test_the_script_prints_both(counts, capsys):
    counts.main()
    table = capsys.readouterr().out
    assert "123 points" in table and "1217 points" in table and "no target" in table
