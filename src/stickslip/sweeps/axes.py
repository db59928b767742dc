"""The points of a sweep: a grid of parameter values, or a list of points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.arguments import numbers
from stickslip.arrays import Floats, Ints
from stickslip.errors import ModelError, SweepError
from stickslip.model.errors import shown, suggest
from stickslip.model.system import Model

START = "start."
"""Before the name of a state: the sweep is over where motions start."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Names that are swept and their values: along one axis each (a grid), or all along one (a list of points).

    >>> Axes(("belt.speed", "contact.normal"), (np.array([0.1, 0.2]), np.array([1.0, 2.0, 3.0])), True).shape
    (2, 3)
    """

    names: tuple[str, ...]
    values: tuple[Floats, ...]
    grid: bool

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axes):
            return NotImplemented
        same = (self.names, self.grid, len(self.values)) == (other.names, other.grid, len(other.values))
        return same and all(map(np.array_equal, self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.names, self.grid, self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Points along every axis."""
        return tuple(len(v) for v in self.values) if self.grid else (len(self.values[0]),)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the axes."""
        return self.names if self.grid else ("point",)

    @property
    def count(self) -> int:
        """Points in all."""
        return math.prod(self.shape)

    def at(self, numbers: Ints) -> Floats:
        """Values at the points with these numbers: one row each."""
        places = np.unravel_index(numbers, self.shape) if self.grid else [numbers] * len(self.names)
        return np.stack([v[i] for v, i in zip(self.values, places, strict=True)], axis=1)

    def rising(self) -> Ints:
        """The order of the first axis in which its values rise; a list of points stays as it is."""
        if not self.grid:
            return np.arange(self.shape[0])
        return np.argsort(self.values[0], kind="stable")


def axes_from(over: Any, model: Model, together: bool) -> Axes:
    """The axes that `over` describes: values by name, or a list of points by name."""
    if hasattr(over, "keys"):
        given = list(over.keys())
        values = tuple(_numbers(name, over[name]) for name in given)
        axes = Axes(tuple(str(name) for name in given), values, grid=not together)
    elif isinstance(over, Sequence) and not isinstance(over, str):
        axes = _listed(over)
    else:
        raise SweepError(f"over is {shown(over)}: give values by parameter, or a list of points")
    _check(axes, model)
    return axes


def _listed(points: Sequence[Any]) -> Axes:
    if not all(isinstance(point, Mapping) for point in points):
        raise SweepError(
            "over is a list: each of its points must give values by parameter, [{'belt.speed': 0.1}, …]; values of one "
            "parameter are {'belt.speed': [0.1, …]}"
        )
    if not points:
        raise SweepError("over is empty: a sweep needs at least one point")
    names = tuple(points[0])
    for i, point in enumerate(points):
        if set(point) != set(names):
            raise SweepError(f"over[{i}] gives {', '.join(point) or 'nothing'}, but the first gives {', '.join(names)}")
    values = tuple(_numbers(name, [point[name] for point in points]) for name in names)
    return Axes(names, values, grid=False)


def _numbers(name: Any, values: Any) -> Floats:
    """The values of a name, as an array that nobody else changes."""
    try:
        found = numbers(f"the values of {name!r}", values)
    except ModelError as error:
        raise SweepError(str(error)) from None
    if len(found) == 0:
        raise SweepError(f"there are no values of {name!r}: a sweep needs at least one of each")
    own = np.array(found)
    own.flags.writeable = False
    return own


def _repeats(values: Floats) -> bool:
    """Whether a value appears twice; most axes rise or fall, which is quickly seen.

    >>> _repeats(np.array([1.0, 2.0, 3.0])), _repeats(np.array([1.0, 2.0, 1.0]))
    (False, True)
    """
    before, after = values[:-1], values[1:]
    if np.all(before < after) or np.all(before > after):
        return False
    return len(np.unique(values)) < len(values)


def _check(axes: Axes, model: Model) -> None:
    if not axes.names:
        raise SweepError("over is empty: name at least one parameter")
    known = (*model.parameters, *model.aliases, *(f"{START}{state}" for state in model.states))
    for name in axes.names:
        if name in model.states and name not in known:
            raise SweepError(f"{name!r} is a state: to sweep where it starts, say {START + name!r}")
        if name in model.derived:
            model.resolve(name)  # which says what it follows from
        if name not in known:
            raise SweepError(f"there is no parameter {name!r}{suggest(name, known)}")
    resolved = [model.aliases.get(name, name) for name in axes.names]
    if len(set(resolved)) < len(resolved):
        raise SweepError(f"{' and '.join(axes.names)} name the same parameter")
    if axes.grid:
        for name, values in zip(axes.names, axes.values, strict=True):
            if _repeats(values):
                raise SweepError(f"a value of {name!r} appears twice on the grid")
    elif len({len(values) for values in axes.values}) > 1:
        lengths = ", ".join(f"{len(v)} of {n}" for n, v in zip(axes.names, axes.values, strict=True))
        raise SweepError(f"points need as many values of every parameter, but there are {lengths}")
