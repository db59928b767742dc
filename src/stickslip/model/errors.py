"""The one kind of error a model raises: a sentence that names the part, the value and the way out."""

from __future__ import annotations

import difflib
import keyword
import math
import numbers
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stickslip.errors import ModelError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")


def shown(value: object, width: int = 80) -> str:
    """`value` as it appears in a sentence: on one line, and not too long.

    >>> shown("two\\nlines")
    "'two\\\\nlines'"
    """
    try:
        text = visible(" ".join(repr(value).split()))
    except (ValueError, RecursionError):  # whole numbers with thousands of digits, lists nested without end
        text = f"{type(value).__name__} that is too large to show"
    return text if len(text) <= width else f"{text[: width - 1]}…"


_BIDIRECTIONAL = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _is_hidden(character: str) -> bool:
    """Whether a character does something to a terminal instead of being shown: escapes, marks of direction."""
    if character in "\n\t":
        return False
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _BIDIRECTIONAL


def visible(text: str) -> str:
    """Text of others as it may be printed: what would command the terminal is a replacement character.

    >>> visible("a\\x1b[31mb") == "a\ufffd[31mb"
    True
    """
    return (
        text
        if text.isascii() and text.isprintable()
        else "".join("\ufffd" if _is_hidden(character) else character for character in text)
    )


def suggest(name: object, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: what it may have meant, and what there is.

    >>> suggest("sped", ["belt.speed", "speed"])
    " (did you mean 'speed'?); there are: belt.speed, speed"
    """
    known = list(known)
    listed = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
    return f"{hint(name, known)}; there are: {listed or 'none'}"


def hint(name: object, known: Sequence[str]) -> str:
    """What an unknown name may have meant, in brackets; nothing where that is not clear.

    >>> hint("FIG2", ["fig1", "fig2"])
    " (did you mean 'fig2'?)"
    """
    owned = [each for each in known if each.endswith(f".{name}")]  # "eta" where "base.eta" is meant
    plain = {each.lower(): each for each in reversed(known)}  # FIG2 is meant to be fig2
    close = owned[:1] or [plain[each] for each in difflib.get_close_matches(str(name).lower(), plain, n=1)]
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_text(what: str, text: str, longest: int) -> str:
    """Refuse a text that is too long."""
    if len(text) > longest:
        raise ModelError(f"{what} has {len(text)} characters: at most {longest} are allowed")
    return text


def check_name(what: str, name: object) -> None:
    """Refuse names that cannot stand in `part.parameter` or in generated source."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise ModelError(
            f"{what} has the name {shown(name)}: a name is a letter followed by "
            "letters, digits or underscores, 64 at most"
        )
    if keyword.iskeyword(name):
        raise ModelError(f"{what} has the name {name!r}: that is a word of Python; write {name}_ or {name}1")


RESULT_NAMES = frozenset({
    "contact", "event", "event_after", "event_before", "event_contact", "event_state", "event_time", "force", "mode",
    "power", "slip_velocity", "state", "step", "step_force", "step_length", "step_mode", "step_slip_velocity",
    "step_start", "step_state", "time",
    "count", "end_mode", "end_state", "events", "largest_exponent", "largest_exponent_error", "m", "maximum", "minimum",
    "n", "period", "record", "record_contact", "record_state", "record_time", "repeat_rows", "repeat_time", "row_size",
    "signature", "start_state", "status", "steps", "stick_fraction", "truncated",
    "attractor", "attractor_kind", "description", "fraction", "fraction_error", "number", "points", "sample",
    "transient_time",
})  # fmt: skip
"""What runs, sweeps and basins call other things than states: a state of that name would hide them."""


def check_state_name(what: str, name: object) -> None:
    """Refuse a name that a state cannot have in generated source or in results.

    >>> check_state_name("a State", "force")
    Traceback (most recent call last):
    stickslip.errors.ModelError: a State has the name 'force', which results have for something else: choose another
    """
    check_name(what, name.replace(".", "_") if isinstance(name, str) else name)
    if name in RESULT_NAMES:
        raise ModelError(f"{what} has the name {name!r}, which results have for something else: choose another")


