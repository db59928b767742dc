"""Bifurcation diagrams and parameter maps of Eq. (3) with u₀ = 0.5 and v₀ = 1: Figures 9 and 10."""

from __future__ import annotations

import numpy as np
import xarray as xr

import stickslip as ss
from stickslip.papers.found import Found, Value, parameters
from stickslip.papers.panel import name_panel

MANY = 5
"""Five- and higher-periodic motions are drawn alike in the paper, as is chaos."""


PRINTED = {"F_N/c": "contact.normal", "u₀": "base.u0"}
FEWER = "characteristic with fewer five- or higher-periodic motions at high η and F_N/c"


def fig9(quick: bool) -> Found:
    """Figure 9: displacement at which the block slips off, over the frequency, characteristics II and III."""
    eta = {"base.eta": np.linspace(0.2, 3.0, 800 if quick else 2800)}
    values, sweeps = [], {}
    panels = ss.plot.panels(1, 2, width=7.6, height=3.6)
    for name, ax in zip(("II", "III"), panels, strict=True):
        sweeps[name] = ss.sweep(ss.models.forced_oscillator(name), eta, periods=(150 if quick else 300, 60))
        ss.plot.bifurcation(sweeps[name], ax=ax)
        ax.set(xlabel="frequency ratio η", ylabel="release at $x_A$")
        name_panel(ax, f"characteristic {name}")
        orbit = ss.find_orbit(ss.models.forced_oscillator(name, eta=0.9))
        values.append(Value("x_A", float(orbit.start["x.block"]), 1e-9, {"characteristic": name, "η": 0.9}))
        values += parameters(ss.models.forced_oscillator(name), PRINTED, {"characteristic": name})
    return Found(panels, values, sweeps["III"])


def fig10(quick: bool) -> Found:
    """Figure 10: n of the motion over load and frequency, characteristics II and III.

    At high η and F_N/c the tongues of high-periodic motion disappear for characteristic II.
    """
    rows, columns = (72, 120) if quick else (160, 280)
    grid = {"contact.normal": np.linspace(0.5, 20, rows), "base.eta": np.linspace(0.2, 3.0, columns)}
    values, maps = [], {}
    corners: dict[str, float] = {}
    panels = ss.plot.panels(2, width=6.4, height=4.6)
    for name, ax in zip(("II", "III"), panels, strict=True):
        maps[name] = ss.sweep(ss.models.forced_oscillator(name), grid, observe=None, periods=(150, 60))
        ss.plot.parameter_map(maps[name], ax=ax)
        ax.set(xlabel="frequency ratio η", ylabel="load $F_N/c$")
        name_panel(ax, f"characteristic {name}", legend=True)
        ax.get_legend().set(bbox_to_anchor=(1.0, 1.0), loc="upper left")
        corner = maps[name].sel({"contact.normal": slice(10, None), "base.eta": slice(2.0, None)})
        corners[name] = _many(corner)
        for where, part in (("all of the map", maps[name]), ("η > 2, F_N/c > 10", corner)):
            at = {"characteristic": name, "region": where}
            values.append(Value("share of one-periodic motions", float((part["n"] == 1).mean()), 0.02, at))
            values.append(Value("share of five- or higher-periodic motions and chaos", _many(part), 0.02, at))
    values.append(Value(FEWER, min(corners, key=lambda name: corners[name])))
    return Found(panels, values + parameters(ss.models.forced_oscillator("II"), {"u₀": "base.u0"}), maps["III"])


def _many(part: xr.Dataset) -> float:
    return float(((part["n"] >= MANY) | (part["n"] < 0)).mean())
