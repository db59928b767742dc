"""Small changes carried along a motion, through every event: the variational equations with saltation.

A direction d is a change δz of the state at W[VARIATION + d*N_STATES], with a change of the parameter I[VARIED + d]
(-1: none; N_PARAMETERS: the time at which the motion starts). Along a step it follows the linearised equations. At an
event with guard φ, the neighbouring motion meets its event later by δt = −δφ/φ̇, so that

    δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt.

Where a contact comes to rest this removes δv; where it leaves rest with a continuous force it changes nothing.
An internal state that jumps there to r(z, t) has δr(δz⁻ + ż⁻ δt) − ż⁺ δt instead.
"""

from stickslip.kernels.mode import RELEASED, expand
from stickslip.kernels.model import (
    AT_REST,
    BRANCH,
    BRANCH_BEFORE,
    CARRIED,
    DELAY,
    DIRECTIONS,
    FINAL,
    FRESH,
    JUMPED,
    MODE,
    N_BRANCHES,
    N_CONTACTS,
    N_RESETS,
    N_STATES,
    N_WATCHED,
    RATE_BEFORE,
    ROW_FORCE,
    ROW_GUARD,
    ROW_STATIC,
    ROW_V,
    ROW_VARIED_FORCE,
    ROW_VARIED_GUARD,
    ROW_VARIED_STATIC,
    ROW_VARIED_V,
    SAVED,
    SERIES,
    STATE,
    STATE_BEFORE,
    TANGENT,
    VARIATION,
    VARIED,
    WIDTH,
    Floats,
    Ints,
    reset,
    tangent,
    vary_reset,
)
from stickslip.kernels.polynomial import value_of


def carry(W: Floats, I: Ints) -> None:
    """Take every direction along the step whose series and powers are set."""
    for d in range(I[DIRECTIONS]):
        begin = VARIATION + d * N_STATES
        tangent(W, I, begin, I[VARIED + d])
        for i in range(N_STATES):
            W[CARRIED + i] = value_of(W, TANGENT + i * WIDTH)
        for i in range(N_STATES):
            W[begin + i] = W[CARRIED + i]


def note_branches(I: Ints) -> None:
    """Remember the frozen branches before an event."""
    for i in range(N_BRANCHES):
        I[BRANCH_BEFORE + i] = I[BRANCH + i]


def leap(W: Floats, I: Ints, guard: int) -> None:
    """Take every direction through the event just decided: the modes in SAVED have become those in MODE.

    Contacts whose guards ended here are passed one after another, so that contacts which do not feel each other may
    have their events at the same time. What changed as a consequence changes with the last of them.
    """
    for i in range(N_CONTACTS):
        I[FINAL + i] = I[MODE + i]
        I[MODE + i] = I[SAVED + i]
        I[FRESH + i] = 0
    swap_branches(I)
    swap_states(W)
    expand(W, I)
    if guard >= 0:
        row = ROW_GUARD + guard * WIDTH
        note_delays(W, I, row, 1.0, row, 0.0, ROW_VARIED_GUARD + (guard - N_WATCHED) * WIDTH, 0)
        finish(W, I)
    else:
        pass_contacts(W, I)
    swap_states(W)


def pass_contacts(W: Floats, I: Ints) -> None:
    """One after another, the contacts whose guards ended."""
    last = -1
    for i in range(N_CONTACTS):
        if has_ended(I, i):
            last = i
    for i in range(N_CONTACTS):
        if has_ended(I, i):
            note_contact(W, I, i)
            if i == last:
                finish(W, I)
            else:
                enter(W, I, i)
                expand(W, I)
                delay(W, I)


def has_ended(I: Ints, i: int) -> bool:
    """Whether a guard of contact i ended at the event: its slip velocity, or the static limit of its force."""
    if I[SAVED + i] == 0:
        return I[AT_REST + i] == RELEASED
    return I[AT_REST + i] != 0


def finish(W: Floats, I: Ints) -> None:
    """The modes and branches after the event, and the jump of every direction."""
    for i in range(N_CONTACTS):
        if I[MODE + i] != I[FINAL + i]:
            enter(W, I, i)
    swap_branches(I)
    expand(W, I)
    delay(W, I)


