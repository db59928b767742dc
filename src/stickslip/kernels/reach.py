"""How far a change of some states carries the others on a step: the measure of what is too small to matter.

The velocity of a mass that sticks is the round-off of forces that cancel, its change of place that of its velocity, and
so on along whatever is tied to it. None of them has a size of its own to compare with.
"""

from stickslip.kernels import model
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory


def spread(trajectory: Trajectory, h: float, reach: Floats, state: Floats, rate: Floats) -> None:
    """Let the changes of states in `reach` take along what depends on them, on a step of length h.

    `state` and `rate` are room for one number per state each.
    """
    model.ingredients(trajectory)
    for i in range(model.STATES):
        state[i] = trajectory.state[i]
        rate[i] = trajectory.f[i]
    for _ in range(model.STATES):
        for i in range(model.STATES):
            trajectory.state[i] = state[i] + reach[i]
        model.ingredients(trajectory)
        for i in range(model.STATES):
            reach[i] = max(reach[i], h * abs(trajectory.f[i] - rate[i]))
    for i in range(model.STATES):
        trajectory.state[i] = state[i]
    model.ingredients(trajectory)
