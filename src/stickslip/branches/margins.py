"""Test functions: numbers that pass through zero where something happens to an orbit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from stickslip.orbits.motion import Motion
from stickslip.orbits.phases import Problem, Solved, guard_terms
from stickslip.orbits.signature import RELEASE, SECTION, STOP
from stickslip.orbits.stability import Complexes, nontrivial

Floats = NDArray[np.float64]
FOLD, FLIP, TORUS, BRANCH_POINT = "fold", "flip", "Neimark–Sacker", "branch point"
GRAZING, CROSSING, SWITCHING, ADDING = "grazing-sliding", "crossing-sliding", "switching-sliding", "adding-sliding"
LOSS = "loss of a phase"
SAMPLES = 48
"""Points of a phase at which a guard is looked at for a tangency."""


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


Margin = tuple[str, int, int, int]
"""What a margin is about: what happens at its zero; the phase; the contact; which of several."""


def margins(problem: Problem, solved: Solved) -> dict[Margin, float]:
    """Numbers that are positive while the phases are those the system itself chooses."""
    found: dict[Margin, float] = {}
    for j in range(problem.phases):
        if problem.signature.events[j].kind != SECTION:
            found |= _of_event(problem, solved, j)
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
    motion = problem.motion.with_parameters(solved.parameters)
    here = motion.phase(after, solved.states[following], float(solved.begins[following]), 0.0)
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        force, static = here.values[here.row("force", i)], here.values[here.row("static", i)]
        if old != 0 and new == 0:  # it sticks: which way would it be pulled away?
            for side in (1, -1):
                room = float(static - side * force)
                gap = here.rates[here.row("static", i)] - side * here.rates[here.row("force", i)]
                kind = GRAZING if side * old < 0 else (CROSSING if gap < 0 else SWITCHING)
                found[(kind, j, i, side)] = room
        elif old != 0 and new == -old:  # it passes through: a contact at rest here would not hold
            stuck = [0 if k == i else m for k, m in enumerate(after)]
            held = motion.phase(stuck, solved.states[following], float(solved.begins[following]), 0.0)
            force, static = held.values[held.row("force", i)], held.values[held.row("static", i)]
            gap = held.rates[held.row("static", i)] - old * held.rates[held.row("force", i)]
            found[(CROSSING if gap < 0 else SWITCHING, j, i, 0)] = float(old * force - static)
    return found


def _inside(problem: Problem, solved: Solved, j: int) -> dict[Margin, float]:
    """The smallest value that each guard has inside phase j, where it has a minimum there."""
    motion = problem.motion.with_parameters(solved.parameters)
    mode, begin, duration = problem.signature.modes[j], float(solved.begins[j]), float(solved.durations[j])
    if duration <= 0:
        return {}
    times = duration * np.arange(1, SAMPLES) / SAMPLES
    points = [motion.phase(mode, solved.states[j], begin, float(t)) for t in times]
    found: dict[Margin, float] = {}
    for kind, contact, side, terms in guards_of(mode, points[0].row):
        rates = np.array([sum(w * p.rates[row] for row, w in terms) for p in points])
        for number, i in enumerate(np.nonzero((rates[:-1] < 0) & (rates[1:] >= 0))[0]):
            value = _minimum(motion, problem, solved, j, terms, float(times[i]), float(times[i + 1]))
            key = (kind, j, contact, side + 10 * number)
            found[key] = min(value, found.get(key, np.inf))
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
) -> float:
    """The value of a guard at its minimum between two times of phase j."""
    mode, begin, z = problem.signature.modes[j], float(solved.begins[j]), solved.states[j]

    def rate(t: float) -> float:
        here = motion.phase(mode, z, begin, t)
        return float(sum(weight * here.rates[row] for row, weight in terms))

    t = float(brentq(rate, low, high, xtol=1e-14 * max(1.0, high), rtol=1e-14))
    here = motion.phase(mode, z, begin, t)
    return float(sum(weight * here.values[row] for row, weight in terms))


__all__ = [
    "ADDING", "BRANCH_POINT", "CROSSING", "FLIP", "FOLD", "GRAZING", "LOSS", "RELEASE", "SWITCHING", "TORUS",
    "flip_test", "has_pair_on_circle", "margins", "torus_test",
]  # fmt: skip
