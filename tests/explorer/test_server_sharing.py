"""The newest request wins, work ends when it is to end, and nobody waits for another page."""

import asyncio
import json
import os
import signal
import socket
import statistics
import time

import numpy as np
import pytest
from tests.explorer.session import Session, children, is_alive, session, wait_until

from stickslip.explorer import limits, scheduler, server
from stickslip.explorer.messages import unframed
from stickslip.explorer.pipes import CANCEL, DONE, WORK, Message
from stickslip.explorer.processes import Process
from stickslip.explorer.scheduler import Client, Scheduler

BELT = {"model": {"library": "block_on_belt"}, "motion": {"t": 60.0}}


@pytest.fixture(scope="module", autouse=True)
def warm(page):
    """Everything is compiled, so that what is measured is the server."""
    with session(page) as talk:
        view = talk.ask("describe", BELT)[0]["view"]
        talk.ask("diagram", {**view, "diagram": {**view["diagram"], "points": 300}})
        for channel in ("a", "b"):
            talk.ask("motion", view, channel=channel)
    return view


def long_view(view):
    """A diagram that takes minutes."""
    asked = {**view["diagram"], "points": limits.DIAGRAM_POINTS, "transient": 1e6, "observed": 1e5}
    return {**view, "diagram": asked}


def process_of(page, number):
    """The process that computes a request; those of a page that has just gone may be ending theirs."""
    jobs = {each: each.job for each in page._scheduler._everyone() if each.job is not None}
    (found,) = [each for each, job in jobs.items() if job.asked["id"] == number and not job.stopping]
    return found


def speed(i):
    return {**BELT, "parameters": {"belt.speed": 0.2 + 1e-4 * i}}


def test_of_many_requests_the_newest_is_answered(talk):
    """Some are left out, those that are answered come in order, and the last one is among them."""
    sent = [talk.send("motion", speed(i), samples=200) for i in range(200)]
    answered = []
    while not answered or answered[-1] != sent[-1]:
        header, _ = talk.next()
        assert "error" not in header
        answered.append(header["id"])
    assert answered == sorted(answered) and len(answered) < len(sent)


def test_a_job_that_is_stopped_ends_soon_and_says_so(talk, warm):
    number = talk.send("diagram", long_view(warm))
    first, _ = talk.next()
    assert first["id"] == number and not first["done"]
    begin = time.monotonic()
    talk.socket.send(json.dumps({"cancel": "diagram"}))
    last = talk.frames(number)[-1][0]
    assert last["stopped"] and time.monotonic() - begin < 2 * scheduler.GRACE
    assert "stopped" not in talk.ask("diagram", {**warm, "diagram": {**warm["diagram"], "points": 20}})[0]


def test_a_newer_diagram_takes_the_place_of_the_older_one(talk, warm):
    old = talk.send("diagram", long_view(warm))
    assert talk.next()[0]["id"] == old
    new = talk.send("diagram", {**warm, "diagram": {**warm["diagram"], "points": 20}})
    begin = time.monotonic()
    assert "stopped" not in talk.frames(new)[-1][0]
    assert time.monotonic() - begin < 3 * scheduler.GRACE


def median_of_motions(page, count=30):
    with session(page) as other:
        taken = []
        for i in range(count):
            begin = time.perf_counter()
            assert "error" not in other.ask("motion", speed(i), samples=500)[0]
            taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def test_a_model_that_takes_forever_keeps_nobody_waiting(page, talk, warm):
    """The pages of others answer as they did, and it can be stopped."""
    number = talk.send("basins", {**warm, "basins": {**warm["basins"], "t": 1e9}})
    busy = talk.send("diagram", long_view(warm))
    assert talk.next()[0]["id"] in (number, busy)
    assert median_of_motions(page) < 0.25
    for channel in ("basins", "diagram"):
        talk.socket.send(json.dumps({"cancel": channel}))
    ended = {}
    while len(ended) < 2:
        header, _ = talk.next()
        if header["done"]:
            ended[header["id"]] = header.get("stopped")
    assert ended == {number: True, busy: True}


