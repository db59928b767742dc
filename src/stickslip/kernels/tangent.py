"""Small changes carried along a motion, through every event: the variational equations with saltation.

A direction d is a change δz of the state at W[VARIATION + d*N_STATES], with a change of the parameter I[VARIED + d]
(-1: none; N_PARAMETERS: the time at which the motion starts). Along a step it follows the linearised equations. At an
event with guard φ, the neighbouring motion meets its event later by δt = −δφ/φ̇, so that

    δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt.

Where a contact comes to rest this removes δv; where it leaves rest with a continuous force it changes nothing.
An internal state that jumps there to r(z, t) has δr(δz⁻ + ż⁻ δt) − ż⁺ δt instead.
"""

from stickslip.kernels import model
from stickslip.kernels.mode import RELEASED, expand
from stickslip.kernels.polynomial import value_of
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory


def carry(trajectory: Trajectory) -> None:
    """Take every direction along the step whose series and powers are set."""
    for d in range(trajectory.directions):
        begin = trajectory.variation[d]
        model.tangent(trajectory, begin, trajectory.varied[d])
        for i in range(model.STATES):
            trajectory.carried[i] = value_of(trajectory, trajectory.varied_state_series[i])
        for i in range(model.STATES):
            begin[i] = trajectory.carried[i]


def note_branches(trajectory: Trajectory) -> None:
    """Remember the frozen branches before an event."""
    for i in range(model.BRANCHES):
        trajectory.branch_before[i] = trajectory.branch[i]


def leap(trajectory: Trajectory, guard: int) -> None:
    """Take every direction through the event just decided: the modes in SAVED have become those in MODE.

    Contacts whose guards ended here are passed one after another, so that contacts which do not feel each other may
    have their events at the same time. What changed as a consequence changes with the last of them.
    """
    for i in range(model.CONTACTS):
        trajectory.mode_after[i] = trajectory.mode[i]
        trajectory.mode[i] = trajectory.mode_before[i]
        trajectory.entered[i] = 0
    swap_branches(trajectory)
    swap_states(trajectory)
    expand(trajectory)
    if guard >= 0:
        row = trajectory.guard_series[guard]
        note_delays(trajectory, row, 1.0, row, 0.0, trajectory.varied_guard_series[guard - model.WATCHED], row)
        finish(trajectory)
    else:
        pass_contacts(trajectory)
    swap_states(trajectory)


def pass_contacts(trajectory: Trajectory) -> None:
    """One after another, the contacts whose guards ended."""
    last = -1
    for i in range(model.CONTACTS):
        if has_ended(trajectory, i):
            last = i
    for i in range(model.CONTACTS):
        if has_ended(trajectory, i):
            note_contact(trajectory, i)
            if i == last:
                finish(trajectory)
            else:
                enter(trajectory, i)
                expand(trajectory)
                delay(trajectory)


def has_ended(trajectory: Trajectory, i: int) -> bool:
    """Whether a guard of contact i ended at the event: its slip velocity, or the static limit of its force."""
    if trajectory.mode_before[i] == 0:
        return trajectory.at_rest[i] == RELEASED
    return trajectory.at_rest[i] != 0


def finish(trajectory: Trajectory) -> None:
    """The modes and branches after the event, and the jump of every direction."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_after[i]:
            enter(trajectory, i)
    swap_branches(trajectory)
    expand(trajectory)
    delay(trajectory)


def enter(trajectory: Trajectory, i: int) -> None:
    """Let contact i enter its mode after the event, where internal states may jump."""
    trajectory.mode[i] = trajectory.mode_after[i]
    if model.RESETS > 0 and trajectory.mode_after[i] != trajectory.mode_before[i]:
        model.reset(trajectory, i)
        trajectory.entered[i] = 1


def swap_states(trajectory: Trajectory) -> None:
    """Exchange the states before and after the event, where they differ."""
    if model.RESETS > 0:
        for i in range(model.STATES):
            other = trajectory.state_before[i]
            trajectory.state_before[i] = trajectory.state[i]
            trajectory.state[i] = other


def swap_branches(trajectory: Trajectory) -> None:
    """Exchange the frozen branches before and after the event."""
    for i in range(model.BRANCHES):
        other = trajectory.branch_before[i]
        trajectory.branch_before[i] = trajectory.branch[i]
        trajectory.branch[i] = other


def note_contact(trajectory: Trajectory, i: int) -> None:
    """Delays for the guard of contact i in its mode: s v in slip, S − s λ in stick."""
    if trajectory.mode[i] != 0:
        row = trajectory.v_series[i]
        note_delays(trajectory, row, float(trajectory.mode[i]), row, 0.0, trajectory.varied_v_series[i], row)
    else:
        force = trajectory.force_series[i]
        side = 1.0 if force[0] > 0.0 else -1.0
        varied = trajectory.varied_force_series[i]
        note_delays(
            trajectory, force, -side, trajectory.static_series[i], 1.0, varied, trajectory.varied_static_series[i]
        )


def note_delays(
    trajectory: Trajectory, row: Floats, sign: float, added: Floats, weight: float, varied: Floats, varied_added: Floats
) -> None:
    """δt = −δφ/φ̇ of every direction for φ = sign·series + weight·another; and the rates before the event."""
    rate = sign * row[1] + weight * added[1]
    for i in range(model.STATES):
        trajectory.rate_before[i] = trajectory.state_series[i, 1]
    for d in range(trajectory.directions):
        model.tangent(trajectory, trajectory.variation[d], trajectory.varied[d])
        change = sign * varied[0]
        if weight != 0.0:
            change += weight * varied_added[0]
        trajectory.delay[d] = -change / rate if rate != 0.0 else 0.0


def delay(trajectory: Trajectory) -> None:
    """δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt, with the series of the modes after the event at hand."""
    for d in range(trajectory.directions):
        begin = trajectory.variation[d]
        if model.RESETS > 0:
            vary_resets(trajectory, begin, d)
        for i in range(model.STATES):
            if model.RESETS > 0 and trajectory.jumped[i] == 1:
                begin[i] = trajectory.carried[i] - trajectory.state_series[i, 1] * trajectory.delay[d]
            else:
                begin[i] += (trajectory.rate_before[i] - trajectory.state_series[i, 1]) * trajectory.delay[d]
    for i in range(model.CONTACTS):
        trajectory.entered[i] = 0


def vary_resets(trajectory: Trajectory, begin: int, d: int) -> None:
    """The jumps of direction d at the contacts that have just entered their modes."""
    for i in range(model.STATES):
        trajectory.jumped[i] = 0
    for i in range(model.CONTACTS):
        if trajectory.entered[i] == 1:
            model.vary_reset(trajectory, i, begin, trajectory.varied[d], trajectory.delay[d])


def enter_modes(trajectory: Trajectory) -> None:
    """State and directions jump from the modes in SAVED to those in FINAL, here and now."""
    for i in range(model.STATES):
        trajectory.rate_before[i] = 0.0
        trajectory.state_series[i, 1] = 0.0
    for d in range(trajectory.directions):
        trajectory.delay[d] = 0.0
    for i in range(model.CONTACTS):
        trajectory.mode[i] = trajectory.mode_before[i]
        trajectory.entered[i] = 0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_after[i]:
            enter(trajectory, i)
    delay(trajectory)
