"""Which contacts stick and which slip, chosen consistently for all contacts at once.

A contact at rest may stick if |λ| ≤ S, or slip to the side s if its velocity then grows to that side. Where a value is
zero its next derivative decides: the test looks at the leading nonzero coefficient of the series of the step.
"""

from stickslip.kernels import model
from stickslip.kernels.linear import add_up_loads, count_stuck, factor_delassus, substitute
from stickslip.kernels.records import Floats
from stickslip.kernels.step import set_natural_step, stick_room
from stickslip.kernels.trajectory import Trajectory

EPSILON = 2.220446049250313e-16
NOISE = 1e-13  # what round-off leaves of a zero, relative to the terms that cancel
MOST_TRIED = 6  # contacts at rest of which all combinations are tried
MOST_BLUR = 1e-10  # what it may leave at most where values and derivatives contradict each other
SINGULAR, NO_MODES = 1, 2
RESTING, LEAVING = 1, 2  # contacts at rest: to be decided; or known to leave stick, to the side in MODE


def take_mode(trajectory: Trajectory, i: int, mode: int) -> None:
    """Let contact i try a mode: its internal states are those before the event, or as they enter the new mode."""
    trajectory.mode[i] = mode
    if model.RESETS > 0:
        for j in range(model.STATES):
            if model.OWNER[j] == i:
                trajectory.state[j] = trajectory.state_tried[j]
        if model.STORE > 0:
            model.recall_store(trajectory, i)
        if mode != trajectory.mode_before[i]:
            model.reset(trajectory, i)


def count_resting(trajectory: Trajectory) -> int:
    """How many contacts are at rest."""
    resting = 0
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0:
            resting += 1
    return resting


def leading_sign(trajectory: Trajectory, row: Floats, sign: float, added: Floats, weight: float, scale: float) -> int:
    """The sign of sign·series + weight·another just after the start: that of its first term above round-off."""
    power = 1.0
    for k in range(model.ORDER + 1):
        value = (sign * row[k] + weight * added[k]) * power
        if abs(value) > trajectory.blur * scale:
            return 1 if value > 0.0 else -1
        power *= trajectory.step_guess
    return 0


def urgency_of(trajectory: Trajectory, i: int) -> float:
    """How much contact i at rest wants another mode: 0 when content, < 1 to stop slipping, ≥ 1 to be released."""
    mode = trajectory.mode[i]
    if mode != 0:
        row = trajectory.v_series[i]
        return (
            0.5
            if leading_sign(trajectory, row, float(mode), row, 0.0, trajectory.load[i] * trajectory.step_guess) <= 0
            else 0.0
        )
    if model.LIMITED[i] == 0:
        return 0.0  # guards of its own end stick
    force = trajectory.force_series[i]
    static = trajectory.static_series[i]
    side = 1.0 if force[0] > 0.0 else -1.0
    if leading_sign(trajectory, force, -side, static, 1.0, trajectory.load[i]) < 0:
        return 1.0 + max(abs(force[0]) - static[0], 0.0) / (static[0] + abs(force[0]))
    return 0.0


def expand(trajectory: Trajectory) -> int:
    """Series of the step for the present modes, with v = 0 exactly where a contact is at rest; 0 if determined."""
    trajectory.evaluations += 1
    if model.taylor(trajectory) != 0:
        return SINGULAR
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0 and model.RIGID[i] == 1:
            trajectory.v_series[i, 0] = 0.0
    if model.ORDER >= 5:  # methods of low order choose their steps themselves
        set_natural_step(trajectory)
    return 0


def hold_still(trajectory: Trajectory, tau: float) -> bool:
    """Take from the series what round-off leaves of the sliding velocity of contacts that stick, if the step is so long
    that this would move the positions; whether it was.

    The terms that cancel there are larger than the motion. What they leave is taken out order by order by impulses
    along G, as `project` does with the velocity itself; positions follow.
    """
    if model.MECHANICAL == 0 or abs(tau) <= stick_room(trajectory):
        return False
    if factor_delassus(trajectory) < 0:
        return False
    for k in range(1, model.ORDER + 1):
        hold_order(trajectory, k)
    for j in range(model.STATES):
        if model.VELOCITY[j] >= 0:
            for k in range(1, model.ORDER + 1):
                trajectory.state_series[j, k] = trajectory.state_series[model.VELOCITY[j], k - 1] / k
    return True


def hold_order(trajectory: Trajectory, k: int) -> None:
    """The impulses that make order k of the sliding velocities zero."""
    for i in range(model.CONTACTS):
        left = 0.0
        for e in range(model.LEVER_START[i], model.LEVER_START[i + 1]):
            left += model.LEVER[e] * trajectory.state_series[model.LEVER_STATE[e], k]
        trajectory.right_side[i] = -left if model.RIGID[i] == 1 and model.DRIVEN[i] == 0 else 0.0
    substitute(trajectory, count_stuck(trajectory))
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            impulse = trajectory.solution[i]
            for e in range(model.PUSHED_START[i], model.PUSHED_START[i + 1]):
                j = model.PUSHED[e]
                trajectory.state_series[j, k] += trajectory.G[j, i] * impulse


