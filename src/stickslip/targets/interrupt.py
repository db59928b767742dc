"""Compiled code that Ctrl-C ends: it looks at a word in its work space, which another thread sets.

Python handles signals in the main thread, between its own instructions. So where the main thread asks for work that may
take long, another thread does it, and the main one waits, where a signal finds it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

_under_way: dict[int, tuple[Any, int]] = {}
"""By thread, the work space of what it runs and the place of the word in it."""

_halted: set[int] = set()
"""Threads that begin nothing more."""


def interruptible(function: Callable[[], Any], integers: Any, place: int) -> Any:
    """Call `function`, which looks at `integers[place]` and returns soon once that is not zero."""
    if threading.current_thread() is not threading.main_thread():
        return _run(function, integers, place)
    work = _helper().submit(_run, function, integers, place)
    try:
        return work.result()
    except KeyboardInterrupt:
        integers[place] = 1
        wait([work])
        integers[place] = 0
        raise


def halt(threads: Iterable[int]) -> None:
    """End what these threads run, and what they begin until they are let go on."""
    for thread in threads:
        _halted.add(thread)
        integers, place = _under_way.get(thread, (None, 0))
        if integers is not None:
            integers[place] = 1


def let_go_on(threads: Iterable[int]) -> None:
    """Forget that these threads were to end: their numbers are given to others later."""
    _halted.difference_update(threads)


def _run(function: Callable[[], Any], integers: Any, place: int) -> Any:
    thread = threading.get_ident()
    _under_way[thread] = integers, place
    # Only now: whoever halts this thread from here on finds the word.
    if thread in _halted:
        integers[place] = 1
    try:
        return function()
    finally:
        del _under_way[thread]


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="stickslip")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helper.cache_clear)  # threads do not live on in a child
