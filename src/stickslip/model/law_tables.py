"""Friction laws in model files: by the names of the classic ones, by formulas, and with states of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.classic_laws import Coulomb, Hyperbolic, PoppStelter, Stribeck
from stickslip.model.dynamic import Dahl, DieterichRuina, DynamicLaw, ElastoPlastic, LuGre, StateLaw
from stickslip.model.entries import LISTS, TEXTS, check_keys, read_formula, read_list, read_number, read_text, within
from stickslip.model.errors import check_name, check_number, hint, shown, suggest
from stickslip.model.formula import Formula, names_in
from stickslip.model.functions import Value
from stickslip.model.laws import FrictionLaw, FunctionLaw, Law, Polynomial, Tabulated

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

_ADDED = ("viscous", "aging")


def shared_laws(document: Mapping[str, Any]) -> dict[str, Law]:
    """The laws of a file that several contacts may name."""
    tables = document.get("laws", {})
    if not isinstance(tables, dict):
        raise ModelError(f"laws is {shown(tables)}: a shared law is a table with a name, as in [laws.pad]")
    laws = {}
    for name, table in tables.items():
        check_name("[laws]: a law", name)
        with within(f"[laws.{name}]"):
            laws[name] = _law_from_table(table)
    return laws


def read_law(raw: object, shared: Mapping[str, Law]) -> Law:
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
            law = _aged(law, value) if key == "aging" else law.with_viscous(read_number("viscous", raw))
    return law


def _aged(law: FrictionLaw, raw: object) -> FrictionLaw:
    """The law with a static coefficient that grows: {a, beta} of leine1998, or a formula of stick_time."""
    if isinstance(raw, dict) and "formula" not in raw:
        check_keys(raw, ("a", "beta"), ("formula",))
        return law.with_aging(read_number("a", raw), read_number("beta", raw))
    table = {"formula": raw} if isinstance(raw, str) else raw
    if not isinstance(table, dict):
        raise ModelError(f"it is {shown(raw)}: it must be a table such as {{a = 0.1, beta = 2.0}}, or a formula")
    return law.with_aging(growth=read_formula("the growth", table, ("stick_time",)))


def _state_law(table: dict[str, Any]) -> StateLaw:
    """A law by the formulas of its rate and its coefficient; the rate carries all parameters, in the file's order."""
    for key in ("rate", "coefficient"):
        if key not in table:
            raise ModelError(f"the key {key!r} is missing; needed are: rate, coefficient; allowed are also: initial")
        if not isinstance(table[key], str):
            raise ModelError(f"{key} is {shown(table[key])}: it must be a formula in quotes")
    initial = check_number("initial", table.get("initial", 0.0))
    rest = {key: value for key, value in table.items() if key not in ("rate", "coefficient", "initial")}
    values = {key: read_number(key, rest) for key in rest}
    in_rate, in_coefficient = (names_in(table[key], key) for key in ("rate", "coefficient"))
    for name in values.keys() - {*in_rate, *in_coefficient, *_sources(values)}:
        raise ModelError(f"the parameter {name!r} is used neither by the rate nor by the coefficient: take it out")
    used = {n: x for n, x in values.items() if n in in_coefficient}
    rate, coefficient = {"formula": table["rate"], **values}, {"formula": table["coefficient"], **used}
    variables = ("v", "z")
    return StateLaw(read_formula("rate", rate, variables), read_formula("coefficient", coefficient, variables), initial)


def _sources(values: Mapping[str, Value]) -> set[str]:
    """The names that some of the values follow from."""
    return {name for value in values.values() if isinstance(value, Formula) for name in value.variables}


def _formula_law(table: dict[str, Any]) -> FrictionLaw:
    static = read_number("static", table, nonnegative=True) if "static" in table else None
    table.pop("static", None)
    formula = read_formula("the law", table, ("v",))
    for name in formula.parameters.keys() - {*names_in(formula.text), *_sources(formula.parameters)}:
        # An unused parameter does no harm, but a misspelt `viscous` would be lost without a word.
        known = ("viscous", "static")
        if hint(name, known):
            raise ModelError(
                f"the formula does not use its parameter {name!r}{suggest(name, known)} and names in the formula"
            )
    return FunctionLaw(formula, static)


def _classic_law(law: type[Law], table: dict[str, Any], added: tuple[str, ...]) -> Law:
    needed = [field.name for field in fields(law) if field.default is MISSING]
    allowed = [field.name for field in fields(law) if field.default is not MISSING]
    check_keys(table, needed, (*allowed, *added))
    values: dict[str, Any] = {}
    for key in table:
        if key in LISTS:
            numbers = read_list(table, key, "numbers")
            entries = {f"c{i}": number for i, number in enumerate(numbers)}
            values[key] = tuple(
                read_number(f"c{i}", entries)
                if key == "coefficients" and isinstance(number, str | dict)
                else check_number(f"{key}[{i}]", number)
                for i, number in enumerate(numbers)
            )
        elif key in TEXTS:
            values[key] = read_text(table, key)
        else:
            values[key] = read_number(key, table)
    return law(**values)
