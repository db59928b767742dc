"""What a sweep gives per point, and how all of it becomes a labelled Dataset.

Arrays are of two kinds. Some have one entry per point. Rows that motions record are packed, those of one point after
those of the one before, and an array of counts says how many belong to each: what nothing was recorded for takes no
room (`packed.py`). In the Dataset rows lie along a dimension of their own, with fill values where a point has fewer;
this is how they look, not how they are kept, and values are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import xarray as xr

from stickslip import frames
from stickslip.errors import SweepError
from stickslip.kernels.outcome import NOT_COMPUTED
from stickslip.model.errors import shown, suggest
from stickslip.model.system import Model
from stickslip.result import Result, state_attributes
from stickslip.status import Status
from stickslip.sweeps import ragged
from stickslip.sweeps.axes import START, Axes
from stickslip.sweeps.packed import Pieces, Ragged, Rows, places
from stickslip.sweeps.ragged import COUNT, HIDDEN, RECORD, REPEAT_ROWS, REPEAT_TIME, ROW_SIZE, dense_or_lazy, is_time

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "stickslip sweep 1"
BASINS = "stickslip basins 1"
"""What files are known by."""

NO_PERIOD, STEADY = -1, 0
"""What stands for n and m where a motion has no period that was found, and where nothing moves: any time is one."""

Results = dict[str, np.ndarray]
DESCRIPTIONS = {
    "status": "how the motion ended",
    "count": "rows recorded",
    "truncated": "whether there was room for no more rows",
    "events": "changes of mode while observed",
    "n": "stick→slip points in one period of the motion (0: it never sticks; -1: no period found)",
    "m": "periods of the excitation in one period of the motion (1 without excitation; 0: steady; -1: no period found)",
    "period": "period of the motion",
    "time": "time reached",
    "steps": "steps taken",
    "minimum": "least value while observed",
    "maximum": "largest value while observed",
    "stick_fraction": "part of the observed time in stick",
    "start_state": "state at the start",
    "end_state": "state at the end",
    "end_mode": "mode of the contact at the end: 0 stick, 1 and -1 slip",
    "record_time": "time of the recorded point",
    "record_contact": "number of the contact that changed its mode, -1: none",
}
TIMES = ("record_time", "period", "time")
NUMBER, WHOLE, SMALL = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int8)


@dataclass(frozen=True)
class Layout:
    """Shape per point (or per row), type, what stands where nothing is, and names of the dimensions.

    Rows have the name of the array that counts them in `counted_by`, and `most` of them for each point; where a cycle
    of them may be kept once, they are `folded`. An array is `hidden` where it only says how rows are kept. An exponent
    is counted `per` unit time, release or period of the forcing.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: float | int | bool
    dimensions: tuple[str, ...] = ()
    counted_by: str | None = None
    most: int = 0
    folded: bool = False
    hidden: bool = False
    description: str = ""
    units: str = ""
    per: str = ""

    def empty(self, count: int) -> np.ndarray:
        """So many entries of which nothing is known yet."""
        return np.full((count, *self.shape), self.fill, self.dtype)

    @property
    def kept_by(self) -> str | None:
        """The name of the array that says how many rows are kept of every point."""
        return self.hidden_name(ROW_SIZE) if self.folded else self.counted_by

    def hidden_name(self, name: str) -> str:
        """The name of an array that says how rows are kept, with that of the observation before it."""
        return f"{str(self.counted_by).removesuffix(COUNT)}{name}"

    def ragged(self, of: Callable[[str], np.ndarray]) -> Ragged:
        """How the rows of neighbouring points lie, from the arrays by their names."""
        count = of(str(self.counted_by))
        if not self.folded:
            return Ragged.in_order(count)
        kept, cycle, length = (of(self.hidden_name(name)) for name in HIDDEN)
        return Ragged.in_order(kept, count, cycle, length)

    @property
    def bytes_per_point(self) -> int:
        """What one point takes at most."""
        return self.dtype.itemsize * int(np.prod(self.shape)) * (self.most if self.counted_by else 1)