def small_socket(page):
    """A connection to the server that holds little by itself."""
    host, port = page.url.removeprefix("http://").rstrip("/").split(":")
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    found.connect((host, int(port)))
    return found


def test_a_page_that_never_reads_is_left_and_nobody_notices(page, talk, warm, monkeypatch):
    """A socket whose owner takes nothing: when much waits for it nothing more is computed, and then it is closed."""
    monkeypatch.setattr(server, "SLOW_READER", 1.5)
    monkeypatch.setattr(server, "SLOWEST", 1e7)
    talk.ask("ping", {})  # so that the server knows this page
    before = {*page._scheduler.clients}
    deaf = small_socket(page)
    host, port = deaf.getpeername()
    deaf.sendall(
        f"GET /socket HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    wait_until(lambda: {*page._scheduler.clients} - before)
    (client,) = {*page._scheduler.clients} - before
    end, i, stood_still = time.monotonic() + 60, 0, False
    while client in page._scheduler.clients and time.monotonic() < end:
        asked = {"id": i, "channel": f"m{i % 8}", "job": "motion", "view": warm, "samples": limits.SAMPLES}
        deaf.sendall(text_frame(json.dumps(asked)))
        assert "error" not in talk.ask("motion", speed(i), samples=200)[0]
        stood_still = stood_still or client.is_full
        i += 1
    assert client not in page._scheduler.clients and stood_still
    assert median_of_motions(page, 10) < 0.25
    deaf.close()


def test_a_page_that_reads_slowly_gets_all_of_it(page, talk, warm, monkeypatch):
    """What is computed for it waits for it, and is the same as for a page that reads at once."""
    monkeypatch.setattr(limits, "WAITING_BYTES", 200_000)
    pauses, pause = [], Process.pause
    monkeypatch.setattr(Process, "pause", lambda process: pauses.append(pause(process)))
    asked = {**warm, "diagram": {**warm["diagram"], "points": limits.DIAGRAM_POINTS, "observed": 1200.0}}
    _, at_once = talk.whole("diagram", asked)
    # Else the system takes up to megabytes for a page that does not read them.
    page._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    with session(page, max_queue=1, sock=small_socket(page)) as slow:
        pauses.clear()  # the page that reads at once may have kept it waiting for a moment as well
        number = slow.send("diagram", asked)
        wait_until(lambda: pauses, 30)  # a process pauses where a page is full, and then alone
        time.sleep(0.5)
        frames = slow.frames(number)
    page._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)
    for name in ("value", "point"):
        assert (np.concatenate([arrays[name] for _, arrays in frames]) == at_once[name]).all()


def test_a_process_that_was_paused_when_its_job_ended_is_heard_again(page, talk, warm):
    """A pause comes from another thread than the end of a job, and may come after it."""
    asked = {**warm, "diagram": {**warm["diagram"], "points": 30}}
    talk.whole("diagram", asked)
    for process in page._scheduler._everyone():
        process.pause()
    header, _ = talk.whole("diagram", asked)
    assert header["done"] and "error" not in header


def text_frame(text):
    """A text in a frame of the websocket protocol, masked by zeros."""
    data = text.encode()
    head = bytes([0x81, 0x80 | 126]) + len(data).to_bytes(2, "big") + bytes(4)
    return head + data


def test_a_page_that_is_closed_ends_its_work(page, warm):
    talk = Session(page.url)
    talk.send("diagram", long_view(warm))
    talk.next()
    assert any(process.job is not None for process in page._scheduler._everyone())
    talk.close()
    wait_until(lambda: all(process.job is None for process in page._scheduler._everyone()), 3 * scheduler.GRACE + 2)


def test_a_process_that_dies_is_replaced(page, talk, warm):
    number = talk.send("diagram", long_view(warm))
    talk.next()
    process = process_of(page, number)
    os.kill(process.process.pid, signal.SIGKILL)
    header = talk.frames(number)[-1][0]
    assert header["error"] == scheduler.DIED
    assert "error" not in talk.ask("diagram", {**warm, "diagram": {**warm["diagram"], "points": 20}})[0]


