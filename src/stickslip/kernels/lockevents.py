"""Events on the polynomials of a step in lockstep: bounds that exclude them, and their first zero. See lockstep.py."""

from math import sqrt

from stickslip.kernels.machine import any_lane, rough
from stickslip.kernels.model import (
    BASE,
    END_VALUE,
    FACTOR,
    FIRST,
    LEAD,
    N_CONTACTS,
    N_WATCHED,
    ORDER,
    POLYNOMIAL,
    RESTS,
    ROOM,
    ROOT,
    ROW_GUARD,
    ROW_STATIC,
    SECOND,
    WIDTH,
    Floats,
)

VALUE, RATE, BEND = 0.41, 1.64, 9.7  # see `tail_of`
MOST_ROUNDS = 6.0
NOISE = 1e-13  # as in mode.py
LARGEST = 1e300  # stands for what never comes
SURE = 1.0 - 1e-6  # of what must outweigh others, where single precision has to do


def value_of(W: Floats, row: int, tau: float) -> float:
    """The series that begins at W[row] at the time tau of the step: even and odd terms apart, two short chains."""
    square = tau * tau
    even = W[row + ORDER]
    odd = W[row + ORDER - 1]
    for k in range(ORDER - 2, -1, -2):
        even = even * square + W[row + k]
    for k in range(ORDER - 3, -1, -2):
        odd = odd * square + W[row + k]
    return odd * tau + even if ORDER % 2 == 0 else even * tau + odd


def tail_of(W: Floats, row: int, h: float) -> float:
    """Σ |c_k| (5h/4)^k over the orders from four on.

    Since k ≤ 1.64 (5/4)^k and k (k − 1) ≤ 9.7 (5/4)^k for these, it bounds the sum itself, its rate and its bend at
    all times up to h: by VALUE, RATE and BEND times this much, time measured in h.
    """
    x = rough(1.25 * h)
    square = x * x
    even = abs(W[row + ORDER])
    odd = abs(W[row + ORDER - 1])
    for k in range(ORDER - 2, 3, -2):
        even = even * square + abs(W[row + k])
    for k in range(ORDER - 3, 3, -2):
        odd = odd * square + abs(W[row + k])
    # What is left to multiply by: x⁴ and x⁵ for an even order, x⁵ and x⁴ for an odd one.
    return (odd * x + even if ORDER % 2 == 0 else even * x + odd) * (square * square)


def negative_tail(W: Floats, row: int, h: float) -> float:
    """Σ min(c_k, 0) h^k over the orders from four on."""
    h = rough(h)
    square = h * h
    even = min(W[row + ORDER], 0.0)
    odd = min(W[row + ORDER - 1], 0.0)
    for k in range(ORDER - 2, 3, -2):
        even = even * square + min(W[row + k], 0.0)
    for k in range(ORDER - 3, 3, -2):
        odd = odd * square + min(W[row + k], 0.0)
    return (odd * h + even if ORDER % 2 == 0 else even * h + odd) * (square * square)


def least_of(W: Floats, row: int, h: float) -> float:
    """A bound from below on a series over the step: its constant term and all negative ones."""
    low = h * (min(W[row + 1], 0.0) + h * (min(W[row + 2], 0.0) + h * min(W[row + 3], 0.0)))
    return W[row] + low - VALUE * tail_of(W, row, h)


def is_certain(W: Floats, h: float) -> bool:
    """Whether each polynomial is easily seen either to stay positive on the step or to end negative."""
    certain = True
    for i in range(N_CONTACTS):
        stays = stays_positive(W, i, h)
        ends = W[FIRST + i] > 0.0 and W[END_VALUE + i] < 0.0 and W[ROOM + i] > 0.0
        certain = certain and (stays or ends)
    for i in range(N_WATCHED):
        certain = certain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
    return certain


