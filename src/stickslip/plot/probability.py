"""Pictures of probabilities of recorded points: a shade per class along a parameter, or bars at one value of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip.errors import PictureError
from stickslip.plot import style
from stickslip.plot.labels import named_state, parameter_label, title_of

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

LEVELS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
"""Where one shade ends and the next begins: from never to nearly always."""

SHADES = ("#FFFFFF", "#E8EDF2", "#C9D5E0", "#9FB4C8", "#6C8CAB", "#3B6187", "#12304F")


def probabilities(data: xarray.Dataset, ax: Axes | None = None) -> Axes:
    """Draw the probability of a recorded point: by shades along a parameter, or as bars where there is none.

    With one swept parameter it is drawn as in hinrichs1998, Fig. 31, at a single value of it as in Fig. 30.

    Parameters
    ----------
    data : xarray.Dataset
        What `stickslip.probabilities` returned, or one value of its parameter (`data.isel(...)`).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    PictureError
        If these are no probabilities, or they are along more than one parameter.

    See Also
    --------
    bifurcation : The points themselves.
    stickslip.probabilities : Counts them.

    Examples
    --------
    >>> import stickslip as ss
    >>> diagram = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2, 0.3]}, times=(20, 40))
    >>> found = ss.probabilities(diagram, classes=10)
    >>> ss.plot.probabilities(found.isel({"belt.speed": 0})).get_ylabel()
    'probability of a class'
    """
    if "probability" not in getattr(data, "data_vars", ()):
        raise PictureError("these are no probabilities: give what `stickslip.probabilities` returned")
    axes_names = [str(name) for name in data["probability"].dims if name != "class"]
    if len(axes_names) > 1:
        raise PictureError(f"give probabilities along one parameter; these are along {', '.join(axes_names)}")
    shift = f" − {data.attrs['offset']:.4g}" if data.attrs.get("offset") else ""
    unit = str(data.attrs.get("unit", ""))
    name = named_state(str(data.attrs["state"]), "", str(data.attrs.get("quantity", "")))
    label = name + shift + (f" ({unit})" if unit else "")
    with style.canvas(ax, 7.6, 4.6) as axes:
        if axes_names:
            _shades(axes, data, axes_names[0])
            axes.set_xlabel(parameter_label(data, axes_names[0]))
            axes.set_ylabel(label)
        else:
            axes.bar(data["class"].values, data["probability"].values, width=data.attrs["width"], color=style.SLIP)
            axes.set_xlabel(label)
            axes.set_ylabel("probability of a class")
        style.header(axes, title_of(data), [])
    return axes


def _shades(axes: Axes, data: xarray.Dataset, parameter: str) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    axes.grid(False)
    values = np.asarray(data[parameter].values, float)
    table = data["probability"].transpose("class", parameter).values
    order = np.argsort(values)
    norm = BoundaryNorm(LEVELS, len(SHADES))
    mesh = axes.pcolormesh(
        values[order], data["class"].values, table[:, order], cmap=ListedColormap(SHADES), norm=norm, shading="nearest",
        rasterized=True,
    )  # fmt: skip
    bar = axes.figure.colorbar(mesh, ax=axes, ticks=LEVELS, pad=0.02, spacing="uniform")
    bar.set_ticklabels([f"{level:g}" for level in LEVELS])
    bar.set_label("probability of a class")
    bar.outline.set_visible(False)
