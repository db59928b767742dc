"""`System`: parts put together, with named parameters; and `Filippov`: a system given by its equations."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from stickslip.model.errors import ModelError, check_name, check_number, shown
from stickslip.model.functions import Function, Value, arguments_of, fingerprint
from stickslip.model.laws import FrictionLaw
from stickslip.model.parameter import Parameter, check_same
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
from stickslip.model.terms import Term, Terms
from stickslip.model.units import ANGLES, FORCE, LENGTH, SPEED, TIME, Dimension, force_along, unit_text


@dataclass(frozen=True)
class About:
    """Where a model comes from, and what is known exactly about it."""

    name: str = ""
    title: str = ""
    source: str = ""
    known: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Requirement:
    """What some parameters of a model must satisfy: their names, and a check of values that raises a sentence.

    Where it is `convex`, values between others that satisfy it satisfy it, too.
    """

    names: frozenset[str]
    check: Callable[[Mapping[str, float]], None]
    convex: bool = True


class Model:
    """What simulation needs of a model: states, contacts, parameters with values, a start, a structure.

    A model never changes; `with_` returns a changed copy.
    """

    about: About
    states: tuple[str, ...]
    internal_states: tuple[str, ...] = ()  # those of contacts with a memory; they are the last ones of `states`
    contacts: tuple[str, ...]
    start: Mapping[str, float]
    units: Mapping[str, str]  # of states and parameters; "" where it is not known
    time_unit: str
    aliases: Mapping[str, str] = MappingProxyType({})  # second names of parameters that several parts share
    derived: Mapping[str, Term] = MappingProxyType({})  # numbers that are no parameters, since they follow from others
    _values: dict[str, float]

    @property
    def parameters(self) -> Mapping[str, float]:
        """Name and value of every parameter; read-only."""
        return MappingProxyType(self._values)

    def with_(self, changes: Mapping[str, float] | None = None, **more: float) -> Any:
        """A copy with other parameter values: `system.with_({"belt.speed": 0.3})`."""
        raise NotImplementedError

    def structure(self) -> str | None:
        """A text equal for models with equal equations, whatever their parameter values; None if unknown."""
        raise NotImplementedError

    def requirements(self) -> Iterator[Requirement]:
        """What the values of the parameters must satisfy, besides being finite; each names those it looks at."""
        raise NotImplementedError

    def _check(self) -> None:
        for requirement in self.requirements():
            requirement.check(self._values)

    def _changed(self, changes: Mapping[str, float] | None, more: Mapping[str, float]) -> dict[str, float]:
        values = dict(self.parameters)
        for name, value in {**(changes or {}), **more}.items():
            values[self.resolve(name)] = check_number(name, value)
        return values

    def resolve(self, name: str) -> str:
        """The name of a parameter that was perhaps called by a second name; a sentence where there is none."""
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
        known = self.aliases.get(name, name)
        if known not in self.units:
            raise ModelError(f"there is no state or parameter {shown(name)}{suggest(str(name), self.units)}")
        return self.units[known]

    def contact_units(self) -> dict[str, str]:
        """The units of `force` and `slip_velocity`; "" where they are not known, or not the same at all contacts."""
        return {"force": "", "slip_velocity": ""}

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

    A number that several parts share is a `Parameter`; any number may follow from such, or from others of its part.
    Units are texts that are shown: `Mass(unit="m")`, `time_unit="s"` and `force_unit="N"` give N/m for a stiffness and kg
    for a mass; `units` names those of parameters that cannot be known, as in `{"push.amplitude": "N"}`.
    """

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
        self.about = about if about is not None else About(name=name)
        self.time_unit, self.force_unit, self.given_units = time_unit, force_unit, dict(units or {})
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
        others = [mass.unit for mass in self.masses if mass.unit not in ANGLES]
        force = force_along(length, self.force_unit, others[0] if others else "m")
        return unit_text(dimension, force, length, self.time_unit)

    def _length_unit(self, part: Part) -> str:
        """What displacements of a part are measured in; "" where its masses do not agree, or a lever turns angles."""
        if isinstance(part, Mass):
            return part.unit
        if isinstance(part, Body):
            attached = [each for each in self.interactions.values() if part in each.bodies()]
            found = {self._length_unit(each) for each in attached}
        else:
            assert isinstance(part, Interaction)
            found = {body.unit for body in part.bodies() if isinstance(body, Mass)}
            levers = [weight for _, weight in part.weights] if isinstance(part, Rubbing) else []
            if any(abs(weight) != 1 for weight in levers) and found & {*ANGLES}:
                return ""
        return found.pop() if len(found) == 1 else ""

    def contact_units(self) -> dict[str, str]:
        parts = self.friction.values()
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
            *self.internal_states,
        )
        self.rubbing = {n: p for n, p in self.interactions.items() if isinstance(p, Rubbing)}
        self.friction = {n: p for n, p in self.rubbing.items() if isinstance(p, Contact)}
        self.dynamic = {n: p for n, p in self.rubbing.items() if isinstance(p, DynamicContact)}
        self.contacts = tuple(self.friction)
        numbers = _Numbers(self.bodies, self.interactions)
        self._values, self._terms = numbers.values, numbers.terms
        self.aliases, self.derived = numbers.aliases, numbers.derived
        self.shared = numbers.shared
        self.units = self._state_units() | self._parameter_units()

    def _state_units(self) -> dict[str, str]:
        units = {f"x.{m.name}": m.unit for m in self.masses}
        units |= {f"v.{m.name}": self._unit(m, SPEED) for m in self.masses}
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

    @property
    def parts(self) -> dict[str, Part]:
        """Bodies and what acts between them, by name."""
        return {**self.bodies, **self.interactions}

    def with_(self, changes: Mapping[str, float] | None = None, **more: float) -> System:
        copy = object.__new__(System)
        copy.__dict__.update(self.__dict__)
        copy._values = self._changed(changes, more)
        copy._check()
        return copy

    def starting(self, start: Mapping[str, float]) -> System:
        """A copy that starts elsewhere."""
        copy = object.__new__(System)
        copy.__dict__.update(self.__dict__)
        copy.start = dict(zip(self.states, self.start_state(start), strict=True))
        return copy

    def replacing(self, parts: Mapping[str, Interaction]) -> System:
        """A copy with other interactions in the place of those named.

        Values given by `with_` stay, but for parameters of which the new part has another number than the old one.
        """
        for name in parts:
            if name not in self.interactions:
                raise ModelError(f"there is no part {name!r} to replace{suggest(name, self.interactions)}")
        copy = object.__new__(System)
        copy.__dict__.update(self.__dict__)
        copy.interactions = self.interactions | dict(parts)
        copy._index()
        internal = copy._internal_start()
        copy.start = {state: self.start.get(state, internal.get(state, 0.0)) for state in copy.states}
        own = _Numbers(self.bodies, self.interactions).values
        copy._values |= {n: self._values[n] for n, value in own.items() if copy._values.get(n) == value}
        copy.about = replace(self.about, known={})  # what was known exactly is known of another system
        copy._check()
        return copy

    def local(self, part: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The numbers of one part under their short names, those that are shared or follow from others included."""
        values = self._values if values is None else values
        return {short: term.value(values) for short, term in self._terms[part].items()}

    def term(self, part: str, name: str) -> Term:
        """How a number of a part, by its short name, follows from the parameters."""
        return self._terms[part][name]

    def law_values(self, contact: str, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """The parameter values of one contact's friction law."""
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
            if isinstance(part, Rubbing):
                mark["weights"] = [weight for _, weight in part.weights]
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


class _Numbers:
    """All parameters of a system with their values, and how the numbers of every part follow from them."""

    def __init__(self, bodies: Mapping[str, Body], interactions: Mapping[str, Interaction]) -> None:
        self.terms: dict[str, dict[str, Term]] = {}
        self.shared: dict[str, Parameter] = {}
        self.aliases: dict[str, str] = {}
        self.derived: dict[str, Term] = {}
        own: dict[str, float] = {}
        laws: dict[int, Terms] = {}
        everything: dict[str, Part] = {**bodies, **interactions}
        for name, part in everything.items():
            terms = self._collected(Terms(_given(part, name), f"{part.kind} {name!r}", f"{name}."))
            self.terms[name] = dict(terms)
            own |= terms.own
            if isinstance(part, Rubbing):
                law, known = part.friction, id(part.friction) in laws
                if not known:
                    laws[id(law)] = self._collected(Terms(law.given(), f"the law of {name!r}", f"{name}."))
                    own |= laws[id(law)].own
                for short in laws[id(law)].keys() & terms.keys():
                    raise ModelError(f"{part.kind} {name!r}: the law has a parameter {short!r}, which the contact has")
                self.terms[name] |= laws[id(law)]
            self._index(name)
        self.values = {name: self.shared[name].value for name in sorted(self.shared)}
        self.values |= {name: float(number) for name, number in own.items()}

    def _collected(self, terms: Terms) -> Terms:
        for name, parameter in terms.shared.items():
            check_same(self.shared.setdefault(name, parameter), parameter)
        return terms

    def _index(self, part: str) -> None:
        for short, term in self.terms[part].items():
            full = f"{part}.{short}"
            if term.function is not None:
                self.derived[full] = term
            elif term.name != full:
                self.aliases[full] = term.name


def _given(part: Part, name: str) -> dict[str, Value]:
    """The numbers of a part, and the parameters of its functions of time and state."""
    given = part.numbers(name)
    for attribute, function in part.functions(name).items():
        for parameter, value in arguments_of(function, f"{part.kind} {name!r}: {attribute}")[1].items():
            if parameter in given and not (isinstance(value, Parameter) and given[parameter] == value):
                raise ModelError(
                    f"{part.kind} {name!r}: {attribute} has a parameter {parameter!r}, which the part has: rename it"
                )
            given[parameter] = value
    return given


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
        for each, unit in (units or {}).items():
            if each not in self.units:
                raise ModelError(f"units names {shown(each)}, which is not a state{suggest(str(each), self.units)}")
            self.units[each] = unit
        self.start = dict.fromkeys(self.states, 0.0)
        if start:
            self.start = dict(zip(self.states, self.start_state(start), strict=True))

    def with_(self, changes: Mapping[str, float] | None = None, **more: float) -> Filippov:
        copy = object.__new__(Filippov)
        copy.__dict__.update(self.__dict__)
        copy._values = self._changed(changes, more)
        copy._check()
        return copy

    def requirements(self) -> Iterator[Requirement]:
        for limit in ("kinetic", "static"):
            if limit in self._values and limit not in self.functions:
                yield Requirement(frozenset({limit}), partial(_check_limit, limit))

    def structure(self) -> str | None:
        marks = {key: fingerprint(function) for key, function in self.functions.items()}
        if None in marks.values():
            return None
        return json.dumps([self.states, self.contacts, marks, sorted(self.parameters)])
