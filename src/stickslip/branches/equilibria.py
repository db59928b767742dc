"""Equilibria followed along a parameter, and their Hopf points and folds along two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.branches.branch import Branch
from stickslip.branches.critical import (
    HOPF,
    TAKENS,
    EquilibriumPath,
    HopfPath,
    conservative,
    fold_at,
    hopf_at,
    pair_sums,
    pairs_growth,
    settled,
)
from stickslip.branches.margins import BRANCH_POINT, FOLD
from stickslip.branches.outcome import Ending, Outcome
from stickslip.branches.special import SpecialPoint
from stickslip.branches.steps import Point, Step, Test
from stickslip.branches.walk import LONGEST, ArclengthWalk, both_ways
from stickslip.branches.way import Progress, Way, ways
from stickslip.errors import NoConvergence, OrbitError
from stickslip.model.system import Model
from stickslip.orbits.arclength import place
from stickslip.orbits.balance import PRESSED, RUBS, SLIPS, STICKS, Balance, Margin, rest
from stickslip.orbits.crossings import LEVEL, Crossing, crossing
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.normal_form import critical_pair, hopf

SMALLEST = 1e-2
"""How far the unit of an unknown may shrink, as a part of its largest size on the way."""

BOUNDARY, LIFT_OFF, FRICTIONLESS = "boundary equilibrium", "lift-off", "loss of friction"
ENDS = {
    SLIPS: (BOUNDARY, "it stops sliding"),
    STICKS: (BOUNDARY, "its force reaches the static limit"),
    PRESSED: (LIFT_OFF, "its normal force vanishes"),
    RUBS: (FRICTIONLESS, "its friction vanishes"),
}
"""What happens where a margin reaches zero, and what the contact does there."""


def follow_equilibrium(
    start: Equilibrium,
    parameter: str | tuple[str, str],
    *,
    to: float | tuple[float, float],
    point: SpecialPoint | None = None,
    step: float = LONGEST,
    most: int = 2000,
    progress: Progress | None = None,
) -> Branch:
    """The branch of an equilibrium along a parameter; or of a Hopf point or fold along two.

    Special points: Hopf (its note says supercritical or subcritical), fold, branch point; and the end where the
    equilibrium meets the switching surface (boundary equilibrium). With two parameters the first is followed to `to`,
    the second is solved for; special points are then Bautin, Bogdanov–Takens and cusp. `point` is the special point
    whose equilibrium this is. Other keywords as in `follow`, by which this is called.

    >>> import stickslip as ss
    >>> (steady,) = ss.find_equilibria(ss.models.block_on_belt().smoothed(1e4))
    >>> follow_equilibrium(steady, "belt.speed", to=1e-4).special
    (<Hopf at belt.speed = 0.004669614952>,)
    """
    if start.interval is not None:
        raise OrbitError(
            "these equilibria in stick fill an interval, which has no branch: follow one in slip, or look at the "
            "intervals of find_equilibria for several parameter values"
        )
    names = tuple(parameter) if isinstance(parameter, tuple | list) else (parameter,)
    names = _checked(start.model, names)
    found = ways(start.model, names[0], to, "equilibrium", step, most, progress or (lambda value, count: None))
    return both_ways([EquilibriumWalk(start, point, names, way) for way in found])


def _checked(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The names of one or two parameters; a sentence where they cannot be followed."""
    resolved = tuple(model.resolve(name) for name in names)
    if len(resolved) > 2 or len(set(resolved)) != len(resolved):
        raise OrbitError(f"{names!r}: give one parameter, or two different ones to follow a Hopf point or a fold")
    return resolved


EquilibriumStep = Step[EquilibriumPath, Point]


@dataclass(frozen=True, eq=False)
class Release:
    """Where a contact ceases to do what it does: the unknowns there, what happens, and how the branch ends."""

    u: Floats
    kind: str
    ending: Ending


