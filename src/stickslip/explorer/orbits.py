"""The jobs `orbit` and `equilibria`."""

from __future__ import annotations

from typing import Any

from stickslip.explorer.messages import finite
from stickslip.explorer.motion import SAMPLES, arrays_of
from stickslip.explorer.task import Reply, Task
from stickslip.orbits.equilibria import find_equilibria
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.find import find_orbit
from stickslip.simulation import simulate

ORBIT = "orbit = ss.find_orbit(system)"
EQUILIBRIA = "equilibria = ss.find_equilibria(system)"


def orbit(task: Task) -> Reply:
    """The periodic orbit that the motion leads to."""
    found = find_orbit(task.model)
    fields = {
        "period": found.period,
        "multipliers": [[m.real, m.imag] for m in found.multipliers.tolist()],
        "stable": found.stable,
        "signature": str(found.signature),
        "turns": found.turns,
        "start": found.start,
        "start_time": found.start_time,
        "residual": finite(found.history.residuals[-1]) if len(found.history.residuals) else None,
        "python": ORBIT,
    }
    # As finely as a motion: its own steps are so long that they would be drawn as a polygon.
    end = found.start_time + found.period
    run = simulate(found.model, end, start_time=found.start_time, start=found.start, samples=SAMPLES, dense=False)
    return fields, arrays_of(run, task.model)


def equilibria(task: Task) -> Reply:
    """Where the system rests, or slides steadily."""
    found = find_equilibria(task.model)
    return {"equilibria": [_told(each) for each in found], "python": EQUILIBRIA}, {}


def _told(found: Equilibrium) -> dict[str, Any]:
    return {
        "states": found.state,
        "stable": found.stable,
        "stability": found.stability,
        "kind": found.kind,
        "eigenvalues": [[e.real, e.imag] for e in found.eigenvalues.tolist()],
        "interval": found.interval,
    }
