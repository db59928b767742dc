"""Two attractors side by side
===========================

A drill string that sticks and slips, or turns steadily, whichever it came from.
Writes hysteresis.png and basins.png."""

import numpy as np

import stickslip as ss


def main():
    system = ss.models.drill_string()
    speeds = {"table.speed": np.linspace(3.0, 6.0, 31)}
    up, down = (ss.sweep(system, speeds, times=(300, 60), carry=way, progress=False) for way in ("up", "down"))
    ax = ss.plot.bifurcation(up, "x.twist", label="table going faster")
    ss.plot.save(ss.plot.bifurcation(down, "x.twist", label="table going slower", ax=ax), "hysteresis.png")

    grid = {"x.twist": np.linspace(-4, 12, 24), "v.twist": np.linspace(-4, 8, 24)}
    landscape = ss.basins(system.with_({"table.speed": 4.2}), grid, t=200, progress=False)
    for attractor in landscape.attractors:
        print(attractor)
    ss.plot.save(ss.plot.basins(landscape), "basins.png")
    return up, down, landscape


if __name__ == "__main__":
    main()
