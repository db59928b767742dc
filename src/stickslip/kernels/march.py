"""The march: step after step, event after event, until the end time, a full record, or a reason to stop."""

from math import isfinite

from stickslip.kernels import model, outcome
from stickslip.kernels.clock import advance_clock, set_clock, time_left
from stickslip.kernels.machine import latest
from stickslip.kernels.mode import NOISE, RELEASED, RESTING, count_resting, expand, hold_still, settle, take_mode
from stickslip.kernels.polynomial import first_crossing, set_powers, stays_positive, value_at, value_of
from stickslip.kernels.recording import Event, Recording, Step
from stickslip.kernels.records import Floats, Records
from stickslip.kernels.rest import project
from stickslip.kernels.tangent import carry, leap, note_branches
from stickslip.kernels.trajectory import Trajectory

MOST_STOPS = 1000  # immediate ones, by chance
ANEW = 10  # added to the mode before an event: whichever follows begins anew
EPSILON = 2.220446049250313e-16
ACCUMULATED = 10  # rapid events in a row that are no chance
MOST_ROUNDS = 4  # of modes and branches that follow from each other
KEPT_BY = 1e-12  # of the size of its guard: so near to its end a branch is left as it is
GUARD_NOISE = 1e-11  # and so far beyond it may be when a step begins
TOGETHER_BY = 1e-13  # guards that end so close to each other on a step end together
DOUBT = 1e-9  # of the size of what is watched: nearer to zero it says nothing at the beginning of a step
BROKEN = 1e-6  # see `allowance`


def begin(trajectory: Trajectory) -> int:
    """Modes and series at the start, from the state, time, tolerance, parameters and guess of a step length."""
    model.constants(trajectory)
    first_modes(trajectory)
    if model.STORE > 0:
        model.start_store(trajectory)
        model.note_store(trajectory)
    note_state(trajectory)
    for i in range(model.BRANCHES):
        trajectory.branch[i] = 0
    trajectory.steps = 0
    trajectory.events = 0
    trajectory.rapid_events = 0
    trajectory.draws = 0
    trajectory.evaluations = 0
    trajectory.longest_gap = 0.0
    trajectory.last_event_time = trajectory.time
    trajectory.last_step = 0.0
    model.branches(trajectory, 0.0)
    model.ingredients(trajectory)  # with the modes: friction on the wrong side of zero speed may be anything
    trajectory.ready = 1
    return outcome.FINISHED if settle(trajectory) == 0 else why_undecided(trajectory)


def first_modes(trajectory: Trajectory) -> None:
    """Which contacts are at rest at the start, and the signs of slip of the others; constants are known."""
    trajectory.late = 0.0
    for i in range(model.CONTACTS):
        trajectory.mode[i] = 1
    model.ingredients(trajectory)
    model.sizes(trajectory)
    for i in range(model.CONTACTS):
        v = trajectory.v[i]
        trajectory.at_rest[i] = 1 if abs(v) <= 4.0 * EPSILON * trajectory.v_size[i] or model.UNDECIDED[i] == 1 else 0
        # Where v itself contains the side of slip, a contact slips to the side to which its own force pulls it: a = −T.
        side = trajectory.a[i] if model.SIDED[i] == 1 else v
        trajectory.mode[i] = 0 if trajectory.at_rest[i] != 0 else (1 if side > 0.0 else -1)
        trajectory.mode_before[i] = trajectory.mode[i]


def note_state(trajectory: Trajectory) -> None:
    """Remember the state before an event, for contacts whose internal states jump."""
    if model.RESETS > 0:
        for i in range(model.STATES):
            trajectory.state_before[i] = trajectory.state[i]
            trajectory.state_tried[i] = trajectory.state[i]


def march(
    trajectory: Trajectory, most_steps: int, recording: Recording, steps: Records[Step], events: Records[Event]
) -> int:
    """Advance to the end time, and keep every step and event; FINISHED, PAUSED (record full) or the reason to stop."""
    while time_left(trajectory) > 0.0:
        if recording.steps >= recording.step_room or recording.events + model.CONTACTS > recording.event_room:
            return outcome.PAUSED
        status = take_step(trajectory, most_steps)
        if status != outcome.FINISHED:
            return status
        remember_step(trajectory, steps[recording.steps])
        recording.steps += 1
        status = end_step(trajectory)
        if status != outcome.FINISHED:
            return status
        if trajectory.changed == 1:
            remember_events(trajectory, recording, events)
    return outcome.FINISHED


