"""Measurements and what was read from them: samples with the fitted law, classes of speed, ring-downs, stick times,
reconstructed forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import shown
from stickslip.plot import style
from stickslip.plot.labels import check_found, parameter_symbol, plain, units_given, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

CLOUD = 3000
"""From this many samples on, their density is drawn instead of dots that hide each other."""
CELLS = (150, 90)
DOT = "#8a8a8a"


def fit(
    fits: Any,
    *,
    classes: bool = True,
    level: float = 0.95,
    units: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw measured friction against the slip speed with the law, or the laws, fitted to it.

    Parameters
    ----------
    fits : LawFit, Comparison or list of LawFit
        What `identify.fit_law` or `identify.compare` returned, or several fits, the best first.
    classes : bool, default True
        Whether means and standard deviations over classes of speed are drawn, too.
    level : float, default 0.95
        Confidence level of the band, which is that of the first law.
    units : dict of str to str, optional
        Units of "velocity" and "force"; by default none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If this is no fit.

    See Also
    --------
    stickslip.identify.fit_law : Fits a law.
    classes : Without a law.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> v = np.linspace(0.01, 2, 50)
    >>> found = ss.identify.fit_law((v, 0.4 / (1 + 3 * v)), "hyperbolic")
    >>> ss.plot.fit(found, units={"velocity": "m/s", "force": "N"}).get_xlabel()
    'slip speed $|v|$ (m/s)'
    """
    several, given = _fits(fits), units_given(units)
    if not isinstance(classes, bool):
        raise PictureError(f"classes is {shown(classes)}: it must be True or False")
    first = several[0]
    speed, coefficient = _measured(first)
    grid = np.linspace(0.0, float(np.max(speed)), 400)
    with style.canvas(ax, 7.4, 4.4) as axes:
        _cloud(axes, speed, coefficient)
        if classes:
            _bars(axes, first.classes(), style.INK)
        low, high = first.band(grid, level)
        axes.fill_between(grid, low, high, color=style.SERIES[0], alpha=0.25, linewidth=0, zorder=4)
        for i, one in enumerate(several[: len(style.SERIES)]):
            dash = "-" if i == 0 else (0, (5, 2))
            axes.plot(
                grid, one.coefficient(grid), color=style.SERIES[i], linestyle=dash, linewidth=2.0 if i == 0 else 1.4,
                label=plain(one.label), zorder=5 - 0.1 * i,
            )  # fmt: skip
        _limit(axes, speed, coefficient)
        axes.set_xlabel(with_unit("slip speed $|v|$", given.get("velocity", "")))
        bare = bool(np.all(np.asarray(first.samples.normal) == 1.0))
        axes.set_ylabel(
            with_unit("friction force $F$", given.get("force", "")) if bare else r"friction coefficient $\mu$"
        )
        style.header(axes, _numbers(first.label, first.estimate), _said(first.notes))
        style.legend(axes, [*axes.get_legend_handles_labels()[0], _patch(f"{100 * level:g} % band")])
    return axes


