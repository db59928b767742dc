"""The job `script`: the whole view in Python, with the same numbers and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stickslip.explorer import limits
from stickslip.explorer.calls import (
    basins_call,
    carries,
    diagram_call,
    map_call,
    map_quantity,
    motion_call,
    section_call,
    written,
)
from stickslip.explorer.diagrams import diagram_model, name_of
from stickslip.explorer.following import asked_branches, lines_of, root_of
from stickslip.explorer.motion import SAMPLES
from stickslip.explorer.script import system_lines, text_lines
from stickslip.explorer.sections import return_map_line
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import count, own_view, table

HEAD = ['"""A view of the explorer of stickslip: the same numbers, and its pictures."""', "", "import numpy as np"]


def script(task: Task) -> Reply:
    """The script of a view: its motion, its diagram with the branches over it, or what is shown in its place."""
    shown = str(task.view.get("show", "diagram"))
    text = text_lines(task.asked)
    lines = [*HEAD, "", "import stickslip as ss", *text, "", *system_lines(task.asked), "", *_motion(task)]
    lines += _SHOWN.get(shown, _diagram)(task)
    if shown != "diagram" and asked_branches(task.view):
        lines += _branches(task, False)
    return {"script": "\n".join(lines) + "\n"}, {}


def _saved(picture: str, name: str) -> str:
    return f'ss.plot.save(ss.plot.{picture}, "{name}.png")'


def _motion(task: Task) -> list[str]:
    samples = count({"samples": SAMPLES, **task.request}, "samples", "samples", limits.SAMPLES)
    lines = [f"run = {motion_call(task.view, samples).text()}", _saved("phase(run)", "phase")]
    lines.append(_saved("history(run)", "history"))
    return [*lines, _saved("friction(run)", "friction")] if task.model.contacts else lines


def _own_system(task: Task, part: Mapping[str, Any], name: str) -> tuple[list[str], str]:
    """The name of the system that a part of the view was made with, and the lines that make it."""
    lines = system_lines(own_view(task.asked, part), name)
    return ([], "system") if lines == system_lines(task.asked, name) else (lines, name)


def _diagram(task: Task) -> list[str]:
    """The sweeps of the diagram on one picture, and the branches over them."""
    lines, system = _own_system(task, table(task.view, "diagram"), "swept")
    lines = ["", *lines]
    model, state = diagram_model(task), written(table(task.view, "diagram").get("quantity"))
    axes = ""
    for carry in carries(task.view):
        name = name_of(carry)
        lines.append(f"{name} = {diagram_call(task.view, model, task.period, carry).text(system)}")
        lines.append(f"axes = ss.plot.bifurcation({name}, {state}{axes})")
        axes = ", ax=axes"
    return [*lines, *_branches(task, True), 'ss.plot.save(axes, "diagram.png")']


def _branches(task: Task, over: bool) -> list[str]:
    """The branches of the view; `over` draws those along the parameter of the diagram over it."""
    branches, lines = asked_branches(task.view), []
    diagram = table(task.view, "diagram")
    for index, asked in enumerate(branches):
        root = branches[root_of(branches, index)]
        made, system = ([], "") if table(asked, "from") else _own_system(task, root, f"system_{index}")
        model = task.reader.model(own_view(task.asked, root))
        lines += ["", *made, *lines_of(branches, index, model, system)]
        alike = asked.get("parameter") == diagram.get("parameter") and not table(asked, "from").get("second")
        if over and alike:
            quantity = written(f"max {diagram.get('quantity')}")
            lines.append(f"ss.plot.branch([each.data for each in branch_{index}], {quantity}, ax=axes)")
    return lines


def _map(task: Task) -> list[str]:
    call = map_call(task.view, task.model, task.period)
    quantity = map_quantity(task.view)
    drawn = f"parameter_map(data, {written(quantity)})" if quantity else "parameter_map(data)"
    return ["", f"data = {call.text()}", _saved(drawn, "map")]


def _section(task: Task) -> list[str]:
    asked = table(task.view, "section")
    axes = f"{written(asked.get('x'))}, {written(asked.get('y'))}"
    call = section_call(task.view, task.model, task.period)
    if asked.get("returns") is True:
        line = return_map_line(asked.get("x"))
        return ["", line, _saved("return_map(releases)", "return_map")]
    return ["", f"points = {call.text()}", _saved(f"poincare(points, {axes})", "section")]


def _basins(task: Task) -> list[str]:
    return ["", f"data = {basins_call(task.view, task.model).text()}", _saved("basins(data)", "basins")]


_SHOWN: dict[str, Callable[[Task], list[str]]] = {
    "diagram": _diagram, "map": _map, "section": _section, "basins": _basins,
}  # fmt: skip
