"""One step of the classical Runge–Kutta method, of fixed length, and whether it follows the motion."""

from stickslip.kernels import model
from stickslip.kernels.mode import NOISE, expand
from stickslip.kernels.reach import spread
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.trajectory import Trajectory

HENON, BISECTION, LIVE = 0, 1, 2
"""How transitions are located; LIVE bisects, and slip follows the sign of v at every stage."""


class FixedStep(Record):
    """Runge–Kutta steps of fixed length: how they are made, and the present one."""

    step: float = field("length of the steps")
    band: float = field("a contact that slows down sticks as soon as |v| is below")
    method: int = field("HENON, BISECTION or LIVE")
    most_steps: int = field("steps after which to give up")

    # The start of the step.
    start_time: float = field("when it begins")
    start_state: Floats = field("the state there", model.STATES)
    first_term: Floats = field("Taylor coefficients of order 1 there", model.STATES)
    second_term: Floats = field("of order 2", model.STATES)
    third_term: Floats = field("of order 3", model.STATES)
    state_line: Floats = field("values and rates of states there", model.STATES, 2)
    v_line: Floats = field("of sliding velocities", model.CONTACTS, 2)
    force_line: Floats = field("of friction forces", model.CONTACTS, 2)

    # On the way.
    total: Floats = field("what the rates of the stages add up to", model.STATES)
    total_time: float = field("what those of the time add up to, where a guard is the independent variable")
    near_time: float = field("where Hénon's inversion begins: its time")
    near_state: Floats = field("its state", model.STATES)
    flipped: int = field("1 if a sliding velocity changed its sign between stages")

    # See `reach.py`.
    reach: Floats = field("how far states come on the step", model.STATES)
    reach_state: Floats = field("work space", model.STATES)
    reach_rate: Floats = field("work space", model.STATES)


def keep_start(trajectory: Trajectory, fixed: FixedStep) -> None:
    """Keep state, rates and series at the start of the step."""
    fixed.start_time = trajectory.time
    for i in range(model.STATES):
        fixed.start_state[i] = trajectory.state[i]
        fixed.first_term[i] = trajectory.state_series[i, 1]
        fixed.second_term[i] = trajectory.state_series[i, 2]
        fixed.third_term[i] = trajectory.state_series[i, 3]
        keep_line(trajectory.state_series[i], fixed.state_line[i])
    for i in range(model.CONTACTS):
        keep_line(trajectory.v_series[i], fixed.v_line[i])
        keep_line(trajectory.force_series[i], fixed.force_line[i])


def keep_line(series: Floats, line: Floats) -> None:
    """Value and rate of a series at its start."""
    line[0] = series[0]
    line[1] = series[1]


def set_rates(trajectory: Trajectory, fixed: FixedStep, method: int) -> int:
    """The rates at the present state, modes frozen; with a live sign, slip follows the sign of v at every stage."""
    if method == LIVE:
        model.ingredients(trajectory)
        for i in range(model.CONTACTS):
            if trajectory.mode[i] * trajectory.v[i] < 0.0:
                trajectory.mode[i] = -trajectory.mode[i]
                fixed.flipped = 1
    return expand(trajectory)


def runge_kutta(trajectory: Trajectory, fixed: FixedStep, h: float, method: int) -> int:
    """One step of the classical fourth-order method from the kept start."""
    for i in range(model.CONTACTS):
        trajectory.mode_before[i] = trajectory.mode[i]
    fixed.flipped = 0
    for i in range(model.STATES):
        fixed.total[i] = fixed.first_term[i]
        trajectory.state[i] = fixed.start_state[i] + 0.5 * h * fixed.first_term[i]
    trajectory.time = fixed.start_time + 0.5 * h
    for stage in range(3):
        if set_rates(trajectory, fixed, method) != 0:
            return 1
        weight = 1.0 if stage == 2 else 2.0
        ahead = 0.5 * h if stage == 0 else h
        trajectory.time = fixed.start_time + ahead
        for i in range(model.STATES):
            rate = trajectory.state_series[i, 1]
            fixed.total[i] += weight * rate
            trajectory.state[i] = fixed.start_state[i] + ahead * rate
    for i in range(model.STATES):
        trajectory.state[i] = fixed.start_state[i] + h / 6.0 * fixed.total[i]
    trajectory.time = fixed.start_time + h
    for i in range(model.CONTACTS):
        trajectory.mode[i] = trajectory.mode_before[i]
    return 0


def loses_the_motion(trajectory: Trajectory, fixed: FixedStep, h: float) -> bool:
    """Whether the step departs grossly from the series at its start: more than round-off or a flipped sign can do."""
    for i in range(model.STATES):
        fixed.reach[i] = 0.0
    if not departs(trajectory, fixed, h, 0.0):
        return False
    set_reach(trajectory, fixed, h)
    return departs(trajectory, fixed, h, 1.0 if fixed.flipped != 0 else NOISE)


def set_reach(trajectory: Trajectory, fixed: FixedStep, h: float) -> None:
    """How far each state would come on the step if friction did not balance the other forces."""
    model.ingredients(trajectory)
    for i in range(model.STATES):
        terms = abs(fixed.first_term[i])
        for j in range(model.CONTACTS):
            largest = max(abs(fixed.force_line[j, 0]), abs(trajectory.force_series[j, 0]))
            terms += abs(trajectory.G[i, j]) * largest
        fixed.reach[i] = h * terms
    spread(trajectory, h, fixed.reach, fixed.reach_state, fixed.reach_rate)


def departs(trajectory: Trajectory, fixed: FixedStep, h: float, part: float) -> bool:
    """Whether a state leaves the series, cut after the third power of h, by more than that part of its reach."""
    for i in range(model.STATES):
        first = fixed.first_term[i]
        second = fixed.second_term[i]
        short = first * h + second * h * h + fixed.third_term[i] * h * h * h
        size = abs(fixed.start_state[i]) + abs(first) * h + abs(second) * h * h
        if not (abs(trajectory.state[i] - fixed.start_state[i] - short) <= 0.3 * size + part * fixed.reach[i]):
            return True
    return False
