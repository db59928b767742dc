"""`System`: parts put together, with named parameters; and `Filippov`: a system given by its equations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

from stickslip.errors import ModelError
from stickslip.model import portrait
from stickslip.model.about import About
from stickslip.model.assembly import Numbers, collected
from stickslip.model.errors import (
    check_mapping,
    check_name,
    check_number,
    check_state_name,
    check_string,
    listed_names,
    shown,
    suggest,
)
from stickslip.model.functions import Function, Value, arguments_of, fingerprint
from stickslip.model.laws import FrictionLaw
from stickslip.model.listing import Listing
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
    Part,
    Rotor,
    Rubbing,
    SmoothContact,
)
from stickslip.model.shapes import shape_named
from stickslip.model.terms import Term
from stickslip.model.units import ANGLES, FORCE, LENGTH, SPEED, TIME, Dimension, force_along, unit_text


@dataclass(frozen=True)
class Requirement:
    """What some parameters of a model must satisfy: their names, and a check of values that raises a sentence.

    Where it is `convex`, values between others that satisfy it satisfy it, too.
    """

    names: frozenset[str]
    check: Callable[[Mapping[str, float]], None]
    convex: bool = True


class Model(metaclass=Listing):
    """What simulation needs of a model: states, contacts, parameters with values, a start, a structure.

    A model never changes; `with_` returns a changed copy.
    """

    _listed: ClassVar[tuple[str, ...]] = (
        "about", "states", "contacts", "start", "units", "time_unit", "parameters", "aliases", "derived",
        "with_", "unit_of", "start_state",
    )  # fmt: skip

    about: About
    states: tuple[str, ...]
    internal_states: tuple[str, ...] = ()  # those of contacts with a memory; they are the last ones of `states`
    contacts: tuple[str, ...]
    start: Mapping[str, float]
    units: Mapping[str, str]  # of states and parameters; "" where it is not known
    quantities: Mapping[str, str] = MappingProxyType({})  # what states are, and "force": "angle", "friction torque"
    time_unit: str
    aliases: Mapping[str, str] = MappingProxyType({})  # second names of parameters that several parts share
    derived: Mapping[str, Term] = MappingProxyType({})  # numbers that are no parameters, since they follow from others
    _values: dict[str, float]

    @property
    def parameters(self) -> Mapping[str, float]:
        """Name and value of every parameter; read-only."""
        return MappingProxyType(self._values)

    def with_(
        self, changes: Mapping[str, float] | None = None, *, start: Mapping[str, float] | Sequence[float] | None = None
    ) -> Self:
        """A copy with other parameter values, or another start; the model itself stays as it is.

        Parameters
        ----------
        changes : mapping of str to float, optional
            New values of parameters by name.
        start : mapping or sequence of float, optional
            Where the copy starts; states that are not named start where they did.

        Returns
        -------
        Filippov or System
            The changed copy.

        Raises
        ------
        ModelError
            If a name is unknown, or a value is not allowed.

        Examples
        --------
        >>> relay = Filippov(("x", "v"), f=lambda x, v, a=1.0: (v, -a * x), G=lambda: (0.0, 1.0), h=lambda x: x)
        >>> relay.with_({"a": 2.0}).parameters["a"]
        2.0
        """
        copied = copy(self)
        if changes is not None:
            copied._values = self._changed(changes)
            copied._check()
        if start is not None:
            copied.start = dict(zip(self.states, self.start_state(start), strict=True))
        return copied

    def __repr__(self) -> str:
        return portrait.text(self)

    def _repr_html_(self) -> str:
        return portrait.html(self)

    def structure(self) -> str | None:
        """A text equal for models with equal equations, whatever their parameter values; None if unknown."""
        raise NotImplementedError

    def requirements(self) -> Iterator[Requirement]:
        """What the values of the parameters must satisfy, besides being finite; each names those it looks at."""
        raise NotImplementedError

    def _check(self) -> None:
        for requirement in self.requirements():
            requirement.check(self._values)

    def _changed(self, changes: Mapping[str, float]) -> dict[str, float]:
        if not isinstance(changes, Mapping):
            raise ModelError(f"the changes are {shown(changes)}: give values by name, {{'belt.speed': 0.3}}")
        values = dict(self.parameters)
        for name, value in changes.items():
            values[self.resolve(name)] = check_number(name, value)
        return values

    def resolve(self, name: str) -> str:
        """The name of a parameter that was perhaps called by a second name; a sentence where there is none."""
        if not isinstance(name, str):
            raise ModelError(f"{shown(name)} is no name of a parameter; there are: {', '.join(self.parameters)}")
        if name in self.derived:
            names = sorted(self.derived[name].names)
            way = f"change {', '.join(names)}" if names else "its function has no parameter that could be changed"
            raise ModelError(f"{name} is no parameter, it follows from others: {way}")
        resolved = self.aliases.get(name, name)
        if resolved not in self.parameters:
            raise ModelError(f"there is no parameter {name!r}{suggest(name, self.parameters)}")
        return resolved

    def unit_of(self, name: str) -> str:
        """The unit of a state or of a parameter, by any of its names; "" where it is not known.

        Parameters
        ----------
        name : str
            A state ("x.block"), a parameter ("spring.k", or a shared one), or a number that follows from others.

        Returns
        -------
        str
            The unit.

        Raises
        ------
        ModelError
            If the model has nothing of that name.

        Examples
        --------
        >>> from stickslip import Mass, Spring, System, ground
        >>> block = Mass("block", m=1.0, unit="m")
        >>> System(Spring(block, ground, k=1.0), time_unit="s", force_unit="N").unit_of("spring.k")
        'N/m'
        """
        known = self.aliases.get(name, name) if isinstance(name, str) else None
        if known not in self.units:
            raise ModelError(f"there is no state or parameter {shown(name)}{suggest(str(name), self.units)}")
        return self.units[known]

    def contact_units(self) -> dict[str, str]:
        """The units of `force` and `slip_velocity`; "" where they are not known, or not the same at all contacts."""
        return {"force": "", "slip_velocity": ""}

    def start_state(self, start: Mapping[str, float] | Sequence[float] | None = None) -> list[float]:
        """The initial values of all states, those not named as the model has them.

        Parameters
        ----------
        start : mapping or sequence of float, optional
            States by name, or all of them in their order; by default the start of the model.

        Returns
        -------
        list of float
            One value per state, in the order of `states`.

        Raises
        ------
        ModelError
            If there is no such state, or not one number for each.

        Examples
        --------
        >>> from stickslip.model.library import block_on_belt
        >>> block_on_belt().start_state({"x.block": 0.5})
        [0.5, 0.0]
        """
        if start is None:
            start = {}
        if (
            isinstance(start, str | bytes)
            or not isinstance(start, Mapping | Iterable)
            or getattr(start, "ndim", 1) != 1
        ):
            raise ModelError(f"the start is {shown(start)}: give states by name, or a number for each of them")
        if not isinstance(start, Mapping):
            numbers = [check_number(f"start[{i}]", value) for i, value in enumerate(start)]
            if len(numbers) != len(self.states):
                raise ModelError(
                    f"the start has {len(numbers)} numbers, but this model has {len(self.states)} states: "
                    f"{', '.join(self.states)}"
                )
            return numbers
        for name in start:
            if name not in self.states:
                raise ModelError(f"there is no state {shown(name)}{suggest(str(name), self.states)}")
        return [check_number(f"start of {name}", start.get(name, self.start[name])) for name in self.states]


class System(Model):
    """A mechanical system made of parts.

    A system never changes: `with_` makes a changed copy. A number that several parts share is a `Parameter`; any number
    may follow from such, or from others of its part. Units are texts that are shown: `Mass(unit="m")`, `time_unit="s"`
    and `force_unit="N"` give N/m for a stiffness and kg for a mass.

    Parameters
    ----------
    *parts : part
        Springs, dampers, forces, torques, contacts and states. The bodies that they name need not be given, but may.
    about : About, optional
        Where the model comes from. By default it has its name alone.
    name : str, default ""
        The name of the model.
    time_unit : str, default ""
        The unit of time, such as "s".
    force_unit : str, default ""
        The unit of forces, such as "N".
    units : mapping of str to str, optional
        The units of parameters that cannot be known, as in `{"push.amplitude": "N"}`. None by default.
    start : mapping of str to float, optional
        Where states start, by name; by default as the parts say.

    Raises
    ------
    ModelError
        If there is nothing that moves, a name stands twice, or a number is not allowed.

    See Also
    --------
    Mass, Rotor, Belt, Base : bodies.
    Spring, Damper, Force, Torque, Contact, State : what acts between them.
    simulate, sweep, find_orbit, find_equilibria : what can be asked of a system.
    models : classic systems.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    >>> system = ss.System(
    ...     ss.Spring(block, ss.ground, k=1.0),
    ...     ss.Contact(block, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0),
    ... )
    >>> system.parameters["belt.speed"]
    0.2
    >>> system.with_({"belt.speed": 0.3}).parameters["belt.speed"]
    0.3
    """

    _listed: ClassVar[tuple[str, ...]] = ("parts", "force_unit", "smoothed", "law_values")

    def __init__(
        self,
        *parts: Part,
        about: About | None = None,
        name: str = "",
        time_unit: str = "",
        force_unit: str = "",
        units: Mapping[str, str] | None = None,
        start: Mapping[str, float] | None = None,
    ) -> None:
        self.about = _about(about, name)
        check_string("time_unit", time_unit)
        check_string("force_unit", force_unit)
        self.time_unit, self.force_unit, self.given_units = time_unit, force_unit, _units(units)
        self.bodies, self.extra_states, self.interactions = collected(parts)
        self.masses = tuple(body for body in self.bodies.values() if isinstance(body, Moving))
        if not self.masses:
            raise ModelError("the system has no Mass and no Rotor: at least one is needed")
        self._index()
        self.start = {f"x.{m.name}": float(m.x) for m in self.masses} | {f"v.{m.name}": float(m.v) for m in self.masses}
        self.start |= {name: float(state.start) for name, state in self.extra_states.items()}
        self.start |= self._internal_start()
        if start is not None:
            self.start = dict(zip(self.states, self.start_state(start), strict=True))
        self._check()

    @property
    def parts(self) -> dict[str, Part]:
        """Every part by name: bodies, then states of their own, then what acts between bodies."""
        return {**self.bodies, **self.extra_states, **self.interactions}

    @property
    def is_steered(self) -> bool:
        """Whether a state moves a belt or a base, so that a mass at rest need not rest on the same side of it."""
        surfaces = [part.speed if isinstance(part, Belt) else part.motion for part in self._surfaces()]
        return any({*arguments_of(f, "a surface")[0]} & {*self.extra_states} for f in surfaces if callable(f))

    def _surfaces(self) -> list[Belt | Base]:
        return [body for body in self.bodies.values() if isinstance(body, Belt | Base)]

    def _internal_unit(self, state: str) -> str:
        """The unit of an internal state: that of time, of a displacement or of a velocity of what rubs there."""
        kind, name = state.split(".", 1)
        if kind in ("stick_time", "score_time"):
            return self.time_unit
        part = self.interactions[name]
        if isinstance(part, DynamicContact):
            dimension = {"length": LENGTH, "time": TIME}.get(part.friction.measure)
        else:
            dimension = {"deflection": LENGTH, "slip_speed": SPEED}.get(kind)
        return self._unit(part, dimension)

    def _unit(self, part: Part, dimension: Dimension | None) -> str:
        """The unit of a quantity of a part, as far as the units of its masses tell it."""
        length = self._length_unit(part)
        others = [mass.unit for mass in self.masses if mass.unit and mass.unit not in ANGLES]
        force = force_along(length, self.force_unit, others[0] if others else "m")
        return unit_text(dimension, force, length, self.time_unit)

    def _length_unit(self, part: Part) -> str:
        """What displacements of a part are measured in; "" where its masses do not agree on that.

        An angle with a weight is a length, by the radius or lever that the weight is, but nothing tells which.
        """
        if isinstance(part, Moving):
            return part.unit
        if isinstance(part, Body):
            found = {self._length_unit(each) for each in self.interactions.values() if part in each.bodies()}
        else:
            weights: dict[Body, float] = dict(getattr(part, "weights", ()))
            bodies = part.bodies() if isinstance(part, Interaction) else ()
            angled = {b for b in bodies if isinstance(b, Rotor) or getattr(b, "unit", "") in ANGLES}
            levers = {b for b in angled if abs(weights.get(b, 1.0)) != 1}
            found = {b.unit for b in bodies if isinstance(b, Moving) and b not in levers}
        return found.pop() if len(found) == 1 else ""

    def contact_units(self) -> dict[str, str]:
        parts = (self.friction or self.rubbing).values()
        found = {name: {self._unit(p, d) for p in parts} for name, d in (("force", FORCE), ("slip_velocity", SPEED))}
        return {name: units.pop() if len(units) == 1 else "" for name, units in found.items()}

    def _internal_start(self) -> dict[str, float]:
        interactions = self.interactions.items()
        return {f"{s}.{name}": value for name, part in interactions for s, value in part.internal_start().items()}

    def _index(self) -> None:
        """What follows from the interactions: states, contacts, parameters and their names."""
        interactions = self.interactions.items()
        self.internal_states = tuple(f"{s}.{name}" for name, part in interactions for s in part.internal_states())
        self.states = (
            *(f"x.{m.name}" for m in self.masses),
            *(f"v.{m.name}" for m in self.masses),
            *self.extra_states,
            *self.internal_states,
        )
        self.quantities = {f"{s}.{m.name}": m.quantities[i] for i, s in enumerate("xv") for m in self.masses}
        self.rubbing = {n: p for n, p in self.interactions.items() if isinstance(p, Rubbing)}
        self.friction = {n: p for n, p in self.rubbing.items() if isinstance(p, Contact)}
        self.dynamic = {n: p for n, p in self.rubbing.items() if isinstance(p, DynamicContact)}
        self.contacts = tuple(self.friction)
        # A weight is a radius: what acts there is a force.
        turning = [
            len(p.weights) == 1 and isinstance(p.weights[0][0], Rotor) and abs(p.weights[0][1]) == 1
            for p in self.friction.values()
        ]
        self.quantities["force"] = "friction torque" if turning and all(turning) else "friction force"
        numbers = Numbers(self.parts)
        self._values, self._terms = numbers.values, numbers.terms
        self.aliases, self.derived = numbers.aliases, numbers.derived
        self.shared = numbers.shared
        self.units = self._state_units() | self._parameter_units()

    def _state_units(self) -> dict[str, str]:
        units = {f"x.{m.name}": m.unit for m in self.masses}
        units |= {f"v.{m.name}": self._unit(m, SPEED) for m in self.masses}
        units |= {name: state.unit for name, state in self.extra_states.items()}
        return units | {state: self._internal_unit(state) for state in self.internal_states}

    def _parameter_units(self) -> dict[str, str]:
        """The units of all parameters, shared and derived ones included: as given, else as they follow."""
        units = dict.fromkeys(self._values, "")
        for name, part in self.parts.items():
            for short, term in self._terms[name].items():
                dimension = part.dimensions.get(short)
                if isinstance(part, Rubbing) and short in part.friction.given():
                    dimension = part.friction.dimension(short)
                full = term.name or f"{name}.{short}"
                units[full] = units.get(full, "") or self._unit(part, dimension)
        units |= {name: parameter.unit for name, parameter in self.shared.items() if parameter.unit}
        for name, unit in self.given_units.items():
            known = self.aliases.get(name, name)
            if known not in units:
                raise ModelError(f"units: there is no parameter {shown(name)}{suggest(str(name), units)}")
            if not isinstance(unit, str):
                raise ModelError(f"units: {name} is {shown(unit)}; it must be a text such as 'N/m'")
            units[known] = unit
        return units

    def with_(
        self,
        changes: Mapping[str, float] | None = None,
        *,
        start: Mapping[str, float] | Sequence[float] | None = None,
        parts: Mapping[str, Interaction] | None = None,
    ) -> Self:
        """A copy with other parameter values, another start, or other parts; the system itself stays as it is.

        Parameters
        ----------
        changes : mapping of str to float, optional
            New values of parameters by name, such as ``{"belt.speed": 0.3}``.
        start : mapping or sequence of float, optional
            Where the copy starts; states that are not named start where they did.
        parts : mapping of str to part, optional
            Interactions that take the place of those named. Values given before stay, but for parameters of which the
            new part has another number than the old one.

        Returns
        -------
        System
            The changed copy.

        Raises
        ------
        ModelError
            If a name is unknown, or a value is not allowed.

        Examples
        --------
        >>> from stickslip.model.library import block_on_belt
        >>> block_on_belt().with_({"belt.speed": 0.3}, start={"x.block": 0.5}).start["x.block"]
        0.5
        """
        exchanged = self if parts is None else self._exchanged(parts)
        return super(System, exchanged).with_(changes, start=start)

    def smoothed(self, eps: float, shape: str = "arctan") -> Self:
        """The system with every contact smoothed: no stick any more, but a steep friction force −N·μ(|v|)·shape(εv).

        A smoothed contact creeps where the real one sticks, so that a load below the static limit moves it in the end.
        Laws stay shared as they were, parameters keep their names and values, and each contact gets one more,
        ``contact.eps``. Reference: vandevrande1999 Eqs. (4) and (18).

        Parameters
        ----------
        eps : float
            The steepness ε, in 1/speed: friction is built up within speeds of about 1/ε.
        shape : str, default "arctan"
            "arctan" and "tanh" multiply the kinetic friction by (2/π) arctan(εv) or tanh(εv), and need a law whose
            static coefficient is its kinetic one at rest. "quartic" rises from zero to the static coefficient at
            |v| = κ and falls to the kinetic one at |v| = 4κ, where κ = 1/ε. "quartic_one_sided" is the law
            vandevrande1999 Eq. (18) as printed, for contacts that slide backwards (v < 0) only and stick better than
            they slide; it equals "quartic" for v ≤ −κ.

        Returns
        -------
        System
            A copy with a `SmoothContact` in the place of every `Contact`.

        Raises
        ------
        ModelError
            If there is no `Contact`, or one that has a memory.

        See Also
        --------
        stickslip.Smoothing : the method that integrates a system so.

        Examples
        --------
        >>> from stickslip.model.library import block_on_belt
        >>> block_on_belt().smoothed(eps=1e4).parameters["contact.eps"]
        10000.0
        """
        check_number("smoothed: eps", eps, positive=True)
        shape_named(shape, "smoothed")
        if not self.friction:
            raise ModelError("smoothed: the system has no Contact")
        for name, part in self.friction.items():
            if part.internal_states():
                raise ModelError(
                    f"smoothed: contact {name!r} has a memory ({', '.join(part.internal_states())}), which a smoothed "
                    "contact has not; smooth the system with a plain Contact there"
                )
        return self._exchanged(
            {
                name: SmoothContact(dict(part.weights), part.against, part.law, part.normal, name, eps=eps, shape=shape)
                for name, part in self.friction.items()
            }
        )

    def _exchanged(self, parts: Mapping[str, Interaction]) -> Self:
        check_mapping("parts", parts, "{'contact': Contact(...)}")
        for name, part in parts.items():
            if name not in self.interactions:
                raise ModelError(f"there is no part {shown(name)} to replace{suggest(str(name), self.interactions)}")
            if not isinstance(part, Interaction):
                raise ModelError(f"{shown(part)} cannot stand in for {name!r}: give a part, such as a Contact")
        copied = copy(self)
        copied.interactions = self.interactions | dict(parts)
        copied._index()
        internal = copied._internal_start()
        copied.start = {state: self.start.get(state, internal.get(state, 0.0)) for state in copied.states}
        own = Numbers(self.parts).values
        copied._values |= {n: self._values[n] for n, value in own.items() if copied._values.get(n) == value}
        copied.about = replace(self.about, known={})  # what was known exactly is known of another system
        copied._check()
        return copied

    def local(self, part: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The numbers of one part under their short names, those that are shared or follow from others included."""
        if not isinstance(part, str) or part not in self._terms:
            raise ModelError(f"there is no part {shown(part)}{suggest(str(part), self._terms)}")
        values = self._values if values is None else values
        check_mapping("values", values, "{'belt.speed': 0.3}")
        try:
            return {short: term.value(values) for short, term in self._terms[part].items()}
        except (KeyError, AttributeError) as missing:
            raise ModelError(f"values has no {missing}: give all parameters, {{**system.parameters, …}}") from None

    def term(self, part: str, name: str) -> Term:
        """How a number of a part, by its short name, follows from the parameters."""
        return self._terms[part][name]

    def law_values(self, contact: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The parameter values of one contact's friction law.

        Parameters
        ----------
        contact : str
            The name of the contact.
        values : mapping of str to float, optional
            Values of all parameters; those of the system by default.

        Returns
        -------
        dict of str to float
            The values under the names that the law has for them.

        Examples
        --------
        >>> from stickslip.model.library import block_on_belt
        >>> block_on_belt().law_values("contact")
        {'mu_s': 1.0, 'delta': 3.0}
        """
        local = self.local(contact, values)
        return {name: local[name] for name in self.rubbing[contact].friction.given()}

    def requirements(self) -> Iterator[Requirement]:
        for name, part in self.parts.items():
            for attribute in part.numbers(name):
                # The parameters of a function of time or state are its own: no rule of the part is about them.
                term = self._terms[name][attribute]
                yield Requirement(term.names, partial(part.check_term, name, attribute, term), term.is_affine)
        for name, contact in self.rubbing.items():
            terms = [*self._terms[name].values(), *self._speed_of(contact)]
            names: frozenset[str] = frozenset().union(*(term.names for term in terms))
            yield Requirement(names, partial(self._check_contact, name), all(term.is_affine for term in terms))

    def _check_contact(self, name: str, values: Mapping[str, float]) -> None:
        contact, of_law = self.rubbing[name], self.law_values(name, values)
        contact.check_law(of_law, name)
        contact.check_values(self.local(name, values), name)
        if isinstance(contact.friction, FrictionLaw):
            # A mass at rest on its belt slips at this speed: every run passes there, so the law must hold.
            speeds = [abs(speed.value(values)) for speed in self._speed_of(contact)] or [1.0]
            contact.friction.kinetic_value(speeds[0], of_law, name)

    def _speed_of(self, contact: Rubbing) -> tuple[Term, ...]:
        """The speed of the belt that a contact slides on; nothing where it is no number."""
        against = contact.against
        steady = isinstance(against, Belt) and "speed" in against.numbers(against.name)
        return (self._terms[against.name]["speed"],) if steady else ()

    def structure(self) -> str | None:
        marks: list[Any] = []
        for name, part in self.parts.items():
            mark: dict[str, Any] = {"name": name, "kind": part.kind}
            if isinstance(part, Interaction):
                mark["on"] = [body.name for body in part.bodies()]
            if isinstance(part, Link):
                mark["weights"] = [weight for _, weight in part.ends]
            if isinstance(part, Drive | Rubbing):
                mark["weights"] = [weight for _, weight in part.weights]
            if isinstance(part, Rubbing):
                if not type(part).__module__.startswith("stickslip."):
                    return None  # what a kind of contact of a user's own does is known only when it is asked
                mark["law"] = part.friction.structure()
                mark["shared"] = next(p for p, o in self.rubbing.items() if o.law is part.law)
            if isinstance(part, SmoothContact):
                mark["shape"] = part.shape
            if isinstance(part, Contact) and part.scatter is not None:
                mark["scatter"] = part.scatter.structure()
            for attribute, function in part.functions(name).items():
                mark[attribute] = fingerprint(function)
            mark["numbers"] = {short: term.mark() for short, term in self._terms[name].items()}
            if None in mark.values() or None in mark["numbers"].values():
                return None
            marks.append(mark)
        return json.dumps(marks)


def _about(about: About | None, name: str) -> About:
    check_string("name", name)
    if about is not None and not isinstance(about, About):
        raise ModelError(f"about is {shown(about)}: give About(name, title, source), or leave it out")
    return about if about is not None else About(name=name)


def _units(units: Mapping[str, str] | None) -> dict[str, str]:
    if units is None:
        return {}
    check_mapping("units", units, "{'x.block': 'm'}")
    for name, unit in units.items():
        check_string(f"the unit of {shown(name)}", unit)
    return dict(units)


def _check_limit(limit: str, values: Mapping[str, float]) -> None:
    check_number(limit, values[limit], nonnegative=True)


class Filippov(Model):
    """A system given directly: ż = f(z, t) + G(z, t) λ, switching where h(z, t) = 0.

    Each of `f`, `G`, `h`, `kinetic`, `static` is a plain function of the states by name (dots as underscores), of `t`,
    and of parameters with defaults. In slip λ = −sign(h)·kinetic; in stick (sliding mode) |λ| ≤ static.

    Parameters
    ----------
    states : sequence of str
        The names of the states.
    f : function
        One rate per state.
    G : function
        How λ acts: one entry per state (one contact), or one tuple per state with an entry per contact.
    h : function
        The sliding velocity, or another switching function: one number, or one per contact.
    kinetic : float or function, default 1.0
        |λ| in slip, zero or positive; it may also depend on the distance `v` = |h|. 1 is a relay.
    static : float or function, optional
        The largest |λ| in stick; that of `kinetic` at v = 0 by default.
    contacts : sequence of str, default ("contact",)
        The names of the contacts, or switches.
    start : mapping of str to float, optional
        Where states start, by name; 0 by default.
    name : str, default ""
        The name of the model.
    about : About, optional
        Where the model comes from. By default it has its name alone.
    units : mapping of str to str, optional
        The units of states and parameters, by name; none by default.
    time_unit : str, default ""
        The unit of time, such as "s".

    Raises
    ------
    ModelError
        If a name or a function is not allowed, or functions return other numbers of values than there are states.

    See Also
    --------
    System : a mechanical system, whose equations follow from its parts.

    Examples
    --------
    >>> import stickslip as ss
    >>> relay = ss.Filippov(("x", "y"), f=lambda x, y, a=1.0: (y, -a * x), G=lambda: (0.0, 1.0), h=lambda y: y)
    >>> relay.contacts, dict(relay.parameters)
    (('contact',), {'kinetic': 1.0, 'a': 1.0})
    """

    def __init__(
        self,
        states: Sequence[str],
        *,
        f: Function,
        G: Function,
        h: Function,
        kinetic: Value = 1.0,
        static: Value | None = None,
        contacts: Sequence[str] = ("contact",),
        start: Mapping[str, float] | None = None,
        name: str = "",
        about: About | None = None,
        units: Mapping[str, str] | None = None,
        time_unit: str = "",
    ) -> None:
        states, contacts = listed_names("states", states), listed_names("contacts", contacts)
        if not states:
            raise ModelError("a Filippov system needs at least one state")
        for state in states:
            check_state_name("a state", state)
        for contact in contacts:
            check_name("a contact", contact)
        for what, names in (("states", states), ("contacts", contacts)):
            if len(set(names)) != len(names):
                raise ModelError(f"two {what} have the same name in {', '.join(names)}: names must differ")
        self.about = _about(about, name)
        check_string("time_unit", time_unit)
        self.states, self.contacts = tuple(states), tuple(contacts)
        self.time_unit = time_unit
        self.functions: dict[str, Callable[..., Any]] = {"f": f, "G": G, "h": h}
        values: dict[str, float] = {}
        for key, limit in (("kinetic", kinetic), ("static", static)):
            if limit is None:
                continue
            if callable(limit):
                self.functions[key] = limit
            else:
                values[key] = check_number(key, limit, nonnegative=True)
        for key, function in self.functions.items():
            if not callable(function):
                raise ModelError(f"{key} is {shown(function)}: it must be a function of the states")
            for parameter, number in arguments_of(function, key)[1].items():
                if callable(number):
                    raise ModelError(
                        f"{key} has {shown(number)} as the default of {parameter!r}: in a Filippov system parameters "
                        "are shared by their names; give a number, and write what follows from it into the function"
                    )
                if values.setdefault(parameter, number) != number:
                    raise ModelError(
                        f"the parameter {parameter!r} has the default {number:g} in {key} and "
                        f"{values[parameter]:g} before: give it the same default everywhere"
                    )
        self._values = values
        self.units = dict.fromkeys((*self.states, *values), "")
        for each, unit in _units(units).items():
            if each not in self.units:
                raise ModelError(f"units names {shown(each)}, which is not a state{suggest(str(each), self.units)}")
            self.units[each] = unit
        self.start = dict.fromkeys(self.states, 0.0)
        if start is not None:
            self.start = dict(zip(self.states, self.start_state(start), strict=True))

    def requirements(self) -> Iterator[Requirement]:
        for limit in ("kinetic", "static"):
            if limit in self._values and limit not in self.functions:
                yield Requirement(frozenset({limit}), partial(_check_limit, limit))

    def structure(self) -> str | None:
        marks = {key: fingerprint(function) for key, function in self.functions.items()}
        if None in marks.values():
            return None
        return json.dumps([self.states, self.contacts, marks, sorted(self.parameters)])
