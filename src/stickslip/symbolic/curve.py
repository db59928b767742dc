"""Curves y = f(x; p) from plain functions: values and derivatives with respect to the parameters, for whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from stickslip.arrays import Floats
from stickslip.symbolic.trace import trace


@dataclass(frozen=True)
class TracedCurve:
    """A curve with its exact derivatives.

    `linear` are parameters that enter linearly, all of them at once; `unseen` are those that do not enter at all.
    """

    value: Callable[[Floats, Floats], Floats]
    gradient: Callable[[Floats, Floats], Floats]
    linear: tuple[str, ...]
    unseen: tuple[str, ...]


def traced_curve(function: Callable[..., Any], variable: str, names: Sequence[str], what: str) -> TracedCurve:
    """The curve that `function` of `variable` computes, with the parameters `names`.

    >>> curve = traced_curve(lambda v, mu, delta: mu / (1 + delta * v), "v", ["mu", "delta"], "the law")
    >>> curve.gradient(np.array([1.0]), np.array([1.0, 3.0])).tolist(), curve.linear
    ([[0.25, -0.0625]], ('mu',))
    """
    # The names of a user may be words of numpy: the symbols have their own.
    x = sympy.Symbol("_x", real=True)
    symbols = [sympy.Symbol(f"_p{i}", real=True) for i in range(len(names))]
    expression = trace(function, {variable: x, **dict(zip(names, symbols, strict=True))}, what)
    slopes = [sympy.diff(expression, p) for p in symbols]
    return TracedCurve(
        _vectorised(x, symbols, [expression], squeeze=True),
        _vectorised(x, symbols, slopes, squeeze=False),
        tuple(name for name, p in zip(names, symbols, strict=True) if p in _linear(slopes, symbols)),
        tuple(name for name, slope in zip(names, slopes, strict=True) if slope == 0),
    )


def _linear(slopes: Sequence[Any], symbols: Sequence[Any]) -> list[Any]:
    """Parameters on which no slope with respect to any of them depends."""
    chosen: list[Any] = []
    for p, slope in zip(symbols, slopes, strict=True):
        if slope != 0 and not slope.free_symbols & {p, *chosen}:
            chosen.append(p)
    return chosen


def _vectorised(x: Any, symbols: Sequence[Any], rows: Sequence[Any], squeeze: bool) -> Callable[[Floats, Floats], Any]:
    code = sympy.lambdify([x, *symbols], list(rows), "numpy", cse=True)

    def evaluate(at: Floats, p: Floats) -> Floats:
        with np.errstate(all="ignore"):  # a fit may pass where the formula has no value: it turns back from there
            found = [np.broadcast_to(np.asarray(row, float), at.shape) for row in code(at, *p)]
        return found[0].copy() if squeeze else np.column_stack(found) if found else np.zeros((len(at), 0))

    return evaluate
