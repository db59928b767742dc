"""Internal states in lockstep: stick times, and what is drawn by chance. See lockstep.py.

Where a contact tries another mode, its internal states are those before the event, or as they enter that mode: see
`take_mode` of mode.py. Where chance allows neither stick nor slip, phases without length follow each other, each with
draws of its own: see `settle_by_chance` of change.py. All that is done for one trajectory after another, between two
ticks: a tick that lets contacts try modes says so, and its lane is looked at.
"""

from stickslip.kernels import condition, model
from stickslip.kernels.chance import WORD
from stickslip.kernels.change import MOST_STOPS
from stickslip.kernels.lane import TRIED, TRIED_LEAVING, Lane
from stickslip.kernels.trajectory import Trajectory

CHANCE_SEED, CHANCE_NUMBER, CHANCE_EVENTS, CHANCE_ATTEMPTS, CHANCE_COUNTED = 0, 2, 3, 4, 5
"""Places in `chance` of a lane."""

NO_MODE, ANOTHER_MODE, EVENT = 0.0, 1.0, 2.0
"""What contacts have to enter: nothing, another mode after the same event, or those that follow a new one."""


def begin_memory(trajectory: Trajectory, lane: Lane) -> None:
    """A trajectory that is about to begin: no event yet."""
    if model.REMEMBERED > 0:
        note_event(lane)
    if model.CHANCE > 0:
        lane.chance[CHANCE_SEED] = float(trajectory.seed % WORD)
        lane.chance[CHANCE_SEED + 1] = float(trajectory.seed // WORD)
        lane.chance[CHANCE_NUMBER] = float(trajectory.number)
        lane.chance[CHANCE_EVENTS] = 0.0
        lane.chance[CHANCE_COUNTED] = 0.0


def note_event(lane: Lane) -> None:
    """Remember the state at an event; nothing has been tried yet."""
    for j in range(model.STATES):
        lane.state_before[j] = lane.state[j]
    if model.CHANCE > 0:
        lane.chance[CHANCE_ATTEMPTS] = 0.0
        for i in range(model.CONTACTS):
            lane.anew[i] = 0.0
            lane.turns[i] = 0.0
            lane.entered[i] = lane.mode[i]


def enter_modes(lane: Lane) -> None:
    """Let internal states jump, where contacts try other modes since the last tick."""
    if model.REMEMBERED > 0 and lane.entering > NO_MODE:
        if lane.entering == EVENT:
            note_event(lane)
            if model.CHANCE > 0:
                count_for_chance(lane)
        elif model.CHANCE > 0 and has_tried_all(lane):
            begin_anew(lane)
        for i in range(model.CONTACTS):
            if lane.on_trial[i] > 0.0:
                enter_mode(lane, i)
        lane.entering = NO_MODE


def enter_mode(lane: Lane, i: int) -> None:
    """The internal states of a contact that tries a mode; at the start it comes from stick."""
    for j in range(model.STATES):
        if model.OWNER[j] == i:
            lane.state[j] = lane.state_before[j]
    before = 0.0 if lane.mode_before[i] == condition.UNKNOWN else lane.mode_before[i]
    if lane.mode[i] != before or is_anew(lane, i):
        model.enter(lane, i)


def count_for_chance(lane: Lane) -> None:
    """One more event to chance, if something has come of the one before: as in `pass_guard` of change.py."""
    changes = 1.0 + lane.events
    lane.chance[CHANCE_EVENTS] += 1.0 if lane.chance[CHANCE_COUNTED] != changes else 0.0
    lane.chance[CHANCE_COUNTED] = changes


# -- chance ----------------------------------------------------------------------------------------------------------


def is_anew(lane: Lane, i: int) -> bool:
    """Whether whichever phase follows is a new one, since phases without length have come before it."""
    return model.CHANCE > 0 and lane.anew[i] > 0.0


def has_tried_all(lane: Lane) -> bool:
    """Whether a contact has come back to a mode that it has tried since the event, with the same draws: first in stick,
    then in slip; one that leaves stick, first in slip."""
    tried = False
    for i in range(model.CONTACTS):
        lane.turns[i] += 1.0 if lane.mode[i] != lane.entered[i] else 0.0
        lane.entered[i] = lane.mode[i]
        most = 3.0 if lane.on_trial[i] == TRIED_LEAVING else 2.0
        tried = tried or (lane.turns[i] >= most and lane.mode_before[i] != condition.UNKNOWN)
    return tried


def begin_anew(lane: Lane) -> None:
    """Contacts at rest try all modes again, with draws that have not been used."""
    changed = set_anew(lane)
    if not changed and lane.chance[CHANCE_ATTEMPTS] == 1.0:  # with the same draws it would be the same again
        set_anew(lane)
    if lane.chance[CHANCE_ATTEMPTS] <= MOST_STOPS:
        lane.vain_ticks = 0.0
    for i in range(model.CONTACTS):
        lane.turns[i] = 0.0
        if lane.on_trial[i] == TRIED:
            lane.mode[i] = 0.0
        lane.entered[i] = lane.mode[i]


def set_anew(lane: Lane) -> bool:
    """The next attempt, and whether other contacts than before begin whichever phase follows anew.

    At first those that have come to rest: where they slip on to the same side, they have not drawn for that yet. Then
    the event is another one for chance, and those that leave stick may stop again at once.
    """
    again = lane.chance[CHANCE_ATTEMPTS] > 0.0
    changed = False
    for i in range(model.CONTACTS):
        begins = lane.on_trial[i] == TRIED and abs(lane.mode_before[i]) == 1.0
        if lane.on_trial[i] == TRIED_LEAVING and again:
            lane.on_trial[i] = TRIED
            begins = True
        if begins and lane.anew[i] == 0.0:
            lane.anew[i] = 1.0
            changed = True
    lane.chance[CHANCE_EVENTS] += 1.0 if again else 0.0
    lane.chance[CHANCE_ATTEMPTS] += 1.0
    return changed
