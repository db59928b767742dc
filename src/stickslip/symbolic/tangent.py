"""How a motion changes when its start or its parameters change a little: the first variation, as series of a step.

With δz for a small change of the state and δp of the parameters, in a mode held fixed

    δż = δf + δG λ + G δλ,     slip: δλ = −s δR,     stick: D δλ = −(δa + δD λ)

where δ of an expression is its total derivative. Everything is lowered to the tape of the model itself, so that the
series of the motion are shared. A change of the start time counts as one more parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

import sympy

from stickslip.errors import ModelError
from stickslip.symbolic.entering import entered
from stickslip.symbolic.equations import Equations
from stickslip.symbolic.frozen import Frozen, branch_of
from stickslip.symbolic.memory import TIME, Reset
from stickslip.symbolic.printing import indented, python
from stickslip.symbolic.recurrence import NOTHING, Looped, Order, Term, added, minus, place
from stickslip.symbolic.source import VARIED, Source
from stickslip.symbolic.tape import Tape

Lowered: TypeAlias = int | sympy.Expr


class TangentSource(Source):
    """The text of a model with the function `tangent`, which fills the series of one variation."""

    def __init__(self, equations: Equations, order: int) -> None:
        self.changes = [sympy.Symbol(f"_d_{z}", real=True) for z in equations.states]
        self.parameter_changes = [Frozen(f"_dp{i}", real=True) for i in range(len(equations.parameters) + 1)]
        super().__init__(equations, order)

    def _tape(self) -> Tape:
        return Tape(self.equations, self.changes)

    def _lower_more(self) -> None:
        """The variation of every ingredient, on the same tape."""
        e = self.equations
        self.varied_f = [self._varied(x) for x in e.f]
        self.varied_G = [[self._varied(x) for x in row] for row in e.G]
        self.varied_h = [self._varied(x) for x in e.h]
        self.varied_R = [self._varied(x) for x in self.kinetic]
        self.varied_S = [self._varied(x) for x in e.S]
        self.varied_a = [self._varied(x) for x in e.a]
        self.varied_D = [[self._varied(x) for x in row] for row in e.D]
        self.varied_guards = [self._varied_guard(guard.branch, guard.step) for guard in self.tape.guards]
        self.varied_guards += [self._varied(guard.value) for guard in e.own_guards]

    def _derivative(self, e: sympy.Expr) -> sympy.Expr:
        variables = (*self.equations.states, *self.equations.parameters, TIME)
        changes = (*self.changes, *self.parameter_changes)
        free = e.free_symbols
        terms = [sympy.diff(e, x) * change for x, change in zip(variables, changes, strict=True) if x in free]
        return sympy.Add(*terms)

    def _varied(self, e: sympy.Expr) -> Lowered:
        return self.tape.lower(self._derivative(e))

    def _varied_guard(self, branch: int, step: int) -> Lowered:
        """A guard is the expression of its branch times its frozen sign, or its distance from a knot of a table."""
        sign = {0: branch_of(branch), -1: sympy.Integer(1), 1: sympy.Integer(-1)}[step]
        return self.tape.lower(sign * self._derivative(self.tape.branches[branch].expression))

    # -- which series belong to the motion, and which to its variation ---------------------------------------------

    @cached_property
    def _own(self) -> list[int]:
        """Series of the variation, in the order of computation."""
        return sorted(node for node in self._reached if node in self._dependent)

    @cached_property
    def _reached(self) -> set[int]:
        wanted = [*self.varied_f, *self.varied_h, *self.varied_R, *self.varied_S, *self.varied_a, *self.varied_guards]
        wanted += [x for matrix in (self.varied_G, self.varied_D) for row in matrix for x in row]
        return self.tape.reachable(wanted)

    @cached_property
    def _dependent(self) -> set[int]:
        """Nodes that contain a perturbation or a change of a parameter; arguments come before what is made of them."""
        found: set[int] = set()
        for number, node in enumerate(self.tape.nodes):
            changed = any(x in c.free_symbols for c in node.constants for x in self.parameter_changes)
            made = node.operation != "state" and any(a in found for a in node.arguments)
            if node.operation == "perturbation" or changed or made:
                found.add(number)
        return found

    def _wanted(self, pattern: tuple[bool, ...] | None) -> list[Lowered]:
        return [*super()._wanted(pattern), *(node for node in self._reached if node not in self._dependent)]

    # -- layout ----------------------------------------------------------------------------------------------------

    def _constants_of_module(self) -> dict[str, int]:
        sizes = (self.n, self.contacts, len(self.varied_guards), len(self.tape.branches))
        own = {"DIRECTIONS": self.n + len(self.parameter_changes)} | dict(zip(VARIED, sizes, strict=True))
        return super()._constants_of_module() | own

    def _node_row(self, node: int) -> tuple[str, int]:
        n = self.tape.nodes[node]
        if n.operation == "perturbation":
            return "varied_state_series", n.arguments[0]
        return super()._node_row(node)

    # -- text ------------------------------------------------------------------------------------------------------

    def _taylor(self) -> list[str]:
        """Always as loops, which leave every series in the trajectory for the variations."""
        return [*self._looped(), "", "", *self._tangent(), "", "", *self._vary_reset(), "", "", *self._vary_jump()]

    def _vary_reset(self) -> list[str]:
        lines = [
            "def vary_reset(trajectory: Trajectory, contact: int, change: Floats, which: int, delay: float) -> None:",
            '    """δ of the internal states of a contact that enters its mode."""',
        ]
        for draw in self.equations.draws:  # what chance decides does not vary
            lines += [f"    if {entered(draw)}:"]
            for number in (draw.state, draw.score, draw.score_time):
                if number is not None:
                    lines += indented(_jump(number, "0.0"), 2)
        for reset in self.equations.resets:
            lines += [f"    if {entered(reset)}:", *indented(self._varied_reset(reset), 2)]
        return lines if len(lines) > 2 else [*lines, "    return"]

    def _varied_reset(self, reset: Reset) -> list[str]:
        """Σ ∂c/∂z (δz⁻ + ż⁻ δt) + ∂c/∂t δt + ∂c/∂p δp = 0, solved for the state that jumps."""
        e, residual = self.equations, reset.residual
        slopes = [sympy.diff(residual, x) for x in (*e.states, TIME, *e.parameters)]
        own = slopes[reset.state]
        lines = [*self._known(slopes), *self._total(slopes, without=reset.state)]
        return [*lines, *_jump(reset.state, f"-total/({python(own)})")]

    def _total(self, slopes: Sequence[sympy.Expr], without: int = -1) -> list[str]:
        """The sum of slopes by states, time and parameters, times what these change by at the event."""
        n, parameters = len(self.equations.states), len(self.equations.parameters)
        lines = ["total = 0.0"]
        for k, slope in enumerate(slopes):
            if slope == 0 or k == without:
                continue
            if k < n:
                change = f"(change[{k}] + trajectory.rate_before[{k}]*delay)"
            elif k == n:
                change = f"(delay + 1.0 if which == {parameters} else delay)"
            else:
                change = f"(1.0 if which == {k - n - 1} else 0.0)"
            lines.append(f"total += ({python(slope)})*{change}")
        return lines

    def _vary_jump(self) -> list[str]:
        """Σ ∂e/∂z (δz⁻ + ż⁻ δt) + ∂e/∂t δt + ∂e/∂p δp for what each state jumps to."""
        e = self.equations
        lines = [
            "def vary_jump(trajectory: Trajectory, own_guard: int, change: Floats, which: int, delay: float) -> None:",
            '    """δ of what states jump to at a guard of a contact\'s own."""',
        ]
        for number, guard in enumerate(e.own_guards):
            inner = []
            for state, value in guard.jumps.items():
                slopes = [sympy.diff(value, x) for x in (*e.states, TIME, *e.parameters)]
                inner += [*self._known(slopes), *self._total(slopes)]
                inner.append(f"trajectory.reset_variation[{state}] = total")
            lines += [f"    if own_guard == {number}:", *indented(inner, 2)] if inner else []
        return lines if len(lines) > 2 else [*lines, "    return"]

    def _tangent(self) -> list[str]:
        self._prepare(Looped(self.tape, self.constant, self.order, self._node_row), None)
        lines = self.writer.lines
        lines += [f"{place('varied_state_series', i, 0)} = change[{i}]" for i in range(self.n)]
        self._tangent_order(0)
        first = list(lines)
        lines.clear()
        self._tangent_order("k")
        used = {x for e in self.frozen for x in e.free_symbols} | {
            x for node in self._own for c in self.tape.nodes[node].constants for x in c.free_symbols
        }
        used |= {x for e in self._constant_variations() for x in e.free_symbols}
        changes = [f"_dp{i} = 1.0 if which == {i} else 0.0" for i, x in enumerate(self.parameter_changes) if x in used]
        stuck = ["stuck = count_stuck(trajectory)"] if self.contacts else []
        body = [*changes, *self._preamble(), *stuck, *first, f"for k in range(1, {self.order} + 1):", *indented(lines)]
        return [
            "def tangent(trajectory: Trajectory, change: Floats, which: int) -> None:",
            '    """Series of the variation that begins with a change δz, and δp = 1 of parameter `which`."""',
            *indented(body),
        ]

    def _constant_variations(self) -> list[sympy.Expr]:
        columns = (self.varied_f, self.varied_h, self.varied_R, self.varied_S, self.varied_a, self.varied_guards)
        matrices = (*self.varied_G, *self.varied_D)
        return [x for column in (*columns, *matrices) for x in column if not isinstance(x, int)]

    def _tangent_order(self, k: Order) -> None:
        w = self.writer
        for node in self._own:
            if self.tape.nodes[node].operation == "perturbation":
                continue
            if k == 0:
                w.first(node)
            else:
                w.next(node, k)
        self._varied_forces(k)
        self._varied_outputs(k)
        self._varied_states(k)

    def _varied_force(self, contact: int) -> Callable[[Order], str]:
        return lambda k: place("varied_force_series", contact, k)

    def _product_with(self, lowered: Lowered, other: Callable[[Order], Term], k: Order) -> Term:
        """Order k of a series (or constant) times another."""
        if isinstance(lowered, int):
            high = self.writer.highest(lowered, k)
            return self.writer.sum(0, high, lambda j: f"{self.writer.at(lowered, j)}*{other(minus(k, j))}")
        return NOTHING if lowered == 0 else self.writer.scaled(lowered, other(k))

    def _force_of(self, contact: int) -> Callable[[Order], Term]:
        return lambda k: self.force(contact, k)

    def _varied_forces(self, k: Order) -> None:
        lines, m = self.writer.lines, self.contacts
        for i in range(m):
            varied = self.coefficient(self.varied_R[i], k)
            lines.append(f"{self._varied_force(i)(k)} = -_sign{i}*{varied}")
        for i in range(m):
            mark = len(lines)
            terms = [self.coefficient(self.varied_a[i], k)]
            for j in range(m):
                terms.append(self._product_with(self.varied_D[i][j], self._force_of(j), k))
                terms.append(self._product_with(self.D[i][j], self._varied_force(j), k))
            right = f"trajectory.right_side[{i}] = -({added(terms)})"
            inner = [f"{self._varied_force(i)(k)} = 0.0", *lines[mark:], right]
            lines[mark:] = [f"if trajectory.mode[{i}] == 0:", *indented(inner)]
        if m:
            lines.append("substitute(trajectory, stuck)")
        for i in range(m):
            lines += [f"if trajectory.mode[{i}] == 0:", f"    {self._varied_force(i)(k)} = trajectory.solution[{i}]"]

    def _varied_outputs(self, k: Order) -> None:
        columns = {"v": self.varied_h, "static": self.varied_S, "guard": self.varied_guards}
        for kind, column in columns.items():
            for i, lowered in enumerate(column):
                self.writer.lines.append(f"{place(f'varied_{kind}_series', i, k)} = {self.coefficient(lowered, k)}")

    def _varied_states(self, k: Order) -> None:
        """δz_(k+1) = (δf + δG λ + G δλ)_k / (k + 1)."""
        following: Order = 1 if k == 0 else f"{k} + 1"
        over = "" if k == 0 else f"/({following})"
        for i in range(self.n):
            terms = [self.coefficient(self.varied_f[i], k)]
            for j in range(self.contacts):
                terms.append(self._product_with(self.varied_G[i][j], self._force_of(j), k))
                terms.append(self._product_with(self.G[i][j], self._varied_force(j), k))
            self.writer.lines.append(f"{place('varied_state_series', i, following)} = ({added(terms)}){over}")


def _jump(state: int, variation: str) -> list[str]:
    """A state that jumps where a contact enters its mode, and δ of what it jumps to."""
    return [f"trajectory.reset_variation[{state}] = {variation}", f"trajectory.jumped[{state}] = 1"]


def tangent_source(equations: Equations, order: int) -> str:
    """The module of a model with its Taylor series and those of its variations: see `kernels/model.py`."""
    if any(guard.releases for guard in equations.own_guards):
        raise ModelError(
            "small changes are not carried through guards that release a contact: simulate, or let |λ| ≤ S end stick"
        )
    return TangentSource(equations, order).module()
