"""Random systems with every index compared with its size: the checked build must find nothing, and change nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from tests.campaign.draw import Case

import stickslip as ss
from stickslip.field import Field

ORDER = 8
"""Of the series: low, since compiling takes most of the time and indices do not care."""


@dataclass
class Looked:
    """What came out: systems, indices out of bounds, runs that differ."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def look(case: Case, label: str) -> Looked:
    """Run a system in machine code with and without checks: one run, many, and with small changes carried along."""
    looked = Looked()
    looked.counts["systems"] += 1
    try:
        differ = _differences(case)
    except IndexError as error:
        looked.failures.append(f"{label} [{case.features}]: {error}")
        return looked
    looked.counts["runs"] += 2
    looked.failures += [f"{label} [{case.features}]: {what} differs in the checked build" for what in differ]
    return looked


def _differences(case: Case) -> list[str]:
    system = case.system().with_(start=case.start_in(case.system()))
    first, last = case.times
    options = {"t": last, "start_time": first}
    found = []
    for target in ("cpu", "checked"):
        method = ss.Exact(rtol=1e-8, order=ORDER, target=target, most_steps=4000)
        run = ss.simulate(system, method=method, **options)
        many = Field.of(system, target=target, order=ORDER).propagate(
            np.array([system.start_state()] * 2), last, t_start=first, rtol=1e-8, most_steps=4000
        )
        found.append((run["step_state"].values, run["event_state"].values, *many))
    names = ("a run", "its events", "an ensemble", "its outcomes")
    pairs = zip(names, *found, strict=True)
    return [name for name, plain, checked in pairs if not np.array_equal(plain, checked, equal_nan=True)]
