"""The five blocks with DOP853 of scipy, an event for the end of every phase."""

import blocks
import numpy as np
from scipy.integrate import solve_ivp

MOST_PHASES = 500
HEAD_START = 1e-3
"""Time after a release in which no slip ends: its velocity, a double zero at first, is as small as the tolerance."""


def prepare():
    """Nothing is compiled."""


def ends(speeds, t_end, tol):
    """Places and velocities of all blocks at the end, one row per belt speed."""
    return np.array([end(float(V), t_end, tol) for V in speeds])


def forces(x):
    """Of the springs, on every block."""
    between = blocks.COUPLING * np.diff(x)
    return -x + np.append(between, 0.0) - np.append(0.0, between)


def rate(_, z, V, sign):
    """The equations; the sign is zero in stick."""
    x, v = np.split(z, 2)
    return np.append(v + V, np.where(sign == 0, 0.0, forces(x) - sign / (1.0 + blocks.DELTA * sign * v)))


def guard(i, sign, released):
    """What is positive until a contact changes its mode."""

    def value(t, z, *_):
        x, v = np.split(z, 2)
        if not sign[i]:
            return 1.0 - forces(x)[i] ** 2
        return sign[i] * v[i] if t > released[i] + HEAD_START else 1.0

    value.terminal, value.direction = True, -1
    return value


def end(V, t_end, tol):
    n = blocks.BLOCKS
    z, sign, t = np.append(blocks.start(), np.full(n, -V)), -np.ones(n), 0.0  # the sign is zero in stick
    released = np.full(n, -HEAD_START)
    for _ in range(MOST_PHASES):
        if t >= t_end:
            return np.append(z[:n], z[n:] + V)
        guards = [guard(i, sign, released) for i in range(n)]
        found = solve_ivp(rate, (t, t_end), z, "DOP853", args=(V, sign), rtol=max(tol, 3e-14), atol=tol, events=guards)
        t, z = float(found.t[-1]), found.y[:, -1]
        for i in (i for i in range(n) if len(found.t_events[i])):
            force = forces(z[:n])[i]
            holds = sign[i] != 0 and abs(force) <= 1.0
            sign[i], released[i], z[n + i] = 0.0 if holds else np.sign(force), t, 0.0
    raise RuntimeError("a motion does not come to its end")
