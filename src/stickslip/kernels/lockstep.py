"""Trajectories in lockstep: one Taylor expansion of each per tick, whatever it is doing.

A trajectory is a state machine. A tick expands it in its present mode. Most steps are plain: nothing has just happened,
and a quick bound says that nothing will, so the whole step is gone. All else is special: contacts have just changed and
are asked whether they are content with the mode that is being tried, or an event may lie on the step and is located, or
the step must be shortened. All that travel together pay for what one of them needs, so they wait for each other,
expanded in vain (`wait_is_over`): those that do nearly the same at the end of slip, until all have come to it, so that
from then on they need the same at the same time; those that have little in common until there are enough of them.
Where rest is simple (APART), those at rest are special, and a plain step is one in slip.

All of `advance` is written with selects (`a if c else b`) in place of branches, and whether a branch is taken or a loop
goes on is asked of all trajectories together; then a trajectory computes the same bits in any company. Where each runs
the text by itself, as threads of a GPU do (TOGETHER is 0), one branch is its own: in slip, or at rest.
`targets/unroll.py` makes one long function of it, in which every place of a record is a variable. Numbers are floats:
whole numbers are known before.

This is why there is a second text beside march.py: a trajectory of the march asks whatever it needs at once, and goes
round as often as that takes; here modes are settled by one trial per tick. What does not depend on that is shared:
how a trajectory begins, how modes are ranked, and the measures of round-off.

Nothing here is guessed: a step on which the first event cannot be told for certain by simple means is halved. What is
out of the ordinary (several events at once, friction that pushes, lift-off, numbers that are not finite) gives the
trajectory up; it is then done again from its start by the march.
"""

from stickslip.kernels import (
    condition,
    lockbranches,
    lockevents,
    lockextent,
    lockmemory,
    lockmodes,
    lockrepeat,
    machine,
    model,
    step,
)
from stickslip.kernels.lane import Lane, Tick
from stickslip.kernels.records import Floats, Interleaved

FARTHER = 4.0
LOG_OF_NOTHING = -1100.0
CLOSE, SHORTER = 0.3, 0.25  # how far a step may be below the guess at it; the guess after an event
MOST_VAIN = 100.0  # ticks
HOPELESS = 1e-12  # of the natural step: on one that is halved so often, nothing is told
MOST_CALM, PATIENT, IMPATIENT = 48.0, 64.0, -8.0  # see `wait_is_over`


def advance_all(lanes: Interleaved[Lane]) -> bool:
    """One tick of all lanes; whether one needs attention.

    Targets write `advance` out for all lanes at once. Here each travels alone, and there is one.
    """
    return advance(lanes[0], Tick())


def advance(lane: Lane, tick: Tick) -> bool:
    """One expansion of a trajectory; whether any of those that travel together needs attention."""
    running = lane.condition == condition.RUNNING
    remaining = lane.end_time - lane.time
    guess = min(lane.step_guess, remaining)
    plain = False
    if model.APART and not machine.TOGETHER:
        if slips(lane):
            expand(lane, tick, guess, remaining)
            plain = running and is_plain(lane, tick)
        else:
            expand_at_rest(lane, tick, guess)
    else:
        clear_series(tick)
        if not model.APART or machine.any_lane(running and slips(lane)):
            expand(lane, tick, guess, remaining)
            plain = running and is_plain(lane, tick)
    special = running and not plain
    ends_slip = lane.calm_steps > 0.0 and slips(lane) and lockbranches.all_clear(tick)
    waits = special and (lane.patience < 0.0 or ends_slip)
    served = special and (wait_is_over(lane, waits, running) or not waits)
    together = machine.any_lane(served)
    tick.goes = 1.0 if plain else 0.0
    tick.lost = 0.0
    tick.next_time = lane.end_time if tick.step_length == remaining else lane.time + tick.step_length
    lane.step_guess = tick.natural_step if plain else lane.step_guess
    lane.steps = lane.steps + 1.0 if plain else lane.steps
    lane.calm_steps = lane.calm_steps + 1.0 if plain else lane.calm_steps
    lockbranches.pass_plainly(lane, tick, plain)
    if together:
        if model.APART and machine.TOGETHER and machine.any_lane(served and not slips(lane)):
            expand_at_rest(lane, tick, guess)
        take_special_step(lane, tick, served, remaining)
    passes = False
    if machine.OBSERVED and machine.any_lane(tick.goes > 0.0 and lane.observed > 0.0):
        lockextent.note_extents(lane, tick, tick.goes > 0.0 and lane.observed > 0.0)
        passes = tick.goes > 0.0 and lane.observed > 0.0 and tick.next_time >= lane.stop_time
        note_stop_state(lane, tick, passes)
    moving = tick.goes > 0.0
    if together:
        lockmodes.note_event(lane, tick, served, moving)
    go_on(lane, tick, running, moving)
    return machine.any_lane(passes or needs_attention(lane))


