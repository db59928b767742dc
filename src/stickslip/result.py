"""Results as labelled data: how a run is laid out, interpolated, made a table and saved.

A run is a `Run`, an `xarray.Dataset`. Along `time`: every state under its name, and `mode`, `force`, `slip_velocity`
per contact. Along `event`: the event table. Along `step`: the polynomials of every step (dense output), from which
`interpolate` gives the motion at any time.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from stickslip import frames, notebook
from stickslip._version import __version__
from stickslip.arguments import floats
from stickslip.arrays import Floats, Ints
from stickslip.errors import ModelError, ResultError
from stickslip.files import interrupted_later, output_file, seal
from stickslip.model.errors import shown, suggest
from stickslip.model.system import Model
from stickslip.status import Status

if TYPE_CHECKING:
    import pandas as pd

POINTS_PER_STEP = 8
MOST_SAMPLES = 400_000
GATHERED = 400_000
"""Coefficients of polynomials that are gathered at a time: so many stay in the cache of a processor."""

FORMAT = "stickslip run 1"
IN_MEMORY = 1e9
"""Bytes up to which a result is made a file in memory before it goes to the disk."""


class Result(xr.Dataset):  # type: ignore[no-untyped-call]
    """Labelled data that makes tables of its own size: a row for each place along a dimension.

    In everything else it is an `xarray.Dataset`. (A plain Dataset makes a row for each combination of places along all
    of its dimensions: for a run, of every time with every event, step and power.)
    """

    __slots__ = ()

    @classmethod
    def of(cls, data: xr.Dataset) -> Self:
        """The same data, as a result.

        Parameters
        ----------
        data : xarray.Dataset
            The data.

        Returns
        -------
        Run, Sweep or Basins
            The data, with the methods of this class.
        """
        found = cls(data.data_vars, data.coords, data.attrs)
        found.encoding = data.encoding
        return found

    def to_dataframe(self, along: str | None = None) -> pd.DataFrame:  # type: ignore[override]
        """A table with a row for each place along a dimension, and a column for each variable that lies along it.

        Parameters
        ----------
        along : str, optional
            The dimension; by default that of the first variable.

        Returns
        -------
        pandas.DataFrame
            What a variable has along further dimensions is spread over columns: "force.guideway". The units of the
            columns are in `frame.attrs["units"]`.

        Raises
        ------
        ResultError
            If there is no such dimension.

        Examples
        --------
        >>> import stickslip as ss
        >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5)
        >>> branch.data.to_dataframe("special")[["special_kind", "special_value"]].round(6).values.tolist()[-1]
        ['grazing-sliding', 4.611989]
        """
        return frames.frame(self, self._rows(along))

    def _in_file(self) -> xr.Dataset:
        """The data as it is written to a file."""
        return self

    @property
    def _headline(self) -> str:
        """What this is, in a line: the model and how it ended."""
        return ". ".join(str(self.attrs[key]).rstrip(".") for key in ("title", "status") if self.attrs.get(key))

    def __repr__(self) -> str:
        plain = super().__repr__().replace("<xarray.", "<stickslip.", 1)
        return f"{self._headline}\n{plain}" if self._headline else plain

    def _repr_html_(self) -> str:
        kind = type(self).__name__
        plain = str(super()._repr_html_()).replace(f"xarray.{kind}", f"stickslip.{kind}", 1)
        return notebook.card(f"{kind}: {self._headline}") + plain if self._headline else plain

    def _rows(self, along: str | None) -> list[str]:
        """The dimensions whose places are the rows."""
        if along is None:
            along = next((str(variable.dims[0]) for variable in self.data_vars.values() if variable.dims), None)
        known = [str(each) for each in self.dims]
        if not isinstance(along, str) or along not in known:
            raise ResultError(f"there is nothing along {shown(along)} to make a table of{suggest(str(along), known)}")
        return [along]


class Run(Result):  # type: ignore[no-untyped-call]
    """A run of a model, as `simulate` returns it: an `xarray.Dataset` with tables of its samples and events.

    Along `time` are the states under their names, and `mode` (0 stick, 1 and −1 slip), `force` and `slip_velocity` of
    every contact; along `event` the changes of mode; along `step` the polynomials of the steps.

    See Also
    --------
    stickslip.simulate, stickslip.interpolate, stickslip.save

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=100)
    >>> list(run.to_dataframe().columns)
    ['x.block', 'v.block', 'slip_velocity.contact', 'force.contact', 'mode.contact']
    >>> run.to_dataframe("event")[["time", "before", "after"]].round(6).values.tolist()[0]
    [3.365033, -1.0, 0.0]
    """

    __slots__ = ()

    @property
    def _headline(self) -> str:
        if "time" not in self.sizes or self.sizes["time"] == 0 or "status" not in self.attrs:
            return super()._headline
        first, last = (float(self["time"].values[i]) for i in (0, -1))
        unit = f" {self.attrs.get('time_unit', '')}".rstrip()
        name = self.attrs.get("title") or self.attrs.get("model_name") or "a model"
        changes = ""
        if "event" in self.sizes:
            changes = f", {self.sizes['event']} change{'' if self.sizes['event'] == 1 else 's'} of mode"
        return f"{name}, from {first:.6g} to {last:.6g}{unit}{changes}. {self.attrs['status']}"

    def to_dataframe(self, along: str = "time") -> pd.DataFrame:  # type: ignore[override]
        """The samples, a row for each time, or the events, a row for each.

        Parameters
        ----------
        along : str, default "time"
            "time", or "event"; "step" gives the polynomials of the steps.

        Returns
        -------
        pandas.DataFrame
            Along "time" a column for each state, and for each contact "force.guideway", "slip_velocity.guideway" and
            "mode.guideway"; the times are the index. Along "event" the time, the contact, its mode before and after,
            and the states. The units of the columns are in `frame.attrs["units"]`.

        Raises
        ------
        ResultError
            If there is no such dimension.

        Examples
        --------
        >>> import stickslip as ss
        >>> frame = ss.simulate(ss.models.block_on_belt(), t=100).to_dataframe()
        >>> bool((frame["v.block"][frame["mode.contact"] == 0] == 0.2).all())         # it sticks to a belt at 0.2
        True
        """
        table = frames.frame(self, self._rows(along))
        if along != "event":
            return table
        names = {name: name.removeprefix("event_state.").removeprefix("event_") for name in map(str, table.columns)}
        table = table.rename(columns=names)
        units = {str(name): str(self[name].attrs.get("units", "")) for name in self.variables if name in table.columns}
        table.attrs[frames.UNITS] = {name: unit for name, unit in units.items() if unit}
        return table


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
        "state": _at_points(steps.state, index, tau),
        "slip_velocity": _at_points(steps.slip_velocity, index, tau),
        "force": _at_points(steps.force, index, tau),
        "mode": steps.mode[index],
    }


def _at_points(series: Floats, index: Ints, tau: Floats) -> Floats:
    """The polynomials of the steps of these numbers at τ, a few at a time: those of all would take a copy for each."""
    few = max(1, GATHERED // max(1, series.shape[1] * series.shape[2]))
    values = np.empty((len(index), series.shape[1]))
    for first in range(0, len(index), few):
        some = slice(first, first + few)
        values[some] = evaluate(series[index[some]], tau[some])
    return values


def state_attributes(model: Model, state: str) -> dict[str, str]:
    """The unit of a state, and what it is."""
    quantity = model.quantities.get(state, "")
    return {"units": model.units[state]} | ({"quantity": quantity} if quantity else {})


def contact_attributes(model: Model, name: str) -> dict[str, str]:
    """The unit of a quantity of contacts, and what it is."""
    units = model.contact_units()
    quantity = {"quantity": model.quantities.get("force", "friction force")} if name == "force" else {}
    return ({"units": units[name]} if name in units else {}) | quantity


def build(
    model: Model,
    times: Floats,
    samples: dict[str, Any],
    events: Floats,
    steps: Steps | None,
    attributes: dict[str, Any],
) -> Run:
    """The Dataset of a run."""
    contacts = np.array(model.contacts, dtype=np.str_) if model.contacts else np.zeros(0, "<U1")
    variables: dict[str, Any] = {}
    for i, name in enumerate(model.states):
        variables[name] = ("time", samples["state"][:, i], state_attributes(model, name))
    for name in ("slip_velocity", "force", "mode"):
        variables[name] = (("time", "contact"), samples[name], contact_attributes(model, name))
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
    return Run(variables, coordinates, attributes)


def interpolate(run: xr.Dataset, times: ArrayLike) -> xr.Dataset:
    """The run at any times, from its dense output.

    Parameters
    ----------
    run : Run
        The run, with its step polynomials.
    times : array of float
        The times, within the run.

    Returns
    -------
    xarray.Dataset
        States, modes, forces and sliding velocities at these times.

    Raises
    ------
    ResultError
        If the run has no step polynomials, or a time lies outside of it.

    See Also
    --------
    simulate : makes the run; its `samples` are the times that it is shown at.

    Examples
    --------
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
        result[name] = (("time", "contact"), samples[name], run[name].attrs)
    return result


