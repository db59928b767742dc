"""Source of a model of many equal parts: loops over the parts in place of formulas for each.

The functions are those of `source.py`, with the same operations in the same order; `rolling.py` makes loops of what is
equal but for indices. So the text of a chain does not grow with its length, but for tables of indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import sympy

from stickslip.symbolic.elimination import eliminated, reaches
from stickslip.symbolic.equations import Equations, Table, TableSlope
from stickslip.symbolic.expansion import FACTORED
from stickslip.symbolic.frozen import Frozen, branch_of, stored
from stickslip.symbolic.memory import TIME, OwnGuard
from stickslip.symbolic.printing import Printer, indented
from stickslip.symbolic.recurrence import Looped, Order
from stickslip.symbolic.rolling import Indices, Roll, Tables
from stickslip.symbolic.rounding import size
from stickslip.symbolic.source import BRANCHES, CONSTANTS, INGREDIENTS, SIZES, Entry, Source
from stickslip.symbolic.tape import Tape
from stickslip.symbolic.wave import with_waves

MANY = 8
"""So many contacts are written as loops over equal parts. From here on loops are quicker to compile (chains of eight:
1.1 s of CPU time against 1.2 s, of 40: 1.4 s against 3.1 s) and to run, by a fifth; with fewer neither matters."""

MANY_STATES = 200
"""So many states are, too, where contacts are few: 300 take 0.8 s to compile against 2.8 s, 600 take 1.0 s against
6.8 s, and a motion takes up to a fifth longer."""

KINDS = {
    "state_series": "state",
    "node_series": "node",
    "v_series": "contact",
    "force_series": "contact",
    "static_series": "contact",
}
"""What the rows of a field are the numbers of, where that is not the field itself."""

SAME = {"other": "contact"}
"""Kinds of indices that are one."""

LOAD = "max(trajectory.S_size[#], trajectory.R[#])"
"""The most that friction can do at a contact."""

COLUMNS = {"knot": 0, "end": 1, "c0": 2, "c1": 3, "c2": 4, "c3": 5}
"""Where the numbers of an interval of a table lie."""


Through = Callable[[sympy.Expr], sympy.Expr]


def size_of_terms(expression: sympy.Expr) -> sympy.Expr:
    """The size of the terms of an expression in which waves are not yet marked."""
    return size(with_waves(expression))


class PartPrinter(Printer):
    """Expressions whose symbols are places in memory, with indices that differ from part to part."""

    def __init__(self, source: EqualParts) -> None:
        super().__init__()
        self.source = source

    def _print_Symbol(self, e: sympy.Symbol) -> str:
        text, kind, number = self.source.places[e]
        return text.replace("#", self.source.row(kind, number))

    def _print_Frozen(self, e: Frozen) -> str:
        return self._print_Symbol(e)

    def _print_Table(self, e: Table) -> str:
        return super()._print_Table(Table(self.source.shared_table(int(e.args[0])), e.args[1]))

    def _print_TableSlope(self, e: TableSlope) -> str:
        return super()._print_TableSlope(TableSlope(self.source.shared_table(int(e.args[0])), e.args[1]))


class PartWriter(Looped):
    """Recurrences of one node at a time, with indices that differ from part to part."""

    def __init__(self, tape: Tape, source: EqualParts) -> None:
        super().__init__(tape, source.constant, source.order, source._node_row)
        self.source = source

    def at(self, node: int, k: Order) -> str:
        return self.source.place(*self.rows(node), k)

    def kept(self, what: str, node: int) -> str:
        return self.source.kept((what, node))


class EqualParts(Source):
    """All generated text of one model, for one Taylor order, as loops over equal parts."""

    def __init__(self, equations: Equations, order: int) -> None:
        super().__init__(equations, order)
        self.tables = Tables()
        self.indices = Indices()
        self.printer = PartPrinter(self)
        self.numbers: dict[float, int] = {}
        self.kept_places: dict[Any, int] = {}
        self._texts: dict[Any, str] = {}

    # -- how things are spelled ----------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[sympy.Symbol, tuple[str, str, int]]:
        """Where the value of a symbol lies: the text, with # for an index, of which kind that is, and the index."""
        e = self.equations
        places = {z: ("trajectory.state[#]", "state", i) for i, z in enumerate(e.states)}
        places |= {p: ("trajectory.parameter[#]", "parameter", i) for i, p in enumerate(e.parameters)}
        places |= {s: ("float(trajectory.mode[#])", "contact", i) for i, s in enumerate(self.signs)}
        places |= {load: (LOAD, "contact", i) for i, load in enumerate(self.loads)}
        room = sum(kept.room for kept in e.kept)
        places |= {stored(i): ("trajectory.store[#]", "store", i) for i in range(room)}
        for i, branch in enumerate(self.tape.branches):
            if branch.table is None:
                places[branch_of(i)] = ("float(trajectory.branch[#])", "branch", i)
                continue
            table = f"TABLE{self.shared_table(branch.table)}"
            for name, column in COLUMNS.items():
                symbol = Frozen(f"_table{i}_{name}", real=True)
                places[symbol] = (f"{table}[trajectory.branch[#]*6 + {column}]", "branch", i)
            low = f"({table}[trajectory.branch[#]*6] if trajectory.branch[#] > 0 else -1e300)"
            places[Frozen(f"_table{i}_low", real=True)] = (low, "branch", i)
        return places | {TIME: ("trajectory.time", "", 0)}

    def row(self, kind: str, number: int) -> str:
        return self.indices.at(kind, number) if kind else ""

    def place(self, field: str, row: int, k: Order) -> str:
        return f"trajectory.{field}[{self.row(KINDS.get(field, field), row)}, {k}]"

    def sign(self, contact: int) -> str:
        return f"float({self._mode(contact)})"

    def number(self, number: sympy.Expr) -> str:
        """A factor of a series: whole numbers and ratios belong to the formula, others differ from part to part."""
        value = float(number)
        if number.is_Rational or value.is_integer():
            return repr(value)
        return f"NUMBER[{self.row('number', self.numbers.setdefault(value, len(self.numbers)))}]"

    def constant(self, expression: sympy.Expr) -> str:
        if expression.is_Number:
            return self.number(expression)
        if any(isinstance(symbol, Frozen) for symbol in expression.free_symbols):
            return self.spelled(expression) if expression.is_Symbol else self.kept(expression)
        name = self.constants.setdefault(expression, f"q{len(self.constants)}")
        return f"trajectory.constant[{self.row('constant', int(name[1:]))}]"

    def kept(self, what: Any) -> str:
        """Something that keeps its value along a step: an expression, or what a quotient shares between its orders."""
        return f"trajectory.frozen[{self.row('frozen', self.kept_places.setdefault(what, len(self.kept_places)))}]"

    def spelled(self, expression: sympy.Expr, through: Through | None = None) -> str:
        """An expression, or what a function makes of it, with places in memory for its symbols.

        What is made of expressions of one shape is one text: SymPy's printing takes a millisecond, looking a twentieth.
        """
        shape = (through, self._shape(expression))
        if shape not in self._texts:
            whole = expression if through is None else through(expression)
            self._texts[shape] = str(self.printer.doprint(whole))
        return self._texts[shape]

    def _shape(self, e: Any) -> Any:
        """An expression in which indices are those of the statement, so that equal parts have the same."""
        if e.is_Symbol:
            return self.printer._print_Symbol(e)
        if isinstance(e, Table | TableSlope):
            return (e.func, self.shared_table(int(e.args[0])), self._shape(e.args[1]))
        return (e.func, *map(self._shape, e.args)) if e.args else e

    def shared_table(self, number: int) -> int:
        """The first table with the same numbers: contacts of one law share one."""
        return self._shared_tables[number]

    @cached_property
    def _shared_tables(self) -> list[int]:
        first: dict[Any, int] = {}
        return [first.setdefault((t.speeds, t.cubics), i) for i, t in enumerate(self.equations.tables)]

    # -- statements ----------------------------------------------------------------------------------------------------

    def _written(self, roll: Roll, level: int, write: Callable[[], None]) -> None:
        """Add what is written for one part."""
        self.indices, self.writer.lines = Indices(), []
        write()
        roll.add(level, self.indices.statement(self.writer.lines))

    def _assigned(self, roll: Roll, entry: Entry, e: sympy.Expr, through: Through | None = None) -> None:
        """Add an assignment to an element of a field: of an expression, or of what a function makes of it."""
        self.indices = Indices()
        place = ", ".join(self.row(SAME.get(kind, kind), number) for kind, number in entry.indices.items())
        roll.add(0, self.indices.statement([f"trajectory.{entry.field}[{place}] = {self.spelled(e, through)}"]))

    def _rolled(self, write: Callable[[int], None], rows: Iterable[int]) -> list[str]:
        """What is written for every row, none of which needs another."""
        roll = Roll(self.tables)
        for i in rows:
            self._written(roll, 0, partial(write, i))
        return roll.lines()

    def _filled(self, targets: Iterable[tuple[Entry, sympy.Expr]], through: Through | None = None) -> list[str]:
        """Assignments none of which needs another."""
        roll = Roll(self.tables)
        for entry, e in targets:
            self._assigned(roll, entry, e, through)
        return roll.lines()

    # -- series --------------------------------------------------------------------------------------------------------

    def _taylor(self) -> list[str]:
        self._prepare(PartWriter(self.tape, self), None)
        nodes = self._needed(None)
        start = self._rolled(self._put_start, range(self.n))
        first = self._rolled_order(nodes, 0)
        further = self._rolled_order(nodes, "k")
        body = [*self._rolled_frozen(), *start, *first, f"for k in range(1, {self.order} + 1):", *indented(further)]
        return [
            "def taylor(trajectory: Trajectory) -> int:",
            '    """Power series in time of one step, for any stick pattern."""',
            *indented([*body, "return 0"]),
        ]

    def _wanted(self, pattern: tuple[bool, ...] | None) -> list[int | sympy.Expr]:
        wanted = [*self.rates, *self.h, *(x for _, x in self.slip_series), *self.a, *self.S]
        wanted += [x for series in self._further_outputs().values() for x in series]
        wanted += self._wanted_to_hold(range(self.contacts))
        return wanted + [x for rows in (self.acting, self.coupled) for row in rows for x in row.values()]

    def _put_start(self, i: int) -> None:
        state = self.row("state", i)
        self.writer.lines.append(f"{self.place('state_series', i, 0)} = trajectory.state[{state}]")

    def _rolled_frozen(self) -> list[str]:
        """What keeps its value along a step and is made of modes, branches and parameters."""
        kept = [(Entry("frozen", frozen=i), e) for e, i in self.kept_places.items() if isinstance(e, sympy.Expr)]
        return self._filled(kept)

    def _rolled_order(self, nodes: Sequence[int], k: Order) -> list[str]:
        """All lines for one order: series, forces, outputs, and the next order of the states."""
        contacts = range(self.contacts)
        lines = self._rolled_nodes(nodes, k)
        lines += self._rolled(partial(self._let_slip, k=k), contacts)
        lines += self._rolled_matrix() if k == 0 else []
        lines += self._rolled(partial(self._set_right_side, k=k), contacts)
        lines += ["substitute(trajectory, stuck)"]
        lines += self._rolled(partial(self._take_solution, k=k), contacts)
        lines += self._rolled(partial(self._put_contact, k=k, pattern=None), contacts)
        for field, series in self._further_outputs().items():
            roll = Roll(self.tables)
            for i, node in enumerate(series):
                self._written(roll, 0, partial(self._put_further, field, i, node, k))
            lines += roll.lines()
        lines += self._rolled(partial(self._put_state, k=k, pattern=None), range(self.n))
        return lines + self._rolled_hold(k) if self.slopes else lines

    def _rolled_hold(self, k: Order) -> list[str]:
        """See `_hold`."""
        return [
            *self._rolled(partial(self._set_left, k=k), self.slopes),
            "substitute(trajectory, stuck)",
            *self._rolled(partial(self._push_at_run_time, k=k), self.slopes),
        ]

    def _rolled_nodes(self, nodes: Sequence[int], k: Order) -> list[str]:
        roll = Roll(self.tables)
        for node in nodes:
            operation = self.tape.nodes[node].operation
            if operation == "time":
                self._written(roll, 0, partial(self._time, node, k))
            elif operation != "state":
                write = partial(self.writer.first, node) if k == 0 else partial(self.writer.next, node, k)
                self._written(roll, self._levels[node], write)
        return roll.lines()

    @cached_property
    def _levels(self) -> list[int]:
        """Of every node how many steps it is away from states and time, by which it follows from others."""
        levels: list[int] = []
        for number, node in enumerate(self.tape.nodes):
            needed = list(node.arguments) if node.operation != "state" else []
            if node.operation.endswith("'"):  # a slope follows from the function itself
                partner = self.tape.partner(number)
                needed += [] if partner is None else [partner]
            levels.append(1 + max((levels[a] for a in needed), default=-1))
        return levels

    def _rolled_matrix(self) -> list[str]:
        """The matrix of the sticking forces, where it is not zero."""
        roll = Roll(self.tables)
        for i, row in enumerate(self.coupled):
            for j, d in row.items():
                self._written(roll, 0, partial(self._put_entry, i, j, d))
        return ["clear_band(trajectory)", *roll.lines(), *FACTORED]

    def _put_entry(self, i: int, j: int, d: int | sympy.Expr) -> None:
        place = f"{self.row('contact', i)}, {self.row('contact', j)}"
        self.writer.lines.append(f"trajectory.matrix[{place}] = {self.coefficient(d, 0)}")

    # -- the other functions, and the module ---------------------------------------------------------------------------

    def _constants(self) -> list[str]:
        lines = self._filled((Entry("constant", constant=i), e) for i, e in enumerate(self.constants))
        return [*CONSTANTS, *indented(lines or ["return"])]

    def _ingredients(self) -> list[str]:
        return [*INGREDIENTS, *indented(self._filled(self._ingredient_targets()))]

    def _sizes(self) -> list[str]:
        lines = [*self._filled(self._size_targets(), size_of_terms), *self._filled(self._pace_targets())]
        return [*SIZES, *indented(lines or ["return"])]

    def _branches(self) -> list[str]:
        roll = Roll(self.tables)
        for i, branch in enumerate(self.tape.branches):
            self.indices = Indices()
            line = self._asked(i, self.spelled(with_waves(branch.expression)), self.shared_table)
            roll.add(0, self.indices.statement([line]))
        return [*BRANCHES, *indented(roll.lines() or ["return"])]

    def _blocks(self) -> list[list[str]]:
        """The header comes last: writing the functions collects tables and numbers."""
        header, *functions = super()._blocks()
        collected = [*self.tables.header(), f"NUMBER = np.array({[*self.numbers] or [0.0]})"]
        return [[*header, *collected], *functions]

    def _imports(self) -> list[str]:
        return [*super()._imports(), "from stickslip.kernels.linear import clear_band"]

    def _constants_of_module(self) -> dict[str, int]:
        sizes = super()._constants_of_module() | {"BANDED": 1, "FROZEN": len(self.kept_places)}
        unused = [f"ROWS{i}" for i, first in enumerate(self._shared_tables) if i != first]
        return {name: size for name, size in sizes.items() if name not in unused}

    @cached_property
    def _data(self) -> dict[str, list[float]]:
        unused = [f"TABLE{i}" for i, first in enumerate(self._shared_tables) if i != first]
        return {name: rows for name, rows in super()._data.items() if name not in unused}

    def _band_header(self) -> list[str]:
        order = eliminated(self.neighbours)
        place = {contact: i for i, contact in enumerate(order)}
        return [
            f"ELIMINATION = np.array({order})",
            f"PLACE = np.array({[place[i] for i in range(self.contacts)]})",
            f"REACH = np.array({reaches(self.neighbours, order)})",
        ]

    def _jumps(self, guards: Sequence[OwnGuard]) -> list[list[int]]:
        """That is asked for variations alone, of which there are none here."""
        return []


def series_source(equations: Equations, order: int) -> str:
    """The module of a model with its Taylor series: see `kernels/model.py`."""
    many = len(equations.h) >= MANY or len(equations.states) >= MANY_STATES
    return (EqualParts if many else Source)(equations, order).module()
