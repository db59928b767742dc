"""Functions of `math` for machines that have no instruction and no library for them, in double precision.

Arguments are reduced to small ones, and those go to polynomials and quotients: exp, log, sine, cosine and atan after
fdlibm (Sun Microsystems, 1993), tanh and sinh after Cephes (S. Moshier). Errors are below one unit in the last place,
of tan, tanh, sinh, cosh and powers below two: tests/targets/test_elementary.py compares all of them with mpmath. Those
that need to note something down are lent room for eight floats. exp and tanh have selects in place of branches: lanes
compute them side by side.
"""

from math import inf, nan

import numpy as np

from stickslip.kernels.machine import fused, two_to
from stickslip.kernels.records import Floats
from stickslip.kernels.warp import exponent_of

ROUND = 6755399441055744.0  # 1.5·2^52: what is added to it is rounded to whole numbers
LARGEST_EXPONENT, SMALLEST_EXPONENT = 709.782712893384, -745.1332191019412
LOG2_E = 1.4426950408889634
LN2, LN2_REST = 0.6931471803691238, 1.9082149292705877e-10  # the first has zeros at its end
ROOT_2 = 1.4142135623730951
THIRD_REST, FIFTH_REST = 1.850371707708594e-17, -1.1102230246251566e-17  # of 1/3 and 1/5
TURN_1, TURN_2, TURN_3, TURN_4 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32
TURN, TURN_REST = 1.5707963267948966, 6.123233995736766e-17  # π/2 in four parts, and in two
TURNS_PER_UNIT = 0.6366197723675814  # 2/π
FAR = 1e6
CHUNK, CHUNKS = 24, 10
# fmt: off
TWO_OVER_PI = np.array([
    10680707, 7228996, 1387004, 2578385, 16069853, 12639074, 9804092, 4427841, 16666979, 11263675, 12935607, 2387514,
    4345298, 14681673, 3074569, 13734428, 16653803, 1880361, 10960616, 8533493, 3062596, 8710556, 7349940, 6258241,
    3772886, 3769171, 3798172, 8675211, 12450088, 3874808, 9961438, 366607, 15675153, 9132554, 7151469, 3571407,
    2607881, 12013382, 4155038, 6285869, 7677882, 13102053, 15825725, 473591, 9065106, 15363067, 6271263, 9264392,
    5636912, 4652155, 7056368, 13614112, 10155062, 1944035,
], float)
"""2/π, 24 binary digits in each."""
ATAN_AT = np.array([
    4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.5707963267948966,
])
ATAN_AT_REST = np.array([
    2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.123233995736766e-17,
])
"""atan of 1/2, 1, 3/2 and infinity, and what is left of each."""
# fmt: on


def exponential(x: float) -> float:
    """exp x."""
    return exponential_of_sum(x, 0.0)


def exponential_of_sum(x: float, rest: float) -> float:
    """exp(x + rest), the rest smaller than the last digit of x."""
    whole = (x * LOG2_E + ROUND) - ROUND
    high = fused(-whole, LN2, x)
    low = whole * LN2_REST - rest
    r = high - low
    t = r * r
    c = 6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08)
    c = r - t * (1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 + t * c))
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    half = (whole * 0.5 + ROUND) - ROUND
    value = y * two_to(half) * two_to(whole - half)
    value = inf if x > LARGEST_EXPONENT else value
    return 0.0 if x < SMALLEST_EXPONENT else value


def logarithm(x: float) -> float:
    """log x, the natural one."""
    if not x > 0.0:
        return -inf if x == 0.0 else nan
    if x == inf:
        return inf
    tiny = x < 1e-300
    scaled = x * two_to(54.0) if tiny else x
    exponent = exponent_of(scaled)
    m = scaled * two_to(float(-exponent)) if exponent < 1023 else scaled * two_to(-1022.0) * 0.5
    if m > ROOT_2:
        m = 0.5 * m
        exponent += 1
    k = float(exponent - 54 if tiny else exponent)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = 2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)
    odd = z * (6.666666666666735130e-01 + w * odd)
    half = 0.5 * f * f
    return k * LN2 - ((half - (s * (half + even + odd) + k * LN2_REST)) - f)


