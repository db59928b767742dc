"""A run cut into pieces of constant mode: what every picture of a run is drawn from.

With dense output the pieces are the step polynomials themselves, evaluated densely enough to look smooth;
without it they are the samples, cut at the event times.  Force and mode jump between pieces, so pieces are
never joined by a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats, Integers
from stickslip.errors import PictureError

if TYPE_CHECKING:
    import xarray


POINT_BUDGET = 200_000
"""About as many points as a picture needs: more take time to draw and show nothing new."""
MOST_PER_STEP = 48
SMOOTH_PER_STEP = 12
"""Points per step below which a curve shows corners: the steps of a Taylor integrator are long."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch of a run in one mode; `force`, `slip_velocity` have a row per contact, NaN where unknown."""

    mode: tuple[int, ...]
    time: Floats
    states: dict[str, Floats]
    force: Floats
    slip_velocity: Floats


@dataclass(frozen=True, eq=False)
class Segments:
    """The modes of some contacts in time: `modes[i]` holds from `start[i]` to `end[i]`."""

    start: Floats
    end: Floats
    modes: Integers

    def merged(self) -> tuple[Integers, Integers]:
        """First and last index of each stretch of equal modes."""
        changes = np.flatnonzero(np.any(self.modes[1:] != self.modes[:-1], axis=1)) + 1
        return np.r_[0, changes], np.r_[changes - 1, len(self.start) - 1]


def check_run(run: object) -> None:
    """Raise a sentence if `run` is no run, or an empty one."""
    missing = {"time", "state", "contact", "mode", "force"} - set(getattr(run, "variables", ()))
    if missing:
        raise PictureError(f"a picture needs a run, the dataset that simulate returns, not a {type(run).__name__}")
    if run["time"].size == 0:  # type: ignore[index]
        raise PictureError("this run has no samples, so there is nothing to draw")


def pieces(
    run: xarray.Dataset,
    contact_indices: Sequence[int] | None = None,
    states: Sequence[str] | None = None,
) -> list[Piece]:
    """The run as consecutive pieces in which the modes of the given contacts stay the same.

    Without `contact_indices` all contacts count, with an empty list none; `states` names the states to
    evaluate, all by default.  Each piece includes both its ends.
    """
    chosen = range(run.sizes["contact"]) if contact_indices is None else contact_indices
    contacts = list(chosen)
    known = [str(name) for name in run["state"].values]
    wanted = known if states is None else list(states)
    if has_steps(run):
        return _pieces_of_steps(run, contacts, {name: known.index(name) for name in wanted})
    return _pieces_of_samples(run, contacts, {name: known.index(name) for name in wanted})


def latest(run: xarray.Dataset) -> tuple[xarray.Dataset, list[str]]:
    """The end of a run, as much of it as can be drawn smoothly; and a sentence about it, if that is not all.

    For pictures without a time axis, in which a long run passes over the same places again and again.
    """
    most = POINT_BUDGET // SMOOTH_PER_STEP
    if not has_steps(run) or run.sizes["step"] <= most:
        return run, []
    shown = run.isel(step=slice(-most, None))
    start = float(shown["step_start"].values[0])
    shown = shown.isel(event=np.flatnonzero(shown["event_time"].values >= start))
    return shown, [f"Shown: the last {most} of {run.sizes['step']} steps, from t = {start:.6g} on."]


def within(run: xarray.Dataset, window: tuple[float, float]) -> xarray.Dataset:
    """The part of a run between two times: its samples, events, and the steps cut at both."""
    time = run["time"].values
    try:
        first, last = (float(value) for value in window)
    except (TypeError, ValueError):
        raise PictureError(f"window is {window!r}: give two times, (from, to)") from None
    if not first < last or last < time[0] or first > time[-1]:
        raise PictureError(f"window is from {first:g} to {last:g}: the run covers {time[0]:g} to {time[-1]:g}")
    shown = run.isel(
        time=np.flatnonzero((time >= first) & (time <= last)),
        event=np.flatnonzero((run["event_time"].values >= first) & (run["event_time"].values <= last)),
    )
    if has_steps(run):
        start, length = run["step_start"].values, run["step_length"].values
        shown = _cut(shown.isel(step=np.flatnonzero((start < last) & (start + length > first))), first, last)
    if shown["time"].size == 0 and not has_steps(shown):
        raise PictureError(f"window is from {first:g} to {last:g}: the run has no sample there")
    return shown