def motion_layout(model: Model) -> dict[str, Layout]:
    """What sums up every motion."""
    states, contacts = (len(model.states),), (len(model.contacts),)
    layout = {"status": Layout((), SMALL, NOT_COMPUTED)}
    layout |= {name: Layout((), WHOLE, 0) for name in ("events", "steps")}
    layout |= {name: Layout((), WHOLE, NO_PERIOD) for name in ("n", "m")}
    layout |= {name: Layout((), NUMBER, np.nan, units=model.time_unit) for name in ("period", "time")}
    of_states = ("minimum", "maximum", "start_state", "end_state")
    layout |= {name: Layout(states, NUMBER, np.nan, ("state",)) for name in of_states}
    return layout | {
        "stick_fraction": Layout(contacts, NUMBER, np.nan, ("contact",)),
        "end_mode": Layout(contacts, SMALL, 0, ("contact",)),
    }


def record_layout(model: Model, most: int, prefix: str = "") -> dict[str, Layout]:
    """The rows of one observation, their number, and whether there were more."""
    count, record = f"{prefix}{COUNT}", f"{prefix}record"
    rows: dict[str, Any] = {"counted_by": count, "most": most, "folded": True}
    return {
        count: Layout((), WHOLE, 0),
        f"{prefix}{ROW_SIZE}": Layout((), WHOLE, 0, hidden=True),
        f"{prefix}{REPEAT_ROWS}": Layout((), WHOLE, 0, hidden=True),
        f"{prefix}{REPEAT_TIME}": Layout((), NUMBER, 0.0, hidden=True, units=model.time_unit),
        f"{prefix}truncated": Layout((), np.dtype(np.bool_), False),
        f"{prefix}record_time": Layout((), NUMBER, np.nan, (record,), units=model.time_unit, **rows),
        f"{prefix}record_contact": Layout((), np.dtype(np.int16), -1, (record,), **rows),
        f"{prefix}record_state": Layout((len(model.states),), NUMBER, np.nan, (record, "state"), **rows),
    }


# -- the Dataset ---------------------------------------------------------------------------------------------------

ValuesOf = Callable[[str, int], Any]
"""The values of an array over all points by its name; rows are given the length of the longest record."""


def in_memory(
    layout: Mapping[str, Layout], points: Sequence[int], pieces: Sequence[tuple[slice | np.ndarray, Results]]
) -> tuple[ValuesOf, Mapping[str, int]]:
    """Arrays over all points from those of chunks, with the places of their points; and how long records are."""
    count = int(np.prod(points))

    @cache
    def whole(name: str) -> np.ndarray:
        kind = layout[name]
        all_known = sum(len(results[name]) for _, results in pieces) == count
        found = np.empty((count, *kind.shape), kind.dtype) if all_known else kind.empty(count)
        for place, results in pieces:
            found[place] = results[name]
        return found

    @cache
    def rows_of(name: str) -> Ragged:
        """How the rows lie that are counted by this, chunk after chunk."""
        kind = next(each for each in layout.values() if each.counted_by == name)
        found = kind.ragged(whole)
        first, begin = np.zeros(count, np.int64), 0
        for place, results in pieces:
            within = places(results[str(kind.kept_by)])
            first[place] = begin + within[:-1]
            begin += int(within[-1])
        return Ragged(first, found.kept, found.count, found.cycle, found.length)

    def values(name: str, _longest: int) -> Any:
        kind = layout[name]
        if not kind.counted_by:
            return whole(name)
        packed = Pieces([results[name] for _, results in pieces] or [kind.empty(0)])
        return dense_or_lazy(Rows(points, packed, rows_of(kind.counted_by), kind.fill, is_time(name)))

    return values, longest_of(layout, (results for _, results in pieces))


def longest_of(layout: Mapping[str, Layout], chunks: Iterable[Mapping[str, np.ndarray]]) -> dict[str, int]:
    """The largest number of rows of a point, by the array that counts them."""
    longest = {kind.counted_by: 0 for kind in layout.values() if kind.counted_by}
    for results in chunks:
        longest = {name: max(most, int(np.max(results[name], initial=0))) for name, most in longest.items()}
    return longest


