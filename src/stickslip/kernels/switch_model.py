"""The right-hand side of Leine's switch model: slip, stick and the transition between them as one equation.

Leine, van Campen, de Kraker, van den Steen (1998), Sec. 5, for any number of contacts. A contact slips where |v| > η.
Inside that band it sticks, v̇ = −v/τ, as long as the force λ that holds it (v̇ = 0) stays below its static limit S;
beyond, it is in transition to slip with λ = ±S.
"""

from math import sqrt

from stickslip.kernels import model
from stickslip.kernels.linear import factor_delassus, substitute
from stickslip.kernels.records import Floats, Record, field
from stickslip.kernels.trajectory import Trajectory


class SwitchModel(Record):
    """The switch model at one state; `at_rest` of the trajectory says which contacts are inside their bands."""

    eta: float = field("half the width η of the band |v| < η")
    forgetting: float = field("the rate at which stick times die out in slip")
    centring: Floats = field("1/τ of each contact", model.CONTACTS)
    v: Floats = field("sliding velocities", model.CONTACTS)
    force: Floats = field("friction forces λ", model.CONTACTS)
    state: Floats = field("the state, while another is looked at", model.STATES)
    direction: Floats = field("a change of the state: see `set_centring`", model.STATES)
    slope: Floats = field("the derivative of f along it", model.STATES)


def set_rate(trajectory: Trajectory, switch: SwitchModel, rate: Floats) -> int:
    """ż at the present state and time, with modes and forces; 0 if they are determined."""
    model.ingredients(trajectory)
    stale = 0
    inside = 0
    for i in range(model.CONTACTS):
        v = trajectory.v[i]
        switch.v[i] = v
        side = 0 if abs(v) <= switch.eta else (1 if v > 0.0 else -1)
        if side == 0:
            inside += 1
        elif trajectory.mode[i] != side:
            stale = 1
        trajectory.at_rest[i] = 1 if side == 0 else 0
        trajectory.mode[i] = side
    if stale != 0:  # R is a function of s·v, and was computed with another s
        model.ingredients(trajectory)
    set_slip_forces(trajectory, switch)
    failed = settle_band(trajectory, switch) if inside > 0 else 0
    for i in range(model.STATES):
        total = trajectory.f[i]
        for j in range(model.CONTACTS):
            total += trajectory.G[i, j] * switch.force[j]
        rate[i] = total
    if model.RESETS > 0:
        forget(trajectory, switch, rate)
    if inside > 0:
        centre(trajectory, switch, rate)
    return failed


def forget(trajectory: Trajectory, switch: SwitchModel, rate: Floats) -> None:
    """Where no event resets it, the stick time of a contact that slips dies out instead."""
    for i in range(model.STATES):
        contact = model.OWNER[i]
        if contact >= 0 and trajectory.mode[contact] != 0:
            rate[i] = -switch.forgetting * trajectory.state[i]


def set_slip_forces(trajectory: Trajectory, switch: SwitchModel) -> None:
    """λ of all contacts that do not stick: −s R in slip, −s S in transition to the side s."""
    for i in range(model.CONTACTS):
        limit = trajectory.S[i] if trajectory.at_rest[i] != 0 else trajectory.R[i]
        switch.force[i] = -float(trajectory.mode[i]) * limit


def settle_band(trajectory: Trajectory, switch: SwitchModel) -> int:
    """Forces of the contacts inside the band: hold all of them, and let go whichever that asks too much of.

    Leaves the ingredients at the state with v = 0 where a contact sticks. What is integrated is then the motion of the
    system that sticks exactly, ẋ = v_belt, and the v that remains does not add up to a drift of the positions.
    """
    for i in range(model.STATES):
        switch.state[i] = trajectory.state[i]
    failed = 0
    for _ in range(4 * model.CONTACTS + 4):
        stuck = set_sticking_forces(trajectory, switch)
        if stuck < 0:
            failed = 1
            break
        contact = most_urgent_inside(trajectory, switch)
        if contact < 0:
            break
        if trajectory.mode[contact] != 0:
            trajectory.mode[contact] = 0
        else:
            trajectory.mode[contact] = -1 if switch.force[contact] > 0.0 else 1
    for i in range(model.STATES):
        trajectory.state[i] = switch.state[i]
    return failed


def set_sticking_forces(trajectory: Trajectory, switch: SwitchModel) -> int:
    """λ with v̇ = 0 for the contacts of mode 0, at the state with their v = 0; their number, or -1 if singular."""
    for i in range(model.STATES):
        trajectory.state[i] = switch.state[i]
    stuck = factor_delassus(trajectory)
    if stuck < 0:
        return stuck
    if stuck > 0:
        for i in range(model.CONTACTS):
            trajectory.right_side[i] = -switch.v[i]
        substitute(trajectory, stuck)
        for j in range(model.CONTACTS):
            if trajectory.mode[j] == 0:
                impulse = trajectory.solution[j]
                for i in range(model.STATES):
                    trajectory.state[i] += trajectory.G[i, j] * impulse
    model.ingredients(trajectory)
    set_slip_forces(trajectory, switch)
    stuck = factor_delassus(trajectory)
    if stuck > 0:
        for i in range(model.CONTACTS):
            trajectory.right_side[i] = -acceleration(trajectory, switch, i)
        substitute(trajectory, stuck)
        for i in range(model.CONTACTS):
            if trajectory.mode[i] == 0:
                switch.force[i] = trajectory.solution[i]
    return stuck


