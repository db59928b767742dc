"""Motions of the oscillator of Eq. (7): Figures 3 to 6, and the autocorrelation that is announced.

x″ = −x − 2ξx′ − f_C + β cos ηt; v₀ is the speed of the belt, N the normal force.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import stickslip as ss
from stickslip.papers.found import Found, Value
from stickslip.papers.panel import name_panel
from stickslip.plot.style import QUIET, SLIP, STICK

CHOSEN = {"xi": 0.093, "beta": 0.7, "load": 5.0}
"""ξ, β and N, which the paper does not print: see `chosen` in the catalogue."""

LAGS = 100
"""Periods of the excitation over which a motion is compared with itself."""

LETTERS = "ab"


def oscillator(**keywords: float) -> ss.System:
    """Eq. (7) with the values that were chosen, and others for some of them."""
    return ss.models.excited_oscillator(**(CHOSEN | keywords))


def fig3(quick: bool) -> Found:
    """Figure 3: relaxation vibration. (a) displacement and velocity, (b) f_sys of Eq. (4), (c) phase plane; u = 0."""
    orbit = ss.find_orbit(oscillator(beta=0.0, v0=0.5))
    run = ss.simulate(orbit.model, t=3 * orbit.period, start=orbit.start)
    f_sys = run["x.block"] + 2 * CHOSEN["xi"] * run["v.block"]
    first, second, third = panels = ss.plot.panels(3, width=4.2)
    for name, label in (("x.block", "displacement $x$"), ("v.block", "velocity $\\dot x$")):
        first.plot(run.time, run[name], label=label)
    first.legend(frameon=False, fontsize=8.5, ncols=2, loc="upper center")
    second.plot(run.time, f_sys)
    second.axhline(0.4 * CHOSEN["load"], color=STICK, linewidth=0.8, linestyle="--", label="$\\mu_0 N$")
    second.legend(frameon=False, fontsize=8.5)
    first.set(xlabel="time", ylim=(-1.3, 3.0))
    second.set(xlabel="time", ylabel="$f_\\mathrm{sys}$")
    ss.plot.phase(run, ax=third)
    for ax, title in zip(panels, ("(a) motion", "(b) force of spring and damper", "(c) phase plane"), strict=True):
        name_panel(ax, title, legend=ax is first or ax is second)
    stuck = run["mode"].values[:, 0] == 0
    long = ss.simulate(orbit.model, t=40 * orbit.period, start=orbit.start)
    lowest = ss.series.fundamental(ss.series.from_run(long, "x.block"))
    values = [
        Value("motion", "periodic" if orbit.stable else "not periodic"),
        Value("frequencies", "one" if abs(lowest * orbit.period - 1) < 1e-3 else "several"),
        Value("period", orbit.period, 1e-9),
        Value("largest f_sys over μ₀N", float(f_sys.max()) / (0.4 * CHOSEN["load"]), 1e-9),
        Value("part of the period in stick", float(orbit.phases.durations[1]) / orbit.period, 1e-9),
        Value("f_sys less friction in stick, at most", float(np.abs(f_sys - run.force[:, 0])[stuck].max()), 1e-9),
    ]
    return Found(panels, values, run)


def fig4(quick: bool) -> Found:
    """Figure 4: bifurcation diagrams x = f(v₀) for η = 1 and η = 2; and the critical speed, by `follow`."""
    speeds = {"belt.speed": np.linspace(0.05, 2.5, 500 if quick else 3000)}
    panels, diagrams = ss.plot.panels(1, 2, width=7.6, height=3.4), {}
    for eta, letter, ax in zip((1.0, 2.0), LETTERS, panels, strict=True):
        diagrams[eta] = _diagram(oscillator(eta=eta), speeds, quick)
        ss.plot.bifurcation(diagrams[eta], ax=ax)
        name_panel(ax, f"({letter}) η = {eta:g}")
        ax.set(xlabel="speed of the belt $v_0$", ylabel="displacement $x$")
    branch = ss.follow(ss.find_orbit(oscillator(eta=2.0, v0=1.5)), "belt.speed", to=1.75)
    free = ss.follow(ss.find_orbit(oscillator(eta=2.0, v0=1.75)), "belt.speed", to=1.2)
    critical, lower = branch.of_kind("grazing-sliding")[0].value, free.of_kind("flip")[0].value
    panels[1].axvline(critical, color=QUIET, linewidth=0.8)
    sticking = diagrams[2.0]["belt.speed"].values[diagrams[2.0]["n"].values != 0]
    values = [
        Value("critical v₀", critical, 1e-8, {"η": 2.0}),
        Value("largest v₀ with stick in the diagram", float(sticking.max()), 0.005, {"η": 2.0}),
        Value("v₀ where the motion without stick loses stability, downward", lower, 1e-8, {"η": 2.0}),
    ]
    return Found(panels, values, diagrams[2.0])


def fig5(quick: bool) -> Found:
    """Figure 5: bifurcation diagrams x = f(N) for v₀ = 0.5 and v₀ = 1.0, here with η = 2."""
    loads = {"contact.normal": np.linspace(0.2, 20, 500 if quick else 3000)}
    panels, values = ss.plot.panels(1, 2, width=7.6, height=3.4), []
    for v0, letter, ax in zip((0.5, 1.0), LETTERS, panels, strict=True):
        diagram = _diagram(oscillator(v0=v0), loads, quick)
        ss.plot.bifurcation(diagram, ax=ax)
        name_panel(ax, f"({letter}) $v_0$ = {v0:g}")
        ax.set(xlabel="normal force $N$", ylabel="displacement $x$")
        N, irregular = diagram["contact.normal"].values, diagram["n"].values < 0
        amplitude = 0.5 * (diagram["maximum"] - diagram["minimum"]).sel(state="x.block").values
        grows = float(np.corrcoef(N, amplitude)[0, 1])
        values += [
            Value("amplitude with the normal force", "increases" if grows > 0 else "decreases", at={"v₀": v0}),
            Value("correlation of amplitude and normal force", grows, 1e-3, {"v₀": v0}),
            Value("irregular motion", "exists" if irregular.any() else "does not exist", at={"v₀": v0}),
            Value("share of irregular motions for N > 5", float(irregular[N > 5].mean()), 0.02, {"v₀": v0}),
            Value("above a critical normal force", _beyond(N, irregular), at={"v₀": v0}),
        ]
    return Found(panels, values, diagram)


def _beyond(load: NDArray[np.float64], irregular: NDArray[np.bool_]) -> str:
    """What motions are left in the last tenth of the diagram."""
    last = irregular[load > 0.9 * load.max()]
    return "chaotic responses only" if last.all() else "periodic responses as well"


def _diagram(model: ss.System, over: dict[str, Any], quick: bool) -> ss.Sweep:
    """Once per period of the excitation, after a transient; every motion begins at rest on the belt at x = 0."""
    return ss.sweep(model, over, observe="strobe", start="stick", periods=(200 if quick else 600, 60))


def fig6(quick: bool) -> Found:
    """Figure 6: Poincaré maps for v₀ = 0.75 and v₀ = 0.78, once per period of the excitation, here with η = 2."""
    panels, kinds, values = ss.plot.panels(2), [], []
    for v0, letter, ax in zip((0.75, 0.78), LETTERS, panels, strict=True):
        model, count = oscillator(v0=v0), 2000 if quick else 20_000
        section = ss.sweep(model, {"belt.speed": [v0]}, observe="strobe", periods=(500, count), most=count)
        ss.plot.poincare(section, ax=ax)
        name_panel(ax, f"({letter}) $v_0$ = {v0:g}")
        ax.set(xlabel="displacement $x$", ylabel="velocity $\\dot x$", xlim=(-0.2, 2.5), ylim=(-1.1, 1.0))
        if section["m"] > 0:  # a few points, which are to be seen
            ax.plot(section["x.block"][0], section["v.block"][0], "o", color=SLIP, markersize=5)
        kinds.append(int(section["m"][0]))
        exponents = ss.lyapunov(model, t=6000 if quick else 100_000)
        sure = exponents.largest > 3 * exponents.error[0]
        word = f"period {kinds[-1]}" if kinds[-1] > 0 else "chaotic" if sure else "quasi-periodic"
        values += [
            Value("motion", word, at={"v₀": v0}),
            Value("largest exponent, per unit time", exponents.largest, float(exponents.error[0]), {"v₀": v0}),
        ]
    values.append(Value("topology of the maps", "changes" if kinds[0] != kinds[1] else "stays"))
    return Found(panels, values)


def autocorrelation(quick: bool) -> Found:
    """Section 4: the autocorrelation function that is announced, of the displacements of Figure 6."""
    panels, values = ss.plot.panels(2), []
    period = np.pi  # of the excitation with η = 2
    for v0, letter, ax in zip((0.75, 0.78), LETTERS, panels, strict=True):
        run = ss.simulate(oscillator(v0=v0), t=(8000 if quick else 20_000) * period)
        series = ss.series.from_run(run, "x.block", after=100 * period, interval=period / 16)
        found = ss.series.autocorrelation(series, longest=16 * LAGS)
        ss.plot.autocorrelation(found, ax=ax)
        name_panel(ax, f"({letter}) $v_0$ = {v0:g}")
        late = found["autocorrelation"].sel(lag=slice((LAGS - 20) * period, None))
        left = float(np.abs(late).max())
        values.append(Value("largest autocorrelation after 80 to 100 periods", left, 0.02, {"v₀": v0}))
    return Found(panels, values)
