"""The job `motion`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.explorer import limits
from stickslip.explorer.calls import Call, motion_call
from stickslip.explorer.creeping import creeping
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import Refused, count
from stickslip.methods.exact import Exact
from stickslip.model.laws import FrictionLaw
from stickslip.model.system import Model, System
from stickslip.plot.animation import displaced
from stickslip.plot.machine import layout
from stickslip.plot.prescribed import given_motions, pushes
from stickslip.result import Run
from stickslip.simulation import simulate

SAMPLES = 2000
LAW_POINTS = 240
LEAST_SPEED = 1e-3
"""Part of the largest sliding velocity at which the curve of a law begins."""

ORDERS = 24
"""Coefficients of a step, at most."""

MOST_EVENTS = 5000
"""That a page is told of; there may be more."""


def motion(task: Task) -> Reply:
    """One motion, sampled evenly: states, contacts, and the machine."""
    begin = time.perf_counter()
    model = task.model
    samples = count({"samples": SAMPLES, **task.request}, "samples", "samples", limits.SAMPLES)
    call = motion_call(task.view, samples)
    bounded = Exact(most_steps=limits.STEPS)
    run = simulate(model, **call.values, method=bounded, dense=False, progress=False)
    if run.attrs["steps"] >= limits.STEPS:
        call = Call(call.verb, {**call.arguments, "method": bounded})
    fields = {
        "events": events_of(run),
        "event_count": int(run.sizes["event"]),
        "period": task.period,
        "status": str(run.attrs["status"]),
        "outcome": str(run.attrs["outcome"]),
        "python": f"run = {call.text()}",
    }
    arrays = {**arrays_of(run, model), **laws_of(run, model), **machine_arrays(run, model), **creeping(run, model)}
    fields["seconds"] = time.perf_counter() - begin
    return fields, arrays


def whole_motion(model: Model, arguments: Mapping[str, Any], field: str) -> Run:
    """A motion with all its steps, as `simulate` gives it; refused where it has more of them than memory is for."""
    powers = 8 * ORDERS * (len(model.states) + 2 * len(model.contacts) + 1)
    most = limits.KEPT_BYTES // powers
    run = simulate(model, **arguments, method=Exact(most_steps=most), progress=False)
    if run.attrs["steps"] >= most:
        raise Refused(f"this motion has more than {most} steps, more than can be kept: make it shorter", field)
    return run


def events_of(run: Run) -> list[dict[str, Any]]:
    """The changes of mode, the first ones where there are very many."""
    columns = [run[f"event_{name}"].values[:MOST_EVENTS].tolist() for name in ("time", "contact", "before", "after")]
    return [dict(zip(("time", "contact", "before", "after"), row, strict=True)) for row in zip(*columns, strict=True)]


def arrays_of(run: Run, model: Model) -> dict[str, Any]:
    """Time, states, and what contacts do."""
    arrays: dict[str, Any] = {"time": run["time"].values}
    arrays |= {name: run[name].values for name in model.states}
    for i, contact in enumerate(model.contacts):
        arrays[f"v.{contact}"] = run["slip_velocity"].values[:, i]
        arrays[f"force.{contact}"] = run["force"].values[:, i]
        arrays[f"mode.{contact}"] = run["mode"].values[:, i].astype(np.int8)
    return arrays | {f"limit.{contact}": values for contact, values in _limits(run, model).items()}


def _limits(run: Run, model: Model) -> dict[str, Floats]:
    """The largest friction force in stick, at every time: computed once where nothing makes it vary."""
    if not model.contacts or not run.sizes["time"]:
        return {}
    times, modes = run["time"].values, run["mode"].values
    states = np.stack([run[name].values for name in model.states], axis=1)
    field = Exact().compile(model)  # the program of the run
    trajectory = field.workspace()
    static = np.empty((len(times) if _varies(model) else 1, len(model.contacts)))
    for i in range(len(static)):
        trajectory.state[:], trajectory.mode[:], trajectory.time = states[i], modes[i], times[i]
        field.program.ingredients(trajectory)
        static[i] = trajectory.S
    whole = np.broadcast_to(static, (len(times), static.shape[1]))
    return {contact: whole[:, i] for i, contact in enumerate(model.contacts)}


def _varies(model: Model) -> bool:
    """Whether the static limit of a contact may change in time: its normal force does, or its law remembers."""
    if not isinstance(model, System):
        return "static" in model.functions or "kinetic" in model.functions  # type: ignore[attr-defined]
    return any(callable(part.normal) or part.internal_states() for part in model.friction.values())


def laws_of(run: Run, model: Model) -> dict[str, Floats]:
    """The force of each law over the sliding velocities that the motion reaches, to both sides."""
    if not isinstance(model, System) or not run.sizes["time"]:
        return {}
    found = {}
    static = _limits_at_start(model)
    for i, contact in enumerate(model.contacts):
        law = model.friction[contact].friction
        top = float(np.nanmax(np.abs(run["slip_velocity"].values[:, i]), initial=0.0)) or 1.0
        if not isinstance(law, FrictionLaw):
            continue
        values = model.law_values(contact)
        at_rest = float(law.static_value(values))
        normal = static[i] / at_rest if at_rest > 0 else 0.0
        speeds = np.concatenate([[0.0], np.geomspace(LEAST_SPEED * top, top, LAW_POINTS // 2 - 1)])
        forces = normal * np.array([_kinetic(law, float(v), values) for v in speeds])
        found[f"law.{contact}"] = np.stack([np.r_[-speeds[::-1], speeds], np.r_[forces[::-1], -forces]])
    return found


def _kinetic(law: FrictionLaw, v: float, values: Any) -> float:
    try:
        return float(law.kinetic_value(v, values))
    except (ModelError, ArithmeticError, ValueError):
        return float("nan")


def _limits_at_start(model: Model) -> Floats:
    return Exact().compile(model).evaluate(model.start_state(), 0.0).static


def machine_arrays(run: Run, model: Model) -> dict[str, Floats]:
    """How far bodies are from their places in the drawing, and how strongly they are pushed."""
    if not isinstance(model, System) or not run.sizes["time"]:
        return {}
    times = run["time"].values
    states = {name: run[name].values for name in model.states}
    raw = {mass.name: states[f"x.{mass.name}"] for mass in model.masses} | given_motions(model, times)
    arrays = {f"moved.{body}": values for body, values in displaced(layout(model), raw).items()}
    return arrays | {f"push.{name}": values for name, values in pushes(model, times, states).items()}
