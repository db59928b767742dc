"""One motion, followed with an eye on what is asked for.

At the end of every step its polynomials are looked at, before the event there changes them; then the changes of mode.
"""

from stickslip.kernels import clock, crossings, march, model, observation, outcome, polynomial, repeat
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory

RINGS = 2
RETURNS, PEAKS = range(RINGS)
"""The rings: of releases, or of whole periods of the excitation; of maxima of the first state."""


def begin_tally(tally: observation.Tally, request: observation.Request, course: observation.Course) -> None:
    """Everything as it is when the transient has ended."""
    period = course.excitation_period
    interval = observation.strobe_interval(request, period)
    tally.releases = 0
    tally.side = 0
    tally.peak_side = 0
    tally.next_turn = observation.next_multiple(course.transient_end, period) if period > 0.0 else 0
    tally.next_strobe = observation.next_multiple(course.transient_end, interval) if interval > 0.0 else 0


def follow_to_end(
    trajectory: Trajectory,
    request: observation.Request,
    course: observation.Course,
    tally: observation.Tally,
    rings: Records[observation.Ring],
    rows: Records[observation.Row],
    result: observation.Result,
) -> int:
    """Observe a motion to its end; of one that repeats itself, one cycle, from which the others are told."""
    cycles = repeat.cycles_to_repeat(request, course, tally)
    status = outcome.FINISHED
    if cycles >= 2:
        trajectory.end_time = repeat.cycle_start(course, tally, cycles)
        status = follow(trajectory, request, course, tally, rings, rows, result)
        if status == outcome.FINISHED:
            repeat.begin_cycle(trajectory, tally, rings[RETURNS], result)
            status = follow(trajectory, request, course, tally, rings, rows, result)
        if status != outcome.FINISHED:
            return status
        repeat.repeat_cycle(trajectory, request, course, tally, rings[RETURNS], result)
    trajectory.end_time = course.end_time
    return follow(trajectory, request, course, tally, rings, rows, result)


def follow(
    trajectory: Trajectory,
    request: observation.Request,
    course: observation.Course,
    tally: observation.Tally,
    rings: Records[observation.Ring],
    rows: Records[observation.Row],
    result: observation.Result,
) -> int:
    """Advance to the end time, and take note of every step and every change of mode. FINISHED, or why not."""
    while clock.time_left(trajectory) > 0.0:
        status = march.take_step(trajectory, request.most_steps)
        if status != outcome.FINISHED:
            return status
        tally.step_start = trajectory.time
        tally.step_length = clock.shown_length(trajectory)
        march.go_to_end(trajectory)
        if tally.step_length > 0.0:
            watch_step(trajectory, request, course, tally, rings, rows, result)
        status = march.pass_end(trajectory)
        if status != outcome.FINISHED:
            return status
        if trajectory.changed == 1:
            watch_changes(trajectory, request, course, tally, rings[RETURNS], rows, result)
    return outcome.FINISHED


def watch_step(
    trajectory: Trajectory,
    request: observation.Request,
    course: observation.Course,
    tally: observation.Tally,
    rings: Records[observation.Ring],
    rows: Records[observation.Row],
    result: observation.Result,
) -> None:
    """Take note of what the polynomials of a step say; state and clock are at its end."""
    polynomial.set_powers(trajectory, tally.step_length)
    for i in range(model.STATES):
        crossings.widen_extent(trajectory, tally, i, result)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            result.stick_time[i] += tally.step_length
    period = course.excitation_period
    if request.kind == observation.SECTION or request.kind == observation.MAXIMA:
        crossings.record_crossings(trajectory, request, tally, rows, result)
    elif request.kind == observation.STROBE:
        record_strobes(trajectory, request, observation.strobe_interval(request, period), tally, rows, result)
    if period > 0.0:
        remember_turns(trajectory, period, tally, rings[RETURNS])
    elif tally.releases == 0:
        crossings.remember_peaks(trajectory, tally, rings[PEAKS])


def record_strobes(
    trajectory: Trajectory,
    request: observation.Request,
    interval: float,
    tally: observation.Tally,
    rows: Records[observation.Row],
    result: observation.Result,
) -> None:
    """Record the state at whole multiples of a time; once there is no room, they are only counted."""
    while interval > 0.0 and tally.next_strobe * interval <= trajectory.time:
        time = tally.next_strobe * interval
        crossings.set_state(trajectory, tally, time - tally.step_start)
        observation.add_row(rows, request, result, time, tally.state)
        following = tally.next_strobe + 1
        full = result.truncated != 0
        tally.next_strobe = observation.next_multiple(trajectory.time, interval) if full else following


def remember_turns(trajectory: Trajectory, period: float, tally: observation.Tally, ring: observation.Ring) -> None:
    """Remember the state at whole periods of the excitation."""
    while tally.next_turn * period <= trajectory.time:
        time = tally.next_turn * period
        crossings.set_state(trajectory, tally, time - tally.step_start)
        observation.add_return(ring, time, observation.NO_CONTACT, tally.releases, tally.state)
        tally.next_turn += 1


def watch_changes(
    trajectory: Trajectory,
    request: observation.Request,
    course: observation.Course,
    tally: observation.Tally,
    ring: observation.Ring,
    rows: Records[observation.Row],
    result: observation.Result,
) -> None:
    """Take note of the changes of mode at an event; without excitation, the motion returns at releases."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            released = trajectory.mode_before[i] == 0
            if released:
                tally.releases += 1
                if course.excitation_period <= 0.0:
                    observation.add_return(ring, trajectory.time, i, tally.releases, trajectory.state)
            if observation.is_wanted(request, i, released, trajectory.mode[i] == 0):
                observation.add_change(rows, request, result, trajectory.time, i, trajectory.mode[i], trajectory.state)
