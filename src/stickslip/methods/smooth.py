"""Smoothing: friction made steep instead of discontinuous, integrated by a stiff solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.field import Field, compile_smooth, compile_stiff
from stickslip.methods.base import Consume, Method, Report, Summary, check_run, refuse_memory
from stickslip.methods.stiff import Integration, StiffFlow
from stickslip.model.errors import check_number, check_range, check_word
from stickslip.model.shapes import SHAPES, check_static, shape_named
from stickslip.model.system import Model
from stickslip.status import Status

SOLVERS = ("Collocation", "Radau", "BDF", "LSODA")
DEGREE = 5
"""Degree of the polynomials that stand for one step."""

BLOCK = 1000
"""Steps in one block of the record."""

_NODES = (1 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2
_INVERSE = np.linalg.inv(np.vander(_NODES[1:], DEGREE, increasing=True) * _NODES[1:, None])
"""From values at the Chebyshev points of a unit step, less the first, to the coefficients of τ, τ², …"""


@dataclass(frozen=True)
class Smoothing(Method):
    """The friction of every contact smoothed, and the stiff equations integrated by an implicit solver.

    A smoothed contact never sticks. To compare with runs that do, it counts as sticking (mode 0) while |v| is below the
    speed at which the smoothed friction is largest, since beyond it the friction falls and the contact runs away; where
    friction rises for good (Coulomb), below the speed at which it has reached 99 % of its limit. Events are where that
    changes, so the error of their times is that of the smoothing. For "quartic" the speed is 1/eps.

    Reference: vandevrande1999 Eqs. (4) and (18), awrejcewicz2002 Eq. (5).

    Parameters
    ----------
    eps : float
        The steepness, in 1/speed, as in `System.smoothed`.
    shape : str, default "arctan"
        "arctan", "tanh", "quartic" or "quartic_one_sided", as in `System.smoothed`.
    rtol : float, default 1e-8
        Bounds the error of each step relative to the size of every state, and of sliding velocities also relative to
        1/eps, the width of the steep part.
    solver : str, default "Collocation"
        "Collocation", which is compiled (Radau formulas of order nine), or one of SciPy's: "Radau" (order five), "BDF"
        or "LSODA". The Jacobian is analytic.
    most_steps : int, default 10**7
        Where to give up.

    Raises
    ------
    ModelError
        If a number is not allowed, or there is no such shape or solver.

    See Also
    --------
    System.smoothed : the smoothed system itself.
    Exact : no smoothing, stick exact.

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=20, method=Smoothing(eps=1e3, rtol=1e-6))
    >>> run.event_after.values.tolist()
    [0, -1, 0]
    """

    eps: float
    shape: str = "arctan"
    rtol: float = 1e-8
    solver: str = "Collocation"
    most_steps: int = 10**7

    def __post_init__(self) -> None:
        check_number("Smoothing: eps", self.eps, positive=True)
        shape_named(self.shape, "Smoothing")
        check_word("solver", self.solver, SOLVERS, "Smoothing: ")
        check_range("Smoothing: rtol", self.rtol, 1e-13, 1e-2)
        check_run(self)

    def compile(self, model: Model) -> Field:
        """The model as it is: its equations without smoothing check the start and give the formulas."""
        refuse_memory(model, "Smoothing")
        return Field(model, order=4, target="python")

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        program = (compile_stiff if self.solver == "Collocation" else compile_smooth)(field.model, self.shape)
        flow = _Flow(field, program, self.shape, float(self.eps))
        flow.check(start, times[0])
        record = _Record(flow, start, times[0], consume)
        steps, status = 0, None
        try:
            for steps, advance in enumerate(self._steps(flow, start, times), 1):
                status = record.add(*advance)
                if status is None and steps >= self.most_steps:
                    status = Status.TOO_MANY_STEPS
                if status is not None:
                    break
                report(record.time)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        record.flush()
        if status is None:
            status = Status.FINISHED if record.time >= times[1] else Status.STALLED
        return Summary(record.event_rows(), status, record.time, record.culprit, steps, flow.evaluations)

    def _steps(self, flow: _Flow, start: Floats, times: tuple[float, float]) -> Iterator[tuple[float, Dense]]:
        """End time and dense output of every step; ends early where the solver gives up."""
        if self.solver == "Collocation":
            yield from self._collocated(flow, start, times)
        else:
            yield from self._by_scipy(flow, start, times)

    def _collocated(self, flow: _Flow, start: Floats, times: tuple[float, float]) -> Iterator[tuple[float, Dense]]:
        stiff = StiffFlow(flow.model, self.eps, self.shape, self.rtol, most_steps=self.most_steps)
        run = Integration(stiff, flow.exchanged(start, times[0]), times[0], times[1] - times[0], dense=self.rtol)
        for block in run.blocks():
            flow.evaluations = int(run.motion.evaluations)
            ends = np.append(block.starts[1:], run.time)
            for k, end in enumerate(ends):
                yield float(end), _polynomial(block.starts[k], block.lengths[k], block.coefficients[k])

    def _by_scipy(self, flow: _Flow, start: Floats, times: tuple[float, float]) -> Iterator[tuple[float, Dense]]:
        from scipy import integrate

        y = flow.exchanged(start, times[0])
        largest = np.abs(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a solver that gives up says so by its status, too
            make = getattr(integrate, self.solver)
            tolerances = {"rtol": self.rtol, "atol": self._absolute(flow, largest)}
            solver = make(flow.rates, times[0], y, times[1], jac=flow.slopes, **tolerances)
            while solver.status == "running":
                before = solver.t
                try:
                    solver.step()
                except (ValueError, np.linalg.LinAlgError):  # what is not finite has no step
                    return
                if solver.status == "failed" or solver.t <= before or not np.all(np.isfinite(solver.y)):
                    return
                yield solver.t, solver.dense_output()
                if self.solver != "LSODA":  # which keeps its tolerances where we cannot reach them
                    largest = np.maximum(largest, np.abs(solver.y))
                    solver.atol = self._absolute(flow, largest)

    def _absolute(self, flow: _Flow, largest: Floats) -> Floats:
        """Absolute tolerances: a tenth of the relative one at the largest value so far; 1/ε measures sliding."""
        size = np.where(flow.sliding, 1 / self.eps, 0.1 * largest + 1e-6)
        return np.asarray(self.rtol * size, float)


Dense = Callable[[Any], Floats]


def _polynomial(begin: float, length: float, coefficients: Floats) -> Dense:
    """Dense output of one step: one column per time."""

    def dense(t: Any) -> Floats:
        return np.asarray(np.polynomial.polynomial.polyval((np.asarray(t) - begin) / length, coefficients), float)

    return dense


class _Flow:
    """The compiled smoothed equations of one model with its parameters, as a solver wants to call them."""

    def __init__(self, field: Field, program: Any, shape: str, eps: float) -> None:
        self.model, self.program, self.shape, self.eps = field.model, program, shape, eps
        self.constants = np.array([*field.parameters, eps])
        self.states, self.contacts = len(field.model.states), len(field.model.contacts)
        self.evaluations = 0
        self._slopes = np.zeros((self.states, self.states))

    def rates(self, t: float, y: Floats) -> Floats:
        self.evaluations += 1
        out = np.empty(self.states)
        self.program.rates(np.ascontiguousarray(y, float), float(t), self.constants, out)
        return out

    def slopes(self, t: float, y: Floats) -> Floats:
        self.evaluations += 1
        self.program.slopes(np.ascontiguousarray(y, float), float(t), self.constants, self._slopes)
        return self._slopes.copy()

    def exchanged(self, z: Floats, t: float) -> Floats:
        """The solver's variables of a state."""
        out = np.empty(self.states)
        self.program.exchanged(np.ascontiguousarray(z, float), float(t), self.constants, out)
        return out

    @property
    def sliding(self) -> np.ndarray:
        """Which of the solver's variables are sliding velocities."""
        return np.array(self.program.kernels.flow.SLIDING, bool)

    def observed(self, y: Floats, times: Floats) -> Observed:
        """What a run shows at some times, from the solver's variables there (one row each)."""
        n, m = self.states, self.contacts
        out = np.empty((len(times), n + 4 * m))
        flat = (np.ascontiguousarray(y, float).reshape(-1), np.ascontiguousarray(times, float), len(times))
        self.program.observed(*flat, self.constants, out.reshape(-1))
        return Observed(out[:, : n + 2 * m], out[:, n : n + m], out[:, n + 2 * m : n + 3 * m], out[:, n + 3 * m :])

    def check(self, start: Floats, t: float) -> None:
        """Refuse a shape that the static friction of a contact does not allow."""
        self.start, self.start_time = self.exchanged(start, t), t
        static, at_rest = self._characteristics(0.0)[1:]
        for name, high, low in zip(self.model.contacts, static, at_rest, strict=True):
            check_static(self.shape, float(high), float(low), f"Smoothing, contact {name!r}")

    def _characteristics(self, speed: float) -> Floats:
        """Per contact: smoothed friction at a slip speed, static friction, kinetic friction at rest."""
        out = np.empty((3, self.contacts))
        self.program.characteristics(self.start, self.start_time, speed, self.constants, out.reshape(-1))
        return out

    @cached_property
    def stick_speeds(self) -> Floats:
        """The slip speed below which each contact counts as sticking; see `Smoothing`."""
        shape = SHAPES[self.shape]
        if shape.peak is not None:
            return np.full(self.contacts, shape.peak / self.eps)
        speeds = np.geomspace(1e-2, 1e8, 401) / self.eps
        friction = np.array([self._characteristics(u)[0] for u in speeds])
        return np.array([self._peak(i, speeds, friction[:, i], shape.full) for i in range(self.contacts)])

    def _peak(self, contact: int, speeds: Floats, friction: Floats, full: float) -> float:
        from scipy.optimize import minimize_scalar

        # Differences at the level of round-off are no maximum.
        falling = np.nonzero(np.diff(friction) < -1e-12 * np.abs(friction[:-1]))[0]
        if len(falling) == 0 or falling[0] == 0 or not np.all(np.isfinite(friction[: falling[0] + 2])):
            return full / self.eps
        low, high = speeds[falling[0] - 1], speeds[falling[0] + 1]
        found = minimize_scalar(
            lambda u: -self._characteristics(u)[0][contact], bounds=(low, high), method="bounded", options={"xatol": 0}
        )
        return float(found.x)


