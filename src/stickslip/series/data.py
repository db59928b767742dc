"""`Series`: one quantity, at equal times or once per event, from a run, a table or an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from stickslip.arguments import floats
from stickslip.arrays import Floats
from stickslip.errors import ModelError, SeriesError
from stickslip.model.errors import LARGEST, check_number, shown, suggest
from stickslip.result import check_run, evaluate, steps_of

SAMPLES_PER_CYCLE = 32
"""Samples of a run in a mean cycle where no interval is asked for: enough for directions of motion by differences."""

CHUNK = 20_000
"""Times evaluated at once: a polynomial has some twenty numbers for each of them."""

PER_CONTACT = ("slip_velocity", "force")
CHANGES = ("stick_to_slip", "slip_to_stick")


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity at equal intervals of time, or, without an interval, once per event or iterate of a map.

    Parameters
    ----------
    values : array_like of float
        The values, in `unit`: one row of finite numbers.
    interval : float, optional
        Time between two values, in `time_unit`; without one the values are events, or iterates of a map.
    name : str, default ""
        What the values are, as messages and pictures call them.
    unit : str, default ""
        Unit of the values.
    time_unit : str, default ""
        Unit of time.
    cycle : float, optional
        Mean time between events, in `time_unit`, where it is known.

    Raises
    ------
    SeriesError
        If the values are no row of finite numbers, or the interval is not positive.

    See Also
    --------
    from_run, from_events, from_csv : Series from runs and tables.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> ss.series.Series(np.sin(np.arange(100) * 0.1), interval=0.1, name="x", unit="m", time_unit="s")
    <Series x: 100 values, every 0.1 s>
    >>> ss.series.Series([0.1, 0.36, 0.92, 0.29], name="logistic")
    <Series logistic: 4 values, one per event>
    """

    values: Floats = field(repr=False)
    interval: float | None = None
    name: str = ""
    unit: str = ""
    time_unit: str = ""
    cycle: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _checked(self.values, self.name))
        if self.interval is not None:
            object.__setattr__(self, "interval", positive("the interval of a series", self.interval))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Series{' ' if self.name else ''}{self.name}: {len(self)} values, {self.pace}>"

    @property
    def sampled(self) -> bool:
        """Whether the values are samples of something that goes on between them, not events or iterates of a map.

        Examples
        --------
        >>> Series([0.1, 0.2], interval=0.5).sampled, Series([0.1, 0.2]).sampled
        (True, False)
        """
        return self.interval is not None

    @property
    def step(self) -> float:
        """From one value to the next: the interval, in `time_unit`, or 1, for one event.

        Examples
        --------
        >>> Series([0.1, 0.2], interval=0.5).step, Series([0.1, 0.2]).step
        (0.5, 1.0)
        """
        return 1.0 if self.interval is None else self.interval

    @property
    def clock(self) -> str:
        """What lags and rates are counted in: "s", "event", or "" for time without a unit.

        Examples
        --------
        >>> Series([0.1, 0.2], interval=0.5, time_unit="s").clock, Series([0.1, 0.2]).clock
        ('s', 'event')
        """
        return self.time_unit if self.sampled else "event"

    @property
    def pace(self) -> str:
        """How often there is a value, in words.

        Examples
        --------
        >>> Series([0.1, 0.2], interval=0.5, time_unit="s").pace
        'every 0.5 s'
        """
        return f"every {self.step:.6g} {self.time_unit}".rstrip() if self.sampled else "one per event"

    @property
    def attributes(self) -> dict[str, Any]:
        """What results say about the series they come from: name, unit, clock, interval and count.

        Examples
        --------
        >>> Series([0.1, 0.2], interval=0.5, name="x").attributes
        {'series': 'x', 'unit': '', 'clock': '', 'interval': 0.5, 'count': 2}
        """
        return {"series": self.name, "unit": self.unit, "clock": self.clock, "interval": self.step, "count": len(self)}

    @property
    def spread(self) -> float:
        """The standard deviation of the values, in `unit`.

        Raises
        ------
        SeriesError
            If the series is constant: then there is nothing to analyse.

        Examples
        --------
        >>> Series([1.0, 3.0]).spread
        1.0
        """
        spread = float(np.std(self.values))
        if spread <= 1e-14 * float(np.max(np.abs(self.values))):
            raise SeriesError(f"the series {self.name!r} is constant: there is nothing to analyse")
        return spread

    def long_enough(self, least: int, what: str) -> Series:
        """The series itself, if it has enough values.

        Parameters
        ----------
        least : int
            How many values are needed.
        what : str
            What they are needed for; the message begins with it.

        Returns
        -------
        Series
            The series.

        Raises
        ------
        SeriesError
            If there are fewer values.

        Examples
        --------
        >>> Series([1.0, 3.0]).long_enough(2, "a mean")
        <Series: 2 values, one per event>
        """
        if len(self) < least:
            raise SeriesError(f"{what} needs {least} values or more, and the series {self.name!r} has {len(self)}")
        return self


