"""How far the states of a trajectory in lockstep reach: their extents, widened step by step. See lockstep.py."""

from stickslip.kernels import locksection, machine, model
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.lockevents import BEND, RATE, tail_of
from stickslip.kernels.machine import any_lane
from stickslip.kernels.mode import NOISE
from stickslip.kernels.records import Floats

CLOSE_ENOUGH, MOST_STEPS_TO_EXTREME = 1e-3, 20.0
LAST_STATE = model.STATES - 1


def note_extents(lane: Lane, tick: Tick, observed: bool) -> None:
    """Widen the extent of every state by what it reaches on the step, and add up the time in stick."""
    tau = tick.step_length
    for i in range(model.STATES):
        tick.unsure[i] = 1.0 if observed and may_leave(lane, tick, i, tau) else 0.0
    if any_lane(is_unsure(tick)):
        waits = widen(lane, tick, tau)
        tick.goes = 0.0 if waits else tick.goes
        lane.longest_step = 0.5 * tau if waits else lane.longest_step
        lane.calm_steps = 0.0 if waits else lane.calm_steps
    if machine.SECTIONS:
        locksection.note_crossing(lane, tick, observed and tick.goes > 0.0)
    for i in range(model.CONTACTS):
        sticks = observed and tick.goes > 0.0 and lane.mode[i] == 0.0
        if any_lane(sticks):
            lane.stick_time[i] = lane.stick_time[i] + tau if sticks else lane.stick_time[i]


def may_leave(lane: Lane, tick: Tick, i: int, tau: float) -> bool:
    """Whether a state may reach beyond its extent on the step.

    A curve leaves its chord by an eighth of its bend at most; round-off is no motion.
    """
    row = tick.state_series[i]
    square = tau * tau
    bend = abs(row[2]) * square * 0.25 + abs(row[3]) * (square * tau) * 0.75
    bulge = bend + 0.125 * BEND * tail_of(row, tau) - NOISE * abs(row[0])
    low = lane.lowest[i] + bulge
    high = lane.highest[i] - bulge
    return row[0] < low or tick.next_state[i] < low or row[0] > high or tick.next_state[i] > high


def widen(lane: Lane, tick: Tick, tau: float) -> bool:
    """The extents with where the step leads and the places where states turn, one state after the other.

    Where a state may turn more than once, the step is not gone: it waits.
    """
    waits = False
    searching = is_unsure(tick)
    row = tick.probe
    while any_lane(searching):
        end = tick.next_state[LAST_STATE]
        for i in range(LAST_STATE - 1, -1, -1):
            end = tick.next_state[i] if tick.unsure[i] > 0.0 else end
        for k in range(model.ORDER + 1):
            row[k] = tick.state_series[LAST_STATE, k]
            for i in range(LAST_STATE - 1, -1, -1):
                row[k] = tick.state_series[i, k] if tick.unsure[i] > 0.0 else row[k]
        turns = searching and not goes_one_way(row, tau)
        once = bends_one_way(row, tau)  # then the rate has one zero at most
        waits = waits or (turns and not once)
        value = end
        if any_lane(turns and once):
            value = extreme(row, tau, turns and once) if turns and once else end
        taken = not searching
        for i in range(model.STATES):
            this = tick.unsure[i] > 0.0 and not taken
            lane.lowest[i] = min(lane.lowest[i], min(value, end)) if this else lane.lowest[i]
            lane.highest[i] = max(lane.highest[i], max(value, end)) if this else lane.highest[i]
            tick.unsure[i] = 0.0 if this else tick.unsure[i]
            taken = taken or this
        searching = is_unsure(tick)
    return waits


def is_unsure(tick: Tick) -> bool:
    """Whether a state may reach farther than it is known to."""
    unsure = False
    for i in range(model.STATES):
        unsure = unsure or tick.unsure[i] > 0.0
    return unsure


def goes_one_way(row: Floats, tau: float) -> bool:
    """Whether the rate keeps its sign: its first term outweighs all others."""
    b2 = tau * abs(row[2])
    b3 = tau * tau * abs(row[3])
    return tau * abs(row[1]) > tau * (2.0 * b2 + 3.0 * b3) + RATE * tail_of(row, tau)


def bends_one_way(row: Floats, tau: float) -> bool:
    """Whether the second derivative keeps its sign: 2c₂ + 6c₃t does, and outweighs all further terms."""
    begin = 2.0 * row[2]
    end = begin + 6.0 * tau * row[3]
    others = 0.0
    for k in range(model.ORDER, 3, -1):
        others = others * tau + k * (k - 1) * abs(row[k])
    return begin * end > 0.0 and min(abs(begin), abs(end)) > others * tau * tau


def extreme(row: Floats, tau: float, sought: bool) -> float:
    """The value of a series where its rate vanishes, or at that end of the step to which it grows or falls.

    Newton's method from a place that the first terms tell. The effect of a last small step e on the value is known
    without taking it, but for e³.
    """
    inverse = 0.5 / row[2]
    x = -inverse * row[1]
    x = x - inverse * x * x * (3.0 * row[3] + x * 4.0 * row[4])
    x = min(max(x, 0.0), tau)
    found = 0.0
    searching = sought
    turns = 0.0
    while any_lane(searching):
        value = row[model.ORDER]
        rate = 0.0
        bend = 0.0  # half of it
        for k in range(model.ORDER - 1, -1, -1):
            bend = bend * x + rate
            rate = rate * x + value
            value = value * x + row[k]
        step = 0.5 * rate / bend
        small = abs(step) <= CLOSE_ENOUGH * tau
        following = min(max(x - step, 0.0), tau)
        found = (value - 0.5 * step * rate if small else value) if searching else found
        turns += 1.0
        searching = searching and not small and following != x and turns < MOST_STEPS_TO_EXTREME
        x = following
    return found
