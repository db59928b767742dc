"""One case before the referee: agreement, a difference that the referee is itself undecided about, or a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from tests.campaign.draw import Case
from tests.campaign.records import Parting, Record, Trial, parting, simulated, tolerance_of
from tests.referee.motion import FINISHED, SLOW, Prefer

import stickslip as ss

AGREES, SENSITIVE, DIFFERS, FALSE_END, UNJUDGED = "agrees", "sensitive", "differs", "false end", "unjudged"
DISTURBED = 4
RESTARTS = 6
CLOSER = 1e-13
"""Before it says that the library is wrong, the referee looks more closely."""

LAST_PIECE = 0.05
"""An end for a true reason is met again by a motion that begins so little before, however sensitive it is."""


@dataclass
class Verdict:
    """What came out of a comparison."""

    outcome: str
    end: str = FINISHED
    parting: Parting | None = None
    places: list[float] = field(default_factory=list)
    """Where the motion was too sensitive for a comparison, so that it was taken up anew."""

    ambiguous: bool = False
    events: int = 0
    note: str = ""


def judge(case: Case, system: ss.System | None = None, method: ss.Exact | None = None) -> Verdict:
    """Compare the library with the referee on one case."""
    system = case.system() if system is None else system
    return verdict(case, system, simulated(case, system, method))


def verdict(case: Case, system: ss.System, exact: Record) -> Verdict:
    """What the referee says about a run of the library."""
    tolerance = tolerance_of(case)
    trial = Trial(case, system)
    prefer = _preference(case, system, exact)
    begin: float = 0.0
    state: Sequence[float] | None = None
    modes: Sequence[int] | None = None
    places: list[float] = []
    ambiguous = False
    for _ in range(RESTARTS):
        found = trial.record(begin=begin * case.units.time, state=state, modes=modes, prefer=prefer)
        ambiguous = ambiguous or bool(found.ambiguous)
        result = Verdict(AGREES, exact.end, None, places, ambiguous, exact.count)
        if found.end == SLOW:
            return Verdict(UNJUDGED, exact.end, None, places, ambiguous, exact.count, "the referee takes too long")
        apart = parting(exact, found, tolerance, begin)
        if apart is None:
            result.outcome = SENSITIVE if places else AGREES
            return result
        result.parting = apart
        if not _is_sensitive(trial, found, apart, tolerance, begin, state, modes, prefer):
            closer = trial.record(begin=begin * case.units.time, state=state, modes=modes, prefer=prefer, rtol=CLOSER)
            result.parting = parting(exact, closer, tolerance, begin)
            if result.parting is None:
                result.outcome = SENSITIVE if places else AGREES
                return result
            result.outcome = (
                DIFFERS if exact.end == FINISHED or found.elapsed < exact.elapsed - tolerance else FALSE_END
            )
            return result
        places.append(apart.elapsed)
        taken_up = _take_up(case, system, exact, apart, tolerance, begin)
        if taken_up is None:
            break
        begin, state, modes = taken_up
    result.outcome = SENSITIVE if exact.end == FINISHED or _ends_there(trial, exact) else FALSE_END
    return result


def _ends_there(trial: Trial, exact: Record) -> bool:
    """Whether the referee, from the library's state a little before the library's end, ends for the same reason."""
    if exact.run is None:
        return True
    case = trial.case
    place = max(0.0, exact.elapsed - LAST_PIECE)
    begin, state, modes = _state_at(case, trial.system, exact, place)
    found = trial.record(begin=begin * case.units.time, state=state, modes=modes)
    return found.end == exact.end and abs(found.elapsed - exact.elapsed) < LAST_PIECE


def _preference(case: Case, system: ss.System, exact: Record) -> Prefer:
    """Where several combinations are equally consistent the referee goes with the library."""

    def prefer(elapsed: float, options: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        modes = exact.modes_after(elapsed / case.units.time, 1e-6)
        theirs = tuple(modes.get(name, 0) for name in system.contacts)
        return theirs if theirs in options else options[0]

    return prefer


def _is_sensitive(
    trial: Trial,
    found: Record,
    apart: Parting,
    tolerance: float,
    begin: float,
    state: Sequence[float] | None,
    modes: Sequence[int] | None,
    prefer: Prefer | None,
) -> bool:
    """Whether the referee itself parts from its own motion, no later, when its start is off by a thousandth of that."""
    case, system = trial.case, trial.system
    time = case.units.time
    until = (apart.elapsed + 0.1) * time
    if state is None:
        state = system.start_state(case.start_in(system))
        modes = _first_signs(trial, state)
    rng = np.random.default_rng(len(found.times))
    size = tolerance / 1000
    n = len(system.masses)
    for _ in range(DISTURBED):
        scale = np.array([case.units.length] * n + [case.units.length / time] * n)
        disturbed = np.array(state) + size * scale * rng.choice([-1.0, 1.0], 2 * n) * rng.uniform(0.3, 1.0, 2 * n)
        other = trial.record(begin=begin * time, state=disturbed, modes=modes, prefer=prefer, until=until)
        end = min(found.elapsed, until / time)
        away = parting(_cut(found, end), _cut(other, end), tolerance, begin)
        if away is not None and away.elapsed <= apart.elapsed + 1e-6:
            return True
    return False


def is_sensitive(trial: Trial, size: float) -> bool:
    """Whether a motion, disturbed at its start by this part of natural units, is another within a thousand times it."""
    found = trial.record()
    end = Parting(found.elapsed, "")
    return _is_sensitive(trial, found, end, 1000 * size, 0.0, None, None, None)


def _cut(record: Record, end: float) -> Record:
    """A record that goes no farther than this."""
    if record.elapsed < end * (1 - 1e-12):
        return record
    changes = {name: [c for c in changes if c.elapsed <= end] for name, changes in record.changes.items()}
    keep = record.times <= end
    return Record(
        FINISHED,
        end,
        "",
        record.first_modes,
        changes,
        record.times[keep],
        {name: values[keep] for name, values in record.states.items()},
        {name: values[keep] for name, values in record.frictions.items()},
    )


def _first_signs(trial: Trial, state: Sequence[float]) -> list[int]:
    """Modes at the start of a case: zero for contacts exactly at rest."""
    from tests.referee.equations import Mechanics

    case = trial.case
    equations = Mechanics(trial.system, case.times[0], case.units.length, case.units.time)
    sliding = equations.at(0.0, list(state), [1] * len(equations.contacts)).sliding
    return [(v > 0) - (v < 0) for v in sliding]


def _take_up(
    case: Case, system: ss.System, exact: Record, apart: Parting, tolerance: float, begin: float
) -> tuple[float, list[float], list[int]] | None:
    """A place between the last event that agrees and the parting, with the library's state there; None if too near."""
    if exact.run is None:
        return None
    before = [c.elapsed for changes in exact.changes.values() for c in changes if c.elapsed < apart.elapsed - tolerance]
    last = max([begin, *before])
    place = last + (min(apart.elapsed, exact.elapsed) - last) / 2
    if place - begin < 1e-3 or (last == begin and begin > 0):
        return None
    return _state_at(case, system, exact, place)


def _state_at(case: Case, system: ss.System, exact: Record, place: float) -> tuple[float, list[float], list[int]]:
    """State and modes of the library at a time after the start, which is rounded to one that can be told."""
    first = case.times[0]
    moment = first + place * case.units.time
    there = ss.interpolate(exact.run, [moment])
    state = [float(there[name].values[0]) for name in system.states]
    modes = [int(there["mode"].sel(contact=name).values[0]) for name in system.contacts]
    return (moment - first) / case.units.time, state, modes
