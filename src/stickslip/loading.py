"""`load`: what `save` wrote, as it was. What is read is data; none of it is executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stickslip import reading
from stickslip.branches import branch
from stickslip.errors import ResultError
from stickslip.model import files
from stickslip.model.errors import visible
from stickslip.orbits import equilibrium, orbit
from stickslip.saving import MODEL_FILE, check_path
from stickslip.sweeps import layout
from stickslip.sweeps.basins import Basins

DATASETS: dict[str, Any] = {layout.FORMAT: layout.Sweep, layout.BASINS: Basins}
KEPT: dict[str, Any] = {
    orbit.FORMAT: orbit.Orbit,
    equilibrium.FORMAT: equilibrium.Equilibrium,
    branch.FORMAT: branch.Branch,
}
"""What a file may hold, by the format that it names: Datasets of their own kind, and what is made of one."""


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
    check_path(path)
    if Path(path).suffix == MODEL_FILE:
        return files.load(path, trusted)
    data = reading.read(path)
    kind = str(data.attrs.get("format"))
    if kind in DATASETS:
        return DATASETS[kind].of(data)
    if kind not in KEPT:
        return reading.checked(data, path)
    try:
        model = files.loads(str(data.attrs["model"]), trusted=trusted)
        return KEPT[kind]._of_whole(model, data)
    except Exception as error:  # whatever is wrong with a record of somebody else
        reason = visible(" ".join(str(error).split())[:200])
        raise ResultError(
            f"{visible(repr(str(path)))} is damaged, or was written by another version: {reason}"
        ) from None
