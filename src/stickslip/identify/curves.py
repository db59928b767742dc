"""Friction laws as curves with free parameters: from a law to numbers that can be fitted, and back to a law."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from stickslip.arrays import Floats
from stickslip.errors import IdentifyError, ModelError
from stickslip.model.classic_laws import Coulomb, Hyperbolic, PoppStelter, Stribeck
from stickslip.model.errors import check_mapping, check_number, shown, suggest
from stickslip.model.formula import Formula
from stickslip.model.functions import arguments_of
from stickslip.model.laws import FrictionLaw, FunctionLaw, Polynomial, Tabulated, WithViscous
from stickslip.model.parameter import Parameter
from stickslip.model.terms import Terms, independent

LEAST_POSITIVE = 1e-12
"""A parameter that must be positive stays above this part of its size."""
KINDS = ("coulomb", "hyperbolic", "stribeck", "gaussian", "popp_stelter", "polynomial")
"""Laws by name: `gaussian` is Stribeck's with shape 2, `polynomial:3` one of degree 3, `stribeck+viscous` has a
viscous coefficient, too."""
DEGREE = 2


@dataclass(frozen=True)
class Curve:
    """y = f(x; p): values and derivatives with respect to the parameters, at many x at once."""

    value: Callable[[Floats, Floats], Floats]
    gradient: Callable[[Floats, Floats], Floats]
    linear: tuple[str, ...]
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class LawCurve:
    """A friction law whose parameters are to be fitted.

    `unseen` are those that do not matter while it slips, `static` the one of them that is the static coefficient.
    """

    law: FrictionLaw
    names: tuple[str, ...]
    start: Floats
    lower: Floats
    upper: Floats
    curve: Curve
    unseen: tuple[str, ...]
    static: str | None
    rebuilt: Callable[[Mapping[str, float]], FrictionLaw]


def law_named(text: str, coefficient: float = 0.3, speed: float = 1.0) -> FrictionLaw:
    """A law by its name, with parameters as they may be where friction is about `coefficient` at about `speed`.

    >>> law_named("hyperbolic")
    Hyperbolic(mu_s=0.3, delta=1.0)
    >>> law_named("polynomial:3+viscous").structure()
    'Polynomial^3 + viscous'
    """
    name, plus, addition = text.strip().lower().replace("-", "_").partition("+")
    kind, colon, degree = name.strip().partition(":")
    if kind not in KINDS or (plus and addition.strip() != "viscous") or (colon and kind != "polynomial"):
        raise IdentifyError(
            f"there is no law {shown(text)}{suggest(kind, KINDS)}; polynomial:3 has degree 3, and +viscous may follow"
        )
    if colon and not (degree.isdigit() and int(degree) <= 9):
        raise IdentifyError(f"the degree in {shown(text)} must be a whole number up to 9, as in polynomial:3")
    laws: dict[str, Callable[[], FrictionLaw]] = {
        "coulomb": lambda: Coulomb(coefficient, coefficient),
        "hyperbolic": lambda: Hyperbolic(coefficient, 1 / speed),
        "stribeck": lambda: Stribeck(1.2 * coefficient, coefficient, speed),
        "gaussian": lambda: Stribeck(1.2 * coefficient, coefficient, speed, 2),
        "popp_stelter": lambda: PoppStelter(1.2 * coefficient, 0.5 * coefficient, 1 / speed, 0.0),
        "polynomial": lambda: Polynomial((coefficient, *[0.0] * (int(degree) if colon else DEGREE))),
    }
    law = laws[kind]()
    return law.with_viscous(0.0) if plus else law


def law_curve(law: Any) -> LawCurve:
    """A law, or a plain function of the slip speed, ready to be fitted.

    >>> law_curve(Coulomb(0.4, 0.3)).unseen
    ('mu_s',)
    """
    known = law if isinstance(law, FrictionLaw) else FunctionLaw(law)
    if isinstance(known, Tabulated):
        return _tabulated(known)
    values = independent(known.given(), "the law")
    names = tuple(values)
    curve = _curve_of(known, names)
    start = np.array([float(values[name]) for name in names])
    static = next((name for name in curve.unseen if name in ("mu_s", "static")), None)
    rules = [_rule(known, name) for name in names]
    lower = [0.0 if rule == "nonnegative" else -np.inf for rule in rules]
    lower = [
        LEAST_POSITIVE * (abs(x) or 1.0) if rule == "positive" else low
        for rule, low, x in zip(rules, lower, start, strict=True)
    ]
    limits = np.array(lower), np.full(len(names), np.inf)
    return LawCurve(known, names, start, *limits, curve, curve.unseen, static, lambda found: rebuilt(known, found))


def _follows(law: FrictionLaw) -> bool:
    """Whether a parameter of the law is shared, or follows from others: then those are fitted that it follows from."""
    return any(callable(value) for value in law.given().values())


def _rule(law: FrictionLaw, name: str) -> str:
    given = law.given()
    if name not in given or callable(given[name]):
        return "any"  # shared ones: the law that is made of the fit says whether what follows from them is allowed
    if isinstance(law, WithViscous):
        return "nonnegative" if name == "viscous" else _rule(law.law, name)
    if isinstance(law, Polynomial) and name == "mu_s":
        return "nonnegative"
    return law.rules.get(name, law.default_rule)


def _curve_of(law: FrictionLaw, names: tuple[str, ...]) -> Curve:
    mark = None if _follows(law) else law.structure()
    return _trace(law, names) if mark is None else _remembered(mark, names, _Unhashed(law))


class _Unhashed:
    """A law that does not count where calls are told apart: its structure does."""

    def __init__(self, law: FrictionLaw) -> None:
        self.law = law

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unhashed)


@lru_cache(maxsize=64)
def _remembered(mark: str, names: tuple[str, ...], law: _Unhashed) -> Curve:
    return _trace(law.law, names)


def _trace(law: FrictionLaw, names: tuple[str, ...]) -> Curve:
    if not _follows(law):
        return curve(law.kinetic, "v", names, "the law")
    terms, kinetic = Terms(law.given(), "the law"), law.kinetic

    def of_independent(v: Any, **values: Any) -> Any:
        return kinetic(v, **{name: terms[name].called(values) for name in law.given()})

    return curve(of_independent, "v", names, "the law")


def curve(function: Callable[..., Any], variable: str, names: tuple[str, ...], what: str) -> Curve:
    """The curve of a plain function: with exact derivatives where it can be traced, else by differences.

    >>> curve(lambda t, a, b: a + b * t, "t", ("a", "b"), "a line").linear
    ('a', 'b')
    """
    from stickslip.symbolic.curve import traced_curve

    try:
        traced = traced_curve(function, variable, names, what)
    except ModelError:
        return by_differences(_one_by_one(function, names))
    return Curve(traced.value, traced.gradient, traced.linear, traced.unseen)


def _one_by_one(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[[Floats, Floats], Floats]:
    def value(x: Floats, p: Floats) -> Floats:
        values = dict(zip(names, p.tolist(), strict=True))
        found = np.full(len(x), np.nan)
        for i, at in enumerate(x.tolist()):
            try:
                found[i] = float(function(at, **values))
            except (ArithmeticError, ValueError):
                continue  # no value there: the fit turns back
        return found

    return value


def by_differences(value: Callable[[Floats, Floats], Floats], linear: tuple[str, ...] = ()) -> Curve:
    """A curve whose derivatives are taken by central differences.

    >>> line = by_differences(lambda x, p: p[0] * x)
    >>> line.gradient(np.array([2.0]), np.array([3.0])).round(9).tolist()
    [[2.0]]
    """

    def gradient(x: Floats, p: Floats) -> Floats:
        columns = []
        least = 1e-3 * float(np.max(np.abs(p), initial=0.0)) or 1e-3  # a parameter that is zero has no size of its own
        for i, size in enumerate(np.maximum(np.abs(p), least)):
            step = np.zeros(len(p))
            step[i] = 6e-6 * size  # the cube root of round-off balances it against the curvature
            columns.append((value(x, p + step) - value(x, p - step)) / (2 * step[i]))
        return np.column_stack(columns) if columns else np.zeros((len(x), 0))

    return Curve(value, gradient, linear)


def _tabulated(law: Tabulated) -> LawCurve:
    """The values of a table as parameters value0, value1, …, at speeds that stay."""
    names = tuple(f"value{i}" for i in range(len(law.values)))
    speeds = np.array(law.speeds)

    def value(v: Floats, p: Floats) -> Floats:
        return np.asarray(PchipInterpolator(speeds, p)(np.minimum(v, speeds[-1])))

    def back(found: Mapping[str, float]) -> FrictionLaw:
        values = tuple(found[name] for name in names)
        static = None if law.mu_s is None else max(law.static_value(), values[0])
        return Tabulated(law.speeds, values, static)

    low, high = np.zeros(len(names)), np.full(len(names), np.inf)
    return LawCurve(law, names, np.array(law.values), low, high, by_differences(value), (), None, back)


def rebuilt(law: FrictionLaw, values: Mapping[str, float]) -> FrictionLaw:
    """A law of the same kind with other values of its parameters.

    >>> rebuilt(Hyperbolic(1.0, 3.0), {"mu_s": 0.5, "delta": 2.0})
    Hyperbolic(mu_s=0.5, delta=2.0)
    """
    if _follows(law):
        return _placed(law, {name: with_values(name, given, values) for name, given in law.given().items()})
    return _placed(law, values)


def _placed(law: FrictionLaw, values: Mapping[str, Any]) -> FrictionLaw:
    """The law with these numbers in the place of its own."""
    if isinstance(law, WithViscous):
        inner = {name: value for name, value in values.items() if name != "viscous"}
        return WithViscous(_placed(law.law, inner), values["viscous"])
    if isinstance(law, Polynomial):
        coefficients = tuple(values[f"c{power}"] for power in range(len(law.coefficients)))
        return Polynomial(coefficients, values.get("mu_s"))
    if isinstance(law, FunctionLaw):
        others = {name: value for name, value in values.items() if name != "static"}
        return FunctionLaw(with_defaults(law.function, others), values.get("static"))
    return replace(law, **values)


def with_values(name: str, given: Any, values: Mapping[str, float]) -> Any:
    """What was given for a number, with other values of the parameters that it follows from.

    >>> with_values("mu_k", 0.8 * Parameter("mu", 0.5), {"mu": 1.0})()
    0.8
    """
    if not callable(given):
        return values[name]
    if isinstance(given, Parameter):
        return replace(given, value=values[given.name])
    arguments = arguments_of(given, name)[1]
    return with_defaults(given, {each: with_values(each, default, values) for each, default in arguments.items()})


def with_defaults(function: Any, values: Mapping[str, Any]) -> Any:
    """A copy of a plain function, or a formula, with other values of its parameters.

    >>> with_defaults(lambda v, mu=0.3: mu, {"mu": 0.5})(1.0)
    0.5
    """
    if isinstance(function, Formula):
        return replace(function, parameters={**function.parameters, **values})
    if not isinstance(function, types.FunctionType):
        raise IdentifyError(
            f"the law {shown(function)} is no plain function: write it with def, with its parameters as arguments that "
            "have default values"
        )
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    arguments = inspect.signature(function).parameters.values()
    copy.__kwdefaults__ = {a.name: values[a.name] for a in arguments if a.kind is a.KEYWORD_ONLY} or None
    copy.__defaults__ = tuple(
        values[a.name] for a in arguments if a.kind is not a.KEYWORD_ONLY and a.default is not a.empty
    )
    copy.__doc__ = function.__doc__
    return copy


def check_values(what: str, given: Mapping[str, Any] | None, names: tuple[str, ...]) -> dict[str, float]:
    """Numbers by parameter name, or a sentence.

    >>> check_values("fixed", {"mu": 1}, ("mu",))
    {'mu': 1.0}
    """
    if given is None:
        return {}
    check_mapping(what, given, "{'mu_s': 0.4}")
    for name in given:
        if name not in names:
            raise IdentifyError(
                f"{what} names {shown(name)}, which is no parameter of the law{suggest(str(name), names)}"
            )
    return {name: check_number(f"{what} {name}", value) for name, value in given.items()}
