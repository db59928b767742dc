"""`Branch`: orbits along a parameter, with the special points on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from stickslip import notebook
from stickslip._version import __version__
from stickslip.arrays import Bools, Floats
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.errors import OrbitError
from stickslip.model.errors import check_number
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.orbit import Orbit
from stickslip.reading import parsed
from stickslip.result import Result
from stickslip.saving import model_text, save

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "stickslip branch 1"


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
        return _labelled(self)

    def crossings(self, quantity: str, value: float = 0.0, direction: str = "up") -> Result:
        """The branch as a labelled table, with the points at which its orbits pass through a section.

        `plot.branch(branch.crossings("v.block1"), "crossings x.block1")` draws them.

        Parameters
        ----------
        quantity : str
            The name of a state, or of a contact, whose sliding velocity is meant.
        value : float, default 0.0
            The value it passes, in its own unit.
        direction : str, default "up"
            "up", "down" or "both".

        Returns
        -------
        Dataset
            `data`, and `crossings` of each orbit in their order, NaN where another orbit has more of them.

        Raises
        ------
        ResultError
            If there is no such state or contact.
        OrbitError
            If the branch is one of equilibria.

        See Also
        --------
        Orbit.crossings : those of one orbit.
        plot.branch : its picture.

        Examples
        --------
        >>> import stickslip as ss
        >>> branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=4.2)
        >>> branch.crossings("v.twist", direction="down").sizes["crossing"]
        1
        """
        orbits = [point for point in self.points if isinstance(point, Orbit)]
        if len(orbits) < len(self):
            raise OrbitError("equilibria pass through no section: give a branch of orbits")
        found = [orbit.crossings(quantity, value, direction) for orbit in orbits]
        states = list(self.points[0].model.states)
        most = max(each.sizes["time"] for each in found)
        values = np.full((len(found), most, len(states)), np.nan)
        for row, each in zip(values, found, strict=True):
            row[: each.sizes["time"]] = np.column_stack([each[name].values for name in states])
        section = f"{quantity} = {check_number('value', value):g}, {direction}"
        return self.data.assign(crossings=(("point", "crossing", "state"), values, {"section": section}))

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
        return save(self, path)

    def _whole(self) -> xr.Dataset:
        """Its labelled table, with the records of its points: what a file of it holds."""
        special = [
            {"orbit": p.orbit._record(), "margin": p.margin, "note": p.note, "numbers": p.numbers} for p in self.special
        ]
        table = self.data
        table.attrs |= {
            "model": model_text(self.points[0].model),
            "evaluations": self.evaluations,
            "orbits": json.dumps([point._record() for point in self.points]),
            "special": json.dumps(special),
            "endings": json.dumps([[end.outcome.word, end.value, end.sentence] for end in self.endings]),
        }
        return table

    @classmethod
    def _of_whole(cls, model: Model, data: xr.Dataset) -> Branch:
        points: Any = tuple(_point(model, record) for record in parsed(data.attrs["orbits"], "orbits"))
        special = tuple(
            _special(model, data, i, record) for i, record in enumerate(parsed(data.attrs["special"], "special"))
        )
        extremes = np.stack([data["minimum"].values, data["maximum"].values], axis=1)
        endings = tuple(
            Ending(Outcome.of(str(word)), check_number("value of an end", value), str(sentence))
            for word, value, sentence in parsed(data.attrs["endings"], "endings")
        )
        parameter = str(data.attrs["parameter"])
        return cls(parameter, points, special, endings, extremes, int(data.attrs["evaluations"]))

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


def _point(model: Model, record: dict[str, Any]) -> Orbit | Equilibrium:
    """An orbit or an equilibrium, from its record."""
    kind: Any = Equilibrium if "eigenvalues" in record else Orbit
    found: Orbit | Equilibrium = kind._of_record(model, record)
    return found


def _special(model: Model, data: xr.Dataset, i: int, record: dict[str, Any]) -> SpecialPoint:
    """A special point, from the labelled table and its record."""
    return SpecialPoint(
        kind=str(data["special_kind"].values[i]),
        parameter=str(data.attrs["parameter"]),
        value=float(data["special_value"].values[i]),
        orbit=_point(model, record["orbit"]),
        note=str(record["note"]),
        margin=None if record["margin"] is None else tuple(record["margin"]),
        extremes=np.array([data["special_minimum"].values[i], data["special_maximum"].values[i]]),
        after=int(data["special_after"].values[i]),
        numbers={str(k): float(v) for k, v in record["numbers"].items()},
    )


def _labelled(branch: Branch) -> Result:
    """Along `point`: the parameter, period, stability, multipliers, signature, least and greatest value of every state;
    along `special`: kind, parameter, period, note, and the same extremes."""
    first = branch.points[0]
    states = list(first.model.states)
    multipliers = np.array([orbit.multipliers for orbit in branch.points])
    contacts = len(first.model.contacts)
    variables = {
        **{name: ("point", branch.along(name), {"units": first.model.unit_of(name)}) for name in _changing(branch)},
        "period": ("point", branch.periods, {"units": first.model.time_unit}),
        "stable": ("point", branch.stable),
        "multiplier_real": (("point", "multiplier"), multipliers.real),
        "multiplier_imag": (("point", "multiplier"), multipliers.imag),
        "signature": ("point", _texts([str(orbit.signature) for orbit in branch.points])),
        "minimum": (("point", "state"), branch.extremes[:, 0]),
        "maximum": (("point", "state"), branch.extremes[:, 1]),
        "special_kind": ("special", _texts([point.kind for point in branch.special])),
        "special_value": ("special", np.array([point.value for point in branch.special], float)),
        "special_period": ("special", np.array([point.orbit.period for point in branch.special], float)),
        "special_after": ("special", np.array([point.after for point in branch.special], int)),
        "special_note": ("special", _texts([point.note for point in branch.special])),
        "special_minimum": (("special", "state"), _extremes(branch, 0, len(states))),
        "special_maximum": (("special", "state"), _extremes(branch, 1, len(states))),
    }
    attributes = {
        "format": FORMAT,
        "version": __version__,
        "parameter": branch.parameter,
        "parameter_unit": first.model.unit_of(branch.parameter),
        "reason": branch.reason,
        "outcomes": " ".join(branch.outcomes),
        "meanings": " ".join(ending.outcome.meaning for ending in branch.endings),
        "model_name": first.model.about.name,
        "title": first.model.about.title,
        "method": repr(first.method),
        "contacts": contacts,
        "time_unit": first.model.time_unit,
    }
    units = [first.model.units[name] for name in states]
    quantities = [first.model.quantities.get(name, "") for name in states]
    coordinates = {
        "state": _texts(states),
        "unit": ("state", _texts(units)),
        "quantity": ("state", _texts(quantities)),
    }
    return Result(variables, coordinates, attributes)


def _changing(branch: Branch) -> list[str]:
    """The parameter of the branch, and on a curve of special points the one that follows it."""
    first, last = branch.points[0].model.parameters, branch.points[-1].model.parameters
    return [branch.parameter, *(name for name in first if name != branch.parameter and first[name] != last[name])]


def _texts(words: list[str]) -> np.ndarray:
    return np.array(words, dtype=np.str_) if words else np.zeros(0, "<U1")


def _extremes(branch: Branch, which: int, states: int) -> np.ndarray:
    """The extremes of special points, between those of the points around them."""
    values = np.array([point.extremes[which] for point in branch.special if point.extremes is not None])
    return values.reshape(-1, states)
