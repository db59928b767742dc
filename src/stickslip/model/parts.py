"""Parts of a mechanical system: bodies, and what acts between them.

Every part is a frozen value. Numbers become parameters named `part.parameter`; a plain function may stand for a
number wherever a `Value` is asked for, and its arguments with defaults become the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from stickslip.errors import ModelError
from stickslip.model.dynamic import DynamicLaw
from stickslip.model.errors import check_name, check_number, shown
from stickslip.model.functions import Function, Value, arguments_of
from stickslip.model.laws import FrictionLaw, FunctionLaw, Law
from stickslip.model.scatter import Scatter
from stickslip.model.shapes import check_static, shape_named

Rules = Mapping[str, str]


def _check_value(what: str, value: Value, rule: str) -> None:
    if callable(value):
        arguments_of(value, what)
    else:
        check_number(what, value, positive=rule == "positive", nonnegative=rule == "nonnegative")


@dataclass(frozen=True, eq=False)
class Part:
    """What every part has in common: a name, and numbers or functions with a rule each."""

    rules: ClassVar[Rules] = {}

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def noun(self) -> str:
        """What the system calls this part when it has no name."""
        return self.kind.lower()

    def check(self, name: str) -> None:
        """Raise a sentence if a number of this part is not allowed."""
        for attribute, rule in self.rules.items():
            value = getattr(self, attribute)
            if value is not None:
                _check_value(f"{self.kind} {name!r}: {attribute}", value, rule)

    def check_parameter(self, name: str, attribute: str, parameter: str, values: Mapping[str, float]) -> None:
        """Raise a sentence if the value of that parameter, a number of this part, is not allowed."""
        _check_value(f"{self.kind} {name!r}: {attribute}", values[parameter], self.rules[attribute])

    def values(self) -> dict[str, Value]:
        """The numbers and functions of this part that enter the equations."""
        return {a: getattr(self, a) for a in self.rules if getattr(self, a) is not None}


@dataclass(frozen=True, eq=False)
class Body(Part):
    """Something with a position and a velocity."""

    name: str

    def __post_init__(self) -> None:
        check_name(f"a {self.kind}", self.name)
        if self.name == "ground" and not isinstance(self, Ground):
            raise ModelError(f"a {self.kind} has the name 'ground': that name belongs to what does not move")
        self.check(self.name)


@dataclass(frozen=True, eq=False)
class Mass(Body):
    """A moving body with one coordinate: a block, a rotor (then `m` is its moment of inertia), a mode.

    Its states are `x.NAME` and `v.NAME`; `x` and `v` here are where it starts. `unit` labels the axes ("m", "rad").

    >>> Mass("block", m=1.0).m
    1.0
    """

    m: Value
    x: float = 0.0
    v: float = 0.0
    unit: str = ""

    rules: ClassVar[Rules] = {"m": "positive"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if callable(self.m):
            raise ModelError(f"Mass {self.name!r}: m is a function; a mass is a positive number")
        if not isinstance(self.unit, str):
            raise ModelError(f"Mass {self.name!r}: unit is {self.unit!r}; it must be a text such as 'm' or 'rad'")
        check_number(f"Mass {self.name!r}: x", self.x)
        check_number(f"Mass {self.name!r}: v", self.v)


@dataclass(frozen=True, eq=False)
class Belt(Body):
    """A surface that moves with a prescribed `speed`: a number or a function of time.

    >>> Belt("belt", speed=0.2).speed
    0.2
    """

    speed: Value = 0.0

    rules: ClassVar[Rules] = {"speed": "any"}


@dataclass(frozen=True, eq=False)
class Base(Body):
    """A body that moves as prescribed: `motion` is its position, a function of time (or a fixed number).

    >>> from math import cos
    >>> Base("shaker", motion=lambda t, u0=0.5, eta=1.0: u0 * cos(eta * t)).name
    'shaker'
    """

    motion: Value = 0.0

    rules: ClassVar[Rules] = {"motion": "any"}


@dataclass(frozen=True, eq=False)
class Ground(Body):
    """What does not move."""

    name: str = "ground"


ground = Ground()
"""The fixed surroundings, for springs, dampers and contacts."""


@dataclass(frozen=True, eq=False)
class Interaction(Part):
    """Something that acts on bodies. `name` may stay empty: the system then names it by its kind."""

    def bodies(self) -> tuple[Body, ...]:
        raise NotImplementedError

    def internal_states(self) -> tuple[str, ...]:
        """States of its own that this part adds to the system."""
        return ()

    def internal_start(self) -> dict[str, float]:
        """Where these states start."""
        return dict.fromkeys(self.internal_states(), 0.0)


@dataclass(frozen=True, eq=False)
class Spring(Interaction):
    """A spring between two bodies: stiffness `k`, or `force`, a function of the extension `e` = x_a − x_b.

    A positive force pulls the bodies together.

    >>> Spring(Mass("block", 1.0), ground, k=2.0).k
    2.0
    """

    a: Body
    b: Body
    k: float | None = None
    force: Function | None = None
    name: str = ""

    rules: ClassVar[Rules] = {"k": "nonnegative", "force": "any"}

    def __post_init__(self) -> None:
        _check_pair(self, "k")
        for body in self.bodies():
            if isinstance(body, Belt):
                raise ModelError(
                    f"Spring between {self.a.name!r} and {self.b.name!r}: a Belt has a speed but no position; "
                    "attach the spring to a Base with a motion"
                )

    def bodies(self) -> tuple[Body, ...]:
        return (self.a, self.b)


@dataclass(frozen=True, eq=False)
class Damper(Interaction):
    """A damper between two bodies: coefficient `c`, or `force`, a function of the rate `e` = v_a − v_b.

    >>> Damper(Mass("block", 1.0), ground, c=0.1).c
    0.1
    """

    a: Body
    b: Body
    c: float | None = None
    force: Function | None = None
    name: str = ""

    rules: ClassVar[Rules] = {"c": "nonnegative", "force": "any"}

    def __post_init__(self) -> None:
        _check_pair(self, "c")

    def bodies(self) -> tuple[Body, ...]:
        return (self.a, self.b)


def _check_pair(part: Spring | Damper, number: str) -> None:
    where = f"{part.kind} {part.name!r}" if part.name else f"a {part.kind}"
    for body in part.bodies():
        if not isinstance(body, Body):
            raise ModelError(f"{where} is attached to {shown(body)}: it needs two bodies (Mass, Base, ground)")
    if not any(isinstance(body, Mass) for body in part.bodies()):
        raise ModelError(f"{where} is attached to no Mass: at least one of its ends must be a Mass")
    if part.a is part.b:
        raise ModelError(f"{where} has both ends at {part.a.name!r}: attach it to two different bodies")
    if (getattr(part, number) is None) == (part.force is None):
        raise ModelError(f"{where} needs either {number}, a number, or force, a function; not both")
    part.check(part.name or part.kind.lower())


@dataclass(frozen=True, eq=False)
class Force(Interaction):
    """A force on a mass: a number, or a function of time `t`, own state `x`, `v`, and any state as `x_NAME`, `v_NAME`.

    >>> from math import cos
    >>> push = Force(Mass("block", 1.0), lambda t, amplitude=0.5, eta=1.0: amplitude * cos(eta * t))
    """

    on: Mass
    force: Value = 0.0
    name: str = ""

    rules: ClassVar[Rules] = {"force": "any"}

    def __post_init__(self) -> None:
        if not isinstance(self.on, Mass):
            raise ModelError(f"a Force acts on {shown(self.on)}: it must act on a Mass")
        self.check(self.name or "force")

    def bodies(self) -> tuple[Body, ...]:
        return (self.on,)


@dataclass(frozen=True, eq=False)
class Rubbing(Interaction):
    """What all contacts have in common: what slides on what, the law, the normal force."""

    on: Mass | Mapping[Mass, float]
    against: Body
    law: Law | Function
    normal: Value = 1.0
    name: str = ""

    rules: ClassVar[Rules] = {"normal": "positive"}

    def __post_init__(self) -> None:
        where = f"{self.kind} {self.name!r}" if self.name else f"a {self.kind}"
        weights = self.on if isinstance(self.on, Mapping) else {self.on: 1.0} if isinstance(self.on, Mass) else {}
        if not weights or not all(isinstance(mass, Mass) for mass in weights):
            raise ModelError(f"{where} acts on {shown(self.on)}: it must act on a Mass, or map masses to weights")
        for mass, weight in weights.items():
            if check_number(f"{where}: weight of {mass.name!r}", weight) == 0:
                raise ModelError(f"{where}: the weight of {mass.name!r} is 0; leave that mass out")
        if not isinstance(self.against, Body):
            raise ModelError(f"{where} slides on {shown(self.against)}: it needs a Mass, Belt, Base or ground")
        if self.against in weights:
            raise ModelError(f"{where} slides {self.against.name!r} on itself: name two different bodies")
        object.__setattr__(self, "law", self.law_from(self.law, where))
        object.__setattr__(self, "on", tuple(weights.items()))
        self.check(self.name or self.kind.lower())

    def law_from(self, law: object, where: str) -> Law:
        """The law of what was given for it; a sentence where it is none that this contact can have."""
        if isinstance(law, FrictionLaw):
            return law
        if isinstance(law, DynamicLaw):
            raise ModelError(
                f"{where} has the law {type(law).__name__}, which has a state of its own: give it to a DynamicContact"
            )
        if not callable(law):
            raise ModelError(f"{where} has the law {shown(law)}: give a friction law or a function of v")
        return FunctionLaw(law)

    @property
    def weights(self) -> tuple[tuple[Mass, float], ...]:
        """The masses this contact acts on, with their weights."""
        return self.on  # type: ignore[return-value]

    @property
    def friction(self) -> Law:
        """The friction law, whatever it was made from."""
        return self.law  # type: ignore[return-value]

    def bodies(self) -> tuple[Body, ...]:
        return (*(mass for mass, _ in self.weights), self.against)

    def check_law(self, values: Mapping[str, float], name: str) -> None:
        """Raise a sentence if these values of the law's parameters are not allowed."""
        self.friction.check(values, name)

    def check_values(self, values: Mapping[str, float], name: str) -> None:
        """Raise a sentence if the values of the contact's own parameters do not fit each other."""


