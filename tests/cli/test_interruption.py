"""Ctrl-C and full disks on the command line: what was computed is kept, whatever happens while it is."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip import files, result
from stickslip.cli import app
from stickslip.cli.interruption import is_deaf
from stickslip.cli.progress import Progress

BEGIN = """
import signal
from stickslip.__main__ import main

install = signal.signal

def begun(*arguments):
    before = install(*arguments)
    signal.signal = install
    print("begun", flush=True)
    return before

signal.signal = begun
main()
"""
"""It has begun once Ctrl-C is the command's own: before that Python itself answers."""

BEFORE_THE_WORK = """
import signal
from stickslip.__main__ import main
from stickslip.cli import running

running._run = lambda asked: signal.raise_signal(signal.SIGINT)
main()
"""
"""Options are read, and nothing of the command's own has begun."""

LONG = ["simulate", "block_on_belt", "--t", "1e9", "--no-dense", "--samples", "100", "--save", "run.nc"]
SENTENCE = "interrupted before there was a result\n"


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, list(arguments))
        return done.exit_code, done.output

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("delay", [0.0, 0.1, 1.0])
def test_at_any_moment_it_ends_the_command(tmp_path: Path, delay: float) -> None:
    """While modules are imported, while the model is compiled, while it is simulated."""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN, *LONG], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == "begun\n"
        time.sleep(delay)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) in [(130, SENTENCE), (3, "")]
    assert (tmp_path / "run.nc").exists() == (running.returncode == 3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_between_options_and_work_it_is_a_sentence_as_well() -> None:
    done = subprocess.run([sys.executable, "-c", BEFORE_THE_WORK, *LONG], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, SENTENCE)


def test_imports_are_not_torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that drops every exception cannot drop this one: it comes when the import is over."""
    (tmp_path / "slow_and_deaf.py").write_text(
        "import signal, time\n"
        "try:\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    time.sleep(0.2)\n"
        "except BaseException:\n"
        "    torn = True\n"
        "else:\n"
        "    torn = False\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Progress():
        import slow_and_deaf  # type: ignore[import-not-found]

        assert slow_and_deaf.torn is False
        time.sleep(5)
    assert signal.getsignal(signal.SIGINT) is before
    assert is_deaf(None) is False


def test_what_is_given_up_does_not_swallow_it() -> None:
    """Python drops what is raised in callbacks of weak references and in finalizers: it comes when they are over."""

    class Thing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def seen() -> None:
        weakref.finalize(set_aside := {1}, press)
        del set_aside

    for give_up in (Thing, seen):
        with pytest.raises(KeyboardInterrupt), Progress():
            give_up()
            time.sleep(5)


def press(times: int = 1) -> None:
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)


def test_impatience_does_not_lose_what_is_kept() -> None:
    """One KeyboardInterrupt reaches the work; while it winds up, others of the same moment do not."""
    with Progress() as progress:
        progress.show("working")
        press()
        with pytest.raises(KeyboardInterrupt):
            progress.show("working")
        press(5)
        progress.show("winding up")
        progress.hold()
        press(5)
        progress.show("saving")


def test_work_that_does_not_report_is_stopped() -> None:
    with Progress() as progress:
        progress.show("working")
        press()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)
        assert time.monotonic() - began < 10
    time.sleep(0.1)


def test_insisting_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that has dropped the first one, or takes long to wind up, is stopped by a later one."""
    from stickslip.cli import progress as module

    monkeypatch.setattr(module, "IMPATIENCE", 0.05)
    with Progress():
        with pytest.raises(KeyboardInterrupt):
            press()
        time.sleep(0.1)
        with pytest.raises(KeyboardInterrupt):
            press()


def test_while_a_file_is_written_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, write = ss.simulate(ss.models.block_on_belt(), 5.0), result._write

    def slow(run, path) -> None:
        press(2)
        write(run, path)

    monkeypatch.setattr(result, "_write", slow)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ss.save(run, tmp_path / "run.nc")
        assert ss.load(tmp_path / "run.nc").identical(run)
        assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
        kept: list[Path] = []
        thread = threading.Thread(target=lambda: kept.append(ss.save(run, tmp_path / "other.nc")))
        monkeypatch.setattr(result, "_write", write)
        thread.start()
        thread.join()
        assert kept == [tmp_path / "other.nc"]  # other threads are never interrupted
    finally:
        signal.signal(signal.SIGINT, previous)


@pytest.mark.parametrize("command", [
    ("simulate", "block_on_belt", "--t", "20"),
    ("sweep", "block_on_belt", "--over", "belt.speed=0.1,0.2", "--times", "30", "30"),
    ("orbit", "block_on_belt"),
])  # fmt: skip
def test_pressed_again_and_again_while_saving(call, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    write = result._write

    def slow(run, path) -> None:
        press(3)
        write(run, path)

    monkeypatch.setattr(result, "_write", slow)
    code, text = call(*command, "--save", "kept.nc")
    assert code == 0 and "wrote kept.nc" in text
    ss.load("kept.nc")


# -- full disks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [
    ("simulate", "block_on_belt", "--t", "20"),
    ("sweep", "block_on_belt", "--over", "belt.speed=0.1,0.2", "--times", "30", "30"),
    ("orbit", "two_blocks", "--all", "6"),
    ("basins", "coulomb_oscillator", "--over", "x.block=-3:4:3", "--over", "v.block=-2:1:3", "--t", "30"),
    ("follow", "block_on_belt", "belt.speed", "--to", "0.21"),
])  # fmt: skip
def test_a_full_disk_loses_nothing(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command) -> None:
    """The place is named where the result is, and it can be read there, by its owner alone."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    seal = files.seal

    def full(path: Path) -> None:
        if home not in path.parents:
            raise OSError(28, "No space left on device")
        seal(path)

    monkeypatch.setattr(result, "seal", full)
    code, text = call(*command, "--save", "result.nc")
    assert code == 1 and "error: cannot write 'result" in text and "No space left on device" in text
    kept = sorted(home.glob("stickslip-kept-*/result*.nc"))
    assert len(kept) == (2 if "two_blocks" in command else 1)
    for path in kept:
        assert f"what was computed is kept in {str(path)!r}" in text.replace("\n", " ")
        ss.load(path)
        assert os.name == "nt" or path.parent.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from stickslip.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the size of files")
def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    """No file may be larger than a few kilobytes, as on a disk that is full: no signal, but a sentence."""
    room = random.Random(0).choice([100, 4096, 20_000])
    command = [sys.executable, "-c", LIMITED, str(room), "simulate", "block_on_belt", "--t", "100", "--save", "run.nc"]
    variables = os.environ | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "COLUMNS": "200"}
    variables["STICKSLIP_CACHE"] = str(tmp_path / "cache")
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "error: cannot write 'run.nc': File too large" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_a_damaged_store_is_told_and_mended(call, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    command = (
        "sweep",
        "block_on_belt",
        "--over",
        "belt.speed=0.1,0.2",
        "--times",
        "30",
        "30",
        "--checkpoint",
        "s.zarr",
    )
    code, first = call(*command)
    next((tmp_path / "s.zarr" / "period" / "c").rglob("0")).joinpath("0").unlink()
    code, text = call(*command)
    assert code == 0 and text.startswith("warning: chunk 0 of 's.zarr' is damaged (") and text.endswith(first)
    assert call(*command) == (0, first)
