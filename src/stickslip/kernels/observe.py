"""Many trajectories, each observed after a transient: rows of what was asked for, and what sums up the motion.

The march pauses after every step; then the polynomials of that step and the events at its end are looked at. Nothing
is allocated: rows go to a buffer of fixed size, and the last returns of the motion to a ring, where its period shows.
"""

from stickslip.kernels.linear import factor, substitute
from stickslip.kernels.machine import latest
from stickslip.kernels.march import EVENT_WIDTH, begin, march, project
from stickslip.kernels.mode import NOISE
from stickslip.kernels.model import (
    AT_REST,
    END,
    EVENTS,
    FLOATS,
    GUESS,
    HALT,
    INTEGERS,
    MATRIX,
    MODE,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    ORDER,
    POINT,
    POLYNOMIAL,
    POWER,
    RIGID,
    SEED,
    STATE,
    STEPS,
    TIME,
    TOLERANCE,
    WORK,
    D,
    Floats,
    G,
    Ints,
    P,
    V,
    constants,
    ingredients,
)
from stickslip.kernels.outcome import FINISHED, INTERRUPTED, NOT_COMPUTED, PAUSED
from stickslip.kernels.polynomial import first_crossing, set_powers

NOTHING, STICK_TO_SLIP, SLIP_TO_STICK, SECTION, STROBE, MAXIMA = range(6)
"""What is recorded."""

KIND, WHICH, DIRECTION, MOST, MOST_STEPS, CHANCE, SHORTCUT, NUMBERED = range(8)
"""In `choice`: what is recorded; of which contact or quantity (-1: of all contacts); 1 upwards, -1 downwards, 0 both;
rows and steps at most; the seed of random friction; whether motions in lockstep leave out cycles in which they
repeat themselves; from NUMBERED on, the number of every trajectory."""

LEVEL, RTOL, SAME, STROBE_PERIOD = range(4)
"""In `settings`: the value at a section; tolerances of the integration, and for calling two returns the same; time
between strobes (0: the period of the excitation)."""

STATUS, CHANGES, COUNT, TRUNCATED, REPEATS_N, REPEATS_M, STEPS_TAKEN, END_MODE = range(8)
NUMBERS = END_MODE + N_CONTACTS
"""Whole numbers per trajectory, the last of them the modes at the end."""

PERIOD, REACHED, LOWEST = 0, 1, 2
HIGHEST = LOWEST + N_STATES
STUCK = HIGHEST + N_STATES
FINAL_STATE = STUCK + N_CONTACTS
MEASURES = FINAL_STATE + N_STATES
"""Floats per trajectory: period, time reached, extent of every state, time in stick of every contact, end state."""

HOLDING_ROUNDS = 25  # as many as a number takes to become zero, by a factor of round-off each time

ROW_WIDTH = 2 + N_STATES
"""A recorded row: time, contact (-1: none), state."""

HISTORY = 256
HISTORY_WIDTH = 3 + N_STATES
"""A ring of returns: time, contact, number of stick→slip points so far, state."""

RELEASES, SIDE, PEAK_SIDE, STROBES, TURNS, RETURNS, PEAKS = range(7)
TALLY = 7
"""In `tally`: stick→slip points; side of the section, sign of the rate of the first state; number of the next strobe,
and of the next period of the excitation; rows that went to the ring of returns, and to the ring of peaks."""

STEP_STATES = 2 + N_CONTACTS
"""Where the polynomials begin in the record of a step."""


def observe(
    W: Floats,
    I: Ints,
    choice: Ints,
    settings: Floats,
    count: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
    steps: Floats,
    events: Floats,
    filled: Ints,
    history: Floats,
    tally: Ints,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """Observe `count` trajectories. `times` has per trajectory: end of the transient, end, period of the excitation.

    Contacts that are `held` are put at rest before the start; `starts` is changed accordingly. `steps`, `events`,
    `filled`, `history` and `tally` are work space; `rows`, `numbers` and `measures` are the result.
    """
    for point in range(count):
        if latest(I, HALT) != 0:
            break
        observe_point(
            W, I, choice, settings, point, starts, held, parameters, times, steps, events, filled, history, tally,
            rows, numbers, measures,
        )  # fmt: skip


def come_to_rest(W: Floats, I: Ints) -> None:
    """Stop contacts that slide, all at once, by the impulses along G that do it.

    Each round leaves the round-off of the one before, so that a few of them end at rest however small the states are.
    """
    for i in range(N_CONTACTS):
        I[MODE + i] = 0 if I[AT_REST + i] != 0 and RIGID[i] == 1 else 1
    for _ in range(HOLDING_ROUNDS):
        ingredients(W, I)
        fastest_held = 0.0
        for i in range(N_CONTACTS):
            if I[MODE + i] == 0:
                fastest_held = max(fastest_held, abs(W[V + i]))
            for j in range(N_CONTACTS):
                W[MATRIX + i * (N_CONTACTS + 2) + j] = W[D + i * N_CONTACTS + j]
            W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS] = -W[V + i]
        stuck = factor(W, I) if fastest_held > 0.0 else 0
        if stuck <= 0:
            break
        substitute(W, I, stuck)
        for i in range(N_CONTACTS):
            impulse = W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS + 1] if I[MODE + i] == 0 else 0.0
            for j in range(N_STATES):
                W[STATE + j] += W[G + j * N_CONTACTS + i] * impulse
    leave_out_dust(W)
    project(W, I)


