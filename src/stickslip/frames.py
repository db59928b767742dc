"""Results as tables: pandas frames whose size is that of the data, and CSV files.

One rule lays out every table: a row for each place along some dimensions, a column for each variable that has them.
What else a variable has along is spread over columns, "force.guideway", so no value appears twice.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

if TYPE_CHECKING:
    import pandas as pd

UNITS = "units"
"""Where a frame keeps the units of its columns, for the heads of a file."""


def frame(data: xr.Dataset, rows: Sequence[str], indexed: bool = True) -> pd.DataFrame:
    """The variables that lie along all of `rows`, a line for each place there.

    The labels of a single dimension are the index, unless it is not to be `indexed`; those of several are columns, and
    the lines are numbered.

    >>> force = (("time", "contact"), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> data = xr.Dataset({"force": force, "event_time": ("event", [0.5])}, {"time": [0, 1, 2], "contact": ["a", "b"]})
    >>> frame(data, ["time"])["force.b"].tolist()
    [2.0, 4.0, 6.0]
    """
    import pandas as pd

    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for name, values, unit in _columns(data, list(rows)):
        columns[name] = values
        if unit:
            units[name] = unit
    if indexed and len(rows) == 1 and rows[0] in columns:
        index = pd.Index(columns.pop(rows[0]), name=rows[0])
    else:
        count = int(np.prod([data.sizes[each] for each in rows]))
        index = pd.RangeIndex(count, name=rows[0] if indexed and len(rows) == 1 else "point")
    table = pd.DataFrame(columns, index, copy=False)
    table.attrs[UNITS] = units
    return table


def long_frame(data: xr.Dataset, outer: Sequence[str], along: str, prefix: str = "") -> pd.DataFrame:
    """The rows that each place has along a dimension of its own length, one after the other, with the labels of the
    place. The variable `count` says how many there are; `prefix` stands before its name and those of the columns.

    >>> variables = {"x": (("k", "record"), [[1.0, np.nan], [2.0, 3.0]]), "count": ("k", [1, 2])}
    >>> long_frame(xr.Dataset(variables, {"k": [10, 20]}), ["k"], "record").to_numpy().tolist()
    [[10.0, 1.0], [20.0, 2.0], [20.0, 3.0]]
    """
    import pandas as pd

    shape = tuple(data.sizes[each] for each in outer)
    length = data.sizes[along]
    there = np.ones((*shape, length), bool)
    if f"{prefix}count" in data:
        there = np.arange(length) < data[f"{prefix}count"].transpose(*outer).values[..., None]
    place = np.nonzero(there)
    columns, units = {}, {}
    for name, variable in data.variables.items():
        if set(variable.dims) == {*outer, along}:
            values = _words(variable.transpose(*outer, along))[there]
        elif name in data.coords and variable.dims and set(variable.dims) <= set(outer):
            values = _words(variable)[tuple(place[outer.index(str(each))] for each in variable.dims)]
        else:
            continue
        short = str(name).removeprefix(prefix)
        columns[short] = values
        if variable.attrs.get(UNITS):
            units[short] = str(variable.attrs[UNITS])
    labels_first = sorted(columns, key=lambda name: name not in data.coords)
    table = pd.DataFrame({name: columns[name] for name in labels_first}, copy=False)
    table.index.name = along
    table.attrs[UNITS] = units
    return table


def _columns(data: xr.Dataset, rows: list[str]) -> Iterator[tuple[str, np.ndarray, str]]:
    """Name, values and unit of every column: labels of the rows first."""
    sizes = [data.sizes[each] for each in rows]
    for name in (*data.coords, *data.data_vars):
        variable = data.variables[name]
        unit = str(variable.attrs.get(UNITS, ""))
        if name in data.coords and variable.dims and set(variable.dims) <= set(rows):
            shape = [size if each in variable.dims else 1 for each, size in zip(rows, sizes, strict=True)]
            ordered = _words(variable.transpose(*(each for each in rows if each in variable.dims)))
            yield str(name), np.broadcast_to(ordered.reshape(shape), sizes).ravel(), unit
        elif name in data.data_vars and set(rows) <= set(variable.dims):
            yield from _spread(data, str(name), variable.transpose(*rows, ...), len(rows), unit)


def _spread(
    data: xr.Dataset, name: str, variable: xr.Variable, outer: int, unit: str
) -> Iterator[tuple[str, np.ndarray, str]]:
    """One column for each place along the dimensions that are not those of the rows."""
    values = _words(variable)
    inner = variable.dims[outer:]
    for place in product(*(range(data.sizes[each]) for each in inner)):
        labels = [_label(data, each, i) for each, i in zip(inner, place, strict=True)]
        there: Any = (..., *place)
        yield ".".join([name, *labels]), values[there].ravel(), unit


def _label(data: xr.Dataset, dimension: Hashable, place: int) -> str:
    return str(data[dimension].values[place]) if dimension in data.coords else str(place)


def _words(variable: xr.Variable) -> np.ndarray:
    """The values of a variable; those that are numbers for words, by the CF conventions, as the words."""
    values = np.asarray(variable.values)
    codes, words = variable.attrs.get("flag_values"), variable.attrs.get("flag_meanings")
    if codes is None or not isinstance(words, str):
        return values
    known = dict(zip(np.atleast_1d(codes).tolist(), words.split(), strict=False))
    found, place = np.unique(values, return_inverse=True)
    return np.array([known.get(code, "") for code in found.tolist()], dtype=object)[place.reshape(values.shape)]


def numbered(columns: Mapping[str, Any], name: str, units: Mapping[str, str] | None = None) -> pd.DataFrame:
    """A frame of columns, whose lines are numbered; `name` says what each line is.

    >>> numbered({"speed": [0.1, 0.2]}, "class").index.name
    'class'
    """
    import pandas as pd

    table = pd.DataFrame(dict(columns))
    table.index.name = name
    table.attrs[UNITS] = {column: unit for column, unit in (units or {}).items() if unit}
    return table


def natural_frame(data: xr.Dataset) -> pd.DataFrame | None:
    """The table of data of any kind, where it is no larger than the data: None where it would be a product of
    dimensions that no variable has all together."""
    dimensions = [str(each) for each in data.dims]
    if any(set(variable.dims) == set(dimensions) for variable in data.data_vars.values()):
        return frame(data, dimensions)
    return None


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a frame: numbers with all their digits, units in brackets behind the names."""
    units: dict[Any, str] = table.attrs.get(UNITS) or {}
    index: Any = table.index.name
    heads = [f"{name} [{units[name]}]" if units.get(name) else str(name) for name in table.columns]
    first = f"{index} [{units[index]}]" if units.get(index) else index
    # Flags are 1 and 0, which every program reads as numbers, `identify.read` as well.
    table = table.astype(dict.fromkeys(table.select_dtypes("bool").columns, int))
    # Piece by piece: the text of a long table is several times as large as its numbers.
    table.to_csv(path, header=heads, index_label=first, lineterminator="\n", chunksize=10_000)
