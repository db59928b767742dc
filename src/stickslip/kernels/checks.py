"""What a run checks itself, and why it ends where that fails."""

from stickslip.kernels import model, outcome
from stickslip.kernels.mode import NOISE
from stickslip.kernels.polynomial import value_at
from stickslip.kernels.trajectory import Trajectory

ACCUMULATED = 10  # rapid events in a row that are no chance
DOUBT = 1e-9  # of the size of what is watched: nearer to zero it says nothing at the beginning of a step
BROKEN = 1e-6  # see `allowance`


def why_undecided(trajectory: Trajectory) -> int:
    """Why no modes were found: a contact pulls; or events have followed each other ever faster, until all that they are
    about is zero; or it is not known."""
    reason = impossible_friction(trajectory)
    if reason != outcome.FINISHED:
        return reason
    return outcome.CHATTERING if trajectory.rapid_events > ACCUMULATED else outcome.INDETERMINATE


def impossible_friction(trajectory: Trajectory) -> int:
    """outcome.FINISHED, or why the step cannot be taken: a contact that pulls, or friction that pushes.

    So it is where a formula jumps. What comes down to zero ends a step, and is no more than round-off or the tolerance
    beyond it.
    """
    for g in range(model.WATCHED):
        if trajectory.guard_series[g, 0] < -DOUBT * trajectory.guard_size[g]:
            trajectory.stopping_contact = model.WATCHED_CONTACT[g]
            return model.WATCHED_OUTCOME[g]
    for i in range(model.CONTACTS):
        pushes = trajectory.mode[i] * trajectory.force_series[i, 0] > DOUBT * trajectory.S_size[i]
        if pushes and model.LIMITED[i] == 1:
            trajectory.stopping_contact = i
            return outcome.NEGATIVE_FRICTION
    return outcome.FINISHED


def strays(trajectory: Trajectory, tau: float) -> bool:
    """Whether the polynomial of a sliding velocity that moves otherwise than the states is not what it should be at the
    end of the step: then its zeros are none."""
    driven = False
    for i in range(model.CONTACTS):
        driven = driven or model.DRIVEN[i] == 1
    if not driven:
        return False
    model.ingredients(trajectory)
    for i in range(model.CONTACTS):
        row = trajectory.v_series[i]
        scale = trajectory.v_size[i] + abs(trajectory.v[i]) + abs(row[0]) + tau * abs(row[1])
        if (
            model.DRIVEN[i] == 1
            and model.RIGID[i] == 1
            and abs(value_at(row, tau) - trajectory.v[i]) > allowance(trajectory) * scale
        ):
            return True
    return False


def allowance(trajectory: Trajectory) -> float:
    """Of what a quantity is made of: so much may no step be off."""
    return max(BROKEN, 1e3 * trajectory.tolerance)


def breaks_invariants(trajectory: Trajectory) -> bool:
    """Whether the state to which a step without event has led contradicts the modes.

    What slips has kept its direction, and what sticks is held. This is so unless a step was too long for something that
    it did not resolve: then the run must not go on as if nothing were wrong.
    """
    for i in range(model.CONTACTS):
        row = trajectory.v_series[i]
        forward = trajectory.mode[i] * row[0]
        if forward < 0.0:
            motion = -forward + trajectory.step_guess * abs(row[1]) + NOISE * trajectory.v_size[i]
            if -forward > allowance(trajectory) * motion:
                return True
        if trajectory.mode[i] == 0 and model.RIGID[i] == 1:
            static = trajectory.static_series[i, 0]
            force = abs(trajectory.force_series[i, 0])
            if force > static and force - static > allowance(trajectory) * (force + static + trajectory.load[i]):
                return True
    return False
