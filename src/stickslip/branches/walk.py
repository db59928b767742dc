"""One walk along a branch: step by step, noting what happens, until it ends.

For developers: a walk takes any equations that are a `Path`. What is followed says in a class of its own where it
begins (`_begin`), what a point of it is (`_point`, `_scales`) and what happens on a step (`_accept`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Generic

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.branch import Branch, joined
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import FAILURES, PathT, Point, PointT, Step, Unresolved
from stickslip.branches.way import Way
from stickslip.errors import ModelError
from stickslip.orbits.arclength import Path, Place, corrected
from stickslip.orbits.crossings import Crossing, ahead, crossing
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.orbit import Orbit

FIRST, LONGEST, SHORTEST = 0.01, 0.03, 1e-7
"""Lengths of steps: a step of 1 is the whole range of the parameter, or a change of a solution by its own size."""

STRAIGHT = 0.9
"""The cosine of the largest angle by which a path may turn in one step: beyond, it may be another path."""

ASIDE = (0.01, 0.003, 0.03, 1e-3, 3e-4, 1e-4)
"""How far from a bifurcation the branch that begins there is taken up."""


Watcher = Callable[[Any, Floats], None]
"""Told of a point of a branch, and of the smallest and the largest value of every state there."""


def _nobody(point: Any, extremes: Floats) -> None:
    """Nobody watches."""


_watcher: ContextVar[Watcher] = ContextVar("stickslip_branch_watcher", default=_nobody)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Within this, `watcher` is told of every point of a branch as soon as it is found.

    >>> import stickslip as ss
    >>> periods = []
    >>> with watching(lambda orbit, extremes: periods.append(orbit.period)):
    ...     branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=4.2)
    >>> periods == branch.periods.tolist()
    True
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


class Walk(ABC):
    """A branch in the making: how it goes on step by step, and what it keeps."""

    problem: Path
    here: Point

    word = "branch"
    shortest = SHORTEST
    """The step below which the walk has come to a halt."""

    edge = 1e-2
    """The step below which a value that the model does not allow ends the walk."""

    advice: str
    """What can be done about a walk that has come to a halt."""

    def __init__(self, start: Orbit | Equilibrium, way: Way) -> None:
        self.model, self.way, self.parameter = start.model, way, way.parameter
        self.range = abs(way.bounds[0] - float(start.model.parameters[way.parameter]))
        self.points: list[Any] = []
        self.special: list[SpecialPoint] = []
        self.extremes: list[Floats] = []
        self.evaluations = 0
        self.ds = min(FIRST, way.longest)

    def branch(self) -> Branch:
        """Walk from the start until something ends the branch."""
        try:
            ending = self._begin() or self._go()
        except KeyboardInterrupt:
            if not self.points:
                raise
            ending = self._end(Outcome.INTERRUPTED, self.points[-1].model.parameters[self.parameter])
        self.evaluations += self.problem.evaluations
        del self.points[len(self.extremes) :]  # one whose extremes the interruption kept from being known
        extremes = np.array(self.extremes).reshape(len(self.points), 2, len(self.model.states))
        return Branch(self.parameter, tuple(self.points), tuple(self.special), (ending,), extremes, self.evaluations)

    @abstractmethod
    def _begin(self) -> Ending | None:
        """Stand on the first point, and keep it; a reason to stop where that is no branch."""

    @abstractmethod
    def _advance(self, ds: float) -> tuple[Any, int]:
        """A step of the length ds, and how many iterations it took."""

    @abstractmethod
    def _accept(self, step: Any) -> Ending | None:
        """Stand at the end of a step, having noted what happened on the way; a reason to stop, or nothing."""

    def _passes(self) -> bool:
        """Whether the walk could go on in another way, where steps have shrunk to nothing."""
        return False

    def _growth(self, iterations: int) -> float:
        """How much longer the next step may be."""
        return 1.5 if iterations <= 4 else 1.0 if iterations <= 6 else 0.6

    def _end(self, outcome: Outcome, value: float, **known: Any) -> Ending:
        return outcome.at(self.parameter, float(value), self.word, **known)

    def _append(self, what: Orbit | Equilibrium, extremes: Floats) -> None:
        """A point more, with the smallest and the largest value of every state."""
        self.points.append(what)
        self.extremes.append(extremes)
        _watcher.get()(what, extremes)

    def _tell(self) -> None:
        """Tell the user of the last point."""
        self.way.progress(float(self.points[-1].model.parameters[self.parameter]), len(self.points))

    def _go(self) -> Ending:
        while len(self.points) < self.way.most:
            length = self.ds
            try:
                step, iterations = self._advance(length)
                self.ds = min(self.way.longest, length * self._growth(iterations))
                ended = self._accept(step)
            except FAILURES as failure:
                self.ds = 0.5 * length
                ended = self._stuck(failure)
            if ended:
                return ended
        return self._end(Outcome.LIMITED, self.here.u[-1], count=self.way.most)

    def _stuck(self, failure: Exception) -> Ending | None:
        """A reason to stop where steps have become too short; nothing where shorter ones may help."""
        value = self.here.u[-1]
        if isinstance(failure, ModelError) and self.ds < self.edge:  # a value that the model does not allow
            return self._end(Outcome.REFUSED, value, why=failure)
        if self.ds >= self.shortest or self._passes():
            return None
        why = str(failure) if isinstance(failure, Unresolved) else "Newton's method does not converge beyond"
        return self._end(Outcome.STALLED, value, why=why, advice=self.advice)


class ArclengthWalk(Walk, Generic[PathT, PointT]):
    """A walk along the solutions of equations with one unknown more than they have, by pseudo-arclength."""

    problem: PathT
    here: PointT
    scales: Floats

    @abstractmethod
    def _point(self, problem: PathT, u: Floats, scales: Floats, along: Floats | None) -> PointT:
        """The point with these unknowns, its tangent oriented along a given one."""

    @abstractmethod
    def _step(self, there: PointT) -> Step[PathT, PointT]:
        """The step from here to there."""

    @abstractmethod
    def _scales(self, problem: PathT, u: Floats) -> Floats:
        """The sizes in which a step is measured; that of the parameter is the range."""

    @abstractmethod
    def _check_allowed(self, u: Floats) -> None:
        """Refuse values of the parameters in the words of the model."""

    @abstractmethod
    def _is_another(self, u: Floats) -> bool:
        """Whether a solution beside a bifurcation is one of the branch that begins there."""

    @abstractmethod
    def _take_up(self, met: Crossing, u: Floats) -> None:
        """Stand on that solution."""

    # -- going along -----------------------------------------------------------------------------------------------

    def _stand(self, problem: PathT, u: Floats, direction: Floats) -> None:
        """Stand on a solution of some equations, facing in a direction, and measure in the sizes that it has."""
        self.problem, self.scales = problem, self._scales(problem, u)
        self.here = self._point(problem, u, self.scales, problem.slid(u, direction) / self.scales)

    def _advance(self, ds: float) -> tuple[Step[PathT, PointT], int]:
        here = self.here.place
        predicted = here.u + ds * here.tangent * self.scales
        try:
            u, iterations = corrected(self.problem, here, ds, predicted, self.scales)
        except ModelError:
            self._check_allowed(predicted)
            raise
        self._check_allowed(u)
        there = self._point(self.problem, u, self.scales, here.tangent)
        if not is_straight((u - here.u) / self.scales, here.tangent, there.place.tangent, ds):
            raise Unresolved("the path turns too much in this step, or it is another one")
        return self._step(there), iterations

    def _bounded(self, step: Step[PathT, PointT]) -> tuple[Any, Ending | None]:
        """A step that does not go beyond a bound, and the reason to stop there where it ends at one."""
        turned = Outcome.REACHED if self.way.between else Outcome.RETURNED
        for bound, outcome in zip(self.way.bounds, (Outcome.REACHED, turned), strict=True):
            before, after = (float(point.u[-1]) - bound for point in (step.here, step.there))
            if before == 0 or before * after > 0:
                continue
            u = step.root(partial(_beyond, bound), (before, after)) if after else step.there.u
            if u is None:
                raise Unresolved("the bound was not found within the step")
            there = self._point(self.problem, np.append(u[:-1], bound), self.scales, step.here.place.tangent)
            return step.until(there), self._end(outcome, bound)
        return step, None

    # -- branch switching ------------------------------------------------------------------------------------------

    def _cross(self, point: SpecialPoint, u: Floats, known: Floats | None, side: float = 0.0) -> Ending | None:
        """Stand on the branch that crosses at a point the one whose direction is known; a reason where there is none.

        `side` is one of the two sides of the point; by default the one nearer to where the walk is to go is tried
        before the other.
        """
        try:
            met = crossing(self.problem, u, self.scales)
        except FAILURES:
            met = None
        if met is not None and known is not None:
            direction = ahead(met.across(known / self.scales), side or np.sign(self.way.bounds[0] - point.value))
            if any(self._step_aside(met, d) for d in ((direction,) if side else (direction, -direction))):
                return None
        return Outcome.ABSENT.at(point.parameter, point.value, kind=point.kind)

    def _step_aside(self, met: Crossing, direction: Floats) -> bool:
        """Stand beside a crossing, in a direction."""
        for size in ASIDE:
            guess = met.u + size * direction * self.scales
            try:
                u = corrected(self.problem, Place(met.u, direction), size, guess, self.scales)[0]
                if not met.leads((u - met.u) / self.scales, direction) or not self._is_another(u):
                    continue
            except FAILURES:
                continue
            self._take_up(met, u)
            return True
        return False


def both_ways(walks: Sequence[Walk]) -> Branch:
    """The branch of one walk, or of two from the same point in opposite directions."""
    first = walks[0].branch()
    if len(walks) == 1 or first.interrupted or any(ending.outcome is Outcome.CLOSED for ending in first.endings):
        return first
    try:
        second = walks[1].branch()
    except KeyboardInterrupt:  # before it had a point
        if not len(first):
            raise
        return joined(first, None)
    return joined(first, second) if len(first) and len(second) else max(first, second, key=len)


def is_straight(step: Floats, before: Floats, after: Floats, length: float) -> bool:
    """Whether a step of about a length, with unit tangents before and after it, is one along a path that hardly turns.

    All three directions are nearly the same then. Where two parts of a path lie side by side, a step from one to the
    other goes across both.
    """
    size = float(np.linalg.norm(step))
    pairs = ((before, after), (before, step / size), (after, step / size)) if size else ()
    return 0 < size < 3 * length and all(float(one @ other) > STRAIGHT for one, other in pairs)


def _beyond(bound: float, u: Floats) -> float:
    return float(u[-1]) - bound
