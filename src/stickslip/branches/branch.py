"""`Branch`: orbits along a parameter, with the special points on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip import notebook
from stickslip.arrays import Bools, Floats
from stickslip.branches.critical import HOPF
from stickslip.branches.margins import BRANCH_POINT, FLIP
from stickslip.branches.outcome import Ending, Outcome
from stickslip.model.listing import Listing
from stickslip.orbits.equilibria import Equilibrium
from stickslip.orbits.orbit import Orbit

if TYPE_CHECKING:
    import pandas as pd

    from stickslip.result import Result


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

    def __repr__(self) -> str:
        period = "" if np.isnan(self.orbit.period) else f", period {self.orbit.period:.10g}"
        return f"<{self.kind} at {self.parameter} = {self.value:.10g}{period}>"


@dataclass(frozen=True, eq=False)
class Branch(metaclass=Listing):
    """Orbits, or equilibria, along a parameter, as `follow` returns them.

    Attributes
    ----------
    parameter : str
        The parameter along which they lie.
    points : tuple of Orbit or of Equilibrium
        The orbits in the order in which they were found.
    special : tuple of SpecialPoint
        The special points.
    endings : tuple
        How the branch ends at its last point, or at its first and its last; `reason` is that in words.
    extremes : array
        The smallest and the largest value of every state, for every point.
    evaluations : int
        How often equations were solved.

    See Also
    --------
    follow : makes a branch.
    plot.branch : its picture.
    save, load : to a file and back.

    Examples
    --------
    >>> import stickslip as ss
    >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=4.2)
    >>> branch.complete, float(branch.values[-1]), bool(branch.stable.all())
    (True, 4.2, True)
    """

    parameter: str
    points: tuple[Orbit, ...] | tuple[Equilibrium, ...]
    special: tuple[SpecialPoint, ...]
    endings: tuple[Ending, ...]
    extremes: Floats = field(repr=False)
    evaluations: int = 0

    def __len__(self) -> int:
        return len(self.points)

    @property
    def reason(self) -> str:
        """Why the branch ends where it ends, in words."""
        return " ".join(dict.fromkeys(ending.sentence for ending in self.endings))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """How it ends at its last point, or at its first and its last: "reached", "ceased", "closed", …"""
        return tuple(ending.outcome.word for ending in self.endings)

    @property
    def complete(self) -> bool:
        """Whether the branch went as far as it was to go, or as far as it exists."""
        return all(ending.complete for ending in self.endings)

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it."""
        return any(ending.outcome is Outcome.INTERRUPTED for ending in self.endings)

    @property
    def values(self) -> Floats:
        """The parameter along the branch."""
        return self.along(self.parameter)

    def along(self, parameter: str) -> Floats:
        """Any parameter along the branch; on a curve of special points two of them change.

        Parameters
        ----------
        parameter : str
            Its name.

        Returns
        -------
        array
            Its value at every point.
        """
        if not self.points:
            return np.zeros(0)
        name = self.points[0].model.resolve(parameter)
        return np.array([orbit.model.parameters[name] for orbit in self.points])

    @property
    def periods(self) -> Floats:
        """The periods of the orbits along the branch."""
        return np.array([orbit.period for orbit in self.points])

    @property
    def stable(self) -> Bools:
        """Which are stable; those of which it is not decided count as not."""
        return np.array([bool(orbit.stable) for orbit in self.points])

    def of_kind(self, kind: str) -> list[SpecialPoint]:
        """The special points of a kind.

        Parameters
        ----------
        kind : str
            The kind; the beginning of its name is enough.

        Returns
        -------
        list of SpecialPoint
            Those of that kind, in the order of the branch.
        """
        return [point for point in self.special if point.kind.startswith(kind)]

    @property
    def data(self) -> Result:
        """The branch as a labelled table."""
        from stickslip.branches.table import dataset

        return dataset(self)

    def to_dataframe(self, along: str = "point") -> pd.DataFrame:
        """The branch as a table: a row for each point, or along "special" for each special point.

        Parameters
        ----------
        along : str, default "point"
            "point" or "special".

        Returns
        -------
        pandas.DataFrame
            The parameter, the period, the stability, and the least and the largest value of every state.

        Examples
        --------
        >>> import stickslip as ss
        >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5)
        >>> frame = branch.to_dataframe("special")
        >>> str(frame["kind"].iloc[-1]), round(float(frame["value"].iloc[-1]), 6)
        ('grazing-sliding', 4.611989)
        """
        found = self.data.to_dataframe(along)
        return found.rename(columns=lambda name: str(name).removeprefix(f"{along}_"))

    def table(self) -> str:
        """The special points as text.

        Returns
        -------
        str
            One line per special point.
        """
        head = f"{'kind':<24} {self.parameter:>16} {'period':>16}  multipliers"
        if any(isinstance(point, Equilibrium) for point in self.points):
            head = f"{'kind':<24} {self.parameter:>16}  eigenvalues"
        return "\n".join([head, *(self._row(point) for point in self.special), f"{self.reason}"])

    def _row(self, point: SpecialPoint) -> str:
        shown = point.orbit.multipliers[:6]
        values = ", ".join(f"{m.real:.6g}" + (f"{m.imag:+.6g}i" if m.imag else "") for m in shown)
        values += ", …" if len(shown) < len(point.orbit.multipliers) else ""
        values = point.note if point.numbers else values
        if isinstance(point.orbit, Equilibrium):
            return f"{point.kind:<24} {point.value:>16.10g}  {values}"
        return f"{point.kind:<24} {point.value:>16.10g} {point.orbit.period:>16.10g}  {values}"

    def plot(self, **keywords: Any) -> Any:
        """The bifurcation diagram.

        Parameters
        ----------
        **keywords
            Those of `stickslip.plot.branch`.

        Returns
        -------
        matplotlib.axes.Axes
            Where it is drawn.
        """
        from stickslip import plot

        return plot.branch(self.data, **keywords)

    def save(self, path: str | Path) -> Path:
        """Write the branch to a NetCDF file; `stickslip.load` reads it back.

        Parameters
        ----------
        path : path
            Where to.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from stickslip.storage import save

        return save(self, path)

    def __repr__(self) -> str:
        return f"<Branch along {self.parameter}: {self._size}>"

    @property
    def _size(self) -> str:
        values = self.values if len(self) else np.array([np.nan])
        what = "equilibria" if any(isinstance(point, Equilibrium) for point in self.points) else "orbits"
        stable, special = int(np.sum(self.stable)), len(self.special)
        span = f"from {np.min(values):.6g} to {np.max(values):.6g}"
        return f"{len(self)} {what} {span}, {stable} stable, {special} special point{'' if special == 1 else 's'}"

    def _repr_html_(self) -> str:
        periods = [point.orbit.period for point in self.special]
        texts = ["" if np.isnan(period) else f"{period:.10g}" for period in periods]
        rows = [(p.kind, f"{p.value:.10g}", text, p.note) for p, text in zip(self.special, texts, strict=True)]
        return notebook.card(
            f"Branch along {self.parameter}",
            notebook.table(rows, ("special point", self.parameter, "period", "")) if rows else "",
            notebook.notes([self.reason]),
            note=self._size,
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.points)


def joined(first: Branch, second: Branch | None) -> Branch:
    """Two branches from the same orbit, in opposite directions, as one; the second may have been interrupted before it
    had a point."""
    if second is None:
        ending = Outcome.INTERRUPTED.at(first.parameter, first.values[0])
        second = Branch(first.parameter, first.points[:1], (), (ending,), first.extremes[:1])
    return Branch(
        first.parameter,
        (*first.points[::-1], *second.points[1:]),
        (
            *(replace(point, after=len(first) - point.after) for point in first.special[::-1]),
            *(replace(point, after=len(first) - 1 + point.after) for point in second.special),
        ),
        (*first.endings, *second.endings),
        np.concatenate([first.extremes[::-1], second.extremes[1:]]),
        first.evaluations + second.evaluations,
    )
