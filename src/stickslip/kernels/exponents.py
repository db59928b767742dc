"""Directions carried along a motion without end: made orthonormal after steps, with the logarithms of their growth.

Where a contact comes to rest, one direction of those carried is lost for good: but for round-off it is a combination of
the others then. It is dropped, and the motion goes on with the rest.
"""

from math import exp, inf, log, sqrt

from stickslip.kernels import model, outcome
from stickslip.kernels.march import step_once
from stickslip.kernels.mode import expand
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.tangent import set_varied_series
from stickslip.kernels.trajectory import Trajectory

LOST = 1e-10  # the part of its length that a direction keeps when only round-off is left of it
TOLERATED = 1e-10  # the last terms of a direction's series, relative to its length
MEASURED_EVERY = 8  # steps after which the directions are asked again how long steps may be


class Growth(Record):
    """How directions grow along a motion, and what else is measured on the way."""

    scale: Floats = field("the unit of each state, in which directions have lengths and angles", model.STATES)
    logarithm: Floats = field("of the growth of each direction so far", model.STATES)
    extent: Floats = field("the largest size of each state so far", model.STATES)
    releases: int = field("changes from stick to slip so far")
    renormalise: int = field("steps between two orthonormalisations")


def measure_growth(trajectory: Trajectory, growth: Growth, until: float, most_steps: int) -> int:
    """Advance to the time `until`, and make the directions orthonormal every few steps and at the end. A status."""
    status = outcome.PAUSED
    steps = 0
    measured = 0
    longest = inf
    while status == outcome.PAUSED:
        if measured == 0:
            longest = longest_step(trajectory, growth.scale)
            measured = MEASURED_EVERY
        measured -= 1
        events = trajectory.events
        trajectory.end_time = min(until, trajectory.time + longest)
        status = step_once(trajectory, most_steps)
        if status == outcome.FINISHED and trajectory.time < until:
            status = outcome.PAUSED
        if trajectory.events > events:
            measured = 0
            growth.releases += count_released(trajectory)
        for i in range(model.STATES):
            growth.extent[i] = max(growth.extent[i], abs(trajectory.state[i]))
        steps += 1
        if steps >= growth.renormalise or status != outcome.PAUSED:
            orthonormalise(trajectory, growth)
            steps = 0
    return status


def count_released(trajectory: Trajectory) -> int:
    """How many contacts have left stick at the event just passed."""
    released = 0
    for i in range(model.CONTACTS):
        if trajectory.mode_before[i] == 0 and trajectory.mode[i] != 0:
            released += 1
    return released


def longest_step(trajectory: Trajectory, scale: Floats) -> float:
    """The step at which the last terms of the series of all directions equal their tolerance.

    Steps follow the motion, and near an equilibrium it asks for none: the directions do.
    """
    if trajectory.ready == 0:
        if expand(trajectory) != 0:
            return inf  # the next step says why
        trajectory.ready = 1
    last = 0.0
    last_but_one = 0.0
    for d in range(trajectory.directions):
        set_varied_series(trajectory, d)
        for i in range(model.STATES):
            last = max(last, abs(trajectory.varied_state_series[i, model.ORDER]) / scale[i])
            last_but_one = max(last_but_one, abs(trajectory.varied_state_series[i, model.ORDER - 1]) / scale[i])
    longest = inf
    if last > 0.0:
        longest = exp(log(TOLERATED / last) / model.ORDER)
    if last_but_one > 0.0:
        longest = min(longest, exp(log(TOLERATED / last_but_one) / (model.ORDER - 1)))
    return longest


def orthonormalise(trajectory: Trajectory, growth: Growth) -> None:
    """The method of Gram and Schmidt, twice over; what is lost is dropped."""
    kept = 0
    for d in range(trajectory.directions):
        direction = trajectory.variation[d]
        before = scaled_length(direction, growth.scale)
        for _ in range(2):
            for other in range(kept):
                remove_component(direction, trajectory.variation[other], growth.scale)
        after = scaled_length(direction, growth.scale)
        if after > LOST * max(before, 1.0):
            for i in range(model.STATES):
                trajectory.variation[kept, i] = direction[i] / after
            growth.logarithm[kept] += log(after)
            kept += 1
    trajectory.directions = kept


def scaled_length(direction: Floats, scale: Floats) -> float:
    """The length of a direction, in states over their scale."""
    total = 0.0
    for i in range(model.STATES):
        part = direction[i] / scale[i]
        total += part * part
    return sqrt(total)


def remove_component(direction: Floats, other: Floats, scale: Floats) -> None:
    """Take from a direction what it has of another, whose length is one."""
    product = 0.0
    for i in range(model.STATES):
        product += (direction[i] / scale[i]) * (other[i] / scale[i])
    for i in range(model.STATES):
        direction[i] -= product * other[i]
