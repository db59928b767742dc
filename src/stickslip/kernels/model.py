"""What the generated module of a model provides to the kernels.

For developers: this file says what there is, for readers and for the type checker. When a model is compiled, its own
module stands in this place (`targets/modules.py`). Sizes and tables are constant while it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.kernels.records import Floats, Ints

if TYPE_CHECKING:  # the layouts of these are made of the sizes below
    from stickslip.kernels.lane import Lane, Tick
    from stickslip.kernels.trajectory import Trajectory

STATES = CONTACTS = PARAMETERS = CONSTANTS = 0
"""How many states, contacts, parameters, and constants made of these."""

BRANCHES = GUARDS = WATCHED = TABLES = 0
"""How many frozen branches, guards of these, and quantities that are watched to stay positive; how many of the branches
are intervals of tables."""

NODES = RESOLVED = 0
"""How many series the others are made of; how many arguments of exponentials are series of their own, so that no step
passes over what these do."""

RESETS = DRAWS = OWN_GUARDS = STORE = COUNTS = 0
"""How many internal states jump at events; how many of them are drawn by chance; how many guards contacts have besides
v = 0 and |λ| = S; how many numbers kernels of kinds of contacts keep, and how many whole numbers they count."""

DIRECTIONS = VARIED_STATES = VARIED_CONTACTS = VARIED_GUARDS = VARIED_BRANCHES = 0
"""How many small changes can be carried along a motion, and the sizes of the model again; 0 in modules without
`tangent`."""

ORDER = 24
WIDTH = ORDER + 2
"""Order of the Taylor series, and the length of a row (one more coefficient is written than used)."""

STIFF = MECHANICAL = 0
"""1 if steps are limited by what relaxes quickly; 1 if the model has masses: then VELOCITY knows positions, and D and G
are the same at all times."""

WATCHED_CONTACT: Ints = np.array([0])
WATCHED_OUTCOME: Ints = np.array([0])
"""Contact of each watched quantity, and how the run ends where it turns negative."""

GUARD_BRANCH: Ints = np.array([0])
GUARD_STEP: Ints = np.array([0])
GUARD_FOLLOWS: Ints = np.array([0])
"""Branch of each guard, and how it moves (0: flips); 1 if it moves as states and time do, so that these resolve it."""

EVEN: Ints = np.array([0])
"""Per argument of an exponential, 1 if its function fades to both sides (tanh), 0 if to the negative one (exp)."""

OWN_GUARD_CONTACT: Ints = np.array([0])
OWN_GUARD_STICK: Ints = np.array([0])
OWN_GUARD_RELEASES: Ints = np.array([0])
"""Of every guard of a contact's own: its contact; 1 if it counts in stick, 0 in slip; 1 if it releases the contact."""

JUMPS: Ints = np.array([[0]])
"""A row of states for every guard of a contact's own: 1 for those that jump there."""

RIGID: Ints = np.array([0])
LIMITED: Ints = np.array([0])
SIDED: Ints = np.array([0])
UNDECIDED: Ints = np.array([0])
DRIVEN: Ints = np.array([0])
"""Per contact, 1 if it sticks as a constraint v = 0; 1 if |λ| ≤ S holds in stick; 1 if v contains the side of slip; 1
if it is asked for its mode at the start even if it moves; 1 if v moves otherwise than the states."""

OWNER: Ints = np.array([0])
VELOCITY: Ints = np.array([0])
"""Per state, the contact whose internal state it is, or -1; if it is a position, the number of its velocity, or -1."""

LEVER: Floats = np.array([0.0])
LEVER_STATE: Ints = np.array([0])
LEVER_START: Ints = np.array([0])
"""∂v/∂z of a mechanical system, where it is not zero: the entries of contact after contact, the state of each,
and where the entries of each contact begin."""

PUSHED: Ints = np.array([0])
PUSHED_START: Ints = np.array([0])
COUPLED: Ints = np.array([0])
COUPLED_START: Ints = np.array([0])
"""Where G and D are not zero: the states that each contact pushes, and the contacts that it is coupled with, itself
among them, contact after contact; and where those of each contact begin."""

ACTING: Ints = np.array([0])
ACTING_START: Ints = np.array([0])
"""The contacts that push each state, state after state, and where those of each state begin."""

