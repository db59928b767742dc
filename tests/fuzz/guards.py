"""What an input must not do: run anything, write anywhere, take longer than SECONDS or more memory than BYTES."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 10.0
BYTES = 10**9

FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.", "pickle.find_class")
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "shutil.")
MAKERS = ("scipy.", "numpy.", "sympy", "dataclasses", "importlib", "collections", "stickslip.targets", "xarray", "h5py")
"""Code that makes code of its own, from its own texts: no input reaches it but as numbers."""


class TooLong(BaseException):
    """An input took longer than SECONDS; no handler of ordinary errors catches this."""


class Watch:
    """Watches one process. Outside of `on` nothing is forbidden, so that imports and compilation can be done before."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders = [str(folder.resolve()) for folder in folders]
        self.watching = False
        self.seen: list[str] = []
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGALRM, self._alarm)

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        raise TooLong

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event.startswith(FORBIDDEN) or (event == "exec" and not _made_by_a_library()):
            self.seen.append(f"{event} {str(arguments)[:200]}")
        elif event == "open" and _is_writing(arguments[1], arguments[2]) and not self._is_ours(arguments[0]):
            self.seen.append(f"open for writing {arguments[0]!r}")
        elif event.startswith(CHANGING) and not self._is_ours(arguments[0]):
            self.seen.append(f"{event} {arguments[0]!r}")

    def _is_ours(self, path: Any) -> bool:
        if isinstance(path, int) or path is None:
            return True
        return os.path.realpath(os.fsdecode(path)).startswith(tuple(self.folders))

    @contextmanager
    def on(self) -> Iterator[None]:
        """While an input is tried; what it did that is forbidden is in `seen`."""
        self.seen.clear()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        self.watching = True
        try:
            yield
        finally:
            self.watching = False
            signal.setitimer(signal.ITIMER_REAL, 0)


def _is_writing(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(sign in mode for sign in "wax+")
    return bool(isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def _made_by_a_library() -> bool:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(MAKERS):
            return True
        frame = frame.f_back
    return False


def limit_memory() -> None:
    """No more than BYTES beyond what the process has now; a crash says where it was."""
    faulthandler.enable()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
