"""Sweeps as pages want them: coarse first, in pieces that take a moment each, until somebody stops them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from stickslip.arrays import Ints
from stickslip.sweeps.layout import Results
from stickslip.sweeps.plan import Chunk, Plan

MOMENT = 0.08
"""Seconds that a piece should take."""

FIRST, MOST = 8, 1024
"""Points of the first piece, and of the largest."""


def pieces(plan: Plan, is_stopped: Callable[[], bool]) -> Iterator[tuple[Ints, Results]]:
    """The results of a plan without `carry`, piece by piece: the numbers of points, and their arrays."""
    plan.compile()
    first, size = 0, FIRST
    while first < plan.count and not is_stopped():
        last = min(first + size, plan.count)
        begin = time.perf_counter()
        found = plan.run(Chunk(0, first, last), is_stopped)
        taken = max(time.perf_counter() - begin, 1e-4)
        yield np.arange(first, last), found
        first, size = last, int(np.clip(size * MOMENT / taken, max(1, size // 4), min(MOST, 2 * size)))
