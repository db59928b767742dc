"""The motion of a system from event to event, for judging the library: clear, slow, and independent of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853
from scipy.optimize import brentq, minimize_scalar
from tests.referee.equations import Equations, Point, Redundant
from tests.referee.modes import choose, is_consistent
from tests.referee.steps import advanced, solver

Floats = NDArray[np.float64]
SAMPLES = 6
"""Guards are looked at in so many places of a step, besides its beginning."""

TOUCHING = 1e-12
"""At an event, contacts that slide slower than this part of the velocity scale have stopped at the same time."""

JUMP = 1e-10
"""A guard that turns negative so little beside a kink, in natural units of time, does so because of a jump there."""

BEYOND = 1e-13
"""A phase that ends at a kink ends so little beyond it, in natural units of time."""

FAR = 1e3
"""States that have gone this many times their scale are on their way to infinity: a spring that pushes outwards."""

FINISHED, LIFT_OFF, NEGATIVE, REDUNDANT, UNDECIDED, CHATTERING, DIVERGING, SLOW = (
    "finished",
    "lift-off",
    "negative friction",
    "redundant",
    "undecided",
    "chattering",
    "diverging",
    "slow",
)

Modes = tuple[int, ...]
Prefer = Callable[[float, tuple[Modes, ...], Callable[[Modes], bool]], Modes]
"""Takes a combination of modes at a time, of several equally good ones; it may ask whether another is consistent."""


@dataclass(frozen=True)
class Event:
    """A contact that changes its mode, `elapsed` after the start."""

    elapsed: float
    contact: int
    before: int
    after: int
    state: tuple[float, ...]


@dataclass
class Motion:
    """What the referee found."""

    start: tuple[float, ...] = ()
    first_modes: tuple[int, ...] = ()
    events: list[Event] = field(default_factory=list)
    samples: list[tuple[float, ...]] = field(default_factory=list)
    frictions: list[tuple[float, ...]] = field(default_factory=list)
    modes: list[tuple[int, ...]] = field(default_factory=list)
    ambiguous: list[float] = field(default_factory=list)
    end: str = FINISHED
    elapsed: float = 0.0
    state: tuple[float, ...] = ()
    steps: int = 0


@dataclass
class Referee:
    """Integrates the motion of a system and says how it goes."""

    equations: Equations
    rtol: float = 1e-12
    touching: float = TOUCHING
    most_events: int = 4000
    most_steps: int = 20_000
    prefer: Prefer | None = None

    def motion(
        self,
        start: Sequence[float],
        duration: float,
        samples: Sequence[float] = (),
        modes: Sequence[int] | None = None,
        begin: float = 0.0,
    ) -> Motion:
        """The motion from `start` at `begin`; `samples` are times at which to note states, frictions and modes.

        All times are counted from the origin of the equations.

        Contacts are at rest where their sliding velocity is exactly zero, or where `modes` has them stick.
        """
        state = [float(z) for z in start]
        result = Motion(start=tuple(state))
        found = self._first_modes(result, begin, state, modes)
        if found is None:
            result.elapsed, result.state = begin, tuple(state)
            return result
        state, current = found
        result.first_modes = tuple(current)
        elapsed, pending = begin, list(samples)
        sides: list[int] = []
        crossing: Crossing | None = None
        while elapsed < duration:
            sides = self._sides(elapsed, state, current, sides, crossing)
            phase = _Phase(self, result, elapsed, state, current, sides, duration, pending)
            elapsed, state, crossing = phase.run()
            if crossing is None:
                break
            if len(result.events) > self.most_events:
                result.end = CHATTERING
                break
            if crossing.kind == KINK:
                sides[crossing.contact] *= -1
                continue
            changed = self._cross(result, elapsed, state, current, crossing)
            if changed is None:
                break
            state, current = changed
        result.elapsed, result.state = elapsed, tuple(state)
        return result

    def _first_modes(
        self, result: Motion, begin: float, state: list[float], modes: Sequence[int] | None
    ) -> tuple[list[float], list[int]] | None:
        sliding = self.equations.at(begin, state, [1] * len(self.equations.contacts)).sliding
        signs = [(v > 0) - (v < 0) for v in sliding] if modes is None else list(modes)
        resting = tuple(i for i, sign in enumerate(signs) if sign == 0)
        if not resting:
            return state, signs
        state = self.equations.at_rest(begin, state, resting)
        chosen = self._settle(result, begin, state, signs, resting)
        return None if chosen is None else (state, chosen)

    def _sides(
        self, elapsed: float, state: list[float], modes: list[int], before: list[int], crossing: Crossing | None
    ) -> list[int]:
        """On which side of every kink the motion is; of the one that it has just reached, on the other."""
        point = self.equations.at(elapsed, state, modes)
        sides = [1 if value > 0 else -1 for value in self.equations.kink_values(elapsed, state, point, modes)]
        if crossing is not None and crossing.kind == KINK:
            sides[crossing.contact] = before[crossing.contact]
        return sides

    def _settle(
        self, result: Motion, elapsed: float, state: list[float], modes: list[int], resting: tuple[int, ...]
    ) -> list[int] | None:
        choice = choose(self.equations, elapsed, state, modes, resting)
        if not choice.options:
            result.end = REDUNDANT if choice.redundant else UNDECIDED
            return None
        if len(choice.options) > 1:
            result.ambiguous.append(elapsed)
        if self.prefer is None:
            return list(choice.options[0])

        def consistent(other: Modes) -> bool:
            if any(other[i] != mode for i, mode in enumerate(modes) if i not in resting):
                return False  # what slides goes on
            try:
                return is_consistent(self.equations, elapsed, state, other, resting)
            except Redundant:
                return False

        return list(self.prefer(elapsed, choice.options, consistent))

    def _cross(
        self, result: Motion, elapsed: float, state: list[float], modes: list[int], crossing: Crossing
    ) -> tuple[list[float], list[int]] | None:
        """Modes after an event."""
        if crossing.kind in (LIFT_OFF, NEGATIVE):
            result.end = crossing.kind
            return None
        sliding = self.equations.at(elapsed, state, modes).sliding
        stopped = self.touching * self.equations.speed_scale
        resting = tuple(
            i for i, mode in enumerate(modes) if mode == 0 or i == crossing.contact or abs(sliding[i]) < stopped
        )
        state = self.equations.at_rest(elapsed, state, resting)
        arriving = [i for i in resting if modes[i]]
        after = self._settle(result, elapsed, self.equations.renewed(state, arriving), modes, resting)
        if after is None:
            return None
        state = self.equations.renewed(state, [i for i in arriving if after[i] == 0])
        for i, (old, new) in enumerate(zip(modes, after, strict=True)):
            if old != new:
                result.events.append(Event(elapsed, i, old, new, tuple(state)))
        return state, after


@dataclass(frozen=True)
class Crossing:
    """A guard that turns negative: of which contact (or which kink), and what that means."""

    contact: int
    kind: str


STOP, RELEASE, KINK = "stop", "release", "kink"


def guards(point: Point, modes: Sequence[int]) -> list[float]:
    """What must stay positive in these modes: four values per contact."""
    values = []
    for i, mode in enumerate(modes):
        if mode:
            values += [mode * point.sliding[i], np.inf, point.normal[i], point.kinetic[i]]
        else:
            limit, friction = point.static[i], point.friction[i]
            values += [limit - friction, limit + friction, point.normal[i], np.inf]
    return values


@dataclass(frozen=True)
class _Step:
    """A step of the solver, and the guards at some places of it."""

    begin: float
    state: list[float]
    dense: Callable[[float], Floats]
    times: list[float]
    values: Floats


def _state_at(t: float, step: _Step, last: _Step | None) -> Floats:
    """The solution at a time of a step, or of the one before."""
    return step.dense(t) if last is None or t >= step.begin else last.dense(t)


class _Phase:
    """One phase of constant modes, to its end."""

    def __init__(
        self,
        referee: Referee,
        result: Motion,
        begin: float,
        state: list[float],
        modes: list[int],
        sides: list[int],
        end: float,
        pending: list[float],
    ) -> None:
        self.referee, self.equations, self.result = referee, referee.equations, result
        self.begin, self.modes, self.sides, self.end, self.pending = begin, modes, sides, end, pending
        self.n = self.equations.states
        self.solver: DOP853 = solver(self.equations, begin, state, modes, end, referee.rtol)
        self.state = state

    def run(self) -> tuple[float, list[float], Crossing | None]:
        """Where the phase ends, and by which guard; None where the motion ends there."""
        last: _Step | None = None
        before = self._guards(self.begin, self.state)
        while self.solver.status == "running":
            old, old_state = float(self.solver.t), self.solver.y[: self.n].tolist()
            with np.errstate(all="ignore"):
                self.solver.step()
            self.result.steps += 1
            far = np.abs(self.solver.y[: self.n] - self.result.start) > FAR * np.array(self.equations.state_scales)
            if self.solver.status == "failed" or not np.all(np.isfinite(self.solver.y)) or np.any(far):
                self.result.end = DIVERGING
                return old, old_state, None
            if self.result.steps > self.referee.most_steps:
                self.result.end = SLOW
                return old, old_state, None
            step = self._step(old, old_state, before)
            found = self._first(step, last)
            if found is not None:
                place, guard = found
                whole = step if last is None or place >= old else last
                place, state = self._polished(whole.begin, whole.state, place, guard)
                self._sample(step, last, place)
                crossing = self._crossing(guard)
                if crossing.kind == KINK:  # what jumps there is evaluated on the other side
                    beyond = min(BEYOND * self.equations.time_scale, self.end - place)
                    state, place = advanced(self.equations, place, state, self.modes, beyond), place + beyond
                return place, state, crossing
            # Beyond the last look but one it is not yet known whether there is an event.
            self._sample(step, last, step.times[-2] if self.solver.status == "running" else step.times[-1])
            last, before = step, step.values[-1].tolist()
        return float(self.solver.t), self.solver.y[: self.n].tolist(), None

    def _step(self, begin: float, state: list[float], before: list[float]) -> _Step:
        """The step that was just made, with its guards."""
        dense = self.solver.dense_output()
        times = np.linspace(begin, float(self.solver.t), SAMPLES + 1)
        states = dense(times[1:])[: self.n].T.tolist()
        values = [before, *[self._guards(t, z) for t, z in zip(times[1:].tolist(), states, strict=True)]]
        return _Step(begin, state, dense, times.tolist(), np.array(values))

    def _crossing(self, guard: int) -> Crossing:
        contact, which = divmod(guard, 4)
        if contact >= len(self.modes):
            return Crossing(guard - 4 * len(self.modes), KINK)
        if which in (2, 3):
            return Crossing(contact, LIFT_OFF if which == 2 else NEGATIVE)
        return Crossing(contact, STOP if self.modes[contact] else RELEASE)

    def _guards(self, elapsed: float, state: Sequence[float]) -> list[float]:
        point = self.equations.at(elapsed, state, self.modes)
        kinks = self.equations.kink_values(elapsed, state, point, self.modes)
        beside = [side * kink for side, kink in zip(self.sides, kinks, strict=True)]
        return guards(point, self.modes) + beside

    def _sample(self, step: _Step, last: _Step | None, until: float) -> None:
        """Note what was asked for up to here."""
        while self.pending and self.pending[0] <= until:
            t = self.pending.pop(0)
            state = _state_at(t, step, last)[: self.n].tolist()
            self.result.samples.append(tuple(state))
            self.result.frictions.append(tuple(self.equations.at(t, state, self.modes).friction))
            self.result.modes.append(tuple(self.modes))

    def _first(self, step: _Step, last: _Step | None) -> tuple[float, int] | None:
        """The first place of a step where a guard turns negative, and which.

        The last look at the step before is looked at again: a guard may dip below zero about the end of a step.
        """
        times, values = step.times, step.values
        if last is not None:
            times, values = [last.times[-2], *times], np.vstack([last.values[-2], values])
        found: list[tuple[float, int]] = []
        for guard in range(values.shape[1]):
            if not np.isfinite(values[0, guard]):
                continue

            def value(t: float, guard: int = guard) -> float:
                return self._guards(t, _state_at(t, step, last)[: self.n].tolist())[guard]

            place = self._turns_negative(value, times, values[:, guard], last is None)
            if place is not None:
                found.append((place, guard))
        if not found:
            return None
        first = min(found)
        jumps = [each for each in found if each[1] >= 4 * len(self.modes)]
        soon = first[0] + JUMP * self.equations.time_scale
        near = [each for each in jumps if each[0] <= soon]
        if near:
            return near[0]  # where a load jumps, the jump comes first, then what it does
        opens = [each for each in found if each[0] <= soon and each[1] == first[1] - 1]
        return opens[0] if opens and first[1] % 4 == 3 else first  # friction turns negative since the load does

    def _turns_negative(
        self, value: Callable[[float], float], times: list[float], column: Floats, fresh: bool
    ) -> float | None:
        for j in range(1, len(times)):
            low = self._dip(value, times, column, j)
            if low is not None:
                return float(brentq(value, times[j - 2], low, xtol=1e-300, rtol=1e-15))
            if column[j] < 0:
                left = times[j - 1]
                if column[j - 1] <= 0 or (fresh and j == 1):
                    left = self._positive_after(value, times[j - 1], times[j])
                    if left is None:
                        return times[j - 1]
                return float(brentq(value, left, times[j], xtol=1e-300, rtol=1e-15))
        return None

    def _positive_after(self, value: Callable[[float], float], begin: float, end: float) -> float | None:
        """A place just after the beginning of a phase where a guard that began at zero is positive."""
        for _ in range(50):
            end = begin + (end - begin) / 2
            if not end > begin:
                return None
            if value(end) > 0:
                return end
        return None

    def _dip(self, value: Callable[[float], float], times: list[float], column: Floats, j: int) -> float | None:
        """The lowest place about sample j − 1 if the guard is negative there but not at the samples."""
        if j < 2:
            return None
        a, b, c = column[j - 2], column[j - 1], column[j]
        if not (a > b > 0 and c > b):
            return None
        slope, bend = (c - a) / 2, a - 2 * b + c
        if b - slope * slope / (2 * bend) > 0.25 * bend:  # a parabola through the samples stays well above zero
            return None
        near = {"xatol": 1e-9 * self.equations.time_scale}
        lowest = minimize_scalar(value, bounds=(times[j - 2], times[j]), method="bounded", options=near)
        return float(lowest.x) if lowest.fun < 0 else None

    def _polished(self, begin: float, state: list[float], place: float, guard: int) -> tuple[float, list[float]]:
        """The place of an event found on the interpolation, on a step that ends there."""
        later = advanced(self.equations, begin, state, self.modes, place - begin)
        for _ in range(3):
            value = self._guards(place, later)[guard]
            nudge = 1e-7 * self.equations.time_scale
            slope = (
                self._guards(place + nudge, advanced(self.equations, place, later, self.modes, nudge))[guard] - value
            ) / nudge
            if not slope < 0 or value == 0:
                break
            shift = -value / slope
            if abs(shift) > 1e-6 * self.equations.time_scale or begin + abs(shift) >= place + shift:
                break
            place += shift
            later = advanced(self.equations, begin, state, self.modes, place - begin)
            if abs(shift) < 1e-14 * self.equations.time_scale:
                break
        return place, later
