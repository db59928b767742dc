"""What is given from outside: where bases are, how far belts have gone, how large forces are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.model.functions import Value, arguments_of
from stickslip.model.parts import Base, Belt, Body, Moving
from stickslip.model.system import System
from stickslip.plot.machine import drives, weights_of

FINER = 40
"""Pieces of the time between two frames over which the speed of a belt is summed up."""

NEAR = 1e-6
"""Part of the whole time between the places of a base whose difference is its velocity."""


def given_motions(system: System, times: Floats) -> dict[str, Floats]:
    """Where bases and belts are at these times; belts count from the first of them."""
    found = {}
    for name, body in system.bodies.items():
        if isinstance(body, Base):
            found[name] = _over(system, name, body.motion, times, {})
        elif isinstance(body, Belt):
            found[name] = _travelled(system, name, body.speed, times)
    return found


def pushes(system: System, times: Floats, states: Mapping[str, Floats]) -> dict[str, Floats]:
    """Every force at these times, as a part of its largest value."""
    found = {}
    by_name = {state.replace(".", "_"): values for state, values in states.items()}
    for name, part in drives(system):
        own = {q: _weighted(states, q, weights_of(part)) for q in ("x", "v")}
        (value,) = part.values().values()
        values = _over(system, name, value, times, {**own, **by_name})
        found[name] = values / (float(np.max(np.abs(values))) or 1.0)
    return found


def velocity_of(system: System, body: Body, times: Floats, states: Mapping[str, Floats]) -> Floats:
    """How fast what is slid on moves: a belt, a base, another body, or the ground."""
    if isinstance(body, Moving):
        return states[f"v.{body.name}"]
    by_name = {state.replace(".", "_"): values for state, values in states.items()}
    if isinstance(body, Belt):
        return _over(system, body.name, body.speed, times, by_name)
    if not isinstance(body, Base):
        return np.zeros(len(times))
    step = NEAR * max(float(np.ptp(times)), 1e-300)
    ahead, behind = (_over(system, body.name, body.motion, times + way * step, by_name) for way in (1, -1))
    return np.asarray((ahead - behind) / (2 * step))


def normal_of(system: System, contact: str, times: Floats, states: Mapping[str, Floats]) -> Floats:
    """The normal force of a contact at these times."""
    value = system.rubbing[contact].normal
    if not callable(value):
        return np.full(len(times), system.local(contact)["normal"])
    by_name = {state.replace(".", "_"): values for state, values in states.items()}
    return _over(system, contact, value, times, by_name)


def _weighted(states: Mapping[str, Floats], quantity: str, weights: Iterable[tuple[Body, float]]) -> Floats:
    """The position or the velocity of what a force acts on."""
    return np.asarray(np.sum([weight * states[f"{quantity}.{body.name}"] for body, weight in weights], axis=0))


def pushes_at_start(system: System) -> dict[str, float]:
    """Which way forces point when a motion starts; a force that is zero then, to the right."""
    start = {state: np.array([value]) for state, value in system.start.items()}
    return {name: float(np.sign(values[0])) or 1.0 for name, values in pushes(system, np.zeros(1), start).items()}


def _travelled(system: System, name: str, speed: Value, times: Floats) -> Floats:
    if not callable(speed):
        return np.asarray(system.parameters[f"{name}.speed"] * (times - times[0]))
    fine = np.linspace(times[0], times[-1], FINER * (len(times) - 1) + 1)
    speeds = _over(system, name, speed, fine, {})
    way = np.r_[0.0, np.cumsum(np.diff(fine) * (speeds[1:] + speeds[:-1]) / 2)]
    return np.asarray(np.interp(times, fine, way))


def _over(system: System, name: str, value: Value, times: Floats, states: Mapping[str, Floats]) -> Floats:
    """A number or a function at each of these times, with the present values of its parameters."""
    if not callable(value):
        (number,) = system.local(name).values()
        return np.full(len(times), number)
    variables, parameters = arguments_of(value, name)
    local = system.local(name)
    fixed: dict[str, Any] = {parameter: local[parameter] for parameter in parameters}
    known: Mapping[str, Floats] = {"t": times, **states}
    rows = zip(*(known[variable] for variable in variables), strict=True) if variables else ((),) * len(times)
    return np.array([float(value(**dict(zip(variables, map(float, row), strict=True)), **fixed)) for row in rows])
