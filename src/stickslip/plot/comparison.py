"""Methods against each other: what accuracy costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.plot import style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

COSTS = {"seconds": "wall time in s", "evaluations": "evaluations of the right-hand side", "steps": "steps"}
MARKERS = "osD^vP*X"
LEAST = 1e-17


def comparison(table: xr.Dataset, cost: str = "seconds", ax: Axes | None = None) -> Axes:
    """Draw the error of each method over its cost, from the table that `compare` returns.

    `cost` is "seconds", "evaluations" or "steps". Methods of one kind share a colour, joined in the order of their
    error; a method whose events differ from the exact ones is drawn hollow. Down and left is better.

    Example: `ss.plot.comparison(ss.compare(system, [ss.Exact(), ss.Henon(step=0.01)], t=100))`.
    """
    if cost not in COSTS:
        raise ValueError(f"there is no cost {cost!r}; there are: {', '.join(COSTS)}")
    kinds = [_kind(str(name)) for name in table.method.values]
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
        axes.set_xlabel(COSTS[cost])
        axes.set_ylabel("largest error of a state, relative")
        notes = ["Hollow: the sequence of events differs from the exact one."] if not table.events_agree.all() else []
        style.header(axes, str(table.attrs.get("model_name", "")), notes)
        style.legend(axes)
    return axes


def _kind(method: str) -> str:
    """The name of a method with its options, but without the number that says how fine it is."""
    name, _, options = method.partition("(")
    fineness = ("step=", "rtol=", "eps=", "eta=", "order=", "band=0.0", "live=False")
    kept = [o for o in options.rstrip(")").split(", ") if o and not o.startswith(fineness)]
    return f"{name}({', '.join(kept)})" if kept else name
