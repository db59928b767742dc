"""Exact: event-driven integration, every stick and slip phase by Taylor series, every event to round-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.field import LEAST_ORDER, Field
from stickslip.kernels.trajectory import Trajectory
from stickslip.methods.base import Consume, Loop, Method, Report, Summary, check_run, march
from stickslip.model.errors import check_range, check_whole, shown
from stickslip.model.system import Model


@dataclass(frozen=True)
class Exact(Method):
    """Event-driven Taylor integration with stick exact and events located on the step's own polynomial.

    Parameters
    ----------
    rtol : float, default 1e-12
        Bounds the last terms of each step's series relative to the leading ones.
    order : int, optional
        The Taylor order; by default it is chosen from `rtol`.
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
    simulate : takes a method.
    Henon, Bisection, Switch, Smoothing, TimeStepping : methods of the literature.

    Examples
    --------
    >>> Exact(rtol=1e-10).taylor_order
    20
    """

    _listed: ClassVar[tuple[str, ...]] = ("taylor_order",)

    rtol: float = 1e-12
    order: int | None = None
    most_steps: int = 10**8
    target: str = "cpu"

    def __post_init__(self) -> None:
        check_range("Exact: rtol", self.rtol, 1e-16, 1e-2)
        if self.order is not None:
            object.__setattr__(self, "order", check_whole("Exact: order", self.order, LEAST_ORDER, 30))
        check_run(self)

    @property
    def taylor_order(self) -> int:
        """The Taylor order: high ones pay at tight tolerances, where they take longer steps."""
        if self.order is not None:
            return self.order
        return 20 if self.rtol <= 1e-9 else 16

    def compile(self, model: Model) -> Field:
        """The model, compiled for this method."""
        return Field.of(model, target=self.target, order=self.taylor_order)

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        m = field.program

        def advance(trajectory: Trajectory, *record: Any) -> int:
            return int(m.march(trajectory, self.most_steps, *record))

        return march(field, start, times, report, consume, Loop(m.begin, advance, {"tolerance": self.rtol}))


def method_given(method: Any) -> Method:
    """The method that a user gave; `Exact()` by default.

    >>> method_given("RK45")
    Traceback (most recent call last):
    stickslip.errors.ModelError: method is 'RK45': give one of stickslip's, such as Exact(rtol=1e-9) or Henon(step=0.01)
    """
    if method is None:
        return Exact()
    if isinstance(method, type) and issubclass(method, Method):
        raise ModelError(f"method is the class {method.__name__}: give one of its kind, {method.__name__}(…)")
    if not isinstance(method, Method):
        raise ModelError(
            f"method is {shown(method)}: give one of stickslip's, such as Exact(rtol=1e-9) or Henon(step=0.01)"
        )
    return method
