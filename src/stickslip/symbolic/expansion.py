"""The Taylor expansion of a step, as text: the series of states, forces, limits and guards in every stick pattern.

`recurrence.py` has the recurrences of single operations; here they are put together for a model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property

import sympy

from stickslip.symbolic.equations import Equations, dense
from stickslip.symbolic.frozen import Frozen, sign_of, stored
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import grouped, indented, python
from stickslip.symbolic.recurrence import NOTHING, Looped, Order, Term, Unrolled, Writer, added, minus, place, plus
from stickslip.symbolic.tape import Tape

UNROLL_LIMIT = 9000
"""Longest straight-line code, in multiplications; beyond it, compiling costs more than running loops does."""

FACTORED = ["stuck = factor(trajectory)", "if stuck < 0:", "    return 1"]
"""The matrix of the sticking forces is factored, or not determined."""

LIFT_OFF, NEGATIVE_FRICTION, TOO_STEEP = "LIFT_OFF", "NEGATIVE_FRICTION", "TOO_STEEP"
"""What a run ends with when a watched quantity falls below zero: names in `kernels/outcome.py`."""


class Expansion:
    """The equations of one model on a tape, and the text of its series, for one Taylor order."""

    def __init__(self, equations: Equations, order: int) -> None:
        self.equations, self.order = equations, order
        self.n, self.contacts = len(equations.states), len(equations.h)
        tape = self.tape = self._tape()
        self.signs = [sign_of(i) for i in range(self.contacts)]
        speeds = {u: sign * h for u, sign, h in zip(equations.speeds, self.signs, equations.h, strict=True)}
        self.f = [tape.lower(e) for e in equations.f]
        self.acting = [{j: tape.lower(g) for j, g in row.items()} for row in equations.acting]
        self.G = [[*dense(row, self.contacts)] for row in self.acting]
        self.h = [tape.lower(e) for e in equations.h]
        self.kinetic = [e.xreplace(speeds) for e in equations.R]
        self.R = [tape.lower(e) for e in self.kinetic]
        self.S = [tape.lower(e) for e in equations.S]
        self.a = [tape.lower(e) for e in equations.a]
        self.coupled = [{j: tape.lower(d) for j, d in row.items()} for row in equations.coupled]
        self.D = [[*dense(row, self.contacts)] for row in self.coupled]
        slopes = {i: equations.slopes(equations.h[i]) for i in self._to_hold()}
        self.slopes = {i: {j: tape.lower(slope) for j, slope in row.items()} for i, row in slopes.items()}
        self.drifts = {i: tape.lower(sympy.diff(equations.h[i], TIME)) for i in slopes}
        lifting = [(i, tape.lower(equations.normal[i]), LIFT_OFF) for i in self._lifting()]
        # The coefficient and not the friction: that is zero, too, where a contact is not pressed.
        doubtful = [(i, tape.lower(e.xreplace(speeds)), NEGATIVE_FRICTION) for i, e in equations.doubtful.items()]
        steep = [(i, tape.lower(e), TOO_STEEP) for i, e in equations.steep.items()]
        self.watched = lifting + doubtful + steep
        self.own_guards = [tape.lower(guard.value) for guard in equations.own_guards]
        self.resolved = self._fading()
        self._lower_more()
        self.constants: dict[sympy.Expr, str] = {}
        for expression in (each for kept in equations.kept for each in kept.columns.values()):
            if isinstance(expression, sympy.Expr):
                self.constants.setdefault(expression, f"q{len(self.constants)}")
        self.width = order + 2

    def _tape(self) -> Tape:
        return Tape(self.equations)

    def _lower_more(self) -> None:
        """For subclasses: what else goes to the tape."""

    def _to_hold(self) -> list[int]:
        """Contacts from whose stick `_hold` takes round-off; in systems with masses `hold_still` of `kernels/mode.py`
        does, where it matters."""
        return [] if self.equations.velocities else [*range(self.contacts)]

    def _lifting(self) -> list[int]:
        """Contacts whose normal force may change."""
        return [i for i, e in enumerate(self.equations.normal) if not e.is_Number]

    def _fading(self) -> list[tuple[int, bool]]:
        """The arguments of functions that fade exponentially, and whether these do so to both sides.

        Far from where they matter they are so small that a series does not feel them, though the step may pass there.
        """
        nodes = [n for n in self.tape.nodes if n.operation in ("exp", "tanh", "sinh", "cosh")]
        moving = [n for n in nodes if self.tape.degree(n.arguments[0]) is None]
        return list(dict.fromkeys((n.arguments[0], n.operation != "exp") for n in moving))

    def constant(self, expression: sympy.Expr) -> str:
        """A constant of the step: a number, an entry of q, or something made from frozen branches."""
        if expression.is_Number:
            return repr(float(expression))
        if any(isinstance(symbol, Frozen) for symbol in expression.free_symbols):
            if expression.is_Symbol:
                return str(expression)
            return self.frozen.setdefault(self.with_constants(expression), f"r{len(self.frozen)}")
        name = self.constants.setdefault(expression, f"q{len(self.constants)}")
        self.used.add(expression)
        return name

    def with_constants(self, expression: sympy.Expr) -> sympy.Expr:
        """An expression whose parameters are entries of q: in a fixed order, so that the text is always the same."""
        free = expression.free_symbols
        return expression.xreplace({x: sympy.Symbol(self.constant(x)) for x in self.equations.parameters if x in free})

    def _stored(self, free: set[sympy.Symbol]) -> list[str]:
        room = sum(kept.room for kept in self.equations.kept)
        return [f"{stored(i)} = trajectory.store[{i}]" for i in range(room) if stored(i) in free]

    def _work(self) -> int:
        heavy = sum(1 for n in self.tape.nodes if n.operation not in ("state", "time", "linear", "select"))
        light = len(self.tape.nodes)
        return heavy * self.order**2 // 2 + light * self.order

    def _dispatch(self, patterns: list[tuple[bool, ...]]) -> list[str]:
        lines = ["def taylor(trajectory: Trajectory) -> int:", '    """Series of the step, by stick pattern."""']
        for pattern in patterns[:-1]:
            test = " and ".join(f"trajectory.mode[{i}] {'==' if stuck else '!='} 0" for i, stuck in enumerate(pattern))
            lines += [f"    if {test}:", f"        return {_name(pattern)}(trajectory)"]
        return [*lines, f"    return {_name(patterns[-1])}(trajectory)"]

    def _prepare(self, writer: Writer, pattern: tuple[bool, ...] | None) -> None:
        self.frozen: dict[sympy.Expr, str] = {}
        self.used: set[sympy.Expr] = set()
        self.writer = writer
        self.slip_series = [self._slip_series(i, pattern) for i in range(self.contacts)]
        self.rates = self._rates(pattern)

    def _preamble(self) -> list[str]:
        """Constants and frozen branches that the series use."""
        lines = [f"{sign} = float(trajectory.mode[{i}])" for i, sign in enumerate(self.signs)]
        lines += self._stored(set().union(*(guard.value.free_symbols for guard in self.equations.own_guards)))
        lines += [
            f"{name} = trajectory.constant[{i}]" for i, (e, name) in enumerate(self.constants.items()) if e in self.used
        ]
        for number, branch in enumerate(self.tape.branches):
            if branch.table is None:
                lines.append(f"_branch{number} = float(trajectory.branch[{number}])")
            else:
                names = ["knot", "end", "c0", "c1", "c2", "c3"]
                lines += [
                    f"_table{number}_{name} = TABLE{branch.table}[trajectory.branch[{number}]*6 + {i}]"
                    for i, name in enumerate(names)
                ]
                # Nothing lies below the first interval, nor above the last.
                lines.append(f"_table{number}_low = _table{number}_knot if trajectory.branch[{number}] > 0 else -1e300")
        return lines + [f"{name} = {python(e)}" for e, name in self.frozen.items()]

    def _slip_series(self, contact: int, pattern: tuple[bool, ...] | None) -> tuple[sympy.Expr, int | sympy.Expr]:
        """The friction force of a slipping contact, as a factor times a series: −s times R, or λ itself.

        A quotient with a constant above takes up the sign, which then need not be multiplied at every order.
        """
        sign, kinetic = self.signs[contact], self.R[contact]
        if pattern is not None and isinstance(kinetic, int):
            node = self.tape.nodes[kinetic]
            if node.operation == "quotient" and node.constants:
                return sympy.Integer(1), self.tape.quotient(-sign * node.constants[0], node.arguments[-1])
        return -sign, kinetic

    def _rates(self, pattern: tuple[bool, ...] | None) -> list[int | sympy.Expr]:
        """ż without the sticking forces: slip forces are merged into f, which shortens the chain of operations."""
        if pattern is None:
            return self.f
        slip = [j for j, stuck in enumerate(pattern) if not stuck]
        rates = []
        for f, row in zip(self.f, self.G, strict=True):
            terms = []
            for j in slip:
                if not isinstance(g := row[j], int) and g != 0:
                    factor, series = self.slip_series[j]
                    terms.append((factor * g, series))
            rates.append(self.tape.combination(f, terms))
        return rates

    def _wanted(self, pattern: tuple[bool, ...] | None) -> list[int | sympy.Expr]:
        """What this stick pattern needs."""
        slip = [i for i in range(self.contacts) if pattern is None or not pattern[i]]
        stuck = [i for i in range(self.contacts) if pattern is None or pattern[i]]
        wanted = [*self._rate_series(), *(x for row in self.G for x in row), *(x for _, x, _ in self.watched)]
        wanted += [g.node for g in self.tape.guards] + self.own_guards + [node for node, _ in self.resolved]
        wanted += [self.h[i] for i in slip] + [self.slip_series[i][1] for i in slip]
        wanted += [self.a[i] for i in stuck] + [self.S[i] for i in stuck]
        return wanted + [x for i in stuck for x in self.D[i]] + self._wanted_to_hold(stuck)

    def _wanted_to_hold(self, contacts: Iterable[int]) -> list[int | sympy.Expr]:
        """What `_hold` needs for these contacts."""
        return [x for i in contacts if i in self.slopes for x in [*self.slopes[i].values(), self.drifts[i]]]

    def _needed(self, pattern: tuple[bool, ...] | None) -> list[int]:
        """Nodes that this stick pattern uses, in the order of computation."""
        return sorted(self.tape.reachable(self._wanted(pattern)))

    def coefficient(self, lowered: int | sympy.Expr, k: Order) -> Term:
        """Order k of something lowered."""
        if isinstance(lowered, int):
            return self.writer.at(lowered, k)
        return self.constant(lowered) if k == 0 and lowered != 0 else NOTHING

    def _times_force(self, lowered: int | sympy.Expr, contact: int, k: Order, low: int = 0) -> Term:
        """Order k of (lowered · λ_contact), from order `low` of the factor on."""
        if isinstance(lowered, int):
            return self.writer.sum(
                low,
                self.writer.highest(lowered, k),
                lambda j: f"{self.writer.at(lowered, j)}*{self.force(contact, minus(k, j))}",
            )
        if lowered == 0 or low > 0:
            return NOTHING
        return self.writer.scaled(lowered, self.force(contact, k))

    def force(self, contact: int, k: Order) -> Term:
        if isinstance(self.writer, Unrolled):
            return self.writer.value_of(f"l{contact}_{k}")
        return self.place("force_series", contact, k)

    def place(self, field: str, row: int, k: Order) -> str:
        """The coefficient of order k in a row of a field of the trajectory."""
        return place(field, row, k)

    def row(self, kind: str, number: int) -> str:
        """The number of a contact, or of something of another kind, where it is an index."""
        return str(number)

    def sign(self, contact: int) -> str:
        """The mode of a contact."""
        return f"_sign{contact}"

    def _order(self, nodes: list[int], k: Order, pattern: tuple[bool, ...] | None) -> None:
        """All lines for one order: series, forces, outputs, and the next order of the states."""
        w = self.writer
        for node in nodes:
            n = self.tape.nodes[node]
            if n.operation == "state":
                continue
            if n.operation == "time":
                self._time(node, k)
            elif k == 0:
                w.first(node)
            elif not (isinstance(k, int) and n.degree is not None and k > n.degree):
                w.next(node, k)
        if pattern is None:
            self._forces_at_run_time(k)
        else:
            self._forces(k, pattern)
        self._outputs(k, pattern)
        if k != self.order:
            self._states(k, pattern)
            if self.slopes:
                self._hold(k, pattern)

    def _time(self, node: int, k: Order) -> None:
        if isinstance(k, int) and k <= 1:
            self.writer.put(node, k, "trajectory.time" if k == 0 else "1.0")
        elif not isinstance(k, int):
            self.writer.put(node, k, "1.0 if k == 1 else 0.0")

    def _slip_force(self, contact: int, k: Order) -> Term:
        factor, series = self.slip_series[contact]
        term = self.coefficient(series, k)
        return term if term is NOTHING or factor == 1 else f"-{self.sign(contact)}*{term}"

    def _forces(self, k: Order, pattern: tuple[bool, ...]) -> None:
        """λ at order k for a fixed stick pattern (at most two contacts)."""
        writer = self.writer
        assert isinstance(writer, Unrolled)
        lines = writer.lines
        for i, is_stuck in enumerate(pattern):
            if not is_stuck:
                writer.assign(f"l{i}_{k}", self._slip_force(i, k))
        stuck = [i for i, is_stuck in enumerate(pattern) if is_stuck]
        if k == 0 and stuck:
            self._invert(stuck)
        right = []
        for i in stuck:
            terms = [self.coefficient(self.a[i], k)]
            terms += [self._times_force(self.D[i][j], j, k) for j, is_stuck in enumerate(pattern) if not is_stuck]
            if k != 0:
                terms += [self._times_force(self.D[i][j], j, k, low=1) for j in stuck]
            right.append(added(terms))
        if len(stuck) == 1:
            writer.assign(f"l{stuck[0]}_{k}", right[0] if right[0] is NOTHING else f"-({right[0]})*inverse00")
        if len(stuck) == 2:
            lines += [f"right0 = -({right[0]})", f"right1 = -({right[1]})"]
            lines += [f"l{i}_{k} = inverse{r}0*right0 + inverse{r}1*right1" for r, i in enumerate(stuck)]

    def _invert(self, stuck: list[int]) -> None:
        """The inverse of the Delassus matrix of one or two sticking contacts."""
        d = [[self.coefficient(self.D[i][j], 0) for j in stuck] for i in stuck]
        if len(stuck) == 1:
            self.writer.lines += [
                f"delassus = {d[0][0]}",
                "if delassus == 0.0:",
                "    return 1",
                "inverse00 = 1.0/delassus",
            ]
            return
        self.writer.lines += [
            f"determinant = {d[0][0]}*{d[1][1]} - {d[0][1]}*{d[1][0]}",
            f"if abs(determinant) <= 1e-12*(abs({d[0][0]}*{d[1][1]}) + abs({d[0][1]}*{d[1][0]})):",
            "    return 1",
            f"inverse00 = {d[1][1]}/determinant",
            f"inverse01 = -{d[0][1]}/determinant",
            f"inverse10 = -{d[1][0]}/determinant",
            f"inverse11 = {d[0][0]}/determinant",
        ]

    def _forces_at_run_time(self, k: Order) -> None:
        """λ at order k for any stick pattern: slip forces first, then the sticking contacts together."""
        lines = self.writer.lines
        for i in range(self.contacts):
            self._let_slip(i, k)
        if k == 0:
            for i, row in enumerate(self.D):
                lines += [f"trajectory.matrix[{i}, {j}] = {self.coefficient(x, 0)}" for j, x in enumerate(row)]
            lines += FACTORED
        for i in range(self.contacts):
            self._set_right_side(i, k)
        lines.append("substitute(trajectory, stuck)")
        for i in range(self.contacts):
            self._take_solution(i, k)

    def _let_slip(self, i: int, k: Order) -> None:
        self.writer.lines.append(f"{self.force(i, k)} = {self._slip_force(i, k)}")

    def _set_right_side(self, i: int, k: Order) -> None:
        """What the force of a contact has to balance, if it sticks: a, and what the others do to it."""
        lines, mode, right = self.writer.lines, self._mode(i), f"trajectory.right_side[{self.row('contact', i)}]"
        mark = len(lines)
        terms = [self.coefficient(self.a[i], k)]
        terms += [self._times_force(d, j, k) for j, d in self.coupled[i].items()]
        inner = [f"{self.force(i, k)} = 0.0", *lines[mark:], f"{right} = -({added(terms)})"]
        lines[mark:] = [f"if {mode} == 0:", *indented(inner)]

    def _take_solution(self, i: int, k: Order) -> None:
        solution = f"trajectory.solution[{self.row('contact', i)}]"
        self.writer.lines += [f"if {self._mode(i)} == 0:", f"    {self.force(i, k)} = {solution}"]

    def _mode(self, contact: int) -> str:
        return f"trajectory.mode[{self.row('contact', contact)}]"

    def _outputs(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        for i in range(self.contacts):
            self._put_contact(i, k, pattern)
        for field, nodes in self._further_outputs().items():
            for i, node in enumerate(nodes):
                self._put_further(field, i, node, k)

    def _further_outputs(self) -> dict[str, list[int | sympy.Expr]]:
        """Series that are put down besides those of states and contacts, by field."""
        watched = [node for _, node, _ in self.watched] + [guard.node for guard in self.tape.guards] + self.own_guards
        return {"guard_series": watched, "resolved_series": [node for node, _ in self.resolved]}

    def _put_further(self, field: str, row: int, node: int | sympy.Expr, k: Order) -> None:
        self.writer.lines.append(f"{self.place(field, row, k)} = {self.coefficient(node, k)}")

    def _put_contact(self, i: int, k: Order, pattern: tuple[bool, ...] | None) -> None:
        lines = self.writer.lines
        sliding, static = self.coefficient(self.h[i], k), self.coefficient(self.S[i], k)
        if pattern is None:
            lines.append(f"{self.place('v_series', i, k)} = 0.0 if {self._mode(i)} == 0 else {sliding}")
            lines.append(f"{self.place('static_series', i, k)} = {static}")
            return
        lines.append(f"{self.place('v_series', i, k)} = {'0.0' if pattern[i] else sliding}")
        lines.append(f"{self.place('force_series', i, k)} = {self.force(i, k)}")
        if pattern[i]:
            lines.append(f"{self.place('static_series', i, k)} = {static}")

    def _separate(self, g: int | sympy.Expr, contact: int, pattern: tuple[bool, ...] | None) -> bool:
        """Whether the force of a contact is not merged into the rates (see _rates)."""
        return pattern is None or pattern[contact] or isinstance(g, int)

    def _states(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """z_(k+1) = (f_k + Σ (G λ)_k) / (k + 1); nothing where a contact holds the velocity of its mass."""
        for i in range(self.n):
            self._put_state(i, k, pattern)

    def _put_state(self, i: int, k: Order, pattern: tuple[bool, ...] | None) -> None:
        holding = self._holding.get(i, [])
        if pattern is not None and any(pattern[j] for j in holding):
            self.writer.put(i, k + 1 if isinstance(k, int) else f"{k} + 1", NOTHING)
            return
        terms = self._rate_terms(self.rates[i], k)
        for j, g in self.acting[i].items():
            if self._separate(g, j, pattern):
                one = sympy.Integer(1)
                terms.append((self._times_force(g, j, k), one) if isinstance(g, int) else (self.force(j, k), g))
        terms = [(series, factor) for series, factor in terms if series is not NOTHING]
        if isinstance(self.writer, Unrolled):
            assert isinstance(k, int)
            self.writer.put(i, k + 1, self._quotient(terms, k + 1))
            return
        text = str(added(self.writer.scaled(factor, series) for series, factor in terms if series is not None))
        if k != 0:
            text = f"({text})/({k} + 1)" if len(terms) > 1 else f"{text}/({k} + 1)"
        if holding:
            text = f"0.0 if {' or '.join(f'{self._mode(j)} == 0' for j in holding)} else {text}"
        self.writer.put(i, 1 if k == 0 else f"{k} + 1", text)

    # -- what sticks is held ------------------------------------------------------------------------------------------
    # f and G λ may be far larger than ż is where a contact sticks: a disturbance d, and friction λ = −d that cancels
    # it. What round-off leaves of v̇ = ∂h/∂z·ż + ∂h/∂t is then of the size ε·d, and would add up on long steps, however
    # small the motion. So it is taken out of every order as it comes, by impulses along G, as `project` does with v.

    def _hold(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """Order k + 1 of the states without what round-off leaves of v̇ where contacts stick."""
        if pattern is None:
            self._hold_at_run_time(k)
            return
        assert isinstance(k, int)
        lines, stuck = self.writer.lines, [i for i, is_stuck in enumerate(pattern) if is_stuck]
        lines += [f"left{r} = -({added(self._left(i, k))})" for r, i in enumerate(stuck)]
        for r, i in enumerate(stuck):
            terms = [f"inverse{r}{c}*left{c}" for c in range(len(stuck))]
            lines.append(f"impulse{i} = {' + '.join(terms)}")
        self._push(k, stuck)

    def _push(self, k: int, contacts: Sequence[int]) -> None:
        """Let impulses of these contacts, by name, act on order k + 1 of the states."""
        writer = self.writer
        assert isinstance(writer, Unrolled)
        for state, row in enumerate(self.G):
            terms = [f"{self.coefficient(row[i], 0)}*impulse{i}" for i in contacts if row[i] != 0]
            if terms:
                held = f"held{state}_{k + 1}"
                writer.lines.append(f"{held} = {writer.at(state, k + 1)} + ({' + '.join(terms)})*{1 / (k + 1)!r}")
                writer.same[f"n{state}_{k + 1}"] = held

    def _hold_at_run_time(self, k: Order) -> None:
        for i in self.slopes:
            self._set_left(i, k)
        self.writer.lines.append("substitute(trajectory, stuck)")
        for i in self.slopes:
            self._push_at_run_time(i, k)

    def _set_left(self, i: int, k: Order) -> None:
        """What the impulse of a contact has to take out, if it sticks."""
        lines, right = self.writer.lines, f"trajectory.right_side[{self.row('contact', i)}]"
        mark = len(lines)
        terms = self._left(i, k)
        lines[mark:] = [f"if {self._mode(i)} == 0:", *indented([*lines[mark:], f"{right} = -({added(terms)})"])]

    def _push_at_run_time(self, i: int, k: Order) -> None:
        """Let the impulse of a contact act, if it sticks."""
        solution = f"trajectory.solution[{self.row('contact', i)}]"
        part = solution if k == 0 else f"{solution}/({k} + 1)"
        lines = [
            f"{self.writer.at(j, plus(k, 1))} += {self.coefficient(row[i], 0)}*{part}"
            for j, row in enumerate(self.acting)
            if i in row
        ]
        self.writer.lines += [f"if {self._mode(i)} == 0:", *indented(lines or ["pass"])]

    def _left(self, i: int, k: Order) -> list[Term]:
        """The terms of order k of v̇ = ∂h/∂z·ż + ∂h/∂t of contact i."""
        terms = [self._times_rate(slope, j, k) for j, slope in self.slopes[i].items()]
        return [*terms, self.coefficient(self.drifts[i], k)]

    def _times_rate(self, slope: int | sympy.Expr, state: int, k: Order) -> Term:
        """Order k of a slope times the rate of a state."""
        writer = self.writer
        if not isinstance(slope, int):
            return writer.scaled(slope, self._rate_of(state, k))
        return writer.sum(
            0, writer.highest(slope, k), lambda j: f"{writer.at(slope, j)}*{self._rate_of(state, minus(k, j))}"
        )

    def _rate_of(self, state: int, k: Order) -> Term:
        """Order k of the rate of a state, (k + 1) z_(k+1)."""
        coefficient = self.writer.at(state, plus(k, 1))
        if coefficient is NOTHING:
            return NOTHING
        return f"{float(k + 1)}*{coefficient}" if isinstance(k, int) else f"({k} + 1)*{coefficient}"

    @cached_property
    def _holding(self) -> dict[int, list[int]]:
        """Per state, the contacts that in stick hold it where it is: a velocity, on ground or a belt of constant speed.

        What the forces that cancel there leave would be round-off, and would add up on long steps.
        """
        e = self.equations
        holding: dict[int, list[int]] = {}
        for i, h in enumerate(e.h):
            alone = [z for z in h.free_symbols if z in e.numbers or z == TIME]
            if i in e.own_forces or len(alone) != 1 or alone[0] == TIME:
                continue
            state = e.numbers[alone[0]]
            if state in self._velocities and sympy.diff(h, alone[0]).is_number:
                holding.setdefault(state, []).append(i)
        return holding

    @cached_property
    def _velocities(self) -> frozenset[int]:
        """The states that are rates of positions."""
        return frozenset(self.equations.velocities)

    def _quotient(self, terms: list[tuple[Term | None, sympy.Expr]], order: int) -> Term:
        """Σ series·factor / order, where the last series passes through one operation only."""
        text = ""
        for series, factor in terms:
            whole = factor / order
            if series is None:
                term = self._divided(factor, order)
            elif whole.is_Number and float(whole) == 1.0:
                term = str(series)
            elif text:
                text = f"fused({series}, {self._divided(factor, order)}, {text})"
                continue
            else:
                term = f"{self._divided(factor, order)}*{grouped(str(series))}"
            text = f"{text} + {term}" if text else term
        return text or NOTHING

    def _divided(self, factor: sympy.Expr, order: int) -> str:
        """factor/order. What is made of parameters alone is divided once for all steps, and read where it is used."""
        if factor.is_Number or order == 1:
            return self.constant(factor / order)
        if any(isinstance(symbol, Frozen) for symbol in factor.free_symbols):
            return f"{self.constant(factor)}*{1 / order!r}"
        name = self.constants.setdefault(factor / order, f"q{len(self.constants)}")
        return f"trajectory.constant[{name[1:]}]"

    def _rate_series(self) -> list[int | sympy.Expr]:
        """The series that the rates are made of, as `_rate_terms` uses them."""
        series: list[int | sympy.Expr] = []
        for rate in self.rates:
            linear = isinstance(rate, int) and self.tape.nodes[rate].operation == "linear"
            series += self.tape.nodes[rate].arguments if linear and isinstance(self.writer, Unrolled) else [rate]
        return series

    def _rate_terms(self, rate: int | sympy.Expr, k: Order) -> list[tuple[Term | None, sympy.Expr]]:
        """The terms of a rate at order k, as (series, factor); a constant is a factor without a series.

        Those made of states and time come first: they are known early, and what is added last is waited for least.
        """
        node = self.tape.nodes[rate] if isinstance(rate, int) else None
        if node is None or node.operation != "linear" or not isinstance(self.writer, Unrolled):
            return [(self.coefficient(rate, k), sympy.Integer(1))]
        early: list[tuple[Term | None, sympy.Expr]] = []
        late: list[tuple[Term | None, sympy.Expr]] = []
        if k == 0 and node.constants[0] != 0:
            early.append((None, node.constants[0]))
        for factor, series in zip(node.constants[1:], node.arguments, strict=True):
            known = self.tape.nodes[series].operation in ("state", "time")
            (early if known else late).append((self.writer.at(series, k), factor))
        return early + late

    def _unrolled(self, pattern: tuple[bool, ...]) -> list[str]:
        self._prepare(Unrolled(self.tape, self.constant, self.order), pattern)
        nodes = self._needed(pattern)
        body = self.writer.lines
        body += [f"n{i}_0 = trajectory.state[{i}]" for i in range(self.n)]
        for k in range(self.order + 1):
            self._order(nodes, k, pattern)
            body += [f"{place('state_series', i, k)} = {self.writer.at(i, k)}" for i in range(self.n)]
        words = ", ".join("stick" if stuck else "slip" for stuck in pattern) or "no contact"
        return [
            f"def {_name(pattern)}(trajectory: Trajectory) -> int:",
            f'    """Power series in time of one step: {words}."""',
            *indented([*self._preamble(), *body, "return 0"]),
        ]

    def _looped(self) -> list[str]:
        self._prepare(Looped(self.tape, self.constant, self.order, self._node_row), None)
        nodes = self._needed(None)
        w = self.writer
        w.lines += [f"{place('state_series', i, 0)} = trajectory.state[{i}]" for i in range(self.n)]
        self._order(nodes, 0, None)
        first, w.lines = w.lines, []
        self._order(nodes, "k", None)
        body = [*self._preamble(), *first, f"for k in range(1, {self.order} + 1):", *indented(w.lines), "return 0"]
        return [
            "def taylor(trajectory: Trajectory) -> int:",
            '    """Power series in time of one step, for any stick pattern."""',
            *indented(body),
        ]

    def _node_row(self, node: int) -> tuple[str, int]:
        """States have their row among the results, everything else in the work space."""
        if self.tape.nodes[node].operation == "state":
            return "state_series", node
        return "node_series", node

    def _taylor(self) -> list[str]:
        patterns = list(itertools.product((True, False), repeat=self.contacts)) if self.contacts <= 2 else []
        if patterns and self._work() * len(patterns) <= UNROLL_LIMIT:
            blocks = [self._unrolled(pattern) for pattern in patterns]
            return [line for block in [*blocks, self._dispatch(patterns)] for line in [*block, "", ""]][:-2]
        return self._looped()


def _name(pattern: tuple[bool, ...]) -> str:
    return "taylor_" + "_".join("stick" if stuck else "slip" for stuck in pattern) if pattern else "taylor_free"
