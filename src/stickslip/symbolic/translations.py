"""Shifts of the states that the equations do not feel: how a motion may advance and yet repeat itself.

Along a slide that is fed evenly nothing depends on where it is, if the time is shifted with it: f(z + w s, t + s) =
f(z, t) for every s, and likewise for G, h, R, S. Then z − w t has equations without that time, and its orbits are
motions that advance by w T in a period T. A mass that nothing ties to a place may be shifted by any part of some d at
any time. An angle that appears in sines and cosines alone may be shifted by whole turns.

The vectors w and d are those with Σ ∂E/∂zⱼ wⱼ + ∂E/∂t = 0 (without the last term for d) for every ingredient E. Each
derivative is a sum of products of functions of states and time, with coefficients in the parameters; the sums vanish
where those of all coefficients of equal functions do, which is a linear system for w. Sines and cosines of time have
periods, which `period.py` finds: they count as constants here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

import sympy
from sympy.polys.matrices import DomainMatrix

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.period import exact, expressions, function_source, period_source
from stickslip.symbolic.printing import python

MOST_STATES, MOST_OPERATIONS = 60, 20_000
"""Larger models are not looked at."""

FEW = 5
"""States, and time, for which the equations of a shift are solved with all parameters as symbols."""

Vector = tuple[sympy.Expr, ...]
Exprs = Sequence[sympy.Expr]
Symbols = Sequence[sympy.Symbol]
Known = frozenset[sympy.Symbol]


@dataclass(frozen=True)
class Shifts:
    """`moving`: w, where the equations need one; `free`: all d; `turns`: shifts by whole turns."""

    moving: Vector
    free: tuple[Vector, ...]
    turns: tuple[Vector, ...]


def translation_source(equations: Equations) -> str:
    """The shifts of a model as functions of its parameters, and the waves in the equations of what is left."""
    shifts = shifts_of(equations)
    known = [f"    {x} = p[{i}]" for i, x in enumerate(equations.parameters)]
    slopes = [_list(python(sympy.diff(w, p)) for p in equations.parameters) for w in shifts.moving]
    lines = [
        f"TIMED = {any(TIME in e.free_symbols for e in expressions(equations))}",
        *function_source("moving", "How fast states advance.", known, [python(w) for w in shifts.moving]),
        *function_source("moving_slopes", "Its derivatives by the parameters.", known, slopes),
        *function_source("free", "Shifts of any length.", known, [_list(map(python, d)) for d in shifts.free]),
        *function_source("turns", "Shifts by whole turns.", known, [_list(map(python, d)) for d in shifts.turns]),
    ]
    return period_source(_beside(equations, shifts.moving)) + "\n".join(lines) + "\n"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"


def shifts_of(equations: Equations) -> Shifts:
    """The shifts that the equations do not feel."""
    still = (sympy.Integer(0),) * len(equations.states)
    found = [exact(e) for e in [*expressions(equations), *(reset.residual for reset in equations.resets)]]
    found = list(dict.fromkeys(e for e in found if e.free_symbols & {*equations.states, TIME}))
    large = len(equations.states) > MOST_STATES or sum(int(e.count_ops()) for e in found) > MOST_OPERATIONS
    if large or equations.draws or equations.kept:
        return Shifts(still, (), ())
    found = [_without_waves(e, equations.states) for e in found]
    known = frozenset(equations.parameters)
    moving, free = _continuous(found, equations.states, known)
    return Shifts(moving or still, free, _turns(found, equations.states, known))


def _without_waves(e: sympy.Expr, states: Symbols) -> sympy.Expr:
    """An expression whose sines and cosines of an angle that grows evenly with time alone count as constants."""
    waves = [x for x in e.atoms(sympy.sin, sympy.cos) if TIME in x.free_symbols and not x.has(*states)]
    even = [x for x in waves if TIME not in sympy.diff(x.args[0], TIME).free_symbols]
    return e.xreplace({x: sympy.Symbol(f"wave[{x}]") for x in even})


def _continuous(found: Exprs, states: Symbols, known: Known) -> tuple[Vector | None, tuple[Vector, ...]]:
    """w and all d; None instead of w where there is none."""
    kernel = _kernel(found, [*states, TIME], known)
    with_time = next((v for v in kernel if v[-1] != 0), None)
    if with_time is None:
        return None, tuple(v[:-1] for v in kernel)
    moving = tuple(sympy.cancel(x / with_time[-1]) for x in with_time)
    others = [v for v in kernel if v is not with_time]
    free = [tuple(sympy.cancel(a - v[-1] * b) for a, b in zip(v, moving, strict=True)) for v in others]
    return moving[:-1], tuple(d[:-1] for d in free)


def _kernel(found: Exprs, variables: Symbols, known: Known) -> list[Vector]:
    """The directions in which no expression changes, whatever the values of all that is not known."""
    rows: dict[tuple[sympy.Expr, ...], None] = {}
    for e in found:
        parts: dict[sympy.Expr, list[sympy.Expr]] = {}
        for j, x in enumerate(variables):
            for term in sympy.Add.make_args(sympy.expand(sympy.diff(e, x))):
                coefficient, rest = term.as_independent(*(term.free_symbols - known), as_Add=False)
                row = parts.setdefault(rest, [sympy.Integer(0)] * len(variables))
                row[j] += coefficient
        rows |= dict.fromkeys(tuple(row) for row in parts.values() if any(row))
    if not rows:
        return [tuple(map(sympy.Integer, row)) for row in sympy.eye(len(variables)).tolist()]
    one, other = (_at_numbers(list(rows), known, seed) for seed in (0, 1))
    if not one or len(one) != len(other):
        return []
    if len(variables) > FEW:  # elimination with so many parameters takes too long
        return [v for v in (_named(*pair, list(rows)) for pair in zip(one, other, strict=True)) if v is not None]
    matrix = DomainMatrix.from_Matrix(sympy.Matrix([list(row) for row in rows])).to_field()
    return [tuple(map(sympy.cancel, row)) for row in matrix.nullspace().to_Matrix().tolist()]


def _at_numbers(rows: Sequence[Vector], known: Known, seed: int) -> list[Vector]:
    """The same for parameters that are some fractions: most models have no such direction, which this tells soon."""
    numbers = {p: sympy.Rational(101 + 37 * i + 11 * seed, 89 + 7 * i) for i, p in enumerate(sorted(known, key=str))}
    values = [[x.xreplace(numbers) for x in row] for row in rows]
    if not all(x.is_Rational for row in values for x in row):
        return []
    return [tuple(v) for v in sympy.Matrix(values).nullspace()]


def _named(one: Vector, other: Vector, rows: Sequence[Vector]) -> Vector | None:
    """A direction from what it is for two choices of the parameters: all entries that depend on them are one and the
    same number c, which follows from one of the equations; None where it is otherwise."""
    depends = [a != b for a, b in zip(one, other, strict=True)]
    if len({a for a, changes in zip(one, depends, strict=True) if changes}) > 1:
        return None
    c = sympy.Integer(0)
    for row in rows:
        slope = sympy.cancel(sum(x for x, changes in zip(row, depends, strict=True) if changes))
        if slope != 0:
            rest = sum(x * a for x, a, changes in zip(row, one, depends, strict=True) if not changes)
            c = sympy.cancel(-rest / slope)
            break
    found = tuple(c if changes else a for a, changes in zip(one, depends, strict=True))
    holds = all(sympy.cancel(sum(x * a for x, a in zip(row, found, strict=True))) == 0 for row in rows)
    return found if holds else None


def _turns(found: Exprs, states: Symbols, known: Known) -> tuple[Vector, ...]:
    """Shifts that change sines and cosines by whole turns, and nothing else."""
    angles: set[sympy.Expr] = set()
    for e in found:
        angles |= {x.args[0] for x in e.atoms(sympy.sin, sympy.cos) if _is_angle(x.args[0], states)}
    if not angles:
        return ()
    waves = {f(a): sympy.Symbol(f"turn[{f.__name__}, {a}]") for a in angles for f in (sympy.sin, sympy.cos)}
    opaque = [e.xreplace(waves) for e in found]
    wider = _kernel([e for e in opaque if e.has(*states)], states, known)
    turned = [(d, [_slope(a, states, d) for a in angles]) for d in wider]
    steps = [(d, [x for x in slopes if x != 0]) for d, slopes in turned]
    return tuple(
        tuple(2 * sympy.pi * x / _common(slopes) for x in d)
        for d, slopes in steps
        if slopes and all(x.is_Rational for x in slopes)
    )


def _is_angle(a: sympy.Expr, states: Symbols) -> bool:
    """Whether an argument of a sine is linear in the states, with numbers for coefficients."""
    slopes = [sympy.diff(a, x) for x in states]
    return any(slopes) and all(slope.is_Rational for slope in slopes)


def _slope(a: sympy.Expr, states: Symbols, d: Vector) -> sympy.Expr:
    return sympy.cancel(sum(sympy.diff(a, x) * y for x, y in zip(states, d, strict=True)))


def _common(slopes: Sequence[sympy.Expr]) -> sympy.Rational:
    """The largest number of which all are whole multiples."""
    return sympy.Rational(gcd(*(abs(int(x.p)) for x in slopes)), lcm(*(int(x.q) for x in slopes)))


def _beside(equations: Equations, moving: Vector) -> Equations:
    """The equations of z − w t."""
    if not any(moving):
        return equations
    shift = {z: z + w * TIME for z, w in zip(equations.states, moving, strict=True)}

    def seen(e: sympy.Expr) -> sympy.Expr:
        moved = exact(e).xreplace(shift)
        return sympy.expand(moved) if TIME in moved.free_symbols else moved

    return replace(
        equations,
        f=tuple(map(seen, equations.f)),
        G=tuple(tuple(map(seen, row)) for row in equations.G),
        h=tuple(map(seen, equations.h)),
        R=tuple(map(seen, equations.R)),
        S=tuple(map(seen, equations.S)),
        normal=tuple(map(seen, equations.normal)),
        own_forces={i: (seen(a), seen(b)) for i, (a, b) in equations.own_forces.items()},
    )
