"""The smoothed equations integrated by compiled Radau collocation, with exact derivatives of where they lead.

`StiffFlow` is what shooting and path following of periodic orbits work with: the state after some time, and its
derivatives by the start, by parameters and by the start time.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import FlowError, ModelError
from stickslip.field import compile_stiff
from stickslip.kernels.outcome import FINISHED, PAUSED, STALLED, TOO_MANY_STEPS
from stickslip.kernels.records import Records
from stickslip.model.errors import check_number, check_whole
from stickslip.model.shapes import SHAPES, check_static, shape_named
from stickslip.model.system import Model

ROWS = 512
"""Steps in one block of a record."""


@dataclass(frozen=True)
class Map:
    """Where a start leads in some time, and the derivatives of that.

    `phi` is ∂y/∂y₀; `by_parameter` has a column for each of the parameters asked for; `by_start_time` is for the same
    duration from a later start. `rate` and `start_rate` are dy/dt at both ends: `rate` is also the derivative by the
    duration. `evaluations` counts evaluations of the rates.
    """

    y: Floats
    phi: Floats
    by_parameter: Floats
    by_start_time: Floats
    rate: Floats
    start_rate: Floats
    steps: int
    evaluations: int


@dataclass(frozen=True)
class Path:
    """A trajectory: the ends of its steps, and between them polynomials in the fraction of the step.

    `times` and `states` are the ends of all steps, the start first. `coefficients[step, power, variable]` belong to the
    powers of x in 0 … 1.
    """

    times: Floats
    states: Floats
    coefficients: Floats
    evaluations: int

    def __call__(self, t: float | Floats) -> Floats:
        """y at a time, or one row for each of many times."""
        at = np.asarray(t, float)
        step = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, len(self.times) - 2)
        x = ((at - self.times[step]) / (self.times[step + 1] - self.times[step]))[..., None]
        y = np.zeros((*at.shape, self.states.shape[1]))
        for power in range(self.coefficients.shape[1] - 1, -1, -1):
            y = y * x + self.coefficients[step, power]
        return y


class StiffFlow:
    """The flow of a smoothed model in the solver's variables y, where sliding velocities stand in place of velocities.

    `eps` and `shape` are those of `System.smoothed`; `rtol` is the error aimed at over a run, relative to the size of
    each variable (for sliding velocities: to |v| + 1/eps). `parameters` are the values to use in place of the model's,
    in the order of `model.parameters`.

    >>> from stickslip.model.library import block_on_belt
    >>> flow = StiffFlow(block_on_belt(), eps=1e4)
    >>> start = flow.exchanged(np.array([1.1, 0.0]), 0.0)
    >>> end = flow.map(start, 0.0, 10.0)
    >>> flow.state(end.y, 10.0).round(4).tolist()
    [0.8355, 0.1996]
    >>> end.phi.shape
    (2, 2)
    """

    def __init__(
        self,
        model: Model,
        eps: float,
        shape: str = "arctan",
        rtol: float = 1e-10,
        parameters: Floats | None = None,
        most_steps: int = 100_000,
    ) -> None:
        self.model, self.shape = model, shape
        self.most_steps = check_whole("StiffFlow: most_steps", most_steps)
        self.eps = check_number("StiffFlow: eps", eps, positive=True)
        self.rtol = check_number("StiffFlow: rtol", rtol, positive=True)
        shape_named(shape, "StiffFlow")
        self.program = compile_stiff(model, shape)
        self.sizes: Any = self.program.kernels.flow
        self.n: int = self.sizes.STATES
        self._set(np.array(list(model.parameters.values()) if parameters is None else parameters, float))

    def _set(self, parameters: Floats) -> None:
        if parameters.shape != (self.sizes.PARAMETERS,):
            raise ModelError(
                f"StiffFlow: parameters have the shape {parameters.shape}; the model has {self.sizes.PARAMETERS}: "
                f"{', '.join(self.model.parameters)}"
            )
        self.parameters = parameters
        self.constants = np.array([*parameters, self.eps])
        self.floor = np.where(self.sizes.SLIDING, 1 / self.eps, -0.1)
        friction = np.empty((3, len(self.model.contacts)))
        start = self.exchanged(np.array(self.model.start_state()), 0.0)
        self.program.characteristics(start, 0.0, 0.0, self.constants, friction.reshape(-1))
        for name, static, at_rest in zip(self.model.contacts, friction[1], friction[2], strict=True):
            check_static(self.shape, float(static), float(at_rest), f"StiffFlow, contact {name!r}")

    def with_parameters(self, values: Floats, eps: float | None = None) -> StiffFlow:
        """The same flow with other values of the parameters, in the order of `model.parameters`."""
        other = copy.copy(self)
        if eps is not None:
            other.eps = check_number("StiffFlow: eps", eps, positive=True)
        other._set(np.array(values, float))
        return other

    def exchanged(self, z: Floats, t: float) -> Floats:
        """The solver's variables y of a state z."""
        return self._called("exchanged", z, t)

    def exchange_slopes(self, z: Floats, t: float) -> Floats:
        """∂y/∂z at a state z."""
        out = np.zeros((self.n, self.n))
        self.program.exchange_slopes(self.vector(z), float(t), self.constants, out)
        return out

    def rate(self, y: Floats, t: float) -> Floats:
        """dy/dt."""
        return self._called("rates", y, t)

    def state(self, y: Floats, t: float) -> Floats:
        """The state z of variables y."""
        width = self.n + 4 * len(self.model.contacts)
        out = np.empty(width)
        self.program.observed(self.vector(y), np.array([float(t)]), 1, self.constants, out)
        return out[: self.n].copy()

    def map(self, y0: Floats, t0: float, duration: float, wrt: Sequence[int] = ()) -> Map:
        """Where y0 at t0 leads in `duration`, with derivatives.

        `wrt` are places in `model.parameters`; its length means eps.
        """
        run = Integration(self, y0, t0, duration, wrt)
        run.advance()
        run.check()
        n, chosen = self.n, len(wrt)
        partial = run.partial()
        return Map(
            y=run.y(),
            phi=partial[:, :n].copy(),
            by_parameter=partial[:, n : n + chosen].copy(),
            by_start_time=partial[:, -1].copy(),
            rate=self.rate(run.y(), t0 + duration),
            start_rate=self.rate(y0, t0),
            steps=int(run.motion.steps),
            evaluations=int(run.motion.evaluations),
        )

    def path(self, y0: Floats, t0: float, duration: float, dense: float = 0.0) -> Path:
        """The trajectory from y0 at t0, to be evaluated anywhere.

        The polynomials are of order five, the ends of the steps of order nine. `dense` keeps the steps so short that
        the error in between is about that, too, relative as `rtol` is; 0 leaves them as they are for `map`.
        """
        if not duration > 0:
            raise ModelError(f"StiffFlow: the duration is {duration:g}; a path needs a positive one")
        run = Integration(self, y0, t0, duration, dense=dense)
        blocks = list(run.blocks())
        run.check()
        return Path(
            times=np.append(np.concatenate([block.starts for block in blocks]), t0 + duration),
            states=np.vstack([block.coefficients[:, 0] for block in blocks] + [run.y()]),
            coefficients=np.concatenate([block.coefficients for block in blocks]),
            evaluations=int(run.motion.evaluations),
        )

    def _called(self, name: str, y: Floats, t: float) -> Floats:
        out = np.empty(self.n)
        getattr(self.program, name)(self.vector(y), float(t), self.constants, out)
        return out

    def vector(self, y: Floats) -> Floats:
        """A state as the kernels take it."""
        vector = np.ascontiguousarray(y, float)
        if vector.shape != (self.n,):
            raise ModelError(f"StiffFlow: a state has {self.n} entries; this one has the shape {vector.shape}")
        return vector


