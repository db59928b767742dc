"""Trajectories in lockstep: one Taylor expansion of each per tick, whatever it is doing.

A trajectory is a state machine. A tick expands it in its present mode. Most steps are plain: nothing has just happened,
and a quick bound says that nothing will, so the whole step is gone. All else is special: contacts have just changed and
are asked whether they are content with the mode that is being tried, or an event may lie on the step and is located, or
the step must be shortened. All that travel together pay for what one of them needs, so they wait for each other,
expanded in vain (`is_over`): those that do nearly the same at the end of slip, until all have come to it, so that from
then on they need the same at the same time; those that have little in common until there are enough of them. Where
rest is simple (APART), those at rest are special, and a plain step is one in slip.

All of `tick` is written with selects (`a if c else b`) in place of branches, and whether a branch is taken or a loop
goes on is asked of all trajectories together; then a trajectory computes the same bits in any company. Where each runs
the text by itself, as threads of a GPU do (TOGETHER is 0), one branch is its own: in slip, or at rest.
`targets/unroll.py` makes one long function of it, in which every place of W is a variable. Numbers are floats: whole
numbers are known before.

Nothing here is guessed: a step on which the first event cannot be told for certain by simple means is halved. What is
out of the ordinary (several events at once, friction that pushes, lift-off, numbers that are not finite) gives the
trajectory up; it is then done again from its start by the march.
"""

from math import sqrt

from stickslip.kernels.lockevents import (
    LARGEST,
    NOISE,
    earliest_event,
    is_certain,
    least_of,
    stays_clear,
    value_of,
)
from stickslip.kernels.lockextent import watch
from stickslip.kernels.lockrepeat import look_back
from stickslip.kernels.machine import (
    OBSERVED,
    REPEATS,
    TOGETHER,
    any_lane,
    anyone,
    outnumber,
    rough,
    rough_exp2,
    rough_ratio,
)
from stickslip.kernels.model import (
    AFTER,
    AGAIN,
    ALLOWED,
    AMBIGUOUS,
    APART,
    AT_STOP,
    BASE,
    BEFORE,
    CALM,
    CHANGE,
    CONDITION,
    DRIVES,
    END,
    EVENTS,
    FACTOR,
    FRESH,
    GOES,
    GUESS,
    HASTE,
    HEED,
    INVERSE,
    LATELY,
    LEAD,
    LIMIT,
    LIMIT_VARIES,
    LOG_TOLERANCE,
    LOST,
    N_CONTACTS,
    N_STATES,
    N_WATCHED,
    NATURAL,
    NEAR_SIDE,
    NEXT,
    NEXT_TIME,
    OLD_STATE,
    OLD_TIME,
    ORDER,
    PATIENCE,
    PLACE,
    POLYNOMIAL,
    RELEASED,
    RESTS,
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
    STOP,
    TAU,
    TIME,
    TRIES,
    URGENCY,
    WATCHING,
    WIDTH,
    D,
    Floats,
    G,
    V,
    expansion,
    expansion_at_rest,
    rest,
)

RUNNING, ARRIVED, GIVEN_UP, PARKED = 0.0, 1.0, 2.0, -1.0
LEADS = 4  # coefficients among which the leading one must be
FARTHER = 4.0
FADING = 0.97  # of what a state has lately been, per step
NEVER = -1100.0  # the logarithm of nothing
STICK_ROOM, REST_ROOM = 9e3, 9.0  # as in step.py
CLOSE, SHORTER = 0.3, 0.25  # how far a step may be below the guess at it; the guess after an event
MOST_TRIES = 100.0
MOST_CALM, PATIENT, IMPATIENT = 48.0, 64.0, -8.0  # see `is_over`
MOST_HASTE = 20.0
UNKNOWN = 9.0  # the mode of a contact that starts at rest, before it is settled


