"""Pictures into files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.errors import PictureError
from stickslip.files import output_file
from stickslip.model.errors import path_of, shown
from stickslip.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE_ONLY = frozenset({"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"})
"""Backends without a window: a saved figure is never looked at again."""


def save(picture: Any, path: str | os.PathLike[str]) -> Path:
    """Write a picture to a file whose suffix names the format: .png, .pdf, .svg, …

    The file appears whole or not at all. Where pictures go to files only (no window, no notebook), pyplot then forgets
    a figure made by this package, so that a script may save thousands.

    Parameters
    ----------
    picture : matplotlib.axes.Axes, matplotlib.figure.Figure or numpy.ndarray of Axes
        What a plot function returned, or any Axes or Figure of matplotlib.
    path : str or path
        Where to write.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    PictureError
        If the suffix is that of no format, or this is no picture.
    FileNotFoundError
        If the folder does not exist.

    See Also
    --------
    animate : Moving pictures have a `save` of their own.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import stickslip as ss
    >>> ax = ss.plot.characteristic(ss.Coulomb(0.4, 0.3))
    >>> ss.plot.save(ax, pathlib.Path(tempfile.mkdtemp()) / "law.png").name
    'law.png'
    """
    import matplotlib
    from matplotlib import pyplot

    figure, target = _figure(picture), path_of(path)
    known = figure.canvas.get_supported_filetypes()
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in known:
        raise PictureError(
            f"cannot save a picture as {target.name!r}: end the name with one of "
            + ", ".join(f".{name}" for name in sorted(known))
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save {target.name!r}: there is no folder {str(target.parent)!r}")
    _write(figure, target, suffix)
    if (figure in style.own_figures or figure in style.grids) and matplotlib.get_backend().lower() in FILE_ONLY:
        pyplot.close(figure)
    return target


def _figure(picture: Any) -> Figure:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    found = picture.flat[0] if isinstance(picture, np.ndarray) and picture.size else picture
    while isinstance(found, Artist) and not isinstance(found, Figure):
        found = found.figure
    if not isinstance(found, Figure):
        raise PictureError(f"plot.save needs Axes or a Figure, which plot functions return, not {shown(picture)}")
    return found


def _write(figure: Figure, target: Path, suffix: str) -> None:
    """Under another name first: a reader never finds half a picture, and a failure leaves the old one."""
    with output_file(target) as temporary, style.context():
        figure.savefig(temporary, format=suffix, dpi=200)
