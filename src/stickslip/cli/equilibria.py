"""`stickslip equilibria`: where a model rests or slides steadily."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.orbits import complex_text
from stickslip.cli.screen import number, table

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.cli.commands.orbits import Equilibria
    from stickslip.cli.report import Report
    from stickslip.orbits.equilibrium import Equilibrium

WORDS = {0: "stick", 1: "slip+", -1: "slip−"}


def perform(asked: Equilibria, report: Report) -> bool:
    """Find, print, save; the search always comes to its end."""
    model = arguments.set_model(asked)
    outputs.check((), asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        from stickslip import find_equilibria

        found = find_equilibria(model, guess=arguments.read_numbers("--start", asked.start) or None)
        progress.hold()
        if asked.save is not None:
            table = asked.save.suffix.lower() == ".csv"
            saved.save(asked.save, *([_frame(found, model.states)] if table else found))
    report.tell(model=model.about.called, parameters=dict(model.parameters), equilibria=[_facts(one) for one in found])
    report.out.print(arguments.title_of(model), style="bold")
    if not found:
        report.out.print("No equilibrium was found.", style="yellow")
    for i, one in enumerate(found, 1):
        _print(report.out, one, f"equilibrium {i} of {len(found)}, " if len(found) > 1 else "")
    saved.tell(report)
    return True


def _print(out: Console, one: Equilibrium, which: str) -> None:
    kind = "rest in stick" if one.kind == "stick" else "steady sliding"
    out.print(f"\n{which}{kind}: {one.stability}", style="green" if one.stable else "yellow")
    units = one.model.units
    rows = [(name, _range(one, name), units[name]) for name in one.state]
    out.print(table(rows, ("state", "value", "unit" if any(units.values()) else "")))
    if one.model.contacts:
        out.print()
        contacts = [(name, WORDS[one.mode[name]], number(one.force[name], 12)) for name in one.model.contacts]
        out.print(table(contacts, ("contact", "mode", "force")))
    values = ", ".join(complex_text(complex(value), 10) for value in one.eigenvalues)
    out.print(f"\n  eigenvalues  {values or 'none'}", soft_wrap=True)
    if one.box is False:
        out.print("  The set is smaller than the box that these ranges span.")


def _range(one: Equilibrium, name: str) -> str:
    low, high = (one.interval or {}).get(name, (one.state[name], one.state[name]))
    return f"{number(low, 12)} … {number(high, 12)}" if low < high else number(one.state[name], 12)


def _facts(one: Equilibrium) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "stable": one.stable,
        "state": one.state,
        "interval": one.interval,
        "box": one.box,
        "mode": one.mode,
        "force": one.force,
        "eigenvalues": [complex(value) for value in one.eigenvalues],
    }


def _frame(found: list[Equilibrium], states: tuple[str, ...]) -> Any:
    """A row for each: its states, and how far they range where it is a whole set."""
    import pandas as pd

    def row(one: Equilibrium) -> dict[str, Any]:
        ranges = one.interval or {}
        values: dict[str, Any] = {"kind": one.kind, "stability": one.stability}
        for name in states:
            low, high = ranges.get(name, (one.state[name], one.state[name]))
            values |= {name: one.state[name], f"least.{name}": low, f"greatest.{name}": high}
        return values | {f"force.{name}": force for name, force in one.force.items()}

    return pd.DataFrame([row(one) for one in found]).rename_axis("equilibrium")
