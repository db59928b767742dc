"""The bifurcation diagram of the forced oscillator (hinrichs1998, characteristic III) on a GPU.

    python bench/gpu.py            on a machine with a CUDA GPU and stickslip[gpu]

300 forcing periods of transient and 100 that are observed, at N values of η in [0.2, 3]. Prints trajectories per second
of the kernel alone and of the whole call, registers and local memory per thread, and how far the results are from the
CPU's at rtol = 1e-12 where the motion is periodic.
"""

import time

import numpy as np
from numba import cuda

import stickslip as ss
from stickslip.targets.cuda import _OBSERVE

MODEL = ss.models.forced_oscillator("III")
PERIODS = (300, 100)


def throughput(count: int) -> None:
    over = {"base.eta": np.linspace(0.2, 3.0, count)}
    plan = ss.plan_sweep(MODEL, over, periods=PERIODS, observe=None, rtol=1e-8, target="cuda", chunk=count)
    plan.compile()
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        plan.run(plan.chunks[0])
        seconds.append(time.perf_counter() - begin)
    kernel = plan.field.program._kernel(_OBSERVE, "observe_kernel")
    registers, local = (
        next(iter(found.values())) for found in (kernel.get_regs_per_thread(), kernel.get_local_mem_per_thread())
    )
    print(f"{count:9,} η: {count / min(seconds):12,.0f} trajectories/s; {registers} registers, {local} bytes local")


def accuracy() -> None:
    over = {"base.eta": np.linspace(0.2, 3.0, 400)}
    here = ss.sweep(MODEL, over, periods=PERIODS, rtol=1e-12, most=200)
    there = ss.sweep(MODEL, over, periods=PERIODS, rtol=1e-8, most=200, target="cuda")
    periodic = here["m"].values > 0
    same = (here["n"].values == there["n"].values) & (here["m"].values == there["m"].values)
    error = np.abs(here["end_state"].values - there["end_state"].values).max(axis=1)[periodic]
    print(f"of {periodic.sum()} periodic motions {same[periodic].mean():.1%} have the same n:m")
    print("error of the end state: median {:.1e}, 99 % below {:.1e}".format(*np.quantile(error, [0.5, 0.99])))


def main() -> None:
    print(cuda.get_current_device().name)
    for count in (20_000, 200_000, 1_000_000):
        throughput(count)
    accuracy()


if __name__ == "__main__":
    main()
