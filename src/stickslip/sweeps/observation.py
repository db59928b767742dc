"""What a sweep records of every motion: changes of mode, crossings of a section, strobes, maxima."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple

from stickslip.kernels import observe as kernel
from stickslip.model.errors import ModelError, check_number, shown
from stickslip.model.system import Model, suggest

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
    """What is recorded of a motion, row by row."""

    @abstractmethod
    def codes(self, model: Model) -> Codes:
        """The observation in numbers, for a model that has what it names."""


@dataclass(frozen=True)
class Nothing(Observation):
    """No rows, only what sums up the motion."""

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.NOTHING)


@dataclass(frozen=True)
class ModeChange(Observation):
    """The points at which contacts leave stick, or come to stick; of all contacts, or of one.

    >>> stick_to_slip.of("contact1")
    ModeChange(to_slip=True, contact='contact1')
    """

    to_slip: bool
    contact: str | None = None

    def of(self, contact: str) -> ModeChange:
        """The same, of one contact only."""
        return replace(self, contact=contact)

    def codes(self, model: Model) -> Codes:
        if not model.contacts:
            raise SweepError("this model has no contact that could stick: observe something else")
        kind = kernel.STICK_TO_SLIP if self.to_slip else kernel.SLIP_TO_STICK
        return Codes(kind, -1 if self.contact is None else _index("contact", self.contact, model.contacts))


@dataclass(frozen=True)
class Strobe(Observation):
    """The state once in every period of the excitation, or at whole multiples of a given time.

    >>> strobe.every(2.0).period
    2.0
    """

    period: float | None = None

    def every(self, period: float) -> Strobe:
        """The same with a time of your own between strobes."""
        return Strobe(check_number("strobe: the period", period, positive=True))

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.STROBE, period=self.period or 0.0)


@dataclass(frozen=True)
class Section(Observation):
    """The points at which a state, or the sliding velocity of a contact, passes a value."""

    quantity: str
    value: float
    direction: str

    def codes(self, model: Model) -> Codes:
        which = _index("state or contact", self.quantity, (*model.states, *model.contacts))
        return Codes(kernel.SECTION, which, DIRECTIONS[self.direction], self.value)


@dataclass(frozen=True)
class Maxima(Observation):
    """The maxima of a state, kinks at events included."""

    state: str

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.MAXIMA, _index("state", self.state, model.states), -1)


def _index(what: str, name: str, known: tuple[str, ...]) -> int:
    if name not in known:
        raise SweepError(f"observe: there is no {what} {name!r}{suggest(name, known)}")
    return known.index(name)


stick_to_slip = ModeChange(to_slip=True)
"""Points at which a contact leaves stick."""

slip_to_stick = ModeChange(to_slip=False)
"""Points at which a contact comes to stick."""

strobe = Strobe()
"""The state once in every period of the excitation."""


def section(quantity: str, value: float = 0.0, direction: str = "up") -> Section:
    """Points at which a state, or the sliding velocity of a contact, passes a value: "up", "down" or "both".

    >>> section("x.block", 0.5, "down")
    Section(quantity='x.block', value=0.5, direction='down')
    """
    if direction not in DIRECTIONS:
        raise SweepError(f"section: the direction is {shown(direction)}; it must be one of {', '.join(DIRECTIONS)}")
    return Section(quantity, check_number("section: the value", value), direction)


def maxima(state: str) -> Maxima:
    """Points at which a state is largest.

    >>> maxima("x.block")
    Maxima(state='x.block')
    """
    return Maxima(state)


NAMED: dict[str, Observation] = {"stick_to_slip": stick_to_slip, "slip_to_stick": slip_to_stick, "strobe": strobe}


def observation_from(what: Observation | str | None) -> Observation:
    """An observation, or one by its name; None records nothing."""
    if what is None:
        return Nothing()
    if isinstance(what, str) and what in NAMED:
        return NAMED[what]
    if isinstance(what, Observation):
        return what
    raise SweepError(
        f"observe is {shown(what)}: it must be stick_to_slip, slip_to_stick, strobe, section(…), maxima(…) or None"
    )
