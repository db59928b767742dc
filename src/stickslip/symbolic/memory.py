"""Contacts with a memory: their internal states, how these move in each mode, and how they jump between modes.

Stick time (leine1998, Eq. 18): it grows at the rate 1 in stick, rests in slip, and is zero where slip ends.

Elastic asperity (hinrichs1998, Eqs. 8–11): with the sliding velocity w of the mass itself, the deflection z of the
asperity ahead of the mass, and its own slip speed u = |ẏ − v₀|,

    ż = −w + s u                         (s = 0 in stick)
    stick:  λ = T = −b w + c z,          slip:  λ = −s R(u),  where  b ż + c z = λ  is the balance of the asperity.

In slip that balance is an implicit equation for u when the friction depends on speed. Its derivative gives

    (b + R′) u̇ = s (b ẇ − c ż − s Ṙ)     (Ṙ: what changes R besides u)

so u is carried along as a state, and the balance itself is solved once, when slip begins.

Chance (hinrichs1998, Eq. 7): what is drawn for a phase is a state that rests until the next one begins.

Bristles (hinrichs1998, Sec. 7.1): by z the bonds are ahead of the mass, in the mean over the bristles that hold, so
ż = −w; each bristle adds k times its own deflection. Which bonds break and where they form anew, and so how z jumps,
is known to `kernels/bristles.py`. With M_H bristles in stick and M_G in slip

    stick:  λ = T = k M_H z − c w,       slip:  λ = −s R = k M_G z.

Without damper (Jenkins) the limit of slip is constant: ż = 0 in slip, and the asperity slips as fast as the mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

TIME = sympy.Symbol("t", real=True)

RIGID, DAMPED, UNDAMPED, BRISTLED = range(4)
"""How a contact sticks: as a constraint v = 0; through an asperity with spring and damper; with a spring alone; through
many bristles."""


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
class Bristles:
    """How many hold in stick and in slip, the stiffness of each, its limit, and the mean distance of new bonds."""

    stick: int
    slip: int
    stiffness: sympy.Expr
    limit: sympy.Symbol
    mean: sympy.Symbol
    damping: sympy.Symbol


@dataclass(frozen=True, eq=False)
class Bonds:
    """The bristles of `contact`, whose mean deflection is the state of that number."""

    contact: int
    state: int
    bristles: Bristles


@dataclass(frozen=True, eq=False)
class Compliance:
    """A contact as the mass sees it: its sliding velocity, its kinetic friction as a function of the slip speed."""

    w: sympy.Expr
    R: sympy.Expr
    speed: sympy.Symbol
    stiffness: sympy.Symbol | None
    damping: sympy.Symbol | None
    correlation_time: sympy.Symbol | None = None
    quantiles: Mapping[str, int] = field(default_factory=dict)  # table numbers of "static" and "kinetic"
    bristles: Bristles | None = None


def sign_of(contact: int) -> sympy.Symbol:
    """The mode s of a contact in expressions: −1, 0 (stick) or 1."""
    return sympy.Symbol(f"_sign{contact}", real=True)


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
        self.kinds: list[int] = []
        self.resets: list[Reset] = []
        self.draws: list[Draw] = []
        self.bonds: list[Bonds] = []
        self.own_forces: dict[int, tuple[sympy.Expr, sympy.Expr]] = {}
        self.steep: dict[int, sympy.Expr] = {}

    def free(self, rates: Mapping[str, sympy.Expr]) -> None:
        """Internal states that know no modes: those of laws with a state of their own."""
        for name, rate in rates.items():
            self._state(-1, name, rate)

    def add(self, i: int, name: str, contact: Compliance) -> None:
        """The internal states of contact i."""
        self.kinds.append(RIGID)
        self.h.append(contact.w)
        self.R.append(contact.R)
        self._draws(i, name, contact)
        if f"stick_time.{name}" in self.internal:
            self._stick_time(i, f"stick_time.{name}")
        if contact.bristles is not None:
            self._bristles(i, name, contact.w, contact.bristles)
        if contact.stiffness is None:
            return
        if contact.damping is None:
            self._undamped(i, name, contact, contact.stiffness)
        else:
            self._damped(i, name, contact, contact.stiffness, contact.damping)

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

    def _draws(self, i: int, name: str, contact: Compliance) -> None:
        memory: dict[str, Any] = {}
        if contact.correlation_time is not None:
            for kind in ("score", "score_time"):
                self._state(i, f"{kind}.{name}", sympy.Integer(0))
                memory[kind] = self._number(f"{kind}.{name}")
            memory["correlation_time"] = contact.correlation_time
        for which in ("static", "kinetic"):
            if (drawn := f"{which}_draw.{name}") in self.internal:
                self._state(i, drawn, sympy.Integer(0))
                number, table = self._number(drawn), contact.quantiles.get(which)
                self.draws.append(Draw(i, which == "static", number, table, **memory))

    def _weight(self, i: int, w: sympy.Expr) -> sympy.Expr:
        """The acceleration of the mass by a unit force: with it a force is measured like a slip acceleration."""
        return along(w, self.states, self.columns[i])

    def _damped(self, i: int, name: str, contact: Compliance, c: sympy.Symbol, b: sympy.Symbol) -> None:
        s, w = sign_of(i), contact.w
        deflection, slip_speed = f"deflection.{name}", f"slip_speed.{name}"
        z, u = self.internal[deflection], self.internal[slip_speed]
        R = contact.R.xreplace({contact.speed: u})
        z_rate = -w + s * u
        self._state(i, deflection, z_rate)
        steepness = b + sympy.diff(R, u)
        self._state(i, slip_speed, s * (b * self._rate(w) - c * z_rate - s * self._rate(R)) / steepness)
        self.forced[slip_speed] = tuple(
            s * (b * along(w, self.states, column) - s * along(R, self.states, column)) / steepness
            for column in self.columns
        )
        self.resets.append(Reset(i, True, self._number(slip_speed), u))
        self.resets.append(Reset(i, False, self._number(slip_speed), s * (c * z - b * w) + b * u + R))
        self.kinds[i], self.h[i], self.R[i] = DAMPED, s * u, R
        self.own_forces[i] = (c * z - b * w, self._weight(i, w))
        if steepness != b:
            self.steep[i] = steepness

    def _undamped(self, i: int, name: str, contact: Compliance, c: sympy.Symbol) -> None:
        s, w = sign_of(i), contact.w
        deflection = f"deflection.{name}"
        z = self.internal[deflection]
        R = contact.R.subs(contact.speed, 0)
        follow = -s * self._rate(R) / c  # in slip c z = −s R, also where the normal force changes
        self._state(i, deflection, -(1 - s**2) * w + follow)
        self.resets.append(Reset(i, False, self._number(deflection), c * z + s * R))
        self.kinds[i], self.h[i], self.R[i] = UNDAMPED, w + follow, R
        self.own_forces[i] = (c * z, self._weight(i, w))

    def _bristles(self, i: int, name: str, w: sympy.Expr, bristles: Bristles) -> None:
        k, deflection = bristles.stiffness, f"deflection.{name}"
        z = self._state(i, deflection, -w)
        self.bonds.append(Bonds(i, self._number(deflection), bristles))
        self.kinds[i], self.R[i] = BRISTLED, -sign_of(i) * k * bristles.slip * z
        self.own_forces[i] = (k * bristles.stick * z - bristles.damping * w, self._weight(i, w))
