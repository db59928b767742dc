"""What happens to an orbit within one step along its branch, where nothing changes in its phases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stickslip.arrays import Floats
from stickslip.branches.margins import BRANCH_POINT, FLIP, FOLD, TORUS, has_pair_on_circle, outside
from stickslip.branches.steps import FAILURES, OrbitPoint, OrbitStep, Unresolved
from stickslip.orbits.crossings import LEVEL, Crossing, crossing
from stickslip.orbits.stability import nontrivial

TRIVIAL = 0.1
"""How far the multiplier of a shift in time may be from 1."""

PITCHFORK, AT_ONCE = "pitchfork", "several multipliers at once"
WEIGHTS = {FOLD: 1, FLIP: 1, BRANCH_POINT: 1, TORUS: 2}
"""How many multipliers pass the unit circle."""


@dataclass(frozen=True)
class Found:
    """A bifurcation: how far on, which, the unknowns there; at a branch point the tangent of the branch."""

    distance: float
    kind: str
    u: Floats
    note: str = ""
    tangent: Floats | None = None


def bifurcations(step: OrbitStep) -> list[Found]:
    """The bifurcations between the ends of a step, in their order."""
    if not (_are_told(step, step.here) and _are_told(step, step.there)):
        return []
    crossed = step.crossed()
    found: list[Found] = []
    if BRANCH_POINT in crossed:
        found += _branch_points(step)
    turned = any(point.tangent is not None and abs(point.tangent[-1]) < LEVEL for point in found)
    if FOLD in crossed and not turned:  # at a pitchfork the orbits without symmetry turn back
        found += _located(step, FOLD)
    for kind in (FLIP, TORUS):
        if kind in crossed:
            found += _located(step, kind)
    found += _unexplained(step, found)
    return sorted(found, key=lambda item: item.distance)


def _are_told(step: OrbitStep, point: OrbitPoint) -> bool:
    """Whether multipliers are what they seem: without an excitation one of them must be 1, which is lost where
    neighbouring motions part very far before they meet again. Those of a motion that just touches rest do not exist."""
    return step.problem.turns > 0 or not float(np.min(np.abs(point.multipliers - 1))) > TRIVIAL


def _located(step: OrbitStep, kind: str) -> Iterator[Found]:
    u = step.zero(lambda point: step.tests(point)[kind])
    if u is None:
        raise Unresolved(f"a {kind} was not found within the step")
    if _is_there(step, kind, u):
        yield Found(step.distance(u), kind, u)


def _is_there(step: OrbitStep, kind: str, u: Floats) -> bool:
    """Whether multipliers are where they must be: of a pair two real ones may have the product 1, one may jump past −1,
    and where a motion is too sensitive a path is not what it seems."""
    multipliers = nontrivial(step.at(u).multipliers, step.problem.turns == 0)
    if kind == TORUS:
        return has_pair_on_circle(multipliers)
    if kind == FLIP:
        return bool(np.min(np.abs(multipliers + 1), initial=np.inf) < 1e-4)
    return not np.min(np.abs(multipliers - 1), initial=np.inf) > 1e-2


def _branch_points(step: OrbitStep) -> Iterator[Found]:
    met = _crossing(step)
    if met is None or not _is_there(step, BRANCH_POINT, met.u):
        return
    tangent = met.along(step.here.place.tangent)
    note = PITCHFORK if min(abs(float(t[-1])) for t in met.tangents) < LEVEL else ""
    yield Found(step.distance(met.u), BRANCH_POINT, met.u, note, tangent)


def _crossing(step: OrbitStep) -> Crossing | None:
    """The crossing of branches within a step. Beside it the path can be corrected, at the point itself it cannot."""
    low, high = step.here, step.there
    for _ in range(5):
        try:
            middle = step.between(0.5 * (step.distance(low.u) + step.distance(high.u)))
        except FAILURES:
            break
        low, high = (middle, high) if middle.place.sign == low.place.sign else (low, middle)
    met = crossing(step.problem, 0.5 * (low.u + high.u), step.scales)
    if met is not None and not -1e-9 < step.distance(met.u) < step.length + 1e-9:
        raise Unresolved("the crossing that was found lies elsewhere")
    return met


def _unexplained(step: OrbitStep, found: list[Found]) -> Iterator[Found]:
    """Stability changes at bifurcations only. Where two multipliers pass the unit circle together no test function
    changes its sign; then the place where their number changes is looked for."""
    autonomous = step.problem.turns == 0
    old, new = (outside(point.multipliers, autonomous) for point in (step.here, step.there))
    if old is None or new is None or abs(new - old) <= sum(WEIGHTS[item.kind] for item in found):
        return

    def count(point: OrbitPoint) -> float:
        sizes = np.abs(nontrivial(point.multipliers, autonomous))
        return float(np.sum(sizes > 1)) - 0.5 * (old + new)

    u = step.zero(count)
    if u is None:
        raise Unresolved("the place where the stability changes was not found within the step")
    multipliers = nontrivial(step.at(u).multipliers, autonomous)
    nearest = complex(multipliers[int(np.argmin(np.abs(np.abs(multipliers) - 1)))])
    kind = TORUS if abs(nearest.imag) > 1e-6 else FLIP if nearest.real < 0 else BRANCH_POINT
    if _is_there(step, kind, u):
        yield Found(step.distance(u), kind, u, AT_ONCE)