def classes(found: Any, law: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the mean friction in classes of slip speed.

    Thin bars are standard deviations of the samples, thick ones standard errors of the means.

    Parameters
    ----------
    found : Classes
        What `identify.classes` returned.
    law : FrictionLaw, optional
        A friction law to draw besides; by default none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.identify.classes : Makes the classes.
    fit : With a fitted law.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> v = np.linspace(0.01, 2, 50)
    >>> found = ss.identify.classes((v, 0.4 / (1 + 3 * v)), 5)
    >>> ss.plot.classes(found, ss.Hyperbolic(0.4, 3.0)).get_title("left")
    '5 classes of 10 to 10 samples'
    """
    check_found(found, ("speed", "mean", "deviation", "count"), "identify.classes")
    if law is not None:
        check_found(law, ("kinetic_value",), "identify.fit_law(…).law or a friction law, such as Coulomb(0.3),")
    with style.canvas(ax, 7.0, 4.2) as axes:
        _bars(axes, found, style.SERIES[0])
        if law is not None:
            grid = np.linspace(0.0, float(np.max(found.speed)), 400)
            axes.plot(grid, [law.kinetic_value(float(v)) for v in grid], color=style.SERIES[3], label="law", zorder=2)
        top = float(np.nanmax(found.mean + np.nan_to_num(found.deviation)))
        axes.set_xlim(0.0, 1.04 * float(np.max(found.speed)))
        axes.set_ylim(0.0, 1.12 * top)
        axes.set_xlabel("slip speed $|v|$")
        axes.set_ylabel(r"friction coefficient $\mu$")
        counts = found.count
        style.header(axes, f"{len(counts)} classes of {int(np.min(counts))} to {int(np.max(counts))} samples")
        style.legend(axes)
    return axes


def ringdown(found: Any, *, level: float = 0.95, unit: str = "", ax: Axes | None = None) -> Axes:
    """Draw a decaying oscillation with the fitted one.

    Parameters
    ----------
    found : RingDown
        What `identify.ringdown` returned.
    level : float, default 0.95
        Confidence level of the band.
    unit : str, default ""
        Unit of the displacement.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.identify.ringdown : Fits the oscillation.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0, 1, 200)
    >>> found = ss.identify.ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0)
    >>> ss.plot.ringdown(found, unit="mm").get_ylabel()
    'displacement $x$ (mm)'
    """
    check_found(found, ("time", "displacement", "envelope", "band", "contact"), "identify.ringdown")
    t, grid = found.time, np.linspace(found.time[0], found.time[-1], 1500)
    middle, reach = found["offset"], found.envelope(grid)
    with style.canvas(ax, 7.4, 4.0) as axes:
        axes.plot(t, found.displacement, ".", color=DOT, markersize=_dot(len(t)), label="measured", zorder=2)
        low, high = found.band(grid, level)
        axes.fill_between(grid, low, high, color=style.SERIES[0], alpha=0.3, linewidth=0, zorder=3)
        axes.plot(grid, found.curve(grid), color=style.SERIES[0], linewidth=1.4, label="fit", zorder=4)
        for sign in (1, -1):
            axes.plot(
                grid, middle + sign * reach, color=style.SERIES[3], linewidth=1.0, linestyle=(0, (4, 3)),
                label="envelope" if sign > 0 else None, zorder=3,
            )  # fmt: skip
        axes.set_xlim(t[0], t[-1])
        axes.set_xlabel("time $t$")
        axes.set_ylabel(with_unit("displacement $x$", unit))
        contact = found.contact
        told = [rf"{_NAMES[name]} = {_value(contact[name], contact.error(name))}" for name in ("c_R", "b_R")]
        style.header(axes, ", ".join(told), _said(found.notes))
        style.legend(axes)
    return axes


def aging(fits: Any, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw breakaway forces against the time of stick with the fitted laws.

    Times are on a logarithmic scale where they span more than two decades.

    Parameters
    ----------
    fits : AgingFit or list of AgingFit
        What `identify.aging` or `identify.compare_aging` returned; of several the best comes first.
    level : float, default 0.95
        Confidence level of the band, which is that of the first law.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    See Also
    --------
    stickslip.identify.aging : Fits a law.
    stickslip.identify.compare_aging : Fits several.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.geomspace(0.01, 30, 40)
    >>> ss.plot.aging(ss.identify.aging(t, 3 + 0.2 * np.log(1 + t / 0.5), "logarithmic")).get_xscale()
    'log'
    """
    several: list[Any] = list(fits) if isinstance(fits, Sequence) and len(fits) else [fits]
    for each in several:
        check_found(each, ("stick_time", "force", "band", "curve", "law"), "identify.aging")
    first = several[0]
    t = first.stick_time
    positive = t[t > 0]
    logarithmic = bool(len(positive) == len(t) and np.max(t) > 100 * np.min(t))
    grid = np.geomspace(np.min(t), np.max(t), 400) if logarithmic else np.linspace(0.0, np.max(t), 400)
    with style.canvas(ax, 7.2, 4.2) as axes:
        axes.plot(t, first.force, "o", color=DOT, markersize=3.5, markeredgewidth=0, label="measured", zorder=2)
        low, high = first.band(grid, level)
        axes.fill_between(grid, low, high, color=style.SERIES[0], alpha=0.25, linewidth=0, zorder=3)
        for i, one in enumerate(several):
            axes.plot(
                grid, one.curve(grid), color=style.SERIES[i % len(style.SERIES)], linewidth=2.0 if i == 0 else 1.4,
                linestyle="-" if i == 0 else (0, (5, 2)), label=plain(one.law), zorder=4,
            )  # fmt: skip
        if logarithmic:
            axes.set_xscale("log")
        axes.set_xlabel("time of stick")
        axes.set_ylabel("breakaway force")
        style.header(axes, _numbers(first.law, first.estimate), _said(first.notes))
        style.legend(axes, [*axes.get_legend_handles_labels()[0], _patch(f"{100 * level:g} % band")])
    return axes


