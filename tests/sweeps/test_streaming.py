"""Sweeps larger than memory: packed rows go to disk chunk by chunk, and come back as far as they are asked for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.sweeps import prepare, stored
from stickslip.sweeps.checkpoint import Checkpoint

pytest.importorskip("zarr")
BELT = ss.models.block_on_belt()
GRID = {"belt.speed": np.linspace(0.05, 0.4, 10), "block.m": [1.0, 1.5, 2.0]}
SETTINGS = {"times": (50, 100), "chunk": 7, "most": 30}


@pytest.fixture
def nothing_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with next to no memory."""
    monkeypatch.setattr(stored, "IN_MEMORY", 0)
    monkeypatch.setattr(prepare, "MOST_BYTES", 1000)


@pytest.mark.parametrize("carry", [None, "up", "down"])
def test_what_stays_on_disk_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, carry: str | None) -> None:
    plain = ss.sweep(BELT, GRID, **SETTINGS, carry=carry)
    monkeypatch.setattr(stored, "IN_MEMORY", 0)
    lazy = ss.sweep(BELT, GRID, **SETTINGS, carry=carry, checkpoint=tmp_path / "sweep.zarr")
    assert not lazy["x.block"].variable._in_memory and not lazy["record_time"].variable._in_memory
    xr.testing.assert_identical(plain, lazy)
    for part in (
        {"block.m": 1},
        {"belt.speed": [3, 1], "record": slice(0, 2)},
        {"belt.speed": slice(2, 9, 3), "state": 0},
        {"belt.speed": 2, "block.m": slice(None, None, -1), "record": [1, 0]},
    ):
        xr.testing.assert_identical(plain.isel(part), lazy.isel(part))


def test_several_observations_stay_on_disk_too(tmp_path: Path, nothing_fits: None) -> None:
    observe = [ss.observe.StickToSlip(), ss.observe.Maxima("x.block"), ss.observe.Signature()]
    lazy = ss.sweep(BELT, GRID, **SETTINGS, observe=observe, checkpoint=tmp_path / "sweep.zarr")
    assert set(lazy["signature"].values.ravel()) == {"stick → slip-"}
    assert lazy["stick_to_slip.count"].values.sum() > 30 < lazy["maxima_x.block.count"].values.sum()


def test_without_a_folder_it_is_refused(nothing_fits: None) -> None:
    with pytest.raises(ss.errors.SweepError, match=r"give checkpoint=FOLDER to keep them on disk"):
        ss.sweep(BELT, GRID, **SETTINGS)


def test_a_stopped_sweep_is_read_as_far_as_it_is(tmp_path: Path, nothing_fits: None) -> None:
    def impatient(done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    path = tmp_path / "sweep.zarr"
    slow = SETTINGS | {"times": (100_000, 100), "threads": 1, "checkpoint": path}
    first = ss.sweep(BELT, GRID, **slow, progress=impatient)
    done = first["status"].values == 0
    assert 7 <= done.sum() < 30 and first.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert np.isnan(first["x.block"].values[~done]).all() and np.isfinite(first["x.block"].values[done, 0]).all()
    rest = ss.sweep(BELT, GRID, **slow)
    before, after = first["x.block"].values[done], rest["x.block"].values[done]
    np.testing.assert_array_equal(after[:, : before.shape[1]], before)
    assert rest.attrs["status"] == "The sweep is complete."


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_a_store_is_as_large_as_what_was_recorded(tmp_path: Path) -> None:
    """Room for many rows takes none on disk."""
    over, t = {"belt.speed": np.linspace(0.05, 0.4, 64)}, (50, 400)
    for most in (40, 40_000):
        ss.sweep(BELT, over, times=t, most=most, chunk=64, checkpoint=tmp_path / str(most))
    assert size_of(tmp_path / "40000") < 1.2 * size_of(tmp_path / "40")


def test_rows_of_a_chunk_are_cut_into_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stickslip.sweeps.checkpoint.PIECE", 16)
    plain = ss.sweep(BELT, GRID, **SETTINGS, shortcut=False)
    kept = ss.sweep(BELT, GRID, **SETTINGS, shortcut=False, checkpoint=tmp_path / "sweep.zarr")
    xr.testing.assert_identical(plain, kept)
    assert len(list((tmp_path / "sweep.zarr" / "record_time" / "c" / "0").iterdir())) > 2


def test_places_are_those_of_the_points() -> None:
    for carry in (None, "up"):
        plan = ss.plan_sweep(BELT, GRID, **SETTINGS, carry=carry)
        for chunk in plan.chunks:
            index, place = plan.places(plan.points(chunk))
            assert np.all(index == chunk.index)
            assert place.tolist() == list(range(len(place)))


def test_large_sweeps_have_few_chunks_that_fit_into_memory() -> None:
    over = {"belt.speed": np.linspace(0.1, 0.2, 10**6)}
    assert ss.plan_sweep(BELT, over, times=(1, 1)).chunk_size == 10**6 // prepare.MOST_FILES
    long = ss.plan_sweep(BELT, over, times=(1, 1), most=10**6)
    assert long.chunk_size * long.bytes_per_point <= prepare.CHUNK_BYTES["cpu"]


def test_a_store_of_another_layout_is_refused(tmp_path: Path) -> None:
    plan = ss.plan_sweep(BELT, GRID, **SETTINGS)
    Checkpoint(tmp_path / "sweep.zarr", plan)
    with pytest.raises(ss.errors.SweepError, match="holds another sweep"):
        Checkpoint(tmp_path / "sweep.zarr", ss.plan_sweep(BELT, GRID, **SETTINGS, observe=ss.observe.SlipToStick()))


PROGRAM = """
import sys, numpy as np, stickslip as ss
from stickslip.sweeps import stored

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024

def swept(count, **keywords):
    over = {"belt.speed": np.linspace(0.1, 0.4, count)}
    observe = ss.observe.Strobe(every=0.01)
    return ss.sweep(
        ss.models.block_on_belt(), over, observe=observe, times=(0, 50), most=5000, chunk=20, **keywords
    )

stored.IN_MEMORY = 1e6
swept(300, checkpoint=sys.argv[1] + "/small.zarr")
before = peak()
data = swept(2000, checkpoint=sys.argv[1] + "/large.zarr")
values = data["x.block"].sel({"belt.speed": 0.2}, method="nearest").values
print(int(data["count"].sum()), data["x.block"].nbytes / 2**20, len(values), peak() - before)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
def test_memory_stays_bounded(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    rows, megabytes, values, more = (float(word) for word in run.stdout.split())
    assert rows == 2000 * 5000 and values == 5000
    assert megabytes > 70  # one of the four arrays of rows
    assert more < 60  # of 260 in all
