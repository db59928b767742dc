"""The equations of a model in the one form that everything else uses.

ż = f(z, t, p) + G(z, t, p) λ
v = h(z, t, p)                                   sliding velocity per contact
slip:   λᵢ = −sᵢ Rᵢ(sᵢ vᵢ, z, t, p)              s = ±1, frozen in the mode
stick:  vᵢ = 0,  a + D λ = 0,  |λᵢ| ≤ Sᵢ          a = ∂h/∂z·f + ∂h/∂t,  D = ∂h/∂z·G

A contact with a memory has internal states among z. Its rates may contain its mode s (0 in stick); where it gives its
own force T in stick (an elastic asperity), that takes the place of the reaction: λᵢ = Tᵢ(z, t, p). When it enters a
mode some internal states jump: see `Reset`.

A spring or damper of the extension e = Σ wᵢ xᵢ and the tension T pushes mass i by −wᵢ T (virtual work).
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from stickslip.errors import ModelError
from stickslip.model.dynamic import DynamicLaw
from stickslip.model.errors import shown
from stickslip.model.functions import Function, arguments_of
from stickslip.model.laws import FrictionLaw, FunctionLaw, Polynomial, Tabulated, WithAging, WithViscous
from stickslip.model.parts import (
    Base,
    Belt,
    Body,
    Contact,
    Drive,
    DynamicContact,
    Ground,
    Link,
    Moving,
    Rubbing,
    SmoothContact,
    Spring,
)
from stickslip.model.system import Filippov, Model, System
from stickslip.model.terms import Term
from stickslip.symbolic.memory import TIME, Chance, Draw, Kept, Memory, OwnGuard, Reset, Sliding, along
from stickslip.symbolic.smoothing import smooth_force
from stickslip.symbolic.trace import trace


class Table(sympy.Function):  # type: ignore[misc]
    """Table(number, u): the tabulated law of that number at slip speed u; `TableSlope` is its derivative."""

    nargs = 2

    def fdiff(self, argindex: int = 2) -> sympy.Expr:
        return TableSlope(*self.args)


class TableSlope(sympy.Function):  # type: ignore[misc]
    """The derivative of `Table` with respect to the slip speed."""

    nargs = 2


@dataclass(frozen=True, eq=False)
class Equations:
    """The ingredients as SymPy expressions, one entry per state or per contact."""

    states: tuple[sympy.Symbol, ...]
    parameters: tuple[sympy.Symbol, ...]
    speeds: tuple[sympy.Symbol, ...]  # u = s v = |v| per contact, the argument of R
    f: tuple[sympy.Expr, ...]
    G: tuple[tuple[sympy.Expr, ...], ...]  # [state][contact]
    h: tuple[sympy.Expr, ...]
    R: tuple[sympy.Expr, ...]
    S: tuple[sympy.Expr, ...]
    normal: tuple[sympy.Expr, ...]  # must stay positive; 1 where nothing can lift off
    doubtful: Mapping[int, sympy.Expr]  # coefficients of contacts whose law might turn negative: these are watched
    tables: tuple[Tabulated, ...]
    formulas: Mapping[str, Any]  # the traced text of every plain function, by part
    own_forces: Mapping[int, tuple[sympy.Expr, sympy.Expr]] = field(default_factory=dict)  # contact: (T, weight)
    limited: tuple[bool, ...] = ()  # whether |λ| ≤ S ends stick, per contact; empty where it does for all
    undecided: tuple[bool, ...] = ()  # whether the mode is asked for at the start even if it moves; empty: for none
    resets: tuple[Reset, ...] = ()
    draws: tuple[Draw, ...] = ()
    own_guards: tuple[OwnGuard, ...] = ()  # of contacts, besides v = 0 and |λ| = S
    kept: tuple[Kept, ...] = ()  # what kernels of kinds of contacts keep
    quantiles: tuple[tuple[tuple[float, ...], ...], ...] = ()  # tables that draws go through
    steep: Mapping[int, sympy.Expr] = field(default_factory=dict)  # contact: what must stay positive in slip
    stiff: tuple[int, ...] = ()  # states of contacts' own laws, which relax so quickly that steps must be limited
    owners: tuple[int, ...] = ()  # per state the contact whose internal state it is, else -1; empty where all are -1
    velocities: tuple[int, ...] = ()  # per state, if it is a position, the number of its velocity, else -1

    @cached_property
    def a(self) -> tuple[sympy.Expr, ...]:
        """∂h/∂z·f + ∂h/∂t, the slip acceleration without friction; −T·weight for a contact with its own force."""
        rigid = [self._along_rates(h) + sympy.diff(h, TIME) for h in self.h]
        for i, (force, weight) in self.own_forces.items():
            rigid[i] = -force * weight
        return tuple(rigid)

    def _along_rates(self, h: sympy.Expr) -> sympy.Expr:
        """∂h/∂z·f, from the states alone that are in h: with many contacts they are few of all."""
        numbers = sorted(self.numbers[z] for z in h.free_symbols if z in self.numbers)
        return along(h, [self.states[i] for i in numbers], [self.f[i] for i in numbers])

    @cached_property
    def numbers(self) -> dict[sympy.Symbol, int]:
        """The number of every state."""
        return {z: i for i, z in enumerate(self.states)}

    @cached_property
    def acting(self) -> tuple[dict[int, sympy.Expr], ...]:
        """The rows of G without zeros: which friction forces act on each state, and how."""
        return tuple({j: g for j, g in enumerate(row) if g is not sympy.S.Zero and g != 0} for row in self.G)

    @cached_property
    def coupled(self) -> tuple[dict[int, sympy.Expr], ...]:
        """The rows of D without zeros: which friction forces act on each sliding velocity, and how."""
        rows = [self._coupled(h) for h in self.h]
        for i, (_, weight) in self.own_forces.items():
            rows[i] = {i: weight}
        return tuple(rows)

    def _coupled(self, h: sympy.Expr) -> dict[int, sympy.Expr]:
        slopes = self.slopes(h)
        forces = sorted({j for i in slopes for j in self.acting[i]})
        row = {
            j: sympy.Add(*(slope * self.acting[i][j] for i, slope in slopes.items() if j in self.acting[i]))
            for j in forces
        }
        return {j: d for j, d in row.items() if d != 0}

    def slopes(self, h: sympy.Expr) -> dict[int, sympy.Expr]:
        """∂h/∂z by state, for the states that are in h."""
        numbers = sorted(self.numbers[z] for z in h.free_symbols if z in self.numbers)
        return {i: sympy.diff(h, self.states[i]) for i in numbers}

    @cached_property
    def D(self) -> tuple[tuple[sympy.Expr, ...], ...]:
        """∂h/∂z·G, the Delassus matrix; for a contact with its own force only its weight, on the diagonal."""
        return tuple(dense(row, len(self.h)) for row in self.coupled)


def dense(row: Mapping[int, sympy.Expr], length: int) -> tuple[sympy.Expr, ...]:
    """A row of a matrix with its zeros.

    >>> dense({1: sympy.Integer(5)}, 3)
    (0, 5, 0)
    """
    entries = [sympy.S.Zero] * length
    for j, entry in row.items():
        entries[j] = entry
    return tuple(entries)


_RESERVED = {"t", "z", "p", "s", "force", "noise", "np", "njit", "pi", "float", "abs", "min", "max", "range"}
_RESERVED |= {"atan", "comb", "copysign", "cos", "cosh", "exp", "isfinite", "log", "sin", "sinh", "sqrt", "tan", "tanh"}
_RESERVED |= {"trajectory", "contact", "largest", "score", "correlation", "step", "int", "len", "inf", "nan"}
_RESERVED |= {"line", "wave_sine", "wave_cosine", "table_value", "table_slope", "frozen_sign", "frozen_interval"}
"""Names that generated functions use themselves, beside those in capitals and with an underscore before them."""


def symbol(name: str) -> sympy.Symbol:
    """The symbol of a state or parameter: `x.block` → x_block; names that the source uses itself get an underscore."""
    plain = name.replace(".", "_")
    return sympy.Symbol(f"{plain}_" if plain in _RESERVED or plain.isupper() else plain, real=True)


_derived: weakref.WeakKeyDictionary[Model, Equations] = weakref.WeakKeyDictionary()
"""Equations of the models that are about: deriving them takes longer than anything that is done with them."""


def derive(model: Model) -> Equations:
    """The equations of any model, derived once.

    >>> from stickslip.model.library import block_on_belt
    >>> derive(block_on_belt()).h
    (-belt_speed + v_block,)
    """
    equations = _derived.get(model) if isinstance(model, Model) else None
    if equations is None:
        equations = _derive(model)
        _derived[model] = equations
    return equations


def _derive(model: Model) -> Equations:
    names = [*model.states, *model.parameters]
    symbols = [str(symbol(name)) for name in names]
    for name, count in Counter(symbols).items():
        if count > 1:
            raise ModelError(f"the name {name!r} stands for two things in this model: rename a part")
    if isinstance(model, System):
        return _Mechanics(model).equations()
    if isinstance(model, Filippov):
        return _filippov(model)
    raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov")


def in_symbols(term: Term, named: Callable[[str], sympy.Symbol], inside: bool = False) -> sympy.Expr:
    """A term in symbols: what it follows from written out, down to parameters or, `inside` a part, to its numbers."""
    if term.function is None:
        return named(term.name)
    plain = {name: sympy.Symbol(name, real=True) for name in term.arguments}
    traced = trace(term.function, plain, term.what)
    if not isinstance(traced, sympy.Expr):
        raise ModelError(f"{term.what} is {shown(traced)}: it must be one number")
    arguments = {
        plain[name]: named(inner.label) if inside and inner.label else in_symbols(inner, named, inside)
        for name, inner in term.arguments.items()
    }
    return traced.xreplace(arguments)


def _short(name: str) -> sympy.Symbol:
    return sympy.Symbol(name.rpartition(".")[2], real=True)


class _Mechanics:
    """Newton's law for every mass, from the parts."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.x = {mass.name: symbol(f"x.{mass.name}") for mass in system.masses}
        self.v = {mass.name: symbol(f"v.{mass.name}") for mass in system.masses}
        self.extra = {name: symbol(name) for name in system.extra_states}
        self.internal = {name: symbol(name) for name in system.internal_states}
        self.rates: dict[str, sympy.Expr] = {}  # of internal states that know no modes
        self.fixed = dict.fromkeys(symbol(name) for name in system.parameters).keys()
        self.formulas: dict[str, Any] = {}
        self.kinetic: dict[int, tuple[sympy.Expr, Any]] = {}  # formulas of laws, and their texts
        self.tables: list[Tabulated] = []
        self.quantiles: list[tuple[tuple[float, ...], ...]] = []
        self.position = {"ground": sympy.Integer(0)}
        self.velocity = {"ground": sympy.Integer(0)}
        self.extra_rates = {
            name: self.value(name, "rate", state.rate, self.everything()) for name, state in system.extra_states.items()
        }
        for body in system.bodies.values():
            self._place(body)

    def parameter(self, part: str, name: str) -> sympy.Expr:
        """A number of a part in symbols: a parameter, or the formula by which it follows from parameters."""
        term = self.system.term(part, name)
        if term.function is not None:
            # In a file it stands with the names that numbers have there: shared ones their own, others short ones.
            self.formulas[f"{part}.{name}"] = formula_text(in_symbols(term, _short, inside=True))
        return in_symbols(term, symbol)

    def value(self, part: str, attribute: str, value: Any, variables: Mapping[str, sympy.Expr]) -> sympy.Expr:
        """A number in symbols, a function as its formula."""
        if attribute in self.system.parts[part].numbers(part):
            return self.parameter(part, attribute)
        what = f"{attribute} of {part!r}"
        needed, parameters = arguments_of(value, what)
        for name in needed:
            if name not in variables:
                raise ModelError(
                    f"{what} depends on {name!r}, which is not known there; known are {', '.join(variables)}"
                )
        arguments = {name: variables[name] for name in needed}
        inside = {name: sympy.Symbol(name, real=True) for name in parameters}
        expression = trace(value, {**{n: sympy.Symbol(n, real=True) for n in needed}, **inside}, what)
        if not isinstance(expression, sympy.Expr):
            raise ModelError(f"{what} returns {expression}: it must return one number")
        self.formulas[f"{part}.{attribute}"] = formula_text(expression)
        outside = {sympy.Symbol(n, real=True): e for n, e in arguments.items()}
        outside |= {inside[n]: self.parameter(part, n) for n in parameters}
        return expression.xreplace(outside)

    def _place(self, body: Body) -> None:
        known = {"t": TIME, **self.extra}
        match body:
            case Moving():
                self.position[body.name] = self.x[body.name]
                self.velocity[body.name] = self.v[body.name]
            case Belt():
                self.velocity[body.name] = self.value(body.name, "speed", body.speed, known)
            case Base():
                motion = self.position[body.name] = self.value(body.name, "motion", body.motion, known)
                steered = along(motion, [*self.extra.values()], [*self.extra_rates.values()])
                self.velocity[body.name] = sympy.diff(motion, TIME) + steered
            case Ground():
                pass

    def everything(self) -> dict[str, sympy.Expr]:
        """The names a force or a normal force may depend on."""
        names = {"t": TIME}
        names |= {f"x_{n}": s for n, s in self.x.items()}
        return names | {f"v_{n}": s for n, s in self.v.items()} | self.extra

    def equations(self) -> Equations:
        system = self.system
        force = {mass.name: sympy.Integer(0) for mass in system.masses}
        contacts: list[ContactEquations] = []
        for name, part in system.interactions.items():
            match part:
                case Link():
                    self._pull(force, name, part)
                case Drive():
                    self._drive(force, name, part)
                case Contact():
                    contacts.append(self._contact(name, part))
                case SmoothContact():
                    self._rub(force, name, part)
                case DynamicContact():
                    self._drag(force, name, part)
        m = {mass.name: self.parameter(mass.name, mass.measure) for mass in system.masses}
        zero = dense({}, len(contacts))
        states = (*self.x.values(), *self.v.values(), *self.extra.values())
        f = (*self.v.values(), *(force[n] / m[n] for n in m), *self.extra_rates.values())
        pushed: dict[str, dict[int, sympy.Expr]] = {n: {} for n in m}
        for j, contact in enumerate(contacts):
            for n, weight in contact.weights.items():
                pushed[n][j] = weight / m[n]
        rows = (dense(row, len(contacts)) for row in pushed.values())
        G = (*(zero for _ in m), *rows, *(zero for _ in self.extra))
        memory = Memory(self.internal, states, f, G)
        memory.free(self.rates)
        for (name, part), c in zip(system.friction.items(), contacts, strict=True):
            sliding = Sliding(c.h, c.R, c.S, c.speed, partial(self.parameter, name))
            memory.add(name, part, sliding, self._chance(name, part))
        return Equations(
            states=(*states, *self.internal.values()),
            parameters=tuple(self.fixed),
            speeds=tuple(contact.speed for contact in contacts),
            f=(*f, *memory.f),
            G=(*G, *memory.G),
            h=tuple(memory.h),
            R=tuple(memory.R),
            S=tuple(memory.S),
            normal=tuple(self._lifting(contact.normal) for contact in contacts),
            doubtful={
                i: contacts[i].mu for i, c in enumerate(system.friction.values()) if _doubtful(c.friction) or c.scatter
            },
            tables=tuple(self.tables),
            formulas=self.formulas,
            own_forces=memory.own_forces,
            limited=tuple(memory.limited),
            undecided=tuple(memory.undecided),
            resets=tuple(memory.resets),
            draws=tuple(memory.draws),
            own_guards=tuple(memory.guards),
            kept=tuple(memory.kept),
            quantiles=tuple(self.quantiles),
            steep=memory.steep,
            owners=memory.owners,
            stiff=tuple(len(states) + i for i, name in enumerate(self.internal) if name in self.rates),
            velocities=(*(range(len(m), 2 * len(m))), *(-1 for _ in (*m, *self.extra, *self.internal))),
        )

    def _chance(self, name: str, part: Contact) -> Chance:
        """What is drawn for a contact."""
        correlation_time = None if part.correlation_time is None else self.parameter(name, "correlation_time")
        quantiles: dict[str, int] = {}
        for which in ("static", "kinetic") if part.scatter else ():
            table = part.scatter.table(which) if part.scatter else None
            if table is not None:
                quantiles[which] = len(self.quantiles)
                self.quantiles.append(table)
        return Chance(correlation_time, quantiles)

    def _pull(self, force: dict[str, sympy.Expr], name: str, part: Link) -> None:
        where = self.position if isinstance(part, Spring) else self.velocity
        stretch = sympy.Add(*(_exact(weight) * where[body.name] for body, weight in part.ends))
        if part.force is not None:
            tension = self.value(name, "force", part.force, {"e": stretch})
        else:
            tension = self.parameter(name, part.number) * stretch
        for body, weight in part.ends:
            if isinstance(body, Moving):
                force[body.name] -= _exact(weight) * tension

    def _drive(self, force: dict[str, sympy.Expr], name: str, part: Drive) -> None:
        weights = {body.name: _exact(weight) for body, weight in part.weights}
        own = {
            "x": sympy.Add(*(w * self.x[n] for n, w in weights.items())),
            "v": sympy.Add(*(w * self.v[n] for n, w in weights.items())),
        }
        strength = self.value(name, part.attribute, part.strength, {**self.everything(), **own})
        for mass, weight in weights.items():
            force[mass] += weight * strength

    def _rub(self, force: dict[str, sympy.Expr], name: str, part: SmoothContact) -> None:
        c = self._contact(name, part)
        eps = self.parameter(name, "eps")
        friction = smooth_force(part.shape, c.h, eps, (c.R, c.speed), c.S, c.normal * self._at_rest(c.mu, c.speed))
        for mass, weight in c.weights.items():
            force[mass] += weight * friction

    def _drag(self, force: dict[str, sympy.Expr], name: str, part: DynamicContact) -> None:
        """The force −N·coefficient of a law with a state of its own, and the rate of that state."""
        h, weights = self._sliding(part)
        state = f"{part.friction.state}.{name}"
        normal = self.value(name, "normal", part.normal, self.everything())
        known = {"v": h, "z": self.internal[state]}
        rate, coefficient = part.friction.functions()
        self.rates[state] = self._formula(name, "rate", rate, part.friction, known)
        friction = -normal * self._formula(name, "coefficient", coefficient, part.friction, known)
        for mass, weight in weights.items():
            force[mass] += weight * friction

    def _formula(
        self, name: str, key: str, function: Function, law: DynamicLaw, known: Mapping[str, sympy.Expr]
    ) -> sympy.Expr:
        """A function of a dynamic law in symbols; traced with plain names first, as files have them."""
        inside = {n: sympy.Symbol(n, real=True) for n in (*known, *law.given())}
        expression = trace(function, inside, f"the {key} of {name!r}")
        if not isinstance(expression, sympy.Expr):
            raise ModelError(f"the {key} of {name!r} returns {expression}: it must return one number")
        self.formulas[f"{name}.{key}"] = formula_text(expression)
        outside = {inside[n]: e for n, e in known.items()}
        return expression.xreplace(outside | {inside[n]: self.parameter(name, n) for n in law.given()})

    def _sliding(self, part: Rubbing) -> tuple[sympy.Expr, dict[str, sympy.Expr]]:
        """The sliding velocity, and the masses that a force along it acts on."""
        weights = {mass.name: _exact(weight) for mass, weight in part.weights}
        h = sympy.Add(*(w * self.v[n] for n, w in weights.items())) - self.velocity[part.against.name]
        if isinstance(part.against, Moving):
            weights[part.against.name] = sympy.Integer(-1)
        return h, weights

    def _contact(self, name: str, part: Contact | SmoothContact) -> ContactEquations:
        h, weights = self._sliding(part)
        speed = sympy.Symbol(f"speed_{name}", real=True)
        normal = self.value(name, "normal", part.normal, self.everything())
        mu = self._coefficient(name, part.friction, speed)
        mu_s = self._static(name, part.friction, mu, speed)
        mu, mu_s = mu + self._drawn("kinetic", name), mu_s + self._drawn("static", name)
        return ContactEquations(h, weights, speed, mu, normal * mu, normal * mu_s, normal)

    def _drawn(self, which: str, name: str) -> sympy.Expr:
        """The random part of a coefficient."""
        state = self.internal.get(f"{which}_draw.{name}")
        return sympy.Integer(0) if state is None else self.parameter(name, f"scatter_{which}") * state

    def _static(self, name: str, law: FrictionLaw, mu: sympy.Expr, speed: sympy.Symbol) -> sympy.Expr:
        """The static coefficient."""
        if isinstance(law, WithAging):
            growing = {n: self.parameter(name, n) for n in arguments_of(law.growth, "growth")[1]}
            growing["stick_time"] = self.internal[f"stick_time.{name}"]
            plain = {n: sympy.Symbol(n, real=True) for n in growing}
            growth = trace(law.growth, plain, f"the growth of {name!r}")
            self.formulas[f"{name}.aging"] = formula_text(growth)
            fresh = self._static(name, law.law, mu, speed)
            return fresh * growth.xreplace({plain[n]: e for n, e in growing.items()})
        if isinstance(law, WithViscous):
            return self._static(name, law.law, mu, speed)
        if law.static is None:
            return self._at_rest(mu, speed)
        plain = {n: sympy.Symbol(n, real=True) for n in law.given()}
        static = trace(law.static, plain, f"the static law of {name!r}")
        return static.xreplace({symbol: self.parameter(name, n) for n, symbol in plain.items()})

    def _at_rest(self, mu: sympy.Expr, speed: sympy.Symbol) -> sympy.Expr:
        """A kinetic coefficient at zero slip speed."""
        return mu.replace(Table, lambda number, u: sympy.Float(self.tables[int(number)].values[0])).subs(speed, 0)

    def _lifting(self, normal: sympy.Expr) -> sympy.Expr:
        """The normal force where state or time may bring it to zero, else 1."""
        return sympy.Integer(1) if normal.free_symbols <= self.fixed else normal

    def _coefficient(self, name: str, law: FrictionLaw, speed: sympy.Symbol) -> sympy.Expr:
        if isinstance(law, Tabulated):
            self.tables.append(law)
            return Table(len(self.tables) - 1, speed)
        if isinstance(law, WithViscous):
            return self._coefficient(name, law.law, speed) + self.parameter(name, "viscous") * speed
        if isinstance(law, WithAging):
            return self._coefficient(name, law.law, speed)
        inside = {n: sympy.Symbol(n, real=True) for n in law.given()}
        v = sympy.Symbol("v", real=True)
        if id(law) not in self.kinetic:  # contacts of one law trace it once
            traced = trace(law.kinetic, {"v": v, **inside}, f"the law of {name!r}")
            self.kinetic[id(law)] = traced, formula_text(traced)
        expression, self.formulas[f"{name}.law"] = self.kinetic[id(law)]
        return expression.xreplace({v: speed} | {s: self.parameter(name, n) for n, s in inside.items()})


