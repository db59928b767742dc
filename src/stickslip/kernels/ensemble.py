"""Many trajectories, one after another, keeping only where each ends."""

from stickslip.kernels.machine import latest
from stickslip.kernels.march import begin, march
from stickslip.kernels.model import END, EVENTS, GUESS, HALT, N_PARAMETERS, N_STATES, STATE, TIME, Floats, Ints, P
from stickslip.kernels.outcome import FINISHED


def propagate(
    W: Floats,
    I: Ints,
    t_start: float,
    t_end: float,
    most_steps: int,
    count: int,
    starts: Floats,
    parameters: Floats,
    ends: Floats,
    outcome: Ints,
) -> None:
    """End state, and (status, number of events), of every trajectory: one row each."""
    for row in range(count):
        if latest(I, HALT) != 0:
            break
        propagate_point(W, I, t_start, t_end, most_steps, row, starts, parameters, ends, outcome)


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
    """One of them."""
    for i in range(N_STATES):
        W[STATE + i] = starts[row * N_STATES + i]
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[row * N_PARAMETERS + i]
    W[TIME] = t_start
    W[END] = t_end
    W[GUESS] = 1.0
    status = begin(W, I)
    if status == FINISHED:
        status = march(W, I, most_steps, ends, ends, 0, 0, outcome)  # nothing is recorded
    for i in range(N_STATES):
        ends[row * N_STATES + i] = W[STATE + i]
    outcome[2 * row] = status
    outcome[2 * row + 1] = I[EVENTS]