@dataclass(frozen=True, eq=False)
class Contact(Rubbing):
    """Dry friction between a mass and what it slides on.

    Sliding velocity: v = v_on − v_against, or Σ weight·v_mass − v_against when `on` maps masses to weights.
    `law` is a friction law or a plain function of the slip speed; `normal` is the normal force, a positive number or
    a function of time and state.

    >>> block, belt = Mass("block", 1.0), Belt("belt", speed=0.2)
    >>> contact = Contact(block, belt, law=lambda v, mu=0.3: mu, normal=10.0)

    `scatter` adds a random part to the coefficients, drawn once per phase: see `Scatter`.
    """

    scatter: Scatter | None = field(default=None, kw_only=True)

    rules: ClassVar[Rules] = {
        "normal": "positive",
        "scatter_static": "nonnegative",
        "scatter_kinetic": "nonnegative",
        "correlation_time": "positive",
    }

    def __post_init__(self) -> None:
        if self.scatter is not None and not isinstance(self.scatter, Scatter):
            raise ModelError(f"a {self.kind} has the scatter {shown(self.scatter)}: give Scatter(static=…, kinetic=…)")
        super().__post_init__()

    @property
    def scatter_static(self) -> float | None:
        """The size of the random part of the static coefficient."""
        return self.scatter.amplitude("static") if self.scatter else None

    @property
    def scatter_kinetic(self) -> float | None:
        """The size of the random part of the kinetic coefficient."""
        return self.scatter.amplitude("kinetic") if self.scatter else None

    @property
    def correlation_time(self) -> float | None:
        """How long the random parts of successive phases remember each other."""
        return self.scatter.correlation_time if self.scatter else None

    @property
    def friction(self) -> FrictionLaw:
        return self.law  # type: ignore[return-value]

    def internal_states(self) -> tuple[str, ...]:
        random = self.scatter.internal_states() if self.scatter else ()
        return (*random, *self.friction.internal_states)


