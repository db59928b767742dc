"""stickslip itself, with the API of the peers: `sweep` on the library's forced oscillator, one thread."""

from __future__ import annotations

import flops
import forced_cases
import numpy as np

import stickslip as ss

MOST = 400  # rows recorded per η
_steps: dict[tuple[str, int, float, bool], float] = {}


def prepare() -> None:
    """Compile both orders that `sweep` chooses from, untimed."""
    for tol in (1e-6, 1e-10):
        diagram(np.array([1.0]), (2, 2), tol)


def diagram(
    etas: np.ndarray, periods: tuple[float, float], tol: float, threads: int = 1, shortcut: bool = True
) -> list[np.ndarray]:
    """Return the stick→slip points (t, x) after the transient, one array per η."""
    model, over = forced_cases.chosen.model, {"base.eta": etas}
    data = ss.sweep(model, over, periods=periods, rtol=tol, most=MOST, threads=threads, shortcut=shortcut)
    assert not data["status"].any(), "every trajectory finishes"
    _steps[forced_cases.chosen.title, len(etas), tol, shortcut] = float(data["steps"].sum())
    return points(data)


def points(data) -> list[np.ndarray]:
    """Return the recorded points (t, x) of a sweep, one array per η."""
    counts = data["count"].values
    there = np.arange(data.sizes["record"]) < counts[:, None]
    packed = np.stack([data[name].values[there] for name in ("record_time", "x.block")], axis=-1)
    ends = np.cumsum(counts)
    return [packed[begin:end] for begin, end in zip(ends - counts, ends, strict=True)]


def operations(etas: np.ndarray, periods: tuple[float, float], tol: float, shortcut: bool = True) -> float:
    """Floating-point operations of the Taylor expansions of `diagram`: see `flops`."""
    model, key = forced_cases.chosen.model, (forced_cases.chosen.title, len(etas), tol, shortcut)
    if key not in _steps:
        diagram(etas, periods, tol, shortcut=shortcut)
    some = etas[:: max(1, len(etas) // 20)]
    changes, times = [{"base.eta": float(eta)} for eta in some], 40.0 * 2.0 * np.pi / some
    order = ss.plan_sweep(model, {"base.eta": etas}, periods=periods, rtol=tol).order
    return _steps[key] * flops.per_step(model, changes, times, tol, order)
