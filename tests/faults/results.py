"""Files of results: processes killed or interrupted while they save, damaged files, full disks.

A file is the old one or the new one, to the last bit; a damaged one is a sentence; what a command has computed is kept
somewhere, and it says where.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import xarray as xr
from tests.faults._forked import DAMAGES, Child, Ended, digest, table

import stickslip as ss
from stickslip import result
from stickslip.__main__ import main
from stickslip.cli import command, orbits, sweeps  # noqa: F401  before there are children

COMMANDS = (
    ("simulate", "block_on_belt", "--t", "{}"),
    ("sweep", "block_on_belt", "--over", "belt.speed=0.1:0.4:5", "--times", "{}", "30"),
)
LONG = (
    ("simulate", "block_on_belt", "--t", "1e9", "--no-dense", "--samples", "50"),
    ("sweep", "block_on_belt", "--over", "belt.speed=0.1:0.4:500", "--times", "2000", "30"),
    ("orbit", "block_on_belt", "--all", "1000"),
    ("follow", "block_on_belt", "belt.speed", "--to", "0.4", "--step", "1e-5", "--most", "100000"),
    ("lyapunov", "block_on_belt", "--t", "3e6"),
    ("basins", "coulomb_oscillator", "--over", "x.block=-5:5:21", "--over", "v.block=-5:5:20", "--t", "40"),
)


def called(folder: Path, arguments: tuple[str, ...]) -> tuple[int, str]:
    """The exit code of a command, and what it said."""
    os.chdir(folder)
    os.environ["COLUMNS"] = "500"
    sys.argv = ["stickslip", *arguments]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            main()
        except SystemExit as end:
            return int(end.code or 0), said.getvalue()
    return 0, said.getvalue()


def loaded(path: Path) -> str:
    data = ss.load(path)
    return digest(data) if isinstance(data, xr.Dataset) else f"{type(data).__name__} {data!r}"


@contextlib.contextmanager
def small_disk(folder: Path, room: int) -> Iterator[bool]:
    """A file system of so many bytes at a folder, and whether there is one: only the superuser can make it."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={room}", "stickslip-faults", str(folder)]
    made = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)


