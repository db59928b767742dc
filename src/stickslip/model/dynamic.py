"""Friction laws with a state of their own: bristles that bend (Dahl, LuGre, elasto-plastic), contacts that age
(Dieterich and Ruina), and any other by two functions.

A dynamic law gives two plain functions of the sliding velocity `v` (with its sign), its internal state `z` and its
parameters: `rate`, which is ż, and `coefficient`. The friction force is −normal·coefficient, whatever the normal force:
so stiffness and damping of bristles are *per unit normal force* here. A bristle of deflection z gives the coefficient
σ₀z: σ₀ is 1/length, and a contact known by its stiffness k (force per length) under the load N has σ₀ = k/N.

These contacts have no stick: what looks like it is slow creep, and a change of |v| is no event.

For developers: a new dynamic law is a frozen dataclass whose float fields are its parameters, with `functions` (the
rate and the coefficient), the kind of its state (`state`, "bristle" or "state") and, where that does not start at zero,
`start`. Add it to `DYNAMIC_LAWS` in `model/law_tables.py` to make it known to model files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, sin, sqrt
from typing import Any, ClassVar

from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.functions import Function, Value, arguments_of, fingerprint, sign, where
from stickslip.model.laws import Law
from stickslip.model.units import LENGTH, PER_LENGTH, PER_SPEED, SPEED, Dimension

BRISTLES = {"sigma_0": PER_LENGTH, "sigma_1": PER_SPEED, "sigma_2": PER_SPEED, "v_s": SPEED, "breakaway": LENGTH}
"""What the parameters of bristles are measured in, other than coefficients."""


@dataclass(frozen=True, eq=False)
class DynamicLaw(Law):
    """What every law with a state of its own has in common: ż and the coefficient, as functions of v and z.

    See Also
    --------
    Dahl, LuGre, ElastoPlastic, DieterichRuina : the laws.
    StateLaw : a law of your own, from two functions.
    DynamicContact : where they are used.

    Examples
    --------
    >>> isinstance(Dahl(mu=0.3, sigma_0=100.0), DynamicLaw)
    True
    """

    _listed: ClassVar[tuple[str, ...]] = ("rate_value", "coefficient_value")

    state: ClassVar[str] = "bristle"
    measure: ClassVar[str] = "length"  # what the state is measured in: "length", "time", or "" where that is unknown

    def functions(self) -> tuple[Function, Function]:
        """ż and the coefficient of friction: plain functions of `v`, `z` and the law's parameters."""
        raise NotImplementedError

    def start(self, values: Mapping[str, float]) -> float:
        """Where the state starts."""
        return 0.0

    def check(self, values: Mapping[str, float], what: str) -> None:
        super().check(values, what)
        z = self.start(values)
        for name, function in zip(("rate", "coefficient"), self.functions(), strict=True):
            for v in (0.0, 1.0, -1.0):
                check_value(f"{what}: the {name}", function, v, z, values)

    def rate_value(self, v: float, z: float, values: Mapping[str, float] | None = None) -> float:
        """ż at a sliding velocity and a state.

        Parameters
        ----------
        v : float
            The sliding velocity, with its sign.
        z : float
            The state: a deflection, or an age.
        values : mapping of str to float, optional
            Values of the parameters; those of the law by default.

        Returns
        -------
        float
            How fast the state changes, per unit time.

        Examples
        --------
        >>> Dahl(mu=0.3, sigma_0=100.0).rate_value(1.0, 0.0)
        1.0
        """
        return float(self.functions()[0](v, z, **(self.parameters() if values is None else values)))

    def coefficient_value(self, v: float, z: float, values: Mapping[str, float] | None = None) -> float:
        """The coefficient at a sliding velocity and a state.

        Parameters
        ----------
        v : float
            The sliding velocity, with its sign.
        z : float
            The state: a deflection, or an age.
        values : mapping of str to float, optional
            Values of the parameters; those of the law by default.

        Returns
        -------
        float
            Friction over normal force, with the sign of the velocity that it opposes.

        Examples
        --------
        >>> round(Dahl(mu=0.3, sigma_0=100.0).coefficient_value(1.0, 0.003), 12)
        0.3
        """
        return float(self.functions()[1](v, z, **(self.parameters() if values is None else values)))


