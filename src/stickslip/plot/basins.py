"""Basins of attraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.plot import style
from stickslip.plot.labels import plain, state_label

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

UNRESOLVED = "#dddddd"


def basins(data: xarray.Dataset, ax: Axes | None = None) -> Axes:
    """Draw which attractor each start leads to, from the dataset that `basins` returns.

    Returns the matplotlib Axes.

    The legend has the share of the starts with its standard error. `ax`: where to draw; a new figure by default.

    Example: `ss.plot.basins(ss.basins(system, {"x.block": x, "v.block": v}, t=200))`.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    if "attractor" not in data or "fraction" not in data:
        raise ValueError("plot.basins needs the dataset that basins returns")
    x, y = (str(name) for name in data["attractor"].dims)
    colours = _colours(data.sizes["number"])
    with style.canvas(ax, 6.8, 4.4) as axes:
        axes.grid(False)
        axes.pcolormesh(
            data[x].values,
            data[y].values,
            data["attractor"].values.T,
            cmap=ListedColormap([UNRESOLVED, *colours]),
            vmin=-1.5,
            vmax=len(colours) - 0.5,
            shading="nearest",
            rasterized=True,
        )
        axes.set_xlabel(state_label(data, x))
        axes.set_ylabel(state_label(data, y))
        style.header(axes, plain(str(data.attrs.get("model_name", ""))))
        handles = [Patch(color=colour, label=_label(data, number)) for number, colour in enumerate(colours)]
        if np.any(data["attractor"].values < 0):
            handles.append(Patch(color=UNRESOLVED, label=f"unresolved\n{100 * data.attrs['unresolved']:.3g} %"))
        style.legend(axes, handles)
    return axes


def _colours(count: int) -> list[str]:
    """As many colours as attractors; the stick colour comes last, since it means stick elsewhere."""
    known = [*style.SERIES[:5], "#F0E442", style.STICK]
    return [known[i % len(known)] for i in range(count)]


def _label(data: xarray.Dataset, number: int) -> str:
    """What the attractor is, and its share."""
    share, error = float(data["fraction"][number]), float(data["fraction_error"][number])
    return f"{data['description'].values[number]}\n{100 * share:.3g} ± {100 * error:.1g} %"
