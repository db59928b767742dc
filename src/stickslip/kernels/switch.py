"""Leine's switch model: slip, stick and the transition between them as one ordinary differential equation.

Leine, van Campen, de Kraker, van den Steen (1998), Sec. 5, for any number of contacts. A contact slips where |v| > η.
Inside that band it sticks, v̇ = −v/τ, as long as the force λ that holds it (v̇ = 0) stays below its static limit S;
beyond, it is in transition to slip with λ = ±S. `field` is that right-hand side. It is integrated by the Runge–Kutta
pair of Dormand and Prince, 5(4), with its dense output of degree 4: the record needs ORDER = 4.
"""

from math import inf, isfinite, sqrt

import numpy as np

from stickslip.kernels.linear import factor, substitute
from stickslip.kernels.march import remember_event, remember_step
from stickslip.kernels.model import (
    AT_REST,
    CONTACT,
    END,
    EVALUATIONS,
    EVENTS,
    MATRIX,
    MODE,
    N_CONTACTS,
    N_RESETS,
    N_STATES,
    NATURAL,
    ORDER,
    OWNER,
    ROOT,
    ROW_FORCE,
    ROW_V,
    SAVED,
    SERIES,
    STATE,
    STEPS,
    TIME,
    TOLERANCE,
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
    constants,
    ingredients,
)
from stickslip.kernels.outcome import FINISHED, INDETERMINATE, PAUSED, STALLED, TOO_MANY_STEPS
from stickslip.kernels.reach import spread
from stickslip.kernels.watch import impossible