def tick(W: Floats) -> bool:
    """One expansion of a trajectory; whether any of those that travel together needs attention."""
    running = W[CONDITION] == RUNNING
    remaining = W[END] - W[TIME]
    guess = min(W[GUESS], remaining)
    plain = False
    if APART and not TOGETHER:
        if slips(W):
            expand(W, guess, remaining)
            plain = running and is_plain(W)
        else:
            expand_at_rest(W, guess)
    else:
        clear_series(W)
        if not APART or any_lane(running and slips(W)):
            expand(W, guess, remaining)
            plain = running and is_plain(W)
    special = running and not plain
    waits = special and (W[PATIENCE] < 0.0 or (W[CALM] > 0.0 and slips(W)))
    served = special and (is_over(W, waits, running) or not waits)
    together = any_lane(served)
    W[GOES] = 1.0 if plain else 0.0
    W[LOST] = 0.0
    W[NEXT_TIME] = W[END] if W[TAU] == remaining else W[TIME] + W[TAU]
    W[GUESS] = W[NATURAL] if plain else W[GUESS]
    W[STEPS] = W[STEPS] + 1.0 if plain else W[STEPS]
    W[CALM] = W[CALM] + 1.0 if plain else W[CALM]
    if together:
        if APART and TOGETHER and any_lane(served and not slips(W)):
            expand_at_rest(W, guess)
        take_care(W, served, remaining)
    passes = False
    if OBSERVED and any_lane(W[GOES] > 0.0 and W[WATCHING] > 0.0):
        watch(W, W[TAU], W[GOES] > 0.0 and W[WATCHING] > 0.0)
        passes = W[GOES] > 0.0 and W[WATCHING] > 0.0 and W[NEXT_TIME] >= W[STOP]
        note_state(W, passes)
    moving = W[GOES] > 0.0
    if together:
        note_event(W, served, moving)
    go_on(W, running, moving)
    return any_lane(passes or needs_attention(W))


def clear_series(W: Floats) -> None:
    """What an expansion in slip leaves, where none is needed."""
    W[NATURAL] = 0.0
    stay(W)
    if APART:
        for i in range(SERIES, POLYNOMIAL + N_CONTACTS * WIDTH):
            W[i] = 0.0
        for i in range(N_CONTACTS):
            W[SCALE + i] = 0.0
            W[RESTS + i] = 0.0
        W[SINGULAR] = 0.0


def expand(W: Floats, guess: float, remaining: float) -> None:
    """The series, how far they reach, and where that leads; those at rest, if apart, as if they slipped."""
    expansion(W)
    for i in range(N_CONTACTS):
        W[RESTS + i] = 0.0 if APART else (1.0 if W[SIGN + i] == 0.0 else 0.0)
        set_polynomial(W, i, guess)
    W[NATURAL] = natural_step(W, guess)
    W[TAU] = min(W[NATURAL], remaining)
    for i in range(N_STATES):
        W[NEXT + i] = value_of(W, SERIES + i * WIDTH, W[TAU])


def expand_at_rest(W: Floats, guess: float) -> None:
    """The series of those at rest, in place of those in slip, and how far they reach."""
    for i in range(N_CONTACTS):
        W[RESTS + i] = 1.0 if W[SIGN + i] == 0.0 or not TOGETHER else 0.0
    expansion_at_rest(W)
    for i in range(N_CONTACTS):
        set_polynomial(W, i, guess)
    W[NATURAL] = natural_step(W, guess)
    if not TOGETHER:
        stay(W)


def stay(W: Floats) -> None:
    """No step yet."""
    W[TAU] = 0.0
    for i in range(N_STATES):
        W[NEXT + i] = 0.0


def go_on(W: Floats, running: bool, moving: bool) -> None:
    """Take the step, and say whether the trajectory still runs."""
    total = 0.0
    for i in range(N_STATES):
        total += W[NEXT + i]
        W[STATE + i] = W[NEXT + i] if moving else W[STATE + i]
        W[LATELY + i] = max(abs(W[NEXT + i]), FADING * W[LATELY + i]) if moving else W[LATELY + i]
    W[TIME] = W[NEXT_TIME] if moving else W[TIME]
    W[TRIES] = 0.0 if moving else W[TRIES] + 1.0
    finite = abs(total) < LARGEST or not moving
    lost = W[LOST] > 0.0 or not finite or W[TRIES] > MOST_TRIES or W[STEPS] >= W[ALLOWED]
    status = ARRIVED if W[TIME] >= W[END] else RUNNING
    W[CONDITION] = (GIVEN_UP if lost else status) if running else W[CONDITION]


def needs_attention(W: Floats) -> bool:
    """Whether a trajectory has stopped, or changed its mode in a way that is to be told."""
    attention = W[CONDITION] > RUNNING
    if REPEATS:
        attention = attention or W[AGAIN] > 0.0
    for i in range(N_CONTACTS if OBSERVED else 0):
        change = W[CHANGE + i]
        heeded = change == W[HEED] or W[HEED] == 3.0
        attention = attention or (change > 0.0 and heeded)
    return attention


