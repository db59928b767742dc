"""Contacts with a memory: their internal states, how these move in each mode, and how they jump between modes.

What a kind of contact does, its class says (`Contact.behaviour`); here that becomes rates, resets and guards.

Stick time (leine1998, Eq. 18): it grows at the rate 1 in stick, rests in slip, and is zero where slip ends.

Chance (hinrichs1998, Eq. 7): what is drawn for a phase is a state that rests until the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from stickslip.model.behaviour import STICK, Behaviour, Kernel, Seen
from stickslip.model.parts import Contact
from stickslip.symbolic.frozen import sign_of, stored

TIME = sympy.Symbol("t", real=True)


@dataclass(frozen=True, eq=False)
class Reset:
    """When `contact` enters stick (or slip), the state of that number becomes the solution of residual = 0.

    The residual may contain all states, time, parameters and the mode of the contact after the change.
    """

    contact: int
    stick: bool
    state: int
    residual: sympy.Expr


@dataclass(frozen=True, eq=False)
class Draw:
    """When `contact` enters stick (or slip), the state of that number is drawn anew.

    From a normal distribution, or through the quantile table of that number. Where draws are correlated in time,
    `score` and `score_time` are the states that remember the last one, and when it was.
    """

    contact: int
    stick: bool
    state: int
    table: int | None = None
    score: int | None = None
    score_time: int | None = None
    correlation_time: sympy.Symbol | None = None


@dataclass(frozen=True, eq=False)
class OwnGuard:
    """While `contact` sticks (or slips), `value` is positive; where it ends, states jump, or it is released."""

    contact: int
    stick: bool
    value: sympy.Expr
    jumps: Mapping[int, sympy.Expr]
    releases: bool


@dataclass(frozen=True, eq=False)
class Kept:
    """What a kernel of its own keeps for `contact`: from which place on, and what it knows of the contact."""

    contact: int
    name: str
    place: int
    room: int
    columns: Mapping[str, int | sympy.Expr]
    counts: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Chance:
    """What is drawn for a contact: correlation time and table numbers of "static" and "kinetic"."""

    correlation_time: sympy.Symbol | None = None
    quantiles: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sliding:
    """A contact as the mass sees it: its sliding velocity w, and its friction S, and R as a function of the speed."""

    w: sympy.Expr
    R: sympy.Expr
    S: sympy.Expr
    speed: sympy.Symbol
    parameter: Callable[[str], sympy.Expr]


def along(expression: sympy.Expr, states: Sequence[sympy.Symbol], direction: Sequence[sympy.Expr]) -> sympy.Expr:
    """Derivative of `expression` along `direction` in state space."""
    free = expression.free_symbols
    return sympy.Add(
        *(sympy.diff(expression, z) * d for z, d in zip(states, direction, strict=True) if z in free and d != 0)
    )


class Memory:
    """The equations of all internal states, contact by contact; h and R as they are with them."""

    def __init__(
        self,
        internal: Mapping[str, sympy.Symbol],
        states: Sequence[sympy.Symbol],
        f: Sequence[sympy.Expr],
        G: Sequence[Sequence[sympy.Expr]],
    ) -> None:
        self.internal, self.states = internal, states
        self.mechanical_f, self.columns = f, list(zip(*G, strict=True))
        self.rates: dict[str, sympy.Expr] = {}
        self.forced: dict[str, tuple[sympy.Expr, ...]] = {}  # rows of G
        self.owner: dict[str, int] = {}
        self.h: list[sympy.Expr] = []
        self.R: list[sympy.Expr] = []
        self.S: list[sympy.Expr] = []
        self.limited: list[bool] = []
        self.undecided: list[bool] = []
        self.resets: list[Reset] = []
        self.draws: list[Draw] = []
        self.guards: list[OwnGuard] = []
        self.kept: list[Kept] = []
        self.own_forces: dict[int, tuple[sympy.Expr, sympy.Expr]] = {}
        self.steep: dict[int, sympy.Expr] = {}

    def free(self, rates: Mapping[str, sympy.Expr]) -> None:
        """Internal states that know no modes: those of laws with a state of their own."""
        for name, rate in rates.items():
            self._state(-1, name, rate)

    def add(self, name: str, part: Contact, contact: Sliding, chance: Chance) -> None:
        """The internal states of the next contact."""
        i = len(self.h)
        changes: dict[sympy.Symbol, sympy.Expr] = {}
        behaviour = part.behaviour(self._seen(i, name, contact, changes))
        self.h.append(contact.w if behaviour.velocity is None else sympy.sympify(behaviour.velocity))
        self.R.append(contact.R if behaviour.kinetic is None else sympy.sympify(behaviour.kinetic))
        self.h[i], self.R[i] = (self._moving(e, changes) for e in (self.h[i], self.R[i]))
        self.S.append(contact.S if behaviour.static is None else sympy.sympify(behaviour.static))
        self.limited.append(behaviour.static_limit)
        self.undecided.append(behaviour.undecided_at_start)
        self._draws(i, name, chance)
        if f"stick_time.{name}" in self.internal:
            self._stick_time(i, f"stick_time.{name}")
        self._behave(i, name, behaviour, changes)
        if behaviour.force_in_stick is not None:
            self.own_forces[i] = (behaviour.force_in_stick, self._weight(i, contact.w))
        if behaviour.steepness is not None:
            self.steep[i] = behaviour.steepness

    def _seen(self, i: int, name: str, contact: Sliding, changes: dict[sympy.Symbol, sympy.Expr]) -> Seen:
        def rate(e: sympy.Expr) -> sympy.Symbol:
            symbol = sympy.Symbol(f"_rate{i}_{len(changes)}", real=True)
            changes[symbol] = e
            return symbol

        place = sum(kept.room for kept in self.kept)
        return Seen(
            velocity=contact.w,
            mode=sign_of(i),
            speed=contact.speed,
            static=contact.S,
            kinetic=lambda u: contact.R.subs(contact.speed, 0) if u == 0 else contact.R.xreplace({contact.speed: u}),
            state=lambda which: self.internal[f"{which}.{name}"],
            parameter=contact.parameter,
            stored=lambda number: stored(place + number),
            rate=rate,
            slope=sympy.diff,
        )

    def _behave(self, i: int, name: str, behaviour: Behaviour, changes: Mapping[sympy.Symbol, sympy.Expr]) -> None:
        for which, rate in behaviour.rates.items():
            full = f"{which}.{name}"
            self._state(i, full, self._moving(sympy.sympify(rate), changes))
            if any(change in sympy.sympify(rate).free_symbols for change in changes):
                self.forced[full] = self._forced(rate, changes)
        for stick, entered in ((True, behaviour.at_stick), (False, behaviour.at_slip)):
            for which, residual in entered.items():
                self.resets.append(Reset(i, stick, self._number(f"{which}.{name}"), residual))
        for guard in behaviour.guards:
            jumps = {self._number(f"{which}.{name}"): sympy.sympify(e) for which, e in guard.jumps.items()}
            self.guards.append(OwnGuard(i, guard.mode == STICK, guard.value, jumps, guard.releases))
        if behaviour.kernel is not None:
            self._keep(i, name, behaviour.kernel)

    def _keep(self, i: int, name: str, kernel: Kernel) -> None:
        columns = {
            column: self._number(f"{value}.{name}") if isinstance(value, str) else value
            for column, value in kernel.columns.items()
        }
        self.kept.append(
            Kept(i, kernel.name, sum(kept.room for kept in self.kept), kernel.room, columns, kernel.counts)
        )

    def _moving(self, e: sympy.Expr, changes: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
        """A formula with what `Seen.rate` stands for, but for friction."""
        return e.xreplace({symbol: self._rate(changed) for symbol, changed in changes.items()})

    def _forced(self, rate: sympy.Expr, changes: Mapping[sympy.Symbol, sympy.Expr]) -> tuple[sympy.Expr, ...]:
        """What friction adds to a rate through these; it is linear in them."""
        return tuple(
            sympy.Add(*(sympy.diff(rate, x) * along(e, self.states, column) for x, e in changes.items()))
            for column in self.columns
        )

    @property
    def f(self) -> list[sympy.Expr]:
        """Rates of the internal states, without friction forces."""
        return [self.rates[name] for name in self.internal]

    @property
    def G(self) -> list[tuple[sympy.Expr, ...]]:
        """How the friction forces act on them."""
        zero = (sympy.Integer(0),) * len(self.columns)
        return [self.forced.get(name, zero) for name in self.internal]

    @property
    def owners(self) -> tuple[int, ...]:
        """Per state the contact it belongs to, or -1."""
        return (*(-1 for _ in self.states), *(self.owner[name] for name in self.internal))

    def _number(self, name: str) -> int:
        return len(self.states) + list(self.internal).index(name)

    def _state(self, i: int, name: str, rate: sympy.Expr) -> sympy.Symbol:
        self.owner[name], self.rates[name] = i, rate
        return self.internal[name]

    def _rate(self, e: sympy.Expr) -> sympy.Expr:
        """Total time derivative without friction forces."""
        return along(e, self.states, self.mechanical_f) + sympy.diff(e, TIME)

    def _stick_time(self, i: int, name: str) -> None:
        stick_time = self._state(i, name, 1 - sign_of(i) ** 2)
        self.resets.append(Reset(i, True, self._number(name), stick_time))

    def _draws(self, i: int, name: str, chance: Chance) -> None:
        memory: dict[str, Any] = {}
        if chance.correlation_time is not None:
            for kind in ("score", "score_time"):
                self._state(i, f"{kind}.{name}", sympy.Integer(0))
                memory[kind] = self._number(f"{kind}.{name}")
            memory["correlation_time"] = chance.correlation_time
        for which in ("static", "kinetic"):
            if (drawn := f"{which}_draw.{name}") in self.internal:
                self._state(i, drawn, sympy.Integer(0))
                number, table = self._number(drawn), chance.quantiles.get(which)
                self.draws.append(Draw(i, which == "static", number, table, **memory))

    def _weight(self, i: int, w: sympy.Expr) -> sympy.Expr:
        """The acceleration of the mass by a unit force: with it a force is measured like a slip acceleration."""
        return along(w, self.states, self.columns[i])
