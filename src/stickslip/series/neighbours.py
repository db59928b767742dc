"""Nearest neighbours that are not neighbours in time."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from stickslip.arrays import Floats, Ints

CANDIDATES = (8, 64)
"""How many nearest points are looked at, one number after the other, before all are."""

PAIRS = 200_000
"""Distances held at once: as many as stay near the processor."""


def spread_out(count: int, most: int) -> Ints:
    """Places spread over a series, `most` at most."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def nearest(points: Floats, here: Ints, window: int) -> tuple[Ints, Floats]:
    """For points `here` the nearest one that is more than `window` away in the series, and its distance.

    −1 and inf where there is none.

    >>> found, distance = nearest(np.array([[0.0], [0.1], [5.0], [0.2]]), np.array([0]), 1)
    >>> int(found[0]), round(float(distance[0]), 6)
    (3, 0.2)
    """
    found, distance = np.full(len(here), -1, np.int64), np.full(len(here), np.inf)
    tree = cKDTree(points)
    left = np.arange(len(here))
    for count in CANDIDATES:
        if len(left) and count <= len(points):
            near, there = (np.asarray(column) for column in tree.query(points[here[left]], k=count))
            apart = np.abs(there - here[left][:, None]) > window
            any_apart, first = apart.any(axis=1), apart.argmax(axis=1)
            found[left[any_apart]] = there[any_apart, first[any_apart]]
            distance[left[any_apart]] = near[any_apart, first[any_apart]]
            left = left[~any_apart]
    # Where a series is sampled finely its own past fills the candidates: then all points are looked at.
    for part in np.array_split(left, max(1, len(left) * len(points) // PAIRS)):
        found[part], distance[part] = _nearest_of_all(points, here[part], window)
    return found, distance


def _nearest_of_all(points: Floats, here: Ints, window: int) -> tuple[Ints, Floats]:
    squares = np.zeros((len(here), len(points)))
    for coordinate in points.T:
        squares += (coordinate[here][:, None] - coordinate[None, :]) ** 2
    squares[np.abs(here[:, None] - np.arange(len(points))[None, :]) <= window] = np.inf
    there = np.argmin(squares, axis=1) if squares.size else np.zeros(0, np.int64)
    distance = np.sqrt(squares[np.arange(len(here)), there])
    return np.where(np.isfinite(distance), there, -1), distance
