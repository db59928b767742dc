"""Readable source of a model: its ingredients, its Taylor recurrences, its Jacobians.

The generated functions are plain Python on numbers and arrays. The kernels (integration loop, event location, choice of
mode) call them by the names documented in `stickslip.kernels.model`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from functools import cached_property

import sympy
from sympy.printing.pycode import PythonCodePrinter

from stickslip.symbolic.equations import Equations, Table, TableSlope
from stickslip.symbolic.frozen import Frozen, sign_of, stored
from stickslip.symbolic.memory import TIME, Draw, Kept, OwnGuard, Reset
from stickslip.symbolic.recurrence import Looped, Order, Unrolled, Writer, minus, place
from stickslip.symbolic.rounding import Magnitude, pace, size
from stickslip.symbolic.tape import Tape
from stickslip.symbolic.wave import Wave, with_waves

UNROLL_LIMIT = 9000
"""Longest straight-line code, in multiplications; beyond it, compiling costs more than running loops does."""


LIFT_OFF, NEGATIVE_FRICTION, TOO_STEEP = "LIFT_OFF", "NEGATIVE_FRICTION", "TOO_STEEP"
"""What a run ends with when a watched quantity falls below zero: names in `kernels/outcome.py`."""


VARIED = ("VARIED_STATES", "VARIED_CONTACTS", "VARIED_GUARDS", "VARIED_BRANCHES")
"""Sizes of what varies with a motion: none where variations are not wanted."""

BEFORE_SIZES = """\
from math import atan, copysign, cos, cosh, exp, log, pi, sin, sinh, sqrt, tan, tanh

import numpy as np

