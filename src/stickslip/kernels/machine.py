"""What a target brings itself: operations, of which the meaning is here, and choices about trajectories in lockstep."""

from math import floor, frexp, inf, isfinite, ldexp

from stickslip.kernels.records import Ints

LANES = 1
"""How many trajectories travel together."""

TOGETHER = 1
"""Whether several trajectories run the same text at a time, in slip or at rest; if not, each takes its own branch."""

OBSERVED = 1
"""Whether what happens is watched; there may be a shorter tick for times at which it is not."""

REPEATS = 1
"""Whether motions that repeat themselves are recognised, while they are not watched."""


SECTIONS = 0
"""1 if it is watched where a quantity passes a value, or a state is largest."""


def rough_log2(x: float) -> float:
    """The binary logarithm of x > 0 within 0.09: the exponent, and the mantissa as it stands between powers of two."""
    if not isfinite(x) or x <= 0.0:
        return inf
    mantissa, exponent = frexp(x)
    return exponent + 2.0 * mantissa - 2.0


def fused(a: float, b: float, c: float) -> float:
    """a·b + c, rounded once; here by Dekker's product, where numbers are not too large for it."""
    product = a * b
    if not abs(a) < 1e150 or not abs(b) < 1e150 or not abs(product) > 1e-250:
        return product + c
    high_a, high_b = high_half(a), high_half(b)
    low_a, low_b = a - high_a, b - high_b
    lost = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    total = product + c
    other = total - product
    return total + ((product - (total - other)) + (c - other) + lost)


def high_half(x: float) -> float:
    """The leading half of the digits of x."""
    scaled = 134217729.0 * x  # 2^27 + 1
    return scaled - (scaled - x)


def rough_ratio(a: float, b: float) -> float:
    """The binary logarithm of a/b, both positive, within 0.09; of zero that is -1023, as its bits say."""
    return (rough_log2(a) if a > 0.0 else -1023.0) - (rough_log2(b) if b > 0.0 else -1023.0)


def rough_exp2(x: float) -> float:
    """Two to the power x, |x| < 1000, within three percent; nothing where x is not a number of that size."""
    if not abs(x) < 1000.0:
        return 0.0
    whole = floor(x)
    return ldexp(0.971 * (1.0 + x - whole), int(whole))


def two_to(whole: float) -> float:
    """A power of two, from 2^-1022 to 2^1023; anything where the exponent is not a whole number of that size."""
    return ldexp(1.0, int(whole)) if abs(whole) < 1024.0 else 0.0


def latest(numbers: Ints, place: int) -> int:
    """A number that another thread may change meanwhile, read anew every time."""
    return numbers[place]


def any_lane(condition: bool) -> bool:
    """Whether the condition holds in any of the trajectories that travel together; here each travels alone."""
    return condition


def anyone(condition: bool) -> bool:
    """The same; on a GPU all threads of a warp learn it, while each goes its own way after `any_lane`."""
    return condition


def outnumber(these: bool, those: bool) -> bool:
    """Whether for one in three of those there is one of these."""
    return these


def bit(x: float, place: int) -> bool:
    """A binary digit of the whole number that stands in the last places of x, which is that number and 1.5·2^52."""
    return bool(int(x - 1.5 * 2.0**52) >> place & 1)


def rough(x: float) -> float:
    """A number of which a few digits are enough, so that a target may compute it from rounded ones."""
    return x


def tail(order: int, x: float) -> float:
    """A coefficient of that order of a power series. Of high orders little matters, so a target may round them."""
    return x