@dataclass(frozen=True)
class Block:
    """Steps of a path: when they start, how long they are, and their polynomials as in `Path`."""

    starts: Floats
    lengths: Floats
    coefficients: Floats


class Integration:
    """One run of the kernel, without `wrt` without derivatives; `motion` is its record: see kernels/collocation.py."""

    def __init__(
        self,
        flow: StiffFlow,
        y0: Floats,
        t0: float,
        duration: float,
        wrt: Sequence[int] | None = None,
        dense: float = 0.0,
    ) -> None:
        self.flow, self.program, self.outcome = flow, flow.program, FINISHED
        if not duration >= 0:
            raise ModelError(f"StiffFlow: the duration is {duration:g}; it must not be negative")
        most = flow.sizes.PARAMETERS
        for index in wrt or ():
            if not 0 <= index <= most:
                raise ModelError(f"StiffFlow: there is no parameter {index}; there are 0 … {most}, eps last")
        motion = self.motion = flow.program.kernels.collocation.Collocation()
        motion.state[:], motion.parameter[:], motion.floor[:] = flow.vector(y0), flow.constants, flow.floor
        motion.time, motion.end_time = t0, t0 + duration
        motion.tolerance, motion.precision = 0.1 * flow.rtol, max(1e-3 * flow.rtol, 1e-14)
        motion.dense_tolerance, motion.most_steps = 0.1 * dense, flow.most_steps
        sliding = np.flatnonzero(flow.sizes.SLIDING)
        kinks = [(i, level / flow.eps) for i in sliding for level in SHAPES[flow.shape].kinks]
        motion.kinks = len(kinks)
        for k, (variable, level) in enumerate(kinks):
            motion.kink_variable[k], motion.kink_level[k] = variable, level
        if wrt is not None:
            motion.derivatives, motion.chosen = 1, len(wrt)
            motion.choice[: len(wrt)] = wrt
        flow.program.begin(motion)

    def advance(self, rows: int = 0) -> Any:
        """Go on to the end, or until so many steps are kept; the steps. Without rows none is."""
        kernels = self.program.kernels.stiff
        recording, steps = kernels.SmoothRecording(), Records(kernels.SmoothStep, rows)
        recording.room = rows
        self.outcome = self.program.integrate(self.motion, recording, steps)
        return Records(kernels.SmoothStep, int(recording.steps), steps.floats[: recording.steps])

    def blocks(self) -> Iterator[Block]:
        """The steps, as they are computed."""
        radau = self.program.kernels.radau
        powers = np.linalg.inv(np.vander(radau.POINTS, radau.STAGES, increasing=True) * radau.POINTS[:, None])
        self.outcome = PAUSED
        while self.outcome == PAUSED:
            steps = self.advance(ROWS)
            polynomials = powers @ steps.column("increment")
            coefficients = np.concatenate([steps.column("state")[:, None], polynomials], axis=1)
            yield Block(steps.column("start"), steps.column("length"), coefficients)

    def check(self) -> None:
        """Raise a sentence where the end was not reached."""
        time = self.time
        if self.outcome == STALLED:
            raise FlowError(
                f"the smoothed motion cannot be followed beyond t = {time:.9g}: the step length went to zero, as where "
                "it grows without bound",
                time,
            )
        if self.outcome == TOO_MANY_STEPS:
            raise FlowError(f"{self.flow.most_steps} steps were not enough: they reached t = {time:.9g}", time)

    @property
    def time(self) -> float:
        """The time reached."""
        return float(self.motion.time)

    def y(self) -> Floats:
        """The state reached."""
        return np.array(self.motion.state)

    def partial(self) -> Floats:
        """Derivatives of the state: by the start, the chosen parameters, the start time."""
        n = self.flow.n
        width = n + int(self.motion.chosen) + 1
        return np.asarray(self.motion.partial[: n * width]).reshape(n, width)
