"""How long a Taylor step may be: its last terms stay below the tolerance, relative to the leading ones."""

from math import exp, log

from stickslip.kernels.model import GUESS, N_STATES, NATURAL, ORDER, SERIES, TOLERANCE, WIDTH, Floats

LONGEST = 1e9


def set_natural_step(W: Floats) -> None:
    """The step length at which the last two terms of every state equal the tolerance times its leading three."""
    h = W[GUESS]
    for _ in range(4):
        last = 0.0
        before = 0.0
        for i in range(N_STATES):
            row = SERIES + i * WIDTH
            scale = abs(W[row]) + h * (abs(W[row + 1]) + h * abs(W[row + 2]))
            if scale > 0.0:
                last = max(last, abs(W[row + ORDER]) / scale)
                before = max(before, abs(W[row + ORDER - 1]) / scale)
        if last * h >= before:  # the last term dominates at this length, or else the one before it
            ratio = last
            power = ORDER
        else:
            ratio = before
            power = ORDER - 1
        following = LONGEST
        if ratio > 0.0:
            following = min(exp(log(W[TOLERANCE] / ratio) / power), LONGEST)
        W[NATURAL] = following
        if following == LONGEST:
            return
        W[GUESS] = following
        if 0.5 * h <= following and following <= 2.0 * h:
            return
        h = following
