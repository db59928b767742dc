"""hinrichs1998, Fig. 22: where a shaken block breaks away from its belt, when friction is that of bristles.

python bench/bristles_figure.py        writes bristles.png, in about three minutes
python bench/bristles_figure.py 20     the same with 20 frequency ratios
"""

import sys
from math import cos

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

MEANS = (0.0005, 0.001, 0.002)
TRANSIENT, END = 25.0, 75.0
QUICK = ss.Exact(order=8)  # bonds break every few microseconds of the motion: no step is ever long


def forced(mean, eta=1.0, u0=0.5):
    """The oscillator with friction characteristic II made of bristles; `mean` is m_B."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    base = ss.Base("base", motion=lambda t, u0=u0, eta=eta: u0 * cos(eta * t))
    contact = ss.BristleContact(block, belt, bristles=24, slipping=15, mu_s=0.4, normal=10.0, mean=mean)
    return ss.System(ss.Spring(block, base, k=1.0), contact, start={"v.block": 1.0})


def breakaways(mean, etas):
    """The frequency ratio and x_A of every transition from stick to slip after the transient; and bonds broken."""
    points, breaks = [], 0
    for seed, eta in enumerate(etas):
        system = forced(mean).with_({"base.eta": eta})
        run = ss.simulate(system, t=END, dense=False, samples=2, method=QUICK, seed=seed)
        chosen = (run.event_before.values == 0) & (run.event_time.values > TRANSIENT)
        points += [(eta, x) for x in run.event_state.sel(state="x.block").values[chosen]]
        breaks += run.attrs["bond_breaks"]
    return np.array(points), breaks


def main(number=109):
    etas = np.linspace(0.3, 3.0, number)
    rigid = ss.sweep(ss.models.forced_oscillator("II"), {"base.eta": np.linspace(0.3, 3.0, 1500)}, periods=(100, 40))
    figure, panels = plt.subplots(len(MEANS), 1, figsize=(7.6, 8.4), sharex=True, sharey=True, layout="constrained")
    for ax, mean, letter in zip(panels, MEANS, "abc", strict=True):
        points, breaks = breakaways(mean, etas)
        print(f"m_B = {mean}: {len(points)} breakaways, {breaks} bonds broken", flush=True)
        ax.plot(rigid["base.eta"], rigid["x.block"], ",", color="#b0b0b0", rasterized=True)
        ax.plot(*points.T, ".", color="#0072B2", markersize=3.5, markeredgewidth=0)
        ax.set_title(f"({letter}) $m_B$ = {mean:g}", loc="left", fontsize=11)
        ax.set_ylabel("$x_A$")
        ax.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("frequency ratio η")
    for colour, label in (("#b0b0b0", "rigid contact, characteristic II"), ("#0072B2", "bristles")):
        panels[0].plot([], [], ".", color=colour, markersize=9, markeredgewidth=0, label=label)
    panels[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, handletextpad=0.1)
    figure.savefig("bristles.png", dpi=150)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
