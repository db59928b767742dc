"""What a page shows of a model before anybody has chosen: ranges of sliders, times, what a diagram is over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from stickslip.errors import ModelError, StickslipError
from stickslip.field import compile_forcing
from stickslip.methods.exact import Exact
from stickslip.model.system import Model, System
from stickslip.simulation import simulate

LONGER = 10.0
"""Times the slowest oscillation, or growth, of the model: how long a motion is shown."""

PERIODS = 20.0
"""Of the excitation: the same."""

FARTHER = 2.0
"""Times its value: how far the slider of a parameter goes."""

FEW_STEPS = 20_000
"""Of a motion that shows how far states go."""

FREQUENCIES = ("eta", "omega", "frequency", "w")
SURFACE = "speed"
LOADS = ("normal", "amplitude", "u0", "beta", "theta")
"""How parameters are called that people like to change, by the last part of their names."""


def nice(value: float, upwards: bool = True) -> float:
    """A number near another that is 1, 2 or 5 times a power of ten: not below it, or not above.

    >>> nice(0.6), nice(63.0), nice(0.6, upwards=False)
    (1.0, 100.0, 0.5)
    """
    if value == 0 or not math.isfinite(value):
        return value
    if value < 0:
        return -nice(-value, not upwards)
    power = math.floor(math.log10(value))
    steps = [float(f"{m}e{power + shift}") for shift in (-1, 0, 1) for m in (1, 2, 5)]
    near = 1e-9 * value
    return min(s for s in steps if s >= value - near) if upwards else max(s for s in steps if s <= value + near)


def parameter_range(model: Model, name: str) -> tuple[float, float]:
    """From where to where a slider goes: it does not pass zero, and leaves out what the model refuses.

    >>> from stickslip.model.library import block_on_belt
    >>> parameter_range(block_on_belt(), "belt.speed"), parameter_range(block_on_belt(), "block.m")
    ((0.0, 0.5), (0.1, 2.0))
    """
    value = model.parameters[name]
    if value == 0:
        return (-1.0 if _allowed(model, name, -1.0) else 0.0), 1.0
    far, near = nice(FARTHER * abs(value)), 0.0 if _allowed(model, name, 0.0) else nice(abs(value) / 10, False)
    sign = math.copysign(1.0, value)
    ends = [_reach(model, name, value, sign * end) for end in (near, far)]
    return min(ends), max(ends)


def _allowed(model: Model, name: str, value: float) -> bool:
    try:
        model.with_({name: value})
    except (ModelError, ArithmeticError, ValueError):
        return False
    return True


def _reach(model: Model, name: str, value: float, end: float) -> float:
    """The end, or what is nearest to it of what the model allows."""
    if _allowed(model, name, end):
        return end
    good, bad = value, end
    for _ in range(20):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if _allowed(model, name, middle) else (good, middle)
    return good


def period_of(model: Model) -> float | None:
    """The period of the excitation; None where there is none."""
    try:
        period = compile_forcing(model)(np.array(list(model.parameters.values()), float))
    except (ArithmeticError, ValueError):
        return None
    return period if math.isfinite(period) and period > 0 else None


def duration_of(model: Model) -> float:
    """How long a motion is shown: several times what is slowest in it, or periods of the excitation."""
    period = period_of(model)
    if period is not None:
        return nice(PERIODS * period)
    known = model.about.known.get("period")
    if known:
        return nice(LONGER / 2 * known)
    rates = _rates(model)
    rates = rates[np.abs(rates) > 1e-9 * np.max(np.abs(rates), initial=0.0)]
    turns = np.abs(rates.imag) > 1e-9 * np.abs(rates)
    times = np.where(turns, 2 * math.pi / np.maximum(np.abs(rates.imag), 1e-300), 1 / np.maximum(np.abs(rates), 1e-300))
    return nice(LONGER * float(np.max(times))) if len(times) else 100.0


def _rates(model: Model) -> np.ndarray:
    """The eigenvalues of the equations where motions start, with all contacts in slip.

    Each slips the way it does there: on the other side of rest a law is not what it is defined for.
    """
    field = Exact().compile(model)  # the program of the runs
    try:
        start = model.start_state()
        forward = [-1 if v < 0 else 1 for v in field.evaluate(start).v] if model.contacts else []
        matrix = field.jacobian(start, 0.0, forward)[0]
        return np.linalg.eigvals(matrix) if np.all(np.isfinite(matrix)) else np.zeros(0)
    except (ArithmeticError, ValueError, StickslipError):
        return np.zeros(0)


def state_ranges(model: Model, t: float) -> dict[str, tuple[float, float]]:
    """How far states go in the model's own motion, and half as much around that."""
    run = simulate(model, t, method=Exact(most_steps=FEW_STEPS), samples=2000, dense=False, progress=False)
    found = {}
    for name in model.states:
        values = run[name].values[np.isfinite(run[name].values)]
        low, high = (float(np.min(values)), float(np.max(values))) if len(values) else (-1.0, 1.0)
        about = max(0.5 * (high - low), 0.25 * abs(high), 0.25 * abs(low)) or 1.0
        found[name] = (nice(low - about, False), nice(high + about))
    return found


