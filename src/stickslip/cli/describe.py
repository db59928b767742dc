"""`stickslip models`: the library, and one model in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments
from stickslip.cli.screen import number, table
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.cli.commands.motions import Models
    from stickslip.cli.equations import EquationText
    from stickslip.cli.report import Report


def perform(asked: Models, report: Report) -> bool:
    """The library, or one model."""
    if asked.name:
        _one(asked.name, report)
    else:
        _all_models(report)
    return True


def _all_models(report: Report) -> None:
    """Every model of the library with its title."""
    titles = {name: make().about.title for name, make in LIBRARY.items()}
    report.tell(models=[{"name": name, "title": title} for name, title in titles.items()])
    report.out.print(table(list(titles.items()), ("name", "title")))
    report.out.print("\nstickslip models NAME describes one; stickslip simulate NAME --t 100 runs it.", style="dim")


def _one(text: str, report: Report) -> None:
    """Title, source, equations, parameters, states and exact results of one model."""
    # SymPy takes a while to import, and only this needs it.
    from stickslip.cli import equations

    model, out = arguments.read_model(text), report.out
    written = equations.written(model)
    report.tell(**_facts(model, text, written))
    _print_origin(out, model, text)
    _print_equations(out, written)
    _section(out, "Parameters")
    values = [(name, number(value), model.units[name]) for name, value in model.parameters.items()]
    out.print(table(values, ("name", "value", "unit") if any(row[2] for row in values) else ()))
    _print_derived(out, model)
    _section(out, "States")
    rows = [(name, number(model.start[name]), model.units[name]) for name in model.states]
    out.print(table(rows, ("name", "start", "unit" if any(row[2] for row in rows) else "")))
    if model.about.known:
        _section(out, "Known exactly")
        out.print(table([(name, number(value, 13)) for name, value in model.about.known.items()]))


def _facts(model: Model, text: str, written: EquationText) -> dict[str, Any]:
    return {
        "name": model.about.name,
        "title": model.about.title,
        "source": model.about.source,
        "arguments": dict(arguments.model_arguments(text.partition(":")[0])),
        "equations": dict(written.rates),
        "contacts": {contact.name: dict(contact.lines) for contact in written.contacts},
        "parameters": dict(model.parameters),
        "derived": {name: term.value(model.parameters) for name, term in model.derived.items()},
        "units": {name: unit for name, unit in model.units.items() if unit},
        "states": {name: {"start": model.start[name], "unit": model.units[name]} for name in model.states},
        "time_unit": model.time_unit,
        "known": dict(model.about.known),
    }


def _print_origin(out: Console, model: Model, text: str) -> None:
    out.print(model.about.title or model.about.name or text, style="bold")
    if model.about.source:
        out.print(model.about.source, style="dim")
    name = text.partition(":")[0]
    given = arguments.model_arguments(name)
    if given:
        written = [f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in given.items()]
        out.print(f"Arguments: {', '.join(written)}; given as {name}:{','.join(written[:2])}", style="dim")


def _print_derived(out: Console, model: Model) -> None:
    """What follows from parameters: its formula, value and unit."""
    if not model.derived:
        return
    from stickslip.cli import equations

    _section(out, "Follows from them")
    formulas = equations.derived(model)
    values = {name: number(term.value(model.parameters)) for name, term in model.derived.items()}
    rows = [(name, f"= {formulas[name]}", f"= {value}", model.units[name]) for name, value in values.items()]
    out.print(table(rows))


def _print_equations(out: Console, written: EquationText) -> None:
    _section(out, "Equations")
    out.print(table([(left, f"= {right}") for left, right in written.rates]))
    for contact in written.contacts:
        _section(out, f"Contact {contact.name}")
        out.print(table(contact.lines))


def _section(out: Console, title: str) -> None:
    out.print(f"\n{title}", style="bold")
