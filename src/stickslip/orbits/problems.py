"""The equations that an orbit solves, whatever its method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from stickslip.arrays import Complexes, Floats
from stickslip.methods.exact import Exact
from stickslip.orbits import exact
from stickslip.orbits.arclength import Path
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.signature import Signature


class OrbitProblem(Path, Protocol):
    """The equations of an orbit: what is asked of them along a branch. `solved` is what `solved(u)` gave."""

    turns: int
    signature: Signature

    @property
    def phases(self) -> int:
        """How many phases the orbit has."""

    @property
    def is_cut(self) -> bool:
        """Whether the orbit is cut by a plane anywhere, having neither events nor an excitation."""

    def solved(self, u: Floats) -> Any:
        """The orbit with these unknowns, integrated once."""

    def multipliers(self, solved: Any) -> Complexes:
        """Floquet multipliers."""

    def fault(self, solved: Any) -> str:
        """Why the system would not move like this; empty where it would."""

    def orbit(self, solved: Any) -> Orbit:
        """The solution as an Orbit."""

    def extremes(self, solved: Any) -> Floats:
        """The smallest and the largest value of every state along the orbit, as seen from what advances with it."""

    def start_rate(self, solved: Any) -> Floats:
        """The motion at the start, as seen from what advances evenly, in units of the size of the states."""

    def passage(self, solved: Any) -> float:
        """How fast the motion passes through the section, if there is one."""

    def unknowns(self, state: Floats, period: float, like: Floats, value: float) -> Floats:
        """An orbit without events, as unknowns: with this value of the last parameter, the others as in `like`."""

    def grown(self, ranges: Floats) -> Self:
        """The same equations for an orbit that has outgrown the size of its states: they have these ranges now."""

    def shorter(self, solved: Any, loosely: bool = False) -> Orbit | None:
        """The orbit of a shorter period that a solution goes through more than once, if it does."""

    def split(self, solved: Any) -> Floats | None:
        """By how much the second half of an orbit differs from the first, where both have the same signature."""

    def repeated(self, u: Floats, times: int) -> tuple[Self, Floats]:
        """The same orbit gone through several times in one period."""

    def tiled(self, change: Floats, times: int) -> Floats:
        """A change of the unknowns of an orbit, as one of the orbit gone through several times."""

    def turned(self, change: Floats) -> Floats:
        """A change of the unknowns, as one of those of `orbit`, which may begin with another phase."""


def problem_of(orbit: Orbit, free: Sequence[int] = ()) -> tuple[OrbitProblem, Floats]:
    """The equations with the parameters `free` among the unknowns, and the orbit as a solution."""
    if isinstance(orbit.method, Exact):
        return exact.problem_of(orbit, free)
    from stickslip.orbits import shooting

    return shooting.problem_of(orbit, free)
