"""The formula of Radau collocation with five stages: its points, and what polynomials through them do."""

import numpy as np

from stickslip.kernels.records import Floats

STAGES = 5
LAST_STAGE = STAGES - 1


def radau_points(stages: int) -> Floats:
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


def differentiation(points: Floats) -> Floats:
    """Entry i, j: the slope at points[i] of the polynomial that is 1 at points[j], and 0 at the others and at 0."""
    nodes = np.concatenate([[0.0], points])
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    weights = 1.0 / apart.prod(axis=1)
    matrix = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, (1.0 / apart - np.eye(len(nodes))).sum(axis=1))
    return matrix[1:, 1:]


def real_eigenvalue(matrix: Floats) -> float:
    """The real eigenvalue of a matrix of odd size."""
    values = np.linalg.eigvals(matrix)
    return float(values[np.argmin(np.abs(values.imag))].real)


def at_zero(points: Floats) -> Floats:
    """Lagrange's polynomials of the points, at 0."""
    return np.array([np.prod([-q / (p - q) for q in points if q != p]) for p in points])


def chebyshev(points: Floats) -> Floats:
    """Row k: how values at the points (0 at 0) make the coefficient of the Chebyshev polynomial k on the step."""
    nodes = np.concatenate([[0.0], points])
    vandermonde = np.polynomial.chebyshev.chebvander(2.0 * nodes - 1.0, len(points))
    return np.asarray(np.linalg.inv(vandermonde)[:, 1:], float)


POINTS = radau_points(STAGES)
"""c₁ … c₅ = 1."""

DIFFERENCES = differentiation(POINTS)
ROW_SUMS = DIFFERENCES.sum(axis=1)
"""D, and the sums of its rows."""

GAMMA = 1.0 / real_eigenvalue(DIFFERENCES)
EMBEDDED = -GAMMA * (at_zero(POINTS) @ DIFFERENCES)
"""γ, and the weights of Z in the error estimate beside γ h f(y)."""

TERMS = chebyshev(POINTS)[-4:]
"""The weights of Z in the last four Chebyshev coefficients."""

DENOMINATORS = np.array([p * np.prod([p - q for q in POINTS if q != p]) for p in POINTS])
"""What the polynomial Πₖ (x − cₖ)·x without one factor is at its own point."""


def basis(x: float, j: int) -> float:
    """The polynomial that is 1 at point j, and 0 at the others and at 0."""
    product = x / DENOMINATORS[j]
    for m in range(STAGES):
        if m != j:
            product *= x - POINTS[m]
    return product
