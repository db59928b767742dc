"""Stick phases in a measured record, and the forces at which they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.errors import IdentifyError
from stickslip.identify.errors import Bools, Floats, column, times
from stickslip.model.errors import check_number

RELEASE = 2.0
"""A stick phase ends where the speed exceeds the threshold by this factor, unless it is said otherwise."""
WINDOW = 10


def sticking(velocity: Any, threshold: float, release: float | None = None, least: int = 2) -> list[tuple[int, int]]:
    """First and last sample of every stick phase.

    A phase begins where the speed falls below `threshold` and ends where it exceeds `release` (twice as much if it is
    not given), so noise does not cut it in pieces; both ends are the outermost samples below the threshold. Phases of
    fewer than `least` samples are reversals, not rests.

    >>> sticking([1.0, 0.5, 0.1, 0.0, 0.15, 0.0, 0.1, 0.6, 1.0], threshold=0.12)
    [(2, 6)]
    """
    speed = np.abs(column("velocity", velocity))
    low = check_number("threshold", threshold, positive=True)
    high = RELEASE * low if release is None else check_number("release", release, positive=True)
    if high < low:
        raise IdentifyError(f"release is {high:g}, below the threshold {low:g}: a phase would end before it begins")
    phases = []
    slow, fast = np.flatnonzero(speed < low), np.flatnonzero(speed > high)
    at = 0
    while at < len(slow):
        first = slow[at]
        place = np.searchsorted(fast, first)
        until = fast[place] if place < len(fast) else len(speed)
        following = int(np.searchsorted(slow, until))
        last = slow[following - 1]
        if last - first + 1 >= least:
            phases.append((int(first), int(last)))
        at = following
    return phases


def marked(phases: list[tuple[int, int]], count: int) -> Bools:
    """Which of `count` samples belong to a phase.

    >>> marked([(1, 2)], 4).tolist()
    [False, True, True, False]
    """
    mask = np.zeros(count, dtype=bool)
    for first, last in phases:
        mask[first : last + 1] = True
    return mask


@dataclass(frozen=True, eq=False)
class Breakaways:
    """How long a contact stuck and at which force it broke away: one entry per stick phase, as sizes.

    `error` is the standard error of each force, from the noise of the record. `ignored` counts stick phases that the
    record shows in part only.

    >>> t = np.arange(0, 4, 0.01)
    >>> v = np.where((t > 1) & (t < 3), 0.0, 1.0)
    >>> found = breakaways(t, v, np.where(v == 0, t - 1, 0.5), threshold=0.1)
    >>> found.stick_time.round(2).tolist(), found.force.round(2).tolist()
    ([1.99], [2.0])
    """

    stick_time: Floats
    force: Floats
    error: Floats
    start: Floats
    end: Floats
    ignored: int

    def __len__(self) -> int:
        return len(self.force)


def breakaways(
    time: Any,
    velocity: Any,
    force: Any,
    *,
    threshold: float,
    release: float | None = None,
    window: int = WINDOW,
    least: int = 4,
) -> Breakaways:
    """Stick times and breakaway forces from a record of the sliding velocity and the friction force.

    Returns `Breakaways`, for `aging`.

    `threshold` and `release`: speeds below which a stick phase begins and above which it ends. The force at its end is
    that of a straight line through its last `window` samples, taken half a sample after the last one; the largest
    sample would be drawn upwards by noise. `least`: shorter phases are reversals of the motion.

    Phases that began before the record, or go on after it, are not counted, since their stick time is not known.

    >>> t = np.arange(0, 4, 0.01)
    >>> v = np.where((t > 1) & (t < 3), 0.0, 1.0)
    >>> len(breakaways(t, v, 0.5 * np.ones_like(t), threshold=0.1))
    1
    """
    t = times("time", time)
    v, lam = column("velocity", velocity, len(t)), column("force", force, len(t))
    if window < 3:
        raise IdentifyError(f"window is {window}: a straight line with an error needs three samples or more")
    phases = sticking(v, threshold, release, least)
    whole = [(first, last) for first, last in phases if first > 0 and last < len(t) - 1]
    if not whole:
        raise IdentifyError(
            f"the record has no whole stick phase at threshold = {threshold:g}: its slowest speed is "
            f"{float(np.min(np.abs(v))):.3g}; choose a threshold between the noise in stick and the speeds in slip"
        )
    ends = [_at_end(t, lam, first, last, window) for first, last in whole]
    start = np.array([(t[first - 1] + t[first]) / 2 for first, _ in whole])
    end = np.array([(t[last] + t[last + 1]) / 2 for _, last in whole])
    forces, errors = np.array(ends).T
    return Breakaways(end - start, forces, errors, start, end, len(phases) - len(whole))


def _at_end(t: Floats, force: Floats, first: int, last: int, window: int) -> tuple[float, float]:
    """Size and standard error of the force where a stick phase ends: between its last sample and the next."""
    used = slice(max(first, last - window + 1), last + 1)
    size = np.sign(np.mean(force[used])) * force[used]
    since = t[used] - (t[last] + t[last + 1]) / 2
    if len(size) < 3:
        return float(np.mean(size)), float("nan")
    columns = np.column_stack([np.ones_like(since), since])
    (value, slope), *_ = np.linalg.lstsq(columns, size, rcond=None)
    rest = size - value - slope * since
    variance = float(rest @ rest) / (len(size) - 2)
    return float(value), float(np.sqrt(variance * np.linalg.inv(columns.T @ columns)[0, 0]))
