"""The smooth friction force in symbols, from the same plain functions that give it in numbers."""

from __future__ import annotations

from functools import cache

import sympy

from stickslip.model.shapes import SHAPES
from stickslip.symbolic.trace import trace

_NAMES = ("v", "eps", "kinetic", "static", "at_rest")


@cache
def _traced(shape: str) -> tuple[sympy.Expr, sympy.Expr]:
    """The coefficient of a shape, and the slip speed at which it takes the law."""
    symbols = {name: sympy.Symbol(name, real=True) for name in _NAMES}
    what = f"the shape {shape!r}"
    return (
        trace(SHAPES[shape].coefficient, symbols, what),
        trace(SHAPES[shape].speed, {"v": symbols["v"]}, what),
    )


def smooth_force(
    shape: str,
    h: sympy.Expr,
    eps: sympy.Expr,
    kinetic: tuple[sympy.Expr, sympy.Symbol],
    static: sympy.Expr,
    at_rest: sympy.Expr,
) -> sympy.Expr:
    """The force λ of a smoothed contact with sliding velocity h; `kinetic` is R and the symbol of its slip speed."""
    coefficient, speed = _traced(shape)
    v, eps_, kinetic_, static_, at_rest_ = (sympy.Symbol(name, real=True) for name in _NAMES)
    R, u = kinetic
    values = {v: h, eps_: eps, kinetic_: R.xreplace({u: speed.xreplace({v: h})}), static_: static, at_rest_: at_rest}
    return -coefficient.xreplace(values)
