"""Trajectories in lockstep: one Taylor expansion of each per tick, whatever it is doing.

A trajectory is a state machine. A tick expands it in its present mode. Where contacts have just changed, it asks first
whether they are content with that mode, and changes the mode if not, without going on. Else it goes on: to the first
event on its polynomials, or to the end of the step. At an event the new mode is tried in the next tick. So there is no
costly path apart from the ordinary one, and trajectories that do different things still do the same operations.

All of `tick` is written with selects (`a if c else b`) in place of branches, and whether a loop goes on is asked of all
trajectories together (`any_lane`); then a trajectory computes the same bits in any company. `targets/unroll.py` makes
one long function of it, in which every place of W is a variable. Numbers are floats: whole numbers are known before.

Nothing here is guessed: a step on which the first event cannot be told for certain by simple means is halved. What is
out of the ordinary (several events at once, friction that pushes, lift-off, numbers that are not finite) gives the
trajectory up; it is then done again from its start by the march.
"""

from math import sqrt

from stickslip.kernels.machine import any_lane, rough_exp2, rough_ratio
from stickslip.kernels.model import (
    ALLOWED,
    BEFORE,
    CHANGE,
    CONDITION,
    END,
    END_VALUE,
    EVENTS,
    FRESH,
    GUESS,
    HASTE,
    HEED,
    INVERSE,
    KEPT,
    LANE_ROWS,
    LEAD,
    LEAST,
    LIMIT,
    LOG_TOLERANCE,
    MODE,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    N_WATCHED,
    NEAR_SIDE,
    OLD_STATE,
    OLD_TIME,
    ORDER,
    POINT,
    POLYNOMIAL,
    ROOT,
    ROW_FORCE,
    ROW_GUARD,
    ROW_STATIC,
    ROW_V,
    SCALE,
    SERIES,
    SIGN,
    SINGULAR,
    STATE,
    STEPS,
    STICK_TIME,
    TIME,
    TRIES,
    URGENCY,
    WATCHED_HIGH,
    WATCHED_LOW,
    WATCHING,
    WIDTH,
    D,
    Floats,
    G,
    Ints,
    P,
    Q,
    V,
    constants,
    expansion,
    ingredients,
    lane_tick,
    rest,
)

LANES = 1
"""How many trajectories travel together; targets put their own number here."""

RUNNING, ARRIVED, GIVEN_UP, PARKED = 0.0, 1.0, 2.0, -1.0
NOISE = 1e-13  # as in mode.py
LEADS = 4  # coefficients among which the leading one must be
FARTHER = 4.0
NEVER = -1100.0  # the logarithm of nothing
STICK_ROOM, REST_ROOM = 9e3, 9.0  # as in step.py
MOST_HALVINGS = 40.0
MOST_TRIES = 20.0
MOST_HASTE = 20.0
UNKNOWN = 9.0  # the mode of a contact that starts at rest, before it is settled
LARGEST = 1e300