def travel(trajectory: Trajectory, most_steps: int) -> int:
    """Advance to the end time, and keep nothing; FINISHED or the reason to stop."""
    while time_left(trajectory) > 0.0:
        status = take_step(trajectory, most_steps)
        if status == outcome.FINISHED:
            status = end_step(trajectory)
        if status != outcome.FINISHED:
            return status
    return outcome.FINISHED


def take_step(trajectory: Trajectory, most_steps: int) -> int:
    """The next step, up to its first event: its series, how far it goes, and the state there. FINISHED, or why not."""
    if trajectory.steps >= most_steps:
        return outcome.TOO_MANY_STEPS
    if latest(trajectory.halt, 0) != 0:
        return outcome.INTERRUPTED
    if trajectory.ready == 0:
        if expand(trajectory) != 0:
            return outcome.INDETERMINATE
        if breaks_invariants(trajectory):
            return outcome.INCONSISTENT
    trajectory.ready = 0
    trajectory.steps += 1
    remaining = time_left(trajectory)
    h = min(trajectory.natural_step, remaining)
    if not h > 0.0:
        return outcome.STALLED
    impossible = impossible_friction(trajectory)
    if impossible != outcome.FINISHED:
        return impossible
    # The state after the whole step comes first: the next step waits for it, and events are rare.
    total = set_end_state(trajectory, h)
    set_powers(trajectory, h)
    x = earliest_event(trajectory, h)
    tau = h
    if x <= 1.0:
        tau = h * x
        set_powers(trajectory, tau)
        total = set_end_state(trajectory, tau)
    if hold_still(trajectory, tau):
        total = set_end_state(trajectory, tau)
    if not isfinite(total):
        return outcome.STALLED
    if model.DIRECTIONS > 0:
        carry(trajectory)
        note_branches(trajectory)
    trajectory.event_place = x
    trajectory.step_length = tau
    trajectory.arrives = 1 if x > 1.0 and h == remaining else 0
    return outcome.FINISHED


def end_step(trajectory: Trajectory) -> int:
    """Go to the end of the step, and through the event there if there is one. FINISHED, or why that is impossible."""
    go_to_end(trajectory)
    return pass_end(trajectory)


def go_to_end(trajectory: Trajectory) -> None:
    """State and clock at the end of the step, before the event that may be there; its series are as they were."""
    for i in range(model.STATES):
        trajectory.state[i] = trajectory.end_state[i]
    if trajectory.arrives == 1:
        set_clock(trajectory, trajectory.end_time)
    else:
        advance_clock(trajectory, trajectory.step_length)
    if trajectory.step_length > 0.0:
        trajectory.last_step = trajectory.step_length


def pass_end(trajectory: Trajectory) -> int:
    """Go through the event at the end of the step, if there is one. FINISHED, or why that is impossible."""
    tau = trajectory.step_length
    x = trajectory.event_place
    trajectory.changed = 0
    if strays(trajectory, tau):
        return outcome.INCONSISTENT
    note_rests(trajectory, x)
    if x <= 1.0:
        note_lags(trajectory, tau)
    project(trajectory)
    guard = trajectory.guard
    if x > 1.0:
        for i in range(model.CONTACTS):
            trajectory.at_rest[i] = 0
        return outcome.FINISHED
    if model.OWN_GUARDS > 0 and guard >= model.WATCHED + model.GUARDS and count_resting(trajectory) == 0:
        jump_in_slip(trajectory, guard)
        return outcome.FINISHED
    if 0 <= guard < model.WATCHED:
        trajectory.stopping_contact = model.WATCHED_CONTACT[guard]
        return model.WATCHED_OUTCOME[guard]
    return pass_event(trajectory, guard)


def jump_in_slip(trajectory: Trajectory, guard: int) -> None:
    """A guard of a contact's own has ended where all slip: its states jump, and the modes stay."""
    note_state(trajectory)
    model.jump(trajectory, guard - model.WATCHED - model.GUARDS)
    if model.DIRECTIONS > 0:
        for i in range(model.CONTACTS):
            trajectory.mode_before[i] = trajectory.mode[i]
        leap(trajectory, guard)


