"""Work in processes that may be killed at any moment: forked from one that has imported and compiled everything.

The process that forks must not have threads of its own, so it does nothing but fork and look at files.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from stickslip.errors import ModelError, ResultError

PATIENCE = 120.0


@dataclass
class Ended:
    """How a process ended: with a value, with one of our sentences, with another exception, or by a signal."""

    value: Any = None
    sentence: str = ""
    failure: str = ""
    signal: int = 0

    @property
    def wrong(self) -> str:
        """What should never happen."""
        return self.failure or (f"signal {self.signal}" if self.signal not in (0, signal.SIGKILL) else "")


class Child:
    """A process that does some work."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.pipe, other = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            os.write(other, pickle.dumps(_ended(work))[:60_000])
            os._exit(0)
        os.close(other)

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, patience: float = PATIENCE) -> Ended:
        """How it ended; one that does not is killed, and that is a failure."""
        deadline = time.monotonic() + patience
        while True:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            if found:
                break
            if time.monotonic() > deadline:
                self.send(signal.SIGKILL)
                os.waitpid(self.pid, 0)
                os.close(self.pipe)
                return Ended(failure=f"it hangs for {patience:g} s")
            time.sleep(0.002)
        with os.fdopen(self.pipe, "rb") as pipe:
            content = pipe.read()
        if os.WIFSIGNALED(status):
            return Ended(signal=os.WTERMSIG(status))
        return pickle.loads(content) if content else Ended(value=os.WEXITSTATUS(status))  # of our own process


def _ended(work: Callable[[], Any]) -> Ended:
    try:
        return Ended(work())
    except (ModelError, ResultError) as error:
        return Ended(sentence=str(error))
    except BaseException:
        return Ended(failure=traceback.format_exc()[-3000:])


def digest(data: xr.Dataset) -> str:
    """Of all bits of a Dataset."""
    total = hashlib.sha256()
    for name in sorted(map(str, data.variables)):
        values = data[name].values
        content = "\0".join(map(str, values.ravel())).encode() if values.dtype.kind in "OU" else values.tobytes()
        total.update(f"{name} {data[name].dims} {values.shape}".encode() + content)
    total.update(repr(sorted(data.attrs.items())).encode())
    return total.hexdigest()


# -- damage -------------------------------------------------------------------------------------------------------


def emptied(file: Path, chance: random.Random) -> None:
    file.write_bytes(b"")


def removed(file: Path, chance: random.Random) -> None:
    file.unlink()


def cut(file: Path, chance: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(len(content))] if content else b"")


def zeroed(file: Path, chance: random.Random) -> None:
    """A stretch of zeros, as where the power failed before all blocks were written."""
    content = bytearray(file.read_bytes())
    first, last = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    content[first:last] = bytes(last - first)
    file.write_bytes(content)


def flipped(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 5]) if content else 0):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def longer(file: Path, chance: random.Random) -> None:
    with open(file, "ab") as end:
        end.write(chance.randbytes(chance.randrange(1, 5000)))


DAMAGES = (emptied, removed, cut, zeroed, flipped, flipped, longer)


def table(title: str, counts: dict[str, int]) -> None:
    """Print how often each thing happened."""
    print(f"{title}: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())), flush=True)
