"""The march: step after step, event after event, until the end time, a full record, or a reason to stop."""

from math import isfinite

from stickslip.kernels.bristles import break_bond, breaking, note_bonds, start_bonds
from stickslip.kernels.mode import NOISE, RELEASED, RESTING, count_resting, expand, settle, take_mode
from stickslip.kernels.model import (
    AT_REST,
    BRANCH,
    BRISTLES,
    CONTACT,
    DRAWS,
    END,
    EVALUATIONS,
    EVENTS,
    FULL,
    GAP,
    GUARD,
    GUARD_BRANCH,
    GUARD_STEP,
    HALVINGS,
    HIDES,
    LAST_EVENT,
    MODE,
    N_BONDS,
    N_BRANCHES,
    N_CONTACTS,
    N_DIRECTIONS,
    N_DRAWS,
    N_GUARDS,
    N_RESETS,
    N_STATES,
    N_WATCHED,
    NATURAL,
    ORDER,
    POLYNOMIAL,
    POWER,
    RAPID,
    READY,
    RIGID,
    ROOT,
    ROW_FORCE,
    ROW_GUARD,
    ROW_STATIC,
    ROW_V,
    SAVED,
    SCALE,
    SERIES,
    STATE,
    STATE_BEFORE,
    STEPS,
    TIME,
    TOLERANCE,
    UNDAMPED,
    WATCHED_CONTACT,
    WATCHED_STATUS,
    WIDTH,
    WORK,
    A,
    D,
    F,
    Floats,
    G,
    Ints,
    R,
    S,
    V,
    branches,
    constants,
    ingredients,
)
from stickslip.kernels.polynomial import first_crossing, rate_of, set_powers, stays_positive, value_at, value_of
from stickslip.kernels.tangent import carry, leap, note_branches

FINISHED, PAUSED, INDETERMINATE, CHATTERING, LIFT_OFF, NEGATIVE_FRICTION, STALLED, TOO_MANY_STEPS = range(8)
STEP_WIDTH = 2 + N_CONTACTS + (N_STATES + 2 * N_CONTACTS) * (ORDER + 1)
EVENT_WIDTH = 4 + N_STATES
TRUSTED = -1
MOST_STOPS = 1000  # immediate ones, by chance
LOOKS = 8  # points of a step at which equations with hidden features are asked again


def begin(W: Floats, I: Ints) -> int:
    """Modes and series at the start, from the state, time, tolerance, parameters and guess of a step length in W."""
    constants(W)
    largest = 0.0
    for i in range(N_STATES):
        largest = max(largest, abs(W[STATE + i]))
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
    ingredients(W, I)
    for i in range(N_CONTACTS):
        v = W[V + i]
        I[AT_REST + i] = 1 if abs(v) <= 1e-15 * largest or UNDAMPED[i] == 1 else 0
        # An elastic asperity slips to the side from which its spring and damper pull it: a = −T.
        side = v if RIGID[i] == 1 or (N_BONDS > 0 and BRISTLES[i] > 0) else W[A + i]
        I[MODE + i] = 0 if I[AT_REST + i] != 0 else (1 if side > 0.0 else -1)
        I[SAVED + i] = I[MODE + i]
    if N_BONDS > 0:
        start_bonds(W, I)
    note_state(W, I)
    for i in range(N_BRANCHES):
        I[BRANCH + i] = 0
    I[STEPS] = 0
    I[EVENTS] = 0
    I[RAPID] = 0
    I[DRAWS] = 0
    I[EVALUATIONS] = 0
    W[GAP] = 0.0
    W[LAST_EVENT] = W[TIME]
    branches(W, I, 0.0)
    I[READY] = 1
    return FINISHED if settle(W, I) == 0 else INDETERMINATE


def note_state(W: Floats, I: Ints) -> None:
    """Remember the state before an event, for contacts whose internal states jump."""
    if N_RESETS > 0:
        for i in range(N_STATES):
            W[STATE_BEFORE + i] = W[STATE + i]
    if N_BONDS > 0:
        note_bonds(W, I)


