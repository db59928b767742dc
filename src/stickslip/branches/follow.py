"""`follow`: the path of an orbit along a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.arclength import Place, corrected, located, place
from stickslip.branches.branch import Branch, SpecialPoint, joined
from stickslip.branches.margins import (
    BRANCH_POINT,
    FLIP,
    FOLD,
    LOSS,
    TORUS,
    flip_test,
    has_pair_on_circle,
    margins,
    torus_test,
)
from stickslip.model.errors import ModelError, check_number
from stickslip.model.system import suggest
from stickslip.orbits import exact
from stickslip.orbits.guess import OrbitError
from stickslip.orbits.motion import Motion, MotionError
from stickslip.orbits.newton import History, NoConvergence, newton
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.phases import Problem, Solved
from stickslip.orbits.stability import multipliers_of

Floats = NDArray[np.float64]
Progress = Callable[[float, int], None]
FIRST, LONGEST, SHORTEST = 0.01, 0.03, 1e-7
"""Length of steps, in units of the orbit's size and of the parameter range."""

FRACTIONS = np.arange(17) / 16
ONWARD = (1e-4, 1e-3, 1e-5, 1e-6, 1e-2)
"""How far beyond a change of signature, as a part of the parameter range, the branch is taken up again."""


def follow(
    orbit: Orbit | SpecialPoint,
    parameter: str,
    *,
    to: float | tuple[float, float],
    step: float | None = None,
    most: int = 2000,
    progress: Progress | None = None,
) -> Branch:
    """The branch of an orbit along a parameter, with every bifurcation on the way.

    Returns a `Branch`. It ends at `to`, or where the orbit ceases to exist, or where something prevents going on;
    `branch.reason` says which, and everything found until then is kept.

    Keywords
    - parameter: its name, such as "belt.speed".
    - to: the value at which to stop; two values follow the branch in both directions.
    - step: the longest step, as a part of the distance to `to` (0.03).
    - most: the largest number of points.
    - progress: called with the parameter and the number of points now and then.

    Special points: fold, flip, Neimark–Sacker, branch point; and those of the discontinuity: grazing-, crossing-,
    switching- and adding-sliding, gain or loss of a phase. From a flip or a branch point, the branch that bifurcates
    there is followed.

    >>> import stickslip as ss
    >>> orbit = ss.find_orbit(ss.models.drill_string())
    >>> branch = follow(orbit, "table.speed", to=5)
    >>> branch.special[-1]
    <grazing-sliding at table.speed = 4.611989021, period 6.309573445>
    """
    start = orbit.orbit if isinstance(orbit, SpecialPoint) else orbit
    if not isinstance(start, Orbit):
        raise OrbitError(f"{orbit!r} cannot be followed: give an Orbit or a special point of a branch")
    names = list(start.model.parameters)
    if parameter not in names:
        raise ModelError(f"there is no parameter {parameter!r}{suggest(parameter, names)}")
    if isinstance(to, tuple | list):
        branches = [follow(orbit, parameter, to=end, step=step, most=most, progress=progress) for end in to]
        return joined(*branches)
    check_number("follow: to", to)
    walk = _Walk(start, parameter, float(to), step or LONGEST, most, progress or (lambda value, count: None))
    return walk.branch(orbit if isinstance(orbit, SpecialPoint) else None)


