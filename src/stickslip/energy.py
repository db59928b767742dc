"""Where the energy goes: the work of every part over a run, against the change of kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from stickslip.model.errors import ModelError
from stickslip.model.functions import arguments_of
from stickslip.model.parts import Base, Belt, Body, Contact, Damper, Force, Interaction, Mass, SmoothContact, Spring
from stickslip.model.shapes import SHAPES
from stickslip.model.system import System
from stickslip.result import Steps, evaluate, steps_of

Floats = NDArray[np.float64]
NODES = 32
"""Gauss–Legendre points in each step: exact for the product of two step polynomials."""


def energy_balance(system: System, run: xr.Dataset) -> xr.Dataset:
    """The work that each part did on the masses during a run, and what it amounts to.

    Returns a Dataset: `work` per part, `kinetic_energy_change`, and `residual`, their difference relative to the sum of
    all absolute contributions; zero up to the accuracy of the run. Forces of springs, dampers and external forces are
    evaluated from the parts, not from the equations that were integrated.

    >>> import stickslip as ss
    >>> system = ss.models.block_on_belt()
    >>> balance = ss.energy_balance(system, ss.simulate(system, t=100))
    >>> abs(float(balance.residual)) < 1e-9
    True
    """
    if not isinstance(system, System):
        raise ModelError("energy_balance needs a System of masses: a Filippov system has no energy")
    samples = _Samples(system, steps_of(run))
    work = {name: samples.work(name, part) for name, part in system.interactions.items()}
    change = samples.kinetic_energy_change()
    absolute = sum(samples.magnitudes) + abs(change)
    return xr.Dataset(
        {
            "work": ("part", np.array(list(work.values()))),
            "kinetic_energy_change": change,
            "residual": (sum(work.values()) - change) / absolute if absolute else 0.0,
        },
        {"part": np.array(list(work), dtype=np.str_)},
    )


class _Samples:
    """States and velocities at the integration points of every step."""

    def __init__(self, system: System, steps: Steps) -> None:
        self.system, self.steps = system, steps
        points, weights = np.polynomial.legendre.leggauss(NODES)
        fractions, weights = (points + 1) / 2, weights / 2
        self.weights = (steps.length[:, None] * weights).ravel()
        tau = (steps.length[:, None] * fractions).ravel()
        self.time = np.repeat(steps.start, NODES) + tau
        states = _expanded(steps.state, tau)
        self.force = _expanded(steps.force, tau)
        self.x = {mass.name: states[:, i] for i, mass in enumerate(system.masses)}
        self.v = {mass.name: states[:, len(system.masses) + i] for i, mass in enumerate(system.masses)}
        self.magnitudes: list[float] = []

    def integral(self, power: Floats) -> float:
        self.magnitudes.append(float(np.abs(power) @ self.weights))
        return float(power @ self.weights)

    def work(self, name: str, part: Interaction) -> float:
        """∫ Σ force · velocity over the masses that the part acts on."""
        match part:
            case Spring() | Damper():
                where = self.position if isinstance(part, Spring) else self.velocity
                stretch = where(part.a) - where(part.b)
                number = "k" if isinstance(part, Spring) else "c"
                tension = self.quantity(name, "force" if part.force else number, part.force, {"e": stretch})
                if part.force is None:
                    tension = tension * stretch
                return self.integral(-tension * (self.mass_velocity(part.a) - self.mass_velocity(part.b)))
            case Force():
                own = {"x": self.x[part.on.name], "v": self.v[part.on.name]}
                force = self.quantity(name, "force", part.force, self.everything() | own)
                return self.integral(force * self.v[part.on.name])
            case Contact():
                velocity = sum(weight * self.v[mass.name] for mass, weight in part.weights)
                friction = self.force[:, self.system.contacts.index(name)]
                return self.integral(friction * (velocity - self.mass_velocity(part.against)))
            case SmoothContact():
                velocity = sum(weight * self.v[mass.name] for mass, weight in part.weights)
                friction = self.smooth_friction(name, part, velocity - self.velocity(part.against))
                return self.integral(friction * (velocity - self.mass_velocity(part.against)))
        raise AssertionError(f"unknown part {part}")

    def smooth_friction(self, name: str, part: SmoothContact, sliding: Floats) -> Floats:
        """The force −N·μ·shape of a smoothed contact at its sliding velocities."""
        shape, law, values = SHAPES[part.shape], part.friction, self.system.law_values(name)
        eps = self.system.local(name)["eps"]
        limits = (law.static_value(values), law.kinetic_value(0.0, values))
        mu = [shape.coefficient(v, eps, law.kinetic_value(shape.speed(v), values), *limits) for v in sliding.tolist()]
        normal = self.quantity(name, "normal", part.normal, self.everything())
        force: Floats = -normal * np.array(mu, float)
        return force

    def everything(self) -> dict[str, Floats]:
        named = {f"x_{n}": x for n, x in self.x.items()} | {f"v_{n}": v for n, v in self.v.items()}
        return {"t": self.time, **named}

    def quantity(self, part: str, attribute: str, value: Any, variables: Mapping[str, Floats]) -> Floats:
        """A number, or a function evaluated at every point."""
        local = self.system.local(part)
        if not callable(value):
            return np.full(len(self.time), local[attribute])
        needed, parameters = arguments_of(value, f"{attribute} of {part!r}")
        fixed = {name: local[name] for name in parameters}
        columns = [variables[name] for name in needed]
        rows = zip(*columns, strict=True) if columns else [()] * len(self.time)
        return np.array([float(value(**dict(zip(needed, row, strict=True)), **fixed)) for row in rows])

    def position(self, body: Body) -> Floats:
        if isinstance(body, Mass):
            return self.x[body.name]
        if isinstance(body, Base):
            return self.quantity(body.name, "motion", body.motion, {"t": self.time})
        return np.zeros(len(self.time))

    def velocity(self, body: Body) -> Floats:
        if isinstance(body, Mass):
            return self.v[body.name]
        if isinstance(body, Belt):
            return self.quantity(body.name, "speed", body.speed, {"t": self.time})
        if isinstance(body, Base) and callable(body.motion):
            return self._base_velocity(body)
        return np.zeros(len(self.time))

    def _base_velocity(self, base: Base) -> Floats:
        """The derivative of a prescribed motion, by fourth-order differences of the plain function."""
        h = 1e-3 * max(1e-3, float(np.median(self.steps.length)))
        values = [self.quantity(base.name, "motion", base.motion, {"t": self.time + k * h}) for k in (-2, -1, 1, 2)]
        return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)

    def mass_velocity(self, body: Body) -> Floats:
        """The velocity at which a force on this body does work on a mass: zero for what is prescribed."""
        return self.v[body.name] if isinstance(body, Mass) else np.zeros(len(self.time))

    def kinetic_energy_change(self) -> float:
        first = evaluate(self.steps.state[:1], np.zeros(1))[0]
        last = evaluate(self.steps.state[-1:], self.steps.length[-1:])[0]
        n = len(self.system.masses)
        m = np.array([self.system.parameters[f"{mass.name}.m"] for mass in self.system.masses])
        return float(0.5 * m @ (last[n : 2 * n] ** 2 - first[n : 2 * n] ** 2))


def _expanded(series: Floats, tau: Floats) -> Floats:
    return evaluate(np.repeat(series, NODES, axis=0), tau)
