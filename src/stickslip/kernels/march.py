"""The march: step after step, event after event, until the end time, a full record, or a reason to stop."""

from math import isfinite

from stickslip.kernels.bristles import break_bond, breaking, note_bonds, start_bonds
from stickslip.kernels.clock import advance_clock, set_clock, time_left
from stickslip.kernels.machine import latest
from stickslip.kernels.mode import NOISE, RELEASED, RESTING, count_resting, expand, hold_still, settle, take_mode
from stickslip.kernels.model import (
    AT_REST,
    BLUR,
    BRANCH,
    BRANCH_KEPT,
    BRISTLES,
    CONTACT,
    DRAWS,
    DRIVEN,
    END,
    EVALUATIONS,
    EVENTS,
    GAP,
    GUARD,
    GUARD_BRANCH,
    GUARD_STEP,
    GUESS,
    HALT,
    LAST_EVENT,
    LAST_STEP,
    LATE,
    LOAD,
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
    SERIES,
    SIZE_GUARD,
    SIZE_RATE,
    SIZE_S,
    SIZE_V,
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
    Floats,
    G,
    Ints,
    V,
    branches,
    constants,
    ingredients,
    sizes,
)
from stickslip.kernels.outcome import (
    CHATTERING,
    FINISHED,
    INCONSISTENT,
    INDETERMINATE,
    INTERRUPTED,
    NEGATIVE_FRICTION,
    PAUSED,
    STALLED,
    TOO_MANY_STEPS,
)
from stickslip.kernels.polynomial import first_crossing, set_powers, stays_positive, value_at, value_of
from stickslip.kernels.tangent import carry, leap, note_branches

STEP_WIDTH = 2 + N_CONTACTS + (N_STATES + 2 * N_CONTACTS) * (ORDER + 1)
EVENT_WIDTH = 4 + N_STATES
MOST_STOPS = 1000  # immediate ones, by chance
ANEW = 10  # added to the mode before an event: whichever follows begins anew
EPSILON = 2.220446049250313e-16
MOST_SWEEPS = 20  # over contacts that push each other
ACCUMULATED = 10  # rapid events in a row that are no chance
MOST_ROUNDS = 4  # of modes and branches that follow from each other
KEPT_BY = 1e-12  # of the size of its guard: so near to its end a branch is left as it is
GUARD_NOISE = 1e-11  # and so far beyond it may be when a step begins
TOGETHER_BY = 1e-13  # guards that end so close to each other on a step end together
DOUBT = 1e-9  # of the size of what is watched: nearer to zero it says nothing at the beginning of a step
BROKEN = 1e-6  # see `allowance`


def begin(W: Floats, I: Ints) -> int:
    """Modes and series at the start, from the state, time, tolerance, parameters and guess of a step length in W."""
    constants(W)
    W[LATE] = 0.0
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
    ingredients(W, I)
    sizes(W, I)
    for i in range(N_CONTACTS):
        v = W[V + i]
        I[AT_REST + i] = 1 if abs(v) <= 4.0 * EPSILON * W[SIZE_V + i] or UNDAMPED[i] == 1 else 0
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
    W[LAST_STEP] = 0.0
    branches(W, I, 0.0)
    ingredients(W, I)  # with the modes: friction on the wrong side of zero speed may be anything
    I[READY] = 1
    return FINISHED if settle(W, I) == 0 else why_undecided(W, I)


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
    remaining = time_left(W)
    while remaining > 0.0:
        if step_room > 0 and (filled[0] >= step_room or filled[1] + N_CONTACTS > event_room):
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        if latest(I, HALT) != 0:
            return INTERRUPTED
        if I[READY] == 0:
            if expand(W, I) != 0:
                return INDETERMINATE
            if breaks_invariants(W, I):
                return INCONSISTENT
        I[READY] = 0
        I[STEPS] += 1
        h = min(W[NATURAL], remaining)
        if not h > 0.0:
            return STALLED
        impossible = impossible_friction(W, I)
        if impossible != FINISHED:
            return impossible
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
        if hold_still(W, I, tau):
            total = end_state(W, tau)
        if not isfinite(total):
            return STALLED
        if N_DIRECTIONS > 0:
            carry(W, I)
            note_branches(I)
        if step_room > 0:
            # The last step ends at the end time, whatever the second part of the clock says.
            last = x > 1.0 and h == remaining
            remember_step(W, I, W[END] - W[TIME] if last else tau, steps, filled[0])
            filled[0] += 1
        for i in range(N_STATES):
            W[STATE + i] = W[WORK + i]
        if x > 1.0 and h == remaining:
            set_clock(W, W[END])
        else:
            advance_clock(W, tau)
        remaining = time_left(W)
        if tau > 0.0:
            W[LAST_STEP] = tau
        if strays(W, I, tau):
            return INCONSISTENT
        note_rests(W, I, x)
        if x <= 1.0:
            note_lags(W, I, tau)
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
            return why_undecided(W, I)
        if N_DIRECTIONS > 0:
            leap(W, I, guard)
        remember_events(W, I, events, step_room, filled)
    return FINISHED


