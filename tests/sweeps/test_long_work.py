"""Sweeps that take long: kept on disk, stopped, killed, gone on with, and run by workers that die."""

import os
import signal
import subprocess
import sys
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

pytest.importorskip("zarr")
SPEEDS = np.linspace(0.05, 0.4, 40)
SETTINGS = {"t": (200, 200), "chunk": 4, "most": 40}
LONG = {"t": (300_000, 200), "chunk": 4, "most": 40}  # so long that writing a chunk takes less than computing it


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
data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": speeds}, t=(300_000, 200), chunk=4, most=40, threads=1,
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
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, t=(200, 300), chunk=4, most=40, checkpoint=path)
    (tmp_path / "something").mkdir()
    with pytest.raises(ValueError, match="is not the store of a sweep"):
        swept(checkpoint=tmp_path / "something")
    with pytest.raises(ValueError, match="does not exist"):
        swept(checkpoint=tmp_path / "nowhere" / "sweep.zarr")


class Failing:
    """An array that takes nothing: as where the disk is full, or the process is killed."""

    def __setitem__(self, place: object, values: object) -> None:
        raise OSError("no space left on device")


def test_a_chunk_is_done_when_all_of_it_is_written(tmp_path: Path) -> None:
    plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": SPEEDS}, **SETTINGS)
    results = plan.run(plan.chunks[0])
    for name in results:
        store = Checkpoint(tmp_path / "sweep.zarr", plan)
        store.arrays[name] = Failing()
        with pytest.raises(ValueError, match="no space"):
            store.keep(0, results)
        assert list(Checkpoint(tmp_path / "sweep.zarr", plan)) == [], name
    xr.testing.assert_identical(swept(checkpoint=tmp_path / "sweep.zarr"), swept())


@dataclass(eq=False)
class Future:
    status: str
    result: Callable[[], object]


class Completed(list):
    """Futures as they are completed, others added meanwhile."""

    update = list.extend


class Client:
    """A cluster that loses chunks with its workers: in each of the first rounds all but one come back cancelled."""

    def __init__(self, bad_rounds: int) -> None:
        self.bad_rounds, self.round, self.done = bad_rounds, 0, False

    def scatter(self, plan: object, broadcast: bool) -> object:
        self.round, self.done = self.round + 1, False
        return plan

    def submit(self, function: Callable, plan: object, index: int, **_: object) -> Future:
        lost = self.round <= self.bad_rounds and self.done
        self.done = True
        return Future("cancelled" if lost else "finished", lambda: function(plan, index))

    def nthreads(self) -> dict[str, int]:
        return {"worker": 2}

    def cancel(self, futures: object) -> None: ...


def test_what_a_cluster_loses_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several times: shared data may die with its worker more than once."""
    monkeypatch.setattr(execute, "_distributed", lambda: SimpleNamespace(Client=Client, as_completed=Completed))
    xr.testing.assert_identical(swept(cluster=Client(bad_rounds=3)), swept())
    with pytest.raises(ValueError, match="chunks were lost with their workers"):
        swept(cluster=Client(bad_rounds=99))


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
