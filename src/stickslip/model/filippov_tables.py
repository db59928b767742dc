"""Systems given by their equations, in model files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.entries import (
    TIME,
    check_keys,
    known_names,
    read_about,
    read_names,
    read_numbers,
    read_text,
    read_units,
    within,
)
from stickslip.model.errors import check_name, check_number, shown
from stickslip.model.formula import Formula, Formulas
from stickslip.model.system import Filippov

FUNCTIONS = ("f", "G", "h", "kinetic", "static")
_KEYS = (
    ("states", "f", "G", "h"),
    ("kinetic", "static", "contacts", "parameters", "start", "units"),
)


def filippov_from(document: Mapping[str, Any]) -> Filippov:
    """The system of a document that gives its equations."""
    table, about, time_unit = document["filippov"], read_about(document), read_text(document, "time_unit")
    with within("[filippov]"):
        check_keys(table, *_KEYS)
        states = read_names(table, "states")
        contacts = read_names(table, "contacts") if "contacts" in table else ["contact"]
        return Filippov(
            states,
            **_ingredients(table, states, contacts),
            contacts=contacts,
            start=read_numbers(table, "start"),
            about=about,
            units=read_units(table),
            time_unit=time_unit,
        )


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
    own = read_numbers(table, "parameters")
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
        names.update(known_names(what, text, known))
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
