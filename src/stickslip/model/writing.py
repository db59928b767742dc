"""From a model to a document: the nested tables of a model file, which `reading` starts from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.classic_laws import Stribeck
from stickslip.model.dynamic import DynamicLaw, StateLaw
from stickslip.model.entries import TIME
from stickslip.model.errors import check_number, shown, suggest
from stickslip.model.filippov_tables import FUNCTIONS, formula_texts, leaves
from stickslip.model.formula import Formula, Formulas, names_in
from stickslip.model.functions import Function, Value, arguments_of
from stickslip.model.law_tables import DYNAMIC_LAWS, LAWS
from stickslip.model.laws import LEINE_GROWTH, FunctionLaw, Law, Polynomial, WithAging, WithViscous
from stickslip.model.parameter import Parameter
from stickslip.model.parts import Body, Contact, Drive, Link, Moving, Part, Rubbing, SmoothContact, State
from stickslip.model.reading import part_tables
from stickslip.model.scatter import Scatter, distribution_table, is_size
from stickslip.model.system import Filippov, Model, System


def check_formulas(model: Model, formulas: Mapping[str, Any]) -> Mapping[str, Any]:
    """The formulas that the caller gives; a key that fits no part is a mistake."""
    if not isinstance(model, System | Filippov):
        raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov")
    if isinstance(model, System):
        known = [f"{name}.{attribute}" for name, part in model.parts.items() for attribute in part.values()]
        known += model.derived
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
    if isinstance(model, System) and model.force_unit:
        document["force_unit"] = model.force_unit
    if model.about.known:
        document["known"] = {key: check_number(f"known: {key}", x) for key, x in model.about.known.items()}
    if isinstance(model, System):
        return document | _system_document(model, given)
    assert isinstance(model, Filippov)
    return document | {"filippov": _filippov_document(model, given)}


def functions_of(model: Model) -> dict[str, Function]:
    """Every function of time, speed or state in a model, Python or formula, by the key it has in `formulas`."""
    if isinstance(model, Filippov):
        return model.functions
    assert isinstance(model, System)
    found: dict[str, Function] = {}
    for name, part in model.parts.items():
        found |= {f"{name}.{key}": function for key, function in part.functions(name).items()}
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
    raise _unknown_formula(keys[0])


def _unknown_formula(key: str) -> ModelError:
    return ModelError(
        f"{key} is a Python function, which a file cannot hold: give its formula, as in "
        f"formulas={{{key!r}: 'a*t'}}, or build the part with Formula('a*t', ('t',), {{'a': 1.0}})"
    )


def check_values(model: Model, copy: Model, key: str, function: Function) -> None:
    """The formula given for a Python function must have its values, or the file would hold another model."""
    formula: Function | None = functions_of(copy).get(key)
    if formula is None:  # it has no variable, so it was read as a number
        assert isinstance(copy, System)
        part, attribute = key.split(".", 1)
        formula = Formula(repr(copy.local(part)[attribute]), ())
    variables, arguments = arguments_of(function, key)
    values = model.local(key.partition(".")[0]) if isinstance(model, System) else model.parameters
    parameters = {name: values[name] for name in arguments}
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
            known: dict[str, Any] = {n: parameters[n] for n in arguments_of(formula, key)[1] if n in parameters}
            got = [float(x) for x in leaves(formula(*(point[n] for n in ours), **known))]
        except (ArithmeticError, ValueError):
            got = [math.nan]
        if len(got) != len(expected) or not all(map(_close, expected, got)):
            raise ModelError(
                f"{key}: the formula given for it has the value {shown(got)} where the Python function has "
                f"{shown(expected)} (at {', '.join(f'{n} = {x:g}' for n, x in point.items()) or 'all times'})"
            )


def check_terms(model: System, copy: System) -> None:
    """What follows from parameters must follow in the file likewise, at other values of them as well."""
    for factor in (1.0, 1.25, 0.7):
        values = {name: factor * value + (factor - 1) * i for i, (name, value) in enumerate(model.parameters.items())}
        for name, term in model.derived.items():
            try:
                expected = term.value(values)
            except ModelError:
                continue  # these values are not allowed
            got = copy.derived[name].value(values) if name in copy.derived else math.nan
            if not _close(expected, got):
                raise ModelError(
                    f"{name}: the formula given for it has the value {got:g} where the Python function has {expected:g}"
                )


def _close(expected: float, got: float) -> bool:
    return math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-12)


def _system_document(system: System, given: Mapping[str, Any]) -> dict[str, Any]:
    sharers: dict[int, list[str]] = {}
    for name, contact in system.rubbing.items():
        sharers.setdefault(id(contact.friction), []).append(name)
    shared = [names for names in sharers.values() if len(names) > 1]
    laws = {name: f"shared{i}" for i, names in enumerate(shared, 1) for name in names}
    values = {name: system.parameters[name] for name in sorted(system.shared)}
    document: dict[str, Any] = {"parameters": values} if values else {}
    if shared:
        document["laws"] = {laws[names[0]]: _law_table(system, names, given) for names in shared}
    for name, part in system.parts.items():
        table = _part_table(system, name, part, given)
        if isinstance(part, Rubbing):
            table["law"] = laws[name] if name in laws else _law_table(system, [name], given)
        document.setdefault(part.kind.lower(), {})[name] = table
    if factors := _factors(system):
        document["parameters"] = values | factors
    document |= {"units": units} if (units := _own_units(system)) else {}
    document |= {"start": moved} if (moved := _moved_starts(system)) else {}
    if [*part_tables(document)] != [*system.parts]:
        document = {"order": [*system.parts]} | document
    return document


def _own_units(system: System) -> dict[str, str]:
    """Units that a reader of the file would not find by himself."""
    return {name: parameter.unit for name, parameter in system.shared.items() if parameter.unit} | system.given_units


def _factors(system: System) -> dict[str, float]:
    """Factors on distributions that are not 1, as a reader of the file would have them."""
    found = {}
    for name, part in system.friction.items():
        for which in ("static", "kinetic") if part.scatter else ():
            given, value = getattr(part.scatter, which), system.local(name).get(f"scatter_{which}", 1.0)
            if given is not None and not is_size(given) and value != 1.0:
                found[f"{name}.scatter_{which}"] = value
    return found


def _moved_starts(system: System) -> dict[str, float]:
    """Internal states that do not start where a reader of the file would have them start."""
    own: dict[str, float] = dict.fromkeys(system.internal_states, 0.0)
    for name, part in system.dynamic.items():
        own[f"{part.friction.state}.{name}"] = part.friction.start(system.law_values(name))
    return {state: system.start[state] for state, value in own.items() if system.start[state] != value}


@dataclass(frozen=True)
class _Written:
    """How the numbers and functions of one part, or of a law that several contacts share, stand in a file."""

    parts: Sequence[str]
    values: Mapping[str, float]
    given: Mapping[str, Any]

    def number(self, name: str, value: Value) -> Any:
        """A number, the name of a shared parameter, or the formula by which it follows."""
        if not callable(value):
            return self.values.get(name, value)
        if isinstance(value, Parameter):
            return value.name
        return self.function(name, value) if _is_plain(value) else self._expanded(name, value)

    def function(self, name: str, value: Function) -> Any:
        """A formula, with its parameters where it has some of its own."""
        text = self.text(name, value)
        own = self.parameters(text, arguments_of(value, name)[1])
        return {"formula": text, **own} if own else text

    def text(self, name: str, value: Function) -> Any:
        """The formula itself."""
        return _formula_of([f"{part}.{name}" for part in self.parts], value, self.given)

    def parameters(self, text: Any, arguments: Mapping[str, Value]) -> dict[str, Any]:
        """The parameters of a formula; shared ones that it has by their own names need not be told."""
        used = set(names_in(text)) if isinstance(text, str) else set()
        told = {n: v for n, v in arguments.items() if not (isinstance(v, Parameter) and v.name == n and n in used)}
        return {n: self.number(n, v) for n, v in told.items()}

    def _expanded(self, name: str, value: Function) -> Any:
        """What follows by several functions, or by one with other names, as one formula."""
        keys = [f"{part}.{name}" for part in self.parts]
        text = next((self.given[key] for key in keys if key in self.given), None)
        if text is None:
            raise _unknown_formula(keys[0])
        own = {n: self.values[n] for n in _own_numbers(value, name)}
        return {"formula": text, **own} if own else text


def _is_plain(value: Function) -> bool:
    """Whether a formula can stand in a file as it is."""
    arguments = value.parameters.items() if isinstance(value, Formula) else [("", len)]
    return all(not callable(v) or (isinstance(v, Parameter) and v.name == n) for n, v in arguments)


def _own_numbers(function: Function, what: str) -> Iterator[str]:
    """The arguments that are numbers, of a function and of those that its arguments follow from."""
    for name, default in arguments_of(function, what)[1].items():
        if not callable(default):
            yield name
        elif not isinstance(default, Parameter):
            yield from _own_numbers(default, what)


def _part_table(system: System, name: str, part: Part, given: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    match part:
        case Link():
            table["between"] = [_with_weights(part.ends[:-1]), part.b.name]
        case Drive():
            table["on"] = _with_weights(part.weights)
        case Rubbing():
            table["on"] = _with_weights(part.weights)
            table["against"] = part.against.name
    local, functions = system.local(name), part.functions(name)
    for attribute, value in part.values().items():
        written = _Written([name], local, given)
        if attribute in functions:
            table[attribute] = written.function(attribute, functions[attribute])
        else:
            table[attribute] = written.number(attribute, value)
    if isinstance(part, Moving):
        table |= {"x": system.start[f"x.{name}"], "v": system.start[f"v.{name}"]}
        table |= {"unit": part.unit} if part.unit != type(part).unit else {}
    if isinstance(part, State):
        table["start"] = system.start[name]
        table |= {"unit": part.unit} if part.unit else {}
    if isinstance(part, SmoothContact):
        table["shape"] = part.shape
    if isinstance(part, Contact) and part.scatter is not None:
        table["scatter"] = _scatter_table(part.scatter, table)
    return table


def _with_weights(bodies: Sequence[tuple[Body, float]]) -> str | dict[str, float]:
    """The name of the only body, or several with weights."""
    weights = {body.name: float(weight) for body, weight in bodies}
    return next(iter(weights)) if [*weights.values()] == [1.0] else weights


def _scatter_table(scatter: Scatter, table: dict[str, Any]) -> dict[str, Any]:
    """The random part of the friction of a contact; its numbers move from `table` into one of their own."""
    amplitudes = {which: table.pop(f"scatter_{which}", None) for which in ("static", "kinetic")}
    own: dict[str, Any] = {}
    for which, amplitude in amplitudes.items():
        given = getattr(scatter, which)
        if given is not None:
            own[which] = amplitude if is_size(given) else distribution_table(given)
    if "correlation_time" in table:
        own["correlation_time"] = table.pop("correlation_time")
    return own


def _law_table(system: System, contacts: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The law that these contacts share, with its present parameter values."""
    written = _Written(contacts, system.local(contacts[0]), given)
    return _table_of(system.rubbing[contacts[0]].friction, written)