STAGES = 7
DONE, UNDETERMINED, OUTSIDE = 0, 1, 2  # how the stages of a step went
NODE_TIME = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
TABLEAU = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0, 0.0],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0],
    ]
).ravel()
ERROR = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
DENSE = np.array(
    [
        [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
).ravel()
"""Dormand and Prince (1980); the step as a polynomial in θ from Shampine (1986): y0 + h Σ k_s DENSE[s] (θ, …, θ⁴)."""

SAMPLES = 5
SAMPLE = (1.0 - np.cos((2.0 * np.arange(SAMPLES) + 1.0) * np.pi / (2 * SAMPLES))) / 2
"""Where v and λ are sampled in a step for their polynomials: inside it, since λ jumps where modes change."""

FITTED = np.linalg.inv(np.vander(SAMPLE, SAMPLES, increasing=True)).ravel()

ETA, ABSOLUTE, BEGAN, CEILING, FORGETTING = WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 4
CENTRING = WORK + 8
SPEED = CENTRING + N_CONTACTS
FORCE = SPEED + N_CONTACTS
AFTER = FORCE + N_CONTACTS
BEFORE = AFTER + N_CONTACTS
SAMPLED = BEFORE + N_CONTACTS
HERE = SAMPLED + 2 * SAMPLES * N_CONTACTS
ORIGIN = HERE + N_STATES
NEXT = ORIGIN + N_STATES
LARGEST = NEXT + N_STATES
REACH = LARGEST + N_STATES
SCRATCH = REACH + N_STATES
STAGE = SCRATCH + 2 * N_STATES
HOLDING = STAGE + STAGES * N_STATES
"""In W: η, absolute tolerance, start and longest length of the step, rate at which stick times are forgotten; per
contact 1/τ, v, λ, the mode after the step, v before it, samples; per state: before centring, at both ends of the step,
its largest value so far, its reach (see `reach.py`), scratch, rates of all stages; forces of all stages."""


# -- the right-hand side -----------------------------------------------------------------------------------------


def field(W: Floats, I: Ints, rate: int) -> int:
    """ż at the present state and time to W[rate…]; modes to MODE, forces to FORCE; 0 if they are determined."""
    ingredients(W, I)
    stale = 0
    inside = 0
    for i in range(N_CONTACTS):
        v = W[V + i]
        W[SPEED + i] = v
        side = 0 if abs(v) <= W[ETA] else (1 if v > 0.0 else -1)
        if side == 0:
            inside += 1
        elif I[MODE + i] != side:
            stale = 1
        I[AT_REST + i] = 1 if side == 0 else 0
        I[MODE + i] = side
    if stale != 0:  # R is a function of s·v, and was computed with another s
        ingredients(W, I)
    set_slip_forces(W, I)
    failed = hold(W, I) if inside > 0 else 0
    for i in range(N_STATES):
        total = W[F + i]
        for j in range(N_CONTACTS):
            total += W[G + i * N_CONTACTS + j] * W[FORCE + j]
        W[rate + i] = total
    if N_RESETS > 0:
        forget(W, I, rate)
    if inside > 0:
        centre(W, I, rate)
    return failed


def forget(W: Floats, I: Ints, rate: int) -> None:
    """Where no event resets it, the stick time of a contact that slips dies out instead."""
    for i in range(N_STATES):
        contact = OWNER[i]
        if contact >= 0 and I[MODE + contact] != 0:
            W[rate + i] = -W[FORGETTING] * W[STATE + i]


def set_slip_forces(W: Floats, I: Ints) -> None:
    """λ of all contacts that do not stick: −s R in slip, −s S in transition to the side s."""
    for i in range(N_CONTACTS):
        limit = W[S + i] if I[AT_REST + i] != 0 else W[R + i]
        W[FORCE + i] = -float(I[MODE + i]) * limit


def hold(W: Floats, I: Ints) -> int:
    """Forces of the contacts inside the band: hold all of them, and let go whichever that asks too much of.

    Leaves the ingredients at the state with v = 0 where a contact sticks. What is integrated is then the motion of the
    system that sticks exactly, ẋ = v_belt, and the v that remains does not add up to a drift of the positions.
    """
    for i in range(N_STATES):
        W[HERE + i] = W[STATE + i]
    failed = 0
    for _ in range(4 * N_CONTACTS + 4):
        stuck = holding_forces(W, I)
        if stuck < 0:
            failed = 1
            break
        contact = least_content(W, I)
        if contact < 0:
            break
        if I[MODE + contact] != 0:
            I[MODE + contact] = 0
        else:
            I[MODE + contact] = -1 if W[FORCE + contact] > 0.0 else 1
    for i in range(N_STATES):
        W[STATE + i] = W[HERE + i]
    return failed


def holding_forces(W: Floats, I: Ints) -> int:
    """λ with v̇ = 0 for the contacts of mode 0, at the state with their v = 0; their number, or -1 if singular."""
    for i in range(N_STATES):
        W[STATE + i] = W[HERE + i]
    stuck = factor_of_held(W, I)
    if stuck > 0:
        for i in range(N_CONTACTS):
            W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS] = -W[SPEED + i]
        substitute(W, I, stuck)
        for j in range(N_CONTACTS):
            if I[MODE + j] == 0:
                impulse = W[MATRIX + j * (N_CONTACTS + 2) + N_CONTACTS + 1]
                for i in range(N_STATES):
                    W[STATE + i] += W[G + i * N_CONTACTS + j] * impulse
    if stuck < 0:
        return stuck
    ingredients(W, I)
    set_slip_forces(W, I)
    stuck = factor_of_held(W, I)
    if stuck > 0:
        for i in range(N_CONTACTS):
            W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS] = -acceleration(W, i)
        substitute(W, I, stuck)
        for i in range(N_CONTACTS):
            if I[MODE + i] == 0:
                W[FORCE + i] = W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS + 1]
    return stuck


def factor_of_held(W: Floats, I: Ints) -> int:
    """Factor the part of D that belongs to contacts of mode 0; their number, or -1 if it is singular."""
    for i in range(N_CONTACTS):
        for j in range(N_CONTACTS):
            W[MATRIX + i * (N_CONTACTS + 2) + j] = W[D + i * N_CONTACTS + j]
    return factor(W, I)


def acceleration(W: Floats, i: int) -> float:
    """v̇ of contact i under the present forces."""
    total = W[A + i]
    for j in range(N_CONTACTS):
        total += W[D + i * N_CONTACTS + j] * W[FORCE + j]
    return total


def least_content(W: Floats, I: Ints) -> int:
    """The contact in the band that wants another mode most: first those held beyond S, then those let go in vain."""
    urgency = 0.0
    contact = -1
    for i in range(N_CONTACTS):
        if I[AT_REST + i] != 0:
            wish = 0.0
            if I[MODE + i] == 0:
                excess = abs(W[FORCE + i]) - W[S + i]
                wish = 1.0 + excess / (abs(W[FORCE + i]) + abs(W[S + i])) if excess > 0.0 else 0.0
            elif N_CONTACTS > 1:
                gain = acceleration(W, i) * float(I[MODE + i])
                wish = 0.5 if gain < -1e-12 * abs(W[D + i * N_CONTACTS + i] * W[S + i]) else 0.0
            if wish > urgency:
                urgency = wish
                contact = i
    return contact


