"""Operations that a target brings itself; here is what they mean."""

from math import frexp, inf, isfinite


def rough_log2(x: float) -> float:
    """The binary logarithm of x > 0 within 0.09: the exponent, and the mantissa as it stands between powers of two."""
    if not isfinite(x) or x <= 0.0:
        return inf
    mantissa, exponent = frexp(x)
    return exponent + 2.0 * mantissa - 2.0


def fused(a: float, b: float, c: float) -> float:
    """a·b + c in one operation, where the processor has it."""
    return a * b + c


def rough_exp2(x: float) -> float:
    """Two to the power x, |x| < 1000, within a thousandth."""
    return float(2.0**x)


def any_lane(condition: bool) -> bool:
    """Whether the condition holds in any of the trajectories that travel together; here each travels alone."""
    return condition
