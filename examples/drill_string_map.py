"""A drill string over two parameters: where the bit sticks and slips, and where it turns steadily.

python examples/drill_string_map.py        writes map.png
"""

import numpy as np

import stickslip as ss


def main():
    system = ss.models.drill_string()
    over = {"damper.c": np.linspace(0.02, 0.3, 25), "table.speed": np.linspace(2.0, 7.0, 31)}
    data = ss.sweep(system, over, times=(400, 100), progress=False)
    ss.plot.save(ss.plot.parameter_map(data), "map.png")
    steady = (data["status"] == 0) & (data["events"] == 0)
    print(f"The bit turns steadily at {int(steady.sum())} of {steady.size} points.")
    return data, steady


if __name__ == "__main__":
    main()
