"""What a user gives to the verbs, checked: arrays, flags, models. What is wrong is said in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model


def check_model(model: Any) -> None:
    """Refuse what is no model.

    >>> check_model(3)
    Traceback (most recent call last):
    stickslip.errors.ModelError: 3 is not a model: build a System or a Filippov, or take one of models
    """
    if isinstance(model, Model):
        return
    name = getattr(model, "__name__", "")
    if callable(model) and name:
        raise ModelError(f"{name} is a function that makes a model: call it, {name}()")
    if isinstance(model, str):
        raise ModelError(f"{shown(model)} is not a model, {_way_to_model(model)}")
    raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov, or take one of models")


def _way_to_model(name: str) -> str:
    """What to write where somebody gave the name of a model instead of the model."""
    if name in LIBRARY:
        return f"it is the name of one: write models.{name}()"
    if name.endswith(".toml"):
        return f"it is the name of a file: write load({name!r})"
    close = difflib.get_close_matches(name, LIBRARY, n=1)
    return f"nor the name of one (did you mean models.{close[0]}()?)" if close else "it is a text: build a System"


def check_progress(progress: Any) -> None:
    """Refuse a progress that is neither a function nor a truth value."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ModelError(
            f"progress is {shown(progress)}: it must be a function, which is called now and then, False for no bar, or "
            "True for one also where output goes to a file"
        )


def check_flag(what: str, value: Any) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} is {shown(value)}: it must be True or False")


def pair(what: str, values: Any, finite: bool = True) -> tuple[float, float]:
    """Two numbers.

    >>> pair("within", 3)
    Traceback (most recent call last):
    stickslip.errors.ModelError: within is 3: give two numbers, (from, to)
    """
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str | bytes) or len(values) != 2:
        raise ModelError(f"{what} is {shown(values)}: give two numbers, (from, to)")
    first, second = (check_number(f"{what}[{i}]", value, finite=finite) for i, value in enumerate(values))
    return first, second


def numbers(what: str, values: Any) -> Floats:
    """One number or a row of finite numbers as an array."""
    found = np.atleast_1d(floats(what, values))
    if found.ndim != 1:
        raise ModelError(f"{what} have the shape {found.shape}: they must be a list of numbers")
    if not np.all(np.isfinite(found)):
        raise ModelError(f"one of {what} is {found[~np.isfinite(found)][0]}: values must be finite")
    return found


def vector(what: str, values: Any, count: int, of: str) -> Floats:
    """So many finite numbers as an array.

    >>> vector("the state", [1.0], 2, "states")
    Traceback (most recent call last):
    stickslip.errors.ModelError: the state has the shape (1,): give 2 numbers, as many as there are states
    """
    found = floats(f"the numbers of {what}", values)
    if found.shape != (count,):
        raise ModelError(f"{what} has the shape {found.shape}: give {count} numbers, as many as there are {of}")
    return numbers(f"the numbers of {what}", found)


def rows(what: str, values: Any, width: int) -> Floats:
    """Rows of numbers of that width as compiled code takes them, side by side; what is not finite may be among them."""
    found = np.ascontiguousarray(floats(what, values))
    if found.ndim != 2 or found.shape[1] != width:
        raise ModelError(f"{what} have the shape {found.shape}: give rows of {width} numbers, one per trajectory")
    return found


def floats(what: str, values: Any) -> Floats:
    """An array of any shape; a sentence for texts, truth values, complex numbers, times and gaps."""
    try:
        given = np.asarray(values)
    except (TypeError, ValueError):  # rows of different lengths
        raise _no_numbers(what, values) from None
    if np.ma.isMaskedArray(values):
        raise _no_numbers(what, values)
    if given.size == 0:
        return np.zeros(given.shape)
    if given.dtype.kind == "O":
        try:
            found = [check_number(what, value, finite=False) for value in given.flat]
        except ModelError:
            raise _no_numbers(what, values) from None
        return np.array(found, float).reshape(given.shape)
    if given.dtype.kind not in "iuf":
        raise _no_numbers(what, values)
    return given.astype(np.float64, copy=False)


def _no_numbers(what: str, values: Any) -> ModelError:
    """The sentence; it takes as long as a short run to write, so it is made only where it is needed."""
    return ModelError(f"{what} are {shown(values)}: they must be numbers")
