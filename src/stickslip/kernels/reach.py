"""How far a change of some states carries the others on a step: the measure of what is too small to matter.

The velocity of a mass that sticks is the round-off of forces that cancel, its change of place that of its velocity, and
so on along whatever is tied to it. None of them has a size of its own to compare with.
"""

from stickslip.kernels.model import N_STATES, STATE, F, Floats, Ints, ingredients


def spread(W: Floats, I: Ints, h: float, reach: int, scratch: int) -> None:
    """Let the changes of states in W[reach…] take along what depends on them, on a step of length h.

    W[scratch…] has room for two numbers per state.
    """
    ingredients(W, I)
    for i in range(N_STATES):
        W[scratch + i] = W[STATE + i]
        W[scratch + N_STATES + i] = W[F + i]
    for _ in range(N_STATES):
        for i in range(N_STATES):
            W[STATE + i] = W[scratch + i] + W[reach + i]
        ingredients(W, I)
        for i in range(N_STATES):
            W[reach + i] = max(W[reach + i], h * abs(W[F + i] - W[scratch + N_STATES + i]))
    for i in range(N_STATES):
        W[STATE + i] = W[scratch + i]
    ingredients(W, I)
