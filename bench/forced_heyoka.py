"""Forced oscillator with heyoka.py in batch mode; `forced_scipy` has the model written out.

Choices:
- The excitation is two more states, u' = w and w' = −η² u, set anew at every release, so that no error piles up: a
  cosine of the time would take a convolution per order.
- The lanes' clocks count slip time only: heyoka does not allow events to change them. `ahead` is the stick time.
- A lane that finishes takes the next η at once, in the event's callback. A second event for the end of the run would
  cost every step; so the few motions that do not stick are looked at a few times per run, and end a little late.
- The end of stick is compiled by numba where it is there. In plain Python the whole takes 2.4 times as long.
- `fast_math=True`, no `compact_mode` (1.15 times as long), lanes as wide as the SIMD registers: half, twice and four
  times that took 1.2, 1.07 and 1.3 times as long.
"""

import functools
from math import cos, pi, sin

import forced_cases
import forced_stick
import heyoka as hy
import numpy as np
from forced_stick import LIMIT, V0

LOOKS = 20  # per run, whether a motion that does not stick has ended
MAX_STEPS = 100_000  # between two looks, of which there are a few thousand
HEAD_START = 1e-4  # of every slip phase: see `slip_begun`

_x, _v, _u, _w = hy.make_vars("x", "v", "u", "w")
_s, _eta2 = hy.par[0], hy.par[1]
_SLIP_ENDS = {"ex": _s * _v, "direction": hy.event_direction.negative}


def slip_of(case):
    """The equations in slip."""
    return [(_x, _v + V0), (_v, _u - _x - case.symbolic(hy, _s, _v)), (_u, _w), (_w, -_eta2 * _u)]


@functools.cache
def _compiled(case):
    """Return `stick_ends` and `slip_begun`, compiled where there is numba."""
    try:
        from numba import njit
    except ImportError:
        njit = lambda function: function  # noqa: E731
    return forced_stick.compiled(njit, case.u0), njit(begun(case.u0, case.slope))


def begun(u0, slope):
    """Return `slip_begun` for an amplitude of the excitation and a slope by which friction falls at rest."""

    def slip_begun(eta, t):
        """Return how far x has moved, and (v, u, w), a little after the release at t: v by its series, to 1e-15.

        At the release itself v has a double zero, which heyoka's search for roots does not always tell from the end of
        a short slip: it then passed the end, into the pole of the law. The second derivative of v is u' − v₀, the third
        is u'' plus the slope of friction at rest times the second.
        """
        tau = HEAD_START
        u, w = u0 * cos(eta * t), -u0 * eta * sin(eta * t)
        second = w - V0
        third = -eta * eta * u + slope * second
        v = tau * tau * (second / 2.0 + tau * third / 6.0)
        return V0 * tau + tau**3 * second / 6.0, v, u0 * cos(eta * (t + tau)), -u0 * eta * sin(eta * (t + tau))

    return slip_begun


def prepare():
    """Compile both ends of stick; integrators are compiled at the first use of their tolerance."""
    stick_ends, slip_begun = _compiled(forced_cases.chosen)
    slip_begun(1.0, stick_ends(0.0, 0.0, 1.0, 10.0)[0])


def diagram(etas, periods, tol):
    """Return the stick→slip points (t, x) after the transient, one array per η."""
    return _lanes(forced_cases.chosen, tol).run(np.asarray(etas, float).tolist(), periods)


@functools.cache
def _lanes(case, tol):
    return Lanes(case, tol)


class Lanes:
    """A batch integrator whose lanes are refilled from a queue of η."""

    def __init__(self, case, tol, width=None, **options):
        width = width or hy.recommended_simd_size()
        event = hy.t_event_batch(**_SLIP_ENDS, callback=lambda _, sign, lane: self._slip_ended(lane))
        ones = np.ones(width)
        self.integrator = hy.taylor_adaptive_batch(
            slip_of(case), [ones] * 4, pars=[ones] * 2, tol=tol, t_events=[event], **({"fast_math": True} | options)
        )
        self.x, self.v, self.u, self.w = map(memoryview, self.integrator.state)
        self.s, self.eta2 = map(memoryview, self.integrator.pars)
        self.clock = memoryview(self.integrator.time)
        self.stick_ends, self.slip_begun = _compiled(case)
        self.width, self.u0 = width, case.u0

    def run(self, etas, periods):
        self.etas, self.periods = etas, periods
        self.found = [[] for _ in etas]
        self.taken, self.missing = 0, len(etas)
        self.job = [0] * self.width
        self.eta, self.ahead, self.transient, self.end = ([0.0] * self.width for _ in range(4))
        self.integrator.set_time(0.0)
        self.integrator.reset_cooldowns()
        for lane in range(self.width):
            self._refill(lane)
        while self.missing:
            self.integrator.propagate_for([end / LOOKS for end in self.end], max_steps=MAX_STEPS)
            if any(result[0] == hy.taylor_outcome.step_limit for result in self.integrator.propagate_res):
                raise RuntimeError("a step passed the end of slip, into the pole of the law")
            for lane in range(self.width):
                if self.clock[lane] + self.ahead[lane] >= self.end[lane]:
                    self._finish(lane)
        return [np.array(rows).reshape(-1, 2) for rows in self.found]

    def _refill(self, lane):
        """Start the next η from x = 0 in stick; when none is left, the last once more, which nobody reads."""
        self.job[lane] = self.taken
        eta = self.eta[lane] = self.etas[min(self.taken, len(self.etas) - 1)]
        self.taken += 1
        self.eta2[lane] = eta * eta
        self.transient[lane] = 2.0 * pi / eta * self.periods[0]
        self.end[lane] = 2.0 * pi / eta * (self.periods[0] + self.periods[1])
        if self.missing:
            self._stick(lane, 0.0, 0.0)

    def _slip_ended(self, lane):
        """Stick, cross or finish; return whether the batch goes on."""
        t, x = self.clock[lane] + self.ahead[lane], self.x[lane]
        if t >= self.end[lane]:
            self._finish(lane)
        elif abs(x - self.u[lane]) <= LIMIT:
            self._stick(lane, t, x)
        else:
            self.v[lane], self.s[lane] = 0.0, -self.s[lane]
        return self.missing > 0

    def _stick(self, lane, t, x):
        eta, end = self.eta[lane], self.end[lane]
        t, s = self.stick_ends(x, t, eta, end)
        if t >= end:
            self._finish(lane)
            return
        x = self.u0 * cos(eta * t) - s * LIMIT
        moved, self.v[lane], self.u[lane], self.w[lane] = self.slip_begun(eta, t)
        self.x[lane], self.s[lane], self.ahead[lane] = x + moved, s, t + HEAD_START - self.clock[lane]
        if t > self.transient[lane] and self.job[lane] < len(self.etas):
            self.found[self.job[lane]].append((t, x))

    def _finish(self, lane):
        if self.job[lane] < len(self.etas):
            self.missing -= 1
        self._refill(lane)
