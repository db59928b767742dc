"""Faults of one area, or of all.

python -m tests.faults                        # 200 of each
python -m tests.faults stores --count 50 --seed 3
"""

from __future__ import annotations

import argparse
import importlib
import signal
import time
from pathlib import Path

AREAS = sorted(file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith(("_", "test_")))


def main() -> None:
    """Run them; the exit code says whether something was lost."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in what runs in the background
    options = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    options.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}; all of them by default")
    options.add_argument("--count", type=int, default=200, help="how many faults of each area")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    for area in given.areas:
        if area not in AREAS:
            options.error(f"there is no area {area!r}; there are: {', '.join(AREAS)}")
    failures: list[str] = []
    for area in given.areas or AREAS:
        began = time.monotonic()
        found = importlib.import_module(f"tests.faults.{area}").campaign(given.count, given.seed)
        print(f"{area}: {len(found)} failures in {time.monotonic() - began:.0f} s", flush=True)
        failures += [f"{area}: {line}" for line in found]
    print("\n".join(failures))
    raise SystemExit(bool(failures))


if __name__ == "__main__":
    main()
