"""Bifurcation diagrams: what becomes of an orbit, or an equilibrium, along a parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.errors import PictureError
from stickslip.model.errors import check_string
from stickslip.plot import style
from stickslip.plot.labels import check_name, named_state, names, parameter_label, plain, symbol, title_of, with_unit
from stickslip.plot.path import EARLY, QUIET, Path, end_of, extremes_of_special, listed, meanings_of, path_of
from stickslip.plot.pieces import joined

if TYPE_CHECKING:
    import xarray
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


STABLE: dict[str, Any] = {"linewidth": 2.4, "linestyle": "-", "zorder": 2.2}
UNSTABLE: dict[str, Any] = {"linewidth": 1.2, "linestyle": (0, (4.0, 2.0)), "zorder": 2.1}
STEEP = 3.0
"""Multipliers above this are drawn on a logarithmic scale."""
TRIVIAL = 1e-4
"""A multiplier this near to 1 at every point is the one that belongs to a shift in time."""


@dataclass(frozen=True)
class Mark:
    """How a kind of special point is drawn. Hollow: as in smooth systems, filled: by the discontinuity."""

    marker: str
    size: float = 7.0
    hollow: bool = False


MARKS = {
    "Hopf": Mark("*", 10.5, hollow=True),
    "fold": Mark("s", 6.0, hollow=True),
    "flip": Mark("D", 6.0, hollow=True),
    "Neimark–Sacker": Mark("o", 6.5, hollow=True),
    "branch point": Mark("P", 8.0, hollow=True),
    "grazing-sliding": Mark("v"),
    "crossing-sliding": Mark("X"),
    "switching-sliding": Mark("^"),
    "adding-sliding": Mark("P"),
}
OTHER = Mark("h")
TOUCHING = 1.0
"""Marks of one kind that are nearer to each other than this, in points, are one."""

APART, STEP = 4.5, 9.5
"""In points of 1/72 inch: marks nearer to each other than this hide each other, and are moved up by such steps."""
LITTLE = Mark(".", 5.0)
"""Exchange of events: nothing happens to the eye, so it is not to catch it."""


@dataclass(frozen=True, eq=False)
class Diagram:
    """A branch ready to be drawn: ordinates along its path (one line or several), and those of its special points."""

    data: xarray.Dataset
    path: Path
    lines: list[Floats]
    marks: list[Floats]


def branch(
    branches: xarray.Dataset | Sequence[xarray.Dataset] | Mapping[str, xarray.Dataset] | Any,
    quantity: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the bifurcation diagram of one branch or several: a quantity of the orbit along the parameter.

    Stable orbits are solid and thick, unstable ones dashed and thin. Special points are hollow where they are those of
    smooth systems, filled where the discontinuity brings them about; one that would hide another stands above it on a
    stem. A ring is where the orbit ceases to exist.

    Parameters
    ----------
    branches : Branch, xarray.Dataset, or several of them
        What `follow` returns, or its `data`; a list of them, or a dictionary from label to branch.
    quantity : str, optional
        "max x.block" (of the first position by default), "min x.block", "max |x.block|", "x.block" for maximum and
        minimum together, "crossings x.block" where the orbits pass through a section (of `Branch.crossings`), "period",
        "multipliers" for their moduli, or whatever else the data has for each point.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If there is no such quantity, or branches are along different parameters.

    See Also
    --------
    multipliers, bifurcation, stickslip.follow

    Examples
    --------
    >>> import stickslip as ss
    >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5)
    >>> ax = ss.plot.branch(branch, "period")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('speed of table', 'period $T$')
    """
    found = listed(branches)
    parameter = _common_parameter(found)
    first = next(iter(found.values()))
    if quantity is not None:
        check_string("quantity", quantity)
    wanted = _default(first) if quantity is None else quantity.strip()
    diagrams = [_diagram(data, wanted) for data in found.values()]
    if not any(np.isfinite(line).any() for diagram in diagrams for line in diagram.lines):
        raise PictureError(f"there is no {wanted} to draw: at no point of the branch is it a number")
    with style.canvas(ax, 7.6, 4.6) as axes:
        if wanted == "multipliers":
            _draw_unit_line(axes, diagrams)
        for number, diagram in enumerate(diagrams):
            _draw_lines(axes, diagram, style.SERIES[number % len(style.SERIES)])
        _draw_special(axes, diagrams)
        if wanted != "multipliers":
            _draw_ends(axes, diagrams)
        axes.set_xlabel(parameter_label(first, parameter))
        axes.set_ylabel(_label(first, wanted))
        style.header(axes, title_of(first), _notes(list(found.values())))
        style.legend(axes, _handles(axes, list(found)))
    return axes


