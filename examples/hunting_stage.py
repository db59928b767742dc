"""A stage that hunts
==================

A stage on a guideway under PID control: the integral action and stiction make it hunt about its target.
Writes hunting.png and gain.png."""

import stickslip as ss


def stage(kp=4.0, ki=2.0, kd=1.0):
    """The stage, its controller with a state of its own, and friction that falls with speed."""
    slide = ss.Mass("slide", m=1.0, x=0.2, unit="m")
    integral = ss.State("integral", rate=lambda x_slide, target=0.0: target - x_slide, unit="m s")
    control = ss.Force(
        slide, lambda x, v, integral, kp=kp, ki=ki, kd=kd: ki * integral - kp * x - kd * v, name="control"
    )
    law = ss.Stribeck(mu_s=0.2, mu_k=0.1, v_s=0.02)
    guideway = ss.Contact(slide, ss.ground, law=law, normal=1.0, name="guideway")
    return ss.System(slide, integral, control, guideway, name="stage", time_unit="s", force_unit="N")


def main():
    system = stage()
    run = ss.simulate(system, t=120)
    ss.plot.save(ss.plot.history(run, ["x.slide", "integral", "force"], window=(60, 120)), "hunting.png")
    orbit = ss.find_orbit(system)
    branch = ss.follow(orbit, "control.kd", to=(0.5, 3.0))
    ss.plot.save(ss.plot.branch(branch, "max |x.slide|"), "gain.png")
    print(ss.find_equilibria(system))
    print(f"it hunts with the period {orbit.period:.6f} s: {orbit.signature}")
    print(branch.table())
    return system, orbit, branch


if __name__ == "__main__":
    main()
