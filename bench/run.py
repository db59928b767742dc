"""Race stickslip against careful programs for other libraries: the same belt, the same error, CPU time.

    python bench/run.py                 both tasks
    python bench/run.py --task 1        one trajectory to t = 1000, error ≤ 1e-9 in the final state
    python bench/run.py --task 2        10,000 belt speeds to t = 200, error ≤ 1e-6 in every final state

Each contestant climbs a ladder of tolerances to the loosest that reaches the error; so that none is chosen by
luck, the next two must reach it too, and the cheapest of the three counts. Times are CPU times on one core,
the least of several repeats; the repeats of all contestants are interleaved, so that a noisy machine is noisy
for all. Runs of many seconds are repeated less often. Compilation is not timed. `flops.py` says what the share of
the core's FP64 peak counts.
"""

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import flops
import numpy as np
import reference

LADDER = [10.0 ** (-k / 2) for k in range(8, 29)]  # 1e-4, 3e-5, ... 1e-14
CONFIRM = 3  # so many neighbouring tolerances must reach the error
SHORTEST = 0.05  # seconds: shorter runs are timed several at a time
LONGEST = 10.0  # seconds: who has run so long in all is not repeated again


@dataclass(frozen=True)
class Contestant:
    name: str
    module: str
    share: int = 1  # run one of so many ensemble members, and scale the time
    tasks: tuple[int, ...] = (1, 2)


CONTESTANTS = [
    Contestant("stickslip", "ours"),
    # ours, where motions that repeat themselves go on all the same
    Contestant("every cycle", "ours_whole", tasks=(2,)),
    Contestant("heyoka.py", "peer_heyoka"),  # its ensemble runs in batch mode
    Contestant("heyoka scalar", "peer_heyoka_scalar", share=10, tasks=(2,)),
    Contestant("scipy", "peer_scipy", share=200),
]


@dataclass(frozen=True)
class Work:
    """What a contestant has to do: the call, by tolerance; the error of what it returns; the factor for its time."""

    call: Callable[[float], Any]
    error: Callable[[Any], float]
    scale: int = 1
    operations: Callable[[float], float] | None = None  # floating-point operations, where they are counted


@dataclass
class Entry:
    """A contestant at one tolerance that reaches the error."""

    name: str
    tol: float
    error: float
    work: Work
    seconds: float = np.inf


def single_task(module, share):
    """One trajectory."""
    V, t_end = 0.2, 1000.0
    exact = reference.final_states(V, t_end)[0]
    return Work(lambda tol: module.single(V, t_end, tol), lambda found: abs(np.asarray(found) - exact).max())


