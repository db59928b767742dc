"""Runs as data: saved and loaded unchanged, refused with a sentence when they cannot be read, kept when interrupted."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip import result
from stickslip.targets import cache


def no_contact():
    mass = ss.Mass("block", 1.0, x=1.0, unit="m")
    return ss.System(ss.Spring(mass, ss.ground, k=1.0), time_unit="s")


def at_rest():
    mass, belt = ss.Mass("block", 1.0, v=0.1), ss.Belt("belt", 0.1)
    return ss.System(mass, ss.Contact(mass, belt, law=ss.Coulomb(0.4)))


RUNS = {
    "block_on_belt": lambda: ss.simulate(ss.models.block_on_belt(), 30.0),
    "no events": lambda: ss.simulate(at_rest(), 5.0),
    "no contacts": lambda: ss.simulate(no_contact(), 5.0),
    "many contacts": lambda: ss.simulate(ss.models.chain(12), 5.0),
    "not dense": lambda: ss.simulate(ss.models.two_blocks(), 30.0, dense=False, samples=11),
    "units": lambda: ss.simulate(ss.models.bowed_string(), 1e-3),
    "filippov": lambda: ss.simulate(
        ss.Filippov(("x", "y"), f=lambda x, y: (y, -x), G=lambda: (0.0, 1.0), h=lambda y: y, start={"x": 3.3}),
        9.0,
    ),
    "stopped early": lambda: ss.simulate(ss.models.block_on_belt(), 30.0, method=ss.Exact(most_steps=5)),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_loaded_is_what_was_saved(name, tmp_path):
    run = RUNS[name]()
    path = ss.save(run, tmp_path / "run.nc")
    again = ss.load(path)
    xr.testing.assert_identical(run, again)
    for variable in run.variables:
        assert run[variable].dtype.kind == again[variable].dtype.kind, variable
        if run[variable].dtype.kind != "U":
            assert run[variable].dtype == again[variable].dtype, variable
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    assert ss.interpolate(again, [0.0005])["time"].size == 1 if "step_start" in run else True


def sentence(error) -> str:
    text = str(error.value)
    assert "\n" not in text and len(text) < 500
    return text


def test_missing_file(tmp_path):
    with pytest.raises(ss.errors.ResultError) as error:
        ss.load(tmp_path / "nothing.nc")
    assert "nothing.nc" in sentence(error)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.9])
def test_truncated_file(tmp_path, fraction):
    path = ss.save(RUNS["block_on_belt"](), tmp_path / "run.nc")
    data = path.read_bytes()
    path.write_bytes(data[: int(fraction * len(data))])
    with pytest.raises(ss.errors.ResultError) as error:
        ss.load(path)
    sentence(error)


def test_text_file_and_folder(tmp_path):
    path = tmp_path / "run.nc"
    path.write_text("hello\nworld\n")
    for wrong in (path, tmp_path):
        with pytest.raises(ss.errors.ResultError) as error:
            ss.load(wrong)
        sentence(error)


def test_foreign_netcdf(tmp_path):
    path = tmp_path / "other.nc"
    xr.Dataset({"a": ("x", np.arange(3.0))}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ss.errors.ResultError, match="not a run"):
        ss.load(path)


def test_run_without_its_variables(tmp_path):
    """A file with the right mark but without its contents."""
    path = tmp_path / "other.nc"
    xr.Dataset({"a": ("x", np.arange(3.0))}, attrs={"format": "stickslip run 1"}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ss.errors.ResultError) as error:
        ss.load(path)
    sentence(error)


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(ss.errors.ResultError, match="does not exist"):
        ss.save(RUNS["no events"](), tmp_path / "no" / "run.nc")


def test_interpolate_outside():
    run = RUNS["block_on_belt"]()
    for wrong in ([-1e-9], [30.1], [1.0, np.nan]):
        with pytest.raises(ss.errors.ResultError, match="outside the run"):
            ss.interpolate(run, wrong)
    with pytest.raises(ss.errors.ResultError, match="no dense output"):
        ss.interpolate(RUNS["not dense"](), [1.0])


def test_interpolate_agrees_with_samples():
    run = RUNS["block_on_belt"]()
    again = ss.interpolate(run, run["time"].values)
    for name in ("x.block", "v.block", "force", "slip_velocity", "mode"):
        np.testing.assert_array_equal(again[name], run[name])


def test_samples():
    model = ss.models.block_on_belt()
    run = ss.simulate(model, 21.0, start_time=1.0, samples=41)
    np.testing.assert_array_equal(run["time"], np.linspace(1, 21, 41))
    times = np.array([1.0, 1.5, 7.25, 21.0])
    for dense in (True, False):
        other = ss.simulate(model, 21.0, start_time=1.0, samples=times, dense=dense)
        np.testing.assert_array_equal(other["time"], times)
        assert float(other["x.block"][2]) == pytest.approx(float(ss.interpolate(run, [7.25])["x.block"][0]), rel=1e-14)
    for wrong in (1, [2.0, 1.5], [0.0, 5.0], [], [[1.0, 2.0]], [1.0, np.nan, 5.0]):
        with pytest.raises(ss.errors.ModelError):
            ss.simulate(model, 21.0, start_time=1.0, samples=wrong)


def test_many_blocks_without_dense_output_equal_the_dense_run():
    """Long enough for several blocks of steps."""
    model = ss.models.chain(3)
    times = np.linspace(0, 3000, 997)
    dense, plain = (ss.simulate(model, 3000.0, samples=times, dense=d) for d in (True, False))
    assert dense.sizes["step"] > 10_000
    for name in (*dense["state"].values, "mode", "force", "event_time"):
        np.testing.assert_array_equal(dense[name], plain[name])
    whole = ss.simulate(model, 3000.0, dense=False)
    assert np.all(np.diff(whole["time"]) > 0)
    assert float(whole["time"][-1]) == 3000.0


def test_interrupted_from_the_progress_callback():
    calls = []

    def progress(t):
        calls.append(t)
        if len(calls) == 2:
            raise KeyboardInterrupt

    run = ss.simulate(ss.models.chain(3), 1e5, progress=progress)
    assert run.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert float(run["time"][-1]) == pytest.approx(calls[-1])
    assert run.sizes["event"] > 100
    assert float(run["event_time"][-1]) <= calls[-1]
    assert float(ss.interpolate(run, [calls[-1] / 2])["x.block1"][0]) < 2


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.02, 0.3])
def test_interrupted_by_the_user_keeps_what_was_computed(delay):
    """Control-C arrives while compiled code runs; it is noticed when that returns."""
    with interruptible():
        run, reached = interrupted(delay)
    assert run.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert run.sizes["event"] > 0
    # Events and steps belong together: nothing that was reported is lost.
    assert float(run["event_time"][-1]) > 0.9 * reached[-1]


@contextmanager
def interruptible():
    """Control-C interrupts, also where the tests run in the background and would ignore it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def interrupted(delay):
    """A long run that Control-C stops a while after its first report, and what it reported."""
    model = ss.models.chain(3)
    ss.Field.of(model, order=20)
    main = threading.get_ident()
    reached = []

    def interrupt():
        time.sleep(delay)
        signal.pthread_kill(main, signal.SIGINT)

    def progress(t):
        reached.append(t)
        if len(reached) == 1:
            threading.Thread(target=interrupt, daemon=True).start()

    return ss.simulate(model, 1e9, progress=progress, dense=False, samples=np.linspace(0, 1e9, 1000)), reached


