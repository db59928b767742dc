"""Random systems: structures from a seed, and many parameter sets, units and starts for each.

Numbers are drawn in natural units (masses, stiffnesses and speeds about 1) and then expressed in others, so that
every parameter has a dimension: powers of mass, length and time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tests.referee.instants import Instant, shifted_phase

import stickslip as ss
from stickslip.model.formula import Formula

Dimension = tuple[int, int, int]
NUMBER, SPEED, SLOWNESS, RATE = (0, 0, 0), (0, 1, -1), (0, -1, 1), (0, 0, -1)
LENGTH, WAVE_NUMBER, MASS, FORCE = (0, 1, 0), (0, -1, 0), (1, 0, 0), (1, 1, -2)
STIFFNESS, DAMPING = (1, 0, -2), (1, 0, -1)


@dataclass(frozen=True)
class Quantity:
    """The range of a parameter in natural units, and its dimension."""

    low: float
    high: float
    dimension: Dimension = NUMBER
    signed: bool = False
    even: bool = False
    """Drawn evenly; else evenly by logarithm."""

    def draw(self, rng: np.random.Generator) -> float:
        if self.even:
            return float(rng.uniform(self.low, self.high))
        value = float(math.exp(rng.uniform(math.log(self.low), math.log(self.high))))
        return -value if self.signed and rng.random() < 0.5 else value


PHASE = Quantity(-math.pi, math.pi, even=True)
FREQUENCY = Quantity(0.2, 8.0, RATE)
Quantities = Mapping[str, Quantity]
WAVE: Quantities = {"w": FREQUENCY, "p": PHASE}
WAVES: Quantities = {**WAVE, "u": FREQUENCY, "q": PHASE}
PHASES = {"p": "w", "q": "u"}
"""Phases of excitations and the frequencies they belong to."""

K = Quantity(0.3, 3.0, STIFFNESS)
SPRINGS: dict[str, tuple[str, Quantities]] = {
    "linear": ("", {"k": K}),
    "cubic": ("k*e + h*e**3", {"k": K, "h": Quantity(0.1, 2.0, (1, -2, -2))}),
    "quadratic": ("k*e + h*e**2", {"k": K, "h": Quantity(0.01, 0.1, (1, -1, -2), signed=True)}),
    "both": (
        "k*e + h*e**2 + j*e**3",
        {"k": K, "h": Quantity(0.1, 1.0, (1, -1, -2), signed=True), "j": Quantity(0.3, 2.0, (1, -2, -2))},
    ),
    "tanh": ("f*tanh(s*e)", {"f": Quantity(0.3, 3.0, FORCE), "s": Quantity(0.3, 3.0, WAVE_NUMBER)}),
    "sine": ("f*sin(s*e)", {"f": Quantity(0.3, 3.0, FORCE), "s": Quantity(0.3, 2.0, WAVE_NUMBER)}),
    "stop": (
        "k*e + h*max(e - gap, 0) + j*min(e + gap, 0)",
        {
            "k": K,
            "h": Quantity(1.0, 20.0, STIFFNESS),
            "j": Quantity(1.0, 20.0, STIFFNESS),
            "gap": Quantity(0.1, 1, LENGTH),
        },
    ),
    "kink": ("k*e + h*abs(e - gap)", {"k": K, "h": Quantity(0.05, 0.25, STIFFNESS), "gap": Quantity(0.1, 1, LENGTH)}),
    "absolute": ("k*e + h*e*abs(e)", {"k": K, "h": Quantity(0.1, 2.0, (1, -1, -2))}),
    "exponential": ("f*(exp(s*e) - 1)", {"f": Quantity(0.3, 2.0, FORCE), "s": Quantity(0.2, 1.0, WAVE_NUMBER)}),
    "wells": ("h*e**3 - k*e", {"k": Quantity(0.2, 1.0, STIFFNESS), "h": Quantity(0.3, 2.0, (1, -2, -2))}),
}
C = Quantity(0.01, 0.5, DAMPING)
DAMPERS: dict[str, tuple[str, Quantities]] = {
    "linear": ("", {"c": C}),
    "cubic": ("c*e + h*e**3", {"c": C, "h": Quantity(0.01, 0.3, (1, -2, 1))}),
    "square": ("h*e*abs(e)", {"h": Quantity(0.05, 0.5, (1, -1, 0))}),
    "tanh": ("f*tanh(s*e)", {"f": Quantity(0.05, 0.5, FORCE), "s": Quantity(0.3, 5.0, SLOWNESS)}),
}
AMPLITUDE = Quantity(0.05, 2.0, FORCE)
FORCES: dict[str, tuple[str, Quantities]] = {
    "constant": ("", {"force": Quantity(0.05, 1.0, FORCE, signed=True)}),
    "wave": ("a*cos(w*t + p)", {"a": AMPLITUDE, **WAVE}),
    "waves": ("a*cos(w*t + p) + b*sin(u*t + q)", {"a": AMPLITUDE, "b": AMPLITUDE, **WAVES}),
    "beat": ("a*cos(w*t + p)*cos(u*t + q)", {"a": AMPLITUDE, **WAVES}),
    "square": ("a*sin(w*t + p)**2", {"a": AMPLITUDE, **WAVE}),
    "offset": ("f + a*cos(w*t + p)", {"a": AMPLITUDE, "f": AMPLITUDE, **WAVE}),
    "self-excited": ("c*(1 - (x/l)**2)*v", {"c": C, "l": Quantity(0.3, 2.0, LENGTH)}),
    "parametric": ("h*x*cos(w*t + p)", {"h": Quantity(0.05, 0.5, STIFFNESS), **WAVE}),
}
SWING = Quantity(0.05, 1.5, SPEED)
BELTS: dict[str, tuple[str, Quantities]] = {
    "constant": ("", {"speed": Quantity(0.05, 1.5, SPEED, signed=True)}),
    "wave": ("s + a*cos(w*t + p)", {"s": SWING, "a": SWING, **WAVE}),
    "waves": ("s + a*cos(w*t + p) + b*sin(u*t + q)", {"s": SWING, "a": SWING, "b": SWING, **WAVES}),
}
SHAKE = Quantity(0.03, 1.0, LENGTH)
BASES: dict[str, tuple[str, Quantities]] = {
    "wave": ("a*cos(w*t + p)", {"a": SHAKE, **WAVE}),
    "waves": ("a*cos(w*t + p) + b*sin(u*t + q)", {"a": SHAKE, "b": SHAKE, **WAVES}),
}
FEEDS: dict[str, tuple[str, Quantities]] = {
    "feed": ("r*t", {"r": Quantity(0.01, 0.5, SPEED)}),
    "uneven feed": ("r*t + a*cos(w*t + p)", {"r": Quantity(0.01, 0.5, SPEED), "a": SHAKE, **WAVE}),
}
N = Quantity(0.3, 2.0, FORCE)
NORMALS: dict[str, tuple[str, Quantities]] = {
    "constant": ("", {"normal": N}),
    "wave": ("n*(1 + d*cos(w*t + p))", {"n": N, "d": Quantity(0.05, 0.95), **WAVE}),
    "waves": (
        "n*(1 + d*cos(w*t + p) + g*cos(u*t + q))",
        {"n": N, "d": Quantity(0.05, 0.5), "g": Quantity(0.05, 0.7), **WAVES},
    ),
    "position": ("n + h*x_m0", {"n": N, "h": Quantity(0.05, 0.5, STIFFNESS, signed=True)}),
    "velocity": ("n + h*v_m0", {"n": N, "h": Quantity(0.05, 0.3, DAMPING, signed=True)}),
    "hyperbolic": ("n*(1 + d*tanh(s*x_m0))", {"n": N, "d": Quantity(0.1, 0.9), "s": Quantity(0.3, 3.0, WAVE_NUMBER)}),
    "lifted": ("max(0, n*(d + cos(w*t + p)))", {"n": N, "d": Quantity(0.2, 1.5), **WAVE}),
}
JUMPING_NORMALS: dict[str, tuple[str, Quantities]] = {
    "switched": ("where(cos(w*t + p) > d, n, 0)", {"n": N, "d": Quantity(0.1, 0.6), **WAVE}),
    "stepped": ("n*where(cos(w*t + p) > 0, 1, d)", {"n": N, "d": Quantity(0.1, 0.9), **WAVE}),
}
MU = Quantity(0.1, 0.8)
PART = Quantity(0.4, 1.0, even=True)
"""Kinetic coefficients are drawn as a part of the static one."""

V_S = Quantity(0.05, 0.5, SPEED)
LAWS: dict[str, Quantities] = {
    "coulomb": {"mu_s": MU},
    "coulomb-static": {"mu_s": MU, "mu_k": PART},
    "hyperbolic": {"mu_s": MU, "delta": Quantity(0.1, 3.0, SLOWNESS)},
    "stribeck": {"mu_s": MU, "mu_k": PART, "v_s": V_S},
    "stribeck-square": {"mu_s": MU, "mu_k": PART, "v_s": V_S},
    "popp-stelter": {
        "mu_0": MU,
        "mu_1": PART,
        "lambda_1": Quantity(0.3, 3.0, SLOWNESS),
        "lambda_2": Quantity(0.003, 0.1, (0, -2, 2)),
    },
    "polynomial": {
        "c0": MU,
        "c1": Quantity(0.01, 0.1, SLOWNESS, signed=True),
        "c2": Quantity(0.03, 0.1, (0, -2, 2)),
    },
    "polynomial-static": {"c0": PART, "c1": Quantity(0.01, 0.1, SLOWNESS), "mu_s": MU},
    "tabulated": {},
    "tabulated-static": {"mu_s": Quantity(0.5, 0.8)},
    "viscous": {"mu_s": MU, "viscous": Quantity(0.01, 0.3, SLOWNESS)},
    "stribeck-viscous": {"mu_s": MU, "mu_k": PART, "v_s": V_S, "viscous": Quantity(0.01, 0.3, SLOWNESS)},
    "function": {"mu_s": MU, "mu_k": PART, "v_s": V_S},
    "rational": {"mu_s": MU, "mu_k": PART, "v_s": V_S},
}
MEMORY_LAWS: dict[str, Quantities] = {
    "aging": {"mu_s": MU, "mu_k": PART, "a": Quantity(0.05, 3.0, RATE), "beta": Quantity(1.1, 2.5)},
    "stribeck-aging": {
        "mu_s": MU,
        "mu_k": PART,
        "v_s": V_S,
        "a": Quantity(0.05, 3.0, RATE),
        "beta": Quantity(1.1, 2.5),
    },
    "dahl": {"mu": MU, "sigma_0": Quantity(3.0, 30.0, WAVE_NUMBER)},
    "lugre": {
        "mu_s": MU,
        "mu_k": PART,
        "v_s": V_S,
        "sigma_0": Quantity(3.0, 30.0, WAVE_NUMBER),
        "sigma_1": Quantity(0.03, 0.5, SLOWNESS),
        "sigma_2": Quantity(0.01, 0.3, SLOWNESS),
    },
}
FORMS: dict[str, Mapping[str, tuple[str, Quantities]]] = {
    "spring": SPRINGS,
    "damper": DAMPERS,
    "force": FORCES,
    "belt": BELTS,
    "base": {**BASES, **FEEDS},
    "normal": {**NORMALS, **JUMPING_NORMALS},
}
VARIABLES = {"spring": ("e",), "damper": ("e",)}
LAW_TEXTS = {
    "function": "mu_k + (mu_s - mu_k)*exp(-v/v_s)",
    "rational": "mu_k + (mu_s - mu_k)/(1 + (v/v_s)**2)",
}
TABLE = ((0.0, 0.2, 0.6, 1.5), (0.45, 0.35, 0.3, 0.32))


@dataclass(frozen=True)
class Piece:
    """One part of a drawn system."""

    kind: str
    name: str
    form: str = "linear"
    between: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    law: str = ""

    def quantities(self) -> dict[str, Quantity]:
        """The parameters of this part under their full names."""
        if self.kind == "mass":
            own: dict[str, Quantity] = {"m": Quantity(0.3, 3.0, MASS)}
        elif self.kind == "contact":
            own = {**FORMS["normal"][self.form][1], **{**LAWS, **MEMORY_LAWS}[self.law]}
        else:
            own = dict(FORMS[self.kind][self.form][1])
        return {f"{self.name}.{key}": quantity for key, quantity in own.items()}


@dataclass(frozen=True)
class Structure:
    """The parts of a system, without numbers."""

    pieces: tuple[Piece, ...]

    def quantities(self) -> dict[str, Quantity]:
        return {name: quantity for piece in self.pieces for name, quantity in piece.quantities().items()}

    @property
    def masses(self) -> list[str]:
        return [piece.name for piece in self.pieces if piece.kind == "mass"]

    @property
    def contacts(self) -> list[str]:
        return [piece.name for piece in self.pieces if piece.kind == "contact"]

    @property
    def has_table(self) -> bool:
        """Whether speeds stand in the structure itself, so that the unit of speed cannot change."""
        return any(piece.law.startswith("tabulated") for piece in self.pieces)

    def reordered(self, rng: np.random.Generator) -> Structure:
        """The same parts in another order."""
        return Structure(tuple(self.pieces[i] for i in rng.permutation(len(self.pieces))))

    def build(self, values: Mapping[str, float]) -> ss.System:
        """The system with these parameter values."""
        bodies: dict[str, Any] = {"ground": ss.ground}
        for piece in self.pieces:
            if piece.kind == "mass":
                bodies[piece.name] = ss.Mass(piece.name, m=values[f"{piece.name}.m"])
            elif piece.kind == "belt":
                bodies[piece.name] = ss.Belt(piece.name, speed=_value(piece, values, "speed", ("t",)))
            elif piece.kind == "base":
                bodies[piece.name] = ss.Base(piece.name, motion=_value(piece, values, "motion", ("t",)))
        parts = [_part(piece, bodies, values) for piece in self.pieces if piece.kind not in ("belt", "base")]
        return ss.System(*parts)


def _numbers(piece: Piece, values: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    return {name: values[f"{piece.name}.{name}"] for name in names}


def _value(piece: Piece, values: Mapping[str, float], attribute: str, variables: tuple[str, ...]) -> Any:
    """A number, or a formula with its parameters."""
    kind = "normal" if piece.kind == "contact" else piece.kind
    text, quantities = FORMS[kind][piece.form]
    if not text:
        return values[f"{piece.name}.{attribute}"]
    return Formula(text, tuple(v for v in variables if _uses(text, v)), _numbers(piece, values, quantities))


def _uses(text: str, name: str) -> bool:
    return name in "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def _part(piece: Piece, bodies: Mapping[str, Any], values: Mapping[str, float]) -> Any:
    if piece.kind == "mass":
        return bodies[piece.name]
    if piece.kind in ("spring", "damper"):
        kind, number = (ss.Spring, "k") if piece.kind == "spring" else (ss.Damper, "c")
        attribute = number if piece.form == "linear" else "force"
        value = _value(piece, values, number, ("e",))
        return kind(*(bodies[name] for name in piece.between), **{attribute: value}, name=piece.name)
    if piece.kind == "force":
        force = _value(piece, values, "force", ("t", "x", "v"))
        return ss.Force(bodies[piece.between[0]], force, name=piece.name)
    normal = _value(piece, values, "normal", ("t", "x_m0", "v_m0"))
    on = {bodies[name]: weight for name, weight in piece.weights}
    law = _law(piece.law, _numbers(piece, values, {**LAWS, **MEMORY_LAWS}[piece.law]))
    if piece.law in ("dahl", "lugre"):
        return ss.DynamicContact(on, bodies[piece.between[0]], law=law, normal=normal, name=piece.name)
    return ss.Contact(on, bodies[piece.between[0]], law=law, normal=normal, name=piece.name)


def _law(kind: str, p: dict[str, float]) -> Any:
    match kind:
        case "coulomb":
            return ss.Coulomb(p["mu_s"])
        case "coulomb-static":
            return ss.Coulomb(**p)
        case "hyperbolic":
            return ss.Hyperbolic(**p)
        case "stribeck":
            return ss.Stribeck(**p)
        case "stribeck-square":
            return ss.Stribeck(**p, shape=2)
        case "popp-stelter":
            return ss.PoppStelter(**p)
        case "polynomial":
            return ss.Polynomial([p["c0"], p["c1"], p["c2"]])
        case "polynomial-static":
            return ss.Polynomial([p["c0"], p["c1"]], mu_s=p["mu_s"])
        case "tabulated" | "tabulated-static":
            return ss.Tabulated(*TABLE, **p)
        case "viscous":
            return ss.Coulomb(p["mu_s"]).with_viscous(p["viscous"])
        case "stribeck-viscous":
            viscous = p.pop("viscous")
            return ss.Stribeck(**p).with_viscous(viscous)
        case "aging":
            return ss.Coulomb(p["mu_s"], p["mu_k"]).with_aging(p["a"], p["beta"])
        case "stribeck-aging":
            return ss.Stribeck(p["mu_s"], p["mu_k"], p["v_s"]).with_aging(p["a"], p["beta"])
        case "dahl":
            return ss.Dahl(**p)
        case "lugre":
            return ss.LuGre(**p)
    return Formula(LAW_TEXTS[kind], ("v",), p)


@dataclass(frozen=True)
class Units:
    """How large the units of mass, length and time are, in natural ones."""

    mass: float = 1.0
    length: float = 1.0
    time: float = 1.0

    def of(self, dimension: Dimension) -> float:
        a, b, c = dimension
        return self.mass**a * self.length**b * self.time**c


def unit_of(state: str, units: Units) -> float:
    """The unit of a state by its name."""
    kind = state.split(".")[0]
    return {"v": units.length / units.time, "stick_time": units.time}.get(kind, units.length)


@dataclass(frozen=True)
class Case:
    """One system with its numbers: what is simulated. Numbers are in natural units."""

    structure: Structure
    values: Mapping[str, float]
    start: Mapping[str, float]
    duration: float
    origin: float = 0.0
    units: Units = field(default_factory=Units)
    label: str = ""

    @property
    def scaled(self) -> dict[str, float]:
        """Parameter values in the units of this case."""
        quantities = self.structure.quantities()
        values = {name: value * self.units.of(quantities[name].dimension) for name, value in self.values.items()}
        for name in values:
            if name.endswith(".mu_k") and f"{name[:-5]}.mu_s" not in quantities:
                raise AssertionError(name)
        return values

    def system(self, like: ss.System | None = None) -> ss.System:
        """The system in its units; `like` one of the same structure, which is quicker."""
        if like is None:
            return self.structure.build(self.scaled)
        known = like.parameters
        values = {name: value for name, value in self.scaled.items() if name in known}
        return like.with_(values)

    @property
    def fed(self) -> float:
        """How far a feed has come when the motion begins; masses start about there."""
        return sum(self.values[f"{p.name}.r"] for p in self.structure.pieces if p.form in FEEDS) * self.origin

    def start_in(self, system: ss.System) -> dict[str, float]:
        """Initial states in the units of this case."""
        moved = {name: value + self.fed * name.startswith("x.") for name, value in self.start.items()}
        return {name: value * unit_of(name, self.units) for name, value in moved.items()}

    @property
    def times(self) -> tuple[float, float]:
        first = self.origin * self.units.time
        return first, first + self.duration * self.units.time

    @property
    def features(self) -> str:
        """What may be special about this case, in a few words."""
        forms = {piece.form for piece in self.structure.pieces} | {piece.law for piece in self.structure.pieces}
        words = ["late"] if self.origin else []
        words += ["units"] if self.units != Units() else []
        words += ["table"] if self.structure.has_table else []
        words += [
            word
            for word in ("feed", "lifted", "switched", "stepped", "stop", "kink", "absolute", "square", "exponential")
            if word in forms
        ]
        words += [form for form in forms if form in MEMORY_LAWS]
        words += ["feed"] if "uneven feed" in forms else []
        words += ["stribeck"] if any(form.startswith("stribeck") or form == "function" for form in forms) else []
        moving = {p.name for p in self.structure.pieces if p.kind in ("belt", "base") and p.form != "constant"}
        words += ["moving"] if any(p.kind == "contact" and moving & {*p.between} for p in self.structure.pieces) else []
        return " ".join([*words, f"{len(self.structure.masses)}m{len(self.structure.contacts)}c"])

    def moved(self, origin: float) -> Case:
        """The same motion with another origin of time: phases of excitations take it up."""
        values = dict(self.values)
        for phase, frequency in self._phases().items():
            values[phase] = shifted_phase(values[phase], values[frequency], self.origin - origin)
        return replace(self, values=values, origin=origin)

    def in_units(self, units: Units) -> Case:
        """The same motion in other units.

        Frequencies and the time of the start are rounded there, and with ωt = 10⁸ that moves an excitation by 10⁻⁸: its
        phase takes this up.
        """
        other = replace(self, units=units)
        values, mine, yours = dict(self.values), self.scaled, other.scaled
        for phase, frequency in self._phases().items():
            lost = mine[frequency] * Instant(self.times[0]) - yours[frequency] * Instant(other.times[0])
            values[phase] = (lost + values[phase]).angle()
        return replace(other, values=values)

    def _phases(self) -> dict[str, str]:
        """The names of phases of excitations, each with that of its frequency."""
        found = {}
        for name, quantity in self.structure.quantities().items():
            part, key = name.split(".", 1)
            if key in PHASES and quantity is PHASE:
                found[name] = f"{part}.{PHASES[key]}"
        return found


PROPORTIONAL = {"mu_k": "mu_s", "mu_1": "mu_0", "c0": "mu_s"}
"""Coefficients that are drawn as a part of another of the same law."""


def draw_values(structure: Structure, rng: np.random.Generator) -> dict[str, float]:
    """Parameter values in natural units."""
    quantities = structure.quantities()
    values = {name: quantity.draw(rng) for name, quantity in quantities.items()}
    for name, quantity in quantities.items():
        part, key = name.split(".", 1)
        if quantity is PART:
            values[name] *= values[f"{part}.{PROPORTIONAL[key]}"]
        if quantity is FREQUENCY and rng.random() < 0.15:
            values[name] *= 3.0
    return values


def draw_case(structure: Structure, rng: np.random.Generator, duration: float = 20.0, label: str = "") -> Case:
    """Numbers, a start, units and an origin of time for a structure."""
    values = draw_values(structure, rng)
    start = draw_start(structure, rng)
    units = Units()
    if rng.random() < 0.3:
        mass, length, time = (float(10.0 ** rng.uniform(-9, 9)) for _ in range(3))
        units = Units(mass, time if structure.has_table else length, time)
    origin = 0.0
    if rng.random() < 0.25:
        origin = float(rng.choice([1e2, 1e4, 1e6, 1e7]) * rng.uniform(0.5, 1.0))
    return Case(structure, values, start, duration, origin, units, label)


def draw_start(structure: Structure, rng: np.random.Generator) -> dict[str, float]:
    """Initial states: anywhere, or with all or some masses at rest."""
    still = rng.choice([0.0, 0.5, 1.0], p=[0.6, 0.25, 0.15])
    start = {}
    for mass in structure.masses:
        start[f"x.{mass}"] = float(rng.uniform(-1.5, 1.5))
        start[f"v.{mass}"] = 0.0 if rng.random() < still else float(rng.uniform(-1.0, 1.0))
    return start


def draw_structure(rng: np.random.Generator) -> Structure:
    """Masses in a chain or a net, with springs, dampers, forces and contacts."""
    count = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.35, 0.27, 0.18, 0.1, 0.06, 0.04]))
    masses = [f"m{i}" for i in range(count)]
    pieces = [Piece("mass", name) for name in masses]
    belts = [f"belt{i}" for i in range(int(rng.integers(0, 3)))]
    bases = [f"base{i}" for i in range(int(rng.choice([0, 1, 2], p=[0.6, 0.3, 0.1])))]
    pieces += [
        Piece("belt", name, str(rng.choice(["constant", "wave", "waves"], p=[0.5, 0.35, 0.15]))) for name in belts
    ]
    pieces += [Piece("base", name, _any(rng, BASES)) for name in bases]
    pieces += _springs(rng, masses, bases)
    pieces += _dampers(rng, masses, bases)
    for i, name in enumerate(masses):
        if rng.random() < 0.35:
            pieces.append(Piece("force", f"force{i}", _any(rng, FORCES), (name,)))
    pieces += _contacts(rng, masses, belts, bases)
    if rng.random() < 0.06:
        last = pieces.pop()
        pieces.append(replace(last, form=_any(rng, JUMPING_NORMALS)))
    if rng.random() < 0.06:
        return fed_structure(rng)
    if rng.random() < 0.1:
        last = pieces.pop()
        pieces.append(replace(last, law=_any(rng, MEMORY_LAWS)))
    used = {name for piece in pieces for name in piece.between}
    return Structure(tuple(p for p in pieces if p.kind not in ("belt", "base") or p.name in used))


def fed_structure(rng: np.random.Generator) -> Structure:
    """A slide: masses that a feed pulls over the ground, farther and farther from where they began."""
    masses = [f"m{i}" for i in range(int(rng.integers(1, 4)))]
    pieces = [Piece("mass", name) for name in masses]
    pieces.append(Piece("base", "base0", _any(rng, FEEDS)))
    for i, name in enumerate(masses):
        before = masses[i - 1] if i else "base0"
        pieces.append(Piece("spring", f"spring{i}", _spring_form(rng), (before, name)))
        if rng.random() < 0.5:
            pieces.append(Piece("damper", f"damper{i}", "linear", (name, before)))
        law = _any(rng, LAWS)
        pieces.append(Piece("contact", f"contact{i}", "constant", ("ground",), ((name, 1.0),), law))
    return Structure(tuple(pieces))


def _any(rng: np.random.Generator, forms: Iterable[str]) -> str:
    return str(rng.choice(list(forms)))


def _spring_form(rng: np.random.Generator) -> str:
    return "linear" if rng.random() < 0.55 else _any(rng, SPRINGS)


def _springs(rng: np.random.Generator, masses: list[str], bases: list[str]) -> list[Piece]:
    """Every mass hangs on something, most of them."""
    pieces = []
    for i, mass in enumerate(masses):
        anchors = ["ground", *bases, *masses[:i]]
        if rng.random() < 0.93:
            pieces.append(Piece("spring", f"spring{i}", _spring_form(rng), (mass, _any(rng, anchors))))
        if rng.random() < 0.25:
            pieces.append(Piece("spring", f"more{i}", _spring_form(rng), (mass, _any(rng, anchors))))
    return pieces


def _dampers(rng: np.random.Generator, masses: list[str], bases: list[str]) -> list[Piece]:
    pieces = []
    for i, mass in enumerate(masses):
        if rng.random() < 0.4:
            form = "linear" if rng.random() < 0.7 else _any(rng, DAMPERS)
            pieces.append(Piece("damper", f"damper{i}", form, (mass, _any(rng, ["ground", *bases, *masses[:i]]))))
    return pieces


def _contacts(rng: np.random.Generator, masses: list[str], belts: list[str], bases: list[str]) -> list[Piece]:
    """One to six contacts; mostly so few and so placed that sticking forces are unique."""
    wanted = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.4, 0.27, 0.15, 0.09, 0.05, 0.04]))
    redundant = rng.random() < 0.08
    pieces: list[Piece] = []
    rows: list[list[float]] = []
    for i in range(wanted):
        for _ in range(8):
            piece, row = _contact(rng, f"contact{i}", masses, belts, bases)
            if redundant or np.linalg.matrix_rank(np.array([*rows, row])) == len(rows) + 1:
                pieces.append(piece)
                rows.append(row)
                break
    return pieces


def _contact(
    rng: np.random.Generator, name: str, masses: list[str], belts: list[str], bases: list[str]
) -> tuple[Piece, list[float]]:
    on = _any(rng, masses)
    others = [mass for mass in masses if mass != on]
    weights = {on: 1.0}
    if rng.random() < 0.12:
        weights[on] = float(rng.choice([0.5, -1.0, 2.0, 1.3]))
    surfaces = ["ground", *belts, *bases, *belts, *others[:2]]
    if others and rng.random() < 0.15:
        weights[_any(rng, others)] = float(rng.choice([-1.0, 0.5, 0.7, -2.0]))
    against = _any(rng, [s for s in surfaces if s not in weights])
    row = [weights.get(mass, 0.0) - (mass == against) for mass in masses]
    form = "constant" if rng.random() < 0.6 else _any(rng, NORMALS)
    law = _any(rng, LAWS)
    return Piece("contact", name, form, (against,), tuple(weights.items()), law), row