class EquilibriumWalk(ArclengthWalk[EquilibriumPath, Point]):
    """A branch of equilibria in the making, or a curve of Hopf points or folds along two parameters."""

    shortest = edge = 1e-8
    advice = "Look at the last equilibrium; try a smaller step=."

    def __init__(self, start: Equilibrium, point: SpecialPoint | None, names: Sequence[str], way: Way) -> None:
        super().__init__(start, way)
        self.largest = np.zeros(0)
        balance = Balance.of(start.model, list(start.mode.values()))
        numbers = [list(start.model.parameters).index(name) for name in names]
        y = balance.unknowns(start.state, start.force)
        self.point = point if point is not None and point.kind == BRANCH_POINT else None
        if len(names) == 1:
            settled_y = rest(balance, y)
            self.problem = EquilibriumPath(balance, tuple(numbers), balance.parameters)
            self.first = np.append(y if settled_y is None else settled_y, balance.parameters[numbers])
        else:
            self.problem, self.first = _critical(point, balance, numbers[::-1], y)

    def _begin(self) -> Ending | None:
        self.scales = self._scales(self.problem, self.first)
        self.here = self._point(self.problem, self.first, self.scales, None)
        tangent = self.here.place.tangent
        if tangent[-1] * np.sign(self.way.bounds[0] - self.first[-1]) < 0:
            self.here = self._point(self.problem, self.first, self.scales, -tangent)
        if self.point is not None:
            return self._cross(self.point, self.first, np.array(self.point.margin, float))
        self._keep(self.first)
        return None

    def _point(self, problem: EquilibriumPath, u: Floats, scales: Floats, along: Floats | None) -> Point:
        return Point(place(problem, u, scales, along))

    def _step(self, there: Point) -> EquilibriumStep:
        return EquilibriumStep(self.problem, self.scales, self.here, there)

    def _scales(self, problem: EquilibriumPath, u: Floats) -> Floats:
        """Sizes of the unknowns. Those of the states only grow, others may shrink to a part of the largest that was
        seen: whatever passes through zero must not be approached in ever smaller steps."""
        scales, states = problem.scales(u), problem.balance.size
        scales[-1] = self.range
        if self.points:
            scales[:states] = np.maximum(np.abs(u[:states]), self.scales[:states])
            scales = np.maximum(scales, SMALLEST * self.largest)
        self.largest = np.maximum(scales, self.largest) if self.points else scales
        return scales

    def _check_allowed(self, u: Floats) -> None:
        self.problem.model(u)

    # -- going along -----------------------------------------------------------------------------------------------

    def _accept(self, step: EquilibriumStep) -> Ending | None:
        step, ending = self._bounded(step)
        release = self._release(step)
        if release is not None and (ending is None or step.distance(release.u) < step.length):
            step = self._step(self._point(self.problem, release.u, self.scales, self.here.place.tangent))
            ending = release.ending
        self._note(step)
        if isinstance(self.problem, HopfPath) and self.special and self.special[-1].kind == TAKENS:
            # Beyond, ω is negative: the same points once more.
            self._append(self.special[-1].orbit, _twice(self.special[-1].orbit))
            return self._end(Outcome.SLOW, self.special[-1].value)
        self._keep(step.there.u)
        if ending is None:
            self._stand(self.problem.moved(step.there.u), step.there.u, step.there.place.tangent * self.scales)
        elif release is not None and ending is release.ending:
            self.special.append(self._special(release.kind, release.u, ending.sentence))
        return ending

    def _keep(self, u: Floats) -> None:
        equilibrium = self.problem.equilibrium(u)
        self._append(equilibrium, _twice(equilibrium))
        self._tell()

    def _release(self, step: EquilibriumStep) -> Release | None:
        """Where a contact first ceases to do what it does, within a step."""
        found: list[tuple[Floats, Margin]] = []
        old, new = self._margins(step.here.u), self._margins(step.there.u)
        for key, value in new.items():
            u = step.change_of_sign(partial(self._margin, key)) if value <= 0 < old[key] else None
            if u is not None:
                found.append((np.append(u[:-1], 0.0 if abs(u[-1]) < 1e-14 * self.range else u[-1]), key))
        if not found:
            return None
        u, (margin, number) = min(found, key=lambda item: step.distance(item[0]))
        (kind, why), contact = ENDS[margin], self.model.contacts[number]
        return Release(u, kind, self._end(Outcome.RELEASED, u[-1], kind=kind, contact=contact, why=why))

    def _margins(self, u: Floats) -> dict[Margin, float]:
        return self.problem.balance.margins(self.problem.y(u), self.problem.parameters(u))

    def _margin(self, key: Margin, u: Floats) -> float:
        return self._margins(u)[key]

    # -- special points --------------------------------------------------------------------------------------------

    def _note(self, step: EquilibriumStep) -> None:
        """Note the special points within a step, in their order."""
        if type(self.problem) is EquilibriumPath:
            found = [*self._turns(step), *self._hopf_points(step)]
        else:
            found = list(self._degenerate(step))
        self.special += [point for _, point in sorted(found, key=lambda item: item[0])]

    def _special(self, kind: str, u: Floats, note: str = "", **numbers: float) -> SpecialPoint:
        equilibrium = self.problem.equilibrium(u)
        return SpecialPoint(
            kind, self.parameter, float(u[-1]), equilibrium, note,
            extremes=_twice(equilibrium), after=len(self.points), numbers=numbers,
        )  # fmt: skip

    def _turns(self, step: EquilibriumStep) -> Iterator[tuple[float, SpecialPoint]]:
        """Folds, where the parameter turns back; branch points, where the determinant of the path changes sign."""

        tangent = step.here.place.tangent

        def slope(u: Floats) -> float:
            return place(self.problem, u, self.scales, tangent).slope

        if step.here.place.sign * step.there.place.sign < 0:
            met = self._crossing(step)
            if met is not None:
                yield step.distance(met.u), self._branch_point(met, tangent)
                if abs(met.along(tangent)[-1]) < LEVEL:  # at a pitchfork one of the branches turns back
                    return
        u = step.change_of_sign(slope)
        if u is not None:
            yield step.distance(u), self._special(FOLD, self._settled_fold(u))

    def _crossing(self, step: EquilibriumStep) -> Crossing | None:
        """Where another path crosses within a step."""
        try:
            met = crossing(self.problem, 0.5 * (step.here.u + step.there.u), self.scales)
        except (NoConvergence, np.linalg.LinAlgError):
            return None
        return met if met is not None and -1e-9 < step.distance(met.u) < step.length + 1e-9 else None

    def _branch_point(self, met: Crossing, tangent: Floats) -> SpecialPoint:
        known = met.along(tangent) * self.scales
        return replace(self._special(BRANCH_POINT, met.u), margin=tuple(map(float, known)))

    def _settled_fold(self, u: Floats) -> Floats:
        """The fold to round-off: the path alone says where it is to the square root of that."""
        path = self.problem
        try:
            equations, v = fold_at(path.balance, path.free, path.y(u), path.parameters(u))
            v = settled(equations, v, self.scales)
        except (NoConvergence, OrbitError, np.linalg.LinAlgError):
            return u
        return self._kept(u, np.append(equations.y(v), v[-1]))

    def _hopf_points(self, step: EquilibriumStep) -> Iterator[tuple[float, SpecialPoint]]:
        """Where complex pairs cross the imaginary axis. Pairs that cross together leave the product of sums positive,
        so they are also counted."""
        path = self.problem
        seen: list[tuple[float, float]] = []
        if conservative(path.eigenvalues(step.here.u)) and conservative(path.eigenvalues(step.there.u)):
            return  # pairs that stay on the axis do not cross it

        def growth(k: int, u: Floats) -> float:
            return float(pairs_growth(path.eigenvalues(u))[k : k + 1].sum())

        old, new = pairs_growth(path.eigenvalues(step.here.u)), pairs_growth(path.eigenvalues(step.there.u))
        growing = sorted([int(np.sum(old > 0)), int(np.sum(new > 0))])
        counted: list[Test] = [partial(growth, k) for k in range(*growing)]
        for test in (lambda u: pair_sums(path.eigenvalues(u)), *counted):
            u = step.change_of_sign(test)
            if u is None or critical_pair(path.eigenvalues(u)) is None:
                continue  # two real eigenvalues with opposite signs
            for omega in _on_the_axis(path.eigenvalues(u)):
                point = self._hopf_point(u, omega)
                place_, frequency = step.distance(u), point.numbers["omega"]
                if not any(abs(place_ - x) < 1e-6 and abs(frequency - w) < 1e-6 * w for x, w in seen):
                    seen.append((place_, frequency))
                    yield place_, point

    def _hopf_point(self, u: Floats, omega: float) -> SpecialPoint:
        path = self.problem
        try:
            equations, v = hopf_at(path.balance, path.free, path.y(u), path.parameters(u), omega)
            v = settled(equations, v, self.scales)
            kept = self._kept(u, np.append(equations.y(v), v[-1]))
            omega = equations.omega(v) if kept is not u else omega
        except (NoConvergence, OrbitError, np.linalg.LinAlgError):
            kept = u
        found = hopf(path.balance, path.y(kept), path.parameters(kept), abs(omega))
        return self._special(HOPF, kept, str(found), l1=found.l1, omega=found.omega)

    def _kept(self, u: Floats, v: Floats) -> Floats:
        """The better solution v, unless it belongs to another point than u; without what round-off leaves of zero."""
        v = np.where(np.abs(v) > 1e-14 * self.scales, v, 0.0)
        return v if float(np.max(np.abs((v - u) / self.scales))) < 1e-3 else u

    def _degenerate(self, step: EquilibriumStep) -> Iterator[tuple[float, SpecialPoint]]:
        """Special points of a curve of Hopf points or folds."""
        for kind, value in self.problem.tests(step.here.u).items():
            u = step.change_of_sign(partial(self._test, kind)) if value != 0 else None
            if u is not None and (kind == TAKENS or abs(self.problem.tests(u)[kind]) < 1e-6 * abs(value)):
                yield step.distance(u), self._special(kind, u)

    def _test(self, kind: str, u: Floats) -> float:
        return self.problem.tests(u)[kind]

    # -- branch switching ------------------------------------------------------------------------------------------

    def _is_another(self, u: Floats) -> bool:
        return min(self._margins(u).values(), default=1.0) > 0

    def _take_up(self, met: Crossing, u: Floats) -> None:
        self.here = self._point(self.problem, u, self.scales, (u - met.u) / self.scales)
        self._keep(met.u)  # it belongs to both branches
        self._keep(u)


def _twice(equilibrium: Equilibrium) -> Floats:
    """The smallest and the largest value of every state, which are the same."""
    return np.array([list(equilibrium.state.values())] * 2)


def _on_the_axis(eigenvalues: Complexes) -> list[float]:
    """The frequencies of all pairs on the imaginary axis."""
    near = (eigenvalues.imag > 0) & (np.abs(eigenvalues.real) < 1e-6 * np.abs(eigenvalues))
    return [float(w) for w in eigenvalues[near].imag]


def _critical(
    point: SpecialPoint | None, balance: Balance, numbers: Sequence[int], y: Floats
) -> tuple[EquilibriumPath, Floats]:
    """The equations of a Hopf point or a fold, with two parameters free."""
    p = balance.parameters
    if point is not None and point.kind == FOLD:
        return fold_at(balance, numbers, y, p)
    if point is not None and point.kind == HOPF:
        return hopf_at(balance, numbers, y, p, point.numbers["omega"])
    what = "an equilibrium" if point is None else f"a {point.kind}"
    raise OrbitError(f"{what} has no branch in two parameters: give a Hopf point or a fold of equilibria")
