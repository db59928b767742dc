"""A failure made small: parts are dropped, laws and springs become simple, numbers round, while it still fails."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.campaign.draw import PART, PHASE, PROPORTIONAL, Case, Piece, Structure, Units

from stickslip.errors import ModelError

PLAIN = {"spring": "linear", "damper": "linear", "force": "constant", "belt": "constant", "base": "wave"}
PLAIN_LAWS = ("coulomb", "coulomb-static")
Simplify = Callable[[Case], Iterator[Case]]


def shrunk(case: Case, fails: Callable[[Case], bool], seconds: float = 120.0) -> Case:
    """The smallest case found that still fails."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        before = case
        for simplify in (_simpler_frame, _fewer, _plainer, _rounder):
            case = _simplified(case, simplify, fails, end)
        progress = case is not before and time.monotonic() < end
    return case


def _simplified(case: Case, simplify: Simplify, fails: Callable[[Case], bool], end: float) -> Case:
    """One pass: each simplification is tried on what the ones before it have left."""
    done = 0
    while time.monotonic() < end:
        remaining = list(simplify(case))[done:]
        if not remaining:
            break
        if _still_fails(remaining[0], fails):
            case = remaining[0]
        else:
            done += 1
    return case


def _still_fails(case: Case, fails: Callable[[Case], bool]) -> bool:
    try:
        return fails(case)
    except (ModelError, ValueError, ArithmeticError, KeyError):
        return False  # what is no valid system is no smaller failure


def _simpler_frame(case: Case) -> Iterator[Case]:
    if case.units != Units():
        yield replace(case, units=Units())
    if case.origin:
        yield case.moved(0.0)
        yield replace(case, origin=0.0)
    if case.duration > 1:
        yield replace(case, duration=case.duration / 2)
        yield replace(case, duration=0.8 * case.duration)


def _fewer(case: Case) -> Iterator[Case]:
    """The parts without one of them and all that hangs on it; masses first, with which most goes."""
    pieces = case.structure.pieces
    for piece in sorted(pieces, key=lambda p: p.kind != "mass"):
        left = [p for p in pieces if piece.name not in (p.name, *p.between, *dict(p.weights))]
        if any(p.kind == "mass" for p in left) and any(p.kind == "contact" for p in left):
            used = {name for p in left for name in p.between}
            yield _with(case, tuple(p for p in left if p.kind not in ("belt", "base") or p.name in used))


def _plainer(case: Case) -> Iterator[Case]:
    """The parts with one of them in a simpler form."""
    pieces = case.structure.pieces
    for i, piece in enumerate(pieces):
        for plain in _plain_pieces(piece):
            yield _with(case, (*pieces[:i], plain, *pieces[i + 1 :]))


def _plain_pieces(piece: Piece) -> Iterator[Piece]:
    form = PLAIN.get(piece.kind)
    if form is not None and piece.form != form:
        yield replace(piece, form=form)
    if piece.form == "waves":
        yield replace(piece, form="wave")
    if piece.kind != "contact":
        return
    if piece.form != "constant":
        yield replace(piece, form="constant")
    for law in PLAIN_LAWS[: PLAIN_LAWS.index(piece.law)] if piece.law in PLAIN_LAWS else PLAIN_LAWS:
        yield replace(piece, law=law)
    if len(piece.weights) > 1 or piece.weights[0][1] != 1.0:
        yield replace(piece, weights=((piece.weights[0][0], 1.0),))


def _with(case: Case, pieces: tuple[Piece, ...]) -> Case:
    """The case with other parts; numbers that it has no value for are typical ones."""
    structure = Structure(pieces)
    values = {}
    for name, quantity in structure.quantities().items():
        part, key = name.split(".", 1)
        typical = 0.0 if quantity is PHASE else math.sqrt(quantity.low * quantity.high)
        if quantity is PART:
            typical *= case.values.get(f"{part}.{PROPORTIONAL[key]}", 0.3)
        values[name] = case.values.get(name, typical)
    masses = structure.masses
    start = {name: value for name, value in case.start.items() if name[2:] in masses}
    return replace(case, structure=structure, values=values, start=start)


def _rounder(case: Case) -> Iterator[Case]:
    for digits in (1, 2, 3):
        values = {name: _rounded(value, digits) for name, value in case.values.items()}
        start = {name: _rounded(value, digits) for name, value in case.start.items()}
        if (values, start) != (case.values, case.start):
            yield replace(case, values=values, start=start)
    for name, value in case.values.items():
        for simple in (1.0, _rounded(value, 1), _rounded(value, 2)):
            if _is_simpler(simple, value):
                yield replace(case, values={**case.values, name: simple})
    for name, value in case.start.items():
        for simple in (0.0, 1.0, _rounded(value, 1), _rounded(value, 2)):
            if _is_simpler(simple, value):
                yield replace(case, start={**case.start, name: simple})


def _is_simpler(simple: float, value: float) -> bool:
    return len(repr(simple)) < len(repr(value)) or (simple in (0.0, 1.0) and value not in (0.0, 1.0))


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
