"""Simulations beside the experiments: Figures 13(b), 26, 27 and 28. SI units."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

import stickslip as ss
from stickslip.papers.found import Found, Value, parameters
from stickslip.papers.panel import name_panel

M, C, B = 6.08, 3956.0, 0.768
"""Mass (kg), stiffness (N/m) and damping (Ns/m) of the pendulum, transformed to Eq. (1)."""

PENDULUM = {"m, kg": "block.m", "c, N/m": "spring.k", "b, Ns/m": "damper.c", "F_N, N": "contact.normal"}
CONTACT = {"c_R, N/m": "contact.stiffness", "b_R, Ns/m": "contact.damping", "μ₀": "contact.mu_s", "μ": "contact.mu_k"}
BELT = {"v₀, m/s": "belt.speed"}
BASE = {"Ω, 1/s": "base.omega", "u₀, m": "base.u0"}
"""What the legends of the figures print, and its names in the models."""

FIRST_JUMP = 0.23
"""When the friction force jumps first in Figure 13(c), in s."""


def fig13b(quick: bool) -> Found:
    """Figure 13(b): free oscillations, steel on steel (characteristic I), that end after two half swings."""
    model = ss.System(
        ss.Spring(block := ss.Mass("block", m=M, unit="m"), ss.ground, k=C),
        ss.Damper(block, ss.ground, c=B),
        ss.Contact(block, ss.ground, law=ss.Coulomb(0.25), normal=18.0),
        time_unit="s",
        force_unit="N",
    )
    half = math.pi / math.sqrt(C / M - (B / (2 * M)) ** 2)
    begin = FIRST_JUMP - half

    def swing(x: float) -> ss.Run:
        return ss.simulate(model, t=0.6, start_time=begin, start={"x.block": x})

    x0 = brentq(lambda x: C * float(swing(x)["x.block"][-1]) - 3.0, 5.0e-3, 5.6e-3, xtol=1e-15)
    run = swing(x0)
    values = [
        Value("first jump of the friction force, s", float(run.event_time[0]), 1e-12),
        Value("second jump of the friction force, after which it sticks, s", float(run.event_time[1]), 1e-12),
        Value("spring force at rest, N", C * float(run["x.block"][-1]), 1e-9),
        Value("damping ratio D", "below 0.005" if B / (2 * math.sqrt(C * M)) < 0.005 else "larger"),
        Value("damping ratio D of the simulation", B / (2 * math.sqrt(C * M)), 1e-15),
    ]
    panels = ss.plot.panels(2)
    ss.plot.phase(run, ax=panels[0])
    ss.plot.history(run, "force", ax=panels[1])
    name_panel(panels[0], "phase plane")
    name_panel(panels[1], "friction force")
    return Found(panels, values + parameters(model, PENDULUM))


def fig26(quick: bool) -> Found:
    """Figure 26: self-excitation with contact stiffness and damping; velocity and force overshoot where slip ends."""
    model = ss.models.compliant_oscillator(26)
    run = ss.simulate(model, t=8)
    orbit = ss.find_orbit(model)
    late = run.sel(time=slice(4, None))
    values = [
        Value("period, s", orbit.period, 1e-9),
        Value("largest velocity over that of the belt", float(late["v.block"].max()) / 0.0025, 1e-6),
        Value("duration of slip, s", _slip(orbit), 1e-9),
        *parameters(model, PENDULUM | CONTACT | BELT),
    ]
    panels = ss.plot.panels(2)
    ss.plot.phase(run, window=(4, 8), ax=panels[0])
    ss.plot.history(run, "force", window=(4, 8), ax=panels[1])
    panels[0].locator_params(axis="x", nbins=5)
    name_panel(panels[0], "phase plane")
    name_panel(panels[1], "friction force")
    return Found(panels, values)


def _slip(orbit: ss.Orbit) -> float:
    """How long the asperity slips in a cycle."""
    events = orbit.data
    begin, end = (float(events.event_time[events.event_after.values == mode][0]) for mode in (-1, 0))
    return (end - begin) % orbit.period


def fig27(quick: bool) -> Found:
    """Figure 27: excitation on a belt at rest, steel on polyurethane."""
    return _excited(27)


def fig28(quick: bool) -> Found:
    """Figure 28: excitation on a belt at rest, steel on aluminium, which is stiffer."""
    found = _excited(28)
    width, frequency = (_swing(28) / _swing(27), _frequency(28) / _frequency(27))
    compared = [
        Value("frequency of the transients against Figure 27", "larger" if frequency > 1 else "smaller"),
        Value("hysteresis against Figure 27", "smaller" if width < 1 else "larger"),
        Value("frequency of the transients over that of Figure 27", frequency, 1e-12),
        Value("largest velocity in stick over that of Figure 27", width, 1e-3),
    ]
    return Found(found.picture, [*found.values, *compared])


def _frequency(figure: int) -> float:
    """Of the block that swings on an asperity that sticks, Eq. (8) with y = 0, in 1/s; without damping."""
    p = ss.models.compliant_oscillator(figure).parameters
    return math.sqrt((p["spring.k"] + p["contact.stiffness"]) / p["block.m"])


def _excited(figure: int) -> Found:
    """Stops per period: of the asperity that rubs, and of the block that swings on it (Sec. 7.3)."""
    period = 2 * math.pi / 10.5
    run = ss.simulate(ss.models.compliant_oscillator(figure), t=20 * period)
    stops = ss.stops(run)
    late = stops.stop_kind.values[stops.stop_time.values > 10 * period]
    values = [
        Value("stops of the asperity in a period", int(np.sum(late == "asperity")) // 10),
        Value("stops of the block in a period", int(np.sum(late == "block")) // 10),
        Value("largest velocity of the block while its asperity sticks, mm/s", _swing(figure), 1e-3, {"Ω": 11.5}),
        *parameters(ss.models.compliant_oscillator(figure), PENDULUM | CONTACT | BASE),
    ]
    panels = ss.plot.panels(3, width=4.2)
    ss.plot.phase(run, window=(18 * period, 20 * period), ax=panels[0])
    ss.plot.history(run, "force", window=(18 * period, 20 * period), ax=panels[1])
    late = run.sel(time=slice(18 * period, None))
    panels[2].plot(1e3 * late["v.block"], late["force"].values[:, 0], linewidth=0.9)
    panels[2].set(xlabel="velocity of the block (mm/s)", ylabel="friction force (N)")
    for ax, title in zip(panels, ("phase plane", "friction force", "friction over velocity"), strict=True):
        name_panel(ax, title)
    return Found(panels, values)


def _swing(figure: int, omega: float = 11.5) -> float:
    """v_H of Section 6.4, in mm/s: how fast the block swings on an asperity that sticks."""
    period = 2 * math.pi / omega
    run = ss.simulate(ss.models.compliant_oscillator(figure, omega), t=20 * period)
    stuck = (run["mode"].values[:, 0] == 0) & (run.time.values > 10 * period)
    return 1e3 * float(np.abs(run["v.block"].values[stuck]).max())
