"""Nothing from a page is executed, foreign pages are refused, and no message brings the server down."""

import http.client
import json
import random
import socket
import string
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from tests.explorer.scripts import ALLOWED, calls_in
from tests.explorer.session import Session, session
from websockets.exceptions import ConnectionClosed, InvalidStatus

import stickslip as ss
from stickslip.errors import StickslipError
from stickslip.explorer import limits
from stickslip.explorer.defaults import view_of
from stickslip.explorer.description import describe
from stickslip.explorer.messages import frame, unframed
from stickslip.explorer.scripts import script
from stickslip.explorer.server import Malformed, request_of
from stickslip.explorer.task import Task
from stickslip.explorer.view import Reader, Refused

BELT = {"model": {"library": "block_on_belt"}, "motion": {"t": 20.0}}
MODEL = """
[mass.block]
m = 1.0
[spring.spring]
between = ["block", "ground"]
k = 1.0
[force.push]
on = "block"
force = {{formula = {formula}}}
"""
HOSTILE = [
    "__import__('os').system('touch {path}')",
    "open('{path}', 'w')",
    "(lambda: open('{path}', 'w'))()",
    "().__class__.__base__.__subclasses__()",
    "exec('import os')",
    "t if open('{path}','w') else t",
    "[x for x in (1,)]",
    "t.__class__",
    "f'{{open}}'",
    "9**9**9**9",
]


@pytest.mark.parametrize("formula", HOSTILE)
def test_a_hostile_formula_is_refused_with_its_field(talk, tmp_path, formula):
    path = tmp_path / "executed"
    text = MODEL.format(formula=json.dumps(formula.format(path=path)))
    for job in ("describe", "motion", "script"):
        header, _ = talk.ask(job, {"model": {"text": text}, "motion": {"t": 1.0}})
        if job == "script" and "error" not in header:
            continue
        assert header["field"] == "model.text" and "push" in header["error"]
    assert not path.exists()


@pytest.mark.parametrize(
    "model",
    [
        {"library": "os.system"},
        {"library": "__class__"},
        {"library": ["block_on_belt"]},
        {"library": "chain", "arguments": {"n": 10**9}},
        {"library": "chain", "arguments": {"n": float("1e300")}},
        {"library": "chain", "arguments": {"n": [1, 2]}},
        {"library": "block_on_belt", "arguments": {"__class__": 1}},
        {"library": "block_and_pendulum", "arguments": {"law": "../../etc/passwd"}},
        {"text": 7},
        {"text": "x" * (limits.MODEL_BYTES + 1)},
        "block_on_belt",
    ],
)
def test_models_that_are_none_are_refused(model):
    with pytest.raises(Refused) as error:
        Reader().model({"model": model})
    assert error.value.field.startswith("model") and str(error.value)


