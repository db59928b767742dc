"""From a model to a document: the nested tables of a model file, which `reading` starts from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.dynamic import DynamicLaw, StateLaw
from stickslip.model.errors import check_number, shown
from stickslip.model.formula import Formula, Formulas
from stickslip.model.functions import Function, arguments_of
from stickslip.model.laws import LEINE_GROWTH, FunctionLaw, Law, Polynomial, Stribeck, WithAging, WithViscous
from stickslip.model.parts import Contact, Damper, Force, Mass, Part, Rubbing, SmoothContact, Spring
from stickslip.model.reading import DYNAMIC_LAWS, FUNCTIONS, LAWS, TIME, formula_texts, leaves, part_tables
from stickslip.model.scatter import Scatter, distribution_table
from stickslip.model.system import Filippov, Model, System, suggest


def check_formulas(model: Model, formulas: Mapping[str, Any]) -> Mapping[str, Any]:
    """The formulas that the caller gives; a key that fits no part is a mistake."""
    if not isinstance(model, System | Filippov):
        raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov")
    if isinstance(model, System):
        parts = {**model.bodies, **model.interactions}
        known = [f"{name}.{attribute}" for name, part in parts.items() for attribute in part.values()]
        known += [f"{name}.{key}" for name in model.rubbing for key in ("law", "aging")]
        known += [f"{name}.{key}" for name in model.dynamic for key in ("rate", "coefficient")]
    else:
        known = [*FUNCTIONS]
    for key in formulas:
        if key not in known:
            raise ModelError(f"formulas has {shown(key)}, which is no part of the model{suggest(key, known)}")
    return formulas


def document_of(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of the model's file; `given` has the formulas of its Python functions."""
    about = {key: getattr(model.about, key) for key in ("name", "title", "source")}
    document: dict[str, Any] = {key: text for key, text in about.items() if text}
    if model.time_unit:
        document["time_unit"] = model.time_unit
    if model.about.known:
        document["known"] = {key: check_number(f"known: {key}", x) for key, x in model.about.known.items()}
    if isinstance(model, System):
        return document | _system_document(model, given)
    assert isinstance(model, Filippov)
    return document | {"filippov": _filippov_document(model, given)}


def functions_of(model: Model) -> dict[str, Function]:
    """Every function in a model, Python or formula, by the key it has in `formulas`."""
    if isinstance(model, Filippov):
        return model.functions
    assert isinstance(model, System)
    found: dict[str, Function] = {}
    parts: dict[str, Part] = {**model.bodies, **model.interactions}
    for name, part in parts.items():
        found |= {f"{name}.{key}": value for key, value in part.values().items() if callable(value)}
        if isinstance(part, Rubbing):
            found |= {f"{name}.{key}": function for key, function in _law_functions(part.friction).items()}
    return found


def _law_functions(law: Law) -> dict[str, Function]:
    """The functions that a law was given, by their keys."""
    match law:
        case WithViscous():
            return _law_functions(law.law)
        case WithAging():
            return _law_functions(law.law) | {"aging": law.growth}
        case FunctionLaw():
            return {"law": law.function}
        case StateLaw():
            return {"rate": law.rate, "coefficient": law.coefficient}
    return {}


def _formula_of(keys: Sequence[str], function: Function, given: Mapping[str, Any]) -> Any:
    if isinstance(function, Formulas):
        return function.entries
    if isinstance(function, Formula):
        return function.text
    for key in keys:
        if key in given:
            return formula_texts(f"formulas[{key!r}]", given[key])
    raise ModelError(
        f"{keys[0]} is a Python function, which a file cannot hold: give its formula, as in "
        f"formulas={{{keys[0]!r}: 'a*t'}}, or build the part with Formula('a*t', ('t',), {{'a': 1.0}})"
    )


