"""From a document, the nested tables of a model file, to a model; a mistake is a sentence that says where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, fields
from functools import partial
from types import MappingProxyType
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.dynamic import Dahl, DieterichRuina, DynamicLaw, ElastoPlastic, LuGre, StateLaw
from stickslip.model.errors import check_name, check_number, check_text, shown, suggest
from stickslip.model.formula import FLOAT_FUNCTIONS, Formula, Formulas, names_in
from stickslip.model.functions import Value
from stickslip.model.laws import (
    Coulomb,
    FrictionLaw,
    FunctionLaw,
    Hyperbolic,
    Law,
    Polynomial,
    PoppStelter,
    Stribeck,
    Tabulated,
)
from stickslip.model.limits import MAX_PARTS, MAX_TEXT
from stickslip.model.parameter import Parameter
from stickslip.model.parts import (
    Base,
    Belt,
    Body,
    CompliantContact,
    Contact,
    Damper,
    DynamicContact,
    Force,
    Interaction,
    Mass,
    Moving,
    Part,
    Rotor,
    SmoothContact,
    Spring,
    State,
    Torque,
    ground,
)
from stickslip.model.scatter import Scatter, distribution_from
from stickslip.model.system import About, Filippov, Model, System

KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "mass": (("m",), ("x", "v", "unit")),
    "rotor": (("inertia",), ("x", "v", "unit")),
    "belt": (("speed",), ()),
    "base": (("motion",), ()),
    "state": (("rate",), ("start", "unit")),
    "spring": (("between",), ("k", "force")),
    "damper": (("between",), ("c", "force")),
    "force": (("on", "force"), ()),
    "torque": (("on", "torque"), ()),
    "contact": (("on", "against", "law"), ("normal", "scatter")),
    "compliantcontact": (("on", "against", "law", "stiffness"), ("normal", "damping", "scatter")),
    "dynamiccontact": (("on", "against", "law"), ("normal",)),
    "smoothcontact": (("on", "against", "law", "eps"), ("normal", "shape")),
}
"""Per kind of part, the keys it must have and those it may have."""

BODIES = ("mass", "rotor", "belt", "base")

LAWS: dict[str, type[FrictionLaw]] = {
    "coulomb": Coulomb,
    "hyperbolic": Hyperbolic,
    "stribeck": Stribeck,
    "popp_stelter": PoppStelter,
    "polynomial": Polynomial,
    "tabulated": Tabulated,
}
DYNAMIC_LAWS: dict[str, type[DynamicLaw]] = {
    "dahl": Dahl,
    "lugre": LuGre,
    "elasto_plastic": ElastoPlastic,
    "dieterich_ruina": DieterichRuina,
}
"""Laws with a state of their own."""

_LISTS = ("coefficients", "speeds", "values")
_TEXTS = ("evolution",)
_ADDED = ("viscous", "aging")
_NO_NUMBERS = ("on", "against", "between", "law", "unit", "formula", "scatter", *_LISTS, *_TEXTS)
_ABOUT = ("name", "title", "source", "known", "time_unit")
_SHARED: ContextVar[Mapping[str, Parameter]] = ContextVar("_SHARED", default=MappingProxyType({}))
"""The shared parameters of the file that is being read: any formula in it may name them."""
FUNCTIONS = ("f", "G", "h", "kinetic", "static")
_SYSTEM = (*_ABOUT, *KEYS, "laws", "start", "parameters", "order", "force_unit", "units")
_FILIPPOV = (
    ("states", "f", "G", "h"),
    ("kinetic", "static", "contacts", "parameters", "start", "units"),
)
TIME = ("t",)


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put before an error where it is, and keep it on one line."""
    try:
        yield
    except ModelError as error:
        message = f"{where}: {error}" if where else str(error)
        raise ModelError(" ".join(message.split())) from None
    except RecursionError:
        raise ModelError(f"{where or 'the model'}: lists or tables are nested too deep") from None


def model_from(document: dict[str, Any]) -> Model:
    """The model that the tables of a file describe."""
    if "filippov" in document:
        _check_keys(document, ("filippov",), _ABOUT)
        return _filippov(document)
    _check_keys(document, (), (*_SYSTEM, "filippov"))
    return _system(document)


