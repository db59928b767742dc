"""Trajectories on a GPU, one per thread, each marched by itself, to its end or observed."""

from stickslip.kernels.ensemble import propagate_point
from stickslip.kernels.march import EVENT_WIDTH, STEP_WIDTH
from stickslip.kernels.model import FLOATS, HALT, INTEGERS, N_CONTACTS, TOLERANCE, Floats, Ints
from stickslip.kernels.observe import HISTORY, HISTORY_WIDTH, TALLY, observe_point
from stickslip.kernels.warp import block_index, block_size, floats_of_thread, ints_of_thread, thread_index


def propagate_kernel(
    rtol: float,
    t_start: float,
    t_end: float,
    most_steps: int,
    count: int,
    starts: Floats,
    parameters: Floats,
    ends: Floats,
    outcome: Ints,
) -> None:
    """As `propagate`, without a pause."""
    point = block_index() * block_size() + thread_index()
    if point >= count:
        return
    W = floats_of_thread(FLOATS)
    I = ints_of_thread(INTEGERS)
    for i in range(FLOATS):
        W[i] = 0.0
    for i in range(INTEGERS):
        I[i] = 0
    W[TOLERANCE] = rtol
    propagate_point(W, I, t_start, t_end, most_steps, point, starts, parameters, ends, outcome)


def observe_kernel(
    choice: Ints,
    settings: Floats,
    count: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """As `observe`."""
    point = block_index() * block_size() + thread_index()
    if point >= count:
        return
    W = floats_of_thread(FLOATS)
    I = ints_of_thread(INTEGERS)
    I[HALT] = 0
    steps = floats_of_thread(STEP_WIDTH)
    events = floats_of_thread((N_CONTACTS + 1) * EVENT_WIDTH)
    filled = ints_of_thread(2)
    history = floats_of_thread(2 * HISTORY * HISTORY_WIDTH)
    tally = ints_of_thread(TALLY)
    observe_point(
        W, I, choice, settings, point, starts, held, parameters, times, steps, events, filled, history, tally,
        rows, numbers, measures,
    )  # fmt: skip
