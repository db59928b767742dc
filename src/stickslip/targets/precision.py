"""Single precision for the high orders of power series, in a function that is written out.

A step is as long as its last terms let it be, so the terms of high orders are small, and few digits of them matter.
They are marked by `tail(order, x)`; other numbers of which few digits matter, as `rough(x)`. From a given order on
they are rounded to single precision, and so is what is made of them: a product of which a factor is rounded is as well;
a sum with a term in double precision is not. So state and time are in double precision at all times.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Iterable, Sequence
from enum import Enum
from math import factorial

ROUNDING = 2.0**-24
"""What single precision leaves out, relative to the number."""

SPARE = 3.0
"""So many times smaller than the tolerance must rounding be."""

LOWEST = 3
"""No order below is rounded: where a contact has just been released, the first ones are all there is. Nor are they
marked, see TAIL in symbolic/lanes.py."""

NONE = 1000
"""An order beyond all: nothing is rounded."""

DECISIONS = ("any_lane", "anyone", "outnumber", "bit")
ALIKE = ("abs", "min", "max")
"""Functions that give what they are given."""


class Kind(Enum):
    """What a number is computed in; constants are written as they are needed."""

    DOUBLE = "double precision"
    SINGLE = "single precision"
    CONSTANT = "either"
    CONDITION = "true or false"


Typed = tuple[ast.expr, Kind]


def first_in_single(order: int, tolerance: float) -> int:
    """From which order on coefficients may be rounded; NONE where no one may.

    Of a wave, whose terms decrease late, term k of a step that the tolerance allows is y^k/k!, where y^p/p! is the
    tolerance for the last order p.

    >>> first_in_single(12, 1.5e-8), first_in_single(12, 1e-9), first_in_single(12, 1e-12)
    (4, 6, 7)
    """
    y = (tolerance * factorial(order)) ** (1.0 / order)
    return next((k for k in range(LOWEST, order) if SPARE * ROUNDING * y**k / factorial(k) <= tolerance), NONE)


def in_two_precisions(function: ast.FunctionDef, first: int) -> None:
    """Write the high orders of a function, from `first` on, in single precision."""
    settled: dict[str, Kind] = {}
    while True:
        writer = _Writer(first, settled)
        body = writer.block(function.body)
        found = {name: _common([settled.get(name, Kind.CONSTANT), *writer.found[name]]) for name in writer.shared}
        if found == settled:
            function.body = body
            return
        settled = found


def _common(kinds: Iterable[Kind]) -> Kind:
    """What numbers of these kinds have in common, where all must be of one."""
    found = set(kinds)
    return next((kind for kind in Kind if kind in found), Kind.CONSTANT)


class _Writer:
    """Goes through the text as it runs, and knows of every variable what it is computed in.

    A variable that is assigned in several blocks is of one kind everywhere; which one, `settled` says, and `found` is
    what it was given: double precision once, so it is everywhere.
    """

    def __init__(self, first: int, settled: dict[str, Kind]) -> None:
        self.first, self.settled = first, settled
        self.kinds: dict[str, Kind] = {}
        self.found: dict[str, set[Kind]] = {}
        self.home: dict[str, int] = {}
        self.shared: set[str] = set()
        """Variables with assignments in more than one block, see above."""
        self.rounded: ChainMap[str, str] = ChainMap()
        """Variables in single precision that hold what one in double precision is, here and in the blocks around."""
        self.changing: frozenset[str] = frozenset()
        """What a loop changes whose condition is written: each turn asks for it anew."""
        self.out: list[ast.stmt] = []
        self.blocks = 0

    # -- statements -------------------------------------------------------------------------------------------

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        outer, self.out = self.out, []
        self.blocks += 1
        number = self.blocks
        for node in nodes:
            self.statement(node, number)
        inner, self.out = self.out, outer
        return inner

    def statement(self, node: ast.stmt, block: int) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.assign(name, self.expression(value), block)
            case ast.Assign(targets=[target], value=value):
                self.out.append(ast.Assign([target], self.to(self.expression(value), Kind.DOUBLE)))
            case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
                self.branch(node, test, body, orelse)
            case ast.Return(value=ast.expr() as value):
                self.out.append(ast.Return(self.expression(value)[0]))
            case _:
                self.out.append(node)

    def assign(self, name: str, typed: Typed, block: int) -> None:
        kind = self.settled.get(name, typed[1])
        kind = Kind.DOUBLE if kind is Kind.CONSTANT else kind
        value = self.to(typed, kind)
        self.found.setdefault(name, set()).add(typed[1])
        if self.home.setdefault(name, block) != block:
            self.shared.add(name)
        self.kinds[name] = kind
        self.forget([name])
        self.out.append(ast.Assign([ast.Name(name, ast.Store())], value))

    def branch(self, node: ast.stmt, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        stored = [n for part in (*body, *orelse) for n in ast.walk(part) if isinstance(n, ast.Name)]
        assigned = [n.id for n in stored if isinstance(n.ctx, ast.Store)]
        if isinstance(node, ast.While):  # what is rounded before the first turn may have changed in the next
            self.forget(assigned)
            self.changing = frozenset(assigned)
        condition = self.expression(test)[0]
        self.changing = frozenset()
        written = []
        for part in (body, orelse):
            self.rounded = self.rounded.new_child()
            written.append(self.block(part))
            self.rounded = self.rounded.parents
        self.forget(assigned)
        made = ast.While if isinstance(node, ast.While) else ast.If
        self.out.append(made(condition, *written))

    def forget(self, names: Iterable[str]) -> None:
        for name in names:
            for known in self.rounded.maps:
                known.pop(name, None)

    # -- numbers ----------------------------------------------------------------------------------------------

    def to(self, typed: Typed, kind: Kind) -> ast.expr:
        value, present = typed
        if kind is Kind.SINGLE and present is not Kind.SINGLE:
            return self.single(value)
        return _call("float64", value) if kind is Kind.DOUBLE and present is Kind.SINGLE else value

    def single(self, value: ast.expr) -> ast.expr:
        """A number rounded to single precision; a variable once, however often that is wanted."""
        if not isinstance(value, ast.Name) or value.id in self.changing:
            return _call("float32", value)
        if value.id not in self.rounded:
            name = f"single_{value.id}"
            self.out.append(ast.Assign([ast.Name(name, ast.Store())], _call("float32", value)))
            self.rounded[value.id] = name
        return ast.Name(self.rounded[value.id], ast.Load())

    def expression(self, node: ast.expr, short: bool = False) -> Typed:
        """The expression, and what it is computed in; all of it in single precision if it may be `short`."""
        match node:
            case ast.Constant(value=constant):
                return node, Kind.CONDITION if isinstance(constant, bool) else Kind.CONSTANT
            case ast.Name(id=name):
                kind = self.settled.get(name, self.kinds.get(name, Kind.DOUBLE))
                return (self.single(node), Kind.SINGLE) if short and kind is Kind.DOUBLE else (node, kind)
            case ast.Subscript():
                return node, Kind.DOUBLE
            case ast.UnaryOp(op=op, operand=operand):
                value, kind = self.expression(operand, short)
                return ast.UnaryOp(op, value), Kind.CONDITION if isinstance(op, ast.Not) else kind
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self.expression(left, short), self.expression(right, short))
            case ast.Compare(left=left, ops=ops, comparators=[right]):
                pair = [self.expression(side) for side in (left, right)]
                kind = _common(kind for _, kind in pair)
                return ast.Compare(self.to(pair[0], kind), ops, [self.to(pair[1], kind)]), Kind.CONDITION
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [self.expression(value)[0] for value in values]), Kind.CONDITION
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.expression(test)[0]
                pair = [self.expression(side, short) for side in (body, orelse)]
                kind = _common(kind for _, kind in pair)
                return ast.IfExp(condition, self.to(pair[0], kind), self.to(pair[1], kind)), kind
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments, short)
        raise AssertionError(f"no kind is known of {ast.unparse(node)!r}")

    def arithmetic(self, op: ast.operator, left: Typed, right: Typed) -> Typed:
        kinds = {left[1], right[1]}
        product = isinstance(op, ast.Mult | ast.Div)
        kind = Kind.SINGLE if product and Kind.SINGLE in kinds else _common(kinds)
        return ast.BinOp(self.to(left, kind), op, self.to(right, kind)), kind

    def call(self, name: str, arguments: Sequence[ast.expr], short: bool) -> Typed:
        if name in ("rough", "tail"):
            order = arguments[0].value if name == "tail" else NONE - 1  # type: ignore[attr-defined]
            one = self.expression(arguments[-1], short or order >= self.first)
            return (self.to(one, Kind.SINGLE), Kind.SINGLE) if order >= self.first else one
        if name == "rough_exp2":
            return _call(name, self.to(self.expression(arguments[0], short=True), Kind.SINGLE)), Kind.DOUBLE
        typed = [self.expression(argument, short and name in ALIKE) for argument in arguments]
        if name == "rough_ratio":
            brief = any(kind is Kind.SINGLE for _, kind in typed)
            kind, name = (Kind.SINGLE, "rough_ratio_in_single") if brief else (Kind.DOUBLE, name)
            return _call(name, *(self.to(one, kind) for one in typed)), Kind.SINGLE
        if name in DECISIONS:
            return _call(name, *(value for value, _ in typed)), Kind.CONDITION
        kind = _common(kind for _, kind in typed) if name in ALIKE else Kind.DOUBLE
        return _call(name, *(self.to(one, kind) for one in typed)), kind


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
