"""`save` and `load`: runs, orbits and branches in NetCDF files. What is read is data; none of it is executed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from stickslip import result
from stickslip.branches.branch import Branch, SpecialPoint
from stickslip.branches.table import FORMAT as BRANCH
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smooth
from stickslip.methods.switch import Switch
from stickslip.model import files
from stickslip.model.errors import ModelError
from stickslip.model.system import Model
from stickslip.orbits.orbit import Orbit, Phases
from stickslip.orbits.signature import Event, Signature
from stickslip.result import ResultError
from stickslip.sweeps.layout import BASINS
from stickslip.sweeps.layout import FORMAT as SWEEP

ORBIT = "stickslip orbit 1"
METHODS: dict[str, type[Method]] = {"Exact": Exact, "Smooth": Smooth, "Switch": Switch}


def save(what: xr.Dataset | Orbit | Branch, path: str | Path) -> Path:
    """Write a run, an orbit or a branch to a NetCDF file; the file appears whole or not at all.

    >>> import stickslip as ss, tempfile, pathlib
    >>> orbit = ss.find_orbit(ss.models.block_on_belt())
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "orbit.nc"
    >>> ss.load(ss.save(orbit, path)).period == orbit.period
    True
    """
    if isinstance(what, Orbit):
        data = what.data.copy()
        data.attrs |= {"format": ORBIT, "model": _model_text(what.model), "orbit": json.dumps(_record(what))}
        return result.save(data, path)
    if isinstance(what, Branch):
        orbits = [point for point in what.points if isinstance(point, Orbit)]
        if len(orbits) < len(what.points):
            raise ResultError(
                "a branch of equilibria cannot be saved whole: save its table, branch.data.to_netcdf(path)"
            )
        data = what.data
        special = [
            {"orbit": _record(p.orbit), "margin": p.margin, "note": p.note, "numbers": p.numbers} for p in what.special
        ]
        data.attrs |= {
            "model": _model_text(what.points[0].model),
            "evaluations": what.evaluations,
            "orbits": json.dumps([_record(orbit) for orbit in orbits]),
            "special": json.dumps(special),
        }
        return result.save(data, path)
    if isinstance(what, xr.Dataset):
        return result.save(what, path)
    raise ResultError(f"{type(what).__name__} cannot be saved: give a run, an Orbit or a Branch")


def load(path: str | Path) -> Any:
    """Read back what was saved: a run, a sweep or basins (Datasets), an Orbit or a Branch, equal to what it was."""
    data = result.read(path)
    kind = data.attrs.get("format")
    if kind in (SWEEP, BASINS):
        return data
    if kind not in (ORBIT, BRANCH):
        return result.checked(data, path)
    try:
        model = files.loads(str(data.attrs["model"]))
        if kind == ORBIT:
            return _orbit(model, json.loads(data.attrs["orbit"]))
        return _branch(model, data)
    except (KeyError, TypeError, ValueError, IndexError, ModelError) as error:
        raise ResultError(f"{str(path)!r} is damaged, or was written by another version: {error}") from None


def _model_text(model: Model) -> str:
    from stickslip.field import compile

    return files.dumps(model, compile(model, target="python", order=8).formulas)


def _record(orbit: Orbit) -> dict[str, Any]:
    """An orbit as plain numbers and words."""
    return {
        "parameters": dict(orbit.model.parameters),
        "start": orbit.start,
        "start_time": orbit.start_time,
        "period": orbit.period,
        "turns": orbit.turns,
        "multipliers": [[m.real, m.imag] for m in orbit.multipliers],
        "modes": [list(mode) for mode in orbit.signature.modes],
        "events": [[event.kind, event.contact, event.side] for event in orbit.signature.events],
        "states": orbit.phases.states.tolist(),
        "durations": orbit.phases.durations.tolist(),
        "scale": orbit.phases.scale.tolist(),
        "forcing": orbit.phases.forcing,
        "method": {"name": type(orbit.method).__name__, **dataclasses.asdict(orbit.method)},  # type: ignore[call-overload]
    }


def _orbit(model: Model, record: dict[str, Any]) -> Orbit:
    settings = dict(record["method"])
    name = settings.pop("name")
    if name not in METHODS:
        raise ResultError(f"there is no method {name!r}")
    changed = {k: float(v) for k, v in record["parameters"].items() if model.parameters[k] != v}
    modes = tuple(tuple(int(m) for m in mode) for mode in record["modes"])
    events = tuple(Event(str(kind), int(contact), int(side)) for kind, contact, side in record["events"])
    return Orbit(
        model=model.with_(changed) if changed else model,
        start={str(k): float(v) for k, v in record["start"].items()},
        start_time=float(record["start_time"]),
        period=float(record["period"]),
        signature=Signature(model.contacts, modes, events),
        multipliers=np.array([complex(re, im) for re, im in record["multipliers"]]),
        turns=int(record["turns"]),
        phases=Phases(
            np.array(record["states"], float),
            np.array(record["durations"], float),
            np.array(record["scale"], float),
            record["forcing"],
        ),
        method=METHODS[name](**settings),
    )


def _branch(model: Model, data: xr.Dataset) -> Branch:
    points = tuple(_orbit(model, record) for record in json.loads(data.attrs["orbits"]))
    special = []
    for i, record in enumerate(json.loads(data.attrs["special"])):
        margin = tuple(record["margin"]) if record["margin"] is not None else None
        extremes = np.array([data["special_minimum"].values[i], data["special_maximum"].values[i]])
        special.append(
            SpecialPoint(
                str(data["special_kind"].values[i]),
                str(data.attrs["parameter"]),
                float(data["special_value"].values[i]),
                _orbit(model, record["orbit"]),
                str(record["note"]),
                margin,
                extremes,
                int(data["special_after"].values[i]),
                {str(k): float(v) for k, v in record["numbers"].items()},
            )
        )
    extremes = np.stack([data["minimum"].values, data["maximum"].values], axis=1)
    parameter, reason = str(data.attrs["parameter"]), str(data.attrs["reason"])
    return Branch(parameter, points, tuple(special), reason, extremes, int(data.attrs["evaluations"]))