def why_undecided(W: Floats, I: Ints) -> int:
    """Why no modes were found: a contact pulls; or events have followed each other ever faster, until all that they are
    about is zero; or it is not known."""
    reason = impossible_friction(W, I)
    if reason != FINISHED:
        return reason
    return CHATTERING if I[RAPID] > ACCUMULATED else INDETERMINATE


def impossible_friction(W: Floats, I: Ints) -> int:
    """FINISHED, or why the step cannot be taken: a contact that pulls, or friction that pushes.

    So it is where a formula jumps. What comes down to zero ends a step, and is no more than round-off or the tolerance
    beyond it.
    """
    for g in range(N_WATCHED):
        if W[ROW_GUARD + g * WIDTH] < -DOUBT * W[SIZE_GUARD + g]:
            I[CONTACT] = WATCHED_CONTACT[g]
            return WATCHED_STATUS[g]
    for i in range(N_CONTACTS):
        pushes = I[MODE + i] * W[ROW_FORCE + i * WIDTH] > DOUBT * W[SIZE_S + i]
        if pushes and (N_BONDS == 0 or BRISTLES[i] == 0):
            I[CONTACT] = i
            return NEGATIVE_FRICTION
    return FINISHED


def strays(W: Floats, I: Ints, tau: float) -> bool:
    """Whether the polynomial of a sliding velocity that moves otherwise than the states is not what it should be at the
    end of the step: then its zeros are none."""
    driven = False
    for i in range(N_CONTACTS):
        driven = driven or DRIVEN[i] == 1
    if not driven:
        return False
    ingredients(W, I)
    for i in range(N_CONTACTS):
        row = ROW_V + i * WIDTH
        scale = W[SIZE_V + i] + abs(W[V + i]) + abs(W[row]) + tau * abs(W[row + 1])
        if DRIVEN[i] == 1 and RIGID[i] == 1 and abs(value_at(W, row, tau) - W[V + i]) > allowance(W) * scale:
            return True
    return False


def allowance(W: Floats) -> float:
    """Of what a quantity is made of: so much may no step be off."""
    return max(BROKEN, 1e3 * W[TOLERANCE])


def breaks_invariants(W: Floats, I: Ints) -> bool:
    """Whether the state to which a step without event has led contradicts the modes.

    What slips has kept its direction, and what sticks is held. This is so unless a step was too long for something that
    it did not resolve: then the run must not go on as if nothing were wrong.
    """
    for i in range(N_CONTACTS):
        row = ROW_V + i * WIDTH
        forward = I[MODE + i] * W[row]
        if forward < 0.0:
            motion = -forward + W[GUESS] * abs(W[row + 1]) + NOISE * W[SIZE_V + i]
            if -forward > allowance(W) * motion:
                return True
        if I[MODE + i] == 0 and RIGID[i] == 1:
            static = W[ROW_STATIC + i * WIDTH]
            force = abs(W[ROW_FORCE + i * WIDTH])
            if force > static and force - static > allowance(W) * (force + static + W[LOAD + i]):
                return True
    return False


def end_state(W: Floats, tau: float) -> float:
    """The state at the time tau of the step, into W[WORK]; the sum of its numbers, to see whether they are finite."""
    total = 0.0
    for i in range(N_STATES):
        W[WORK + i] = value_at(W, SERIES + i * WIDTH, tau)
        total += W[WORK + i]
    return total


def note_rests(W: Floats, I: Ints, x: float) -> None:
    """Contacts with v = 0 at the place x of the step: those that stick, and those whose slip ends there."""
    for i in range(N_CONTACTS):
        ends = W[ROOT + i] <= min(x * (1.0 + TOGETHER_BY), 1.0)
        if I[MODE + i] == 0:
            I[AT_REST + i] = RELEASED if ends else RESTING
        else:
            I[AT_REST + i] = RESTING if ends else 0


