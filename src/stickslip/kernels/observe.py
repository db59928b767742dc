"""Many trajectories, each observed after a transient: rows of what was asked for, and what sums up the motion.

At the end of every step its polynomials are looked at, before the event there changes them; then the changes of mode.
Nothing is allocated: rows go to a place of fixed size, and the last returns of the motion to a ring, where its period
shows.
"""

from stickslip.kernels import model, observation, outcome
from stickslip.kernels.clock import time_left
from stickslip.kernels.crossings import note_state, record_crossings, remember_peaks, widen_extent
from stickslip.kernels.machine import latest
from stickslip.kernels.march import begin, go_to_end, pass_end, shown_length, take_step, travel
from stickslip.kernels.observation import Course, Request, Result, Ring, Row, Tally, add_return, add_row
from stickslip.kernels.periods import find_period
from stickslip.kernels.polynomial import set_powers
from stickslip.kernels.records import Records
from stickslip.kernels.rest import come_to_rest
from stickslip.kernels.trajectory import Trajectory

RETURNS, PEAKS = range(2)
RINGS = 2
"""The rings: of releases, or of whole periods of the excitation; of maxima of the first state."""


def observe(
    trajectory: Trajectory,
    request: Request,
    courses: Records[Course],
    tally: Tally,
    rings: Records[Ring],
    rows: Records[Row],
    results: Records[Result],
) -> None:
    """Observe all trajectories. `tally` and two rings are work space; `rows` and `results` are filled.

    The state at the start becomes that with the contacts at rest that are held.
    """
    for i in range(request.trajectories):
        if latest(trajectory.halt, 0) != 0:
            break
        result = results[i]
        result.first_row = i * request.most_rows
        observe_one(trajectory, request, courses[i], tally, rings, rows, result)


def observe_one(
    trajectory: Trajectory,
    request: Request,
    course: Course,
    tally: Tally,
    rings: Records[Ring],
    rows: Records[Row],
    result: Result,
) -> None:
    """One of them; its result knows where its rows begin."""
    status = set_out(trajectory, request, course)
    if status == outcome.FINISHED:
        status = travel(trajectory, request.most_steps)
    begin_tally(tally, request, course)
    rings[RETURNS].count = 0
    rings[PEAKS].count = 0
    observation.begin_result(result, trajectory.state)
    changes_before = trajectory.events
    if status == outcome.FINISHED:
        trajectory.end_time = course.end_time
        status = watch(trajectory, request, course, tally, rings, rows, result)
    if status == outcome.FINISHED:
        period = course.excitation_period
        ring = RETURNS if period > 0.0 or tally.releases > 0 else PEAKS
        find_period(rings[ring], request, period, result)
    result.status = outcome.NOT_COMPUTED if status == outcome.INTERRUPTED else status
    result.changes = trajectory.events - changes_before
    result.steps = trajectory.steps
    result.time = trajectory.time
    for i in range(model.CONTACTS):
        result.end_mode[i] = trajectory.mode[i]
    for i in range(model.STATES):
        result.end_state[i] = trajectory.state[i]


def set_out(trajectory: Trajectory, request: Request, course: Course) -> int:
    """Begin a trajectory, with the contacts at rest that are held. FINISHED, or why it cannot begin."""
    prepare(trajectory, request, course)
    return begin(trajectory)


def prepare(trajectory: Trajectory, request: Request, course: Course) -> None:
    """Everything that is known before a trajectory begins, with the contacts at rest that are held."""
    for i in range(model.STATES):
        trajectory.state[i] = course.state[i]
    for i in range(model.PARAMETERS):
        trajectory.parameter[i] = course.parameter[i]
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    for i in range(model.CONTACTS):
        trajectory.at_rest[i] = course.held[i]
    trajectory.seed = request.seed
    trajectory.number = course.number
    trajectory.tolerance = request.tolerance
    trajectory.step_guess = 1.0
    trajectory.time = 0.0
    trajectory.late = 0.0
    trajectory.end_time = course.transient_end
    model.constants(trajectory)
    come_to_rest(trajectory)
    for i in range(model.STATES):
        course.state[i] = trajectory.state[i]


