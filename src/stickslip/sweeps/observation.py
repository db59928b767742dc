"""What a sweep records of every motion: changes of mode, sections, strobes, maxima; and what it measures."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from stickslip.errors import SweepError
from stickslip.kernels import observation as kernel
from stickslip.model.errors import check_number, shown, suggest
from stickslip.model.listing import Listing
from stickslip.model.system import Model

CYCLES = ("time", "forcing", "release")
"""What exponents are counted by."""

DIRECTIONS = {"up": 1, "down": -1, "both": 0}


class Change(Enum):
    """How the mode of a contact may change, in words."""

    RELEASE = "release"
    STOP = "the onset of stick"
    REVERSAL = "the reversal of slip"


class Codes(NamedTuple):
    """An observation as the kernel has it."""

    kind: int
    which: int = kernel.ALL_CONTACTS
    direction: int = 0
    level: float = 0.0
    period: float = 0.0
    changes: tuple[Change, ...] = ()


class Observation(metaclass=Listing):
    """What is kept of a motion beside what sums it up.

    For developers: derive from `Recorded` what the kernel records row by row, and from `Measured` what takes a
    computation of its own (`sweeps/measures.py`).
    """

    _listed: ClassVar[tuple[str, ...]] = ("name",)

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
    """Points at which the mode of contacts changes; of all contacts, or of one.

    For developers: a class that derives from it names which `changes` it records, and the `word` it is called by.
    """

    contact: str | None = None

    word: ClassVar[str]
    changes: ClassVar[tuple[Change, ...]]

    @property
    def name(self) -> str:
        return self.word if self.contact is None else f"{self.word}_{self.contact}"

    def codes(self, model: Model) -> Codes:
        if not model.contacts:
            raise SweepError("this model has no contact that could stick: observe something else")
        which = kernel.ALL_CONTACTS if self.contact is None else _index("contact", self.contact, model.contacts)
        return Codes(kernel.CHANGES, which, changes=self.changes)


@dataclass(frozen=True)
class StickToSlip(ModeChange):
    """Points at which contacts leave stick: of all contacts, or of one.

    Parameters
    ----------
    contact : str, optional
        The name of the contact; all of them by default.

    See Also
    --------
    SlipToStick, Strobe, Section, Maxima, stickslip.sweep

    Examples
    --------
    >>> StickToSlip("contact1").name
    'stick_to_slip_contact1'
    """

    word: ClassVar[str] = "stick_to_slip"
    changes: ClassVar[tuple[Change, ...]] = (Change.RELEASE,)


@dataclass(frozen=True)
class SlipToStick(ModeChange):
    """Points at which contacts come to stick: of all contacts, or of one.

    Parameters
    ----------
    contact : str, optional
        The name of the contact; all of them by default.

    See Also
    --------
    StickToSlip, Strobe, Section, Maxima, stickslip.sweep

    Examples
    --------
    >>> SlipToStick().name
    'slip_to_stick'
    """

    word: ClassVar[str] = "slip_to_stick"
    changes: ClassVar[tuple[Change, ...]] = (Change.STOP,)


@dataclass(frozen=True)
class Strobe(Recorded):
    """The state once in every period of the excitation, or at whole multiples of a given time.

    Parameters
    ----------
    every : float, optional
        The time between two strobes, in units of time; the period of the excitation by default.

    Raises
    ------
    ModelError
        If `every` is not a positive number.

    See Also
    --------
    StickToSlip, Section, Maxima, stickslip.sweep

    Examples
    --------
    >>> Strobe(every=2.0).every
    2.0
    """

    every: float | None = None

    def __post_init__(self) -> None:
        if self.every is not None:
            object.__setattr__(self, "every", check_number("Strobe: every", self.every, positive=True))

    @property
    def name(self) -> str:
        return "strobe"

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.STROBE, period=self.every or 0.0)


@dataclass(frozen=True)
class Section(Recorded):
    """The points at which a state, or the sliding velocity of a contact, passes a value.

    Parameters
    ----------
    quantity : str
        The name of a state, or of a contact, whose sliding velocity is meant.
    value : float, default 0.0
        The value it passes, in its own unit.
    direction : str, default "up"
        "up", "down" or "both".

    Raises
    ------
    SweepError
        If the direction is none of these.

    See Also
    --------
    Strobe, Maxima, StickToSlip, stickslip.sweep

    Examples
    --------
    >>> Section("x.block", 0.5, "down").name
    'section_x.block'
    """

    quantity: str
    value: float = 0.0
    direction: str = "up"

    def __post_init__(self) -> None:
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            known = ", ".join(DIRECTIONS)
            raise SweepError(f"Section: the direction is {shown(self.direction)}; it must be one of {known}")
        object.__setattr__(self, "value", check_number("Section: the value", self.value))

    @property
    def name(self) -> str:
        return f"section_{self.quantity}"

    def codes(self, model: Model) -> Codes:
        which = _index("state or contact", self.quantity, (*model.states, *model.contacts))
        return Codes(kernel.SECTION, which, direction=DIRECTIONS[self.direction], level=self.value)


@dataclass(frozen=True)
class Maxima(Recorded):
    """The points at which a state is largest, kinks at events included.

    Parameters
    ----------
    state : str
        The name of the state.

    See Also
    --------
    Section, Strobe, StickToSlip, stickslip.sweep

    Examples
    --------
    >>> Maxima("x.block").name
    'maxima_x.block'
    """

    state: str

    @property
    def name(self) -> str:
        return f"maxima_{self.state}"

    def codes(self, model: Model) -> Codes:
        return Codes(kernel.MAXIMA, _index("state", self.state, model.states), direction=DIRECTIONS["down"])


@dataclass(frozen=True)
class LargestExponent(Measured):
    """How fast neighbouring motions part, with its error: positive where the motion is chaotic.

    Where a motion repeats itself it comes from the multipliers of its cycle, else from growth for as long again as the
    motion was observed, with a standard error; with `shortcut=False` always from growth while it is observed.

    Parameters
    ----------
    per : str, default "time"
        What it is counted by: "time", periods of the excitation ("forcing"), or releases from stick ("release").

    Raises
    ------
    SweepError
        If `per` is none of these.

    See Also
    --------
    Signature, stickslip.lyapunov, stickslip.sweep

    Examples
    --------
    >>> LargestExponent(per="release").per
    'release'
    """

    per: str = "time"

    def __post_init__(self) -> None:
        if not isinstance(self.per, str) or self.per not in CYCLES:
            raise SweepError(f"LargestExponent: per is {shown(self.per)}; it must be one of {', '.join(CYCLES)}")

    @property
    def name(self) -> str:
        return "largest_exponent"

    def check(self, model: Model) -> None:
        if self.per == "release" and not model.contacts:
            raise SweepError("this model has no contact that could be released: ask for the exponent per time")


@dataclass(frozen=True)
class Signature(Measured):
    """The modes of the contacts in one period of the motion, as "stick → slip-"; empty where no period is found.

    See Also
    --------
    LargestExponent, stickslip.sweep

    Examples
    --------
    >>> Signature().name
    'signature'
    """

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


NAMED: dict[str, Observation] = {
    what.name: what for what in (StickToSlip(), SlipToStick(), Strobe(), LargestExponent(), Signature())
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
    (('', StickToSlip(contact=None)),)
    >>> [name for name, _ in observations_from([SlipToStick(), Strobe(every=2.0)], block_on_belt())]
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
        f"observe is {shown(what)}{hint}: it must be StickToSlip(), SlipToStick(), Strobe(), Section(…), "
        "Maxima(…), LargestExponent(), Signature() of stickslip.observe, several of these, or None"
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
    "stick_fraction", "end_mode", "state", "contact", "point", "record", "sample",
}  # fmt: skip
