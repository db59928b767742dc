"""The phase plane of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.labels import check_name, contact_index, names, notes_of, state_label, title_of
from stickslip.plot.pieces import Piece, check_run, joined, latest, pieces, within

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

FEW_EVENTS = 12
FEW_TURNS = 24
"""Up to so many turns lines are as wide as they are drawn elsewhere."""


def phase(
    run: xarray.Dataset,
    x: str | None = None,
    y: str | None = None,
    *,
    contact: str | None = None,
    window: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one state of a run against another, with the stick phases of one contact set off.

    Lines are the thinner, and the paler, the more often the motion passes over the same places.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    x, y : str, optional
        Names of states; by default position and velocity of the first mass, and given one of a mass's two
        states the other is found.
    contact : str, optional
        Whose stick phases and events are marked; the first by default.
    window : (float, float), optional
        From when to when, in the time of the run; all of it by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no run, or it has no such state, contact or time.

    See Also
    --------
    history, friction, animate

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.two_blocks(), t=50)
    >>> ss.plot.phase(run, "x.block2", contact="contact2").get_ylabel()
    'velocity $v_\\\\mathrm{block2}$'
    """
    check_run(run)
    if window is not None:
        run = within(run, window)
    run, notes = latest(run)
    x, y = chosen_states(names(run, "state"), x, y)
    has_contact = contact is not None or run.sizes["contact"] > 0
    index = contact_index(run, contact) if has_contact else None
    parts = pieces(run, [] if index is None else [index], (x, y))
    of_contact = f" of {names(run, 'contact')[index]}" if index is not None and run.sizes["contact"] > 1 else ""
    with style.canvas(ax, 6.8, 4.4) as axes:
        draw_parts(axes, parts, x, y, of_contact)
        if index is not None:
            _draw_events(axes, run, index, x, y)
        axes.set_xlabel(state_label(run, x))
        axes.set_ylabel(state_label(run, y))
        style.header(axes, title_of(run), [*notes_of(run), *notes])
        if index is not None:
            style.legend(axes)
    return axes


def chosen_states(known: list[str], x: str | None, y: str | None) -> tuple[str, str]:
    """The two states of a phase plane: those named, and for what is not named the one that goes with the other."""
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
        raise PictureError(f"a phase plane needs two states, and this run has only {name!r}")
    partner = _partner(str(name))
    return partner if partner in others else others[0]


def draw_parts(ax: Axes, parts: list[Piece], x: str, y: str, of_contact: str) -> None:
    """Each stretch of stick or slip as a line; where there are hundreds of them, thin and pale ones."""
    marker = style.marker(sum(len(part.time) for part in parts))
    turns = max(_turns(parts, x), _turns(parts, y))
    thin = float(np.clip(np.sqrt(FEW_TURNS / max(turns, 1)), 0.25, 1.0))
    for sticks, label, color, width, alpha in (
        (False, "slip", style.SLIP, style.SLIP_WIDTH * thin, max(thin, 0.35)),
        (True, "stick", style.STICK, style.STICK_WIDTH * max(thin, 0.5), 1.0),
    ):
        chosen = [part for part in parts if (part.mode == (0,)) == sticks]
        if chosen:
            xs, ys = (joined(part.states[name] for part in chosen) for name in (x, y))
            ax.plot(xs, ys, color=color, linewidth=width, alpha=alpha, marker=marker, label=label + of_contact)


def _turns(parts: list[Piece], name: str) -> int:
    """How often a state turns back, about twice per period; steps of a method that do not quite meet are no turns."""
    values = np.concatenate([part.states[name] for part in parts])
    steps = np.diff(values)
    moving = np.sign(steps[np.abs(steps) > 1e-5 * np.ptp(values)])
    return int(np.count_nonzero(np.diff(moving)))


def _draw_events(ax: Axes, run: xarray.Dataset, index: int, x: str, y: str) -> None:
    mine = run["event_contact"].values == run["contact"].values[index]
    sticks_before, sticks_after = run["event_before"].values == 0, run["event_after"].values == 0
    states = names(run, "state")
    at_events: Floats = run["event_state"].values
    size = float(np.clip(5.5 * (FEW_EVENTS / max(int(np.count_nonzero(mine)), 1)) ** 0.3, 1.5, 5.5))
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
                markeredgewidth=0.16 * size,
                zorder=3,
            )
