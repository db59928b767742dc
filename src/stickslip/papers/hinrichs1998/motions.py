"""Motions of the friction oscillator of Eq. (3): Figures 4 to 8.

v₀ is the speed of the belt, u₀ and η are amplitude and frequency of the excitation, F_N/c = 10 is the load.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.panel import name_panel
from stickslip.plot.style import QUIET, STICK

LAWS = ("I", "II", "III")
LOAD = 10.0
STATIC = {"I": 2.5, "II": 4.0, "III": 4.0}
"""μ₀F_N/c: how far the spring may be stretched in stick."""

PRINTED = {"F_N/c": "contact.normal", "u₀": "base.u0"}
"""What the legends of Figures 6 and 7 print, and its names in the model."""

COUNTS = {0: "steady", 1: "one-periodic", 2: "two-periodic", -1: "no period"}


def excited(characteristic: str, eta: float) -> ss.System:
    """Section 2.5: excitation of the amplitude u₀ = 8 on a belt at rest."""
    return ss.models.forced_oscillator(characteristic, eta=eta, u0=8.0, v0=0.0, load=LOAD)


def fig4(quick: bool) -> Found:
    """Figure 4: free vibrations, u₀ = 0 and v₀ = 0; the dead zone is what a release beyond the limit slides."""
    values, panels = [], ss.plot.panels(3, width=4.2)
    for name, ax in zip(LAWS, panels, strict=True):
        free = ss.models.forced_oscillator(name, u0=0.0, v0=0.0, load=LOAD)
        for x, v in ((11.0, 4.0), (-9.0, -6.0), (6.0, 9.0)):
            _phase(ss.simulate(free, t=40, start={"x.block": x, "v.block": v}), ax)
        released = ss.simulate(free, t=20, start={"x.block": STATIC[name] * (1 + 1e-12)})
        width = STATIC[name] - float(released["x.block"][-1])
        for side in (-1, 1):
            ax.fill(side * released["x.block"], side * released["v.block"], color=QUIET, alpha=0.3, linewidth=0)
        values.append(Value("width of the dead zone", width, 1e-9, {"characteristic": name}))
        values.append(Value("dead zone", "yes" if width > 1e-6 else "no", at={"characteristic": name}))
        ax.plot([-STATIC[name], STATIC[name]], [0, 0], linewidth=3.2, color=STICK)
        name_panel(ax, f"characteristic {name}")
    return Found(panels, values + _normalised(ss.models.forced_oscillator("I", u0=0.0, v0=0.0, load=LOAD)))


def _normalised(model: ss.System) -> list[Value]:
    """D and ω₀ of Eq. (2), which Section 2.1 gives: from the equation of motion in slip, where friction is constant."""
    (_, (stiffness, damping)), _ = ss.Field.of(model).jacobian([1.0, 0.3], mode=[-1])
    omega = math.sqrt(-stiffness)
    return [Value(f"{PARAMETER}D", abs(float(damping)) / (2 * omega)), Value(f"{PARAMETER}ω₀", omega)]


def fig5(quick: bool) -> Found:
    """Figure 5: self-excitation, u₀ = 0 and v₀ = 1, from outside the limit cycle and from inside.

    On II the cycle is known exactly: T = 2Δ/v₀ + 2 (π − arctan(Δ/v₀)), Δ = (μ₀ − μ) F_N/c.
    """
    values, panels = [], ss.plot.panels(3, width=4.2)
    for name, ax in zip(LAWS, panels, strict=True):
        belt = ss.models.forced_oscillator(name, u0=0.0, v0=1.0, load=LOAD)
        starts = ((8.0, 0.0), (STATIC[name] - 1.5, 0.4))
        runs = [ss.simulate(belt, t=60, start={"x.block": x, "v.block": v}) for x, v in starts]
        for run in runs:
            _phase(run, ax)
        name_panel(ax, f"characteristic {name}")
        values.append(Value("slip", _shape(runs[0]), at={"characteristic": name}))
        if name != "I":
            orbit = ss.find_orbit(belt)
            values.append(Value("period of the limit cycle", orbit.period, 1e-9, {"characteristic": name}))
    difference = 0.15 * LOAD
    exact = 2 * difference + 2 * (math.pi - math.atan(difference))
    values.append(Value("period of the limit cycle, in closed form", exact, 1e-15, {"characteristic": "II"}))
    return Found(panels, values)


def _shape(run: ss.Run) -> str:
    """Of slip until the first event, by the circle that fits it best: x² + v² is then linear in x and v."""
    slip = run.sel(time=slice(0, float(run.event_time[0])))
    x, v = slip["x.block"].values, slip["v.block"].values
    columns, squares = np.column_stack([x, v, np.ones_like(x)]), x**2 + v**2
    off = squares - columns @ np.linalg.lstsq(columns, squares)[0]
    return "arcs of circles" if np.abs(off).max() < 1e-9 * squares.max() else "no circles"


def fig6(quick: bool) -> Found:
    """Figure 6: external excitation; how often the block stops in a period of it."""
    values, panels = [], ss.plot.panels(2, 2)
    for eta, letter, ax in zip((0.75, 0.50, 0.25, 0.20), "abcd", panels, strict=True):
        period = 2 * math.pi / eta
        run = ss.simulate(excited("II", eta), t=60 * period)
        stopped = (run.event_after.values == 0) & (run.event_time.values > 40 * period)
        values.append(Value("stops in a period", round(stopped.sum() / 20, 9), at={"η": eta}))
        _phase(run, ax, (58 * period, 60 * period))
        name_panel(ax, f"({letter}) η = {eta:g}")
    return Found(panels, _whole(values) + parameters(excited("II", 0.5), PRINTED))


def fig7(quick: bool) -> Found:
    """Figure 7: where the block slips off again, over the frequency; and the exact end of sticking, by `follow`."""
    etas = np.linspace(0.1, 1.0, 300 if quick else 1800)
    diagram = ss.sweep(excited("II", 0.5), {"base.eta": etas}, periods=(60, 20))
    branch = ss.follow(ss.find_orbit(excited("II", 0.57)), "base.eta", to=0.62)
    special = {point.kind: point.value for point in branch.special}
    values = [
        Value("largest η with sticking", special["fold"], 1e-9),
        Value("largest η at which every motion comes to stick", special["crossing-sliding"], 1e-9),
        *parameters(excited("II", 0.5), PRINTED),
    ]
    ax = ss.plot.bifurcation(diagram)
    ax.axvline(special["fold"], color=QUIET, linewidth=0.8)
    ax.set(xlim=(0.1, 0.8), ylim=(-13.5, 13.5), xlabel="frequency ratio η", ylabel="displacement x at the stop")
    name_panel(ax, "characteristic II")
    return Found(ax, values, diagram)


def fig8(quick: bool) -> Found:
    """Figure 8: self- and external excitation; one-periodic, two-periodic, chaotic."""
    values, panels = [], ss.plot.panels(3, width=4.2)
    cases = ((0.9, 0.5), (1.15, 0.5), (1.915, 1.0))
    for (eta, u0), letter, ax in zip(cases, "abc", panels, strict=True):
        model = ss.models.forced_oscillator("III", eta=eta, u0=u0, v0=1.0, load=LOAD)
        period = 2 * math.pi / eta
        _phase(ss.simulate(model, t=400 * period), ax, (360 * period, 400 * period))
        name_panel(ax, f"({letter}) η = {eta:g}, $u_0$ = {u0:g}")
        swept = ss.sweep(model, {"base.eta": [eta]})
        word = COUNTS[int(swept["n"][0])]
        if word == "no period":
            exponents = ss.lyapunov(model, t=2000 if quick else 20_000)
            word = "chaotic" if exponents.largest > 3 * exponents.error[0] else word
        values.append(Value("motion", word, at={"η": eta, "u₀": u0}))
    values += parameters(model, {"F_N/c": "contact.normal"})
    return Found(panels, values)


def _phase(run: ss.Run, ax: Any, window: tuple[float, float] | None = None) -> None:
    ss.plot.phase(run, window=window, ax=ax)


def _whole(values: list[Value]) -> list[Value]:
    """Counts as whole numbers, where they are."""
    return [Value(v.quantity, int(v.value) if float(v.value).is_integer() else v.value, at=v.at) for v in values]
