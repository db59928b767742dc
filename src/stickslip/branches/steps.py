"""One step along a branch: its two ends, and the test functions between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.branches.margins import BRANCH_POINT, FLIP, FOLD, TORUS, flip_test, torus_test
from stickslip.errors import ModelError, MotionError, NoConvergence, OrbitError
from stickslip.orbits.arclength import Path, Place, corrected, located, place
from stickslip.orbits.problems import OrbitProblem

FAILURES = (NoConvergence, MotionError, OrbitError, ModelError, np.linalg.LinAlgError)
"""What may happen where an orbit is looked for that does not exist."""

NOTHING = 1e-10
"""A test function that stays below this is what round-off leaves of zero, as where nothing grows or decays."""

DIFFERENCE = 1e-4
"""The length over which the slope of a test function is taken."""

SUSPICIOUS = 0.5
"""A test function whose slopes let it come nearer to zero than this part of its values at both ends is looked at."""


Test = Callable[[Floats], float]
PathT = TypeVar("PathT", bound=Path)
PointT = TypeVar("PointT", bound="Point")


class Unresolved(NoConvergence):
    """Something happens within a step that cannot be told: it must be shorter."""


@dataclass(frozen=True)
class Point:
    """A point of a path."""

    place: Place

    @property
    def u(self) -> Floats:
        return self.place.u


@dataclass(frozen=True)
class OrbitPoint(Point):
    """A point of a path of orbits: where it is, and the orbit there with its multipliers."""

    solved: Any
    multipliers: Complexes


def point_at(problem: OrbitProblem, u: Floats, scales: Floats, along: Floats | None) -> OrbitPoint:
    """The point with these unknowns, its tangent oriented along a given one."""
    there = place(problem, u, scales, along)
    solved = problem.solved(u)
    return OrbitPoint(there, solved, problem.multipliers(solved))


@dataclass(frozen=True)
class Step(Generic[PathT, PointT]):
    """From `here` to `there`, along the tangent of the first; a step of 1 is one of the size of the scales."""

    problem: PathT
    scales: Floats
    here: PointT
    there: PointT

    @property
    def length(self) -> float:
        return self.distance(self.there.u)

    def distance(self, u: Floats) -> float:
        """How far on a point lies."""
        return float(self.here.place.tangent @ ((u - self.here.u) / self.scales))

    def until(self, there: PointT) -> Self:
        """The part of it that ends there."""
        return replace(self, there=there)

    def root(self, value: Test, ends: tuple[float, float]) -> Floats | None:
        """Where a function of the unknowns is zero, whose values at the two ends are known and of opposite signs; None
        where that is not found."""
        return located(self.problem, self.here.place, self.there.u, self.length, self.scales, value, ends)

    def change_of_sign(self, value: Test) -> Floats | None:
        """Where a function of the unknowns changes its sign; None where it does not."""
        before, after = value(self.here.u), value(self.there.u)
        if after == 0 and before != 0:
            return self.there.u
        if not np.sign(before) * np.sign(after) < 0:
            return None
        return self.root(value, (before, after))


class OrbitStep(Step[OrbitProblem, OrbitPoint]):
    """A step along a branch of orbits."""

    def at(self, u: Floats) -> OrbitPoint:
        """The point of the path with these unknowns."""
        return point_at(self.problem, u, self.scales, self.here.place.tangent)

    def between(self, distance: float) -> OrbitPoint:
        """The point of the path at a distance. It lies near the ends; what does not is on another path."""
        fraction = distance / self.length
        guess = (1 - fraction) * self.here.u + fraction * self.there.u
        u = corrected(self.problem, self.here.place, distance, guess, self.scales)[0]
        if not float(np.linalg.norm((u - guess) / self.scales)) < 2 * abs(self.length):
            raise Unresolved("between the ends of this step the path is not found")
        return self.at(u)

    def zero(self, test: Callable[[OrbitPoint], float]) -> Floats | None:
        """Where a test function of opposite signs at the two ends is zero; None where that is not found."""
        return self.root(lambda u: test(self.at(u)), (test(self.here), test(self.there)))

    # -- test functions --------------------------------------------------------------------------------------------

    def tests(self, point: OrbitPoint) -> dict[str, float]:
        """Numbers that pass through zero at bifurcations, by what happens there."""
        autonomous, reference = self.problem.turns == 0, self.here.place.log
        return {
            FOLD: point.place.slope,
            BRANCH_POINT: point.place.sign * float(np.exp(np.clip(point.place.log - reference, -600, 600))),
            FLIP: flip_test(point.multipliers, autonomous),
            TORUS: torus_test(point.multipliers, autonomous),
        }

    def crossed(self) -> list[str]:
        """The kinds of bifurcation whose test functions have opposite signs at the two ends."""
        old, new = self.tests(self.here), self.tests(self.there)
        return [kind for kind in old if old[kind] * new[kind] < 0 and max(abs(old[kind]), abs(new[kind])) > NOTHING]

    def hidden(self) -> OrbitPoint | None:
        """A point between the ends at which a test function has the other sign, though it has one sign at both ends:
        what happens once and again within a step must not pass unseen. Looked for where its slopes point to zero."""
        old, new = self.tests(self.here), self.tests(self.there)
        try:
            slopes = self._slopes(self.here)
            nearing = [kind for kind in old if old[kind] * new[kind] > 0 and old[kind] * slopes[kind] < 0]
            ends = self._slopes(self.there) if nearing else {}
            for kind in nearing:
                lowest = _lowest(
                    abs(new[kind] / old[kind]), *(self.length * x[kind] / old[kind] for x in (slopes, ends))
                )
                if lowest is not None:
                    point = self.between(lowest * self.length)
                    if self.tests(point)[kind] * old[kind] < 0:
                        return point
        except FAILURES:
            pass
        return None

    def _slopes(self, point: OrbitPoint) -> dict[str, float]:
        ahead = point_at(
            self.problem, point.u + DIFFERENCE * point.place.tangent * self.scales, self.scales, point.place.tangent
        )
        old, new = self.tests(point), self.tests(ahead)
        return {kind: (new[kind] - old[kind]) / DIFFERENCE for kind in old}


def _lowest(end: float, slope: float, slope_at_end: float) -> float | None:
    """Where on [0, 1] the cubic from 1 to `end` with these slopes is lowest, if it comes near zero inside."""
    cubic = np.poly1d([slope + slope_at_end - 2 * (end - 1), 3 * (end - 1) - 2 * slope - slope_at_end, slope, 1.0])
    if not np.all(np.isfinite(cubic.coeffs)):
        return None
    inside = [float(x.real) for x in cubic.deriv().roots if abs(x.imag) < 1e-12 and 0 < x.real < 1]
    lowest = min(inside, key=cubic, default=None)
    return lowest if lowest is not None and cubic(lowest) < SUSPICIOUS * min(1.0, end) else None
