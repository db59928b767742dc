"""The states and friction forces of a run over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import listed_names
from stickslip.plot import style
from stickslip.plot.labels import (
    WORDS,
    check_name,
    force_label,
    names,
    notes_of,
    quantity_of,
    slip_velocity_label,
    state_label,
    symbol,
    time_label,
    title_of,
    unit_of,
    visible_length,
    with_unit,
)
from stickslip.plot.measured import MEASURED, Measured
from stickslip.plot.modes import draw_modes, explain_modes
from stickslip.plot.pieces import Piece, check_run, joined, pieces, spans, within

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

MOST_PANELS = 8
MOST_CURVES = len(style.SERIES)
LONGEST_LABEL = 22
OF_CONTACTS = ("force", "slip_velocity", "mode")
"""What is drawn per contact, beside the states."""


@dataclass(frozen=True)
class Panel:
    """What one pair of axes shows: states of one kind and unit, or one quantity of the contacts."""

    kind: str
    curves: tuple[str, ...]


def history(
    run: xarray.Dataset,
    states: str | Sequence[str] | None = None,
    *,
    window: tuple[float, float] | None = None,
    measured: Mapping[str, Any] | xarray.Dataset | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> NDArray[Any]:
    """Draw states and friction forces over time, in panels one below the other.

    States of one kind (all positions, all velocities) share a panel.  The stick phases of a single contact
    are shaded; of several contacts, whose shades would cover each other, the modes are a timeline below, and
    the force is drawn thick where its contact sticks.  At most 8 panels with 6 curves each are drawn; the
    picture says what is left out.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    states : str or sequence of str, optional
        Names of states, and "force", "slip_velocity" or "mode" for the contacts; by default all states, the
        force and, of several contacts, the modes; with `measured`, what was measured.
    window : (float, float), optional
        From when to when, in the time of the run; all of it by default.
    measured : mapping, pandas.DataFrame or xarray.Dataset, optional
        Measurements to draw as dots over the curves: "time" and, under the names of states or as "force" and
        "slip_velocity", what was measured then.
    ax : matplotlib.axes.Axes or a sequence of them, optional
        Where to draw, one for each panel; a new figure by default.

    Returns
    -------
    numpy.ndarray
        The matplotlib Axes, from top to bottom.

    Raises
    ------
    PictureError
        If this is no run, it has no such state or time, or measurements do not fit it.

    See Also
    --------
    phase, friction, modes

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=40)
    >>> samples = {"time": [12.0, 13.0, 14.0], "x.block": [0.9, 1.0, 1.1]}
    >>> (axes,) = ss.plot.history(run, "x.block", window=(10, 30), measured=samples)
    >>> [float(time) for time in axes.get_xlim()]
    [10.0, 30.0]
    """
    check_run(run)
    if window is not None:
        run = within(run, window)
    samples = Measured.of(run, measured) if measured is not None else None
    panels, notes = _panels(run, samples.names if states is None and samples is not None else states)
    data = [_pieces_of_panel(run, panel) for panel in panels]
    ratios = [_height(panel) for panel in panels]
    with style.panels(_given(panels, ax), 8.0, 1.0 + 1.45 * sum(ratios), ratios) as all_axes:
        for axes, panel, curves in zip(all_axes, panels, data, strict=True):
            _draw_panel(axes, run, panel, curves)
            if samples is not None:
                samples.draw(axes, panel.kind if panel.kind in OF_CONTACTS else "", panel.curves)
            axes.margins(x=0)
        _shade_stick(all_axes, run, panels)
        _label_axes(all_axes, run, panels)
        if window is not None:
            all_axes[-1].set_xlim(*window)
        style.header(all_axes[0], title_of(run), [*notes_of(run), *notes])
        _explain(all_axes, panels)
        for figure in {axes.figure for axes in all_axes} & set(style.own_figures):
            figure.align_ylabels(all_axes[[panel.kind != "mode" for panel in panels]])
    return all_axes


def _panels(run: xarray.Dataset, chosen: str | Sequence[str] | None) -> tuple[list[Panel], list[str]]:
    """The panels to draw, and sentences about what is left out."""
    contacts, known = names(run, "contact"), names(run, "state")
    of_contacts = OF_CONTACTS if contacts else ()
    if chosen is None:
        wanted = known + [q for q in of_contacts if q == "force" or (q == "mode" and len(contacts) > 1)]
    else:
        wanted = [chosen] if isinstance(chosen, str) else listed_names("states", chosen)
        for name in wanted:
            check_name(name, [*known, *of_contacts], "state")
    if not wanted:
        raise PictureError("history got an empty list of states: name at least one, or leave `states` out")
    groups: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(wanted):
        if name in OF_CONTACTS:
            groups[name, ""] = contacts
        else:
            kind = name.split(".")[0] if "." in name else name
            groups.setdefault((kind, unit_of(run, name)), []).append(name)
    all_panels = [Panel(kind, tuple(curves)) for (kind, _), curves in groups.items()]
    return _limited(all_panels, len(contacts))


def _limited(panels: list[Panel], contacts: int) -> tuple[list[Panel], list[str]]:
    of_states = [panel for panel in panels if panel.kind not in OF_CONTACTS]
    room = MOST_PANELS - (len(panels) - len(of_states))
    kept = [panel for panel in panels if panel.kind in OF_CONTACTS or panel in of_states[:room]]
    drawn = [Panel(panel.kind, panel.curves[:MOST_CURVES]) for panel in kept]
    states = sum(len(panel.curves) for panel in of_states)
    shown = sum(len(panel.curves) for panel in drawn if panel.kind not in OF_CONTACTS)
    left_out = [f"{states - shown} of {states} states"] if shown < states else []
    if len(panels) > len(of_states) and contacts > MOST_CURVES:
        left_out.append(f"{contacts - MOST_CURVES} of {contacts} contacts")
    return drawn, [f"Not shown: {' and '.join(left_out)}."] if left_out else []


def _pieces_of_panel(run: xarray.Dataset, panel: Panel) -> list[list[Piece]]:
    """The pieces of each curve; states do not jump and are one curve, whatever the modes."""
    if panel.kind == "mode":
        return []
    if panel.kind in OF_CONTACTS:
        return [pieces(run, [index], ()) for index in range(len(panel.curves))]
    return [pieces(run, [], [name]) for name in panel.curves]


def _given(panels: list[Panel], ax: Axes | Sequence[Axes] | None) -> NDArray[Any] | None:
    """The user's axes, one for each panel; None where there are none."""
    if ax is None:
        return None
    given = ax.ravel() if isinstance(ax, np.ndarray) else list(ax) if isinstance(ax, Sequence) else [ax]
    style.check_axes(given)
    if len(given) != len(panels):
        kinds = ", ".join(panel.kind for panel in panels)
        raise PictureError(
            f"history draws {len(panels)} panels ({kinds}) and was given {len(given)} axes: give as many"
        )
    return np.asarray(given, dtype=object)


