"""The period of the excitation of a model, found in its equations."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import reduce

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.source import python

NO_FORCING, NOT_PERIODIC = sympy.Integer(0), sympy.Integer(-1)


def forcing_period(equations: Equations) -> sympy.Expr:
    """2π/ω as an expression in the parameters; 0 where time does not matter, −1 where no period is known.

    Time must appear in sines and cosines of ωt + φ only, and all ω must be whole multiples of one.
    """
    e = equations
    expressions = [*e.f, *e.h, *e.R, *e.S, *e.normal, *(x for row in e.G for x in row)]
    timed = [x for x in expressions if TIME in x.free_symbols]
    if not timed:
        return NO_FORCING
    frequencies: list[sympy.Expr] = []
    for x in timed:
        found = _frequencies(x)
        if found is None:
            return NOT_PERIODIC
        frequencies += found
    base = _common(frequencies)
    return NOT_PERIODIC if base is None else 2 * sympy.pi / base


def period_source(equations: Equations) -> str:
    """The same as a function of the list of parameters, in plain Python.

    Where that can be done with the same bits, `forcings` takes arrays, one for each parameter.
    """
    period = forcing_period(equations)
    formula = python(period)
    known = [f"    {x} = p[{i}]" for i, x in enumerate(equations.parameters) if x in period.free_symbols]
    text = '    """The period of the excitation; 0: none, -1: it is not periodic."""'
    lines = ["def forcing(p):", text, *known, f"    return float({formula})"]
    if _is_arithmetic(formula):
        lines += ["", "", "def forcings(p):", text, *known, f"    return {formula}"]
    return "\n".join(lines) + "\n"


def _is_arithmetic(formula: str) -> bool:
    """Whether a formula has sums, products and quotients alone: of arrays and of numbers these have the same bits.

    >>> _is_arithmetic("2*pi/(a + b)"), _is_arithmetic("2*pi/sqrt(a)"), _is_arithmetic("a**1.5")
    (True, False, False)
    """
    return all(isinstance(node, _ARITHMETIC) for node in ast.walk(ast.parse(formula, mode="eval")))


_ARITHMETIC = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.USub,
)  # fmt: skip


def _frequencies(expression: sympy.Expr) -> list[sympy.Expr] | None:
    """ω of every sine and cosine of time; None where time appears otherwise."""
    found: list[sympy.Expr] = []
    for wave in expression.atoms(sympy.sin, sympy.cos):
        if TIME not in wave.free_symbols:
            continue
        omega = sympy.diff(wave.args[0], TIME)
        if not _is_constant(omega, expression) or TIME in omega.free_symbols:
            return None
        found.append(omega)
        expression = expression.xreplace({wave: sympy.Dummy(real=True)})
    return None if TIME in expression.free_symbols else found


def _is_constant(omega: sympy.Expr, expression: sympy.Expr) -> bool:
    return not omega.has(sympy.Function) and not any(str(x).startswith("speed_") for x in omega.free_symbols)


def _common(frequencies: Iterable[sympy.Expr]) -> sympy.Expr | None:
    """The largest frequency of which all are whole multiples."""
    first, *others = frequencies
    ratios = [sympy.nsimplify(sympy.simplify(omega / first), rational=True) for omega in others]
    if not all(ratio.is_Rational for ratio in ratios):
        return None
    share = reduce(_rational_gcd, ratios, sympy.Rational(1))
    return first * share


def _rational_gcd(a: sympy.Rational, b: sympy.Rational) -> sympy.Rational:
    return sympy.Rational(sympy.igcd(a.p * b.q, b.p * a.q), a.q * b.q)
