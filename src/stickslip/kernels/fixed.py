"""Fixed steps of the classical Runge–Kutta method, with Hénon's inversion or bisection at the transitions.

The series of the model are generated to low order here: their first coefficients are the rates of the states, of the
sliding velocities and of the friction forces, which is all that these methods need.
"""

from math import isfinite

from stickslip.kernels.march import STEP_WIDTH, change, note_rests, project, remember_events
from stickslip.kernels.mode import NOISE, expand
from stickslip.kernels.model import (
    AT_REST,
    CONTACT,
    END,
    MODE,
    N_BRANCHES,
    N_CONTACTS,
    N_STATES,
    N_WATCHED,
    ORDER,
    READY,
    ROOT,
    ROW_FORCE,
    ROW_GUARD,
    ROW_STATIC,
    ROW_V,
    SAVED,
    SERIES,
    STATE,
    STEPS,
    TIME,
    WATCHED_CONTACT,
    WATCHED_STATUS,
    WIDTH,
    WORK,
    Floats,
    G,
    Ints,
    V,
    branches,
    ingredients,
)
from stickslip.kernels.outcome import (
    FINISHED,
    INDETERMINATE,
    NEGATIVE_FRICTION,
    PAUSED,
    STALLED,
    STEP_TOO_LARGE,
    TOO_MANY_STEPS,
)
from stickslip.kernels.polynomial import set_powers
from stickslip.kernels.reach import spread

HENON, BISECTION, LIVE = 0, 1, 2
N_KEPT = N_STATES + 2 * N_CONTACTS
OLD_TIME = WORK
OLD = WORK + 1
FIRST = OLD + N_STATES
SECOND = FIRST + N_STATES
THIRD = SECOND + N_STATES
TOTAL = THIRD + N_STATES
VALUE = TOTAL + N_STATES + 1
SLOPE = VALUE + N_KEPT
NEAR_TIME = SLOPE + N_KEPT
NEAR = NEAR_TIME + 1
REACH = NEAR + N_STATES
SCRATCH = REACH + N_STATES
FLIPPED = SCRATCH + 2 * N_STATES
"""In W: start and first three Taylor terms of the step, what its stages add up to, what is kept for its cubics; where
Hénon's trick begins; how far states reach; scratch; 1 if a live sign flipped."""


def march_fixed(
    W: Floats,
    I: Ints,
    step: float,
    method: int,
    band: float,
    most_steps: int,
    steps: Floats,
    events: Floats,
    step_room: int,
    event_room: int,
    filled: Ints,
) -> int:
    """Advance to the end time with steps of fixed length; the record is that of `march`."""
    while W[TIME] < W[END]:
        if step_room > 0 and (filled[0] >= step_room or filled[1] + N_CONTACTS > event_room):
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        if N_BRANCHES > 0:
            branches(W, I, 0.0)
        if (I[READY] == 0 or N_BRANCHES > 0) and expand(W, I) != 0:
            return INDETERMINATE
        I[READY] = 0
        I[STEPS] += 1
        keep_start(W)
        remaining = W[END] - W[TIME]
        h = min(step, remaining)
        for i in range(N_CONTACTS):
            if I[MODE + i] * W[ROW_FORCE + i * WIDTH] > 0.0:
                I[CONTACT] = i
                return NEGATIVE_FRICTION
        if runge_kutta(W, I, h, method) != 0:
            return INDETERMINATE
        if loses_the_motion(W, I, h) != 0:
            return STEP_TOO_LARGE
        if expand(W, I) != 0:
            return INDETERMINATE
        for i in range(N_WATCHED):
            if W[ROW_GUARD + i * WIDTH] < 0.0:
                I[CONTACT] = WATCHED_CONTACT[i]
                return WATCHED_STATUS[i]
        x = first_transition(W, I, h, method, band)
        if x < 0.0:
            return STEP_TOO_LARGE
        if x > 1.0 and h == remaining:
            W[TIME] = W[END]
        if step_room > 0:
            remember_cubic(W, I, steps, filled[0])
            filled[0] += 1
        for i in range(N_STATES):
            if not isfinite(W[STATE + i]):
                return STALLED
        note_rests(W, I, x)
        project(W, I)
        if x > 1.0:
            for i in range(N_CONTACTS):
                I[AT_REST + i] = 0
            I[READY] = 1
            continue
        set_powers(W, 0.0)
        if change(W, I, -1) != 0:
            return INDETERMINATE
        remember_events(W, I, events, step_room, filled)
    return FINISHED


def keep_start(W: Floats) -> None:
    """Keep state, rates and series at the start of the step."""
    W[OLD_TIME] = W[TIME]
    for i in range(N_STATES):
        W[OLD + i] = W[STATE + i]
        W[FIRST + i] = W[SERIES + i * WIDTH + 1]
        W[SECOND + i] = W[SERIES + i * WIDTH + 2]
        W[THIRD + i] = W[SERIES + i * WIDTH + 3]
    for i in range(N_KEPT):
        W[VALUE + i] = W[SERIES + i * WIDTH]
        W[SLOPE + i] = W[SERIES + i * WIDTH + 1]


