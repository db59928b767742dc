"""The energy balance of a run that is wrong does not close, whatever that run says about its own forces."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
import xarray as xr

import stickslip as ss


def block(mu_s: float = 0.5, mu_k: float = 0.3, against: ss.Body = ss.ground, v: float = 1.0) -> ss.System:
    mass = ss.Mass("block", 1.0, v=v)
    law = ss.Coulomb(mu_s, mu_k)
    return ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, against, law=law, normal=2.0))


def residual(system: ss.System, run: xr.Dataset) -> float:
    return abs(float(ss.energy_balance(system, run).residual))


def without_events(t: float) -> xr.Dataset:
    """The block as if its friction went on pushing backwards: the events at which it comes to rest are overlooked."""
    mass = ss.Mass("block", 1.0, v=1.0)
    pushed = ss.simulate(ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Force(mass, -0.6)), t)
    velocity = pushed["step_state"].sel(state="v.block").values[:, None]
    force = np.zeros_like(velocity)
    force[..., 0] = -0.6
    added = {"step_slip_velocity": velocity, "step_force": force, "step_mode": np.ones((len(velocity), 1), np.int8)}
    axes = ("step", "contact", "power")
    return pushed[["step_start", "step_length", "step_state"]].assign(
        {name: (axes[: values.ndim], values) for name, values in added.items()}
    )


def test_an_overlooked_event_is_noticed() -> None:
    before, beyond = without_events(1.0), without_events(3.0)
    assert residual(block(), before) < 1e-12  # it has not come to rest yet
    assert residual(block(), beyond) > 0.1


def test_a_missed_release_is_noticed() -> None:
    """A block that is taken along by the belt for longer than its static limit allows."""
    belt = ss.Belt("belt", speed=1.0)
    glued, right = block(5.0, 0.3, belt), block(0.5, 0.3, belt)
    run = ss.simulate(glued, 5.0)
    assert run.sizes["event"] == 0
    assert residual(glued, run) < 1e-12
    assert residual(right, run) > 1e-2


def test_a_wrong_law_is_noticed() -> None:
    run = ss.simulate(block(), 3.0)
    assert residual(block(), run) < 1e-12
    assert residual(block(mu_k=0.30001), run) > 1e-6


@pytest.mark.parametrize("change", ["mode", "velocity"])
def test_slip_that_is_called_stick_is_noticed(change: str) -> None:
    run = ss.simulate(block(), 1.0)
    if change == "mode":
        run = run.assign(step_mode=run["step_mode"] * 0)
    else:
        run["step_state"][:, 1] *= 1.001
    assert residual(block(), run) > 1e-4


def random_system(seed: int, unit: float) -> ss.System:
    """Two masses, one on a shaken table and one on the other, in a unit of time of its own."""
    chance = np.random.default_rng(seed)
    a, b, c, k = (float(x) for x in chance.uniform(0.5, 1.5, 4))
    lower, upper = ss.Mass("lower", a), ss.Mass("upper", b, v=c / unit)
    table = ss.Base("table", motion=lambda t, omega=2.0 / unit: 0.6 * sin(omega * t) + 0.1 * cos(3.1 * omega * t))
    return ss.System(
        ss.Spring(lower, ss.ground, k=k / unit**2),
        ss.Spring(upper, table, k=c / unit**2, name="pull"),
        ss.Contact(lower, table, law=ss.Stribeck(0.8, 0.5, 0.7 / unit), normal=0.5 / unit**2),
        ss.Contact(upper, lower, law=ss.Coulomb(0.6, 0.4), normal=0.4 / unit**2, name="between"),
    )


@pytest.mark.parametrize("unit", [1.0, 1e-6])
def test_right_runs_balance(unit: float) -> None:
    system = random_system(3, unit)
    run = ss.simulate(system, 40.0 * unit)
    assert run.outcome == "finished" and run.sizes["event"] > 10
    assert residual(system, run) < 1e-11


def test_random_friction_balances() -> None:
    mass, belt = ss.Mass("block", 1.0), ss.Belt("belt", speed=1.0)
    contact = ss.Contact(mass, belt, law=ss.Coulomb(0.4, 0.25), normal=10.0, scatter=ss.Scatter(0.02, 0.02))
    system = ss.System(ss.Spring(mass, ss.ground, k=1.0), contact)
    run = ss.simulate(system, 60.0, seed=3)
    assert residual(system, run) < 1e-12
    run["step_state"].loc[{"state": "kinetic_draw.contact"}] *= 1.01
    assert residual(system, run) > 1e-5
