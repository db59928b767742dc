"""The conditions of rest as source: what must vanish at an equilibrium, with its first derivatives.

The unknowns are y = (z, λ). What must vanish are the rates ż = f + G λ and, for contacts that stick, the sliding
velocities v = h. In slip λ = −s R(s v) replaces the unknown, in stick λ stays one: with `held` = 1 in stick and 0 in
slip, λ = held·force − s R. So one source serves every mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.frozen import sign_of
from stickslip.symbolic.jacobian import table_constants
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import assignments, indented

Target = tuple[str, sympy.Expr]


class Conditions:
    """What must vanish at an equilibrium, in symbols: rates first, then sliding velocities."""

    def __init__(self, equations: Equations) -> None:
        e = self.equations = equations
        contacts = range(len(e.h))
        self.forces = tuple(sympy.Symbol(f"_force{i}", real=True) for i in contacts)
        self.signs = tuple(sign_of(i) for i in contacts)
        self.held = tuple(sympy.Symbol(f"_held{i}", real=True) for i in contacts)
        speeds = {u: s * h for u, s, h in zip(e.speeds, self.signs, e.h, strict=True)}
        self.kinetic = tuple(r.xreplace(speeds) for r in e.R)
        friction = [
            held * force - s * r
            for held, force, s, r in zip(self.held, self.forces, self.signs, self.kinetic, strict=True)
        ]
        rates = [f + sum(g * x for g, x in zip(row, friction, strict=True)) for f, row in zip(e.f, e.G, strict=True)]
        self.rows = (*rates, *e.h)
        self.unknowns = (*e.states, *self.forces)

    def known(self, targets: Iterable[Target]) -> list[str]:
        """Lines that name the symbols that occur in `targets`."""
        e = self.equations
        free = set().union(*(x.free_symbols for _, x in targets))
        lines = [f"{TIME} = 0.0"] if TIME in free else []
        lines += [f"{x} = z[{i}]" for i, x in enumerate(e.states) if x in free]
        lines += [f"{x} = force[{i}]" for i, x in enumerate(self.forces) if x in free]
        lines += [f"{x} = p[{i}]" for i, x in enumerate(e.parameters) if x in free]
        lines += [f"{x} = float(s[{i}])" for i, x in enumerate(self.signs) if x in free]
        return lines + [f"{x} = 1.0 - abs(float(s[{i}]))" for i, x in enumerate(self.held) if x in free]


def balance_source(equations: Equations) -> str:
    """Source of `values` and `slopes`: the conditions of rest and their first derivatives.

    Where time appears in the equations nothing can rest, unless its amplitude is zero: then any time will do.
    """
    conditions = Conditions(equations)
    e = equations
    values = [(f"F[{i}]", x) for i, x in enumerate(conditions.rows)]
    values += [(f"R[{i}]", x) for i, x in enumerate(conditions.kinetic)]
    values += [(f"S[{i}]", x) for i, x in enumerate(e.S)]
    values += [(f"N[{i}]", x) for i, x in enumerate(e.normal)]
    slopes = list(_first("F_y", conditions.rows, conditions.unknowns))
    slopes += _first("F_p", conditions.rows, e.parameters)
    slopes += _first("S_z", e.S, e.states)
    lines = table_constants(equations)
    lines += function_text("values", "F, R, S, N", "Rates and sliding velocities; R, S, normal.", conditions, values)
    lines += function_text("slopes", "F_y, F_p, S_z", "By unknowns and by parameters.", conditions, slopes)
    return "\n".join(lines)


def function_text(name: str, out: str, text: str, conditions: Conditions, targets: Sequence[Target]) -> list[str]:
    """A function that fills arrays with those targets that are not zero."""
    present = [(target, x) for target, x in targets if x != 0]
    lines = [*conditions.known(present), *(assignments(present) if present else ["pass"])]
    return ["", "", f"def {name}(z, force, p, s, {out}):", f'    """{text}"""', *indented(lines), ""]


def _first(name: str, rows: Sequence[sympy.Expr], symbols: Sequence[sympy.Symbol]) -> Iterator[Target]:
    for i, row in enumerate(rows):
        yield from ((f"{name}[{i}, {j}]", x) for j, x in slopes_of(row, symbols))


def slopes_of(expression: sympy.Expr, symbols: Sequence[sympy.Symbol]) -> Iterator[tuple[int, sympy.Expr]]:
    """Derivatives that are not zero, by the symbols that occur."""
    free = expression.free_symbols
    for j, symbol in enumerate(symbols):
        if symbol in free:
            x = sympy.diff(expression, symbol)
            if x != 0:
                yield j, x
