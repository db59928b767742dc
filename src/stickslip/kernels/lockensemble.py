"""Many trajectories in lockstep from their start to a time: each lane takes one after another. See lockstep.py."""

from stickslip.kernels.lockevents import LARGEST
from stickslip.kernels.lockrepeat import begin_marks, skip_cycles
from stickslip.kernels.lockstep import ARRIVED, PARKED, RUNNING, UNKNOWN
from stickslip.kernels.machine import LANES, latest
from stickslip.kernels.model import (
    AFTER,
    AGAIN,
    ALLOWED,
    BEFORE,
    CALM,
    CONDITION,
    END,
    EVENTS,
    EXCITATION,
    FRESH,
    GUESS,
    HALT,
    HEED,
    KEPT,
    LANE_ROWS,
    LATELY,
    LIMIT,
    LOG_TOLERANCE,
    MODE,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    PATIENCE,
    POINT,
    SIGN,
    STATE,
    TIME,
    Floats,
    Ints,
    P,
    Q,
    V,
    constants,
    ingredients,
    lane_tick,
)
from stickslip.kernels.outcome import FINISHED, LEFT


def propagate_lanes(
    W: Floats,
    I: Ints,
    B: Floats,
    t_start: float,
    t_end: float,
    log_tolerance: float,
    patience: float,
    most_steps: float,
    count: int,
    starts: Floats,
    parameters: Floats,
    periods: Floats,
    ends: Floats,
    outcome: Ints,
) -> None:
    """End state, and (status, number of events), of every trajectory, LEFT where one was given up.

    `periods` are those of the excitation: 0 where there is none, negative where repetitions are not to be looked for.
    """
    following = 0
    travelling = 0
    for lane in range(LANES):
        B[CONDITION * LANES + lane] = PARKED
    news = True
    while (news or travelling > 0) and latest(I, HALT) == 0:
        for lane in range(LANES if news else 0):
            if has_ended(B, lane):
                leave(B, lane, ends, outcome)
                B[CONDITION * LANES + lane] = PARKED
                travelling -= 1
            if B[CONDITION * LANES + lane] == PARKED and following < count:
                enter(
                    W, I, B, lane, t_start, t_end, log_tolerance, patience, most_steps, following, starts, parameters,
                    periods[following],
                )  # fmt: skip
                following += 1
                travelling += 1
        news = travelling > 0 and lane_tick(B)


def has_ended(B: Floats, lane: int) -> bool:
    """Whether a trajectory that is not observed has come to its end; one that repeats itself is brought near to it."""
    if B[CONDITION * LANES + lane] == RUNNING and B[AGAIN * LANES + lane] > 0.0:
        skip_cycles(B, lane)
    B[AGAIN * LANES + lane] = 0.0
    return B[CONDITION * LANES + lane] > RUNNING


def enter(
    W: Floats,
    I: Ints,
    B: Floats,
    lane: int,
    t_start: float,
    t_end: float,
    log_tolerance: float,
    patience: float,
    most_steps: float,
    point: int,
    starts: Floats,
    parameters: Floats,
    period: float,
) -> None:
    """Put a trajectory into a lane: as `begin` of march.py, except that the modes are settled by the first ticks."""
    for i in range(KEPT):
        W[i] = 0.0
    largest = 0.0
    for i in range(N_STATES):
        W[STATE + i] = starts[point * N_STATES + i]
        W[LATELY + i] = abs(W[STATE + i])
        largest = max(largest, abs(W[STATE + i]))
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[point * N_PARAMETERS + i]
    W[TIME] = t_start
    constants(W)
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
    ingredients(W, I)
    for i in range(N_CONTACTS):
        v = W[V + i]
        at_rest = abs(v) <= 1e-15 * largest
        W[FRESH + i] = 1.0 if at_rest else 0.0
        W[SIGN + i] = 0.0 if at_rest else (1.0 if v > 0.0 else -1.0)
        W[BEFORE + i] = UNKNOWN if at_rest else W[SIGN + i]
    W[END] = t_end
    W[GUESS] = 1.0
    W[LIMIT] = LARGEST
    W[LOG_TOLERANCE] = log_tolerance
    W[ALLOWED] = most_steps
    W[POINT] = point
    W[HEED] = LARGEST
    W[CALM] = 0.0
    W[AFTER] = 0.0
    W[PATIENCE] = patience
    W[EXCITATION] = period
    begin_marks(W, period >= 0.0)
    for i in range(KEPT):
        B[i * LANES + lane] = W[i]
    for i in range(LANE_ROWS - KEPT):
        B[(KEPT + i) * LANES + lane] = W[Q + i]


def leave(B: Floats, lane: int, ends: Floats, outcome: Ints) -> None:
    """Take down where a trajectory ended."""
    point = int(B[POINT * LANES + lane])
    for i in range(N_STATES):
        ends[point * N_STATES + i] = B[(STATE + i) * LANES + lane]
    outcome[2 * point] = FINISHED if B[CONDITION * LANES + lane] == ARRIVED else LEFT
    outcome[2 * point + 1] = int(B[EVENTS * LANES + lane])
