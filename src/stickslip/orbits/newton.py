"""Newton's method for equations with scaled unknowns; square, or with more equations than are independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from stickslip.arrays import Floats
from stickslip.errors import NoConvergence

Equations = Callable[[Floats], tuple[Floats, Floats]]
Noise = Callable[[Floats, Floats], Floats]
"""From u and J(u): how large each row of F may be by round-off alone."""

LONGEST_STEP = 0.5
"""In units of the scales: beyond it the linearisation is not believed."""

ROUND_OFF = 1e-11
"""A residual, in units of the terms of an equation or of the orbit's size, that cannot be made much smaller."""


MOST_POLISHINGS = 6
LARGE = 200
"""So many equations have mostly derivatives that are zero: those of a phase by the unknowns of all others but one."""


@dataclass
class History:
    """How a solution was approached: the largest residual and the largest scaled step of every iteration."""

    residuals: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)


def solve_linear(J: Floats, F: Floats) -> Floats:
    """The solution of J x = F; the shortest, or the closest, where there is not exactly one."""
    if not np.all(np.isfinite(J)) or not np.all(np.isfinite(F)):  # LAPACK would complain on the screen
        raise NoConvergence("the equations or their derivatives are not finite")
    if J.shape[0] == J.shape[1]:
        try:
            x = np.linalg.solve(J, F) if len(J) < LARGE else splu(csc_matrix(J)).solve(F)
            if np.all(np.isfinite(x)) and np.max(np.abs(J @ x - F)) <= 1e-6 * (np.max(np.abs(F)) + 1e-300):
                return np.asarray(x, float)
        except (np.linalg.LinAlgError, RuntimeError):  # singular, as SuperLU says it
            pass
    return np.asarray(np.linalg.lstsq(J, F, rcond=1e-13)[0], float)


def terms(J: Floats, u: Floats, scales: Floats) -> Floats:
    """The size of the terms of every equation: how much it changes with each unknown, times how large that is.

    >>> terms(np.array([[1.0, -1.0]]), np.array([1e6, 1e6]), np.array([1.0, 1.0])).tolist()
    [2000000.0]
    """
    return np.asarray(np.abs(J) @ np.maximum(np.abs(u), np.abs(scales)), float)


def newton(
    equations: Equations,
    u: Floats,
    scales: Floats,
    *,
    tolerance: float = 1e-12,
    most: int = 25,
    history: History | None = None,
) -> Floats:
    """The root of `equations` near u. It ends where steps are below `tolerance`, or as small as round-off lets them.

    Steps also end at the closest approach of equations that contradict each other: there is no root then.
    """
    history = history if history is not None else History()
    before = np.inf
    for _ in range(most):
        F, J = equations(u)
        residual = float(np.max(np.abs(F), initial=0.0))
        with np.errstate(over="ignore"):  # what overflows is no solution
            x = -solve_linear(J * scales, F)
        size = float(np.max(np.abs(x), initial=0.0))
        history.residuals.append(residual)
        history.steps.append(size)
        if not np.isfinite(size):
            raise NoConvergence("the equations are singular")
        step = x * min(1.0, LONGEST_STEP / size) if size > 0 else x
        stagnant = size >= 0.3 * before
        # Where a phase is about to vanish its length is ill determined: the equations hold to round-off all the same.
        solved = residual <= ROUND_OFF and size <= 1e-5
        if size <= tolerance or (stagnant and (size <= 1e3 * tolerance or solved)):
            left = np.abs(F + J @ (x * scales))
            if np.any(left > ROUND_OFF * terms(J, u, scales)):
                raise NoConvergence(
                    f"the equations contradict each other: {np.max(left):.2g} of the size of the orbit is left"
                )
            return u + step * scales
        u, before = u + step * scales, size
    last = f"after {most} iterations the last step is {size:.2g} of the size of the orbit, the residual {residual:.2g}"
    raise NoConvergence(last)


def polished(equations: Equations, u: Floats, scales: Floats, noise: Noise) -> Floats:
    """A root of `equations` near one that Newton's method found, where every equation holds within `noise`."""
    for _ in range(MOST_POLISHINGS):
        F, J = equations(u)
        small = noise(u, J)
        if np.all(np.abs(F) <= small):
            return u
        if not np.all(np.isfinite(F)) or not np.all(np.isfinite(J)):
            break
        u = u - _solve_above_noise(J * scales, F, small) * scales
    worst = float(np.max(np.abs(F)))
    raise NoConvergence(
        f"the equations do not hold: {worst:.2g} of the size of the orbit is left, more than round-off leaves"
    )


def _solve_above_noise(J: Floats, F: Floats, noise: Floats) -> Floats:
    """The solution of J x = F as far as F is known: along directions in which it is not told from zero, x is zero.

    The length of a phase that is about to vanish is such a direction: round-off would move it to and fro.
    """
    floor = np.maximum(noise, 1e-300)
    left, sizes, right = np.linalg.svd(J / floor[:, None], full_matrices=False)
    share = left.T @ (F / floor)
    # All that is left out is, in the end, less than the noise of any row.
    known = (np.abs(share) > 1 / np.sqrt(len(F))) & (sizes > 1e-13 * sizes[0])
    return np.asarray(right[known].T @ (share[known] / sizes[known]), float)