def clear_series(tick: Tick) -> None:
    """What an expansion in slip leaves, where none is needed."""
    tick.natural_step = 0.0
    stay(tick)
    if model.APART:
        for k in range(model.WIDTH):
            for i in range(model.STATES):
                tick.state_series[i, k] = 0.0
            for i in range(model.CONTACTS):
                tick.v_series[i, k] = 0.0
                tick.force_series[i, k] = 0.0
                tick.static_series[i, k] = 0.0
                tick.polynomial[i, k] = 0.0
            for i in range(model.WATCHED):
                tick.guard_series[i, k] = 0.0
            for i in range(model.GUARDS):
                tick.branch_series[i, k] = 1.0 if k == 0 else 0.0
            for i in range(model.RESOLVED):
                tick.resolved_series[i, k] = 0.0
            for i in range(model.SHARP):
                tick.sharp_series[i, k] = 1.0 if k == 0 else 0.0
        for i in range(model.CONTACTS):
            tick.acceleration_size[i] = 0.0
            tick.sticks[i] = 0.0
        tick.singular = 0.0


def expand(lane: Lane, tick: Tick, guess: float, remaining: float) -> None:
    """The series, how far they reach, and where that leads; those at rest, if apart, as if they slipped."""
    model.expansion(lane, tick)
    for i in range(model.CONTACTS):
        tick.sticks[i] = 0.0 if model.APART else (1.0 if lane.mode[i] == 0.0 else 0.0)
        lockmodes.set_polynomial(tick, i, guess)
    tick.natural_step = natural_step(lane, tick, guess)
    tick.step_length = min(tick.natural_step, remaining)
    lockbranches.end_at_branch(lane, tick)
    for i in range(model.STATES):
        tick.next_state[i] = lockevents.value_of(tick.state_series[i], tick.step_length)


def expand_at_rest(lane: Lane, tick: Tick, guess: float) -> None:
    """The series of those at rest, in place of those in slip, and how far they reach."""
    for i in range(model.CONTACTS):
        tick.sticks[i] = 1.0 if lane.mode[i] == 0.0 or not machine.TOGETHER else 0.0
    model.expansion_at_rest(lane, tick)
    for i in range(model.CONTACTS):
        lockmodes.set_polynomial(tick, i, guess)
    tick.natural_step = natural_step(lane, tick, guess)
    if not machine.TOGETHER:
        stay(tick)


def stay(tick: Tick) -> None:
    """No step yet."""
    tick.step_length = 0.0
    for i in range(model.STATES):
        tick.next_state[i] = 0.0


def go_on(lane: Lane, tick: Tick, running: bool, moving: bool) -> None:
    """Take the step, and say whether the trajectory still runs."""
    total = 0.0
    for i in range(model.STATES):
        there = tick.next_state[i]
        total += there
        lane.state[i] = there if moving else lane.state[i]
        recent = lockrepeat.recent_size(lane.recent_size[i], there)
        lane.recent_size[i] = recent if moving else lane.recent_size[i]
    lane.time = tick.next_time if moving else lane.time
    lane.vain_ticks = 0.0 if moving else lane.vain_ticks + 1.0
    finite = abs(total) < condition.ENDLESS or not moving
    lost = tick.lost > 0.0 or not finite or lane.vain_ticks > MOST_VAIN or lane.steps >= lane.most_steps
    now = condition.ARRIVED if lane.time >= lane.end_time else condition.RUNNING
    lane.condition = (condition.GIVEN_UP if lost else now) if running else lane.condition


def needs_attention(lane: Lane) -> bool:
    """Whether a trajectory has stopped, or changed its mode in a way that is reported."""
    attention = lane.condition > condition.RUNNING
    if model.REMEMBERED > 0:
        attention = attention or lane.entering > lockmemory.NO_MODE
    if machine.REPEATS:
        attention = attention or lane.recurrence > 0.0
    for i in range(model.CONTACTS if machine.OBSERVED else 0):
        change = lane.change[i]
        reported = change == lane.reported or lane.reported == condition.ANY_CHANGE
        attention = attention or (change > 0.0 and reported)
    return attention


