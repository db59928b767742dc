"""The cycle a run has settled on, and how far two cycles are apart: the error measure of the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from stickslip.arguments import check_flag
from stickslip.arrays import Floats
from stickslip.errors import ResultError
from stickslip.model.errors import check_number, check_whole, check_word, listed_names, shown, suggest
from stickslip.result import Steps, sample_times, sampled, steps_of

MOST_POINTS = 10**7
"""Samples of one period; more take gigabytes."""

MOST_MAXIMA = 64
"""Maxima of the position that are looked at, counted from the end; longer periods are not found."""


@dataclass(frozen=True)
class Cycle:
    """One period of a run: its length, and the states at evenly spaced times, from the maximum of a position on."""

    period: float
    start: float
    states: tuple[str, ...]
    samples: Floats


def last_cycle(run: xr.Dataset, mass: str, *, points: int = 200, tolerance: float = 1e-6) -> Cycle:
    """The last period of a run, which begins where the position of a mass is largest.

    That is where its velocity goes from + to −. The period is the shortest after which all states return.

    Parameters
    ----------
    run : Run
        The run, with its step polynomials.
    mass : str
        The name of the mass.
    points : int, default 200
        How many samples in the period.
    tolerance : float, default 1e-6
        How closely all states must return after a period, relative to their range.

    Returns
    -------
    Cycle
        Its `period`, its `start`, and `samples` of the `states` at evenly spaced times.

    Raises
    ------
    ResultError
        If there is no such mass, or the run has no step polynomials, has not settled, or has come to rest.

    See Also
    --------
    orbit_error : two cycles compared.
    find_orbit : a periodic orbit solved for, to round-off.

    Examples
    --------
    >>> import stickslip as ss
    >>> cycle = last_cycle(ss.simulate(ss.models.block_on_belt(), t=60), "block")
    >>> round(cycle.period, 8)
    12.00103129
    """
    points = check_whole("points", points, 1, MOST_POINTS)
    check_number("tolerance", tolerance, positive=True)
    times = maxima(run, mass)[-MOST_MAXIMA:]
    if len(times) < 2:
        raise ResultError("the run has no cycle: its velocity does not pass from + to − twice; simulate longer")
    steps, names = steps_of(run), [str(name) for name in run["state"].values]
    position = names.index(f"x.{mass}")
    at = sampled(steps, times)["state"]
    count = _returning(steps, times, at, tolerance)
    begin = len(times) - 2 * count  # a whole period of maxima, each with its return in the run
    first = begin + int(np.argmax(at[begin : begin + count, position]))
    period = float(times[first + count] - times[first])
    samples = sampled(steps, times[first] + period * np.arange(points) / points)["state"]
    return Cycle(period, float(times[first]), tuple(names), samples)


def maxima(run: xr.Dataset, mass: str) -> Floats:
    """The times at which x.`mass` has a maximum: v.`mass` goes from + to −.

    >>> import stickslip as ss
    >>> maxima(ss.simulate(ss.models.block_on_belt(), t=30), "block").round(6).tolist()
    [11.762404, 23.763435]
    """
    steps_of(run)  # says so where there are none
    names = [str(name) for name in run["state"].values]
    if f"v.{mass}" not in names:
        raise ResultError(f"the run has no mass {shown(mass)}; its states are {', '.join(names)}")
    return crossings(run, f"v.{mass}", direction="down")


def crossings(
    run: xr.Dataset, quantity: str, value: float = 0.0, direction: str = "up", *, closed: bool = False
) -> Floats:
    """The times at which a state, or the sliding velocity of a contact, passes a value.

    Where the run is `closed`, one period of an orbit, what happens where it closes is counted once.

    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=30)
    >>> crossings(run, "v.block", direction="down").round(6).tolist()
    [11.762404, 23.763435]
    """
    steps = steps_of(run)
    value = check_number("value", value)
    row, column = _observed(run, quantity)
    times = sample_times(steps)

    def distance(t: Floats) -> Floats:
        return np.asarray(sampled(steps, t)[row][:, column] - value, float)

    above = distance(times) > 0
    if closed:
        above[-1] = above[0]
    wanted = {"up": ~above[:-1] & above[1:], "down": above[:-1] & ~above[1:], "both": above[:-1] != above[1:]}
    check_word("direction", direction, tuple(wanted))
    found = [_passage(distance, times[i], times[i + 1]) for i in np.nonzero(wanted[direction])[0]]
    return np.array(found, float)


def _passage(distance: Callable[[Floats], Floats], low: float, high: float) -> float:
    """The zero between two times; the later one where round-off leaves none."""
    if distance(np.array([low, high])).prod() > 0:
        return float(high)
    return float(brentq(lambda t: float(distance(np.array([t]))[0]), low, high, xtol=1e-15, rtol=1e-15))


def _observed(run: xr.Dataset, quantity: str) -> tuple[str, int]:
    """Where samples have a state, or the sliding velocity of a contact."""
    states, contacts = ([str(name) for name in run[what].values] for what in ("state", "contact"))
    if quantity in states:
        return "state", states.index(quantity)
    if quantity in contacts:
        return "slip_velocity", contacts.index(quantity)
    known = [*states, *contacts]
    raise ResultError(f"there is no state or contact {shown(quantity)}{suggest(str(quantity), known)}")


def _returning(steps: Steps, times: Floats, at: Floats, tolerance: float) -> int:
    """How many maxima make up the period."""
    closest = np.inf
    for count in range(1, len(times) // 2 + 1):
        inside = sampled(steps, np.linspace(times[-1 - count], times[-1], 100))["state"]
        distance = float(np.max(np.abs(at[-1] - at[-1 - count]) / np.ptp(inside, axis=0)))
        if distance <= tolerance:
            return count
        closest = min(closest, distance)
    raise ResultError(
        f"the run has not settled on a cycle: after up to {len(times) // 2} maxima the states return to within "
        f"{closest:.2g} of their range at best, and {tolerance:g} is asked for; simulate longer, or allow more"
    )


def orbit_error(
    run: xr.Dataset,
    exact: xr.Dataset,
    mass: str,
    *,
    states: Sequence[str] | None = None,
    points: int = 200,
    tolerance: float = 1e-6,
    period: bool = True,
) -> float:
    """The relative error of the cycle of a run against that of an exact one: vandevrande1999 Eqs. (5) and (19).

    e² = (Σ‖zᵢ − zᵢ,exact‖² + (P − P_exact)²) / (Σ‖zᵢ,exact‖² + P_exact²)

    Both cycles are sampled at `points` fractions of their own period P, from the maximum of the position of `mass` on.

    Parameters
    ----------
    run : Run
        The run whose error is asked for.
    exact : Run
        The run that it is compared with.
    mass : str
        The name of the mass where cycles begin.
    states : sequence of str, optional
        Which states count; all by default.
    points : int, default 200
        How many samples in a period.
    tolerance : float, default 1e-6
        How closely all states must return after a period, relative to their range.
    period : bool, default True
        Whether the periods count; without them this is awrejcewicz2002 Eq. (16).

    Returns
    -------
    float
        The error e, dimensionless.

    Raises
    ------
    ResultError
        If there is no such mass or state, or a run has no step polynomials, has not settled, or has come to rest.

    See Also
    --------
    last_cycle : the cycles.
    compare : several methods at once.

    Examples
    --------
    >>> import stickslip as ss
    >>> belt = ss.models.block_on_belt()
    >>> smoothed = ss.simulate(belt, t=50, method=ss.Smoothing(eps=1e2))
    >>> round(orbit_error(smoothed, ss.simulate(belt, t=50), "block"), 2)
    0.29
    """
    ours, theirs = (last_cycle(r, mass, points=points, tolerance=tolerance) for r in (run, exact))
    states = None if states is None else listed_names("states", states)
    check_flag("period", period)
    for name in states or ():
        if name not in theirs.states or name not in ours.states:
            raise ResultError(f"the run has no state {name!r}; there are: {', '.join(theirs.states)}")
    chosen = list(states) if states is not None else list(theirs.states)
    z = ours.samples[:, [ours.states.index(name) for name in chosen]]
    z_exact = theirs.samples[:, [theirs.states.index(name) for name in chosen]]
    above, below = np.sum((z - z_exact) ** 2), np.sum(z_exact**2)
    if period:
        above, below = above + (ours.period - theirs.period) ** 2, below + theirs.period**2
    return float(np.sqrt(above / below))