def tick(W: Floats) -> bool:
    """One expansion of a trajectory; whether any of those that travel together needs attention."""
    expansion(W)
    running = W[CONDITION] == RUNNING
    W[OLD_TIME] = W[TIME]
    for i in range(N_STATES):
        W[OLD_STATE + i] = W[STATE + i]
    natural = natural_step(W, running)
    remaining = W[END] - W[TIME]
    sound = W[SINGULAR] == 0.0
    for i in range(N_CONTACTS):
        sound = sound and W[SIGN + i] * W[ROW_FORCE + i * WIDTH] <= 0.0
        set_polynomial(W, i, min(natural, remaining))
        W[URGENCY + i] = urgency_of(W, i, natural)
    worst = settle(W, running)
    content = worst == 0.0
    sound = sound and worst < LARGEST
    count_changes(W, running and content)
    whole = min(min(natural, W[LIMIT]), remaining)
    whole = limited(W, whole, running)
    moving = running and content and sound and whole > 0.0
    h = certain_step(W, whole, moving)
    place = earliest_event(W, h, moving)
    waits = place < 0.0
    sound = sound and (h > 0.0 or not content or remaining <= 0.0)
    moving = moving and h > 0.0 and not waits
    tau = place if place >= 0.0 and place < h else h
    if any_lane(moving and W[WATCHING] > 0.0):
        waits = waits or watch(W, tau, moving and W[WATCHING] > 0.0)
    moving = moving and not waits
    event = moving and place < h
    finite = advance(W, tau, moving, event, h == remaining)
    note_event(W, place, moving, event)
    hurried = hurry(W, natural, place, event)
    W[GUESS] = min(natural, 4.0 * W[GUESS]) if running else W[GUESS]
    W[LIMIT] = (0.5 * tau if waits else LARGEST) if running else W[LIMIT]
    W[TRIES] = 0.0 if moving else W[TRIES] + 1.0
    W[STEPS] = W[STEPS] + 1.0 if running else W[STEPS]
    lost = not sound or not finite or hurried or W[TRIES] > MOST_TRIES or W[STEPS] >= W[ALLOWED]
    status = ARRIVED if W[TIME] >= W[END] else RUNNING
    W[CONDITION] = (GIVEN_UP if lost else status) if running else W[CONDITION]
    attention = W[CONDITION] > RUNNING
    for i in range(N_CONTACTS):
        attention = attention or W[CHANGE + i] > W[HEED]
    return any_lane(attention)


# -- the length of a step ----------------------------------------------------------------------------------------


def last_term(W: Floats, row: int, h: float, extra: float) -> float:
    """As in step.py, but its binary logarithm."""
    scale = abs(W[row]) + h * (abs(W[row + 1]) + h * abs(W[row + 2])) + extra
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    return rough_ratio(last, scale) if last > 0.0 else NEVER


def last_term_of_contact(W: Floats, i: int, h: float) -> float:
    """Of the friction force in stick; of the sliding velocity just after release, when it is tiny."""
    v = ROW_V + i * WIDTH
    force = ROW_FORCE + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    sticks = W[SIGN + i] == 0.0
    start = abs(W[force] if sticks else W[v])
    growth = h * (abs(W[force + 1] if sticks else W[v + 1]) + h * abs(W[force + 2] if sticks else W[v + 2]))
    last = abs(W[force + ORDER] if sticks else W[v + ORDER])
    last = max(last * h, abs(W[force + ORDER - 1] if sticks else W[v + ORDER - 1]))
    scale = start + growth + (W[static] if sticks else 0.0)
    matters = last > 0.0 and (sticks or start < 0.01 * growth)
    own = rough_ratio(last, scale) if matters else NEVER
    return max(own, last_term(W, static, h, 0.0) if sticks else NEVER)


def natural_step(W: Floats, running: bool) -> float:
    """The step length at which the last terms of every series that matters equal the tolerance.

    The leading terms depend on the length itself. Where it turns out much shorter than guessed, they were too large.
    """
    h = W[GUESS]
    unsettled = running
    rounds = 0.0
    while any_lane(unsettled):
        largest = NEVER
        for i in range(N_STATES):
            largest = max(largest, last_term(W, SERIES + i * WIDTH, h, 0.0))
        for i in range(N_CONTACTS):
            largest = max(largest, last_term_of_contact(W, i, h))
        for i in range(N_WATCHED):
            largest = max(largest, last_term(W, ROW_GUARD + i * WIDTH, h, 0.0))
        following = rough_exp2((W[LOG_TOLERANCE] - largest) * (1.0 / (ORDER - 1)))
        short = following < 0.3 * h
        h = following if unsettled else h
        rounds += 1.0
        unsettled = unsettled and short and rounds < 6.0
    return h


