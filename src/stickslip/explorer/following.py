"""The job `branch`: orbits and equilibria along a parameter, growing as they are found."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.branch import Branch
from stickslip.branches.follow import follow
from stickslip.branches.special import SpecialPoint
from stickslip.branches.walk import watching
from stickslip.errors import OrbitError
from stickslip.explorer import limits
from stickslip.explorer.calls import parameter_of, state_of, written
from stickslip.explorer.messages import finite
from stickslip.explorer.sweeping import MOMENT
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import Refused, choice, count, fingerprint, own_view, span, table
from stickslip.model.system import Model
from stickslip.orbits.equilibria import find_equilibria
from stickslip.orbits.find import find_orbit

KEPT = 16
"""Branches that a process keeps: others may begin at their special points."""

MOST_SPECIALS = 10_000
STEADY = "next(each for each in ss.find_equilibria({system}) if each.interval is None)"
ACTIONS = ("branch", "second")

_kept: OrderedDict[str, list[Branch]] = OrderedDict()


@dataclass(frozen=True)
class Step:
    """How a branch of a view is made: from what, along which parameters, to where; each `to` is a call of its own."""

    parameter: str | tuple[str, str]
    to: tuple[Any, ...]

    def texts(self, what: str) -> list[str]:
        """The calls in Python."""
        parameter = written(self.parameter)
        return [f"ss.follow({what}, {parameter}, to={written(to)}, most={limits.BRANCH_POINTS})" for to in self.to]


def asked_branches(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The branches of a view, as they came."""
    found = view.get("branches") or []
    if not isinstance(found, list) or len(found) > limits.BRANCHES or not all(isinstance(b, dict) for b in found):
        raise Refused(f"branches is a list of at most {limits.BRANCHES} tables", "branches")
    return found


def root_of(branches: list[dict[str, Any]], index: int) -> int:
    """The branch from which one was begun, by whatever way; itself where it was begun by an orbit."""
    while (origin := branches[index].get("from")) is not None:
        before = count(origin if isinstance(origin, dict) else {}, "branch", f"branches.{index}", index - 1, 0)
        index = before
    return index


def step_of(branches: list[dict[str, Any]], index: int, model: Model) -> Step:
    """Along what a branch goes: to both ends of its range, or to the one that lies ahead."""
    asked, field = branches[index], f"branches.{index}"
    name = parameter_of(asked, model, f"{field}.parameter")
    low, high = span(asked, field)
    origin = table(asked, "from")
    if origin and choice(origin, "action", f"{field}.from.action", ACTIONS) == "second":
        return Step((name, choice(origin, "second", f"{field}.from.second", model.parameters)), (low, high))
    value = model.parameters[name]
    if origin or low < value < high:
        return Step(name, ((low, high),))
    return Step(name, (high,) if value <= low else (low,))


def branch(task: Task) -> Reply:
    """A branch of the view, from an orbit, an equilibrium or a special point of another one."""
    branches = asked_branches(task.view)
    index = count(task.request, "index", "index", len(branches) - 1, 0)
    model = task.reader.model(own_view(task.asked, branches[root_of(branches, index)]))
    growing = _Growing(task, model, branches[index])
    found = _made(task, branches, index, model, growing)
    reason = " ".join(dict.fromkeys(each.reason for each in found))
    fields = {
        "specials": _specials(found, growing),
        "reason": reason,
        "replace": True,
        "python": "\n".join(lines_of(branches, index, model)),
    }
    return fields, growing.arrays(found)


def followed(task: Task, branches: list[dict[str, Any]], index: int) -> list[Branch]:
    """The branch itself."""
    model = task.reader.model(own_view(task.asked, branches[root_of(branches, index)]))
    return _made(task, branches, index, model, None)


def _made(
    task: Task, branches: list[dict[str, Any]], index: int, model: Model, growing: _Growing | None
) -> list[Branch]:
    """The branch, and before it those that lead to it; what was made is kept."""
    root = branches[root_of(branches, index)]
    chain = [task.asked["model"], own_view(task.asked, root).get("parameters"), own_view(task.asked, root).get("start")]
    key = fingerprint(json.dumps([chain, branches[: index + 1], index], sort_keys=True))
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    begin = _begin(task, branches, index, model)
    step = step_of(branches, index, model)
    found = []
    with watching(growing.add if growing is not None else lambda point, extremes: None):
        for to in step.to:
            found.append(follow(begin, step.parameter, to=to, most=limits.BRANCH_POINTS, progress=False))
            if growing is not None:
                growing.turn()
    if not any(each.interrupted for each in found) and not task.is_stopped():
        _kept[key] = found
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _begin(task: Task, branches: list[dict[str, Any]], index: int, model: Model) -> Any:
    """What a branch is followed from."""
    asked = branches[index]
    origin = table(asked, "from")
    if origin:
        before = count(origin, "branch", f"branches.{index}.from", index - 1, 0)
        specials = [point for each in _made(task, branches, before, model, None) for point in each.special]
        return specials[count(origin, "special", f"branches.{index}.from", len(specials) - 1, 0)]
    parameter_of(asked, model, f"branches.{index}.parameter")
    if choice({"of": "orbit", **asked}, "of", f"branches.{index}.of", ("orbit", "equilibrium")) == "orbit":
        return find_orbit(model)
    steady = [each for each in find_equilibria(model) if each.interval is None]
    if not steady:
        raise OrbitError("there is no equilibrium in slip, and those in stick fill an interval, which has no branch")
    return steady[0]


