"""The bristles of a contact: which bond breaks next, and where bonds form anew. docs/bristles.md has the model.

All bristles of a contact move with the mass, so between two bonds their deflections differ from the mean, which is a
state of the model, by what they differed when the last bond formed. Per contact lie at BOND: the deflections of its
bristles then, their mean then, and the highest and the lowest one less that mean. The first bristles are those that
hold in slip: their numbers say nothing about where they are bonded.

Mode s slips away from the bonds: deflections fall for s = 1 until the lowest is −limit, and rise for s = −1.
"""

from stickslip.kernels.chance import uniform
from stickslip.kernels.model import (
    BOND,
    BOND_BEFORE,
    BOND_LIMIT,
    BOND_MEAN,
    BOND_PLACE,
    BOND_STATE,
    BONDED,
    BREAKS,
    BRISTLES,
    MODE,
    N_BONDS,
    N_CONTACTS,
    ORDER,
    POINT,
    POLYNOMIAL,
    POWER,
    SAVED,
    SEED,
    SERIES,
    SLIPPING,
    STATE,
    WIDTH,
    Floats,
    Ints,
    Q,
)
from stickslip.kernels.polynomial import first_crossing


def distance(W: Floats, I: Ints, i: int, number: int) -> float:
    """How far from its old place a bond of contact i forms anew: uniform on (0, 2 m_B)."""
    return 2.0 * W[Q + BOND_MEAN[i]] * uniform(I[SEED], I[POINT], i, I[BONDED] - number)


def gather(W: Floats, i: int, held: int) -> None:
    """The mean deflection of the bristles that hold, and how far the extreme ones are from it."""
    first = BOND + BOND_PLACE[i]
    total = W[first]
    highest = W[first]
    lowest = W[first]
    for j in range(1, held):
        z = W[first + j]
        total += z
        highest = max(highest, z)
        lowest = min(lowest, z)
    mean = total / held
    W[STATE + BOND_STATE[i]] = mean
    after = first + BRISTLES[i]
    W[after] = mean
    W[after + 1] = highest - mean
    W[after + 2] = lowest - mean


def catch_up(W: Floats, i: int, held: int, side: float) -> int:
    """Move all deflections to where the mean is now; the bristle that is closest to its limit in a slip to `side`."""
    first = BOND + BOND_PLACE[i]
    moved = W[STATE + BOND_STATE[i]] - W[first + BRISTLES[i]]
    weakest = 0
    extreme = side * (W[first] + moved)
    for j in range(held):
        z = W[first + j] + moved
        W[first + j] = z
        if side * z < extreme:
            extreme = side * z
            weakest = j
    return weakest


def bond_anew(W: Floats, I: Ints, i: int, bristle: int, side: float, number: int) -> None:
    """The bond of a bristle at its limit breaks, and forms further on in the direction of slip."""
    W[BOND + BOND_PLACE[i] + bristle] = side * (distance(W, I, i, number) - W[Q + BOND_LIMIT[i]])


def break_bond(W: Floats, I: Ints, i: int) -> None:
    """In slip, where a bristle of contact i has reached its limit."""
    side = float(I[MODE + i])
    weakest = catch_up(W, i, SLIPPING[i], side)
    I[BONDED] += 1
    I[BREAKS] += 1
    bond_anew(W, I, i, weakest, side, 1)
    gather(W, i, SLIPPING[i])


def enter_bonds(W: Floats, I: Ints, i: int) -> None:
    """Contact i enters the mode in MODE: all bonds form anew for stick, all but those that hold in slip are lost.

    Bonds are numbered by the event, so that a mode tried more than once at an event has the same bonds every time.
    """
    first = BOND + BOND_PLACE[i]
    if I[MODE + i] == 0:
        for j in range(BRISTLES[i]):
            W[first + j] = -I[SAVED + i] * distance(W, I, i, BOND_PLACE[i] + j + 1)
        gather(W, i, BRISTLES[i])
    else:
        side = float(I[MODE + i])
        released = I[SAVED + i] == 0
        weakest = catch_up(W, i, BRISTLES[i] if released else SLIPPING[i], side)
        if released and weakest < SLIPPING[i]:
            bond_anew(W, I, i, weakest, side, BOND_PLACE[i] + 1)
        gather(W, i, SLIPPING[i])


def start_bonds(W: Floats, I: Ints) -> None:
    """The bonds at the start of a run: scattered as new ones are, around the mean deflection that the start has."""
    I[BREAKS] = 0
    I[BONDED] = N_BONDS
    for i in range(N_CONTACTS):
        if BRISTLES[i] > 0:
            first = BOND + BOND_PLACE[i]
            start = W[STATE + BOND_STATE[i]]
            held = BRISTLES[i] if I[MODE + i] == 0 else SLIPPING[i]
            side = -1.0 if I[MODE + i] > 0 else 1.0
            total = 0.0
            for j in range(BRISTLES[i]):
                W[first + j] = side * distance(W, I, i, BOND_PLACE[i] + j + 1)
                if j < held:
                    total += W[first + j]
            for j in range(BRISTLES[i]):
                W[first + j] += start - total / held
            gather(W, i, held)


def note_bonds(W: Floats, I: Ints) -> None:
    """Remember the bonds before an event, and set numbers aside for those that may form there."""
    I[BONDED] += N_BONDS
    for j in range(N_BONDS):
        W[BOND_BEFORE + j] = W[BOND + j]


def recall_bonds(W: Floats, i: int) -> None:
    """The bonds of contact i as they were before the event."""
    if BRISTLES[i] > 0:
        for j in range(BOND_PLACE[i], BOND_PLACE[i] + BRISTLES[i] + 3):
            W[BOND + j] = W[BOND_BEFORE + j]


def breaking(W: Floats, i: int, side: float) -> float:
    """Where on the step, in [0, 1], the first bond of contact i breaks that holds against `side`; 2 if none does."""
    row = SERIES + BOND_STATE[i] * WIDTH
    after = BOND + BOND_PLACE[i] + BRISTLES[i]
    extreme = W[after + 2] if side > 0.0 else W[after + 1]
    for k in range(ORDER + 1):
        W[POLYNOMIAL + k] = side * W[row + k] * W[POWER + k]
    W[POLYNOMIAL] += W[Q + BOND_LIMIT[i]] + side * extreme
    return first_crossing(W)
