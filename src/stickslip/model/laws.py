"""Friction laws: the coefficient of friction as a function of the slip speed |v| ≥ 0.

A law gives two plain functions of its parameters: `kinetic(v, …)`, valid for slip, and `static(…)`, the limit up to
which the contact sticks.  The friction force is the coefficient times the normal force.

For developers: a new law is a frozen dataclass whose float fields are its parameters, with `kinetic` and, where it
differs from kinetic at v = 0, `static`; nothing else.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import exp
from typing import Any, ClassVar

from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.formula import Formula
from stickslip.model.functions import Function, arguments_of, fingerprint
from stickslip.model.limits import MAX_COEFFICIENTS, MAX_POINTS


@dataclass(frozen=True, eq=False)
class Law:
    """Parameters with their rules. Two contacts that share a law *object* share its parameters."""

    rules: ClassVar[Mapping[str, str]] = {}
    default_rule: ClassVar[str] = "nonnegative"

    def __post_init__(self) -> None:
        self.check(self.parameters(), type(self).__name__)

    def parameters(self) -> dict[str, float]:
        """Name and value of every parameter."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def structure(self) -> str | None:
        """What distinguishes the formula of this law, whatever its parameter values; None if unknown."""
        return type(self).__name__

    def check(self, values: Mapping[str, float], what: str) -> None:
        """Raise a sentence if `values` are no valid parameters of this law."""
        for name, value in values.items():
            rule = self.rules.get(name, self.default_rule)
            check_number(f"{what}.{name}", value, positive=rule == "positive", nonnegative=rule == "nonnegative")


@dataclass(frozen=True, eq=False)
class FrictionLaw(Law):
    """What every law of the slip speed has in common."""

    @property
    def kinetic(self) -> Function:
        """The coefficient in slip: a plain function of `v` and the law's parameters."""
        raise NotImplementedError

    @property
    def static(self) -> Function | None:
        """The coefficient up to which the contact sticks; None where it is kinetic at v = 0.

        It may depend on the `internal_states` of the law besides its parameters.
        """
        return None

    @property
    def internal_states(self) -> tuple[str, ...]:
        """States of the contact that the static coefficient depends on: `stick_time`, or none."""
        return ()

    def check(self, values: Mapping[str, float], what: str) -> None:
        super().check(values, what)
        at_rest = self.kinetic_value(0.0, values, what)
        if self.static_value(values, what) < at_rest * (1 - 1e-12):
            raise ModelError(
                f"{what}: the static coefficient {self.static_value(values, what):g} is below the kinetic one at "
                f"rest, {at_rest:g}; a contact that starts to slip would stop at once. Allowed: static ≥ kinetic"
            )

    def kinetic_value(self, v: float, values: Mapping[str, float] | None = None, what: str = "the law") -> float:
        """The kinetic coefficient at slip speed `v`, checked to be a friction: finite and not negative."""
        values = self.parameters() if values is None else values
        try:
            value = float(self.kinetic(v, **values))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ModelError(f"{what}: the law fails at slip speed {v:g} ({error})") from None
        if not math.isfinite(value) or value < 0:
            raise ModelError(
                f"{what}: the law gives the coefficient {value:g} at slip speed {v:g}; it must be zero or positive"
            )
        return value

    def static_value(self, values: Mapping[str, float] | None = None, what: str = "the law") -> float:
        """The static coefficient, checked likewise."""
        values = self.parameters() if values is None else values
        if self.static is None:
            return self.kinetic_value(0.0, values, what)
        value = float(self.static(**dict.fromkeys(self.internal_states, 0.0), **values))
        if not math.isfinite(value) or value < 0:
            raise ModelError(f"{what}: the static coefficient is {value:g}; it must be zero or positive")
        return value

    def with_viscous(self, c: float) -> FrictionLaw:
        """This law plus the coefficient c·|v|.

        >>> Coulomb(0.4, 0.3).with_viscous(0.1).kinetic_value(2.0)
        0.5
        """
        return WithViscous(self, c)

    def with_aging(self, a: float = 0.1, beta: float = 2.0, growth: Function | None = None) -> FrictionLaw:
        """This law with a static coefficient that grows while the contact sticks, as in leine1998, Eq. (18):

        μ_s (1 + (β − 1)(1 − exp(−a·t_stick))). `growth` is another factor: a plain function of `stick_time`, 1 at zero.

        >>> aged = Coulomb(0.4, 0.3).with_aging(a=0.1, beta=2.0)
        >>> round(aged.static_value_after(5.0), 6)
        0.557388
        """
        if growth is None:
            return WithAging(self, Formula(LEINE_GROWTH, ("stick_time",), {"a": a, "beta": beta}, "growth"))
        return WithAging(self, growth)

    def static_value_after(self, stick_time: float, values: Mapping[str, float] | None = None) -> float:
        """The static coefficient of a contact that has been sticking for so long."""
        values = self.parameters() if values is None else values
        if self.static is None or not self.internal_states:
            return self.static_value(values)
        return float(self.static(stick_time=stick_time, **values))


