"""Floquet multipliers, and what they say."""

from __future__ import annotations

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.orbits.phases import Problem, Solved

NOTHING = 1e-12
"""A multiplier below this is what round-off leaves of a zero."""


def multipliers_of(problem: Problem, solved: Solved) -> Complexes:
    """Floquet multipliers, largest first.

    Where contacts stick, the sliding velocities of neighbouring motions are lost: each such contact gives a multiplier
    that is exactly zero. The others come from the motion that remains, begun where most contacts stick. Shifts that the
    equations do not feel are left out.
    """
    stuck = [sum(m == 0 for m in mode) for mode in problem.signature.modes]
    first = int(np.argmax(stuck))
    scale = problem.state_scale
    M = problem.monodromy(solved, first) * scale / scale[:, None]
    if not np.all(np.isfinite(M)):  # at a tangency the return map has no derivative
        return np.full(_count(problem, solved), np.nan, complex)
    remaining = _remaining(problem, solved, first)
    reduced = remaining.T @ M @ remaining
    values = np.linalg.eigvals(reduced).astype(complex) if reduced.size else np.zeros(0, complex)
    values = np.concatenate([values, np.zeros(_count(problem, solved) - len(values))])
    values[np.abs(values) <= NOTHING * max(1.0, float(np.max(np.abs(values), initial=0.0)))] = 0.0
    return sorted_multipliers(values)


def _count(problem: Problem, solved: Solved) -> int:
    """How many multipliers there are: a shift that the equations do not feel has none."""
    motion = problem.motion.with_parameters(solved.parameters)
    return problem.n - len(motion.free(problem.state_scale).T)


def _remaining(problem: Problem, solved: Solved, first: int) -> Floats:
    """An orthonormal basis, in scaled states, of the changes that keep the sticking contacts at rest, but for shifts
    that the equations do not feel."""
    contacts = [i for i, m in enumerate(problem.signature.modes[first]) if m == 0]
    motion = problem.motion.with_parameters(solved.parameters)
    shifts = motion.free(problem.state_scale).T
    if not contacts and not shifts.size:
        return np.eye(problem.n)
    start, time = solved.states[first], float(solved.begins[first])
    here = motion.phase(problem.signature.modes[first], start, time, 0.0, [])
    H = here.by_state[[here.row("v", i) for i in contacts]] * problem.state_scale
    H /= np.maximum(np.linalg.norm(H, axis=1), 1e-300)[:, None]
    _, sizes, rows = np.linalg.svd(np.vstack([H, shifts]))
    rank = int(np.sum(sizes > 1e-12 * sizes[0]))
    return np.asarray(rows[rank:].T, float)


def sorted_multipliers(values: Complexes) -> Complexes:
    """Largest modulus first; of a pair, the one above the real axis first."""
    order = sorted(range(len(values)), key=lambda i: (-round(float(abs(values[i])), 12), -float(values[i].imag)))
    return np.asarray(values[order], complex)


def nontrivial(multipliers: Complexes, autonomous: bool) -> Complexes:
    """All but the multiplier 1 that belongs to a shift in time."""
    if not autonomous or len(multipliers) == 0:
        return multipliers
    trivial = int(np.argmin(np.abs(multipliers - 1)))
    return np.delete(multipliers, trivial)
