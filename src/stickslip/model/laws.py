"""Friction laws: the coefficient of friction as a function of the slip speed |v| ≥ 0.

A law gives two plain functions of its parameters: `kinetic(v, …)`, valid for slip, and `static(…)`, the limit up to
which the contact sticks.  The friction force is the coefficient times the normal force.

A number of a law may be given as a `Parameter` that others share, or as a function of other numbers of the law:
`Coulomb(0.5, mu_k=lambda mu_s: 0.8 * mu_s)`.

The classic ones are in `classic_laws.py`.

For developers: a new law is a frozen dataclass whose number fields are its parameters, with `kinetic` and, where it
differs from kinetic at v = 0, `static`; nothing else. `dimensions` says what those are measured in that have a unit.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.formula import Formula
from stickslip.model.functions import Function, Value, arguments_of, fingerprint
from stickslip.model.limits import MAX_COEFFICIENTS, MAX_POINTS
from stickslip.model.listing import Listing
from stickslip.model.terms import numbers
from stickslip.model.units import PER_SPEED, PER_TIME, Dimension


@dataclass(frozen=True, eq=False)
class Law(metaclass=Listing):
    """Parameters with their rules. Two contacts that share a law *object* share its parameters."""

    _listed: ClassVar[tuple[str, ...]] = ("parameters",)
    rules: ClassVar[Mapping[str, str]] = {}
    default_rule: ClassVar[str] = "nonnegative"
    dimensions: ClassVar[Mapping[str, Dimension]] = {}

    def __post_init__(self) -> None:
        self.check(self.parameters(), type(self).__name__)

    def given(self) -> dict[str, Value]:
        """Name of every parameter, and what was given for it: a number, a `Parameter`, or what it follows from."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def parameters(self) -> dict[str, float]:
        """Name and value of every parameter.

        Returns
        -------
        dict of str to float
            The values, by the names that they have in a model after that of the contact.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Coulomb(0.4, 0.25).parameters()
        {'mu_s': 0.4, 'mu_k': 0.25}
        """
        return numbers(self.given(), type(self).__name__)

    def dimension(self, parameter: str) -> Dimension | None:
        """What a parameter is measured in; None where that is unknown."""
        return self.dimensions.get(parameter, Dimension() if parameter.startswith("mu") else None)

    def structure(self) -> str | None:
        """What distinguishes the formula of this law, whatever its parameter values; None if unknown.

        That is the name of its class, but of a class of a user's own only the formula itself tells what it is today.
        """
        return type(self).__name__ if type(self).__module__.startswith("stickslip.") else None

    def check(self, values: Mapping[str, float], what: str) -> None:
        """Raise a sentence if `values` are no valid parameters of this law."""
        for name, value in values.items():
            rule = self.rules.get(name, self.default_rule)
            check_number(f"{what}.{name}", value, positive=rule == "positive", nonnegative=rule == "nonnegative")


