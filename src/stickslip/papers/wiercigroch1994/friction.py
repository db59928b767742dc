"""Models of dry friction: Figure 1."""

from __future__ import annotations

from math import cos, pi

import numpy as np
from numpy.typing import NDArray

import stickslip as ss
from stickslip.papers.found import Found, Value
from stickslip.papers.panel import name_panel
from stickslip.plot.style import SLIP, STICK

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]

LAWS: dict[str, ss.FrictionLaw | ss.DynamicLaw] = {
    "constant": ss.Coulomb(0.3),
    "quadratic": ss.Polynomial((0.4, -0.3, 0.2)),
    "exponential": ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.3),
    "non-reversible": ss.LuGre(mu_s=0.4, mu_k=0.25, v_s=0.3, sigma_0=8.0),
}
"""Panels (a) to (d). The last has a state of its own, so that friction depends on what the velocity was before."""


def fig1(quick: bool) -> Found:
    """Figure 1: friction while the sliding speed grows and falls again."""
    panels, values = ss.plot.panels(2, 2, width=4.4, height=2.9), []
    for (name, law), letter, ax in zip(LAWS.items(), "abcd", panels, strict=True):
        growing, falling = friction_over_speed(law)
        for speed, coefficient in (growing, falling):
            for side in (-1, 1):
                ax.plot(side * speed, side * coefficient, color=SLIP)
        ax.plot([0, 0], [-growing[1][0], growing[1][0]], color=STICK, linewidth=2)
        ax.set(xlabel="relative velocity $v_r$", ylabel="friction $f_C/N$", xticks=(-1, -0.5, 0, 0.5, 1))
        name_panel(ax, f"({letter}) {name}")
        apart = float(np.abs(np.interp(falling[0], growing[0], growing[1]) - falling[1]).max())
        values += [
            Value("characteristic", "non-reversible" if apart > 1e-3 else "reversible", at={"panel": letter}),
            Value("largest difference of f_C/N at the same speed", apart, 1e-4, {"panel": letter}),
        ]
    return Found(panels, values)


def friction_over_speed(law: ss.FrictionLaw | ss.DynamicLaw) -> tuple[Curve, Curve]:
    """Speeds and coefficients, growing and falling, as measured: a block is held fast on a belt, whose speed grows and
    falls, and what holds it is friction."""
    k, c = 1e4, 200.0
    block = ss.Mass("block", m=1.0)
    belt = ss.Belt("belt", speed=lambda t: 0.51 - 0.5 * cos(t))
    kind = ss.DynamicContact if isinstance(law, ss.DynamicLaw) else ss.Contact
    held = ss.System(
        ss.Spring(block, ss.ground, k=k), ss.Damper(block, ss.ground, c=c), kind(block, belt, law=law, normal=1.0)
    )
    run = ss.simulate(held, t=4 * pi)
    curves = []
    for first in (2, 3):
        half = ss.interpolate(run, pi * np.linspace(first, first + 1, 401))
        speed = 0.51 - 0.5 * np.cos(half.time.values) - half["v.block"].values
        curves.append((speed, k * half["x.block"].values + c * half["v.block"].values))
    return curves[0], curves[1]
