"""Two forms of the rows in the Dataset of a sweep: with a line per point, and one after another as they are kept.

The second is a contiguous ragged array of the CF conventions: rows lie along `sample`, and `row_size`, whose attribute
`sample_dimension` names that dimension, says how many belong to each point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from stickslip.errors import ResultError
from stickslip.sweeps.packed import AT_ONCE, Pieces, Ragged, Rows, source_of, unfolded

RECORD, SAMPLE, SAMPLES = "record", "sample", "sample_dimension"
"""Dimensions of rows with a line per point, and of packed ones; and the attribute by which these are known."""

COUNT = "count"
HIDDEN = ROW_SIZE, REPEAT_ROWS, REPEAT_TIME = "row_size", "repeat_rows", "repeat_time"
"""How many rows there are, how many of them are kept, and how the last of these repeat themselves."""

MEANINGS = {
    ROW_SIZE: "rows that are kept of the point",
    REPEAT_ROWS: "the last rows of the point that come again and again, until there are count",
    REPEAT_TIME: "after how long they come again",
}


def dense_or_lazy(rows: Rows) -> Any:
    """The values of rows with a line per point, where they are few; else what makes them when they are asked for.

    All rows of an observation are alike in this, whatever an entry of them is.
    """
    lines = int(np.prod(rows.points)) * rows.inner[0]
    return np.asarray(rows.lazy) if 8 * lines <= AT_ONCE else rows.lazy


def is_time(name: str) -> bool:
    """Whether rows are times, which move on from cycle to cycle."""
    return name.rpartition(".")[2] == "record_time"


# -- one after another ---------------------------------------------------------------------------------------------


def packed(data: xr.Dataset, folded: bool) -> xr.Dataset:
    """The data with its rows packed; those of a cycle that comes again once, where they are so and may be `folded`."""
    for record in [str(each) for each in data.dims if str(each).rpartition(".")[2] == RECORD]:
        names = [name for name, each in data.data_vars.items() if record in each.dims]
        kept = _as_kept(data, names)
        if kept is None or (folded and not kept[0].is_in_order):
            data = _joined(data, record, {name: _gathered(data, record, name) for name in names})
        elif folded:
            columns = {name: column for name, (_, column) in kept[1].items()}
            data = _joined(data, record, columns, kept[0])
        else:
            columns = {name: unfolded(column, kept[0], moves=rows.moves) for name, (rows, column) in kept[1].items()}
            data = _joined(data, record, columns)
    return data


def _as_kept(data: xr.Dataset, names: list[Any]) -> tuple[Ragged, dict[Any, tuple[Rows, np.ndarray]]] | None:
    """How the rows of all these variables lie, and what each is made from; None where some are made already."""
    found = {}
    for name in names:
        source = source_of(data.variables[name])
        if source is None:
            return None
        found[name] = source
    ways = {id(rows.ragged): rows.ragged for rows, _ in found.values()}
    return (next(iter(ways.values())), found) if len(ways) == 1 else None


def _joined(data: xr.Dataset, record: str, columns: dict[Any, np.ndarray], way: Ragged | None = None) -> xr.Dataset:
    """The data with packed rows in place of those along a dimension; `way` says which of them come again."""
    prefix = record.removesuffix(RECORD)
    counts, sample = data.variables[f"{prefix}{COUNT}"], f"{prefix}{SAMPLE}"
    sizes: dict[str, np.ndarray] = {ROW_SIZE: counts.values if way is None else way.kept}
    if way is not None and way.is_folded:
        sizes |= {REPEAT_ROWS: way.cycle, REPEAT_TIME: way.length}
    found: dict[Any, Any] = {name: (sample, column, data[name].attrs) for name, column in columns.items()}
    for name, values in sizes.items():
        attributes = {"long_name": MEANINGS[name]} | ({SAMPLES: sample} if name == ROW_SIZE else {})
        found[f"{prefix}{name}"] = (counts.dims, values.reshape(counts.shape), attributes)
    return data.drop_vars(list(columns)).assign(found)


def _gathered(data: xr.Dataset, record: str, name: Any) -> np.ndarray:
    """The rows of all points one after another, from lines that are filled up, some lines at a time."""
    counts = data.variables[f"{record.removesuffix(RECORD)}{COUNT}"]
    lines = data.variables[name].transpose(*counts.dims, record)
    longest, first = lines.shape[-1], counts.shape[0]
    step = max(1, int(AT_ONCE) // max(1, lines.size // max(1, first)))
    parts = [np.empty(0, lines.dtype)]
    for begin in range(0, first, step):
        here = slice(begin, begin + step)
        parts.append(lines[here].values[np.arange(longest) < counts[here].values[..., None]])
    return np.concatenate(parts)


# -- with a line per point -----------------------------------------------------------------------------------------


def seen_by_point(data: xr.Dataset) -> xr.Dataset:
    """The data with all packed rows seen with a line per point."""
    for name in [str(name) for name, each in data.variables.items() if SAMPLES in each.attrs]:
        prefix, counts = name.removesuffix(ROW_SIZE), data.variables[name]
        sample = str(counts.attrs[SAMPLES])
        way = _checked(data, prefix, sample)
        names = [each for each, variable in data.data_vars.items() if variable.dims == (sample,)]
        found = {}
        for each in names:
            variable = data.variables[each]
            fill = np.nan if variable.dtype.kind == "f" else -1
            rows = Rows(counts.shape, Pieces([variable.values]), way, fill, is_time(str(each)))
            found[each] = ((*counts.dims, f"{prefix}{RECORD}"), dense_or_lazy(rows), variable.attrs)
        hidden = [f"{prefix}{each}" for each in HIDDEN if f"{prefix}{each}" in data]
        data = data.drop_vars([*names, *hidden]).assign(found)
    return data


def _checked(data: xr.Dataset, prefix: str, sample: str) -> Ragged:
    """How packed rows lie, if what says so can be true: a file may come from anybody."""
    names = [f"{prefix}{each}" for each in (COUNT, *HIDDEN)]
    given = {name: data.variables[name] for name in names if name in data.variables}
    dimensions = {each.dims for each in given.values()}
    numbers = all(each.dtype.kind in ("f" if name == names[3] else "iu") for name, each in given.items())
    if not {names[0], names[1]} <= set(given) or len(dimensions) > 1 or not numbers or sample not in data.dims:
        raise ResultError(f"its rows cannot be told apart: {names[0]!r} and {names[1]!r} do not say how many there are")
    none = np.zeros(given[names[1]].size)
    whole = {name: np.ravel(given[name].values) if name in given else none for name in names}
    count, size, cycle = (whole[name].astype(np.int64) for name in names[:3])
    fits = (size >= 0) & (cycle >= 0) & (cycle <= size) & (size <= count) & ((count == size) | (cycle > 0))
    if not fits.all() or int(size.sum()) != data.sizes[sample]:
        raise ResultError(f"{names[1]!r} does not fit to the rows along {sample!r}, of which there are other numbers")
    return Ragged.in_order(size, count, cycle, whole[names[3]])
