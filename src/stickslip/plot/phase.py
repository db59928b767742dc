"""The phase plane of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.plot import style
from stickslip.plot.labels import check_name, contact_index, names, notes_of, state_label, title_of
from stickslip.plot.pieces import Floats, Piece, check_run, joined, latest, pieces

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

MANY_EVENTS = 300


def phase(
    run: xarray.Dataset,
    x: str | None = None,
    y: str | None = None,
    contact: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one state of a run against another, with the stick phases of one contact set off.

    Returns the matplotlib Axes.

    `x`, `y`: names of states; by default position and velocity of the first mass, and given one of a mass's
    two states the other is found.  `contact`: whose stick phases and events are marked, the first by default.
    `ax`: where to draw; a new figure by default.

    Example: `ss.plot.phase(run)`, `ss.plot.phase(run, "x.left", contact="left_pad")`.
    """
    check_run(run)
    run, notes = latest(run)
    x, y = _chosen_states(names(run, "state"), x, y)
    has_contact = contact is not None or run.sizes["contact"] > 0
    index = contact_index(run, contact) if has_contact else None
    parts = pieces(run, [] if index is None else [index], (x, y))
    of_contact = f" of {names(run, 'contact')[index]}" if index is not None and run.sizes["contact"] > 1 else ""
    with style.canvas(ax, 6.8, 4.4) as axes:
        _draw_parts(axes, parts, x, y, of_contact)
        if index is not None:
            _draw_events(axes, run, index, x, y)
        axes.set_xlabel(state_label(run, x))
        axes.set_ylabel(state_label(run, y))
        style.header(axes, title_of(run), [*notes_of(run), *notes])
        if index is not None:
            style.legend(axes)
    return axes


def _chosen_states(known: list[str], x: str | None, y: str | None) -> tuple[str, str]:
    for name in (x, y):
        if name is not None:
            check_name(name, known, "state")
    if x is None and y is None:
        x = next((name for name in known if _partner(name) in known), known[0])
    if y is None:
        y = _other(known, x)
    if x is None:
        x = _other(known, y)
    return x, y


def _partner(name: str) -> str:
    """The velocity of a position, the position of a velocity."""
    quantity, dot, owner = name.partition(".")
    return {"x": "v", "v": "x"}.get(quantity, "") + dot + owner


def _other(known: list[str], name: str | None) -> str:
    others = [other for other in known if other != name]
    if not others:
        raise ValueError(f"a phase plane needs two states, and this run has only {name!r}")
    partner = _partner(str(name))
    return partner if partner in others else others[0]


def _draw_parts(ax: Axes, parts: list[Piece], x: str, y: str, of_contact: str) -> None:
    points = sum(len(part.time) for part in parts)
    marker = style.marker(points)
    for sticks, label, color, width in (
        (False, "slip", style.SLIP, style.line_width(points)),
        (True, "stick", style.STICK, style.stick_width(points)),
    ):
        chosen = [part for part in parts if (part.mode == (0,)) == sticks]
        if chosen:
            xs, ys = (joined(part.states[name] for part in chosen) for name in (x, y))
            ax.plot(xs, ys, color=color, linewidth=width, marker=marker, label=label + of_contact)


def _draw_events(ax: Axes, run: xarray.Dataset, index: int, x: str, y: str) -> None:
    mine = run["event_contact"].values == run["contact"].values[index]
    sticks_before, sticks_after = run["event_before"].values == 0, run["event_after"].values == 0
    states = names(run, "state")
    at_events: Floats = run["event_state"].values
    size = 5.5 if np.count_nonzero(mine) < MANY_EVENTS else 2.5
    for chosen, label, fill in (
        (mine & sticks_before & ~sticks_after, "stick → slip", "white"),
        (mine & ~sticks_before & sticks_after, "slip → stick", style.INK),
    ):
        if chosen.any():
            ax.plot(
                at_events[chosen, states.index(x)],
                at_events[chosen, states.index(y)],
                label=label,
                linestyle="none",
                marker="o",
                markersize=size,
                markerfacecolor=fill,
                markeredgecolor=style.INK,
                markeredgewidth=0.9,
                zorder=3,
            )
