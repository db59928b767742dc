"""One case before the referee: agreement, a difference that the referee is itself undecided about, or a difference.

A motion may be so sensitive that two right computations of it part. The referee decides whether that is so: from the
start, and from half a phase before the parting, it is disturbed by a thousandth of what counts as a difference, and it
looks again with a tighter tolerance. If none of these changes its own motion there, the library is wrong. If one does,
the comparison is taken up anew from the library's state before that place, so that what follows is judged as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from tests.campaign.draw import Case, unit_of
from tests.campaign.records import SMALLER, Parting, Record, Trial, parting, simulated, tolerance_of
from tests.referee.equations import Mechanics
from tests.referee.motion import DIVERGING, FINISHED, SLOW, TOUCHING, Modes

import stickslip as ss

AGREES, SENSITIVE, DIFFERS, FALSE_END, UNJUDGED = "agrees", "sensitive", "differs", "false end", "unjudged"
DIVERGES = "diverges"
"""The motion goes to infinity within the time: there is nothing to judge."""

DISTURBED = 16
RESTARTS = 6
CLOSER, SLOWEST = 1e-13, 1e-15
"""Before it says that the library is wrong, the referee looks more closely; and what slides, however slowly, it lets
slide on at an event of another contact."""

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
    """Whether several combinations of modes were equally good at an event."""

    otherwise: bool = False
    """Whether the library took a consistent combination that sticks less than another."""

    events: int = 0
    note: str = ""


@dataclass(frozen=True)
class Beginning:
    """A time since the start of a case, in natural units, with states and modes there (0 for contacts at rest)."""

    elapsed: float
    state: Sequence[float]
    modes: Sequence[int]


def judge(case: Case, system: ss.System | None = None, method: ss.Exact | None = None) -> Verdict:
    """Compare the library with the referee on one case."""
    system = case.system() if system is None else system
    return verdict(case, system, simulated(case, system, method))


def verdict(case: Case, system: ss.System, exact: Record) -> Verdict:
    """What the referee says about a run of the library."""
    return Judge(case, system, tolerance_of(case), exact).verdict()


def is_sensitive(case: Case, system: ss.System, size: float) -> bool:
    """Whether a motion that starts beside by this part of natural units comes to differ by 1/SMALLER times that."""
    judge = Judge(case, system, size / SMALLER)
    found = judge.record(judge.start)
    return judge.is_disturbed(judge.start, found, found.elapsed)


class Judge:
    """Compares a run of the library with what the referee finds."""

    def __init__(self, case: Case, system: ss.System, tolerance: float, exact: Record | None = None) -> None:
        self.case, self.system, self.tolerance = case, system, tolerance
        self.exact = Record(FINISHED, 0.0) if exact is None else exact
        self.trial = Trial(case, system)
        state = system.start_state(case.start_in(system))
        equations = Mechanics(system, case.times[0], case.units.length, case.units.time)
        sliding = equations.at(0.0, state, [1] * len(equations.contacts)).sliding
        self.otherwise = False
        self.start = Beginning(0.0, state, [(v > 0) - (v < 0) for v in sliding])

    def verdict(self) -> Verdict:
        exact, begin = self.exact, self.start
        result = Verdict(AGREES, exact.end, events=exact.count)
        for _ in range(RESTARTS):
            found = self.record(begin)
            result.ambiguous = result.ambiguous or bool(found.ambiguous)
            result.otherwise = self.otherwise
            if found.end == DIVERGING:
                result.outcome = DIVERGES
                return result
            if found.end == SLOW:
                result.outcome, result.note = UNJUDGED, "the referee takes too long"
                return result
            result.parting = parting(exact, found, self.tolerance, begin.elapsed)
            if result.parting is None:
                result.end = found.sentence  # the referee tells contacts that are redundant from undecided ones
                return result
            result.outcome = SENSITIVE
            again = self._taken_up(result.parting.elapsed, begin)
            if not self._is_explained(begin, again, found, result):
                return result
            if result.parting is None:
                return result
            result.places.append(result.parting.elapsed)
            if again is None:
                break
            begin = again
        if exact.end != FINISHED and not self._ends_there():
            result.outcome = FALSE_END
        return result

    def record(
        self, begin: Beginning, rtol: float = 1e-12, until: float | None = None, touching: float = TOUCHING
    ) -> Record:
        """The motion that the referee finds from there."""
        time = self.case.units.time
        return self.trial.record(
            begin=begin.elapsed * time,
            state=begin.state,
            modes=begin.modes,
            rtol=rtol,
            touching=touching,
            prefer=self._prefer,
            until=None if until is None else until * time,
        )

    def _prefer(self, elapsed: float, options: tuple[Modes, ...], consistent: Callable[[Modes], bool]) -> Modes:
        """Where several combinations are consistent the referee goes with the library, and notes it.

        With static friction above kinetic, a contact that could be held may as well slip: both are solutions. The
        referee takes most sticking ones unless the library takes another that is consistent.
        """
        modes = self.exact.modes_after(elapsed / self.case.units.time, self.tolerance)
        theirs = tuple(modes.get(name, 0) for name in self.system.contacts)
        if theirs in options:
            return theirs
        if modes and consistent(theirs):
            self.otherwise = True
            return theirs
        return options[0]

    def _is_explained(self, begin: Beginning, again: Beginning | None, found: Record, result: Verdict) -> bool:
        """Whether the referee is itself undecided where the runs part; if not, the result says how they differ."""
        assert result.parting is not None
        place = result.parting.elapsed
        if self.is_disturbed(begin, found, place):
            return True
        if again is not None and self.is_disturbed(again, self.record(again, until=place + 0.1), place):
            return True
        closer = self.record(begin, rtol=CLOSER, touching=SLOWEST)
        if self._part_before(found, closer, begin.elapsed, place):
            result.parting = parting(self.exact, closer, self.tolerance, begin.elapsed)
            result.outcome = SENSITIVE if result.parting or result.places else AGREES
            return True
        ended = self.exact.end != FINISHED and found.elapsed > self.exact.elapsed - self.tolerance
        result.outcome = FALSE_END if ended else DIFFERS
        return False

    def is_disturbed(self, begin: Beginning, found: Record, place: float) -> bool:
        """Whether a motion that begins a little beside has parted from this one up to that place."""
        n = len(self.system.states)
        rng = np.random.default_rng(len(found.times))
        free = [name.startswith(("x.", "v.")) for name in self.system.states]
        units = np.array([unit_of(name, self.case.units) for name in self.system.states]) * free
        size = SMALLER * self.tolerance * units
        for _ in range(DISTURBED):
            beside = np.array(begin.state) + size * rng.choice([-1.0, 1.0], n) * rng.uniform(0.3, 1.0, n)
            other = self.record(Beginning(begin.elapsed, beside.tolist(), begin.modes), until=place + 0.1)
            if self._part_before(found, other, begin.elapsed, place):
                return True
        return False

    def _part_before(self, found: Record, other: Record, begin: float, place: float) -> bool:
        end = min(found.elapsed, place + 0.1)
        away = parting(_cut(found, end), _cut(other, end), self.tolerance, begin)
        return away is not None and away.elapsed <= place + 1e-6

    def _taken_up(self, place: float, begin: Beginning) -> Beginning | None:
        """The library's state between its last event before a place and the place; None if that leads nowhere new."""
        exact = self.exact
        if exact.run is None:
            return None
        events = [c.elapsed for changes in exact.changes.values() for c in changes]
        last = max([begin.elapsed, *[event for event in events if event < place - self.tolerance]])
        there = last + (min(place, exact.elapsed) - last) / 2
        if there - begin.elapsed < 1e-3 or (last == begin.elapsed and begin.elapsed > 0):
            return None
        return self._state_at(there)

    def _state_at(self, place: float) -> Beginning:
        """State and modes of the library at a time after the start, which is rounded to one that can be told."""
        first, time = self.case.times[0], self.case.units.time
        assert self.exact.run is not None
        moment = first + place * time
        there = ss.interpolate(self.exact.run, [moment])
        state = [float(there[name].values[0]) for name in self.system.states]
        modes = [int(there["mode"].sel(contact=name).values[0]) for name in self.system.contacts]
        return Beginning((moment - first) / time, state, modes)

    def _ends_there(self) -> bool:
        """Whether the referee, from the library's state a little before the library's end, ends for the same reason."""
        if self.exact.run is None:
            return True
        begin = self._state_at(max(0.0, self.exact.elapsed - LAST_PIECE))
        found = self.record(begin)
        return found.end == self.exact.end and abs(found.elapsed - self.exact.elapsed) < LAST_PIECE


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
