"""Analytic derivatives of the equations with respect to states and parameters.

With λ held as a variable, ż = E(z, λ) = f + G λ and slip acceleration A(z, λ) = a + D λ. In slip λ = −s R gives dλ
directly; in stick A = 0 gives D dλ = −∂A. `kernels/jacobian.py` puts the pieces together for a mode.
"""

from __future__ import annotations

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.frozen import sign_of
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import assignments, indented, table_rows


def jacobian_source(equations: Equations) -> str:
    """Source of `derivatives`, which fills the partial derivatives at one point."""
    e = equations
    forces = [sympy.Symbol(f"_force{i}", real=True) for i in range(len(e.h))]
    signs = [sign_of(i) for i in range(len(e.h))]
    speeds = {u: s * h for u, s, h in zip(e.speeds, signs, e.h, strict=True)}
    rates = [f + sum(g * x for g, x in zip(row, forces, strict=True)) for f, row in zip(e.f, e.G, strict=True)]
    slip = [a + sum(d * x for d, x in zip(row, forces, strict=True)) for a, row in zip(e.a, e.D, strict=True)]
    targets: list[tuple[str, sympy.Expr]] = []
    quantities = {"E": rates, "A": slip, "R": [r.xreplace(speeds) for r in e.R]}
    for name, expressions in quantities.items():
        for kind, symbols in (("z", e.states), ("p", e.parameters)):
            for i, expression in enumerate(expressions):
                free = expression.free_symbols
                targets += [
                    (f"{name}_{kind}[{i}, {j}]", sympy.diff(expression, x)) for j, x in enumerate(symbols) if x in free
                ]
    targets += [(f"G[{i}, {j}]", g) for i, row in enumerate(e.G) for j, g in enumerate(row) if g != 0]
    targets += [(f"D[{i}, {j}]", d) for i, row in enumerate(e.D) for j, d in enumerate(row) if d != 0]
    targets = [(name, x) for name, x in targets if x != 0]
    free = set().union(*(x.free_symbols for _, x in targets))
    lines = [f"{x} = z[{i}]" for i, x in enumerate(e.states) if x in free]
    lines += [f"{x} = p[{i}]" for i, x in enumerate(e.parameters) if x in free]
    lines += [f"{x} = force[{i}]" for i, x in enumerate(forces) if x in free]
    lines += [f"{x} = float(s[{i}])" for i, x in enumerate(signs) if x in free]
    text = [
        *table_constants(e),
        "",
        f"def derivatives(z, {TIME}, p, s, force, E_z, E_p, A_z, A_p, R_z, R_p, G, D):",
        '    """Partial derivatives of E = f + G λ, A = a + D λ and R, and the matrices G and D."""',
        *indented(lines),
        *indented(assignments(targets)),
    ]
    return "\n".join(text) + "\n"


def table_constants(equations: Equations) -> list[str]:
    """Lines with the tabulated laws, and how many rows each has."""
    tables = [table_rows(equations, number) for number in range(len(equations.tables))]
    lines = [f"TABLE{number} = np.array({rows})" for number, rows in enumerate(tables)]
    return lines + [f"ROWS{number} = {len(rows) // 6}" for number, rows in enumerate(tables)]
