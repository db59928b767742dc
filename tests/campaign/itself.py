"""The library against itself: what must not matter to a motion does not change it.

Units, the origin of time, the order of parts, the tolerance, travelling alone or in lockstep, with cycles left out or
not, compiled or in plain Python: each is a variation of the same motions, many at once. Where end states or numbers of
events differ, the referee says whether the motion is so sensitive that they may.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tests.campaign.draw import Case, Units, draw_case, draw_structure, unit_of
from tests.campaign.judge import is_sensitive
from tests.campaign.records import most_steps

import stickslip as ss
from stickslip.field import Field

Floats = NDArray[np.float64]
ROWS = 256
"""So many trajectories travel in lockstep."""

ALONE = 64
"""So few do not."""

LOOKED_AT = 4
"""Differences of one variation of one structure that are looked at; the others are counted."""

FINE, COARSE = 1e-12, 1e-9
DIGITS = 8
"""So many units in the last place of a place far out may come into a motion by a variation."""


@dataclass
class Ends:
    """Where many motions end, in natural units; how, and after how many events."""

    states: Floats
    outcome: NDArray[np.int64]


@dataclass(frozen=True)
class Variation:
    """A name, and how far end states may be apart before the referee is asked."""

    name: str
    apart: float
    disturbance: float
    """What may come into a motion by this variation: the referee is asked whether so little matters."""

    ends: Callable[[Batch], Ends]


class Batch:
    """Many cases of one structure, with the same origin of time."""

    def __init__(self, seed: int, structure: int, duration: float, rows: int = ROWS) -> None:
        self.rng = np.random.default_rng([seed, structure, 10**6])
        self.structure = draw_structure(np.random.default_rng([seed, structure]))
        origin = float(self.rng.choice([0.0, 0.0, 1e2, 1e4, 1e6, 1e7]))
        drawn = [
            draw_case(self.structure, np.random.default_rng([seed, structure, i]), duration, f"{structure}:{i}")
            for i in range(rows)
        ]
        self.cases = [replace(case, units=Units(), origin=origin) for case in drawn]
        self.system = self.cases[0].system()
        self.starts = np.array([self.system.start_state(case.start_in(self.system)) for case in self.cases])
        self.field = ss.Exact().compile(self.system)

    def ends(
        self,
        cases: list[Case],
        *,
        field: Field | None = None,
        rtol: float = FINE,
        lockstep: bool = False,
        shortcut: bool = False,
    ) -> Ends:
        """Where these cases end; all have the same times and units."""
        field = self.field if field is None else field
        names, states = list(field.model.parameters), list(field.model.states)
        starts = np.array([field.model.start_state(case.start_in(field.model)) for case in cases])
        systems = [case.system(field.model) for case in cases]
        parameters = np.array([[system.parameters[name] for name in names] for system in systems])
        first, last = cases[0].times
        pieces = []
        size = len(cases) if lockstep else ALONE
        for i in range(0, len(cases), size):
            rows = slice(i, i + size)
            pieces.append(
                field.propagate(
                    starts[rows],
                    last,
                    parameters=parameters[rows],
                    t_start=first,
                    rtol=rtol,
                    most_steps=most_steps(cases[0]),
                    shortcut=shortcut,
                )
            )
        ends, outcome = (np.concatenate([piece[k] for piece in pieces]) for k in (0, 1))
        order = [states.index(name) for name in self.system.states]
        places = np.array([name.startswith("x.") for name in self.system.states])
        scale = np.array([unit_of(name, cases[0].units) for name in self.system.states])
        moved = np.array([case.fed for case in self.cases[: len(cases)]]) - np.array([case.fed for case in cases])
        return Ends(ends[:, order] / scale + np.outer(moved, places), outcome)


def _in_units(batch: Batch, units: Units) -> Ends:
    return batch.ends([case.in_units(units) for case in batch.cases])


def _of_two(batch: Batch) -> Ends:
    mass, length, time = (2.0 ** float(power) for power in batch.rng.integers(-30, 31, 3))
    return _in_units(batch, Units(mass, time if batch.structure.has_table else length, time))


def _of_any(batch: Batch) -> Ends:
    mass, length, time = (float(10.0**power) for power in batch.rng.uniform(-9, 9, 3))
    return _in_units(batch, Units(mass, time if batch.structure.has_table else length, time))


def _moved(batch: Batch) -> Ends:
    return batch.ends([case.moved(0.0 if case.origin else 1e6) for case in batch.cases])


def _reordered(batch: Batch) -> Ends:
    structure = batch.structure.reordered(batch.rng)
    field = ss.Exact().compile(structure.build(batch.cases[0].scaled))
    return batch.ends([replace(case, structure=structure) for case in batch.cases], field=field)


PYTHON = 2
"""So few motions are travelled in plain Python, which is slow, for a short while."""


def in_python(batch: Batch, duration: float) -> tuple[Ends, Ends]:
    """A few short motions, compiled and in plain Python."""
    cases = [replace(case, duration=duration) for case in batch.cases[:PYTHON]]
    field = ss.Exact(target="python").compile(batch.system)
    return batch.ends(cases), batch.ends(cases, field=field)


VARIATIONS = (
    Variation("tolerance", 1e-5, 1e-8, lambda batch: batch.ends(batch.cases, rtol=COARSE)),
    Variation("units, powers of two", 1e-8, 1e-11, _of_two),
    Variation("units", 1e-7, 1e-11, _of_any),
    Variation("origin of time", 1e-6, 1e-9, _moved),
    Variation("order of parts", 1e-7, 1e-11, _reordered),
    Variation("lockstep", 1e-7, 1e-11, lambda batch: batch.ends(batch.cases, lockstep=True)),
    Variation("lockstep, tolerance", 1e-5, 1e-8, lambda batch: batch.ends(batch.cases, lockstep=True, rtol=COARSE)),
    Variation("shortcut", 1e-7, 1e-11, lambda batch: batch.ends(batch.cases, lockstep=True, shortcut=True)),
)


TARGET = Variation("target python", 1e-8, 1e-11, lambda batch: in_python(batch, 1.0)[1])


@dataclass
class Comparison:
    """What came out of one variation for one structure."""

    variation: str
    compared: int
    sensitive: int
    differ: list[str]
    not_looked_at: int
    ended: Counter[str]
    """How many of the plain motions ended early, by reason."""


def compare_structure(seed: int, structure: int, duration: float) -> list[Comparison]:
    """All variations of many motions of one structure."""
    batch = Batch(seed, structure, duration)
    plain = batch.ends(batch.cases)
    found = [compare(batch, plain, variation.ends(batch), variation, seed) for variation in VARIATIONS]
    return [*found, compare(batch, *in_python(batch, duration / 8), TARGET, seed)]


def compare(batch: Batch, plain: Ends, varied: Ends, variation: Variation, seed: int) -> Comparison:
    """One variation against the plain motions."""
    size = np.maximum(1.0, np.abs(plain.states - batch.starts[: len(plain.states)]))
    # Far out, places have fewer digits.
    lost = np.array([DIGITS * math.ulp(case.fed) for case in batch.cases[: len(plain.states)]])
    factor = 1.0 + lost / variation.disturbance
    with np.errstate(invalid="ignore"):
        near = np.all(np.abs(plain.states - varied.states) <= variation.apart * factor[:, None] * size, axis=1)
    both = np.all(plain.outcome == varied.outcome, axis=1)
    alike = (plain.outcome[:, 0] != 0) & (plain.outcome[:, 0] == varied.outcome[:, 0])
    ended = Counter(ss.Status.of(code).word for code in plain.outcome[:, 0].tolist() if code != ss.Status.FINISHED.code)
    result = Comparison(variation.name, len(near), 0, [], 0, ended)
    apart = np.flatnonzero(~(near & both) & ~alike)  # whether an end has its reason is the referee's business
    result.not_looked_at = max(0, len(apart) - LOOKED_AT)
    for row in apart[:LOOKED_AT]:
        case = batch.cases[row]
        if is_sensitive(case, case.system(batch.system), variation.disturbance * factor[row]):
            result.sensitive += 1
            continue
        distance = float(np.max(np.abs(plain.states[row] - varied.states[row]) / size[row]))
        outcomes = f"{plain.outcome[row].tolist()} and {varied.outcome[row].tolist()}"
        result.differ.append(f"{seed}/{case.label} {variation.name}: {distance:.2g} apart, (status, events) {outcomes}")
    return result
