"""One walk along a branch of orbits: step by step, noting what happens, until it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.bifurcations import bifurcations
from stickslip.branches.births import Newborn, birth, vanishing
from stickslip.branches.branch import Branch
from stickslip.branches.changes import Change, becoming, begins_at, first_change, seen_back
from stickslip.branches.critical import HOPF
from stickslip.branches.margins import FLIP, LOSS
from stickslip.branches.neighbours import neighbours
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import FAILURES, Point, Step, Unresolved, point_at
from stickslip.errors import ModelError
from stickslip.orbits import exact
from stickslip.orbits.arclength import Place, corrected, is_one_of_many, place
from stickslip.orbits.crossings import Crossing, ahead, crossing
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.problems import problem_of

Floats = NDArray[np.float64]
FIRST, LONGEST, SHORTEST = 0.01, 0.03, 1e-7
"""Lengths of steps: a step of 1 is the whole range of the parameter, or a change of the orbit by its own size."""

STRAIGHT = 0.9
"""The cosine of the largest angle by which a path may turn in one step: beyond, it may be another path."""

OBLIQUE = 0.3
"""How much more slowly an orbit without events may pass through its section after a step than before."""

ONWARD = (1e-4, 1e-3, 1e-5, 1e-6, 1e-7, 1e-2)
"""How far beyond a change of signature the branch is taken up again."""

SOLVED = 1e-4
"""How well an orbit solves the equations of a neighbouring signature that has it, too. A place where a phase loses its
length is known to this."""

STANDING = 1e-13
"""A parameter that changes by less than this part of its range stands still."""

ASIDE = (0.01, 0.003, 0.03, 1e-3, 3e-4, 1e-4)
"""How far from a bifurcation the branch that begins there is taken up."""

Following = tuple[Any, Floats, Floats]
"""A branch to be followed: its equations, a solution of them, and the direction in which to go."""


class Walk:
    """A branch in the making. `bounds` are where it is to go, and where it must not go on the other side; both are
    where it is to go if it is wanted `between` them."""

    def __init__(
        self,
        first: Orbit,
        parameter: str,
        bounds: tuple[float, float],
        longest: float,
        most: int,
        progress: Callable[[float, int], None],
        between: bool = False,
    ) -> None:
        self.first, self.parameter, self.bounds = first, parameter, bounds
        self.turned = Outcome.REACHED if between else Outcome.RETURNED
        self.longest, self.most, self.progress = longest, most, progress
        self.number = list(first.model.parameters).index(parameter)
        self.range = abs(bounds[0] - float(first.model.parameters[parameter]))
        self.points: list[Orbit] = []
        self.special: list[SpecialPoint] = []
        self.extremes: list[Floats] = []
        self.evaluations = 0
        self.problem: Any = None
        self.ds = min(FIRST, longest)
        self.newborn: Newborn | None = None

    def branch(self, point: SpecialPoint | None = None, side: float = 0.0) -> Branch:
        """Walk from the first orbit, or onto the branch that bifurcates at a special point.

        `side` is one of the two sides of a branch point; by default the one nearer to where the walk is to go.
        """
        try:
            if self.newborn is not None:
                ending = self._grow_up(self.newborn)
            elif point is not None:
                ending = self._switch(point, side)
            else:
                way = self.bounds[0] - float(self.first.model.parameters[self.parameter])
                ending = self._go_on(self._facing(self.first, way))
            ending = ending or self._go()
        except KeyboardInterrupt:
            if not self.points:
                raise
            ending = self._end(Outcome.INTERRUPTED, self.points[-1].model.parameters[self.parameter])
        self.evaluations += self.problem.evaluations
        del self.points[len(self.extremes) :]  # one whose extremes the interruption kept from being known
        extremes = np.array(self.extremes).reshape(len(self.points), 2, len(self.first.model.states))
        return Branch(self.parameter, tuple(self.points), tuple(self.special), (ending,), extremes, self.evaluations)

    def from_birth(self, newborn: Newborn) -> Branch:
        """Walk along the orbits that are born at a Hopf point."""
        self.newborn = newborn
        return self.branch()

    def _end(self, outcome: Outcome, value: float, **known: Any) -> Ending:
        return outcome.at(self.parameter, float(value), **known)

    # -- going along -----------------------------------------------------------------------------------------------

    def _go(self) -> Ending:
        while len(self.points) < self.most:
            length = self.ds
            try:
                step, iterations = self._advance(length)
                growth = 1.5 if iterations <= 4 else 1.0 if iterations <= 6 else 0.6
                self.ds = min(self.longest, length * growth)
                ended = self._accept(step)
            except FAILURES as failure:
                self.ds = 0.5 * length
                ended = self._stuck(failure)
            if ended:
                return ended
        return self._end(Outcome.LIMITED, self.here.u[-1], count=self.most)

    def _stuck(self, failure: Exception) -> Ending | None:
        """A reason to stop where steps have become too short; nothing where shorter ones may help."""
        value = self.here.u[-1]
        if isinstance(failure, ModelError) and self.ds < 1e-2:  # a value that the model does not allow
            return self._end(Outcome.REFUSED, value, why=failure)
        if self.ds >= SHORTEST or self._vanish():
            return None
        why = str(failure) if isinstance(failure, Unresolved) else "Newton's method does not converge beyond"
        advice = "Look at the last orbit; try a smaller step=, or start from an orbit on the other side."
        return self._end(Outcome.STALLED, value, why=why, advice=advice)

    def _facing(self, orbit: Orbit, sign: float) -> Following:
        """The branch through an orbit, in the direction in which the parameter changes by `sign`."""
        if self.problem is not None:
            self.evaluations += self.problem.evaluations
        problem, u = problem_of(orbit, [self.number])
        direction = _tangent(problem, u)
        return problem, u, direction if direction[-1] * sign >= 0 else -direction

    def _stand(self, problem: Any, u: Floats, direction: Floats) -> None:
        """Stand on a solution of some equations, facing in a direction, and measure in the sizes of the orbit there."""
        self.problem, self.scales = problem, self._scales(problem, u)
        self.here = point_at(problem, u, self.scales, problem.slid(u, direction) / self.scales)

    def _scales(self, problem: Any, u: Floats) -> Floats:
        """The sizes in which a step is measured: an orbit of many phases counts no more than one of few."""
        scales: Floats = problem.scales(u) * np.sqrt(problem.phases)
        scales[-1] = self.range
        return scales

    def _advance(self, ds: float) -> tuple[Step, int]:
        """A step of the length ds, and how many iterations it took."""
        here = self.here.place
        predicted = here.u + ds * here.tangent * self.scales
        try:
            u, iterations = corrected(self.problem, here, ds, predicted, self.scales)
        except ModelError:
            self._check_allowed(predicted)
            raise
        self._check_allowed(u)
        there = point_at(self.problem, u, self.scales, here.tangent)
        far = float(np.linalg.norm((u - predicted) / self.scales)) >= 2 * ds
        if far or float(there.place.tangent @ here.tangent) < STRAIGHT:
            raise Unresolved("the path turns too much in this step, or it is another one")
        return Step(self.problem, self.scales, self.here, there), iterations

    def _check_allowed(self, u: Floats) -> None:
        """Refuse a value of the parameter in the words of the model."""
        self.first.model.with_({self.parameter: float(u[-1])})

    def _keep(self, solved: Any) -> None:
        orbit, extremes = self.problem.orbit(solved), self._extremes(solved)
        self.points.append(orbit)
        self.extremes.append(extremes)
        self.progress(float(solved.parameters[self.number]), len(self.points))

    def _extremes(self, solved: Any, problem: Any = None) -> Floats:
        """Extremes of an orbit; unknown where a phase cannot be sampled, which is no reason to lose the orbit."""
        try:
            return np.asarray((problem or self.problem).extremes(solved), float)
        except FAILURES:
            return np.full((2, len(self.first.model.states)), np.nan)

    def _accept(self, step: Step) -> Ending | None:
        """Stand at the end of a step, having noted what happened on the way; a reason to stop, or nothing."""
        step, arrived = self._bounded(step)
        vanished = vanishing(step)
        if vanished is not None:
            return self._born(step, vanished)
        if not self.problem.passage(step.there.solved) > OBLIQUE * self.problem.passage(step.here.solved):
            raise Unresolved("the section no longer lies across the orbit")
        hidden = step.hidden()
        if hidden is not None:
            step, arrived = replace(step, there=hidden), None
        if self.problem.fault(step.there.solved):
            return self._discontinuity(step)
        ended = self._note(step)
        if ended:
            return ended
        self._keep(step.there.solved)
        problem = self.problem.moved(step.there.u).grown(np.ptp(self.extremes[-1], axis=0))
        self._stand(problem, step.there.u, step.there.place.tangent * self.scales)
        return arrived or self._ended()

    def _ended(self) -> Ending | None:
        """Whether the branch ends with its last orbit: it is closed, or the orbit has shrunk away."""
        value = self.here.u[-1]
        if self._closes():
            return self._end(Outcome.CLOSED, self.points[0].model.parameters[self.parameter])
        if self.points[-1].period < 1e-9 * self.points[0].period:
            return self._end(Outcome.SHORT, value)
        # An orbit whose extremes are not known has not shrunk.
        if np.all(np.ptp(self.extremes[-1], axis=0) <= 1e-7 * np.ptp(self.extremes[0], axis=0)):
            return self._end(Outcome.SHRUNK, value)
        return None

    def _bounded(self, step: Step) -> tuple[Step, Ending | None]:
        """A step that does not go beyond a bound, and the reason to stop there where it ends at one."""
        for bound, outcome in zip(self.bounds, (Outcome.REACHED, self.turned), strict=True):
            before, after = (float(point.u[-1]) - bound for point in (step.here, step.there))
            if before == 0 or before * after > 0:
                continue
            u = step.root(partial(_beyond, bound), (before, after)) if after else step.there.u
            if u is None:
                raise Unresolved("the bound was not found within the step")
            there = step.at(np.append(u[:-1], bound))
            return replace(step, there=there), self._end(outcome, bound)
        return step, None

    def _closes(self) -> bool:
        """Whether the first orbit lies between the last two, wherever its phases are counted from."""
        if len(self.points) < 6:
            return False
        first, last, orbit = self.points[0].signature, self.points[-2].signature, self.points[-1].signature
        if last != orbit or len(first) != len(orbit):
            return False
        before, after = self._shape(-2), self._shape(-1)
        length = float(np.linalg.norm(after - before))
        for shift in range(len(first)):
            if first.rotated(shift) != orbit:
                continue
            start = self._shape(0, shift)
            near = max(float(np.linalg.norm(x - start)) for x in (before, after)) < 1.5 * length
            if near and float((before - start) @ (after - start)) < 0:
                return True
        return False

    def _shape(self, number: int, shift: int = 0) -> Floats:
        """An orbit and its parameter as numbers of comparable size; the time at which it begins does not count."""
        orbit, phases, scale = self.points[number], self.points[number].phases, self.points[-1].phases.scale
        value = float(orbit.model.parameters[self.parameter]) / self.range
        if self.problem.is_cut:  # anywhere
            size = orbit.period / self.points[0].period
            return np.concatenate([(self.extremes[number] / scale).ravel(), [size, value]])
        states, durations = np.roll(phases.states / scale, -shift, axis=0), np.roll(phases.durations, -shift)
        return np.concatenate([states.ravel(), durations / orbit.period, [value]])

    # -- bifurcations ----------------------------------------------------------------------------------------------

    def _note(self, step: Step, at_end: bool = True) -> Ending | None:
        """Note the bifurcations within a step; a reason to stop where the branch ends in one.

        Where something else happens at the end, what happens just there is not counted: the path that is no longer
        possible turns back where a phase grazes.
        """
        merged = self._halved(step)
        if merged is not None:
            return self._merged(merged)
        found = [item for item in bifurcations(step) if at_end or item.distance < step.length - 1e-5]
        special = []
        for item in found:
            known = None if item.tangent is None else self.problem.turned(item.tangent * self.scales)
            margin = None if known is None else tuple(map(float, known))
            special.append(self._special(item.kind, self.problem.solved(item.u), item.note, margin))
        self.special += special
        half = self.problem.shorter(step.there.solved)
        return None if half is None else self._merged(half)

    def _special(self, kind: str, solved: Any, note: str = "", margin: Any = None, problem: Any = None) -> SpecialPoint:
        """A special point at a solution of the present equations, or of others."""
        value = float(solved.parameters[self.number])
        orbit, extremes = (problem or self.problem).orbit(solved), self._extremes(solved, problem)
        return SpecialPoint(kind, self.parameter, value, orbit, note, margin, extremes, len(self.points))

    def _born(self, step: Step, vanished: Floats) -> Ending:
        """The branch ends where the orbit is born from an equilibrium."""
        found = birth(step, vanished, self.parameter)
        if found is None:
            raise Unresolved("the orbit has shrunk, but the equilibrium was not found")
        orbit, hopf = found.orbit, found.hopf
        value, extremes = float(orbit.model.parameters[self.parameter]), np.array([orbit.state, orbit.state])
        numbers = {"l1": hopf.l1, "omega": hopf.omega}
        self.special.append(
            SpecialPoint(HOPF, self.parameter, value, orbit, str(hopf), None, extremes, len(self.points), numbers)
        )
        self.points.append(orbit)
        self.extremes.append(extremes)
        return self._end(Outcome.BORN, value, criticality=hopf.criticality)

    def _halved(self, step: Step) -> Orbit | None:
        """The orbit of half the period through which the branch passes: there its two halves exchange their parts."""
        old, new = (self.problem.split(point.solved) for point in (step.here, step.there))
        if old is None or new is None or float(old @ new) >= 0:
            return None

        def value(u: Floats) -> float:
            return float(old @ self.problem.split(self.problem.solved(u)))

        u = step.root(value, (float(old @ old), float(old @ new)))
        if u is None:
            return None
        at = self.problem.solved(u)
        near = float(np.linalg.norm(self.problem.split(at))) < 1e-3 * float(np.linalg.norm(old))
        half: Orbit | None = self.problem.shorter(at, loosely=True) if near else None
        return half

    def _merged(self, half: Orbit) -> Ending:
        """The branch has met that of an orbit with a shorter period: find the flip where it does."""
        value = float(half.model.parameters[self.parameter])
        flips: list[SpecialPoint] = []
        for end in (value + 0.2 * self.range, value - 0.2 * self.range):
            walk = Walk(half, self.parameter, (end, 2 * value - end), self.longest, 60, lambda value, count: None)
            flips += walk.branch().of_kind(FLIP)
        near = [flip for flip in flips if abs(flip.value - value) < 3 * self.longest * self.range]
        if not near:
            return self._end(Outcome.MERGED, value, period=half.period)
        flip = min(near, key=lambda point: abs(point.value - value))
        note = "the branch ends here on that of a shorter period"
        self.special.append(replace(flip, note=note, after=len(self.points)))
        return self._end(Outcome.FLIPPED, flip.value, period=flip.orbit.period)

    # -- changes of signature --------------------------------------------------------------------------------------

    def _discontinuity(self, step: Step) -> Ending | None:
        """Within a step the phases cease to be possible: say where and why, and go on with others; a reason to stop
        where there are none."""
        change = first_change(step)
        before = replace(step, there=change.point)
        self._check_first(before)
        ended = self._note(before, at_end=False)
        if ended:
            return ended
        following = self._beside(change) or self._onward(change.point)
        if following is None:
            self.special.append(self._change(change, "the orbit ceases to exist"))
            self._keep(change.point.solved)
            return self._end(Outcome.CEASED, self.special[-1].value, kind=change.kind)
        note = becoming(self.problem.signature, following[0].signature)
        if following[0].phases < self.problem.phases and not self._is_one_of_many(*following):
            change = seen_back(following[0], self._scales(*following[:2]), *following[1:]) or change
        self.special.append(self._change(change, note))
        if self._was_here_before():
            return self._end(Outcome.REPEATED, self.special[-1].value, kind=change.kind)
        return self._go_on(following)

    def _change(self, change: Change, note: str) -> SpecialPoint:
        """A change of signature as a special point."""
        return self._special(change.kind, change.point.solved, note, change.margin, change.problem)

    def _go_on(self, following: Following) -> Ending | None:
        """Begin, or go on with another signature; a reason to stop where that is no branch."""
        self._stand(*following)
        self._keep(self.here.solved)
        self.ds = min(FIRST, self.longest)
        if self._is_one_of_many(*following):
            return self._end(Outcome.MANY, self.here.u[-1])
        return self._ended()

    def _is_one_of_many(self, problem: Any, u: Floats, direction: Floats) -> bool:
        """Whether the orbits with one value of the parameter are a family."""
        scales = self._scales(problem, u)
        return is_one_of_many(problem, place(problem, u, scales, problem.slid(u, direction) / scales), scales)

    def _check_first(self, step: Step) -> None:
        """Refuse a step at whose end something happens, where the phases were impossible before: that came first."""
        if step.length > 100 * SHORTEST and self.problem.fault(step.between(0.99 * step.length).solved):
            raise Unresolved("something else happens before")

    def _was_here_before(self) -> bool:
        """Whether the last special point was met before in the same direction: the branch goes round in circles."""
        last = self.special[-1]
        return any(
            point.kind == last.kind
            and point.note == last.note
            and abs(point.value - last.value) < 1e-9 * self.range
            and abs(point.orbit.period - last.orbit.period) < 1e-7 * last.orbit.period
            for point in self.special[:-1]
        )

    def _beside(self, change: Change) -> Following | None:
        """A step along the branch of a neighbouring signature that passes through this orbit."""
        for problem, u in neighbours(self.problem, change.point.solved, change.margin):
            scales = self._scales(problem, u)
            try:
                start = place(problem, u, scales, None)
                if np.max(np.abs(problem.residual(u)[0])) > SOLVED:
                    continue  # where friction jumps at rest, a stick of no length does not end again
            except FAILURES:
                continue
            for part in ONWARD:
                for sign in (1.0, -1.0):
                    try:
                        guess = u + sign * part * start.tangent * scales
                        there = corrected(problem, start, sign * part, guess, scales)[0]
                        # Where slip neither gains nor loses energy, its orbits exist for one value alone.
                        leads = abs(there[-1] - u[-1]) > STANDING * self.range
                        if leads and not problem.fault(problem.solved(there)):
                            return problem.moved(there), there, there - u
                    except FAILURES:
                        continue
        return None

    def _vanish(self) -> bool:
        """Go on without a phase whose length is nearly gone, if that is possible.

        A slip that begins and ends at rest loses its length so that its own equations become singular. Seen from the
        signature without it, the same point is regular: there a stick just touches its limit.
        """
        if not isinstance(self.problem, exact.PhaseProblem):
            return False
        before = self.problem.signature
        for problem, u in neighbours(self.problem, self.here.solved, (LOSS, -1, -1, 0)):
            scales = self._scales(problem, u)
            for part in ONWARD:
                try:
                    start = place(problem, u, scales, None)
                    ends = [corrected(problem, start, s, u, scales)[0] for s in (part, -part)]
                    faults = [bool(problem.fault(problem.solved(end))) for end in ends]
                except FAILURES:
                    continue
                if faults[0] == faults[1]:
                    continue
                good, bad = (ends[1], ends[0]) if faults[0] else (ends[0], ends[1])
                change = seen_back(problem, scales, good, 0.5 * (good - bad))
                if change is not None:
                    self.special.append(self._change(change, becoming(before, problem.signature)))
                self._stand(problem.moved(good), good, good - bad)
                self._keep(self.here.solved)
                self.ds = min(FIRST, self.longest)
                return True
        return False

    def _onward(self, there: Point) -> Following | None:
        """The branch of an orbit with another signature that begins here, found by simulation."""
        problem, solved = self.problem, there.solved
        for near, side in self._near(there):
            motion = problem.motion.with_parameters(near.parameters)
            try:
                pieces = exact.resimulated(problem, near, motion)
                if pieces is None:
                    continue
                orbit = exact.solve(motion, pieces, problem.state_scale, problem.turns, problem.forcing, problem.rounds)
            except FAILURES:
                continue
            if not orbit.signature.same_as(problem.signature) and begins_at(orbit, problem, solved, self.number):
                return self._facing(orbit, side)
        return None

    def _near(self, there: Point) -> Iterator[tuple[Any, float]]:
        """Where the next signature is looked for: a little beyond, on the path that is no longer possible; then at the
        same states with the parameter changed a little, both ways. With each the direction to go on in."""
        at, solved = there.place, there.solved
        onward = 1.0 if at.slope >= 0 else -1.0
        for part in ONWARD:
            try:
                guess = at.u + part * at.tangent * self.scales
                yield self.problem.solved(corrected(self.problem, at, part, guess, self.scales)[0]), onward
            except FAILURES:
                continue
        for side in (onward, -onward):
            for part in ONWARD:
                parameters = solved.parameters.copy()
                parameters[self.number] += side * part * self.range
                yield replace(solved, parameters=parameters), side

    # -- branch switching ------------------------------------------------------------------------------------------

    def _grow_up(self, newborn: Newborn) -> Ending | None:
        """Stand on the first orbit of those born at a Hopf point, with the one without extent behind."""
        self.problem = newborn.problem
        self.points.append(self.first)
        self.extremes.append(np.array([self.first.state, self.first.state]))
        u = newborn.first(self._scales(newborn.problem, newborn.u))
        if u is None:
            return self._end(Outcome.ABSENT, newborn.u[-1], kind=HOPF)
        self._stand(self.problem.moved(u), u, u - newborn.u)
        self._keep(self.here.solved)
        return None

    def _switch(self, point: SpecialPoint, side: float) -> Ending | None:
        """Stand on the branch that bifurcates at a flip or branch point; a reason where there is none."""
        single, u = problem_of(point.orbit, [self.number])
        times = 2 if point.kind == FLIP else 1
        self.problem, repeated = single.repeated(u, times)
        self.scales = self._scales(self.problem, repeated)
        known = _tangent(single, u) if point.kind == FLIP else point.margin
        try:
            met = crossing(self.problem, repeated, self.scales)
        except FAILURES:
            met = None
        if met is not None and known is not None:
            direction = met.across(single.tiled(np.array(known, float), times) / self.scales)
            direction = ahead(direction, side or np.sign(self.bounds[0] - point.value))
            if any(self._step_aside(met, d, times) for d in ((direction,) if side else (direction, -direction))):
                return None
        return self._end(Outcome.ABSENT, point.value, kind=point.kind)

    def _step_aside(self, met: Crossing, direction: Floats, times: int) -> bool:
        """Stand beside a bifurcation, on the branch that begins there; a branch point belongs to both."""
        for size in ASIDE:
            try:
                guess = met.u + size * direction * self.scales
                there = corrected(self.problem, Place(met.u, direction), size, guess, self.scales)[0]
                solved = self.problem.solved(there)
                same = times > 1 and self.problem.shorter(solved) is not None
                if same or not met.leads((there - met.u) / self.scales, direction) or self.problem.fault(solved):
                    continue
            except FAILURES:
                continue
            if times == 1:
                self._keep(self.problem.solved(met.u))
            self._stand(self.problem.moved(there), there, there - met.u)
            self._keep(self.here.solved)
            return True
        return False


def _beyond(bound: float, u: Floats) -> float:
    return float(u[-1]) - bound


def _tangent(problem: Any, u: Floats) -> Floats:
    """The direction of the branch through an orbit."""
    scales: Floats = problem.scales(u)
    return place(problem, u, scales, None).tangent * scales
