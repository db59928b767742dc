"""Tables in text files: rows with the numbers of their lines, columns by name, units in their heads.

What is wrong with a file is told by an error of the kind that the caller has for it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import NamedTuple

from stickslip.errors import StickslipError
from stickslip.model.errors import shown

DELIMITERS = (";", "\t", ",")
PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
BASES = {"g": "kg", "N·m": "Nm", "N*m": "Nm"} | {
    unit: unit for unit in ("m", "s", "N", "Nm", "rad", "Hz", "Pa", "J", "W", "V", "A", "K")
}
WHOLE = {"min": ("s", 60.0), "h": ("s", 3600.0), "in": ("m", 0.0254), "lbf": ("N", 4.4482216152605), "%": ("", 0.01)}
WHOLE |= {"deg": ("rad", math.pi / 180), "°": ("rad", math.pi / 180), "rpm": ("rad/s", math.pi / 30)}
WHOLE |= {"-": ("", 1.0), "1": ("", 1.0)}
_HEAD = re.compile(r"^(?P<name>.*?)\s*(?P<mark>[\[(/])\s*\(?(?P<unit>[^\])]+?)\s*[\])]?$")


class Head(NamedTuple):
    """The head of a column: what it says, and the name and unit in it."""

    text: str
    name: str
    unit: str


class Row(NamedTuple):
    """The cells of a row, and the number of its line."""

    line: int
    cells: list[str]


class TextTable(NamedTuple):
    """A table as text: the heads of its columns, which are numbered from 1 where there are none, and its rows."""

    file: Path
    delimiter: str
    heads: list[Head]
    rows: list[Row]


def read_text_table(
    file: Path, error: type[StickslipError], delimiter: str | None = None, decimal: str = "."
) -> TextTable:
    """The table in a file of UTF-8, without comments and empty lines; its first row says what separates columns.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "run.csv"
    >>> _ = file.write_text("v [mm/s]; F/N\\n# measured on a Monday\\n100; -3.1\\n")
    >>> table = read_text_table(file, StickslipError)
    >>> [(head.name, head.unit) for head in table.heads], table.rows
    ([('v', 'mm/s'), ('F', 'N')], [Row(line=3, cells=['100', '-3.1'])])
    """
    lines = _lines(file, error)
    if not lines:
        raise error(f"{file.name} is empty: a row with the names of the columns was expected")
    between = _delimiter(lines, decimal) if delimiter is None else delimiter
    if between == " ":  # a unit belongs to the name before it
        lines[0] = lines[0][0], re.sub(r"\s+(?=[\[(])", "", lines[0][1])
    rows = [Row(number, _cells(file, error, number, text, between)) for number, text in lines]
    first = rows[0].cells
    if all(number_in(cell, decimal) is not None for cell in first):
        return TextTable(file, between, [Head(str(i), str(i), "") for i in range(1, len(first) + 1)], rows)
    return TextTable(file, between, [_head(cell) for cell in first], rows[1:])


def _lines(file: Path, error: type[StickslipError]) -> list[tuple[int, str]]:
    """Number and text of every line that is not empty and no comment."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise error(f"{file.name} is no text in UTF-8 (byte {failure.start}): export it as CSV in UTF-8") from None
    except IsADirectoryError:
        raise error(f"{shown(str(file))} is a folder: give a CSV file") from None
    except FileNotFoundError:
        raise error(f"there is no file {shown(str(file))}") from None
    if "\0" in text:
        raise error(f"{file.name} is no text: a CSV file was expected")
    listed = enumerate(text.splitlines(), 1)
    return [(number, line) for number, line in listed if line.strip() and not line.lstrip().startswith("#")]


def _delimiter(lines: list[tuple[int, str]], decimal: str) -> str:
    """The mark that separates columns in the first row; white space where there is no other."""
    marks = DELIMITERS[:2] if decimal == "," else DELIMITERS
    spaced = len(lines[-1][1].split()) > 1
    return next((mark for mark in marks if mark in lines[0][1]), " " if spaced else DELIMITERS[0])


def _cells(file: Path, error: type[StickslipError], number: int, text: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return text.split()
    try:
        cells = next(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True, skipinitialspace=True))
    except (csv.Error, StopIteration) as failure:
        raise error(f"{file.name}, line {number}: the row cannot be read ({failure})") from None
    return [cell.strip() for cell in cells]


def _head(cell: str) -> Head:
    """Name and unit: `v [mm/s]`, `v (mm/s)`, and `v/s` only where it is a unit that follows."""
    match = _HEAD.match(cell)
    if match is None or not match["name"].strip():
        return Head(cell, cell, "")
    if match["mark"] == "/" and unit_factor(match["unit"]) is None:
        return Head(cell, cell, "")
    return Head(cell, match["name"].strip(), match["unit"])


def number_in(text: str, decimal: str = ".") -> float | None:
    """The number in a cell; None where there is none."""
    plain = text.replace(",", ".") if decimal == "," else text
    if "_" in plain:  # Python reads 1_000 as a number; no instrument writes it
        return None
    try:
        return float(plain)
    except ValueError:
        return None


def has_decimal_comma(text: str) -> bool:
    """Whether a cell is a number such as 0,25."""
    return re.fullmatch(r"[-+]?\d+,\d+", text) is not None


def unit_factor(unit: str) -> tuple[str, float] | None:
    """The SI unit of a unit and the factor to it; None where it is not known.

    >>> unit_factor("mm/s"), unit_factor("kN"), unit_factor("furlong")
    (('m/s', 0.001), ('N', 1000.0), None)
    """
    found, factor = [], 1.0
    for i, part in enumerate(unit.replace(" ", "").replace("^2", "²").split("/")):
        known = _simple(part.removesuffix("²"))
        if known is None:
            return None
        power = (2 if part.endswith("²") else 1) * (1 if i == 0 else -1)
        found.append(known[0] + ("²" if part.endswith("²") else ""))
        factor *= known[1] ** power
    return "/".join(found), factor


def _simple(unit: str) -> tuple[str, float] | None:
    if unit in WHOLE:
        return WHOLE[unit]
    if unit in BASES:
        return BASES[unit], 1e-3 if unit == "g" else 1.0
    if unit[:1] in PREFIXES and unit[1:] in BASES:
        return BASES[unit[1:]], PREFIXES[unit[0]] * (1e-3 if unit[1:] == "g" else 1.0)
    return None
