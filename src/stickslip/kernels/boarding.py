"""Trajectories put into lanes before they travel on a GPU, and taken out at their ends: one per thread.

A trajectory that begins needs a long record, which a thread keeps in slow memory. The kernels in which threads travel
(crew.py) do without: they find lanes that are ready among those that are kept, and leave them there.

Parameters in OF_THREAD are memory that every thread has to itself, as many records as are said.
"""

from stickslip.kernels import lockensemble, lockobserve, observation, warp
from stickslip.kernels.convoy import Convoy
from stickslip.kernels.ensemble import End
from stickslip.kernels.lane import Lane
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory

OF_THREAD = {"trajectory": 1}
OF_BLOCK = ()


def start_kernel(
    trajectory: Trajectory, convoy: Convoy, starts: Records[lockensemble.Departure], kept: Records[Lane]
) -> None:
    """Let trajectories begin at their starts."""
    number = own_number()
    if number < convoy.trajectories:
        kept[number].number = float(number)
        lockensemble.depart(trajectory, kept[number], convoy, starts[number])


def course_kernel(
    trajectory: Trajectory, convoy: Convoy, courses: Records[observation.Course], kept: Records[Lane]
) -> None:
    """Let trajectories begin that are to be observed."""
    number = own_number()
    if number < convoy.trajectories:
        kept[number].number = float(number)
        lockobserve.depart(trajectory, kept[number], convoy, courses[number])


def end_kernel(convoy: Convoy, kept: Records[Lane], ends: Records[End]) -> None:
    """Where and how they have ended."""
    number = own_number()
    if number < convoy.trajectories:
        lockensemble.arrive(kept[number], ends[number])


def own_number() -> int:
    """The trajectory of this thread, or a number beyond the last."""
    return warp.block_index() * warp.block_size() + warp.thread_index()
