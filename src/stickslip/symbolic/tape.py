"""An expression as a tape of elementary operations, each of which has a Taylor recurrence.

Lowering splits every expression into what is constant along a step (parameters, frozen branches) and what is a power
series in time. |e|, min, max, piecewise formulas and tables are smooth inside a step because their branch is frozen
there; each brings a guard that must stay positive while the branch holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from stickslip.errors import ModelError
from stickslip.symbolic.equations import Equations, Table, TableSlope
from stickslip.symbolic.extremes import Max, Min
from stickslip.symbolic.frozen import Frozen, branch_of
from stickslip.symbolic.memory import TIME

FUNCTIONS = {
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tan: "tan",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.tanh: "tanh",
    sympy.atan: "atan",
}
PARTNERS = {
    "sin": "cos",
    "cos": "sin",
    "sinh": "cosh",
    "cosh": "sinh",
    "tan": "tan'",
    "tan'": "tan",
    "tanh": "tanh'",
    "tanh'": "tanh",
}
"""Series that come in pairs, each the other's derivative up to a factor; ' marks the slope."""


@dataclass(frozen=True)
class Node:
    """One power series: how it comes from others, and its degree in time where that is known (t has 1)."""

    operation: str
    arguments: tuple[int, ...] = ()
    constants: tuple[sympy.Expr, ...] = ()
    degree: int | None = None


@dataclass(frozen=True)
class Guard:
    """A series that is positive while a branch holds; when it ends, `branch` flips (step 0) or moves by `step`."""

    node: int | sympy.Expr
    branch: int
    step: int


def interval_of(branch: int, name: str) -> Frozen:
    """A number of the interval on which a table stands: where it starts and ends, a coefficient of its cubic."""
    return Frozen(f"_table{branch}_{name}", real=True)


@dataclass(frozen=True)
class Branch:
    """A frozen choice: the sign of `expression`, or the interval of a table in which `expression` lies."""

    expression: sympy.Expr
    table: int | None = None


class Tape:
    """The operations of a set of expressions, common ones once.

    `perturbations` are further series that the expressions may contain: small changes of the states.
    """

    def __init__(self, equations: Equations, perturbations: Sequence[sympy.Symbol] = ()) -> None:
        self.equations = equations
        self.nodes: list[Node] = []
        self.index: dict[Any, int] = {}
        self.known: dict[sympy.Expr, int | sympy.Expr] = {}
        self.guards: list[Guard] = []
        self.branches: list[Branch] = []
        self.tables: dict[Table, int] = {}  # the branch of each table
        self.varying = {*equations.states, TIME, *perturbations}
        for i, state in enumerate(equations.states):
            self.known[state] = self.node(Node("state", (i,)))
        self.known[TIME] = self.node(Node("time", degree=1))
        for i, change in enumerate(perturbations):
            self.known[change] = self.node(Node("perturbation", (i,)))

    def node(self, node: Node) -> int:
        """The number of this operation, which is put on the tape if it is not there yet."""
        if node not in self.index:
            self.index[node] = len(self.nodes)
            self.nodes.append(node)
        return self.index[node]

    def degree(self, node: int) -> int | None:
        return self.nodes[node].degree

    def rate(self, node: int) -> sympy.Expr:
        """The constant rate of a series that is linear in time."""
        n = self.nodes[node]
        if n.operation == "time" or n.degree == 0:
            return sympy.Integer(n.degree)
        assert n.operation == "linear" and n.degree == 1
        return sympy.Add(*(c * self.rate(m) for c, m in zip(n.constants[1:], n.arguments, strict=True)))

    def phase(self, node: int) -> sympy.Expr:
        """The value at time zero of a series that is linear in time."""
        n = self.nodes[node]
        if n.operation == "time":
            return sympy.Integer(0)
        assert n.operation == "linear" and n.degree is not None and n.degree <= 1
        terms = (c * self.phase(m) for c, m in zip(n.constants[1:], n.arguments, strict=True))
        return sympy.Add(n.constants[0], *terms)

    def is_wave(self, node: int) -> bool:
        """Whether a series is the sine or cosine of an angle that grows evenly with time."""
        n = self.nodes[node]
        return n.operation in ("sin", "cos") and self.degree(n.arguments[0]) == 1

    def reachable(self, wanted: Iterable[int | sympy.Expr]) -> set[int]:
        """The nodes among `wanted`, and all that they are made from."""
        pending = [node for node in wanted if isinstance(node, int)]
        found: set[int] = set()
        while pending:
            node = pending.pop()
            if node in found:
                continue
            found.add(node)
            if self.nodes[node].operation not in ("state", "perturbation"):
                pending += self.nodes[node].arguments
            partner = self.partner(node)
            if partner is not None:
                pending.append(partner)
        return found

    def is_constant(self, expression: sympy.Expr) -> bool:
        return not (expression.free_symbols & self.varying)

    def lower(self, expression: sympy.Expr) -> int | sympy.Expr:
        """The node of a series, or the expression itself when it is constant along a step."""
        if expression not in self.known:
            self.known[expression] = self._lower(expression)
        return self.known[expression]

    def _lower(self, e: sympy.Expr) -> int | sympy.Expr:
        if isinstance(e, Table | TableSlope):
            return self._table(e)
        if self.is_constant(e):
            return e
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        if isinstance(e, sympy.exp):
            return self._function("exp", e.args[0])
        if e.func in FUNCTIONS:
            return self._function(FUNCTIONS[e.func], e.args[0])
        if isinstance(e, sympy.Abs):
            return self.lower(self._sign(e.args[0]) * e.args[0])
        if isinstance(e, sympy.sign):
            return self._sign(e.args[0])
        if isinstance(e, sympy.Heaviside):  # from the derivative of min and max
            return (1 + self._sign(e.args[0])) / 2
        if isinstance(e, sympy.DiracDelta):  # from the derivative of a sign: zero wherever that exists
            return sympy.Integer(0)
        if isinstance(e, sympy.Min | sympy.Max):
            return self._extreme(e)
        if isinstance(e, sympy.Piecewise):
            return self._piecewise(e)
        raise ModelError(f"{e.func.__name__} has no Taylor recurrence here: {e}; give a Tabulated law instead")

    def _function(self, name: str, argument: sympy.Expr) -> int:
        inner = self._series(argument)
        if name == "atan":
            bottom = self._linear(sympy.Integer(1), [(sympy.Integer(1), self._square(inner))])
            return self.node(Node("atan", (inner, bottom)))
        node = self.node(Node(name, (inner,)))
        if name in PARTNERS:
            self.node(Node(PARTNERS[name], (inner,)))
        return node

    def partner(self, node: int) -> int | None:
        """The series that is computed along with this one: sine with cosine, tangent with its slope."""
        n = self.nodes[node]
        return self.index[Node(PARTNERS[n.operation], n.arguments)] if n.operation in PARTNERS else None

    def _series(self, expression: sympy.Expr) -> int:
        lowered = self.lower(expression)
        if isinstance(lowered, int):
            return lowered
        return self.node(Node("linear", (), (lowered,), 0))

    def combination(self, base: int | sympy.Expr, terms: list[tuple[sympy.Expr, int | sympy.Expr]]) -> int | sympy.Expr:
        """base + Σ coefficient·series, as one operation where base is a sum already."""
        constant, series = sympy.Integer(0), []
        for coefficient, lowered in [(sympy.Integer(1), base), *terms]:
            if not isinstance(lowered, int):
                constant += coefficient * lowered
            elif coefficient == 1 and self.nodes[lowered].operation == "linear":
                node = self.nodes[lowered]
                constant += node.constants[0]
                series += list(zip(node.constants[1:], node.arguments, strict=True))
            else:
                series.append((coefficient, lowered))
        return self._linear(constant, series) if series else constant

    def _linear(self, constant: sympy.Expr, terms: list[tuple[sympy.Expr, int]]) -> int:
        """constant + Σ coefficient·series."""
        degrees = [self.degree(node) for _, node in terms]
        degree = None if None in degrees else max((d for d in degrees if d is not None), default=0)
        if constant == 0 and len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return self.node(Node("linear", tuple(n for _, n in terms), (constant, *(c for c, _ in terms)), degree))

    def _sum(self, e: sympy.Add) -> int | sympy.Expr:
        constant: list[sympy.Expr] = []
        terms: list[tuple[sympy.Expr, int]] = []
        for term in e.args:
            fixed, moving = self._split(term)
            lowered = self.lower(moving)
            if isinstance(lowered, int):
                terms.append((fixed, lowered))
            else:
                constant.append(fixed * lowered)
        if not terms:
            return sympy.Add(*constant)
        return self._linear(sympy.Add(*constant), terms)

    def _split(self, term: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        """A product as (constant factor, rest)."""
        factors = sympy.Mul.make_args(term)
        fixed = [f for f in factors if self.is_constant(f)]
        moving = [f for f in factors if not self.is_constant(f)]
        return sympy.Mul(*fixed), sympy.Mul(*moving)

    def _product(self, e: sympy.Mul) -> int | sympy.Expr:
        fixed, moving = self._split(e)
        above: list[int] = []
        below: list[int] = []
        for factor in sympy.Mul.make_args(moving):
            inverse = factor.is_Pow and factor.exp.is_number and factor.exp.is_negative
            lowered = self.lower(1 / factor if inverse else factor)
            if isinstance(lowered, int):
                (below if inverse else above).append(lowered)
            else:
                fixed = fixed / lowered if inverse else fixed * lowered
        if not above and not below:
            return fixed
        numerator = self._times(above) if above else None
        if not below:
            assert numerator is not None
            return self._linear(sympy.Integer(0), [(fixed, numerator)])
        denominator = self._times(below)
        if numerator is None:
            return self.quotient(fixed, denominator)
        ratio = self.node(Node("quotient", (numerator, denominator)))
        return self._linear(sympy.Integer(0), [(fixed, ratio)])

    def quotient(self, constant: sympy.Expr, denominator: int) -> int:
        """constant/series."""
        return self.node(Node("quotient", (denominator,), (constant,)))

    def _times(self, factors: list[int]) -> int:
        product, *rest = sorted(factors)
        for factor in rest:
            product = self._square(product) if product == factor else self._multiply(product, factor)
        return product

    def _multiply(self, a: int, b: int) -> int:
        degrees = (self.degree(a), self.degree(b))
        degree = None if None in degrees else sum(d for d in degrees if d is not None)
        return self.node(Node("product", (a, b), degree=degree))

    def _square(self, a: int) -> int:
        degree = self.degree(a)
        return self.node(Node("square", (a,), degree=None if degree is None else 2 * degree))

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> int | sympy.Expr:
        if not self.is_constant(exponent):
            return self.lower(sympy.exp(exponent * sympy.log(base)))
        if exponent.is_Integer and exponent < 0:
            return self._product(sympy.Mul(sympy.Pow(base, exponent), evaluate=False))
        lowered = self.lower(base)
        if not isinstance(lowered, int):
            return sympy.Pow(lowered, exponent)
        if exponent.is_Integer:
            return self._whole_power(lowered, int(exponent))
        if exponent == sympy.Rational(1, 2):
            return self.node(Node("sqrt", (lowered,)))
        return self.node(Node("power", (lowered,), (exponent,)))

    def _whole_power(self, base: int, exponent: int) -> int:
        if exponent == 1:
            return base
        half = self._square(self._whole_power(base, exponent // 2))
        return half if exponent % 2 == 0 else self._times([half, base])

    # -- frozen branches --------------------------------------------------------------------------------------

    def _sign(self, argument: sympy.Expr) -> sympy.Expr:
        """The frozen sign of `argument`, as a symbol that is constant along a step."""
        number = len(self.branches)
        for known, branch in enumerate(self.branches):
            if branch in (Branch(argument), Branch(-argument)):
                frozen = branch_of(known)
                return frozen if branch == Branch(argument) else -frozen
        self.branches.append(Branch(argument))
        sign = branch_of(number)
        self.guards.append(Guard(self.lower(sign * argument), number, 0))
        return sign

    def _extreme(self, e: sympy.Expr) -> int | sympy.Expr:
        first, *rest = e.args
        least = isinstance(e, sympy.Min)
        other = (Min if least else Max)(*rest)
        larger, smaller = self.lower(first), self.lower(other)
        if least:
            larger, smaller = smaller, larger
        return self._select(self._sign(first - other), larger, smaller)

    def _piecewise(self, e: sympy.Piecewise) -> int | sympy.Expr:
        (value, condition), *rest = e.args
        if condition in (sympy.true, True) or not rest:
            return self.lower(value)
        if not isinstance(
            condition, sympy.StrictLessThan | sympy.LessThan | sympy.StrictGreaterThan | sympy.GreaterThan
        ):
            raise ModelError(f"the condition {condition} is not a comparison of two numbers with < or >")
        sign = self._sign(condition.gts - condition.lts)
        return self._select(sign, self.lower(value), self.lower(sympy.Piecewise(*rest)))

    def _select(self, sign: sympy.Expr, positive: int | sympy.Expr, negative: int | sympy.Expr) -> int:
        choice = [n if isinstance(n, int) else self._linear(n, []) for n in (positive, negative)]
        return self.node(Node("select", tuple(choice), (sign,)))

    def _table(self, e: sympy.Expr) -> int | sympy.Expr:
        """The cubic of the interval in which the slip speed lies, or its slope; constant coefficients along a step."""
        table = Table(*e.args)
        if table not in self.tables:
            self.tables[table] = len(self.branches)
            self.branches.append(Branch(table.args[1], int(table.args[0])))
            new = True
        else:
            new = False
        number, u = self.tables[table], table.args[1]
        names = ("knot", "low", "end", "c0", "c1", "c2", "c3")
        knot, lower, upper, c0, c1, c2, c3 = (interval_of(number, name) for name in names)
        w = u - knot
        if new:
            for bound, step in zip(self._bounds(u, knot, lower, upper), (-1, 1), strict=True):
                self.guards.append(Guard(bound, number, step))
        if isinstance(e, TableSlope):
            return self.lower(c1 + w * (2 * c2 + 3 * w * c3))
        return self._cubic(w, (c0, c1, c2, c3))

    def _bounds(self, u: sympy.Expr, knot: sympy.Expr, lower: sympy.Expr, upper: sympy.Expr) -> list[int | sympy.Expr]:
        """What is positive while u lies in an interval that begins at a knot."""
        return [self.lower(u - lower), self.lower(upper - u)]

    def _cubic(self, w: sympy.Expr, c: tuple[sympy.Expr, ...]) -> int | sympy.Expr:
        """The polynomial with these coefficients, the lowest first."""
        return self.lower(c[0] + w * (c[1] + w * (c[2] + w * c[3])))
