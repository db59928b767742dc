"""Trajectories in lockstep: one Taylor expansion of each per tick, whatever it is doing.

A trajectory is a state machine. A tick expands it in its present mode. Most steps are plain: nothing has just happened,
and a quick bound says that nothing will, so the whole step is gone. All else is special: contacts have just changed and
are asked whether they are content with the mode that is being tried, or an event may lie on the step and is located, or
the step must be shortened. All that travel together pay for what one of them needs, so special ones wait, expanded in
vain, until there are enough of them (`gathered`).

All of `tick` is written with selects (`a if c else b`) in place of branches, and whether a branch is taken or a loop
goes on is asked of all trajectories together; then a trajectory computes the same bits in any company.
`targets/unroll.py` makes one long function of it, in which every place of W is a variable. Numbers are floats: whole
numbers are known before.

Nothing here is guessed: a step on which the first event cannot be told for certain by simple means is halved. What is
out of the ordinary (several events at once, friction that pushes, lift-off, numbers that are not finite) gives the
trajectory up; it is then done again from its start by the march.
"""

from math import sqrt

from stickslip.kernels.machine import any_lane, gathered, rough_exp2, rough_ratio
from stickslip.kernels.model import (
    AFTER,
    ALLOWED,
    BEFORE,
    CALM,
    CHANGE,
    CONDITION,
    END,
    END_VALUE,
    EVENTS,
    FACTOR,
    FIRST,
    FRESH,
    GOES,
    GUESS,
    HASTE,
    HEED,
    INVERSE,
    KEPT,
    LANE_ROWS,
    LEAD,
    LIMIT,
    LIMIT_VARIES,
    LOG_TOLERANCE,
    LOST,
    MODE,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    N_WATCHED,
    NEAR_SIDE,
    NEXT,
    NEXT_TIME,
    OLD_STATE,
    OLD_TIME,
    ORDER,
    PLACE,
    POINT,
    POLYNOMIAL,
    RELEASED,
    ROOM,
    ROOT,
    ROW_FORCE,
    ROW_GUARD,
    ROW_STATIC,
    ROW_V,
    SCALE,
    SECOND,
    SERIES,
    SIGN,
    SINGULAR,
    STATE,
    STEPS,
    STICK_TIME,
    TAU,
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
CLOSE, SHORTER = 0.5, 0.25  # how far a step may be below the guess at it; the guess after an event
VALUE, RATE, BEND = 0.41, 1.64, 9.7  # see `tail_of`
MOST_ROUNDS = 6.0
CLOSE_ENOUGH, MOST_STEPS_TO_EXTREME = 1e-3, 20.0
MOST_TRIES = 100.0
MOST_WAITS = 8.0
MOST_HASTE = 20.0
UNKNOWN = 9.0  # the mode of a contact that starts at rest, before it is settled
LARGEST = 1e300


def tick(W: Floats) -> bool:
    """One expansion of a trajectory; whether any of those that travel together needs attention."""
    expansion(W)
    running = W[CONDITION] == RUNNING
    remaining = W[END] - W[TIME]
    guess = min(W[GUESS], remaining)
    for i in range(N_CONTACTS):
        set_polynomial(W, i, guess)
    natural = natural_step(W, guess)
    h = min(natural, remaining)
    plain = running and is_plain(W, h, natural)
    special = running and not plain
    together = gathered(special, running, W[TRIES] >= MOST_WAITS)
    W[TAU] = h
    W[GOES] = 1.0 if plain else 0.0
    W[LOST] = 0.0
    for i in range(N_STATES):
        W[NEXT + i] = value_of(W, SERIES + i * WIDTH, h)
    W[NEXT_TIME] = W[END] if h == remaining else W[TIME] + h
    W[GUESS] = natural if plain else W[GUESS]
    W[STEPS] = W[STEPS] + 1.0 if plain else W[STEPS]
    if together:
        take_care(W, special, natural, remaining)
    if any_lane(W[GOES] > 0.0 and W[WATCHING] > 0.0):
        watch(W, W[TAU], W[GOES] > 0.0 and W[WATCHING] > 0.0)
    moving = W[GOES] > 0.0
    if together:
        note_event(W, natural, special, moving)
    total = 0.0
    for i in range(N_STATES):
        total += W[NEXT + i]
        W[STATE + i] = W[NEXT + i] if moving else W[STATE + i]
    W[TIME] = W[NEXT_TIME] if moving else W[TIME]
    W[TRIES] = 0.0 if moving else W[TRIES] + 1.0
    finite = abs(total) < LARGEST or not moving
    lost = W[LOST] > 0.0 or not finite or W[TRIES] > MOST_TRIES or W[STEPS] >= W[ALLOWED]
    status = ARRIVED if W[TIME] >= W[END] else RUNNING
    W[CONDITION] = (GIVEN_UP if lost else status) if running else W[CONDITION]
    attention = W[CONDITION] > RUNNING
    for i in range(N_CONTACTS):
        change = W[CHANGE + i]
        attention = attention or change == W[HEED] or (W[HEED] == 3.0 and change > 0.0)
    return any_lane(attention)


def is_plain(W: Floats, h: float, natural: float) -> bool:
    """Whether the whole step can be gone: nothing has just happened, and it is certain that nothing will."""
    plain = W[CALM] > 0.0 and natural >= CLOSE * W[GUESS] and W[SINGULAR] == 0.0
    for i in range(N_CONTACTS):
        short = W[SIGN + i] != 0.0 or h * h * W[SCALE + i] <= REST_ROOM
        plain = plain and short and stays_clear(W, i, h)
    for i in range(N_WATCHED):
        plain = plain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
    return plain


def take_care(W: Floats, special: bool, natural: float, remaining: float) -> None:
    """What is not plain: modes to be settled, steps to be shortened, events to be located."""
    sound = W[SINGULAR] == 0.0
    h = min(min(natural, W[LIMIT]), remaining)
    released = False
    for i in range(N_CONTACTS):
        sound = sound and W[SIGN + i] * W[ROW_FORCE + i * WIDTH] <= 0.0
        released = released or (W[FRESH + i] > 0.0 and W[SIGN + i] != 0.0)
        set_positive(W, i, h)
        mark_zeros(W, i)
        W[URGENCY + i] = urgency_of(W, i, natural)
    worst = settle(W, special)
    content = special and worst == 0.0
    count_changes(W, content)
    h = limited(W, h)
    guessed = natural >= CLOSE * W[GUESS]
    able = content and sound and guessed and h > 0.0
    certain = able and is_certain(W, h)
    place = earliest_event(W, h, certain)
    goes = certain and place >= 0.0
    W[PLACE] = place if goes and place < h else LARGEST
    W[TAU] = min(h, W[PLACE]) if special else W[TAU]
    W[GOES] = (1.0 if goes else 0.0) if special else W[GOES]
    W[LIMIT] = (LARGEST if goes else 0.5 * h) if able else W[LIMIT]
    W[LOST] = 1.0 if special and not (sound and worst < LARGEST) else 0.0
    W[STEPS] = W[STEPS] + 1.0 if special else W[STEPS]
    # After a release the step is often as long as it was after the last one.
    W[AFTER] = natural if goes and released else W[AFTER]
    after = W[AFTER] if W[AFTER] > 0.0 else SHORTER * natural
    W[GUESS] = (after if W[PLACE] < LARGEST else natural) if special else W[GUESS]
    advance(W, special, remaining)


# -- the length of a step ----------------------------------------------------------------------------------------


def last_term(W: Floats, row: int, h: float) -> float:
    """As in step.py, but its binary logarithm."""
    scale = abs(W[row]) + h * (abs(W[row + 1]) + h * abs(W[row + 2]))
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    return rough_ratio(last, scale)


def last_term_of_contact(W: Floats, i: int, h: float) -> float:
    """Of the friction force in stick; of the sliding velocity just after release, when it is tiny."""
    row = POLYNOMIAL + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    sticks = W[SIGN + i] == 0.0
    growth = h * (abs(W[row + 1]) + h * abs(W[row + 2]))
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    scale = abs(W[row]) + growth + (W[static] if sticks else 0.0)
    matters = sticks or abs(W[row]) < 0.01 * growth
    own = rough_ratio(last, scale) if matters else NEVER
    if LIMIT_VARIES:
        own = max(own, last_term(W, static, h) if sticks else NEVER)
    return own


def natural_step(W: Floats, h: float) -> float:
    """The step length at which the last terms of every series that matters equal the tolerance.

    The leading terms depend on the length itself, for which a guess h stands in. Where it turns out much shorter, they
    were too large: the next tick has a better guess.
    """
    largest = NEVER
    for i in range(N_STATES):
        largest = max(largest, last_term(W, SERIES + i * WIDTH, h))
    for i in range(N_CONTACTS):
        largest = max(largest, last_term_of_contact(W, i, h))
    for i in range(N_WATCHED):
        largest = max(largest, last_term(W, ROW_GUARD + i * WIDTH, h))
    return rough_exp2((W[LOG_TOLERANCE] - largest) * (1.0 / (ORDER - 1)))


def limited(W: Floats, h: float) -> float:
    """A step in stick that round-off allows: it does not move the positions (see step.py), nor hide an event."""
    for i in range(N_CONTACTS):
        sticks = W[SIGN + i] == 0.0
        # Not far beyond where the static limit would be reached at the present rate: on a step many times as long,
        # round-off in the last terms hides what happens.
        margin = W[FACTOR + i] * W[POLYNOMIAL + i * WIDTH]
        decline = -W[FACTOR + i] * W[POLYNOMIAL + i * WIDTH + 1]
        near = sticks and margin > 0.0 and FARTHER * margin < decline * h
        if any_lane(near):
            h = FARTHER * rough_exp2(rough_ratio(margin, decline)) if near else h
        if any_lane(sticks and h * h * W[SCALE + i] > REST_ROOM):
            room = stick_room(W, i)
            h = min(h, room) if sticks else h
    return h


def stick_room(W: Floats, i: int) -> float:
    """The longest step in stick that does not move the positions by round-off."""
    size = 1.0
    fastest = 0.0
    for j in range(N_STATES):
        size = max(size, abs(W[SERIES + j * WIDTH]))
        fastest = max(fastest, abs(W[SERIES + j * WIDTH + 1]))
    scale = W[SCALE + i]
    return max(STICK_ROOM * fastest / scale, sqrt(REST_ROOM * size / scale)) if scale > 0.0 else LARGEST


# -- modes -------------------------------------------------------------------------------------------------------


def set_polynomial(W: Floats, i: int, h: float) -> None:
    """The polynomial whose first zero is the event of contact i: v in slip, λ − side·S in stick.

    The side is the one to which λ goes in the time h. FACTOR is the sign that makes the polynomial positive while the
    mode holds.
    """
    v = ROW_V + i * WIDTH
    force = ROW_FORCE + i * WIDTH
    row = POLYNOMIAL + i * WIDTH
    sign = W[SIGN + i]
    sticks = sign == 0.0
    ahead = W[force] + h * (W[force + 1] + h * W[force + 2])
    side = 1.0 if ahead > 0.0 else -1.0
    W[NEAR_SIDE + i] = side
    W[FACTOR + i] = -side if sticks else sign
    for k in range(ORDER + 1):
        W[row + k] = W[force + k] - side * W[ROW_STATIC + i * WIDTH + k] if sticks else W[v + k]


def set_positive(W: Floats, i: int, h: float) -> None:
    """The same with its sign, so that it is positive while the mode holds.

    Nothing of the above is used again: what must be kept for special trajectories costs the plain ones more.
    """
    v = ROW_V + i * WIDTH
    force = ROW_FORCE + i * WIDTH
    row = POLYNOMIAL + i * WIDTH
    sign = W[SIGN + i]
    sticks = sign == 0.0
    ahead = W[force] + h * (W[force + 1] + h * W[force + 2])
    side = 1.0 if ahead > 0.0 else -1.0
    W[NEAR_SIDE + i] = side
    W[FACTOR + i] = 1.0
    factor = -side if sticks else sign
    for k in range(ORDER + 1):
        limit = W[ROW_STATIC + i * WIDTH + k]
        W[row + k] = factor * (W[force + k] if sticks else W[v + k]) + (limit if sticks else 0.0)


def mark_zeros(W: Floats, i: int) -> None:
    """A contact that has just left stick has v = 0 and maybe v' = 0 now: LEAD counts these zeros, no events."""
    row = POLYNOMIAL + i * WIDTH
    once = W[FRESH + i] > 0.0 and W[SIGN + i] != 0.0
    twice = once and abs(W[row + 1]) <= NOISE * W[SCALE + i]
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
    start = static - force if sticks else W[FACTOR + i] * W[row]
    first = start if abs(start) > noise else 0.0
    power = W[FACTOR + i]
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
    any_changed = False
    for i in range(N_CONTACTS):
        before = W[BEFORE + i]
        now = W[SIGN + i]
        changed = settled and before != now and before != UNKNOWN
        kind = 1.0 if before == 0.0 else (2.0 if now == 0.0 else 3.0)
        W[CHANGE + i] = kind if changed else (0.0 if settled else W[CHANGE + i])
        W[EVENTS] = W[EVENTS] + 1.0 if changed else W[EVENTS]
        W[RELEASED] = W[RELEASED] + 1.0 if changed and before == 0.0 else W[RELEASED]
        W[BEFORE + i] = now if settled else before
        any_changed = any_changed or changed
    W[OLD_TIME] = W[TIME] if any_changed else W[OLD_TIME]
    for i in range(N_STATES):
        W[OLD_STATE + i] = W[STATE + i] if any_changed else W[OLD_STATE + i]


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


def tail_of(W: Floats, row: int, h: float) -> float:
    """Σ |c_k| (5h/4)^k over the orders from four on.

    Since k ≤ 1.64 (5/4)^k and k (k − 1) ≤ 9.7 (5/4)^k for these, it bounds the sum itself, its rate and its bend at
    all times up to h: by VALUE, RATE and BEND times this much, time measured in h.
    """
    x = 1.25 * h
    square = x * x
    even = abs(W[row + ORDER])
    odd = abs(W[row + ORDER - 1])
    for k in range(ORDER - 2, 3, -2):
        even = even * square + abs(W[row + k])
    for k in range(ORDER - 3, 3, -2):
        odd = odd * square + abs(W[row + k])
    # What is left to multiply by: x⁴ and x⁵ for an even order, x⁵ and x⁴ for an odd one.
    return (odd * x + even if ORDER % 2 == 0 else even * x + odd) * (square * square)


def negative_tail(W: Floats, row: int, h: float) -> float:
    """Σ min(c_k, 0) h^k over the orders from four on."""
    square = h * h
    even = min(W[row + ORDER], 0.0)
    odd = min(W[row + ORDER - 1], 0.0)
    for k in range(ORDER - 2, 3, -2):
        even = even * square + min(W[row + k], 0.0)
    for k in range(ORDER - 3, 3, -2):
        odd = odd * square + min(W[row + k], 0.0)
    return (odd * h + even if ORDER % 2 == 0 else even * h + odd) * (square * square)


def least_of(W: Floats, row: int, h: float) -> float:
    """A bound from below on a series over the step: its constant term and all negative ones."""
    low = h * (min(W[row + 1], 0.0) + h * (min(W[row + 2], 0.0) + h * min(W[row + 3], 0.0)))
    return W[row] + low - VALUE * tail_of(W, row, h)


def is_certain(W: Floats, h: float) -> bool:
    """Whether each polynomial is easily seen either to stay positive on the step or to end negative."""
    certain = True
    for i in range(N_CONTACTS):
        stays = stays_positive(W, i, h)
        ends = W[FIRST + i] > 0.0 and W[END_VALUE + i] < 0.0 and W[ROOM + i] > 0.0
        certain = certain and (stays or ends)
    for i in range(N_WATCHED):
        certain = certain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
    return certain


def stays_clear(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of contact i stays positive because its constant term outweighs all negative ones, and the
    other limit, S + side·λ > 0, which is 2S − p for this polynomial p, is out of reach."""
    row = POLYNOMIAL + i * WIDTH
    factor = W[FACTOR + i]
    tail = VALUE * tail_of(W, row, h)
    p0 = factor * W[row]
    p1 = factor * h * W[row + 1]
    p2 = factor * h * h * W[row + 2]
    p3 = factor * h * h * h * W[row + 3]
    positive = p0 + min(p1, 0.0) + min(p2, 0.0) + min(p3, 0.0) > tail
    most = p0 + abs(p1) + abs(p2) + abs(p3) + tail
    return positive and (W[SIGN + i] != 0.0 or 2.0 * least_of(W, ROW_STATIC + i * WIDTH, h) > most)


def stays_positive(W: Floats, i: int, h: float) -> bool:
    """Whether the polynomial of contact i is easily seen to stay positive, and the other limit to be out of reach.

    Leading zeros divided out, it is b₀ + b₁ s + b₂ s² + b₃ s³ + …, s from 0 to 1. It stays positive if the sum of b₀
    and all negative terms is, or if the parabola of its first terms has its least value high enough, or if it ends
    positive and only rises, only falls or always bends down.
    """
    row = POLYNOMIAL + i * WIDTH
    lead = W[LEAD + i]
    W[END_VALUE + i] = W[FACTOR + i] * value_of(W, row, h)
    tail = tail_of(W, row, h)
    p0 = W[FACTOR + i] * W[row]
    power = W[FACTOR + i] * h
    p1 = power * W[row + 1]
    power *= h
    p2 = power * W[row + 2]
    power *= h
    p3 = power * W[row + 3]
    b0 = p2 if lead == 2.0 else (p1 if lead == 1.0 else p0)
    b1 = p3 if lead == 2.0 else (p2 if lead == 1.0 else p1)
    b2 = 0.0 if lead == 2.0 else (p3 if lead == 1.0 else p2)
    b3 = p3 if lead == 0.0 else 0.0
    W[FIRST + i] = b0
    W[SECOND + i] = b1
    low = b0 + min(b3, 0.0) + negative_tail(W, row, h)
    positive = low + min(b1, 0.0) + min(b2, 0.0) > 0.0
    above = b2 > 0.0 and 4.0 * low * b2 > b1 * b1 and low > 0.0
    steady = abs(b1) > 2.0 * abs(b2) + 3.0 * abs(b3) + RATE * tail
    bends = -2.0 * b2 > 6.0 * abs(b3) + BEND * tail
    stays = positive or above or ((steady or bends) and W[END_VALUE + i] > 0.0)
    # The other limit, S + side·λ > 0, is 2S − p for this polynomial p.
    most = b0 + max(b1, 0.0) + max(b2, 0.0) + max(b3, 0.0) + VALUE * tail
    room = 2.0 * least_of(W, ROW_STATIC + i * WIDTH, h) > most or W[SIGN + i] != 0.0
    W[ROOM + i] = 1.0 if room else 0.0
    return b0 > 0.0 and stays and room


def root_of(W: Floats, i: int, h: float, crosses: bool) -> float:
    """The first zero of a polynomial that ends negative; −1 where that cannot be told, or would take too long.

    Halley's method, kept inside by bisection.
    """
    row = POLYNOMIAL + i * WIDTH
    # A parabola from the start, with its slope there, to the end.
    start = W[FIRST + i]
    first = W[SECOND + i]
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
        before = W[FACTOR + i] * value > 0.0
        low = x if before else low
        high = high if before else x
        step = value * slope / (slope * slope - value * bend)
        following = x - step
        inside = low <= following and following <= high
        found = inside and abs(step) <= 1e-5 * x  # the next one would be about the cube of that
        following = following if inside else 0.5 * (low + high)
        x = following if searching else x
        rounds += 1.0
        searching = searching and not found
        lost = searching and rounds >= MOST_ROUNDS
        x = -1.0 if lost else x
        searching = searching and not lost
    return x if crosses and is_alone(W, row, W[LEAD + i], x) else -1.0


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
    return (twice and lead == 2.0) or (once and lead == 1.0) or (none and lead == 0.0)


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


def advance(W: Floats, special: bool, remaining: float) -> None:
    """Where TAU leads; v = 0 exactly where contacts are at rest."""
    tau = W[TAU]
    for i in range(N_STATES):
        W[NEXT + i] = value_of(W, SERIES + i * WIDTH, tau) if special else W[NEXT + i]
    later = W[END] if tau == remaining and W[PLACE] > tau else W[TIME] + tau
    W[NEXT_TIME] = later if special else W[NEXT_TIME]
    rest(W)
    for _ in range(N_CONTACTS):
        for i in range(N_CONTACTS):
            rests = special and (W[SIGN + i] == 0.0 or W[ROOT + i] <= tau)
            impulse = -W[V + i] * W[INVERSE + i] if rests else 0.0
            for j in range(N_STATES):
                W[NEXT + j] = W[NEXT + j] + W[G + j * N_CONTACTS + i] * impulse
            for j in range(N_CONTACTS):
                W[V + j] = W[V + j] + W[D + j * N_CONTACTS + i] * impulse


def watch(W: Floats, tau: float, watched: bool) -> None:
    """Widen the extent of every state by what it reaches on the step, and add up the time in stick.

    Where a state might pass beyond its extent, and it is not certain whether it turns once or not at all, the step is
    not gone.
    """
    waits = False
    for i in range(N_STATES):
        waits = waits or widen(W, i, tau, watched)
    for i in range(N_CONTACTS):
        sticks = watched and not waits and W[SIGN + i] == 0.0
        W[STICK_TIME + i] = W[STICK_TIME + i] + tau if sticks else W[STICK_TIME + i]
    W[GOES] = 0.0 if waits else W[GOES]
    W[LIMIT] = 0.5 * tau if waits else W[LIMIT]
    W[CALM] = 0.0 if waits else W[CALM]


def widen(W: Floats, i: int, tau: float, watched: bool) -> bool:
    """The same for one state."""
    row = SERIES + i * WIDTH
    end = W[NEXT + i]
    tail = tail_of(W, row, tau)
    square = tau * tau
    b1 = tau * W[row + 1]
    b2 = square * W[row + 2]
    b3 = square * tau * W[row + 3]
    spread = abs(b1) + abs(b2) + abs(b3) + VALUE * tail
    low = min(W[WATCHED_LOW + i], end)
    high = max(W[WATCHED_HIGH + i], end)
    beyond = spread - NOISE * (abs(W[row]) + spread)
    outside = W[row] + beyond > high or W[row] - beyond < low
    unsure = watched and outside and abs(b1) <= 2.0 * abs(b2) + 3.0 * abs(b3) + RATE * tail
    if any_lane(unsure):
        once = 2.0 * abs(b2) > 6.0 * abs(b3) + BEND * tail  # then the rate has one zero at most
        value = extreme(W, row, tau, unsure and once)
        low = min(low, value) if unsure and once else low
        high = max(high, value) if unsure and once else high
        unsure = unsure and not once
    W[WATCHED_LOW + i] = low if watched else W[WATCHED_LOW + i]
    W[WATCHED_HIGH + i] = high if watched else W[WATCHED_HIGH + i]
    return unsure


def extreme(W: Floats, row: int, tau: float, wanted: bool) -> float:
    """The value of a series where its rate vanishes, or at that end of the step to which it grows or falls.

    Newton's method from a place that the first terms tell. The effect of a last small step e on the value is known
    without taking it, but for e³.
    """
    inverse = 0.5 / W[row + 2]
    x = -inverse * W[row + 1]
    x = x - inverse * x * x * (3.0 * W[row + 3] + x * 4.0 * W[row + 4])
    x = min(max(x, 0.0), tau)
    found = 0.0
    searching = wanted
    rounds = 0.0
    while any_lane(searching):
        value = W[row + ORDER]
        rate = 0.0
        bend = 0.0  # half of it
        for k in range(ORDER - 1, -1, -1):
            bend = bend * x + rate
            rate = rate * x + value
            value = value * x + W[row + k]
        step = 0.5 * rate / bend
        small = abs(step) <= CLOSE_ENOUGH * tau
        following = min(max(x - step, 0.0), tau)
        found = (value - 0.5 * step * rate if small else value) if searching else found
        rounds += 1.0
        searching = searching and not small and following != x and rounds < MOST_STEPS_TO_EXTREME
        x = following
    return found


def note_event(W: Floats, natural: float, special: bool, moving: bool) -> None:
    """Which contacts are to be asked next, and the mode to try: stick where slip ended, slip where the limit was
    passed. Events that follow one another in no time, again and again, are given up."""
    event = moving and special and W[PLACE] < LARGEST
    for i in range(N_CONTACTS):
        sign = W[SIGN + i]
        ends = event and W[ROOT + i] <= W[PLACE]
        tried = -W[NEAR_SIDE + i] if sign == 0.0 else 0.0
        asked = 1.0 if ends or (event and sign == 0.0) else 0.0
        W[FRESH + i] = asked if special and moving else W[FRESH + i]
        W[SIGN + i] = tried if ends else sign
    at_once = W[PLACE] <= 1e-9 * natural
    W[HASTE] = (W[HASTE] + 1.0 if at_once else 0.0) if event else W[HASTE]
    W[LOST] = 1.0 if W[HASTE] > MOST_HASTE else W[LOST]
    W[CALM] = (1.0 if moving and not event else 0.0) if special else W[CALM]


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
    W[CALM] = 0.0
    W[AFTER] = 0.0
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
