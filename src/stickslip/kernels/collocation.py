"""Radau collocation for the smoothed equations: five stages, order nine, with exact derivatives of every step.

A step from y to y + Z₅, h long, has increments Z₁ … Z₅ at the Radau points c₁ … c₅ = 1, such that the polynomial of
degree five through them has the rates of the equations at all of them:

    D Z = h f(t + c h, y + Z)                                       D = A⁻¹ differentiates that polynomial

Newton's method solves this with analytic slopes; the matrix D⊗1 − h ∂f is factored anew only where it converges slowly.
Derivatives of the stages by what the start depends on solve (D⊗1 − h ∂f) δY = D1⊗δy + h ∂f/∂p with the slopes at the
solution: so they are derivatives of the step as it was computed.

The error is estimated from an embedded formula of order five that uses the rate at the start, filtered by
(1 − h γ ∂f)⁻¹, as in Hairer & Wanner, Solving Ordinary Differential Equations II, Sec. IV.8. A step of order nine does
much better than that, but only where it resolves the motion; in stick, where little moves, a bound on the difference e
of the formulas alone would miss that it does not. So two estimates go on from e, and the larger counts:

    e²/b        the motion bends by b within the step: b falls like h², e like h⁶, so this like h¹⁰
    e ρ⁴        its Chebyshev coefficients fall by ρ from one to the next

The equations have kinks where a sliding velocity passes zero (laws depend on |v|) and where some shapes are pieced
together. Steps end there: it costs a few, and the derivatives gain one or two digits.
"""

from math import inf, isfinite

import numpy as np

from stickslip.kernels.flow import N_PARAMETERS, N_STATES, rates, slopes, slopes_p
from stickslip.kernels.model import Floats, Ints
from stickslip.kernels.outcome import FINISHED, PAUSED, STALLED, TOO_MANY_STEPS

STAGES = 5
SIZE = STAGES * N_STATES
COLUMNS = N_PARAMETERS + 2
WIDEST = N_STATES + N_PARAMETERS + 2
MOST_KINKS = 5 * N_STATES


def radau_points(stages):
    """Zeros of P_s(2x − 1) − P_{s−1}(2x − 1): the last is 1."""
    legendre = np.polynomial.legendre.Legendre
    difference = legendre.basis(stages) - legendre.basis(stages - 1)
    slope = difference.deriv()
    x = np.sort(difference.roots().real)
    for _ in range(3):
        x = x - difference(x) / slope(x)
    points = 0.5 * (1.0 + x)
    points[-1] = 1.0
    return points


def differentiation(points):
    """Entry i, j: the slope at points[i] of the polynomial that is 1 at points[j], and 0 at the others and at 0."""
    nodes = np.concatenate([[0.0], points])
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    weights = 1.0 / apart.prod(axis=1)
    matrix = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, (1.0 / apart - np.eye(len(nodes))).sum(axis=1))
    return matrix[1:, 1:]


def real_eigenvalue(matrix):
    """The real eigenvalue of a matrix of odd size."""
    values = np.linalg.eigvals(matrix)
    return float(values[np.argmin(np.abs(values.imag))].real)


def at_zero(points):
    """Lagrange's polynomials of the points, at 0."""
    return np.array([np.prod([-q / (p - q) for q in points if q != p]) for p in points])


def chebyshev(points):
    """Row k: how values at the points (0 at 0) make the coefficient of the Chebyshev polynomial k on the step."""
    nodes = np.concatenate([[0.0], points])
    return np.linalg.inv(np.polynomial.chebyshev.chebvander(2.0 * nodes - 1.0, len(points)))[:, 1:]


