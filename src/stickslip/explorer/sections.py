"""The job `section`: a motion where it is looked at, and the map from one release to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import StickslipError
from stickslip.explorer.calls import section_call, state_of, written
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import table
from stickslip.plot.returnmap import with_gaps
from stickslip.sweeps.returnmap import ReturnMap, return_map
from stickslip.sweeps.run import sweep

CURVE, TURNS = 300, 60
"""Points of the curve of a return map, and steps of its cobweb."""


def section(task: Task) -> Reply:
    """Points of the section; then the return map, where the motion has releases."""
    model, asked = task.model, table(task.view, "section")
    call = section_call(task.view, model, task.period)
    x, y = (state_of(asked, side, model, f"section.{side}") for side in ("x", "y"))
    data = sweep(model, **call.values, threads=1, progress=False)
    points = {side: data[name].values[0] for side, name in (("x", x), ("y", y))}
    known = ~np.isnan(points["x"])
    arrays: dict[str, Any] = {side: values[known] for side, values in points.items()}
    fields = {"python": f"points = {call.text()}", "status": str(data.attrs["status"])}
    task.send(arrays, progress=0.3, **fields)
    if task.is_stopped():
        return fields, arrays
    if not model.contacts:
        return fields | {"coordinate": x}, arrays | successors(arrays["x"])
    try:
        releases = return_map(model, coordinate=x)
    except StickslipError as error:
        return fields | {"no_map": str(error), "coordinate": x}, arrays | successors(arrays["x"])
    fields |= {"coordinate": x, "python": f"{fields['python']}\n{return_map_line(x)}"}
    return fields, arrays | map_arrays(releases)


def return_map_line(coordinate: Any) -> str:
    """The line that makes the map."""
    return f"releases = ss.return_map(system, coordinate={written(coordinate)})"


def successors(points: Floats) -> dict[str, Floats]:
    """Points of the section with those that follow them: what there is to see where no curve goes through them."""
    return {"now": points[:-1], "next": points[1:]}


def map_arrays(releases: ReturnMap) -> dict[str, Any]:
    """Observed points with their successors, the curve of the map, and a cobweb from the last point."""
    points = releases.points
    arrays: dict[str, Any] = {"now": points[:-1], "next": points[1:]}
    low, high = float(np.min(points)), float(np.max(points))
    if high > low:
        grid = np.linspace(low, high, CURVE)
        arrays["curve"] = np.stack([grid, with_gaps(releases(grid), high - low)])
    arrays["cobweb"] = releases.iterate(points[:1], TURNS)[0]
    return arrays
