"""The conditions of rest of a model in one mode, in numbers.

The unknowns are y = (z, λ of the contacts that stick). What must vanish are all rates ż = f + G λ, and the sliding
velocities of the contacts that stick. Near a solution M ẏ = F(y) is the motion, with M = 1 for states and 0 for forces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from stickslip.arrays import Complexes, Floats, Ints
from stickslip.errors import ModelError, NoConvergence, OrbitError
from stickslip.excitation import Excitations
from stickslip.field import compile_balance, compile_excitations, compile_forms
from stickslip.model.system import Model
from stickslip.orbits.newton import newton, solve_linear

Margin = tuple[str, int]
"""What ends an equilibrium where it reaches zero, and the contact."""

ROUNDS, FAINT = 20, 1e-10
"""To equilibrate a matrix: how often its rows and columns are divided; entries that do not count beside the others."""

SLIPS, STICKS, PRESSED, RUBS = "sliding velocity", "static limit", "normal force", "friction"


@dataclass(frozen=True)
class Contacts:
    """Per contact: sliding velocity, friction force, kinetic and static limit, normal force."""

    v: Floats
    force: Floats
    kinetic: Floats
    static: Floats
    normal: Floats


@dataclass(frozen=True, eq=False)
class Forms:
    """Second and third derivatives of F, multiplied with vectors."""

    B_at: Ints
    B: Floats
    C_at: Ints
    C: Floats
    P_at: Ints
    P: Floats
    size: int

    def second(self, x: Any, y: Any) -> Any:
        """B(x, y) = Σ ∂²F/∂yⱼ∂yₖ xⱼ yₖ."""
        row, j, k = self.B_at.T
        twice = np.where(j == k, x[j] * y[k], x[j] * y[k] + x[k] * y[j])
        return self._summed(row, self.B * twice)

    def third(self, x: Any, y: Any, w: Any) -> Any:
        """C(x, y, w) = Σ ∂³F/∂yⱼ∂yₖ∂yₗ xⱼ yₖ wₗ."""
        row, j, k, m = self.C_at.T
        total = sum(
            x[a] * y[b] * w[c] for a, b, c in ((j, k, m), (j, m, k), (k, j, m), (k, m, j), (m, j, k), (m, k, j))
        )
        # Each combination is listed once: all orders are counted, those that are equal only once.
        alike = np.where((j == k) & (k == m), 6, np.where((j == k) | (k == m), 2, 1))
        return self._summed(row, self.C * total / alike)

    def _summed(self, row: Ints, values: Any) -> Any:
        out = np.zeros(self.size, values.dtype)
        np.add.at(out, row, values)
        return out

    def along(self, x: Floats) -> Floats:
        """The matrix B(x, ·): how ∂F/∂y x changes with y."""
        row, j, k = self.B_at.T
        out = np.zeros((self.size, self.size))
        np.add.at(out, (row, k), self.B * x[j])
        unequal = j != k
        np.add.at(out, (row[unequal], j[unequal]), (self.B * x[k])[unequal])
        return out

    def by_parameters(self, x: Floats, count: int) -> Floats:
        """How ∂F/∂y x changes with the parameters."""
        row, j, k = self.P_at.T
        out = np.zeros((self.size, count))
        np.add.at(out, (row, k), self.P * x[j])
        return out


Fill = Callable[..., None]
"""A generated function of state, forces, parameters and modes, which fills the arrays that come after these."""


class Conditions(Protocol):
    """What `symbolic/balance.py` generates."""

    values: Fill
    slopes: Fill


class Derivatives(Protocol):
    """What `symbolic/normal_form.py` generates: derivatives that are not zero, and in which row and by which unknowns
    each is. Where they are not known, KNOWN is all there is."""

    KNOWN: bool
    B_AT: Ints
    C_AT: Ints
    P_AT: Ints
    forms: Fill


@dataclass(frozen=True, eq=False)
class Balance:
    """The conditions of rest of a model, for given modes of its contacts (0 stick, ±1 slip)."""

    model: Model
    program: Conditions
    mode: tuple[int, ...]

    @classmethod
    def of(cls, model: Model, mode: Sequence[int] | None = None) -> Balance:
        """The conditions of rest; refused where time matters in them."""
        balance = cls(model, compile_balance(model), tuple(mode) if mode is not None else (1,) * len(model.contacts))
        if balance.is_timed(balance.parameters):
            raise OrbitError(
                "time appears in the equations of this model, so it is never at rest and has no equilibria: look for "
                "orbits with find_orbit, or take the excitation out of the model"
            )
        return balance

    @cached_property
    def _excitations(self) -> Excitations:
        return compile_excitations(self.model)

    def is_timed(self, p: Floats) -> bool:
        """Whether time matters for these values of the parameters."""
        return self._excitations.timed and self._excitations.at(p).exists

    def in_mode(self, mode: Sequence[int]) -> Balance:
        """The same for other modes."""
        return replace(self, mode=tuple(int(m) for m in mode))

    @cached_property
    def n(self) -> int:
        """How many states."""
        return len(self.model.states)

    @cached_property
    def stuck(self) -> list[int]:
        """The contacts that stick."""
        return [i for i, m in enumerate(self.mode) if m == 0]

    @cached_property
    def rows(self) -> list[int]:
        """The rows and columns of the generated equations that belong to this mode."""
        return [*range(self.n), *(self.n + i for i in self.stuck)]

    @property
    def size(self) -> int:
        """How many unknowns."""
        return len(self.rows)

    @cached_property
    def mass(self) -> Floats:
        """The diagonal of M."""
        return np.array([1.0] * self.n + [0.0] * len(self.stuck))

    @cached_property
    def parameters(self) -> Floats:
        """The parameter values of the model."""
        return np.array(list(self.model.parameters.values()), float)

    def unknowns(self, state: Mapping[str, float], force: Mapping[str, float]) -> Floats:
        """States and forces by name as the vector y."""
        names = [self.model.contacts[i] for i in self.stuck]
        return np.array([*(state[name] for name in self.model.states), *(force[name] for name in names)], float)

    def _forces(self, y: Floats) -> Floats:
        force = np.zeros(len(self.mode))
        force[self.stuck] = y[self.n :]
        return force

    def _call(self, function: Fill, y: Floats, p: Floats, *out: Floats) -> None:
        """Fill arrays; a place where the equations mean nothing (a root of a negative number) is told as one."""
        if self.is_timed(p):
            raise ModelError("an excitation begins there, with which nothing is at rest")
        try:
            function(y[: self.n].tolist(), self._forces(y).tolist(), p.tolist(), self.mode, *out)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise NoConvergence(f"the equations cannot be evaluated there: {error}") from None

    def _values(self, y: Floats, p: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        contacts = len(self.mode)
        F, R, S, N = np.zeros(self.n + contacts), np.zeros(contacts), np.zeros(contacts), np.zeros(contacts)
        self._call(self.program.values, y, p, F, R, S, N)
        return F, R, S, N

    def residual(self, y: Floats, p: Floats) -> Floats:
        """F: what vanishes at an equilibrium."""
        return self._values(y, p)[0][self.rows]

    def slopes(self, y: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
        """∂F/∂y, ∂F/∂p, and ∂S/∂z of all contacts."""
        contacts = len(self.mode)
        total = self.n + contacts
        F_y, F_p, S_z = np.zeros((total, total)), np.zeros((total, len(p))), np.zeros((contacts, self.n))
        self._call(self.program.slopes, y, p, F_y, F_p, S_z)
        return F_y[np.ix_(self.rows, self.rows)], F_p[self.rows], S_z

    def contacts(self, y: Floats, p: Floats) -> Contacts:
        """What the contacts do."""
        F, R, S, N = self._values(y, p)
        return Contacts(F[self.n :], self._forces(y) - np.array(self.mode, float) * R, R, S, N)

    def margins(self, y: Floats, p: Floats) -> dict[Margin, float]:
        """Numbers that are positive while the modes are those the system itself chooses."""
        c = self.contacts(y, p)
        found: dict[Margin, float] = {}
        for i, m in enumerate(self.mode):
            if m == 0:
                found[STICKS, i] = float(c.static[i] - abs(c.force[i]))
            else:
                found[SLIPS, i] = float(m * c.v[i])
            found[PRESSED, i] = float(c.normal[i])
            # Friction that is zero because there is none is no reason to refuse.
            found[RUBS, i] = float(c.kinetic[i]) if c.kinetic[i] != 0 else 1.0
        return found

    def eigenvalues(self, y: Floats, p: Floats) -> Complexes:
        """How neighbouring motions grow, the contacts that stick held: largest real part first."""
        A, _, _ = self.slopes(y, p)
        return sorted_eigenvalues(np.linalg.eigvals(self.held(A)).astype(complex))

    def held(self, A: Floats) -> Floats:
        """ż linearised, on the changes of state that leave sticking contacts at rest."""
        n = self.n
        A = similar(A, self.mass)
        if not self.stuck:
            return A
        E_z, G, H = A[:n, :n], A[:n, n:], A[n:, :n]
        kept = E_z - G @ np.linalg.lstsq(H @ G, H @ E_z, rcond=1e-12)[0]
        _, sizes, rows = np.linalg.svd(H)
        basis = rows[int(np.sum(sizes > 1e-12 * sizes[0])) :].T
        return np.asarray(basis.T @ kept @ basis, float)

    @cached_property
    def _forms(self) -> Derivatives:
        return compile_forms(self.model)

    @property
    def is_linear(self) -> bool:
        """Whether the rates are linear in the states, as long as no contact changes its mode."""
        return bool(self._forms.KNOWN) and len(self._forms.B_AT) == 0

    def forms(self, y: Floats, p: Floats) -> Forms | None:
        """Second and third derivatives in this mode; None for tabulated laws, which have none at their knots."""
        program = self._forms
        if not program.KNOWN:
            return None
        B, C, P = np.zeros(len(program.B_AT)), np.zeros(len(program.C_AT)), np.zeros(len(program.P_AT))
        self._call(program.forms, y, p, B, C, P)
        number = np.full(self.n + len(self.mode), -1)
        number[self.rows] = np.arange(self.size)
        B_at, B = _within(number, program.B_AT, B, 3)
        C_at, C = _within(number, program.C_AT, C, 4)
        P_at, P = _within(number, program.P_AT, P, 2)
        return Forms(B_at, B, C_at, C, P_at, P, self.size)


def _within(number: Ints, at: Ints, values: Floats, columns: int) -> tuple[Ints, Floats]:
    """The derivatives whose row and unknowns belong to a mode, under their numbers there."""
    renamed = at.copy()
    renamed[:, :columns] = number[at[:, :columns]]
    inside = np.all(renamed >= 0, axis=1)
    return renamed[inside], values[inside]


def sorted_eigenvalues(values: Complexes) -> Complexes:
    """Largest real part first; of a pair, the one above the real axis first."""
    return np.asarray(sorted(values, key=lambda m: (-round(m.real, 12), -m.imag)), complex)


def equilibrated(A: Floats) -> tuple[Floats, Floats]:
    """Factors for the rows and for the columns of a matrix by which its entries become of the size 1, as far as they
    can: so that what is small among them is small in any units.

    >>> rows, columns = equilibrated(np.array([[0.0, 1e9], [1e-6, 1e3]]))
    >>> (rows[:, None] * np.array([[0.0, 1e9], [1e-6, 1e3]]) * columns).round(9).tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    size = np.abs(A)
    if not np.all(np.isfinite(size)):
        raise NoConvergence("the derivatives are not finite")
    rows, columns = np.ones(A.shape[0]), np.ones(A.shape[1])
    for _ in range(ROUNDS):
        for axis, factors in ((1, rows), (0, columns)):
            most = np.max(rows[:, None] * size * columns, axis=axis, initial=0.0)
            factors /= np.sqrt(np.where(most > 0, most, 1.0))
    scaled = rows[:, None] * size * columns
    # Of the many ways to do so the one in which all entries count alike does not depend on the units.
    i, j = np.nonzero(scaled > FAINT)
    equations = np.zeros((len(i), len(rows) + len(columns)))
    equations[np.arange(len(i)), i] = equations[np.arange(len(i)), len(rows) + j] = 1.0
    logarithms = -np.linalg.lstsq(equations, np.log(scaled[i, j]), rcond=None)[0]
    return rows * np.exp(logarithms[: len(rows)]), columns * np.exp(logarithms[len(rows) :])


