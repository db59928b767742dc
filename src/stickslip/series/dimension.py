"""`correlation_dimension`: how the number of neighbours grows with distance (Grassberger and Procaccia)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from stickslip.arrays import Floats
from stickslip.series import scaling
from stickslip.series.data import Series, need_series, whole
from stickslip.series.embedding import Embedding, choose, delayed, resolution
from stickslip.series.neighbours import PAIRS, spread_out

REFERENCES = 2000
FEWEST_REFERENCES = 200
MOST_PAIRS = 60_000_000
"""Pairs beyond which a longer series has fewer reference points: they say no more than those before."""

DISTANCES = 120
DEEP = 12.0
"""How far down distances go, as a logarithm."""

LEAST_PAIRS = 200
LARGEST_SUM = 0.03
"""Distances with fewer pairs than the first are left to chance; those with a larger share than the second feel the size
of the attractor."""

SHORTEST = np.log(5.0)
"""A line over less than a factor of five in distance says nothing."""

STRAIGHT = 0.03
"""Slopes of the thirds of a line that differ by less than this do not count against it."""

CANDIDATES = 25
FURTHER = 2
"""How many larger dimensions of embedding are looked at, to see whether the result stays."""

STAYS = 0.1


@dataclass(frozen=True, eq=False)
class CorrelationDimension:
    """The correlation dimension of a series, with its error: what `correlation_dimension` returns.

    Attributes
    ----------
    value : float
        Mean over the embedding in `embedding` and two with more coordinates; nan where C(r) has no straight part.
    error : float
        How parts of the series, halves of the lines and the three values differ.
    by_dimension : dict of int to float
        The three values, by the number of coordinates.
    saturated : bool
        Whether the three agree. A dimension of the motion stays the same, that of noise grows with the coordinates.
    region : tuple of float
        Range of distances of the fit, in the unit of the series.
    embedding : Embedding
        How the series was unfolded.
    data : xarray.Dataset
        The curves: `correlation_sum` along `dimension` and `distance`.

    See Also
    --------
    correlation_dimension : Makes it.
    stickslip.plot.correlation_sums : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.1, 0.1]
    >>> for _ in range(2000): x.append(1 - 1.4 * x[-1] ** 2 + 0.3 * x[-2])
    >>> found = ss.series.correlation_dimension(ss.series.Series(np.array(x[100:])))
    >>> list(found.by_dimension), found.data["correlation_sum"].dims
    ([2, 3, 4], ('dimension', 'distance'))
    """

    value: float
    error: float
    by_dimension: dict[int, float]
    saturated: bool
    region: tuple[float, float]
    embedding: Embedding
    data: xr.Dataset

    @property
    def summary(self) -> str:
        """The result in a sentence."""
        return str(self.data.attrs["summary"])

    def __repr__(self) -> str:
        return f"<CorrelationDimension: {self.summary}>"


def correlation_dimension(
    series: Series,
    dimension: int | None = None,
    delay: int | None = None,
    window: int | None = None,
    references: int = REFERENCES,
) -> CorrelationDimension:
    """The correlation dimension of the attractor a series comes from.

    C(r) is the share of pairs nearer than r, r^D for small r. Pairs close in time are left out (Theiler). Of all lines
    over a factor of five or more in r, the long ones whose thirds agree are preferred.

    Parameters
    ----------
    series : Series
        At least 200 values.
    dimension : int, optional
        Number of coordinates of the embedding; by default the least without false neighbours.
    delay : int, optional
        Delay of the embedding, in values; by default the first minimum of the mutual information.
    window : int, optional
        Theiler's window, in values; by default two mean periods (one for series of events).
    references : int, default 2000
        Around how many points neighbours are counted; around fewer where a series is very long.

    Returns
    -------
    CorrelationDimension
        The dimension with its error; print it for a sentence.

    Raises
    ------
    SeriesError
        If the series is too short or constant, or an argument is no whole number.

    See Also
    --------
    largest_exponent : How fast neighbouring motions part.
    stickslip.plot.correlation_sums : Draws C(r) and the line.

    References
    ----------
    Grassberger, Procaccia: Physica D 9 (1983) 189–208. Theiler: Physical Review A 34 (1986) 2427.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.1, 0.1]
    >>> for _ in range(4000): x.append(1 - 1.4 * x[-1] ** 2 + 0.3 * x[-2])
    >>> found = ss.series.correlation_dimension(ss.series.Series(np.array(x[100:])))      # Hénon's attractor: 1.22
    >>> bool(1.1 < found.value < 1.3), found.saturated
    (True, True)
    """
    series = need_series(series).long_enough(200, "a correlation dimension")
    whole("correlation_dimension: references", references, 20)
    embedding = choose(series, dimension, delay, window)
    dimensions = [embedding.dimension + i for i in range(FURTHER + 1)]
    edges = np.log(np.ptp(series.values)) + np.linspace(-DEEP, 0.0, DISTANCES + 1)
    counted = _counted(series, dimensions, embedding, references, edges)
    lines = [_line(edges, *counts, np.log(resolution(series))) for counts in counted]
    return _result(series, embedding, dimensions, edges, counted, lines)


def _counted(
    series: Series, dimensions: list[int], embedding: Embedding, references: int, edges: Floats
) -> list[tuple[Floats, Floats]]:
    """For each dimension, pairs nearer than each distance (block, distance), and all pairs (block).

    Blocks are of reference points. Distances by the largest difference of a coordinate: one more coordinate needs one
    more comparison.
    """
    points = delayed(series.values, dimensions[-1], embedding.delay)
    here = spread_out(len(points), min(references, max(FEWEST_REFERENCES, MOST_PAIRS // len(points))))
    histograms = np.zeros((len(dimensions), scaling.BLOCKS, len(edges) + 1))
    for block, places in enumerate(np.array_split(here, scaling.BLOCKS)):
        for part in np.array_split(places, max(1, len(places) * len(points) // PAIRS)):
            distance = np.zeros((len(part), len(points)))
            for row, place in enumerate(part):
                distance[row, max(0, place - embedding.window) : place + embedding.window + 1] = np.nan
            for m in range(1, dimensions[-1] + 1):
                coordinate = points[:, m - 1]
                np.maximum(distance, np.abs(coordinate[part][:, None] - coordinate[None, :]), out=distance)
                if m >= dimensions[0]:
                    histograms[m - dimensions[0], block] += _histogram(distance, edges)
    return [(np.cumsum(counts, axis=1)[:, :-1], np.sum(counts, axis=1)) for counts in histograms]


def _histogram(distance: Floats, edges: Floats) -> Floats:
    """How many distances are below the first edge, between each two, above the last; nan stands for a pair left out.

    The logarithms of the edges are evenly spaced, so a place among them is a division, much faster than a search.
    """
    kept = distance[~np.isnan(distance)]
    logs = np.log(np.maximum(kept, np.finfo(float).tiny))
    places = np.clip(np.floor((logs - edges[0]) / (edges[1] - edges[0])), -1, len(edges) - 1).astype(np.int64) + 1
    return np.asarray(np.bincount(places, minlength=len(edges) + 1), float)


def _line(edges: Floats, counts: Floats, pairs: Floats, floor: float) -> scaling.Line | None:
    """The straightest long line through ln C over ln r."""
    total = np.sum(counts, axis=0)
    usable = np.flatnonzero((total >= LEAST_PAIRS) & (total <= LARGEST_SUM * np.sum(pairs)) & (edges > floor))
    if len(usable) < 2:
        return None
    whole_curve = np.log(np.maximum(total, 0.5) / np.sum(pairs))
    first, last = int(usable[0]), int(usable[-1])
    step = max(1, (last - first) // CANDIDATES)
    candidates = [
        (start, end)
        for start in range(first, last, step)
        for end in range(last, start, -step)
        if edges[end] - edges[start] >= SHORTEST
    ]
    if not candidates:
        return None
    start, end = min(candidates, key=lambda ends: _unevenness(edges, whole_curve, *ends))
    blocks = np.log(np.maximum(counts, 0.5) / pairs[:, None])
    return scaling.fit(edges, blocks, start, end, whole_curve)


def _unevenness(edges: Floats, curve: Floats, start: int, end: int) -> float:
    """How much the slopes of the thirds of a line differ; less for longer lines."""
    places = np.array_split(np.arange(start, end + 1), 3)
    slopes = [scaling.slope(edges[place], curve[place]) for place in places]
    return float((np.var(slopes) + STRAIGHT**2) / (edges[end] - edges[start]) ** 2)


def _result(
    series: Series,
    embedding: Embedding,
    dimensions: list[int],
    edges: Floats,
    counted: list[tuple[Floats, Floats]],
    lines: list[scaling.Line | None],
) -> CorrelationDimension:
    slopes = np.array([line.slope if line else np.nan for line in lines])
    errors = np.array([line.error if line else np.nan for line in lines])
    best = lines[0]
    value, error = float(np.mean(slopes)), float(np.hypot(np.sqrt(np.mean(errors**2)), np.std(slopes, ddof=1)))
    saturated = bool(np.ptp(slopes) <= max(STAYS * value, 2 * float(np.sqrt(np.mean(errors**2)))))
    values = dict(zip(dimensions, map(float, slopes), strict=True))
    region = (float(np.exp(edges[best.first])), float(np.exp(edges[best.last]))) if best else (np.nan, np.nan)
    sums = np.array([np.sum(counts, axis=0) / np.sum(pairs) for counts, pairs in counted])
    attributes = series.attributes | {
        "value": value,
        "error": error,
        "intercept": best.intercept if best else np.nan,
        "region": list(region),
        "delay": embedding.delay,
        "window": embedding.window,
        "summary": _sentence(series, value, error, values, saturated, region),
    }
    variables = {
        "correlation_sum": (("dimension", "distance"), sums),
        "slope": ("dimension", slopes),
        "slope_error": ("dimension", errors),
    }
    data = xr.Dataset(variables, {"dimension": dimensions, "distance": np.exp(edges)}, attributes)
    return CorrelationDimension(value, error, values, saturated, region, embedding, data)


def _sentence(
    series: Series,
    value: float,
    error: float,
    values: dict[int, float],
    saturated: bool,
    region: tuple[float, float],
) -> str:
    if not np.isfinite(value):
        return "no correlation dimension: C(r) has no straight part over a factor of five in r; more data may show one"
    each = ", ".join(f"{slope:.3g} with {m}" for m, slope in values.items())
    grows = "" if saturated else ": it does not stay, so this is noise, or there are too few data"
    # Eckmann and Ruelle, Physica D 56 (1992) 185: N values cannot show more than about 2 log₁₀ N.
    most = 2 * np.log10(len(series))
    limit = f"; {len(series)} values cannot show more than about {most:.1f}" if value > 0.8 * most else ""
    return (
        f"correlation dimension {value:.3g} ± {error:.2g} ({each} coordinates){grows}; "
        f"fitted from r = {region[0]:.3g} to {region[1]:.3g}{limit}"
    )
