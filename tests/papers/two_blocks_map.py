"""Two blocks on a belt as a map of one number, by scipy alone: it shares no code with the library, which it judges.

While both blocks stick, their distance d = X₂ − X₁ stays as it is, and it decides where the next of them is released.
So a motion that comes to stick altogether is a map d → d′; an orbit is a cycle of it, with ∂d⁽ⁿ⁾/∂d = −1 at a flip and
+1 at a fold. vandevrande1999 Eqs. (7) to (9) and (12).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import root

Floats = NDArray[np.float64]
ALPHA, GAMMA = 1.2, 3.0
STATIC = (1.0, 1.3)
RTOL = 1e-13
LONGEST = 100.0
STEP = 2e-4
"""The distance over which the slope of the map is taken."""


def springs(z: Floats) -> tuple[float, float]:
    """The forces that friction has to hold, z = (X₁, X₁′, X₂, X₂′)."""
    pull = ALPHA * (z[0] - z[2])
    return z[0] + pull, z[2] - pull


def rates(z: Floats, modes: tuple[int, int], speed: float) -> Floats:
    """Eq. (7); mode 0 sticks, ±1 is the direction of slip."""
    out = np.empty(4)
    for i, (mode, spring) in enumerate(zip(modes, springs(z), strict=True)):
        v = z[2 * i + 1]
        friction = -mode * STATIC[i] / (1 + GAMMA * mode * (v - speed))
        out[2 * i], out[2 * i + 1] = (v, friction - spring) if mode else (speed, 0.0)
    return out


def guard(z: Floats, mode: int, i: int, speed: float) -> float:
    """Negative until block i changes its mode: it comes to rest on the belt, or is pulled off it."""
    return -mode * (z[2 * i + 1] - speed) if mode else abs(springs(z)[i]) - STATIC[i]


def phase(z: Floats, modes: tuple[int, int], speed: float) -> tuple[Floats, int]:
    """The end of a phase, and which block ends it."""
    events = []
    for i in range(2):

        def event(t: float, z: Floats, i: int = i) -> float:
            return guard(z, modes[i], i, speed)

        event.terminal, event.direction = True, 1.0  # type: ignore[attr-defined]
        events.append(event)
    found = solve_ivp(
        lambda t, z: rates(z, modes, speed), (0, LONGEST), z, "DOP853", events=events, rtol=RTOL, atol=1e-15
    )
    which = next(i for i in range(2) if len(found.t_events[i]))
    z = np.array(found.y_events[which][0])
    # Dense output has lost a few digits: step along the motion to where the guard is zero.
    f, mode, tiny = rates(z, modes, speed), modes[which], 1e-6
    ahead, behind = (guard(z + step * f, mode, which, speed) for step in (tiny, -tiny))
    return z - f * guard(z, mode, which, speed) * 2 * tiny / (ahead - behind), which


def following(z: Floats, modes: tuple[int, int], which: int) -> tuple[int, int]:
    """The modes after a block has come to rest, or has been pulled off the belt."""
    held = springs(z)[which]
    sticks = modes[which] != 0 and abs(held) <= STATIC[which]
    changed = 0 if sticks else int(-math.copysign(1, held))
    return (changed, modes[1]) if which == 0 else (modes[0], changed)


def next_distance(d: float, speed: float) -> float:
    """The distance of the blocks where both stick again, from one at which both stick."""
    first, second = STATIC[0] + ALPHA * d, STATIC[1] - (1 + ALPHA) * d
    x, which = min((first, 0), (second, 1))
    z = np.array([x, speed, x + d, speed])
    modes = (-1, 0) if which == 0 else (0, -1)
    while modes != (0, 0):
        z, which = phase(z, modes, speed)
        modes = following(z, modes, which)
        z[2 * which + 1] = speed if modes[which] == 0 else z[2 * which + 1]
    return float(z[2] - z[0])


def repeated(d: float, speed: float, times: int) -> float:
    """The map gone through several times."""
    for _ in range(times):
        d = next_distance(d, speed)
    return d


def slope(d: float, speed: float, times: int) -> float:
    """∂d⁽ⁿ⁾/∂d along a cycle, factor by factor, each by differences of the sixth order."""
    product = 1.0
    for _ in range(times):
        at = {k: next_distance(d + k * STEP, speed) for k in (-3, -2, -1, 1, 2, 3)}
        product *= (45 * (at[1] - at[-1]) - 9 * (at[2] - at[-2]) + at[3] - at[-3]) / (60 * STEP)
        d = next_distance(d, speed)
    return product


def bifurcation(d: float, speed: float, times: int, multiplier: float) -> tuple[float, float]:
    """Distance and belt speed of a cycle with this multiplier, near a guess."""

    def conditions(u: Floats) -> list[float]:
        return [repeated(u[0], u[1], times) - u[0], 0.1 * (slope(u[0], u[1], times) - multiplier)]

    found = root(conditions, [d, speed], options={"eps": 1e-14, "xtol": 1e-13})
    return float(found.x[0]), float(found.x[1])