class Campaign:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.run = ss.simulate(ss.models.block_on_belt(), 40.0)
        self.other = ss.simulate(ss.models.block_on_belt(), 400.0)
        self.known = {Child(lambda run=run: self.saved_well(run)).wait().value for run in (self.run, self.other)}
        for arguments in (*COMMANDS, ("orbit", "block_on_belt")):  # so that everything is compiled and imported
            words = tuple(word.format(20) for word in arguments)
            Child(lambda words=words: called(folder, words)).wait()

    def saved_well(self, run: xr.Dataset) -> str:
        """What a file of a run should be, after it was compared with the run itself."""
        path = ss.save(run, self.folder / "well.nc")
        if not ss.load(path).identical(run):
            raise AssertionError("what is loaded is not what was saved")
        return loaded(path)

    def fault(self, number: int) -> list[str]:
        saves = (self.killed, self.full, self.full_here)
        kinds = (*saves, self.interrupted, self.damaged, self.killed_command, self.damaged)
        kind = kinds[number % len(kinds)]
        here = self.folder / str(number)
        here.mkdir()
        found = kind(here)
        shutil.rmtree(here)
        return [f"{number} {kind.__name__}: {line}" for line in found if line]

    def judge(self, path: Path) -> str:
        """Whether a file is one of those that were saved, whole."""
        ended = Child(lambda: loaded(path)).wait()
        if ended.wrong or ended.sentence:
            return ended.wrong or f"not whole: {ended.sentence}"
        self.counts["whole"] += 1
        return "" if ended.value in self.known else "other numbers"

    def killed(self, here: Path) -> list[str]:
        path = here / "run.nc"
        result.save(self.run, path)

        def work() -> None:
            for _ in range(1000):
                ss.save(self.other, path)
                ss.save(self.run, path)

        child = Child(work)
        time.sleep(self.chance.uniform(0, 0.3))
        child.send(signal.SIGKILL)
        ended = child.wait()
        self.counts["killed while saving"] += 1
        return [ended.wrong, self.judge(path)]

    def killed_command(self, here: Path) -> list[str]:
        """The file is not there, or whole."""
        words = tuple(word.format(20) for word in self.chance.choice(COMMANDS))
        child = Child(lambda: called(here, (*words, "--save", "result.nc")))
        time.sleep(self.chance.uniform(0, 1.0))
        child.send(signal.SIGKILL)
        child.wait()
        self.counts["commands killed"] += 1
        path = here / "result.nc"
        if not path.exists():
            return []
        return [Child(lambda: loaded(path)).wait().sentence]

    def damaged(self, here: Path) -> list[str]:
        path = result.save(self.run, here / "run.nc")
        for _ in range(self.chance.choice([1, 1, 2])):
            if path.exists():
                self.chance.choice(DAMAGES)(path, self.chance)
        self.counts["damaged"] += 1
        ended = Child(lambda: loaded(path)).wait()
        if ended.sentence:
            self.counts["sentences"] += 1
        return [ended.wrong or ("" if ended.sentence or ended.value in self.known else "other numbers")]

    def full(self, here: Path) -> list[str]:
        """A command on a small disk: what it has computed is elsewhere, and it can be read there."""
        disk, home = here / "disk", here / "home"
        home.mkdir()
        room = self.chance.choice([4096, 40_000, 90_000])
        words = tuple(word.format(self.chance.choice([20, 400])) for word in self.chance.choice(COMMANDS))

        def work() -> tuple[int, str]:
            os.environ["HOME"] = str(home)
            return called(disk, (*words, "--save", "result.nc"))

        with small_disk(disk, room) as is_small:
            self.counts["commands on full disks"] += is_small
            ended = Child(work).wait()
            left = sorted(path.name for path in disk.iterdir())
        if ended.wrong or ended.sentence:
            return [ended.wrong or ended.sentence]
        code, said = ended.value
        if code == 0:
            return ["" if left == ["result.nc"] else f"left {left}"]
        kept = re.search(r"what was computed is kept in '(.*)'", said)
        if code != 1 or left or kept is None or "No space left on device" not in said:
            return [f"exit code {code}, left {left}: {said[-500:]}"]
        self.counts["kept elsewhere"] += 1
        elsewhere = Child(lambda: loaded(Path(kept[1]))).wait()
        return [elsewhere.wrong or elsewhere.sentence]

    def full_here(self, here: Path) -> list[str]:
        """`ss.save` where there is no room: a sentence, and the old file."""
        path = result.save(self.run, here / "run.nc")
        room = self.chance.randrange(400_000)

        def work() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            ss.save(self.other, path)

        self.counts["files too large"] += 1
        ended = Child(work).wait()
        left = sorted(file.name for file in here.iterdir())
        return [ended.wrong, self.judge(path), "" if left == ["run.nc"] else f"left {left}"]

    def interrupted(self, here: Path) -> list[str]:
        """Ctrl-C, once or several times at any moment: exit code 3 and a result, or 130 and none."""
        words = self.chance.choice(LONG)
        save = () if words[0] == "lyapunov" else ("--save", "result.nc")
        child = Child(lambda: called(here, (*words, *save)))
        time.sleep(self.chance.uniform(0.05, 4.0))
        for _ in range(self.chance.choice([1, 1, 2, 4])):
            with contextlib.suppress(ProcessLookupError):
                child.send(signal.SIGINT)
            time.sleep(self.chance.uniform(0, 0.2))
        self.counts["interrupted"] += 1
        ended = child.wait()
        if ended.wrong or ended.sentence:
            return [ended.wrong or ended.sentence]
        return [self._judge_interrupted(here, words, ended)]

    def _judge_interrupted(self, here: Path, words: tuple[str, ...], ended: Ended) -> str:
        code, said = ended.value
        files = sorted(path.name for path in here.iterdir())
        self.counts[f"exit code {code}"] += 1
        if "Traceback" in said or code not in (0, 3, 130):
            return f"exit code {code} of {words[0]}: {said[-2000:]}"
        if code == 3 and words[0] == "lyapunov":
            return "" if ss.Status.INTERRUPTED.value in said else f"not told: {said[-500:]}"
        if code == 130:
            return f"left {files}" if files else ""
        if not files or any(not name.startswith("result") for name in files):
            return f"left {files} with exit code {code} of {words[0]}: {said[-500:]}"
        ends = [Child(lambda name=name: loaded(here / name)).wait() for name in files]
        return " ".join(end.wrong or end.sentence for end in ends).strip()


def campaign(count: int, seed: int) -> list[str]:
    """The failures of so many faults."""
    with tempfile.TemporaryDirectory(prefix="stickslip-faults-") as folder:
        here = Campaign(Path(folder), seed)
        found = [line for number in range(count) for line in here.fault(number)]
    table("results", here.counts)
    return found
