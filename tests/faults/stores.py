"""Stores of sweeps: processes killed while they write, damaged files, full disks, several writers.

After each fault the same sweep gives the same bits as one that was never disturbed, or a sentence where files that
describe the store are damaged; never other numbers.
"""

from __future__ import annotations

import random
import resource
import shutil
import signal
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import dask.array  # noqa: F401  before there are children: it takes a second
import numpy as np
import zarr.storage  # noqa: F401
from tests.faults._forked import DAMAGES, Child, Ended, digest, table

import stickslip as ss
from stickslip.sweeps import stored

OVER = {"belt.speed": np.linspace(0.1, 0.4, 12)}
SETTINGS = {"times": (30, 60), "chunk": 2, "most": 10}


def swept(path: Path | None, threads: int = 2) -> str:
    warnings.simplefilter("ignore")
    return digest(ss.sweep(ss.models.block_on_belt(), OVER, **SETTINGS, checkpoint=path, threads=threads))


def swept_partly(path: Path, chunks: int) -> None:
    """As after Ctrl-C."""

    def enough(done: int, total: int) -> None:
        if done >= 2 * chunks:
            raise KeyboardInterrupt

    ss.sweep(ss.models.block_on_belt(), OVER, **SETTINGS, checkpoint=path, threads=1, progress=enough)


def read_later(path: Path, chance: random.Random) -> str:
    """Opened while all is well; read after it was damaged."""
    warnings.simplefilter("ignore")
    stored.IN_MEMORY = 0
    data = ss.sweep(ss.models.block_on_belt(), OVER, **SETTINGS, checkpoint=path)
    damage(path, chance)
    return digest(data.load())


def damage(path: Path, chance: random.Random) -> None:
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != "lock")
    for file in chance.sample(files, chance.choice([1, 1, 2, 5])):
        chance.choice(DAMAGES)(file, chance)


class Campaign:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.counts: Counter[str] = Counter()
        plan = ss.plan_sweep(ss.models.block_on_belt(), OVER, **SETTINGS)
        plan.compile()
        self.undisturbed = Child(lambda: swept(None)).wait().value
        self.whole, self.half = folder / "whole.zarr", folder / "half.zarr"
        began = time.monotonic()
        Child(lambda: swept(self.whole)).wait()
        self.seconds = time.monotonic() - began
        Child(lambda: swept_partly(self.half, 3)).wait()

    def fault(self, number: int) -> list[str]:
        kinds = (self.killed, self.damaged, self.read_damaged, self.killed, self.damaged, self.writers, self.full)
        kind = kinds[number % len(kinds)]
        path = self.folder / f"{number}.zarr"
        found = kind(path)
        for left in self.folder.glob(f".{path.name}*"):
            shutil.rmtree(left)  # of a process killed while it created the store
        shutil.rmtree(path, ignore_errors=True)
        return [f"{number} {kind.__name__}: {line}" for line in found if line]

    def judge(self, ended: Ended, sentence_allowed: bool = False) -> str:
        """What is wrong with an end, if anything."""
        if ended.wrong:
            return ended.wrong
        if ended.sentence:
            self.counts["sentences"] += 1
            return "" if sentence_allowed else f"refused: {ended.sentence}"
        self.counts["identical"] += ended.value == self.undisturbed
        return "" if ended.value == self.undisturbed else "other numbers"

    def resumed(self, path: Path, sentence_allowed: bool = False) -> str:
        return self.judge(Child(lambda: swept(path)).wait(), sentence_allowed)

    def killed(self, path: Path) -> list[str]:
        found = []
        for _ in range(self.chance.choice([1, 1, 2, 3])):
            child = Child(lambda: swept(path))
            time.sleep(self.chance.uniform(0, 1.2 * self.seconds))
            child.send(signal.SIGKILL)
            ended = child.wait()
            self.counts["killed"] += ended.signal == signal.SIGKILL
            found.append(ended.wrong)
        return [*found, self.resumed(path)]

    def damaged(self, path: Path) -> list[str]:
        shutil.copytree(self.chance.choice([self.whole, self.half]), path)
        damage(path, self.chance)
        self.counts["damaged"] += 1
        first = self.resumed(path, sentence_allowed=True)
        return [first, self.resumed(path, sentence_allowed=True)]

    def read_damaged(self, path: Path) -> list[str]:
        shutil.copytree(self.whole, path)
        self.counts["damaged while open"] += 1
        chance = random.Random(self.chance.random())
        return [self.judge(Child(lambda: read_later(path, chance)).wait(), sentence_allowed=True)]

    def writers(self, path: Path) -> list[str]:
        if self.chance.random() < 0.5:
            shutil.copytree(self.half, path)
        self.counts["several writers"] += 1
        children = [Child(lambda: swept(path, threads=1)) for _ in range(self.chance.choice([2, 3]))]
        ends = [child.wait() for child in children]
        refused = [end.sentence for end in ends if end.sentence]
        found = ["not by a lock: " + one for one in refused if "is being written by process" not in one]
        found += [self.judge(end) for end in ends if not end.sentence]
        if len(refused) == len(ends):
            found.append("nobody wrote")
        return [*found, self.resumed(path)]

    def full(self, path: Path) -> list[str]:
        room = self.chance.choice([0, 5, 40, 200, 600])
        self.counts["full disks"] += 1

        def limited() -> str:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            return swept(path)

        if room < 600:
            shutil.copytree(self.half, path)
        return [self.judge(Child(limited).wait(), sentence_allowed=True), self.resumed(path)]


def campaign(count: int, seed: int) -> list[str]:
    """The failures of so many faults."""
    with tempfile.TemporaryDirectory(prefix="stickslip-faults-") as folder:
        here = Campaign(Path(folder), seed)
        found = [line for number in range(count) for line in here.fault(number)]
    table("stores", here.counts)
    return found
