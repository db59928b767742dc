"""Orbits followed along a parameter, through every change of the sequence of stick and slip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.bifurcations import bifurcations
from stickslip.branches.births import Newborn, birth, vanishing
from stickslip.branches.changes import Change, becoming, begins_at, first_change, phases_of, seen_back
from stickslip.branches.critical import HOPF
from stickslip.branches.margins import FLIP, LOSS
from stickslip.branches.neighbours import neighbours
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import FAILURES, OrbitPoint, OrbitStep, Unresolved, point_at
from stickslip.branches.walk import FIRST, SHORTEST, ArclengthWalk
from stickslip.branches.way import Way
from stickslip.orbits import exact
from stickslip.orbits.arclength import corrected, is_one_of_many, place
from stickslip.orbits.crossings import Crossing
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.problems import OrbitProblem, problem_of
from stickslip.orbits.signature import Mode, Signature

OBLIQUE = 0.3
"""How much more slowly an orbit without events may pass through its section after a step than before."""

ONWARD = (1e-4, 1e-3, 1e-5, 1e-6, 1e-7, 1e-2)
"""How far beyond a change of signature the branch is taken up again."""

SOLVED = 1e-4
"""How well an orbit solves the equations of a neighbouring signature that has it, too. A place where a phase loses its
length is known to this."""

STANDING = 1e-13
"""A parameter that changes by less than this part of its range stands still."""

Following = tuple[OrbitProblem, Floats, Floats]
"""A branch to be followed: its equations, a solution of them, and the direction in which to go."""


class OrbitWalk(ArclengthWalk[OrbitProblem, OrbitPoint]):
    """A branch of orbits in the making.

    It begins with an orbit; at a flip or a branch point, on the branch that bifurcates there; or with the orbits that
    are born at a Hopf point. `side` is one of the two sides of a branch point; by default the one nearer to where the
    walk is to go.
    """

    advice = "Look at the last orbit; try a smaller step=, or start from an orbit on the other side."

    def __init__(
        self,
        first: Orbit,
        way: Way,
        point: SpecialPoint | None = None,
        side: float = 0.0,
        newborn: Newborn | None = None,
    ) -> None:
        super().__init__(first, way)
        self.first, self.point, self.side, self.newborn = first, point, side, newborn
        self.number = list(first.model.parameters).index(way.parameter)
        self.times = 2 if point is not None and point.kind == FLIP else 1
        self.changes: list[tuple[SpecialPoint, tuple[tuple[Mode, ...], tuple[Mode, ...]]]] = []

    def _begin(self) -> Ending | None:
        if self.newborn is not None:
            return self._grow_up(self.newborn)
        if self.point is not None:
            return self._switch(self.point)
        way = self.way.bounds[0] - float(self.first.model.parameters[self.parameter])
        return self._go_on(self._facing(self.first, way))

    def _point(self, problem: OrbitProblem, u: Floats, scales: Floats, along: Floats | None) -> OrbitPoint:
        return point_at(problem, u, scales, along)

    def _step(self, there: OrbitPoint) -> OrbitStep:
        return OrbitStep(self.problem, self.scales, self.here, there)

    # -- going along -----------------------------------------------------------------------------------------------

    def _facing(self, orbit: Orbit, sign: float) -> Following:
        """The branch through an orbit, in the direction in which the parameter changes by `sign`."""
        if self.points:
            self.evaluations += self.problem.evaluations
        problem, u = problem_of(orbit, [self.number])
        direction = _tangent(problem, u)
        return problem, u, direction if direction[-1] * sign >= 0 else -direction

    def _scales(self, problem: OrbitProblem, u: Floats) -> Floats:
        """The sizes in which a step is measured: an orbit of many phases counts no more than one of few."""
        scales = problem.scales(u) * float(np.sqrt(problem.phases))
        scales[-1] = self.range
        return scales

    def _check_allowed(self, u: Floats) -> None:
        self.model.with_({self.parameter: float(u[-1])})

    def _keep(self, solved: Any) -> None:
        self._append(self.problem.orbit(solved), self._extremes(solved))
        self._tell()

    def _extremes(self, solved: Any, problem: OrbitProblem | None = None) -> Floats:
        """Extremes of an orbit; unknown where a phase cannot be sampled, which is no reason to lose the orbit."""
        try:
            return np.asarray((problem or self.problem).extremes(solved), float)
        except FAILURES:
            return np.full((2, len(self.model.states)), np.nan)

    def _accept(self, step: OrbitStep) -> Ending | None:
        step, arrived = self._bounded(step)
        vanished = vanishing(step)
        if vanished is not None:
            return self._born(step, vanished)
        if not self.problem.passage(step.there.solved) > OBLIQUE * self.problem.passage(step.here.solved):
            raise Unresolved("the section no longer lies across the orbit")
        hidden = step.hidden()
        if hidden is not None:
            step, arrived = step.until(hidden), None
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

    def _note(self, step: OrbitStep, at_end: bool = True) -> Ending | None:
        """Note the bifurcations within a step; a reason to stop where the branch ends in one.

        Where something else happens at the end, what happens just there is not counted: the path that is no longer
        possible turns back where a phase grazes.
        """
        merged = self._halved(step)
        if merged is not None:
            return self._merged(merged, step.length)
        found = [item for item in bifurcations(step) if at_end or item.distance < step.length - 1e-5]
        special = []
        for item in found:
            known = None if item.tangent is None else self.problem.turned(item.tangent * self.scales)
            margin = None if known is None else tuple(map(float, known))
            special.append(self._special(item.kind, self.problem.solved(item.u), item.note, margin))
        half, place = self.problem.shorter(step.there.solved), len(self.special)
        ended = None if half is None else self._merged(half, step.length)
        self.special[place:place] = special  # before the flip at which the branch ends
        return ended

    def _special(self, kind: str, solved: Any, note: str = "", margin: Any = None, problem: Any = None) -> SpecialPoint:
        """A special point at a solution of the present equations, or of others."""
        value = float(solved.parameters[self.number])
        orbit, extremes = (problem or self.problem).orbit(solved), self._extremes(solved, problem)
        return SpecialPoint(kind, self.parameter, value, orbit, note, margin, extremes, len(self.points))

    def _born(self, step: OrbitStep, vanished: Floats) -> Ending:
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
        self._append(orbit, extremes)
        return self._end(Outcome.BORN, value, criticality=hopf.criticality)

    def _halved(self, step: OrbitStep) -> Orbit | None:
        """The orbit of half the period through which the branch passes: there its two halves exchange their parts."""
        old, new = (self.problem.split(point.solved) for point in (step.here, step.there))
        if old is None or new is None or float(old @ new) >= 0:
            return None

        def split(u: Floats) -> Floats:
            return np.asarray(self.problem.split(self.problem.solved(u)), float)

        u = step.root(lambda u: float(old @ split(u)), (float(old @ old), float(old @ new)))
        if u is None:
            return None
        near = float(np.linalg.norm(split(u))) < 1e-3 * float(np.linalg.norm(old))
        return self.problem.shorter(self.problem.solved(u), loosely=True) if near else None

    def _merged(self, half: Orbit, length: float) -> Ending:
        """The branch has met that of an orbit with a shorter period: find the flip where it does.

        Away from any flip a long step has come to that other branch by mistake, as over a fold.
        """
        value = float(half.model.parameters[self.parameter])
        flips: list[SpecialPoint] = []
        for end in (value + 0.2 * self.range, value - 0.2 * self.range):
            way = Way(self.parameter, (end, 2 * value - end), self.way.longest, 60, lambda value, count: None)
            flips += OrbitWalk(half, way).branch().of_kind(FLIP)
        near = [flip for flip in flips if abs(flip.value - value) < 3 * self.way.longest * self.range]
        if not near and length > self.edge:
            raise Unresolved("the step ends on the branch of a shorter period, where that has no flip")
        if not near:
            return self._end(Outcome.MERGED, value, period=half.period)
        flip = min(near, key=lambda point: abs(point.value - value))
        note = "the branch ends here on that of a shorter period"
        self.special.append(replace(flip, note=note, after=len(self.points)))
        return self._end(Outcome.FLIPPED, flip.value, period=flip.orbit.period)

    # -- changes of signature --------------------------------------------------------------------------------------

    def _discontinuity(self, step: OrbitStep) -> Ending | None:
        """Within a step the phases cease to be possible: say where and why, and go on with others; a reason to stop
        where there are none."""
        change = first_change(step)
        before = step.until(change.point)
        self._check_first(before)
        ended = self._note(before, at_end=False)
        if ended:
            return ended
        following = self._beside(change) or self._onward(change.point)
        if following is None:
            self.special.append(self._change(change, "the orbit ceases to exist"))
            self._keep(change.point.solved)
            return self._end(Outcome.CEASED, self.special[-1].value, kind=change.kind)
        signatures = self.problem.signature, following[0].signature
        if following[0].phases < self.problem.phases and not self._is_one_of_many(*following):
            change = seen_back(following[0], self._scales(*following[:2]), *following[1:]) or change
        if self._changes(change, *signatures):
            return self._end(Outcome.REPEATED, self.special[-1].value, kind=change.kind)
        return self._go_on(following)

    def _change(self, change: Change, note: str) -> SpecialPoint:
        """A change of signature as a special point."""
        return self._special(change.kind, change.point.solved, note, change.margin, change.problem)

    def _go_on(self, following: Following) -> Ending | None:
        """Begin, or go on with another signature; a reason to stop where that is no branch."""
        self._stand(*following)
        self._keep(self.here.solved)
        self.ds = min(FIRST, self.way.longest)
        if self._is_one_of_many(*following):
            return self._end(Outcome.MANY, self.here.u[-1])
        return self._ended()

    def _is_one_of_many(self, problem: OrbitProblem, u: Floats, direction: Floats) -> bool:
        """Whether the orbits with one value of the parameter are a family."""
        scales = self._scales(problem, u)
        return is_one_of_many(problem, place(problem, u, scales, problem.slid(u, direction) / scales), scales)

    def _check_first(self, step: OrbitStep) -> None:
        """Refuse a step at whose end something happens, where the phases were impossible before: that came first."""
        if step.length > 100 * SHORTEST and self.problem.fault(step.between(0.99 * step.length).solved):
            raise Unresolved("something else happens before")

    def _changes(self, change: Change, old: Signature, new: Signature) -> bool:
        """Note a change from one signature to another; whether it was met before: the branch goes round in circles."""
        last, modes = self._change(change, becoming(old, new)), (old.modes, new.modes)
        seen_before = any(
            known == modes
            and point.kind == last.kind
            and abs(point.value - last.value) < 1e-9 * self.range
            and abs(point.orbit.period - last.orbit.period) < 1e-7 * last.orbit.period
            for point, known in self.changes
        )
        self.special.append(last)
        self.changes.append((last, modes))
        return seen_before

    def _beside(self, change: Change) -> Following | None:
        """A step along the branch of a neighbouring signature that passes through this orbit."""
        for problem, u in neighbours(phases_of(self.problem), change.point.solved, change.margin):
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

    def _passes(self) -> bool:
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
                    self._changes(change, before, problem.signature)
                self._stand(problem.moved(good), good, good - bad)
                self._keep(self.here.solved)
                self.ds = min(FIRST, self.way.longest)
                return True
        return False

    def _onward(self, there: OrbitPoint) -> Following | None:
        """The branch of an orbit with another signature that begins here, found by simulation."""
        problem, solved = phases_of(self.problem), there.solved
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

    def _near(self, there: OrbitPoint) -> Iterator[tuple[Any, float]]:
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
        self._append(self.first, np.array([self.first.state, self.first.state]))
        u = newborn.first(self._scales(newborn.problem, newborn.u))
        if u is None:
            return self._end(Outcome.ABSENT, newborn.u[-1], kind=HOPF)
        self._stand(self.problem.moved(u), u, u - newborn.u)
        self._keep(self.here.solved)
        return None

    def _switch(self, point: SpecialPoint) -> Ending | None:
        """Stand on the branch that bifurcates at a flip or branch point; a reason where there is none."""
        single, u = problem_of(point.orbit, [self.number])
        self.problem, repeated = single.repeated(u, self.times)
        self.scales = self._scales(self.problem, repeated)
        known = _tangent(single, u) if point.kind == FLIP else point.margin
        tiled = None if known is None else single.tiled(np.array(known, float), self.times)
        return self._cross(point, repeated, tiled, self.side)

    def _is_another(self, u: Floats) -> bool:
        solved = self.problem.solved(u)
        is_same = self.times > 1 and self.problem.shorter(solved) is not None
        return not is_same and not self.problem.fault(solved)

    def _take_up(self, met: Crossing, u: Floats) -> None:
        if self.times == 1:  # a branch point belongs to both branches
            self._keep(self.problem.solved(met.u))
        self._stand(self.problem.moved(u), u, u - met.u)
        self._keep(self.here.solved)


def _tangent(problem: OrbitProblem, u: Floats) -> Floats:
    """The direction of the branch through an orbit."""
    scales = problem.scales(u)
    return place(problem, u, scales, None).tangent * scales
