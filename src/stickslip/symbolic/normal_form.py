"""Second and third derivatives of the conditions of rest: what decides how an equilibrium loses its stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from stickslip.symbolic.balance import Conditions, function_text, slopes_of
from stickslip.symbolic.equations import Equations, Table

Entry = tuple[tuple[int, ...], sympy.Expr]
"""Where a derivative belongs, and what it is."""


def forms_source(equations: Equations) -> str:
    """Source of `forms`: second and third derivatives, as lists of those that are not zero.

    `B_AT` holds (row, unknown, unknown), `C_AT` (row, unknown, unknown, unknown), each combination once, and `P_AT`
    (row, unknown, parameter). `KNOWN` is False where a tabulated law has no such derivatives.
    """
    conditions = Conditions(equations)
    if any(x.has(Table) for x in conditions.rows):
        return "KNOWN = False\n"
    second: list[Entry] = []
    third: list[Entry] = []
    mixed: list[Entry] = []
    for i, row in enumerate(conditions.rows):
        second += [((i, *at), x) for at, x in _repeated(row, conditions.unknowns, 2)]
        third += [((i, *at), x) for at, x in _repeated(row, conditions.unknowns, 3)]
        for (j,), x in _repeated(row, conditions.unknowns, 1):
            mixed += [((i, j, k), y) for k, y in slopes_of(x, equations.parameters)]
    lists: dict[str, list[Entry]] = {"B": second, "C": third, "P": mixed}
    targets = [(f"{name}[{m}]", x) for name, entries in lists.items() for m, (_, x) in enumerate(entries)]
    widths = {"B": 3, "C": 4, "P": 3}
    constants = [
        f"{name}_AT = np.array({[list(at) for at, _ in entries]}, np.int64).reshape(-1, {widths[name]})"
        for name, entries in lists.items()
    ]
    body = function_text("forms", "B, C, P", "Derivatives in the order of B_AT, C_AT, P_AT.", conditions, targets)
    return "\n".join(["KNOWN = True", *constants, *body])


def _repeated(expression: sympy.Expr, symbols: Sequence[sympy.Symbol], order: int) -> Iterator[Entry]:
    """Derivatives of an order that are not zero, every combination of symbols once, each from one of lower order."""
    if order == 0:
        yield (), expression
        return
    for at, x in _repeated(expression, symbols, order - 1):
        first = at[-1] if at else 0
        for j, y in slopes_of(x, symbols[first:]):
            yield (*at, first + j), y
