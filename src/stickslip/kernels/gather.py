"""Rows on a GPU, put one after another: those that were recorded go to the host, and not the room for more."""

from stickslip.kernels import model, observation, warp
from stickslip.kernels.records import Record, Records, field

OF_THREAD: dict[str, int] = {}
OF_BLOCK = ()


class Place(Record):
    """Where the rows of a trajectory go."""

    first: int = field("the first of them among those of all")


def gather_kernel(
    begin: int,
    end: int,
    places: Records[Place],
    results: Records[observation.Result],
    rows: Records[observation.Row],
    packed: Records[observation.Row],
) -> None:
    """Put the rows of the trajectories from `begin` to `end` to their places, a trajectory for each thread."""
    number = begin + warp.block_index() * warp.block_size() + warp.thread_index()
    if number >= end:
        return
    first = results[number].first_row
    place = places[number - begin].first
    for i in range(results[number].rows):
        source = rows[first + i]
        row = packed[place + i]
        row.time = source.time
        row.contact = source.contact
        row.mode = source.mode
        for j in range(model.STATES):
            row.state[j] = source.state[j]
