"""When something stops: an asperity on the surface it slides on, and the block that it carries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import xarray as xr

from stickslip.arrays import Floats
from stickslip.model.errors import check_number
from stickslip.result import Result, Steps, steps_of

ASPERITY, BLOCK = "asperity", "block"


def stops(run: xr.Dataset, *, least: float = 1e-6) -> Result:
    """The stops of every contact, those of its asperity and those of its block told apart.

    On a rigid contact both are one: the block stops where slip turns into stick, and where slip reverses. On an elastic
    one the block may come to rest while its asperity slips on, and swing while it sticks. The zeros are those of the
    step polynomials. Reference: hinrichs1998 Sec. 7.2.

    Parameters
    ----------
    run : Run
        The run, with its step polynomials.
    least : float, default 1e-6
        Swings of the block in which its sliding velocity stays below this part of its largest do not count; after an
        elastic contact has begun to stick they die away, but never end.

    Returns
    -------
    xarray.Dataset
        Along `stop`, in the order of time: `stop_time`, `stop_contact` and `stop_kind`, "asperity" where slip turns
        into stick, "block" where the sliding velocity of the block itself passes zero. Along `contact`: how many there
        are, `asperity_stops` and `block_stops`.

    Raises
    ------
    ResultError
        If the run has no step polynomials.
    ModelError
        If `least` is not allowed.

    See Also
    --------
    CompliantContact : an elastic contact.
    simulate : makes the run.

    Examples
    --------
    >>> import stickslip as ss
    >>> found = stops(ss.simulate(ss.models.block_on_belt(), t=30))
    >>> found.asperity_stops.values.tolist(), found.block_stops.values.tolist()
    ([3], [3])
    """
    check_number("stops: least", least, nonnegative=True)
    steps = steps_of(run)
    rows: list[tuple[float, str, str]] = []
    for i, name in enumerate(map(str, run["contact"].values)):
        mine = (run["event_contact"].values == name) & (run["event_after"].values == 0)
        mine &= run["event_before"].values != 0
        rows += [(float(t), name, ASPERITY) for t in run["event_time"].values[mine]]
        rows += [(t, name, BLOCK) for t in _zeros(steps, _sliding(run, steps, i, name), least)]
    rows.sort(key=lambda row: row[0])
    contacts = [str(name) for name in run["contact"].values]
    counts = {kind: [sum(r[1:] == (name, kind) for r in rows) for name in contacts] for kind in (ASPERITY, BLOCK)}
    return Result(
        {
            "stop_time": ("stop", np.array([row[0] for row in rows], float)),
            "stop_contact": ("stop", np.array([row[1] for row in rows], dtype=np.str_)),
            "stop_kind": ("stop", np.array([row[2] for row in rows], dtype=np.str_)),
            "asperity_stops": ("contact", np.array(counts[ASPERITY], int)),
            "block_stops": ("contact", np.array(counts[BLOCK], int)),
        },
        {"contact": np.array(contacts, dtype=np.str_)},
    )


def _sliding(run: xr.Dataset, steps: Steps, contact: int, name: str) -> Floats:
    """The sliding velocity w of the block on every step, as a polynomial: ż = s u − w for a deflection z."""
    asperity: Floats = steps.slip_velocity[:, contact]
    names = [str(state) for state in run["state"].values]
    if f"deflection.{name}" not in names:
        return asperity
    z = steps.state[:, names.index(f"deflection.{name}")]
    rate = np.zeros_like(z)
    rate[:, :-1] = z[:, 1:] * np.arange(1, z.shape[1])
    return asperity - rate


def _zeros(steps: Steps, w: Floats, least: float) -> list[float]:
    """Where w leaves the side it was on: for the other side, or for rest."""
    scaled = w * steps.length[:, None] ** np.arange(w.shape[1])  # in the fraction of the step
    size = float(np.max(np.abs(scaled @ np.vander(np.linspace(0, 1, 9), w.shape[1], increasing=True).T), initial=0.0))
    found: list[float] = []
    side = 0
    for k, series in enumerate(scaled):
        # A step that cannot reach zero, which most do not, needs no roots.
        inside = [] if abs(series[0]) > np.sum(np.abs(series[1:])) else _roots(series)
        edges = [0.0, *inside, 1.0]
        for low, high in pairwise(edges):
            between = np.polynomial.polynomial.polyval(np.linspace(low, high, 9), series)
            swing = float(between[np.argmax(np.abs(between))])
            now = 0 if abs(swing) <= least * size else 1 if swing > 0 else -1
            if side not in (0, now):
                at = low if abs(between[0]) <= 1e-12 * size or now != 0 else high
                found.append(float(steps.start[k] + at * steps.length[k]))
            side = now
    return found


def _roots(series: Floats) -> list[float]:
    """The real zeros of a polynomial in (0, 1), where its sign changes."""
    size = float(np.max(np.abs(series)))
    if size == 0.0:
        return []
    roots = np.polynomial.polynomial.polyroots(np.trim_zeros(np.where(np.abs(series) > 1e-18 * size, series, 0.0), "b"))
    real = np.sort(roots[(np.abs(roots.imag) < 1e-7) & (roots.real > 0) & (roots.real < 1)].real)
    slope = np.polynomial.polynomial.polyder(series)
    kept = []
    for x in real:
        for _ in range(3):
            down = np.polynomial.polynomial.polyval(x, slope)
            x = x - np.polynomial.polynomial.polyval(x, series) / down if down != 0 else x
        if 0 < x < 1:
            kept.append(float(x))
    return kept
