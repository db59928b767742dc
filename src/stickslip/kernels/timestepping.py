"""Moreau–Jean time-stepping: steps of fixed length, each with one friction problem for all contacts together.

From z at the start of a step to z′ at its end, h long:

    z′ = z + h ((1 − θ) f(z, t) + θ f(z′, t + h)) + h G λ        v′ = h(z′, t + h)
    λᵢ ∈ −boundᵢ · Sign(v′ᵢ)                                     bound: S where the contact sticks, else R(|v|)

The bound is that at the start of the step: how friction depends on velocity is treated explicitly. f at the end is
found by passes; each evaluates the ingredients once and solves the friction problem, linearised where v is not linear.
"""

from math import cos, isfinite, pi, sqrt

from stickslip.kernels import friction_problem, model, outcome, recording
from stickslip.kernels.change import count_events
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.trajectory import Trajectory
from stickslip.kernels.watch import impossible

MOST_PASSES = 60
STEEP_STEP, STEEP_RUN = 3, 12  # a step with friction too steep counts so much, and so much ends the run


class MoreauStep(Record):
    """Moreau–Jean time-stepping: how steps are made, and the present one."""

    step: float = field("length of the steps")
    theta: float = field("weight θ of the end of a step")
    most_steps: int = field("steps after which to give up")
    fastest_rate: float = field("of the system: see `find_fastest_rate`")
    run_start: float = field("when the run began")
    start_time: float = field("when the step begins")
    start_state: Floats = field("the state there", model.STATES)
    start_rate: Floats = field("f there", model.STATES)
    start_friction: Floats = field("R there", model.CONTACTS)
    largest: Floats = field("the largest value that each state has had", model.STATES)
    steepness: int = field("3 for each step on which friction was too steep, less 1 for each other")
    direction: Floats = field("a change of the state: see `find_fastest_rate`", model.STATES)
    slope: Floats = field("the derivative of f along it", model.STATES)


def begin(trajectory: Trajectory, stepping: MoreauStep, problem: friction_problem.FrictionProblem) -> int:
    """Modes and ingredients at the start, from the state, time and parameters of the trajectory."""
    model.constants(trajectory)
    trajectory.steps = 0
    trajectory.events = 0
    trajectory.evaluations = 0
    stepping.steepness = 0
    stepping.run_start = trajectory.time
    for i in range(model.STATES):
        stepping.largest[i] = abs(trajectory.state[i])
    for i in range(model.CONTACTS):
        trajectory.mode[i] = 1
        problem.force[i] = 0.0
    model.ingredients(trajectory)
    for i in range(model.CONTACTS):
        v = trajectory.v[i]
        trajectory.mode[i] = 0 if v == 0.0 else (1 if v > 0.0 else -1)
    stepping.fastest_rate = find_fastest_rate(trajectory, stepping)
    model.ingredients(trajectory)
    return outcome.FINISHED


def find_fastest_rate(trajectory: Trajectory, stepping: MoreauStep) -> float:
    """The largest eigenvalue of ∂f/∂z in magnitude: an angular frequency, or a rate of decay (power iteration).

    The matrix is applied twice at a time, which takes displacements to displacements: units do not matter then.
    """
    for i in range(model.STATES):
        stepping.start_state[i] = trajectory.state[i]
        stepping.direction[i] = cos(1.7 * i + 0.3)
    rate = 0.0
    for _ in range(40):
        before = scale_to_one(stepping)
        if before == 0.0:
            break
        apply_slope(trajectory, stepping)
        apply_slope(trajectory, stepping)
        total = 0.0
        for i in range(model.STATES):
            total += stepping.direction[i] * stepping.direction[i]
        rate = sqrt(sqrt(total))
    for i in range(model.STATES):
        trajectory.state[i] = stepping.start_state[i]
    return rate


def scale_to_one(stepping: MoreauStep) -> float:
    """Divide the direction by its length, which is returned."""
    total = 0.0
    for i in range(model.STATES):
        total += stepping.direction[i] * stepping.direction[i]
    length = sqrt(total)
    if length > 0.0 and isfinite(length):
        for i in range(model.STATES):
            stepping.direction[i] /= length
        return length
    return 0.0


def apply_slope(trajectory: Trajectory, stepping: MoreauStep) -> None:
    """Replace the direction by the derivative of f along it, by differences."""
    size = 0.0
    length = 0.0
    for i in range(model.STATES):
        size = max(size, abs(stepping.start_state[i]))
        length = max(length, abs(stepping.direction[i]))
        stepping.slope[i] = 0.0
    if length == 0.0:
        return
    small = 1e-4 * (size if size > 0.0 else 1.0) / length
    for side in range(-1, 2, 2):
        for i in range(model.STATES):
            trajectory.state[i] = stepping.start_state[i] + float(side) * small * stepping.direction[i]
        model.ingredients(trajectory)
        for i in range(model.STATES):
            stepping.slope[i] += float(side) * trajectory.f[i] / (2.0 * small)
    for i in range(model.STATES):
        stepping.direction[i] = stepping.slope[i]


