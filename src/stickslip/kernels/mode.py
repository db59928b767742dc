"""Which contacts stick and which slip, chosen consistently for all contacts at once.

A contact at rest may stick if |λ| ≤ S, or slip to the side s if its velocity then grows to that side. Where a value is
zero its next derivative decides: the test looks at the leading nonzero coefficient of the series of the step.
"""

from stickslip.kernels.bristles import recall_bonds
from stickslip.kernels.model import (
    AT_REST,
    BRISTLES,
    EVALUATIONS,
    GUESS,
    HALVINGS,
    MODE,
    N_BONDS,
    N_CONTACTS,
    N_RESETS,
    N_STATES,
    ORDER,
    OWNER,
    RIGID,
    ROW_FORCE,
    ROW_STATIC,
    ROW_V,
    SAVED,
    SCALE,
    STATE,
    STATE_BEFORE,
    WIDTH,
    A,
    D,
    Floats,
    Ints,
    R,
    S,
    ingredients,
    reset,
    taylor,
)
from stickslip.kernels.step import limit_stick, set_natural_step

NOISE = 1e-13  # what round-off leaves of a zero, relative to the terms that cancel
SINGULAR, UNDECIDED = 1, 2
RESTING, RELEASED = 1, 2  # contacts at rest: to be decided; or known to leave stick, to the side in MODE


def take_mode(W: Floats, I: Ints, i: int, mode: int) -> None:
    """Let contact i try a mode: its internal states are those before the event, or as they enter the new mode."""
    I[MODE + i] = mode
    if N_RESETS > 0:
        for j in range(N_STATES):
            if OWNER[j] == i:
                W[STATE + j] = W[STATE_BEFORE + j]
        if N_BONDS > 0:
            recall_bonds(W, i)
        if mode != I[SAVED + i]:
            reset(W, I, i)


def count_resting(I: Ints) -> int:
    """How many contacts are at rest."""
    resting = 0
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0:
            resting += 1
    return resting


def leading_sign(W: Floats, row: int, sign: float, added: int, weight: float, scale: float) -> int:
    """The sign of sign·series + weight·another just after the start: that of its first term above round-off."""
    power = 1.0
    for k in range(ORDER + 1):
        value = (sign * W[row + k] + weight * W[added + k]) * power
        if abs(value) > NOISE * scale:
            return 1 if value > 0.0 else -1
        power *= W[GUESS]
    return 0


def urgency_of(W: Floats, I: Ints, i: int) -> float:
    """How much contact i at rest wants another mode: 0 when content, < 1 to stop slipping, ≥ 1 to be released."""
    mode = I[MODE + i]
    if mode != 0:
        row = ROW_V + i * WIDTH
        return 0.5 if leading_sign(W, row, float(mode), row, 0.0, W[SCALE + i] * W[GUESS]) <= 0 else 0.0
    if N_BONDS > 0 and BRISTLES[i] > 0:
        return 0.0  # it is a bristle at its limit that ends stick
    force = ROW_FORCE + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    side = 1.0 if W[force] > 0.0 else -1.0
    scale = W[static] + abs(W[force])
    if leading_sign(W, force, -side, static, 1.0, scale) < 0:
        return 1.0 + max(abs(W[force]) - W[static], 0.0) / scale
    return 0.0


def expand(W: Floats, I: Ints) -> int:
    """Series of the step for the present modes, with v = 0 exactly where a contact is at rest; 0 if determined."""
    I[EVALUATIONS] += 1
    I[HALVINGS] = 0
    if taylor(W, I) != 0:
        return SINGULAR
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0 and RIGID[i] == 1:
            W[ROW_V + i * WIDTH] = 0.0
    if ORDER >= 5:  # methods of low order choose their steps themselves
        set_natural_step(W, I)
        limit_stick(W, I)
    return 0


def measure(W: Floats, I: Ints) -> None:
    """The size of the terms that make up each slip acceleration: the measure for its round-off."""
    ingredients(W, I)
    for i in range(N_CONTACTS):
        total = abs(W[A + i])
        for j in range(N_CONTACTS):
            total += abs(W[D + i * N_CONTACTS + j]) * max(W[S + j], W[R + j])  # S where R is not a number
        W[SCALE + i] = total


def settle(W: Floats, I: Ints) -> int:
    """Choose the modes of all contacts at rest; leaves the series of the next step. 0, SINGULAR or UNDECIDED."""
    measure(W, I)
    for i in range(N_CONTACTS):
        if I[AT_REST + i] == RESTING:
            take_mode(W, I, i, 0)
    for _ in range(4 * count_resting(I) + 4):
        if expand(W, I) != 0:
            break
        urgency = 0.0
        contact = -1
        for i in range(N_CONTACTS):
            if I[AT_REST + i] != 0 and urgency_of(W, I, i) > urgency:
                urgency = urgency_of(W, I, i)
                contact = i
        if contact < 0:
            return 0
        if I[MODE + contact] != 0:
            take_mode(W, I, contact, 0)
        else:  # released to the side against which the friction force pushed
            take_mode(W, I, contact, -1 if W[ROW_FORCE + contact * WIDTH] > 0.0 else 1)
    return enumerate_modes(W, I)


def enumerate_modes(W: Floats, I: Ints) -> int:
    """Try every combination, most sticking first, where releasing one by one does not end."""
    failed = UNDECIDED
    resting = count_resting(I)
    combinations = 1
    for _ in range(resting):
        combinations *= 3
    if resting > 6:
        return failed
    for sticking in range(resting, -1, -1):
        for code in range(combinations):
            rest = code
            zeros = 0
            for i in range(N_CONTACTS):
                if I[AT_REST + i] != 0:
                    take_mode(W, I, i, rest % 3 - 1)
                    rest //= 3
                    if I[MODE + i] == 0:
                        zeros += 1
            if zeros != sticking:
                continue
            if expand(W, I) != 0:
                failed = SINGULAR
                continue
            urgency = 0.0
            for i in range(N_CONTACTS):
                if I[AT_REST + i] != 0:
                    urgency = max(urgency, urgency_of(W, I, i))
            if urgency == 0.0:
                return 0
    return failed