def power(x: float, y: float, room: Floats) -> float:
    """x to the power y; of a negative x where y is a whole number."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y:
        return nan
    size = abs(x)
    huge = abs(y) >= 9007199254740992.0  # and so an even number
    whole = huge or float(int(y)) == y
    if x < 0.0 and not whole and size < inf:
        return nan
    odd = whole and not huge and int(abs(y)) % 2 == 1
    sign = -1.0 if odd and x < 0.0 else 1.0
    if size == 1.0:
        return sign
    if size == 0.0 or size == inf or abs(y) > 1e300:
        growth = y if size > 1.0 else -y
        return sign * (inf if growth > 0.0 else 0.0)
    precise_logarithm(size, room)
    p = y * room[0]
    if abs(p) > 800.0:
        return sign * (inf if p > 0.0 else 0.0)
    return sign * exponential_of_sum(p, fused(y, room[0], -p) + y * room[1])


def precise_logarithm(x: float, room: Floats) -> None:
    """log x as the sum of two parts, to twenty digits: 2 s (1 + z/3 + z²/5 + …) with s = f/(2 + f) and z = s²."""
    tiny = x < 1e-300
    scaled = x * two_to(54.0) if tiny else x
    exponent = exponent_of(scaled)
    m = scaled * two_to(float(-exponent)) if exponent < 1023 else scaled * two_to(-1022.0) * 0.5
    if m > ROOT_2:
        m = 0.5 * m
        exponent += 1
    k = float(exponent - 54 if tiny else exponent)
    f = m - 1.0
    below = 2.0 + f
    below_rest = f - (below - 2.0)
    s = f / below
    s_rest = (fused(-s, below, f) - s * below_rest) / below
    z = s * s
    z_rest = fused(s, s, -z) + 2.0 * s * s_rest
    tail = 1.0 / 15.0 + z * (1.0 / 17.0 + z * (1.0 / 19.0 + z * (1.0 / 21.0)))
    tail = z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z * tail))))
    u = 0.2 + tail
    u_rest = (tail - (u - 0.2)) + FIFTH_REST
    product = z * u
    product_rest = fused(z, u, -product) + z * u_rest + z_rest * u
    u = 1.0 / 3.0 + product
    u_rest = (product - (u - 1.0 / 3.0)) + product_rest + THIRD_REST
    product = z * u
    product_rest = fused(z, u, -product) + z * u_rest + z_rest * u
    # log m = 2 s + 2 s·product
    small = 2.0 * s * product
    small_rest = fused(2.0 * s, product, -small) + 2.0 * (s * product_rest + s_rest * product)
    high = 2.0 * s + small
    low = (small - (high - 2.0 * s)) + small_rest + 2.0 * s_rest
    total = k * LN2 + high
    other = total - k * LN2
    rest = (k * LN2 - (total - other)) + (high - other) + (low + k * LN2_REST)
    room[0] = total + rest
    room[1] = rest - (room[0] - total)


def reduce_angle(x: float, room: Floats) -> int:
    """What is left of an angle after whole quarter turns, as the sum of two parts; and their number, from 0 to 3."""
    if not abs(x) < FAR:
        return reduce_far(x, room)
    quarters = (x * TURNS_PER_UNIT + ROUND) - ROUND
    high = x - quarters * TURN_1
    second = quarters * TURN_2
    near = high - second
    other = near - high
    lost = (high - (near - other)) - (second + other)
    third = quarters * TURN_3
    nearer = near - third
    other = nearer - near
    lost += ((near - (nearer - other)) - (third + other)) - quarters * TURN_4
    room[0] = nearer + lost
    room[1] = lost - (room[0] - nearer)
    return (int(quarters) % 4 + 4) % 4


def reduce_far(x: float, room: Floats) -> int:
    """The same for large angles, after Payne and Hanek: of x·2/π only what is below four quarter turns is added up."""
    if not abs(x) < inf:
        room[0] = nan
        room[1] = nan
        return 0
    scale = exponent_of(x) - CHUNK + 1
    scaled = abs(x) * two_to(float(-scale))
    room[2] = float(int(scaled))  # the digits of x, 24 in each
    room[3] = float(int((scaled - room[2]) * 16777216.0)) / 16777216.0
    room[4] = scaled - room[2] - room[3]
    first = max(scale // CHUNK - 3, 0)
    total = 0.0
    second = 0.0
    third = 0.0
    for i in range(first, first + CHUNKS):
        unit = TWO_OVER_PI[i] * two_to(float(scale - CHUNK * (i + 1)))
        for j in range(3):
            term = room[2 + j] * unit
            term -= 4.0 * (float(int(term * 0.25)) if term < 1e18 else term * 0.25)
            longer = total + term
            other = longer - total
            lost = (total - (longer - other)) + (term - other)
            total = longer
            longer = second + lost
            other = longer - second
            third += (second - (longer - other)) + (lost - other)
            second = longer
    quarters = (total + ROUND) - ROUND
    near = (total - quarters) + second
    rest = second - (near - (total - quarters)) + third
    # The rest of the turn as an angle: times π/2.
    high = near * TURN
    low = fused(near, TURN, -high) + near * TURN_REST + rest * TURN
    room[0] = high + low if x > 0.0 else -(high + low)
    room[1] = low - (high + low - high) if x > 0.0 else -(low - (high + low - high))
    gone = int(quarters) % 4
    return gone if x > 0.0 else (4 - gone) % 4


def sine_of_rest(x: float, rest: float) -> float:
    """sin(x + rest) for |x| ≤ π/4."""
    z = x * x
    r = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * r)
    v = z * x
    return x - ((z * (0.5 * rest - v * r) - rest) - v * -1.66666666666666324348e-01)


def cosine_of_rest(x: float, rest: float) -> float:
    """cos(x + rest) for |x| ≤ π/4."""
    z = x * x
    r = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
    r = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * r))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * (z * r) - x * rest))


def turned_sine(quarters: int, x: float, rest: float) -> float:
    """The sine of an angle that is x + rest after so many quarter turns."""
    value = cosine_of_rest(x, rest) if quarters % 2 == 1 else sine_of_rest(x, rest)
    return -value if quarters % 4 >= 2 else value


def sine_of(x: float, room: Floats) -> float:
    """sin x."""
    return turned_sine(reduce_angle(x, room), room[0], room[1])


def cosine_of(x: float, room: Floats) -> float:
    """cos x."""
    return turned_sine(reduce_angle(x, room) + 1, room[0], room[1])


def tangent_of(x: float, room: Floats) -> float:
    """tan x."""
    quarters = reduce_angle(x, room)
    return turned_sine(quarters, room[0], room[1]) / turned_sine(quarters + 1, room[0], room[1])


def arctangent(x: float) -> float:
    """atan x."""
    size = abs(x)
    if size > 1e17:
        return TURN if x > 0.0 else -TURN
    place = -1
    r = size
    if size >= 2.4375:
        place = 3
        r = -1.0 / size
    elif size >= 1.1875:
        place = 2
        r = (size - 1.5) / (1.0 + 1.5 * size)
    elif size >= 0.6875:
        place = 1
        r = (size - 1.0) / (size + 1.0)
    elif size >= 0.4375:
        place = 0
        r = (2.0 * size - 1.0) / (2.0 + size)
    z = r * r
    w = z * z
    even = 6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)
    even = 1.42857142725034663711e-01 + w * (9.09088713343650656196e-02 + w * even)
    even = z * (3.33333333333329318027e-01 + w * even)
    odd = -7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02)
    odd = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * odd))
    value = r - r * (even + odd)
    if place >= 0:
        value = ATAN_AT[place] - ((r * (even + odd) - ATAN_AT_REST[place]) - r)
    return value if x > 0.0 else (-value if x < 0.0 else x)


def hyperbolic_tangent(x: float) -> float:
    """tanh x."""
    size = abs(x)
    z = x * x
    above = -1.61468768441708447952e03 + z * (-9.92877231001918586564e01 + z * -9.64399179425052238628e-01)
    below = 4.84406305325125486048e03 + z * (2.23548839060100448583e03 + z * (1.12811678491632931402e02 + z))
    near = x + x * z * (above / below)
    far = 1.0 - 2.0 / (exponential(2.0 * size) + 1.0)
    far = -far if x < 0.0 else far
    return near if size < 0.625 else far


def hyperbolic_sine(x: float) -> float:
    """sinh x."""
    size = abs(x)
    if size <= 1.0:
        z = x * x
        above = -3.51754964808151394800e05 + z * (
            -1.15614435765005216044e04 + z * (-1.63725857525983828727e02 + z * -7.89474443963537015605e-01)
        )
        below = -2.11052978884890840399e06 + z * (3.61578279834431989373e04 + z * (-2.77711081420602794433e02 + z))
        return x + x * z * (above / below)
    half = exponential(0.5 * size)
    large = exponential(size)
    value = 0.5 * large - 0.5 / large if size < 709.0 else 0.5 * half * half
    return value if x > 0.0 else -value


def hyperbolic_cosine(x: float) -> float:
    """cosh x."""
    size = abs(x)
    half = exponential(0.5 * size)
    large = exponential(size)
    return 0.5 * large + 0.5 / large if size < 709.0 else 0.5 * half * half
