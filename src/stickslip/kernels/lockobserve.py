"""Many trajectories in lockstep, each observed after a transient: what `observe.py` gives, for most observations.

First all transients are run, then all observed parts; between them a trajectory is a row of `kept`. The tick whose step
passes a time at which the state is wanted, a strobe or a whole period of the excitation, takes it down; a step on which
there would be two such times ends at the second. Where the transient has shown that the motion repeats itself, one
cycle is observed, and as many as fit are told from it. What needs the polynomials of steps for more (sections, maxima,
and the period of a motion that neither sticks nor is excited) is left to `observe.py`.
"""

from stickslip.kernels.lockensemble import enter, has_ended
from stickslip.kernels.lockevents import LARGEST
from stickslip.kernels.lockstep import ARRIVED, PARKED, RUNNING
from stickslip.kernels.machine import LANES, latest
from stickslip.kernels.model import (
    AT_STOP,
    BEAT,
    BEATS,
    CHANGE,
    CONDITION,
    CYCLE,
    CYCLE_EVENTS,
    END,
    EVENTS,
    EXCITATION,
    FINAL_TIME,
    FLASH,
    FLASHES,
    HALT,
    HEED,
    LANE_ROWS,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    OLD_STATE,
    OLD_TIME,
    POINT,
    RELEASED,
    RETURNED,
    SIGN,
    STATE,
    STEPS,
    STICK_TIME,
    STOP,
    TIME,
    WATCHED_HIGH,
    WATCHED_LOW,
    WATCHING,
    D,
    Floats,
    G,
    Ints,
    P,
    V,
    constants,
    ingredients,
    lane_tick,
)
from stickslip.kernels.observe import (
    CHANGES,
    COUNT,
    END_MODE,
    FINAL_STATE,
    HIGHEST,
    HISTORY,
    HISTORY_WIDTH,
    HOLDING_ROUNDS,
    KIND,
    LOWEST,
    MEASURES,
    MOST,
    MOST_STEPS,
    NUMBERS,
    PERIOD,
    REACHED,
    RELEASES,
    REPEATS_M,
    REPEATS_N,
    RETURNS,
    ROW_WIDTH,
    SHORTCUT,
    SLIP_TO_STICK,
    STATUS,
    STEPS_TAKEN,
    STICK_TO_SLIP,
    STROBE,
    STROBE_PERIOD,
    STUCK,
    TRUNCATED,
    WHICH,
    leave_out_dust,
    next_multiple,
    repeats,
)
from stickslip.kernels.outcome import FINISHED, LEFT

JUST_PAST, NEARLY = 1e-15, 3e-15  # of a time: later than it but for rounding; as good as there


