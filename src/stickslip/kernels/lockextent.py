"""How far the states of a trajectory in lockstep reach: their extents, widened step by step. See lockstep.py."""

from stickslip.kernels.lockevents import BEND, NOISE, RATE, tail_of
from stickslip.kernels.machine import any_lane
from stickslip.kernels.model import (
    CALM,
    GOES,
    LIMIT,
    N_CONTACTS,
    N_STATES,
    NEXT,
    ORDER,
    SERIES,
    SIGN,
    STICK_TIME,
    WATCHED_HIGH,
    WATCHED_LOW,
    WIDTH,
    Floats,
)

CLOSE_ENOUGH, MOST_STEPS_TO_EXTREME = 1e-3, 20.0


def watch(W: Floats, tau: float, watched: bool) -> None:
    """Widen the extent of every state by what it reaches on the step, and add up the time in stick.

    Where a state might pass beyond its extent, and it is not certain whether it turns once or not at all, the step is
    not gone.
    """
    waits = False
    for i in range(N_STATES):
        waits = waits or widen(W, i, tau, watched)
    for i in range(N_CONTACTS):
        sticks = watched and not waits and W[SIGN + i] == 0.0
        W[STICK_TIME + i] = W[STICK_TIME + i] + tau if sticks else W[STICK_TIME + i]
    W[GOES] = 0.0 if waits else W[GOES]
    W[LIMIT] = 0.5 * tau if waits else W[LIMIT]
    W[CALM] = 0.0 if waits else W[CALM]


def widen(W: Floats, i: int, tau: float, watched: bool) -> bool:
    """The same for one state."""
    row = SERIES + i * WIDTH
    begin = W[row]
    end = W[NEXT + i]
    tail = tail_of(W, row, tau)
    square = tau * tau
    b1 = tau * abs(W[row + 1])
    b2 = square * abs(W[row + 2])
    b3 = square * tau * abs(W[row + 3])
    low = min(W[WATCHED_LOW + i], end)
    high = max(W[WATCHED_HIGH + i], end)
    # A curve leaves its chord by an eighth of its bend at most; round-off is no motion.
    bulge = 0.25 * b2 + 0.75 * b3 + 0.125 * BEND * tail - NOISE * abs(begin)
    outside = max(begin, end) + bulge > high or min(begin, end) - bulge < low
    unsure = watched and outside and b1 <= 2.0 * b2 + 3.0 * b3 + RATE * tail
    if any_lane(unsure):
        once = bends_one_way(W, row, tau)  # then the rate has one zero at most
        value = extreme(W, row, tau, unsure and once)
        low = min(low, value) if unsure and once else low
        high = max(high, value) if unsure and once else high
        unsure = unsure and not once
    W[WATCHED_LOW + i] = low if watched else W[WATCHED_LOW + i]
    W[WATCHED_HIGH + i] = high if watched else W[WATCHED_HIGH + i]
    return unsure


def bends_one_way(W: Floats, row: int, tau: float) -> bool:
    """Whether the second derivative keeps its sign: 2c₂ + 6c₃t does, and outweighs all further terms."""
    begin = 2.0 * W[row + 2]
    end = begin + 6.0 * tau * W[row + 3]
    others = 0.0
    for k in range(ORDER, 3, -1):
        others = others * tau + k * (k - 1) * abs(W[row + k])
    return begin * end > 0.0 and min(abs(begin), abs(end)) > others * tau * tau


def extreme(W: Floats, row: int, tau: float, sought: bool) -> float:
    """The value of a series where its rate vanishes, or at that end of the step to which it grows or falls.

    Newton's method from a place that the first terms tell. The effect of a last small step e on the value is known
    without taking it, but for e³.
    """
    inverse = 0.5 / W[row + 2]
    x = -inverse * W[row + 1]
    x = x - inverse * x * x * (3.0 * W[row + 3] + x * 4.0 * W[row + 4])
    x = min(max(x, 0.0), tau)
    found = 0.0
    searching = sought
    rounds = 0.0
    while any_lane(searching):
        value = W[row + ORDER]
        rate = 0.0
        bend = 0.0  # half of it
        for k in range(ORDER - 1, -1, -1):
            bend = bend * x + rate
            rate = rate * x + value
            value = value * x + W[row + k]
        step = 0.5 * rate / bend
        small = abs(step) <= CLOSE_ENOUGH * tau
        following = min(max(x - step, 0.0), tau)
        found = (value - 0.5 * step * rate if small else value) if searching else found
        rounds += 1.0
        searching = searching and not small and following != x and rounds < MOST_STEPS_TO_EXTREME
        x = following
    return found
