"""Motions from many starts, followed until each has arrived at an attractor or the time is over."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from stickslip.arrays import Bools, Floats, Ints
from stickslip.kernels.outcome import FINISHED
from stickslip.status import Status
from stickslip.sweeps.search import RTOL, STILL, UNRESOLVED, Search, few_of

CHECKS = 48
"""How often, in the time given, each motion is compared with the attractors."""

FIRST_SEARCH = 1 / 3
"""The part of the time after which motions that are nowhere near an attractor are asked where they lead."""

LOOKS, LOOKS_IN_CHAOS = 2, 6
"""Looks in a row at which a motion is near an attractor before it is said to have arrived. On a chaotic one it must be
at the end of the time: transients pass through its cells, too."""


class Crowd:
    """Motions from many starts: where they are, which attractor each is near, since when, and on which it ended."""

    def __init__(self, search: Search, states: Floats) -> None:
        self.search, self.z = search, states.copy()
        self.labels, self.arrival = np.full(len(states), UNRESOLVED), np.full(len(states), np.nan)
        self.candidate, self.since = np.full(len(states), UNRESOLVED), np.zeros(len(states))
        self.seen, self.far = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
        self.moving = np.arange(len(states))

    def run(self, t: float, report: Callable[[float], None]) -> None:
        """Follow all motions until each has arrived or the time is over."""
        times = _looks(t, self.search.forcing)
        for begin, end in pairwise(map(float, times)):
            still = self._advance(begin, end)
            self._compare(still, end)
            if end >= FIRST_SEARCH * t:
                self._seek(end, t)
            report(end / times[-1])
            if len(self.moving) == 0:
                return
        self._stay()

    def _advance(self, begin: float, end: float) -> Bools:
        """To the next look; which of the motions stand still. Those that cannot go on are left out from here on."""
        before = self.z[self.moving]
        after, outcome = self.search.field.propagate(before, end, t_start=begin, rtol=RTOL)
        self.z[self.moving] = after
        finished = outcome[:, 0] == FINISHED
        self.moving = self.moving[finished]
        moved = np.max(np.abs(after - before)[finished] / self.search.scale, axis=1, initial=0.0)
        return np.asarray(moved <= STILL)

    def _compare(self, still: Bools, time: float) -> None:
        """Label the motions that are near the same attractor as at the last look."""
        states = self.z[self.moving]
        nearest = self.search.nearest(states)
        for k in np.nonzero(still & (nearest == UNRESOLVED))[0]:
            nearest[k] = self.search.rest_at(states[k])
        exact = nearest != UNRESOLVED
        chaotic, gaps = self.search.in_cells(states)
        nearest = np.where(exact, nearest, chaotic)
        fresh = self.moving[nearest != self.candidate[self.moving]]
        self.since[fresh], self.seen[fresh], self.far[fresh] = time, 0, 0
        self.candidate[self.moving] = nearest
        self.seen[self.moving] += 1
        self.far[self.moving] += gaps > 1
        there = exact & (self.seen[self.moving] >= LOOKS)
        self._arrived(self.moving[there], nearest[there], self.since[self.moving[there]])
        self.moving = self.moving[~there]

    def _stay(self) -> None:
        """Label the motions that have been on a chaotic attractor for a while, and are so at the end.

        A motion that is farther away at half of the looks than it should be at one in fifty only passes by.
        """
        which = self.moving[self.seen[self.moving] >= LOOKS_IN_CHAOS]
        chosen = which[(self.candidate[which] != UNRESOLVED) & (2 * self.far[which] < self.seen[which])]
        self._arrived(chosen, self.candidate[chosen], self.since[chosen])

    def _seek(self, time: float, t: float) -> None:
        """Ask one motion that is near no attractor where it leads."""
        passing = (self.seen >= LOOKS_IN_CHAOS) & (2 * self.far >= self.seen)
        lost = self.moving[((self.candidate == UNRESOLVED) | passing)[self.moving]]
        if len(lost) == 0 or self.search.tries <= 0:
            return
        chosen = lost[len(lost) // 2 : len(lost) // 2 + 1]
        found = self.search.lead(self.z[chosen], 2 * t)
        if found != UNRESOLVED:
            self._arrived(chosen, np.array([found]), np.array([time]))
            self.moving = self.moving[self.moving != chosen]

    def _arrived(self, which: Ints, labels: Ints, times: Floats) -> None:
        self.labels[which], self.arrival[which] = labels, times

    def take(self, which: Ints, other: Crowd, those: Bools | slice = slice(None)) -> None:
        """What another crowd has found out about some of these motions."""
        self._arrived(which, other.labels[those], other.arrival[those])


def _looks(t: float, forcing: float | None) -> Floats:
    """The times at which motions are looked at: with an excitation always at the same phase."""
    if forcing is None:
        return np.linspace(0.0, t, CHECKS + 1)
    turns = max(1, round(t / forcing / CHECKS))
    return np.asarray(forcing * turns * np.arange(max(2, int(np.ceil(t / forcing / turns))) + 1))


def classified(search: Search, states: Floats, t: float, report: Callable[[float], None]) -> tuple[Crowd, Status]:
    """All motions with the attractor of each, and when it arrived there; and whether the user interrupted.

    A few starts go first, to find attractors. Starts that lead to one found later are run once more, because before it
    was known nobody could see when they arrived.
    """
    few = few_of(len(states))
    first, crowd = Crowd(search, states[few]), Crowd(search, states)
    try:
        first.run(t, lambda part: report(0.0))
        known = len(search.found)
        crowd.run(t, report)
        late = np.nonzero(crowd.labels >= known)[0]
        if len(late):
            again = Crowd(search, states[late])
            again.run(t, lambda part: report(1.0))
            crowd.take(late, again)
        return crowd, Status.FINISHED
    except KeyboardInterrupt:
        open_yet = crowd.labels[few] == UNRESOLVED
        crowd.take(few[open_yet], first, open_yet)
        return crowd, Status.INTERRUPTED
