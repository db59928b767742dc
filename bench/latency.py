"""How long a user waits: import, help, the first simulation of a new model, the same model again in a fresh process.

    python bench/latency.py

Wall time of whole processes, the least of several; the cache of compiled models is empty for "new", full for "again".
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

SIMULATION = """
import stickslip as ss
block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
system = ss.System(
    ss.Spring(block, ss.ground, k=1.0),
    ss.Contact(block, belt, law=lambda v, mu=1.0, delta=3.0: mu / (1 + delta * v), normal=1.0),
)
run = ss.simulate(system, t=100, start={"x.block": 1.1})
assert run.attrs["status"] == ss.Status.FINISHED.value
"""


def wall_time(arguments: list[str], cache: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, env={**os.environ, "STICKSLIP_CACHE": cache}, stdout=-3)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        quick = {
            "python itself": ["-c", "pass"],
            "import stickslip": ["-c", "import stickslip"],
            "stickslip --help": ["-m", "stickslip", "--help"],
        }
        for name, arguments in quick.items():
            print(f"{name:22} {min(wall_time(arguments, cache) for _ in range(5)):.2f} s")
    new = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            new.append(wall_time(["-c", SIMULATION], cache))
            again = min(wall_time(["-c", SIMULATION], cache) for _ in range(4))
    print(f"new model, simulated   {min(new):.2f} s")
    print(f"again, fresh process   {again:.2f} s")


if __name__ == "__main__":
    main()
