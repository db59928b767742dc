"""Methods against each other: what accuracy costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stickslip.errors import PictureError
from stickslip.model.errors import shown
from stickslip.plot import style
from stickslip.plot.labels import check_data, title_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

COSTS = {"seconds": "wall time in s", "evaluations": "evaluations of the right-hand side", "steps": "steps"}
MARKERS = "osD^vP*X"
LEAST = 1e-17
FINENESS = ("step=", "rtol=", "eps=", "eta=", "order=")


def comparison(table: xr.Dataset, cost: str = "seconds", ax: Axes | None = None) -> Axes:
    """Draw the error of each method over its cost, from the table that `compare` returns.

    Methods of one kind share a colour, joined in the order of their error; a method whose events differ from the exact
    ones is drawn hollow. Down and left is better.

    Parameters
    ----------
    table : xarray.Dataset
        What `compare` returned.
    cost : {"seconds", "evaluations", "steps"}, default "seconds"
        What it took.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If there is no such cost.

    See Also
    --------
    stickslip.compare

    Examples
    --------
    >>> import stickslip as ss
    >>> table = ss.compare(ss.models.block_on_belt(), [ss.Exact(), ss.Henon(step=0.01)], t=20)
    >>> ss.plot.comparison(table, "steps").get_xlabel()
    'steps'
    """
    check_data(table, ("method", "state_error", "events_agree", *COSTS), "stickslip.compare")
    if not isinstance(cost, str) or cost not in COSTS:
        raise PictureError(f"there is no cost {shown(cost)}; there are: {', '.join(COSTS)}")
    kinds = _kinds([str(name) for name in table.method.values])
    with style.canvas(ax, 7.2, 4.4) as axes:
        for i, kind in enumerate(dict.fromkeys(kinds)):
            rows = table.isel(method=[k for k, name in enumerate(kinds) if name == kind]).sortby("state_error")
            colour = style.SERIES[i % len(style.SERIES)]
            error = np.maximum(rows.state_error.values, LEAST)
            axes.plot(rows[cost], error, color=colour, linewidth=1.0, zorder=2)
            filled = rows.events_agree.values.astype(bool)
            for chosen, face in ((filled, colour), (~filled, "white")):
                axes.plot(
                    rows[cost].values[chosen],
                    error[chosen],
                    MARKERS[i % len(MARKERS)],
                    color=colour,
                    markerfacecolor=face,
                    markersize=6.5,
                    linestyle="none",
                    label=kind if face == colour or not filled.any() else None,
                    zorder=3,
                )
        axes.set_xscale("log")
        axes.set_yscale("log")
        _mark_scale(axes)
        axes.set_xlabel(COSTS[cost])
        axes.set_ylabel("largest error of a state, relative")
        notes = ["Hollow: the sequence of events differs from the exact one."] if not table.events_agree.all() else []
        style.header(axes, title_of(table), notes)
        style.legend(axes)
    return axes


def _kinds(methods: Sequence[str]) -> list[str]:
    """The name of each method, with those options by which methods of the same name differ.

    Numbers that say how fine a method is do not count: methods that differ in them alone are of one kind.

    >>> _kinds(["Exact(rtol=1e-12)", "Smoothing(eps=1e4, shape='tanh')", "Smoothing(eps=1e5, shape='arctan')"])
    ['Exact', "Smoothing(shape='tanh')", "Smoothing(shape='arctan')"]
    """
    named = [
        (name, [o for o in rest.rstrip(")").split(", ") if o]) for name, _, rest in (m.partition("(") for m in methods)
    ]
    kinds = []
    for name, options in named:
        alike = [others for other, others in named if other == name]
        telling = [o for o in options if not o.startswith(FINENESS) and any(o not in others for others in alike)]
        kinds.append(f"{name}({', '.join(telling)})" if telling else name)
    return kinds


def _mark_scale(ax: Axes) -> None:
    """Numbers at 1, 2 and 5 where a logarithmic axis has few decades: at all places they would cover each other."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = ax.get_xlim()
    ax.xaxis.set_minor_formatter(NullFormatter())
    if high < 100 * low:
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