@dataclass(frozen=True)
class Observed:
    """Rows of (states, sliding velocities, forces); and apart v, kinetic friction and normal force per contact."""

    values: Floats
    v: Floats
    kinetic: Floats
    normal: Floats


class _Record:
    """Turns the solver's steps into polynomials, cut where a mode changes."""

    def __init__(self, flow: _Flow, start: Floats, t: float, consume: Consume) -> None:
        self.flow, self.consume, self.time = flow, consume, t
        self.rows: list[Floats] = []
        self.events: list[Floats] = []
        self.culprit: str | None = None
        self.bounds = flow.stick_speeds[:, None] * np.array([-1.0, 1.0])
        v = flow.observed(flow.exchanged(start, t), np.array([t])).v[0]
        self.above = v[:, None] > self.bounds
        self.mode = self.above.sum(axis=1) - 1

    def add(self, end: float, dense: Dense) -> Status | None:
        """Record the motion to `end`; a status where the model ceases to hold on the way."""
        times, seen = self._sampled(self.time, end, dense)
        for wrong, status in (
            (seen.normal <= 0, Status.LIFT_OFF),
            (seen.kinetic < 0, Status.NEGATIVE_FRICTION),
        ):
            if wrong.any():
                self.culprit = self.flow.model.contacts[int(np.nonzero(wrong.any(axis=0))[0][0])]
                return status
        for at, contact, after in self._changes(times, seen.v, dense):
            self._piece(at, dense)
            state = self.flow.observed(dense(at), np.array([at])).values[0, : self.flow.states]
            self.events.append(np.array([at, contact, self.mode[contact], after, *state]))
            self.mode[contact] = after
        self._piece(end, dense)
        if len(self.rows) >= BLOCK:
            self.flush()
        return None

    def _sampled(self, begin: float, end: float, dense: Dense) -> tuple[Floats, Observed]:
        times = begin + (end - begin) * _NODES
        times[-1] = end
        return times, self.flow.observed(dense(times).T, times)

    def _changes(self, times: Floats, v: Floats, dense: Dense) -> list[tuple[float, int, int]]:
        """Where sliding velocities pass the stick speed: (time, contact, mode after), in order."""
        found = []
        above = v[:, :, None] > self.bounds
        # The dense output of one step need not begin quite where that of the last one ended.
        above[0], self.above = self.above, above[-1]
        for k, contact, which in np.argwhere(above[1:] != above[:-1]):
            at = self._crossing(contact, self.bounds[contact, which], times[k], times[k + 1], dense)
            found.append((at, int(contact), int(which) - 1 + int(above[k + 1, contact, which])))
        return sorted(found)

    def _crossing(self, contact: int, bound: float, low: float, high: float, dense: Dense) -> float:
        from scipy.optimize import brentq

        def distance(t: float) -> float:
            return float(self.flow.observed(dense(t), np.array([t])).v[0, contact]) - bound

        if distance(low) * distance(high) > 0:
            return float(low)
        return float(brentq(distance, low, high, xtol=1e-14 * max(1.0, abs(high)), rtol=1e-14))

    def _piece(self, end: float, dense: Dense) -> None:
        """The polynomials from the time reached to `end`."""
        length = end - self.time
        if length > 0:
            _, seen = self._sampled(self.time, end, dense)
            first = seen.values[0]
            powers = length ** -np.arange(1.0, DEGREE + 1)
            series = np.vstack([first, (_INVERSE @ (seen.values[1:] - first)) * powers[:, None]])
            self.rows.append(np.concatenate([[self.time, length], self.mode, series.T.reshape(-1)]))
            self.time = end

    def flush(self) -> None:
        """Hand over what is finished."""
        quantities = self.flow.states + 2 * self.flow.contacts
        width = 2 + self.flow.contacts + quantities * (DEGREE + 1)
        self.consume(np.array(self.rows).reshape(-1, width))
        self.rows = []

    def event_rows(self) -> Floats:
        return np.array(self.events).reshape(-1, 4 + self.flow.states)
