"""Waves: sine and cosine of an angle that grows evenly with time.

As time grows, the product ω t loses digits: at t = 10⁷ it is off by 10⁻⁹. So these have a form of their own, by which
they are computed from a time in two parts (`kernels/clock.py`).
"""

from __future__ import annotations

import sympy

from stickslip.symbolic.memory import TIME


class Wave(sympy.Function):  # type: ignore[misc]
    """Wave(turned, rate, phase, t): sin(rate·t + phase), or its cosine where `turned` is one."""

    nargs = 4


def with_waves(expression: sympy.Expr) -> sympy.Expr:
    """An expression in which every sine and cosine of an evenly growing angle is a `Wave`.

    >>> w = sympy.Symbol("w", real=True)
    >>> with_waves(2 * sympy.cos(w * TIME + 1))
    2*Wave(1, w, 1, t)
    """
    if TIME not in expression.free_symbols or not expression.has(sympy.sin, sympy.cos):
        return expression
    return expression.replace(_is_wave, _wave)


def _is_wave(e: sympy.Expr) -> bool:
    if not isinstance(e, sympy.sin | sympy.cos):
        return False
    rate = e.args[0].diff(TIME)
    return rate != 0 and TIME not in rate.free_symbols and _is_fixed(rate) and _is_fixed(e.args[0].subs(TIME, 0))


def _is_fixed(e: sympy.Expr) -> bool:
    """Whether an expression is made of parameters and numbers alone."""
    return not e.has(sympy.Function)


def _wave(e: sympy.Expr) -> sympy.Expr:
    angle = e.args[0]
    return Wave(sympy.Integer(int(isinstance(e, sympy.cos))), angle.diff(TIME), angle.subs(TIME, 0), TIME)
