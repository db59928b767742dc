"""`basins`: which attractor each start leads to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from stickslip._version import __version__
from stickslip.arguments import check_model, check_progress, numbers
from stickslip.errors import ModelError, OrbitError, ResultError
from stickslip.field import Field
from stickslip.kernels.outcome import FINISHED
from stickslip.model.errors import check_number, check_whole, shown, visible
from stickslip.model.listing import Listing
from stickslip.model.system import Model, suggest
from stickslip.orbits.equilibria import find_equilibria
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.find import excitation, find_orbit, is_same
from stickslip.orbits.guess import MOST_TURNS, recurrence, scale_of
from stickslip.orbits.motion import Motion
from stickslip.orbits.orbit import Orbit
from stickslip.progress import Progress, reporting
from stickslip.reading import parsed
from stickslip.result import interpolate, state_attributes
from stickslip.simulation import simulate, uninterrupted
from stickslip.status import Status
from stickslip.sweeps.chaos import VISITS, VISITS_IN_TIME, Chaos, growth, is_chaotic, visited
from stickslip.sweeps.exponents import neighbours
from stickslip.sweeps.layout import BASINS, Sweep

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
UNRESOLVED = -1
ORBIT, REST, POINT, CHAOS = "orbit", "rest", "equilibrium", "chaos"
RTOL = 1e-9
CHECKS = 48
"""How often, in the time given, each motion is compared with the attractors."""

FIRST_SEARCH = 1 / 3
"""The part of the time after which motions that are nowhere near an attractor are asked where they lead."""

SAMPLES = 4000
STILL = 1e-10
SETTLED = 1e-4
"""How closely a motion must repeat itself, relative to its range, to be taken for one on an orbit."""

FEW = 24
"""Starts that go first, to find attractors."""

LOOKS, LOOKS_IN_CHAOS = 2, 6
"""Looks in a row at which a motion is near an attractor before it is said to have arrived. On a chaotic one it must be
at the end of the time: transients pass through its cells, too."""

LONGER = 20
"""How much longer a chaotic motion is followed than another one."""

SHOWN = 1000
"""Points of an attractor that are kept for pictures."""


@dataclass(frozen=True)
class Attractor(metaclass=Listing):
    """What motions end on: an "orbit", a "rest" in stick, an "equilibrium" in slip, or "chaos".

    Attributes
    ----------
    kind : str
        Which of these.
    state : dict of str to float
        A point of the attractor, states by name.
    period : float or None
        The period of an orbit.
    signature : str
        The modes of an orbit in one period.
    multipliers : tuple of float
        The moduli of its Floquet multipliers, largest first.
    interval : dict of str to (float, float), or None
        The range of every state, of a rest in stick, which is a whole set and counts as one attractor, or of chaos.
    exponent : float or None
        The largest Lyapunov exponent of chaos, per unit time.
    exponent_error : float or None
        Its standard error.

    See Also
    --------
    basins : finds attractors.
    Basins : has them as `data.attractors`.

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> (rest,) = ss.basins(ss.models.coulomb_oscillator(), grid, t=30).attractors
    >>> rest.kind, rest.interval["x.block"]
    ('rest', (-1.0, 1.0))
    """

    kind: str
    state: dict[str, float]
    period: float | None = None
    signature: str = ""
    multipliers: tuple[float, ...] = ()
    interval: dict[str, tuple[float, float]] | None = None
    exponent: float | None = None
    exponent_error: float | None = None

    def __str__(self) -> str:
        if self.kind == CHAOS:
            return f"chaos, exponent {self.exponent:.3g}"
        if self.kind == ORBIT:
            return f"orbit of period {self.period:.6g}"
        return "rest in stick" if self.kind == REST else "steady sliding"


def basins(
    model: Model,
    grid: Mapping[str, ArrayLike],
    *,
    t: float,
    start: Mapping[str, float] | Sequence[float] | None = None,
    near: float = 1e-3,
    most: int = 4,
    forcing: float | None = None,
    progress: Progress = None,
) -> Basins:
    """Which attractor each start on a grid leads to; the attractors are found on the way.

    Equilibria that attract are known beforehand; orbits are found by `find_orbit` from where motions end after 3 t, and
    must repeat themselves within t/2. Motions that do not are followed for 4000 periods of the excitation, or 40 t:
    where neighbours part for sure, the cells that were visited are an attractor, too. What is found to be neither stays
    unresolved, and `notes` in the attributes says why. Ctrl-C keeps what is known by then: motions that have not
    arrived are unresolved, and `status` in the attributes says so.

    Parameters
    ----------
    model : System or Filippov
        The model.
    grid : mapping of str to array
        The values of two states by name; all others are as in `start`.
    t : float
        How long each start is simulated at most, in units of time.
    start : mapping or sequence of float, optional
        The states that are not on the grid; the model's own by default.
    near : float, default 1e-3
        A motion has arrived when it is nearer to an attractor than this, relative to the size of the states, at two
        looks in a row (of 48 in the time t); on a chaotic one, when it is in its cells from then on to the end.
    most : int, default 4
        How many searches for an attractor may fail, as they do where motions are quasi-periodic.
    forcing : float, optional
        The period of the excitation, for a model whose equations do not show it; by default it is read off them.
    progress : callable or bool, optional
        Called now and then with the part of the time that is done; by default a bar, as in `simulate`.

    Returns
    -------
    Basins
        Over the grid `attractor` (its number, −1 where unresolved) and `transient_time`, when the motion was first seen
        near its attractor, to within t/48; per attractor the `fraction` of the starts with its standard error, which is
        that of as many random starts (on a grid an upper bound), and `points` of it (with an excitation: at the phase
        at which motions start). Its `attractors` lists them.

    Raises
    ------
    ModelError
        If the grid or a number is not allowed, or the model has no such state.

    See Also
    --------
    find_orbits : the orbits that random starts lead to.
    plot.basins : the picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> data = ss.basins(ss.models.coulomb_oscillator(), grid, t=30)
    >>> data.fraction.values.tolist(), [str(attractor) for attractor in data.attractors]
    ([1.0], ['rest in stick'])
    """
    check_model(model)
    check_progress(progress)
    t = check_number("basins: t", t, positive=True)
    near = check_number("basins: near", near, positive=True)
    axes = _axes(model, grid)
    states = _starts(model, axes, start)
    forcing = None if forcing is None else check_number("basins: forcing", forcing, positive=True)
    search = _Search(model, near, check_whole("basins: most", most, 0), forcing)
    with reporting(progress, "following starts", lambda part: part) as report:
        search.measure(states, t)
        crowd, status = _classified(search, states, t, report)
    return _dataset(model, axes, crowd, status)


class Basins(Sweep):  # type: ignore[no-untyped-call]
    """Which attractor each start leads to, as `basins` returns it: an `xarray.Dataset` that lists its attractors.

    See Also
    --------
    stickslip.basins, stickslip.Attractor, stickslip.plot.basins

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> data = ss.basins(ss.models.coulomb_oscillator(), grid, t=30)
    >>> [str(attractor) for attractor in data.attractors]
    ['rest in stick']
    """

    __slots__ = ()

    @property
    def attractors(self) -> list[Attractor]:
        """The attractors, in the order of their numbers."""
        try:
            return [_attractor(entry) for entry in parsed(self.attrs["attractors"], "attractors")]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ResultError(f"the attribute 'attractors' is damaged ({visible(str(error)[:120])})") from None


def _attractor(entry: dict[str, Any]) -> Attractor:
    interval = entry.pop("interval")
    ranges = {name: (low, high) for name, (low, high) in interval.items()} if interval else None
    return Attractor(**entry | {"interval": ranges, "multipliers": tuple(entry["multipliers"])})


# -- input ---------------------------------------------------------------------------------------------------------


def _axes(model: Model, grid: Any) -> dict[str, Floats]:
    if not isinstance(grid, Mapping):
        raise ModelError(f"basins: the grid is {shown(grid)}: give values of two states by name")
    if len(grid) != 2:
        raise ModelError(f"basins: the grid has {len(grid)} states: give two")
    axes = {}
    for name, values in grid.items():
        if name not in model.states:
            raise ModelError(f"basins: there is no state {name!r}{suggest(name, model.states)}")
        axis = numbers(f"the values of {name!r}", values)
        if len(axis) == 0:
            raise ModelError(f"basins: there are no values of {name!r} on the grid")
        if not (np.all(np.diff(axis) > 0) or np.all(np.diff(axis) < 0)):
            raise ModelError(f"basins: the values of {name!r} must rise or fall, each different from the others")
        axes[name] = axis
    return axes


def _starts(model: Model, axes: Mapping[str, Floats], start: Any) -> Floats:
    """All points of the grid, the first state changing slowest."""
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    states = np.tile(np.array(model.start_state(start), float), (mesh[0].size, 1))
    for name, values in zip(axes, mesh, strict=True):
        states[:, model.states.index(name)] = values.ravel()
    return states


# -- attractors ------------------------------------------------------------------------------------------------------


class _Search:
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
        few = states[_few(len(states))]
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


# -- motions ---------------------------------------------------------------------------------------------------------


class _Crowd:
    """Motions from many starts: where they are, which attractor each is near, since when, and on which it ended."""

    def __init__(self, search: _Search, states: Floats) -> None:
        self.search, self.z = search, states.copy()
        self.labels, self.arrival = np.full(len(states), UNRESOLVED), np.full(len(states), np.nan)
        self.candidate, self.since = np.full(len(states), UNRESOLVED), np.zeros(len(states))
        self.seen, self.far = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
        self.moving = np.arange(len(states))

    def run(self, t: float, report: Callable[[float], None]) -> None:
        """Follow all motions until each has arrived or the time is over."""
        times = _looks(t, self.search.forcing)
        for begin, end in pairwise(map(float, times)):
            still = self._advance(begin, end)
            self._compare(still, end)
            if end >= FIRST_SEARCH * t:
                self._seek(end, t)
            report(end / times[-1])
            if len(self.moving) == 0:
                return
        self._stay()

    def _advance(self, begin: float, end: float) -> NDArray[np.bool_]:
        """To the next look; which of the motions stand still. Those that cannot go on are left out from here on."""
        before = self.z[self.moving]
        after, outcome = self.search.field.propagate(before, end, t_start=begin, rtol=RTOL)
        self.z[self.moving] = after
        finished = outcome[:, 0] == FINISHED
        self.moving = self.moving[finished]
        moved = np.max(np.abs(after - before)[finished] / self.search.scale, axis=1, initial=0.0)
        return np.asarray(moved <= STILL)

    def _compare(self, still: NDArray[np.bool_], time: float) -> None:
        """Label the motions that are near the same attractor as at the last look."""
        states = self.z[self.moving]
        nearest = self.search.nearest(states)
        for k in np.nonzero(still & (nearest == UNRESOLVED))[0]:
            nearest[k] = self.search.rest_at(states[k])
        exact = nearest != UNRESOLVED
        chaotic, gaps = self.search.in_cells(states)
        nearest = np.where(exact, nearest, chaotic)
        fresh = self.moving[nearest != self.candidate[self.moving]]
        self.since[fresh], self.seen[fresh], self.far[fresh] = time, 0, 0
        self.candidate[self.moving] = nearest
        self.seen[self.moving] += 1
        self.far[self.moving] += gaps > 1
        there = exact & (self.seen[self.moving] >= LOOKS)
        self._arrived(self.moving[there], nearest[there], self.since[self.moving[there]])
        self.moving = self.moving[~there]

    def _stay(self) -> None:
        """Label the motions that have been on a chaotic attractor for a while, and are so at the end.

        A motion that is farther away at half of the looks than it should be at one in fifty only passes by.
        """
        which = self.moving[self.seen[self.moving] >= LOOKS_IN_CHAOS]
        chosen = which[(self.candidate[which] != UNRESOLVED) & (2 * self.far[which] < self.seen[which])]
        self._arrived(chosen, self.candidate[chosen], self.since[chosen])

    def _seek(self, time: float, t: float) -> None:
        """Ask one motion that is near no attractor where it leads."""
        passing = (self.seen >= LOOKS_IN_CHAOS) & (2 * self.far >= self.seen)
        lost = self.moving[((self.candidate == UNRESOLVED) | passing)[self.moving]]
        if len(lost) == 0 or self.search.tries <= 0:
            return
        chosen = lost[len(lost) // 2 : len(lost) // 2 + 1]
        found = self.search.lead(self.z[chosen], 2 * t)
        if found != UNRESOLVED:
            self._arrived(chosen, np.array([found]), np.array([time]))
            self.moving = self.moving[self.moving != chosen]

    def _arrived(self, which: Ints, labels: Ints, times: Floats) -> None:
        self.labels[which], self.arrival[which] = labels, times

    def take(self, which: Ints, other: _Crowd, those: NDArray[np.bool_] | slice = slice(None)) -> None:
        """What another crowd has found out about some of these motions."""
        self._arrived(which, other.labels[those], other.arrival[those])


def _few(count: int) -> Ints:
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


def _looks(t: float, forcing: float | None) -> Floats:
    """The times at which motions are looked at: with an excitation always at the same phase."""
    if forcing is None:
        return np.linspace(0.0, t, CHECKS + 1)
    turns = max(1, round(t / forcing / CHECKS))
    return np.asarray(forcing * turns * np.arange(max(2, int(np.ceil(t / forcing / turns))) + 1))


def _classified(search: _Search, states: Floats, t: float, report: Callable[[float], None]) -> tuple[_Crowd, Status]:
    """All motions with the attractor of each, and when it arrived there; and whether the user interrupted.

    A few starts go first, to find attractors. Starts that lead to one found later are run once more, because before it
    was known nobody could see when they arrived.
    """
    few = _few(len(states))
    first, crowd = _Crowd(search, states[few]), _Crowd(search, states)
    try:
        first.run(t, lambda part: report(0.0))
        known = len(search.found)
        crowd.run(t, report)
        late = np.nonzero(crowd.labels >= known)[0]
        if len(late):
            again = _Crowd(search, states[late])
            again.run(t, lambda part: report(1.0))
            crowd.take(late, again)
        return crowd, Status.FINISHED
    except KeyboardInterrupt:
        open_yet = crowd.labels[few] == UNRESOLVED
        crowd.take(few[open_yet], first, open_yet)
        return crowd, Status.INTERRUPTED


# -- result ----------------------------------------------------------------------------------------------------------


def _dataset(model: Model, axes: Mapping[str, Floats], crowd: _Crowd, status: Status) -> Basins:
    """Labels over the grid, attractors that nothing leads to left out, the most frequent first."""
    search, labels = crowd.search, crowd.labels
    counts = np.array([np.sum(labels == number) for number in range(len(search.found))], int)
    kept = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0]
    numbers = np.full(len(search.found) + 1, UNRESOLVED)
    numbers[kept] = np.arange(len(kept))
    shape = tuple(len(axis) for axis in axes.values())
    fraction = counts[kept] / len(labels)
    unresolved = float(np.mean(labels == UNRESOLVED))
    attractors = [search.found[i] for i in kept]
    reasons = search.reasons or ["Some motions had not arrived anywhere when the time was over: give a longer t."]
    sentence = "All starts were followed."
    if not status.finished:
        sentence = f"{status.value} {int(np.sum(labels != UNRESOLVED))} of {len(labels)} starts had arrived."
        reasons = [sentence]
    data = {
        "attractor": (tuple(axes), numbers[labels].reshape(shape)),
        "transient_time": (tuple(axes), crowd.arrival.reshape(shape), {"units": model.time_unit}),
        "fraction": ("number", fraction),
        "fraction_error": ("number", np.sqrt(fraction * (1 - fraction) / len(labels))),
        "points": (("number", "sample", "state"), search.points(kept)),
    }
    coordinates: dict[str, Any] = {name: (name, axis, state_attributes(model, name)) for name, axis in axes.items()} | {
        "number": np.arange(len(kept)),
        "state": np.array(model.states, dtype=np.str_),
        "description": ("number", [str(a) for a in attractors]),
    }
    attributes = {
        "format": BASINS,
        "version": __version__,
        "model_name": model.about.name,
        "title": model.about.title,
        "time_unit": model.time_unit,
        "parameters": json.dumps(dict(model.parameters)),
        "status": sentence,
        "outcome": status.word,
        "attractors": json.dumps([vars(attractor) for attractor in attractors]),
        "unresolved": unresolved,
        "notes": " ".join(dict.fromkeys(reasons)) if unresolved > 0 else "",
    }
    return Basins(data, coordinates, attributes)
