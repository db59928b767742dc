"""Source of a model for trajectories in lockstep: one text for stick and slip, chosen per trajectory by selects.

Every coefficient is a variable. Few sums are in flight and constants are few, since registers are what is scarce: many
trajectories at once hide the time that operations take.
"""

from __future__ import annotations

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.recurrence import Order, Unrolled, Writer, place
from stickslip.symbolic.source import Printer, Source, indented

LANE_LIMIT = 6000
"""Longest text of a step in multiplications: beyond it, compiling takes too long."""

MOST_CONTACTS = 2


class LaneWriter(Unrolled):
    """Recurrences with few variables alive."""

    def first(self, node: int) -> None:
        n = self.tape.nodes[node]
        if n.operation in ("sin", "cos"):
            name = "sine" if n.operation == "sin" else "cosine"
            self.put(node, 0, f"{name}({self.at(n.arguments[0], 0)})")
        else:
            super().first(node)

    def next(self, node: int, k: Order) -> None:
        n = self.tape.nodes[node]
        if n.operation == "square":
            assert isinstance(k, int)
            a = n.arguments[0]
            top = self.highest(a, k)
            assert isinstance(top, int)
            pairs = [f"{self.at(a, j)}*{self.at(a, k - j)}" for j in range((k - 1) // 2, k - top - 1, -1)]
            text = f"2.0*({' + '.join(pairs)})" if pairs else ""
            if k % 2 == 0 and k // 2 <= top:
                middle = f"{self.at(a, k // 2)}*{self.at(a, k // 2)}"
                text = f"{middle} + {text}" if text else middle
            self.put(node, k, text or "0.0")
        else:
            super().next(node, k)

    def quotient(self, node: int, k: Order) -> None:
        Writer.quotient(self, node, k)

    def known(self, node: int, b: int, k: Order) -> str:
        return Writer.known(self, node, b, k)


class LanePrinter(Printer):
    """Sine and cosine without branches."""

    def _print_sin(self, e: sympy.Expr) -> str:
        return f"sine({self._print(e.args[0])})"

    def _print_cos(self, e: sympy.Expr) -> str:
        return f"cosine({self._print(e.args[0])})"


class LaneSource(Source):
    """All generated text of one model for lockstep."""

    def _float_sizes(self) -> dict[str, int]:
        n, m, row = self.n, self.contacts, self.width
        kept = {"STATE": n, "TIME": 1, "END": 1, "SIGN": m, "FRESH": m, "BEFORE": m, "GUESS": 1, "LIMIT": 1}
        kept |= {"LOG_TOLERANCE": 1, "CONDITION": 1, "STEPS": 1, "ALLOWED": 1, "EVENTS": 1}
        kept |= {
            "WATCHING": 1,
            "WATCHED_LOW": n,
            "WATCHED_HIGH": n,
            "STICK_TIME": m,
            "HASTE": 1,
            "TRIES": 1,
            "POINT": 1,
            "HEED": 1,
            "CHANGE": m,
            "OLD_TIME": 1,
            "OLD_STATE": n,
        }
        self.kept = sum(kept.values())
        sizes = {"P": len(self.equations.parameters), "F": n, "G": n * m, "V": m, "R": m, "S": m, "A": m, "D": m * m}
        sizes |= {"SERIES": self.rows * row, "POLYNOMIAL": m * row}
        sizes |= {"SCALE": m, "NEAR_SIDE": m, "END_VALUE": m, "LEAST": m, "LEAD": m, "ROOT": m, "URGENCY": m}
        sizes |= {"INVERSE": m, "SINGULAR": 1}
        return kept | sizes

    def _integer_sizes(self) -> dict[str, int]:
        return {"MODE": self.contacts}

    def _constants_of_module(self) -> dict[str, int]:
        return super()._constants_of_module() | {"KEPT": self.kept, "LANE_ROWS": self.kept + len(self.constants)}

    def serves(self) -> bool:
        """Whether this model can travel in lockstep."""
        simple = not (
            self.tape.guards
            or self.tape.branches
            or self._hides()
            or self.equations.stiff
            or any(owner >= 0 for owner in self.equations.owners)
        )
        return simple and self.contacts <= MOST_CONTACTS and self._work() <= LANE_LIMIT

    def module(self) -> str:
        expansion, rest = self._expansion(), self._rest()  # first, because writing them collects the constants
        blocks = [self._header(), self._constants(), self._ingredients(), rest, expansion]
        return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"

    def _rest(self) -> list[str]:
        """Sliding velocities, and what impulses do, at the state after a step."""
        e, m = self.equations, self.contacts
        targets = [(f"W[V + {i}]", x) for i, x in enumerate(e.h)]
        targets += [(f"W[G + {i * m + j}]", x) for i, row in enumerate(e.G) for j, x in enumerate(row)]
        targets += [(f"W[D + {i * m + j}]", x) for i, row in enumerate(e.D) for j, x in enumerate(row)]
        targets += [(f"W[INVERSE + {i}]", 1 / e.D[i][i] if e.D[i][i] != 0 else e.D[i][i]) for i in range(m)]
        lines = []
        for target, x in targets:
            text = self.constant(x) if self.tape.is_constant(x) else self._plain(x)
            lines.append(f"{target} = {text}")
        names = [f"{s} = W[{i}]" for i, s in enumerate(e.states)] + ["t = W[TIME]"]
        return [
            "def rest(W: Floats) -> None:",
            '    """v, G and D at the present state."""',
            *indented([*names, *self._named_constants(), *lines]),
        ]

    def _plain(self, expression: sympy.Expr) -> str:
        """An expression of states and time, its parameters as constants."""
        own = {x: sympy.Symbol(self.constant(x)) for x in expression.free_symbols if x in self.equations.parameters}
        return str(LanePrinter().doprint(expression.xreplace(own)))

    def _named_constants(self) -> list[str]:
        return [f"{name} = W[Q + {i}]" for i, name in enumerate(self.constants.values())]

    def _expansion(self) -> list[str]:
        pattern = (False,) * self.contacts
        self._prepare(LaneWriter(self.tape, self.constant, self.order), pattern)
        self.rates = self.f
        nodes = sorted(self.tape.reachable([*self.f, *self._wanted(None)]))
        body = self.writer.lines
        body += [f"n{i}_0 = W[{i}]" for i in range(self.n)]
        for k in range(self.order + 1):
            self._order(nodes, k, pattern)
            body += [f"{place(self.row('state', i), k)} = {self.writer.at(i, k)}" for i in range(self.n)]
        signs = [f"_sign{i} = W[SIGN + {i}]" for i in range(self.contacts)]
        stuck = [f"stuck{i} = _sign{i} == 0.0" for i in range(self.contacts)]
        frozen = [f"{name} = {LanePrinter().doprint(e)}" for e, name in self.frozen.items()]
        return [
            "def expansion(W: Floats) -> None:",
            '    """Power series in time of one step, in stick or slip."""',
            *indented([*signs, *stuck, *self._named_constants(), *frozen, *body]),
        ]

    def _slip_series(self, contact: int, pattern: tuple[bool, ...] | None) -> tuple[sympy.Expr, int | sympy.Expr]:
        """λ in slip; sums of sums are made one, and take up the sign."""
        factor, series = super()._slip_series(contact, pattern)
        if factor == 1 or not isinstance(series, int) or self.tape.nodes[series].operation != "linear":
            return factor, series
        constant, terms = self._flat(series)
        return sympy.Integer(1), self.tape.combination(factor * constant, [(factor * c, node) for c, node in terms])

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

    def _forces(self, k: Order, pattern: tuple[bool, ...]) -> None:
        """λ at order k: of sticking contacts from a + D λ = 0, of slipping ones from the law."""
        writer = self.writer
        assert isinstance(writer, Unrolled)
        if k == 0:
            self._begin_forces()
        right = []
        for i in range(self.contacts):
            writer.lines.append(f"slip{i} = {self._slip_force(i, k)}")
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
            writer.lines.append(f"l{i}_{k} = ({right[i]})*minus{i} if stuck{i} else slip{i}")

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
                "W[SINGULAR] = 1.0 if doubt else 0.0",
                "inverse = 1.0/determinant",
                *("inverse00 = d11*inverse", "inverse01 = -d01*inverse"),
                *("inverse10 = -d10*inverse", "inverse11 = d00*inverse"),
            ]
            return
        doubts = []
        for i in range(self.contacts):
            x = self.equations.D[i][i]
            once = self.constant(-1 / x) if x != 0 and self.tape.is_constant(x) else f"-1.0/{d[i][i]}"
            lines.append(f"minus{i} = {once}")
            doubts.append(f"(stuck{i} and {d[i][i]} == 0.0)")
        lines.append(f"W[SINGULAR] = 1.0 if {' or '.join(doubts)} else 0.0" if doubts else "W[SINGULAR] = 0.0")

    def _outputs(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        lines = self.writer.lines
        if k == 0:
            self._scales()
        for i in range(self.contacts):
            lines.append(f"{place(self.row('v', i), k)} = {self.coefficient(self.h[i], k)}")
            lines.append(f"{place(self.row('force', i), k)} = {self.force(i, k)}")
            lines.append(f"{place(self.row('static', i), k)} = {self.coefficient(self.S[i], k)}")
        for i, (_, node, _) in enumerate(self.watched):
            lines.append(f"{place(self.row('guard', i), k)} = {self.coefficient(node, k)}")

    def _scales(self) -> None:
        """The size of the terms that make up each slip acceleration: the measure for its round-off."""
        for i in range(self.contacts):
            terms = [f"abs({self.coefficient(self.a[i], 0)})"]
            for j, x in enumerate(self.D[i]):
                if x != 0:
                    largest = f"max({self.coefficient(self.S[j], 0)}, abs(slip{j}))"
                    terms.append(f"abs({self.coefficient(x, 0)})*{largest}")
            self.writer.lines.append(f"W[SCALE + {i}] = {' + '.join(terms)}")

    def _states(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """z_(k+1) = (f_k + Σ (G λ)_k) / (k + 1)."""
        assert isinstance(k, int)
        for i in range(self.n):
            terms = [self.coefficient(self.rates[i], k)]
            for j, g in enumerate(self.G[i]):
                if g != 0:
                    terms.append(self._times_force(g, j, k))
            text = " + ".join(t for t in terms if t != "0.0") or "0.0"
            if k == 0 or text == "0.0":
                self.writer.put(i, k + 1, text)
            else:
                self.writer.put(i, k + 1, f"({text})*{1 / (k + 1)!r}")


def lane_source(equations: Equations, order: int) -> str | None:
    """The text of a model for lockstep; None where it has what lockstep does not do."""
    source = LaneSource(equations, order)
    return source.module() if source.serves() else None