BANDED = FROZEN = 0
"""1 if sticking forces are solved for in a band; how many numbers are made anew at every step, and kept along it."""

ELIMINATION: Ints = np.array([0])
PLACE: Ints = np.array([0])
REACH: Ints = np.array([0])
"""With a band: the contacts in the order of elimination, the place of each in it, and the last place that those up to
its own are coupled with."""

STORE_PLACE: Ints = np.array([0])
"""Per contact, where in the store its kernel keeps what belongs to it."""

TOLD: dict[str, int] = {}
"""Which of what these count is told of a run, and under which names."""

PUSHES: Ints = np.array([[0]])
"""In modules for lockstep, per two contacts: 1 if one pushes the other where both stick."""

REMEMBERED = CHANCE = DRAWING = 0
"""In modules for lockstep: how many states are remembered from before an event, since internal states jump there; how
many numbers a lane holds for chance, and for each of how many contacts."""

APART = LIMIT_VARIES = DRIVES = PUSH_EACH_OTHER = AMBIGUOUS = SHARP = 0
"""In modules for lockstep: 1 if nothing moves in stick by itself, so that series in stick are a short text apart; 1 if
a static limit varies with state or time; 1 if a sliding velocity moves otherwise than the states; 1 if sticking
contacts push each other; 1 if several modes may be consistent at a time; how many arguments of powers, roots and
logarithms are resolved relative to themselves."""


def constants(trajectory: Trajectory) -> None:
    """Fill the constants from the parameters."""


def ingredients(trajectory: Trajectory) -> None:
    """Fill f, G, v, R, S, a, D at the present state and time."""


def sizes(trajectory: Trajectory) -> None:
    """Fill the sizes of v, a, S and of guards, at the present state and time."""


def branches(trajectory: Trajectory, noise: float) -> None:
    """Set the frozen branches from the state; leave one that is within noise, times its size, of switching."""


def reset(trajectory: Trajectory, contact: int) -> None:
    """Set the internal states of a contact that has just entered its mode."""


def jump(trajectory: Trajectory, own_guard: int) -> None:
    """Let internal states jump where a guard of a contact's own has ended."""


def start_store(trajectory: Trajectory) -> None:
    """What kernels of kinds of contacts keep, at the start."""


def note_store(trajectory: Trajectory) -> None:
    """Remember it before an event."""


def recall_store(trajectory: Trajectory, contact: int) -> None:
    """What belongs to a contact, as it was before the event."""


def fastest(trajectory: Trajectory) -> float:
    """How fast something relaxes or swings at the present point."""
    return 0.0


def taylor(trajectory: Trajectory) -> int:
    """Fill the series of one step; 1 if the sticking forces are not determined, else 0."""
    return 0


def tangent(trajectory: Trajectory, change: Floats, which: int) -> None:
    """Fill the series of the small change δz, and of parameter `which`; `taylor` came before."""


def vary_jump(trajectory: Trajectory, own_guard: int, change: Floats, which: int, delay: float) -> None:
    """What the small change adds to where states jump at a guard of a contact's own: to `reset_variation`."""


def vary_reset(trajectory: Trajectory, contact: int, change: Floats, which: int, delay: float) -> None:
    """How the small change jumps where `contact` enters its mode: to `reset_variation`, for the states in `jumped`."""


# -- in modules for lockstep, in place of what comes after `sizes` ---------------------------------------------------


def expansion(lane: Lane, tick: Tick) -> None:
    """Fill the series of one step; with APART, as if every contact slipped."""


def expansion_at_rest(lane: Lane, tick: Tick) -> None:
    """With APART, fill the series of those at rest, in place of the others."""


def enter(lane: Lane, contact: int) -> None:
    """Set the internal states of a contact that enters the mode it tries."""


def fastest_of(lane: Lane) -> float:
    """How fast something relaxes or swings at the present point."""
    return 0.0


def load_intervals(lane: Lane) -> None:
    """Fill `interval` of every table from the number of the interval: its start, where it ends below and above (the
    first and the last do not), and the four coefficients of its cubic."""


def guard_sizes(lane: Lane, tick: Tick) -> None:
    """Fill the sizes of the terms of what ends frozen branches, and of its rate times the natural step."""


def kinematics(lane: Lane, tick: Tick) -> None:
    """Fill v, G, D and the inverse of its diagonal at the state to which the step leads."""
