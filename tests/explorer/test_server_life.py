"""How the explorer begins and ends: from models, files and results; by Ctrl-C and by kill −9; alone and under load."""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from urllib.request import urlopen

import numpy as np
import pytest
from tests.explorer.session import Session, children, is_alive, session, wait_until

import stickslip as ss
from stickslip.errors import ModelError, ResultError
from stickslip.explorer import launch
from stickslip.explorer.opening import opening_of

START = [sys.executable, "-m", "stickslip", "explore", "--no-browser", "--port", "0"]


@pytest.fixture
def command():
    """The command in a process of its own, with the address that it prints."""
    started = []

    def start(*more):
        process = subprocess.Popen([*START, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process, re.search(r"http://\S+", process.stdout.readline())[0]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_kill_minus_nine_of_the_server_leaves_no_process(command):
    process, url = command()
    talk = Session(url)
    view = talk.ask("describe", {"model": {"library": "block_on_belt"}})[0]["view"]
    talk.send("diagram", {**view, "diagram": {**view["diagram"], "points": 20_000, "transient": 1e6}})
    talk.next()
    workers = children(process.pid)
    assert len(workers) >= 3
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, workers)), 5)


def test_ctrl_c_ends_the_server_at_once(command):
    process, url = command("drill_string")
    talk = Session(url)
    view = talk.ask("describe", {"model": {"library": "block_on_belt"}})[0]["view"]
    talk.send("diagram", {**view, "diagram": {**view["diagram"], "points": 20_000, "transient": 1e6}})
    talk.next()
    workers = children(process.pid)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == 0 and time.monotonic() - begin < 3
    wait_until(lambda: not any(map(is_alive, workers)), 2)
    assert process.stderr.read() == ""


def test_the_page_is_there_within_a_second_of_the_start():
    """It does not wait for the processes that compute. A busy machine delays some starts, not all."""
    taken = []
    while not taken or (min(taken) >= 1 and len(taken) < 10):
        begin = time.monotonic()
        with ss.explore(port=0, browser=False, wait=False) as page, urlopen(page.url) as answer:
            assert answer.status == 200 and b"page.js" in answer.read()
            taken.append(time.monotonic() - begin)
        assert not page.running
    assert min(taken) < 1


def opening(page):
    with urlopen(page.url + "opening") as answer:
        return json.load(answer)


def test_it_opens_with_what_is_given(tmp_path):
    own = ss.models.block_on_belt().with_({"belt.speed": 0.3})
    with ss.explore(own, port=0, browser=False, wait=False) as page:
        told = opening(page)
        assert (
            told["version"] == ss.__version__
            and {"name": "fault", "title": "A fault"}.keys() <= told["models"][0].keys()
        )
        with session(page) as talk:
            header, _ = talk.ask("describe", told["view"])
            values = {each["name"]: each["value"] for each in header["parameters"]}
            assert values == dict(own.parameters)
    path = ss.save(own, tmp_path / "own.toml")
    assert opening_of(path).view == {"model": {"text": path.read_text()}}
    run = ss.simulate(own, t=30)
    late = ss.simulate(own, t=30, start_time=10)
    sweep = ss.sweep(own, {"belt.speed": [0.1, 0.2, 0.4]}, times=(10, 10))
    for result, part, value in (
        (run, "motion", {"t": 30.0}),
        (late, "motion", {"t": 20.0, "start_time": 10.0}),
        (sweep, "diagram", {"parameter": "belt.speed", "low": 0.1, "high": 0.4, "points": 3}),
    ):
        for given in (result, ss.save(result, tmp_path / f"{part}.nc"), str(tmp_path / f"{part}.nc")):
            view = opening_of(given).view
            assert view[part] == value and "block" in view["model"]["text"]
    assert "text" in opening_of(ss.find_orbit(own)).view["model"]


def test_a_model_of_plain_functions_is_opened_as_its_formulas():
    block = ss.Mass("block", m=1.0)
    push = ss.Force(block, force=lambda t, a=0.7, w=2.0: a * np.cos(w * t))
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.ground, law=ss.Coulomb(0.1)), push)
    text = opening_of(system).view["model"]["text"]
    assert "cos(" in text and "0.7" in text


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        ("block_on_bel", ModelError, "did you mean 'block_on_belt'"),
        ("missing.toml", ModelError, "cannot be read"),
        (7, ResultError, "does not carry its model"),
    ],
)
def test_what_cannot_be_opened_is_told_in_a_sentence(what, kind, words):
    with pytest.raises(kind, match=words):
        ss.explore(what, browser=False, wait=False)


def test_missing_packages_are_told_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ModelError, match=r"pip install 'stickslip\[explore\]'"):
        ss.explore(browser=False, wait=False)


def test_a_port_that_is_taken(monkeypatch):
    with ss.explore(port=0, browser=False, wait=False, workers=1) as page:
        taken = int(page.url.rstrip("/").rpartition(":")[2])
        with pytest.raises(ModelError, match=f"127.0.0.1:{taken}"):
            ss.explore(port=taken, browser=False, wait=False)
        monkeypatch.setattr(launch, "PORT", taken)  # the usual one: another is taken instead
        with ss.explore(browser=False, wait=False, workers=1) as other:
            assert other.url != page.url


