"""`SpecialPoint`: where something happens to what is followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.critical import HOPF
from stickslip.branches.margins import BRANCH_POINT, FLIP, FOLD, TORUS
from stickslip.model.listing import Listing


@dataclass(frozen=True, eq=False)
class SpecialPoint(metaclass=Listing):
    """A point of a branch where something happens to the orbit: what, where, and the orbit there.

    `follow` makes it, and follows it: along two parameters, or onto the branch that begins there.

    Attributes
    ----------
    kind : str
        What happens: "fold", "flip", "Neimark–Sacker", "branch point", "Hopf", "grazing-sliding", …
    parameter : str
        The parameter along which the branch was followed.
    value : float
        Its value there.
    orbit : Orbit or Equilibrium
        What was followed, there.
    note : str
        More about it in words: the stick phases that are gained or lost.
    margin : object
        What vanishes there, for curves of such points; None where there is none.
    extremes : array or None
        The smallest and the largest value of every state.
    after : int
        The number of the point of the branch before it.
    numbers : dict of str to float
        Numbers that belong to it: a Hopf point has "l1" and "omega".

    See Also
    --------
    follow : finds them, and follows them.
    Branch : has them as `branch.special`.

    Examples
    --------
    >>> import stickslip as ss
    >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5)
    >>> branch.special[-1].kind, round(branch.special[-1].value, 6)
    ('grazing-sliding', 4.611989)
    """

    kind: str
    parameter: str
    value: float
    orbit: Any
    note: str = ""
    margin: Any = None
    extremes: Floats | None = None
    after: int = 0
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def bifurcates(self) -> bool:
        """Whether another branch begins here that `follow` can step onto."""
        return self.kind in (FLIP, BRANCH_POINT, HOPF)

    @property
    def has_curve(self) -> bool:
        """Whether `follow` can keep it what it is along two parameters."""
        if np.isnan(self.orbit.period):  # of equilibria
            return self.kind in (FOLD, HOPF)
        return self.kind in (FOLD, FLIP, TORUS) or (self.margin is not None and self.kind != BRANCH_POINT)

    def __repr__(self) -> str:
        period = "" if np.isnan(self.orbit.period) else f", period {self.orbit.period:.10g}"
        return f"<{self.kind} at {self.parameter} = {self.value:.10g}{period}>"
