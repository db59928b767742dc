"""Event location on the polynomial of a step: no crossing and no tangency inside the step is missed.

A guard on the step is a polynomial in x = τ/h on [0, 1]. Its Bernstein coefficients bound it, and the number of their
sign changes bounds the number of its roots (Descartes): 0 means none, 1 means one, more means: halve the interval.
"""

from math import comb

import numpy as np

from stickslip.kernels.model import BOUNDS, ORDER, POLYNOMIAL, POWER, STACK, Floats


def bernstein_matrix(order):
    """Entry i, k: what the coefficient of x^k adds to the Bernstein coefficient i; flattened."""
    matrix = np.zeros((order + 1, order + 1))
    for k in range(order + 1):
        for i in range(k, order + 1):
            matrix[i, k] = comb(i, k) / comb(order, k)
    return matrix.ravel()


BERNSTEIN = bernstein_matrix(ORDER)
HALF = ORDER // 2
STRETCH = ORDER // 4 + 1  # four of them make up a series
NARROW = 1e-9  # an interval of this width holds a tangency, not two roots apart


def set_powers(W: Floats, h: float) -> None:
    """h to the power 0, 1, … ORDER: even and odd ones apart, to keep the chains short."""
    square = h * h
    even = 1.0
    odd = h
    for k in range(0, ORDER, 2):
        W[POWER + k] = even
        W[POWER + k + 1] = odd
        even *= square
        odd *= square
    if ORDER % 2 == 0:
        W[POWER + ORDER] = even


def value_of(W: Floats, row: int) -> float:
    """The series that begins at W[row], summed for the powers that are set."""
    return value_at(W, row, W[POWER + 1])


def value_at(W: Floats, row: int, h: float) -> float:
    """The series that begins at W[row] at the time h of the step.

    Every step waits for this: four short stretches, summed side by side, are quicker than one long chain.
    """
    shift = h
    for _ in range(STRETCH - 1):
        shift *= h
    low = stretch(W, row, 0, h) + shift * stretch(W, row, STRETCH, h)
    high = stretch(W, row, 2 * STRETCH, h) + shift * stretch(W, row, 3 * STRETCH, h)
    return low + shift * shift * high


def stretch(W: Floats, row: int, first: int, h: float) -> float:
    """The terms of a series from `first` on, divided by the power of the first, by Horner's method."""
    if first > ORDER:
        return 0.0
    last = min(first + STRETCH - 1, ORDER)
    total = W[row + last]
    for k in range(last - 1, first - 1, -1):
        total = total * h + W[row + k]
    return total


def stays_positive(W: Floats, row: int, sign: float, noise: float) -> bool:
    """Whether sign·series, for the powers that are set, is easily seen to be positive on the whole step.

    Its constant term is above `noise` and outweighs all negative ones together.
    """
    h = W[POWER + 1]
    square = h * h
    even = min(sign * W[row + 2 * HALF], 0.0)
    odd = min(sign * W[row + 2 * HALF - 1], 0.0)
    for k in range(2 * HALF - 2, 0, -2):
        even = even * square + min(sign * W[row + k], 0.0)
        odd = odd * square + min(sign * W[row + k - 1], 0.0)
    start = sign * W[row]
    if ORDER % 2 == 1:
        start += min(sign * W[row + ORDER], 0.0) * W[POWER + ORDER]
    return sign * W[row] > noise and start + h * odd + square * even > 0.0


def rate_of(W: Floats, row: int) -> float:
    """The derivative of the series that begins at W[row], for the powers that are set."""
    total = 0.0
    for k in range(ORDER):
        total += (k + 1) * W[row + k + 1] * W[POWER + k]
    return total