def _checked(values: ArrayLike, name: str) -> Floats:
    try:
        numbers = floats(f"the values of the series {name!r}", values)
    except ModelError:
        raise SeriesError(f"the values of the series {name!r} are not all numbers") from None
    if numbers.ndim != 1 or len(numbers) == 0:
        raise SeriesError(f"a series is a row of numbers: these have the shape {numbers.shape}")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise SeriesError(
            f"the series {name!r} has {len(bad)} values that are not finite, the first at place {bad[0]}: "
            "cut it there, or fill the gap"
        )
    return numbers


def positive(what: str, value: Any) -> float:
    """A positive number, or a sentence that says what it was instead."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not (0 < number < math.inf):
        raise SeriesError(f"{what} is {shown(value)}: it must be a positive number")
    return number


def whole(what: str, value: Any, least: int = 1) -> int:
    """A whole number, or a sentence that says what it was instead."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= LARGEST:
        raise SeriesError(f"{what} is {shown(value)}: it must be a whole number, {least} or more")
    return int(value)


def known(name: str, names: Sequence[str], what: str, where: str) -> str:
    """`name`, if it is one of `names`; else a sentence that suggests another."""
    if isinstance(name, str) and name in names:
        return name
    raise SeriesError(f"there is no {what} {name!r} in {where}{suggest(name, names)}")


def need_series(given: Any) -> Series:
    """What a verb is given, if it is a series; a bare array does not say how far apart its values are."""
    if isinstance(given, Series):
        return given
    raise SeriesError(
        f"a Series is needed, not {type(given).__name__}: make one by ss.series.from_run(run, 'x.block'), "
        "ss.series.from_csv(path, column), or ss.series.Series(values, interval=…)"
    )


def from_run(
    run: xr.Dataset,
    name: str,
    interval: float | None = None,
    *,
    after: float | None = None,
    until: float | None = None,
) -> Series:
    """One quantity of a run at equal times, evaluated exactly from the polynomials of its steps.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    name : str
        A state (x.block), or force or slip_velocity, with the contact where there are several (force.contact1).
    interval : float, optional
        Time between two values; by default there are 32 in a mean cycle.
    after : float, optional
        Leave out what comes before this time; by default nothing. A transient is best left out.
    until : float, optional
        Leave out what comes after this time; by default nothing.

    Returns
    -------
    Series
        The values, with the units of the run.

    Raises
    ------
    SeriesError
        If the run has no such quantity, or no such times.

    See Also
    --------
    from_events : One value per event.
    stickslip.interpolate : All states of a run at any times.

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=100)
    >>> ss.series.from_run(run, "x.block", interval=0.1, after=20)
    <Series x.block: 801 values, every 0.1>
    """
    first, last = _span(run, after, until)
    _place(run, name)
    step = positive("from_run: interval", interval) if interval is not None else _default_interval(run, name, first)
    count = int(np.floor((last - first) / step * (1 + 1e-12))) + 1
    times = np.minimum(first + step * np.arange(count), last)
    unit = str(run[name].attrs.get("units", "")) if name in run else ""
    return Series(sample(run, name, times), step, name, unit, str(run.attrs.get("time_unit", "")))


