"""What happens at an event: which contacts are at rest, what jumps, and which modes follow."""

from stickslip.kernels import model
from stickslip.kernels.mode import LEAVING, NOISE, RESTING, count_resting, settle, take_mode
from stickslip.kernels.polynomial import value_at, value_of
from stickslip.kernels.rest import project
from stickslip.kernels.trajectory import Trajectory

MOST_STOPS = 1000  # immediate ones, by chance
ANEW = 10  # added to the mode before an event: whichever follows begins anew
MOST_CONSEQUENCES = 4  # of modes and branches that follow from each other
KEPT_BY = 1e-12  # of the size of its guard: so near to its end a branch is left as it is
TOGETHER_BY = 1e-13  # guards that end so close to each other on a step end together


def note_state(trajectory: Trajectory) -> None:
    """Remember the state before an event, for contacts whose internal states jump."""
    if model.RESETS > 0:
        for i in range(model.STATES):
            trajectory.state_before[i] = trajectory.state[i]
            trajectory.state_tried[i] = trajectory.state[i]


def find_rests(trajectory: Trajectory, x: float, tau: float) -> None:
    """Which contacts are at rest at the end tau of the step, its place x, and v = 0 exactly for these."""
    note_rests(trajectory, x)
    if x <= 1.0:
        note_lags(trajectory, tau)
    project(trajectory)


def note_rests(trajectory: Trajectory, x: float) -> None:
    """Contacts with v = 0 at the place x of the step: those that stick, and those whose slip ends there."""
    for i in range(model.CONTACTS):
        ends = trajectory.root[i] <= min(x * (1.0 + TOGETHER_BY), 1.0)
        if trajectory.mode[i] == 0:
            trajectory.at_rest[i] = LEAVING if ends else RESTING
        else:
            trajectory.at_rest[i] = RESTING if ends else 0


def note_lags(trajectory: Trajectory, tau: float) -> None:
    """At an event, contacts that slip so slowly that nobody can tell are at rest as well, and are asked again: they
    were released a moment ago, or stop at the same time. What friction cannot hold (D = 0) is never at rest."""
    for i in range(model.CONTACTS):
        slow = abs(value_at(trajectory.v_series[i], tau)) <= NOISE * trajectory.load[i] * trajectory.step_guess
        if trajectory.at_rest[i] == 0 and slow and trajectory.D[i, i] != 0.0:
            trajectory.at_rest[i] = RESTING


def pass_guard(trajectory: Trajectory, guard: int) -> int:
    """At an event: move the frozen branch, or choose new modes; 0 when settled."""
    note_state(trajectory)
    if model.OWN_GUARDS > 0 and guard >= model.WATCHED + model.GUARDS:
        jump(trajectory, guard - model.WATCHED - model.GUARDS)
    if model.STORE > 0:
        model.note_store(trajectory)
    trajectory.draws += 1
    if count_resting(trajectory) == 0:  # else `project` has asked for them
        model.ingredients(trajectory)
    for i in range(model.CONTACTS):
        trajectory.mode_before[i] = trajectory.mode[i]
        if trajectory.at_rest[i] == LEAVING:  # where the static limit is passed, slip to that side is tried first
            force = trajectory.force_series[i]
            take_mode(trajectory, i, -1 if value_of(trajectory, force) > 0.0 else 1)
    if 0 <= guard < model.WATCHED + model.GUARDS:
        move_branch(trajectory, guard)
        # A guard that is not yet at its end, but for the tolerance, takes its branch back: nothing happens before that.
        model.sizes(trajectory)
        model.branches(trajectory, KEPT_BY)
    failed = settle(trajectory)
    if model.DRAWS > 0:
        failed = settle_by_chance(trajectory, failed)
    if model.BRANCHES > 0:
        failed = settle_branches(trajectory, failed)
    if not has_changed(trajectory):
        trajectory.draws -= 1  # how often a contact is asked in vain is a matter of round-off: to chance it is no event
    trajectory.ready = 1
    return failed


def has_changed(trajectory: Trajectory) -> bool:
    """Whether a contact is in another mode than before the event."""
    changed = False
    for i in range(model.CONTACTS):
        changed = changed or trajectory.mode[i] != trajectory.mode_before[i]
    return changed


def count_events(trajectory: Trajectory) -> None:
    """Count the contacts whose mode has just changed."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            trajectory.events += 1


def jump(trajectory: Trajectory, own_guard: int) -> None:
    """Let states jump where a guard of a contact's own has ended; modes are tried from there."""
    model.jump(trajectory, own_guard)
    model.ingredients(trajectory)
    for i in range(model.STATES):
        trajectory.state_tried[i] = trajectory.state[i]


def move_branch(trajectory: Trajectory, guard: int) -> None:
    """The next branch, where the guard of a frozen one has ended."""
    number = model.GUARD_BRANCH[guard - model.WATCHED]
    step = model.GUARD_STEP[guard - model.WATCHED]
    trajectory.branch[number] = -trajectory.branch[number] if step == 0 else trajectory.branch[number] + step


def settle_branches(trajectory: Trajectory, failed: int) -> int:
    """Frozen branches that follow from the modes, as the interval of a table does; where one changes, the modes are
    asked again."""
    for _ in range(MOST_CONSEQUENCES):
        if failed != 0:
            break
        for i in range(model.BRANCHES):
            trajectory.branch_kept[i] = trajectory.branch[i]
        model.branches(trajectory, KEPT_BY)
        moved = False
        for i in range(model.BRANCHES):
            moved = moved or trajectory.branch[i] != trajectory.branch_kept[i]
        if not moved:
            break
        failed = settle(trajectory)
    return failed


def settle_by_chance(trajectory: Trajectory, failed: int) -> int:
    """Where chance allows neither stick nor slip, phases without length follow each other until one lasts.

    A contact that leaves stick for a kinetic friction above its static limit stops again at once; one that comes to
    rest and cannot be held slips again. Each is a new phase, with a new draw; of them all the last change is kept.
    """
    for attempt in range(MOST_STOPS):
        if failed == 0:
            break
        # First, on to the side from which it came, with a draw not yet used.
        trajectory.draws += 1 if attempt > 0 else 0
        for i in range(model.CONTACTS):
            begins = abs(trajectory.mode_before[i]) == 1
            if trajectory.at_rest[i] == LEAVING and attempt > 0:
                trajectory.at_rest[i] = RESTING
                begins = True
            if trajectory.at_rest[i] == RESTING and begins:
                trajectory.mode_before[i] += ANEW
        failed = settle(trajectory)
    for i in range(model.CONTACTS):
        if trajectory.mode_before[i] >= ANEW - 1:
            trajectory.mode_before[i] = mode_before(
                trajectory.mode_before[i] - ANEW, trajectory.mode[i], trajectory.force_series[i, 0]
            )
    return failed


def mode_before(first: int, last: int, force: float) -> int:
    """The mode before the last of several changes at one time, from that before the first."""
    if first != last:
        return first
    if last != 0:
        return 0
    return -1 if force > 0.0 else 1
