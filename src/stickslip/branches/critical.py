"""Equilibria along one parameter, and Hopf points and folds along two, as equations to be followed.

Each is a path in the sense of `arclength`: `residual` gives F and J, and the last unknown is the parameter along which
it is followed. `EquilibriumPath` has u = (y, p). `FoldPath` adds the vector q with A q = 0, where A = ∂F/∂y; `HopfPath`
adds the complex q and the frequency ω with A q = iω M q. With a single free parameter these two are square, and locate
a point to round-off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.errors import OrbitError
from stickslip.model.system import Model
from stickslip.orbits.balance import Balance, Forms
from stickslip.orbits.equilibria import equilibrium_at
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.exact import with_parameters
from stickslip.orbits.guess import scale_of
from stickslip.orbits.newton import newton
from stickslip.orbits.normal_form import hopf, null_vectors

HOPF, BAUTIN, CUSP, TAKENS = "Hopf", "Bautin", "cusp", "Bogdanov–Takens"
NOTHING = 1e-12
"""A growth rate below this, in units of the modulus, is what round-off leaves of zero."""


@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria with the parameters `free` among the unknowns, the one to be followed last."""

    balance: Balance
    free: tuple[int, ...]
    values: Floats
    tolerance: float = 1e-12

    @property
    def inner(self) -> int:
        """How many unknowns are not parameters."""
        return self.balance.size

    def parameters(self, u: Floats) -> Floats:
        """All parameter values at u."""
        p = self.values.copy()
        p[list(self.free)] = u[self.inner :]
        return p

    def y(self, u: Floats) -> Floats:
        """States, and forces of sticking contacts."""
        return u[: self.balance.size]

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        y, p = self.y(u), self.parameters(u)
        A, F_p, _ = self.balance.slopes(y, p)
        return self.balance.residual(y, p), np.hstack([A, F_p[:, list(self.free)]])

    def scales(self, u: Floats) -> Floats:
        """Sizes of the unknowns."""
        y, p = self.y(u), u[self.inner :]
        return np.concatenate([scale_of(np.array([y]), len(y)), np.where(p == 0, 1.0, np.abs(p))])

    def moved(self, u: Floats) -> EquilibriumPath:
        """The same equations, with references taken from u."""
        return self

    def slid(self, u: Floats, change: Floats) -> Floats:
        """A change of the unknowns: all are allowed."""
        return change

    @property
    def evaluations(self) -> int:
        """These are not counted."""
        return 0

    def model(self, u: Floats) -> Model:
        """The model with the parameters of u."""
        return with_parameters(self.balance.model, list(self.balance.model.parameters), self.parameters(u))

    def equilibrium(self, u: Floats) -> Equilibrium:
        """The equilibrium at u."""
        return equilibrium_at(self.balance, self.y(u), self.parameters(u), self.model(u))

    def eigenvalues(self, u: Floats) -> Complexes:
        """Eigenvalues at u."""
        return self.balance.eigenvalues(self.y(u), self.parameters(u))

    def tests(self, u: Floats) -> dict[str, float]:
        """Numbers that change sign at special points; those of Hopf points are treated apart."""
        return {}


def pair_sums(eigenvalues: Complexes) -> float:
    """Π (λᵢ + λⱼ), each in units of its size: changes sign at a Hopf point."""
    sums = [(a + b) / (abs(a) + abs(b)) for a, b in combinations(eigenvalues, 2) if abs(a) + abs(b) > 0]
    return float(np.prod(sums).real)


def pairs_growth(eigenvalues: Complexes) -> Floats:
    """The real parts of all complex pairs, largest first, in units of their modulus."""
    above = eigenvalues[eigenvalues.imag > 0]
    return np.sort(above.real / np.abs(above))[::-1]


def conservative(eigenvalues: Complexes) -> bool:
    """Whether a complex pair lies on the imaginary axis."""
    return bool(np.any(np.abs(pairs_growth(eigenvalues)) < NOTHING))


@dataclass(frozen=True, eq=False)
class FoldPath(EquilibriumPath):
    """Equilibria whose A has the eigenvalue zero: u = (y, q, p) with A q = 0. `q0`, `left0` are vectors nearby."""

    q0: Floats = field(default_factory=lambda: np.zeros(0))
    left0: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def inner(self) -> int:
        return 2 * self.balance.size

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        N, y, p = self.balance.size, self.y(u), self.parameters(u)
        q = u[N : 2 * N]
        A, F_p, _ = self.balance.slopes(y, p)
        forms, free, zero = known_forms(self.balance, y, p), list(self.free), np.zeros((N, N))
        F = np.concatenate([self.balance.residual(y, p), A @ q, [self.q0 @ q - 1.0]])
        last = np.concatenate([np.zeros(N), self.q0, np.zeros(len(free))])
        J = np.block([[A, zero, F_p[:, free]], [forms.along(q), A, forms.by_parameters(q, len(p))[:, free]]])
        return F, np.vstack([J, last])

    def scales(self, u: Floats) -> Floats:
        N = self.balance.size
        scales = super().scales(u)
        return np.concatenate([scales[:N], np.full(N, np.max(np.abs(u[N : 2 * N]))), scales[N:]])

    def moved(self, u: Floats) -> FoldPath:
        q = u[self.balance.size : self.inner]
        return replace(self, q0=q / (q @ q), left0=self._left(u))

    def _left(self, u: Floats) -> Floats:
        left = null_vectors(self.balance.slopes(self.y(u), self.parameters(u))[0])[0].real
        return left if left @ self.left0 >= 0 else -left

    def tests(self, u: Floats) -> dict[str, float]:
        q, left = u[self.balance.size : self.inner], self._left(u)
        forms = known_forms(self.balance, self.y(u), self.parameters(u))
        return {CUSP: float(left @ forms.second(q, q)), TAKENS: float(left @ (self.balance.mass * q))}


