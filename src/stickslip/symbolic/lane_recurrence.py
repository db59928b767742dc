"""Taylor recurrences for trajectories in lockstep: as in `recurrence.py`, with few variables alive.

What is newest in an order passes through one operation only; constant factors are taken up; nothing is divided twice.
"""

from __future__ import annotations

import sympy

from stickslip.symbolic.printing import grouped
from stickslip.symbolic.recurrence import NOTHING, Order, Term, Unrolled, Writer, added, in_brackets, summed
from stickslip.symbolic.tape import Node, Tape

CIRCULAR = {"sin": "sine", "cos": "cosine"}
SIDE_BY_SIDE = CIRCULAR | {"exp": "exponential", "tanh": "hyperbolic_tangent"}
"""Functions that lanes compute side by side; all others are called for one lane after another."""

HARMONIC = {"wave sin": "sin", "wave cos": "cos"}
"""Series of A sin φ and A cos φ, φ linear in time: they need no partner, and bring their factor with them."""

OF_ONE_SERIES = ("square", "cube", "exp", "log", "atan", "sqrt", "power")
"""Functions whose newest order is that of their argument times a slope, and what older orders add."""


class LaneTape(Tape):
    """The tape of a model in lockstep. A cubic is made of a square and a cube, of which half is known beforehand."""

    def _bounds(self, u: sympy.Expr, knot: sympy.Expr, lower: sympy.Expr, upper: sympy.Expr) -> list[int | sympy.Expr]:
        """Their higher orders are those of the series of which the cubic is made."""
        w, one = self._series(u - knot), sympy.Integer(1)
        return [self._linear(knot - lower, [(one, w)]), self._linear(upper - knot, [(-one, w)])]

    def _cubic(self, w: sympy.Expr, c: tuple[sympy.Expr, ...]) -> int | sympy.Expr:
        series = self._series(w)
        square = self._square(series)
        cube = self.node(Node("cube", (series, square)))
        return self._linear(c[0], [(c[1], series), (c[2], square), (c[3], cube)])