def ensemble_task(module, share):
    """Ten thousand trajectories or an even share of them."""
    V, t_end = np.linspace(0.02, 0.5, 10_000)[share // 2 :: share], 200.0
    exact = reference.final_states(V, t_end)
    counts = (lambda tol: module.operations(V, t_end, tol)) if hasattr(module, "operations") else None
    return Work(lambda tol: module.ensemble(V, t_end, tol), lambda found: abs(found - exact).max(), share, counts)


TASKS = {
    1: ("one trajectory, V = 0.2, to t = 1000", single_task, 1e-9),
    2: ("10,000 trajectories, V in [0.02, 0.5], to t = 200", ensemble_task, 1e-6),
}


def qualify(contestant, task, allowed, loosest=LADDER[0]):
    """Return the entries at the loosest neighbouring tolerances that all reach the allowed error."""
    module = importlib.import_module(contestant.module)
    module.prepare()
    work = task(module, contestant.share)
    entries = []
    for tol in LADDER[LADDER.index(loosest) :]:
        try:
            error = float(work.error(work.call(tol)))
        except RuntimeError:  # at loose tolerances an end of slip may be passed
            error = np.inf
        if not error <= allowed:
            entries.clear()
            continue
        entries.append(Entry(contestant.name, tol, error, work))
        if len(entries) == CONFIRM:
            break
    return entries


def measure(entries, repeats):
    """Fill in the least CPU time of each entry, the repeats of all entries interleaved."""
    spent = [cpu_time(entry, 1) for entry in entries]
    loops = [max(1, int(SHORTEST / seconds)) for seconds in spent]
    for entry, seconds in zip(entries, spent, strict=True):
        entry.seconds = entry.work.scale * seconds
    for _ in range(repeats):
        for i, (entry, count) in enumerate(zip(entries, loops, strict=True)):
            if spent[i] < LONGEST:
                seconds = cpu_time(entry, count)
                spent[i] += count * seconds
                entry.seconds = min(entry.seconds, entry.work.scale * seconds)


def cpu_time(entry, count):
    start = time.process_time()
    for _ in range(count):
        entry.work.call(entry.tol)
    return max(time.process_time() - start, 1e-9) / count


def race(contestants, task, allowed, repeats, loosest=LADDER[0]):
    """Let all contestants do a task, and print who took how long."""
    entries, remarks = [], {}
    for contestant in contestants:
        try:
            qualified = qualify(contestant, task, allowed, loosest)
        except ImportError as missing:
            remarks[contestant.name] = f"missing ({missing})"
            continue
        entries += qualified
        if sys.stderr.isatty():
            print(f"  {contestant.name}: {len(qualified)} tolerances", file=sys.stderr)
        if not qualified:
            remarks[contestant.name] = "does not reach the error"
        elif qualified[0].work.scale > 1:
            remarks[contestant.name] = f"1 of {contestant.share} run, time scaled"
    measure(entries, repeats)
    best = {}
    for entry in sorted(entries, key=lambda entry: entry.seconds):
        best.setdefault(entry.name, entry)
    print_table([contestant.name for contestant in contestants], best, remarks)


def print_table(names, best, remarks):
    ours = best.get(names[0])
    peak = flops.peak() if any(entry.work.operations for entry in best.values()) else None
    print(f"  {'':13} {'tolerance':>9} {'error':>8} {'CPU time':>11} {'ratio':>8}{'  of FP64 peak' if peak else ''}")
    for name in names:
        remark = remarks.get(name, "")
        if name not in best:
            print(f"  {name:13} {remark}")
            continue
        entry = best[name]
        ratio = f"{entry.seconds / ours.seconds:.3g}" if ours else "–"
        spent = f"{1e3 * entry.seconds:.4g} ms" if entry.seconds < 1 else f"{entry.seconds:.4g} s"
        share = f"{share_of(peak, entry):>14}" if peak else ""
        print(f"  {name:13} {entry.tol:9.1e} {entry.error:8.1e} {spent:>11} {ratio:>8}{share}   {remark}".rstrip())
    if peak:
        print(f"  FP64 peak of the core: {peak / 1e9:.1f} Gflop/s (matrix product); counted: Taylor expansions alone")


def share_of(peak, entry):
    if entry.work.operations is None:
        return "–"
    return f"≥ {entry.work.operations(entry.tol) / entry.seconds / peak:.1%}"


def print_machine(core):
    try:
        with open("/proc/cpuinfo") as file:
            processor = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor()
    names = ("numpy", "scipy", "llvmlite", "heyoka", "numba", "diffrax", "jaxlib")
    packages = ", ".join(f"{name} {found}" for name in names if (found := version_of(name)))
    print(f"{processor}, pinned to core {core}; load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, {packages}")


def version_of(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--task", type=int, choices=sorted(TASKS), action="append")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    print_machine(arguments.core)
    for number in arguments.task or sorted(TASKS):
        title, task, allowed = TASKS[number]
        print(f"\nTask {number}: {title}, error ≤ {allowed:.0e}")
        race([c for c in CONTESTANTS if number in c.tasks], task, allowed, arguments.repeats)


if __name__ == "__main__":
    main()
