"""`stickslip follow`: from what the user typed to the branch, its special points, its files and its pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, orbits, outputs
from stickslip.cli.screen import number, table
from stickslip.errors import ModelError
from stickslip.model.errors import check_number
from stickslip.model.system import Model

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.branches.branch import Branch
    from stickslip.branches.special import SpecialPoint
    from stickslip.cli.commands.orbits import Follow
    from stickslip.cli.progress import Progress
    from stickslip.cli.report import Report
    from stickslip.orbits.equilibrium import Equilibrium

PICTURES = ("branch", "period", "multipliers")
"""What the name of a picture's file may say."""


@dataclass(frozen=True)
class Found:
    """A branch, what to call it, and where it bifurcates."""

    label: str
    branch: Branch
    begin: SpecialPoint | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it went as far as asked for, or ended because the orbit does."""
        return self.branch.complete


def perform(asked: Follow, report: Report) -> bool:
    """Follow, print, save, draw; whether every branch went as far as it was to go or as it exists."""
    model = orbits.model_of(asked)
    _check_way(model, asked)
    _check_quantity(model, asked.quantity)
    outputs.check(asked.plot, asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        found = _followed(asked, progress)
        progress.hold()
        kept = [one for one in found if len(one.branch)]
        saved.save(asked.save, *(one.branch for one in kept))
    report.tell(model=model.about.called, parameter=asked.parameter, branches=[_facts(one) for one in found])
    report.out.print(arguments.title_of(model), style="bold")
    for one in found:
        _print_branch(report.out, one, asked.parameter)
    saved.tell(report)
    for path in asked.plot:
        report.drew(_draw(kept, asked.quantity, path))
    return all(one.is_complete for one in found) and not progress.asked


def _check_way(model: Model, asked: Follow) -> None:
    """What `follow` would refuse, before an orbit is looked for."""
    present, to = float(model.parameters[model.resolve(asked.parameter)]), asked.to
    if asked.step is not None:
        check_number("--step", asked.step, positive=True)
    check_number("--most", asked.most, positive=True)
    if len(to) > 2:
        raise ModelError(f"--to is given {len(to)} times: give one value, or one on each side of the present one")
    if to == [present]:
        raise ModelError(f"{asked.parameter} is {present:g} already: give another value to follow the orbit to")
    if len(to) == 2 and present in to:
        other = max(to) if present == min(to) else min(to)
        raise ModelError(f"{asked.parameter} is {present:g} already: give the other end alone, --to {other:g}")
    if len(to) == 2 and not min(to) < present < max(to):
        raise ModelError(f"{asked.parameter} is {present:g}, which is not between {min(to):g} and {max(to):g}")


def _check_quantity(model: Model, quantity: str | None) -> None:
    from stickslip.plot.branch import check_quantity

    if quantity is not None:
        check_quantity(quantity, model.states)


# -- following ---------------------------------------------------------------------------------------------------------


def _followed(asked: Follow, progress: Progress) -> list[Found]:
    """The branch, and those that bifurcate from it, until the user has enough."""
    first = _equilibrium(asked) if asked.equilibrium else orbits.found_orbit(asked)
    label = "the equilibrium followed" if asked.equilibrium else "the orbit followed"
    found = [Found(label, _follow(first, asked, asked.to, progress))]
    values = [*map(float, found[0].branch.values), *asked.to]
    within = [min(values), max(values)]
    for point in _bifurcating(found[0].branch) if asked.branches else []:
        if progress.asked:
            break
        try:
            branch = _follow(point, asked, within, progress)
        except KeyboardInterrupt:  # before it had a point: those before it are kept
            break
        found.append(Found(f"from {point.kind} at {point.value:.4g}", branch, point))
    return found


def _equilibrium(asked: Follow) -> Equilibrium:
    """The equilibrium that is meant."""
    from stickslip import find_equilibria

    if asked.is_saved or asked.period is not None or asked.method != "exact":
        raise ModelError("--equilibrium goes with a model, --set and --start, not with orbits, --period, --method")
    model = orbits.model_of(asked)
    found = find_equilibria(model, guess=arguments.read_numbers("--start", asked.start) or None)
    if not found:
        raise ModelError("no equilibrium was found: say near which state to look, with --start")
    return found[0]


def _follow(what: Any, asked: Follow, to: list[float], progress: Progress) -> Branch:
    from stickslip import follow

    def report(value: float, count: int) -> None:
        progress.show(f"{asked.parameter} = {value:.6g}, {count} points")

    keywords: Any = {"most": asked.most} | ({} if asked.step is None else {"step": asked.step})
    end = to[0] if len(to) == 1 else (to[0], to[1])
    return follow(what, asked.parameter, to=end, progress=report, **keywords)


def _bifurcating(branch: Branch) -> list[SpecialPoint]:
    """The points at which another branch begins, each once; not where this one ends on another."""
    from stickslip.branches.outcome import Outcome

    found: list[SpecialPoint] = []
    ends = [end.value for end in branch.endings if end.outcome in (Outcome.BORN, Outcome.FLIPPED)]
    for point in branch.special:
        known = [*ends, *(other.value for other in found)]
        if point.bifurcates and not any(abs(point.value - value) <= 1e-8 * abs(value) for value in known):
            found.append(point)
    return found


# -- printing and drawing ----------------------------------------------------------------------------------------------


def _print_branch(out: Console, found: Found, parameter: str) -> None:
    branch = found.branch
    if found.begin is not None:
        out.print(f"\nFrom the {found.begin.kind} at {parameter} = {number(found.begin.value)}", style="bold")
    resting = not math.isfinite(branch.points[0].period) if len(branch) else False
    rows = [
        (
            point.kind,
            number(point.value),
            *(() if resting else (number(point.orbit.period),)),
            point.note if point.numbers else orbits.multipliers_line(point.orbit, 6),
        )
        for point in branch.special
    ]
    heads = ("kind", parameter, "eigenvalues") if resting else ("kind", parameter, "period", "multipliers")
    if rows:
        out.print(table(rows, heads, most=len(rows)))
    if len(branch):
        what = "equilibria" if resting else "orbits"
        out.print(f"{len(branch)} {what}, {int(branch.stable.sum())} of them stable; special points: {len(rows)}")
    out.print(branch.reason, style="green" if found.is_complete else "yellow", soft_wrap=True)


def _facts(found: Found) -> dict[str, Any]:
    """All of a branch, for programs."""
    branch = found.branch
    special = [
        {"kind": point.kind, "value": point.value, "note": point.note, "period": point.orbit.period}
        | {"multipliers": [complex(value) for value in point.orbit.multipliers], "numbers": dict(point.numbers)}
        for point in branch.special
    ]
    told = {"label": found.label, "reason": branch.reason, "complete": found.is_complete, "special": special}
    if not len(branch):
        return told | {"points": []}
    states = branch.points[0].model.states
    return told | {
        "points": [
            {
                "value": value,
                "period": point.period,
                "stable": point.stable,
                "multipliers": [complex(each) for each in point.multipliers],
                "minimum": dict(zip(states, low, strict=True)),
                "maximum": dict(zip(states, high, strict=True)),
            }
            for value, point, (low, high) in zip(
                branch.values.tolist(), list[Any](branch.points), branch.extremes.tolist(), strict=True
            )
        ]
    }


def _draw(found: Sequence[Found], quantity: str | None, path: Path) -> Path:
    from stickslip import plot

    kind = outputs.picture_of(path, PICTURES)
    wanted = quantity if quantity is not None or kind == "branch" else kind
    return plot.save(plot.branch({one.label: one.branch for one in found}, wanted), path)
