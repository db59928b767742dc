"""Pictures of sweeps: bifurcation diagrams of points, maps with a colour per kind of motion, Poincaré maps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.plot import style
from stickslip.plot.labels import check_name, named_state, names, plain, title_of, unit_of

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
DENSE = 30_000
"""Points beyond which their density is drawn, since dots would only hide each other."""

CELLS = (900, 330)
KINDS = 11
"""Kinds of motion that get a colour of their own in a map; rarer ones share one."""

COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#5B3A8E", "#8C564B", "#7FBC41",
    "#1B4F5C",
)  # fmt: skip
NO_PERIOD, OTHER, NOTHING = "#222222", "#9A9A9A", "#FFFFFF"


def bifurcation(data: xarray.Dataset, state: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a bifurcation diagram: a state at every recorded point, against the swept parameter.

    Returns the matplotlib Axes.

    `data`: a sweep over one parameter, or over a list of points. `state`: which one; the first position by default.
    `ax`: where to draw; a new figure by default. Many points are drawn by their density.

    Example: `ss.plot.bifurcation(ss.sweep(system, {"base.eta": etas}))`.
    """
    parameter = _single(data)
    chosen = _state(data, state)
    values, heights = _points(data, parameter, chosen)
    if len(values) == 0:
        raise ValueError("there is nothing to draw: no point of this sweep has recorded anything")
    with style.canvas(ax, 7.6, 4.6) as axes:
        if len(values) <= DENSE:
            size = float(np.clip(600 / np.sqrt(len(values)), 0.8, 12.0))
            axes.plot(values, heights, ".", color=style.SLIP, markersize=np.sqrt(size), markeredgewidth=0, gid="points")
        else:
            _draw_density(axes, values, heights)
        axes.set_xlabel(plain(parameter))
        axes.set_ylabel(named_state(chosen, unit_of(data, chosen)))
        style.header(axes, title_of(data), _notes(data))
    return axes


