"""How long single trajectories take by the march, and whether another checkout of the library is faster.

    python bench/march.py                               # milliseconds for each model, the least of many
    python bench/march.py --against ../other/src        # both in turn, so that both have the same luck
    python bench/march.py --run belt --times 100        # one model in this process, to be looked at by a profiler

Machines are noisy: two checkouts are compared by measuring them in turn, each in a process of its own, and by the least
time of each. Where that is too coarse, count instructions: under `valgrind --tool=callgrind` the difference between
`--times 10` and `--times 30` is that of 20 trajectories, to a part in 10⁴.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import stickslip as ss
from stickslip import models

SOURCE = Path(__file__).parents[1] / "src"
MODELS: dict[str, tuple[Callable[[], ss.System], float, int]] = {
    "belt": (models.block_on_belt, 20_000.0, 1),
    "forced III": (lambda: models.forced_oscillator("III", eta=1.0, u0=1.0), 20_000.0, 1),
    "two blocks": (models.two_blocks, 8_000.0, 1),
    "drill": (models.drill_string, 8_000.0, 1),
    "chain": (models.chain, 25.0, 30),
}
"""Models, how long they move, and how many times: a few milliseconds. The chain is chaotic, so that round-off would
make different motions of long ones in two checkouts."""


def trajectory(name: str) -> Callable[[], object]:
    """A call that does the trajectories of a model."""
    build, duration, times = MODELS[name]
    system = build()
    field = ss.Exact().compile(system)
    starts = np.array([system.start_state()] * times)
    return lambda: field.propagate(starts, duration)


def least(name: str, times: int) -> float:
    """The least of so many times, in milliseconds."""
    once = trajectory(name)
    once()
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        once()
        seconds.append(time.perf_counter() - began)
    return 1e3 * min(seconds)


def in_turn(name: str, sources: list[Path], times: int, rounds: int) -> list[float]:
    """The least time of each checkout; they are measured one after the other, again and again."""
    best = [float("inf")] * len(sources)
    for _ in range(rounds):
        for k, source in enumerate(sources):
            command = [sys.executable, __file__, "--run", name, "--times", str(times)]
            done = subprocess.run(
                command, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
            )
            best[k] = min(best[k], float(done.stdout))
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--against", type=Path, help="the src folder of another checkout")
    options.add_argument("--run", choices=list(MODELS), help="one model in this process; prints milliseconds")
    options.add_argument("--times", type=int, default=30, help="trajectories of which the least counts")
    options.add_argument("--rounds", type=int, default=8, help="processes for each checkout")
    chosen = options.parse_args()
    if chosen.run:
        print(least(chosen.run, chosen.times))
        return
    sources = [SOURCE] if chosen.against is None else [SOURCE, chosen.against.resolve()]
    for name in MODELS:
        ours, *others = in_turn(name, sources, chosen.times, chosen.rounds)
        print(f"{name:12} {ours:8.3f} ms" + "".join(f"   {o:8.3f} ms there: {ours / o - 1:+.1%}" for o in others))


if __name__ == "__main__":
    main()
