"""From a document, the nested tables of a model file, to a model; a mistake is a sentence that says where."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.entries import (
    TIME,
    check_keys,
    read_about,
    read_list,
    read_names,
    read_number,
    read_numbers,
    read_text,
    read_units,
    read_value,
    sharing,
    within,
)
from stickslip.model.errors import check_name, check_number, shown, suggest
from stickslip.model.filippov_tables import filippov_from
from stickslip.model.law_tables import read_law, shared_laws
from stickslip.model.laws import Law
from stickslip.model.limits import MAX_PARTS
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
from stickslip.model.system import Model, System

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

_ABOUT = ("name", "title", "source", "known", "time_unit")
_SYSTEM = (*_ABOUT, *KEYS, "laws", "start", "parameters", "order", "force_unit", "units")


def model_from(document: dict[str, Any]) -> Model:
    """The model that the tables of a file describe."""
    if "filippov" in document:
        check_keys(document, ("filippov",), _ABOUT)
        return filippov_from(document)
    check_keys(document, (), (*_SYSTEM, "filippov"))
    return _system(document)


def _system(document: Mapping[str, Any]) -> System:
    """The system of a document; numbers in [parameters] are shared ones, and those with a dot replace others."""
    values = read_numbers(document, "parameters")
    shared = {name: Parameter(name, value) for name, value in values.items() if "." not in name}
    with sharing(shared):
        system = _assembled(document)
    return system.with_(values) if values else system


def _assembled(document: Mapping[str, Any]) -> System:
    tables = _ordered(part_tables(document), document)
    extra = tuple(name for name, (kind, _) in tables.items() if kind == "state")
    bodies: dict[str, Body] = {"ground": ground}
    for name, (kind, table) in tables.items():
        if kind in BODIES:
            with within(f"[{kind}.{name}]"):
                bodies[name] = _body(kind, name, table, extra)
    laws = shared_laws(document)
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
        about=read_about(document),
        time_unit=read_text(document, "time_unit"),
        force_unit=read_text(document, "force_unit"),
        units=read_units(document),
        start=read_numbers(document, "start"),
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
    order = read_names(document, "order")
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
    check_keys(table, *KEYS[kind])
    known = (*TIME, *extra)
    match kind:
        case "mass" | "rotor":
            make, number = (Mass, "m") if kind == "mass" else (Rotor, "inertia")
            numbers: dict[str, Any] = {key: check_number(key, table[key]) for key in ("x", "v") if key in table}
            numbers |= {"unit": read_text(table, "unit")} if "unit" in table else {}
            return make(name, read_number(number, table), **numbers)
        case "belt":
            return Belt(name, speed=read_value("speed", table["speed"], known))
        case _:
            return Base(name, motion=read_value("motion", table["motion"], known))


def _state(name: str, table: dict[str, Any], states: tuple[str, ...]) -> State:
    check_keys(table, *KEYS["state"])
    rate = read_value("rate", table["rate"], states)
    return State(name, rate, start=check_number("start", table.get("start", 0.0)), unit=read_text(table, "unit"))


def _interaction(
    kind: str,
    name: str,
    table: dict[str, Any],
    bodies: Mapping[str, Body],
    laws: Mapping[str, Law],
    states: tuple[str, ...],
) -> Interaction:
    """A part that acts on bodies; `states` are what its formulas may depend on."""
    check_keys(table, *KEYS[kind])
    match kind:
        case "spring" | "damper":
            return _pair(kind, name, table, bodies)
        case "force" | "torque":
            strength = read_value(kind, table[kind], (*states, "x", "v"))
            make = Force if kind == "force" else Torque
            return make(_weights("on", table["on"], bodies), strength, name=name)
        case _:
            on, against = _weights("on", table["on"], bodies), _named("against", table["against"], bodies)
            law = read_law(table["law"], laws)
            normal = read_value("normal", table.get("normal", 1.0), states)
            return _rubbing(kind, table, (on, against, law, normal, name))


def _rubbing(kind: str, table: Mapping[str, Any], common: tuple[Any, ...]) -> Interaction:
    """A contact of some kind, from what all have in common and what this one has besides."""
    keys = ("stiffness", "damping", "eps")
    numbers: dict[str, Any] = {key: read_number(key, table) for key in keys if key in table}
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
        check_keys(raw, (), ("static", "kinetic", "correlation_time"))
        values: dict[str, Any] = {}
        for key, value in raw.items():
            if isinstance(value, dict) and "formula" not in value and key != "correlation_time":
                with within(key):
                    check_keys(value, ("distribution",), ("shapes", "loc", "scale"))
                    values[key] = distribution_from(
                        value["distribution"],
                        *(value.get(name, default) for name, default in (("shapes", []), ("loc", 0.0), ("scale", 1.0))),
                    )
            else:
                values[key] = read_number(key, raw)
        return Scatter(**values)


def _pair(kind: str, name: str, table: dict[str, Any], bodies: Mapping[str, Body]) -> Interaction:
    ends = read_list(table, "between", "two names of bodies")
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
        values[number] = read_number(number, table)
    if "force" in table:
        values["force"] = read_value("force", table["force"], ("e",))
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
