"""min and max of many arguments, at a cost that does not explode.

SymPy compares every argument of `Min` and `Max` with every other and tries to simplify each difference, whenever an
expression is built anew: 39 arguments take it a minute. That is worth its time for a few; beyond, arguments are sorted,
equal ones and plain numbers put together, and no more.
"""

from __future__ import annotations

from typing import Any

import sympy

FEW = 4
"""Up to so many arguments SymPy may compare."""


class _Many:
    """What the least and the largest of many have in common."""

    kind: Any

    @classmethod
    def build(cls, arguments: tuple[Any, ...]) -> sympy.Expr:
        flat: set[sympy.Expr] = set()
        for argument in map(sympy.sympify, arguments):
            flat |= set(argument.args) if isinstance(argument, cls.kind) else {argument}
        numbers = {argument for argument in flat if argument.is_Number}
        if len(numbers) > 1:
            flat = (flat - numbers) | {cls.kind(*numbers)}
        if len(flat) <= FEW:
            return cls.kind(*flat)
        made = sympy.Expr.__new__(cls, *sympy.ordered(flat))
        made._argset = frozenset(flat)
        return made


class Min(_Many, sympy.Min):  # type: ignore[misc]
    """The least of many."""

    kind = sympy.Min

    def __new__(cls, *arguments: Any, **_: Any) -> sympy.Expr:
        return cls.build(arguments)

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        mine, others = _apart(self.args, argindex)
        return sympy.Heaviside(Min(*others) - mine)


class Max(_Many, sympy.Max):  # type: ignore[misc]
    """The largest of many."""

    kind = sympy.Max

    def __new__(cls, *arguments: Any, **_: Any) -> sympy.Expr:
        return cls.build(arguments)

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        mine, others = _apart(self.args, argindex)
        return sympy.Heaviside(mine - Max(*others))


def _apart(arguments: tuple[sympy.Expr, ...], number: int) -> tuple[sympy.Expr, list[sympy.Expr]]:
    return arguments[number - 1], [other for i, other in enumerate(arguments, 1) if i != number]