def stays_clear(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of contact i stays positive because its constant term outweighs all negative ones, and the
    other limit, S + side·λ > 0, which is 2S − p for this polynomial p, is out of reach."""
    row = POLYNOMIAL + i * WIDTH
    factor = W[FACTOR + i]
    tail = VALUE * tail_of(W, row, h)
    p0 = SURE * rough(W[BASE + i] + factor * W[row])
    p1 = rough(factor * h * W[row + 1])
    p2 = rough(factor * h * h * W[row + 2])
    p3 = rough(factor * h * h * h * W[row + 3])
    positive = p0 + min(p1, 0.0) + min(p2, 0.0) + min(p3, 0.0) > tail
    most = p0 + abs(p1) + abs(p2) + abs(p3) + tail
    return positive and (W[RESTS + i] == 0.0 or 2.0 * least_of(W, ROW_STATIC + i * WIDTH, h) > most)


def stays_positive(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of contact i is easily seen to stay positive, and the other limit to be out of reach.

    Leading zeros divided out, it is b₀ + b₁ s + b₂ s² + b₃ s³ + …, s from 0 to 1. It stays positive if the sum of b₀
    and all negative terms is, or if the parabola of its first terms has its least value high enough, or if it ends
    positive and only rises, only falls or always bends down.
    """
    row = POLYNOMIAL + i * WIDTH
    lead = W[LEAD + i]
    W[END_VALUE + i] = value_of(W, row, h)
    tail = tail_of(W, row, h)
    p1 = rough(h * W[row + 1])
    p2 = rough(h * h * W[row + 2])
    p3 = rough(h * h * h * W[row + 3])
    b0 = p2 if lead == 2.0 else (p1 if lead == 1.0 else rough(W[row]))
    b1 = p3 if lead == 2.0 else (p2 if lead == 1.0 else p1)
    b2 = 0.0 if lead == 2.0 else (p3 if lead == 1.0 else p2)
    b3 = p3 if lead == 0.0 else 0.0
    W[FIRST + i] = b0
    W[SECOND + i] = b1
    low = SURE * b0 + min(b3, 0.0) + negative_tail(W, row, h)
    positive = low + min(b1, 0.0) + min(b2, 0.0) > 0.0
    above = b2 > 0.0 and 4.0 * low * b2 > b1 * b1 and low > 0.0
    steady = SURE * abs(b1) > 2.0 * abs(b2) + 3.0 * abs(b3) + RATE * tail
    bends = -2.0 * SURE * b2 > 6.0 * abs(b3) + BEND * tail
    stays = positive or above or ((steady or bends) and W[END_VALUE + i] > 0.0)
    # The other limit, S + side·λ > 0, is 2S − p for this polynomial p.
    most = b0 + max(b1, 0.0) + max(b2, 0.0) + max(b3, 0.0) + VALUE * tail
    room = 2.0 * least_of(W, ROW_STATIC + i * WIDTH, h) > most or W[RESTS + i] == 0.0
    W[ROOM + i] = 1.0 if room else 0.0
    return b0 > 0.0 and stays and room


def root_of(W: Floats, i: int, h: float, crosses: bool) -> float:
    """The first zero of a polynomial that ends negative; −1 where that cannot be told, or would take too long.

    Halley's method, kept inside by bisection.
    """
    row = POLYNOMIAL + i * WIDTH
    # A parabola from the start, with its slope there, to the end.
    start = W[FIRST + i]
    first = W[SECOND + i]
    second = W[END_VALUE + i] - start - first
    low = 0.0
    high = h
    x = 2.0 * h * start / (sqrt(first * first - 4.0 * start * second) - first)
    searching = crosses
    rounds = 0.0
    while any_lane(searching):
        y = x * x
        even = W[row + ORDER - ORDER % 2]
        even_slope = 0.0
        even_bend = 0.0
        odd = W[row + ORDER - 1 + ORDER % 2]
        odd_slope = 0.0
        odd_bend = 0.0
        for k in range(ORDER - ORDER % 2 - 2, -1, -2):
            even_bend = even_bend * y + even_slope
            even_slope = even_slope * y + even
            even = even * y + W[row + k]
        for k in range(ORDER - 3 + ORDER % 2, -1, -2):
            odd_bend = odd_bend * y + odd_slope
            odd_slope = odd_slope * y + odd
            odd = odd * y + W[row + k]
        value = even + x * odd
        slope = odd + 2.0 * (x * even_slope + y * odd_slope)
        bend = even_slope + 3.0 * x * odd_slope + 4.0 * y * (even_bend + x * odd_bend)  # half the second derivative
        low = x if value > 0.0 else low
        high = high if value > 0.0 else x
        step = value * slope / (slope * slope - value * bend)
        following = x - step
        inside = low <= following and following <= high
        found = inside and abs(step) <= 1e-5 * x  # the next one would be about the cube of that
        following = following if inside else 0.5 * (low + high)
        x = following if searching else x
        rounds += 1.0
        searching = searching and not found
        lost = searching and rounds >= MOST_ROUNDS
        x = -1.0 if lost else x
        searching = searching and not lost
    return x if crosses and is_alone(W, row, W[LEAD + i], x) else -1.0


def is_alone(W: Floats, row: int, lead: float, x: float) -> bool:
    """Whether x is the only zero up to there: divided by (t − x) the polynomial keeps its sign.

    Leading zeros are divided out as well; what remains has the same quotient, but for its last terms.
    """
    quotient = 0.0
    others = 0.0
    for k in range(ORDER, 3, -1):
        others = (others + abs(quotient)) * x
        quotient = quotient * x + W[row + k]
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 3]
    twice = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 2]
    once = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 1]
    none = abs(quotient) > others
    return (twice and lead == 2.0) or (once and lead == 1.0) or (none and lead == 0.0)


def earliest_event(W: Floats, h: float, moving: bool) -> float:
    """The time of the first event on the step; beyond h if there is none, negative if that is in doubt."""
    earliest = 2.0 * h
    for i in range(N_CONTACTS):
        crosses = moving and h > 0.0 and W[END_VALUE + i] < 0.0
        W[ROOT + i] = 2.0 * h
        if any_lane(crosses):
            root = root_of(W, i, h, crosses)
            W[ROOT + i] = root if crosses else 2.0 * h
        earliest = min(earliest, W[ROOT + i])
    return earliest
