"""Source of what internal states do where their contact enters a mode: what is drawn, then what is reset."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.memory import Draw, Reset
from stickslip.symbolic.printing import indented

FROM_TRAJECTORY = "trajectory.seed, trajectory.number, {contact}, trajectory.draws"
FROM_LANE = "int(lane.chance[0]) + 4294967296*int(lane.chance[1]), int(lane.chance[2]), {contact}, int(lane.chance[3])"
"""What a random number depends on, besides its kind: seed, number of the trajectory, contact and event."""


@dataclass(frozen=True)
class EntryWriter:
    """Writes it for a record that holds states, time and modes.

    Parameters
    ----------
    equations : Equations
        The model.
    record : str
        What the record is called: a trajectory or a lane.
    drawn : str
        What a random number depends on.
    values : callable
        Lines that name the states, the time, the modes and the parameters that expressions use.
    formula : callable
        An expression in these names.
    """

    equations: Equations
    record: str
    drawn: str
    values: Callable[[Iterable[sympy.Expr]], list[str]]
    formula: Callable[[sympy.Expr], str]

    def draws(self) -> list[str]:
        """What is drawn comes first: other jumps depend on it."""
        return [line for draw in self.equations.draws for line in self._if_entered(draw, self._draw(draw))]

    def resets(self) -> list[str]:
        """What follows from the point where the mode begins."""
        return [line for reset in self.equations.resets for line in self._if_entered(reset, self._reset(reset))]

    def _if_entered(self, jump: Reset | Draw, lines: list[str]) -> list[str]:
        return [f"    if {entered(jump, self.record)}:", *indented(lines, 2)]

    def _state(self, number: int) -> str:
        return f"{self.record}.state[{number}]"

    def _draw(self, draw: Draw) -> list[str]:
        """A new value for the phase that begins.

        A static part that is drawn, tried and given up tells nothing about the kinetic one, drawn at the same event,
        unless both follow one process in time: that has a single value at any time.
        """
        kind = 0 if draw.stick or draw.correlation_time is not None else 1
        lines = [f"score = drawn_score({self.drawn.format(contact=draw.contact)}, {kind})"]
        if draw.correlation_time is not None:
            assert draw.score is not None and draw.score_time is not None
            last, when, now = self._state(draw.score), self._state(draw.score_time), f"{self.record}.time"
            lines += self.values([draw.correlation_time])
            lines += [
                f"correlation = exp(-({now} - {when})/{self.formula(draw.correlation_time)})",
                f"score = correlation*{last} + sqrt(1.0 - correlation*correlation)*score",
                f"{last} = score",
                f"{when} = {now}",
            ]
        table = f"table_value(QUANTILE{draw.table}, QUANTILES{draw.table}, score)"
        return [*lines, f"{self._state(draw.state)} = {'score' if draw.table is None else table}"]

    def _reset(self, reset: Reset) -> list[str]:
        """The state that makes the residual zero: at once where it is linear in it, else by Newton's method from zero.

        That begins at rest: where several slip speeds are possible, the slowest is taken.
        """
        state, residual = self.equations.states[reset.state], reset.residual
        slope = sympy.diff(residual, state)
        lines = self.values([residual])
        if state not in slope.free_symbols:
            value = sympy.Integer(0) if residual == state else -residual.subs(state, 0) / slope
            return [*([] if value == 0 else lines), f"{self._state(reset.state)} = {self.formula(value)}"]
        return [
            *lines,
            f"{state} = 0.0",
            "for _ in range(100):",
            f"    step = ({self.formula(residual)})/({self.formula(slope)})",
            f"    {state} = max({state} - step, 0.0)",
            f"    if abs(step) <= 1e-16*{state}:",
            "        break",
            f"{self._state(reset.state)} = {state}",
        ]


def entered(jump: Reset | Draw, record: str = "trajectory") -> str:
    """The test whether a contact has entered the mode at which a state jumps."""
    return f"contact == {jump.contact} and {record}.mode[{jump.contact}] {'==' if jump.stick else '!='} 0"
