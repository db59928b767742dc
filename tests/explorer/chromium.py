"""A real Chromium without a window, driven through its DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.explorer.debian import installed
from websockets.sync.client import ClientConnection, connect

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--mute-audio",
    "--hide-scrollbars", "--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0",
)  # fmt: skip
PATIENCE = 30.0


class Browser:
    """One browser with a profile of its own; `open` gives pages."""

    def __init__(self) -> None:
        self.profile = Path(tempfile.mkdtemp(prefix="chromium-"))
        self.downloads = self.profile / "downloads"
        self.downloads.mkdir()
        command = [installed("chromium"), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place = self.profile / "DevToolsActivePort"
        deadline = time.monotonic() + PATIENCE
        while not (place.exists() and place.read_text().count("\n") >= 1):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("Chromium did not start")
            time.sleep(0.02)
        port, path = place.read_text().splitlines()[:2]
        self.port = int(port)
        self.control = Wire(f"ws://127.0.0.1:{port}{path}")
        self.control.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def open(self, address: str = "about:blank", width: int = 1440, height: int = 900) -> Page:
        """A new page of a size."""
        target = self.control.call("Target.createTarget", url="about:blank")["targetId"]
        page = Page(f"ws://127.0.0.1:{self.port}/devtools/page/{target}")
        page.resize(width, height)
        if address != "about:blank":
            page.go(address)
        return page

    def close(self) -> None:
        """End the browser and remove its profile."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.control.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Wire:
    """A connection that speaks the DevTools protocol; events that come in between are kept."""

    def __init__(self, address: str) -> None:
        self.socket: ClientConnection = connect(address, max_size=None, compression=None).__enter__()
        self.number = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and wait for its result, longer than anything that is waited for inside a page."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=4 * PATIENCE))
            if message.get("id") != self.number:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return dict(message["result"])

    def close(self) -> None:
        """Hang up."""
        self.socket.__exit__(None, None, None)


class Page(Wire):
    """A page: what a user does on it, and what can be seen of it."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def resize(self, width: int, height: int, ratio: float = 1.0, mobile: bool = False) -> None:
        """The size of the window, in pixels of CSS."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=mobile
        )

    def scheme(self, scheme: str) -> None:
        """Whether the system is "dark" or "light"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def go(self, address: str) -> None:
        """Go to an address, and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        reply = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return reply["result"].get("value")

    def wait(self, condition: str, seconds: float = PATIENCE) -> Any:
        """Wait until an expression is true, asked once per frame inside the page; its value."""
        body = f"""(async () => {{
            const deadline = performance.now() + {1000 * seconds};
            for (;;) {{
                let value; try {{ value = {condition}; }} catch {{ value = null; }}
                if (value) return value;
                if (performance.now() > deadline) return null;
                await new Promise((next) => setTimeout(next, 15));
            }}
        }})()"""
        for _ in range(3):  # a page that is being left takes its promises with it
            try:
                value = self.evaluate(body)
            except RuntimeError as error:
                if "navigat" not in str(error) and "destroyed" not in str(error):
                    raise
                continue
            if not value:
                raise AssertionError(f"waited {seconds:g} s in vain for: {condition}")
            return value
        raise AssertionError(f"the page was left again and again while waiting for: {condition}")

    def errors(self) -> list[str]:
        """What the console complained about since the page was opened."""
        self.evaluate("0")  # whatever was on its way is here now
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(str(details.get("exception", {}).get("description", details.get("text"))))
            elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        return found

    def middle(self, selector: str) -> tuple[float, float]:
        """Where the middle of an element is."""
        found = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); "
            "return [r.left + r.width / 2, r.top + r.height / 2]; })()"
        )
        return float(found[0]), float(found[1])

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        """One event of the mouse."""
        button = "left" if kind != "mouseMoved" or buttons else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def click(self, x: float, y: float) -> None:
        """Click at a place."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)

    def press(self, selector: str) -> None:
        """Click on the middle of an element."""
        self.click(*self.middle(selector))

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
        """Drag from one place to another."""
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, 1)
        for i in range(1, steps + 1):
            x, y = (a + (b - a) * i / steps for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y, 1)
        self.mouse("mouseReleased", *end)

    def key(self, key: str, text: str = "") -> None:
        """Press a key and release it."""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def picture(self, whole: bool = False) -> bytes:
        """What is seen, as PNG; the whole page, or the window."""
        reply = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(reply["data"])