def check_run(run: Any) -> None:
    """Raise a sentence if this is no run."""
    if not isinstance(run, xr.Dataset) or not {"time", "state", "contact"} <= set(run.variables):
        raise ResultError(f"{shown(run)} is not a run: give what simulate returned, or load a file that has one")


def steps_of(run: xr.Dataset) -> Steps:
    """The dense output of a run, which may be all that is left of it."""
    if not isinstance(run, xr.Dataset) or "step_start" not in run:
        check_run(run)
    if "step_start" not in run or run.sizes["step"] == 0:
        raise ResultError("this run has no dense output: simulate it with dense=True, and for some time")
    steps = object.__new__(Steps)
    for name in ("start", "length", "mode", "state", "slip_velocity", "force"):
        setattr(steps, name, run[f"step_{name}"].values)
    return steps


def save(run: xr.Dataset, path: str | Path) -> Path:
    """Write labelled data to a NetCDF file; the file appears whole or not at all, and Ctrl-C waits for it."""

    def write(temporary: Path) -> None:
        _write(run, temporary)
        seal(temporary)

    return written(Path(path), write)


def save_table(table: pd.DataFrame, path: str | Path) -> Path:
    """Write a table to a CSV file, whole or not at all."""
    return written(Path(path), lambda temporary: frames.write_csv(table, temporary))


def written(path: Path, write: Callable[[Path], None]) -> Path:
    """A file that `write` writes under another name first."""
    with interrupted_later(), output_file(path) as temporary:
        write(temporary)
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
