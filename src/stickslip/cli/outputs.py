"""Files that a command is to write: refused before the time is spent, not after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from stickslip.model.errors import ModelError, shown
from stickslip.model.system import suggest


def check(plots: Sequence[Path], save: Path | None) -> None:
    """Refuse files that cannot be written."""
    if save is not None and save.suffix != ".nc":
        raise ModelError(f"--save writes NetCDF: {shown(str(save))} must end with .nc")
    for path in (*plots, *([save] if save else [])):
        if not path.parent.is_dir():
            raise ModelError(f"cannot write {shown(str(path))}: there is no folder {shown(str(path.parent))}")
        if path.is_dir():
            raise ModelError(f"cannot write {shown(str(path))}: that is a folder")
    if plots:
        _check_formats(plots)


def _check_formats(paths: Sequence[Path]) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("agg")  # pictures go to files: no window is needed, nor a screen
    known = Figure().canvas.get_supported_filetypes()
    for path in paths:
        if path.suffix.lower().removeprefix(".") not in known:
            endings = ", ".join(f".{name}" for name in sorted(known))
            raise ModelError(f"cannot draw into {shown(path.name)}: end the name with one of {endings}")


def picture_of(path: Path, kinds: Sequence[str], asked: str | None = None) -> str:
    """The kind of picture asked for, else the one that a word in the name of the file says, else the first.

    >>> picture_of(Path("my-history.png"), ("phase", "history"))
    'history'
    """
    if asked is not None:
        if asked not in kinds:
            raise ModelError(f"there is no picture {shown(asked)}{suggest(asked, kinds)}")
        return asked
    words = re.split(r"[^a-z]+", path.stem.lower())
    return next((word for word in words if word in kinds), kinds[0])


def numbered(path: Path, number: int, total: int) -> Path:
    """The name of one file of several.

    >>> numbered(Path("orbit.nc"), 2, 3).name, numbered(Path("orbit.nc"), 1, 1).name
    ('orbit-2.nc', 'orbit.nc')
    """
    return path if total == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