def check_value(what: str, function: Function, v: float, z: float, values: Mapping[str, float]) -> None:
    """Raise a sentence if a function of a law has no finite value there."""
    try:
        value = float(function(v, z, **values))
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ModelError(f"{what} fails at v = {v:g}, z = {z:g} ({error}); give other parameters or a start") from None
    if not math.isfinite(value):
        raise ModelError(f"{what} is {value:g} at v = {v:g}, z = {z:g}: it must be finite there")


@dataclass(frozen=True, eq=False)
class Dahl(DynamicLaw):
    """ż = v − σ₀|v| z/μ, coefficient σ₀z: hysteresis that depends on the path alone, not on how fast it is gone.

    Reference: Dahl, Aerospace Report TOR-0158 (1968).

    Parameters
    ----------
    mu : float
        The coefficient in steady sliding; positive.
    sigma_0 : float
        The stiffness of the bristles, in coefficient per length; positive.

    Raises
    ------
    ModelError
        If a number is not positive.

    See Also
    --------
    LuGre : with a coefficient that falls with speed, and damping.
    DynamicContact : where it is used.

    Examples
    --------
    >>> Dahl(mu=0.3, sigma_0=100.0).rate_value(2.0, 0.003)
    0.0
    """

    mu: Value
    sigma_0: Value

    rules: ClassVar[Mapping[str, str]] = {"mu": "positive", "sigma_0": "positive"}
    dimensions: ClassVar[Mapping[str, Dimension]] = BRISTLES

    def functions(self) -> tuple[Function, Function]:
        return _dahl_rate, _dahl_coefficient


def _dahl_rate(v: Any, z: Any, mu: Any, sigma_0: Any) -> Any:
    return v - sigma_0 * abs(v) * z / mu


def _dahl_coefficient(v: Any, z: Any, mu: Any, sigma_0: Any) -> Any:
    return sigma_0 * z


def _stribeck(v: Any, mu_s: Any, mu_k: Any, v_s: Any) -> Any:
    return mu_k + (mu_s - mu_k) * exp(-((v / v_s) ** 2))


@dataclass(frozen=True, eq=False)
class LuGre(DynamicLaw):
    """Bristles that bend and give way: Canudas de Wit, Olsson, Åström, Lischinsky (1995).

    ż = v − σ₀|v| z/g(v),  coefficient σ₀z + σ₁ż + σ₂v,  g(v) = μ_k + (μ_s − μ_k) exp(−(v/v_s)²).

    In steady sliding it is `Stribeck(mu_s, mu_k, v_s, shape=2).with_viscous(sigma_2)`. It creeps under a load that
    swings below the static limit, where `ElastoPlastic` does not.

    Parameters
    ----------
    mu_s : float
        The static coefficient; positive.
    mu_k : float
        The kinetic coefficient at high speed; positive.
    v_s : float
        The Stribeck speed; positive.
    sigma_0 : float
        The stiffness of the bristles, in coefficient per length; positive.
    sigma_1 : float, default 0.0
        Their damping, in coefficient per speed.
    sigma_2 : float, default 0.0
        The viscous coefficient, in 1/speed.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    Dahl, ElastoPlastic, DieterichRuina : other laws with a state.
    DynamicContact : where it is used.
    models.lugre_block : a model with it.

    Examples
    --------
    >>> law = LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=1e4, sigma_1=100.0)
    >>> round(law.coefficient_value(1.0, law.steady(1.0)), 10) == round(0.6 + 0.4 * exp(-25), 10)
    True
    """

    _listed: ClassVar[tuple[str, ...]] = ("steady",)

    mu_s: Value
    mu_k: Value
    v_s: Value
    sigma_0: Value
    sigma_1: Value = 0.0
    sigma_2: Value = 0.0

    rules: ClassVar[Mapping[str, str]] = dict.fromkeys(("mu_s", "mu_k", "v_s", "sigma_0"), "positive")
    dimensions: ClassVar[Mapping[str, Dimension]] = BRISTLES

    def steady(self, v: float) -> float:
        """The deflection in steady sliding, g(v)/σ₀ with the sign of v.

        Parameters
        ----------
        v : float
            The sliding velocity.

        Returns
        -------
        float
            The deflection, a length.

        Examples
        --------
        >>> LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=100.0).steady(10.0)
        0.006
        """
        p = self.parameters()
        return math.copysign(_stribeck(v, p["mu_s"], p["mu_k"], p["v_s"]) / p["sigma_0"], v)

    def functions(self) -> tuple[Function, Function]:
        return _lugre_rate, _lugre_coefficient


