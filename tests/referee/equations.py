"""What acts in a system, evaluated from its parts on plain numbers.

States are positions and velocities of the masses. A contact with the weights w slides at v = Σ w·v_mass − u(t), where
u is how fast the surface moves; its friction λ pushes each mass by w·λ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import PchipInterpolator
from tests.referee.formulas import arguments_of, bound, bound_kinks
from tests.referee.instants import Instant

from stickslip.model import classic_laws, laws
from stickslip.model.parts import (
    Base,
    Belt,
    Body,
    Contact,
    Damper,
    Drive,
    DynamicContact,
    Interaction,
    Link,
    Moving,
)
from stickslip.model.system import System

Term = Callable[[Any, list[float], list[float], list[float]], None]
"""Adds the force of one part on every mass: of time, positions, velocities, to the last."""

SINGULAR = 1e-11
"""Sticking forces are not unique where a singular value of their matrix is so small beside the largest."""


@dataclass(slots=True)
class Point:
    """The equations at one state: rates of the states, and per contact what decides about it."""

    rates: list[float]
    sliding: list[float]
    friction: list[float]
    kinetic: list[float]
    static: list[float]
    normal: list[float]


@dataclass(slots=True)
class Rubbing:
    """One contact: weights by mass, the surface's velocity and acceleration, the load, the law."""

    name: str
    weights: list[tuple[int, float]]
    speed: Callable[[Any], float]
    surface_acceleration: Callable[[Any], float]
    normal: Callable[[Any, list[float], list[float]], float]
    kinetic: Callable[[float], float]
    static: Callable[[float], float]
    """Of how long the contact has been sticking."""

    age: int | None
    """Where that time is among the states."""

    kinks: list[Callable[[float], float]]
    """Zero at the speeds where the law has a kink."""


@dataclass(slots=True)
class Bristle:
    """A contact whose law has a state of its own, and no stick."""

    state: int
    weights: list[tuple[int, float]]
    speed: Callable[[Any], float]
    normal: Callable[[Any, list[float], list[float]], float]
    rate: Callable[[float, float], float]
    coefficient: Callable[[float, float], float]


class Redundant(Exception):
    """Sticking forces that are not unique."""


class Equations(Protocol):
    """What the referee asks of equations of motion."""

    states: int
    time_scale: float
    speed_scale: float
    length_scale: float
    longest_step: float

    @property
    def contacts(self) -> Sequence[Any]: ...

    @property
    def state_scales(self) -> list[float]: ...

    @property
    def friction_scales(self) -> list[float]: ...

    def at(self, elapsed: float, state: Sequence[float], modes: Sequence[int]) -> Point: ...

    def kink_values(
        self, elapsed: float, state: Sequence[float], point: Point, modes: Sequence[int]
    ) -> list[float]: ...

    def slip_acceleration(
        self, i: int, elapsed: float, state: Sequence[float], point: Point
    ) -> tuple[float, float]: ...

    def at_rest(self, elapsed: float, state: Sequence[float], resting: tuple[int, ...]) -> list[float]: ...

    def renewed(self, state: Sequence[float], arriving: Sequence[int]) -> list[float]: ...


