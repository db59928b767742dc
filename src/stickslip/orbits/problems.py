"""The equations that an orbit solves, whatever its method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stickslip.arrays import Floats
from stickslip.methods.exact import Exact
from stickslip.orbits import exact
from stickslip.orbits.orbit import Orbit


def problem_of(orbit: Orbit, free: Sequence[int] = ()) -> tuple[Any, Floats]:
    """The equations with the parameters `free` among the unknowns, and the orbit as a solution."""
    if isinstance(orbit.method, Exact):
        return exact.problem_of(orbit, free)
    from stickslip.orbits import shooting

    return shooting.problem_of(orbit, free)
