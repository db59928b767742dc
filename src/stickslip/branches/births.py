"""Where an orbit shrinks into an equilibrium, or is born from one: a Hopf point, seen from the orbit.

There the orbit's own equations become singular, since an equilibrium solves them with any period; beyond, they have the
same orbits once more, begun half a period later. So the point is recognised by the motion at the start of the orbit,
which reverses on the way, and located by the equations of a Hopf point.

From there small orbits are z = z₀ + 2ρ Re(q e^{iωt}), with the eigenvector q; the parameter changes with ρ², by what
the first Lyapunov coefficient says. For a given ρ an orbit solves its own equations with the parameter among the
unknowns, and is no longer singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.critical import hopf_at
from stickslip.branches.steps import FAILURES, OrbitStep
from stickslip.errors import NoConvergence, OrbitError
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smoothing
from stickslip.model.system import System
from stickslip.orbits.arclength import Place, corrected
from stickslip.orbits.balance import Balance, rest
from stickslip.orbits.equilibria import equilibrium_at
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.exact import PhaseProblem
from stickslip.orbits.motion import Motion
from stickslip.orbits.newton import newton
from stickslip.orbits.normal_form import Hopf, Pair, growth_slope, hopf
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.phases import FLAT, normal_of
from stickslip.orbits.signature import SECTION, Event, Signature

SHRUNK = 0.1
"""An orbit that becomes this much smaller within one step, or reverses, is as good as gone."""

NOTHING = 1e-6
"""The extent of an orbit, in units of the size of its states, that is none."""

NEARBY, CLEAR, AROUND = 1e-3, 0.3, 0.1
"""How large a first orbit is: so that the parameter changes by this part of its range; that the sliding velocity of a
contact changes by this part of itself; that states change by this part of their size, where nothing else is known."""

SMALLER = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3)
"""By which factors it is tried smaller."""

ROOM = 10.0
"""How much larger than a first orbit its states are taken to be, where they are zero at rest."""


@dataclass(frozen=True)
class Birth:
    """The Hopf point at which an orbit is born: the orbit without extent, and what is known of the point."""

    orbit: Orbit
    hopf: Hopf


def vanishing(step: OrbitStep) -> Floats | None:
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


def birth(step: OrbitStep, between: Floats, parameter: str) -> Birth | None:
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


def is_at_rest(orbit: Orbit) -> bool:
    """Whether an orbit has no extent, as at the Hopf point where it is born."""
    if orbit.turns or orbit.signature.events != (Event(SECTION),):
        return False
    values = np.array([orbit.data[name].values for name in orbit.model.states])
    return bool(np.all(np.ptp(values, axis=1) <= NOTHING * orbit.phases.scale))


def equilibrium_of(orbit: Orbit) -> Equilibrium:
    """The equilibrium that an orbit without extent is."""
    try:
        balance, y = _resting(orbit)
    except NoConvergence as error:
        raise OrbitError(str(error)) from None
    return equilibrium_at(balance, y, balance.parameters)


# -- from the equilibrium to the orbit ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Newborn:
    """The orbits born at a Hopf point: their equations, and the orbit without extent as a solution `u`. `swing` is the
    change of the unknowns by 2ρ q, `onset` that of the parameter by ρ², for the ρ of a first orbit."""

    problem: Any
    u: Floats
    swing: Floats
    onset: float

    @property
    def orbit(self) -> Orbit:
        """The orbit without extent."""
        found: Orbit = self.problem.orbit(self.problem.solved(self.u))
        return found

    def first(self, scales: Floats) -> Floats | None:
        """The unknowns of a small orbit, in whose equations the parameter is free; None where none is found."""
        length = float(np.linalg.norm(self.swing / scales))
        start = Place(self.u, self.swing / scales / length)
        for part in SMALLER:
            guess = self.u + part * self.swing
            guess[-1] += part**2 * self.onset
            try:
                found = corrected(self.problem, start, part * length, guess, scales)[0]
                if self._is_one(found, part, scales, length):
                    return found
            except FAILURES:
                continue
        return None

    def _is_one(self, u: Floats, part: float, scales: Floats, length: float) -> bool:
        """Whether a solution is the orbit looked for: about as large and as slow, and a motion of the system."""
        n = self.problem.n
        apart = (u - self.u - part * self.swing)[:n]
        alike = float(np.linalg.norm(apart / scales[:n])) < 0.5 * part * length and abs(u[n] / self.u[n] - 1) < 0.1
        return alike and not self.problem.fault(self.problem.solved(u))


def newborn(start: Orbit | Equilibrium, parameter: str, omega: float, l1: float, span: float) -> Newborn:
    """The orbits that are born where an equilibrium begins to oscillate; `span` is how far the parameter is to go."""
    balance, y = _at_rest(start)
    model, method = start.model, start.method
    p, n, number = balance.parameters, balance.n, list(model.parameters).index(parameter)
    pair = Pair.at(balance, y, p, omega)
    slope, z, q = growth_slope(balance, y, p, pair, number), y[:n], pair.q[:n]
    onset = -omega * l1 / slope if slope else float("nan")  # Kuznetsov, Eq. (5.24): α + ω l₁ ρ² = 0
    rho = _amplitude(start, z, q, onset, span)
    scale = np.maximum(np.abs(z), ROOM * 2 * rho * np.abs(q))
    scale = np.where(scale > 1e-12 * np.max(scale), scale, np.max(scale))
    q = _begun(q, scale)
    problem = _posed(start, method, scale, number)
    period, blank = 2 * np.pi / omega, np.zeros(n + 2)

    def at(change: Floats) -> Floats:
        unknowns: Floats = problem.unknowns(z + change, period, blank, float(p[number]))
        return unknowns

    u = at(np.zeros(n))
    round_ = np.array([at(2 * rho * (q * np.exp(1j * angle)).real) for angle in np.linspace(0, 2 * np.pi, 17)])
    rate = at(-2 * rho * q.imag) - u
    problem.section = u[:n], normal_of(rate[:n], round_[:, :n], scale)
    swing = round_[0] - u
    return Newborn(problem, u, swing, rho**2 * onset if np.isfinite(onset) else 0.0)


def _begun(q: Any, scale: Floats) -> Any:
    """An eigenvector whose real part lies in the section that stands on its motion, in the sense of `normal_of`."""
    relative = q / scale
    sizes = np.abs(relative)
    weighted = relative / np.maximum(sizes, FLAT * np.max(sizes))
    return q * np.exp(-0.5j * np.angle(np.sum(weighted**2)))


def _at_rest(start: Orbit | Equilibrium) -> tuple[Balance, Floats]:
    """The conditions of rest, and the equilibrium as their solution."""
    if isinstance(start, Orbit):
        return _resting(start)
    balance = Balance.of(start.model, list(start.mode.values()))
    return balance, balance.unknowns(start.state, start.force)


def _amplitude(start: Orbit | Equilibrium, z: Floats, q: Any, onset: float, span: float) -> float:
    """The ρ of a first orbit."""
    found = []
    if np.isfinite(onset) and onset != 0:
        found.append(float(np.sqrt(abs(NEARBY * span / onset))))
    mode = start.signature.modes[0]
    motion = Motion(start.model) if isinstance(start.method, Exact) else None
    if motion is not None and any(mode):
        here = motion.phase(mode, z, 0.0, 0.0, [])
        for i in (i for i, m in enumerate(mode) if m):
            row = here.row("v", i)
            swing = 2 * abs(here.by_state[row] @ q)
            found += [float(CLEAR * abs(here.values[row]) / swing)] if swing > 0 else []
    if not found:
        found.append(float(AROUND * np.max(np.abs(z)) / np.max(np.abs(q))) or 1.0)
    return min(found)


def _posed(start: Orbit | Equilibrium, method: Any, scale: Floats, number: int) -> Any:
    """The equations of an orbit without events, with one parameter free; its section comes later."""
    if isinstance(method, Exact):
        signature = Signature(start.model.contacts, start.signature.modes, (Event(SECTION),))
        return PhaseProblem(Motion(start.model), signature, scale, [number])
    from stickslip.orbits.shooting import ShootingProblem

    return ShootingProblem(start.model, method, scale, [number])
