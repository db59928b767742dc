"""What round-off leaves of an expression: the size of the terms that it is made of.

A small difference of large numbers, k (feed·t − x), is known no better than the large ones. So whether a guard is zero
is asked of its terms and not of its value: with ε for round-off, a computed e is off by a few times ε·size(e), where

    size(a + b) = size(a) + size(b)
    size(a b)   = |a| size(b) + |b| size(a)
    size(g(a))  = |g(a)| + |g′(a)| size(a)

and a number, a state or a parameter has its magnitude for size. Waves A sin(ωt + φ) are as exact as their amplitude:
their phase is reckoned with two numbers for the time (`kernels/clock.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from stickslip.symbolic.equations import Table, TableSlope
from stickslip.symbolic.extremes import Max
from stickslip.symbolic.wave import Wave


class Magnitude(sympy.Function):  # type: ignore[misc]
    """The magnitude of an expression, left as it is: SymPy's own takes powers apart into real and imaginary parts."""

    nargs = 1
    is_extended_real = True

    @classmethod
    def eval(cls, e: sympy.Expr) -> sympy.Expr | None:
        return sympy.Abs(e) if e.is_number or e.is_Symbol else None


def size(expression: sympy.Expr) -> sympy.Expr:
    """The size of the terms of an expression, itself an expression that is never negative.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> size(3 * (x - y))
    3*Abs(x) + 3*Abs(y)
    """
    e = expression
    if e.is_Number or e.is_Symbol:
        return sympy.Abs(e)
    if isinstance(e, Wave):
        return sympy.Integer(1)
    if isinstance(e, TableSlope | sympy.sign | sympy.Heaviside | sympy.DiracDelta):
        return Magnitude(e)
    if e.is_Add:
        return sympy.Add(*(size(term) for term in e.args))
    if e.is_Mul:
        return _product(e)
    if isinstance(e, sympy.Abs):
        return size(e.args[0])
    if isinstance(e, sympy.Min | sympy.Max):
        return Max(*(size(argument) for argument in e.args))
    if isinstance(e, sympy.Piecewise):
        return _choice(e)
    if isinstance(e, Table):
        return Magnitude(e) + Magnitude(TableSlope(*e.args)) * size(e.args[1])
    if e.is_Pow:
        return _power(e.base, e.exp)
    return Magnitude(e) + Magnitude(e.fdiff(1)) * size(e.args[0])


def pace(expression: sympy.Expr, rates: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """The size of what an expression changes by in unit time, where `rates` are the sizes of the rates of its symbols.

    By the same rules; of min, max and formulas by cases all branches count, since on the verge any may be in force.

    >>> x, y, v = sympy.symbols("x y v", real=True)
    >>> pace(sympy.Max(0, x - y), {x: v})
    Max(0, v)
    """
    e = expression
    if e.is_Symbol or not e.args:
        return rates.get(e, sympy.Integer(0))
    parts = [pace(argument, rates) for argument in e.args] if not isinstance(e, sympy.Piecewise) else []
    if e.is_Add:
        return sympy.Add(*parts)
    if e.is_Mul:
        others = [sympy.Mul(*(Magnitude(f) for f in e.args if f is not factor)) for factor in e.args]
        return sympy.Add(*(part * other for part, other in zip(parts, others, strict=True)))
    if isinstance(e, sympy.Abs | sympy.Min | sympy.Max):
        return Max(*parts)
    if isinstance(e, sympy.Piecewise):
        return Max(*(pace(value, rates) for value, _ in e.args))
    if isinstance(e, Wave):
        return Magnitude(e.args[1]) + parts[2]
    if isinstance(e, Table):
        return Magnitude(TableSlope(*e.args)) * parts[1]
    if isinstance(e, sympy.sign | sympy.Heaviside | sympy.DiracDelta | TableSlope):
        return sympy.Integer(0)
    if e.is_Pow:
        return Magnitude(e.exp * sympy.Pow(e.base, e.exp - 1)) * parts[0]
    return Magnitude(e.fdiff(1)) * parts[0]


def _choice(e: sympy.Piecewise) -> sympy.Expr:
    """On the verge between two formulas either may be in force; one that does not exist everywhere is not asked."""
    pieces = [(size(value), condition) for value, condition in e.args]
    partial = any(x.is_Pow and not x.exp.is_Integer for x in e.atoms(sympy.Pow)) or e.has(sympy.log)
    return sympy.Piecewise(*pieces) if partial else Max(*(value for value, _ in pieces))


def _product(e: sympy.Mul) -> sympy.Expr:
    """Numbers, states and parameters bring their magnitude; every other factor in turn its size."""
    plain = [f for f in e.args if f.is_Number or f.is_Symbol]
    others = [f for f in e.args if not (f.is_Number or f.is_Symbol)]
    magnitude = sympy.Abs(sympy.Mul(*plain))
    if not others:
        return magnitude
    terms = []
    for i, factor in enumerate(others):
        rest = sympy.Mul(*(Magnitude(other) for j, other in enumerate(others) if j != i))
        terms.append(size(factor) * rest)
    return magnitude * sympy.Add(*terms)


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """aⁿ changes by n aⁿ⁻¹ of what a does; for n < 1 the slope has no bound, so the size itself is raised."""
    whole = Magnitude(sympy.Pow(base, exponent))
    if not exponent.is_number or base.is_Symbol:
        return whole
    if 0 < exponent < 1:
        return size(base) ** exponent
    return whole + Magnitude(exponent * sympy.Pow(base, exponent - 1)) * size(base)
