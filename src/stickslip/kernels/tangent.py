"""Small changes carried along a motion, through every event: the variational equations with saltation.

A direction d is a change δz of the state, `variation[d]`, with a change of the parameter `varied_parameter[d]` (-1:
none; PARAMETERS: the time at which the motion starts). Along a step it follows the linearised equations. At an event
with guard φ, the neighbouring motion meets its event later by δt = −δφ/φ̇, so that

    δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt.

Where a contact comes to rest this removes δv; where it leaves rest with a continuous force it changes nothing.
An internal state that jumps there to r(z, t) has δr(δz⁻ + ż⁻ δt) − ż⁺ δt instead.
"""

from stickslip.kernels import model
from stickslip.kernels.mode import LEAVING, expand
from stickslip.kernels.polynomial import value_of
from stickslip.kernels.trajectory import Trajectory


def set_varied_series(trajectory: Trajectory, d: int) -> None:
    """The series of direction d on the step whose own series are set."""
    model.tangent(trajectory, trajectory.variation[d], trajectory.varied_parameter[d])


def carry_variations(trajectory: Trajectory) -> None:
    """Take every direction along the step whose series and powers are set."""
    for d in range(trajectory.directions):
        set_varied_series(trajectory, d)
        for i in range(model.STATES):
            trajectory.variation[d, i] = value_of(trajectory, trajectory.varied_state_series[i])


def note_branches(trajectory: Trajectory) -> None:
    """Remember the frozen branches before an event."""
    for i in range(model.BRANCHES):
        trajectory.branch_before[i] = trajectory.branch[i]


# -- events ------------------------------------------------------------------------------------------------------


def apply_saltation(trajectory: Trajectory, guard: int) -> None:
    """Take every direction through the event just decided, at which `mode_before` has become `mode`.

    Contacts whose guards ended here are passed one after another, so that contacts which do not feel each other may
    have their events at the same time. What changed as a consequence changes with the last of them.
    """
    trajectory.passed_guard = guard - model.WATCHED - model.GUARDS
    for i in range(model.CONTACTS):
        trajectory.mode_after[i] = trajectory.mode[i]
        trajectory.mode[i] = trajectory.mode_before[i]
        trajectory.entered[i] = 0
    swap_branches(trajectory)
    swap_states(trajectory)
    expand(trajectory)
    if guard >= 0:
        note_guard_delays(trajectory, guard)
        complete_event(trajectory)
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
            note_contact_delays(trajectory, i)
            if i == last:
                complete_event(trajectory)
            else:
                enter_mode(trajectory, i)
                expand(trajectory)
                jump_variations(trajectory)


def has_ended(trajectory: Trajectory, i: int) -> bool:
    """Whether a guard of contact i ended at the event: its slip velocity, or the static limit of its force."""
    if trajectory.mode_before[i] == 0:
        return trajectory.at_rest[i] == LEAVING
    return trajectory.at_rest[i] != 0


def complete_event(trajectory: Trajectory) -> None:
    """The modes and branches after the event, and the jump of every direction."""
    if model.OWN_GUARDS > 0 and trajectory.passed_guard >= 0:
        jump_at_guard(trajectory)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_after[i]:
            enter_mode(trajectory, i)
    swap_branches(trajectory)
    expand(trajectory)
    jump_variations(trajectory)


def jump_at_guard(trajectory: Trajectory) -> None:
    """States jump at a guard of a contact's own; before that it is noted what every direction adds to where."""
    for d in range(trajectory.directions):
        change = trajectory.variation[d]
        model.vary_jump(
            trajectory, trajectory.passed_guard, change, trajectory.varied_parameter[d], trajectory.delay[d]
        )
        for i in range(model.STATES):
            trajectory.jump_variation[d, i] = trajectory.reset_variation[i]
    model.jump(trajectory, trajectory.passed_guard)


