"""Parts of a mechanical system: bodies, and what acts between them.

Every part is a frozen value. Numbers become parameters named `part.parameter`; a `Parameter` that several parts share,
or a plain function, may stand for any number. The arguments of a function with defaults become the parameters. Those
without are what it depends on: time and state, where the part says so, else other numbers of the same part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from stickslip.errors import ModelError
from stickslip.model.behaviour import Behaviour, Seen
from stickslip.model.dynamic import DynamicLaw
from stickslip.model.errors import check_name, check_number, check_state_name, check_string, shown
from stickslip.model.functions import Function, Value, arguments_of
from stickslip.model.laws import FrictionLaw, FunctionLaw, Law
from stickslip.model.listing import Listing
from stickslip.model.parameter import Parameter
from stickslip.model.scatter import Scatter
from stickslip.model.shapes import check_static, shape_named
from stickslip.model.terms import Term, numbers
from stickslip.model.units import DAMPING, FORCE, LENGTH, MASS, PER_SPEED, SPEED, STIFFNESS, TIME, Dimension

Rules = Mapping[str, str]


def _check_value(what: str, value: object, rule: str) -> None:
    check_number(what, value, positive=rule == "positive", nonnegative=rule == "nonnegative")


@dataclass(frozen=True, eq=False)
class Part(metaclass=Listing):
    """What every part has in common: a name, and numbers or functions with a rule each."""

    _listed: ClassVar[tuple[str, ...]] = ("kind",)
    rules: ClassVar[Rules] = {}
    dimensions: ClassVar[Mapping[str, Dimension]] = {}
    varying: ClassVar[frozenset[str]] = frozenset()
    """Numbers that may be functions of time and state."""

    @property
    def kind(self) -> str:
        """What kind of part this is: the name of its class."""
        return type(self).__name__

    @property
    def noun(self) -> str:
        """What the system calls this part when it has no name."""
        return self.kind.lower()

    def check(self, name: str) -> None:
        """Raise a sentence if a number of this part is not allowed."""
        what = f"{self.kind} {name!r}"
        for own in fields(self):
            if own.name in self.rules and own.default is not None and getattr(self, own.name) is None:
                _check_value(f"{what}: {own.name}", None, self.rules[own.name])
        for attribute, value in numbers(self.numbers(what), what).items():
            _check_value(f"{what}: {attribute}", value, self.rules[attribute])

    def check_term(self, name: str, attribute: str, term: Term, values: Mapping[str, float]) -> None:
        """Raise a sentence if that number of this part is not allowed for these values of the parameters."""
        _check_value(f"{self.kind} {name!r}: {attribute}", term.value(values), self.rules[attribute])

    def values(self) -> dict[str, Value]:
        """The numbers and functions of this part that enter the equations."""
        return {a: getattr(self, a) for a in self.rules if getattr(self, a) is not None}

    def functions(self, what: str) -> dict[str, Function]:
        """Those of them that are functions of time and state."""
        found = {a: value for a, value in self.values().items() if a in self.varying and callable(value)}
        return {a: value for a, value in found.items() if not _is_constant(value, f"{what}: {a}")}

    def numbers(self, what: str) -> dict[str, Value]:
        """The others: numbers, whatever they follow from."""
        functions = self.functions(what)
        return {a: value for a, value in self.values().items() if a not in functions}


def _is_constant(value: Function, what: str) -> bool:
    return isinstance(value, Parameter) or not arguments_of(value, what)[0]


@dataclass(frozen=True, eq=False)
class Body(Part):
    """Something with a position and a velocity."""

    name: str

    def __post_init__(self) -> None:
        check_name(f"a {self.kind}", self.name)
        if self.name == "ground" and not isinstance(self, Ground):
            raise ModelError(f"a {self.kind} has the name 'ground': that name belongs to what does not move")
        self.check(self.name)


class Moving(Body):
    """A body with one coordinate, whose states are `x.NAME` and `v.NAME`: a `Mass` or a `Rotor`."""

    measure: ClassVar[str]
    """The name of its number that resists acceleration."""

    quantities: ClassVar[tuple[str, str]] = ("position", "velocity")
    """What its two states are."""

    x: float
    v: float
    unit: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.unit, str):
            raise ModelError(
                f"{self.kind} {self.name!r}: unit is {shown(self.unit)}; it must be a text such as 'm' or 'rad'"
            )
        check_number(f"{self.kind} {self.name!r}: x", self.x)
        check_number(f"{self.kind} {self.name!r}: v", self.v)


@dataclass(frozen=True, eq=False)
class Mass(Moving):
    """A moving body with one coordinate: a block, a slide, a mode of vibration. What turns is a `Rotor`.

    Its states are `x.NAME`, its position, and `v.NAME`, its velocity.

    Parameters
    ----------
    name : str
        A letter followed by letters, digits or underscores.
    m : float
        The mass, the parameter `NAME.m`; positive.
    x : float, default 0.0
        The position where it starts, in `unit`.
    v : float, default 0.0
        The velocity where it starts, in `unit` per time.
    unit : str, default ""
        The unit of its position, such as "m", for the axes of pictures.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    Rotor : a body that turns.
    System : parts put together.

    Examples
    --------
    >>> Mass("block", m=1.0).m
    1.0
    """

    m: Value
    x: float = 0.0
    v: float = 0.0
    unit: str = ""

    rules: ClassVar[Rules] = {"m": "positive"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"m": MASS}
    measure: ClassVar[str] = "m"


@dataclass(frozen=True, eq=False)
class Rotor(Moving):
    """A body that turns: a disk, a drill bit, a shaft.

    It stands wherever a `Mass` can. Its states are `x.NAME`, its angle, and `v.NAME`, its angular velocity. Springs,
    dampers and contacts act on it by torques, or by forces at a radius where they give it that weight.

    Parameters
    ----------
    name : str
        A letter followed by letters, digits or underscores.
    inertia : float
        The moment of inertia, the parameter `NAME.inertia`; positive.
    x : float, default 0.0
        The angle where it starts.
    v : float, default 0.0
        The angular velocity where it starts.
    unit : str, default "rad"
        The unit of its angle.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    Mass : a body that moves along a line.
    Torque : what drives a rotor.

    Examples
    --------
    A pinion of radius 0.05 drives a rack through the compliance of its teeth:

    >>> pinion, rack = Rotor("pinion", inertia=2e-3), Mass("rack", m=4.0, unit="m")
    >>> teeth = Spring({pinion: 0.05, rack: -1.0}, ground, k=1e6)
    >>> pinion.unit
    'rad'
    """

    inertia: Value
    x: float = 0.0
    v: float = 0.0
    unit: str = "rad"

    rules: ClassVar[Rules] = {"inertia": "positive"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"inertia": MASS}
    measure: ClassVar[str] = "inertia"
    quantities: ClassVar[tuple[str, str]] = ("angle", "angular velocity")


@dataclass(frozen=True, eq=False)
class Belt(Body):
    """A surface that moves with a prescribed speed, on which masses rub.

    Parameters
    ----------
    name : str
        A letter followed by letters, digits or underscores.
    speed : float or function, default 0.0
        Its speed, the parameter `NAME.speed`; or a function of time `t` and of any `State` by its name, whose arguments
        with defaults are the parameters.

    Raises
    ------
    ModelError
        If the name or the speed is not allowed.

    See Also
    --------
    Base : a body whose position is prescribed, to which springs can be tied.
    Contact : dry friction on the belt.

    Examples
    --------
    >>> Belt("belt", speed=0.2).speed
    0.2
    """

    speed: Value = 0.0

    rules: ClassVar[Rules] = {"speed": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"speed": SPEED}
    varying: ClassVar[frozenset[str]] = frozenset({"speed"})


@dataclass(frozen=True, eq=False)
class Base(Body):
    """A body that moves as prescribed: a shaker, a feed.

    Parameters
    ----------
    name : str
        A letter followed by letters, digits or underscores.
    motion : float or function, default 0.0
        Its position, the parameter `NAME.motion`; or a function of time `t` and of any `State` by its name, whose
        arguments with defaults are the parameters.

    Raises
    ------
    ModelError
        If the name or the motion is not allowed.

    See Also
    --------
    Belt : a surface of which only the speed is prescribed.
    Spring : what ties a mass to a base.

    Examples
    --------
    >>> from math import cos
    >>> Base("shaker", motion=lambda t, u0=0.5, eta=1.0: u0 * cos(eta * t)).name
    'shaker'
    """

    motion: Value = 0.0

    rules: ClassVar[Rules] = {"motion": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"motion": LENGTH}
    varying: ClassVar[frozenset[str]] = frozenset({"motion"})


@dataclass(frozen=True, eq=False)
class Ground(Body):
    """What does not move."""

    name: str = "ground"


ground = Ground()
"""The fixed surroundings, for springs, dampers and contacts."""


@dataclass(frozen=True, eq=False)
class State(Part):
    """A state of its own, with its own rate: the integral of a controller, a filter, a temperature.

    It has the name of the part, and is known by it to forces, torques, normal forces, speeds of belts, motions of bases
    and the rates of other states.

    Parameters
    ----------
    name : str
        A letter followed by letters, digits or underscores; not one that functions already know (t, x, v, e).
    rate : float or function
        How fast it changes: a number, the parameter `NAME.rate`, or a function of time `t`, of `x_NAME` and `v_NAME` of
        any mass and of any state by name. The function's arguments with defaults are the parameters `NAME.argument`.
    start : float, default 0.0
        Where it starts.
    unit : str, default ""
        Its unit, for the axes of pictures.

    Raises
    ------
    ModelError
        If the name or a number is not allowed.

    See Also
    --------
    Force : what may depend on a state.

    Examples
    --------
    A stage with friction, held in place by a PID controller:

    >>> stage = Mass("stage", m=1.0)
    >>> integral = State("integral", rate=lambda x_stage, reference=0.0: reference - x_stage)
    >>> control = Force(
    ...     stage,
    ...     lambda x, v, integral, kp=4.0, ki=2.0, kd=2.5: ki * integral - kp * x - kd * v,
    ...     name="control",
    ... )
    >>> integral.start
    0.0
    """

    name: str
    rate: Value
    start: float = 0.0
    unit: str = ""

    rules: ClassVar[Rules] = {"rate": "any"}
    varying: ClassVar[frozenset[str]] = frozenset({"rate"})

    def __post_init__(self) -> None:
        check_state_name(f"a {self.kind}", self.name)
        if self.name in KNOWN:
            raise ModelError(
                f"a State has the name {self.name!r}, by which functions know {KNOWN[self.name]}: choose another"
            )
        if not isinstance(self.unit, str):
            raise ModelError(f"State {self.name!r}: unit is {shown(self.unit)}; it must be a text such as 'm s'")
        check_number(f"State {self.name!r}: start", self.start)
        self.check(self.name)


KNOWN = {
    "t": "time",
    "x": "the position of the mass that they act on",
    "v": "the velocity of the mass that they act on",
    "e": "the extension of a spring",
}
"""Names that functions in parts know already."""


@dataclass(frozen=True, eq=False)
class Interaction(Part):
    """Something that acts on bodies. `name` may stay empty: the system then names it by its kind."""

    def described(self) -> str:
        """What sentences about this part call it."""
        name = getattr(self, "name", "")
        check_string(f"the name of a {self.kind}", name)
        return f"{self.kind} {name!r}" if name else f"a {self.kind}"

    def bodies(self) -> tuple[Body, ...]:
        """The bodies that it acts on, or between."""
        raise NotImplementedError

    def internal_states(self) -> tuple[str, ...]:
        """States of its own that this part adds to the system."""
        return ()

    def internal_start(self) -> dict[str, float]:
        """Where these states start."""
        return dict.fromkeys(self.internal_states(), 0.0)


class Link(Interaction):
    """What springs and dampers have in common: bodies with a weight each, and a tension between them."""

    number: ClassVar[str]
    """The name of the factor that a linear one has."""

    a: Body | Mapping[Body, float]
    b: Body
    force: Function | None
    name: str

    def __post_init__(self) -> None:
        where = self.described()
        if isinstance(self.a, Mapping):
            object.__setattr__(self, "a", dict(self.a))
            if not self.a:
                raise ModelError(f"{where} maps no body to a weight: give at least one, as in {{pinion: 0.05}}")
        for body in self.bodies():
            if not isinstance(body, Body):
                raise ModelError(
                    f"{where} is attached to {shown(body)}: it needs two bodies (Mass, Rotor, Base, ground), the first "
                    "of which may be several with a weight each"
                )
        if not any(isinstance(body, Moving) for body in self.bodies()):
            raise ModelError(f"{where} is attached to no Mass: at least one of its ends must be a Mass or a Rotor")
        check_weights(where, dict(self.ends[:-1]))
        if self.b in dict(self.ends[:-1]):
            raise ModelError(f"{where} has both ends at {self.b.name!r}: attach it to two different bodies")
        if (getattr(self, self.number) is None) == (self.force is None):
            raise ModelError(f"{where} needs either {self.number}, a number, or force, a function; not both")
        self.check(self.name or self.noun)

    @property
    def ends(self) -> tuple[tuple[Body, float], ...]:
        """Every body that it is attached to, with its weight in the extension; that of the last is −1."""
        first = self.a.items() if isinstance(self.a, Mapping) else [(self.a, 1.0)]
        return (*first, (self.b, -1.0))

    def bodies(self) -> tuple[Body, ...]:
        return tuple(body for body, _ in self.ends)


@dataclass(frozen=True, eq=False)
class Spring(Link):
    """A spring between bodies, linear or not.

    Its extension is e = x_a − x_b, or e = Σ weight·x − x_b where `a` maps bodies to weights: levers, gears, angles. A
    positive tension pulls the ends together; on a body of weight w it acts as −w·tension, so that it does the work
    −tension·de.

    Parameters
    ----------
    a : Body or mapping of bodies to numbers
        What it is attached to: a Mass, a Rotor, a Base or the ground; or several of them, each with its weight.
    b : Body
        The other end.
    k : float, optional
        The stiffness, the parameter `NAME.k`; zero or positive. Either `k` or `force` is needed.
    force : function, optional
        The tension as a function of the extension `e`; arguments with defaults are parameters.
    name : str, default ""
        The system calls it "spring" if it has none.

    Raises
    ------
    ModelError
        If it is attached to nothing that moves, or to a Belt, which has no position.

    See Also
    --------
    Damper : the same for velocities.

    Examples
    --------
    >>> block, lever = Mass("block", 1.0), Rotor("lever", inertia=0.1)
    >>> Spring(block, ground, k=2.0).k
    2.0
    >>> tip = Spring({lever: 0.3, block: -1.0}, ground, k=100.0)
    """

    a: Body | Mapping[Body, float]
    b: Body
    k: Value | None = None
    force: Function | None = None
    name: str = ""

    rules: ClassVar[Rules] = {"k": "nonnegative", "force": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"k": STIFFNESS, "force": FORCE}
    varying: ClassVar[frozenset[str]] = frozenset({"force"})
    number: ClassVar[str] = "k"

    def __post_init__(self) -> None:
        super().__post_init__()
        for body in self.bodies():
            if isinstance(body, Belt):
                ends = " and ".join(repr(body.name) for body in self.bodies())
                raise ModelError(
                    f"Spring between {ends}: a Belt has a speed but no position; attach the spring to a Base with a "
                    "motion"
                )


@dataclass(frozen=True, eq=False)
class Damper(Link):
    """A damper between bodies, linear or not.

    It acts as a `Spring` does, by the rate e = v_a − v_b of its extension, or e = Σ weight·v − v_b.

    Parameters
    ----------
    a : Body or mapping of bodies to numbers
        What it is attached to: a Mass, a Rotor, a Belt, a Base or the ground; or several of them, each with its weight.
    b : Body
        The other end.
    c : float, optional
        The coefficient, the parameter `NAME.c`; zero or positive. Either `c` or `force` is needed.
    force : function, optional
        The tension as a function of the rate `e`; arguments with defaults are parameters.
    name : str, default ""
        The system calls it "damper" if it has none.

    Raises
    ------
    ModelError
        If it is attached to nothing that moves.

    See Also
    --------
    Spring : the same for positions.

    Examples
    --------
    >>> Damper(Mass("block", 1.0), ground, c=0.1).c
    0.1
    """

    a: Body | Mapping[Body, float]
    b: Body
    c: Value | None = None
    force: Function | None = None
    name: str = ""

    rules: ClassVar[Rules] = {"c": "nonnegative", "force": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"c": DAMPING, "force": FORCE}
    varying: ClassVar[frozenset[str]] = frozenset({"force"})
    number: ClassVar[str] = "c"


def check_weights(where: str, weights: Mapping[Any, float]) -> None:
    """Refuse a weight that is no number, or zero."""
    for body, weight in weights.items():
        if check_number(f"{where}: weight of {body.name!r}", weight) == 0:
            raise ModelError(f"{where}: the weight of {body.name!r} is 0; leave that body out")


def weights_given(on: object) -> Mapping[Any, Any]:
    """Bodies with their weights: of one body, of a mapping, or as a contact keeps them, so that `replace` copies it."""
    if isinstance(on, Moving):
        return {on: 1.0}
    kept = isinstance(on, tuple) and all(isinstance(each, tuple) and len(each) == 2 for each in on)
    return on if isinstance(on, Mapping) else dict(on) if kept else {}  # type: ignore[call-overload]


class Drive(Interaction):
    """What forces and torques have in common: what they act on, with a weight each, and how strongly."""

    on: Moving | Mapping[Moving, float]
    name: str

    def __post_init__(self) -> None:
        where = self.described()
        if isinstance(self.on, Mapping):
            object.__setattr__(self, "on", dict(self.on))
        if not self.weights or not all(isinstance(body, Moving) for body in self.bodies()):
            raise ModelError(
                f"{where} acts on {shown(self.on)}: it must act on a Mass or a Rotor, or map these to weights"
            )
        check_weights(where, dict(self.weights))
        self.check(self.name or self.noun)

    @property
    def weights(self) -> tuple[tuple[Moving, float], ...]:
        """What it acts on, with weights."""
        return tuple(self.on.items()) if isinstance(self.on, Mapping) else ((self.on, 1.0),)

    @property
    def strength(self) -> Value:
        """The number, or function, that drives."""
        value: Value = getattr(self, self.attribute)
        return value

    @property
    def attribute(self) -> str:
        """The name of that number."""
        (name,) = self.rules
        return name

    def bodies(self) -> tuple[Body, ...]:
        return tuple(body for body, _ in self.weights)


@dataclass(frozen=True, eq=False)
class Force(Drive):
    """A force on a mass, or on several with weights.

    Parameters
    ----------
    on : Mass or mapping of masses to numbers
        What it acts on. With weights it acts on each mass as weight·force: `{a: 1, b: -1}` pushes two masses apart.
    force : float or function, default 0.0
        A number, the parameter `NAME.force`, or a function of time `t`, own state `x`, `v` (weighted sums where there
        are weights), `x_NAME`, `v_NAME` of any mass, and any `State` by its name.
    name : str, default ""
        The system calls it "force" if it has none.

    Raises
    ------
    ModelError
        If it acts on something that does not move freely.

    See Also
    --------
    Torque : the same for rotors.

    Examples
    --------
    >>> from math import cos
    >>> push = Force(Mass("block", 1.0), lambda t, amplitude=0.5, eta=1.0: amplitude * cos(eta * t))
    """

    on: Moving | Mapping[Moving, float]
    force: Value = 0.0
    name: str = ""

    rules: ClassVar[Rules] = {"force": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"force": FORCE}
    varying: ClassVar[frozenset[str]] = frozenset({"force"})


@dataclass(frozen=True, eq=False)
class Torque(Drive):
    """A torque on a rotor, or on several with weights (gears).

    Parameters
    ----------
    on : Rotor or mapping of rotors to numbers
        What it acts on. With weights it acts on each rotor as weight·torque.
    torque : float or function, default 0.0
        A number, the parameter `NAME.torque`, or a function of time `t`, own angle `x` and angular velocity `v`,
        `x_NAME`, `v_NAME` of any mass or rotor, and any `State` by its name.
    name : str, default ""
        The system calls it "torque" if it has none.

    Raises
    ------
    ModelError
        If it acts on something that does not turn.

    See Also
    --------
    Force : the same for masses; at a radius it acts on a rotor as well.

    Examples
    --------
    >>> motor = Torque(Rotor("disk", inertia=2.0), lambda v, stall=3.0, slope=0.1: stall - slope * v)
    """

    on: Moving | Mapping[Moving, float]
    torque: Value = 0.0
    name: str = ""

    rules: ClassVar[Rules] = {"torque": "any"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {"torque": FORCE}
    varying: ClassVar[frozenset[str]] = frozenset({"torque"})

    def __post_init__(self) -> None:
        super().__post_init__()
        for body, _ in self.weights:
            if not isinstance(body, Rotor):
                raise ModelError(
                    f"a Torque acts on {body.name!r}, which is no Rotor: make it one, or let a Force act on it"
                )


@dataclass(frozen=True, eq=False)
class Rubbing(Interaction):
    """What all contacts have in common: what slides on what, the law, the normal force."""

    on: Moving | Mapping[Moving, float]
    against: Body
    law: Law | Function
    normal: Value = 1.0
    name: str = ""

    rules: ClassVar[Rules] = {"normal": "positive"}
    dimensions: ClassVar[Mapping[str, Dimension]] = {
        "normal": FORCE, "correlation_time": TIME, "scatter_static": Dimension(), "scatter_kinetic": Dimension(),
        "stiffness": STIFFNESS, "damping": DAMPING, "eps": PER_SPEED, "limit": LENGTH, "mean": LENGTH,
    }  # fmt: skip
    varying: ClassVar[frozenset[str]] = frozenset({"normal"})

    def __post_init__(self) -> None:
        where = self.described()
        weights = weights_given(self.on)
        if not weights or not all(isinstance(mass, Moving) for mass in weights):
            raise ModelError(
                f"{where} acts on {shown(self.on)}: it must act on a Mass or a Rotor, or map these to weights"
            )
        check_weights(where, weights)
        if not isinstance(self.against, Body):
            raise ModelError(f"{where} slides on {shown(self.against)}: it needs a Mass, Rotor, Belt, Base or ground")
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
    def weights(self) -> tuple[tuple[Moving, float], ...]:
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

    The sliding velocity is v = v_on − v_against, or Σ weight·v − v_against where `on` maps masses to weights. At rest
    the contact sticks, held by any force up to normal·(static coefficient); else the friction force is normal·(kinetic
    coefficient at |v|), against the sliding velocity.

    Parameters
    ----------
    on : Mass, Rotor or mapping of these to numbers
        What slides; or several bodies, each with its weight (a lever, a radius).
    against : Mass, Rotor, Belt, Base or ground
        What it slides on.
    law : friction law or function
        The coefficient of friction: a law such as `Coulomb(0.4, 0.3)`, or a plain function of the slip speed `v`, whose
        arguments with defaults are the parameters `NAME.argument`. Contacts that share one law share its parameters.
    normal : float or function, default 1.0
        The normal force, the parameter `NAME.normal`; positive. Or a function of time `t` and of `x_NAME`, `v_NAME` of
        any mass, and of any `State` by its name.
    name : str, default ""
        The system calls it "contact" if it has none.
    scatter : Scatter, optional
        A random part of the coefficients, drawn once per phase; none by default.

    Raises
    ------
    ModelError
        If a body, a weight, the law or the normal force is not allowed.

    See Also
    --------
    Coulomb, Hyperbolic, Stribeck, PoppStelter, Polynomial, Tabulated : friction laws.
    CompliantContact : friction through an elastic asperity.
    DynamicContact : friction whose law has a state of its own, such as `LuGre`.
    System : parts put together.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    >>> brake = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.3), normal=10.0)
    >>> own = ss.Contact(block, belt, law=lambda v, mu=0.3, c=0.1: mu + c * v, normal=10.0)
    >>> system = ss.System(ss.Spring(block, ss.ground, k=1.0), brake)
    >>> system.contacts, system.parameters["contact.mu_k"]
    (('contact',), 0.3)
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
    def noun(self) -> str:
        return "contact"

    @property
    def scatter_static(self) -> Value | None:
        """The size of the random part of the static coefficient."""
        return self.scatter.amplitude("static") if self.scatter else None

    @property
    def scatter_kinetic(self) -> Value | None:
        """The size of the random part of the kinetic coefficient."""
        return self.scatter.amplitude("kinetic") if self.scatter else None

    @property
    def correlation_time(self) -> Value | None:
        """How long the random parts of successive phases remember each other."""
        return self.scatter.correlation_time if self.scatter else None

    @property
    def friction(self) -> FrictionLaw:
        return self.law  # type: ignore[return-value]

    def internal_states(self) -> tuple[str, ...]:
        random = self.scatter.internal_states() if self.scatter else ()
        return (*random, *self.friction.internal_states)

    def behaviour(self, seen: Seen) -> Behaviour:
        """What this kind of contact adds to dry friction: nothing."""
        return Behaviour()

    @property
    def follows_its_law(self) -> bool:
        """Whether the force in slip is the law's and nothing else, and that in stick a reaction."""
        return type(self).behaviour is Contact.behaviour

    def without_variation(self, name: str) -> str:
        """Through what small changes are not carried, as the end of a sentence, with a way out; "" if nothing."""
        return ""


