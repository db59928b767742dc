"""The view of a page: a model, its parameters and start, and what is looked at; everything in it is checked here.

A view comes from anybody. Nothing of it is executed: models are those of the library, by name, or texts in TOML whose
formulas are parsed.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from stickslip.errors import ModelError, StickslipError
from stickslip.explorer import limits
from stickslip.model import files
from stickslip.model.cost import check_cost
from stickslip.model.errors import check_number, check_whole, shown, suggest
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model

KEPT = 8
"""Models that are kept as they were read."""


class Refused(StickslipError, ValueError):
    """A request that cannot be met; `field` names the parameter, the state or the input that caused it."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class Reader:
    """Makes models of views, and keeps the last ones as they were read.

    Parameters
    ----------
    trusted : iterable of str
        Fingerprints of texts that the user opened: they may take long to compile.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self.trusted = frozenset(trusted)
        self._kept: OrderedDict[str, Model] = OrderedDict()

    def base(self, view: Mapping[str, Any]) -> Model:
        """The model of a view as it is in the library or in its text."""
        asked = table(view, "model")
        key = fingerprint(json.dumps(asked, sort_keys=True))
        if key not in self._kept:
            self._kept[key] = self._read(asked)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _read(self, asked: Mapping[str, Any]) -> Model:
        if "text" in asked:
            text = asked["text"]
            if not isinstance(text, str) or len(text.encode("utf-8", "replace")) > limits.MODEL_BYTES:
                raise Refused(f"a model is a text of at most {limits.MODEL_BYTES} bytes", "model.text")
            try:
                return files.loads(text, trusted=fingerprint(text) in self.trusted)
            except ModelError as error:
                raise Refused(str(error), "model.text") from None
        return _of_library(asked)

    def model(self, view: Mapping[str, Any]) -> Model:
        """The model of a view, with its parameters and its start."""
        base = self.base(view)
        parameters, start = numbers(view, "parameters"), numbers(view, "start")
        try:
            changed = base.with_(parameters) if parameters else base
        except ModelError as error:
            raise Refused(str(error), _culprit(base, parameters)) from None
        try:
            return changed.with_(start=start) if start else changed
        except ModelError as error:
            raise Refused(str(error), next((name for name in start if name not in base.states), "")) from None


def fingerprint(text: str) -> str:
    """A text in few characters."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _of_library(asked: Mapping[str, Any]) -> Model:
    name, arguments = asked.get("library"), table(asked, "arguments")
    if not isinstance(name, str) or name not in LIBRARY:
        raise Refused(f"there is no model {shown(name)} in the library{suggest(str(name), LIBRARY)}", "model")
    known = inspect.signature(LIBRARY[name]).parameters
    for each, value in arguments.items():
        field = f"model.{each}"
        if each not in known:
            raise Refused(f"{name} has no argument {shown(each)}{suggest(str(each), known)}", field)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Refused(f"{each} is {shown(value)}: it must be a number or a word", field)
        if isinstance(known[each].default, int) and not 0 < float(value) <= limits.WHOLE_ARGUMENT:
            raise Refused(f"{each} is {shown(value)}: it must be from 1 to {limits.WHOLE_ARGUMENT}", field)
    try:
        model = LIBRARY[name](**arguments)
        check_cost(model)
    except ModelError as error:
        raise Refused(str(error), _argument(name, arguments)) from None
    return model


def _argument(name: str, arguments: Mapping[str, Any]) -> str:
    """The argument that a model of the library refuses by itself."""
    for each, value in arguments.items():
        try:
            LIBRARY[name](**{each: value})
        except ModelError:
            return f"model.{each}"
    return "model"


def _culprit(base: Model, parameters: Mapping[str, float]) -> str:
    """The parameter that is to blame: one that the model refuses by itself, else one of those that do not fit."""
    for name, value in parameters.items():
        try:
            base.with_({name: value})
        except ModelError:
            return name
    values = {**base.parameters, **{base.resolve(name): value for name, value in parameters.items()}}
    for requirement in base.requirements():
        try:
            requirement.check(values)
        except ModelError:
            changed = [name for name in parameters if base.resolve(name) in requirement.names]
            return changed[-1] if changed else ""
    return ""


# -- what is in a view ----------------------------------------------------------------------------------------------


def table(view: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of a view that is a table, empty where it is absent."""
    found = view.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Refused(f"{name} is {shown(found)}: it must be a table", name)
    return found


def numbers(view: Mapping[str, Any], name: str) -> dict[str, float]:
    """A table of numbers by name."""
    found = table(view, name)
    if len(found) > limits.NAMES:
        raise Refused(f"{name} has {len(found)} entries: at most {limits.NAMES} can be", name)
    return {each: number(found, each, each) for each in found}


def number(given: Mapping[str, Any], name: str, field: str, *, positive: bool = False) -> float:
    """A finite number."""
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"{field} is {shown(value)}: it must be a number", field)
    try:
        return check_number(field, value, positive=positive)
    except ModelError as error:
        raise Refused(str(error), field) from None


def count(given: Mapping[str, Any], name: str, field: str, most: int, least: int = 2) -> int:
    """A whole number within bounds."""
    value = given.get(name)
    try:
        return check_whole(field, value, least, most)
    except (ModelError, TypeError) as error:
        raise Refused(str(error), field) from None


def choice(given: Mapping[str, Any], name: str, field: str, known: Iterable[str]) -> str:
    """One of some words."""
    value, words = given.get(name), tuple(known)
    if not isinstance(value, str) or value not in words:
        raise Refused(f"{field} is {shown(value)}{suggest(str(value), words)}", field)
    return value


def span(given: Mapping[str, Any], field: str) -> tuple[float, float]:
    """A range: `low` below `high`."""
    low, high = number(given, "low", f"{field}.low"), number(given, "high", f"{field}.high")
    if not low < high:
        raise Refused(f"the range from {low:g} to {high:g} is empty: give a larger end", f"{field}.high")
    return low, high


def own_view(view: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """The view with the parameters and the start that a part of it was made with."""
    return {**view, **{name: part[name] for name in ("parameters", "start") if isinstance(part.get(name), dict)}}
