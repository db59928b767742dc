"""Bars: after a second, on terminals and in notebooks, one at a time; nothing where nobody looks."""

import functools
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest

import stickslip as ss
from stickslip import progress
from stickslip.errors import ModelError

BLOCK = ss.models.block_on_belt()


class Shown:
    """Stands for a terminal: every bar that was begun, with what it showed."""

    def __init__(self):
        self.bars = []

    def __call__(self, what):
        bar = types.SimpleNamespace(what=what, parts=[], texts=[], stopped=False)

        def update(text, part):
            bar.texts.append(text)
            bar.parts.append(part)

        bar.update, bar.stop = update, lambda: setattr(bar, "stopped", True)
        self.bars.append(bar)
        return bar


@functools.cache
def orbit():
    return ss.find_orbit(BLOCK)


@pytest.fixture
def shown(monkeypatch):
    """Somebody looks, without patience: every report is shown."""
    orbit()
    seen = Shown()
    monkeypatch.setattr(progress, "display", seen)
    monkeypatch.setattr(progress, "is_watched", lambda: threading.current_thread() is threading.main_thread())
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    return seen


CALLS = {
    "simulating": lambda **k: ss.simulate(BLOCK, t=1000, **k),
    "sweeping": lambda **k: ss.sweep(BLOCK, {"belt.speed": [0.1, 0.2]}, times=(20, 20), chunk=1, threads=1, **k),
    "following neighbours": lambda **k: ss.lyapunov(BLOCK, t=50, **k),
    "searching": lambda **k: ss.find_orbits(BLOCK, starts=2, **k),
    "following": lambda **k: ss.follow(orbit(), "belt.speed", to=0.21, **k),
    "following starts": lambda **k: ss.basins(
        ss.models.coulomb_oscillator(), {"x.block": [0.0, 3.0], "v.block": [0.0, 1.0]}, t=30, **k
    ),
    "comparing methods": lambda **k: ss.compare(BLOCK, [ss.Exact(), ss.Henon(step=0.01)], t=5, **k),
}


