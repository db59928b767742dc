"""Many trajectories, each observed after a transient: rows of what was asked for, and what sums up the motion.

Nothing is allocated: rows go to a place of fixed size, and the last returns of the motion to a ring, where its period
shows.
"""

from stickslip.kernels import clock, ensemble, follow, march, model, observation, outcome, periods, repeat, rest
from stickslip.kernels.machine import latest
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory


def observe(
    trajectory: Trajectory,
    request: observation.Request,
    courses: Records[observation.Course],
    tally: observation.Tally,
    rings: Records[observation.Ring],
    rows: Records[observation.Row],
    results: Records[observation.Result],
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
    request: observation.Request,
    course: observation.Course,
    tally: observation.Tally,
    rings: Records[observation.Ring],
    rows: Records[observation.Row],
    result: observation.Result,
) -> None:
    """One of them; its result knows where its rows begin."""
    status = set_out(trajectory, request, course)
    repeat.begin_marks(trajectory, request, course, tally)
    if status == outcome.FINISHED:
        status = repeat.travel(trajectory, request, course, tally)
    follow.begin_tally(tally, request, course)
    rings[follow.RETURNS].count = 0
    rings[follow.PEAKS].count = 0
    observation.begin_result(result, trajectory.state)
    changes_before = trajectory.events
    if status == outcome.FINISHED:
        status = follow.follow_to_end(trajectory, request, course, tally, rings, rows, result)
    if status == outcome.FINISHED:
        period = course.excitation_period
        ring = follow.RETURNS if period > 0.0 or tally.releases > 0 else follow.PEAKS
        periods.find_period(rings[ring], request, period, result)
    result.status = outcome.NOT_COMPUTED if status == outcome.INTERRUPTED else status
    result.changes = trajectory.events - changes_before
    result.steps = trajectory.steps
    result.time = trajectory.time
    for i in range(model.CONTACTS):
        result.end_mode[i] = trajectory.mode[i]
    for i in range(model.STATES):
        result.end_state[i] = trajectory.state[i]


def set_out(trajectory: Trajectory, request: observation.Request, course: observation.Course) -> int:
    """Begin a trajectory, with the contacts at rest that are held. FINISHED, or why it cannot begin."""
    prepare(trajectory, request, course)
    return march.begin(trajectory)


def prepare(trajectory: Trajectory, request: observation.Request, course: observation.Course) -> None:
    """Everything that is known before a trajectory begins, with the contacts at rest that are held."""
    ensemble.place(trajectory, course)
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    for i in range(model.CONTACTS):
        trajectory.at_rest[i] = course.held[i]
    trajectory.seed = request.seed
    trajectory.number = course.number
    trajectory.tolerance = request.tolerance
    trajectory.step_guess = 1.0
    clock.set_clock(trajectory, course.start_time)
    trajectory.end_time = course.transient_end
    model.constants(trajectory)
    rest.come_to_rest(trajectory)
    for i in range(model.STATES):
        course.state[i] = trajectory.state[i]
