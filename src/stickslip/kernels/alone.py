"""Trajectories on a GPU, one per thread, each marched by itself, to its end or observed.

Parameters in OF_THREAD are memory that every thread has to itself, as many records as are said.
"""

from stickslip.kernels.ensemble import End, Ensemble, Start, propagate_one
from stickslip.kernels.follow import RINGS
from stickslip.kernels.observation import Course, Request, Result, Ring, Row, Tally
from stickslip.kernels.observe import observe_one
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory
from stickslip.kernels.warp import block_index, block_size, thread_index

OF_THREAD = {"trajectory": 1, "tally": 1, "rings": RINGS}
OF_BLOCK = ()


def propagate_kernel(
    trajectory: Trajectory, tolerance: float, ensemble: Ensemble, starts: Records[Start], ends: Records[End]
) -> None:
    """As `propagate`, without a pause."""
    point = block_index() * block_size() + thread_index()
    if point >= ensemble.count:
        return
    trajectory.tolerance = tolerance
    propagate_one(trajectory, ensemble, starts[point], ends[point])


def observe_kernel(
    trajectory: Trajectory,
    tally: Tally,
    rings: Records[Ring],
    request: Request,
    courses: Records[Course],
    rows: Records[Row],
    results: Records[Result],
) -> None:
    """As `observe`."""
    point = block_index() * block_size() + thread_index()
    if point >= request.trajectories:
        return
    result = results[point]
    result.first_row = point * request.most_rows
    observe_one(trajectory, request, courses[point], tally, rings, rows, result)
