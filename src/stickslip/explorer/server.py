"""The server: pages and downloads by HTTP, requests and frames over one websocket for each page."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from stickslip._version import __version__
from stickslip.explorer import limits
from stickslip.explorer.jobs import JOBS
from stickslip.explorer.messages import frame, unframed
from stickslip.explorer.scheduler import Client, Scheduler
from stickslip.model.errors import shown
from stickslip.model.library import LIBRARY

STATIC = Path(__file__).parent / "static"
DOWNLOAD = 120.0
"""Seconds that a download may take to be computed."""

SLOW_READER = 30.0
"""Seconds after which a page is left that does not take a frame."""

SLOWEST = 100_000.0
"""Bytes that a page takes in a second, however slow the network is: for a large frame it has so much more time."""

KINDS = {"csv": "text/csv; charset=utf-8", "nc": "application/x-netcdf", "svg": "image/svg+xml"}


class Malformed(ValueError):
    """A message that is no request."""


class Page:
    """A page that is open: frames wait here until it takes them.

    A page that reads slowly is computed for slowly: while much waits for it, its jobs stand still (`Client.is_full`).
    """

    def __init__(self, socket: WebSocket, scheduler: Scheduler) -> None:
        self.socket, self.scheduler = socket, scheduler
        self.client = Client(self.deliver)
        self._frames: deque[bytes] = deque()
        self._waiting = 0
        self._some = asyncio.Event()
        self.overflown = asyncio.Event()

    def deliver(self, data: bytes) -> None:
        """Put a frame into the queue."""
        self._frames.append(data)
        self._waiting += len(data)
        self._some.set()
        if self._waiting > limits.WAITING_BYTES:
            self.client.is_full = True

    def answer(self, **fields: Any) -> None:
        """Say something that is not computed; a page that asks on and on, and takes nothing, is given up."""
        if self.client.is_full:
            self.overflown.set()
        else:
            self.deliver(frame({**fields, "done": True}))

    async def send_frames(self) -> None:
        """Send what waits, one after the other, until the page is gone or takes nothing more."""
        while True:
            while self._frames:
                data = self._frames.popleft()
                async with asyncio.timeout(SLOW_READER + len(data) / SLOWEST):
                    await self.socket.send_bytes(data)
                self._waiting -= len(data)
                if self.client.is_full and self._waiting < limits.WAITING_BYTES / 2:
                    self.scheduler.drained(self.client)
            self._some.clear()
            await self._some.wait()

    async def take_requests(self) -> None:
        """Take requests until the page is gone."""
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                asked = request_of(message.get("text"))
                self._act(asked)
            except Malformed as error:
                self.answer(id=None, channel=None, error=str(error))

    def _act(self, asked: dict[str, Any]) -> None:
        if "cancel" in asked:
            self.scheduler.cancel(self.client, asked["cancel"])
        elif asked["job"] == "ping":
            self.answer(id=asked["id"], channel=asked["channel"], job="ping")
        else:
            open_channels = {*self.client.waiting, *self.client.running, asked["channel"]}
            if len(open_channels) > limits.CHANNELS:
                raise Malformed(f"a page has at most {limits.CHANNELS} jobs at the same time: wait, or stop some")
            self.scheduler.submit(self.client, asked, JOBS[asked["job"]].quick)


def request_of(text: object) -> dict[str, Any]:
    """A request, checked as far as the server must understand it.

    >>> request_of('{"id": 1, "channel": "motion", "job": "motion", "view": {}}')["job"]
    'motion'
    """
    if not isinstance(text, str):
        raise Malformed("a request is a text in JSON, not bytes")
    if len(text) > limits.MESSAGE_BYTES:
        raise Malformed(f"a request has at most {limits.MESSAGE_BYTES} bytes")
    try:
        asked = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Malformed("a request is a text in JSON; this is none") from None
    if not isinstance(asked, dict):
        raise Malformed("a request is a table in JSON")
    if "cancel" in asked:
        return {"cancel": _channel(asked["cancel"])}
    if isinstance(asked.get("id"), bool) or not isinstance(asked.get("id"), int) or abs(asked["id"]) > 2**53:
        raise Malformed(f"the id of a request is {shown(asked.get('id'))}: it must be a whole number")
    _channel(asked.get("channel"))
    if not isinstance(asked.get("job"), str) or asked["job"] not in {*JOBS, "ping"} - {"data"}:
        raise Malformed(f"there is no job {shown(asked.get('job'))}; there are: {', '.join(JOBS)}")
    return asked


def _no_number(word: str) -> float:
    raise ValueError(word)


def _channel(name: object) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= limits.CHANNEL_LENGTH:
        raise Malformed(f"a channel is {shown(name)}: it must be a short name")
    return name


class Site:
    """What is served: the page, its data, and the view it opens with."""

    def __init__(self, opening: Mapping[str, Any], scheduler: Scheduler) -> None:
        self.opening, self.scheduler = opening, scheduler
        self.pages: set[Page] = set()

    def application(self) -> Starlette:
        """The routes."""
        return Starlette(
            routes=[
                Route("/", self.index),
                Route("/opening", self.opened),
                Route("/data", self.data, methods=["POST"]),
                Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
                WebSocketRoute("/socket", self.socket),
            ],
            lifespan=self.lifespan,
        )

    @asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """Processes live as long as the server."""
        self.scheduler.start()
        watching = asyncio.create_task(self.scheduler.watch())
        try:
            yield
        finally:
            watching.cancel()
            self.scheduler.end()

    async def index(self, asked: Asked) -> Response:
        """The page."""
        return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")

    async def opened(self, asked: Asked) -> Response:
        """The view that the page opens with, and what there is to choose from."""
        models = [{"name": name, "title": _title(name)} for name in LIBRARY]
        return JSONResponse({"view": self.opening, "version": __version__, "limits": limits.TOLD, "models": models})

    async def socket(self, socket: WebSocket) -> None:
        """A page, until it is gone."""
        if len(self.pages) >= limits.CLIENTS:
            await socket.close(1013, "too many pages are open: close some")
            return
        await socket.accept()
        page = Page(socket, self.scheduler)
        self.pages.add(page)
        self.scheduler.join(page.client)
        tasks = [
            asyncio.create_task(page.take_requests()),
            asyncio.create_task(page.send_frames()),
            asyncio.create_task(page.overflown.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.scheduler.leave(page.client)
            self.pages.discard(page)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
                async with asyncio.timeout(1.0):
                    await socket.close(1008)

    async def data(self, asked: Asked) -> Response:
        """A download: computed as any other job, and answered when it is done."""
        body = b""
        async for piece in asked.stream():
            body += piece
            if len(body) > limits.MESSAGE_BYTES:
                return PlainTextResponse(f"a request has at most {limits.MESSAGE_BYTES} bytes", 413)
        try:
            wanted = json.loads(body)
        except (ValueError, RecursionError):
            wanted = None
        if not isinstance(wanted, dict):
            return PlainTextResponse("a request is a table in JSON", 400)
        header, arrays = await self._computed({**wanted, "id": 0, "channel": "data", "job": "data"})
        if "error" in header or "file" not in arrays:
            return PlainTextResponse(str(header.get("error", "the download was stopped")), 422)
        name, kind = str(header["name"]), KINDS[str(header["format"])]
        return Response(
            arrays["file"].tobytes(), media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    async def _computed(self, asked: dict[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """The one frame of a job that has one."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        client = Client(lambda data: answer.set_result(data) if not answer.done() else None)
        self.scheduler.join(client)
        try:
            self.scheduler.submit(client, asked, quick=False)
            async with asyncio.timeout(DOWNLOAD):
                return unframed(await answer)
        except TimeoutError:
            return {"error": f"the download took more than {DOWNLOAD:g} s: ask for less"}, {}
        finally:
            self.scheduler.leave(client)


def _title(name: str) -> str:
    """What a model of the library is, from the first line that describes it."""
    return (LIBRARY[name].__doc__ or name).strip().partition("\n")[0].partition(" (")[0].rstrip(".")
