"""`explore`: the explorer in a browser, on one's own model."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from stickslip.arguments import check_flag
from stickslip.errors import ModelError
from stickslip.explorer.limits import MESSAGE_BYTES
from stickslip.explorer.opening import Opening, opening_of
from stickslip.explorer.safety import Guard, hosts_of, is_local
from stickslip.files import reason
from stickslip.model.errors import check_whole, shown
from stickslip.model.listing import Listing

if TYPE_CHECKING:
    import uvicorn

    from stickslip.explorer.scheduler import Scheduler

PORT = 8421
"""Where the page is if nothing else is there."""

PATIENCE = 10.0
"""Seconds that a server has to start, or to end."""

UNREAD = 60_000
"""Milliseconds after which a connection is given up whose other side takes nothing."""

MISSING = "the explorer needs packages that are not installed: pip install 'stickslip[explore]'"


class Explorer(metaclass=Listing):
    """A server of the explorer that runs in the background: what `explore` returns.

    Parameters
    ----------
    opening : Opening
        The view that the page opens with.
    host : str
        Where the server is reached.
    port : int or None
        The port; None for the usual one, or another where that is taken.
    workers : int
        Processes for quick work, and for long work.

    Attributes
    ----------
    url : str
        The address of the page.

    See Also
    --------
    explore : starts it.

    Examples
    --------
    >>> import stickslip as ss
    >>> with ss.explore(ss.models.block_on_belt(), browser=False, wait=False) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, opening: Opening, host: str, port: int | None, workers: int) -> None:
        self._socket = _bound(host, port)
        token = "" if is_local(host) else secrets.token_urlsafe(24)
        self._server, self._scheduler = _server(opening, hosts_of(host, self._socket.getsockname()[1]), token, workers)
        number = self._socket.getsockname()[1]
        shown_host = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown_host}:{number}/" + (f"?token={token}" if token else "")
        self._thread = threading.Thread(target=self._serve, name="explorer", daemon=True)
        self._thread.start()
        for _ in range(int(PATIENCE / 0.01)):
            if self._server.started or not self._thread.is_alive():
                break
            self._thread.join(0.01)

    def _serve(self) -> None:
        with suppress(SystemExit):
            self._server.run(sockets=[self._socket])

    @property
    def running(self) -> bool:
        """Whether the page can be reached."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the server, and all that it computes, at once."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(PATIENCE)
        self._scheduler.end()
        self._socket.close()

    def wait(self) -> None:
        """Wait until Ctrl-C, or until the server has ended; then end it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def open(self) -> None:
        """Show the page in a browser, where there is one."""
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(self.url)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>" if self.running else "<Explorer, stopped>"


def explore(
    what: Any = None,
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    browser: bool = True,
    wait: bool | None = None,
    workers: int = 2,
) -> Explorer:
    """Open the explorer: a web page on this machine on which the model is moved by sliders, swept and followed.

    In a script it shows the page and waits until Ctrl-C, as a window of a picture does; in a notebook and at the prompt
    of Python it returns at once, and the server runs until `stop`, or until Python ends.

    Parameters
    ----------
    what : System, Filippov, path or result, optional
        A model; a model file or a file of results; or a result, whose model is shown. By default the block on a belt.
    port : int, optional
        Where the page is; by default 8421, or another one where that is taken. 0 takes any that is free.
    host : str, default "127.0.0.1"
        Where the server is reached. Elsewhere than on this machine everybody who has the address, in which there is a
        token, can compute here.
    browser : bool, default True
        Whether the page is opened.
    wait : bool, optional
        Whether to wait until Ctrl-C; by default in scripts.
    workers : int, default 2
        Processes for quick work, and for long work.

    Returns
    -------
    Explorer
        The server, with its `url` and `stop`.

    Raises
    ------
    ModelError
        If the model cannot be sent to another process, the port is taken, or the packages of the extra `explore` are
        missing.

    See Also
    --------
    simulate, sweep, find_orbit, follow : what the page calls.

    Examples
    --------
    >>> import stickslip as ss
    >>> page = ss.explore(ss.models.drill_string(), browser=False, wait=False)
    >>> page.running
    True
    >>> page.stop()
    >>> page
    <Explorer, stopped>
    """
    if not isinstance(host, str) or not host:
        raise ModelError(f"host is {shown(host)}: give a name or an address, such as '127.0.0.1'")
    if port is not None:
        port = check_whole("port", port, 0, 65_535)
    workers = check_whole("workers", workers, 1, 64)
    check_flag("browser", browser)
    if wait is not None:
        check_flag("wait", wait)
    page = Explorer(opening_of(what), host, port, workers)
    if browser:
        page.open()
    if _in_a_script() if wait is None else wait:
        page.wait()
    return page


def _in_a_script() -> bool:
    """Whether Python ends with the last line: neither at a prompt nor in a notebook."""
    return not (hasattr(sys, "ps1") or sys.flags.interactive or "ipykernel" in sys.modules)


def _server(opening: Opening, hosts: frozenset[str], token: str, workers: int) -> tuple[uvicorn.Server, Scheduler]:
    """A server for those who may ask, and what shares its processes among them."""
    try:
        import uvicorn
        import websockets  # noqa: F401  uvicorn needs it

        from stickslip.explorer.scheduler import Scheduler
        from stickslip.explorer.server import Site
    except ImportError:
        raise ModelError(MISSING) from None

    scheduler = Scheduler(workers, opening.trusted)
    guarded: Any = Guard(Site(opening.view, scheduler).application(), hosts, token)
    settings: dict[str, Any] = {
        "log_level": "critical", "access_log": False, "ws_max_size": MESSAGE_BYTES, "ws_per_message_deflate": False,
        "timeout_graceful_shutdown": 0, "server_header": False, "lifespan": "on", "limit_concurrency": 256,
        "h11_max_incomplete_event_size": 32_768, "ws": "websockets-sansio",
    }  # fmt: skip
    return uvicorn.Server(uvicorn.Config(guarded, **settings)), scheduler


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket that listens; where the usual port is taken and none was asked for, on another one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (PORT, 0) if port is None else (port,):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # what is accepted here has it as well
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD)
        try:
            found.bind((host, number))
        except (OSError, ValueError) as error:  # a name may be none that can be looked up
            found.close()
            if number != PORT or port is not None or isinstance(error, socket.gaierror | ValueError):
                raise ModelError(
                    f"cannot listen at {host}:{number} ({reason(error)}): give another port or host"
                ) from None
            continue
        found.listen(128)
        found.setblocking(False)
        return found
    raise AssertionError
