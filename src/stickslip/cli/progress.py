"""How far a computation has come, and Ctrl-C: shown only when it takes longer than a second, stopped without loss."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

PATIENCE = 1.0


class Progress:
    """A progress bar on stderr that appears after a second; calling it with the time reached moves it.

    While it is active, the first Ctrl-C asks the run to stop at its next report, so that nothing computed is
    lost; a second one, or one before the first report, stops at once.
    """

    def __init__(self, end: float | None = None) -> None:
        self.end = end
        self.reports = 0
        self.asked = False
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        self._previous: Any = None

    def __call__(self, time: float) -> None:
        self.show("simulating", time, self.end)

    def show(self, what: str, done: float = 0, end: float | None = None) -> None:
        """Report what is going on and how far it has come; without an end the bar only shows that something is."""
        self.reports += 1
        if self._bar is not None:
            share = f"{100 * done / end:>3.0f} %" if end else ""
            self._bar.update(self._task, description=what, total=end, completed=done, share=share)
        if self.asked:
            raise KeyboardInterrupt

    def __enter__(self) -> Progress:
        self._previous = signal.signal(signal.SIGINT, self._interrupted)
        if sys.stderr.isatty():
            self._prepare()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._previous)
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # it may be starting the bar just now
            self._bar.stop()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.asked or self.reports == 0:
            raise KeyboardInterrupt
        self.asked = True

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
