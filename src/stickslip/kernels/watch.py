"""What friction cannot be: for methods that look at the ends of their steps only."""

from stickslip.kernels.model import N_WATCHED, WATCHED_CONTACT, WATCHED_STATUS, Floats, R, S
from stickslip.kernels.outcome import FINISHED, LIFT_OFF, NEGATIVE_FRICTION


def impossible(W: Floats, contact: int, slips: int) -> int:
    """How the run ends where the friction of a contact is negative at the present state; FINISHED if it is not."""
    if W[S + contact] < 0.0:
        for i in range(N_WATCHED):
            if WATCHED_CONTACT[i] == contact and WATCHED_STATUS[i] == LIFT_OFF:
                return LIFT_OFF
    if (W[R + contact] if slips != 0 else W[S + contact]) < 0.0:
        return NEGATIVE_FRICTION
    return FINISHED
