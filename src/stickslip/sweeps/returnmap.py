"""`return_map`: where one release leads to the next, as a map of one number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from stickslip import notebook
from stickslip.arguments import check_model
from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.kernels.records import Records
from stickslip.methods.exact import Exact
from stickslip.model.errors import check_number, check_whole, shown, suggest
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.guess import scale_of
from stickslip.orbits.motion import Motion, Run
from stickslip.result import Result
from stickslip.sweeps.exponents import neighbours

PHASE = "phase"
TURN = 2 * np.pi
RTOL = 1e-12
ENOUGH = 400
"""Releases that the motion must have shown before the map is made; the first half of them is passed over."""

MOST_RUNS = 8
PATIENCE = 1000
"""How long the next release is waited for, in mean times between releases."""

MOST_STEPS = 10**12
NEWTON_STEPS = 30
CHUNK = 50_000


@dataclass(frozen=True)
class MapCycle:
    """Points that a return map takes into each other, from the smallest on, and the derivative along them."""

    points: Floats
    multiplier: float

    @property
    def stable(self) -> bool:
        """Whether neighbouring points come nearer."""
        return abs(self.multiplier) < 1


@dataclass(frozen=True, eq=False)
class Section:
    """The release points of one contact: out of stick, with the modes of all contacts before, to one side."""

    contact: int
    slip: int
    modes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ReturnMap(metaclass=Listing):
    """The map from one release (stick → slip) to the next, by simulation: call it with numbers.

    `return_map` makes it. `contact`, `slip` and `modes` say which releases: of that contact, to that side, out of those
    modes of all contacts.

    Attributes
    ----------
    model : System or Filippov
        The model.
    motion : Motion
        The model compiled with its variational equations.
    section : Section
        Which releases.
    coordinate : str
        The number that tells them apart: "phase" (of the excitation, in radians) or the name of a state.
    observed : array
        Release points of the motion from the start, one row each: t, z.
    patience : float
        How long the next release is waited for, in units of time.

    See Also
    --------
    return_map : makes it.
    plot.return_map : its picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> releases = ss.return_map(ss.models.forced_oscillator("II", eta=0.9), coordinate="x.block")
    >>> releases([3.6, 3.7275233436]).round(6).tolist(), releases.slope([3.7275233436]).round(6).tolist()
    ([3.728197, 3.727523], [-0.010051])
    """

    model: Model
    motion: Motion
    section: Section
    coordinate: str
    observed: Floats
    patience: float

    @property
    def contact(self) -> str:
        """The contact that is released."""
        return self.model.contacts[self.section.contact]

    @property
    def slip(self) -> int:
        """The side to which it slips: 1 or −1."""
        return self.section.slip

    @property
    def modes(self) -> dict[str, int]:
        """The modes of all contacts before."""
        return dict(zip(self.model.contacts, self.section.modes, strict=True))

    @property
    def points(self) -> Floats:
        """The coordinate of the observed release points, in the order in which they came."""
        return self._value(self.observed)

    @cached_property
    def unique(self) -> bool:
        """Whether the coordinate tells all observed release points apart; where it does not, "phase" always does."""
        signs = set()
        for row in self.observed:
            _, matrix = self._conditions(row, float(self._value(row)))
            signs.add(float(np.sign(np.linalg.det(matrix[:, self._free]))))
        return len(signs) == 1

    def __call__(self, x: ArrayLike) -> Floats:
        """The next release after each of the points x; nan where there is none."""
        values = _points(x)
        return self._returns(values.ravel(), 1)[0][:, 0].reshape(values.shape)

    def slope(self, x: ArrayLike) -> Floats:
        """The derivative of the map, from the variational equations.

        Parameters
        ----------
        x : array of float
            Release points, by their coordinate.

        Returns
        -------
        array
            The slope at each of them; nan where there is no next release.
        """
        values = _points(x)
        return self._returns(values.ravel(), 1)[1][:, 0].reshape(values.shape)

    def iterate(self, x: ArrayLike, turns: int) -> Floats:
        """The points x and the releases that follow, along the last axis: turns + 1 of them.

        Parameters
        ----------
        x : array of float
            Release points, by their coordinate.
        turns : int
            How often the map is applied.

        Returns
        -------
        array
            The points.
        """
        values = _points(x)
        after = self._returns(values.ravel(), check_whole("iterate: turns", turns))[0]
        return np.concatenate([values[..., None], after.reshape(*values.shape, turns)], axis=-1)

    def start(self, x: float) -> tuple[float, dict[str, float]]:
        """The time and the state of the release point x, to be simulated from.

        Parameters
        ----------
        x : float
            A release point, by its coordinate.

        Returns
        -------
        tuple of float and dict
            The time, and the states by name.
        """
        row = self._starts(np.array([check_number("the point", x)]))[0]
        if np.isnan(row[0]):
            raise ModelError(f"there is no release at {self.coordinate} = {x:g}")
        return float(row[0]), dict(zip(self.model.states, map(float, row[1 : 1 + self.motion.states]), strict=True))

    def cycles(
        self, length: int = 1, *, within: tuple[float, float] | None = None, samples: int = 1000
    ) -> list[MapCycle]:
        """The cycles of exactly so many points, stable or not; of length 1 these are the fixed points.

        Parameters
        ----------
        length : int, default 1
            How many points a cycle has.
        within : (float, float), optional
            Where they are sought; by default over the circle of phases, or the range of the observed points.
        samples : int, default 1000
            How many points there between which they are sought.

        Returns
        -------
        list of MapCycle
            The cycles, with their points and multipliers.
        """
        length = check_whole("cycles: length", length)
        x = np.linspace(*self.range(within), check_whole("cycles: samples", samples) + 1)
        gap = self._gap(x, length)
        found: list[MapCycle] = []
        for i in range(len(x) - 1):
            if gap[i] * gap[i + 1] > 0 or not np.isfinite(gap[i] + gap[i + 1]):
                continue
            root = float(brentq(lambda p: self._gap(np.array([p]), length)[0], x[i], x[i + 1], xtol=1e-13, rtol=1e-13))
            self._add_cycle(found, root, length)
        return found

    def lyapunov(self, turns: int = 10_000, x: float | None = None) -> tuple[float, float]:
        """The Lyapunov exponent per release, the mean of log|slope|, and its standard error from 20 blocks.

        Parameters
        ----------
        turns : int, default 10000
            How many releases.
        x : float, optional
            The release point to begin with; by default the last one observed.

        Returns
        -------
        tuple of two floats
            The exponent and its standard error.
        """
        point = float(self.points[-1]) if x is None else check_number("lyapunov: x", x)
        logs = []
        left = check_whole("lyapunov: turns", turns)
        while left > 0:
            values, slopes = self._returns(np.array([point]), min(left, CHUNK))
            if not np.all(np.isfinite(values)):
                raise ModelError("the motion has no further release, so the map has no exponent there")
            logs.append(np.log(np.abs(slopes[0])))
            point, left = float(values[0, -1]), left - CHUNK
        blocks = [float(np.mean(part)) for part in np.array_split(np.concatenate(logs), 20) if len(part)]
        error = float(np.std(blocks, ddof=1) / np.sqrt(len(blocks))) if len(blocks) > 1 else float("nan")
        return float(np.mean(np.concatenate(logs))), error

    def data(self, points: int = 600, within: tuple[float, float] | None = None) -> Result:
        """The map as a table: `next` and `slope` over x, and the observed points with their successors.

        Parameters
        ----------
        points : int, default 600
            How many points.
        within : (float, float), optional
            Their range; by default the circle of phases, or the range of the observed points.

        Returns
        -------
        xarray.Dataset
            The table.
        """
        x = np.linspace(*self.range(within), check_whole("data: points", points))
        values, slopes = self._returns(x, 1)
        seen = self.points
        table = {
            "next": ("x", values[:, 0]),
            "slope": ("x", slopes[:, 0]),
            "observed": ("point", seen[:-1]),
            "observed_next": ("point", seen[1:]),
        }
        unit = "rad" if self.coordinate == PHASE else self.model.units[self.coordinate]
        attributes: dict[str, Any] = {
            "coordinate": self.coordinate,
            "contact": self.contact,
            "model_name": self.model.about.name,
            "title": self.model.about.title,
            "units": unit,
        }
        attributes["unique"] = int(self.unique)
        return Result(table, {"x": x}, attributes)

    def range(self, within: tuple[float, float] | None = None) -> tuple[float, float]:
        """The range given, or the circle of phases, or the range of the observed points.

        Parameters
        ----------
        within : (float, float), optional
            The range; by default the circle of phases, or the range of the observed points.

        Returns
        -------
        tuple of two floats
            The lowest and the highest coordinate.
        """
        if within is not None:
            if not isinstance(within, tuple | list) or len(within) != 2:
                raise ModelError(f"within is {within!r}: give a smaller and a larger number")
            low, high = (check_number("within", value) for value in within)
            if not low < high:
                raise ModelError(f"within is {within!r}: give a smaller and a larger number")
            return low, high
        if self.coordinate == PHASE:
            return 0.0, TURN
        return float(np.min(self.points)), float(np.max(self.points))

    def _repr_html_(self) -> str:
        unit = "rad" if self.coordinate == PHASE else self.model.units[self.coordinate]
        low, high = self.range()
        facts = [
            ("coordinate", f"{self.coordinate} [{unit}]" if unit else self.coordinate),
            ("range", f"{low:.6g} to {high:.6g}"),
            ("released", f"{self.contact}, to the side {self.slip:+d}"),
            ("observed", f"{len(self.observed)} releases"),
        ]
        return notebook.card(f"Return map of {self.model.about.called}", notebook.table(facts))

    def __repr__(self) -> str:
        name = self.model.about.name or "a model"
        return f"<Return map of {name}: {self.coordinate} at the releases of {self.contact!r}>"

    # -- numbers ---------------------------------------------------------------------------------------------------

    @property
    def _column(self) -> int:
        """Where the coordinate stands in a row (t, z)."""
        return 0 if self.coordinate == PHASE else 1 + self.model.states.index(self.coordinate)

    @property
    def _unit(self) -> float:
        """The coordinate per entry of that column."""
        return TURN / (self.motion.forcing_period or 1.0) if self.coordinate == PHASE else 1.0

    @property
    def _free(self) -> slice:
        """The entries of a row that are unknown: time only where it matters."""
        return slice(0 if self.motion.is_forced else 1, self.motion.states + 1)

    def _value(self, rows: Floats) -> Floats:
        values = np.asarray(rows[..., self._column] * self._unit)
        return values % TURN if self.coordinate == PHASE else values

    def _gap(self, x: Floats, length: int) -> Floats:
        """How far the points are moved by `length` turns."""
        gap = self._returns(x, length)[0][:, -1] - x
        return (gap + np.pi) % TURN - np.pi if self.coordinate == PHASE else gap

    def _add_cycle(self, found: list[MapCycle], root: float, length: int) -> None:
        """Keep a cycle that closes, is not shorter, and is not there yet."""
        values, slopes = self._returns(np.array([root]), length)
        size = TURN if self.coordinate == PHASE else max(float(np.ptp(self.points)), 1e-3 * abs(root))
        points = np.sort(values[0])
        if not np.all(np.isfinite(points)) or abs(self._gap(np.array([root]), length)[0]) > 1e-7 * size:
            return  # a jump of the map
        shorter = any(abs(self._gap(np.array([root]), d)[0]) < 1e-7 * size for d in range(1, length) if length % d == 0)
        known = any(np.max(np.abs(points - other.points)) < 1e-7 * size for other in found)
        if not shorter and not known:
            found.append(MapCycle(points, float(np.prod(slopes[0]))))

    def _returns(self, x: Floats, turns: int) -> tuple[Floats, Floats]:
        """Coordinates of the releases after each point, and the slope of the map at the one before each."""
        n, starts = self.motion.states, self._starts(x)
        valid = np.isfinite(starts[:, 0])
        rows = np.full((len(x), turns, 2 + 2 * n), np.nan)
        rows[valid] = self._following(starts[valid], turns)
        slope = rows[:, :, 1 + n + self._column] * self._unit
        size = np.sqrt(np.sum(rows[:, :-1, 1 + n :] ** 2, axis=2))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope[:, 1:] /= slope[:, :-1] / size
        return self._value(rows), slope

    def _following(self, starts: Floats, turns: int) -> Floats:
        """The releases that follow each start, like them: t, z and their derivatives; nan where there is none."""
        program, count = self.motion.field.program, len(starts)
        kernels = program.kernels.returns
        section = kernels.Section()
        section.contact, section.side, section.mode[:] = self.section.contact, self.section.slip, self.section.modes
        section.patience, section.turns, section.starts, section.most_steps = self.patience, turns, count, MOST_STEPS
        releases = Records(kernels.Release, count * turns)
        releases.floats[:] = np.nan
        trajectory = self.motion.workspace(np.zeros(self.motion.states), 0.0)  # which is put at each start
        given = Records(kernels.Release, count, starts)
        program.next_releases(trajectory, section, given, releases, Records(kernels.Sequel, count))
        return releases.floats.reshape(count, turns, kernels.Release.FLOATS)

    def _starts(self, x: Floats) -> Floats:
        """The release points x, one row each: t, z and their derivatives by x; nan where there is none."""
        rows = np.full((len(x), 2 + 2 * self.motion.states), np.nan)
        near = self._nearest(x)
        for k, value in enumerate(x):
            if np.isfinite(value):
                rows[k] = self._start(float(value), near[k])
        return rows

    def _nearest(self, x: Floats) -> Floats:
        """The observed release point that is nearest to each x: where Newton's method starts."""
        distance = np.abs(x[:, None] - self.points)
        if self.coordinate == PHASE:
            distance = np.minimum(distance % TURN, TURN - distance % TURN)
        return np.asarray(self.observed[np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)])

    def _start(self, x: float, guess: Floats) -> Floats:
        """One release point: the contacts at rest, one force at its limit, the coordinate as asked for."""
        n, free = self.motion.states, self._free
        point, scale = guess.copy(), scale_of(self.observed, n + 1)
        nothing = np.full(2 + 2 * n, np.nan)
        if self.coordinate == PHASE:
            point[0] = x / self._unit
        for _ in range(NEWTON_STEPS):
            residual, matrix = self._conditions(point, x)
            try:
                change = np.linalg.solve(matrix[:, free], -residual)
            except np.linalg.LinAlgError:
                return nothing
            if not np.all(np.isfinite(change)):
                return nothing
            point[free] += change
            if np.max(np.abs(change) / scale[free]) < 1e-13:
                slope = np.zeros(n + 1)
                right = np.zeros(len(residual))
                right[-1] = 1.0
                slope[free] = np.linalg.solve(matrix[:, free], right)
                state = self.motion.at_rest(point[1:], point[0], self.section.modes)
                return np.concatenate([point[:1], state, slope])
        return nothing

    def _conditions(self, point: Floats, x: float) -> tuple[Floats, Floats]:
        """What must vanish at the release point x, and its derivatives by t and z."""
        motion, section, n = self.motion, self.section, self.motion.states
        here = motion.phase(section.modes, point[1:], float(point[0]), 0.0, [len(motion.parameters)])
        by = np.column_stack([here.by_parameter[:, 0], here.by_state])
        stuck = [here.row("v", i) for i, mode in enumerate(section.modes) if mode == 0]
        force, static = here.row("force", section.contact), here.row("static", section.contact)
        room = here.values[static] + section.slip * here.values[force]
        unit = np.zeros(n + 1)
        unit[self._column] = self._unit
        residual = [*here.values[stuck], room, point[self._column] * self._unit - x]
        return np.array(residual), np.vstack([by[stuck], by[static] + section.slip * by[force], unit])


