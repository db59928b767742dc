"""Frozen branches in lockstep: |e|, min, max, where and tables. See lockstep.py.

Every trajectory has branches of its own, and its series are those of its branches. What is positive while a branch
holds is a polynomial on the step like those of contacts, and is looked at by the same bounds: the step ends where it
becomes zero, and the branch moves on. Where it is zero when the step begins, its next coefficient tells, as in the
march.
"""

from math import sqrt

from stickslip.kernels import lockmemory, model
from stickslip.kernels.events import GUARD_NOISE
from stickslip.kernels.lane import CROSSING, Lane, Tick
from stickslip.kernels.lockevents import falls_through, keeps_clear, moved_by, value_of, zero_of
from stickslip.kernels.machine import any_lane

BEYOND = 1.5  # of the time at which a parabola ends
MOST_HALVED = 2


def end_at_branch(lane: Lane, tick: Tick) -> None:
    """Where a branch ends on a step in slip, the step ends there, and is as plain as any other: modes do not change.

    All other branches have to be clear of their ends as far as that.
    """
    slipping = True
    for i in range(model.CONTACTS):
        slipping = slipping and lane.mode[i] != 0.0
    able = slipping and lane.calm_steps > 0.0
    for g in range(model.GUARDS):
        tick.crossed[g] = 0.0
    set_clear(tick, True)
    if model.GUARDS > 0 and any_lane(able and not all_clear(tick)):
        cut_step(tick, able and not all_clear(tick))
        for _ in range(MOST_HALVED):
            if any_lane(able and not all_clear(tick)):
                halve_step(tick, able and not all_clear(tick))


def set_clear(tick: Tick, anew: bool) -> None:
    """Which branches hold on the step, or end with it."""
    for g in range(model.GUARDS):
        clear = tick.crossed[g] > 0.0 or keeps_clear(tick.branch_series[g], tick.step_length)
        tick.clear[g] = (1.0 if clear else 0.0) if anew else tick.clear[g]


def all_clear(tick: Tick) -> bool:
    """Whether all branches hold on the step, or end with it."""
    clear = True
    for g in range(model.GUARDS):
        clear = clear and tick.clear[g] > 0.0
    return clear


def halve_step(tick: Tick, unclear: bool) -> None:
    """Where a bound cannot tell whether a branch ends on a step, half of it may do, as where a speed turns round."""
    for g in range(model.GUARDS):
        tick.crossed[g] = 0.0 if unclear else tick.crossed[g]
    tick.step_length = 0.5 * tick.step_length if unclear else tick.step_length
    set_clear(tick, unclear)


def cut_step(tick: Tick, unclear: bool) -> None:
    """End the step where the first branch that is not clear ends, if that can be told.

    The first is the one that falls most steeply for what it has left. A search that does not go far beyond where its
    parabola ends has a short polynomial, whose zero is where it is looked for first.
    """
    row = tick.polynomial[CROSSING]
    h = tick.step_length
    count = 0.0
    for g in range(model.GUARDS):
        series = tick.branch_series[g]
        steeper = tick.clear[g] == 0.0 and series[0] > 0.0
        if g > 0:
            steeper = steeper and (count == 0.0 or row[1] * series[0] > series[1] * row[0])
        count += 1.0 if tick.clear[g] == 0.0 and series[0] > 0.0 else 0.0
        for j in range(g):
            tick.crossed[j] = 0.0 if steeper else tick.crossed[j]
        tick.crossed[g] = 1.0 if steeper else 0.0
        for k in range(model.ORDER + 1):
            row[k] = series[k] if steeper or g == 0 else row[k]
    bend = sqrt(max(row[1] * row[1] - 4.0 * row[0] * row[2], 0.0))
    reach = min(h, BEYOND * 2.0 * row[0] / (bend - row[1])) if bend > row[1] else h
    tick.zeros[CROSSING] = 0.0
    tick.leading[CROSSING] = row[0]
    tick.following[CROSSING] = reach * row[1]
    tick.end_value[CROSSING] = value_of(row, reach)
    crosses = unclear and count > 0.0 and tick.end_value[CROSSING] < 0.0 and falls_through(row, reach)
    root = -1.0
    if any_lane(crosses):
        root = zero_of(tick, CROSSING, reach, crosses)
    found = crosses and root > 0.0
    tick.step_length = root if found else h
    several = False
    for g in range(model.GUARDS):
        several = several or (tick.clear[g] == 0.0 and tick.crossed[g] == 0.0)
        tick.crossed[g] = tick.crossed[g] if found else 0.0
        tick.clear[g] = 1.0 if tick.crossed[g] > 0.0 else tick.clear[g]
    if any_lane(found and several):
        set_clear(tick, found and several)


