"""Sweeps that take long: kept on disk, stopped, killed, gone on with, and run by workers that die."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.sweeps import execute
from stickslip.sweeps.checkpoint import Checkpoint
from stickslip.sweeps.plan import Chunk, Plan

pytest.importorskip("zarr")
SPEEDS = np.linspace(0.05, 0.4, 40)
SETTINGS = {"times": (200, 200), "chunk": 4, "most": 40}
LONG = {"times": (300_000, 200), "chunk": 4, "most": 40}  # so long that writing a chunk takes less than computing it


def swept(**more: object) -> xr.Dataset:
    return ss.sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, **SETTINGS, **more)


def test_a_checkpointed_sweep_is_the_same(tmp_path: Path) -> None:
    plain, kept = swept(), swept(checkpoint=tmp_path / "sweep.zarr")
    xr.testing.assert_identical(plain, kept)
    again = swept(checkpoint=tmp_path / "sweep.zarr")
    xr.testing.assert_identical(plain, again)


def test_an_interrupted_sweep_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "sweep.zarr"

    def impatient(done: int, total: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    model, over = ss.models.block_on_belt(), {"belt.speed": SPEEDS}
    first = ss.sweep(model, over, **LONG, checkpoint=path, threads=1, progress=impatient)
    computed = int((first["status"] == 0).sum())
    assert 12 <= computed < 40 and "interrupted" in first.attrs["status"]
    seen: list[int] = []
    rest = ss.sweep(model, over, **LONG, checkpoint=path, threads=1, progress=lambda done, total: seen.append(done))
    assert seen[0] == computed + 4  # nothing is computed twice
    xr.testing.assert_identical(rest, ss.sweep(model, over, **LONG))


PROGRAM = """
import sys, numpy as np, stickslip as ss
speeds = np.linspace(0.05, 0.4, 40)
data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": speeds}, times=(300_000, 200), chunk=4, most=40, threads=1,
                checkpoint=sys.argv[1], progress=lambda done, total: print(done, flush=True))
