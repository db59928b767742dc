"""A drill string over two parameters
==================================

How fast the table may turn, for each damping, before the bit sticks no more. Writes map.png."""

import numpy as np

import stickslip as ss


def main():
    system = ss.models.drill_string()
    over = {"table.speed": np.linspace(2.0, 7.0, 41), "damper.c": np.round(np.linspace(0.04, 0.3, 14), 2)}
    data = ss.sweep(system, over, times=(300, 80), carry="up", progress=False)  # each speed goes on from the last
    ss.plot.save(ss.plot.parameter_map(data), "map.png")
    sticks = data["events"] > 0
    for damping in over["damper.c"]:
        speeds = over["table.speed"][sticks.sel({"damper.c": damping}).values]
        print(f"damping {damping:g}: the bit sticks and slips up to the speed {speeds.max():g}")
    return data, sticks


if __name__ == "__main__":
    main()