def _lugre_rate(v: Any, z: Any, mu_s: Any, mu_k: Any, v_s: Any, sigma_0: Any, sigma_1: Any, sigma_2: Any) -> Any:
    return v - sigma_0 * abs(v) * z / _stribeck(v, mu_s, mu_k, v_s)


def _lugre_coefficient(v: Any, z: Any, mu_s: Any, mu_k: Any, v_s: Any, sigma_0: Any, sigma_1: Any, sigma_2: Any) -> Any:
    return sigma_0 * z + sigma_1 * _lugre_rate(v, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2) + sigma_2 * v


@dataclass(frozen=True, eq=False)
class ElastoPlastic(DynamicLaw):
    """LuGre whose bristles are elastic up to a deflection: Dupont, Hayward, Armstrong, Altpeter (2002).

    ż = v − α(z, v) σ₀|v| z/g(v), with α = 0 up to |z| = breakaway and while the bristle is unloaded (z v < 0), rising
    to 1 at the steady deflection z_ss = g(v)/σ₀: α = ½ + ½ sin(π(|z| − (z_ss + breakaway)/2)/(z_ss − breakaway)). So a
    load below σ₀·breakaway moves nothing for good.

    Parameters
    ----------
    mu_s : float
        The static coefficient; positive.
    mu_k : float
        The kinetic coefficient at high speed; positive.
    v_s : float
        The Stribeck speed; positive.
    sigma_0 : float
        The stiffness of the bristles, in coefficient per length; positive.
    breakaway : float
        The deflection, a length, up to which they are elastic; positive and below every steady deflection.
    sigma_1 : float, default 0.0
        The damping of the bristles, in coefficient per speed.
    sigma_2 : float, default 0.0
        The viscous coefficient, in 1/speed.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    LuGre : the same without an elastic range.
    DynamicContact : where it is used.

    Examples
    --------
    >>> law = ElastoPlastic(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=100.0, breakaway=0.004)
    >>> law.rate_value(1.0, 0.004), law.rate_value(-1.0, 0.009)
    (1.0, -1.0)
    """

    mu_s: Value
    mu_k: Value
    v_s: Value
    sigma_0: Value
    breakaway: Value
    sigma_1: Value = 0.0
    sigma_2: Value = 0.0

    rules: ClassVar[Mapping[str, str]] = dict.fromkeys(("mu_s", "mu_k", "v_s", "sigma_0", "breakaway"), "positive")
    dimensions: ClassVar[Mapping[str, Dimension]] = BRISTLES

    def check(self, values: Mapping[str, float], what: str) -> None:
        super().check(values, what)
        least = min(values["mu_s"], values["mu_k"]) / values["sigma_0"]
        if values["breakaway"] >= least:
            raise ModelError(
                f"{what}: breakaway is {values['breakaway']:g}; it must be below the smallest deflection in steady "
                f"sliding, min(mu_s, mu_k)/sigma_0 = {least:g}"
            )

    def functions(self) -> tuple[Function, Function]:
        return _elastoplastic_rate, _elastoplastic_coefficient


def _elastoplastic_rate(
    v: Any, z: Any, mu_s: Any, mu_k: Any, v_s: Any, sigma_0: Any, sigma_1: Any, sigma_2: Any, breakaway: Any
) -> Any:
    z_ss = _stribeck(v, mu_s, mu_k, v_s) / sigma_0
    rising = 0.5 + 0.5 * sin(math.pi * (abs(z) - 0.5 * (z_ss + breakaway)) / (z_ss - breakaway))
    alpha = where(abs(z) < breakaway, 0.0, where(abs(z) < z_ss, rising, 1.0))
    loaded = 0.5 + 0.5 * sign(z * v)
    return v - loaded * alpha * abs(v) * z / z_ss


