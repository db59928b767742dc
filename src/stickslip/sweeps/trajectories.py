"""Trajectories of one model, observed by compiled code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.field import Field, patience
from stickslip.kernels import observe as kernel
from stickslip.kernels.outcome import NOT_COMPUTED
from stickslip.sweeps.layout import NO_PERIOD, STEADY, Results, whole_rows
from stickslip.sweeps.observation import NOTHING, Codes
from stickslip.targets import cpu

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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
    seed: int = 0
    shortcut: bool = True
    """Whether motions in lockstep leave out whole cycles once they repeat themselves."""

    def rows(self, codes: Codes) -> int:
        """Rows that are recorded at most."""
        return 0 if codes == NOTHING else self.most


@dataclass(frozen=True)
class Group:
    """Trajectories by row: starts, contacts held at rest there, parameters, times, and the number of each point.

    `times` has the ends of transient and run, and the period of the excitation.
    """

    starts: Floats
    held: NDArray[np.bool_]
    parameters: Floats
    times: Floats
    points: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Group:
        return Group(
            self.starts[chosen], self.held[chosen], self.parameters[chosen], self.times[chosen], self.points[chosen]
        )

    def flat(self, starts: Floats) -> tuple[Floats, Ints, Floats, Floats]:
        """As the kernels take them; `starts` is a copy that they may change."""
        held = np.ascontiguousarray(self.held, np.int64).reshape(-1)
        parameters, times = (np.ascontiguousarray(a).reshape(-1) for a in (self.parameters, self.times))
        return starts.reshape(-1), held, parameters, times


@dataclass(frozen=True)
class Raw:
    """What the kernels fill: starts with contacts at rest, recorded rows, whole numbers and measures."""

    starts: Floats
    rows: Floats
    numbers: Ints
    measures: Floats

    def put(self, chosen: NDArray[np.bool_], other: Raw) -> None:
        """Take these trajectories from another."""
        for mine, theirs in zip(self.arrays, other.arrays, strict=True):
            mine[chosen] = theirs

    @property
    def arrays(self) -> tuple[Floats, Floats, Ints, Floats]:
        return self.starts, self.rows, self.numbers, self.measures


def observed(field: Field, codes: Codes, settings: Settings, group: Group) -> Results:
    """What was observed, one row per trajectory; recorded rows are packed, those of one trajectory after the other.

    Contacts that are `held` start at rest. Random friction depends on the seed and on the number of the point alone.
    """
    together = settings.lockstep and codes.kind in IN_LOCKSTEP and field.lanes is not None
    raw = (_in_lockstep if together else _one_by_one)(field, codes, settings, group)
    return _results(field, settings.rows(codes), group, raw, settings.tolerance)


def _room(m: Any, codes: Codes, settings: Settings, group: Group) -> Raw:
    """Room for the results; the kernels themselves begin every trajectory with zeros."""
    rows = np.empty((len(group), max(settings.rows(codes), 1), m.ROW_WIDTH))
    numbers, measures = np.zeros((len(group), m.NUMBERS), np.int64), np.empty((len(group), m.MEASURES))
    numbers[:, m.STATUS] = NOT_COMPUTED  # which it stays where the user interrupts
    return Raw(np.array(group.starts, float), rows, numbers, measures)


def _choices(codes: Codes, settings: Settings, group: Group) -> tuple[Ints, Floats]:
    limits = (settings.rows(codes), settings.most_steps, settings.seed, settings.shortcut)
    choice = np.array([codes.kind, codes.which, codes.direction, *limits], np.int64)
    levels = np.array([codes.level, settings.rtol, settings.tolerance, codes.period])
    return np.concatenate([choice, group.points]), levels


def _one_by_one(field: Field, codes: Codes, settings: Settings, group: Group) -> Raw:
    m = field.program
    raw = _room(m, codes, settings, group)
    m.observe(
        np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64), *_choices(codes, settings, group), len(group),
        *group.flat(raw.starts), np.zeros(m.STEP_WIDTH), np.zeros((m.N_CONTACTS + 1) * m.EVENT_WIDTH),
        np.zeros(2, np.int64), np.zeros(2 * m.HISTORY * m.HISTORY_WIDTH), np.zeros(m.TALLY, np.int64),
        raw.rows.reshape(-1), raw.numbers.reshape(-1), raw.measures.reshape(-1),
    )  # fmt: skip
    return raw


def _patience(m: Any, group: Group) -> float:
    """How long these wait for each other: only where an excitation gives the beat do they stay in step."""
    excited = bool((group.times[:, 2] > 0.0).all())
    return patience(m, group.starts, group.parameters) if excited else float(m.IMPATIENT)


def _in_lockstep(field: Field, codes: Codes, settings: Settings, group: Group) -> Raw:
    """All trajectories in lockstep; then one by one those that lockstep leaves."""
    m, count = field.lanes, len(group)
    raw = _room(m, codes, settings, group)
    m.observe_lanes(
        np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64), cpu.aligned(m.LANE_ROWS * m.LANES),
        np.empty(count * m.LANE_ROWS), math.log2(settings.rtol), _patience(m, group),
        *_choices(codes, settings, group), count,
        *group.flat(raw.starts), np.zeros(m.LANES * m.HISTORY * m.HISTORY_WIDTH), np.zeros(m.TALLY, np.int64),
        raw.rows.reshape(-1), raw.numbers.reshape(-1), raw.measures.reshape(-1),
    )  # fmt: skip
    left = raw.numbers[:, m.STATUS] == m.LEFT
    if left.any():
        raw.put(left, _one_by_one(field, codes, settings, group[left]))
    return raw


def _is_steady(field: Field, group: Group, raw: Raw, low: Floats, high: Floats, tolerance: float) -> NDArray[np.bool_]:
    """Where nothing moves from its place any more, at rest or in steady sliding: any time is a period of that.

    Velocities that die out pass zero, and have no size of their own; that of what they change is asked. A place may be
    zero as well: how far contacts have slid since is a size then.
    """
    m = field.program
    places = [i for i, name in enumerate(field.model.states) if not name.startswith("v.")]
    moved, size = (high - low)[:, places], np.maximum(np.abs(low), np.abs(high))[:, places]
    calm = (raw.numbers[:, m.REPEATS_M] == 0) & (raw.numbers[:, m.CHANGES] == 0) & np.isfinite(moved).all(axis=1)
    steady: NDArray[np.bool_] = calm & (moved <= tolerance * size).all(axis=1)
    for i in np.flatnonzero(calm & ~steady).tolist():
        slid = _sliding_speed(field, group.parameters[i], raw, i) * (raw.measures[i, m.REACHED] - group.times[i, 0])
        steady[i] = bool((moved[i] <= tolerance * np.maximum(size[i], slid)).all())
    return steady


def _sliding_speed(field: Field, parameters: Floats, raw: Raw, i: int) -> float:
    """The largest sliding speed at the end of a motion."""
    m = (Field.of(field.model, target="python", order=8) if field.target == "cuda" else field).program
    floats, integers = np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64)
    floats[: m.N_STATES] = raw.measures[i, field.program.FINAL_STATE :][: m.N_STATES]
    floats[m.TIME] = raw.measures[i, field.program.REACHED]
    floats[m.P : m.P + m.N_PARAMETERS] = parameters
    integers[m.MODE : m.MODE + m.N_CONTACTS] = raw.numbers[i, field.program.END_MODE :][: m.N_CONTACTS]
    m.constants(floats)
    m.ingredients(floats, integers)
    return float(np.abs(floats[m.V : m.V + m.N_CONTACTS]).max(initial=0.0))


def _results(field: Field, most: int, group: Group, raw: Raw, tolerance: float) -> Results:
    """The numbers of the kernel under their names."""
    m, n = field.program, field.program.N_STATES
    starts, rows, numbers, measures = raw.arrays
    reached, period = measures[:, m.REACHED].copy(), measures[:, m.PERIOD].copy()
    watched = reached - group.times[:, 0]
    unseen = ~(watched > 0)

    def columns(first: int, width: int) -> Floats:
        """A copy of its own, so that the room of the kernels is freed."""
        return measures[:, first : first + width].copy()

    low, high, stick = columns(m.LOWEST, n), columns(m.HIGHEST, n), columns(m.STUCK, m.N_CONTACTS)
    with np.errstate(divide="ignore", invalid="ignore"):
        stick /= watched[:, None]
    if unseen.any():
        low[unseen] = high[unseen] = stick[unseen] = np.nan
    period[~(period > 0)] = np.nan
    steady = _is_steady(field, group, raw, low, high, tolerance)
    releases, turns = numbers[:, m.REPEATS_N].copy(), numbers[:, m.REPEATS_M].copy()
    releases[turns == 0] = turns[turns == 0] = NO_PERIOD
    releases[steady] = turns[steady] = STEADY
    results: Results = {
        "status": numbers[:, m.STATUS].astype(np.int8),
        "events": numbers[:, m.CHANGES].copy(),
        "n": releases,
        "m": turns,
        "steps": numbers[:, m.STEPS_TAKEN].copy(),
        "period": period,
        "time": reached,
        "minimum": low,
        "maximum": high,
        "stick_fraction": stick,
        "start_state": starts,
        "end_state": columns(m.FINAL_STATE, n),
        "end_mode": numbers[:, m.END_MODE :].astype(np.int8),
    }
    if most:
        counts = numbers[:, m.COUNT].copy()
        packed = whole_rows(rows)[np.arange(most) < counts[:, None]].view(float).reshape(-1, m.ROW_WIDTH)
        results |= {
            "count": counts,
            "truncated": numbers[:, m.TRUNCATED] != 0,
            "record_time": packed[:, 0],
            "record_contact": packed[:, 1].astype(np.int16),
            "record_state": packed[:, 2:],
        }
    return results
