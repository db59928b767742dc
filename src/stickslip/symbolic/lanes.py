"""Source of a model for trajectories in lockstep: one text for stick and slip, chosen per trajectory by selects.

Every coefficient is a variable. Few sums are in flight and constants are few, since registers are what is scarce: many
trajectories at once hide the time that operations take.
"""

from __future__ import annotations

from functools import cache

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import Printer, grouped, indented
from stickslip.symbolic.recurrence import Order, Unrolled, Writer
from stickslip.symbolic.rounding import Magnitude, size
from stickslip.symbolic.source import Source
from stickslip.symbolic.tape import Node
from stickslip.symbolic.wave import with_waves

LANE_LIMIT = 6000
"""Longest text of a step in multiplications: beyond it, compiling takes too long."""

MOST_CONTACTS = 2

TAIL = 3
"""The first order at which coefficients are marked, see `tail` of machine.py."""

LANE_IMPORTS = """\
from stickslip.kernels.circular import cosine, sine
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.machine import TOGETHER, tail
"""
"""What a generated module imports besides."""

CIRCULAR = {"sin": "sine", "cos": "cosine"}
HARMONIC = {"wave sin": "sin", "wave cos": "cos"}
"""Series of A sin φ and A cos φ, φ linear in time: they need no partner, and bring their factor with them."""


