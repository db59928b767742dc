"""What a view asks of the verbs, as calls that are made here and written out in Python with the same numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.explorer import limits
from stickslip.explorer.view import Refused, choice, count, number, span, table
from stickslip.methods.exact import Exact
from stickslip.model.system import Model
from stickslip.sweeps.observation import Maxima, Observation, StickToSlip, Strobe

SECTIONS = ("release", "strobe", "maximum")
COLOURS = {"ratio": None, "signature": "signature", "exponent": "largest_exponent"}
"""What a map is coloured by, and what is observed for it."""

DIRECTIONS = ("none", "up", "down", "both")


@dataclass(frozen=True)
class Linspace:
    """Evenly spaced values.

    >>> str(Linspace(0.1, 0.5, 5)), Linspace(0.1, 0.5, 5).values.round(1).tolist()
    ('np.linspace(0.1, 0.5, 5)', [0.1, 0.2, 0.3, 0.4, 0.5])
    """

    low: float
    high: float
    points: int

    @property
    def values(self) -> Floats:
        """The values."""
        return np.linspace(self.low, self.high, self.points)

    def __str__(self) -> str:
        return f"np.linspace({self.low!r}, {self.high!r}, {self.points})"


@dataclass(frozen=True)
class Call:
    """A call of a verb: made with `values`, written by `text`."""

    verb: str
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """The arguments as the verb takes them."""
        return {name: _value(each) for name, each in self.arguments.items()}

    def text(self, what: str = "system") -> str:
        """The call in Python."""
        given = [f"{name}={written(each)}" for name, each in self.arguments.items()]
        return f"ss.{self.verb}({', '.join([what, *given])})"


def _value(value: Any) -> Any:
    if isinstance(value, Linspace):
        return value.values
    return {name: _value(each) for name, each in value.items()} if isinstance(value, dict) else value


def written(value: Any) -> str:
    """A value in Python.

    >>> written({"belt.speed": Linspace(0.1, 0.5, 5)}), written((100.0, 50.0)), written(Strobe())
    ('{"belt.speed": np.linspace(0.1, 0.5, 5)}', '(100.0, 50.0)', 'ss.observe.Strobe()')
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{written(name)}: {written(each)}" for name, each in value.items()) + "}"
    if isinstance(value, Linspace):
        return str(value)
    if isinstance(value, Exact):
        return f"ss.Exact(most_steps={value.most_steps})"
    if isinstance(value, Observation):
        shown = f'"{value.state}"' if isinstance(value, Maxima) else ""
        return f"ss.observe.{type(value).__name__}({shown})"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # no name ends its quotes, or its line
    if isinstance(value, tuple):
        return "(" + ", ".join(map(written, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


# -- what the parts of a view ask for ---------------------------------------------------------------------------------


def motion_call(view: Mapping[str, Any], samples: int) -> Call:
    """The motion that a view shows."""
    asked = table(view, "motion")
    begin = number(asked, "start_time", "motion.start_time") if asked.get("start_time") else 0.0
    t = number(asked, "t", "motion.t", positive=True)
    arguments: dict[str, Any] = {"t": begin + t, "samples": samples}
    if begin:
        arguments["start_time"] = begin
    return Call("simulate", arguments)


def duration(asked: Mapping[str, Any], period: float | None, field: str) -> dict[str, tuple[float, float]]:
    """Transient and observed time, in periods of the excitation where there is one."""
    transient = number(asked, "transient", f"{field}.transient")
    if transient < 0:
        raise Refused(f"the transient is {transient:g}: it must not be negative", f"{field}.transient")
    observed = number(asked, "observed", f"{field}.observed", positive=True)
    return {"periods" if period else "times": (transient, observed)}


def observation(on: str, quantity: str) -> Observation:
    """What is recorded of a motion."""
    return {"release": StickToSlip(), "strobe": Strobe(), "maximum": Maxima(quantity)}[on]


def state_of(asked: Mapping[str, Any], name: str, model: Model, field: str) -> str:
    """A state of the model."""
    return choice(asked, name, field, model.states)


def parameter_of(asked: Mapping[str, Any], model: Model, field: str) -> str:
    """A parameter of the model."""
    return choice(asked, "parameter", field, model.parameters)


def diagram_call(view: Mapping[str, Any], model: Model, period: float | None, carry: str | None) -> Call:
    """The sweep behind a diagram; with `carry` each motion starts where the one before ended."""
    asked = table(view, "diagram")
    name = parameter_of(asked, model, "diagram.parameter")
    low, high = span(asked, "diagram")
    points = count(asked, "points", "diagram.points", limits.DIAGRAM_POINTS)
    on = choice({"on": "release", **asked}, "on", "diagram.on", SECTIONS)
    arguments = {
        "over": {name: Linspace(low, high, points)},
        "observe": observation(on, state_of(asked, "quantity", model, "diagram.quantity")),
        **duration(asked, period, "diagram"),
        "most": limits.RECORDS,
    }
    return Call("sweep", arguments | ({"carry": carry} if carry else {}))


def carries(view: Mapping[str, Any]) -> list[str | None]:
    """The sweeps of a diagram: one without direction, one up, one down, or both of these."""
    direction = choice({"direction": "none", **table(view, "diagram")}, "direction", "diagram.direction", DIRECTIONS)
    ways: dict[str, list[str | None]] = {"none": [None], "both": ["up", "down"]}
    return ways.get(direction, [direction])


def map_call(view: Mapping[str, Any], model: Model, period: float | None) -> Call:
    """The sweep behind a map over two parameters: y first, x second, as rows and columns."""
    asked = table(view, "map")
    over, total = {}, 1
    for side in ("y", "x"):
        axis = table(asked, side)
        points = count(axis, "points", f"map.{side}.points", limits.MAP_POINTS)
        over[parameter_of(axis, model, f"map.{side}.parameter")] = Linspace(*span(axis, f"map.{side}"), points)
        total *= points
    if len(over) < 2:
        raise Refused("a map is over two different parameters: choose another one", "map.y.parameter")
    if total > limits.MAP_POINTS:
        raise Refused(f"the map has {total} points: at most {limits.MAP_POINTS} can be", "map.x.points")
    times = duration(table(view, "diagram"), period, "map")  # the diagram's, and fields of the map's own panel as well
    return Call("sweep", {"over": over, "observe": map_quantity(view), **times})


def map_quantity(view: Mapping[str, Any]) -> str | None:
    """What is observed for a map; None where n:m is enough, which every sweep has."""
    return COLOURS[choice({"colour": "ratio", **table(view, "map")}, "colour", "map.colour", COLOURS)]


def section_call(view: Mapping[str, Any], model: Model, period: float | None) -> Call:
    """The section of one motion: a sweep of one point."""
    asked = table(view, "section")
    on = choice({"on": "release", **asked}, "on", "section.on", SECTIONS)
    quantity = state_of(asked, "x", model, "section.x")
    name = next(iter(model.parameters), "")
    if not name:
        raise Refused("a section needs a model that has a parameter", "section.on")
    times = duration(table(view, "diagram"), period, "diagram")
    ((unit, (transient, observed)),) = times.items()
    arguments = {
        "over": {name: [model.parameters[name]]},
        "observe": observation(on, quantity),
        unit: (transient, 10 * observed),
        "most": limits.SECTION_POINTS,
    }
    return Call("sweep", arguments)


def basins_call(view: Mapping[str, Any], model: Model, finer: int = 1) -> Call:
    """The basins over two states; `finer` passes over some of the starts."""
    asked = table(view, "basins")
    grid, total = {}, 1
    for side in ("x", "y"):
        axis = table(asked, side)
        points = count(axis, "points", f"basins.{side}.points", limits.BASIN_POINTS)
        name = state_of(axis, "state", model, f"basins.{side}.state")
        grid[name] = Linspace(*span(axis, f"basins.{side}"), max(2, points // finer))
        total *= points
    if len(grid) < 2:
        raise Refused("basins are over two different states: choose another one", "basins.y.state")
    if total > limits.BASIN_POINTS:
        raise Refused(f"the basins have {total} starts: at most {limits.BASIN_POINTS} can be", "basins.x.points")
    return Call("basins", {"grid": grid, "t": number(asked, "t", "basins.t", positive=True)})
