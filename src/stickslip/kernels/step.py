"""How long a Taylor step may be: the last terms of its series stay below the tolerance."""

from math import exp, log, sqrt

from stickslip.kernels import model
from stickslip.kernels.machine import rough_log2
from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory

LONGEST = 1e100
STICK_ROOM = 9e3  # 2·1e-12/ε
REST_ROOM = 9.0  # 2·1e-15/ε
VANISHED = 1e-290  # numbers below it have lost digits, since the range of floating point ends at 1e-308
LOG_2 = 0.6931471805599453
FADED = 60.0  # e^−60 is nothing, whatever it is multiplied with
RELAXING = 1.0 / 6.0  # of ORDER/rate: a motion that has relaxed allows more, but small changes of it do not
STRIDE = 4.0  # over which a series of order 16 or more still follows an exponential


def last_term(series: Floats, h: float, extra: float) -> float:
    """The last term of a series (or the one before, if larger at length h) relative to its leading three terms.

    Both are given as if they stood at the last order, that is, divided by h to that power. The scale is known before
    the last terms are, so that its reciprocal need not be waited for.
    """
    scale = abs(series[0]) + h * (abs(series[1]) + h * abs(series[2])) + extra
    if scale < VANISHED:
        scale = later_terms(series, h)
        if scale < VANISHED:
            return 0.0
    return max(abs(series[model.ORDER]) * h, abs(series[model.ORDER - 1])) * (1.0 / scale)


def later_terms(series: Floats, h: float) -> float:
    """The terms of a series between its leading three, which are zero, and its last two: the measure where it rises
    from rest."""
    total = 0.0
    for k in range(model.ORDER - 2, 2, -1):
        total = total * h + abs(series[k])
    return total * h * h * h


def power_of(h: float) -> float:
    """h to the power ORDER − 1, by squaring."""
    result = 1.0
    square = h
    rest = model.ORDER - 1
    while rest > 0:
        if rest % 2 == 1:
            result *= square
        square *= square
        rest = rest // 2
    return result


def length_for(tolerance: float, largest: float, h: float) -> float:
    """The length at which `largest` times its power ORDER − 1 equals the tolerance, from the guess h.

    Half a percent is good enough, so the root is taken by a rough logarithm and three terms of the exponential.
    After an event the guess may be far off; where its power is out of range, logarithms are right.
    """
    excess = largest * (power_of(h) / tolerance)
    exponent = -LOG_2 / (model.ORDER - 1) * rough_log2(excess)
    if abs(exponent) < 1.0:
        return h + h * exponent * (1.0 + exponent * (0.5 + exponent * (1.0 / 6.0)))
    if VANISHED < excess and excess < 1.0 / VANISHED:
        return h * exp(exponent)
    return exp((log(tolerance) - log(largest)) / (model.ORDER - 1))


def set_natural_step(trajectory: Trajectory) -> None:
    """The step length at which the last terms of every series that matters equal the tolerance.

    Every quantity on which a guard depends has a say of its own: in stick the states say little about the friction
    force, which decides when stick ends; in slip they know nothing of a belt that moves in time.
    """
    h = trajectory.step_guess
    for _ in range(6):
        largest = 0.0
        for i in range(model.STATES):
            largest = max(largest, last_term(trajectory.state_series[i], h, 0.0))
        for i in range(model.CONTACTS):
            if trajectory.mode[i] != 0:
                if model.DRIVEN[i] == 1 or is_small(trajectory, i, h):
                    largest = max(largest, last_term(trajectory.v_series[i], h, 0.0))
            else:
                static = trajectory.static_series[i]
                largest = max(largest, last_term(trajectory.force_series[i], h, static[0]))
                largest = max(largest, last_term(static, h, 0.0))
        for i in range(model.WATCHED + model.GUARDS + model.OWN_GUARDS):
            largest = max(largest, last_term(trajectory.guard_series[i], h, 0.0))
        if largest == 0.0:
            trajectory.natural_step = LONGEST
            break
        following = min(length_for(trajectory.tolerance, largest, h), LONGEST)
        trajectory.natural_step = following
        trajectory.step_guess = following
        if 0.3 * h <= following and following <= 3.0 * h:  # the leading terms hardly depend on h
            break
        h = following
    if model.STIFF > 0:
        trajectory.natural_step = min(
            trajectory.natural_step, RELAXING * model.ORDER / max(model.fastest(trajectory), 1.0 / LONGEST)
        )
    if model.RESOLVED > 0:
        trajectory.natural_step = within_strides(trajectory, trajectory.natural_step)


def is_small(trajectory: Trajectory, i: int, h: float) -> bool:
    """Whether a sliding velocity must be right relative to itself, since the velocities it is made of are much larger,
    or since it has just begun to grow from zero."""
    row = trajectory.v_series[i]
    growth = h * (abs(row[1]) + h * abs(row[2]))
    return abs(row[0]) < 0.01 * growth or abs(row[0]) + growth < 0.1 * trajectory.v_size[i]


def within_strides(trajectory: Trajectory, h: float) -> float:
    """The step shortened until every exponential moves by one stride at most, or stays where it is nothing.

    A function such as exp(−(v/v_s)²) is so small far from rest that a series made there does not feel it.
    """
    for i in range(model.RESOLVED):
        row = trajectory.resolved_series[i]
        depth = abs(row[0]) if model.EVEN[i] == 1 else -row[0]
        room = max(STRIDE, depth - FADED)
        moved = moved_by(row, h)
        while moved > room:
            # A series of positive terms shrinks at least as fast as its argument: the first of both is enough.
            h *= max(room / moved, 0.5)
            moved = moved_by(row, h)
    return h


def moved_by(series: Floats, h: float) -> float:
    """A bound on how far a series moves from its start within h."""
    total = 0.0
    for k in range(model.ORDER, 0, -1):
        total = (total + abs(series[k])) * h
    return total


def stick_room(trajectory: Trajectory) -> float:
    """The longest step in stick on which round-off does not move the positions.

    What round-off leaves of the acceleration, ε·SCALE, moves a position by ε·SCALE·τ²/2 before v is put to zero again.
    That must stay below 1e-12 of the motion itself, |ż|·τ, or, where there is next to none, below 1e-15 of the state.
    """
    steepest = 0.0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0 and model.RIGID[i] == 1 and model.DRIVEN[i] == 0:
            steepest = max(steepest, trajectory.acceleration_size[i])
    if steepest == 0.0:
        return LONGEST
    size = 0.0
    speed = 0.0
    for i in range(model.STATES):
        size = max(size, abs(trajectory.state_series[i, 0]))
        speed = max(speed, abs(trajectory.state_series[i, 1]))
    return max(STICK_ROOM * speed / steepest, sqrt(REST_ROOM * size / steepest))
