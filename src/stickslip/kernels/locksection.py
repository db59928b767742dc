"""Where a quantity of a trajectory in lockstep passes a value, or a state is largest, on the polynomials of a step.

As crossings.py, but with bounds in place of a search: they exclude a crossing, or tell that there is just one; where
they do neither, the step is halved. There is one crossing on a step at most, and no other time at which the state is
wanted, so that the place for one is enough (`stop_time`). See lockstep.py.
"""

from stickslip.kernels import machine, model
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.machine import any_lane
from stickslip.kernels.mode import NOISE
from stickslip.kernels.records import Floats

SOUGHT = machine.SECTIONS
"""1 if crossings are sought."""

MOST_LEADING = 4  # terms that are nothing where a quantity starts at its level
AT_LEVEL, MOST_HALVINGS = 4e-16, 60.0  # of the step; of the search


def note_crossing(lane: Lane, tick: Tick, observed: bool) -> None:
    """Let the state be wanted where the quantity crosses on the step, and remember the side it is on then.

    The side is remembered from step to step, so that a crossing where two steps meet counts once.
    """
    row = tick.probe
    size = set_polynomial(lane, tick, row)
    # A release is located within the tolerance: so is what has just begun to move.
    just_changed = lane.calm_steps <= 1.0
    noise = max(NOISE, machine.rough_exp2(lane.log_tolerance)) * size if just_changed else NOISE * size
    side = leading_side(row, noise)
    start_over(row, noise)
    end = 0.0
    bend = 0.0
    slope = 0.0
    for k in range(model.ORDER, 0, -1):
        end += row[k]
        slope += k * abs(row[k]) if k > 1 else 0.0
        bend += k * (k - 1) * abs(row[k])
    end += row[0]
    one_way = abs(row[1]) > slope
    away = min(side * row[0], side * end) > 0.125 * bend
    once = one_way and side * end < -noise and not away
    stays = away or (one_way and not once)
    known = side != 0.0
    meets = known and lane.section_side[0] == -side
    after = -side if once else side
    found = observed and known and (meets or once)
    recorded = found and (lane.section_direction[0] == 0.0 or lane.section_direction[0] == after)
    doubt = observed and known and (not (stays or once) or (meets and once) or abs(row[0]) <= noise)
    doubt = doubt or (recorded and tick.next_time >= lane.stop_time)
    tick.goes = 0.0 if doubt else tick.goes
    lane.longest_step = 0.5 * tick.step_length if doubt else lane.longest_step
    lane.calm_steps = 0.0 if doubt else lane.calm_steps
    recorded = recorded and not doubt
    if any_lane(recorded):
        place = root(row, side, recorded and once) if once else 0.0
        lane.stop_time = lane.time + place * tick.step_length if recorded else lane.stop_time
        lane.crossing[0] = 1.0 if recorded else lane.crossing[0]
    lane.section_side[0] = after if observed and known and not doubt else lane.section_side[0]


def set_polynomial(lane: Lane, tick: Tick, row: Floats) -> float:
    """The quantity minus its level, or the rate of the state whose maxima are sought, on the step; its size."""
    which = lane.section_which[0]
    level = lane.section_level[0]
    rate = lane.section_rate[0] > 0.0
    size = abs(level)
    power = 1.0
    for k in range(model.ORDER + 1):
        value = 0.0
        for i in range(model.STATES):
            value = tick.state_series[i, k] if which == 1.0 * i else value
        for i in range(model.CONTACTS):
            slips = which == 1.0 * (model.STATES + i) and lane.mode[i] != 0.0
            value = tick.v_series[i, k] if slips else value
        row[k] = value * power
        size += abs(row[k])
        power *= tick.step_length
        for i in range(model.CONTACTS):  # a rate is a sum of forces, which in stick cancel each other but for round-off
            size += abs(tick.force_series[i, k]) * power if rate else 0.0
    for i in range(model.CONTACTS):
        size += tick.acceleration_size[i] * tick.step_length if which == 1.0 * (model.STATES + i) else 0.0
    row[0] = row[0] - level
    for k in range(model.ORDER):
        row[k] = (k + 1) * row[k + 1] if rate else row[k]
    row[model.ORDER] = 0.0 if rate else row[model.ORDER]
    return size


def leading_side(row: Floats, noise: float) -> float:
    """The sign just after the start of the step; 0 where the quantity is at its level all the time."""
    side = 0.0
    for k in range(model.ORDER + 1):
        here = 1.0 if row[k] > 0.0 else -1.0
        side = here if side == 0.0 and abs(row[k]) > noise else side
    return side


def start_over(row: Floats, noise: float) -> None:
    """Divide out the zeros at the start of the step, which are no crossings of it."""
    for _ in range(MOST_LEADING):
        zero = abs(row[0]) <= noise
        if any_lane(zero):
            for k in range(model.ORDER):
                row[k] = row[k + 1] if zero else row[k]
            row[model.ORDER] = 0.0 if zero else row[model.ORDER]


def root(row: Floats, side: float, sought: bool) -> float:
    """The one zero of a polynomial on the step, from 0 to 1: Newton's method, kept between where it has both signs."""
    low = 0.0
    high = 1.0
    x = 0.5
    searching = sought
    turns = 0.0
    while any_lane(searching):
        value = row[model.ORDER]
        rate = 0.0
        for k in range(model.ORDER - 1, -1, -1):
            rate = rate * x + value
            value = value * x + row[k]
        before = side * value > 0.0
        low = x if searching and before else low
        high = x if searching and not before else high
        newton = x - value / rate
        inside = newton > low and newton < high
        following = newton if inside else 0.5 * (low + high)
        turns += 1.0
        near = abs(following - x) <= AT_LEVEL or turns >= MOST_HALVINGS
        x = following if searching else x
        searching = searching and not near
    return x


def begin_section(lane: Lane, which: int, level: float, is_rate: bool, direction: int) -> None:
    """What is sought, and that nothing is known yet."""
    for i in range(machine.SECTIONS):
        lane.section_which[i] = float(which)
        lane.section_level[i] = level
        lane.section_rate[i] = 1.0 if is_rate else 0.0
        lane.section_direction[i] = float(direction)
        lane.section_side[i] = 0.0
        lane.crossing[i] = 0.0
