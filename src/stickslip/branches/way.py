"""Along which parameter a branch is to go, and how far: what the user gave, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.errors import OrbitError
from stickslip.model.errors import check_number, shown
from stickslip.model.system import Model

Progress = Callable[[float, int], None]
"""Told the value of the parameter and the number of points."""


@dataclass(frozen=True)
class Way:
    """Along which parameter a branch is to go: to the first of its `bounds`, and not beyond the other one.

    Both are where it is to go if it is wanted `between` them. Steps are no longer than `longest`, points no more than
    `most`.
    """

    parameter: str
    bounds: tuple[float, float]
    longest: float
    most: int
    progress: Progress
    between: bool = False


def ways(model: Model, parameter: str, to: Any, what: str, longest: float, most: int, progress: Progress) -> list[Way]:
    """The way to a value, or both ways where two are given. `what` is followed: the word that sentences have for it."""
    pairs = _bounds(model, parameter, to, what)
    return [Way(parameter, pair, longest, most, progress, len(pairs) == 2) for pair in pairs]


def _bounds(model: Model, name: str, to: Any, what: str) -> list[tuple[float, float]]:
    """Where to go, and where not to go on the other side; for both directions where two values are given."""
    present = float(model.parameters[name])
    if not isinstance(to, tuple | list | np.ndarray):
        end = check_number("follow: to", to)
        if end == present:
            raise OrbitError(f"{name} is {end:g} already: give another value to follow the {what} to")
        # A branch that turns back may go as far beyond its begin as it was to go on the other side.
        return [(end, 2 * present - end)]
    if len(to) != 2:
        raise OrbitError(
            f"follow: to is {shown(to)}: give one value, or two between which the {what} is followed in both directions"
        )
    low, high = sorted(check_number("follow: to", value) for value in to)
    if present in (low, high):
        other = high if present == low else low
        raise OrbitError(f"{name} is {present:g} already: give the other end alone, to={other:g}")
    if not low < present < high:
        raise OrbitError(f"{name} is {present:g}, which is not between {low:g} and {high:g}")
    return [(low, high), (high, low)]
