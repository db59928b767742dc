"""Where a contact changes its mode within a step of fixed length: by Hénon's inversion, or by bisection."""

from stickslip.kernels import model
from stickslip.kernels.mode import expand
from stickslip.kernels.runge_kutta import HENON, FixedStep, runge_kutta
from stickslip.kernels.trajectory import Trajectory

NO_TRANSITION, TOO_LARGE = 2.0, -1.0
"""In place of where a transition is in the step."""


def guard_value(trajectory: Trajectory, i: int) -> float:
    """What must stay positive for contact i: s·v in slip, S − |λ| in stick."""
    if trajectory.mode[i] != 0:
        return trajectory.mode[i] * trajectory.v_series[i, 0]
    return trajectory.static_series[i, 0] - abs(trajectory.force_series[i, 0])


def guard_rate(trajectory: Trajectory, i: int) -> float:
    """Its rate."""
    if trajectory.mode[i] != 0:
        return trajectory.mode[i] * trajectory.v_series[i, 1]
    force = trajectory.force_series[i]
    rate = force[1] if force[0] > 0.0 else -force[1]
    return trajectory.static_series[i, 1] - rate


def first_transition(trajectory: Trajectory, fixed: FixedStep, h: float) -> float:
    """Where in the step the first contact changes, with the state there; else NO_TRANSITION or TOO_LARGE."""
    earliest = NO_TRANSITION
    first = -1
    for i in range(model.CONTACTS):
        trajectory.root[i] = NO_TRANSITION
    for i in range(model.CONTACTS):
        # Just after release |v| is small too: only a contact that slows down comes to stick.
        slows_down = trajectory.mode[i] != 0 and trajectory.at_rest[i] == 0 and guard_rate(trajectory, i) < 0.0
        if guard_value(trajectory, i) < 0.0 or (slows_down and guard_value(trajectory, i) < fixed.band):
            trajectory.root[i] = 1.0
            first = i
    if first < 0:
        return NO_TRANSITION
    for i in range(model.CONTACTS):
        if trajectory.root[i] <= 1.0:
            if trajectory.at_rest[i] != 0 and trajectory.mode[i] != 0:
                return TOO_LARGE  # it began to slip in this very step
            locate(trajectory, fixed, i, h)
            root = (trajectory.time - fixed.start_time) / h
            if not (root >= 0.0 and root <= 1.0 + 1e-9):
                return TOO_LARGE
            root = min(root, 1.0)
            trajectory.root[i] = root
            if root < earliest:
                earliest = root
                first = i
            restore(trajectory, fixed, h)
    locate(trajectory, fixed, first, h)
    if expand(trajectory) != 0:
        return TOO_LARGE
    return earliest


def restore(trajectory: Trajectory, fixed: FixedStep, h: float) -> None:
    """Back to the end of the full step, where the other contacts are judged."""
    if runge_kutta(trajectory, fixed, h, fixed.method) == 0:
        expand(trajectory)


def locate(trajectory: Trajectory, fixed: FixedStep, i: int, h: float) -> None:
    """Bring state and time to the transition of contact i."""
    if fixed.method == HENON:
        invert(trajectory, fixed, i, h)
    else:
        bisect(trajectory, fixed, i, h)


def invert(trajectory: Trajectory, fixed: FixedStep, i: int, h: float) -> None:
    """Hénon's trick: one Runge–Kutta step in which the guard is the independent variable, from its value to 0.

    All states are inverted, dz/dg = ż/ġ, and time with them, dt/dg = 1/ġ. That needs a guard that falls steadily.
    """
    come_near(trajectory, fixed, i, h)
    distance = -guard_value(trajectory, i)
    fixed.near_time = trajectory.time
    fixed.total_time = 0.0
    for j in range(model.STATES):
        fixed.near_state[j] = trajectory.state[j]
        fixed.total[j] = 0.0
    for stage in range(4):
        if stage > 0:
            expand(trajectory)
        inverse = distance / guard_rate(trajectory, i)
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = 0.5 if stage < 2 else 1.0
        for j in range(model.STATES):
            slope = trajectory.state_series[j, 1] * inverse
            fixed.total[j] += weight * slope
            trajectory.state[j] = fixed.near_state[j] + ahead * slope
        fixed.total_time += weight * inverse
        trajectory.time = fixed.near_time + ahead * inverse
    for j in range(model.STATES):
        trajectory.state[j] = fixed.near_state[j] + fixed.total[j] / 6.0
    trajectory.time = fixed.near_time + fixed.total_time / 6.0


def come_near(trajectory: Trajectory, fixed: FixedStep, i: int, h: float) -> None:
    """Go to a point before the transition from which the guard falls at a steady rate, within a quarter.

    As a rule that is the start of the step; near a tangency the step is halved a few times first.
    """
    low = 0.0
    high = h
    for _ in range(30):
        go_to(trajectory, fixed, high)
        last = guard_rate(trajectory, i)
        go_to(trajectory, fixed, low)
        first = guard_rate(trajectory, i)
        if first < 0.0 and last < 0.0 and first / last > 0.8 and first / last < 1.25:
            return
        middle = 0.5 * (low + high)
        go_to(trajectory, fixed, middle)
        if guard_value(trajectory, i) < 0.0:
            high = middle
        else:
            low = middle
    go_to(trajectory, fixed, low)


def go_to(trajectory: Trajectory, fixed: FixedStep, h: float) -> None:
    """State and series a time h after the start of the step."""
    runge_kutta(trajectory, fixed, h, HENON)
    expand(trajectory)


def bisect(trajectory: Trajectory, fixed: FixedStep, i: int, h: float) -> None:
    """Halve the step until the guard is zero to round-off, or, with a band, until |v| lies inside it."""
    low = 0.0
    high = h
    for _ in range(60):
        middle = 0.5 * (low + high)
        if runge_kutta(trajectory, fixed, middle, fixed.method) != 0:
            return
        expand(trajectory)
        value = guard_value(trajectory, i)
        if trajectory.mode[i] != 0 and abs(value) < fixed.band:
            return
        if value < 0.0:
            high = middle
        else:
            low = middle
        if high - low <= 1e-15 * h:
            return
