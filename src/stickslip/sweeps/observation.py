"""What a sweep records of every motion: changes of mode, sections, strobes, maxima; and what it measures."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from stickslip.kernels import observe as kernel
from stickslip.model.errors import ModelError, check_number, shown
from stickslip.model.system import Model, suggest

CYCLES = ("time", "forcing", "release")
"""What exponents are counted by."""

DIRECTIONS = {"up": 1, "down": -1, "both": 0}


class SweepError(ModelError):
    """A sweep that cannot be run as asked; the message says why."""


class Codes(NamedTuple):
    """An observation as the kernel has it."""

    kind: int
    which: int = -1
    direction: int = 0
    level: float = 0.0
    period: float = 0.0


class Observation(ABC):
    """What is kept of a motion beside what sums it up.

    For developers: derive from `Recorded` what the kernel records row by row, and from `Measured` what takes a
    computation of its own (`sweeps/measures.py`).
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called where there are several."""

    @abstractmethod
    def check(self, model: Model) -> None:
        """Refuse a model that does not have what the observation names."""


class Recorded(Observation):
    """What is recorded of a motion, row by row."""

    @abstractmethod
    def codes(self, model: Model) -> Codes:
        """The observation in numbers, for a model that has what it names."""

    def check(self, model: Model) -> None:
        self.codes(model)


class Measured(Observation):
    """What is found out about a motion by a computation of its own, one value per point."""


NOTHING = Codes(kernel.NOTHING)
"""No rows, only what sums up the motion."""


@dataclass(frozen=True)
class ModeChange(Recorded):
    """The points at which contacts leave stick, or come to stick; of all contacts, or of one.

    >>> stick_to_slip.of("contact1")
    ModeChange(to_slip=True, contact='contact1')
    """

    to_slip: bool
    contact: str | None = None

    def of(self, contact: str) -> ModeChange:
        """The same, of one contact only."""
        return replace(self, contact=contact)

    @property
    def name(self) -> str:
        change = "stick_to_slip" if self.to_slip else "slip_to_stick"
        return change if self.contact is None else f"{change}_{self.contact}"

    def codes(self, model: Model) -> Codes:
        if not model.contacts:
            raise SweepError("this model has no contact that could stick: observe something else")
        kind = kernel.STICK_TO_SLIP if self.to_slip else kernel.SLIP_TO_STICK
        return Codes(kind, -1 if self.contact is None else _index("contact", self.contact, model.contacts))


@dataclass(frozen=True)
class Strobe(Recorded):
    """The state once in every period of the excitation, or at whole multiples of a given time.

    >>> strobe.every(2.0).period
    2.0
    """

    period: float | None = None

    def every(self, period: float) -> Strobe:
        """The same with a time of your own between strobes."""
        return Strobe(check_number("strobe: the period", period, positive=True))

    @property
    def name(self) -> str:
        return "strobe"

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.STROBE, period=self.period or 0.0)


@dataclass(frozen=True)
class Section(Recorded):
    """The points at which a state, or the sliding velocity of a contact, passes a value."""

    quantity: str
    value: float
    direction: str

    @property
    def name(self) -> str:
        return f"section_{self.quantity}"

    def codes(self, model: Model) -> Codes:
        which = _index("state or contact", self.quantity, (*model.states, *model.contacts))
        return Codes(kernel.SECTION, which, DIRECTIONS[self.direction], self.value)


@dataclass(frozen=True)
class Maxima(Recorded):
    """The maxima of a state, kinks at events included."""

    state: str

    @property
    def name(self) -> str:
        return f"maxima_{self.state}"

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.MAXIMA, _index("state", self.state, model.states), -1)


@dataclass(frozen=True)
class LargestExponent(Measured):
    """The largest Lyapunov exponent of the observed motion, with its standard error.

    >>> largest_exponent.per("release")
    LargestExponent(cycle='release')
    """

    cycle: str = "time"

    def per(self, cycle: str) -> LargestExponent:
        """The same per "time", per period of the excitation ("forcing"), or per "release" from stick."""
        if cycle not in CYCLES:
            raise SweepError(f"largest_exponent: per is {shown(cycle)}; it must be one of {', '.join(CYCLES)}")
        return LargestExponent(cycle)

    @property
    def name(self) -> str:
        return "largest_exponent"

    def check(self, model: Model) -> None:
        if self.cycle == "release" and not model.contacts:
            raise SweepError("this model has no contact that could be released: ask for the exponent per time")


@dataclass(frozen=True)
class MotionSignature(Measured):
    """The modes that a periodic motion goes through, in their order."""

    @property
    def name(self) -> str:
        return "signature"

    def check(self, model: Model) -> None:
        if not model.contacts:
            raise SweepError("this model has no contact, so its motions have no signature: observe something else")


def _index(what: str, name: Any, known: tuple[str, ...]) -> int:
    if name not in known:
        raise SweepError(f"observe: there is no {what} {shown(name)}{suggest(str(name), known)}")
    return known.index(name)


stick_to_slip = ModeChange(to_slip=True)
"""Points at which a contact leaves stick."""

slip_to_stick = ModeChange(to_slip=False)
"""Points at which a contact comes to stick."""

strobe = Strobe()
"""The state once in every period of the excitation."""

largest_exponent = LargestExponent()
"""How fast neighbouring motions part, per unit time: positive where the motion is chaotic."""

signature = MotionSignature()
"""The modes of the contacts in one period of the motion, as "stick → slip-"; empty where no period is found."""


def section(quantity: str, value: float = 0.0, direction: str = "up") -> Section:
    """Points at which a state, or the sliding velocity of a contact, passes a value: "up", "down" or "both".

    >>> section("x.block", 0.5, "down")
    Section(quantity='x.block', value=0.5, direction='down')
    """
    if not isinstance(direction, str) or direction not in DIRECTIONS:
        raise SweepError(f"section: the direction is {shown(direction)}; it must be one of {', '.join(DIRECTIONS)}")
    return Section(quantity, check_number("section: the value", value), direction)


def maxima(state: str) -> Maxima:
    """Points at which a state is largest.

    >>> maxima("x.block")
    Maxima(state='x.block')
    """
    return Maxima(state)


NAMED: dict[str, Observation] = {
    what.name: what for what in (stick_to_slip, slip_to_stick, strobe, largest_exponent, signature)
}
"""Observations that can be asked for by their name."""

Named = tuple[tuple[str, Observation], ...]
"""Observations with their names; a recorded one that needs none has an empty name."""

Observe = Observation | str | None | list[Any] | tuple[Any, ...] | Mapping[str, Any]
"""What a user may ask for."""


def observations_from(what: Observe, model: Model) -> Named:
    """One observation or several, with the names under which they appear in the Dataset.

    >>> from stickslip.model.library import block_on_belt
    >>> observations_from("stick_to_slip", block_on_belt())
    (('', ModeChange(to_slip=True, contact=None)),)
    >>> [name for name, _ in observations_from([slip_to_stick, strobe.every(2.0)], block_on_belt())]
    ['slip_to_stick', 'strobe']
    """
    if what is None:
        return ()
    if isinstance(what, Mapping):
        found = [(_checked_name(name), _observation(each)) for name, each in what.items()]
    else:
        listed = [_observation(each) for each in (what if isinstance(what, list | tuple) else [what])]
        several = sum(isinstance(each, Recorded) for each in listed) > 1
        found = [(each.name if several or isinstance(each, Measured) else "", each) for each in listed]
    for i, (name, each) in enumerate(found):
        each.check(model)
        if name in [other for other, _ in found[:i]]:
            raise SweepError(f"two observations have the name {name!r}: name them yourself, observe={{'name': …, …}}")
    return tuple(found)


def _observation(what: Any) -> Observation:
    if isinstance(what, str) and what in NAMED:
        return NAMED[what]
    if isinstance(what, Observation):
        return what
    hint = suggest(what, NAMED).partition(";")[0] if isinstance(what, str) else ""
    raise SweepError(
        f"observe is {shown(what)}{hint}: it must be stick_to_slip, slip_to_stick, strobe, section(…), maxima(…), "
        "largest_exponent, signature, several of these, or None"
    )


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")


def _checked_name(name: Any) -> str:
    """A name that can stand before those of variables, and is none of them."""
    if not isinstance(name, str) or not _NAME.match(name) or name in TAKEN:
        raise SweepError(
            f"observe: {shown(name)} cannot be the name of an observation: it must be a letter followed by letters, "
            "digits or underscores, and no name that every sweep has"
        )
    return name


TAKEN = {
    "status", "events", "n", "m", "steps", "period", "time", "minimum", "maximum", "start_state", "end_state",
    "stick_fraction", "end_mode", "state", "contact", "point", "record",
}  # fmt: skip
