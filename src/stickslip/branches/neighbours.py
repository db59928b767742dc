"""The signatures next to a signature: with a phase of no length taken out, two events exchanged, or one put in.

Where a phase has just lost its length, the orbit also solves the equations of the signature without it; where a slip
just touches rest, those of the signature with a stick of no length. From there the branch goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.margins import GRAZING, Margin, inner_minima
from stickslip.orbits.exact import PhaseProblem
from stickslip.orbits.phases import Solved, signature_of
from stickslip.orbits.signature import RELEASE, STOP, Event, Mode, Piece

Floats = NDArray[np.float64]
SHORT = 1e-3
"""Part of the period below which a phase may be about to vanish."""


def neighbours(problem: PhaseProblem, solved: Solved, margin: Margin) -> Iterator[tuple[PhaseProblem, Floats]]:
    """Equations of neighbouring signatures that the orbit solves as well, and the orbit as their unknowns."""
    kind, _, contact, which = margin
    pieces = _pieces(problem, solved)
    if kind == GRAZING and which >= 10:  # inside a phase of slip
        yield _posed(problem, solved, _with_stick(problem, solved, pieces, margin, contact))
    if len(pieces) <= 2:
        return
    # Where a phase loses its length, its guards may graze at the same time, and be noticed first.
    for j in np.argsort(solved.durations):
        if solved.durations[j] < SHORT * solved.period:
            for new in _without(pieces, int(j)):
                yield _posed(problem, solved, new)


def _pieces(problem: PhaseProblem, solved: Solved) -> list[Piece]:
    rows = zip(
        problem.signature.modes, solved.states, solved.begins, solved.durations, problem.signature.events, strict=True
    )
    return [Piece(mode, z, float(t), float(duration), event) for mode, z, t, duration, event in rows]


def _posed(problem: PhaseProblem, solved: Solved, pieces: Sequence[Piece]) -> tuple[PhaseProblem, Floats]:
    signature = signature_of(problem.signature.contacts, pieces)
    new = PhaseProblem(
        problem.motion, signature, problem.state_scale, problem.free, problem.turns, problem.forcing, None
    )
    states = np.array([piece.state for piece in pieces])
    durations = np.array([piece.duration for piece in pieces])
    return new, new.pack(states, durations, pieces[0].time, solved.parameters)


def _without(pieces: list[Piece], j: int) -> Iterator[list[Piece]]:
    """Phase j taken out. Turned so that it is the second, it lies between its neighbours."""
    turn = [*range(j - 1, len(pieces)), *range(j - 1)] if j > 0 else [len(pieces) - 1, *range(len(pieces) - 1)]
    before, here, after, *rest = (pieces[i] for i in turn)
    if before.mode == after.mode:
        whole = before.duration + here.duration + after.duration
        yield [Piece(before.mode, before.state, before.time, whole, after.event), *rest]
        return
    assert before.event is not None and here.event is not None
    if before.event.contact == here.event.contact:
        yield [before, after, *rest]
        return
    middle = _changed(before.mode, after.mode, here.event.contact)
    first = Piece(before.mode, before.state, before.time, before.duration, here.event)
    yield [first, Piece(middle, here.state, here.time, 0.0, before.event), after, *rest]


def _changed(mode: Mode, after: Mode, contact: int) -> Mode:
    return tuple(after[i] if i == contact else m for i, m in enumerate(mode))


def _with_stick(
    problem: PhaseProblem, solved: Solved, pieces: list[Piece], margin: Margin, contact: int
) -> list[Piece]:
    """A stick of no length where the slip of a contact touches rest."""
    _, j, _, _ = margin
    time, _ = inner_minima(problem, solved, j)[margin]
    piece = pieces[j]
    motion = problem.motion.with_parameters(solved.parameters)
    touch = motion.phase(piece.mode, piece.state, piece.time, time).state
    side = piece.mode[contact]
    stuck = tuple(0 if i == contact else m for i, m in enumerate(piece.mode))
    when = piece.time + time
    return [
        *pieces[:j],
        Piece(piece.mode, piece.state, piece.time, time, Event(STOP, contact, side)),
        Piece(stuck, touch, when, 0.0, Event(RELEASE, contact, -side)),
        Piece(piece.mode, touch, when, piece.duration - time, piece.event),
        *pieces[j + 1 :],
    ]
