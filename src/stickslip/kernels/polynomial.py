"""Event location on the polynomial of a step: no crossing and no tangency inside the step is missed.

A guard on the step is a polynomial in x = τ/h on [0, 1]. Its Bernstein coefficients bound it, and the number of their
sign changes bounds the number of its roots (Descartes): 0 means none, 1 means one, more means: halve the interval.
"""

from math import comb

import numpy as np

from stickslip.kernels import model
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory


def bernstein_matrix(order: int) -> Floats:
    """Entry i, k: what the coefficient of x^k adds to the Bernstein coefficient i."""
    matrix = np.zeros((order + 1, order + 1))
    for k in range(order + 1):
        for i in range(k, order + 1):
            matrix[i, k] = comb(i, k) / comb(order, k)
    return matrix


BERNSTEIN = bernstein_matrix(model.ORDER)
HALF = model.ORDER // 2
STRETCH = model.ORDER // 4 + 1  # four of them make up a series
NARROW = 1e-9  # an interval of this width holds a tangency, not two roots apart


def set_powers(trajectory: Trajectory, h: float) -> None:
    """h to the power 0, 1, … ORDER: even and odd ones apart, to keep the chains short."""
    square = h * h
    even = 1.0
    odd = h
    for k in range(0, model.ORDER, 2):
        trajectory.power[k] = even
        trajectory.power[k + 1] = odd
        even *= square
        odd *= square
    if model.ORDER % 2 == 0:
        trajectory.power[model.ORDER] = even


def value_of(trajectory: Trajectory, series: Floats) -> float:
    """A series, summed for the powers that are set."""
    return value_at(series, trajectory.power[1])


def value_at(series: Floats, h: float) -> float:
    """A series at the time h of the step.

    Every step waits for this: four short stretches, summed side by side, are quicker than one long chain.
    """
    shift = h
    for _ in range(STRETCH - 1):
        shift *= h
    low = stretch(series, 0, h) + shift * stretch(series, STRETCH, h)
    high = stretch(series, 2 * STRETCH, h) + shift * stretch(series, 3 * STRETCH, h)
    return low + shift * shift * high


def stretch(series: Floats, first: int, h: float) -> float:
    """The terms of a series from `first` on, divided by the power of the first, by Horner's method."""
    if first > model.ORDER:
        return 0.0
    last = min(first + STRETCH - 1, model.ORDER)
    total = series[last]
    for k in range(last - 1, first - 1, -1):
        total = total * h + series[k]
    return total


def stays_positive(trajectory: Trajectory, series: Floats, sign: float, noise: float) -> bool:
    """Whether sign·series, for the powers that are set, is easily seen to be positive on the whole step.

    Its constant term is above `noise` and outweighs all negative ones together.
    """
    h = trajectory.power[1]
    square = h * h
    even = min(sign * series[2 * HALF], 0.0)
    odd = min(sign * series[2 * HALF - 1], 0.0)
    for k in range(2 * HALF - 2, 0, -2):
        even = even * square + min(sign * series[k], 0.0)
        odd = odd * square + min(sign * series[k - 1], 0.0)
    start = sign * series[0]
    if model.ORDER % 2 == 1:
        start += min(sign * series[model.ORDER], 0.0) * trajectory.power[model.ORDER]
    return sign * series[0] > noise and start + h * odd + square * even > 0.0


def rate_of(trajectory: Trajectory, series: Floats) -> float:
    """The derivative of a series, for the powers that are set."""
    total = 0.0
    for k in range(model.ORDER):
        total += (k + 1) * series[k + 1] * trajectory.power[k]
    return total


def refine(trajectory: Trajectory, low: float, high: float, x: float) -> float:
    """The root of the guard polynomial between low (positive) and high (negative), from the guess x.

    Newton's method, kept inside by bisection.
    """
    for _ in range(100):
        if not (low <= x and x <= high):
            x = 0.5 * (low + high)
        # Even and odd powers apart: two short chains of operations instead of a long one.
        y = x * x
        even = trajectory.polynomial[2 * HALF]
        even_slope = 0.0
        odd = trajectory.polynomial[2 * HALF + 1] if 2 * HALF < model.ORDER else 0.0
        odd_slope = 0.0
        for k in range(HALF - 1, -1, -1):
            even_slope = even_slope * y + even
            even = even * y + trajectory.polynomial[2 * k]
            odd_slope = odd_slope * y + odd
            odd = odd * y + trajectory.polynomial[2 * k + 1]
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


