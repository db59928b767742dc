"""Motions that repeat themselves: whole cycles of them need not be travelled.

At some releases a trajectory in lockstep marks its state. If it is there again at a later release, but for round-off,
or twice, and the second time no farther off than the first, and at the same phase of the excitation, it will do the
same again and again: its `cycle` is how long that takes. So its transient goes on at once for as many cycles as fit
before its end; of the observed part one cycle is travelled, and those that are left out are told from it
(`lockobserve.py`). "There" means within a sixteenth of the tolerance, which is less than what the steps of a cycle add
to the motion anyway. That the distance does not grow tells stable orbits from unstable ones, to which chaotic motion
comes close by chance. A mark is set anew after ever more events, so that orbits which are reached late, or are long,
are found as well.
"""

from math import exp, log

from stickslip.kernels import model, recurrence
from stickslip.kernels.condition import ENDLESS
from stickslip.kernels.lane import Lane
from stickslip.kernels.machine import any_lane, rough_exp2


def recent_size(before: float, now: float) -> float:
    """How large a state has lately been."""
    return max(abs(now), recurrence.FADING * before)


def note_recurrence(lane: Lane, released: bool) -> None:
    """Whether a trajectory that is being released was here before: `recurrence` is the time since then, or 0.

    Where it is the same for the first time, or farther from the mark than when it was the same before, it is marked
    here.
    """
    if any_lane(released):
        near = rough_exp2(lane.log_tolerance - recurrence.NEARER_BITS)
        same = released
        miss = 0.0
        size = 0.0
        for i in range(model.STATES):
            distance = abs(lane.state[i] - lane.mark_state[i])
            same = same and distance <= near * lane.recent_size[i]
            miss += distance
            size += lane.recent_size[i]
        settles = same and miss <= max(lane.mark_miss, recurrence.ROUND_OFF * size)
        lane.recurrence = lane.time - lane.mark_time if settles else lane.recurrence
        lane.cycle_events = lane.events - lane.mark_events if settles else lane.cycle_events
        due = released and lane.events >= recurrence.MARK_GROWTH * lane.mark_events + recurrence.MARK_AFTER
        marks = due or (same and not settles)
        for i in range(model.STATES):
            lane.mark_state[i] = lane.state[i] if marks else lane.mark_state[i]
        lane.mark_time = lane.time if marks else lane.mark_time
        lane.mark_events = lane.events if marks else lane.mark_events
        lane.mark_miss = (miss if same else -1.0) if marks else lane.mark_miss


def clear_mark(lane: Lane, wanted: bool) -> None:
    """No mark yet; the first is set at the first release, or never."""
    for i in range(model.STATES):
        lane.mark_state[i] = ENDLESS
    lane.mark_events = -recurrence.MARK_AFTER if wanted else ENDLESS
    lane.mark_miss = -1.0


def skip_cycles(lane: Lane) -> None:
    """Go on for as many cycles as fit before the end, if the excitation is as it was at the mark."""
    cycle = cycle_found(lane.recurrence, lane.excitation_period, lane.log_tolerance)
    left = lane.end_time - lane.time
    if cycle <= recurrence.SHORTEST * left:
        return
    cycles = float(int(left / cycle))
    if lane.time + cycles * cycle < lane.end_time:
        lane.time += cycles * cycle
        lane.events += cycles * lane.cycle_events
    lane.cycle = cycle
    clear_mark(lane, False)


def cycle_found(between: float, period: float, log_tolerance: float) -> float:
    """The time after which a motion repeats itself that was the same after the time `between`; 0 if it does not."""
    if period <= 0.0:
        return between
    whole = float(int(between / period + 0.5)) * period
    return whole if abs(between - whole) <= exp((log_tolerance - recurrence.NEARER_BITS) * log(2.0)) * period else 0.0