@dataclass
class _Walk:
    """A branch in the making."""

    first: Orbit
    parameter: str
    to: float
    longest: float
    most: int
    progress: Progress
    points: list[Orbit] = field(default_factory=list)
    special: list[SpecialPoint] = field(default_factory=list)
    extremes: list[Floats] = field(default_factory=list)

    def branch(self, point: SpecialPoint | None) -> Branch:
        self.motion = Motion(self.first.model)
        self.number = self.motion.names.index(self.parameter)
        self.begin = float(self.motion.parameters[self.number])
        self.range = abs(self.to - self.begin)
        if self.range == 0:
            raise OrbitError(f"{self.parameter} is {self.to:g} already: give another value to follow the orbit to")
        try:
            reason = self._go(point)
        except KeyboardInterrupt:
            reason = "The branch was interrupted by the user."
        extremes = np.array(self.extremes).reshape(len(self.points), 2, -1)
        return Branch(
            self.parameter, tuple(self.points), tuple(self.special), reason, extremes, self.motion.evaluations
        )

    # -- going along -----------------------------------------------------------------------------------------------

    def _go(self, point: SpecialPoint | None) -> str:
        if point is not None and point.vector is not None:
            reason = self._switch(point)
            if reason:
                return reason
        else:
            self._take(self.first, 1.0 if self.to > self.begin else -1.0)
        ds = min(FIRST, self.longest)
        while len(self.points) < self.most:
            outcome = self._advance(ds)
            if outcome is None:  # no convergence
                ds *= 0.5
                if ds < SHORTEST:
                    return self._shrunk()
                continue
            u, iterations, s = outcome
            solved = self.problem.solved(u)
            fault = exact.inadmissible(self.problem, solved)
            if fault:
                ended = self._discontinuity(u, s, solved)
                if ended == "shorter":
                    ds *= 0.3
                    if ds < SHORTEST:
                        return self._shrunk()
                    continue
                if ended:
                    return ended
                ds = min(FIRST, self.longest)
                continue
            value = float(solved.parameters[self.number])
            if (value - self.to) * self.direction_from_start > 0 or value == self.to:
                return self._arrive(u, s, solved)
            if (value - self.begin) * self.direction_from_start < -1e-9 * self.range and len(self.points) > 2:
                self._accept(u, s, solved)
                return f"The branch came back to {self.parameter} = {value:.6g}, where it began."
            self._accept(u, s, solved)
            if not 1e-12 < solved.period < np.inf:
                return f"The period runs to {solved.period:.3g} at {self.parameter} = {value:.6g}: the orbit shrinks away."
            ds = min(self.longest, ds * (1.5 if iterations <= 4 else 1.0 if iterations <= 6 else 0.6))
        return f"The branch has {self.most} points, as many as allowed: allow more with most=."

    @property
    def direction_from_start(self) -> float:
        return 1.0 if self.to > self.begin else -1.0

    def _shrunk(self) -> str:
        value = self._value(self.here.u)
        return (
            f"The steps shrank to nothing near {self.parameter} = {value:.10g}: Newton's method does not converge beyond. "
            "Look at the last orbit; try a smaller step=, or start from an orbit on the other side."
        )

    def _value(self, u: Floats) -> float:
        return float(u[-1])

    def _take(self, orbit: Orbit, sign: float) -> None:
        """Stand on an orbit, facing in the direction in which the parameter changes by `sign`."""
        motion = self.motion.with_parameters(np.array(list(orbit.model.parameters.values())))
        self.problem, u = exact.problem_of(orbit, [self.number], motion)
        self.scales = self._scales(u)
        ahead = np.zeros(len(u))
        ahead[-1] = sign
        self.here = place(self.problem, u, self.scales, ahead)
        self._keep(u, self.problem.solved(u))

    def _scales(self, u: Floats) -> Floats:
        """Sizes of the unknowns; a step of 1 is the whole range of the parameter, or a change of the whole orbit."""
        scales = self.problem.scales(u) * np.sqrt(self.problem.phases)
        scales[-1] = self.range
        return scales

    def _advance(self, ds: float) -> tuple[Floats, int, float] | None:
        predicted = self.here.u + ds * self.here.tangent * self.scales
        try:
            u, iterations = corrected(self.problem, self.here, ds, predicted, self.scales)
        except (NoConvergence, MotionError, np.linalg.LinAlgError):
            return None
        moved = float(np.linalg.norm((u - predicted) / self.scales))
        return (u, iterations, ds) if moved < 2 * ds else None

    def _keep(self, u: Floats, solved: Solved) -> None:
        orbit = self._orbit(solved)
        self.points.append(orbit)
        self.extremes.append(extremes_of(self.problem, solved))
        self.solved_here = solved
        self.progress(float(solved.parameters[self.number]), len(self.points))

    def _orbit(self, solved: Solved) -> Orbit:
        return exact.build(self.problem, solved, History())

    def _accept(self, u: Floats, s: float, solved: Solved) -> None:
        """Note what happened on the way to u, and stand there."""
        before, there = self.here, place(self.problem, u, self.scales, self.here.tangent)
        old = self.solved_here
        autonomous = self.problem.turns == 0
        self._smooth_events(before, there, s, old, solved, autonomous)
        self.here = there
        self._keep(u, solved)

    def _arrive(self, u: Floats, s: float, solved: Solved) -> str:
        """The last step: to the wanted value exactly."""
        def value(v: Floats) -> float:
            return self._value(v) - self.to

        end = located(self.problem, self.here, u, s, self.scales, value, (value(self.here.u), value(u)))
        if end is None:
            end = u
        fraction = float(self.here.tangent @ ((end - self.here.u) / self.scales))
        end = end.copy()
        end[-1] = self.to
        solved = self.problem.solved(end)
        self._accept(end, fraction, solved)
        return f"The branch reached {self.parameter} = {self.to:g}."

    # -- smooth bifurcations ---------------------------------------------------------------------------------------

    def _smooth_events(
        self, before: Place, there: Place, s: float, old: Solved, new: Solved, autonomous: bool
    ) -> None:
        tests: dict[str, Callable[[Floats], float]] = {
            FOLD: lambda u: place(self.problem, u, self.scales, before.tangent).slope,
            FLIP: lambda u: flip_test(multipliers_of(self.problem, self.problem.solved(u)), autonomous),
            TORUS: lambda u: torus_test(multipliers_of(self.problem, self.problem.solved(u)), autonomous),
            BRANCH_POINT: lambda u: place(self.problem, u, self.scales, before.tangent).sign,
        }
        first, last = multipliers_of(self.problem, old), multipliers_of(self.problem, new)
        ends = {
            FOLD: (before.slope, there.slope),
            FLIP: (flip_test(first, autonomous), flip_test(last, autonomous)),
            TORUS: (torus_test(first, autonomous), torus_test(last, autonomous)),
        }
        found = []
        for kind, values in ends.items():
            if values[0] * values[1] < 0:
                u = located(self.problem, before, there.u, s, self.scales, tests[kind], values)
                if u is None:
                    continue
                solved = self.problem.solved(u)
                if kind == TORUS and not has_pair_on_circle(multipliers_of(self.problem, solved)):
                    continue
                found.append((float(before.tangent @ ((u - before.u) / self.scales)), kind, u, solved))
        if before.sign * there.sign < 0 and not any(kind == FOLD for _, kind, _, _ in found):
            u = self._bisected(before, there.u, s)
            if u is not None:
                found.append((s, BRANCH_POINT, u, self.problem.solved(u)))
        for _, kind, u, solved in sorted(found, key=lambda item: item[0]):
            self._remember(kind, u, solved)

    def _bisected(self, before: Place, end: Floats, s: float) -> Floats | None:
        """Where the bordered determinant changes sign."""
        low, high, u = 0.0, s, end
        for _ in range(40):
            middle = 0.5 * (low + high)
            guess = before.u + middle * before.tangent * self.scales
            try:
                u = corrected(self.problem, before, middle, guess, self.scales)[0]
            except NoConvergence:
                return None
            if place(self.problem, u, self.scales, before.tangent).sign * before.sign > 0:
                low = middle
            else:
                high = middle
        return u

    def _remember(self, kind: str, u: Floats, solved: Solved, note: str = "", margin: Any = None) -> None:
        orbit = self._orbit(solved)
        vector = None
        if kind in (FLIP, BRANCH_POINT):
            vector = np.zeros(0)
        self.special.append(
            SpecialPoint(kind, self.parameter, float(solved.parameters[self.number]), orbit, note, vector, margin)
        )

    # -- changes of signature --------------------------------------------------------------------------------------

    def _discontinuity(self, u: Floats, s: float, solved: Solved) -> str:
        """Between here and u the phases cease to be possible: say where and why, and go on with others."""
        old, new = margins(self.problem, self.solved_here), margins(self.problem, solved)
        crossed = [key for key in new if new[key] < 0 and old.get(key, np.inf) > 0]
        found: list[tuple[float, Any, Floats]] = []
        for key in crossed:
            value = old.get(key)
            if value is None or not np.isfinite(value):
                continue
            def test(v: Floats, key: Any = key) -> float:
                return margins(self.problem, self.problem.solved(v), key).get(key, np.inf)

            root = located(self.problem, self.here, u, s, self.scales, test, (value, new[key]))
            if root is not None:
                found.append((float(self.here.tangent @ ((root - self.here.u) / self.scales)), key, root))
        if not found:
            return "shorter"
        _, key, root = min(found, key=lambda item: item[0])
        if abs(min(found)[0]) > 0 and s > 1e-3 and len(crossed) > len(found):
            return "shorter"
        at = self.problem.solved(root)
        there = place(self.problem, root, self.scales, self.here.tangent)
        self._smooth_events(self.here, there, min(found, key=lambda i: i[0])[0], self.solved_here, at, self.problem.turns == 0)
        signature = self.problem.signature
        kind = self._name(key)
        following = self._onward(there, at)
        value = float(at.parameters[self.number])
        if following is None:
            note = "the orbit ceases to exist"
            self._remember(kind, root, at, note, key)
            self.here = there
            self._keep(root, at)
            return f"The orbit ends at {self.parameter} = {value:.10g} by {kind}: {note} beyond."
        orbit, sign = following
        self._remember(kind, root, at, f"{signature} becomes {orbit.signature}", key)
        self._take(orbit, sign)
        return ""

    def _name(self, key: Any) -> str:
        kind, j, _, _ = key
        if kind != LOSS:
            return str(kind)
        modes = self.problem.signature.modes
        before, here, after = modes[j - 1], modes[j], modes[(j + 1) % len(modes)]
        triples = list(zip(before, here, after, strict=True))
        if any(m == 0 and a != 0 and b != 0 for a, m, b in triples):
            return "loss of a stick phase"
        if any(m != 0 and a == 0 and b == 0 for a, m, b in triples):
            return "loss of a slip phase"
        return "exchange of events"

    def _onward(self, there: Place, solved: Solved) -> tuple[Orbit, float] | None:
        """The orbit with another signature that begins here, and the direction in which its parameter changes."""
        for near, side in self._near(there, solved):
            motion = self.motion.with_parameters(near.parameters)
            try:
                pieces = exact.resimulated(self.problem, near, motion)
                if pieces is None:
                    continue
                problem = self.problem
                orbit = exact.solve(motion, pieces, problem.state_scale, problem.turns, problem.forcing)
            except (OrbitError, NoConvergence, MotionError):
                continue
            changed = not orbit.signature.same_as(self.problem.signature)
            if changed and abs(orbit.period - solved.period) <= 0.1 * solved.period:
                return orbit, side
        return None

    def _near(self, there: Place, solved: Solved) -> Iterator[tuple[Solved, float]]:
        """Where the next signature is looked for: a little beyond, on the path that is no longer possible; then at the
        same states with the parameter changed a little, both ways. With each the direction to go on in."""
        ahead = 1.0 if there.slope >= 0 else -1.0
        for part in ONWARD:
            try:
                guess = there.u + part * there.tangent * self.scales
                u = corrected(self.problem, there, part, guess, self.scales)[0]
                yield self.problem.solved(u), ahead
            except (NoConvergence, MotionError):
                continue
        for side in (ahead, -ahead):
            for part in ONWARD:
                parameters = solved.parameters.copy()
                parameters[self.number] += side * part * self.range
                yield replace(solved, parameters=parameters), side

    # -- branch switching ------------------------------------------------------------------------------------------

    def _switch(self, point: SpecialPoint) -> str:
        """Stand on the branch that bifurcates at a flip or branch point."""
        problem, u = exact.problem_of(point.orbit, [self.number], self.motion)
        times = 2 if point.kind == FLIP else 1
        doubled = _repeated(problem, times)
        states, durations, start, parameters = problem.unpack(u)
        double = doubled.pack(np.tile(states, (times, 1)), np.tile(durations, times), start, parameters)
        self.problem = doubled
        self.scales = self._scales(double)
        _, J = doubled.residual(double)
        vectors = np.linalg.svd(J * self.scales)[2][-2:]
        _, single = problem.residual(u)
        known = np.linalg.svd(single * _tail(self.scales, len(u), times))[2][-1]
        trivial = np.concatenate([np.tile(known[: problem.phases * (problem.n + 1)], times), known[problem.phases * (problem.n + 1):]])
        trivial /= np.linalg.norm(trivial)
        direction = vectors - np.outer(vectors @ trivial, trivial)
        direction = direction[int(np.argmax(np.linalg.norm(direction, axis=1)))]
        direction /= np.linalg.norm(direction)
        base = Place(double, direction, 1.0)
        for size in (0.01, 0.003, 0.03, 0.001):
            try:
                v, _ = corrected(doubled, base, size, double + size * direction * self.scales, self.scales)
            except (NoConvergence, MotionError):
                continue
            solved = doubled.solved(v)
            if exact.inadmissible(doubled, solved):
                continue
            orbit = exact.build(doubled, solved, History())
            sign = np.sign(orbit.model.parameters[self.parameter] - point.value) or self.direction_from_start
            self.begin = point.value
            self._take(orbit, float(sign))
            return ""
        return f"No branch was found that bifurcates from the {point.kind} at {point.parameter} = {point.value:.10g}."


def _tail(scales: Floats, size: int, times: int) -> Floats:
    """Scales of the unknowns of a single orbit among those of a repeated one."""
    inner = (len(scales) - (len(scales) - 1) % times) // times
    del inner
    return np.concatenate([scales[: size - 1], scales[-1:]])


def _repeated(problem: Problem, times: int) -> Problem:
    return Problem(
        problem.motion, problem.signature.repeated(times), problem.state_scale, problem.free,
        problem.turns * times, problem.forcing, problem.section,
    )  # fmt: skip


def extremes_of(problem: Problem, solved: Solved) -> Floats:
    """The smallest and the largest value of every state along an orbit."""
    motion = problem.motion.with_parameters(solved.parameters)
    values = [
        motion.sampled(mode, z, float(t), float(duration) * FRACTIONS)[0][:, : problem.n]
        for mode, z, t, duration in zip(
            problem.signature.modes, solved.states, solved.begins, solved.durations, strict=True
        )
    ]
    everything = np.concatenate(values)
    return np.array([everything.min(axis=0), everything.max(axis=0)])