def _elastoplastic_coefficient(
    v: Any, z: Any, mu_s: Any, mu_k: Any, v_s: Any, sigma_0: Any, sigma_1: Any, sigma_2: Any, breakaway: Any
) -> Any:
    rate = _elastoplastic_rate(v, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2, breakaway)
    return sigma_0 * z + sigma_1 * rate + sigma_2 * v


EVOLUTIONS = ("aging", "slip")
SPEED_FLOOR = 1e-12
"""x ln x has no Taylor series at zero: in the slip law |v| is taken as |v| + SPEED_FLOOR·v*."""


@dataclass(frozen=True, eq=False)
class DieterichRuina(DynamicLaw):
    """Rate-and-state friction of rock: the state θ is the age of the contacts.

    μ = a asinh(v/(2v*) exp((μ* + b ln(v*θ/D_c))/a)), which is μ* + a ln(v/v*) + b ln(v*θ/D_c) but for |v| below
    v* exp(−μ*/a), and passes through zero with v. θ starts at D_c/v*.

    In steady sliding μ = μ* + (a − b) ln(v/v*). Where a < b a slider on a spring is unstable below the stiffness
    N(b − a)/D_c. References: Dieterich, JGR 84 (1979); Ruina, JGR 88 (1983); the asinh after Rice, Lapusta, Ranjith,
    J. Mech. Phys. Solids 49 (2001).

    Parameters
    ----------
    mu_star : float
        The coefficient in steady sliding at the speed `v_star`; positive.
    a : float
        How friction grows with speed at once; positive.
    b : float
        How friction grows with age.
    D_c : float
        The length over which contacts are renewed; positive.
    v_star : float
        The reference speed; positive.
    evolution : str, default "aging"
        "aging" (Dieterich): θ̇ = 1 − |v|θ/D_c; or "slip" (Ruina): θ̇ = −(|v|θ/D_c) ln(|v|θ/D_c).

    Raises
    ------
    ModelError
        If a number is not allowed, or there is no such evolution.

    See Also
    --------
    models.fault : a model of earthquakes with it.
    DynamicContact : where it is used.

    Examples
    --------
    >>> law = DieterichRuina(mu_star=0.6, a=0.01, b=0.015, D_c=1e-5, v_star=1e-6)
    >>> round(law.coefficient_value(1e-5, 1e-5 / 1e-5), 9) == round(0.6 - 0.005 * log(10), 9)
    True
    """

    mu_star: Value
    a: Value
    b: Value
    D_c: Value
    v_star: Value
    evolution: str = "aging"

    rules: ClassVar[Mapping[str, str]] = dict.fromkeys(("mu_star", "a", "D_c", "v_star"), "positive")
    dimensions: ClassVar[Mapping[str, Dimension]] = {
        "a": Dimension(), "b": Dimension(), "D_c": LENGTH, "v_star": SPEED,
    }  # fmt: skip
    state: ClassVar[str] = "state"
    measure: ClassVar[str] = "time"

    def __post_init__(self) -> None:
        if not isinstance(self.evolution, str) or self.evolution not in EVOLUTIONS:
            raise ModelError(
                f"DieterichRuina.evolution is {shown(self.evolution)}: it must be one of {', '.join(EVOLUTIONS)}"
            )
        super().__post_init__()

    def given(self) -> dict[str, Value]:
        return {name: value for name, value in super().given().items() if name != "evolution"}

    def structure(self) -> str:
        return f"DieterichRuina {self.evolution}"

    def check(self, values: Mapping[str, float], what: str) -> None:
        mu_star, direct = (check_number(f"{what}.{name}", values[name]) for name in ("mu_star", "a"))
        if mu_star > 300 * direct > 0:
            raise ModelError(
                f"{what}: mu_star/a is {mu_star / direct:.4g}; above 300 its exponential is beyond what "
                "numbers hold. A law with so small a direct effect is nearly a jump at v = 0: use a Contact"
            )
        super().check(values, what)

    def start(self, values: Mapping[str, float]) -> float:
        return values["D_c"] / values["v_star"]

    def functions(self) -> tuple[Function, Function]:
        return (_aging_rate if self.evolution == "aging" else _slip_rate), _rate_and_state


