"""`follow`: the path of an orbit along a parameter."""

from __future__ import annotations

from typing import Any

from stickslip.arguments import check_progress
from stickslip.branches.births import equilibrium_of, is_at_rest
from stickslip.branches.births import newborn as newborn_at
from stickslip.branches.branch import Branch
from stickslip.branches.critical import HOPF
from stickslip.branches.curves import follow_in_two
from stickslip.branches.equilibria import follow_equilibrium
from stickslip.branches.margins import FLIP
from stickslip.branches.orbits import OrbitWalk
from stickslip.branches.special import SpecialPoint
from stickslip.branches.walk import LONGEST, both_ways
from stickslip.branches.way import ways
from stickslip.errors import OrbitError
from stickslip.model.errors import check_number, check_whole, shown
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.orbit import Orbit
from stickslip.progress import Progress, Report, reporting


def follow(
    what: Orbit | Equilibrium | SpecialPoint,
    parameter: str | tuple[str, str],
    *,
    to: float | tuple[float, float],
    step: float = LONGEST,
    most: int = 500,
    progress: Progress = None,
) -> Branch:
    """The branch of an orbit or an equilibrium along a parameter, with every bifurcation on the way.

    It ends at `to`, or where the orbit ceases to exist, or where something prevents going on; `branch.reason` says
    which, and everything found until then is kept.

    Special points: fold, flip, Neimark–Sacker, branch point; and those of the discontinuity: grazing-, crossing-,
    switching- and adding-sliding, with the stick phases that are gained or lost, and the exchange of two events. From a
    flip or a branch point, the branch that bifurcates there is followed; from a Hopf point, the orbits born there, to
    whichever side of it they are. Its `point.orbit` leads along the equilibrium again.

    Parameters
    ----------
    what : Orbit, Equilibrium or SpecialPoint
        What is followed.
    parameter : str or (str, str)
        The name of a parameter, such as "belt.speed". For a special point two names: it is followed with the first
        going to `to` and the second such that the point stays what it is.
    to : float or (float, float)
        The value at which to stop, in the unit of the parameter. With two values the branch is followed in both
        directions, and wherever it turns, as long as it stays between them.
    step : float, default 0.03
        The longest step, as a part of the distance to `to`.
    most : int, default 500
        The largest number of points in one direction.
    progress : callable or bool, optional
        Called with the parameter and the number of points now and then; by default they are shown, as the bar of
        `simulate` is.

    Returns
    -------
    Branch
        The orbits along the parameter, with their special points.

    Raises
    ------
    ModelError
        If there is no such parameter, or it cannot be followed to there.
    OrbitError
        If what is given cannot be followed so.

    See Also
    --------
    find_orbit, find_equilibria : what can be followed.
    plot.branch : the picture of a branch.

    Examples
    --------
    >>> import stickslip as ss
    >>> orbit = ss.find_orbit(ss.models.drill_string())
    >>> branch = follow(orbit, "table.speed", to=5)
    >>> branch.special[-1]
    <grazing-sliding at table.speed = 4.611989021, period 6.43947489>
    """
    check_progress(progress)
    name = parameter if isinstance(parameter, str) else "parameter"

    def told(value: float, count: int) -> str:
        return f"following: {name} = {value:.6g}, {count} points"

    with reporting(progress, "following", told) as report:
        return _any_followed(what, parameter, to, step, most, report)


def _any_followed(
    what: Any, parameter: str | tuple[str, str], to: Any, step: float, most: int, report: Report
) -> Branch:
    """What was given, followed as what it is."""
    start = what.orbit if isinstance(what, SpecialPoint) else what
    if not isinstance(start, Orbit | Equilibrium):
        raise OrbitError(
            f"{shown(what)} cannot be followed: give an Orbit, an Equilibrium or a special point of a branch"
        )
    check_number("follow: step", step, positive=True)
    most = check_whole("follow: most", most, 1)
    if isinstance(what, SpecialPoint) and what.kind == HOPF and isinstance(parameter, str):
        return _born_at(what, parameter, to, step, most, report)
    if isinstance(start, Orbit) and is_at_rest(start):
        start = equilibrium_of(start)
    if isinstance(start, Equilibrium):
        special = what if isinstance(what, SpecialPoint) else None
        return follow_equilibrium(start, parameter, to=to, point=special, step=step, most=most, progress=report)
    if not isinstance(parameter, str | tuple | list):
        raise OrbitError(f"parameter is {shown(parameter)}: give the name of one, or two names for a special point")
    names = tuple(start.model.resolve(name) for name in ((parameter,) if isinstance(parameter, str) else parameter))
    if not isinstance(parameter, str):
        if not isinstance(what, SpecialPoint) or len(names) != 2 or isinstance(to, tuple | list):
            raise OrbitError("two parameters and one value of to= are for following a special point of a branch")
        return follow_in_two(what, names, check_number("follow: to", to), step, most, report)
    point = what if isinstance(what, SpecialPoint) and what.bifurcates else None
    return _followed(start, names[0], to, point, step, most, report)


def _followed(
    start: Orbit, parameter: str, to: Any, point: SpecialPoint | None, step: float, most: int, report: Report
) -> Branch:
    """The branch of an orbit, or the one that bifurcates from it."""
    found = ways(start.model, parameter, to, "orbit", step, most, report)
    # The orbit of twice the period is the same on both sides of a flip.
    if len(found) == 1 or (point is not None and point.kind == FLIP):
        return OrbitWalk(start, found[0], point).branch()
    return both_ways([OrbitWalk(start, way, point, side) for way, side in zip(found, (-1.0, 1.0), strict=True)])


def _born_at(point: SpecialPoint, parameter: str, to: Any, step: float, most: int, report: Report) -> Branch:
    """The branch of the orbits that are born at a Hopf point: they exist on one side of it at first."""
    parameter = point.orbit.model.resolve(parameter)
    found = ways(point.orbit.model, parameter, to, "orbit", step, most, report)
    span = max(abs(bound - point.orbit.model.parameters[parameter]) for bound in found[0].bounds)
    newborn = newborn_at(point.orbit, parameter, point.numbers["omega"], point.numbers["l1"], span)
    way = found[-1] if newborn.onset > 0 else found[0]
    return OrbitWalk(newborn.orbit, way, newborn=newborn).branch()