def integrate(
    trajectory: Trajectory,
    stepping: MoreauStep,
    problem: friction_problem.FrictionProblem,
    kept: recording.Recording,
    steps: recording.Steps,
    events: recording.Events,
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    if stepping.step * stepping.fastest_rate > 0.2 * pi:  # a tenth of the shortest period
        return outcome.STEP_TOO_LARGE
    while trajectory.time < trajectory.end_time:
        if kept.steps >= kept.step_room or kept.events + model.CONTACTS > kept.event_room:
            return outcome.PAUSED
        if trajectory.steps >= stepping.most_steps:
            return outcome.TOO_MANY_STEPS
        status = set_bounds(trajectory, stepping, problem)
        if status != outcome.FINISHED:
            return status
        # Not a sum of steps: rounding must not leave a sliver at the end.
        following = stepping.run_start + stepping.step * (trajectory.steps + 1)
        if following > trajectory.end_time - 1e-9 * stepping.step:
            following = trajectory.end_time
        h = following - trajectory.time
        stepping.start_time = trajectory.time
        status = solve_step(trajectory, stepping, problem, h)
        if status != outcome.FINISHED:
            return status
        trajectory.steps += 1
        trajectory.time = following
        model.ingredients(trajectory)
        trajectory.evaluations += 1
        keep_step(trajectory, stepping, problem, h, steps[kept.steps])
        kept.steps += 1
        count_events(trajectory)
        recording.remember_events(trajectory, kept, events)
        if is_too_steep(trajectory, stepping, problem, h):
            return outcome.STEP_TOO_LARGE
    return outcome.FINISHED


def set_bounds(trajectory: Trajectory, stepping: MoreauStep, problem: friction_problem.FrictionProblem) -> int:
    """What is known at the start of a step: values, rates, and the bounds of the friction forces."""
    for i in range(model.STATES):
        stepping.start_state[i] = trajectory.state[i]
        stepping.start_rate[i] = trajectory.f[i]
    for i in range(model.CONTACTS):
        trajectory.mode_before[i] = trajectory.mode[i]
        problem.start_v[i] = trajectory.v[i]
        stepping.start_friction[i] = trajectory.R[i]
        problem.bound[i] = trajectory.S[i] if trajectory.mode[i] == 0 else trajectory.R[i]
        status = impossible(trajectory, i, abs(trajectory.mode[i]))
        if status != outcome.FINISHED:
            trajectory.stopping_contact = i
            return status
    return outcome.FINISHED


def solve_step(
    trajectory: Trajectory, stepping: MoreauStep, problem: friction_problem.FrictionProblem, h: float
) -> int:
    """State, forces and modes at the end of a step, by passes that evaluate f there with what the last one found."""
    trajectory.time = stepping.start_time + h
    for i in range(model.STATES):
        trajectory.state[i] = stepping.start_state[i] + h * (
            stepping.start_rate[i] + friction_problem.push(trajectory, problem, i)
        )
    for _ in range(MOST_PASSES):
        model.ingredients(trajectory)
        trajectory.evaluations += 1
        for i in range(model.CONTACTS):
            problem.free_v[i] = trajectory.v[i] - h * friction_problem.pull(trajectory, problem, i)
        if friction_problem.solve_contacts(trajectory, problem, h) != 0:
            return outcome.STALLED
        change = 0.0
        for i in range(model.STATES):
            rate = (1.0 - stepping.theta) * stepping.start_rate[i] + stepping.theta * trajectory.f[i]
            value = stepping.start_state[i] + h * (rate + friction_problem.push(trajectory, problem, i))
            if not isfinite(value):
                return outcome.STALLED
            stepping.largest[i] = max(stepping.largest[i], abs(value))
            if stepping.largest[i] > 0.0:
                change = max(change, abs(value - trajectory.state[i]) / stepping.largest[i])
            trajectory.state[i] = value
        if change <= friction_problem.PRECISION:
            return outcome.FINISHED
    return outcome.STEP_TOO_LARGE


def is_too_steep(
    trajectory: Trajectory, stepping: MoreauStep, problem: friction_problem.FrictionProblem, h: float
) -> bool:
    """Whether friction keeps changing faster with velocity than its explicit treatment can follow.

    A single step proves nothing: friction may have changed for another reason while the velocity hardly did.
    """
    steep = False
    for i in range(model.CONTACTS):
        before = trajectory.mode_before[i]
        if before != 0 and trajectory.mode[i] * before >= 0:
            change = abs(trajectory.v[i] - problem.start_v[i])
            kick = h * trajectory.D[i, i] * abs(trajectory.R[i] - stepping.start_friction[i])
            if change > 1e-9 * abs(problem.start_v[i]) and kick > 0.5 * change:
                steep = True
    stepping.steepness = stepping.steepness + STEEP_STEP if steep else max(stepping.steepness - 1, 0)
    return stepping.steepness >= STEEP_RUN


def keep_step(
    trajectory: Trajectory,
    stepping: MoreauStep,
    problem: friction_problem.FrictionProblem,
    h: float,
    step: recording.Step,
) -> None:
    """Keep the step: states and velocities as straight lines, forces constant, modes as they are at its end."""
    for i in range(model.STATES):
        start = stepping.start_state[i]
        set_line(trajectory.state_series[i], start, (trajectory.state[i] - start) / h)
    for i in range(model.CONTACTS):
        v = problem.start_v[i]
        set_line(trajectory.v_series[i], v, (trajectory.v[i] - v) / h)
        set_line(trajectory.force_series[i], problem.force[i], 0.0)
    end = trajectory.time
    trajectory.time = stepping.start_time
    trajectory.step_length = h
    recording.remember_step(trajectory, step)
    trajectory.time = end


def set_line(series: Floats, value: float, slope: float) -> None:
    """A polynomial of degree 1."""
    for k in range(2, model.ORDER + 1):
        series[k] = 0.0
    series[0] = value
    series[1] = slope