def observe_lanes(
    W: Floats,
    I: Ints,
    B: Floats,
    kept: Floats,
    log_tolerance: float,
    patience: float,
    choice: Ints,
    settings: Floats,
    count: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
    history: Floats,
    tally: Ints,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """As `observe`. `kept` has a trajectory per row, `history` a part for every lane; `tally` is for the one that has
    just ended."""
    most_steps = float(choice[MOST_STEPS])
    following = 0
    travelling = 0
    for lane in range(LANES):
        B[CONDITION * LANES + lane] = PARKED
    news = True
    while (news or travelling > 0) and latest(I, HALT) == 0:
        for lane in range(LANES if news else 0):
            if has_ended(B, lane):
                put_aside(B, lane, kept)
                B[CONDITION * LANES + lane] = PARKED
                travelling -= 1
            if B[CONDITION * LANES + lane] == PARKED and following < count:
                hold(W, I, following, starts, held, parameters, times)
                enter(
                    W, I, B, lane, 0.0, times[3 * following], log_tolerance, patience, most_steps, following, starts,
                    parameters, transient_period(choice, times, following),
                )  # fmt: skip
                following += 1
                travelling += 1
        news = travelling > 0 and lane_tick(B)
    following = 0
    news = True
    while (news or travelling > 0) and latest(I, HALT) == 0:
        for lane in range(LANES if news else 0):
            travels = B[CONDITION * LANES + lane] != PARKED
            if travels and attend(B, lane, choice, times, history, rows, numbers, measures):
                finish(B, lane, settings, history, tally, numbers, measures)
                B[CONDITION * LANES + lane] = PARKED
                travelling -= 1
            if B[CONDITION * LANES + lane] == PARKED and following < count:
                take_up(B, lane, following, kept, choice, settings, times, numbers, measures)
                following += 1
                travelling += 1
        news = travelling > 0 and lane_tick(B)


def hold(W: Floats, I: Ints, point: int, starts: Floats, held: Ints, parameters: Floats, times: Floats) -> None:
    """Stop contacts that are held; `starts` is changed accordingly."""
    any_held = 0
    for i in range(N_CONTACTS):
        any_held += held[point * N_CONTACTS + i]
    if any_held == 0:
        return
    for i in range(N_STATES):
        W[STATE + i] = starts[point * N_STATES + i]
    for i in range(N_PARAMETERS):
        W[P + i] = parameters[point * N_PARAMETERS + i]
    W[TIME] = 0.0
    constants(W)
    for _ in range(HOLDING_ROUNDS):
        ingredients(W, I)
        if stop_held(W, held, point) == 0:
            break
    leave_out_dust(W)
    for i in range(N_STATES):
        starts[point * N_STATES + i] = W[STATE + i]


def stop_held(W: Floats, held: Ints, point: int) -> int:
    """Stop the contacts that are held, two at most, by the impulses along G that do it; 0 if none slides."""
    slides = 0
    both = 1 if N_CONTACTS == 2 else 0
    for i in range(N_CONTACTS):
        if held[point * N_CONTACTS + i] == 0:
            both = 0
        elif W[V + i] != 0.0:
            slides = 1
    determinant = W[D] * W[D + 3] - W[D + 1] * W[D + 2] if both != 0 else 0.0
    if determinant != 0.0:
        first = (W[D + 1] * W[V + 1] - W[D + 3] * W[V]) / determinant
        second = (W[D + 2] * W[V] - W[D] * W[V + 1]) / determinant
        push(W, 0, first)
        push(W, 1, second)
        return slides
    for i in range(N_CONTACTS):
        effect = W[D + i * N_CONTACTS + i]
        if held[point * N_CONTACTS + i] != 0 and effect != 0.0:
            push(W, i, -W[V + i] / effect)
    return slides


def push(W: Floats, contact: int, impulse: float) -> None:
    """Let an impulse act between the bodies of a contact."""
    for j in range(N_STATES):
        W[STATE + j] += W[G + j * N_CONTACTS + contact] * impulse
    for j in range(N_CONTACTS):
        W[V + j] += W[D + j * N_CONTACTS + contact] * impulse


def transient_period(choice: Ints, times: Floats, point: int) -> float:
    """The period of the excitation; negative where none can be seen, or where every cycle is to be travelled."""
    return times[3 * point + 2] if choice[SHORTCUT] != 0 else -1.0


def put_aside(B: Floats, lane: int, kept: Floats) -> None:
    """Keep a trajectory between transient and observation."""
    point = int(B[POINT * LANES + lane])
    for i in range(LANE_ROWS):
        kept[point * LANE_ROWS + i] = B[i * LANES + lane]


def take_up(
    B: Floats,
    lane: int,
    point: int,
    kept: Floats,
    choice: Ints,
    settings: Floats,
    times: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """Go on with a trajectory after its transient: as `clear` of observe.py."""
    for i in range(LANE_ROWS):
        B[i * LANES + lane] = kept[point * LANE_ROWS + i]
    begin = times[3 * point]
    period = times[3 * point + 2]
    between = time_between(choice, settings, period)
    B[WATCHING * LANES + lane] = 1.0
    B[HEED * LANES + lane] = changes_wanted(choice, period)
    B[EXCITATION * LANES + lane] = period
    B[BEAT * LANES + lane] = period if period > 0.0 else LARGEST
    B[BEATS * LANES + lane] = float(next_multiple(begin, period)) if period > 0.0 else 1.0
    B[FLASH * LANES + lane] = between if between > 0.0 else LARGEST
    B[FLASHES * LANES + lane] = float(next_multiple(begin, between)) if between > 0.0 else 1.0
    B[RETURNED * LANES + lane] = 0.0
    B[RELEASED * LANES + lane] = 0.0
    for i in range(N_CONTACTS):
        B[(CHANGE + i) * LANES + lane] = 0.0
    for i in range(N_STATES):
        B[(WATCHED_LOW + i) * LANES + lane] = B[(STATE + i) * LANES + lane]
        B[(WATCHED_HIGH + i) * LANES + lane] = B[(STATE + i) * LANES + lane]
    for i in range(NUMBERS):
        numbers[point * NUMBERS + i] = 0
    for i in range(MEASURES):
        measures[point * MEASURES + i] = 0.0
    numbers[point * NUMBERS + CHANGES] = -int(B[EVENTS * LANES + lane])
    plan_cycle(B, lane, point, begin, times[3 * point + 1], numbers, measures)
    if B[CONDITION * LANES + lane] == ARRIVED:
        B[CONDITION * LANES + lane] = RUNNING
        set_stop(B, lane)


def changes_wanted(choice: Ints, period: float) -> float:
    """Which changes of mode are to be told: 1 releases, 2 ends of slip, 3 both; LARGEST none."""
    releases = choice[KIND] == STICK_TO_SLIP or period <= 0.0  # without excitation the motion returns at a release
    if choice[KIND] == SLIP_TO_STICK:
        return 3.0 if releases else 2.0
    return 1.0 if releases else LARGEST


def time_between(choice: Ints, settings: Floats, period: float) -> float:
    """The time between strobes; 0 where none are asked for."""
    if choice[KIND] != STROBE:
        return 0.0
    return settings[STROBE_PERIOD] if settings[STROBE_PERIOD] > 0.0 else period


def set_stop(B: Floats, lane: int) -> None:
    """The state is wanted next at a strobe or a whole period of the excitation; a step ends where it would be wanted
    a second time, or at the end."""
    turns = B[BEATS * LANES + lane]
    strobes = B[FLASHES * LANES + lane]
    turn = turns * B[BEAT * LANES + lane]
    strobe = strobes * B[FLASH * LANES + lane]
    stop = min(turn, strobe)
    turn = (turns + 1.0) * B[BEAT * LANES + lane] if turn == stop else turn
    strobe = (strobes + 1.0) * B[FLASH * LANES + lane] if strobe == stop else strobe
    B[STOP * LANES + lane] = stop
    B[END * LANES + lane] = min(min(turn, strobe), B[FINAL_TIME * LANES + lane])


def plan_cycle(B: Floats, lane: int, point: int, begin: float, end: float, numbers: Ints, measures: Floats) -> None:
    """When to stop first: at the end; or, where the motion repeats itself, whole cycles before it.

    One cycle is travelled from there, and the others are told from it. Where strobes have a time of their own, that
    does not tell them.
    """
    cycle = B[CYCLE * LANES + lane]
    due = B[FLASH * LANES + lane] == LARGEST or B[FLASH * LANES + lane] == B[BEAT * LANES + lane]
    cycles = float(int((end * (1.0 + NEARLY) - begin) / cycle)) if cycle > 0.0 and due else 0.0
    B[FINAL_TIME * LANES + lane] = end
    if cycles < 2.0:
        B[CYCLE * LANES + lane] = 0.0
        return
    B[FINAL_TIME * LANES + lane] = (end - cycles * cycle) * (1.0 + JUST_PAST)
    if B[FINAL_TIME * LANES + lane] <= begin * (1.0 + NEARLY):
        begin_cycle(B, lane, point, begin, numbers, measures)


def begin_cycle(B: Floats, lane: int, point: int, time: float, numbers: Ints, measures: Floats) -> None:
    """Note where the cycle begins that is travelled, in places of results that are free until the end."""
    numbers[point * NUMBERS + REPEATS_M] = 1
    numbers[point * NUMBERS + REPEATS_N] = numbers[point * NUMBERS + COUNT]
    numbers[point * NUMBERS + STEPS_TAKEN] = int(B[RETURNED * LANES + lane])
    measures[point * MEASURES + PERIOD] = B[EVENTS * LANES + lane]
    measures[point * MEASURES + REACHED] = B[RELEASED * LANES + lane]
    for i in range(N_CONTACTS):
        measures[point * MEASURES + STUCK + i] = B[(STICK_TIME + i) * LANES + lane]
    B[FINAL_TIME * LANES + lane] = (time + B[CYCLE * LANES + lane]) * (1.0 + JUST_PAST)


def attend(
    B: Floats,
    lane: int,
    choice: Ints,
    times: Floats,
    history: Floats,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> bool:
    """Take note of changes of mode, and of the state where it was wanted; whether the trajectory has ended."""
    point = int(B[POINT * LANES + lane])
    period = B[EXCITATION * LANES + lane]
    for i in range(N_CONTACTS):
        change = B[(CHANGE + i) * LANES + lane]
        if change > 0.0:
            B[(CHANGE + i) * LANES + lane] = 0.0
            time = B[OLD_TIME * LANES + lane]
            if change == 1.0 and period <= 0.0:
                note_return(B, lane, OLD_STATE, time, i, history)
            wanted = (choice[KIND] == STICK_TO_SLIP and change == 1.0) or (
                choice[KIND] == SLIP_TO_STICK and change == 2.0
            )
            if wanted and (choice[WHICH] < 0 or choice[WHICH] == i):
                note_row(B, lane, OLD_STATE, time, i, point, choice, rows, numbers)
    if B[CONDITION * LANES + lane] > ARRIVED:
        return True
    time = B[TIME * LANES + lane]
    state = AT_STOP
    while B[STOP * LANES + lane] <= time:
        stop = B[STOP * LANES + lane]
        if B[FLASHES * LANES + lane] * B[FLASH * LANES + lane] == stop:
            note_row(B, lane, state, stop, -1, point, choice, rows, numbers)
            B[FLASHES * LANES + lane] += 1.0
        if B[BEATS * LANES + lane] * B[BEAT * LANES + lane] == stop:
            note_return(B, lane, state, stop, -1, history)
            B[BEATS * LANES + lane] += 1.0
        set_stop(B, lane)
        state = STATE  # a second one is where the step ends
    if time >= B[FINAL_TIME * LANES + lane] and B[CYCLE * LANES + lane] > 0.0:
        if numbers[point * NUMBERS + REPEATS_M] == 0:
            begin_cycle(B, lane, point, B[FINAL_TIME * LANES + lane], numbers, measures)
        else:
            tell_cycles(B, lane, point, times[3 * point + 1], choice, history, rows, numbers, measures)
        set_stop(B, lane)
    ended = B[TIME * LANES + lane] >= B[FINAL_TIME * LANES + lane]
    B[CONDITION * LANES + lane] = ARRIVED if ended else RUNNING
    return ended


def tell_cycles(
    B: Floats,
    lane: int,
    point: int,
    end: float,
    choice: Ints,
    history: Floats,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """One cycle has been travelled: go on for as many as fit before the end, in which the same happens."""
    cycle = B[CYCLE * LANES + lane]
    period = B[EXCITATION * LANES + lane]
    turns = float(int(cycle / period + 0.5)) if period > 0.0 else 0.0
    first = numbers[point * NUMBERS + REPEATS_N]
    events = B[EVENTS * LANES + lane] - measures[point * MEASURES + PERIOD]
    released = B[RELEASED * LANES + lane] - measures[point * MEASURES + REACHED]
    returns = int(B[RETURNED * LANES + lane]) - numbers[point * NUMBERS + STEPS_TAKEN]
    numbers[point * NUMBERS + REPEATS_M] = 0
    numbers[point * NUMBERS + REPEATS_N] = 0
    measures[point * MEASURES + PERIOD] = 0.0
    B[CYCLE * LANES + lane] = 0.0
    B[FINAL_TIME * LANES + lane] = end
    # An event just where the cycle ends may be seen twice or not at all.
    whole = events == B[CYCLE_EVENTS * LANES + lane] and (period <= 0.0 or float(returns) == turns)
    if not whole or returns >= HISTORY:
        return
    cycles = int((end * (1.0 + NEARLY) - B[TIME * LANES + lane]) / cycle)
    repeat_returns(B, lane, returns, cycles, cycle, released, history)
    repeat_rows(point, first, cycles, cycle, choice, rows, numbers)
    later = B[TIME * LANES + lane] + float(cycles) * cycle
    B[TIME * LANES + lane] = later if later < end * (1.0 - NEARLY) else end
    B[EVENTS * LANES + lane] += float(cycles) * events
    B[RELEASED * LANES + lane] += float(cycles) * released
    B[RETURNED * LANES + lane] += float(cycles * returns)
    B[BEATS * LANES + lane] += float(cycles) * turns
    B[FLASHES * LANES + lane] += float(cycles) * turns
    for i in range(N_CONTACTS):
        stuck = B[(STICK_TIME + i) * LANES + lane] - measures[point * MEASURES + STUCK + i]
        B[(STICK_TIME + i) * LANES + lane] += float(cycles) * stuck


def repeat_returns(
    B: Floats, lane: int, returns: int, cycles: int, cycle: float, released: float, history: Floats
) -> None:
    """The returns of a cycle again and again."""
    total = int(B[RETURNED * LANES + lane])
    for number in range(total, total + returns * cycles):
        place = (lane * HISTORY + number % HISTORY) * HISTORY_WIDTH
        before = (lane * HISTORY + (number - returns) % HISTORY) * HISTORY_WIDTH
        for i in range(HISTORY_WIDTH):
            history[place + i] = history[before + i]
        history[place] += cycle
        history[place + 2] += released


def repeat_rows(point: int, first: int, cycles: int, cycle: float, choice: Ints, rows: Floats, numbers: Ints) -> None:
    """The rows of a cycle, those from `first` on, again and again, as far as there is room."""
    number = point * NUMBERS
    found = numbers[number + COUNT] - first
    wanted = numbers[number + COUNT] + found * cycles
    total = min(wanted, choice[MOST])
    for row in range(numbers[number + COUNT], total):
        place = (point * choice[MOST] + row) * ROW_WIDTH
        source = (point * choice[MOST] + first + (row - first) % found) * ROW_WIDTH
        for i in range(ROW_WIDTH):
            rows[place + i] = rows[source + i]
        rows[place] += float((row - first) // found) * cycle
    numbers[number + COUNT] = total
    if wanted > total:
        numbers[number + TRUNCATED] = 1


def note_return(B: Floats, lane: int, state: int, time: float, contact: int, history: Floats) -> None:
    """As `remember` of observe.py."""
    number = int(B[RETURNED * LANES + lane])
    place = (lane * HISTORY + number % HISTORY) * HISTORY_WIDTH
    history[place] = time
    history[place + 1] = contact
    history[place + 2] = B[RELEASED * LANES + lane]
    for i in range(N_STATES):
        history[place + 3 + i] = B[(state + i) * LANES + lane]
    B[RETURNED * LANES + lane] += 1.0


def note_row(
    B: Floats, lane: int, state: int, time: float, contact: int, point: int, choice: Ints, rows: Floats, numbers: Ints
) -> None:
    """As `record` of observe.py."""
    number = point * NUMBERS
    if numbers[number + COUNT] >= choice[MOST]:
        numbers[number + TRUNCATED] = 1
        return
    place = (point * choice[MOST] + numbers[number + COUNT]) * ROW_WIDTH
    rows[place] = time
    rows[place + 1] = contact
    for i in range(N_STATES):
        rows[place + 2 + i] = B[(state + i) * LANES + lane]
    numbers[number + COUNT] += 1


def finish(
    B: Floats,
    lane: int,
    settings: Floats,
    history: Floats,
    tally: Ints,
    numbers: Ints,
    measures: Floats,
) -> None:
    """What sums up the motion."""
    point = int(B[POINT * LANES + lane])
    number = point * NUMBERS
    measure = point * MEASURES
    period = B[EXCITATION * LANES + lane]
    unknown = period <= 0.0 and B[RELEASED * LANES + lane] == 0.0
    numbers[number + STATUS] = LEFT if B[CONDITION * LANES + lane] != ARRIVED or unknown else FINISHED
    numbers[number + CHANGES] += int(B[EVENTS * LANES + lane])
    numbers[number + STEPS_TAKEN] = int(B[STEPS * LANES + lane])
    measures[measure + REACHED] = B[TIME * LANES + lane]
    for i in range(N_STATES):
        measures[measure + LOWEST + i] = B[(WATCHED_LOW + i) * LANES + lane]
        measures[measure + HIGHEST + i] = B[(WATCHED_HIGH + i) * LANES + lane]
        measures[measure + FINAL_STATE + i] = B[(STATE + i) * LANES + lane]
    for i in range(N_CONTACTS):
        measures[measure + STUCK + i] = B[(STICK_TIME + i) * LANES + lane]
        numbers[number + END_MODE + i] = int(B[(SIGN + i) * LANES + lane])
    if numbers[number + STATUS] == FINISHED:
        tally[RELEASES] = int(B[RELEASED * LANES + lane])
        tally[RETURNS] = int(B[RETURNED * LANES + lane])
        repeats(tally, settings, period, history, lane * HISTORY * HISTORY_WIDTH, numbers, number, measures, measure)
