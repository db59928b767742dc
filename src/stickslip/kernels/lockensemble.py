"""Many trajectories in lockstep from their start to a time: each lane takes one after another. See lockstep.py."""

from stickslip.kernels import condition, ensemble, lockmemory, lockrepeat, lockstep, mode, model, outcome
from stickslip.kernels import convoy as queue
from stickslip.kernels.lane import Lane
from stickslip.kernels.records import Interleaved, Records, field
from stickslip.kernels.trajectory import Trajectory


class Departure(ensemble.Start):
    """How one of them begins."""

    excitation_period: float = field("of the excitation; 0: none, negative: no repetitions are looked for")


def propagate_lanes(
    convoy: queue.Convoy,
    trajectory: Trajectory,
    lanes: Interleaved[Lane],
    starts: Records[Departure],
    ends: Records[ensemble.End],
) -> None:
    """Take all trajectories to their ends; LEFT is the status of those that were given up.

    `trajectory` and `lanes` are work space.
    """
    queue.assemble(convoy, lanes)
    while queue.is_under_way(convoy):
        for i in range(queue.lanes_to_check(convoy)):
            lane = lanes[i]
            if has_ended(lane):
                arrive(lane, ends[int(lane.number)])
                queue.leave(convoy, lane)
            if queue.takes_up(convoy, lane):
                depart(trajectory, lane, convoy, starts[int(lane.number)])
        convoy.attention = 1 if convoy.travelling > 0 and lockstep.advance_all(lanes) else 0


def depart(trajectory: Trajectory, lane: Lane, convoy: queue.Convoy, start: Departure) -> None:
    """Let a trajectory begin in a lane."""
    ensemble.place(trajectory, start)
    trajectory.time = convoy.start_time
    trajectory.end_time = convoy.end_time
    trajectory.step_guess = 1.0
    enter(trajectory, lane, convoy, start.excitation_period)


def has_ended(lane: Lane) -> bool:
    """Whether a trajectory that is not observed has come to its end; one that repeats itself is brought near to it."""
    lockmemory.enter_modes(lane)
    if lane.condition == condition.RUNNING and lane.recurrence > 0.0:
        lockrepeat.skip_cycles(lane)
    lane.recurrence = 0.0
    return lane.condition > condition.RUNNING


def enter(trajectory: Trajectory, lane: Lane, convoy: queue.Convoy, excitation_period: float) -> None:
    """Put a trajectory into a lane, from its state, parameters and times: as `begin` of march.py, except that modes are
    settled by the first ticks."""
    model.constants(trajectory)
    mode.set_first_modes(trajectory)
    number = lane.number
    for i in range(Lane.FLOATS):
        lane.floats[i] = 0.0
    lane.number = number
    for i in range(model.STATES):
        lane.state[i] = trajectory.state[i]
        lane.recent_size[i] = abs(trajectory.state[i])
    for i in range(model.CONSTANTS):
        lane.constant[i] = trajectory.constant[i]
    if model.BRANCHES > 0:
        take_branches(trajectory, lane)
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
    lockrepeat.clear_mark(lane, excitation_period >= 0.0 and model.DRAWS == 0)  # what chance holds is no state
    lockmemory.begin_memory(trajectory, lane)


def take_branches(trajectory: Trajectory, lane: Lane) -> None:
    """The frozen branches at the start."""
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    model.branches(trajectory, 0.0)
    for i in range(model.BRANCHES):
        lane.branch[i] = float(trajectory.branch[i])
    if model.TABLES > 0:
        model.load_intervals(lane)


def arrive(lane: Lane, end: ensemble.End) -> None:
    """Where and how a trajectory ended."""
    for i in range(model.STATES):
        end.state[i] = lane.state[i]
    end.status = outcome.FINISHED if lane.condition == condition.ARRIVED else outcome.LEFT
    end.events = int(lane.events)
