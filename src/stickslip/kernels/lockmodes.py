"""The modes of contacts in lockstep: whether they are content with those that are tried, and which are tried next. See
lockstep.py; one mode is changed per tick, by the urgencies by which the march ranks them (mode.py).
"""

from stickslip.kernels import condition, lockbranches, lockmemory, lockrepeat, machine, model
from stickslip.kernels.change import TOGETHER_BY
from stickslip.kernels.lane import TRIED, TRIED_LEAVING, Lane, Tick
from stickslip.kernels.mode import NOISE

LEADS = 4  # coefficients among which the leading one must be
MOST_RAPID = 20.0  # events
MOST_TRIALS = 1e9
ALIKE = 1.0 - 1e-9  # urgencies
AT_ONCE = 1.0 + TOGETHER_BY  # events so close to the first one are at the same time


def set_polynomial(tick: Tick, i: int, h: float) -> None:
    """The series that decides when contact i changes: v in slip; in stick λ, or λ − side·S where the limit S varies."""
    row = tick.polynomial[i]
    sticks = tick.sticks[i] > 0.0
    side = side_of(tick, i, h) if model.LIMIT_VARIES else 0.0
    for k in range(model.ORDER + 1):
        force = tick.force_series[i, k] - side * tick.static_series[i, k]
        row[k] = force if sticks else tick.v_series[i, k]


def side_of(tick: Tick, i: int, h: float) -> float:
    """The side to which λ goes in the time h."""
    force = tick.force_series[i]
    return 1.0 if force[0] + h * (force[1] + h * force[2]) > 0.0 else -1.0


def set_side(lane: Lane, tick: Tick, i: int, h: float) -> None:
    """The sign that makes the polynomial positive while the mode holds, but for what λ may be at most: side·λ < S in
    stick."""
    sticks = tick.sticks[i] > 0.0
    tick.side[i] = side_of(tick, i, h)
    tick.factor[i] = -tick.side[i] if sticks else lane.mode[i]
    tick.base[i] = tick.static_series[i, 0] if sticks and not model.LIMIT_VARIES else 0.0


def make_positive(tick: Tick, i: int) -> None:
    """The polynomial with its sign, for all that follows: positive while the mode holds."""
    row = tick.polynomial[i]
    row[0] = tick.base[i] + tick.factor[i] * row[0]
    for k in range(1, model.ORDER + 1):
        row[k] = tick.factor[i] * row[k]


def set_leading_zeros(lane: Lane, tick: Tick, i: int) -> None:
    """A contact that has just left stick has v = 0 and maybe v' = 0 now: these zeros are no events."""
    row = tick.polynomial[i]
    once = lane.on_trial[i] > 0.0 and lane.mode[i] != 0.0
    # Where stick has ended, the tolerance says how far the limit may still be, and no more than round-off how far past.
    short = tick.acceleration_size[i] * max(NOISE, machine.rough_exp2(lane.log_tolerance))
    twice = once and row[1] >= -short and row[1] <= NOISE * tick.acceleration_size[i]
    row[0] = 0.0 if once else row[0]
    row[1] = 0.0 if twice else row[1]
    tick.zeros[i] = 2.0 if twice else (1.0 if once else 0.0)


def urgency_of(lane: Lane, tick: Tick, i: int, h: float) -> float:
    """How much contact i, if it is at rest, wants another mode: see mode.py. More than ENDLESS where that is in doubt.

    Its polynomial must be positive at first. Where it begins with zero, the next coefficient tells.
    """
    row = tick.polynomial[i]
    sticks = tick.sticks[i] > 0.0
    force = abs(tick.force_series[i, 0])
    static = tick.static_series[i, 0]
    noise = NOISE * (static + force if sticks else tick.acceleration_size[i] * h)
    # In stick the polynomial is for the side to which the force will go; what counts is the side where it is.
    here = not sticks or tick.force_series[i, 0] * tick.side[i] > 0.0
    start = static - force if sticks else row[0]
    first = start if abs(start) > noise else 0.0
    power = 1.0
    for k in range(1, LEADS):
        power *= h
        value = row[k] * power
        first = value if first == 0.0 and here and abs(value) > noise else first
    over = 1.0 if model.CONTACTS == 1 else 1.0 + max(force - static, 0.0) / (static + force)
    urgency = (over if sticks else 0.5) if first < 0.0 else 0.0
    urgency = 2.0 * condition.ENDLESS if first == 0.0 else urgency
    return urgency if lane.on_trial[i] > 0.0 else 0.0


def change_worst_mode(lane: Lane, tick: Tick, running: bool) -> float:
    """The largest urgency; the contact that has it gets another mode."""
    worst = 0.0
    for i in range(model.CONTACTS):
        worst = max(worst, tick.urgency[i])
    taken = worst == 0.0 or not running
    if model.AMBIGUOUS:
        lane.trials = lane.trials if taken else lane.trials + 1.0
    for i in range(model.CONTACTS):
        changes = tick.urgency[i] == worst and not taken
        if model.AMBIGUOUS:  # a second one that wants it as much: who is first is in doubt
            rival = running and taken and worst > 0.0 and tick.urgency[i] >= ALIKE * worst
            lane.trials = MOST_TRIALS if rival else lane.trials
        taken = taken or changes
        released = -1.0 if tick.force_series[i, 0] > 0.0 else 1.0
        lane.mode[i] = (released if lane.mode[i] == 0.0 else 0.0) if changes else lane.mode[i]
    if model.REMEMBERED > 0:
        another = running and worst > 0.0
        lane.entering = lockmemory.ANOTHER_MODE if another else lane.entering
    return worst


