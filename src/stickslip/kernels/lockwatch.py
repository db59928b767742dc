"""Many trajectories in lockstep, each observed after a transient: what `observe.py` gives, for most observations.

First all transients are run, then all observed parts; between them a trajectory is a row of `kept`. Steps end where the
state is wanted, at strobes and at whole periods of the excitation, so that no polynomials are needed afterwards. What
needs them (sections, maxima, and the period of a motion that neither sticks nor is excited) is left to `observe.py`.
"""

from stickslip.kernels.lockstep import ARRIVED, LANES, PARKED, RUNNING, enter
from stickslip.kernels.model import (
    CHANGE,
    CONDITION,
    END,
    EVENTS,
    HEED,
    LANE_ROWS,
    N_CONTACTS,
    N_PARAMETERS,
    N_STATES,
    OLD_STATE,
    OLD_TIME,
    POINT,
    SIGN,
    STATE,
    STEPS,
    STICK_TIME,
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
    KIND,
    LOWEST,
    MEASURES,
    MOST,
    MOST_STEPS,
    NUMBERS,
    REACHED,
    RELEASES,
    RETURNS,
    ROW_WIDTH,
    SLIP_TO_STICK,
    STATUS,
    STEPS_TAKEN,
    STICK_TO_SLIP,
    STROBE,
    STROBE_PERIOD,
    STROBES,
    STUCK,
    TALLY,
    TRUNCATED,
    TURNS,
    WHICH,
    next_multiple,
    repeats,
)

LEFT = -2
"""The status of a trajectory that was given up, or needs what lockstep does not do."""

NO_STOP = 1e300


def observe_lanes(
    W: Floats,
    I: Ints,
    B: Floats,
    kept: Floats,
    log_tolerance: float,
    choice: Ints,
    settings: Floats,
    count: int,
    starts: Floats,
    held: Ints,
    parameters: Floats,
    times: Floats,
    history: Floats,
    ring: Floats,
    tally: Ints,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> None:
    """As `observe`. `kept` has a trajectory per row, `history` and `tally` have a part for every lane;
    `ring`, and the first part of `tally`, are for the one that has just ended."""
    most_steps = float(choice[MOST_STEPS])
    following = 0
    travelling = 0
    for lane in range(LANES):
        B[CONDITION * LANES + lane] = PARKED
        if following < count:
            hold(W, I, following, starts, held, parameters, times)
            enter(W, I, B, lane, 0.0, times[3 * following], log_tolerance, most_steps, following, starts, parameters)
            following += 1
            travelling += 1
    while travelling > 0:
        if lane_tick(B):
            for lane in range(LANES):
                if B[CONDITION * LANES + lane] > RUNNING:
                    put_aside(B, lane, kept)
                    if following < count:
                        hold(W, I, following, starts, held, parameters, times)
                        enter(
                            W, I, B, lane, 0.0, times[3 * following], log_tolerance, most_steps, following, starts,
                            parameters,
                        )  # fmt: skip
                        following += 1
                    else:
                        B[CONDITION * LANES + lane] = PARKED
                        travelling -= 1
    following = 0
    for lane in range(LANES):
        B[CONDITION * LANES + lane] = PARKED
        if following < count:
            take_up(B, lane, following, kept, choice, settings, times, tally, numbers, measures)
            following += 1
            travelling += 1
    while travelling > 0:
        if lane_tick(B):
            for lane in range(LANES):
                if B[CONDITION * LANES + lane] != PARKED:
                    ended = attend(B, lane, choice, settings, times, history, tally, rows, numbers, measures)
                    if ended:
                        finish(B, lane, settings, times, history, ring, tally, numbers, measures)
                        B[CONDITION * LANES + lane] = PARKED
                        if following < count:
                            take_up(B, lane, following, kept, choice, settings, times, tally, numbers, measures)
                            following += 1
                        else:
                            travelling -= 1


def hold(W: Floats, I: Ints, point: int, starts: Floats, held: Ints, parameters: Floats, times: Floats) -> None:
    """Put contacts that are held at rest, as `project` does; `starts` is changed accordingly."""
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
    ingredients(W, I)
    for _ in range(2):
        for i in range(N_CONTACTS):
            effect = W[D + i * N_CONTACTS + i]
            if held[point * N_CONTACTS + i] != 0 and effect != 0.0 and W[V + i] != 0.0:
                impulse = -W[V + i] / effect
                for j in range(N_STATES):
                    W[STATE + j] += W[G + j * N_CONTACTS + i] * impulse
                for j in range(N_CONTACTS):
                    W[V + j] += W[D + j * N_CONTACTS + i] * impulse
    for i in range(N_STATES):
        starts[point * N_STATES + i] = W[STATE + i]


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
    tally: Ints,
    numbers: Ints,
    measures: Floats,
) -> None:
    """Go on with a trajectory after its transient: as `clear` of observe.py."""
    for i in range(LANE_ROWS):
        B[i * LANES + lane] = kept[point * LANE_ROWS + i]
    B[WATCHING * LANES + lane] = 1.0
    B[HEED * LANES + lane] = 0.0
    for i in range(N_STATES):
        B[(WATCHED_LOW + i) * LANES + lane] = B[(STATE + i) * LANES + lane]
        B[(WATCHED_HIGH + i) * LANES + lane] = B[(STATE + i) * LANES + lane]
    for i in range(TALLY):
        tally[(lane + 1) * TALLY + i] = 0
    period = times[3 * point + 2]
    if period > 0.0:
        tally[(lane + 1) * TALLY + TURNS] = next_multiple(times[3 * point], period)
    between = time_between(choice, settings, period)
    if between > 0.0:
        tally[(lane + 1) * TALLY + STROBES] = next_multiple(times[3 * point], between)
    for i in range(NUMBERS):
        numbers[point * NUMBERS + i] = 0
    for i in range(MEASURES):
        measures[point * MEASURES + i] = 0.0
    numbers[point * NUMBERS + CHANGES] = -int(B[EVENTS * LANES + lane])
    if B[CONDITION * LANES + lane] == ARRIVED:
        B[CONDITION * LANES + lane] = RUNNING
        B[END * LANES + lane] = next_stop(lane, point, choice, settings, times, tally)