def is_alone(trajectory: Trajectory, x: float) -> bool:
    """Whether the root x of the guard polynomial is its only one in [0, x], if that is easily seen.

    Divided by (t − x) the polynomial must not vanish: its constant term outweighs all others.
    """
    quotient = 0.0
    rest = 0.0
    for k in range(model.ORDER, 0, -1):
        rest = (rest + abs(quotient)) * x
        quotient = quotient * x + trajectory.polynomial[k]
    return abs(quotient) > rest


def size_of(trajectory: Trajectory) -> float:
    """The sum of the absolute coefficients of the guard polynomial."""
    total = 0.0
    for k in range(model.ORDER + 1):
        total += abs(trajectory.polynomial[k])
    return total


def end_of(trajectory: Trajectory) -> float:
    """The guard polynomial at the end of the step."""
    total = 0.0
    for k in range(model.ORDER + 1):
        total += trajectory.polynomial[k]
    return total


def bend_of(trajectory: Trajectory) -> float:
    """A bound on how much the slope of the guard polynomial changes over the step."""
    total = 0.0
    for k in range(2, model.ORDER + 1):
        total += abs(trajectory.polynomial[k]) * k
    return total


def first_crossing(trajectory: Trajectory) -> float:
    """The smallest x in [0, 1] where the guard polynomial turns from positive to negative; 2.0 if there is none."""
    start = trajectory.polynomial[0]
    if start < 0.0:
        return 0.0
    end = end_of(trajectory)
    if 2.0 * start > size_of(trajectory) - end:  # outweighs all negative coefficients together
        return 2.0
    if end < 0.0:
        x = refine(trajectory, 0.0, 1.0, start / (start - end))
        return x if is_alone(trajectory, x) else isolate(trajectory)
    # Where the slope keeps its sign and both ends are positive, there is no crossing in between.
    return 2.0 if abs(trajectory.polynomial[1]) > bend_of(trajectory) else isolate(trajectory)


def isolate(trajectory: Trajectory) -> float:
    """The first crossing by sign changes of Bernstein coefficients, halving the interval while there are several."""
    for i in range(model.ORDER + 1):
        total = trajectory.polynomial[0]
        for k in range(1, i + 1):
            total += trajectory.polynomial[k] * BERNSTEIN[i, k]
        trajectory.stack[0, i] = total
    noise = 4e-16 * size_of(trajectory)  # a tangency must not look like two crossings
    trajectory.bounds[0, 0] = 0.0
    trajectory.bounds[0, 1] = 1.0
    depth = 0
    while depth >= 0:
        low = trajectory.bounds[depth, 0]
        width = trajectory.bounds[depth, 1]
        changes = 0
        sign = 1.0
        for i in range(model.ORDER + 1):
            if sign * trajectory.stack[depth, i] < -noise:
                changes += 1
                sign = -sign
                if changes > 1:
                    break
        if changes == 0:
            depth -= 1
        elif changes == 1:
            return refine(trajectory, low, low + width, low + 0.5 * width)
        elif width < NARROW:
            if trajectory.stack[depth, model.ORDER] < -noise:
                return low
            depth -= 1  # it touches zero and comes back
        else:
            # De Casteljau: the right half stays in place, the left half goes on top of the stack.
            for i in range(model.ORDER + 1):
                trajectory.stack[depth + 1, i] = trajectory.stack[depth, 0]
                for j in range(model.ORDER - i):
                    trajectory.stack[depth, j] = 0.5 * (trajectory.stack[depth, j] + trajectory.stack[depth, j + 1])
            trajectory.bounds[depth, 0] = low + 0.5 * width
            trajectory.bounds[depth, 1] = 0.5 * width
            depth += 1
            trajectory.bounds[depth, 0] = low
            trajectory.bounds[depth, 1] = 0.5 * width
    return 2.0


def set_end_state(trajectory: Trajectory, tau: float) -> float:
    """The state at the time tau of the step; the sum of its numbers, to see whether they are finite."""
    total = 0.0
    for i in range(model.STATES):
        trajectory.end_state[i] = value_at(trajectory.state_series[i], tau)
        total += trajectory.end_state[i]
    return total