def poincare(data: xarray.Dataset, x: str | None = None, y: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a Poincaré map: two states at every recorded point of a sweep, or of one of its points.

    Returns the matplotlib Axes.

    Example: `ss.plot.poincare(ss.sweep(system, [{}], observe=ss.strobe, periods=(300, 20_000), most=20_000))`.
    """
    states = [name for name in names(data, "state") if name in data]
    first = _state(data, x)
    second = check_name(y, states, "state", "sweep") if y else next((name for name in states if name != first), first)
    xs, ys = data[first].values.ravel(), data[second].values.ravel()
    known = np.isfinite(xs) & np.isfinite(ys)
    if not known.any():
        raise ValueError("there is nothing to draw: no point of this sweep has recorded anything")
    with style.canvas(ax, 6.4, 4.8) as axes:
        if known.sum() <= DENSE:
            size = float(np.clip(150 / np.sqrt(known.sum()), 1.5, 4.0))
            axes.plot(xs[known], ys[known], ".", color=style.SLIP, markersize=size, markeredgewidth=0, gid="points")
        else:
            _draw_density(axes, xs[known], ys[known])
        axes.set_xlabel(named_state(first, unit_of(data, first)))
        axes.set_ylabel(named_state(second, unit_of(data, second)))
        style.header(axes, title_of(data), _notes(data))
    return axes


def parameter_map(data: xarray.Dataset, quantity: str = "periodicity", ax: Axes | None = None) -> Axes:
    """Draw a map over two parameters: a colour for each kind of motion n:m, or a number.

    Returns the matplotlib Axes.

    `data`: a sweep over two parameters; the first goes up, the second to the right. `quantity`: "periodicity" (n
    stick→slip points in m periods of the excitation, hinrichs1998 Fig. 10), or any number the sweep has for each point:
    "period", "events", "stick_fraction", "maximum" and "minimum" (of the first state or contact).

    Example: `ss.plot.parameter_map(ss.sweep(system, {"contact.normal": loads, "base.eta": etas}))`.
    """
    vertical, horizontal = _two(data)
    with style.canvas(ax, 7.8, 5.0) as axes:
        axes.grid(False)
        if quantity == "periodicity":
            _draw_kinds(axes, data, vertical, horizontal)
        else:
            _draw_number(axes, data, vertical, horizontal, quantity)
        axes.set_xlabel(plain(horizontal))
        axes.set_ylabel(plain(vertical))
        style.header(axes, title_of(data), _notes(data))
    return axes


# -- what a sweep has --------------------------------------------------------------------------------------------------


def _swept(data: xarray.Dataset) -> list[str]:
    if "status" not in data or "n" not in data:
        raise ValueError("this is not a sweep: give what `sweep` returned")
    return [str(name) for name in data["status"].dims]


def _single(data: xarray.Dataset) -> str:
    axes = _swept(data)
    if axes == ["point"]:
        along = [str(name) for name in data.coords if data[name].dims == ("point",) and str(name) != "point"]
        axes = along[:1]
    if len(axes) != 1:
        raise ValueError(f"give a sweep over one parameter; this one is over {', '.join(axes) or 'none'}")
    return axes[0]


def _two(data: xarray.Dataset) -> tuple[str, str]:
    axes = _swept(data)
    if len(axes) != 2:
        raise ValueError(f"give a sweep over a grid of two parameters; this one is over {', '.join(axes)}")
    return axes[0], axes[1]


def _state(data: xarray.Dataset, state: str | None) -> str:
    states = [name for name in names(data, "state") if name in data]
    if not states:
        raise ValueError("this sweep has recorded no points: give it something to observe")
    if state is not None:
        return check_name(state, states, "state", "sweep")
    return next((name for name in states if name.startswith("x.")), states[0])


def _points(data: xarray.Dataset, parameter: str, state: str) -> tuple[Floats, Floats]:
    heights = data[state].values
    values = np.broadcast_to(data[parameter].values[:, None], heights.shape)
    known = np.isfinite(heights)
    return values[known], heights[known]


def _notes(data: xarray.Dataset) -> list[str]:
    notes = []
    status = str(data.attrs.get("status", ""))
    if status and "complete" not in status:
        notes.append(status)
    failed = int(np.sum(data["status"].values > 0))
    if failed:
        notes.append(f"{failed} of {data['status'].size} points stopped early; see status.")
    return notes


# -- drawing -----------------------------------------------------------------------------------------------------------


def _draw_density(ax: Axes, xs: Floats, ys: Floats) -> None:
    """How many points fall into each cell, on a logarithmic scale: 10⁷ points read as well as 10⁴."""
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    columns = min(CELLS[0], len(np.unique(xs)))  # no empty columns between the values that were swept
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=(columns, CELLS[1]))
    shown = np.where(counts > 0, counts, np.nan).T
    colours = LinearSegmentedColormap.from_list("density", ["#5FA8D8", style.SLIP, "#06213A"])
    limits = LogNorm(1, max(float(np.quantile(counts[counts > 0], 0.995)), 2.0))
    ax.pcolormesh(x_edges, y_edges, shown, cmap=colours, norm=limits, rasterized=True, gid="density")


def kinds_of(data: xarray.Dataset) -> NDArray[Any]:
    """The kind of motion at every point of a sweep, as a word: "n:m", "no period", "no slip", or "failed"."""
    n, m, status = data["n"].values, data["m"].values, data["status"].values
    words = np.char.add(np.char.add(n.astype(str), ":"), m.astype(str))
    words = np.where(m == 0, "no period", words)
    words = np.where((n == 0) & (m > 0), "no stick", words)
    return np.where(status != 0, "failed", words)


def _draw_kinds(ax: Axes, data: xarray.Dataset, vertical: str, horizontal: str) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    words = kinds_of(data)
    counted = Counter(word for word in words.ravel().tolist() if word not in ("no period", "failed"))
    common = [word for word, _ in counted.most_common(KINDS)]
    common.sort(key=_order)
    looks = {word: COLOURS[i] for i, word in enumerate(common)}
    if len(counted) > KINDS:
        looks["other"] = OTHER
    looks |= {"no period": NO_PERIOD, "failed": NOTHING}
    numbers = {word: i for i, word in enumerate(looks)}
    codes = np.vectorize(lambda word: numbers.get(word, numbers.get("other", 0)))(words)
    colours = ListedColormap(list(looks.values()))
    x, y = data[horizontal].values, data[vertical].values
    ax.pcolormesh(x, y, codes, cmap=colours, vmin=-0.5, vmax=len(looks) - 0.5, rasterized=True, gid="kinds")
    present = set(np.unique(codes).tolist())
    handles = [
        Patch(facecolor=colour, edgecolor=style.QUIET, linewidth=0.4, label=word)
        for word, colour in looks.items()
        if numbers[word] in present
    ]
    style.legend(ax, handles)


def _order(word: str) -> tuple[int, int, int]:
    n, _, m = word.partition(":")
    return (0, int(m), int(n)) if m else (1, 0, 0)


def _draw_number(ax: Axes, data: xarray.Dataset, vertical: str, horizontal: str, quantity: str) -> None:
    known = [str(name) for name in data.data_vars if data[name].dims[:2] == (vertical, horizontal)]
    values = data[check_name(quantity, known, "quantity", "sweep")].values
    if values.ndim == 3:
        values = values[:, :, 0]
    x, y = data[horizontal].values, data[vertical].values
    mesh = ax.pcolormesh(x, y, values, cmap="cividis", rasterized=True, gid="number")
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(plain(quantity.replace("_", " ")))
    bar.outline.set_visible(False)