def enter(W: Floats, I: Ints, i: int) -> None:
    """Let contact i enter its mode after the event, where internal states may jump."""
    I[MODE + i] = I[FINAL + i]
    if N_RESETS > 0 and I[FINAL + i] != I[SAVED + i]:
        reset(W, I, i)
        I[FRESH + i] = 1


def swap_states(W: Floats) -> None:
    """Exchange the states before and after the event, where they differ."""
    if N_RESETS > 0:
        for i in range(N_STATES):
            other = W[STATE_BEFORE + i]
            W[STATE_BEFORE + i] = W[STATE + i]
            W[STATE + i] = other


def swap_branches(I: Ints) -> None:
    """Exchange the frozen branches before and after the event."""
    for i in range(N_BRANCHES):
        other = I[BRANCH_BEFORE + i]
        I[BRANCH_BEFORE + i] = I[BRANCH + i]
        I[BRANCH + i] = other


def note_contact(W: Floats, I: Ints, i: int) -> None:
    """Delays for the guard of contact i in its mode: s v in slip, S − s λ in stick."""
    if I[MODE + i] != 0:
        row = ROW_V + i * WIDTH
        note_delays(W, I, row, float(I[MODE + i]), row, 0.0, ROW_VARIED_V + i * WIDTH, 0)
    else:
        force = ROW_FORCE + i * WIDTH
        side = 1.0 if W[force] > 0.0 else -1.0
        varied = ROW_VARIED_FORCE + i * WIDTH
        note_delays(W, I, force, -side, ROW_STATIC + i * WIDTH, 1.0, varied, ROW_VARIED_STATIC + i * WIDTH)


def note_delays(
    W: Floats, I: Ints, row: int, sign: float, added: int, weight: float, varied: int, varied_added: int
) -> None:
    """δt = −δφ/φ̇ of every direction for φ = sign·series + weight·another; and the rates before the event."""
    rate = sign * W[row + 1] + weight * W[added + 1]
    for i in range(N_STATES):
        W[RATE_BEFORE + i] = W[SERIES + i * WIDTH + 1]
    for d in range(I[DIRECTIONS]):
        tangent(W, I, VARIATION + d * N_STATES, I[VARIED + d])
        change = sign * W[varied]
        if weight != 0.0:
            change += weight * W[varied_added]
        W[DELAY + d] = -change / rate if rate != 0.0 else 0.0


def delay(W: Floats, I: Ints) -> None:
    """δz⁺ = δz⁻ + (ż⁻ − ż⁺) δt, with the series of the modes after the event at hand."""
    for d in range(I[DIRECTIONS]):
        begin = VARIATION + d * N_STATES
        if N_RESETS > 0:
            vary_resets(W, I, begin, d)
        for i in range(N_STATES):
            if N_RESETS > 0 and I[JUMPED + i] == 1:
                W[begin + i] = W[CARRIED + i] - W[SERIES + i * WIDTH + 1] * W[DELAY + d]
            else:
                W[begin + i] += (W[RATE_BEFORE + i] - W[SERIES + i * WIDTH + 1]) * W[DELAY + d]
    for i in range(N_CONTACTS):
        I[FRESH + i] = 0


def vary_resets(W: Floats, I: Ints, begin: int, d: int) -> None:
    """The jumps of direction d at the contacts that have just entered their modes."""
    for i in range(N_STATES):
        I[JUMPED + i] = 0
    for i in range(N_CONTACTS):
        if I[FRESH + i] == 1:
            vary_reset(W, I, i, begin, I[VARIED + d], W[DELAY + d])


def enter_modes(W: Floats, I: Ints) -> None:
    """State and directions jump from the modes in SAVED to those in FINAL, here and now."""
    for i in range(N_STATES):
        W[RATE_BEFORE + i] = 0.0
        W[SERIES + i * WIDTH + 1] = 0.0
    for d in range(I[DIRECTIONS]):
        W[DELAY + d] = 0.0
    for i in range(N_CONTACTS):
        I[MODE + i] = I[SAVED + i]
        I[FRESH + i] = 0
    for i in range(N_CONTACTS):
        if I[MODE + i] != I[FINAL + i]:
            enter(W, I, i)
    delay(W, I)