WITHIN = ("state", "contact", "number", "sample")
"""Dimensions of what belongs to one point of a sweep, or to one attractor; all others are axes, but for records."""


class Sweep(Result):  # type: ignore[no-untyped-call]
    """Motions at many parameter values or from many starts, as `sweep` and `basins` return them.

    It is an `xarray.Dataset` with tables of its points and of what they have recorded.

    See Also
    --------
    sweep, basins : make them.
    save, load : to a file and back.

    Examples
    --------
    >>> import stickslip as ss
    >>> data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50))
    >>> data.to_dataframe()[["belt.speed", "status", "n"]].values.tolist()
    [[0.1, 'finished', 1], [0.2, 'finished', 1]]
    >>> data.to_dataframe("record")[["belt.speed", "x.block"]].round(6).values.tolist()[-1]
    [0.2, 1.0]
    """

    __slots__ = ()

    @property
    def _headline(self) -> str:
        axes = [each for each in map(str, self.dims) if each not in WITHIN and each.rpartition(".")[2] != RECORD]
        sizes = " × ".join(
            f"{self.sizes[each]} of {each}" if each != "point" else f"{self.sizes[each]} points" for each in axes
        )
        name = self.attrs.get("title") or self.attrs.get("model_name") or "a model"
        return f"{name}: {sizes or 'one point'}. {self.attrs.get('status', '')}".rstrip()

    def observation(self, name: str) -> Self:
        """One of several observations, under the names that it has alone: to be drawn, for instance.

        Parameters
        ----------
        name : str
            The name that stands before those of its variables: "strobe" for "strobe.x.block".

        Returns
        -------
        Sweep
            The sweep as if this had been observed alone.

        Raises
        ------
        SweepError
            If there is no such observation, or one at most.

        Examples
        --------
        >>> import stickslip as ss
        >>> both = [ss.observe.StickToSlip(), ss.observe.Maxima("x.block")]
        >>> data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50), observe=both)
        >>> data.observation("stick_to_slip")["x.block"].dims
        ('belt.speed', 'record')
        """
        known = [str(each).removesuffix(".record") for each in self.dims if str(each).endswith(".record")]
        if not known:
            raise SweepError("this sweep has one observation at most, and its variables have no names before them")
        if name not in known:
            raise SweepError(f"this sweep has no observation {shown(name)}{suggest(str(name), known)}")
        others = [each for each in self if any(str(each).startswith(f"{other}.") for other in known if other != name)]
        names = [*map(str, self), *map(str, self.dims)]
        own = {each: each.removeprefix(f"{name}.") for each in names if each.startswith(f"{name}.")}
        return self.drop_vars(others).rename(own)

    @classmethod
    def of(cls, data: xr.Dataset) -> Self:
        """The same data, as a sweep; rows that are packed are seen with a line per point, as `sweep` gives them.

        Parameters
        ----------
        data : xarray.Dataset
            The data: of a sweep, of a file, or what `packed` has given.

        Returns
        -------
        Sweep or Basins
            The data, with the methods of this class.

        Raises
        ------
        ResultError
            If what says how many rows belong to each point does not fit to them.
        """
        return super().of(ragged.seen_by_point(data))

    def packed(self, folded: bool = False) -> xr.Dataset:
        """The sweep with its rows one after another, as it is kept: a contiguous ragged array of the CF conventions.

        Rows lie along `sample`, those of the first point first; `row_size` says how many belong to each point, in the
        order of the axes. Where several things are observed their names stand before all of these. Nothing is filled
        up, so that all rows of a large sweep fit into memory.

        Parameters
        ----------
        folded : bool, default False
            Whether motions that repeat themselves have the rows of one cycle once, as in files. The last `repeat_rows`
            of a point come again after `repeat_time`, until there are `count`.

        Returns
        -------
        xarray.Dataset
            The data; ``ss.Sweep.of`` makes a sweep of it again.

        Examples
        --------
        >>> import stickslip as ss
        >>> data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50))
        >>> rows = data.packed()
        >>> rows["row_size"].values.tolist(), rows["x.block"].dims, rows["x.block"].round(6).values.tolist()[-1]
        ([3, 4], ('sample',), 1.0)
        """
        return ragged.packed(xr.Dataset(self.data_vars, self.coords, self.attrs), folded)

    def _in_file(self) -> xr.Dataset:
        return self.packed(folded=True)

    def to_dataframe(self, along: str | None = None) -> pd.DataFrame:  # type: ignore[override]
        """The points, a row for each with its parameters, or what they have recorded, a row for each record.

        Parameters
        ----------
        along : str, optional
            None for the points; "record" for what they have recorded, with the name of the observation before it where
            there are several ("strobe.record"); "number" for the attractors of basins.

        Returns
        -------
        pandas.DataFrame
            The swept parameters are columns. What a point has for every state or contact is spread over columns:
            "minimum.x.block". How a motion ended is a word. The units of the columns are in `frame.attrs["units"]`.

        Raises
        ------
        ResultError
            If there is no such dimension.

        Examples
        --------
        >>> import stickslip as ss
        >>> data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50))
        >>> len(data.to_dataframe("record")) == int(data["count"].sum())
        True
        """
        dimensions = [str(each) for each in self.dims]
        records = [each for each in dimensions if each.rpartition(".")[2] == RECORD]
        outer = [each for each in dimensions if each not in (*records, *WITHIN)]
        if along is None:
            return frames.frame(self.drop_dims(records), outer, indexed=False)
        if not isinstance(along, str) or along not in records:
            return super().to_dataframe(along)
        return frames.long_frame(self, outer, along, along.removesuffix(RECORD))


