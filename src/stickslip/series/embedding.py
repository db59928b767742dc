"""Delay embedding, and what chooses it: mutual information for the delay, false neighbours for the dimension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from stickslip.arrays import Floats, Ints
from stickslip.errors import SeriesError
from stickslip.series.data import Series, need_series, whole
from stickslip.series.neighbours import nearest, spread_out
from stickslip.series.spectra import autocorrelation, mean_period

MOST_DIMENSIONS = 8
FEW_FALSE = 0.01
"""The share of false neighbours at which a dimension is enough."""

FAR = 15.0
LONELY = 2.0
"""Kennel, Brown and Abarbanel's two tolerances: growth of a distance by one more coordinate, and its size itself."""

REFERENCES = 2000
WINDOW = 2.0
"""Theiler's window, in mean periods: neighbours in time are not neighbours on the attractor."""


@dataclass(frozen=True)
class Embedding:
    """How a series is unfolded: delay, dimension, Theiler's window and mean period, in values.

    Parameters
    ----------
    delay : int
        From one coordinate to the next, in values.
    dimension : int
        Number of coordinates.
    window : int
        Theiler's window, in values: nearer ones in the series do not count as neighbours.
    period : float
        Mean period, in values.
    unfolded : bool, default True
        Whether `dimension` leaves less than 1 % false neighbours.

    See Also
    --------
    choose : An embedding for a series.
    embed : The points.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.series.Embedding(delay=7, dimension=3, window=100, period=50.0).span
    14
    """

    delay: int
    dimension: int
    window: int
    period: float
    unfolded: bool = True

    @property
    def span(self) -> int:
        """How far apart in the series the first and the last coordinate are, in values.

        Examples
        --------
        >>> Embedding(delay=7, dimension=3, window=100, period=50.0).span
        14
        """
        return (self.dimension - 1) * self.delay


def embed(series: Series, dimension: int | None = None, delay: int | None = None) -> xr.DataArray:
    """The series as a motion in space: x(t), x(t + delay), x(t + 2 delay), …

    Parameters
    ----------
    series : Series
        What is unfolded.
    dimension : int, optional
        Number of coordinates; by default the least without false neighbours.
    delay : int, optional
        In values; by default the first minimum of the mutual information, and 1 for series of events.

    Returns
    -------
    xarray.DataArray
        The points, along `time` (or `event`) and `coordinate`, in the unit of the series.

    Raises
    ------
    SeriesError
        If the series is too short, or an argument is no whole number.

    See Also
    --------
    choose : Delay and dimension alone.
    stickslip.plot.embedding : Draws the points.

    References
    ----------
    Takens: Lecture Notes in Mathematics 898 (1981) 366–381.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.series.embed(ss.series.Series([1.0, 2.0, 3.0, 4.0, 5.0], interval=0.5), dimension=2, delay=3).values
    array([[1., 4.],
           [2., 5.]])
    """
    series = need_series(series)
    if dimension is None or delay is None:
        chosen = choose(series, dimension, delay)
        dimension, delay = chosen.dimension, chosen.delay
    points = delayed(series.values, whole("embed: dimension", dimension), whole("embed: delay", delay))
    along = "time" if series.sampled else "event"
    attributes = series.attributes | {"delay": delay, "dimension": dimension}
    return xr.DataArray(
        points, {along: series.step * np.arange(len(points))}, (along, "coordinate"), "embedding", attributes
    )


def delayed(values: Floats, dimension: int, delay: int) -> Floats:
    """Points of an embedding, one per row."""
    count = len(values) - (dimension - 1) * delay
    if count < 1:
        raise SeriesError(f"{len(values)} values are too few for {dimension} coordinates with a delay of {delay}")
    return np.column_stack([values[i * delay : i * delay + count] for i in range(dimension)])


