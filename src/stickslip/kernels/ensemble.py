"""Many trajectories, one after another, keeping only where each ends."""

from stickslip.kernels.machine import latest
from stickslip.kernels.march import begin, march
from stickslip.kernels.model import (
    END,
    EVENTS,
    GUESS,
    HALT,
    N_PARAMETERS,
    N_STATES,
    STATE,
    STEPS,
    TIME,
    Floats,
    Ints,
    P,
)
from stickslip.kernels.outcome import FINISHED, TOO_MANY_STEPS


def propagate(
    W: Floats,
    I: Ints,
    t_start: float,
    t_end: float,
    most_steps: int,
    pause_after: int,
    first: int,
    count: int,
    starts: Floats,
    parameters: Floats,
    ends: Floats,
    outcome: Ints,
) -> int:
    """End state, and (status, number of events), of the trajectories from `first` on: one row each.

    After so many steps of all together it pauses and returns the trajectory it is at; called again with that for the
    first and the same work space, it goes on there. It returns `count` when all are done.
    """
    steps_left = pause_after
    for row in range(first, count):
        if latest(I, HALT) != 0:
            break
        status = FINISHED
        if row > first or I[STEPS] == 0:
            status = begin_row(W, I, t_start, t_end, row, starts, parameters)
        before = I[STEPS]
        if status == FINISHED:
            status = march(W, I, min(most_steps, before + steps_left), ends, ends, 0, 0, outcome)  # nothing is recorded
        if status == TOO_MANY_STEPS and I[STEPS] < most_steps:
            return row
        steps_left -= I[STEPS] - before
        note_row(W, I, row, status, ends, outcome)
    return count


def propagate_point(
    W: Floats,
    I: Ints,
    t_start: float,
    t_end: float,
    most_steps: int,
    row: int,
    starts: Floats,
    parameters: Floats,
    ends: Floats,
    outcome: Ints,
) -> None:
    """One of them, without a pause."""
    status = begin_row(W, I, t_start, t_end, row, starts, parameters)
    if status == FINISHED:
        status = march(W, I, most_steps, ends, ends, 0, 0, outcome)
    note_row(W, I, row, status, ends, outcome)


def begin_row(W: Floats, I: Ints, t_start: float, t_end: float, row: int, starts: Floats, parameters: Floats) -> int:
    """Begin a trajectory."""
    for i in range(N_STATES):
        W[STATE + i] = starts[row * N_STATES + i]
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[row * N_PARAMETERS + i]
    W[TIME] = t_start
    W[END] = t_end
    W[GUESS] = 1.0
    return begin(W, I)


def note_row(W: Floats, I: Ints, row: int, status: int, ends: Floats, outcome: Ints) -> None:
    """Where and how a trajectory ended."""
    for i in range(N_STATES):
        ends[row * N_STATES + i] = W[STATE + i]
    outcome[2 * row] = status
    outcome[2 * row + 1] = I[EVENTS]