@dataclass(frozen=True, eq=False)
class HopfPath(EquilibriumPath):
    """Equilibria with eigenvalues ±iω: u = (y, Re q, Im q, ω, p) with A q = iω M q. `q0` is a vector nearby."""

    q0: Complexes = field(default_factory=lambda: np.zeros(0, complex))

    @property
    def inner(self) -> int:
        return 3 * self.balance.size + 1

    def omega(self, u: Floats) -> float:
        """The angular frequency."""
        return float(u[3 * self.balance.size])

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        N, y, p = self.balance.size, self.y(u), self.parameters(u)
        a, b, omega = u[N : 2 * N], u[2 * N : 3 * N], self.omega(u)
        A, F_p, _ = self.balance.slopes(y, p)
        forms, free = known_forms(self.balance, y, p), list(self.free)
        mass, M = self.balance.mass, np.diag(self.balance.mass)
        c, d = self.q0.real, self.q0.imag
        length = [c @ a + d @ b - 1.0, c @ b - d @ a]
        F = np.concatenate([self.balance.residual(y, p), A @ a + omega * mass * b, A @ b - omega * mass * a, length])
        J = np.zeros((3 * N + 2, len(u)))
        J[:N, :N], J[:N, self.inner :] = A, F_p[:, free]
        for row, x, others in ((N, a, (A, omega * M, mass * b)), (2 * N, b, (-omega * M, A, -mass * a))):
            at = slice(row, row + N)
            J[at, :N], J[at, N : 2 * N], J[at, 2 * N : 3 * N], J[at, 3 * N] = forms.along(x), *others
            J[at, self.inner :] = forms.by_parameters(x, len(p))[:, free]
        J[3 * N, N : 3 * N], J[3 * N + 1, N : 3 * N] = np.append(c, d), np.append(-d, c)
        return F, J

    def scales(self, u: Floats) -> Floats:
        N = self.balance.size
        scales = super().scales(u)
        q = np.full(2 * N, np.max(np.abs(u[N : 3 * N])))
        return np.concatenate([scales[:N], q, [abs(self.omega(u)) or 1.0], scales[N:]])

    def moved(self, u: Floats) -> HopfPath:
        N = self.balance.size
        q = np.asarray(u[N : 2 * N] + 1j * u[2 * N : 3 * N], complex)
        return replace(self, q0=q / np.vdot(q, q).real)

    def tests(self, u: Floats) -> dict[str, float]:
        return {BAUTIN: hopf(self.balance, self.y(u), self.parameters(u), self.omega(u)).l1, TAKENS: self.omega(u)}


def known_forms(balance: Balance, y: Floats, p: Floats) -> Forms:
    """The second derivatives, or a sentence where there are none."""
    forms = balance.forms(y, p)
    if forms is None:
        raise OrbitError("a tabulated law has no second derivatives, which Hopf points and folds need: give a formula")
    return forms


def fold_at(balance: Balance, free: Sequence[int], y: Floats, p: Floats) -> tuple[FoldPath, Floats]:
    """The equations of a fold, and a first solution of them."""
    left, q = null_vectors(balance.slopes(y, p)[0])
    path = FoldPath(balance, tuple(free), p, q0=q.real, left0=left.real)
    return path, np.concatenate([y, q.real, p[list(free)]])


def hopf_at(balance: Balance, free: Sequence[int], y: Floats, p: Floats, omega: float) -> tuple[HopfPath, Floats]:
    """The equations of a Hopf point, and a first solution of them."""
    _, q = null_vectors(balance.slopes(y, p)[0] - 1j * omega * np.diag(balance.mass))
    path = HopfPath(balance, tuple(free), p, q0=q)
    return path, np.concatenate([y, q.real, q.imag, [omega], p[list(free)]])


def settled(path: FoldPath | HopfPath, u: Floats, scales: Floats) -> Floats:
    """The solution of square equations near u, to round-off; `scales` are those of states and parameter."""
    N = path.balance.size
    own = path.scales(u)
    own[:N], own[-1] = scales[:N], scales[-1]
    return newton(path.residual, u, own, tolerance=1e-14)
