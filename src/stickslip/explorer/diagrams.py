"""The job `diagram`: what motions do after a transient, over a parameter, coarse first."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from stickslip.arrays import Floats, Ints
from stickslip.explorer.calls import carries, diagram_call, state_of
from stickslip.explorer.order import coarse_first
from stickslip.explorer.sweeping import MOMENT, pieces
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import own_view, table
from stickslip.field import compile_forcings
from stickslip.model.system import Model
from stickslip.sweeps.axes import Axes
from stickslip.sweeps.layout import Results
from stickslip.sweeps.packed import Ragged, unfolded
from stickslip.sweeps.plan import Plan
from stickslip.sweeps.prepare import plan_sweep

SIGNS = {None: 0, "up": 1, "down": -1}


def diagram(task: Task) -> Reply:
    """One sweep, or one up and one down; every frame adds points."""
    model = diagram_model(task)
    state = model.states.index(state_of(table(task.view, "diagram"), "quantity", model, "diagram.quantity"))
    ways = carries(task.view)
    lines = []
    for i, carry in enumerate(ways):
        call = diagram_call(task.view, model, task.period, carry)
        lines.append(f"{name_of(carry)} = {call.text()}")
        plan = plan_sweep(model, **call.values)
        points = _Points(task, plan, state, SIGNS[carry], (i, len(ways)))
        if carry is None:
            _coarse_first(task, plan, points)
        else:
            plan.compile()
            plan.run(plan.chunks[0], task.is_stopped, points.add)
        points.send()
        if task.is_stopped():
            break
    return {"python": "\n".join(lines)}, _nothing(len(model.states))


def diagram_model(task: Task) -> Model:
    """The model of the diagram: with the parameters and the start that it was made with."""
    return task.reader.model(own_view(task.asked, table(task.view, "diagram")))


def name_of(carry: str | None) -> str:
    """What a sweep is called in a script."""
    return "data" if carry is None else carry


def _coarse_first(task: Task, plan: Plan, points: _Points) -> None:
    """The same points in another order: what is computed at a point does not depend on it."""
    order = coarse_first(plan.count)
    axis = Axes(plan.axes.names, (plan.axes.values[0][order],), plan.axes.grid)
    points.plan = replace(plan, axes=axis)
    for numbers, found in pieces(points.plan, task.is_stopped):
        points.add(numbers, found)


class _Points:
    """Points that were recorded and not yet sent."""

    def __init__(self, task: Task, plan: Plan, state: int, sign: int, part: tuple[int, int]) -> None:
        self.task, self.plan, self.state, self.sign, self.part = task, plan, state, sign, part
        self.waiting: list[tuple[Floats, Floats, Floats]] = []
        self.done, self.sent = 0, 0.0
        self.periods = compile_forcings(plan.model)

    def add(self, numbers: Ints, found: Results) -> None:
        """What was recorded at some values of the parameter; sent when a moment has passed."""
        if "repeat_rows" in found:  # every row is drawn, also of cycles that are kept once
            way = Ragged.in_order(found["row_size"], found["count"], found["repeat_rows"], found["repeat_time"])
            times = unfolded(found["record_time"], way, moves=True)
            found = {**found, "record_state": unfolded(found["record_state"], way), "record_time": times}
        values = np.repeat(self.plan.axes.values[0][numbers], found["count"])
        phase = self._phases(numbers, found)
        self.waiting.append((values, found["record_state"], phase))
        self.done += len(numbers)
        if time.perf_counter() - self.sent > MOMENT:
            self.send()

    def _phases(self, numbers: Ints, found: Results) -> Floats:
        """Where in the excitation points were recorded, as a time."""
        if self.task.period is None:
            return np.zeros(len(found["record_time"]))
        rows = np.tile(list(self.plan.model.parameters.values()), (len(numbers), 1))
        place = list(self.plan.model.parameters).index(self.plan.axes.names[0])
        rows[:, place] = self.plan.axes.values[0][numbers]
        periods = np.repeat(self.periods(rows), found["count"])
        return np.where(np.isfinite(periods) & (periods > 0), found["record_time"] % np.abs(periods), 0.0)

    def send(self) -> None:
        """Send what waits."""
        if not self.waiting:
            return
        values, states, phase = (np.concatenate(parts) for parts in zip(*self.waiting, strict=True))
        self.waiting, self.sent = [], time.perf_counter()
        i, count = self.part
        arrays = {
            "value": values,
            "point": states[:, self.state],
            "up": np.full(len(values), self.sign, np.int8),
            "states": states,
            "phase": phase,
        }
        self.task.send(arrays, progress=(i + self.done / self.plan.count) / count)


def _nothing(states: int) -> dict[str, Any]:
    """The arrays of a frame that adds no points."""
    none = np.zeros(0)
    return {"value": none, "point": none, "up": none.astype(np.int8), "states": np.zeros((0, states)), "phase": none}
