"""Which contact sticks or slips when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickslip.plot import style
from stickslip.plot.labels import contact_index, names, notes_of, time_label, title_of
from stickslip.plot.pieces import check_run, spans

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

ROW_LABELS = 60


@dataclass(frozen=True)
class Bar:
    """How a mode is drawn: told apart by place and height too, not by colour alone."""

    label: str
    color: str
    bottom: float
    height: float


BARS = {
    0: Bar("stick", style.STICK, -0.32, 0.64),
    1: Bar(r"slip, $v_\mathrm{rel} > 0$", style.FORWARD, 0.0, 0.2),
    -1: Bar(r"slip, $v_\mathrm{rel} < 0$", style.BACKWARD, -0.2, 0.2),
}


def modes(run: xarray.Dataset, ax: Axes | None = None) -> Axes:
    """Draw a timeline for each contact: stick, slip forwards, slip backwards.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure, taller the more contacts there are, by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no run.

    See Also
    --------
    history : States and forces over time.

    Examples
    --------
    >>> import stickslip as ss
    >>> ax = ss.plot.modes(ss.simulate(ss.models.block_on_belt(), t=30))
    >>> ax.get_xlabel()
    'time $t$'
    """
    check_run(run)
    contact_index(run, None)
    count = run.sizes["contact"]
    row = 0.36 if count < 8 else 0.26 if count < 24 else 0.165
    with style.canvas(ax, 8.0, min(1.3 + row * count, 10.0)) as axes:
        draw_modes(axes, run, range(count))
        axes.set_xlabel(time_label(run))
        style.header(axes, title_of(run), notes_of(run))
        explain_modes(axes)
    return axes


def draw_modes(ax: Axes, run: xarray.Dataset, contacts: Sequence[int]) -> None:
    """The bars and row names of some contacts, the first on top."""
    for row, contact in enumerate(contacts):
        by_mode: dict[int, list[tuple[float, float]]] = {}
        for start, end, mode in spans(run, contact):
            by_mode.setdefault(mode, []).append((start, end - start))
        for mode, ranges in by_mode.items():
            bar = BARS[mode]
            # Rows count downwards, so a bar's top comes first.
            extent = (row - bar.bottom - bar.height, bar.height)
            ax.broken_barh(ranges, extent, facecolors=bar.color, linewidth=0, label=bar.label)
    _name_rows(ax, [names(run, "contact")[contact] for contact in contacts])


def explain_modes(ax: Axes) -> None:
    """A legend with each mode that occurs, once."""
    handles, labels = ax.get_legend_handles_labels()
    found = dict(zip(labels, handles, strict=True))
    if ax.figure not in style.own_figures:
        # Bars fill the user's axes from edge to edge: make room for the legend above them.
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom, top - 0.25 * (bottom - top))
    style.legend(ax, [found[bar.label] for bar in BARS.values() if bar.label in found], columns=len(BARS))


def _name_rows(ax: Axes, labels: list[str]) -> None:
    stride = -(-len(labels) // ROW_LABELS)
    ax.set_yticks(range(0, len(labels), stride), labels[::stride])
    if len(labels) >= 24:
        ax.tick_params(axis="y", labelsize=7)
    ax.set_ylim(len(labels) - 0.45, -0.55)
    ax.margins(x=0)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
