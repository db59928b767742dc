"""Where the energy goes: the work of every part over a run, against the change of kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from stickslip.arrays import Bools, Floats
from stickslip.errors import ModelError
from stickslip.model.functions import arguments_of
from stickslip.model.parts import (
    Base,
    Belt,
    Body,
    Contact,
    Drive,
    DynamicContact,
    Interaction,
    Link,
    Moving,
    Rubbing,
    SmoothContact,
    Spring,
)
from stickslip.model.shapes import SHAPES
from stickslip.model.system import System
from stickslip.result import Steps, evaluate, steps_of

NODES = 32
"""Gauss–Legendre points in each step: exact for the product of two step polynomials."""


def energy_balance(system: System, run: xr.Dataset) -> xr.Dataset:
    """The work that each part did on the masses during a run, and what it amounts to.

    Forces are evaluated from the parts, not from the equations that were integrated, so that the residual shows a run
    that overlooked something: friction in slip opposes the sliding velocity, as its law says, and in stick it is the
    reaction, within the static limit, while nothing slides. Of kinds of contacts with a behaviour of their own, as
    elastic asperities and bristles, the recorded force is taken. A `State` does no work itself: what it does through
    forces, belts and bases is counted there.

    Parameters
    ----------
    system : System
        The system of the run; for a run of `Smoothing` the one that `System.smoothed` makes.
    run : Run
        The run, with its step polynomials.

    Returns
    -------
    xarray.Dataset
        `work` per part, `kinetic_energy_change`, and `residual`, their difference relative to the sum of all absolute
        contributions; zero up to the accuracy of the run.

    Raises
    ------
    ModelError
        If the system is none, or not that of the run.
    ResultError
        If the run has no step polynomials.

    See Also
    --------
    simulate : makes the run.

    Examples
    --------
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
        self.tau = tau
        states = _expanded(steps.state, tau)
        self.force = _expanded(steps.force, tau)
        self.sticks = np.repeat(steps.mode == 0, NODES, axis=0)
        self.x = {mass.name: states[:, i] for i, mass in enumerate(system.masses)}
        self.v = {mass.name: states[:, len(system.masses) + i] for i, mass in enumerate(system.masses)}
        self.extra = {name: states[:, system.states.index(name)] for name in system.extra_states}
        self.internal = {name: states[:, system.states.index(name)] for name in system.internal_states}
        self.magnitudes: list[float] = []

    def integral(self, power: Floats) -> float:
        self.magnitudes.append(float(np.abs(power) @ self.weights))
        return float(power @ self.weights)

    def work(self, name: str, part: Interaction) -> float:
        """∫ Σ force · velocity over the masses that the part acts on."""
        match part:
            case Link():
                where = self.position if isinstance(part, Spring) else self.velocity
                stretch = _weighted([(where(body), weight) for body, weight in part.ends])
                tension = self.quantity(name, "force" if part.force else part.number, part.force, {"e": stretch})
                if part.force is None:
                    tension = tension * stretch
                return self.integral(-tension * _weighted([(self.mass_velocity(b), weight) for b, weight in part.ends]))
            case Drive():
                x, v = (_weighted([(of[mass.name], w) for mass, w in part.weights]) for of in (self.x, self.v))
                force = self.quantity(name, part.attribute, part.strength, self.everything() | {"x": x, "v": v})
                return self.integral(force * v)
            case Rubbing():
                velocity = _weighted([(self.v[mass.name], weight) for mass, weight in part.weights])
                sliding = velocity - self.velocity(part.against)
                moved = velocity - self.mass_velocity(part.against)
                return self.integral(self.friction_power(name, part, sliding, moved))
        raise AssertionError(f"unknown part {part}")

    def friction_power(self, name: str, part: Rubbing, sliding: Floats, moved: Floats) -> Floats:
        """The power of friction on the masses, which it moves at that velocity."""
        match part:
            case SmoothContact():
                return self.smooth_friction(name, part, sliding) * moved
            case DynamicContact():
                return self.dynamic_friction(name, part, sliding) * moved
            case Contact() if not part.follows_its_law:
                return self.recorded(name) * moved
            case Contact():
                sticks = self.sticks[:, self.system.contacts.index(name)]
                # What sticks does not slide: a velocity that it should not have does no work.
                held = self.reaction(name, part) * (moved - sliding)
                return np.where(sticks, held, self.kinetic_friction(name, part, sliding, ~sticks) * moved)
        raise AssertionError(f"unknown contact {part}")

    def recorded(self, name: str) -> Floats:
        """The friction force of a contact as the run has it."""
        force: Floats = self.force[:, self.system.contacts.index(name)]
        return force

    def kinetic_friction(self, name: str, part: Contact, sliding: Floats, where: Bools) -> Floats:
        """The force −sgn(v)·N·μ(|v|) at some of the points."""
        law, values = part.friction, self.system.law_values(name)
        mu = np.zeros(len(sliding))
        mu[where] = [law.kinetic_value(v, values, name) for v in np.abs(sliding[where]).tolist()]
        return -np.sign(sliding) * self.normal(name, part) * (mu + self.drawn(name, "kinetic"))

    def reaction(self, name: str, part: Contact) -> Floats:
        """The recorded force, as far as the static limit allows it."""
        law, values = part.friction, self.system.law_values(name)
        ages = self.internal.get(f"stick_time.{name}", np.zeros(1))
        mu = np.array([law.static_value_after(age, values) for age in ages.tolist()])
        limit = self.normal(name, part) * (mu + self.drawn(name, "static"))
        return np.clip(self.recorded(name), -limit, limit)

    def drawn(self, name: str, which: str) -> Floats | float:
        """The random part of a coefficient."""
        draw = self.internal.get(f"{which}_draw.{name}")
        return 0.0 if draw is None else self.system.local(name)[f"scatter_{which}"] * draw

    def normal(self, name: str, part: Rubbing) -> Floats:
        return self.quantity(name, "normal", part.normal, self.everything())

    def dynamic_friction(self, name: str, part: DynamicContact, sliding: Floats) -> Floats:
        """The force −N·coefficient of a law with a state of its own."""
        law, values = part.friction, self.system.law_values(name)
        state = self.internal[f"{law.state}.{name}"]
        pairs = zip(sliding.tolist(), state.tolist(), strict=True)
        mu = np.array([law.coefficient_value(v, z, values) for v, z in pairs], float)
        force: Floats = -self.normal(name, part) * mu
        return force

    def smooth_friction(self, name: str, part: SmoothContact, sliding: Floats) -> Floats:
        """The force −N·μ·shape of a smoothed contact at its sliding velocities."""
        shape, law, values = SHAPES[part.shape], part.friction, self.system.law_values(name)
        eps = self.system.local(name)["eps"]
        limits = (law.static_value(values), law.kinetic_value(0.0, values))
        mu = [shape.coefficient(v, eps, law.kinetic_value(shape.speed(v), values), *limits) for v in sliding.tolist()]
        force: Floats = -self.normal(name, part) * np.array(mu, float)
        return force

    def everything(self) -> dict[str, Floats]:
        named = {f"x_{n}": x for n, x in self.x.items()} | {f"v_{n}": v for n, v in self.v.items()}
        return {"t": self.time, **named, **self.extra}

    def quantity(self, part: str, attribute: str, value: Any, variables: Mapping[str, Floats]) -> Floats:
        """A number, or a function evaluated at every point."""
        local = self.system.local(part)
        if attribute in self.system.parts[part].numbers(part):
            return np.full(len(self.time), local[attribute])
        needed, parameters = arguments_of(value, f"{attribute} of {part!r}")
        fixed = {name: local[name] for name in parameters}
        columns = [variables[name] for name in needed]
        rows = zip(*columns, strict=True) if columns else [()] * len(self.time)
        return np.array([float(value(**dict(zip(needed, row, strict=True)), **fixed)) for row in rows])

    def position(self, body: Body) -> Floats:
        if isinstance(body, Moving):
            return self.x[body.name]
        if isinstance(body, Base):
            return self.quantity(body.name, "motion", body.motion, {"t": self.time, **self.extra})
        return np.zeros(len(self.time))

    def velocity(self, body: Body) -> Floats:
        if isinstance(body, Moving):
            return self.v[body.name]
        if isinstance(body, Belt):
            return self.quantity(body.name, "speed", body.speed, {"t": self.time, **self.extra})
        if isinstance(body, Base) and body.functions(body.name):
            return self._base_velocity(body)
        return np.zeros(len(self.time))

    def _base_velocity(self, base: Base) -> Floats:
        """The derivative of a prescribed motion, by fourth-order differences of the plain function."""
        h = 1e-3 * float(np.median(self.steps.length))
        values = [self._motion_after(base, k * h) for k in (-2, -1, 1, 2)]
        return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)

    def _motion_after(self, base: Base, delay: float) -> Floats:
        """Where a base is a little after the integration points, the states that move it as in the same step."""
        known = {"t": self.time + delay}
        for name in self.extra:
            series = self.steps.state[:, [self.system.states.index(name)]]
            known[name] = _expanded(series, self.tau + delay)[:, 0]
        return self.quantity(base.name, "motion", base.motion, known)

    def mass_velocity(self, body: Body) -> Floats:
        """The velocity at which a force on this body does work on a mass: zero for what is prescribed."""
        return self.v[body.name] if isinstance(body, Moving) else np.zeros(len(self.time))

    def kinetic_energy_change(self) -> float:
        first = evaluate(self.steps.state[:1], np.zeros(1))[0]
        last = evaluate(self.steps.state[-1:], self.steps.length[-1:])[0]
        n = len(self.system.masses)
        m = np.array([self.system.local(mass.name)[mass.measure] for mass in self.system.masses])
        return float(0.5 * m @ (last[n : 2 * n] ** 2 - first[n : 2 * n] ** 2))


def _weighted(terms: Sequence[tuple[Floats, float]]) -> Floats:
    total: Floats = np.sum([weight * values for values, weight in terms], axis=0)
    return total


def _expanded(series: Floats, tau: Floats) -> Floats:
    return evaluate(np.repeat(series, NODES, axis=0), tau)