def is_over(W: Floats, waits: bool, running: bool) -> bool:
    """Whether those that wait go on now.

    Patient ones wait at the end of slip, until none is missing, where one to which nothing has happened for long is not
    missed, or for so many ticks as their patience lasts. Those of negative patience wait whenever they are special, but
    only until one in three is.
    """
    complete = not anyone(running and not waits and W[CALM] <= MOST_CALM)
    late = anyone(waits and W[TRIES] >= abs(W[PATIENCE]))
    return complete or late or outnumber(waits and W[PATIENCE] < 0.0, running)


def slips(W: Floats) -> bool:
    """Whether a contact slips."""
    slipping = False
    for i in range(N_CONTACTS):
        slipping = slipping or W[SIGN + i] != 0.0
    return slipping


def is_plain(W: Floats) -> bool:
    """Whether the whole step can be gone: nothing has just happened, and it is certain that nothing will."""
    h = W[TAU]
    plain = W[CALM] > 0.0 and W[NATURAL] >= CLOSE * W[GUESS] and W[SINGULAR] == 0.0
    for i in range(N_CONTACTS):
        if APART:
            W[FACTOR + i] = W[SIGN + i]
            W[BASE + i] = 0.0
        else:
            set_side(W, i, h)
        short = APART or W[RESTS + i] == 0.0 or h * h * W[SCALE + i] <= REST_ROOM * largest_state(W)
        plain = plain and short and stays_clear(W, i, h)
    for i in range(N_WATCHED):
        plain = plain and least_of(W, ROW_GUARD + i * WIDTH, h) > 0.0
    return plain


def take_care(W: Floats, special: bool, remaining: float) -> None:
    """What is not plain: modes to be settled, steps to be shortened, events to be located."""
    natural = W[NATURAL]
    sound = W[SINGULAR] == 0.0
    h = min(min(natural, W[LIMIT]), remaining)
    released = False
    for i in range(N_CONTACTS):
        sound = sound and W[SIGN + i] * W[ROW_FORCE + i * WIDTH] <= 0.0
        released = released or (W[FRESH + i] > 0.0 and W[SIGN + i] != 0.0)
        if LIMIT_VARIES:
            set_polynomial(W, i, h)
        set_side(W, i, h)
        make_positive(W, i)
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
    W[PLACE] = place if goes and place <= h else LARGEST
    W[TAU] = min(h, W[PLACE]) if special else W[TAU]
    W[GOES] = (1.0 if goes else 0.0) if special else W[GOES]
    W[LIMIT] = (LARGEST if goes else 0.5 * h) if able else W[LIMIT]
    doubtful = content and is_ambiguous(W)
    W[LOST] = 1.0 if special and (doubtful or not (sound and worst < LARGEST)) else 0.0
    W[STEPS] = W[STEPS] + 1.0 if special else W[STEPS]
    # After a release the step is often as long as it was after the last one.
    W[AFTER] = natural if goes and released else W[AFTER]
    after = W[AFTER] if W[AFTER] > 0.0 else SHORTER * natural
    W[GUESS] = (after if W[PLACE] < LARGEST else natural) if special else W[GUESS]
    advance(W, special, remaining)


# -- the length of a step ----------------------------------------------------------------------------------------


def last_term(W: Floats, row: int, h: float, size: float) -> float:
    """As in step.py, but its binary logarithm; `size` is that of the constant term, or what it has lately been."""
    scale = rough(size + h * (abs(W[row + 1]) + h * abs(W[row + 2])))
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    return rough_ratio(last, scale)


def last_term_of_contact(W: Floats, i: int, h: float) -> float:
    """Of the friction force in stick; of the sliding velocity just after release, when it is tiny, or where no state
    knows how it moves."""
    row = POLYNOMIAL + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    sticks = W[RESTS + i] > 0.0
    growth = rough(h * (abs(W[row + 1]) + h * abs(W[row + 2])))
    last = max(abs(W[row + ORDER]) * h, abs(W[row + ORDER - 1]))
    scale = rough(abs(W[row])) + growth + (rough(W[static]) if sticks else 0.0)
    matters = DRIVES or sticks or rough(abs(W[row])) < 0.01 * growth
    own = rough_ratio(last, scale) if matters else NEVER
    if LIMIT_VARIES:
        own = max(own, last_term(W, static, h, abs(W[static])) if sticks else NEVER)
    return own