@dataclass(frozen=True, eq=False)
class CompliantContact(Contact):
    """Dry friction through an elastic asperity: hinrichs1998, Eqs. (8)–(11).

    A massless asperity sticks to the counter-surface or slips on it; a spring and a damper join it to the mass. States:
    `deflection.NAME`, by how far the asperity is ahead of the mass, and `slip_speed.NAME`, its speed on the
    counter-surface. Without damper it is the Jenkins element; several in parallel make an Iwan model.

    Parameters
    ----------
    on : Mass, Rotor or mapping of these to numbers
        What slides; or several bodies, each with its weight.
    against : Mass, Rotor, Belt, Base or ground
        What it slides on.
    law : friction law or function
        The coefficient of friction of the asperity, as for `Contact`.
    normal : float or function, default 1.0
        The normal force, the parameter `NAME.normal`; positive.
    name : str, default ""
        The system calls it "contact" if it has none.
    scatter : Scatter, optional
        A random part of the coefficients, drawn once per phase; none by default.
    stiffness : float
        The stiffness of the asperity, in force per length, the parameter `NAME.stiffness`; positive.
    damping : float, optional
        Its damping, in force per speed, the parameter `NAME.damping`; positive. By default there is no damper.

    Raises
    ------
    ModelError
        If a number is not allowed, or if without damper the law has not one coefficient for stick and slip.

    See Also
    --------
    Contact : the same with a rigid asperity.
    stops : the stops of the asperity and of the block, told apart.
    models.compliant_oscillator, models.iwan : models with such contacts.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=6.08), ss.Belt("belt", speed=0.0025)
    >>> law = ss.Coulomb(0.4, 0.25)
    >>> contact = ss.CompliantContact(block, belt, law=law, normal=25.0, stiffness=150e3, damping=150.0)
    >>> ss.System(ss.Spring(block, ss.ground, k=3956.0), contact).states
    ('x.block', 'v.block', 'deflection.contact', 'slip_speed.contact')
    """

    stiffness: Value = field(kw_only=True)
    damping: Value | None = field(default=None, kw_only=True)

    rules: ClassVar[Rules] = {**Contact.rules, "stiffness": "positive", "damping": "positive"}

    def internal_states(self) -> tuple[str, ...]:
        own = ("deflection",) if self.damping is None else ("deflection", "slip_speed")
        return (*own, *super().internal_states())

    def behaviour(self, seen: Seen) -> Behaviour:
        """hinrichs1998, Eqs. (8)–(11), for the deflection z of the asperity ahead of the mass and its slip speed u.

        ż = −w + s u (s = 0 in stick), and the balance b ż + c z = λ. In slip, λ = −s R(u), this is an implicit equation
        for u when friction depends on speed. Its derivative gives (b + R′) u̇ = s (b ẇ − c ż − s Ṙ), where Ṙ is what
        changes R besides u: so u is a state, and the balance itself is solved once, where slip begins.
        """
        if self.damping is None:
            return self._without_damper(seen)
        s, w, c, b = seen.mode, seen.velocity, seen.parameter("stiffness"), seen.parameter("damping")
        z, u = seen.state("deflection"), seen.state("slip_speed")
        R = seen.kinetic(u)
        z_rate, steepness = -w + s * u, b + seen.slope(R, u)
        return Behaviour(
            rates={
                "deflection": z_rate,
                "slip_speed": s * (b * seen.rate(w) - c * z_rate - s * seen.rate(R)) / steepness,
            },
            velocity=s * u,
            kinetic=R,
            force_in_stick=c * z - b * w,
            at_stick={"slip_speed": u},
            at_slip={"slip_speed": s * (c * z - b * w) + b * u + R},
            steepness=None if steepness == b else steepness,
        )

    def _without_damper(self, seen: Seen) -> Behaviour:
        """The Jenkins element: in slip c z = −s R, also where N changes; it slips as fast as the mass."""
        s, w, c, z = seen.mode, seen.velocity, seen.parameter("stiffness"), seen.state("deflection")
        R = seen.kinetic(0)
        follow = -s * seen.rate(R) / c
        return Behaviour(
            rates={"deflection": -(1 - s**2) * w + follow},
            velocity=w + follow,
            kinetic=R,
            force_in_stick=c * z,
            at_slip={"deflection": c * z + s * R},
            undecided_at_start=True,
        )

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

    Parameters
    ----------
    on : Mass, Rotor or mapping of these to numbers
        What slides; or several bodies, each with its weight.
    against : Mass, Rotor, Belt, Base or ground
        What it slides on.
    law : friction law or function
        The coefficient of friction, as for `Contact`.
    normal : float or function, default 1.0
        The normal force, the parameter `NAME.normal`; positive.
    name : str, default ""
        The system calls it "smoothcontact" if it has none.
    eps : float
        The steepness, the parameter `NAME.eps`: 1/(speed within which the friction is built up); positive.
    shape : str, default "arctan"
        How it is built up: "arctan", "tanh", "quartic" or "quartic_one_sided"; `System.smoothed` describes them.

    Raises
    ------
    ModelError
        If a number is not allowed, or the shape does not fit the law.

    See Also
    --------
    System.smoothed : makes these from the contacts of a system.
    Smoothing : the method that integrates a system so.

    Examples
    --------
    >>> block, belt = Mass("block", 1.0), Belt("belt", speed=0.2)
    >>> SmoothContact(block, belt, law=lambda v, mu=0.3: mu, eps=1e4).shape
    'arctan'
    """

    eps: Value = field(kw_only=True)
    shape: str = field(default="arctan", kw_only=True)

    rules: ClassVar[Rules] = {"normal": "positive", "eps": "positive"}

    @property
    def friction(self) -> FrictionLaw:
        return self.law  # type: ignore[return-value]

    def __post_init__(self) -> None:
        what = self.described()
        shape_named(self.shape, what)
        super().__post_init__()

    def check_law(self, values: Mapping[str, float], name: str) -> None:
        super().check_law(values, name)
        law = self.friction
        check_static(self.shape, law.static_value(values, name), law.kinetic_value(0.0, values, name), name)


@dataclass(frozen=True, eq=False)
class DynamicContact(Rubbing):
    """A contact whose law has a state of its own: bristles that bend, or contacts that age.

    Its state is `bristle.NAME` or `state.NAME`. It has no stick, hence no events: where a `Contact` sticks it creeps.

    Parameters
    ----------
    on : Mass, Rotor or mapping of these to numbers
        What slides; or several bodies, each with its weight.
    against : Mass, Rotor, Belt, Base or ground
        What it slides on.
    law : DynamicLaw
        `Dahl`, `LuGre`, `ElastoPlastic`, `DieterichRuina`, or a `StateLaw` of your own.
    normal : float or function, default 1.0
        The normal force, the parameter `NAME.normal`; positive.
    name : str, default ""
        The system calls it "contact" if it has none.

    Raises
    ------
    ModelError
        If the law is one of the slip speed alone, or a number is not allowed.

    See Also
    --------
    Contact : dry friction, which sticks.
    Dahl, LuGre, ElastoPlastic, DieterichRuina, StateLaw : the laws.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    >>> law = ss.LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=1e4, sigma_1=100.0)
    >>> ss.System(ss.Spring(block, ss.ground, k=1.0), ss.DynamicContact(block, belt, law=law)).states
    ('x.block', 'v.block', 'bristle.contact')
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
