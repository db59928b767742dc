"""Orbits of methods that smear the discontinuity: shooting, z(T) = z(0) with the period as an unknown.

Reference: leine1998 Eq. (7), and its Sec. 4 on fundamental matrices by differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.errors import FlowError, MotionError, NoConvergence, OrbitError
from stickslip.methods.base import Method
from stickslip.methods.smooth import Smoothing
from stickslip.methods.stiff import Map, StiffFlow
from stickslip.methods.switch import Switch
from stickslip.model.system import Model
from stickslip.orbits.exact import MOST_REPETITIONS, OUTGROWN, named, with_parameters
from stickslip.orbits.guess import Guess
from stickslip.orbits.motion import Motion
from stickslip.orbits.newton import History, newton, polished, terms
from stickslip.orbits.orbit import Orbit, Phases
from stickslip.orbits.phases import Section, normal_of, rescaled
from stickslip.orbits.signature import SECTION, Event, Signature
from stickslip.orbits.stability import NOTHING, sorted_multipliers
from stickslip.simulation import simulate, uninterrupted
from stickslip.status import Status

DIFFERENCE = 3e-5
"""The least distance of neighbouring starts, relative to the size of each state: the switch model is rough below."""

FARTHEST = 1.5
"""By this factor the period may change while an orbit is sought near a guess."""

PIECES, FEW = 16, 4
"""Parts of a period, and the steps in each below which neighbouring motions may not be resolved."""


LOOKS = 400
"""States of a guess, among which one is chosen to shoot from."""


class Flow(ABC):
    """Where a state leads, with derivatives. For developers: `map`, `between`, `state`, and back."""

    tolerance = 1e-10

    def __init__(self, model: Model, parameters: Floats) -> None:
        self.model, self.parameters = model, parameters
        self.evaluations = 0

    @abstractmethod
    def map(self, y: Floats, t: float, duration: float, which: Sequence[int]) -> Map:
        """The end, and its derivatives with respect to start, parameters and time of the start."""

    @abstractmethod
    def accuracy(self, scale: Floats) -> float:
        """How well the end of a motion is determined, in units of the size of the states."""

    @abstractmethod
    def sampled(self, y: Floats, t: float, durations: Floats) -> Floats:
        """States z after rising durations, one row each."""

    @abstractmethod
    def fundamental(self, z: Floats, t: float, durations: Floats) -> tuple[Floats, Floats]:
        """States z after rising durations, and how each depends on the start: ∂z/∂z₀."""

    def exchanged(self, z: Floats, t: float) -> Floats:
        """The variables of a state."""
        return np.array(z, float)

    def state(self, y: Floats, t: float) -> Floats:
        """The state of the variables."""
        return np.array(y, float)


class SmoothFlow(Flow):
    """Of the smoothed equations, with exact derivatives; the variables hold sliding velocities."""

    def __init__(self, model: Model, method: Smoothing, parameters: Floats) -> None:
        super().__init__(model, parameters)
        tight = min(method.rtol, 1e-10)
        self.flow = StiffFlow(model, method.eps, method.shape, rtol=tight, parameters=parameters)

    def map(self, y: Floats, t: float, duration: float, which: Sequence[int]) -> Map:
        try:
            end = self.flow.map(y, t, duration, which)
            if end.steps < FEW * PIECES:
                end = self._in_pieces(y, t, duration, which)
        except FlowError as error:
            raise MotionError(str(error)) from None
        self.evaluations += end.evaluations
        return end

    def accuracy(self, scale: Floats) -> float:
        return self.flow.rtol

    def _in_pieces(self, y: Floats, t: float, duration: float, which: Sequence[int]) -> Map:
        """The same in steps that are no longer than a part of the duration. Where hardly anything moves, as on a small
        orbit, the states alone would allow steps in which neighbouring motions are not resolved."""
        ends = [self.flow.map(y, t, duration / PIECES, which)]
        for k in range(1, PIECES):
            ends.append(self.flow.map(ends[-1].y, t + duration * k / PIECES, duration / PIECES, which))
        first, last = ends[0], ends[-1]
        phi, by_parameter, by_start_time = first.phi, first.by_parameter, first.by_start_time
        for end in ends[1:]:
            phi = end.phi @ phi
            by_parameter = end.phi @ by_parameter + end.by_parameter
            by_start_time = end.phi @ by_start_time + end.by_start_time
        steps, evaluations = sum(end.steps for end in ends), sum(end.evaluations for end in ends)
        return Map(last.y, phi, by_parameter, by_start_time, last.rate, first.start_rate, steps, evaluations)

    def sampled(self, y: Floats, t: float, durations: Floats) -> Floats:
        try:
            path = self.flow.path(y, t, float(durations[-1]))
        except FlowError as error:
            raise MotionError(str(error)) from None
        self.evaluations += path.evaluations
        times = t + durations
        return np.array([self.flow.state(row, float(time)) for row, time in zip(path(times), times, strict=True)])

    def fundamental(self, z: Floats, t: float, durations: Floats) -> tuple[Floats, Floats]:
        y, states, matrices = self.exchanged(z, t), [], []
        phi, reached = self.flow.exchange_slopes(z, t), 0.0  # ∂y/∂z₀
        for duration in durations:
            if duration > reached:
                end = self._between(y, t + reached, float(duration) - reached)
                y, phi, reached = end.y, end.phi @ phi, float(duration)
            states.append(self.flow.state(y, t + reached))
            matrices.append(np.linalg.solve(self.flow.exchange_slopes(states[-1], t + reached), phi))
        return np.array(states), np.array(matrices)

    def _between(self, y: Floats, t: float, duration: float) -> Map:
        try:
            return self.flow.map(y, t, duration)
        except FlowError as error:
            raise MotionError(str(error)) from None

    def exchanged(self, z: Floats, t: float) -> Floats:
        return self.flow.exchanged(z, t)

    def state(self, y: Floats, t: float) -> Floats:
        return self.flow.state(y, t)


class DifferenceFlow(Flow):
    """Of any method, with derivatives by central differences: ξ must not be too small, since the switch model's map
    is rough on the scale of its band."""

    tolerance = 1e-6

    def __init__(self, model: Model, method: Switch, parameters: Floats) -> None:
        super().__init__(with_parameters(model, list(model.parameters), parameters), parameters)
        self.method = method

    @cached_property
    def _jumps(self) -> bool:
        """Whether static friction exceeds kinetic friction at rest."""
        rest = self.method.compile(self.model).evaluate(self.model.start_state(), 0.0, [0] * len(self.model.contacts))
        return bool(np.any(rest.static > rest.kinetic * (1 + 1e-9)))

    def _end(self, model: Model, y: Floats, t: float, duration: float) -> Floats:
        if not duration > 0:
            raise MotionError(f"the period ran to {duration:.3g} while it was sought")
        run = uninterrupted(simulate(model, t + duration, start_time=t, start=list(y), method=self.method, samples=2))
        if run.attrs["outcome"] != Status.FINISHED.word:
            raise MotionError(run.attrs["status"])
        self.evaluations += int(run.attrs["evaluations"])
        return np.array([float(run[name][-1]) for name in model.states])

    def map(self, y: Floats, t: float, duration: float, which: Sequence[int]) -> Map:
        n, model = len(y), self.model
        size, part = self._distance(y)
        end = self._end(model, y, t, duration)
        phi, by_parameter = np.zeros((n, n)), np.zeros((n, len(which)))
        for j in range(n):
            step = np.zeros(n)
            step[j] = part * size[j]
            ahead, behind = self._end(model, y + step, t, duration), self._end(model, y - step, t, duration)
            phi[:, j] = (ahead - behind) / (2 * step[j])
        names = list(model.parameters)
        for k, number in enumerate(which):
            value = self.parameters[number]
            step_p = part * max(abs(value), 1e-3)
            ends = [self._end(model.with_({names[number]: value + s}), y, t, duration) for s in (step_p, -step_p)]
            by_parameter[:, k] = (ends[0] - ends[1]) / (2 * step_p)
        short = part * duration
        rate = (self._end(model, y, t, duration + short) - self._end(model, y, t, duration - short)) / (2 * short)
        start_rate = (self._end(model, y, t, short) - y) / short
        return Map(end, phi, by_parameter, np.zeros(n), rate, start_rate, 0, 0)

    def _distance(self, y: Floats) -> tuple[Floats, float]:
        """The size of each state, and the part of it by which neighbouring starts are apart: so that what the method
        leaves undecided and what is not linear do the same harm."""
        size = np.maximum(np.abs(y), np.max(np.abs(y)))
        return size, max(DIFFERENCE, 0.3 * self.accuracy(size) ** (1 / 3))

    def fundamental(self, z: Floats, t: float, durations: Floats) -> tuple[Floats, Floats]:
        size, part = self._distance(z)
        steps = np.diag(part * size)
        columns = [self.sampled(z + step, t, durations) - self.sampled(z - step, t, durations) for step in steps]
        return self.sampled(z, t, durations), np.stack(columns, axis=2) / (2 * part * size)

    def accuracy(self, scale: Floats) -> float:
        """The width η of its band, relative to velocities; where friction jumps, the time spent in it counts, as √η."""
        velocities = [size for name, size in zip(self.model.states, scale, strict=True) if name.startswith("v.")]
        band = self.method.eta / max(velocities, default=float(np.max(scale))) + self.method.rtol
        return float(np.sqrt(band)) if self._jumps else band

    def sampled(self, y: Floats, t: float, durations: Floats) -> Floats:
        times = t + durations
        run = uninterrupted(
            simulate(self.model, float(times[-1]), start_time=t, start=list(y), method=self.method, samples=times)
        )
        return np.column_stack([run[name].values for name in self.model.states])


def flow_for(model: Model, method: Method, parameters: Floats) -> Flow:
    """The flow of a method."""
    if isinstance(method, Smoothing):
        return SmoothFlow(model, method, parameters)
    if isinstance(method, Switch):
        return DifferenceFlow(model, method, parameters)
    raise OrbitError(f"orbits are found with Exact, Smoothing or Switch, not with {type(method).__name__}")


@dataclass(frozen=True)
class Shot:
    """A candidate orbit, integrated."""

    y: Floats
    period: float
    parameters: Floats
    flow: Flow
    end: Map


class ShootingProblem:
    """z(T) − z(0) = 0, with a section across the motion; or with T a multiple of the excitation's period."""

    phases = 1

    def __init__(
        self,
        model: Model,
        method: Method,
        scale: Floats,
        free: Sequence[int] = (),
        turns: int = 0,
        forcing: float | None = None,
        section: Section | None = None,
        time: float = 0.0,
        parameters: Floats | None = None,
        rounds: Floats | float | None = None,
    ) -> None:
        self.model, self.method, self.scale, self.free = model, method, scale, tuple(free)
        self.turns, self.forcing, self.section, self.time = turns, forcing, section, time
        self.parameters = np.array(list(model.parameters.values()) if parameters is None else parameters, float)
        self.n = len(model.states)
        self.rounds = np.zeros(self.n) + (0.0 if rounds is None else rounds)
        self.evaluations = 0
        self.tolerance = DifferenceFlow.tolerance if isinstance(method, Switch) else Flow.tolerance
        self.signature = Signature(model.contacts, ((),), (Event(SECTION),))
        self._motion: Motion | None = None
        self._last: tuple[bytes, Shot] | None = None

    def like(self, **changes: Any) -> ShootingProblem:
        """The same problem with something changed."""
        names = ("model", "method", "scale", "free", "turns", "forcing", "section", "time", "parameters", "rounds")
        return ShootingProblem(**{name: getattr(self, name) for name in names} | changes)

    def pack(self, y: Floats, period: float, parameters: Floats) -> Floats:
        return np.concatenate([y, [period], parameters[list(self.free)]])

    def all_parameters(self, u: Floats) -> Floats:
        values = self.parameters.copy()
        if self.free:
            values[list(self.free)] = u[self.n + 1 :]
        return values

    def scales(self, u: Floats) -> Floats:
        own = [max(abs(self.all_parameters(u)[i]), 1e-3) for i in self.free]
        return np.concatenate([self.scale, [abs(u[self.n])], own])

    def noise(self, u: Floats, J: Floats) -> Floats:
        """What is left of every equation at a solution: what the method itself leaves undecided."""
        return self.accuracy * (1.0 + terms(J, u, self.scales(u)))

    @cached_property
    def accuracy(self) -> float:
        """How well the method determines a state, relative to its size."""
        return flow_for(self.model, self.method, self.parameters).accuracy(self.scale)

    def root(self, u: Floats, history: History | None = None) -> Floats:
        """The solution near u."""
        scales = self.scales(u)
        root = newton(self.residual, u, scales, tolerance=self.tolerance, history=history)
        return polished(self.residual, root, scales, self.noise)

    def solved(self, u: Floats) -> Shot:
        """The orbit integrated once; the last one is remembered, since several questions are asked about it."""
        key = u.tobytes()
        if self._last is None or self._last[0] != key:
            parameters = self.all_parameters(u)
            if self.free and not self.turns:
                self._moving(parameters)  # refuses an excitation that begins
            flow = flow_for(self.model, self.method, parameters)
            period = float(u[self.n])
            if not period > 0:
                raise MotionError(f"the period ran to {period:.3g} while it was sought")
            end = flow.map(u[: self.n], self.time, period, self.free)
            self.evaluations += flow.evaluations
            self._last = key, Shot(u[: self.n].copy(), period, parameters, flow, end)
        return self._last[1]

    def residual(self, u: Floats) -> tuple[Floats, Floats]:
        shot, n = self.solved(u), self.n
        F, J = np.zeros(n + 1), np.zeros((n + 1, len(u)))
        motion = self._moving(shot.parameters)
        F[:n] = (shot.end.y - shot.y - motion.moving * shot.period - self.rounds) / self.scale
        J[:n, :n] = (shot.end.phi - np.eye(n)) / self.scale[:, None]
        J[:n, n] = (shot.end.rate - motion.moving) / self.scale
        slopes = shot.period * motion.moving_slopes(self.free)
        J[:n, n + 1 :] = (shot.end.by_parameter - slopes) / self.scale[:, None]
        D = motion.free(self.scale)
        if D.size:  # along shifts that the equations do not feel, the orbit begins at zero
            F[:n] -= D @ (D.T @ (F[:n] - shot.y / self.scale))
            J[:n] -= D @ (D.T @ J[:n])
            J[:n, :n] += D @ D.T / self.scale
        if self.turns:
            forcing, slopes = self._forcing(shot.parameters)
            F[n] = shot.period / forcing - self.turns
            J[n, n] = 1 / forcing
            J[n, n + 1 :] = -self.turns * slopes / forcing
        else:
            assert self.section is not None
            point, normal = self.section
            F[n] = normal @ ((shot.y - point) / self.scale)
            J[n, :n] = normal / self.scale
        return F, J

    def _forcing(self, parameters: Floats) -> tuple[float, Floats]:
        if self.forcing is not None:
            return self.forcing, np.zeros(len(self.free))
        motion = self._moving(parameters)
        assert motion.forcing_period is not None
        return motion.forcing_period, motion.forcing_slopes(self.free)

    def _moving(self, parameters: Floats) -> Motion:
        self._motion = self._motion or Motion(self.model)
        return self._motion.with_parameters(parameters)

    def plane_across(self, shot: Shot) -> Section:
        """The plane through the start of a motion that need not be an orbit yet, and so has no range of its own."""
        normal = self._across(self.start_rate(shot), shot)
        size = float(np.linalg.norm(normal))
        if not size > 0:
            raise NoConvergence("the guess does not move: it is an equilibrium")
        return shot.y, normal / size

    def section_at(self, shot: Shot) -> Section:
        """A section across an orbit: a point of it, and its normal."""
        values, rate = self._seen(shot, np.arange(16) / 16), self.scale * self.start_rate(shot)
        return shot.y, self._across(normal_of(rate, values, self.scale), shot)

    def _across(self, normal: Floats, shot: Shot) -> Floats:
        """A normal without shifts that the equations do not feel: where these begin is settled elsewhere."""
        D = self._moving(shot.parameters).free(self.scale)
        return np.asarray(normal - D @ (D.T @ normal), float)

    # -- what `follow` asks for ------------------------------------------------------------------------------------

    def multipliers(self, shot: Shot) -> Complexes:
        D = self._moving(shot.parameters).free(self.scale)
        kept = np.linalg.svd(D)[0][:, D.shape[1] :]  # a shift that the equations do not feel has no multiplier
        M = kept.T @ (shot.end.phi * self.scale / self.scale[:, None]) @ kept
        values = np.linalg.eigvals(M).astype(complex)
        values[np.abs(values) <= NOTHING * max(1.0, float(np.max(np.abs(values))))] = 0.0
        return sorted_multipliers(values)

    def fault(self, shot: Shot) -> str:
        return ""

    def orbit(self, shot: Shot, history: History | None = None) -> Orbit:
        model = with_parameters(self.model, list(self.model.parameters), shot.parameters)
        state = shot.flow.state(shot.y, self.time)
        return Orbit(
            model=model,
            start=dict(zip(model.states, map(float, state), strict=True)),
            start_time=self.time,
            period=shot.period,
            signature=self.signature,
            multipliers=self.multipliers(shot),
            turns=self.turns,
            phases=Phases(shot.y[None, :], np.array([shot.period]), self.scale, self.forcing, self.rounds),
            advance=named(model, self.advance(shot)),
            method=self.method,
            history=history or History(),
        )

    def advance(self, shot: Shot) -> Floats:
        """By how much states advance in one period."""
        motion = self._moving(shot.parameters)
        known, D = motion.moving * shot.period + self.rounds, motion.free(self.scale)
        left = (shot.end.y - shot.y - known) / self.scale
        return np.asarray(known + self.scale * (D @ (D.T @ left)), float)

    def _seen(self, shot: Shot, parts: Floats) -> Floats:
        """States after parts of the period, as seen from what advances with the orbit."""
        values = shot.flow.sampled(shot.y, self.time, shot.period * parts)
        return np.asarray(values - np.outer(parts, self.advance(shot)), float)

    def extremes(self, shot: Shot) -> Floats:
        values = self._seen(shot, np.arange(1, 401) / 400)
        return np.array([values.min(axis=0), values.max(axis=0)])

    def repeated(self, u: Floats, times: int) -> tuple[ShootingProblem, Floats]:
        other = u.copy()
        other[self.n] *= times
        return self.like(turns=self.turns * times, rounds=self.rounds * times), other

    def tiled(self, change: Floats, times: int) -> Floats:
        """A change of the unknowns, as one of the orbit gone through several times."""
        other = change.copy()
        other[self.n] *= times
        return other

    @property
    def is_cut(self) -> bool:
        """Whether the orbit is cut by a plane, having no excitation."""
        return self.section is not None

    def start_rate(self, shot: Shot) -> Floats:
        return np.asarray((shot.end.start_rate - self._moving(shot.parameters).moving) / self.scale, float)

    def passage(self, shot: Shot) -> float:
        return float(self.section[1] @ self.start_rate(shot)) if self.section is not None else 1.0

    def unknowns(self, state: Floats, period: float, like: Floats, value: float) -> Floats:
        parameters = self.all_parameters(np.append(like[:-1], value))
        flow = flow_for(self.model, self.method, parameters)
        return self.pack(flow.exchanged(state, self.time), period, parameters)

    def turned(self, change: Floats) -> Floats:
        return change

    def shorter(self, shot: Shot, loosely: bool = False) -> Orbit | None:
        parts = [times for times in range(MOST_REPETITIONS, 1, -1) if self.turns % times == 0]
        if not parts:
            return None
        values = self._seen(shot, 1 / np.array(parts, float))
        start = shot.flow.state(shot.y, self.time)
        closeness = max(1e-3 if loosely else 1e-5, self.accuracy)
        for times, value in zip(parts, values, strict=True):
            missed = float(np.max(np.abs(value - start) / self.scale))
            if missed < closeness and missed < closeness * self._extent(shot):
                problem = self.like(
                    turns=self.turns // times, free=(), parameters=shot.parameters, rounds=self.rounds / times
                )
                u = problem.pack(shot.y, shot.period / times, shot.parameters)
                try:
                    return problem.orbit(problem.solved(problem.root(u)))
                except (NoConvergence, MotionError):
                    continue
        return None

    def _extent(self, shot: Shot) -> float:
        """The size of an orbit: how far it goes from where it begins."""
        values = self._seen(shot, np.arange(12) / 12)
        return float(np.max(np.ptp(values, axis=0) / self.scale))

    def split(self, shot: Shot) -> Floats | None:
        """By how much the state after half a period differs from that at the start."""
        if self.turns % 2:
            return None
        half = shot.flow.map(shot.y, self.time, 0.5 * shot.period, ())
        return np.asarray((half.y - shot.y - 0.5 * self.advance(shot)) / self.scale, float)

    def moved(self, u: Floats) -> ShootingProblem:
        if self.section is None:
            return self
        other = self.like(section=self.section_at(self.solved(u)))
        other.evaluations, other._last, other._motion = self.evaluations, self._last, self._motion
        return other

    def grown(self, ranges: Floats) -> ShootingProblem:
        """The same equations for an orbit that has outgrown the size of its states: they have these ranges now."""
        if not np.any(ranges > OUTGROWN * self.scale):
            return self
        scale = np.maximum(self.scale, ranges)
        other = self.like(scale=scale, section=rescaled(self.section, self.scale, scale))
        other.evaluations, other._last, other._motion = self.evaluations, self._last, self._motion
        return other

    def slid(self, u: Floats, change: Floats) -> Floats:
        """A change of the unknowns that may lead out of the section, as the change of the same orbits within it."""
        if self.section is None:
            return change
        rate, normal, other = self.scale * self.start_rate(self.solved(u)), self.section[1] / self.scale, change.copy()
        other[: self.n] -= rate * float(normal @ change[: self.n]) / float(normal @ rate)
        return other


