"""Where an orbit shrinks into an equilibrium: a Hopf point, seen from the orbit.

There the orbit's own equations become singular, since an equilibrium solves them with any period; beyond, they have the
same orbits once more, begun half a period later. So the point is recognised by the motion at the start of the orbit,
which reverses on the way, and located by the equations of a Hopf point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.critical import hopf_at
from stickslip.branches.steps import FAILURES, Step
from stickslip.errors import NoConvergence, OrbitError
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smoothing
from stickslip.model.system import System
from stickslip.orbits.balance import Balance, rest
from stickslip.orbits.equilibria import Equilibrium, equilibrium_at
from stickslip.orbits.motion import Motion
from stickslip.orbits.newton import newton
from stickslip.orbits.normal_form import Hopf, hopf
from stickslip.orbits.orbit import Orbit

Floats = NDArray[np.float64]
SHRUNK = 0.1
"""An orbit that becomes this much smaller within one step, or reverses, is as good as gone."""


@dataclass(frozen=True)
class Birth:
    """The Hopf point at which an orbit is born: the orbit without extent, and what is known of the point."""

    orbit: Orbit
    hopf: Hopf


def vanishing(step: Step) -> Floats | None:
    """The unknowns where an orbit has shrunk to nothing within a step: there the motion at its start comes to rest,
    and then reverses. None where it does not."""
    if not step.problem.is_cut:
        return None
    old, new = (step.problem.start_rate(point.solved) for point in (step.here, step.there))
    change = new - old
    fraction = min(max(-float(old @ change) / float(change @ change), 0.0), 1.0) if np.any(change) else 0.0
    if float(np.linalg.norm(old + fraction * change)) > SHRUNK * float(np.linalg.norm(old)):
        return None
    return step.here.u + fraction * (step.there.u - step.here.u)


def birth(step: Step, between: Floats, parameter: str) -> Birth | None:
    """The Hopf point where an orbit has shrunk to nothing; None where none is found within the step."""
    problem = step.problem
    try:
        orbit = problem.orbit(problem.solved(between))
        state, value, found = _hopf_point(orbit, parameter, float(step.scales[-1]))
        u = problem.unknowns(state, 2 * np.pi / found.omega, between, value)
        if float(np.max(np.abs((u - between) / step.scales))) > abs(step.length):
            return None
        return Birth(problem.orbit(problem.solved(u)), found)
    except FAILURES:
        return None


def _hopf_point(orbit: Orbit, parameter: str, size: float) -> tuple[Floats, float, Hopf]:
    """State, parameter and frequency of the Hopf point near a small orbit; `size` is that of changes of it."""
    balance, y = _resting(orbit)
    number, omega = list(balance.model.parameters).index(parameter), 2 * np.pi / orbit.period
    equations, v = hopf_at(balance, [number], y, balance.parameters, omega)
    scales = equations.scales(v)
    scales[-1] = size
    v = newton(equations.residual, v, scales, tolerance=1e-14)
    p = equations.parameters(v)
    found = hopf(balance, equations.y(v), p, abs(equations.omega(v)))
    return equations.y(v)[: balance.n], float(p[number]), found


def _resting(orbit: Orbit) -> tuple[Balance, Floats]:
    """The conditions of rest where an orbit is nearly at rest, and their solution."""
    model = orbit.model
    if isinstance(orbit.method, Smoothing):
        if not isinstance(model, System):
            raise OrbitError("the equilibria of smoothed friction are found for a System of parts only")
        model = model.smoothed(orbit.method.eps, orbit.method.shape)
    mode = orbit.signature.modes[0]
    if not isinstance(orbit.method, Exact | Smoothing):
        mode = tuple(int(s) for s in np.sign(Motion(model).sliding(orbit.state, orbit.start_time)))
    balance = Balance.of(model, mode)
    y = rest(balance, np.append(orbit.state, np.zeros(len(balance.stuck))))
    if y is None:
        raise NoConvergence("there is no equilibrium near the orbit")
    return balance, y


def equilibrium_of(orbit: Orbit) -> Equilibrium:
    """The equilibrium that an orbit without extent is."""
    try:
        balance, y = _resting(orbit)
    except NoConvergence as error:
        raise OrbitError(str(error)) from None
    return equilibrium_at(balance, y, balance.parameters)
