"""`from_csv`: a column of a table as a series; what is wrong with a table is said with the number of the line."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stickslip.arguments import check_flag
from stickslip.arrays import Floats
from stickslip.errors import SeriesError
from stickslip.model.errors import path_of
from stickslip.series.data import Series, known, positive

UNEVEN = 0.05
"""Times may be off an even grid by this part of the interval: tables are rounded."""

TIMES = ("t", "time")
_UNIT = re.compile(r"(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*\Z")


class Column(NamedTuple):
    """The head of a column: what it says, and the name and unit in it."""

    head: str
    name: str
    unit: str


class Table(NamedTuple):
    """A table as text: its columns, and its rows with the numbers of their lines."""

    path: Path
    columns: list[Column]
    lines: list[int]
    rows: list[list[str]]

    def find(self, name: str) -> int:
        """The place of a column by its head, with or without the unit."""
        heads = [column.head for column in self.columns]
        names = [column.name for column in self.columns]
        if isinstance(name, str) and name not in heads and name in names:
            return names.index(name)
        return heads.index(known(name, heads, "column", repr(str(self.path))))

    def numbers(self, place: int) -> Floats:
        """The numbers of a column."""
        return np.array([self._number(line, row, place) for line, row in zip(self.lines, self.rows, strict=True)])

    def _number(self, line: int, row: Sequence[str], place: int) -> float:
        head = self.columns[place].head
        if place >= len(row) or not row[place].strip():
            raise SeriesError(f"{str(self.path)!r}, line {line}: there is no value for {head!r}")
        text = row[place].strip()
        try:
            number = float(text)
        except ValueError:
            comma = "; write decimals with a point" if re.fullmatch(r"[-+]?\d+,\d+", text) else ""
            raise SeriesError(
                f"{str(self.path)!r}, line {line}: {text!r} for {head!r} is not a number{comma}"
            ) from None
        if not np.isfinite(number):
            raise SeriesError(f"{str(self.path)!r}, line {line}: {text!r} for {head!r} is not finite")
        return number


def from_csv(
    path: str | Path,
    column: str,
    time: str | None = None,
    interval: float | None = None,
    events: bool = False,
) -> Series:
    """A column of a table as a series.

    Parameters
    ----------
    path : str or path
        The file, as text in UTF-8. Values are separated by commas, semicolons, tabs or blanks; lines that begin with #
        are comments.
    column : str
        Head of the column, with or without its unit: x for "x [mm]"; without heads its number, from "1".
    time : str, optional
        Head of the column of times, which must be even; by default the one called t or time.
    interval : float, optional
        Time between two rows, where there is no column of times.
    events : bool, default False
        Whether the rows are events, or iterates of a map: then there is no interval.

    Returns
    -------
    Series
        The column; name, unit and unit of time are those of the heads.

    Raises
    ------
    SeriesError
        If the file cannot be read, has no such column, or its times are not even; the message names the line.

    See Also
    --------
    stickslip.identify.read : All columns of a table, in SI units.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import stickslip as ss
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "slide.csv"
    >>> _ = path.write_text("t [s],x [mm]\\n0.0,1.5\\n0.1,1.7\\n0.2,1.6\\n")
    >>> ss.series.from_csv(path, "x")
    <Series x: 3 values, every 0.1 s>
    """
    check_flag("events", events)
    table = read(path_of(path))
    place = table.find(column)
    chosen = table.columns[place]
    values = table.numbers(place)
    if events:
        return Series(values, None, chosen.name, chosen.unit)
    if interval is not None:
        return Series(values, positive("from_csv: interval", interval), chosen.name, chosen.unit)
    clock = _clock(table, time)
    return Series(values, _interval(table, clock), chosen.name, chosen.unit, table.columns[clock].unit)


def _clock(table: Table, time: str | None) -> int:
    """The column of times."""
    if time is not None:
        return table.find(time)
    for place, column in enumerate(table.columns):
        if column.name.lower() in TIMES:
            return place
    raise SeriesError(
        f"{str(table.path)!r} has no column called t or time: say which one it is (time=), how far apart the rows are "
        "(interval=), or that they are events (events=True)"
    )


def _interval(table: Table, place: int) -> float:
    times = table.numbers(place)
    if len(times) < 2:
        raise SeriesError(f"{str(table.path)!r} has a single row: there is no interval")
    interval = (times[-1] - times[0]) / (len(times) - 1)
    if not interval > 0:
        raise SeriesError(f"{str(table.path)!r}: the times in {table.columns[place].head!r} do not increase")
    steps = np.diff(times)
    usual = float(np.median(steps))
    rounding = _rounding(table, place)
    allowed = UNEVEN * usual + (rounding if rounding < 0.5 * usual else 0.0)
    late = np.flatnonzero(np.abs(steps - usual) > allowed)
    if len(late):
        line = table.lines[late[0] + 1]
        raise SeriesError(
            f"{str(table.path)!r}, line {line}: the time goes on by {steps[late[0]]:.6g} here and by "
            f"{usual:.6g} elsewhere; a series needs even times: interpolate the table first"
        )
    return float(interval)


def _rounding(table: Table, place: int) -> float:
    """What the last digit of the times is worth: two rounded times may be apart by that much more or less."""
    digits = [len(row[place].strip().partition(".")[2]) for row in table.rows if "e" not in row[place].lower()]
    return 1.01 * 10.0 ** -max(digits) if digits else 0.0


def read(path: Path) -> Table:
    """A table as text, with the heads of its columns; they are numbered from 1 where there are none."""
    if not path.is_file():
        raise SeriesError(f"there is no file {str(path)!r}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SeriesError(f"{str(path)!r} cannot be read: it is not text in UTF-8") from None
    kept = [
        (number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.lstrip()[0] != "#"
    ]
    if not kept:
        raise SeriesError(f"{str(path)!r} has no rows")
    separator = _separator(kept[0][1])
    split = [line.split() if separator is None else next(csv.reader([line], delimiter=separator)) for _, line in kept]
    lines = [number for number, _ in kept]
    if _all_numbers(split[0]):
        return Table(path, [Column(str(i), str(i), "") for i in range(1, len(split[0]) + 1)], lines, split)
    if len(split) == 1:
        raise SeriesError(f"{str(path)!r} has heads of columns, and no rows below them")
    return Table(path, [_column(head.strip()) for head in split[0]], lines[1:], split[1:])


def _separator(line: str) -> str | None:
    """The one in the first line; None for blanks."""
    return next((mark for mark in ("\t", ";", ",") if mark in line), None)


def _all_numbers(cells: Sequence[str]) -> bool:
    try:
        list(map(float, cells))
    except ValueError:
        return False
    return True


def _column(head: str) -> Column:
    found = _UNIT.match(head)
    return Column(head, found["name"], found["unit"].strip()) if found and found["name"] else Column(head, head, "")
