"""The bifurcation diagram of the forced oscillator (hinrichs1998, characteristic III) on a GPU.

    python bench/gpu.py            on a machine with a CUDA GPU and stickslip[gpu]
    python bench/gpu.py diagram    the diagram alone; "contacts" for the two blocks, "calls" for calls with other laws,
                                   "map" for a map of 2000 × 2000 points with signatures, "agreement" for what the CPU
                                   says of the same motions, with all kinds of observations

300 forcing periods of transient and 100 that are observed, at N values of η in [0.2, 3]. Prints trajectories per second
of the kernels that record nothing, and of whole calls: `ss.sweep` with its defaults, everything included, which records
the releases. Then registers and local memory per thread, how many points
lockstep left to the march, the share of the GPU's FP64 peak (of which the Taylor expansions alone are counted, see
`flops.py`, though most of their terms are in single precision; the peak is what multiply-adds in registers reach), and
how far the results are from the CPU's at rtol = 1e-12 where the motion is periodic: end state, and place and time of
the releases. Then two blocks on a belt, which have two contacts.

"calls" are `ss.sweep` with its defaults and rows for 10⁶ η and the laws of `forced_cases.py`, and in a window where
motions are chaotic, so that no shortcut helps: the first call of a process with an empty cache, then the best of three.
"""

import os
import sys
import tempfile
import time
from dataclasses import replace

import flops
import forced_cases
import numpy as np

import stickslip as ss
from stickslip.sweeps import trajectories
from stickslip.targets import cuda, ptx
from stickslip.targets.device import device
from stickslip.targets.modules import Library

MODEL = ss.models.forced_oscillator("III")
PERIODS = (300, 100)
RTOL = 1.5e-8


def kernel_seconds(plan) -> tuple[float, dict]:
    """The time that the kernels take, without copies; and these kernels."""
    spent, used = [], {}
    program = plan.field.lanes
    travel, kernel = program._travel_and_watch, program._kernel

    def timed(*arguments):
        device().finish()
        begin = time.perf_counter()
        travel(*arguments)  # which waits for its end
        spent.append(time.perf_counter() - begin)

    def noted(name, first):
        used[name] = kernel(name, first)
        return used[name]

    program._travel_and_watch, program._kernel = timed, noted
    try:
        plan.run(plan.chunks[0])
    finally:
        del program._travel_and_watch, program._kernel
    return sum(spent), used


MULTIPLY_ADD = """
from stickslip.kernels.records import Floats
from stickslip.kernels.warp import block_index, block_size, thread_index


def multiply_add(turns: int, found: Floats) -> None:
    a, b, c, d = 1.0, 1.1, 1.2, 1.3
    e, f, g, h = 1.4, 1.5, 1.6, 1.7
    x = 1.0 - 1e-9 * float(thread_index())
    for _ in range(turns):
        a = a * x + 1e-9
        b = b * x + 1e-9
        c = c * x + 1e-9
        d = d * x + 1e-9
        e = e * x + 1e-9
        f = f * x + 1e-9
        g = g * x + 1e-9
        h = h * x + 1e-9
    found[block_index() * block_size() + thread_index()] = a + b + c + d + e + f + g + h
"""


def peak(turns=20_000, blocks=132 * 16, threads=256) -> float:
    """Floating-point operations per second of multiply-adds that need no memory."""
    machine = device()
    architecture = ptx.Nvidia(machine.capability)
    library = Library({"peak": (compile(MULTIPLY_ADD, "peak.py", "exec"), MULTIPLY_ADD)})
    flat = cuda.lowered(library, "peak.multiply_add").flat
    kernel = ptx.Kernel("peak__multiply_add", "multiply_add", ptx.Memory({}, {}), threads)
    code = architecture.code(ptx.GpuTranslator(flat.functions, flat.arrays, kernel, architecture).module)
    loaded = machine.loaded(machine.assembled(code), kernel.name)
    found = machine.room(np.empty(blocks * threads))
    seconds = []
    for _ in range(3):
        machine.finish()
        begin = time.perf_counter()
        machine.launch(loaded, blocks, threads, turns, found)
        machine.finish()
        seconds.append(time.perf_counter() - begin)
    return 16.0 * turns * blocks * threads / min(seconds)