def centre(W: Floats, I: Ints, rate: int) -> None:
    """Add to ż what makes v̇ = −v/τ of the sticking contacts. The factors of D are those that `hold` left."""
    stuck = 0
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            stuck += 1
            W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS] = -W[SPEED + i] * W[CENTRING + i]
    if stuck == 0:
        return
    substitute(W, I, stuck)
    for j in range(N_CONTACTS):
        if I[MODE + j] == 0:
            force = W[MATRIX + j * (N_CONTACTS + 2) + N_CONTACTS + 1]
            for i in range(N_STATES):
                W[rate + i] += W[G + i * N_CONTACTS + j] * force


def set_centring(W: Floats, I: Ints) -> None:
    """1/τ of every contact, from how its velocity answers an impulse on itself: v̈ + α v̇ + v/τ² = 0 at the start.

    That gives √(k/m) for a block on a spring, damped or not. With no time scale of its own, a tenth of the run is τ.
    """
    for i in range(N_STATES):
        W[HERE + i] = W[STATE + i]
    for contact in range(N_CONTACTS):
        ingredients(W, I)
        answer = W[D + contact * N_CONTACTS + contact]
        for i in range(N_STATES):
            W[STAGE + i] = W[G + i * N_CONTACTS + contact]
        first = slope_along(W, I, contact)
        second = slope_along(W, I, contact)
        square = 0.0
        if answer != 0.0:
            square = abs((first / answer) * (first / answer) - second / answer)
        slowest = 10.0 / (W[END] - W[TIME]) if W[END] > W[TIME] else 0.0
        W[CENTRING + contact] = max(sqrt(square), slowest)


def slope_along(W: Floats, I: Ints, contact: int) -> float:
    """The derivative of the slip acceleration a along W[STAGE…], which is replaced by the derivative of f along it."""
    size = 0.0
    length = 0.0
    for i in range(N_STATES):
        size = max(size, abs(W[HERE + i]))
        length = max(length, abs(W[STAGE + i]))
    for i in range(N_CONTACTS):
        size = max(size, abs(W[V + i]))
    if length == 0.0:
        return 0.0
    step = 1e-4 * (size if size > 0.0 else 1.0) / length
    slope = 0.0
    for i in range(N_STATES):
        W[SCRATCH + i] = 0.0
    for side in range(-1, 2, 2):
        weight = float(side) / (2.0 * step)
        for i in range(N_STATES):
            W[STATE + i] = W[HERE + i] + float(side) * step * W[STAGE + i]
        ingredients(W, I)
        slope += weight * W[A + contact]
        for i in range(N_STATES):
            W[SCRATCH + i] += weight * W[F + i]
    for i in range(N_STATES):
        W[STAGE + i] = W[SCRATCH + i]
        W[STATE + i] = W[HERE + i]
    return slope


# -- its integration ---------------------------------------------------------------------------------------------


def prepare(W: Floats, I: Ints) -> None:
    """Everything that does not change along the run: constants, and the time scales of the contacts."""
    constants(W)
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
    ingredients(W, I)
    set_centring(W, I)


def begin(W: Floats, I: Ints) -> int:
    """Modes, rates and a first step length at the start, from the state, time, tolerances and parameters in W."""
    prepare(W, I)
    I[STEPS] = 0
    I[EVENTS] = 0
    I[EVALUATIONS] = 1
    W[CEILING] = 1e300
    failed = field(W, I, STAGE)
    note_holding(W, I, 0)
    for i in range(N_CONTACTS):
        W[BEFORE + i] = W[SPEED + i]
    position = 0.0
    motion = 0.0
    for i in range(N_STATES):
        W[LARGEST + i] = abs(W[STATE + i])
        if OWNER[i] >= 0:  # a stick time begins at zero: it is measured against the time scale of its contact
            W[LARGEST + i] = max(W[LARGEST + i], 1.0 / W[CENTRING + OWNER[i]])
        position = max(position, abs(W[STATE + i]))
        motion = max(motion, abs(W[STAGE + i]))
    whole = W[END] - W[TIME]
    W[NATURAL] = min(0.01 * position / motion, whole) if position > 0.0 and motion > 0.0 else 1e-6 * whole
    return INDETERMINATE if failed != 0 else FINISHED


