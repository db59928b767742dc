"""What an orbit does, in order: phases of fixed modes, each ended by an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stickslip.arrays import Floats
from stickslip.orbits.motion import Motion, Run

Mode = tuple[int, ...]
STOP, RELEASE, SECTION = "stop", "release", "section"
_SIGNS = {0: "stick", 1: "slip+", -1: "slip-"}


@dataclass(frozen=True)
class Event:
    """What ends a phase: a contact stops (its sliding velocity reaches zero from the side `side`), or is released
    (its force reaches the static limit, with the sign `side`). A phase without such an end is cut by a section."""

    kind: str
    contact: int = -1
    side: int = 0


@dataclass(frozen=True)
class Signature:
    """The cyclic sequence of modes, one per contact and phase, and the event that ends each phase."""

    contacts: tuple[str, ...]
    modes: tuple[Mode, ...]
    events: tuple[Event, ...]

    def __len__(self) -> int:
        return len(self.modes)

    def __str__(self) -> str:
        """One line: the modes of every phase, with what happens between them.

        >>> str(Signature(("contact",), ((0,), (-1,)), (Event(RELEASE, 0, 1), Event(STOP, 0, -1))))
        'stick → slip-'
        """
        if self.contacts and self.modes == ((),):
            return "phases are not told apart"  # by a method that smears them
        several = len(self.contacts) > 1
        words = [", ".join(_SIGNS[m] for m in mode) or "free" for mode in self.modes]
        return " → ".join(f"({w})" if several else w for w in words)

    def rotated(self, first: int) -> Signature:
        """The same signature, begun with another phase."""
        turn = [*range(first, len(self)), *range(first)]
        return Signature(self.contacts, tuple(self.modes[i] for i in turn), tuple(self.events[i] for i in turn))

    def same_as(self, other: Signature) -> bool:
        """Whether the two are equal but for where they begin."""
        return len(self) == len(other) and any(self == other.rotated(i) for i in range(len(other)))

    def repeated(self, times: int) -> Signature:
        """The signature gone through several times."""
        return Signature(self.contacts, self.modes * times, self.events * times)

    def stick_phases(self) -> dict[str, int]:
        """How often each contact sticks in one period."""
        counts = {}
        for i, name in enumerate(self.contacts):
            stuck = [mode[i] == 0 for mode in self.modes]
            counts[name] = sum(a and not b for a, b in zip(stuck, [stuck[-1], *stuck[:-1]], strict=True))
        return counts


@dataclass(frozen=True)
class Piece:
    """A phase as it was simulated: its mode, where and when it begins, how long it lasts, what ends it."""

    mode: Mode
    state: Floats
    time: float
    duration: float
    event: Event | None


def pieces_of(motion: Motion, run: Run) -> list[Piece]:
    """A simulated run cut at its events."""
    pieces: list[Piece] = []
    mode, state, time = tuple(int(m) for m in run.start_mode), run.start, run.start_time
    for group in _simultaneous(run.events):
        end = float(group[0, 0])
        event = _trigger(motion, Piece(mode, state, time, end - time, None), group)
        pieces.append(Piece(mode, state, time, end - time, event))
        after = list(mode)
        for row in group:
            after[int(row[1])] = int(row[3])
        mode, state, time = tuple(after), group[-1, 4:].copy(), end
    pieces.append(Piece(mode, state, time, run.time - time, None))
    return pieces


def _simultaneous(events: Floats) -> list[Floats]:
    """Rows of the event table that share their time."""
    if len(events) == 0:
        return []
    cuts = np.nonzero(np.diff(events[:, 0]) > 0)[0] + 1
    return list(np.split(events, cuts))


def _trigger(motion: Motion, piece: Piece, group: Floats) -> Event:
    """The event among simultaneous changes of which the others are consequences."""
    stops = [row for row in group if row[2] != 0]
    if stops:
        return Event(STOP, int(stops[0][1]), int(stops[0][2]))
    releases = [int(row[1]) for row in group]
    end = motion.phase(piece.mode, piece.state, piece.time, piece.duration)
    force = [end.values[end.row("force", i)] for i in releases]
    room = [end.values[end.row("static", i)] - abs(x) for i, x in zip(releases, force, strict=True)]
    which = int(np.argmin(np.abs(room)))
    return Event(RELEASE, releases[which], 1 if force[which] > 0 else -1)


def cyclic(pieces: Sequence[Piece]) -> list[Piece] | None:
    """Pieces of one period as a cycle of whole phases: the last is joined with the first; None where they differ.

    A run that begins in the middle of a phase ends in the middle of the same phase.
    """
    *whole, last = pieces
    if not whole:
        return None
    first = whole[0]
    if first.mode != last.mode:
        return None
    joined = Piece(last.mode, last.state, last.time, last.duration + first.duration, first.event)
    return [joined, *whole[1:]]
