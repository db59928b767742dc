"""What the benchmarks measure with: the counter of operations, the distance between diagrams, the ends of stick."""

from __future__ import annotations

import ast
import importlib
import inspect
import operator
import re
import sys
from math import cos
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import stickslip as ss

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture(autouse=True)
def bench_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize(
    ("model", "pattern", "mode"),
    [
        (ss.models.block_on_belt(), "slip", [1]),
        (ss.models.block_on_belt(), "stick", [0]),
        (ss.models.forced_oscillator(), "slip", [-1]),
        (ss.models.two_blocks(), "slip_slip", [-1, 1]),
    ],
)
def test_operations_are_those_that_running_counts(model: ss.System, pattern: str, mode: list[int]) -> None:
    flops = module("flops")
    field = ss.Field.of(model, order=8, target="python")
    text = flops.expansions(field)[f"taylor_{pattern}"]
    assert flops.counted(text, idle=True) == flops.by_running(field, pattern, mode)
    assert 0 < flops.counted(text) <= flops.counted(text, idle=True)


def calls(text: str) -> list[tuple[str, set[str]]]:
    """The calls of public names in a script, `ss.sweep` and so on, with the arguments that they name."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and (name := re.fullmatch(r"ss\.([\w.]+)", ast.unparse(node.func))):
            found.append((name[1], {each.arg for each in node.keywords if each.arg is not None}))
    return found


def unknown(text: str) -> list[str]:
    """What a script asks of public names that they do not have."""
    wrong = []
    for name, given in calls(text):
        try:
            parameters = inspect.signature(operator.attrgetter(name)(ss)).parameters.values()
        except AttributeError:
            wrong.append(name)
            continue
        if not any(each.kind is each.VAR_KEYWORD for each in parameters):
            wrong += [f"{name}({argument}=)" for argument in sorted(given - {each.name for each in parameters})]
    return wrong


@pytest.mark.parametrize("script", sorted(BENCH.glob("*.py")), ids=lambda path: path.name)
def test_scripts_call_what_there_is(script: Path) -> None:
    """They take too long to be run here, and some need a GPU."""
    assert unknown(script.read_text(encoding="utf-8")) == []


def test_a_call_of_what_there_is_not_is_noticed() -> None:
    text = "ss.sweep(model, over, t=(1, 2), periods=(1, 2))\nss.models.no_model()\nss.simulate(model, t=3)"
    assert unknown(text) == ["sweep(t=)", "models.no_model"]


def test_operations_counted_by_hand() -> None:
    flops = module("flops")
    assert {idle: flops.counted(flops.BY_HAND, idle) for idle in (True, False)} == flops.HAND_COUNT


def test_a_point_that_is_missing_is_an_error() -> None:
    forced = module("forced")
    eta, exact = 0.5, np.array([[10.0, 1.0], [14.0, 2.0]])
    later = np.add(exact, [2 * np.pi / eta, 1e-9])
    assert forced.distances(later, exact, eta).max() == pytest.approx(1e-9, rel=1e-3)
    assert forced.distances(exact[:1], exact, eta).max() > 0.5
    assert np.isinf(forced.distances(exact[:0], exact, eta)).all()


@pytest.mark.parametrize("eta", [0.3, 1.0, 1.9, 2.1, 3.0])
def test_stick_ends_at_its_first_end(eta: float) -> None:
    stick = module("forced_stick")
    for x in np.linspace(-3.4, 3.4, 9):
        t, sign = stick.stick_ends(x, 2.0, eta, 100.0)
        clock = np.linspace(2.0, t, 2000)[:-1]
        assert (abs(x + clock - 2.0 - 0.5 * np.cos(eta * clock)) < 4.0).all()
        assert -sign * (x + t - 2.0 - 0.5 * cos(eta * t)) == pytest.approx(4.0, abs=1e-13)