def pass_event(trajectory: Trajectory, guard: int) -> int:
    """New modes where a guard has ended. FINISHED, or why there are none."""
    gap = trajectory.time - trajectory.last_event_time
    trajectory.last_event_time = trajectory.time
    trajectory.longest_gap = max(trajectory.longest_gap, gap)
    trajectory.rapid_events = trajectory.rapid_events + 1 if gap <= 1e-9 * trajectory.longest_gap else 0
    if trajectory.rapid_events > 50 + 10 * model.CONTACTS:
        return outcome.CHATTERING
    if change(trajectory, guard) != 0:
        return why_undecided(trajectory)
    if model.DIRECTIONS > 0:
        leap(trajectory, guard)
    trajectory.changed = 1
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            trajectory.events += 1
    return outcome.FINISHED


def why_undecided(trajectory: Trajectory) -> int:
    """Why no modes were found: a contact pulls; or events have followed each other ever faster, until all that they are
    about is zero; or it is not known."""
    reason = impossible_friction(trajectory)
    if reason != outcome.FINISHED:
        return reason
    return outcome.CHATTERING if trajectory.rapid_events > ACCUMULATED else outcome.INDETERMINATE


def impossible_friction(trajectory: Trajectory) -> int:
    """outcome.FINISHED, or why the step cannot be taken: a contact that pulls, or friction that pushes.

    So it is where a formula jumps. What comes down to zero ends a step, and is no more than round-off or the tolerance
    beyond it.
    """
    for g in range(model.WATCHED):
        if trajectory.guard_series[g, 0] < -DOUBT * trajectory.guard_size[g]:
            trajectory.stopping_contact = model.WATCHED_CONTACT[g]
            return model.WATCHED_OUTCOME[g]
    for i in range(model.CONTACTS):
        pushes = trajectory.mode[i] * trajectory.force_series[i, 0] > DOUBT * trajectory.S_size[i]
        if pushes and model.LIMITED[i] == 1:
            trajectory.stopping_contact = i
            return outcome.NEGATIVE_FRICTION
    return outcome.FINISHED


def strays(trajectory: Trajectory, tau: float) -> bool:
    """Whether the polynomial of a sliding velocity that moves otherwise than the states is not what it should be at the
    end of the step: then its zeros are none."""
    driven = False
    for i in range(model.CONTACTS):
        driven = driven or model.DRIVEN[i] == 1
    if not driven:
        return False
    model.ingredients(trajectory)
    for i in range(model.CONTACTS):
        row = trajectory.v_series[i]
        scale = trajectory.v_size[i] + abs(trajectory.v[i]) + abs(row[0]) + tau * abs(row[1])
        if (
            model.DRIVEN[i] == 1
            and model.RIGID[i] == 1
            and abs(value_at(row, tau) - trajectory.v[i]) > allowance(trajectory) * scale
        ):
            return True
    return False


def allowance(trajectory: Trajectory) -> float:
    """Of what a quantity is made of: so much may no step be off."""
    return max(BROKEN, 1e3 * trajectory.tolerance)


def breaks_invariants(trajectory: Trajectory) -> bool:
    """Whether the state to which a step without event has led contradicts the modes.

    What slips has kept its direction, and what sticks is held. This is so unless a step was too long for something that
    it did not resolve: then the run must not go on as if nothing were wrong.
    """
    for i in range(model.CONTACTS):
        row = trajectory.v_series[i]
        forward = trajectory.mode[i] * row[0]
        if forward < 0.0:
            motion = -forward + trajectory.step_guess * abs(row[1]) + NOISE * trajectory.v_size[i]
            if -forward > allowance(trajectory) * motion:
                return True
        if trajectory.mode[i] == 0 and model.RIGID[i] == 1:
            static = trajectory.static_series[i, 0]
            force = abs(trajectory.force_series[i, 0])
            if force > static and force - static > allowance(trajectory) * (force + static + trajectory.load[i]):
                return True
    return False


def set_end_state(trajectory: Trajectory, tau: float) -> float:
    """The state at the time tau of the step; the sum of its numbers, to see whether they are finite."""
    total = 0.0
    for i in range(model.STATES):
        trajectory.end_state[i] = value_at(trajectory.state_series[i], tau)
        total += trajectory.end_state[i]
    return total