def get(page, path="", **headers):
    host, port = page.url.removeprefix("http://").partition("/")[0].split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.putrequest("GET", f"/{path}", skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.content = answer.read()
    connection.close()
    return answer


FOREIGN = ["http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "null", "file://", "http://localhost"]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_origin_is_refused(page, origin):
    assert get(page, "opening", Origin=origin).status == 403
    with pytest.raises(InvalidStatus) as refused:
        Session(page.url, origin=origin)
    assert refused.value.response.status_code == 403
    with pytest.raises(HTTPError) as denied:
        urlopen(Request(page.url + "data", b"{}", {"Origin": origin}))
    assert denied.value.code == 403


def test_two_origins_are_as_good_as_a_foreign_one(page):
    host = page.url.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.putrequest("GET", "/opening")
    for origin in (page.url.rstrip("/"), "http://evil.example"):
        connection.putheader("Origin", origin)
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_the_own_page_is_answered(page):
    own = page.url.rstrip("/")
    assert get(page, "opening", Origin=own).status == 200
    Session(page.url, origin=own).close()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8421", "127.0.0.1", ""])
def test_a_foreign_host_is_refused(page, host):
    """A name that somebody else has made to point at this machine is not a name of this machine."""
    assert get(page, "opening", Host=host).status in (400, 403)
    with pytest.raises(InvalidStatus):
        Session(page.url, additional_headers={"Host": host} if host else {"Host": "x"})


def test_answers_have_headers_that_keep_others_out(page):
    for path in ("", "opening", "static/page.js", "nothing"):
        headers = get(page, path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ["static/../server.py", "static/%2e%2e/server.py", "static//etc/passwd", "..%2f"])
def test_no_other_file_is_served(page, path):
    assert get(page, path).status in (400, 404)


def test_bound_elsewhere_the_token_is_needed():
    with ss.explore(host="0.0.0.0", port=0, browser=False, wait=False, workers=1) as page:
        address, _, token = page.url.partition("?token=")
        assert len(token) >= 32
        page.url = address.replace("0.0.0.0", "127.0.0.1")
        assert get(page).status == 403 and get(page, "?token=wrong").status == 403
        with pytest.raises(InvalidStatus):
            Session(page.url)
        with pytest.raises(InvalidStatus):
            Session(page.url, additional_headers={"Cookie": "stickslip_token=wrong"})
        answer = get(page, f"?token={token}")
        assert answer.status == 303 and answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        kept = cookie.partition(";")[0]
        assert get(page, "opening", Cookie=kept).status == 200
        talk = Session(page.url, additional_headers={"Cookie": kept})
        assert talk.ask("ping", {})[0]["job"] == "ping"
        talk.close()
        with pytest.raises(InvalidStatus):
            Session(page.url, additional_headers={"Cookie": kept}, origin="http://evil.example")


# -- messages that are none ------------------------------------------------------------------------------------------


def noise(chance: random.Random) -> str | bytes:
    """A message as nobody should send it: broken, deep, large numbers, wrong kinds, or a request that is nearly one."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return "".join(chance.choices(string.printable, k=chance.randrange(200)))
    if kind == 2:
        depth = chance.randrange(1, 5000)
        return "[" * depth + "]" * chance.randrange(depth + 1)
    if kind == 3:
        return chance.choice(['{"id": NaN}', '{"id": 1e999}', '{"cancel": 7}', '{"cancel": null}', "null", "[]", "0"])
    whole = {"id": 1, "channel": "c", "job": "script", "view": BELT, "samples": 10}
    whole[chance.choice([*whole, "index", "seconds", "format"])] = thing(chance)
    if kind < 6:
        whole["view"] = {
            **BELT,
            chance.choice(["model", "parameters", "start", "motion", "diagram", "x"]): thing(chance),
        }
        whole["id"], whole["channel"] = 1, "c"
    text = json.dumps(whole)
    return text if kind < 7 else text[: chance.randrange(len(text))]


def thing(chance: random.Random, depth: int = 0):
    """Any value of JSON."""
    values = [
        None,
        True,
        -1,
        0,
        2**70,
        -1e308,
        1e-320,
        "",
        "x" * chance.randrange(300),
        "belt.speed",
        "\ud800",
        "motion",
    ]
    if depth < 3:
        values += [
            [thing(chance, depth + 1) for _ in range(chance.randrange(4))],
            {str(chance.choice(["belt.speed", "t", "low", "library", "text", "", 7])): thing(chance, depth + 1)},
        ]
    return chance.choice(values)


def test_ten_thousand_messages_that_are_none():
    """Each is a request, or a sentence that says why it is none."""
    chance, refused = random.Random(1), 0
    for _ in range(10_000):
        message = noise(chance)
        try:
            asked = request_of(message)
        except Malformed as error:
            refused += bool(str(error))
            continue
        assert isinstance(asked, dict) and (set(asked) == {"cancel"} or isinstance(asked["channel"], str))
    assert 3000 < refused < 10_000


def test_views_that_are_none_are_refused_in_words():
    """Whatever stands in a view, it is read, or a sentence says why not: no other error comes out of a job."""
    chance, reader, refused = random.Random(2), Reader(), 0
    whole = view_of(reader.base(BELT), BELT)
    for _ in range(2000):
        view = json.loads(json.dumps(whole))
        part = chance.choice([*view])
        inner = view[part] if isinstance(view[part], dict) and view[part] and chance.random() < 0.7 else view
        inner[chance.choice([*inner]) if inner is not view else part] = thing(chance)
        view["show"] = chance.choice(["diagram", "map", "section", "basins"])
        view["branches"] = chance.choice([[], [thing(chance)], [{"parameter": "belt.speed", "low": 0.1, "high": 0.3}]])
        try:
            task = Task({"view": view, "samples": 50}, reader, lambda fields, arrays: None)
            assert calls_in(script(task)[0]["script"]) <= ALLOWED
        except StickslipError as error:
            assert str(error)
            refused += 1
    assert 500 < refused < 2000


@pytest.mark.parametrize("motion", [{"t": "x"}, {"t": [1]}, {"t": None}, {"t": 0}, {"t": -1.0}, {"t": True}, [], "x"])
def test_a_model_is_not_described_for_a_time_that_is_none(motion):
    task = Task({"view": {**BELT, "motion": motion}}, Reader(), lambda fields, arrays: None)
    with pytest.raises(Refused) as error:
        describe(task)
    assert error.value.field.startswith("motion")


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_messages_that_are_none_bring_nobody_down(page, count):
    """They are answered by sentences, and another page notices nothing."""
    chance = random.Random(count)
    with session(page) as other:
        talk = Session(page.url)
        for i in range(count):
            message = noise(chance)
            try:
                talk.socket.send(message.encode("utf-8", "replace").decode() if isinstance(message, str) else message)
                while True:
                    header, _ = talk.next(0.001)
                    assert header.get("error", "x") and "Traceback" not in str(header.get("error"))
            except TimeoutError:
                pass
            except ConnectionClosed:  # what is no websocket message at all
                talk.close()
                talk = Session(page.url)
            if i % 50 == 0:
                assert "error" not in other.ask("motion", BELT, samples=50)[0]
        talk.close()
        assert "error" not in other.ask("motion", BELT, samples=50)[0]


def test_a_huge_message_closes_its_own_page_alone(page):
    with session(page) as other:
        talk = Session(page.url)
        with pytest.raises(ConnectionClosed):
            talk.socket.send("x" * (4 * limits.MESSAGE_BYTES))
            talk.next(10)
        assert "error" not in other.ask("motion", BELT, samples=50)[0]
    with pytest.raises(HTTPError) as error:
        urlopen(Request(page.url + "data", b"x" * (4 * limits.MESSAGE_BYTES)), timeout=20)
    assert error.value.code == 413


def test_broken_frames_and_half_requests_end_their_own_connection(page, talk):
    host, port = page.url.removeprefix("http://").rstrip("/").split(":")
    chance = random.Random(3)
    upgrade = (
        f"GET /socket HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    for _ in range(60):
        with socket.create_connection((host, int(port)), timeout=5) as opened:
            if chance.random() < 0.6:
                opened.sendall(upgrade.encode())
            opened.sendall(chance.randbytes(chance.randrange(1, 400)))
    assert "error" not in talk.ask("motion", BELT, samples=50)[0]


def test_a_page_has_a_limited_number_of_jobs(talk):
    for i in range(3 * limits.CHANNELS):
        talk.send("diagram", BELT, channel=f"c{i}")
    errors = []
    while not errors:
        header, _ = talk.next()
        errors += [header["error"]] if "error" in header else []
    assert "at most" in errors[0]


def test_frames_hold_what_was_put_into_them():
    chance = np.random.default_rng(5)
    for _ in range(200):
        arrays = {
            f"a{i}": chance.integers(-100, 100, tuple(chance.integers(0, 5, chance.integers(1, 3)))).astype(kind)
            for i, kind in enumerate(chance.choice(["f8", "f4", "i4", "i1"], chance.integers(0, 5)))
        }
        data = frame({"id": 3, "text": "ü" * int(chance.integers(9))}, arrays)
        header, found = unframed(data)
        assert header["id"] == 3 and list(found) == list(arrays)
        assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
        assert all(each["offset"] % 8 == 0 for each in header["arrays"])
        assert (4 + int.from_bytes(data[:4], "little")) % 8 == 0
