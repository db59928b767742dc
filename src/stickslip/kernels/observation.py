"""What is asked of motions that are observed, and what is kept of them: records that march and lockstep share.

Every trajectory has a `Course` and a `Result`, and room for as many rows as are asked for.
"""

from stickslip.kernels import model
from stickslip.kernels.ensemble import Start
from stickslip.kernels.records import Floats, Ints, Record, Records, field

NOTHING, CHANGES, SECTION, STROBE, MAXIMA = range(5)
"""What is recorded."""

ALL_CONTACTS, NO_CONTACT = -1, -1
"""Stands for a contact: in what is asked for; in rows and returns that are no change of mode."""

JUST_PAST, NEARLY = 1e-15, 3e-15
"""Of a time: later than it but for rounding; as good as there."""

RING = 256
"""So many returns of a motion are remembered: the last ones."""


class Request(Record):
    """What is asked for, of all trajectories alike."""

    trajectories: int = field("how many there are")
    kind: int = field("what is recorded: NOTHING, CHANGES of mode, …")
    releases: int = field("1 if changes from stick to slip are recorded")
    stops: int = field("1 if changes from slip to stick are")
    reversals: int = field("1 if changes from slip to slip the other way are")
    which: int = field("of which contact (or ALL_CONTACTS), state or, after the states, sliding velocity")
    direction: int = field("of crossings: 1 upwards, -1 downwards, 0 both")
    most_rows: int = field("rows at most, of each trajectory")
    most_steps: int = field("steps after which one is given up")
    seed: int = field("of random friction")
    shortcut: int = field("1 if motions leave out cycles in which they repeat themselves")
    level: float = field("the value at a section")
    tolerance: float = field("of the integration")
    sameness: float = field("so far apart may two returns be that are the same, relative to the extent of the motion")
    strobe_period: float = field("the time between strobes; 0: the period of the excitation")


class Course(Start):
    """How one trajectory begins, and when it is observed."""

    start_time: float = field("when it begins")
    transient_end: float = field("when its observation begins")
    end_time: float = field("when that ends")
    excitation_period: float = field("the period of the excitation; 0 without one, negative where it has none")
    held: Ints = field("1 for contacts that are put at rest before the start", model.CONTACTS)
    number: int = field("of the trajectory, by which chance is drawn")


class Row(Record):
    """One recorded point of a motion."""

    time: float = field("when")
    state: Floats = field("the state then", model.STATES)
    contact: int = field("the contact that changes its mode, or NO_CONTACT")
    mode: int = field("its mode after that")


class Ring(Record):
    """The last returns of one motion; return number i lies at place i % RING."""

    time: Floats = field("when", RING)
    state: Floats = field("the state then", RING, model.STATES)
    contact: Ints = field("the contact that was released, or NO_CONTACT", RING)
    releases: Ints = field("stick→slip points so far", RING)
    count: int = field("returns so far, those that are forgotten included")


class Tally(Record):
    """How far the observation of one trajectory has come, and what is found on one of its steps."""

    releases: int = field("stick→slip points so far")
    side: int = field("of the section, or the sign of the rate whose zeros are maxima; 0: not known yet")
    peak_side: int = field("the sign of the rate of the first state; 0: not known yet")
    next_strobe: int = field("the number of the next strobe")
    next_turn: int = field("the number of the next whole period of the excitation")
    step_start: float = field("when the step begins")
    step_length: float = field("how long it is")
    state: Floats = field("the state at a time of it", model.STATES)
    crossings: int = field("changes of sign on it")
    crossing_place: Floats = field("where they are, from 0 to 1", model.ORDER + 1)
    crossing_side: Ints = field("the signs after them", model.ORDER + 1)

    # Motions that repeat themselves: see repeat.py.
    recent_size: Floats = field("how large each state has lately been", model.STATES)
    mark_state: Floats = field("the state at the mark", model.STATES)
    mark_mode: Ints = field("the modes there", model.CONTACTS)
    mark_time: float = field("the time of the mark")
    mark_events: float = field("changes of mode before it; NOWHERE: no marks are set")
    mark_miss: float = field("how far that was from the mark before; -1: not near")
    cycle: float = field("the time after which the motion repeats itself; 0: not known")
    cycle_events: int = field("changes of mode in that time")
    rows_before: int = field("rows recorded before the cycle that is travelled")
    returns_before: int = field("returns before it")
    events_before: int = field("changes of mode before it")
    releases_before: int = field("releases before it")
    side_before: int = field("the side before it")
    stick_time_before: Floats = field("time in stick before it", model.CONTACTS)


