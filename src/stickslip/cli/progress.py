"""How far a computation has come, and Ctrl-C: shown only when it takes longer than a second, stopped without loss."""

from __future__ import annotations

import math
import signal
import threading
import time
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import Any

from stickslip.cli import interruption
from stickslip.progress import Bar, is_watched, silence

PATIENCE = 1.0
IMPATIENCE = 2.0
"""Seconds, and those after Ctrl-C in which another one is the same."""


class Progress:
    """A progress bar on stderr that appears after a second; calling it with the time reached moves it.

    While it is active, the first Ctrl-C asks the work to stop at its next report, or after a second without one, and
    it keeps what it has. Those that follow at once are the impatience of the same hand: they do not stop what keeps it.
    After `hold`, when the work is done, Ctrl-C no longer matters: what was computed is being saved.
    """

    def __init__(self, end: float | None = None, shown: bool = True) -> None:
        self.end = end
        self.shown = shown
        self.reports = 0
        self.asked = False
        self._held = False
        self._raised = -math.inf
        self._sooner: threading.Timer | None = None
        self._bar: Bar | None = None
        self._shown = ExitStack()
        self._previous: Any = None

    def __call__(self, reached: float) -> None:
        self.show("simulating", reached, self.end)

    def show(self, what: str, done: float = 0, end: float | None = None) -> None:
        """Report what is going on and how far it has come; without an end the bar only shows that something is."""
        self.reports += 1
        if self._bar is not None:
            self._bar.show(what, done / end if end else None)
        if self.asked and not self._is_stopping:
            self._stop()

    def hold(self) -> None:
        """The work is done: from here on nothing interrupts what keeps it."""
        self._held = True
        if self._sooner is not None:
            self._sooner.cancel()

    def __enter__(self) -> Progress:
        self._previous = signal.signal(signal.SIGINT, self._interrupted)
        self._shown.enter_context(silence())  # nothing that is called has a bar beside this one
        if self.shown and is_watched():
            self._bar = self._shown.enter_context(Bar("compiling"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hold()
        signal.signal(signal.SIGINT, self._previous)
        self._shown.close()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        first, self.asked = not self.asked, True
        if self._held or self._is_stopping:
            return
        if interruption.is_deaf(frame):
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
