"""Fixed Runge–Kutta steps with the transitions located by inversion or by bisection."""

from __future__ import annotations

from dataclasses import dataclass

from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.methods.base import Consume, Floats, Method, Report, Trajectory, check_run, march
from stickslip.model.errors import check_number
from stickslip.model.system import Model
from stickslip.targets import join

ORDER = 3
_HENON, _BISECTION, _LIVE = range(3)


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
        return Field.of(model, target=self.target, order=ORDER, kernels=join.FIXED)

    @property
    def _choice(self) -> tuple[int, float]:
        """Which kernel, and the band of small velocities."""
        raise NotImplementedError

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Trajectory:
        kernel = field.program.march_fixed
        choice, band = self._choice

        def advance(floats: Floats, integers: Floats, *record: Floats) -> int:
            return int(kernel(floats, integers, float(self.step), choice, band, self.most_steps, *record))

        return march(field, start, times, report, consume, {"GUESS": self.step}, advance)


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
    def _choice(self) -> tuple[int, float]:
        return _HENON, 0.0


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
    def _choice(self) -> tuple[int, float]:
        return (_LIVE if self.live else _BISECTION), float(self.band)
