"""Readable source of a model: its ingredients, and what happens at events; its series are in `expansion.py`.

The generated functions are plain Python on numbers and records. The kernels (integration loop, event location, choice
of mode) call them by the names documented in `stickslip.kernels.model`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import sympy

from stickslip.symbolic.entering import FROM_TRAJECTORY, EntryWriter
from stickslip.symbolic.equations import Equations
from stickslip.symbolic.expansion import Expansion
from stickslip.symbolic.frozen import sign_of
from stickslip.symbolic.memory import TIME, Kept, OwnGuard
from stickslip.symbolic.printing import assignments, indented, python, table_rows
from stickslip.symbolic.rounding import pace, size
from stickslip.symbolic.wave import with_waves

VARIED = ("VARIED_STATES", "VARIED_CONTACTS", "VARIED_GUARDS", "VARIED_BRANCHES")
"""Sizes of what varies with a motion: none where variations are not wanted."""

MEMORY = ("REMEMBERED", "CHANCE", "DRAWING")
"""Sizes of what lanes remember from event to event."""

BEFORE_SIZES = """\
from math import atan, copysign, cos, cosh, exp, log, pi, sin, sinh, sqrt, tan, tanh

import numpy as np

from stickslip.kernels import outcome
from stickslip.kernels.records import Floats, Ints
"""
AFTER_SIZES = """
from stickslip.kernels.trajectory import Trajectory
from stickslip.kernels.chance import drawn_score
from stickslip.kernels.clock import line, wave_cosine, wave_sine
from stickslip.kernels.linear import count_stuck, factor, substitute
from stickslip.kernels.machine import fused
from stickslip.kernels.tables import frozen_interval, frozen_sign, table_slope, table_value
"""
"""What a generated module imports: kernels that need its sizes come after these."""


INGREDIENTS = (
    "def ingredients(trajectory: Trajectory) -> None:",
    '    """ż = f + G λ;  v = h(z, t);  slip: λ = -s R;  stick: a + D λ = 0 and |λ| <= S."""',
)
SIZES = (
    "def sizes(trajectory: Trajectory) -> None:",
    '    """The size of the terms that make up v, a, S and the guards: the measure for their round-off."""',
)
BRANCHES = (
    "def branches(trajectory: Trajectory, noise: float) -> None:",
    '    """Which branch each |e|, min, max, where and table is on; one within noise of switching stays."""',
)
CONSTANTS = (
    "def constants(trajectory: Trajectory) -> None:",
    '    """Everything that depends on parameters alone."""',
)
"""Heads of generated functions."""


class Entry:
    """An element of a field of the trajectory, with the kind of each of its indices.

    >>> str(Entry("G", state=2, contact=0))
    'trajectory.G[2, 0]'
    """

    def __init__(self, field: str, **indices: int) -> None:
        self.field, self.indices = field, indices

    def __str__(self) -> str:
        return f"trajectory.{self.field}[{', '.join(map(str, self.indices.values()))}]"


class Source(Expansion):
    """All generated text of one model, for one Taylor order."""

    def module(self) -> str:
        """The whole text."""
        return "\n\n\n".join("\n".join(block) for block in self._blocks()) + "\n"

    def _blocks(self) -> list[list[str]]:
        """The header and the functions. `taylor` is written first because that collects the constants."""
        taylor = self._taylor()
        functions = [
            self._constants(),
            self._ingredients(),
            self._sizes(),
            self._branches(),
            self._reset(),
            self._jump(),
            *self._store_functions(),
            self._fastest(),
            taylor,
        ]
        return [self._header(), *functions]

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
            "COUNTS": len(self._counts),
            "STIFF": int(bool(self.equations.stiff)),
            "MECHANICAL": int(bool(self.equations.velocities)),
            "ORDER": self.order,
            "WIDTH": self.width,
        }
        sizes |= dict.fromkeys(("DIRECTIONS", "SHARP", "BANDED", "FROZEN", "TABLES", *MEMORY, *VARIED), 0)
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
            *self._matrices_header(),
            *self._guards_header(equations.own_guards),
            f"STORE_PLACE = np.array({self._per_contact({kept.contact: kept.place for kept in equations.kept})})",
            f"TOLD = {self._told()!r}",
            f"GUARD_BRANCH = np.array({[g.branch for g in guards] or [0]})",
            f"GUARD_STEP = np.array({[g.step for g in guards] or [0]})",
            f"EVEN = np.array({[int(even) for _, even in self.resolved] or [0]})",
            AFTER_SIZES,
            *self._imports(),
        ]

    def _imports(self) -> list[str]:
        """Kernels of kinds of contacts."""
        return [line for name in self._kernels for line in self._kernel_header(name)]

    def _guards_header(self, guards: Sequence[OwnGuard]) -> list[str]:
        return [
            f"OWN_GUARD_CONTACT = np.array({[guard.contact for guard in guards] or [0]})",
            f"OWN_GUARD_STICK = np.array({[int(guard.stick) for guard in guards] or [0]})",
            f"OWN_GUARD_RELEASES = np.array({[int(guard.releases) for guard in guards] or [0]})",
            f"JUMPS = np.array({self._jumps(guards) or [[0]]})",
        ]

    def _jumps(self, guards: Sequence[OwnGuard]) -> list[list[int]]:
        """Which states jump at each guard of a contact's own."""
        return [[int(i in guard.jumps) for i in range(self.n)] for guard in guards]

    @cached_property
    def _kernels(self) -> dict[str, list[Kept]]:
        """Kernels of kinds of contacts, by file, with what each keeps."""
        kernels: dict[str, list[Kept]] = {}
        for kept in self.equations.kept:
            kernels.setdefault(kept.name, []).append(kept)
        return kernels

    @cached_property
    def _counts(self) -> dict[tuple[str, str], str]:
        """What these count, by file and name of the constant, with the name under which a run tells it."""
        return {(name, count): told for name, kept in self._kernels.items() for count, told in kept[0].counts.items()}

    def _told(self) -> dict[str, int]:
        return {told: place for place, told in enumerate(self._counts.values()) if told}

    def _kernel_header(self, name: str) -> list[str]:
        """A kernel of a kind of contacts, and what it knows of each; formulas by the number of the constant."""
        kept = self._kernels[name]
        lines = [f"from stickslip.kernels import {name}"]
        for column in kept[0].columns:
            values = {one.contact: self._number_of(one.columns[column]) for one in kept}
            lines.append(f"{name}.{column} = np.array({self._per_contact(values)})")
        places = enumerate(self._counts)
        return lines + [f"{name}.{count} = {place}" for place, (file, count) in places if file == name]

    def _number_of(self, value: int | sympy.Expr) -> int:
        return [*self.constants].index(value) if isinstance(value, sympy.Expr) else int(value)

    def _per_contact(self, values: Mapping[int, int]) -> list[int]:
        return [values.get(i, 0) for i in range(max(self.contacts, 1))]

    def _is_driven(self, contact: int) -> bool:
        """Whether a sliding velocity moves otherwise than the states it is made of, so that these do not resolve it."""
        h = self.equations.h[contact]
        slopes = [sympy.diff(h, x) for x in h.free_symbols if x in self.equations.numbers or x == TIME]
        return not all(self.tape.is_constant(slope) for slope in slopes)

    def _levers(self) -> list[dict[int, float]]:
        """∂v/∂z of mechanical systems, where it is made of numbers: a row per contact."""
        e = self.equations
        if not e.velocities:
            return [{} for _ in e.h]
        rows = [{e.numbers[z]: sympy.diff(h, z) for z in h.free_symbols if z in e.numbers} for h in e.h]
        return [{j: float(x) for j, x in sorted(row.items()) if x.is_number} for row in rows]

    def _matrices_header(self) -> list[str]:
        """Where the matrices are not zero, contact after contact."""
        levers = self._levers()
        pushed: list[list[int]] = [[] for _ in range(self.contacts)]
        for i, row in enumerate(self.equations.acting):
            for j in row:
                pushed[j].append(i)
        return [
            f"LEVER = np.array({[x for row in levers for x in row.values()] or [0.0]})",
            *_listed("LEVER_STATE", "LEVER_START", levers),
            *_listed("PUSHED", "PUSHED_START", pushed),
            *_listed("ACTING", "ACTING_START", self.equations.acting),
            *_listed("COUPLED", "COUPLED_START", self.neighbours),
            *self._band_header(),
        ]

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The contacts that each is coupled with by D, itself among them."""
        coupled = [{i} for i in range(self.contacts)]
        for i, row in enumerate(self.equations.coupled):
            for j in row:
                coupled[i].add(j)
                coupled[j].add(i)
        return [sorted(each) for each in coupled]

    def _band_header(self) -> list[str]:
        """In what order sticking forces are solved for: as the contacts are numbered."""
        return [f"{name} = np.array([0])" for name in ("ELIMINATION", "PLACE", "REACH")]

    def _constants(self) -> list[str]:
        return [
            *CONSTANTS,
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

    def _ingredients(self) -> list[str]:
        targets = self._ingredient_targets()
        expressions = [x for _, x in targets]
        return [
            *INGREDIENTS,
            *indented(self._known(expressions)),
            *indented(assignments([(str(entry), x) for entry, x in targets])),
        ]

    @cached_property
    def _speeds(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The slip speed of every contact."""
        e = self.equations
        return {u: sign * h for u, sign, h in zip(e.speeds, self.signs, e.h, strict=True)}

    def _ingredient_targets(self) -> list[tuple[Entry, sympy.Expr]]:
        """What `ingredients` fills, and with what."""
        e = self.equations
        kinetic = [x.xreplace(self._speeds) for x in e.R]
        targets = [(Entry("f", state=i), x) for i, x in enumerate(e.f)]
        for field, column in {"v": e.h, "R": kinetic, "S": e.S, "a": e.a}.items():
            targets += [(Entry(field, contact=i), x) for i, x in enumerate(column)]
        targets += [(Entry("G", state=i, contact=j), x) for i, row in enumerate(e.acting) for j, x in row.items()]
        targets += [(Entry("D", contact=i, other=j), x) for i, row in enumerate(e.coupled) for j, x in row.items()]
        return [(target, with_waves(x)) for target, x in targets]

    def _sizes(self) -> list[str]:
        """See `stickslip.symbolic.rounding`."""
        values = [(str(entry), size(with_waves(x))) for entry, x in self._size_targets()]
        rates = [(str(entry), x) for entry, x in self._pace_targets()]
        expressions = [x for _, x in values + rates]
        loads = [
            f"{load} = max(trajectory.S_size[{i}], trajectory.R[{i}])"
            for i, load in enumerate(self.loads if rates else [])
        ]
        return [
            *SIZES,
            *indented(self._known(expressions)),
            *indented([*assignments(values), *loads, *assignments(rates)] or ["return"]),
        ]

    def _size_targets(self) -> list[tuple[Entry, sympy.Expr]]:
        """What `sizes` fills first, and with the size of what."""
        e = self.equations
        kinds = {"v": e.h, "a": e.a, "S": e.S}
        values = [(Entry(f"{kind}_size", contact=i), x) for kind, rows in kinds.items() for i, x in enumerate(rows)]
        values += [(Entry("guard_size", guard=i), x) for i, x in enumerate(self._guard_values)]
        return [(target, x.xreplace(self._speeds)) for target, x in values]

    def _pace_targets(self) -> list[tuple[Entry, sympy.Expr]]:
        """What `sizes` fills then: the sizes of the rates of guards."""
        guards = self._guard_values
        paces = self._paces() if guards else {}
        return [(Entry("guard_rate_size", guard=i), pace(with_waves(x), paces)) for i, x in enumerate(guards)]

    @cached_property
    def _guard_values(self) -> list[sympy.Expr]:
        """What all guards are about."""
        e, branches = self.equations, self.tape.branches
        guards = [e.normal[i] for i in self._lifting()] + list(e.doubtful.values()) + list(e.steep.values())
        guards += [branches[guard.branch].expression for guard in self.tape.guards]
        guards += [guard.value for guard in e.own_guards]
        return [guard.xreplace(self._speeds) for guard in guards]

    @cached_property
    def loads(self) -> list[sympy.Symbol]:
        """Symbols for the most that friction can do at each contact."""
        return [sympy.Symbol(f"_load{i}", real=True) for i in range(self.contacts)]

    def _paces(self, units: Sequence[sympy.Expr] = ()) -> dict[sympy.Symbol, sympy.Expr]:
        """The size of the rate of every state, with friction as large as it may be, in its units; and of time."""
        e = self.equations
        paces = {}
        for z, f, row in zip(e.states, e.f, e.acting, strict=True):
            effects = {j: g / units[j] for j, g in row.items()} if units else row
            friction = (size(with_waves(g)) * self.loads[j] for j, g in effects.items())
            paces[z] = size(with_waves(f)) + sympy.Add(*friction)
        return paces | {TIME: sympy.Integer(1)}

    def _branches(self) -> list[str]:
        if not self.tape.branches:
            return [*BRANCHES, "    return"]
        expressions = [with_waves(b.expression) for b in self.tape.branches]
        lines = [self._asked(i, python(e), str) for i, e in enumerate(expressions)]
        return [*BRANCHES, *indented([*self._known(expressions), *lines])]

    def _asked(self, number: int, value: str, table: Callable[[int], str | int]) -> str:
        """The line that sets a branch: `value` is its expression, `table` the number under which a table is known."""
        guard, own = self.row("guard", self._first_guards[number]), self.row("branch", number)
        step = "max(trajectory.step_guess, trajectory.last_step)"
        scale = f"(trajectory.guard_size[{guard}] + {step}*trajectory.guard_rate_size[{guard}])"
        known = f"{value}, trajectory.branch[{own}], noise*{scale}"
        branch = self.tape.branches[number]
        if branch.table is None:
            return f"trajectory.branch[{own}] = frozen_sign({known})"
        rows = f"TABLE{table(branch.table)}, ROWS{table(branch.table)}"
        return f"trajectory.branch[{own}] = frozen_interval({rows}, {known})"

    @cached_property
    def _first_guards(self) -> dict[int, int]:
        """The first guard of every branch."""
        return {g.branch: number for number, g in reversed(list(enumerate(self.tape.guards, len(self.watched))))}

    def _reset(self) -> list[str]:
        writer = EntryWriter(self.equations, "trajectory", FROM_TRAJECTORY, self._known, python)
        kept = [
            line
            for one in self.equations.kept
            for line in (f"    if contact == {one.contact}:", f"        {one.name}.enter(trajectory, {one.contact})")
        ]
        return [
            "def reset(trajectory: Trajectory, contact: int) -> None:",
            '    """Internal states of a contact that has just entered its mode."""',
            *([*writer.draws(), *kept, *writer.resets()] or ["    return"]),
        ]

    def _known(self, expressions: Iterable[sympy.Expr]) -> list[str]:
        """The states, time, parameters and modes that `expressions` use, by name."""
        expressions = list(expressions)
        return [*self._unpack(expressions), *self._signs(expressions)]

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
        lines = self._known(values)
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

    def _fastest(self) -> list[str]:
        """The largest of |∂żᵢ/∂zᵢ| and √|∂żᵢ/∂zⱼ ∂żⱼ/∂zᵢ| for states j that relax: no choice of units changes these."""
        squares = self._squares_of_rates()
        lines = [f"largest = max(largest, abs({python(x)}))" for x in squares]
        return [
            "def fastest(trajectory: Trajectory) -> float:",
            '    """How fast something relaxes or swings at the present point."""',
            *indented([*self._unpack(squares), "largest = 0.0", *lines, "return sqrt(largest)"]),
        ]

    def _squares_of_rates(self) -> list[sympy.Expr]:
        """Where states relax, what `fastest` is the root of the largest of."""
        e = self.equations
        rates = dict(zip(e.states, e.f, strict=True))
        squares = [sympy.diff(rate, z) ** 2 for z, rate in rates.items()] if e.stiff else []
        squares += [
            sympy.diff(rates[z], e.states[j]) * sympy.diff(rates[e.states[j]], z)
            for j in e.stiff
            for i, z in enumerate(e.states)
            if i != j
        ]
        return [x for x in squares if x != 0]

    def readable(self) -> str:
        """The text with the recurrences as loops, whatever their size: the form that reads well."""
        looped = self._looped()
        blocks = [self._constants(), self._ingredients(), self._branches(), self._reset(), self._jump(), looped]
        return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


def _listed(entries: str, start: str, rows: Sequence[Iterable[int]]) -> list[str]:
    """Lists of different lengths, one after another in one array, and where each begins."""
    lists = [list(row) for row in rows]
    starts = list(itertools.accumulate(map(len, lists), initial=0))
    return [
        f"{entries} = np.array({[x for each in lists for x in each] or [0]})",
        f"{start} = np.array({starts})",
    ]


def formulas_source(equations: Equations) -> str:
    """The formulas of all plain functions in a model, by part, as a text in JSON."""
    return f"FORMULAS = {json.dumps(dict(equations.formulas))!r}\n"
