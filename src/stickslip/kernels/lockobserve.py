"""Many trajectories in lockstep, each observed after a transient: what `observe.py` gives, for most observations.

First all transients are run, then all observed parts; between them a trajectory is a row of `kept`. The tick whose step
passes a time at which the state is wanted, a strobe or a whole period of the excitation, takes it down; a step on which
there would be two such times ends at the second. Where the transient has shown that the motion repeats itself, one
cycle is observed, and as many as fit are told from it. What needs the polynomials of steps for more (the period of a
motion that neither sticks nor is excited) is left to `observe.py`.
"""

from stickslip.kernels import (
    condition,
    lockensemble,
    lockjournal,
    lockmemory,
    locksection,
    lockstep,
    model,
    observation,
    observe,
)
from stickslip.kernels import convoy as queue
from stickslip.kernels.lane import Lane
from stickslip.kernels.records import Floats, Interleaved, Records
from stickslip.kernels.trajectory import Trajectory


def travel_transients(
    convoy: queue.Convoy,
    trajectory: Trajectory,
    lanes: Interleaved[Lane],
    courses: Records[observation.Course],
    kept: Records[Lane],
) -> None:
    """Take all trajectories to the ends of their transients, where they are kept.

    The states at the start become those with the contacts at rest that are held. `trajectory` and the lanes are work
    space.
    """
    queue.assemble(convoy, lanes)
    while queue.is_under_way(convoy):
        for i in range(queue.lanes_to_check(convoy)):
            lane = lanes[i]
            if lockensemble.has_ended(lane):
                copy(lane, kept[int(lane.number)])
                queue.leave(convoy, lane)
            if queue.takes_up(convoy, lane):
                depart(trajectory, lane, convoy, courses[int(lane.number)])
        convoy.attention = 1 if convoy.travelling > 0 and lockstep.advance_all(lanes) else 0


def depart(trajectory: Trajectory, lane: Lane, convoy: queue.Convoy, course: observation.Course) -> None:
    """Let a trajectory begin in a lane; repetitions are not looked for where every cycle is to be travelled."""
    observe.prepare(trajectory, convoy, course)
    lockensemble.enter(trajectory, lane, convoy, course.excitation_period if convoy.shortcut == 1 else -1.0)


def go_on_observed(
    convoy: queue.Convoy,
    lanes: Interleaved[Lane],
    courses: Records[observation.Course],
    kept: Records[Lane],
    journals: Records[lockjournal.Journal],
    rows: Records[observation.Row],
    results: Records[observation.Result],
) -> None:
    """Observe them from there on. LEFT is the status of those that were given up.

    Work space are the lanes with a journal each. What is kept stays as it is, so that it may be observed again.
    """
    queue.assemble(convoy, lanes)
    while queue.is_under_way(convoy):
        for i in range(queue.lanes_to_check(convoy)):
            lane = lanes[i]
            journal = journals[i]
            if lane.condition != condition.PARKED:
                number = int(lane.number)
                if observe_tick(lane, convoy, courses[number], journal, rows, results[number]):
                    lockjournal.conclude(lane, convoy, journal, results[number])
                    queue.leave(convoy, lane)
            if queue.takes_up(convoy, lane):
                number = int(lane.number)
                copy(kept[number], lane)
                results[number].first_row = number * convoy.most_rows
                begin_observation(lane, convoy, courses[number], journal, results[number])
        convoy.attention = 1 if convoy.travelling > 0 and lockstep.advance_all(lanes) else 0


def copy(source: Lane, to: Lane) -> None:
    """The same in another place."""
    for i in range(Lane.FLOATS):
        to.floats[i] = source.floats[i]


def begin_observation(
    lane: Lane,
    request: observation.Request,
    course: observation.Course,
    journal: lockjournal.Journal,
    result: observation.Result,
) -> None:
    """Go on with a trajectory after its transient."""
    period = course.excitation_period
    interval = observation.strobe_interval(request, period)
    lane.observed = 1.0
    lane.reported = changes_wanted(request, period)
    lane.excitation_period = period
    lane.releases = 0.0
    for i in range(model.CONTACTS):
        lane.change[i] = 0.0
    for i in range(model.STATES):
        lane.lowest[i] = lane.state[i]
        lane.highest[i] = lane.state[i]
    is_rate = request.kind == observation.MAXIMA
    locksection.begin_section(lane, request.which, request.level, is_rate, request.direction)
    journal.count = 0
    journal.strobe_interval = interval
    journal.next_turn = observation.next_multiple(course.transient_end, period) if period > 0.0 else 0
    journal.next_strobe = observation.next_multiple(course.transient_end, interval) if interval > 0.0 else 0
    observation.begin_result(result, lane.state)
    result.changes = -int(lane.events)
    lockjournal.plan_cycle(lane, course, journal, result)
    if lane.condition == condition.ARRIVED:
        lane.condition = condition.RUNNING
        set_stop(lane, journal)


