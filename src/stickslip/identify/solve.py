"""Nonlinear least squares with errors that can be believed.

Parameters that enter linearly are solved for at every point of a coarse grid of the others, so a poor start does no
harm. The Levenberg–Marquardt method does the rest; where it leaves the bounds, a bounded method says which bounds
hold, and those parameters are held there. The covariance comes from the exact derivatives at the solution; directions
that the derivatives do not see are named instead of being given an error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import integrate, optimize

from stickslip.arrays import Bools, Floats
from stickslip.errors import IdentifyError
from stickslip.identify.estimate import Estimate
from stickslip.model.errors import shown

FACTORS = (1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0, 0.01, 100.0)
"""By these a parameter that enters nonlinearly may differ from its start."""
MOST_STARTS = 81
RANK = 1e-7
"""Directions in which the derivatives are smaller by this factor than in others are not determined."""
SHARE = 0.1
"""A parameter with less than this part in an undetermined direction is determined all the same."""
AT_BOUND = 1e-6
TOLERANCE = 1e-13
TOO_LARGE = 1e100
ROUNDS = 100


@dataclass(frozen=True)
class Problem:
    """What is to be fitted: `value(p)` to `observed`, where p are all parameters, of which some are `free`.

    `size` is what a parameter is like whose start is zero.
    """

    names: tuple[str, ...]
    value: Callable[[Floats], Floats]
    gradient: Callable[[Floats], Floats]
    observed: Floats
    start: Floats
    lower: Floats
    upper: Floats
    free: tuple[str, ...]
    linear: tuple[str, ...]
    size: Floats

    @property
    def chosen(self) -> Bools:
        """Which parameters are free."""
        return np.array([name in self.free for name in self.names], dtype=bool)


@dataclass(frozen=True)
class Loss:
    """How much a residual z counts, in units of the scale: ρ(z), its derivative ψ and the derivative of that."""

    rho: Callable[[Floats], Floats]
    psi: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


_HUBER, _CAUCHY = 1.345, 2.385  # 95 % of the efficiency of least squares where errors are normal after all
LOSSES: dict[str, Loss | None] = {
    "squares": None,
    "huber": Loss(
        lambda z: np.where(np.abs(z) < _HUBER, z * z / 2, _HUBER * (np.abs(z) - _HUBER / 2)),
        lambda z: np.clip(z, -_HUBER, _HUBER),
        lambda z: np.where(np.abs(z) < _HUBER, 1.0, 0.0),
    ),
    "cauchy": Loss(
        lambda z: _CAUCHY**2 / 2 * np.log1p((z / _CAUCHY) ** 2),
        lambda z: z / (1 + (z / _CAUCHY) ** 2),
        lambda z: (1 - (z / _CAUCHY) ** 2) / (1 + (z / _CAUCHY) ** 2) ** 2,
    ),
}


@dataclass(frozen=True)
class Solution:
    """All parameters at the solution, which of them are at a bound, and the root of the weight of every sample."""

    p: Floats
    held: Bools
    root: Floats
    scale: float


def solve(
    problem: Problem,
    *,
    error: Floats | None = None,
    weights: Floats | None = None,
    loss: str = "squares",
    memory: int = 0,
) -> tuple[Estimate, Floats]:
    """Fit, and return the estimate and all parameters.

    Parameters
    ----------
    problem : Problem
        What is fitted to which samples.
    error : array of float, optional
        Standard deviation of every sample, where it is known.
    weights : array of float, optional
        Only how samples compare; by default all count the same.
    loss : {"squares", "huber", "cauchy"}, default "squares"
        The last two are not drawn by outliers.
    memory : int, default 0
        Over how many neighbours errors are correlated.

    Returns
    -------
    tuple of Estimate and array of float
        The estimate, and all parameters, also those that are not free.

    Raises
    ------
    IdentifyError
        If there is no such loss, or there are fewer samples than parameters.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> line = Problem(("a", "b"), lambda p: p[0] + p[1] * x, lambda p: np.column_stack([np.ones(4), x]),
    ...                1 + 2 * x + [0.1, -0.1, -0.1, 0.1], np.zeros(2), np.full(2, -np.inf), np.full(2, np.inf),
    ...                ("a", "b"), ("a", "b"), np.ones(2))
    >>> print(solve(line)[0])
    a = 1 ± 0.12
    b = 2 ± 0.063
    """
    if not isinstance(loss, str) or loss not in LOSSES:
        raise IdentifyError(f"there is no loss {shown(loss)}: it is one of {', '.join(LOSSES)}")
    if len(problem.observed) < len(problem.free):
        raise IdentifyError(
            f"{len(problem.observed)} samples cannot determine {len(problem.free)} parameters "
            f"({', '.join(problem.free)}): measure more, or fix some"
        )
    root = (
        1 / error if error is not None else np.sqrt(weights) if weights is not None else np.ones(len(problem.observed))
    )
    found = _minimum(problem, root, _starts(problem, root))
    shape = LOSSES[loss]
    if shape is not None:
        found = _reweighted(problem, root, found, shape)
    return _estimate(problem, found, root, shape, error is not None, memory), found.p


def _starts(problem: Problem, root: Floats) -> list[Floats]:
    """The best starts of a grid in the parameters that enter nonlinearly; the linear ones are solved for."""
    bent = [i for i, name in enumerate(problem.names) if name in problem.free and name not in problem.linear]
    straight = [i for i, name in enumerate(problem.names) if name in problem.free and name in problem.linear]
    base = np.clip(problem.start, problem.lower, problem.upper)
    tried: list[tuple[float, Floats]] = []
    for factors in _combinations(len(bent)):
        p = base.copy()
        for i, factor in zip(bent, factors, strict=True):
            p[i] = factor * base[i] if base[i] else (factor != 1) * factor * problem.size[i]
        p = np.clip(p, problem.lower, problem.upper)
        p = _solved_linearly(problem, root, p, straight)
        tried.append((_cost(problem, root, p), p))
    tried.sort(key=lambda pair: pair[0])
    return [p for _, p in tried[: 1 if len(bent) < 2 else 3]]


def _combinations(count: int) -> list[tuple[float, ...]]:
    """Factors for `count` parameters: a full grid where it is small, else the start and random points of it."""
    if len(FACTORS) ** count <= MOST_STARTS:
        return list(itertools.product(FACTORS, repeat=count))
    random = np.random.default_rng(0)
    return [(1.0,) * count, *map(tuple, 10 ** random.uniform(-2, 2, (MOST_STARTS, count)))]


def _solved_linearly(problem: Problem, root: Floats, p: Floats, straight: Sequence[int]) -> Floats:
    if not straight:
        return p
    index = np.array(straight)
    slopes = problem.gradient(p)[:, index] * root[:, None]
    rest = root * (problem.observed - problem.value(p))
    if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(rest))):
        return p
    moved = p.copy()
    moved[index] += np.linalg.lstsq(slopes, rest, rcond=1e-10)[0]
    return np.clip(moved, problem.lower, problem.upper)


def _cost(problem: Problem, root: Floats, p: Floats) -> float:
    cost = float(np.sum((root * (problem.value(p) - problem.observed)) ** 2))
    return cost if math.isfinite(cost) else math.inf


def _minimum(problem: Problem, root: Floats, starts: Sequence[Floats]) -> Solution:
    found = [_from(problem, root, start) for start in starts]
    p, held = min(found, key=lambda pair: _cost(problem, root, pair[0]))
    if not math.isfinite(_cost(problem, root, p)):
        raise IdentifyError(
            "the curve has no value at some samples for any parameters that were tried: check the formula and its start"
        )
    return Solution(p, held, root, 1.0)


def _from(problem: Problem, root: Floats, start: Floats) -> tuple[Floats, Bools]:
    """The minimum near a start, and which parameters are held at a bound."""
    free = problem.chosen
    p = _unbounded(problem, root, start, free)
    if _inside(problem, p):
        return p, np.zeros_like(free)
    p = _bounded(problem, root, start, free)
    room = AT_BOUND * np.where(start == 0, problem.size, np.abs(start))
    held = free & ((p - problem.lower < room) | (problem.upper - p < room))
    p = np.where(held, np.where(p - problem.lower < room, problem.lower, problem.upper), p)
    better = _unbounded(problem, root, p, free & ~held)
    return (better, held) if _inside(problem, better) else (p, held)


def _inside(problem: Problem, p: Floats) -> bool:
    return bool(np.all(np.isfinite(p)) and np.all(p >= problem.lower) and np.all(p <= problem.upper))


def _pieces(
    problem: Problem, root: Floats, p: Floats, free: Bools
) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
    """Residuals and their derivatives as functions of the free parameters alone."""

    def whole(q: Floats) -> Floats:
        full = p.copy()
        full[free] = q
        return full

    def residuals(q: Floats) -> Floats:
        return np.nan_to_num(root * (problem.value(whole(q)) - problem.observed), nan=TOO_LARGE, posinf=TOO_LARGE)

    def slopes(q: Floats) -> Floats:
        return np.nan_to_num(root[:, None] * problem.gradient(whole(q))[:, free], posinf=TOO_LARGE, neginf=-TOO_LARGE)

    return residuals, slopes


def _unbounded(problem: Problem, root: Floats, start: Floats, free: Bools) -> Floats:
    p = start.copy()
    if not np.any(free):
        return p
    residuals, slopes = _pieces(problem, root, start, free)
    if not np.any(np.abs(residuals(start[free])) >= TOO_LARGE):
        with np.errstate(all="ignore"):
            p[free] = optimize.leastsq(
                residuals, start[free], Dfun=slopes, ftol=TOLERANCE, xtol=TOLERANCE, gtol=0.0, full_output=True
            )[0]
    return p


def _bounded(problem: Problem, root: Floats, start: Floats, free: Bools) -> Floats:
    residuals, slopes = _pieces(problem, root, start, free)
    low, high = problem.lower[free], problem.upper[free]
    inside = np.clip(start[free], low, high)
    p = start.copy()
    with np.errstate(all="ignore"):
        p[free] = optimize.least_squares(
            residuals, inside, jac=slopes, bounds=(low, high), x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12
        ).x
    return p


def _reweighted(problem: Problem, root: Floats, first: Solution, loss: Loss) -> Solution:
    """The minimum of a loss that grows more slowly than squares, by least squares with weights that follow."""
    found = first
    for _ in range(ROUNDS):
        z = root * (problem.observed - problem.value(found.p))
        scale = 1.4826 * float(np.median(np.abs(z)))  # the deviation of a normal distribution, by its median
        if scale <= 0:
            return replace(found, scale=0.0)
        ratio = z / scale
        with np.errstate(all="ignore"):
            weight = np.where(ratio == 0, 1.0, loss.psi(ratio) / ratio)
        before = found.p
        found = replace(_minimum(problem, root * np.sqrt(weight), [before]), scale=scale)
        if np.all(np.abs(found.p - before) <= 1e-9 * np.maximum(np.abs(before), 1e-12)):
            break
    return found


def _estimate(
    problem: Problem, found: Solution, root: Floats, loss: Loss | None, absolute: bool, memory: int
) -> Estimate:
    p, active = found.p, problem.chosen & ~found.held
    rest = root * (problem.observed - problem.value(p))
    # Where a derivative has no value, 0·∞ as a rule, the sample says nothing about the parameter.
    slopes = np.nan_to_num(root[:, None] * problem.gradient(p)[:, active], nan=0.0, posinf=0.0, neginf=0.0)
    names = [name for name, is_active in zip(problem.names, active, strict=True) if is_active]
    shape, lost = _inverse(slopes, names)
    count, used = len(rest), len(names)
    freedom = max(count - used, 0)
    variance = 1.0 if absolute else float(rest @ rest) / freedom if freedom else math.nan
    if loss is not None:
        variance = _robust_variance(rest / (found.scale or 1.0), loss, used) * (found.scale or 0.0) ** 2
    covariance = variance * shape
    if memory > 0:
        covariance = shape @ _correlated(slopes, rest, memory) @ shape * (count / max(freedom, 1))
        freedom = max(count // (memory + 1) - used, 1)
    every = tuple(name for name in problem.names if name in problem.free)
    place = [every.index(name) for name in names]
    full = np.zeros((len(every), len(every)))
    full[np.ix_(place, place)] = covariance
    for name in lost:
        full[every.index(name), every.index(name)] = math.inf
    at_bound = tuple(name for name, held in zip(problem.names, found.held, strict=True) if held)
    for name in at_bound:
        full[every.index(name), every.index(name)] = math.nan
    estimate = Estimate(
        every,
        p[problem.chosen],
        full,
        freedom=math.inf if absolute and loss is None and not memory else freedom,
        count=count,
        deviation=math.sqrt(float(np.sum((rest / root) ** 2)) / max(count - used, 1)),
        log_likelihood=_log_likelihood(rest, root, found.scale, loss, absolute),
        estimated=len(every) + (0 if absolute else 1),
        fixed={name: float(x) for name, x in zip(problem.names, p, strict=True) if name not in problem.free},
        undetermined=lost,
        at_bound=at_bound,
    )
    return replace(estimate, notes=_notes(estimate, problem))


def _inverse(slopes: Floats, names: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    """(JᵀJ)⁻¹ in the directions that the samples see, and the parameters that take part in the others."""
    size = np.linalg.norm(slopes, axis=0)
    seen = size > 0
    unit = slopes / np.where(seen, size, 1.0)
    _, singular, directions = np.linalg.svd(unit, full_matrices=False)
    kept = singular > RANK * max(float(np.max(singular, initial=0.0)), 1e-300)
    blind = directions[~kept]
    hidden = np.any(np.abs(blind) > SHARE, axis=0) if len(blind) else np.zeros(len(names), dtype=bool)
    hidden |= ~seen
    half = directions[kept] / singular[kept, None] / np.where(seen, size, 1.0)
    inverse = half.T @ half
    inverse[hidden, :] = inverse[:, hidden] = 0.0
    return inverse, tuple(name for name, is_hidden in zip(names, hidden, strict=True) if is_hidden)


def _robust_variance(z: Floats, loss: Loss, used: int) -> float:
    """Of an M-estimate, in units of (JᵀJ)⁻¹ (Huber 1981, Eq. 7.6.3)."""
    count = len(z)
    slope = float(np.mean(loss.slope(z)))
    bend = float(np.var(loss.slope(z)))
    correction = 1 + used / count * bend / slope**2 if slope else math.nan
    return correction**2 * float(np.sum(loss.psi(z) ** 2)) / max(count - used, 1) / slope**2 if slope else math.nan


def _correlated(slopes: Floats, rest: Floats, memory: int) -> Floats:
    """Σ Jᵀ r rᵀ J over neighbours (Newey and West 1987): an error that they share is counted once, not often."""
    moments = slopes * rest[:, None]
    total = moments.T @ moments
    for lag in range(1, min(memory, len(rest) - 1) + 1):
        shared = (1 - lag / (memory + 1)) * (moments[lag:].T @ moments[:-lag])
        total += shared + shared.T
    return np.asarray(total)


def _log_likelihood(rest: Floats, root: Floats, scale: float, loss: Loss | None, absolute: bool) -> float:
    count, weight = len(rest), float(np.sum(np.log(root)))
    if loss is not None:
        area = integrate.quad(lambda z: math.exp(-float(loss.rho(np.array(z)))), -np.inf, np.inf)[0]
        return weight - count * math.log(max(scale, 1e-300) * area) - float(np.sum(loss.rho(rest / (scale or 1.0))))
    if absolute:
        return weight - count / 2 * math.log(2 * math.pi) - float(rest @ rest) / 2
    variance = max(float(rest @ rest) / count, 1e-300)
    return weight - count / 2 * (math.log(2 * math.pi * variance) + 1)


def _notes(estimate: Estimate, problem: Problem) -> tuple[str, ...]:
    notes = []
    lost = estimate.undetermined
    if len(lost) == 1:
        notes.append(f"The samples do not determine {lost[0]}: fix it, or measure where it matters.")
    elif lost:
        names = f"{', '.join(lost[:-1])} and {lost[-1]}"
        notes.append(
            f"The samples do not determine {names} separately, only together: fix one of them, or measure more."
        )
    for name in estimate.at_bound:
        notes.append(f"{name} ended at its limit {estimate[name]:g}: it was held there, and its error is not known.")
    for name in estimate.names:
        weak = name not in (*lost, *estimate.at_bound, *problem.linear)
        if weak and estimate.error(name) > abs(estimate[name]):
            notes.append(
                f"The samples hardly determine {name}: {estimate[name]:.3g} ± {estimate.error(name):.2g}; "
                "a simpler law may do."
            )
    return tuple(notes)
