"""The view in Python: the lines that make its model, and the script that gives the same numbers and pictures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from stickslip.explorer.calls import written
from stickslip.explorer.view import numbers, table
from stickslip.model.library import LIBRARY


def system_lines(view: Mapping[str, Any], name: str = "system") -> list[str]:
    """The lines that make the model of a view, under a name.

    >>> system_lines({"model": {"library": "block_on_belt"}, "parameters": {"belt.speed": 0.25}})
    ['system = ss.models.block_on_belt().with_({"belt.speed": 0.25})']
    """
    return [f"{name} = {_made(view)}{_changes(view)}"]


def text_lines(view: Mapping[str, Any]) -> list[str]:
    """The lines that hold the text of a model, where there is one."""
    model = table(view, "model")
    if "text" not in model:
        return []
    return ["from stickslip.model.files import loads", "", f'MODEL = """\\\n{_quoted(str(model["text"]))}"""']


def _quoted(text: str) -> str:
    """A text as it stands between three quotes: no two in a row are left in it, and none at its end.

    >>> print(_quoted('name = "block"'))
    name = "block\\"
    """
    return re.sub(r'"(?="|\Z)', r'\\"', text.replace("\\", "\\\\"))


def _made(view: Mapping[str, Any]) -> str:
    model = table(view, "model")
    if "text" in model:
        return "loads(MODEL, trusted=True)"
    name = str(model.get("library"))
    given = table(model, "arguments")
    known = inspect.signature(LIBRARY[name]).parameters if name in LIBRARY else {}
    arguments = ", ".join(f"{each}={written(given[each])}" for each in known if each in given)
    return f"ss.models.{name}({arguments})"


def _changes(view: Mapping[str, Any]) -> str:
    parameters, start = numbers(view, "parameters"), numbers(view, "start")
    given = [written(parameters)] if parameters else []
    given += [f"start={written(start)}"] if start else []
    return f".with_({', '.join(given)})" if given else ""