@dataclass(frozen=True, eq=False)
class FrictionLaw(Law):
    """What every friction law of the slip speed has in common: its coefficients, and other laws made from it.

    A law of your own is a frozen dataclass derived from this, whose number fields are its parameters, with `kinetic`
    and, where it differs from kinetic at v = 0, `static`. A plain function of `v` does as well: see `FunctionLaw`.

    See Also
    --------
    Coulomb, Hyperbolic, Stribeck, PoppStelter, Polynomial, Tabulated, FunctionLaw : the laws.
    Contact : where a law is used.
    DynamicLaw : laws with a state of their own.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Stribeck(mu_s=0.5, mu_k=0.3, v_s=0.1)
    >>> isinstance(law, ss.FrictionLaw), law.static_value(), round(law.with_viscous(0.2).kinetic_value(1.0), 3)
    (True, 0.5, 0.5)
    """

    _listed: ClassVar[tuple[str, ...]] = (
        "kinetic", "static", "kinetic_value", "static_value", "static_value_after", "with_viscous",
        "with_aging",
    )  # fmt: skip

    @property
    def kinetic(self) -> Function:
        """The coefficient in slip: a plain function of `v` and the law's parameters."""
        raise NotImplementedError

    @property
    def static(self) -> Function | None:
        """The coefficient up to which the contact sticks; None where it is kinetic at v = 0.

        It may depend on the time the contact has been sticking, `stick_time`, besides the parameters of the law.
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
        """The kinetic coefficient at a slip speed, checked to be a friction: finite and not negative.

        Parameters
        ----------
        v : float
            The slip speed, zero or positive.
        values : mapping of str to float, optional
            Values of the parameters; those of the law by default.
        what : str, default "the law"
            What the law is called in the sentence of an error.

        Returns
        -------
        float
            The coefficient: friction force over normal force.

        Raises
        ------
        ModelError
            If the law gives no number there, or a negative one.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Hyperbolic(mu_s=1.0, delta=3.0).kinetic_value(1.0)
        0.25
        """
        values = self.parameters() if values is None else values
        v = check_number(f"{what}: the slip speed", v)
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
        """The static coefficient of a contact that has just come to stick, checked likewise.

        Parameters
        ----------
        values : mapping of str to float, optional
            Values of the parameters; those of the law by default.
        what : str, default "the law"
            What the law is called in the sentence of an error.

        Returns
        -------
        float
            The coefficient up to which the contact sticks.

        Raises
        ------
        ModelError
            If it is negative, or no finite number.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Coulomb(0.4, 0.3).static_value()
        0.4
        """
        values = self.parameters() if values is None else values
        if self.static is None:
            return self.kinetic_value(0.0, values, what)
        value = float(self.static(**dict.fromkeys(self.internal_states, 0.0), **values))
        if not math.isfinite(value) or value < 0:
            raise ModelError(f"{what}: the static coefficient is {value:g}; it must be zero or positive")
        return value

    def with_viscous(self, c: Value) -> FrictionLaw:
        """This law plus the coefficient c·|v|.

        Parameters
        ----------
        c : float
            The viscous coefficient, in 1/speed: the parameter `viscous`.

        Returns
        -------
        FrictionLaw
            A new law.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Coulomb(0.4, 0.3).with_viscous(0.1).kinetic_value(2.0)
        0.5
        """
        return WithViscous(self, c)

    def with_aging(self, a: Value = 0.1, beta: Value = 2.0, growth: Function | None = None) -> FrictionLaw:
        """This law with a static coefficient that grows while the contact sticks, as in leine1998, Eq. (18).

        The coefficient is μ_s (1 + (β − 1)(1 − exp(−a·t_stick))), or μ_s·growth(t_stick).

        Parameters
        ----------
        a : float, default 0.1
            The rate of growth, in 1/time.
        beta : float, default 2.0
            By what factor it has grown in the end.
        growth : function, optional
            Another factor, in place of that of leine1998: a plain function of `stick_time`, 1 at zero.

        Returns
        -------
        FrictionLaw
            A new law.

        Examples
        --------
        >>> import stickslip as ss
        >>> aged = ss.Coulomb(0.4, 0.3).with_aging(a=0.1, beta=2.0)
        >>> round(aged.static_value_after(5.0), 6)
        0.557388
        """
        if growth is None:
            return WithAging(self, Formula(LEINE_GROWTH, ("stick_time",), {"a": a, "beta": beta}, "growth"))
        return WithAging(self, growth)

    def static_value_after(self, stick_time: float, values: Mapping[str, float] | None = None) -> float:
        """The static coefficient of a contact that has been sticking for so long.

        Parameters
        ----------
        stick_time : float
            How long, in units of time.
        values : mapping of str to float, optional
            Values of the parameters; those of the law by default.

        Returns
        -------
        float
            The coefficient; that of `static_value` for a law that does not age.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Coulomb(0.4, 0.3).static_value_after(5.0)
        0.4
        """
        values = self.parameters() if values is None else values
        if self.static is None or not self.internal_states:
            return self.static_value(values)
        return float(self.static(stick_time=stick_time, **values))


@dataclass(frozen=True, eq=False)
class Polynomial(FrictionLaw):
    """c₀ + c₁|v| + c₂|v|² + …: a coefficient that is a polynomial in the slip speed.

    Parameters
    ----------
    coefficients : sequence of float
        c₀, c₁, …, in 1/speed to the power of their number: the parameters `c0`, `c1`, …
    mu_s : float, optional
        The static coefficient; c₀ by default.

    Raises
    ------
    ModelError
        If there are no coefficients or too many of them, or if friction is negative at rest.

    See Also
    --------
    Tabulated : a curve through measured points.

    Examples
    --------
    >>> Polynomial([0.5, -0.25, 0.125]).kinetic_value(1.0)
    0.375
    """

    coefficients: tuple[Value, ...]
    mu_s: Value | None = None

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

    def given(self) -> dict[str, Value]:
        values = {f"c{power}": value for power, value in enumerate(self.coefficients)}
        return values if self.mu_s is None else values | {"mu_s": self.mu_s}

    def dimension(self, parameter: str) -> Dimension | None:
        return Dimension() if parameter == "mu_s" else Dimension(length=-int(parameter[1:]), time=int(parameter[1:]))

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

    Parameters
    ----------
    speeds : sequence of float
        Slip speeds, which rise from 0.
    values : sequence of float
        The coefficients there; zero or positive.
    mu_s : float, optional
        The static coefficient; that of the first point by default.

    Raises
    ------
    ModelError
        If the points are too many, do not belong together, or do not rise from speed 0.

    See Also
    --------
    FunctionLaw : a law from a plain function.
    identify.fit_law : the parameters of a law from measurements.

    Examples
    --------
    >>> Tabulated(speeds=[0, 1, 2], values=[0.4, 0.3, 0.3]).kinetic_value(5.0)
    0.3
    """

    speeds: tuple[float, ...]
    values: tuple[float, ...]
    mu_s: Value | None = None

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

    def given(self) -> dict[str, Value]:
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
    viscous: Value

    def with_viscous(self, c: Value) -> FrictionLaw:
        try:
            return WithViscous(self.law, self.viscous + c)  # type: ignore[operator]
        except TypeError:
            raise ModelError(
                f"the law has the viscous coefficient {shown(self.viscous)}, to which {shown(c)} cannot be added: give "
                "with_viscous once, with a function that returns their sum"
            ) from None

    def given(self) -> dict[str, Value]:
        return self.law.given() | {"viscous": self.viscous}

    def dimension(self, parameter: str) -> Dimension | None:
        return PER_SPEED if parameter == "viscous" else self.law.dimension(parameter)

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
        for name in own.keys() & self.law.given().keys():
            raise ModelError(f"growth has a parameter {name!r}, which the law has too: rename it")
        super().__post_init__()

    def given(self) -> dict[str, Value]:
        return self.law.given() | arguments_of(self.growth, "growth")[1]

    def dimension(self, parameter: str) -> Dimension | None:
        if isinstance(self.growth, Formula) and self.growth.text == LEINE_GROWTH and parameter in ("a", "beta"):
            return PER_TIME if parameter == "a" else Dimension()
        return self.law.dimension(parameter)

    def structure(self) -> str | None:
        inner, mark = self.law.structure(), fingerprint(self.growth)
        return None if inner is None or mark is None else f"{inner} aging {mark}"

    def split(self, values: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """The values of the law's own parameters, and those of the growth."""
        own = self.law.given()
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

    A contact makes one of these when it is given a function.

    Parameters
    ----------
    function : callable
        The kinetic coefficient as a function of `v`, the slip speed, and of parameters with defaults.
    static_coefficient : float, optional
        A static coefficient above that of the function at v = 0, the parameter `mu_s`; by default they are equal.

    Raises
    ------
    ModelError
        If the function fails or is negative, or the static coefficient is below it at rest.

    See Also
    --------
    Contact : takes a function as it is.
    Formula : a function from a text.
    where : for functions with a kink.

    Examples
    --------
    >>> from math import exp
    >>> def weakening(v, mu_k=0.6, mu_s=1.0, v_s=0.2):
    ...     return mu_k + (mu_s - mu_k) * exp(-v / v_s)
    >>> FunctionLaw(weakening).static_value()
    1.0
    """

    function: Callable[..., Any]
    static_coefficient: Value | None = field(default=None)

    default_rule: ClassVar[str] = "any"

    def given(self) -> dict[str, Value]:
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

    def dimension(self, parameter: str) -> Dimension | None:
        return Dimension() if parameter == "static" else None  # what a function's parameters mean is its own affair

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