def labelled(
    model: Model, axes: Axes, layout: Mapping[str, Layout], values: ValuesOf, longest: Mapping[str, int]
) -> Sweep:
    """The Dataset of a sweep."""
    variables: dict[str, Any] = {}
    for name, kind in layout.items():
        length = longest[kind.counted_by] if kind.counted_by else 0
        inner = (length, *kind.shape) if kind.counted_by else kind.shape
        if kind.hidden:
            continue
        found = values(name, length)
        if isinstance(found, np.ndarray):
            found = found.reshape(*axes.shape, *inner)
        words = kind.description or DESCRIPTIONS.get(name.rpartition(".")[2], "")
        attributes = {"long_name": words}
        if kind.units or name.rpartition(".")[2] in TIMES:
            attributes["units"] = kind.units
        if kind.per:
            attributes["per"] = kind.per
        variables[name] = xr.Variable((*axes.dimensions, *kind.dimensions), found, attributes)
    return Sweep(_named(variables, model), _coordinates(model, axes))


def _named(variables: Mapping[str, xr.Variable], model: Model) -> dict[str, xr.Variable]:
    """States under their names, status codes and contacts with their meaning."""
    named = {name: variable for name, variable in variables.items() if not name.endswith("record_state")}
    for recorded in [name for name in variables if name not in named]:
        prefix = recorded.removesuffix("record_state")
        for i, state in enumerate(model.states):
            attributes = {**state_attributes(model, state), "long_name": f"{state} at the recorded point"}
            named[f"{prefix}{state}"] = variables[recorded].isel(state=i)
            named[f"{prefix}{state}"].attrs = attributes
        contact = named[f"{prefix}record_contact"]
        contact.attrs["flag_values"] = np.arange(len(model.contacts), dtype=np.int16)
        contact.attrs["flag_meanings"] = " ".join(model.contacts)
    status = named["status"]
    status.attrs["flag_values"] = np.array([each.code for each in Status], np.int8)
    status.attrs["flag_meanings"] = " ".join(each.word for each in Status)
    return named


def _coordinates(model: Model, axes: Axes) -> dict[str, Any]:
    coordinates: dict[str, Any] = {
        name: (name if axes.grid else "point", values.copy(), {"units": model.unit_of(name.removeprefix(START))})
        for name, values in zip(axes.names, axes.values, strict=True)
    }
    contacts = np.array(model.contacts, dtype=np.str_) if model.contacts else np.zeros(0, "<U1")
    return coordinates | {"state": np.array(model.states, dtype=np.str_), "contact": contacts}