def _common_parameter(found: Mapping[str, xarray.Dataset]) -> str:
    parameters = {str(data.attrs["parameter"]) for data in found.values()}
    if len(parameters) != 1:
        raise PictureError(f"give branches along one parameter, not along {' and '.join(sorted(parameters)) or 'none'}")
    return parameters.pop()


# -- ordinates ---------------------------------------------------------------------------------------------------------


def _default(data: xarray.Dataset) -> str:
    states = names(data, "state")
    return f"max {next((name for name in states if name.startswith('x.')), states[0])}"


def check_quantity(quantity: str, states: Sequence[str]) -> None:
    """Raise a sentence if this cannot be drawn of a branch with these states."""
    if quantity not in ("period", "multipliers"):
        check_name(_parsed(quantity)[1], states, "state", "branch")


def _parsed(quantity: str) -> tuple[str, str]:
    """What of a state is drawn, and which state.

    >>> _parsed("max x.block"), _parsed("max |x.block|"), _parsed("x.block")
    (('max', 'x.block'), ('size', 'x.block'), ('both', 'x.block'))
    """
    found = re.fullmatch(r"(max|min|crossings) +(\|?)([^|]+?)\|?", quantity)
    if found is None:
        return "both", quantity
    return "size" if found[2] else found[1], found[3].strip()


def _diagram(data: xarray.Dataset, quantity: str) -> Diagram:
    path = path_of(data)
    if quantity == "multipliers":
        unknown = np.full(data.sizes["special"], np.nan)
        lines = [path.along(column, unknown) for column in _moduli(data)]
        return Diagram(data, path, lines, [np.ones(data.sizes["special"])])
    lines = [path.along(points, special) for points, special in _ordinates(data, path, quantity)]
    return Diagram(data, path, lines, [line[path.special] for line in lines])


def _ordinates(data: xarray.Dataset, path: Path, quantity: str) -> list[tuple[Floats, Floats]]:
    """The lines to draw: each by its values at points and at special points, NaN where they are not known."""
    if quantity == "period":
        return [(data["period"].values, _periods_of_special(data, path))]
    what, state = _parsed(quantity)
    states = names(data, "state")
    if _along_points(data, quantity):
        return [(data[quantity].values.astype(float), np.full(data.sizes["special"], np.nan))]
    i = states.index(check_name(state, states, "state", "branch"))
    if what == "crossings":
        unknown = np.full(data.sizes["special"], np.nan)
        return [(column, unknown) for column in _crossings(data)[:, :, i].T]
    low, high = ((data[which].values[:, i], extremes_of_special(data, which)[:, i]) for which in ("minimum", "maximum"))
    if what == "size":
        return [(np.maximum(-low[0], high[0]), np.maximum(-low[1], high[1]))]
    if what == "both":
        return [high] if np.array_equal(low[0], high[0]) else [high, low]
    return [high if what == "max" else low]


def _crossings(data: xarray.Dataset) -> Floats:
    """Where the orbits pass through a section, each state by its size: so its lines do not jump from orbit to orbit."""
    if "crossings" not in data:
        raise PictureError('this branch has no crossings: draw branch.crossings("v.block"), with a section of yours')
    return np.sort(data["crossings"].values, axis=1)


def _along_points(data: xarray.Dataset, name: str) -> bool:
    """Whether the data has a number by this name for each point, such as a second parameter."""
    return name in data.data_vars and data[name].dims == ("point",) and data[name].dtype.kind in "fiub"


def _periods_of_special(data: xarray.Dataset, path: Path) -> Floats:
    """Periods at special points; a branch that ends on that of a shorter period has a multiple of it there."""
    periods = data["special_period"].values.astype(float)
    there = path.along(data["period"].values, np.full(len(periods), np.nan))[path.special]
    return np.asarray(periods * np.maximum(np.round(there / periods), 1.0))


def _moduli(data: xarray.Dataset) -> Floats:
    """The modulus of every multiplier but the trivial one, the largest first; a row for each."""
    values = without_trivial(multipliers_of(data))
    return np.sort(np.abs(values), axis=1)[:, ::-1].T


