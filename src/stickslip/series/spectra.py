"""`spectrum`, `autocorrelation` and `fundamental`: how a series repeats itself."""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy import signal

from stickslip.arrays import Floats, Ints
from stickslip.errors import SeriesError
from stickslip.model.errors import shown
from stickslip.series.data import Series, need_series, whole

ALMOST = 0.9
"""A maximum of the autocorrelation this near to the highest one may be a whole period: multiples of it are as high."""


def check_window(window: str) -> None:
    """Raise a sentence if this is no name of a window."""
    try:
        signal.get_window(window if isinstance(window, str) else "", 16)
    except ValueError:
        raise SeriesError(
            f"spectrum: window is {shown(window)}: it is the name of a window of SciPy such as 'hann'"
        ) from None


def spectrum(series: Series, segments: int = 8, window: str = "hann") -> xr.Dataset:
    """The power spectral density of a series, by Welch's method.

    Parameters
    ----------
    series : Series
        At least 16 values.
    segments : int, default 8
        How many pieces, overlapping by half, are averaged: more give a smoother spectrum of less resolution.
    window : str, default "hann"
        A window of SciPy; "boxcar" with one segment keeps Parseval's sum exactly.

    Returns
    -------
    xarray.Dataset
        `density` along `frequency` (cycles per unit of time, or per event); its integral is the variance of the series.
        Attributes: `peak`, the frequency of the highest peak, read between the lines of the spectrum; `resolution`;
        `variance`; `segments`.

    Raises
    ------
    SeriesError
        If the series is too short, or segments is no whole number.
    ValueError
        If SciPy has no such window.

    See Also
    --------
    fundamental : The frequency at which a series repeats itself.
    autocorrelation : The same in time.
    stickslip.plot.spectrum : Draws it.

    References
    ----------
    Welch: IEEE Transactions on Audio and Electroacoustics 15 (1967) 70–73.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(2 * np.pi * 3.0 * np.arange(4000) * 0.01), interval=0.01)
    >>> lines = ss.series.spectrum(wave)
    >>> round(lines.attrs["peak"], 2), bool(abs(lines["density"].integrate("frequency") - 0.5) < 1e-3)
    (3.0, True)
    """
    series = need_series(series).long_enough(16, "a spectrum")
    # Pieces of length L that overlap by half: n = L (segments + 1)/2.
    length = min(len(series), max(16, int(2 * len(series) / (whole("spectrum: segments", segments) + 1))))
    check_window(window)
    frequency, density = signal.welch(
        series.values, fs=1 / series.step, window=window, nperseg=length, detrend="constant", scaling="density"
    )
    attributes = series.attributes | {
        "peak": _peak(frequency, density),
        "resolution": float(frequency[1]),
        "variance": float(np.var(series.values)),
        "segments": segments,
    }
    return xr.Dataset({"density": ("frequency", density)}, {"frequency": frequency}, attributes)


def _peak(frequency: Floats, density: Floats) -> float:
    """The top of the parabola through the logarithms of the highest value and its neighbours; 0 if there is no peak."""
    top = 1 + int(np.argmax(density[1:]))
    if density[top] <= 0:
        return 0.0
    if top + 1 >= len(density) or min(density[top - 1], density[top + 1]) <= 0:
        return float(frequency[top])
    left, middle, right = np.log(density[top - 1 : top + 2])
    return float(frequency[1] * (top + _vertex(left, middle, right)))


def _vertex(left: float, middle: float, right: float) -> float:
    """Where between −½ and ½ the parabola through three neighbours is highest."""
    bend = left - 2 * middle + right
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < 0 else 0.0


