"""Model files: a model as a TOML text that an engineer can write without Python.

    name = "block_on_belt"
    title = "Block on a moving belt"
    time_unit = "s"

    [mass.block]
    m = 1.0                            # kg
    x = 0.1                            # m, where it starts
    unit = "m"

    [belt.belt]
    speed = 0.2                        # m/s

    [spring.spring]
    between = ["block", "ground"]
    k = 1.0                            # N/m

    [force.push]
    on = "block"
    force = {formula = "a*cos(w*t)", a = 0.1, w = 2.0}

    [contact.contact]
    on = "block"                       # or {block = 1.0, torsion = 1.0}: weights of several masses
    against = "belt"
    normal = 1.0                       # N, or a formula
    law = {kind = "hyperbolic", mu_s = 1.0, delta = 3.0}

A formula stands wherever a number may depend on time or state; the other keys of its table are its
parameters, and where it has none the formula in quotes is enough. Contacts share a law, and its parameters,
by naming it: `law = "pad"` and a table `[laws.pad]`. A system given by its equations has one table
`[filippov]` instead of parts. Formulas are parsed, never executed.

Numbers of `[parameters]` whose names have no dot are shared: `mu_s = "mu"`, and `mu_k = "0.8*mu"` follows.

Also understood: `source` and a table `[known]` of exact results; `[start]` with `x.block = 1.0`;
`[parameters]` with `belt.speed = 0.3`, which replace the values above; `order`, a list of all parts, where
their order matters across kinds.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stickslip.errors import ModelError
from stickslip.files import reason, whole_file
from stickslip.model.cost import check_cost
from stickslip.model.entries import within
from stickslip.model.errors import check_number, shown, visible
from stickslip.model.formula import Formula
from stickslip.model.limits import MAX_BYTES, MAX_KEY_PARTS
from stickslip.model.reading import KEYS, model_from
from stickslip.model.system import Model, System
from stickslip.model.writing import check_formulas, check_terms, check_values, document_of, functions_of

_KEY_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}){{{MAX_KEY_PARTS}}}", re.ASCII)


def loads(text: str, name: str = "", trusted: bool = False) -> Model:
    """The model that a text in TOML describes; `name` says in messages where the text comes from.

    A text that asks for more than `model/limits.py` allows is refused; one that is `trusted` may take long to compile.

    >>> text = '''
    ... [mass.block]
    ... m = 1.0            # kg
    ... [contact.floor]
    ... on = "block"
    ... against = "ground"
    ... law = {kind = "coulomb", mu_s = 0.4, mu_k = 0.3}
    ... '''
    >>> loads(text).parameters["floor.mu_k"]
    0.3
    """
    with within(name):
        return _checked(model_from(_parsed(text)), trusted)


def load(path: str | os.PathLike[str], trusted: bool = False) -> Model:
    """The model in the file at `path`. Where you know its author, `trusted` allows models that take long to compile.

    >>> load("missing.toml")
    Traceback (most recent call last):
    stickslip.errors.ModelError: missing.toml: the file cannot be read (No such file or directory)
    """
    with within(visible(str(path))):
        return _checked(model_from(_parsed(_read(Path(path)))), trusted)


def _checked(model: Model, trusted: bool) -> Model:
    if not trusted:
        check_cost(model)
    return model


def dumps(model: Model, formulas: Mapping[str, Any] | None = None) -> str:
    """The model as a text in TOML, with its present parameter values and start.

    A part that was given a Python function needs its formula: `formulas` maps "part.attribute" to it, such
    as "base.motion", "contact.normal", "contact.law" (without the viscous part); for a Filippov system "f",
    "h" (a list of formulas), "G" (a list, or a list of rows), "kinetic" and "static".

    >>> from stickslip.model.library import block_on_belt
    >>> print(dumps(block_on_belt()).splitlines()[0])
    name = "block_on_belt"
    """
    document = document_of(model, check_formulas(model, formulas or {}))
    copy = _copy(document)
    if [*copy.parameters] != [*model.parameters] or copy.states != model.states:
        raise ModelError(
            f"the model cannot be written to a file: its parameters {', '.join(model.parameters)} "
            f"would be read as {', '.join(copy.parameters)}; rename the one that differs"
        )
    for key, function in functions_of(model).items():
        if not isinstance(function, Formula):
            check_values(model, copy, key, function)
    if isinstance(model, System) and isinstance(copy, System):
        check_terms(model, copy)
    changed = {name: value for name, value in model.parameters.items() if copy.parameters[name] != value}
    if changed:
        document["parameters"] = document.get("parameters", {}) | changed
    with _unwritable():
        text = _rendered(document)
        _check_text(text)
    return text


def save(model: Model, path: str | os.PathLike[str], formulas: Mapping[str, Any] | None = None) -> None:
    """Write the model to a file, all of it or nothing; see `dumps`.

    >>> import tempfile
    >>> from stickslip.model.library import block_on_belt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(block_on_belt(), f"{folder}/belt.toml")
    ...     load(f"{folder}/belt.toml").states
    ('x.block', 'v.block')
    """
    text, target = dumps(model, formulas), Path(path)
    try:
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise ModelError(f"{target}: the file cannot be written ({reason(error)})") from None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ModelError(f"the file cannot be read ({reason(error)})") from None
    if len(data) > MAX_BYTES:
        raise ModelError(f"the file is too large: a model file has at most {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelError(f"line {line} is not UTF-8 text: save the file with that encoding") from None


def _parsed(text: object) -> dict[str, Any]:
    if not isinstance(text, str):
        raise ModelError(f"the model is {shown(text)}: it must be a text in TOML")
    _check_text(text)
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # some editors mark UTF-8 files
    except RecursionError:
        raise ModelError("the text cannot be read as TOML: its brackets are nested too deep") from None
    except ValueError as error:
        raise ModelError(f"the text cannot be read as TOML: {error}") from None


def _check_text(text: str) -> None:
    """Refuse what no reader should be asked to parse."""
    if len(text) > MAX_BYTES:
        raise ModelError(f"the text is too large: a model file has at most {MAX_BYTES} bytes")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ModelError("the text has halves of characters (surrogates), which UTF-8 does not: mend it")
    long_key = _LONG_KEY.search(text)
    if long_key:
        line = text.count("\n", 0, long_key.start()) + 1
        raise ModelError(f"line {line} has a key of more than {MAX_KEY_PARTS} parts: a table is named [mass.block]")


@contextmanager
def _unwritable() -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise ModelError(f"the model cannot be written to a file: {error}") from None


def _copy(document: dict[str, Any]) -> Model:
    """What a reader of the file will get: nothing is written that cannot be read again."""
    with _unwritable():
        return model_from(as_read(document))


def as_read(document: Mapping[str, Any]) -> dict[str, Any]:
    """The tables that a reader finds in the text of `document`, without the detour over that text."""
    filled = [(key, value) for key, value in document.items() if value or not _has_tables(key)]
    filled.sort(key=lambda pair: isinstance(pair[1], dict))  # tables come last
    return {key: _value_read(value) for key, value in filled}


def _value_read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _value_read(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_value_read(inner) for inner in value]
    return value if isinstance(value, str) else check_number("a number", value)


def _has_tables(key: str) -> bool:
    """Whether what is under a key is a table for each of several things with names."""
    return key in KEYS or key == "laws"


def _rendered(document: Mapping[str, Any]) -> str:
    lines = [_line(key, value) for key, value in document.items() if not isinstance(value, dict)]
    for key, table in document.items():
        if _has_tables(key):
            for name, inner in table.items():
                lines += ["", f"[{key}.{_key(name)}]", *(_line(k, v) for k, v in inner.items())]
        elif isinstance(table, dict):
            lines += ["", f"[{key}]", *(_line(k, v) for k, v in table.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def _line(key: str, value: Any) -> str:
    return f"{_key(key)} = {_toml(value)}"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(_line(key, inner) for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return repr(check_number("a number", value))


def _quoted(text: str) -> str:
    """JSON writes strings as TOML does, but for the delete character and for halves of a surrogate pair."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ModelError(f"the text {shown(text)} cannot be written as UTF-8")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
