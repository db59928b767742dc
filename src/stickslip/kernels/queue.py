"""A queue of trajectories that travel in lockstep: a lane takes up one after another."""

from stickslip.kernels.condition import PARKED
from stickslip.kernels.lane import Lane
from stickslip.kernels.machine import LANES, latest
from stickslip.kernels.records import Interleaved, Record, field
from stickslip.kernels.trajectory import Trajectory


class Queue(Record):
    """How far it has come."""

    count: int = field("how many trajectories there are")
    following: int = field("the one that is taken up next")
    travelling: int = field("how many are in lanes")
    attention: int = field("1 if lanes are to be looked at")


def open_queue(queue: Queue, lanes: Interleaved[Lane], count: int) -> None:
    """Put all trajectories into the queue; lanes are empty."""
    queue.count = count
    queue.following = 0
    queue.travelling = 0
    queue.attention = 1
    for i in range(LANES):
        lane = lanes[i]
        lane.condition = PARKED


def is_under_way(queue: Queue, trajectory: Trajectory) -> bool:
    """Whether there is work left, and the user has not ended it."""
    return (queue.attention == 1 or queue.travelling > 0) and latest(trajectory.halt, 0) == 0


def lanes_to_look_at(queue: Queue) -> int:
    """All, or none."""
    return LANES if queue.attention == 1 else 0


def takes_up(queue: Queue, lane: Lane) -> bool:
    """Whether a trajectory goes into the lane now: it is empty, and there is one left. `number` says which."""
    if lane.condition != PARKED or queue.following >= queue.count:
        return False
    lane.number = float(queue.following)
    queue.following += 1
    queue.travelling += 1
    return True


def leave(queue: Queue, lane: Lane) -> None:
    """Empty the lane."""
    lane.condition = PARKED
    queue.travelling -= 1