POINTS = radau_points(STAGES)
_MATRIX = differentiation(POINTS)
DIFFERENCES = _MATRIX.ravel()
ROW_SUMS = _MATRIX.sum(axis=1)
GAMMA = 1.0 / real_eigenvalue(_MATRIX)
EMBEDDED = -GAMMA * (at_zero(POINTS) @ _MATRIX)
TERMS = chebyshev(POINTS)[-4:].ravel()
DENOMINATORS = np.array([p * np.prod([p - q for q in POINTS if q != p]) for p in POINTS])
"""The points; D, row by row, and the sums of its rows; γ; the weights of Z in the error estimate beside γ h f(y), and
in the last four Chebyshev coefficients; what the polynomial Πₖ (x − cₖ)·x without one factor is at its own point."""

TIME, END, STEP, TOLERANCE, PRECISION, LAST_STEP, LAST_ERROR, LANDING, DENSE = 0, 1, 2, 3, 4, 5, 6, 7, 8
FLOOR = 9
ORIGIN = FLOOR + N_STATES
LARGEST = ORIGIN + N_STATES
WEIGHT = LARGEST + N_STATES
START_RATE = WEIGHT + N_STATES
ERROR = START_RATE + N_STATES
SMALL = ERROR + N_STATES
Z = SMALL + N_STATES * N_STATES
LAST = Z + SIZE
UPDATE = LAST + SIZE
MATRIX = UPDATE + SIZE
RIGHT = MATRIX + SIZE * SIZE
PARTIAL = RIGHT + SIZE * WIDEST
KINK_LEVEL = PARTIAL + N_STATES * WIDEST
FLOATS = KINK_LEVEL + MOST_KINKS
"""In K: time, end, length of the next step, tolerance, precision of the stages, length of the last step and its error,
of the one that ends at a kink; tolerance between the ends (0: none); per state what its error is measured against at
least (below 0: that fraction of the largest value so far), its value at the start of the step, its largest, the measure
of its error, its rate at the start, its error; the matrix of the filter; increments, those of the last step, Newton's
update, its matrix; right-hand sides; derivatives of the state by the start, the chosen parameters and the start time,
row by row."""

STEPS, REJECTED, EVALUATIONS, FACTORED, CHOSEN, DERIVATIVES, FILLED, FRESH, REFUSED = 0, 1, 2, 3, 4, 5, 6, 7, 8
KINKS, KINK, TRIES = 9, 10, 11
PIVOT = 16
SMALL_PIVOT = PIVOT + SIZE
CHOICE = SMALL_PIVOT + N_STATES
KINK_STATE = CHOICE + N_PARAMETERS + 2
INTEGERS = KINK_STATE + MOST_KINKS
"""In I: counters; how many parameters are chosen, and whether derivatives are wanted; rows of the record filled; 1 when
there is no last step to go on from, 1 after a rejected step; pivots of both matrices; the chosen parameters."""

RECORD_WIDTH = 2 + N_STATES + SIZE
"""A row of the record: start, length, state at the start, increments."""

MOST_ITERATIONS = 12
MOST_LANDINGS = 6
NARROW = 1e-6
GROWTH = 8.0
REACH = 3.0


def start_collocation(Y: Floats, W: Floats, K: Floats, I: Ints, STAGE: Floats, RATE: Floats) -> None:
    """Begin at the state Y: derivatives of the start, and a guess at the first step where K[STEP] has none."""
    width = N_STATES + I[CHOSEN] + 1
    for i in range(N_STATES):
        K[ORIGIN + i] = Y[i]
        STAGE[i] = Y[i]
        K[LARGEST + i] = abs(Y[i])
        for j in range(width):
            K[PARTIAL + i * width + j] = 1.0 if i == j else 0.0
    I[FRESH] = 1
    I[REFUSED] = 0
    I[KINK] = -1
    I[TRIES] = 0
    K[LAST_ERROR] = 1.0
    K[LAST_STEP] = 0.0
    if K[STEP] <= 0.0:
        rates(STAGE, K[TIME], W, RATE)
        I[EVALUATIONS] += 1
        weigh(K)
        speed = 0.0
        for i in range(N_STATES):
            speed = max(speed, abs(RATE[i]) / K[WEIGHT + i])
        K[STEP] = K[END] - K[TIME]
        if speed * K[STEP] > 1e-2:
            K[STEP] = 1e-2 / speed


