"""The friction coefficient of laws against the slip speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import PictureError
from stickslip.model.errors import shown
from stickslip.plot import style
from stickslip.plot.labels import parameter_symbol, plain, title_of_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CURVES = 2 * len(style.SERIES)


@dataclass(frozen=True)
class Curve:
    """A friction law with all its values set: coefficient in slip, and coefficient up to which it sticks."""

    label: str
    kinetic: Callable[[float], float]
    static: float


def characteristic(laws: Any, speeds: Sequence[float] | Floats | None = None, ax: Axes | None = None) -> Axes:
    """Draw the friction coefficient of one or several laws against the slip speed.

    The dot at rest is the static coefficient; where it lies above the kinetic one, a circle marks where slip begins.

    Parameters
    ----------
    laws : FrictionLaw, callable, dict or System
        A law, a plain function of the slip speed, a dictionary from label to law, or a system, whose contacts' laws are
        drawn with their current parameters.
    speeds : array_like of float, optional
        Slip speeds |v| ≥ 0; by default from rest to where the laws have done most of their change.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If there is no law to draw, or the speeds are not at least two numbers, none of them negative.

    See Also
    --------
    friction : What a run went through.
    fit : Measured friction with a fitted law.

    Examples
    --------
    >>> import stickslip as ss
    >>> ax = ss.plot.characteristic({"steel": ss.Coulomb(0.4, 0.3), "rubber": ss.Hyperbolic(1.0, 3.0)})
    >>> ax.get_xlabel()
    'slip speed $|v|$'
    """
    all_curves = _curves(laws)
    curves = all_curves[:MOST_CURVES]
    v = np.linspace(0.0, max(map(_range, curves)), 501) if speeds is None else _checked(speeds)
    values = [np.array([curve.kinetic(float(speed)) for speed in v]) for curve in curves]
    hidden = len(all_curves) - len(curves)
    with style.canvas(ax, 6.8, 4.0) as axes:
        for i, (curve, mu) in enumerate(zip(curves, values, strict=True)):
            dash = "-" if i < len(style.SERIES) else "--"
            _draw(axes, curve, v, mu, style.SERIES[i % len(style.SERIES)], dash)
        axes.set_xlabel("slip speed $|v|$")
        axes.set_ylabel(r"friction coefficient $\mu$")
        _limit(axes)
        style.header(axes, _title(laws), [f"Not shown: {hidden} of {len(all_curves)} laws."] if hidden else [])
        _explain(axes)
    return axes


def _curves(laws: Any) -> list[Curve]:
    if hasattr(laws, "law_values") and not isinstance(laws, type):
        curves = _curves_of_system(laws)
    elif isinstance(laws, Mapping):
        curves = [_curve(str(label), law) for label, law in laws.items()]
    else:
        curves = [_curve("kinetic", laws)]
    if not curves:
        raise PictureError("there is no friction law to draw: give a law, or a dictionary from label to law")
    return curves


def _curves_of_system(system: Any) -> list[Curve]:
    """One curve per law and its values: contacts whose laws agree share it."""
    sharers: dict[Any, list[str]] = {}
    for contact, part in system.friction.items():
        key = (id(part.friction), tuple(system.law_values(contact).items()))
        sharers.setdefault(key, []).append(contact)
    return [
        _curve(_listed(contacts), system.friction[contacts[0]].friction, system.law_values(contacts[0]))
        for contacts in sharers.values()
    ]


def _listed(contacts: list[str]) -> str:
    return ", ".join(contacts) if len(contacts) < 4 else f"{contacts[0]} … {contacts[-1]} ({len(contacts)})"


def _curve(label: str, law: Any, values: Mapping[str, float] | None = None) -> Curve:
    if hasattr(law, "kinetic_value") and not isinstance(law, type):
        return Curve(label, lambda v: float(law.kinetic_value(v, values)), float(law.static_value(values)))
    try:
        return Curve(label, lambda v: float(law(v)), float(law(0.0)))
    except (TypeError, ValueError):
        raise PictureError(
            f"characteristic draws friction laws, functions of the slip speed, and systems, not {shown(law)}"
        ) from None


def _checked(speeds: Sequence[float] | Floats) -> Floats:
    try:
        v = np.unique(np.asarray(speeds, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise PictureError(f"the slip speeds are {shown(speeds)}: they must be numbers") from None
    if v.size < 2 or not np.all(np.isfinite(v)) or v[0] < 0:
        raise PictureError("the slip speeds must be at least two different numbers, none of them negative")
    return v


def _range(curve: Curve) -> float:
    """A speed up to which the law is worth seeing: six times that at which half of its change is done.

    A law may rise without bound (viscous friction), or end (a polynomial turns negative): only speeds up to
    there, and to 20 % above the static coefficient, count.
    """
    speeds, values = [], []
    for v in np.geomspace(1e-4, 1e3, 141):
        try:
            mu = curve.kinetic(float(v))
        except (ValueError, ArithmeticError):
            break
        if not 0 <= mu <= 1.2 * curve.static:
            break
        speeds.append(float(v))
        values.append(mu)
    if not values or max(values) - min(values) <= 1e-9 * max(values):
        return 1.0
    change = np.abs(np.array(values) - values[0])
    half = speeds[int(np.argmax(change >= 0.5 * change.max()))]
    return min(6 * half, speeds[-1])


def _draw(ax: Axes, curve: Curve, v: Floats, mu: Floats, color: str, dash: str) -> None:
    ax.plot(v, mu, color=color, linestyle=dash, linewidth=1.6, label=curve.label)
    if v[0] > 0:
        return
    dot: dict[str, Any] = {"color": color, "linestyle": "none", "marker": "o", "markersize": 6, "zorder": 3}
    ax.plot([0.0], [curve.static], **dot)
    if curve.static > mu[0] * (1 + 1e-9):
        ax.plot([0.0, 0.0], [mu[0], curve.static], color=color, linewidth=1.2, linestyle=":", zorder=2.5)
        ax.plot([0.0], [mu[0]], **dot, markerfacecolor="white", markeredgewidth=1.4)


def _limit(ax: Axes) -> None:
    """From zero up, so that sizes can be compared, with room at the left for the dots at rest."""
    right, top = ax.dataLim.x1, ax.dataLim.y1
    ax.set_xlim(-0.03 * right, right)
    ax.set_ylim(0.0, 1.08 * top or 1.0)


def _title(laws: Any) -> str:
    """What is drawn: the system's name, or the one law with its parameters."""
    if hasattr(laws, "law_values") and not isinstance(laws, type):
        return title_of_model(laws)
    if not hasattr(laws, "parameters"):
        return ""
    values = ", ".join(f"{parameter_symbol(name)} = {value:g}" for name, value in laws.parameters().items())
    function = getattr(laws, "function", None)
    name = plain(getattr(function, "__name__", type(laws).__name__))
    return f"{name}: {values}" if values else name


def _explain(ax: Axes) -> None:
    from matplotlib.lines import Line2D

    handles = ax.get_legend_handles_labels()[0]
    fills = {line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"}
    dot: dict[str, Any] = {"color": style.QUIET, "linestyle": "none", "marker": "o"}
    if fills - {"white"}:
        handles.append(Line2D([], [], **dot, label="static limit"))
    if "white" in fills:
        handles.append(Line2D([], [], **dot, markerfacecolor="white", label="onset of slip"))
    style.legend(ax, handles=handles)