class Mechanics:
    """The equations of a System at its present parameter values, for a motion that begins at `origin`.

    `length` and `time` are how far and how fast things typically move: what is small is small beside them.
    """

    def __init__(self, system: System, origin: float = 0.0, length: float = 1.0, time: float = 1.0) -> None:
        self.system, self.origin = system, origin
        self.length_scale, self.time_scale, self.speed_scale = length, time, length / time
        self.index = {mass.name: i for i, mass in enumerate(system.masses)}
        if system.extra_states:
            raise ValueError(f"the referee does not know states of their own: {', '.join(system.extra_states)}")
        self.mass = [system.local(mass.name)[mass.measure] for mass in system.masses]
        self.n = len(self.mass)
        self.internal = {name: 2 * self.n + i for i, name in enumerate(system.internal_states)}
        self.states = 2 * self.n + len(self.internal)
        self.terms: list[Term] = []
        self.contacts: list[Rubbing] = []
        self.bristles: list[Bristle] = []
        self.kinks: list[Callable[[Any, list[float], list[float]], float]] = []
        for name, part in system.interactions.items():
            if type(part) is Contact:
                self.contacts.append(self._rubbing(name, part))
            elif isinstance(part, DynamicContact):
                self.bristles.append(self._bristle(name, part))
            else:
                self.terms.append(self._term(name, part))
        rows = np.zeros((len(self.contacts), self.n))
        for i, contact in enumerate(self.contacts):
            for j, weight in contact.weights:
                rows[i, j] += weight
        self.rows = rows
        self.delassus = rows / np.array(self.mass) @ rows.T
        self._inverse: dict[tuple[int, ...], list[list[float]]] = {}
        # Bristles relax fast: where the steps of an explicit method are at the limit of stability they are inaccurate.
        self.longest_step = (0.02 if self.bristles else 0.5) * time

    @property
    def state_scales(self) -> list[float]:
        """How large states typically are."""
        inner = [self.time_scale if name.startswith("stick_time") else self.length_scale for name in self.internal]
        return [self.length_scale] * self.n + [self.speed_scale] * self.n + inner

    @property
    def friction_scales(self) -> list[float]:
        """How large the friction of each contact typically is: what accelerates its masses."""
        typical = self.length_scale / self.time_scale**2
        return [typical * max(self.mass[j] / abs(w) for j, w in c.weights) for c in self.contacts]

    def moment(self, elapsed: float) -> Any:
        """The full time, with all its digits."""
        return elapsed if self.origin == 0 else Instant(self.origin, elapsed)

    def at(self, elapsed: float, state: Sequence[float], modes: Sequence[int]) -> Point:
        """Everything at one state, in given modes (0 stick, ±1 slip)."""
        t = self.moment(elapsed)
        x, v = list(state[: self.n]), list(state[self.n : 2 * self.n])
        force = [0.0] * self.n
        for term in self.terms:
            term(t, x, v, force)
        inner = [0.0] * len(self.internal)
        for bristle in self.bristles:
            inner[bristle.state - 2 * self.n] = self._bend(bristle, t, x, v, state[bristle.state], force)
        point = Point([], [], [], [], [], [])
        for contact, mode in zip(self.contacts, modes, strict=True):
            sliding = sum([w * v[j] for j, w in contact.weights]) - contact.speed(t)
            normal = contact.normal(t, x, v)
            kinetic = normal * contact.kinetic(mode * sliding if mode else 0.0)
            friction = -mode * kinetic
            point.sliding.append(sliding)
            point.normal.append(normal)
            point.kinetic.append(kinetic)
            if contact.age is not None:
                inner[contact.age - 2 * self.n] = 0.0 if mode else 1.0
            point.static.append(normal * contact.static(0.0 if contact.age is None else state[contact.age]))
            point.friction.append(friction)
            for j, w in contact.weights if mode else ():
                force[j] += w * friction
        sticking = tuple([i for i, mode in enumerate(modes) if mode == 0])
        if sticking:
            self._hold(point, sticking, t, force)
        point.rates = [*v, *[f / m for f, m in zip(force, self.mass, strict=True)], *inner]
        return point

    def _bend(self, bristle: Bristle, t: Any, x: list[float], v: list[float], z: float, force: list[float]) -> float:
        """Add the friction of a contact whose law has a state; returns the rate of that."""
        sliding = sum([w * v[j] for j, w in bristle.weights]) - bristle.speed(t)
        friction = -bristle.normal(t, x, v) * bristle.coefficient(sliding, z)
        for j, w in bristle.weights:
            force[j] += w * friction
        return bristle.rate(sliding, z)

    def kink_values(self, elapsed: float, state: Sequence[float], point: Point, modes: Sequence[int]) -> list[float]:
        """What is zero where a force or a law has a kink: the solver must not step across."""
        t = self.moment(elapsed)
        x, v = list(state[: self.n]), list(state[self.n : 2 * self.n])
        values = [float(kink(t, x, v)) for kink in self.kinks]
        for bristle in self.bristles:  # |v| is in all these laws
            values.append(sum([w * v[j] for j, w in bristle.weights]) - bristle.speed(t))
        for contact, mode, sliding in zip(self.contacts, modes, point.sliding, strict=True):
            values += [kink(mode * sliding) if mode else 1.0 for kink in contact.kinks]
        return values

    def slip_acceleration(self, i: int, elapsed: float, state: Sequence[float], point: Point) -> tuple[float, float]:
        """How fast the sliding velocity of contact i changes, and the size of the terms that make that up."""
        contact = self.contacts[i]
        surface = contact.surface_acceleration(self.moment(elapsed))
        terms = [w * point.rates[self.n + j] for j, w in contact.weights]
        forces = map(max, map(abs, point.friction), point.static)
        coupled = [abs(d) * f for d, f in zip(self.delassus[i].tolist(), forces, strict=True)]
        return sum(terms) - surface, sum(map(abs, terms)) + abs(surface) + sum(coupled)

    def _hold(self, point: Point, sticking: tuple[int, ...], t: Any, force: list[float]) -> None:
        """Add the friction that keeps sticking contacts at rest: a + Dλ = 0."""
        free = {}
        for i in sticking:
            contact = self.contacts[i]
            pulled = sum([w * force[j] / self.mass[j] for j, w in contact.weights])
            free[i] = pulled - contact.surface_acceleration(t)
        for i, row in zip(sticking, self.inverse(sticking), strict=True):
            point.friction[i] = -sum([d * free[j] for d, j in zip(row, sticking, strict=True)])
        for i in sticking:
            for j, w in self.contacts[i].weights:
                force[j] += w * point.friction[i]

    def inverse(self, sticking: tuple[int, ...]) -> list[list[float]]:
        """The inverse of the Delassus matrix of these contacts."""
        if sticking not in self._inverse:
            matrix = self.delassus[np.ix_(sticking, sticking)]
            scale = 1 / np.sqrt(np.diag(matrix))
            scaled = scale[:, None] * matrix * scale
            values = np.linalg.svd(scaled, compute_uv=False)
            if values[-1] < SINGULAR * values[0]:
                raise Redundant(", ".join(self.contacts[i].name for i in sticking))
            self._inverse[sticking] = (scale[:, None] * np.linalg.inv(scaled) * scale).tolist()
        return self._inverse[sticking]

    def at_rest(self, elapsed: float, state: Sequence[float], resting: tuple[int, ...]) -> list[float]:
        """The state after the smallest impulse of the resting contacts that brings each of them to rest exactly."""
        t = self.moment(elapsed)
        v = list(state[self.n : 2 * self.n])
        sliding = [sum([w * v[j] for j, w in self.contacts[i].weights]) - self.contacts[i].speed(t) for i in resting]
        try:
            impulse = [-sum([d * s for d, s in zip(row, sliding, strict=True)]) for row in self.inverse(resting)]
        except Redundant:
            matrix = self.delassus[np.ix_(resting, resting)]
            impulse = (-np.linalg.lstsq(matrix, np.array(sliding), rcond=SINGULAR)[0]).tolist()
        for i, size in zip(resting, impulse, strict=True):
            for j, w in self.contacts[i].weights:
                v[j] += w * size / self.mass[j]
        return [*state[: self.n], *v, *state[2 * self.n :]]

    def renewed(self, state: Sequence[float], arriving: Sequence[int]) -> list[float]:
        """The state where contacts that come to rest begin to count how long they stick."""
        after = list(state)
        for i in arriving:
            age = self.contacts[i].age
            if age is not None:
                after[age] = 0.0
        return after

    def _term(self, name: str, part: Interaction) -> Term:
        values = self.system.local(name)
        match part:
            case Link():
                return self._pair(part, values)
            case Drive():
                own = [(self.index[mass.name], weight) for mass, weight in part.weights]
                value = self._value(part.strength, part.attribute, values, own)

                def push(t: Any, x: list[float], v: list[float], force: list[float]) -> None:
                    strength = value(t, x, v)
                    for index, weight in own:
                        force[index] += weight * strength

                return push
        raise ValueError(f"the referee does not know the part {name!r}, a {part.kind}")

    def _pair(self, part: Link, values: dict[str, float]) -> Term:
        rate = isinstance(part, Damper)
        masses = [(self.index[body.name], weight) for body, weight in part.ends if isinstance(body, Moving)]
        moved = [(self._place(body, rate), weight) for body, weight in part.ends if isinstance(body, Base | Belt)]

        def stretch(t: Any, x: list[float], v: list[float]) -> float:
            where = v if rate else x
            total: Any = sum([weight * where[i] for i, weight in masses])
            for place, weight in moved:
                total = total - place(t) if weight == -1 else total + weight * place(t)
            return float(total)

        if part.force is not None:
            tension = bound(part.force, values)
            for kink in bound_kinks(part.force, values):
                self.kinks.append(lambda t, x, v, kink=kink: kink(stretch(t, x, v)))  # type: ignore[misc]
        else:
            factor = values["c" if rate else "k"]

            def tension(e: Any) -> Any:
                return factor * e

        def pull(t: Any, x: list[float], v: list[float], force: list[float]) -> None:
            size = float(tension(stretch(t, x, v)))
            for i, weight in masses:
                force[i] -= weight * size

        return pull

    def _place(self, body: Body, rate: bool) -> Callable[[Any], Any]:
        """Where a body that is no mass is, or how fast it moves."""
        if isinstance(body, Base) and callable(body.motion):
            return bound(body.motion, self.system.local(body.name), differentiate=int(rate))
        if isinstance(body, Base):
            position = self.system.local(body.name)["motion"]
            return lambda t: 0.0 if rate else position
        if isinstance(body, Belt):
            return self._surface(body)[0]
        return lambda t: 0.0

    def _surface(self, body: Body) -> tuple[Callable[[Any], float], Callable[[Any], float]]:
        """Velocity and acceleration of what a contact slides on, where that is no mass."""
        if not isinstance(body, Belt | Base):
            return lambda t: 0.0, lambda t: 0.0
        values = self.system.local(body.name)
        if isinstance(body, Belt) and callable(body.speed):
            return _floats(bound(body.speed, values)), _floats(bound(body.speed, values, differentiate=1))
        if isinstance(body, Base) and callable(body.motion):
            return (
                _floats(bound(body.motion, values, differentiate=1)),
                _floats(bound(body.motion, values, differentiate=2)),
            )
        speed = values["speed"] if isinstance(body, Belt) else 0.0
        return lambda t: speed, lambda t: 0.0

    def _rubbing(self, name: str, part: Contact) -> Rubbing:
        values = self.system.local(name)
        weights = [(self.index[mass.name], weight) for mass, weight in part.weights]
        if isinstance(part.against, Moving):
            weights.append((self.index[part.against.name], -1.0))
        speed, acceleration = self._surface(part.against)
        law_values = self.system.law_values(name)
        normal = self._value(part.normal, "normal", values, [])
        kinetic, static = friction_of(part.friction, law_values)
        age = self.internal.get(f"stick_time.{name}")
        kinks = kinks_of(part.friction, law_values)
        return Rubbing(name, weights, speed, acceleration, normal, kinetic, static, age, kinks)

    def _bristle(self, name: str, part: DynamicContact) -> Bristle:
        weights = [(self.index[mass.name], weight) for mass, weight in part.weights]
        if isinstance(part.against, Moving):
            weights.append((self.index[part.against.name], -1.0))
        rate, coefficient = (
            partial(function, **self.system.law_values(name)) for function in part.friction.functions()
        )
        normal = self._value(part.normal, "normal", self.system.local(name), [])
        state = self.internal[f"{part.friction.state}.{name}"]
        return Bristle(state, weights, self._surface(part.against)[0], normal, rate, coefficient)

    def _value(
        self, value: Any, attribute: str, values: dict[str, float], own: list[tuple[int, float]]
    ) -> Callable[[Any, list[float], list[float]], float]:
        """A number, or a function of time and states, as a function of (t, x, v)."""
        if not callable(value):
            number = values[attribute]
            return lambda t, x, v: number
        names = arguments_of(value)[0]
        places = [self._reader(name, own) for name in names]
        for kink in bound_kinks(value, values):
            self.kinks.append(lambda t, x, v, kink=kink: kink(*[place(t, x, v) for place in places]))  # type: ignore[misc]
        function = bound(value, values)
        if names == ("t",):
            return lambda t, x, v: float(function(t))
        return lambda t, x, v: float(function(*[place(t, x, v) for place in places]))

    def _reader(self, name: str, own: list[tuple[int, float]]) -> Callable[[Any, list[float], list[float]], Any]:
        if name == "t":
            return lambda t, x, v: t
        kind, _, mass = name.partition("_")
        terms = [(self.index[mass], 1.0)] if mass else own
        if kind == "x":
            return lambda t, x, v: sum([weight * x[i] for i, weight in terms])
        return lambda t, x, v: sum([weight * v[i] for i, weight in terms])


