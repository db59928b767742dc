"""The forces of the sticking contacts: a small dense system, factored once a step and solved at every order."""

from stickslip.kernels import model
from stickslip.kernels.trajectory import Trajectory


def count_stuck(trajectory: Trajectory) -> int:
    """How many contacts stick."""
    stuck = 0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            stuck += 1
    return stuck


def factor(trajectory: Trajectory) -> int:
    """LU-factor the part that belongs to sticking contacts; their number, or -1 if it is singular."""
    stuck = 0
    largest = 0.0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            trajectory.sticking[stuck] = i
            trajectory.pivot[stuck] = i
            stuck += 1
    for a in range(stuck):
        for b in range(stuck):
            largest = max(largest, abs(trajectory.matrix[trajectory.sticking[a], trajectory.sticking[b]]))
    for a in range(stuck):
        column = trajectory.sticking[a]
        best = a
        for b in range(a + 1, stuck):
            rival = abs(trajectory.matrix[trajectory.pivot[b], column])
            if rival > abs(trajectory.matrix[trajectory.pivot[best], column]):
                best = b
        row = trajectory.pivot[best]
        trajectory.pivot[best] = trajectory.pivot[a]
        trajectory.pivot[a] = row
        if abs(trajectory.matrix[row, column]) <= 1e-12 * largest:
            return -1
        for b in range(a + 1, stuck):
            below = trajectory.pivot[b]
            ratio = trajectory.matrix[below, column] / trajectory.matrix[row, column]
            trajectory.matrix[below, column] = ratio
            if ratio != 0.0:
                for c in range(a + 1, stuck):
                    other = trajectory.sticking[c]
                    trajectory.matrix[below, other] -= ratio * trajectory.matrix[row, other]
    return stuck


def substitute(trajectory: Trajectory, stuck: int) -> None:
    """Solve for the right-hand side, which is used up."""
    for a in range(stuck):
        row = trajectory.pivot[a]
        for b in range(a):
            known = trajectory.right_side[trajectory.pivot[b]]
            trajectory.right_side[row] -= trajectory.matrix[row, trajectory.sticking[b]] * known
    for a in range(stuck - 1, -1, -1):
        row = trajectory.pivot[a]
        total = trajectory.right_side[row]
        for b in range(a + 1, stuck):
            other = trajectory.sticking[b]
            total -= trajectory.matrix[row, other] * trajectory.solution[other]
        trajectory.solution[trajectory.sticking[a]] = total / trajectory.matrix[row, trajectory.sticking[a]]


def factor_delassus(trajectory: Trajectory) -> int:
    """`factor` for the Delassus matrix at the present state, which `ingredients` has left in D."""
    for i in range(model.CONTACTS):
        for j in range(model.CONTACTS):
            trajectory.matrix[i, j] = trajectory.D[i, j]
    return factor(trajectory)


def add_up_loads(trajectory: Trajectory) -> None:
    """The size of the terms that decide about each contact: its force in stick, its acceleration in slip.

    Both feel what holds the sticking contacts. They are two sides of one number, so they must be measured alike: what
    is zero but for round-off in stick is so in slip.
    """
    coupled = False
    for i in range(model.CONTACTS):
        own = abs(trajectory.D[i, i])
        size = trajectory.acceleration_size[i]
        trajectory.load[i] = size / own if trajectory.mode[i] == 0 and own > 0.0 else size
        for j in range(model.CONTACTS):
            coupled = coupled or (i != j and trajectory.mode[j] == 0 and trajectory.D[i, j] != 0.0)
    if coupled:
        add_up_coupled_loads(trajectory)


def add_up_coupled_loads(trajectory: Trajectory) -> None:
    """The same where sticking contacts push others: |D⁻¹| times the sizes of the slip accelerations, by columns."""
    for i in range(model.CONTACTS):
        trajectory.load[i] = 0.0 if trajectory.mode[i] == 0 else trajectory.acceleration_size[i]
    stuck = factor_delassus(trajectory)
    for a in range(stuck):
        column = trajectory.sticking[a]
        for b in range(stuck):
            trajectory.right_side[trajectory.sticking[b]] = 1.0 if b == a else 0.0
        substitute(trajectory, stuck)
        for i in range(model.CONTACTS):
            effect = 0.0
            for b in range(stuck):
                other = trajectory.sticking[b]
                weight = 1.0 if other == i else 0.0
                if trajectory.mode[i] != 0:
                    weight = trajectory.D[i, other]
                effect += weight * trajectory.solution[other]
            trajectory.load[i] += abs(effect) * trajectory.acceleration_size[column]
