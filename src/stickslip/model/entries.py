"""Entries of the tables of a model file: texts, lists, numbers, formulas; a mistake is a sentence that says where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.about import About
from stickslip.model.errors import check_number, check_text, shown, suggest
from stickslip.model.formula import FLOAT_FUNCTIONS, Formula, names_in
from stickslip.model.functions import Value
from stickslip.model.limits import MAX_PARTS, MAX_TEXT
from stickslip.model.parameter import Parameter

TIME = ("t",)
LISTS = ("coefficients", "speeds", "values")
TEXTS = ("evolution",)
_NO_NUMBERS = ("on", "against", "between", "law", "unit", "formula", "scatter", *LISTS, *TEXTS)
_SHARED: ContextVar[Mapping[str, Parameter]] = ContextVar("_SHARED", default=MappingProxyType({}))


@contextmanager
def sharing(parameters: Mapping[str, Parameter]) -> Iterator[None]:
    """Let any formula that is read meanwhile name these parameters."""
    token = _SHARED.set(parameters)
    try:
        yield
    finally:
        _SHARED.reset(token)


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


def check_keys(table: object, needed: Sequence[str], allowed: Sequence[str]) -> None:
    """Refuse what is no table, has a key that is not known, or lacks one that is needed."""
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


def read_text(table: Mapping[str, Any], key: str) -> str:
    """A text; an empty one where there is none."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise ModelError(f"{key} is {shown(value)}: it must be a text in quotes")
    return check_text(key, value, MAX_TEXT)


def read_numbers(table: Mapping[str, Any], key: str) -> dict[str, float]:
    """A table of numbers; `x.block = 1.0` and `"x.block" = 1.0` are the same."""
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ModelError(f"{key} is {shown(value)}: it must be a table of numbers")
    return {name: check_number(f"{key}: {shown(name)}", number) for name, number in flat(value)}


def flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of nested tables, with dots in their names."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def read_list(table: Mapping[str, Any], key: str, of: str) -> list[Any]:
    """A list; `of` what, sentences say."""
    value = table[key]
    if not isinstance(value, list):
        raise ModelError(f"{key} is {shown(value)}: it must be a list of {of}")
    return value


def read_names(table: Mapping[str, Any], key: str) -> list[str]:
    """A list of names, all different."""
    names = read_list(table, key, "names in quotes")
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


def read_about(document: Mapping[str, Any]) -> About:
    """What a file says about where its model comes from."""
    name, title, source = (read_text(document, key) for key in ("name", "title", "source"))
    return About(name=name, title=title, source=source, known=read_numbers(document, "known"))


def read_units(table: Mapping[str, Any]) -> dict[str, str]:
    """A table of units by name."""
    units = table.get("units", {})
    if not isinstance(units, dict):
        raise ModelError(f"units is {shown(units)}: it must be a table of texts")
    for name, unit in flat(units):
        if not isinstance(unit, str):
            raise ModelError(f"units: {name} is {shown(unit)}: it must be a text in quotes")
        check_text(f"units: {name}", unit, MAX_TEXT)
    return dict(flat(units))


def read_number(key: str, table: Mapping[str, Any], nonnegative: bool = False) -> Value:
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
    return read_formula(key, inner, others, used=True)


def _check_sources(key: str, table: Mapping[str, Any], near: set[str], shared: Mapping[str, Parameter]) -> None:
    """Refuse a text for a number that is no formula of numbers `near` it and of shared ones."""
    if "formula" not in table:
        return  # which `read_formula` tells
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


def read_value(what: str, raw: object, variables: Sequence[str]) -> Value:
    """A number, a shared parameter by its name, or a formula of those `variables` that it uses."""
    if isinstance(raw, str | dict):
        shared = _SHARED.get().get(raw.strip()) if isinstance(raw, str) else None
        return shared or read_formula(what, {"formula": raw} if isinstance(raw, str) else raw, variables, used=True)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ModelError(f"{what} is {shown(raw)}: it must be a number or a formula in quotes")
    return check_number(what, raw)


def read_formula(what: str, table: Mapping[str, Any], variables: Sequence[str], used: bool = False) -> Formula:
    """A formula with its own parameters and shared ones; of the `variables` all, or those that it has `used`."""
    if "formula" not in table:
        raise ModelError(f'{what} has no formula: write {{formula = "a*t", a = 1.0}}, or a number')
    own = {name: number for name, number in table.items() if name != "formula"}
    parameters: dict[str, Value] = {}
    for name in own:
        parameters[name] = own[name] if name in variables else read_number(name, own)  # Formula says that it is both
    shared = {name: parameter for name, parameter in _SHARED.get().items() if name not in {*variables, *own}}
    names = known_names(what, table["formula"], {*variables, *own, *shared})
    chosen = tuple(name for name in variables if name in names or not used)
    return Formula(table["formula"], chosen, parameters | {n: p for n, p in shared.items() if n in names}, what)


def known_names(what: str, text: object, known: set[str]) -> tuple[str, ...]:
    """The names in a formula, all of which must be known."""
    names = names_in(text, what)
    for name in names:
        if name not in known and name not in FLOAT_FUNCTIONS:  # Formula says how to call a function
            raise ModelError(
                f"{what}: the formula {shown(text)} uses {name!r}, which is neither a variable "
                f"nor a parameter{suggest(name, sorted(known))}"
            )
    return names
