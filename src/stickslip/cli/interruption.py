"""Ctrl-C on the command line: raised where it can be caught. Nothing heavy is imported here."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType

AGAIN = 0.05
"""Seconds after which Ctrl-C is looked at again where it could not be raised."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; while modules are imported, as soon as they are.

    Some modules drop every exception that is raised while they are imported, and others stay half made.
    """
    if is_importing(frame):
        come_again(AGAIN)
    else:
        raise KeyboardInterrupt


def is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported where the program is."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def come_again(seconds: float) -> threading.Timer:
    """Send this process another Ctrl-C after a while."""
    timer = threading.Timer(seconds, _press)
    timer.daemon = True
    timer.start()
    return timer


def _press() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # the main thread may be waiting, and is woken by nothing else
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