def march(
    W: Floats, I: Ints, most_steps: int, steps: Floats, events: Floats, step_room: int, event_room: int, filled: Ints
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping.

    Rows of `steps`: start, length, modes, series of states, sliding velocities and forces. Rows of `events`: time,
    contact, mode before and after, state. `filled` counts both; with no room for steps nothing is kept.
    """
    while W[TIME] < W[END]:
        if step_room > 0 and (filled[0] >= step_room or filled[1] + N_CONTACTS > event_room):
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        if I[READY] == 0 and expand(W, I) != 0:
            return INDETERMINATE
        I[READY] = 0
        I[STEPS] += 1
        remaining = W[END] - W[TIME]
        h = min(W[NATURAL], remaining)
        if not h > 0.0:
            return STALLED
        for i in range(N_CONTACTS):
            if I[MODE + i] * W[ROW_FORCE + i * WIDTH] > 0.0 and (N_BONDS == 0 or BRISTLES[i] == 0):
                I[CONTACT] = i
                return NEGATIVE_FRICTION
        # The state after the whole step comes first: the next step waits for it, and events are rare.
        total = end_state(W, h)
        set_powers(W, h)
        x = earliest_event(W, I, h)
        guard = I[GUARD]
        tau = h
        if x <= 1.0:
            tau = h * x
            set_powers(W, tau)
            total = end_state(W, tau)
        if not isfinite(total):
            return STALLED
        if HIDES > 0 and tau > 0.0 and I[HALVINGS] != TRUSTED:
            if I[HALVINGS] == 0:
                W[FULL] = W[NATURAL]
            if I[HALVINGS] > 0 and stands_still(W):
                # Halved down to round-off: it is round-off that disagrees, and the full step may be trusted.
                W[NATURAL] = W[FULL]
                I[HALVINGS] = TRUSTED
                I[READY] = 1
                continue
            if overlooks(W, I, tau):
                W[NATURAL] = 0.5 * tau
                I[HALVINGS] += 1
                I[READY] = 1
                continue
        if N_DIRECTIONS > 0:
            carry(W, I)
            note_branches(I)
        if step_room > 0:
            remember_step(W, I, tau, steps, filled[0])
            filled[0] += 1
        for i in range(N_STATES):
            W[STATE + i] = W[WORK + i]
        W[TIME] = W[END] if x > 1.0 and h == remaining else W[TIME] + tau
        note_rests(W, I, x)
        project(W, I)
        if x > 1.0:
            for i in range(N_CONTACTS):
                I[AT_REST + i] = 0
            continue
        if N_BONDS > 0 and guard >= N_WATCHED + N_GUARDS:
            break_bond(W, I, guard - N_WATCHED - N_GUARDS)
            for i in range(N_CONTACTS):
                I[AT_REST + i] = 0
            continue
        if 0 <= guard < N_WATCHED:
            I[CONTACT] = WATCHED_CONTACT[guard]
            return WATCHED_STATUS[guard]
        gap = W[TIME] - W[LAST_EVENT]
        W[LAST_EVENT] = W[TIME]
        W[GAP] = max(W[GAP], gap)
        I[RAPID] = I[RAPID] + 1 if gap <= 1e-9 * W[GAP] else 0
        if I[RAPID] > 50 + 10 * N_CONTACTS:
            return CHATTERING
        if change(W, I, guard) != 0:
            return INDETERMINATE
        if N_DIRECTIONS > 0:
            leap(W, I, guard)
        remember_events(W, I, events, step_room, filled)
    return FINISHED


def end_state(W: Floats, tau: float) -> float:
    """The state at the time tau of the step, into W[WORK]; the sum of its numbers, to see whether they are finite."""
    total = 0.0
    for i in range(N_STATES):
        W[WORK + i] = value_at(W, SERIES + i * WIDTH, tau)
        total += W[WORK + i]
    return total


def stands_still(W: Floats) -> bool:
    """Whether the step does not move the state at all."""
    for i in range(N_STATES):
        if W[WORK + i] != W[STATE + i]:
            return False
    return True


def overlooks(W: Floats, I: Ints, tau: float) -> bool:
    """Whether the equations contradict the series somewhere on the step.

    A function such as exp(−|v|/v_s) is so small far from rest that a series made there does not feel it, although the
    step passes by where it matters. So the equations are asked again at several points of the step.
    """
    start = W[TIME]
    for i in range(N_STATES):
        W[WORK + N_STATES + i] = W[STATE + i]
    wrong = False
    point = LOOKS
    while point > 0 and not wrong:  # the end first, where such functions wake up most often
        set_powers(W, tau * point / LOOKS)
        for i in range(N_STATES):
            W[STATE + i] = value_of(W, SERIES + i * WIDTH)
        W[TIME] = start + tau * point / LOOKS
        wrong = contradicts(W, I)
        point -= 1
    set_powers(W, tau)
    for i in range(N_STATES):
        W[STATE + i] = W[WORK + N_STATES + i]
    W[TIME] = start
    return wrong


def contradicts(W: Floats, I: Ints) -> bool:
    """Whether the rates of the series differ from those of the equations at the present point of the step."""
    ingredients(W, I)
    for i in range(N_STATES):
        rate = W[F + i]
        size = abs(rate)
        for j in range(N_CONTACTS):
            mode = I[MODE + j]
            force = -mode * W[R + j] if mode != 0 else value_of(W, ROW_FORCE + j * WIDTH)
            rate += W[G + i * N_CONTACTS + j] * force
            size += abs(W[G + i * N_CONTACTS + j]) * W[S + j]
        if abs(rate_of(W, SERIES + i * WIDTH) - rate) > 1e3 * W[TOLERANCE] * size:
            return True
    return False


def note_rests(W: Floats, I: Ints, x: float) -> None:
    """Contacts with v = 0 at the place x of the step: those that stick, and those whose slip ends there."""
    for i in range(N_CONTACTS):
        ends = W[ROOT + i] <= min(x * (1.0 + 1e-13), 1.0)
        if I[MODE + i] == 0:
            I[AT_REST + i] = RELEASED if ends else RESTING
        else:
            I[AT_REST + i] = RESTING if ends else 0


def earliest_event(W: Floats, I: Ints, h: float) -> float:
    """Where on the step, in [0, 1], the first guard ends; 2 when none does.

    I[GUARD] becomes -1 for a contact, else the number of a normal force, of the guard of a frozen branch or, after
    those, of a contact with a bristle at its limit.
    """
    earliest = 2.0
    for i in range(N_CONTACTS):
        # Where a contact was at rest when the step began, zeros there are not events: divide them out.
        noise = NOISE if I[AT_REST + i] != 0 else -1.0
        if I[MODE + i] != 0:
            row = ROW_V + i * WIDTH
            sign = float(I[MODE + i])
            noise *= W[SCALE + i] * h
            root = 2.0 if stays_positive(W, row, sign, noise) else crossing_of(W, row, sign, row, 0.0, noise)
        elif N_BONDS > 0 and BRISTLES[i] > 0:
            root = min(breaking(W, i, 1.0), breaking(W, i, -1.0))
        else:
            force = ROW_FORCE + i * WIDTH
            static = ROW_STATIC + i * WIDTH
            noise *= W[static] + abs(W[force])
            root = crossing_of(W, force, -1.0, static, 1.0, noise)
            root = min(root, crossing_of(W, force, 1.0, static, 1.0, noise))
        W[ROOT + i] = root
        earliest = min(earliest, root)
    I[GUARD] = -1
    for g in range(N_WATCHED + N_GUARDS):
        row = ROW_GUARD + g * WIDTH
        noise = NOISE * size_of_state(W)
        root = 2.0 if stays_positive(W, row, 1.0, noise) else crossing_of(W, row, 1.0, row, 0.0, noise)
        if root < earliest:
            earliest = root
            I[GUARD] = g
    for i in range(N_CONTACTS if N_BONDS > 0 else 0):
        if BRISTLES[i] > 0 and I[MODE + i] != 0:
            root = breaking(W, i, float(I[MODE + i]))
            if root < earliest:
                earliest = root
                I[GUARD] = N_WATCHED + N_GUARDS + i
    return earliest


def size_of_state(W: Floats) -> float:
    """One, or the largest state: the measure for the round-off of what guards a frozen branch."""
    largest = 1.0
    for i in range(N_STATES):
        largest = max(largest, abs(W[STATE + i]))
    return largest


def crossing_of(W: Floats, row: int, sign: float, added: int, weight: float, noise: float) -> float:
    """Where sign·series + weight·another turns negative on the step; leading terms below `noise` are divided out."""
    for k in range(ORDER + 1):
        W[POLYNOMIAL + k] = (sign * W[row + k] + weight * W[added + k]) * W[POWER + k]
    if abs(W[POLYNOMIAL]) <= noise:
        lead = 0
        while lead <= ORDER and abs(W[POLYNOMIAL + lead]) <= noise:
            lead += 1
        for k in range(ORDER + 1):
            W[POLYNOMIAL + k] = W[POLYNOMIAL + k + lead] if k + lead <= ORDER else 0.0
    return first_crossing(W)


def project(W: Floats, I: Ints) -> None:
    """Put v = 0 exactly where a contact is at rest, by the impulse along G that does it."""
    if count_resting(I) == 0:
        return
    ingredients(W, I)
    for _ in range(2):
        for i in range(N_CONTACTS):
            effect = W[D + i * N_CONTACTS + i]
            if I[AT_REST + i] != 0 and RIGID[i] == 1 and effect != 0.0 and W[V + i] != 0.0:
                impulse = -W[V + i] / effect
                for j in range(N_STATES):
                    W[STATE + j] += W[G + j * N_CONTACTS + i] * impulse
                for j in range(N_CONTACTS):
                    W[V + j] += W[D + j * N_CONTACTS + i] * impulse


def change(W: Floats, I: Ints, guard: int) -> int:
    """At an event: move the frozen branch, or choose new modes; 0 when settled."""
    note_state(W, I)
    I[DRAWS] += 1
    for i in range(N_CONTACTS):
        I[SAVED + i] = I[MODE + i]
        if I[AT_REST + i] == RELEASED:  # where the static limit is passed, slip to that side is tried first
            force = ROW_FORCE + i * WIDTH
            take_mode(W, I, i, -1 if value_of(W, force) > 0.0 else 1)
    if guard >= 0:
        number = BRANCH + GUARD_BRANCH[guard - N_WATCHED]
        step = GUARD_STEP[guard - N_WATCHED]
        I[number] = -I[number] if step == 0 else I[number] + step
    failed = settle(W, I)
    if N_DRAWS > 0:
        failed = settle_by_chance(W, I, failed)
    if failed == 0 and N_BRANCHES > 0:
        branches(W, I, 10.0 * NOISE * size_of_state(W))
        failed = expand(W, I)
    I[READY] = 1
    return failed


def settle_by_chance(W: Floats, I: Ints, failed: int) -> int:
    """Where a contact would leave stick for a kinetic friction above its static limit, it stops again at once.

    Each such stop is a new phase of stick, with a new draw.
    """
    for _ in range(MOST_STOPS):
        if failed == 0:
            break
        I[DRAWS] += 1
        for i in range(N_CONTACTS):
            if I[AT_REST + i] == RELEASED:
                I[AT_REST + i] = RESTING
                I[SAVED + i] = -1 if W[ROW_FORCE + i * WIDTH] > 0.0 else 1
        failed = settle(W, I)
    return failed


def remember_step(W: Floats, I: Ints, tau: float, steps: Floats, row: int) -> None:
    """Keep the modes and polynomials of the step."""
    place = row * STEP_WIDTH
    steps[place] = W[TIME]
    steps[place + 1] = tau
    for i in range(N_CONTACTS):
        steps[place + 2 + i] = I[MODE + i]
    place += 2 + N_CONTACTS
    for i in range(N_STATES + 2 * N_CONTACTS):
        for k in range(ORDER + 1):
            steps[place + k] = W[SERIES + i * WIDTH + k]
        place += ORDER + 1


def remember_events(W: Floats, I: Ints, events: Floats, step_room: int, filled: Ints) -> None:
    """Keep every change of mode."""
    for i in range(N_CONTACTS):
        if I[MODE + i] != I[SAVED + i]:
            I[EVENTS] += 1
            if step_room > 0:
                remember_event(W, I, i, events, filled[1])
                filled[1] += 1


def remember_event(W: Floats, I: Ints, contact: int, events: Floats, row: int) -> None:
    """Keep time, contact, mode before and after, and state."""
    place = row * EVENT_WIDTH
    events[place] = W[TIME]
    events[place + 1] = contact
    events[place + 2] = I[SAVED + contact]
    events[place + 3] = I[MODE + contact]
    for i in range(N_STATES):
        events[place + 4 + i] = W[STATE + i]
