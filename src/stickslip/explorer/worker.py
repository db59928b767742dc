"""A process that computes for the explorer: it reads jobs from its standard input and writes frames to its output.

It ends when the server does: the pipe closes, and on Linux the kernel says so as well. A job that is to end gets a
KeyboardInterrupt, as if somebody had pressed Ctrl-C: the verbs keep what they have until then.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import Any, BinaryIO

from stickslip.errors import StickslipError
from stickslip.explorer import pipes
from stickslip.explorer.jobs import JOBS
from stickslip.explorer.messages import frame
from stickslip.explorer.pipes import Message
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import Reader, Refused
from stickslip.explorer.wording import SAID, in_words_of_the_page

PR_SET_PDEATHSIG = 1
IMPORTING, AGAIN = "<frozen importlib._bootstrap>", 0.02
"""Where modules are imported, and the seconds after which an interruption comes again that came there."""

SOON = ("describe", "motion")
"""Jobs that a page asks for first."""

UNFORESEEN = "this could not be computed ({what}): change the view, or open the model anew"


def function_of(name: str) -> Callable[[Task], Reply]:
    """What does a job; imported when it is first asked for."""
    found: Callable[[Task], Reply] = getattr(import_module(f"stickslip.explorer.{JOBS[name].module}"), name)
    return found


class Worker:
    """Reads in one thread, and computes in the main one, where signals arrive."""

    def __init__(self, source: BinaryIO, sink: BinaryIO, reader: Reader) -> None:
        self.source, self.sink, self.reader = source, sink, reader
        self.waiting: deque[Message] = deque()
        self.arrived = threading.Condition()
        self.current = 0
        self.cancelled: set[int] = set()
        self.closed = False

    def run(self) -> None:
        """Do jobs until the server is gone."""
        signal.signal(signal.SIGINT, self._interrupted)
        threading.Thread(target=self._listen, daemon=True).start()
        while (message := self._next()) is not None:
            self._work(message)
            self.cancelled.discard(message.number)
            self._write(Message(message.number, pipes.DONE))

    def _next(self) -> Message | None:
        with self.arrived:
            while not self.waiting:
                if self.closed:
                    return None
                self.arrived.wait()
            return self.waiting.popleft()

    def _listen(self) -> None:
        """Take what the server sends; where it is gone, leave at once, whatever is being computed."""
        while (message := pipes.read(self.source)) is not None:
            if message.kind == pipes.CANCEL:
                self.cancelled.add(message.number)
                if message.number == self.current:
                    _interrupt()
                continue
            with self.arrived:
                self.waiting.append(message)
                self.arrived.notify()
        os._exit(0)

    def _interrupted(self, number: int, where: FrameType | None) -> None:
        """End the job that is to end; a wish that comes too late ends nothing else.

        What is imported meanwhile is imported first: half of a module is of no use to the next job.
        """
        if self.current not in self.cancelled:
            return
        while where is not None:
            if where.f_code.co_filename == IMPORTING:
                threading.Timer(AGAIN, _interrupt).start()
                return
            where = where.f_back
        raise KeyboardInterrupt

    def _work(self, message: Message) -> None:
        request: dict[str, Any] = json.loads(message.data)
        head = {name: request.get(name) for name in ("id", "channel", "job")}
        stopped = self._stopped(message.number)
        task = Task(request, self.reader, lambda fields, arrays: self._send(message, head | fields, arrays), stopped)
        try:
            self.current = message.number
            if stopped():  # before it began: the page waits for its end all the same
                raise KeyboardInterrupt
            fields, arrays = function_of(request["job"])(task)
            self.current = 0
        except KeyboardInterrupt:
            self.current = 0
            fields, arrays = {}, {}
        except Exception as error:  # whatever it is, the page is told, and the next job is done
            self.current = 0
            if not stopped():
                self._send(message, head | _told(error), {})
                return
            fields, arrays = {}, {}
        more = {"done": True, "progress": 1.0} | ({"stopped": True} if stopped() else {})
        try:
            self._send(message, head | fields | more, arrays)
        except (TypeError, ValueError, KeyError) as error:  # an answer that no frame can hold is no end of the process
            self._send(message, head | _told(error), {})

    def _stopped(self, number: int) -> Any:
        return lambda: number in self.cancelled

    def _send(self, message: Message, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        said = {name: in_words_of_the_page(header[name]) for name in SAID if isinstance(header.get(name), str)}
        self._write(Message(message.number, pipes.FRAME, frame({"done": False} | header | said, arrays)))

    def _write(self, message: Message) -> None:
        """Messages go out whole: an interruption that comes meanwhile waits for them."""
        current, self.current = self.current, 0
        try:
            pipes.write(self.sink, message)
        except (OSError, ValueError):
            os._exit(0)
        self.current = current
        if current in self.cancelled:
            raise KeyboardInterrupt


def _interrupt() -> None:
    """Press Ctrl-C in this process."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # the main thread may be waiting, and is woken by nothing else
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _told(error: BaseException) -> dict[str, Any]:
    """An error as a page is told of it: a sentence, and the input that caused it."""
    known = isinstance(error, StickslipError)
    sentence = str(error) if known and str(error) else UNFORESEEN.format(what=type(error).__name__)
    field = error.field if isinstance(error, Refused) else ""
    return {"error": sentence, "done": True} | ({"field": field} if field else {})


def _end_with_the_server(parent: int) -> None:
    """On Linux the kernel ends this process when the thread that started it does."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def main(arguments: Sequence[str]) -> None:
    """Compute for the server with this process number; `arguments` are that, a priority, and trusted fingerprints."""
    parent, nice, *trusted = arguments
    _end_with_the_server(int(parent))
    if int(nice) and hasattr(os, "nice"):
        os.nice(int(nice))
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by mistake does not get among the messages
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for job in SOON if not int(nice) else ():
        function_of(job)
    Worker(source, sink, Reader(trusted)).run()