def rates(W: Floats, I: Ints, method: int) -> int:
    """The rates at the present state, modes frozen; with a live sign, slip follows the sign of v at every stage."""
    if method == LIVE:
        ingredients(W, I)
        for i in range(N_CONTACTS):
            if I[MODE + i] * W[V + i] < 0.0:
                I[MODE + i] = -I[MODE + i]
                W[FLIPPED] = 1.0
    return expand(W, I)


def runge_kutta(W: Floats, I: Ints, h: float, method: int) -> int:
    """One step of the classical fourth-order method from the kept start."""
    for i in range(N_CONTACTS):
        I[SAVED + i] = I[MODE + i]
    W[FLIPPED] = 0.0
    for i in range(N_STATES):
        W[TOTAL + i] = W[FIRST + i]
        W[STATE + i] = W[OLD + i] + 0.5 * h * W[FIRST + i]
    W[TIME] = W[OLD_TIME] + 0.5 * h
    for stage in range(3):
        if rates(W, I, method) != 0:
            return 1
        weight = 1.0 if stage == 2 else 2.0
        ahead = 0.5 * h if stage == 0 else h
        W[TIME] = W[OLD_TIME] + ahead
        for i in range(N_STATES):
            rate = W[SERIES + i * WIDTH + 1]
            W[TOTAL + i] += weight * rate
            W[STATE + i] = W[OLD + i] + ahead * rate
    for i in range(N_STATES):
        W[STATE + i] = W[OLD + i] + h / 6.0 * W[TOTAL + i]
    W[TIME] = W[OLD_TIME] + h
    for i in range(N_CONTACTS):
        I[MODE + i] = I[SAVED + i]
    return 0


def loses_the_motion(W: Floats, I: Ints, h: float) -> int:
    """1 where the step departs grossly from the series at its start: more than round-off or a flipped sign can do."""
    for i in range(N_STATES):
        W[REACH + i] = 0.0
    if departs(W, h, 0.0) == 0:
        return 0
    set_reach(W, I, h)
    return departs(W, h, 1.0 if W[FLIPPED] != 0.0 else NOISE)


def set_reach(W: Floats, I: Ints, h: float) -> None:
    """How far each state would come on the step if friction did not balance the other forces."""
    ingredients(W, I)
    for i in range(N_STATES):
        terms = abs(W[FIRST + i])
        for j in range(N_CONTACTS):
            largest = max(abs(W[VALUE + N_STATES + N_CONTACTS + j]), abs(W[ROW_FORCE + j * WIDTH]))
            terms += abs(W[G + i * N_CONTACTS + j]) * largest
        W[REACH + i] = h * terms
    spread(W, I, h, REACH, SCRATCH)


def departs(W: Floats, h: float, part: float) -> int:
    """Whether a state leaves the series, cut after the third power of h, by more than that part of its reach."""
    for i in range(N_STATES):
        short = W[FIRST + i] * h + W[SECOND + i] * h * h + W[THIRD + i] * h * h * h
        size = abs(W[OLD + i]) + abs(W[FIRST + i]) * h + abs(W[SECOND + i]) * h * h
        if not (abs(W[STATE + i] - W[OLD + i] - short) <= 0.3 * size + part * W[REACH + i]):
            return 1
    return 0


def guard_value(W: Floats, I: Ints, i: int) -> float:
    """What must stay positive for contact i: s·v in slip, S − |λ| in stick."""
    if I[MODE + i] != 0:
        return I[MODE + i] * W[ROW_V + i * WIDTH]
    return W[ROW_STATIC + i * WIDTH] - abs(W[ROW_FORCE + i * WIDTH])


def guard_rate(W: Floats, I: Ints, i: int) -> float:
    """Its rate."""
    if I[MODE + i] != 0:
        return I[MODE + i] * W[ROW_V + i * WIDTH + 1]
    force = ROW_FORCE + i * WIDTH
    rate = W[force + 1] if W[force] > 0.0 else -W[force + 1]
    return W[ROW_STATIC + i * WIDTH + 1] - rate


def first_transition(W: Floats, I: Ints, h: float, method: int, band: float) -> float:
    """Where in the step the first contact changes, with the state there; 2: none does; -1: the step is too large."""
    earliest = 2.0
    first = -1
    for i in range(N_CONTACTS):
        W[ROOT + i] = 2.0
    for i in range(N_CONTACTS):
        # Just after release |v| is small too: only a contact that slows down comes to stick.
        slows_down = I[MODE + i] != 0 and I[AT_REST + i] == 0 and guard_rate(W, I, i) < 0.0
        if guard_value(W, I, i) < 0.0 or (slows_down and guard_value(W, I, i) < band):
            W[ROOT + i] = 1.0
            first = i
    if first < 0:
        return 2.0
    for i in range(N_CONTACTS):
        if W[ROOT + i] <= 1.0:
            if I[AT_REST + i] != 0 and I[MODE + i] != 0:
                return -1.0  # it began to slip in this very step
            locate(W, I, i, h, method, band)
            W[ROOT + i] = (W[TIME] - W[OLD_TIME]) / h
            if not (W[ROOT + i] >= 0.0 and W[ROOT + i] <= 1.0 + 1e-9):
                return -1.0
            W[ROOT + i] = min(W[ROOT + i], 1.0)
            if W[ROOT + i] < earliest:
                earliest = W[ROOT + i]
                first = i
            restore(W, I, h, method)
    locate(W, I, first, h, method, band)
    if expand(W, I) != 0:
        return -1.0
    return earliest


