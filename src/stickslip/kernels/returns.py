"""From release to release of one contact: where each happens, and how that changes with where the motion began.

A row of `starts` and `returns` holds a time, a state, and the derivatives of both along a curve. Derivatives of a
return are those with respect to the curve parameter of the row before it, whose derivatives are first divided by their
own length, so that none grows without end; those of a start are taken as they are.
"""

from math import sqrt

from stickslip.kernels import model, outcome
from stickslip.kernels.march import begin, march
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory

ROW_WIDTH = 2 + 2 * model.STATES  # t, z, t′, z′


def next_releases(
    trajectory: Trajectory,
    contact: int,
    side: int,
    modes: Ints,
    turns: int,
    patience: float,
    most_steps: int,
    count: int,
    starts: Floats,
    returns: Floats,
    outcome: Ints,
    steps: Floats,
    events: Floats,
    filled: Ints,
) -> None:
    """`turns` releases after each start: of `contact` to the slip sign `side`, out of `modes`.

    `outcome` is per start the status (outcome.NOT_COMPUTED where it is no release, outcome.FINISHED also where `patience` was too
    short) and the number of releases found. The last three arrays are work space: the record of one step.
    """
    for row in range(count):
        place = row * ROW_WIDTH
        trajectory.time = starts[place]
        for i in range(model.STATES):
            trajectory.state[i] = starts[place + 1 + i]
        trajectory.step_guess = 1.0
        trajectory.directions = 1
        trajectory.varied[0] = -1
        outcome[2 * row + 1] = 0
        status = begin(trajectory)
        if status == outcome.FINISHED and trajectory.mode[contact] != side:
            status = outcome.NOT_COMPUTED
        if status == outcome.FINISHED:
            for i in range(model.STATES):
                delayed = starts[place + 1 + model.STATES] * trajectory.state_series[i, 1]
                trajectory.variation[0, i] = starts[place + 2 + model.STATES + i] - delayed
            trajectory.end_time = trajectory.time + patience
            status = outcome.PAUSED
        while status == outcome.PAUSED and outcome[2 * row + 1] < turns:
            filled[0] = 0
            filled[1] = 0
            status = march(trajectory, most_steps, steps, events, 1, model.CONTACTS, filled)  # pauses after one step
            if filled[1] > 0 and is_release(trajectory, contact, side, modes):
                note_return(trajectory, returns, (row * turns + outcome[2 * row + 1]) * ROW_WIDTH)
                outcome[2 * row + 1] += 1
                trajectory.end_time = trajectory.time + patience
                status = outcome.PAUSED
        outcome[2 * row] = outcome.FINISHED if status == outcome.PAUSED else status


def is_release(trajectory: Trajectory, contact: int, side: int, modes: Ints) -> bool:
    """Whether the event just passed is the one that is waited for."""
    if trajectory.mode[contact] != side:
        return False
    for i in range(model.CONTACTS):
        if trajectory.mode_before[i] != modes[i]:
            return False
    return True


def note_return(trajectory: Trajectory, returns: Floats, place: int) -> None:
    """Time and state of a release with their derivatives; the direction goes on with length one."""
    late = trajectory.delay[0]
    returns[place] = trajectory.time
    returns[place + 1 + model.STATES] = late
    total = late * late
    for i in range(model.STATES):
        change = trajectory.variation[0, i] + trajectory.state_series[i, 1] * late
        returns[place + 1 + i] = trajectory.state[i]
        returns[place + 2 + model.STATES + i] = change
        total += change * change
    if total > 0.0:
        for i in range(model.STATES):
            trajectory.variation[0, i] /= sqrt(total)
