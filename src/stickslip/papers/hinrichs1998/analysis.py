"""What Section 3 names: the return map of releases, exponents, domains of attraction, embedding of a series."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from stickslip.papers.found import Found, Value
from stickslip.papers.panel import name_panel

CHAOS = {"eta": 1.915, "u0": 1.0}
"""The chaotic motion of Figure 8(c)."""


def return_map(quick: bool) -> Found:
    """Releases fill a curve in the state space, so that one leads to the next by a map of one number."""
    releases = ss.return_map(ss.models.forced_oscillator("III", **CHAOS))
    exponent, error = releases.lyapunov(10_000 if quick else 400_000)
    values = [
        Value("exponent of the map, per release", exponent, error),
        Value("unstable cycles of four releases", len(releases.cycles(4))),
    ]
    ax = ss.plot.return_map(releases, start=1.0)
    name_panel(ax, "characteristic III, η = 1.915, $u_0$ = 1", legend=True)
    return Found(ax, values)


def exponents(quick: bool) -> Found:
    """Lyapunov exponents of the flow, through stick; a direction is lost there for good."""
    found = ss.lyapunov(ss.models.forced_oscillator("III", **CHAOS), t=8000 if quick else 200_000, per="release")
    values = [
        Value("largest exponent, per unit time", found.largest, float(found.error[0])),
        Value("largest exponent, per release", float(found.per_cycle[0]), float(found.per_cycle_error[0])),
        Value("directions lost in stick", found.lost),
    ]
    ax = ss.plot.exponents(found)
    name_panel(ax, "characteristic III, η = 1.915, $u_0$ = 1", legend=True)
    return Found(ax, values)


def basins(quick: bool) -> Found:
    """Domains of attraction of coexisting motions: with and without stops, between the two ends of Figure 7."""
    model = ss.models.forced_oscillator("II", eta=0.581, u0=8.0, v0=0.0)
    count = 80 if quick else 160
    grid = {"x.block": np.linspace(-15, 15, count), "v.block": np.linspace(-10, 10, count)}
    found = ss.basins(model, grid, t=1500)
    stops = ["stick" in attractor.signature for attractor in found.attractors]
    shares = found["fraction"].values
    values = [
        Value("motions with a stop", sum(stops)),
        Value("motions without a stop", len(stops) - sum(stops)),
        Value("share of starts that lead to a stop", float(shares[np.array(stops)].sum())),
    ]
    ax = ss.plot.basins(found)
    name_panel(ax, "characteristic II, η = 0.581, $u_0$ = 8", legend=True)
    return Found(ax, values, found)


def embedding(quick: bool) -> Found:
    """One measured quantity, unfolded by its own past: delay, dimension, attractor."""
    run = ss.simulate(ss.models.forced_oscillator("III", **CHAOS), t=3000 if quick else 12_000)
    series = ss.series.from_run(run, "x.block", after=100)
    chosen = ss.series.choose(series)
    exponent = ss.series.largest_exponent(series)
    dimension = ss.series.correlation_dimension(series)
    panels = ss.plot.panels(2)
    ss.plot.false_neighbours(ss.series.false_neighbours(series), ax=panels[0])
    ss.plot.divergence(exponent, ax=panels[1])
    values = [
        Value("embedding dimension by false nearest neighbours", chosen.dimension),
        Value("largest exponent from the series, per unit time", exponent.exponent, exponent.error),
        Value("correlation dimension", dimension.value, dimension.error),
    ]
    return Found(panels, values)