def test_a_process_that_does_not_end_its_job_is_killed(page, talk, warm):
    """One that is stopped hears nothing: after the grace another one takes its place."""
    number = talk.send("diagram", long_view(warm))
    talk.next()
    process = process_of(page, number)
    os.kill(process.process.pid, signal.SIGSTOP)
    talk.socket.send(json.dumps({"cancel": "diagram"}))
    assert talk.frames(number, 10)[-1][0]["stopped"]
    assert not is_alive(process.process.pid)


def test_pages_take_turns(page):
    """Who asks for much in many channels does not come before who asks for little."""
    with session(page) as greedy, session(page) as modest:
        for i in range(25):
            greedy.send("motion", {**speed(i), "motion": {"t": 3e4}}, channel=f"c{i}", samples=200)
        begin = time.perf_counter()
        modest.ask("motion", speed(1), samples=200)
        waited = time.perf_counter() - begin
        done = 0
        while done < 25:
            done += greedy.next()[0]["done"]
        assert waited < 0.5 * (time.perf_counter() - begin)


class FakeProcess:
    """A worker that does nothing by itself."""

    started: list = []  # noqa: RUF012

    def __init__(self, heard, nice, trusted):
        self.heard, self.nice, self.job, self.ended = heard, nice, None, False
        self.messages, self.killed = [], False
        FakeProcess.started.append(self)

    def send(self, message):
        self.messages.append(message)

    def listen_on(self):
        pass

    def kill(self):
        self.ended = self.killed = True


@pytest.fixture
def made(monkeypatch):
    FakeProcess.started = []
    monkeypatch.setattr(scheduler, "Process", FakeProcess)
    return FakeProcess.started


def asked(number, channel):
    return {"id": number, "channel": channel, "job": "motion", "view": {}}


def test_the_rules_of_the_scheduler(made, monkeypatch):
    """Without processes and without time: what is sent to whom, and when."""
    clock = [0.0]
    monkeypatch.setattr(scheduler, "_now", lambda: clock[0])

    async def run():
        shared = Scheduler(workers=1)
        shared.start()
        quick, long = made
        assert (quick.nice, long.nice) == (0, scheduler.NICE)
        got = []
        client = Client(lambda data: got.append(unframed(data)[0]))
        shared.join(client)
        for number in range(1, 4):
            shared.submit(client, asked(number, "motion"), quick=True)
        assert [m.kind for m in quick.messages] == [WORK]  # the first is let finish, the second is forgotten
        shared._heard(quick, Message(quick.messages[0].number, DONE))
        assert json.loads(quick.messages[1].data)["id"] == 3
        clock[0] += scheduler.QUICK + 1  # it takes long: it is stopped, and begun anew among the long ones
        shared._took_long(quick.job)
        assert quick.messages[2] == Message(quick.messages[1].number, CANCEL)
        shared._heard(quick, Message(quick.messages[1].number, DONE))
        assert quick.job is None and json.loads(long.messages[0].data)["id"] == 3 and got == []
        shared.submit(client, asked(4, "motion"), quick=True)  # a slow model stays among the long ones
        assert len(quick.messages) == 3 and long.messages[1].kind == CANCEL
        shared._heard(long, Message(long.messages[0].number, DONE))
        assert json.loads(long.messages[2].data)["id"] == 4
        shared.leave(client)
        assert long.messages[3].kind == CANCEL
        shared.end()
        assert all(each.killed for each in made)

    asyncio.run(run())


def test_every_page_gets_a_process_for_long_work(made):
    async def run():
        shared = Scheduler(workers=1)
        for _ in range(scheduler.MOST_LONG + 2):
            client = Client(lambda data: None)
            shared.join(client)
            for channel in "abc":
                shared.submit(client, asked(1, channel), quick=False)
        assert len(shared.processes[False]) == scheduler.MOST_LONG
        assert len({process.job.client for process in made}) == scheduler.MOST_LONG

    asyncio.run(run())


def test_no_process_is_left(page):
    assert len(children(os.getpid())) <= 2 + scheduler.MOST_LONG