def begin_tally(tally: Tally, request: Request, course: Course) -> None:
    """Everything as it is when the transient has ended."""
    period = course.excitation_period
    interval = observation.strobe_interval(request, period)
    tally.releases = 0
    tally.side = 0
    tally.peak_side = 0
    tally.next_turn = observation.next_multiple(course.transient_end, period) if period > 0.0 else 0
    tally.next_strobe = observation.next_multiple(course.transient_end, interval) if interval > 0.0 else 0


def watch(
    trajectory: Trajectory,
    request: Request,
    course: Course,
    tally: Tally,
    rings: Records[Ring],
    rows: Records[Row],
    result: Result,
) -> int:
    """Advance to the end time, and take note of every step and every change of mode. FINISHED, or why not."""
    while time_left(trajectory) > 0.0:
        status = take_step(trajectory, request.most_steps)
        if status != outcome.FINISHED:
            return status
        tally.step_start = trajectory.time
        tally.step_length = shown_length(trajectory)
        go_to_end(trajectory)
        if tally.step_length > 0.0:
            watch_step(trajectory, request, course, tally, rings, rows, result)
        status = pass_end(trajectory)
        if status != outcome.FINISHED:
            return status
        if trajectory.changed == 1:
            watch_changes(trajectory, request, course, tally, rings[RETURNS], rows, result)
    return outcome.FINISHED


def watch_step(
    trajectory: Trajectory,
    request: Request,
    course: Course,
    tally: Tally,
    rings: Records[Ring],
    rows: Records[Row],
    result: Result,
) -> None:
    """Take note of what the polynomials of a step say; state and clock are at its end."""
    set_powers(trajectory, tally.step_length)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            result.stick_time[i] += tally.step_length
    for i in range(model.STATES):
        widen_extent(trajectory, tally, i, result)
    period = course.excitation_period
    if request.kind == observation.SECTION or request.kind == observation.MAXIMA:
        record_crossings(trajectory, request, tally, rows, result)
    elif request.kind == observation.STROBE:
        record_strobes(trajectory, request, observation.strobe_interval(request, period), tally, rows, result)
    if period > 0.0:
        remember_turns(trajectory, period, tally, rings[RETURNS])
    elif tally.releases == 0:
        remember_peaks(trajectory, tally, rings[PEAKS])


def record_strobes(
    trajectory: Trajectory, request: Request, interval: float, tally: Tally, rows: Records[Row], result: Result
) -> None:
    """Record the state at whole multiples of a time; once there is no room, they are only counted."""
    while interval > 0.0 and tally.next_strobe * interval <= trajectory.time:
        time = tally.next_strobe * interval
        note_state(trajectory, tally, time - tally.step_start)
        add_row(rows, request, result, time, observation.NO_CONTACT, tally.state)
        following = tally.next_strobe + 1
        full = result.truncated != 0
        tally.next_strobe = observation.next_multiple(trajectory.time, interval) if full else following


def remember_turns(trajectory: Trajectory, period: float, tally: Tally, ring: Ring) -> None:
    """Remember the state at whole periods of the excitation."""
    while tally.next_turn * period <= trajectory.time:
        time = tally.next_turn * period
        note_state(trajectory, tally, time - tally.step_start)
        add_return(ring, time, observation.NO_CONTACT, tally.releases, tally.state)
        tally.next_turn += 1


def watch_changes(
    trajectory: Trajectory,
    request: Request,
    course: Course,
    tally: Tally,
    ring: Ring,
    rows: Records[Row],
    result: Result,
) -> None:
    """Take note of the changes of mode at an event; without excitation, the motion returns at releases."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            released = trajectory.mode_before[i] == 0
            if released:
                tally.releases += 1
                if course.excitation_period <= 0.0:
                    add_return(ring, trajectory.time, i, tally.releases, trajectory.state)
            if observation.is_wanted(request, i, released, trajectory.mode[i] == 0):
                add_row(rows, request, result, trajectory.time, i, trajectory.state)
