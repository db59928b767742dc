"""Contacts with a memory in lockstep and one by one: aging, chance, bristles that relax.

    python bench/memory.py

512 values of a belt's speed or of the frequency of a base, rtol = 1e-9, every cycle travelled, one thread: CPU time of
the sweep both ways, how many motions lockstep has left to the march, and how many have the same number of events (where
motions are chaotic, round-off tells them apart after a while).
"""

import dataclasses
import time
from math import cos

import numpy as np

import stickslip as ss
from stickslip.sweeps import trajectories

SPEEDS, ETAS = {"belt.speed": np.linspace(0.05, 0.29, 512)}, {"base.eta": np.linspace(0.5, 1.5, 512)}
DRAWN = ss.Scatter(static=0.02, kinetic=0.02)
AGED = ss.Hyperbolic(mu_s=0.6, delta=3.0).with_aging(1.0, 1.5)
STRIBECK = ss.Stribeck(0.6, 0.3, 0.3)
LUGRE = ss.LuGre(0.6, 0.3, 0.3, sigma_0=100.0, sigma_1=1.0)


def block(law, scatter=None, u0=0.0):
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    base = ss.Base("base", motion=lambda t, u0=u0, eta=0.9: u0 * cos(eta * t)) if u0 else ss.ground
    kind = ss.DynamicContact if isinstance(law, ss.DynamicLaw) else ss.Contact
    chance = {} if scatter is None else {"scatter": scatter}
    return ss.System(ss.Spring(mass, base, k=1.0), kind(mass, belt, law=law, normal=1.0, name="contact", **chance))


CASES = {
    "aging": (block(AGED), SPEEDS, {"times": (300.0, 100.0)}),
    "aging, shaken": (block(AGED, u0=0.3), ETAS, {"periods": (100, 50)}),
    "chance": (block(ss.Coulomb(0.4, 0.3), DRAWN), SPEEDS, {"times": (300.0, 100.0)}),
    "chance, shaken": (block(ss.Coulomb(0.4, 0.3), DRAWN, u0=0.3), ETAS, {"periods": (100, 50)}),
    "chance and Stribeck's law": (block(STRIBECK, DRAWN), SPEEDS, {"times": (300.0, 100.0)}),
    "LuGre, shaken": (block(LUGRE, u0=0.3), ETAS, {"periods": (30, 10), "observe": None}),
}


def run(plan, lockstep):
    """The sweep, and its CPU time; compiled before."""
    plan = dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=lockstep))
    plan.compile()
    begin = time.process_time()
    done = {chunk.index: plan.run(chunk) for chunk in plan.chunks}
    return plan.assemble(done), time.process_time() - begin


def main():
    plain, left = trajectories._one_by_one, []
    print(f"{'':28} one by one   in lockstep   times as fast   left   same events")
    for name, (model, over, asked) in CASES.items():
        plan = ss.plan_sweep(model, over, rtol=1e-9, shortcut=False, **asked)
        alone, slow = min((run(plan, False) for _ in range(3)), key=lambda found: found[1])
        trajectories._one_by_one = lambda *a: left.append(len(a[3])) or plain(*a)
        left.clear()
        together, quick = min((run(plan, True) for _ in range(3)), key=lambda found: found[1])
        trajectories._one_by_one = plain
        same = float((alone["events"] == together["events"]).mean())
        print(f"{name:28} {slow:8.3f} s   {quick:9.3f} s   {slow / quick:13.1f}   {sum(left):4}   {100 * same:10.1f} %")


if __name__ == "__main__":
    main()