def note_lags(W: Floats, I: Ints, tau: float) -> None:
    """At an event, contacts that slip so slowly that nobody can tell are at rest as well, and are asked again: they
    were released a moment ago, or stop at the same time. What friction cannot hold (D = 0) is never at rest."""
    for i in range(N_CONTACTS):
        slow = abs(value_at(W, ROW_V + i * WIDTH, tau)) <= NOISE * W[LOAD + i] * W[GUESS]
        if I[AT_REST + i] == 0 and slow and W[D + i * N_CONTACTS + i] != 0.0:
            I[AT_REST + i] = RESTING


def earliest_event(W: Floats, I: Ints, h: float) -> float:
    """Where on the step, in [0, 1], the first guard ends; 2 when none does.

    I[GUARD] becomes -1 for a contact, else the number of a normal force, of the guard of a frozen branch or, after
    those, of a contact with a bristle at its limit.
    """
    earliest = 2.0
    for i in range(N_CONTACTS):
        # Where a contact was at rest when the step began, zeros there are not events: divide them out.
        noise = W[BLUR] * W[LOAD + i] if I[AT_REST + i] != 0 else -1.0
        if I[MODE + i] != 0:
            row = ROW_V + i * WIDTH
            sign = float(I[MODE + i])
            noise *= h
            root = 2.0 if stays_positive(W, row, sign, noise) else crossing_of(W, row, sign, row, 0.0, noise)
        elif N_BONDS > 0 and BRISTLES[i] > 0:
            root = min(breaking(W, i, 1.0), breaking(W, i, -1.0))
        else:
            force = ROW_FORCE + i * WIDTH
            static = ROW_STATIC + i * WIDTH
            root = crossing_of(W, force, -1.0, static, 1.0, noise)
            root = min(root, crossing_of(W, force, 1.0, static, 1.0, noise))
        W[ROOT + i] = root
        earliest = min(earliest, root)
    I[GUARD] = -1
    for g in range(N_WATCHED, N_WATCHED + N_GUARDS):
        root = guard_crossing(W, g)
        if root < earliest:
            earliest = root
            I[GUARD] = g
    for g in range(N_WATCHED):
        root = guard_crossing(W, g)
        if root < earliest:
            earliest = root
            I[GUARD] = branch_ending(W, g, root * h)
    for i in range(N_CONTACTS if N_BONDS > 0 else 0):
        if BRISTLES[i] > 0 and I[MODE + i] != 0:
            root = breaking(W, i, float(I[MODE + i]))
            if root < earliest:
                earliest = root
                I[GUARD] = N_WATCHED + N_GUARDS + i
    return earliest


def branch_ending(W: Floats, watched: int, tau: float) -> int:
    """The frozen branch that ends together with something watched, or else this itself.

    The branch comes first: max(0, N) ends at zero, and is not negative beyond.
    """
    for g in range(N_WATCHED, N_WATCHED + N_GUARDS):
        if abs(value_at(W, ROW_GUARD + g * WIDTH, tau)) <= guard_noise(W, g):
            return g
    return watched


def guard_noise(W: Floats, g: int) -> float:
    """What round-off leaves of a guard that is zero.

    A velocity of zero is so because forces cancel: what they leave, times a step, is no motion.
    """
    return GUARD_NOISE * (W[SIZE_GUARD + g] + max(W[GUESS], W[LAST_STEP]) * W[SIZE_RATE + g])


def guard_crossing(W: Floats, g: int) -> float:
    """Where on the step something watched, or the guard of a frozen branch, turns negative."""
    row = ROW_GUARD + g * WIDTH
    noise = guard_noise(W, g)
    return 2.0 if stays_positive(W, row, 1.0, 0.0) else crossing_of(W, row, 1.0, row, 0.0, noise)


def crossing_of(W: Floats, row: int, sign: float, added: int, weight: float, noise: float) -> float:
    """Where sign·series + weight·another turns negative on the step; leading terms below `noise` are divided out."""
    for k in range(ORDER + 1):
        W[POLYNOMIAL + k] = (sign * W[row + k] + weight * W[added + k]) * W[POWER + k]
    if abs(W[POLYNOMIAL]) <= noise:
        lead = 0
        while lead <= ORDER and abs(W[POLYNOMIAL + lead]) <= noise:
            lead += 1
        if lead > ORDER:
            return 2.0  # it is held at zero
        # What is above zero by no more than round-off, but falls, ends a little later and not at once: a step that is
        # not empty comes nearer to the truth.
        if W[POLYNOMIAL + lead] > 0.0 or W[POLYNOMIAL] <= 0.0:
            for k in range(ORDER + 1):
                W[POLYNOMIAL + k] = W[POLYNOMIAL + k + lead] if k + lead <= ORDER else 0.0
    return first_crossing(W)


