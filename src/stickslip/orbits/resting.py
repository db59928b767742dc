"""The set in which sticking masses can rest: |λᵢ| ≤ Sᵢ for every sticking contact.

Where all forces are linear it is a polytope, and linear programs give its extent. Where the set is a line it is walked
along from end to end. Else its extent is found by local optimisation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

from stickslip.arrays import Bools, Floats
from stickslip.errors import NoConvergence
from stickslip.orbits.arclength import Place, corrected, located, place
from stickslip.orbits.balance import Balance, equilibrated, freedom, rest, sizes_in
from stickslip.orbits.guess import scale_of
from stickslip.orbits.newton import newton

Range = tuple[float, float]
ALIKE = 1e-11
SAME = 1e-7
"""Ends of sets nearer than this, relative to their size, are one."""

MOST_STEPS = 2000
FARTHEST = 1e6
"""A set that extends this far beyond its own scale is taken as unbounded."""


@dataclass(frozen=True)
class Resting:
    """A set of equilibria: a point inside, the range of every state, and whether it is all that the ranges span.

    `sizes` are those of all unknowns, `ends` the two ends of a line that was walked along.
    """

    inside: Floats
    ranges: tuple[Range, ...]
    box: bool | None
    sizes: Floats
    ends: tuple[Floats, ...] = ()

    def __contains__(self, y: Floats) -> bool:
        """Whether y lies within all ranges: it is taken to belong to the set then."""
        return all(bool(low <= x <= high) for x, (low, high) in zip(y, self.ranges, strict=False))

    def same_as(self, other: Resting) -> bool:
        """Whether two sets are one."""
        ours, theirs = np.array(self.ranges).T, np.array(other.ranges).T
        with np.errstate(invalid="ignore"):  # two ends at infinity are equal
            apart = np.abs(ours - theirs) > SAME * self.sizes[: len(self.ranges)]
        return not np.any(apart & (ours != theirs))


def is_affine(balance: Balance, starts: Sequence[Floats], varied: Bools) -> bool:
    """Whether the conditions of rest and the static limits are linear in the states `varied`, judged by their
    derivatives at many places."""
    n, p = balance.n, balance.parameters
    numbers = np.random.default_rng(1)
    forces = np.zeros(balance.size - n)
    try:
        rows, columns = equilibrated(balance.slopes(np.append(starts[0], forces), p)[0])
        sizes = [scale_of(np.array(starts), n)]
        if balance.stuck:
            sizes.append(_scales(balance, np.append(starts[0], forces))[:n])
        random = [numbers.normal(size=(5, n)) * 3 * size * varied for size in sizes]
        places = [np.append(z, forces) for z in [*starts, *np.concatenate(random)]]
        slopes = [balance.slopes(y, p) for y in places]
    except NoConvergence:
        return False
    A, _, S_z = slopes[0]
    limits = np.max(np.abs(S_z), axis=1, initial=0.0)[:, None] + np.zeros(S_z.shape)
    return all(
        np.all(np.abs(rows[:, None] * (other - A) * columns) <= ALIKE) and np.all(np.abs(more - S_z) <= ALIKE * limits)
        for other, _, more in slopes
    )


def resting_set(balance: Balance, y: Floats, affine: bool) -> Resting | None:
    """The set of equilibria through y, or near it; None where the masses cannot rest."""
    if affine:
        return _polytope(balance, y)
    seed = _inside(balance, y)
    if seed is None:
        return None
    return _line(balance, seed) if freedom(balance, seed) == 1 else _optimised(balance, seed)


def _room(balance: Balance, y: Floats) -> float:
    """How far the nearest sticking contact is from its limit, as a part of it; and normal forces must press."""
    c = balance.contacts(y, balance.parameters)
    stuck = balance.stuck
    limit = np.where(c.static[stuck] > 0, c.static[stuck], 1.0)
    return float(min(np.min((c.static[stuck] - np.abs(c.force[stuck])) / limit), np.min(c.normal)))


def _scales(balance: Balance, y: Floats) -> Floats:
    """The size that every unknown has in a set of equilibria: that which forces up to the static limit give it."""
    p, n = balance.parameters, balance.n
    _, columns = equilibrated(balance.slopes(y, p)[0])
    return sizes_in(columns, y, np.append(np.zeros(n), balance.contacts(y, p).static[balance.stuck]))


# -- linear forces ---------------------------------------------------------------------------------------------------


def _polytope(balance: Balance, y: Floats) -> Resting | None:
    p, n, stuck = balance.parameters, balance.n, balance.stuck
    A, _, S_z = balance.slopes(y, p)
    limit = balance.contacts(y, p).static[stuck]
    factors, scales = equilibrated(A)[0], _scales(balance, y)
    # |λ| ≤ S, written as rows · change ≤ room.
    hold = np.hstack([np.zeros((len(stuck), n)), np.eye(len(stuck))])
    limits = np.hstack([S_z[stuck], np.zeros((len(stuck), len(stuck)))])
    rows = np.vstack([hold - limits, -hold - limits])
    room = np.concatenate([limit - y[n:], limit + y[n:]])
    # The tolerances of the linear program are absolute: it sees numbers of the size 1.
    held = 1 / np.max(np.abs(rows * scales), axis=1)
    rests = factors[:, None] * A * scales
    rests /= np.max(np.abs(rests), initial=1e-300)
    changes, ranges = [], []
    for j in range(n):
        ends, found = [], []
        for side in (1.0, -1.0):
            cost = np.zeros(len(y))
            cost[j] = side
            best = linprog(
                cost, held[:, None] * rows * scales, held * room, rests, np.zeros(len(A)), bounds=(None, None)
            )
            if best.status == 2:
                return None
            if best.status == 0 and best.x is not None:
                found.append(best.x * scales)
                ends.append(float(y[j] + best.x[j] * scales[j]))
            else:
                ends.append(-side * np.inf)
        ranges.append((_clean(ends[0], scales[j]), _clean(ends[1], scales[j])))
        changes += found if ends[1] - ends[0] > 1e-12 * scales[j] else []
    inside = y + np.mean(changes, axis=0) if changes else y
    inside = np.where(np.abs(inside) > 1e-14 * scales, inside, 0.0)
    return Resting(inside, tuple(ranges), _is_box(A, rows, room, y, ranges, n), scales)


def _clean(value: float, scale: float) -> float:
    """A number without what round-off leaves of zero."""
    return 0.0 if abs(value) <= 1e-14 * scale else value


def _is_box(A: Floats, rows: Floats, room: Floats, y: Floats, ranges: Sequence[Range], n: int) -> bool:
    """Whether a polytope is all that its ranges span: its states vary freely, and every corner keeps every limit."""
    low, high = np.array(ranges).T - y[:n]
    wide = np.nonzero(high > low)[0]
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        return False
    # Forces follow from the states; a change of one wide state must be possible alone.
    free = np.zeros((n, len(wide)))
    free[wide, np.arange(len(wide))] = 1.0
    forces = -np.linalg.lstsq(A[:, n:], A[:, :n] @ free, rcond=1e-12)[0]
    size = np.max(np.abs(A), initial=0.0)
    if np.max(np.abs(A[:, :n] @ free + A[:, n:] @ forces), initial=0.0) > 1e-10 * size:
        return False
    weights = rows[:, :n] @ free + rows[:, n:] @ forces
    worst = np.sum(np.maximum(weights * low[wide], weights * high[wide]), axis=1)
    return bool(np.all(worst <= room + 1e-9 * np.max(np.abs(room))))


# -- other forces ----------------------------------------------------------------------------------------------------


def _inside(balance: Balance, y: Floats) -> Floats | None:
    """A point of the set: y itself, or where no friction is needed to rest."""
    if _room(balance, y) >= 0:
        return y
    n, p = balance.n, balance.parameters
    forces = np.hstack([np.zeros((balance.size - n, n)), np.eye(balance.size - n)])

    def equations(u: Floats) -> tuple[Floats, Floats]:
        return np.append(balance.residual(u, p), u[n:]), np.vstack([balance.slopes(u, p)[0], forces])

    try:
        u = newton(equations, np.append(y[:n], np.zeros(balance.size - n)), _scales(balance, y))
        F, _ = equations(u)
        small = float(np.max(np.abs(F))) <= 1e-9 * float(np.max(balance.contacts(u, p).static))
        return u if small and _room(balance, u) >= 0 else None
    except (NoConvergence, np.linalg.LinAlgError):
        return None


@dataclass(frozen=True)
class _Rests:
    """The conditions of rest as a path: sticking contacts leave one direction free."""

    balance: Balance
    tolerance: float = 1e-12

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        p = self.balance.parameters
        return self.balance.residual(u, p), self.balance.slopes(u, p)[0]


def _line(balance: Balance, seed: Floats) -> Resting | None:
    """A set of one dimension, walked along in both directions until a contact reaches its limit."""
    equations = _Rests(balance)
    scales = _scales(balance, seed)
    first = place(equations, seed, scales, None)
    ends, seen = [], [seed]
    for tangent in (first.tangent, -first.tangent):
        try:
            end, turns = _walked(equations, Place(seed, tangent, 1.0), scales)
        except NoConvergence:
            return None
        seen += [end, *turns]
        ends.append(end)
    values = np.array(seen)[:, : balance.n]
    values = np.where(np.abs(values) > 1e-14 * scales[: balance.n], values, 0.0)
    ranges = tuple((float(a), float(b)) for a, b in zip(values.min(axis=0), values.max(axis=0), strict=True))
    wide = sum(bool(high - low > 1e-12 * s) for (low, high), s in zip(ranges, scales, strict=False))
    middle = _middle(balance, ends, seed)
    bounded = tuple(ends) if np.all(np.isfinite(ends)) else ()
    return Resting(np.where(np.abs(middle) > 1e-14 * scales, middle, 0.0), ranges, wide == 1, scales, bounded)


def _middle(balance: Balance, ends: Sequence[Floats], seed: Floats) -> Floats:
    """A point between the ends of a line that is on it, as far from them as is easily found."""
    if not np.all(np.isfinite(ends)):
        return seed
    middle = rest(balance, 0.5 * (ends[0] + ends[1]))
    return middle if middle is not None and _room(balance, middle) > _room(balance, seed) else seed


def _walked(equations: _Rests, here: Place, scales: Floats) -> tuple[Floats, list[Floats]]:
    """The end of a line of equilibria, and the points on the way where a state turns back."""
    balance = equations.balance
    ds, turns = 0.02, list[Floats]()
    for _ in range(MOST_STEPS):
        try:
            u, iterations = corrected(equations, here, ds, here.u + ds * here.tangent * scales, scales)
        except NoConvergence:
            ds *= 0.5
            if ds < 1e-9:
                raise
            continue
        there = place(equations, u, scales, here.tangent)
        turns += _turning(equations, here, there, ds, scales)
        if _room(balance, u) <= 0:
            values = _room(balance, here.u), _room(balance, u)
            end = located(equations, here, u, ds, scales, partial(_room, balance), values)
            return (u if end is None else end), [turn for turn in turns if _room(balance, turn) >= 0]
        here = there
        ds = ds * 1.5 if iterations <= 4 else ds
        if float(np.max(np.abs(u / scales))) > FARTHEST:
            return np.where(np.abs(here.tangent) > 1e-9, np.sign(here.tangent) * np.inf, u), turns
    raise NoConvergence("the set of equilibria has no end")


def _turning(equations: _Rests, here: Place, there: Place, ds: float, scales: Floats) -> Iterator[Floats]:
    """Where states turn back between two points of a line."""

    def slope(j: int, u: Floats) -> float:
        return float(place(equations, u, scales, here.tangent).tangent[j])

    for j in range(equations.balance.n):
        values = float(here.tangent[j]), float(there.tangent[j])
        if values[0] * values[1] < 0 and min(map(abs, values)) > 1e-9:
            turn = located(equations, here, there.u, ds, scales, partial(slope, j), values)
            if turn is not None:
                yield turn


def _optimised(balance: Balance, seed: Floats) -> Resting | None:
    """The extent of a set of several dimensions, by local optimisation from a point inside."""
    n, p, stuck = balance.n, balance.parameters, balance.stuck
    limit, scales = balance.contacts(seed, p).static[stuck], _scales(balance, seed)
    rows = _independent(balance.slopes(seed, p)[0] * scales)

    def still(x: Floats) -> Floats:
        return rows @ balance.residual(x * scales, p)

    def spare(x: Floats) -> Floats:
        static, force = balance.contacts(x * scales, p).static[stuck], x[n:] * scales[n:]
        return np.concatenate([static - force, static + force]) / np.max(limit)

    kept: Any = [{"type": "eq", "fun": still}, {"type": "ineq", "fun": spare}]
    ranges, seen = [], []
    for j in range(n):
        ends = []
        for side in (1.0, -1.0):

            def height(x: Floats, j: int = j, side: float = side) -> float:
                return side * float(x[j])

            options: Any = {"maxiter": 300, "ftol": 1e-13}
            best = minimize(height, seed / scales, method="SLSQP", constraints=kept, options=options)
            ends.append(float(best.x[j] * scales[j]) if abs(best.x[j]) < FARTHEST else -side * np.inf)
            seen.append(best.x * scales)
        ranges.append((_clean(ends[0], scales[j]), _clean(ends[1], scales[j])))
    return Resting(seed, tuple(ranges), None, scales)


def _independent(A: Floats) -> Floats:
    """Combinations of equations that are independent: optimisation needs them so."""
    left, sizes, _ = np.linalg.svd(A)
    rank = int(np.sum(sizes > 1e-10 * sizes[0]))
    return np.asarray(left[:, :rank].T / sizes[:rank, None], float)
