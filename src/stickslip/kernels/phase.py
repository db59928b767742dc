"""The flow of one phase: all modes held for a given time, whatever the guards of the contacts say.

An orbit with known phases is found phase by phase; while it is sought, a phase may be a little too long, or even have a
negative duration. Only frozen branches end steps here, since they are part of the equations.
"""

from math import copysign, isfinite

from stickslip.kernels import model, outcome
from stickslip.kernels.clock import advance_clock
from stickslip.kernels.change import KEPT_BY
from stickslip.kernels.events import crossing_of, guard_noise
from stickslip.kernels.mode import expand, hold_still, measure
from stickslip.kernels.polynomial import set_powers, value_of
from stickslip.kernels.records import Floats
from stickslip.kernels.tangent import carry, leap, note_branches
from stickslip.kernels.trajectory import Trajectory


def flow(trajectory: Trajectory, duration: float, most_steps: int) -> int:
    """Advance state and directions by `duration` in the modes given; leaves the series at the end. A status."""
    model.constants(trajectory)
    trajectory.late = 0.0
    trajectory.last_step = 0.0
    trajectory.evaluations = 0
    for i in range(model.CONTACTS):
        trajectory.at_rest[i] = 1 if trajectory.mode[i] == 0 else 0
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    model.branches(trajectory, 0.0)
    model.ingredients(trajectory)
    measure(trajectory)
    left = duration
    if expand(trajectory) != 0:
        return outcome.INDETERMINATE
    for _ in range(most_steps):
        if left == 0.0:
            return outcome.FINISHED
        h = copysign(min(trajectory.natural_step, abs(left)), left)
        if not abs(h) > 0.0:
            return outcome.STALLED
        set_powers(trajectory, h)
        guard = first_guard(trajectory)
        tau = h * trajectory.end_state[0] if guard >= 0 else h
        set_powers(trajectory, tau)
        hold_still(trajectory, tau)
        total = 0.0
        for i in range(model.STATES):
            trajectory.end_state[i] = value_of(trajectory, trajectory.state_series[i])
            total += trajectory.end_state[i]
        if not isfinite(total):
            return outcome.STALLED
        carry(trajectory)
        for i in range(model.STATES):
            trajectory.state[i] = trajectory.end_state[i]
        advance_clock(trajectory, tau)
        trajectory.last_step = abs(tau)
        left = 0.0 if tau == left else left - tau
        if guard >= 0:
            pass_branch(trajectory, guard)
        elif expand(trajectory) != 0:
            return outcome.INDETERMINATE
    return outcome.TOO_MANY_STEPS


def first_guard(trajectory: Trajectory) -> int:
    """The frozen branch that ends first on the step, and where at W[WORK]; -1 if none does."""
    found = -1
    earliest = 2.0
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        row = trajectory.guard_series[g]
        root = crossing_of(trajectory, row, 1.0, row, 0.0, guard_noise(trajectory, g))
        if root < earliest:
            earliest = root
            found = g
    trajectory.end_state[0] = earliest
    return found if earliest <= 1.0 else -1


def pass_branch(trajectory: Trajectory, guard: int) -> None:
    """Move a frozen branch, and every direction with it."""
    note_branches(trajectory)
    number = model.GUARD_BRANCH[guard - model.WATCHED]
    step = model.GUARD_STEP[guard - model.WATCHED]
    trajectory.branch[number] = -trajectory.branch[number] if step == 0 else trajectory.branch[number] + step
    model.ingredients(trajectory)
    measure(trajectory)
    model.branches(trajectory, KEPT_BY)
    for i in range(model.CONTACTS):
        trajectory.mode_before[i] = trajectory.mode[i]
    leap(trajectory, guard)


def end_variations(trajectory: Trajectory, out: Floats) -> None:
    """For every direction the value and the rate of each varied row (δz, δv, δλ, δS) at the present point."""
    rows = model.STATES + 3 * model.CONTACTS
    for d in range(trajectory.directions):
        model.tangent(trajectory, trajectory.variation[d], trajectory.varied[d])
        for r in range(rows):
            out[(d * rows + r) * 2] = trajectory.varied_state_series[r, 0]
            out[(d * rows + r) * 2 + 1] = trajectory.varied_state_series[r, 1]
