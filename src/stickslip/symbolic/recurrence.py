"""Source of the Taylor recurrences of a tape.

One table of recurrences, two ways to write them: `Unrolled`, straight-line code with every coefficient in a variable
(fastest, for small models and a fixed stick pattern), and `Looped`, loops over a work array (for any size). The newest
terms of each convolution come last, since the older ones can be added while those are still being computed: a processor
does several operations at once, and what takes time is the chain from each order to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy

from stickslip.symbolic.tape import Tape

Order = int | str


class Nothing:
    """A term that is not there: sums leave it out, and where a number has to stand it is written as zero."""

    def __str__(self) -> str:
        return "0.0"


NOTHING = Nothing()
Term = str | Nothing
"""The text of a term, or nothing."""


def there(terms: Iterable[Term]) -> list[str]:
    """The terms that are there."""
    return [term for term in terms if isinstance(term, str)]


def added(terms: Iterable[Term]) -> Term:
    """The sum of terms, as text.

    >>> added(["a", NOTHING, "-b"]), str(added([]))
    ('a + -b', '0.0')
    """
    return " + ".join(there(terms)) or NOTHING


def summed(terms: Iterable[Term]) -> Term:
    """The same, with minus signs in place of + -.

    >>> summed(["a", NOTHING, "-b"])
    'a - b'
    """
    return " + ".join(there(terms)).replace("+ -", "- ") or NOTHING


class Writer:
    """Writes one order of every series; subclasses say how a coefficient and a sum are spelled."""

    def __init__(self, tape: Tape, constant: Callable[[sympy.Expr], str], order: int) -> None:
        self.tape, self.constant, self.order = tape, constant, order
        self.lines: list[str] = []

    def at(self, node: int, k: Order) -> Term:
        raise NotImplementedError

    def put(self, node: int, k: Order, term: Term) -> None:
        raise NotImplementedError

    def sum(self, low: int, high: Order, term: Callable[[Any], str]) -> Term:
        raise NotImplementedError

    def highest(self, node: int, k: Order) -> Order:
        """The last order at which the series of `node` can be nonzero, at most k."""
        raise NotImplementedError

    def scaled(self, coefficient: sympy.Expr, term: Term) -> Term:
        if coefficient == 1:
            return term
        if coefficient == -1:
            return f"-{term}"
        return f"{self.constant(coefficient)}*{term}"

    def first(self, node: int) -> None:
        """Order 0 of a series: the operation itself on the values."""
        n = self.tape.nodes[node]
        values = [self.at(a, 0) for a in n.arguments]
        match n.operation:
            case "linear" if n.degree == 1:
                self.put(node, 0, self.in_time("line", node))
            case "linear":
                terms = [self.scaled(c, v) for c, v in zip(n.constants[1:], values, strict=True)]
                if n.constants[0] != 0 or not terms:
                    terms = [self.constant(n.constants[0]), *terms]
                self.put(node, 0, summed(terms))
            case "product":
                self.put(node, 0, f"{values[0]}*{values[1]}")
            case "square":
                self.put(node, 0, f"{values[0]}*{values[0]}")
            case "quotient":
                above = self.constant(n.constants[0]) if n.constants else values[0]
                inverse = self.kept("inverse", node)
                self.lines.append(f"{inverse} = 1.0/{values[-1]}")
                self.put(node, 0, f"{above}*{inverse}")
                if self._denominator(n.arguments[-1])[1]:
                    ratio = self._denominator(n.arguments[-1])[1]
                    self.lines.append(f"{self.kept('ratio', node)} = {ratio}*{inverse}")
                self.lines.append(f"{self.kept('slope', node)} = -{self.at(node, 0)}*{self._ratio(node)}")
            case "power":
                self.put(node, 0, f"{values[0]}**{self.constant(n.constants[0])}")
            case "tan'" | "tanh'":
                name = n.operation[:-1]
                sign = "+" if name == "tan" else "-"
                self.put(node, 0, f"1.0 {sign} {name}({values[0]})**2")
            case "atan":
                self.put(node, 0, f"atan({values[0]})")
            case "select":
                self.put(node, 0, f"{values[0]} if {self.constant(n.constants[0])} > 0.0 else {values[1]}")
            case "sin" | "cos" if self.tape.is_wave(node):
                self.put(node, 0, self.in_time("wave_sine" if n.operation == "sin" else "wave_cosine", n.arguments[0]))
            case name:
                self.put(node, 0, f"{name}({values[0]})")

    def in_time(self, function: str, angle: int) -> str:
        """A function of an angle that grows evenly with a time in two parts: see `kernels/clock.py`."""
        rate, phase = self.constant(self.tape.rate(angle)), self.constant(self.tape.phase(angle))
        return f"{function}({rate}, {phase}, trajectory.time, trajectory.late)"

    def next(self, node: int, k: Order) -> None:
        """Order k ≥ 1 of a series from lower orders: the recurrences."""
        n = self.tape.nodes[node]
        a = n.arguments[0] if n.arguments else -1
        match n.operation:
            case "linear":
                factors = zip(n.constants[1:], n.arguments, strict=True)
                terms = [self.scaled(c, self.at(m, k)) for c, m in factors if self._alive(m, k)]
                # In a sum, zeros are written: without them 0 + −0 would be −0.
                self.put(node, k, terms[0] if len(terms) == 1 else summed(map(str, terms)))
            case "product":  # c_k = Σ a_j b_(k−j)
                b = n.arguments[1]
                self.put(node, k, self.convolution(a, b, 0, k))
            case "square":
                self.put(node, k, self.convolution(a, a, 0, k))
            case "quotient":  # q b = a:  q_k = (a_k − Σ_(j≥1) b_j q_(k−j)) / b_0
                self.quotient(node, k)
            case "exp":  # e' = a' e
                self.put(node, k, f"{self.derivative_times(a, node, k)}{_over(k)}")
            case "sin" | "cos" | "sinh" | "cosh":  # s' = a' c,  c' = ∓ a' s
                sign = "-" if n.operation == "cos" else ""
                self.put(node, k, f"{sign}{self.derivative_times(a, self.partner(node), k)}{_over(k)}")
            case "tan" | "tanh":  # w' = (1 ± w²) a'
                self.put(node, k, f"{self.derivative_times(a, self.partner(node), k)}{_over(k)}")
            case "tan'" | "tanh'":
                w = self.partner(node)
                sign = "" if n.operation == "tan'" else "-"
                self.put(node, k, f"{sign}{in_brackets(self.convolution(w, w, 0, k))}")
            case "log":  # a l' = a'
                known = self.sum(1, minus(k, 1), lambda j: f"{_number(j)}*{self.at(node, j)}*{self.at(a, minus(k, j))}")
                self.put(node, k, f"({self.at(a, k)} - {in_brackets(known)}{_over(k)})/{self.at(a, 0)}")
            case "atan":  # (1 + a²) w' = a'
                b = n.arguments[1]
                known = self.sum(1, minus(k, 1), lambda j: f"{_number(j)}*{self.at(node, j)}*{self.at(b, minus(k, j))}")
                self.put(node, k, f"({self.at(a, k)} - {in_brackets(known)}{_over(k)})/{self.at(b, 0)}")
            case "sqrt":  # w w = a
                known = self.sum(1, minus(k, 1), lambda j: f"{self.at(node, j)}*{self.at(node, minus(k, j))}")
                self.put(node, k, f"({self.at(a, k)} - {in_brackets(known)})/(2.0*{self.at(node, 0)})")
            case "power":  # a w' = α w a'
                alpha = self.constant(n.constants[0])
                known = self.sum(
                    1,
                    k,
                    lambda j: (
                        f"({alpha}*{_number(j)} - {_number(minus(k, j))})*{self.at(a, j)}*{self.at(node, minus(k, j))}"
                    ),
                )
                self.put(node, k, f"{in_brackets(known)}/({_number(k)}*{self.at(a, 0)})")
            case "select":
                b = n.arguments[1]
                self.put(node, k, f"{self.at(a, k)} if {self.constant(n.constants[0])} > 0.0 else {self.at(b, k)}")
            case operation:
                raise AssertionError(f"no recurrence for {operation}")

    def quotient(self, node: int, k: Order) -> None:
        """Order k of a quotient. The newest term, b_k q_0, stands alone: everything else is ready before b_k is."""
        n = self.tape.nodes[node]
        a, b = n.arguments[0], self._denominator(n.arguments[-1])[0]
        above = "" if n.constants or not self._alive(a, k) else f" + {self.at(a, k)}*{self.kept('inverse', node)}"
        known = self.known(node, b, k)
        newest = f"{self.at(b, k)}*{self.kept('slope', node)}" if self._alive(b, k) else NOTHING
        self.put(node, k, f"{newest}{f' - {known}' if known is not NOTHING else ''}{above}")

    def known(self, node: int, b: int, k: Order) -> Term:
        """What the lower orders add to order k of a quotient, Σ_(1≤j<k) b_j q_(k−j) / b_0."""
        older = self.highest(b, minus(k, 1))
        total = self.sum(1, older, lambda j: f"{self.at(b, j)}*{self.at(node, minus(k, j))}")
        return f"{in_brackets(total)}*{self._ratio(node)}" if isinstance(total, str) else NOTHING

    def _ratio(self, node: int) -> str:
        """What the orders of the denominator's series are multiplied by in a quotient: 1/b_0, or c/b_0 for c₀ + c x."""
        scaled = self._denominator(self.tape.nodes[node].arguments[-1])[1]
        return self.kept("ratio" if scaled else "inverse", node)

    def kept(self, what: str, node: int) -> str:
        """Something of a quotient that its orders share."""
        return f"{what}{node}"

    def _denominator(self, node: int) -> tuple[int, str]:
        """A denominator c₀ + c x as (x, c), since its higher orders are those of x; else (itself, "")."""
        n = self.tape.nodes[node]
        if n.operation == "linear" and len(n.arguments) == 1:
            return n.arguments[0], self.constant(n.constants[1])
        return node, ""

    def _alive(self, node: int, k: Order) -> bool:
        degree = self.tape.degree(node)
        return degree is None or not isinstance(k, int) or k <= degree

    def partner(self, node: int) -> int:
        partner = self.tape.partner(node)
        assert partner is not None
        return partner

    def convolution(self, a: int, b: int, low: int, k: Order) -> Term:
        if a != b and self.tape.degree(b) is not None:
            a, b = b, a
        return self.sum(low, self.highest(a, k), lambda j: f"{self.at(a, j)}*{self.at(b, minus(k, j))}")

    def derivative_times(self, a: int, b: int, k: Order) -> Term:
        """k times the order-k coefficient of ∫ a' b."""
        return in_brackets(
            self.sum(1, self.highest(a, k), lambda j: f"{_number(j)}*{self.at(a, j)}*{self.at(b, minus(k, j))}")
        )


