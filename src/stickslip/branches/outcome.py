"""How a branch may end: the one table of names and sentences. Logic asks the outcome, the sentence is for people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

ARRIVED, VANISHED, ENDED, EARLY = "arrived", "vanished", "ended", "early"
"""What an end means: the branch went as far as it was to go; the motion ceases to exist there; the branch has no more
points; or there may be more of it."""


class Outcome(Enum):
    """How a branch ended: its sentence, with places for what is known about the end, and what it means.

    >>> Outcome.REACHED.at("belt.speed", 0.5).sentence, Outcome.REACHED.word, Outcome.REACHED.meaning
    ('The branch reached belt.speed = 0.5.', 'reached', 'arrived')
    """

    REACHED = "The {path} reached {parameter} = {value:g}.", ARRIVED
    CEASED = "The orbit ends at {parameter} = {value:.10g} by {kind}: beyond, it ceases to exist.", VANISHED
    RELEASED = "The equilibrium ends at {parameter} = {value:.10g} by {kind}: {contact!r}, {why}.", VANISHED
    SHORT = "The period runs to zero near {parameter} = {value:.6g}: the orbit shrinks away.", VANISHED
    SHRUNK = (
        "The orbit shrinks to a point near {parameter} = {value:.6g}: follow the equilibrium from here.",
        VANISHED,
    )
    BORN = (
        "The orbit shrinks to a point at {parameter} = {value:.10g}, a Hopf point ({criticality}): follow the "
        "equilibrium from here.",
        VANISHED,
    )
    CLOSED = "The branch is closed: it came back to the orbit at {parameter} = {value:g}.", ENDED
    REPEATED = "The branch came back to the {kind} at {parameter} = {value:.10g}.", ENDED
    FLIPPED = "The branch ends at {parameter} = {value:.10g}, at a flip of the orbit of period {period:.10g}.", ENDED
    MERGED = "The branch meets that of the orbit of period {period:.8g} near {parameter} = {value:.6g}.", ENDED
    MANY = (
        "The orbit at {parameter} = {value:.6g} is one of many with the same period, as where a contact that never "
        "moves may stick at any place: these have no branch.",
        ENDED,
    )
    SLOW = "The Hopf points end at {parameter} = {value:.10g}: their frequency is zero there.", ENDED
    RETURNED = "The branch came back to {parameter} = {value:g}.", EARLY
    REFUSED = "The branch ends near {parameter} = {value:.6g}: beyond, {why}.", EARLY
    CHANGED = "The curve ends near {parameter} = {value:.8g}, where the orbit changes: {why}.", EARLY
    STALLED = "The steps shrank to nothing near {parameter} = {value:.10g}: {why}. {advice}", EARLY
    LIMITED = "The {path} has {count} points, as many as allowed: allow more with most=.", EARLY
    ABSENT = "No other branch was found at the {kind} at {parameter} = {value:.10g}.", EARLY
    INTERRUPTED = "The {path} was interrupted by the user.", EARLY

    @property
    def word(self) -> str:
        """The name by which data has it."""
        return self.name.lower()

    @property
    def meaning(self) -> str:
        """Whether the branch arrived, or why it did not: "arrived", "vanished", "ended", "early"."""
        return self.value[1]

    def at(self, parameter: str, value: float, path: str = "branch", **known: Any) -> Ending:
        """The end of a branch at a value of its parameter, with what else the sentence tells."""
        return Ending(self, float(value), self.value[0].format(parameter=parameter, value=value, path=path, **known))

    @staticmethod
    def of(word: str) -> Outcome:
        """The outcome with a name."""
        return Outcome[word.upper()]


@dataclass(frozen=True)
class Ending:
    """One end of a branch: how, at which value of the parameter, and the sentence that says so."""

    outcome: Outcome
    value: float
    sentence: str

    @property
    def complete(self) -> bool:
        """Whether the branch went as far as it was to go, or as far as it exists."""
        return self.outcome.meaning != EARLY
