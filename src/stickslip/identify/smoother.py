"""The motion and the friction force of an oscillator from noisy positions: a Kalman filter with a smoother.

States are position x, velocity v and the unknown force F, with m v̇ = F + u − c v − k x. The force wanders as a random
walk whose speed comes from the record itself (maximum likelihood); where it may jump, the walk may take a leap. Time is
counted in samples and force as the change of position per sample squared that it makes, so all numbers are of like
size. The backward pass is that of Durbin and Koopman (2012, Sec. 4.4): it inverts no matrix.

Loops run over plain numbers: three states are too few for arrays to pay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from stickslip.arrays import Bools, Floats

DIFFUSE = 100.0
"""Variance of the first state, in squares of what positions, and their change from sample to sample, can be."""
SLOWEST, FASTEST = -20.0, 2.0
"""Decimal logarithms of the speed of the walk over the noise, between which the likeliest is sought."""
STRIDE = 3.0
REST = 1e-6
"""Variance of the sliding velocity in stick, over that of a position: rest is exact."""


@dataclass(frozen=True)
class Steps:
    """How the state moves from each sample to the next: Φ s + d, with the noise (q + leap) Q."""

    transition: Floats
    spread: Floats
    drift: Floats
    leap: Floats

    def __len__(self) -> int:
        return len(self.leap)


@dataclass(frozen=True)
class Smoothed:
    """Means and covariances of position, velocity and force at every sample."""

    mean: Floats
    covariance: Floats


def steps(t: Floats, unit: float, mass: float, damping: float, stiffness: float, excitation: Floats) -> Steps:
    """The steps between the samples, with a force `excitation` that is straight in between.

    >>> walk = steps(np.array([0.0, 1.0]), 1.0, 1.0, 0.0, 0.0, np.zeros(2))
    >>> walk.transition[0].round(6).tolist()
    [[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    lengths = np.diff(t) / unit
    different, place = np.unique(lengths.round(9), return_inverse=True)
    a, b = stiffness * unit**2 / mass, damping * unit / mass
    # x, v, F, and the excitation with its rate, which drive v.
    matrix = np.zeros((5, 5))
    matrix[0, 1] = 1.0
    matrix[1] = [-a, -b, 1.0, 1.0, 0.0]
    matrix[3, 4] = 1.0
    whole = linalg.expm(different[:, None, None] * matrix)
    transition = whole[:, :3, :3][place]
    u = excitation * unit**2 / mass
    rates = np.diff(u) / lengths
    drift = whole[:, :3, 3][place] * u[:-1, None] + whole[:, :3, 4][place] * rates[:, None]
    return Steps(transition, _spread(matrix[:3, :3], different)[place], drift, np.zeros(len(lengths)))


def _spread(matrix: Floats, lengths: Floats) -> Floats:
    """Q = ∫ e^(As) g gᵀ e^(Aᵀs) ds for white noise in the rate of the force (Van Loan 1978)."""
    block = np.zeros((6, 6))
    block[:3, :3] = -matrix
    block[2, 5] = 1.0
    block[3:, 3:] = matrix.T
    whole = linalg.expm(lengths[:, None, None] * block)
    return np.asarray(np.einsum("nji,njk->nik", whole[:, 3:, 3:], whole[:, :3, 3:]))


def likeliest(y: Floats, walk: Steps, variance: float | None, near: float | None = None) -> tuple[float, float]:
    """The speed of the walk over the noise, and the variance of the noise, that make the record most likely.

    Where the speed is about known, only the decades around `near` are searched.

    >>> random = np.random.default_rng(0)
    >>> t = np.arange(300.0)
    >>> speed, noise = likeliest(np.sin(t / 20) + random.normal(0, 0.01, 300),
    ...                          steps(t, 1.0, 1.0, 0.0, 0.0, np.zeros(300)), None)
    >>> 0.8e-4 < noise < 1.2e-4
    True
    """

    def cost(exponent: float) -> float:
        determinants, squares, count = _innovations(y, walk, 10**exponent)
        if variance is None:
            return determinants + count * math.log(max(squares / count, 1e-300))
        return determinants + count * math.log(variance) + squares / variance

    top = FASTEST if near is None else min(math.log10(near) + 2, FASTEST)
    coarse = np.arange(top, SLOWEST if near is None else top - 10, -STRIDE)[::-1]
    best = int(np.argmin([cost(float(x)) for x in coarse]))
    low, high = coarse[max(best - 1, 0)], coarse[min(best + 1, len(coarse) - 1)]
    found = optimize.minimize_scalar(cost, bounds=(float(low), float(high)), method="bounded", options={"xatol": 0.05})
    speed = 10 ** float(found.x)
    _, squares, count = _innovations(y, walk, speed)
    return speed, squares / count if variance is None else variance


def _innovations(y: Floats, walk: Steps, speed: float) -> tuple[float, float, int]:
    """Σ log F, Σ e²/F and the number of innovations e with variances F, in units of the noise."""
    record = _forward(y, walk, speed, [None] * len(y))
    e, f = np.array(record.error[3:]), np.array(record.variance[3:])  # the first three settle what is not known
    if not np.all(f > 0) or not np.all(np.isfinite(e)):
        return math.inf, 1.0, len(e)  # round-off has won: such a walk cannot be computed
    return float(np.sum(np.log(f))), float(np.sum(e * e / f)), len(e)


def _ignorance(y: Floats) -> tuple[float, float, float]:
    """Variances of the first position, velocity and force, over that of the noise: the third differences of the record
    are mostly noise, with 20 times its variance."""
    noise = max(float(np.median(np.diff(y, 3) ** 2)) / 20, 1e-12 * float(np.ptp(y)) ** 2, 1e-300)
    change = float(np.max(np.abs(np.diff(y)))) ** 2
    return DIFFUSE * float(np.ptp(y)) ** 2 / noise, DIFFUSE * change / noise, DIFFUSE * change / noise


@dataclass
class _Record:
    state: list[tuple[float, ...]]
    spread: list[tuple[float, ...]]
    error: list[float]
    variance: list[float]
    gain: list[tuple[float, float, float]]
    rest: list[tuple[float, float, float, float, float] | None]


def _forward(y: Floats, walk: Steps, speed: float, belt: list[float | None]) -> _Record:
    """The filter: what is known at each sample from those before it."""
    x, v, g = float(y[0]), float(y[1] - y[0]), 0.0
    xx, vv, gg = _ignorance(y)
    xv = xg = vg = 0.0
    kept = _Record([], [], [], [], [], [])
    rows = walk.transition[:, :2].reshape(-1, 6).tolist()
    noise = ((speed + walk.leap[:, None]) * walk.spread[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]).tolist()
    drifts = walk.drift.tolist()
    for i, seen in enumerate(y.tolist()):
        kept.state.append((x, v, g))
        kept.spread.append((xx, xv, xg, vv, vg, gg))
        f, e = xx + 1.0, seen - x
        kx, kv, kg = xx / f, xv / f, xg / f
        kept.error.append(e)
        kept.variance.append(f)
        kept.gain.append((kx, kv, kg))
        x, v, g = x + kx * e, v + kv * e, g + kg * e
        vv, vg, gg = vv - kv * xv, vg - kv * xg, gg - kg * xg
        xx, xv, xg = kx, kv, kg
        moving = belt[i]
        if moving is None:
            kept.rest.append(None)
        else:
            f, e = vv + REST, moving - v
            kx, kv, kg = xv / f, vv / f, vg / f
            kept.rest.append((e, f, kx, kv, kg))
            x, v, g = x + kx * e, v + kv * e, g + kg * e
            xx, xg, gg = xx - kx * xv, xg - kx * vg, gg - kg * vg
            xv, vv, vg = kx * REST, kv * REST, kg * REST
        if i == len(rows):
            break
        a, b, c, p, q, r = rows[i]
        d0, d1, d2 = drifts[i]
        x, v, g = a * x + b * v + c * g + d0, p * x + q * v + r * g + d1, g + d2
        # Φ P, then (Φ P) Φᵀ; the force has the last row (0, 0, 1).
        m0, m1, m2 = a * xx + b * xv + c * xg, a * xv + b * vv + c * vg, a * xg + b * vg + c * gg
        n0, n1, n2 = p * xx + q * xv + r * xg, p * xv + q * vv + r * vg, p * xg + q * vg + r * gg
        s = noise[i]
        xx, xv, xg = a * m0 + b * m1 + c * m2 + s[0], p * m0 + q * m1 + r * m2 + s[1], m2 + s[2]
        vv, vg, gg = p * n0 + q * n1 + r * n2 + s[3], n2 + s[4], gg + s[5]
    return kept


def smooth(
    y: Floats, walk: Steps, speed: float, variance: float, belt: Floats | None = None, stick: Bools | None = None
) -> Smoothed:
    """What the whole record says about every sample; `variance` is that of the noise.

    Where `stick` is set, the velocity is that of the `belt`.

    >>> t = np.arange(50.0)
    >>> found = smooth(0.5 * t**2, steps(t, 1.0, 1.0, 0.0, 0.0, np.zeros(50)), 1e-3, 1.0)
    >>> found.mean[25].round(4).tolist()
    [312.5, 25.0, 1.0]
    """
    held: list[float | None] = [None] * len(y)
    if belt is not None and stick is not None:
        held = [float(b) if s else None for b, s in zip(belt, stick, strict=True)]
    kept = _forward(y, walk, speed, held)
    leads, weights = _backward(kept, walk)
    mean, spread = np.array(kept.state), _symmetric(np.array(kept.spread))
    lead, weight = np.array(leads), _symmetric(np.array(weights))
    return Smoothed(
        mean + np.einsum("nij,nj->ni", spread, lead),
        variance * (spread - np.einsum("nij,njk,nkl->nil", spread, weight, spread)),
    )


def _symmetric(six: Floats) -> Floats:
    return six[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)


def _backward(kept: _Record, walk: Steps) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """What the samples from each one on say about the state there: r and N of Durbin and Koopman."""
    x = v = g = 0.0
    xx = xv = xg = vv = vg = gg = 0.0
    rows = walk.transition[:, :2].reshape(-1, 6).tolist()
    leads: list[tuple[float, ...]] = []
    weights: list[tuple[float, ...]] = []
    for i in range(len(kept.error) - 1, -1, -1):
        if i < len(rows):
            a, b, c, p, q, r = rows[i]
            x, v, g = a * x + p * v, b * x + q * v, c * x + r * v + g
            m0, m1, m2 = a * xx + p * xv, a * xv + p * vv, a * xg + p * vg
            n0, n1, n2 = b * xx + q * xv, b * xv + q * vv, b * xg + q * vg
            o0, o1, o2 = c * xx + r * xv + xg, c * xv + r * vv + vg, c * xg + r * vg + gg
            xx, xv, xg = m0 * a + m1 * p, m0 * b + m1 * q, m0 * c + m1 * r + m2
            vv, vg = n0 * b + n1 * q, n0 * c + n1 * r + n2
            gg = o0 * c + o1 * r + o2
        rest = kept.rest[i]
        if rest is not None:
            e, f, kx, kv, kg = rest
            v += e / f - (kx * x + kv * v + kg * g)
            w0, w1, w2 = xx * kx + xv * kv + xg * kg, xv * kx + vv * kv + vg * kg, xg * kx + vg * kv + gg * kg
            total = kx * w0 + kv * w1 + kg * w2 + 1 / f
            xv, vg, vv = xv - w0, vg - w2, vv - 2 * w1 + total
        e, f = kept.error[i], kept.variance[i]
        kx, kv, kg = kept.gain[i]
        x += e / f - (kx * x + kv * v + kg * g)
        w0, w1, w2 = xx * kx + xv * kv + xg * kg, xv * kx + vv * kv + vg * kg, xg * kx + vg * kv + gg * kg
        total = kx * w0 + kv * w1 + kg * w2 + 1 / f
        xv, xg, xx = xv - w1, xg - w2, xx - 2 * w0 + total
        leads.append((x, v, g))
        weights.append((xx, xv, xg, vv, vg, gg))
    return leads[::-1], weights[::-1]