class Result(Record):
    """What sums up one trajectory."""

    period: float = field("of the motion; 0 where none is found")
    repeat_time: float = field("after how long the last rows come again, where they do")
    time: float = field("the time reached")
    lowest: Floats = field("least values of the states while observed", model.STATES)
    highest: Floats = field("largest ones", model.STATES)
    stick_time: Floats = field("time in stick while observed", model.CONTACTS)
    end_state: Floats = field("the state at the end", model.STATES)
    status: int = field("its outcome")
    changes: int = field("changes of mode while observed")
    first_row: int = field("where its rows begin among those of all")
    rows: int = field("rows that are kept")
    repeat_rows: int = field("so many of them, the last ones, are those of a cycle …")
    repeats: int = field("… that comes again so many times")
    truncated: int = field("1 if there was no room for more of them")
    n: int = field("stick→slip points in one period of the motion")
    m: int = field("periods of the excitation in one period of the motion, 1 without one; 0 where none is found")
    steps: int = field("steps taken, with those of the transient")
    end_mode: Ints = field("the modes at the end", model.CONTACTS)


def strobe_interval(request: Request, excitation_period: float) -> float:
    """The time between strobes; not positive where there are none."""
    if request.kind != STROBE:
        return 0.0
    return request.strobe_period if request.strobe_period > 0.0 else excitation_period


def is_wanted(request: Request, contact: int, released: bool, stopped: bool) -> bool:
    """Whether a change of mode is recorded."""
    wanted = request.reversals
    if released:
        wanted = request.releases
    elif stopped:
        wanted = request.stops
    return wanted == 1 and (request.which == ALL_CONTACTS or request.which == contact)


def next_multiple(time: float, period: float) -> int:
    """The number of the first whole multiple of the period after the time."""
    return int(time / period * (1.0 + 1e-13)) + 1


def begin_result(result: Result, state: Floats) -> None:
    """Nothing has been observed yet but the state where the transient has ended."""
    result.period = 0.0
    result.changes = 0
    result.rows = 0
    result.repeat_rows = 0
    result.repeats = 0
    result.repeat_time = 0.0
    result.truncated = 0
    result.n = 0
    result.m = 0
    for i in range(model.STATES):
        result.lowest[i] = state[i]
        result.highest[i] = state[i]
    for i in range(model.CONTACTS):
        result.stick_time[i] = 0.0


def add_row(rows: Records[Row], request: Request, result: Result, time: float, state: Floats) -> None:
    """Record a point of the motion at which no contact changes its mode, while there is room."""
    add_change(rows, request, result, time, NO_CONTACT, 0, state)


def add_change(
    rows: Records[Row], request: Request, result: Result, time: float, contact: int, mode: int, state: Floats
) -> None:
    """Record a point at which a contact comes to a mode, while there is room."""
    if result.repeats > 0:
        unfold_rows(rows, request, result)
    if result.rows >= request.most_rows:
        result.truncated = 1
        return
    row = rows[result.first_row + result.rows]
    row.time = time
    row.contact = contact
    row.mode = mode
    for i in range(model.STATES):
        row.state[i] = state[i]
    result.rows += 1


def repeat_rows(request: Request, result: Result, first: int, cycles: int, cycle: float) -> None:
    """The rows from `first` on are those of a cycle that comes again: they are kept once, and told to be many."""
    found = result.rows - first
    if found == 0:
        return
    result.repeat_rows = found
    result.repeats = cycles
    result.repeat_time = cycle
    if result.rows + found * cycles > request.most_rows:
        result.truncated = 1


def unfold_rows(rows: Records[Row], request: Request, result: Result) -> None:
    """Write out the rows that come again, as far as there is room: others follow."""
    found = result.repeat_rows
    total = min(result.rows + found * result.repeats, request.most_rows)
    for number in range(result.rows, total):
        row = rows[result.first_row + number]
        source = rows[result.first_row + number - found]
        row.time = source.time + result.repeat_time
        row.contact = source.contact
        row.mode = source.mode
        for i in range(model.STATES):
            row.state[i] = source.state[i]
    result.rows = total
    result.repeats = 0


def add_return(ring: Ring, time: float, contact: int, releases: int, state: Floats) -> None:
    """Remember a return of the motion, in the place of the oldest one where the ring is full."""
    place = ring.count % RING
    ring.time[place] = time
    ring.contact[place] = contact
    ring.releases[place] = releases
    for i in range(model.STATES):
        ring.state[place, i] = state[i]
    ring.count += 1


def repeat_returns(ring: Ring, returns: int, cycles: int, cycle: float, releases: int) -> None:
    """The returns of a cycle again and again."""
    for number in range(ring.count, ring.count + returns * cycles):
        place = number % RING
        before = (number - returns) % RING
        ring.time[place] = ring.time[before] + cycle
        ring.contact[place] = ring.contact[before]
        ring.releases[place] = ring.releases[before] + releases
        for i in range(model.STATES):
            ring.state[place, i] = ring.state[before, i]
    ring.count += returns * cycles
