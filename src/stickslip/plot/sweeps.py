"""Pictures of sweeps: bifurcation diagrams of points, maps with a colour per kind of motion, Poincaré maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import check_string
from stickslip.plot import style
from stickslip.plot.labels import (
    FINISHED,
    check_name,
    names,
    parameter_label,
    plain,
    recorded_label,
    state_label,
    symbol,
    title_of,
    unit_of,
    with_unit,
)

if TYPE_CHECKING:
    import xarray
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

DENSE = 30_000
"""Points beyond which their density is drawn, since dots would only hide each other."""

CELLS = (900, 330)
KINDS = 11
"""Kinds of motion that get a colour of their own in a map; rarer ones share one."""

COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#B23A48", "#F0E442", "#5B3A8E", "#8C564B", "#7FBC41",
    "#1B4F5C",
)  # fmt: skip
BLOCK = 4_000_000
"""Recorded values that are looked at together: those of large sweeps lie on disk."""

LONGEST_WORD = 30
NO_PERIOD, NO_STICK, STEADY, REST, FAILED = "no period", "no stick", "steady sliding", "rest", "failed"
LOOKS = {STEADY: "#E4ECF2", NO_STICK: "#B8C9D6", REST: style.STICK, NO_PERIOD: "#222222", FAILED: "#FFFFFF"}
"""Colours of kinds that are always the same: pale where friction only brakes, dark where nothing repeats itself."""
OTHER = "#9A9A9A"
CLOUDS = ("points", "density")
SILENT = "no events: ends of\nthe motion"
SHRINKING = 0.62
"""How much smaller the points of a sweep are than those of the sweep before it on the same axes."""


def bifurcation(
    data: xarray.Dataset,
    state: str | None = None,
    *,
    label: str | None = None,
    color: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a bifurcation diagram: a state at every recorded point, against the swept parameter.

    Several sweeps may be drawn on the same axes. Each has a colour of its own then, and its points are smaller than
    those before it, so that none hides another; sweeps with `carry` are told apart as going up and down. Where no
    contact changes its mode and nothing is recorded, dashes are at the ends of the motion: one where it is steady.

    Parameters
    ----------
    data : xarray.Dataset
        A sweep over one parameter, or over a list of points.
    state : str, optional
        Which state; the first position by default.
    label : str, optional
        What the legend says of it. A sweep with `carry` has the label "parameter going up" or "… down" by default.
    color : str, optional
        Any colour of matplotlib; the next one that the axes do not have by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no sweep over one parameter, or it has recorded no such state.

    See Also
    --------
    poincare, parameter_map, branch

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> system, speeds = ss.models.drill_string(), {"table.speed": np.linspace(3.5, 5.5, 5)}
    >>> up, down = (ss.sweep(system, speeds, times=(60, 30), carry=way) for way in ("up", "down"))
    >>> ax = ss.plot.bifurcation(up)
    >>> ax = ss.plot.bifurcation(down, ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
    ['parameter going up', 'parameter going down']
    """
    parameter = _single(data)
    chosen = _state(data, state)
    silent = _silent(data, parameter, chosen)
    cloud = _Cloud(data, parameter, chosen, needed=len(silent[0]) == 0)
    style.check_axes(None if ax is None else [ax])
    for what, given in (("label", label), ("color", color)):
        if given is not None:
            check_string(what, given)
    style.check_color(color)
    before = 0 if ax is None else sum(each.get_gid() in CLOUDS for each in ax.get_children())
    dots = np.sqrt(np.clip(600 / np.sqrt(max(cloud.count, 1)), 0.8, 12.0))
    size = SHRINKING**before * float(max(dots, min(180 / len(data[parameter]), 7.0)))  # few values have room for more
    own = color or style.SERIES[before % len(style.SERIES)]
    with style.canvas(ax, 7.6, 4.6) as axes:
        cloud.draw(axes, size, own, label or _going(data))
        if len(silent[0]):
            look: dict[str, Any] = {"color": own, "linestyle": "none", "marker": "_", "markersize": 3.0 + 2.0 * size}
            look |= {"markeredgewidth": 2.6 * SHRINKING**before}
            axes.plot(*silent, gid="silent", label=SILENT, **look)
        axes.set_xlabel(parameter_label(data, parameter))
        axes.set_ylabel(recorded_label(data, chosen))
        style.header(axes, title_of(data), _notes(data))
        if label or before or len(silent[0]):
            style.legend(axes, _labelled(axes))
    return axes