class LaneWriter(Unrolled):
    """Recurrences with few variables alive."""

    def first(self, node: int) -> None:
        n = self.tape.nodes[node]
        if n.operation in SIDE_BY_SIDE:
            self.put(node, 0, f"{SIDE_BY_SIDE[n.operation]}({self.at(n.arguments[0], 0)})")
        elif n.operation in ("tan'", "tanh'"):
            sign, value = "+" if n.operation == "tan'" else "-", self.at(self.partner(node), 0)
            self.put(node, 0, f"1.0 {sign} {value}*{value}")
        elif n.operation in HARMONIC:
            amplitude, angle = self.constant(n.constants[0]), self.at(n.arguments[0], 0)
            self.put(node, 0, f"{amplitude}*{CIRCULAR[HARMONIC[n.operation]]}({angle})")
        elif n.operation == "cube":
            self.put(node, 0, f"{self.at(n.arguments[0], 0)}*{self.at(n.arguments[1], 0)}")
        elif n.operation == "linear" and n.degree == 1:
            rate, phase = self.constant(self.tape.rate(node)), self.constant(self.tape.phase(node))
            self.put(node, 0, f"{rate}*lane.time + {phase}")
        else:
            super().first(node)
        if self.argument(node) is not None and n.operation != "quotient":
            inner = self._denominator(n.arguments[0])[1]
            self.lines.append(f"slope{node} = {self._own_slope(node)}{f'*{inner}' if inner else ''}")

    def _own_slope(self, node: int) -> str:
        """The derivative of a function by its argument, at the start of the step."""
        n = self.tape.nodes[node]
        x, value = self.at(n.arguments[0], 0), self.at(node, 0)
        match n.operation:
            case "square":
                return f"({x} + {x})"
            case "cube":
                return f"3.0*{self.at(n.arguments[1], 0)}"
            case "exp":
                return str(value)
            case "log":
                return f"1.0/{x}"
            case "atan":
                return f"1.0/{self.at(n.arguments[1], 0)}"
            case "sqrt":
                return f"0.5/{value}"
            case "power":
                return f"{self.constant(n.constants[0])}*{value}/{x}"
            case operation:
                raise AssertionError(f"{operation} is no function of one series")

    def harmonic(self, node: int, k: int) -> None:
        """Order k of A cos φ or A sin φ where φ grows at a constant rate ω: c_k = −ω² c_(k−2) / (k (k − 1))."""
        n = self.tape.nodes[node]
        angle, amplitude = n.arguments[0], n.constants[0]
        rate = self.tape.rate(angle)
        if k == 1:
            other, sign = ("sine", -1) if n.operation == "wave cos" else ("cosine", 1)
            self.put(node, 1, f"{self.constant(sign * amplitude * rate)}*{other}({self.at(angle, 0)})")
        else:
            self.put(node, k, f"{self.curvature(rate, k * (k - 1))}*{self.at(node, k - 2)}")

    def curvature(self, rate: sympy.Expr, divisor: int) -> str:
        """−ω²/n: known before, where many load it at a time; else a product, which takes no memory."""
        known, base = self.constant(-(rate**2) / divisor), self.constant(-(rate**2) / 2)
        return known if divisor == 2 else f"({known} if TOGETHER else {2 / divisor!r}*{base})"

    def next(self, node: int, k: Order) -> None:
        n = self.tape.nodes[node]
        assert isinstance(k, int)
        if n.operation in HARMONIC:
            self.harmonic(node, k)
        elif n.operation in OF_ONE_SERIES:
            self.put_newest(node, k, self._denominator(n.arguments[0])[0], self.older_terms(node, k))
        else:
            super().next(node, k)

    def older_terms(self, node: int, k: int) -> Term:
        """What lower orders add to order k of a function of one series."""
        n = self.tape.nodes[node]
        a = n.arguments[0]
        match n.operation:
            case "square":
                return self.squares(node, a, k)
            case "cube":  # a³ = a s, s = a²
                square = n.arguments[1]
                middle = self.sum(1, k - 1, lambda j: f"{self.at(a, j)}*{self.at(square, k - j)}")
                known = self.older(square, k)
                return summed([middle, f"{self.at(a, 0)}*{known}" if known is not NOTHING else NOTHING])
            case "exp":  # e' = a' e, a = c x + c₀
                x, inner = self._denominator(a)
                text = self.sum(1, self.highest(x, k - 1), lambda j: f"{self.pace(x, j)}*{self.at(node, k - j)}")
                return _product(text, f"{1 / k!r}", inner)
            case "log" | "atan":  # b l' = a'
                b = n.arguments[-1]
                low = k - int(self.highest(b, k - 1))
                text = self.sum(low, k - 1, lambda j: f"{self.pace(node, j)}*{self.at(b, k - j)}")
                return _product(text, f"{-1 / k!r}", self._reciprocal(node, b))
            case "sqrt":  # w w = a
                return _product(self.squares(node, node, k), "-0.5", self._reciprocal(node, node))
            case _:  # a w' = α w a'
                alpha, top = self.constant(n.constants[0]), self.highest(a, k - 1)
                text = self.sum(
                    1, top, lambda j: f"({alpha}*{float(j)} - {float(k - j)})*{self.at(a, j)}*{self.at(node, k - j)}"
                )
                return _product(text, f"{1 / k!r}", self._reciprocal(node, a))

    def squares(self, node: int, a: int, k: int) -> Term:
        """Σ a_j a_(k−j) without both ends."""
        top = self.highest(a, k)
        assert isinstance(top, int)
        pairs = [f"{self.at(a, j)}*{self.at(a, k - j)}" for j in range((k - 1) // 2, max(k - top - 1, 0), -1)]
        terms = []
        if pairs:
            self.lines.append(f"half{node}_{k} = {' + '.join(pairs)}")
            terms.append(f"(half{node}_{k} + half{node}_{k})")
        if k % 2 == 0 and k // 2 <= top:
            terms.append(f"{self.at(a, k // 2)}*{self.at(a, k // 2)}")
        return added(terms)

    def pace(self, node: int, k: int) -> Term:
        """k times order k of a series: that of its rate, computed where it is first used."""
        name = f"pace{node}_{k}"
        if k == 1 or not self._alive(node, k):
            return self.at(node, k)
        if name not in self.divided:
            self.divided.add(name)
            self.lines.append(f"{name} = {float(k)}*{self.at(node, k)}")
        return name

    def _reciprocal(self, node: int, b: int) -> str:
        """One over the value of a series, computed once for the orders of a function."""
        name = f"reciprocal{node}"
        if name not in self.divided:
            self.divided.add(name)
            self.lines.append(f"{name} = 1.0/{self.at(b, 0)}")
        return name

    def derivative_times(self, a: int, b: int, k: Order) -> Term:
        assert isinstance(k, int)
        return in_brackets(self.sum(1, self.highest(a, k), lambda j: f"{self.pace(a, j)}*{self.at(b, k - j)}"))

    def quotient(self, node: int, k: Order) -> None:
        n = self.tape.nodes[node]
        if not n.constants:
            Writer.quotient(self, node, k)
            return
        assert isinstance(k, int)
        b = self._denominator(n.arguments[-1])[0]
        self.put_newest(node, k, b, self.older_of_quotient(node, b, k))
        if k == 1 and self._alive(b, 1):
            ratio = self._ratio(node)
            self.lines += [f"near{node} = {ratio}*{self.at(b, 1)}", f"last{node} = {ratio}*{self.at(node, 1)}"]

    def older_of_quotient(self, node: int, b: int, k: int) -> Term:
        """−Σ_(1≤j<k) b_j q_(k−j) / b_0, in which what waits for the order before passes through one operation only."""
        if not self._alive(b, 1) or k == 1:
            return NOTHING
        if k == 2:
            return f"-near{node}*{self.at(node, 1)}"
        middle = self.sum(2, self.highest(b, k - 2), lambda j: f"{self.at(b, j)}*{self.at(node, k - j)}")
        terms = [f"-{grouped(middle)}*{self._ratio(node)}"] if isinstance(middle, str) else []
        terms += [f"-last{node}*{self.at(b, k - 1)}"] if self._alive(b, k - 1) else []
        return summed([*terms, f"-near{node}*{self.at(node, k - 1)}"])

    def known(self, node: int, b: int, k: Order) -> Term:
        return Writer.known(self, node, b, k)

    def put_newest(self, node: int, k: int, x: int, older: Term) -> None:
        """Order k of a function of the series x: its slope times x_k, and what older orders add."""
        self.assign(f"older{node}_{k}", older)
        newest = f"{self.slope(node)}*{self.at(x, k)}" if self._alive(x, k) else NOTHING
        self.put(node, k, added([newest, self.older(node, k)]))

    def older(self, node: int, k: int) -> Term:
        return NOTHING if self.argument(node) is None else self.value_of(f"older{node}_{k}")

    def argument(self, node: int) -> int | None:
        """The series of which a node is a function with a slope of its own, see `put_newest`."""
        n = self.tape.nodes[node]
        if n.operation == "quotient" and n.constants:
            return self._denominator(n.arguments[-1])[0]
        return self._denominator(n.arguments[0])[0] if n.operation in OF_ONE_SERIES else None

    def slope(self, node: int) -> str:
        """By its argument; a series itself is what others are functions of."""
        return "1.0" if self.argument(node) is None else f"slope{node}"


def _product(sum: Term, *factors: str) -> Term:
    """A sum times factors, of which some may be empty."""
    return "*".join([grouped(sum), *(factor for factor in factors if factor)]) if isinstance(sum, str) else sum
