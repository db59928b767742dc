"""Motions that repeat themselves, in the march: whole cycles of them need not be travelled.

As in lockstep (lockrepeat.py, which says when a motion is taken to repeat itself): at some releases the state is
marked; where it is there again at a later release, in the same modes and at the same phase of the excitation, and no
farther off than the time before, the motion has a cycle. The transient then goes on at once for as many cycles as fit
before its end. Of the observed part what is left over is travelled, then one cycle, and all others are told from it.
"""

from stickslip.kernels import clock, march, model, observation, outcome, recurrence
from stickslip.kernels.observation import Course, Request, Result, Ring, Tally
from stickslip.kernels.trajectory import Trajectory

NOWHERE = 1e300  # a state that no motion comes to

WITHOUT_MEMORY = model.DRAWS == 0 and model.STORE == 0
"""Whether the motion follows from its state: what chance or a store holds is no state."""


def begin_marks(trajectory: Trajectory, request: Request, course: Course, tally: Tally) -> None:
    """No mark yet; the first is set at the first release, or never."""
    wanted = WITHOUT_MEMORY and request.shortcut == 1 and course.excitation_period >= 0.0
    tally.cycle = 0.0
    tally.mark_events = -recurrence.MARK_AFTER if wanted else NOWHERE
    tally.mark_miss = -1.0
    for i in range(model.STATES):
        tally.mark_state[i] = NOWHERE
        tally.recent_size[i] = abs(trajectory.state[i])


def travel(trajectory: Trajectory, request: Request, course: Course, tally: Tally) -> int:
    """Advance to the end time, and keep nothing; cycles are left out once there are some. FINISHED, or why not."""
    while clock.time_left(trajectory) > 0.0:
        status = march.take_step(trajectory, request.most_steps)
        if status == outcome.FINISHED:
            status = march.end_step(trajectory)
        if status != outcome.FINISHED:
            return status
        if tally.mark_events < NOWHERE:
            for i in range(model.STATES):
                tally.recent_size[i] = max(abs(trajectory.state[i]), recurrence.FADING * tally.recent_size[i])
            if trajectory.changed == 1 and is_released(trajectory):
                note_recurrence(trajectory, course.excitation_period, tally)
    return outcome.FINISHED


def is_released(trajectory: Trajectory) -> bool:
    """Whether a contact was released at the last event."""
    released = False
    for i in range(model.CONTACTS):
        released = released or (trajectory.mode_before[i] == 0 and trajectory.mode[i] != 0)
    return released


def note_recurrence(trajectory: Trajectory, excitation_period: float, tally: Tally) -> None:
    """Whether a motion that is being released was here before: then leave out cycles; else mark it, where due."""
    near = recurrence.NEARER * trajectory.tolerance
    same = True
    miss = 0.0
    size = 0.0
    for i in range(model.STATES):
        distance = abs(trajectory.state[i] - tally.mark_state[i])
        same = same and distance <= near * tally.recent_size[i]
        miss += distance
        size += tally.recent_size[i]
    for i in range(model.CONTACTS):
        same = same and trajectory.mode[i] == tally.mark_mode[i]
    if same and miss <= max(tally.mark_miss, recurrence.ROUND_OFF * size):
        between = trajectory.time - tally.mark_time
        cycle = whole_cycle(between, excitation_period, near)
        if cycle > recurrence.SHORTEST * clock.time_left(trajectory):
            skip_cycles(trajectory, tally, cycle)
            return
    due = float(trajectory.events) >= recurrence.MARK_GROWTH * tally.mark_events + recurrence.MARK_AFTER
    if due or same:
        for i in range(model.STATES):
            tally.mark_state[i] = trajectory.state[i]
        for i in range(model.CONTACTS):
            tally.mark_mode[i] = trajectory.mode[i]
        tally.mark_time = trajectory.time
        tally.mark_events = float(trajectory.events)
        tally.mark_miss = miss if same else -1.0


