"""How far a computation has come, and Ctrl-C: shown only when it takes longer than a second, stopped without loss."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Any

from stickslip.cli import interruption

PATIENCE = 1.0
IMPATIENCE = 2.0
"""Seconds, and those after Ctrl-C in which another one is the same."""


class Progress:
    """A progress bar on stderr that appears after a second; calling it with the time reached moves it.

    While it is active, the first Ctrl-C asks the work to stop at its next report, or after a second without one, and
    it keeps what it has. Those that follow at once are the impatience of the same hand: they do not stop what keeps it.
    After `hold`, when the work is done, Ctrl-C no longer matters: what was computed is being saved.
    """

    def __init__(self, end: float | None = None) -> None:
        self.end = end
        self.reports = 0
        self.asked = False
        self._held = False
        self._raised = -math.inf
        self._sooner: threading.Timer | None = None
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        self._previous: Any = None

    def __call__(self, reached: float) -> None:
        self.show("simulating", reached, self.end)

    def show(self, what: str, done: float = 0, end: float | None = None) -> None:
        """Report what is going on and how far it has come; without an end the bar only shows that something is."""
        self.reports += 1
        if self._bar is not None:
            share = f"{100 * done / end:>3.0f} %" if end else ""
            self._bar.update(self._task, description=what, total=end, completed=done, share=share)
        if self.asked and not self._is_stopping:
            self._stop()

    def hold(self) -> None:
        """The work is done: from here on nothing interrupts what keeps it."""
        self._held = True
        if self._sooner is not None:
            self._sooner.cancel()

    def __enter__(self) -> Progress:
        self._previous = signal.signal(signal.SIGINT, self._interrupted)
        if sys.stderr.isatty():
            self._prepare()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hold()
        signal.signal(signal.SIGINT, self._previous)
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # it may be starting the bar just now
            self._bar.stop()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        first, self.asked = not self.asked, True
        if self._held or self._is_stopping:
            return
        if interruption.is_importing(frame):
            interruption.come_again(interruption.AGAIN)
        elif first and self.reports:
            self._sooner = interruption.come_again(PATIENCE)
        else:
            self._stop()

    @property
    def _is_stopping(self) -> bool:
        """Whether the work was told to stop a moment ago."""
        return time.monotonic() < self._raised + IMPATIENCE

    def _stop(self) -> None:
        if self._sooner is not None:
            self._sooner.cancel()
        self._raised = time.monotonic()
        raise KeyboardInterrupt

    def _prepare(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[share]}"),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("compiling", total=None, share="")
        self._timer = threading.Timer(PATIENCE, self._bar.start)
        self._timer.daemon = True
        self._timer.start()
