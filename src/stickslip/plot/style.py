"""One look for all pictures: colours, sizes, axes, legends and the lines above the axes.

matplotlib is imported when the first picture is drawn.  New figures are made by pyplot, so that notebooks
show them and `plt.show()` and `plt.savefig()` find them; the user's rcParams are left as they are.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008): told apart with every kind of colour vision.
STICK = "#D55E00"
SLIP = FORWARD = "#0072B2"
BACKWARD = "#56B4E9"
INK = "#222222"
QUIET = "#666666"
SERIES = ("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours of curves side by side; without the stick colour, which means one thing only."""

STICK_SHADE: dict[str, Any] = {"facecolor": STICK, "alpha": 0.16, "linewidth": 0}
STICK_WIDTH = 3.2
SLIP_WIDTH = 1.3
MANY_POINTS = 20_000

STYLE: dict[Any, Any] = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.labelsize": 10.5,
    "axes.linewidth": 0.8,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.5,
    "axes.titleweight": "normal",
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.use_mathtext": True,
    "font.size": 10.0,
    "legend.fontsize": 9.5,
    "legend.handlelength": 1.7,
    "lines.linewidth": SLIP_WIDTH,
    "lines.dash_capstyle": "butt",
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "savefig.facecolor": "white",
    "text.color": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}

own_figures: WeakSet[Figure] = WeakSet()
"""Figures made here, not by the user: their layout is ours to choose."""


def context() -> AbstractContextManager[None]:
    """The style, for the time of a `with`: nothing of it stays in the user's rcParams."""
    import matplotlib

    return matplotlib.rc_context(STYLE)


def new_figure(width: float, height: float) -> Figure:
    """A new figure that pyplot knows, of a size in inches, with room for legends beside the axes."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    own_figures.add(figure)
    return figure


@contextmanager
def canvas(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """The axes to draw on, in style: those given, or those of a new figure."""
    with context():
        axes = new_figure(width, height).subplots() if ax is None else ax
        dress(axes)
        yield axes


def dress(ax: Axes) -> None:
    """Light grid below the curves, no box; set on the axes, since ticks made later miss the rcParams."""
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    # A factor such as ×10⁻⁶ goes above the numbers it belongs to, not into the title's place.
    ax.yaxis.get_offset_text().set(x=-0.01, horizontalalignment="right")
    ax.tick_params(color=QUIET, labelcolor=INK, labelsize=9.5, length=3.5, width=0.8)


def line_width(points: int) -> float:
    """Thin lines where a long run would otherwise fill the picture."""
    return SLIP_WIDTH if points < MANY_POINTS else 0.6


def stick_width(points: int) -> float:
    """Stick is thick."""
    return STICK_WIDTH if points < MANY_POINTS else 1.2


def marker(points: int) -> str:
    """A line through a single point is not seen."""
    return "o" if points == 1 else ""


def legend(ax: Axes, handles: Sequence[Artist] | None = None, columns: int = 1) -> None:
    """A legend that covers no curve: beside the axes in our own figures, else where there is room."""
    shown = ax.get_legend_handles_labels()[0] if handles is None else handles
    if not shown:
        return
    if ax.figure in own_figures:
        ax.legend(handles=shown, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
    else:
        points = sum(np.size(line.get_xdata()) for line in ax.lines)
        ax.legend(
            handles=shown,
            loc="best" if points < MANY_POINTS else "upper right",
            framealpha=0.85,
            ncols=columns,
        )


def header(ax: Axes, title: str, notes: Sequence[str] = ()) -> None:
    """The title, and below it, in small print, what the reader must know besides."""
    lines = [line for note in notes for line in textwrap.wrap(note, 90)]
    if lines:
        ax.annotate(
            "\n".join(lines),
            xy=(0, 1),
            xycoords="axes fraction",
            xytext=(0, 5),
            textcoords="offset points",
            fontsize=8.5,
            color=QUIET,
            va="bottom",
            parse_math=False,
        )
    ax.set_title(title, loc="left", pad=7 + 12.5 * len(lines))
