"""A brake that squeals
====================

Two faces share one friction coefficient. Up to which speed can it squeal? Writes brake.png and squeal.png."""

import stickslip as ss


def brake(speed=0.4):
    """A pad on a spring and a caliper that turns about a pin, arm in metres, rub on both sides of a disc."""
    mu, arm = ss.Parameter("mu", 0.5), 0.1
    law = ss.Stribeck(mu_s=mu, mu_k=0.6 * mu, v_s=0.3)
    pad, caliper = ss.Mass("pad", m=0.3, unit="m"), ss.Rotor("caliper", inertia=0.003)
    disc = ss.Belt("disc", speed=speed)
    return ss.System(
        ss.Spring(pad, ss.ground, k=2.0e3, name="pad_spring"),
        ss.Spring(caliper, ss.ground, k=20.0, name="pin"),
        ss.Spring({pad: 1.0, caliper: -arm}, ss.ground, k=500.0, name="bridge"),
        ss.Damper(pad, ss.ground, c=2.0, name="shim"),
        ss.Damper(caliper, ss.ground, c=0.02, name="bush"),
        ss.Contact(pad, disc, law=law, normal=40.0, name="inner"),
        ss.Contact({caliper: arm}, disc, law=law, normal=40.0, name="outer"),
        name="brake", time_unit="s", force_unit="N", units={"disc.speed": "m/s"},
    )  # fmt: skip


def main():
    system = brake()
    ss.plot.save(ss.plot.machine(system), "brake.png")
    (sliding,) = ss.find_equilibria(system)
    quiet = ss.follow(sliding, "disc.speed", to=(0.05, 2.0))
    squeal = ss.follow(ss.find_orbit(system), "disc.speed", to=2.0)
    ss.plot.save(ss.plot.branch({"sliding": quiet, "squeal": squeal}, "x.pad"), "squeal.png")
    print(quiet.table(), squeal.table(), sep="\n")
    return quiet, squeal


if __name__ == "__main__":
    main()
