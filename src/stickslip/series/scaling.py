"""Straight lines through curves that are straight only for a while, and how sure their slopes are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stickslip.arrays import Floats

BLOCKS = 10
"""Parts of a series whose own slopes say how sure the slope of all is."""


@dataclass(frozen=True)
class Line:
    """A line fitted to y(x) from place `first` to place `last`.

    `scatter` is the standard error of the slope from how parts of the series differ; `bend` is half the difference of
    the slopes of the two halves of the line: what is not straight has no sharp slope, however much data there is.
    """

    slope: float
    intercept: float
    scatter: float
    bend: float
    first: int
    last: int

    @property
    def error(self) -> float:
        """Scatter and bend together."""
        return float(np.hypot(self.scatter, self.bend))


def slope(x: Floats, y: Floats) -> float:
    """The slope of the line of least squares.

    >>> slope(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    2.0
    """
    centred = x - np.mean(x)
    return float(np.sum(centred * (y - np.mean(y))) / np.sum(centred**2))


def fit(x: Floats, blocks: Floats, first: int, last: int, whole: Floats | None = None) -> Line:
    """The line through y(x) between two places, y being the mean of blocks (block, place) unless `whole` is given."""
    chosen = slice(first, last + 1)
    part, y = x[chosen], (np.mean(blocks, axis=0) if whole is None else whole)[chosen]
    steep, half = slope(part, y), len(part) // 2
    each = [slope(part, block[chosen]) for block in blocks]
    scatter = float(np.std(each, ddof=1)) / np.sqrt(len(each)) if len(each) > 1 else 0.0
    bend = 0.5 * abs(slope(part[half:], y[half:]) - slope(part[: len(part) - half], y[: len(part) - half]))
    return Line(steep, float(np.mean(y) - steep * np.mean(part)), float(scatter), bend, first, last)
