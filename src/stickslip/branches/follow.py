"""`follow`: the path of an orbit along a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from stickslip.branches.births import equilibrium_of
from stickslip.branches.branch import INTERRUPTED, Branch, SpecialPoint, joined
from stickslip.branches.critical import HOPF
from stickslip.branches.curves import follow_in_two
from stickslip.branches.equilibria import follow_equilibrium
from stickslip.branches.margins import FLIP
from stickslip.branches.walk import LONGEST, Walk
from stickslip.errors import ModelError, OrbitError
from stickslip.model.errors import check_number
from stickslip.model.system import Model, suggest
from stickslip.orbits.equilibria import Equilibrium
from stickslip.orbits.orbit import Orbit

Progress = Callable[[float, int], None]


def follow(
    what: Orbit | Equilibrium | SpecialPoint,
    parameter: str | tuple[str, str],
    *,
    to: float | tuple[float, float],
    step: float = LONGEST,
    most: int = 500,
    progress: Progress | None = None,
) -> Branch:
    """The branch of an orbit or an equilibrium along a parameter, with every bifurcation on the way.

    Returns a `Branch`. It ends at `to`, or where the orbit ceases to exist, or where something prevents going on;
    `branch.reason` says which, and everything found until then is kept.

    Keywords
    - parameter: its name, such as "belt.speed". For a special point two names: it is followed with the first going to
      `to` and the second such that the point stays what it is.
    - to: the value at which to stop. With two values the branch is followed in both directions, and wherever it turns,
      as long as it stays between them.
    - step: the longest step, as a part of the distance to `to`.
    - most: the largest number of points in one direction.
    - progress: called with the parameter and the number of points now and then.

    Special points: fold, flip, Neimark–Sacker, branch point; and those of the discontinuity: grazing-, crossing-,
    switching- and adding-sliding, with the stick phases that are gained or lost, and the exchange of two events. From a
    flip or a branch point, the branch that bifurcates there is followed.

    >>> import stickslip as ss
    >>> orbit = ss.find_orbit(ss.models.drill_string())
    >>> branch = follow(orbit, "table.speed", to=5)
    >>> branch.special[-1]
    <grazing-sliding at table.speed = 4.611989021, period 6.43947489>
    """
    if isinstance(what, SpecialPoint) and what.kind == HOPF and isinstance(what.orbit, Orbit):
        what = replace(what, orbit=equilibrium_of(what.orbit))
    start = what.orbit if isinstance(what, SpecialPoint) else what
    if isinstance(start, Equilibrium):
        special = what if isinstance(what, SpecialPoint) else None
        return follow_equilibrium(start, parameter, to=to, point=special, step=step, most=most, progress=progress)
    if not isinstance(start, Orbit):
        raise OrbitError(f"{what!r} cannot be followed: give an Orbit, an Equilibrium or a special point of a branch")
    check_number("follow: step", step, positive=True)
    names = (parameter,) if isinstance(parameter, str) else tuple(parameter)
    for name in names:
        check_parameter(start.model, name)
    report = progress or (lambda value, count: None)
    if not isinstance(parameter, str):
        if not isinstance(what, SpecialPoint) or len(names) != 2 or isinstance(to, tuple | list):
            raise OrbitError("two parameters and one value of to= are for following a special point of a branch")
        return follow_in_two(what, names, check_number("follow: to", to), step, most, report)
    point = what if isinstance(what, SpecialPoint) and what.bifurcates else None
    present = float(start.model.parameters[parameter])
    if not isinstance(to, tuple | list):
        end = check_number("follow: to", to)
        if end == present:
            raise OrbitError(f"{parameter} is {end:g} already: give another value to follow the orbit to")
        # A branch that turns back may go as far beyond its begin as it was to go on the other side.
        return Walk(start, parameter, (end, 2 * present - end), step, most, report).branch(point)
    low, high = sorted(check_number("follow: to", value) for value in to)
    if not low < present < high:
        raise OrbitError(f"{parameter} is {present:g}, which is not between {low:g} and {high:g}")
    if point is not None and point.kind == FLIP:  # the orbit of twice the period is the same on both sides
        return Walk(start, parameter, (low, high), step, most, report).branch(point)
    down = Walk(start, parameter, (low, high), step, most, report).branch(point, -1.0)
    if "is closed" in down.reason or down.reason == INTERRUPTED:
        return down
    try:
        up = Walk(start, parameter, (high, low), step, most, report).branch(point, 1.0)
    except KeyboardInterrupt:  # before it had a point
        if not len(down):
            raise
        return replace(down, reason=f"{down.reason} {INTERRUPTED}")
    return joined(down, up) if len(down) and len(up) else max(down, up, key=len)


def check_parameter(model: Model, name: Any) -> None:
    """Refuse a parameter that the model does not have."""
    if name not in model.parameters:
        raise ModelError(f"there is no parameter {name!r}{suggest(str(name), list(model.parameters))}")