def limited(W: Floats, h: float, running: bool) -> float:
    """A step in stick that round-off allows: it does not move the positions (see step.py), nor hide an event."""
    size = 1.0
    fastest = 0.0
    for i in range(N_STATES):
        size = max(size, abs(W[SERIES + i * WIDTH]))
        fastest = max(fastest, abs(W[SERIES + i * WIDTH + 1]))
    for i in range(N_CONTACTS):
        # Not far beyond where the static limit would be reached at the present rate: on a step many times as long,
        # round-off in the last terms hides what happens.
        row = POLYNOMIAL + i * WIDTH
        falls = W[row + 1] < 0.0
        reached = FARTHER * W[row] / (-W[row + 1] if falls else 1.0)
        near = W[SIGN + i] == 0.0 and W[row] > 0.0 and falls and reached < h
        h = reached if near else h
        scale = W[SCALE + i]
        long = h * scale > STICK_ROOM * fastest and h * h * scale > REST_ROOM * size and W[SIGN + i] == 0.0
        if any_lane(long and running):
            room = max(STICK_ROOM * fastest / scale, sqrt(REST_ROOM * size / scale))
            h = room if long else h
    return h


# -- modes -------------------------------------------------------------------------------------------------------


def set_polynomial(W: Floats, i: int, h: float) -> None:
    """The polynomial whose first zero is the event of contact i: s·v in slip, S − side·λ in stick.

    A contact that has just left stick has v = 0 and maybe v' = 0 now: W[LEAD] counts these zeros, which are no events.
    """
    v = ROW_V + i * WIDTH
    force = ROW_FORCE + i * WIDTH
    row = POLYNOMIAL + i * WIDTH
    sign = W[SIGN + i]
    sticks = sign == 0.0
    fresh = W[FRESH + i] > 0.0
    ahead = W[force] + h * (W[force + 1] + h * W[force + 2])
    W[NEAR_SIDE + i] = 1.0 if ahead > 0.0 else -1.0
    factor = -W[NEAR_SIDE + i] if sticks else sign
    for k in range(ORDER + 1):
        limit = W[ROW_STATIC + i * WIDTH + k]
        W[row + k] = factor * (W[force + k] if sticks else W[v + k]) + (limit if sticks else 0.0)
    once = fresh and not sticks
    twice = once and abs(W[v + 1]) <= NOISE * W[SCALE + i]
    W[row] = 0.0 if once else W[row]
    W[row + 1] = 0.0 if twice else W[row + 1]
    W[LEAD + i] = 2.0 if twice else (1.0 if once else 0.0)


def urgency_of(W: Floats, i: int, h: float) -> float:
    """How much contact i, if it is at rest, wants another mode: see mode.py. LARGEST where that is in doubt.

    Its polynomial must be positive at first. Where it begins with zero, the next coefficient tells.
    """
    row = POLYNOMIAL + i * WIDTH
    sticks = W[SIGN + i] == 0.0
    force = abs(W[ROW_FORCE + i * WIDTH])
    static = W[ROW_STATIC + i * WIDTH]
    noise = NOISE * (static + force if sticks else W[SCALE + i] * h)
    # In stick the polynomial is for the side to which the force will go; what counts is the side where it is.
    here = not sticks or W[ROW_FORCE + i * WIDTH] * W[NEAR_SIDE + i] > 0.0
    start = static - force if sticks else W[row]
    first = start if abs(start) > noise else 0.0
    power = 1.0
    for k in range(1, LEADS):
        power *= h
        value = W[row + k] * power
        first = value if first == 0.0 and here and abs(value) > noise else first
    over = 1.0 if N_CONTACTS == 1 else 1.0 + max(force - static, 0.0) / (static + force)
    urgency = (over if sticks else 0.5) if first < 0.0 else 0.0
    urgency = 2.0 * LARGEST if first == 0.0 else urgency
    return urgency if W[FRESH + i] > 0.0 else 0.0


def settle(W: Floats, running: bool) -> float:
    """The largest urgency; the contact that has it gets another mode."""
    worst = 0.0
    for i in range(N_CONTACTS):
        worst = max(worst, W[URGENCY + i])
    taken = worst == 0.0 or not running
    for i in range(N_CONTACTS):
        changes = W[URGENCY + i] == worst and not taken
        taken = taken or changes
        released = -1.0 if W[ROW_FORCE + i * WIDTH] > 0.0 else 1.0
        W[SIGN + i] = (released if W[SIGN + i] == 0.0 else 0.0) if changes else W[SIGN + i]
    return worst


