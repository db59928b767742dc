"""Several processes that recompute items, each one item at a time.

Each runs `worker.py`, which reads the names of items from stdin and answers with lines of JSON. Pictures cannot be
drawn by several threads of one process; compiled models are found in the cache by all of them.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from stickslip.papers.catalogue import Item
from stickslip.papers.keeping import Failed, Recomputed, kept

PATIENCE = 5.0
"""Seconds that a process has to end by itself after Ctrl-C."""


class Crew:
    """Processes that recompute items into a folder; they end when `do` does, however it does."""

    def __init__(self, count: int, out: Path, quick: bool) -> None:
        self.out, self.quick = out, quick
        self._processes = [self._started() for _ in range(count)]
        self._is_ending = False
        self._told: queue.SimpleQueue[tuple[Item, dict[str, Any]]] = queue.SimpleQueue()
        self._begun: dict[str, None] = {}

    def do(
        self, items: list[Item], report: Callable[[str, int, int], None], total: int
    ) -> Generator[Recomputed | Failed]:
        """Each item as soon as it is done."""
        left, missing = deque(items), len(items)
        threads = [
            threading.Thread(target=self._feed, args=(n, left), daemon=True) for n in range(len(self._processes))
        ]
        try:
            for thread in threads:
                thread.start()
            while missing:
                item, told = self._told.get()
                if "warning" in told:
                    warnings.warn(f"{item.label}: {told['warning']}", stacklevel=2)
                elif "begun" not in told:
                    missing -= 1
                    yield self._result(item, told)
                report(", ".join(self._begun), total - missing, total)
        finally:
            self._is_ending = True
            self._end()

    def _started(self) -> subprocess.Popen[str]:
        # The same modules are found as here; and Ctrl-C on the terminal is for this process alone, which tells them.
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"}
        command = [
            sys.executable,
            "-P",
            "-m",
            "stickslip.papers.worker",
            str(self.out),
            *(["quick"] if self.quick else []),
        ]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, **environment, "MPLBACKEND": "agg"},
            start_new_session=True,
        )

    def _feed(self, number: int, left: deque[Item]) -> None:
        """Give a process one item after the other, until none is left; one that dies is replaced."""
        while not self._is_ending:
            try:
                item = left.popleft()
            except IndexError:
                return
            if self._processes[number].poll() is not None:
                self._processes[number] = self._started()
            self._begun[item.label] = None
            self._told.put((item, {"begun": True}))
            for told in self._answers(self._processes[number], item.label):
                self._told.put((item, told))
            self._begun.pop(item.label, None)

    @staticmethod
    def _answers(process: subprocess.Popen[str], name: str) -> Iterator[dict[str, Any]]:
        """What a process says of an item; the last of it is that it is done, or has failed."""
        assert process.stdin is not None and process.stdout is not None
        try:
            print(name, file=process.stdin, flush=True)
            for line in process.stdout:
                told = json.loads(line)
                yield told
                if "warning" not in told:
                    return
        except (OSError, ValueError):  # it is gone, or was shut while it was listened to
            pass
        yield {"failed": f"the process that recomputed it ended with exit code {process.wait()}"}

    def _result(self, item: Item, told: dict[str, Any]) -> Recomputed | Failed:
        if "failed" in told:
            return Failed(item, told["failed"], told.get("is_write", False))
        return kept(item, self.out) or Failed(item, "its files were changed as soon as they were written")

    def _end(self) -> None:
        for process in self._processes:
            with suppress(OSError, ValueError):
                process.stdin.close() if process.stdin is not None else None
            if process.poll() is None:
                process.terminate() if sys.platform == "win32" else process.send_signal(signal.SIGINT)
        for process in self._processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