def leave_out_dust(W: Floats) -> None:
    """Put states to zero that differ from it by less than numbers can tell."""
    for i in range(N_STATES):
        if abs(W[STATE + i]) < 1e-300:
            W[STATE + i] = 0.0


def observe_point(
    W: Floats,
    I: Ints,
    choice: Ints,
    settings: Floats,
    point: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
    steps: Floats,
    events: Floats,
    filled: Ints,
    history: Floats,
    tally: Ints,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """One of them."""
    for i in range(FLOATS):
        W[i] = 0.0
    for i in range(INTEGERS):
        if i != HALT:
            I[i] = 0
    for i in range(N_STATES):
        W[STATE + i] = starts[point * N_STATES + i]
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[point * N_PARAMETERS + i]
    I[SEED] = choice[CHANCE]
    I[POINT] = choice[NUMBERED + point]
    W[TOLERANCE] = settings[RTOL]
    W[GUESS] = 1.0
    W[END] = times[3 * point]
    for i in range(N_CONTACTS):
        I[AT_REST + i] = held[point * N_CONTACTS + i]
    constants(W)
    come_to_rest(W, I)
    for i in range(N_STATES):
        starts[point * N_STATES + i] = W[STATE + i]
    status = begin(W, I)
    if status == FINISHED:
        status = march(W, I, choice[MOST_STEPS], steps, events, 0, 0, filled)
    number = point * NUMBERS
    measure = point * MEASURES
    clear(W, choice, settings, times, 3 * point, tally, numbers, number, measures, measure)
    before = I[EVENTS]
    if status == FINISHED:
        W[END] = times[3 * point + 1]
        row = point * choice[MOST] * ROW_WIDTH
        period = times[3 * point + 2]
        status = PAUSED
        while status == PAUSED:
            filled[0] = 0
            filled[1] = 0
            status = march(W, I, choice[MOST_STEPS], steps, events, 1, N_CONTACTS, filled)
            if filled[0] > 0:
                look(
                    W, choice, settings, period, steps, events, filled[1], history, tally,
                    rows, row, numbers, number, measures, measure,
                )  # fmt: skip
        if status == FINISHED:
            repeats(tally, settings, period, history, 0, numbers, number, measures, measure)
    numbers[number + STATUS] = NOT_COMPUTED if status == INTERRUPTED else status
    numbers[number + CHANGES] = I[EVENTS] - before
    numbers[number + STEPS_TAKEN] = I[STEPS]
    for i in range(N_CONTACTS):
        numbers[number + END_MODE + i] = I[MODE + i]
    measures[measure + REACHED] = W[TIME]
    for i in range(N_STATES):
        measures[measure + FINAL_STATE + i] = W[STATE + i]


def clear(
    W: Floats,
    choice: Ints,
    settings: Floats,
    times: Floats,
    time: int,
    tally: Ints,
    numbers: Ints,
    number: int,
    measures: Floats,
    measure: int,
) -> None:
    """Everything as it is when the transient has ended."""
    for i in range(TALLY):
        tally[i] = 0
    period = times[time + 2]
    if period > 0.0:
        tally[TURNS] = next_multiple(times[time], period)
    between = settings[STROBE_PERIOD] if settings[STROBE_PERIOD] > 0.0 else period
    if choice[KIND] == STROBE and between > 0.0:
        tally[STROBES] = next_multiple(times[time], between)
    for i in range(NUMBERS):
        numbers[number + i] = 0
    for i in range(MEASURES):
        measures[measure + i] = 0.0
    for i in range(N_STATES):
        measures[measure + LOWEST + i] = W[STATE + i]
        measures[measure + HIGHEST + i] = W[STATE + i]


def next_multiple(time: float, period: float) -> int:
    """The number of the first whole multiple of the period after the time."""
    return int(time / period * (1.0 + 1e-13)) + 1


def look(
    W: Floats,
    choice: Ints,
    settings: Floats,
    period: float,
    steps: Floats,
    events: Floats,
    changes: int,
    history: Floats,
    tally: Ints,
    rows: Floats,
    row: int,
    numbers: Ints,
    number: int,
    measures: Floats,
    measure: int,
) -> None:
    """Take note of one step and of the events at its end."""
    tau = steps[1]
    set_powers(W, tau)
    kind = choice[KIND]
    if tau > 0.0:
        for i in range(N_CONTACTS):
            if steps[2 + i] == 0.0:
                measures[measure + STUCK + i] += tau
        for i in range(N_STATES):
            extend(W, steps, i, measures, measure)
        if kind == SECTION:
            pass_section(W, choice, settings, steps, tally, rows, row, numbers, number)
        if kind == MAXIMA:
            pass_maxima(W, choice, steps, tally, rows, row, numbers, number)
        if kind == STROBE:
            between = settings[STROBE_PERIOD] if settings[STROBE_PERIOD] > 0.0 else period
            while between > 0.0 and tally[STROBES] * between <= W[TIME]:
                time = tally[STROBES] * between
                state_at(W, steps, time - steps[0])
                record(W, WORK, choice, time, -1, rows, row, numbers, number)
                full = numbers[number + TRUNCATED] != 0
                tally[STROBES] = next_multiple(W[TIME], between) if full else tally[STROBES] + 1
        if period > 0.0:
            while tally[TURNS] * period <= W[TIME]:
                time = tally[TURNS] * period
                state_at(W, steps, time - steps[0])
                remember(W, WORK, time, -1, tally, RETURNS, history)
                tally[TURNS] += 1
        elif tally[RELEASES] == 0:
            pass_peaks(W, steps, tally, history)
    for i in range(changes):
        place = i * EVENT_WIDTH
        contact = int(events[place + 1])
        released = events[place + 2] == 0.0
        if released:
            tally[RELEASES] += 1
            if period <= 0.0:
                remember(events, place + 4, events[place], contact, tally, RETURNS, history)
        wanted = (kind == STICK_TO_SLIP and released) or (kind == SLIP_TO_STICK and events[place + 3] == 0.0)
        if wanted and (choice[WHICH] < 0 or choice[WHICH] == contact):
            record(events, place + 4, choice, events[place], contact, rows, row, numbers, number)


def record(
    source: Floats,
    begin_at: int,
    choice: Ints,
    time: float,
    contact: int,
    rows: Floats,
    row: int,
    numbers: Ints,
    number: int,
) -> None:
    """Add a row with the state that begins at source[begin_at], while there is room."""
    if numbers[number + COUNT] >= choice[MOST]:
        numbers[number + TRUNCATED] = 1
        return
    place = row + numbers[number + COUNT] * ROW_WIDTH
    rows[place] = time
    rows[place + 1] = contact
    for i in range(N_STATES):
        rows[place + 2 + i] = source[begin_at + i]
    numbers[number + COUNT] += 1


def remember(source: Floats, begin_at: int, time: float, contact: int, tally: Ints, ring: int, history: Floats) -> None:
    """Add a return of the motion to a ring (RETURNS or PEAKS)."""
    place = ((ring - RETURNS) * HISTORY + tally[ring] % HISTORY) * HISTORY_WIDTH
    history[place] = time
    history[place + 1] = contact
    history[place + 2] = tally[RELEASES]
    for i in range(N_STATES):
        history[place + 3 + i] = source[begin_at + i]
    tally[ring] += 1


def state_at(W: Floats, steps: Floats, tau: float) -> None:
    """The state at the time tau of the recorded step, into W[WORK]."""
    for i in range(N_STATES):
        W[WORK + i] = quantity_at(steps, i, tau)


def quantity_at(steps: Floats, which: int, tau: float) -> float:
    """A state (or, after the states, a sliding velocity) at the time tau of the recorded step."""
    first = STEP_STATES + which * (ORDER + 1)
    total = steps[first + ORDER]
    for k in range(ORDER - 1, -1, -1):
        total = total * tau + steps[first + k]
    return total


# -- crossings ---------------------------------------------------------------------------------------------------


def set_value(W: Floats, steps: Floats, which: int, level: float) -> float:
    """The polynomial of a quantity minus the level, on the whole step; its size."""
    first = STEP_STATES + which * (ORDER + 1)
    size = abs(level)
    for k in range(ORDER + 1):
        W[POLYNOMIAL + k] = steps[first + k] * W[POWER + k]
        size += abs(W[POLYNOMIAL + k])
    W[POLYNOMIAL] -= level
    return size


def set_rate(W: Floats, steps: Floats, which: int) -> float:
    """The polynomial of the rate of a quantity, on the whole step; the size of the quantity."""
    first = STEP_STATES + which * (ORDER + 1)
    size = abs(steps[first])
    for k in range(ORDER):
        term = steps[first + k + 1] * W[POWER + k + 1]
        size += abs(term)
        W[POLYNOMIAL + k] = (k + 1) * term
    W[POLYNOMIAL + ORDER] = 0.0
    return size


def leading_side(W: Floats, noise: float) -> int:
    """The sign of the polynomial just after the start of the step, where leading terms below noise are divided out."""
    lead = 0
    while lead <= ORDER and abs(W[POLYNOMIAL + lead]) <= noise:
        lead += 1
    if lead > ORDER:
        return 0
    if lead > 0:
        for k in range(ORDER + 1):
            W[POLYNOMIAL + k] = W[POLYNOMIAL + k + lead] if k + lead <= ORDER else 0.0
    return 1 if W[POLYNOMIAL] > 0.0 else -1


def face(W: Floats, side: int) -> None:
    """Make the polynomial positive at its start."""
    if side < 0:
        for k in range(ORDER + 1):
            W[POLYNOMIAL + k] = -W[POLYNOMIAL + k]


def next_place(W: Floats, x: float) -> float:
    """The first crossing after the place x of the step; 2 if there is none. The polynomial then begins at it."""
    y = first_crossing(W)
    if y > 1.0:
        return 2.0
    # Taylor expansion about y, by repeated division; the root at its start is divided out.
    for i in range(ORDER):
        for k in range(ORDER - 1, i - 1, -1):
            W[POLYNOMIAL + k] += y * W[POLYNOMIAL + k + 1]
    power = 1.0
    for k in range(ORDER):
        W[POLYNOMIAL + k] = -W[POLYNOMIAL + k + 1] * power
        power *= 1.0 - y
    W[POLYNOMIAL + ORDER] = 0.0
    return x + y * (1.0 - x)


def extend(W: Floats, steps: Floats, which: int, measures: Floats, measure: int) -> None:
    """Widen the extent of a state by what it reaches on the step."""
    low = measure + LOWEST + which
    high = measure + HIGHEST + which
    first = STEP_STATES + which * (ORDER + 1)
    size = set_rate(W, steps, which)
    reach = size - abs(steps[first])
    if steps[first] + reach <= measures[high] and steps[first] - reach >= measures[low]:
        return
    value = quantity_at(steps, which, steps[1])
    measures[low] = min(measures[low], value)
    measures[high] = max(measures[high], value)
    side = leading_side(W, NOISE * size)
    if side == 0:
        return
    face(W, side)
    x = 0.0
    for _ in range(ORDER):
        x = next_place(W, x)
        if x > 1.0:
            return
        value = quantity_at(steps, which, x * steps[1])
        measures[low] = min(measures[low], value)
        measures[high] = max(measures[high], value)


def pass_section(
    W: Floats,
    choice: Ints,
    settings: Floats,
    steps: Floats,
    tally: Ints,
    rows: Floats,
    row: int,
    numbers: Ints,
    number: int,
) -> None:
    """Record where a quantity passes its level on the step.

    The side is remembered from step to step, so that a crossing where two steps meet counts once.
    """
    size = set_value(W, steps, choice[WHICH], settings[LEVEL])
    cross(W, size, choice, steps, tally, SIDE, rows, row, numbers, number)


def pass_maxima(
    W: Floats, choice: Ints, steps: Floats, tally: Ints, rows: Floats, row: int, numbers: Ints, number: int
) -> None:
    """Record the maxima of a state on the step, kinks at events included."""
    size = set_rate(W, steps, choice[WHICH])
    cross(W, size, choice, steps, tally, SIDE, rows, row, numbers, number)


def cross(
    W: Floats,
    size: float,
    choice: Ints,
    steps: Floats,
    tally: Ints,
    memory: int,
    rows: Floats,
    row: int,
    numbers: Ints,
    number: int,
) -> None:
    """Record the changes of sign of the polynomial, in the direction asked for."""
    side = leading_side(W, NOISE * size)
    if side == 0:
        return
    x = 0.0
    found = tally[memory] != 0 and tally[memory] != side
    face(W, side)
    for _ in range(ORDER):
        if found and (choice[DIRECTION] == 0 or choice[DIRECTION] == side):
            state_at(W, steps, x * steps[1])
            record(W, WORK, choice, steps[0] + x * steps[1], -1, rows, row, numbers, number)
        x = next_place(W, x)
        if x > 1.0:
            break
        found = True
        side = -side
    tally[memory] = side


def pass_peaks(W: Floats, steps: Floats, tally: Ints, history: Floats) -> None:
    """Remember the maxima of the first state: the returns of a motion that neither sticks nor is excited."""
    side = leading_side(W, NOISE * set_rate(W, steps, 0))
    if side == 0:
        return
    x = 0.0
    found = tally[PEAK_SIDE] != 0 and tally[PEAK_SIDE] != side
    face(W, side)
    for _ in range(ORDER):
        if found and side < 0:
            state_at(W, steps, x * steps[1])
            remember(W, WORK, steps[0] + x * steps[1], -1, tally, PEAKS, history)
        x = next_place(W, x)
        if x > 1.0:
            break
        found = True
        side = -side
    tally[PEAK_SIDE] = side


# -- periods -----------------------------------------------------------------------------------------------------


def repeats(
    tally: Ints,
    settings: Floats,
    period: float,
    history: Floats,
    begin: int,
    numbers: Ints,
    number: int,
    measures: Floats,
    measure: int,
) -> None:
    """The period of the motion, n stick→slip points in m periods of the excitation; all 0 where none is found.

    Without excitation m is 1, and n counts the stick→slip points of one period. The rings of returns lie in `history`
    from `begin` on.
    """
    ring = RETURNS if period > 0.0 or tally[RELEASES] > 0 else PEAKS
    shift = begin + (ring - RETURNS) * HISTORY * HISTORY_WIDTH
    total = tally[ring]
    kept = min(total, HISTORY)
    for lag in range(1, kept // 3 + 1):
        compared = min(kept - lag, max(2 * lag, kept // 2))
        if difference(history, shift, total, lag, 0, compared, settings[SAME], measures, measure) <= settings[SAME]:
            lag = settling(history, shift, total, lag, settings[SAME], measures, measure)
            a = shift + (total - 1) % HISTORY * HISTORY_WIDTH
            b = shift + (total - 1 - lag) % HISTORY * HISTORY_WIDTH
            numbers[number + REPEATS_N] = int(history[a + 2] - history[b + 2])
            numbers[number + REPEATS_M] = lag if period > 0.0 else 1
            measures[measure + PERIOD] = lag * period if period > 0.0 else history[a] - history[b]
            return


def settling(
    history: Floats, shift: int, total: int, lag: int, tolerance: float, measures: Floats, measure: int
) -> int:
    """The period to which the motion settles, where it is a part of the one found.

    Motion that closes in on its orbit from alternating sides repeats itself every other time first.
    """
    for part in range(1, lag // 2 + 1):
        if lag % part == 0:
            now = difference(history, shift, total, part, 0, lag, 1e3 * tolerance, measures, measure)
            before = difference(history, shift, total, part, lag, lag, 1e300, measures, measure)
            if now <= 1e3 * tolerance and now <= 0.7 * before:
                return part
    return lag


def difference(
    history: Floats,
    shift: int,
    total: int,
    lag: int,
    first: int,
    count: int,
    limit: float,
    measures: Floats,
    measure: int,
) -> float:
    """The largest difference between returns that lie `lag` apart, relative to the extent of the motion.

    Of the returns counted back from the last one, those from `first` on; 1e300 where their contacts differ. Once it is
    beyond `limit`, the rest is not looked at.
    """
    largest = 0.0
    for back in range(first, first + count):
        a = shift + (total - 1 - back) % HISTORY * HISTORY_WIDTH
        b = shift + (total - 1 - back - lag) % HISTORY * HISTORY_WIDTH
        if history[a + 1] != history[b + 1]:
            return 1e300
        for i in range(N_STATES):
            low = measures[measure + LOWEST + i]
            high = measures[measure + HIGHEST + i]
            scale = high - low + 1e-6 * max(abs(low), abs(high))
            gap = abs(history[a + 3 + i] - history[b + 3 + i])
            if gap > 0.0:
                largest = max(largest, gap / scale)
        if largest > limit:
            return largest
    return largest
