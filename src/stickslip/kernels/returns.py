"""From release to release of one contact: where each happens, and how that changes with where the motion began.

Derivatives of a release are those with respect to the curve parameter of the one before it, whose derivatives are first
divided by their own length, so that none grows without end; those of a start are taken as they are.
"""

from math import sqrt

from stickslip.kernels import model, outcome
from stickslip.kernels.march import begin, step_once
from stickslip.kernels.records import Floats, Ints, Record, Records, field
from stickslip.kernels.trajectory import Trajectory


class Section(Record):
    """Which releases are sought, and for how long."""

    contact: int = field("the contact that is released")
    side: int = field("its slip sign after")
    mode: Ints = field("the modes of all contacts before", model.CONTACTS)
    patience: float = field("how long the next release is waited for, in units of time")
    turns: int = field("releases after each start")
    starts: int = field("how many starts there are")
    most_steps: int = field("steps after which a motion is given up")


class Release(Record):
    """A point of a curve of release points, and its derivatives along the curve."""

    time: float = field("when")
    state: Floats = field("the state then", model.STATES)
    time_slope: float = field("the derivative of the time")
    state_slope: Floats = field("that of the state", model.STATES)


class Sequel(Record):
    """What came of one start."""

    status: int = field("NOT_COMPUTED where it is no release, FINISHED also where the patience was too short")
    releases: int = field("how many releases were found")


def next_releases(
    trajectory: Trajectory,
    section: Section,
    starts: Records[Release],
    releases: Records[Release],
    sequels: Records[Sequel],
) -> None:
    """The releases after each start; as many rows of `releases` belong to each as there are turns."""
    for row in range(section.starts):
        sequel = sequels[row]
        sequel.releases = 0
        status = set_out(trajectory, section, starts[row])
        while status == outcome.PAUSED and sequel.releases < section.turns:
            status = step_once(trajectory, section.most_steps)
            if trajectory.changed == 1 and is_release(trajectory, section):
                note_release(trajectory, releases[row * section.turns + sequel.releases])
                sequel.releases += 1
                trajectory.end_time = trajectory.time + section.patience
                status = outcome.PAUSED
        sequel.status = outcome.FINISHED if status == outcome.PAUSED else status


def set_out(trajectory: Trajectory, section: Section, start: Release) -> int:
    """Begin at a release, with one direction along its curve. PAUSED, or why there is no way on."""
    trajectory.time = start.time
    for i in range(model.STATES):
        trajectory.state[i] = start.state[i]
    trajectory.step_guess = 1.0
    trajectory.directions = 1
    trajectory.varied_parameter[0] = -1
    status = begin(trajectory)
    if status != outcome.FINISHED:
        return status
    if trajectory.mode[section.contact] != section.side:
        return outcome.NOT_COMPUTED
    for i in range(model.STATES):
        trajectory.variation[0, i] = start.state_slope[i] - start.time_slope * trajectory.state_series[i, 1]
    trajectory.end_time = trajectory.time + section.patience
    return outcome.PAUSED


def is_release(trajectory: Trajectory, section: Section) -> bool:
    """Whether the event just passed is one that is sought."""
    if trajectory.mode[section.contact] != section.side:
        return False
    for i in range(model.CONTACTS):
        if trajectory.mode_before[i] != section.mode[i]:
            return False
    return True


def note_release(trajectory: Trajectory, release: Release) -> None:
    """Time and state of a release with their derivatives; the direction goes on with length one."""
    delay = trajectory.delay[0]
    release.time = trajectory.time
    release.time_slope = delay
    total = delay * delay
    for i in range(model.STATES):
        slope = trajectory.variation[0, i] + trajectory.state_series[i, 1] * delay
        release.state[i] = trajectory.state[i]
        release.state_slope[i] = slope
        total += slope * slope
    if total > 0.0:
        for i in range(model.STATES):
            trajectory.variation[0, i] /= sqrt(total)
