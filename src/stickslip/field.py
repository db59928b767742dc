"""`Field`: a model compiled for a target, with its work arrays, ready to be integrated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from stickslip.arguments import check_model, rows, vector
from stickslip.arrays import Floats, Ints
from stickslip.artifacts import artifact, formulas_of, module
from stickslip.errors import ModelError
from stickslip.excitation import NOT_PERIODIC, Excitations, Translations
from stickslip.kernels.jacobian import jacobian
from stickslip.kernels.records import Interleaved, Records
from stickslip.kernels.trajectory import Trajectory
from stickslip.model.errors import check_number, check_range, check_whole, check_word, shown
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.targets import checked, cpu, cuda, python
from stickslip.targets.generated import EXACT, LANES, SECTIONS, SMOOTH, STIFF, KernelSet
from stickslip.targets.program import EquationsProgram, Program, SmoothProgram, StiffProgram, Target

TARGETS: Mapping[str, Target] = {"cpu": cpu, "cuda": cuda, "python": python, "checked": checked}
ALIKE = 0.02
"""Trajectories are alike that differ by less than this part of the spread of all."""

FEW_STEPS, ALL_STEPS = 20_000, 2**62
"""Steps that take no longer than a person notices, and more than there ever are."""

GROUP = 256
"""So many trajectories are worth travelling in lockstep, and the time to compile that."""

LEAST_ORDER = 6
"""Of the series of a motion: the length of a step follows from what lies between their first terms and their last."""


@dataclass(frozen=True, eq=False)
class Field(metaclass=Listing):
    """A model compiled: its right-hand side, its derivatives, and many trajectories at once. `Field.of` makes one.

    Attributes
    ----------
    model : System or Filippov
        The model.
    order : int
        The order of the Taylor series.
    target : str
        Where it runs: "cpu" or "python".
    kernels : KernelSet
        Which loops are compiled with it.
    seed : int
        Of random friction.

    See Also
    --------
    simulate : labelled runs, without compiling by hand.

    Examples
    --------
    >>> import stickslip as ss
    >>> field = ss.Field.of(ss.models.block_on_belt(), target="python", order=8)
    >>> field.evaluate([1.1, 0.0]).force.round(3).tolist()
    [0.625]
    """

    _listed: ClassVar[tuple[str, ...]] = (
        "of", "evaluate", "jacobian", "propagate", "parameters", "formulas", "source", "method",
    )  # fmt: skip

    model: Model
    order: int
    target: str
    kernels: KernelSet = EXACT
    seed: int = 0

    @classmethod
    def of(cls, model: Model, *, target: str = "cpu", order: int = 24, kernels: KernelSet = EXACT) -> Field:
        """Compile a model; compiled code is kept on disk and found again by the structure of the model.

        Parameters
        ----------
        model : System or Filippov
            The model.
        target : str, default "cpu"
            "cpu" for machine code, "python" for plain Python.
        order : int, default 24
            The order of the Taylor series.
        kernels : KernelSet, default EXACT
            Which loops are compiled with it.

        Returns
        -------
        Field
            The compiled model.

        Examples
        --------
        >>> from stickslip.model.library import block_on_belt
        >>> field = Field.of(block_on_belt(), target="python", order=8)
        >>> field.evaluate([1.1, 0.0]).force.round(3).tolist()
        [0.625]
        """
        check_model(model)
        if not isinstance(kernels, KernelSet):
            raise ModelError(f"kernels is {shown(kernels)}: give a KernelSet, or leave it out")
        check_word("target", target, TARGETS)
        check_whole("order", order, 1, 64)
        field = cls(model, order, target, kernels)
        _ = field.program  # now: what cannot be compiled is refused here, and before several threads ask for it
        return field

    @cached_property
    def program(self) -> EquationsProgram:
        """The kernels, compiled when they are first asked for: see `stickslip.targets.program`."""
        generated = artifact(self.model, "tangent" if self.kernels.tangent else "series", self.order)
        program: EquationsProgram = TARGETS[self.target].program(generated, self.kernels)
        return program

    @property
    def method(self) -> str:
        """How single steps are computed."""
        return f"Taylor series of order {self.order}, {self.target}"

    @property
    def formulas(self) -> dict[str, Any]:
        """The formula of every plain function in the model, by part."""
        return formulas_of(self.model)

    @cached_property
    def parameters(self) -> Floats:
        """Parameter values in the order of the equations."""
        values = np.array(list(self.model.parameters.values()), float)
        values.flags.writeable = False
        return values

    @cached_property
    def source(self) -> str:
        """The generated equations and recurrences, written to be read."""
        from stickslip.symbolic.equations import derive
        from stickslip.symbolic.source import Source

        return Source(derive(self.model), self.order).readable()

    def evaluate(self, z: Sequence[float] | Floats, t: float = 0.0, mode: Sequence[int] | None = None) -> Point:
        """Everything about one state: rates, sliding velocities, friction forces, in the given mode.

        Parameters
        ----------
        z : sequence of float
            The states, in the order of `model.states`.
        t : float, default 0.0
            The time.
        mode : sequence of int, optional
            One entry per contact (0 stick, ±1 slip); by default it follows from the state.

        Returns
        -------
        Point
            Rates, sliding velocities, friction forces and modes.
        """
        trajectory = self.workspace()
        trajectory.state[:] = vector("the state", z, len(trajectory.state), "states")
        trajectory.time = check_number("t", t)
        self.program.ingredients(trajectory)
        v = trajectory.v.copy()
        signs = np.sign(v).astype(np.int64) if mode is None else self._signs(mode)
        trajectory.mode[:] = signs
        self.program.ingredients(trajectory)
        force = -signs * trajectory.R
        stuck = signs == 0
        if stuck.any():
            right = -(trajectory.a + trajectory.D @ np.where(stuck, 0.0, force))[stuck]
            force[stuck] = _forces(trajectory.D[np.ix_(stuck, stuck)], right)
        rate = trajectory.f + trajectory.G @ force
        return Point(rate, v, force, kinetic=trajectory.R, static=trajectory.S, mode=signs)

    def _signs(self, mode: Sequence[int]) -> Ints:
        given = vector("the mode", mode, self.sizes.CONTACTS, "contacts")
        if not np.all(np.isin(given, (-1, 0, 1))):
            raise ModelError(f"the mode is {shown(mode)}: every contact has 0 (stick), 1 or -1 (slip)")
        return given.astype(np.int64)

    def jacobian(
        self, z: Sequence[float] | Floats, t: float = 0.0, mode: Sequence[int] | None = None
    ) -> tuple[Floats, Floats]:
        """∂ż/∂z and ∂ż/∂p in the given mode, from analytic derivatives.

        Parameters
        ----------
        z : sequence of float
            The states, in the order of `model.states`.
        t : float, default 0.0
            The time.
        mode : sequence of int, optional
            One entry per contact (0 stick, ±1 slip); by default it follows from the state.

        Returns
        -------
        tuple of two arrays
            The derivatives by the states, and by the parameters.
        """
        point = self.evaluate(z, t, mode)
        derivatives = module(self.model, "jacobian").derivatives
        return jacobian(derivatives, np.asarray(z, float), t, self.parameters, point.mode, point.force)

    @property
    def sizes(self) -> ModuleType:
        """How many states, contacts and so on the model has: see kernels/model.py."""
        return self.program.kernels.model

    def workspace(self, parameters: Floats | None = None) -> Trajectory:
        """A fresh trajectory that holds the parameters, or other values of them: see kernels/trajectory.py."""
        trajectory: Trajectory = self.program.kernels.trajectory.Trajectory()
        if parameters is not None:
            parameters = vector("the parameters", parameters, len(self.parameters), "parameters")
        trajectory.parameter[:] = self.parameters if parameters is None else parameters
        self.program.constants(trajectory)
        trajectory.seed = self.seed
        return trajectory

    def propagate(
        self,
        starts: Floats,
        t_end: float,
        *,
        parameters: Floats | None = None,
        t_start: float = 0.0,
        rtol: float = 1e-9,
        most_steps: int = 10**9,
        shortcut: bool = True,
    ) -> tuple[Floats, Ints]:
        """End states of many trajectories (one row each), and per row (status, number of events).

        From 256 rows on, several trajectories travel in lockstep on each core, where the model allows that.

        Parameters
        ----------
        starts : array
            One row of states per trajectory.
        t_end : float
            The time at which they end.
        parameters : array, optional
            One row per trajectory, in the order of `model.parameters`; by default those of the model.
        t_start : float, default 0.0
            The time at which they begin.
        rtol : float, default 1e-9
            Relative tolerance of a step.
        most_steps : int, default 10**9
            Steps after which a trajectory is given up.
        shortcut : bool, default True
            Whether one that repeats itself leaves out whole cycles.

        Returns
        -------
        tuple of two arrays
            The end states, and (status, number of events) per row.
        """
        if self.order < LEAST_ORDER:
            raise ModelError(f"order is {self.order}: motions need series of order {LEAST_ORDER} at least")
        starts = rows("starts", starts, self.sizes.STATES)
        if parameters is None:
            parameters = np.tile(self.parameters, (len(starts), 1))
        parameters = rows("parameters", parameters, self.sizes.PARAMETERS)
        if len(parameters) != len(starts):
            raise ModelError(
                f"there are {len(starts)} starts and {len(parameters)} rows of parameters: each trajectory has one"
            )
        times = check_number("t_start", t_start), check_number("t_end", t_end)
        check_range("rtol", rtol, 1e-16, 1e-2)
        check_whole("most_steps", most_steps)
        if len(starts) < GROUP or self.lanes is None:
            return self._one_by_one(starts, parameters, times, rtol, most_steps)
        return self._in_lockstep(starts, parameters, times, rtol, most_steps, shortcut)

    @cached_property
    def lanes(self) -> Program | None:
        """The kernels for trajectories in lockstep, compiled; None where the model has what they do not do."""
        return None if self.target == "python" else lane_program(self.model, self.order, self.target)

    @cached_property
    def section_lanes(self) -> Program | None:
        """The same for sections and maxima."""
        return None if self.target == "python" else lane_program(self.model, self.order, self.target, SECTIONS)

    @cached_property
    def _periods(self) -> Callable[[Floats], Floats]:
        return compile_forcings(self.model)

    def _one_by_one(
        self, starts: Floats, parameters: Floats, times: tuple[float, float], rtol: float, most_steps: int
    ) -> tuple[Floats, Ints]:
        """The first steps are made at once: to be ended by Ctrl-C would cost as much as a few steps do."""
        m, count = self.program, len(starts)
        kernels = m.kernels.ensemble
        trajectory, ensemble = m.kernels.trajectory.Trajectory(), kernels.Ensemble()
        trajectory.tolerance = rtol
        ensemble.start_time, ensemble.end_time = times
        ensemble.most_steps, ensemble.count = most_steps, count
        begin = Records(kernels.Start, count, np.hstack([starts, parameters]))
        ends = Records(kernels.End, count)
        if self.target == "cpu":
            ensemble.pause_after = FEW_STEPS
            ensemble.first = m.at_once.propagate(trajectory, ensemble, begin, ends)
        if ensemble.first < count:
            ensemble.pause_after = ALL_STEPS
            m.propagate(trajectory, ensemble, begin, ends)
        return ends.floats, ends.integers

    def _in_lockstep(
        self,
        starts: Floats,
        parameters: Floats,
        times: tuple[float, float],
        rtol: float,
        most_steps: int,
        shortcut: bool = True,
    ) -> tuple[Floats, Ints]:
        """All trajectories in lockstep; then one by one those that were given up."""
        m, count = self.lanes, len(starts)
        assert m is not None
        convoy, ends = m.kernels.convoy.Convoy(), Records(m.kernels.ensemble.End, count)
        begin = Records(m.kernels.lockensemble.Departure, count)
        convoy.trajectories, convoy.most_steps = count, most_steps
        convoy.start_time, convoy.end_time = times
        convoy.log_tolerance, convoy.patience = math.log2(rtol), patience(m, starts, parameters)
        begin.column("state")[:], begin.column("parameter")[:] = starts, parameters
        begin.column("excitation_period")[:] = known(self._periods(parameters)) if shortcut else NOT_PERIODIC
        m.propagate_lanes(convoy, m.kernels.trajectory.Trajectory(), lanes_of(m), begin, ends)
        left = ends.column("status") != 0
        if left.any():
            ends.floats[left], ends.integers[left] = self._one_by_one(
                starts[left], parameters[left], times, rtol, most_steps
            )
        return ends.floats, ends.integers


def _forces(delassus: Floats, right: Floats) -> Floats:
    """Sticking forces; redundant contacts have no unique ones, and get the smallest."""
    try:
        return np.asarray(np.linalg.solve(delassus, right), float)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(delassus, right, rcond=1e-12)[0], float)


@dataclass(frozen=True)
class Point:
    """The equations evaluated at one state: rates ż, and per contact v, λ, R, S and the mode."""

    rate: Floats
    v: Floats
    force: Floats
    kinetic: Floats
    static: Floats
    mode: Ints


def patience(m: Program, starts: Floats, parameters: Floats) -> float:
    """How many ticks trajectories in lockstep wait for each other: see `wait_is_over` of kernels/lockstep.py.

    Where those that follow each other differ by a small part of the spread of all, they do much the same, and waiting
    keeps them together; with several contacts they soon do not.
    """
    some = np.linspace(0, max(len(starts) - 2, 0), 500).astype(int)
    here, there = (np.hstack([starts[i], parameters[i]]) for i in (some, (some + 1) % len(starts)))
    spread = np.ptp(here, axis=0)
    apart = np.abs(there - here)[:, spread > 0] / spread[spread > 0]
    alike = not apart.size or np.median(apart.max(axis=1)) < ALIKE
    kernel = m.kernels.lockstep
    return float(kernel.PATIENT if alike and m.kernels.model.CONTACTS == 1 else kernel.IMPATIENT)


def lanes_of(m: Program) -> Interleaved[Any]:
    """Room for the trajectories that travel together on a core."""
    lane, count = m.kernels.lane.Lane, m.kernels.machine.LANES
    return Interleaved(lane, count, cpu.aligned(lane.FLOATS * count))


def lane_program(model: Model, order: int, target: str = "cpu", kernels: KernelSet = LANES) -> Program | None:
    """The kernels for trajectories in lockstep; None where the model has what they do not do."""
    generated = artifact(model, "lanes", order)
    program: Program | None = TARGETS[target].program(generated, kernels) if generated.text else None
    return program


def compile_smooth(model: Model, shape: str) -> SmoothProgram:
    """The smoothed equations of a model for stiff solvers, compiled: see `stickslip.kernels.flow`."""
    program: SmoothProgram = TARGETS["cpu"].program(artifact(model, "smooth", shape), SMOOTH)
    return program


def compile_stiff(model: Model, shape: str) -> StiffProgram:
    """The same with a compiled integrator and derivatives by the parameters: see `stickslip.kernels.stiff`."""
    program: StiffProgram = TARGETS["cpu"].program(artifact(model, "stiff", shape), STIFF)
    return program


def compile_balance(model: Model) -> ModuleType:
    """The conditions of rest of a model and their derivatives: see `stickslip.symbolic.balance`."""
    return module(model, "balance")


def compile_excitations(model: Model) -> Excitations:
    """How time appears in the equations of a model.

    >>> from stickslip.model.library import forced_oscillator
    >>> model = forced_oscillator(u0=0.0)
    >>> compile_excitations(model).at(list(model.parameters.values())).exists
    False
    """

    return Excitations(module(model, "forcing"))


def compile_translations(model: Model) -> Translations:
    """How the motion of a model may advance and yet repeat itself, and what excites it besides.

    >>> import stickslip as ss
    >>> slide, drive = ss.Mass("slide", m=1.0), ss.Base("drive", motion=lambda t, feed=0.5: feed * t)
    >>> model = ss.System(ss.Spring(slide, drive, k=1.0), ss.Contact(slide, ss.ground, law=ss.Coulomb(0.3)))
    >>> compile_translations(model).moving(list(model.parameters.values())).tolist()
    [0.5, 0.0]
    """

    return Translations(module(model, "translations"))


def compile_forcing(model: Model) -> Callable[[Floats], float]:
    """The period of the excitation as a function of the parameters; 0 without any, −1 where it is not periodic.

    It is that of all waves in the equations, also where the amplitude of some happens to be zero.

    >>> from stickslip.model.library import forced_oscillator
    >>> model = forced_oscillator(eta=0.5)
    >>> round(compile_forcing(model)(np.array(list(model.parameters.values()))), 6)
    12.566371
    """
    periods = compile_excitations(model).periods
    return lambda parameters: float(periods(np.asarray(parameters, float)[None, :])[0])


def compile_forcings(model: Model) -> Callable[[Floats], Floats]:
    """The same for many rows of parameters; infinite where it cannot be computed.

    >>> from stickslip.model.library import forced_oscillator
    >>> model = forced_oscillator(eta=0.5)
    >>> compile_forcings(model)(np.array([list(model.parameters.values())])).round(6).tolist()
    [12.566371]
    """
    return compile_excitations(model).periods


def known(periods: Floats) -> Floats:
    """Periods of the excitation that can be counted with; all others are −1."""
    return np.where(np.isfinite(periods) & (periods != NOT_PERIODIC), np.abs(periods), NOT_PERIODIC)


def compile_forms(model: Model) -> ModuleType:
    """Second and third derivatives of the conditions of rest: see `stickslip.symbolic.normal_form`."""
    return module(model, "forms")
