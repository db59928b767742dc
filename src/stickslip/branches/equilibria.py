"""Equilibria followed along a parameter, and their Hopf points and folds along two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stickslip.branches.branch import Branch, joined
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
from stickslip.branches.way import bounds
from stickslip.errors import ModelError, NoConvergence, OrbitError
from stickslip.model.system import Model
from stickslip.orbits.arclength import Place, corrected, located, place
from stickslip.orbits.balance import PRESSED, RUBS, SLIPS, STICKS, Balance, Complexes, Margin, rest
from stickslip.orbits.crossings import LEVEL, Crossing, ahead, crossing
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.normal_form import critical_pair, hopf

Floats = NDArray[np.float64]
Progress = Callable[[float, int], None]
Test = Callable[[Floats], float]
FIRST, LONGEST, SHORTEST = 0.01, 0.03, 1e-8
"""Lengths of steps: a step of 1 is the whole range of the parameter, or a change of the state by its own size."""

STRAIGHT = 0.9
"""The cosine of the largest angle by which a path may turn in one step."""

ASIDE = (0.01, 0.003, 0.03, 1e-3, 3e-4, 1e-4)
"""How far from a branch point the other branch is taken up."""

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
    ways = bounds(start.model, names[0], to, "equilibrium")
    report, between = progress or (lambda value, count: None), len(ways) == 2
    walks = [_Walk(start, point, names, pair, step, most, report, between) for pair in ways]
    first = walks[0].branch()
    if len(walks) == 1 or first.interrupted:
        return first
    try:
        return joined(first, walks[1].branch())
    except KeyboardInterrupt:  # before it had a point
        return joined(first, None)


def _checked(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The names of one or two parameters; a sentence where they cannot be followed."""
    resolved = tuple(model.resolve(name) for name in names)
    if len(resolved) > 2 or len(set(resolved)) != len(resolved):
        raise OrbitError(f"{names!r}: give one parameter, or two different ones to follow a Hopf point or a fold")
    return resolved


@dataclass(frozen=True, eq=False)
class _Stop:
    """Where a branch ends: how far on, the unknowns there, what happens (nothing where it has arrived), and how."""

    distance: float
    u: Floats
    kind: str
    ending: Ending