def project(W: Floats, I: Ints) -> None:
    """Put v = 0 exactly where a contact is at rest, by the impulse along G that does it.

    Contacts that push each other are put at rest in turn, until none moves, or by no more than round-off of round-off.
    """
    if count_resting(I) == 0:
        return
    ingredients(W, I)
    for _ in range(MOST_SWEEPS):
        moved = False
        for i in range(N_CONTACTS):
            effect = W[D + i * N_CONTACTS + i]
            if I[AT_REST + i] != 0 and RIGID[i] == 1 and effect != 0.0 and W[V + i] != 0.0:
                moved = True
                impulse = -W[V + i] / effect
                for j in range(N_STATES):
                    W[STATE + j] += W[G + j * N_CONTACTS + i] * impulse
                for j in range(N_CONTACTS):
                    W[V + j] = 0.0 if j == i else W[V + j] + W[D + j * N_CONTACTS + i] * impulse
        if not moved:
            break


def change(W: Floats, I: Ints, guard: int) -> int:
    """At an event: move the frozen branch, or choose new modes; 0 when settled."""
    note_state(W, I)
    I[DRAWS] += 1
    if count_resting(I) == 0:  # else `project` has asked for them
        ingredients(W, I)
    for i in range(N_CONTACTS):
        I[SAVED + i] = I[MODE + i]
        if I[AT_REST + i] == RELEASED:  # where the static limit is passed, slip to that side is tried first
            force = ROW_FORCE + i * WIDTH
            take_mode(W, I, i, -1 if value_of(W, force) > 0.0 else 1)
    if guard >= 0:
        number = BRANCH + GUARD_BRANCH[guard - N_WATCHED]
        step = GUARD_STEP[guard - N_WATCHED]
        I[number] = -I[number] if step == 0 else I[number] + step
        # A guard that is not yet at its end, but for the tolerance, takes its branch back: nothing happens before that.
        sizes(W, I)
        branches(W, I, KEPT_BY)
    failed = settle(W, I)
    if N_DRAWS > 0:
        failed = settle_by_chance(W, I, failed)
    if N_BRANCHES > 0:
        failed = settle_branches(W, I, failed)
    I[READY] = 1
    return failed


def settle_branches(W: Floats, I: Ints, failed: int) -> int:
    """Frozen branches that follow from the modes, as the interval of a table does; where one changes, the modes are
    asked again."""
    for _ in range(MOST_ROUNDS):
        if failed != 0:
            break
        for i in range(N_BRANCHES):
            I[BRANCH_KEPT + i] = I[BRANCH + i]
        branches(W, I, KEPT_BY)
        moved = False
        for i in range(N_BRANCHES):
            moved = moved or I[BRANCH + i] != I[BRANCH_KEPT + i]
        if not moved:
            break
        failed = settle(W, I)
    return failed


def settle_by_chance(W: Floats, I: Ints, failed: int) -> int:
    """Where chance allows neither stick nor slip, phases without length follow each other until one lasts.

    A contact that leaves stick for a kinetic friction above its static limit stops again at once; one that comes to
    rest and cannot be held slips again. Each is a new phase, with a new draw; of them all the last change is kept.
    """
    for attempt in range(MOST_STOPS):
        if failed == 0:
            break
        I[DRAWS] += 1 if attempt > 0 else 0  # first, on to the side from which it came, with a draw not yet used
        for i in range(N_CONTACTS):
            begins = abs(I[SAVED + i]) == 1
            if I[AT_REST + i] == RELEASED and attempt > 0:
                I[AT_REST + i] = RESTING
                begins = True
            if I[AT_REST + i] == RESTING and begins:
                I[SAVED + i] += ANEW
        failed = settle(W, I)
    for i in range(N_CONTACTS):
        if I[SAVED + i] >= ANEW - 1:
            I[SAVED + i] = mode_before(I[SAVED + i] - ANEW, I[MODE + i], W[ROW_FORCE + i * WIDTH])
    return failed


def mode_before(first: int, last: int, force: float) -> int:
    """The mode before the last of several changes at one time, from that before the first."""
    if first != last:
        return first
    if last != 0:
        return 0
    return -1 if force > 0.0 else 1


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
