"""From release to release of one contact: where each happens, and how that changes with where the motion began.

A row of `starts` and `returns` holds a time, a state, and the derivatives of both along a curve. Derivatives of a
return are those with respect to the curve parameter of the row before it, whose derivatives are first divided by their
own length, so that none grows without end; those of a start are taken as they are.
"""

from math import sqrt

from stickslip.kernels.march import begin, march
from stickslip.kernels.model import (
    DELAY,
    DIRECTIONS,
    END,
    GUESS,
    MODE,
    N_CONTACTS,
    N_STATES,
    SAVED,
    SERIES,
    STATE,
    TIME,
    VARIATION,
    VARIED,
    WIDTH,
    Floats,
    Ints,
)
from stickslip.kernels.outcome import FINISHED, NOT_COMPUTED, PAUSED

ROW_WIDTH = 2 + 2 * N_STATES  # t, z, t′, z′


def next_releases(
    W: Floats,
    I: Ints,
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

    `outcome` is per start the status (NOT_COMPUTED where it is no release, FINISHED also where `patience` was too
    short) and the number of releases found. The last three arrays are work space: the record of one step.
    """
    for row in range(count):
        place = row * ROW_WIDTH
        W[TIME] = starts[place]
        for i in range(N_STATES):
            W[STATE + i] = starts[place + 1 + i]
        W[GUESS] = 1.0
        I[DIRECTIONS] = 1
        I[VARIED] = -1
        outcome[2 * row + 1] = 0
        status = begin(W, I)
        if status == FINISHED and I[MODE + contact] != side:
            status = NOT_COMPUTED
        if status == FINISHED:
            for i in range(N_STATES):
                delayed = starts[place + 1 + N_STATES] * W[SERIES + i * WIDTH + 1]
                W[VARIATION + i] = starts[place + 2 + N_STATES + i] - delayed
            W[END] = W[TIME] + patience
            status = PAUSED
        while status == PAUSED and outcome[2 * row + 1] < turns:
            filled[0] = 0
            filled[1] = 0
            status = march(W, I, most_steps, steps, events, 1, N_CONTACTS, filled)  # pauses after one step
            if filled[1] > 0 and is_release(I, contact, side, modes):
                note_return(W, returns, (row * turns + outcome[2 * row + 1]) * ROW_WIDTH)
                outcome[2 * row + 1] += 1
                W[END] = W[TIME] + patience
                status = PAUSED
        outcome[2 * row] = FINISHED if status == PAUSED else status


def is_release(I: Ints, contact: int, side: int, modes: Ints) -> bool:
    """Whether the event just passed is the one that is waited for."""
    if I[MODE + contact] != side:
        return False
    for i in range(N_CONTACTS):
        if I[SAVED + i] != modes[i]:
            return False
    return True


def note_return(W: Floats, returns: Floats, place: int) -> None:
    """Time and state of a release with their derivatives; the direction goes on with length one."""
    late = W[DELAY]
    returns[place] = W[TIME]
    returns[place + 1 + N_STATES] = late
    total = late * late
    for i in range(N_STATES):
        change = W[VARIATION + i] + W[SERIES + i * WIDTH + 1] * late
        returns[place + 1 + i] = W[STATE + i]
        returns[place + 2 + N_STATES + i] = change
        total += change * change
    if total > 0.0:
        for i in range(N_STATES):
            W[VARIATION + i] /= sqrt(total)
