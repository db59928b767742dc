"""What becomes of an equilibrium that begins to oscillate: the first Lyapunov coefficient of a Hopf point.

Reference: Kuznetsov, Elements of Applied Bifurcation Theory, Sec. 5.4. Sticking contacts make the motion M ẏ = F(y)
with a singular M; the formula stays as it is, with M beside every iω.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.orbits.balance import Balance

CANCELLED = 1e-9
"""A sum below this part of its terms is what round-off leaves of zero."""

SUPERCRITICAL, SUBCRITICAL, DEGENERATE, UNKNOWN = "supercritical", "subcritical", "degenerate", "not decided"


@dataclass(frozen=True)
class Hopf:
    """The angular frequency ω and the first Lyapunov coefficient l₁ of a Hopf point.

    l₁ < 0: a stable orbit is born (supercritical), l₁ > 0: an unstable one vanishes (subcritical). Its value depends on
    the units of the states: the eigenvector has the length 1 in them. It is not a number (nan) for tabulated laws.
    """

    omega: float
    l1: float
    criticality: str

    def __str__(self) -> str:
        return f"{self.criticality}, l1 = {self.l1:.10g}, omega = {self.omega:.10g}"


def critical_pair(eigenvalues: Complexes) -> complex | None:
    """The eigenvalue iω of the complex pair nearest to the imaginary axis; None where no pair is near it."""
    above = eigenvalues[eigenvalues.imag > 1e-9 * np.max(np.abs(eigenvalues), initial=0.0)]
    if len(above) == 0:
        return None
    best = complex(above[int(np.argmin(np.abs(above.real) / np.abs(above)))])
    return best if abs(best.real) < 1e-4 * abs(best) else None


def null_vectors(matrix: Complexes | Floats) -> tuple[Complexes, Complexes]:
    """Unit vectors q and p with matrix q = 0 and p* matrix = 0."""
    left, _, right = np.linalg.svd(matrix)
    return left[:, -1], right[-1].conj()


@dataclass(frozen=True, eq=False)
class Pair:
    """The eigenvectors of a pair ±iω: A q = iω M q with |M q| = 1, and p* A = iω p* M with p* M q = 1."""

    q: Complexes
    left: Complexes

    @classmethod
    def at(cls, balance: Balance, y: Floats, p: Floats, omega: float) -> Pair:
        left, q = null_vectors(balance.slopes(y, p)[0] - 1j * omega * np.diag(balance.mass))
        q = q / np.linalg.norm(balance.mass * q)
        return cls(q, left / np.conj(np.vdot(left, balance.mass * q)))


def growth_slope(balance: Balance, y: Floats, p: Floats, pair: Pair, number: int) -> float:
    """How fast the real part of a critical pair grows with a parameter, along the equilibria; nan where the equations
    have no second derivatives."""
    forms = balance.forms(y, p)
    if forms is None:
        return float("nan")
    A, F_p, _ = balance.slopes(y, p)
    moved = -np.linalg.solve(A, F_p[:, number])
    parts = [forms.along(x) @ moved + forms.by_parameters(x, len(p))[:, number] for x in (pair.q.real, pair.q.imag)]
    return float(np.vdot(pair.left, parts[0] + 1j * parts[1]).real)


def hopf(balance: Balance, y: Floats, p: Floats, omega: float) -> Hopf:
    """The Hopf point at y with eigenvalues ±iω."""
    forms = balance.forms(y, p)
    if forms is None:
        return Hopf(omega, np.nan, UNKNOWN)
    A, M = balance.slopes(y, p)[0], np.diag(balance.mass)
    pair = Pair.at(balance, y, p, omega)
    q, left, bar = pair.q, pair.left, pair.q.conj()
    still = np.linalg.solve(A, forms.second(q, bar))
    twice = np.linalg.solve(2j * omega * M - A, forms.second(q, q))
    terms = [
        np.vdot(left, forms.third(q, q, bar)).real,
        -2 * np.vdot(left, forms.second(q, still)).real,
        np.vdot(left, forms.second(bar, twice)).real,
    ]
    l1 = float(sum(terms)) / (2 * omega)
    if abs(sum(terms)) <= CANCELLED * sum(map(abs, terms)):
        return Hopf(omega, l1, DEGENERATE)
    return Hopf(omega, l1, SUPERCRITICAL if l1 < 0 else SUBCRITICAL)