def note_rests(trajectory: Trajectory, x: float) -> None:
    """Contacts with v = 0 at the place x of the step: those that stick, and those whose slip ends there."""
    for i in range(model.CONTACTS):
        ends = trajectory.root[i] <= min(x * (1.0 + TOGETHER_BY), 1.0)
        if trajectory.mode[i] == 0:
            trajectory.at_rest[i] = RELEASED if ends else RESTING
        else:
            trajectory.at_rest[i] = RESTING if ends else 0


def note_lags(trajectory: Trajectory, tau: float) -> None:
    """At an event, contacts that slip so slowly that nobody can tell are at rest as well, and are asked again: they
    were released a moment ago, or stop at the same time. What friction cannot hold (D = 0) is never at rest."""
    for i in range(model.CONTACTS):
        slow = abs(value_at(trajectory.v_series[i], tau)) <= NOISE * trajectory.load[i] * trajectory.step_guess
        if trajectory.at_rest[i] == 0 and slow and trajectory.D[i, i] != 0.0:
            trajectory.at_rest[i] = RESTING


def earliest_event(trajectory: Trajectory, h: float) -> float:
    """Where on the step, in [0, 1], the first guard ends; 2 when none does.

    `guard` becomes -1 for a contact, else the number of what is watched, of the guard of a frozen branch or, after
    those, of a guard of a contact's own.
    """
    earliest = 2.0
    for i in range(model.CONTACTS):
        # Where a contact was at rest when the step began, zeros there are not events: divide them out.
        noise = trajectory.blur * trajectory.load[i] if trajectory.at_rest[i] != 0 else -1.0
        if trajectory.mode[i] != 0:
            row = trajectory.v_series[i]
            sign = float(trajectory.mode[i])
            noise *= h
            root = (
                2.0
                if stays_positive(trajectory, row, sign, noise)
                else crossing_of(trajectory, row, sign, row, 0.0, noise)
            )
        elif model.LIMITED[i] == 0:
            root = 2.0  # guards of its own end stick
        else:
            force = trajectory.force_series[i]
            static = trajectory.static_series[i]
            root = crossing_of(trajectory, force, -1.0, static, 1.0, noise)
            root = min(root, crossing_of(trajectory, force, 1.0, static, 1.0, noise))
        trajectory.root[i] = root
        earliest = min(earliest, root)
    trajectory.guard = -1
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        root = guard_crossing(trajectory, g)
        if root < earliest:
            earliest = root
            trajectory.guard = g
    for g in range(model.WATCHED):
        root = guard_crossing(trajectory, g)
        if root < earliest:
            earliest = root
            trajectory.guard = branch_ending(trajectory, g, root * h)
    for g in range(model.OWN_GUARDS):
        if is_active(trajectory, g):
            root = guard_crossing(trajectory, model.WATCHED + model.GUARDS + g)
            contact = model.OWN_GUARD_CONTACT[g]
            if model.OWN_GUARD_RELEASES[g] == 1:
                trajectory.root[contact] = min(trajectory.root[contact], root)
                earliest = min(earliest, root)
            elif root < earliest:
                earliest = root
                trajectory.guard = model.WATCHED + model.GUARDS + g
    return earliest


def is_active(trajectory: Trajectory, own_guard: int) -> bool:
    """Whether a guard of a contact's own counts in the mode that the contact is in."""
    sticks = trajectory.mode[model.OWN_GUARD_CONTACT[own_guard]] == 0
    return sticks == (model.OWN_GUARD_STICK[own_guard] == 1)


def branch_ending(trajectory: Trajectory, watched: int, tau: float) -> int:
    """The frozen branch that ends together with something watched, or else this itself.

    The branch comes first: max(0, N) ends at zero, and is not negative beyond.
    """
    for g in range(model.WATCHED, model.WATCHED + model.GUARDS):
        if abs(value_at(trajectory.guard_series[g], tau)) <= guard_noise(trajectory, g):
            return g
    return watched


def guard_noise(trajectory: Trajectory, g: int) -> float:
    """What round-off leaves of a guard that is zero.

    A velocity of zero is so because forces cancel: what they leave, times a step, is no motion.
    """
    return GUARD_NOISE * (
        trajectory.guard_size[g] + max(trajectory.step_guess, trajectory.last_step) * trajectory.guard_rate_size[g]
    )


def guard_crossing(trajectory: Trajectory, g: int) -> float:
    """Where on the step something watched, or the guard of a frozen branch, turns negative."""
    row = trajectory.guard_series[g]
    noise = guard_noise(trajectory, g)
    return 2.0 if stays_positive(trajectory, row, 1.0, 0.0) else crossing_of(trajectory, row, 1.0, row, 0.0, noise)