def check_values(key: str, function: Function, formula: Function) -> None:
    """The formula given for a Python function must have its values, or the file would hold another model."""
    variables, parameters = arguments_of(function, key)
    ours, _ = arguments_of(formula, key)
    if len(variables) == 1 and ours in (("v",), TIME, ("e",)):
        ours = variables  # the one variable may have another name in Python
    for first, step in ((0.37, 1.93), (1.21, 0.59), (2.03, 0.11)):
        point = {name: first + step * i for i, name in enumerate(dict.fromkeys((*variables, *ours)))}
        try:
            expected = [float(x) for x in leaves(function(*(point[n] for n in variables), **parameters))]
        except Exception:  # the function is the user's: outside its domain it may raise anything
            continue
        try:
            got = [float(x) for x in leaves(formula(*(point[n] for n in ours), **parameters))]
        except (ArithmeticError, ValueError):
            got = [math.nan]
        if len(got) != len(expected) or not all(map(_close, expected, got)):
            raise ModelError(
                f"{key}: the formula given for it has the value {shown(got)} where the Python function has "
                f"{shown(expected)} (at {', '.join(f'{n} = {x:g}' for n, x in point.items()) or 'all times'})"
            )


def _close(expected: float, got: float) -> bool:
    return math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-12)


def _system_document(system: System, given: Mapping[str, Any]) -> dict[str, Any]:
    sharers: dict[int, list[str]] = {}
    for name, contact in system.rubbing.items():
        sharers.setdefault(id(contact.friction), []).append(name)
    shared = [names for names in sharers.values() if len(names) > 1]
    laws = {name: f"shared{i}" for i, names in enumerate(shared, 1) for name in names}
    document: dict[str, Any] = {}
    if shared:
        document["laws"] = {laws[names[0]]: _law_table(system, names, given) for names in shared}
    parts: dict[str, Part] = {**system.bodies, **system.interactions}
    for name, part in parts.items():
        table = _part_table(system, name, part, given)
        if isinstance(part, Rubbing):
            table["law"] = laws[name] if name in laws else _law_table(system, [name], given)
        document.setdefault(part.kind.lower(), {})[name] = table
    factors = _factors(system)
    document |= {"parameters": factors} if factors else {}
    document |= {"start": moved} if (moved := _moved_starts(system)) else {}
    if [*part_tables(document)] != [*parts]:
        document = {"order": [*parts]} | document
    return document


def _factors(system: System) -> dict[str, float]:
    """Factors on distributions that are not 1, as a reader of the file would have them."""
    found = {}
    for name, part in system.friction.items():
        for which in ("static", "kinetic") if part.scatter else ():
            given, value = getattr(part.scatter, which), system.local(name).get(f"scatter_{which}", 1.0)
            if given is not None and not isinstance(given, int | float) and value != 1.0:
                found[f"{name}.scatter_{which}"] = value
    return found


def _moved_starts(system: System) -> dict[str, float]:
    """Internal states that do not start where a reader of the file would have them start."""
    own: dict[str, float] = dict.fromkeys(system.internal_states, 0.0)
    for name, part in system.dynamic.items():
        own[f"{part.friction.state}.{name}"] = part.friction.start(system.law_values(name))
    return {state: system.start[state] for state, value in own.items() if system.start[state] != value}


