"""Two coupled blocks on a belt: their orbits and branches, exact and smoothed, and Figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.panel import name_panel
from stickslip.papers.vandevrande1999.beside import draw_orbits

SPEED = "belt.speed"
RANGE = (0.066, 0.2)
"""The belt velocities between which branches are followed."""

PRINTED = {"α": "coupling.k", "β": "contact2.normal", "γ": "contact1.delta"}
"""Eq. (12), and its names in the model; its masses, springs and the first contact have 1."""

EPS = 1e5
"""The accuracy parameter of Figure 5 and Table 3."""

DOUBLED = ("+2 left", "+2 right", "−4")
"""Branches that begin at a flip, named by what they are there: +2 goes out of phase on its way along its fold."""

COARSE, FINE = 0.06, 0.03
"""The longest step along a branch, quick and otherwise; where bifurcations are does not depend on it."""


@cache
def coexisting() -> tuple[ss.Orbit, ss.Orbit]:
    """The two stable orbits at V_dr = 0.14, as they are found from random starts: +1 and −4."""
    out_of_phase, in_phase = sorted(ss.find_orbits(ss.models.two_blocks()), key=lambda orbit: -orbit.period)
    return in_phase, out_of_phase


@cache
def out_of_phase_two() -> ss.Orbit:
    """The orbit −2 at V_dr = 0.16, from which −4 branches off: −4 is followed to where it ends, and −2 from there."""
    end = ss.follow(coexisting()[1], SPEED, to=0.16).special[-1]
    return orbits(ss.follow(end.orbit, SPEED, to=0.16))[-1]


def orbits(branch: ss.Branch) -> list[ss.Orbit]:
    """The orbits along a branch."""
    return [point for point in branch if isinstance(point, ss.Orbit)]


def smoothed(orbit: ss.Orbit, eps: float | None) -> ss.Orbit:
    """The orbit of the smoothed system near an exact one; without ε the exact one.

    Shooting is as accurate with any tolerance of the method, which is that of the curves in a picture.
    """
    return orbit if eps is None else ss.find_orbit(orbit.model, orbit, method=ss.Smoothing(eps, rtol=1e-5))


@cache
def branches(eps: float | None, quick: bool) -> dict[str, ss.Branch]:
    """The branches of Figure 5: +1 and −2 from orbits, the others from the flips at which they begin."""
    step = COARSE if quick else FINE
    one = ss.follow(smoothed(coexisting()[0], eps), SPEED, to=RANGE, step=step)
    two = ss.follow(smoothed(out_of_phase_two(), eps), SPEED, to=RANGE, step=step)
    left, right = sorted(one.of_kind("flip"), key=lambda point: point.value)
    first = two.of_kind("flip")[-1]
    doubled = {"+2 left": left, "+2 right": right, "−4": first}
    followed = {name: ss.follow(flip, SPEED, to=RANGE, step=step) for name, flip in doubled.items()}
    return {
        "+1": one,
        "+2 left": followed["+2 left"],
        "+2 right": followed["+2 right"],
        "−2": two,
        "−4": followed["−4"],
    }


def moves(orbit: ss.Orbit) -> str:
    """Whether the masses roughly move in the same direction."""
    together = np.corrcoef(orbit.data["v.block1"], orbit.data["v.block2"])[0, 1]
    return "in phase" if together > 0 else "out of phase"


def fig5(quick: bool) -> Found:
    """Figure 5: (a), (b) the stable orbits at V_dr = 0.14, (c) max|X₁| and (d) Poincaré points of X₁ over V_dr, for
    ε = 10⁵; below them the same of the discontinuous system."""
    panels = ss.plot.panels(2, 3)
    values: list[Value] = []
    for ax, orbit, letter in zip(panels, coexisting(), "ab", strict=False):
        found = smoothed(orbit, EPS)
        count = found.crossings("v.block1").sizes["time"]
        draw_orbits(ax, orbit, {"ε = 10⁵": found}, "x.block1", "x.block2")
        ax.set(xlabel="displacement $X_1$", ylabel="displacement $X_2$")
        ax.legend(frameon=False)
        name_panel(ax, f"({letter}) {moves(found)}, period-{count}", legend=letter == "a")
        name = f"({letter})"
        at: dict[str, float | str] = {"solution": name, "V_dr": 0.14}
        values += [
            Value("period", orbit.period, 1e-9, {"solution": name, "ε": "exact"}),
            Value("period", found.period, 1e-7, {"solution": name, "ε": EPS}),
            Value("period n", count, at=at),
            Value("masses move", moves(found), at=at),
            Value("solution", "stable" if found.stable else "unstable", at=at),
        ]
    known = _diagrams(panels[2:4], branches(EPS, quick), "cd", "ε = 10⁵")
    _diagrams(panels[4:6], branches(None, quick), "ef", "exact", known)
    for name, branch in branches(EPS, quick).items():
        where = 0 if name in DOUBLED else len(branch) // 2
        values.append(Value("phase and period n", _phase_and_period(orbits(branch)[where]), at={"branch": name}))
    own = [*parameters(coexisting()[0].model, PRINTED), Value(f"{PARAMETER}ε", EPS)]
    return Found(panels, [*values, *_extra_branch(quick), *own])


def _phase_and_period(orbit: ss.Orbit) -> str:
    """The name that the paper gives to a branch: a sign and n."""
    return f"{'+' if moves(orbit) == 'in phase' else '−'}{orbit.crossings('v.block1').sizes['time']}"


def _diagrams(axes: Any, found: dict[str, ss.Branch], letters: str, title: str, known: Sequence[str] = ()) -> list[str]:
    """Maxima and Poincaré points along branches; the legend leaves out what is known, and is given in words."""
    ss.plot.branch(found, "max |x.block1|", ax=axes[0])
    handles = [each for each in axes[0].get_legend().legend_handles if each.get_label() not in known]
    tables = {name: branch.crossings("v.block1") for name, branch in found.items()}
    ss.plot.branch(tables, "crossings x.block1", ax=axes[1])
    for ax, letter, label in zip(axes, letters, ("maximum of $|X_1|$", "$X_1$ where $X_1' = 0$, upwards"), strict=True):
        ax.set(xlabel="belt velocity $V_\\mathrm{dr}$", ylabel=label)
        name_panel(ax, f"({letter}) {title}")
    axes[0].set_ylim(top=1.42)
    axes[0].legend(handles=handles, loc="upper left", ncols=3, fontsize=8, frameon=False)
    return [each.get_label() for each in handles]


def _extra_branch(quick: bool) -> list[Value]:
    """Where −4 is stable once more, beyond its folds: from its last flip to its second fold."""
    values = []
    for eps in (EPS, None):
        branch = branches(eps, quick)["−4"]
        at: dict[str, float | str] = {"ε": "exact" if eps is None else eps}
        ends = branch.of_kind("flip")[-1].value, branch.of_kind("fold")[-1].value
        for word, end in zip(("from", "to"), ends, strict=True):
            values.append(Value(f"extra stable branch −4, {word} V_dr", end, 1e-8 if eps else 1e-10, at))
    return values