def refine(W: Floats, low: float, high: float, x: float) -> float:
    """The root of the guard polynomial between low (positive) and high (negative), from the guess x.

    Newton's method, kept inside by bisection.
    """
    for _ in range(100):
        if not (low <= x and x <= high):
            x = 0.5 * (low + high)
        # Even and odd powers apart: two short chains of operations instead of a long one.
        y = x * x
        even = W[POLYNOMIAL + 2 * HALF]
        even_slope = 0.0
        odd = W[POLYNOMIAL + 2 * HALF + 1] if 2 * HALF < ORDER else 0.0
        odd_slope = 0.0
        for k in range(HALF - 1, -1, -1):
            even_slope = even_slope * y + even
            even = even * y + W[POLYNOMIAL + 2 * k]
            odd_slope = odd_slope * y + odd
            odd = odd * y + W[POLYNOMIAL + 2 * k + 1]
        value = even + x * odd
        slope = odd + 2.0 * (x * even_slope + y * odd_slope)
        if value > 0.0:
            low = x
        else:
            high = x
        if slope == 0.0:
            x = low - 1.0  # halve next time
            continue
        step = value / slope
        x -= step
        if abs(step) <= 2e-16 * abs(x):
            return x
    return x


def is_alone(W: Floats, x: float) -> bool:
    """Whether the root x of the guard polynomial is its only one in [0, x], if that is easily seen.

    Divided by (t − x) the polynomial must not vanish: its constant term outweighs all others.
    """
    quotient = 0.0
    rest = 0.0
    for k in range(ORDER, 0, -1):
        rest = (rest + abs(quotient)) * x
        quotient = quotient * x + W[POLYNOMIAL + k]
    return abs(quotient) > rest


def size_of(W: Floats) -> float:
    """The sum of the absolute coefficients of the guard polynomial."""
    total = 0.0
    for k in range(ORDER + 1):
        total += abs(W[POLYNOMIAL + k])
    return total


def end_of(W: Floats) -> float:
    """The guard polynomial at the end of the step."""
    total = 0.0
    for k in range(ORDER + 1):
        total += W[POLYNOMIAL + k]
    return total


def bend_of(W: Floats) -> float:
    """A bound on how much the slope of the guard polynomial changes over the step."""
    total = 0.0
    for k in range(2, ORDER + 1):
        total += abs(W[POLYNOMIAL + k]) * k
    return total


def first_crossing(W: Floats) -> float:
    """The smallest x in [0, 1] where the guard polynomial turns from positive to negative; 2.0 if there is none."""
    start = W[POLYNOMIAL]
    if start < 0.0:
        return 0.0
    end = end_of(W)
    if 2.0 * start > size_of(W) - end:  # outweighs all negative coefficients together
        return 2.0
    if end < 0.0:
        x = refine(W, 0.0, 1.0, start / (start - end))
        return x if is_alone(W, x) else isolate(W)
    # Where the slope keeps its sign and both ends are positive, there is no crossing in between.
    return 2.0 if abs(W[POLYNOMIAL + 1]) > bend_of(W) else isolate(W)


def isolate(W: Floats) -> float:
    """The first crossing by sign changes of Bernstein coefficients, halving the interval while there are several."""
    for i in range(ORDER + 1):
        total = W[POLYNOMIAL]
        for k in range(1, i + 1):
            total += W[POLYNOMIAL + k] * BERNSTEIN[i * (ORDER + 1) + k]
        W[STACK + i] = total
    noise = 4e-16 * size_of(W)  # a tangency must not look like two crossings
    W[BOUNDS] = 0.0
    W[BOUNDS + 1] = 1.0
    depth = 0
    while depth >= 0:
        low = W[BOUNDS + 2 * depth]
        width = W[BOUNDS + 2 * depth + 1]
        top = STACK + depth * (ORDER + 1)
        changes = 0
        sign = 1.0
        for i in range(ORDER + 1):
            if sign * W[top + i] < -noise:
                changes += 1
                sign = -sign
        if changes == 0:
            depth -= 1
        elif changes == 1:
            return refine(W, low, low + width, low + 0.5 * width)
        elif width < NARROW:
            if W[top + ORDER] < -noise:
                return low
            depth -= 1  # it touches zero and comes back
        else:
            # De Casteljau: the right half stays in place, the left half goes on top of the stack.
            for i in range(ORDER + 1):
                W[top + ORDER + 1 + i] = W[top]
                for j in range(ORDER - i):
                    W[top + j] = 0.5 * (W[top + j] + W[top + j + 1])
            W[BOUNDS + 2 * depth] = low + 0.5 * width
            W[BOUNDS + 2 * depth + 1] = 0.5 * width
            depth += 1
            W[BOUNDS + 2 * depth] = low
            W[BOUNDS + 2 * depth + 1] = 0.5 * width
    return 2.0
