"""TimeStepping: Moreau–Jean time-stepping, fixed steps with one friction problem each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stickslip.arrays import Floats
from stickslip.field import Field
from stickslip.kernels.trajectory import Trajectory
from stickslip.methods.base import Consume, Loop, Method, Report, Summary, check_run, march, refuse_memory
from stickslip.model.errors import check_number, check_range
from stickslip.model.system import Model
from stickslip.targets.generated import KernelSet

KERNELS = KernelSet(
    "timestepping", ("model.constants", "model.ingredients", "timestepping.begin", "timestepping.integrate")
)
DEGREE = 1
"""Degree of the polynomials of a step: the method knows values at its ends, no more."""


@dataclass(frozen=True)
class TimeStepping(Method):
    """Moreau–Jean time-stepping: no events, one friction problem for all contacts in each step of fixed length.

    First order in `step`. For many contacts that stick and slip all the time, where following every event costs more
    than it is worth.

    Velocities at the end of a step and friction forces λ ∈ −bound·Sign(v) are found together, to a relative precision
    of 1e-12. The bound of a contact is its static limit where it sticks at the start of the step, else the kinetic
    friction at the sliding velocity there: how friction depends on velocity is treated explicitly, which is what limits
    the order to one. A law so steep that this goes wrong ends the run with a sentence. A contact changes its mode at
    the end of a step, whenever in the step that happened; where v passes zero it may stick for one step.

    Reference: Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235–257.

    Parameters
    ----------
    step : float
        Length of the steps; at most a tenth of the shortest natural period, else the run ends at once and says so.
    theta : float, default 0.5
        Weight of the end of the step in the forces other than friction and in the velocities that move the positions;
        1/2 keeps the energy of oscillations, 1 damps them. Below 1/2 oscillations would grow.
    most_steps : int, default 10**8
        Where to give up.
    target : str, default "cpu"
        "cpu" (compiled) or "python".

    Raises
    ------
    ModelError
        If a number is not allowed, or there is no such target.

    See Also
    --------
    Exact : follows every event.
    models.chain : a model with many contacts.

    Examples
    --------
    >>> TimeStepping(step=1e-3).theta
    0.5
    """

    step: float
    theta: float = 0.5
    most_steps: int = 10**8
    target: str = "cpu"

    def __post_init__(self) -> None:
        check_number("TimeStepping: step", self.step, positive=True)
        check_range("TimeStepping: theta", self.theta, 0.5, 1.0)
        check_run(self)

    def compile(self, model: Model) -> Field:
        """The model, compiled for this method."""
        refuse_memory(model, "TimeStepping")
        return Field.of(model, target=self.target, order=DEGREE, kernels=KERNELS)

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        m = field.program
        stepping, problem = m.kernels.timestepping.MoreauStep(), m.kernels.friction_problem.FrictionProblem()
        stepping.step, stepping.theta, stepping.most_steps = self.step, self.theta, self.most_steps

        def begin(trajectory: Trajectory) -> int:
            return int(m.begin(trajectory, stepping, problem))

        def advance(trajectory: Trajectory, *record: Any) -> int:
            return int(m.integrate(trajectory, stepping, problem, *record))

        return march(field, start, times, report, consume, Loop(begin, advance))
