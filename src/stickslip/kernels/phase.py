"""The flow of one phase: all modes held for a given time, whatever the guards of the contacts say.

An orbit with known phases is found phase by phase; while it is sought, a phase may be a little too long, or even have a
negative duration. Only frozen branches end steps here, since they are part of the equations.
"""

from math import copysign, isfinite

from stickslip.kernels.clock import advance_clock
from stickslip.kernels.march import KEPT_BY, crossing_of, guard_noise
from stickslip.kernels.mode import expand, hold_still, measure
from stickslip.kernels.model import (
    AT_REST,
    BRANCH,
    DIRECTIONS,
    EVALUATIONS,
    GUARD_BRANCH,
    GUARD_STEP,
    LAST_STEP,
    LATE,
    MODE,
    N_BRANCHES,
    N_CONTACTS,
    N_GUARDS,
    N_STATES,
    N_WATCHED,
    NATURAL,
    ROW_GUARD,
    SAVED,
    SERIES,
    STATE,
    TANGENT,
    VARIATION,
    VARIED,
    WIDTH,
    WORK,
    Floats,
    Ints,
    branches,
    constants,
    ingredients,
    tangent,
)
from stickslip.kernels.outcome import FINISHED, INDETERMINATE, STALLED, TOO_MANY_STEPS
from stickslip.kernels.polynomial import set_powers, value_of
from stickslip.kernels.tangent import carry, leap, note_branches


def flow(W: Floats, I: Ints, duration: float, most_steps: int) -> int:
    """Advance state and directions by `duration` in the modes given; leaves the series at the end. A status."""
    constants(W)
    W[LATE] = 0.0
    W[LAST_STEP] = 0.0
    I[EVALUATIONS] = 0
    for i in range(N_CONTACTS):
        I[AT_REST + i] = 1 if I[MODE + i] == 0 else 0
    for i in range(N_BRANCHES):
        I[BRANCH + i] = 0
    branches(W, I, 0.0)
    ingredients(W, I)
    measure(W, I)
    left = duration
    if expand(W, I) != 0:
        return INDETERMINATE
    for _ in range(most_steps):
        if left == 0.0:
            return FINISHED
        h = copysign(min(W[NATURAL], abs(left)), left)
        if not abs(h) > 0.0:
            return STALLED
        set_powers(W, h)
        guard = first_guard(W)
        tau = h * W[WORK] if guard >= 0 else h
        set_powers(W, tau)
        hold_still(W, I, tau)
        total = 0.0
        for i in range(N_STATES):
            W[WORK + i] = value_of(W, SERIES + i * WIDTH)
            total += W[WORK + i]
        if not isfinite(total):
            return STALLED
        carry(W, I)
        for i in range(N_STATES):
            W[STATE + i] = W[WORK + i]
        advance_clock(W, tau)
        W[LAST_STEP] = abs(tau)
        left = 0.0 if tau == left else left - tau
        if guard >= 0:
            pass_branch(W, I, guard)
        elif expand(W, I) != 0:
            return INDETERMINATE
    return TOO_MANY_STEPS


def first_guard(W: Floats) -> int:
    """The frozen branch that ends first on the step, and where at W[WORK]; -1 if none does."""
    found = -1
    earliest = 2.0
    for g in range(N_WATCHED, N_WATCHED + N_GUARDS):
        row = ROW_GUARD + g * WIDTH
        root = crossing_of(W, row, 1.0, row, 0.0, guard_noise(W, g))
        if root < earliest:
            earliest = root
            found = g
    W[WORK] = earliest
    return found if earliest <= 1.0 else -1


def pass_branch(W: Floats, I: Ints, guard: int) -> None:
    """Move a frozen branch, and every direction with it."""
    note_branches(I)
    number = BRANCH + GUARD_BRANCH[guard - N_WATCHED]
    step = GUARD_STEP[guard - N_WATCHED]
    I[number] = -I[number] if step == 0 else I[number] + step
    ingredients(W, I)
    measure(W, I)
    branches(W, I, KEPT_BY)
    for i in range(N_CONTACTS):
        I[SAVED + i] = I[MODE + i]
    leap(W, I, guard)


def end_variations(W: Floats, I: Ints, out: Floats) -> None:
    """For every direction the value and the rate of each varied row (δz, δv, δλ, δS) at the present point."""
    rows = N_STATES + 3 * N_CONTACTS
    for d in range(I[DIRECTIONS]):
        tangent(W, I, VARIATION + d * N_STATES, I[VARIED + d])
        for r in range(rows):
            out[(d * rows + r) * 2] = W[TANGENT + r * WIDTH]
            out[(d * rows + r) * 2 + 1] = W[TANGENT + r * WIDTH + 1]