class Unrolled(Writer):
    """Every coefficient is a variable `n<node>_<order>`, unless it only repeats another."""

    def __init__(self, tape: Tape, constant: Callable[[sympy.Expr], str], order: int) -> None:
        super().__init__(tape, constant, order)
        self.same: dict[str, Term] = {}
        self.divided: set[str] = set()
        self.begun: set[str] = set()

    def at(self, node: int, k: Order) -> Term:
        degree = self.tape.degree(node)
        if degree is not None and isinstance(k, int) and k > degree:
            return NOTHING
        return self.value_of(f"n{node}_{k}")

    def value_of(self, name: str) -> Term:
        """What stands for a variable: itself, or what it only repeats."""
        return self.same.get(name, name)

    def put(self, node: int, k: Order, term: Term) -> None:
        self.assign(f"n{node}_{k}", term)

    def assign(self, name: str, term: Term) -> None:
        if isinstance(term, Nothing) or term.isidentifier():
            self.same[name] = term
        else:
            self.lines.append(f"{name} = {term}")

    def highest(self, node: int, k: Order) -> Order:
        degree = self.tape.degree(node)
        assert isinstance(k, int)
        return k if degree is None else min(k, degree)

    def sum(self, low: int, high: Order, term: Callable[[Any], str]) -> Term:
        assert isinstance(high, int)
        # From the middle outwards: the terms at both ends hold the newest coefficients, so they are added last.
        return _strands([term(j) for j in sorted(range(low, high + 1), key=lambda j: abs(2 * j - low - high))])

    def quotient(self, node: int, k: Order) -> None:
        """As above. Then the order before is added to the sums of later ones, while the newest is being computed."""
        super().quotient(node, k)
        assert isinstance(k, int)
        b = self._denominator(self.tape.nodes[node].arguments[-1])[0]
        for i in range(2, min(k - 1, self.order - k + 1) + 1):
            name = f"sum{node}_{k - 1 + i}"
            terms = [name] if name in self.begun else []
            terms += self._pair(node, b, k - 1, i)
            if terms:
                self.begun.add(name)
                self.lines.append(f"{name} = {' + '.join(terms)}")

    def known(self, node: int, b: int, k: Order) -> Term:
        assert isinstance(k, int)
        name = f"sum{node}_{k}"
        terms = [name] if name in self.begun else []
        terms += self._pair(node, b, k - 1, 1)
        return in_brackets(added(terms))

    def _pair(self, node: int, b: int, k: int, i: int) -> list[str]:
        """b_k q_i / b_0 and b_i q_k / b_0, for i ≤ k: the older factor is divided, so that the newer is not delayed."""
        terms = []
        if 0 < i < k and self._alive(b, k):
            terms.append(f"{self._divided(node, node, i)}*{self.at(b, k)}")
        if 0 < i <= k and self._alive(b, i):
            terms.append(f"{self._divided(node, b, i)}*{self.at(node, k)}")
        return terms

    def _divided(self, quotient: int, node: int, k: int) -> str:
        """A coefficient divided by the leading one of the denominator, computed where it is first used."""
        name = f"d{quotient}_{node}_{k}"
        if name not in self.divided:
            self.divided.add(name)
            self.lines.append(f"{name} = {self.at(node, k)}*{self._ratio(quotient)}")
        return name


