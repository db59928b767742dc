"""Measurements beside a run: samples by the names that the run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.labels import names
from stickslip.plot.pieces import extent

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

MEASURED = "measured"
OF_CONTACTS = ("force", "slip_velocity")
MANY = 400


@dataclass(frozen=True, eq=False)
class Measured:
    """Samples at times within those of a run; `names` says what there is, and contacts have a row each."""

    time: Floats
    columns: dict[str, Floats]
    contacts: tuple[str, ...]

    @classmethod
    def of(cls, run: xarray.Dataset, table: Any) -> Measured:
        """The samples of a table that belong to this run; a sentence where there are none."""
        known = [*names(run, "state"), *OF_CONTACTS]
        try:
            labels = [str(label) for label in (table if isinstance(table, Mapping) else list(table))]
            time = np.asarray(table["time"], float)
        except (LookupError, TypeError, ValueError):
            raise PictureError(
                f"measured is a {type(table).__name__}: give a table with a column 'time', and others with the names "
                "of states"
            ) from None
        shared = [name for name in known if name in labels]
        if not shared:
            raise PictureError(
                f"nothing in measured has a name of this run: it has {', '.join(labels)}, the run {', '.join(known)}"
            )
        first, last = extent(run)
        inside = (time >= first) & (time <= last)
        columns = {name: _rows(name, table[name], len(time))[:, inside] for name in shared}
        return cls(time[inside], columns, tuple(names(run, "contact")))

    @property
    def names(self) -> list[str]:
        """What was measured."""
        return list(self.columns)

    def draw(self, ax: Axes, kind: str, curves: Sequence[str]) -> None:
        """Dots of the colours of their curves: states by name, or contacts where a `kind` of theirs is given."""
        dark = len(curves) == 1
        for i, curve in enumerate(curves):
            values = self._values(kind, curve)
            if values is not None:
                ax.plot(
                    self.time,
                    values,
                    linestyle="none",
                    marker="o",
                    markersize=3.2 if len(self.time) < MANY else 1.8,
                    markerfacecolor="white" if len(self.time) < MANY else style.INK,
                    markeredgecolor=style.INK if dark else style.SERIES[i],
                    markeredgewidth=0.8 if len(self.time) < MANY else 0.0,
                    zorder=2.5 if len(self.time) < MANY else 1.5,
                    label=MEASURED if i == 0 else "_",
                    gid=MEASURED,
                )

    def _values(self, kind: str, curve: str) -> Floats | None:
        rows = self.columns.get(kind or curve)
        if rows is None or not kind:
            return None if rows is None else rows[0]
        number = self.contacts.index(curve)
        return rows[number] if number < len(rows) else None


def _rows(name: str, values: Any, count: int) -> Floats:
    """A row of samples, or one per contact."""
    array = np.asarray(values, float)
    if array.shape[:1] != (count,) or array.ndim > 2:
        raise PictureError(f"measured: {name} has the shape {array.shape}, but there are {count} times")
    return array.reshape(count, -1).T
