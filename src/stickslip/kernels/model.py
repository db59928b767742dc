"""What the generated source of a model provides to the kernels.

For developers: this file is documentation; in a joined module the generated constants and functions stand in its place.

The series of a step, order k of row r, are at W[SERIES + r*WIDTH + k]. Rows: states, then per contact the sliding
velocities, the friction forces, the static limits; then what is watched; then the guards of
frozen branches.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_STATES = N_CONTACTS = N_PARAMETERS = N_BRANCHES = N_WATCHED = N_GUARDS = 0
"""Sizes of the model; N_WATCHED counts what is watched to stay positive, N_GUARDS the guards of frozen branches."""

N_RESETS = N_DRAWS = N_BONDS = 0
"""How many internal states jump when a contact changes its mode; how many of them are drawn by chance; how many numbers
bristles need."""

FLOATS = INTEGERS = 0
"""Lengths of W and I."""

N_DIRECTIONS = 0
"""How many small changes can be carried along a motion; 0 in modules without `tangent`."""

STIFF = N_RESOLVED = ROW_RESOLVED = 0
"""1 if steps are limited by what relaxes quickly; how many arguments of exponentials are kept as rows, so that no step
passes over what these do; the first of these rows."""

MECHANICAL = 0
"""1 if the model has masses: then VELOCITY knows positions, and D and G are the same at all times."""

ORDER = 24
WIDTH = ORDER + 2
"""Order of the Taylor series, and the length of a row (one more coefficient is written than used)."""

ROW_V = ROW_FORCE = ROW_STATIC = ROW_GUARD = 0
"""Offsets of the rows of the first contact (or guard) within the series, in W."""

STATE = 0
TIME = LATE = NATURAL = GUESS = END = TOLERANCE = 0
"""In W: the state z, the time in two parts (see `clock.py`), the natural step length and a guess at it, the time to
stop, the relative tolerance."""

P = Q = F = G = V = R = S = A = D = SERIES = STATE_BEFORE = GAP = LAST_EVENT = LAST_STEP = 0
"""In W: parameters, constants made of them; the ingredients f, G, v, R, S, a, D; the rows of series; the state before
an event; longest time between events, time of the last one; length of the last step."""

SIZE_V = SIZE_A = SIZE_S = SIZE_GUARD = SIZE_RATE = SCALE = LOAD = BLUR = EXCESS = 0
"""In W, sizes of the terms that make up a quantity, by which its round-off is measured: of v, a and S per contact, of
what is watched and of the guards, and of the rates of these; of each slip acceleration with all friction; of what
decides about each contact, its force in stick and its acceleration in slip. And how much of such a size is taken for
zero; how far each contact would be beyond its limit if all stuck."""

BOND = BOND_BEFORE = 0
"""In W: the bristles of all contacts as `bristles.py` lays them out, now and before an event."""

NODE = MATRIX = ROOT = POWER = POLYNOMIAL = STACK = BOUNDS = WORK = 0
"""In W: work space for the recurrences, the sticking forces, the event location; and for methods (24 rows)."""

TANGENT = VARIATION = CARRIED = RATE_BEFORE = DELAY = 0
ROW_VARIED_STATE = ROW_VARIED_V = ROW_VARIED_FORCE = ROW_VARIED_STATIC = ROW_VARIED_GUARD = 0
"""In W, for small changes: the series of one direction (rows of δz, δv, δλ, δS, δ of guards), the present δz of all
directions, work space, ż before an event, and by how much each direction delays it."""

MODE = BRANCH = AT_REST = ORDERING = SAVED = STEPS = EVENTS = RAPID = READY = CONTACT = GUARD = 0
EVALUATIONS = HALT = 0
SEED = POINT = DRAWS = BONDED = BREAKS = 0
DIRECTIONS = VARIED = BRANCH_BEFORE = BRANCH_KEPT = FINAL = FRESH = JUMPED = 0
"""In I: the seed of chance, the number of the trajectory, and that of the event; bonds that chance has placed, and
bonds broken; slip signs, frozen branches, contacts at rest, pivots, modes before an event, counters, whether to stop at
once, what ended a step; for small changes their number, the parameter each varies, branches before an event and before
they are asked again, modes after an event, contacts that have entered a mode, and states that jumped there."""

SIGN = BEFORE = CALM = AFTER = LIMIT = LOG_TOLERANCE = CONDITION = ALLOWED = HASTE = TRIES = 0
CHANGE = HEED = OLD_TIME = OLD_STATE = PATIENCE = LATELY = AGAIN = CYCLE = CYCLE_EVENTS = 0
"""In W, for trajectories in lockstep, where modes and counters are floats: slip signs, modes before the event, plain
steps since something happened, the step after the last release; longest step allowed, logarithm of the tolerance,
whether it runs, most steps, events at once, ticks without going on; changes of mode, which of them to report, time and
state there, how long to wait for others, how large each state has lately been; how long ago the motion was the same,
where that has just been found; the time in which it repeats itself, and its events then."""

LIMIT_VARIES = APART = DRIVES = AMBIGUOUS = 1
"""Whether a static limit changes along a step; whether a step at rest is expanded apart from those in slip; whether a
sliding velocity moves otherwise than the states; whether several modes may be consistent (see `is_ambiguous` of
mode.py)."""

WATCHED_LOW = WATCHED_HIGH = STICK_TIME = WATCHING = 0
EXCITATION = FINAL_TIME = BEAT = BEATS = FLASH = FLASHES = STOP = AT_STOP = RETURNED = RELEASED = 0
"""There too: extents of the states and time in stick, and whether these are wanted; the period of the excitation, the
end; the time between states that are compared with each other, a whole period, the number of the next of these, and the
same for strobes; the earlier of both times, and the state there; how often the motion has returned, and releases."""

RESTS = NEAR_SIDE = FACTOR = BASE = END_VALUE = FIRST = SECOND = ROOM = LEAD = URGENCY = INVERSE = SINGULAR = 0
TAU = PLACE = GOES = LOST = NEXT = NEXT_TIME = UNSURE = PROBE = 0
"""Work space of a tick. The last ones: how far to go, where an event is, whether to go, whether to give up, where that
leads, which states may turn on the way, and the series of one of these."""

KEPT = LANE_ROWS = 0
"""How much of W is kept between ticks; that and the constants of the model."""

WATCHED_CONTACT = WATCHED_STATUS = GUARD_BRANCH = GUARD_STEP = np.array([0])
"""Contact of each watched quantity, and how the run ends there; branch of each guard, and how it moves (0: flips)."""

EVEN = np.array([0])
"""Per argument of an exponential, 1 if its function fades to both sides (tanh), 0 if to the negative one (exp)."""

RIGID = UNDAMPED = DRIVEN = np.array([0])
"""Per contact, 1 if it sticks as a constraint v = 0; 1 if it is elastic without damper; 1 if its sliding velocity moves
otherwise than the states."""

OWNER = VELOCITY = np.array([0])
"""Per state, the contact whose internal state it is, or -1; if it is a position, the number of its velocity, or -1."""

LEVER = np.array([0.0])
"""∂v/∂z of a mechanical system: a row of states per contact."""


BRISTLES = SLIPPING = BOND_PLACE = BOND_STATE = BOND_LIMIT = BOND_MEAN = np.array([0])
"""Per contact the bristles that hold in stick (0: it has none) and in slip; where they lie in BOND, the state that is
their mean deflection, and the numbers of two parameters: the limit, and the mean distance of new bonds."""


def constants(W: Floats) -> None:
    """Fill the constants from the parameters."""


def ingredients(W: Floats, I: Ints) -> None:
    """Fill f, G, v, R, S, a, D at the present state and time."""


def sizes(W: Floats, I: Ints) -> None:
    """Fill SIZE_V, SIZE_A, SIZE_S and SIZE_GUARD at the present state and time."""


def branches(W: Floats, I: Ints, noise: float) -> None:
    """Set the frozen branches from the state; leave one that is within noise, times its size, of switching."""


def reset(W: Floats, I: Ints, contact: int) -> None:
    """Set the internal states of a contact that has just entered the mode in MODE."""


def fastest(W: Floats) -> float:
    """How fast something relaxes or swings at the present point."""
    return 0.0


def taylor(W: Floats, I: Ints) -> int:
    """Fill the series of one step; 1 if the sticking forces are not determined, else 0."""
    return 0


def tangent(W: Floats, I: Ints, begin: int, which: int) -> None:
    """Fill the series of the small change with the δz at W[begin] and of parameter `which`; `taylor` came before."""


def vary_reset(W: Floats, I: Ints, contact: int, begin: int, which: int, delay: float) -> None:
    """How the small change at W[begin] jumps where `contact` enters its mode: to CARRIED, for the states in JUMPED."""


def expansion(W: Floats) -> None:
    """Fill the series of one step, and the size of each slip acceleration, for trajectories in lockstep."""


def expansion_at_rest(W: Floats) -> None:
    """Put the series of one at rest in place of those, where they are expanded apart."""


def rest(W: Floats) -> None:
    """Fill v, G and D at the present state and time, for trajectories in lockstep."""


def lane_tick(B: Floats) -> bool:
    """`lockstep.tick` for all trajectories that travel together; row r of B has place r of the W of each."""
    return False


def travel_tick(B: Floats, lane: int) -> bool:
    """`lockstep.tick` for one trajectory, in its lane of B, while nothing is observed."""
    return False


def watch_tick(B: Floats, lane: int) -> bool:
    """The same while it is observed."""
    return False
