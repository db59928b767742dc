"""`stickslip models`: the library, and one model in full."""

from __future__ import annotations

from rich.console import Console

from stickslip.cli import arguments
from stickslip.cli.screen import console, number, table
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model


def all_models() -> None:
    """Print every model of the library with its title."""
    out = console()
    out.print(table([(name, make().about.title) for name, make in LIBRARY.items()], ("name", "title")))
    out.print("\nstickslip models NAME describes one; stickslip simulate NAME --t 100 runs it.", style="dim")


def one(text: str) -> None:
    """Print title, source, equations, parameters, states and exact results of one model."""
    model = arguments.read_model(text)
    out = console()
    _print_origin(out, model, text)
    _print_equations(out, model)
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


def _print_equations(out: Console, model: Model) -> None:
    # SymPy takes a while to import, and only this section needs it.
    from stickslip.cli import equations

    text = equations.written(model)
    _section(out, "Equations")
    out.print(table([(left, f"= {right}") for left, right in text.rates]))
    for contact in text.contacts:
        _section(out, f"Contact {contact.name}")
        out.print(table(contact.lines))


def _section(out: Console, title: str) -> None:
    out.print(f"\n{title}", style="bold")