from stickslip.kernels import outcome
from stickslip.kernels.records import Floats, Ints
"""
AFTER_SIZES = """
from stickslip.kernels.trajectory import Trajectory
from stickslip.kernels import bristles
from stickslip.kernels.chance import drawn_score
from stickslip.kernels.clock import line, wave_cosine, wave_sine
from stickslip.kernels.linear import count_stuck, factor, substitute
from stickslip.kernels.machine import fused
from stickslip.kernels.tables import frozen_interval, frozen_sign, table_slope, table_value
"""
"""What a generated module imports: kernels that need its sizes come after these."""

BOND_COLUMNS = ("BRISTLES", "SLIPPING", "BOND_PLACE", "BOND_STATE", "BOND_LIMIT", "BOND_MEAN")
"""What the kernels know of the bristles of each contact; parameters by their numbers."""


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


class Source:
    """All generated text of one model, for one Taylor order."""

    def __init__(self, equations: Equations, order: int) -> None:
        self.equations, self.order = equations, order
        self.n, self.contacts = len(equations.states), len(equations.h)
        tape = self.tape = self._tape()
        self.signs = [sign_of(i) for i in range(self.contacts)]
        speeds = {u: sign * h for u, sign, h in zip(equations.speeds, self.signs, equations.h, strict=True)}
        self.f = [tape.lower(e) for e in equations.f]
        self.G = [[tape.lower(e) for e in row] for row in equations.G]
        self.h = [tape.lower(e) for e in equations.h]
        self.kinetic = [e.xreplace(speeds) for e in equations.R]
        self.R = [tape.lower(e) for e in self.kinetic]
        self.S = [tape.lower(e) for e in equations.S]
        self.a = [tape.lower(e) for e in equations.a]
        self.D = [[tape.lower(e) for e in row] for row in equations.D]
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

    # -- pieces of text ---------------------------------------------------------------------------------------

    def module(self) -> str:
        """The whole text. `taylor` comes first because writing it collects the constants."""
        taylor = self._taylor()
        blocks = [
            self._header(),
            self._constants(),
            self._ingredients(),
            self._sizes(),
            self._branches(),
            self._reset(),
            self._jump(),
            *self._store_functions(),
        ]
        blocks += [self._fastest(), taylor]
        return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"

    def _constants_of_module(self) -> dict[str, int]:
        """Sizes of the model."""
        equations = self.equations
        sizes = {
            "STATES": self.n,
            "CONTACTS": self.contacts,
            "PARAMETERS": len(equations.parameters),
            "CONSTANTS": len(self.constants),
            "BRANCHES": len(self.tape.branches),
            "WATCHED": len(self.watched),
            "GUARDS": len(self.tape.guards),
            "NODES": len(self.tape.nodes),
            "RESOLVED": len(self.resolved),
            "RESETS": sum(map(len, (equations.resets, equations.draws, equations.kept, equations.own_guards))),
            "DRAWS": len(equations.draws),
            "OWN_GUARDS": len(equations.own_guards),
            "STORE": sum(kept.room for kept in equations.kept),
            "STIFF": int(bool(self.equations.stiff)),
            "MECHANICAL": int(bool(self.equations.velocities)),
            "ORDER": self.order,
            "WIDTH": self.width,
        }
        sizes |= dict.fromkeys(("DIRECTIONS", *VARIED), 0)
        sizes |= {f"ROWS{i}": len(table.speeds) for i, table in enumerate(self.equations.tables)}
        return sizes | {f"QUANTILES{i}": len(table) for i, table in enumerate(self.equations.quantiles)}

    def _header(self) -> list[str]:
        guards, equations, contacts = self.tape.guards, self.equations, max(self.contacts, 1)
        outcomes = ", ".join(f"outcome.{name}" for _, _, name in self.watched)
        return [
            BEFORE_SIZES,
            *(f"{name} = {value}" for name, value in self._constants_of_module().items()),
            *self._arrays(),
            f"WATCHED_CONTACT = np.array({[i for i, _, _ in self.watched] or [0]})",
            f"WATCHED_OUTCOME = np.array([{outcomes or 0}])",
            f"RIGID = np.array({[int(i not in equations.own_forces) for i in range(contacts)]})",
            f"LIMITED = np.array({[int(limited) for limited in equations.limited] or [1] * contacts})",
            f"SIDED = np.array({[int(sign_of(i) in h.free_symbols) for i, h in enumerate(equations.h)] or [0]})",
            f"UNDECIDED = np.array({[int(undecided) for undecided in equations.undecided] or [0] * contacts})",
            f"OWNER = np.array({list(equations.owners) or [-1] * self.n})",
            f"VELOCITY = np.array({list(equations.velocities) or [-1] * self.n})",
            f"DRIVEN = np.array({[int(self._is_driven(i)) for i in range(self.contacts)] or [0]})",
            f"LEVER = np.array({self._levers()})",
            *self._guards_header(equations.own_guards),
            *self._kernels_header(equations.kept),
            f"GUARD_BRANCH = np.array({[g.branch for g in guards] or [0]})",
            f"GUARD_STEP = np.array({[g.step for g in guards] or [0]})",
            f"EVEN = np.array({[int(even) for _, even in self.resolved] or [0]})",
            AFTER_SIZES,
        ]

    def _guards_header(self, guards: Sequence[OwnGuard]) -> list[str]:
        return [
            f"OWN_GUARD_CONTACT = np.array({[guard.contact for guard in guards] or [0]})",
            f"OWN_GUARD_STICK = np.array({[int(guard.stick) for guard in guards] or [0]})",
            f"OWN_GUARD_RELEASES = np.array({[int(guard.releases) for guard in guards] or [0]})",
            f"JUMPS = np.array({[[int(i in guard.jumps) for i in range(self.n)] for guard in guards] or [[0]]})",
        ]

    def _kernels_header(self, kept: Sequence[Kept]) -> list[str]:
        """What kernels of kinds of contacts know of each; formulas of parameters by the number of the constant."""
        columns: dict[str, list[int]] = {}
        for one in kept:
            for name, value in {"STORE_PLACE": one.place, **one.columns}.items():
                number = [*self.constants].index(value) if isinstance(value, sympy.Expr) else value
                columns.setdefault(name, [0] * self.contacts)[one.contact] = int(number)
        return [f"{name} = np.array({column})" for name, column in columns.items()]

    def _is_driven(self, contact: int) -> bool:
        """Whether a sliding velocity moves otherwise than the states it is made of, so that these do not resolve it."""
        h = self.equations.h[contact]
        slopes = [sympy.diff(h, x) for x in (*self.equations.states, TIME)]
        return not all(self.tape.is_constant(slope) for slope in slopes)

    def _levers(self) -> list[list[float]]:
        """∂v/∂z of mechanical systems, where it is made of numbers: a row per contact."""
        e = self.equations
        if not e.velocities or not e.h:
            return [[0.0] * self.n]
        slopes = [[sympy.diff(h, z) for z in e.states] for h in e.h]
        return [[float(slope) if slope.is_number else 0.0 for slope in row] for row in slopes]

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

    def _constants(self) -> list[str]:
        return [
            "def constants(trajectory: Trajectory) -> None:",
            '    """Everything that depends on parameters alone."""',
            *indented(self._unpack(self.constants, states=False)),
            *(f"    trajectory.constant[{i}] = {python(e)}" for i, e in enumerate(self.constants)),
            *([] if self.constants else ["    return"]),
        ]

    @cached_property
    def _data(self) -> dict[str, list[float]]:
        """Tables as they lie in memory, by name. They are data, not code: they may be long."""
        tables = {f"TABLE{i}": table_rows(self.equations, i) for i in range(len(self.equations.tables))}
        quantiles = {f"QUANTILE{i}": [x for row in t for x in row] for i, t in enumerate(self.equations.quantiles)}
        return tables | quantiles

    def _arrays(self) -> list[str]:
        return [f"{name} = np.array({values!r})" for name, values in self._data.items()]

    def _unpack(self, expressions: Iterable[sympy.Expr], states: bool = True) -> list[str]:
        """The states, the time and the parameters that `expressions` use, by name."""
        free = set().union(*(e.free_symbols for e in expressions))
        lines = []
        if states:
            lines += [f"{s} = trajectory.state[{i}]" for i, s in enumerate(self.equations.states) if s in free]
            lines += ["t = trajectory.time"] if TIME in free else []
        return lines + [
            f"{s} = trajectory.parameter[{i}]" for i, s in enumerate(self.equations.parameters) if s in free
        ]

    def _signs(self, expressions: Iterable[sympy.Expr]) -> list[str]:
        """The modes, and what kernels of contacts keep, as far as `expressions` use them."""
        free = set().union(*(e.free_symbols for e in expressions))
        lines = [f"{sign} = float(trajectory.mode[{i}])" for i, sign in enumerate(self.signs) if sign in free]
        return lines + self._stored(free)

    def _stored(self, free: set[sympy.Symbol]) -> list[str]:
        room = sum(kept.room for kept in self.equations.kept)
        return [f"{stored(i)} = trajectory.store[{i}]" for i in range(room) if stored(i) in free]

    def _ingredients(self) -> list[str]:
        e = self.equations
        speeds = {u: sign * h for u, sign, h in zip(e.speeds, self.signs, e.h, strict=True)}
        targets = [(f"trajectory.f[{i}]", x) for i, x in enumerate(e.f)]
        targets += [(f"trajectory.v[{i}]", x) for i, x in enumerate(e.h)]
        targets += [(f"trajectory.R[{i}]", x.xreplace(speeds)) for i, x in enumerate(e.R)]
        targets += [(f"trajectory.S[{i}]", x) for i, x in enumerate(e.S)]
        targets += [(f"trajectory.a[{i}]", x) for i, x in enumerate(e.a)]
        targets += [(f"trajectory.G[{i}, {j}]", x) for i, row in enumerate(e.G) for j, x in enumerate(row) if x != 0]
        targets += [(f"trajectory.D[{i}, {j}]", x) for i, row in enumerate(e.D) for j, x in enumerate(row) if x != 0]
        targets = [(target, with_waves(x)) for target, x in targets]
        expressions = [x for _, x in targets]
        return [
            "def ingredients(trajectory: Trajectory) -> None:",
            '    """ż = f + G λ;  v = h(z, t);  slip: λ = -s R;  stick: a + D λ = 0 and |λ| <= S."""',
            *indented([*self._unpack(expressions), *self._signs(expressions)]),
            *indented(assignments(targets)),
        ]

    def _sizes(self) -> list[str]:
        """See `stickslip.symbolic.rounding`."""
        e, branches = self.equations, self.tape.branches
        speeds = {u: sign * h for u, sign, h in zip(e.speeds, self.signs, e.h, strict=True)}
        guards = [e.normal[i] for i in self._lifting()] + list(e.doubtful.values()) + list(e.steep.values())
        guards += [branches[guard.branch].expression for guard in self.tape.guards]
        guards += [guard.value for guard in e.own_guards]
        guards = [guard.xreplace(speeds) for guard in guards]
        kinds = {"v": e.h, "a": e.a, "S": e.S, "guard": guards}
        values = [(f"trajectory.{kind}_size[{i}]", x) for kind, rows in kinds.items() for i, x in enumerate(rows)]
        values = [(target, size(with_waves(x.xreplace(speeds)))) for target, x in values]
        paces = self._paces() if guards else {}
        rates = [(f"trajectory.guard_rate_size[{i}]", pace(with_waves(guard), paces)) for i, guard in enumerate(guards)]
        expressions = [x for _, x in values + rates]
        loads = [
            f"_load{i} = max(trajectory.S_size[{i}], trajectory.R[{i}])" for i in range(self.contacts if rates else 0)
        ]
        return [
            "def sizes(trajectory: Trajectory) -> None:",
            '    """The size of the terms that make up v, a, S and the guards: the measure for their round-off."""',
            *indented([*self._unpack(expressions), *self._signs(expressions)]),
            *indented([*assignments(values), *loads, *assignments(rates)] or ["return"]),
        ]

    def _paces(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The size of the rate of every state, with friction as large as it may be; and of time."""
        e = self.equations
        loads = [sympy.Symbol(f"_load{i}", real=True) for i in range(self.contacts)]
        paces = {}
        for z, f, row in zip(e.states, e.f, e.G, strict=True):
            friction = (size(with_waves(g)) * load for g, load in zip(row, loads, strict=True))
            paces[z] = size(with_waves(f)) + sympy.Add(*friction)
        return paces | {TIME: sympy.Integer(1)}

    def _lifting(self) -> list[int]:
        """Contacts whose normal force may change."""
        return [i for i, e in enumerate(self.equations.normal) if not e.is_Number]

    def _branches(self) -> list[str]:
        expressions = [with_waves(b.expression) for b in self.tape.branches]
        first = {g.branch: number for number, g in reversed(list(enumerate(self.tape.guards, len(self.watched))))}
        lines = [
            "def branches(trajectory: Trajectory, noise: float) -> None:",
            '    """Which branch each |e|, min, max, where and table is on; one within noise of switching stays."""',
        ]
        if not expressions:
            return [*lines, "    return"]
        lines += indented([*self._unpack(expressions), *self._signs(expressions)])
        for number, (branch, e) in enumerate(zip(self.tape.branches, expressions, strict=True)):
            guard = first[number]
            step = "max(trajectory.step_guess, trajectory.last_step)"
            scale = f"(trajectory.guard_size[{guard}] + {step}*trajectory.guard_rate_size[{guard}])"
            known = f"{python(e)}, trajectory.branch[{number}], noise*{scale}"
            if branch.table is None:
                lines.append(f"    trajectory.branch[{number}] = frozen_sign({known})")
            else:
                table = f"TABLE{branch.table}, ROWS{branch.table}"
                lines.append(f"    trajectory.branch[{number}] = frozen_interval({table}, {known})")
        return lines

    def _reset(self) -> list[str]:
        lines = [
            "def reset(trajectory: Trajectory, contact: int) -> None:",
            '    """Internal states of a contact that has just entered its mode."""',
        ]
        # What is drawn comes first: the other jumps depend on it.
        for draw in self.equations.draws:
            lines += [f"    if {entered(draw)}:", *indented(self._draw(draw), 2)]
        for kept in self.equations.kept:
            lines += [f"    if contact == {kept.contact}:", f"        {kept.name}.enter(trajectory, {kept.contact})"]
        for reset in self.equations.resets:
            lines += [f"    if {entered(reset)}:", *indented(self._solve_reset(reset), 2)]
        return lines if len(lines) > 2 else [*lines, "    return"]

    def _jump(self) -> list[str]:
        lines = [
            "def jump(trajectory: Trajectory, own_guard: int) -> None:",
            '    """Internal states where a guard of a contact\'s own has ended."""',
        ]
        kernels = {kept.contact: kept.name for kept in self.equations.kept}
        for number, guard in enumerate(self.equations.own_guards):
            if guard.contact in kernels and not guard.releases:
                inner = [f"{kernels[guard.contact]}.jump(trajectory, {guard.contact})"]
            else:
                inner = self._assign_jumps(guard)
            lines += [f"    if own_guard == {number}:", *indented(inner, 2)] if inner else []
        return lines if len(lines) > 2 else [*lines, "    return"]

    def _assign_jumps(self, guard: OwnGuard) -> list[str]:
        """All states that jump do so at once: new values are computed from those before."""
        values = list(guard.jumps.values())
        lines = [*self._unpack(values), *self._signs(values)]
        lines += [f"after{state} = {python(e)}" for state, e in guard.jumps.items()]
        return lines + [f"trajectory.state[{state}] = after{state}" for state in guard.jumps]

    def _store_functions(self) -> list[list[str]]:
        """What kernels of kinds of contacts do at the start and at events: each once, or for a contact of its own."""
        kept = self.equations.kept
        once = dict.fromkeys(one.name for one in kept)
        per_contact = [f"if contact == {one.contact}:\n        {one.name}.recall(trajectory, contact)" for one in kept]
        bodies = {
            "start_store(trajectory: Trajectory)": [f"{name}.start(trajectory)" for name in once],
            "note_store(trajectory: Trajectory)": [f"{name}.note(trajectory)" for name in once],
            "recall_store(trajectory: Trajectory, contact: int)": per_contact,
        }
        return [[f"def {head} -> None:", *indented(body or ["return"])] for head, body in bodies.items()]

    def _draw(self, draw: Draw) -> list[str]:
        """A new value for the phase that begins.

        A static part that is drawn, tried and given up tells nothing about the kinetic one, drawn at the same event,
        unless both follow one process in time: that has a single value at any time.
        """
        kind = 0 if draw.stick or draw.correlation_time is not None else 1
        lines = [f"score = drawn_score(trajectory, {draw.contact}, {kind})"]
        if draw.correlation_time is not None:
            lines += self._unpack([draw.correlation_time], states=False)
            lines += [
                f"correlation = exp(-(trajectory.time - trajectory.state[{draw.score_time}])/{draw.correlation_time})",
                f"score = correlation*trajectory.state[{draw.score}] + sqrt(1.0 - correlation*correlation)*score",
                f"trajectory.state[{draw.score}] = score",
                f"trajectory.state[{draw.score_time}] = trajectory.time",
            ]
        table = f"table_value(QUANTILE{draw.table}, QUANTILES{draw.table}, score)"
        return [*lines, f"trajectory.state[{draw.state}] = {'score' if draw.table is None else table}"]

    def _solve_reset(self, reset: Reset) -> list[str]:
        """The state that makes the residual zero: at once where it is linear in it, else by Newton's method from zero.

        That begins at rest: where several slip speeds are possible, the slowest is taken.
        """
        state, residual = self.equations.states[reset.state], reset.residual
        slope = sympy.diff(residual, state)
        lines = [*self._unpack([residual]), *self._signs([residual])]
        if state not in slope.free_symbols:
            value = sympy.Integer(0) if residual == state else -residual.subs(state, 0) / slope
            return [*([] if value == 0 else lines), f"trajectory.state[{reset.state}] = {python(value)}"]
        return [
            *lines,
            f"{state} = 0.0",
            "for _ in range(100):",
            f"    step = ({python(residual)})/({python(slope)})",
            f"    {state} = max({state} - step, 0.0)",
            f"    if abs(step) <= 1e-16*{state}:",
            "        break",
            f"trajectory.state[{reset.state}] = {state}",
        ]

    def _fastest(self) -> list[str]:
        """The largest of |∂żᵢ/∂zᵢ| and √|∂żᵢ/∂zⱼ ∂żⱼ/∂zᵢ| for states j that relax: no choice of units changes these."""
        e = self.equations
        rates = dict(zip(e.states, e.f, strict=True))
        squares = [sympy.diff(rate, z) ** 2 for z, rate in rates.items()] if e.stiff else []
        squares += [
            sympy.diff(rates[z], e.states[j]) * sympy.diff(rates[e.states[j]], z)
            for j in e.stiff
            for i, z in enumerate(e.states)
            if i != j
        ]
        squares = [x for x in squares if x != 0]
        lines = [f"largest = max(largest, abs({python(x)}))" for x in squares]
        return [
            "def fastest(trajectory: Trajectory) -> float:",
            '    """How fast something relaxes or swings at the present point."""',
            *indented([*self._unpack(squares), "largest = 0.0", *lines, "return sqrt(largest)"]),
        ]

    # -- Taylor recurrences -----------------------------------------------------------------------------------

    def _taylor(self) -> list[str]:
        patterns = list(itertools.product((True, False), repeat=self.contacts)) if self.contacts <= 2 else []
        if patterns and self._work() * len(patterns) <= UNROLL_LIMIT:
            blocks = [self._unrolled(pattern) for pattern in patterns]
            return [line for block in [*blocks, self._dispatch(patterns)] for line in [*block, "", ""]][:-2]
        return self._looped()

    def readable(self) -> str:
        """The text with the recurrences as loops, whatever their size: the form that reads well."""
        looped = self._looped()
        blocks = [self._constants(), self._ingredients(), self._branches(), self._reset(), self._jump(), looped]
        return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"

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
        return wanted + [x for i in stuck for x in self.D[i]]

    def _needed(self, pattern: tuple[bool, ...] | None) -> list[int]:
        """Nodes that this stick pattern uses, in the order of computation."""
        return sorted(self.tape.reachable(self._wanted(pattern)))

    def coefficient(self, lowered: int | sympy.Expr, k: Order) -> str:
        """Order k of something lowered; '0.0' where it has none."""
        if isinstance(lowered, int):
            return self.writer.at(lowered, k)
        return self.constant(lowered) if k == 0 and lowered != 0 else "0.0"

    def _times_force(self, lowered: int | sympy.Expr, contact: int, k: Order, low: int = 0) -> str:
        """Order k of (lowered · λ_contact), from order `low` of the factor on."""
        if isinstance(lowered, int):
            return self.writer.sum(
                low,
                self.writer.highest(lowered, k),
                lambda j: f"{self.writer.at(lowered, j)}*{self.force(contact, minus(k, j))}",
            )
        if lowered == 0 or low > 0:
            return "0.0"
        return self.writer.scaled(lowered, self.force(contact, k))

    def force(self, contact: int, k: Order) -> str:
        if isinstance(self.writer, Unrolled):
            return self.writer.same.get(f"l{contact}_{k}", f"l{contact}_{k}")
        return place("force_series", contact, k)

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

    def _time(self, node: int, k: Order) -> None:
        if isinstance(k, int) and k <= 1:
            self.writer.put(node, k, "trajectory.time" if k == 0 else "1.0")
        elif not isinstance(k, int):
            self.writer.put(node, k, "1.0 if k == 1 else 0.0")

    def _slip_force(self, contact: int, k: Order) -> str:
        factor, series = self.slip_series[contact]
        text = self.coefficient(series, k)
        return text if text == "0.0" or factor == 1 else f"-_sign{contact}*{text}"

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
            right.append(" + ".join(t for t in terms if t != "0.0") or "0.0")
        if len(stuck) == 1:
            writer.assign(f"l{stuck[0]}_{k}", "0.0" if right[0] == "0.0" else f"-({right[0]})*inverse00")
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
        n = self.contacts
        for i in range(n):
            lines.append(f"{self.force(i, k)} = {self._slip_force(i, k)}")
        if k == 0:
            for i, row in enumerate(self.D):
                lines += [f"trajectory.matrix[{i}, {j}] = {self.coefficient(x, 0)}" for j, x in enumerate(row)]
            lines += ["stuck = factor(trajectory)", "if stuck < 0:", "    return 1"]
        for i in range(n):
            mark = len(lines)
            terms = [self.coefficient(self.a[i], k)]
            terms += [self._times_force(self.D[i][j], j, k) for j in range(n) if self.D[i][j] != 0]
            text = " + ".join(t for t in terms if t != "0.0") or "0.0"
            inner = [f"{self.force(i, k)} = 0.0", *lines[mark:], f"trajectory.right_side[{i}] = -({text})"]
            lines[mark:] = [f"if trajectory.mode[{i}] == 0:", *indented(inner)]
        lines.append("substitute(trajectory, stuck)")
        for i in range(n):
            lines += [f"if trajectory.mode[{i}] == 0:", f"    {self.force(i, k)} = trajectory.solution[{i}]"]

    def _outputs(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        lines = self.writer.lines
        for i in range(self.contacts):
            sliding, static = self.coefficient(self.h[i], k), self.coefficient(self.S[i], k)
            if pattern is None:
                lines.append(f"{place('v_series', i, k)} = 0.0 if trajectory.mode[{i}] == 0 else {sliding}")
                lines.append(f"{place('static_series', i, k)} = {static}")
                continue
            lines.append(f"{place('v_series', i, k)} = {'0.0' if pattern[i] else sliding}")
            lines.append(f"{place('force_series', i, k)} = {self.force(i, k)}")
            if pattern[i]:
                lines.append(f"{place('static_series', i, k)} = {static}")
        watched = [node for _, node, _ in self.watched] + [guard.node for guard in self.tape.guards] + self.own_guards
        for i, node in enumerate(watched):
            lines.append(f"{place('guard_series', i, k)} = {self.coefficient(node, k)}")
        for i, (node, _) in enumerate(self.resolved):
            lines.append(f"{place('resolved_series', i, k)} = {self.coefficient(node, k)}")

    def _separate(self, g: int | sympy.Expr, contact: int, pattern: tuple[bool, ...] | None) -> bool:
        """Whether the force of a contact is not merged into the rates (see _rates)."""
        return pattern is None or pattern[contact] or isinstance(g, int)

    def _states(self, k: Order, pattern: tuple[bool, ...] | None) -> None:
        """z_(k+1) = (f_k + Σ (G λ)_k) / (k + 1); nothing where a contact holds the velocity of its mass."""
        for i in range(self.n):
            holding = self._holding(i)
            if pattern is not None and any(pattern[j] for j in holding):
                self.writer.put(i, k + 1 if isinstance(k, int) else f"{k} + 1", "0.0")
                continue
            terms = self._rate_terms(self.rates[i], k)
            for j, g in enumerate(self.G[i]):
                if g != 0 and self._separate(g, j, pattern):
                    one = sympy.Integer(1)
                    terms.append((self._times_force(g, j, k), one) if isinstance(g, int) else (self.force(j, k), g))
            terms = [(series, factor) for series, factor in terms if series != "0.0"]
            if isinstance(self.writer, Unrolled):
                assert isinstance(k, int)
                self.writer.put(i, k + 1, self._quotient(terms, k + 1))
                continue
            text = " + ".join(self.writer.scaled(factor, series) for series, factor in terms) or "0.0"
            if k != 0:
                text = f"({text})/({k} + 1)" if len(terms) > 1 else f"{text}/({k} + 1)"
            if holding:
                text = f"0.0 if {' or '.join(f'trajectory.mode[{j}] == 0' for j in holding)} else {text}"
            self.writer.put(i, 1 if k == 0 else f"{k} + 1", text)

    def _holding(self, state: int) -> list[int]:
        """The contacts that, in stick, hold this state where it is: a velocity, on ground or a belt of constant speed.

        What the forces that cancel there leave would be round-off, and would add up on long steps.
        """
        e = self.equations
        if state not in e.velocities:
            return []
        z = e.states[state]
        rigid = [i for i in range(self.contacts) if i not in e.own_forces]
        alone = [i for i in rigid if e.h[i].free_symbols & {*e.states, TIME} == {z}]
        return [i for i in alone if sympy.diff(e.h[i], z).is_number]

    def _quotient(self, terms: list[tuple[str, sympy.Expr]], order: int) -> str:
        """Σ series·factor / order, where the last series passes through one operation only."""
        text = ""
        for series, factor in terms:
            scaled = self._divided(factor, order)
            if text and series and scaled != "1.0":
                text = f"fused({series}, {scaled}, {text})"
            else:
                term = scaled if not series else series if scaled == "1.0" else f"{scaled}*{grouped(series)}"
                text = f"{text} + {term}" if text else term
        return text or "0.0"

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

    def _rate_terms(self, rate: int | sympy.Expr, k: Order) -> list[tuple[str, sympy.Expr]]:
        """The terms of a rate at order k, as (series, factor).

        Those made of states and time come first: they are known early, and what is added last is waited for least.
        """
        node = self.tape.nodes[rate] if isinstance(rate, int) else None
        if node is None or node.operation != "linear" or not isinstance(self.writer, Unrolled):
            return [(self.coefficient(rate, k), sympy.Integer(1))]
        early = [("", node.constants[0])] if k == 0 and node.constants[0] != 0 else []
        late: list[tuple[str, sympy.Expr]] = []
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


def series_source(equations: Equations, order: int) -> str:
    """The module of a model with its Taylor series: see `kernels/model.py`."""
    return Source(equations, order).module()


def formulas_source(equations: Equations) -> str:
    """The formulas of all plain functions in a model, by part, as a text in JSON."""
    return f"FORMULAS = {json.dumps(dict(equations.formulas))!r}\n"


def entered(jump: Reset | Draw) -> str:
    """The test whether a contact has entered the mode at which a state jumps."""
    return f"contact == {jump.contact} and trajectory.mode[{jump.contact}] {'==' if jump.stick else '!='} 0"


def _name(pattern: tuple[bool, ...]) -> str:
    return "taylor_" + "_".join("stick" if stuck else "slip" for stuck in pattern) if pattern else "taylor_free"


def grouped(text: str) -> str:
    """A text in parentheses, where it has several terms."""
    return f"({text})" if " " in text else text
