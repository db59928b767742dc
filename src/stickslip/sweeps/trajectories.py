"""Trajectories of one model, observed by compiled code."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.field import Field
from stickslip.kernels import observe as kernel
from stickslip.sweeps.layout import Results
from stickslip.sweeps.observation import Codes
from stickslip.targets import cpu

Floats = NDArray[np.float64]
IN_LOCKSTEP = (kernel.NOTHING, kernel.STICK_TO_SLIP, kernel.SLIP_TO_STICK, kernel.STROBE)
"""Observations that trajectories in lockstep can make."""


@dataclass(frozen=True)
class Settings:
    """How every trajectory is integrated, and how much of it is kept."""

    rtol: float
    tolerance: float
    most: int
    most_steps: int
    target: str = "cpu"
    lockstep: bool = False
    """Whether there are enough trajectories for several to travel together."""


def observed(
    field: Field,
    codes: Codes,
    settings: Settings,
    starts: Floats,
    held: NDArray[np.bool_],
    parameters: Floats,
    times: Floats,
) -> Results:
    """What was observed, one row per trajectory; `times` has the ends of transient and run, and the forcing period.

    Contacts that are `held` start at rest.
    """
    if settings.lockstep and codes.kind in IN_LOCKSTEP and field.lanes is not None:
        return _in_lockstep(field, codes, settings, starts, held, parameters, times)
    return _one_by_one(field, codes, settings, starts, held, parameters, times)


def _one_by_one(
    field: Field,
    codes: Codes,
    settings: Settings,
    starts: Floats,
    held: NDArray[np.bool_],
    parameters: Floats,
    times: Floats,
) -> Results:
    m, count = field.program, len(starts)
    rows = np.full((count, max(settings.most, 1), m.ROW_WIDTH), np.nan)
    numbers, measures = np.zeros((count, m.NUMBERS), np.int64), np.zeros((count, m.MEASURES))
    choice = np.array([codes.kind, codes.which, codes.direction, settings.most, settings.most_steps], np.int64)
    starts = np.array(starts, float)  # a copy: the kernel puts contacts at rest in it
    levels = np.array([codes.level, settings.rtol, settings.tolerance, codes.period])
    m.observe(
        np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64), choice, levels, count,
        starts.reshape(-1), _whole(held), np.ascontiguousarray(parameters).reshape(-1),
        np.ascontiguousarray(times).reshape(-1), np.zeros(m.STEP_WIDTH), np.zeros((m.N_CONTACTS + 1) * m.EVENT_WIDTH),
        np.zeros(2, np.int64), np.zeros(2 * m.HISTORY * m.HISTORY_WIDTH), np.zeros(m.TALLY, np.int64),
        rows.reshape(-1), numbers.reshape(-1), measures.reshape(-1),
    )  # fmt: skip
    return _results(field, settings.most, starts, times, rows, numbers, measures)


def _in_lockstep(
    field: Field,
    codes: Codes,
    settings: Settings,
    starts: Floats,
    held: NDArray[np.bool_],
    parameters: Floats,
    times: Floats,
) -> Results:
    """All trajectories in lockstep; then one by one those that lockstep leaves."""
    m, count = field.lanes, len(starts)
    rows = np.full((count, max(settings.most, 1), m.ROW_WIDTH), np.nan)
    numbers, measures = np.zeros((count, m.NUMBERS), np.int64), np.zeros((count, m.MEASURES))
    choice = np.array([codes.kind, codes.which, codes.direction, settings.most, settings.most_steps], np.int64)
    levels = np.array([codes.level, settings.rtol, settings.tolerance, codes.period])
    begun, ring = np.array(starts, float), m.HISTORY * m.HISTORY_WIDTH
    m.observe_lanes(
        np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64), cpu.aligned(m.LANE_ROWS * m.LANES),
        np.zeros(count * m.LANE_ROWS), math.log2(settings.rtol), choice, levels, count,
        begun.reshape(-1), _whole(held), np.ascontiguousarray(parameters).reshape(-1),
        np.ascontiguousarray(times).reshape(-1), np.zeros(m.LANES * ring), np.zeros(ring),
        np.zeros((m.LANES + 1) * m.TALLY, np.int64), rows.reshape(-1), numbers.reshape(-1), measures.reshape(-1),
    )  # fmt: skip
    left = numbers[:, m.STATUS] == m.LEFT
    results = _results(field, settings.most, begun, times, rows, numbers, measures)
    if left.any():
        again = _one_by_one(field, codes, settings, starts[left], held[left], parameters[left], times[left])
        for name, values in again.items():
            results[name][left] = values
    return results


def _whole(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.ascontiguousarray(flags, np.int64).reshape(-1)


def _results(
    field: Field, most: int, starts: Floats, times: Floats, rows: Floats, numbers: NDArray[np.int64], measures: Floats
) -> Results:
    """The numbers of the kernel under their names."""
    m, n = field.program, field.program.N_STATES
    reached = measures[:, m.REACHED]
    watched = reached - times[:, 0]
    seen = (watched > 0)[:, None]
    period = measures[:, m.PERIOD]

    def columns(first: int, width: int) -> Floats:
        return measures[:, first : first + width]

    with np.errstate(divide="ignore", invalid="ignore"):
        stick = columns(m.STUCK, m.N_CONTACTS) / watched[:, None]
    results = {
        "status": numbers[:, m.STATUS].astype(np.int8),
        "count": numbers[:, m.COUNT],
        "events": numbers[:, m.CHANGES],
        "n": numbers[:, m.REPEATS_N],
        "m": numbers[:, m.REPEATS_M],
        "steps": numbers[:, m.STEPS_TAKEN],
        "truncated": numbers[:, m.TRUNCATED] != 0,
        "period": np.where(period > 0, period, np.nan),
        "time": reached,
        "minimum": np.where(seen, columns(m.LOWEST, n), np.nan),
        "maximum": np.where(seen, columns(m.HIGHEST, n), np.nan),
        "stick_fraction": np.where(seen, stick, np.nan),
        "start_state": starts,
        "end_state": columns(m.FINAL_STATE, n),
        "end_mode": numbers[:, m.END_MODE :].astype(np.int8),
    }
    if most:
        contact = rows[:, :, 1]
        results |= {
            "record_time": rows[:, :, 0],
            "record_contact": np.where(np.isnan(contact), -1, contact).astype(np.int16),
            "record_state": rows[:, :, 2:],
        }
    return results
