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
    message = _methods(message, known)
    message = _observations(message, known)
    names = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    message = re.sub(rf"(?<![\w.\-])({names})=({_VALUE})", lambda found: _typed(found[1], found[2], kind), message)
    subject = rf"(?:^|(?<=[.;] ))(?:(?:{_VERBS}): )?({names})(?=:? (?:is|are|has|needs|gives|asks|the)\b)"
    message = re.sub(subject, lambda found: known[found[1]], message)
    message = re.sub(rf"^(?:{_VERBS}): ", "", message)
    message = re.sub(rf"\bthe method ({'|'.join(METHODS)})\b", lambda found: f"--method {METHODS[found[1]]}", message)
    message = re.sub(rf"`({names})`", lambda found: known[found[1]], message)
    return re.sub(r"`?\b(find_\w+)\b`?", lambda found: _command(found[1]), message)


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
    if value in ("True", "False"):
        return option if value == "True" else f"--no-{option.removeprefix('--')}"
    if not value or value == "…" or value.startswith("(") or value.isidentifier():
        is_flag = info.metavar is None
        return option if is_flag else f"{option} {info.metavar}"
    return f"{option} {value.strip(chr(39) + chr(34))}"


def _methods(message: str, known: dict[str, str]) -> str:
    """`Henon(step=0.01)` is --method henon --step 0.01; in `compare`, --method henon:step=0.01."""

    def typed(found: re.Match[str]) -> str:
        pairs = [tuple(pair.strip().split("=", 1)) for pair in found[2].split(",") if "=" in pair]
        if "methods" in known:
            return f"--method {METHODS[found[1]]}" + (":" if pairs else "") + ",".join(f"{k}={v}" for k, v in pairs)
        return " ".join([f"--method {METHODS[found[1]]}", *(f"--{name} {value}" for name, value in pairs)])

    return re.sub(rf"\b({'|'.join(METHODS)})\(([^()]*)\)", typed, message)


def _observations(message: str, known: dict[str, str]) -> str:
    """`Strobe(every=time)` is --observe strobe:every=TIME."""

    def typed(found: re.Match[str]) -> str:
        inside = re.sub(r"=(\w*[a-z]\w*)$", lambda value: f"={value[1].upper()}", found[2])
        return f"--observe {OBSERVATIONS[found[1]]}" + (f":{inside}" if inside else "")

    return re.sub(rf"\b({'|'.join(OBSERVATIONS)})\(([^()]*)\)", typed, message)


def _command(verb: str) -> str:
    return f"`stickslip {COMMANDS[verb]}`" if verb in COMMANDS else verb
