"""The classic friction laws: a few numbers and a formula each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import ClassVar

from stickslip.model.errors import check_number
from stickslip.model.functions import Function, Value
from stickslip.model.laws import FrictionLaw
from stickslip.model.units import PER_SPEED, PER_SQUARE_SPEED, SPEED, Dimension


@dataclass(frozen=True, eq=False)
class Coulomb(FrictionLaw):
    """Constant kinetic coefficient `mu_k`, static coefficient `mu_s`.

    Where `mu_k` is not given there is one coefficient for stick and slip, the parameter `mu_s`.

    Parameters
    ----------
    mu_s : float
        The static coefficient.
    mu_k : float, optional
        The kinetic coefficient, at most `mu_s`. By default it is `mu_s`, and no parameter of its own.

    Raises
    ------
    ModelError
        If a coefficient is negative, or the kinetic one above the static one.

    See Also
    --------
    Stribeck : A coefficient that falls from static to kinetic with speed.
    Parameter : A number that several laws share.

    Examples
    --------
    >>> Coulomb(0.4, 0.25).static_value()
    0.4
    >>> Coulomb(0.4).parameters()
    {'mu_s': 0.4}
    >>> Coulomb(0.5, mu_k=lambda mu_s: 0.8 * mu_s).kinetic_value(1.0)
    0.4
    """

    mu_s: Value
    mu_k: Value | None = None

    def given(self) -> dict[str, Value]:
        return {"mu_s": self.mu_s} if self.mu_k is None else {"mu_s": self.mu_s, "mu_k": self.mu_k}

    def structure(self) -> str:
        return "Coulomb" if self.mu_k is None else "Coulomb static and kinetic"

    @property
    def kinetic(self) -> Function:
        if self.mu_k is None:
            return lambda v, mu_s: mu_s
        return lambda v, mu_s, mu_k: mu_k

    @property
    def static(self) -> Function:
        return lambda mu_s, **_: mu_s


@dataclass(frozen=True, eq=False)
class Hyperbolic(FrictionLaw):
    """μ_s / (1 + δ|v|): a coefficient that falls with the slip speed, continuous at rest.

    Parameters
    ----------
    mu_s : float
        The coefficient at rest; zero or positive.
    delta : float
        How fast it falls, in 1/speed; zero or positive.

    Raises
    ------
    ModelError
        If a number is negative.

    See Also
    --------
    Stribeck : a coefficient that falls to a constant.
    PoppStelter : a coefficient that falls, then rises.

    Examples
    --------
    >>> Hyperbolic(mu_s=1.0, delta=3.0).kinetic_value(1.0)
    0.25
    """

    mu_s: Value
    delta: Value

    dimensions: ClassVar[Mapping[str, Dimension]] = {"delta": PER_SPEED}

    @property
    def kinetic(self) -> Function:
        return lambda v, mu_s, delta: mu_s / (1 + delta * v)


SPEED_FLOOR = 1e-10
"""Powers of |v| that are not whole have no Taylor series at rest: they are taken at |v| + SPEED_FLOOR·v_s, which is as
if the sliding velocity were off by that little."""


@dataclass(frozen=True, eq=False)
class Stribeck(FrictionLaw):
    """μ_k + (μ_s − μ_k) exp(−(|v|/v_s)^shape): falls from static to kinetic within the Stribeck speed.

    Parameters
    ----------
    mu_s : float
        The static coefficient.
    mu_k : float
        The kinetic coefficient at high speed, at most `mu_s`.
    v_s : float
        The Stribeck speed, within which the coefficient falls; positive.
    shape : float, default 1
        The exponent; positive. A whole one (1, 2, …, 8) belongs to the formula; any other is a parameter like the rest.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    Coulomb : a constant kinetic coefficient.
    LuGre : the same in steady sliding, with bristles.

    Examples
    --------
    >>> Stribeck(mu_s=1.0, mu_k=0.6, v_s=0.2).kinetic_value(0.0)
    1.0
    """

    mu_s: Value
    mu_k: Value
    v_s: Value
    shape: Value = 1

    rules: ClassVar[Mapping[str, str]] = {"v_s": "positive", "shape": "positive"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"v_s": SPEED, "shape": Dimension()}

    def __post_init__(self) -> None:
        if not callable(self.shape):
            check_number("Stribeck.shape", self.shape, positive=True)
        super().__post_init__()

    @property
    def _whole(self) -> bool:
        return not callable(self.shape) and float(self.shape).is_integer() and self.shape <= 8

    def given(self) -> dict[str, Value]:
        values = super().given()
        if self._whole:
            del values["shape"]
        return values

    def structure(self) -> str:
        return f"Stribeck^{int(self.shape)}" if self._whole else "Stribeck^shape"  # type: ignore[arg-type]

    @property
    def kinetic(self) -> Function:
        if self._whole:
            power = int(self.shape)  # type: ignore[arg-type]
            return lambda v, mu_s, mu_k, v_s: mu_k + (mu_s - mu_k) * exp(-((v / v_s) ** power))
        floor = SPEED_FLOOR
        return lambda v, mu_s, mu_k, v_s, shape: mu_k + (mu_s - mu_k) * exp(-((v / v_s + floor) ** shape))

    @property
    def static(self) -> Function:
        return lambda mu_s, **_: mu_s


@dataclass(frozen=True, eq=False)
class PoppStelter(FrictionLaw):
    """(μ₀ − μ₁)/(1 + λ₁|v|) + μ₁ + λ₂v² (Popp and Stelter 1990): falls, then rises.

    Parameters
    ----------
    mu_0 : float
        The coefficient at rest.
    mu_1 : float
        What it would fall to without λ₂.
    lambda_1 : float
        How fast it falls, in 1/speed.
    lambda_2 : float, default 0.0
        How it rises again, in 1/speed².

    Raises
    ------
    ModelError
        If a number is negative, or the coefficient is.

    See Also
    --------
    Hyperbolic : the falling part alone.
    models.hinrichs_law : the constants of hinrichs1998.

    Examples
    --------
    >>> round(PoppStelter(0.4, 0.1, 1.42, 0.01).kinetic_value(0.0), 12)
    0.4
    """

    mu_0: Value
    mu_1: Value
    lambda_1: Value
    lambda_2: Value = 0.0

    dimensions: ClassVar[Mapping[str, Dimension]] = {"lambda_1": PER_SPEED, "lambda_2": PER_SQUARE_SPEED}

    @property
    def kinetic(self) -> Function:
        return lambda v, mu_0, mu_1, lambda_1, lambda_2: (mu_0 - mu_1) / (1 + lambda_1 * v) + mu_1 + lambda_2 * v**2

    @property
    def static(self) -> Function:
        return lambda mu_0, **_: mu_0