def restore(W: Floats, I: Ints, h: float, method: int) -> None:
    """Back to the end of the full step, where the other contacts are judged."""
    if runge_kutta(W, I, h, method) == 0:
        expand(W, I)


def locate(W: Floats, I: Ints, i: int, h: float, method: int, band: float) -> None:
    """Bring state and time to the transition of contact i."""
    if method == HENON:
        invert(W, I, i, h)
    else:
        bisect(W, I, i, h, method, band)


def invert(W: Floats, I: Ints, i: int, h: float) -> None:
    """Hénon's trick: one Runge–Kutta step in which the guard is the independent variable, from its value to 0.

    All states are inverted, dz/dg = ż/ġ, and time with them, dt/dg = 1/ġ. That needs a guard that falls steadily.
    """
    come_near(W, I, i, h)
    distance = -guard_value(W, I, i)
    W[NEAR_TIME] = W[TIME]
    for j in range(N_STATES):
        W[NEAR + j] = W[STATE + j]
    for j in range(N_STATES + 1):
        W[TOTAL + j] = 0.0
    for stage in range(4):
        if stage > 0:
            expand(W, I)
        inverse = distance / guard_rate(W, I, i)
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = 0.5 if stage < 2 else 1.0
        for j in range(N_STATES):
            slope = W[SERIES + j * WIDTH + 1] * inverse
            W[TOTAL + j] += weight * slope
            W[STATE + j] = W[NEAR + j] + ahead * slope
        W[TOTAL + N_STATES] += weight * inverse
        W[TIME] = W[NEAR_TIME] + ahead * inverse
    for j in range(N_STATES):
        W[STATE + j] = W[NEAR + j] + W[TOTAL + j] / 6.0
    W[TIME] = W[NEAR_TIME] + W[TOTAL + N_STATES] / 6.0


def come_near(W: Floats, I: Ints, i: int, h: float) -> None:
    """Go to a point before the transition from which the guard falls at a steady rate, within a quarter.

    As a rule that is the start of the step; near a tangency the step is halved a few times first.
    """
    low = 0.0
    high = h
    for _ in range(30):
        runge_kutta(W, I, high, HENON)
        expand(W, I)
        last = guard_rate(W, I, i)
        runge_kutta(W, I, low, HENON)
        expand(W, I)
        first = guard_rate(W, I, i)
        if first < 0.0 and last < 0.0 and first / last > 0.8 and first / last < 1.25:
            return
        middle = 0.5 * (low + high)
        runge_kutta(W, I, middle, HENON)
        expand(W, I)
        if guard_value(W, I, i) < 0.0:
            high = middle
        else:
            low = middle
    runge_kutta(W, I, low, HENON)
    expand(W, I)


def bisect(W: Floats, I: Ints, i: int, h: float, method: int, band: float) -> None:
    """Halve the step until the guard is zero to round-off, or, with a band, until |v| lies inside it."""
    low = 0.0
    high = h
    for _ in range(60):
        middle = 0.5 * (low + high)
        if runge_kutta(W, I, middle, method) != 0:
            return
        expand(W, I)
        value = guard_value(W, I, i)
        if I[MODE + i] != 0 and abs(value) < band:
            return
        if value < 0.0:
            high = middle
        else:
            low = middle
        if high - low <= 1e-15 * h:
            return


def remember_cubic(W: Floats, I: Ints, steps: Floats, row: int) -> None:
    """Keep the step as cubics through values and rates at both ends."""
    place = row * STEP_WIDTH
    tau = W[TIME] - W[OLD_TIME]
    steps[place] = W[OLD_TIME]
    steps[place + 1] = tau
    for i in range(N_CONTACTS):
        steps[place + 2 + i] = I[MODE + i]
    place += 2 + N_CONTACTS
    for i in range(N_KEPT):
        row_of_series = SERIES + i * WIDTH
        for k in range(ORDER + 1):
            steps[place + k] = 0.0
        steps[place] = W[VALUE + i]
        if tau > 0.0:
            mean = (W[row_of_series] - W[VALUE + i]) / tau
            first = W[SLOPE + i]
            last = W[row_of_series + 1]
            steps[place + 1] = first
            steps[place + 2] = (3.0 * mean - 2.0 * first - last) / tau
            steps[place + 3] = (first + last - 2.0 * mean) / (tau * tau)
        place += ORDER + 1