def count_changes(W: Floats, settled: bool) -> None:
    """Note which contacts changed their mode at the event before: 1 released, 2 come to rest, 3 slipping back."""
    for i in range(N_CONTACTS):
        before = W[BEFORE + i]
        now = W[SIGN + i]
        changed = settled and before != now and before != UNKNOWN
        kind = 1.0 if before == 0.0 else (2.0 if now == 0.0 else 3.0)
        W[CHANGE + i] = kind if changed else 0.0
        W[EVENTS] = W[EVENTS] + 1.0 if changed else W[EVENTS]
        W[BEFORE + i] = now if settled else before


# -- events ------------------------------------------------------------------------------------------------------


def value_of(W: Floats, row: int, tau: float) -> float:
    """The series that begins at W[row] at the time tau of the step: even and odd terms apart, two short chains."""
    square = tau * tau
    even = W[row + ORDER]
    odd = W[row + ORDER - 1]
    for k in range(ORDER - 2, -1, -2):
        even = even * square + W[row + k]
    for k in range(ORDER - 3, -1, -2):
        odd = odd * square + W[row + k]
    return odd * tau + even if ORDER % 2 == 0 else even * tau + odd


def least_tail(W: Floats, row: int, h: float) -> float:
    """A bound from below on the terms from the third order on, divided by h³."""
    square = h * h
    even = min(W[row + ORDER], 0.0)
    odd = min(W[row + ORDER - 1], 0.0)
    for k in range(ORDER - 2, 2, -2):
        even = even * square + min(W[row + k], 0.0)
    for k in range(ORDER - 3, 2, -2):
        odd = odd * square + min(W[row + k], 0.0)
    return odd + even * h if ORDER % 2 == 0 else even + odd * h


def least_of(W: Floats, row: int, h: float) -> float:
    """A bound from below on a series over the step: its constant term and all negative ones."""
    return W[row] + h * (min(W[row + 1], 0.0) + h * (min(W[row + 2], 0.0) + h * least_tail(W, row, h)))


