"""Fixed Runge–Kutta steps with the transitions located by inversion or by bisection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.kernels.trajectory import Trajectory
from stickslip.methods.base import Consume, Loop, Method, Report, Summary, check_run, march
from stickslip.model.errors import check_number
from stickslip.model.system import Model
from stickslip.targets.generated import FIXED

ORDER = 3
"""Of the series: a step is kept as a cubic."""


@dataclass(frozen=True)
class _FixedStep(Method):
    """What both methods share: the step, and how the kernel is run."""

    step: float
    most_steps: int = 10**8
    target: str = "cpu"

    def __post_init__(self) -> None:
        check_number(f"{type(self).__name__}: step", self.step, positive=True)
        check_run(self)

    def compile(self, model: Model) -> Field:
        return Field.of(model, target=self.target, order=ORDER, kernels=FIXED)

    @property
    def _choice(self) -> tuple[str, float]:
        """How transitions are located, by its name in kernels/runge_kutta.py, and the band of small velocities."""
        raise NotImplementedError

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        m = field.program
        kernels = m.kernels.runge_kutta
        fixed = kernels.FixedStep()
        fixed.step, fixed.most_steps = self.step, self.most_steps
        choice, fixed.band = self._choice
        fixed.method = getattr(kernels, choice)

        def advance(trajectory: Trajectory, *record: Any) -> int:
            return int(m.march_fixed(trajectory, fixed, *record))

        return march(field, start, times, report, consume, Loop(m.begin, advance, {"step_guess": self.step}))


@dataclass(frozen=True)
class Henon(_FixedStep):
    """Classical Runge–Kutta steps; at a transition Hénon's inversion of all states lands on it in one step.

    Fourth order in `step`. Reference: Hénon, Physica D 5 (1982) 412; vandevrande1999 App. A; awrejcewicz2002 Sec. 7.

    Parameters
    ----------
    step : float
        The length of the steps, in units of time; positive.
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
    Bisection : transitions by halving the step.
    Exact : the method of choice.

    Examples
    --------
    >>> Henon(step=1e-2).step
    0.01
    """

    @property
    def _choice(self) -> tuple[str, float]:
        return "HENON", 0.0


@dataclass(frozen=True)
class Bisection(_FixedStep):
    """Classical Runge–Kutta steps; a transition is found by halving the step.

    Fourth order in `step` because the branch of the sign function is frozen inside a step.

    Parameters
    ----------
    step : float
        The length of the steps, in units of time; positive.
    most_steps : int, default 10**8
        Where to give up.
    target : str, default "cpu"
        "cpu" (compiled) or "python".
    band : float, default 0.0
        A contact is taken to stick as soon as |v| < band (wiercigroch1994 Eq. 6), a speed.
    live : bool, default False
        Whether the sign of v is followed at every stage, as is often programmed; the order then drops to one.

    Raises
    ------
    ModelError
        If a number is not allowed, or there is no such target.

    See Also
    --------
    Henon : transitions in one step.
    Exact : the method of choice.

    Examples
    --------
    >>> Bisection(step=1e-2, band=1e-6).band
    1e-06
    """

    band: float = 0.0
    live: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("Bisection: band", self.band, nonnegative=True)
        if not isinstance(self.live, bool):
            raise ModelError(f"Bisection: live is {self.live!r}; it must be True or False")

    @property
    def _choice(self) -> tuple[str, float]:
        return ("LIVE" if self.live else "BISECTION"), float(self.band)