def wait_is_over(lane: Lane, waits: bool, running: bool) -> bool:
    """Whether those that wait go on now.

    Patient ones wait at the end of slip, until none is missing, where one to which nothing has happened for long is not
    missed, or for so many ticks as their patience lasts. Those of negative patience wait whenever they are special, but
    only until one in three is.
    """
    complete = not machine.anyone(running and not waits and lane.calm_steps <= MOST_CALM)
    late = machine.anyone(waits and lane.vain_ticks >= abs(lane.patience))
    return complete or late or machine.outnumber(waits and lane.patience < 0.0, running)


def slips(lane: Lane) -> bool:
    """Whether a contact slips."""
    slipping = False
    for i in range(model.CONTACTS):
        slipping = slipping or lane.mode[i] != 0.0
    return slipping


def is_plain(lane: Lane, tick: Tick) -> bool:
    """Whether the whole step can be gone: nothing has just happened, and it is certain that nothing will."""
    h = tick.step_length
    plain = lane.calm_steps > 0.0 and tick.natural_step >= CLOSE * lane.step_guess and tick.singular == 0.0
    for i in range(model.CONTACTS):
        if model.APART:
            tick.factor[i] = lane.mode[i]
            tick.base[i] = 0.0
        else:
            lockmodes.set_side(lane, tick, i, h)
        plain = plain and lockevents.stays_clear(tick, i, h)
    for i in range(model.WATCHED):
        plain = plain and lockevents.is_kept(tick.guard_series[i], h)
    for i in range(model.GUARDS):
        plain = plain and tick.clear[i] > 0.0
    return plain


def take_special_step(lane: Lane, tick: Tick, special: bool, remaining: float) -> None:
    """What is not plain: modes to be settled, steps to be shortened, events to be located."""
    natural = tick.natural_step
    sound = tick.singular == 0.0
    h = min(min(natural, lane.longest_step), remaining)
    released = False
    for i in range(model.CONTACTS):
        sound = sound and lane.mode[i] * tick.force_series[i, 0] <= 0.0
        released = released or (lane.on_trial[i] > 0.0 and lane.mode[i] != 0.0)
        if model.LIMIT_VARIES:
            lockmodes.set_polynomial(tick, i, h)
        lockmodes.set_side(lane, tick, i, h)
        lockmodes.make_positive(tick, i)
        lockmodes.set_leading_zeros(lane, tick, i)
        tick.urgency[i] = lockmodes.urgency_of(lane, tick, i, natural)
    lockbranches.set_guards(lane, tick)
    worst = lockmodes.change_worst_mode(lane, tick, special)
    content = special and worst == 0.0
    lockmodes.count_changes(lane, tick, content)
    h = limited(lane, tick, h)
    guessed = natural >= CLOSE * lane.step_guess
    passed = lockbranches.any_passed(tick)
    able = content and sound and guessed and h > 0.0 and not passed
    certain = able and lockevents.is_certain(tick, h)
    place = lockevents.earliest_event(tick, h, certain)
    goes = certain and place >= 0.0
    tick.event_delay = place if goes and place <= h else condition.ENDLESS
    tick.step_length = min(h, tick.event_delay) if special else tick.step_length
    tick.goes = (1.0 if goes else 0.0) if special else tick.goes
    lane.longest_step = (condition.ENDLESS if goes else 0.5 * h) if able else lane.longest_step
    # Where bounds never tell, steps would be halved without end: as a load falls to zero and its branch ends with it.
    hopeless = able and not goes and h < HOPELESS * natural
    doubtful = hopeless or (content and lockmodes.is_ambiguous(lane))
    tick.lost = 1.0 if special and (doubtful or not (sound and worst < condition.ENDLESS)) else 0.0
    lane.steps = lane.steps + 1.0 if special else lane.steps
    # After a release the step is often as long as it was after the last one.
    lane.release_step = natural if goes and released else lane.release_step
    after = lane.release_step if lane.release_step > 0.0 else SHORTER * natural
    lane.step_guess = (after if lockmodes.changes_mode(tick) else natural) if special else lane.step_guess
    set_destination(lane, tick, special, remaining)
    lockbranches.pass_first(lane, tick, content and sound and passed)
    lane.rapid_events = lane.rapid_events + 1.0 if content and passed else lane.rapid_events


# -- the length of a step ----------------------------------------------------------------------------------------


