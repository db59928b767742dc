"""Who may talk to the server: this machine's own pages alone, or whoever has the token.

Any page in a browser can send requests to 127.0.0.1, and a foreign name can be made to point there: so Host must be a
name of this machine, and Origin, where there is one, the same. Bound elsewhere, every request must have the token.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "stickslip_token"
LOCAL = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "media-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Of every answer: the page runs its own scripts and no others, and nobody frames it."""


@dataclass(frozen=True)
class Guard:
    """Refuses what is not from this machine's own page, and adds headers to every answer.

    Parameters
    ----------
    application : callable
        What answers to those who may ask.
    hosts : frozenset of str
        What Host may be, with the port; where there is a token it may be anything.
    token : str
        What must be known; empty where nothing must.
    """

    application: Application
    hosts: frozenset[str]
    token: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        why = self._refusal(scope)
        if why:
            await _refuse(scope, receive, send, why)
        elif scope["type"] == "http" and self._brings_token(scope):
            await self._keep_token(scope, send)
        elif self.token and not self._knows_token(scope):
            await _refuse(scope, receive, send, "open the address that the server printed: it has the token")
        else:
            await self.application(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str:
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if not self.token and host not in self.hosts:
            return "this server answers to its own name alone"
        if origin is not None and origin != f"http://{host}":
            return "this server answers to its own page alone"
        return ""

    def _brings_token(self, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        return bool(self.token) and hmac.compare_digest(given.encode(), self.token.encode())

    def _knows_token(self, scope: Scope) -> bool:
        try:
            cookies = SimpleCookie(_header(scope, b"cookie") or "")
        except CookieError:
            return False
        given = cookies[COOKIE].value if COOKIE in cookies else ""
        return hmac.compare_digest(given.encode(), self.token.encode())

    async def _keep_token(self, scope: Scope, send: Send) -> None:
        """Keep the token in a cookie, and lead to the same page without it."""
        cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", scope["path"].encode("latin-1", "ignore")), (b"set-cookie", cookie.encode())]
        send = _with_headers(send)
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _header(scope: Scope, name: bytes) -> str | None:
    """What a header says; what is said more than once counts as nothing that is known."""
    found = [value for key, value in scope["headers"] if key == name]
    return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})  # before it is accepted: HTTP 403
        return
    send = _with_headers(send)
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode()})


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {key for key, _ in message.get("headers", [])}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in own]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sent


def hosts_of(host: str, port: int) -> frozenset[str]:
    """The names under which a server on this machine is known.

    >>> sorted(hosts_of("127.0.0.1", 8421))
    ['127.0.0.1:8421', '[::1]:8421', 'localhost:8421']
    """
    names = {*LOCAL, host}
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def is_local(host: str) -> bool:
    """Whether only this machine reaches what is bound there."""
    return host in (*LOCAL, "::1")
