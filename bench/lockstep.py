"""Trajectories in lockstep and one by one, on the CPU: the diagram, a map, models of the library, chains of blocks.

    python bench/lockstep.py                    all of it, some minutes
    python bench/lockstep.py diagram library    parts of it

"diagram" is `ss.sweep` of the forced oscillator of hinrichs1998, characteristic III, with its rows: 2,000 values of η
in [0.2, 3], 300 + 100 periods, one thread. "map" is 500 × 500 points of it, η and the normal force in [1, 15], on all
cores; one by one, of every 50th row, and the time scaled. "library" lets 400 trajectories of each model go, with random
starts and parameters, rtol = 1e-10, every cycle travelled; "chains" a thousand of `models.chain(n)` to t = 20, rtol =
1e-9. CPU times without compiling, the least of three, of maps of one. "Given up" counts those left to the march.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import stickslip as ss

PERIODS = (300, 100)
LIBRARY: dict[str, tuple[float, float]] = {
    "excited_oscillator": (200.0, 0.3),
    "forced_oscillator": (200.0, 0.3),
    "drill_string": (200.0, 0.3),
    "block_on_belt": (200.0, 0.3),
    "bowed_string": (0.03, 1e-4),
    "block_and_pendulum": (100.0, 0.2),
    "two_blocks": (100.0, 0.3),
    "coulomb_oscillator": (60.0, 3.0),
}
"""Until when each model goes, and how far its starts are spread."""
BLOCKS = (3, 5, 8, 12)
FEW = 200
"""So few rows do not travel in lockstep."""


def timed(work: Callable[[], Any], repeats: int = 3) -> tuple[float, float, Any]:
    """The least CPU time and the wall time of a call, and what it returns."""
    best = (np.inf, np.inf)
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        found = work()
        best = min(best, (time.process_time() - processor, time.perf_counter() - wall))
    return *best, found


def swept(
    over: dict[str, Any], lockstep: bool, threads: int | None, repeats: int, **settings: Any
) -> tuple[float, float]:
    """CPU and wall time of a sweep of the forced oscillator."""
    model = ss.models.forced_oscillator("III")
    plan = ss.plan_sweep(model, over, periods=PERIODS, **settings)
    plan = replace(plan, settings=replace(plan.settings, lockstep=lockstep))
    plan.compile()

    def work() -> Any:
        if not lockstep:
            return plan.assemble({chunk.index: plan.run(chunk) for chunk in plan.chunks})
        return ss.sweep(model, over, periods=PERIODS, threads=threads, progress=False, **settings)

    return timed(work, repeats)[:2]


def diagram() -> None:
    over = {"base.eta": np.linspace(0.2, 3.0, 2000)}
    cases = (
        ("one by one", False, {}),
        ("in lockstep, rtol = 1e-8", True, {"rtol": 1e-8}),
        ("every cycle travelled, rtol = 1e-8", True, {"rtol": 1e-8, "shortcut": False}),
        ("every cycle travelled, rtol = 1e-10", True, {"rtol": 1e-10, "shortcut": False}),
    )
    print("diagram of the forced oscillator, 2,000 points, one thread")
    for title, lockstep, settings in cases:
        cpu, wall = swept(over, lockstep, 1, 3, **settings)
        print(f"  {title:36} {cpu:8.3f} s of CPU time, {wall:8.3f} s", flush=True)


def whole_map(points: int = 500, part: int = 50) -> None:
    loads, etas = np.linspace(1.0, 15.0, points), np.linspace(0.2, 3.0, points)
    over = {"contact.normal": loads, "base.eta": etas}
    print(f"map of the forced oscillator, {points} × {points} points, all cores")
    for title, settings in (("in lockstep", {}), ("every cycle travelled", {"shortcut": False})):
        cpu, wall = swept(over, True, None, 1, **settings)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"  {title:36} {cpu:8.1f} s of CPU time, {wall:8.1f} s, at most {memory:.2f} GB", flush=True)
    cpu, _ = swept({"contact.normal": loads[part // 2 :: part], "base.eta": etas}, False, None, 1)
    print(f"  {'one by one, 1 of ' + str(part) + ' run':36} {part * cpu:8.1f} s of CPU time", flush=True)


def both_ways(title: str, model: Any, end: float, spread: float, count: int, rtol: float) -> None:
    """Trajectories with random starts and parameters, in lockstep and in groups too small for that."""
    random = np.random.default_rng(7)
    begin, values = model.start_state(), np.array(list(model.parameters.values()))
    starts = begin + spread * random.standard_normal((count, len(begin)))
    parameters = values * (1 + 0.1 * random.standard_normal((count, len(values))))
    compiling = time.process_time()
    field = ss.Field.of(model, order=ss.Exact(rtol=rtol).taylor_order)
    assert field.lanes is not None
    compiling, left = time.process_time() - compiling, []

    def travelled(rows: slice) -> tuple[Any, Any]:
        return field.propagate(starts[rows], end, parameters=parameters[rows], rtol=rtol, shortcut=False)

    def alone() -> list[tuple[Any, Any]]:
        return [travelled(slice(first, first + FEW)) for first in range(0, count, FEW)]

    slow = timed(alone)[0]
    plain = ss.Field._one_by_one
    ss.Field._one_by_one = lambda self, *given: left.append(len(given[0])) or plain(self, *given)
    try:
        quick = timed(lambda: left.clear() or travelled(slice(None)))[0]
    finally:
        ss.Field._one_by_one = plain
    print(
        f"  {title:20} {slow:8.3f} s one by one, {slow / quick:5.1f} times as fast in lockstep; given up {sum(left)}; "
        f"compiled in {compiling:.1f} s",
        flush=True,
    )


def library() -> None:
    print("models of the library, 400 trajectories each")
    for name, (end, spread) in LIBRARY.items():
        both_ways(name, ss.models.LIBRARY[name](), end, spread, 400, 1e-10)


def chains() -> None:
    print("chains of blocks, 1,000 trajectories each")
    for blocks in BLOCKS:
        both_ways(f"{blocks} blocks", ss.models.chain(blocks), 20.0, 0.3, 1000, 1e-9)


PARTS = {"diagram": diagram, "map": whole_map, "library": library, "chains": chains}


def main() -> None:
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