def whole_cycle(between: float, period: float, near: float) -> float:
    """The time after which a motion repeats itself that was the same after the time `between`; 0 if it does not."""
    if period <= 0.0:
        return between
    whole = float(int(between / period + 0.5)) * period
    return whole if abs(between - whole) <= near * period else 0.0


def skip_cycles(trajectory: Trajectory, tally: Tally, cycle: float) -> None:
    """Go on for as many cycles as fit before the end; no more marks are needed."""
    tally.cycle = cycle
    tally.cycle_events = trajectory.events - int(tally.mark_events)
    tally.mark_events = NOWHERE
    cycles = int(clock.time_left(trajectory) / cycle)
    later = float(cycles) * cycle
    if later < clock.time_left(trajectory):
        clock.advance_clock(trajectory, later)
        trajectory.last_event_time += later
        trajectory.events += cycles * tally.cycle_events


# -- the observed part -------------------------------------------------------------------------------------------


def cycles_to_repeat(request: Request, course: Course, tally: Tally) -> int:
    """How many cycles follow from one that is travelled, which is among them; 0 where all is travelled.

    Where strobes have a time of their own, a cycle does not tell them. Whether a crossing is one depends on the side
    that the motion was on before: one cycle more is travelled first to know that, whatever is recorded, so that what
    sums up the motion is the same to the last bit.
    """
    interval = observation.strobe_interval(request, course.excitation_period)
    if tally.cycle <= 0.0 or (interval > 0.0 and interval != course.excitation_period):
        return 0
    return int((course.end_time * (1.0 + observation.NEARLY) - course.transient_end) / tally.cycle) - 1


def cycle_start(course: Course, tally: Tally, cycles: int) -> float:
    """When the cycle begins that is travelled: as late as all of them fit, or where the observation begins."""
    start = (course.end_time - float(cycles) * tally.cycle) * (1.0 + observation.JUST_PAST)
    return start if start > course.transient_end * (1.0 + observation.NEARLY) else course.transient_end


def begin_cycle(trajectory: Trajectory, tally: Tally, ring: Ring, result: Result) -> None:
    """Note what there is where the cycle begins, and let it end after it."""
    tally.rows_before = result.rows
    tally.returns_before = ring.count
    tally.events_before = trajectory.events
    tally.releases_before = tally.releases
    tally.side_before = tally.side
    for i in range(model.CONTACTS):
        tally.stick_time_before[i] = result.stick_time[i]
    trajectory.end_time = (trajectory.time + tally.cycle) * (1.0 + observation.JUST_PAST)


def repeat_cycle(
    trajectory: Trajectory, request: Request, course: Course, tally: Tally, ring: Ring, result: Result
) -> None:
    """One cycle has been travelled: go on for as many as fit before the end, in which the same happens."""
    cycle = tally.cycle
    end = course.end_time
    period = course.excitation_period
    turns = int(cycle / period + 0.5) if period > 0.0 else 0
    events = trajectory.events - tally.events_before
    releases = tally.releases - tally.releases_before
    returns = ring.count - tally.returns_before
    trajectory.end_time = end
    # An event just where the cycle ends may be seen twice or not at all: then all is travelled.
    whole = events == tally.cycle_events and (period <= 0.0 or returns == turns) and tally.side == tally.side_before
    if not whole or returns >= observation.RING:
        return
    cycles = int((end * (1.0 + observation.NEARLY) - trajectory.time) / cycle)
    observation.repeat_returns(ring, returns, cycles, cycle, releases)
    observation.repeat_rows(request, result, tally.rows_before, cycles, cycle)
    later = trajectory.time + float(cycles) * cycle
    clock.set_clock(trajectory, later if later < end * (1.0 - observation.NEARLY) else end)
    trajectory.last_event_time += float(cycles) * cycle
    trajectory.events += cycles * events
    tally.releases += cycles * releases
    tally.next_turn += cycles * turns
    tally.next_strobe += cycles * turns
    for i in range(model.CONTACTS):
        result.stick_time[i] += float(cycles) * (result.stick_time[i] - tally.stick_time_before[i])
