"""What friction cannot be: for methods that look at the ends of their steps only."""

from stickslip.kernels import model, outcome
from stickslip.kernels.trajectory import Trajectory


def impossible(trajectory: Trajectory, contact: int, slips: int) -> int:
    """How the run ends where the friction of a contact is negative at the present state; FINISHED if it is not."""
    if trajectory.S[contact] < 0.0:
        for i in range(model.WATCHED):
            if model.WATCHED_CONTACT[i] == contact and model.WATCHED_OUTCOME[i] == outcome.LIFT_OFF:
                return outcome.LIFT_OFF
    if (trajectory.R[contact] if slips != 0 else trajectory.S[contact]) < 0.0:
        return outcome.NEGATIVE_FRICTION
    return outcome.FINISHED
