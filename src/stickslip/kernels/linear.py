"""The forces of the sticking contacts: a linear system, factored once a step and solved at every order.

It is dense for few contacts, and has a band for many.
"""

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
    stuck = line_up(trajectory)
    largest = 0.0
    for a in range(stuck):
        for b in range(first_left_of(trajectory, a), last_below(trajectory, a, stuck)):
            largest = max(largest, abs(trajectory.matrix[trajectory.sticking[a], trajectory.sticking[b]]))
    for a in range(stuck):
        column = trajectory.sticking[a]
        best = a
        end = last_below(trajectory, a, stuck)
        for b in range(a + 1, end):
            rival = abs(trajectory.matrix[trajectory.pivot[b], column])
            if rival > abs(trajectory.matrix[trajectory.pivot[best], column]):
                best = b
        row = trajectory.pivot[best]
        trajectory.pivot[best] = trajectory.pivot[a]
        trajectory.pivot[a] = row
        if abs(trajectory.matrix[row, column]) <= 1e-12 * largest:
            return -1
        for b in range(a + 1, end):
            below = trajectory.pivot[b]
            ratio = trajectory.matrix[below, column] / trajectory.matrix[row, column]
            trajectory.matrix[below, column] = ratio
            if ratio != 0.0:
                for c in range(a + 1, last_right_of(trajectory, a, stuck)):
                    other = trajectory.sticking[c]
                    trajectory.matrix[below, other] -= ratio * trajectory.matrix[row, other]
    return stuck


def line_up(trajectory: Trajectory) -> int:
    """The sticking contacts in the order of elimination, and what each of them reaches; how many there are."""
    stuck = 0
    for place in range(model.CONTACTS):
        i = model.ELIMINATION[place] if model.BANDED == 1 else place
        if trajectory.mode[i] == 0:
            trajectory.sticking[stuck] = i
            trajectory.pivot[stuck] = i
            stuck += 1
    if model.BANDED == 1:
        note_band(trajectory, stuck)
    return stuck


# -- the band --------------------------------------------------------------------------------------------------------
# In a large system a contact feels few others. With the contacts in the order ELIMINATION the equations are zero
# beyond REACH, and elimination keeps them so: columns reach down to the last contact that feels one up to their own,
# rows, since they may be exchanged within that, as far to the right as those do.


def note_band(trajectory: Trajectory, stuck: int) -> None:
    """How far columns reach down, among the sticking contacts, and where the rows begin."""
    trajectory.in_band = stuck
    end = 0
    first = 0
    for a in range(stuck):
        while end < stuck and model.PLACE[trajectory.sticking[end]] <= model.REACH[trajectory.sticking[a]]:
            end += 1
        trajectory.band_end[a] = end
        while trajectory.band_end[first] <= a:
            first += 1
        trajectory.band_begin[trajectory.sticking[a]] = first


def first_left_of(trajectory: Trajectory, a: int) -> int:
    """The first column in which the row that began as number a has something."""
    return trajectory.band_begin[trajectory.sticking[a]] if model.BANDED == 1 else 0


def last_below(trajectory: Trajectory, a: int, stuck: int) -> int:
    """Behind the last row in which column a has something."""
    return trajectory.band_end[a] if model.BANDED == 1 else stuck


def last_right_of(trajectory: Trajectory, a: int, stuck: int) -> int:
    """Behind the last column in which the row that is eliminated as number a has something."""
    return trajectory.band_end[trajectory.band_end[a] - 1] if model.BANDED == 1 else stuck


def clear_band(trajectory: Trajectory) -> None:
    """Leave nothing of the last elimination where the equations themselves are zero."""
    for a in range(trajectory.in_band):
        row = trajectory.pivot[a]
        for b in range(trajectory.band_begin[row], last_right_of(trajectory, a, trajectory.in_band)):
            trajectory.matrix[row, trajectory.sticking[b]] = 0.0
    trajectory.in_band = 0


# -- solutions -------------------------------------------------------------------------------------------------------


def substitute(trajectory: Trajectory, stuck: int) -> None:
    """Solve for the right-hand side, which is used up."""
    for a in range(stuck):
        row = trajectory.pivot[a]
        for b in range(trajectory.band_begin[row] if model.BANDED == 1 else 0, a):
            known = trajectory.right_side[trajectory.pivot[b]]
            trajectory.right_side[row] -= trajectory.matrix[row, trajectory.sticking[b]] * known
    for a in range(stuck - 1, -1, -1):
        row = trajectory.pivot[a]
        total = trajectory.right_side[row]
        for b in range(a + 1, last_right_of(trajectory, a, stuck)):
            other = trajectory.sticking[b]
            total -= trajectory.matrix[row, other] * trajectory.solution[other]
        trajectory.solution[trajectory.sticking[a]] = total / trajectory.matrix[row, trajectory.sticking[a]]


def factor_delassus(trajectory: Trajectory) -> int:
    """`factor` for the Delassus matrix at the present state, which `ingredients` has left in D."""
    if model.BANDED == 1:
        clear_band(trajectory)
        for i in range(model.CONTACTS):
            for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
                j = model.COUPLED[e]
                trajectory.matrix[i, j] = trajectory.D[i, j]
    else:
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
        for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
            j = model.COUPLED[e]
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
            effect = trajectory.solution[i] if trajectory.mode[i] == 0 else 0.0
            if trajectory.mode[i] != 0:
                for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
                    other = model.COUPLED[e]
                    if trajectory.mode[other] == 0:
                        effect += trajectory.D[i, other] * trajectory.solution[other]
            trajectory.load[i] += abs(effect) * trajectory.acceleration_size[column]
