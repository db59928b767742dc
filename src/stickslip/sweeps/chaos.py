"""A chaotic attractor as the cells that its motion visits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from stickslip.arrays import Floats
from stickslip.field import Field
from stickslip.kernels.outcome import FINISHED
from stickslip.orbits.motion import Motion
from stickslip.sweeps.exponents import Window, largest_exponent

VISITS, VISITS_IN_TIME = 4000, 20_000
"""States of a motion that are kept: once in every period of the excitation; without any, at equal times."""

SURE = 4.0
"""Standard errors by which an exponent must be positive."""

SAME = 0.9
"""The part of the visits of one attractor that lies in the cells of another when the two are one."""

MOST_STEPS = 10**9


@dataclass(frozen=True, eq=False)
class Chaos:
    """States that a chaotic motion visited, over their scale.

    How far half of them are from the other half says how far any motion on the attractor is: one time in fifty more
    than the `gap`, hardly ever more than a `cell`. One that only passes by is farther away.
    """

    visits: Floats
    least: float

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.visits)

    @cached_property
    def _gaps(self) -> Floats:
        half = len(self.visits) // 2
        gaps = cKDTree(self.visits[:half]).query(self.visits[half:])[0]
        return np.asarray(np.maximum(gaps, self.least))

    @cached_property
    def gap(self) -> float:
        """The distance from the nearest visit that a motion on the attractor exceeds one time in fifty."""
        return float(np.quantile(self._gaps, 0.98))

    @cached_property
    def cell(self) -> float:
        """Four times the distance that one in a thousand exceeds: motions on the attractor hardly leave its cells."""
        return 4 * float(np.quantile(self._gaps, 0.999))

    def distances(self, states: Floats) -> Floats:
        """How far states are from the nearest visit."""
        return np.asarray(self._tree.query(states)[0])

    def same_as(self, other: Chaos) -> bool:
        """Whether each of the two visits the cells of the other."""
        here, there = other.distances(self.visits), self.distances(other.visits)
        return bool(np.mean(here <= other.cell) > SAME and np.mean(there <= self.cell) > SAME)


def visited(field: Field, state: Floats, between: float, count: int, rtol: float) -> Floats:
    """States of a motion at equal times, as far as it goes."""
    rows = []
    here = np.array(state, float)[None, :]
    for _ in range(count):
        here, outcome = field.propagate(here, between, rtol=rtol)
        if outcome[0, 0] != FINISHED:
            break
        rows.append(here[0].copy())
    return np.array(rows).reshape(-1, len(state))


def growth(motion: Motion, state: Floats, length: float) -> tuple[float, float]:
    """The largest Lyapunov exponent of the motion that goes on from a state, and its standard error."""
    return largest_exponent(motion, state, Window.after(0.0, length), "time", MOST_STEPS)


def is_chaotic(exponent: float, error: float) -> bool:
    """Whether neighbours part for sure."""
    return bool(np.isfinite(exponent) and exponent > SURE * error and exponent > 0)
