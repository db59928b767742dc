"""The forces of the sticking contacts: a small dense system, factored once a step and solved at every order.

At W[MATRIX] lie N_CONTACTS rows of length N_CONTACTS + 2: the matrix, the right-hand side, the solution.
"""

from stickslip.kernels.model import LOAD, MATRIX, MODE, N_CONTACTS, ORDERING, SCALE, D, Floats, Ints


def count_stuck(I: Ints) -> int:
    """How many contacts stick."""
    stuck = 0
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            stuck += 1
    return stuck


def factor(W: Floats, I: Ints) -> int:
    """LU-factor the part that belongs to sticking contacts; their number, or -1 if it is singular."""
    width = N_CONTACTS + 2
    rows = ORDERING + N_CONTACTS
    stuck = 0
    largest = 0.0
    for i in range(N_CONTACTS):
        if I[MODE + i] == 0:
            I[ORDERING + stuck] = i
            I[rows + stuck] = i
            stuck += 1
    for a in range(stuck):
        for b in range(stuck):
            largest = max(largest, abs(W[MATRIX + I[ORDERING + a] * width + I[ORDERING + b]]))
    for a in range(stuck):
        column = MATRIX + I[ORDERING + a]
        pivot = a
        for b in range(a + 1, stuck):
            if abs(W[column + I[rows + b] * width]) > abs(W[column + I[rows + pivot] * width]):
                pivot = b
        row = I[rows + pivot]
        I[rows + pivot] = I[rows + a]
        I[rows + a] = row
        if abs(W[column + row * width]) <= 1e-12 * largest:
            return -1
        for b in range(a + 1, stuck):
            below = I[rows + b]
            ratio = W[column + below * width] / W[column + row * width]
            W[column + below * width] = ratio
            if ratio != 0.0:
                for c in range(a + 1, stuck):
                    other = I[ORDERING + c]
                    W[MATRIX + below * width + other] -= ratio * W[MATRIX + row * width + other]
    return stuck


def substitute(W: Floats, I: Ints, stuck: int) -> None:
    """Solve for the right-hand side in the column after the matrix; the solution goes to the last column."""
    width = N_CONTACTS + 2
    rows = ORDERING + N_CONTACTS
    right = MATRIX + N_CONTACTS
    for a in range(stuck):
        row = I[rows + a] * width
        for b in range(a):
            W[right + row] -= W[MATRIX + row + I[ORDERING + b]] * W[right + I[rows + b] * width]
    for a in range(stuck - 1, -1, -1):
        row = I[rows + a] * width
        total = W[right + row]
        for b in range(a + 1, stuck):
            other = I[ORDERING + b]
            total -= W[MATRIX + row + other] * W[right + 1 + other * width]
        W[right + 1 + I[ORDERING + a] * width] = total / W[MATRIX + row + I[ORDERING + a]]


def add_up_loads(W: Floats, I: Ints) -> None:
    """LOAD, the size of the terms that make up each sticking force: |D⁻¹| times those of the slip accelerations."""
    coupled = False
    for i in range(N_CONTACTS):
        own = abs(W[D + i * N_CONTACTS + i])
        W[LOAD + i] = W[SCALE + i] / own if I[MODE + i] == 0 and own > 0.0 else 0.0
        for j in range(N_CONTACTS):
            both = i != j and I[MODE + i] == 0 and I[MODE + j] == 0
            coupled = coupled or (both and W[D + i * N_CONTACTS + j] != 0.0)
    if coupled:
        add_up_coupled_loads(W, I)


def add_up_coupled_loads(W: Floats, I: Ints) -> None:
    """The same where sticking contacts push each other: the inverse column by column."""
    width = N_CONTACTS + 2
    for i in range(N_CONTACTS):
        W[LOAD + i] = 0.0
        for j in range(N_CONTACTS):
            W[MATRIX + i * width + j] = W[D + i * N_CONTACTS + j]
    stuck = factor(W, I)
    for a in range(stuck):
        column = I[ORDERING + a]
        for b in range(stuck):
            row = I[ORDERING + b]
            W[MATRIX + row * width + N_CONTACTS] = 1.0 if row == column else 0.0
        substitute(W, I, stuck)
        for b in range(stuck):
            row = I[ORDERING + b]
            W[LOAD + row] += abs(W[MATRIX + row * width + N_CONTACTS + 1]) * W[SCALE + column]
