"""Periodic orbits and their branches before the referee: each must close there."""

from __future__ import annotations

import math
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tests.campaign.draw import Case, Structure, Units, draw_case, draw_structure
from tests.referee.equations import Mechanics
from tests.referee.motion import FINISHED, Referee

import stickslip as ss

CLOSES = 1e-7
"""How far from its start an orbit may end after one period, beside the size of its states and its multipliers."""

AT_REST = 1e-9
PATIENCE = 25
"""Seconds after which an orbit or a branch is given up."""

NEUTRAL = 1e-7
"""A multiplier this near to the unit circle is on it, to round-off: a mode that nothing damps."""

BESIDE = 1e-6
FACTOR = 50.0
"""A neighbour that begins so little beside is watched until its distance should have changed by this factor."""

WIDER = 1.3
"""A branch is followed until its parameter is so many times as large."""


@dataclass
class Found:
    """What came out for one structure."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, line: str) -> None:
        self.counts["wrong"] += 1
        self.failures.append(line)
        print(line, flush=True)


class TooLong(Exception):
    """Something takes longer than it may."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Give up what takes longer, in seconds of this process: others on the machine do not count."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def defect(orbit: ss.Orbit) -> tuple[float, str]:
    """By how much an orbit fails to close in the referee, but for its advance, beside what round-off comes to, and how
    the motion ends."""
    equations = Mechanics(orbit.model, orbit.start_time)
    state = orbit.state.tolist()
    sliding = equations.at(0.0, state, [1] * len(equations.contacts)).sliding
    modes = [0 if abs(v) < AT_REST else 1 if v > 0 else -1 for v in sliding]
    found = Referee(equations).motion(state, orbit.period, modes=modes)
    size = 1.0 + float(np.max(np.abs(state))) if state else 1.0
    growth = max(1.0, float(np.max(np.abs(orbit.multipliers), initial=0.0)))
    advanced = [orbit.advance.get(name, 0.0) for name in orbit.model.states]
    apart = np.max(np.abs(np.array(found.state) - orbit.state - advanced))
    return float(apart) / (size * growth), found.end


def stability_shows(orbit: ss.Orbit) -> bool | None:
    """Whether a motion that begins beside an orbit comes nearer, or goes away, as its multipliers say.

    None where they say too little: near 1, and without excitation, where a neighbour may also be ahead or behind.
    """
    largest = max(float(np.max(np.abs(orbit.nontrivial), initial=0.0)), 1e-2)
    if orbit.autonomous or 0.9 < largest < 1.1:
        return None
    periods = math.ceil(math.log(FACTOR) / abs(math.log(largest)))
    equations = Mechanics(orbit.model, orbit.start_time)
    beside = orbit.state + BESIDE * np.random.default_rng(1).choice([-1.0, 1.0], len(orbit.state))
    sliding = equations.at(0.0, orbit.state.tolist(), [1] * len(equations.contacts)).sliding
    modes = [0 if abs(v) < AT_REST else 1 if v > 0 else -1 for v in sliding]
    found = Referee(equations).motion(beside.tolist(), periods * orbit.period, modes=modes)
    if found.end != FINISHED:
        return None
    apart = float(np.max(np.abs(np.array(found.state) - orbit.state)))
    return apart < BESIDE if largest < 1 else apart > BESIDE


def drawn(seed: int, structure: int, numbers: int) -> Case:
    """A case in natural units from t = 0, of one frequency at most."""
    pieces = driven_structure(np.random.default_rng([seed, structure, 2 * 10**6]))
    case = replace(draw_case(pieces, np.random.default_rng([seed, structure, numbers])), units=Units(), origin=0.0)
    frequencies = [name for name in case.values if name.endswith((".w", ".u"))]
    one = {name: case.values[frequencies[0]] for name in frequencies}  # noqa: C420 - there may be none
    return replace(case, values={**case.values, **one}, label=f"{structure}:{numbers}")


def driven_structure(rng: np.random.Generator) -> Structure:
    """A small structure that something keeps in motion: a force in time, a base, or a belt."""
    while True:
        structure = draw_structure(rng)
        forms = {(piece.kind, piece.form) for piece in structure.pieces}
        driven = {("force", "wave"), ("base", "wave"), ("belt", "constant"), ("belt", "wave")} & forms
        few = len(structure.masses) <= 2 and len(structure.contacts) <= 2
        if driven and few and not any(form in ("waves", "beat", "square") for _, form in forms):
            return structure


def orbit_of(case: Case) -> ss.Orbit:
    """The orbit that the start of a case leads to."""
    system = case.system()
    return ss.find_orbit(system, case.start_in(system))


def judge_orbits(seed: int, structure: int, sets: int) -> Found:
    """Orbits of a structure with several parameter sets."""
    return _each(seed, structure, sets, lambda case, found: _judge_orbit(case, found, f"{seed}/{case.label}"))


