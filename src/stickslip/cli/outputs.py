"""Files that a command is to write: refused before the time is spent, not after; kept elsewhere if it must be."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.errors import ModelError
from stickslip.files import is_special
from stickslip.model.errors import shown, suggest

if TYPE_CHECKING:
    from stickslip.cli.report import Report


def check(plots: Sequence[Path], save: Path | None, endings: Sequence[str] = (".nc", ".csv")) -> None:
    """Refuse files that cannot be written."""
    if save is not None and save.suffix.lower() not in endings:
        kinds = {".nc": "all of a result (.nc)", ".csv": "a table (.csv)"}
        raise ModelError(
            f"--save writes {' or '.join(kinds[each] for each in endings)}: {shown(str(save))} must end with "
            + " or ".join(endings)
        )
    for path in (*plots, *([save] if save else [])):
        if not path.parent.is_dir():
            raise ModelError(f"cannot write {shown(str(path))}: there is no folder {shown(str(path.parent))}")
        if path.is_dir():
            raise ModelError(f"cannot write {shown(str(path))}: that is a folder")
        if is_special(path):
            raise ModelError(f"cannot write {shown(str(path))}: that is a device or a pipe, not a file")
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


class Saved:
    """What a command has saved, and where; where the place asked for cannot be written to, another one is found."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.problems: list[str] = []

    def save(self, path: Path | None, *results: Any) -> None:
        """Save results, if there is a file to save them to, several to numbered ones; failures are told later."""
        for i, result in enumerate(results if path is not None else (), 1):
            self._save(result, numbered(Path(path or ""), i, len(results)))

    def _save(self, result: Any, path: Path) -> None:
        from stickslip.errors import WriteError
        from stickslip.saving import save

        try:
            self.paths.append(save(result, path))
        except WriteError as error:
            where = kept_elsewhere(result, path.name)
            self.problems.append(f"{error}; what was computed is kept in {str(where)!r}" if where else str(error))

    def tell(self, report: Report) -> None:
        """Say what was written; refuse to go on where something is not where it should be."""
        for path in self.paths:
            report.wrote(path)
        if self.problems:
            raise ModelError(". ".join(self.problems))


def kept_elsewhere(result: Any, name: str) -> Path | None:
    """Where a result was saved instead: in a new folder that nobody else may read; None where nothing can be written.

    A command that ends loses what it has computed, so any place is better than none.
    """
    from stickslip.errors import WriteError
    from stickslip.saving import save

    for place in (Path.home, Path.cwd, tempfile.gettempdir):
        folder: str | None = None
        try:
            folder = tempfile.mkdtemp(prefix="stickslip-kept-", dir=place())
            return save(result, Path(folder) / name)
        except (OSError, RuntimeError, WriteError):  # no home, no room, no right: the next one
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
    return None
