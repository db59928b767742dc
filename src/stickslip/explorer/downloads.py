"""Downloads: what the view shows, computed by the verbs of its script, as CSV, NetCDF or SVG."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stickslip import plot
from stickslip.explorer import limits
from stickslip.explorer.calls import (
    basins_call,
    carries,
    diagram_call,
    map_call,
    map_quantity,
    motion_call,
    section_call,
)
from stickslip.explorer.diagrams import diagram_model
from stickslip.explorer.following import asked_branches, followed
from stickslip.explorer.motion import SAMPLES, whole_motion
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import Refused, choice, count, table
from stickslip.orbits.find import find_orbit
from stickslip.saving import save
from stickslip.sweeps.basins import basins
from stickslip.sweeps.run import sweep

FORMATS = ("csv", "nc", "svg")
PICTURES = ("phase", "history", "friction")


def data(task: Task) -> Reply:
    """A file of what is asked for."""
    form = choice(task.request, "format", "format", FORMATS)
    what = choice(task.request, "what", "what", _MADE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{what}.{form}"
        results, picture = _MADE[what](task)
        if form == "svg":
            plot.save(picture(results), path)
        elif form == "csv":
            _save_table(results, path)
        elif len(results) > 1:
            raise Refused("a NetCDF file has one sweep or branch: choose one direction, or save as CSV", "format")
        else:
            save(results[0], path)
        content = np.frombuffer(path.read_bytes(), np.int8)
    return {"name": f"{what}.{form}", "format": form}, {"file": content}


def _save_table(results: list[Any], path: Path) -> None:
    """One table; what several sweeps or branches have stands one below the other, with a number for each."""
    import pandas as pd

    frames = [each.to_dataframe("record") if "record" in getattr(each, "dims", ()) else each.to_dataframe()
              for each in results]  # fmt: skip
    if len(frames) > 1:
        frames = [frame.assign(part=number) for number, frame in enumerate(frames)]
    save(pd.concat(frames) if len(frames) > 1 else frames[0], path)


Made = tuple[list[Any], Callable[[list[Any]], Any]]
"""Results, and how they are drawn."""


def _motion(task: Task) -> Made:
    samples = count({"samples": SAMPLES, **task.request}, "samples", "samples", limits.SAMPLES)
    run = whole_motion(task.model, motion_call(task.view, samples).values, "motion.t")
    picture = choice({"picture": "phase", **task.request}, "picture", "picture", PICTURES)
    return [run], lambda results: getattr(plot, picture)(results[0])


def _diagram(task: Task) -> Made:
    model, state = diagram_model(task), str(table(task.view, "diagram").get("quantity"))
    calls = [diagram_call(task.view, model, task.period, carry) for carry in carries(task.view)]
    results = [sweep(model, **call.values, threads=1, progress=False) for call in calls]

    def drawn(results: list[Any]) -> Any:
        axes = None
        for each in results:
            axes = plot.bifurcation(each, state, ax=axes)
        return axes

    return results, drawn


def _map(task: Task) -> Made:
    found = sweep(task.model, **map_call(task.view, task.model, task.period).values, threads=1, progress=False)
    quantity = map_quantity(task.view) or "periodicity"
    return [found], lambda results: plot.parameter_map(results[0], quantity)


def _section(task: Task) -> Made:
    asked = table(task.view, "section")
    found = sweep(task.model, **section_call(task.view, task.model, task.period).values, threads=1, progress=False)
    return [found], lambda results: plot.poincare(results[0], str(asked["x"]), str(asked["y"]))


def _orbit(task: Task) -> Made:
    return [find_orbit(task.model)], lambda results: results[0].plot()


def _branch(task: Task) -> Made:
    """One of the branches, or all of them."""
    branches = asked_branches(task.view)
    if not branches:
        raise Refused("there is no branch yet: follow an orbit or an equilibrium first", "what")
    chosen = range(len(branches))
    if task.request.get("index") is not None:
        chosen = range(i := count(task.request, "index", "index", len(branches) - 1, 0), i + 1)
    quantity = f"max {table(task.view, 'diagram').get('quantity')}"
    results = [each for index in chosen for each in followed(task, branches, index)]
    return results, lambda results: plot.branch([each.data for each in results], quantity)


def _basins(task: Task) -> Made:
    return [
        basins(task.model, **basins_call(task.view, task.model).values, progress=False)
    ], lambda results: plot.basins(results[0])


_MADE: dict[str, Callable[[Task], Made]] = {
    "motion": _motion, "diagram": _diagram, "map": _map, "section": _section, "orbit": _orbit, "branch": _branch,
    "basins": _basins,
}  # fmt: skip