def reconstruction(found: Any, *, units: Mapping[str, str] | None = None) -> Any:
    """Draw displacement, sliding velocity and friction force against time, from a measured displacement.

    Stick is shaded; bands are 95 % limits; samples that are not sure are pale.

    Parameters
    ----------
    found : Reconstruction
        What `identify.reconstruct` returned.
    units : dict of str to str, optional
        Units of "time", "displacement", "velocity" and "force"; by default none.

    Returns
    -------
    numpy.ndarray
        The three matplotlib Axes, from top to bottom.

    See Also
    --------
    stickslip.identify.reconstruct : Finds the force.
    history : The same of a simulated run.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0, 5, 0.01)
    >>> found = ss.identify.reconstruct(t, np.cos(t), mass=1.0, noise=1e-3)
    >>> [ax.get_ylabel() for ax in ss.plot.reconstruction(found, units={"force": "N"})][-1]
    'friction force $\\\\lambda$ (N)'
    """
    check_found(found, ("displacement", "velocity_error", "stick", "sure"), "identify.reconstruct")
    t, given = found.time, units_given(units)
    rows = [
        ("displacement $x$", "displacement", found.displacement, None),
        ("sliding velocity $v$", "velocity", found.velocity, found.velocity_error),
        (r"friction force $\lambda$", "force", found.force, found.force_error),
    ]
    with style.panels(None, 8.2, 6.6, (1.0, 1.0, 1.0)) as axes:
        for ax, (label, kind, values, error) in zip(axes, rows, strict=True):
            _shade(ax, t, found.stick)
            if error is None:
                ax.plot(t, found.measured, ".", color=DOT, markersize=_dot(len(t)), label="measured", zorder=2)
            else:
                ax.fill_between(
                    t, values - 1.96 * error, values + 1.96 * error, color=style.SLIP, alpha=0.25, linewidth=0, zorder=2
                )
            ax.plot(t, np.where(found.sure, values, np.nan), color=style.SLIP, linewidth=1.2, zorder=4)
            ax.plot(t, values, color=style.SLIP, linewidth=0.9, alpha=0.35, zorder=3)
            if error is not None:
                _room(ax, values[found.sure], error[found.sure])
            ax.set_ylabel(with_unit(label, given.get(kind, "")))
        axes[-1].set_xlim(t[0], t[-1])
        axes[-1].set_xlabel(with_unit("time $t$", given.get("time", "")))
        told = (
            f"noise of the displacement {found.noise:.2g}; the smoother looks {found.reach:.0f} samples to either side"
        )
        style.header(axes[0], told, list(found.notes))
    return axes


_NAMES = {"c_R": r"$c_\mathrm{R}$", "b_R": r"$b_\mathrm{R}$"}


def _fits(fits: Any) -> list[Any]:
    if hasattr(fits, "fits") and not isinstance(fits, type):
        return list(fits.fits.values())
    listed = list(fits) if isinstance(fits, Sequence) else [fits]
    if not listed or not all(hasattr(one, "estimate") and hasattr(one, "residuals") for one in listed):
        raise PictureError("plot.fit draws what identify.fit_law or identify.compare returned")
    return listed


def _measured(one: Any) -> tuple[Floats, Floats]:
    samples = one.samples
    forces = one.sense * np.sign(samples.velocity) * (samples.force - one.offset)
    return np.abs(samples.velocity), forces / samples.normal


