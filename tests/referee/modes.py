"""Which contacts at rest stick and which slip: every combination is tried.

Stick is consistent where |λ| ≤ S, slip to a side where the contact accelerates to that side. Where one of these is a
tie, the motion a moment later decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from tests.referee.equations import Equations, Point, Redundant
from tests.referee.steps import advanced

TIE = 1e-9
"""Forces and accelerations nearer to zero than this part of their terms are zero, or nearly so: look a moment later."""

MOMENTS = (1e-5, 1e-4, 1e-3)
NOISE = 1e-14
"""Sliding velocities below this part of the velocity scale a moment later are zero to the referee."""


@dataclass(frozen=True)
class Choice:
    """Combinations that are consistent and stick most; the first is taken. None where there is none."""

    options: tuple[tuple[int, ...], ...]
    redundant: bool
    """Whether a combination was left out because its sticking forces are not unique."""


def choose(
    equations: Equations, elapsed: float, state: Sequence[float], modes: Sequence[int], resting: tuple[int, ...]
) -> Choice:
    """All best combinations for contacts at rest; the others keep their modes."""
    found: list[tuple[int, ...]] = []
    redundant = False
    combinations = sorted(product((0, 1, -1), repeat=len(resting)), key=lambda c: -c.count(0))
    for combination in combinations:
        if found and combination.count(0) < max(f.count(0) for f in [tuple(f[i] for i in resting) for f in found]):
            break
        trial = list(modes)
        for i, mode in zip(resting, combination, strict=True):
            trial[i] = mode
        try:
            if is_consistent(equations, elapsed, state, trial, resting):
                found.append(tuple(trial))
        except Redundant:
            redundant = True
    if len(found) > 1:
        found.sort(key=lambda option: len(_released_without_need(equations, elapsed, state, option, modes, resting)))
        least = len(_released_without_need(equations, elapsed, state, found[0], modes, resting))
        found = [o for o in found if len(_released_without_need(equations, elapsed, state, o, modes, resting)) == least]
    return Choice(tuple(found), redundant)


def _released_without_need(
    equations: Equations,
    elapsed: float,
    state: Sequence[float],
    option: Sequence[int],
    modes: Sequence[int],
    resting: tuple[int, ...],
) -> list[int]:
    """Contacts that an option lets slip although they could be held while all at rest stick."""
    together = list(modes)
    for i in resting:
        together[i] = 0
    try:
        point = equations.at(elapsed, state, together)
    except Redundant:
        return []
    return [i for i in resting if option[i] and abs(point.friction[i]) < point.static[i] * (1 - TIE)]


def is_consistent(
    equations: Equations, elapsed: float, state: Sequence[float], modes: Sequence[int], resting: tuple[int, ...]
) -> bool:
    """Whether every contact at rest does what its mode says, now or, in a tie, a moment later."""
    point = equations.at(elapsed, state, modes)
    ties = []
    for i in resting:
        margin, size = _margin(equations, elapsed, state, point, i, modes[i])
        if margin < -TIE * size:
            return False
        if margin <= TIE * size:
            ties.append(i)
    if not ties:
        return True
    return all(_holds_later(equations, elapsed, state, modes, i) for i in ties)


def _margin(
    equations: Equations, elapsed: float, state: Sequence[float], point: Point, i: int, mode: int
) -> tuple[float, float]:
    """By how much contact i does what its mode says, and the size of the terms."""
    if mode == 0:
        return point.static[i] - abs(point.friction[i]), point.static[i] + abs(point.friction[i])
    acceleration, size = equations.slip_acceleration(i, elapsed, state, point)
    return mode * acceleration, size


def _holds_later(equations: Equations, elapsed: float, state: Sequence[float], modes: Sequence[int], i: int) -> bool:
    for part in MOMENTS:
        moment = part * equations.time_scale
        later = advanced(equations, elapsed, state, modes, moment)
        point = equations.at(elapsed + moment, later, modes)
        if modes[i] == 0:
            margin, size = point.static[i] - abs(point.friction[i]), point.static[i] + abs(point.friction[i])
            if abs(margin) > 1e-13 * size:
                return margin > 0
        else:
            velocity = modes[i] * point.sliding[i]
            if abs(velocity) > NOISE * equations.speed_scale:
                return velocity > 0
    return modes[i] == 0
