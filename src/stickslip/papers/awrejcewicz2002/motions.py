"""Orbits, exact and smoothed, and chaos: Figures 7 to 11 and Table 1."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import numpy as np

import stickslip as ss
from stickslip.papers.awrejcewicz2002.friction import LAWS
from stickslip.papers.found import Found, Value, parameters
from stickslip.papers.panel import name_panel
from stickslip.plot.style import SERIES

COLUMNS = (1e6, 1e5, 1e4, 1e3, 1e2, 50.0, 10.0)
"""The slopes ε of Table 1."""

SHARED = {"e₁": "block.m", "e₂": "contact.e2", "e₃": "pendulum.m", "e₄": "support.k", "v_b": "belt.speed"}
LAW = {
    "peak": {"γ": "contact.delta"},
    "Stribeck": {"μ_G/μ₀ = 0.15/0.25": "contact.mu_k", "(μ₀ − μ_G)/c = (0.25 − 0.15)/10": "contact.v_s"},
}
"""What Figures 10 and 11 print, and its names in the model."""

CHAOS = {"e1": 0.27, "e2": 0.12, "e3": 0.09, "e4": 0.48}
"""Figure 11."""

NO_ORBIT = "no such orbit"
SAME = 1.1
"""Errors that are less than so many times apart are the same: those of Table 1 are 0.0042 and 0.0040."""


@cache
def orbit(case: str) -> ss.Orbit:
    """The orbit of Figure 10, which the motion from (3, 1) comes to."""
    model = ss.models.block_and_pendulum(LAWS[case])
    return ss.find_orbit(model, ss.simulate(model, t=1300, start={"x.block": 3.0, "v.block": 1.0}))


@cache
def smoothed(case: str, eps: float) -> ss.Orbit | None:
    """The orbit of the smoothed system near the exact one; None where there is none."""
    exact = orbit(case)
    try:
        return ss.find_orbit(exact.model, exact, method=ss.Smoothing(eps))
    except ss.errors.OrbitError:
        return None


def turns(found: ss.Orbit, count: float = 3.4) -> ss.Run:
    """Some periods of an orbit."""
    end = found.start_time + count * found.period
    return ss.simulate(found.model, t=end, start_time=found.start_time, start=found.start, method=found.method)


def error(case: str, eps: float) -> float | None:
    """e of Eq. (16): position and velocity of the block at fractions of the period, on the orbit of Figure 10."""
    found = smoothed(case, eps)
    if found is None:
        return None
    states = ("x.block", "v.block")
    return ss.orbit_error(turns(found), turns(orbit(case)), "block", states=states, period=False)


def fig7(quick: bool) -> Found:
    """Figure 7: orbits of the block with the peak, smoothed and exact."""
    return _portraits("peak")


def fig8(quick: bool) -> Found:
    """Figure 8: the same with the Stribeck curve."""
    return _portraits("Stribeck")


def _portraits(case: str) -> Found:
    (ax,) = ss.plot.panels(width=6.4, height=4.2)
    values = [Value("period", orbit(case).period, 1e-9, {"ε": "exact"})]
    for eps, color in zip((1e0, 1e1, 1e2, 1e4), SERIES, strict=False):
        found = smoothed(case, eps)
        values.append(Value("period", found.period if found else NO_ORBIT, 1e-8 if found else 0.0, {"ε": eps}))
        if found:
            ax.plot(found.data["x.block"], found.data["v.block"], color=color, label=f"ε = {eps:g}")
    exact = orbit(case).data
    ax.plot(exact["x.block"], exact["v.block"], "k--", linewidth=1, label="exact")
    ax.set(xlabel="position $y_1$ of the block", ylabel="velocity $y_2$")
    ax.legend(frameon=False)
    return Found(ax, values)


def fig9(quick: bool) -> Found:
    """Figure 9: the error of both smoothed laws over ε."""
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    values = []
    for case, marker in (("peak", "o-"), ("Stribeck", "s-")):
        errors = {eps: error(case, eps) for eps in COLUMNS}
        known = [(eps, e) for eps, e in errors.items() if e is not None]
        ax.loglog(*zip(*known, strict=True), marker, label=case)
        slopes, errors_known = np.log10(known[:3]).T
        order = np.polyfit(slopes, errors_known, 1)[0]
        values.append(Value("slope of log e over log ε for ε ≥ 10⁴", float(order), 0.02, {"case": case}))
    ratio = (error("Stribeck", 1e4) or 0.0) / (error("peak", 1e4) or 1.0)
    values.append(Value("error of the Stribeck curve over that of the peak", ratio, 1e-2, {"ε": 1e4}))
    apart = max(ratio, 1 / ratio)
    word = "the same" if apart < SAME else f"{apart:.1f} times apart"
    values.append(Value("accuracy of the two laws", word, at={"ε": 1e4}))
    ax.set(xlabel="slope ε of the arctangent", ylabel="error $e$ of the orbit, Eq. (16)")
    ax.legend(frameon=False)
    return Found(ax, values)


def table1(quick: bool) -> Found:
    """Table 1: e of Eq. (16) by ε, here on the orbits of Figure 10, since the paper does not say on which."""
    rows = {case: [error(case, eps) for eps in COLUMNS] for case in ("peak", "Stribeck")}
    values = [
        Value("e", NO_ORBIT if e is None else e, 0.0 if e is None else 1e-6, {"case": case, "ε": eps})
        for case, errors in rows.items()
        for eps, e in zip(COLUMNS, errors, strict=True)
    ]
    ax = fig9(quick).picture
    for (case, marker), color in zip((("peak", "o"), ("Stribeck", "s")), SERIES, strict=False):
        ax.plot(COLUMNS, _printed(case), marker, color=color, markerfacecolor="none", label=f"{case}, printed")
    ax.legend(frameon=False)
    return Found(ax, values)


def _printed(case: str) -> list[float]:
    """A line of the table, as the catalogue has it."""
    catalogue = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))
    (table,) = (item["printed"] for item in catalogue["item"] if item["name"] == "table1")
    return [float(each["number"]) for each in table if each["at"]["case"] == case]


def fig10(quick: bool) -> Found:
    """Figure 10: periodic motions (a) with the peak and (b) with the Stribeck curve."""
    values, panels = [], ss.plot.panels(2)
    for case, letter, ax in zip(("peak", "Stribeck"), "ab", panels, strict=True):
        found = orbit(case)
        ss.plot.phase(turns(found, 1.02), ax=ax)
        name_panel(ax, f"({letter}) {case} curve")
        values += [
            Value("motion", _motion(found), at={"case": case}),
            Value("motion", _motion(smoothed(case, 1e4)), at={"case": case, "ε": 1e4}),
            Value("period", found.period, 1e-9, {"case": case}),
            Value("largest multiplier", float(np.abs(found.nontrivial).max()), 1e-8, {"case": case}),
            *parameters(found.model, SHARED | LAW[case], {"case": case}),
        ]
    return Found(panels, values)


def _motion(found: ss.Orbit | None) -> str:
    """Periodic, if there is an orbit and motions beside it come to it."""
    return NO_ORBIT if found is None else "periodic" if found.stable else "unstable"


def fig11(quick: bool) -> Found:
    """Figure 11: chaotic motion and its Poincaré map, where the block slips off."""
    model = ss.models.block_and_pendulum("hyperbolic", **CHAOS)
    run = ss.simulate(model, t=1500 if quick else 5500)
    exponents = ss.lyapunov(model, t=6000 if quick else 40_000)
    sure = exponents.largest > 3 * exponents.error[0]
    panels = ss.plot.panels(2)
    ss.plot.phase(run, window=(1000, 1200), ax=panels[0])
    section = ss.sweep(model, [{"belt.speed": 2.0}], times=(1000, 4500), most=20_000)
    ss.plot.poincare(section, "x.block", "v.pendulum", ax=panels[1])
    name_panel(panels[0], "motion")
    name_panel(panels[1], "where the block slips off")
    values = [
        Value("motion", "chaotic" if sure else "not chaotic", at={"e₁": 0.27}),
        Value("largest exponent, per unit time", exponents.largest, float(exponents.error[0]), {"e₁": 0.27}),
        *parameters(model, SHARED | LAW["peak"]),
    ]
    return Found(panels, values)
