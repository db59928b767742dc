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
from tests.referee.equations import Equations

Floats = NDArray[np.float64]


def solver(
    equations: Equations, begin: float, state: Sequence[float], modes: Sequence[int], end: float, rtol: float
) -> DOP853:
    """A solver for one phase, at its beginning."""
    n, contacts = equations.states, len(equations.contacts)

    def rates(elapsed: float, y: Floats) -> list[float]:
        z = y.tolist()
        try:
            point = equations.at(float(elapsed), z[:n], modes)
        except ArithmeticError:  # a step that is far too long; it will be tried again shorter
            return [math.nan] * len(z)
        return [*point.rates, *point.sliding, *point.friction, *point.normal]

    time = equations.time_scale
    impulses = [force * time for force in equations.friction_scales]
    scale = [*equations.state_scales, *[equations.length_scale] * contacts, *impulses, *impulses]
    start = np.array([*state, *[0.0] * (3 * contacts)])
    most = min(equations.longest_step, end - begin)
    first = min(1e-3 * time, end - begin)
    return DOP853(rates, begin, start, end, max_step=most, rtol=rtol, atol=rtol * np.array(scale), first_step=first)


def advanced(
    equations: Equations, elapsed: float, state: Sequence[float], modes: Sequence[int], moment: float
) -> list[float]:
    """The state a short moment later: one step."""

    def rates(t: float, y: Floats) -> list[float]:
        return equations.at(float(t), y.tolist(), modes).rates

    end = elapsed + moment
    if not end > elapsed:
        return list(state)
    atol = 1e-11 * np.array(equations.state_scales)
    one = DOP853(rates, elapsed, np.array(state, float), end, rtol=1e-11, atol=atol, first_step=end - elapsed)
    while one.status == "running":
        one.step()
    return one.y.tolist()
