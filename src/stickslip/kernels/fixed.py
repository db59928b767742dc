"""Fixed steps of the classical Runge–Kutta method, with Hénon's inversion or bisection at the transitions.

The series of the model are generated to low order here: their first coefficients are the rates of the states, of the
sliding velocities and of the friction forces, which is all that these methods need.
"""

from math import isfinite

from stickslip.kernels import change, model, outcome, recording, runge_kutta, transitions
from stickslip.kernels.mode import expand
from stickslip.kernels.polynomial import set_powers
from stickslip.kernels.records import Floats
from stickslip.kernels.rest import project
from stickslip.kernels.trajectory import Trajectory


def march_fixed(
    trajectory: Trajectory,
    fixed: runge_kutta.FixedStep,
    kept: recording.Recording,
    steps: recording.Steps,
    events: recording.Events,
) -> int:
    """Advance to the end time with steps of fixed length; the record is that of `march`."""
    while trajectory.time < trajectory.end_time:
        if kept.steps >= kept.step_room or kept.events + model.CONTACTS > kept.event_room:
            return outcome.PAUSED
        if trajectory.steps >= fixed.most_steps:
            return outcome.TOO_MANY_STEPS
        status = start_step(trajectory, fixed)
        if status != outcome.FINISHED:
            return status
        remaining = trajectory.end_time - trajectory.time
        h = min(fixed.step, remaining)
        status = whole_step(trajectory, fixed, h)
        if status != outcome.FINISHED:
            return status
        x = transitions.first_transition(trajectory, fixed, h)
        if x == transitions.TOO_LARGE:
            return outcome.STEP_TOO_LARGE
        if x > 1.0 and h == remaining:
            trajectory.time = trajectory.end_time
        remember_cubic(trajectory, fixed, steps[kept.steps])
        kept.steps += 1
        for i in range(model.STATES):
            if not isfinite(trajectory.state[i]):
                return outcome.STALLED
        change.note_rests(trajectory, x)
        project(trajectory)
        if x > 1.0:
            for i in range(model.CONTACTS):
                trajectory.at_rest[i] = 0
            trajectory.ready = 1
            continue
        set_powers(trajectory, 0.0)
        if change.pass_guard(trajectory, -1) != 0:
            return outcome.INDETERMINATE
        change.count_events(trajectory)
        recording.remember_events(trajectory, kept, events)
    return outcome.FINISHED


def start_step(trajectory: Trajectory, fixed: runge_kutta.FixedStep) -> int:
    """The series at the start of a step, which are kept; FINISHED, or why there is none."""
    if model.BRANCHES > 0:
        model.branches(trajectory, 0.0)
    if (trajectory.ready == 0 or model.BRANCHES > 0) and expand(trajectory) != 0:
        return outcome.INDETERMINATE
    trajectory.ready = 0
    trajectory.steps += 1
    runge_kutta.keep_start(trajectory, fixed)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] * trajectory.force_series[i, 0] > 0.0:
            trajectory.stopping_contact = i
            return outcome.NEGATIVE_FRICTION
    return outcome.FINISHED


def whole_step(trajectory: Trajectory, fixed: runge_kutta.FixedStep, h: float) -> int:
    """The step as if nothing happened on it, with the series at its end; FINISHED, or why that cannot be."""
    if runge_kutta.runge_kutta(trajectory, fixed, h, fixed.method) != 0:
        return outcome.INDETERMINATE
    if runge_kutta.loses_the_motion(trajectory, fixed, h):
        return outcome.STEP_TOO_LARGE
    if expand(trajectory) != 0:
        return outcome.INDETERMINATE
    for i in range(model.WATCHED):
        if trajectory.guard_series[i, 0] < 0.0:
            trajectory.stopping_contact = model.WATCHED_CONTACT[i]
            return model.WATCHED_OUTCOME[i]
    return outcome.FINISHED


def remember_cubic(trajectory: Trajectory, fixed: runge_kutta.FixedStep, step: recording.Step) -> None:
    """Keep the step as cubics through values and rates at both ends."""
    tau = trajectory.time - fixed.start_time
    step.start = fixed.start_time
    step.length = tau
    for i in range(model.STATES):
        set_cubic(fixed.state_line[i], trajectory.state_series[i], tau, step.state_series[i])
    for i in range(model.CONTACTS):
        step.mode[i] = float(trajectory.mode[i])
        set_cubic(fixed.v_line[i], trajectory.v_series[i], tau, step.v_series[i])
        set_cubic(fixed.force_line[i], trajectory.force_series[i], tau, step.force_series[i])


def set_cubic(start: Floats, end: Floats, tau: float, cubic: Floats) -> None:
    """The cubic through values and rates at the start of a step and at its end, a time tau later."""
    for k in range(model.ORDER + 1):
        cubic[k] = 0.0
    cubic[0] = start[0]
    if tau > 0.0:
        mean = (end[0] - start[0]) / tau
        first = start[1]
        last = end[1]
        cubic[1] = first
        cubic[2] = (3.0 * mean - 2.0 * first - last) / tau
        cubic[3] = (first + last - 2.0 * mean) / (tau * tau)
