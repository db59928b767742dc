"""Steps of the Runge–Kutta pair of Dormand and Prince, 5(4), for the switch model, with dense output of degree 4."""

from math import inf, isfinite, sqrt

import numpy as np

from stickslip.kernels import model, outcome
from stickslip.kernels.reach import spread
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.switch_model import SwitchModel, set_rate
from stickslip.kernels.trajectory import Trajectory

STAGES = 7
LAST_STAGE = STAGES - 1
NODE_TIME = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
TABLEAU = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0, 0.0],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0],
    ]
)
ERROR = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
DENSE = np.array(
    [
        [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)
"""Dormand and Prince (1980); the step as a polynomial in θ from Shampine (1986): y0 + h Σ k_s DENSE[s] (θ, …, θ⁴)."""

COMPLETE, UNDETERMINED, OUTSIDE = 0, 1, 2
"""How the stages of a step went; OUTSIDE: a sticking contact left its band."""

UNLIMITED = 1e300


class DormandPrince(Record):
    """Steps whose length follows from their error, and the present one."""

    tolerance: float = field("error that a step may have, relative to the largest value of a state so far")
    absolute_tolerance: float = field("and besides")
    next_step: float = field("the length that the error of the last step allows")
    longest_step: float = field("the length that the bands of the contacts allow")
    start_time: float = field("when the step begins")
    start_state: Floats = field("the state there", model.STATES)
    start_v: Floats = field("sliding velocities there", model.CONTACTS)
    largest: Floats = field("the largest value that each state has had", model.STATES)
    rate: Floats = field("ż at every stage", STAGES, model.STATES)
    sticking_force: Floats = field("λ at every stage; infinite where a contact does not stick", STAGES, model.CONTACTS)

    # See `reach.py`.
    reach: Floats = field("how far states come on the step", model.STATES)
    reach_state: Floats = field("work space", model.STATES)
    reach_rate: Floats = field("work space", model.STATES)


def take_step(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince) -> int:
    """One step whose estimated error is within tolerance; near a switch the length shrinks until it is.

    Stick ends through a transition. A stage that finds a sticking contact outside the band, where the step began in
    stick, shows that the step is too long for the band: that happens where the surface v = 0 is curved, as on a belt
    whose speed changes. Steps may then grow again, but slowly. Nor may a step jump over the band.
    """
    remaining = trajectory.end_time - pair.start_time
    growth = 10.0
    while True:
        h = min(min(pair.next_step, pair.longest_step), remaining)
        if not pair.start_time + h > pair.start_time:
            return outcome.STALLED
        strict = 1 if pair.start_time + 1e-6 * h > pair.start_time else 0
        went = stages(trajectory, switch, pair, h, strict)
        if went == UNDETERMINED:
            return outcome.INDETERMINATE
        if went == OUTSIDE:
            pair.longest_step = 0.5 * h
            continue
        shorter = overshoot(trajectory, switch, pair)
        if strict != 0 and shorter < 1.0:
            pair.longest_step = shorter * h
            continue
        error = error_of(trajectory, switch, pair, h)
        change = 0.2  # where the error is not a number
        if error <= 1e-9:
            change = growth
        elif isfinite(error):
            change = min(max(0.9 * error**-0.2, 0.2), growth)
        pair.next_step = h * change
        if error <= 1.0:
            trajectory.time = trajectory.end_time if h == remaining else pair.start_time + h
            pair.longest_step = min(1.2 * pair.longest_step, UNLIMITED)
            set_series(trajectory, pair, h)
            return outcome.FINISHED
        growth = 1.0
    return outcome.STALLED


def stages(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince, h: float, strict: int) -> int:
    """The rates of all stages; the last is at the end of the step and serves the next one. COMPLETE, or why not."""
    for s in range(1, STAGES):
        for i in range(model.STATES):
            total = 0.0
            for r in range(s):
                total += TABLEAU[s, r] * pair.rate[r, i]
            trajectory.state[i] = pair.start_state[i] + h * total
        trajectory.time = pair.start_time + NODE_TIME[s] * h
        trajectory.evaluations += 1
        if set_rate(trajectory, switch, pair.rate[s]) != 0:
            return UNDETERMINED
        note_sticking_forces(trajectory, switch, pair.sticking_force[s])
        if strict != 0:
            for i in range(model.CONTACTS):
                if trajectory.mode_before[i] == 0 and trajectory.at_rest[i] == 0:
                    return OUTSIDE
    return COMPLETE


def note_sticking_forces(trajectory: Trajectory, switch: SwitchModel, sticking_force: Floats) -> None:
    """Keep the forces that hold contacts at a stage; infinite for a contact that does not stick."""
    for i in range(model.CONTACTS):
        sticking_force[i] = switch.force[i] if trajectory.mode[i] == 0 else inf


def overshoot(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince) -> float:
    """How much of the step leads into the band of a contact that slips to one side before and to the other after it."""
    part = 1.0
    for i in range(model.CONTACTS):
        before = abs(pair.start_v[i])
        turns = trajectory.mode[i] * trajectory.mode_before[i] < 0
        if trajectory.at_rest[i] == 0 and turns and before > switch.eta:
            part = min(part, before / (before + abs(switch.v[i])))
    return part


# -- its error ---------------------------------------------------------------------------------------------------


def error_of(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince, h: float) -> float:
    """The estimated error of a step over its tolerance (root mean square).

    Relative to the largest value each state has had so far: a state that passes zero does not ask for more. Nor does
    one that has not moved yet, since what a contact does inside its band has no meaning.
    """
    for i in range(model.STATES):
        pair.reach[i] = 0.0
    error = weighted_error(trajectory, switch, pair, h)
    if error > 1.0:
        set_reach(trajectory, switch, pair, h)
        error = weighted_error(trajectory, switch, pair, h)
    return error


def set_reach(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince, h: float) -> None:
    """How far each state comes on the step where contacts that are in their bands cross a small part of them."""
    part = sqrt(pair.tolerance) * switch.eta
    for j in range(model.CONTACTS):
        effect = abs(trajectory.D[j, j])
        if effect > 0.0 and (trajectory.at_rest[j] != 0 or abs(pair.start_v[j]) <= switch.eta):
            for i in range(model.STATES):
                pair.reach[i] += abs(trajectory.G[i, j]) / effect * part
    spread(trajectory, h, pair.reach, pair.reach_state, pair.reach_rate)


def weighted_error(trajectory: Trajectory, switch: SwitchModel, pair: DormandPrince, h: float) -> float:
    """The same, where each state is allowed its reach at least.

    Where a contact sticks on all of the step, the impulse that holds it counts as well, beside that of its static limit
    in the time τ: nothing else may move, and a step that does not follow the force passes over whole phases of slip.
    """
    total = 0.0
    for i in range(model.CONTACTS):
        if trajectory.S[i] > 0.0:
            error = h * sticking_error(pair, i) * switch.centring[i] / (pair.tolerance * trajectory.S[i])
            total += error * error
    for i in range(model.STATES):
        error = 0.0
        for s in range(STAGES):
            error += ERROR[s] * pair.rate[s, i]
        size = max(pair.largest[i], abs(trajectory.state[i]))
        allowed = pair.absolute_tolerance + max(pair.tolerance * size, pair.reach[i])
        if allowed > 0.0:
            total += (h * error / allowed) * (h * error / allowed)
        elif not isfinite(error):
            total += error
    return sqrt(total / model.STATES)


def sticking_error(pair: DormandPrince, i: int) -> float:
    """The estimated error of the force that holds contact i on the step; 0 where it does not stick on all of it."""
    error = 0.0
    for s in range(STAGES):
        force = pair.sticking_force[s, i]
        if not isfinite(force):
            return 0.0
        error += ERROR[s] * force
    return error


def set_series(trajectory: Trajectory, pair: DormandPrince, h: float) -> None:
    """The polynomials of the states on the step, in the time since its start."""
    for i in range(model.STATES):
        row = trajectory.state_series[i]
        row[0] = pair.start_state[i]
        power = 1.0
        for k in range(1, model.ORDER + 1):
            total = 0.0
            for s in range(STAGES):
                total += DENSE[s, k - 1] * pair.rate[s, i]
            row[k] = total * power
            power /= h
