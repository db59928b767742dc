"""What the explorer opens with: a model, a model file, a file of results, or a result."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from stickslip.errors import ModelError, ResultError
from stickslip.explorer.view import fingerprint
from stickslip.model import files
from stickslip.model.errors import shown, suggest
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model

FIRST = "block_on_belt"
"""The model that is shown where none is asked for."""


class Opening(NamedTuple):
    """A view, and the fingerprints of the texts that the user trusts, by having opened them."""

    view: dict[str, Any]
    trusted: tuple[str, ...] = ()


def opening_of(what: Any) -> Opening:
    """The view that shows something.

    >>> opening_of(None).view
    {'model': {'library': 'block_on_belt', 'arguments': {}}}
    """
    if what is None:
        return _library(FIRST)
    if isinstance(what, Model):
        return _text(_written(what))
    if isinstance(what, str | os.PathLike):
        return _named(os.fspath(what))
    return _result(what)


def _library(name: str) -> Opening:
    return Opening({"model": {"library": name, "arguments": {}}})


def _text(text: str, **more: Any) -> Opening:
    return Opening({"model": {"text": text}, **more}, (fingerprint(text),))


def _written(model: Model) -> str:
    from stickslip.artifacts import formulas_of

    try:
        return files.dumps(model, formulas_of(model))
    except ModelError as error:
        raise ModelError(f"the explorer computes in other processes, which need the model as a text: {error}") from None


def _named(name: str) -> Opening:
    """A model of the library, a model file, or a file of results."""
    if name in LIBRARY:
        return _library(name)
    path = Path(name)
    if path.suffix == ".toml":
        files.load(path, trusted=True)  # which says what is wrong with it
        return _text(path.read_text(encoding="utf-8"))
    if path.suffix == ".nc":
        from stickslip.loading import load

        return _result(load(path))
    raise ModelError(
        f"{shown(name)} is no model of the library, no model file (.toml) and no file of results (.nc)"
        f"{suggest(name, LIBRARY)}"
    )


def _result(result: Any) -> Opening:
    """The model of a result, and what of the view the result tells."""
    model = getattr(result, "model", None) or getattr(next(iter(getattr(result, "points", ())), None), "model", None)
    if isinstance(model, Model):
        return _text(_written(model))
    attributes = getattr(result, "attrs", {})
    text = attributes.get("model")
    if not isinstance(text, str) or not text or text.startswith("#"):
        raise ResultError(f"{shown(result)} does not carry its model: give the explorer a model, or a model file")
    return _text(text, **_looked_at(result))


def _looked_at(result: Any) -> dict[str, Any]:
    """How long a run was; over what a sweep went."""
    if "event_time" in result and "time" in result.sizes and result.sizes["time"]:
        first, last = (float(result["time"].values[i]) for i in (0, -1))
        return {"motion": {"t": last - first} | ({"start_time": first} if first else {})}
    swept = [name for name in result.dims if name in result.coords and "." in str(name)]
    if len(swept) == 1 and result.sizes[swept[0]] > 1:
        values = result[swept[0]].values
        low, high, points = float(values.min()), float(values.max()), len(values)
        return {"diagram": {"parameter": str(swept[0]), "low": low, "high": high, "points": points}}
    return {}
