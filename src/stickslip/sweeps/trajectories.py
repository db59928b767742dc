"""Trajectories of one model, observed by compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.field import Field
from stickslip.sweeps.layout import Results
from stickslip.sweeps.observation import NOTHING, Codes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """How every trajectory is integrated, and how much of it is kept."""

    rtol: float
    tolerance: float
    most: int
    most_steps: int
    target: str = "cpu"
    seed: int = 0

    def rows(self, codes: Codes) -> int:
        """Rows that are recorded at most."""
        return 0 if codes == NOTHING else self.most


def observed(
    field: Field,
    codes: Codes,
    settings: Settings,
    starts: Floats,
    held: NDArray[np.bool_],
    parameters: Floats,
    times: Floats,
    points: NDArray[np.int64],
) -> Results:
    """What was observed, one row per trajectory; `times` has the ends of transient and run, and the forcing period.

    Contacts that are `held` start at rest. Recorded rows are packed: those of one trajectory after the other. Random
    friction depends on the seed and on the number of the point alone.
    """
    m, count, most = field.program, len(starts), settings.rows(codes)
    rows = np.empty((count, max(most, 1), m.ROW_WIDTH))
    numbers, measures = np.zeros((count, m.NUMBERS), np.int64), np.zeros((count, m.MEASURES))
    limits = (most, settings.most_steps, settings.seed)
    choice = np.array([codes.kind, codes.which, codes.direction, *limits, *points], np.int64)
    starts = np.array(starts, float)  # a copy: the kernel puts contacts at rest in it
    levels = np.array([codes.level, settings.rtol, settings.tolerance, codes.period])
    m.observe(
        np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64), choice, levels, count,
        starts.reshape(-1), _whole(held), np.ascontiguousarray(parameters).reshape(-1),
        np.ascontiguousarray(times).reshape(-1), np.zeros(m.STEP_WIDTH), np.zeros((m.N_CONTACTS + 1) * m.EVENT_WIDTH),
        np.zeros(2, np.int64), np.zeros(2 * m.HISTORY * m.HISTORY_WIDTH), np.zeros(m.TALLY, np.int64),
        rows.reshape(-1), numbers.reshape(-1), measures.reshape(-1),
    )  # fmt: skip
    return _results(field, most, starts, times, rows, numbers, measures)


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
    results: Results = {
        "status": numbers[:, m.STATUS].astype(np.int8),
        "events": numbers[:, m.CHANGES],
        "n": numbers[:, m.REPEATS_N],
        "m": numbers[:, m.REPEATS_M],
        "steps": numbers[:, m.STEPS_TAKEN],
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
        counts = numbers[:, m.COUNT]
        packed = rows[np.arange(most) < counts[:, None]]
        results |= {
            "count": counts,
            "truncated": numbers[:, m.TRUNCATED] != 0,
            "record_time": packed[:, 0],
            "record_contact": packed[:, 1].astype(np.int16),
            "record_state": packed[:, 2:],
        }
    return results
