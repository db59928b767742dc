"""Changes of signature: where the phases of an orbit cease to be those that the system chooses, and what that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.margins import (
    ADDING,
    CROSSING,
    EXCHANGE,
    GRAZING,
    LOSS,
    SWITCHING,
    Margin,
    crossing_name,
    margins,
)
from stickslip.branches.steps import FAILURES, OrbitPoint, OrbitStep, Unresolved, point_at
from stickslip.orbits.arclength import corrected
from stickslip.orbits.exact import PhaseProblem, problem_of
from stickslip.orbits.newton import newton
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.phases import Problem, Solved
from stickslip.orbits.problems import OrbitProblem
from stickslip.orbits.signature import Signature

NEARER, SAME = 1 / 16, 1e-3
"""How much nearer an orbit is taken to where it begins, and how much it may then still differ, relative to its size."""

BACK = (2.0, 10.0, 100.0)
"""How far one goes back beyond a change of signature, in units of the way that one came from it."""


@dataclass(frozen=True)
class Change:
    """A change of signature: what happens, which margin is zero, and the orbit there as a solution of equations."""

    kind: str
    margin: Margin
    problem: Any
    point: OrbitPoint


def phases_of(problem: OrbitProblem) -> PhaseProblem:
    """Equations that have phases: those of methods that smear them have none that could change."""
    assert isinstance(problem, PhaseProblem)
    return problem


def becoming(before: Signature, after: Signature) -> str:
    """What a change of signature means: stick phases lost or gained, and both signatures."""
    old, new = before.stick_phases(), after.stick_phases()
    words = [
        f"{name} {'gains' if new[name] > old[name] else 'loses'} a stick phase"
        for name in old
        if old[name] != new[name]
    ]
    return "; ".join([*words, f"{before} becomes {after}"])


def first_change(step: OrbitStep) -> Change:
    """The change of signature that comes first within a step at whose end the phases are impossible."""
    problem = phases_of(step.problem)
    old, new = (margins(problem, point.solved) for point in (step.here, step.there))
    found: list[tuple[Margin, Floats]] = []
    for key in new:
        if not (new[key] < 0 and old.get(key, np.inf) > 0):
            continue
        if key not in old:
            raise Unresolved("a margin came into being within the step")

        def value(u: Floats, key: Margin = key) -> float:
            return margins(problem, problem.solved(u), key).get(key, np.inf)

        root = step.root(value, (old[key], new[key]))
        if root is not None and abs(value(root)) < 1e-3 * (old[key] - new[key]):  # else it jumps
            found.append((key, root))
    if not found:
        raise Unresolved("the phases are not possible, and it was not found why")
    key, root = min(found, key=lambda item: step.distance(item[1]))
    point = step.at(root)
    return Change(name_of(problem, key, point.solved), key, problem, point)


def seen_back(problem: Any, scales: Floats, u: Floats, direction: Floats) -> Change | None:
    """The change of signature that lies behind an orbit; `direction` is the way from there, as far as it is known.

    Where a phase loses its length, the equations with this phase are singular. Those without it are not, and they have
    the same point.
    """
    length = float(np.linalg.norm(direction / scales))
    try:
        here = point_at(problem, u, scales, -direction / scales)
        for times in BACK:
            guess = u + times * length * here.place.tangent * scales
            there = point_at(
                problem, corrected(problem, here.place, times * length, guess, scales)[0], scales, here.place.tangent
            )
            if problem.fault(there.solved):
                return first_change(OrbitStep(problem, scales, here, there))
    except FAILURES:
        pass
    return None


def begins_at(orbit: Orbit, problem: PhaseProblem, solved: Solved, number: int) -> bool:
    """Whether an orbit a little beyond a change of signature becomes the one there as it is taken back to it.

    Where friction jumps at rest, what a motion does after it has just touched rest is quite another orbit. `number` is
    that of the parameter.
    """
    value, limit = list(orbit.model.parameters.values())[number], float(solved.parameters[number])
    extremes = problem.extremes(solved)

    def apart(fraction: float) -> float:
        values = np.array(solved.parameters)
        values[number] = limit + fraction * (value - limit)
        own, u = problem_of(orbit, (), problem.motion.with_parameters(values))
        there = own.solved(newton(own.residual, u, own.scales(u)))
        changes = np.abs(own.extremes(there) - extremes) / problem.state_scale
        return max(float(np.max(changes)), abs(there.period / solved.period - 1))

    far = apart(1.0)
    try:
        near = apart(NEARER)
    except FAILURES:
        return far < SAME
    return near < 0.5 * far or near < SAME


def name_of(problem: Problem, key: Margin, solved: Solved) -> str:
    """What happens where a margin is zero; the same seen from both sides of it."""
    kind, j, contact, _ = key
    if kind == CROSSING:
        return crossing_name(problem, solved, j, contact)
    if kind != LOSS:
        return kind
    modes = problem.signature.modes
    for a, m, b in zip(modes[j - 1], modes[j], modes[(j + 1) % len(modes)], strict=True):
        if m == 0 and a != 0 and b != 0:  # a stick between two slips
            return GRAZING if a == b else CROSSING
        if m != 0 and a == 0 and b == 0:  # a slip between two sticks
            return ADDING
        if m != 0 and a == -m and b == 0:  # a slip between one to the other side and a stick
            return SWITCHING
    return EXCHANGE
