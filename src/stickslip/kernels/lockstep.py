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

from stickslip.kernels.machine import any_lane, rough_exp2, rough_log2
from stickslip.kernels.model import (
    BEFORE,
    CHANGE,
    END,
    END_VALUE,
    EVENTS,
    FRESH,
    GAP,
    GUESS,
    HASTE,
    KEPT,
    LANE_ROWS,
    LAST_EVENT,
    LIMIT,
    LOG_TOLERANCE,
    MODE,
    MOST,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    N_WATCHED,
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
    SIDE,
    SIGN,
    SINGULAR,
    STATE,
    STATUS,
    STEPS,
    TIME,
    TRIES,
    URGENCY,
    WIDTH,
    D,
    Floats,
    G,
    Ints,
    P,
    Q,
    V,
    constants,
    ingredients,
    lane_tick,
    rest,
    taylor,
)

LANES = 1
"""How many trajectories travel together; targets put their own number here."""

RUNNING, ARRIVED, GIVEN_UP, PARKED = 0.0, 1.0, 2.0, -1.0
NOISE = 1e-13  # as in mode.py
LEADS = 4  # coefficients among which the leading one must be
NEVER = -1100.0  # the logarithm of nothing
STICK_ROOM, REST_ROOM = 9e3, 9.0  # as in step.py
MOST_HALVINGS = 40.0
MOST_TRIES = 20.0
UNKNOWN = 9.0  # the mode of a contact that starts at rest, before it is settled
LARGEST = 1e300


def tick(W: Floats) -> bool:
    """One expansion of a trajectory; whether any of those that travel together needs attention."""
    taylor(W)
    running = W[STATUS] == RUNNING
    W[OLD_TIME] = W[TIME]
    for i in range(N_STATES):
        W[OLD_STATE + i] = W[STATE + i]
    for i in range(N_CONTACTS):
        W[ROW_V + i * WIDTH] = 0.0 if W[FRESH + i] > 0.0 else W[ROW_V + i * WIDTH]
    natural = natural_step(W, running)
    sound = W[SINGULAR] == 0.0
    for i in range(N_CONTACTS):
        sound = sound and W[SIGN + i] * W[ROW_FORCE + i * WIDTH] <= 0.0
    content = settle(W, natural, running)
    sound = sound and W[URGENCY] < LARGEST
    count_changes(W, running and content)
    remaining = W[END] - W[TIME]
    h = min(min(limited(W, natural), W[LIMIT]), remaining)
    W[GUESS] = min(natural, remaining) if running else W[GUESS]
    set_polynomials(W, natural)
    moving = running and content and sound and h > 0.0
    h = certain_step(W, h, moving)
    sound = sound and (h > 0.0 or not content)
    place = earliest_event(W, h, moving)
    waits = place < 0.0
    moving = moving and h > 0.0 and not waits
    event = moving and place < h
    W[LIMIT] = (0.5 * h if waits else LARGEST) if running else W[LIMIT]
    tau = place if event else h
    finite = advance(W, tau, moving, event, h == remaining)
    sound = sound and finite
    note_event(W, place, moving, event)
    hurried = hurry(W, event)
    W[TRIES] = 0.0 if moving else W[TRIES] + 1.0
    W[STEPS] = W[STEPS] + 1.0 if running else W[STEPS]
    lost = not sound or hurried or W[TRIES] > MOST_TRIES or W[STEPS] >= W[MOST]
    status = ARRIVED if W[TIME] >= W[END] else RUNNING
    W[STATUS] = (GIVEN_UP if lost else status) if running else W[STATUS]
    attention = running and (W[STATUS] > RUNNING)
    for i in range(N_CONTACTS):
        attention = attention or W[CHANGE + i] > 0.0
    return any_lane(attention)


# -- the length of a step ----------------------------------------------------------------------------------------


def last_term(W: Floats, row: int, h: float, extra: float) -> float:
    """As in step.py, but its binary logarithm."""
    scale = abs(W[row]) + h * (abs(W[row + 1]) + h * abs(W[row + 2])) + extra
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    return rough_log2(last) - rough_log2(scale) if last > 0.0 else NEVER


