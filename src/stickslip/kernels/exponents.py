"""Directions carried along a motion without end: made orthonormal after steps, with the logarithms of their growth.

Where a contact comes to rest, one direction of those carried is lost for good: but for round-off it is a combination of
the others then. It is dropped, and the motion goes on with the rest.
"""

from math import exp, inf, log, sqrt

from stickslip.kernels import model, outcome
from stickslip.kernels.march import EVENT_WIDTH, march
from stickslip.kernels.mode import expand
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory

LOST = 1e-10  # the part of its length that a direction keeps when only round-off is left of it
TOLERATED = 1e-10  # the last terms of a direction's series, relative to its length
ASKED_EVERY = 8  # steps after which the directions are asked again how long steps may be


def carry_on(
    trajectory: Trajectory,
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
    status = outcome.PAUSED
    age = 0
    asked = 0
    while status == outcome.PAUSED:
        if asked == 0:
            longest = longest_step(trajectory, scale)
            asked = ASKED_EVERY
        asked -= 1
        filled[0] = 0
        filled[1] = 0
        trajectory.end_time = min(until, trajectory.time + longest)
        status = march(trajectory, most_steps, steps, events, 1, model.CONTACTS, filled)  # pauses after one step
        if status == outcome.FINISHED and trajectory.time < until:
            status = outcome.PAUSED
        if filled[1] > 0:
            asked = 0
        for e in range(filled[1]):
            if events[e * EVENT_WIDTH + 2] == 0.0:
                releases[0] += 1
        for i in range(model.STATES):
            sizes[i] = max(sizes[i], abs(trajectory.state[i]))
        age += 1
        if age >= every or status != outcome.PAUSED:
            orthonormalise(trajectory, scale, sums)
            age = 0
    return status


def longest_step(trajectory: Trajectory, scale: Floats) -> float:
    """The step at which the last terms of the series of all directions equal their tolerance.

    Steps follow the motion, and near an equilibrium it asks for none: the directions do.
    """
    if trajectory.ready == 0:
        if expand(trajectory) != 0:
            return inf  # march says why
        trajectory.ready = 1
    largest = 0.0
    before = 0.0
    for d in range(trajectory.directions):
        model.tangent(trajectory, trajectory.variation[d], trajectory.varied[d])
        for i in range(model.STATES):
            largest = max(largest, abs(trajectory.varied_state_series[i, model.ORDER]) / scale[i])
            before = max(before, abs(W[trajectory.varied_state_series[i] + model.ORDER - 1]) / scale[i])
    longest = inf
    if largest > 0.0:
        longest = exp(log(TOLERATED / largest) / model.ORDER)
    if before > 0.0:
        longest = min(longest, exp(log(TOLERATED / before) / (model.ORDER - 1)))
    return longest


def orthonormalise(trajectory: Trajectory, scale: Floats, sums: Floats) -> None:
    """The method of Gram and Schmidt, twice over; what is lost is dropped."""
    kept = 0
    for d in range(trajectory.directions):
        place = trajectory.variation[d]
        before = scaled_length(trajectory, place, scale)
        for _ in range(2):
            for other in range(kept):
                take_out(trajectory, place, trajectory.variation[other], scale)
        after = scaled_length(trajectory, place, scale)
        if after > LOST * max(before, 1.0):
            for i in range(model.STATES):
                trajectory.variation[kept, i] = place[i] / after
            sums[kept] += log(after)
            kept += 1
    trajectory.directions = kept


def scaled_length(trajectory: Trajectory, place: int, scale: Floats) -> float:
    """The length of a direction, in states over their scale."""
    total = 0.0
    for i in range(model.STATES):
        part = W[place + i] / scale[i]
        total += part * part
    return sqrt(total)


def take_out(trajectory: Trajectory, place: int, other: int, scale: Floats) -> None:
    """Take from a direction what it has of another, whose length is one."""
    product = 0.0
    for i in range(model.STATES):
        product += (W[place + i] / scale[i]) * (W[other + i] / scale[i])
    for i in range(model.STATES):
        W[place + i] -= product * W[other + i]
