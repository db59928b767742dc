"""Many trajectories in lockstep from their start to a time: each lane takes one after another. See lockstep.py."""

from stickslip.kernels import condition, model, outcome, queue
from stickslip.kernels.ensemble import End, Ensemble, Start, load
from stickslip.kernels.lane import Lane
from stickslip.kernels.lockrepeat import clear_mark, skip_cycles
from stickslip.kernels.lockstep import advance_all
from stickslip.kernels.march import first_modes
from stickslip.kernels.queue import Queue
from stickslip.kernels.records import Interleaved, Records, field
from stickslip.kernels.trajectory import Trajectory


class Convoy(Ensemble):
    """What trajectories in lockstep have in common."""

    log_tolerance: float = field("the binary logarithm of the tolerance of a step")
    patience: float = field("ticks that they wait for each other: see `wait_is_over` of lockstep.py")


class Departure(Start):
    """How one of them begins."""

    excitation_period: float = field("of the excitation; 0: none, negative: no repetitions are looked for")


def propagate_lanes(
    trajectory: Trajectory,
    lanes: Interleaved[Lane],
    convoy: Convoy,
    waiting: Queue,
    starts: Records[Departure],
    ends: Records[End],
) -> None:
    """Take all trajectories to their ends; LEFT is the status of those that were given up.

    `trajectory` and `waiting` are work space.
    """
    queue.open_queue(waiting, lanes, convoy.count)
    while queue.is_under_way(waiting, trajectory):
        for i in range(queue.lanes_to_look_at(waiting)):
            lane = lanes[i]
            if has_ended(lane):
                arrive(lane, ends[int(lane.number)])
                queue.leave(waiting, lane)
            if queue.takes_up(waiting, lane):
                start = starts[int(lane.number)]
                trajectory.end_time = convoy.end_time
                enter(trajectory, lane, convoy, start, start.excitation_period)
        waiting.attention = 1 if waiting.travelling > 0 and advance_all(lanes) else 0


def has_ended(lane: Lane) -> bool:
    """Whether a trajectory that is not observed has come to its end; one that repeats itself is brought near to it."""
    if lane.condition == condition.RUNNING and lane.recurrence > 0.0:
        skip_cycles(lane)
    lane.recurrence = 0.0
    return lane.condition > condition.RUNNING


def enter(trajectory: Trajectory, lane: Lane, convoy: Convoy, start: Start, excitation_period: float) -> None:
    """Put a trajectory into a lane: as `begin` of march.py, except that modes are settled by the first ticks.

    `trajectory` says when it ends, and is work space otherwise.
    """
    load(trajectory, start, convoy.start_time)
    model.constants(trajectory)
    first_modes(trajectory)
    number = lane.number
    for i in range(Lane.FLOATS):
        lane.floats[i] = 0.0
    lane.number = number
    for i in range(model.STATES):
        lane.state[i] = trajectory.state[i]
        lane.recent_size[i] = abs(trajectory.state[i])
    for i in range(model.CONSTANTS):
        lane.constant[i] = trajectory.constant[i]
    for i in range(model.CONTACTS):
        lane.on_trial[i] = float(trajectory.at_rest[i])
        lane.mode[i] = float(trajectory.mode[i])
        lane.mode_before[i] = condition.UNKNOWN if trajectory.at_rest[i] == 1 else lane.mode[i]
    lane.time = trajectory.time
    lane.end_time = trajectory.end_time
    lane.step_guess = trajectory.step_guess
    lane.longest_step = condition.ENDLESS
    lane.log_tolerance = convoy.log_tolerance
    lane.patience = convoy.patience
    lane.most_steps = float(convoy.most_steps)
    lane.reported = condition.ENDLESS
    lane.excitation_period = excitation_period
    clear_mark(lane, excitation_period >= 0.0)


def arrive(lane: Lane, end: End) -> None:
    """Where and how a trajectory ended."""
    for i in range(model.STATES):
        end.state[i] = lane.state[i]
    end.status = outcome.FINISHED if lane.condition == condition.ARRIVED else outcome.LEFT
    end.events = int(lane.events)