@dataclass(frozen=True)
class ContactEquations:
    h: sympy.Expr
    weights: Mapping[str, sympy.Expr]
    speed: sympy.Symbol
    mu: sympy.Expr
    R: sympy.Expr
    S: sympy.Expr
    normal: sympy.Expr


def _doubtful(law: FrictionLaw) -> bool:
    """Whether a law can turn negative somewhere, though its parameters are allowed."""
    inner = law
    while isinstance(inner, WithViscous | WithAging):
        inner = inner.law
    return isinstance(inner, FunctionLaw | Polynomial)


def _exact(weight: float) -> sympy.Expr:
    return sympy.Integer(int(weight)) if float(weight).is_integer() else sympy.Float(weight)


class _FormulaPrinter(StrPrinter):  # type: ignore[misc]
    """Numbers with all their digits."""

    def _print_Float(self, e: sympy.Float) -> str:
        return repr(float(e))


def formula_text(expression: Any) -> Any:
    """An expression in the grammar of model files (nested tuples give nested lists)."""
    if isinstance(expression, tuple):
        return [formula_text(item) for item in expression]
    names = {"Abs": "abs", "Min": "min", "Max": "max"}
    text = _FormulaPrinter().doprint(expression.replace(sympy.Piecewise, _where_text))
    for ours, theirs in names.items():
        text = text.replace(f"{ours}(", f"{theirs}(")
    return text


