"""`save` and `load`: runs, orbits and branches in NetCDF files. What is read is data; none of it is executed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from stickslip import reading, result
from stickslip.branches.branch import Branch, SpecialPoint
from stickslip.branches.table import FORMAT as BRANCH
from stickslip.errors import ModelError, ResultError
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smoothing
from stickslip.methods.switch import Switch
from stickslip.model import files
from stickslip.model.errors import check_number, check_whole, visible
from stickslip.model.system import Model
from stickslip.orbits.orbit import Orbit, Phases
from stickslip.orbits.signature import Event, Signature
from stickslip.sweeps.layout import BASINS
from stickslip.sweeps.layout import FORMAT as SWEEP

ORBIT = "stickslip orbit 1"
MODEL_FILE = ".toml"
METHODS: dict[str, type[Method]] = {"Exact": Exact, "Smoothing": Smoothing, "Switch": Switch}


def save(what: xr.Dataset | Orbit | Branch | Model, path: str | Path) -> Path:
    """Write a model to a TOML file, a result to a NetCDF file; the file appears whole or not at all.

    Parameters
    ----------
    what : Dataset, Orbit, Branch, System or Filippov
        A run, a sweep, basins, an orbit, a branch; or a model.
    path : path
        Where to: "x.toml" for a model, "x.nc" for everything else.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ResultError
        If it cannot be written; what was to be saved is still there.
    ModelError
        If a model has a function whose formula is not known, or the path is not one of a model file.

    See Also
    --------
    load : reads it back.

    Examples
    --------
    >>> import stickslip as ss, tempfile, pathlib
    >>> orbit = ss.find_orbit(ss.models.block_on_belt())
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "orbit.nc"
    >>> ss.load(ss.save(orbit, path)).period == orbit.period
    True
    """
    if isinstance(what, Model):
        return _save_model(what, Path(path))
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
    raise ResultError(f"{type(what).__name__} cannot be saved: give a run, an Orbit, a Branch or a System")


def load(path: str | Path, trusted: bool = False) -> Any:
    """Read back what was saved, equal to what it was. A file may come from anybody: nothing in it is executed.

    Parameters
    ----------
    path : path
        A model file, "x.toml", or a file of results, "x.nc".
    trusted : bool, default False
        Whether you know its author: models that take long to compile are then allowed.

    Returns
    -------
    System, Filippov, Dataset, Orbit or Branch
        What was saved.

    Raises
    ------
    ModelError
        If a model file cannot be read; the message names the place.
    ResultError
        If a file of results is damaged, or is none.

    See Also
    --------
    save : writes it.

    Examples
    --------
    >>> import stickslip as ss, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "belt.toml"
    >>> ss.load(ss.save(ss.models.block_on_belt(), path)).states
    ('x.block', 'v.block')
    """
    if Path(path).suffix == MODEL_FILE:
        return files.load(path, trusted)
    data = reading.read(path)
    kind = str(data.attrs.get("format"))
    if kind in (SWEEP, BASINS):
        return data
    if kind not in (ORBIT, BRANCH):
        return reading.checked(data, path)
    try:
        model = files.loads(str(data.attrs["model"]), trusted=trusted)
        if kind == ORBIT:
            return _orbit(model, reading.parsed(data.attrs["orbit"], "orbit"))
        return _branch(model, data)
    except Exception as error:  # whatever is wrong with a record of somebody else
        reason = visible(" ".join(str(error).split())[:200])
        raise ResultError(
            f"{visible(repr(str(path)))} is damaged, or was written by another version: {reason}"
        ) from None


def _formulas(model: Model) -> dict[str, Any]:
    """The formulas of the functions in a model, as they were traced."""
    from stickslip.field import Field

    return Field.of(model, target="python", order=8).formulas


def _model_text(model: Model) -> str:
    return files.dumps(model, _formulas(model))


def _save_model(model: Model, path: Path) -> Path:
    if path.suffix != MODEL_FILE:
        raise ModelError(f"{str(path)!r} is no name for a model: it is a text in TOML, so call it {path.stem}.toml")
    files.save(model, path, _formulas(model))
    return path


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
    forcing = record["forcing"]
    orbit = Orbit(
        model=model.with_(changed) if changed else model,
        start={name: check_number(f"start of {name}", record["start"][name]) for name in model.states},
        start_time=check_number("start_time", record["start_time"]),
        period=check_number("period", record["period"], positive=True),
        signature=Signature(model.contacts, modes, events),
        multipliers=np.array([complex(re, im) for re, im in record["multipliers"]], complex),
        turns=check_whole("turns", record["turns"], 0),
        phases=Phases(
            np.array(record["states"], float),
            np.array(record["durations"], float),
            np.array(record["scale"], float),
            None if forcing is None else check_number("forcing", forcing, positive=True),
        ),
        method=METHODS[name](**settings),
    )
    _check(orbit)
    return orbit


def _check(orbit: Orbit) -> None:
    """Refuse phases that do not belong to the model, or not together."""
    states, contacts, signature = len(orbit.model.states), len(orbit.model.contacts), orbit.signature
    phases = orbit.phases
    count = len(phases.durations)
    shapes = phases.states.shape, phases.durations.shape, phases.scale.shape
    if shapes != ((count, states), (count,), (states,)):
        raise ResultError(f"its phases have the shapes {shapes}, which do not fit {states} states")
    if any(len(mode) not in (0, contacts) or not set(mode) <= {-1, 0, 1} for mode in signature.modes):
        raise ResultError(f"its modes do not fit {contacts} contacts")
    if any(event.contact not in range(-1, contacts) or event.side not in (-1, 0, 1) for event in signature.events):
        raise ResultError("its events name contacts that the model does not have")
    if not all(np.all(np.isfinite(x)) for x in (phases.states, phases.durations, phases.scale)):
        raise ResultError("its phases are not finite")


def _branch(model: Model, data: xr.Dataset) -> Branch:
    points = tuple(_orbit(model, record) for record in reading.parsed(data.attrs["orbits"], "orbits"))
    special = []
    for i, record in enumerate(reading.parsed(data.attrs["special"], "special")):
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
