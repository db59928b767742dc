"""Friction left to chance: bristles (Figures 21 and 22), random coefficients (Figures 23, 30 and 31(b))."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import shapiro

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.hinrichs1998.contacts import BELT, CONTACT, PENDULUM
from stickslip.papers.panel import name_panel
from stickslip.plot.style import INK, SLIP, STICK

MEANS = (0.0005, 0.001, 0.002)
"""m_B of Figure 22."""

QUICK = ss.Exact(order=8)
"""Bonds break every few microseconds of the motion: no step is ever long."""

SLIDING = 0.55 * 14.0 / 5610.0
"""μF_N/c of Figure 31, in m: its ordinate is x_A − μF_N/c."""


COUNTED = {0: "no release", 1: "one-periodic"}
NO_CYCLE = "Without chance it has no period: releases fill bands from 0.124 to 0.61 mm."


def bristles(mean: float, u0: float = 0.5, eta: float = 1.0) -> ss.System:
    """The oscillator of Eq. (3) with M_H = 24 and M_G = 15 bristles; `mean` is m_B."""
    block, belt = ss.Mass("block", m=1.0, v=1.0), ss.Belt("belt", speed=1.0)
    base = ss.Base("base", motion=lambda t, u0=u0, eta=eta: u0 * cos(eta * t))
    contact = ss.BristleContact(block, belt, bristles=24, slipping=15, mu_s=0.4, normal=10.0, mean=mean)
    return ss.System(ss.Spring(block, base, k=1.0), contact)


def scattered(model: ss.System, deviation: float) -> ss.System:
    """The model with Eq. (7): a Gaussian part of the friction coefficients, drawn anew for every phase."""
    contact = model.parts["contact"]
    assert isinstance(contact, ss.Contact)
    return model.with_(parts={"contact": replace(contact, scatter=ss.Scatter(static=deviation, kinetic=deviation))})


def fig21(quick: bool) -> Found:
    """Figure 21: friction and spring force of the self-excited oscillator with bristles."""
    run = ss.simulate(bristles(0.002, u0=0.0), t=30, samples=6000, dense=False, method=QUICK, seed=1)
    released = run.event_before.values == 0
    places = run.event_state.sel(state="x.block").values[released]
    top, bottom = ss.plot.panels(1, 2, width=8.0, height=2.6)
    top.plot(run.time, run["force"].values[:, 0], linewidth=0.8)
    top.set_ylabel("friction force")
    bottom.plot(run.time, run["x.block"], linewidth=1.0)
    bottom.plot(run.event_time.values[released], places, "o", color=STICK, markersize=4)
    bottom.set(xlabel="time", ylabel="spring force")
    return Found(np.array([top, bottom]), [Value("spread of the largest spring force", float(np.std(places)), 0.05)])


def fig22(quick: bool) -> Found:
    """Figure 22: breakaway points over the frequency for three mean distances of new bonds m_B."""
    etas = np.linspace(0.3, 3.0, 10 if quick else 72)
    rigid = {"base.eta": np.linspace(0.3, 3.0, 400 if quick else 1500)}
    diagram = ss.sweep(ss.models.forced_oscillator("II"), rigid, periods=(100, 40))
    values, panels = [], ss.plot.panels(1, 3, width=7.6, height=2.8)
    for mean, letter, ax in zip(MEANS, "abc", panels, strict=True):
        ss.plot.bifurcation(diagram, color="#b0b0b0", label="rigid contact", ax=ax)
        found = ss.sweep(bristles(mean), {"base.eta": etas}, times=(25, 25 if quick else 50), rtol=1e-6)
        ax.plot(etas, found["x.block"], ".", color=SLIP, markersize=4)
        name_panel(ax, f"({letter}) $m_B$ = {mean:g}")
        values.append(Value("mean of x_A", float(np.nanmean(found["x.block"])), 0.05, {"m_B": mean}))
        values.append(Value(f"{PARAMETER}m_B", bristles(mean).parameters["contact.mean"], at={"panel": letter}))
    contact = bristles(MEANS[0]).parts["contact"]
    assert isinstance(contact, ss.BristleContact)
    values += [Value(f"{PARAMETER}M_H", contact.bristles), Value(f"{PARAMETER}M_G", contact.slipping)]
    return Found(panels, values)


def fig23(quick: bool) -> Found:
    """Figure 23: external excitation with a random part of the friction coefficient, σ = 0.02."""
    model = ss.models.forced_oscillator("II", eta=0.5, u0=8.0, v0=0.0)
    eta = {"base.eta": np.linspace(0.15, 0.7, 200 if quick else 800)}
    random = ss.sweep(scattered(model, 0.02), eta, periods=(20, 40))
    ax = ss.plot.bifurcation(random)
    ax.plot(eta["base.eta"], ss.sweep(model, eta, periods=(60, 20))["x.block"], ".", color=INK, markersize=2.5)
    ax.set(ylim=(-13.5, 13.5), xlabel="frequency ratio η", ylabel="displacement x at the stop")
    name_panel(ax, "dots: σ = 0.02; thick lines: without chance")
    at_half = ss.sweep(scattered(model, 0.02), {"base.eta": [0.5]}, periods=(20, 400))["x.block"]
    spread = Value("spread of |x| at the stop", float(np.nanstd(abs(at_half))), 0.02, {"η": 0.5})
    return Found(ax, [spread, *_deviation(scattered(model, 0.02))], random)


def _deviation(model: ss.System) -> list[Value]:
    """σ, the standard deviation of the coefficients."""
    contact = model.parts["contact"]
    assert isinstance(contact, ss.Contact) and contact.scatter is not None
    return [Value(f"{PARAMETER}σ", contact.scatter.static)]


def fig30(quick: bool) -> Found:
    """Figure 30: probability of a release in classes of its place, without and with chance (σ = 0.015)."""
    model = ss.models.compliant_oscillator(31)
    values, panels = [], ss.plot.panels(2, 2)
    cases = [(omega, deviation) for omega in (8.0, 15.3) for deviation in (0.0, 0.015)]
    for (omega, deviation), letter, ax in zip(cases, "abcd", panels, strict=True):
        shown = scattered(model, deviation) if deviation else model
        found = ss.sweep(shown, {"base.omega": [omega]}, periods=(400, 1600), most=300)
        table = ss.probabilities(found, classes=40, within=(-1e-4, 9e-4), offset=SLIDING).isel({"base.omega": 0})
        ss.plot.probabilities(table, ax=ax)
        name_panel(ax, f"({letter}) Ω = {omega:g} 1/s, σ = {deviation:g}")
        at = {"Ω": omega, "σ": deviation}
        largest = float(table.probability.max())
        error = sqrt(largest * (1 - largest) / int(table.recorded))
        values.append(Value("largest probability of a class", largest, error, at))
        values.append(Value(f"{PARAMETER}transition points", int(table.recorded), at=at))
        if deviation:
            values.append(Value("distribution", _distribution(shown, omega), at=at))
    return Found(panels, values)


def _distribution(model: ss.System, omega: float) -> str:
    """Of the places of 3000 releases, by the test of Shapiro and Wilk: 300 do not decide."""
    found = ss.sweep(model, {"base.omega": [omega]}, periods=(400, 12_000), most=3000)
    p = float(shapiro(found["x.block"].values[0], nan_policy="omit").pvalue)
    return "not Gaussian" if p < 1e-3 else "Gaussian"


def fig31b(quick: bool) -> Found:
    """Figure 31(b): probability of a release over the frequency of the excitation, with σ = 0.015."""
    model = scattered(ss.models.compliant_oscillator(31), 0.015)
    omega = {"base.omega": np.linspace(6.0, 19.0, 66 if quick else 261)}
    diagram = ss.sweep(model, omega, periods=(60, 240 if quick else 900), most=300)
    table = ss.probabilities(diagram, classes=60, offset=SLIDING)
    lowest, highest = _bounds(model)
    n = int(ss.sweep(ss.models.compliant_oscillator(31, 9.75), {"base.omega": [9.75]}, periods=(1000, 200))["n"][0])
    values = [
        Value("lowest x_A − μF_N/c for Ω > 16.5 1/s, mm", lowest, 0.002),
        Value("highest x_A − μF_N/c for Ω > 16.5 1/s, mm", highest, 0.002),
        Value("motion", COUNTED.get(n, "higher periodic"), at={"Ω": 9.75}, note=NO_CYCLE if n < 0 else ""),
    ]
    islands = _islands()
    falls = all(np.all(np.diff(places) < 0) for places in islands)
    values += [
        Value("islands, one release in m periods of the excitation, for Ω < 16.5 1/s", len(islands)),
        Value("displacements of an island as Ω grows", "decrease" if falls else "do not decrease"),
    ]
    values += parameters(model, PENDULUM | CONTACT | BELT | {"u₀, m": "base.u0"}) + _deviation(model)
    ax = ss.plot.probabilities(table)
    ax.set(xlabel="frequency of the excitation Ω (1/s)", ylabel="$x_A - \\mu F_N/c$ (m)")
    name_panel(ax, "probability of a release", legend=True)
    return Found(ax, values, table)


def _bounds(model: ss.System) -> tuple[float, float]:
    """Between which 98 % of the releases for Ω > 16.5 1/s lie, in mm; the error is that of 15 300 of them."""
    fast = ss.sweep(model, {"base.omega": np.linspace(16.5, 19.0, 51)}, periods=(60, 1500), most=300)
    places = 1e3 * (fast["x.block"].values - SLIDING)
    lowest, highest = np.nanpercentile(places, (1, 99))
    return float(lowest), float(highest)


def _islands() -> list[NDArray[np.float64]]:
    """Releases over the frequency where the motion without chance is one-periodic, for each m."""
    omega = {"base.omega": np.linspace(6.0, 16.5, 106)}
    found = ss.sweep(ss.models.compliant_oscillator(31), omega, periods=(300, 120))
    m = np.where(found["n"] == 1, found["m"], -1)
    return [found["x.block"].values[m == each, 0] for each in np.unique(m[m > 0])]