def pass_plainly(lane: Lane, tick: Tick, plain: bool) -> None:
    """The branch that ends with a plain step moves on."""
    moved = False
    for g in range(model.GUARDS):
        ends = plain and tick.crossed[g] > 0.0
        moved = moved or ends
        move_branch(lane, g, ends)
    load_moved(lane, moved)


def set_guards(lane: Lane, tick: Tick) -> None:
    """The polynomials that end branches, without zeros at their start; and which branches have ended already."""
    if model.GUARDS > 0:
        model.guard_sizes(lane, tick)
    for g in range(model.GUARDS):
        set_guard(tick, g, tick.natural_step)


def set_guard(tick: Tick, g: int, h: float) -> None:
    """One of them. What is held at zero is no event, nor is a zero from which it rises."""
    series = tick.branch_series[g]
    noise = GUARD_NOISE * tick.guard_size[g]
    p1 = h * series[1]
    p2 = h * h * series[2]
    p3 = h * h * h * series[3]
    none = abs(series[0]) <= noise
    slow = none and abs(p1) <= noise
    flat = slow and abs(p2) <= noise
    held = flat and moved_by(series, h) <= noise
    first = p3 if flat else (p2 if slow else (p1 if none else series[0]))
    tick.passed[g] = 1.0 if first < 0.0 and series[0] <= 0.0 and not held else 0.0
    rises = none and first > 0.0 and not held
    tick.zeros[model.CONTACTS + g] = (3.0 if flat else (2.0 if slow else 1.0)) if rises else 0.0
    row = tick.polynomial[model.CONTACTS + g]
    row[0] = 1.0 if held else (0.0 if rises else series[0])
    row[1] = 0.0 if held or (rises and slow) else series[1]
    row[2] = 0.0 if held or (rises and flat) else series[2]
    for k in range(3, model.ORDER + 1):
        row[k] = 0.0 if held else series[k]


def any_passed(tick: Tick) -> bool:
    """Whether a branch has ended where the step begins."""
    passed = False
    for g in range(model.GUARDS):
        passed = passed or tick.passed[g] > 0.0
    return passed


def pass_first(lane: Lane, tick: Tick, content: bool) -> None:
    """Of the branches that have ended already, the first moves on; contacts that stick are asked again."""
    taken = False
    for g in range(model.GUARDS):
        now = content and tick.passed[g] > 0.0 and not taken
        taken = taken or now
        move_branch(lane, g, now)
    for i in range(model.CONTACTS if model.GUARDS > 0 else 0):
        lane.on_trial[i] = 1.0 if taken and lane.mode[i] == 0.0 else lane.on_trial[i]
    if model.REMEMBERED > 0 and model.GUARDS > 0:
        lane.entering = lockmemory.EVENT if taken else lane.entering
    load_moved(lane, taken)


def pass_ended(lane: Lane, tick: Tick, event: bool) -> None:
    """Branches that end with the step move on. Where a contact changes, they wait: its event comes first."""
    moved = False
    for g in range(model.GUARDS):
        ends = event and tick.root[model.CONTACTS + g] <= tick.event_delay
        moved = moved or ends
        move_branch(lane, g, ends)
    load_moved(lane, moved)


def load_moved(lane: Lane, moved: bool) -> None:
    """The cubics of the intervals of tables, where one has changed."""
    if model.TABLES > 0 and any_lane(moved):
        model.load_intervals(lane)


def move_branch(lane: Lane, g: int, ends: bool) -> None:
    """The branch beyond a guard that ends."""
    number = model.GUARD_BRANCH[g]
    step = model.GUARD_STEP[g]
    beyond = -lane.branch[number] if step == 0 else lane.branch[number] + step
    lane.branch[number] = beyond if ends else lane.branch[number]
