"""The search for attractors: those known so far, how far a state is from each, and how further ones are found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from stickslip.arrays import Floats, Ints
from stickslip.errors import ModelError, OrbitError
from stickslip.field import Field
from stickslip.kernels.outcome import FINISHED
from stickslip.model.system import Model
from stickslip.orbits.equilibria import find_equilibria
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.find import excitation, find_orbit, is_same
from stickslip.orbits.guess import MOST_TURNS, recurrence, scale_of
from stickslip.orbits.motion import Motion
from stickslip.orbits.orbit import Orbit
from stickslip.result import interpolate
from stickslip.simulation import simulate, uninterrupted
from stickslip.sweeps.attractor import CHAOS, ORBIT, POINT, REST, Attractor
from stickslip.sweeps.chaos import VISITS, VISITS_IN_TIME, Chaos, growth, is_chaotic, visited
from stickslip.sweeps.exponents import neighbours

UNRESOLVED = -1
RTOL = 1e-9
SAMPLES = 4000
STILL = 1e-10
SETTLED = 1e-4
"""How closely a motion must repeat itself, relative to its range, to be taken for one on an orbit."""

FEW = 24
"""Starts that go first, to find attractors."""

LONGER = 20
"""How much longer a chaotic motion is followed than another one."""

SHOWN = 1000
"""Points of an attractor that are kept for pictures."""


class Search:
    """The attractors known so far, how far a state is from each, and how further ones are found."""

    def __init__(self, model: Model, near: float, most: int, forcing: float | None) -> None:
        self.model, self.near, self.tries = model, near, most
        self.field: Field = Field.of(model)
        self.forcing_given = forcing
        self.flow = Motion(model)
        _check_place(self.flow)
        self.forcing = excitation(self.flow, forcing)
        self.orbits: dict[int, Orbit] = {}
        self.chaos: dict[int, Chaos] = {}
        self.trees: dict[int, tuple[cKDTree, Floats]] = {}
        self.scale = np.ones(len(model.states))
        self.reasons: list[str] = []
        self.rests: list[Equilibrium] = self._equilibria() if self.forcing is None else []
        self.found = [_attractor_at_rest(rest) for rest in self.rests if rest.stable]

    def measure(self, states: Floats, t: float) -> None:
        """Set the size of each state: at the starts, and a while later on a few of the motions."""
        few = states[few_of(len(states))]
        later = [self.field.propagate(few, t * part, rtol=RTOL)[0] for part in (0.013, 0.031, 0.17)]
        self.scale = scale_of(np.concatenate([states, *later]), states.shape[1])

    def _equilibria(self) -> list[Equilibrium]:
        try:
            return find_equilibria(self.model)
        except (OrbitError, ModelError) as error:
            self.reasons.append(str(error))
            return []

    def nearest(self, states: Floats) -> Ints:
        """The attractor that each state is near, −1 where there is none; chaotic ones do not count."""
        number = np.full(len(states), UNRESOLVED)
        closest = np.full(len(states), self.near)
        for k in range(len(self.found)):
            if k not in self.chaos:
                distance = self.distances(states, k)
                better = distance <= closest
                number[better], closest[better] = k, distance[better]
        return number

    def in_cells(self, states: Floats) -> tuple[Ints, Floats]:
        """The chaotic attractor in whose cells each state is, −1 where there is none; and how far from it, in gaps."""
        number, gaps = np.full(len(states), UNRESOLVED), np.full(len(states), np.inf)
        for k, chaos in self.chaos.items():
            distance = chaos.distances(states / self.scale)
            better = (distance <= chaos.cell) & (distance / chaos.gap < gaps)
            number[better], gaps[better] = k, distance[better] / chaos.gap
        return number, gaps

    def distances(self, states: Floats, number: int) -> Floats:
        """How far states are from an attractor, relative to the size of the states."""
        attractor = self.found[number]
        if attractor.kind == ORBIT:
            return self._from_orbit(states, number)
        return self._from_rest(states, attractor)

    def _from_rest(self, states: Floats, attractor: Attractor) -> Floats:
        """The distance from a point, or from the ranges of a set."""
        bounds = attractor.interval or {name: (value, value) for name, value in attractor.state.items()}
        low, high = np.array([bounds[name] for name in self.model.states]).T
        return np.asarray(np.max(np.maximum(np.maximum(low - states, states - high), 0.0) / self.scale, axis=1))

    def _from_orbit(self, states: Floats, number: int) -> Floats:
        """The distance from the curve: from the nearest sample, and from the pieces before and after it."""
        if number not in self.trees:
            points = self._samples(self.orbits[number]) / self.scale
            self.trees[number] = cKDTree(points), points
        tree, points = self.trees[number]
        scaled = states / self.scale
        distance, index = tree.query(scaled)
        if self.forcing is not None:
            return np.asarray(distance)
        for step in (-1, 1):
            other = (index + step) % len(points)
            distance = np.minimum(distance, _from_piece(scaled, points[index], points[other]))
        return np.asarray(distance)

    def _samples(self, orbit: Orbit) -> Floats:
        """Points of an orbit: at the phase at which motions are looked at, or all around."""
        begin = orbit.start_time
        if self.forcing is not None:
            first = np.ceil(begin / self.forcing) * self.forcing
            times = first + self.forcing * np.arange(orbit.turns)
            times = begin + (times - begin) % orbit.period
        else:
            times = begin + orbit.period * np.arange(SAMPLES) / SAMPLES
        run = interpolate(orbit.data, np.sort(np.minimum(times, begin + orbit.period)))
        return np.column_stack([run[name].values for name in self.model.states])

    def points(self, numbers: Sequence[int]) -> Floats:
        """Points of attractors: of an orbit all around, or at the phase of the start; of a rest its ends."""
        points = np.full((len(numbers), SHOWN, len(self.model.states)), np.nan)
        for row, number in zip(points, numbers, strict=True):
            attractor = self.found[number]
            if number in self.chaos:
                visits = self.chaos[number].visits * self.scale
                chosen = visits[:: -(-len(visits) // SHOWN)]
            elif number in self.orbits:
                samples = self._samples(self.orbits[number])
                chosen = samples[:: -(-len(samples) // SHOWN)]
            else:
                ends = attractor.interval or {name: (value, value) for name, value in attractor.state.items()}
                chosen = np.array([ends[name] for name in self.model.states]).T
            row[: len(chosen)] = chosen
        kept = int(np.max(np.sum(np.isfinite(points[:, :, 0]), axis=1), initial=0))
        return points[:, :kept]

    def lead(self, state: Floats, longer: float) -> int:
        """The attractor that a motion leads to if it goes on: one that is known, or the orbit that is found then."""
        if self.forcing is not None:
            longer = self.forcing * np.ceil(longer / self.forcing)
        after, outcome = self.field.propagate(state, longer, rtol=RTOL)
        if outcome[0, 0] != FINISHED:
            return UNRESOLVED
        known = int(self.nearest(after)[0])
        if known != UNRESOLVED:
            return known
        try:
            return self._orbit_from(after[0], 0.25 * longer)
        except (OrbitError, ModelError):
            return self._chaos_from(after[0], longer)

    def _chaos_from(self, state: Floats, longer: float) -> int:
        """The chaotic attractor on which a motion is, found now or known before, or where it settles in the end.

        −1 where neighbours do not part for sure.
        """
        count = VISITS if self.forcing is not None else VISITS_IN_TIME
        between = self.forcing if self.forcing is not None else LONGER * longer / count
        visits = visited(self.field, state, between, count, RTOL)
        if len(visits) < count:
            return self._failed("motions stop early, before it is seen where they lead")
        end = visits[-1]
        known = int(self.nearest(end[None, :])[0])
        if known != UNRESOLVED:
            return known
        try:
            return self._orbit_from(end, 0.25 * longer)
        except (OrbitError, ModelError) as error:
            reason = str(error)
        exponent, error_of_it = growth(self.motion, end, between * count)
        if not is_chaotic(exponent, error_of_it):
            return self._failed(f"{reason}, but neighbours do not part: exponent {exponent:.2g} ± {error_of_it:.1g}")
        chaos = Chaos(visits / self.scale, self.near)
        for number, other in self.chaos.items():
            if chaos.same_as(other):
                return number
        self.chaos[len(self.found)] = chaos
        ranges = zip(np.min(visits, axis=0).tolist(), np.max(visits, axis=0).tolist(), strict=True)
        attractor = Attractor(
            CHAOS,
            dict(zip(self.model.states, map(float, end), strict=True)),
            interval=dict(zip(self.model.states, ranges, strict=True)),
            exponent=exponent,
            exponent_error=error_of_it,
        )
        self.found.append(attractor)
        return len(self.found) - 1

    @cached_property
    def motion(self) -> Motion:
        """The model with its variational equations."""
        return neighbours(self.model, RTOL)

    def _failed(self, reason: str) -> int:
        """Note why a search has failed."""
        self.reasons.append(f"{reason[0].upper()}{reason[1:].rstrip('.')}.")
        self.tries -= 1
        return UNRESOLVED

    def _orbit_from(self, state: Floats, length: float) -> int:
        """The orbit that a motion settles on, found now or known before; refused where there is none."""
        orbit = self._settled(state, length)
        for number, other in self.orbits.items():
            if is_same(orbit, other):
                return number
        self.orbits[len(self.found)] = orbit
        sizes = tuple(float(x) for x in np.abs(orbit.multipliers))
        self.found.append(Attractor(ORBIT, orbit.start, orbit.period, str(orbit.signature), sizes))
        return len(self.found) - 1

    def _settled(self, state: Floats, length: float) -> Orbit:
        """The stable orbit on which a motion is; refused where it does not repeat itself."""
        if self.forcing is not None:
            length = self.forcing * min(2 * MOST_TURNS, float(np.ceil(length / self.forcing)))
        run = uninterrupted(simulate(self.model, length, start=[float(x) for x in state]))
        found = recurrence(run, self.flow, self.forcing)
        if found is None or found[1] > SETTLED:
            raise OrbitError("motions do not repeat themselves after three times the time given")
        orbit = find_orbit(self.model, run, forcing=self.forcing_given)
        if not orbit.stable:
            raise OrbitError("motions pass by an unstable orbit again and again")
        return orbit

    def rest_at(self, state: Floats) -> int:
        """The rest in stick at a state that stands still; those that `find_equilibria` does not know count as one."""
        if self.forcing is not None:
            after, _ = self.field.propagate(state[None, :], 0.3 * self.forcing, rtol=RTOL)
            if np.max(np.abs(after[0] - state) / self.scale) > STILL:
                return UNRESOLVED  # it comes back to the same place, but it moves
        attractor = Attractor(REST, dict(zip(self.model.states, map(float, state), strict=True)))
        for rest in self.rests:
            candidate = _attractor_at_rest(rest)
            if candidate.kind == REST and self._from_rest(state[None, :], candidate)[0] <= self.near:
                attractor = candidate
        for number, other in enumerate(self.found):
            if other.kind == REST and other.interval == attractor.interval:
                return number
        self.found.append(attractor)
        return len(self.found) - 1


def _attractor_at_rest(equilibrium: Equilibrium) -> Attractor:
    stuck = equilibrium.kind == "stick"
    return Attractor(REST if stuck else POINT, equilibrium.state, interval=equilibrium.interval)


def _from_piece(states: Floats, a: Floats, b: Floats) -> Floats:
    """The distance of each state from the straight piece between two points."""
    along = b - a
    squared = np.maximum(np.sum(along**2, axis=1), 1e-300)
    part = np.clip(np.sum((states - a) * along, axis=1) / squared, 0.0, 1.0)
    return np.asarray(np.linalg.norm(states - a - part[:, None] * along, axis=1))


def few_of(count: int) -> Ints:
    """A few of so many starts, from all over."""
    return np.unique(np.linspace(0, count - 1, FEW).astype(np.int64))


def _check_place(motion: Motion) -> None:
    """Refuse a motion that advances with time: where it is says nothing about where it will end."""
    advancing = [name for name, w in zip(motion.model.states, motion.moving, strict=True) if w]
    if advancing:
        raise ModelError(
            f"basins: {', '.join(advancing)} of this model advance with time, so that starts have no basins; find its "
            "orbits with find_orbit, or write the model as seen from what moves"
        )
