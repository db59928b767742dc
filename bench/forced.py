"""Race for the bifurcation diagram of the forced oscillator (hinrichs1998, characteristic III), to the same error.

    python bench/forced.py              CPU time on one core; then stickslip on one and two threads
    python bench/forced.py --law NAME   with another law of friction: see `forced_cases.py`
    python bench/forced.py --gpu        trajectories per second on a CUDA GPU, against diffrax on the same GPU
    python bench/forced.py --contacts   one contact and two on a CUDA GPU
    python bench/forced.py --map        a map of 2000 × 2000 points on a CUDA GPU

2,000 values of η in [0.2, 3], with other laws 500 in [0.5, 2]; 300 periods of the excitation for the transient and 100
in which stick→slip points are recorded. The error is taken where the motion is periodic: for each recorded point the
distance in x and in the time modulo the period, whichever is greater, to the nearest point of the reference, and the
other way round, so that no point may be missing. 99 % of these must be below 1e-6. The reference is stickslip's at
rtol = 1e-13, which DOP853 of scipy at rtol = 1e-12 confirms at some η at every run. Tolerances, times and repeats are
as in `run.py`.
"""

import argparse
import functools
import os
import time

import forced_cases
import numpy as np

PERIODS = (300, 100)
MANY = 20_000
ALLOWED = 1e-6
PART = 0.99  # of the points must be so good
CHECKED = 5  # η at which another program confirms the reference
GPU_LADDER = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10]


def reference(etas):
    """Return the points at every η, and whether the motion is periodic there, with points."""
    import forced_ours

    import stickslip as ss

    model, over = forced_cases.chosen.model, {"base.eta": etas}
    data = ss.sweep(model, over, periods=PERIODS, rtol=1e-13, most=forced_ours.MOST, shortcut=False)
    return forced_ours.points(data), ((data["m"] > 0) & (data["n"] > 0)).values


def distances(found, exact, eta):
    """Distances of found points from the nearest exact ones, and of exact from the nearest found ones."""
    if not len(found):
        return np.full(len(exact), np.inf)
    period = 2.0 * np.pi / eta
    late = (found[:, None, 0] - exact[None, :, 0] + 0.5 * period) % period - 0.5 * period
    distance = np.maximum(abs(late), abs(found[:, None, 1] - exact[None, :, 1]))
    return np.concatenate([distance.min(axis=0), distance.min(axis=1)])


def error_of(found, exact, etas, periodic):
    """The distance below which PART of all points of periodic motions are."""
    each = [distances(found[i], exact[i], etas[i]) for i in np.flatnonzero(periodic)]
    return float(np.quantile(np.concatenate(each), PART, method="higher"))