def test_a_script_waits_and_a_notebook_does_not(monkeypatch):
    waited = []
    monkeypatch.setattr(launch.Explorer, "wait", lambda self: waited.append(self.stop()))
    ss.explore(port=0, browser=False, workers=1)
    assert len(waited) == 1
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    ss.explore(port=0, browser=False, workers=1).stop()
    assert len(waited) == 1


# -- the script of a view ------------------------------------------------------------------------------------------

DUMP = """
import json
found = {"x": run["x.twist"].values.tolist(), "v": run["v.twist"].values.tolist()}
for name, data in (("up", up), ("down", down)):
    known = ~np.isnan(data["x.twist"].values)
    found[name] = data["x.twist"].values[known].tolist()
found["branch"] = branch_0[0].values.tolist()
found["curve"] = [each.along("damper.c").tolist() for each in branch_1]
print(json.dumps(found))
"""


@pytest.mark.nightly
def test_the_script_of_a_view_gives_its_numbers(page, tmp_path):
    """Motion, hysteresis, a branch and a curve in two parameters: in a process of its own, number for number."""
    with session(page) as talk:
        view = talk.ask("describe", {"model": {"library": "drill_string"}})[0]["view"]
        view |= {"parameters": {"table.speed": 3.9}, "start": {"x.twist": 0.5}}
        view["diagram"] |= {"points": 12, "direction": "both", "start": {}, "low": 3.0, "high": 5.0}
        made = {"of": "orbit", "parameter": "table.speed", "low": 3.6, "high": 5.0, "parameters": {}, "start": {}}
        origin = {"branch": 0, "special": 0, "action": "second", "second": "damper.c"}
        view["branches"] = [{**made, "from": None}, {**made, "low": 4.5, "high": 4.7, "from": origin}]
        _, motion = talk.ask("motion", view, samples=300)
        _, diagram = talk.whole("diagram", view)
        _, branch = talk.ask("branch", view, index=0)
        _, curve = talk.ask("branch", view, index=1)
        script = talk.ask("script", view, samples=300)[0]["script"]
    path = tmp_path / "view.py"
    path.write_text(script + DUMP)
    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "agg"}
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["x"] == motion["x.twist"].tolist() and found["v"] == motion["v.twist"].tolist()
    for sign, name in ((1, "up"), (-1, "down")):
        assert sorted(found[name]) == sorted(diagram["point"][diagram["up"] == sign].tolist()) and found[name]
    assert found["branch"] == branch["value"].tolist()
    assert found["curve"][0][:0:-1] + found["curve"][1] == curve["second"].tolist()
    assert {"phase.png", "history.png", "friction.png", "diagram.png"} <= {each.name for each in tmp_path.iterdir()}


def test_the_script_of_a_model_as_a_text_runs(page, tmp_path):
    """A text with quotes and backslashes, and a map in place of a diagram."""
    text = ss.save(ss.models.block_on_belt(), tmp_path / "belt.toml").read_text()
    text = text.replace('title = "', 'title = "A \\"quoted\\" \\\\ title: ')
    with session(page) as talk:
        view = talk.ask("describe", {"model": {"text": text}})[0]["view"]
        view["map"]["x"]["points"] = view["map"]["y"]["points"] = 4
        script = talk.ask("script", {**view, "show": "map"})[0]["script"]
    (tmp_path / "view.py").write_text(script + "\nprint(system.about.title, data['n'].shape)")
    done = subprocess.run(
        [sys.executable, "view.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.stdout == 'A "quoted" \\ title: Block on a moving belt (4, 4)\n', done.stderr


# -- many pages ----------------------------------------------------------------------------------------------------


def test_twenty_pages_drag_at_the_same_time(page):
    """For a moment; bench/explorer_load.py does it for a minute, and measures more."""
    view = {"model": {"library": "block_on_belt"}, "motion": {"t": 60.0}}
    taken, errors = [], []

    def drag(which):
        with session(page) as talk:
            end, i = time.monotonic() + 1.5, 0
            while time.monotonic() < end:
                begin = time.perf_counter()
                changed = {**view, "parameters": {"belt.speed": 0.1 + 0.001 * ((7 * which + i) % 300)}}
                header, arrays = talk.ask("motion", changed, samples=1000)
                if "error" in header or len(arrays["time"]) != 1000:
                    errors.append(header)
                taken.append(time.perf_counter() - begin)
                i += 1

    with session(page) as talk:
        talk.ask("motion", view)
    threads = [threading.Thread(target=drag, args=(which,)) for which in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(taken) >= 3 * len(threads)  # also on a machine that has other things to do
    assert statistics.median(taken) < 0.5  # twenty threads of Python wait for each other here, too
    wait_until(lambda: page._scheduler.clients == [])  # the server hears a moment later that a page has gone