def autocorrelation(series: Series, longest: int | None = None) -> xr.Dataset:
    """The autocorrelation of a series: how much of it is known from its past.

    Sums over all pairs are divided by the number of values, not of pairs, as usual: the estimate is then never above 1,
    and is drawn towards zero at long lags.

    Parameters
    ----------
    series : Series
        At least 4 values.
    longest : int, optional
        Longest lag, in values; by default a quarter of the series.

    Returns
    -------
    xarray.Dataset
        `autocorrelation` along `lag`, 1 at lag 0. Attribute `time`: the first lag below 1/e.

    Raises
    ------
    SeriesError
        If the series is too short or constant, or longest is no whole number.

    See Also
    --------
    mutual_information : What is not linear, too.
    stickslip.plot.autocorrelation : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> from scipy.signal import lfilter
    >>> steps = np.random.default_rng(1).standard_normal(100_000)
    >>> noise = ss.series.Series(lfilter([1.0], [1.0, -0.9], steps), interval=1.0)         # x ← 0.9 x + step: 0.9^lag
    >>> ss.series.autocorrelation(noise, 10)["autocorrelation"].values[[0, 1, 5]].round(2)
    array([1.  , 0.9 , 0.59])
    """
    series = need_series(series).long_enough(4, "an autocorrelation")
    count = len(series)
    last = count // 4 if longest is None else min(whole("autocorrelation: longest", longest), count - 1)
    values = _correlated(series)[: last + 1]
    below = np.flatnonzero(values < np.exp(-1))
    time = float(below[0] * series.step) if len(below) else np.nan
    lags = series.step * np.arange(last + 1)
    return xr.Dataset({"autocorrelation": ("lag", values)}, {"lag": lags}, series.attributes | {"time": time})


def _correlated(series: Series) -> Floats:
    """The autocorrelation at all lags."""
    deviation = (series.values - np.mean(series.values)) / series.spread
    return np.asarray(signal.correlate(deviation, deviation, method="fft")[len(series) - 1 :] / len(series), float)


def mean_period(series: Series) -> float:
    """The period of the mean frequency of the power, in values; the time of a turn, for most motions."""
    frequency, power = signal.periodogram(series.values, detrend="constant")
    total = float(np.sum(frequency * power))
    return float(np.sum(power)) / total if total > 0 else float(len(series))


def fundamental(series: Series) -> float:
    """The frequency at which a series repeats itself.

    It is read from the first of the highest maxima of the autocorrelation. A spectrum may have its highest line at a
    multiple of it.

    Parameters
    ----------
    series : Series
        At least 16 values.

    Returns
    -------
    float
        In cycles per unit of time, or per event.

    Raises
    ------
    SeriesError
        If the series is too short, constant, or does not repeat itself.

    See Also
    --------
    spectrum : All frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(3000) * 0.01
    >>> wave = ss.series.Series(np.sin(2 * np.pi * t) + 2 * np.sin(4 * np.pi * t), interval=0.01)
    >>> round(ss.series.fundamental(wave), 3)
    1.0
    """
    series = need_series(series).long_enough(16, "a fundamental")
    # Divided by the number of pairs, so that later repetitions are as high as earlier ones.
    half = len(series) // 2
    values = (_correlated(series) * len(series) / np.arange(len(series), 0, -1))[: half + 1]
    negative = np.flatnonzero(values < 0)
    tops = _tops(values, int(negative[0])) if len(negative) else np.zeros(0, int)
    if len(tops) == 0:
        raise SeriesError(f"the series {series.name!r} does not repeat itself: it has no fundamental")
    top = int(tops[np.argmax(values[tops] >= ALMOST * np.max(values[tops]))])
    return 1.0 / (_sharpened(values, top + _vertex(*values[top - 1 : top + 2])) * series.step)


def _sharpened(values: Floats, lag: float) -> float:
    """A period from the place of a later repetition, where an error of a part of a sample counts less."""
    high, repetitions = ALMOST * values[round(lag)], 1
    while 2 * repetitions * lag < len(values) - 2:
        near = round(2 * repetitions * lag)
        around = np.arange(max(near - round(lag / 4), 1), min(near + round(lag / 4), len(values) - 2) + 1)
        top = int(around[np.argmax(values[around])]) if len(around) else 0
        if top == 0 or values[top] < high:
            break
        repetitions *= 2
        lag = (top + _vertex(*values[top - 1 : top + 2])) / repetitions
    return lag


def _tops(values: Floats, begin: int) -> Ints:
    """The maxima beyond a lag."""
    inner = np.arange(max(begin, 1), len(values) - 1)
    return inner[(values[inner] > values[inner - 1]) & (values[inner] >= values[inner + 1])]
