"""`stickslip follow`: from what the user typed to the branch, its special points, its files and its pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import orbits, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, number, table
from stickslip.errors import ModelError
from stickslip.model.errors import check_number
from stickslip.model.system import Model

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.branches.branch import Branch, SpecialPoint
    from stickslip.orbits.orbit import Orbit

PICTURES = ("branch", "period", "multipliers")
"""What the name of a picture's file may say."""
ENDED = re.compile(
    r"ceases to exist|shrinks away|shrinks to a point|ends at .* by |at a flip of|meets that of|"
    r"is closed|came back to the|have no branch"
)
"""What the reason says where a branch ends by itself."""


@dataclass(frozen=True)
class Way:
    """Along which parameter, how far, in what steps, and whether onto the branches that bifurcate."""

    parameter: str
    to: list[float]
    step: float | None
    most: int
    branches: bool


@dataclass(frozen=True)
class Found:
    """A branch, what to call it, how far it was to go, and where it bifurcates."""

    label: str
    branch: Branch
    to: list[float]
    begin: SpecialPoint | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it went as far as asked for, or ended because the orbit does."""
        return all(map(self._is_end, re.split(r"(?<=\.)\s+(?=The )", self.branch.reason)))

    def _is_end(self, sentence: str) -> bool:
        arrived = re.search(r"(reached|came back to) \S+ = (\S+)\.$", sentence)
        if arrived is None:
            return ENDED.search(sentence) is not None
        return arrived[1] == "reached" or arrived[2] in [f"{value:g}" for value in self.to]


def perform(search: orbits.Search, way: Way, quantity: str | None, plots: Sequence[Path], save: Path | None) -> bool:
    """Follow, print, save, draw; whether every branch went as far as it was to go or as it exists."""
    model = orbits.model_of(search)
    _check_way(model, way)
    _check_quantity(model, quantity)
    outputs.check(plots, save)
    saved = outputs.Saved()
    with Progress() as progress:
        found = _followed(search, way, progress)
        progress.hold()
        kept = [one for one in found if len(one.branch)]
        saved.save(save, *(one.branch for one in kept))
    out = console()
    out.print(model.about.title or model.about.name or "Unnamed model", style="bold")
    for one in found:
        _print_branch(out, one, way)
    saved.tell(out)
    for path in plots:
        out.print(f"drew {_draw(kept, quantity, path)}", soft_wrap=True)
    return all(one.is_complete for one in found) and not progress.asked


def _check_way(model: Model, way: Way) -> None:
    """What `follow` would refuse, before an orbit is looked for."""
    from stickslip.branches.follow import check_parameter

    check_parameter(model, way.parameter)
    present = float(model.parameters[way.parameter])
    if way.step is not None:
        check_number("--step", way.step, positive=True)
    check_number("--most", way.most, positive=True)
    if len(way.to) > 2:
        raise ModelError(f"--to is given {len(way.to)} times: give one value, or one on each side of the present one")
    if way.to == [present]:
        raise ModelError(f"{way.parameter} is {present:g} already: give another value to follow the orbit to")
    if len(way.to) == 2 and not min(way.to) < present < max(way.to):
        raise ModelError(f"{way.parameter} is {present:g}, which is not between {min(way.to):g} and {max(way.to):g}")


def _check_quantity(model: Model, quantity: str | None) -> None:
    from stickslip.plot.branch import check_quantity

    if quantity is not None:
        check_quantity(quantity, model.states)


# -- following ---------------------------------------------------------------------------------------------------------


def _followed(search: orbits.Search, way: Way, progress: Progress) -> list[Found]:
    """The branch, and those that bifurcate from it, until the user has enough."""
    orbit = orbits.found_orbit(search)
    found = [Found("the orbit followed", _follow(orbit, way, way.to, progress), way.to)]
    values = [*map(float, found[0].branch.values), *way.to]
    within = [min(values), max(values)]
    for point in _bifurcating(found[0].branch) if way.branches else []:
        if progress.asked:
            break
        try:
            branch = _follow(point, way, within, progress)
        except KeyboardInterrupt:  # before it had a point: those before it are kept
            break
        found.append(Found(f"from {point.kind} at {point.value:.4g}", branch, within, point))
    return found


def _follow(what: Orbit | SpecialPoint, way: Way, to: list[float], progress: Progress) -> Branch:
    from stickslip import follow

    def report(value: float, count: int) -> None:
        progress.show(f"{way.parameter} = {value:.6g}, {count} points")

    keywords: Any = {"most": way.most} | ({} if way.step is None else {"step": way.step})
    end = to[0] if len(to) == 1 else (to[0], to[1])
    return follow(what, way.parameter, to=end, progress=report, **keywords)


def _bifurcating(branch: Branch) -> list[SpecialPoint]:
    """The points at which another branch begins, each once; not where this one ends on another."""
    found: list[SpecialPoint] = []
    for point in branch.special:
        again = any(abs(point.value - other.value) <= 1e-8 * abs(other.value) for other in found)
        if point.bifurcates and not again and "ends here" not in point.note:
            found.append(point)
    return found


# -- printing and drawing ----------------------------------------------------------------------------------------------


def _print_branch(out: Console, found: Found, way: Way) -> None:
    branch = found.branch
    if found.begin is not None:
        out.print(f"\nFrom the {found.begin.kind} at {way.parameter} = {number(found.begin.value)}", style="bold")
    rows = [
        (point.kind, number(point.value), number(point.orbit.period), orbits.multipliers_line(point.orbit, 6))
        for point in branch.special
    ]
    if rows:
        out.print(table(rows, ("kind", way.parameter, "period", "multipliers"), most=len(rows)))
    if len(branch):
        out.print(f"{len(branch)} orbits, {int(branch.stable.sum())} of them stable; special points: {len(rows)}")
    out.print(branch.reason, style="green" if found.is_complete else "yellow", soft_wrap=True)


def _draw(found: Sequence[Found], quantity: str | None, path: Path) -> Path:
    from stickslip import plot

    kind = outputs.picture_of(path, PICTURES)
    wanted = quantity if quantity is not None or kind == "branch" else kind
    return plot.save(plot.branch({one.label: one.branch for one in found}, wanted), path)