def crossing_of(trajectory: Trajectory, row: Floats, sign: float, added: Floats, weight: float, noise: float) -> float:
    """Where sign·series + weight·another turns negative on the step; leading terms below `noise` are divided out."""
    for k in range(model.ORDER + 1):
        trajectory.polynomial[k] = (sign * row[k] + weight * added[k]) * trajectory.power[k]
    if abs(trajectory.polynomial[0]) <= noise:
        lead = 0
        while lead <= model.ORDER and abs(trajectory.polynomial[lead]) <= noise:
            lead += 1
        if lead > model.ORDER:
            return 2.0  # it is held at zero
        # What is above zero by no more than round-off, but falls, ends a little later and not at once: a step that is
        # not empty comes nearer to the truth.
        if trajectory.polynomial[lead] > 0.0 or trajectory.polynomial[0] <= 0.0:
            for k in range(model.ORDER + 1):
                trajectory.polynomial[k] = trajectory.polynomial[k + lead] if k + lead <= model.ORDER else 0.0
    return first_crossing(trajectory)


def change(trajectory: Trajectory, guard: int) -> int:
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
        if trajectory.at_rest[i] == RELEASED:  # where the static limit is passed, slip to that side is tried first
            force = trajectory.force_series[i]
            take_mode(trajectory, i, -1 if value_of(trajectory, force) > 0.0 else 1)
    if 0 <= guard < model.WATCHED + model.GUARDS:
        number = model.GUARD_BRANCH[guard - model.WATCHED]
        step = model.GUARD_STEP[guard - model.WATCHED]
        trajectory.branch[number] = -trajectory.branch[number] if step == 0 else trajectory.branch[number] + step
        # A guard that is not yet at its end, but for the tolerance, takes its branch back: nothing happens before that.
        model.sizes(trajectory)
        model.branches(trajectory, KEPT_BY)
    failed = settle(trajectory)
    if model.DRAWS > 0:
        failed = settle_by_chance(trajectory, failed)
    if model.BRANCHES > 0:
        failed = settle_branches(trajectory, failed)
    trajectory.ready = 1
    return failed


def jump(trajectory: Trajectory, own_guard: int) -> None:
    """Let states jump where a guard of a contact's own has ended; modes are tried from there."""
    model.jump(trajectory, own_guard)
    model.ingredients(trajectory)
    for i in range(model.STATES):
        trajectory.state_tried[i] = trajectory.state[i]


def settle_branches(trajectory: Trajectory, failed: int) -> int:
    """Frozen branches that follow from the modes, as the interval of a table does; where one changes, the modes are
    asked again."""
    for _ in range(MOST_ROUNDS):
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
        trajectory.draws += (
            1 if attempt > 0 else 0
        )  # first, on to the side from which it came, with a draw not yet used
        for i in range(model.CONTACTS):
            begins = abs(trajectory.mode_before[i]) == 1
            if trajectory.at_rest[i] == RELEASED and attempt > 0:
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


def shown_length(trajectory: Trajectory) -> float:
    """The length of the step as the first part of the clock shows it: the last one ends at the end time."""
    return trajectory.end_time - trajectory.time if trajectory.arrives == 1 else trajectory.step_length


def remember_step(trajectory: Trajectory, step: Step) -> None:
    """Keep the modes and polynomials of the step."""
    step.start = trajectory.time
    step.length = shown_length(trajectory)
    for i in range(model.STATES):
        for k in range(model.ORDER + 1):
            step.state_series[i, k] = trajectory.state_series[i, k]
    for i in range(model.CONTACTS):
        step.mode[i] = float(trajectory.mode[i])
        for k in range(model.ORDER + 1):
            step.v_series[i, k] = trajectory.v_series[i, k]
            step.force_series[i, k] = trajectory.force_series[i, k]


def remember_events(trajectory: Trajectory, recording: Recording, events: Records[Event]) -> None:
    """Keep every change of mode: time, contact, mode before and after, and state."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            event = events[recording.events]
            event.time = trajectory.time
            event.contact = float(i)
            event.mode_before = float(trajectory.mode_before[i])
            event.mode_after = float(trajectory.mode[i])
            for j in range(model.STATES):
                event.state[j] = trajectory.state[j]
            recording.events += 1
