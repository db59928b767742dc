"""Measurements in CSV files: columns by name, units in their heads, a sentence for every row that cannot be read."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arguments import check_flag
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError
from stickslip.files import output_file
from stickslip.frames import numbered
from stickslip.identify.errors import column
from stickslip.model.errors import check_mapping, check_string, listed_names, path_of, shown, suggest
from stickslip.tables import (
    BASES,
    PREFIXES,
    WHOLE,
    TextTable,
    has_decimal_comma,
    number_in,
    read_text_table,
    unit_factor,
)

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers from a file, in SI units where the head of a column names a unit that is known.

    Parameters
    ----------
    columns : dict of str to array of float
        The columns by name.
    units : dict of str to str
        Their units now.
    skipped : tuple of str, default ()
        Rows that were left out, each with the reason.
    notes : tuple of str, default ()
        What was converted.
    source : str, default "the table"
        What messages call it.

    See Also
    --------
    read : Reads one.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> table = ss.identify.Table({"v": np.array([0.1])}, {"v": "m/s"})
    >>> table["v"].tolist(), table.units["v"]
    ([0.1], 'm/s')
    """

    columns: Mapping[str, Floats]
    units: Mapping[str, str]
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = "the table"

    def __getitem__(self, name: str) -> Floats:
        if name not in self.columns:
            raise IdentifyError(f"{self.source} has no column {shown(name)}{suggest(name, self.columns)}")
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def to_dataframe(self) -> pd.DataFrame:
        """The columns as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            The columns under their names; the units are in `frame.attrs["units"]`.

        Examples
        --------
        >>> Table({"v": np.array([0.1])}, {"v": "m/s"}).to_dataframe().attrs["units"]
        {'v': 'm/s'}
        """
        return numbered(self.columns, "row", self.units)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def read(
    path: str | os.PathLike[str],
    columns: Sequence[str] | None = None,
    *,
    skip_bad: bool = False,
    si: bool = True,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Table:
    """Read columns of numbers from a CSV file.

    The first row has the names of the columns, with units in brackets if wanted: v [mm/s], force (kN). Without names
    columns are called 1, 2, … Lines that begin with # are comments.

    Parameters
    ----------
    path : str or path
        The file, as text in UTF-8.
    columns : sequence of str, optional
        Those that are needed, others may hold anything; by default all.
    skip_bad : bool, default False
        Leave rows out that cannot be read, and list them; by default the first one is an error.
    si : bool, default True
        Convert to SI units; a unit that is not known is refused. With False numbers and units stay as they are.
    delimiter : str, optional
        Between columns; by default found by itself where it is a comma, a semicolon, a tab or white space.
    decimal : {".", ","}, default "."
        "," for numbers such as 0,25.

    Returns
    -------
    Table
        `table["v"]` is a column.

    Raises
    ------
    IdentifyError
        If the file or a row cannot be read, or a column is not there; the message names the line.

    See Also
    --------
    write : Writes such a file.
    stickslip.series.from_csv : One column as a series.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import stickslip as ss
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "run.csv"
    >>> _ = file.write_text("v [mm/s], F [N]\\n100, -3.1\\n200, -2.9\\n")
    >>> table = ss.identify.read(file, ["v", "F"])
    >>> table["v"].tolist(), table.units["v"]
    ([0.1, 0.2], 'm/s')
    """
    file = path_of(path)
    check_flag("skip_bad", skip_bad)
    check_flag("si", si)
    columns = None if columns is None else listed_names("columns", columns)
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise IdentifyError(f"delimiter is {shown(delimiter)}: it is one character, such as ';'")
    if not isinstance(decimal, str) or decimal not in (".", ","):
        raise IdentifyError(f"decimal is {shown(decimal)}: it is '.' or ','")
    table = read_text_table(file, IdentifyError, delimiter, decimal)
    names = [head.name for head in table.heads]
    _check_heads(table, names, columns)
    wanted = names if columns is None else columns
    numbers, skipped = _numbers(table, names, wanted, decimal, skip_bad)
    if not numbers:
        raise IdentifyError(
            f"{file.name} has no row that could be read" + (f"; the first problem: {skipped[0]}" if skipped else "")
        )
    data = dict(zip(wanted, np.array(numbers, float).T, strict=True))
    return _converted(data, {head.name: head.unit for head in table.heads}, skipped, si, file.name)


def _check_heads(table: TextTable, names: Sequence[str], columns: Sequence[str] | None) -> None:
    file = table.file.name
    for name in columns or ():
        if name not in names:
            mark = {" ": "white space", "\t": "tabs"}.get(table.delimiter, repr(table.delimiter))
            raise IdentifyError(
                f"{file} has no column {shown(name)}{suggest(name, names)} (columns are separated by {mark})"
            )
    for name in columns or names:
        if list(names).count(name) > 1:
            raise IdentifyError(f"{file} has {list(names).count(name)} columns {shown(name)}: rename all but one")


def _numbers(
    table: TextTable, names: Sequence[str], wanted: Sequence[str], decimal: str, skip_bad: bool
) -> tuple[list[list[float]], tuple[str, ...]]:
    places = [list(names).index(name) for name in wanted]
    good: list[list[float]] = []
    bad: list[str] = []
    for number, cells in table.rows:
        problem = _problem(cells, names, places, decimal)
        if problem is None:
            good.append([number_in(cells[place], decimal) or 0.0 for place in places])
        elif skip_bad:
            bad.append(f"line {number}: {problem}")
        else:
            raise IdentifyError(
                f"{table.file.name}, line {number}: {problem}; mend the row, or leave bad rows out (skip_bad=True)"
            )
    return good, tuple(bad)


def _problem(cells: list[str], names: Sequence[str], places: list[int], decimal: str) -> str | None:
    """What is wrong with a row, if anything."""
    if len(cells) != len(names):
        return f"{len(cells)} values were found where {len(names)} were expected ({', '.join(map(str, names[:6]))})"
    for place in places:
        value = number_in(cells[place], decimal)
        if value is None:
            hint = "; for numbers such as 0,25 say decimal=','" if has_decimal_comma(cells[place]) else ""
            found = shown(cells[place]) if cells[place] else "nothing"
            return f"{found} was found in the column {shown(names[place])} where a number was expected{hint}"
        if not math.isfinite(value):
            return f"{shown(cells[place])} was found in the column {shown(names[place])}: it must be finite"
    return None


def _converted(
    data: dict[str, Floats], units: dict[str, str], skipped: tuple[str, ...], si: bool, source: str
) -> Table:
    notes = []
    now = {name: units[name] for name in data}
    for name in data:
        if not si or not units[name]:
            continue
        known = unit_factor(units[name])
        if known is None:
            raise IdentifyError(
                f"{source}: the unit {shown(units[name])} of {name!r} is not known; known are {', '.join(BASES)} with "
                f"prefixes ({', '.join(PREFIXES)}), {', '.join(WHOLE)}, and quotients such as mm/s or m/s². "
                "Say si=False to keep all columns as they are"
            )
        now[name], factor = known
        if factor != 1.0:
            data[name] = data[name] * factor
            notes.append(f"{name} was in {units[name]}: it is in {known[0] or 'parts of one'} now.")
    return Table(data, now, skipped, tuple(notes), source)


def write(path: str | os.PathLike[str], columns: Mapping[str, Any], units: Mapping[str, str] | None = None) -> Path:
    """Write columns of numbers to a CSV file, whole or not at all.

    Parameters
    ----------
    path : str or path
        Where to write.
    columns : dict of str to array_like of float
        The columns by name, all of one length.
    units : dict of str to str, optional
        Their units, for the heads; by default none.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    IdentifyError
        If the columns are no numbers, or not of one length.
    OSError
        If the file cannot be written.

    See Also
    --------
    read : Reads it back.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import stickslip as ss
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "run.csv"
    >>> ss.identify.read(ss.identify.write(file, {"t": [0.0, 0.1]}, {"t": "s"}))["t"].tolist()
    [0.0, 0.1]
    """
    target = path_of(path)
    check_mapping("columns", columns, "{'t': [0.0, 0.1]}")
    check_mapping("units", {} if units is None else units, "{'t': 's'}")
    for name, unit in (units or {}).items():
        check_string(f"the unit of {shown(name)}", unit)
    arrays = {name: column(name, values) for name, values in columns.items()}
    if len({len(values) for values in arrays.values()}) != 1:
        raise IdentifyError("the columns must be of one length, and there must be one at least")
    heads = [f"{name} [{units[name]}]" if units and units.get(name) else name for name in arrays]
    with output_file(target) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(zip(*(map(repr, values.tolist()) for values in arrays.values()), strict=True))
    return target