def is_ambiguous(lane: Lane) -> bool:
    """Whether other modes may be taken as well: see mode.py, where all of them are tried.

    Those in which most contacts stick are taken, and among these the ones that let go what would be farthest beyond its
    limit. If all cannot stick, and the first that was let go is the only one, they are found.
    """
    resting = False
    released = 0.0
    for i in range(model.CONTACTS if model.AMBIGUOUS else 0):
        released += 1.0 if lane.on_trial[i] > 0.0 and lane.mode[i] != 0.0 else 0.0
        for j in range(i):
            resting = resting or (lane.on_trial[i] > 0.0 and lane.on_trial[j] > 0.0 and model.PUSHES[i, j] == 1)
    return resting and (released > 1.0 or (released > 0.0 and lane.trials > 1.0))


def count_changes(lane: Lane, tick: Tick, settled: bool) -> None:
    """Note which contacts changed their mode at the event before, and how."""
    any_changed = False
    any_released = False
    for i in range(model.CONTACTS):
        now = lane.mode[i]
        before = last_mode_before(lane, tick, i)
        changed = settled and before != now and before != condition.UNKNOWN
        if machine.OBSERVED:
            change = condition.RELEASED if before == 0.0 else (condition.STOPPED if now == 0.0 else condition.REVERSED)
            lane.change[i] = change if changed else (0.0 if settled else lane.change[i])
            lane.releases = lane.releases + 1.0 if changed and before == 0.0 else lane.releases
        lane.events = lane.events + 1.0 if changed else lane.events
        lane.mode_before[i] = now if settled else lane.mode_before[i]
        if model.DRAWING > 0:
            lane.anew[i] = 0.0 if settled else lane.anew[i]
        any_changed = any_changed or changed
        any_released = any_released or (changed and before == 0.0)
    if machine.OBSERVED:
        lane.event_time = lane.time if any_changed else lane.event_time
        for i in range(model.STATES):
            lane.event_state[i] = lane.state[i] if any_changed else lane.event_state[i]
    if machine.REPEATS:
        lockrepeat.note_recurrence(lane, any_released and lane.observed == 0.0)


def last_mode_before(lane: Lane, tick: Tick, i: int) -> float:
    """The mode before the last event; after phases without length, before the last change, as `mode_before` of
    change.py."""
    before = lane.mode_before[i]
    if model.DRAWING > 0:
        now = lane.mode[i]
        last = 0.0 if now != 0.0 else (-1.0 if tick.force_series[i, 0] > 0.0 else 1.0)
        before = last if lane.anew[i] > 0.0 and before == now else before
    return before


def note_event(lane: Lane, tick: Tick, special: bool, moving: bool) -> None:
    """Which contacts are to be asked next, and the mode to try: stick where slip ended, slip where the limit was
    passed. Events that follow one another in no time, again and again, are given up."""
    event = moving and special and tick.event_delay < condition.ENDLESS
    changes = changes_mode(tick)
    any_asked = changes
    lockbranches.pass_ended(lane, tick, event and not changes)
    for i in range(model.CONTACTS):
        mode = lane.mode[i]
        ends = event and tick.root[i] <= tick.event_delay * AT_ONCE
        tried = -tick.side[i] if mode == 0.0 else 0.0
        # Released, but as far as one can tell not away yet, when something else happens.
        slow = mode * tick.v[i] <= NOISE * tick.acceleration_size[i] * tick.natural_step
        lags = lane.on_trial[i] > 0.0 and mode != 0.0 and slow
        asked = TRIED if ends or lags or (event and mode == 0.0) else 0.0
        asked = TRIED_LEAVING if ends and mode == 0.0 else asked
        lane.on_trial[i] = asked if special and moving else lane.on_trial[i]
        lane.mode[i] = tried if ends else mode
        any_asked = any_asked or asked > 0.0
    if model.REMEMBERED > 0:
        lane.entering = lockmemory.EVENT if event and any_asked else lane.entering
    if model.AMBIGUOUS:
        lane.trials = 0.0 if event else lane.trials
    # A step in stick, where nothing moves, may be as long as one likes: it says nothing of what is quick.
    usual = min(tick.natural_step, lane.release_step) if lane.release_step > 0.0 else tick.natural_step
    at_once = tick.event_delay <= 1e-9 * usual
    lane.rapid_events = (lane.rapid_events + 1.0 if at_once else 0.0) if event else lane.rapid_events
    tick.lost = 1.0 if lane.rapid_events > MOST_RAPID else tick.lost
    calm = moving and not (event and any_asked)
    lane.calm_steps = (lane.calm_steps + 1.0 if calm else 0.0) if special else lane.calm_steps


def changes_mode(tick: Tick) -> bool:
    """Whether the event that ends the step is that of a contact, and not the end of a frozen branch alone."""
    changes = False
    for i in range(model.CONTACTS):
        changes = changes or tick.root[i] <= tick.event_delay * AT_ONCE
    return tick.event_delay < condition.ENDLESS and (changes or model.GUARDS == 0)
