"""The flow of one phase: all modes held for a given time, whatever the guards of the contacts say.

An orbit with known phases is found phase by phase; while it is sought, a phase may be a little too long, or even have a
negative duration. Only frozen branches end steps here, since they are part of the equations.
"""

from math import copysign, isfinite

from stickslip.kernels import change, clock, events, mode, model, outcome, polynomial, tangent
from stickslip.kernels.records import Floats, Record, Records, field
from stickslip.kernels.trajectory import Trajectory


class End(Record):
    """The end of a phase: of each row its value, its rate, and half the rate of that."""

    state: Floats = field("z", model.STATES, 3)
    v: Floats = field("v", model.CONTACTS, 3)
    force: Floats = field("λ", model.CONTACTS, 3)
    static: Floats = field("S", model.CONTACTS, 3)


class Variation(Record):
    """What one direction changes there: of each row the change of its value, and of its rate."""

    state: Floats = field("δz", model.VARIED_STATES, 2)
    v: Floats = field("δv", model.VARIED_CONTACTS, 2)
    force: Floats = field("δλ", model.VARIED_CONTACTS, 2)
    static: Floats = field("δS", model.VARIED_CONTACTS, 2)


def flow(trajectory: Trajectory, duration: float, most_steps: int) -> int:
    """Advance state and directions by `duration` in the modes given; leaves the series at the end. A status."""
    begin_phase(trajectory)
    left = duration
    if mode.expand(trajectory) != 0:
        return outcome.INDETERMINATE
    for i in range(model.STATES):
        trajectory.start_rate[i] = trajectory.state_series[i, 1]
    for _ in range(most_steps):
        if left == 0.0:
            return outcome.FINISHED
        h = copysign(min(trajectory.natural_step, abs(left)), left)
        if not abs(h) > 0.0:
            return outcome.STALLED
        polynomial.set_powers(trajectory, h)
        x = first_branch_end(trajectory)
        tau = h * x if x <= 1.0 else h
        polynomial.set_powers(trajectory, tau)
        mode.hold_still(trajectory, tau)
        if not isfinite(polynomial.set_end_state(trajectory, tau)):
            return outcome.STALLED
        tangent.carry_variations(trajectory)
        for i in range(model.STATES):
            trajectory.state[i] = trajectory.end_state[i]
        clock.advance_clock(trajectory, tau)
        trajectory.last_step = abs(tau)
        left = 0.0 if tau == left else left - tau
        if x <= 1.0:
            pass_branch(trajectory, trajectory.guard)
        elif mode.expand(trajectory) != 0:
            return outcome.INDETERMINATE
    return outcome.TOO_MANY_STEPS


def begin_phase(trajectory: Trajectory) -> None:
    """Branches and sizes at the start, from the state, time, modes, parameters and guess of a step length."""
    model.constants(trajectory)
    trajectory.late = 0.0
    trajectory.last_step = 0.0
    trajectory.evaluations = 0
    for i in range(model.CONTACTS):
        trajectory.at_rest[i] = mode.RESTING if trajectory.mode[i] == 0 else 0
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    model.branches(trajectory, 0.0)
    model.ingredients(trajectory)
    mode.measure(trajectory)


def first_branch_end(trajectory: Trajectory) -> float:
    """Where on the step, in [0, 1], the first guard ends that is no change of mode, in `guard`; 2 when none does."""
    earliest = 2.0
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        row = trajectory.guard_series[g]
        root = events.crossing_of(trajectory, row, 1.0, row, 0.0, events.guard_noise(trajectory, g))
        if root < earliest:
            earliest = root
            trajectory.guard = g
    for g in range(model.OWN_GUARDS):
        if events.is_active(trajectory, g):
            root = events.guard_crossing(trajectory, model.WATCHED + model.GUARDS + g)
            if root < earliest:
                earliest = root
                trajectory.guard = model.WATCHED + model.GUARDS + g
    return earliest


def pass_branch(trajectory: Trajectory, guard: int) -> None:
    """Move a frozen branch, or let states jump at a guard of a contact's own, and every direction with it."""
    tangent.note_branches(trajectory)
    if guard < model.WATCHED + model.GUARDS:
        change.move_branch(trajectory, guard)
    else:
        change.note_state(trajectory)
        model.jump(trajectory, guard - model.WATCHED - model.GUARDS)
    model.ingredients(trajectory)
    mode.measure(trajectory)
    model.branches(trajectory, change.KEPT_BY)
    for i in range(model.CONTACTS):
        trajectory.mode_before[i] = trajectory.mode[i]
    tangent.apply_saltation(trajectory, guard)


def sample_phase(trajectory: Trajectory, durations: Floats, count: int, most_steps: int, ends: Records[End]) -> int:
    """The same phase ended after each of rising durations, without directions. A status."""
    before = 0.0
    for k in range(count):
        status = flow(trajectory, durations[k] - before, most_steps)
        if status != outcome.FINISHED:
            return status
        note_end(trajectory, ends[k])
        before = durations[k]
    return outcome.FINISHED


def note_end(trajectory: Trajectory, end: End) -> None:
    """What is at the present point, whose series are set."""
    for k in range(3):
        for i in range(model.STATES):
            end.state[i, k] = trajectory.state_series[i, k]
        for i in range(model.CONTACTS):
            end.v[i, k] = trajectory.v_series[i, k]
            end.force[i, k] = trajectory.force_series[i, k]
            end.static[i, k] = trajectory.static_series[i, k]


def end_phase(trajectory: Trajectory, end: End, variations: Records[Variation]) -> None:
    """What is at the present point, and what every direction changes there."""
    note_end(trajectory, end)
    for d in range(trajectory.directions):
        tangent.set_varied_series(trajectory, d)
        variation = variations[d]
        for k in range(2):
            for i in range(model.STATES):
                variation.state[i, k] = trajectory.varied_state_series[i, k]
            for i in range(model.CONTACTS):
                variation.v[i, k] = trajectory.varied_v_series[i, k]
                variation.force[i, k] = trajectory.varied_force_series[i, k]
                variation.static[i, k] = trajectory.varied_static_series[i, k]
