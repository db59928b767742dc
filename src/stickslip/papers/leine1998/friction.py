"""Friction of the block: Figure 2, and Figure 5 with static friction that grows in stick."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.panel import name_panel
from stickslip.plot.style import QUIET, SLIP, STICK


def fig2(quick: bool) -> Found:
    """Figure 2, Eq. (11): friction against the sliding velocity."""
    (ax,) = ss.plot.panels()
    _draw_slip(ax)
    ax.plot([0, 0], [-1, 1], color=STICK, linewidth=3)
    ax.set_title("Friction of the block", loc="left")
    largest = float(ss.Field.of(ss.models.block_on_belt()).evaluate([0.0, 0.2]).static[0])
    values = [Value(f"{PARAMETER}F_s, largest friction in stick", largest), Value(f"{PARAMETER}δ", _delta(), 1e-12)]
    own = {"m": "block.m", "k": "spring.k", "v_dr": "belt.speed"}
    return Found(ax, values + parameters(ss.models.block_on_belt(), own))


def fig5(quick: bool) -> Found:
    """Figure 5, Eq. (18): static friction F_stick against the time of stick, beside friction in slip."""
    field = ss.Field.of(ss.models.aging_block())
    t_stick = np.linspace(0, 60, 121)
    static = np.array([field.evaluate([0.0, 0.2, t]).static[0] for t in t_stick])
    left, right = panels = ss.plot.panels(2)
    _draw_slip(left)
    left.plot([0, 0], [-2, 2], color=STICK, linewidth=1, linestyle=":")
    left.plot([0, 0], [-1, 1], color=STICK, linewidth=3)
    right.plot(t_stick, static, color=STICK)
    right.axhline(2, color=QUIET, linewidth=0.8, linestyle="--")
    right.set(
        xlabel="time of stick $t_\\mathrm{stick}$ [s]", ylabel="static friction $F_\\mathrm{stick}$ [N]", ylim=(0, 2.2)
    )
    name_panel(left, "slip")
    name_panel(right, "stick")
    tenth = float(field.evaluate([0.0, 0.2, 10.0]).static[0])
    values = [
        Value(f"{PARAMETER}β = F_stick∞/F_s", float(field.evaluate([0.0, 0.2, 1e3]).static[0]), 1e-12),
        Value("F_stick at first", float(static[0]), 1e-12),
        Value(f"{PARAMETER}a", -np.log(2 - tenth) / 10.0, 1e-12),
    ]
    return Found(panels, values)


def _draw_slip(ax: Any) -> None:
    """Eq. (11) for v_rel ≠ 0."""
    field = ss.Field.of(ss.models.block_on_belt())
    for side in (-1, 1):
        v = side * np.linspace(0, 1, 201)
        force = [field.evaluate([0.0, 0.2 + each], mode=[side]).force[0] for each in v]
        ax.plot(v, force, color=SLIP)
    ax.set(xlabel="relative velocity $v_\\mathrm{rel}$ [m/s]", ylabel="friction $F$ [N]")


def _delta() -> float:
    """δ of Eq. (11), from the friction at v_rel = 1."""
    force = float(ss.Field.of(ss.models.block_on_belt()).evaluate([0.0, 1.2], mode=[1]).force[0])
    return 1 / abs(force) - 1
