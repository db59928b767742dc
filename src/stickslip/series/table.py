"""`from_csv`: a column of a table as a series; what is wrong with a table is said with the number of the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stickslip.arguments import check_flag
from stickslip.arrays import Floats
from stickslip.errors import SeriesError
from stickslip.model.errors import path_of
from stickslip.series.data import Series, known, positive
from stickslip.tables import Row, TextTable, has_decimal_comma, number_in, read_text_table

UNEVEN = 0.05
"""Times may be off an even grid by this part of the interval: tables are rounded."""

TIMES = ("t", "time")


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
    table = read_text_table(path_of(path), SeriesError)
    if not table.rows:
        raise SeriesError(f"{str(table.file)!r} has heads of columns, and no rows below them")
    place = _find(table, column)
    chosen = table.heads[place]
    values = _numbers(table, place)
    if events:
        return Series(values, None, chosen.name, chosen.unit)
    if interval is not None:
        return Series(values, positive("from_csv: interval", interval), chosen.name, chosen.unit)
    clock = _clock(table, time)
    return Series(values, _interval(table, clock), chosen.name, chosen.unit, table.heads[clock].unit)


def _find(table: TextTable, name: str) -> int:
    """The place of a column by its head, with or without the unit."""
    texts, names = [head.text for head in table.heads], [head.name for head in table.heads]
    if isinstance(name, str) and name not in texts and name in names:
        return names.index(name)
    return texts.index(known(name, texts, "column", repr(str(table.file))))


def _numbers(table: TextTable, place: int) -> Floats:
    """The numbers of a column."""
    return np.array([_number(table, row, place) for row in table.rows])


def _number(table: TextTable, row: Row, place: int) -> float:
    head, where = table.heads[place].text, f"{str(table.file)!r}, line {row.line}"
    if place >= len(row.cells) or not row.cells[place]:
        raise SeriesError(f"{where}: there is no value for {head!r}")
    text = row.cells[place]
    number = number_in(text)
    if number is None:
        comma = "; write decimals with a point" if has_decimal_comma(text) else ""
        raise SeriesError(f"{where}: {text!r} for {head!r} is not a number{comma}")
    if not np.isfinite(number):
        raise SeriesError(f"{where}: {text!r} for {head!r} is not finite")
    return number


def _clock(table: TextTable, time: str | None) -> int:
    """The column of times."""
    if time is not None:
        return _find(table, time)
    for place, column in enumerate(table.heads):
        if column.name.lower() in TIMES:
            return place
    raise SeriesError(
        f"{str(table.file)!r} has no column called t or time: say which one it is (time=), how far apart the rows are "
        "(interval=), or that they are events (events=True)"
    )


def _interval(table: TextTable, place: int) -> float:
    times = _numbers(table, place)
    if len(times) < 2:
        raise SeriesError(f"{str(table.file)!r} has a single row: there is no interval")
    interval = (times[-1] - times[0]) / (len(times) - 1)
    if not interval > 0:
        raise SeriesError(f"{str(table.file)!r}: the times in {table.heads[place].text!r} do not increase")
    steps = np.diff(times)
    usual = float(np.median(steps))
    rounding = _rounding(table, place)
    allowed = UNEVEN * usual + (rounding if rounding < 0.5 * usual else 0.0)
    late = np.flatnonzero(np.abs(steps - usual) > allowed)
    if len(late):
        line = table.rows[late[0] + 1].line
        raise SeriesError(
            f"{str(table.file)!r}, line {line}: the time goes on by {steps[late[0]]:.6g} here and by "
            f"{usual:.6g} elsewhere; a series needs even times: interpolate the table first"
        )
    return float(interval)


def _rounding(table: TextTable, place: int) -> float:
    """What the last digit of the times is worth: two rounded times may be apart by that much more or less."""
    texts = [row.cells[place] for row in table.rows]
    digits = [len(text.partition(".")[2]) for text in texts if "e" not in text.lower()]
    return 1.01 * 10.0 ** -max(digits) if digits else 0.0
