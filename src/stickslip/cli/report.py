"""What a command tells: text for people, one JSON document for programs, or nothing."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

from stickslip.cli.progress import Progress
from stickslip.cli.screen import console

if TYPE_CHECKING:
    import xarray as xr


class Report:
    """Where results go: `out` is for people and silent where nobody reads it; `facts` are for programs.

    What was told until then is printed whatever happens at the end: a picture that cannot be drawn loses no number.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.out = console(silent=as_json or quiet)
        self.facts: dict[str, Any] = {}
        self.document: Any = None
        """What programs read in place of the facts, where a command says so."""

    def tell(self, **facts: Any) -> None:
        """Add to what programs read."""
        self.facts |= facts

    def line(self, text: str) -> None:
        """Print a line as it is, for people and for programs that read columns."""
        if not (self.as_json or self.quiet):
            print(text)

    def wrote(self, path: Path) -> None:
        """A file was written."""
        self._file("wrote", path)

    def drew(self, path: Path) -> None:
        """A picture was drawn."""
        self._file("drew", path)

    def draw(self, paths: Sequence[Path], picture: Callable[[ModuleType], Any]) -> None:
        """Draw what is made with `stickslip.plot` into every file."""
        for path in paths:
            from stickslip import plot

            self.drew(plot.save(picture(plot), path))

    def _file(self, verb: str, path: Path) -> None:
        self.facts.setdefault("files", []).append(str(path))
        self.out.print(f"{verb} {path}", soft_wrap=True)

    def progress(self, end: float | None = None) -> Progress:
        """The bar of this command."""
        return Progress(end, shown=not self.quiet)

    def __enter__(self) -> Report:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        told = self.facts if self.document is None else self.document
        if self.as_json and not self.quiet and (self.facts or self.document is not None):
            text = json.dumps(plain(told), ensure_ascii=False, allow_nan=False)
            sys.stdout.write(text + "\n")


def plain(value: Any) -> Any:
    """A value as JSON has it: floats with all their digits, null for what is no number, words for what is infinite.

    >>> plain({"exponents": (0.1, float("-inf"), float("nan")), "multiplier": 1j})
    {'exponents': [0.1, '-Infinity', None], 'multiplier': {'real': 0.0, 'imaginary': 1.0}}
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return (
            value if math.isfinite(value) else None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        )
    if isinstance(value, complex):
        return {"real": plain(value.real), "imaginary": plain(value.imag)}
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy
        return plain(value.tolist())
    if isinstance(value, Sequence):
        return [plain(each) for each in value]
    return str(value)


def dataset_facts(data: xr.Dataset) -> dict[str, Any]:
    """Everything in a Dataset: its coordinates, and its variables with the names of their dimensions."""
    return {
        "coordinates": {name: each.values for name, each in data.coords.items()},
        "variables": {
            name: {"dimensions": list(each.dims), "values": each.values} for name, each in data.data_vars.items()
        },
    }
