"""Worker processes as the server has them: started, written to, listened to, ended."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from stickslip.explorer import pipes
from stickslip.explorer.pipes import Message

BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from stickslip.explorer.worker import main; "
    "main(sys.argv[2:])"
)
"""Not `python -m`: the worker finds the package where the server found it."""

Heard = Callable[["Process", Message | None], None]


class Process:
    """A worker: it does one job at a time.

    What it sends is handed to `heard` in the loop of the server; None when it is gone.
    """

    def __init__(self, heard: Heard, nice: int, trusted: Sequence[str]) -> None:
        loop = asyncio.get_running_loop()
        command = [sys.executable, "-c", BOOT, json.dumps(sys.path), str(os.getpid()), str(nice), *trusted]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, env=_environment()
        )  # a session of its own: Ctrl-C in the terminal is for the server alone
        self.job: Any = None
        self.ended = False
        self._listens = threading.Event()
        self._listens.set()

        def listen() -> None:
            assert self.process.stdout is not None
            while True:
                self._listens.wait()
                try:
                    message = pipes.read(self.process.stdout)
                except (OSError, ValueError):
                    message = None
                with suppress(RuntimeError):  # the server has ended, and nobody listens
                    loop.call_soon_threadsafe(heard, self, message)
                if message is None:
                    return

        threading.Thread(target=listen, daemon=True, name="explorer-worker").start()

    def send(self, message: Message) -> None:
        """Write to the worker; one that is gone is found out elsewhere."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):
            pipes.write(self.process.stdin, message)

    def pause(self) -> None:
        """Listen no more for a while: the pipe fills, and the worker waits at its next frame."""
        self._listens.clear()

    def listen_on(self) -> None:
        """Listen again."""
        self._listens.set()

    def kill(self) -> None:
        """End it at once."""
        self.ended = True
        self.listen_on()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError, ValueError, AttributeError):
                pipe.close()  # type: ignore[union-attr]


def _environment() -> dict[str, str]:
    """Each worker computes on one core: there are several of them."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}
