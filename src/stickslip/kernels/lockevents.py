"""Events on the polynomials of a step in lockstep: bounds that exclude them, and their first zero. See lockstep.py.

The march has its own (polynomial.py): it cuts a polynomial into ever smaller pieces until its first zero is certain,
which takes every trajectory another number of turns. Here all pay for the longest search, so bounds that need none come
first, and what they leave open makes the step shorter.
"""

from math import sqrt

from stickslip.kernels import model
from stickslip.kernels.lane import CROSSING, EVENTS, Tick
from stickslip.kernels.machine import any_lane, rough
from stickslip.kernels.records import Floats

VALUE, RATE, BEND = 0.41, 1.64, 9.7  # see `tail_of`
MOST_TURNS = 6.0  # of the search for a root
JUST_BEGUN = 1e-11  # of how far a guard moves on a step: so far it may be beyond zero when the step begins
SURE = 1.0 - 1e-6  # of what must outweigh others, where single precision has to do


def value_of(row: Floats, tau: float) -> float:
    """A series at the time tau of the step: even and odd terms apart, two short chains."""
    square = tau * tau
    even = row[model.ORDER]
    odd = row[model.ORDER - 1]
    for k in range(model.ORDER - 2, -1, -2):
        even = even * square + row[k]
    for k in range(model.ORDER - 3, -1, -2):
        odd = odd * square + row[k]
    return odd * tau + even if model.ORDER % 2 == 0 else even * tau + odd


def tail_of(row: Floats, h: float) -> float:
    """Σ |c_k| (5h/4)^k over the orders from four on.

    Since k ≤ 1.64 (5/4)^k and k (k − 1) ≤ 9.7 (5/4)^k for these, it bounds the sum itself, its rate and its bend at
    all times up to h: by VALUE, RATE and BEND times this much, time measured in h.
    """
    x = rough(1.25 * h)
    square = x * x
    even = abs(row[model.ORDER])
    odd = abs(row[model.ORDER - 1])
    for k in range(model.ORDER - 2, 3, -2):
        even = even * square + abs(row[k])
    for k in range(model.ORDER - 3, 3, -2):
        odd = odd * square + abs(row[k])
    # What is left to multiply by: x⁴ and x⁵ for an even order, x⁵ and x⁴ for an odd one.
    return (odd * x + even if model.ORDER % 2 == 0 else even * x + odd) * (square * square)


def negative_tail(row: Floats, h: float) -> float:
    """Σ min(c_k, 0) h^k over the orders from four on."""
    h = rough(h)
    square = h * h
    even = min(row[model.ORDER], 0.0)
    odd = min(row[model.ORDER - 1], 0.0)
    for k in range(model.ORDER - 2, 3, -2):
        even = even * square + min(row[k], 0.0)
    for k in range(model.ORDER - 3, 3, -2):
        odd = odd * square + min(row[k], 0.0)
    return (odd * h + even if model.ORDER % 2 == 0 else even * h + odd) * (square * square)


def falls_through(row: Floats, h: float) -> bool:
    """Whether a series that begins positive and ends negative has one zero on the step: its rate stays negative, or it
    bends down all the way."""
    tail = tail_of(row, h)
    p1 = rough(h * row[1])
    p2 = rough(h * h * row[2])
    p3 = rough(max(h * h * h * row[3], 0.0))
    falls = -SURE * p1 > 2.0 * max(p2, 0.0) + 3.0 * p3 + RATE * tail
    bends = -2.0 * SURE * p2 > 6.0 * p3 + BEND * tail
    return falls or bends


def keeps_clear(row: Floats, h: float) -> bool:
    """Whether a series stays positive on the step: its constant term outweighs all negative ones, or the parabola of
    its first terms has its least value high enough; or it is no more than round-off below zero and rises, as that of a
    branch does where it has just begun; or it only falls, or bends down all the way, and ends positive."""
    tail = tail_of(row, h)
    p1 = h * row[1]
    p2 = h * h * row[2]
    p3 = h * h * h * row[3]
    low = row[0] + min(p3, 0.0) - VALUE * tail
    above = p2 > 0.0 and low > 0.0 and 4.0 * low * p2 > p1 * p1
    bend = min(p2, 0.0) + min(p3, 0.0) - VALUE * tail
    falls = -SURE * p1 > 2.0 * max(p2, 0.0) + 3.0 * max(p3, 0.0) + RATE * tail
    bends = -2.0 * SURE * p2 > 6.0 * max(p3, 0.0) + BEND * tail and row[0] > 0.0
    rises = row[0] >= -JUST_BEGUN * p1 and p1 + bend > 0.0
    return row[0] + min(p1, 0.0) + bend > 0.0 or above or rises or ((falls or bends) and value_of(row, h) > 0.0)