def _going(data: xarray.Dataset) -> str:
    way = str(data.attrs.get("carry", "none"))
    return f"parameter going {way}" if way in ("up", "down") else ""


def _labelled(ax: Axes) -> list[Artist]:
    """What the legend names: marks large enough to be seen, whatever the size of the points."""
    from matplotlib.lines import Line2D

    clouds = [
        each for each in ax.get_children() if each.get_gid() in CLOUDS and str(each.get_label())[:1] not in ("", "_")
    ]
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5.5, "markeredgewidth": 0}
    handles: list[Artist] = [
        Line2D([], [], color=each.sweep_color, label=each.get_label(), **look)  # type: ignore[attr-defined]
        for each in clouds
    ]
    if any(line.get_gid() == "silent" for line in ax.lines):
        handles.append(Line2D([], [], color=style.QUIET, linestyle="none", marker="_", label=SILENT))
    return handles


def _silent(data: xarray.Dataset, parameter: str, state: str) -> tuple[Floats, Floats]:
    """Where nothing was recorded since no contact changed its mode: the parameter, with least and largest value."""
    if "count" not in data:
        return np.empty(0), np.empty(0)
    still = np.ravel((data["status"].values == 0) & (data["events"].values == 0) & (data["count"].values == 0))
    ends = [data[which].sel(state=state).values[still] for which in ("minimum", "maximum")]
    return np.tile(np.asarray(data[parameter].values, float)[still], 2), np.concatenate(ends)


