"""A first guess at a periodic orbit: from a run, from a start and a period, or from nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from stickslip.arrays import Floats
from stickslip.errors import ModelError, NotSettled, OrbitError
from stickslip.methods.base import Method
from stickslip.model.errors import check_number, shown
from stickslip.model.system import Model
from stickslip.orbits.motion import Motion
from stickslip.result import Run, evaluate, sample_times, steps_of
from stickslip.simulation import simulate, uninterrupted
from stickslip.status import Status

CLOSENESS = (1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 5e-2)
"""How closely a motion must return, tried in this order; relative to its range."""

SETTLED = 1e-7
NEIGHBOURHOOD = 0.2
"""How near the last three returns of a motion that approaches an orbit must be to each other, relative to its range."""

MOST_RUNS = 14
MOST_STEPS = 20_000
"""Steps after which a motion is no longer expected to repeat itself."""

MOST_TURNS = 64
LONGEST_CYCLE = 400
"""Events in one period that are looked for."""


@dataclass(frozen=True)
class Guess:
    """A point of the orbit, the time at which it is there, and the period (in turns where the system is excited).

    `settled`: whether the motion repeats itself, so that the orbit is the one it settled on. `approaching`: whether its
    last returns came closer to each other, as they do near an orbit that attracts. `rounds` is by how much angles
    advance in a period, `mode` what each contact does there, where it is known: what sticks is at rest to the last
    digit.
    """

    state: Floats
    time: float
    period: float
    scale: Floats
    settled: bool = True
    approaching: bool = True
    rounds: Floats | float = 0.0
    mode: tuple[int, ...] | None = None


def scale_of(values: Floats, states: int) -> Floats:
    """The size of each state along a motion; none is zero."""
    size = np.max(np.abs(values), axis=0) if len(values) else np.ones(states)
    fallback = float(np.max(size, initial=0.0)) or 1.0
    return np.where(size > 1e-12 * fallback, size, fallback)


def guess_from(model: Model, motion: Motion, what: Any, method: Method, forcing: float | None) -> Iterator[Guess]:
    """Guesses, best first."""
    if what is None or _is_start(what):
        yield from _from_start(model, motion, method, forcing, what)
    elif isinstance(what, xr.Dataset) and "end_state" in what:
        yield _from_sweep(model, motion, what, method)
    elif isinstance(what, xr.Dataset):
        found = recurrence(what, motion, forcing)
        if found is None:
            raise OrbitError(
                "the run does not come near any of its earlier states again, so it holds no guess at a period: "
                "simulate longer, or give (start, period)"
            )
        yield found[0]
    elif isinstance(what, tuple | list) and len(what) == 2:
        yield _from_point(model, motion, what[0], what[1], method)
    else:
        raise OrbitError(
            f"the guess is {shown(what)}: give a run, an Orbit, a point of a sweep, a start, or (start, period)"
        )


def _is_start(what: Any) -> bool:
    """Whether a guess is a start alone: states by name, or numbers."""
    if isinstance(what, Mapping):
        return not isinstance(what, xr.Dataset)
    return isinstance(what, list | tuple | np.ndarray) and all(isinstance(x, int | float | np.number) for x in what)


def _from_point(model: Model, motion: Motion, start: Any, period: Any, method: Method) -> Guess:
    try:
        state = np.array(model.start_state(start if isinstance(start, Mapping) else list(start)), float)
        period = check_number("the guess: period", period, positive=True)
    except ModelError as error:
        raise OrbitError(str(error)) from None
    return _with_scale(model, motion, Guess(state, 0.0, float(period), np.ones(len(state))), method)


def _from_sweep(model: Model, motion: Motion, point: xr.Dataset, method: Method) -> Guess:
    """The end of a motion of a sweep, with the period that was found there."""
    if point["period"].ndim:
        example = {str(name): 0 for name in point["period"].dims}
        raise OrbitError(
            f"the guess is a sweep of {point['period'].size} points: give one of them, data.isel({example})"
        )
    names, period = tuple(map(str, point["state"].values)), float(point["period"])
    if names != model.states:
        raise OrbitError(f"the guess is of a model with the states {', '.join(names)}, not {', '.join(model.states)}")
    if not period > 0:
        raise OrbitError(
            "the guess is a point of a sweep at which no period was found: sweep longer, or take a run from its "
            "end_state as the guess"
        )
    time, mode = float(point["time"]), tuple(int(each) for each in point["end_mode"].values)
    state = motion.at_rest(point["end_state"].values, time, mode)
    return _with_scale(model, motion, Guess(state, time, period, np.ones(len(state)), mode=mode), method)


def _with_scale(model: Model, motion: Motion, guess: Guess, method: Method) -> Guess:
    """A guess with the sizes of its states and its whole turns, from one period of the motion there."""
    times = guess.time, guess.time + guess.period
    path = Path(simulated(model, times, list(guess.state), method), motion)
    rounds = path.rounds(path.last - path.values[0])
    return replace(guess, scale=scale_of(path.values, len(guess.state)), rounds=rounds)


def _from_start(model: Model, motion: Motion, method: Method, forcing: float | None, start: Any) -> Iterator[Guess]:
    """Simulate until the motion repeats itself, longer and longer, but not without end."""
    try:
        state: Any = list(model.start_state(start))
    except ModelError as error:
        raise OrbitError(f"the guess: {error}") from None
    time, length = 0.0, forcing * 64 if forcing else 40 * motion.time_scale(np.array(state, float))
    size, steps = 0.0, 0
    for _ in range(MOST_RUNS):
        # Each run begins at the time zero, which is that of any whole period: a clock that grows loses digits.
        run = simulated(model, (0.0, length), state, method)
        path = Path(run, motion)
        size = max(size, float(np.max(np.abs(path.values))))
        if np.all(path.range <= 1e-6 * size):  # nothing moves any more, compared with how the motion began
            raise OrbitError(_at_rest(model, path))
        found = _recurrence(path, forcing)
        if found is not None:
            yield replace(found[0], settled=found[1] <= SETTLED)
            if found[1] <= SETTLED:
                return
        state = list(map(float, path.last))  # as it would be at the time zero
        time, length = time + length, 2 * length if length < 2000 * (forcing or np.inf) else length
        steps += int(run.attrs["steps"])
        if steps > MOST_STEPS:
            break
    raise NotSettled(
        f"the motion from this start has not settled on a periodic orbit by t = {time:.6g}; it may be chaotic or "
        "quasi-periodic, which `lyapunov` tells, or settle later: then give a longer run as the guess. For an unstable "
        "orbit that it passes by give unstable=True (--unstable), or a guess=(start, period) near one"
    )


def _at_rest(model: Model, path: Path) -> str:
    """What a motion that changes no more is."""
    values = ", ".join(f"{name} = {x:.6g}" for name, x in zip(model.states, path.last, strict=True))
    if np.any(path.pace) or path.D.size:
        return (
            f"the motion becomes even, with {values} beside what advances, and is no orbit: start it elsewhere with "
            "guess=(start, period), or with other parameters"
        )
    return (
        f"the motion comes to rest at {values}, which is an equilibrium and not an orbit: start it elsewhere with "
        "guess=(start, period), or use find_equilibria"
    )


def simulated(model: Model, times: tuple[float, float], start: Any, method: Method) -> Run:
    """A whole run; one that ends early is no guess."""
    run = uninterrupted(simulate(model, t=times[1], start_time=times[0], start=start, method=method, samples=2))
    if run.attrs["outcome"] != Status.FINISHED.word:
        raise OrbitError(f"no periodic motion was found from this start: {run.attrs['status']}")
    return run


class Path:
    """What a run did: its steps, and its states several times in each of them, as seen from what advances evenly with
    time; and without shifts that the equations do not feel."""

    def __init__(self, run: xr.Dataset, motion: Motion) -> None:
        self.steps, self.pace, self.turns = steps_of(run), motion.moving, motion.turns
        self.D = motion.free(np.ones(motion.states))
        self.mode = tuple(int(m) for m in run["mode"].values[-1])
        self.begin = float(self.steps.start[0])
        self.end = float(self.steps.start[-1] + self.steps.length[-1])
        self.times = sample_times(self.steps)
        self.values = self.at(self.times)
        self.last = self.values[-1]
        half = self.values[len(self.values) // 2 :]
        self.scale, self.range = scale_of(half, len(self.last)), np.ptp(half, axis=0)

    def at(self, times: Floats) -> Floats:
        """States at given times."""
        steps = self.steps
        index = np.clip(np.searchsorted(steps.start, times, side="right") - 1, 0, len(steps) - 1)
        tau = np.clip(times - steps.start[index], 0.0, steps.length[index])
        return self._seen(evaluate(steps.state[index], tau) - np.outer(times, self.pace))

    def _seen(self, values: Floats) -> Floats:
        """Without what is a shift alone."""
        return np.asarray(values - values @ self.D @ self.D.T, float)

    def rounds(self, change: Floats) -> Floats:
        """The whole turns in changes of state."""
        total = np.zeros(change.shape)
        for turn in self.turns:
            pivot = int(np.argmax(np.abs(turn)))
            total += np.round(change[..., pivot] / turn[pivot])[..., None] * turn
        return total

    def _folded(self, change: Floats) -> Floats:
        """Changes of state, in which a turn more or less is none."""
        for turn in self.turns:
            pivot = int(np.argmax(np.abs(turn)))
            part = change[..., pivot] / turn[pivot]
            change = change + (np.sin(2 * np.pi * part) / (2 * np.pi) - part)[..., None] * turn
        return change

    @property
    def span(self) -> Floats:
        """The range of each state, by which distances are measured; none is zero."""
        return np.where(self.range > 1e-12 * self.scale, self.range, self.scale)

    def returns(self) -> Floats:
        """Times at which the motion crosses the plane through its last state, across its last direction: latest
        first."""
        tau = self.end - self.steps.start[-1]
        powers = np.arange(1, self.steps.state.shape[2])
        rate = np.sum(self.steps.state[-1][:, 1:] * powers * tau ** (powers - 1.0), axis=1)
        normal = self._seen((rate - self.pace)[None, :])[0] / self.span**2
        height = self._folded(self.values - self.last) @ normal
        # Without the last state itself.
        found = np.nonzero((height[:-1] < 0) & (height[1:] >= 0) & (self.times[1:] < self.end))[0]
        latest = found[::-1][:LONGEST_CYCLE]
        below, above = self.times[latest], self.times[latest + 1]
        for _ in range(60 if len(latest) else 0):
            middle = 0.5 * (below + above)
            is_below = self._folded(self.at(middle) - self.last) @ normal < 0
            below, above = np.where(is_below, middle, below), np.where(is_below, above, middle)
        return np.asarray(above, float)


def recurrence(run: xr.Dataset, motion: Motion, forcing: float | None) -> tuple[Guess, float] | None:
    """The last period of a run, and how closely it returns; None where it never comes near an earlier state."""
    return _recurrence(Path(run, motion), forcing)


def _recurrence(path: Path, forcing: float | None) -> tuple[Guess, float] | None:
    if forcing is not None:
        count = min(int((path.end - path.begin) / forcing * (1 + 1e-12)), MOST_TURNS)
        times = path.end - forcing * np.arange(1, count + 1)
    else:
        times = path.returns()
    if len(times) == 0:
        return None
    inside = path.at(np.maximum(times, path.begin))
    change = path.last - inside
    distance = np.max(np.abs(change - path.rounds(change)) / path.span, axis=1)
    for closeness in CLOSENESS:
        near = np.nonzero(distance <= closeness)[0]
        if len(near):
            nearest = int(near[0])
            period, now = path.end - float(times[nearest]), float(distance[nearest])
            before = np.inf
            if path.end - 2 * period >= path.begin:
                earlier = path.at(np.array([path.end - 2 * period]))[0]
                past = inside[nearest] - earlier
                before = float(np.max(np.abs(past - path.rounds(past)) / path.span))
            approaching = now <= before <= NEIGHBOURHOOD
            rounds = path.rounds(change[nearest])
            state = path.last + path.pace * path.end
            guess = Guess(state, path.end, period, path.scale, True, approaching, rounds, path.mode)
            return guess, now
    return None