def natural_step(W: Floats, h: float) -> float:
    """The step length at which the last terms of every series that matters equal the tolerance.

    The tolerance is relative to how large a state has lately been: one that passes through zero, or rests, need not be
    known better than before. The leading terms depend on the length itself, for which a guess h stands in. Where it
    turns out much shorter, they were too large: the next tick has a better guess.
    """
    largest = NEVER
    for i in range(N_STATES):
        largest = max(largest, last_term(W, SERIES + i * WIDTH, h, W[LATELY + i]))
    for i in range(N_CONTACTS):
        largest = max(largest, last_term_of_contact(W, i, h))
    for i in range(N_WATCHED):
        guard = ROW_GUARD + i * WIDTH
        largest = max(largest, last_term(W, guard, h, abs(W[guard])))
    return rough_exp2((W[LOG_TOLERANCE] - largest) * (1.0 / (ORDER - 1)))


def limited(W: Floats, h: float) -> float:
    """A step in stick that round-off allows: it does not move the positions (see step.py), nor hide an event."""
    for i in range(N_CONTACTS):
        sticks = W[RESTS + i] > 0.0
        # Not far beyond where the static limit would be reached at the present rate: on a step many times as long,
        # round-off in the last terms hides what happens.
        margin = W[POLYNOMIAL + i * WIDTH]
        decline = -W[POLYNOMIAL + i * WIDTH + 1]
        near = sticks and margin > 0.0 and FARTHER * margin < decline * h
        if any_lane(near):
            h = FARTHER * rough_exp2(rough_ratio(margin, decline)) if near else h
        # Where nothing is driven but by the contact, positions are exact anyhow.
        if not APART and any_lane(sticks and h * h * W[SCALE + i] > REST_ROOM * largest_state(W)):
            room = stick_room(W, i)
            h = min(h, room) if sticks else h
    return h


def stick_room(W: Floats, i: int) -> float:
    """The longest step in stick that does not move the positions by round-off."""
    fastest = 0.0
    for j in range(N_STATES):
        fastest = max(fastest, abs(W[SERIES + j * WIDTH + 1]))
    scale = W[SCALE + i]
    return max(STICK_ROOM * fastest / scale, sqrt(REST_ROOM * largest_state(W) / scale)) if scale > 0.0 else LARGEST


def largest_state(W: Floats) -> float:
    """How large the largest state has lately been."""
    size = 0.0
    for j in range(N_STATES):
        size = max(size, W[LATELY + j])
    return size


# -- modes -------------------------------------------------------------------------------------------------------


def set_polynomial(W: Floats, i: int, h: float) -> None:
    """The series that decides when contact i changes: v in slip; in stick λ, or λ − side·S where the limit S varies."""
    row = POLYNOMIAL + i * WIDTH
    sticks = W[RESTS + i] > 0.0
    side = side_of(W, i, h) if LIMIT_VARIES else 0.0
    for k in range(ORDER + 1):
        force = W[ROW_FORCE + i * WIDTH + k] - side * W[ROW_STATIC + i * WIDTH + k]
        W[row + k] = force if sticks else W[ROW_V + i * WIDTH + k]


def side_of(W: Floats, i: int, h: float) -> float:
    """The side to which λ goes in the time h."""
    force = ROW_FORCE + i * WIDTH
    return 1.0 if W[force] + h * (W[force + 1] + h * W[force + 2]) > 0.0 else -1.0


def set_side(W: Floats, i: int, h: float) -> None:
    """FACTOR is the sign that makes the polynomial positive while the mode holds, but for BASE, what λ may be at most:
    side·λ < S in stick."""
    sticks = W[RESTS + i] > 0.0
    W[NEAR_SIDE + i] = side_of(W, i, h)
    W[FACTOR + i] = -W[NEAR_SIDE + i] if sticks else W[SIGN + i]
    W[BASE + i] = W[ROW_STATIC + i * WIDTH] if sticks and not LIMIT_VARIES else 0.0


def make_positive(W: Floats, i: int) -> None:
    """The polynomial with its sign, for all that follows: positive while the mode holds."""
    row = POLYNOMIAL + i * WIDTH
    W[row] = W[BASE + i] + W[FACTOR + i] * W[row]
    for k in range(1, ORDER + 1):
        W[row + k] = W[FACTOR + i] * W[row + k]


