"""Trajectories on a GPU, one per thread, each marched by itself, to its end or observed.

Parameters in OF_THREAD are memory that every thread has to itself, as many records as are said.
"""

from stickslip.kernels import follow, observation, observe, warp
from stickslip.kernels.ensemble import End, Ensemble, Start, propagate_one
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory

OF_THREAD = {"trajectory": 1, "tally": 1, "rings": follow.RINGS}
OF_BLOCK = ()


def propagate_kernel(
    trajectory: Trajectory, tolerance: float, ensemble: Ensemble, starts: Records[Start], ends: Records[End]
) -> None:
    """As `propagate`, without a pause."""
    point = warp.block_index() * warp.block_size() + warp.thread_index()
    if point >= ensemble.count:
        return
    trajectory.tolerance = tolerance
    propagate_one(trajectory, ensemble, starts[point], ends[point])


def observe_kernel(
    trajectory: Trajectory,
    tally: observation.Tally,
    rings: Records[observation.Ring],
    request: observation.Request,
    courses: Records[observation.Course],
    rows: Records[observation.Row],
    results: Records[observation.Result],
) -> None:
    """As `observe`."""
    point = warp.block_index() * warp.block_size() + warp.thread_index()
    if point >= request.trajectories:
        return
    result = results[point]
    result.first_row = point * request.most_rows
    observe.observe_one(trajectory, request, courses[point], tally, rings, rows, result)
