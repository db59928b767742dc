"""A violin string under the bow: Figures 8 to 10, with the parameters of Appendix B. SI units."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import xarray as xr

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value
from stickslip.papers.panel import name_panel
from stickslip.plot.style import INK

DIAMETERS = {1.0: "a", 0.25: "b"}
"""In mm, and the letters of their panels."""

ROLLING = "By Eq. (21) with v_rel = 0 it is φ̇ = (v_dr − ẋ)/r: the sentence in Section 7 has the wrong sign."


def string(d: float) -> ss.System:
    """Eqs. (19) to (21) for a diameter in mm."""
    return ss.models.bowed_string(1e-3 * d)


def block(d: float) -> ss.System:
    """The corresponding model with one degree of freedom: the same string, which does not turn."""
    parameters = string(d).parameters
    mass = ss.Mass("string", m=parameters["string.m"], unit="m")
    return ss.System(
        ss.Spring(mass, ss.ground, k=parameters["lateral.k"]),
        ss.Contact(mass, ss.Belt("bow", speed=1.0), law=ss.Hyperbolic(mu_s=1.0, delta=0.5), normal=1.0),
        time_unit="s",
    )


@cache
def settled(d: float, t: float = 0.4) -> ss.Run:
    """A motion from rest, long enough to settle."""
    return ss.simulate(string(d), t=t)


@cache
def kind(d: float, quick: bool) -> tuple[str, float, float]:
    """Whether the motion is periodic; and its largest exponent, in 1/s, with the standard error."""
    exponents = ss.lyapunov(string(d), t=2.0 if quick else 40.0)
    try:
        ss.find_orbit(string(d))
    except ss.errors.OrbitError:
        chaotic = exponents.largest > 3 * exponents.error[0]
        word = "chaotic" if chaotic else "quasi-periodic"
    else:
        word = "periodic"
    return word, exponents.largest, float(exponents.error[0])


def fig8(quick: bool) -> Found:
    """Figure 8: phase portraits of the lateral vibration; dashed that of one degree of freedom."""
    panels, values = ss.plot.panels(2, height=3.8), []
    for (d, letter), ax in zip(DIAMETERS.items(), panels, strict=True):
        single, at = ss.find_orbit(block(d)), {"d": d}
        ss.plot.phase(settled(d), window=(0.36, 0.4), ax=ax)
        curve = single.data["x.string"], single.data["v.string"]
        ax.plot(*curve, "--", color=INK, linewidth=1.2, label="one degree of freedom")
        ax.locator_params(axis="x", nbins=5)
        name_panel(ax, f"({letter}) d = {d:g} mm", legend=letter == "a")
        word, exponent, error = kind(d, quick)
        periodic = "a periodic solution" if word == "periodic" else "no periodic solution"
        values += [
            Value("found by shooting", periodic, at=at),
            Value("motion", word, at=at),
            Value("largest exponent, 1/s", exponent, error, at),
            Value("frequency ratio ω_t/ω_l", _frequency_ratio(string(d)), 1e-12, at),
            Value("period of the model of one degree of freedom, ms", 1e3 * single.period, 1e-9, at),
        ]
    panels[0].legend(frameon=False, fontsize=8.5, loc="center")
    orbit = ss.find_orbit(string(1.0))
    values += [
        Value("period, ms", 1e3 * orbit.period, 1e-9, {"d": 1.0}),
        Value("rolling of the string in stick, φ̇r/(ẋ − v_dr)", _rolling(), 1e-9, note=ROLLING),
        *_appendix_b(),
    ]
    return Found(panels, values)


def _frequency_ratio(model: ss.System) -> float:
    """ω_t/ω_l of the string that does not touch the bow, from the stiffnesses and masses of Eq. (19)."""
    p = model.parameters
    return math.sqrt(p["twisting.k"] / p["torsion.m"]) / math.sqrt(p["lateral.k"] / p["string.m"])


def _appendix_b() -> list[Value]:
    """The values of Appendix B, from those of the model: m = ρAl/3, k = 4f_t/l, k_t/r² = 2GA/l."""
    length, A, p = 0.32, np.pi * 1e-6 / 4, string(1.0).parameters
    of_appendix = {
        "f_t, N": p["lateral.k"] * length / 4,
        "ρ, kg/m³": 3 * p["string.m"] / (A * length),
        "G, N/m²": p["twisting.k"] * length / (2 * A),
        "δ, s/m": p["contact.delta"],
        "F_s, N": p["contact.mu_s"] * p["contact.normal"],
        "v_dr, m/s": p["bow.speed"],
    }
    at = {"appendix": "B"}
    return [Value(PARAMETER + name, float(value), 1e-12 * float(value), at) for name, value in of_appendix.items()]


def _rolling() -> float:
    """Eq. (21) with v_rel = 0."""
    run = settled(1.0)
    stuck = run["mode"].values[:, 0] == 0
    lateral, turning = run["v.string"].values[stuck] - 1.0, run["v.torsion"].values[stuck]
    fast = np.abs(lateral) > 1e-3
    return float(np.median(turning[fast] / lateral[fast]))


def fig9(quick: bool) -> Found:
    """Figure 9: the lateral displacement over time."""
    panels, values = ss.plot.panels(1, 2, width=7.6, height=2.4), []
    for (d, letter), ax in zip(DIAMETERS.items(), panels, strict=True):
        run = settled(d)
        ss.plot.history(run, "x.string", window=(0.34, 0.4), ax=[ax])
        name_panel(ax, f"({letter}) d = {d:g} mm")
        late = run["x.string"].sel(time=slice(0.2, None))
        values += [
            Value("largest displacement, mm", 1e3 * float(late.max()), 1e-3, {"d": d}),
            Value("releases in 0.1 s", int(np.sum((run.event_before == 0) & (run.event_time > 0.3))), at={"d": d}),
        ]
    return Found(panels, values)


def fig10(quick: bool) -> Found:
    """Figure 10: power spectral density of the lateral displacement."""
    panels, values = ss.plot.panels(2, height=3.8), []
    for (d, letter), ax in zip(DIAMETERS.items(), panels, strict=True):
        run = settled(d, 1.5 if quick else 6.0)
        spectrum = ss.series.spectrum(ss.series.from_run(run, "x.string", after=0.2))
        ss.plot.spectrum(spectrum, ax=ax)
        name_panel(ax, f"({letter}) d = {d:g} mm")
        share = _between_lines(spectrum)
        values += [
            Value("share of the power between the lines", share, 0.1 * share, {"d": d}),
            Value("spectrum", "broad-band" if share > 1e-3 else "lines", at={"d": d}),
            Value("highest peak, Hz", spectrum.attrs["peak"], spectrum.attrs["resolution"], {"d": d}),
        ]
    return Found(panels, values)


def _between_lines(spectrum: xr.Dataset) -> float:
    """Which part of the power is further than five steps of the frequency from the multiples of the highest peak."""
    f, peak = spectrum["frequency"].values, spectrum.attrs["peak"]
    between = np.abs(f - peak * np.round(f / peak)) > 5 * spectrum.attrs["resolution"]
    return float(spectrum["density"][between].sum() / spectrum["density"].sum())
