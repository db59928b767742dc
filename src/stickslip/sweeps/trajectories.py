"""Trajectories of one model, observed by compiled code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stickslip.arrays import Bools, Floats, Ints
from stickslip.field import Field, lanes_of, patience
from stickslip.kernels import observation as kernel
from stickslip.kernels.condition import ARRIVED, PARKED
from stickslip.kernels.outcome import LEFT, NOT_COMPUTED
from stickslip.kernels.records import Records
from stickslip.sweeps.layout import NO_PERIOD, STEADY, Results
from stickslip.sweeps.observation import NOTHING, Change, Codes
from stickslip.sweeps.packed import Ragged, unfolded
from stickslip.targets.program import Columns, Program

CROSSINGS = (kernel.SECTION, kernel.MAXIMA)
"""Observations for which the polynomials of every step are looked at."""


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

    `times` has the ends of transient and run, and the period of the excitation. They begin at the time zero, or when
    `begins` says.
    """

    starts: Floats
    held: Bools
    parameters: Floats
    times: Floats
    points: Ints
    begins: Floats | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, chosen: Bools) -> Group:
        columns = (None if column is None else column[chosen] for column in vars(self).values())
        return Group(*columns)  # type: ignore[arg-type]

    def courses(self, kernels: Any) -> Records[Any]:
        """As the kernels take them: they put contacts at rest there."""
        courses = Records(kernels.Course, len(self))
        courses.column("state")[:] = self.starts
        courses.column("parameter")[:] = self.parameters
        courses.column("held")[:] = self.held
        courses.column("number")[:] = self.points
        courses.column("start_time")[:] = 0.0 if self.begins is None else self.begins
        for i, name in enumerate(("transient_end", "end_time", "excitation_period")):
            courses.column(name)[:] = self.times[:, i]
        return courses


@dataclass(frozen=True)
class Observed:
    """What the kernels fill: courses with contacts at rest, recorded rows, and what sums up each trajectory.

    A result says where among the `rows` those of its trajectory are; for those that were done again, among the rows of
    `others`. A GPU gives rows as columns, which have all of them one after another.
    """

    courses: Records[Any]
    rows: Records[Any]
    results: Records[Any]
    columns: Columns | None = None
    others: tuple[Bools, Observed] | None = None

    @classmethod
    def room(cls, kernels: Any, most_rows: int, group: Group) -> Observed:
        """Room for the results of all trajectories."""
        results = Records(kernels.Result, len(group))
        results.column("status")[:] = NOT_COMPUTED  # which it stays where the user interrupts
        return cls(group.courses(kernels), Records.empty(kernels.Row, len(group) * most_rows), results)

    def with_(self, chosen: Bools, other: Observed) -> Observed:
        """These trajectories taken from another."""
        for mine, theirs in ((self.courses, other.courses), (self.results, other.results)):
            mine.floats[chosen], mine.integers[chosen] = theirs.floats, theirs.integers
        return replace(self, others=(chosen, other))

    def packed(self) -> Columns:
        """The rows of all trajectories, one after another."""
        first, kept = self.results.column("first_row"), self.results.column("rows")
        if self.others is None:
            return self._rows(_ranges(first, kept)) if self.columns is None else self.columns
        chosen, other = self.others
        packed = Columns.room(int(kept.sum()), self.rows.kind.PLACES["state"].size)
        for source, counts in ((self, np.where(chosen, 0, kept)), (other, np.where(chosen, kept, 0))):
            here, rows = _ranges(np.cumsum(kept) - kept, counts), source._rows(_ranges(first, counts))
            for name, column in vars(rows).items():
                getattr(packed, name)[here] = column
        return packed

    def _rows(self, where: Ints) -> Columns:
        """Some of the rows, in this order."""
        if self.columns is not None:
            return Columns(*(column[where] for column in vars(self.columns).values()))
        floats, integers = np.take(self.rows.floats, where, 0), np.take(self.rows.integers, where, 0)
        rows = Records(self.rows.kind, len(where), floats, integers)
        return Columns(
            np.ascontiguousarray(rows.column("time")),
            rows.column("contact").astype(np.int16),
            rows.column("mode").astype(np.int8),
            np.ascontiguousarray(rows.column("state")),
        )


