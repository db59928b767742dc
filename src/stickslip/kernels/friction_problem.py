"""The friction problem of one step: forces of all contacts and their velocities at its end, found together.

With v′ for the velocities at its end: v′ = free + h D λ, and λᵢ ∈ −boundᵢ · Sign(v′ᵢ).
"""

from stickslip.kernels import model
from stickslip.kernels.linear import factor_delassus, substitute
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.trajectory import Trajectory

PRECISION = 1e-12  # relative, of each step's solution
ROUNDS, SWEEPS = 200, 10
RELAXATION = 1.3


class FrictionProblem(Record):
    """The friction problem of one step, for all contacts; the modes of the trajectory are a guess, and its solution."""

    bound: Floats = field("how large the friction force of each may be", model.CONTACTS)
    force: Floats = field("friction forces λ", model.CONTACTS)
    force_before: Floats = field("these before modes were tried", model.CONTACTS)
    free_v: Floats = field("sliding velocities at the end of the step without friction", model.CONTACTS)
    start_v: Floats = field("those at its start", model.CONTACTS)


def push(trajectory: Trajectory, problem: FrictionProblem, i: int) -> float:
    """What the friction forces add to the rate of state i."""
    total = 0.0
    for e in range(model.ACTING_START[i], model.ACTING_START[i + 1]):
        j = model.ACTING[e]
        total += trajectory.G[i, j] * problem.force[j]
    return total


def pull(trajectory: Trajectory, problem: FrictionProblem, i: int) -> float:
    """What the friction forces add to the slip acceleration of contact i."""
    total = 0.0
    for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
        j = model.COUPLED[e]
        total += trajectory.D[i, j] * problem.force[j]
    return total


def solve_contacts(trajectory: Trajectory, problem: FrictionProblem, h: float) -> int:
    """λ and modes on a step of length h; 0 if found.

    First as if every contact kept its mode, which is a linear system; where that contradicts itself, a few sweeps of
    projected Gauss–Seidel say which modes to try next.
    """
    for _ in range(ROUNDS):
        if keeps_modes(trajectory, problem, h):
            return 0
        change = 1.0
        for _ in range(SWEEPS):
            change = sweep(trajectory, problem, h)
        for i in range(model.CONTACTS):
            inside = abs(problem.force[i]) < problem.bound[i] * (1.0 - PRECISION)
            trajectory.mode[i] = 0 if inside else side_of(problem, i)
        if change <= PRECISION:  # also where redundant contacts leave the forces open: any of the solutions will do
            return 0
    return 1


def side_of(problem: FrictionProblem, i: int) -> int:
    """The side to which a contact slips whose force is at its bound; without friction, that of its velocity."""
    if problem.force[i] != 0.0:
        return -1 if problem.force[i] > 0.0 else 1
    return 1 if problem.free_v[i] >= 0.0 else -1


def attracts(trajectory: Trajectory, i: int) -> bool:
    """Whether friction acts against the velocity of the contact; where it does not, a contact cannot stick."""
    return trajectory.D[i, i] > 0.0


def keeps_modes(trajectory: Trajectory, problem: FrictionProblem, h: float) -> bool:
    """Solve for the forces with the present modes; whether both agree. If not, the forces stay as they were."""
    for i in range(model.CONTACTS):
        if not attracts(trajectory, i):
            trajectory.mode[i] = 1 if problem.start_v[i] >= 0.0 else -1
    stuck = factor_delassus(trajectory)
    if stuck < 0:
        return False
    for i in range(model.CONTACTS):
        problem.force_before[i] = problem.force[i]
        problem.force[i] = -float(trajectory.mode[i]) * problem.bound[i]
    for i in range(model.CONTACTS):
        trajectory.right_side[i] = -problem.free_v[i] / h - pull(trajectory, problem, i)
    substitute(trajectory, stuck)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            problem.force[i] = trajectory.solution[i]
    if modes_agree(trajectory, problem, h):
        return True
    for i in range(model.CONTACTS):
        problem.force[i] = problem.force_before[i] if attracts(trajectory, i) else problem.force[i]
    return False


def modes_agree(trajectory: Trajectory, problem: FrictionProblem, h: float) -> bool:
    """Whether what sticks is held within its bound, and what slips moves to its side."""
    agree = True
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            if abs(problem.force[i]) > problem.bound[i] * (1.0 + PRECISION):
                agree = False
        elif attracts(trajectory, i):
            v = (problem.free_v[i] + h * pull(trajectory, problem, i)) * float(trajectory.mode[i])
            if v < -PRECISION * (abs(problem.free_v[i]) + h * trajectory.D[i, i] * problem.bound[i]):
                agree = False
    return agree


def sweep(trajectory: Trajectory, problem: FrictionProblem, h: float) -> float:
    """One sweep of projected Gauss–Seidel with over-relaxation; the largest change of a force, over its bound."""
    largest = 0.0
    for i in range(model.CONTACTS):
        if attracts(trajectory, i):
            before = problem.force[i]
            v = problem.free_v[i] + h * pull(trajectory, problem, i)
            force = before - RELAXATION * v / (h * trajectory.D[i, i])
            problem.force[i] = min(max(force, -problem.bound[i]), problem.bound[i])
            if problem.bound[i] > 0.0:
                largest = max(largest, abs(problem.force[i] - before) / problem.bound[i])
    return largest