@dataclass(frozen=True, eq=False)
class Coulomb(FrictionLaw):
    """Constant kinetic coefficient `mu_k`, static coefficient `mu_s` (equal when `mu_k` is not given).

    >>> Coulomb(0.4, 0.25).static_value()
    0.4
    """

    mu_s: float
    mu_k: float | None = None

    def __post_init__(self) -> None:
        if self.mu_k is None:
            object.__setattr__(self, "mu_k", self.mu_s)
        super().__post_init__()

    @property
    def kinetic(self) -> Function:
        return lambda v, mu_s, mu_k: mu_k

    @property
    def static(self) -> Function:
        return lambda mu_s, mu_k: mu_s


@dataclass(frozen=True, eq=False)
class Hyperbolic(FrictionLaw):
    """μ_s / (1 + δ|v|), continuous at rest.

    >>> Hyperbolic(mu_s=1.0, delta=3.0).kinetic_value(1.0)
    0.25
    """

    mu_s: float
    delta: float

    @property
    def kinetic(self) -> Function:
        return lambda v, mu_s, delta: mu_s / (1 + delta * v)


SPEED_FLOOR = 1e-10
"""Powers of |v| that are not whole have no Taylor series at rest: they are taken at |v| + SPEED_FLOOR·v_s, which is as
if the sliding velocity were off by that little."""


@dataclass(frozen=True, eq=False)
class Stribeck(FrictionLaw):
    """μ_k + (μ_s − μ_k) exp(−(|v|/v_s)^shape): falls from static to kinetic within the Stribeck speed `v_s`.

    A whole `shape` (1, 2, …) belongs to the formula; any other is a parameter like the rest.

    >>> Stribeck(mu_s=1.0, mu_k=0.6, v_s=0.2).kinetic_value(0.0)
    1.0
    """

    mu_s: float
    mu_k: float
    v_s: float
    shape: float = 1

    rules: ClassVar[Mapping[str, str]] = {"v_s": "positive", "shape": "positive"}

    def __post_init__(self) -> None:
        check_number("Stribeck.shape", self.shape, positive=True)
        super().__post_init__()

    @property
    def _whole(self) -> bool:
        return float(self.shape).is_integer() and self.shape <= 8

    def parameters(self) -> dict[str, float]:
        values = super().parameters()
        if self._whole:
            del values["shape"]
        return values

    def structure(self) -> str:
        return f"Stribeck^{int(self.shape)}" if self._whole else "Stribeck^shape"

    @property
    def kinetic(self) -> Function:
        if self._whole:
            power = int(self.shape)
            return lambda v, mu_s, mu_k, v_s: mu_k + (mu_s - mu_k) * exp(-((v / v_s) ** power))
        floor = SPEED_FLOOR
        return lambda v, mu_s, mu_k, v_s, shape: mu_k + (mu_s - mu_k) * exp(-((v / v_s + floor) ** shape))

    @property
    def static(self) -> Function:
        return lambda mu_s, **_: mu_s


