"""The signatures next to a signature: with a phase of no length taken out, two events exchanged, or one put in.

Where a phase has just lost its length, the orbit also solves the equations of the signature without it; where a slip
just touches rest, those of the signature with a stick of no length. From there the branch goes on. Where the last event
goes, what is left is one phase without end, cut by a section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.margins import GRAZING, Margin, inner_minima
from stickslip.orbits.exact import PhaseProblem, section_at
from stickslip.orbits.phases import Solved, signature_of
from stickslip.orbits.signature import RELEASE, SECTION, STOP, Event, Mode, Piece

TOUCHING = 1e-9
"""A velocity that is zero, in units of the size of velocities."""

SHORT = 1e-3
"""Part of the period below which a phase may be about to vanish."""


def neighbours(problem: PhaseProblem, solved: Solved, margin: Margin) -> Iterator[tuple[PhaseProblem, Floats]]:
    """Equations of neighbouring signatures that the orbit solves as well, and the orbit as their unknowns."""
    kind, j, _, which = margin
    pieces = _pieces(problem, solved)
    if kind == GRAZING and which >= 10:  # inside a phase of slip
        touches = _touches(problem, solved, margin)
        if len(touches) > 1 and problem.signature.events[j].kind != SECTION:  # in a symmetric orbit, two do at once
            yield _posed(problem, solved, reduce(partial(_with_stick, problem, solved), touches, pieces))
        for touch in touches:
            yield _posed(problem, solved, _with_stick(problem, solved, pieces, touch))
    if len(pieces) == 1:
        return
    # Where a phase loses its length, its guards may graze at the same time, and be noticed first.
    short = [int(j) for j in np.argsort(solved.durations) if solved.durations[j] < SHORT * solved.period]
    if len(short) > 1:  # in a symmetric orbit, two lose their length at once
        yield from _posed_all(problem, solved, _without_all(problem, solved, pieces, short))
    for j in short:
        yield from _posed_all(problem, solved, _without(problem, solved, pieces, j))


def _pieces(problem: PhaseProblem, solved: Solved) -> list[Piece]:
    rows = zip(
        problem.signature.modes, solved.states, solved.begins, solved.durations, problem.signature.events, strict=True
    )
    return [Piece(mode, z, float(t), float(duration), event) for mode, z, t, duration, event in rows]


def _posed(problem: PhaseProblem, solved: Solved, pieces: Sequence[Piece]) -> tuple[PhaseProblem, Floats]:
    signature, first = signature_of(problem.signature.contacts, pieces), pieces[0]
    section = None
    if first.event is None and not problem.turns:
        motion = problem.motion.with_parameters(solved.parameters)
        section = section_at(motion, first, problem.state_scale)
    new = problem.like(signature=signature, section=section, time=first.time)
    # Those that come after what is first now begin a period later.
    advance = problem.advance(solved)
    states = np.array([piece.state + (advance if piece.time < first.time else 0.0) for piece in pieces])
    durations = np.array([piece.duration for piece in pieces])
    return new, new.pack(states, durations, pieces[0].time, solved.parameters)


def _endless(problem: PhaseProblem, solved: Solved, piece: Piece) -> Piece:
    """The only phase that is left, cut in its middle, where its guards are not zero."""
    motion, half = problem.motion.with_parameters(solved.parameters), 0.5 * piece.duration
    middle = motion.phase(piece.mode, piece.state, piece.time, half).state
    return Piece(piece.mode, middle, piece.time + half, solved.period, None)


def _posed_all(
    problem: PhaseProblem, solved: Solved, candidates: Iterable[list[Piece]]
) -> Iterator[tuple[PhaseProblem, Floats]]:
    for pieces in candidates:
        yield _posed(problem, solved, pieces)


def _without_all(
    problem: PhaseProblem, solved: Solved, pieces: list[Piece], short: Sequence[int]
) -> Iterator[list[Piece]]:
    """All phases without length taken out at once; those of equal modes that then meet are one."""
    kept = [j for j in range(len(pieces)) if j not in short]
    modes = [pieces[j].mode for j in kept]
    first = next((k for k in range(len(kept)) if modes[k - 1] != modes[k]), None)
    if first is None:
        yield [_endless(problem, solved, pieces[kept[0]])] if kept else []
        return
    new: list[Piece] = []
    for k in [*kept[first:], *kept[:first]]:
        piece = pieces[k]
        if new and new[-1].mode == piece.mode:
            new[-1] = replace(new[-1], duration=new[-1].duration + piece.duration, event=piece.event)
        else:
            new.append(piece)
    yield new


def _without(problem: PhaseProblem, solved: Solved, pieces: list[Piece], j: int) -> Iterator[list[Piece]]:
    """Phase j taken out. Turned so that it is the second, it lies between its neighbours."""
    if len(pieces) == 2:
        yield [_endless(problem, solved, pieces[1 - j])]
        return
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


def _touches(problem: PhaseProblem, solved: Solved, margin: Margin) -> list[tuple[int, float, int]]:
    """Where slips touch rest, one being known to: in which phase, when in it, and which contact; last ones first."""
    found = {key: at for j in range(problem.phases) for key, at in inner_minima(problem, solved, j).items()}
    least = TOUCHING * float(np.max(problem.state_scale[problem.motion.velocities]))
    touching = [key for key, (_, v) in found.items() if key == margin or (key[0] == GRAZING and abs(v) < least)]
    return sorted(((key[1], found[key][0], key[2]) for key in touching), reverse=True)


def _with_stick(
    problem: PhaseProblem, solved: Solved, pieces: list[Piece], touch: tuple[int, float, int]
) -> list[Piece]:
    """A stick of no length where the slip of a contact touches rest."""
    j, time, contact = touch
    piece = pieces[j]
    motion = problem.motion.with_parameters(solved.parameters)
    state, when = motion.phase(piece.mode, piece.state, piece.time, time).state, piece.time + time
    side = piece.mode[contact]
    stuck = tuple(0 if i == contact else m for i, m in enumerate(piece.mode))
    stop, release = Event(STOP, contact, side), Event(RELEASE, contact, -side)
    if piece.event is None or piece.event.kind == SECTION:
        return [
            Piece(piece.mode, state, when, solved.period, stop),
            Piece(stuck, state, when + solved.period, 0.0, release),
        ]
    return [
        *pieces[:j],
        Piece(piece.mode, piece.state, piece.time, time, stop),
        Piece(stuck, state, when, 0.0, release),
        Piece(piece.mode, state, when, piece.duration - time, piece.event),
        *pieces[j + 1 :],
    ]
