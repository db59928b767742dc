"""Basins of attraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip.plot import style
from stickslip.plot.labels import state_label, title_of

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

UNRESOLVED = "#dddddd"


def basins(data: xarray.Dataset, ax: Axes | None = None) -> Axes:
    """Draw which attractor each start leads to, from the dataset that `basins` returns.

    Returns the matplotlib Axes.

    The legend has the share of the starts with its standard error; dots are points of the attractors, with an
    excitation at the phase at which motions start. `ax`: where to draw; a new figure by default.

    Example: `ss.plot.basins(ss.basins(system, {"x.block": x, "v.block": v}, t=200))`.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    if not hasattr(data, "data_vars") or "attractor" not in data or "fraction" not in data:
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
        _draw_attractors(axes, data, x, y)
        axes.set(xlim=_edges(data[x].values), ylim=_edges(data[y].values))
        style.header(axes, title_of(data), _notes(data))
        handles = [Patch(color=colour, label=_label(data, number)) for number, colour in enumerate(colours)]
        if np.any(data["attractor"].values < 0):
            handles.append(Patch(color=UNRESOLVED, label=f"unresolved\n{100 * data.attrs['unresolved']:.3g} %"))
        style.legend(axes, handles)
    return axes


def _draw_attractors(ax: Axes, data: xarray.Dataset, x: str, y: str) -> None:
    """Points of the attractors, white with a dark edge: they are seen on any colour."""
    for number in range(data.sizes["number"]):
        points = data["points"].isel(number=number).dropna("sample", how="all")
        few = points.sizes["sample"] < 20
        size, edge = (7.0, 1.2) if few else (2.2, 0.25)
        marks = ax.plot(
            points.sel(state=x), points.sel(state=y), "o", color=style.INK, markerfacecolor="white", markersize=size,
            markeredgewidth=edge,
        )  # fmt: skip
        marks[0].set_gid(f"attractor{number}")


def _edges(values: NDArray[np.float64]) -> tuple[float, float]:
    """The outer edges of cells with these middles."""
    step = float(np.mean(np.diff(values))) if len(values) > 1 else 1.0
    ends = float(values[0]) - 0.5 * step, float(values[-1]) + 0.5 * step
    return min(ends), max(ends)


def _notes(data: xarray.Dataset) -> list[str]:
    """Why some starts are unresolved."""
    return [str(data.attrs["notes"])] if data.attrs.get("notes") else []


def _colours(count: int) -> list[str]:
    """As many colours as attractors; the stick colour comes last, since it means stick elsewhere."""
    known = [*style.SERIES[:5], "#F0E442", style.STICK]
    return [known[i % len(known)] for i in range(count)]


def _label(data: xarray.Dataset, number: int) -> str:
    """What the attractor is, and its share."""
    share, error = float(data["fraction"][number]), float(data["fraction_error"][number])
    return f"{data['description'].values[number]}\n{100 * share:.3g} ± {100 * error:.1g} %"
