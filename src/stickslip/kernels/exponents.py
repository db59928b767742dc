"""Directions carried along a motion without end: made orthonormal after steps, with the logarithms of their growth.

Where a contact comes to rest, one direction of those carried is lost for good: but for round-off it is a combination of
the others then. It is dropped, and the motion goes on with the rest.
"""

from math import exp, inf, log, sqrt

from stickslip.kernels.march import EVENT_WIDTH, march
from stickslip.kernels.mode import expand
from stickslip.kernels.model import (
    DIRECTIONS,
    END,
    N_CONTACTS,
    N_STATES,
    ORDER,
    READY,
    STATE,
    TANGENT,
    TIME,
    VARIATION,
    VARIED,
    WIDTH,
    Floats,
    Ints,
    tangent,
)
from stickslip.kernels.outcome import FINISHED, PAUSED

LOST = 1e-10  # the part of its length that a direction keeps when only round-off is left of it
TOLERATED = 1e-10  # the last terms of a direction's series, relative to its length
ASKED_EVERY = 8  # steps after which the directions are asked again how long steps may be


def carry_on(
    W: Floats,
    I: Ints,
    until: float,
    every: int,
    most_steps: int,
    scale: Floats,
    sums: Floats,
    sizes: Floats,
    releases: Ints,
    steps: Floats,
    events: Floats,
    filled: Ints,
) -> int:
    """Advance to the time `until`, with orthonormal directions, in states over `scale`, every few steps. A status.

    `sums` gains the logarithms of growth, `sizes` the largest size of each state, `releases` the number of changes from
    stick to slip. The other arrays are work space: the record of one step.
    """
    status = PAUSED
    age = 0
    asked = 0
    while status == PAUSED:
        if asked == 0:
            longest = longest_step(W, I, scale)
            asked = ASKED_EVERY
        asked -= 1
        filled[0] = 0
        filled[1] = 0
        W[END] = min(until, W[TIME] + longest)
        status = march(W, I, most_steps, steps, events, 1, N_CONTACTS, filled)  # pauses after one step
        if status == FINISHED and W[TIME] < until:
            status = PAUSED
        if filled[1] > 0:
            asked = 0
        for e in range(filled[1]):
            if events[e * EVENT_WIDTH + 2] == 0.0:
                releases[0] += 1
        for i in range(N_STATES):
            sizes[i] = max(sizes[i], abs(W[STATE + i]))
        age += 1
        if age >= every or status != PAUSED:
            orthonormalise(W, I, scale, sums)
            age = 0
    return status


def longest_step(W: Floats, I: Ints, scale: Floats) -> float:
    """The step at which the last terms of the series of all directions equal their tolerance.

    Steps follow the motion, and near an equilibrium it asks for none: the directions do.
    """
    if I[READY] == 0:
        if expand(W, I) != 0:
            return inf  # march says why
        I[READY] = 1
    largest = 0.0
    before = 0.0
    for d in range(I[DIRECTIONS]):
        tangent(W, I, VARIATION + d * N_STATES, I[VARIED + d])
        for i in range(N_STATES):
            largest = max(largest, abs(W[TANGENT + i * WIDTH + ORDER]) / scale[i])
            before = max(before, abs(W[TANGENT + i * WIDTH + ORDER - 1]) / scale[i])
    longest = inf
    if largest > 0.0:
        longest = exp(log(TOLERATED / largest) / ORDER)
    if before > 0.0:
        longest = min(longest, exp(log(TOLERATED / before) / (ORDER - 1)))
    return longest


def orthonormalise(W: Floats, I: Ints, scale: Floats, sums: Floats) -> None:
    """The method of Gram and Schmidt, twice over; what is lost is dropped."""
    kept = 0
    for d in range(I[DIRECTIONS]):
        place = VARIATION + d * N_STATES
        before = scaled_length(W, place, scale)
        for _ in range(2):
            for other in range(kept):
                take_out(W, place, VARIATION + other * N_STATES, scale)
        after = scaled_length(W, place, scale)
        if after > LOST * max(before, 1.0):
            for i in range(N_STATES):
                W[VARIATION + kept * N_STATES + i] = W[place + i] / after
            sums[kept] += log(after)
            kept += 1
    I[DIRECTIONS] = kept


def scaled_length(W: Floats, place: int, scale: Floats) -> float:
    """The length of a direction, in states over their scale."""
    total = 0.0
    for i in range(N_STATES):
        part = W[place + i] / scale[i]
        total += part * part
    return sqrt(total)


def take_out(W: Floats, place: int, other: int, scale: Floats) -> None:
    """Take from a direction what it has of another, whose length is one."""
    product = 0.0
    for i in range(N_STATES):
        product += (W[place + i] / scale[i]) * (W[other + i] / scale[i])
    for i in range(N_STATES):
        W[place + i] -= product * W[other + i]
