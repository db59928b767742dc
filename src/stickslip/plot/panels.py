"""`panels`: axes side by side, in the style of the pictures of this package."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from stickslip.model.errors import check_number, check_whole
from stickslip.plot import style

WIDTH, HEIGHT = 4.8, 3.4
"""Inches of a panel, by default."""


def panels(columns: int = 1, rows: int = 1, *, width: float = WIDTH, height: float = HEIGHT) -> NDArray[Any]:
    """A figure with axes side by side, for pictures made of several, or of one's own curves.

    Parameters
    ----------
    columns : int, default 1
        How many axes side by side.
    rows : int, default 1
        How many below each other.
    width, height : float
        Inches of each; by default 4.8 by 3.4.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The axes, row by row; one after the other, `first, second = panels(2)`.

    Raises
    ------
    ModelError
        If a number is none.

    See Also
    --------
    phase, history, bifurcation, branch : pictures that take `ax`.
    save : write them to a file.

    Examples
    --------
    >>> import stickslip as ss
    >>> left, right = ss.plot.panels(2)
    >>> _ = left.plot([0, 1], [0, 1])
    >>> _ = ss.plot.phase(ss.simulate(ss.models.block_on_belt(), t=30), ax=right)
    """
    check_whole("columns", columns, 1, 20)
    check_whole("rows", rows, 1, 20)
    size = check_number("width", width, positive=True), check_number("height", height, positive=True)
    figure = style.new_grid(columns * size[0], rows * size[1])
    with style.context():
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for each in axes:
            style.dress(each)
            each.set_prop_cycle(color=style.SERIES)
    return axes
