"""How a model shows itself: a few lines of text, or a card in a notebook with its equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stickslip import notebook
from stickslip.errors import StickslipError
from stickslip.model.errors import visible

MOST_PARTS = 12
"""Parts that are listed in a text."""

MOST_STATES = 12
"""States of a model whose equations are typeset; those of larger ones fill pages."""


def text(model: Any) -> str:
    """One line that says what a model is, and one for each of its parts."""
    lines = [f"  {line}" for line in _part_lines(model)]
    if len(lines) > MOST_PARTS:
        lines = [*lines[:MOST_PARTS], f"  … and {len(lines) - MOST_PARTS} more"]
    return "\n".join(visible(line) for line in (f"<{type(model).__name__}{_named(model)}: {_size(model)}>", *lines))


def html(model: Any) -> str:
    """A card with the equations, the parameters with their units, the start and the parts of a model."""
    units = model.units
    parameters = [(name, value, units.get(name, "")) for name, value in model.parameters.items()]
    states = [(name, model.start[name], units.get(name, "")) for name in model.states]
    parts = [(line,) for line in _part_lines(model)]
    about = model.about
    title = about.called if about.title or about.name else type(model).__name__
    return notebook.card(
        title,
        _equations(model),
        notebook.folded(
            f"{len(parameters)} parameters",
            notebook.table(parameters, ("parameter", "value", "unit")),
            len(parameters) < 13,
        ),
        notebook.folded(f"{len(states)} states", notebook.table(states, ("state", "start", "unit"))),
        notebook.folded(f"{len(parts)} parts", notebook.table(parts)),
        note=" · ".join(part for part in (f"{type(model).__name__}: {_size(model)}", about.source) if part),
    )


def _equations(model: Any) -> str:
    if len(model.states) > MOST_STATES:
        return notebook.notes([f"The equations of its {len(model.states)} states are too long to be shown here."])
    # The one thing for which a model reaches beyond its layer, when it is looked at: SymPy is not loaded before.
    from stickslip.symbolic.mathml import typeset

    try:
        found = typeset(model)
    except StickslipError as error:
        return notebook.notes([f"Its equations cannot be shown: {error}"])
    rates = notebook.table([(notebook.Markup(rate),) for rate in found.rates])
    contacts = [
        (name if i == 0 else "", what, notebook.Markup(formula))
        for name, lines in found.contacts.items()
        for i, (what, formula) in enumerate(lines)
    ]
    return rates + (notebook.table(contacts, ("contact", "", "")) if contacts else "")


def _named(model: Any) -> str:
    return f" {model.about.name}" if model.about.name else ""


def _size(model: Any) -> str:
    numbers = (len(model.states), "state"), (len(model.contacts), "contact"), (len(model.parameters), "parameter")
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in numbers)


def _part_lines(model: Any) -> Iterator[str]:
    if not hasattr(model, "interactions"):
        yield f"states: {', '.join(model.states)}"
        if model.contacts:
            yield f"contacts: {', '.join(model.contacts)}"
        if model.parameters:
            yield f"parameters: {', '.join(_numbers(model.parameters))}"
        return
    by_owner: dict[str, dict[str, float]] = {}
    for full, value in model.parameters.items():
        owner, dot, short = full.partition(".")
        by_owner.setdefault(owner if dot else "", {})[short if dot else full] = value
    for full, term in model.derived.items():
        owner, _, short = full.partition(".")
        by_owner.setdefault(owner, {})[short] = term.value(model.parameters)
    for name, part in model.parts.items():
        functions = part.functions(name)
        between = " – ".join(body.name for body in part.bodies()) if hasattr(part, "bodies") else ""
        law = f", {type(part.friction).__name__}" if hasattr(part, "friction") else ""
        described = [*(f"{each}(…)" for each in functions), *_numbers(by_owner.get(name, {}))]
        told = f": {', '.join(described)}" if described else ""
        yield f"{part.kind} {name}{f' ({between})' if between else ''}{law}{told}"
    if "" in by_owner:
        yield f"shared: {', '.join(_numbers(by_owner['']))}"


def _numbers(values: Mapping[str, float]) -> list[str]:
    return [f"{name} = {value:.6g}" for name, value in values.items()]