def _ranges(first: Ints, counts: Ints) -> Ints:
    """Whole numbers that follow each other, so many from each first one on.

    >>> _ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(first - (np.cumsum(counts) - counts), counts), np.int64)


def observed(field: Field, wanted: Mapping[str, Codes], settings: Settings, group: Group) -> dict[str, Results]:
    """What was observed, by name, one row per trajectory; recorded rows are packed, those of one trajectory after the
    other.

    Contacts that are `held` start at rest. Random friction depends on the seed and on the number of the point alone.
    """
    found = {}
    for name, seen in _seen(field, wanted, settings, group).items():
        rows = _recorded(seen, settings.most) if settings.rows(wanted[name]) else {}
        found[name] = _results(field, group, seen, settings.tolerance) | rows
    return found


def changes_of_mode(field: Field, settings: Settings, group: Group) -> Results:
    """All changes of mode while trajectories are observed: of each `count`, time, contact, mode after it; end modes."""
    codes = {"": Codes(kernel.CHANGES, changes=tuple(Change))}
    (seen,) = _seen(field, codes, settings, group).values()
    rows, packed = _recorded(seen, settings.most), seen.packed()
    way = Ragged.in_order(rows["row_size"], rows["count"], rows["repeat_rows"], rows["repeat_time"])
    return {
        "count": way.count,
        "truncated": rows["truncated"],
        "time": unfolded(packed.time, way, moves=True),
        "contact": unfolded(packed.contact, way),
        "mode": unfolded(packed.mode, way),
        "end_mode": np.array(seen.results.column("end_mode")),
    }


def _seen(field: Field, wanted: Mapping[str, Codes], settings: Settings, group: Group) -> dict[str, Observed]:
    """What the kernels have observed, by name.

    In lockstep all trajectories travel to the ends of their transients once, and from there on for each observation;
    those with kernels of their own, or alone, go all the way for each.
    """
    seen: dict[str, Observed] = {}
    for name, codes in wanted.items():
        m = lanes_for(field, codes) if settings.lockstep else None
        if name in seen:
            continue
        if m is None:
            seen[name] = _one_by_one(field, codes, settings, group)
        else:
            alike = {other: each for other, each in wanted.items() if lanes_for(field, each) is m}
            travel = _on_a_gpu if field.target == "cuda" else _in_lockstep
            seen |= travel(field, m, alike, settings, group)
    return {name: seen[name] for name in wanted}


def lanes_for(field: Field, codes: Codes) -> Program | None:
    """The kernels that make an observation in lockstep; None where there are none."""
    return field.section_lanes if codes.kind in CROSSINGS else field.lanes


def _fill(request: Any, codes: Codes, settings: Settings, count: int) -> None:
    """What is asked for, as the kernels take it."""
    request.trajectories = count
    request.kind, request.which, request.direction = codes.kind, codes.which, codes.direction
    request.releases, request.stops, request.reversals = (int(each in codes.changes) for each in Change)
    request.level, request.strobe_period = codes.level, codes.period
    request.most_rows, request.most_steps = settings.rows(codes), settings.most_steps
    request.tolerance, request.sameness = settings.rtol, settings.tolerance
    request.seed, request.shortcut = settings.seed, settings.shortcut


def _one_by_one(field: Field, codes: Codes, settings: Settings, group: Group) -> Observed:
    kernels = field.program.kernels
    records = kernels.observation
    seen = Observed.room(records, settings.rows(codes), group)
    request = records.Request()
    _fill(request, codes, settings, len(group))
    trajectory, tally = kernels.trajectory.Trajectory(), records.Tally()
    rings = Records(records.Ring, kernels.follow.RINGS)
    columns = field.program.observe(trajectory, request, seen.courses, tally, rings, seen.rows, seen.results)
    return _with_columns(seen, columns)


def _with_columns(seen: Observed, given: Any) -> Observed:
    """What was observed, with the rows as they were given, where a target gives them."""
    return replace(seen, columns=given) if isinstance(given, Columns) else seen


def _patience(m: Program, group: Group) -> float:
    """How long these wait for each other: only where an excitation gives the beat do they stay in step."""
    excited = bool((group.times[:, 2] > 0.0).all())
    return patience(m, group.starts, group.parameters) if excited else float(m.kernels.lockstep.IMPATIENT)


def _convoy(m: Program, codes: Codes, settings: Settings, group: Group) -> Any:
    """What is asked of trajectories in lockstep."""
    convoy = m.kernels.convoy.Convoy()
    _fill(convoy, codes, settings, len(group))
    convoy.log_tolerance, convoy.patience = math.log2(settings.rtol), _patience(m, group)
    return convoy


def _on_a_gpu(
    field: Field, m: Program, wanted: Mapping[str, Codes], settings: Settings, group: Group
) -> dict[str, Observed]:
    """As `_in_lockstep`, on a GPU."""
    rooms = [Observed.room(m.kernels.observation, settings.rows(codes), group) for codes in wanted.values()]
    convoys = [_convoy(m, codes, settings, group) for codes in wanted.values()]
    asked = [(convoy, room.rows, room.results) for convoy, room in zip(convoys, rooms, strict=True)]
    columns = m.observe_lanes(asked, rooms[0].courses)
    seen = [replace(room, courses=rooms[0].courses, columns=rows) for room, rows in zip(rooms, columns, strict=True)]
    return {
        name: _with_others(field, codes, settings, group, each)
        for (name, codes), each in zip(wanted.items(), seen, strict=True)
    }


def _in_lockstep(
    field: Field, m: Program, wanted: Mapping[str, Codes], settings: Settings, group: Group
) -> dict[str, Observed]:
    """All trajectories in lockstep, the transients of all observations once; then one by one those that it leaves."""
    kernels = m.kernels
    rooms = {name: Observed.room(kernels.observation, settings.rows(codes), group) for name, codes in wanted.items()}
    convoys = {name: _convoy(m, codes, settings, group) for name, codes in wanted.items()}
    first = next(iter(wanted))
    lanes, kept = lanes_of(m), Records.empty(kernels.lane.Lane, len(group))
    journals = Records(kernels.lockjournal.Journal, len(lanes))
    kept.column("condition")[:] = PARKED
    courses = rooms[first].courses
    m.travel_transients(convoys[first], kernels.trajectory.Trajectory(), lanes, courses, kept)
    if (kept.column("condition") == PARKED).any():  # the user has ended it: nothing is computed
        return rooms
    found = {}
    for name, codes in wanted.items():
        seen = replace(rooms[name], courses=courses)
        m.go_on_observed(convoys[name], lanes, courses, kept, journals, seen.rows, seen.results)
        found[name] = _with_others(field, codes, settings, group, seen, kept)
    return found


def _with_others(
    field: Field, codes: Codes, settings: Settings, group: Group, seen: Observed, kept: Records[Any] | None = None
) -> Observed:
    """With those that lockstep has left, done one by one: from the ends of their transients, where these are kept."""
    left = seen.results.column("status") == LEFT
    if not left.any():
        return seen
    others = group[left]
    if kept is None or not field.program.kernels.repeat.WITHOUT_MEMORY:
        return seen.with_(left, _one_by_one(field, codes, settings, others))
    arrived = kept.column("condition")[left] == ARRIVED
    done = _one_by_one(field, codes, settings, _after_transients(others, arrived, kept, left))
    done.results.column("steps")[arrived] += kept.column("steps")[left][arrived].astype(np.int64)
    for name in ("state", "start_time"):
        done.courses.column(name)[arrived] = seen.courses.column(name)[left][arrived]
    return seen.with_(left, done)


def _after_transients(group: Group, arrived: Bools, kept: Records[Any], left: Bools) -> Group:
    """Trajectories that go on from where the transients of those that have arrived are kept."""
    starts, held = group.starts.copy(), group.held.copy()
    begins = np.zeros(len(group)) if group.begins is None else group.begins.copy()
    starts[arrived] = kept.column("state")[left][arrived]
    held[arrived] = kept.column("mode")[left][arrived] == 0
    begins[arrived] = group.times[arrived, 0]
    return replace(group, starts=starts, held=held, begins=begins)


def _is_steady(field: Field, group: Group, results: Records[Any], low: Floats, high: Floats, tolerance: float) -> Bools:
    """Where nothing moves from its place any more, at rest or in steady sliding: any time is a period of that.

    Velocities that die out pass zero, and have no size of their own; that of what they change is asked. A place may be
    zero as well: how far contacts have slid since is a size then.
    """
    places = [i for i, name in enumerate(field.model.states) if not name.startswith("v.")]
    moved, size = (high - low)[:, places], np.maximum(np.abs(low), np.abs(high))[:, places]
    calm = (results.column("m") == 0) & (results.column("changes") == 0) & np.isfinite(moved).all(axis=1)
    steady: Bools = calm & (moved <= tolerance * size).all(axis=1)
    for i in np.flatnonzero(calm & ~steady).tolist():
        slid = _sliding_speed(field, group.parameters[i], results[i]) * (results[i].time - group.times[i, 0])
        steady[i] = bool((moved[i] <= tolerance * np.maximum(size[i], slid)).all())
    return steady


def _sliding_speed(field: Field, parameters: Floats, result: Any) -> float:
    """The largest sliding speed at the end of a motion."""
    on_host = Field.of(field.model, target="python", order=8) if field.target == "cuda" else field
    trajectory = on_host.workspace()
    trajectory.parameter[:], trajectory.state[:] = parameters, result.end_state
    trajectory.time = result.time
    trajectory.mode[:] = result.end_mode
    on_host.program.constants(trajectory)
    on_host.program.ingredients(trajectory)
    return float(np.abs(trajectory.v).max(initial=0.0))


def _results(field: Field, group: Group, seen: Observed, tolerance: float) -> Results:
    """What sums up the motions, under its names; copies, so that the room of the kernels is freed."""

    def of(name: str) -> np.ndarray:
        return np.array(seen.results.column(name))

    reached, period = of("time"), of("period")
    low, high, stick = of("lowest"), of("highest"), of("stick_time")
    watched = reached - group.times[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        stick /= watched[:, None]
    unseen = ~(watched > 0)
    if unseen.any():
        low[unseen] = high[unseen] = stick[unseen] = np.nan
    period[~(period > 0)] = np.nan
    steady = _is_steady(field, group, seen.results, low, high, tolerance)
    releases, turns = of("n"), of("m")
    releases[turns == 0] = turns[turns == 0] = NO_PERIOD
    releases[steady] = turns[steady] = STEADY
    return {
        "status": of("status").astype(np.int8),
        "events": of("changes"),
        "n": releases,
        "m": turns,
        "steps": of("steps"),
        "period": period,
        "time": reached,
        "minimum": low,
        "maximum": high,
        "stick_fraction": stick,
        "start_state": np.array(seen.courses.column("state")),
        "end_state": of("end_state"),
        "end_mode": of("end_mode").astype(np.int8),
    }


def _recorded(seen: Observed, most: int) -> Results:
    """The rows of all trajectories, packed, and how many each has; those of a cycle that comes again are kept once."""
    kept, cycle, repeats = (np.array(seen.results.column(name)) for name in ("rows", "repeat_rows", "repeats"))
    packed = seen.packed()
    count = np.minimum(kept + cycle * repeats, most)
    folded = count > kept
    return {
        "count": count,
        "row_size": kept,
        "repeat_rows": np.where(folded, cycle, 0),
        "repeat_time": np.where(folded, seen.results.column("repeat_time"), 0.0),
        "truncated": seen.results.column("truncated") != 0,
        "record_time": packed.time,
        "record_contact": packed.contact,
        "record_state": packed.state,
    }