@dataclass(frozen=True, eq=False)
class PoppStelter(FrictionLaw):
    """(μ₀ − μ₁)/(1 + λ₁|v|) + μ₁ + λ₂v² (Popp and Stelter 1990): falls, then rises.

    >>> round(PoppStelter(0.4, 0.1, 1.42, 0.01).kinetic_value(0.0), 12)
    0.4
    """

    mu_0: float
    mu_1: float
    lambda_1: float
    lambda_2: float = 0.0

    @property
    def kinetic(self) -> Function:
        return lambda v, mu_0, mu_1, lambda_1, lambda_2: (mu_0 - mu_1) / (1 + lambda_1 * v) + mu_1 + lambda_2 * v**2

    @property
    def static(self) -> Function:
        return lambda mu_0, **_: mu_0


@dataclass(frozen=True, eq=False)
class Polynomial(FrictionLaw):
    """c₀ + c₁|v| + c₂|v|² + …; `mu_s` is the static coefficient (c₀ when it is not given).

    Parameters are named c0, c1, …

    >>> Polynomial([0.5, -0.25, 0.125]).kinetic_value(1.0)
    0.375
    """

    coefficients: tuple[float, ...]
    mu_s: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.coefficients, tuple | list):
            raise ModelError(f"Polynomial has the coefficients {shown(self.coefficients)}: give a list of numbers")
        object.__setattr__(self, "coefficients", tuple(self.coefficients))
        if len(self.coefficients) > MAX_COEFFICIENTS:
            raise ModelError(
                f"Polynomial has {len(self.coefficients)} coefficients: at most {MAX_COEFFICIENTS} are allowed; a "
                "curve with so many turns is a Tabulated law"
            )
        if not self.coefficients:
            raise ModelError("Polynomial has no coefficients: give at least one, the coefficient at rest")
        super().__post_init__()

    def parameters(self) -> dict[str, float]:
        values = {f"c{power}": value for power, value in enumerate(self.coefficients)}
        return values if self.mu_s is None else values | {"mu_s": self.mu_s}

    default_rule: ClassVar[str] = "any"

    def structure(self) -> str:
        return f"Polynomial^{len(self.coefficients) - 1}{'' if self.mu_s is None else ' with static'}"

    @property
    def kinetic(self) -> Function:
        degree = len(self.coefficients) - 1

        def polynomial(v: Any, **values: Any) -> Any:
            return _polynomial(v, [values[f"c{power}"] for power in range(degree + 1)])

        return polynomial

    @property
    def static(self) -> Function | None:
        return None if self.mu_s is None else lambda mu_s, **_: mu_s


def _polynomial(v: Any, coefficients: Sequence[Any]) -> Any:
    """Horner's rule; long ones as two halves, so that the formula is nested as deep as its length has digits."""
    if len(coefficients) > NESTED:
        half = len(coefficients) // 2
        return _polynomial(v, coefficients[:half]) + v**half * _polynomial(v, coefficients[half:])
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * v + coefficient
    return total


NESTED = 16
"""So many coefficients of a polynomial are nested in each other."""