def keeps_falling(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of a contact, its leading zeros divided out, has a slope that keeps its sign."""
    row = POLYNOMIAL + i * WIDTH
    lead = W[LEAD + i]
    total = 0.0
    for k in range(ORDER, 3, -1):
        total = (total + k * abs(W[row + k])) * h  # more than enough where zeros were divided out
    third = (3.0 - lead) * W[row + 3]
    second = (2.0 - lead) * W[row + 2]
    none = abs(W[row + 1]) > h * (abs(second) + h * (abs(third) + total))
    once = abs(second) > h * (abs(third) + total)
    twice = abs(third) > total
    return twice if lead == 2.0 else (once if lead == 1.0 else none)


def certain_step(W: Floats, h: float, moving: bool) -> float:
    """The step halved until it is certain that each polynomial either stays positive or ends negative; 0: never."""
    unsure = moving
    halvings = 0.0
    while any_lane(unsure):
        certain = True
        for i in range(N_CONTACTS):
            kept = is_certain(W, i, h)
            if any_lane(unsure and not kept):
                kept = kept or (keeps_falling(W, i, h) and W[END_VALUE + i] > 0.0)
            certain = certain and kept and leaves_room(W, i, h)
        for i in range(N_WATCHED):
            certain = certain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
        h = 0.5 * h if unsure and not certain else h
        halvings += 1.0
        unsure = unsure and not certain
        h = 0.0 if unsure and halvings >= MOST_HALVINGS else h
        unsure = unsure and halvings < MOST_HALVINGS
    return h


def is_certain(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of contact i is easily seen to stay positive, or ends negative."""
    row = POLYNOMIAL + i * WIDTH
    lead = W[LEAD + i]
    second = h * least_tail(W, row, h)
    first = h * (min(W[row + 2], 0.0) + second)
    W[LEAST + i] = W[row] + h * (min(W[row + 1], 0.0) + first)
    W[END_VALUE + i] = value_of(W, row, h)
    start = W[row + 2] if lead == 2.0 else (W[row + 1] if lead == 1.0 else W[row])
    least = W[row + 2] + second if lead == 2.0 else (W[row + 1] + first if lead == 1.0 else W[LEAST + i])
    return start > 0.0 and (least > 0.0 or W[END_VALUE + i] < 0.0)


def leaves_room(W: Floats, i: int, h: float) -> bool:
    """Whether the other limit, S + side·λ > 0, is out of reach on the step.

    That is 2S − p for the polynomial p = S − side·λ, whose positive terms add up to END_VALUE − LEAST.
    """
    static = least_of(W, ROW_STATIC + i * WIDTH, h)
    most = W[POLYNOMIAL + i * WIDTH] + (W[END_VALUE + i] - W[LEAST + i])
    return 2.0 * static > most or W[SIGN + i] != 0.0


def root_of(W: Floats, i: int, h: float, crosses: bool) -> float:
    """The first zero of a polynomial that ends negative; −1 where it cannot be told.

    Halley's method, kept inside by bisection.
    """
    row = POLYNOMIAL + i * WIDTH
    lead = W[LEAD + i]
    # A parabola from the start, with its slope there, to the end.
    square = h * h
    start = W[row + 2] * square if lead == 2.0 else (W[row + 1] * h if lead == 1.0 else W[row])
    first = W[row + 3] * square * h if lead == 2.0 else (W[row + 2] * square if lead == 1.0 else W[row + 1] * h)
    second = W[END_VALUE + i] - start - first
    low = 0.0
    high = h
    x = 2.0 * h * start / (sqrt(first * first - 4.0 * start * second) - first)
    searching = crosses
    rounds = 0.0
    while any_lane(searching):
        y = x * x
        even = W[row + ORDER - ORDER % 2]
        even_slope = 0.0
        even_bend = 0.0
        odd = W[row + ORDER - 1 + ORDER % 2]
        odd_slope = 0.0
        odd_bend = 0.0
        for k in range(ORDER - ORDER % 2 - 2, -1, -2):
            even_bend = even_bend * y + even_slope
            even_slope = even_slope * y + even
            even = even * y + W[row + k]
        for k in range(ORDER - 3 + ORDER % 2, -1, -2):
            odd_bend = odd_bend * y + odd_slope
            odd_slope = odd_slope * y + odd
            odd = odd * y + W[row + k]
        value = even + x * odd
        slope = odd + 2.0 * (x * even_slope + y * odd_slope)
        bend = even_slope + 3.0 * x * odd_slope + 4.0 * y * (even_bend + x * odd_bend)  # half the second derivative
        low = x if value > 0.0 else low
        high = high if value > 0.0 else x
        step = value * slope / (slope * slope - value * bend)
        following = x - step
        inside = low <= following and following <= high
        found = inside and abs(step) <= 1e-5 * x  # the next one would be about the cube of that
        following = following if inside else 0.5 * (low + high)
        x = following if searching else x
        rounds += 1.0
        searching = searching and not found and rounds < 60.0
    return x if crosses and is_alone(W, row, lead, x) and rounds < 60.0 else -1.0


def is_alone(W: Floats, row: int, lead: float, x: float) -> bool:
    """Whether x is the only zero up to there: divided by (t − x) the polynomial keeps its sign.

    Leading zeros are divided out as well; what remains has the same quotient, but for its last terms.
    """
    quotient = 0.0
    others = 0.0
    for k in range(ORDER, 3, -1):
        others = (others + abs(quotient)) * x
        quotient = quotient * x + W[row + k]
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 3]
    twice = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 2]
    once = abs(quotient) > others
    others = (others + abs(quotient)) * x
    quotient = quotient * x + W[row + 1]
    none = abs(quotient) > others
    return twice if lead == 2.0 else (once if lead == 1.0 else none)


def earliest_event(W: Floats, h: float, moving: bool) -> float:
    """The time of the first event on the step; beyond h if there is none, negative if that is in doubt."""
    earliest = 2.0 * h
    for i in range(N_CONTACTS):
        crosses = moving and h > 0.0 and W[END_VALUE + i] < 0.0
        W[ROOT + i] = 2.0 * h
        if any_lane(crosses):
            root = root_of(W, i, h, crosses)
            W[ROOT + i] = root if crosses else 2.0 * h
        earliest = min(earliest, W[ROOT + i])
    return earliest