class _Walk:
    """A branch in the making."""

    def __init__(
        self,
        start: Equilibrium,
        point: SpecialPoint | None,
        names: Sequence[str],
        bounds: tuple[float, float],
        longest: float,
        most: int,
        progress: Progress,
        between: bool,
    ) -> None:
        self.parameter, self.bounds = names[0], bounds
        self.turned = Outcome.REACHED if between else Outcome.RETURNED
        self.longest, self.most, self.progress = longest, most, progress
        self.range = abs(bounds[0] - float(start.model.parameters[names[0]]))
        self.largest = np.zeros(0)
        self.points: list[Equilibrium] = []
        self.special: list[SpecialPoint] = []
        self.refusal = ""
        balance = Balance.of(start.model, list(start.mode.values()))
        numbers = [list(start.model.parameters).index(name) for name in names]
        y = balance.unknowns(start.state, start.force)
        self.point = point if point is not None and point.kind == BRANCH_POINT else None
        self.path: EquilibriumPath
        if len(names) == 1:
            settled_y = rest(balance, y)
            self.path = EquilibriumPath(balance, tuple(numbers), balance.parameters)
            self.first = np.append(y if settled_y is None else settled_y, balance.parameters[numbers])
        else:
            self.path, self.first = _critical(point, balance, numbers[::-1], y)

    def branch(self) -> Branch:
        """Walk from the start until something ends the branch."""
        try:
            ending = self._begin() or self._go()
        except KeyboardInterrupt:
            if not self.points:
                raise
            ending = Outcome.INTERRUPTED.at(self.parameter, self.points[-1].model.parameters[self.parameter])
        states = np.array([list(e.state.values()) for e in self.points])
        extremes = np.repeat(states[:, None, :], 2, axis=1)
        return Branch(self.parameter, tuple(self.points), tuple(self.special), (ending,), extremes)

    # -- going along -----------------------------------------------------------------------------------------------

    def _begin(self) -> Ending | None:
        self.scales = self._scales(self.first)
        here = place(self.path, self.first, self.scales, None)
        way = np.sign(self.bounds[0] - self.first[-1])
        if here.slope * way < 0:
            here = place(self.path, self.first, self.scales, -here.tangent)
        self.here = here
        if self.point is not None:
            return self._switch(self.point)
        self._keep(self.first)
        return None

    def _scales(self, u: Floats) -> Floats:
        """Sizes of the unknowns. Those of the states only grow, others may shrink to a part of the largest that was
        seen: whatever passes through zero must not be approached in ever smaller steps."""
        scales, states = self.path.scales(u), self.path.balance.size
        scales[-1] = self.range
        if self.points:
            scales[:states] = np.maximum(np.abs(u[:states]), self.scales[:states])
            scales = np.maximum(scales, SMALLEST * self.largest)
        self.largest = np.maximum(scales, self.largest) if self.points else scales
        return scales

    def _go(self) -> Ending:
        ds = min(FIRST, self.longest)
        while len(self.points) < self.most:
            advanced = self._advance(ds)
            if advanced is None:
                ds *= 0.5
                if ds < SHORTEST:
                    return self._shrunk()
                continue
            there, iterations = advanced
            ended = self._accept(there, ds)
            if ended:
                return ended
            ds = min(self.longest, ds * (1.5 if iterations <= 4 else 1.0 if iterations <= 6 else 0.6))
        return Outcome.LIMITED.at(self.parameter, self.here.u[-1], count=self.most)

    def _shrunk(self) -> Ending:
        if self.refusal:
            return Outcome.REFUSED.at(self.parameter, self.here.u[-1], why=self.refusal)
        why, advice = "Newton's method does not converge beyond", "Look at the last equilibrium; try a smaller step=."
        return Outcome.STALLED.at(self.parameter, self.here.u[-1], why=why, advice=advice)

    def _advance(self, ds: float) -> tuple[Place, int] | None:
        self.refusal = ""
        predicted = self.here.u + ds * self.here.tangent * self.scales
        try:
            u, iterations = corrected(self.path, self.here, ds, predicted, self.scales)
            self.path.model(u)
            there = place(self.path, u, self.scales, self.here.tangent)
        except ModelError as error:
            self.refusal = str(error)
            return None
        except (NoConvergence, np.linalg.LinAlgError):
            return None
        near = float(np.linalg.norm((u - predicted) / self.scales)) < 2 * ds
        return (there, iterations) if near and float(there.tangent @ self.here.tangent) > STRAIGHT else None

    def _accept(self, there: Place, s: float) -> Ending | None:
        """Stand there, having noted what happened on the way; a reason to stop, or nothing."""
        stop = self._end(there, s)
        if stop is not None:
            s, there = stop.distance, place(self.path, stop.u, self.scales, self.here.tangent)
        self._note(there, s)
        if isinstance(self.path, HopfPath) and self.special and self.special[-1].kind == TAKENS:
            # Beyond, ω is negative: the same points once more.
            self.points.append(self.special[-1].orbit)
            return Outcome.SLOW.at(self.parameter, self.special[-1].value)
        self._keep(there.u)
        if stop is None:
            self._stand(there)
            return None
        if stop.kind:
            self.special.append(self._special(stop.kind, stop.u, stop.ending.sentence))
        return stop.ending

    def _stand(self, there: Place) -> None:
        """Go on from there, measuring in the sizes that the unknowns have now."""
        direction = there.tangent * self.scales
        self.path = self.path.moved(there.u)
        self.scales = self._scales(there.u)
        self.here = place(self.path, there.u, self.scales, direction / self.scales)

    def _keep(self, u: Floats) -> None:
        self.points.append(self.path.equilibrium(u))
        self.progress(float(u[-1]), len(self.points))

    # -- where it ends ---------------------------------------------------------------------------------------------

    def _end(self, there: Place, s: float) -> _Stop | None:
        """The first thing that ends the branch between here and there."""
        found: list[_Stop] = []
        for least, bound, outcome in zip((0, 1), self.bounds, (Outcome.REACHED, self.turned), strict=True):
            u = self._zero(partial(_beyond, bound), there, s)
            if u is not None and len(self.points) > least:
                ending = outcome.at(self.parameter, bound)
                found.append(_Stop(self._distance(u), np.append(u[:-1], bound), "", ending))
        old, new = self._margins(self.here.u), self._margins(there.u)
        for key, value in new.items():
            if value <= 0 < old[key]:
                u = self._zero(partial(self._margin, key), there, s)
                if u is not None:
                    u[-1] = 0.0 if abs(u[-1]) < 1e-14 * self.range else u[-1]
                    (kind, why), contact = ENDS[key[0]], self.path.balance.model.contacts[key[1]]
                    ending = Outcome.RELEASED.at(self.parameter, u[-1], kind=kind, contact=contact, why=why)
                    found.append(_Stop(self._distance(u), u, kind, ending))
        return min(found, key=lambda stop: stop.distance) if found else None

    def _margins(self, u: Floats) -> dict[Margin, float]:
        return self.path.balance.margins(self.path.y(u), self.path.parameters(u))

    def _margin(self, key: Margin, u: Floats) -> float:
        return self._margins(u)[key]

    def _zero(self, test: Test, there: Place, s: float) -> Floats | None:
        """Where a test function changes its sign between here and there; None where it does not."""
        values = test(self.here.u), test(there.u)
        if values[1] == 0 and values[0] != 0:
            return there.u
        if not np.sign(values[0]) * np.sign(values[1]) < 0:
            return None
        return located(self.path, self.here, there.u, s, self.scales, test, values)

    def _distance(self, u: Floats) -> float:
        return float(self.here.tangent @ ((u - self.here.u) / self.scales))

    # -- special points --------------------------------------------------------------------------------------------

    def _note(self, there: Place, s: float) -> None:
        """Note the special points between here and there, in their order."""
        if type(self.path) is EquilibriumPath:
            found = [*self._turns(there, s), *self._hopf_points(there, s)]
        else:
            found = list(self._degenerate(there, s))
        self.special += [point for _, point in sorted(found, key=lambda item: item[0])]

    def _special(self, kind: str, u: Floats, note: str = "", **numbers: float) -> SpecialPoint:
        equilibrium = self.path.equilibrium(u)
        extremes = np.array([list(equilibrium.state.values())] * 2)
        return SpecialPoint(
            kind, self.parameter, float(u[-1]), equilibrium, note,
            extremes=extremes, after=len(self.points), numbers=numbers,
        )  # fmt: skip

    def _turns(self, there: Place, s: float) -> Iterator[tuple[float, SpecialPoint]]:
        """Folds, where the parameter turns back; branch points, where the determinant of the path changes sign."""

        def at(u: Floats) -> Place:
            return place(self.path, u, self.scales, self.here.tangent)

        if self.here.sign * there.sign < 0:
            met = self._crossing(there, s)
            if met is not None:
                yield self._distance(met.u), self._branch_point(met)
                if abs(met.along(self.here.tangent)[-1]) < LEVEL:  # at a pitchfork one of the branches turns back
                    return
        u = self._zero(lambda v: at(v).slope, there, s)
        if u is not None:
            yield self._distance(u), self._special(FOLD, self._settled_fold(u))

    def _crossing(self, there: Place, s: float) -> Crossing | None:
        """Where another path crosses between here and there."""
        try:
            met = crossing(self.path, 0.5 * (self.here.u + there.u), self.scales)
        except (NoConvergence, np.linalg.LinAlgError):
            return None
        return met if met is not None and -1e-9 < self._distance(met.u) < s + 1e-9 else None

    def _branch_point(self, met: Crossing) -> SpecialPoint:
        known = met.along(self.here.tangent) * self.scales
        return replace(self._special(BRANCH_POINT, met.u), margin=tuple(map(float, known)))

    def _settled_fold(self, u: Floats) -> Floats:
        """The fold to round-off: the path alone says where it is to the square root of that."""
        path = self.path
        try:
            equations, v = fold_at(path.balance, path.free, path.y(u), path.parameters(u))
            v = settled(equations, v, self.scales)
        except (NoConvergence, OrbitError, np.linalg.LinAlgError):
            return u
        return self._kept(u, np.append(equations.y(v), v[-1]))

    def _hopf_points(self, there: Place, s: float) -> Iterator[tuple[float, SpecialPoint]]:
        """Where complex pairs cross the imaginary axis. Pairs that cross together leave the product of sums positive,
        so they are also counted."""
        path = self.path
        seen: list[tuple[float, float]] = []
        if conservative(path.eigenvalues(self.here.u)) and conservative(path.eigenvalues(there.u)):
            return  # pairs that stay on the axis do not cross it

        def growth(k: int, u: Floats) -> float:
            return float(pairs_growth(path.eigenvalues(u))[k : k + 1].sum())

        old, new = pairs_growth(path.eigenvalues(self.here.u)), pairs_growth(path.eigenvalues(there.u))
        growing = sorted([int(np.sum(old > 0)), int(np.sum(new > 0))])
        counted: list[Test] = [partial(growth, k) for k in range(*growing)]
        for test in (lambda u: pair_sums(path.eigenvalues(u)), *counted):
            u = self._zero(test, there, s)
            if u is None or critical_pair(path.eigenvalues(u)) is None:
                continue  # two real eigenvalues with opposite signs
            for omega in _on_the_axis(path.eigenvalues(u)):
                point = self._hopf_point(u, omega)
                place_, frequency = self._distance(u), point.numbers["omega"]
                if not any(abs(place_ - x) < 1e-6 and abs(frequency - w) < 1e-6 * w for x, w in seen):
                    seen.append((place_, frequency))
                    yield place_, point

    def _hopf_point(self, u: Floats, omega: float) -> SpecialPoint:
        path = self.path
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

    def _degenerate(self, there: Place, s: float) -> Iterator[tuple[float, SpecialPoint]]:
        """Special points of a curve of Hopf points or folds."""
        for kind, value in self.path.tests(self.here.u).items():
            u = self._zero(partial(self._test, kind), there, s) if value != 0 else None
            if u is not None and (kind == TAKENS or abs(self.path.tests(u)[kind]) < 1e-6 * abs(value)):
                yield self._distance(u), self._special(kind, u)

    def _test(self, kind: str, u: Floats) -> float:
        return self.path.tests(u)[kind]

    # -- branch switching ------------------------------------------------------------------------------------------

    def _switch(self, point: SpecialPoint) -> Ending | None:
        """Stand on the branch that crosses the known one at a branch point."""
        try:
            met = crossing(self.path, self.first, self.scales)
        except (NoConvergence, np.linalg.LinAlgError):
            met = None
        if met is not None:
            direction = met.across(np.array(point.margin, float) / self.scales)
            direction = ahead(direction, np.sign(self.bounds[0] - self.first[-1]))
            if self._step_aside(met, direction) or self._step_aside(met, -direction):
                return None
        return Outcome.ABSENT.at(point.parameter, point.value, kind=point.kind)

    def _step_aside(self, met: Crossing, direction: Floats) -> bool:
        """Stand beside a branch point, which belongs to both branches, in a direction."""
        for size in ASIDE:
            guess = met.u + size * direction * self.scales
            try:
                u, _ = corrected(self.path, Place(met.u, direction), size, guess, self.scales)
            except (NoConvergence, np.linalg.LinAlgError):
                continue
            change = (u - met.u) / self.scales
            if min(self._margins(u).values(), default=1.0) > 0 and met.leads(change, direction):
                self.here = place(self.path, u, self.scales, change)
                self._keep(met.u)
                self._keep(u)
                return True
        return False


def _beyond(bound: float, u: Floats) -> float:
    return float(u[-1]) - bound


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
