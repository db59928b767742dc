"""A `Filippov` system, given by its equations, in the form that the referee integrates."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from tests.referee.equations import SINGULAR, Point, Redundant
from tests.referee.formulas import SYMBOLS, arguments_of, compiled, symbolic_twin
from tests.referee.instants import Instant

from stickslip.model.formula import Formula, Formulas
from stickslip.model.system import Filippov


class Switching:
    """ż = f + Gλ with v = h; all derivatives by symbols."""

    def __init__(self, model: Filippov, origin: float = 0.0, length: float = 1.0, time: float = 1.0) -> None:
        self.model, self.origin = model, origin
        self.length_scale, self.time_scale, self.speed_scale = length, time, length
        self.longest_step = 0.5 * time
        self.states = len(model.states)
        self.contacts = list(model.contacts)
        names = [state.replace(".", "_") for state in model.states]
        self.arguments = (*names, "t", "v", *model.parameters)
        self.numbers = tuple(model.parameters.values())
        f = _listed(self._traced("f"))
        G = [_listed(row) for row in _listed(self._traced("G"))]
        h = _listed(self._traced("h"))
        z = [sympy.Symbol(name) for name in names]
        self.f, self.h = self._compiled(f), self._compiled(h)
        self.G = self._compiled([entry for row in G for entry in row])
        self.gradient = self._compiled([sympy.diff(each, state) for each in h for state in z])
        self.drift = self._compiled([sympy.diff(each, sympy.Symbol("t")) for each in h])
        self.kinetic = self._compiled(self._limits("kinetic"))
        static = "static" if "static" in model.functions or "static" in model.parameters else "kinetic"
        self.static = self._compiled(self._limits(static))

    @property
    def state_scales(self) -> list[float]:
        return [self.length_scale] * self.states

    @property
    def friction_scales(self) -> list[float]:
        return [1.0] * len(self.contacts)

    def _limits(self, key: str) -> list[Any]:
        entries = _listed(self._traced(key)) if key in self.model.functions else [sympy.Symbol(key)]
        return entries * len(self.contacts) if len(entries) == 1 else entries

    def _traced(self, key: str) -> Any:
        """A function of the model as symbols."""
        function = self.model.functions[key]
        if isinstance(function, Formula):
            entries = function.entries if isinstance(function, Formulas) else function.text
            return _parsed(entries, SYMBOLS | {name: sympy.Symbol(name) for name in self.arguments})
        variables, parameters = arguments_of(function)
        assert isinstance(function, types.FunctionType)
        return symbolic_twin(function)(**{name: sympy.Symbol(name) for name in (*variables, *parameters)})

    def _compiled(self, entries: Sequence[Any]) -> Callable[..., Any]:
        return compiled(f"[{', '.join(sympy.sstr(sympy.sympify(entry)) for entry in entries)}]", self.arguments)

    def _parts(self, elapsed: float, state: Sequence[float]) -> tuple[Any, ...]:
        t = elapsed if self.origin == 0 else Instant(self.origin, elapsed)
        point = (*state, t, 0.0, *self.numbers)
        k, n = len(self.contacts), self.states
        f = np.array([float(x) for x in self.f(*point)])
        G = np.array([float(x) for x in self.G(*point)]).reshape(n, k)
        h = [float(x) for x in self.h(*point)]
        gradient = np.array([float(x) for x in self.gradient(*point)]).reshape(k, n)
        drift = np.array([float(x) for x in self.drift(*point)])
        return t, f, G, h, gradient, drift

    def at(self, elapsed: float, state: Sequence[float], modes: Sequence[int]) -> Point:
        t, f, G, h, gradient, drift = self._parts(elapsed, state)
        kinetic, static = [], []
        for i, mode in enumerate(modes):
            kinetic.append(float(self.kinetic(*state, t, mode * h[i] if mode else 0.0, *self.numbers)[i]))
            static.append(float(self.static(*state, t, 0.0, *self.numbers)[i]))
        friction = np.array([-mode * limit for mode, limit in zip(modes, kinetic, strict=True)], float)
        stuck = [i for i, mode in enumerate(modes) if mode == 0]
        if stuck:
            matrix = (gradient @ G)[np.ix_(stuck, stuck)]
            _refuse_singular(matrix, [self.contacts[i] for i in stuck])
            free = gradient @ (f + G @ friction) + drift
            friction[stuck] = np.linalg.solve(matrix, -free[stuck])
        rates = (f + G @ friction).tolist()
        return Point(rates, h, friction.tolist(), kinetic, static, [1.0] * len(self.contacts))

    def slip_acceleration(self, i: int, elapsed: float, state: Sequence[float], point: Point) -> tuple[float, float]:
        _, f, G, _, gradient, drift = self._parts(elapsed, state)
        value = gradient[i] @ np.array(point.rates) + drift[i]
        limits = np.maximum(np.abs(point.friction), point.static)
        size = np.abs(gradient[i]) @ (np.abs(f) + np.abs(G) @ limits) + abs(drift[i])
        return float(value), float(size)

    def kink_values(self, elapsed: float, state: Sequence[float], point: Point, modes: Sequence[int]) -> list[float]:
        return []

    def at_rest(self, elapsed: float, state: Sequence[float], resting: tuple[int, ...]) -> list[float]:
        _, _, G, h, gradient, _ = self._parts(elapsed, state)
        matrix = (gradient @ G)[np.ix_(resting, resting)]
        impulse = np.linalg.lstsq(matrix, -np.array([h[i] for i in resting]), rcond=SINGULAR)[0]
        return (np.array(state) + G[:, list(resting)] @ impulse).tolist()

    def renewed(self, state: Sequence[float], arriving: Sequence[int]) -> list[float]:
        return list(state)


def _refuse_singular(matrix: Any, names: list[str]) -> None:
    values = np.linalg.svd(matrix, compute_uv=False)
    if not values[-1] > SINGULAR * values[0]:
        raise Redundant(", ".join(names))


def _listed(entry: Any) -> list[Any]:
    return list(entry) if isinstance(entry, tuple | list) else [entry]


def _parsed(entries: Any, scope: dict[str, Any]) -> Any:
    if isinstance(entries, str):
        return eval(entries, dict(scope))  # the texts are our own and the tests'
    return [_parsed(entry, scope) for entry in entries] if isinstance(entries, list | tuple) else entries
