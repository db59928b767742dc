"""How the numbers of a part or a law follow from the parameters of a model.

A number may be given as a number, which is then a parameter of its own; as a `Parameter`, which it shares with others;
or as a plain function, and then it follows: from numbers of the same part or law, which are the function's arguments
without default, and from its arguments with default, which may be given in all these ways again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.formula import Formula, is_affine, operations_with
from stickslip.model.functions import Function, Value, arguments_of, fingerprint
from stickslip.model.limits import MAX_STEPS
from stickslip.model.parameter import Parameter, check_same


@dataclass(frozen=True, eq=False)
class Term:
    """One number: the parameter `name`, or a `function` of other terms.

    `what` is what sentences call it; `label` is its full name, where it has one of its own in a part or a law.
    """

    what: str
    name: str = ""
    function: Function | None = None
    arguments: Mapping[str, Term] = field(default_factory=dict)
    label: str = ""

    def value(self, values: Mapping[str, float]) -> float:
        """The number for these values of the parameters."""
        return self._value(values, {})

    def _value(self, values: Mapping[str, float], found: dict[str, float]) -> float:
        """The same; what others follow from, too, is computed once."""
        if self.function is None:
            return values[self.name]
        if self.label not in found:
            arguments = {name: term._value(values, found) for name, term in self.arguments.items()}
            number = self._computed(self.function, arguments)
            if not self.label:
                return number
            found[self.label] = number
        return found[self.label]

    def called(self, values: Mapping[str, Any]) -> Any:
        """The same for anything that can be reckoned with, symbols for instance."""
        if self.function is None:
            return values[self.name]
        return self.function(**{name: term.called(values) for name, term in self.arguments.items()})

    def _computed(self, function: Function, arguments: Mapping[str, float]) -> float:
        try:
            number = float(function(**arguments))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ModelError(f"{self.what} has no value{_at(arguments)} ({error})") from None
        if not math.isfinite(number):
            raise ModelError(f"{self.what} is {number}{_at(arguments)}: it must be finite")
        return number

    @cached_property
    def steps(self) -> int:
        """In how many steps it follows from parameters."""
        return 0 if self.function is None else 1 + max((t.steps for t in self.arguments.values()), default=0)

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that it depends on."""
        if self.function is None:
            return frozenset({self.name})
        return frozenset().union(*(term.names for term in self.arguments.values()))

    @cached_property
    def is_affine(self) -> bool:
        """Whether it is known to be a sum of multiples of parameters."""
        if self.function is None:
            return True
        inside = all(term.is_affine for term in self.arguments.values())
        return inside and isinstance(self.function, Formula) and is_affine(self.function)

    @cached_property
    def operations(self) -> int:
        """What it costs when everything is written out."""
        if self.function is None:
            return 1
        return operations_with(self.function, {name: term.operations for name, term in self.arguments.items()})

    def mark(self) -> Any:
        """What tells it from other terms, whatever the values of parameters; None where that is unknown."""
        if self.function is None:
            return self.name
        inner = {name: term.label or term.mark() for name, term in self.arguments.items()}
        own = fingerprint(self.function)
        return None if own is None or None in inner.values() else [own, inner]


def _at(arguments: Mapping[str, float]) -> str:
    at = ", ".join(f"{name} = {value:g}" for name, value in arguments.items())
    return f" at {at}" if at else ""


class Terms(Mapping[str, Term]):
    """The terms of one part or law by their short names; parameters of its own are `prefix` and a short name."""

    def __init__(self, given: Mapping[str, Value], what: str, prefix: str = "") -> None:
        self.what, self.prefix = what, prefix
        self.shared: dict[str, Parameter] = {}
        self._given: dict[str, Value] = {}
        for name, value in given.items():
            self._add(name, value)
        self._terms: dict[str, Term] = {}
        for name in self._given:
            self._named(name, ())

    def __getitem__(self, name: str) -> Term:
        return self._terms[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)

    @cached_property
    def own(self) -> dict[str, float]:
        """The parameters that belong to nobody else, with their values."""
        return {f"{self.prefix}{name}": number for name, number in self._given.items() if not callable(number)}

    def _add(self, name: str, value: Value) -> None:
        """A number, after the numbers that its function brings with it."""
        if name in self._given:
            raise ModelError(f"{self.what} has two parameters {name!r}: rename one of them")
        self._given[name] = value
        if callable(value) and not isinstance(value, Parameter):
            self._add_arguments(value, f"{self.what}: {name}")

    def _add_arguments(self, function: Function, what: str) -> None:
        for name, default in arguments_of(function, what)[1].items():
            if not callable(default):
                self._add(name, default)
            elif not isinstance(default, Parameter):
                self._add_arguments(default, what)

    def _named(self, name: str, path: tuple[str, ...]) -> Term:
        if name in path:
            circle = " follows from ".join((*path[path.index(name) :], name))
            raise ModelError(f"{self.what}: {circle}, so none of them has a value: give one of them as a number")
        if name not in self._terms:
            value, what = self._given[name], f"{self.what}: {name}"
            if callable(value):
                term = replace(self._following(what, value, (*path, name)), label=f"{self.prefix}{name}")
            else:
                term = Term(what, f"{self.prefix}{name}")
            if term.steps > MAX_STEPS:
                raise ModelError(f"{what} follows from others in more than {MAX_STEPS} steps: write it more directly")
            self._terms[name] = term
        return self._terms[name]

    def _following(self, what: str, value: Function, path: tuple[str, ...]) -> Term:
        if isinstance(value, Parameter):
            check_same(self.shared.setdefault(value.name, value), value)
            return Term(what, value.name)
        variables, defaults = arguments_of(value, what)
        arguments: dict[str, Term] = {}
        for name in variables:
            if name not in self._given:
                others = ", ".join(each for each in self._given if each not in path) or "none"
                raise ModelError(
                    f"{what} depends on {name!r}, which is no number there; there are: {others}. A number of another "
                    "part is shared as a Parameter"
                )
            arguments[name] = self._named(name, path)
        for name, default in defaults.items():
            arguments[name] = self._following(what, default, path) if callable(default) else self._named(name, path)
        return Term(what, "", value, arguments)


def numbers(given: Mapping[str, Value], what: str) -> dict[str, float]:
    """The values of numbers that were given as numbers, parameters or functions of each other.

    >>> numbers({"mu_s": 0.5, "mu_k": lambda mu_s: 0.8 * mu_s}, "a law")
    {'mu_s': 0.5, 'mu_k': 0.4}
    """
    if not any(callable(value) for value in given.values()):
        return dict(given)  # type: ignore[arg-type]
    terms = Terms(given, what, prefix=".")
    values = terms.own | {name: parameter.value for name, parameter in terms.shared.items()}
    return {name: terms[name].value(values) for name in given}


def independent(given: Mapping[str, Value], what: str) -> dict[str, float]:
    """The parameters that such numbers follow from: own ones under their short names, and shared ones.

    >>> independent({"mu_s": Parameter("mu", 0.5), "mu_k": lambda mu_s, part=0.8: part * mu_s}, "a law")
    {'part': 0.8, 'mu': 0.5}
    """
    terms = Terms(given, what)
    for name in terms.own.keys() & terms.shared.keys():
        raise ModelError(f"{what} has two parameters {name!r}, one of its own and a shared one: rename one of them")
    return terms.own | {name: parameter.value for name, parameter in terms.shared.items()}
