"""Observations that take a computation of their own at every point: the largest exponent, the signature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.arrays import Ints
from stickslip.field import Field
from stickslip.kernels.outcome import FINISHED
from stickslip.model.system import Model
from stickslip.orbits import signature
from stickslip.orbits.motion import Motion
from stickslip.sweeps.exponents import Window, cycle_length, exponent_of_cycle, largest_exponent
from stickslip.sweeps.layout import NO_PERIOD, NUMBER, SMALL, WHOLE, Layout, Results, Sweep
from stickslip.sweeps.observation import LargestExponent, Measured, Named, Signature
from stickslip.sweeps.packed import Words, places, source_of, unfolded
from stickslip.sweeps.sequences import begun_alike, kinds_of
from stickslip.sweeps.trajectories import Group, Settings, changes_of_mode

PHASES, MODES = ".phases", ".modes"
LAST = ("end_state", "end_mode", "time", "period", "n")
"""What is known of how a motion ended."""

MOST_PHASES = 512
"""Phases of a signature: a motion with more in one period has none."""

SAME = 1e-6
"""Events nearer to the end of a period than this part of it belong to the next one."""

LAST_PERIODS = 2.1
"""So many of them are looked at: one that ends with an event is among them."""


def measured_layout(model: Model, name: str, what: Measured) -> dict[str, Layout]:
    """The arrays of an observation; a signature is kept as rows of modes, one for each of its phases."""
    if isinstance(what, LargestExponent):
        units = f"1/{model.time_unit}" if what.per == "time" and model.time_unit else ""
        per = "unit time" if what.per == "time" else what.per
        words = f"largest Lyapunov exponent, per {per}"
        return {
            name: Layout((), NUMBER, np.nan, description=words, units=units, per=per),
            f"{name}_error": Layout((), NUMBER, np.nan, description=f"error of {name}", units=units),
        }
    count = f"{name}{PHASES}"
    rows: dict[str, Any] = {"counted_by": count, "most": MOST_PHASES}
    return {
        count: Layout((), WHOLE, 0),
        f"{name}{MODES}": Layout((len(model.contacts),), SMALL, 0, (f"{name}.phase", "contact"), **rows),
    }


def exponents(
    name: str, what: LargestExponent, motion: Motion, settings: Settings, found: Results, group: Group
) -> Results:
    """The largest exponent of motions whose sums are known, one after another.

    They go on from where they have ended: for a cycle where they repeat themselves, which says it all, else for as long
    as they were observed. Without the shortcut, or where there is more to them than their state, they are run again.
    """
    pairs = np.full((len(group), 2), np.nan)
    goes_on = settings.shortcut and bool(motion.field.program.kernels.repeat.WITHOUT_MEMORY)
    for i in np.nonzero(found["status"] == FINISHED)[0]:
        own = motion.with_parameters(group.parameters[i])
        begin, end = float(group.times[i, 0]), float(group.times[i, 1])
        if goes_on:
            point = {key: found[key][i] for key in LAST}
            pair = _of_cycle(own, what, point) if point["period"] > 0 else None
            start, window = own.at_rest(point["end_state"], end, point["end_mode"]), Window.after(end, end - begin)
        else:
            held = [int(not rests) for rests in group.held[i]]
            pair, start, window = None, own.at_rest(found["start_state"][i], 0.0, held), Window(0.0, begin, end)
        pairs[i] = pair or largest_exponent(own, start, window, what.per, settings.most_steps)
    return {name: pairs[:, 0], f"{name}_error": pairs[:, 1]}


def _of_cycle(motion: Motion, what: LargestExponent, point: Results) -> tuple[float, float] | None:
    """The largest exponent from the cycle of a motion, in the units that are asked for, and its error."""
    length = cycle_length(motion, what.per)
    period, releases = float(point["period"]), int(point["n"])
    if length is None and releases <= 0:
        return None
    cycles = period / length if length is not None else releases
    pair = exponent_of_cycle(motion, point["end_state"], point["end_mode"].tolist(), float(point["time"]), period)
    return None if pair is None else (pair[0] / cycles, pair[1] / cycles)


def signatures(name: str, field: Field, settings: Settings, found: Results, group: Group) -> Results:
    """The modes of all contacts in one period of every motion, phase by phase; none where it has no period.

    Motions with a period go on for two more, in which all changes of mode are recorded.
    """
    finished = (found["status"] == FINISHED) & (found["m"] != NO_PERIOD)
    still = finished & (found["events"] == 0)
    moving = finished & ~still & (found["period"] > 0)
    counts = still.astype(np.int64)
    cycles = np.empty((0, found["end_mode"].shape[1]), np.int8)
    if moving.any():
        known = {key: found[key][moving] for key in ("period", "events", "end_state", "end_mode")}
        counts[moving], cycles = _cycles(field, settings, group[moving], known)
    owner = np.repeat(np.arange(len(group)), counts)
    modes = np.empty((len(owner), cycles.shape[1]), np.int8)
    modes[still[owner]], modes[moving[owner]] = found["end_mode"][still], cycles
    return {f"{name}{PHASES}": counts, f"{name}{MODES}": modes}


def _cycles(field: Field, settings: Settings, group: Group, found: Results) -> tuple[Ints, NDArray[np.int8]]:
    """How many phases one period of each motion has, and the modes in all of them, packed, begun where they read
    smallest."""
    period = found["period"]
    seen = _changes_in_last_periods(field, settings, group, found)
    count = seen["count"]
    owner = np.repeat(np.arange(len(count)), count)
    last = np.cumsum(count)[count > 0] - 1
    end = np.full(len(count), np.nan)
    end[count > 0] = seen["time"][last]
    chosen = seen["time"] > (end - period * (1 - SAME))[owner]  # one period, up to the last event
    owner, moment = owner[chosen], seen["time"][chosen]
    modes = _modes_after(owner, seen["contact"][chosen], seen["mode"][chosen], seen["end_mode"])
    whole = np.append((np.diff(owner) > 0) | (np.diff(moment) > 0), True)  # all that changes at a time is one phase
    owner, modes = owner[whole], modes[whole]
    phases = np.bincount(owner, minlength=len(count))
    fits = (phases <= MOST_PHASES) & ~seen["truncated"]
    phases = np.where(fits, phases, 0)
    return phases, begun_alike(phases, modes[fits[owner]])


def _changes_in_last_periods(field: Field, settings: Settings, group: Group, found: Results) -> Results:
    """All changes of mode in some more periods.

    Motions go on from where they have ended; where there is more to them than their state, they are run again.
    """
    limit = int(LAST_PERIODS + 1) * MOST_PHASES * group.held.shape[1]
    begin, end, length = *group.times[:, :2].T, LAST_PERIODS * found["period"]
    times = group.times.copy()
    program = (settings.lockstep and field.lanes) or field.program
    if program.kernels.repeat.WITHOUT_MEMORY:
        times[:, 0], times[:, 1] = end, end + length
        group = replace(group, starts=found["end_state"], held=found["end_mode"] == 0, times=times, begins=end)
    else:
        times[:, 0] = np.maximum(end - length, 0.0)
        group = replace(group, times=times)
    # As many as there were before, if the motion has not changed; else there is room for all.
    expected = int(np.max(found["events"] * length / (end - begin)))
    seen: Results = {}
    for most in (min(2 * expected + 8, limit), limit):
        seen = changes_of_mode(field, replace(settings, most=most), group)
        if not seen["truncated"].any():
            break
    return seen


def _modes_after(owner: Ints, contact: Ints, mode: Ints, end_mode: Ints) -> NDArray[np.int8]:
    """The modes of all contacts after every change; one that has not changed yet has the mode of the end, a period
    before.

    >>> change = np.array([0, 0, 0]), np.array([0, 1, 0]), np.array([0, 1, -1])
    >>> _modes_after(*change, np.array([[-1, 1]])).tolist()
    [[0, 1], [0, 1], [-1, 1]]
    """
    modes = np.empty((len(owner), end_mode.shape[1]), np.int8)
    place = np.arange(len(owner))
    for each in range(end_mode.shape[1]):
        latest = np.maximum.accumulate(np.where(contact == each, place, -1))
        own = (latest >= 0) & (owner[latest] == owner)
        modes[:, each] = np.where(own, mode[latest], end_mode[owner, each])
    return modes


def in_words(data: Sweep, observations: Named) -> Sweep:
    """Signatures as text, in place of their modes; each of those that differ is put into words once."""
    for name in [name for name, what in observations if isinstance(what, Signature)]:
        contacts = tuple(str(contact) for contact in data["contact"].values)
        counts, modes = data[f"{name}{PHASES}"], _one_after_another(data, name)
        lengths = counts.values.ravel()
        one_of, kind = kinds_of(lengths, modes)
        first = places(lengths)[:-1]
        words = [_words(contacts, modes[first[one] : first[one] + lengths[one]]) for one in one_of]
        data = data.drop_vars([f"{name}{PHASES}", f"{name}{MODES}"])
        about = {"long_name": "modes in one period of the motion; empty: no period found"}
        data[name] = (counts.dims, Words(counts.shape, words, kind).found, about)
    return data


def _one_after_another(data: Sweep, name: str) -> NDArray[np.int8]:
    """The modes of all motions, packed in the order of the points."""
    counts, modes = data[f"{name}{PHASES}"].values.ravel(), data.variables[f"{name}{MODES}"]
    source = source_of(modes)
    if source is not None:
        rows, packed = source
        return packed if rows.ragged.is_in_order else unfolded(packed, rows.ragged)
    lines = modes.values.reshape(counts.size, -1, modes.shape[-1])
    return np.asarray(lines[np.arange(lines.shape[1]) < counts[:, None]])


def _words(contacts: tuple[str, ...], modes: NDArray[Any]) -> str:
    """A signature as text."""
    return str(signature.Signature(contacts, tuple(map(tuple, modes.tolist())), ())) if len(modes) else ""
