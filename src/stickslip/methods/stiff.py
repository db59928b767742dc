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
from numpy.typing import NDArray

from stickslip.errors import FlowError, ModelError
from stickslip.field import compile_stiff
from stickslip.model.errors import check_number, check_whole
from stickslip.model.shapes import SHAPES, check_static, shape_named
from stickslip.model.system import Model

Floats = NDArray[np.float64]

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
        self.program: Any = compile_stiff(model, shape)
        self.n: int = self.program.N_STATES
        self._set(np.array(list(model.parameters.values()) if parameters is None else parameters, float))

    def _set(self, parameters: Floats) -> None:
        m = self.program
        if parameters.shape != (m.N_PARAMETERS,):
            raise ModelError(
                f"StiffFlow: parameters have the shape {parameters.shape}; the model has {m.N_PARAMETERS}: "
                f"{', '.join(self.model.parameters)}"
            )
        self.parameters = parameters
        self.constants = np.array([*parameters, self.eps, *m.TABLES])
        self.floor = np.where(m.SLIDING, 1 / self.eps, -0.1)
        friction = np.empty((3, len(self.model.contacts)))
        start = self.exchanged(np.array(self.model.start_state()), 0.0)
        m.characteristics(start, 0.0, 0.0, self.constants, friction.reshape(-1))
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
        run.advance(np.empty(0), 0)
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
            steps=run.count("STEPS"),
            evaluations=run.count("EVALUATIONS"),
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
            evaluations=run.count("EVALUATIONS"),
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
    """One run of the kernel, with its work arrays. Without `wrt` there are no derivatives."""

    def __init__(
        self,
        flow: StiffFlow,
        y0: Floats,
        t0: float,
        duration: float,
        wrt: Sequence[int] | None = None,
        dense: float = 0.0,
    ) -> None:
        m = self.program = flow.program
        self.flow, self.outcome, n = flow, 0, flow.n
        if not duration >= 0:
            raise ModelError(f"StiffFlow: the duration is {duration:g}; it must not be negative")
        for index in wrt or ():
            if not 0 <= index <= m.N_PARAMETERS:
                raise ModelError(f"StiffFlow: there is no parameter {index}; there are 0 … {m.N_PARAMETERS}, eps last")
        self.floats, self.integers = np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64)
        self.work = (np.zeros(n), np.zeros(n), np.zeros(n * n), np.zeros(n * m.COLUMNS))
        K, I = self.floats, self.integers  # noqa: E741
        K[m.TIME], K[m.END] = t0, t0 + duration
        K[m.TOLERANCE], K[m.PRECISION] = 0.1 * flow.rtol, max(1e-3 * flow.rtol, 1e-14)
        K[m.DENSE] = 0.1 * dense
        K[m.FLOOR : m.FLOOR + n] = flow.floor
        kinks = [(i, level / flow.eps) for i in np.flatnonzero(m.SLIDING) for level in SHAPES[flow.shape].kinks]
        I[m.KINKS] = len(kinks)
        for k, (i, level) in enumerate(kinks):
            I[m.KINK_STATE + k], K[m.KINK_LEVEL + k] = i, level
        if wrt is not None:
            I[m.DERIVATIVES], I[m.CHOSEN] = 1, len(wrt)
            I[m.CHOICE : m.CHOICE + len(wrt)] = wrt
        m.start_collocation(flow.vector(y0), flow.constants, K, I, *self.work[:2])

    def advance(self, record: Floats, room: int) -> None:
        """Go on to the end, or until the record is full."""
        self.integers[self.program.FILLED] = 0
        self.outcome = self.program.collocate(
            self.flow.constants, self.floats, self.integers, *self.work, self.flow.most_steps, record, room
        )

    def blocks(self) -> Iterator[Block]:
        """The steps, as they are computed."""
        m, n = self.program, self.flow.n
        record = np.empty((ROWS, m.RECORD_WIDTH))
        powers = np.linalg.inv(np.vander(m.POINTS, m.STAGES, increasing=True) * m.POINTS[:, None])
        self.outcome = m.PAUSED
        while self.outcome == m.PAUSED:
            self.advance(record.reshape(-1), ROWS)
            rows = record[: self.count("FILLED")].copy()
            increments = rows[:, 2 + n :].reshape(len(rows), m.STAGES, n)
            yield Block(rows[:, 0], rows[:, 1], np.concatenate([rows[:, None, 2 : 2 + n], powers @ increments], axis=1))

    def check(self) -> None:
        """Raise a sentence where the end was not reached."""
        time = self.time
        if self.outcome == self.program.STALLED:
            raise FlowError(
                f"the smoothed motion cannot be followed beyond t = {time:.9g}: the step length went to zero, as where "
                "it grows without bound",
                time,
            )
        if self.outcome == self.program.TOO_MANY_STEPS:
            raise FlowError(f"{self.flow.most_steps} steps were not enough: they reached t = {time:.9g}", time)

    @property
    def time(self) -> float:
        """The time reached."""
        return float(self.floats[self.program.TIME])

    def y(self) -> Floats:
        """The state reached."""
        m = self.program
        return self.floats[m.ORIGIN : m.ORIGIN + self.flow.n].copy()

    def partial(self) -> Floats:
        """Derivatives of the state: by the start, the chosen parameters, the start time."""
        m, n = self.program, self.flow.n
        width = n + self.count("CHOSEN") + 1
        return self.floats[m.PARTIAL : m.PARTIAL + n * width].reshape(n, width)

    def count(self, name: str) -> int:
        return int(self.integers[getattr(self.program, name)])
