"""What a user gets: the public call `ss.sweep` with its defaults, rows and all, on the CPU.

    python bench/sweeps.py                  100,000 points of each case
    python bench/sweeps.py --points 10000   fewer

The forced oscillator of hinrichs1998, characteristic III, 300 + 100 periods: its diagram over η (mostly periodic); the
same at u₀ = 1 in a window where it is chaotic, so that no shortcut helps; 200 points, which are marched one by one; and
the diagram with three observations.
Beside the CPU time of the whole call stands that of the kernels, then what is spent outside of them; what the rows
take as they are kept, and as lines of the longest; and the peak of memory. Each case is a process of its own, and
compilation is not timed. Rows of chaotic motions are compared by statistics: the largest distance between the
distributions of release points at rtol = 1e-9 and at 1e-12 (Kolmogorov and Smirnov), beside what two independent
samples of as many motions differ by.
"""

import argparse
import resource
import subprocess
import sys
import threading
import time

import numpy as np

import stickslip as ss

PERIODS = (300, 100)
CASES = {
    "diagram": (0.5, (0.5, 2.0), None),
    "chaos": (1.0, (1.905, 1.93), None),
    "few points": (0.5, (0.5, 2.0), 200),
    "several": (0.5, (0.5, 2.0), None),
}
OBSERVED = {"several": [ss.observe.StickToSlip(), ss.observe.SlipToStick(), ss.observe.Strobe()]}


class Stopwatch:
    """CPU time that functions take, in all threads together."""

    def __init__(self) -> None:
        self.seconds, self._lock = 0.0, threading.Lock()

    def around(self, owner, name: str) -> None:
        """Time every call of one of its functions."""
        plain = getattr(owner, name)

        def timed(*arguments):
            begin = time.thread_time()
            try:
                return plain(*arguments)
            finally:
                with self._lock:
                    self.seconds += time.thread_time() - begin

        setattr(owner, name, timed)


def case(name: str, points: int) -> None:
    u0, (low, high), own = CASES[name]
    model, over = ss.models.forced_oscillator("III", u0=u0), {"base.eta": np.linspace(low, high, own or points)}
    observe = OBSERVED.get(name, "stick_to_slip")
    plan = ss.plan_sweep(model, over, periods=PERIODS, observe=observe)
    plan.compile()
    ss.sweep(model, {"base.eta": [low, high]}, periods=(1, 1))  # all is imported, too
    watch = Stopwatch()
    watch.around(plan.field.program, "observe")
    if plan.settings.lockstep:
        watch.around(plan.field.lanes, "travel_transients")
        watch.around(plan.field.lanes, "go_on_observed")
    wall, cpu = time.perf_counter(), time.process_time()
    data = ss.sweep(model, over, periods=PERIODS, observe=observe, progress=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    kept = data.packed(folded=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    count = plan.count
    print(
        f"{name}: {count:,} points, {count / cpu:,.0f} per second of CPU time: {cpu:.2f} s ({wall:.2f} s of wall "
        f"time), of which kernels {watch.seconds:.2f} s, the rest {1 - watch.seconds / cpu:.0%}"
    )
    print(
        f"  {rows(data, 'count'):,} rows, {rows(kept, 'row_size'):,} kept: {kept.nbytes / 1e6:.0f} MB with all "
        f"else, {data.nbytes / 1e6:.0f} MB as lines; peak of memory {peak:.2f} GB",
        flush=True,
    )


def rows(data, name: str) -> int:
    """How many rows all observations have together, by the arrays of that name."""
    return sum(int(data[each].sum()) for each in map(str, data.data_vars) if each.rpartition(".")[2] == name)


def statistics(points: int) -> None:
    """Where chaos makes every digit different, the distribution of releases is what there is to compare."""
    u0, (low, high), _ = CASES["chaos"]
    model = ss.models.forced_oscillator("III", u0=u0)
    etas = np.linspace(low, high, points)
    loose, tight, other = (
        ss.sweep(model, {"base.eta": eta}, periods=PERIODS, rtol=rtol).packed()["x.block"].values
        for eta, rtol in ((etas, 1e-9), (etas, 1e-12), (etas + 0.5 * (etas[1] - etas[0]), 1e-12))
    )
    print(
        f"  releases at two tolerances: distance {distance(loose, tight):.4f}; of others {distance(tight, other):.4f}"
    )


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference between the distributions of two samples.

    >>> distance(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    0.5
    """
    places = np.sort(np.concatenate([one, other]))
    parts = [np.searchsorted(np.sort(each), places, side="right") / len(each) for each in (one, other)]
    return float(np.max(np.abs(parts[0] - parts[1])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--case", choices=CASES)
    asked = parser.parse_args()
    if asked.case:
        case(asked.case, asked.points)
        return
    for name in CASES:
        subprocess.run([sys.executable, __file__, "--points", str(asked.points), "--case", name], check=True)
        if name == "chaos":
            statistics(min(asked.points, 4000))


if __name__ == "__main__":
    main()