def _floats(function: Callable[..., Any]) -> Callable[[Any], float]:
    return lambda t: float(function(t))


def friction_of(
    law: laws.FrictionLaw, p: dict[str, float]
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Kinetic coefficient as a function of speed, the static one of the time in stick: as the books have them."""
    if isinstance(law, laws.WithAging):
        inner, outer = law.split(p)
        kinetic, fresh = friction_of(law.law, inner)
        growth = bound(law.growth, outer)
        return kinetic, lambda age: fresh(age) * growth(age)
    if isinstance(law, laws.WithViscous):
        dry, static = friction_of(law.law, p)
        viscous = p["viscous"]
        return lambda v: dry(v) + viscous * v, static
    kinetic, limit = _plain_friction(law, p)
    return kinetic, lambda age: limit


def _plain_friction(law: laws.FrictionLaw, p: dict[str, float]) -> tuple[Callable[[float], float], float]:
    match law:
        case classic_laws.Coulomb():
            kinetic = p.get("mu_k", p["mu_s"])
            return lambda v: kinetic, p["mu_s"]
        case classic_laws.Hyperbolic():
            return lambda v: p["mu_s"] / (1 + p["delta"] * v), p["mu_s"]
        case classic_laws.Stribeck():
            return _stribeck(law, p), p["mu_s"]
        case classic_laws.PoppStelter():
            falls = p["mu_0"] - p["mu_1"]
            return lambda v: falls / (1 + p["lambda_1"] * v) + p["mu_1"] + p["lambda_2"] * v * v, p["mu_0"]
        case laws.Polynomial():
            powers = [p[f"c{i}"] for i in range(len(law.coefficients))]
            return lambda v: sum([c * v**i for i, c in enumerate(powers)]), p.get("mu_s", powers[0])
        case laws.Tabulated():
            return _table(law), p.get("mu_s", law.values[0])
        case laws.FunctionLaw():
            function = bound(law.function, p)
            return function, p.get("static", function(0.0))
    raise ValueError(f"the referee does not know the law {law!r}")


def kinks_of(law: laws.FrictionLaw, p: dict[str, float]) -> list[Callable[[float], float]]:
    """Functions of the speed that are zero at kinks of a law."""
    match law:
        case laws.WithViscous() | laws.WithAging():
            return kinks_of(law.law, p)
        case laws.Tabulated():
            return [lambda v, knot=knot: v - knot for knot in law.speeds[1:]]  # type: ignore[misc]
        case laws.FunctionLaw():
            return bound_kinks(law.function, p)
    return []


def _stribeck(law: classic_laws.Stribeck, p: dict[str, float]) -> Callable[[float], float]:
    low, falls, speed = p["mu_k"], p["mu_s"] - p["mu_k"], p["v_s"]
    shape = p.get("shape", law.shape)
    if float(shape).is_integer():
        power = int(shape)
        return lambda v: low + falls * math.exp(-((v / speed) ** power))
    # The library takes broken powers a little beside rest, where they have derivatives; the law says by how much.
    return lambda v: low + falls * math.exp(-((max(v / speed, 0.0) + laws.SPEED_FLOOR) ** shape))


def _table(law: laws.Tabulated) -> Callable[[float], float]:
    curve = PchipInterpolator(law.speeds, law.values)
    knots, cubics = list(law.speeds), [[float(c) for c in column] for column in curve.c.T]
    last = law.values[-1]

    def coefficient(v: float) -> float:
        if v >= knots[-1]:
            return last
        i = 0  # below zero the first piece goes on, as it does for the library's steps beyond a stop
        while v >= knots[i + 1]:
            i += 1
        w, (a, b, c, d) = v - knots[i], cubics[i]
        return d + w * (c + w * (b + w * a))

    return coefficient
