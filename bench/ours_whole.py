"""stickslip as in `ours`, but every cycle of a motion that repeats itself is travelled, as the peers do."""

from __future__ import annotations

from functools import partial

import flops
import numpy as np
import ours

import stickslip as ss

prepare = ours.prepare
ensemble = partial(ours.ensemble, shortcut=False)


def operations(V: np.ndarray, t_end: float, tol: float) -> float:
    """Floating-point operations of the Taylor expansions of `ensemble`: see `flops`."""
    model, start = ss.models.block_on_belt(), {"x.block": 1.1, "v.block": 0.0}
    counted = ss.sweep(model, {"belt.speed": V}, times=(0.0, t_end), start=start, observe=None, rtol=tol, threads=1)
    some, order = V[:: len(V) // 20], 20 if tol < ours.LEAST_LOOSE else 16
    changes = [{"belt.speed": float(speed)} for speed in some]
    return float(counted["steps"].sum()) * flops.per_step(model, changes, [t_end] * len(some), tol, order)