def _table_of(law: Law, written: _Written) -> dict[str, Any]:
    match law:
        case WithViscous():
            return _table_of(law.law, written) | {"viscous": written.number("viscous", law.viscous)}
        case WithAging():
            return _table_of(law.law, written) | {"aging": _growth_table(law, written)}
        case FunctionLaw():
            text = written.text("law", law.function)
            return {"formula": text} | written.parameters(text, law.given())
        case StateLaw():
            formulas = {key: written.text(key, function) for key, function in _law_functions(law).items()}
            initial = {"initial": law.initial} if law.initial else {}
            return formulas | initial | {name: written.number(name, value) for name, value in law.given().items()}
    kinds: dict[str, type[Law]] = {**LAWS, **DYNAMIC_LAWS}
    kind = next((kind for kind, known in kinds.items() if type(law) is known), None)
    if kind is None:
        other = "rate and coefficient as formulas" if isinstance(law, DynamicLaw) else "formulas"
        raise ModelError(
            f"{written.parts[0]}.law is a {type(law).__name__}, which a file cannot hold; "
            f"there are: {', '.join(kinds)} and {other}"
        )
    return {"kind": kind} | _law_numbers(law, written)


def _growth_table(law: WithAging, written: _Written) -> Any:
    text = written.text("aging", law.growth)
    arguments = arguments_of(law.growth, "growth")[1]
    if text == LEINE_GROWTH:
        return {name: written.number(name, value) for name, value in arguments.items()}
    return {"formula": text} | written.parameters(text, arguments)


def _law_numbers(law: Law, written: _Written) -> dict[str, Any]:
    told = {field.name: getattr(law, field.name) for field in fields(law)}
    table = {name: value for name, value in told.items() if value is not None}
    if isinstance(law, Polynomial):
        table["coefficients"] = [written.number(f"c{power}", each) for power, each in enumerate(law.coefficients)]
    table |= {name: written.number(name, table[name]) for name in law.given() if name in table}
    if isinstance(law, Stribeck) and not callable(law.shape) and float(table["shape"]).is_integer():
        # Written as 2.0, a shape that is a parameter would be read as part of the formula.
        table["shape"] = law.shape
    return table


def _filippov_document(model: Filippov, given: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {"states": list(model.states), "contacts": list(model.contacts)}
    numbers = {k: v for k, v in model.parameters.items() if k in ("kinetic", "static") and k not in model.functions}
    table |= {key: _formula_of([key], function, given) for key, function in model.functions.items()} | numbers
    own = {name: value for name, value in model.parameters.items() if name not in numbers}
    units = {name: unit for name, unit in model.units.items() if unit}
    more = {"parameters": own, "start": dict(model.start), "units": units}
    return table | {key: value for key, value in more.items() if value}
