"""What a user gives to sweeps, basins, exponents and maps, checked: what is wrong is said in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.model.errors import ModelError, shown
from stickslip.model.system import Model

LARGEST = 2**62
"""Whole numbers beyond this do not fit into compiled code."""


def check_model(model: Any) -> None:
    """Refuse what is no model.

    >>> check_model(3)
    Traceback (most recent call last):
    stickslip.model.errors.ModelError: 3 is not a model: build a System or a Filippov, or take one of models
    """
    if isinstance(model, Model):
        return
    name = getattr(model, "__name__", "")
    if callable(model) and name:
        raise ModelError(f"{name} is a function that makes a model: call it, {name}()")
    raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov, or take one of models")


def whole(what: str, value: Any, least: int = 1, most: int = LARGEST, why: str = "") -> int:
    """A whole number in a range, or a sentence.

    >>> whole("most", 2.5)
    Traceback (most recent call last):
    stickslip.model.errors.ModelError: most is 2.5: it must be a whole number, 1 or more
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        allowed = f"{least} or more" if most >= LARGEST and not value_beyond(value, most) else f"from {least} to {most}"
        raise ModelError(f"{what} is {shown(value)}: it must be a whole number, {allowed}{why}")
    return int(value)


def value_beyond(value: Any, most: int) -> bool:
    """Whether a value is a whole number that is too large."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value > most)


def check_progress(progress: Any) -> None:
    """Refuse a progress that cannot be called."""
    if progress is not None and not callable(progress):
        raise ModelError(f"progress is {shown(progress)}: it must be a function, which is called now and then")


def check_flag(what: str, value: Any) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} is {shown(value)}: it must be True or False")


def numbers(what: str, values: Any) -> np.ndarray:
    """One number or a row of finite numbers as an array."""
    if isinstance(values, str | bytes | bool):
        raise _not_numbers(what, values)
    try:
        given = np.asarray(values)
        found = np.atleast_1d(given if given.dtype == np.float64 else np.asarray(values, float))
    except (TypeError, ValueError, OverflowError):
        raise _not_numbers(what, values) from None
    if given.dtype.kind in "bUS":
        raise _not_numbers(what, values)
    if found.ndim != 1:
        raise ModelError(f"{what} have the shape {found.shape}: they must be a list of numbers")
    if not np.all(np.isfinite(found)):
        raise ModelError(f"one of {what} is {found[~np.isfinite(found)][0]}: values must be finite")
    return found


def _not_numbers(what: str, values: Any) -> ModelError:
    return ModelError(f"{what} are {shown(values)}: they must be numbers")