def _is_single(value: Any) -> bool:
    """Whether something of NumPy is one number: arrays, truth values and complex numbers turn into floats as well."""
    return getattr(value, "ndim", 0) == 0 and getattr(getattr(value, "dtype", None), "kind", "f") in "iufO"


def check_number(
    what: str,
    value: Any,
    *,
    positive: bool = False,
    nonnegative: bool = False,
    finite: bool = True,
) -> float:
    """Return `value` as a float, or raise a sentence that says what is allowed."""
    allowed = "a positive number" if positive else "zero or a positive number" if nonnegative else "a number"
    if isinstance(value, bool) or not hasattr(value, "__float__") or not _is_single(value):
        raise ModelError(f"{what} is {shown(value)}: it must be {allowed}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):  # arrays and symbols have __float__, but no value
        raise ModelError(f"{what} is {shown(value)}: it must be {allowed}") from None
    if finite and not math.isfinite(number):
        raise ModelError(f"{what} is {number}: it must be {allowed}, and finite")
    if (positive and number <= 0) or (nonnegative and number < 0):
        raise ModelError(f"{what} is {number:g}: it must be {allowed}")
    return number


def check_mapping(what: str, value: object, example: str) -> None:
    """Refuse what does not give values by name.

    >>> check_mapping("units", "m", "{'x': 'm'}")
    Traceback (most recent call last):
    stickslip.errors.ModelError: units is 'm': give a dictionary, such as {'x': 'm'}
    """
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} is {shown(value)}: give a dictionary, such as {example}")


def listed_names(what: str, value: Any) -> list[str]:
    """A list of texts as a list; a sentence for one text, which is a list of letters to Python, and for what is none.

    >>> listed_names("states", "xy")
    Traceback (most recent call last):
    stickslip.errors.ModelError: states is 'xy': give a list of names
    """
    listed: list[Any] = list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [None]
    if not all(isinstance(each, str) for each in listed):
        raise ModelError(f"{what} is {shown(value)}: give a list of names")
    return listed


def path_of(path: Any) -> Path:
    """The path that a user gave; a sentence for what is no name of a file."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ModelError(f"{shown(path)} is not the name of a file")
    return Path(path)


def check_string(what: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise ModelError(f"{what} is {shown(value)}: it must be a text, in quotes")


LARGEST = 2**62
"""Whole numbers beyond this do not fit into compiled code."""


def check_whole(what: str, value: Any, least: int = 1, most: int = LARGEST, why: str = "") -> int:
    """Return `value` as a whole number in a range, or raise a sentence.

    >>> check_whole("most", 2.5)
    Traceback (most recent call last):
    stickslip.errors.ModelError: most is 2.5: it must be a whole number, 1 or more
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        allowed = f"{least} or more" if most >= LARGEST and not (whole and value > most) else f"from {least} to {most}"
        raise ModelError(f"{what} is {shown(value)}: it must be a whole number, {allowed}{why}")
    return int(value)


def check_range(what: str, value: Any, least: float, most: float) -> float:
    """Return `value` as a float between two bounds, or raise a sentence."""
    number = check_number(what, value)
    if not least <= number <= most:
        raise ModelError(f"{what} is {number:g}; it must lie between {least:g} and {most:g}")
    return number


def check_word(kind: str, value: object, known: Iterable[str], where: str = "") -> None:
    """Refuse what is not one of some words.

    >>> check_word("target", "gpu", ("cpu", "python"), "Exact: ")
    Traceback (most recent call last):
    stickslip.errors.ModelError: Exact: there is no target 'gpu'; there are: cpu, python
    """
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{where}there is no {kind} {shown(value)}; there are: {', '.join(known)}")
