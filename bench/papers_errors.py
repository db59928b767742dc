"""How far smoothed cycles are from the exact ones: Tables 1 and 4 of vandevrande1999, Table 1 of awrejcewicz2002.

Run it with `python bench/papers_errors.py`; it takes about two minutes.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy.optimize import root

import stickslip as ss
from stickslip.cycles import last_cycle, maxima, orbit_error

TABLE_1 = {1e2: "2.9e-01", 1e3: "8.9e-02", 1e4: "2.4e-02", 1e5: "6.2e-03", 1e6: "1.5e-03"}
"""vandevrande1999 Table 1: e by ε, block on a belt at V_dr = 0.2."""

TABLE_4 = {1e0: "3.1e-01", 1e-1: "9.3e-02", 1e-2: "2.3e-02", 1e-3: "5.4e-03", 1e-4: "1.2e-03"}
"""vandevrande1999 Table 4: e by κ, drill string at η = 4."""

EPSILONS = (10.0, 50.0, 1e2, 1e3, 1e4, 1e5, 1e6)
"""The columns of awrejcewicz2002 Table 1, whose trajectory is not given: here on the orbits of Fig. 10."""


def block_on_belt(eps: float) -> float:
    """e of vandevrande1999 Eq. (5)."""
    system = ss.models.block_on_belt(v_dr=0.2, delta=3.0)
    return orbit_error(ss.simulate(system, t=40, method=ss.Smoothing(eps)), ss.simulate(system, t=60), "block")


def drill_string(kappa: float) -> float:
    """e of vandevrande1999 Eq. (19), with the law of Eq. (18)."""
    system = ss.models.drill_string(eta=4.0)
    run = ss.simulate(system, t=25, method=ss.Smoothing(1 / kappa, "quartic_one_sided"))
    return orbit_error(run, ss.simulate(system, t=60), "twist")


def exact_cycle(law: str) -> xr.Dataset:
    """The orbit of awrejcewicz2002 Fig. 10, after its transient."""
    return ss.simulate(ss.models.block_and_pendulum(law), t=1300, start={"x.block": 3.0, "v.block": 1.0})


def smoothed_cycle(law: str, eps: float, exact: xr.Dataset) -> xr.Dataset | None:
    """The orbit of the smoothed system near an exact one, by shooting; None where there is none.

    Shooting, because the transient to this orbit takes hundreds of periods.
    """
    system, method = ss.models.block_and_pendulum(law), ss.Smoothing(eps, most_steps=5000)
    cycle = last_cycle(exact, "block")
    free = [name for name in cycle.states if name != "v.block"]
    guess = np.array([cycle.samples[0][cycle.states.index(name)] for name in free])

    def run_from(z: np.ndarray, periods: float) -> xr.Dataset:
        start = dict(zip(free, z.tolist(), strict=True)) | {"v.block": 0.0}
        return ss.simulate(system, t=periods * cycle.period, start=start, method=method)

    def miss(z: np.ndarray) -> np.ndarray:
        run = run_from(z, 1.4)
        times = maxima(run, "block")
        if len(times) == 0:
            return np.full(len(z), 1.0)
        return np.array([float(ss.interpolate(run, times[:1])[name][0]) for name in free]) - z

    found = root(miss, guess, options={"eps": 1e-9, "xtol": 1e-9, "maxfev": 60})
    run = run_from(found.x, 3.4)
    rest = np.ptp(run["x.block"].values) < 0.5 * np.ptp(cycle.samples[:, cycle.states.index("x.block")])
    return None if rest or np.max(np.abs(miss(found.x))) > 1e-6 else run


def block_and_pendulum(law: str, eps: float, exact: xr.Dataset) -> float | None:
    """e of awrejcewicz2002 Eq. (16): the first two states, at fractions of the period."""
    run = smoothed_cycle(law, eps, exact)
    if run is None:
        return None
    return orbit_error(run, exact, "block", states=("x.block", "v.block"), period=False)


def main() -> None:
    print("vandevrande1999 Table 1: block on a belt\n  ε        e (here)   e (printed)")
    for eps, printed in TABLE_1.items():
        print(f"  {eps:<8.0e} {block_on_belt(eps):<10.3e} {printed}", flush=True)
    print("vandevrande1999 Table 4: drill string\n  κ        e (here)   e (printed)")
    for kappa, printed in TABLE_4.items():
        print(f"  {kappa:<8.0e} {drill_string(kappa):<10.3e} {printed}", flush=True)
    for law in ("hyperbolic", "stribeck"):
        exact = exact_cycle(law)
        print(f"awrejcewicz2002 Eq. (16) on the orbit of Fig. 10, {law}\n  ε        e")
        for eps in EPSILONS:
            e = block_and_pendulum(law, eps, exact)
            print(f"  {eps:<8.0e} {'no such orbit' if e is None else f'{e:.3e}'}", flush=True)


if __name__ == "__main__":
    main()
