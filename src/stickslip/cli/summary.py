"""What a run amounts to: phases per contact, the period if there is one, and how far the states go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from stickslip.arrays import Floats
from stickslip.stopping import stops

SAME = 1e-6
"""Cycles that agree to this part of their size count as the same cycle."""
STEADY = 1e-9
"""Cycles that advance must do so evenly to this part: a slow transient looks even, but not that even."""
ROUND_OFF = 1e-15
"""A value below this part of the largest is zero."""
MOST_RELEASES = 64
"""Longer patterns of stick → slip events are not looked for."""


@dataclass(frozen=True)
class Phases:
    """How often and how long one contact sticks."""

    contact: str
    stick: int
    slip: int
    fraction: float


@dataclass(frozen=True)
class Period:
    """The time after which the stick → slip events of a contact, and all states at them, repeat.

    `advance` names the states that grow by a constant each cycle, as a pushed slide does.
    """

    value: float
    contact: str
    releases: int
    agreement: float
    advance: dict[str, float]


@dataclass(frozen=True)
class Extrema:
    """The least and the greatest value of a state."""

    state: str
    least: float
    greatest: float


def phases(run: xr.Dataset) -> list[Phases]:
    """Count the stick and slip phases of every contact; reversal of the slip begins a new slip phase."""
    start, end = span(run)
    found = []
    for i, name in enumerate(run["contact"].values):
        mine = run["event_contact"].values == name
        modes = np.r_[run["mode"].values[:1, i], run["event_after"].values[mine]]
        edges = np.r_[start, run["event_time"].values[mine], end]
        sticks = modes == 0
        fraction = float(np.sum(np.diff(edges)[sticks])) / (end - start) if end > start else 0.0
        found.append(Phases(str(name), int(np.sum(sticks)), int(np.sum(~sticks)), fraction))
    return found


def elastic_stops(run: xr.Dataset) -> list[tuple[str, str, str]]:
    """Contacts whose asperity and block stop at different times, with how often each does; needs dense output."""
    states = {str(name) for name in run["state"].values}
    elastic = [str(name) for name in run["contact"].values if f"deflection.{name}" in states]
    if not elastic or "step_start" not in run or run.sizes["step"] == 0:
        return []
    found = stops(run).sel(contact=elastic)
    counts = zip(found["asperity_stops"].values, found["block_stops"].values, strict=True)
    return [(name, str(a), str(b)) for name, (a, b) in zip(elastic, counts, strict=True)]


def span(run: xr.Dataset) -> tuple[float, float]:
    """When the run begins and ends; sparse samples of a run that stopped early may end before its last event."""
    time, events = run["time"].values, run["event_time"].values
    return float(time[0]), float(np.max(events[-1:], initial=time[-1]))


def period(run: xr.Dataset) -> Period | None:
    """The period of the end of a run, from the first contact whose stick → slip events repeat."""
    released = (run["event_before"].values == 0) & (run["event_after"].values != 0)
    size = sizes(run)
    for name in run["contact"].values:
        mine = released & (run["event_contact"].values == name)
        times, states = run["event_time"].values[mine], run["event_state"].values[mine]
        for count in range(1, min((len(times) - 1) // 2, MOST_RELEASES) + 1):
            pattern = slice(-2 * count - 1, None)
            repeated = _repeated(times[pattern], states[pattern] / size, count)
            if repeated is not None:
                value, agreement, advance = repeated
                names = map(str, run["state"].values)
                moved = {z: float(d) for z, d in zip(names, advance * size, strict=True) if d != 0}
                return Period(value, str(name), count, agreement, moved)
    return None


def _repeated(times: Floats, states: Floats, count: int) -> tuple[float, float, Floats] | None:
    """Period, agreement and advance per cycle of a pattern of `count` events seen twice; None if it does not repeat.

    States are in parts of their size.
    """
    lengths, changes = times[count:] - times[:-count], states[count:] - states[:-count]
    late = float(np.ptp(lengths) / lengths[-1])
    change, uneven = float(np.max(np.abs(changes))), float(np.max(np.ptp(changes, axis=0)))
    if max(late, change) <= SAME:
        return float(lengths[-1]), max(late, change), np.zeros(states.shape[1])
    if max(late, uneven) <= STEADY:
        return float(lengths[-1]), max(late, uneven), np.where(np.abs(changes[-1]) > SAME, changes[-1], 0.0)
    return None


def sizes(run: xr.Dataset) -> Floats:
    """The largest absolute value of every state at samples and events, 1 where it is always zero."""
    at_events = np.max(np.abs(run["event_state"].values), axis=0, initial=0.0)
    at_samples = [np.max(np.abs(run[str(name)].values), initial=0.0) for name in run["state"].values]
    size = np.maximum(at_events, at_samples)
    return np.where(size == 0, 1.0, size)


def extrema(run: xr.Dataset) -> list[Extrema]:
    """The range of every state: from the step polynomials where the run has them, else from samples and events."""
    names = [str(name) for name in run["state"].values]
    ranges = [(-_highest(run, i, -1.0), _highest(run, i, 1.0)) for i in range(len(names))]
    return [Extrema(name, *_rounded(least, greatest)) for name, (least, greatest) in zip(names, ranges, strict=True)]


def _rounded(*values: float) -> list[float]:
    """Values, without the round-off that a state at rest has."""
    largest = max(map(abs, values))
    return [0.0 if abs(value) <= ROUND_OFF * largest else value for value in values]


def _highest(run: xr.Dataset, state: int, sign: float) -> float:
    """The maximum of ±state: near its highest sample, on the polynomials of the steps around it."""
    samples = sign * run[str(run["state"].values[state])].values
    top = int(samples.argmax())
    at_events = sign * run["event_state"].values[:, state]
    best = float(np.max(at_events, initial=samples[top]))
    if "step_start" not in run or run.sizes["step"] == 0:
        return best
    starts, lengths = run["step_start"].values, run["step_length"].values
    step = int(np.searchsorted(starts, run["time"].values[top], side="right")) - 1
    for near in range(max(step - 1, 0), min(step + 2, len(starts))):
        best = max(best, _top(sign * run["step_state"].values[near, state], float(lengths[near])))
    return best


def _top(series: Floats, length: float) -> float:
    """The maximum of a polynomial on [0, length]: look at a grid, then closer and closer around its best point."""
    low, high = 0.0, length
    best = -np.inf
    for _ in range(8):
        tau = np.linspace(low, high, 33)
        values = np.polynomial.polynomial.polyval(tau, series)
        top = int(values.argmax())
        best = max(best, float(values[top]))
        low, high = tau[max(top - 1, 0)], tau[min(top + 1, 32)]
    return best


def changes(run: xr.Dataset) -> Sequence[str]:
    """What happens at each event, in words."""
    words = {0: "stick", 1: "slip+", -1: "slip−"}
    pairs = zip(run["event_before"].values.tolist(), run["event_after"].values.tolist(), strict=True)
    return [f"{words[before]} → {words[after]}" for before, after in pairs]