def _where_text(*pairs: Any) -> sympy.Expr:
    *conditional, (last, _) = pairs
    for value, condition in reversed(conditional):
        last = sympy.Function("where")(condition, value, last)
    return last


def _filippov(model: Filippov) -> Equations:
    states = {name.replace(".", "_"): symbol(name) for name in model.states}
    speeds = tuple(sympy.Symbol(f"speed_{name}", real=True) for name in model.contacts)
    formulas: dict[str, Any] = {}

    def ingredient(key: str, more: Mapping[str, sympy.Expr] | None = None) -> Any:
        function: Callable[..., Any] = model.functions[key]
        needed, parameters = arguments_of(function, key)
        known = {"t": TIME, **states, **(more or {})}
        for name in needed:
            if name not in known:
                raise ModelError(f"{key} depends on {name!r}, which is not known; known are {', '.join(known)}")
        arguments = {n: known[n] for n in needed} | {n: symbol(n) for n in parameters}
        traced = trace(function, arguments, key)
        formulas[key] = formula_text(traced)
        return traced if isinstance(traced, tuple) else (traced,)

    def limit(key: str, index: int) -> sympy.Expr:
        if key not in model.functions:
            return symbol(key)
        values = ingredient(key, {"v": speeds[index]})
        return values[index if len(values) > 1 else 0]

    contacts = range(len(model.contacts))
    f, h = ingredient("f"), ingredient("h")
    rows = ingredient("G")
    G = tuple(row if isinstance(row, tuple) else (row,) for row in rows)
    if len(f) != len(states) or len(G) != len(states) or any(len(row) != len(contacts) for row in G):
        raise ModelError(
            f"f gives {len(f)} rates and G {len(G)} rows for {len(states)} states and {len(contacts)} contacts: "
            "f needs one rate per state, G one row per state with one entry per contact"
        )
    if len(h) != len(contacts):
        raise ModelError(f"h gives {len(h)} values for {len(contacts)} contacts: it needs one per contact")
    R = tuple(limit("kinetic", i) for i in contacts)
    has_static = "static" in model.functions or "static" in model.parameters
    S = tuple(limit("static", i) if has_static else R[i].subs(speeds[i], 0) for i in contacts)
    return Equations(
        states=tuple(states.values()),
        parameters=tuple(symbol(name) for name in model.parameters),
        speeds=speeds,
        f=f,
        G=G,
        h=h,
        R=R,
        S=S,
        normal=(sympy.Integer(1),) * len(contacts),
        doubtful={i: R[i] for i in contacts} if "kinetic" in model.functions else {},
        tables=(),
        formulas=formulas,
    )
