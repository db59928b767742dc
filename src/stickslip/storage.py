"""`save` and `load`: results, tables and models in files. What is read is data; none of it is executed."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from stickslip import frames, reading, result
from stickslip.branches.branch import Branch, SpecialPoint
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.table import FORMAT as BRANCH
from stickslip.errors import ModelError, ResultError
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smoothing
from stickslip.methods.switch import Switch
from stickslip.model import files
from stickslip.model.errors import check_number, check_whole, shown, visible
from stickslip.model.system import Model
from stickslip.orbits.equilibria import Equilibrium
from stickslip.orbits.orbit import Orbit, Phases
from stickslip.orbits.signature import Event, Signature
from stickslip.sweeps.layout import BASINS, Sweep
from stickslip.sweeps.layout import FORMAT as SWEEP

if TYPE_CHECKING:
    import pandas as pd

ORBIT, EQUILIBRIUM = "stickslip orbit 1", "stickslip equilibrium 1"
MODEL_FILE = ".toml"
METHODS: dict[str, type[Method]] = {"Exact": Exact, "Smoothing": Smoothing, "Switch": Switch}


def save(what: Any, path: str | Path) -> Path:
    """Write a model to a TOML file, a result to a NetCDF file, a table to a CSV file; whole or not at all.

    Parameters
    ----------
    what : Run, Sweep, Orbit, Equilibrium, Branch, System, Filippov or DataFrame
        A run, a sweep, basins, an orbit, an equilibrium, a branch; a model; or a table, or anything that has one
        (`to_dataframe`).
    path : path
        Where to; the ending says what is written. "x.toml": a model. "x.nc": all of a result, which `load` reads back.
        "x.csv": a table, ``what.to_dataframe()``: the samples of a run, the points of a sweep or a branch. The events
        of a run are ``ss.save(run.to_dataframe("event"), "events.csv")``.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ResultError
        If the ending does not fit, or the file cannot be written; what was to be saved is still there.
    ModelError
        If a model has a function whose formula is not known, or the path is not one of a model file.

    See Also
    --------
    load : reads it back.
    stickslip.plot.save : pictures.

    Examples
    --------
    >>> import stickslip as ss, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> orbit = ss.find_orbit(ss.models.block_on_belt())
    >>> ss.load(ss.save(orbit, folder / "orbit.nc")).period == orbit.period
    True
    >>> ss.save(orbit, folder / "orbit.csv").read_text().split()[0]
    'time,x.block,v.block,slip_velocity.contact,force.contact,mode.contact'
    """
    _check_path(path)
    if isinstance(what, Model):
        return _save_model(what, Path(path))
    ending = Path(path).suffix.lower()
    if ending == ".csv":
        return result.save_table(_table(what), path)
    if ending != ".nc":
        raise ResultError(
            f"{visible(repr(str(path)))} ends with neither .nc nor .csv: results are kept whole as NetCDF (run.nc), "
            "tables as CSV (run.csv)"
        )
    return _save_whole(what, path)


def _check_path(path: Any) -> None:
    """Refuse what is no name of a file."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ResultError(f"{shown(path)} is not the name of a file")


def _table(what: Any) -> pd.DataFrame:
    """What is written to a CSV file."""
    import pandas as pd

    if isinstance(what, pd.DataFrame):
        return what
    if isinstance(what, xr.Dataset) and not isinstance(what, result.Result):
        table = frames.natural_frame(what)
        if table is None:
            listed = ", ".join(map(str, what.dims))
            raise ResultError(
                f"no variable of this Dataset lies along all of its dimensions, {listed}: choose those that belong in "
                "one table, ss.save(data[[…]], path)"
            )
        return table
    if not hasattr(what, "to_dataframe"):
        raise ResultError(f"{type(what).__name__} has no table: give a run, a sweep, an Orbit, a Branch or a frame")
    found: pd.DataFrame = what.to_dataframe()
    return found