def mutual_information(series: Series, longest: int | None = None, bins: int | None = None) -> xr.Dataset:
    """What a value says about a later one, linear or not, in nats.

    The bias of the histogram, about (bins − 1)²/2N for independent values, is taken off: what is left may be below
    zero.

    Parameters
    ----------
    series : Series
        At least 20 values.
    longest : int, optional
        Longest lag, in values; by default three mean periods.
    bins : int, optional
        How many equally filled bins a value may be in; by default more for longer series.

    Returns
    -------
    xarray.Dataset
        `information` along `lag`. Attribute `delay`: the first minimum, in values, a good delay for an embedding; 0
        where there is none.

    Raises
    ------
    SeriesError
        If the series is too short, or an argument is no whole number.

    See Also
    --------
    autocorrelation : What is linear of it.
    stickslip.plot.mutual_information : Draws it.

    References
    ----------
    Fraser, Swinney: Physical Review A 33 (1986) 1134–1140.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> noise = ss.series.Series(np.random.default_rng(0).standard_normal(50_000))
    >>> bool(abs(ss.series.mutual_information(noise, 1)["information"][1]) < 0.003)
    True
    """
    series = need_series(series).long_enough(20, "mutual information")
    period, count = mean_period(series), len(series)
    last = int(3 * period) + 3 if longest is None else whole("mutual_information: longest", longest)
    last = min(last, count // 2)
    parts = max(4, round(np.sqrt(count) / 4)) if bins is None else whole("mutual_information: bins", bins, 2)
    ranks = np.empty(count, np.int64)
    ranks[np.argsort(series.values, kind="stable")] = np.arange(count)
    binned = ranks * parts // count
    information = np.array([_information(binned[: count - lag], binned[lag:], parts) for lag in range(last + 1)])
    lags = series.step * np.arange(last + 1)
    attributes = series.attributes | {"delay": _first_minimum(information, max(1, round(period / 16))), "bins": parts}
    return xr.Dataset({"information": ("lag", information)}, {"lag": lags}, attributes)


def _information(first: Ints, second: Ints, bins: int) -> float:
    """Σ p(a,b) ln p(a,b)/p(a)p(b), less its bias."""
    joint = np.bincount(first * bins + second, minlength=bins * bins).reshape(bins, bins) / len(first)
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    there = joint > 0
    # Miller and Madow: an entropy is too small by half the number of filled cells, less one, over N.
    bias = (np.sum(there) - 2 * bins + 1) / (2 * len(first))
    return float(np.sum(joint[there] * np.log(joint[there] / independent[there]))) - bias


def _first_minimum(values: Floats, around: int) -> int:
    """The first place lower than all places around it; ripples of the estimate are narrower than that."""
    for k in range(1, len(values) - around):
        if values[k] < values[k - 1] and values[k] <= np.min(values[max(0, k - around) : k + around + 1]):
            return k
    return 0


def false_neighbours(
    series: Series, delay: int | None = None, most: int = MOST_DIMENSIONS, window: int | None = None
) -> xr.Dataset:
    """How many neighbours are so only because too few coordinates are seen.

    Parameters
    ----------
    series : Series
        At least 50 values.
    delay : int, optional
        In values; by default as for `embed`.
    most : int, default 8
        Largest dimension that is looked at.
    window : int, optional
        Neighbours must be farther apart in the series than this, in values; by default two mean periods.

    Returns
    -------
    xarray.Dataset
        `fraction` along `dimension`. Attribute `dimension`: the first with less than 1 %; 0 where there is none, as for
        noise.

    Raises
    ------
    SeriesError
        If the series is too short or constant, or an argument is no whole number.

    See Also
    --------
    choose : An embedding with the dimension found here.
    stickslip.plot.false_neighbours : Draws them.

    References
    ----------
    Kennel, Brown, Abarbanel: Physical Review A 45 (1992) 3403–3411.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.1, 0.1]
    >>> for _ in range(3000): x.append(1 - 1.4 * x[-1] ** 2 + 0.3 * x[-2])      # Hénon's map has two coordinates
    >>> ss.series.false_neighbours(ss.series.Series(np.array(x[100:]))).attrs["dimension"]
    2
    """
    series = need_series(series).long_enough(50, "a count of false neighbours")
    delay = _delay(series) if delay is None else whole("false_neighbours: delay", delay)
    window = theiler_window(series) if window is None else whole("false_neighbours: window", window, 0)
    dimensions = [m for m in range(1, whole("false_neighbours: most", most) + 1) if len(series) - m * delay > 30]
    if not dimensions:
        raise SeriesError(f"{len(series)} values are too few for a delay of {delay}")
    fractions = np.array([_false(series, m, delay, window) for m in dimensions])
    enough = np.flatnonzero(fractions < FEW_FALSE)
    attributes = series.attributes | {
        "delay": delay,
        "window": window,
        "dimension": dimensions[enough[0]] if len(enough) else 0,
    }
    return xr.Dataset({"fraction": ("dimension", fractions)}, {"dimension": dimensions}, attributes)


def _false(series: Series, dimension: int, delay: int, window: int) -> float:
    """The share of nearest neighbours that one more coordinate puts far apart."""
    points = delayed(series.values, dimension + 1, delay)
    here = spread_out(len(points), REFERENCES)
    there, distance = nearest(points[:, :dimension], here, window)
    found = there >= 0
    further = np.abs(points[here[found], dimension] - points[there[found], dimension])
    near = np.maximum(distance[found], resolution(series))
    # A further coordinate that differs by round-off alone is no sign of a false neighbour.
    false = (further > FAR * near) | (np.hypot(further, near) > LONELY * series.spread)
    return float(np.mean(false)) if len(false) else 1.0


def resolution(series: Series) -> float:
    """Distances below this mean nothing: round-off, or the last digit of a measurement."""
    gaps = np.diff(np.unique(series.values))
    return max(1e-10 * series.spread, float(np.min(gaps, initial=np.inf)) if len(gaps) else 0.0)


def theiler_window(series: Series) -> int:
    """How far apart in the series neighbours must be (Theiler: Physical Review A 34 (1986) 2427)."""
    return min(int(np.ceil((WINDOW if series.sampled else 1.0) * mean_period(series))), len(series) // 10)


def _delay(series: Series) -> int:
    """The first minimum of the mutual information within a mean period; else where the autocorrelation has decayed."""
    if not series.sampled:
        return 1
    period = mean_period(series)
    delay = int(mutual_information(series).attrs["delay"])
    if 0 < delay <= period:
        return delay
    decay = float(autocorrelation(series).attrs["time"]) / series.step
    return max(1, round(min(decay, period / 4)) if np.isfinite(decay) else round(period / 4))


def choose(
    series: Series, dimension: int | None = None, delay: int | None = None, window: int | None = None
) -> Embedding:
    """An embedding for a series; what is given is kept.

    Parameters
    ----------
    series : Series
        What is to be unfolded.
    dimension : int, optional
        Number of coordinates; by default the least without false neighbours.
    delay : int, optional
        In values; by default the first minimum of the mutual information, and 1 for series of events.
    window : int, optional
        Theiler's window, in values; by default two mean periods (one for series of events).

    Returns
    -------
    Embedding
        Delay, dimension, window and mean period.

    Raises
    ------
    SeriesError
        If the series is too short or constant, or an argument is no whole number.

    See Also
    --------
    embed : The points themselves.
    mutual_information, false_neighbours : What the choice rests on.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = np.sin(np.arange(2000) * 0.1) + 0.3 * np.sin(np.arange(2000) * 0.2)
    >>> ss.series.choose(ss.series.Series(x, interval=0.1)).dimension
    2
    """
    series = need_series(series)
    delay = _delay(series) if delay is None else whole("delay", delay)
    window = theiler_window(series) if window is None else whole("window", window, 0)
    unfolded = True
    if dimension is None:
        counted = false_neighbours(series, delay, window=window)
        dimension, unfolded = int(counted.attrs["dimension"]), bool(counted.attrs["dimension"])
        if not unfolded:  # the best there is: noise has false neighbours in every dimension
            dimension = int(counted["dimension"].values[np.argmin(counted["fraction"].values)])
    return Embedding(delay, whole("dimension", dimension), window, mean_period(series), unfolded)
