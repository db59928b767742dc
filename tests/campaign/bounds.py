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

RTOL, NEAR = 1e-8, 1e-5
"""The tolerance of a step, and what of the largest value of a state it may become on the way: other code is fused
otherwise, and where two lengths of a step are as good, the last digit decides between them."""


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
    except ss.errors.ModelError:  # contacts that are redundant at the start, which both builds refuse
        looked.counts["refused"] += 1
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
        method = ss.Exact(rtol=RTOL, order=ORDER, target=target, most_steps=4000)
        run = ss.simulate(system, method=method, **options)
        many = Field.of(system, target=target, order=ORDER).propagate(
            np.array([system.start_state()] * 2), last, t_start=first, rtol=RTOL, most_steps=4000
        )
        ends = np.array([[run[state].values[-1] for state in system.states]])
        found.append((ends, run["event_state"].values, *many))
    names = ("a run", "its events", "an ensemble", "its outcomes")
    pairs = zip(names, *found, strict=True)
    return [name for name, plain, checked in pairs if not _same(np.asarray(plain), np.asarray(checked))]


def _same(plain: np.ndarray, checked: np.ndarray) -> bool:
    """Whether numbers are the same but for what the tolerance makes of a last digit."""
    scale = np.abs(plain).max(axis=0, initial=0.0)
    return plain.shape == checked.shape and bool(np.all(np.abs(plain - checked) <= NEAR * scale))