def moved_by(row: Floats, h: float) -> float:
    """A bound on how far a series moves from its start within h: even and odd terms apart, two short chains."""
    square = rough(h * h)
    even = abs(row[model.ORDER - model.ORDER % 2])
    odd = abs(row[model.ORDER - 1 + model.ORDER % 2])
    for k in range(model.ORDER - model.ORDER % 2 - 2, 1, -2):
        even = even * square + abs(row[k])
    for k in range(model.ORDER - 3 + model.ORDER % 2, 0, -2):
        odd = odd * square + abs(row[k])
    return even * square + odd * h


def least_of(row: Floats, h: float) -> float:
    """A bound from below on a series over the step: its constant term and all negative ones."""
    low = h * (min(row[1], 0.0) + h * (min(row[2], 0.0) + h * min(row[3], 0.0)))
    return row[0] + low - VALUE * tail_of(row, h)


def is_certain(tick: Tick, h: float) -> bool:
    """Whether each polynomial is easily seen either to stay positive on the step or to end negative."""
    certain = True
    for i in range(EVENTS):
        stays = stays_positive(tick, i, h)
        ends = tick.leading[i] > 0.0 and tick.end_value[i] < 0.0 and tick.room[i] > 0.0
        certain = certain and (stays or ends)
    for i in range(model.WATCHED):
        certain = certain and is_kept(tick.guard_series[i], h)
    return certain


def is_kept(row: Floats, h: float) -> bool:
    """Whether something that is watched is easily seen not to turn negative on the step.

    It may begin at zero, but for round-off, and rise; or be held there, as max(0, N) is where N is negative.
    """
    least = least_of(row, h)
    rises = least - row[0] + h * max(row[1], 0.0) > 0.0 and row[0] >= -JUST_BEGUN * h * row[1]
    return least > 0.0 or rises or abs(row[0]) + moved_by(row, h) == 0.0


def stays_clear(tick: Tick, i: int, h: float) -> bool:
    """Whether the polynomial of contact i stays positive because its constant term outweighs all negative ones, and the
    other limit, S + side·λ > 0, which is 2S − p for this polynomial p, is out of reach."""
    row = tick.polynomial[i]
    factor = tick.factor[i]
    tail = VALUE * tail_of(row, h)
    p0 = SURE * rough(tick.base[i] + factor * row[0])
    p1 = rough(factor * h * row[1])
    p2 = rough(factor * h * h * row[2])
    p3 = rough(factor * h * h * h * row[3])
    positive = p0 + min(p1, 0.0) + min(p2, 0.0) + min(p3, 0.0) > tail
    most = p0 + abs(p1) + abs(p2) + abs(p3) + tail
    return positive and (tick.sticks[i] == 0.0 or 2.0 * least_of(tick.static_series[i], h) > most)


def stays_positive(tick: Tick, i: int, h: float) -> bool:
    """Whether polynomial i is easily seen to stay positive, and of a contact in stick the other limit to be out of
    reach.

    Leading zeros divided out, it is b₀ + b₁ s + b₂ s² + b₃ s³ + …, s from 0 to 1. It stays positive if the sum of b₀
    and all negative terms is, or if the parabola of its first terms has its least value high enough, or if it ends
    positive and only rises, only falls or always bends down.
    """
    row = tick.polynomial[i]
    zeros = tick.zeros[i]
    tick.end_value[i] = value_of(row, h)
    tail = tail_of(row, h)
    p1 = rough(h * row[1])
    p2 = rough(h * h * row[2])
    p3 = rough(h * h * h * row[3])
    b0 = p2 if zeros == 2.0 else (p1 if zeros == 1.0 else rough(row[0]))
    if i >= model.CONTACTS:
        b0 = p3 if zeros == 3.0 else b0
    b1 = p3 if zeros == 2.0 else (p2 if zeros == 1.0 else p1)
    b2 = 0.0 if zeros == 2.0 else (p3 if zeros == 1.0 else p2)
    b3 = p3 if zeros == 0.0 else 0.0
    if i >= model.CONTACTS:
        b1 = 0.0 if zeros == 3.0 else b1
    tick.leading[i] = b0
    tick.following[i] = b1
    low = SURE * b0 + min(b3, 0.0) + negative_tail(row, h)
    positive = low + min(b1, 0.0) + min(b2, 0.0) > 0.0
    above = b2 > 0.0 and 4.0 * low * b2 > b1 * b1 and low > 0.0
    steady = SURE * abs(b1) > 2.0 * abs(b2) + 3.0 * abs(b3) + RATE * tail
    bends = -2.0 * SURE * b2 > 6.0 * abs(b3) + BEND * tail
    stays = positive or above or ((steady or bends) and tick.end_value[i] > 0.0)
    room = True
    if i < model.CONTACTS:  # the other limit, S + side·λ > 0, is 2S − p for this polynomial p
        most = b0 + max(b1, 0.0) + max(b2, 0.0) + max(b3, 0.0) + VALUE * tail
        room = 2.0 * least_of(tick.static_series[i], h) > most or tick.sticks[i] == 0.0
    tick.room[i] = 1.0 if room else 0.0
    return b0 > 0.0 and stays and room