@dataclass(frozen=True, eq=False)
class CompliantContact(Contact):
    """Dry friction through an elastic asperity: hinrichs1998, Eqs. (8)–(11).

    A massless asperity sticks to the counter-surface or slips on it; a spring of `stiffness` and a damper of `damping`
    join it to the mass. States: `deflection.NAME`, by how far the asperity is ahead of the mass, and `slip_speed.NAME`,
    its speed on the counter-surface. Without damper it is the Jenkins element; several in parallel make an Iwan model.

    >>> from stickslip.model.laws import Coulomb
    >>> block, belt = Mass("block", 6.08), Belt("belt", speed=0.0025)
    >>> contact = CompliantContact(block, belt, law=Coulomb(0.4, 0.25), normal=25.0, stiffness=150e3, damping=150.0)
    >>> contact.internal_states()
    ('deflection', 'slip_speed')
    """

    stiffness: float = field(kw_only=True)
    damping: float | None = field(default=None, kw_only=True)

    rules: ClassVar[Rules] = {**Contact.rules, "stiffness": "positive", "damping": "positive"}

    @property
    def noun(self) -> str:
        return "contact"

    def internal_states(self) -> tuple[str, ...]:
        own = ("deflection",) if self.damping is None else ("deflection", "slip_speed")
        return (*own, *super().internal_states())

    def check_law(self, values: Mapping[str, float], name: str) -> None:
        super().check_law(values, name)
        law = self.friction
        limits = {law.static_value(values, name), *(law.kinetic_value(v, values, name) for v in (0.0, 0.5, 2.0))}
        if self.damping is None and (max(limits) - min(limits) > 1e-12 * max(limits) or law.internal_states):
            raise ModelError(
                f"CompliantContact {name!r}: without damping the asperity has one limit for stick and slip, but its "
                f"law gives coefficients from {min(limits):g} to {max(limits):g}; use Coulomb(mu), or give a damping"
            )


