"""The ranges of random starts: as they are given, else those of the model's own motion, made larger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stickslip.arguments import pair
from stickslip.arrays import Floats
from stickslip.errors import StickslipError
from stickslip.model.errors import shown, suggest
from stickslip.model.system import Model


def starting_ranges(
    model: Model,
    within: Mapping[str, Any],
    extremes: Callable[[], tuple[Floats, Floats]],
    error: type[StickslipError],
) -> list[tuple[float, float]]:
    """The range of each state: as given in `within`, else twice that of the motion from the model's own start, of which
    `extremes` finds the least and the largest states.

    >>> from stickslip.model.library import block_on_belt
    >>> found = np.array([-1.0, -2.0]), np.array([1.0, 0.0])
    >>> starting_ranges(block_on_belt(), {"v.block": (0, 1)}, lambda: found, StickslipError)
    [(-2.0, 2.0), (0.0, 1.0)]
    """
    given = {}
    for name, bounds in within.items():
        if name not in model.states:
            raise error(f"within: there is no state {shown(name)}{suggest(name, model.states)}")
        given[name] = pair(f"within: {name}", bounds)
        if given[name][0] > given[name][1]:
            raise error(f"within: the range of {name!r} is {shown(bounds)}: give (lowest, highest)")
    if set(given) == set(model.states):
        return [given[name] for name in model.states]
    low, high = extremes()
    half = np.maximum(high - low, 1e-3 * np.maximum(np.abs(high), np.abs(low)))
    middle = 0.5 * (low + high)
    own = zip(map(float, middle - half), map(float, middle + half), strict=True)
    return [given.get(name, bounds) for name, bounds in zip(model.states, own, strict=True)]
