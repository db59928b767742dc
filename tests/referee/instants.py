"""Time in two parts, so that a motion that begins at t = 10⁷ is judged with all its digits."""

from __future__ import annotations

import math
from typing import Any

import mpmath

SPLITTER = 134217729.0  # 2²⁷ + 1 splits a float into two halves whose products are exact (Dekker)
with mpmath.workdps(60):
    TURN = 2 * mpmath.pi
    TURN_HIGH = float(TURN)
    TURN_LOW = float(TURN - TURN_HIGH)


def exact_sum(a: float, b: float) -> tuple[float, float]:
    """a + b as a float and what its rounding left over (Knuth)."""
    total = a + b
    shift = total - a
    return total, (a - (total - shift)) + (b - shift)


def exact_product(a: float, b: float) -> tuple[float, float]:
    """a·b as a float and what its rounding left over (Dekker)."""
    product = a * b
    scaled_a, scaled_b = SPLITTER * a, SPLITTER * b
    high_a, high_b = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


class Instant:
    """The unevaluated sum of two floats. It knows sums, products and quotients by numbers; the rest sees a float."""

    __slots__ = ("high", "low")

    def __init__(self, high: float, low: float = 0.0) -> None:
        self.high, self.low = exact_sum(high, low)

    def __float__(self) -> float:
        return self.high + self.low

    def __neg__(self) -> Instant:
        return Instant(-self.high, -self.low)

    def __add__(self, other: Any) -> Instant:
        high, low = (other.high, other.low) if isinstance(other, Instant) else (float(other), 0.0)
        total, left = exact_sum(self.high, high)
        return Instant(total, left + self.low + low)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Instant:
        return self + (-other)

    def __rsub__(self, other: Any) -> Instant:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Instant):
            return float(self) * float(other)
        product, left = exact_product(self.high, float(other))
        return Instant(product, left + self.low * float(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        divisor = float(other)
        quotient = float(self) / divisor
        product, left = exact_product(quotient, divisor)
        return Instant(quotient, ((self.high - product) - left + self.low) / divisor)

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / float(self)

    def __pow__(self, other: Any) -> float:
        return float(self) ** float(other)

    def __lt__(self, other: Any) -> bool:
        return float(self - other) < 0

    def __gt__(self, other: Any) -> bool:
        return float(self - other) > 0

    def __le__(self, other: Any) -> bool:
        return float(self - other) <= 0

    def __ge__(self, other: Any) -> bool:
        return float(self - other) >= 0

    def angle(self) -> float:
        """The same angle within one turn."""
        turns = float(round(float(self) / TURN_HIGH))
        product, left = exact_product(turns, TURN_HIGH)
        return ((self.high - product) - left + self.low) - turns * TURN_LOW


def sin(x: Any) -> float:
    return math.sin(x.angle() if isinstance(x, Instant) else x)


def cos(x: Any) -> float:
    return math.cos(x.angle() if isinstance(x, Instant) else x)


def shifted_phase(phase: float, frequency: float, shift: float) -> float:
    """The phase that a vibration at this frequency has when time is counted from `shift` on."""
    return (frequency * Instant(shift) + phase).angle()