def time_between(choice: Ints, settings: Floats, period: float) -> float:
    """The time between strobes; 0 where none are asked for."""
    if choice[KIND] != STROBE:
        return 0.0
    return settings[STROBE_PERIOD] if settings[STROBE_PERIOD] > 0.0 else period


def next_stop(lane: int, point: int, choice: Ints, settings: Floats, times: Floats, tally: Ints) -> float:
    """When the state is wanted next: at a strobe, a whole period of the excitation, or the end."""
    stop = times[3 * point + 1]
    period = times[3 * point + 2]
    if period > 0.0:
        stop = min(stop, tally[(lane + 1) * TALLY + TURNS] * period)
    between = time_between(choice, settings, period)
    if between > 0.0:
        stop = min(stop, tally[(lane + 1) * TALLY + STROBES] * between)
    return stop


def attend(
    B: Floats,
    lane: int,
    choice: Ints,
    settings: Floats,
    times: Floats,
    history: Floats,
    tally: Ints,
    rows: Floats,
    numbers: Ints,
    measures: Floats,
) -> bool:
    """Take note of changes of mode, and of the state where it was wanted; whether the trajectory has ended."""
    point = int(B[POINT * LANES + lane])
    period = times[3 * point + 2]
    for i in range(N_CONTACTS):
        change = B[(CHANGE + i) * LANES + lane]
        if change > 0.0:
            B[(CHANGE + i) * LANES + lane] = 0.0
            time = B[OLD_TIME * LANES + lane]
            if change == 1.0:
                tally[(lane + 1) * TALLY + RELEASES] += 1
                if period <= 0.0:
                    note_return(B, lane, OLD_STATE, time, i, tally, history)
            wanted = (choice[KIND] == STICK_TO_SLIP and change == 1.0) or (
                choice[KIND] == SLIP_TO_STICK and change == 2.0
            )
            if wanted and (choice[WHICH] < 0 or choice[WHICH] == i):
                note_row(B, lane, OLD_STATE, time, i, point, choice, rows, numbers)
    if B[CONDITION * LANES + lane] == RUNNING:
        return False
    if B[CONDITION * LANES + lane] != ARRIVED:
        return True
    time = B[TIME * LANES + lane]
    between = time_between(choice, settings, period)
    if between > 0.0 and tally[(lane + 1) * TALLY + STROBES] * between <= time:
        note_row(B, lane, STATE, time, -1, point, choice, rows, numbers)
        tally[(lane + 1) * TALLY + STROBES] += 1
    if period > 0.0 and tally[(lane + 1) * TALLY + TURNS] * period <= time:
        note_return(B, lane, STATE, time, -1, tally, history)
        tally[(lane + 1) * TALLY + TURNS] += 1
    if time >= times[3 * point + 1]:
        return True
    B[CONDITION * LANES + lane] = RUNNING
    B[END * LANES + lane] = next_stop(lane, point, choice, settings, times, tally)
    return False


def note_return(B: Floats, lane: int, state: int, time: float, contact: int, tally: Ints, history: Floats) -> None:
    """As `remember` of observe.py."""
    place = (lane * HISTORY + tally[(lane + 1) * TALLY + RETURNS] % HISTORY) * HISTORY_WIDTH
    history[place] = time
    history[place + 1] = contact
    history[place + 2] = tally[(lane + 1) * TALLY + RELEASES]
    for i in range(N_STATES):
        history[place + 3 + i] = B[(state + i) * LANES + lane]
    tally[(lane + 1) * TALLY + RETURNS] += 1


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
    times: Floats,
    history: Floats,
    ring: Floats,
    tally: Ints,
    numbers: Ints,
    measures: Floats,
) -> None:
    """What sums up the motion."""
    point = int(B[POINT * LANES + lane])
    number = point * NUMBERS
    measure = point * MEASURES
    period = times[3 * point + 2]
    unknown = period <= 0.0 and tally[(lane + 1) * TALLY + RELEASES] == 0
    numbers[number + STATUS] = LEFT if B[CONDITION * LANES + lane] != ARRIVED or unknown else 0
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
    if numbers[number + STATUS] == 0:
        for i in range(HISTORY * HISTORY_WIDTH):
            ring[i] = history[lane * HISTORY * HISTORY_WIDTH + i]
        for i in range(TALLY):
            tally[i] = tally[(lane + 1) * TALLY + i]
        repeats(tally, settings, period, ring, numbers, number, measures, measure)
