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
from numpy.typing import NDArray

from stickslip.errors import PictureError
from stickslip.model.errors import shown
from stickslip.plot.labels import visible_length

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

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
LONGEST_BESIDE = 26
"""Characters of a label beyond which a legend beside the axes would take their room."""
CHARACTER, SMALL_CHARACTER, TITLE_CHARACTER = 0.073, 0.066, 0.086
"""Inches that a character takes on average: in legends, notes and titles."""

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

grids: WeakSet[Figure] = WeakSet()
"""Figures of `panels`: made here, for the user to draw on."""


def context() -> AbstractContextManager[None]:
    """The style, for the time of a `with`: nothing of it stays in the user's rcParams."""
    import matplotlib

    return matplotlib.rc_context(STYLE)


@contextmanager
def panels(
    given: Sequence[Axes] | NDArray[Any] | None, width: float, height: float, ratios: Sequence[float] = (1.0,)
) -> Iterator[NDArray[Any]]:
    """Axes to draw on, in style: those given, or those of a new figure, one below the other.

    The figure is made before the style holds. When pyplot makes its first figure it sets up its backend, and what that
    writes to rcParams (a notebook's turns `interactive` on, without which it shows nothing) must outlast the style.
    """
    check_axes(given)
    figure = _new_figure(width, height) if given is None else None
    try:
        with context():
            axes = np.asarray(given, dtype=object) if figure is None else _stacked(figure, ratios)
            for each in axes:
                dress(each)
            yield axes
    except BaseException:
        _forget(figure)
        raise


@contextmanager
def canvas(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """The axes to draw on, in style: those given, or those of a new figure."""
    with panels(None if ax is None else [ax], width, height) as axes:
        yield axes[0]


def check_color(color: str | None) -> None:
    """Raise a sentence if this is no colour of matplotlib."""
    from matplotlib.colors import is_color_like

    if color is not None and not is_color_like(color):
        raise PictureError(f"color is {shown(color)}: give a colour of matplotlib, such as 'tab:red' or '#8a2be2'")


def check_axes(given: Sequence[Axes] | NDArray[Any] | None) -> None:
    """Raise a sentence if one of the axes to draw on is something else."""
    from matplotlib.axes import Axes

    for each in () if given is None else given:
        if not isinstance(each, Axes):
            raise PictureError(f"ax is {shown(each)}: give matplotlib Axes, or leave it out for a new figure")


def _new_figure(width: float, height: float, kind: WeakSet[Figure] = own_figures) -> Figure:
    """A new figure that pyplot knows, of a size in inches, with room for legends beside the axes."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(width, height), layout="constrained", facecolor=STYLE["figure.facecolor"])
    kind.add(figure)
    return figure


def new_grid(width: float, height: float) -> Figure:
    """A new figure for several axes, of a size in inches; legends are within the axes."""
    return _new_figure(width, height, grids)


def _stacked(figure: Figure, ratios: Sequence[float]) -> NDArray[Any]:
    return np.asarray(figure.subplots(len(ratios), sharex=True, squeeze=False, height_ratios=list(ratios))[:, 0])


def _forget(figure: Figure | None) -> None:
    """A picture that could not be drawn leaves no empty figure behind."""
    if figure is not None:
        from matplotlib import pyplot

        pyplot.close(figure)


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
    """A legend that covers no curve: beside the axes in our own figures, below them where its labels are long.

    In figures of the user it is where there is room.
    """
    shown = list(ax.get_legend_handles_labels()[0] if handles is None else handles)
    if not shown:
        return
    if ax.figure in own_figures:
        longest = max(_visible_width(str(handle.get_label())) for handle in shown)
        place = _beside() if longest <= LONGEST_BESIDE else _below(ax, longest, len(shown))
        made = ax.legend(handles=shown, loc="upper left", borderaxespad=0.0, frameon=False, **place)
    else:
        points = sum(np.size(line.get_xdata()) for line in ax.lines)
        made = ax.legend(
            handles=shown,
            loc="best" if points < MANY_POINTS else "upper right",
            framealpha=0.85,
            ncols=columns,
        )
    _strengthen(made)


def _strengthen(made: Legend) -> None:
    """Lines and marks that are thin and pale where there are many of them are to be seen in the legend."""
    from matplotlib.lines import Line2D

    for handle in made.legend_handles:
        if isinstance(handle, Line2D):
            handle.set(
                alpha=1.0, linewidth=max(handle.get_linewidth(), 1.0), markersize=max(handle.get_markersize(), 4)
            )


def _visible_width(label: str) -> int:
    """How many characters wide a label is, at its widest line."""
    return max(visible_length(line) for line in label.split("\n"))


def _beside() -> dict[str, Any]:
    return {"bbox_to_anchor": (1.01, 1.0)}


def _below(ax: Axes, longest: int, count: int) -> dict[str, Any]:
    """Under the name of the horizontal axis, in as many columns as there is room for."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure()
    assert figure is not None
    room = int((figure.bbox.width / figure.dpi - 0.9) / (CHARACTER * (longest + 5)))
    down = ScaledTranslation(0, -44 / 72, figure.dpi_scale_trans)
    return {
        "bbox_to_anchor": (0.0, 0.0),
        "bbox_transform": ax.transAxes + down,
        "ncols": max(1, min(room, count)),
    }


def header(ax: Axes, title: str, notes: Sequence[str] = ()) -> None:
    """The title, and below it, in small print, what the reader must know besides; both broken where they must be."""
    width = _room_above(ax)
    lines = [line for note in notes for line in textwrap.wrap(note, int(width / SMALL_CHARACTER))]
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
            gid="note",
        )
    broken = [part for line in title.split("\n") for part in _broken(line, int(width / TITLE_CHARACTER))]
    ax.set_title("\n".join(broken), loc="left", pad=7 + 12.5 * len(lines))


def _broken(line: str, width: int) -> list[str]:
    """A line of a title in pieces that fit; formulas stay whole."""
    return [line] if visible_length(line) <= width or "$" in line.replace(r"\$", "") else textwrap.wrap(line, width)


def _room_above(ax: Axes) -> float:
    """Inches for a title: it may reach over the legend beside the axes."""
    figure = ax.get_figure()
    assert figure is not None
    if figure in own_figures:
        return float(figure.bbox.width / figure.dpi - 0.9)
    return max(float(ax.bbox.width / figure.dpi), 2.0)
