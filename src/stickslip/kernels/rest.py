"""Contacts put at rest, by the impulses along G that do it: exactly v = 0, as far as numbers can say it."""

from stickslip.kernels import model
from stickslip.kernels.linear import factor_delassus, substitute
from stickslip.kernels.mode import count_resting
from stickslip.kernels.trajectory import Trajectory

MOST_SWEEPS = 20  # over contacts that push each other
MOST_REFINED = 2  # rounds, of which the second takes what round-off has left of the first
MOST_ROUNDS = 25  # as many as a number takes to become zero, by a factor of round-off each time
DUST = 1e-300  # states below it are zero but for rounding


def push(trajectory: Trajectory, contact: int, impulse: float) -> None:
    """Let an impulse act between the bodies of a contact."""
    for e in range(model.PUSHED_START[contact], model.PUSHED_START[contact + 1]):
        j = model.PUSHED[e]
        trajectory.state[j] += trajectory.G[j, contact] * impulse
    for e in range(model.COUPLED_START[contact], model.COUPLED_START[contact + 1]):
        j = model.COUPLED[e]
        trajectory.v[j] += trajectory.D[j, contact] * impulse


def project(trajectory: Trajectory) -> None:
    """Take from contacts at rest what round-off has left of their sliding velocities.

    Contacts that push each other are put at rest in turn, until none moves, or by no more than round-off of round-off.
    """
    resting = count_resting(trajectory)
    if resting == 0:
        return
    model.ingredients(trajectory)
    if model.MECHANICAL == 0 and resting > 1:
        stop_together(trajectory)
    for _ in range(MOST_SWEEPS):
        moved = False
        for i in range(model.CONTACTS):
            effect = trajectory.D[i, i]
            if trajectory.at_rest[i] != 0 and model.RIGID[i] == 1 and effect != 0.0 and trajectory.v[i] != 0.0:
                moved = True
                push(trajectory, i, -trajectory.v[i] / effect)
                trajectory.v[i] = 0.0
        if not moved:
            break


def stop_together(trajectory: Trajectory) -> None:
    """The same for contacts at rest whose effects on each other may be of any kind: in turn, each might push the others
    farther than they were. Where the equations do not settle the impulses, nothing is done."""
    for i in range(model.CONTACTS):
        trajectory.mode_aside[i] = trajectory.mode[i]
        trajectory.mode[i] = 0 if trajectory.at_rest[i] != 0 and model.RIGID[i] == 1 else 1
    stuck = factor_delassus(trajectory)
    for _ in range(MOST_REFINED if stuck > 0 else 0):
        push_to_rest(trajectory, stuck)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0 and stuck > 0:
            trajectory.v[i] = 0.0
        trajectory.mode[i] = trajectory.mode_aside[i]


def push_to_rest(trajectory: Trajectory, stuck: int) -> None:
    """One round of the impulses that stop all contacts in stick; the Delassus matrix of so many is factored."""
    for i in range(model.CONTACTS):
        trajectory.right_side[i] = -trajectory.v[i]
    substitute(trajectory, stuck)
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            push(trajectory, i, trajectory.solution[i])


def come_to_rest(trajectory: Trajectory) -> None:
    """Stop contacts that are to be at rest, whatever their velocities: all at once, by solving for the impulses.

    Each round leaves the round-off of the one before, so that a few of them end at rest however small the states are.
    What the equations leave, since contacts hold each other or nothing pushes them, `project` takes in turn.
    """
    for i in range(model.CONTACTS):
        trajectory.mode[i] = 0 if trajectory.at_rest[i] != 0 and model.RIGID[i] == 1 else 1
    for _ in range(MOST_ROUNDS):
        model.ingredients(trajectory)
        if not slides(trajectory):
            break
        stuck = factor_delassus(trajectory)
        if stuck < 0:
            break
        push_to_rest(trajectory, stuck)
    round_to_zero(trajectory)
    project(trajectory)


def slides(trajectory: Trajectory) -> bool:
    """Whether a contact slides that is in stick."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0 and abs(trajectory.v[i]) > 0.0:
            return True
    return False


def round_to_zero(trajectory: Trajectory) -> None:
    """Put states to zero that differ from it by less than numbers can tell."""
    for i in range(model.STATES):
        if abs(trajectory.state[i]) < DUST:
            trajectory.state[i] = 0.0
