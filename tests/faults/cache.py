"""Faults of the cache of compiled models: damaged files, and processes killed while they compile.

After each fault a fresh process computes the same numbers to the last bit, and leaves a cache that is whole.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PROGRAM = """
import stickslip as ss
field = ss.Field.of(ss.models.block_on_belt(), order=6)
ends, outcome = field.propagate([[1.1, 0.0]], 20.0, rtol=1e-6)
assert outcome[0, 0] == 0
print(ends.tobytes().hex(), field.jacobian([1.1, 0.0])[0].tobytes().hex())
"""
PATIENCE = 120.0


def truncated(path: Path, draw: random.Random) -> None:
    os.truncate(path, draw.randrange(path.stat().st_size))


def emptied(path: Path, _: random.Random) -> None:
    os.truncate(path, 0)


def zeroed(path: Path, draw: random.Random) -> None:
    """A stretch of zeros, as where the power failed before all blocks were written."""
    content = bytearray(path.read_bytes())
    begin = draw.randrange(len(content) - 1)
    end = draw.randrange(begin + 1, len(content) + 1)
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)


def flipped(path: Path, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for place in draw.sample(range(len(content)), draw.choice((1, 1, 20))):
        content[place] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def longer(path: Path, draw: random.Random) -> None:
    path.write_bytes(path.read_bytes() + draw.randbytes(draw.randrange(1, 5000)))


def exchanged(path: Path, draw: random.Random) -> None:
    """Two files under each other's names."""
    other = draw.choice([file for file in files_of(path.parent) if file != path])
    contents = path.read_bytes(), other.read_bytes()
    other.write_bytes(contents[0])
    path.write_bytes(contents[1])


def folder_instead(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def link_instead(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.symlink_to(draw.choice((path, path.parent, path.with_name("nothing"), Path(os.devnull))))


def pipe_instead(path: Path, _: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def missing(path: Path, _: random.Random) -> None:
    path.unlink()


def other_rights(path: Path, draw: random.Random) -> None:
    """Rights under which somebody else may have changed it, or under which it cannot be read; and it was changed."""
    flipped(path, draw)
    path.chmod(draw.choice((0o000, 0o222, 0o666, 0o777)))


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    truncated,
    emptied,
    zeroed,
    flipped,
    longer,
    exchanged,
    folder_instead,
    link_instead,
    pipe_instead,
    missing,
    other_rights,
)


def campaign(count: int, seed: int) -> list[str]:
    """So many faults; a line for each that did harm."""
    draw, done, failures = random.Random(seed), Counter[str](), []
    with tempfile.TemporaryDirectory(prefix="stickslip-faults-") as scratch:
        folder, kept = Path(scratch) / "cache", Path(scratch) / "kept"
        began = time.monotonic()
        expected = run(folder).stdout
        lengths = dict.fromkeys((True, False), time.monotonic() - began)
        whole = contents(folder)
        assert expected.strip() and len(whole) > 2, "the program itself does not run"
        shutil.copytree(folder, kept)
        for number in range(count):
            fault = damage(folder, draw) if number % 2 else kill(folder, kept, draw, draw.random() < 0.5, lengths)
            done[fault] += 1
            failures += [f"fault {number} of seed {seed}, {fault}: {line}" for line in harm(folder, expected, whole)]
            restore(folder, kept)
    print(f"{'fault of the cache':32}{'times':>6}")
    for fault, times in sorted(done.items()):
        print(f"{fault:32}{times:6}")
    return failures


def damage(folder: Path, draw: random.Random) -> str:
    """Damage one file of a warm cache."""
    how = draw.choice(DAMAGES)
    path = draw.choice(files_of(folder))
    how(path, draw)
    return f"{path.suffix} {how.__name__.replace('_', ' ')}"


def kill(folder: Path, kept: Path, draw: random.Random, partly: bool, lengths: dict[bool, float]) -> str:
    """Kill a process that compiles into an empty cache, or into one from which machine code is missing.

    `lengths` has how long such a process takes: one that ends before it is killed says so, and another one is tried.
    """
    while True:
        shutil.rmtree(folder)
        if partly:
            restore(folder, kept)
            for file in folder.glob("*.o"):
                file.unlink()
        began = time.monotonic()
        process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=variables(folder), stdout=-3, stderr=-3)
        try:
            process.wait(draw.uniform(0.05, 1.0) * lengths[partly])
            lengths[partly] = time.monotonic() - began
            restore(folder, kept)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return f"killed, {'without machine code' if partly else 'cache empty'}"


def harm(folder: Path, expected: str, whole: dict[str, bytes]) -> list[str]:
    """What a fault has done to the next process, and to the files after that."""
    try:
        done = run(folder)
    except subprocess.TimeoutExpired:
        return [f"not done in {PATIENCE} s"]
    found = []
    if done.returncode or done.stderr or done.stdout != expected:
        found.append(f"exit code {done.returncode}, {done.stdout.strip()!r}, {done.stderr.strip()[-500:]!r}")
    if contents(folder) != whole:
        found.append("the cache is not what it was")
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """All files but those that a killed process has left half written, which nobody reads."""
    return {file.name: file.read_bytes() if file.is_file() else b"" for file in files_of(folder)}


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def restore(folder: Path, kept: Path) -> None:
    """The warm cache as it was."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(kept, folder)


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=variables(folder),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def variables(folder: Path) -> dict[str, str]:
    return os.environ | {"STICKSLIP_CACHE": str(folder)}
