"""What a user types on the command line, read without ever being executed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stickslip.errors import ModelError
from stickslip.model import files
from stickslip.model.errors import shown, suggest
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def read_model(text: str) -> Model:
    """The model that MODEL on the command line stands for.

    >>> read_model("chain:n=3").contacts
    ('contact1', 'contact2', 'contact3')
    """
    if text.endswith(".toml") or "/" in text or Path(text).is_file():
        return files.load(text)
    name, colon, arguments = text.partition(":")
    if name not in LIBRARY:
        raise ModelError(f"there is no model {shown(name)}{suggest(name, LIBRARY)}; a model file ends with .toml")
    return LIBRARY[name](**(_arguments(name, arguments) if colon else {}))


def set_model(asked: Any) -> Model:
    """The model that a command is about, with the parameters that --set gives."""
    model: Model = read_model(asked.model).with_(read_numbers("--set", asked.settings))
    return model


def title_of(model: Model) -> str:
    """What a model is called at the head of a page."""
    return model.about.title or model.about.name or "Unnamed model"


def model_arguments(name: str) -> Mapping[str, Any]:
    """The arguments of a library model with their defaults, none where there is no such model."""
    if name not in LIBRARY:
        return {}
    signature = inspect.signature(LIBRARY[name])
    return {key: parameter.default for key, parameter in signature.parameters.items()}


def read_numbers(option: str, pairs: Iterable[str]) -> dict[str, float]:
    """Numbers by name from `name=value` pairs.

    >>> read_numbers("--set", ["belt.speed=0.3"])
    {'belt.speed': 0.3}
    """
    numbers: dict[str, float] = {}
    for pair in pairs:
        name, equals, value = (piece.strip() for piece in pair.partition("="))
        if not (name and equals and value):
            raise ModelError(f"cannot read {option} {shown(pair)}: write {option} NAME=VALUE, as in belt.speed=0.3")
        if name in numbers:
            raise ModelError(f"{option} gives {name!r} twice: give it once")
        numbers[name] = number(f"{option} {name}", value)
    return numbers


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The arguments after the colon, each of the kind that the model's own default has."""
    known = model_arguments(name)
    values: dict[str, Any] = {}
    for pair in text.split(","):
        key, equals, value = (piece.strip() for piece in pair.partition("="))
        if not (key and equals and value):
            raise ModelError(
                f"cannot read {shown(pair)} in {shown(f'{name}:{text}')}: write {name}:NAME=VALUE,NAME=VALUE"
            )
        if key not in known:
            raise ModelError(f"{name} has no argument {shown(key)}{suggest(key, known)}")
        values[key] = _like(known[key], f"{name}: {key}", value)
    return values


def _like(default: Any, what: str, text: str) -> Any:
    if isinstance(default, str):
        if not _WORD.match(text):
            raise ModelError(f"{what} is {shown(text)}: it must be a word, such as {default}")
        return text
    if isinstance(default, int):
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
            raise ModelError(f"{what} is {shown(text)}: it must be a whole number, such as {default}")
        return int(text)
    return number(what, text)


def number(what: str, text: str) -> float:
    """The number that a text is."""
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"{what} is {shown(text)}: it must be a number") from None