class LaneWriter(Unrolled):
    """Recurrences with few variables alive."""

    def first(self, node: int) -> None:
        n = self.tape.nodes[node]
        if n.operation in CIRCULAR:
            self.put(node, 0, f"{CIRCULAR[n.operation]}({self.at(n.arguments[0], 0)})")
        elif n.operation in HARMONIC:
            amplitude, angle = self.constant(n.constants[0]), self.at(n.arguments[0], 0)
            self.put(node, 0, f"{amplitude}*{CIRCULAR[HARMONIC[n.operation]]}({angle})")
        elif n.operation == "linear" and n.degree == 1:
            rate, phase = self.constant(self.tape.rate(node)), self.constant(self.tape.phase(node))
            self.put(node, 0, f"{rate}*lane.time + {phase}")
        else:
            super().first(node)
            if n.operation == "square":
                x = self.at(n.arguments[0], 0)
                self.lines.append(f"slope{node} = {x} + {x}")

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
        elif n.operation == "square":
            a = n.arguments[0]
            top = self.highest(a, k)
            assert isinstance(top, int)
            pairs = [f"{self.at(a, j)}*{self.at(a, k - j)}" for j in range((k - 1) // 2, max(k - top - 1, 0), -1)]
            terms = []
            if pairs:
                self.lines.append(f"half{node}_{k} = {' + '.join(pairs)}")
                terms.append(f"(half{node}_{k} + half{node}_{k})")
            if k % 2 == 0 and k // 2 <= top:
                terms.append(f"{self.at(a, k // 2)}*{self.at(a, k // 2)}")
            self.put_newest(node, k, a, " + ".join(terms) or "0.0")
        else:
            super().next(node, k)

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

    def older_of_quotient(self, node: int, b: int, k: int) -> str:
        """−Σ_(1≤j<k) b_j q_(k−j) / b_0, in which what waits for the order before passes through one operation only."""
        if not self._alive(b, 1) or k == 1:
            return "0.0"
        if k == 2:
            return f"-near{node}*{self.at(node, 1)}"
        middle = self.sum(2, self.highest(b, k - 2), lambda j: f"{self.at(b, j)}*{self.at(node, k - j)}")
        terms = [] if middle == "0.0" else [f"-{grouped(middle)}*{self._ratio(node)}"]
        terms += [f"-last{node}*{self.at(b, k - 1)}"] if self._alive(b, k - 1) else []
        return _sum([*terms, f"-near{node}*{self.at(node, k - 1)}"])

    def known(self, node: int, b: int, k: Order) -> str:
        return Writer.known(self, node, b, k)

    def put_newest(self, node: int, k: int, x: int, older: str) -> None:
        """Order k of a function of the series x: its slope times x_k, and what older orders add."""
        self.assign(f"older{node}_{k}", older)
        terms = [f"{self.slope(node)}*{self.at(x, k)}"] if self._alive(x, k) else []
        terms += [text for text in (self.older(node, k),) if text != "0.0"]
        self.put(node, k, " + ".join(terms) or "0.0")

    def older(self, node: int, k: int) -> str:
        return self.same.get(f"older{node}_{k}", f"older{node}_{k}")

    def argument(self, node: int) -> int | None:
        """The series of which a node is a function with a slope of its own, see `put_newest`."""
        n = self.tape.nodes[node]
        if n.operation == "quotient" and n.constants:
            return self._denominator(n.arguments[-1])[0]
        return n.arguments[0] if n.operation == "square" else None

    def slope(self, node: int) -> str:
        return f"slope{node}"


class LanePrinter(Printer):
    """Sine and cosine without branches."""

    def _print_sin(self, e: sympy.Expr) -> str:
        return f"sine({self._print(e.args[0])})"

    def _print_cos(self, e: sympy.Expr) -> str:
        return f"cosine({self._print(e.args[0])})"


class LaneSource(Source):
    """All generated text of one model for lockstep."""

    def __init__(self, equations: Equations, order: int) -> None:
        super().__init__(equations, order)
        plain = [*(x for _, x, _ in self.watched), *self.S, *self.h, *(x for row in [*self.G, *self.D] for x in row)]
        self.shared = self.tape.reachable(plain)
        """Series that are wanted as they are: taken up factors would only make second ones of them."""
        self.f, self.a = ([self._folded(x) for x in series] for series in (self.f, self.a))
        self.units = [self.equations.D[i][i] if self._is_steady(i) else sympy.Integer(1) for i in range(self.contacts)]
        self.S = [self._folded(x, unit) for x, unit in zip(self.S, self.units, strict=True)]
        self.apart = self._rests_simply()
        self.G = [[g if isinstance(g, int) else g / u for g, u in zip(row, self.units, strict=True)] for row in self.G]

    def _constants_of_module(self) -> dict[str, int]:
        varies = any(isinstance(limit, int) for limit in self.S)
        driven = any(self._is_driven(i) for i in range(self.contacts))
        flags = {"LIMIT_VARIES": int(varies), "APART": int(self.apart), "DRIVES": int(driven)}
        flags["AMBIGUOUS"] = int(self._coupled() and not self._begins_to_slip_smoothly())
        return super()._constants_of_module() | flags

    def serves(self) -> bool:
        """Whether this model can travel in lockstep."""
        simple = not (
            self.tape.guards
            or self.tape.branches
            or self.resolved
            or self.equations.stiff
            or any(owner >= 0 for owner in self.equations.owners)
        )
        return simple and self.contacts <= MOST_CONTACTS and self._work() <= LANE_LIMIT

    def module(self) -> str:
        # First, because writing them collects the constants.
        lanes = [self._expansion(at_rest=False), self._expansion(at_rest=True), self._kinematics()]
        blocks = [[*self._header(), LANE_IMPORTS], self._constants(), self._ingredients(), self._sizes(), *lanes]
        return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"

    def _kinematics(self) -> list[str]:
        """Sliding velocities, and what impulses do, at the state after a step."""
        e, m = self.equations, self.contacts
        targets = [(f"tick.v[{i}]", x) for i, x in enumerate(e.h)]
        targets += [(f"tick.G[{i}, {j}]", x) for i, row in enumerate(e.G) for j, x in enumerate(row)]
        targets += [(f"tick.D[{i}, {j}]", x) for i, row in enumerate(e.D) for j, x in enumerate(row)]
        targets += [(f"tick.inverse[{i}]", 1 / e.D[i][i] if e.D[i][i] != 0 else e.D[i][i]) for i in range(m)]
        lines = []
        for target, x in targets:
            text = self.constant(x) if self.tape.is_constant(x) else self._plain(x)
            lines.append(f"{target} = {text}")
        names = [f"{s} = tick.next_state[{i}]" for i, s in enumerate(e.states)] + ["t = tick.next_time"]
        return [
            "def kinematics(lane: Lane, tick: Tick) -> None:",
            '    """v, G and D where the step leads."""',
            *indented([*names, *self._named_constants(), *lines]),
        ]

    def _plain(self, expression: sympy.Expr) -> str:
        """An expression of states and time, its parameters as constants."""
        return str(LanePrinter().doprint(self.with_constants(expression)))

    def _named_constants(self) -> list[str]:
        return [f"{name} = lane.constant[{i}]" for i, name in enumerate(self.constants.values())]

    def _expansion(self, at_rest: bool) -> list[str]:
        """The series of those that move, and of those at rest where these come apart; else of all, and nothing."""
        pattern = (at_rest,) * self.contacts
        names = {True: "expansion_at_rest", False: "expansion"}
        heading = [
            f"def {names[at_rest]}(lane: Lane, tick: Tick) -> None:",
            f'    """Power series in time of one step{", in place of those in slip" if at_rest else ""}."""',
        ]
        if at_rest and not self.apart:
            return [*heading, "    pass"]
        self._prepare(LaneWriter(self.tape, self.constant, self.order), pattern)
        self.rates = self.f
        nodes = sorted(self.tape.reachable([*self.f, *self._wanted(pattern if at_rest else None)]))
        body = self.writer.lines
        body += [f"n{i}_0 = lane.state[{i}]" for i in range(self.n)]
        for k in range(self.order + 1):
            begin = len(body)
            self._order(nodes, k, pattern)
            for i in range(self.n):
                self._output("state", i, k, self.writer.at(i, k), pattern)
            if k >= TAIL:
                body[begin:] = [_marked(line, k) for line in body[begin:]]
        signs = [f"_sign{i} = lane.mode[{i}]" for i in range(self.contacts)]
        alone = "not TOGETHER or " if at_rest else ""
        stuck = [f"stuck{i} = {alone}_sign{i} == 0.0" for i in range(self.contacts)]
        frozen = [f"{name} = {LanePrinter().doprint(e)}" for e, name in self.frozen.items()]
        return [*heading, *indented([*signs, *stuck, "now = lane.time", *self._named_constants(), *frozen, *body])]

    def _output(self, kind: str, index: int, k: int, text: str, pattern: tuple[bool, ...]) -> None:
        """Order k of a series that others want."""
        self._put(f"tick.{kind}_series[{index}, {k}]", text, pattern)

    def _put(self, target: str, text: str, pattern: tuple[bool, ...]) -> None:
        """What is told of a step. Where those at rest are apart, it was told before as if they slipped."""
        self.writer.lines.append(f"{target} = {text} if stuck0 else {target}" if any(pattern) else f"{target} = {text}")

    def _either(self, contact: int, stick: str, slip: str, pattern: tuple[bool, ...]) -> str:
        """What holds in stick or slip: chosen per trajectory, unless this text is for one of them."""
        if pattern[contact]:
            return stick
        return slip if self.apart else f"{stick} if stuck{contact} else {slip}"

    def _rests_simply(self) -> bool:
        """Whether in stick nothing moves but what the contact or time itself drives: no state has a rate of its own.

        A step in stick is then quickly expanded, and there are few of them. So they are done apart, where what is not
        plain is done, and steps in slip have no part in it.
        """
        if self.contacts != 1 or not self._is_steady(0):
            return False
        e, driven = self.equations, set[sympy.Symbol]()
        rates = [f - g[0] / e.D[0][0] * e.a[0] for f, g in zip(e.f, e.G, strict=True)]
        symbols = [sympy.expand(rate).free_symbols & set(e.states) for rate in rates]
        for _ in e.states:
            driven |= {state for state, others in zip(e.states, symbols, strict=True) if others <= driven}
        return driven == set(e.states)

    def _time(self, node: int, k: Order) -> None:
        assert isinstance(k, int)
        if k <= 1:
            self.writer.put(node, k, "lane.time" if k == 0 else "1.0")

    def _slip_series(self, contact: int, pattern: tuple[bool, ...] | None) -> tuple[sympy.Expr, int | sympy.Expr]:
        """λ in slip; sums of sums are made one, and take up the sign."""
        factor, series = super()._slip_series(contact, pattern)
        return sympy.Integer(1), self._folded(series, factor * self.units[contact])

    def constant(self, expression: sympy.Expr) -> str:
        """As before; what depends on slip signs is such a sign times what is known once for all steps."""
        signs = [sign for sign in self.signs if sign in expression.free_symbols]
        if not signs:
            return super().constant(expression)
        once = expression.replace(lambda e: e.is_Pow and e.base in signs and e.exp.is_odd, lambda e: e.base)
        known, frozen = once.as_independent(*signs, as_Add=False)
        if known.is_Number:
            return super().constant(once)
        return super().constant(frozen * sympy.Symbol(super().constant(known)))

    def _is_steady(self, contact: int) -> bool:
        """Whether a force has the same effect at all times, and on its own contact alone.

        Then it is measured by the slip acceleration that it causes: a sticking contact has λ = −a, and for a mass there
        is nothing to multiply.
        """
        own, effects = self.equations.D[contact][contact], [row[contact] for row in self.equations.G]
        return not self._coupled() and own != 0 and all(self.tape.is_constant(x) for x in (own, *effects))

    def _folded(self, series: int | sympy.Expr, factor: sympy.Expr = sympy.Integer(1)) -> int | sympy.Expr:  # noqa: B008
        """A series times a factor as one sum, in which quotients and harmonics have taken up their factors."""
        if not isinstance(series, int):
            return factor * series
        constant, terms = self._flat(series)
        return self.tape.combination(factor * constant, [self._taken_up(factor * c, node) for c, node in terms])

    def _taken_up(self, factor: sympy.Expr, series: int) -> tuple[sympy.Expr, int | sympy.Expr]:
        n = self.tape.nodes[series]
        if series in self.shared:
            return factor, series
        if n.operation == "quotient" and n.constants:
            return sympy.Integer(1), self.tape.quotient(factor * n.constants[0], n.arguments[-1])
        if n.operation in CIRCULAR and self.tape.degree(n.arguments[0]) == 1:
            return sympy.Integer(1), self.tape.node(Node(f"wave {n.operation}", n.arguments, (factor,)))
        return factor, series

    def _flat(self, node: int) -> tuple[sympy.Expr, list[tuple[sympy.Expr, int]]]:
        """A sum as its constant and its (factor, series), none of which is a sum."""
        n = self.tape.nodes[node]
        if n.operation != "linear":
            return sympy.Integer(0), [(sympy.Integer(1), node)]
        constant, terms = n.constants[0], []
        for factor, argument in zip(n.constants[1:], n.arguments, strict=True):
            inner, more = self._flat(argument)
            constant += factor * inner
            terms += [(factor * c, series) for c, series in more]
        return constant, terms

    def _coupled(self) -> bool:
        """Whether two sticking contacts push each other."""
        return self.contacts == 2 and (self.D[0][1] != 0 or self.D[1][0] != 0)

    def _begins_to_slip_smoothly(self) -> bool:
        """Whether friction at the beginning of slip is the static limit, for all contacts."""
        e = self.equations
        return all(sympy.expand(S - R.subs(u, 0)) == 0 for S, R, u in zip(e.S, e.R, e.speeds, strict=True))

    def _forces(self, k: Order, pattern: tuple[bool, ...]) -> None:
        """λ at order k: of sticking contacts from a + D λ = 0, of slipping ones from the law."""
        writer = self.writer
        assert isinstance(writer, Unrolled)
        if k == 0:
            self._begin_forces()
        right = []
        for i in range(self.contacts):
            if not pattern[i]:
                self._slip(i, k)
            terms = [self.coefficient(self.a[i], k)]
            terms += [self._times_force(self.D[i][j], j, k, low=1) for j in range(self.contacts)] if k != 0 else []
            right.append(" + ".join(t for t in terms if t != "0.0") or "0.0")
        if self._coupled():
            for i in range(2):
                writer.lines.append(f"right{i} = -({right[i]}) if stuck{i} else slip{i}")
            for i in range(2):
                writer.lines.append(f"l{i}_{k} = inverse{i}0*right0 + inverse{i}1*right1")
            return
        for i in range(self.contacts):
            stuck = f"-({right[i]})" if self._is_steady(i) else f"({right[i]})*minus{i}"
            writer.lines.append(f"l{i}_{k} = {self._either(i, stuck, f'slip{i}', pattern)}")

    def _slip(self, contact: int, k: Order) -> None:
        """λ in slip at order k. Where it is a function of one series, the newest order of that is added last."""
        assert isinstance(self.writer, LaneWriter) and isinstance(k, int)
        argument, terms = self._parts(contact)
        lines = self.writer.lines
        if argument is None or k == 0:
            lines.append(f"slip{contact} = {self._slip_force(contact, k)}")
        if argument is None:
            return
        if k == 0:
            slopes = [self.writer.scaled(c, self.writer.slope(node)) for c, node in terms]
            lines.append(f"gain{contact} = {_sum(slopes)}")
            return
        older = [(c, self.writer.older(node, k)) for c, node in terms]
        lines.append(f"older{contact} = {_sum([self.writer.scaled(c, text) for c, text in older if text != '0.0'])}")
        lines.append(f"slip{contact} = gain{contact}*{self.writer.at(argument, k)} + older{contact}")

    def _parts(self, contact: int) -> tuple[int | None, list[tuple[sympy.Expr, int]]]:
        """The series of which λ in slip is a function, and the (factor, series) it is made of.

        No series where there are several, or where the effect of λ changes.
        """
        assert isinstance(self.writer, LaneWriter)
        series = self.slip_series[contact][1]
        terms = self._flat(series)[1] if isinstance(series, int) else []
        arguments = {self.writer.argument(node) for _, node in terms}
        return (arguments.pop(), terms) if len(arguments) == 1 and self._is_steady(contact) else (None, terms)

    def _begin_forces(self) -> None:
        """The inverse of the Delassus matrix, rows of slipping contacts replaced by those of the unit matrix."""
        lines = self.writer.lines
        d = [[self.coefficient(x, 0) for x in row] for row in self.D]
        if self._coupled():
            for i in range(2):
                lines.append(f"d{i}{i} = {d[i][i]} if stuck{i} else 1.0")
                lines.append(f"d{i}{1 - i} = {d[i][1 - i]} if stuck{i} else 0.0")
            lines += [
                "determinant = d00*d11 - d01*d10",
                "doubt = abs(determinant) <= 1e-12*(abs(d00*d11) + abs(d01*d10))",
                "tick.singular = 1.0 if doubt else 0.0",
                "inverse = 1.0/determinant",
                *("inverse00 = d11*inverse", "inverse01 = -d01*inverse"),
                *("inverse10 = -d10*inverse", "inverse11 = d00*inverse"),
            ]
            return
        doubts = []
        for i in range(self.contacts):
            if not self._is_steady(i):
                lines.append(f"minus{i} = -1.0/{d[i][i]}")
            if not self.tape.is_constant(self.equations.D[i][i]):
                doubts.append(f"(stuck{i} and {d[i][i]} == 0.0)")
        lines.append(f"tick.singular = 1.0 if {' or '.join(doubts)} else 0.0" if doubts else "tick.singular = 0.0")

    def _outputs(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        assert isinstance(k, int) and pattern is not None
        if k == 0:
            self._scales(pattern)
        for i in range(self.contacts):
            if not pattern[i]:
                self._output("v", i, k, self.coefficient(self.h[i], k), pattern)
            # Where those at rest are apart, no more is asked of the friction of those in slip.
            known = k <= 2 or pattern[i] or not self.apart
            self._output("force", i, k, self.force(i, k) if known else "0.0", pattern)
            self._output("static", i, k, self.coefficient(self.S[i], k), pattern)
        for i, (_, node, _) in enumerate(self.watched):
            self._output("guard", i, k, self.coefficient(node, k), pattern)

    def _scales(self, pattern: tuple[bool, ...]) -> None:
        """The size of the terms that make up each slip acceleration: the measure for its round-off."""
        for i in range(self.contacts):
            terms = [self._size_of_acceleration(i)]
            for j, x in enumerate(self.D[i]):
                if x != 0:
                    static = self.coefficient(self.S[j], 0)
                    largest = static if pattern[j] else f"max({static}, abs(slip{j}))"
                    effect = x if isinstance(x, int) else x / self.units[j]
                    terms.append(largest if effect == 1 else f"abs({self.coefficient(effect, 0)})*{largest}")
            self._put(f"tick.acceleration_size[{i}]", " + ".join(terms), pattern)

    def _size_of_acceleration(self, contact: int) -> str:
        """The terms of a, see rounding.py. Where that takes more than sums and products, its value has to do."""
        terms = size(with_waves(self.equations.a[contact]))
        if not all(
            e.is_Symbol or e.is_Number or e.is_Add or e.is_Mul or _is_plain(e) for e in sympy.preorder_traversal(terms)
        ):
            return f"abs({self.coefficient(self.a[contact], 0)})"
        states = {z: sympy.Symbol(self.writer.at(i, 0), real=True) for i, z in enumerate(self.equations.states)}
        return grouped(self._plain(terms.xreplace(states | {TIME: sympy.Symbol("now", real=True)})))

    def _states(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """z_(k+1) = (f_k + Σ (G λ)_k) / (k + 1)."""
        assert isinstance(k, int) and pattern is not None
        for i in range(self.n):
            acting = [j for j, g in enumerate(self.G[i]) if g != 0]
            if len(acting) == 1 and self._parts(acting[0])[0] is not None:
                text = self._pushed(i, acting[0], k, pattern)
            else:
                terms = [self._rate(i, k, pattern)]
                terms += [self._times_force(self.G[i][j], j, k) for j in acting]
                text = _sum([t for t in terms if t != "0.0"])
            if k == 0 or text == "0.0":
                self.writer.put(i, k + 1, text)
            else:
                self.writer.put(i, k + 1, _sum([f"({text})*{1 / (k + 1)!r}", *self._drifts(i, k, pattern)]))

    def _pushed(self, state: int, contact: int, k: int, pattern: tuple[bool, ...]) -> str:
        """The rate of a state on which one contact acts: the newest order of the slip speed is added last."""
        g, argument = self.G[state][contact], self._parts(contact)[0]
        assert not isinstance(g, int) and argument is not None
        rate = self._rate(state, k, pattern)
        free, a = ([x] if x != "0.0" else [] for x in (rate, self.coefficient(self.a[contact], k)))
        stick = [] if self._is_held(state, contact) else [*free, *(self.writer.scaled(-g, x) for x in a)]
        if pattern[contact]:
            return _sum(stick)
        if k == 0:
            self.writer.lines.append(f"push{state} = {self.writer.scaled(g, f'gain{contact}')}")
            slip = [*free, self.writer.scaled(g, f"slip{contact}")]
        else:
            older = self.writer.scaled(g, f"older{contact}")
            slip = [*free, older, f"push{state}*{self.writer.at(argument, k)}"]
        return self._either(contact, _sum(stick), _sum(slip), pattern)

    def _rate(self, state: int, k: int, pattern: tuple[bool, ...]) -> str:
        """Order k of the rate of a state without friction, and without what `_drifts` adds."""
        series, waves = self.rates[state], self._waves(state, k, pattern)
        if not waves:
            return self.coefficient(series, k)
        assert isinstance(series, int)
        terms = [(c, node) for c, node in self._flat(series)[1] if node not in waves]
        return _sum([self.writer.scaled(c, text) for c, node in terms if (text := self.writer.at(node, k)) != "0.0"])

    def _drifts(self, state: int, k: int, pattern: tuple[bool, ...]) -> list[str]:
        """Order k + 1 of what waves in the rate of a state add up to. It is w_k/(k + 1), which as a recurrence of its
        own, d_k = −ω² d_(k−2)/(k (k − 1)), spares the division."""
        found = []
        for node in self._waves(state, k, pattern):
            if k <= 2:
                text = f"{self.writer.at(node, k)}*{1 / (k + 1)!r}"
            else:
                rate = self.tape.rate(self.tape.nodes[node].arguments[0])
                assert isinstance(self.writer, LaneWriter)
                text = f"{self.writer.curvature(rate, k * (k + 1))}*drift{state}_{node}_{k - 1}"
            self.writer.lines.append(f"drift{state}_{node}_{k + 1} = {text}")
            found.append(f"drift{state}_{node}_{k + 1}")
        return found

    def _waves(self, state: int, k: int, pattern: tuple[bool, ...]) -> list[int]:
        """Waves in the rate of a state that are added up apart: of those in slip, who are all that is expanded."""
        series = self.rates[state]
        if not self.apart or any(pattern) or k == 0 or not isinstance(series, int):
            return []
        terms = self._flat(series)[1]
        return [node for c, node in terms if c == 1 and self.tape.nodes[node].operation in HARMONIC]

    @cache  # noqa: B019 - a source lives as long as it is being written
    def _is_held(self, state: int, contact: int) -> bool:
        """Whether a sticking contact leaves a state no rate of its own."""
        e = self.equations
        return bool(sympy.expand(e.f[state] - e.G[state][contact] / e.D[contact][contact] * e.a[contact]) == 0)


def _marked(line: str, order: int) -> str:
    """An assignment, as one of a coefficient of so high an order."""
    target, text = line.split(" = ", 1)
    return line if text == "0.0" else f"{target} = tail({order}, {text})"


def _is_plain(e: sympy.Expr) -> bool:
    """A number, a quantity, a sum, a product, a magnitude or a whole power."""
    simple = e.is_Symbol or e.is_Number or e.is_Add or e.is_Mul or isinstance(e, sympy.Abs | Magnitude)
    return bool(simple or (e.is_Pow and e.exp.is_Integer))


def _sum(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ") or "0.0"


def lane_source(equations: Equations, order: int) -> str:
    """The text of a model for lockstep; empty where it has what lockstep does not do."""
    source = LaneSource(equations, order)
    return source.module() if source.serves() else ""
