"""Who computes what, and when: the newest request in a channel wins, clients take turns, nobody waits for long jobs.

Quick jobs and long ones have processes of their own. A quick job that takes long is stopped and begun anew among the
long ones, so that one page with a slow model does not keep the sliders of others waiting. A process that does not end
a job soon after it was asked to is killed, and another one started. Where a page reads more slowly than is computed
for it, nothing piles up and nothing is lost: its long job stands still until the page has caught up.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stickslip.explorer import pipes
from stickslip.explorer.messages import frame
from stickslip.explorer.pipes import Message
from stickslip.explorer.processes import Process

GRACE = 1.0
"""Seconds that a job has to end."""

QUICK = 3.0
"""Seconds after which a quick job counts as a long one."""

LET_FINISH = 0.05
"""Seconds within which a quick job is let come to its end, though a newer one waits: a drag would else show nothing."""

LONGEST = 3600.0
"""Seconds that any job may take."""

MOST_LONG = 8
"""Processes for long jobs, if so many pages have some."""

AT_ONCE = 2
"""Long jobs of one page at the same time."""

LOOK = 0.1
"""Seconds between two looks at what takes long."""

IDLE = 30.0
"""Seconds after which processes that are more than needed end."""

NICE = 10
"""By how much long jobs stand back."""

DIED = "the computation has ended by itself, which may be for want of memory: ask for less, or try again"
TOO_LONG = f"the computation was ended after {LONGEST / 60:.0f} minutes: ask for less"


@dataclass(eq=False)
class Request:
    """A job that a page asked for."""

    number: int
    client: Client
    asked: dict[str, Any]
    quick: bool
    process: Process | None = None
    began: float = 0.0
    stopping: bool = False
    asked_to_end: float = 0.0
    again: bool = False

    @property
    def channel(self) -> str:
        """What it is the newest request of."""
        return str(self.asked["channel"])

    def header(self, **more: Any) -> dict[str, Any]:
        """The header of a frame that the server itself sends."""
        return {name: self.asked.get(name) for name in ("id", "channel", "job")} | {"done": True} | more


@dataclass(eq=False)
class Client:
    """A page: what it waits for, what is computed for it, and how frames reach it."""

    deliver: Callable[[bytes], None]
    waiting: dict[str, Request] = field(default_factory=dict)
    running: dict[str, Request] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    closed: bool = False
    is_full: bool = False
    """So much waits for the page to be read that nothing more is computed for it."""

    def next(self, quick: bool) -> Request | None:
        """The request that comes next; None where there is none that may begin."""
        if self.is_full or (not quick and sum(not each.quick for each in self.running.values()) >= AT_ONCE):
            return None
        for channel, request in self.waiting.items():
            if request.quick == quick and channel not in self.running:
                return request
        return None


class Scheduler:
    """The processes, and the clients that share them.

    Parameters
    ----------
    workers : int
        Processes for quick jobs; as many are kept for long ones.
    trusted : sequence of str
        Fingerprints of models that the user opened.
    """

    def __init__(self, workers: int = 2, trusted: Sequence[str] = ()) -> None:
        self.workers, self.trusted = workers, tuple(trusted)
        self.clients: list[Client] = []
        self.processes: dict[bool, list[Process]] = {True: [], False: []}
        self._numbers = itertools.count(1)
        self._needed = 0.0
        self._ended = False

    # -- clients -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the processes for quick jobs, and one for the first long one."""
        for quick in (True, False):
            for _ in range(self.workers if quick else 1):
                self._start_process(quick)

    def join(self, client: Client) -> None:
        """A page has come."""
        self.clients.append(client)

    def leave(self, client: Client) -> None:
        """A page has gone: its work ends."""
        client.closed = True
        client.waiting.clear()
        for request in [*client.running.values()]:
            self._stop(request)
        if client in self.clients:
            self.clients.remove(client)

    def submit(self, client: Client, asked: dict[str, Any], quick: bool) -> None:
        """Do what a page asks for, instead of what it asked for before in the same channel."""
        if client.closed or self._ended:
            return
        channel = str(asked["channel"])
        request = Request(next(self._numbers), client, asked, quick and channel not in client.slow)
        client.waiting.pop(channel, None)
        client.waiting[channel] = request
        running = client.running.get(channel)
        if running is not None and not (running.quick and self._age(running) < LET_FINISH):
            self._stop(running)
        self._pump()

    def cancel(self, client: Client, channel: str) -> None:
        """Stop the work in a channel."""
        waiting, running = client.waiting.pop(channel, None), client.running.get(channel)
        if waiting is not None:
            client.deliver(frame(waiting.header(stopped=True)))
        if running is not None:
            running.again = False
            self._stop(running)

    def drained(self, client: Client) -> None:
        """A page has read what waited for it: its work goes on."""
        client.is_full = False
        for request in client.running.values():
            if request.process is not None:
                request.process.listen_on()
        self._pump()

    # -- jobs --------------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Give work to all who have none."""
        for quick in (True, False):
            while (request := self._next(quick)) is not None:
                process = self._idle(quick, request)
                if process is None:
                    break
                self._begin(request, process)

    def _next(self, quick: bool) -> Request | None:
        """The next request of a kind; pages that have less under way come first, then those whose turn it is."""
        found = [(client, request) for client in self.clients if (request := client.next(quick)) is not None]
        if not found:
            return None
        client, request = min(found, key=lambda pair: len(pair[0].running))
        self.clients.remove(client)
        self.clients.append(client)
        return request

    def _idle(self, quick: bool, request: Request) -> Process | None:
        own = self.processes[quick]
        for process in own:
            if process.job is None:
                return process
        busy = {process.job.client for process in own if process.job is not None}
        most = self.workers if quick else max(self.workers, MOST_LONG if request.client not in busy else 0)
        return self._start_process(quick) if len(own) < most else None

    def _begin(self, request: Request, process: Process) -> None:
        client = request.client
        del client.waiting[request.channel]
        client.running[request.channel] = process.job = request
        request.process, request.began = process, _now()
        process.listen_on()  # it may have been paused at the last frame of a job whose end was read already
        process.send(Message(request.number, pipes.WORK, json.dumps(request.asked).encode()))

    def _age(self, request: Request) -> float:
        return _now() - request.began

    def _took_long(self, request: Request) -> None:
        """A quick job becomes a long one; a long one ends."""
        if request.quick:
            request.client.slow.add(request.channel)
            request.again = True
        else:
            request.client.deliver(frame(request.header(error=TOO_LONG)))
        self._stop(request)

    def _stop(self, request: Request) -> None:
        """Ask a job to end, and see to it that it does."""
        if request.stopping or request.process is None:
            return
        request.stopping, request.asked_to_end = True, _now()
        request.process.listen_on()
        request.process.send(Message(request.number, pipes.CANCEL))

    async def watch(self) -> None:
        """See to it that jobs end that take too long, or that were asked to end, and idle processes."""
        while not self._ended:
            await asyncio.sleep(LOOK)
            for process in self._everyone():
                request: Request | None = process.job
                if request is None:
                    continue
                if request.stopping and _now() - request.asked_to_end > GRACE:
                    process.kill()
                    self._gone(process)
                elif not request.stopping and self._age(request) > (QUICK if request.quick else LONGEST):
                    self._took_long(request)
            self._shrink()

    # -- processes ---------------------------------------------------------------------------------------------------

    def _start_process(self, quick: bool) -> Process:
        process = Process(self._heard, 0 if quick else NICE, self.trusted)
        self.processes[quick].append(process)
        return process

    def _heard(self, process: Process, message: Message | None) -> None:
        """A worker has sent something."""
        if process.ended or self._ended:
            return
        if message is None:
            process.kill()
            self._gone(process)
            return
        request: Request | None = process.job
        if request is None or request.number != message.number:
            return
        if message.kind == pipes.FRAME:
            if not request.again:
                request.client.deliver(message.data)
            if request.client.is_full and not request.quick and not request.stopping:
                process.pause()
        else:
            self._finished(process, request)

    def _finished(self, process: Process, request: Request) -> None:
        process.job = None
        self._settle(request)
        if not request.quick and not request.stopping and self._age(request) < QUICK:
            request.client.slow.discard(request.channel)
        self._pump()

    def _settle(self, request: Request) -> None:
        """A request is over; one that took too long for a quick one is asked for again, unless there is a newer one."""
        client = request.client
        if client.running.get(request.channel) is request:
            del client.running[request.channel]
        if request.again and not client.closed and request.channel not in client.waiting:
            client.waiting[request.channel] = Request(next(self._numbers), client, request.asked, quick=False)

    def _gone(self, process: Process) -> None:
        """A process has ended, by itself or by us; another one takes its place."""
        for quick, own in self.processes.items():
            if process in own:
                own.remove(process)
                if quick:
                    self._start_process(quick)
        request: Request | None = process.job
        process.job = None
        if request is not None:
            if not request.again:
                how: dict[str, Any] = {"stopped": True} if request.stopping else {"error": DIED}
                request.client.deliver(frame(request.header(**how)))
            self._settle(request)
        self._pump()

    def _shrink(self) -> None:
        """End processes for long jobs that nobody has needed for a while."""
        own = self.processes[False]
        if len(own) <= self.workers or all(process.job is not None for process in own):
            self._needed = _now()
        elif _now() - self._needed > IDLE:
            process = next(each for each in own if each.job is None)
            own.remove(process)
            process.kill()

    def end(self) -> None:
        """End all processes at once."""
        self._ended = True
        for process in self._everyone():
            process.kill()

    def _everyone(self) -> Iterable[Process]:
        return [*self.processes[True], *self.processes[False]]


def _now() -> float:
    return asyncio.get_running_loop().time()
