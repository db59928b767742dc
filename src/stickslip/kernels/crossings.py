"""Where quantities pass a value or turn, on the polynomials of one step: sections, maxima, extents."""

from stickslip.kernels import model, observation, polynomial
from stickslip.kernels.mode import NOISE
from stickslip.kernels.observation import Request, Result, Ring, Row, Tally
from stickslip.kernels.records import Floats, Records
from stickslip.kernels.trajectory import Trajectory


def record_crossings(
    trajectory: Trajectory, request: Request, tally: Tally, rows: Records[Row], result: Result
) -> None:
    """Record where a quantity passes its level, or a state is largest, kinks at events included.

    The side is remembered from step to step, so that a crossing where two steps meet counts once.
    """
    which = request.which
    if request.kind == observation.MAXIMA:
        size = set_rate(trajectory, trajectory.state_series[which])
    elif which < model.STATES:
        size = set_value(trajectory, trajectory.state_series[which], request.level)
    else:
        contact = which - model.STATES
        size = set_value(trajectory, trajectory.v_series[contact], request.level)
        # At a release the forces cancel each other: what round-off leaves of them is no motion.
        size += trajectory.acceleration_size[contact] * tally.step_length
    tally.side = find_crossings(trajectory, tally, tally.side, NOISE * size)
    for k in range(tally.crossings):
        if request.direction == 0 or request.direction == tally.crossing_side[k]:
            tau = tally.crossing_place[k] * tally.step_length
            set_state(trajectory, tally, tau)
            observation.add_row(rows, request, result, tally.step_start + tau, tally.state)


def remember_peaks(trajectory: Trajectory, tally: Tally, ring: Ring) -> None:
    """Remember the maxima of the first state: the returns of a motion that neither sticks nor is excited."""
    size = set_rate(trajectory, trajectory.state_series[0])
    tally.peak_side = find_crossings(trajectory, tally, tally.peak_side, NOISE * size)
    for k in range(tally.crossings):
        if tally.crossing_side[k] < 0:
            tau = tally.crossing_place[k] * tally.step_length
            set_state(trajectory, tally, tau)
            observation.add_return(ring, tally.step_start + tau, observation.NO_CONTACT, tally.releases, tally.state)


def widen_extent(trajectory: Trajectory, tally: Tally, which: int, result: Result) -> None:
    """Widen the extent of a state by what it reaches on the step."""
    series = trajectory.state_series[which]
    size = set_rate(trajectory, series)
    reach = size - abs(series[0])
    if series[0] + reach <= result.highest[which] and series[0] - reach >= result.lowest[which]:
        return
    include(result, which, horner(series, tally.step_length))
    find_crossings(trajectory, tally, 0, NOISE * size)
    for k in range(tally.crossings):
        include(result, which, horner(series, tally.crossing_place[k] * tally.step_length))


def include(result: Result, which: int, value: float) -> None:
    """Let the extent of a state reach to a value."""
    result.lowest[which] = min(result.lowest[which], value)
    result.highest[which] = max(result.highest[which], value)


def set_state(trajectory: Trajectory, tally: Tally, tau: float) -> None:
    """The state at the time tau of the step."""
    for i in range(model.STATES):
        tally.state[i] = horner(trajectory.state_series[i], tau)


def horner(series: Floats, tau: float) -> float:
    """A series at the time tau of the step, by Horner's method."""
    total = series[model.ORDER]
    for k in range(model.ORDER - 1, -1, -1):
        total = total * tau + series[k]
    return total


def set_value(trajectory: Trajectory, series: Floats, level: float) -> float:
    """The polynomial of a quantity minus the level, on the whole step; its size."""
    size = abs(level)
    for k in range(model.ORDER + 1):
        trajectory.polynomial[k] = series[k] * trajectory.power[k]
        size += abs(trajectory.polynomial[k])
    trajectory.polynomial[0] -= level
    return size


def set_rate(trajectory: Trajectory, series: Floats) -> float:
    """The polynomial of the rate of a quantity, on the whole step; the size of the quantity."""
    size = abs(series[0])
    for k in range(model.ORDER):
        term = series[k + 1] * trajectory.power[k + 1]
        size += abs(term)
        trajectory.polynomial[k] = (k + 1) * term
    trajectory.polynomial[model.ORDER] = 0.0
    return size


def find_crossings(trajectory: Trajectory, tally: Tally, side_before: int, noise: float) -> int:
    """Where on the step the polynomial changes its sign, to the tally; the sign at the end of the step.

    The first place is 0 where the sign is not that at the end of the step before. The sign stays as it was where the
    polynomial is zero but for noise, also at the end of the step: on which side it goes on from there, the next one
    tells.
    """
    tally.crossings = 0
    side = leading_side(trajectory, noise)
    if side == 0:
        return side_before
    if side_before == -side:
        add_crossing(tally, 0.0, side)
    if side < 0:
        for k in range(model.ORDER + 1):
            trajectory.polynomial[k] = -trajectory.polynomial[k]
    before = 0.0
    x = next_crossing(trajectory, before)
    while x <= 1.0 and tally.crossings <= model.ORDER and not is_nothing(trajectory, before, x, noise):
        side = -side
        add_crossing(tally, x, side)
        before = x
        x = next_crossing(trajectory, before)
    return side


def is_nothing(trajectory: Trajectory, before: float, x: float, noise: float) -> bool:
    """Whether the polynomial is zero but for noise from its zero x on, which came after the place `before`."""
    total = 0.0
    for k in range(model.ORDER + 1):
        total += abs(trajectory.polynomial[k])
    return total * (1.0 - x) <= noise * (1.0 - before)


def add_crossing(tally: Tally, x: float, side: int) -> None:
    """Add a place of the step, and the sign after it."""
    tally.crossing_place[tally.crossings] = x
    tally.crossing_side[tally.crossings] = side
    tally.crossings += 1


def leading_side(trajectory: Trajectory, noise: float) -> int:
    """The sign of the polynomial just after the start of the step, where leading terms below noise are divided out."""
    lead = 0
    while lead <= model.ORDER and abs(trajectory.polynomial[lead]) <= noise:
        lead += 1
    if lead > model.ORDER:
        return 0
    if lead > 0:
        for k in range(model.ORDER + 1):
            trajectory.polynomial[k] = trajectory.polynomial[k + lead] if k + lead <= model.ORDER else 0.0
    return 1 if trajectory.polynomial[0] > 0.0 else -1


def next_crossing(trajectory: Trajectory, x: float) -> float:
    """The first zero after the place x of the step; 2 if there is none.

    The polynomial is positive from x on, and then again from the zero on.
    """
    y = polynomial.first_crossing(trajectory)
    if y > 1.0:
        return 2.0
    # Taylor expansion about y, by repeated division; the root at its start is divided out.
    for i in range(model.ORDER):
        for k in range(model.ORDER - 1, i - 1, -1):
            trajectory.polynomial[k] += y * trajectory.polynomial[k + 1]
    power = 1.0
    for k in range(model.ORDER):
        trajectory.polynomial[k] = -trajectory.polynomial[k + 1] * power
        power *= 1.0 - y
    trajectory.polynomial[model.ORDER] = 0.0
    return x + y * (1.0 - x)
