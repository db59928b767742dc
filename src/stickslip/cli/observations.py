"""The words after --observe, and the quantities of maps, turned into observations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stickslip.cli import arguments
from stickslip.errors import ModelError
from stickslip.model.errors import shown, suggest

if TYPE_CHECKING:
    from stickslip.sweeps.observation import Observation

WORDS = ("stick_to_slip", "slip_to_stick", "strobe", "section", "maxima", "largest_exponent", "signature", "none")
EXAMPLES = {
    "section": "section:x.block=0.5:down",
    "maxima": "maxima:x.block",
    "strobe": "strobe:every=2.0",
    "largest_exponent": "largest_exponent:per=release",
}


def read_all(text: str) -> list[Observation] | None:
    """Several observations with commas between them; "none" for none.

    >>> [each.name for each in read_all("stick_to_slip,section:x.block=0.5:down")]
    ['stick_to_slip', 'section_x.block']
    """
    return None if text == "none" else [read(word.strip()) for word in text.split(",")]


def read(text: str) -> Observation:
    """One observation.

    >>> read("section:x.block=0.5:down")
    Section(quantity='x.block', value=0.5, direction='down')
    >>> read("strobe:every=2.0"), read("maxima:x.block")
    (Strobe(every=2.0), Maxima(state='x.block'))
    """
    from stickslip import observe

    word, colon, rest = text.partition(":")
    if word not in WORDS:
        raise ModelError(f"--observe: there is no observation {shown(word)}{suggest(word, WORDS)}")
    if word == "none":
        raise ModelError("--observe none stands alone: what else is there would be recorded")
    if colon and not rest:
        raise _unread(text, word)
    if word == "stick_to_slip":
        return observe.StickToSlip(rest or None)
    if word == "slip_to_stick":
        return observe.SlipToStick(rest or None)
    if word == "strobe":
        return observe.Strobe(arguments.number("--observe strobe: every", _key(text, "every", rest)) if rest else None)
    if word == "largest_exponent":
        return observe.LargestExponent(_key(text, "per", rest) if rest else "time")
    if word == "signature" and not rest:
        return observe.Signature()
    if word == "maxima" and rest:
        return observe.Maxima(rest)
    if word == "section" and rest:
        return _section(text, rest)
    raise _unread(text, word)


def _section(text: str, rest: str) -> Observation:
    from stickslip import observe

    found = re.fullmatch(r"(?P<name>[^=:]+)(?:=(?P<value>[^:]*))?(?::(?P<direction>.*))?", rest)
    if found is None:
        raise _unread(text, "section")
    value = 0.0 if found["value"] is None else arguments.number("--observe section: the value", found["value"])
    return observe.Section(found["name"], value, "up" if found["direction"] is None else found["direction"])


def _key(text: str, name: str, rest: str) -> str:
    """The value of a setting that an observation has."""
    key, equals, value = (piece.strip() for piece in rest.partition("="))
    if key != name or not (equals and value):
        raise _unread(text, text.partition(":")[0])
    return value


def _unread(text: str, word: str) -> ModelError:
    return ModelError(f"cannot read --observe {shown(text)}: write {EXAMPLES.get(word, word)}")
