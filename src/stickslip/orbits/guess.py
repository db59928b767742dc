"""A first guess at a periodic orbit: from a run, from a start and a period, or from nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from stickslip.methods.base import Method
from stickslip.model.errors import ModelError, check_number
from stickslip.model.system import Model
from stickslip.orbits.motion import Motion
from stickslip.result import sampled, steps_of
from stickslip.simulation import simulate
from stickslip.status import Status

Floats = NDArray[np.float64]
CLOSENESS = (1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 5e-2)
"""How closely a motion must return, tried in this order; relative to its range."""

SETTLED = 1e-7
MOST_RUNS = 14
MOST_STEPS = 20_000
MOST_TURNS = 64
LONGEST_CYCLE = 400
"""Events in one period that are looked for."""


class OrbitError(ValueError):
    """An orbit that was not found, or cannot be used as asked; the message says why, and what to try."""


@dataclass(frozen=True)
class Guess:
    """A point of the orbit, the time at which it is there, and the period (in turns where the system is excited)."""

    state: Floats
    time: float
    period: float
    scale: Floats
    settled: bool = True


def scale_of(values: Floats, states: int) -> Floats:
    """The size of each state along a motion; none is zero."""
    size = np.max(np.abs(values), axis=0) if len(values) else np.ones(states)
    fallback = float(np.max(size, initial=0.0)) or 1.0
    return np.where(size > 1e-12 * fallback, size, fallback)


def guess_from(model: Model, motion: Motion, what: Any, method: Method, forcing: float | None) -> Iterator[Guess]:
    """Guesses, best first."""
    if what is None or _is_start(what):
        yield from _from_start(model, motion, method, forcing, what)
    elif isinstance(what, xr.Dataset):
        found = recurrence(what, forcing)
        if found is None:
            raise OrbitError(
                "the run does not come near any of its earlier states again, so it holds no guess at a period: "
                "simulate longer, or give (start, period)"
            )
        yield found[0]
    elif isinstance(what, tuple | list) and len(what) == 2:
        yield _from_point(model, motion, what[0], what[1], method)
    else:
        raise OrbitError(f"the guess is {what!r}: give a run, an Orbit, a start, or (start, period)")


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
    run = simulate(model, t=period, start=list(state), method=method)
    values = np.column_stack([run[name].values for name in model.states])
    return Guess(state, 0.0, float(period), scale_of(values, len(state)))


def _from_start(model: Model, motion: Motion, method: Method, forcing: float | None, start: Any) -> Iterator[Guess]:
    """Simulate until the motion repeats itself, longer and longer."""
    try:
        state: Any = list(model.start_state(start))
    except ModelError as error:
        raise OrbitError(f"the guess: {error}") from None
    time, length = 0.0, forcing * 64 if forcing else 40 * motion.time_scale(np.array(state, float))
    size = 0.0
    for _ in range(MOST_RUNS):
        run = simulate(model, t=(time, time + length), start=state, method=method)
        if run.attrs["outcome"] != Status.FINISHED.word:
            raise OrbitError(f"no periodic motion was found from this start: {run.attrs['status']}")
        size = max(size, *(float(np.max(np.abs(run[name].values))) for name in model.states))
        if _is_still(run, model, size):
            values = ", ".join(f"{name} = {float(run[name][-1]):.6g}" for name in model.states)
            raise OrbitError(
                f"the motion comes to rest at {values}, which is an equilibrium and not an orbit: start it elsewhere "
                "with guess=(start, period), or use find_equilibria"
            )
        found = recurrence(run, forcing)
        if found is not None:
            yield replace(found[0], settled=found[1] <= SETTLED)
            if found[1] <= SETTLED:
                return
        state = [float(run[name][-1]) for name in model.states]
        time, length = time + length, 2 * length if length < 2000 * (forcing or np.inf) else length
        if int(run.attrs["steps"]) > MOST_STEPS:
            break


def _is_still(run: xr.Dataset, model: Model, size: float) -> bool:
    """Whether nothing moves any more in the second half of a run, compared with how the motion began."""
    half = slice(run.sizes["time"] // 2, None)
    return all(float(np.ptp(run[name].values[half])) <= 1e-6 * size for name in model.states)


def recurrence(run: xr.Dataset, forcing: float | None) -> tuple[Guess, float] | None:
    """The last period of a run, and how closely it returns; None where it never comes near an earlier state."""
    steps = steps_of(run)
    end = float(steps.start[-1] + steps.length[-1])
    begin = float(steps.start[0])
    values = np.column_stack([run[str(name)].values for name in run["state"].values])
    half = values[len(values) // 2 :]
    scale, span = scale_of(half, values.shape[1]), np.ptp(half, axis=0)
    span = np.where(span > 1e-12 * scale, span, scale)
    last = sampled(steps, np.array([end]))["state"][0]
    if forcing is not None:
        count = min(int((end - begin) / forcing * (1 + 1e-12)), MOST_TURNS)
        times = end - forcing * np.arange(1, count + 1)
    else:
        times = _returns(run, end, last, steps, span)
    if len(times) == 0:
        return None
    inside = sampled(steps, np.maximum(times, begin))["state"]
    distance = np.max(np.abs(inside - last) / span, axis=1)
    for closeness in CLOSENESS:
        near = np.nonzero(distance <= closeness)[0]
        if len(near):
            return Guess(last, end, end - float(times[near[0]]), scale), float(distance[near[0]])
    return None


def _returns(run: xr.Dataset, end: float, last: Floats, steps: Any, span: Floats) -> Floats:
    """Times at which the motion crosses the plane through its last state, across its last direction; latest first."""
    times = run["time"].values
    values = np.column_stack([run[str(name)].values for name in run["state"].values])
    tau = end - steps.start[-1]
    powers = np.arange(1, steps.state.shape[2])
    rate = np.sum(steps.state[-1][:, 1:] * powers * tau ** (powers - 1.0), axis=1)
    normal = rate / span**2
    height = (values - last) @ normal
    found = np.nonzero((height[:-1] < 0) & (height[1:] >= 0))[0]
    roots = []
    for i in found[::-1][:LONGEST_CYCLE]:
        if times[i + 1] >= end:  # the last state itself
            continue
        a, b = float(times[i]), float(times[i + 1])
        for _ in range(60):
            middle = 0.5 * (a + b)
            if (sampled(steps, np.array([middle]))["state"][0] - last) @ normal < 0:
                a = middle
            else:
                b = middle
        roots.append(b)
    return np.array(roots)
