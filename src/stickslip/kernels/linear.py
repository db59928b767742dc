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


def factor_delassus(W: Floats, I: Ints) -> int:
    """`factor` for the Delassus matrix at the present state, which `ingredients` has left in D."""
    for i in range(N_CONTACTS):
        for j in range(N_CONTACTS):
            W[MATRIX + i * (N_CONTACTS + 2) + j] = W[D + i * N_CONTACTS + j]
    return factor(W, I)


def add_up_loads(W: Floats, I: Ints) -> None:
    """LOAD, the size of the terms that decide about each contact: its force in stick, its acceleration in slip.

    Both feel what holds the sticking contacts. They are two sides of one number, so they must be measured alike: what
    is zero but for round-off in stick is so in slip.
    """
    coupled = False
    for i in range(N_CONTACTS):
        own = abs(W[D + i * N_CONTACTS + i])
        W[LOAD + i] = W[SCALE + i] / own if I[MODE + i] == 0 and own > 0.0 else W[SCALE + i]
        for j in range(N_CONTACTS):
            coupled = coupled or (i != j and I[MODE + j] == 0 and W[D + i * N_CONTACTS + j] != 0.0)
    if coupled:
        add_up_coupled_loads(W, I)


def add_up_coupled_loads(W: Floats, I: Ints) -> None:
    """The same where sticking contacts push others: |D⁻¹| times the sizes of the slip accelerations, by columns."""
    width = N_CONTACTS + 2
    for i in range(N_CONTACTS):
        W[LOAD + i] = 0.0 if I[MODE + i] == 0 else W[SCALE + i]
    stuck = factor_delassus(W, I)
    for a in range(stuck):
        column = I[ORDERING + a]
        for b in range(stuck):
            W[MATRIX + I[ORDERING + b] * width + N_CONTACTS] = 1.0 if b == a else 0.0
        substitute(W, I, stuck)
        for i in range(N_CONTACTS):
            effect = 0.0
            for b in range(stuck):
                other = I[ORDERING + b]
                weight = 1.0 if other == i else 0.0
                if I[MODE + i] != 0:
                    weight = W[D + i * N_CONTACTS + other]
                effect += weight * W[MATRIX + other * width + N_CONTACTS + 1]
            W[LOAD + i] += abs(effect) * W[SCALE + column]