def last_term_of_contact(W: Floats, i: int, h: float) -> float:
    """Of the friction force in stick; of the sliding velocity just after release, when it is tiny."""
    v = ROW_V + i * WIDTH
    tiny = abs(W[v]) < 0.01 * h * (abs(W[v + 1]) + h * abs(W[v + 2]))
    sliding = last_term(W, v, h, 0.0) if tiny else NEVER
    static = ROW_STATIC + i * WIDTH
    sticking = max(last_term(W, ROW_FORCE + i * WIDTH, h, W[static]), last_term(W, static, h, 0.0))
    return sticking if W[SIGN + i] == 0.0 else sliding


def natural_step(W: Floats, running: bool) -> float:
    """The step length at which the last terms of every series that matters equal the tolerance."""
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
        near = 0.3 * h <= following and following <= 3.0 * h  # the leading terms hardly depend on h
        h = following if unsettled else h
        rounds += 1.0
        unsettled = unsettled and not near and rounds < 6.0
    return h


def limited(W: Floats, h: float) -> float:
    """A step in stick on which round-off does not move the positions: see step.py."""
    size = 1.0
    fastest = 0.0
    for i in range(N_STATES):
        size = max(size, abs(W[SERIES + i * WIDTH]))
        fastest = max(fastest, abs(W[SERIES + i * WIDTH + 1]))
    for i in range(N_CONTACTS):
        inverse = 1.0 / W[SCALE + i]
        room = max(STICK_ROOM * fastest * inverse, sqrt(REST_ROOM * size * inverse))
        h = room if W[SIGN + i] == 0.0 and room < h else h
    return h


# -- modes -------------------------------------------------------------------------------------------------------


def leading(W: Floats, row: int, sign: float, h: float, noise: float) -> float:
    """The first term of sign·series above round-off; 0 where it is not among the first ones."""
    first = 0.0
    power = 1.0
    for k in range(LEADS):
        value = sign * W[row + k] * power
        first = value if first == 0.0 and abs(value) > noise else first
        power *= h
    return first


def leading_room(W: Floats, i: int, side: float, h: float, noise: float) -> float:
    """The same of the room that is left to the static limit, S ∓ λ."""
    first = 0.0
    power = 1.0
    for k in range(LEADS):
        value = (W[ROW_STATIC + i * WIDTH + k] - side * W[ROW_FORCE + i * WIDTH + k]) * power
        first = value if first == 0.0 and abs(value) > noise else first
        power *= h
    return first


def urgency_of(W: Floats, i: int, h: float) -> float:
    """How much contact i at rest wants another mode: see mode.py. LARGEST where leading terms do not tell."""
    sign = W[SIGN + i]
    slip = leading(W, ROW_V + i * WIDTH, sign, h, NOISE * W[SCALE + i] * h)
    force = W[ROW_FORCE + i * WIDTH]
    static = W[ROW_STATIC + i * WIDTH]
    size = static + abs(force)
    side = 1.0 if force > 0.0 else -1.0
    stick = leading_room(W, i, side, h, NOISE * size)
    over = 1.0 + max(abs(force) - static, 0.0) / size
    urgency = (over if stick < 0.0 else 0.0) if sign == 0.0 else (0.5 if slip < 0.0 else 0.0)
    known = (stick if sign == 0.0 else slip) != 0.0
    return urgency if known else 2.0 * LARGEST


def settle(W: Floats, h: float, running: bool) -> bool:
    """Whether all contacts that have just changed are content; if not, the most urgent one gets another mode."""
    for i in range(N_CONTACTS):
        W[URGENCY + i] = urgency_of(W, i, h) if W[FRESH + i] > 0.0 else 0.0
    worst = 0.0
    for i in range(N_CONTACTS):
        worst = max(worst, W[URGENCY + i])
    taken = worst == 0.0 or not running
    for i in range(N_CONTACTS):
        changes = W[URGENCY + i] == worst and not taken
        taken = taken or changes
        released = -1.0 if W[ROW_FORCE + i * WIDTH] > 0.0 else 1.0
        W[SIGN + i] = (released if W[SIGN + i] == 0.0 else 0.0) if changes else W[SIGN + i]
    W[URGENCY] = worst
    return worst == 0.0


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