def problem_of(orbit: Orbit, free: Sequence[int] = ()) -> tuple[ShootingProblem, Floats]:
    """The equations that an orbit solves, and the orbit as their unknowns."""
    problem = ShootingProblem(
        orbit.model, orbit.method, orbit.phases.scale, free, orbit.turns, orbit.phases.forcing, None, orbit.start_time,
        rounds=orbit.phases.rounds,
    )  # fmt: skip
    u = problem.pack(orbit.phases.states[0], orbit.period, problem.parameters)
    if not orbit.turns:
        problem.section = problem.section_at(problem.solved(u))
    return problem, u


def shoot(motion: Motion, guess: Guess, method: Method, turns: int, forcing: float | None) -> Orbit:
    """The orbit near a guess of a method that smears the discontinuity."""
    reasons: list[str] = []
    for start in _starts(motion.model, guess, method):
        try:
            return _shot_from(motion, start, method, turns, forcing)
        except (NoConvergence, MotionError) as error:
            reasons.append(f"{type(method).__name__}: {error}")
    raise OrbitError(reasons[0])


def _starts(model: Model, guess: Guess, method: Method) -> Iterator[Guess]:
    """Where in its period a guess is shot from: as it is; where contacts slip least, so that what is off in their
    velocities dies out at once; where they slip fastest, far from where neighbouring motions differ in kind."""
    times = guess.time, guess.time + guess.period
    run = uninterrupted(
        simulate(model, times[1], start_time=times[0], start=list(guess.state), method=method, samples=LOOKS)
    )
    speed = np.abs(run["slip_velocity"].values)
    share = np.min(speed / np.maximum(np.max(speed, axis=0, initial=0.0), 1e-300), axis=1, initial=1.0)
    rough = isinstance(method, Switch)
    places = [0, int(np.argmin(np.sum(speed, axis=1))), int(np.argmax(share))]
    for place in [places[2], places[0]] if rough else places:
        state = np.array([float(run[name][place]) for name in model.states])
        yield replace(guess, state=state, time=float(run["time"][place]))


