"""Expressions as plain Python: the text of generated modules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import sympy
from sympy.printing.pycode import PythonCodePrinter

from stickslip.symbolic.equations import Equations, Table, TableSlope
from stickslip.symbolic.rounding import Magnitude
from stickslip.symbolic.wave import Wave


class Printer(PythonCodePrinter):  # type: ignore[misc]
    """Expressions as plain Python with the functions of `math`."""

    def __init__(self) -> None:
        super().__init__({"fully_qualified_modules": False, "allow_unknown_functions": True})

    def _print_Table(self, e: Table) -> str:
        number = int(e.args[0])
        return f"table_value(TABLE{number}, ROWS{number}, {self._print(e.args[1])})"

    def _print_Magnitude(self, e: Magnitude) -> str:
        return f"abs({self._print(e.args[0])})"

    def _print_Wave(self, e: Wave) -> str:
        turned, rate, phase, time = e.args
        name = "wave_cosine" if turned == 1 else "wave_sine"
        return f"{name}({self._print(rate)}, {self._print(phase)}, {self._print(time)}, trajectory.late)"

    def _print_TableSlope(self, e: TableSlope) -> str:
        number = int(e.args[0])
        return f"table_slope(TABLE{number}, ROWS{number}, {self._print(e.args[1])})"

    def _print_sign(self, e: sympy.Expr) -> str:
        argument = self._print(e.args[0])
        return f"(0.0 if {argument} == 0 else copysign(1.0, {argument}))"

    def _print_Heaviside(self, e: sympy.Expr) -> str:
        return f"(1.0 if {self._print(e.args[0])} >= 0 else 0.0)"  # from the derivative of min and max

    def _print_DiracDelta(self, e: sympy.Expr) -> str:
        return "0.0"  # from the derivative of a sign: zero wherever that exists

    def _nested(self, name: str, arguments: Sequence[sympy.Expr]) -> str:
        first, *rest = arguments
        return f"{name}({self._print(first)}, {self._nested(name, rest)})" if rest else str(self._print(first))

    def _print_Max(self, e: sympy.Expr) -> str:
        return self._nested("max", e.args)

    def _print_Min(self, e: sympy.Expr) -> str:
        return self._nested("min", e.args)

    def _print_Integer(self, e: sympy.Expr) -> str:
        return str(int(e))

    def _print_Pow(self, e: sympy.Expr, rational: bool = False) -> str:
        if e.exp.is_Integer and -4 <= e.exp <= 4 and e.base.is_Symbol:
            product = "*".join([self._print(e.base)] * abs(int(e.exp)))
            return f"({product})" if e.exp > 0 else f"(1.0/({product}))"
        return str(super()._print_Pow(e, rational=rational))


def python(expression: sympy.Expr) -> str:
    """An expression as source text."""
    return str(Printer().doprint(expression))


def indented(lines: Iterable[str], by: int = 1) -> list[str]:
    return [f"{'    ' * by}{line}" if line else "" for line in lines]


def assignments(targets: Sequence[tuple[str, sympy.Expr]]) -> list[str]:
    """Assignments with common subexpressions computed once."""
    names = (sympy.Symbol(f"_c{i}") for i in itertools.count())
    shared, reduced = sympy.cse([e for _, e in targets], symbols=names, order="none")
    lines = [f"{name} = {python(e)}" for name, e in shared]
    return lines + [f"{target} = {python(e)}" for (target, _), e in zip(targets, reduced, strict=True)]


def table_rows(equations: Equations, number: int) -> list[float]:
    """A tabulated law as it lies in memory: start, end, c0, c1, c2, c3 of every interval."""
    table = equations.tables[number]
    ends = [*table.speeds[1:], 1e300]
    rows = zip(table.speeds, ends, table.cubics, strict=True)
    return [x for start, end, cubic in rows for x in (start, end, *cubic)]


def grouped(text: str) -> str:
    """A text in parentheses, where it has several terms."""
    return f"({text})" if " " in text else text
