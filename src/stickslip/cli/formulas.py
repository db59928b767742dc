"""Formulas as a person writes them: `-spring_k*x_block` becomes −spring.k·x.block."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

Terms = list[tuple[int, str]]
"""The terms of a sum, each with its sign."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "≤",
    ast.Gt: ">",
    ast.GtE: "≥",
    ast.Eq: "=",
    ast.NotEq: "≠",
}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def readable(text: str, names: Mapping[str, str]) -> str:
    """The formula `text` with the user's `names` for its symbols, positive terms first.

    >>> readable("-belt_speed + v_block**2/2", {"belt_speed": "belt.speed", "v_block": "v.block"})
    'v.block²/2 − belt.speed'
    """
    return total(sorted(terms(text, names), key=lambda term: -term[0]))


def terms(text: str, names: Mapping[str, str]) -> Terms:
    """The terms of a formula in their order; none where it is zero."""
    found = _Printer(names).terms(ast.parse(text, mode="eval").body)
    return [(sign, term) for sign, term in found if term != "0"]


def total(given: Sequence[tuple[int, str]]) -> str:
    """A sum written out.

    >>> total([(-1, "k·x"), (1, "λ")])
    '−k·x + λ'
    """
    if not given:
        return "0"
    first, *others = given
    start = ("−" if first[0] < 0 else "") + first[1]
    return start + "".join(f" {'−' if sign < 0 else '+'} {term}" for sign, term in others)


def fraction(given: Sequence[tuple[int, str]], divisor: str) -> str:
    """A sum over a divisor.

    >>> fraction([(-1, "k·x"), (1, "λ")], "m")
    '(−k·x + λ)/m'
    """
    if not given:
        return "0"
    return f"({total(given)})/{divisor}" if len(given) > 1 else f"{total(given)}/{divisor}"


class _Printer:
    """Writes the syntax tree of a formula, with as few brackets as precedence allows."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def terms(self, node: ast.expr) -> Terms:
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.terms(left) + self.terms(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self.terms(left) + [(-sign, term) for sign, term in self.terms(right)]
        sign, rest = _signed(node)
        if isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Add | ast.Sub):  # −(a + b)
            return [(sign * inner, term) for inner, term in self.terms(rest)]
        return [(sign, self.write(rest, _PRODUCT))]

    def write(self, node: ast.expr, level: int = _SUM) -> str:
        """The text of a node, in brackets where it binds less tightly than `level`."""
        text, own = self._written(node)
        return text if own >= level else f"({text})"

    def _written(self, node: ast.expr) -> tuple[str, int]:
        if _signed(node)[0] < 0 or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)):
            return total(sorted(self.terms(node), key=lambda term: -term[0])), _SUM
        match node:
            case ast.Name(id=name):
                return self.names.get(name, name), _ATOM
            case ast.Constant(value=int() | float() as value):
                return f"{value:.12g}".replace("-", "−"), _ATOM
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments), _ATOM
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                return self._power(base, exponent), _POWER
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return f"{self.write(left, _PRODUCT)}·{self.write(right, _PRODUCT)}", _PRODUCT
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"{self.write(left, _PRODUCT)}/{self.write(right, _POWER)}", _PRODUCT
            case ast.Compare(left=left, ops=[operation], comparators=[right]):
                return f"{self.write(left)} {_COMPARISONS[type(operation)]} {self.write(right)}", _SUM
        return ast.unparse(node), _SUM

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        if name == "Table":  # its first argument only numbers it
            return f"table({self.write(arguments[1])})"
        if name == "abs":
            return f"|{self.write(arguments[0])}|"
        return f"{name}({', '.join(self.write(argument) for argument in arguments)})"

    def _power(self, base: ast.expr, exponent: ast.expr) -> str:
        whole = exponent.value if isinstance(exponent, ast.Constant) else None
        if isinstance(whole, int):
            return self.write(base, _ATOM) + str(whole).translate(_SUPERSCRIPTS)
        return f"{self.write(base, _ATOM)}^{self.write(exponent, _ATOM)}"


def _signed(node: ast.expr) -> tuple[int, ast.expr]:
    """The sign of a product, and the product without it: Python reads -a*b as (-a)*b."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            sign, rest = _signed(operand)
            return -sign, rest
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as operation, right=right):
            sign, rest = _signed(left)
            return sign, ast.BinOp(rest, operation, right)
    return 1, node