# -- going on ----------------------------------------------------------------------------------------------------


def advance(W: Floats, tau: float, moving: bool, event: bool, whole: bool) -> bool:
    """Go on by tau, put v = 0 exactly where contacts are at rest; whether all numbers are finite."""
    total = 0.0
    for i in range(N_STATES):
        following = value_of(W, SERIES + i * WIDTH, tau)
        total += following
        W[STATE + i] = following if moving else W[STATE + i]
    later = W[END] if whole and not event else W[TIME] + tau
    W[TIME] = later if moving else W[TIME]
    rest(W)
    for _ in range(N_CONTACTS):
        for i in range(N_CONTACTS):
            ends = event and W[ROOT + i] <= tau
            rests = moving and (W[SIGN + i] == 0.0 or ends)
            impulse = -W[V + i] * W[INVERSE + i] if rests else 0.0
            for j in range(N_STATES):
                W[STATE + j] = W[STATE + j] + W[G + j * N_CONTACTS + i] * impulse
            for j in range(N_CONTACTS):
                W[V + j] = W[V + j] + W[D + j * N_CONTACTS + i] * impulse
    return abs(total) < LARGEST or not moving


def watch(W: Floats, tau: float, watched: bool) -> bool:
    """Widen the extent of every state by what it reaches on the step, and add up the time in stick.

    True where a state might pass beyond its extent, and it is not certain whether it turns once or not at all.
    """
    waits = False
    for i in range(N_STATES):
        waits = waits or widen(W, i, tau, watched)
    for i in range(N_CONTACTS):
        sticks = watched and not waits and W[SIGN + i] == 0.0
        W[STICK_TIME + i] = W[STICK_TIME + i] + tau if sticks else W[STICK_TIME + i]
    return waits


def widen(W: Floats, i: int, tau: float, watched: bool) -> bool:
    """The same for one state."""
    row = SERIES + i * WIDTH
    end = value_of(W, row, tau)
    least = least_of(W, row, tau)
    most = W[row] + (end - least)  # the start and all positive terms
    low = min(W[WATCHED_LOW + i], end)
    high = max(W[WATCHED_HIGH + i], end)
    room = NOISE * (abs(W[row]) + (most - least))
    steady = 0.0
    for k in range(ORDER, 1, -1):
        steady = (steady + k * abs(W[row + k])) * tau
    unsure = watched and (most > high + room or least < low - room) and abs(W[row + 1]) <= steady
    if any_lane(unsure):
        rate = 0.0
        bend = 0.0
        for k in range(ORDER, 0, -1):
            rate = rate * tau + k * W[row + k]
        for k in range(ORDER, 2, -1):
            bend = (bend + (k * (k - 1)) * abs(W[row + k])) * tau
        once = 2.0 * abs(W[row + 2]) > bend  # then the rate has one zero at most
        turns = unsure and once and W[row + 1] * rate < 0.0
        value = extreme(W, row, tau, rate)
        low = min(low, value) if turns else low
        high = max(high, value) if turns else high
        unsure = unsure and not once
    W[WATCHED_LOW + i] = low if watched else W[WATCHED_LOW + i]
    W[WATCHED_HIGH + i] = high if watched else W[WATCHED_HIGH + i]
    return unsure


def extreme(W: Floats, row: int, tau: float, end_rate: float) -> float:
    """The value of a series where its rate vanishes: three steps of Newton's method from the secant.

    An error of the place counts only by its square.
    """
    x = tau * W[row + 1] / (W[row + 1] - end_rate)
    for _ in range(3):
        rate = 0.0
        bend = 0.0
        for k in range(ORDER, 0, -1):
            bend = bend * x + rate
            rate = rate * x + k * W[row + k]
        following = x - rate / bend
        x = following if following >= 0.0 and following <= tau else x
    return value_of(W, row, x)


