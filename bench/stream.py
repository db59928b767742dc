"""A sweep of 10⁸ recorded events that streams to disk: its time, its size, and the peak of memory.

    python bench/stream.py FOLDER [--points 100000] [--rows 1000]

A block on a belt at many belt speeds, with so many releases recorded at each. The time of every motion is chosen so
that there are as many, from the period at its belt speed. Afterwards a part of the result is read back, and the
recorded releases are compared with where the static friction lets go: x = 1.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import stickslip as ss


def peak():
    """The largest amount of memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=1000)
    asked = parser.parse_args()
    model = ss.models.block_on_belt()
    over = {"belt.speed": np.linspace(0.2, 0.25, asked.points)}
    longest = float(ss.sweep(model, {"belt.speed": [0.2, 0.25]}, times=(200, 400))["period"].max())
    print(f"before: {peak():.0f} MB")
    store = asked.folder / "stream.zarr"
    begin, processor = time.perf_counter(), time.process_time()
    data = ss.sweep(model, over, times=(100, (asked.rows + 1) * longest), most=asked.rows, checkpoint=store)
    elapsed, processor = time.perf_counter() - begin, time.process_time() - processor
    rows = int(data["count"].sum())
    size = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
    print(f"{rows} rows recorded of {int(data['events'].sum())} events, {data.attrs['status']}")
    print(f"{elapsed:.0f} s, {processor:.0f} s of CPU time")
    print(f"{size / 1e9:.2f} GB on disk, of {data.nbytes / 1e9:.2f} GB of numbers")
    print(f"peak after the sweep: {peak():.0f} MB")
    part = data.isel({"belt.speed": slice(0, None, asked.points // 100)})
    print(f"largest error of a release: {float(abs(part['x.block'] - 1).max()):.1e}")
    print(f"peak after reading a part: {peak():.0f} MB")


if __name__ == "__main__":
    main()