def _span(run: xr.Dataset, after: float | None, until: float | None) -> tuple[float, float]:
    steps = steps_of(run)
    begin, end = float(steps.start[0]), float(steps.start[-1] + steps.length[-1])
    first = begin if after is None else check_number("from_run: after", after)
    last = end if until is None else check_number("from_run: until", until)
    if not begin <= first < last <= end:
        raise SeriesError(f"from_run: {first:g} to {last:g} is no part of the run, which covers {begin:g} to {end:g}")
    return first, last


def _default_interval(run: xr.Dataset, name: str, first: float) -> float:
    """A part of the mean time between two crossings of the mean, upwards."""
    steps = steps_of(run)
    last = float(steps.start[-1] + steps.length[-1])
    times = np.linspace(first, last, max(1000, 4 * int(np.sum(steps.start >= first))))
    values = sample(run, name, times)
    above = values > np.mean(values)
    up = np.flatnonzero(~above[:-1] & above[1:])
    cycle = (times[up[-1]] - times[up[0]]) / (len(up) - 1) if len(up) > 1 else last - first
    return float(cycle) / SAMPLES_PER_CYCLE


def sample(run: xr.Dataset, name: str, times: Floats) -> Floats:
    """One quantity of a run at any times inside it."""
    steps, (group, place) = steps_of(run), _place(run, name)
    polynomials = getattr(steps, group)[:, place : place + 1]
    values = np.empty(len(times))
    for start in range(0, len(times), CHUNK):
        part = times[start : start + CHUNK]
        index = np.clip(np.searchsorted(steps.start, part, side="right") - 1, 0, len(steps) - 1)
        tau = np.clip(part - steps.start[index], 0.0, steps.length[index])
        values[start : start + CHUNK] = evaluate(polynomials[index], tau)[:, 0]
    return values


def _place(run: xr.Dataset, name: str) -> tuple[str, int]:
    """Where the polynomials of a quantity are."""
    states = [str(state) for state in run["state"].values]
    if isinstance(name, str) and name in states:
        return "state", states.index(name)
    contacts = [str(contact) for contact in run["contact"].values]
    group, _, contact = name.partition(".") if isinstance(name, str) else ("", "", "")
    if group in PER_CONTACT and (contact or len(contacts) == 1):
        return group, contacts.index(known(contact or contacts[0], contacts, "contact", "this run"))
    quantities = [f"{group}.{contact}" for group in PER_CONTACT for contact in contacts]
    return "state", states.index(known(name, [*states, *quantities], "quantity", "this run"))


def from_events(run: xr.Dataset, name: str, change: str = "stick_to_slip", contact: str | None = None) -> Series:
    """A state of a run at its events, one value per event: a series of return points.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    name : str
        A state, such as x.block.
    change : {"stick_to_slip", "slip_to_stick"}, default "stick_to_slip"
        Which events: where contacts are released, or where they come to rest.
    contact : str, optional
        Whose events; those of all contacts by default.

    Returns
    -------
    Series
        The values, without an interval; `cycle` is the mean time between the events.

    Raises
    ------
    SeriesError
        If the run has no such state, contact or event.

    See Also
    --------
    from_run : Values at equal times.
    stickslip.return_map : Release points of many motions.

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=100)
    >>> releases = ss.series.from_events(run, "x.block")
    >>> len(releases), round(releases.cycle, 6)
    (8, 12.001031)
    """
    check_run(run)
    states = [str(state) for state in run["state"].values]
    place = states.index(known(name, states, "state", "this run"))
    known(change, CHANGES, "change", "a list of events")
    before, after = (run[f"event_{side}"].values == 0 for side in ("before", "after"))
    chosen = (before & ~after) if change == "stick_to_slip" else (after & ~before)
    if contact is not None:
        contacts = [str(each) for each in run["contact"].values]
        chosen &= run["event_contact"].values == known(contact, contacts, "contact", "this run")
    if not chosen.any():
        raise SeriesError(f"this run has no event of the kind {change}")
    times = run["event_time"].values[chosen]
    cycle = float(times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None
    unit = str(run[name].attrs.get("units", ""))
    values = run["event_state"].values[chosen, place]
    return Series(values, None, name, unit, str(run.attrs.get("time_unit", "")), cycle)
