"""A return map with its cobweb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import check_number
from stickslip.plot import style
from stickslip.plot.labels import symbol, title_of, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JUMP = 0.15
"""A step of the curve by more than this part of the picture, between neighbouring points, is a jump of the map."""


def return_map(
    releases: Any,
    start: float | None = None,
    turns: int = 30,
    *,
    within: tuple[float, float] | None = None,
    points: int = 1200,
    ax: Axes | None = None,
) -> Axes:
    """Draw a return map: each release point over the one before it, the observed ones, and a cobweb.

    Parameters
    ----------
    releases : ReturnMap
        What `stickslip.return_map` returned.
    start : float, optional
        Release point where the cobweb begins; without it there is none.
    turns : int, default 30
        How many turns the cobweb has.
    within : tuple of float, optional
        From which release point to which the curve is drawn; by default all phases, or where releases were observed.
    points : int, default 1200
        How many points the curve has.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no return map.

    See Also
    --------
    stickslip.return_map : Makes the map.
    poincare : Release points of sweeps.

    Examples
    --------
    >>> import stickslip as ss
    >>> releases = ss.return_map(ss.models.two_blocks())
    >>> ss.plot.return_map(releases, start=1.0, turns=5, points=50).get_ylabel().endswith("at the next release")
    True
    """
    if not hasattr(releases, "iterate"):
        raise PictureError("plot.return_map needs what return_map returns")
    data = releases.data(points=points, within=within)
    path = np.zeros(0) if start is None else releases.iterate(check_number("start", start, finite=False), turns)
    x, following = data["x"].values, data["next"].values
    seen, seen_next = data["observed"].values, data["observed_next"].values
    low, high = _limits(x, following, seen, path)
    with style.canvas(ax, 6.4, 4.8) as axes:
        axes.plot([low, high], [low, high], color=style.QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.plot(x, with_gaps(following, high - low), color=style.SLIP, label="next release", zorder=2)
        if len(path):
            axes.plot(*_cobweb(path), color=style.SERIES[3], linewidth=0.7, label=f"{turns} turns", zorder=1.5)
        axes.plot(seen, seen_next, ".", color=style.INK, markersize=3.5, label="observed", zorder=3)
        axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        name = symbol(str(data.attrs["coordinate"])) if data.attrs["coordinate"] != "phase" else r"$\varphi$"
        unit = str(data.attrs["units"])
        word = "phase of the excitation " if data.attrs["coordinate"] == "phase" else ""
        axes.set_xlabel(with_unit(f"{word}{name} at a release", unit))
        axes.set_ylabel(with_unit(f"{name} at the next release", unit))
        shared = "Some values belong to two releases: the curve shows that of the nearest one observed."
        style.header(axes, title_of(data), [] if data.attrs["unique"] else [shared])
        style.legend(axes)
    return axes


def _limits(*values: Floats) -> tuple[float, float]:
    """A square that holds all, with a little room."""
    known = np.concatenate([part[np.isfinite(part)] for part in values])
    if len(known) == 0:
        return 0.0, 1.0
    low, high = float(np.min(known)), float(np.max(known))
    room = 0.03 * (high - low) or 1e-3 * max(abs(high), 1e-9)
    return low - room, high + room


def with_gaps(values: Floats, span: float) -> Floats:
    """The curve with gaps where the map jumps."""
    broken = np.array(values, float)
    broken[1:][np.abs(np.diff(values)) > JUMP * span] = np.nan
    return broken


def _cobweb(path: Floats) -> tuple[Floats, Floats]:
    """Up to the curve, across to the diagonal, and so on."""
    across, up = np.repeat(path, 2)[1:-1], np.repeat(path, 2)[2:]
    return np.concatenate([path[:1], across]), np.concatenate([path[:1], up])
