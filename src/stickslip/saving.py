"""`save`: results, tables and models in files; whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import xarray as xr

from stickslip import frames, result
from stickslip.artifacts import formulas_of
from stickslip.errors import ModelError, ResultError
from stickslip.model import files
from stickslip.model.errors import shown, visible
from stickslip.model.system import Model

if TYPE_CHECKING:
    import pandas as pd

MODEL_FILE = ".toml"


@runtime_checkable
class Kept(Protocol):
    """What can be written whole though it is no Dataset: orbits, equilibria, branches.

    Beside it, in the same class, `_of_whole(model, data)` makes it again of what `load` has read.
    """

    def _whole(self) -> xr.Dataset:
        """All of it as labelled data; the attribute `format` says what it is, `model` is the text of its model."""


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
    check_path(path)
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


def check_path(path: Any) -> None:
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
    if isinstance(what, result.Result):
        return result.save(what._in_file(), path)
    if isinstance(what, xr.Dataset):
        return result.save(what, path)
    if isinstance(what, Kept):
        return result.save(what._whole(), path)
    raise ResultError(
        f"{type(what).__name__} cannot be saved whole: give a run, a sweep, an Orbit, an Equilibrium, a Branch or "
        "a System"
        + (
            "; its table can, in a file that ends with .csv"
            if hasattr(what, "to_dataframe") or hasattr(what, "to_csv")
            else ""
        )
    )


def model_text(model: Model) -> str:
    """The text of a model file for this model."""
    return files.dumps(model, formulas_of(model))


def _save_model(model: Model, path: Path) -> Path:
    if path.suffix != MODEL_FILE:
        raise ModelError(f"{str(path)!r} is no name for a model: it is a text in TOML, so call it {path.stem}.toml")
    files.save(model, path, formulas_of(model))
    return path