def root_of(tick: Tick, i: int, h: float, crosses: bool) -> float:
    """The first zero of a polynomial that ends negative; −1 where that cannot be told, or would take too long."""
    x = zero_of(tick, i, h, crosses)
    return x if crosses and is_alone(tick.polynomial[i], tick.zeros[i], x) else -1.0


def zero_of(tick: Tick, i: int, h: float, crosses: bool) -> float:
    """A zero of a polynomial that ends negative; −1 where that would take too long.

    Halley's method, kept inside by bisection.
    """
    row = tick.polynomial[i]
    # A parabola from the start, with its slope there, to the end.
    start = tick.leading[i]
    first = tick.following[i]
    second = tick.end_value[i] - start - first
    low = 0.0
    high = h
    x = 2.0 * h * start / (sqrt(first * first - 4.0 * start * second) - first)
    searching = crosses
    turns = 0.0
    while any_lane(searching):
        y = x * x
        even = row[model.ORDER - model.ORDER % 2]
        even_slope = 0.0
        even_bend = 0.0
        odd = row[model.ORDER - 1 + model.ORDER % 2]
        odd_slope = 0.0
        odd_bend = 0.0
        for k in range(model.ORDER - model.ORDER % 2 - 2, -1, -2):
            even_bend = even_bend * y + even_slope
            even_slope = even_slope * y + even
            even = even * y + row[k]
        for k in range(model.ORDER - 3 + model.ORDER % 2, -1, -2):
            odd_bend = odd_bend * y + odd_slope
            odd_slope = odd_slope * y + odd
            odd = odd * y + row[k]
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
        turns += 1.0
        searching = searching and not found
        lost = searching and turns >= MOST_TURNS
        x = -1.0 if lost else x
        searching = searching and not lost
    return x


def is_alone(row: Floats, zeros: float, x: float) -> bool:
    """Whether x is the only zero up to there: divided by (t − x) the polynomial keeps its sign.

    Leading zeros are divided out as well; what remains has the same quotient, but for its last terms.
    """
    quotient = 0.0
    others = 0.0
    for k in range(model.ORDER, 3, -1):
        others = (others + abs(quotient)) * x
        quotient = quotient * x + row[k]
    others = (others + abs(quotient)) * x
    quotient = quotient * x + row[3]
    twice = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + row[2]
    once = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + row[1]
    none = abs(quotient) > others
    return (twice and zeros == 2.0) or (once and zeros == 1.0) or (none and zeros == 0.0)


def earliest_event(tick: Tick, h: float, moving: bool) -> float:
    """The time of the first event on the step; beyond h if there is none, negative if that is in doubt.

    Each looks for the zeros of its own polynomials, one after another: hardly ever do two of one trajectory cross on a
    step, so one search does for all lanes, however many polynomials there are.
    """
    waiting = False
    for i in range(EVENTS):
        crosses = moving and h > 0.0 and tick.end_value[i] < 0.0
        tick.root[i] = 2.0 * h
        tick.pending[i] = 1.0 if crosses else 0.0
        waiting = waiting or crosses
    while any_lane(waiting):
        take_crossing(tick)
        root = root_of(tick, CROSSING, h, waiting)
        waiting = note_root(tick, root)
    earliest = 2.0 * h
    for i in range(EVENTS):
        earliest = min(earliest, tick.root[i])
    return earliest


def take_crossing(tick: Tick) -> None:
    """The first polynomial whose zero is still to be looked for, to its place."""
    for i in range(EVENTS - 1, -1, -1):
        taken = tick.pending[i] > 0.0 or i == EVENTS - 1
        tick.zeros[CROSSING] = tick.zeros[i] if taken else tick.zeros[CROSSING]
        tick.leading[CROSSING] = tick.leading[i] if taken else tick.leading[CROSSING]
        tick.following[CROSSING] = tick.following[i] if taken else tick.following[CROSSING]
        tick.end_value[CROSSING] = tick.end_value[i] if taken else tick.end_value[CROSSING]
        for k in range(model.ORDER + 1):
            tick.polynomial[CROSSING, k] = tick.polynomial[i, k] if taken else tick.polynomial[CROSSING, k]


def note_root(tick: Tick, root: float) -> bool:
    """The zero of the first that waits; whether more of them do."""
    taken = False
    waiting = False
    for i in range(EVENTS):
        its = tick.pending[i] > 0.0 and not taken
        waiting = waiting or (tick.pending[i] > 0.0 and taken)
        taken = taken or its
        tick.root[i] = root if its else tick.root[i]
        tick.pending[i] = 0.0 if its else tick.pending[i]
    return waiting