def last_term(row: Floats, h: float, size: float) -> float:
    """As in step.py, but its binary logarithm; `size` is that of the constant term, or what it has lately been. What
    has no size at all is asked by `last_term_from_zero`."""
    scale = machine.rough(size + h * (abs(row[1]) + h * abs(row[2])))
    last = max(abs(row[model.ORDER]) * h, abs(row[model.ORDER - 1]))
    return machine.rough_ratio(last, scale) if scale > 0.0 else LOG_OF_NOTHING


def last_term_from_zero(row: Floats, h: float, size: float) -> float:
    """The same for a series that rises from zero: as a part of its later terms. One that stays there has no say."""
    scale = machine.rough(size + h * (abs(row[1]) + h * abs(row[2])))
    later = step.later_terms(row, h)
    last = max(abs(row[model.ORDER]) * h, abs(row[model.ORDER - 1]))
    own = machine.rough_ratio(last, later if later > 0.0 else 1.0)
    return LOG_OF_NOTHING if scale > 0.0 else own


def begins_at_zero(lane: Lane, tick: Tick) -> bool:
    """Whether something that bounds the step may have no size yet."""
    found = False
    for i in range(model.STATES):
        found = found or lane.recent_size[i] == 0.0
    for i in range(model.CONTACTS if model.LIMIT_VARIES else 0):
        found = found or (tick.sticks[i] > 0.0 and tick.static_series[i, 0] == 0.0)
    for i in range(model.WATCHED):
        found = found or tick.guard_series[i, 0] == 0.0
    for i in range(model.GUARDS):
        found = found or tick.branch_series[i, 0] == 0.0
    for i in range(model.SHARP):
        found = found or tick.sharp_series[i, 0] == 0.0
    return found


def largest_from_zero(lane: Lane, tick: Tick, h: float) -> float:
    """The largest of those terms."""
    largest = LOG_OF_NOTHING
    for i in range(model.STATES):
        largest = max(largest, last_term_from_zero(tick.state_series[i], h, lane.recent_size[i]))
    for i in range(model.CONTACTS if model.LIMIT_VARIES else 0):
        static = tick.static_series[i]
        own = last_term_from_zero(static, h, abs(static[0])) if tick.sticks[i] > 0.0 else LOG_OF_NOTHING
        largest = max(largest, own)
    for i in range(model.WATCHED):
        guard = tick.guard_series[i]
        largest = max(largest, last_term_from_zero(guard, h, abs(guard[0])))
    for i in range(model.GUARDS):
        guard = tick.branch_series[i]
        own = LOG_OF_NOTHING if model.GUARD_FOLLOWS[i] == 1 else last_term_from_zero(guard, h, abs(guard[0]))
        largest = max(largest, own)
    for i in range(model.SHARP):
        argument = tick.sharp_series[i]
        largest = max(largest, last_term_from_zero(argument, h, abs(argument[0])))
    return largest


def last_term_of_contact(tick: Tick, i: int, h: float) -> float:
    """Of the friction force in stick; of the sliding velocity just after release, when it is tiny, or where no state
    knows how it moves."""
    row = tick.polynomial[i]
    static = tick.static_series[i]
    sticks = tick.sticks[i] > 0.0
    growth = machine.rough(h * (abs(row[1]) + h * abs(row[2])))
    last = max(abs(row[model.ORDER]) * h, abs(row[model.ORDER - 1]))
    scale = machine.rough(abs(row[0])) + growth + (machine.rough(static[0]) if sticks else 0.0)
    matters = model.DRIVES or sticks or machine.rough(abs(row[0])) < 0.01 * growth
    own = machine.rough_ratio(last, scale) if matters else LOG_OF_NOTHING
    if model.LIMIT_VARIES:
        own = max(own, last_term(static, h, abs(static[0])) if sticks else LOG_OF_NOTHING)
    return own


