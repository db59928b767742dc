"""How probable it is that a recorded point lies in a class: hinrichs1998, Figs. 30 and 31."""

from __future__ import annotations

import numpy as np
import xarray as xr

from stickslip.arguments import pair
from stickslip.errors import SweepError
from stickslip.model.errors import check_number, check_whole, shown

MOST_CLASSES = 10**6
"""Finer than this no recorded point tells classes apart."""


def probabilities(
    diagram: xr.Dataset,
    state: str | None = None,
    *,
    classes: int = 40,
    within: tuple[float, float] | None = None,
    offset: float = 0.0,
) -> xr.Dataset:
    """The probability of a recorded point, class by class, along the swept parameters.

    Parameters
    ----------
    diagram : Sweep
        What `sweep` returned, for example with observe="stick_to_slip".
    state : str, optional
        Which state is divided into classes; the first position by default.
    classes : int, default 40
        How many classes, K.
    within : (float, float), optional
        The range that is divided, in the unit of the state; by default that of all recorded points.
    offset : float, default 0.0
        Taken from the state first (hinrichs1998 shows x_A − μF_N/c in Fig. 31).

    Returns
    -------
    xarray.Dataset
        `probability` over the parameters and `class`; the classes of width B = (x_max − x_min)/K have their centres as
        coordinate. Every row adds up to 1 where any point was recorded within the range.

    Raises
    ------
    SweepError
        If nothing was recorded, there is no such state, or a number is not allowed.

    See Also
    --------
    sweep : makes the diagram.
    plot.probabilities : the picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> diagram = ss.sweep(ss.models.forced_oscillator(), {"base.eta": [0.9, 1.15]}, periods=(100, 60))
    >>> found = probabilities(diagram, classes=10)
    >>> found.probability.sum("class").values.tolist()
    [1.0, 1.0]
    """
    values = _recorded(diagram, state) - check_number("offset", offset)
    check_whole("classes", classes, 1, MOST_CLASSES)
    known = values.values[np.isfinite(values.values)]
    if known.size == 0:
        raise SweepError("no point of this sweep has recorded anything: there is nothing to divide into classes")
    low, high = (float(known.min()), float(known.max())) if within is None else pair("within", within)
    if not low < high:
        if within is not None:
            raise SweepError(f"within is ({low:g}, {high:g}): the first number must be below the second")
        low, high = low - 0.5 * max(abs(low), 1e-300) * 1e-3, high + 0.5 * max(abs(high), 1e-300) * 1e-3
    edges = np.linspace(low, high, int(classes) + 1)
    counts = np.apply_along_axis(lambda row: np.histogram(row[np.isfinite(row)], edges)[0], -1, values.values)
    total = counts.sum(axis=-1, keepdims=True)
    axes = [str(name) for name in values.dims[:-1]]
    return xr.Dataset(
        {"probability": ((*axes, "class"), counts / np.maximum(total, 1)), "recorded": (axes, total[..., 0])},
        {"class": 0.5 * (edges[:-1] + edges[1:]), **{a: diagram[a] for a in axes if a in diagram.coords}},
        {
            **{key: diagram.attrs[key] for key in ("model_name", "title", "model", "version") if key in diagram.attrs},
            "state": str(values.name),
            "width": float(edges[1] - edges[0]),
            "offset": float(offset),
            "unit": str(diagram[str(values.name)].attrs.get("units", "")),
            "quantity": str(diagram[str(values.name)].attrs.get("quantity", "")),
        },
    )


def _recorded(diagram: xr.Dataset, state: str | None) -> xr.DataArray:
    """The recorded values of a state; the records are the last dimension."""
    found = isinstance(diagram, xr.Dataset) and "state" in diagram.coords
    states = [str(s) for s in diagram.coords["state"].values] if found else []
    recorded = [s for s in states if s in diagram]
    if not recorded:
        raise SweepError(
            "this is not a sweep with recorded points: give what `sweep` returned, with something to observe"
        )
    if state is not None and (not isinstance(state, str) or state not in recorded):
        raise SweepError(f"the sweep has recorded no state {shown(state)}; there are: {', '.join(recorded)}")
    name = state or next((s for s in recorded if s.startswith("x.")), recorded[0])
    return diagram[name]
