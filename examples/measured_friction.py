"""From measured friction to a simulation
======================================

A table with noise, a law fitted to it, and the motion it predicts. Writes friction.csv, fit.png and motion.png."""

import numpy as np

import stickslip as ss

TRUE = ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.1)


def measure(path):
    """A file as a test rig writes it: sliding velocities to both sides in mm/s, and friction forces in N."""
    random = np.random.default_rng(7)
    v = random.uniform(-0.6, 0.6, 800)
    force = [-np.sign(each) * 20 * TRUE.kinetic_value(abs(each)) for each in v] + random.normal(0, 0.3, len(v))
    ss.identify.write(path, {"v": 1000 * v, "force": force}, {"v": "mm/s", "force": "N"})


def machine(law):
    """A block on a belt with that friction."""
    block, belt = ss.Mass("block", m=2.0, x=0.08, unit="m"), ss.Belt("belt", speed=0.05)
    spring, contact = ss.Spring(block, ss.ground, k=80.0), ss.Contact(block, belt, law=law, normal=20.0)
    return ss.System(spring, contact, time_unit="s", force_unit="N")


def main():
    measure("friction.csv")
    table = ss.identify.read("friction.csv")
    fit = ss.identify.fit_law((table["v"], table["force"]), "stribeck", normal=20.0)
    ss.plot.save(ss.plot.fit(fit, units={"velocity": "m/s"}), "fit.png")
    run = ss.simulate(machine(fit.law), t=12)
    seen = ss.simulate(machine(TRUE), t=12, samples=120)  # the machine itself, watched at 120 times
    ss.plot.save(ss.plot.history(run, measured={"time": seen.time, "x.block": seen["x.block"]}), "motion.png")
    return fit, run, seen


if __name__ == "__main__":
    print(main()[0].estimate)