def _aging_rate(v: Any, z: Any, mu_star: Any, a: Any, b: Any, D_c: Any, v_star: Any) -> Any:
    return 1 - abs(v) * z / D_c


def _slip_rate(v: Any, z: Any, mu_star: Any, a: Any, b: Any, D_c: Any, v_star: Any) -> Any:
    fresh = (abs(v) + SPEED_FLOOR * v_star) * z / D_c
    return -fresh * log(fresh)


def _rate_and_state(v: Any, z: Any, mu_star: Any, a: Any, b: Any, D_c: Any, v_star: Any) -> Any:
    u = abs(v) / (2 * v_star) * exp((mu_star + b * log(v_star * z / D_c)) / a)
    # asinh by its logarithm, which has a Taylor recurrence, on the side where nothing cancels.
    mu = a * log(u + sqrt(u * u + 1))
    return sign(v) * mu


@dataclass(frozen=True, eq=False)
class StateLaw(DynamicLaw):
    """A dynamic law from two plain functions of `v` and `z`; arguments with defaults are its parameters.

    Parameters
    ----------
    rate : function
        ż as a function of the sliding velocity `v` and the state `z`, or of one of them. A parameter that both
        functions have needs the same default in both.
    coefficient : function
        The coefficient of friction, with the sign of the sliding velocity that it opposes; likewise.
    initial : float, default 0.0
        Where z starts.

    Raises
    ------
    ModelError
        If a function fails, or a parameter has two defaults.

    See Also
    --------
    LuGre, DieterichRuina : laws that are there already.
    DynamicContact : where it is used.

    Examples
    --------
    >>> law = StateLaw(
    ...     rate=lambda v, z, mu=0.3, k=100.0: v - k * abs(v) * z / mu,
    ...     coefficient=lambda z, k=100.0: k * z,
    ... )
    >>> law.parameters()
    {'mu': 0.3, 'k': 100.0}
    """

    rate: Function
    coefficient: Function
    initial: float = 0.0

    default_rule: ClassVar[str] = "any"
    state: ClassVar[str] = "state"
    measure: ClassVar[str] = ""

    def dimension(self, parameter: str) -> Dimension | None:
        return None  # what a function's parameters mean is its own affair

    def __post_init__(self) -> None:
        check_number("StateLaw.initial", self.initial)
        super().__post_init__()

    def given(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key, function in (("rate", self.rate), ("coefficient", self.coefficient)):
            variables, own = arguments_of(function, f"StateLaw.{key}")
            for name in variables:
                if name not in ("v", "z"):
                    raise ModelError(
                        f"StateLaw.{key} depends on {name!r}: it is a function of the sliding velocity v and the state "
                        "z, its other arguments need default values"
                    )
            for name, number in own.items():
                if values.setdefault(name, number) != number:
                    raise ModelError(
                        f"the parameter {name!r} has the default {shown(number)} in the {key} and "
                        f"{shown(values[name])} in the rate: give it the same default in both"
                    )
        return values

    def structure(self) -> str | None:
        marks = fingerprint(self.rate), fingerprint(self.coefficient)
        return None if None in marks else f"StateLaw {marks}"

    def start(self, values: Mapping[str, float]) -> float:
        return float(self.initial)

    def functions(self) -> tuple[Function, Function]:
        return _with_all_arguments(self.rate), _with_all_arguments(self.coefficient)


def _with_all_arguments(function: Function) -> Function:
    """A function of v, z and any parameters, from one of some of them."""
    variables, parameters = arguments_of(function, "the law")

    def called(v: Any, z: Any, **values: Any) -> Any:
        known = {"v": v, "z": z}
        return function(**{n: known[n] for n in variables}, **{n: values[n] for n in parameters})

    return called
