"""What stands in the files of orbits, equilibria and branches: plain numbers and words, checked as they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.arrays import Complexes
from stickslip.errors import ResultError
from stickslip.model.errors import check_number
from stickslip.model.system import Model


def pairs_of(values: Complexes) -> list[list[float]]:
    """Complex numbers as pairs of numbers."""
    return [[value.real, value.imag] for value in values]


def complexes(pairs: Any) -> Complexes:
    """Complex numbers from pairs of numbers."""
    return np.array([complex(real, imaginary) for real, imaginary in pairs], complex)


def with_parameters(model: Model, record: dict[str, Any]) -> Model:
    """The model with the parameters of a record."""
    changed = {k: float(v) for k, v in record["parameters"].items() if model.parameters[k] != v}
    return model.with_(changed) if changed else model


def mode_of(value: Any) -> int:
    """A mode; nothing else is one."""
    if value not in (-1, 0, 1):
        raise ResultError(f"a mode is {value!r}: it must be -1, 0 or 1")
    return int(value)


def decision(value: Any) -> bool | None:
    """True, False, or not decided."""
    if not (value is None or isinstance(value, bool)):
        raise ResultError(f"{value!r} must be true, false or null")
    return value


def interval_of(name: str, ends: Any) -> tuple[float, float]:
    """The ends of an interval, which may be infinite."""
    low, high = (check_number(f"interval of {name}", end, finite=False) for end in ends)
    return low, high
