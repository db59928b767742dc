"""Ctrl-C on the command line: raised where it can be caught. Nothing heavy is imported here."""

from __future__ import annotations

import _weakrefset
import signal
import sys
import threading
import weakref
from types import FrameType

AGAIN = 0.05
"""Seconds after which Ctrl-C is looked at again where it could not be raised."""


DEAF = ("<frozen importlib._bootstrap>", weakref.__file__, _weakrefset.__file__)
"""Files whose functions are called where exceptions are dropped."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; while modules are imported or objects given up, as soon as they are.

    Some modules drop every exception that is raised while they are imported, and others stay half made; Python itself
    drops those that are raised where objects are given up.
    """
    if is_deaf(frame):
        come_again(AGAIN)
    else:
        raise KeyboardInterrupt


def is_deaf(frame: FrameType | None) -> bool:
    """Whether what is raised here may be dropped: in imports, in finalizers, in callbacks of weak references."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename in DEAF or code.co_name == "__del__":
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