def acceleration(trajectory: Trajectory, switch: SwitchModel, i: int) -> float:
    """v̇ of contact i under the present forces."""
    total = trajectory.a[i]
    for j in range(model.CONTACTS):
        total += trajectory.D[i, j] * switch.force[j]
    return total


def most_urgent_inside(trajectory: Trajectory, switch: SwitchModel) -> int:
    """The contact in the band that wants another mode most: first those held beyond S, then those let go in vain."""
    urgency = 0.0
    contact = -1
    for i in range(model.CONTACTS):
        if trajectory.at_rest[i] != 0:
            wish = 0.0
            static = trajectory.S[i]
            if trajectory.mode[i] == 0:
                excess = abs(switch.force[i]) - static
                wish = 1.0 + excess / (abs(switch.force[i]) + abs(static)) if excess > 0.0 else 0.0
            elif model.CONTACTS > 1:
                gain = acceleration(trajectory, switch, i) * float(trajectory.mode[i])
                wish = 0.5 if gain < -1e-12 * abs(trajectory.D[i, i] * static) else 0.0
            if wish > urgency:
                urgency = wish
                contact = i
    return contact


def centre(trajectory: Trajectory, switch: SwitchModel, rate: Floats) -> None:
    """Add to ż what makes v̇ = −v/τ of the sticking contacts, with the factors of D that `settle_band` left."""
    stuck = 0
    for i in range(model.CONTACTS):
        if trajectory.mode[i] == 0:
            stuck += 1
            trajectory.right_side[i] = -switch.v[i] * switch.centring[i]
    if stuck == 0:
        return
    substitute(trajectory, stuck)
    for j in range(model.CONTACTS):
        if trajectory.mode[j] == 0:
            force = trajectory.solution[j]
            for i in range(model.STATES):
                rate[i] += trajectory.G[i, j] * force


# -- what does not change along the run --------------------------------------------------------------------------


def prepare(trajectory: Trajectory, switch: SwitchModel) -> None:
    """Everything that does not change along the run: constants, and the time scales of the contacts."""
    model.constants(trajectory)
    for i in range(model.CONTACTS):
        trajectory.mode[i] = 1
    model.ingredients(trajectory)
    set_centring(trajectory, switch)


def set_centring(trajectory: Trajectory, switch: SwitchModel) -> None:
    """1/τ of every contact, from how its velocity answers an impulse on itself: v̈ + α v̇ + v/τ² = 0 at the start.

    That gives √(k/m) for a block on a spring, damped or not. With no time scale of its own, a tenth of the run is τ.
    """
    for i in range(model.STATES):
        switch.state[i] = trajectory.state[i]
    for contact in range(model.CONTACTS):
        model.ingredients(trajectory)
        answer = trajectory.D[contact, contact]
        for i in range(model.STATES):
            switch.direction[i] = trajectory.G[i, contact]
        first = slope_along(trajectory, switch, contact)
        second = slope_along(trajectory, switch, contact)
        square = 0.0
        if answer != 0.0:
            square = abs((first / answer) * (first / answer) - second / answer)
        whole = trajectory.end_time - trajectory.time
        slowest = 10.0 / whole if trajectory.end_time > trajectory.time else 0.0
        switch.centring[contact] = max(sqrt(square), slowest)


def slope_along(trajectory: Trajectory, switch: SwitchModel, contact: int) -> float:
    """The derivative of the slip acceleration a along the direction, which becomes the derivative of f along it."""
    size = 0.0
    length = 0.0
    for i in range(model.STATES):
        size = max(size, abs(switch.state[i]))
        length = max(length, abs(switch.direction[i]))
    for i in range(model.CONTACTS):
        size = max(size, abs(trajectory.v[i]))
    if length == 0.0:
        return 0.0
    step = 1e-4 * (size if size > 0.0 else 1.0) / length
    slope = 0.0
    for i in range(model.STATES):
        switch.slope[i] = 0.0
    for side in range(-1, 2, 2):
        weight = float(side) / (2.0 * step)
        for i in range(model.STATES):
            trajectory.state[i] = switch.state[i] + float(side) * step * switch.direction[i]
        model.ingredients(trajectory)
        slope += weight * trajectory.a[contact]
        for i in range(model.STATES):
            switch.slope[i] += weight * trajectory.f[i]
    for i in range(model.STATES):
        switch.direction[i] = switch.slope[i]
        trajectory.state[i] = switch.state[i]
    return slope
