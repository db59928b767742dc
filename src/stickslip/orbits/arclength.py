"""Pseudo-arclength path following of any equations with one unknown more than they have.

For developers: anything with `residual(u) → (F, J)` can be followed. Unknowns are measured in units of `scales`,
so that a step has a meaning; the last unknown is the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.optimize import brentq

from stickslip.arrays import Floats
from stickslip.errors import NoConvergence
from stickslip.orbits.newton import newton

MOST_ITERATIONS = 8
ROUND_OFF, BESIDE = 1e-12, 1e-3
"""What round-off leaves of a singular value that is zero; and how far beside a point one looks, in units of scales."""


class Followable(Protocol):
    """Equations F(u) = 0 with one unknown more than independent equations, and how well they can be solved."""

    @property
    def tolerance(self) -> float: ...

    def residual(self, u: Floats) -> tuple[Floats, Floats]: ...


class Path(Followable, Protocol):
    """Equations whose solutions are a branch: what a walk along it asks of them. The last unknown is the parameter."""

    @property
    def evaluations(self) -> int:
        """How often the right-hand side was evaluated so far; zero where that is not counted."""

    def scales(self, u: Floats) -> Floats:
        """Sizes of the unknowns."""

    def moved(self, u: Floats) -> Self:
        """The same equations, with references taken from u."""

    def slid(self, u: Floats, change: Floats) -> Floats:
        """A change of the unknowns that the equations at u do not allow, as the change of the same solutions that they
        do."""


@dataclass(frozen=True)
class Place:
    """A point of a path: the unknowns, the unit tangent (in scaled unknowns), and the determinant of the equations with
    the tangent as one more row, by its sign and the logarithm of its size. It is zero where two paths cross."""

    u: Floats
    tangent: Floats
    sign: float = 1.0
    log: float = 0.0

    @property
    def slope(self) -> float:
        """How fast the parameter changes along the path; zero at a fold."""
        return float(self.tangent[-1])


def place(equations: Followable, u: Floats, scales: Floats, along: Floats | None) -> Place:
    """A point with its tangent, oriented along a given one."""
    _, J = equations.residual(u)
    tangent = null_vector(J * scales, along)
    if along is not None and float(tangent @ along) < 0:
        tangent = -tangent
    bordered = np.vstack([J * scales, tangent])
    if bordered.shape[0] != bordered.shape[1]:  # some equations say the same
        return Place(u, tangent)
    sign, log = np.linalg.slogdet(bordered)
    return Place(u, tangent, float(sign), float(log))


def null_vector(J: Floats, near: Floats | None = None) -> Floats:
    """The unit vector that J sends to zero; a vector that is not across it saves time.

    Where J sends a whole plane or more to zero, as at an orbit that is one of many, it is the one nearest to the given
    vector, else to a change of the last unknown, the parameter: round-off is not asked.
    """
    if near is not None and J.shape[0] + 1 == J.shape[1]:
        try:
            x = np.linalg.solve(np.vstack([J, near]), np.append(np.zeros(len(J)), 1.0))
            size = float(np.linalg.norm(x))
            if np.isfinite(size) and np.max(np.abs(J @ x)) <= 1e-9 * size:
                return np.asarray(x / size, float)
        except np.linalg.LinAlgError:
            pass
    _, sizes, rows = np.linalg.svd(J)
    rank = min(int(np.sum(sizes > ROUND_OFF * np.max(sizes, initial=0.0))), len(rows) - 1)
    null = rows[rank:]
    projected = null.T @ (null[:, -1] if near is None else null @ near)
    size = float(np.linalg.norm(projected))
    return np.asarray(projected / size if size > BESIDE else rows[-1], float)


def is_one_of_many(equations: Followable, here: Place, scales: Floats) -> bool:
    """Whether solutions fill a surface, so that there is no path; where two paths cross, they do not beside it."""

    def is_singular(u: Floats) -> bool:
        sizes = np.linalg.svd(equations.residual(u)[1] * scales, compute_uv=False)
        return bool(sizes[-1] < ROUND_OFF * sizes[0])

    return is_singular(here.u) and is_singular(here.u + BESIDE * here.tangent * scales)


def corrected(equations: Followable, start: Place, s: float, guess: Floats, scales: Floats) -> tuple[Floats, int]:
    """The point of the path at the distance s from `start`, measured along its tangent; and the iterations it took."""
    count = 0

    def bordered(u: Floats) -> tuple[Floats, Floats]:
        nonlocal count
        count += 1
        F, J = equations.residual(u)
        along = float(start.tangent @ ((u - start.u) / scales)) - s
        return np.append(F, along), np.vstack([J, start.tangent / scales])

    return newton(bordered, guess, scales, most=MOST_ITERATIONS, tolerance=equations.tolerance), count


def located(
    equations: Followable,
    start: Place,
    end: Floats,
    s: float,
    scales: Floats,
    test: Callable[[Floats], float],
    values: tuple[float, float],
) -> Floats | None:
    """The point between `start` and `end` (at the distance s) where a test function is zero; None if it jumps."""
    found: dict[float, Floats] = {0.0: start.u, s: end}

    def value(x: float) -> float:
        if x == 0.0:
            return values[0]
        if x == s:
            return values[1]
        near = min(found, key=lambda y: abs(y - x))
        fraction = x / s
        guess = (1 - fraction) * start.u + fraction * end if abs(near - x) > 0.2 * s else found[near]
        try:
            u = corrected(equations, start, x, guess, scales)[0]
        except NoConvergence:
            u = corrected(equations, start, x, start.u + x * start.tangent * scales, scales)[0]
        found[x] = u
        return test(u)

    try:
        root = float(brentq(value, 0.0, s, xtol=1e-15, rtol=8.9e-16, maxiter=100))
        value(root)
    except (NoConvergence, ValueError):
        return None
    return found.get(root)
