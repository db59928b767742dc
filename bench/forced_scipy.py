"""Forced oscillator with scipy: solve_ivp, terminal events and restarts.

    x'' + x = u + λ,   u = u₀ cos ηt,   v = x' − v₀
    slip:   λ = −sgn(v) 10 μ(|v|),   for characteristic III μ(v) = 0.3 / (1 + 1.42 v) + 0.1 + 0.01 v²
    stick:  v = 0 and λ = x − u while |x − u| ≤ 4

Choices: as in `peer_scipy`. The state is (x, v), stick is jumped, the right-hand side works on Python floats.
"""

from math import cos, pi

import forced_cases
import forced_stick
import numpy as np
from forced_stick import LIMIT, V0
from scipy.integrate import solve_ivp

METHOD = "DOP853"


def prepare():
    """Nothing to compile; one short run loads what scipy loads lazily."""
    diagram([1.0], (2, 2), 1e-6)


def diagram(etas, periods, tol):
    """Return the stick→slip points (t, x) after the transient, one array per η."""
    return [np.array(_releases(float(eta), periods, tol)).reshape(-1, 2) for eta in etas]


def _releases(eta, periods, tol):
    transient, end = 2.0 * pi / eta * periods[0], 2.0 * pi / eta * (periods[0] + periods[1])
    u0, friction = forced_cases.chosen.u0, forced_cases.chosen.friction
    stick_ends = forced_stick.compiled(lambda function: function, u0)

    def slip(t, y, s):
        x, v = y.tolist()
        return v + V0, u0 * cos(eta * t) - x - s * friction(s * v)

    t, x, found = 0.0, 0.0, []
    while t < end:
        force = x - u0 * cos(eta * t)
        if abs(force) <= LIMIT:
            release, s = stick_ends(x, t, eta, end)
            if release >= end:
                break
            t, x = release, x + V0 * (release - t)
            if t > transient:
                found.append((t, x))
        else:
            s = -1.0 if force > 0.0 else 1.0
        run = solve_ivp(slip, (t, end), (x, 0.0), METHOD, events=_slip_ends, args=(s,), rtol=tol, atol=1e-3 * tol)
        if run.status < 0:
            raise RuntimeError(run.message)
        t, x = float(run.t[-1]), float(run.y[0, -1])
    return found


def _slip_ends(t, y, s):
    """|v|, falling through zero; it rises from zero where slip begins, which does not count."""
    return s * y[1]


_slip_ends.terminal = True
_slip_ends.direction = -1
