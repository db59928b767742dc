"""A friction law of one's own
===========================

Friction that weakens with the slip speed, on a block that a belt drags along. Writes friction.png."""

from math import exp

import stickslip as ss


def weakening(v, mu_k=0.6, mu_s=1.0, v_s=0.2):
    """The friction coefficient at slip speed v; the other arguments become parameters of the contact."""
    return mu_k + (mu_s - mu_k) * exp(-v / v_s)


def main():
    block, belt = ss.Mass("block", m=1.0, x=1.2), ss.Belt("belt", speed=0.1)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, belt, law=weakening, normal=1.0),
    )
    for v_s in (0.1, 0.2, 0.4):
        run = ss.simulate(system.with_({"contact.v_s": v_s}), t=100)
        released = run.event_time.values[(run.event_before.values == 0) & (run.event_after.values != 0)]
        print(f"v_s = {v_s}: period {released[-1] - released[-2]:.9f}")
    ss.plot.save(ss.plot.friction(run), "friction.png")


if __name__ == "__main__":
    main()
