"""Stores of sweeps on disk: damaged files are found and computed again, and one process writes at a time."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip import files
from stickslip.sweeps import checkpoint, run, stored
from stickslip.sweeps.checkpoint import Checkpoint

pytest.importorskip("zarr")
BELT = ss.models.block_on_belt()
OVER = {"belt.speed": np.linspace(0.1, 0.4, 7)}
SETTINGS = {"times": (30, 60), "chunk": 2, "most": 10}


def swept(path: Path | None = None, **more: object) -> xr.Dataset:
    return ss.sweep(BELT, OVER, **SETTINGS, checkpoint=path, **more)


@pytest.fixture(scope="module")
def undisturbed() -> xr.Dataset:
    return swept()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "made.zarr"
    swept(path)
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "sweep.zarr"))


def zeroed(content: bytes) -> bytes:
    return bytes(len(content))


def flipped(content: bytes) -> bytes:
    place = random.Random(len(content)).randrange(len(content))
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


DAMAGES = {
    "missing": None,
    "empty": lambda content: b"",
    "cut": lambda content: content[:-3],
    "zeroed": zeroed,
    "flipped": flipped,
}


def do_damage(file: Path, damage: str) -> None:
    change = DAMAGES[damage]
    file.unlink() if change is None else file.write_bytes(change(file.read_bytes()))


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_chunks_are_computed_again(store: Path, undisturbed: xr.Dataset, damage: str) -> None:
    for name in ("status/c/0/0", "record_state/c/1/0/0", "done/c/2"):
        do_damage(store / name, damage)
    seen: list[int] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        again = swept(store, threads=1, progress=lambda done, total: seen.append(done))
    xr.testing.assert_identical(again, undisturbed)
    assert seen == [3, 5, 7]  # the fourth chunk alone was sound
    told = {chunk for chunk in range(4) if any(f"chunk {chunk} of" in str(one.message) for one in said)}
    assert told == ({0, 1} if damage in ("missing", "zeroed") else {0, 1, 2})  # no mark: as if never finished
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xr.testing.assert_identical(swept(store), undisturbed)  # mended for good


def test_files_of_another_chunk_are_noticed(store: Path, undisturbed: xr.Dataset) -> None:
    for array in ("period", "time"):
        shutil.copy(store / array / "c" / "0" / "0", store / array / "c" / "2" / "0")
    with pytest.warns(UserWarning, match=r"chunk 2 of .* is damaged \(its checksum differs\)"):
        xr.testing.assert_identical(swept(store), undisturbed)


@pytest.mark.parametrize("name", ["zarr.json", "done/zarr.json", "record_time/zarr.json"])
def test_damaged_descriptions_are_a_sentence(store: Path, name: str) -> None:
    content = (store / name).read_bytes()
    for damage in DAMAGES:
        (store / name).write_bytes(content)
        do_damage(store / name, damage)
        with pytest.raises(ss.errors.ModelError, match=r"damaged|holds another sweep|not the store"):
            swept(store)


def test_a_description_that_means_something_else(store: Path) -> None:
    """Well-formed, but not what was written: no file would be found where it is looked for."""
    file = store / "time" / "zarr.json"
    file.write_text(file.read_text().replace('"separator": "/"', '"separator": "."'))
    with pytest.raises(ss.errors.ModelError, match=r"time/zarr.json is missing, cut short, or not as it was written"):
        swept(store)


def test_stores_of_the_version_before(store: Path) -> None:
    described = json.loads((store / "zarr.json").read_text())
    described["attributes"]["format"] = checkpoint.OLDER
    (store / "zarr.json").write_text(json.dumps(described))
    with pytest.raises(ss.errors.ModelError, match="by an earlier version of stickslip, without checksums"):
        swept(store)


@pytest.mark.parametrize("damage", ["missing", "empty", "flipped"])
def test_what_is_read_later_names_its_damage(
    store: Path, undisturbed: xr.Dataset, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(stored, "IN_MEMORY", 0)
    data = swept(store)
    do_damage(store / "period" / "c" / "1" / "0", damage)
    do_damage(store / "maximum" / "c" / "2" / "0" / "0", damage)
    with (
        pytest.warns(UserWarning),
        pytest.raises(ss.errors.ModelError, match=r"chunk 2 of .* call the same sweep again"),
    ):
        data["maximum"].load()
    with (
        pytest.warns(UserWarning),
        pytest.raises(ss.errors.ModelError, match=r"chunk 1 of .* call the same sweep again"),
    ):
        data["period"].load()
    np.testing.assert_array_equal(data["time"], undisturbed["time"])
    with pytest.warns(UserWarning):
        np.testing.assert_array_equal(swept(store)["period"], undisturbed["period"])


def test_damage_while_the_sweep_runs(tmp_path: Path, undisturbed: xr.Dataset) -> None:
    """Found when the result is put together, and computed again before it is given."""
    path = tmp_path / "sweep.zarr"

    def destroy(done: int, total: int) -> None:
        if done == 4:
            shutil.rmtree(path / "maximum" / "c" / "0")

    with pytest.warns(UserWarning, match="a file of 'maximum' is missing"):
        xr.testing.assert_identical(swept(path, threads=1, progress=destroy), undisturbed)


def test_a_disk_that_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "REPAIRS", 1)
    monkeypatch.setattr(Checkpoint, "_checksum", lambda self, results: random.randrange(10**9))
    with pytest.warns(UserWarning), pytest.raises(ss.errors.ModelError, match="does not stay as it was"):
        swept(tmp_path / "sweep.zarr")


def test_zeros_and_nans_keep_their_bits(tmp_path: Path) -> None:
    """A chunk that equals the fill value is written, too: −0 is not 0, and a NaN has a payload."""
    plan = ss.plan_sweep(BELT, OVER, **SETTINGS)
    results = plan.run(plan.chunks[0])
    results["period"] = np.array([0xFFF8000000000001, 0x7FF8000000000000], np.uint64).view(float)
    results["stick_fraction"] = np.array([[-0.0], [-0.0]])
    Checkpoint(tmp_path / "sweep.zarr", plan).keep(0, results)
    kept = Checkpoint(tmp_path / "sweep.zarr", plan)[0]
    assert all(kept[name].tobytes() == results[name].tobytes() for name in results)


def test_data_is_on_the_disk_before_its_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ss.plan_sweep(BELT, OVER, **SETTINGS)
    store = Checkpoint(tmp_path / "sweep.zarr", plan)
    mark = tmp_path / "sweep.zarr" / "done" / "c" / "0"
    seen: list[tuple[bool, set[Path]]] = []
    put = files.put_all_on_disk
    monkeypatch.setattr(
        checkpoint, "put_all_on_disk", lambda paths: (seen.append((mark.exists(), set(paths))), put(paths))
    )
    store.keep(0, plan.run(plan.chunks[0]))
    (before, data), (after, marks) = seen
    written = {path for path in store.path.rglob("*") if path.is_file() and path.name not in ("zarr.json", "lock")}
    assert not before and after
    assert data >= written - {mark} and {path.parent for path in written - {mark}} <= data
    assert marks >= {mark, mark.parent}


# -- writers ------------------------------------------------------------------------------------------------------


def test_one_writer_at_a_time(tmp_path: Path, undisturbed: xr.Dataset) -> None:
    path = tmp_path / "sweep.zarr"
    refused: list[str] = []

    def another(done: int, total: int) -> None:
        if done == 2:
            try:
                swept(path)
            except ss.errors.ModelError as error:
                refused.append(str(error))

    xr.testing.assert_identical(swept(path, threads=1, progress=another), undisturbed)
    assert len(refused) == 1 and f"is being written by process {os.getpid()} on " in refused[0]
    xr.testing.assert_identical(swept(path), undisturbed)


HOLDER = """
import sys, time, pathlib
from stickslip.files import held
with held(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(99)
"""


def test_a_dead_process_holds_nothing(store: Path, undisturbed: xr.Dataset) -> None:
    (store / "done" / "c" / "1").unlink()
    command = [sys.executable, "-c", HOLDER, str(store / "done" / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(ss.errors.ModelError, match=f"is being written by process {holder.pid} on "):
            swept(store)
        holder.kill()
        holder.wait()
    xr.testing.assert_identical(swept(store), undisturbed)


def test_readers_need_no_lock(store: Path, undisturbed: xr.Dataset) -> None:
    with files.held(store / "done" / "lock"):
        xr.testing.assert_identical(swept(store), undisturbed)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
@pytest.mark.parametrize(
    "place", ["zarr.json", "status/zarr.json", "status/c", "count/c/0", "count/c/1/0", "done/lock"]
)
@pytest.mark.parametrize("make", ["link", "pipe"])
def test_a_store_holds_its_data_itself(store: Path, tmp_path: Path, place: str, make: str) -> None:
    """Through a link in the store of a stranger any file could be emptied or removed; a pipe would never end."""
    entry, precious = store / place, tmp_path / "precious"
    shutil.move(entry, precious)
    before = {path: path.read_bytes() for path in (precious, *precious.rglob("*")) if path.is_file()}
    os.mkfifo(entry) if make == "pipe" else entry.symlink_to(precious)
    shutil.rmtree(store / "events" / "c")  # so that all of it is to be computed again
    with pytest.raises(ss.errors.SweepError, match="is a link, or no file: a store holds its data itself"):
        swept(store)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count the names of a file")
def test_a_lock_with_a_second_name_is_not_emptied(store: Path, tmp_path: Path) -> None:
    precious, lock = tmp_path / "precious", store / "done" / "lock"
    precious.write_text("precious")
    lock.unlink()
    lock.hardlink_to(precious)
    shutil.rmtree(store / "events" / "c")
    with warnings.catch_warnings(), pytest.raises(ss.errors.SweepError, match="cannot write"):
        warnings.simplefilter("ignore")
        swept(store)
    assert precious.read_text() == "precious"


def test_a_store_may_be_named_by_a_link(store: Path, tmp_path: Path, undisturbed: xr.Dataset) -> None:
    (tmp_path / "name").symlink_to(store)
    assert swept(tmp_path / "name").identical(undisturbed)


def test_without_locks_it_is_said(tmp_path: Path, undisturbed: xr.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(files, "_lock", no_locks)
    with pytest.warns(UserWarning, match="has no locks: see to it that no other process writes"):
        xr.testing.assert_identical(swept(tmp_path / "sweep.zarr"), undisturbed)


def test_two_that_create_one_store(tmp_path: Path) -> None:
    """One wins the name; the other takes what it finds."""
    plan = ss.plan_sweep(BELT, OVER, **SETTINGS)
    names = [f"{turn}.zarr" for turn in range(3)]
    together = threading.Barrier(4)

    def create(name: str) -> None:
        together.wait()
        assert len(Checkpoint(tmp_path / name, plan)) == 0

    with ThreadPoolExecutor(4) as pool:
        for name in names:
            list(pool.map(create, [name] * 4))
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_stores_follow_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        swept(tmp_path / "sweep.zarr")
    finally:
        os.umask(before)
    for path in [tmp_path / "sweep.zarr", *(tmp_path / "sweep.zarr").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o777 if path.is_dir() else 0o666) & ~mask, path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the size of files")
def test_a_full_disk_keeps_what_was_written(tmp_path: Path, undisturbed: xr.Dataset) -> None:
    import resource  # not on Windows

    path = tmp_path / "sweep.zarr"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(done: int, total: int) -> None:
        if done == 4:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))

    try:
        with pytest.raises(
            ss.errors.ModelError, match=r"4 of 7 points are computed, and kept in .* goes on with the rest"
        ):
            swept(path, threads=1, progress=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    seen: list[int] = []
    xr.testing.assert_identical(swept(path, progress=lambda done, total: seen.append(done)), undisturbed)
    assert seen[0] == 6 or seen[0] == 5


def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Checkpoint, where: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Checkpoint, "_allocate", refuse)
    with pytest.raises(ss.errors.ModelError, match=r"cannot write .*: No space left on device"):
        swept(tmp_path / "sweep.zarr")
    assert list(tmp_path.iterdir()) == []