def poincare(data: xarray.Dataset, x: str | None = None, y: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a Poincaré map: two states at every recorded point of a sweep, or of one of its points.

    Parameters
    ----------
    data : xarray.Dataset
        A sweep that has recorded points.
    x, y : str, optional
        Which states; the first position and the next state by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no sweep, or it has recorded no such states.

    See Also
    --------
    bifurcation, return_map

    Examples
    --------
    >>> import stickslip as ss
    >>> data = ss.sweep(ss.models.forced_oscillator("III"), {"base.eta": [1.1]}, observe="strobe", periods=(20, 50))
    >>> ss.plot.poincare(data).get_xlabel()
    'position $x_\\\\mathrm{block}$'
    """
    _swept(data)
    first = _state(data, x)
    states = [name for name in names(data, "state") if name in data]
    other = next((name for name in states if name != first), first)
    second = other if y is None else check_name(y, states, "state", "sweep")
    cloud = _Cloud(data, first, second)
    with style.canvas(ax, 6.4, 4.8) as axes:
        cloud.draw(axes, float(np.clip(150 / np.sqrt(cloud.count), 1.5, 4.0)), style.SLIP)
        axes.set_xlabel(state_label(data, first))
        axes.set_ylabel(recorded_label(data, second))
        style.header(axes, title_of(data), _notes(data))
    return axes


def parameter_map(data: xarray.Dataset, quantity: str = "periodicity", ax: Axes | None = None) -> Axes:
    """Draw a map over two parameters: a colour for each kind of motion, or a number.

    Parameters
    ----------
    data : xarray.Dataset
        A sweep over two parameters; the first goes up, the second to the right.
    quantity : str, default "periodicity"
        "periodicity" (n stick→slip points in m periods of the excitation, hinrichs1998 Fig. 10; "steady sliding" where
        no contact changes its mode, "rest" where all stick, "no stick", "no period"), "signature" where it was
        observed, or any number the sweep has for each point: "largest_exponent" where it was observed, "period",
        "events", "stick_fraction", "maximum" and "minimum" (of the first state or contact).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If the sweep is not over two parameters, or has no such quantity.

    See Also
    --------
    bifurcation, stickslip.sweep

    Examples
    --------
    >>> import stickslip as ss
    >>> over = {"damper.c": [0.1, 0.4], "table.speed": [3.5, 8.0]}
    >>> data = ss.sweep(ss.models.drill_string(), over, times=(150, 60))
    >>> [text.get_text() for text in ss.plot.parameter_map(data).get_legend().get_texts()]
    ['1:1', 'steady sliding']
    """
    vertical, horizontal = _two(data)
    with style.canvas(ax, 7.8, 5.0) as axes:
        axes.grid(False)
        if isinstance(quantity, str) and quantity == "periodicity":
            _draw_kinds(axes, data, vertical, horizontal, kinds_of(data))
        elif isinstance(quantity, str) and quantity in data and data[quantity].dtype.kind in "UO":
            _draw_kinds(axes, data, vertical, horizontal, signatures_of(data, quantity))
        else:
            _draw_number(axes, data, vertical, horizontal, quantity)
        axes.set_xlabel(parameter_label(data, horizontal))
        axes.set_ylabel(parameter_label(data, vertical))
        style.header(axes, title_of(data), _notes(data))
    return axes


# -- what a sweep has --------------------------------------------------------------------------------------------------


def _swept(data: xarray.Dataset) -> list[str]:
    if not isinstance(getattr(data, "data_vars", None), Mapping) or "status" not in data or "n" not in data:
        raise PictureError("this is not a sweep: give what `sweep` returned")
    return [str(name) for name in data["status"].dims]


def _single(data: xarray.Dataset) -> str:
    axes = _swept(data)
    if axes == ["point"]:
        along = [str(name) for name in data.coords if data[name].dims == ("point",) and str(name) != "point"]
        axes = along[:1]
    if len(axes) != 1:
        raise PictureError(f"give a sweep over one parameter; this one is over {', '.join(axes) or 'none'}")
    return axes[0]


def _two(data: xarray.Dataset) -> tuple[str, str]:
    axes = _swept(data)
    if len(axes) != 2:
        raise PictureError(f"give a sweep over a grid of two parameters; this one is over {', '.join(axes)}")
    return axes[0], axes[1]


def _state(data: xarray.Dataset, state: str | None) -> str:
    states = [name for name in names(data, "state") if name in data]
    several = [str(name).removesuffix(".record") for name in data.dims if str(name).endswith(".record")]
    if not states and several:
        raise PictureError(
            f"this sweep has recorded {', '.join(several)}: choose one, data.observation({several[0]!r})"
        )
    if not states:
        raise PictureError("this sweep has recorded no points: give it something to observe")
    if state is not None:
        return check_name(state, states, "state", "sweep")
    return next((name for name in states if name.startswith("x.")), states[0])


def _notes(data: xarray.Dataset) -> list[str]:
    early = data.attrs.get("outcome", FINISHED) != FINISHED
    notes = [str(data.attrs["status"])] if early else []
    failed = int(np.sum(data["status"].values > 0))
    if failed:
        notes.append(f"{failed} of {data['status'].size} points stopped early; see status.")
    return notes


# -- drawing -----------------------------------------------------------------------------------------------------------


class _Cloud:
    """Points of a sweep in the plane of two of its variables, gone through a part at a time."""

    def __init__(self, data: xarray.Dataset, x: str, y: str, needed: bool = True) -> None:
        self.data, self.x, self.y = data, x, y
        self.count = 0
        columns: set[float] = set()
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for xs, ys in self.parts():
            self.count += len(xs)
            low = np.minimum(low, [np.min(xs), np.min(ys)])
            high = np.maximum(high, [np.max(xs), np.max(ys)])
            if len(columns) < CELLS[0]:
                columns.update(np.unique(xs)[: CELLS[0]].tolist())
        if self.count == 0 and needed:
            raise PictureError("there is nothing to draw: no point of this sweep has recorded anything")
        self.range = list(zip(low.tolist(), high.tolist(), strict=True))
        self.columns = min(CELLS[0], len(columns))  # no empty columns between the values that were swept

    def parts(self) -> Iterator[tuple[Floats, Floats]]:
        """The points, so many at a time as there is room for."""
        rows = self.data[self.y]
        step = max(1, BLOCK // max(1, rows.size // max(1, rows.shape[0])))
        for first in range(0, rows.shape[0], step):
            part = self.data[[self.x, self.y]].isel({rows.dims[0]: slice(first, first + step)}).load()
            ys = part[self.y]
            xs = part[self.x].broadcast_like(ys).transpose(*ys.dims).values
            known = np.isfinite(xs) & np.isfinite(ys.values)
            if known.any():
                yield xs[known], ys.values[known]

    def draw(self, ax: Axes, size: float, color: str, label: str = "") -> None:
        """Dots, or where there are too many of them how many fall into each cell: 10⁷ read as well as 10⁴."""
        look: dict[str, Any] = {"label": label or "_"}
        if self.count <= DENSE:
            xs, ys = (np.concatenate(column) for column in zip((np.empty(0),) * 2, *self.parts(), strict=True))
            drawn: Any = ax.plot(
                xs, ys, ".", color=color, markersize=size, markeredgewidth=0, gid=CLOUDS[0], **look
            )[0]  # fmt: skip
        else:
            from matplotlib.colors import LogNorm

            counts = np.zeros((self.columns, CELLS[1]))
            for xs, ys in self.parts():
                found, x_edges, y_edges = np.histogram2d(xs, ys, bins=counts.shape, range=self.range)
                counts += found
            shown = np.where(counts > 0, counts, np.nan).T
            look["norm"] = LogNorm(1, max(float(np.quantile(counts[counts > 0], 0.995)), 2.0))
            drawn = ax.pcolormesh(
                x_edges, y_edges, shown, cmap=_shades(color), rasterized=True, gid=CLOUDS[1], **look
            )  # fmt: skip
        drawn.sweep_color = color  # for the legend: a mesh has many


def _shades(color: str) -> Any:
    """From a light shade of a colour, by itself, to a dark one."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    middle = np.array(to_rgb(color))
    return LinearSegmentedColormap.from_list("density", [0.45 + 0.55 * middle, middle, 0.3 * middle])


def kinds_of(data: xarray.Dataset) -> NDArray[Any]:
    """The kind of motion at every point of a sweep, as a word.

    "n:m" where it has a period; where it never sticks "steady sliding", or "no stick" if contacts change the direction
    of slip; "rest" where nothing ever slips; "no period", or "failed".
    """
    n, m, status, events = (data[name].values for name in ("n", "m", "status", "events"))
    words = np.char.add(np.char.add(n.astype(str), ":"), m.astype(str))
    words = np.where((n < 0) | (m <= 0), NO_PERIOD, words)
    words = np.where((n == 0) & (m >= 1), NO_STICK, words)
    words = np.where(events == 0, STEADY, words)
    if data.sizes["contact"]:
        at_rest = np.all(data["stick_fraction"].values >= 1.0, axis=-1)
        words = np.where((events == 0) & at_rest, REST, words)
    return np.where(status != 0, FAILED, words)


def signatures_of(data: xarray.Dataset, name: str = "signature") -> NDArray[Any]:
    """The signature at every point of a sweep, "no period" or "failed"; long ones are cut short."""
    words = data[name].values.astype(str)
    short: dict[str, str] = {}
    for word in np.unique(words).tolist():
        text, alike = _shortened(word), 1
        while text in short.values():  # cut at the same place
            alike += 1
            text = f"{_shortened(word)} ({alike})"
        short[word] = text
    cut = np.vectorize(short.__getitem__, otypes=[np.str_])(words)
    return np.where(data["status"].values != 0, FAILED, np.where(words == "", NO_PERIOD, cut))


def _shortened(word: str) -> str:
    """A signature for a legend: what repeats itself once, and where it is still long letters for modes.

    >>> _shortened("stick → slip- → stick → slip-")
    '2 × (stick → slip-)'
    >>> _shortened("(stick, stick) → (slip-, stick) → (slip-, slip-)")
    '3: ss −s −−'
    """
    phases = word.split(" → ")
    count = len(phases)
    unit = next(k for k in range(1, count + 1) if count % k == 0 and phases == phases[:k] * (count // k))
    text = " → ".join(phases[:unit])
    if len(text) > LONGEST_WORD - 6:
        letters = [each.strip("()").replace("stick", "s").replace("slip-", "−") for each in phases[:unit]]
        text = f"{unit}: {' '.join(each.replace('slip+', '+').replace(', ', '') for each in letters)}"
        text = text if len(text) <= LONGEST_WORD else f"{text[: LONGEST_WORD - 1]}…"
    return text if unit == count else f"{count // unit} × ({text})"


def _draw_kinds(ax: Axes, data: xarray.Dataset, vertical: str, horizontal: str, words: NDArray[Any]) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    counted = Counter(word for word in words.ravel().tolist() if word not in LOOKS)
    common = [word for word, _ in counted.most_common(KINDS)]
    common.sort(key=_order)
    looks = {word: COLOURS[i] for i, word in enumerate(common)}
    if len(counted) > KINDS:
        looks["other"] = OTHER
    looks |= LOOKS
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
    """n:m by m and n; signatures by the number of their phases."""
    n, _, m = word.partition(":")
    if n.isdigit() and m.isdigit():
        return 0, int(m), int(n)
    times, _, unit = word.rpartition(" × ")
    phases = int(unit.strip("(").partition(":")[0]) if ":" in unit else unit.count("→") + 1
    return 1, phases * int(times or 1), 0


def _draw_number(ax: Axes, data: xarray.Dataset, vertical: str, horizontal: str, quantity: str) -> None:
    known = [str(name) for name in data.data_vars if data[name].dims[:2] == (vertical, horizontal)]
    known = ["periodicity", *(name for name in known if "record" not in " ".join(map(str, data[name].dims)))]
    values = data[check_name(quantity, known, "quantity", "sweep")]
    numbers = values.values[:, :, 0] if values.ndim == 3 else values.values
    x, y = data[horizontal].values, data[vertical].values
    looks, extend = _colours(np.asarray(numbers, float), "per" in values.attrs)
    mesh = ax.pcolormesh(x, y, numbers, rasterized=True, gid="number", **looks)
    bar = ax.figure.colorbar(mesh, ax=ax, extend=extend)
    if "norm" in looks:
        _tick_both_sides(bar, looks["norm"])
    bar.set_label(_number_label(data, quantity, values))
    bar.outline.set_visible(False)


def _number_label(data: xarray.Dataset, quantity: str, values: xarray.DataArray) -> str:
    """What a number is, of which state or contact, and its unit; of exponents by what they are counted."""
    if "per" in values.attrs:
        return f"largest Lyapunov exponent ({_per(str(values.attrs['per']), unit_of(data, quantity))})"
    label, unit = plain(quantity.replace("_", " ")), unit_of(data, quantity)
    if values.ndim == 3:
        of = str(data[values.dims[2]].values[0])
        unit = unit or (unit_of(data, of) if values.dims[2] == "state" else "")
        label += f" of {symbol(of) if values.dims[2] == 'state' else plain(of)}"
    return with_unit(label, unit)


def _per(cycle: str, unit: str) -> str:
    """The unit of an exponent, or what it is counted by: "1/s", "per release"."""
    return plain(unit) or {"forcing": "per period of the excitation"}.get(cycle, f"per {cycle}")


def _colours(values: Floats, signed: bool) -> tuple[dict[str, Any], str]:
    """How numbers are coloured, and whether some lie beyond the colours: exponents, white at zero, may be −inf."""
    known = values[np.isfinite(values)]
    if not signed or len(known) == 0:
        return {"cmap": "cividis"}, "neither"
    from matplotlib.colors import TwoSlopeNorm

    low = min(float(np.quantile(known, 0.02)), -1e-12)
    high = max(float(np.max(known)), 1e-12)
    below = bool(np.any(values < low))
    return {"cmap": "RdBu_r", "norm": TwoSlopeNorm(0.0, low, high)}, "min" if below else "neither"


def _tick_both_sides(bar: Any, norm: Any) -> None:
    """Numbers below zero and above it, each on a scale of its own."""
    from matplotlib.ticker import MaxNLocator

    below, above = MaxNLocator(4).tick_values(norm.vmin, 0.0), MaxNLocator(4).tick_values(0.0, norm.vmax)
    ticks = np.unique([*below, *above])
    bar.set_ticks(ticks[(ticks >= norm.vmin) & (ticks <= norm.vmax)])