def weigh(K: Floats) -> None:
    """What the errors of a step are measured against."""
    for i in range(N_STATES):
        size = abs(K[ORIGIN + i])
        floor = K[FLOOR + i]
        if floor < 0.0:
            floor = 1e-6 - floor * K[LARGEST + i]
        K[WEIGHT + i] = size + floor


def collocate(
    W: Floats,
    K: Floats,
    I: Ints,
    STAGE: Floats,
    RATE: Floats,
    SLOPE: Floats,
    EXTRA: Floats,
    most_steps: int,
    record: Floats,
    room: int,
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    while K[TIME] < K[END]:
        if room > 0 and I[FILLED] >= room:
            return PAUSED
        if I[STEPS] >= most_steps:
            return TOO_MANY_STEPS
        left = K[END] - K[TIME]
        if K[STEP] <= 1e-15 * max(abs(K[TIME]), abs(K[END])):
            return STALLED
        h = K[STEP]
        if h >= 0.999 * left:
            h = left
        elif h > 0.5 * left:
            h = 0.5 * left
        if I[KINK] >= 0:
            h = min(K[LANDING], left)
        weigh(K)
        if find_stages(W, K, I, STAGE, RATE, SLOPE, h) == 0:
            reject(K, I, 0.4 * h)
            continue
        if lands(K, I, h) == 0:
            I[REJECTED] += 1
            continue
        error = estimate(W, K, I, STAGE, RATE, SLOPE, h)
        if not isfinite(error):
            reject(K, I, 0.1 * h)
            continue
        factor = 0.9 * max(error, 1e-20) ** (-0.5 / STAGES)
        if error > 1.0:
            reject(K, I, h * min(max(factor, 0.1), 0.9))
            continue
        if I[DERIVATIVES] != 0 and differentiate(W, K, I, STAGE, SLOPE, EXTRA, h) == 0:
            return STALLED
        if room > 0:
            remember(K, I, record, h)
        accept(K, I, h, error, factor, left)
    return FINISHED


def reject(K: Floats, I: Ints, h: float) -> None:
    """Try again with a shorter step."""
    K[STEP] = h
    I[KINK] = -1
    I[TRIES] = 0
    I[REJECTED] += 1
    I[REFUSED] = 1


def accept(K: Floats, I: Ints, h: float, error: float, factor: float, left: float) -> None:
    """Move on to the end of the step, and choose the length of the next."""
    if I[FRESH] == 0:  # Gustafsson's predictive controller: the trend of the last two errors goes on
        trend = factor * h / K[LAST_STEP] * (K[LAST_ERROR] / max(error, 1e-20)) ** (0.5 / STAGES)
        factor = min(factor, trend)
    factor = min(max(factor, 0.1), GROWTH)
    if I[REFUSED] != 0:
        factor = min(factor, 1.0)
    K[LAST_ERROR] = max(error, 1e-2)
    K[LAST_STEP] = h
    for i in range(N_STATES):
        for k in range(STAGES):
            K[LAST + k * N_STATES + i] = K[Z + k * N_STATES + i]
        K[ORIGIN + i] += K[Z + (STAGES - 1) * N_STATES + i]
        K[LARGEST + i] = max(K[LARGEST + i], abs(K[ORIGIN + i]))
    K[TIME] = K[END] if h == left else K[TIME] + h
    K[STEP] = max(K[STEP], factor * h) if h < K[STEP] else factor * h
    I[KINK] = -1
    I[TRIES] = 0
    I[FRESH] = 0
    I[REFUSED] = 0
    I[STEPS] += 1


def remember(K: Floats, I: Ints, record: Floats, h: float) -> None:
    """Write the step into the record."""
    row = I[FILLED] * RECORD_WIDTH
    record[row] = K[TIME]
    record[row + 1] = h
    for i in range(N_STATES):
        record[row + 2 + i] = K[ORIGIN + i]
    for i in range(SIZE):
        record[row + 2 + N_STATES + i] = K[Z + i]
    I[FILLED] += 1


# -- the stages --------------------------------------------------------------------------------------------------


def find_stages(W: Floats, K: Floats, I: Ints, STAGE: Floats, RATE: Floats, SLOPE: Floats, h: float) -> int:
    """Increments of a step, from the polynomial of the last one where that reaches; 1 if found."""
    for attempt in range(2):
        if attempt == 1:
            for i in range(SIZE):
                K[Z + i] = 0.0
        elif I[FRESH] == 0 and h <= REACH * K[LAST_STEP]:
            extrapolate(K, h)
        else:
            continue
        if newton(W, K, I, STAGE, RATE, SLOPE, h) != 0:
            return 1
    return 0


def extrapolate(K: Floats, h: float) -> None:
    """Increments that the polynomial of the last step predicts."""
    for k in range(STAGES):
        x = 1.0 + POINTS[k] * h / K[LAST_STEP]
        for i in range(N_STATES):
            K[Z + k * N_STATES + i] = -K[LAST + (STAGES - 1) * N_STATES + i]
        for j in range(STAGES):
            product = basis(x, j)
            for i in range(N_STATES):
                K[Z + k * N_STATES + i] += product * K[LAST + j * N_STATES + i]


def newton(W: Floats, K: Floats, I: Ints, STAGE: Floats, RATE: Floats, SLOPE: Floats, h: float) -> int:
    """Solve for the increments from those in Z; 1 if it converges."""
    fresh = 0
    before = 0.0
    for iteration in range(MOST_ITERATIONS):
        if residual(W, K, I, STAGE, RATE, h) == 0:
            return 0
        if fresh == 0:
            set_matrix(W, K, STAGE, SLOPE, h)
            if factor_matrix(K, I, MATRIX, SIZE, PIVOT) == 0:
                return 0
            I[FACTORED] += 1
            fresh = 1
        substitute_one(K, I, MATRIX, SIZE, PIVOT, UPDATE)
        size = 0.0
        for k in range(STAGES):
            for i in range(N_STATES):
                K[Z + k * N_STATES + i] += K[UPDATE + k * N_STATES + i]
                size = max(size, abs(K[UPDATE + k * N_STATES + i]) / K[WEIGHT + i])
        if not isfinite(size):
            return 0
        if size <= K[PRECISION]:
            return 1
        if iteration > 0:
            ratio = size / before
            if ratio >= 2.0:
                return 0
            if ratio < 1.0 and size * ratio <= K[PRECISION]:
                return 1
            if ratio > 0.02:
                fresh = 0
        elif size > 1e-3:
            fresh = 0
        before = size
    return 0


def residual(W: Floats, K: Floats, I: Ints, STAGE: Floats, RATE: Floats, h: float) -> int:
    """What the equations of the stages lack, as the right-hand side of an update; 0 where it is not finite."""
    for k in range(STAGES):
        for i in range(N_STATES):
            STAGE[i] = K[ORIGIN + i] + K[Z + k * N_STATES + i]
        rates(STAGE, K[TIME] + POINTS[k] * h, W, RATE)
        I[EVALUATIONS] += 1
        for i in range(N_STATES):
            total = h * RATE[i]
            for j in range(STAGES):
                total -= DIFFERENCES[k * STAGES + j] * K[Z + j * N_STATES + i]
            if not isfinite(total):
                return 0
            K[UPDATE + k * N_STATES + i] = total
    return 1


def set_matrix(W: Floats, K: Floats, STAGE: Floats, SLOPE: Floats, h: float) -> None:
    """D⊗1 − h ∂f with the slopes at the present stages."""
    for i in range(SIZE * SIZE):
        K[MATRIX + i] = 0.0
    for k in range(STAGES):
        for i in range(N_STATES):
            STAGE[i] = K[ORIGIN + i] + K[Z + k * N_STATES + i]
        slopes(STAGE, K[TIME] + POINTS[k] * h, W, SLOPE)
        for i in range(N_STATES):
            row = MATRIX + (k * N_STATES + i) * SIZE
            for j in range(STAGES):
                K[row + j * N_STATES + i] = DIFFERENCES[k * STAGES + j]
            for j in range(N_STATES):
                K[row + k * N_STATES + j] -= h * SLOPE[i * N_STATES + j]


def factor_matrix(K: Floats, I: Ints, matrix: int, size: int, pivots: int) -> int:
    """LU factors of the square matrix at K[matrix], rows exchanged; 0 if it is singular or not finite."""
    for a in range(size):
        top = matrix + a * size
        pivot = a
        for b in range(a + 1, size):
            if abs(K[matrix + b * size + a]) > abs(K[matrix + pivot * size + a]):
                pivot = b
        I[pivots + a] = pivot
        if pivot != a:
            other = matrix + pivot * size
            for c in range(size):
                kept = K[top + c]
                K[top + c] = K[other + c]
                K[other + c] = kept
        largest = K[top + a]
        if largest == 0.0 or not isfinite(largest):
            return 0
        inverse = 1.0 / largest
        for b in range(a + 1, size):
            row = matrix + b * size
            ratio = K[row + a] * inverse
            K[row + a] = ratio
            if ratio != 0.0:
                for c in range(a + 1, size):
                    K[row + c] -= ratio * K[top + c]
    return 1


def substitute_one(K: Floats, I: Ints, matrix: int, size: int, pivots: int, right: int) -> None:
    """Solve for the right-hand side at K[right], in place of it."""
    for a in range(size):
        pivot = I[pivots + a]
        kept = K[right + pivot]
        K[right + pivot] = K[right + a]
        K[right + a] = kept
    for a in range(size):
        K[right + a] -= product_of(K, matrix + a * size, right, a)
    for a in range(size - 1, -1, -1):
        total = K[right + a] - product_of(K, matrix + a * size + a + 1, right + a + 1, size - 1 - a)
        K[right + a] = total / K[matrix + a * size + a]


def product_of(K: Floats, first: int, second: int, count: int) -> float:
    """The scalar product of two rows of numbers."""
    total = 0.0
    for i in range(count):
        total += K[first + i] * K[second + i]
    return total


def substitute_all(K: Floats, I: Ints, width: int) -> None:
    """Solve for all right-hand sides, in place of them."""
    for a in range(SIZE):
        pivot = I[PIVOT + a]
        if pivot != a:
            for c in range(width):
                kept = K[RIGHT + a * width + c]
                K[RIGHT + a * width + c] = K[RIGHT + pivot * width + c]
                K[RIGHT + pivot * width + c] = kept
    for a in range(SIZE):
        for b in range(a):
            ratio = K[MATRIX + a * SIZE + b]
            if ratio != 0.0:
                for c in range(width):
                    K[RIGHT + a * width + c] -= ratio * K[RIGHT + b * width + c]
    for a in range(SIZE - 1, -1, -1):
        for b in range(a + 1, SIZE):
            ratio = K[MATRIX + a * SIZE + b]
            if ratio != 0.0:
                for c in range(width):
                    K[RIGHT + a * width + c] -= ratio * K[RIGHT + b * width + c]
        inverse = 1.0 / K[MATRIX + a * SIZE + a]
        for c in range(width):
            K[RIGHT + a * width + c] *= inverse


# -- kinks --------------------------------------------------------------------------------------------------------


def lands(K: Floats, I: Ints, h: float) -> int:
    """Whether the step may stay as it is: no kink of the equations lies inside it; if not, K[LANDING] is to be tried.

    A kink is where a state passes a level; a step that meets one is made to end there.
    """
    if I[TRIES] >= MOST_LANDINGS:
        return 1
    first = 2.0
    found = -1
    for kink in range(I[KINKS]):
        x = crossing(K, I[KINK_STATE + kink], K[KINK_LEVEL + kink])
        if x < first:
            first = x
            found = kink
    if found >= 0:
        I[KINK] = found
        K[LANDING] = first * h
    elif I[KINK] >= 0:
        i = I[KINK_STATE + I[KINK]]
        last = (STAGES - 1) * N_STATES + i
        short = K[KINK_LEVEL + I[KINK]] - K[ORIGIN + i] - K[Z + last]
        if abs(short) <= NARROW * K[FLOOR + i]:
            return 1
        rate = 0.0
        for j in range(STAGES):
            rate += DIFFERENCES[(STAGES - 1) * STAGES + j] * K[Z + j * N_STATES + i] / h
        longer = h + short / rate if rate != 0.0 else 0.0
        if longer <= h or longer > 1.5 * h:
            return 1
        K[LANDING] = longer
    else:
        return 1
    I[TRIES] += 1
    return 0


def crossing(K: Floats, i: int, level: float) -> float:
    """The fraction of the step after which state i first passes the level; 2.0 if it does not."""
    narrow = NARROW * K[FLOOR + i]
    from_level = K[ORIGIN + i] - level
    before = side_of(from_level, narrow)
    low = 0.0
    for k in range(STAGES):
        after = side_of(from_level + K[Z + k * N_STATES + i], narrow)
        if before * after < 0:
            return bisected(K, i, from_level, low, POINTS[k], before)
        if after != 0:
            before = after
        low = POINTS[k]
    return 2.0


def side_of(distance: float, narrow: float) -> int:
    """Above, below, or at the level."""
    if abs(distance) <= narrow:
        return 0
    return 1 if distance > 0.0 else -1


def bisected(K: Floats, i: int, from_level: float, low: float, high: float, side: int) -> float:
    """Where the polynomial of state i passes the level, between two fractions of the step."""
    for _ in range(50):
        x = 0.5 * (low + high)
        value = from_level
        for j in range(STAGES):
            value += basis(x, j) * K[Z + j * N_STATES + i]
        if value * side > 0.0:
            low = x
        else:
            high = x
    return high


def basis(x: float, j: int) -> float:
    """The polynomial that is 1 at point j, and 0 at the others and at 0."""
    product = x / DENOMINATORS[j]
    for m in range(STAGES):
        if m != j:
            product *= x - POINTS[m]
    return product


# -- derivatives and errors ---------------------------------------------------------------------------------------


def differentiate(W: Floats, K: Floats, I: Ints, STAGE: Floats, SLOPE: Floats, EXTRA: Floats, h: float) -> int:
    """Take the derivatives of the state from the start of the step to its end; 0 if they do not exist."""
    width = N_STATES + I[CHOSEN] + 1
    set_matrix(W, K, STAGE, SLOPE, h)
    I[FACTORED] += 1
    if factor_matrix(K, I, MATRIX, SIZE, PIVOT) == 0:
        return 0
    for k in range(STAGES):
        for i in range(N_STATES):
            STAGE[i] = K[ORIGIN + i] + K[Z + k * N_STATES + i]
        slopes_p(STAGE, K[TIME] + POINTS[k] * h, W, EXTRA)
        for i in range(N_STATES):
            row = RIGHT + (k * N_STATES + i) * width
            for j in range(width):
                K[row + j] = ROW_SUMS[k] * K[PARTIAL + i * width + j]
            for j in range(I[CHOSEN]):
                K[row + N_STATES + j] += h * EXTRA[i * COLUMNS + I[CHOICE + j]]
            K[row + N_STATES + I[CHOSEN]] += h * EXTRA[i * COLUMNS + COLUMNS - 1]
    substitute_all(K, I, width)
    for i in range(N_STATES * width):
        K[PARTIAL + i] = K[RIGHT + (STAGES - 1) * N_STATES * width + i]
    return 1


def estimate(W: Floats, K: Floats, I: Ints, STAGE: Floats, RATE: Floats, SLOPE: Floats, h: float) -> float:
    """The error of the step against the tolerance.

    Stiffness may change by orders of magnitude within a step. So both ends filter the estimate, and the larger counts.
    """
    for i in range(N_STATES):
        STAGE[i] = K[ORIGIN + i]
    rates(STAGE, K[TIME], W, RATE)
    I[EVALUATIONS] += 1
    for i in range(N_STATES):
        total = 0.0
        for k in range(STAGES):
            total += EMBEDDED[k] * K[Z + k * N_STATES + i]
        K[START_RATE + i] = total
        K[UPDATE + i] = total + h * GAMMA * RATE[i]
    worst = between(K) if K[DENSE] > 0.0 else 0.0
    for end in range(2):
        for i in range(N_STATES):
            STAGE[i] = K[ORIGIN + i] + end * K[Z + (STAGES - 1) * N_STATES + i]
            K[ERROR + i] = K[UPDATE + i]
        slopes(STAGE, K[TIME] + end * h, W, SLOPE)
        for i in range(N_STATES):
            for j in range(N_STATES):
                K[SMALL + i * N_STATES + j] = -h * GAMMA * SLOPE[i * N_STATES + j]
            K[SMALL + i * N_STATES + i] += 1.0
        if factor_matrix(K, I, SMALL, N_STATES, SMALL_PIVOT) == 0:
            return inf
        error = filtered(K, I)
        if error > 1.0 and (I[FRESH] != 0 or I[REFUSED] != 0):
            for i in range(N_STATES):
                STAGE[i] = K[ORIGIN + i] + K[ERROR + i]
            rates(STAGE, K[TIME], W, RATE)
            I[EVALUATIONS] += 1
            for i in range(N_STATES):
                K[ERROR + i] = K[START_RATE + i] + h * GAMMA * RATE[i]
            error = filtered(K, I)
        worst = max(worst, error)
    return worst


def filtered(K: Floats, I: Ints) -> float:
    """Solve with the factors of the filter for the error, in place; its size against the tolerance."""
    substitute_one(K, I, SMALL, N_STATES, SMALL_PIVOT, ERROR)
    worst = 0.0
    for i in range(N_STATES):
        difference = abs(K[ERROR + i])
        size = K[WEIGHT + i] * K[TOLERANCE]
        if difference > worst * size:
            whole = K[Z + (STAGES - 1) * N_STATES + i]
            bend = difference
            for k in range(STAGES - 1):
                bend = max(bend, abs(K[Z + k * N_STATES + i] - POINTS[k] * whole))
            fourth = abs(term_of(K, i, 2))
            falling = min(max(fourth, abs(term_of(K, i, 3))) / max(abs(term_of(K, i, 1)), fourth), 1.0)
            worst = max(worst, difference / size * max(difference / bend, falling * falling * falling * falling))
    return worst


def term_of(K: Floats, i: int, m: int) -> float:
    """The Chebyshev coefficient of degree 2 + m of state i."""
    term = 0.0
    for k in range(STAGES):
        term += TERMS[m * STAGES + k] * K[Z + k * N_STATES + i]
    return term


def between(K: Floats) -> float:
    """The error of the polynomial between the ends of the step, against the tolerance.

    Chebyshev coefficients fall from the last but two and three to the last two, and as fast again to what is left out.
    (In pairs, as even or odd ones may vanish.) That is like h⁶; its power is comparable with the error at the end.
    """
    worst = 0.0
    for i in range(N_STATES):
        before = max(abs(term_of(K, i, 0)), abs(term_of(K, i, 1)))
        last = max(abs(term_of(K, i, 2)), abs(term_of(K, i, 3)))
        if last > 0.0:
            worst = max(worst, last * (last / max(last, before)) / (K[WEIGHT + i] * K[DENSE]))
    return worst ** (2.0 * STAGES / (STAGES + 1.0))
