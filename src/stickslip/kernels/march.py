"""The march: step after step, event after event, until the end time, a full record, or a reason to stop."""

from math import isfinite

from stickslip.kernels import (
    change,
    checks,
    clock,
    events,
    machine,
    mode,
    model,
    outcome,
    polynomial,
    recording,
    tangent,
)
from stickslip.kernels.trajectory import Trajectory


def begin(trajectory: Trajectory) -> int:
    """Modes and series at the start, from the state, time, tolerance, parameters and guess of a step length."""
    model.constants(trajectory)
    mode.set_first_modes(trajectory)
    if model.STORE > 0:
        model.start_store(trajectory)
        model.note_store(trajectory)
    change.note_state(trajectory)
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    trajectory.steps = 0
    trajectory.events = 0
    trajectory.rapid_events = 0
    trajectory.draws = 0
    trajectory.evaluations = 0
    trajectory.longest_gap = 0.0
    trajectory.last_event_time = trajectory.time
    trajectory.last_step = 0.0
    model.branches(trajectory, 0.0)
    model.ingredients(trajectory)  # with the modes: friction on the wrong side of zero speed may be anything
    trajectory.ready = 1
    return outcome.FINISHED if mode.settle(trajectory) == 0 else checks.why_undecided(trajectory)


def march(
    trajectory: Trajectory,
    most_steps: int,
    kept: recording.Recording,
    steps: recording.Steps,
    events: recording.Events,
) -> int:
    """Advance to the end time, and keep every step and event; FINISHED, PAUSED (record full) or the reason to stop."""
    while clock.time_left(trajectory) > 0.0:
        if kept.steps >= kept.step_room or kept.events + model.CONTACTS > kept.event_room:
            return outcome.PAUSED
        status = take_step(trajectory, most_steps)
        if status != outcome.FINISHED:
            return status
        recording.remember_step(trajectory, steps[kept.steps])
        kept.steps += 1
        status = end_step(trajectory)
        if status != outcome.FINISHED:
            return status
        if trajectory.changed == 1:
            recording.remember_events(trajectory, kept, events)
    return outcome.FINISHED


def travel(trajectory: Trajectory, most_steps: int) -> int:
    """Advance to the end time, and keep nothing; FINISHED or the reason to stop."""
    while clock.time_left(trajectory) > 0.0:
        status = go_step(trajectory, most_steps)
        if status != outcome.FINISHED:
            return status
    return outcome.FINISHED


def step_once(trajectory: Trajectory, most_steps: int) -> int:
    """A single step; FINISHED at the end time, PAUSED before it, or the reason to stop."""
    trajectory.changed = 0
    if clock.time_left(trajectory) > 0.0:
        status = go_step(trajectory, most_steps)
        if status != outcome.FINISHED:
            return status
    return outcome.PAUSED if clock.time_left(trajectory) > 0.0 else outcome.FINISHED


def go_step(trajectory: Trajectory, most_steps: int) -> int:
    """The next step, and through the event at its end if there is one. FINISHED, or why not."""
    status = take_step(trajectory, most_steps)
    return end_step(trajectory) if status == outcome.FINISHED else status


