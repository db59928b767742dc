"""Which contacts stick and which slip, chosen consistently for all contacts at once.

A contact at rest may stick if |λ| ≤ S, or slip to the side s if its velocity then grows to that side. Where a value is
zero its next derivative decides: the test looks at the leading nonzero coefficient of the series of the step.
"""

from stickslip.kernels.bristles import recall_bonds
from stickslip.kernels.linear import add_up_loads, count_stuck, factor_delassus, substitute
from stickslip.kernels.model import (
    AT_REST,
    BLUR,
    BRISTLES,
    DRIVEN,
    EVALUATIONS,
    EXCESS,
    GUESS,
    LEVER,
    LOAD,
    MATRIX,
    MECHANICAL,
    MODE,
    N_BONDS,
    N_CONTACTS,
    N_RESETS,
    N_STATES,
    NATURAL,
    ORDER,
    OWNER,
    RIGID,
    ROW_FORCE,
    ROW_STATIC,
    ROW_V,
    SAVED,
    SCALE,
    SERIES,
    SIZE_A,
    SIZE_S,
    STATE,
    STATE_BEFORE,
    VELOCITY,
    WIDTH,
    D,
    Floats,
    G,
    Ints,
    R,
    S,
    reset,
    sizes,
    taylor,
)
from stickslip.kernels.step import set_natural_step, stick_room

NOISE = 1e-13  # what round-off leaves of a zero, relative to the terms that cancel
MOST_TRIED = 6  # contacts at rest of which all combinations are tried
MOST_BLUR = 1e-10  # what it may leave at most where values and derivatives contradict each other
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
        if abs(value) > W[BLUR] * scale:
            return 1 if value > 0.0 else -1
        power *= W[GUESS]
    return 0


def urgency_of(W: Floats, I: Ints, i: int) -> float:
    """How much contact i at rest wants another mode: 0 when content, < 1 to stop slipping, ≥ 1 to be released."""
    mode = I[MODE + i]
    if mode != 0:
        row = ROW_V + i * WIDTH
        return 0.5 if leading_sign(W, row, float(mode), row, 0.0, W[LOAD + i] * W[GUESS]) <= 0 else 0.0
    if N_BONDS > 0 and BRISTLES[i] > 0:
        return 0.0  # it is a bristle at its limit that ends stick
    force = ROW_FORCE + i * WIDTH
    static = ROW_STATIC + i * WIDTH
    side = 1.0 if W[force] > 0.0 else -1.0
    if leading_sign(W, force, -side, static, 1.0, W[LOAD + i]) < 0:
        return 1.0 + max(abs(W[force]) - W[static], 0.0) / (W[static] + abs(W[force]))
    return 0.0


def expand(W: Floats, I: Ints) -> int:
    """Series of the step for the present modes, with v = 0 exactly where a contact is at rest; 0 if determined."""
    I[EVALUATIONS] += 1
    if taylor(W, I) != 0:
        return SINGULAR
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0 and RIGID[i] == 1:
            W[ROW_V + i * WIDTH] = 0.0
    if ORDER >= 5:  # methods of low order choose their steps themselves
        set_natural_step(W, I)
        if MECHANICAL == 0:
            limit_stick(W, I)
    return 0


def limit_stick(W: Floats, I: Ints) -> None:
    """Shorten a step on which round-off would move what sticks, where `hold_still` cannot take that out."""
    room = stick_room(W, I)
    if room > 0.0:
        W[NATURAL] = min(W[NATURAL], room)


def hold_still(W: Floats, I: Ints, tau: float) -> bool:
    """Take from the series what round-off leaves of the sliding velocity of contacts that stick, if the step is so long
    that this would move the positions; whether it was.

    The terms that cancel there are larger than the motion. What they leave is taken out order by order by impulses
    along G, as `project` does with the velocity itself; positions follow.
    """
    if MECHANICAL == 0 or abs(tau) <= stick_room(W, I):
        return False
    if factor_delassus(W, I) < 0:
        return False
    for k in range(1, ORDER + 1):
        hold_order(W, I, k)
    for j in range(N_STATES):
        if VELOCITY[j] >= 0:
            for k in range(1, ORDER + 1):
                W[SERIES + j * WIDTH + k] = W[SERIES + VELOCITY[j] * WIDTH + k - 1] / k
    return True


def hold_order(W: Floats, I: Ints, k: int) -> None:
    """The impulses that make order k of the sliding velocities zero."""
    width = N_CONTACTS + 2
    for i in range(N_CONTACTS):
        left = 0.0
        for j in range(N_STATES):
            left += LEVER[i * N_STATES + j] * W[SERIES + j * WIDTH + k]
        W[MATRIX + i * width + N_CONTACTS] = -left if RIGID[i] == 1 and DRIVEN[i] == 0 else 0.0
    substitute(W, I, count_stuck(I))
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            impulse = W[MATRIX + i * width + N_CONTACTS + 1]
            for j in range(N_STATES):
                W[SERIES + j * WIDTH + k] += W[G + j * N_CONTACTS + i] * impulse


