"""Moreau–Jean time-stepping: steps of fixed length, each with one friction problem for all contacts together.

From z at the start of a step to z′ at its end, h long:

    z′ = z + h ((1 − θ) f(z, t) + θ f(z′, t + h)) + h G λ        v′ = h(z′, t + h)
    λᵢ ∈ −boundᵢ · Sign(v′ᵢ)                                     bound: S where the contact sticks, else R(|v|)

The bound is that at the start of the step: how friction depends on velocity is treated explicitly. f at the end is
found by passes; each evaluates the ingredients once and solves the friction problem, linearised where v is not linear.
"""

from math import cos, isfinite, pi, sqrt

from stickslip.kernels.linear import factor, substitute
from stickslip.kernels.march import remember_events, remember_step
from stickslip.kernels.model import (
    CONTACT,
    END,
    EVALUATIONS,
    EVENTS,
    MATRIX,
    MODE,
    N_CONTACTS,
    N_STATES,
    ORDER,
    RAPID,
    ROW_FORCE,
    ROW_V,
    SAVED,
    SERIES,
    STATE,
    STEPS,
    TIME,
    WIDTH,
    WORK,
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
from stickslip.kernels.outcome import FINISHED, PAUSED, STALLED, STEP_TOO_LARGE, TOO_MANY_STEPS
from stickslip.kernels.watch import impossible

PRECISION = 1e-12  # relative, of each step's solution
MOST_PASSES = 60
ROUNDS, SWEEPS = 200, 10
RELAXATION = 1.3

STEP, THETA, FASTEST, BEGAN, FIRST = WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 4
BOUND = WORK + 8
FORCE = BOUND + N_CONTACTS
FREE = FORCE + N_CONTACTS
SPEED = FREE + N_CONTACTS
KINETIC = SPEED + N_CONTACTS
KEPT = KINETIC + N_CONTACTS
ORIGIN = KEPT + N_CONTACTS
RATE = ORIGIN + N_STATES
LARGEST = RATE + N_STATES
DIRECTION = LARGEST + N_STATES
SLOPE = DIRECTION + N_STATES
"""In W: step, θ, fastest rate of the system, start of the step and of the run; per contact the bound, λ, v without
friction, v and R at the start, λ kept; per state its value and rate at the start, its largest so far, two vectors."""


def begin(W: Floats, I: Ints) -> int:
    """Modes and ingredients at the start, from the state, time and parameters in W."""
    constants(W)
    I[STEPS] = 0
    I[EVENTS] = 0
    I[RAPID] = 0
    I[EVALUATIONS] = 0
    W[FIRST] = W[TIME]
    for i in range(N_STATES):
        W[LARGEST + i] = abs(W[STATE + i])
    for i in range(N_CONTACTS):
        I[MODE + i] = 1
        W[FORCE + i] = 0.0
    ingredients(W, I)
    for i in range(N_CONTACTS):
        v = W[V + i]
        I[MODE + i] = 0 if v == 0.0 else (1 if v > 0.0 else -1)
    W[FASTEST] = fastest_rate(W, I)
    ingredients(W, I)
    return FINISHED


def fastest_rate(W: Floats, I: Ints) -> float:
    """The largest eigenvalue of ∂f/∂z in magnitude: an angular frequency, or a rate of decay (power iteration).

    The matrix is applied twice at a time, which takes displacements to displacements: units do not matter then.
    """
    for i in range(N_STATES):
        W[ORIGIN + i] = W[STATE + i]
        W[DIRECTION + i] = cos(1.7 * i + 0.3)
    rate = 0.0
    for _ in range(40):
        before = scale_to_one(W)
        if before == 0.0:
            break
        apply_slope(W, I)
        apply_slope(W, I)
        total = 0.0
        for i in range(N_STATES):
            total += W[DIRECTION + i] * W[DIRECTION + i]
        rate = sqrt(sqrt(total))
    for i in range(N_STATES):
        W[STATE + i] = W[ORIGIN + i]
    return rate


def scale_to_one(W: Floats) -> float:
    """Divide the direction by its length, which is returned."""
    total = 0.0
    for i in range(N_STATES):
        total += W[DIRECTION + i] * W[DIRECTION + i]
    length = sqrt(total)
    if length > 0.0 and isfinite(length):
        for i in range(N_STATES):
            W[DIRECTION + i] /= length
        return length
    return 0.0


def apply_slope(W: Floats, I: Ints) -> None:
    """Replace the direction by the derivative of f along it, by differences."""
    size = 0.0
    length = 0.0
    for i in range(N_STATES):
        size = max(size, abs(W[ORIGIN + i]))
        length = max(length, abs(W[DIRECTION + i]))
        W[SLOPE + i] = 0.0
    if length == 0.0:
        return
    small = 1e-4 * (size if size > 0.0 else 1.0) / length
    for side in range(-1, 2, 2):
        for i in range(N_STATES):
            W[STATE + i] = W[ORIGIN + i] + float(side) * small * W[DIRECTION + i]
        ingredients(W, I)
        for i in range(N_STATES):
            W[SLOPE + i] += float(side) * W[F + i] / (2.0 * small)
    for i in range(N_STATES):
        W[DIRECTION + i] = W[SLOPE + i]


def integrate(
    W: Floats, I: Ints, most_steps: int, steps: Floats, events: Floats, step_room: int, event_room: int, filled: Ints
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    if W[STEP] * W[FASTEST] > 0.2 * pi:  # a tenth of the shortest period
        return STEP_TOO_LARGE
    while W[TIME] < W[END]:
        if step_room > 0 and (filled[0] >= step_room or filled[1] + N_CONTACTS > event_room):
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        status = set_bounds(W, I)
        if status != FINISHED:
            return status
        following = W[FIRST] + W[STEP] * (
            I[STEPS] + 1
        )  # not a sum of steps: rounding must not leave a sliver at the end
        if following > W[END] - 1e-9 * W[STEP]:
            following = W[END]
        h = following - W[TIME]
        W[BEGAN] = W[TIME]
        status = solve_step(W, I, h)
        if status != FINISHED:
            return status
        I[STEPS] += 1
        W[TIME] = following
        ingredients(W, I)
        I[EVALUATIONS] += 1
        if step_room > 0:
            keep_step(W, I, h, steps, filled)
        remember_events(W, I, events, step_room, filled)
        if too_steep(W, I, h) != 0:
            return STEP_TOO_LARGE
    return FINISHED


def set_bounds(W: Floats, I: Ints) -> int:
    """What is known at the start of a step: values, rates, and the bounds of the friction forces."""
    for i in range(N_STATES):
        W[ORIGIN + i] = W[STATE + i]
        W[RATE + i] = W[F + i]
    for i in range(N_CONTACTS):
        I[SAVED + i] = I[MODE + i]
        W[SPEED + i] = W[V + i]
        W[KINETIC + i] = W[R + i]
        W[BOUND + i] = W[S + i] if I[MODE + i] == 0 else W[R + i]
        status = impossible(W, i, abs(I[MODE + i]))
        if status != FINISHED:
            I[CONTACT] = i
            return status
    return FINISHED


def solve_step(W: Floats, I: Ints, h: float) -> int:
    """State, forces and modes at the end of a step, by passes that evaluate f there with what the last one found."""
    W[TIME] = W[BEGAN] + h
    for i in range(N_STATES):
        W[STATE + i] = W[ORIGIN + i] + h * (W[RATE + i] + push(W, i))
    for _ in range(MOST_PASSES):
        ingredients(W, I)
        I[EVALUATIONS] += 1
        for i in range(N_CONTACTS):
            W[FREE + i] = W[V + i] - h * pull(W, i)
        if solve_contacts(W, I, h) != 0:
            return STALLED
        change = 0.0
        for i in range(N_STATES):
            rate = (1.0 - W[THETA]) * W[RATE + i] + W[THETA] * W[F + i]
            value = W[ORIGIN + i] + h * (rate + push(W, i))
            if not isfinite(value):
                return STALLED
            W[LARGEST + i] = max(W[LARGEST + i], abs(value))
            if W[LARGEST + i] > 0.0:
                change = max(change, abs(value - W[STATE + i]) / W[LARGEST + i])
            W[STATE + i] = value
        if change <= PRECISION:
            return FINISHED
    return STEP_TOO_LARGE


def push(W: Floats, i: int) -> float:
    """What the friction forces add to the rate of state i."""
    total = 0.0
    for j in range(N_CONTACTS):
        total += W[G + i * N_CONTACTS + j] * W[FORCE + j]
    return total


def pull(W: Floats, i: int) -> float:
    """What the friction forces add to the slip acceleration of contact i."""
    total = 0.0
    for j in range(N_CONTACTS):
        total += W[D + i * N_CONTACTS + j] * W[FORCE + j]
    return total


# -- the friction problem of one step ----------------------------------------------------------------------------


def solve_contacts(W: Floats, I: Ints, h: float) -> int:
    """λ with v′ = free + h D λ and λᵢ ∈ −boundᵢ Sign(v′ᵢ); 0 if found.

    First as if every contact kept its mode, which is a linear system; where that contradicts itself, a few sweeps of
    projected Gauss–Seidel say which modes to try next.
    """
    for _ in range(ROUNDS):
        if keeps_modes(W, I, h) != 0:
            return 0
        change = 1.0
        for _ in range(SWEEPS):
            change = sweep(W, I, h)
        for i in range(N_CONTACTS):
            inside = abs(W[FORCE + i]) < W[BOUND + i] * (1.0 - PRECISION)
            I[MODE + i] = 0 if inside else side_of(W, i)
        if change <= PRECISION:  # also where redundant contacts leave the forces open: any of the solutions will do
            return 0
    return 1


def side_of(W: Floats, i: int) -> int:
    """The side to which a contact slips whose force is at its bound; without friction, that of its velocity."""
    if W[FORCE + i] != 0.0:
        return -1 if W[FORCE + i] > 0.0 else 1
    return 1 if W[FREE + i] >= 0.0 else -1


def attracts(W: Floats, i: int) -> int:
    """Whether friction acts against the velocity of the contact; where it does not, a contact cannot stick."""
    return 1 if W[D + i * N_CONTACTS + i] > 0.0 else 0


def keeps_modes(W: Floats, I: Ints, h: float) -> int:
    """Solve for the forces with the present modes; whether both agree. If not, the forces stay as they were."""
    for i in range(N_CONTACTS):
        if attracts(W, i) == 0:
            I[MODE + i] = 1 if W[SPEED + i] >= 0.0 else -1
        for j in range(N_CONTACTS):
            W[MATRIX + i * (N_CONTACTS + 2) + j] = W[D + i * N_CONTACTS + j]
    stuck = factor(W, I)
    if stuck < 0:
        return 0
    for i in range(N_CONTACTS):
        W[KEPT + i] = W[FORCE + i]
        W[FORCE + i] = -float(I[MODE + i]) * W[BOUND + i]
    for i in range(N_CONTACTS):
        W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS] = -W[FREE + i] / h - pull(W, i)
    substitute(W, I, stuck)
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            W[FORCE + i] = W[MATRIX + i * (N_CONTACTS + 2) + N_CONTACTS + 1]
    agrees = 1
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            if abs(W[FORCE + i]) > W[BOUND + i] * (1.0 + PRECISION):
                agrees = 0
        elif attracts(W, i) != 0:
            v = (W[FREE + i] + h * pull(W, i)) * float(I[MODE + i])
            if v < -PRECISION * (abs(W[FREE + i]) + h * W[D + i * N_CONTACTS + i] * W[BOUND + i]):
                agrees = 0
    if agrees == 0:
        for i in range(N_CONTACTS):
            W[FORCE + i] = W[KEPT + i] if attracts(W, i) != 0 else W[FORCE + i]
    return agrees


def sweep(W: Floats, I: Ints, h: float) -> float:
    """One sweep of projected Gauss–Seidel with over-relaxation; the largest change of a force, over its bound."""
    largest = 0.0
    for i in range(N_CONTACTS):
        if attracts(W, i) != 0:
            before = W[FORCE + i]
            v = W[FREE + i] + h * pull(W, i)
            force = before - RELAXATION * v / (h * W[D + i * N_CONTACTS + i])
            W[FORCE + i] = min(max(force, -W[BOUND + i]), W[BOUND + i])
            if W[BOUND + i] > 0.0:
                largest = max(largest, abs(W[FORCE + i] - before) / W[BOUND + i])
    return largest


# -- after a step ------------------------------------------------------------------------------------------------


def too_steep(W: Floats, I: Ints, h: float) -> int:
    """1 where friction keeps changing faster with velocity than its explicit treatment can follow.

    A single step proves nothing: friction may have changed for another reason while the velocity hardly did.
    """
    steep = 0
    for i in range(N_CONTACTS):
        if I[SAVED + i] != 0 and I[MODE + i] * I[SAVED + i] >= 0:
            change = abs(W[V + i] - W[SPEED + i])
            kick = h * W[D + i * N_CONTACTS + i] * abs(W[R + i] - W[KINETIC + i])
            if change > 1e-9 * abs(W[SPEED + i]) and kick > 0.5 * change:
                steep = 1
    I[RAPID] = I[RAPID] + 3 if steep != 0 else max(I[RAPID] - 1, 0)
    return 1 if I[RAPID] >= 12 else 0


def keep_step(W: Floats, I: Ints, h: float, steps: Floats, filled: Ints) -> None:
    """Keep the step: states and velocities as straight lines, forces constant, modes as they were at its start."""
    for i in range(N_STATES):
        straight(W, SERIES + i * WIDTH, W[ORIGIN + i], (W[STATE + i] - W[ORIGIN + i]) / h)
    for i in range(N_CONTACTS):
        straight(W, ROW_V + i * WIDTH, W[SPEED + i], (W[V + i] - W[SPEED + i]) / h)
        straight(W, ROW_FORCE + i * WIDTH, W[FORCE + i], 0.0)
    now = W[TIME]
    W[TIME] = W[BEGAN]
    remember_step(W, I, h, steps, filled[0])
    filled[0] += 1
    W[TIME] = now


def straight(W: Floats, row: int, value: float, slope: float) -> None:
    """A polynomial of degree 1."""
    for k in range(2, ORDER + 1):
        W[row + k] = 0.0
    W[row] = value
    W[row + 1] = slope