def _cloud(ax: Axes, x: Floats, y: Floats) -> None:
    """Dots, or their density where there are many."""
    if len(x) <= CLOUD:
        size = max(_dot(len(x)), 2.8)
        ax.plot(x, y, ".", color=DOT, markersize=size, markeredgewidth=0, alpha=0.8, label="samples", zorder=1)
        return
    low, high = np.quantile(y, [0.001, 0.999])
    room = 0.15 * (high - low)
    count, edges_x, edges_y = np.histogram2d(x, y, CELLS, ((0.0, float(np.max(x))), (low - room, high + room)))
    shown = np.ma.masked_equal(count.T, 0)
    ax.pcolormesh(edges_x, edges_y, np.sqrt(shown), cmap=_greys(), vmin=0, rasterized=True, zorder=1)
    ax.plot([], [], "s", color="#9a9a9a", markersize=7, label=f"density of\n{len(x)} samples")


def _greys() -> Colormap:
    """White is nothing; the darkest grey leaves the curves to be seen."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("samples", ["#f2f2f2", "#707070"])


def _bars(ax: Axes, found: Any, color: str) -> None:
    known = found.count > 1
    v, mean = found.speed[known], found.mean[known]
    bar: dict[str, Any] = {"fmt": "none", "ecolor": color, "capsize": 0}
    ax.errorbar(v, mean, yerr=found.deviation[known], elinewidth=0.8, zorder=5.5, **bar)
    ax.errorbar(v, mean, yerr=found.error[known], elinewidth=2.6, zorder=5.6, **bar)
    ax.plot(
        v,
        mean,
        "o",
        color=color,
        markersize=4.2,
        label="class means;\nbars: deviation,\nthick: of the mean",
        zorder=5.7,
    )


def _limit(ax: Axes, speed: Floats, coefficient: Floats) -> None:
    low, high = np.quantile(coefficient, [0.005, 0.995])
    room = 0.12 * (high - low)
    lines = np.concatenate(
        [np.asarray(line.get_ydata(), float) for line in ax.lines if np.size(line.get_xdata()) == 400]
    )
    ax.set_xlim(0.0, float(np.max(speed)))
    ax.set_ylim(min(0.0, low - room) if low < 0.4 * high else low - room, max(high + room, float(np.max(lines)) * 1.03))


def _room(ax: Axes, values: Floats, error: Floats) -> None:
    """Limits that the sure samples set, not the wide errors beside a change of mode."""
    if len(values) == 0:
        return
    low, high = float(np.min(values - 2 * error)), float(np.max(values + 2 * error))
    ax.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))


def _shade(ax: Axes, t: Floats, stick: Any) -> None:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stick.astype(int), [0]])))
    for first, end in edges.reshape(-1, 2):
        ax.axvspan(t[first], t[min(end, len(t) - 1)], zorder=0, **style.STICK_SHADE)


def _dot(count: int) -> float:
    return 5.0 if count < 300 else 3.0 if count < 1500 else 1.8


def _patch(label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=style.SERIES[0], alpha=0.25, linewidth=0, label=label)


def _numbers(label: str, estimate: Any) -> str:
    """The law and its parameters with their errors, in two lines where they are many."""
    told = [f"{parameter_symbol(name)} = {_value(value, error)}" for name, value, error, *_ in estimate.rows()]
    half = len(told) if len(told) <= 3 else (len(told) + 1) // 2
    lines = [", ".join(told[:half]), ", ".join(told[half:])]
    return f"{plain(label)}: " + "\n".join(line for line in lines if line)


def _value(value: float, error: float) -> str:
    """A value to the digits that its error leaves.

    >>> _value(0.30012, 0.0021), _value(150321.0, 820.0), _value(2.0, 0.0)
    ('0.3001 ± 0.0021', '150320 ± 820', '2')
    """
    if not np.isfinite(error) or error <= 0:
        return f"{value:.4g}" + (" (not determined)" if error == np.inf else "")
    digits = 1 - int(np.floor(np.log10(error)))
    if digits <= 0:
        return f"{round(value, digits):.0f} ± {round(error, digits):.0f}"
    return f"{value:.{digits}f} ± {error:.{digits}f}" if digits < 7 else f"{value:.6g} ± {error:.2g}"


def _said(notes: Sequence[str]) -> list[str]:
    return list(notes[:3])