def _check_keys(table: object, needed: Sequence[str], allowed: Sequence[str]) -> None:
    if not isinstance(table, dict):
        raise ModelError(f"it is {shown(table)}: it must be a table")
    everything = (*needed, *allowed)
    for key in table:
        if key not in everything:
            raise ModelError(f"unknown key {shown(key)}{suggest(key, everything)}")
    for key in needed:
        if key not in table:
            more = f"; allowed are also: {', '.join(allowed)}" if allowed else ""
            raise ModelError(f"the key {key!r} is missing; needed are: {', '.join(needed)}{more}")


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise ModelError(f"{key} is {shown(value)}: it must be a text in quotes")
    return check_text(key, value, MAX_TEXT)


def _numbers(table: Mapping[str, Any], key: str) -> dict[str, float]:
    """A table of numbers; `x.block = 1.0` and `"x.block" = 1.0` are the same."""
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ModelError(f"{key} is {shown(value)}: it must be a table of numbers")
    return {name: check_number(f"{key}: {shown(name)}", number) for name, number in _flat(value)}


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _list(table: Mapping[str, Any], key: str, of: str) -> list[Any]:
    value = table[key]
    if not isinstance(value, list):
        raise ModelError(f"{key} is {shown(value)}: it must be a list of {of}")
    return value


def _names(table: Mapping[str, Any], key: str) -> list[str]:
    names = _list(table, key, "names in quotes")
    if len(names) > MAX_PARTS:
        raise ModelError(f"{key} has {len(names)} names: at most {MAX_PARTS} are allowed in a file")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise ModelError(f"{key}[{i}] is {shown(name)}: it must be a name in quotes")
        if name in seen:
            raise ModelError(f"{key} has {shown(name)} twice: names must differ")
        seen.add(name)
    return names


def _about(document: Mapping[str, Any]) -> About:
    name, title, source = (_text(document, key) for key in ("name", "title", "source"))
    return About(name=name, title=title, source=source, known=_numbers(document, "known"))


def _system(document: Mapping[str, Any]) -> System:
    """The system of a document; numbers in [parameters] are shared ones, and those with a dot replace others."""
    values = _numbers(document, "parameters")
    shared = {name: Parameter(name, value) for name, value in values.items() if "." not in name}
    token = _SHARED.set(shared)
    try:
        system = _assembled(document)
    finally:
        _SHARED.reset(token)
    return system.with_(values) if values else system


def _assembled(document: Mapping[str, Any]) -> System:
    tables = _ordered(part_tables(document), document)
    extra = tuple(name for name, (kind, _) in tables.items() if kind == "state")
    bodies: dict[str, Body] = {"ground": ground}
    for name, (kind, table) in tables.items():
        if kind in BODIES:
            with within(f"[{kind}.{name}]"):
                bodies[name] = _body(kind, name, table, extra)
    laws = _shared_laws(document)
    masses = [name for name, body in bodies.items() if isinstance(body, Moving)]
    states = (*TIME, *(f"{s}_{n}" for s in "xv" for n in masses), *extra)
    parts: list[Part] = [body for body in bodies.values() if body is not ground]
    for name, (kind, table) in tables.items():
        if name not in bodies:
            with within(f"[{kind}.{name}]"):
                make = _state if kind == "state" else partial(_interaction, kind, bodies=bodies, laws=laws)
                parts.append(make(name, table, states=states))
    return System(
        *parts,
        about=_about(document),
        time_unit=_text(document, "time_unit"),
        force_unit=_text(document, "force_unit"),
        units=_units(document),
        start=_numbers(document, "start"),
    )


