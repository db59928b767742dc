"""The bristles of a contact: which bond breaks next, and where bonds form anew. docs/bristles.md has the model.

All bristles of a contact move with the mass, so between two bonds their deflections differ from the mean, which is a
state of the model, by what they differed when the last bond formed. Per contact lie in `store`: the deflections of its
bristles then, their mean then, and the highest and the lowest one less that mean. The first bristles are those that
hold in slip: their numbers say nothing about where they are bonded.

Mode s slips away from the bonds: deflections fall for s = 1 until the lowest is −limit, and rise for s = −1.
"""

import numpy as np

from stickslip.kernels import model
from stickslip.kernels.chance import uniform
from stickslip.kernels.records import Ints
from stickslip.kernels.trajectory import Trajectory

BRISTLES: Ints = np.array([0])
SLIPPING: Ints = np.array([0])
BOND_STATE: Ints = np.array([0])
BOND_LIMIT: Ints = np.array([0])
BOND_MEAN: Ints = np.array([0])
"""Per contact: the bristles that hold in stick (0: it has none) and in slip; the state that is their mean deflection,
and the numbers of two constants: the limit, and the mean distance of new bonds. The module of the model sets them."""

BONDS_PLACED = BONDS_BROKEN = 0
"""Where lie the counts of bonds that chance has placed, and of those that have broken in slip."""


def distance(trajectory: Trajectory, i: int, number: int) -> float:
    """How far from its old place a bond of contact i forms anew: uniform on (0, 2 m_B)."""
    return (
        2.0
        * trajectory.constant[BOND_MEAN[i]]
        * uniform(trajectory.seed, trajectory.number, i, trajectory.count[BONDS_PLACED] - number)
    )


def gather(trajectory: Trajectory, i: int, held: int) -> None:
    """The mean deflection of the bristles that hold, and how far the extreme ones are from it."""
    first = model.STORE_PLACE[i]
    total = trajectory.store[first]
    highest = trajectory.store[first]
    lowest = trajectory.store[first]
    for j in range(1, held):
        z = trajectory.store[first + j]
        total += z
        highest = max(highest, z)
        lowest = min(lowest, z)
    mean = total / held
    trajectory.state[BOND_STATE[i]] = mean
    after = first + BRISTLES[i]
    trajectory.store[after] = mean
    trajectory.store[after + 1] = highest - mean
    trajectory.store[after + 2] = lowest - mean


def catch_up(trajectory: Trajectory, i: int, held: int, side: float) -> int:
    """Move all deflections to where the mean is now; the bristle that is closest to its limit in a slip to `side`."""
    first = model.STORE_PLACE[i]
    moved = trajectory.state[BOND_STATE[i]] - trajectory.store[first + BRISTLES[i]]
    weakest = 0
    extreme = side * (trajectory.store[first] + moved)
    for j in range(held):
        z = trajectory.store[first + j] + moved
        trajectory.store[first + j] = z
        if side * z < extreme:
            extreme = side * z
            weakest = j
    return weakest


def bond_anew(trajectory: Trajectory, i: int, bristle: int, side: float, number: int) -> None:
    """The bond of a bristle at its limit breaks, and forms further on in the direction of slip."""
    trajectory.store[model.STORE_PLACE[i] + bristle] = side * (
        distance(trajectory, i, number) - trajectory.constant[BOND_LIMIT[i]]
    )


def jump(trajectory: Trajectory, i: int) -> None:
    """In slip, where a bristle of contact i has reached its limit."""
    side = float(trajectory.mode[i])
    weakest = catch_up(trajectory, i, SLIPPING[i], side)
    trajectory.count[BONDS_PLACED] += 1
    trajectory.count[BONDS_BROKEN] += 1
    bond_anew(trajectory, i, weakest, side, 1)
    gather(trajectory, i, SLIPPING[i])


def enter(trajectory: Trajectory, i: int) -> None:
    """Contact i enters its mode: all bonds form anew for stick, all but those that hold in slip are lost.

    Bonds are numbered by the event, so that a mode tried more than once at an event has the same bonds every time.
    """
    first = model.STORE_PLACE[i]
    if trajectory.mode[i] == 0:
        for j in range(BRISTLES[i]):
            trajectory.store[first + j] = -trajectory.mode_before[i] * distance(
                trajectory, i, model.STORE_PLACE[i] + j + 1
            )
        gather(trajectory, i, BRISTLES[i])
    else:
        side = float(trajectory.mode[i])
        released = trajectory.mode_before[i] == 0
        weakest = catch_up(trajectory, i, BRISTLES[i] if released else SLIPPING[i], side)
        if released and weakest < SLIPPING[i]:
            bond_anew(trajectory, i, weakest, side, model.STORE_PLACE[i] + 1)
        gather(trajectory, i, SLIPPING[i])


def start(trajectory: Trajectory) -> None:
    """The bonds at the start of a run: scattered as new ones are, around the mean deflection that the start has."""
    trajectory.count[BONDS_BROKEN] = 0
    trajectory.count[BONDS_PLACED] = model.STORE
    for i in range(model.CONTACTS):
        if BRISTLES[i] > 0:
            first = model.STORE_PLACE[i]
            start = trajectory.state[BOND_STATE[i]]
            held = BRISTLES[i] if trajectory.mode[i] == 0 else SLIPPING[i]
            side = -1.0 if trajectory.mode[i] > 0 else 1.0
            total = 0.0
            for j in range(BRISTLES[i]):
                trajectory.store[first + j] = side * distance(trajectory, i, model.STORE_PLACE[i] + j + 1)
                if j < held:
                    total += trajectory.store[first + j]
            for j in range(BRISTLES[i]):
                trajectory.store[first + j] += start - total / held
            gather(trajectory, i, held)


def note(trajectory: Trajectory) -> None:
    """Remember the bonds before an event, and set numbers aside for those that may form there."""
    trajectory.count[BONDS_PLACED] += model.STORE
    for j in range(model.STORE):
        trajectory.store_before[j] = trajectory.store[j]


def recall(trajectory: Trajectory, i: int) -> None:
    """The bonds of contact i as they were before the event."""
    for j in range(model.STORE_PLACE[i], model.STORE_PLACE[i] + BRISTLES[i] + 3):
        trajectory.store[j] = trajectory.store_before[j]
