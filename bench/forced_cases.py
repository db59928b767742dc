"""The friction of the forced oscillator in `forced.py`, in the words of all contestants: one case at a time is chosen.

Every law has the static limit 4 and acts on |v| as `friction` says; past the end of slip it may be anything smooth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import cos, exp
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

import stickslip as ss

TABLE = np.linspace(0.0, 3.3, 12)  # slip speeds of the tabulated law, which is that of "stribeck" at these


@dataclass(frozen=True)
class Case:
    """A race: the model, and the same for peers."""

    title: str
    law: Any
    friction: Callable[[float], float] | None = None  # 10 μ of |v|
    symbolic: Callable[[Any, Any, Any], Any] | None = None  # sgn(v) 10 μ of heyoka, sgn(v) and v
    slope: float = 0.0  # by which friction falls at rest
    u0: float = 0.5
    count: int = 2000
    low: float = 0.2
    high: float = 3.0

    @property
    def model(self) -> ss.System:
        if self.law is None:
            return ss.models.forced_oscillator("III", u0=self.u0)
        block, belt = ss.Mass("block", m=1.0, v=1.0), ss.Belt("belt", speed=1.0)
        base = ss.Base("base", motion=lambda t, u0=self.u0, eta=1.0: u0 * cos(eta * t))
        return ss.System(ss.Spring(block, base, k=1.0), ss.Contact(block, belt, law=self.law, normal=10.0))

    def etas(self, count: int | None = None) -> np.ndarray:
        return np.linspace(self.low, self.high, count or self.count)


def hyperbolic(w):
    return 3.0 / (1.0 + 1.42 * w) + 1.0 + 0.1 * w * w


def hyperbolic_symbolic(hy, s, v):
    """s / (1 + 1.42 s v) is written 1 / (s + 1.42 v), and v² as a square, which spares some products."""
    return 3.0 / (s + 1.42 * v) + s * (1.0 + 0.1 * v**2.0)


def stribeck(w):
    return 2.5 + 1.5 * exp(min(-2.0 * w, 2.0))  # far past the end of slip it would overflow


def stribeck_symbolic(hy, s, v):
    return s * (2.5 + 1.5 * hy.exp(-2.0 * s * v))


@cache
def table_cubics():
    """Coefficients of the curve through the points, highest power first, in the distance from each point."""
    return PchipInterpolator(TABLE, [stribeck(w) for w in TABLE]).c.T.tolist()


def tabulated(w):
    """scipy's curve through the points; beyond the last it is constant, and past the end of slip anything smooth."""
    w = min(w, TABLE[-1])
    i = min(max(int(w / TABLE[1]), 0), len(TABLE) - 2)
    a, b, c, d = table_cubics()[i]
    u = w - TABLE[i]
    return ((a * u + b) * u + c) * u + d


STRIBECK = ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.5)
CASES = {
    "III": Case("III", None, hyperbolic, hyperbolic_symbolic, 4.26),
    "stribeck": Case("with Stribeck's law", STRIBECK, stribeck, stribeck_symbolic, 3.0, count=500, low=0.5, high=2.0),
    "table": Case(
        "with a table of 12 points",
        ss.Tabulated(TABLE.tolist(), [stribeck(w) / 10.0 for w in TABLE], mu_s=0.4),
        tabulated,
        count=500,
        low=0.5,
        high=2.0,
    ),
}
chosen = CASES["III"]


def choose(name: str) -> None:
    global chosen
    chosen = CASES[name]
