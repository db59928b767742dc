"""Test functions: numbers that pass through zero where something happens to an orbit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from scipy.optimize import brentq

from stickslip.arrays import Complexes
from stickslip.errors import MotionError
from stickslip.orbits.motion import Motion, Phase
from stickslip.orbits.phases import Problem, Solved, guard_terms
from stickslip.orbits.signature import SECTION, STOP
from stickslip.orbits.stability import nontrivial

FOLD, FLIP, TORUS, BRANCH_POINT = "fold", "flip", "Neimark–Sacker", "branch point"
GRAZING, CROSSING, SWITCHING, ADDING = "grazing-sliding", "crossing-sliding", "switching-sliding", "adding-sliding"
LOSS, EXCHANGE = "loss of a phase", "exchange of events"
SAMPLES = 64
"""Points of a phase at which a guard is looked at for a tangency; they are dense at its ends, where events follow each
other closely."""


def flip_test(multipliers: Complexes, autonomous: bool) -> float:
    """Π (μ + 1): zero where a multiplier is −1."""
    return float(np.prod(nontrivial(multipliers, autonomous) + 1).real)


def torus_test(multipliers: Complexes, autonomous: bool) -> float:
    """Π (μᵢ μⱼ − 1): zero where a pair of multipliers is on the unit circle."""
    pairs = combinations(nontrivial(multipliers, autonomous), 2)
    return float(np.prod([a * b - 1 for a, b in pairs]).real)


def has_pair_on_circle(multipliers: Complexes) -> bool:
    """Whether a complex pair lies on the unit circle; two real multipliers with product 1 are no bifurcation."""
    return bool(np.any((np.abs(np.abs(multipliers) - 1) < 1e-5) & (np.abs(multipliers.imag) > 1e-6)))


def outside(multipliers: Complexes, autonomous: bool) -> int | None:
    """How many multipliers lie outside the unit circle; None where one is on it, or where they are not known."""
    sizes = np.abs(nontrivial(multipliers, autonomous))
    known = np.all(np.isfinite(sizes)) and not np.any(np.abs(sizes - 1) < 1e-6)
    return int(np.sum(sizes > 1)) if known else None


Margin = tuple[str, int, int, int]
"""What a margin is about: what happens at its zero; the phase; the contact; which of several."""


def margins(problem: Problem, solved: Solved, only: Margin | None = None) -> dict[Margin, float]:
    """Numbers that are positive while the phases are those the system itself chooses.

    `only` asks for one of them; it is missing from the result where it does not exist.
    """
    found: dict[Margin, float] = {}
    for j in range(problem.phases):
        if only is not None and j != only[1]:
            continue
        if problem.signature.events[j].kind != SECTION:
            found |= _of_event(problem, solved, j)
        if only is None or only not in found:
            found |= _inside(problem, solved, j)
    return found


def _of_event(problem: Problem, solved: Solved, j: int) -> dict[Margin, float]:
    """Duration of phase j, speed at which its guard ends, and whether the modes after it are right."""
    event, end = problem.signature.events[j], solved.ends[j]
    rate = float(sum(weight * end.rates[row] for row, weight in guard_terms(event, end)))
    found: dict[Margin, float] = {(LOSS, j, -1, 0): float(solved.durations[j])}
    found[(GRAZING if event.kind == STOP else ADDING, j, event.contact, 0)] = -rate
    following = (j + 1) % problem.phases
    before, after = problem.signature.modes[j], problem.signature.modes[following]
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == 0 or new == old:
            continue
        try:
            # Whether it sticks or passes through, what matters is the force that would hold it.
            held = _held(problem, solved, following, i)
        except MotionError:  # where friction has no influence on what slips, nothing can hold it
            continue
        force, static = held.row("force", i), held.row("static", i)
        for side in (1, -1) if new == 0 else (old,):
            room = float(held.values[static] - side * held.values[force])
            kind = GRAZING if side * old < 0 else CROSSING
            found[(kind, j, i, side + 3)] = room if new == 0 else -room
    return found


def crossing_name(problem: Problem, solved: Solved, j: int, contact: int) -> str:
    """Where a contact arrives at rest with its force just at the static limit: does it stick for an instant and then
    pass (crossing-sliding), or does it go on sticking (switching-sliding)?"""
    side = problem.signature.modes[j][contact]
    held = _held(problem, solved, (j + 1) % problem.phases, contact)
    growing = held.rates[held.row("static", contact)] - side * held.rates[held.row("force", contact)]
    return SWITCHING if growing > 0 else CROSSING


def _held(problem: Problem, solved: Solved, j: int, contact: int) -> Phase:
    """The begin of phase j with a contact held at rest."""
    mode = [0 if i == contact else m for i, m in enumerate(problem.signature.modes[j])]
    motion = problem.motion.with_parameters(solved.parameters)
    return motion.phase(mode, solved.states[j], float(solved.begins[j]), 0.0)


def _inside(problem: Problem, solved: Solved, j: int) -> dict[Margin, float]:
    """The smallest value that each guard has inside phase j, where it has a minimum there."""
    return {key: value for key, (_, value) in inner_minima(problem, solved, j).items()}


def inner_minima(problem: Problem, solved: Solved, j: int) -> dict[Margin, tuple[float, float]]:
    """When each guard of phase j has a minimum inside it, and its value there."""
    motion = problem.motion.with_parameters(solved.parameters)
    mode, begin, duration = problem.signature.modes[j], float(solved.begins[j]), float(solved.durations[j])
    if duration <= 0:
        return {}
    # Where a phase is only cut by a section, nothing happens at its ends either.
    inside = slice(None) if problem.signature.events[j].kind == SECTION else slice(1, -1)
    times = (0.5 * duration * (1 - np.cos(np.linspace(0.0, np.pi, SAMPLES + 1))))[inside]
    _, rates_at = motion.sampled(mode, solved.states[j], begin, times)
    found: dict[Margin, tuple[float, float]] = {}
    for kind, contact, side, terms in guards_of(mode, solved.ends[j].row):
        rates = sum((w * rates_at[:, row] for row, w in terms), np.zeros(len(times)))
        for number, i in enumerate(np.nonzero((rates[:-1] < 0) & (rates[1:] >= 0))[0]):
            key = (kind, j, contact, side + 10 * (number + 1))
            found[key] = _minimum(motion, problem, solved, j, terms, float(times[i]), float(times[i + 1]))
    return found


Terms = list[tuple[int, float]]


def guards_of(mode: tuple[int, ...], row: Callable[[str, int], int]) -> Iterator[tuple[str, int, int, Terms]]:
    """Every guard of a mode: what its zero would be, contact, side, and the rows it is made of."""
    for i, m in enumerate(mode):
        if m != 0:
            yield GRAZING, i, 0, [(row("v", i), float(m))]
        else:
            for side in (1, -1):
                yield ADDING, i, side, [(row("static", i), 1.0), (row("force", i), -float(side))]


def _minimum(
    motion: Motion, problem: Problem, solved: Solved, j: int, terms: Terms, low: float, high: float
) -> tuple[float, float]:
    """When a guard has its minimum between two times of phase j, and its value there."""
    mode, begin, z = problem.signature.modes[j], float(solved.begins[j]), solved.states[j]

    def rate(t: float) -> float:
        here = motion.phase(mode, z, begin, t)
        return float(sum(weight * here.rates[row] for row, weight in terms))

    if rate(low) >= 0 or rate(high) <= 0:  # a sample met the minimum itself, but for round-off
        t = min((low, high), key=lambda t: abs(rate(t)))
    else:
        t = float(brentq(rate, low, high, xtol=1e-14 * max(1.0, high), rtol=1e-14))
    here = motion.phase(mode, z, begin, t)
    return t, float(sum(weight * here.values[row] for row, weight in terms))
