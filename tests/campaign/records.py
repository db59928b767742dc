"""Runs of the library and of the referee in one form, in natural units, and where two of them part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from tests.campaign.draw import Case, unit_of
from tests.referee import motion as judged
from tests.referee.equations import Mechanics
from tests.referee.motion import TOUCHING, Motion, Prefer, Referee

import stickslip as ss
from stickslip.errors import ModelError

Floats = NDArray[np.float64]
AGREEMENT = 1e-8
"""Times and states of two runs agree that differ by less than this part of natural units."""

SMALLER = 1e-3
"""Disturbances to which no judgement may be sensitive are so much smaller than what counts as a difference."""

STEPS, STEPS_PER_TIME = 5000, 1000
"""A run may take so many steps, and so many more in a unit of time: three times what it takes to pass a narrow peak of
friction seven times in that time, and a hundred times what others need."""

SAMPLES = 23
REASONS = {
    ss.Status.FINISHED: judged.FINISHED,
    ss.Status.LIFT_OFF: judged.LIFT_OFF,
    ss.Status.NEGATIVE_FRICTION: judged.NEGATIVE,
    ss.Status.INDETERMINATE: judged.UNDECIDED,
    ss.Status.CHATTERING: judged.CHATTERING,
    ss.Status.STALLED: judged.DIVERGING,
    ss.Status.TOO_MANY_STEPS: "step limit",
}


@dataclass(frozen=True)
class Change:
    """A contact that changes its mode."""

    elapsed: float
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.before:+d}→{self.after:+d} at {self.elapsed:.12g}"


@dataclass
class Record:
    """A run in natural units, counted from its start; contacts and states by name."""

    end: str
    elapsed: float
    sentence: str = ""
    first_modes: dict[str, int] = field(default_factory=dict)
    changes: dict[str, list[Change]] = field(default_factory=dict)
    times: Floats = field(default_factory=lambda: np.zeros(0))
    states: dict[str, Floats] = field(default_factory=dict)
    frictions: dict[str, Floats] = field(default_factory=dict)
    ambiguous: list[float] = field(default_factory=list)
    run: xr.Dataset | None = None
    count: int = 0

    def modes_after(self, elapsed: float, tolerance: float) -> dict[str, int]:
        """The mode of every contact just after a time."""
        modes = dict(self.first_modes)
        for contact, changes in self.changes.items():
            for change in changes:
                if change.elapsed <= elapsed + tolerance:
                    modes[contact] = change.after
        return modes


@dataclass(frozen=True)
class Parting:
    """Where and how two runs part."""

    elapsed: float
    what: str

    def __str__(self) -> str:
        return f"at {self.elapsed:.9g} after the start: {self.what}"


def reason_of(sentence: str) -> str:
    """How a run ended, from its sentence."""
    for status, reason in REASONS.items():
        if sentence.startswith(status.value):
            return reason
    return sentence.split(":")[0].split("(")[0].strip()


def sample_times(case: Case, begin: float = 0.0) -> tuple[Floats, Floats]:
    """Times to look at a run: as the library is asked for them, and since the start, to the last digit."""
    first, last = case.times
    wanted = first + (last - first) * (np.arange(1, SAMPLES + 1) - 0.37) / SAMPLES
    wanted = wanted[wanted - first > begin]
    return wanted, wanted - first


def tolerance_of(case: Case) -> float:
    """What agreement means for a case: times and places far from zero have fewer digits.

    A place is rounded on every step, which disturbs the motion; a late time loses digits only where it is told.
    """
    starts = case.start_in(case.system()) if case.fed else {}
    place = max((abs(value) for name, value in starts.items() if name.startswith("x.")), default=0.0)
    disturbance = math.ulp(place) / case.units.length
    return AGREEMENT + disturbance / SMALLER + 8 * math.ulp(case.times[1]) / case.units.time


def most_steps(case: Case) -> int:
    """The steps that a run may take."""
    first, last = case.times
    return int(STEPS + STEPS_PER_TIME * (last - first) / case.units.time)


def simulated(case: Case, system: ss.System, method: ss.Exact | None = None) -> Record:
    """The run of the library."""
    wanted, elapsed = sample_times(case)
    method = ss.Exact(most_steps=most_steps(case)) if method is None else method
    try:
        run = ss.simulate(
            system, case.times[1], start_time=case.times[0], start=case.start_in(system), method=method, samples=wanted
        )
    except ModelError as error:
        return Record(judged.UNDECIDED, 0.0, str(error))
    return recorded(case, run, elapsed)


def recorded(case: Case, run: xr.Dataset, elapsed: Floats) -> Record:
    """A Dataset as a record."""
    first, time = case.times[0], case.units.time
    contacts = [str(name) for name in run["contact"].values]
    sentence = str(run.attrs["status"])
    changes: dict[str, list[Change]] = {name: [] for name in contacts}
    table = zip(run["event_time"].values, run["event_contact"].values, strict=True)
    befores, afters = run["event_before"].values, run["event_after"].values
    for (when, contact), before, after in zip(table, befores, afters, strict=True):
        changes[str(contact)].append(Change(float(when - first) / time, int(before), int(after)))
    count = len(run["time"])
    force = case.units.of((1, 1, -2))
    modes = run["step_mode"].values
    reached = float(run["step_start"].values[-1] + run["step_length"].values[-1] - first) if len(modes) else 0.0
    states = [str(name) for name in run["state"].values]
    return Record(
        reason_of(sentence),
        reached / time,
        sentence,
        {name: int(mode) for name, mode in zip(contacts, modes[0], strict=True)} if len(modes) else {},
        changes,
        elapsed[:count] / time,
        {s: run[s].values / unit_of(s, case.units) for s in states},
        {name: run["force"].values[:, i] / force for i, name in enumerate(contacts)},
        run=run,
        count=len(befores),
    )


@dataclass
class Trial:
    """A case before the referee."""

    case: Case
    system: ss.System

    def record(
        self,
        *,
        begin: float,
        state: Sequence[float],
        modes: Sequence[int],
        rtol: float = 1e-12,
        touching: float = TOUCHING,
        prefer: Prefer | None = None,
        until: float | None = None,
    ) -> Record:
        """What the referee finds from a state on. Times are those of the case, since its start."""
        case = self.case
        first, last = case.times
        equations = Mechanics(self.system, first, case.units.length, case.units.time)
        _, samples = sample_times(case, begin)
        end = last - first if until is None else min(until, last - first)
        referee = Referee(equations, rtol=rtol, touching=touching, prefer=prefer)
        found = referee.motion(state, end, samples.tolist(), modes, begin)
        return self._recorded(found, samples)

    def _recorded(self, found: Motion, samples: Floats) -> Record:
        case, time = self.case, self.case.units.time
        contacts = list(self.system.contacts)
        changes: dict[str, list[Change]] = {name: [] for name in contacts}
        for event in found.events:
            changes[contacts[event.contact]].append(Change(event.elapsed / time, event.before, event.after))
        rows = np.array(found.samples).reshape(len(found.samples), len(self.system.states))
        forces = np.array(found.frictions).reshape(len(found.samples), len(contacts)) / case.units.of((1, 1, -2))
        names = self.system.states
        return Record(
            judged.UNDECIDED if found.end == judged.REDUNDANT else found.end,
            found.elapsed / time,
            found.end,
            dict(zip(contacts, found.first_modes, strict=False)),
            changes,
            samples[: len(rows)] / time,
            {s: rows[:, i] / unit_of(s, case.units) for i, s in enumerate(names)},
            {name: forces[:, i] for i, name in enumerate(contacts)},
            [moment / time for moment in found.ambiguous],
            count=len(found.events),
        )


def parting(one: Record, other: Record, tolerance: float, begin: float = 0.0) -> Parting | None:
    """The first place after `begin` where two runs part; None where they agree to the end."""
    end = min(one.elapsed, other.elapsed)
    found = [_changes_part(one, other, contact, tolerance, begin, end) for contact in other.changes]
    found.append(_states_part(one, other, tolerance, begin))
    if begin == 0.0 and one.first_modes and other.first_modes and one.first_modes != other.first_modes:
        found.append(Parting(0.0, f"first modes {one.first_modes} and {other.first_modes}"))
    if one.end != other.end or abs(one.elapsed - other.elapsed) > 10 * tolerance:
        found.append(Parting(end, f"ended {one.elapsed:.12g} {one.end!r} and {other.elapsed:.12g} {other.end!r}"))
    first = [parting for parting in found if parting is not None]
    return min(first, key=lambda parting: parting.elapsed) if first else None


def _changes_part(
    one: Record, other: Record, contact: str, tolerance: float, begin: float, end: float
) -> Parting | None:
    last = end - 10 * tolerance  # an event at the very end may be in one run only
    mine = [c for c in one.changes.get(contact, []) if begin < c.elapsed < last]
    yours = [c for c in other.changes.get(contact, []) if begin < c.elapsed < last]
    for a, b in zip(mine, yours, strict=False):
        if (a.before, a.after) != (b.before, b.after) or abs(a.elapsed - b.elapsed) > tolerance:
            return Parting(min(a.elapsed, b.elapsed), f"{contact} {a} and {b}")
    if len(mine) != len(yours):
        extra = max(mine, yours, key=len)[min(len(mine), len(yours))]
        which = "first" if len(mine) > len(yours) else "second"
        return Parting(extra.elapsed, f"{contact} {extra} in the {which} run only")
    return None


def _states_part(one: Record, other: Record, tolerance: float, begin: float) -> Parting | None:
    times, mine, yours = np.intersect1d(one.times, other.times, return_indices=True)
    events = sorted(c.elapsed for record in (one, other) for changes in record.changes.values() for c in changes)
    for k, when in enumerate(times):
        if when <= begin:
            continue
        for name, values in other.states.items():
            a, b = one.states[name][mine[k]], values[yours[k]]
            size = max(1.0, float(np.ptp(values)))
            if not abs(a - b) <= tolerance * size:
                return Parting(float(when), f"{name} is {a:.12g} and {b:.12g}")
        if any(abs(when - event) < 1e-6 for event in events):
            continue  # friction jumps there
        for name, values in other.frictions.items():
            a, b = one.frictions[name][mine[k]], values[yours[k]]
            size = max(1.0, float(np.max(np.abs(values))))
            if not abs(a - b) <= 100 * tolerance * size:
                return Parting(float(when), f"friction of {name} is {a:.12g} and {b:.12g}")
    return None