def least_of(W: Floats, row: int, h: float) -> float:
    """A bound from below on a series over the step: its constant term and all negative ones."""
    square = h * h
    even = min(W[row + ORDER], 0.0)
    odd = min(W[row + ORDER - 1], 0.0)
    for k in range(ORDER - 2, 0, -2):
        even = even * square + min(W[row + k], 0.0)
    for k in range(ORDER - 3, 0, -2):
        odd = odd * square + min(W[row + k], 0.0)
    # Here one of the chains ends with the first power, the other with the second.
    return W[row] + h * (odd + even * h) if ORDER % 2 == 0 else W[row] + h * (even + odd * h)


def least_room(W: Floats, i: int, h: float) -> float:
    """The same for the room to the static limit on the other side, S + side·λ."""
    force = ROW_FORCE + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    side = W[SIDE + i]
    total = 0.0
    for k in range(ORDER, 0, -1):
        total = (total + min(W[static + k] + side * W[force + k], 0.0)) * h
    return W[static] + side * W[force] + total


def keeps_falling(W: Floats, row: int, h: float) -> bool:
    """Whether the slope of a series keeps its sign over the step."""
    total = 0.0
    for k in range(ORDER, 1, -1):
        total = (total + k * abs(W[row + k])) * h
    return abs(W[row + 1]) > total


def set_polynomials(W: Floats, natural: float) -> None:
    """Per contact the polynomial whose first zero is its event: s·v in slip, S − side·λ in stick.

    A contact that has just left stick has v = 0 and maybe v' = 0 now: these zeros are divided out.
    """
    for i in range(N_CONTACTS):
        v = ROW_V + i * WIDTH
        force = ROW_FORCE + i * WIDTH
        static = ROW_STATIC + i * WIDTH
        sign = W[SIGN + i]
        sticks = sign == 0.0
        ahead = W[force] + natural * (W[force + 1] + natural * W[force + 2])
        W[SIDE + i] = 1.0 if ahead > 0.0 else -1.0
        once = W[FRESH + i] > 0.0
        twice = once and abs(W[v + 1]) <= NOISE * W[SCALE + i]
        thrice = twice and abs(W[v + 2]) * natural <= NOISE * W[SCALE + i]
        for k in range(ORDER + 1):
            after = W[v + k + 1] if k < ORDER else 0.0
            second = W[v + k + 2] if k + 1 < ORDER else 0.0
            slip = sign * (second if twice else (after if once else W[v + k]))
            W[POLYNOMIAL + i * WIDTH + k] = W[static + k] - W[SIDE + i] * W[force + k] if sticks else slip
        # A third zero is out of the ordinary: a polynomial that begins with zero is never certain.
        W[POLYNOMIAL + i * WIDTH] = 0.0 if thrice and not sticks else W[POLYNOMIAL + i * WIDTH]


def certain_step(W: Floats, h: float, moving: bool) -> float:
    """The step halved until it is certain that each polynomial either stays positive or ends negative; 0: never."""
    unsure = moving
    halvings = 0.0
    while any_lane(unsure):
        certain = True
        for i in range(N_CONTACTS):
            row = POLYNOMIAL + i * WIDTH
            W[END_VALUE + i] = value_of(W, row, h)
            kept = least_of(W, row, h) > 0.0 or W[END_VALUE + i] < 0.0
            if any_lane(unsure and not kept):
                kept = kept or keeps_falling(W, row, h)
            other = least_room(W, i, h) > 0.0 or W[SIGN + i] != 0.0
            certain = certain and W[row] > 0.0 and kept and other
        for i in range(N_WATCHED):
            certain = certain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
        h = 0.5 * h if unsure and not certain else h
        halvings += 1.0
        unsure = unsure and not certain
        h = 0.0 if unsure and halvings >= MOST_HALVINGS else h
        unsure = unsure and halvings < MOST_HALVINGS
    return h


