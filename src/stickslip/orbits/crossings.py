"""Where two paths of solutions cross, to round-off, and where both go from there.

Near such a point the equations F(u) = 0 are singular, so a little is added to them in the direction b in which they say
nothing: F(u) + β b = 0 has a solution for every ξ, the place in the plane of the two directions along which F does not
change at first. Paths are where β(ξ) = 0, and they cross where β has a saddle. Its gradient comes with the solution,
its second derivatives are differences of gradients; the directions in which they vanish are the tangents of both paths.

Reference: Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria (2000), Ch. 3 (bordered equations).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import NoConvergence
from stickslip.orbits.arclength import Followable

MOST_ITERATIONS = 20
DIFFERENCE = 1e-4
"""How far apart gradients are taken to be compared, in units of the scales."""

TOUCHING = 1e3
"""How far β may be from zero at its saddle, in units of the tolerance: beyond, two paths pass without touching."""

LEVEL = 1e-5
"""Slopes of the parameter along a tangent below this are zero, but for the error of differences."""

FLAT = 1e-5
"""Second derivatives below this are what differences of round-off leave of zero."""


@dataclass(frozen=True)
class Crossing:
    """Where two paths cross, and the unit tangents of both, in units of the scales."""

    u: Floats
    tangents: tuple[Floats, Floats]

    def along(self, known: Floats) -> Floats:
        """The tangent of the path that has nearly the known direction, and points like it."""
        return oriented(max(self.tangents, key=lambda t: abs(float(t @ known))), known)

    def across(self, known: Floats) -> Floats:
        """The tangent of the other path."""
        return min(self.tangents, key=lambda t: abs(float(t @ known)))

    def leads(self, change: Floats, along: Floats) -> bool:
        """Whether a change in units of the scales leads onto the path with this tangent, and not onto the other, be
        both as crooked as they may: no less than half of its distance along it is a part of that tangent."""
        parts = np.linalg.lstsq(np.column_stack([along, self.across(along)]), change, rcond=None)[0]
        return bool(parts[0] > 0.5 * float(along @ change))


def oriented(direction: Floats, like: Floats) -> Floats:
    """A direction, or its opposite, such that it points like another one."""
    return direction if float(direction @ like) >= 0 else -direction


def ahead(direction: Floats, sign: float) -> Floats:
    """The direction in which the parameter, the last unknown, changes by a sign. Where it does not change at first, as
    at a pitchfork, the signs stand for the two sides, always in the same way."""
    leading = direction[-1] if abs(direction[-1]) > LEVEL else direction[int(np.argmax(np.abs(direction[:-1])))]
    return direction if leading * sign > 0 else -direction


@dataclass(frozen=True)
class _Borders:
    """The direction b in which the equations say nothing, and the two along which they do not change at first."""

    b: Floats
    V: Floats

    @classmethod
    def of(cls, A: Floats) -> _Borders:
        left, _, right = np.linalg.svd(A)
        return cls(left[:, -1], right[-2:].T)

    def solved(self, F: Floats, A: Floats) -> tuple[Floats, float, Floats, Floats]:
        """The step to F + β b = 0 and its β; how the solution and β change with ξ."""
        m = len(F)
        K = np.block([[A, self.b[:, None]], [self.V.T, np.zeros((2, 1))]])
        right = np.zeros((m + 2, 3))
        right[:m, 0], right[m:, 1:] = -F, np.eye(2)
        x = np.linalg.solve(K, right)
        return x[:-1, 0], float(x[-1, 0]), x[:-1, 1:], x[-1, 1:]


def crossing(equations: Followable, u: Floats, scales: Floats) -> Crossing | None:
    """The crossing of two paths near u; None where there is none."""
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        F, J = equations.residual(u)
        borders = _Borders.of(J * scales)
        step, beta, X, gradient = borders.solved(F, J * scales)
        H = _bends(equations, u, scales, borders, X)
        size = float(np.max(np.abs(H)))
        if not size > FLAT or np.linalg.det(H) >= -((FLAT * size) ** 2):
            return None  # no saddle
        step = step - X @ np.linalg.solve(H, gradient)
        length = float(np.max(np.abs(step)))
        if not length < 1:
            return None
        u = u + step * scales
        if length <= equations.tolerance or (length >= 0.3 * before and length < 1e-6):
            return Crossing(u, _tangents(H, X)) if abs(beta) < TOUCHING * equations.tolerance else None
        before = length
    raise NoConvergence("the crossing of two paths was not found")


def _bends(equations: Followable, u: Floats, scales: Floats, borders: _Borders, X: Floats) -> Floats:
    """The second derivatives of β."""
    columns = []
    for i in range(2):
        ahead, behind = (
            borders.solved(F, J * scales)[3]
            for F, J in (equations.residual(u + h * X[:, i] * scales) for h in (DIFFERENCE, -DIFFERENCE))
        )
        columns.append((ahead - behind) / (2 * DIFFERENCE))
    H = np.array(columns)
    return 0.5 * (H + H.T)


def _tangents(H: Floats, X: Floats) -> tuple[Floats, Floats]:
    """The directions along which the saddle is level."""
    values, axes = np.linalg.eigh(H)  # values[0] < 0 < values[1]
    a, b = np.sqrt(values[1]) * axes[:, 0], np.sqrt(-values[0]) * axes[:, 1]
    first, second = X @ (a + b), X @ (a - b)
    return first / np.linalg.norm(first), second / np.linalg.norm(second)