def _cut(run: xarray.Dataset, first: float, last: float) -> xarray.Dataset:
    """The run with its first and its last step cut off at these times."""
    start = run["step_start"].values.astype(float)
    end = start + run["step_length"].values
    changed: dict[str, Any] = {}
    if len(start) and start[0] < first:
        for name in ("step_state", "step_force", "step_slip_velocity"):
            values = run[name].values.copy()
            values[0] = _shifted(values[0], first - start[0])
            changed[name] = (run[name].dims, values)
        start[0] = first
    changed |= {"step_start": ("step", start), "step_length": ("step", np.minimum(end, last) - start)}
    return run.assign(changed)


def _shifted(coefficients: Floats, by: float) -> Floats:
    """Polynomials in τ (a row each, the constant first) as polynomials in τ − by: Horner's scheme, again and again."""
    shifted = coefficients.copy()
    powers = coefficients.shape[-1]
    for lowest in range(powers - 1):
        for k in range(powers - 2, lowest - 1, -1):
            shifted[..., k] += by * shifted[..., k + 1]
    return shifted


def extent(run: xarray.Dataset) -> tuple[float, float]:
    """The times between which a run is known."""
    if has_steps(run):
        start, length = run["step_start"].values, run["step_length"].values
        return float(start[0]), float(start[-1] + length[-1])
    return float(run["time"].values[0]), float(run["time"].values[-1])


def at_times(run: xarray.Dataset, times: Floats) -> tuple[dict[str, Floats], Integers]:
    """The states and the modes of all contacts at some times; at an event, the modes just after it."""
    known = [str(name) for name in run["state"].values]
    if has_steps(run):
        start, length = run["step_start"].values, run["step_length"].values
        step = np.clip(np.searchsorted(start, times, "right") - 1, 0, len(start) - 1)
        tau = np.clip(times - start[step], 0.0, length[step])
        states = {name: _evaluate(run["step_state"].values[:, i], step, tau) for i, name in enumerate(known)}
        return states, run["step_mode"].values[step]
    states = {name: np.interp(times, run["time"].values, run[name].values) for name in known}
    segments = _segments(run, list(range(run.sizes["contact"])))
    return states, segments.modes[np.clip(np.searchsorted(segments.start, times, "right") - 1, 0, None)]


def spans(run: xarray.Dataset, contact: int) -> list[tuple[float, float, int]]:
    """(start, end, mode) of one contact from the beginning to the end of the run."""
    segments = _segments(run, [contact])
    first, last = segments.merged()
    start, end, mode = segments.start[first], segments.end[last], segments.modes[first, 0]
    return list(zip(start.tolist(), end.tolist(), mode.tolist(), strict=True))


def joined(curves: Iterable[Floats]) -> Floats:
    """Several curves as one array, with NaN between them: one line draws them all, and none to the next."""
    parts: list[Floats] = []
    for curve in curves:
        parts += [curve, np.array([np.nan])]
    return np.concatenate(parts[:-1]) if parts else np.empty(0)


def has_steps(run: xarray.Dataset) -> bool:
    """Whether the run carries dense output."""
    return "step_start" in run.variables and run["step_start"].size > 0


def _segments(run: xarray.Dataset, contacts: list[int]) -> Segments:
    if has_steps(run):
        start = run["step_start"].values
        return Segments(start, start + run["step_length"].values, run["step_mode"].values[:, contacts])
    return _segments_of_events(run, contacts)


