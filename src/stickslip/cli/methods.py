"""The words for methods: the one place where they are turned into methods."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_type_hints

from stickslip.cli import arguments
from stickslip.errors import ModelError
from stickslip.model.errors import shown, suggest

if TYPE_CHECKING:
    from stickslip.methods.base import Method

CLASSES = {
    "exact": "Exact",
    "henon": "Henon",
    "bisection": "Bisection",
    "switch": "Switch",
    "smoothing": "Smoothing",
    "timestepping": "TimeStepping",
}
"""The methods by their word, as they are called in Python."""

WITH_ORBITS = ("exact", "smoothing", "switch")
INNER = ("target", "most_steps")
"""What the command line sets itself."""


def class_of(word: str) -> type[Method]:
    """The class that a word stands for.

    >>> class_of("henon").__name__
    'Henon'
    """
    import stickslip

    if word not in CLASSES:
        raise ModelError(f"there is no method {shown(word)}{suggest(word, CLASSES)}")
    found: type[Method] = getattr(stickslip, CLASSES[word])
    return found


def settings_of(word: str) -> dict[str, Any]:
    """What can be set of a method: the names, each with its type."""
    kind = class_of(word)
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in dataclasses.fields(kind) if each.name not in INNER}  # type: ignore[arg-type]


def chosen(asked: Any, among: Sequence[str] = tuple(CLASSES), **more: Any) -> Method:
    """The method that the options of a command ask for: `--method switch --eta 1e-7`."""
    word: str = asked.method
    if word in CLASSES and word not in among:
        raise ModelError(f"--method {word} only simulates: choose one of {', '.join(among)}")
    kind, known = class_of(word), settings_of(word)
    for name in dict.fromkeys(name for each in among for name in settings_of(each)):
        if name not in known and getattr(asked, name, None) is not None:
            owners = ", ".join(each for each in among if name in settings_of(each))
            raise ModelError(f"--{name} does not go with --method {word}: it is for {owners}")
    given = {name: getattr(asked, name) for name in known if getattr(asked, name, None) is not None}
    _check_needed(kind, given, f"--method {word} needs --{{}}")
    return kind(**given, **more)


def read(text: str) -> Method:
    """A method with its settings in one word, as `compare` takes several.

    >>> read("henon:step=0.01")
    Henon(step=0.01, most_steps=100000000, target='cpu')
    """
    word, colon, pairs = text.partition(":")
    kind, known = class_of(word), settings_of(word)
    given: dict[str, Any] = {}
    for pair in pairs.split(",") if colon else []:
        name, equals, value = (piece.strip() for piece in pair.partition("="))
        if not (name and equals and value):
            raise ModelError(f"cannot read {shown(pair)} in {shown(text)}: write {word}:NAME=VALUE,NAME=VALUE")
        if name not in known:
            raise ModelError(f"{word} has no setting {shown(name)}{suggest(name, known)}")
        if name in given:
            raise ModelError(f"{shown(text)} gives {name!r} twice: give it once")
        given[name] = _value(f"{word}: {name}", known[name], value)
    _check_needed(kind, given, f"{word} needs a {{0}}: write {word}:{{0}}=VALUE")
    return kind(**given)


def _value(what: str, kind: Any, text: str) -> Any:
    if kind is str:
        return text
    if kind is bool:
        if text not in ("yes", "no"):
            raise ModelError(f"{what} is {shown(text)}: it must be yes or no")
        return text == "yes"
    number = arguments.number(what, text)
    return int(number) if kind != float and number.is_integer() else number  # noqa: E721  int | None is no class


def _check_needed(kind: type[Method], given: Mapping[str, Any], sentence: str) -> None:
    for each in dataclasses.fields(kind):  # type: ignore[arg-type]
        if each.default is dataclasses.MISSING and each.name not in given:
            raise ModelError(sentence.format(each.name))
