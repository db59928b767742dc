"""Smooth pieces of a motion: DOP853 on the states, and on what the guards depend on.

A belt that moves in time is seen by no state while friction does not depend on speed. So the sliding velocities, the
friction forces and the loads are integrated along with the states: then the solver's steps resolve them as well, and
samples of a step miss nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853
from tests.referee.equations import Mechanics

Floats = NDArray[np.float64]


def solver(
    equations: Mechanics, begin: float, state: Sequence[float], modes: Sequence[int], end: float, rtol: float
) -> DOP853:
    """A solver for one phase, at its beginning."""
    n, contacts = equations.n, len(equations.contacts)

    def rates(elapsed: float, y: Floats) -> list[float]:
        z = y.tolist()
        try:
            point = equations.at(float(elapsed), z[: 2 * n], modes)
        except ArithmeticError:  # a step that is far too long; it will be tried again shorter
            return [math.nan] * len(z)
        return [*z[n : 2 * n], *point.acceleration, *point.sliding, *point.friction, *point.normal]

    length, time = equations.length_scale, equations.time_scale
    force = [max(s, 1e-300) for s in _force_scale(equations, begin, state, modes)]
    scale = [length] * n + [length / time] * n + [length] * contacts + [f * time for f in force] * 2
    start = np.array([*state, *[0.0] * (3 * contacts)])
    most = min(0.5 * time, end - begin)
    first = min(1e-3 * time, end - begin)
    return DOP853(rates, begin, start, end, max_step=most, rtol=rtol, atol=rtol * np.array(scale), first_step=first)


def _force_scale(equations: Mechanics, begin: float, state: Sequence[float], modes: Sequence[int]) -> list[float]:
    """How large forces of each contact typically are: what accelerates its masses."""
    typical = equations.length_scale / equations.time_scale**2
    return [typical * max(equations.mass[j] / abs(w) for j, w in c.weights) for c in equations.contacts]


def advanced(
    equations: Mechanics, elapsed: float, state: Sequence[float], modes: Sequence[int], moment: float
) -> list[float]:
    """The state a short moment later: one step."""
    n = equations.n

    def rates(t: float, y: Floats) -> list[float]:
        z = y.tolist()
        return [*z[n : 2 * n], *equations.at(float(t), z[: 2 * n], modes).acceleration]

    end = elapsed + moment
    if not end > elapsed:
        return list(state)
    length, time = equations.length_scale, equations.time_scale
    atol = 1e-11 * np.array([length] * n + [length / time] * n)
    one = DOP853(rates, elapsed, np.array(state, float), end, rtol=1e-11, atol=atol, first_step=end - elapsed)
    while one.status == "running":
        one.step()
    return one.y.tolist()