def multipliers_of(data: xarray.Dataset) -> Complexes:
    """The multipliers of a branch, a row per point."""
    if "multiplier_real" not in data or np.isnan(data["period"].values).all():
        raise PictureError("this branch has no multipliers: equilibria have eigenvalues instead")
    return np.asarray(data["multiplier_real"].values + 1j * data["multiplier_imag"].values)


def without_trivial(values: Complexes) -> Complexes:
    """Multipliers, a row per orbit, without the one that is 1 in every row: a shift in time changes nothing."""
    distance = np.where(np.isfinite(values), np.abs(values - 1), 0.0)
    if values.size == 0 or not np.all(np.min(distance, axis=1) < TRIVIAL):
        return values
    kept = np.ones(values.shape, dtype=bool)
    kept[np.arange(len(values)), np.argmin(distance, axis=1)] = False
    return values[kept].reshape(len(values), -1)


# -- drawing -----------------------------------------------------------------------------------------------------------


def _draw_lines(ax: Axes, diagram: Diagram, color: str) -> None:
    path = diagram.path
    marker = style.marker(len(path.parameter))
    for line in diagram.lines:
        for stable, look in ((True, STABLE), (False, UNSTABLE)):
            runs = path.runs(stable) or ([slice(0, 1)] if marker and stable else [])
            if runs:
                xs, ys = joined(path.parameter[run] for run in runs), joined(line[run] for run in runs)
                ax.plot(xs, ys, color=color, marker=marker, gid="stable" if stable else "unstable", **look)


def _draw_special(ax: Axes, diagrams: Sequence[Diagram]) -> None:
    """The special points of each kind, of all branches at once; marks that would cover others stand beside them."""
    at: dict[str, list[tuple[float, float]]] = {}
    for diagram in diagrams:
        values, kinds = diagram.data["special_value"].values.tolist(), names(diagram.data, "special_kind")
        for marks in diagram.marks:
            for kind, value, mark in zip(kinds, values, marks.tolist(), strict=True):
                at.setdefault(kind, []).append((value, mark))
    order = [*MARKS, *sorted(set(at) - set(MARKS) - {QUIET}), QUIET]
    drawn = [kind for kind in order if kind in at]
    at = {kind: _distinct(ax, places) for kind, places in at.items()}
    shifts = iter(_shifts(ax, [place for kind in drawn if kind != QUIET for place in at[kind]]))
    for kind in drawn:
        moved = [0.0] * len(at[kind]) if kind == QUIET else [next(shifts) for _ in at[kind]]
        for shift in sorted(set(moved)):
            places = [place for place, by in zip(at[kind], moved, strict=True) if by == shift]
            label = kind if shift == min(moved) else "_"
            _draw_marks(ax, np.transpose(places), shift, {"label": label, "gid": "special", **_look(kind)})


def _on_paper(ax: Axes, places: Sequence[tuple[float, float]]) -> Floats:
    """Places in points of 1/72 inch."""
    figure = ax.get_figure()
    assert figure is not None
    ax.autoscale_view()
    return np.asarray(72 * ax.transData.transform(np.asarray(places, float).reshape(-1, 2)) / figure.dpi, float)