def mark_zeros(W: Floats, i: int) -> None:
    """A contact that has just left stick has v = 0 and maybe v' = 0 now: LEAD counts these zeros, no events."""
    row = POLYNOMIAL + i * WIDTH
    once = W[FRESH + i] > 0.0 and W[SIGN + i] != 0.0
    # Where stick has ended, the tolerance says how far the limit may still be, and no more than round-off how far past.
    short = W[SCALE + i] * max(NOISE, rough_exp2(W[LOG_TOLERANCE]))
    twice = once and W[row + 1] >= -short and W[row + 1] <= NOISE * W[SCALE + i]
    W[row] = 0.0 if once else W[row]
    W[row + 1] = 0.0 if twice else W[row + 1]
    W[LEAD + i] = 2.0 if twice else (1.0 if once else 0.0)


def urgency_of(W: Floats, i: int, h: float) -> float:
    """How much contact i, if it is at rest, wants another mode: see mode.py. LARGEST where that is in doubt.

    Its polynomial must be positive at first. Where it begins with zero, the next coefficient tells.
    """
    row = POLYNOMIAL + i * WIDTH
    sticks = W[RESTS + i] > 0.0
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


def is_ambiguous(W: Floats) -> bool:
    """Whether other modes may be consistent as well: see mode.py, where all of them are tried."""
    resting = True
    released = False
    for i in range(N_CONTACTS if AMBIGUOUS else 0):
        resting = resting and W[FRESH + i] > 0.0
        released = released or W[SIGN + i] != 0.0
    return resting and released


def count_changes(W: Floats, settled: bool) -> None:
    """Note which contacts changed their mode at the event before: 1 released, 2 come to rest, 3 slipping back."""
    any_changed = False
    any_released = False
    for i in range(N_CONTACTS):
        before = W[BEFORE + i]
        now = W[SIGN + i]
        changed = settled and before != now and before != UNKNOWN
        if OBSERVED:
            kind = 1.0 if before == 0.0 else (2.0 if now == 0.0 else 3.0)
            W[CHANGE + i] = kind if changed else (0.0 if settled else W[CHANGE + i])
            W[RELEASED] = W[RELEASED] + 1.0 if changed and before == 0.0 else W[RELEASED]
        W[EVENTS] = W[EVENTS] + 1.0 if changed else W[EVENTS]
        W[BEFORE + i] = now if settled else before
        any_changed = any_changed or changed
        any_released = any_released or (changed and before == 0.0)
    if OBSERVED:
        W[OLD_TIME] = W[TIME] if any_changed else W[OLD_TIME]
        for i in range(N_STATES):
            W[OLD_STATE + i] = W[STATE + i] if any_changed else W[OLD_STATE + i]
    if REPEATS:
        look_back(W, any_released and W[WATCHING] == 0.0)


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


def note_state(W: Floats, passes: bool) -> None:
    """The state where the step passes the time at which it is wanted."""
    if any_lane(passes):
        tau = W[STOP] - W[TIME]
        for i in range(N_STATES):
            W[AT_STOP + i] = value_of(W, SERIES + i * WIDTH, tau) if passes else W[AT_STOP + i]


def note_event(W: Floats, special: bool, moving: bool) -> None:
    """Which contacts are to be asked next, and the mode to try: stick where slip ended, slip where the limit was
    passed. Events that follow one another in no time, again and again, are given up."""
    event = moving and special and W[PLACE] < LARGEST
    for i in range(N_CONTACTS):
        sign = W[SIGN + i]
        ends = event and W[ROOT + i] <= W[PLACE]
        tried = -W[NEAR_SIDE + i] if sign == 0.0 else 0.0
        # Released, but as far as one can tell not away yet, when something else happens.
        lags = W[FRESH + i] > 0.0 and sign != 0.0 and sign * W[V + i] <= NOISE * W[SCALE + i] * W[NATURAL]
        asked = 1.0 if ends or lags or (event and sign == 0.0) else 0.0
        W[FRESH + i] = asked if special and moving else W[FRESH + i]
        W[SIGN + i] = tried if ends else sign
    at_once = W[PLACE] <= 1e-9 * W[NATURAL]
    W[HASTE] = (W[HASTE] + 1.0 if at_once else 0.0) if event else W[HASTE]
    W[LOST] = 1.0 if W[HASTE] > MOST_HASTE else W[LOST]
    W[CALM] = (W[CALM] + 1.0 if moving and not event else 0.0) if special else W[CALM]
