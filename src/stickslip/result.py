"""Results as labelled data: how a run is laid out, interpolated and saved.

A run is an `xarray.Dataset`. Along `time`: every state under its name, and `mode`, `force`, `slip_velocity` per
contact. Along `event`: the event table. Along `step`: the polynomials of every step (dense output), from which
`interpolate` gives the motion at any time.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from stickslip._version import __version__
from stickslip.arguments import floats
from stickslip.errors import ModelError, ResultError, WriteError
from stickslip.files import interrupted_later, reason, seal, whole_file
from stickslip.model.system import Model
from stickslip.status import Status

POINTS_PER_STEP = 8
MOST_SAMPLES = 400_000
FORMAT = "stickslip run 1"
IN_MEMORY = 1e9
"""Bytes up to which a result is made a file in memory before it goes to the disk."""
Floats = NDArray[np.float64]


class Steps:
    """Rows of step polynomials: start, length, modes, then the series of states, sliding velocities and forces."""

    def __init__(self, rows: Floats, states: int, contacts: int) -> None:
        if not np.all(rows[:, 1] > 0):
            rows = rows[rows[:, 1] > 0]  # events at the very start of a step leave steps of no length
        self.start, self.length = rows[:, 0], rows[:, 1]
        self.mode = rows[:, 2 : 2 + contacts].astype(np.int8)
        quantities = states + 2 * contacts
        powers = (rows.shape[1] - 2 - contacts) // quantities
        series = rows[:, 2 + contacts :].reshape(len(rows), quantities, powers)
        self.state = series[:, :states]
        self.slip_velocity = series[:, states : states + contacts]
        self.force = series[:, states + contacts :]

    def __len__(self) -> int:
        return len(self.start)


def evaluate(coefficients: Floats, tau: Floats) -> Floats:
    """Polynomials (point, quantity, power) at τ (point): Horner."""
    value = coefficients[..., -1].copy()
    for k in range(coefficients.shape[-1] - 2, -1, -1):
        value = value * tau[:, None] + coefficients[..., k]
    return value


def sample_times(steps: Steps) -> Floats:
    """Times that follow the motion: several in every step, and the end."""
    if len(steps) == 0:
        return np.zeros(0)
    points = max(1, min(POINTS_PER_STEP, MOST_SAMPLES // len(steps)))
    fractions = np.arange(points) / points
    times = (steps.start[:, None] + steps.length[:, None] * fractions).ravel()
    return np.unique(np.append(times, steps.start[-1] + steps.length[-1]))


def sampled(steps: Steps, times: Floats) -> dict[str, Any]:
    """States, sliding velocities, forces and modes at given times; at an event, what holds just after it."""
    index = np.clip(np.searchsorted(steps.start, times, side="right") - 1, 0, max(len(steps) - 1, 0))
    tau = np.clip(times - steps.start[index], 0.0, steps.length[index])
    return {
        "state": evaluate(steps.state[index], tau),
        "slip_velocity": evaluate(steps.slip_velocity[index], tau),
        "force": evaluate(steps.force[index], tau),
        "mode": steps.mode[index],
    }


def build(
    model: Model,
    times: Floats,
    samples: dict[str, Any],
    events: Floats,
    steps: Steps | None,
    attributes: dict[str, Any],
) -> xr.Dataset:
    """The Dataset of a run."""
    contacts = np.array(model.contacts, dtype=np.str_) if model.contacts else np.zeros(0, "<U1")
    variables: dict[str, Any] = {}
    for i, name in enumerate(model.states):
        variables[name] = ("time", samples["state"][:, i], {"units": model.units[name]})
    for name in ("slip_velocity", "force", "mode"):
        variables[name] = (("time", "contact"), samples[name])
    names = contacts[events[:, 1].astype(int)] if len(events) else np.zeros(0, contacts.dtype)
    variables |= {
        "event_time": ("event", events[:, 0].copy()),
        "event_contact": ("event", names),
        "event_before": ("event", events[:, 2].astype(np.int8)),
        "event_after": ("event", events[:, 3].astype(np.int8)),
        "event_state": (("event", "state"), events[:, 4:].copy()),
    }
    if steps is not None:
        variables |= {
            "step_start": ("step", steps.start),
            "step_length": ("step", steps.length),
            "step_mode": (("step", "contact"), steps.mode),
            "step_state": (("step", "state", "power"), steps.state),
            "step_slip_velocity": (("step", "contact", "power"), steps.slip_velocity),
            "step_force": (("step", "contact", "power"), steps.force),
        }
    coordinates = {
        "time": ("time", times, {"units": model.time_unit}),
        "contact": contacts,
        "state": np.array(model.states, dtype=np.str_),
    }
    attributes = {"format": FORMAT, "version": __version__, **attributes}
    return xr.Dataset(variables, coordinates, attributes)


def interpolate(run: xr.Dataset, times: ArrayLike) -> xr.Dataset:
    """The run at any times, from its dense output.

    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=10)
    >>> round(float(ss.interpolate(run, [3.0])["x.block"][0]), 6)
    -0.483162
    """
    try:
        wanted = np.atleast_1d(floats("the times", times))
    except ModelError as error:
        raise ResultError(str(error)) from None
    if wanted.ndim != 1:
        raise ResultError(f"the times have the shape {wanted.shape}: they must be a list of numbers")
    steps = steps_of(run)
    first, last = steps.start[0], steps.start[-1] + steps.length[-1]
    outside = wanted[~((wanted >= first) & (wanted <= last))]
    if len(outside):
        raise ResultError(f"the time {outside[0]:g} is outside the run, which covers {first:g} to {last:g}")
    samples = sampled(steps, wanted)
    kept = [name for name in run.variables if "time" not in run[name].dims and "step" not in run[name].dims]
    result = run[kept].assign_coords(time=("time", wanted, run["time"].attrs))
    for i, name in enumerate(run["state"].values):
        result[str(name)] = ("time", samples["state"][:, i], run[str(name)].attrs)
    for name in ("slip_velocity", "force", "mode"):
        result[name] = (("time", "contact"), samples[name])
    return result


def steps_of(run: xr.Dataset) -> Steps:
    """The dense output of a run."""
    if "step_start" not in run or run.sizes["step"] == 0:
        raise ResultError("this run has no dense output: simulate it with dense=True, and for some time")
    steps = object.__new__(Steps)
    for name in ("start", "length", "mode", "state", "slip_velocity", "force"):
        setattr(steps, name, run[f"step_{name}"].values)
    return steps


def save(run: xr.Dataset, path: str | Path) -> Path:
    """Write a run to a NetCDF file; the file appears whole or not at all, and Ctrl-C waits for it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise WriteError(f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist")
    try:
        with interrupted_later(), whole_file(path) as temporary:
            _write(run, temporary)
            seal(temporary)
    except OSError as error:
        raise WriteError(f"cannot write {str(path)!r}: {reason(error)}") from None
    return path


def _write(run: xr.Dataset, path: Path) -> None:
    """By way of memory, unless there is too much of it: where a disk is full, HDF5 ends the process that writes."""
    if run.nbytes <= IN_MEMORY:
        path.write_bytes(run.to_netcdf(engine="h5netcdf"))
        return
    if shutil.disk_usage(path.parent).free < 1.01 * run.nbytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    run.to_netcdf(path, engine="h5netcdf")


def attributes_of(model: Model, model_text: str, method: str, status: str, outcome: Status) -> dict[str, Any]:
    """What a result says about where it comes from, and how it ended: in words, and by the name of the outcome."""
    return {
        "model_name": model.about.name,
        "title": model.about.title,
        "model": model_text,
        "parameters": json.dumps(dict(model.parameters)),
        "method": method,
        "status": status,
        "outcome": outcome.word,
        "time_unit": model.time_unit,
    }
