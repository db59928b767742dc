"""Floquet multipliers in the complex plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.branch import multipliers_of, without_trivial
from stickslip.plot.labels import parameter_label, title_of, title_of_model

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

FARTHEST = 2.0
"""Multipliers farther from zero are left out, so that the unit circle stays large enough to be looked at."""
COLORS = "cividis"
"""From blue to yellow: the same order of lightness with every kind of colour vision."""
SAME = 1e-6


def multipliers(orbit: Any, ax: Axes | None = None) -> Axes:
    """Draw the Floquet multipliers of an orbit, or of a branch of them, in the complex plane with the unit circle.

    An orbit is stable when no multiplier lies outside the circle. Where several coincide, their number is given.

    Parameters
    ----------
    orbit : Orbit, Branch, xarray.Dataset or sequence of complex
        An orbit, a list of multipliers, or a branch (or its `data`), whose multipliers are coloured along the
        parameter; the multiplier 1 that every orbit of a system without excitation has is then left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If there is no multiplier to draw: of an equilibrium, or where the return map has no slope.

    See Also
    --------
    branch : A quantity of the orbits along the parameter.
    stickslip.find_orbit, stickslip.follow : Make orbits and branches.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.plot.multipliers([1.0, 0.5 + 0.5j, 0.5 - 0.5j]).get_aspect()
    1.0
    """
    data = _branch_of(orbit)
    with style.canvas(ax, 5.4 if data is None else 6.2, 4.8) as axes:
        _draw_circle(axes)
        notes = _draw_orbit(axes, _values(orbit)) if data is None else _draw_branch(axes, data)
        axes.set_aspect("equal")
        axes.set_xlabel(r"$\mathrm{Re}\,\mu$")
        axes.set_ylabel(r"$\mathrm{Im}\,\mu$")
        style.header(axes, title_of_model(getattr(orbit, "model", None)) if data is None else title_of(data), notes)
    return axes


def _branch_of(what: Any) -> xarray.Dataset | None:
    """The data of a branch, None where it is not one."""
    data = getattr(what, "data", None) if hasattr(what, "special") and not hasattr(what, "variables") else what
    return data if "multiplier_real" in getattr(data, "variables", ()) else None


def _values(orbit: Any) -> Complexes:
    if hasattr(orbit, "eigenvalues"):
        raise PictureError("an equilibrium has eigenvalues, not multipliers")
    try:
        values = np.atleast_1d(np.asarray(getattr(orbit, "multipliers", orbit), dtype=complex))
    except (TypeError, ValueError, OverflowError):
        raise PictureError(f"multipliers needs an Orbit, a branch or numbers, not a {type(orbit).__name__}") from None
    if not np.isfinite(values).any():
        raise PictureError("there is no multiplier to draw: where a guard is only touched, the return map has no slope")
    return values


def _draw_circle(ax: Axes) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle((0.0, 0.0), 1.0, facecolor="#f3f6f8", edgecolor=style.QUIET, linewidth=1.0, zorder=0.6))
    for line in (ax.axhline, ax.axvline):
        line(0.0, color=style.QUIET, linewidth=0.6, zorder=0.8)


def _limit(ax: Axes, values: Complexes) -> list[str]:
    """Show the circle and what lies around it; a sentence about what lies farther out."""
    from matplotlib.ticker import MultipleLocator

    sizes = np.abs(values)
    outside = sizes[sizes > FARTHEST]
    near = values[sizes <= FARTHEST]
    edge = 1.12 * max(1.0, float(np.max(np.abs([near.real, near.imag]), initial=0.0)))
    ax.set(xlim=(-edge, edge), ylim=(-edge, edge))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(0.5))
    if not len(outside):
        return []
    count = "A multiplier lies" if len(outside) == 1 else f"{len(outside)} multipliers lie"
    return [f"{count} outside the picture; the largest modulus is {outside.max():.4g}."]


def _draw_orbit(ax: Axes, values: Complexes) -> list[str]:
    values = values[np.isfinite(values)]
    inside = np.abs(values) <= 1 + SAME
    for chosen, fill in ((inside, style.SERIES[0]), (~inside, "white")):
        ax.plot(
            values[chosen].real,
            values[chosen].imag,
            linestyle="none",
            marker="o",
            markersize=7.5,
            markerfacecolor=fill,
            markeredgecolor=style.SERIES[0],
            markeredgewidth=1.6,
            zorder=3,
            clip_on=True,
        )
    notes = _limit(ax, values)
    for value, count in _counted(values):
        if count > 1 and abs(value) <= FARTHEST:
            at = (value.real, value.imag)
            ax.annotate(f"×{count}", at, xytext=(6, 6), textcoords="offset points", fontsize=9.5, color=style.INK)
    return notes


def _counted(values: Complexes) -> list[tuple[complex, int]]:
    """Each multiplier once, with how often it occurs."""
    found: list[tuple[complex, int]] = []
    for value in map(complex, values):
        same = next((i for i, (other, _) in enumerate(found) if abs(value - other) < SAME), None)
        if same is None:
            found.append((value, 1))
        else:
            found[same] = (found[same][0], found[same][1] + 1)
    return found


def _draw_branch(ax: Axes, data: xarray.Dataset) -> list[str]:
    values = without_trivial(multipliers_of(data))
    parameter: Floats = np.repeat(data[data.attrs["parameter"]].values[:, None], values.shape[1], axis=1)
    chosen = np.isfinite(values)
    shown, along = values[chosen], parameter[chosen]
    near = np.abs(shown) <= FARTHEST
    points = ax.scatter(shown[near].real, shown[near].imag, c=along[near], cmap=COLORS, s=22, zorder=3, linewidths=0)
    bar = ax.figure.colorbar(
        points, cax=ax.inset_axes((1.04, 0.0, 0.04, 1.0)), label=parameter_label(data, str(data.attrs["parameter"]))
    )
    bar.outline.set_visible(False)
    return _limit(ax, shown)
