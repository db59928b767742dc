"""The long run: many inputs in processes that may crash, hang or be killed; failures are kept in the corpus."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz import guards
from tests.fuzz.mutate import CORPUS
from tests.fuzz.worker import ENDINGS, KINDS, drawn

SHARES = {"formula": 0.55, "model": 0.3, "array": 0.13, "netcdf": 0.02, "itself": 1.0}
"""Of the inputs: those that are quickly tried are most."""

ALL = ("formula", "model", "netcdf", "array")

PATIENCE = guards.SECONDS + 50
"""Seconds without a sign after which a process counts as hanging; starting one counts too."""


@dataclass
class Worker:
    """One process on every `step`-th input of a kind; it is started again behind an input that ended it."""

    kind: str
    seed: int
    first: int
    last: int
    step: int
    faults: dict[int, str] = field(default_factory=dict)
    slowest: float = 0.0

    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="stickslip-fuzz-")
        self.progress = Path(self.folder.name) / "progress"
        self.progress.write_bytes(self.first.to_bytes(8, "little"))
        self.output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the worker
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        numbers = map(str, (self.seed, self.first, self.last, self.step))
        command = [sys.executable, "-m", "tests.fuzz.worker", self.kind, *numbers, str(self.progress)]
        variables = os.environ | {"TMPDIR": self.folder.name}
        self.process = subprocess.Popen(command, env=variables, stdout=self.output, stderr=self.errors)
        self.seen, self.since = -1, time.monotonic()

    def number(self) -> int:
        return int.from_bytes(self.progress.read_bytes()[:8], "little")

    def is_running(self) -> bool:
        """Look after the process; start it again where an input ended it."""
        status = self.process.poll()
        if status is None:
            if self.number() != self.seen:
                self.seen, self.since = self.number(), time.monotonic()
            elif time.monotonic() - self.since > PATIENCE:
                self.process.kill()
            return True
        try:
            self._collect()
        finally:
            self.folder.cleanup()
        if self.first >= self.last:
            return False
        self.start()
        return True

    def _collect(self) -> None:
        self.output.seek(0)
        ready = done = False
        for line in map(json.loads, self.output):
            if "ready" in line:
                ready = True
            elif "done" in line:
                done, self.slowest = True, max(self.slowest, line["slowest"])
            else:
                self.faults[line["number"]] = line["fault"]
        self.errors.seek(0)
        said = self.errors.read()
        self.output.close()
        self.errors.close()
        number = self.number()
        if not ready:  # no input was tried: that is no failure of an input
            raise RuntimeError(f"The process for {self.kind} ended before its first input.\n{said[-2000:]}")
        if done:
            self.first = self.last
            return
        code = -self.process.returncode
        name = signal.Signals(code).name if code in set(signal.Signals) else f"exit code {-code}"
        where = [line for line in said.splitlines() if "stickslip" in line or "Error" in line]
        self.faults[number] = f"ended the process: {name} {where[-1][:120] if where else ''}"
        self.first = number + self.step


def campaign(count: int, seed: int, kinds: tuple[str, ...] = ALL, processes: int = 1) -> list[str]:
    """Try so many inputs; the failures as lines. A table of what was done is printed."""
    total = sum(SHARES[kind] for kind in kinds)
    begin, failures = time.monotonic(), []
    print(f"{'kind':10}{'inputs':>10}{'seconds':>9}{'per second':>12}{'slowest':>9}{'failures':>10}")
    for kind in kinds:
        number, since = max(processes, round(count * SHARES[kind] / total)), time.monotonic()
        workers = [Worker(kind, seed, i, number, processes) for i in range(processes)]
        for worker in workers:
            worker.start()
        running = workers
        while running:
            time.sleep(0.05)
            running = [worker for worker in running if worker.is_running()]
        seconds = time.monotonic() - since
        faults = {at: fault for worker in workers for at, fault in worker.faults.items()}
        slowest = max(worker.slowest for worker in workers)
        print(
            f"{kind:10}{number:>10}{seconds:>9.1f}{number / seconds:>12.0f}{slowest:>9.2f}{len(faults):>10}", flush=True
        )
        failures += _kept(kind, seed, faults)
    print(f"{count} inputs with seed {seed} in {time.monotonic() - begin:.0f} s, {len(failures)} kinds of failure")
    return failures


def _kept(kind: str, seed: int, faults: dict[int, str]) -> list[str]:
    """One input of every sort of failure goes to the corpus; the failures as lines."""
    lines = []
    sorts = Counter(_sort(fault) for fault in faults.values())
    for sort, times in sorts.most_common():
        number = next(at for at, fault in sorted(faults.items()) if _sort(fault) == sort)
        given = drawn(kind, seed, number)
        data = given if isinstance(given, bytes) else given.encode("utf-8", "surrogatepass")
        folder = CORPUS / kind
        path = (
            folder if folder.is_dir() else Path(tempfile.gettempdir())
        ) / f"found-{hashlib.sha256(data).hexdigest()[:10]}{ENDINGS[kind]}"
        path.write_bytes(data)
        lines.append(f"{kind} {number} ({times} times): {faults[number]} [{path.name}]")
    return lines


def _sort(fault: str) -> str:
    """What failures of one cause have in common: the error, and where."""
    if fault.startswith(("did", "ended")):
        return " ".join(fault.split()[:5])
    return fault.partition(":")[0] + fault.rpartition("(")[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", default="all", choices=("all", *KINDS))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    kinds = ALL if asked.kind == "all" else (asked.kind,)
    failures = campaign(asked.count, asked.seed, kinds, asked.processes)
    print("\n".join(failures))
    sys.exit(bool(failures))
