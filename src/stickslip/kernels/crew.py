"""Trajectories in lockstep on a GPU: every thread carries one, in its column of the rows B of the block.

A column is a lane, and LANES the number of threads of a block. The threads of a warp are a crew: neighbours that begin
together often do the same at the same time, which is quickest. So they take points from the queue when all of them have
ended, or when the first that has ended has waited for a part of its time.
"""

from stickslip.kernels.lockensemble import enter, has_ended, leave
from stickslip.kernels.lockstep import PARKED
from stickslip.kernels.lockwatch import attend, finish, hold, put_aside, take_up, transient_period
from stickslip.kernels.machine import LANES
from stickslip.kernels.model import (
    CONDITION,
    FLOATS,
    INTEGERS,
    LANE_ROWS,
    Floats,
    Ints,
    travel_tick,
    watch_tick,
)
from stickslip.kernels.observe import HISTORY, HISTORY_WIDTH, MOST_STEPS, TALLY
from stickslip.kernels.warp import (
    add_to_common,
    block_index,
    count_bits,
    count_bits_before,
    floats_from,
    floats_of_block,
    floats_of_thread,
    from_first_of_warp,
    ints_of_thread,
    is_first_of_warp,
    thread_index,
    votes,
    warp_size,
)

TASK, BUSY, BEGINS, MORE, TICKS_GONE, DEADLINE = range(6)
CREW = 6
"""What a thread knows of itself and its crew: the point it carries, whether it carries one, and has just taken it;
whether there may be more points, how many ticks ago some were taken, and at which tick some are taken again."""

FAR_OFF = 1 << 60
"""A tick that never comes."""

PART = 4
"""The part of its time that a thread waits for the others, one in so many ticks."""


def travel_kernel(
    queue: Ints,
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
    """As `propagate_lanes`."""
    W = floats_of_thread(FLOATS)
    I = ints_of_thread(INTEGERS)
    B = floats_of_block(LANE_ROWS * LANES)
    crew = ints_of_thread(CREW)
    lane = thread_index()
    clear_work(W, I)
    assemble(B, lane, crew)
    while goes_on(B, lane, crew, queue, count):
        if crew[BEGINS] != 0:
            enter(
                W, I, B, lane, t_start, t_end, log_tolerance, patience, most_steps, crew[TASK], starts, parameters,
                periods[crew[TASK]],
            )  # fmt: skip
        ended = False
        if travel_tick(B, lane) and crew[BUSY] != 0:
            ended = has_ended(B, lane)
            if ended:
                leave(B, lane, ends, outcome)
        note_ended(B, lane, crew, ended)


def transient_kernel(
    queue: Ints,
    kept: Floats,
    log_tolerance: float,
    patience: float,
    choice: Ints,
    count: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
) -> None:
    """The first half of `observe_lanes`: all transients."""
    W = floats_of_thread(FLOATS)
    I = ints_of_thread(INTEGERS)
    B = floats_of_block(LANE_ROWS * LANES)
    crew = ints_of_thread(CREW)
    lane = thread_index()
    clear_work(W, I)
    assemble(B, lane, crew)
    while goes_on(B, lane, crew, queue, count):
        if crew[BEGINS] != 0:
            point = crew[TASK]
            hold(W, I, point, starts, held, parameters, times)
            enter(
                W, I, B, lane, 0.0, times[3 * point], log_tolerance, patience, float(choice[MOST_STEPS]), point,
                starts, parameters, transient_period(choice, times, point),
            )  # fmt: skip
        ended = False
        if travel_tick(B, lane) and crew[BUSY] != 0:
            ended = has_ended(B, lane)
            if ended:
                put_aside(B, lane, kept)
        note_ended(B, lane, crew, ended)


def watch_kernel(
    queue: Ints,
    kept: Floats,
    choice: Ints,
    settings: Floats,
    count: int,
    times: Floats,
    histories: Floats,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """The second half: what is observed. Every thread has a ring of returns in `histories`."""
    history = floats_from(histories, block_index() * LANES * HISTORY * HISTORY_WIDTH)
    tally = ints_of_thread(TALLY)
    B = floats_of_block(LANE_ROWS * LANES)
    crew = ints_of_thread(CREW)
    lane = thread_index()
    assemble(B, lane, crew)
    while goes_on(B, lane, crew, queue, count):
        if crew[BEGINS] != 0:
            take_up(B, lane, crew[TASK], kept, choice, settings, times, numbers, measures)
        ended = False
        if watch_tick(B, lane) and crew[BUSY] != 0:
            ended = attend(B, lane, choice, times, history, rows, numbers, measures)
            if ended:
                finish(B, lane, settings, history, tally, numbers, measures)
        note_ended(B, lane, crew, ended)


def clear_work(W: Floats, I: Ints) -> None:
    """All zero, as on the CPU: generated functions do not write what is always zero."""
    for i in range(FLOATS):
        W[i] = 0.0
    for i in range(INTEGERS):
        I[i] = 0


def assemble(B: Floats, lane: int, crew: Ints) -> None:
    """Nobody carries a point, and there are some."""
    B[CONDITION * LANES + lane] = PARKED
    crew[TASK] = 0
    crew[BUSY] = 0
    crew[BEGINS] = 0
    crew[MORE] = 1
    crew[TICKS_GONE] = 0
    crew[DEADLINE] = FAR_OFF


def goes_on(B: Floats, lane: int, crew: Ints, queue: Ints, count: int) -> bool:
    """Whether any of the crew carries a point; those that do not take one if it is time for that."""
    travelling = counted(crew[BUSY] != 0)
    crew[BEGINS] = 0
    if crew[MORE] != 0 and travelling < warp_size() and (travelling == 0 or crew[TICKS_GONE] >= crew[DEADLINE]):
        following = taken(queue, crew[BUSY] == 0)
        if crew[BUSY] == 0 and following < count:
            crew[TASK] = following
            crew[BUSY] = 1
            crew[BEGINS] = 1
        travelling = counted(crew[BUSY] != 0)
        crew[MORE] = 1 if travelling == warp_size() else 0
        crew[TICKS_GONE] = 0
        crew[DEADLINE] = FAR_OFF
    crew[TICKS_GONE] += 1
    return travelling > 0


def note_ended(B: Floats, lane: int, crew: Ints, ended: bool) -> None:
    """A thread whose trajectory has ended waits; how long, the first of them decides for all."""
    if ended:
        crew[BUSY] = 0
        B[CONDITION * LANES + lane] = PARKED
    if counted(ended) > 0:
        crew[DEADLINE] = min(crew[DEADLINE], crew[TICKS_GONE] + crew[TICKS_GONE] // PART)


def counted(condition: bool) -> int:
    """In how many threads of the crew the condition holds."""
    return count_bits(votes(condition))


def taken(queue: Ints, wanted: bool) -> int:
    """The next points of a queue, one for each thread of the crew that wants one."""
    asking = votes(wanted)
    first = 0
    if is_first_of_warp():
        first = add_to_common(queue, 0, count_bits(asking))
    return from_first_of_warp(first) + count_bits_before(asking)
