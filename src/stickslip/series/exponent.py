"""`largest_exponent`: how fast neighbouring motions part, from a series alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from stickslip.arrays import Floats, Ints
from stickslip.errors import SeriesError
from stickslip.series import scaling
from stickslip.series.data import Series, need_series, whole
from stickslip.series.embedding import Embedding, choose, delayed, resolution
from stickslip.series.neighbours import nearest, spread_out

REFERENCES = 3000
TIMES = 400
"""Times at which distances are measured."""

PASSES = 8
FINE = 8.0
"""Samples in a mean period from which on differences of them give the direction of motion."""

GROWN = 1.0
"""Where the mean logarithm grows by less than this, over all the time there is, neighbours do not part."""

STRAIGHT = 0.6
"""The line ends at this part of the way to the final distance: beyond, the largest distances cannot grow any more."""

AT_REST = 1e-10
LEAST_TIMES = 4
FEWEST_TURNS = 20.0
SURE = 2.0
"""An exponent counts as positive above this many errors."""


@dataclass(frozen=True, eq=False)
class LargestExponent:
    """The largest Lyapunov exponent of a series, with its error: what `largest_exponent` returns.

    Attributes
    ----------
    exponent : float
        Per unit of time, or per event for series of events; nan where distances show no line.
    error : float
        Its standard error, in the same unit.
    per : str
        What the exponent is counted per: a unit of time, "" for time without a unit, or "event".
    region : tuple of float
        From when to when the line was fitted, in units of time or events.
    embedding : Embedding
        How the series was unfolded.
    cycle : float or None
        Mean time between events, where it is known.
    data : xarray.Dataset
        The curve: the mean logarithm of distances, `divergence`, along `time`.

    See Also
    --------
    largest_exponent : Makes it.
    stickslip.plot.divergence : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.3]
    >>> for _ in range(1000): x.append(4 * x[-1] * (1 - x[-1]))
    >>> found = ss.series.largest_exponent(ss.series.Series(np.array(x)))
    >>> found.per, found.found, found.chaotic
    ('event', True, True)
    """

    exponent: float
    error: float
    per: str
    region: tuple[float, float]
    embedding: Embedding
    cycle: float | None
    data: xr.Dataset

    @property
    def found(self) -> bool:
        """Whether the distances show a line at all."""
        return bool(np.isfinite(self.exponent))

    @property
    def chaotic(self) -> bool:
        """Whether the exponent is positive beyond doubt, that is above two errors."""
        return self.found and self.exponent > SURE * self.error

    @property
    def per_time(self) -> float:
        """The exponent per unit of time, also of a series of events whose mean time between them is known; else nan."""
        if self.per != "event":
            return self.exponent
        return self.exponent / self.cycle if self.cycle else np.nan

    @property
    def summary(self) -> str:
        """The result in a sentence."""
        return str(self.data.attrs["summary"])

    def __repr__(self) -> str:
        return f"<LargestExponent: {self.summary}>"


def largest_exponent(
    series: Series,
    dimension: int | None = None,
    delay: int | None = None,
    window: int | None = None,
    references: int = REFERENCES,
) -> LargestExponent:
    """The largest Lyapunov exponent of a series, from how nearest neighbours part.

    Rosenstein's method, and for series in time one change: distances are measured from path to path, not from point to
    point. A delay along the path neither grows nor decays; it would hide, for a long while, the growth across the path.

    Parameters
    ----------
    series : Series
        At least 100 values, and 20 mean periods.
    dimension : int, optional
        Number of coordinates of the embedding; by default the least without false neighbours.
    delay : int, optional
        Delay of the embedding, in values; by default the first minimum of the mutual information.
    window : int, optional
        Theiler's window, in values; by default two mean periods (one for series of events).
    references : int, default 3000
        At how many points of the series neighbours are looked for.

    Returns
    -------
    LargestExponent
        The exponent with its error; print it for a sentence.

    Raises
    ------
    SeriesError
        If the series is too short or constant, or an argument is no whole number.

    See Also
    --------
    stickslip.lyapunov : Exponents of a model, exactly.
    correlation_dimension : How many dimensions the attractor has.
    stickslip.plot.divergence : Draws distances over time and the line.

    References
    ----------
    Rosenstein, Collins, De Luca: Physica D 65 (1993) 117–134.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.3]
    >>> for _ in range(3000): x.append(4 * x[-1] * (1 - x[-1]))
    >>> found = ss.series.largest_exponent(ss.series.Series(np.array(x)))                  # ln 2 per iterate
    >>> bool(abs(found.exponent - np.log(2)) < 0.03), found.chaotic, found.per
    (True, True, 'event')
    """
    series = need_series(series).long_enough(100, "an exponent")
    whole("largest_exponent: references", references, 20)
    embedding = choose(series, dimension, delay, window)
    lags, blocks, final = _settled(_Paths(series, embedding), references)
    mean = np.mean(blocks, axis=0)
    first, last = _region(lags, mean, final, embedding.span)
    times = np.asarray(lags * series.step, float)
    enough = last - first + 1 >= LEAST_TIMES
    line = scaling.fit(times, blocks, first, last) if enough else None
    return _result(series, embedding, times, mean, line)


class _Paths:
    """A series unfolded, with its directions of motion where it is sampled finely enough to have them."""

    def __init__(self, series: Series, embedding: Embedding) -> None:
        self.points = delayed(series.values, embedding.dimension, embedding.delay)
        self.embedding = embedding
        self.floor = resolution(series)
        self.flows = series.sampled and embedding.period >= FINE
        # A neighbour may run ahead by a turn, and is then still another part of the series.
        self.most_ahead = min(int(embedding.period), embedding.window // 2) if self.flows else 0
        turns = len(series) / embedding.period
        if turns < FEWEST_TURNS or len(self.points) < 4 * (self.most_ahead + embedding.window + 10):
            raise SeriesError(
                f"the series {series.name!r} is too short for an exponent: its {len(series)} values are about "
                f"{turns:.0f} mean periods, and {FEWEST_TURNS:.0f} are the least"
            )
        if self.flows:
            self.motion = np.gradient(self.points, axis=0)
            speed = np.sum(self.motion**2, axis=1)
            # At rest, as in stick on the ground, nobody is ahead.
            self.speed = np.where(speed > AT_REST * np.mean(speed), speed, np.inf)

    def divergence(self, horizon: int, references: int) -> tuple[Ints, Floats]:
        """Lags, and the mean logarithm of distances after them, for blocks of the series (block, lag)."""
        ahead = self.most_ahead
        usable = len(self.points) - horizon - 2 * ahead - 1
        here = spread_out(usable, references)
        there, _ = nearest(self.points[ahead : ahead + usable], here, self.embedding.window)
        here, there = here[there >= 0] + ahead, there[there >= 0] + ahead
        if len(here) < 2 * scaling.BLOCKS:
            raise SeriesError("too few points have neighbours that are not neighbours in time: the series is too short")
        lags = np.unique(np.linspace(0, horizon, min(TIMES, horizon) + 1).astype(np.int64))
        shift = np.zeros(len(here), np.int64)
        logs = np.empty((len(lags), len(here)))
        for row, lag in enumerate(lags):
            if self.flows:
                shift = self._caught_up(here + lag, there + lag, shift)
            logs[row] = np.log(np.maximum(self._distance(here + lag, there + lag + shift), self.floor))
        blocks = np.array_split(logs, scaling.BLOCKS, axis=1)
        return lags, np.array([np.mean(block, axis=1) for block in blocks])

    def _caught_up(self, here: Ints, there: Ints, shift: Ints) -> Ints:
        """How far the neighbours must be shifted along their paths to be abreast."""
        for _ in range(2):  # the second time from near by, where the path is straight
            other = there + shift
            behind = np.sum((self.points[here] - self.points[other]) * self.motion[other], axis=1) / self.speed[other]
            behind = np.rint(np.clip(behind, -self.most_ahead, self.most_ahead)).astype(np.int64)
            shift = np.clip(shift + behind, -self.most_ahead, self.most_ahead)
        return shift

    def _distance(self, here: Ints, there: Ints) -> Floats:
        """From point to point; with directions of motion, across them, between two samples too."""
        apart = self.points[here] - self.points[there]
        if self.flows:
            along = 0.5 * (self.motion[here] + self.motion[there])
            part = np.sum(apart * along, axis=1) / np.maximum(np.sum(along**2, axis=1), np.finfo(float).tiny)
            apart = apart - np.clip(part, -1.0, 1.0)[:, None] * along
        return np.asarray(np.sqrt(np.sum(apart**2, axis=1)))


def _settled(paths: _Paths, references: int) -> tuple[Ints, Floats, float]:
    """The curve, over a time that shows its rise well, and the height it reaches in the long run.

    At first a quarter of the series is followed; then only as long as distances grow, since a shorter time leaves
    more points to look for neighbours among.
    """
    horizon = len(paths.points) // 4
    final = np.nan
    for number in range(PASSES):
        lags, blocks = paths.divergence(horizon, references)
        mean = np.mean(blocks, axis=0)
        if number == 0:
            final = float(np.mean(mean[2 * len(mean) // 3 :]))
        risen = lags[int(np.argmax(mean >= mean[0] + 0.8 * (final - mean[0])))]
        turns = 4 * paths.embedding.period if paths.flows else 8
        shorter = int(max(1.6 * risen, 4 * paths.embedding.span + 8, turns))
        if shorter > 0.7 * horizon:
            break
        horizon = shorter
    return lags, blocks, final


def _region(lags: Ints, mean: Floats, final: float, span: int) -> tuple[int, int]:
    """Where the line is fitted: after the coordinates of the start are used up, before distances are final."""
    first = int(np.searchsorted(lags, span))
    rise = final - mean[0]
    if rise < GROWN:
        return first, len(lags) - 1
    beyond = np.flatnonzero(mean > mean[0] + STRAIGHT * rise)
    return first, int(beyond[0]) if len(beyond) else len(lags) - 1


def _result(
    series: Series, embedding: Embedding, times: Floats, mean: Floats, line: scaling.Line | None
) -> LargestExponent:
    exponent, error = (line.slope, line.error) if line else (np.nan, np.nan)
    region = (float(times[line.first]), float(times[line.last])) if line else (np.nan, np.nan)
    attributes = series.attributes | {
        "exponent": exponent,
        "error": error,
        "intercept": line.intercept if line else np.nan,
        "region": list(region),
        "delay": embedding.delay,
        "dimension": embedding.dimension,
        "window": embedding.window,
        "summary": _sentence(series, embedding, exponent, error, region),
    }
    data = xr.Dataset({"divergence": ("time", mean)}, {"time": times}, attributes)
    return LargestExponent(exponent, error, series.clock, region, embedding, series.cycle, data)


def _sentence(series: Series, embedding: Embedding, exponent: float, error: float, region: tuple[float, float]) -> str:
    unit = f"per {series.clock or 'unit time'}"
    unfolding = f"{embedding.dimension} coordinates, delay {embedding.delay * series.step:.4g}"
    if not np.isfinite(exponent):
        return (
            f"no exponent: within the span of the embedding ({unfolding}) neighbours are as far apart as they ever "
            "get, as they are for noise, or for too few data"
        )
    verdict = "chaotic" if exponent > SURE * error else "not shown to be chaotic"
    also = ""
    if not series.sampled and series.cycle:
        also = f" ({exponent / series.cycle:.4g} per {series.time_unit or 'unit time'})"
    folded = "" if embedding.unfolded else "; there is noise: false neighbours in every dimension"
    return (
        f"largest exponent {exponent:.4g} ± {error:.2g} {unit}{also}, {verdict}; "
        f"fitted from {region[0]:.4g} to {region[1]:.4g}, {unfolding}{folded}"
    )
