"""Trajectories that travel in lockstep: what is asked of them, and the queue from which lanes take them up."""

from stickslip.kernels.condition import PARKED
from stickslip.kernels.lane import Lane
from stickslip.kernels.machine import LANES, latest
from stickslip.kernels.observation import Request
from stickslip.kernels.records import Interleaved, Ints, field


class Convoy(Request):
    """What they have in common, and how far they have come."""

    start_time: float = field("when they begin")
    end_time: float = field("when they end, where they are not observed")
    log_tolerance: float = field("the binary logarithm of the tolerance of a step")
    patience: float = field("ticks that they wait for each other: see `wait_is_over` of lockstep.py")
    following: int = field("the one that is taken up next")
    travelling: int = field("how many are in lanes")
    attention: int = field("1 if lanes are to be looked at")
    halt: Ints = field("not 0: stop at once", 1)


def assemble(convoy: Convoy, lanes: Interleaved[Lane]) -> None:
    """All trajectories wait, and all lanes are empty."""
    convoy.following = 0
    convoy.travelling = 0
    convoy.attention = 1
    for i in range(LANES):
        lane = lanes[i]
        lane.condition = PARKED


def is_under_way(convoy: Convoy) -> bool:
    """Whether there is work left, and the user has not ended it."""
    return (convoy.attention == 1 or convoy.travelling > 0) and latest(convoy.halt, 0) == 0


def lanes_to_check(convoy: Convoy) -> int:
    """How many lanes may hold what has ended, or nothing: all, or none."""
    return LANES if convoy.attention == 1 else 0


def takes_up(convoy: Convoy, lane: Lane) -> bool:
    """Whether a trajectory goes into the lane now: it is empty, and one waits. `number` says which."""
    if lane.condition != PARKED or convoy.following >= convoy.trajectories:
        return False
    lane.number = float(convoy.following)
    convoy.following += 1
    convoy.travelling += 1
    return True


def leave(convoy: Convoy, lane: Lane) -> None:
    """Empty the lane."""
    lane.condition = PARKED
    convoy.travelling -= 1