def sizes_in(columns: Floats, *vectors: Floats) -> Floats:
    """Sizes of all unknowns in the proportions of `columns`, such that none of the vectors is larger."""
    largest = max((float(np.max(np.abs(v / columns), initial=0.0)) for v in vectors), default=0.0)
    return np.asarray(columns * (largest or 1.0), float)


def similar(A: Floats, mass: Floats) -> Floats:
    """The matrix of M ẏ = A y in other units for every unknown, in which its entries are of like size."""
    _, columns = equilibrated(A)
    return np.asarray(A * columns / np.where(mass > 0, columns, 1.0)[:, None], float)


def rest(balance: Balance, y: Floats, p: Floats | None = None) -> Floats | None:
    """The solution of the conditions of rest near y; None where Newton's method finds none."""
    values = balance.parameters if p is None else p
    with np.errstate(over="ignore", invalid="ignore"):  # a step far from any solution is told by its residual
        try:
            F, A = balance.residual(y, values), balance.slopes(y, values)[0]
            rows, columns = equilibrated(A)

            def equations(u: Floats) -> tuple[Floats, Floats]:
                return rows * balance.residual(u, values), rows[:, None] * balance.slopes(u, values)[0]

            step = solve_linear(rows[:, None] * A * columns, rows * F)
            scales = sizes_in(columns, columns * step, y)
            u = newton(equations, y, scales)
            F, A = equations(u)
        except (NoConvergence, np.linalg.LinAlgError):
            return None
        u = np.where(np.abs(u) > 1e-15 * scales, u, 0.0)
        return u if bool(np.all(np.abs(F) <= 1e-9 * (np.abs(A) @ scales) + 1e-300)) else None


def freedom(balance: Balance, y: Floats) -> int:
    """The dimension of the set of equilibria to which y belongs."""
    A = balance.slopes(y, balance.parameters)[0]
    rows, columns = equilibrated(A)
    sizes = np.linalg.svd(rows[:, None] * A * columns, compute_uv=False)
    return int(np.sum(sizes <= 1e-10 * sizes[0]))
