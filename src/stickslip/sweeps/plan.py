"""`Plan`: a whole sweep as data, cut into chunks that can be run anywhere, in any order, with the same numbers."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from stickslip import notebook, result
from stickslip._version import __version__
from stickslip.arrays import Bools, Floats, Ints
from stickslip.errors import ModelError
from stickslip.field import Field, compile_forcings, known
from stickslip.kernels.outcome import FINISHED, IMPOSSIBLE, NOT_COMPUTED
from stickslip.methods.exact import Exact
from stickslip.model import files
from stickslip.model.listing import Listing
from stickslip.model.system import Model, Requirement
from stickslip.orbits.motion import Motion
from stickslip.status import Status
from stickslip.sweeps.axes import START, Axes
from stickslip.sweeps.chance import uniform
from stickslip.sweeps.exponents import neighbours
from stickslip.sweeps.layout import (
    FORMAT,
    Layout,
    Results,
    Sweep,
    ValuesOf,
    in_memory,
    labelled,
    motion_layout,
    record_layout,
)
from stickslip.sweeps.measures import exponents, in_words, measured_layout, signatures
from stickslip.sweeps.observation import NOTHING, Codes, LargestExponent, Measured, Named, Recorded, Signature
from stickslip.sweeps.trajectories import Group, Settings, lanes_for, observed
from stickslip.sweeps.wording import told
from stickslip.targets.generated import OBSERVE

Stop = Callable[[], bool]
Tell = Callable[[Ints, Results], None]
BATCH = 16
LOCKSTEP_BATCH = 256
"""Points between two questions whether to stop."""

RTOL_OF_EXPONENTS = 1e-13
"""One cycle tells the exponent of a motion that repeats itself, and tells it the better the better it is computed."""

BATCH_BYTES = 64e6
"""Room for the rows of points that are run together."""


@dataclass(frozen=True)
class Chunk:
    """A part of a sweep: points from `first` up to, but not including, `last`; with `carry`, lines of points."""

    index: int
    first: int
    last: int


@dataclass(frozen=True)
class Duration:
    """Transient and observed time, in periods of the excitation or in time."""

    transient: float
    recorded: float
    in_periods: bool


@dataclass(frozen=True)
class Start:
    """Where motions start: a state, with all contacts put at rest or not; or anywhere within a range of every state."""

    state: tuple[float, ...]
    in_stick: bool = False
    within: tuple[tuple[float, float], ...] | None = None
    seed: int = 0

    def states(self, numbers: Ints) -> Floats:
        """One row per point; random ones depend on the number of the point and the seed alone."""
        if self.within is None:
            return np.tile(np.array(self.state, float), (len(numbers), 1))
        low, high = np.array(self.within).T
        return np.asarray(low + (high - low) * uniform(self.seed, numbers, len(low)), float)


@dataclass(frozen=True)
class Plan(metaclass=Listing):
    """Everything that determines a sweep, cut into chunks; it can be pickled, and run in other processes.

    `plan_sweep` makes it. `run` gives the arrays of one chunk, bit for bit the same however the sweep is cut;
    `assemble` makes the Dataset.

    Attributes
    ----------
    text : str
        The model as text.
    axes : Axes
        What is swept.
    observations : tuple
        What is recorded, by name.
    duration : Duration
        Transient and observed time.
    start : Start
        Where motions start.
    carry : str or None
        Whether each motion starts where the one before ended: "up", "down" or not.
    settings : Settings
        Tolerances and limits.
    chunk_size : int
        Points per chunk.
    given : System, Filippov or None
        The model itself, in the process that made the plan; others read it from the text.

    See Also
    --------
    plan_sweep : makes it.
    sweep : runs it at once.

    Examples
    --------
    >>> import stickslip as ss
    >>> plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2, 0.3]}, times=(50, 50), chunk=2)
    >>> [(chunk.first, chunk.last) for chunk in plan.chunks]
    [(0, 2), (2, 3)]
    >>> plan.assemble({0: plan.run(plan.chunks[0])})["status"].values.tolist()
    [0, 0, -1]
    """

    _listed: ClassVar[tuple[str, ...]] = (
        "count", "chunks", "points", "layout", "fingerprint", "bytes_per_point", "model", "compile", "run",
        "is_complete", "assemble",
    )  # fmt: skip

    text: str
    axes: Axes
    observations: Named
    duration: Duration
    start: Start
    carry: str | None
    settings: Settings
    chunk_size: int
    given: Model | None = dataclasses.field(default=None, compare=False, repr=False)
    """The model itself, which does not leave this process; its text has the same equations."""

    def __repr__(self) -> str:
        name = self.model.about.name or "a model"
        return f"<Plan of a sweep of {name}: {self.count} points in {len(self.chunks)} chunks>"

    def _repr_html_(self) -> str:
        unit = "periods of the excitation" if self.duration.in_periods else self.model.time_unit or "units of time"
        axes = zip(self.axes.names, self.axes.values, strict=True)
        rows = [(name, len(values), float(np.min(values)), float(np.max(values))) for name, values in axes]
        facts = [
            ("observes", ", ".join(f"{name}: {what}" if name else repr(what) for name, what in self.observations)),
            ("transient", f"{self.duration.transient:.6g} {unit}"),
            ("observed", f"{self.duration.recorded:.6g} {unit}"),
            ("chunks", len(self.chunks)),
        ]
        return notebook.card(
            f"Plan of a sweep of {self.model.about.called}",
            notebook.table(rows, ("swept", "values", "from", "to")),
            notebook.table(facts),
            note=f"{self.count} points",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.is_written:
            raise ModelError(f"this sweep cannot be sent to another process: {self.text.removeprefix('# ')}")
        return Plan, tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.compare)

    @property
    def is_written(self) -> bool:
        """Whether the text is the model, and no remark why there is none."""
        return not self.text.startswith("#")

    @cached_property
    def model(self) -> Model:
        """The model: the one that was given, or in another process the one that its text describes."""
        return files.loads(self.text, trusted=True) if self.given is None else self.given

    @cached_property
    def field(self) -> Field:
        """The model compiled for observing; in lockstep the march is compiled once something is left to it."""
        if self.settings.lockstep:
            return Field(self.model, self.order, self.settings.target, OBSERVE)
        return Field.of(self.model, target=self.settings.target, order=self.order, kernels=OBSERVE)

    @property
    def order(self) -> int:
        """The Taylor order; a lower one, which needs fewer registers, in lockstep, most so on a GPU."""
        if self.settings.target == "cuda":
            return 12 if self.settings.rtol >= 1e-10 else 16
        if not self.settings.lockstep:
            return self.method.taylor_order
        return 14 if self.settings.rtol >= 1e-9 else 16 if self.settings.rtol >= 1e-11 else 20

    @cached_property
    def neighbours(self) -> Motion:
        """The model compiled with its variational equations, which some observations need."""
        return neighbours(self.model, min(self.settings.rtol, RTOL_OF_EXPONENTS))

    def compile(self) -> None:
        """Compile now what `run` needs: once, before several threads ask for it."""
        _ = self.field, self.layout, self._forcing
        if any(isinstance(what, LargestExponent) for _, what in self.observations):
            _ = self.neighbours
        if self.settings.lockstep:
            for codes in self._codes.values():
                if lanes_for(self.field, codes) is None:
                    _ = self.field.program

    @property
    def method(self) -> Exact:
        """How trajectories are integrated."""
        return Exact(rtol=self.settings.rtol, most_steps=self.settings.most_steps)

    @cached_property
    def _forcing(self) -> Callable[[Floats], Floats]:
        return compile_forcings(self.model)

    @property
    def count(self) -> int:
        """Number of points."""
        return self.axes.count

    @cached_property
    def layout(self) -> dict[str, Layout]:
        """What `run` returns: shape per point or row, type and fill value of every array."""
        layout = motion_layout(self.model)
        for name, what in self.observations:
            if isinstance(what, Measured):
                layout |= measured_layout(self.model, name, what)
            else:
                layout |= record_layout(self.model, self.settings.most, f"{name}." if name else "")
        return layout

    @property
    def bytes_per_point(self) -> int:
        """What the results of a point take at most."""
        return sum(kind.bytes_per_point for kind in self.layout.values())

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that determines the numbers; the size of chunks does not."""
        before = [__version__, FORMAT, self.text, self.axes.names, self.axes.grid]
        after: list[Any] = [repr(self.observations), repr(self.duration), repr(self.start), self.carry]
        after += [repr(self.settings)]
        if not self.is_written:
            after += [self.field.source, dict(self.model.parameters)]
        values = ", ".join(f'"{v.tobytes().hex()}"' for v in self.axes.values)  # as json writes them, but quicker
        parts = [*map(json.dumps, before), f"[{values}]", *map(json.dumps, after)]
        return hashlib.sha256(f"[{', '.join(parts)}]".encode()).hexdigest()

    # -- chunks ------------------------------------------------------------------------------------------------------

    @property
    def _length(self) -> int:
        """Points that follow from one another: with `carry`, all of the first axis."""
        return self.axes.shape[0] if self.carry else 1

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The parts of the sweep."""
        lines = self.count // self._length
        size = max(1, self.chunk_size // self._length)
        return [Chunk(index, first, min(first + size, lines)) for index, first in enumerate(range(0, lines, size))]

    def places(self, numbers: Ints) -> tuple[Ints, Ints]:
        """The chunk in which each point is, and its place there: what `points` says, the other way round."""
        lines = self.count // self._length
        along, line = numbers // lines, numbers % lines
        if not self.carry:
            along, line = np.zeros_like(numbers), numbers
        size = max(1, self.chunk_size // self._length)
        index = line // size
        width = np.minimum(size, lines - index * size)
        return index, along * width + line % size

    def points(self, chunk: Chunk) -> Ints:
        """Numbers of the points of a chunk, in the order of its results.

        Parameters
        ----------
        chunk : Chunk
            One of `chunks`.

        Returns
        -------
        array of int
            The numbers.
        """
        lines = np.arange(chunk.first, chunk.last)
        if not self.carry:
            return lines
        return (np.arange(self._length)[:, None] * (self.count // self._length) + lines).ravel()

    def _place(self, chunk: Chunk) -> slice | Ints:
        """Where the points of a chunk are among all: side by side, unless they follow from one another."""
        return self.points(chunk) if self.carry else slice(chunk.first, chunk.last)

    def is_complete(self, results: Results) -> bool:
        """Whether a chunk was run to its end.

        Parameters
        ----------
        results : dict of str to array
            What `run` returned.

        Returns
        -------
        bool
            False where it was stopped.
        """
        return bool(np.all(results["status"] != NOT_COMPUTED))

    def run(self, chunk: Chunk, stop: Stop | None = None, tell: Tell | None = None) -> Results:
        """The results of a chunk, in the order of `points`.

        Parameters
        ----------
        chunk : Chunk
            One of `chunks`.
        stop : callable, optional
            When `stop()` turns true it ends early, and points not reached have the status NOT_COMPUTED. By default it
            goes on to its end.
        tell : callable, optional
            Called with the numbers of points and their arrays as soon as these are computed.

        Returns
        -------
        dict of str to array
            The arrays, as `layout` describes them.
        """
        numbers = self.points(chunk)
        out: Results = {}
        packed: dict[int, Results] = {}
        starts = self.start.states(numbers)
        held = np.full((len(numbers), len(self.model.contacts)), self.start.in_stick)
        for before, rows in self._rows(len(numbers), chunk.last - chunk.first):
            if stop is not None and stop():
                break
            if before is not None:
                starts[rows], held[rows] = starts[before], held[before]
            found = self._observe(numbers[rows], starts[rows], held[rows])
            if tell is not None:
                tell(numbers[rows], dict(found))
            packed[rows.start] = {name: found.pop(name) for name in self._row_names}
            if rows == slice(0, len(numbers)):
                out = found  # all at once: no need to put them together
            else:
                out = out or self._nothing_known(len(numbers))
                for name, values in found.items():
                    out[name][rows] = values
            if self.carry:  # from here on, `starts` has where the next ones start: after a bad point, where it did
                good = (found["status"] == FINISHED)[:, None]
                starts[rows] = np.where(good, found["end_state"], starts[rows])
                held[rows] = np.where(good, found["end_mode"] == 0, held[rows])
        out = out or self._nothing_known(len(numbers))
        for name in self._row_names:
            parts = [packed[first][name] for first in sorted(packed)]
            out[name] = parts[0] if len(parts) == 1 else np.concatenate([self.layout[name].empty(0), *parts])
        return out

    def _nothing_known(self, count: int) -> Results:
        """The arrays with an entry per point, before any is computed."""
        return {name: kind.empty(count) for name, kind in self.layout.items() if not kind.counted_by}

    @cached_property
    def _row_names(self) -> list[str]:
        return [name for name, kind in self.layout.items() if kind.counted_by]

    def _rows(self, count: int, lines: int) -> Iterator[tuple[slice | None, slice]]:
        """Rows to be run together, and before them those whose ends they start from."""
        if not self.carry:
            room = max(1, int(BATCH_BYTES // self.bytes_per_point))
            together = LOCKSTEP_BATCH if self.settings.lockstep else BATCH
            batch = count if self.settings.target == "cuda" else min(together, room)
            yield from ((None, slice(i, min(i + batch, count))) for i in range(0, count, batch))
            return
        order = self.axes.rising()[:: 1 if self.carry == "up" else -1]
        before = None
        for i in order:
            rows = slice(int(i) * lines, (int(i) + 1) * lines)
            yield before, rows
            before = rows

    def _observe(self, numbers: Ints, starts: Floats, held: Bools) -> Results:
        """The results at some points; those that cannot be have their status and nothing else."""
        parameters, starts, possible = self._parameters(self.axes.at(numbers), starts)
        times = self._times(parameters)
        for column in times.T:
            possible &= np.isfinite(column)
        group = Group(starts, held, parameters, times, numbers)
        if possible.all():
            found = self._observed(group)
            return {name: np.ascontiguousarray(found[name], kind.dtype) for name, kind in self.layout.items()}
        out = {name: kind.empty(0 if kind.counted_by else len(numbers)) for name, kind in self.layout.items()}
        out["status"][:], out["start_state"][:] = IMPOSSIBLE, starts
        if possible.any():
            for name, array in self._observed(group[possible]).items():
                if self.layout[name].counted_by:
                    out[name] = np.ascontiguousarray(array)  # the others have no rows
                else:
                    out[name][possible] = array
        return out

    def _observed(self, group: Group) -> Results:
        """What sums up the motions, and all observations of them."""
        found: Results = {}
        for name, seen in observed(self.field, self._codes, self.settings, group).items():
            prefix = f"{name}." if name else ""
            found |= {f"{prefix}{key}" if f"{prefix}{key}" in self.layout else key: seen[key] for key in seen}
        for name, what in self.observations:
            if isinstance(what, LargestExponent):
                found |= exponents(name, what, self.neighbours, self.settings, found, group)
            elif isinstance(what, Signature):
                found |= signatures(name, self.field, self.settings, found, group)
        return found

    @cached_property
    def _codes(self) -> dict[str, Codes]:
        """What is recorded, by name; nothing where nothing is."""
        recorded = {name: what.codes(self.model) for name, what in self.observations if isinstance(what, Recorded)}
        return recorded or {"": NOTHING}

    def _parameters(self, values: Floats, starts: Floats) -> tuple[Floats, Floats, Bools]:
        """Parameter values and starts of every point, and whether the model allows them."""
        names = list(self.model.parameters)
        rows = np.tile(np.array(list(self.model.parameters.values()), float), (len(values), 1))
        if any(map(self._is_start, self._swept)):
            starts = starts.copy()
        changed: dict[str, Floats] = {}
        for name, column in zip(self._swept, values.T, strict=True):
            if self._is_start(name):
                starts[:, self.model.states.index(name.removeprefix(START))] = column
            else:
                changed[name] = column
                rows[:, names.index(name)] = column
        return rows, starts, self._allowed(changed, len(values))

    def _allowed(self, changed: Mapping[str, Floats], count: int) -> Bools:
        """Whether the model allows each of many changes of its parameters."""
        allowed = np.ones(count, bool)
        for column in changed.values():
            allowed &= np.isfinite(column)
        for requirement in self._requirements:
            names = [name for name in changed if name in requirement.names]
            allowed &= self._meeting(requirement, names, np.stack([changed[name] for name in names], axis=1))
        return allowed

    @cached_property
    def _requirements(self) -> list[Requirement]:
        """What the model asks of the parameters that are swept."""
        swept = set(self._swept)
        return [requirement for requirement in self.model.requirements() if requirement.names & swept]

    def _meeting(self, requirement: Requirement, names: list[str], rows: Floats) -> Bools:
        """Which rows of values satisfy a requirement.

        What it allows are mostly ranges, so where the corners of a box are allowed, everything in it is. A box of k
        values has 2^k corners: where these are more than the rows, the rows are asked, each of those that differ once.
        """
        if requirement.convex and 2 ** len(names) < len(rows):
            corners = itertools.product(*zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True))
            if all(self._meets(requirement, names, corner) for corner in corners):
                return np.ones(len(rows), bool)
        different, place = np.unique(rows, axis=0, return_inverse=True)
        return np.array([self._meets(requirement, names, row) for row in different.tolist()], bool)[place.reshape(-1)]

    def _meets(self, requirement: Requirement, names: list[str], row: Sequence[float]) -> bool:
        try:
            requirement.check({**self.model.parameters, **dict(zip(names, row, strict=True))})
        except ModelError:
            return False
        return True

    @cached_property
    def _swept(self) -> tuple[str, ...]:
        """The names of the axes; a parameter of a shared law by its one name."""
        return tuple(self.model.aliases.get(name, name) for name in self.axes.names)

    def _is_start(self, name: str) -> bool:
        return name.startswith(START) and name not in self.model.parameters

    def _times(self, parameters: Floats) -> Floats:
        """Per row, ends of the transient and of the run, and the period of the excitation: 0 where there is none, −1
        where it cannot be seen."""
        period = self._forcing(parameters)
        ends = self.duration.transient, self.duration.transient + self.duration.recorded
        times = np.empty((len(parameters), 3))
        if self.duration.in_periods:
            times[:, 2] = np.abs(period)
            with np.errstate(invalid="ignore"):  # no transient of infinite periods: such a point is not possible
                times[:, 0], times[:, 1] = ends[0] * times[:, 2], ends[1] * times[:, 2]
            return times
        times[:, 0], times[:, 1], times[:, 2] = *ends, known(period)
        return times

    # -- results -----------------------------------------------------------------------------------------------------

    def assemble(self, results: Mapping[int, Results]) -> Sweep:
        """The Dataset of the sweep from the results of chunks; what is missing has the status NOT_COMPUTED.

        Parameters
        ----------
        results : mapping of int to results
            What `run` returned, by the number of the chunk.

        Returns
        -------
        Sweep
            The sweep.
        """
        pieces = [(self._place(self.chunks[index]), found) for index, found in sorted(results.items())]
        return self.dataset(*in_memory(self.layout, self.axes.shape, pieces))

    def dataset(self, values: ValuesOf, longest: Mapping[str, int]) -> Sweep:
        """The Dataset of the sweep from its arrays over all points, and how long its records are."""
        data = in_words(labelled(self.model, self.axes, self.layout, values, longest), self.observations)
        data = told(data, self.model, self.observations)
        done = int((data["status"] != NOT_COMPUTED).sum())
        complete = done == self.count
        status = "The sweep is complete." if complete else f"{done} of {self.count} points were computed."
        outcome = Status.FINISHED if complete else Status.NOT_COMPUTED
        attributes: dict[str, Any] = {"format": FORMAT, "version": __version__}
        attributes |= result.attributes_of(self.model, self.text, repr(self.method), status, outcome)
        attributes |= {
            "observation": ", ".join(f"{name}: {what}" if name else repr(what) for name, what in self.observations),
            "transient": self.duration.transient,
            "recorded": self.duration.recorded,
            "duration_unit": "forcing periods" if self.duration.in_periods else "time",
            "carry": self.carry or "none",
            "fingerprint": self.fingerprint,
        }
        return data.assign_attrs(attributes)
