"""A special point followed in two parameters: the curve on which it stays what it is.

The equations of the orbit leave two directions free when two parameters are; the test function of the special point and
the length of the step settle them. Only the derivatives of the test function along these two directions are needed, and
they are taken by differences; the orbit itself is solved with its exact derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.branch import Branch
from stickslip.branches.margins import BRANCH_POINT, FLIP, FOLD, TORUS, margins
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import FAILURES
from stickslip.branches.walk import FIRST, SHORTEST
from stickslip.errors import NoConvergence, OrbitError
from stickslip.orbits.newton import solve_linear
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.problems import problem_of

Floats = NDArray[np.float64]
Test = Callable[[Floats], float]
DIFFERENCE = 1e-5


class Curve:
    """A curve in the making: `stepped` goes to `to`, `solved_for` follows."""

    def __init__(
        self,
        point: SpecialPoint,
        stepped: str,
        solved_for: str,
        to: float,
        longest: float,
        most: int,
        progress: Callable[[float, int], None],
    ) -> None:
        names = list(point.orbit.model.parameters)
        self.point, self.names = point, (solved_for, stepped)
        self.numbers = [names.index(name) for name in self.names]
        self.to, self.longest, self.most, self.progress = to, longest, most, progress
        self.problem, self.u = problem_of(point.orbit, self.numbers)
        self.begin = float(point.orbit.model.parameters[stepped])
        self.scales = self.problem.scales(self.u) * np.sqrt(self.problem.phases)
        self.scales[-1] = abs(to - self.begin)
        self.scales[-2] = max(abs(self.u[-2]), 1e-3)
        self.points: list[Orbit] = []
        self.extremes: list[Floats] = []

    def branch(self) -> Branch:
        """Walk until the end."""
        try:
            ending = self._go()
        except KeyboardInterrupt:
            if not self.points:
                raise
            ending = self._end(Outcome.INTERRUPTED, self.u[-1])
        del self.points[len(self.extremes) :]  # one whose extremes the interruption kept from being known
        extremes = np.array(self.extremes).reshape(len(self.points), 2, -1)
        return Branch(self.names[1], tuple(self.points), (), (ending,), extremes, self.problem.evaluations)

    def _end(self, outcome: Outcome, value: float, **known: Any) -> Ending:
        return outcome.at(self.names[1], float(value), "curve", **known)

    def _go(self) -> Ending:
        self.test = self._test()
        ahead = np.zeros(len(self.u))
        ahead[-1] = np.sign(self.to - self.begin)
        self._stand(self._corrected(self.u, ahead, 0.0)[0], ahead)
        ds = min(FIRST, self.longest)
        while len(self.points) < self.most:
            try:
                u, iterations = self._corrected(self.u + ds * self.tangent * self.scales, self.tangent, ds)
                self._allowed(u)
            except FAILURES as failure:
                ds *= 0.5
                if ds < SHORTEST:
                    why = str(failure).rstrip(".")
                    return self._end(Outcome.STALLED, self.u[-1], why=why, advice="Try a smaller step=.")
                continue
            fault = self.problem.fault(self.problem.solved(u))
            if fault and self.point.kind in (FOLD, FLIP, TORUS):
                return self._end(Outcome.CHANGED, u[-1], why=fault)
            if (u[-1] - self.to) * (self.u[-1] - self.to) <= 0:
                self._arrive(u)
                return self._end(Outcome.REACHED, self.to)
            self._stand(u, self.tangent)
            ds = min(self.longest, ds * (1.5 if iterations <= 4 else 0.7))
        return self._end(Outcome.LIMITED, self.u[-1], count=self.most)

    def _allowed(self, u: Floats) -> None:
        self.point.orbit.model.with_({name: float(x) for name, x in zip(self.names, u[-2:], strict=True)})

    def _arrive(self, u: Floats) -> None:
        """The last point, at the wanted value exactly."""
        fraction = (self.to - self.u[-1]) / (u[-1] - self.u[-1])
        guess = self.u + fraction * (u - self.u)
        along = np.zeros(len(u))
        along[-1] = 1.0
        start, self.u = self.u, guess
        try:
            self._stand(self._corrected(guess, along, float(self.to - guess[-1]) / self.scales[-1])[0], along)
        except FAILURES:
            self.u = start
            self._stand(u, self.tangent)

    def _stand(self, u: Floats, along: Floats) -> None:
        self.problem = self.problem.moved(u)
        solved = self.problem.solved(u)
        self.u, self.test = u, self._test()
        V, slopes = self._free_directions(u)
        tangent = V @ np.array([-slopes[1], slopes[0]])
        tangent /= np.linalg.norm(tangent)
        ahead = self.problem.slid(u, along * self.scales) / self.scales
        self.tangent = tangent if tangent @ ahead >= 0 else -tangent
        orbit, extremes = self.problem.orbit(solved), self.problem.extremes(solved)
        self.points.append(orbit)
        self.extremes.append(extremes)
        self.progress(float(u[-1]), len(self.points))

    def _free_directions(self, u: Floats) -> tuple[Floats, Floats]:
        """The two directions along which the orbit stays an orbit, and the slopes of the test function along them."""
        _, J = self.problem.residual(u)
        V = np.linalg.svd(J * self.scales)[2][-2:].T
        return V, np.array([self._slope(u, V[:, i]) for i in range(2)])

    def _slope(self, u: Floats, direction: Floats) -> float:
        step = DIFFERENCE * direction * self.scales
        return (self.test(u + step) - self.test(u - step)) / (2 * DIFFERENCE)

    def _corrected(self, u: Floats, along: Floats, s: float) -> tuple[Floats, int]:
        """The point of the curve at the distance s from the present one, measured along a direction."""
        start = self.u
        before = np.inf
        for iteration in range(12):
            F, J = self.problem.residual(u)
            u = u - solve_linear(J * self.scales, F) * self.scales
            V, slopes = self._free_directions(u)
            system = np.vstack([slopes, along @ V])
            wanted = np.array([-self.test(u), s - along @ ((u - start) / self.scales)])
            c = np.linalg.solve(system, wanted)
            u = u + V @ c * self.scales
            size = float(max(np.max(np.abs(c)), np.max(np.abs(F))))
            if not np.isfinite(size) or size > 10:
                break
            if size < 1e-10 or (size < 1e-7 and size > 0.3 * before):
                return u, iteration + 1
            before = size
        raise NoConvergence("the special point was not found again")

    def _test(self) -> Test:
        """The function that is zero where the special point is what it is, regular near the present orbit."""
        problem, kind = self.problem, self.point.kind
        if kind == FLIP:
            return lambda u: float(_nearest(problem.multipliers(problem.solved(u)), -1).real) + 1
        if kind == TORUS:
            return lambda u: float(np.abs(_on_circle(problem.multipliers(problem.solved(u))))) - 1
        if kind == FOLD:
            return self._singularity()
        key = self.point.margin
        if key is None or kind == BRANCH_POINT:
            raise OrbitError(f"a {kind} cannot be followed in two parameters")
        return lambda u: margins(problem, problem.solved(u), key).get(key, np.nan)

    def _singularity(self) -> Test:
        """Zero where the orbit's own equations are singular: the last entry of a bordered solution."""
        inner, scales = self.scales[:-2], self.scales

        def own(u: Floats) -> Floats:
            return np.asarray(self.problem.residual(u)[1][:, : len(inner)] * scales[:-2], float)

        left, _, right = np.linalg.svd(own(self.u))
        b, c = left[:, -1], right[-1]

        def value(u: Floats) -> float:
            J = own(u)
            bordered = np.block([[J, b[:, None]], [c[None, :], np.zeros((1, 1))]])
            return float(np.linalg.solve(bordered, np.append(np.zeros(len(J)), 1.0))[-1])

        return value


def _nearest(values: NDArray[np.complex128], to: complex) -> complex:
    return complex(values[int(np.argmin(np.abs(values - to)))])


def _on_circle(values: NDArray[np.complex128]) -> complex:
    """Of the complex multipliers, the one nearest to the unit circle."""
    complexes = values[np.abs(values.imag) > 1e-9]
    return complex(complexes[int(np.argmin(np.abs(np.abs(complexes) - 1)))]) if len(complexes) else np.nan


def follow_in_two(
    point: SpecialPoint, parameters: Any, to: float, step: float, most: int, progress: Callable[[float, int], None]
) -> Branch:
    """The curve of a special point; the first parameter goes to `to`, the second follows."""
    stepped, solved_for = parameters
    if stepped == solved_for:
        raise OrbitError(f"two different parameters are needed, not {stepped!r} twice")
    return Curve(point, stepped, solved_for, to, step, most, progress).branch()