def _shot_from(motion: Motion, guess: Guess, method: Method, turns: int, forcing: float | None) -> Orbit:
    """The orbit near a guess, shot from there."""
    excitation = forcing or motion.forcing_period
    t = guess.time % excitation if excitation else 0.0
    flow = flow_for(motion.model, method, motion.parameters)
    problem = ShootingProblem(motion.model, method, guess.scale, (), turns, forcing, None, t, rounds=guess.rounds)
    history = History()
    period = turns * excitation if excitation else guess.period
    D = motion.free(guess.scale)
    state = guess.state - motion.moving * (guess.time - t)
    state = state - guess.scale * (D @ (D.T @ (state / guess.scale)))
    u = problem.pack(flow.exchanged(state, t), period, motion.parameters)
    if not turns:
        problem.section = problem.plane_across(problem.solved(u))
    solved = problem.solved(problem.root(u, history))
    if not 1 / FARTHEST < solved.period / period < FARTHEST:
        raise NoConvergence(f"the period ran from {period:.6g} to {solved.period:.6g}: that is another orbit")
    if not np.any(np.ptp(problem.extremes(solved), axis=0) > 1e-6 * guess.scale):
        raise NoConvergence("the guess leads to an equilibrium, where nothing moves: use find_equilibria")
    once = problem.shorter(solved)
    return replace(once, history=history) if once is not None else problem.orbit(solved, history)