def operations(model, changes, times) -> float:
    """Floating-point operations of a Taylor expansion, the mean over some trajectories."""
    return flops.per_step(model, changes, times, RTOL, order=12)


def throughput(name: str, model, over, **settings) -> None:
    count = len(next(iter(over.values())))
    plan = ss.plan_sweep(model, over, observe=None, rtol=RTOL, target="cuda", chunk=count, **settings)
    begin = time.perf_counter()
    plan.compile()
    plan.run(ss.plan_sweep(model, over, observe=None, rtol=RTOL, target="cuda", chunk=64, **settings).chunks[0])
    print(f"{name}: first run after {time.perf_counter() - begin:.0f} s")
    left = []
    plain = trajectories._one_by_one
    trajectories._one_by_one = lambda *a: left.append(len(a[3])) or plain(*a)
    seconds = []
    for _ in range(2):
        left.clear()
        begin = time.perf_counter()
        found = plan.run(plan.chunks[0])
        seconds.append(time.perf_counter() - begin)
    trajectories._one_by_one = plain
    runs = [kernel_seconds(plan) for _ in range(5)]
    alone, used = min(seconds for seconds, _ in runs), runs[0][1]
    for kernel, compiled in used.items():
        facts = compiled.attributes
        print(f"  {kernel}: {facts.num_regs} registers, {facts.local_size_bytes} bytes local")
    steps = found["steps"].mean()
    whole = min(whole_call(model, over, **settings) for _ in range(2))
    print(
        f"{count:11,} points: {count / alone:12,.0f} trajectories/s (kernels), {count / min(seconds):12,.0f} "
        f"(a plan that records nothing), {count / whole:12,.0f} (ss.sweep, with rows)",
        flush=True,
    )
    print(f"  {steps:.0f} ticks each, {count * steps / alone:.2e} ticks/s; {sum(left)} left to the march")
    name, values = next(iter(over.items()))
    each = operations(model, [{name: float(value)} for value in values[:: count // 20][:20]], [200.0] * 20)
    best = peak()
    print(
        f"  at least {count * steps * each / alone / best:.0%} of the FP64 peak, {best / 1e12:.1f} Tflop/s", flush=True
    )


def whole_call(model, over, **settings) -> float:
    """Seconds of the call that a user makes, with the defaults of sweeps and all rows."""
    begin = time.perf_counter()
    data = ss.sweep(model, over, target="cuda", progress=False, **settings)
    spent = time.perf_counter() - begin
    assert int(data["count"].sum()) > 0
    return spent


def calls(count: int = 1_000_000) -> None:
    """What a user waits for, with other laws of friction and in chaos."""
    cases = dict(forced_cases.CASES)
    cases["chaos"] = replace(cases["III"], title="III at u₀ = 1", u0=1.0, low=1.905, high=1.93)
    for case in cases.values():
        over = {"base.eta": case.etas(count)}
        with tempfile.TemporaryDirectory() as empty:
            os.environ["STICKSLIP_CACHE"] = empty
            begin = time.perf_counter()
            ss.sweep(case.model, {"base.eta": case.etas(64)}, periods=PERIODS, target="cuda", progress=False)
            first = time.perf_counter() - begin
            seconds = [whole_call(case.model, over, periods=PERIODS) for _ in range(3)]
        print(
            f"forced oscillator {case.title}, {count:,} points, ss.sweep with rows: {count / min(seconds):,.0f} per s "
            f"({', '.join(f'{each:.2f}' for each in seconds)} s); first call, nothing cached: {first:.1f} s",
            flush=True,
        )


def signature_map(points: int = 2000) -> None:
    """A map of normal force and η, coloured by signatures."""
    over = {"contact.normal": np.linspace(1.0, 15.0, points), "base.eta": np.linspace(0.2, 3.0, points)}
    few = {name: values[:: points // 32] for name, values in over.items()}
    settings = {"periods": PERIODS, "observe": "signature", "target": "cuda", "progress": False}
    ss.sweep(MODEL, few, **settings)
    begin = time.perf_counter()
    data = ss.sweep(MODEL, over, **settings)
    seconds = time.perf_counter() - begin
    print(
        f"map of {points} × {points} with signatures: {seconds:.1f} s after compiling; "
        f"{float((data['status'] == 0).mean()):.2%} finished, {float((data['m'] > 0).mean()):.1%} periodic, "
        f"{len(np.unique(data['signature'].values)):,} signatures",
        flush=True,
    )


def accuracy() -> None:
    over = {"base.eta": np.linspace(0.2, 3.0, 400)}
    here = ss.sweep(MODEL, over, periods=PERIODS, rtol=1e-12, most=400, shortcut=False)
    there = ss.sweep(MODEL, over, periods=PERIODS, rtol=RTOL, most=400, target="cuda")
    periodic = here["m"].values > 0
    same = (here["n"].values == there["n"].values) & (here["m"].values == there["m"].values)
    print(f"of {periodic.sum()} periodic motions {same[periodic].mean():.1%} have the same n:m")
    last = [data.isel(record=slice(0, min(here.sizes["record"], there.sizes["record"]))) for data in (here, there)]
    for name in ("end_state", "x.block", "record_time"):
        data = (here, there) if name == "end_state" else last
        gap = np.abs(data[0][name].values - data[1][name].values)[periodic & same]
        worst = np.nanmax(np.where(np.isnan(gap), 0.0, gap), axis=1)
        print("error of {}: median {:.1e}, 99 % below {:.1e}".format(name, *np.quantile(worst, [0.5, 0.99])))


BOTH = ("status", "events", "n", "m", "count")
"""What a GPU and a CPU must say alike of a motion."""


def agreement(points: int = 2048) -> None:
    """What a GPU says, beside what the CPU says: laws, contacts and observations, motions too short for chaos."""
    observe = ss.observe
    block, speeds = ss.models.block_on_belt(), {"belt.speed": np.linspace(0.05, 0.9, points)}
    etas, forced = {"base.eta": np.linspace(0.6, 2.0, points)}, forced_cases.CASES["stribeck"].model
    crossings = [observe.Section("x.block", 0.5, "both"), observe.Maxima("v.block"), observe.StickToSlip()]
    cases = {
        "sections, maxima, releases": (block, speeds, {"times": (10, 30), "observe": crossings}),
        "Stribeck, strobes, signatures": (forced, etas, {"periods": (3, 4), "observe": ["strobe", "signature"]}),
        "table": (forced_cases.CASES["table"].model, etas, {"periods": (3, 4)}),
        "two blocks": (ss.models.two_blocks(), {"belt.speed": np.linspace(0.05, 0.2, points)}, {"times": (5, 20)}),
        "aging": (ss.models.aging_block(), {"belt.speed": np.linspace(0.1, 0.5, points)}, {"times": (10, 30)}),
        "five blocks": (ss.models.chain(5), {"belt.speed": np.linspace(0.05, 0.2, points)}, {"times": (2, 6)}),
    }
    for title, (model, over, settings) in cases.items():
        here, there = (ss.sweep(model, over, target=each, progress=False, **settings) for each in ("cpu", "cuda"))
        names = [str(name) for name in here.data_vars if str(name).rpartition(".")[2] in (*BOTH, "signature")]
        shares = {name: float(np.mean(here[name].values == there[name].values)) for name in names}
        gap = np.abs(here["end_state"].values - there["end_state"].values).max(axis=-1)
        print(
            f"{title}: {points} motions; alike {', '.join(f'{name} {share:.2%}' for name, share in shares.items())}; "
            f"end states: 99 % within {np.nanquantile(gap, 0.99):.1e}",
            flush=True,
        )


def main() -> None:
    parts = sys.argv[1:] or ["diagram", "contacts", "calls", "map", "agreement"]
    print(device().name, flush=True)
    if "diagram" in parts:
        for count in (200_000, 1_000_000):
            throughput("forced III", MODEL, {"base.eta": np.linspace(0.2, 3.0, count)}, periods=PERIODS)
        accuracy()
    if "contacts" in parts:
        speeds = np.linspace(0.05, 0.2, 200_000)
        throughput("two blocks", ss.models.two_blocks(), {"belt.speed": speeds}, times=(3000, 1000))
    if "calls" in parts:
        calls()
    if "map" in parts:
        signature_map()
    if "agreement" in parts:
        agreement()


if __name__ == "__main__":
    main()