def diagram_task(etas, exact, periodic):
    """The whole diagram or an even share of it, as a task of `run`."""
    import run

    def task(module, share):
        part = slice(share // 2, None, share)
        mine, points, good = etas[part], exact[part], periodic[part]
        counts = (lambda tol: module.operations(mine, PERIODS, tol)) if hasattr(module, "operations") else None
        return run.Work(
            lambda tol: module.diagram(mine, PERIODS, tol),
            lambda found: error_of(found, points, mine, good),
            share,
            counts,
        )

    return task


def confirm(etas, exact, periodic):
    """Print how far the reference is from what scipy finds."""
    import forced_scipy

    chosen = np.flatnonzero(periodic)[:: periodic.sum() // CHECKED][:CHECKED]
    found = forced_scipy.diagram(etas[chosen], PERIODS, 1e-12)
    far = [distances(a, exact[i], etas[i]).max() for a, i in zip(found, chosen, strict=True)]
    values = ", ".join(f"{eta:.3f}" for eta in etas[chosen])
    print(f"  periodic at {periodic.sum()} of {len(etas)} η; DOP853 at η = {values} is within {max(far):.1e}")


def on_cpu(repeats, only):
    import run

    case = forced_cases.chosen
    contestants = [
        run.Contestant("stickslip", "forced_ours"),
        run.Contestant("every cycle", "forced_whole"),  # ours, where motions that repeat themselves go on all the same
    ]
    if case.symbolic is not None:
        contestants.append(run.Contestant("heyoka.py", "forced_heyoka"))
        contestants.append(run.Contestant("heyoka scalar", "forced_heyoka_scalar", share=10))
    if case.law is None:
        contestants.append(run.Contestant("diffrax", "forced_diffrax", share=10))
    contestants.append(run.Contestant("scipy", "forced_scipy", share=case.count // 5))
    contestants = [c for c in contestants if not only or c.name in only]
    core = max(os.sched_getaffinity(0))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    run.print_machine(core)
    etas = case.etas()
    print(
        f"\nForced oscillator {case.title}, {case.count} η in [{case.low}, {case.high}], {PERIODS[0]} + {PERIODS[1]} "
        f"periods, error ≤ {ALLOWED:.0e}"
    )
    exact, periodic = reference(etas)
    confirm(etas, exact, periodic)
    run.race(contestants, diagram_task(etas, exact, periodic), ALLOWED, repeats, run.LADDER[2])
    os.sched_setaffinity(0, cores)
    print_threads(repeats)


def print_threads(repeats):
    """Wall time of the whole sweep on one and on two threads; and of one that is not over at once."""
    import forced_ours

    if len(os.sched_getaffinity(0)) < 2:
        print("  one core: no scaling to show")
        return
    for etas in (forced_cases.chosen.etas(), forced_cases.chosen.etas(MANY)):
        seconds = {1: np.inf, 2: np.inf}
        for _ in range(repeats):
            for threads in seconds:
                start = time.perf_counter()
                forced_ours.diagram(etas, PERIODS, 1e-8, threads)
                seconds[threads] = min(seconds[threads], time.perf_counter() - start)
        print(
            f"  stickslip at rtol = 1e-8, {len(etas):,} η, wall time: one thread {seconds[1]:.3g} s, two "
            f"{seconds[2]:.3g} s, {seconds[1] / seconds[2]:.2f} times as fast; load {os.getloadavg()[0]:.1f}"
        )


# -- GPU ---------------------------------------------------------------------------------------------------------------


def ours_on_gpu(etas, tol, record, periods=PERIODS):
    import forced_ours

    import stickslip as ss

    keywords = {"most": forced_ours.MOST} if record else {"observe": None}
    over = {"base.eta": etas}
    model = forced_cases.chosen.model
    data = ss.sweep(model, over, periods=periods, rtol=tol, target="cuda", chunk=len(etas), **keywords)
    return forced_ours.points(data) if record else data


def diffrax_on_gpu(etas, tol, record, periods=PERIODS):
    import forced_diffrax

    if not forced_diffrax.has_gpu():
        raise RuntimeError("JAX finds no GPU here")
    most = forced_diffrax.MOST if record else 1
    return forced_diffrax.diagram(etas, periods, tol, lanes=2**17, most=most)


def loosest(call, etas, exact, periodic):
    """Return the loosest tolerance of the ladder that reaches the error, and the error there."""
    for tol in GPU_LADDER:
        error = error_of(call(etas, tol, True), exact, etas, periodic)
        if error <= ALLOWED:
            return tol, error
    raise RuntimeError(f"does not reach the error: {error:.1e} at {tol:.0e}")


def wall(call, repeats=2):
    """Return the least wall time of a call, after a short one that compiles."""
    call(periods=(1, 1))
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def on_gpu(contestants):
    """Print trajectories per second, whole calls, at the same error; then those of two contacts."""
    etas, rates = forced_cases.chosen.etas(400), {}
    exact, periodic = reference(etas)
    for name in contestants:
        call, counts = GPU[name]
        try:
            tol, error = loosest(call, etas, exact, periodic)
            print(f"  {name:10} at {tol:.0e} has the error {error:.1e}", flush=True)
            for count in counts:
                seconds = wall(functools.partial(call, forced_cases.chosen.etas(count), tol, False))
                rates[name] = max(rates.get(name, 0.0), count / seconds)
                print(f"  {name:10} {count:9,} η: {count / seconds:12,.0f} trajectories per s", flush=True)
        except (ImportError, RuntimeError) as problem:
            print(f"  {name:10} {problem}", flush=True)
    if len(rates) == 2:
        print(f"  ratio {rates['stickslip'] / rates['diffrax']:,.0f}")


GPU = {
    "stickslip": (ours_on_gpu, (200_000, 1_000_000)),
    "diffrax": (diffrax_on_gpu, (100_000,)),
}


def print_contacts(count=200_000):
    """Trajectories and steps per second of a model with one contact and of one with two, on the GPU."""
    import stickslip as ss

    for model in (ss.models.block_on_belt(), ss.models.two_blocks()):
        over = {"belt.speed": np.linspace(0.05, 0.2, count)}

        def call(periods=(300, 100), model=model, over=over):
            return ss.sweep(model, over, times=periods, observe=None, rtol=1e-8, target="cuda", chunk=count)

        try:
            seconds, steps = wall(call), float(call()["steps"].sum())
        except RuntimeError as problem:
            print(f"  {problem}")
            return
        print(
            f"  {model.about.name}, contacts: {len(model.contacts)}; {count:,} belt speeds to t = 400: "
            f"{count / seconds:,.0f} trajectories and {steps / seconds:.3g} steps per s",
            flush=True,
        )


def map_on_gpu(points=2000):
    """A map of normal force and η."""
    import stickslip as ss

    model = forced_cases.chosen.model
    over = {"contact.normal": np.linspace(1.0, 15.0, points), "base.eta": forced_cases.chosen.etas(points)}
    start = time.perf_counter()
    data = ss.sweep(model, over, periods=PERIODS, observe=None, rtol=1e-8, target="cuda", chunk=2**20)
    seconds = time.perf_counter() - start
    done, periodic = float((data["status"] == 0).mean()), float((data["m"] > 0).mean())
    print(
        f"  map of {points} × {points}: {seconds:.1f} s with compilation, {points**2 / seconds:,.0f} per s; "
        f"{done:.2%} finished, {periodic:.1%} periodic"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--law", choices=forced_cases.CASES, default="III")
    parser.add_argument("--only", action="append", help="this contestant, and others given so, alone")
    parser.add_argument("--contacts", action="store_true")
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    forced_cases.choose(arguments.law)
    if arguments.gpu:
        on_gpu([name for name in GPU if not arguments.only or name in arguments.only])
    if arguments.contacts:
        print_contacts()
    if arguments.map:
        map_on_gpu()
    if not (arguments.gpu or arguments.contacts or arguments.map):
        on_cpu(arguments.repeats, arguments.only)


if __name__ == "__main__":
    main()
