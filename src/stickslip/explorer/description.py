"""The job `describe`: a model with its parameters, ranges, equations and machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.errors import StickslipError
from stickslip.explorer.defaults import parameter_range, state_ranges, view_of
from stickslip.explorer.script import system_lines, text_lines
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import number, table
from stickslip.model.library import LIBRARY
from stickslip.model.system import Model, System
from stickslip.plot.machine import layout
from stickslip.plot.scene import extent_of
from stickslip.symbolic.mathml import typeset

MOST_STATES = 12
"""Of equations that are shown."""


def describe(task: Task) -> Reply:
    """All that a page needs to know of a model."""
    base, model = task.base, task.model
    view = view_of(base, task.asked)
    t = number(table(view, "motion"), "t", "motion.t", positive=True)
    reach = state_ranges(base, t)
    fields = {
        "title": model.about.called[:1].upper() + model.about.called[1:],
        "about": _about(task, model),
        "view": view,
        "parts": [{"name": name, "kind": part.kind} for name, part in _parts(model).items()],
        "parameters": [_parameter(base, model, name) for name in model.parameters],
        "states": [_state(model, name, reach[name]) for name in model.states],
        "contacts": rubbing(model),
        "contact_words": contact_words(model),
        "quantities": list(model.states),
        "period": task.period,
        "time_unit": model.time_unit,
        "units": dict(model.contact_units()),
        "equations": equations_of(model),
        "machine": machine_of(model),
        "python": "\n".join([*text_lines(task.asked), *system_lines(task.asked)]),
    }
    return fields, {}


def rubbing(model: Model) -> list[str]:
    """All contacts: those that stick, then those whose law has a state of its own."""
    return [*model.contacts, *(model.dynamic if isinstance(model, System) else ())]


def contact_words(model: Model) -> dict[str, str]:
    """What the axes of a contact are called: a relay has no sliding velocity."""
    if not isinstance(model, System):
        return {"slip_velocity": "switching function", "force": "relay force"}
    return {"slip_velocity": "sliding velocity", "force": model.quantities.get("force", "friction force")}


def _parts(model: Model) -> dict[str, Any]:
    return dict(model.parts) if isinstance(model, System) else {}


def _about(task: Task, model: Model) -> str:
    name = task.asked["model"].get("library")
    first = (LIBRARY[name].__doc__ or "").strip().partition("\n")[0] if name in LIBRARY else ""
    return " ".join(part for part in (first, model.about.source) if part)


def _parameter(base: Model, model: Model, name: str) -> dict[str, Any]:
    """A parameter; its range is that about the value of the model itself, widened to the present one."""
    part, _, label = name.rpartition(".")
    low, high = parameter_range(base, name)
    value = model.parameters[name]
    return {
        "name": name,
        "part": part,
        "label": label,
        "value": value,
        "low": min(low, value),
        "high": max(high, value),
        "unit": model.unit_of(name),
        "about": "",
    }


def _state(model: Model, name: str, reach: tuple[float, float]) -> dict[str, Any]:
    value = model.start[name]
    return {
        "name": name,
        "value": value,
        "low": min(reach[0], value),
        "high": max(reach[1], value),
        "unit": model.unit_of(name),
        "quantity": model.quantities.get(name, ""),
    }


def equations_of(model: Model) -> str:
    """The equations in MathML, one element after the other; nothing where they are too long."""
    if len(model.states) > MOST_STATES:
        return ""
    try:
        found = typeset(model)
    except StickslipError:
        return ""
    return "\n".join([*found.rates, *(formula for lines in found.contacts.values() for _, formula in lines)])


def machine_of(model: Model) -> dict[str, Any] | None:
    """Where the parts of a machine are drawn; None for a model without parts."""
    if not isinstance(model, System):
        return None
    machine = layout(model)
    return {**machine.to_dict(), "extent": np.ravel(extent_of(machine)).tolist()}
