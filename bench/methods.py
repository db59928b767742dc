"""What each method costs for the same error, on every library model.

    python bench/methods.py                        all models, error 1e-6
    python bench/methods.py --model two_blocks     one of them

The error is the largest difference of any state from Exact at its tightest tolerance, over the run, relative to that
state's range. Each method climbs a ladder of its own fineness to the first rung that reaches the error; the time is CPU
time without compiling, the least of several repeats. A method that does not get there in the time allowed is shown with
the best it reached: the smoothed system differs from the discontinuous one, and no tolerance mends that.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import stickslip as ss
from stickslip.comparison import REFERENCE, state_difference
from stickslip.methods.base import Method

TIMES = {"bowed_string": 0.05}
DEFAULT_TIME = 50.0
ALLOWED = 20.0  # seconds a method may spend on its ladder for one model

LADDERS: dict[str, tuple[Callable[[float], Method], list[float]]] = {
    "Exact": (lambda x: ss.Exact(rtol=x), [10.0**-k for k in range(4, 15)]),
    "Henon": (lambda x: ss.Henon(step=x), [0.1 * 2.0**-k for k in range(14)]),
    "Bisection": (lambda x: ss.Bisection(step=x), [0.1 * 2.0**-k for k in range(14)]),
    "Bisection, live sign": (lambda x: ss.Bisection(step=x, live=True), [0.1 * 2.0**-k for k in range(14)]),
    "Switch": (lambda x: ss.Switch(eta=x, rtol=min(1e-2 * x, 1e-8)), [10.0**-k for k in range(3, 10)]),
    "TimeStepping": (lambda x: ss.TimeStepping(step=x), [0.1 * 4.0**-k for k in range(9)]),
    "Smoothing, Collocation": (lambda x: ss.Smoothing(eps=x), [10.0**k for k in range(3, 8)]),
    "Smoothing, Radau": (lambda x: ss.Smoothing(eps=x, solver="Radau"), [10.0**k for k in range(3, 8)]),
    "Smoothing, BDF": (lambda x: ss.Smoothing(eps=x, solver="BDF"), [10.0**k for k in range(3, 8)]),
    "Smoothing, LSODA": (lambda x: ss.Smoothing(eps=x, solver="LSODA"), [10.0**k for k in range(3, 8)]),
}


def climb(system: ss.System, name: str, t: float, goal: float, scale: float) -> str:
    """One line of the table: the first rung of the ladder that reaches the error, or the best one."""
    make, ladder = LADDERS[name]
    exact = ss.simulate(system, t=t, method=REFERENCE)
    began, best = time.perf_counter(), (float("inf"), "")
    for rung in ladder:
        fineness = rung * scale if name in ("Henon", "TimeStepping") or name.startswith("Bisection") else rung
        try:
            method = make(fineness)
            run = ss.simulate(system, t=t, method=method)
        except ss.errors.ModelError as refusal:
            return f"{name:22} refused: {str(refusal)[:90]}"
        error = state_difference(run, exact) if run.attrs["status"] == ss.Status.FINISHED.value else float("inf")
        if error <= goal:
            spent, count = cpu_time(system, t, method), evaluations(run, method)
            return f"{name:22} {fineness:9.1e} {error:9.1e} {spent:>11} {count:>12}"
        best = min(best, (error, f"{fineness:.1e}"))
        if time.perf_counter() - began > ALLOWED:
            break
    return f"{name:22} not reached; best {best[0]:.1e} at {best[1]}"


def evaluations(run: object, method: Method) -> int:
    """Right-hand-side evaluations; a Taylor series counts as many as it has orders."""
    factor = method.taylor_order + 1 if isinstance(method, ss.Exact) else 1
    return int(run.attrs["evaluations"]) * factor  # type: ignore[attr-defined]


def cpu_time(system: ss.System, t: float, method: Method, repeats: int = 3) -> str:
    least = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        ss.simulate(system, t=t, method=method)
        least = min(least, time.process_time() - began)
    return f"{1e3 * least:.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", action="append", choices=sorted(ss.models.LIBRARY))
    parser.add_argument("--error", type=float, default=1e-6)
    parser.add_argument("--method", action="append", choices=list(LADDERS))
    arguments = parser.parse_args()
    for name in arguments.model or ss.models.LIBRARY:
        system = ss.models.LIBRARY[name]()
        t = TIMES.get(name, DEFAULT_TIME)
        print(f"\n{name}, to t = {t:g}, error ≤ {arguments.error:.0e}")
        print(f"{'':22} {'fineness':>9} {'error':>9} {'CPU time':>11} {'evaluations':>12}")
        for method in arguments.method or LADDERS:
            print(climb(system, method, t, arguments.error, t / DEFAULT_TIME), flush=True)


if __name__ == "__main__":
    main()
