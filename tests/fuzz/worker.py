"""One process that tries inputs one after the other, and says which failed: see `tests.fuzz.hunt`.

python -m tests.fuzz.worker KIND SEED FIRST LAST STEP PROGRESS
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import arrays, deeds, guards, models, netcdf, texts
from tests.fuzz.mutate import CORPUS

from stickslip.targets import cache

KINDS: dict[str, Any] = {"formula": texts, "model": models, "netcdf": netcdf, "array": arrays, "itself": deeds}
ENDINGS = {"formula": ".txt", "model": ".toml", "netcdf": ".nc", "array": ".json", "itself": ".txt"}


def drawn(kind: str, seed: int, number: int) -> Any:
    """The input of that number: the same in every process."""
    return KINDS[kind].draw(Random(f"{kind} {seed} {number}"))


def tried(kind: str, given: Any, watch: guards.Watch) -> str | None:
    """What is wrong with how the library took an input; None where all is well."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with watch.on():
            KINDS[kind].judge(given)
    except guards.TooLong:
        return f"took more than {guards.SECONDS:g} s"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        name = Path(where.filename).name
        return f"{type(error).__name__}: {str(error)[:150]} ({name}:{where.lineno} in {where.name})"
    if watch.seen:
        return f"did what is forbidden: {watch.seen[0]}"
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    return f"took {grown / 1e6:.0f} MB" if grown > guards.BYTES else None


def warmed_up(kind: str) -> guards.Watch:
    """Everything imported and compiled, so that what happens from now on is the doing of an input."""
    for path in sorted((CORPUS / kind).glob("valid*")):
        data: Any = path.read_bytes()
        KINDS[kind].judge(data if kind == "netcdf" else data.decode())
    if kind == "model":
        models.compiled(models.loads(models.kept("model", "*.toml")[0]))
    if kind == "array":
        for taker in arrays.TAKERS:
            arrays.judge(json.dumps({"type": "f8", "shape": [40], "fill": "ramp", "layout": "plain", "taker": taker}))
    guards.limit_memory()
    places = (netcdf.FOLDER, Path("/dev/null"), cache.folder())
    return guards.Watch([place for place in places if place is not None])


def main() -> None:
    kind, progress = sys.argv[1], Path(sys.argv[6])
    seed, first, last, step = map(int, sys.argv[2:6])
    with progress.open("r+b", buffering=0) as place:
        watch = warmed_up(kind)
        print(json.dumps({"ready": True}), flush=True)
        slowest, tempfile.tempdir = (0.0, first), str(netcdf.FOLDER)
        for number in range(first, last, step):
            os.pwrite(place.fileno(), number.to_bytes(8, "little"), 0)
            begin = time.perf_counter()
            given = drawn(kind, seed, number)
            fault = tried(kind, given, watch)
            slowest = max(slowest, (time.perf_counter() - begin, number))
            if fault:
                print(json.dumps({"number": number, "fault": fault}), flush=True)
        print(json.dumps({"done": True, "slowest": slowest[0], "at": slowest[1]}), flush=True)


if __name__ == "__main__":
    main()