def measure(trajectory: Trajectory) -> None:
    """The size of the terms that make up each slip acceleration: the measure for its round-off. `ingredients` came
    before."""
    model.sizes(trajectory)
    for i in range(model.CONTACTS):
        total = trajectory.a_size[i]
        for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
            j = model.COUPLED[e]
            total += abs(trajectory.D[i, j]) * max(trajectory.S_size[j], trajectory.R[j])  # S where R is not a number
        trajectory.acceleration_size[i] = total


def expand_and_weigh(trajectory: Trajectory) -> int:
    """The series for the modes that are tried, and what round-off does to the sticking forces; 0 if determined."""
    if expand(trajectory) != 0:
        return SINGULAR
    add_up_loads(trajectory)
    return 0


def settle(trajectory: Trajectory) -> int:
    """Choose the modes of all contacts at rest; leaves the series of the next step. 0, SINGULAR or NO_MODES.

    Where values and derivatives are all so close to zero that round-off makes them contradict each other, more of them
    are taken for zero: the modes are those for the least round-off with which there are any.
    """
    measure(trajectory)
    trajectory.blur = NOISE
    while True:
        failed = choose_modes(trajectory)
        if failed != NO_MODES or trajectory.blur >= MOST_BLUR:
            return failed
        trajectory.blur *= 100.0


def choose_modes(trajectory: Trajectory) -> int:
    """The same for one measure of round-off: contacts at rest stick, unless they are released one by one."""
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] == RESTING:
            take_mode(trajectory, i, 0)
    for _ in range(4 * count_resting(trajectory) + 4):
        if expand_and_weigh(trajectory) != 0:
            break
        contact = most_urgent(trajectory)
        if contact < 0:
            if not is_ambiguous(trajectory):
                return 0
            break
        if trajectory.mode[contact] != 0:
            take_mode(trajectory, contact, 0)
        else:  # released to the side against which the friction force pushed
            take_mode(trajectory, contact, -1 if trajectory.force_series[contact, 0] > 0.0 else 1)
    return enumerate_modes(trajectory)


def most_urgent(trajectory: Trajectory) -> int:
    """The contact at rest that wants another mode most; -1 when all are content."""
    urgency = 0.0
    contact = -1
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0 and urgency_of(trajectory, i) > urgency:
            urgency = urgency_of(trajectory, i)
            contact = i
    return contact


def is_ambiguous(trajectory: Trajectory) -> bool:
    """Whether other modes may be consistent as well.

    That takes contacts at rest that push each other, one of which is let go, and friction that is larger in stick than
    at the beginning of slip: then one contact may hold because another slips, or the other way round.
    """
    released = False
    drops = False
    coupled = False
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0:
            released = released or trajectory.mode[i] != 0
            drops = drops or trajectory.R[i] < (1.0 - NOISE) * trajectory.S[i]
            for e in range(model.COUPLED_START[i], model.COUPLED_START[i + 1]):
                j = model.COUPLED[e]
                coupled = coupled or (i != j and trajectory.at_rest[j] != 0 and trajectory.D[i, j] != 0.0)
    return released and drops and coupled and count_resting(trajectory) <= MOST_TRIED


def enumerate_modes(trajectory: Trajectory) -> int:
    """Try every combination. Of those that are consistent, the modes are the one in which most contacts stick; among
    several, the one that lets those go that are farthest beyond their limits where all stick. This does not depend on
    the order of contacts.
    """
    failed = NO_MODES
    resting = count_resting(trajectory)
    combinations = 1
    for _ in range(resting):
        combinations *= 3
    if resting > MOST_TRIED:
        return failed
    for i in range(model.CONTACTS):
        trajectory.excess[i] = 0.0
    for sticking in range(resting, -1, -1):
        best = -1
        most = 0.0
        for code in range(combinations):
            if take_modes(trajectory, code) != sticking:
                continue
            if expand_and_weigh(trajectory) != 0:
                failed = SINGULAR
                continue
            if sticking == resting:
                note_excess(trajectory)
            if most_urgent(trajectory) < 0 and (best < 0 or excess_let_go(trajectory) > most):
                most = excess_let_go(trajectory)
                best = code
        if best >= 0:
            take_modes(trajectory, best)
            return expand_and_weigh(trajectory)
    return failed


def take_modes(trajectory: Trajectory, code: int) -> int:
    """Let the contacts at rest try the modes of a combination, given by its number; how many of them stick."""
    sticking = 0
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0:
            take_mode(trajectory, i, code % 3 - 1)
            code //= 3
            if trajectory.mode[i] == 0:
                sticking += 1
    return sticking


def note_excess(trajectory: Trajectory) -> None:
    """How far each contact is beyond its limit where all at rest stick, as a part of both."""
    for i in range(model.CONTACTS):
        static = trajectory.static_series[i, 0]
        force = abs(trajectory.force_series[i, 0])
        trajectory.excess[i] = (force - static) / (force + static) if force + static > 0.0 else 0.0


def excess_let_go(trajectory: Trajectory) -> float:
    """The same, added up over the contacts at rest that slip."""
    total = 0.0
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0 and trajectory.mode[i] != 0:
            total += trajectory.excess[i]
    return total


def set_first_modes(trajectory: Trajectory) -> None:
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