def take_step(trajectory: Trajectory, most_steps: int) -> int:
    """The next step, up to its first event: its series, how far it goes, and the state there. FINISHED, or why not."""
    if trajectory.steps >= most_steps:
        return outcome.TOO_MANY_STEPS
    if machine.latest(trajectory.halt, 0) != 0:
        return outcome.INTERRUPTED
    if trajectory.ready == 0:
        if mode.expand(trajectory) != 0:
            return outcome.INDETERMINATE
        if checks.breaks_invariants(trajectory):
            return outcome.INCONSISTENT
    trajectory.ready = 0
    trajectory.steps += 1
    remaining = clock.time_left(trajectory)
    h = min(trajectory.natural_step, remaining)
    if not h > 0.0:
        return outcome.STALLED
    impossible = checks.impossible_friction(trajectory)
    if impossible != outcome.FINISHED:
        return impossible
    # The state after the whole step comes first: the next step waits for it, and events are rare.
    total = polynomial.set_end_state(trajectory, h)
    polynomial.set_powers(trajectory, h)
    x = events.earliest_event(trajectory, h)
    tau = h
    if x <= 1.0:
        tau = h * x
        polynomial.set_powers(trajectory, tau)
        total = polynomial.set_end_state(trajectory, tau)
    if mode.hold_still(trajectory, tau):
        total = polynomial.set_end_state(trajectory, tau)
    if not isfinite(total):
        return outcome.STALLED
    if model.DIRECTIONS > 0:
        tangent.carry_variations(trajectory)
        tangent.note_branches(trajectory)
    trajectory.event_place = x
    trajectory.step_length = tau
    trajectory.arrives = 1 if x > 1.0 and h == remaining else 0
    return outcome.FINISHED


def end_step(trajectory: Trajectory) -> int:
    """Go to the end of the step, and through the event there if there is one. FINISHED, or why that is impossible."""
    go_to_end(trajectory)
    return pass_end(trajectory)


def go_to_end(trajectory: Trajectory) -> None:
    """State and clock at the end of the step, before the event that may be there; its series are as they were."""
    for i in range(model.STATES):
        trajectory.state[i] = trajectory.end_state[i]
    if trajectory.arrives == 1:
        clock.set_clock(trajectory, trajectory.end_time)
    else:
        clock.advance_clock(trajectory, trajectory.step_length)
    if trajectory.step_length > 0.0:
        trajectory.last_step = trajectory.step_length


def pass_end(trajectory: Trajectory) -> int:
    """Go through the event at the end of the step, if there is one. FINISHED, or why that is impossible."""
    tau = trajectory.step_length
    x = trajectory.event_place
    trajectory.changed = 0
    if checks.strays(trajectory, tau):
        return outcome.INCONSISTENT
    change.find_rests(trajectory, x, tau)
    guard = trajectory.guard
    if x > 1.0:
        for i in range(model.CONTACTS):
            trajectory.at_rest[i] = 0
        return outcome.FINISHED
    if model.OWN_GUARDS > 0 and guard >= model.WATCHED + model.GUARDS and mode.count_resting(trajectory) == 0:
        jump_in_slip(trajectory, guard)
        return outcome.FINISHED
    if 0 <= guard < model.WATCHED:
        trajectory.stopping_contact = model.WATCHED_CONTACT[guard]
        return model.WATCHED_OUTCOME[guard]
    return pass_event(trajectory, guard)


def jump_in_slip(trajectory: Trajectory, guard: int) -> None:
    """A guard of a contact's own has ended where all slip: its states jump, and the modes stay."""
    change.note_state(trajectory)
    model.jump(trajectory, guard - model.WATCHED - model.GUARDS)
    if model.DIRECTIONS > 0:
        for i in range(model.CONTACTS):
            trajectory.mode_before[i] = trajectory.mode[i]
        tangent.apply_saltation(trajectory, guard)


def pass_event(trajectory: Trajectory, guard: int) -> int:
    """New modes where a guard has ended. FINISHED, or why there are none."""
    gap = trajectory.time - trajectory.last_event_time
    trajectory.last_event_time = trajectory.time
    trajectory.longest_gap = max(trajectory.longest_gap, gap)
    trajectory.rapid_events = trajectory.rapid_events + 1 if gap <= 1e-9 * trajectory.longest_gap else 0
    if trajectory.rapid_events > 50 + 10 * model.CONTACTS:
        return outcome.CHATTERING
    if change.pass_guard(trajectory, guard) != 0:
        return checks.why_undecided(trajectory)
    if model.DIRECTIONS > 0:
        tangent.apply_saltation(trajectory, guard)
    trajectory.changed = 1
    change.count_events(trajectory)
    return outcome.FINISHED