def part_tables(document: Mapping[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Kind and table of every part by name, in the order of the file."""
    tables: dict[str, tuple[str, dict[str, Any]]] = {}
    for kind in (key for key in document if key in KEYS):
        named = document[kind]
        if not isinstance(named, dict):
            raise ModelError(f"{kind} is {shown(named)}: a {kind} is a table with a name, as in [{kind}.first]")
        for name, table in named.items():
            if not isinstance(table, dict):
                raise ModelError(
                    f"[{kind}]: {shown(name)} is {shown(table)}, not a table: give every {kind} a name, "
                    f"as in [{kind}.first]"
                )
            check_name(f"[{kind}]: a part", name)
            if name == "ground" or name in tables:
                other = "what does not move" if name == "ground" else f"[{tables[name][0]}.{name}]"
                raise ModelError(f"[{kind}.{name}]: {name!r} is already the name of {other}; choose another")
            tables[name] = (kind, table)
    if len(tables) > MAX_PARTS:
        raise ModelError(f"the model has {len(tables)} parts: at most {MAX_PARTS} are allowed in a file")
    return tables


def _ordered(tables: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """TOML keeps the order of tables of one kind, but groups the kinds: `order` tells where that matters."""
    if "order" not in document:
        return tables
    order = _names(document, "order")
    for name in order:
        if name not in tables:
            raise ModelError(f"order names {shown(name)}, which is not a part{suggest(name, tables)}")
    named = set(order)
    for name in tables:
        if name not in named:
            raise ModelError(f"order leaves out the part {name!r}: it must name every part once")
    return {name: tables[name] for name in order}


def _body(kind: str, name: str, table: dict[str, Any], extra: tuple[str, ...]) -> Body:
    """A body; belts and bases may depend on time and on the states `extra`."""
    _check_keys(table, *KEYS[kind])
    known = (*TIME, *extra)
    match kind:
        case "mass" | "rotor":
            make, number = (Mass, "m") if kind == "mass" else (Rotor, "inertia")
            numbers: dict[str, Any] = {key: check_number(key, table[key]) for key in ("x", "v") if key in table}
            numbers |= {"unit": _text(table, "unit")} if "unit" in table else {}
            return make(name, _number(number, table), **numbers)
        case "belt":
            return Belt(name, speed=_value("speed", table["speed"], known))
        case _:
            return Base(name, motion=_value("motion", table["motion"], known))


def _state(name: str, table: dict[str, Any], states: tuple[str, ...]) -> State:
    _check_keys(table, *KEYS["state"])
    rate = _value("rate", table["rate"], states)
    return State(name, rate, start=check_number("start", table.get("start", 0.0)), unit=_text(table, "unit"))


def _interaction(
    kind: str,
    name: str,
    table: dict[str, Any],
    bodies: Mapping[str, Body],
    laws: Mapping[str, Law],
    states: tuple[str, ...],
) -> Interaction:
    """A part that acts on bodies; `states` are what its formulas may depend on."""
    _check_keys(table, *KEYS[kind])
    match kind:
        case "spring" | "damper":
            return _pair(kind, name, table, bodies)
        case "force" | "torque":
            strength = _value(kind, table[kind], (*states, "x", "v"))
            make = Force if kind == "force" else Torque
            return make(_weights("on", table["on"], bodies), strength, name=name)
        case _:
            on, against = _weights("on", table["on"], bodies), _named("against", table["against"], bodies)
            law = _law(table["law"], laws)
            normal = _value("normal", table.get("normal", 1.0), states)
            return _rubbing(kind, table, (on, against, law, normal, name))


def _rubbing(kind: str, table: Mapping[str, Any], common: tuple[Any, ...]) -> Interaction:
    """A contact of some kind, from what all have in common and what this one has besides."""
    keys = ("stiffness", "damping", "eps")
    numbers: dict[str, Any] = {key: _number(key, table) for key in keys if key in table}
    match kind:
        case "contact":
            return Contact(*common, scatter=_scatter(table))
        case "compliantcontact":
            return CompliantContact(*common, **numbers, scatter=_scatter(table))
        case "dynamiccontact":
            return DynamicContact(*common)
        case _:
            return SmoothContact(*common, **numbers, shape=table.get("shape", "arctan"))


def _scatter(table: Mapping[str, Any]) -> Scatter | None:
    """The random part of the friction of a contact."""
    if "scatter" not in table:
        return None
    with within("scatter"):
        raw = table["scatter"]
        _check_keys(raw, (), ("static", "kinetic", "correlation_time"))
        values: dict[str, Any] = {}
        for key, value in raw.items():
            if isinstance(value, dict) and "formula" not in value and key != "correlation_time":
                with within(key):
                    _check_keys(value, ("distribution",), ("shapes", "loc", "scale"))
                    values[key] = distribution_from(
                        value["distribution"],
                        *(value.get(name, default) for name, default in (("shapes", []), ("loc", 0.0), ("scale", 1.0))),
                    )
            else:
                values[key] = _number(key, raw)
        return Scatter(**values)


def _pair(kind: str, name: str, table: dict[str, Any], bodies: Mapping[str, Body]) -> Interaction:
    ends = _list(table, "between", "two names of bodies")
    if len(ends) != 2:
        raise ModelError(f"between has {len(ends)} entries: it must name two bodies")
    a: Body | dict[Body, float]
    if isinstance(ends[0], dict):
        a = {_named("between", n, bodies): check_number(f"between: {n}", weight) for n, weight in ends[0].items()}
    else:
        a = _named("between", ends[0], bodies)
    b = _named("between", ends[1], bodies)
    make, number = (Spring, "k") if kind == "spring" else (Damper, "c")
    values: dict[str, Any] = {}
    if number in table:
        values[number] = _number(number, table)
    if "force" in table:
        values["force"] = _value("force", table["force"], ("e",))
    return make(a, b, name=name, **values)


def _named(key: str, name: object, bodies: Mapping[str, Body]) -> Body:
    if not isinstance(name, str):
        raise ModelError(f"{key} is {shown(name)}: it must be the name of a body in quotes")
    if name not in bodies:
        raise ModelError(f"{key} names {shown(name)}, which is not a body{suggest(name, bodies)}")
    return bodies[name]


def _mass(key: str, name: object, bodies: Mapping[str, Body]) -> Moving:
    body = _named(key, name, bodies)
    if not isinstance(body, Moving):
        masses = [n for n, other in bodies.items() if isinstance(other, Moving)]
        raise ModelError(f"{key} names {name!r}, which is not a mass{suggest(str(name), masses)}")
    return body


def _weights(key: str, raw: object, bodies: Mapping[str, Body]) -> Moving | dict[Moving, float]:
    """A mass, or several with weights."""
    if not isinstance(raw, dict):
        return _mass(key, raw, bodies)
    return {_mass(key, name, bodies): check_number(f"{key}: {name}", weight) for name, weight in raw.items()}


def _number(key: str, table: Mapping[str, Any], nonnegative: bool = False) -> Value:
    """A number, a shared parameter by its name, or a formula of shared parameters and other numbers of the table."""
    raw = table[key]
    if isinstance(raw, Formula | Parameter):
        return raw
    if not isinstance(raw, str | dict):
        return check_number(key, raw, nonnegative=nonnegative)
    shared = _SHARED.get()
    if isinstance(raw, str) and raw.strip() in shared:
        return shared[raw.strip()]
    others = [name for name in table if name != key and name not in _NO_NUMBERS]
    inner = raw if isinstance(raw, dict) else {"formula": raw}
    _check_sources(key, inner, {*others, *inner}, shared)
    return _formula(key, inner, others, used=True)


def _check_sources(key: str, table: Mapping[str, Any], near: set[str], shared: Mapping[str, Parameter]) -> None:
    """Refuse a text for a number that is no formula of numbers `near` it and of shared ones."""
    if "formula" not in table:
        return  # which `_formula` tells
    text = table["formula"]
    try:
        names = names_in(text, key)
    except ModelError as error:
        raise ModelError(f"{key} is {shown(text)}: it must be a number, or a formula of others ({error})") from None
    if not names:
        raise ModelError(f"{key} is {shown(text)}: it must be a number, without quotes, or a formula of other numbers")
    for name in names:
        if name not in near and name not in shared:
            raise ModelError(
                f"{key} is {shown(text)}: it must be a number, or a formula of other numbers in its table and of "
                f"[parameters]; {name!r} is none of them{suggest(name, sorted({*near, *shared} - {'formula'}))}"
            )
    for name in names:
        if name in shared and name in near and name not in table:
            raise ModelError(f"{key}: {name!r} is a number of this table and one of [parameters]; rename the latter")


def _value(what: str, raw: object, variables: Sequence[str]) -> Value:
    """A number, a shared parameter by its name, or a formula of those `variables` that it uses."""
    if isinstance(raw, str | dict):
        shared = _SHARED.get().get(raw.strip()) if isinstance(raw, str) else None
        return shared or _formula(what, {"formula": raw} if isinstance(raw, str) else raw, variables, used=True)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ModelError(f"{what} is {shown(raw)}: it must be a number or a formula in quotes")
    return check_number(what, raw)


def _formula(what: str, table: Mapping[str, Any], variables: Sequence[str], used: bool = False) -> Formula:
    if "formula" not in table:
        raise ModelError(f'{what} has no formula: write {{formula = "a*t", a = 1.0}}, or a number')
    own = {name: number for name, number in table.items() if name != "formula"}
    parameters: dict[str, Value] = {}
    for name in own:
        parameters[name] = own[name] if name in variables else _number(name, own)  # Formula says that it is both
    shared = {name: parameter for name, parameter in _SHARED.get().items() if name not in {*variables, *own}}
    names = _known_names(what, table["formula"], {*variables, *own, *shared})
    chosen = tuple(name for name in variables if name in names or not used)
    return Formula(table["formula"], chosen, parameters | {n: p for n, p in shared.items() if n in names}, what)


def _known_names(what: str, text: object, known: set[str]) -> tuple[str, ...]:
    names = names_in(text, what)
    for name in names:
        if name not in known and name not in FLOAT_FUNCTIONS:  # Formula says how to call a function
            raise ModelError(
                f"{what}: the formula {shown(text)} uses {name!r}, which is neither a variable "
                f"nor a parameter{suggest(name, sorted(known))}"
            )
    return names


# Friction laws


def _shared_laws(document: Mapping[str, Any]) -> dict[str, Law]:
    tables = document.get("laws", {})
    if not isinstance(tables, dict):
        raise ModelError(f"laws is {shown(tables)}: a shared law is a table with a name, as in [laws.pad]")
    laws = {}
    for name, table in tables.items():
        check_name("[laws]: a law", name)
        with within(f"[laws.{name}]"):
            laws[name] = _law_from_table(table)
    return laws


def _law(raw: object, shared: Mapping[str, Law]) -> Law:
    """By name where it is shared; otherwise a table, or a formula without parameters."""
    if isinstance(raw, str) and raw in shared:
        return shared[raw]
    if isinstance(raw, str) and raw.isidentifier():
        raise ModelError(
            f"law names {shown(raw)}, but there is no table [laws.{shown(raw)[1:-1]}]{suggest(raw, shared)}"
        )
    with within("law"):
        return _law_from_table({"formula": raw} if isinstance(raw, str) else raw)


def _law_from_table(raw: object) -> Law:
    if not isinstance(raw, dict):
        raise ModelError(
            f"it is {shown(raw)}: it must be the name of a shared law, a formula in quotes, "
            'or a table such as {kind = "coulomb", mu_s = 0.4, mu_k = 0.3}'
        )
    table = dict(raw)
    kind = table.pop("kind", "formula" if "formula" in table else "state" if "rate" in table else None)
    kinds = (*LAWS, "formula", *DYNAMIC_LAWS, "state")
    if kind is None:
        raise ModelError(f"the key 'kind' is missing; it is one of: {', '.join(kinds)}")
    if not isinstance(kind, str) or kind not in kinds:
        raise ModelError(f"unknown kind {shown(kind)}{suggest(str(kind), kinds)}")
    if kind == "state":
        return _state_law(table)
    if kind in DYNAMIC_LAWS:
        return _classic_law(DYNAMIC_LAWS[kind], table, ())
    added = {key: table.pop(key) for key in [*table] if key in _ADDED}  # in the order of the file, as parameters are
    law = _formula_law(table) if kind == "formula" else _classic_law(LAWS[kind], table, _ADDED)
    assert isinstance(law, FrictionLaw)
    for key, value in added.items():
        with within("aging" if key == "aging" else ""):
            law = _aged(law, value) if key == "aging" else law.with_viscous(_number("viscous", raw))
    return law


def _aged(law: FrictionLaw, raw: object) -> FrictionLaw:
    """The law with a static coefficient that grows: {a, beta} of leine1998, or a formula of stick_time."""
    if isinstance(raw, dict) and "formula" not in raw:
        _check_keys(raw, ("a", "beta"), ("formula",))
        return law.with_aging(_number("a", raw), _number("beta", raw))
    table = {"formula": raw} if isinstance(raw, str) else raw
    if not isinstance(table, dict):
        raise ModelError(f"it is {shown(raw)}: it must be a table such as {{a = 0.1, beta = 2.0}}, or a formula")
    return law.with_aging(growth=_formula("the growth", table, ("stick_time",)))


def _state_law(table: dict[str, Any]) -> StateLaw:
    """A law by the formulas of its rate and its coefficient; the rate carries all parameters, in the file's order."""
    for key in ("rate", "coefficient"):
        if key not in table:
            raise ModelError(f"the key {key!r} is missing; needed are: rate, coefficient; allowed are also: initial")
        if not isinstance(table[key], str):
            raise ModelError(f"{key} is {shown(table[key])}: it must be a formula in quotes")
    initial = check_number("initial", table.get("initial", 0.0))
    rest = {key: value for key, value in table.items() if key not in ("rate", "coefficient", "initial")}
    values = {key: _number(key, rest) for key in rest}
    in_rate, in_coefficient = (names_in(table[key], key) for key in ("rate", "coefficient"))
    for name in values.keys() - {*in_rate, *in_coefficient, *_sources(values)}:
        raise ModelError(f"the parameter {name!r} is used neither by the rate nor by the coefficient: take it out")
    used = {n: x for n, x in values.items() if n in in_coefficient}
    rate, coefficient = {"formula": table["rate"], **values}, {"formula": table["coefficient"], **used}
    variables = ("v", "z")
    return StateLaw(_formula("rate", rate, variables), _formula("coefficient", coefficient, variables), initial)


def _sources(values: Mapping[str, Value]) -> set[str]:
    """The names that some of the values follow from."""
    return {name for value in values.values() if isinstance(value, Formula) for name in value.variables}


def _formula_law(table: dict[str, Any]) -> FrictionLaw:
    static = _number("static", table, nonnegative=True) if "static" in table else None
    table.pop("static", None)
    formula = _formula("the law", table, ("v",))
    for name in formula.parameters.keys() - {*names_in(formula.text), *_sources(formula.parameters)}:
        # An unused parameter does no harm, but a misspelt `viscous` would be lost without a word.
        hint = suggest(name, ("viscous", "static"))
        if "did you mean" in hint:
            raise ModelError(f"the formula does not use its parameter {name!r}{hint} and names in the formula")
    return FunctionLaw(formula, static)


def _classic_law(law: type[Law], table: dict[str, Any], added: tuple[str, ...]) -> Law:
    needed = [field.name for field in fields(law) if field.default is MISSING]
    allowed = [field.name for field in fields(law) if field.default is not MISSING]
    _check_keys(table, needed, (*allowed, *added))
    values: dict[str, Any] = {}
    for key in table:
        if key in _LISTS:
            numbers = _list(table, key, "numbers")
            entries = {f"c{i}": number for i, number in enumerate(numbers)}
            values[key] = tuple(
                _number(f"c{i}", entries)
                if key == "coefficients" and isinstance(number, str | dict)
                else check_number(f"{key}[{i}]", number)
                for i, number in enumerate(numbers)
            )
        elif key in _TEXTS:
            values[key] = _text(table, key)
        else:
            values[key] = _number(key, table)
    return law(**values)


# Systems given by their equations


def _filippov(document: Mapping[str, Any]) -> Filippov:
    table, about, time_unit = document["filippov"], _about(document), _text(document, "time_unit")
    with within("[filippov]"):
        _check_keys(table, *_FILIPPOV)
        states = _names(table, "states")
        contacts = _names(table, "contacts") if "contacts" in table else ["contact"]
        return Filippov(
            states,
            **_ingredients(table, states, contacts),
            contacts=contacts,
            start=_numbers(table, "start"),
            about=about,
            units=_units(table),
            time_unit=time_unit,
        )


def _units(table: Mapping[str, Any]) -> dict[str, str]:
    units = table.get("units", {})
    if not isinstance(units, dict):
        raise ModelError(f"units is {shown(units)}: it must be a table of texts")
    for name, unit in _flat(units):
        if not isinstance(unit, str):
            raise ModelError(f"units: {name} is {shown(unit)}: it must be a text in quotes")
        check_text(f"units: {name}", unit, MAX_TEXT)
    return dict(_flat(units))


def _state_variables(states: Sequence[str]) -> tuple[str, ...]:
    """The names that states have in formulas: `x.block` is x_block."""
    variables: dict[str, str] = {}
    for state in states:
        name = state.replace(".", "_")
        check_name("states: a state", name)
        if name == "t" or name in variables:
            raise ModelError(f"states: {name!r} stands for two things in the formulas; rename a state")
        variables[name] = state
    return tuple(variables)


def _ingredients(table: Mapping[str, Any], states: Sequence[str], contacts: Sequence[str]) -> dict[str, Any]:
    """f, G, h, kinetic and static, each as a formula, as several, or as a number."""
    variables = _state_variables(states)
    numbers = {
        key: check_number(key, table[key], nonnegative=True)
        for key in ("kinetic", "static")
        if not isinstance(table.get(key, ""), str | list)
    }
    own = _numbers(table, "parameters")
    for name in own.keys() & {*variables, *TIME}:
        raise ModelError(f"parameters: {name!r} is the name of a state or of time; choose another name")
    made: dict[str, Any] = {**numbers}
    for key in (key for key in FUNCTIONS if key in table and key not in numbers):
        texts = formula_texts(key, table[key])
        _check_shape(key, texts, len(states), len(contacts))
        speed = ("v",) if key in ("kinetic", "static") and "v" not in variables else ()
        made[key] = _formulas(key, texts, (*TIME, *variables, *speed), numbers, own)
    return made


def formula_texts(what: str, raw: object) -> Any:
    """Formulas as they stand in the file, numbers as formulas, in lists as they are."""
    if isinstance(raw, list | tuple):
        return [formula_texts(f"{what}[{i}]", entry) for i, entry in enumerate(raw)]
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ModelError(f"{what} is {shown(raw)}: it must be a formula in quotes or a number")
    number = check_number(what, raw)
    return str(int(number)) if isinstance(raw, int) and abs(number) < 1e15 else repr(number)


def _check_shape(key: str, texts: Any, n: int, contacts: int) -> None:
    """f and G have a row per state, in G with an entry per contact; the others have an entry per contact."""
    full = {"f": (n,), "G": (n, contacts)}.get(key, (contacts,))
    # A list of one may be left out, and one limit may stand for all contacts.
    short = full[:-1] if full[-1] == 1 else full
    single = key in ("kinetic", "static") or set(full) == {1}
    if _shape(texts) not in {full, short} | ({()} if single else set()):
        wanted = f"a list of {full[0]} formulas" if len(full) == 1 else f"{n} rows of {contacts} formulas each"
        raise ModelError(f"{key} is {shown(texts)}: with {n} states and {contacts} contacts it is {wanted}")


def _shape(texts: Any) -> tuple[int, ...]:
    """How many entries on each level of a nested list; (-1,) where they differ."""
    if isinstance(texts, str):
        return ()
    inner = {_shape(entry) for entry in texts}
    return (len(texts), *inner.pop()) if len(inner) == 1 else (-1,)


def _formulas(
    what: str,
    texts: Any,
    variables: Sequence[str],
    numbers: Mapping[str, float],
    parameters: Mapping[str, float],
) -> Formula:
    known = {*variables, *numbers, *parameters}
    names: set[str] = set()
    for text in leaves(texts):
        names.update(_known_names(what, text, known))
    chosen = tuple(name for name in variables if name in names)
    mine = {name: number for name, number in numbers.items() if name in names}
    # f carries every parameter, so that their order is that of the file, and none is lost.
    mine |= {name: number for name, number in parameters.items() if name in names or what == "f"}
    make: Callable[..., Formula] = Formulas.of if isinstance(texts, list) else Formula
    return make(texts, chosen, mine, what)


def leaves(nested: Any) -> Iterator[Any]:
    """The entries of nested lists, one after the other."""
    if isinstance(nested, list | tuple):
        for item in nested:
            yield from leaves(item)
    else:
        yield nested
