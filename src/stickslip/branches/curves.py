"""A special point followed in two parameters: the curve on which it stays what it is.

The equations of the orbit leave two directions free when two parameters are; the test function of the special point and
the length of the step settle them. Only the derivatives of the test function along these two directions are needed, and
they are taken by differences; the orbit itself is solved with its exact derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.branches.branch import Branch
from stickslip.branches.changes import phases_of
from stickslip.branches.margins import BRANCH_POINT, FLIP, FOLD, TORUS, margins
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import FAILURES, Point, Test, Unresolved
from stickslip.branches.walk import Walk
from stickslip.branches.way import Progress, Way
from stickslip.errors import NoConvergence, OrbitError
from stickslip.orbits.arclength import Place
from stickslip.orbits.crossings import oriented
from stickslip.orbits.newton import solve_linear
from stickslip.orbits.problems import OrbitProblem, problem_of

DIFFERENCE = 1e-5


class Curve(Walk):
    """A curve in the making: the parameter of the way is stepped along, the other is solved for."""

    problem: OrbitProblem
    word = "curve"
    edge = 0.0
    advice = "Try a smaller step=."

    def __init__(self, point: SpecialPoint, solved_for: str, way: Way) -> None:
        super().__init__(point.orbit, way)
        names = list(self.model.parameters)
        self.point, self.names, self.to = point, (solved_for, way.parameter), way.bounds[0]
        self.problem, self.first = problem_of(point.orbit, [names.index(name) for name in self.names])
        self.scales = self.problem.scales(self.first) * float(np.sqrt(self.problem.phases))
        self.scales[-1] = self.range
        self.scales[-2] = max(abs(self.first[-2]), 1e-3)

    def _begin(self) -> None:
        along = np.zeros(len(self.first))
        along[-1] = np.sign(self.to - float(self.model.parameters[self.parameter]))
        self.here = Point(Place(self.first, along))
        self.test = self._test(self.problem, self.first)
        self._stand(self._corrected(self.first, self.here.place, 0.0)[0], along)

    def _advance(self, ds: float) -> tuple[Floats, int]:
        here = self.here.place
        try:
            u, iterations = self._corrected(here.u + ds * here.tangent * self.scales, here, ds)
            self.model.with_({name: float(x) for name, x in zip(self.names, u[-2:], strict=True)})
        except FAILURES as failure:
            raise Unresolved(str(failure).rstrip(".")) from None
        return u, iterations

    def _growth(self, iterations: int) -> float:
        return 1.5 if iterations <= 4 else 0.7

    def _accept(self, u: Floats) -> Ending | None:
        here = self.here.place
        fault = self.problem.fault(self.problem.solved(u))
        if fault and self.point.kind in (FOLD, FLIP, TORUS):
            return self._end(Outcome.CHANGED, u[-1], why=fault)
        if (u[-1] - self.to) * (here.u[-1] - self.to) > 0:
            self._stand(u, here.tangent)
            return None
        self._arrive(u)
        return self._end(Outcome.REACHED, self.to)

    def _arrive(self, u: Floats) -> None:
        """The last point, at the wanted value exactly."""
        here = self.here.place
        fraction = (self.to - here.u[-1]) / (u[-1] - here.u[-1])
        guess = here.u + fraction * (u - here.u)
        along = np.zeros(len(u))
        along[-1] = 1.0
        try:
            distance = float(self.to - guess[-1]) / self.scales[-1]
            self._stand(self._corrected(guess, Place(guess, along), distance)[0], along)
        except FAILURES:
            self._stand(u, here.tangent)

    def _stand(self, u: Floats, along: Floats) -> None:
        problem = self.problem.moved(u)
        solved, test = problem.solved(u), self._test(problem, u)
        V, slopes = self._free_directions(problem, test, u)
        tangent = V @ np.array([-slopes[1], slopes[0]])
        tangent /= np.linalg.norm(tangent)
        ahead = problem.slid(u, along * self.scales) / self.scales
        orbit, extremes = problem.orbit(solved), problem.extremes(solved)
        self.problem, self.test = problem, test
        self.here = Point(Place(u, oriented(tangent, ahead)))
        self._append(orbit, extremes)
        self._tell()

    def _free_directions(self, problem: OrbitProblem, test: Test, u: Floats) -> tuple[Floats, Floats]:
        """The two directions along which the orbit stays an orbit, and the slopes of the test function along them."""
        _, J = problem.residual(u)
        V = np.linalg.svd(J * self.scales)[2][-2:].T
        return V, np.array([self._slope(test, u, V[:, i]) for i in range(2)])

    def _slope(self, test: Test, u: Floats, direction: Floats) -> float:
        step = DIFFERENCE * direction * self.scales
        return (test(u + step) - test(u - step)) / (2 * DIFFERENCE)

    def _corrected(self, u: Floats, start: Place, s: float) -> tuple[Floats, int]:
        """The point of the curve at the distance s from `start`, measured along its tangent; and the iterations it
        took."""
        before = np.inf
        for iteration in range(12):
            F, J = self.problem.residual(u)
            u = u - solve_linear(J * self.scales, F) * self.scales
            V, slopes = self._free_directions(self.problem, self.test, u)
            system = np.vstack([slopes, start.tangent @ V])
            wanted = np.array([-self.test(u), s - start.tangent @ ((u - start.u) / self.scales)])
            c = np.linalg.solve(system, wanted)
            u = u + V @ c * self.scales
            size = float(max(np.max(np.abs(c)), np.max(np.abs(F))))
            if not np.isfinite(size) or size > 10:
                break
            if size < 1e-10 or (size < 1e-7 and size > 0.3 * before):
                return u, iteration + 1
            before = size
        raise NoConvergence("the special point was not found again")

    def _test(self, problem: OrbitProblem, u: Floats) -> Test:
        """The function that is zero where the special point is what it is, regular near u."""
        kind = self.point.kind
        if kind == FLIP:
            return lambda u: float(_nearest(problem.multipliers(problem.solved(u)), -1).real) + 1
        if kind == TORUS:
            return lambda u: float(np.abs(_on_circle(problem.multipliers(problem.solved(u))))) - 1
        if kind == FOLD:
            return self._singularity(problem, u)
        key = self.point.margin
        if key is None or kind == BRANCH_POINT:
            raise OrbitError(f"a {kind} cannot be followed in two parameters")
        return lambda u: margins(phases_of(problem), problem.solved(u), key).get(key, np.nan)

    def _singularity(self, problem: OrbitProblem, at: Floats) -> Test:
        """Zero where the orbit's own equations are singular: the last entry of a bordered solution."""
        inner, scales = self.scales[:-2], self.scales

        def own(u: Floats) -> Floats:
            return np.asarray(problem.residual(u)[1][:, : len(inner)] * scales[:-2], float)

        left, _, right = np.linalg.svd(own(at))
        b, c = left[:, -1], right[-1]

        def value(u: Floats) -> float:
            J = own(u)
            bordered = np.block([[J, b[:, None]], [c[None, :], np.zeros((1, 1))]])
            return float(np.linalg.solve(bordered, np.append(np.zeros(len(J)), 1.0))[-1])

        return value


def _nearest(values: Complexes, to: complex) -> complex:
    return complex(values[int(np.argmin(np.abs(values - to)))])


def _on_circle(values: Complexes) -> complex:
    """Of the complex multipliers, the one nearest to the unit circle."""
    complexes = values[np.abs(values.imag) > 1e-9]
    return complex(complexes[int(np.argmin(np.abs(np.abs(complexes) - 1)))]) if len(complexes) else np.nan


def follow_in_two(
    point: SpecialPoint, parameters: Sequence[str], to: float, step: float, most: int, progress: Progress
) -> Branch:
    """The curve of a special point; the first parameter goes to `to`, the second follows."""
    stepped, solved_for = parameters
    if stepped == solved_for:
        raise OrbitError(f"two different parameters are needed, not {stepped!r} twice")
    return Curve(point, solved_for, Way(stepped, (to, to), step, most, progress)).branch()
