"""How Lyapunov exponents settle in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.labels import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def exponents(found: Any, ax: Axes | None = None) -> Axes:
    """Draw the Lyapunov exponents of a motion as they were after a part of the time.

    Parameters
    ----------
    found : Lyapunov
        What `lyapunov` returned. Directions that are lost in stick, whose exponents are −inf, are counted below the
        title.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If it is no such result.

    See Also
    --------
    stickslip.lyapunov

    Examples
    --------
    >>> import stickslip as ss
    >>> axes = ss.plot.exponents(ss.lyapunov(ss.models.block_on_belt(), t=200))
    >>> len(axes.lines)
    2
    """
    if isinstance(found, type) or not hasattr(found, "history") or not hasattr(found, "exponents"):
        raise PictureError("these are no Lyapunov exponents: give what `lyapunov` returned")
    history, unit = found.history, found.model.time_unit
    with style.canvas(ax, 7.2, 4.4) as axes:
        axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
        for direction, last in zip(history["direction"].values, found.exponents, strict=True):
            if np.isfinite(last):
                values = history["exponent"].sel(direction=direction)
                axes.plot(history["time"].values, values.values, label=f"λ{direction} = {last:.4g}", zorder=2)
        axes.set_xlabel(with_unit("time", unit))
        axes.set_ylabel(with_unit("exponent", f"1/{unit}" if unit else ""))
        lost = [f"Directions that are lost in stick: {found.lost}."] if found.lost else []
        style.header(axes, found.model.about.title or found.model.about.name, lost)
        if np.any(np.isfinite(found.exponents)):
            style.legend(axes)
    return axes