def _save_whole(what: Any, path: str | Path) -> Path:
    """A result in a NetCDF file."""
    if isinstance(what, Orbit):
        data = what.data.copy()
        data.attrs |= {"format": ORBIT, "model": _model_text(what.model), "orbit": json.dumps(_record(what))}
        return result.save(data, path)
    if isinstance(what, Equilibrium):
        record = {"format": EQUILIBRIUM, "model": _model_text(what.model), "equilibrium": json.dumps(_record(what))}
        return result.save(xr.Dataset(attrs=record), path)
    if isinstance(what, Branch):
        table = what.data
        special = [
            {"orbit": _record(p.orbit), "margin": p.margin, "note": p.note, "numbers": p.numbers} for p in what.special
        ]
        table.attrs |= {
            "model": _model_text(what.points[0].model),
            "evaluations": what.evaluations,
            "orbits": json.dumps([_record(point) for point in what.points]),
            "special": json.dumps(special),
            "endings": json.dumps([[end.outcome.word, end.value, end.sentence] for end in what.endings]),
        }
        return result.save(table, path)
    if isinstance(what, xr.Dataset):
        return result.save(what, path)
    raise ResultError(
        f"{type(what).__name__} cannot be saved whole: give a run, a sweep, an Orbit, an Equilibrium, a Branch or "
        "a System"
        + (
            "; its table can, in a file that ends with .csv"
            if hasattr(what, "to_dataframe") or hasattr(what, "to_csv")
            else ""
        )
    )


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
    System, Filippov, Dataset, Orbit, Equilibrium or Branch
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
    _check_path(path)
    if Path(path).suffix == MODEL_FILE:
        return files.load(path, trusted)
    data = reading.read(path)
    kind = str(data.attrs.get("format"))
    if kind == SWEEP:
        return Sweep.of(data)
    if kind == BASINS:
        from stickslip.sweeps.basins import Basins

        return Basins.of(data)
    if kind not in (ORBIT, EQUILIBRIUM, BRANCH):
        return reading.checked(data, path)
    try:
        model = files.loads(str(data.attrs["model"]), trusted=trusted)
        if kind == ORBIT:
            return _orbit(model, reading.parsed(data.attrs["orbit"], "orbit"))
        if kind == EQUILIBRIUM:
            return _equilibrium(model, reading.parsed(data.attrs["equilibrium"], "equilibrium"))
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


def _record(what: Orbit | Equilibrium) -> dict[str, Any]:
    """An orbit or an equilibrium as plain numbers and words."""
    return _record_of_orbit(what) if isinstance(what, Orbit) else _record_of_equilibrium(what)


def _read(model: Model, record: dict[str, Any]) -> Orbit | Equilibrium:
    """An orbit or an equilibrium, from its record."""
    return _equilibrium(model, record) if "eigenvalues" in record else _orbit(model, record)


def _record_of_equilibrium(rest: Equilibrium) -> dict[str, Any]:
    return {
        "parameters": dict(rest.model.parameters),
        "state": rest.state,
        "mode": rest.mode,
        "force": rest.force,
        "eigenvalues": [[m.real, m.imag] for m in rest.eigenvalues],
        "stable": rest.stable,
        "interval": rest.interval,
        "box": rest.box,
    }


def _equilibrium(model: Model, record: dict[str, Any]) -> Equilibrium:
    interval = record["interval"]
    return Equilibrium(
        model=_with_parameters(model, record),
        state={name: check_number(f"state {name}", record["state"][name]) for name in model.states},
        mode={name: _mode(record["mode"][name]) for name in model.contacts},
        force={name: check_number(f"force of {name}", record["force"][name]) for name in model.contacts},
        eigenvalues=_complexes(record["eigenvalues"]),
        stable=_decision(record["stable"]),
        interval=None if interval is None else {name: _range(name, interval[name]) for name in model.states},
        box=_decision(record["box"]),
    )


def _mode(value: Any) -> int:
    if value not in (-1, 0, 1):
        raise ResultError(f"a mode is {value!r}: it must be -1, 0 or 1")
    return int(value)


