"""Source of a model for trajectories in lockstep: one text for stick and slip, chosen per trajectory by selects.

Every coefficient is a variable. Few sums are in flight and constants are few, since registers are what is scarce: many
trajectories at once hide the time that operations take.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import sympy

from stickslip.symbolic.entering import FROM_LANE, EntryWriter
from stickslip.symbolic.equations import Equations, Table
from stickslip.symbolic.frozen import Frozen, branch_of
from stickslip.symbolic.lane_recurrence import CIRCULAR, HARMONIC, LaneTape, LaneWriter
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import Printer, grouped, indented, python
from stickslip.symbolic.recurrence import NOTHING, Order, Term, Unrolled, added, summed, there
from stickslip.symbolic.rounding import Magnitude, pace, size
from stickslip.symbolic.source import Source
from stickslip.symbolic.tape import Guard, Node, Tape, interval_of
from stickslip.symbolic.wave import with_waves

LANE_LIMIT = 6000
"""Longest text of a step in multiplications: beyond it, compiling takes too long."""

MOST_CONTACTS = 12

MOST_INTERVALS = 64
"""Most intervals that all tables of a model have together: where one is left, the next is chosen among all of them."""

LOST = 1e-12
"""Of a pivot, relative to the diagonal: if no more is left, sticking forces are not determined."""

TAIL = 3
"""The first order at which coefficients are marked, see `tail` of machine.py."""

INTERVAL = ("knot", "low", "end", "c0", "c1", "c2", "c3")
"""An interval of a table: see `load_intervals` of kernels/model.py."""

LANE_IMPORTS = """\
from stickslip.kernels.chance import drawn_score
from stickslip.kernels.circular import cosine, sine
from stickslip.kernels.elementary import exponential, hyperbolic_tangent
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.machine import TOGETHER, tail
"""
"""What a generated module imports besides."""


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
        self.sharp = self._sharp()
        self.G = [[g if isinstance(g, int) else g / u for g, u in zip(row, self.units, strict=True)] for row in self.G]

    def _tape(self) -> Tape:
        return LaneTape(self.equations)

    def _constants_of_module(self) -> dict[str, int]:
        varies = any(isinstance(limit, int) for limit in self.S)
        driven = any(self._is_driven(i) for i in range(self.contacts))
        flags = {"LIMIT_VARIES": int(varies), "APART": int(self.apart), "DRIVES": int(driven)}
        flags["SHARP"] = len(self.sharp)
        flags["TABLES"] = len(self.tape.tables)
        flags["AMBIGUOUS"] = int(self._coupled() and not self._begins_to_slip_smoothly())
        flags["PUSH_EACH_OTHER"] = int(self._coupled())
        flags["REMEMBERED"] = self.n if self.equations.resets or self.equations.draws else 0
        flags |= {"CHANCE": 6, "DRAWING": self.contacts} if self.equations.draws else {"CHANCE": 0, "DRAWING": 0}
        return super()._constants_of_module() | flags

    def serves(self) -> bool:
        """Whether this model can travel in lockstep."""
        e = self.equations
        simple = self._remembers_simply() and not any(x.has(Table) for x in self._kinematic())
        intervals = sum(len(e.tables[b.table].speeds) for b in self.tape.branches if b.table is not None)
        small = self.contacts <= MOST_CONTACTS and intervals <= MOST_INTERVALS
        return simple and small and self._work() <= LANE_LIMIT

    def _remembers_simply(self) -> bool:
        """Whether internal states change only as time goes on and where their contacts enter a mode.

        Contacts with guards, forces or kernels of their own are left to the march. So is chance where branches end
        steps as well, since events are not counted there as the march does, by which it draws; and where contacts push
        each other, since it decides for all of them together.
        """
        e = self.equations
        special = e.kept or e.own_guards or e.own_forces or e.steep or any(e.undecided) or not all(e.limited)
        pushed = any(g != 0 for owner, row in zip(e.owners, e.G, strict=False) if owner >= 0 for g in row)
        intricate = e.draws and (self.tape.branches or self._coupled())
        return not (special or pushed or intricate)

    def _kinematic(self) -> list[sympy.Expr]:
        """What is needed where a step leads."""
        e = self.equations
        return [*e.h, *(x for row in [*e.G, *e.D] for x in row)]

    def module(self) -> str:
        # First, because writing them collects the constants.
        lanes = [
            self._expansion(at_rest=False),
            self._expansion(at_rest=True),
            self._kinematics(),
            self._enter(),
            self._relaxing(),
        ]
        branches = [self._branches(), self._load_intervals(), self._guard_sizes()] if self.tape.branches else []
        blocks = [[*self._header(), LANE_IMPORTS], self._constants(), self._ingredients(), self._sizes()]
        blocks += [*lanes, *branches]
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

    def _enter(self) -> list[str]:
        """What internal states do where a contact enters the mode that it tries."""
        writer = EntryWriter(self.equations, "lane", FROM_LANE, self._values_in_lane, self._as_constants)
        body = [*writer.draws(), *writer.resets()] if self._remembers_simply() else []
        return [
            "def enter(lane: Lane, contact: int) -> None:",
            '    """Internal states of a contact that enters the mode it tries."""',
            *(body or ["    pass"]),
        ]

    def _relaxing(self) -> list[str]:
        """What relaxes, and how quickly."""
        squares = self._squares_of_rates()
        lines = [f"largest = max(largest, abs({self._plain(x)}))" for x in squares]
        return [
            "def fastest_of(lane: Lane) -> float:",
            '    """How fast something relaxes or swings at the present point."""',
            *indented([*self._values_in_lane(squares), "largest = 0.0", *lines, "return sqrt(largest)"]),
        ]

    def _values_in_lane(self, expressions: Iterable[sympy.Expr]) -> list[str]:
        """The states, the time, the modes and the constants by name, as far as `expressions` use them."""
        names = {str(x) for e in expressions for x in self.with_constants(e).free_symbols}
        e = self.equations
        values = {str(s): f"lane.state[{i}]" for i, s in enumerate(e.states)} | {str(TIME): "lane.time"}
        values |= {str(sign): f"lane.mode[{i}]" for i, sign in enumerate(self.signs)}
        values |= {name: f"lane.constant[{i}]" for i, name in enumerate(self.constants.values())}
        return [f"{name} = {value}" for name, value in values.items() if name in names]

    def _as_constants(self, expression: sympy.Expr) -> str:
        """An expression, its parameters as constants, for one lane alone."""
        return python(self.with_constants(expression))

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
        wanted = self._wanted_at_rest() if at_rest else self._wanted(None)
        self.expanded = self.tape.reachable([*self.f, *wanted])
        nodes = sorted(self.expanded)
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
        before = [*signs, *stuck, "now = lane.time", *self._named_constants(), *self._named_branches(), *frozen]
        return [*heading, *indented([*before, *body])]

    def _sharp(self) -> list[int]:
        """The arguments of functions with a singularity at zero: little of them counts as much as all."""
        nodes = [n for n in self.tape.nodes if n.operation in ("power", "sqrt", "log")]
        return list(dict.fromkeys(n.arguments[0] for n in nodes if self.tape.degree(n.arguments[0]) is None))

    def _wanted_at_rest(self) -> list[int | sympy.Expr]:
        """What those at rest need; arguments of exponentials only where these have a say in stick as well."""
        left = {*dict(self.resolved), *(guard.node for guard in self.tape.guards)}
        wanted = [x for x in self._wanted((True,) * self.contacts) if x not in left]
        return [*wanted, *(self._guard(guard, (True,) * self.contacts) for guard in self.tape.guards)]

    def _output(self, kind: str, index: int, k: int, term: Term, pattern: tuple[bool, ...]) -> None:
        """Order k of a series that others want."""
        self._put(f"tick.{kind}_series[{index}, {k}]", str(term), pattern)

    def _put(self, target: str, text: str, pattern: tuple[bool, ...]) -> None:
        """What is told of a step. Where those at rest are apart, it was told before as if they slipped."""
        self.writer.lines.append(f"{target} = {text} if stuck0 else {target}" if any(pattern) else f"{target} = {text}")

    def _either(self, contact: int, stick: Term, slip: Term, pattern: tuple[bool, ...]) -> Term:
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
        """As before; what depends on slip signs and frozen branches is these times what is known once for all steps."""
        frozen = [x for x in expression.free_symbols if isinstance(x, Frozen)]
        if not frozen:
            return super().constant(expression)
        once = expression.replace(lambda e: e.is_Pow and e.base in self.signs and e.exp.is_odd, lambda e: e.base)
        known, changing = once.as_independent(*frozen, as_Add=False)
        if known.is_Number:
            return super().constant(once)
        return super().constant(changing * sympy.Symbol(super().constant(known)))

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
        """Whether sticking contacts push each other."""
        return any(x != 0 for i, row in enumerate(self.D) for j, x in enumerate(row) if i != j)

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
            right.append(added(terms))
        if self._coupled():
            for i in range(self.contacts):
                writer.lines.append(f"right{i} = -({right[i]}) if stuck{i} else slip{i}")
            if self.contacts > 2:
                self._substitute([f"l{i}_{k}" for i in range(self.contacts)])
                return
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
            lines.append(f"gain{contact} = {summed(slopes)}")
            return
        older = [(c, self.writer.older(node, k)) for c, node in terms]
        known = [self.writer.scaled(c, term) for c, term in older if term is not NOTHING]
        lines.append(f"older{contact} = {summed(known)}")
        lines.append(f"slip{contact} = gain{contact}*{self.writer.at(argument, k)} + older{contact}")

    def _parts(self, contact: int) -> tuple[int | None, list[tuple[sympy.Expr, int]]]:
        """The series of which λ in slip is a function, and the (factor, series) it is made of.

        No series where there are several, or where the effect of λ changes.
        """
        assert isinstance(self.writer, LaneWriter)
        series = self.slip_series[contact][1]
        terms = self._flat(series)[1] if isinstance(series, int) else []
        arguments: set[int | None] = {self.writer.argument(node) for _, node in terms}
        if any(self.tape.nodes[node].operation == "cube" for _, node in terms):  # beside it stands the series itself
            itself = [node for _, node in terms if self.writer.argument(node) is None]
            arguments = {*itself, *(x for x in arguments if x is not None)}
        return (arguments.pop(), terms) if len(arguments) == 1 and self._is_steady(contact) else (None, terms)

    def _begin_forces(self) -> None:
        """The inverse of the Delassus matrix, rows of slipping contacts replaced by those of the unit matrix."""
        lines = self.writer.lines
        d = [[self.coefficient(x, 0) for x in row] for row in self.D]
        if self._coupled() and self.contacts > 2:
            self._factor(d)
            return
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

    def _factor(self, d: list[list[Term]]) -> None:
        """The Delassus matrix, rows of slipping contacts replaced by those of the unit matrix, as L U.

        Its diagonal is what one pivots on, since it is symmetric and positive in mechanics: where a pivot is lost, so
        are the forces. What is zero in the matrix, and stays so, is not written.
        """
        lines, n = self.writer.lines, self.contacts
        self.filled = {(i, j) for i in range(n) for j in range(n) if i == j or d[i][j] is not NOTHING}
        for i, j in sorted(self.filled):
            lines.append(f"d{i}_{j} = {d[i][j]} if stuck{i} else {float(i == j)}")
        for p in range(n):
            lost = f"abs(d{p}_{p}) <= {LOST}*abs({d[p][p]})"
            lines += [f"doubt{p} = stuck{p} and {lost}", f"over{p} = 1.0/d{p}_{p}"]
            below = [i for i in range(p + 1, n) if (i, p) in self.filled]
            right = [j for j in range(p + 1, n) if (p, j) in self.filled]
            for i in below:
                lines.append(f"d{i}_{p} = d{i}_{p}*over{p}")
                for j in right:
                    before = f"d{i}_{j} - " if (i, j) in self.filled else "-"
                    lines.append(f"d{i}_{j} = {before}d{i}_{p}*d{p}_{j}")
                    self.filled.add((i, j))
        lines.append(f"tick.singular = 1.0 if {' or '.join(f'doubt{p}' for p in range(n))} else 0.0")

    def _substitute(self, unknowns: Sequence[str]) -> None:
        """The unknowns of all contacts, such as λ at one order, from L U λ = right."""
        lines, n = self.writer.lines, self.contacts
        for i in range(n):
            known = [f"d{i}_{j}*right{j}" for j in range(i) if (i, j) in self.filled]
            if known:
                lines.append(f"right{i} = right{i} - ({' + '.join(known)})")
        for i in range(n - 1, -1, -1):
            known = [f"d{i}_{j}*{unknowns[j]}" for j in range(i + 1, n) if (i, j) in self.filled]
            rest = f"(right{i} - ({' + '.join(known)}))" if known else f"right{i}"
            lines.append(f"{unknowns[i]} = {rest}*over{i}")

    def _outputs(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        assert isinstance(k, int) and pattern is not None
        if k == 0:
            self._scales(pattern)
        for i in range(self.contacts):
            if not pattern[i]:
                self._output("v", i, k, self.coefficient(self.h[i], k), pattern)
            # Where those at rest are apart, no more is asked of the friction of those in slip.
            known = k <= 2 or pattern[i] or not self.apart
            self._output("force", i, k, self.force(i, k) if known else NOTHING, pattern)
            self._output("static", i, k, self.coefficient(self.S[i], k), pattern)
        for i, (_, node, _) in enumerate(self.watched):
            self._output("guard", i, k, self.coefficient(node, k), pattern)
        for i, guard in enumerate(self.tape.guards):
            self._output("branch", i, k, self.coefficient(self._guard(guard, pattern), k), pattern)
        for i, (node, _) in enumerate(self.resolved):
            known = node in self.expanded
            self._output("resolved", i, k, self.coefficient(node, k) if known else NOTHING, pattern)
        for i, node in enumerate(self.sharp):
            known = node in self.expanded
            self._output("sharp", i, k, self.coefficient(node, k) if known else f"{float(k == 0)}", pattern)

    def _scales(self, pattern: tuple[bool, ...]) -> None:
        """The size of the terms that make up each slip acceleration: the measure for its round-off."""
        for i in range(self.contacts):
            terms = [self._size_of_acceleration(i)]
            for j, x in enumerate(self.D[i]):
                if x != 0:
                    static = str(self.coefficient(self.S[j], 0))
                    largest = static if pattern[j] else f"max({static}, abs(slip{j}))"
                    effect = x if isinstance(x, int) else x / self.units[j]
                    terms.append(largest if effect == 1 else f"abs({self.coefficient(effect, 0)})*{largest}")
            self._put(f"tick.acceleration_size[{i}]", " + ".join(terms), pattern)

    # -- frozen branches --------------------------------------------------------------------------------------

    def _guard(self, guard: Guard, pattern: tuple[bool, ...]) -> int | sympy.Expr:
        """What is positive while a branch holds; where this text is for those at rest, without slip."""
        if not any(pattern):
            return guard.node
        at_rest = dict.fromkeys(self.signs, sympy.Integer(0))
        e, number = self.tape.branches[guard.branch].expression.xreplace(at_rest), guard.branch
        bounds = {0: branch_of(number) * e, -1: e - interval_of(number, "low"), 1: interval_of(number, "end") - e}
        return self.tape.lower(bounds[guard.step])

    def _named_branches(self) -> list[str]:
        """Where every branch stands; of a table, its interval."""
        lines = []
        for number, branch in enumerate(self.tape.branches):
            if branch.table is None:
                lines.append(f"{branch_of(number)} = lane.branch[{number}]")
            else:
                place = [*self.tape.tables.values()].index(number)
                lines += [f"{interval_of(number, x)} = lane.interval[{place}, {i}]" for i, x in enumerate(INTERVAL)]
        return lines

    def _load_intervals(self) -> list[str]:
        lines = [
            "def load_intervals(lane: Lane) -> None:",
            '    """Of every table the interval in which its argument lies."""',
        ]
        for place, number in enumerate(self.tape.tables.values()):
            table = self.tape.branches[number].table
            entries = {0: 0, 2: 1} | {k: k - 1 for k in range(3, len(INTERVAL))}
            values = {i: f"TABLE{table}[row*6 + {k}]" for i, k in entries.items()}
            values[1] = f"(TABLE{table}[row*6] if row > 0 else -1e300)"
            chosen = [
                f"lane.interval[{place}, {i}] = {x} if here else lane.interval[{place}, {i}]" for i, x in values.items()
            ]
            lines += indented(["number = 0.0", f"for row in range(ROWS{table}):"])
            lines += indented([f"here = lane.branch[{number}] == number", *chosen, "number += 1.0"], 2)
        return lines if self.tape.tables else [*lines, "    pass"]

    def _guard_sizes(self) -> list[str]:
        """The terms of what ends branches, and of its rate; where that takes more than products, values have to do."""
        e, lines = self.equations, []
        forces = (f"max(abs(tick.static_series[{i}, 0]), abs(tick.force_series[{i}, 0]))" for i in range(self.contacts))
        paces = self._paces(self.units)
        for i, guard in enumerate(self.tape.guards):
            expression = with_waves(self.tape.branches[guard.branch].expression)
            terms, rate = size(expression), pace(expression, paces)
            terms_text = self._plain(terms) if _is_simple(terms) else f"abs(tick.branch_series[{i}, 0])"
            rate_text = self._plain(rate) if _is_simple(rate) else f"abs(tick.branch_series[{i}, 1])"
            lines.append(f"tick.guard_size[{i}] = {grouped(terms_text)} + tick.natural_step*{grouped(rate_text)}")
        names = [f"{s} = lane.state[{i}]" for i, s in enumerate(e.states)] + ["t = lane.time"]
        names += [f"{sign} = lane.mode[{i}]" for i, sign in enumerate(self.signs)]
        names += [f"_load{i} = {force}" for i, force in enumerate(forces)]
        return [
            "def guard_sizes(lane: Lane, tick: Tick) -> None:",
            '    """The size of the terms of what ends branches, and of its rate times the step."""',
            *indented([*names, *self._named_constants(), *lines]),
        ]

    def _arrays(self) -> list[str]:
        follows = [int(self._follows(guard)) for guard in self.tape.guards] or [0]
        pushes = [[int(x != 0 or self.D[j][i] != 0) for j, x in enumerate(row)] for i, row in enumerate(self.D)] or [
            [0]
        ]
        return [*super()._arrays(), f"GUARD_FOLLOWS = np.array({follows})", f"PUSHES = np.array({pushes})"]

    def _follows(self, guard: Guard) -> bool:
        """Whether what ends a branch moves as states and time do, so that these resolve it."""
        e = self.tape.branches[guard.branch].expression
        slopes = (sympy.diff(e, x) for x in (*self.equations.states, TIME))
        return all(self.tape.is_constant(slope) for slope in slopes)

    def _size_of_acceleration(self, contact: int) -> str:
        """The terms of a, see rounding.py. Where that takes more than sums and products, its value has to do."""
        terms = size(with_waves(self.equations.a[contact]))
        if not _is_simple(terms):
            return f"abs({self.coefficient(self.a[contact], 0)})"
        states = {z: sympy.Symbol(self.writer.at(i, 0), real=True) for i, z in enumerate(self.equations.states)}
        return grouped(self._plain(terms.xreplace(states | {TIME: sympy.Symbol("now", real=True)})))

    def _states(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """z_(k+1) = (f_k + Σ (G λ)_k) / (k + 1)."""
        assert isinstance(k, int) and pattern is not None
        for i in range(self.n):
            acting = [j for j, g in enumerate(self.G[i]) if g != 0]
            if len(acting) == 1 and self._parts(acting[0])[0] is not None:
                rate = self._pushed(i, acting[0], k, pattern)
            else:
                forces = [self._times_force(self.G[i][j], j, k) for j in acting]
                rate = summed([self._rate(i, k, pattern), *forces])
            if k > 0 and rate is not NOTHING:
                rate = f"({rate})*{1 / (k + 1)!r}"
            total = summed([rate, *self._drifts(i, k, pattern)])
            holding = [] if self.apart else self._holding.get(i, [])
            if holding and total is not NOTHING:
                total = f"0.0 if {' or '.join(f'stuck{j}' for j in holding)} else {total}"
            self.writer.put(i, k + 1, total)

    def _to_hold(self) -> list[int]:
        """All contacts in stick, but those whose states have no rate then."""
        held = {i for contacts in self._holding.values() for i in contacts}
        return [i for i in range(self.contacts) if i not in held]

    def _wanted_to_hold(self, contacts: Iterable[int]) -> list[int | sympy.Expr]:
        """Where nothing moves in stick but what is driven, nothing is to be held."""
        return [] if self.apart else super()._wanted_to_hold(contacts)

    def _hold(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """As in the march, with selects."""
        assert isinstance(k, int)
        if self.apart:
            return
        lines, contacts = self.writer.lines, range(self.contacts)
        left = {i: added(self._left(i, k)) for i in self.slopes}
        if not self._coupled():
            for i, rest in left.items():
                impulse = f"-({rest})" if self._is_steady(i) else f"({rest})*minus{i}"
                lines.append(f"impulse{i} = {impulse} if stuck{i} else 0.0")
            self._push(k, [*left])
            return
        lines += [f"right{i} = -({left[i]}) if stuck{i} else 0.0" if i in left else f"right{i} = 0.0" for i in contacts]
        if self.contacts > 2:
            self._substitute([f"impulse{i}" for i in contacts])
        else:
            lines += [f"impulse{i} = inverse{i}0*right0 + inverse{i}1*right1" for i in contacts]
        self._push(k, contacts)

    def _pushed(self, state: int, contact: int, k: int, pattern: tuple[bool, ...]) -> Term:
        """The rate of a state on which one contact acts: the newest order of the slip speed is added last."""
        g, argument = self.G[state][contact], self._parts(contact)[0]
        assert not isinstance(g, int) and argument is not None
        rate = self._rate(state, k, pattern)
        free, a = (there([x]) for x in (rate, self.coefficient(self.a[contact], k)))
        stick = [] if self._is_held(state, contact) else [*free, *(self.writer.scaled(-g, x) for x in a)]
        if pattern[contact]:
            return summed(stick)
        if k == 0:
            self.writer.lines.append(f"push{state} = {self.writer.scaled(g, f'gain{contact}')}")
            slip = [*free, self.writer.scaled(g, f"slip{contact}")]
        else:
            older = self.writer.scaled(g, f"older{contact}")
            slip = [*free, older, f"push{state}*{self.writer.at(argument, k)}"]
        return self._either(contact, summed(stick), summed(slip), pattern)

    def _rate(self, state: int, k: int, pattern: tuple[bool, ...]) -> Term:
        """Order k of the rate of a state without friction, and without what `_drifts` adds."""
        series, waves = self.rates[state], self._waves(state, k, pattern)
        if not waves:
            return self.coefficient(series, k)
        assert isinstance(series, int)
        terms = [(c, node) for c, node in self._flat(series)[1] if node not in waves]
        return summed(self.writer.scaled(c, x) for c, node in terms if (x := self.writer.at(node, k)) is not NOTHING)

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
    return line if text == str(NOTHING) else f"{target} = tail({order}, {text})"


def _is_simple(terms: sympy.Expr) -> bool:
    """Whether an expression takes no more than sums and products."""
    return all(_is_plain(e) for e in sympy.preorder_traversal(terms))


def _is_plain(e: sympy.Expr) -> bool:
    """A number, a quantity, a sum, a product, a magnitude or a whole power."""
    simple = e.is_Symbol or e.is_Number or e.is_Add or e.is_Mul or isinstance(e, sympy.Abs | Magnitude)
    return bool(simple or (e.is_Pow and e.exp.is_Integer))


def lane_source(equations: Equations, order: int) -> str:
    """The text of a model for lockstep; empty where it has what lockstep does not do."""
    source = LaneSource(equations, order)
    return source.module() if source.serves() else ""