class Looped(Writer):
    """Coefficients of a node are a row of a field; `rows` says which. k is the loop variable."""

    def __init__(
        self, tape: Tape, constant: Callable[[sympy.Expr], str], order: int, rows: Callable[[int], tuple[str, int]]
    ) -> None:
        super().__init__(tape, constant, order)
        self.rows = rows

    def at(self, node: int, k: Order) -> str:
        return place(*self.rows(node), k)

    def put(self, node: int, k: Order, term: Term) -> None:
        self.lines.append(f"{self.at(node, k)} = {term}")

    def highest(self, node: int, k: Order) -> Order:
        degree = self.tape.degree(node)
        return k if degree is None else f"min({k}, {degree})"

    def sum(self, low: int, high: Order, term: Callable[[Any], str]) -> str:
        name = f"sum{len(self.lines)}"
        self.lines += [
            f"{name} = 0.0",
            f"for j in range({low}, {high} + 1):",
            f"    {name} += {term('j')}",
        ]
        return name


def place(field: str, row: int, k: Order) -> str:
    """The coefficient of order k in a row of a field of the trajectory."""
    return f"trajectory.{field}[{row}, {k}]"


def minus(k: Order, j: Order) -> Order:
    if isinstance(k, int) and isinstance(j, int):
        return k - j
    return f"{k} - {j}"


def plus(k: Order, j: int) -> Order:
    return k + j if isinstance(k, int) else f"{k} + {j}"


def _number(k: Order) -> str:
    return f"{float(k)}" if isinstance(k, int) else f"({k})"


def _over(k: Order) -> str:
    """Division by the order; known orders multiply by the reciprocal, which is quicker."""
    return f"*{1 / k!r}" if isinstance(k, int) else f"/{k}"


def _strands(terms: list[str]) -> Term:
    """A sum, the oldest terms first: all but the last two in two strands, which a processor adds side by side."""
    if len(terms) < 7:
        return added(terms)
    older, newest = terms[:-2], terms[-2:]
    return " + ".join([f"({' + '.join(older[::2])})", f"({' + '.join(older[1::2])})", *newest])


def in_brackets(term: Term) -> Term:
    return f"({term})" if isinstance(term, str) and (" + " in term or " - " in term) else term
