"""`System`: parts put together, with named parameters; and `Filippov`: a system given by its equations."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

from stickslip.errors import ModelError
from stickslip.model.errors import check_name, check_number, shown
from stickslip.model.functions import Function, Value, arguments_of, fingerprint
from stickslip.model.laws import FrictionLaw
from stickslip.model.parts import (
    Belt,
    Body,
    Contact,
    DynamicContact,
    Ground,
    Interaction,
    Mass,
    Part,
    Rubbing,
    SmoothContact,
)
from stickslip.model.shapes import shape_named


@dataclass(frozen=True)
class About:
    """Where a model comes from, and what is known exactly about it."""

    name: str = ""
    title: str = ""
    source: str = ""
    known: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Requirement:
    """What some parameters of a model must satisfy: their names, and a check of values that raises a sentence."""

    names: frozenset[str]
    check: Callable[[Mapping[str, float]], None]


class Model:
    """What simulation needs of a model: states, contacts, parameters with values, a start, a structure.

    A model never changes; `with_` returns a changed copy.
    """

    about: About
    states: tuple[str, ...]
    internal_states: tuple[str, ...] = ()  # those of contacts with a memory; they are the last ones of `states`
    contacts: tuple[str, ...]
    start: Mapping[str, float]
    units: Mapping[str, str]
    time_unit: str
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
        if changes:
            copied._values = self._changed(changes)
            copied._check()
        if start is not None:
            copied.start = dict(zip(self.states, self.start_state(start), strict=True))
        return copied

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
            values[self._resolve(name)] = check_number(name, value)
        return values

    def _resolve(self, name: str) -> str:
        if name not in self.parameters:
            raise ModelError(f"there is no parameter {name!r}{suggest(name, self.parameters)}")
        return name

    def start_state(self, start: Mapping[str, float] | Sequence[float] | None = None) -> list[float]:
        """The initial values of all states, those not named in `start` as the model has them."""
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
                raise ModelError(f"there is no state {name!r}{suggest(name, self.states)}")
        return [check_number(f"start of {name}", start.get(name, self.start[name])) for name in self.states]


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: what it may have meant, and what there is."""
    known = list(known)
    owned = [each for each in known if each.endswith(f".{name}")]  # "eta" where "base.eta" is meant
    close = owned[:1] or difflib.get_close_matches(str(name), known, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    listed = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
    return f"{hint}; there are: {listed or 'none'}"


class System(Model):
    """A mechanical system made of parts.

    >>> from stickslip.model.parts import Mass, Belt, Spring, Contact, ground
    >>> from stickslip.model.laws import Hyperbolic
    >>> block, belt = Mass("block", m=1.0), Belt("belt", speed=0.2)
    >>> system = System(
    ...     Spring(block, ground, k=1.0),
    ...     Contact(block, belt, law=Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0),
    ... )
    >>> system.parameters["belt.speed"]
    0.2
    >>> system.with_({"belt.speed": 0.3}).parameters["belt.speed"]
    0.3
    """

    def __init__(
        self,
        *parts: Part,
        about: About | None = None,
        name: str = "",
        time_unit: str = "",
        start: Mapping[str, float] | None = None,
    ) -> None:
        self.about = about if about is not None else About(name=name)
        self.time_unit = time_unit
        self.bodies, self.interactions = _collect(parts)
        self.masses = tuple(body for body in self.bodies.values() if isinstance(body, Mass))
        if not self.masses:
            raise ModelError("the system has no Mass: at least one is needed")
        self._index()
        self.start = {f"x.{m.name}": float(m.x) for m in self.masses} | {f"v.{m.name}": float(m.v) for m in self.masses}
        self.start |= self._internal_start()
        if start:
            self.start = dict(zip(self.states, self.start_state(start), strict=True))
        self._check()

    def _per_time(self, unit: str) -> str:
        """The unit of a rate; none where a unit is not known."""
        return f"{unit}/{self.time_unit}" if unit and self.time_unit else ""

    def _internal_unit(self, state: str) -> str:
        """The unit of an internal state: that of time, of a displacement or of a velocity of what rubs there."""
        kind, name = state.split(".", 1)
        if kind in ("stick_time", "score_time"):
            return self.time_unit
        part = self.interactions[name]
        length = part.weights[0][0].unit if isinstance(part, Rubbing) else ""
        if isinstance(part, DynamicContact):
            return {"length": length, "time": self.time_unit}.get(part.friction.measure, "")
        return {"deflection": length, "slip_speed": self._per_time(length)}.get(kind, "")

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
            *self.internal_states,
        )
        self.units = {f"x.{m.name}": m.unit for m in self.masses} | {
            f"v.{m.name}": self._per_time(m.unit) for m in self.masses
        }
        self.units |= {state: self._internal_unit(state) for state in self.internal_states}
        self.rubbing = {n: p for n, p in self.interactions.items() if isinstance(p, Rubbing)}
        self.friction = {n: p for n, p in self.rubbing.items() if isinstance(p, Contact)}
        self.dynamic = {n: p for n, p in self.rubbing.items() if isinstance(p, DynamicContact)}
        self.contacts = tuple(self.friction)
        self._values, self.aliases = _parameters(self.bodies, self.interactions)
        self._names: dict[str, dict[str, str]] = {}  # part → short name → parameter
        for full, name in {**{name: name for name in self._values}, **self.aliases}.items():
            part, short = full.split(".", 1)
            self._names.setdefault(part, {})[short] = name

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
        exchanged = self._exchanged(parts) if parts else self
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
        for name in parts:
            if name not in self.interactions:
                raise ModelError(f"there is no part {name!r} to replace{suggest(name, self.interactions)}")
        copied = copy(self)
        copied.interactions = self.interactions | dict(parts)
        copied._index()
        internal = copied._internal_start()
        copied.start = {state: self.start.get(state, internal.get(state, 0.0)) for state in copied.states}
        own, _ = _parameters(self.bodies, self.interactions)
        copied._values |= {n: self._values[n] for n, value in own.items() if copied._values.get(n) == value}
        copied.about = replace(self.about, known={})  # what was known exactly is known of another system
        copied._check()
        return copied

    def _resolve(self, name: str) -> str:
        return super()._resolve(self.aliases.get(name, name))

    def local(self, part: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The parameter values of one part under their short names; a shared law's appear at every sharer."""
        values = self._values if values is None else values
        return {short: values[name] for short, name in self._names.get(part, {}).items()}

    def law_values(self, contact: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The parameter values of one contact's friction law."""
        local = self.local(contact, values)
        return {name: local[name] for name in self.rubbing[contact].friction.parameters()}

    def requirements(self) -> Iterator[Requirement]:
        parts: dict[str, Part] = {**self.bodies, **self.interactions}
        for name, part in parts.items():
            for attribute, value in part.values().items():
                # The parameters of a function are its own: no rule of the part is about them.
                if not callable(value):
                    full = f"{name}.{attribute}"
                    yield Requirement(frozenset({full}), partial(part.check_parameter, name, attribute, full))
        for name, contact in self.rubbing.items():
            names = {*self._names.get(name, {}).values(), *self._speed_of(contact)}
            yield Requirement(frozenset(names), partial(self._check_contact, name))

    def _check_contact(self, name: str, values: Mapping[str, float]) -> None:
        contact, of_law = self.rubbing[name], self.law_values(name, values)
        contact.check_law(of_law, name)
        contact.check_values(self.local(name, values), name)
        if isinstance(contact.friction, FrictionLaw):
            # A mass at rest on its belt slips at this speed: every run passes there, so the law must hold.
            speeds = [abs(values[speed]) for speed in self._speed_of(contact)] or [1.0]
            contact.friction.kinetic_value(speeds[0], of_law, name)

    def _speed_of(self, contact: Rubbing) -> tuple[str, ...]:
        """The parameter that is the speed of the belt that a contact slides on; none where it is no number."""
        against = contact.against
        return (f"{against.name}.speed",) if isinstance(against, Belt) and not callable(against.speed) else ()

    def structure(self) -> str | None:
        marks: list[Any] = []
        for name, part in {**self.bodies, **self.interactions}.items():
            mark: dict[str, Any] = {"name": name, "kind": part.kind}
            if isinstance(part, Interaction):
                mark["on"] = [body.name for body in part.bodies()]
            if isinstance(part, Rubbing):
                mark["weights"] = [weight for _, weight in part.weights]
                mark["law"] = part.friction.structure()
                mark["shared"] = next(p for p, o in self.rubbing.items() if o.law is part.law)
            if isinstance(part, SmoothContact):
                mark["shape"] = part.shape
            if isinstance(part, Contact) and part.scatter is not None:
                mark["scatter"] = part.scatter.structure()
            for attribute, value in part.values().items():
                mark[attribute] = fingerprint(value) if callable(value) else "number"
            if None in mark.values():
                return None
            marks.append(mark)
        return json.dumps(marks)


def _collect(parts: Iterable[Part]) -> tuple[dict[str, Body], dict[str, Interaction]]:
    bodies: dict[str, Body] = {}
    interactions: list[Interaction] = []
    for part in parts:
        if isinstance(part, Interaction):
            interactions.append(part)
            found: tuple[Body, ...] = part.bodies()
        elif isinstance(part, Body):
            found = (part,)
        else:
            raise ModelError(f"{shown(part)} is not a part: use Mass, Spring, Damper, Force, Belt, Base, Contact")
        for body in found:
            if isinstance(body, Ground):
                continue
            if bodies.setdefault(body.name, body) is not body:
                raise ModelError(f"two bodies have the name {body.name!r}: names must differ")
    return bodies, _named(interactions, set(bodies))


def _named(interactions: list[Interaction], taken: set[str]) -> dict[str, Interaction]:
    nouns = Counter(part.noun for part in interactions if not getattr(part, "name", ""))
    count: Counter[str] = Counter()
    named: dict[str, Interaction] = {}
    for part in interactions:
        name = getattr(part, "name", "")
        if not name:
            count[part.noun] += 1
            name = part.noun + (str(count[part.noun]) if nouns[part.noun] > 1 else "")
        check_name(f"a {part.kind}", name)
        if name in named or name in taken:
            raise ModelError(f"two parts have the name {name!r}: give one of them another `name`")
        named[name] = part
    return named


def _parameters(
    bodies: Mapping[str, Body], interactions: Mapping[str, Interaction]
) -> tuple[dict[str, float], dict[str, str]]:
    """All parameters with their values, and the second names of those that a shared law gives."""
    values: dict[str, float] = {}
    aliases: dict[str, str] = {}
    owner: dict[int, str] = {}
    everything: dict[str, Part] = {**bodies, **interactions}
    for name, part in everything.items():
        local: dict[str, float] = {}
        for attribute, value in part.values().items():
            own = _numbers(f"{part.kind} {name!r}: {attribute}", attribute, value)
            for parameter in own.keys() & local.keys():
                raise ModelError(
                    f"{part.kind} {name!r}: {attribute} has a parameter {parameter!r}, which the part has: rename it"
                )
            local |= own
        if isinstance(part, Rubbing):
            law = part.friction
            first = owner.setdefault(id(law), name)
            for parameter, number in law.parameters().items():
                if parameter in local:
                    raise ModelError(
                        f"{part.kind} {name!r}: the law has a parameter {parameter!r}, which the contact has"
                    )
                if first == name:
                    local[parameter] = number
                else:
                    aliases[f"{name}.{parameter}"] = f"{first}.{parameter}"
        values |= {f"{name}.{parameter}": float(number) for parameter, number in local.items()}
    return values, aliases


def _numbers(what: str, attribute: str, value: Value) -> dict[str, float]:
    if callable(value):
        return arguments_of(value, what)[1]
    return {attribute: value}


def _check_limit(limit: str, values: Mapping[str, float]) -> None:
    check_number(limit, values[limit], nonnegative=True)


class Filippov(Model):
    """A system given directly: ż = f(z, t) + G(z, t) λ, switching where h(z, t) = 0.

    Each of `f`, `G`, `h`, `kinetic`, `static` is a plain function of the states by name (dots as underscores), of `t`,
    and of parameters with defaults. `f` returns one rate per state; `G` one column entry per state (one contact), or
    one tuple per state with an entry per contact; `h` one number (or one per contact). In slip λ = −sign(h)·kinetic,
    where kinetic may also depend on the distance `v` = |h|; in stick (sliding mode) |λ| ≤ static. Both are 1 when
    not given: a relay.

    >>> relay = Filippov(("x", "y"), f=lambda x, y, a=1.0: (y, -a * x), G=lambda: (0.0, 1.0), h=lambda y: y)
    >>> relay.contacts
    ('contact',)
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
        if not states:
            raise ModelError("a Filippov system needs at least one state")
        for state in states:
            check_name("a state", state.replace(".", "_") if isinstance(state, str) else state)
        for contact in contacts:
            check_name("a contact", contact)
        for what, names in (("states", states), ("contacts", contacts)):
            if len(set(names)) != len(names):
                raise ModelError(f"two {what} have the same name in {', '.join(names)}: names must differ")
        self.about = about if about is not None else About(name=name)
        self.states, self.contacts = tuple(states), tuple(contacts)
        self.units = dict.fromkeys(self.states, "") | dict(units or {})
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
                if values.setdefault(parameter, number) != number:
                    raise ModelError(
                        f"the parameter {parameter!r} has the default {number:g} in {key} and "
                        f"{values[parameter]:g} before: give it the same default everywhere"
                    )
        self._values = values
        self.start = dict.fromkeys(self.states, 0.0)
        if start:
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