def test_interrupt_before_the_first_block_is_kept(monkeypatch):
    """Control-C in the first block of steps."""
    model = ss.models.chain(3)
    ss.Field.of(model, order=20)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for delay in (2e-4, 1e-3, 3e-3, 6e-3):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                run = ss.simulate(model, 1e9, dense=True)
            except KeyboardInterrupt:
                continue  # before or after the integration itself: nothing to keep
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert run.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    finally:
        signal.signal(signal.SIGALRM, previous)


def test_a_run_that_blows_up_keeps_finite_numbers():
    model = ss.Filippov(("x",), f=lambda x: (x**2,), G=lambda: (1.0,), h=lambda x: x, kinetic=0.0, start={"x": 1.0})
    run = ss.simulate(model, 2.0, method=ss.Exact(most_steps=10**5))
    assert run.attrs["status"].startswith(ss.Status.STALLED.value)
    assert float(run["time"][-1]) == pytest.approx(1.0, abs=1e-9)
    assert np.isfinite(run["x"].values).all()
    assert np.all(np.diff(run["time"].values) > 0)


# -- files that are whole or not there ----------------------------------------------------------------------------


def test_a_save_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    before = ss.simulate(ss.models.block_on_belt(), 5.0)
    ss.save(before, tmp_path / "run.nc")

    def fail(run, path):
        path.write_bytes(b"half of a file")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(result, "_write", fail)
        with pytest.raises(KeyboardInterrupt):
            ss.save(ss.simulate(ss.models.block_on_belt(), 9.0), tmp_path / "run.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
    xr.testing.assert_identical(ss.load(tmp_path / "run.nc"), before)


@pytest.mark.parametrize("write", ["save", "cache"])
def test_nobody_sees_half_a_file(tmp_path, monkeypatch, write):
    """While a file is written there is nothing under its name, or what was there before."""
    path, seen = tmp_path / "file.nc", []
    run, replaced = ss.simulate(ss.models.block_on_belt(), 5.0), os.replace

    def replace(temporary, target):
        seen.append((path.exists(), Path(temporary).stat().st_size))
        replaced(temporary, target)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setenv("STICKSLIP_CACHE", str(tmp_path))
    ss.save(run, path) if write == "save" else cache.write(path.name, bytes(1000))
    assert seen == [(False, path.stat().st_size)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    run = ss.simulate(ss.models.block_on_belt(), 5.0)
    return run, ss.save(run, tmp_path_factory.mktemp("saved") / "run.nc").read_bytes()


def test_any_damage_is_a_sentence(tmp_path, saved):
    """A flipped bit anywhere, also among the numbers, where NetCDF has no checksum of its own; files cut anywhere."""
    run, content = saved
    path = tmp_path / "run.nc"
    chance = np.random.default_rng(5)
    for place in chance.integers(0, len(content), 25).tolist():
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        expect_the_run_or_a_sentence(path, run)
        path.write_bytes(content[:place])
        expect_the_run_or_a_sentence(path, run)
    numbers = content.index(run["x.block"].values.tobytes())
    path.write_bytes(content[:numbers] + bytes([content[numbers] ^ 1]) + content[numbers + 1 :])
    with pytest.raises(ss.errors.ResultError, match="its checksum is not that of its content"):
        ss.load(path)


def test_damage_to_the_seal_as_well(tmp_path, saved):
    """What stands behind the content of the file can only have been a seal."""
    run, content = saved
    path, numbers = tmp_path / "run.nc", content.index(run["x.block"].values.tobytes())
    damaged = content[:numbers] + bytes([content[numbers] ^ 1]) + content[numbers + 1 :]
    for other in (damaged + b"more", damaged[:-70] + b"x" + damaged[-69:], damaged[:-1]):
        path.write_bytes(other)
        with pytest.raises(ss.errors.ResultError, match="its checksum is not that of its content"):
            ss.load(path)


def expect_the_run_or_a_sentence(path, run):
    try:
        xr.testing.assert_identical(ss.load(path), run)
    except ss.errors.ResultError as error:
        assert "damaged" in str(error)


def test_other_programs_read_and_change_sealed_files(tmp_path, saved):
    """HDF5 passes over what stands at the end; who changes a file takes the seal off."""
    import h5py

    run, content = saved
    path = tmp_path / "run.nc"
    path.write_bytes(content)
    with xr.open_dataset(path, engine="h5netcdf") as file:
        np.testing.assert_array_equal(file["x.block"], run["x.block"])
    with h5py.File(path, "r+") as file:
        file.attrs["title"] = "changed elsewhere"
    assert ss.load(path).attrs["title"] == "changed elsewhere"


def test_results_that_are_too_large_for_memory(tmp_path, monkeypatch, saved):
    """They go to the disk directly, unless there is not enough room for them."""
    run, _ = saved
    monkeypatch.setattr(result, "IN_MEMORY", 0)
    xr.testing.assert_identical(ss.load(ss.save(run, tmp_path / "run.nc")), run)
    monkeypatch.setattr(result.shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(ss.errors.ResultError, match=r"cannot write .*other.nc': No space left on device"):
        ss.save(run, tmp_path / "other.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
