"""Rows on a GPU, put one after another: those that were recorded go to the host, and not the room for more.

Every column lies by itself there, as it is kept on the host.
"""

from stickslip.kernels import model, observation, warp
from stickslip.kernels.records import Floats, Record, Records, field

OF_THREAD: dict[str, int] = {}
OF_BLOCK = ()


class Place(Record):
    """Where the rows of a trajectory go."""

    first: int = field("the first of them among those of all")


class Moment(Record):
    """The time of a row."""

    time: float = field("when it was recorded")


class Mark(Record):
    """What has changed there."""

    contact: int = field("the contact")
    mode: int = field("its mode from then on")


class Spot(Record):
    """Where the motion was."""

    state: Floats = field("positions and velocities", model.STATES)


def gather_kernel(
    count: int,
    places: Records[Place],
    results: Records[observation.Result],
    rows: Records[observation.Row],
    moments: Records[Moment],
    marks: Records[Mark],
    spots: Records[Spot],
) -> None:
    """Put the rows of so many trajectories to their places, a trajectory for each thread."""
    number = warp.block_index() * warp.block_size() + warp.thread_index()
    if number >= count:
        return
    first = results[number].first_row
    place = places[number].first
    for i in range(results[number].rows):
        row = rows[first + i]
        moments[place + i].time = row.time
        marks[place + i].contact = row.contact
        marks[place + i].mode = row.mode
        for j in range(model.STATES):
            spots[place + i].state[j] = row.state[j]
