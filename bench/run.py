"""Race stickslip against careful programs for other libraries: the same belt, the same error, CPU time.

    python bench/run.py                 both tasks
    python bench/run.py --task 1        one trajectory to t = 1000, error ≤ 1e-9 in the final state
    python bench/run.py --task 2        10,000 belt speeds to t = 200, error ≤ 1e-6 in every final state

Each contestant climbs a ladder of tolerances to the loosest that reaches the error; so that none is chosen by
luck, the next two must reach it too, and the cheapest of the three counts. Times are CPU times on one core,
the least of several repeats; the repeats of all contestants are interleaved, so that a noisy machine is noisy
for all. Compilation is not timed.
"""

import argparse
import importlib
import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import reference

LADDER = [10.0 ** (-k / 2) for k in range(8, 29)]  # 1e-4, 3e-5, ... 1e-14
CONFIRM = 3  # so many neighbouring tolerances must reach the error
SHORTEST = 0.05  # seconds: shorter runs are timed several at a time


@dataclass(frozen=True)
class Contestant:
    name: str
    module: str
    share: int = 1  # run one of so many ensemble members, and scale the time
    tasks: tuple[int, ...] = (1, 2)


CONTESTANTS = [
    Contestant("stickslip", "ours"),
    Contestant("heyoka.py", "peer_heyoka"),  # its ensemble runs in batch mode
    Contestant("heyoka scalar", "peer_heyoka_scalar", share=10, tasks=(2,)),
    Contestant("scipy", "peer_scipy", share=200),
]


@dataclass
class Entry:
    """A contestant at one tolerance that reaches the error."""

    name: str
    tol: float
    error: float
    call: object
    scale: int
    seconds: float = np.inf


def single_task(module, share):
    """One trajectory: the call, its reference, and the factor for its time."""
    V, t_end = 0.2, 1000.0
    return lambda tol: module.single(V, t_end, tol), reference.final_states(V, t_end)[0], 1


def ensemble_task(module, share):
    """Ten thousand trajectories or an even share of them: the call, its reference, the time's factor."""
    V, t_end = np.linspace(0.02, 0.5, 10_000)[share // 2 :: share], 200.0
    return lambda tol: module.ensemble(V, t_end, tol), reference.final_states(V, t_end), share


TASKS = {
    1: ("one trajectory, V = 0.2, to t = 1000", single_task, 1e-9),
    2: ("10,000 trajectories, V in [0.02, 0.5], to t = 200", ensemble_task, 1e-6),
}


def qualify(contestant, task, allowed):
    """Return the entries at the loosest neighbouring tolerances that all reach the allowed error."""
    module = importlib.import_module(contestant.module)
    module.prepare()
    call, exact, scale = task(module, contestant.share)
    entries = []
    for tol in LADDER:
        error = float(abs(np.asarray(call(tol)) - exact).max())
        if not error <= allowed:
            entries.clear()
            continue
        entries.append(Entry(contestant.name, tol, error, call, scale))
        if len(entries) == CONFIRM:
            break
    return entries


def measure(entries, repeats):
    """Fill in the least CPU time of each entry, the repeats of all entries interleaved."""
    loops = [max(1, int(SHORTEST / cpu_time(entry, 1))) for entry in entries]
    for _ in range(repeats):
        for entry, count in zip(entries, loops, strict=True):
            entry.seconds = min(entry.seconds, entry.scale * cpu_time(entry, count))


def cpu_time(entry, count):
    start = time.process_time()
    for _ in range(count):
        entry.call(entry.tol)
    return max(time.process_time() - start, 1e-9) / count


def race(number, repeats):
    title, task, allowed = TASKS[number]
    print(f"\nTask {number}: {title}, error ≤ {allowed:.0e}")
    entries, remarks = [], {}
    for contestant in (c for c in CONTESTANTS if number in c.tasks):
        try:
            qualified = qualify(contestant, task, allowed)
        except ImportError as missing:
            remarks[contestant.name] = f"missing ({missing})"
            continue
        entries += qualified
        if not qualified:
            remarks[contestant.name] = "does not reach the error"
        elif contestant.share > 1 and number == 2:
            remarks[contestant.name] = f"1 of {contestant.share} run, time scaled"
    measure(entries, repeats)
    best = {}
    for entry in sorted(entries, key=lambda entry: entry.seconds):
        best.setdefault(entry.name, entry)
    print_table(best, remarks, number)


def print_table(best, remarks, number):
    ours = best.get(CONTESTANTS[0].name)
    print(f"  {'':13} {'tolerance':>9} {'error':>8} {'CPU time':>11} {'ratio':>8}")
    for contestant in (c for c in CONTESTANTS if number in c.tasks):
        name, remark = contestant.name, remarks.get(contestant.name, "")
        if name not in best:
            print(f"  {name:13} {remark}")
            continue
        entry = best[name]
        ratio = f"{entry.seconds / ours.seconds:.3g}" if ours else "–"
        spent = f"{1e3 * entry.seconds:.4g} ms" if entry.seconds < 1 else f"{entry.seconds:.4g} s"
        print(f"  {name:13} {entry.tol:9.1e} {entry.error:8.1e} {spent:>11} {ratio:>8}   {remark}".rstrip())


def print_machine(core):
    try:
        with open("/proc/cpuinfo") as file:
            processor = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "llvmlite", "heyoka"))
    print(f"{processor}, pinned to core {core}; load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, {packages}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--task", type=int, choices=sorted(TASKS), action="append")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    print_machine(arguments.core)
    for number in arguments.task or sorted(TASKS):
        race(number, arguments.repeats)


if __name__ == "__main__":
    main()
