"""What the bristles of the self-excited oscillator cost, and what they tend to as their bonds get dense.

    python bench/bristles.py

hinrichs1998, Sec. 7.1, with m = c = 1, N = 10, v₀ = 1: breakaway points and periods for several mean distances m_B of
new bonds, beside what docs/bristles.md expects; then bonds broken per second of CPU time, by Taylor order.
"""

import time

import numpy as np

import stickslip as ss

BRISTLES, LIMIT, STATIC = 24, 0.01, 4.0


def oscillator(mean: float) -> ss.System:
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    contact = ss.BristleContact(block, belt, limit=LIMIT, mean=mean)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), contact, start={"v.block": 1.0})


def breakaways(mean: float, t: float) -> None:
    run = ss.simulate(oscillator(mean), t=t, dense=False, samples=2, method=ss.Exact(order=8))
    released = run.event_before.values == 0
    x, period = run.event_state.values[released, 0][1:], np.diff(run.event_time.values[released])[1:]
    expected = STATIC * (1 - mean / LIMIT * (BRISTLES - 1) / (BRISTLES + 1)) + 4.0 / (1 + STATIC / LIMIT)
    print(f"{mean:8} {len(x):6} {x.mean():9.4f} {expected:9.4f} {x.std(ddof=1):9.4f} {period.mean():9.4f}")


def speed(order: int) -> None:
    method, system = ss.Exact(order=order), oscillator(0.0005)
    ss.simulate(system, t=0.1, method=method)  # compile
    begin = time.process_time()
    run = ss.simulate(system, t=20.0, dense=False, samples=2, method=method)
    rate = run.attrs["bond_breaks"] / (time.process_time() - begin)
    print(f"order {order:2}: {rate / 1e6:.2f} million bonds per second")


def main() -> None:
    print(f"{'m_B':>8} {'count':>6} {'x_A':>9} {'expected':>9} {'spread':>9} {'period':>9}")
    for mean, t in ((0.002, 1000.0), (0.001, 500.0), (0.0005, 250.0), (0.0002, 100.0), (0.0001, 50.0)):
        breakaways(mean, t)
    for order in (20, 16, 12, 8):
        speed(order)


if __name__ == "__main__":
    main()
