"""Pictures of series: spectra, delay plots, and the curves from which dimensions and exponents are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import shown
from stickslip.plot import style
from stickslip.plot.labels import check_data, plain, symbol, with_unit

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

DEPTH = 1e-10
"""The lowest density drawn, as a part of the highest: below are round-off and the skirts of the window."""

REGION: dict[str, Any] = {"facecolor": style.SERIES[1], "alpha": 0.13, "linewidth": 0, "zorder": 0.5}
FIT: dict[str, Any] = {"color": style.INK, "linewidth": 1.4, "linestyle": (0, (5, 2)), "zorder": 4}
FEW = 60
"""Up to so many points a curve shows them."""


def spectrum(data: xarray.Dataset, *, ax: Axes | None = None) -> Axes:
    """Draw a spectrum: power spectral density over frequency, and the frequency of its highest peak.

    Parameters
    ----------
    data : xarray.Dataset
        What `series.spectrum` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.spectrum : Computes it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(np.arange(500) * 0.1), interval=0.1, name="x", time_unit="s")
    >>> ss.plot.spectrum(ss.series.spectrum(wave)).get_yscale()
    'log'
    """
    check_data(data, ("frequency", "density"), "series.spectrum")
    frequency, density = data["frequency"].values[1:], data["density"].values[1:]  # the mean has been taken off
    top = float(np.max(density))
    with style.canvas(ax, 7.2, 4.2) as axes:
        axes.plot(frequency, density, color=style.SLIP, linewidth=1.0)
        peak = float(data.attrs["peak"])
        if top > 0:
            axes.set_yscale("log")
            axes.set_ylim(max(float(np.min(density)), DEPTH * top) / 2, 3 * top)
            axes.axvline(peak, color=style.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
        axes.set_xlim(0, float(frequency[-1]))
        axes.set_xlabel(_frequency(data.attrs))
        axes.set_ylabel("power spectral density")
        style.header(axes, _title(data.attrs, "spectrum"), [f"The highest peak is at {peak:.5g}."])
    return axes


def autocorrelation(data: xarray.Dataset, *, ax: Axes | None = None) -> Axes:
    """Draw an autocorrelation over the lag.

    Parameters
    ----------
    data : xarray.Dataset
        What `series.autocorrelation` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.autocorrelation : Computes it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(np.arange(500) * 0.1), interval=0.1, name="x", time_unit="s")
    >>> ss.plot.autocorrelation(ss.series.autocorrelation(wave)).get_xlabel()
    'lag (s)'
    """
    check_data(data, ("lag", "autocorrelation"), "series.autocorrelation")
    with style.canvas(ax, 7.2, 3.8) as axes:
        axes.axhline(0.0, color=style.QUIET, linewidth=0.8)
        _curve(axes, data["lag"].values, data["autocorrelation"].values, style.SLIP)
        axes.set(xlim=(0, float(data["lag"][-1])), ylim=(-1.05, 1.05))
        axes.set_xlabel(_time("lag", data.attrs))
        axes.set_ylabel("autocorrelation")
        time = float(data.attrs["time"])
        notes = [f"It falls below 1/e at {time:.4g}."] if np.isfinite(time) else []
        style.header(axes, _title(data.attrs, "autocorrelation"), notes)
    return axes


def embedding(points: xarray.DataArray, *, ax: Axes | None = None) -> Axes:
    """Draw the first two coordinates of an embedding: the series over itself, a delay later.

    Parameters
    ----------
    points : xarray.DataArray
        What `series.embed` returned, with two coordinates or more.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If the embedding has one coordinate only.

    See Also
    --------
    stickslip.series.embed : Makes the points.
    phase : Two states of a run.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(np.arange(500) * 0.1), interval=0.1, name="x", time_unit="s")
    >>> ss.plot.embedding(ss.series.embed(wave, dimension=2, delay=16)).get_xlabel()
    '$x$'
    """
    if "coordinate" not in getattr(points, "dims", ()):
        raise PictureError(f"{shown(points)} cannot be drawn: give what series.embed returned")
    if points.sizes["coordinate"] < 2:
        raise PictureError("a delay plot needs two coordinates, and this embedding has one: embed with dimension=2")
    x, later = points.values[:, 0], points.values[:, 1]
    events = points.attrs["clock"] == "event"
    with style.canvas(ax, 5.6, 5.0) as axes:
        if events:
            axes.plot(x, later, ".", color=style.SLIP, markersize=3.0 if len(x) < 5000 else 1.5, markeredgewidth=0)
        else:
            axes.plot(
                x,
                later,
                color=style.SLIP,
                linewidth=0.9 if len(x) < 5000 else 0.35,
                alpha=1.0 if len(x) < 5000 else 0.6,
            )
        name, unit = symbol(str(points.attrs["series"]) or "x"), str(points.attrs["unit"])
        axes.set_xlabel(with_unit(name, unit))
        axes.set_ylabel(with_unit(f"{name}, {_delay(points.attrs)} later", unit))
        style.header(axes, _title(points.attrs, "delay plot"))
    return axes


def mutual_information(data: xarray.Dataset, *, ax: Axes | None = None) -> Axes:
    """Draw the mutual information over the lag, with its first minimum.

    Parameters
    ----------
    data : xarray.Dataset
        What `series.mutual_information` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.mutual_information : Computes it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(np.arange(500) * 0.1), interval=0.1, name="x", time_unit="s")
    >>> ss.plot.mutual_information(ss.series.mutual_information(wave)).get_ylabel()
    'mutual information (nats)'
    """
    check_data(data, ("lag", "information"), "series.mutual_information")
    lag, information, delay = data["lag"].values, data["information"].values, int(data.attrs["delay"])
    with style.canvas(ax, 7.2, 3.8) as axes:
        _curve(axes, lag, information, style.SLIP)
        if delay:
            axes.plot(lag[delay], information[delay], "o", color=style.STICK, markersize=6, zorder=4)
        axes.set_xlim(0, float(lag[-1]))
        axes.set_ylim(min(0.0, float(np.min(information))), None)
        axes.set_xlabel(_time("lag", data.attrs))
        axes.set_ylabel("mutual information (nats)")
        first = f"The first minimum is at {lag[delay]:.4g}." if delay else "There is no minimum."
        style.header(axes, _title(data.attrs, "mutual information"), [first])
    return axes


def false_neighbours(data: xarray.Dataset, *, ax: Axes | None = None) -> Axes:
    """Draw the share of false neighbours over the number of coordinates.

    Parameters
    ----------
    data : xarray.Dataset
        What `series.false_neighbours` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.false_neighbours : Counts them.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> wave = ss.series.Series(np.sin(np.arange(500) * 0.1), interval=0.1, name="x", time_unit="s")
    >>> ss.plot.false_neighbours(ss.series.false_neighbours(wave, most=3)).get_xlabel()
    'coordinates'
    """
    check_data(data, ("dimension", "fraction"), "series.false_neighbours")
    dimension, share, enough = data["dimension"].values, 100 * data["fraction"].values, int(data.attrs["dimension"])
    with style.canvas(ax, 6.0, 3.8) as axes:
        axes.axhline(1.0, color=style.QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.plot(dimension, share, "o-", color=style.SLIP, markersize=5)
        if enough:
            axes.plot(enough, share[dimension == enough], "o", color=style.STICK, markersize=7, zorder=4)
        axes.set_ylim(-3, 103)
        axes.set_xticks(dimension)
        axes.set_xlabel("coordinates")
        axes.set_ylabel("false neighbours (%)")
        words = f"Less than 1 % with {enough} coordinates." if enough else "Never less than 1 %: there is noise."
        style.header(axes, _title(data.attrs, "false neighbours"), [words])
    return axes


def correlation_sums(found: Any, *, ax: Axes | None = None) -> Axes:
    """Draw correlation sums over the distance, with the line whose slope is the dimension and where it was fitted.

    Parameters
    ----------
    found : CorrelationDimension
        What `series.correlation_dimension` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.correlation_dimension : Finds the dimension.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.1, 0.1]
    >>> for _ in range(1000): x.append(1 - 1.4 * x[-1] ** 2 + 0.3 * x[-2])
    >>> found = ss.series.correlation_dimension(ss.series.Series(np.array(x[100:])))
    >>> ss.plot.correlation_sums(found).get_xscale()
    'log'
    """
    check_data(getattr(found, "data", None), ("distance", "correlation_sum"), "series.correlation_dimension")
    data = found.data
    distance = data["distance"].values
    with style.canvas(ax, 6.6, 4.6) as axes:
        for i, dimension in enumerate(data["dimension"].values):
            sums = np.where(data["correlation_sum"].values[i] > 0, data["correlation_sum"].values[i], np.nan)
            label = f"{dimension} coordinates: slope {float(data['slope'][i]):.3g}"
            axes.plot(distance, sums, color=style.SERIES[i % len(style.SERIES)], label=label)
        axes.set(xscale="log", yscale="log")
        first, last = data.attrs["region"]
        if np.isfinite(first):
            ends, slope = np.array([first, last]), float(data["slope"][0])
            axes.plot(ends, np.exp(data.attrs["intercept"]) * ends**slope, **FIT, label="fit")
            axes.axvspan(first, last, **REGION)
        axes.set_xlabel(with_unit("distance $r$", str(data.attrs["unit"])))
        axes.set_ylabel("share of pairs nearer, $C(r)$")
        style.header(axes, _title(data.attrs, "correlation dimension"), [f"{_capital(str(data.attrs['summary']))}."])
        style.legend(axes)
    return axes


def divergence(found: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how neighbours part, with the line whose slope is the largest exponent and where it was fitted.

    Parameters
    ----------
    found : LargestExponent
        What `series.largest_exponent` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.series.largest_exponent : Finds the exponent.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> x = [0.3]
    >>> for _ in range(1000): x.append(4 * x[-1] * (1 - x[-1]))
    >>> ss.plot.divergence(ss.series.largest_exponent(ss.series.Series(np.array(x)))).get_xlabel()
    'events after neighbours are nearest'
    """
    check_data(getattr(found, "data", None), ("time", "divergence"), "series.largest_exponent")
    data = found.data
    time, mean = data["time"].values, data["divergence"].values
    with style.canvas(ax, 6.6, 4.4) as axes:
        _curve(axes, time, mean, style.SLIP)
        first, last = data.attrs["region"]
        if np.isfinite(first):
            ends = np.array([first, last])
            axes.plot(ends, data.attrs["intercept"] + float(data.attrs["exponent"]) * ends, **FIT)
            axes.axvspan(first, last, **REGION)
        axes.set_xlim(0, float(time[-1]))
        axes.set_xlabel(_time("time after neighbours are nearest", data.attrs))
        axes.set_ylabel("mean logarithm of their distance")
        style.header(axes, _title(data.attrs, "how neighbours part"), [f"{_capital(str(data.attrs['summary']))}."])
    return axes


def _curve(axes: Axes, x: Floats, y: Floats, color: str) -> None:
    axes.plot(x, y, color=color, marker="o" if len(x) <= FEW else "", markersize=3.5)


def _title(attributes: dict[Any, Any], what: str) -> str:
    name = str(attributes["series"])
    return plain(f"{name} – {what}" if name else _capital(what))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _delay(attributes: dict[Any, Any]) -> str:
    """A delay in words: "0.5 s", "2 events"."""
    delay, clock = float(attributes["delay"]) * float(attributes["interval"]), str(attributes["clock"])
    many = "s" if clock == "event" and delay != 1 else ""
    return plain(f"{delay:.4g} {clock}{many}".rstrip())


def _time(what: str, attributes: dict[Any, Any]) -> str:
    clock = str(attributes["clock"])
    if clock != "event":
        return with_unit(what, clock)
    return what.replace("time", "events", 1) if "time" in what else f"{what} (events)"


def _frequency(attributes: dict[Any, Any]) -> str:
    clock = str(attributes["clock"])
    return f"frequency $f$ ({'Hz' if clock == 's' else 'cycles per ' + (plain(clock) or 'unit time')})"
