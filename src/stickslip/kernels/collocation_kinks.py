"""Kinks of the smoothed equations, where a variable passes a level: steps end there.

The equations have kinks where a sliding velocity passes zero (laws depend on |v|) and where some shapes are pieced
together. To end steps there costs a few, and the derivatives gain one or two digits.
"""

from stickslip.kernels.collocation import Collocation
from stickslip.kernels.radau import DIFFERENCES, LAST_STAGE, POINTS, STAGES, basis

MOST_LANDINGS = 6
LANDED = 1e-6  # of the floor of a variable: so near to a level it is there
NO_CROSSING = 2.0


def forget_kink(run: Collocation) -> None:
    """The next step may have any length."""
    run.landing_kink = -1
    run.landings = 0


def lands(run: Collocation, h: float) -> bool:
    """Whether the step may stay as it is: no kink lies inside it; if not, `landing_step` is to be tried."""
    if run.landings >= MOST_LANDINGS:
        return True
    first = NO_CROSSING
    found = -1
    for kink in range(run.kinks):
        x = crossing(run, run.kink_variable[kink], run.kink_level[kink])
        if x < first:
            first = x
            found = kink
    if found >= 0:
        run.landing_kink = found
        run.landing_step = first * h
    elif run.landing_kink < 0 or reaches_kink(run, h):
        return True
    run.landings += 1
    return False


def reaches_kink(run: Collocation, h: float) -> bool:
    """Whether a step that is made to end at a kink does; if not, a longer one is to be tried."""
    i = run.kink_variable[run.landing_kink]
    short = run.kink_level[run.landing_kink] - run.state[i] - run.increment[LAST_STAGE, i]
    if abs(short) <= LANDED * run.floor[i]:
        return True
    rate = 0.0
    for j in range(STAGES):
        rate += DIFFERENCES[LAST_STAGE, j] * run.increment[j, i] / h
    longer = h + short / rate if rate != 0.0 else 0.0
    if longer <= h or longer > 1.5 * h:
        return True
    run.landing_step = longer
    return False


def crossing(run: Collocation, i: int, level: float) -> float:
    """The fraction of the step after which variable i first passes the level; NO_CROSSING if it does not."""
    near = LANDED * run.floor[i]
    from_level = run.state[i] - level
    before = side_of(from_level, near)
    low = 0.0
    for k in range(STAGES):
        after = side_of(from_level + run.increment[k, i], near)
        if before * after < 0:
            return bisected(run, i, from_level, low, POINTS[k], before)
        if after != 0:
            before = after
        low = POINTS[k]
    return NO_CROSSING


def side_of(distance: float, near: float) -> int:
    """Above, below, or at the level."""
    if abs(distance) <= near:
        return 0
    return 1 if distance > 0.0 else -1


def bisected(run: Collocation, i: int, from_level: float, low: float, high: float, side: int) -> float:
    """Where the polynomial of variable i passes the level, between two fractions of the step."""
    for _ in range(50):
        x = 0.5 * (low + high)
        value = from_level
        for j in range(STAGES):
            value += basis(x, j) * run.increment[j, i]
        if value * side > 0.0:
            low = x
        else:
            high = x
    return high
