"""Sine and cosine without branches and tables, for trajectories that travel together.

The argument is reduced by whole quarter turns, π/2 in three pieces (after fdlibm), and what is left goes to
polynomials. Up to 10⁶ the error is a few units in the last place; beyond, the result is not a number.
"""

from math import nan

from stickslip.kernels.machine import bit

ROUNDING = 6755399441055744.0  # 1.5·2^52: what is added to it is rounded to whole numbers
QUARTERS = 0.6366197723675814  # 2/π
QUARTER_1, QUARTER_2, QUARTER_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
FARTHEST = 1e6


def reduced(x: float, quarters: float) -> float:
    """What is left of the angle x after so many quarter turns; not a number where x is too large for that."""
    rest = ((x - quarters * QUARTER_1) - quarters * QUARTER_2) - quarters * QUARTER_3
    return rest if abs(x) < FARTHEST else nan


def sine_near_zero(r: float) -> float:
    """sin r for |r| ≤ π/4."""
    y = r * r
    tail = 2.75573137070700676789e-06 + y * (-2.50507602534068634195e-08 + y * 1.58969099521155010221e-10)
    tail = 8.33333333332248946124e-03 + y * (-1.98412698298579493134e-04 + y * tail)
    return r + r * y * (-1.66666666666666324348e-01 + y * tail)


def cosine_near_zero(r: float) -> float:
    """cos r for |r| ≤ π/4."""
    y = r * r
    tail = -2.75573143513906633035e-07 + y * (2.08757232129817482790e-09 + y * -1.13596475577881948265e-11)
    tail = -1.38888888888741095749e-03 + y * (2.48015872894767294178e-05 + y * tail)
    return 1.0 - y * (0.5 - y * (4.16666666666666019037e-02 + y * tail))


def sine(x: float) -> float:
    """sin x."""
    shifted = x * QUARTERS + ROUNDING
    r = reduced(x, shifted - ROUNDING)
    value = cosine_near_zero(r) if bit(shifted, 0) else sine_near_zero(r)
    return -value if bit(shifted, 1) else value


def cosine(x: float) -> float:
    """cos x, the sine a quarter turn later."""
    shifted = x * QUARTERS + ROUNDING
    r = reduced(x, shifted - ROUNDING)
    value = sine_near_zero(r) if bit(shifted, 0) else cosine_near_zero(r)
    return -value if bit(shifted + 1.0, 1) else value
