"""What many contacts cost: chains of n blocks, from a dozen to a thousand, each in a process of its own.

    python bench/chain.py                       # n = 20, 50, 100, 200, 400, 1000
    python bench/chain.py --blocks 50 100       # some of them
    python bench/chain.py --duration 5          # a shorter motion

A process makes the model, compiles it with an empty cache, and follows the motion without a record, twice. Seconds are
CPU time of the process, since others may share the machine; that of the motion is the less of both. Memory is the most
that the process has held, the interpreter, SymPy and LLVM included, after compiling and at the end.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

BLOCKS = (20, 50, 100, 200, 400, 1000)
DURATION = 20.0
HEAD = "blocks   compile  memory   events  ms per event  us per event and block  memory then"


def megabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(blocks: int, duration: float) -> str:
    """A row for one chain; nothing is in the cache before."""
    import numpy as np

    import stickslip as ss

    began = time.process_time()
    system = ss.models.chain(blocks)
    field = ss.Exact().compile(system)
    compiling, memory = time.process_time() - began, megabytes()
    starts = np.array([system.start_state()])
    seconds = []
    for _ in range(2):
        began = time.process_time()
        _, ends = field.propagate(starts, duration, rtol=1e-12)
        seconds.append(time.process_time() - began)
    ((status, events),) = ends
    assert status == ss.Status.FINISHED.code, f"the chain of {blocks} blocks: {ss.Status.of(int(status)).value}"
    each = min(seconds) / events
    row = f"{blocks:6d}  {compiling:6.1f} s  {memory:4.0f} MB  {events:7d}  {1e3 * each:12.4f}"
    return f"{row}  {1e6 * each / blocks:22.2f}  {megabytes():8.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, nargs="*", default=BLOCKS)
    parser.add_argument("--duration", type=float, default=DURATION)
    parser.add_argument("--one", type=int, help="measure one chain in this process")
    given = parser.parse_args()
    if given.one:
        print(measured(given.one, given.duration), flush=True)
        return
    print(HEAD, flush=True)
    for blocks in given.blocks:
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, __file__, "--one", str(blocks), "--duration", str(given.duration)]
            subprocess.run(command, env=os.environ | {"STICKSLIP_CACHE": cache}, check=True)


if __name__ == "__main__":
    main()
