"""What a sweep gives per point, and how all of it becomes a labelled Dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from stickslip.methods.base import OUTCOMES
from stickslip.model.system import Model
from stickslip.status import Status
from stickslip.sweeps.axes import Axes

FORMAT = "stickslip sweep 1"
NOT_COMPUTED, IMPOSSIBLE = -1, 9
STATUSES = {NOT_COMPUTED: Status.NOT_COMPUTED, **OUTCOMES, IMPOSSIBLE: Status.IMPOSSIBLE}
"""Status codes of points."""

Results = dict[str, np.ndarray]
DESCRIPTIONS = {
    "status": "how the motion ended",
    "count": "rows recorded",
    "truncated": "whether there was room for no more rows",
    "events": "changes of mode while observed",
    "n": "stick→slip points in one period of the motion (0: none, or no period found)",
    "m": "periods of the excitation in one period of the motion (0: no period found; 1 without excitation)",
    "period": "period of the motion",
    "time": "time reached",
    "steps": "steps taken",
    "minimum": "least value while observed",
    "maximum": "largest value while observed",
    "stick_fraction": "part of the observed time in stick",
    "start_state": "state at the start",
    "end_state": "state at the end",
    "end_mode": "mode of the contact at the end: 0 stick, 1 and -1 slip",
    "record_time": "time of the recorded point",
    "record_contact": "number of the contact that changed its mode, -1: none",
}


@dataclass(frozen=True)
class Layout:
    """Shape per point, type, and what stands where nothing was computed."""

    shape_per_point: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: float | int | bool

    def empty(self, count: int) -> np.ndarray:
        """So many points of which nothing is known yet."""
        return np.full((count, *self.shape_per_point), self.fill, self.dtype)


def layout_for(model: Model, most: int) -> dict[str, Layout]:
    """Every array of a sweep."""
    states, contacts = len(model.states), len(model.contacts)
    number, whole = np.dtype(np.float64), np.dtype(np.int64)
    layout = {"status": Layout((), np.dtype(np.int8), NOT_COMPUTED)}
    layout |= {name: Layout((), whole, 0) for name in ("count", "events", "n", "m", "steps")}
    layout |= {"truncated": Layout((), np.dtype(np.bool_), False)}
    layout |= {name: Layout((), number, np.nan) for name in ("period", "time")}
    layout |= {name: Layout((states,), number, np.nan) for name in ("minimum", "maximum", "start_state", "end_state")}
    layout |= {
        "stick_fraction": Layout((contacts,), number, np.nan),
        "end_mode": Layout((contacts,), np.dtype(np.int8), 0),
    }
    if most:
        layout |= {
            "record_time": Layout((most,), number, np.nan),
            "record_contact": Layout((most,), np.dtype(np.int16), -1),
            "record_state": Layout((most, states), number, np.nan),
        }
    return layout


def labelled(
    model: Model, axes: Axes, layout: Mapping[str, Layout], pieces: list[tuple[np.ndarray, Results]]
) -> xr.Dataset:
    """The Dataset of a sweep, from the numbers of points and what was computed there."""
    longest = max((int(np.max(results["count"], initial=0)) for _, results in pieces), default=0)
    inner = {"record_time": ("record",), "record_contact": ("record",), "record_state": ("record", "state")}
    inner |= {"stick_fraction": ("contact",), "end_mode": ("contact",)}
    inner |= dict.fromkeys(("minimum", "maximum", "start_state", "end_state"), ("state",))
    variables: dict[str, Any] = {}
    for name, kind in layout.items():
        recorded = name.startswith("record_")
        shape = (longest, *kind.shape_per_point[1:]) if recorded else kind.shape_per_point
        values = np.full((axes.count, *shape), kind.fill, kind.dtype)
        for numbers, results in pieces:
            values[numbers] = results[name][:, :longest] if recorded else results[name]
        values = values.reshape(*axes.shape, *shape)
        variables[name] = ((*axes.dimensions, *inner.get(name, ())), values, {"long_name": DESCRIPTIONS.get(name, "")})
    return _named(xr.Dataset(variables, _coordinates(model, axes)), model)


def _named(data: xr.Dataset, model: Model) -> xr.Dataset:
    """States under their names, status codes with their meaning."""
    if "record_state" in data:
        for i, name in enumerate(model.states):
            data[name] = data["record_state"].isel(state=i, drop=True)
            data[name].attrs = {"units": model.units[name], "long_name": f"{name} at the recorded point"}
        data = data.drop_vars("record_state")
        data["record_contact"].attrs["flag_values"] = np.arange(len(model.contacts), dtype=np.int16)
        data["record_contact"].attrs["flag_meanings"] = " ".join(model.contacts)
    for name in ("record_time", "period", "time"):
        if name in data:
            data[name].attrs["units"] = model.time_unit
    data["status"].attrs["flag_values"] = np.array(list(STATUSES), np.int8)
    data["status"].attrs["flag_meanings"] = " ".join(status.name.lower() for status in STATUSES.values())
    return data


def _coordinates(model: Model, axes: Axes) -> dict[str, Any]:
    coordinates: dict[str, Any] = {
        name: (name if axes.grid else "point", np.asarray(values))
        for name, values in zip(axes.names, axes.values, strict=True)
    }
    contacts = np.array(model.contacts, dtype=np.str_) if model.contacts else np.zeros(0, "<U1")
    return coordinates | {"state": np.array(model.states, dtype=np.str_), "contact": contacts}
