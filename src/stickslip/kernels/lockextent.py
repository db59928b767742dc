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
    PROBE,
    SERIES,
    SIGN,
    STICK_TIME,
    UNSURE,
    WATCHED_HIGH,
    WATCHED_LOW,
    WIDTH,
    Floats,
)

CLOSE_ENOUGH, MOST_STEPS_TO_EXTREME = 1e-3, 20.0


def watch(W: Floats, tau: float, watched: bool) -> None:
    """Widen the extent of every state by what it reaches on the step, and add up the time in stick."""
    for i in range(N_STATES):
        W[UNSURE + i] = 1.0 if watched and may_leave(W, i, tau) else 0.0
    if any_lane(is_unsure(W)):
        waits = widen(W, tau)
        W[GOES] = 0.0 if waits else W[GOES]
        W[LIMIT] = 0.5 * tau if waits else W[LIMIT]
        W[CALM] = 0.0 if waits else W[CALM]
    for i in range(N_CONTACTS):
        sticks = watched and W[GOES] > 0.0 and W[SIGN + i] == 0.0
        if any_lane(sticks):
            W[STICK_TIME + i] = W[STICK_TIME + i] + tau if sticks else W[STICK_TIME + i]


def may_leave(W: Floats, i: int, tau: float) -> bool:
    """Whether a state may reach beyond its extent on the step.

    A curve leaves its chord by an eighth of its bend at most; round-off is no motion.
    """
    row = SERIES + i * WIDTH
    square = tau * tau
    bend = abs(W[row + 2]) * square * 0.25 + abs(W[row + 3]) * (square * tau) * 0.75
    bulge = bend + 0.125 * BEND * tail_of(W, row, tau) - NOISE * abs(W[row])
    low = W[WATCHED_LOW + i] + bulge
    high = W[WATCHED_HIGH + i] - bulge
    return W[row] < low or W[NEXT + i] < low or W[row] > high or W[NEXT + i] > high


def widen(W: Floats, tau: float) -> bool:
    """The extents with where the step leads and the places where states turn, one state after the other.

    Where a state may turn more than once, the step is not gone: it waits.
    """
    waits = False
    searching = is_unsure(W)
    while any_lane(searching):
        end = W[NEXT + N_STATES - 1]
        for i in range(N_STATES - 2, -1, -1):
            end = W[NEXT + i] if W[UNSURE + i] > 0.0 else end
        for k in range(ORDER + 1):
            W[PROBE + k] = W[SERIES + (N_STATES - 1) * WIDTH + k]
            for i in range(N_STATES - 2, -1, -1):
                W[PROBE + k] = W[SERIES + i * WIDTH + k] if W[UNSURE + i] > 0.0 else W[PROBE + k]
        turns = searching and not goes_one_way(W, PROBE, tau)
        once = bends_one_way(W, PROBE, tau)  # then the rate has one zero at most
        waits = waits or (turns and not once)
        value = end
        if any_lane(turns and once):
            value = extreme(W, PROBE, tau, turns and once) if turns and once else end
        taken = not searching
        for i in range(N_STATES):
            this = W[UNSURE + i] > 0.0 and not taken
            W[WATCHED_LOW + i] = min(W[WATCHED_LOW + i], min(value, end)) if this else W[WATCHED_LOW + i]
            W[WATCHED_HIGH + i] = max(W[WATCHED_HIGH + i], max(value, end)) if this else W[WATCHED_HIGH + i]
            W[UNSURE + i] = 0.0 if this else W[UNSURE + i]
            taken = taken or this
        searching = is_unsure(W)
    return waits


def is_unsure(W: Floats) -> bool:
    """Whether a state may reach farther than it is known to."""
    unsure = False
    for i in range(N_STATES):
        unsure = unsure or W[UNSURE + i] > 0.0
    return unsure


def goes_one_way(W: Floats, row: int, tau: float) -> bool:
    """Whether the rate keeps its sign: its first term outweighs all others."""
    b2 = tau * abs(W[row + 2])
    b3 = tau * tau * abs(W[row + 3])
    return tau * abs(W[row + 1]) > tau * (2.0 * b2 + 3.0 * b3) + RATE * tail_of(W, row, tau)


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
