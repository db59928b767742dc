"""The job `map`: what motions do over two parameters, as colours, coarse first."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from stickslip.arrays import Floats, Ints
from stickslip.explorer.calls import map_call
from stickslip.explorer.order import coarse_grid_first
from stickslip.explorer.sweeping import MOMENT, pieces
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import table
from stickslip.plot.sweeps import COLOURS, LOOKS, OTHER, kinds_of, signatures_of
from stickslip.sweeps.axes import Axes
from stickslip.sweeps.layout import Results, Sweep
from stickslip.sweeps.plan import Plan
from stickslip.sweeps.prepare import plan_sweep

NOT_YET = -1
SHADES = ("#053061", "#2166AC", "#4393C3", "#92C5DE", "#D1E5F0", "#FDDBC7", "#F4A582", "#D6604D", "#B2182B", "#67001F")
"""Of exponents, from those of motions that settle fast to those of chaos; half of them are below zero."""

UNKNOWN = "#888888"


def map(task: Task) -> Reply:
    """A map, in squares that become smaller; every frame has all of it."""
    model = task.model
    call = map_call(task.view, model, task.period)
    plan = plan_sweep(model, **call.values)
    raster = _Numbers(plan) if table(task.view, "map").get("colour") == "exponent" else _Kinds(plan)
    order = coarse_grid_first(*plan.axes.shape)
    rows, columns = np.unravel_index(order, plan.axes.shape)
    values = (plan.axes.values[0][rows], plan.axes.values[1][columns])
    listed = replace(plan, axes=Axes(plan.axes.names, values, grid=False))
    sent, python = 0.0, f"data = {call.text()}"
    for numbers, found in pieces(listed, task.is_stopped):
        raster.add(order[numbers], _labelled(listed, numbers, found))
        if time.perf_counter() - sent > MOMENT:
            sent = time.perf_counter()
            task.send(raster.arrays(), legend=raster.legend(), progress=float((numbers[-1] + 1) / plan.count))
    return {"legend": raster.legend(), "python": python}, raster.arrays()


def _labelled(plan: Plan, numbers: Ints, found: Results) -> Sweep:
    """The results of some points as the verbs give them."""
    axes = Axes(plan.axes.names, tuple(values[numbers] for values in plan.axes.values), grid=False)
    part = replace(plan, axes=axes, chunk_size=len(numbers))
    return part.assemble({0: found})


class _Kinds:
    """Kinds of motion as colours, in the order in which they were first seen."""

    def __init__(self, plan: Plan) -> None:
        self.shape = plan.axes.shape
        self.codes = np.full(plan.count, NOT_YET, np.int32)
        self.words: list[str] = []

    def add(self, places: Ints, data: Sweep) -> None:
        """What motions do at some points."""
        words = signatures_of(data) if "signature" in data else kinds_of(data)
        for word in dict.fromkeys(words.tolist()):
            if word not in self.words:
                self.words.append(word)
        self.codes[places] = [self.words.index(word) for word in words.tolist()]

    def arrays(self) -> dict[str, Any]:
        """The map so far."""
        return {"colour": self.codes.reshape(self.shape)}

    def legend(self) -> list[dict[str, Any]]:
        """What colours mean."""
        own = [word for word in self.words if word not in LOOKS]
        looks = {**LOOKS, **dict(zip(own, COLOURS, strict=False))}  # there are always more kinds than colours
        return [{"key": i, "label": word, "colour": looks.get(word, OTHER)} for i, word in enumerate(self.words)]


class _Numbers:
    """Exponents as shades on both sides of zero, up to the largest of them."""

    def __init__(self, plan: Plan) -> None:
        self.shape = plan.axes.shape
        self.values = np.full(plan.count, np.nan)
        self.known = np.zeros(plan.count, bool)

    def add(self, places: Ints, data: Sweep) -> None:
        """The exponents at some points."""
        self.values[places] = data["largest_exponent"].values
        self.known[places] = True

    def _edges(self) -> Floats:
        finite = np.abs(self.values[np.isfinite(self.values)])
        top = float(np.quantile(finite, 0.98)) if len(finite) else 1.0
        return np.linspace(-(top or 1.0), top or 1.0, len(SHADES) + 1)

    def arrays(self) -> dict[str, Any]:
        """The map so far, and its numbers."""
        inner = self._edges()[1:-1]
        codes = np.where(np.isnan(self.values), len(SHADES), np.searchsorted(inner, self.values))
        codes = np.where(self.known, codes, NOT_YET).astype(np.int32)
        return {"colour": codes.reshape(self.shape), "number": self.values.reshape(self.shape)}

    def legend(self) -> list[dict[str, Any]]:
        """What colours mean."""
        edges = self._edges()
        spans = zip(edges[:-1], edges[1:], SHADES, strict=True)
        shades = [
            {"key": i, "label": f"{low:.2g} to {high:.2g}".replace("-", "−"), "colour": shade}
            for i, (low, high, shade) in enumerate(spans)
        ]
        return [*shades, {"key": len(SHADES), "label": "not known", "colour": UNKNOWN}]
