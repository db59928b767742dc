"""Shapes that stand for the jump of dry friction: the smooth coefficient as a function of the sliding velocity.

Each shape is plain arithmetic on v (the sliding velocity), eps (its steepness), `kinetic` (the law at the slip speed),
`static` and `at_rest` (the law's static coefficient and its kinetic one at rest), so that it serves with numbers and
with symbols alike. The friction force is −N times the shape.

For developers: a new shape is a function here, and an entry in SHAPES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import atan, pi, tanh
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.functions import where


def _arctan(v: Any, eps: Any, kinetic: Any, static: Any, at_rest: Any) -> Any:
    """μ_k(|v|)·(2/π) arctan(εv): vandevrande1999 Eq. (4), awrejcewicz2002 Eq. (5)."""
    return kinetic * (2 / pi) * atan(eps * v)


def _tanh(v: Any, eps: Any, kinetic: Any, static: Any, at_rest: Any) -> Any:
    """μ_k(|v|)·tanh(εv)."""
    return kinetic * tanh(eps * v)


def _quartic(v: Any, eps: Any, kinetic: Any, static: Any, at_rest: Any) -> Any:
    """μ_k(|v|)·p(v) + (μ_s − μ_k(0))·b(v), odd in v, with κ = 1/ε.

    b is the quartic of vandevrande1999 Eq. (18), which is 1 at κ and 0 with two derivatives at 4κ. The printed law has
    no odd continuation: it is kinetic, not zero, at v = 0. So p, 1 with two derivatives at κ, takes it through zero.
    """
    s = eps * abs(v)
    ramp = where(s < 1, eps * v * (2 - 2 * s**2 + s**3), where(v > 0, 1, -1))
    bump = where(s < 4, eps * v * (4 - s) ** 3 / 27, 0)
    return kinetic * ramp + (static - at_rest) * bump


def _one_sided(v: Any, eps: Any, kinetic: Any, static: Any, at_rest: Any) -> Any:
    """vandevrande1999 Eq. (18) as printed, for contacts that never slide forwards (v > 0), with κ = 1/ε."""
    w = eps * v
    return -kinetic + (static - at_rest) * where(w > -4, w * (w + 4) ** 3 / 27, 0)


def _either_way(v: Any) -> Any:
    return abs(v)


def _backwards(v: Any) -> Any:
    return where(v < 0, -v, 0)


@dataclass(frozen=True)
class Shape:
    """A smooth shape: its coefficient, the slip speed at which the law is taken, and what it needs of the law.

    `static` says whether the static coefficient may ("allowed"), must ("needed") or must not ("none") exceed the
    kinetic one at rest. `full` is ε|v| where it reaches 99 % of its limit; `peak` is ε|v| at its largest value, where
    the shape itself fixes that. `kinks` are the values of εv where some derivative jumps, if only that of |v|.
    """

    coefficient: Callable[..., Any]
    speed: Callable[[Any], Any] = _either_way
    static: str = "none"
    full: float = 1.0
    peak: float | None = None
    kinks: tuple[float, ...] = (0.0,)


SHAPES = {
    "arctan": Shape(_arctan, full=63.6567411629),  # tan(0.99 π/2)
    "tanh": Shape(_tanh, full=2.6466524123622457),  # artanh(0.99)
    "quartic": Shape(_quartic, static="allowed", peak=1.0, kinks=(-4.0, -1.0, 0.0, 1.0, 4.0)),
    "quartic_one_sided": Shape(_one_sided, _backwards, static="needed", peak=1.0, kinks=(-4.0, 0.0)),
}
"""Every shape by name."""


def shape_named(name: object, what: str) -> Shape:
    """The shape of that name, or a sentence that says which there are."""
    if not isinstance(name, str) or name not in SHAPES:
        raise ModelError(f"{what}: there is no shape {name!r}; there are: {', '.join(SHAPES)}")
    return SHAPES[name]


def check_static(name: str, static: float, at_rest: float, what: str) -> None:
    """Refuse a shape that does not suit the static coefficient."""
    need, exceeds = SHAPES[name].static, static > at_rest * (1 + 1e-12)
    if need == "needed" and not exceeds:
        raise ModelError(
            f"{what}: the shape {name!r} needs a static coefficient above the kinetic one at rest, and both are "
            f'{static:g}; use shape="quartic" or "arctan"'
        )
    if need == "none" and exceeds:
        raise ModelError(
            f"{what}: the static coefficient {static:g} exceeds the kinetic one at rest, {at_rest:g}, which the shape "
            f'{name!r} cannot show; use shape="quartic"'
        )