def changes_wanted(request: observation.Request, period: float) -> float:
    """Which changes of mode are reported; without excitation the motion returns at a release."""
    releases = request.releases == 1 or period <= 0.0
    if request.reversals == 1 or (request.stops == 1 and releases):
        return condition.ANY_CHANGE
    if request.stops == 1:
        return condition.STOPPED
    return condition.RELEASED if releases else condition.ENDLESS


def set_stop(lane: Lane, journal: lockjournal.Journal) -> None:
    """The state is wanted next at a strobe or a whole period of the excitation; a step ends where it would be wanted
    a second time, or at the end."""
    turn = multiple(journal.next_turn, lane.excitation_period)
    strobe = multiple(journal.next_strobe, journal.strobe_interval)
    stop = min(turn, strobe)
    if turn == stop:
        turn = multiple(journal.next_turn + 1, lane.excitation_period)
    if strobe == stop:
        strobe = multiple(journal.next_strobe + 1, journal.strobe_interval)
    lane.stop_time = stop
    lane.end_time = min(min(turn, strobe), journal.final_time)


def multiple(number: int, interval: float) -> float:
    """So many times an interval; a time that never comes where there is none."""
    return float(number) * interval if interval > 0.0 else condition.ENDLESS


def observe_tick(
    lane: Lane,
    request: observation.Request,
    course: observation.Course,
    journal: lockjournal.Journal,
    rows: Records[observation.Row],
    result: observation.Result,
) -> bool:
    """Take note of changes of mode, and of the state where it was wanted; whether the trajectory has ended."""
    lockmemory.enter_modes(lane)
    note_changes(lane, request, journal, rows, result)
    if lane.condition > condition.ARRIVED:
        return True
    if locksection.SOUGHT and lane.crossing[0] > 0.0:
        observation.add_row(rows, request, result, lane.stop_time, lane.stop_state)
        lane.crossing[0] = 0.0
        set_stop(lane, journal)
    if lane.stop_time <= lane.time:
        note_stop(lane, request, journal, rows, result, lane.stop_state)
        while lane.stop_time <= lane.time:  # a second one is where the step ends
            note_stop(lane, request, journal, rows, result, lane.state)
    if lane.time >= journal.final_time and lane.cycle > 0.0:
        if journal.in_cycle == 0:
            lockjournal.begin_cycle(lane, journal, result, journal.final_time)
        else:
            lockjournal.repeat_cycle(lane, request, course.end_time, journal, result)
        set_stop(lane, journal)
    ended = lane.time >= journal.final_time
    lane.condition = condition.ARRIVED if ended else condition.RUNNING
    return ended


def note_changes(
    lane: Lane,
    request: observation.Request,
    journal: lockjournal.Journal,
    rows: Records[observation.Row],
    result: observation.Result,
) -> None:
    """Take note of the changes of mode at the last event; without excitation, the motion returns at releases."""
    for i in range(model.CONTACTS):
        changed = lane.change[i] > 0.0
        released = lane.change[i] == condition.RELEASED
        stopped = lane.change[i] == condition.STOPPED
        lane.change[i] = 0.0
        if released and lane.excitation_period <= 0.0:
            observation.add_return(journal, lane.event_time, i, int(lane.releases), lane.event_state)
        if changed and observation.is_wanted(request, i, released, stopped):
            mode = int(lane.mode_before[i])  # what it has settled to; another event may have come on the same tick
            observation.add_change(rows, request, result, lane.event_time, i, mode, lane.event_state)


def note_stop(
    lane: Lane,
    request: observation.Request,
    journal: lockjournal.Journal,
    rows: Records[observation.Row],
    result: observation.Result,
    state: Floats,
) -> None:
    """Take note of the state at a strobe, or at a whole period of the excitation."""
    stop = lane.stop_time
    if multiple(journal.next_strobe, journal.strobe_interval) == stop:
        observation.add_row(rows, request, result, stop, state)
        journal.next_strobe += 1
    if multiple(journal.next_turn, lane.excitation_period) == stop:
        observation.add_return(journal, stop, observation.NO_CONTACT, int(lane.releases), state)
        journal.next_turn += 1
    set_stop(lane, journal)