def note_event(W: Floats, place: float, moving: bool, event: bool) -> None:
    """Which contacts are to be asked next, and the mode to try: stick where slip ended, slip where the limit was
    passed."""
    for i in range(N_CONTACTS):
        sign = W[SIGN + i]
        ends = event and W[ROOT + i] <= place
        tried = -W[NEAR_SIDE + i] if sign == 0.0 else 0.0
        asked = 1.0 if ends or (event and sign == 0.0) else 0.0
        W[FRESH + i] = asked if moving else W[FRESH + i]
        W[SIGN + i] = tried if ends else sign


def hurry(W: Floats, natural: float, place: float, event: bool) -> bool:
    """Whether one event follows the other in no time, again and again."""
    at_once = place <= 1e-9 * natural
    W[HASTE] = (W[HASTE] + 1.0 if at_once else 0.0) if event else W[HASTE]
    return W[HASTE] > MOST_HASTE


# -- many trajectories -------------------------------------------------------------------------------------------


def propagate_lanes(
    W: Floats,
    I: Ints,
    B: Floats,
    t_start: float,
    t_end: float,
    log_tolerance: float,
    most_steps: float,
    count: int,
    starts: Floats,
    parameters: Floats,
    ends: Floats,
    outcome: Ints,
) -> None:
    """End state, and (status, number of events), of every trajectory; status 1 is one that was given up."""
    following = 0
    travelling = 0
    for lane in range(LANES):
        B[CONDITION * LANES + lane] = PARKED
        if following < count:
            enter(W, I, B, lane, t_start, t_end, log_tolerance, most_steps, following, starts, parameters)
            following += 1
            travelling += 1
    while travelling > 0:
        if lane_tick(B):
            for lane in range(LANES):
                if B[CONDITION * LANES + lane] > RUNNING:
                    leave(B, lane, ends, outcome)
                    if following < count:
                        enter(W, I, B, lane, t_start, t_end, log_tolerance, most_steps, following, starts, parameters)
                        following += 1
                    else:
                        B[CONDITION * LANES + lane] = PARKED
                        travelling -= 1


def enter(
    W: Floats,
    I: Ints,
    B: Floats,
    lane: int,
    t_start: float,
    t_end: float,
    log_tolerance: float,
    most_steps: float,
    point: int,
    starts: Floats,
    parameters: Floats,
) -> None:
    """Put a trajectory into a lane: as `begin` of march.py, except that the modes are settled by the first ticks."""
    for i in range(KEPT):
        W[i] = 0.0
    largest = 0.0
    for i in range(N_STATES):
        W[STATE + i] = starts[point * N_STATES + i]
        largest = max(largest, abs(W[STATE + i]))
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[point * N_PARAMETERS + i]
    W[TIME] = t_start
    constants(W)
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
    ingredients(W, I)
    for i in range(N_CONTACTS):
        v = W[V + i]
        at_rest = abs(v) <= 1e-15 * largest
        W[FRESH + i] = 1.0 if at_rest else 0.0
        W[SIGN + i] = 0.0 if at_rest else (1.0 if v > 0.0 else -1.0)
        W[BEFORE + i] = UNKNOWN if at_rest else W[SIGN + i]
    W[END] = t_end
    W[GUESS] = 1.0
    W[LIMIT] = LARGEST
    W[LOG_TOLERANCE] = log_tolerance
    W[ALLOWED] = most_steps
    W[POINT] = point
    W[HEED] = LARGEST
    for i in range(KEPT):
        B[i * LANES + lane] = W[i]
    for i in range(LANE_ROWS - KEPT):
        B[(KEPT + i) * LANES + lane] = W[Q + i]


def leave(B: Floats, lane: int, ends: Floats, outcome: Ints) -> None:
    """Take down where a trajectory ended."""
    point = int(B[POINT * LANES + lane])
    for i in range(N_STATES):
        ends[point * N_STATES + i] = B[(STATE + i) * LANES + lane]
    outcome[2 * point] = 0 if B[CONDITION * LANES + lane] == ARRIVED else 1
    outcome[2 * point + 1] = int(B[EVENTS * LANES + lane])
