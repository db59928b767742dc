"""An orbit as a boundary value problem: phase after phase, each in its own mode, each ended by its own guard.

Unknowns: where each phase begins, how long it lasts; for an excited system the time at which the first begins; and free
parameters. Equations: each phase ends where the next begins, and its guard is zero there; for an excited system the
durations add up to whole periods of the excitation. All this is smooth in the unknowns, also where an orbit just ceases
to be possible, which is why bifurcations that come from the discontinuity can be located exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from stickslip.arrays import Floats
from stickslip.orbits.motion import Entry, Motion, Phase
from stickslip.orbits.signature import RELEASE, SECTION, STOP, Event, Piece, Signature

Section = tuple[Floats, Floats]
"""A plane across an orbit: a point of it, and its normal, in units of the size of the states."""

FLAT = 1e-3
"""The smallest range of a state along an orbit that counts, as a part of the largest."""


@dataclass(frozen=True)
class Solved:
    """The phases of a candidate orbit, evaluated: what residuals, multipliers and test functions are made of."""

    states: Floats  # [phase, state], where each phase begins
    durations: Floats
    begins: Floats  # times
    ends: tuple[Phase, ...]
    parameters: Floats

    @property
    def period(self) -> float:
        return float(self.durations.sum())


class Problem:
    """The equations of an orbit with a given signature. `free` are the parameters among the unknowns, by number.

    `turns` is the number of periods of the excitation in one period of the orbit (0: not excited). An orbit without
    events is cut by a section: a plane (a point of it, and its normal), or for an excited system the instant `time`.

    A motion may advance in every period: z(T) = z(0) + w T + `rounds` + d, with w as the equations have it, whole turns
    that are known, and d any shift that the equations do not feel at all. Along such d nothing closes; instead z(0) is
    where it is zero.
    """

    tolerance = 1e-11

    def __init__(
        self,
        motion: Motion,
        signature: Signature,
        scale: Floats,
        free: Sequence[int] = (),
        turns: int = 0,
        forcing: float | None = None,
        section: Section | None = None,
        time: float = 0.0,
        rounds: Floats | float | None = None,
    ) -> None:
        self.rounds = np.zeros(motion.states) + (0.0 if rounds is None else rounds)
        self.motion, self.signature, self.state_scale = motion, signature, scale
        self.free, self.turns, self.forcing, self.section = tuple(free), turns, forcing, section
        self.time = time
        self._last: tuple[bytes, Solved] | None = None
        self.n, self.phases = motion.states, len(signature)
        self.has_start_time = turns > 0 and signature.events[0].kind != SECTION
        stuck = [i for i in range(motion.contacts) if all(mode[i] == 0 for mode in signature.modes)]
        self.always_stuck = [i for i in stuck if motion.is_rigid(i)]

    def like(self, **changes: Any) -> Self:
        """The same equations with something changed."""
        own: dict[str, Any] = {
            "motion": self.motion, "signature": self.signature, "scale": self.state_scale, "free": self.free,
            "turns": self.turns, "forcing": self.forcing, "section": self.section, "time": self.time,
            "rounds": self.rounds,
        }  # fmt: skip
        return type(self)(**own | changes)

    # -- the vector of unknowns ------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        return self.phases * (self.n + 1) + int(self.has_start_time) + len(self.free)

    def pack(self, states: Floats, durations: Floats, start_time: float, parameters: Floats) -> Floats:
        """Unknowns in one vector."""
        blocks = np.column_stack([states, durations]).ravel()
        time = [start_time] if self.has_start_time else []
        return np.concatenate([blocks, time, np.asarray(parameters, float)[list(self.free)]])

    def unpack(self, u: Floats) -> tuple[Floats, Floats, float, Floats]:
        """States and durations of the phases, time at which the first begins, values of all parameters."""
        inner = self.phases * (self.n + 1)
        blocks = u[:inner].reshape(self.phases, self.n + 1)
        parameters = self.motion.parameters.copy()
        if self.free:
            parameters[list(self.free)] = u[len(u) - len(self.free) :]
        start = float(u[inner]) if self.has_start_time else self.time
        return blocks[:, : self.n], blocks[:, self.n], start, parameters

    def scales(self, u: Floats) -> Floats:
        """The size that each unknown has, so that a step can be measured."""
        _, durations, _, parameters = self.unpack(u)
        period = float(np.abs(durations).sum())
        block = np.append(self.state_scale, period)
        time = [period] if self.has_start_time else []
        own = [max(abs(parameters[i]), 1e-3) for i in self.free]
        return np.concatenate([np.tile(block, self.phases), time, own])

    # -- equations -------------------------------------------------------------------------------------------------

    def solved(self, u: Floats) -> Solved:
        """Every phase integrated. The last one is remembered, since several questions are asked about it."""
        key = u.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._integrated(u)
        return self._last[1]

    def _integrated(self, u: Floats) -> Solved:
        states, durations, start, parameters = self.unpack(u.copy())
        motion = self.motion.with_parameters(parameters)
        begins = start + np.concatenate([[0.0], np.cumsum(durations)[:-1]])
        which = [*self.free, len(parameters)]
        ends = tuple(
            motion.phase(mode, z, t, duration, which)
            for mode, z, t, duration in zip(self.signature.modes, states, begins, durations, strict=True)
        )
        return Solved(states, durations, begins, ends, parameters)

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        """The equations and their derivatives, in units of the state scales."""
        solved = self.solved(u)
        n, k = self.n, self.phases
        rows, columns = k * (n + 1), len(u)
        F, J = np.zeros(rows), np.zeros((rows, columns))
        for j, end in enumerate(solved.ends):
            following = (j + 1) % k
            at = slice(j * (n + 1), j * (n + 1) + n)
            entry = self.entry(solved, j)
            F[at] = entry.state - solved.states[following]
            by_parameter = entry.by_state @ end.by_parameter[:n]
            by_parameter[:, : len(self.free)] += entry.by_parameter
            by_parameter[:, len(self.free)] += entry.by_time
            rates = entry.by_state @ end.rates[:n] + entry.by_time
            self._fill(J[at], j, entry.by_state @ end.by_state[:n], rates, by_parameter)
            J[at, following * (n + 1) : following * (n + 1) + n] -= np.eye(n)
            if following == 0:
                self._advance(F[at], J[at], solved)
            F[at] /= self.state_scale
            J[at] /= self.state_scale[:, None]
            if following == 0:
                self._begin_at_zero(F[at], J[at], solved)
            row = j * (n + 1) + n
            F[row] = self._guard(self.signature.events[j], j, end, solved, J[row])
        self._hold(F, J, solved)
        return self._with_period(F, J, solved) if self.has_start_time else (F, J)

    def _advance(self, F: Floats, J: Floats, solved: Solved) -> None:
        """One period later states have advanced."""
        motion, n = self.motion.with_parameters(solved.parameters), self.n
        moving = motion.moving
        F -= moving * solved.period + self.rounds
        J[:, n : self.phases * (n + 1) : n + 1] -= moving[:, None]
        if self.free:
            J[:, J.shape[1] - len(self.free) :] -= solved.period * motion.moving_slopes(self.free)

    def _begin_at_zero(self, F: Floats, J: Floats, solved: Solved) -> None:
        """Along shifts that the equations do not feel, the orbit is begun at zero in place of being closed."""
        D = self.motion.with_parameters(solved.parameters).free(self.state_scale)
        if not D.size:
            return
        F -= D @ (D.T @ (F - solved.states[0] / self.state_scale))
        J -= D @ (D.T @ J)
        J[:, : self.n] += D @ D.T / self.state_scale

    def advance(self, solved: Solved) -> Floats:
        """By how much states advance in one period."""
        motion = self.motion.with_parameters(solved.parameters)
        known = motion.moving * solved.period + self.rounds
        D = motion.free(self.state_scale)
        left = (self.entry(solved, self.phases - 1).state - solved.states[0] - known) / self.state_scale
        return np.asarray(known + self.state_scale * (D @ (D.T @ left)), float)

    def seen(self, solved: Solved) -> Floats:
        """Where each phase begins, as seen from what advances evenly with the orbit."""
        return solved.states - np.outer(solved.begins - solved.begins[0], self.advance(solved) / solved.period)

    def entry(self, solved: Solved, j: int) -> Entry:
        """Where the end of phase j becomes the begin of the next: internal states of contacts may jump there."""
        before, after = self.signature.modes[j], self.signature.modes[(j + 1) % self.phases]
        motion = self.motion.with_parameters(solved.parameters)
        time = float(solved.begins[j] + solved.durations[j])
        return motion.enter(before, after, solved.ends[j].state, time, self.free)

    def _fill(self, out: Floats, j: int, by_state: Floats, rates: Floats, by_parameter: Floats) -> None:
        """The derivatives of rows that live at the end of phase j."""
        n = self.n
        out[..., j * (n + 1) : j * (n + 1) + n] += by_state
        out[..., j * (n + 1) + n] += rates
        free = len(self.free)
        if free:
            out[..., out.shape[-1] - free :] += by_parameter[..., :free]
        if self.motion.is_timed:
            by_time = by_parameter[..., free]
            for i in range(j):
                out[..., i * (n + 1) + n] += by_time
            if self.has_start_time:
                out[..., self.phases * (n + 1)] += by_time

    def _guard(self, event: Event, j: int, end: Phase, solved: Solved, out: Floats) -> float:
        if event.kind == SECTION:
            return self._section(j, end, solved, out)
        terms = guard_terms(event, end)
        size = guard_size(event, end, float(np.max(self.state_scale[self.motion.velocities])))
        for row, weight in terms:
            self._fill(out, j, weight * end.by_state[row], weight * end.rates[row], weight * end.by_parameter[row])
        out /= size
        return float(sum(weight * end.values[row] for row, weight in terms)) / size

    def _section(self, j: int, end: Phase, solved: Solved, out: Floats) -> float:
        """Without events: a plane through a known point, across the motion; or the period of the excitation."""
        n = self.n
        if self.turns:
            each = self.turns / self.phases
            out[j * (n + 1) + n], out[len(out) - len(self.free) :] = self._period_slopes(solved, each)
            return float(solved.durations[j] / self.forcing_period(solved.parameters) - each)
        assert self.section is not None
        point, normal = self.section
        out[j * (n + 1) : j * (n + 1) + n] = normal / self.state_scale
        return float(normal @ ((solved.states[j] - point) / self.state_scale))

    def _period_slopes(self, solved: Solved, turns: float) -> tuple[float, Floats]:
        """How duration/T − turns changes with the duration and with the free parameters, T being that of excitation."""
        forcing = self.forcing_period(solved.parameters)
        slopes = self.motion.with_parameters(solved.parameters).forcing_slopes(self.free)
        return 1 / forcing, -turns * slopes / forcing if self.forcing is None else np.zeros(len(self.free))

    def _with_period(self, F: Floats, J: Floats, solved: Solved) -> tuple[Floats, Floats]:
        """One equation more: the durations of an excited orbit add up to whole periods of the excitation."""
        row = np.zeros(J.shape[1])
        by_duration, row[len(row) - len(self.free) :] = self._period_slopes(solved, self.turns)
        row[self.n : self.phases * (self.n + 1) : self.n + 1] = by_duration
        return np.append(F, solved.period / self.forcing_period(solved.parameters) - self.turns), np.vstack([J, row])

    def _hold(self, F: Floats, J: Floats, solved: Solved) -> None:
        """Contacts that never move stay at rest: in stick their sliding velocity v never changes, so that one equation
        says nothing about it. There v = 0 is added, in the direction in which the states change v."""
        n, end, when = self.n, solved.ends[0], float(solved.begins[0] + solved.durations[0])
        motion = self.motion.with_parameters(solved.parameters)
        for i in self.always_stuck:
            r, row = end.row("v", i), np.zeros(J.shape[1])
            self._fill(row, 0, end.by_state[r], np.zeros(()), end.by_parameter[r])
            direction = end.by_state[r] * self.state_scale
            direction /= direction @ direction
            F[:n] += direction * motion.sliding(end.state, when)[i]
            J[:n] += np.outer(direction, row)

    def forcing_period(self, parameters: Floats) -> float:
        """The period of the excitation: as given, or as the equations have it."""
        if self.forcing is not None:
            return self.forcing
        period = self.motion.with_parameters(parameters).forcing_period
        assert period is not None
        return period

    # -- stability -------------------------------------------------------------------------------------------------

    def monodromy(self, solved: Solved, first: int = 0) -> Floats:
        """∂z(t + T)/∂z(t) at the begin of phase `first`: the flow of every phase, with saltation between them."""
        total = np.eye(self.n)
        for step in range(self.phases):
            j = (first + step) % self.phases
            total = self.jump(solved, j) @ solved.ends[j].by_state[: self.n] @ total
        return total

    def jump(self, solved: Solved, j: int) -> Floats:
        """The saltation matrix I + (ż⁺ − ż⁻) ∇φ/φ̇ of the event that ends phase j.

        Where the state jumps to r(z, t), it is ∂r/∂z + (ż⁺ − ∂r/∂z ż⁻ − ∂r/∂t) ∇φ/φ̇.
        """
        event, end = self.signature.events[j], solved.ends[j]
        if event.kind == SECTION:
            return np.eye(self.n)
        entry = self.entry(solved, j)
        following = (j + 1) % self.phases
        if self._just_stops(j) and np.array_equal(entry.by_state, np.eye(self.n)):
            motion, time = self.motion.with_parameters(solved.parameters), float(solved.begins[j] + solved.durations[j])
            return motion.stop(event.contact, self.signature.modes[following], end.state, time)
        gradient, rate = self.guard_gradient(solved, j)
        after = solved.ends[following].start_rate
        shift = after - entry.by_state @ end.rates[: self.n] - entry.by_time
        with np.errstate(divide="ignore", invalid="ignore"):  # at a tangency there is no saltation matrix
            return entry.by_state + np.outer(shift, gradient) / rate

    def _just_stops(self, j: int) -> bool:
        """Whether phase j ends in that one rigid contact comes to rest, and nothing else happens."""
        event, before = self.signature.events[j], self.signature.modes[j]
        if event.kind != STOP or not self.motion.is_rigid(event.contact):
            return False
        stopped = tuple(0 if i == event.contact else mode for i, mode in enumerate(before))
        return stopped == self.signature.modes[(j + 1) % self.phases]

    def guard_gradient(self, solved: Solved, j: int) -> tuple[Floats, float]:
        """∇φ with respect to the state at the end of phase j, and φ̇ along it."""
        motion = self.motion.with_parameters(solved.parameters)
        time = float(solved.begins[j] + solved.durations[j])
        here = motion.phase(self.signature.modes[j], solved.ends[j].state, time, 0.0, [])
        terms = guard_terms(self.signature.events[j], here)
        gradient = sum((weight * here.by_state[row] for row, weight in terms), np.zeros(self.n))
        return gradient, float(sum(weight * here.rates[row] for row, weight in terms))


def normal_of(rate: Floats, values: Floats, scale: Floats) -> Floats:
    """The normal of a section of an orbit, in units of `scale`: the plane stands on the motion `rate` at its start,
    where every state is measured by the range of its `values` along the orbit. In these units small orbits are round,
    so that they shrink within the plane."""
    span = np.ptp(values, axis=0) / scale
    normal = rate / scale / np.maximum(span, FLAT * np.max(span)) ** 2
    return np.asarray(normal / np.linalg.norm(normal), float)


def rescaled(section: Section | None, old: Floats, new: Floats) -> Section | None:
    """The same section, where states are measured by other sizes."""
    if section is None:
        return None
    normal = section[1] * new / old
    return section[0], normal / np.linalg.norm(normal)


def guard_terms(event: Event, end: Phase) -> list[tuple[int, float]]:
    """A guard as rows of the phase's end with weights: s v for a stop, S − s λ for a release."""
    if event.kind == STOP:
        return [(end.row("v", event.contact), float(event.side))]
    assert event.kind == RELEASE
    return [(end.row("static", event.contact), 1.0), (end.row("force", event.contact), -float(event.side))]


def guard_size(event: Event, end: Phase, speed: float) -> float:
    """The size that a guard has, to measure its zero; `speed` is that of velocities."""
    if event.kind == STOP:
        return speed
    return abs(float(end.values[end.row("static", event.contact)])) or 1.0


def signature_of(contacts: Sequence[str], pieces: Sequence[Piece]) -> Signature:
    """The signature of simulated phases."""
    events = [piece.event or Event(SECTION) for piece in pieces]
    return Signature(tuple(contacts), tuple(piece.mode for piece in pieces), tuple(events))