def _distinct(ax: Axes, places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places of one kind of mark that can be told apart: a point that several branches share is marked once."""
    kept: list[int] = []
    paper = _on_paper(ax, places)
    for i, place in enumerate(paper):
        if not any(np.hypot(*(place - paper[k])) < TOUCHING for k in kept):
            kept.append(i)
    return [places[i] for i in kept]


def _shifts(ax: Axes, places: Sequence[tuple[float, float]]) -> list[float]:
    """How far above its place each mark stands, in points of 1/72 inch: where another is in the way, above that one."""
    taken: list[tuple[float, float]] = []
    shifts = []
    for x, y in _on_paper(ax, places).tolist():
        shift = 0.0
        while np.isfinite([x, y]).all() and any(np.hypot(x - a, y + shift - b) < APART for a, b in taken):
            shift += STEP
        taken.append((x, y + shift))
        shifts.append(shift)
    return shifts


def _draw_marks(ax: Axes, places: Floats, shift: float, look: dict[str, Any]) -> None:
    """Marks at their places; or so far above them, with a stem that stands on the place."""
    if shift == 0:
        ax.plot(*places, **look)
        return
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure()
    assert figure is not None
    above = ax.transData + ScaledTranslation(0, shift / 72, figure.dpi_scale_trans)
    ax.plot(*places, transform=above, **look)
    for x, y in places.T:
        stem = {"arrowstyle": "-", "color": style.INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x, y), xytext=(0, shift), textcoords="offset points", arrowprops=stem, zorder=4.5)


def _look(kind: str) -> dict[str, Any]:
    mark = LITTLE if kind == QUIET else MARKS.get(kind, OTHER)
    color = style.QUIET if kind == QUIET else style.INK
    return {
        "linestyle": "none",
        "marker": mark.marker,
        "markersize": mark.size,
        "markerfacecolor": "white" if mark.hollow else color,
        "markeredgecolor": color if kind == QUIET or mark.hollow else "white",
        "markeredgewidth": 0.0 if kind == QUIET else 1.1 if mark.hollow else 0.6,
        "zorder": 3.0 if kind == QUIET else 4.0,
    }


def _draw_ends(ax: Axes, diagrams: Sequence[Diagram]) -> None:
    """A ring where the motion ceases to exist."""
    ring: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 13.0, "markerfacecolor": "none"}
    at = []
    for diagram in diagrams:
        end = end_of(diagram.data)
        if end is not None:
            place = int(diagram.path.point[end])
            at += [(diagram.path.parameter[place], line[place]) for line in diagram.lines]
    if at:
        label = "ceases to exist"
        ax.plot(*np.transpose(at), label=label, gid="end", markeredgecolor=style.INK, zorder=3.5, **ring)


def _draw_unit_line(ax: Axes, diagrams: Sequence[Diagram]) -> None:
    ax.axhline(1.0, color=style.QUIET, linewidth=0.9, zorder=1.5)
    largest = max(float(np.nanmax(line, initial=0.0)) for diagram in diagrams for line in diagram.lines)
    if largest > STEEP:
        ax.set_yscale("symlog", linthresh=1.0, linscale=1.0)
        ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylim(-0.03, 1.12 * max(largest, 1.0))


# -- words -------------------------------------------------------------------------------------------------------------


def _label(data: xarray.Dataset, quantity: str) -> str:
    if quantity == "period":
        return with_unit("period $T$", str(data.attrs.get("time_unit", "")))
    if quantity == "multipliers":
        return r"modulus of the multipliers $|\mu|$"
    if _along_points(data, quantity):
        return parameter_label(data, quantity)
    what, state = _parsed(quantity)
    place = names(data, "state").index(state)
    unit, quantity = (str(data[key].values[place]) if key in data.coords else "" for key in ("unit", "quantity"))
    if what == "size":
        return with_unit(f"maximum of $|{symbol(state).strip('$')}|$", unit)
    if what == "crossings":
        return f"{named_state(state, unit, quantity)} where {data['crossings'].attrs.get('section', 'it is cut')}"
    if np.array_equal(data["minimum"], data["maximum"]):  # an equilibrium
        return named_state(state, unit, quantity)
    words = {"max": "maximum", "min": "minimum", "both": "maximum and minimum"}
    return f"{words[what]} of {named_state(state, unit, quantity)}"


def _notes(found: Sequence[xarray.Dataset]) -> list[str]:
    """Why a single branch ends where it does, if the picture does not show it."""
    reason = str(found[0].attrs.get("reason", "")) if len(found) == 1 else ""
    return [reason] if reason and EARLY in meanings_of(found[0]) else []


def _handles(ax: Axes, labels: Sequence[str]) -> list[Artist]:
    """The legend: which branch, what is stable, which special points occur."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = []
    if len(labels) > 1:
        colors = (style.SERIES[i % len(style.SERIES)] for i in range(len(labels)))
        handles += [
            Line2D([], [], color=color, linewidth=STABLE["linewidth"], label=plain(label))
            for label, color in zip(labels, colors, strict=True)
        ]
    drawn = {line.get_gid() for line in ax.lines}
    for word, look in (("stable", STABLE), ("unstable", UNSTABLE)):
        if word in drawn:
            handles.append(Line2D([], [], color=style.QUIET, label=word, **look))
    marks = [line for line in ax.lines if line.get_gid() in ("special", "end")]
    return handles + [mark for mark in marks if not str(mark.get_label()).startswith("_")]
