"""The job `basins`: which attractor each start leads to, coarse first."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.explorer.calls import basins_call
from stickslip.explorer.messages import finite
from stickslip.explorer.task import Reply, Task
from stickslip.plot.style import SERIES
from stickslip.sweeps.basins import Basins
from stickslip.sweeps.basins import basins as find_basins

COARSER = 4
"""By how much fewer starts the first look has, along each state."""

EARLY = 0.1
"""The part of the work that the first look is."""

UNRESOLVED = -2


def basins(task: Task) -> Reply:
    """A few starts first, then all of them."""
    model = task.model
    call = basins_call(task.view, model)
    shape = tuple(len(values) for values in call.values["grid"].values())[::-1]
    coarse = basins_call(task.view, model, COARSER)
    data = find_basins(model, **coarse.values, progress=lambda done: task.send(progress=EARLY * done))
    label = _label(data)
    rows, columns = (np.arange(n) * m // n for n, m in zip(shape, label.shape, strict=True))
    task.send({"label": label[np.ix_(rows, columns)]}, attractors=_attractors(data), progress=EARLY)
    if task.is_stopped():
        return {"attractors": _attractors(data)}, {}
    data = find_basins(model, **call.values, progress=lambda done: task.send(progress=EARLY + (1 - EARLY) * done))
    return {"attractors": _attractors(data), "python": f"data = {call.text()}"}, {"label": _label(data)}


def _label(data: Basins) -> np.ndarray:
    """The number of the attractor of each start, rows along y."""
    found = data["attractor"].values.T.astype(np.int32)
    return np.where(found < 0, UNRESOLVED, found).astype(np.int32)


def _attractors(data: Basins) -> list[dict[str, Any]]:
    return [
        {
            "index": i,
            "label": str(each),
            "colour": SERIES[i % len(SERIES)],
            "kind": each.kind,
            "state": each.state,
            "period": None if each.period is None else finite(each.period),
        }
        for i, each in enumerate(data.attractors)
    ]