def enter_mode(trajectory: Trajectory, i: int) -> None:
    """Let contact i enter its mode after the event, where internal states may jump."""
    trajectory.mode[i] = trajectory.mode_after[i]
    if model.RESETS > 0 and trajectory.mode_after[i] != trajectory.mode_before[i]:
        model.reset(trajectory, i)
        trajectory.entered[i] = 1


def enter_modes(trajectory: Trajectory) -> None:
    """State and directions jump from the modes `mode_before` to `mode_after`, here and now: no event delays them."""
    for i in range(model.STATES):
        trajectory.rate_before[i] = 0.0
        trajectory.state_series[i, 1] = 0.0
    for d in range(trajectory.directions):
        trajectory.delay[d] = 0.0
    trajectory.passed_guard = -1
    for i in range(model.CONTACTS):
        trajectory.mode[i] = trajectory.mode_before[i]
        trajectory.entered[i] = 0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_after[i]:
            enter_mode(trajectory, i)
    jump_variations(trajectory)


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


# -- delays and jumps --------------------------------------------------------------------------------------------


def note_guard_delays(trajectory: Trajectory, guard: int) -> None:
    """By how much each direction delays the end of a guard; and the rates before it."""
    note_rates(trajectory)
    rate = trajectory.guard_series[guard, 1]
    for d in range(trajectory.directions):
        set_varied_series(trajectory, d)
        trajectory.delay[d] = delay_of(trajectory.varied_guard_series[guard - model.WATCHED, 0], rate)


def note_contact_delays(trajectory: Trajectory, i: int) -> None:
    """The same for the guard of contact i in its mode: s v in slip, S − |λ| in stick."""
    note_rates(trajectory)
    mode = trajectory.mode[i]
    side = 1.0 if trajectory.force_series[i, 0] > 0.0 else -1.0
    if mode != 0:
        rate = mode * trajectory.v_series[i, 1]
    else:
        rate = trajectory.static_series[i, 1] - side * trajectory.force_series[i, 1]
    for d in range(trajectory.directions):
        set_varied_series(trajectory, d)
        if mode != 0:
            change = mode * trajectory.varied_v_series[i, 0]
        else:
            change = trajectory.varied_static_series[i, 0] - side * trajectory.varied_force_series[i, 0]
        trajectory.delay[d] = delay_of(change, rate)


def delay_of(change: float, rate: float) -> float:
    """δt = −δφ/φ̇; none where a guard does not move."""
    return -change / rate if rate != 0.0 else 0.0


def note_rates(trajectory: Trajectory) -> None:
    """Remember ż before an event."""
    for i in range(model.STATES):
        trajectory.rate_before[i] = trajectory.state_series[i, 1]


def jump_variations(trajectory: Trajectory) -> None:
    """δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt, with the series of the modes after the event at hand."""
    for d in range(trajectory.directions):
        change = trajectory.variation[d]
        delay = trajectory.delay[d]
        if model.RESETS > 0:
            vary_resets(trajectory, d)
        for i in range(model.STATES):
            if model.RESETS > 0 and trajectory.jumped[i] == 1:
                change[i] = trajectory.reset_variation[i] - trajectory.state_series[i, 1] * delay
            else:
                change[i] += (trajectory.rate_before[i] - trajectory.state_series[i, 1]) * delay
    for i in range(model.CONTACTS):
        trajectory.entered[i] = 0


def vary_resets(trajectory: Trajectory, d: int) -> None:
    """Where the internal states jump of contacts that have just entered their modes: δ of what they jump to."""
    for i in range(model.STATES):
        trajectory.jumped[i] = 0
        if model.OWN_GUARDS > 0 and trajectory.passed_guard >= 0:
            trajectory.jumped[i] = model.JUMPS[trajectory.passed_guard, i]
            trajectory.reset_variation[i] = trajectory.jump_variation[d, i]
    for i in range(model.CONTACTS):
        if trajectory.entered[i] == 1:
            model.vary_reset(
                trajectory, i, trajectory.variation[d], trajectory.varied_parameter[d], trajectory.delay[d]
            )
