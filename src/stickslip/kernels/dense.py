"""Linear equations with a dense matrix, which lies row by row in an array and is factored in place."""

from math import isfinite

from stickslip.kernels.records import Floats, Ints


def factor_matrix(matrix: Floats, size: int, pivots: Ints) -> bool:
    """LU factors of a square matrix, rows exchanged; False if it is singular or not finite."""
    for a in range(size):
        top = a * size
        pivot = a
        for b in range(a + 1, size):
            if abs(matrix[b * size + a]) > abs(matrix[pivot * size + a]):
                pivot = b
        pivots[a] = pivot
        if pivot != a:
            other = pivot * size
            for c in range(size):
                kept = matrix[top + c]
                matrix[top + c] = matrix[other + c]
                matrix[other + c] = kept
        largest = matrix[top + a]
        if largest == 0.0 or not isfinite(largest):
            return False
        inverse = 1.0 / largest
        for b in range(a + 1, size):
            row = b * size
            ratio = matrix[row + a] * inverse
            matrix[row + a] = ratio
            if ratio != 0.0:
                for c in range(a + 1, size):
                    matrix[row + c] -= ratio * matrix[top + c]
    return True


def substitute_one(matrix: Floats, size: int, pivots: Ints, right: Floats) -> None:
    """Solve with the factors for one right-hand side, in place of it."""
    for a in range(size):
        pivot = pivots[a]
        kept = right[pivot]
        right[pivot] = right[a]
        right[a] = kept
    for a in range(size):
        right[a] -= product_of(matrix, a * size, right, 0, a)
    for a in range(size - 1, -1, -1):
        total = right[a] - product_of(matrix, a * size + a + 1, right, a + 1, size - 1 - a)
        right[a] = total / matrix[a * size + a]


def product_of(matrix: Floats, first: int, right: Floats, second: int, count: int) -> float:
    """The scalar product of a part of a row and a part of a right-hand side, each given by its first place."""
    total = 0.0
    for i in range(count):
        total += matrix[first + i] * right[second + i]
    return total


def substitute_all(matrix: Floats, size: int, pivots: Ints, right: Floats, width: int) -> None:
    """Solve with the factors for many right-hand sides, in place of them: row by row, `width` of them."""
    for a in range(size):
        pivot = pivots[a]
        if pivot != a:
            for c in range(width):
                kept = right[a * width + c]
                right[a * width + c] = right[pivot * width + c]
                right[pivot * width + c] = kept
    for a in range(size):
        for b in range(a):
            ratio = matrix[a * size + b]
            if ratio != 0.0:
                for c in range(width):
                    right[a * width + c] -= ratio * right[b * width + c]
    for a in range(size - 1, -1, -1):
        for b in range(a + 1, size):
            ratio = matrix[a * size + b]
            if ratio != 0.0:
                for c in range(width):
                    right[a * width + c] -= ratio * right[b * width + c]
        inverse = 1.0 / matrix[a * size + a]
        for c in range(width):
            right[a * width + c] *= inverse
