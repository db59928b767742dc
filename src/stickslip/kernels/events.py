"""The first event on a step: where the first guard ends.

A guard is a polynomial on the step: ±v of a slipping contact, S ∓ λ of a sticking one, something that is watched, the
guard of a frozen branch, or a guard of a contact's own.
"""

from stickslip.kernels import model
from stickslip.kernels.polynomial import first_crossing, stays_positive, value_at
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory

GUARD_NOISE = 1e-11  # and so far beyond it may be when a step begins


def earliest_event(trajectory: Trajectory, h: float) -> float:
    """Where on the step, in [0, 1], the first guard ends; 2 when none does.

    `guard` becomes -1 for a contact, else the number of what is watched, of the guard of a frozen branch or, after
    those, of a guard of a contact's own.
    """
    earliest = 2.0
    for i in range(model.CONTACTS):
        # Where a contact was at rest when the step began, zeros there are not events: divide them out.
        noise = trajectory.blur * trajectory.load[i] if trajectory.at_rest[i] != 0 else -1.0
        if trajectory.mode[i] != 0:
            row = trajectory.v_series[i]
            sign = float(trajectory.mode[i])
            noise *= h
            root = (
                2.0
                if stays_positive(trajectory, row, sign, noise)
                else crossing_of(trajectory, row, sign, row, 0.0, noise)
            )
        elif model.LIMITED[i] == 0:
            root = 2.0  # guards of its own end stick
        else:
            force = trajectory.force_series[i]
            static = trajectory.static_series[i]
            root = crossing_of(trajectory, force, -1.0, static, 1.0, noise)
            root = min(root, crossing_of(trajectory, force, 1.0, static, 1.0, noise))
        trajectory.root[i] = root
        earliest = min(earliest, root)
    trajectory.guard = -1
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        root = guard_crossing(trajectory, g)
        if root < earliest:
            earliest = root
            trajectory.guard = g
    for g in range(model.WATCHED):
        root = guard_crossing(trajectory, g)
        if root < earliest:
            earliest = root
            trajectory.guard = branch_ending(trajectory, g, root * h)
    for g in range(model.OWN_GUARDS):
        if is_active(trajectory, g):
            root = guard_crossing(trajectory, model.WATCHED + model.GUARDS + g)
            contact = model.OWN_GUARD_CONTACT[g]
            if model.OWN_GUARD_RELEASES[g] == 1:
                trajectory.root[contact] = min(trajectory.root[contact], root)
                earliest = min(earliest, root)
            elif root < earliest:
                earliest = root
                trajectory.guard = model.WATCHED + model.GUARDS + g
    return earliest


def is_active(trajectory: Trajectory, own_guard: int) -> bool:
    """Whether a guard of a contact's own counts in the mode that the contact is in."""
    sticks = trajectory.mode[model.OWN_GUARD_CONTACT[own_guard]] == 0
    return sticks == (model.OWN_GUARD_STICK[own_guard] == 1)


def branch_ending(trajectory: Trajectory, watched: int, tau: float) -> int:
    """The frozen branch that ends together with something watched, or else this itself.

    The branch comes first: max(0, N) ends at zero, and is not negative beyond.
    """
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        if abs(value_at(trajectory.guard_series[g], tau)) <= guard_noise(trajectory, g):
            return g
    return watched


def guard_noise(trajectory: Trajectory, g: int) -> float:
    """What round-off leaves of a guard that is zero.

    A velocity of zero is so because forces cancel: what they leave, times a step, is no motion.
    """
    return GUARD_NOISE * (
        trajectory.guard_size[g] + max(trajectory.step_guess, trajectory.last_step) * trajectory.guard_rate_size[g]
    )


def guard_crossing(trajectory: Trajectory, g: int) -> float:
    """Where on the step something watched, or the guard of a frozen branch, turns negative."""
    row = trajectory.guard_series[g]
    noise = guard_noise(trajectory, g)
    return 2.0 if stays_positive(trajectory, row, 1.0, 0.0) else crossing_of(trajectory, row, 1.0, row, 0.0, noise)


def crossing_of(trajectory: Trajectory, row: Floats, sign: float, added: Floats, weight: float, noise: float) -> float:
    """Where sign·series + weight·another turns negative on the step; leading terms below `noise` are divided out."""
    for k in range(model.ORDER + 1):
        trajectory.polynomial[k] = (sign * row[k] + weight * added[k]) * trajectory.power[k]
    if abs(trajectory.polynomial[0]) <= noise:
        lead = 0
        while lead <= model.ORDER and abs(trajectory.polynomial[lead]) <= noise:
            lead += 1
        if lead > model.ORDER:
            return 2.0  # it is held at zero
        # What is above zero by no more than round-off, but falls, ends a little later and not at once: a step that is
        # not empty comes nearer to the truth.
        if trajectory.polynomial[lead] > 0.0 or trajectory.polynomial[0] <= 0.0:
            for k in range(model.ORDER + 1):
                trajectory.polynomial[k] = trajectory.polynomial[k + lead] if k + lead <= model.ORDER else 0.0
    return first_crossing(trajectory)