@dataclass(frozen=True, eq=False)
class SmoothContact(Rubbing):
    """A contact whose friction passes through zero steeply instead of jumping: it creeps where a `Contact` sticks.

    `eps` is the steepness, 1/(speed within which the friction is built up); `shape` is one of "arctan", "tanh",
    "quartic", "quartic_one_sided" (see `stickslip.model.shapes`). `System.smoothed` makes these from contacts.

    >>> block, belt = Mass("block", 1.0), Belt("belt", speed=0.2)
    >>> SmoothContact(block, belt, law=lambda v, mu=0.3: mu, eps=1e4).shape
    'arctan'
    """

    eps: float = field(kw_only=True)
    shape: str = field(default="arctan", kw_only=True)

    rules: ClassVar[Rules] = {"normal": "positive", "eps": "positive"}

    @property
    def friction(self) -> FrictionLaw:
        return self.law  # type: ignore[return-value]

    def __post_init__(self) -> None:
        what = f"SmoothContact {self.name!r}" if self.name else "a SmoothContact"
        shape_named(self.shape, what)
        check_number(f"{what}: eps", self.eps, positive=True)
        super().__post_init__()

    def check_law(self, values: Mapping[str, float], name: str) -> None:
        super().check_law(values, name)
        law = self.friction
        check_static(self.shape, law.static_value(values, name), law.kinetic_value(0.0, values, name), name)


@dataclass(frozen=True, eq=False)
class DynamicContact(Rubbing):
    """A contact whose law has a state of its own: bristles, or contacts that age (see `stickslip.model.dynamic`).

    Its state is `bristle.NAME` or `state.NAME`. It has no stick, hence no events: where a `Contact` sticks it creeps.

    >>> from stickslip.model.dynamic import LuGre
    >>> block, belt = Mass("block", 1.0), Belt("belt", speed=0.2)
    >>> law = LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=1e4, sigma_1=100.0)
    >>> DynamicContact(block, belt, law=law, normal=1.0).internal_states()
    ('bristle',)
    """

    @property
    def noun(self) -> str:
        return "contact"

    @property
    def friction(self) -> DynamicLaw:
        return self.law  # type: ignore[return-value]

    def law_from(self, law: object, where: str) -> Law:
        if isinstance(law, DynamicLaw):
            return law
        if isinstance(law, FrictionLaw) or callable(law):
            raise ModelError(
                f"{where} has a law of the slip speed alone: give that to a Contact, and a law with a state of its own "
                "here (LuGre, DieterichRuina, StateLaw, …)"
            )
        raise ModelError(f"{where} has the law {shown(law)}: give a law with a state of its own, such as LuGre")

    def internal_states(self) -> tuple[str, ...]:
        return (self.friction.state,)

    def internal_start(self) -> dict[str, float]:
        return {self.friction.state: self.friction.start(self.friction.parameters())}
