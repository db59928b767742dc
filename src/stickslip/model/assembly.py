"""Parts put together: all bodies, states and interactions by name, and all numbers as parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from stickslip.errors import ModelError
from stickslip.model.errors import check_name, shown
from stickslip.model.functions import Value, arguments_of
from stickslip.model.parameter import Parameter, check_same
from stickslip.model.parts import Body, Ground, Interaction, Part, Rubbing, State
from stickslip.model.terms import Term, Terms


def collected(parts: Iterable[Part]) -> tuple[dict[str, Body], dict[str, State], dict[str, Interaction]]:
    """The bodies that are named by parts, the states, and what acts between them, each by its name."""
    bodies: dict[str, Body] = {}
    states: dict[str, State] = {}
    interactions: list[Interaction] = []
    for part in parts:
        if isinstance(part, Interaction):
            interactions.append(part)
            found: tuple[Body, ...] = part.bodies()
        elif isinstance(part, Body):
            found = (part,)
        elif isinstance(part, State):
            if states.setdefault(part.name, part) is not part:
                raise ModelError(f"two states have the name {part.name!r}: names must differ")
            found = ()
        else:
            raise ModelError(
                f"{shown(part)} is not a part: use Mass, Rotor, Spring, Damper, Force, Torque, Belt, Base, Contact or "
                "State"
            )
        for body in found:
            if isinstance(body, Ground):
                continue
            if bodies.setdefault(body.name, body) is not body:
                raise ModelError(f"two bodies have the name {body.name!r}: names must differ")
    for name in states.keys() & bodies.keys():
        raise ModelError(f"two parts have the name {name!r}: give one of them another `name`")
    return bodies, states, _named(interactions, {*bodies, *states})


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


class Numbers:
    """All parameters of a system with their values, and how the numbers of every part follow from them."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self.terms: dict[str, dict[str, Term]] = {}
        self.shared: dict[str, Parameter] = {}
        self.aliases: dict[str, str] = {}
        self.derived: dict[str, Term] = {}
        own: dict[str, float] = {}
        laws: dict[int, Terms] = {}
        for name, part in parts.items():
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