@pytest.mark.parametrize("what", CALLS)
def test_each_long_call_has_one_bar_which_comes_to_its_end(what, shown):
    CALLS[what]()
    assert [bar.what for bar in shown.bars] == [what], "calls within a call have no bars of their own"
    (bar,) = shown.bars
    assert bar.stopped
    if what == "following":
        assert re.fullmatch(r"following: belt.speed = 0.2\d*, \d+ points", bar.texts[-1])
    else:
        parts = [part for part in bar.parts if part is not None]
        assert parts == sorted(parts)
        # Starts of basins have often arrived before their time is over.
        assert 0 < parts[-1] <= 1 if what == "following starts" else parts[-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("what", CALLS)
def test_a_function_is_called_in_the_place_of_a_bar(what, shown):
    reports = []
    CALLS[what](progress=lambda *reported: reports.append(reported))
    assert len(reports) >= 1
    assert shown.bars == []


@pytest.mark.parametrize("what", CALLS)
def test_false_shows_nothing(what, shown):
    CALLS[what](progress=False)
    assert shown.bars == []


@pytest.mark.parametrize("what", CALLS)
def test_what_is_no_progress_is_refused(what):
    with pytest.raises(ModelError, match=r"progress is 'yes'.*must be a function"):
        CALLS[what](progress="yes")


def test_quick_calls_show_nothing(shown, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1.0)
    before = threading.active_count()
    for what in ("simulating", "sweeping", "comparing methods"):
        CALLS[what]()
    assert shown.bars == []
    assert threading.active_count() <= before


def test_a_bar_appears_where_reports_are_seldom(shown, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with progress.reporting(None, "waiting", float) as report:
        time.sleep(0.3)
        assert [bar.what for bar in shown.bars] == ["waiting"]
        report(0.5)
    assert shown.bars[0].parts == [0.5]
    assert shown.bars[0].stopped


def test_other_threads_show_nothing(shown):
    runs = []
    threads = [threading.Thread(target=lambda: runs.append(CALLS["simulating"]())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 2
    assert shown.bars == []


def test_reports_change_no_number(shown):
    with_bar = ss.simulate(BLOCK, t=1000)
    assert len(shown.bars) == 1
    assert with_bar.identical(ss.simulate(BLOCK, t=1000, progress=False))


def test_the_bar_goes_where_the_call_fails(shown):
    with pytest.raises(RuntimeError), progress.reporting(None, "failing", float) as report:
        report(0.1)
        raise RuntimeError
    assert shown.bars[0].stopped
    CALLS["simulating"]()
    assert shown.bars[-1].what == "simulating", "after a failure calls have bars again"


@pytest.mark.parametrize("when", ["made", "moved", "stopped"])
def test_a_terminal_that_is_gone_loses_nothing(shown, monkeypatch, when):
    def gone(*given):
        raise OSError(5, "Input/output error")

    def broken(what):
        bar = shown(what)
        if when == "made":
            gone()
        setattr(bar, "update" if when == "moved" else "stop", gone)
        return bar

    monkeypatch.setattr(progress, "display", broken)
    run = ss.simulate(BLOCK, t=1000)
    assert shown.bars
    assert run.attrs["outcome"] == "finished" and float(run["time"][-1]) == 1000


def test_a_notebook_shows_its_own_bar(monkeypatch):
    """IPython's part is played: what is displayed is HTML, with names escaped, and is gone at the end."""
    pages = []

    def update(data, raw):
        assert raw is True
        pages.append(data["text/html"])

    def display(data, raw, display_id):
        assert display_id is True
        update(data, raw)
        return types.SimpleNamespace(update=update)

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    shelf = types.ModuleType("IPython.display")
    shelf.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shelf)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    with progress.reporting(None, "a <b>", float, seldom=False) as report:
        report(0.25)
    assert "a &lt;b&gt;" in pages[0]
    assert 'value="0.2500"' in pages[1]
    assert pages[-1] == ""


def test_true_writes_lines_to_a_log(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.setattr(progress, "LINES", 0.0)
    CALLS["simulating"](progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "simulating"
    assert lines[-1] == "simulating 100 %"


SLOW = """
import stickslip as ss
system = ss.models.block_on_belt()
ss.simulate(system, t=1)
print("ready", flush=True)
run = ss.simulate(system, t=1e9, dense=False, samples=2)
print("status:", run.attrs["outcome"], run.sizes["event"] > 100, flush=True)
"""


def program(stderr):
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    return subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=stderr, env=environment)


def read_until(master, text, seconds=60.0):
    """What a terminal shows until it shows a text, or until nobody writes to it any more."""
    shown, deadline = "", time.monotonic() + seconds
    while text not in shown and time.monotonic() < deadline:
        if select.select([master], [], [], 0.2)[0]:
            try:
                shown += os.read(master, 65536).decode(errors="replace")
            except OSError:
                break
    return shown


def test_a_terminal_shows_a_bar_and_ctrl_c_keeps_the_run():
    master, slave = pty.openpty()
    with program(slave) as process:
        os.close(slave)
        assert process.stdout.readline() == b"ready\n"
        began = time.monotonic()
        before = read_until(master, "%")
        assert "simulating" in before
        assert time.monotonic() - began > 0.9, "a bar has patience"
        process.send_signal(signal.SIGINT)
        after = read_until(master, "nothing of the kind", seconds=10.0)
        assert process.stdout.read() == b"status: interrupted True\n"
    os.close(master)
    err = before + after
    assert err.rindex("\x1b[?25h") > err.rindex("\x1b[?25l"), "the cursor is there again"


def test_a_pipe_shows_nothing():
    with program(subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"status: interrupted True\n"
        assert process.stderr.read() == b""


def test_a_bar_costs_next_to_nothing(monkeypatch):
    """A report that shows nothing yet costs less than a microsecond or two: blocks of the march take milliseconds."""
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    with progress.reporting(None, "counting", float, seldom=False) as report:
        began = time.perf_counter()
        for part in np.linspace(0, 1, 10_000):
            report(part)
        spent = time.perf_counter() - began
    assert spent < 0.5
