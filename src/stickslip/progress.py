"""How far a long call has come: a bar on the terminal or in the notebook, after a second, and nowhere else.

`reporting` is what the verbs use: it hands what they report to the user's function, to a bar, or to nobody. Only the
outermost call shows a bar, and only in the main thread of the main process: what it calls in turn is silent.
"""

from __future__ import annotations

import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Protocol

from stickslip.files import interrupts_noted

Report = Callable[..., None]
Progress = Report | bool | None
"""What the argument `progress` may be: a function to call, True, False, or None for a bar where somebody looks."""

PATIENCE = 1.0
"""Seconds after which a bar appears."""

PAUSE = 0.1
LINES = 10.0
"""Seconds between two changes of a bar, and between two lines in a log."""

UNSEEN = (OSError, ValueError)
"""A terminal that is gone, a log on a full disk: no reason to lose what is computed."""

_inside: ContextVar[bool] = ContextVar("stickslip_progress_inside", default=False)


@contextmanager
def reporting(progress: Progress, what: str, told: Callable[..., float | str], seldom: bool = True) -> Iterator[Report]:
    """The function that a verb reports to, with whatever it reports.

    Parameters
    ----------
    progress : callable, bool or None
        As the user gives it: a function, which is called with what the verb reports; None for a bar where there is a
        terminal or a notebook; False for none; True for one in any case, which in a log is a line now and then.
    what : str
        What is going on, "simulating".
    told : callable
        Makes of what the verb reports the part that is done, from 0 to 1, or words.
    seldom : bool, default True
        Whether more than a second may lie between two reports: then a thread waits to show the bar.

    Yields
    ------
    callable
        To be called with what the verb reports.
    """
    showing = False if callable(progress) or _inside.get() else is_watched() if progress is None else progress
    with silence():
        if callable(progress):
            yield progress
        elif not showing:
            yield _nobody
        else:
            with Bar(what, seldom) as bar:
                yield lambda *reported: bar.tell(told, *reported)


@contextmanager
def silence() -> Iterator[None]:
    """Within this, calls show no bars of their own."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def is_watched() -> bool:
    """Whether somebody would see a bar: in the main thread of the main process, on a terminal or in a notebook."""
    if threading.current_thread() is not threading.main_thread() or _is_child():
        return False
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _is_child() -> bool:
    """Whether this is a process of a pool, which shares the terminal with others."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def _is_notebook() -> bool:
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _nobody(*reported: Any) -> None:
    return None


class Bar:
    """A bar that appears when the work takes longer than a second, and goes when it is done."""

    def __init__(self, what: str, seldom: bool = True) -> None:
        self.what = what
        self._seldom = seldom
        self._display: Display | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._next = 0.0

    def __enter__(self) -> Bar:
        self._next = time.monotonic() + PATIENCE
        if self._seldom:
            self._timer = threading.Timer(PATIENCE, self._appear)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The terminal is left as it was; Ctrl-C in these milliseconds comes too late for what is already done.
        with interrupts_noted([]):
            if self._timer is not None:
                self._timer.cancel()
                self._timer.join()  # it may be showing the bar just now
            if self._display is not None:
                with suppress(*UNSEEN):
                    self._display.stop()

    def tell(self, told: Callable[..., float | str], *reported: Any) -> None:
        """Move the bar by what is reported, unless it has just moved."""
        if time.monotonic() < self._next:
            return
        found = told(*reported)
        if isinstance(found, str):
            self.show(found)
        else:
            self.show(self.what, found)

    def show(self, text: str, part: float | None = None) -> None:
        """Say what is going on and which part of it is done, from 0 to 1; None where that is not known."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        self._appear()
        if self._display is not None:
            with suppress(*UNSEEN):
                self._display.update(text, part)

    def _appear(self) -> None:
        with self._lock, suppress(*UNSEEN):
            if self._display is None:
                self._display = display(self.what)


# -- where it is seen --------------------------------------------------------------------------------------------------


class Display(Protocol):
    """What shows a bar from when it is made until it is stopped."""

    def update(self, text: str, part: float | None) -> None: ...

    def stop(self) -> None: ...


def display(what: str) -> Display:
    """A bar on what there is: a notebook, a terminal, or a log."""
    if _is_notebook():
        return _Notebook(what)
    return _Terminal(what) if sys.stderr is not None and sys.stderr.isatty() else _Log(what)


class _Terminal:
    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[share]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=None, share="")
        self._bar.start()

    def update(self, text: str, part: float | None) -> None:
        if part is None:
            self._bar.update(self._task, description=text, share="")
        else:
            self._bar.update(self._task, description=text, total=1.0, completed=part, share=_percent(part))

    def stop(self) -> None:
        self._bar.stop()


class _Notebook:
    def __init__(self, what: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        show: Any = display
        self._handle: Any = show(self._page(what, None), raw=True, display_id=True)

    def update(self, text: str, part: float | None) -> None:
        self._handle.update(self._page(text, part), raw=True)

    def stop(self) -> None:
        self._handle.update(
            {"text/html": "", "text/plain": ""}, raw=True
        )  # nothing stays, in exported notebooks neither

    @staticmethod
    def _page(text: str, part: float | None) -> dict[str, str]:
        value = "" if part is None else f' value="{part:.4f}"'
        share = "" if part is None else f" {_percent(part)}"
        page = f'{html.escape(text)} <progress max="1"{value}></progress>{share}'
        return {"text/html": page, "text/plain": text + share}


class _Log:
    def __init__(self, what: str) -> None:
        self._next = 0.0
        self.update(what, None)

    def update(self, text: str, part: float | None) -> None:
        if sys.stderr is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + LINES
            print(text if part is None else f"{text} {_percent(part)}", file=sys.stderr, flush=True)

    def stop(self) -> None:
        return None


def _percent(part: float) -> str:
    return f"{100 * part:>3.0f} %"
