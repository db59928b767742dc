"""Trajectories in lockstep on a GPU: every thread carries one, in its lane, and takes another one when it has ended.

Before that boarding.py has put all of them where they are kept, ready to go.

The threads of a warp are a crew. Neighbours that begin together often do the same at the same time, which is quickest,
so they take trajectories from the queue when all of theirs have ended, or when the first that has ended has waited for
a part of its time.

Parameters in OF_THREAD are memory that every thread has to itself, as many records as are said; those in OF_BLOCK have
a record for each of its threads, which lie interleaved.
"""

from stickslip.kernels import condition, lockensemble, lockjournal, lockobserve, lockstep, machine, observation, warp
from stickslip.kernels.convoy import Convoy
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.records import Interleaved, Ints, Record, Records, field

OF_THREAD = {"crew": 1}
OF_BLOCK = ("lanes",)

PART = 4
"""A thread waits for the others for a part of the ticks that its trajectory took: one in so many."""


class Crew(Record):
    """What a thread knows of itself and its crew."""

    busy: int = field("1 if it carries a trajectory")
    begins: int = field("1 if it has just taken it")
    more: int = field("1 if there may be more in the queue")
    ticks: int = field("since trajectories were taken; while some wait, negative: until they are taken again")


class Queue(Record):
    """Trajectories that wait, one after another."""

    following: Ints = field("the one that is taken next", 1)
    end: int = field("the one that is not among them any more")


def travel_kernel(crew: Crew, lanes: Interleaved[Lane], queue: Queue, kept: Records[Lane]) -> None:
    """Take trajectories from where they are kept to their ends, or to those of their transients."""
    lane = lanes[warp.thread_index()]
    assemble(crew, lane)
    while goes_on(crew, lane, queue):
        if crew.begins == 1:
            lockobserve.copy(kept[int(lane.number)], lane)
        ended = False
        if advance_thread(lanes, warp.thread_index()) and crew.busy == 1:
            ended = lockensemble.has_ended(lane)
            if ended:
                lockobserve.copy(lane, kept[int(lane.number)])
        note_ended(crew, lane, ended)


def watch_kernel(
    crew: Crew,
    lanes: Interleaved[Lane],
    queue: Queue,
    convoy: Convoy,
    courses: Records[observation.Course],
    kept: Records[Lane],
    journals: Records[lockjournal.Journal],
    rows: Records[observation.Row],
    results: Records[observation.Result],
) -> None:
    """As `go_on_observed`. It has many arguments, since a kernel finds all that it works on among them."""
    lane = lanes[warp.thread_index()]
    journal = journals[warp.block_index() * machine.LANES + warp.thread_index()]
    assemble(crew, lane)
    while goes_on(crew, lane, queue):
        if crew.begins == 1:
            number = int(lane.number)
            lockobserve.copy(kept[number], lane)
            results[number].first_row = number * convoy.most_rows
            lockobserve.begin_observation(lane, convoy, courses[number], journal, results[number])
        ended = False
        if advance_thread(lanes, warp.thread_index()) and crew.busy == 1:
            number = int(lane.number)
            ended = lockobserve.observe_tick(lane, convoy, courses[number], journal, rows, results[number])
            if ended:
                lockjournal.conclude(lane, convoy, journal, results[number])
        note_ended(crew, lane, ended)


def advance_thread(lanes: Interleaved[Lane], place: int) -> bool:
    """One tick of a thread's own lane; whether it needs attention. Targets write `advance` out for this."""
    return lockstep.advance(lanes[place], Tick())


def assemble(crew: Crew, lane: Lane) -> None:
    """Nobody carries anything, and there is something in the queue."""
    lane.condition = condition.PARKED
    crew.busy = 0
    crew.more = 1
    crew.ticks = 0


def goes_on(crew: Crew, lane: Lane, queue: Queue) -> bool:
    """Whether any of the crew carries a trajectory; those that do not take one if it is time for that."""
    travelling = counted(crew.busy == 1)
    crew.begins = 0
    if crew.more == 1 and travelling < warp.warp_size() and (travelling == 0 or crew.ticks == 0):
        following = taken(queue, crew.busy == 0)
        if crew.busy == 0 and following < queue.end:
            lane.number = float(following)
            crew.busy = 1
            crew.begins = 1
        travelling = counted(crew.busy == 1)
        crew.more = 1 if travelling == warp.warp_size() else 0
        crew.ticks = 0
    crew.ticks += 1
    return travelling > 0


def note_ended(crew: Crew, lane: Lane, ended: bool) -> None:
    """A thread whose trajectory has ended waits; how long, the first of them decides for all."""
    if ended:
        crew.busy = 0
        lane.condition = condition.PARKED
    if counted(ended) > 0 and crew.ticks > 0:
        crew.ticks = -(crew.ticks // PART)


def counted(holds: bool) -> int:
    """In how many threads of the crew the condition holds."""
    return warp.count_bits(warp.votes(holds))


def taken(queue: Queue, wanted: bool) -> int:
    """The next in the queue, one for each thread of the crew that wants one."""
    asking = warp.votes(wanted)
    first = 0
    if warp.is_first_of_warp():
        first = warp.add_to_common(queue.following, 0, warp.count_bits(asking))
    return warp.from_first_of_warp(first) + warp.count_bits_before(asking)
