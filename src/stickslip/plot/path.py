"""A branch as one line: its points with the special points in their places, and how stable it is between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Bools, Floats, Integers
from stickslip.errors import PictureError
from stickslip.plot.labels import names

if TYPE_CHECKING:
    import xarray

SMOOTH = ("fold", "flip", "Neimark–Sacker", "branch point", "Hopf")
"""Where stability changes in systems without discontinuities, too."""
QUIET = "exchange of events"
VANISHED, EARLY = "vanished", "early"
"""What the end of a branch means: the motion ceases to exist there; or there may be more of it."""


@dataclass(frozen=True, eq=False)
class Path:
    """The places of points and special points along one line; `parameter` along it, `stable` for each of its edges."""

    point: Integers
    special: Integers
    parameter: Floats
    stable: Bools

    def along(self, points: Floats, special: Floats) -> Floats:
        """A quantity along the line; where a special point has none, it is read off between its neighbours."""
        values = np.full(len(self.parameter), np.nan)
        values[self.point], values[self.special] = points, special
        unknown = self.special[np.isnan(values[self.special])]
        if len(unknown):
            way = np.r_[0.0, np.cumsum(np.abs(np.diff(self.parameter)))]
            values[unknown] = np.interp(way[unknown], way[self.point], points)
        return values

    def runs(self, stable: bool) -> list[slice]:
        """The stretches of the line that are stable (or unstable), each with both its ends."""
        chosen = np.r_[False, self.stable == stable, False]
        first, last = np.flatnonzero(~chosen[:-1] & chosen[1:]), np.flatnonzero(chosen[:-1] & ~chosen[1:])
        return [slice(a, b + 1) for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def path_of(data: xarray.Dataset) -> Path:
    """The line of a branch: points and special points in the order in which they were passed."""
    parameter = data[data.attrs["parameter"]].values
    before = data["special_after"].values  # how many points come before each
    count = len(parameter)
    point = np.arange(count) + np.searchsorted(before, np.arange(count), "right")
    special = before + np.arange(len(before))
    values = np.empty(count + len(special))
    values[point], values[special] = parameter, data["special_value"].values
    return Path(point, special, values, _stable_edges(data, before))


def end_of(data: xarray.Dataset) -> int | None:
    """The point at which the motion ceases to exist, if the branch ends so."""
    last = len(data[data.attrs["parameter"]]) - 1
    meanings = meanings_of(data)
    # Of two the first is that of the first point.
    places = (0, last) if len(meanings) == 2 else (last,)
    return next((place for place, meaning in zip(places, meanings, strict=False) if meaning == VANISHED), None)


def meanings_of(data: xarray.Dataset) -> list[str]:
    """What the end of a branch means, or both its ends."""
    return str(data.attrs.get("meanings", "")).split()


def extremes_of_special(data: xarray.Dataset, which: str) -> Floats:
    """The "minimum" or "maximum" of the states at special points, NaN where it was not kept."""
    shape = (data.sizes["special"], data.sizes["state"])
    values = data[f"special_{which}"].values if f"special_{which}" in data else np.empty(0)
    return values if values.shape == shape else np.full(shape, np.nan)


def _stable_edges(data: xarray.Dataset, before: Integers) -> Bools:
    """Whether each edge of the line is stable; stability changes at the special point that explains it best."""
    stable, kinds = _stable_points(data), names(data, "special_kind")
    inside: list[list[str]] = [[] for _ in range(len(stable) + 1)]
    for place, kind in zip(before.tolist(), kinds, strict=True):
        inside[place].append(kind)
    edges = [bool(stable[0])] * len(inside[0])
    for i, between in enumerate(inside[1:-1]):
        edges += _between(bool(stable[i]), bool(stable[i + 1]), between)
    return np.array(edges + [bool(stable[-1])] * len(inside[-1]), dtype=bool)


def _between(stable: bool, stable_next: bool, kinds: Sequence[str]) -> list[bool]:
    """The edges from one point to the next, past special points of these kinds."""
    if stable == stable_next or not kinds:
        return [stable and stable_next] * (len(kinds) + 1)
    weights = [0 if kind == QUIET else 2 if kind.startswith(SMOOTH) else 1 for kind in kinds]
    change = weights.index(max(weights)) + 1
    return [stable] * change + [stable_next] * (len(kinds) + 1 - change)


def _stable_points(data: xarray.Dataset) -> Bools:
    """Stability of each point; where multipliers do not exist (at a tangency), that of the point before."""
    stable = data["stable"].values.astype(bool)
    if "multiplier_real" not in data or not np.isfinite(data["multiplier_real"].values).any():
        return stable
    known = np.isfinite(data["multiplier_real"].values).all(axis=1)
    last = np.maximum.accumulate(np.where(known, np.arange(len(stable)), -1))
    last[last < 0] = int(np.argmax(known))
    return np.asarray(stable[last])


def listed(branches: Any) -> dict[str, xarray.Dataset]:
    """One or several branches, as datasets by label; a Branch is as good as its data."""
    if isinstance(branches, Mapping) and not hasattr(branches, "variables"):
        return {str(label): _checked(branch) for label, branch in branches.items()}
    several = list(branches) if isinstance(branches, list | tuple) else [branches]
    found = [_checked(branch) for branch in several]
    labels = [_label(data) for data in found]
    if len(set(labels)) < len(labels):
        labels = [f"{number}: {label}" for number, label in enumerate(labels, 1)]
    return dict(zip(labels, found, strict=True))


def _checked(branch: Any) -> xarray.Dataset:
    data = branch if hasattr(branch, "variables") else getattr(branch, "data", branch)
    missing = {"special_kind", "stable", "maximum"} - set(getattr(data, "variables", ()))
    if missing:
        raise PictureError(f"a bifurcation diagram needs a branch, which follow returns, not a {type(branch).__name__}")
    if data.sizes["point"] == 0:
        raise PictureError(f"this branch has no points, so there is nothing to draw: {data.attrs.get('reason', '')}")
    return data  # type: ignore[no-any-return]


def _label(data: xarray.Dataset) -> str:
    periods = data["period"].values[np.isfinite(data["period"].values)]
    if not len(periods):
        return "equilibrium"
    return f"period {periods.min():.3g} … {periods.max():.3g}"
