"""Messages of the verbs in the words of the command line: the one place where names of arguments become options.

The verbs write arguments in three ways: `name=value`, what to give; `name is value`, or `verb: name is value`, what was
wrong; and values by their class, `Henon(step=0.01)`. A command's fields have the names of arguments, so each of these
can be said as it is typed.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from stickslip.cli.declare import Command, options_of
from stickslip.cli.methods import CLASSES

COMMANDS = {
    "simulate": "simulate",
    "compare": "compare",
    "find_orbit": "orbit",
    "find_orbits": "orbit --all",
    "find_equilibria": "equilibria",
    "follow": "follow",
    "sweep": "sweep",
    "lyapunov": "lyapunov",
    "basins": "basins",
}
"""The verbs of Python, and how they are typed."""

METHODS = {name: word for word, name in CLASSES.items()}
OBSERVATIONS = {
    "StickToSlip": "stick_to_slip",
    "SlipToStick": "slip_to_stick",
    "Strobe": "strobe",
    "Section": "section",
    "Maxima": "maxima",
    "LargestExponent": "largest_exponent",
    "Signature": "signature",
}
ELSEWHERE = {"guess": ("--start NAME=VALUE", "--period TIME")}
"""Arguments that are several options, each with what it takes; those that a command has are named."""

_VALUE = r"""'[^']*'|"[^"]*"|\([^()]*\)|[\w.+-]+|…|"""
_VERBS = "|".join([*COMMANDS, *METHODS, *OBSERVATIONS])


def said(message: str, kind: type[Command]) -> str:
    """A message in the words of a command.

    >>> from stickslip.cli.commands.sweeps import Sweep
    >>> said("there is no excitation: give times=(transient, observed time)", Sweep)
    'there is no excitation: give --times TRANSIENT OBSERVED'
    """
    known = typed_names(kind)
    for name, options in ELSEWHERE.items():
        here = [option for option in options if option.split()[0] in known.values()]
        message = re.sub(rf"\b(?:an? )?{name}=(?:{_VALUE})", " ".join(here) or f"{name}=", message) if here else message
    message = _values(message, known)
    names = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    message = re.sub(rf"(?<![\w.\-])({names})=({_VALUE})", lambda found: _typed(found[1], found[2], kind), message)
    subject = (
        rf"(?:^|(?<=[.;] ))(?:(?:{_VERBS}|the guess): )?({names})(?=:? (?:is|are|has|needs|gives|asks|the|there)\b)"
    )
    message = re.sub(subject, lambda found: known[found[1]], message)
    message = re.sub(rf"^(?:({_VERBS})|the guess): ", lambda found: _prefix(found[1] or "", known), message)
    message = re.sub(rf"\bthe method ({'|'.join(METHODS)})\b", lambda found: f"--method {METHODS[found[1]]}", message)
    message = re.sub(rf"`({names})`", lambda found: known[found[1]], message)
    message = re.sub(r"\bor None\b", "or left out", message)
    return re.sub(r"`?\b(find_\w+)\b`?", lambda found: _command(found[1]), message)


def _prefix(who: str, known: dict[str, str]) -> str:
    """Who complains: of interest where it was chosen in one word with its settings."""
    if who in OBSERVATIONS and "observe" in known:
        return f"--observe {OBSERVATIONS[who]}: "
    return f"--method {METHODS[who]}: " if who in METHODS and "methods" in known else ""


def typed_names(kind: type[Command]) -> dict[str, str]:
    """How the arguments that a command has are typed, by name.

    >>> from stickslip.cli.commands.motions import Simulate
    >>> typed_names(Simulate)["start_time"], typed_names(Simulate)["model"]
    ('--start-time', 'MODEL')
    """
    found = {}
    for name, annotation in options_of(kind).items():
        info = get_args(annotation)[1]
        written = [text for text in getattr(info, "param_decls", None) or () if text.startswith("--")]
        is_option = type(info).__name__ == "OptionInfo"
        found[name] = (written or [f"--{name.replace('_', '-')}"])[0] if is_option else str(info.metavar)
    return found


def _typed(name: str, value: str, kind: type[Command]) -> str:
    """An argument and its value as they are typed; what stands for values is said as the help says it."""
    option = typed_names(kind)[name]
    info: Any = get_args(options_of(kind)[name])[1]
    if not value:
        return option
    if value in ("True", "False"):
        return option if value == "True" else f"--no-{option.removeprefix('--')}"
    if value == "…" or value.startswith("(") or value.isidentifier():
        is_flag = info.metavar is None
        return option if is_flag else f"{option} {info.metavar}"
    return f"{option} {value.strip(chr(39) + chr(34))}"


def _values(message: str, known: dict[str, str]) -> str:
    """`Henon(step=0.01)` is --method henon --step 0.01, `Strobe(every=time)` is --observe strobe:every=TIME."""

    def typed(found: re.Match[str]) -> str:
        who, inside = found[1], re.sub(r"=([a-z]\w*)", lambda value: f"={value[1].upper()}", found[2])
        if who in METHODS and "methods" not in known:
            pairs = [pair.strip().partition("=") for pair in inside.split(",") if "=" in pair]
            return " ".join([f"--method {METHODS[who]}", *(f"--{name} {value}" for name, _, value in pairs)])
        option, word = ("--method", METHODS[who]) if who in METHODS else ("--observe", OBSERVATIONS[who])
        return f"{option} {word}" + (f":{inside}" if inside else "")

    return re.sub(rf"\b({'|'.join([*METHODS, *OBSERVATIONS])})\(([^()]*)\)", typed, message)


def _command(verb: str) -> str:
    return f"`stickslip {COMMANDS[verb]}`" if verb in COMMANDS else verb
