"""Contacts whose law has a state of its own: how fast they slide, and how strongly they rub, as a motion went."""

from __future__ import annotations

import numpy as np
from scipy.optimize import root_scalar

from stickslip.arrays import Floats
from stickslip.model.dynamic import DynamicLaw
from stickslip.model.system import Model, System
from stickslip.plot.prescribed import normal_of, velocity_of
from stickslip.result import Run

POINTS = 120
"""Of the curve of a law to each side."""

SLOWEST = 1e-3
"""Part of the largest sliding velocity at which that curve begins."""


def creeping(run: Run, model: Model) -> dict[str, Floats]:
    """Sliding velocity, friction force, direction, and the law in steady sliding, of every such contact.

    They never stick: where a dry contact would, they creep.
    """
    if not isinstance(model, System) or not run.sizes["time"]:
        return {}
    times = run["time"].values
    states = {name: run[name].values for name in model.states}
    found: dict[str, Floats] = {}
    for name, contact in model.dynamic.items():
        law, values = contact.friction, model.law_values(name)
        sliding = np.sum([weight * states[f"v.{body.name}"] for body, weight in contact.weights], axis=0)
        sliding = sliding - velocity_of(model, contact.against, times, states)
        normal, inside = normal_of(model, name, times, states), states[f"{law.state}.{name}"]
        pairs = zip(sliding.tolist(), inside.tolist(), strict=True)
        coefficient = np.array([_finite(law, v, z, values) for v, z in pairs])
        found |= {f"v.{name}": sliding, f"force.{name}": -normal * coefficient}
        found[f"mode.{name}"] = np.where(sliding < 0, -1, 1).astype(np.int8)
        found[f"law.{name}"] = steady(law, values, float(np.nanmax(np.abs(sliding), initial=0.0)) or 1.0, normal[0])
    return found


def steady(law: DynamicLaw, values: dict[str, float], top: float, normal: float) -> Floats:
    """The force of a law at constant sliding velocities up to the largest, to both sides; NaN where it has none."""
    speeds = np.geomspace(SLOWEST * top, top, POINTS)
    v = np.r_[-speeds[::-1], speeds]
    return np.stack([v, np.array([-normal * _steady(law, float(each), values) for each in v])])


def _steady(law: DynamicLaw, v: float, values: dict[str, float]) -> float:
    """The coefficient where the state of the law stays as it is."""
    start = law.start(values)
    try:
        found = root_scalar(lambda z: law.rate_value(v, z, values), x0=start, x1=start + 1e-6 * (abs(start) or 1.0))
    except (ArithmeticError, ValueError, TypeError):
        return float("nan")
    return _finite(law, v, float(found.root), values) if found.converged else float("nan")


def _finite(law: DynamicLaw, v: float, z: float, values: dict[str, float]) -> float:
    try:
        return law.coefficient_value(v, z, values)
    except (ArithmeticError, ValueError, TypeError):
        return float("nan")
