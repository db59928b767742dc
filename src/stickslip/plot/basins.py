"""Basins of attraction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.labels import state_label, symbol, title_of

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

UNRESOLVED = "#dddddd"
FEW_POINTS = 20


def basins(data: xarray.Dataset, ax: Axes | None = None) -> Axes:
    """Draw which attractor each start leads to, from the dataset that `basins` returns.

    The legend has the share of the starts with its standard error, and where attractors have the same description the
    state by which they differ. The attractors themselves are drawn with their letters: orbits as lines, all else as
    points, with an excitation at the phase at which motions start.

    Parameters
    ----------
    data : xarray.Dataset
        What `basins` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If the data are of something else.

    See Also
    --------
    stickslip.basins, phase

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> grid = {"x.block": np.linspace(-3, 3, 4), "v.block": np.linspace(-1, 1, 3)}
    >>> data = ss.basins(ss.models.coulomb_oscillator(), grid, t=40)
    >>> ss.plot.basins(data).get_xlabel()
    'position $x_\\\\mathrm{block}$'
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    if not hasattr(data, "data_vars") or "attractor" not in data or "fraction" not in data:
        raise PictureError("plot.basins needs the dataset that basins returns")
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
    """The attractors with their letters, dark on white so that they are seen on any colour; orbits as lines."""
    for number in range(data.sizes["number"]):
        points = data["points"].isel(number=number).dropna("sample", how="all")
        xs, ys = points.sel(state=x).values, points.sel(state=y).values
        if _is_curve(data, number, len(xs)):
            for color, width in (("white", 3.0), (style.INK, 1.1)):
                (drawn,) = ax.plot(np.r_[xs, xs[:1]], np.r_[ys, ys[:1]], color=color, linewidth=width)
        else:
            few = len(xs) < FEW_POINTS
            size, edge = (7.0, 1.2) if few else (1.6, 0.0)
            face = "white" if few else style.INK
            look: dict[str, Any] = {"color": style.INK, "markerfacecolor": face, "markeredgewidth": edge}
            (drawn,) = ax.plot(xs, ys, "o", markersize=size, **look)
        drawn.set_gid(f"attractor{number}")
        _name(ax, _letter(number), xs, ys, data.sizes["number"] > 1)


def _is_curve(data: xarray.Dataset, number: int, count: int) -> bool:
    """Whether the points of an attractor follow each other around an orbit: that of a system without excitation."""
    return count >= FEW_POINTS and str(data["attractor_kind"].values[number]) == "orbit"


def _name(ax: Axes, letter: str, xs: Floats, ys: Floats, several: bool) -> None:
    """The letter of an attractor beside its rightmost point that is in the picture."""
    if not several or not np.isfinite(xs).any():
        return
    at = int(np.nanargmax(xs))
    ax.annotate(
        letter, (xs[at], ys[at]), xytext=(6, 4), textcoords="offset points", fontsize=9.5, color=style.INK,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        annotation_clip=True,
    )  # fmt: skip


def _letter(number: int) -> str:
    """A, B, …, Z, A1, …"""
    return chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "")


def _edges(values: Floats) -> tuple[float, float]:
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
    """What the attractor is, what tells it from others of that description, and its share."""
    share, error = float(data["fraction"][number]), float(data["fraction_error"][number])
    letter = f"{_letter(number)}: " if data.sizes["number"] > 1 else ""
    lines = [f"{letter}{data['description'].values[number]}", _telling(data, number)]
    return "\n".join([*(line for line in lines if line), f"{100 * share:.3g} ± {100 * error:.1g} %"])


def _telling(data: xarray.Dataset, number: int) -> str:
    """Where the state lies by which attractors of the same description differ most; "" where there is only one."""
    words = data["description"].values
    alike = np.flatnonzero(words == words[number]).tolist()
    if len(alike) < 2:
        return ""
    points = data["points"].isel(number=alike).transpose("number", "sample", "state").values
    low, high = np.nanmin(points, axis=1), np.nanmax(points, axis=1)
    size = np.maximum(np.max(high, axis=0) - np.min(low, axis=0), np.finfo(float).tiny)
    chosen = int(np.argmax((np.ptp(low, axis=0) + np.ptp(high, axis=0)) / size))
    a, b = (values[alike.index(number), chosen] for values in (low, high))
    name = symbol(str(data["state"].values[chosen]))
    text = f"{name} = {a:.3g}" if b - a <= 1e-6 * size[chosen] else f"{name} from {a:.3g} to {b:.3g}"
    return text.replace("-", "−")