def _height(panel: Panel) -> float:
    return 0.25 + 0.13 * len(panel.curves) if panel.kind == "mode" else 1.0


def _draw_panel(ax: Axes, run: xarray.Dataset, panel: Panel, curves: list[list[Piece]]) -> None:
    if panel.kind == "mode":
        draw_modes(ax, run, range(len(panel.curves)))
    elif panel.kind in OF_CONTACTS:
        for name, parts, color in zip(panel.curves, curves, style.SERIES, strict=False):
            _draw_contact(ax, panel, name, parts, color)
    else:
        for name, parts, color in zip(panel.curves, curves, style.SERIES, strict=False):
            values = joined(part.states[name] for part in parts)
            _plot(
                ax,
                joined(part.time for part in parts),
                values,
                color,
                style.line_width(len(values)),
                _owner(name),
            )


def _label_axes(all_axes: NDArray[Any], run: xarray.Dataset, panels: list[Panel]) -> None:
    """Name the axes; where a name is too long for its low panel, word above formula in all of them."""
    labels = [_label(run, panel) for panel in panels]
    if max(map(visible_length, labels)) > LONGEST_LABEL:
        labels = [label.replace(" $", "\n$", 1) for label in labels]
    for axes, label in zip(all_axes, labels, strict=True):
        axes.set_ylabel(label)
    all_axes[-1].set_xlabel(time_label(run))


def _draw_contact(ax: Axes, panel: Panel, name: str, parts: list[Piece], color: str) -> None:
    for sticks in (False, True):
        chosen = [part for part in parts if (part.mode == (0,)) == sticks]
        time = joined(part.time for part in chosen)
        values = joined(getattr(part, panel.kind)[0] for part in chosen)
        thick = sticks and len(panel.curves) > 1
        points = sum(len(part.time) for part in parts)
        width = 0.75 * style.stick_width(points) if thick else style.line_width(points)
        label = name if not sticks or len(chosen) == len(parts) else "_"
        if chosen:
            _plot(ax, time, values, color, width, label)


def _plot(ax: Axes, time: Floats, values: Floats, color: str, width: float, label: str) -> None:
    ax.plot(time, values, color=color, linewidth=width, marker=style.marker(len(time)), label=label)


def _owner(name: str) -> str:
    return name.partition(".")[2] or name


def _label(run: xarray.Dataset, panel: Panel) -> str:
    if panel.kind == "mode":
        return ""
    if panel.kind in OF_CONTACTS:
        return force_label(run) if panel.kind == "force" else slip_velocity_label(run)
    if len(panel.curves) == 1:
        return state_label(run, panel.curves[0])
    words = list(dict.fromkeys(quantity_of(run, name) or WORDS.get(panel.kind, "") for name in panel.curves))
    return with_unit(f"{', '.join(words)} {symbol(panel.kind)}".lstrip(), unit_of(run, panel.curves[0]))


def _shade_stick(all_axes: NDArray[Any], run: xarray.Dataset, panels: list[Panel]) -> None:
    """Shade the stick phases of a single contact behind all panels."""
    if run.sizes["contact"] != 1:
        return
    sticks = [(start, end - start) for start, end, mode in spans(run, 0) if mode == 0]
    if not sticks:
        return
    for axes, panel in zip(all_axes, panels, strict=True):
        if panel.kind != "mode":
            whole_height = axes.get_xaxis_transform()
            axes.broken_barh(sticks, (0, 1), transform=whole_height, label="stick", zorder=0.5, **style.STICK_SHADE)


def _explain(all_axes: NDArray[Any], panels: list[Panel]) -> None:
    """Legends where there is something to tell apart that the panel above has not told."""
    above: list[str] = []
    for axes, panel in zip(all_axes, panels, strict=True):
        if panel.kind == "mode":
            explain_modes(axes)
            continue
        curves = axes.get_legend_handles_labels()
        told_apart = [
            (handle, label)
            for handle, label in zip(*curves, strict=True)
            if label in ("stick", MEASURED) or len(panel.curves) > 1
        ]
        labels = [label for _, label in told_apart]
        if told_apart and labels != above:
            style.legend(axes, handles=[handle for handle, _ in told_apart])
        above = labels
