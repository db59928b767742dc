"""Many trajectories in lockstep from their start to a time: each lane takes one after another. See lockstep.py."""

from stickslip.kernels import condition, mode, model, outcome
from stickslip.kernels.convoy import Convoy, assemble, is_under_way, lanes_to_look_at, leave, takes_up
from stickslip.kernels.ensemble import End, Start, place
from stickslip.kernels.lane import Lane
from stickslip.kernels.lockrepeat import clear_mark, skip_cycles
from stickslip.kernels.lockstep import advance_all
from stickslip.kernels.records import Interleaved, Records, field
from stickslip.kernels.trajectory import Trajectory


class Departure(Start):
    """How one of them begins."""

    excitation_period: float = field("of the excitation; 0: none, negative: no repetitions are looked for")


def propagate_lanes(
    convoy: Convoy,
    trajectory: Trajectory,
    lanes: Interleaved[Lane],
    starts: Records[Departure],
    ends: Records[End],
) -> None:
    """Take all trajectories to their ends; LEFT is the status of those that were given up.

    `trajectory` and `lanes` are work space.
    """
    assemble(convoy, lanes)
    while is_under_way(convoy):
        for i in range(lanes_to_look_at(convoy)):
            lane = lanes[i]
            if has_ended(lane):
                arrive(lane, ends[int(lane.number)])
                leave(convoy, lane)
            if takes_up(convoy, lane):
                depart(trajectory, lane, convoy, starts[int(lane.number)])
        convoy.attention = 1 if convoy.travelling > 0 and advance_all(lanes) else 0


def depart(trajectory: Trajectory, lane: Lane, convoy: Convoy, start: Departure) -> None:
    """Let a trajectory begin in a lane."""
    place(trajectory, start)
    trajectory.time = convoy.start_time
    trajectory.end_time = convoy.end_time
    trajectory.step_guess = 1.0
    enter(trajectory, lane, convoy, start.excitation_period)


def has_ended(lane: Lane) -> bool:
    """Whether a trajectory that is not observed has come to its end; one that repeats itself is brought near to it."""
    if lane.condition == condition.RUNNING and lane.recurrence > 0.0:
        skip_cycles(lane)
    lane.recurrence = 0.0
    return lane.condition > condition.RUNNING


def enter(trajectory: Trajectory, lane: Lane, convoy: Convoy, excitation_period: float) -> None:
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
