"""What is noted of a trajectory in lockstep while it is observed: returns, the cycle from which others are told, and in
the end what sums up the motion. See lockobserve.py.
"""

from stickslip.kernels import condition, locksection, model, observation, outcome, periods
from stickslip.kernels.lane import Lane
from stickslip.kernels.records import Floats, field


class Journal(observation.Ring):
    """The returns of the trajectory in a lane, when it is looked at, and what it had done when a cycle began."""

    next_turn: int = field("the number of the next whole period of the excitation")
    next_strobe: int = field("the number of the next strobe")
    strobe_interval: float = field("the time between strobes; not positive where there are none")
    final_time: float = field("when the observation ends, or the cycle that is travelled begins or ends")
    in_cycle: int = field("1 in the cycle that is travelled, from which others are told")
    rows_before: int = field("rows recorded before that cycle")
    returns_before: int = field("returns before it")
    events_before: float = field("changes of mode before it")
    releases_before: float = field("releases before it")
    side_before: float = field("the side of the section before it")
    stick_time_before: Floats = field("time in stick before it", model.CONTACTS)


# -- cycles ------------------------------------------------------------------------------------------------------


def plan_cycle(lane: Lane, course: observation.Course, journal: Journal, result: observation.Result) -> None:
    """When to stop first: at the end; or, where the motion repeats itself, whole cycles before it.

    One cycle is travelled from there, and the others are told from it. Where strobes have a time of their own, that
    does not tell them.
    """
    begin = course.transient_end
    end = course.end_time
    cycle = lane.cycle
    due = journal.strobe_interval <= 0.0 or journal.strobe_interval == lane.excitation_period
    cycles = float(int((end * (1.0 + observation.NEARLY) - begin) / cycle)) if cycle > 0.0 and due else 0.0
    cycles = cycles - float(locksection.SOUGHT)  # one is travelled first, to know the side that a motion comes from
    journal.in_cycle = 0
    journal.final_time = end
    if cycles < 2.0:
        lane.cycle = 0.0
        return
    journal.final_time = (end - cycles * cycle) * (1.0 + observation.JUST_PAST)
    if journal.final_time <= begin * (1.0 + observation.NEARLY):
        begin_cycle(lane, journal, result, begin)


def begin_cycle(lane: Lane, journal: Journal, result: observation.Result, time: float) -> None:
    """Note where the cycle begins that is travelled."""
    journal.in_cycle = 1
    journal.rows_before = result.rows
    journal.returns_before = journal.count
    journal.events_before = lane.events
    journal.releases_before = lane.releases
    journal.side_before = lane.section_side[0] if locksection.SOUGHT else 0.0
    for i in range(model.CONTACTS):
        journal.stick_time_before[i] = lane.stick_time[i]
    journal.final_time = (time + lane.cycle) * (1.0 + observation.JUST_PAST)


def repeat_cycle(
    lane: Lane,
    request: observation.Request,
    end: float,
    journal: Journal,
    result: observation.Result,
) -> None:
    """One cycle has been travelled: go on for as many as fit before the end, in which the same happens."""
    cycle = lane.cycle
    period = lane.excitation_period
    turns = int(cycle / period + 0.5) if period > 0.0 else 0
    events = lane.events - journal.events_before
    releases = lane.releases - journal.releases_before
    returns = journal.count - journal.returns_before
    journal.in_cycle = 0
    journal.final_time = end
    lane.cycle = 0.0
    # An event just where the cycle ends may be seen twice or not at all.
    whole = events == lane.cycle_events and (period <= 0.0 or returns == turns)
    if locksection.SOUGHT:
        whole = whole and lane.section_side[0] == journal.side_before
    if not whole or returns >= observation.RING:
        return
    cycles = int((end * (1.0 + observation.NEARLY) - lane.time) / cycle)
    observation.repeat_returns(journal, returns, cycles, cycle, int(releases))
    observation.repeat_rows(request, result, journal.rows_before, cycles, cycle)
    later = lane.time + float(cycles) * cycle
    lane.time = later if later < end * (1.0 - observation.NEARLY) else end
    lane.events += float(cycles) * events
    lane.releases += float(cycles) * releases
    journal.next_turn += cycles * turns
    journal.next_strobe += cycles * turns
    for i in range(model.CONTACTS):
        lane.stick_time[i] += float(cycles) * (lane.stick_time[i] - journal.stick_time_before[i])


# -- the end -----------------------------------------------------------------------------------------------------


def conclude(lane: Lane, request: observation.Request, journal: Journal, result: observation.Result) -> None:
    """What sums up the motion."""
    period = lane.excitation_period
    unknown = period <= 0.0 and lane.releases == 0.0
    result.status = outcome.LEFT if lane.condition != condition.ARRIVED or unknown else outcome.FINISHED
    result.changes += int(lane.events)
    result.steps = int(lane.steps)
    result.time = lane.time
    for i in range(model.STATES):
        result.lowest[i] = lane.lowest[i]
        result.highest[i] = lane.highest[i]
        result.end_state[i] = lane.state[i]
    for i in range(model.CONTACTS):
        result.stick_time[i] = lane.stick_time[i]
        result.end_mode[i] = int(lane.mode[i])
    if result.status == outcome.FINISHED:
        periods.find_period(journal, request, period, result)