@dataclass(frozen=True, eq=False)
class Tabulated(FrictionLaw):
    """Measured points (speed, coefficient) joined by a smooth monotone curve (PCHIP); constant beyond the last.

    Speeds rise from 0. `mu_s` is the static coefficient (the first point's when it is not given).

    >>> Tabulated(speeds=[0, 1, 2], values=[0.4, 0.3, 0.3]).kinetic_value(5.0)
    0.3
    """

    speeds: tuple[float, ...]
    values: tuple[float, ...]
    mu_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("speeds", "values"):
            given = getattr(self, name)
            if not hasattr(given, "__len__") or getattr(given, "ndim", 1) != 1:
                raise ModelError(f"Tabulated.{name} is {shown(given)}: give a list of numbers")
            if len(given) > MAX_POINTS:
                raise ModelError(
                    f"Tabulated.{name} has {len(given)} points: at most {MAX_POINTS} are allowed; take every second of "
                    "them, or fewer"
                )
            numbers = tuple(
                check_number(f"Tabulated.{name}[{i}]", value, nonnegative=True) for i, value in enumerate(given)
            )
            object.__setattr__(self, name, numbers)
        if len(self.speeds) < 2 or len(self.speeds) != len(self.values):
            raise ModelError(
                f"Tabulated has {len(self.speeds)} speeds and {len(self.values)} values: "
                "give as many of each, at least two"
            )
        if self.speeds[0] != 0 or any(b <= a for a, b in zip(self.speeds, self.speeds[1:], strict=False)):
            raise ModelError(f"Tabulated.speeds are {shown(self.speeds)}: they must rise, from 0")
        super().__post_init__()

    def parameters(self) -> dict[str, float]:
        return {} if self.mu_s is None else {"mu_s": self.mu_s}

    def structure(self) -> str:
        return f"Tabulated{self.speeds}{self.values}{'' if self.mu_s is None else ' with static'}"

    @cached_property
    def cubics(self) -> tuple[tuple[float, ...], ...]:
        """Per interval (c₀, c₁, c₂, c₃) of the cubic in v − speeds[i]; the last one, beyond the table, is constant."""
        from scipy.interpolate import PchipInterpolator

        curve = PchipInterpolator(self.speeds, self.values)
        inside = [tuple(float(c) for c in column[::-1]) for column in curve.c.T]
        return (*inside, (self.values[-1], 0.0, 0.0, 0.0))

    @property
    def kinetic(self) -> Function:
        speeds, cubics = self.speeds, self.cubics

        def interpolate(v: float, **_: float) -> float:
            interval = bisect_right(speeds, v) - 1
            c0, c1, c2, c3 = cubics[interval]
            w = v - speeds[interval]
            return c0 + w * (c1 + w * (c2 + w * c3))

        return interpolate

    @property
    def static(self) -> Function | None:
        return None if self.mu_s is None else lambda mu_s: mu_s


@dataclass(frozen=True, eq=False)
class WithViscous(FrictionLaw):
    """Any law plus a viscous coefficient c·|v|; made by `law.with_viscous(c)`. Its parameter is `viscous`."""

    law: FrictionLaw
    viscous: float

    def with_viscous(self, c: float) -> FrictionLaw:
        return WithViscous(self.law, self.viscous + c)

    def parameters(self) -> dict[str, float]:
        return self.law.parameters() | {"viscous": self.viscous}

    def structure(self) -> str | None:
        inner = self.law.structure()
        return None if inner is None else f"{inner} + viscous"

    def check(self, values: Mapping[str, float], what: str) -> None:
        self.law.check({k: v for k, v in values.items() if k != "viscous"}, what)
        check_number(f"{what}.viscous", values["viscous"], nonnegative=True)

    @property
    def kinetic(self) -> Function:
        dry = self.law.kinetic
        return lambda v, viscous, **others: dry(v, **others) + viscous * v

    @property
    def static(self) -> Function | None:
        inner = self.law.static
        return inner if inner is None else lambda viscous, **others: inner(**others)

    @property
    def internal_states(self) -> tuple[str, ...]:
        return self.law.internal_states


LEINE_GROWTH = "1 + (beta - 1)*(1 - exp(-a*stick_time))"


