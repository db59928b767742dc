"""From a document, the nested tables of a model file, to a model; a mistake is a sentence that says where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.dynamic import Dahl, DieterichRuina, DynamicLaw, ElastoPlastic, LuGre, StateLaw
from stickslip.model.errors import check_name, check_number, check_text, shown
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
    Part,
    SmoothContact,
    Spring,
    ground,
)
from stickslip.model.scatter import Scatter, distribution_from
from stickslip.model.system import About, Filippov, Model, System, suggest

KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "mass": (("m",), ("x", "v", "unit")),
    "belt": (("speed",), ()),
    "base": (("motion",), ()),
    "spring": (("between",), ("k", "force")),
    "damper": (("between",), ("c", "force")),
    "force": (("on", "force"), ()),
    "contact": (("on", "against", "law"), ("normal", "scatter")),
    "compliantcontact": (("on", "against", "law", "stiffness"), ("normal", "damping", "scatter")),
    "dynamiccontact": (("on", "against", "law"), ("normal",)),
    "smoothcontact": (("on", "against", "law", "eps"), ("normal", "shape")),
}
"""Per kind of part, the keys it must have and those it may have."""

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
_ABOUT = ("name", "title", "source", "known", "time_unit")
FUNCTIONS = ("f", "G", "h", "kinetic", "static")
_SYSTEM = (*_ABOUT, *KEYS, "laws", "start", "parameters", "order")
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
    tables = _ordered(part_tables(document), document)
    bodies: dict[str, Body] = {"ground": ground}
    for name, (kind, table) in tables.items():
        if kind in ("mass", "belt", "base"):
            with within(f"[{kind}.{name}]"):
                bodies[name] = _body(kind, name, table)
    laws = _shared_laws(document)
    states = ("t", *(f"{s}_{n}" for s in "xv" for n, body in bodies.items() if isinstance(body, Mass)))
    parts: list[Part] = [body for body in bodies.values() if body is not ground]
    for name, (kind, table) in tables.items():
        if name not in bodies:
            with within(f"[{kind}.{name}]"):
                parts.append(_interaction(kind, name, table, bodies, laws, states))
    system = System(
        *parts,
        about=_about(document),
        time_unit=_text(document, "time_unit"),
        start=_numbers(document, "start"),
    )
    return system.with_(_numbers(document, "parameters")) if "parameters" in document else system


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


def _body(kind: str, name: str, table: dict[str, Any]) -> Body:
    _check_keys(table, *KEYS[kind])
    match kind:
        case "mass":
            m, x, v = (check_number(key, table.get(key, 0.0)) for key in ("m", "x", "v"))
            return Mass(name, m=m, x=x, v=v, unit=_text(table, "unit"))
        case "belt":
            return Belt(name, speed=_value("speed", table["speed"], TIME))
        case _:
            return Base(name, motion=_value("motion", table["motion"], TIME))


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
        case "force":
            force = _value("force", table["force"], (*states, "x", "v"), used=True)
            return Force(_mass("on", table["on"], bodies), force, name=name)
        case _:
            on, against = _weights(table["on"], bodies), _named("against", table["against"], bodies)
            law = _law(table["law"], laws)
            normal = _value("normal", table.get("normal", 1.0), states, used=True)
            return _rubbing(kind, table, (on, against, law, normal, name))


def _rubbing(kind: str, table: Mapping[str, Any], common: tuple[Any, ...]) -> Interaction:
    """A contact of some kind, from what all have in common and what this one has besides."""
    keys = ("stiffness", "damping", "eps")
    numbers: dict[str, Any] = {key: check_number(key, table[key]) for key in keys if key in table}
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
            if isinstance(value, dict) and key != "correlation_time":
                with within(key):
                    _check_keys(value, ("distribution",), ("shapes", "loc", "scale"))
                    values[key] = distribution_from(
                        value["distribution"],
                        *(value.get(name, default) for name, default in (("shapes", []), ("loc", 0.0), ("scale", 1.0))),
                    )
            else:
                values[key] = check_number(key, value)
        return Scatter(**values)


def _pair(kind: str, name: str, table: dict[str, Any], bodies: Mapping[str, Body]) -> Interaction:
    ends = _list(table, "between", "two names of bodies")
    if len(ends) != 2:
        raise ModelError(f"between has {len(ends)} entries: it must name two bodies")
    a, b = (_named("between", end, bodies) for end in ends)
    make, number = (Spring, "k") if kind == "spring" else (Damper, "c")
    values: dict[str, Any] = {}
    if number in table:
        values[number] = check_number(number, table[number])
    if "force" in table:
        values["force"] = _value("force", table["force"], ("e",))
    return make(a, b, name=name, **values)


def _named(key: str, name: object, bodies: Mapping[str, Body]) -> Body:
    if not isinstance(name, str):
        raise ModelError(f"{key} is {shown(name)}: it must be the name of a body in quotes")
    if name not in bodies:
        raise ModelError(f"{key} names {shown(name)}, which is not a body{suggest(name, bodies)}")
    return bodies[name]


def _mass(key: str, name: object, bodies: Mapping[str, Body]) -> Mass:
    body = _named(key, name, bodies)
    if not isinstance(body, Mass):
        masses = [n for n, other in bodies.items() if isinstance(other, Mass)]
        raise ModelError(f"{key} names {name!r}, which is not a mass{suggest(str(name), masses)}")
    return body


def _weights(raw: object, bodies: Mapping[str, Body]) -> Mass | dict[Mass, float]:
    if not isinstance(raw, dict):
        return _mass("on", raw, bodies)
    return {_mass("on", name, bodies): check_number(f"on: {name}", weight) for name, weight in raw.items()}


def _value(what: str, raw: object, variables: Sequence[str], used: bool = False) -> Value:
    """A number, or a formula of `variables` (of those it uses, where only these count)."""
    if isinstance(raw, str):
        return _formula(what, {"formula": raw}, variables, used)
    if isinstance(raw, dict):
        return _formula(what, raw, variables, used)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ModelError(f"{what} is {shown(raw)}: it must be a number or a formula in quotes")
    return check_number(what, raw)


def _formula(what: str, table: Mapping[str, Any], variables: Sequence[str], used: bool = False) -> Formula:
    if "formula" not in table:
        raise ModelError(f'{what} has no formula: write {{formula = "a*t", a = 1.0}}, or a number')
    parameters = {name: number for name, number in table.items() if name != "formula"}
    names = _known_names(what, table["formula"], {*variables, *parameters})
    chosen = tuple(name for name in variables if name in names or not used)
    return Formula(table["formula"], chosen, parameters, what)


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
            law = _aged(law, value) if key == "aging" else law.with_viscous(check_number("viscous", value))
    return law


def _aged(law: FrictionLaw, raw: object) -> FrictionLaw:
    """The law with a static coefficient that grows: {a, beta} of leine1998, or a formula of stick_time."""
    if isinstance(raw, dict) and "formula" not in raw:
        _check_keys(raw, ("a", "beta"), ("formula",))
        return law.with_aging(check_number("a", raw["a"]), check_number("beta", raw["beta"]))
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
    values = {key: check_number(key, value) for key, value in rest.items()}
    in_rate, in_coefficient = (names_in(table[key], key) for key in ("rate", "coefficient"))
    for name in values.keys() - {*in_rate, *in_coefficient}:
        raise ModelError(f"the parameter {name!r} is used neither by the rate nor by the coefficient: take it out")
    used = {n: x for n, x in values.items() if n in in_coefficient}
    rate, coefficient = {"formula": table["rate"], **values}, {"formula": table["coefficient"], **used}
    variables = ("v", "z")
    return StateLaw(_formula("rate", rate, variables), _formula("coefficient", coefficient, variables), initial)


def _formula_law(table: dict[str, Any]) -> FrictionLaw:
    static = table.pop("static", None)
    formula = _formula("the law", table, ("v",))
    for name in formula.parameters.keys() - set(names_in(formula.text)):
        # An unused parameter does no harm, but a misspelt `viscous` would be lost without a word.
        hint = suggest(name, ("viscous", "static"))
        if "did you mean" in hint:
            raise ModelError(f"the formula does not use its parameter {name!r}{hint} and names in the formula")
    if static is not None:
        static = check_number("static", static, nonnegative=True)
    return FunctionLaw(formula, static)


def _classic_law(law: type[Law], table: dict[str, Any], added: tuple[str, ...]) -> Law:
    needed = [field.name for field in fields(law) if field.default is MISSING]
    allowed = [field.name for field in fields(law) if field.default is not MISSING]
    _check_keys(table, needed, (*allowed, *added))
    values: dict[str, Any] = {}
    for key in table:
        if key in _LISTS:
            numbers = _list(table, key, "numbers")
            values[key] = tuple(check_number(f"{key}[{i}]", number) for i, number in enumerate(numbers))
        elif key in _TEXTS:
            values[key] = _text(table, key)
        else:
            values[key] = check_number(key, table[key])
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
            units=_units(table, states),
            time_unit=time_unit,
        )


def _units(table: Mapping[str, Any], states: Sequence[str]) -> dict[str, str]:
    units = table.get("units", {})
    if not isinstance(units, dict):
        raise ModelError(f"units is {shown(units)}: it must be a table of texts")
    for name, unit in _flat(units):
        if name not in states:
            raise ModelError(f"units names {shown(name)}, which is not a state{suggest(name, states)}")
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
