"""What a target makes of a generated module: a program, with the kernels that were asked for as its functions.

These are types. A program has its entry points under their own names; what they do is said where they are written, in
`kernels/`. Records of one model are made by `program.kernels`: `program.kernels.runge_kutta.FixedStep()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stickslip.kernels.records import Floats
from stickslip.kernels.trajectory import Trajectory
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.modules import Library


@dataclass(frozen=True)
class Columns:
    """What trajectories have recorded, one after another, a row for each entry."""

    time: Floats
    contact: NDArray[np.int16]
    mode: NDArray[np.int8]
    state: Floats

    @classmethod
    def room(cls, count: int, states: int) -> Columns:
        """Room for so many rows: each is written before it is read."""
        return cls(np.empty(count), np.empty(count, np.int16), np.empty(count, np.int8), np.empty((count, states)))


class Program(Protocol):
    """Functions of kernels, called with records and numpy arrays."""

    @property
    def kernels(self) -> Library:
        """The kernel modules of the model."""

    def __getattr__(self, name: str) -> Any:
        """An entry point by its own name."""


class EquationsProgram(Program, Protocol):
    """The equations of a model, and the entry points of a method: see `kernels/model.py`."""

    def constants(self, trajectory: Trajectory) -> None:
        """Fill the constants from the parameters."""

    def ingredients(self, trajectory: Trajectory) -> None:
        """Fill f, G, v, R, S, a, D at the present state and time."""


class SmoothProgram(Program, Protocol):
    """The smoothed equations of a model: see `kernels/flow.py`."""

    def rates(self, y: Floats, t: float, parameters: Floats, out: Floats, /) -> None:
        """dy/dt."""

    def slopes(self, y: Floats, t: float, parameters: Floats, out: Floats, /) -> None:
        """∂(dy/dt)/∂y."""

    def exchanged(self, z: Floats, t: float, parameters: Floats, out: Floats, /) -> None:
        """The solver's variables of a state."""

    def exchange_slopes(self, z: Floats, t: float, parameters: Floats, out: Floats, /) -> None:
        """∂y/∂z of these variables."""

    def characteristics(self, y: Floats, t: float, speed: float, parameters: Floats, out: Floats, /) -> None:
        """Friction at a slip speed, static, at rest."""

    def observed(self, y: Floats, times: Floats, count: int, parameters: Floats, out: Floats, /) -> None:
        """What a run shows, for many points."""


class StiffProgram(SmoothProgram, Protocol):
    """The smoothed equations with their integrator: see `kernels/stiff.py`."""

    def begin(self, motion: Any, /) -> None:
        """Begin at the state of the motion."""

    def integrate(self, motion: Any, recording: Any, steps: Any, /) -> int:
        """Advance to the end, or until the record is full."""


class Target(Protocol):
    """Where programs run."""

    def program(self, generated: Generated, kernels: KernelSet) -> Any:
        """The entry points of `kernels`, with the generated module in its place."""