def return_map(
    model: Model,
    *,
    contact: str | None = None,
    coordinate: str | None = None,
    start: Mapping[str, float] | Sequence[float] | None = None,
    rtol: float = RTOL,
) -> ReturnMap:
    """The map from one stick → slip point to the next, where one number tells these points apart.

    Release points fill a curve where an excited system of one mass has one contact, or where all but one of the states
    of a system without excitation are fixed by contacts at rest and the force at its limit.

    Parameters
    ----------
    model : System or Filippov
        The model.
    contact : str, optional
        Whose releases; by default those that make a map of one number and come most often.
    coordinate : str, optional
        "phase" (of the excitation, in radians; the default with excitation) or the name of a state (the first,
        without). Where two phases have the same state, that of the nearest observed release is meant.
    start : mapping or sequence of float, optional
        Where the motion starts that shows which releases there are; as for `simulate`.
    rtol : float, default 1e-12
        Relative tolerance of a step.

    Returns
    -------
    ReturnMap
        The map, which is called with numbers, iterated, differentiated, searched for cycles.

    Raises
    ------
    ModelError
        If the model has no such contact or state, or there is no such map: no release, or none that one number tells
        apart.

    See Also
    --------
    plot.return_map : the picture.
    find_orbit : the orbits that its cycles are.

    Examples
    --------
    >>> import stickslip as ss
    >>> releases = return_map(ss.models.two_blocks())
    >>> releases.modes, [round(cycle.multiplier, 6) for cycle in releases.cycles(within=(1.0, 1.2))]
    ({'contact1': 0, 'contact2': 0}, [-0.896378])
    """
    check_model(model)
    motion = neighbours(model, Exact(rtol=rtol).rtol)
    if contact is not None and (not isinstance(contact, str) or contact not in model.contacts):
        raise ModelError(f"there is no contact {shown(contact)}{suggest(str(contact), model.contacts)}")
    if (motion.is_forced and motion.forcing_period is None) or np.any(motion.moving):
        raise ModelError("a return map needs an excitation with one period, and that of this model shows none")
    chosen = (PHASE if motion.is_forced else model.states[0]) if coordinate is None else coordinate
    if not isinstance(chosen, str) or (chosen not in model.states and not (chosen == PHASE and motion.is_forced)):
        known = [PHASE, *model.states] if motion.is_forced else list(model.states)
        raise ModelError(f"there is no coordinate {shown(chosen)}{suggest(str(chosen), known)}")
    section, observed = _observed(motion, np.array(model.start_state(start), float), contact)
    wait = float(np.mean(np.diff(observed[:, 0]))) * PATIENCE
    return ReturnMap(model, motion, section, chosen, observed, wait)