def _segments_of_events(run: xarray.Dataset, contacts: list[int]) -> Segments:
    time, event_time = run["time"].values, run["event_time"].values
    inside = np.flatnonzero((event_time > time[0]) & (event_time < time[-1]))
    edges = np.unique(event_time[inside])
    number = {str(name): i for i, name in enumerate(run["contact"].values)}
    contact = [number[str(name)] for name in run["event_contact"].values[inside]]
    modes = np.tile(run["mode"].values[0], (len(edges) + 1, 1))
    row = np.searchsorted(edges, event_time[inside]) + 1
    for i, j, mode in zip(row, contact, run["event_after"].values[inside], strict=True):
        modes[i:, j] = mode
    return Segments(np.r_[time[0], edges], np.r_[edges, time[-1]], modes[:, contacts])


def _pieces_of_steps(run: xarray.Dataset, contacts: list[int], states: dict[str, int]) -> list[Piece]:
    segments = _segments(run, contacts)
    first, last = segments.merged()
    step, tau, cuts = _points(run["step_length"].values, first, last)
    time = segments.start[step] + tau
    curves = {name: _evaluate(run["step_state"].values[:, i], step, tau) for name, i in states.items()}
    force, slip_velocity = (
        np.reshape([_evaluate(run[name].values[:, i], step, tau) for i in contacts], (len(contacts), len(time)))
        for name in ("step_force", "step_slip_velocity")
    )
    return [
        Piece(
            tuple(segments.modes[i].tolist()),
            time[a:b],
            {name: curve[a:b] for name, curve in curves.items()},
            force[:, a:b],
            slip_velocity[:, a:b],
        )
        for i, a, b in zip(first, cuts[:-1], cuts[1:], strict=True)
    ]


def _points(lengths: Floats, first: Integers, last: Integers) -> tuple[Integers, Floats, Integers]:
    """Where to evaluate: step number and τ of each point, and where stretches of equal modes begin."""
    per_step = int(np.clip(POINT_BUDGET // len(lengths), 2, MOST_PER_STEP))
    if per_step * len(lengths) <= POINT_BUDGET:
        step = np.repeat(np.arange(len(lengths)), per_step)
        tau = np.outer(lengths, np.linspace(0.0, 1.0, per_step)).ravel()
        return step, tau, np.r_[first * per_step, len(step)]
    # More steps than points: keep the start of every n-th step of a stretch, and always its two ends.
    stride = -(-len(lengths) // POINT_BUDGET)
    steps = [np.r_[np.arange(a, b + 1, stride), b] for a, b in zip(first, last, strict=True)]
    cuts = np.r_[0, np.cumsum([len(s) for s in steps])]
    step = np.concatenate(steps)
    tau = np.zeros(len(step))
    tau[cuts[1:] - 1] = lengths[last]
    return step, tau, cuts


def _evaluate(coefficients: Floats, step: Integers, tau: Floats) -> Floats:
    """Σ_k coefficients[step, k] τ^k by Horner's rule."""
    value = np.zeros(len(tau))
    for column in coefficients.T[::-1]:
        value = value * tau + column[step]
    return value


def _pieces_of_samples(run: xarray.Dataset, contacts: list[int], states: dict[str, int]) -> list[Piece]:
    """Samples between two events, with the states at the events as ends; the force there is not known."""
    segments = _segments(run, contacts)
    time, event_time = run["time"].values, run["event_time"].values
    force, slip_velocity = run["force"].values.T[contacts], run["slip_velocity"].values.T[contacts]
    result = []
    for i, j in zip(*segments.merged(), strict=True):
        start, end = segments.start[i], segments.end[j]
        before = [int(np.searchsorted(event_time, start))] if i > 0 else []
        after = [int(np.searchsorted(event_time, end))] if j < len(segments.start) - 1 else []
        a = np.searchsorted(time, start, "right") if before else 0
        b = np.searchsorted(time, end, "left") if after else len(time)
        padding = ((0, 0), (len(before), len(after)))
        at_events = run["event_state"].values
        result.append(
            Piece(
                tuple(segments.modes[i].tolist()),
                np.r_[event_time[before], time[a:b], event_time[after]],
                {
                    name: np.r_[at_events[before, k], run[name].values[a:b], at_events[after, k]]
                    for name, k in states.items()
                },
                np.pad(force[:, a:b], padding, constant_values=np.nan),
                np.pad(slip_velocity[:, a:b], padding, constant_values=np.nan),
            )
        )
    return result
