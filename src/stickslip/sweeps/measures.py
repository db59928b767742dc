"""Observations that take a computation of their own at every point: the largest exponent, the signature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.kernels.outcome import FINISHED
from stickslip.model.system import Model
from stickslip.orbits import signature
from stickslip.orbits.motion import Motion
from stickslip.sweeps.exponents import largest_exponent
from stickslip.sweeps.layout import NO_PERIOD, NUMBER, SMALL, WHOLE, Layout, Results, Sweep
from stickslip.sweeps.observation import LargestExponent, Measured, Named, Signature
from stickslip.sweeps.trajectories import Group, Settings

PHASES, MODES = ".phases", ".modes"
MOST_PHASES = 512
"""Phases of a signature: a motion with more in one period has none."""

SAME = 1e-6
"""Events nearer to the end of a period than this part of it belong to the next one."""


def measured_layout(model: Model, name: str, what: Measured) -> dict[str, Layout]:
    """The arrays of an observation; a signature is kept as rows of modes, one for each of its phases."""
    if isinstance(what, LargestExponent):
        units = f"1/{model.time_unit}" if what.per == "time" and model.time_unit else ""
        per = "unit time" if what.per == "time" else what.per
        words = f"largest Lyapunov exponent, per {per}"
        return {
            name: Layout((), NUMBER, np.nan, description=words, units=units, per=per),
            f"{name}_error": Layout((), NUMBER, np.nan, description=f"standard error of {name}", units=units),
        }
    count = f"{name}{PHASES}"
    rows: dict[str, Any] = {"counted_by": count, "most": MOST_PHASES}
    return {
        count: Layout((), WHOLE, 0),
        f"{name}{MODES}": Layout((len(model.contacts),), SMALL, 0, (f"{name}.phase", "contact"), **rows),
    }


def measured(
    name: str,
    what: Measured,
    motion: Motion,
    settings: Settings,
    found: Results,
    group: Group,
) -> Results:
    """An observation of motions whose sums are known."""
    motions = [motion.with_parameters(row) for row in group.parameters]
    if isinstance(what, LargestExponent):
        pairs = np.full((len(motions), 2), np.nan)
        for i in np.nonzero(found["status"] == FINISHED)[0]:
            start = motions[i].at_rest(found["start_state"][i], 0.0, [int(not rests) for rests in group.held[i]])
            begin, end = float(group.times[i, 0]), float(group.times[i, 1])
            pairs[i] = largest_exponent(motions[i], start, begin, end, what.per, settings.most_steps)
        return {name: pairs[:, 0], f"{name}_error": pairs[:, 1]}
    modes = [_modes(motions[i], found, i) for i in range(len(motions))]
    return {f"{name}{PHASES}": np.array([len(m) for m in modes], np.int64), f"{name}{MODES}": np.concatenate(modes)}


def _modes(motion: Motion, found: Results, i: int) -> NDArray[np.int8]:
    """The modes of all contacts in one period of a motion, phase by phase; none where it has no period."""
    none = np.zeros((0, motion.contacts), np.int8)
    period, time = float(found["period"][i]), float(found["time"][i])
    if found["status"][i] != FINISHED:
        return none
    if found["events"][i] == 0 and found["m"][i] != NO_PERIOD:
        return np.asarray(found["end_mode"][i : i + 1], np.int8)
    if not period > 0:
        return none
    start = motion.at_rest(found["end_state"][i], time, found["end_mode"][i])
    run = motion.run(start, time, 2 * period)
    events = run.events[run.events[:, 0] > time + 0.25 * period]  # where it was cut is forgotten by then
    if not run.status.finished or len(events) == 0:
        return none
    begin = float(events[0, 0])
    mode = run.start_mode.copy()
    for row in run.events[run.events[:, 0] < begin]:
        mode[int(row[1])] = int(row[3])
    phases = []
    for moment in np.unique(events[events[:, 0] < begin + period * (1 - SAME), 0]):
        for row in events[events[:, 0] == moment]:
            mode[int(row[1])] = int(row[3])
        phases.append(mode.copy())
    return _begun_alike(np.array(phases, np.int8)) if len(phases) <= MOST_PHASES else none


def _begun_alike(modes: NDArray[np.int8]) -> NDArray[np.int8]:
    """The cycle of modes begun where it reads smallest, stick before slip: equal cycles then have equal words.

    >>> _begun_alike(np.array([[-1], [0]], np.int8)).ravel().tolist()
    [0, -1]
    """
    turns = [np.roll(modes, -k, axis=0) for k in range(len(modes))]
    return min(turns, key=lambda turn: [abs(mode) * 2 + (mode < 0) for mode in turn.ravel().tolist()])


def in_words(data: Sweep, observations: Named) -> Sweep:
    """Signatures as text, in place of their modes."""
    for name in [name for name, what in observations if isinstance(what, Signature)]:
        contacts = tuple(str(contact) for contact in data["contact"].values)
        counts, modes = data[f"{name}{PHASES}"], data[f"{name}{MODES}"].values
        words = [
            str(signature.Signature(contacts, tuple(tuple(int(m) for m in mode) for mode in rows[:count]), ()))
            if count
            else ""
            for rows, count in zip(modes.reshape(counts.size, *modes.shape[-2:]), counts.values.ravel(), strict=True)
        ]
        data = data.drop_vars([f"{name}{PHASES}", f"{name}{MODES}"])
        text = np.array(words, dtype=np.str_).reshape(counts.shape)
        data[name] = (counts.dims, text, {"long_name": "modes in one period of the motion; empty: no period found"})
    return data