class _Growing:
    """Points of a branch as they are found, sent now and then."""

    def __init__(self, task: Task, model: Model, asked: Mapping[str, Any]) -> None:
        quantity = state_of(table(task.view, "diagram"), "quantity", model, "diagram.quantity")
        self.state = model.states.index(quantity)
        self.task, self.parameter = task, str(asked.get("parameter"))
        origin = table(asked, "from")
        self.second = str(origin["second"]) if origin.get("action") == "second" else None
        self.before: list[tuple[Any, ...]] = []
        self.here: list[tuple[Any, ...]] = []
        self.sent = time.perf_counter()

    def add(self, point: Any, extremes: Floats) -> None:
        """A point was found; where it is the first one again, the walk has turned."""
        row = self._row(point, extremes)
        if self.here and row[0] == self.here[0][0] and len(self.here) > 1 and row == self.here[0]:
            self.turn()
        self.here.append(row)
        if time.perf_counter() - self.sent > MOMENT:
            self.sent = time.perf_counter()
            self.task.send(self._table([*self.before[::-1], *self.here]), replace=True)

    def turn(self) -> None:
        """What was found until now goes the other way."""
        if not self.before:
            self.before, self.here = self.here[1:], []

    def _row(self, point: Any, extremes: Floats) -> tuple[Any, ...]:
        values = point.model.parameters
        second = values[self.second] if self.second else 0.0
        low, high = extremes[0][self.state], extremes[1][self.state]
        return values[self.parameter], float(low), float(high), second, bool(point.stable), float(point.period)

    def arrays(self, found: list[Branch]) -> dict[str, Any]:
        """All points, in their order along the branch."""
        pieces = [[self._row(p, e) for p, e in zip(b.points, b.extremes, strict=True)] for b in found]
        if len(pieces) == 2:
            pieces = [pieces[0][:0:-1], pieces[1]]
        return self._table([row for piece in pieces for row in piece])

    def _table(self, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
        columns = np.array(rows, float).reshape(-1, 6).T
        names = ("value", "low", "high", "second", "stable", "period")
        arrays = dict(zip(names, columns, strict=True))
        arrays["stable"] = arrays["stable"].astype(np.int8)
        if self.second is None:
            del arrays["second"]
        return arrays


def _specials(found: list[Branch], growing: _Growing) -> list[dict[str, Any]]:
    points = [point for each in found for point in each.special]
    return [_special(i, point, growing) for i, point in enumerate(points)]


def _special(i: int, point: SpecialPoint, growing: _Growing) -> dict[str, Any]:
    values = point.orbit.model.parameters
    actions = [{"action": "branch", "label": "Follow the branch that begins here"}] if point.bifurcates else []
    if growing.second is None and point.has_curve:
        actions.append({"action": "second", "label": "Follow this point in two parameters"})
    quantity = None if point.extremes is None else finite(point.extremes[1][growing.state])
    return {
        "index": i,
        "kind": point.kind,
        "label": point.kind[:1].upper() + point.kind[1:],
        "note": point.note,
        "value": point.value,
        "quantity": quantity,
        "second": values[growing.second] if growing.second else None,
        "actions": actions,
    }


def lines_of(branches: list[dict[str, Any]], index: int, model: Model, system: str = "system") -> list[str]:
    """The lines that make a branch of a system, under the name `branch_…`, and its special points."""
    asked = branches[index]
    origin = table(asked, "from")
    what = f"ss.find_orbit({system})" if asked.get("of", "orbit") == "orbit" else STEADY.format(system=system)
    if origin:
        special = count(origin, "special", f"branches.{index}.from", MOST_SPECIALS, 0)
        what = f"special_{origin['branch']}[{special}]"
    return [
        f"branch_{index} = [{', '.join(step_of(branches, index, model).texts(what))}]",
        f"special_{index} = [point for each in branch_{index} for point in each.special]",
    ]