def _decision(value: Any) -> bool | None:
    """True, False, or not decided."""
    if not (value is None or isinstance(value, bool)):
        raise ResultError(f"{value!r} must be true, false or null")
    return value


def _range(name: str, ends: Any) -> tuple[float, float]:
    low, high = (check_number(f"interval of {name}", end, finite=False) for end in ends)
    return low, high


def _with_parameters(model: Model, record: dict[str, Any]) -> Model:
    changed = {k: float(v) for k, v in record["parameters"].items() if model.parameters[k] != v}
    return model.with_(changed) if changed else model


def _complexes(pairs: Any) -> Any:
    return np.array([complex(real, imaginary) for real, imaginary in pairs], complex)


def _record_of_orbit(orbit: Orbit) -> dict[str, Any]:
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
        "rounds": None if orbit.phases.rounds is None else orbit.phases.rounds.tolist(),
        "advance": orbit.advance,
        "method": {"name": type(orbit.method).__name__, **dataclasses.asdict(orbit.method)},  # type: ignore[call-overload]
    }


def _orbit(model: Model, record: dict[str, Any]) -> Orbit:
    settings = dict(record["method"])
    name = settings.pop("name")
    if name not in METHODS:
        raise ResultError(f"there is no method {name!r}")
    modes = tuple(tuple(int(m) for m in mode) for mode in record["modes"])
    events = tuple(Event(str(kind), int(contact), int(side)) for kind, contact, side in record["events"])
    forcing = record["forcing"]
    orbit = Orbit(
        model=_with_parameters(model, record),
        start={name: check_number(f"start of {name}", record["start"][name]) for name in model.states},
        start_time=check_number("start_time", record["start_time"]),
        period=check_number("period", record["period"], positive=True),
        signature=Signature(model.contacts, modes, events),
        multipliers=_complexes(record["multipliers"]),
        turns=check_whole("turns", record["turns"], 0),
        phases=Phases(
            np.array(record["states"], float),
            np.array(record["durations"], float),
            np.array(record["scale"], float),
            None if forcing is None else check_number("forcing", forcing, positive=True),
            None if record["rounds"] is None else np.array(record["rounds"], float),
        ),
        advance={name: check_number(f"advance of {name}", record["advance"][name]) for name in record["advance"]},
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
    if phases.rounds is not None and phases.rounds.shape != (states,):
        raise ResultError(f"its turns have the shape {phases.rounds.shape}, which does not fit {states} states")
    if not set(orbit.advance) <= set(orbit.model.states):
        raise ResultError("it says how states advance that the model does not have")
    if not all(np.all(np.isfinite(x)) for x in (phases.states, phases.durations, phases.scale)):
        raise ResultError("its phases are not finite")


def _branch(model: Model, data: xr.Dataset) -> Branch:
    points: Any = tuple(_read(model, record) for record in reading.parsed(data.attrs["orbits"], "orbits"))
    special = []
    for i, record in enumerate(reading.parsed(data.attrs["special"], "special")):
        margin = tuple(record["margin"]) if record["margin"] is not None else None
        extremes = np.array([data["special_minimum"].values[i], data["special_maximum"].values[i]])
        special.append(
            SpecialPoint(
                str(data["special_kind"].values[i]),
                str(data.attrs["parameter"]),
                float(data["special_value"].values[i]),
                _read(model, record["orbit"]),
                str(record["note"]),
                margin,
                extremes,
                int(data["special_after"].values[i]),
                {str(k): float(v) for k, v in record["numbers"].items()},
            )
        )
    extremes = np.stack([data["minimum"].values, data["maximum"].values], axis=1)
    endings = tuple(
        Ending(Outcome.of(str(word)), check_number("value of an end", value), str(sentence))
        for word, value, sentence in reading.parsed(data.attrs["endings"], "endings")
    )
    parameter = str(data.attrs["parameter"])
    return Branch(parameter, points, tuple(special), endings, extremes, int(data.attrs["evaluations"]))
