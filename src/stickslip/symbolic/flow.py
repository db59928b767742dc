"""The smoothed equations of a model as source for a stiff solver: rates, their Jacobian, and what the contacts do.

The solver's variables y are the states z, but for each contact one velocity is exchanged for the sliding velocity
itself, so that v = h(z) is exact however steep the smoothing is: belt speed minus velocity would cancel.

All functions take the array P: parameters, then ε. Names in capitals belong to no model. `kernels/flow.py` says what
the source provides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.jacobian import table_constants
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import assignments, indented
from stickslip.symbolic.smoothing import smooth_force

EPS = sympy.Symbol("_eps", real=True)
SPEED = sympy.Symbol("_speed", real=True)
IMPORTS = """\
from math import atan, copysign, cos, cosh, exp, log, pi, sin, sinh, sqrt, tan, tanh

import numpy as np

from stickslip.kernels.records import Floats
from stickslip.kernels.tables import table_slope, table_value
"""


@dataclass(frozen=True)
class _Exchange:
    """New variables for old: `forward` is y(z, t), `back` is z(y, t), both under the names of the states."""

    forward: tuple[sympy.Expr, ...]
    back: dict[sympy.Symbol, sympy.Expr]


def _exchange(equations: Equations) -> _Exchange:
    """Take the sliding velocity of each contact for one of the states that it is linear in."""
    forward = dict(zip(equations.states, equations.states, strict=True))
    back: dict[sympy.Symbol, sympy.Expr] = {}
    for h in equations.h:
        rest = h.xreplace(back)
        pivot = _pivot(rest, equations.states, back)
        if pivot is None:
            continue
        weight = sympy.diff(rest, pivot)
        solved = sympy.expand((pivot - (rest - weight * pivot)) / weight)
        back = {state: sympy.expand(e.xreplace({pivot: solved})) for state, e in back.items()} | {pivot: solved}
        forward[pivot] = h
    return _Exchange(tuple(forward.values()), back)


def _pivot(h: sympy.Expr, states: Sequence[sympy.Symbol], taken: dict[sympy.Symbol, sympy.Expr]) -> sympy.Symbol | None:
    for state in states:
        if state in taken or state not in h.free_symbols:
            continue
        if sympy.diff(h, state).is_number:
            return state
    return None


class Flow:
    """The source of one model with one shape."""

    def __init__(self, equations: Equations, shape: str) -> None:
        e = self.equations = equations
        exchange = self.exchange = _exchange(e)
        at_rest = [r.xreplace({u: sympy.Float(0)}) for r, u in zip(e.R, e.speeds, strict=True)]
        force = [
            smooth_force(shape, h, EPS, (r, u), s, r0)
            for h, r, u, s, r0 in zip(e.h, e.R, e.speeds, e.S, at_rest, strict=True)
        ]
        rates = [f + sum(g * x for g, x in zip(row, force, strict=True)) for f, row in zip(e.f, e.G, strict=True)]
        changing = [self._rate(y, rates) for y in exchange.forward]
        self.rates = [self._inside(rate) for rate in changing]
        self.observed = [
            *(self._inside(z) for z in e.states),
            *(self._inside(x) for x in (*e.h, *force)),
            *(self._inside(r.xreplace({u: sympy.Abs(h)})) for r, u, h in zip(e.R, e.speeds, e.h, strict=True)),
            *(self._inside(normal) for normal in e.normal),
        ]
        # As seen from v < 0, the side on which every shape describes the contact.
        curves = [
            smooth_force(shape, -SPEED, EPS, (r, u), s, r0)
            for r, u, s, r0 in zip(e.R, e.speeds, e.S, at_rest, strict=True)
        ]
        self.characteristics = [self._inside(x) for x in (*curves, *e.S, *at_rest)]

    def _rate(self, y: sympy.Expr, rates: Sequence[sympy.Expr]) -> sympy.Expr:
        """dy/dt of a variable y(z, t)."""
        free = y.free_symbols
        steps = zip(self.equations.states, rates, strict=True)
        return sympy.Add(*(sympy.diff(y, z) * rate for z, rate in steps if z in free)) + sympy.diff(y, TIME)

    def _inside(self, expression: sympy.Expr) -> sympy.Expr:
        """An expression in the solver's variables."""
        return expression.xreplace(self.exchange.back)

    def source(self) -> str:
        """The text of all functions that a solver of SciPy needs."""
        e, n = self.equations, len(self.equations.states)
        slopes = [
            (f"OUT[{i * n + j}]", sympy.diff(rate, z))
            for i, rate in enumerate(self.rates)
            for j, z in enumerate(e.states)
            if z in rate.free_symbols
        ]
        outputs = [(f"OUT[ROW * {len(self.observed)} + {i}]", x) for i, x in enumerate(self.observed)]
        parts = [
            IMPORTS,
            f"STATES = {n}\nPARAMETERS = {len(e.parameters)}",
            f"SLIDING = np.array({[int(z in self.exchange.back) for z in e.states]})",
            *table_constants(e),
            self._function("rates", "dy/dt.", _listed(self.rates)),
            self._function("slopes", "∂(dy/dt)/∂y, row by row, where it is not zero.", slopes),
            self._function("exchanged", "The solver's variables y of states z.", _listed(self.exchange.forward)),
            self._function("exchange_slopes", "∂y/∂z, row by row, where it is not zero.", self._exchange_slopes()),
            self._function("characteristics", "Friction at a speed, static, at rest.", _listed(self.characteristics)),
            self._rows("observed", "States, sliding velocities, forces, kinetic friction, normal forces.", outputs),
        ]  # fmt: skip
        return "\n\n".join(parts) + "\n"

    def stiff_source(self) -> str:
        """The same with what `kernels/stiff.py` needs beyond that: derivatives by the parameters."""
        columns = (*self.equations.parameters, EPS, TIME)
        slopes = [
            (f"OUT[{i * len(columns) + j}]", sympy.diff(rate, p))
            for i, rate in enumerate(self.rates)
            for j, p in enumerate(columns)
            if p in rate.free_symbols
        ]
        about = "∂(dy/dt)/∂(parameters, ε, t), row by row, where it is not zero."
        return f"{self.source()}\n\n{self._function('slopes_p', about, slopes)}\n"

    def _exchange_slopes(self) -> list[tuple[str, sympy.Expr]]:
        states = self.equations.states
        slopes = [[sympy.diff(y, z) for z in states] for y in self.exchange.forward]
        places = ((i * len(states) + j, x) for i, row in enumerate(slopes) for j, x in enumerate(row))
        return [(f"OUT[{place}]", x) for place, x in places if x != 0]

    def _function(self, name: str, about: str, targets: list[tuple[str, sympy.Expr]]) -> str:
        speed = ", _speed: float" if name == "characteristics" else ""
        lines = [*self._unpacked(targets, "Y[{}]"), *assignments(targets)]
        head = f"def {name}(Y: Floats, {TIME}: float{speed}, P: Floats, OUT: Floats) -> None:"
        return "\n".join([head, f'    """{about}"""', *indented(lines)])

    def _rows(self, name: str, about: str, targets: list[tuple[str, sympy.Expr]]) -> str:
        """The same for many points at once."""
        n = len(self.equations.states)
        lines = [f"{TIME} = TIMES[ROW]", *self._unpacked(targets, f"Y[ROW * {n} + {{}}]"), *assignments(targets)]
        head = f"def {name}(Y: Floats, TIMES: Floats, COUNT: int, P: Floats, OUT: Floats) -> None:"
        return "\n".join([head, f'    """{about}"""', "    for ROW in range(COUNT):", *indented(lines, 2)])

    def _unpacked(self, targets: list[tuple[str, sympy.Expr]], place: str) -> list[str]:
        free = set().union(*(x.free_symbols for _, x in targets))
        lines = [f"{z} = {place.format(i)}" for i, z in enumerate(self.equations.states) if z in free]
        constants = (*self.equations.parameters, EPS)
        return lines + [f"{p} = P[{i}]" for i, p in enumerate(constants) if p in free]


def _listed(expressions: Sequence[sympy.Expr]) -> list[tuple[str, sympy.Expr]]:
    return [(f"OUT[{i}]", x) for i, x in enumerate(expressions)]


def smooth_source(equations: Equations, shape: str) -> str:
    """What solvers of SciPy need of the smoothed equations: see `kernels/flow.py`."""
    return Flow(equations, shape).source()


def stiff_source(equations: Equations, shape: str) -> str:
    """What `kernels/stiff.py` needs of them."""
    return Flow(equations, shape).stiff_source()
