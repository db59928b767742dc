"""What several items of the paper need: solved orbits, their errors, and printed numbers in a picture."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import stickslip as ss
from stickslip.plot.style import SERIES, STICK

PERIODS = 2.4
"""How long orbits are run for their error: two maxima, and a period after the first of them."""

SAMPLES = 200
"""N of Eqs. (5) and (19)."""

POINTS = 1500
"""Points of an orbit in a picture."""

DASHED = (0, (4.0, 2.0))


def printed(item: str, quantity: str, along: str) -> tuple[list[float], list[float]]:
    """The numbers that a table prints, over the parameter in its head, from the catalogue beside this file."""
    items = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))["item"]
    (table,) = (each["printed"] for each in items if each["name"] == item)
    rows = [each for each in table if each["quantity"] == quantity]
    return [float(each["at"][along]) for each in rows], [float(each["number"]) for each in rows]


def turns(orbit: ss.Orbit) -> ss.Run:
    """An orbit, more than twice round."""
    return ss.simulate(orbit.model, t=PERIODS * orbit.period, start=orbit.start, method=orbit.method)


def error(orbit: ss.Orbit, exact: ss.Orbit, mass: str) -> float:
    """e of Eqs. (5) and (19): N points at fractions of each orbit's own period, from the maximum of X on."""
    return ss.orbit_error(turns(orbit), turns(exact), mass, points=SAMPLES, tolerance=1e-5)


def once_round(orbit: ss.Orbit) -> xr.Dataset:
    """An orbit at many times, so that its curve is smooth where its steps are long."""
    times = orbit.start_time + orbit.period * np.linspace(0, 1, POINTS)
    return ss.interpolate(orbit.data, np.minimum(times, orbit.data["time"].values[-1]))


def draw_orbits(ax: Any, exact: ss.Orbit, smoothed: Mapping[str, ss.Orbit], x: str, y: str) -> None:
    """One state over another: the smoothed orbits thin, below them the exact one."""
    run = once_round(exact)
    ax.plot(run[x], run[y], "k", linewidth=3, alpha=0.35, label="exact")
    for (name, orbit), color in zip(smoothed.items(), SERIES, strict=False):
        run = once_round(orbit)
        ax.plot(run[x], run[y], color=color, label=name)


def draw_rest(ax: Any, rest: ss.Branch, color: str, *, width: float = 1.2) -> None:
    """Equilibria along a branch: solid where they are stable, dashed where they are not."""
    size = np.abs(rest.extremes[:, 0, 0])
    for stable, dash in ((True, "-"), (False, DASHED)):
        shown = np.where(rest.stable == stable, size, np.nan)
        ax.plot(rest.values, shown, color=color, linestyle=dash, linewidth=width)


def draw_printed(ax: Any, item: str, quantity: str, along: str) -> None:
    """The printed numbers as crosses."""
    ax.plot(*printed(item, quantity, along), "x", color=STICK, markersize=8, markeredgewidth=1.8, label="printed")