def measure(W: Floats, I: Ints) -> None:
    """The size of the terms that make up each slip acceleration: the measure for its round-off. `ingredients` came
    before."""
    sizes(W, I)
    for i in range(N_CONTACTS):
        total = W[SIZE_A + i]
        for j in range(N_CONTACTS):
            total += abs(W[D + i * N_CONTACTS + j]) * max(W[SIZE_S + j], W[R + j])  # S where R is not a number
        W[SCALE + i] = total


def expand_and_weigh(W: Floats, I: Ints) -> int:
    """The series for the modes that are tried, and what round-off does to the sticking forces; 0 if determined."""
    if expand(W, I) != 0:
        return SINGULAR
    add_up_loads(W, I)
    return 0


def settle(W: Floats, I: Ints) -> int:
    """Choose the modes of all contacts at rest; leaves the series of the next step. 0, SINGULAR or UNDECIDED.

    Where values and derivatives are all so close to zero that round-off makes them contradict each other, more of them
    are taken for zero: the modes are those for the least round-off with which there are any.
    """
    measure(W, I)
    W[BLUR] = NOISE
    while True:
        failed = choose_modes(W, I)
        if failed != UNDECIDED or W[BLUR] >= MOST_BLUR:
            return failed
        W[BLUR] *= 100.0


def choose_modes(W: Floats, I: Ints) -> int:
    """The same for one measure of round-off: contacts at rest stick, unless they are released one by one."""
    for i in range(N_CONTACTS):
        if I[AT_REST + i] == RESTING:
            take_mode(W, I, i, 0)
    for _ in range(4 * count_resting(I) + 4):
        if expand_and_weigh(W, I) != 0:
            break
        contact = most_urgent(W, I)
        if contact < 0:
            if not is_ambiguous(W, I):
                return 0
            break
        if I[MODE + contact] != 0:
            take_mode(W, I, contact, 0)
        else:  # released to the side against which the friction force pushed
            take_mode(W, I, contact, -1 if W[ROW_FORCE + contact * WIDTH] > 0.0 else 1)
    return enumerate_modes(W, I)


def most_urgent(W: Floats, I: Ints) -> int:
    """The contact at rest that wants another mode most; -1 when all are content."""
    urgency = 0.0
    contact = -1
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0 and urgency_of(W, I, i) > urgency:
            urgency = urgency_of(W, I, i)
            contact = i
    return contact


def is_ambiguous(W: Floats, I: Ints) -> bool:
    """Whether other modes may be consistent as well.

    That takes contacts at rest that push each other, one of which is let go, and friction that is larger in stick than
    at the beginning of slip: then one contact may hold because another slips, or the other way round.
    """
    released = False
    drops = False
    coupled = False
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0:
            released = released or I[MODE + i] != 0
            drops = drops or W[R + i] < (1.0 - NOISE) * W[S + i]
            for j in range(N_CONTACTS):
                coupled = coupled or (i != j and I[AT_REST + j] != 0 and W[D + i * N_CONTACTS + j] != 0.0)
    return released and drops and coupled and count_resting(I) <= MOST_TRIED


def enumerate_modes(W: Floats, I: Ints) -> int:
    """Try every combination. Of those that are consistent, the modes are the one in which most contacts stick; among
    several, the one that lets those go that are farthest beyond their limits where all stick. This does not depend on
    the order of contacts.
    """
    failed = UNDECIDED
    resting = count_resting(I)
    combinations = 1
    for _ in range(resting):
        combinations *= 3
    if resting > MOST_TRIED:
        return failed
    for i in range(N_CONTACTS):
        W[EXCESS + i] = 0.0
    for sticking in range(resting, -1, -1):
        best = -1
        most = 0.0
        for code in range(combinations):
            if take_modes(W, I, code) != sticking:
                continue
            if expand_and_weigh(W, I) != 0:
                failed = SINGULAR
                continue
            if sticking == resting:
                note_excess(W, I)
            if most_urgent(W, I) < 0 and (best < 0 or excess_let_go(W, I) > most):
                most = excess_let_go(W, I)
                best = code
        if best >= 0:
            take_modes(W, I, best)
            return expand_and_weigh(W, I)
    return failed


def take_modes(W: Floats, I: Ints, code: int) -> int:
    """Let the contacts at rest try the modes of a combination, given by its number; how many of them stick."""
    sticking = 0
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0:
            take_mode(W, I, i, code % 3 - 1)
            code //= 3
            if I[MODE + i] == 0:
                sticking += 1
    return sticking


def note_excess(W: Floats, I: Ints) -> None:
    """How far each contact is beyond its limit where all at rest stick, as a part of both."""
    for i in range(N_CONTACTS):
        static = W[ROW_STATIC + i * WIDTH]
        force = abs(W[ROW_FORCE + i * WIDTH])
        W[EXCESS + i] = (force - static) / (force + static) if force + static > 0.0 else 0.0


def excess_let_go(W: Floats, I: Ints) -> float:
    """The same, added up over the contacts at rest that slip."""
    total = 0.0
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0 and I[MODE + i] != 0:
            total += W[EXCESS + i]
    return total
