"""Many trajectories, one after another, keeping only where each ends."""

from stickslip.kernels import model, outcome
from stickslip.kernels.machine import latest
from stickslip.kernels.march import begin, travel
from stickslip.kernels.records import Floats, Record, Records, field
from stickslip.kernels.trajectory import Trajectory


class Ensemble(Record):
    """What all trajectories have in common."""

    start_time: float = field("when they begin")
    end_time: float = field("when they end")
    most_steps: int = field("steps after which one is given up")
    pause_after: int = field("steps of all together after which to pause")
    first: int = field("the trajectory to begin with")
    count: int = field("how many there are")


class Start(Record):
    """How one trajectory begins."""

    state: Floats = field("its state", model.STATES)
    parameter: Floats = field("its parameters", model.PARAMETERS)


class End(Record):
    """How one trajectory ends."""

    state: Floats = field("its state", model.STATES)
    status: int = field("its outcome")
    events: int = field("changes of mode")


def propagate(trajectory: Trajectory, ensemble: Ensemble, starts: Records[Start], ends: Records[End]) -> int:
    """Take all trajectories to their ends, from the first on.

    When they have made so many steps as to pause it returns the trajectory it is at; called again with that for the
    first and the same work space, it goes on there. It returns their number when all are done.
    """
    steps_left = ensemble.pause_after
    for row in range(ensemble.first, ensemble.count):
        if latest(trajectory.halt, 0) != 0:
            break
        status = outcome.FINISHED
        if row > ensemble.first or trajectory.steps == 0:
            status = set_out(trajectory, ensemble, starts[row])
        before = trajectory.steps
        if status == outcome.FINISHED:
            status = travel(trajectory, min(ensemble.most_steps, before + steps_left))
        if status == outcome.TOO_MANY_STEPS and trajectory.steps < ensemble.most_steps:
            return row
        steps_left -= trajectory.steps - before
        arrive(trajectory, status, ends[row])
    return ensemble.count


def propagate_one(trajectory: Trajectory, ensemble: Ensemble, start: Start, end: End) -> None:
    """One of them, without a pause."""
    status = set_out(trajectory, ensemble, start)
    if status == outcome.FINISHED:
        status = travel(trajectory, ensemble.most_steps)
    arrive(trajectory, status, end)


def set_out(trajectory: Trajectory, ensemble: Ensemble, start: Start) -> int:
    """Begin a trajectory."""
    place(trajectory, start)
    trajectory.time = ensemble.start_time
    trajectory.end_time = ensemble.end_time
    trajectory.step_guess = 1.0
    return begin(trajectory)


def place(trajectory: Trajectory, start: Start) -> None:
    """Put a trajectory at its start, with its parameters."""
    for i in range(model.STATES):
        trajectory.state[i] = start.state[i]
    for i in range(model.PARAMETERS):
        trajectory.parameter[i] = start.parameter[i]


def arrive(trajectory: Trajectory, status: int, end: End) -> None:
    """Where and how a trajectory ended."""
    for i in range(model.STATES):
        end.state[i] = trajectory.state[i]
    end.status = status
    end.events = trajectory.events