"""


def test_killed_in_the_middle_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "sweep.zarr"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 8:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.wait()
    assert process.returncode == -signal.SIGKILL
    seen: list[int] = []
    resumed = ss.sweep(
        ss.models.block_on_belt(), {"belt.speed": SPEEDS}, **LONG, checkpoint=path,
        progress=lambda done, total: seen.append(done),
    )  # fmt: skip
    assert seen[0] > 8  # the finished chunks were there
    whole = ss.sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, **LONG)
    xr.testing.assert_identical(resumed, whole)


def test_another_sweep_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "sweep.zarr"
    swept(checkpoint=path)
    with pytest.raises(ValueError, match="holds another sweep"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, times=(200, 300), chunk=4, most=40, checkpoint=path)
    (tmp_path / "something").mkdir()
    with pytest.raises(ValueError, match="is not the store of a sweep"):
        swept(checkpoint=tmp_path / "something")
    with pytest.raises(ValueError, match="does not exist"):
        swept(checkpoint=tmp_path / "nowhere" / "sweep.zarr")


class Failing:
    """An array that takes nothing: as where the disk is full, or the process is killed."""

    def __setitem__(self, place: object, values: object) -> None:
        raise OSError("no space left on device")


def test_a_chunk_is_done_when_all_of_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, **SETTINGS)
    results = plan.run(plan.chunks[0])
    store = Checkpoint(tmp_path / "sweep.zarr", plan)
    for name in results:
        with monkeypatch.context() as patch:
            patch.setitem(store.arrays, name, Failing())
            with pytest.raises(ValueError, match="no space"):
                store.keep(0, results)
        assert list(Checkpoint(tmp_path / "sweep.zarr", plan)) == [], name
    xr.testing.assert_identical(swept(checkpoint=tmp_path / "sweep.zarr"), swept())


@dataclass(eq=False)
class Future:
    """A chunk on a cluster; what is lost with a worker is cancelled."""

    status: str
    compute: Callable[[], object]

    def done(self) -> bool:
        return self.status != "pending"

    def result(self, timeout: float) -> object:
        return self.compute()

    def release(self) -> None: ...


class Client:
    """A cluster that loses chunks with its workers: of each of the first rounds, all that come after the first few."""

    def __init__(self, bad_rounds: int, good: int = 0) -> None:
        self.bad_rounds, self.good, self.round, self.begun, self.status = bad_rounds, good, 0, 0, "running"

    def scatter(self, plan: object, broadcast: bool, timeout: float) -> object:
        self.round, self.begun = self.round + 1, 0
        return plan

    def submit(self, function: Callable, plan: object, index: int, **_: object) -> Future:
        self.begun += 1
        lost = self.round <= self.bad_rounds and self.begun > self.good
        return Future("cancelled" if lost else "finished", lambda: function(plan, index))

    def nthreads(self) -> dict[str, int]:
        return {"worker": 2}


@pytest.fixture
def fake_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_distributed", lambda: SimpleNamespace(Client=Client))
    monkeypatch.setattr(execute, "PATIENCE", 0.3)
    monkeypatch.setattr(execute, "SIGN_OF_LIFE", 0.1)


@pytest.mark.usefixtures("fake_cluster")
def test_what_a_cluster_loses_is_asked_for_again() -> None:
    """Several times: shared data may die with its worker more than once. With some progress, any number of times."""
    xr.testing.assert_identical(swept(cluster=Client(bad_rounds=3)), swept())
    xr.testing.assert_identical(swept(cluster=Client(bad_rounds=99, good=1)), swept())
    with pytest.raises(ValueError, match=r"10 chunks were lost with their workers, 5 times in a row\. 0 of 40 points"):
        swept(cluster=Client(bad_rounds=99))


class Dying(Client):
    """A cluster that stops to answer after so many chunks: its workers are gone, or its scheduler."""

    def __init__(self, good: int, what: str) -> None:
        super().__init__(0)
        self.good, self.what, self.count = good, what, 0

    def submit(self, function: Callable, plan: object, index: int, **_: object) -> Future:
        self.count += 1
        return Future("finished" if self.count <= self.good else "pending", lambda: function(plan, index))

    def nthreads(self) -> dict[str, int]:
        if self.count > self.good and self.what == "silent":
            raise TimeoutError("no answer")
        if self.count > self.good and self.what == "closed":
            self.status = "closed"
        return {} if self.count > self.good else {"worker": 2}


@pytest.mark.usefixtures("fake_cluster")
@pytest.mark.parametrize(("what", "said"), [
    ("workers", "it has no workers"), ("silent", "its scheduler does not answer"),
    pytest.param("closed", "it has no workers", marks=pytest.mark.nightly),
])  # fmt: skip
def test_a_cluster_that_is_gone_is_not_waited_for(tmp_path: Path, what: str, said: str) -> None:
    with pytest.raises(
        ValueError, match=f"did not finish the sweep: {said}, for 0 s. 12 of 40 points are comp"
    ) as error:
        swept(cluster=Dying(3, what))
    partial = error.value.partial
    assert int((partial["status"] == 0).sum()) == 12 and partial.attrs["outcome"] == "not_computed"
    whole = swept()
    xr.testing.assert_identical(partial["period"][:12], whole["period"][:12])
    with pytest.raises(ValueError, match=r"12 of 40 points are computed, and kept in .*: the same call goes on"):
        swept(cluster=Dying(3, what), checkpoint=tmp_path / "sweep.zarr")
    seen: list[int] = []
    rest = swept(checkpoint=tmp_path / "sweep.zarr", threads=1, progress=lambda done, total: seen.append(done))
    xr.testing.assert_identical(rest, whole)
    assert seen[0] == 16


def test_two_interruptions_lose_no_more_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second does not wait for the chunks in hand, however long they take; what was finished is kept."""
    begun, endless, compute = threading.Event(), threading.Event(), Plan.run

    def long(plan: Plan, chunk: Chunk, stop: object = None) -> object:
        if chunk.index >= 3:
            begun.set()
            endless.wait(60)
        return compute(plan, chunk)

    def impatient(done: int, total: int) -> None:
        if done == 12 and begun.wait(60):
            threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
            raise KeyboardInterrupt

    monkeypatch.setattr(Plan, "run", long)
    main, began = threading.get_ident(), time.monotonic()
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        kept = swept(threads=1, progress=impatient)
    finally:
        signal.signal(signal.SIGINT, previous)
        endless.set()
    assert time.monotonic() - began < 30
    assert int((kept["status"] == 0).sum()) == 12 and kept.attrs["outcome"] == "interrupted"


def test_on_a_cluster_whose_worker_is_killed() -> None:
    """What a dead worker had in hand is computed again; the result is the same."""
    distributed = pytest.importorskip("distributed")
    settings = {**LONG, "chunk": 2}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killed: list[int] = []

        def killer(done: int, total: int) -> None:
            if done >= 4 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
                time.sleep(0.5)

        model, over = ss.models.block_on_belt(), {"belt.speed": SPEEDS}
        swept_there = ss.sweep(model, over, **settings, cluster=client, progress=killer)
    assert killed
    xr.testing.assert_identical(swept_there, ss.sweep(model, over, **settings))


def test_no_cluster_there() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="no cluster answers"):
        swept(cluster=3.5)
