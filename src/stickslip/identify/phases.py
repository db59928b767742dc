"""Stick phases in a measured record, and the forces at which they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Bools, Floats
from stickslip.errors import IdentifyError
from stickslip.frames import numbered
from stickslip.identify.errors import column, times
from stickslip.model.errors import check_number, check_whole

if TYPE_CHECKING:
    import pandas as pd

RELEASE = 2.0
"""A stick phase ends where the speed exceeds the threshold by this factor, unless it is said otherwise."""
WINDOW = 10


def sticking(velocity: Any, threshold: float, release: float | None = None, least: int = 2) -> list[tuple[int, int]]:
    """First and last sample of every stick phase.

    A phase begins where the speed falls below the threshold and ends where it exceeds the release speed, so noise does
    not cut it in pieces; both ends are the outermost samples below the threshold.

    Parameters
    ----------
    velocity : array_like of float
        Sliding velocities.
    threshold : float
        Speed below which a phase begins.
    release : float, optional
        Speed above which it ends; by default twice the threshold.
    least : int, default 2
        Phases of fewer samples are reversals, not rests.

    Returns
    -------
    list of tuple of int
        Numbers of the first and the last sample of each phase.

    Raises
    ------
    IdentifyError
        If the release speed is below the threshold, or the velocities are no numbers.
    ModelError
        If a speed is no positive number.

    See Also
    --------
    breakaways : Stick times and forces of the phases.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.identify.sticking([1.0, 0.5, 0.1, 0.0, 0.15, 0.0, 0.1, 0.6, 1.0], threshold=0.12)
    [(2, 6)]
    """
    speed = np.abs(column("velocity", velocity))
    low = check_number("threshold", threshold, positive=True)
    high = RELEASE * low if release is None else check_number("release", release, positive=True)
    if high < low:
        raise IdentifyError(f"release is {high:g}, below the threshold {low:g}: a phase would end before it begins")
    phases = []
    check_whole("least", least)
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
    """How long a contact stuck and at which force it broke away, per stick phase: what `breakaways` returns.

    Attributes
    ----------
    stick_time : array of float
        Stick times, in the unit of time of the record.
    force : array of float
        Sizes of the forces at which the contact broke away.
    error : array of float
        Standard error of each force, from the noise of the record.
    start : array of float
        When each phase began.
    end : array of float
        When each phase ended.
    ignored : int
        Stick phases that the record shows in part only.

    See Also
    --------
    breakaways : Makes them.
    aging : Fits their growth.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0, 4, 0.01)
    >>> v = np.where((t > 1) & (t < 3), 0.0, 1.0)
    >>> found = ss.identify.breakaways(t, v, np.where(v == 0, t - 1, 0.5), threshold=0.1)
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

    def to_dataframe(self) -> pd.DataFrame:
        """The stick phases as a table, a row for each.

        Returns
        -------
        pandas.DataFrame
            The columns stick_time, force, error, start and end.

        Examples
        --------
        >>> t = np.arange(0, 4, 0.01)
        >>> v = np.where((t > 1) & (t < 3), 0.0, 1.0)
        >>> breakaways(t, v, np.where(v == 0, t - 1, 0.5), threshold=0.1).to_dataframe()["force"].round(2).tolist()
        [2.0]
        """
        names = ("stick_time", "force", "error", "start", "end")
        return numbered({name: getattr(self, name) for name in names}, "stick")


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

    The force at the end of a phase is that of a straight line through its last samples, taken half a sample after the
    last one; the largest sample would be drawn upwards by noise. Phases that began before the record, or go on after
    it, are not counted, since their stick time is not known.

    Parameters
    ----------
    time : array_like of float
        Times of the samples, which rise.
    velocity : array_like of float
        Sliding velocities.
    force : array_like of float
        Friction forces.
    threshold : float
        Speed below which a stick phase begins: above the noise in stick.
    release : float, optional
        Speed above which it ends; by default twice the threshold.
    window : int, default 10
        Samples in the straight line.
    least : int, default 4
        Phases of fewer samples are reversals of the motion.

    Returns
    -------
    Breakaways
        Stick times and forces, for `aging`.

    Raises
    ------
    IdentifyError
        If the record has no whole stick phase, the window is below 3, or the columns do not fit together.
    ModelError
        If a speed is no positive number.

    See Also
    --------
    sticking : The phases alone.
    aging : Static friction over the time of stick.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0, 4, 0.01)
    >>> v = np.where((t > 1) & (t < 3), 0.0, 1.0)
    >>> len(ss.identify.breakaways(t, v, 0.5 * np.ones_like(t), threshold=0.1))
    1
    """
    t = times("time", time)
    v, lam = column("velocity", velocity, len(t)), column("force", force, len(t))
    check_whole("window", window, 3, why=": a straight line with an error needs three samples or more")
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