def _points(x: Any) -> Floats:
    """Points of a map as an array of any shape."""
    try:
        return np.asarray(x, float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"the points of the map are {shown(x)}: they must be numbers") from None


def _observed(motion: Motion, state: Floats, contact: str | None) -> tuple[Section, Floats]:
    """Which releases the motion shows most often among those that fill a curve, and where they are."""
    time, duration = 0.0, 64 * (motion.forcing_period or motion.time_scale(state))
    names = motion.model.contacts
    seen: dict[tuple[int, int, tuple[int, ...]], list[Floats]] = {}
    most = 0
    for _ in range(MOST_RUNS):
        run = motion.run(state, time, duration)
        if not run.status.finished:
            raise ModelError(f"no return map from this start: {run.status.value}")
        for key, row in _releases(run):
            if contact is None or names[key[0]] == contact:
                seen.setdefault(key, []).append(row)
        state, time, duration = run.state, run.time, 2 * duration
        fitting = Counter({key: len(rows) for key, rows in seen.items() if _dimension(motion, key[2]) == 1})
        most = fitting.total()
        if most >= ENOUGH:
            key, count = fitting.most_common(1)[0]
            return Section(*key), np.array(seen[key][count // 2 :])
        if sum(map(len, seen.values())) >= 4 * ENOUGH:
            break
    if not seen:
        raise ModelError("the motion from this start is never released from stick, so there is no return map")
    if most == 0:
        key = max(seen, key=lambda key: len(seen[key]))
        raise ModelError(
            f"the releases of {names[key[0]]!r} fill a set of dimension {_dimension(motion, key[2])}: a map of one "
            "number needs a curve"
        )
    raise ModelError(f"the motion from this start has only {most} releases, too few for a return map")


def _dimension(motion: Motion, modes: tuple[int, ...]) -> int:
    """The dimension of the release points out of these modes."""
    return motion.states + int(motion.is_forced) - modes.count(0) - 1


def _releases(run: Run) -> list[tuple[tuple[int, int, tuple[int, ...]], Floats]]:
    """The releases of a run: contact, side and modes before; time and state."""
    found, modes = [], [int(m) for m in run.start_mode]
    for time in np.unique(run.events[:, 0]):
        group = run.events[run.events[:, 0] == time]
        before = tuple(modes)
        for row in group:
            contact, after = int(row[1]), int(row[3])
            if row[2] == 0 and after != 0:
                found.append(((contact, after, before), np.concatenate([row[:1], row[4:]])))
            modes[contact] = after
    return found
