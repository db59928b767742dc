"""A page without a browser: what it asks a server for, and what it is told."""

from __future__ import annotations

import itertools
import json
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

import stickslip as ss
from stickslip.explorer.messages import unframed


class Session:
    """One websocket to a server."""

    def __init__(self, url: str, **more: object) -> None:
        self.url = url
        self.opened = ExitStack()
        address = url.replace("http://", "ws://").partition("?")[0] + "socket"
        self.socket = self.opened.enter_context(connect(address, max_size=None, close_timeout=1, **more))
        self.ids = itertools.count(1)

    def send(self, job: str, view: dict, channel: str | None = None, **more: object) -> int:
        """Ask for a job; the id of the request."""
        number = next(self.ids)
        asked = {"id": number, "channel": channel or job, "job": job, "view": view, **more}
        self.socket.send(json.dumps(asked))
        return number

    def next(self, timeout: float = 60.0) -> tuple[dict, dict]:
        """The next frame."""
        return unframed(self.socket.recv(timeout))

    def frames(self, number: int, timeout: float = 60.0) -> list[tuple[dict, dict]]:
        """All frames of a request, until it is done."""
        found, end = [], time.monotonic() + timeout
        while True:
            header, arrays = self.next(max(0.01, end - time.monotonic()))
            if header["id"] == number:
                found.append((header, arrays))
                if header["done"]:
                    return found

    def ask(self, job: str, view: dict, **more: object) -> tuple[dict, dict]:
        """The last frame of a job."""
        return self.frames(self.send(job, view, **more))[-1]

    def whole(self, job: str, view: dict, **more: object) -> tuple[dict, dict]:
        """The last header, and the arrays of all frames, one after the other."""
        frames = self.frames(self.send(job, view, **more))
        arrays: dict[str, list] = {}
        for _, found in frames:
            for name, values in found.items():
                arrays.setdefault(name, []).append(values)
        return frames[-1][0], {name: np.concatenate(parts) for name, parts in arrays.items()}

    def close(self) -> None:
        """Close the page."""
        self.opened.close()


@contextmanager
def session(page: ss.Explorer, **more: object):
    """A page that is closed at the end."""
    opened = Session(page.url, **more)
    try:
        yield opened
    finally:
        opened.close()


def children(parent: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found += [int(folder.name), *children(int(folder.name))]
    return found


def is_alive(process: int) -> bool:
    """Whether a process still runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def memory(process: int) -> float:
    """Megabytes that a process has in memory."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def wait_until(condition, timeout: float = 10.0) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "it has not come true"
        time.sleep(0.02)
