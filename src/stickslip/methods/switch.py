"""Switch: the switch model, stick and slip as one non-stiff differential equation, integrated without a halt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.kernels.trajectory import Trajectory
from stickslip.methods.base import (
    Consume,
    Loop,
    Method,
    Report,
    Summary,
    check_run,
    impossible_start,
    march,
    refuse_memory,
)
from stickslip.model.errors import check_number, check_range
from stickslip.model.parts import Belt
from stickslip.model.system import Model, System
from stickslip.status import Status
from stickslip.targets.generated import KernelSet

KERNELS = KernelSet(
    "switch",
    (
        "model.constants",
        "model.ingredients",
        "switch_model.prepare",
        "switch_model.set_rate",
        "switch.begin",
        "switch.integrate",
    ),
)
DEGREE = 4
"""Degree of the dense output of the Runge–Kutta pair: the record holds polynomials of this degree."""

RightHandSide = Callable[[float, ArrayLike], Floats]


@dataclass(frozen=True)
class Switch(Method):
    """The switch model of Leine et al., integrated by the Runge–Kutta pair of Dormand and Prince, 5(4).

    Its runs are like those of `Exact`, with an error in the times of events that vanishes with `eta`.

    A contact slips where |v| > η. Inside the band it sticks while the force that holds it is within its static limit:
    v is driven to zero by v̇ = −v/τ, and all else moves as if v were zero (positions do not drift with the v that is
    left over). Beyond the static limit it is in transition to slip and the friction force stays at that limit until
    |v| > η. τ is √(m/k) for a block on a spring; in general it is read off how the velocity of the contact answers an
    impulse on it at the start of the run.

    With a static limit above the kinetic friction, the time spent in transition makes an error of the order √η;
    with a continuous characteristic of the order η^(3/2). On a belt whose speed changes, all stages of a step must stay
    inside the band, which shortens the steps in stick as √η. Steps and evaluations of the run (`run.attrs`) are those
    of the integration; locating events for the table comes on top, and does not affect the motion.

    Reference: Leine, van Campen, de Kraker, van den Steen, Nonlinear Dynamics 16 (1998) 41–54, Sec. 5.

    Parameters
    ----------
    eta : float, default 1e-6
        Half the width of the band |v| < η in which a contact counts as sticking, a speed; below every belt speed.
    rtol : float, default 1e-8
        An error of atol + rtol·(the largest value the state has had so far) is allowed in each step. Errors in velocity
        must stay well inside the band, so rtol times the belt speed must be below eta.
    atol : float, default 0.0
        See `rtol`.
    forgetting : float, default 10.0
        The rate b, in 1/time, at which the stick time of a contact that ages dies out in slip (leine1998, Sec. 6).
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
    Exact : without a band.
    Smoothing : another way round the discontinuity.

    Examples
    --------
    >>> from stickslip.model.library import block_on_belt
    >>> rate = Switch(eta=1e-6).right_hand_side(block_on_belt())
    >>> rate(0.0, [0.5, 0.2]).tolist()  # sticking: the block moves with the belt
    [0.2, 0.0]
    """

    _listed: ClassVar[tuple[str, ...]] = ("right_hand_side",)

    eta: float = 1e-6
    rtol: float = 1e-8
    atol: float = 0.0
    forgetting: float = 10.0
    most_steps: int = 10**8
    target: str = "cpu"

    def __post_init__(self) -> None:
        check_number("Switch: eta", self.eta, positive=True)
        check_number("Switch: atol", self.atol, nonnegative=True)
        check_number("Switch: forgetting", self.forgetting, positive=True)
        check_range("Switch: rtol", self.rtol, 1e-14, 1e-2)
        check_run(self)

    def compile(self, model: Model) -> Field:
        """The model, compiled for this method."""
        self._check(model)
        return Field.of(model, target=self.target, order=DEGREE, kernels=KERNELS)

    def _check(self, model: Model) -> None:
        """The band must be narrow beside the belt speeds, and the errors small beside the band."""
        refuse_memory(model, "Switch", known=("stick_time",))
        for name, speed in belt_speeds(model).items():
            if self.eta >= speed:
                raise ModelError(
                    f"Switch: eta is {self.eta:g} and the speed of {name!r} is {speed:g}: a block at rest would count "
                    f"as sticking to the belt; eta must be smaller than the belt speed, at best below {speed / 1000:g}"
                )
            if self.rtol * speed + self.atol >= self.eta:
                raise ModelError(
                    f"Switch: with rtol {self.rtol:g} and atol {self.atol:g}, velocities near {speed:g}, the speed of "
                    f"{name!r}, have errors of {self.rtol * speed + self.atol:g}: that is not below eta, {self.eta:g}; "
                    "lower rtol or atol, or raise eta"
                )

    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        m = field.program
        switch, pair, record = self._model(m), m.kernels.dormand_prince.DormandPrince(), m.kernels.switch.SwitchRecord()
        pair.tolerance, pair.absolute_tolerance, record.most_steps = self.rtol, self.atol, self.most_steps

        def begin(trajectory: Trajectory) -> int:
            return int(m.begin(trajectory, switch, pair))

        def advance(trajectory: Trajectory, *recorded: Any) -> int:
            return int(m.integrate(trajectory, switch, pair, record, *recorded))

        return march(field, start, times, report, consume, Loop(begin, advance))

    def _model(self, m: Any) -> Any:
        """The switch model with its settings: see kernels/switch_model.py."""
        switch = m.kernels.switch_model.SwitchModel()
        switch.eta, switch.forgetting = self.eta, self.forgetting
        return switch

    def right_hand_side(self, model: Model) -> RightHandSide:
        """The switch model as a plain function (t, y) → dy/dt, for any solver of ordinary differential equations.

        Parameters
        ----------
        model : System or Filippov
            The model.

        Returns
        -------
        function
            Of the time and the states in the order of `model.states`. It raises `ModelError` where the sticking forces
            are not determined.

        Examples
        --------
        >>> from scipy.integrate import solve_ivp
        >>> from stickslip.model.library import block_on_belt
        >>> rate = Switch(eta=1e-6).right_hand_side(block_on_belt())
        >>> solution = solve_ivp(rate, (0, 12), [1.1, 0.0], rtol=1e-8, atol=1e-8)
        >>> solution.y[:, -1].round(2).tolist()
        [1.12, -0.14]
        """
        field = self.compile(model)
        m = field.program
        trajectory, switch = field.workspace(), self._model(m)
        trajectory.state[:] = model.start_state()
        m.prepare(trajectory, switch)
        out = np.zeros(len(trajectory.state))

        def rate(t: float, y: ArrayLike) -> Floats:
            trajectory.state[:] = y
            trajectory.time = t
            if m.set_rate(trajectory, switch, out) != 0:
                raise ModelError(f"{Status.INDETERMINATE.value} ({impossible_start(field, trajectory.state, t)})")
            return out.copy()

        return rate


def belt_speeds(model: Model) -> dict[str, float]:
    """The speed of every belt that moves steadily."""
    if not isinstance(model, System):
        return {}
    belts = [name for name, body in model.bodies.items() if isinstance(body, Belt) and not body.functions(name)]
    speeds = {name: abs(model.local(name)["speed"]) for name in belts}
    return {name: speed for name, speed in speeds.items() if speed > 0}
