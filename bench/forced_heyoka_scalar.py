"""Forced oscillator with heyoka.py but without batch mode: one η after another."""

import functools
from math import cos, pi, sin

import forced_cases
import forced_heyoka
import heyoka as hy
import numpy as np
from forced_heyoka import HEAD_START, MAX_STEPS, prepare
from forced_stick import LIMIT

__all__ = ["diagram", "prepare"]
_TIME_ENDS = hy.taylor_outcome.time_limit


@functools.cache
def _integrator(case, tol):
    event = hy.t_event(**forced_heyoka._SLIP_ENDS)
    return hy.taylor_adaptive(
        forced_heyoka.slip_of(case), [1.0] * 4, pars=[1.0] * 2, tol=tol, t_events=[event], fast_math=True
    )


def diagram(etas, periods, tol):
    """Return the stick→slip points (t, x) after the transient, one array per η."""
    return [np.array(_releases(float(eta), periods, tol)).reshape(-1, 2) for eta in etas]


def _releases(eta, periods, tol):
    transient, end = 2.0 * pi / eta * periods[0], 2.0 * pi / eta * (periods[0] + periods[1])
    case = forced_cases.chosen
    integrator, (stick_ends, slip_begun) = _integrator(case, tol), forced_heyoka._compiled(case)
    state, pars = memoryview(integrator.state), memoryview(integrator.pars)
    pars[1] = eta * eta
    integrator.reset_cooldowns()
    t, x, found = 0.0, 0.0, []
    while True:
        u = case.u0 * cos(eta * t)
        if abs(x - u) <= LIMIT:
            t, s = stick_ends(x, t, eta, end)
            if t >= end:
                return found
            x = case.u0 * cos(eta * t) - s * LIMIT
            if t > transient:
                found.append((t, x))
            moved, state[1], state[2], state[3] = slip_begun(eta, t)
            t, x = t + HEAD_START, x + moved
        else:
            s = -1.0 if x > u else 1.0
            state[1], state[2], state[3] = 0.0, u, -case.u0 * eta * sin(eta * t)
        state[0] = x
        pars[0], integrator.time = s, t
        outcome = integrator.propagate_until(end, max_steps=MAX_STEPS)[0]
        if outcome == _TIME_ENDS:
            return found
        if outcome == hy.taylor_outcome.step_limit:
            raise RuntimeError("a step passed the end of slip, into the pole of the law")
        t, x = integrator.time, state[0]
