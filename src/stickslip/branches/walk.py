"""One walk along a branch of orbits: step by step, noting what happens, until it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.branch import Branch, SpecialPoint
from stickslip.branches.margins import (
    ADDING,
    BRANCH_POINT,
    CROSSING,
    EXCHANGE,
    FLIP,
    FOLD,
    GRAZING,
    LOSS,
    TORUS,
    crossing_name,
    flip_test,
    has_pair_on_circle,
    margins,
    torus_test,
)
from stickslip.branches.neighbours import neighbours
from stickslip.model.errors import ModelError
from stickslip.orbits import exact
from stickslip.orbits.arclength import Place, corrected, is_singular, located, place
from stickslip.orbits.guess import OrbitError
from stickslip.orbits.motion import MotionError
from stickslip.orbits.newton import NoConvergence
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.problems import problem_of
from stickslip.orbits.signature import Signature

Floats = NDArray[np.float64]
FIRST, LONGEST, SHORTEST = 0.01, 0.03, 1e-7
"""Lengths of steps: a step of 1 is the whole range of the parameter, or a change of the orbit by its own size."""

ONWARD = (1e-4, 1e-3, 1e-5, 1e-6, 1e-7, 1e-2)
"""How far beyond a change of signature the branch is taken up again."""

FAILURES = (NoConvergence, MotionError, OrbitError, np.linalg.LinAlgError)


def becoming(before: Signature, after: Signature) -> str:
    """What a change of signature means: stick phases lost or gained, and both signatures."""
    old, new = before.stick_phases(), after.stick_phases()
    words = [
        f"{name} {'gains' if new[name] > old[name] else 'loses'} a stick phase"
        for name in old
        if old[name] != new[name]
    ]
    return "; ".join([*words, f"{before} becomes {after}"])


class Walk:
    """A branch in the making. `bounds` are where it is to go, and where it must not go on the other side."""

    def __init__(
        self,
        first: Orbit,
        parameter: str,
        bounds: tuple[float, float],
        longest: float,
        most: int,
        progress: Callable[[float, int], None],
    ) -> None:
        self.first, self.parameter, self.bounds = first, parameter, bounds
        self.longest, self.most, self.progress = longest, most, progress
        self.number = list(first.model.parameters).index(parameter)
        self.range = abs(bounds[0] - float(first.model.parameters[parameter]))
        self.points: list[Orbit] = []
        self.special: list[SpecialPoint] = []
        self.extremes: list[Floats] = []
        self.evaluations = 0
        self.problem: Any = None
        self.refusal = ""  # why the model does not allow the parameter to go on

    def branch(self, point: SpecialPoint | None = None) -> Branch:
        """Walk from the first orbit, or onto the branch that bifurcates at a special point."""
        try:
            reason = self._switch(point) if point is not None else ""
            if point is None:
                self._take(self.first, np.sign(self.bounds[0] - float(self.first.model.parameters[self.parameter])))
            reason = reason or self._go()
        except KeyboardInterrupt:
            if not self.points:
                raise
            reason = "The branch was interrupted by the user."
        self.evaluations += self.problem.evaluations
        extremes = np.array(self.extremes).reshape(len(self.points), 2, len(self.first.model.states))
        return Branch(self.parameter, tuple(self.points), tuple(self.special), reason, extremes, self.evaluations)

    # -- going along -----------------------------------------------------------------------------------------------

    def _go(self) -> str:
        ds = min(FIRST, self.longest)
        while len(self.points) < self.most:
            advanced = self._advance(ds)
            if advanced is None:
                ds *= 0.5
                if self.refusal and ds < 1e-2:
                    return f"The branch ends near {self.parameter} = {self.here.u[-1]:.6g}: beyond, {self.refusal}."
                if ds < SHORTEST:
                    if not self._vanish():
                        return self._shrunk()
                    ds = min(FIRST, self.longest)
                continue
            u, iterations = advanced
            solved = self.problem.solved(u)
            if self.problem.fault(solved):
                ended = self._discontinuity(u, ds, solved)
                if ended is None:  # too much happens in this step to tell
                    ds *= 0.3
                    if ds < SHORTEST:
                        return self._shrunk()
                    continue
                if ended:
                    return ended
                ds = min(FIRST, self.longest)
                continue
            ended = self._accept(u, ds, solved)
            if ended:
                return ended
            ds = min(self.longest, ds * (1.5 if iterations <= 4 else 1.0 if iterations <= 6 else 0.6))
        return f"The branch has {self.most} points, as many as allowed: allow more with most=."

    def _shrunk(self) -> str:
        return (
            f"The steps shrank to nothing near {self.parameter} = {self.here.u[-1]:.10g}: Newton's method does not "
            "converge beyond. Look at the last orbit; try a smaller step=, or start from an orbit on the other side."
        )

    def _take(self, orbit: Orbit, sign: float) -> None:
        """Stand on an orbit, facing in the direction in which the parameter changes by `sign`."""
        if self.points:
            self.evaluations += self.problem.evaluations
        self.problem, u = problem_of(orbit, [self.number])
        self.scales = self._scales(self.problem, u)
        self.here = place(self.problem, u, self.scales, None)
        if self.here.slope * sign < 0:
            self.here = place(self.problem, u, self.scales, -self.here.tangent)
        self._keep(self.problem.solved(u))

    def _scales(self, problem: Any, u: Floats) -> Floats:
        """The sizes in which a step is measured: an orbit of many phases counts no more than one of few."""
        scales: Floats = problem.scales(u) * np.sqrt(problem.phases)
        scales[-1] = self.range
        return scales

    def _advance(self, ds: float) -> tuple[Floats, int] | None:
        predicted = self.here.u + ds * self.here.tangent * self.scales
        try:
            u, iterations = corrected(self.problem, self.here, ds, predicted, self.scales)
            self.first.model.with_({self.parameter: float(u[-1])})  # a value that the model does not allow
        except ModelError as error:
            self.refusal = str(error)
            return None
        except FAILURES:
            return None
        self.refusal = ""
        moved = float(np.linalg.norm((u - predicted) / self.scales))
        return (u, iterations) if moved < 2 * ds else None

    def _keep(self, solved: Any) -> None:
        orbit, extremes = self.problem.orbit(solved), self._extremes(solved)
        self.points.append(orbit)
        self.extremes.append(extremes)
        self.solved_here = solved
        self.multipliers_here = self.problem.multipliers(solved)
        self.progress(float(solved.parameters[self.number]), len(self.points))

    def _extremes(self, solved: Any) -> Floats:
        """Extremes of an orbit; unknown where a phase cannot be sampled, which is no reason to lose the orbit."""
        try:
            return np.asarray(self.problem.extremes(solved), float)
        except FAILURES:
            return np.full((2, len(self.first.model.states)), np.nan)

    def _accept(self, u: Floats, s: float, solved: Any) -> str:
        """Stand on u, having noted what happened on the way; a reason to stop, or nothing."""
        for bound, limit in zip(self.bounds, ("reached", "came back to"), strict=True):
            if (u[-1] - bound) * (self.here.u[-1] - bound) <= 0 and len(self.points) > 1:
                return self._arrive(u, s, bound, limit)
        there = place(self.problem, u, self.scales, self.here.tangent)
        ended = self._smooth_events(there, s, solved)
        if ended:
            return ended
        self._stand(there)
        closed = self._closes(self.problem.orbit(solved))
        self._keep(solved)
        if closed:
            begin = self.points[0].model.parameters[self.parameter]
            return f"The branch is closed: it came back to the orbit at {self.parameter} = {begin:g}."
        if solved.period < 1e-9 * self.points[0].period:
            return f"The period runs to zero at {self.parameter} = {u[-1]:.10g}: the orbit shrinks away."
        # An orbit whose extremes are not known has not shrunk.
        if np.all(np.ptp(self.extremes[-1], axis=0) <= 1e-7 * np.ptp(self.extremes[0], axis=0)):
            return f"The orbit shrinks to a point at {self.parameter} = {u[-1]:.10g}: follow the equilibrium from here."
        return ""

    def _closes(self, orbit: Orbit) -> bool:
        """Whether the first orbit lies between the last one and this one, wherever its phases are counted from."""
        first, last = self.points[0], self.points[-1]
        if len(self.points) < 5 or last.signature != orbit.signature or len(first.signature) != len(orbit.signature):
            return False
        before, after = self._shape(last), self._shape(orbit)
        step = float(np.linalg.norm(after - before))
        for shift in range(len(first.signature)):
            if first.signature.rotated(shift) != orbit.signature:
                continue
            start = self._shape(first, shift)
            near = max(float(np.linalg.norm(x - start)) for x in (before, after)) < 1.5 * step
            if near and float((before - start) @ (after - start)) < 0:
                return True
        return False

    def _shape(self, orbit: Orbit, shift: int = 0) -> Floats:
        """An orbit and its parameter as numbers of comparable size; the time at which it begins does not count."""
        phases = orbit.phases
        value = float(orbit.model.parameters[self.parameter]) / self.range
        states, durations = np.roll(phases.states / phases.scale, -shift, axis=0), np.roll(phases.durations, -shift)
        return np.concatenate([states.ravel(), durations / orbit.period, [value]])

    def _stand(self, there: Place) -> None:
        """Measure from now on in the sizes of the present orbit."""
        direction = there.tangent * self.scales
        self.problem = self.problem.moved(there.u)
        self.scales = self._scales(self.problem, there.u)
        self.here = place(self.problem, there.u, self.scales, direction / self.scales)

    def _arrive(self, u: Floats, s: float, bound: float, word: str) -> str:
        """The last step: to the bound exactly."""

        def value(v: Floats) -> float:
            return float(v[-1]) - bound

        end = located(self.problem, self.here, u, s, self.scales, value, (value(self.here.u), value(u)))
        end = u if end is None else np.append(end[:-1], bound)
        solved = self.problem.solved(end)
        there = place(self.problem, end, self.scales, self.here.tangent)
        distance = float(self.here.tangent @ ((end - self.here.u) / self.scales))
        ended = self._smooth_events(there, distance, solved)
        if ended:
            return ended
        self._keep(solved)
        return f"The branch {word} {self.parameter} = {bound:g}."

    # -- smooth bifurcations ---------------------------------------------------------------------------------------

    def _smooth_events(self, there: Place, s: float, solved: Any, at_end: bool = True) -> str:
        """Note the special points between here and there; a reason to stop where the branch ends in one.

        Where something else happens at the end, folds just there are not counted: the path that is no longer possible
        turns back where a phase grazes.
        """
        merged = self._halved(there, s, solved)
        if merged is not None:
            return self._merged(merged)
        found = [*self._at_multipliers(there, s, solved), *self._at_turns(there, s)]
        found = [item for item in found if at_end or item[0] < s - 1e-5]
        for _, kind, u in sorted(found, key=lambda item: item[0]):
            self._remember(kind, self.problem.solved(u))
        half = self.problem.shorter(solved)
        return "" if half is None else self._merged(half)

    def _halved(self, there: Place, s: float, solved: Any) -> Orbit | None:
        """The orbit of half the period through which the branch passes: there its two halves exchange their parts."""
        old, new = self.problem.split(self.solved_here), self.problem.split(solved)
        if old is None or new is None or float(old @ new) >= 0:
            return None

        def value(u: Floats) -> float:
            return float(old @ self.problem.split(self.problem.solved(u)))

        u = located(self.problem, self.here, there.u, s, self.scales, value, (float(old @ old), float(old @ new)))
        if u is None:
            return None
        at = self.problem.solved(u)
        near = float(np.linalg.norm(self.problem.split(at))) < 1e-3 * float(np.linalg.norm(old))
        half: Orbit | None = self.problem.shorter(at, loosely=True) if near else None
        return half

    def _at_multipliers(self, there: Place, s: float, solved: Any) -> Iterator[tuple[float, str, Floats]]:
        autonomous = self.problem.turns == 0
        new = self.problem.multipliers(solved)
        for kind, test in ((FLIP, flip_test), (TORUS, torus_test)):
            values = test(self.multipliers_here, autonomous), test(new, autonomous)
            if values[0] * values[1] >= 0:
                continue

            def value(u: Floats, test: Callable[..., float] = test) -> float:
                return test(self.problem.multipliers(self.problem.solved(u)), autonomous)

            u = located(self.problem, self.here, there.u, s, self.scales, value, values)
            if u is None:
                continue
            multipliers = self.problem.multipliers(self.problem.solved(u))
            if not (has_pair_on_circle(multipliers) if kind == TORUS else np.min(np.abs(multipliers + 1)) < 1e-4):
                continue  # two real multipliers, or one that jumps past −1
            yield self._distance(u), kind, u

    def _at_turns(self, there: Place, s: float) -> Iterator[tuple[float, str, Floats]]:
        """Folds and branch points: where the parameter turns back, or the determinant of the path changes sign."""

        def at(u: Floats) -> Place:
            return place(self.problem, u, self.scales, self.here.tangent)

        if self.here.slope * there.slope < 0:
            values = self.here.slope, there.slope
            u = located(self.problem, self.here, there.u, s, self.scales, lambda v: at(v).slope, values)
            if u is not None:
                yield self._distance(u), FOLD, u
        elif self.here.sign * there.sign < 0:
            signs = self.here.sign, there.sign
            u = located(self.problem, self.here, there.u, s, self.scales, lambda v: at(v).sign, signs)
            if u is not None and is_singular(self.problem, u, self.scales, self.here.tangent):
                yield self._distance(u), BRANCH_POINT, u

    def _distance(self, u: Floats) -> float:
        return float(self.here.tangent @ ((u - self.here.u) / self.scales))

    def _remember(self, kind: str, solved: Any, note: str = "", margin: Any = None) -> None:
        value = float(solved.parameters[self.number])
        orbit, extremes = self.problem.orbit(solved), self._extremes(solved)
        self.special.append(SpecialPoint(kind, self.parameter, value, orbit, note, margin, extremes, len(self.points)))

    def _merged(self, half: Orbit) -> str:
        """The branch has met that of an orbit with a shorter period: find the flip where it does."""
        value = float(half.model.parameters[self.parameter])
        flips: list[SpecialPoint] = []
        for end in (value + 0.2 * self.range, value - 0.2 * self.range):
            walk = Walk(half, self.parameter, (end, 2 * value - end), self.longest, 60, lambda value, count: None)
            flips += walk.branch().of_kind(FLIP)
        near = [flip for flip in flips if abs(flip.value - value) < 3 * self.longest * self.range]
        if not near:
            return (
                f"The branch meets that of the orbit of period {half.period:.8g} near {self.parameter} = {value:.6g}."
            )
        flip = min(near, key=lambda point: abs(point.value - value))
        note = "the branch ends here on that of a shorter period"
        self.special.append(replace(flip, note=note, after=len(self.points)))
        return (
            f"The branch ends at {self.parameter} = {flip.value:.10g}, at a flip of the orbit of period "
            f"{flip.orbit.period:.10g}."
        )

    # -- changes of signature --------------------------------------------------------------------------------------

    def _discontinuity(self, u: Floats, s: float, solved: Any) -> str | None:
        """Between here and u the phases cease to be possible: say where and why, and go on with others.

        A reason to stop, nothing where the branch goes on, None where the step must be shorter to tell.
        """
        first = self._first_zero(u, s, solved)
        if first is None or self._too_late(first[0], first[2]):
            return None
        distance, key, root = first
        at = self.problem.solved(root)
        there = place(self.problem, root, self.scales, self.here.tangent)
        ended = self._smooth_events(there, distance, at, at_end=False)
        if ended:
            return ended
        kind, signature = self._name(key, at), self.problem.signature
        following = self._beside(at, key) or self._onward(there, at)
        if following is None:
            self._remember(kind, at, "the orbit ceases to exist", key)
            self._keep(at)
            value = float(at.parameters[self.number])
            return f"The orbit ends at {self.parameter} = {value:.10g} by {kind}: beyond, it ceases to exist."
        orbit, sign = following
        self._remember(kind, at, becoming(signature, orbit.signature), key)
        if self._was_here_before():
            return f"The branch came back to the {kind} at {self.parameter} = {self.special[-1].value:.10g}."
        self._take(orbit, sign)
        return ""

    def _first_zero(self, u: Floats, s: float, solved: Any) -> tuple[float, Any, Floats] | None:
        """The margin that first passes zero on the way to u: how far on, which, and the orbit there."""
        old, new = margins(self.problem, self.solved_here), margins(self.problem, solved)
        crossed = [key for key in new if new[key] < 0 and old.get(key, np.inf) > 0]
        found: list[tuple[float, Any, Floats]] = []
        for key in crossed:
            if key not in old:
                return None  # it came into being within the step

            def value(v: Floats, key: Any = key) -> float:
                return margins(self.problem, self.problem.solved(v), key).get(key, np.inf)

            root = located(self.problem, self.here, u, s, self.scales, value, (old[key], new[key]))
            if root is not None:
                found.append((self._distance(root), key, root))
        return min(found, key=lambda item: item[0]) if found else None

    def _too_late(self, distance: float, root: Floats) -> bool:
        """Whether the phases were impossible before, already, so that something else came first."""
        fraction = 0.99
        guess = (1 - fraction) * self.here.u + fraction * root
        try:
            u = corrected(self.problem, self.here, fraction * distance, guess, self.scales)[0]
        except FAILURES:
            return True
        return distance > 100 * SHORTEST and bool(self.problem.fault(self.problem.solved(u)))

    def _name(self, key: Any, solved: Any) -> str:
        """What happens where a margin is zero; the same seen from both sides of it."""
        kind, j, contact, _ = key
        if kind == CROSSING:
            return crossing_name(self.problem, solved, j, contact)
        if kind != LOSS:
            return str(kind)
        modes = self.problem.signature.modes
        for a, m, b in zip(modes[j - 1], modes[j], modes[(j + 1) % len(modes)], strict=True):
            if m == 0 and a != 0 and b != 0:  # a stick between two slips
                return GRAZING if a == b else CROSSING
            if m != 0 and a == 0 and b == 0:  # a slip between two sticks
                return ADDING
        return EXCHANGE

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

    def _beside(self, solved: Any, key: Any) -> tuple[Orbit, float] | None:
        """The orbit a step away along the branch of a neighbouring signature that passes through this orbit."""
        for problem, u in neighbours(self.problem, solved, key):
            scales = self._scales(problem, u)
            try:
                start = place(problem, u, scales, None)
            except FAILURES:
                continue
            for part in ONWARD:
                for sign in (1.0, -1.0):
                    try:
                        guess = u + sign * part * start.tangent * scales
                        there = problem.solved(corrected(problem, start, sign * part, guess, scales)[0])
                    except FAILURES:
                        continue
                    if not problem.fault(there):
                        moved = float(there.parameters[self.number] - solved.parameters[self.number])
                        return problem.orbit(there), float(np.sign(moved)) or 1.0
        return None

    def _vanish(self) -> bool:
        """Go on without a phase whose length is nearly gone, if that is possible.

        A slip that begins and ends at rest loses its length so that its own equations become singular. Seen from the
        signature without it, the same point is regular: there a stick just touches its limit.
        """
        before = self.problem.signature
        for problem, u in neighbours(self.problem, self.solved_here, (LOSS, -1, -1, 0)):
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
                self.evaluations += self.problem.evaluations
                self.problem, self.scales = problem, scales
                self._cross_back(good, bad, becoming(before, problem.signature))
                return True
        return False

    def _cross_back(self, good: Floats, bad: Floats, note: str) -> None:
        """Stand on an orbit just beyond a special point, and note the point, which lies behind."""
        self.here = place(self.problem, good, self.scales, (bad - good) / self.scales)
        self.solved_here = self.problem.solved(good)
        zero = self._first_zero(bad, self._distance(bad), self.problem.solved(bad))
        if zero is not None:
            _, key, root = zero
            at = self.problem.solved(root)
            self._remember(self._name(key, at), at, note, key)
        self.here = place(self.problem, good, self.scales, (good - bad) / self.scales)
        self._keep(self.solved_here)

    def _onward(self, there: Place, solved: Any) -> tuple[Orbit, float] | None:
        """The orbit with another signature that begins here, and the direction in which its parameter changes."""
        problem = self.problem
        for near, side in self._near(there, solved):
            motion = problem.motion.with_parameters(near.parameters)
            try:
                pieces = exact.resimulated(problem, near, motion)
                if pieces is None:
                    continue
                orbit = exact.solve(motion, pieces, problem.state_scale, problem.turns, problem.forcing)
            except FAILURES:
                continue
            changed = not orbit.signature.same_as(problem.signature)
            if changed and abs(orbit.period - solved.period) <= 0.1 * solved.period:
                return orbit, side
        return None

    def _near(self, there: Place, solved: Any) -> Iterator[tuple[Any, float]]:
        """Where the next signature is looked for: a little beyond, on the path that is no longer possible; then at the
        same states with the parameter changed a little, both ways. With each the direction to go on in."""
        ahead = 1.0 if there.slope >= 0 else -1.0
        for part in ONWARD:
            try:
                guess = there.u + part * there.tangent * self.scales
                yield self.problem.solved(corrected(self.problem, there, part, guess, self.scales)[0]), ahead
            except FAILURES:
                continue
        for side in (ahead, -ahead):
            for part in ONWARD:
                parameters = solved.parameters.copy()
                parameters[self.number] += side * part * self.range
                yield replace(solved, parameters=parameters), side

    # -- branch switching ------------------------------------------------------------------------------------------

    def _switch(self, point: SpecialPoint) -> str:
        """Stand on the branch that bifurcates at a flip or branch point."""
        single, u = problem_of(point.orbit, [self.number])
        times = 2 if point.kind == FLIP else 1
        self.problem, double = single.repeated(u, times)
        self.scales = self._scales(self.problem, double)
        direction = self._other_direction(single, u, double, times)
        base = Place(double, direction, 1.0)
        for size in (0.01, 0.003, 0.03, 0.001):
            try:
                guess = double + size * direction * self.scales
                solved = self.problem.solved(corrected(self.problem, base, size, guess, self.scales)[0])
            except FAILURES:
                continue
            if self.problem.fault(solved) or (times > 1 and self.problem.shorter(solved) is not None):
                continue
            sign = np.sign(float(solved.parameters[self.number]) - point.value)
            self._take(self.problem.orbit(solved), float(sign) or 1.0)
            return ""
        return f"No branch was found that bifurcates from the {point.kind} at {point.parameter} = {point.value:.10g}."

    def _other_direction(self, single: Any, u: Floats, double: Floats, times: int) -> Floats:
        """At a bifurcation two branches cross: the direction of the one that is not the known orbit's."""
        _, J = self.problem.residual(double)
        both = np.linalg.svd(J * self.scales)[2][-2:]
        _, J_single = single.residual(u)
        scales = single.scales(u)
        known = np.linalg.svd(J_single * scales)[2][-1]
        trivial = single.tiled(known * scales, times) / self.scales
        trivial /= np.linalg.norm(trivial)
        across = both - np.outer(both @ trivial, trivial)
        direction = across[int(np.argmax(np.linalg.norm(across, axis=1)))]
        return np.asarray(direction / np.linalg.norm(direction), float)