def _part_table(system: System, name: str, part: Part, given: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    match part:
        case Spring() | Damper():
            table["between"] = [body.name for body in part.bodies()]
        case Force():
            table["on"] = part.on.name
        case Rubbing():
            weights = {mass.name: weight for mass, weight in part.weights}
            table["on"] = next(iter(weights)) if [*weights.values()] == [1.0] else weights
            table["against"] = part.against.name
    local = system.local(name)
    for attribute, value in part.values().items():
        if callable(value):
            text = _formula_of([f"{name}.{attribute}"], value, given)
            parameters = {key: local[key] for key in arguments_of(value, name)[1]}
            table[attribute] = {"formula": text, **parameters} if parameters else text
        else:
            table[attribute] = local[attribute]
    if isinstance(part, Mass):
        table |= {"x": system.start[f"x.{name}"], "v": system.start[f"v.{name}"]}
        table |= {"unit": part.unit} if part.unit else {}
    if isinstance(part, SmoothContact):
        table["shape"] = part.shape
    if isinstance(part, Contact) and part.scatter is not None:
        table["scatter"] = _scatter_table(part.scatter, table)
    return table


def _scatter_table(scatter: Scatter, table: dict[str, Any]) -> dict[str, Any]:
    """The random part of the friction of a contact; its numbers move from `table` into one of their own."""
    amplitudes = {which: table.pop(f"scatter_{which}", None) for which in ("static", "kinetic")}
    own: dict[str, Any] = {}
    for which, amplitude in amplitudes.items():
        given = getattr(scatter, which)
        if given is not None:
            own[which] = amplitude if isinstance(given, int | float) else distribution_table(given)
    if "correlation_time" in table:
        own["correlation_time"] = table.pop("correlation_time")
    return own


def _law_table(system: System, contacts: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The law that these contacts share, with its present parameter values."""
    return _table_of(system.rubbing[contacts[0]].friction, system.law_values(contacts[0]), contacts, given)


def _table_of(
    law: Law, values: Mapping[str, float], contacts: Sequence[str], given: Mapping[str, Any]
) -> dict[str, Any]:
    def text_of(key: str, function: Function) -> Any:
        return _formula_of([f"{name}.{key}" for name in contacts], function, given)

    match law:
        case WithViscous():
            return _table_of(law.law, values, contacts, given) | {"viscous": values["viscous"]}
        case WithAging():
            return _table_of(law.law, values, contacts, given) | {"aging": _growth_table(law, values, text_of)}
        case FunctionLaw():
            return {"formula": text_of("law", law.function)} | {name: values[name] for name in law.parameters()}
        case StateLaw():
            formulas = {key: text_of(key, function) for key, function in _law_functions(law).items()}
            initial = {"initial": law.initial} if law.initial else {}
            return formulas | initial | {name: values[name] for name in law.parameters()}
    kinds: dict[str, type[Law]] = {**LAWS, **DYNAMIC_LAWS}
    kind = next((kind for kind, known in kinds.items() if type(law) is known), None)
    if kind is None:
        other = "rate and coefficient as formulas" if isinstance(law, DynamicLaw) else "formulas"
        raise ModelError(
            f"{contacts[0]}.law is a {type(law).__name__}, which a file cannot hold; "
            f"there are: {', '.join(kinds)} and {other}"
        )
    return {"kind": kind} | _law_numbers(law, values)


def _growth_table(law: WithAging, values: Mapping[str, float], text_of: Callable[[str, Function], Any]) -> Any:
    own = {name: values[name] for name in arguments_of(law.growth, "growth")[1]}
    text = text_of("aging", law.growth)
    return own if text == LEINE_GROWTH else {"formula": text} | own


def _law_numbers(law: Law, values: Mapping[str, float]) -> dict[str, Any]:
    table = {field.name: values.get(field.name, getattr(law, field.name)) for field in fields(law)}
    if isinstance(law, Polynomial):
        table["coefficients"] = [values[f"c{power}"] for power in range(len(law.coefficients))]
    if isinstance(law, Stribeck) and float(table["shape"]).is_integer():
        # Written as 2.0, a shape that is a parameter would be read as part of the formula.
        table["shape"] = law.shape
    return {key: value for key, value in table.items() if value is not None}


def _filippov_document(model: Filippov, given: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {"states": list(model.states), "contacts": list(model.contacts)}
    numbers = {k: v for k, v in model.parameters.items() if k in ("kinetic", "static") and k not in model.functions}
    table |= {key: _formula_of([key], function, given) for key, function in model.functions.items()} | numbers
    own = {name: value for name, value in model.parameters.items() if name not in numbers}
    units = {state: model.units[state] for state in model.states if model.units[state]}
    more = {"parameters": own, "start": dict(model.start), "units": units}
    return table | {key: value for key, value in more.items() if value}