@dataclass(frozen=True, eq=False)
class WithAging(FrictionLaw):
    """Any law whose static coefficient is multiplied by `growth`, a function of `stick_time`: see `with_aging`."""

    law: FrictionLaw
    growth: Function

    def __post_init__(self) -> None:
        variables, own = arguments_of(self.growth, "growth")
        if variables != ("stick_time",):
            raise ModelError(
                f"growth depends on {', '.join(variables) or 'nothing'}: it is a function of stick_time alone, its "
                "other arguments need default values"
            )
        for name in own.keys() & self.law.parameters().keys():
            raise ModelError(f"growth has a parameter {name!r}, which the law has too: rename it")
        super().__post_init__()

    def parameters(self) -> dict[str, float]:
        return self.law.parameters() | arguments_of(self.growth, "growth")[1]

    def structure(self) -> str | None:
        inner, mark = self.law.structure(), fingerprint(self.growth)
        return None if inner is None or mark is None else f"{inner} aging {mark}"

    def split(self, values: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """The values of the law's own parameters, and those of the growth."""
        own = self.law.parameters()
        return {n: x for n, x in values.items() if n in own}, {n: x for n, x in values.items() if n not in own}

    def check(self, values: Mapping[str, float], what: str) -> None:
        inner, outer = self.split(values)
        self.law.check(inner, what)
        for stick_time in (0.0, 1.0, 1e3):
            factor = float(self.growth(stick_time, **outer))
            if not math.isfinite(factor) or factor < 1 - 1e-12:
                raise ModelError(
                    f"{what}: after sticking for {stick_time:g} the static coefficient is multiplied by {factor:g}; "
                    "a contact that ages grows stronger: give a growth of 1 or more (beta ≥ 1, a ≥ 0)"
                )

    @property
    def kinetic(self) -> Function:
        slipping = self.law.kinetic
        return lambda v, **values: slipping(v, **self.split(values)[0])

    @property
    def static(self) -> Function:
        law, growth = self.law, self.growth

        def aged(stick_time: Any, **values: Any) -> Any:
            inner, outer = self.split(values)
            fresh = law.static(**inner) if law.static is not None else law.kinetic(0.0, **inner)
            return fresh * growth(stick_time, **outer)

        return aged

    @property
    def internal_states(self) -> tuple[str, ...]:
        return ("stick_time",)


@dataclass(frozen=True, eq=False)
class FunctionLaw(FrictionLaw):
    """A law from any plain function of the slip speed; arguments with defaults are its parameters.

    A contact makes one of these when it is given a function. `mu_s` sets a static coefficient above kinetic(0).

    >>> def weakening(v, mu_k=0.6, mu_s=1.0, v_s=0.2):
    ...     return mu_k + (mu_s - mu_k) * exp(-v / v_s)
    >>> FunctionLaw(weakening).static_value()
    1.0
    """

    function: Callable[..., Any]
    static_coefficient: float | None = field(default=None)

    default_rule: ClassVar[str] = "any"

    def parameters(self) -> dict[str, float]:
        variables, parameters = arguments_of(self.function, "the law")
        if variables not in (("v",), ("speed",)):
            raise ModelError(
                f"the law {getattr(self.function, '__name__', self.function)!r} depends on "
                f"{', '.join(variables) or 'nothing'}: a law is a function of the slip speed v alone, "
                "its other arguments need default values"
            )
        if "static" in parameters:
            raise ModelError(
                "the law has a parameter 'static': that name is kept for its static coefficient; rename it"
            )
        if self.static_coefficient is not None:
            parameters = parameters | {"static": self.static_coefficient}
        return parameters

    def structure(self) -> str | None:
        mark = fingerprint(self.function)
        return None if mark is None else f"{mark}{'' if self.static_coefficient is None else ' with static'}"

    @property
    def kinetic(self) -> Function:
        function = self.function
        return lambda v, **values: function(v, **{k: x for k, x in values.items() if k != "static"})

    @property
    def static(self) -> Function | None:
        return None if self.static_coefficient is None else lambda static, **_: static
