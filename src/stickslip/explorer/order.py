"""Coarse first: the order in which the points of a diagram or of a map are computed."""

from __future__ import annotations

import numpy as np

from stickslip.arrays import Ints


def coarse_first(count: int) -> Ints:
    """The numbers from 0 to count − 1, ends and middles first: each part of them lies evenly over all.

    >>> coarse_first(9).tolist()
    [0, 8, 4, 2, 6, 1, 3, 5, 7]
    """
    found = [0, count - 1] if count > 1 else [0]
    known = np.zeros(count, bool)
    known[found] = True
    pieces = [np.array(found)]
    stride = 1 << max(0, (count - 1).bit_length() - 1)
    while stride:
        new = np.arange(0, count, stride)
        new = new[~known[new]]
        known[new] = True
        pieces.append(new)
        stride //= 2
    return np.concatenate(pieces)


def coarse_grid_first(rows: int, columns: int) -> Ints:
    """The numbers of the points of a grid, row by row, in the order of squares that become smaller.

    >>> coarse_grid_first(3, 3).tolist()
    [0, 2, 6, 8, 1, 3, 4, 5, 7]
    """
    level = np.maximum(_levels(rows)[:, None], _levels(columns)[None, :])
    return np.argsort(level.ravel(), kind="stable")


def _levels(count: int) -> Ints:
    """For each number, at which halving of the distance it comes; the ends at the first."""
    level = np.zeros(count, int)
    numbers = np.arange(count)
    stride, depth = 1 << max(0, (count - 1).bit_length() - 1), 0
    waiting = np.ones(count, bool)
    waiting[[0, -1]] = False
    while stride:
        depth += 1
        now = waiting & (numbers % stride == 0)
        level[now] = depth
        waiting &= ~now
        stride //= 2
    return level