def integrate(
    W: Floats, I: Ints, most_steps: int, steps: Floats, events: Floats, step_room: int, event_room: int, filled: Ints
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    while W[TIME] < W[END]:
        if step_room > 0 and (filled[0] + 2 > step_room or filled[1] + N_CONTACTS > event_room):
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        W[BEGAN] = W[TIME]
        for i in range(N_STATES):
            W[ORIGIN + i] = W[STATE + i]
        for i in range(N_CONTACTS):
            I[SAVED + i] = I[MODE + i]
        status = step(W, I)
        if status != FINISHED:
            return status
        I[STEPS] += 1
        status = bad_friction(W, I)
        if status != FINISHED:
            return status
        finish_step(W, I, steps, events, step_room, filled)
    return FINISHED


def step(W: Floats, I: Ints) -> int:
    """One step whose estimated error is within tolerance; near a switch the length shrinks until it is.

    Stick ends through a transition. A stage that finds a sticking contact outside the band, where the step began in
    stick, shows that the step is too long for the band: that happens where the surface v = 0 is curved, as on a belt
    whose speed changes. Steps may then grow again, but slowly. Nor may a step jump over the band.
    """
    remaining = W[END] - W[BEGAN]
    growth = 10.0
    while True:
        h = min(min(W[NATURAL], W[CEILING]), remaining)
        if not W[BEGAN] + h > W[BEGAN]:
            return STALLED
        strict = 1 if W[BEGAN] + 1e-6 * h > W[BEGAN] else 0
        outcome = stages(W, I, h, strict)
        if outcome == UNDETERMINED:
            return INDETERMINATE
        if outcome == OUTSIDE:
            W[CEILING] = 0.5 * h
            continue
        shorter = overshoot(W, I)
        if strict != 0 and shorter < 1.0:
            W[CEILING] = shorter * h
            continue
        error = error_of(W, I, h)
        change = 0.2  # where the error is not a number
        if error <= 1e-9:
            change = growth
        elif isfinite(error):
            change = min(max(0.9 * error**-0.2, 0.2), growth)
        W[NATURAL] = h * change
        if error <= 1.0:
            W[TIME] = W[END] if h == remaining else W[BEGAN] + h
            W[CEILING] = min(1.2 * W[CEILING], 1e300)
            set_series(W, h)
            return FINISHED
        growth = 1.0
    return STALLED


def stages(W: Floats, I: Ints, h: float, strict: int) -> int:
    """The rates of all stages; the last is at the end of the step and serves the next one. DONE, or why it stopped."""
    for s in range(1, STAGES):
        for i in range(N_STATES):
            total = 0.0
            for r in range(s):
                total += TABLEAU[s * STAGES + r] * W[STAGE + r * N_STATES + i]
            W[STATE + i] = W[ORIGIN + i] + h * total
        W[TIME] = W[BEGAN] + NODE_TIME[s] * h
        I[EVALUATIONS] += 1
        if field(W, I, STAGE + s * N_STATES) != 0:
            return UNDETERMINED
        note_holding(W, I, s)
        if strict != 0:
            for i in range(N_CONTACTS):
                if I[SAVED + i] == 0 and I[AT_REST + i] == 0:
                    return OUTSIDE
    return DONE


def note_holding(W: Floats, I: Ints, s: int) -> None:
    """Keep the forces that hold contacts at a stage; infinite for a contact that does not stick."""
    for i in range(N_CONTACTS):
        W[HOLDING + s * N_CONTACTS + i] = W[FORCE + i] if I[MODE + i] == 0 else inf


def overshoot(W: Floats, I: Ints) -> float:
    """How much of the step leads into the band of a contact that slips to one side before and to the other after it."""
    part = 1.0
    for i in range(N_CONTACTS):
        if I[AT_REST + i] == 0 and I[MODE + i] * I[SAVED + i] < 0 and abs(W[BEFORE + i]) > W[ETA]:
            part = min(part, abs(W[BEFORE + i]) / (abs(W[BEFORE + i]) + abs(W[SPEED + i])))
    return part


def error_of(W: Floats, I: Ints, h: float) -> float:
    """The estimated error of a step over its tolerance (root mean square).

    Relative to the largest value each state has had so far: a state that passes zero does not ask for more. Nor does
    one that has not moved yet, since what a contact does inside its band has no meaning.
    """
    for i in range(N_STATES):
        W[REACH + i] = 0.0
    error = weighted_error(W, h)
    if error > 1.0:
        set_reach(W, I, h)
        error = weighted_error(W, h)
    return error


def set_reach(W: Floats, I: Ints, h: float) -> None:
    """How far each state comes on the step where contacts that are in their bands cross a small part of them."""
    part = sqrt(W[TOLERANCE]) * W[ETA]
    for j in range(N_CONTACTS):
        effect = abs(W[D + j * N_CONTACTS + j])
        if effect > 0.0 and (I[AT_REST + j] != 0 or abs(W[BEFORE + j]) <= W[ETA]):
            for i in range(N_STATES):
                W[REACH + i] += abs(W[G + i * N_CONTACTS + j]) / effect * part
    spread(W, I, h, REACH, SCRATCH)


def weighted_error(W: Floats, h: float) -> float:
    """The same, where each state is allowed its reach at least.

    Where a contact sticks on all of the step, the impulse that holds it counts as well, beside that of its static limit
    in the time τ: nothing else may move, and a step that does not follow the force passes over whole phases of slip.
    """
    total = 0.0
    for i in range(N_CONTACTS):
        if W[S + i] > 0.0:
            error = h * holding_error(W, i) * W[CENTRING + i] / (W[TOLERANCE] * W[S + i])
            total += error * error
    for i in range(N_STATES):
        error = 0.0
        for s in range(STAGES):
            error += ERROR[s] * W[STAGE + s * N_STATES + i]
        allowed = W[ABSOLUTE] + max(W[TOLERANCE] * max(W[LARGEST + i], abs(W[STATE + i])), W[REACH + i])
        if allowed > 0.0:
            total += (h * error / allowed) * (h * error / allowed)
        elif not isfinite(error):
            total += error
    return sqrt(total / N_STATES)


def holding_error(W: Floats, i: int) -> float:
    """The estimated error of the force that holds contact i on the step; 0 where it does not stick on all of it."""
    error = 0.0
    for s in range(STAGES):
        force = W[HOLDING + s * N_CONTACTS + i]
        if not isfinite(force):
            return 0.0
        error += ERROR[s] * force
    return error


def set_series(W: Floats, h: float) -> None:
    """The polynomials of the states on the step, in the time since its start."""
    for i in range(N_STATES):
        row = SERIES + i * WIDTH
        W[row] = W[ORIGIN + i]
        power = 1.0
        for k in range(1, ORDER + 1):
            total = 0.0
            for s in range(STAGES):
                total += DENSE[s * ORDER + k - 1] * W[STAGE + s * N_STATES + i]
            W[row + k] = total * power
            power /= h


def bad_friction(W: Floats, I: Ints) -> int:
    """Whether the end of the step asks for forces that friction does not have."""
    for i in range(N_CONTACTS):
        status = impossible(W, i, 1 - I[AT_REST + i])
        if status != FINISHED:
            I[CONTACT] = i
            return status
    return FINISHED


# -- what is kept of a step --------------------------------------------------------------------------------------


def finish_step(W: Floats, I: Ints, steps: Floats, events: Floats, step_room: int, filled: Ints) -> None:
    """Locate and keep what changed on the step, keep its polynomials, and make ready for the next one."""
    h = W[TIME] - W[BEGAN]
    end = W[TIME]
    for i in range(N_STATES):
        W[NEXT + i] = W[STATE + i]
        W[LARGEST + i] = max(W[LARGEST + i], abs(W[STATE + i]))
    for i in range(N_CONTACTS):
        W[AFTER + i] = float(I[MODE + i])
        W[BEFORE + i] = W[SPEED + i]
    first = h
    changes = 0
    for i in range(N_CONTACTS):
        W[ROOT + i] = 1e300
        if W[AFTER + i] != float(I[SAVED + i]):
            changes += 1
            I[EVENTS] += 1
            if step_room > 0:
                W[ROOT + i] = locate(W, I, i, h)
                first = min(first, W[ROOT + i])
    if changes > 0:
        W[CEILING] = 1e300
    if step_room > 0:
        for _ in range(changes):
            keep_event(W, I, events, filled)
        if changes > 0:
            for i in range(N_CONTACTS):
                W[AFTER + i] = float(I[MODE + i])
                I[MODE + i] = I[SAVED + i]
        keep_piece(W, I, W[BEGAN], first, steps, filled)
        if first < h:
            for i in range(N_STATES):
                shift(W, SERIES + i * WIDTH, first)
            for i in range(N_CONTACTS):
                I[SAVED + i] = int(W[AFTER + i])
            keep_piece(W, I, W[BEGAN] + first, h - first, steps, filled)
    W[TIME] = end
    for i in range(N_CONTACTS):
        I[MODE + i] = int(W[AFTER + i])
    for i in range(N_STATES):
        W[STATE + i] = W[NEXT + i]
        W[STAGE + i] = W[STAGE + (STAGES - 1) * N_STATES + i]
    for i in range(N_CONTACTS):
        W[HOLDING + i] = W[HOLDING + (STAGES - 1) * N_CONTACTS + i]


def place(W: Floats, tau: float) -> None:
    """Put the state where the polynomials of the step have it a time tau after their start."""
    for i in range(N_STATES):
        row = SERIES + i * WIDTH
        value = W[row + ORDER]
        for k in range(ORDER - 1, -1, -1):
            value = value * tau + W[row + k]
        W[STATE + i] = value


def locate(W: Floats, I: Ints, contact: int, h: float) -> float:
    """When on the step the mode of a contact changes, by bisection on the dense output."""
    low = 0.0
    high = h
    while high - low > 1e-13 * (abs(W[BEGAN]) + h):
        middle = 0.5 * (low + high)
        if not (low < middle and middle < high):
            break
        place(W, middle)
        W[TIME] = W[BEGAN] + middle
        field(W, I, SCRATCH)
        if I[MODE + contact] == I[SAVED + contact]:
            low = middle
        else:
            high = middle
    return high


def keep_event(W: Floats, I: Ints, events: Floats, filled: Ints) -> None:
    """Keep the earliest change not yet kept."""
    contact = 0
    for i in range(N_CONTACTS):
        I[MODE + i] = int(W[AFTER + i])
        if W[ROOT + i] < W[ROOT + contact]:
            contact = i
    place(W, W[ROOT + contact])
    W[TIME] = W[BEGAN] + W[ROOT + contact]
    remember_event(W, I, contact, events, filled[1])
    filled[1] += 1
    W[ROOT + contact] = 1e300


def keep_piece(W: Floats, I: Ints, start: float, length: float, steps: Floats, filled: Ints) -> None:
    """Keep a step, or a part of it in which no mode changes: polynomials of the states, and of v and λ by sampling."""
    for q in range(SAMPLES):
        tau = SAMPLE[q] * length
        place(W, tau)
        W[TIME] = start + tau
        field(W, I, SCRATCH)
        for i in range(N_CONTACTS):
            W[SAMPLED + 2 * (q * N_CONTACTS + i)] = W[SPEED + i]
            W[SAMPLED + 2 * (q * N_CONTACTS + i) + 1] = W[FORCE + i]
    for i in range(N_CONTACTS):
        fit(W, ROW_V + i * WIDTH, SAMPLED + 2 * i, length)
        fit(W, ROW_FORCE + i * WIDTH, SAMPLED + 2 * i + 1, length)
        I[MODE + i] = I[SAVED + i]
    W[TIME] = start
    remember_step(W, I, length, steps, filled[0])
    filled[0] += 1


def fit(W: Floats, row: int, samples: int, length: float) -> None:
    """The polynomial through samples."""
    power = 1.0
    for k in range(SAMPLES):
        total = 0.0
        for q in range(SAMPLES):
            total += FITTED[k * SAMPLES + q] * W[samples + 2 * q * N_CONTACTS]
        W[row + k] = total * power
        power /= length


def shift(W: Floats, row: int, tau: float) -> None:
    """Move the start of a polynomial by tau."""
    for i in range(ORDER):
        for k in range(ORDER - 1, i - 1, -1):
            W[row + k] += tau * W[row + k + 1]
