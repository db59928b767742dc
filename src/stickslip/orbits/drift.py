"""What becomes of a set of equilibria in stick along which states drift, such as the integral action of a controller.

Beside a set of equilibria M ẏ = A δy may have a chain A q₀ = 0, A q₁ = M q₀: a start at δ q₁ from the set does not come
to rest, but drifts along it, as δ (q₁ + q₀ t), until a contact reaches its static limit. What happens then decides.

- Where static friction exceeds kinetic friction, the contact jumps, however small δ was: the set is unstable.
- Where friction is continuous, the contact slips by an amount in proportion to δ and sticks again at κδ. This return
  map is linear for small δ, and κ follows from the linear motion in slip at the end of the set. |κ| < 1 at both ends:
  the set attracts; κ beyond 1: it repels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from stickslip.arrays import Floats
from stickslip.errors import NoConvergence
from stickslip.orbits.balance import Balance, equilibrated, sizes_in
from stickslip.orbits.newton import terms

NOTHING = 1e-9
"""What round-off leaves of zero, where a number of the size 1 could be."""

DIVIDED, MOST_LOOKS = 64, 100_000
"""Looks at the slip motion per time constant of what moves fastest, and in all."""

FORGOTTEN = 40.0
"""After so many of its time constants a motion has decayed."""


@dataclass(frozen=True)
class Drift:
    """A chain A q₀ = 0, A q₁ = M q₀, and the left null vector p of A that measures q₁; `count` chains there are."""

    along: Floats
    beside: Floats
    left: Floats
    count: int

    def amount(self, mass: Floats, change: Floats) -> float:
        """How much of q₁ there is in a change of state."""
        return float(self.left[: len(change)] @ change / (self.left @ (mass * self.beside)))


def drift_at(balance: Balance, y: Floats, dimension: int) -> Drift | None:
    """The drift along a set of equilibria of that dimension; None where states beside it stay where they are."""
    A, mass = balance.slopes(y, balance.parameters)[0], balance.mass
    rows, columns = equilibrated(A)
    # What appears nowhere has no size of its own: it gets that by which it moves as fast as the others.
    speed = float(np.median((rows * columns)[np.any(A, axis=0) & np.any(A, axis=1)]))
    columns = np.where(np.any(A, axis=0), columns, speed / rows)
    left, _, right = np.linalg.svd(rows[:, None] * A * columns)
    kernel, lefts = right[len(A) - dimension :].T * columns[:, None], left[:, len(A) - dimension :] * rows[:, None]
    # Zero is a simple eigenvalue for each direction of the set if no q₀ lies where M q₀ can be reached by A.
    reach = lefts.T @ (mass[:, None] * kernel)
    size = float(np.max(np.abs(rows * mass * columns)))
    _, sizes, directions = np.linalg.svd(reach / size)
    count = int(np.sum(sizes < NOTHING))
    if not count:
        return None
    along = kernel @ directions[-1]
    beside = columns * np.linalg.lstsq(rows[:, None] * A * columns, rows * mass * along, rcond=1e-12)[0]
    return Drift(along, beside, lefts @ np.linalg.svd(reach.T)[2][-1], count)


def decided(balance: Balance, y: Floats, dimension: int, ends: tuple[Floats, ...]) -> bool | None:
    """Whether a set of that dimension, with y inside, is stable where states drift along it; None where that is not
    decided. `ends` are those of a line; by default where a straight way along the drift ends."""
    drift = drift_at(balance, y, dimension)
    assert drift is not None
    ends = ends or _straight_ends(balance, y, drift.along)
    if drift.count > 1 or len(ends) != 2:
        return None
    for end in ends:
        at, c = _released(balance, end), balance.contacts(end, balance.parameters)
        if c.static[at] - c.kinetic[at] > NOTHING * c.static[at]:
            return False
    if len(balance.stuck) > 1 or dimension > 1:
        return None
    try:
        factors = [_factor(balance, end) for end in ends]
    except NoConvergence:
        return None
    return _verdict(factors, memory=balance.n - len(balance.stuck) > 2)


def _straight_ends(balance: Balance, y: Floats, along: Floats) -> tuple[Floats, ...]:
    """Where a set of linear conditions ends, from y along a line: both ways, as far as there is an end."""
    p, n, stuck = balance.parameters, balance.n, balance.stuck
    c, S_z = balance.contacts(y, p), balance.slopes(y, p)[2][stuck]
    room = np.concatenate([c.static[stuck] - y[n:], c.static[stuck] + y[n:]])
    limits, forces = S_z @ along[:n], along[n:]
    rates = np.concatenate([limits - forces, limits + forces])
    ends = []
    for side in (1.0, -1.0):
        closing = side * rates < -NOTHING * float(np.max(np.abs(forces) + np.abs(limits)))
        if np.any(closing):
            ends.append(y + side * along * float(np.min(room[closing] / -(side * rates[closing]))))
    return tuple(end for end in ends if rest_left(balance, end) < NOTHING)


def rest_left(balance: Balance, y: Floats) -> float:
    """How far y is from rest, relative to the terms of the conditions."""
    F, A = balance.residual(y, balance.parameters), balance.slopes(y, balance.parameters)[0]
    _, columns = equilibrated(A)
    sizes = terms(A, y, sizes_in(columns, y))
    return float(np.max(np.abs(F) / np.where(sizes > 0, sizes, 1.0)))


def _verdict(factors: list[float], memory: bool) -> bool | None:
    """What the return maps at both ends say. A positive factor leads back to the same end, a negative one to the other.

    With a `memory`, states that have not decayed when the same end is reached again, a single number does not tell.
    """
    if any(memory and factor > 0 for factor in factors) or np.any(np.isnan(factors)):
        return None
    own = [factor for factor in factors if factor > 0]
    growth = max(own) if own else float(np.prod(np.abs(factors)))
    return None if abs(growth - 1) < 1e-6 else growth < 1


def _released(balance: Balance, end: Floats) -> int:
    """The contact that reaches its static limit at an end of the set."""
    c = balance.contacts(end, balance.parameters)
    return min(balance.stuck, key=lambda i: float((c.static[i] - abs(c.force[i])) / (c.static[i] or 1.0)))


def _factor(balance: Balance, end: Floats) -> float:
    """κ at an end of a line: the drift that is left when slip has ended, over that with which it began."""
    n, p, drift = balance.n, balance.parameters, drift_at(balance, end, 1)
    (contact,) = balance.stuck
    sign = float(np.sign(balance.contacts(end, p).force[contact]))
    slipping = balance.in_mode([-int(sign) if i == contact else m for i, m in enumerate(balance.mode)])
    if drift is None or rest_left(slipping, end[:n]) > NOTHING:
        raise NoConvergence("at its end the set is another")
    A, _, S_z = balance.slopes(end, p)

    def margin(change: Floats) -> float:
        """How S ∓ λ changes with y."""
        return float(S_z[contact] @ change[:n] - sign * change[n])

    toward = margin(drift.along)
    if toward == 0:
        raise NoConvergence("the drift does not lead to this end")
    begin = drift.beside - drift.along * margin(drift.beside) / toward  # where the limit is just reached
    begin = -np.sign(toward) * begin[:n]  # on the side from which the drift leads outward
    slip = slipping.slopes(end[:n], p)[0]
    _, sizes = equilibrated(slip)
    after = _stopped(slip * sizes / sizes[:, None], -sign * A[n, :n] * sizes, begin / sizes)
    if after is None:
        return float("inf")
    return drift.amount(balance.mass, after * sizes) / drift.amount(balance.mass, begin)


def _stopped(A: Floats, H: Floats, begin: Floats) -> Floats | None:
    """Where the linear motion ξ̇ = A ξ comes to rest again, H ξ = 0 with H ξ > 0 before; zero where it decays without a
    stop, None where it grows without one."""
    eigenvalues = np.linalg.eigvals(A)
    rates, sizes = eigenvalues.real, np.abs(eigenvalues)
    state, time, started, fastest = begin, 0.0, False, np.inf
    size = float(np.linalg.norm(H) * np.linalg.norm(begin))
    for _ in range(MOST_LOOKS):
        alive = sizes[rates * time > -FORGOTTEN]
        if not np.any(alive):
            return np.zeros(len(begin))
        if alive.max() < fastest:  # what has decayed need not be resolved any more
            fastest = float(alive.max())
            dt = 1 / (DIVIDED * fastest)
            step = expm(A * dt)
        following = step @ state
        speed = float(H @ following)
        if started and speed <= 0:
            after = float(brentq(lambda t, z=state: float(H @ expm(A * t) @ z), 0.0, dt, xtol=1e-15 * dt))
            return np.asarray(expm(A * after) @ state, float)
        started = started or speed > NOTHING * size
        state, time = following, time + dt
        if np.linalg.norm(state) > 1e6 * np.linalg.norm(begin):
            return None
    raise NoConvergence("slip goes on for long")