def judge_branches(seed: int, structure: int, sets: int) -> Found:
    """Branches of orbits of a structure."""
    return _each(seed, structure, sets, lambda case, found: _judge_branch(case, found, f"{seed}/{case.label}"))


def _each(seed: int, structure: int, sets: int, judge: Callable[[Case, Found], None]) -> Found:
    found = Found()
    for numbers in range(sets):
        case = drawn(seed, structure, numbers)
        found.counts["systems"] += 1
        try:
            with at_most(PATIENCE), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                judge(case, found)
        except TooLong:
            found.counts["given up after a while"] += 1
        except ss.errors.OrbitError:
            found.counts["no orbit, said so"] += 1
        except ss.errors.ModelError:
            found.counts["refused"] += 1
        except Exception as error:  # a campaign goes on: what was raised is a finding
            found.fail(f"{seed}/{case.label} [{case.features}] raised {type(error).__name__}: {error}"[:300])
    return found


def _judge_orbit(case: Case, found: Found, label: str) -> ss.Orbit | None:
    orbit = orbit_of(case)
    found.counts["orbits, stable" if orbit.stable else "orbits, unstable"] += 1
    apart, end = defect(orbit)
    if end != FINISHED or not apart < CLOSES:
        found.fail(f"{label} [{case.features}] period {orbit.period:.9g} does not close: {apart:.2g}, {end}")
        return None
    found.counts["close in the referee"] += 1
    _check_stability(orbit, f"period {orbit.period:.9g}", case, found, label)
    return orbit


def _judge_branch(case: Case, found: Found, label: str) -> None:
    orbit = _judge_orbit(case, found, label)
    if orbit is None:
        return
    parameter = _parameter(case)
    value = float(orbit.model.parameters[parameter])
    branch = ss.follow(orbit, parameter, to=WIDER * value, most=60)
    found.counts["branches"] += 1
    for point in branch.special:
        found.counts[f"special: {point.kind}"] += 1
        if "sliding" in point.kind:  # there the motion touches another, and round-off decides which is followed
            continue
        _check_point(point.orbit, f"{point.kind} at {parameter} = {point.value:.9g}", case, found, label)
    stable = [one for one, is_stable in zip(branch.points, branch.stable, strict=True) if is_stable]
    for one in stable[:: max(1, len(stable) // 5)]:
        there = float(one.model.parameters[parameter])
        _check_point(one, f"stable point at {parameter} = {there:.9g}", case, found, label)
    for point in branch.special:
        _check_crossing(branch, point, case, found, label)
        for one in branch.points[max(0, point.after - 1) : point.after + 1]:
            there = float(one.model.parameters[parameter])
            if abs(there - point.value) < 1e-6 * abs(point.value):
                continue
            what = f"{parameter} = {there:.9g} beside the {point.kind} at {point.value:.9g}"
            _check_stability(one, what, case, found, label)


def _check_crossing(branch: ss.Branch, point: Any, case: Case, found: Found, label: str) -> None:
    """Where a multiplier is said to cross the unit circle, numbers outside or inside it differ between the sides."""
    before, after = branch.points[: point.after][-3:], branch.points[point.after :][:3]
    if "sliding" in point.kind or not before or not after:
        return
    outside = [{int(np.sum(np.abs(one.nontrivial) > 1 + NEUTRAL)) for one in side} for side in (before, after)]
    inside = [{int(np.sum(np.abs(one.nontrivial) < 1 - NEUTRAL)) for one in side} for side in (before, after)]
    found.counts["crossings looked at"] += 1
    if outside[0] == outside[1] and inside[0] == inside[1]:
        where = f"{point.kind} at {branch.parameter} = {point.value:.9g}"
        found.fail(f"{label} [{case.features}] {where}: no multiplier crosses, {outside[0]} outside on both sides")


def _check_stability(orbit: Any, what: str, case: Case, found: Found, label: str) -> None:
    shown = stability_shows(orbit)
    if shown is None:
        return
    found.counts["stability looked at"] += 1
    if not shown:
        said = "stable" if orbit.stable else "unstable"
        found.fail(f"{label} [{case.features}] {what} is said to be {said}, but its neighbours do not show it")


def _check_point(orbit: Any, what: str, case: Case, found: Found, label: str) -> None:
    apart, end = defect(orbit)
    found.counts["points"] += 1
    if end != FINISHED or not apart < CLOSES:
        found.fail(f"{label} [{case.features}] {what} does not close: {apart:.2g}, {end}")


def _parameter(case: Case) -> str:
    """A parameter to follow an orbit along: a belt's speed, an amplitude, else a load."""
    for ending in (".speed", ".a", ".normal", ".n", ".s", ".k"):
        for name in case.values:
            if name.endswith(ending):
                return name
    return next(iter(case.values))
