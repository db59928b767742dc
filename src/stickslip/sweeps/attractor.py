"""`Attractor`: what motions end on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stickslip.model.listing import Listing

ORBIT, REST, POINT, CHAOS = "orbit", "rest", "equilibrium", "chaos"


@dataclass(frozen=True)
class Attractor(metaclass=Listing):
    """What motions end on: an "orbit", a "rest" in stick, an "equilibrium" in slip, or "chaos".

    Attributes
    ----------
    kind : str
        Which of these.
    state : dict of str to float
        A point of the attractor, states by name.
    period : float or None
        The period of an orbit.
    signature : str
        The modes of an orbit in one period.
    multipliers : tuple of float
        The moduli of its Floquet multipliers, largest first.
    interval : dict of str to (float, float), or None
        The range of every state, of a rest in stick, which is a whole set and counts as one attractor, or of chaos.
    exponent : float or None
        The largest Lyapunov exponent of chaos, per unit time.
    exponent_error : float or None
        Its standard error.

    See Also
    --------
    basins : finds attractors.
    Basins : has them as `data.attractors`.

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> (rest,) = ss.basins(ss.models.coulomb_oscillator(), grid, t=30).attractors
    >>> rest.kind, rest.interval["x.block"]
    ('rest', (-1.0, 1.0))
    """

    kind: str
    state: dict[str, float]
    period: float | None = None
    signature: str = ""
    multipliers: tuple[float, ...] = ()
    interval: dict[str, tuple[float, float]] | None = None
    exponent: float | None = None
    exponent_error: float | None = None

    def __str__(self) -> str:
        if self.kind == CHAOS:
            return f"chaos, exponent {self.exponent:.3g}"
        if self.kind == ORBIT:
            return f"orbit of period {self.period:.6g}"
        return "rest in stick" if self.kind == REST else "steady sliding"


def attractor_of(entry: dict[str, Any]) -> Attractor:
    """The attractor that a record was made of."""
    interval = entry.pop("interval")
    ranges = {name: (low, high) for name, (low, high) in interval.items()} if interval else None
    return Attractor(**entry | {"interval": ranges, "multipliers": tuple(entry["multipliers"])})