def natural_step(lane: Lane, tick: Tick, h: float) -> float:
    """The step length at which the last terms of every series that matters equal the tolerance.

    The tolerance is relative to how large a state has lately been: one that passes through zero, or rests, need not be
    known better than before. The leading terms depend on the length itself, for which a guess h stands in. Where it
    turns out much shorter, they were too large: the next tick has a better guess.
    """
    largest = LOG_OF_NOTHING
    for i in range(model.STATES):
        largest = max(largest, last_term(tick.state_series[i], h, lane.recent_size[i]))
    for i in range(model.CONTACTS):
        largest = max(largest, last_term_of_contact(tick, i, h))
    for i in range(model.WATCHED):
        guard = tick.guard_series[i]
        largest = max(largest, last_term(guard, h, abs(guard[0])))
    for i in range(model.GUARDS):
        guard = tick.branch_series[i]
        own = LOG_OF_NOTHING if model.GUARD_FOLLOWS[i] == 1 else last_term(guard, h, abs(guard[0]))
        largest = max(largest, own)
    for i in range(model.SHARP):
        argument = tick.sharp_series[i]
        largest = max(largest, last_term(argument, h, abs(argument[0])))
    if machine.any_lane(begins_at_zero(lane, tick)):
        largest = max(largest, largest_from_zero(lane, tick, h))
    natural = machine.rough_exp2((lane.log_tolerance - largest) * (1.0 / (model.ORDER - 1)))
    if model.STIFF > 0:
        natural = min(natural, step.RELAXING * model.ORDER / max(model.fastest_of(lane), 1.0 / step.LONGEST))
    return within_strides(tick, natural)


def within_strides(tick: Tick, h: float) -> float:
    """The step shortened until no exponential moves by more than its series can follow: see step.py."""
    for i in range(model.RESOLVED):
        row = tick.resolved_series[i]
        depth = abs(row[0]) if model.EVEN[i] == 1 else -row[0]
        room = max(step.STRIDE, depth - step.FADED)
        moved = lockevents.moved_by(row, h)
        while machine.any_lane(moved > room):
            h = h * max(room / moved, 0.5) if moved > room else h
            moved = lockevents.moved_by(row, h)
    return h


def limited(lane: Lane, tick: Tick, h: float) -> float:
    """A step in stick on which round-off does not hide an event."""
    for i in range(model.CONTACTS):
        sticks = tick.sticks[i] > 0.0
        # Not far beyond where the static limit would be reached at the present rate: on a step many times as long,
        # round-off in the last terms hides what happens.
        margin = tick.polynomial[i, 0]
        decline = -tick.polynomial[i, 1]
        near = sticks and margin > 0.0 and FARTHER * margin < decline * h
        if machine.any_lane(near):
            h = FARTHER * machine.rough_exp2(machine.rough_ratio(margin, decline)) if near else h
    return h


# -- going on ----------------------------------------------------------------------------------------------------


def set_destination(lane: Lane, tick: Tick, special: bool, remaining: float) -> None:
    """Where the step leads; v = 0 exactly where contacts are at rest."""
    tau = tick.step_length
    for i in range(model.STATES):
        tick.next_state[i] = lockevents.value_of(tick.state_series[i], tau) if special else tick.next_state[i]
    later = lane.end_time if tau == remaining and tick.event_delay > tau else lane.time + tau
    tick.next_time = later if special else tick.next_time
    model.kinematics(lane, tick)
    sliding = resting_speed(lane, tick, tau)
    # What an impulse does to other contacts is undone by these, so impulses go round.
    for _ in range(model.CONTACTS if model.CONTACTS <= 2 else (2 * model.CONTACTS if model.PUSH_EACH_OTHER else 2)):
        for i in range(model.CONTACTS):
            impulse = -tick.v[i] * tick.inverse[i] if special and comes_to_rest(lane, tick, i, tau) else 0.0
            for j in range(model.STATES):
                tick.next_state[j] = tick.next_state[j] + tick.G[j, i] * impulse
            for j in range(model.CONTACTS):
                tick.v[j] = tick.v[j] + tick.D[j, i] * impulse
    # With masses they settle. Without, each may push the others farther than they were.
    if model.PUSH_EACH_OTHER and not model.MECHANICAL:
        tick.lost = 1.0 if special and resting_speed(lane, tick, tau) > 0.5 * sliding else tick.lost


def comes_to_rest(lane: Lane, tick: Tick, i: int, tau: float) -> bool:
    """Whether a contact is at rest where a step leads."""
    return lane.mode[i] == 0.0 or tick.root[i] <= tau * lockmodes.AT_ONCE


def resting_speed(lane: Lane, tick: Tick, tau: float) -> float:
    """How fast the contacts that are at rest where a step leads still slide there, all together."""
    total = 0.0
    for i in range(model.CONTACTS):
        total += abs(tick.v[i]) if comes_to_rest(lane, tick, i, tau) else 0.0
    return total


def note_stop_state(lane: Lane, tick: Tick, passes: bool) -> None:
    """The state where the step passes the time at which it is wanted."""
    if machine.any_lane(passes):
        tau = lane.stop_time - lane.time
        for i in range(model.STATES):
            there = lockevents.value_of(tick.state_series[i], tau)
            lane.stop_state[i] = there if passes else lane.stop_state[i]
