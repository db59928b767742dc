"""How a kind of contact behaves: its internal states, its force, its guards and jumps, in each mode.

For developers: a kind of contact is a class that derives from `Contact`, with `internal_states` and `behaviour`. The
latter gets symbols (`Seen`) and builds formulas of them; all else follows: series and events, and for kinds without
guards that release them also small changes, orbits and branches. docs/contributing.md has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

STICK, SLIP = "stick", "slip"

Symbol = Any
"""A symbol or formula: it can be added, multiplied and so on."""


@dataclass(frozen=True)
class Seen:
    """A contact as its kind sees it.

    Attributes
    ----------
    velocity : symbol
        w, the sliding velocity of the mass itself.
    mode : symbol
        s: 0 in stick, else the sign of slip.
    speed : symbol
        u = |v|, the slip speed.
    static : symbol
        S, the largest friction in stick.
    kinetic : callable
        R(u), the friction in slip at a slip speed.
    state, parameter : callable
        An internal state, or a number of the contact, by name.
    stored : callable
        A number that the kernel of the kind keeps for the contact, by its place; it does not change along a step.
    rate : callable
        What a formula of the motion changes by in unit time.
    slope : callable
        The derivative of a formula by a symbol.
    """

    velocity: Symbol
    mode: Symbol
    speed: Symbol
    static: Symbol
    kinetic: Callable[[Symbol], Symbol]
    state: Callable[[str], Symbol]
    parameter: Callable[[str], Symbol]
    stored: Callable[[int], Symbol]
    rate: Callable[[Symbol], Symbol]
    slope: Callable[[Symbol, Symbol], Symbol]


@dataclass(frozen=True)
class Guard:
    """Something that stays positive while a contact is in a mode, and what happens where it ends.

    Attributes
    ----------
    value : symbol
        What stays positive.
    mode : str
        "stick" or "slip".
    jumps : mapping of str to symbol, optional
        Internal states, and what each becomes; all at once, from the values before.
    releases : bool, default False
        Whether the contact, in stick, is let go.
    """

    value: Symbol
    mode: str
    jumps: Mapping[str, Symbol] = field(default_factory=dict)
    releases: bool = False


@dataclass(frozen=True)
class Kernel:
    """A kernel that carries what formulas cannot, with `start`, `note`, `recall`, `enter` and `jump`: see
    kernels/bristles.py. What it knows and counts are constants of its file, which are set for each model.

    Attributes
    ----------
    name : str
        The kernel file.
    room : int
        How many numbers it keeps for the contact.
    columns : mapping of str to int, str or symbol
        What it knows of the contact, under the names of arrays in its file, which have a place for every contact: a
        number as it is, an internal state by the number it has, a formula of parameters by the number of the constant.
    counts : mapping of str to str, optional
        What it counts in a run, all contacts together: under the name of the constant in its file that says where in
        `count` of the trajectory, the name under which a run tells it, "" if it does not.
    """

    name: str
    room: int
    columns: Mapping[str, Any]
    counts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Behaviour:
    """What a kind of contact adds to, or has in the place of, plain dry friction.

    Attributes
    ----------
    rates : mapping of str to symbol
        The rates of its internal states.
    velocity, kinetic, static : symbol, optional
        Its own sliding velocity, its friction in slip and at most in stick; by default those of the mass and the law.
    force_in_stick : symbol, optional
        The friction force in stick, where that is no reaction to be found.
    at_stick, at_slip : mapping of str to symbol, optional
        Where it enters stick, or slip: internal states, and what is zero for the new value of each.
    guards : tuple of Guard
        What ends a step besides v = 0 and |λ| = S.
    static_limit : bool, default True
        Whether |λ| ≤ S holds in stick; if not, guards end it.
    undecided_at_start : bool, default False
        Whether it is asked for its mode at the start even if it moves.
    steepness : symbol, optional
        What must stay positive in slip, or else there is no motion.
    kernel : Kernel, optional
        A kernel of its own.
    """

    rates: Mapping[str, Symbol] = field(default_factory=dict)
    velocity: Symbol | None = None
    kinetic: Symbol | None = None
    static: Symbol | None = None
    force_in_stick: Symbol | None = None
    at_stick: Mapping[str, Symbol] = field(default_factory=dict)
    at_slip: Mapping[str, Symbol] = field(default_factory=dict)
    guards: tuple[Guard, ...] = ()
    static_limit: bool = True
    undecided_at_start: bool = False
    steepness: Symbol | None = None
    kernel: Kernel | None = None
