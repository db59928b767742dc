"""Clusters that die under a sweep: a worker, all workers, the scheduler.

A sweep whose worker dies is the same as one on threads. One whose cluster is gone ends with a sentence in finite time,
keeps what it has in its store, and goes on from there without the cluster.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array  # noqa: F401  before there are children: it takes a second
import distributed
import numpy as np
import zarr.storage  # noqa: F401
from tests.faults._forked import Child, Ended, digest, table

import stickslip as ss
from stickslip.sweeps import execute

OVER = {"belt.speed": np.linspace(0.05, 0.4, 24)}
SETTINGS = {"times": (20_000, 60), "chunk": 1, "most": 10}
WORKERS = 2
SHARE = 10
"""So many other faults are done in the time of one of these."""


def swept(path: Path | None, address: str | None = None) -> str:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    execute.PATIENCE = 2.0
    return digest(ss.sweep(ss.models.block_on_belt(), OVER, **SETTINGS, checkpoint=path, cluster=address))


def serve(make: Callable[[], Any], tell: Path) -> None:
    """Run a scheduler or a worker until it is killed, and write down its address."""
    logging.disable(logging.CRITICAL)

    async def run() -> None:
        async with make() as server:
            tell.with_suffix(".part").write_text(server.address)
            tell.with_suffix(".part").rename(tell)
            await server.finished()

    asyncio.run(run())


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tell = folder / "scheduler"
        self.scheduler = Child(
            lambda: serve(lambda: distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False), tell)
        )
        self.address = _told(tell)
        self.workers = [self.worker(number) for number in range(WORKERS)]

    def worker(self, number: int) -> Child:
        tell, scratch = self.folder / f"worker{number}", str(self.folder / f"scratch{number}")
        child = Child(
            lambda: serve(
                lambda: distributed.Worker(self.address, nthreads=1, dashboard=False, local_directory=scratch), tell
            )
        )
        _told(tell)
        return child

    def close(self) -> None:
        for child in (*self.workers, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                child.send(signal.SIGKILL)
            child.wait()


def _told(path: Path) -> str:
    deadline = time.monotonic() + 60
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path.name} does not start")
        time.sleep(0.02)
    return path.read_text()


class Campaign:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.counts: Counter[str] = Counter()
        ss.plan_sweep(ss.models.block_on_belt(), OVER, **SETTINGS).compile()
        began = time.monotonic()
        self.undisturbed = Child(lambda: swept(None)).wait().value
        self.seconds = time.monotonic() - began

    def fault(self, number: int) -> list[str]:
        kinds = ("a worker", "all workers", "the scheduler", "all workers, others came")
        kind = kinds[number % len(kinds)]
        here = self.folder / str(number)
        here.mkdir()
        cluster = Cluster(here)
        try:
            found = self.killed(cluster, kind, here / "sweep.zarr")
        finally:
            cluster.close()
        shutil.rmtree(here, ignore_errors=True)
        self.counts[f"times {kind} killed"] += 1
        return [f"{number} {kind}: {line}" for line in found if line]

    def killed(self, cluster: Cluster, kind: str, path: Path) -> list[str]:
        child = Child(lambda: swept(path, cluster.address))
        time.sleep(self.chance.uniform(0.2, 0.5 + self.seconds))
        victims = {"a worker": cluster.workers[:1], "the scheduler": [cluster.scheduler]}.get(kind, cluster.workers)
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.pid, signal.SIGKILL)
        if kind.endswith("came"):
            cluster.workers.append(cluster.worker(WORKERS))
        ended = child.wait(90)
        may_fail = kind in ("all workers", "the scheduler")
        resumed = Child(lambda: swept(path)).wait()
        return [self.judge(ended, may_fail), self.judge(resumed, False)]

    def judge(self, ended: Ended, sentence_allowed: bool) -> str:
        if ended.wrong:
            return ended.wrong
        if ended.sentence:
            self.counts["sentences"] += 1
            lost = "the cluster did not finish the sweep" in ended.sentence or "no cluster answers" in ended.sentence
            return "" if sentence_allowed and lost else f"refused: {ended.sentence}"
        self.counts["identical"] += ended.value == self.undisturbed
        return "" if ended.value == self.undisturbed else "other numbers"


def campaign(count: int, seed: int) -> list[str]:
    """The failures of a part of so many faults: a cluster takes long to start, and longer to be given up."""
    with tempfile.TemporaryDirectory(prefix="stickslip-faults-", ignore_cleanup_errors=True) as folder:
        here = Campaign(Path(folder), seed)
        found = [line for number in range(-(-count // SHARE)) for line in here.fault(number)]
    table("clusters", here.counts)
    return found
