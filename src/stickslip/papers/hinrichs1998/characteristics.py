"""Friction against the sliding speed: Figures 3 and 12(b)."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.panel import name_panel

B0, B1, B2 = 0.28, 0.12, -0.9
"""Eq. (6), from which speeds in mm/s and coefficients are drawn."""

CONSTANTS = {"λ₁": "contact.lambda_1", "λ₂": "contact.lambda_2", "μ₁": "contact.mu_1"}
"""μ_III = (μ₀ − μ₁)/(1 + λ₁|v_r|) + μ₁ + λ₂v_r², in the words of Figure 3."""

NOISE = 0.012
"""Standard deviation of the drawn coefficients."""


def fig3(quick: bool) -> Found:
    """Figure 3: the friction characteristics I, II and III."""
    laws = {name: ss.models.hinrichs_law(name) for name in ("I", "II", "III")}
    values = [
        *(Value(f"{PARAMETER}μ₀", laws[n].static_value(), at={"characteristic": n}) for n in ("I", "II")),
        *(Value(f"{PARAMETER}μ", laws[n].kinetic_value(1.0), at={"characteristic": n}) for n in ("I", "II")),
        Value("coefficient in stick μ₀", laws["III"].static_value(), at={"characteristic": "III"}),
        Value("coefficient in slip μ", laws["III"].kinetic_value(1.0), at={"characteristic": "III", "v_r": 1.0}),
    ]
    own = ss.models.forced_oscillator("III")
    fall = own.parameters["contact.mu_0"] - own.parameters["contact.mu_1"]
    values += [Value(f"{PARAMETER}μ₀ − μ₁", fall, 1e-15), *parameters(own, CONSTANTS)]
    panels = ss.plot.panels(3, width=4.2)
    for (name, law), ax in zip(laws.items(), panels, strict=True):
        ss.plot.characteristic(law, np.linspace(0, 6, 301), ax=ax)
        ax.set_ylim(0, 0.5)
        name_panel(ax, f"characteristic {name}")
    return Found(panels, values)


def fig12b(quick: bool) -> Found:
    """Figure 12(b), Eq. (6): an exponential and a polynomial fitted to measured friction."""
    random = np.random.default_rng(12)
    v = random.uniform(0.05, 6.0, 600)
    mu = B0 + B1 * np.exp(B2 * v) + random.normal(0, NOISE, v.size)
    comparison = ss.identify.compare((v, mu), ["stribeck", "polynomial:3"])
    estimate = ss.identify.fit_law((v, mu), "stribeck").estimate
    mu_s, mu_k, v_s = (estimate[name] for name in ("mu_s", "mu_k", "v_s"))
    error = {name: estimate.error(name) for name in ("mu_s", "mu_k", "v_s")}
    values = [
        Value("b₀", mu_k, error["mu_k"]),
        Value("b₁", mu_s - mu_k, float(np.hypot(error["mu_s"], error["mu_k"]))),
        Value("b₂", -1 / v_s, error["v_s"] / v_s**2),
        Value("most accurate fit", comparison.best.label.replace("stribeck", "exponential")),
    ]
    ax = ss.plot.fit(comparison, units={"velocity": "mm/s"})
    ax.set_ylabel("friction coefficient μ")
    name_panel(ax, "drawn coefficients, exponential (stribeck) and polynomial", legend=True)
    return Found(ax, values)