def chosen_parameters(model: Model) -> tuple[str, str]:
    """What a diagram is over, and what a map is over besides: a frequency or the speed of a belt, and a load."""
    names = list(model.parameters)
    short = {name: name.rpartition(".")[2] for name in names}

    def rank(name: str, words: tuple[str, ...]) -> int:
        return words.index(short[name]) if short[name] in words else len(words)

    first = min(names, key=lambda name: rank(name, (*FREQUENCIES, SURFACE, *LOADS)))
    others = [name for name in names if name != first] or [first]
    return first, min(others, key=lambda name: rank(name, (*LOADS, SURFACE, *FREQUENCIES)))


def recorded_of(model: Model, period: float | None) -> str:
    """What a diagram has of every motion: the state once in a period of the excitation, at releases, or maxima.

    The releases of one mass alone are all at the same place: they say nothing where nothing excites it.
    """
    if period is not None:
        return "strobe"
    return "release" if len(model.contacts) > 1 else "maximum"


def section_of(model: Model) -> str:
    """At what a motion is looked at: the releases of its contacts, or the maxima of a state."""
    return "release" if model.contacts and isinstance(model, System) else "maximum"


def view_of(model: Model, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The whole view of a model; `asked` is what of it is known, and wins."""
    t = duration_of(model)
    x = first_state(model)
    y = _velocity(list(model.states), x)
    view: dict[str, Any] = {
        "model": asked["model"],
        "parameters": {},
        "start": {},
        "motion": {"t": t},
        "section": {"on": section_of(model), "x": x, "y": y},
        "branches": [],
        "show": "diagram",
        **_swept(model, t, x),
    }
    if "basins" not in asked:
        reach = state_ranges(model, t)
        axes = ({"state": name, "low": reach[name][0], "high": reach[name][1], "points": 40} for name in (x, y))
        view["basins"] = {**dict(zip("xy", axes, strict=True)), "t": 5 * t}
    return {**view, **{name: _joined(view.get(name), value) for name, value in asked.items() if value is not None}}


def _swept(model: Model, t: float, quantity: str) -> dict[str, Any]:
    """The diagram and the map; none for a model without parameters."""
    if not model.parameters:
        return {}
    period = period_of(model)
    first, second = chosen_parameters(model)
    span, other = (_inner(parameter_range(model, name), model.parameters[name]) for name in (first, second))
    diagram = {
        "parameter": first,
        **dict(zip(("low", "high"), span, strict=True)),
        "points": 1000,
        "quantity": quantity,
        "on": recorded_of(model, period),
        "transient": 100.0 if period else 2 * t,
        "observed": 50.0 if period else t,
        "direction": "none",
    }
    x = {"parameter": first, "low": span[0], "high": span[1], "points": 60}
    y = {"parameter": second, "low": other[0], "high": other[1], "points": 40}
    return {"diagram": diagram, "map": {"x": x, "y": y, "colour": "ratio"}}


def _joined(known: Any, given: Any) -> Any:
    """A table of a view with what is given of it; all else as given."""
    return {**known, **given} if isinstance(known, dict) and isinstance(given, dict) else given


def _inner(ends: tuple[float, float], value: float) -> tuple[float, float]:
    """A range of a diagram: that of the slider, but not from zero, where machines stand still."""
    low, high = ends
    if low == 0 < value:
        low = nice(value / 4, False)
    if high == 0 > value:
        high = nice(value / 4)
    return low, high


def first_state(model: Model) -> str:
    """What is looked at first: the position of what rubs, which may not be the first mass of a machine.

    >>> from stickslip.model.library import block_on_belt
    >>> first_state(block_on_belt())
    'x.block'
    """
    rubbing = model.rubbing.values() if isinstance(model, System) else ()
    positions = [f"x.{body.name}" for part in rubbing for body, _ in part.weights]
    return next((name for name in positions if name in model.states), model.states[0])


def _velocity(states: list[str], position: str) -> str:
    """The velocity that belongs to a state, or the state after it."""
    name = "v." + position.partition(".")[2]
    return name if name in states and name != position else states[(states.index(position) + 1) % len(states)]