def root_of(W: Floats, i: int, h: float, crosses: bool) -> float:
    """The zero of a polynomial that ends negative, by Newton's method kept inside by bisection; −1 if in doubt."""
    row = POLYNOMIAL + i * WIDTH
    low = 0.0
    high = h
    x = h * W[row] / (W[row] - W[END_VALUE + i])
    searching = crosses
    rounds = 0.0
    while any_lane(searching):
        value = W[row + ORDER]
        slope = 0.0
        for k in range(ORDER - 1, -1, -1):
            slope = slope * x + value
            value = value * x + W[row + k]
        low = x if value > 0.0 else low
        high = high if value > 0.0 else x
        step = value / slope
        y = x - step
        inside = low <= y and y <= high
        found = inside and abs(step) <= 1e-9 * x  # the next one would be the square of that
        y = y if inside else 0.5 * (low + high)
        x = y if searching else x
        rounds += 1.0
        searching = searching and not found and rounds < 60.0
    return x if crosses and is_alone(W, row, x) and rounds < 60.0 else -1.0


def is_alone(W: Floats, row: int, x: float) -> bool:
    """Whether x is the only zero up to there: divided by (t − x) the polynomial keeps its sign."""
    quotient = 0.0
    others = 0.0
    for k in range(ORDER, 0, -1):
        others = (others + abs(quotient)) * x
        quotient = quotient * x + W[row + k]
    return abs(quotient) > others


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
            rests = moving and (W[SIGN + i] == 0.0 or ends) and W[D + i * N_CONTACTS + i] != 0.0
            impulse = -W[V + i] / W[D + i * N_CONTACTS + i] if rests else 0.0
            for j in range(N_STATES):
                W[STATE + j] = W[STATE + j] + W[G + j * N_CONTACTS + i] * impulse
            for j in range(N_CONTACTS):
                W[V + j] = W[V + j] + W[D + j * N_CONTACTS + i] * impulse
    return abs(total) < LARGEST or not moving


def note_event(W: Floats, place: float, moving: bool, event: bool) -> None:
    """Which contacts are to be asked next, and the mode to try: stick where slip ended, slip where the limit was
    passed."""
    for i in range(N_CONTACTS):
        sign = W[SIGN + i]
        ends = event and W[ROOT + i] <= place
        tried = -W[SIDE + i] if sign == 0.0 else 0.0
        asked = 1.0 if ends or (event and sign == 0.0) else 0.0
        W[FRESH + i] = asked if moving else W[FRESH + i]
        W[SIGN + i] = tried if ends else sign


def hurry(W: Floats, event: bool) -> bool:
    """Whether events follow each other ever faster: see march.py."""
    gap = W[TIME] - W[LAST_EVENT]
    W[GAP] = max(W[GAP], gap) if event else W[GAP]
    fast = gap <= 1e-9 * W[GAP]
    W[HASTE] = (W[HASTE] + 1.0 if fast else 0.0) if event else W[HASTE]
    W[LAST_EVENT] = W[TIME] if event else W[LAST_EVENT]
    return W[HASTE] > 20.0


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
        B[STATUS * LANES + lane] = PARKED
        if following < count:
            enter(W, I, B, lane, t_start, t_end, log_tolerance, most_steps, following, starts, parameters)
            following += 1
            travelling += 1
    while travelling > 0:
        if lane_tick(B):
            for lane in range(LANES):
                if B[STATUS * LANES + lane] > RUNNING:
                    leave(B, lane, ends, outcome)
                    if following < count:
                        enter(W, I, B, lane, t_start, t_end, log_tolerance, most_steps, following, starts, parameters)
                        following += 1
                    else:
                        B[STATUS * LANES + lane] = PARKED
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
    W[MOST] = most_steps
    W[LAST_EVENT] = t_start
    W[POINT] = point
    for i in range(KEPT):
        B[i * LANES + lane] = W[i]
    for i in range(LANE_ROWS - KEPT):
        B[(KEPT + i) * LANES + lane] = W[Q + i]


def leave(B: Floats, lane: int, ends: Floats, outcome: Ints) -> None:
    """Take down where a trajectory ended."""
    point = int(B[POINT * LANES + lane])
    for i in range(N_STATES):
        ends[point * N_STATES + i] = B[(STATE + i) * LANES + lane]
    outcome[2 * point] = 0 if B[STATUS * LANES + lane] == ARRIVED else 1
    outcome[2 * point + 1] = int(B[EVENTS * LANES + lane])
