"""Excited masses that stick to the ground, to a base or to each other: rest is no motion that a step could lose."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin

import numpy as np
import pytest

import stickslip as ss
from stickslip.comparison import event_difference
from stickslip.methods.base import Method

T = 20.0


def on_the_ground() -> ss.System:
    mass = ss.Mass("mass", 1.0)
    return ss.System(
        ss.Spring(mass, ss.ground, k=1.0),
        ss.Force(mass, lambda t, a=1.0, omega=0.8, phase=0.0: a * cos(omega * t + phase)),
        ss.Contact(mass, ss.ground, law=ss.Coulomb(1.0, 0.8), normal=0.7),
    )


def on_each_other() -> ss.System:
    lower, upper = ss.Mass("lower", 1.0), ss.Mass("upper", 0.5)
    base = ss.Base("base", motion=lambda t, a=0.3, omega=0.9: a * sin(omega * t))
    return ss.System(
        ss.Spring(lower, ss.ground, k=1.0),
        ss.Spring(upper, ss.ground, k=0.8, name="held"),
        ss.Force(upper, lambda t, a=1.0, omega=0.8, phase=0.0: a * cos(omega * t + phase)),
        ss.Contact(lower, base, law=ss.Coulomb(1.0, 0.9), normal=0.8),
        ss.Contact(upper, lower, law=ss.Coulomb(0.7), normal=0.7, name="between"),
    )


SYSTEMS = {"ground": on_the_ground, "each other": on_each_other}


def members(name: str, count: int) -> list[ss.System]:
    """Systems of one structure with drawn parameters, some of them in small units and some in large ones."""
    system, chance = SYSTEMS[name](), np.random.default_rng(len(name))
    forces = [p for p in system.parameters if p.endswith((".a", ".normal"))]
    others = [p for p in system.parameters if p.endswith((".m", ".k", ".omega"))]
    drawn = []
    for _ in range(count):
        unit = 10.0 ** chance.uniform(-4, 4)
        changes = {p: system.parameters[p] * chance.uniform(0.8, 1.25) for p in [*forces, *others]}
        changes |= {p: unit * changes[p] for p in forces} | {"force.phase": chance.uniform(0.0, 6.0)}
        drawn.append(system.with_(changes))
    return drawn


def differences(system: ss.System, methods: list[Method]) -> list[float]:
    """How far the events of each method are from those of Exact: the same ones, at other times."""
    exact = ss.simulate(system, T, dense=False, samples=2)
    assert exact.outcome == "finished" and exact.sizes["event"] > 3
    found = []
    for method in methods:
        run = ss.simulate(system, T, method=method, dense=False, samples=2)
        assert run.outcome == "finished"
        same, error = event_difference(run, exact)
        assert same
        found.append(error)
    return found


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("method", [ss.Henon, ss.Bisection])
def test_fixed_steps_are_of_fourth_order(name: str, method: type[Method]) -> None:
    slopes = []
    for system in members(name, 6):
        steps = 0.02 * 0.7 ** np.arange(3)
        errors = differences(system, [method(step=h) for h in steps])  # type: ignore[call-arg]
        slopes.append(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    assert slopes == pytest.approx([4.0] * 6, abs=0.5)


@pytest.mark.parametrize(("name", "order"), [("ground", 0.5), ("each other", 1.0)])
def test_the_switch_model_converges_with_its_band(name: str, order: float) -> None:
    """As √η where a static limit above the kinetic friction is reached, else as η where slip ends."""
    slopes = []
    for system in members(name, 6):
        speed = speed_of(system)
        bands = np.array([1e-4, 1e-5, 1e-6])
        errors = differences(system, [ss.Switch(eta=b * speed, rtol=1e-10, most_steps=10**5) for b in bands])
        slopes.append(np.polyfit(np.log(bands), np.log(errors), 1)[0])
    assert np.median(slopes) == pytest.approx(order, abs=0.1)
    assert min(slopes) > 0.6 * order


@pytest.mark.parametrize("eta", [4e-5, 4e-6, 4e-7])
def test_the_switch_model_passes_over_no_slip(eta: float) -> None:
    """In stick nothing moves, whatever the step: it is the force that holds the mass that a step must follow."""
    changes = {"mass.m": 4.5, "spring.k": 0.7, "force.a": 345.0, "force.omega": 2.2, "force.phase": 5.0}
    system = on_the_ground().with_(changes | {"contact.normal": 310.0, "contact.mu_k": 0.93})
    differences(system, [ss.Switch(eta=eta, rtol=1e-10, most_steps=10**5)])


def speed_of(system: ss.System) -> float:
    run = ss.simulate(system, T, dense=False, samples=400)
    return max(float(np.abs(run[name]).max()) for name in system.states if name.startswith("v."))


def held(system: ss.System) -> ss.System:
    """The same with so much normal force that nothing ever slips."""
    return system.with_({p: 50 * system.parameters[p] for p in system.parameters if p.endswith(".normal")})


METHODS: dict[str, Callable[[], Method]] = {
    "henon": lambda: ss.Henon(step=0.02),
    "bisection": lambda: ss.Bisection(step=0.02),
    "live": lambda: ss.Bisection(step=0.02, live=True),
    "band": lambda: ss.Bisection(step=0.02, band=1e-6),
    "switch": lambda: ss.Switch(eta=1e-7, most_steps=10**5),
}


@pytest.mark.parametrize("method", METHODS)
def test_what_never_slips_stays(method: str) -> None:
    for system in members("ground", 4):
        run = ss.simulate(held(system), T, method=METHODS[method](), samples=50)
        assert run.outcome == "finished" and run.sizes["event"] == 0
        assert float(np.abs(run["x.mass"]).max()) <= 1e-12 * system.parameters["force.a"]


@pytest.mark.parametrize("step", [0.1, 0.01, 1e-3])
def test_a_live_sign_passes_rest(step: float) -> None:
    exact, run = (ss.simulate(on_the_ground(), T, method=m) for m in (ss.Exact(), ss.Bisection(step=step, live=True)))
    assert run.outcome == "finished"
    same, error = event_difference(run, exact)
    assert same and error < 2 * np.sqrt(step)
