"""The five blocks with heyoka.py in batch mode.

Choices:
- Velocities are relative to the belt, so that v = 0 is a state that stays zero in stick, to the last bit.
- A contact has two parameters: whether it slips, and the sign of its slip; in stick its acceleration is multiplied by
  zero. Both of its events, the end of slip and the end of stick, are written with these, so that the one that does not
  count is a constant. The end of stick is one event for both directions, 1 − f².
- At a release v has a double zero, which a search for roots may take for the end of slip: it begins at 1e-14.
- Forces are continuous as neighbours stick or slip, so contacts change one by one.
- `fast_math=True`, no `compact_mode`, lanes as wide as the SIMD registers; neighbouring speeds travel together.
"""

import functools

import blocks
import heyoka as hy
import numpy as np

MAX_STEPS = 100_000
RELEASED = 1e-14  # of the speed with which slip begins


def prepare():
    """Integrators are compiled at the first use of their tolerance."""


def ends(speeds, t_end, tol):
    """Places and velocities of all blocks at the end, one row per belt speed."""
    return _lanes(tol).run(np.asarray(speeds, float), t_end)


@functools.cache
def _lanes(tol):
    return Lanes(tol)


class Lanes:
    """A batch integrator, and what its events do."""

    def __init__(self, tol):
        n = self.n = blocks.BLOCKS
        self.width = hy.recommended_simd_size()
        x = hy.make_vars(*(f"x{i}" for i in range(n)))
        v = hy.make_vars(*(f"v{i}" for i in range(n)))
        slips, sign, speed = ([hy.par[i] for i in range(n)], [hy.par[n + i] for i in range(n)], hy.par[2 * n])
        force = [-x[i] - sum(blocks.COUPLING * (x[i] - x[j]) for j in (i - 1, i + 1) if 0 <= j < n) for i in range(n)]
        system = [(x[i], v[i] + speed) for i in range(n)]
        system += [(v[i], slips[i] * (force[i] - 1.0 / (sign[i] + blocks.DELTA * v[i]))) for i in range(n)]
        down, events = hy.event_direction.negative, []
        for i in range(n):
            end_of_slip = slips[i] * (sign[i] * v[i]) + (1.0 - slips[i])
            end_of_stick = 1.0 - (1.0 - slips[i]) * force[i] ** 2.0
            for function, callback in ((end_of_slip, self._slip_ended), (end_of_stick, self._released)):
                events.append(hy.t_event_batch(function, direction=down, callback=_going_on(callback, i)))
        ones = np.ones(self.width)
        self.integrator = hy.taylor_adaptive_batch(
            system, [ones] * (2 * n), pars=[ones] * (2 * n + 1), tol=tol, t_events=events, fast_math=True
        )
        self.x, self.v = self.integrator.state[:n], self.integrator.state[n:]
        self.slips, self.sign, self.speed = np.split(self.integrator.pars, [n, 2 * n])

    def run(self, speeds, t_end):
        found = np.empty((len(speeds), 2 * self.n))
        for first in range(0, len(speeds), self.width):
            chosen = np.minimum(np.arange(first, first + self.width), len(speeds) - 1)
            self._begin(speeds[chosen])
            self.integrator.propagate_until([t_end] * self.width, max_steps=MAX_STEPS)
            if any(result[0] != hy.taylor_outcome.time_limit for result in self.integrator.propagate_res):
                raise RuntimeError("a motion did not come to its end")
            there = np.concatenate([self.x, self.v + self.speed]).T
            found[first : first + self.width] = there[: len(speeds) - first]
        return found

    def _begin(self, speeds):
        """All slip backwards: at rest, on a belt that moves."""
        self.integrator.set_time(0.0)
        self.integrator.reset_cooldowns()
        self.x[:], self.v[:] = blocks.start()[:, None], -speeds
        self.slips[:], self.sign[:], self.speed[:] = 1.0, -1.0, speeds

    def _force(self, i, lane):
        x = self.x[:, lane]
        neighbours = sum(x[i] - x[j] for j in (i - 1, i + 1) if 0 <= j < self.n)
        return -x[i] - blocks.COUPLING * neighbours

    def _slip_ended(self, i, lane):
        """Stick where friction can hold it, else slip on to the other side."""
        if abs(self._force(i, lane)) <= 1.0:
            self.slips[i, lane] = self.v[i, lane] = 0.0
        else:
            self._released(i, lane)

    def _released(self, i, lane):
        side = 1.0 if self._force(i, lane) > 0.0 else -1.0
        self.slips[i, lane], self.sign[i, lane], self.v[i, lane] = 1.0, side, side * RELEASED


def _going_on(callback, i):
    """What heyoka calls at an event, after which the batch goes on; a plain function, since others are copied."""

    def called(_, sign, lane):
        callback(i, lane)
        return True

    return called
