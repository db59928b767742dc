"""The friction force of a run against its sliding velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.plot import style
from stickslip.plot.labels import contact_index, force_label, names, notes_of, slip_velocity_label, title_of
from stickslip.plot.pieces import Piece, check_run, has_steps, joined, latest, pieces

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes


def friction(run: xarray.Dataset, contact: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the friction force of one contact against its sliding velocity, as the run went through them.

    Slip draws the branches of the law that were visited, stick a vertical line at rest.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    contact : str, optional
        Name of a contact; the first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no run, or it has no such contact.

    See Also
    --------
    characteristic : The law itself.
    history : The force over time.

    Examples
    --------
    >>> import stickslip as ss
    >>> ax = ss.plot.friction(ss.simulate(ss.models.block_on_belt(), t=30))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['slip', 'stick']
    """
    check_run(run)
    run, notes = latest(run)
    index = contact_index(run, contact)
    parts = pieces(run, [index], ())
    # Straight lines between samples would cut the corners of the law.
    look = {"linestyle": "-"} if has_steps(run) else {"linestyle": "none", "marker": ".", "markersize": 4.0}
    detail = names(run, "contact")[index] if run.sizes["contact"] > 1 else ""
    with style.canvas(ax, 6.4, 4.2) as axes:
        _draw(axes, parts, look)
        axes.set_xlabel(slip_velocity_label(run))
        axes.set_ylabel(force_label(run))
        style.header(axes, title_of(run, detail), [*notes_of(run), *notes])
        style.legend(axes)
    return axes


def _draw(ax: Axes, parts: list[Piece], look: dict[str, Any]) -> None:
    slip = [part for part in parts if part.mode != (0,)]
    stick = [part for part in parts if part.mode == (0,)]
    if slip:
        velocity, force = joined(p.slip_velocity[0] for p in slip), joined(p.force[0] for p in slip)
        width = style.line_width(len(velocity))
        ax.plot(velocity, force, color=style.SLIP, linewidth=width, label="slip", **look)
    if stick:
        force = joined(p.force[0] for p in stick)
        # At rest the velocity is zero by definition; its rounding errors would only mislead the axis.
        velocity = np.where(np.isnan(force), np.nan, 0.0)
        ax.plot(
            velocity,
            force,
            color=style.STICK,
            linewidth=style.STICK_WIDTH,
            marker=style.marker(len(force)),
            label="stick",
        )
    if not slip:
        ax.set_xlim(-1.0, 1.0)
