"""Every job gives the numbers of the verbs, and the line that it shows is the call that gives them."""

import io
import json
import wave
from urllib.request import Request, urlopen

import numpy as np
import pytest

import stickslip as ss
from stickslip.explorer.view import Reader
from stickslip.model.library import LIBRARY
from stickslip.plot.sweeps import kinds_of

BELT = {"model": {"library": "block_on_belt"}}
DRILL = {"model": {"library": "drill_string"}}
FORCED = {"model": {"library": "forced_oscillator", "arguments": {"characteristic": "III"}}}


def complete(talk, view):
    """The view that the server suggests."""
    return talk.ask("describe", view)[0]["view"]


def shown(python, system):
    """What the lines of a reply give."""
    names = {"ss": ss, "np": np, "system": system}
    exec(python, names)  # as a user would who copies them
    return names


FEW = ("block_on_belt", "drill_string", "forced_oscillator", "lugre_block", "two_blocks")
"""Models that other tests compile as well."""


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.nightly) for name in sorted(LIBRARY)]
)
def test_every_model_of_the_library_is_described_and_moves(talk, name):
    system = LIBRARY[name]()
    header, _ = talk.ask("describe", {"model": {"library": name}})
    assert [each["name"] for each in header["parameters"]] == list(system.parameters)
    for each in header["parameters"]:
        assert each["low"] <= each["value"] <= each["high"] and each["low"] < each["high"]
        system.with_({each["name"]: each["low"]}), system.with_({each["name"]: each["high"]})  # neither is refused
    assert [each["name"] for each in header["states"]] == list(system.states)
    moved, arrays = talk.ask("motion", header["view"], samples=300)
    assert "error" not in moved and len(arrays["time"]) > 2
    for contact in system.contacts:
        sticks = arrays[f"mode.{contact}"] == 0
        limit = arrays[f"limit.{contact}"]
        assert np.all(np.abs(arrays[f"force.{contact}"][sticks]) <= limit[sticks] * (1 + 1e-9)) and np.all(limit > 0)
    assert {place["body"] for place in header["machine"]["places"]} <= {
        name.removeprefix("moved.") for name in arrays if name.startswith("moved.")
    }


def test_a_motion_is_that_of_simulate(talk):
    view = {**complete(talk, BELT), "parameters": {"belt.speed": 0.25}, "start": {"x.block": 0.7}}
    header, arrays = talk.ask("motion", view, samples=500)
    system = ss.models.block_on_belt().with_({"belt.speed": 0.25}, start={"x.block": 0.7})
    run = shown(header["python"], system)["run"]
    for name, values in (("time", run.time), ("x.block", run["x.block"]), ("v.block", run["v.block"])):
        assert np.array_equal(arrays[name], values.values)
    assert np.array_equal(arrays["force.contact"], run["force"].values[:, 0])
    assert np.array_equal(arrays["mode.contact"], run["mode"].values[:, 0])
    assert [event["time"] for event in header["events"]] == run["event_time"].values.tolist()
    # The law is the one of the textbook: at rest mu_s N, and falling as 1/(1 + delta v).
    speed, force = arrays["law.contact"]
    assert np.allclose(np.abs(force), 1 / (1 + 3 * np.abs(speed)), rtol=1e-12)
    assert np.all(force[speed > 0] < 0) and np.all(arrays["limit.contact"] == 1.0)
    # In slip the force lies on the law.
    slipping = arrays["mode.contact"] != 0
    on_law = -np.sign(arrays["v.contact"]) / (1 + 3 * np.abs(arrays["v.contact"]))
    assert np.allclose(arrays["force.contact"][slipping], on_law[slipping], atol=1e-9)


def test_what_bodies_do_in_the_drawing_is_what_the_animation_does(talk):
    view = complete(talk, FORCED)
    _, arrays = talk.ask("motion", view, samples=200)
    run = ss.simulate(ss.models.forced_oscillator("III"), t=view["motion"]["t"])
    film = ss.plot.animate(run, window=(0, view["motion"]["t"]), seconds=10).film
    assert film.times.tolist() == arrays["time"].tolist()
    for body, values in film.moved.items():
        assert np.allclose(arrays[f"moved.{body}"], values, atol=1e-9), body


@pytest.mark.parametrize("direction", ["none", "both"])
def test_a_diagram_is_that_of_sweep(talk, direction):
    view = complete(talk, BELT)
    view["diagram"] |= {"points": 300 if direction == "none" else 30, "direction": direction, "on": "maximum"}
    header, arrays = talk.whole("diagram", view)
    found = shown(header["python"], ss.models.block_on_belt())
    for sign, name in ((0, "data"),) if direction == "none" else ((1, "up"), (-1, "down")):
        data, of = found[name], arrays["up"] == sign
        points = data["x.block"].values
        known = ~np.isnan(points)
        expected = np.repeat(data["belt.speed"].values[:, None], points.shape[1], 1)[known]
        order = np.argsort(arrays["value"][of], kind="stable")
        assert np.array_equal(arrays["value"][of][order], expected)
        if direction == "none":
            assert np.array_equal(arrays["point"][of][order], points[known])
        else:
            assert np.array_equal(np.sort(arrays["point"][of]), np.sort(points[known]))
        assert len(expected) > 100


def test_a_diagram_is_coarse_first(talk):
    view = complete(talk, BELT)
    number = talk.send("diagram", view)
    frames = talk.frames(number)
    first = np.unique(frames[0][1]["value"])
    asked = view["diagram"]
    assert 2 <= len(first) < asked["points"] / 4 and len(frames) >= 2
    assert (first[0], first[-1]) == (asked["low"], asked["high"])
    assert np.max(np.diff(first)) < 0.6 * (asked["high"] - asked["low"])
    assert [frame[0]["progress"] for frame in frames] == sorted(frame[0]["progress"] for frame in frames)


def test_a_point_of_an_excited_diagram_is_a_state_of_its_motion(talk):
    """From the states and the phase of a point its motion goes on as it did: it returns after a period."""
    view = complete(talk, FORCED)
    view["diagram"] |= {"points": 5, "low": 0.85, "high": 0.95, "on": "release"}
    _, arrays = talk.whole("diagram", view)
    i = int(np.argmin(np.abs(arrays["value"] - 0.9)))
    view["parameters"] = {"base.eta": float(arrays["value"][i])}
    view["start"] = dict(zip(("x.block", "v.block"), arrays["states"][i].tolist(), strict=True))
    period = 2 * np.pi / view["parameters"]["base.eta"]
    view["motion"] = {"t": 6 * period, "start_time": float(arrays["phase"][i])}
    _, run = talk.ask("motion", view, samples=13)
    assert run["time"][0] == arrays["phase"][i] and run["x.block"][0] == arrays["states"][i][0]
    again = run["x.block"][::2] - run["x.block"][0]
    assert np.min(np.abs(again[1:])) < 1e-5  # it is periodic, within what was transient


def test_orbit_and_equilibria_are_those_of_the_verbs(talk):
    header, arrays = talk.ask("orbit", complete(talk, DRILL))
    orbit = ss.find_orbit(ss.models.drill_string())
    assert header["period"] == orbit.period and header["stable"] == orbit.stable
    assert header["multipliers"] == [[m.real, m.imag] for m in orbit.multipliers]
    assert np.array_equal(arrays["x.twist"], ss.interpolate(orbit.data, arrays["time"])["x.twist"].values)
    assert len(arrays["time"]) == 2000 and np.ptp(arrays["time"]) == pytest.approx(orbit.period, rel=1e-12)
    found = talk.ask("equilibria", complete(talk, BELT))[0]["equilibria"]
    assert [(each["states"]["x.block"], each["stable"], each["kind"]) for each in found] == [(0.625, False, "slip")]


def test_a_branch_grows_to_that_of_follow(talk):
    view = complete(talk, DRILL)
    view["branches"] = [{"of": "orbit", "parameter": "table.speed", "low": 3.0, "high": 5.0, "from": None}]
    frames = talk.frames(talk.send("branch", view, index=0))
    lengths = [len(arrays["value"]) for _, arrays in frames]
    assert lengths == sorted(lengths) and len(lengths) > 2 and all(header["replace"] for header, _ in frames)
    header, arrays = frames[-1]
    branch = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=(3.0, 5.0), most=400)
    assert np.array_equal(arrays["value"], branch.values) and np.array_equal(arrays["period"], branch.periods)
    assert np.array_equal(arrays["high"], branch.extremes[:, 1, 0])
    assert [(each["kind"], each["value"]) for each in header["specials"]] == [(p.kind, p.value) for p in branch.special]
    assert header["reason"] == branch.reason
    actions = [[each["action"] for each in special["actions"]] for special in header["specials"]]
    assert actions == [["second"]]  # a grazing
    # From its special point on, in two parameters.
    view["branches"].append(
        {
            "of": "orbit", "parameter": "table.speed", "low": 4.5, "high": 4.7,
            "from": {"branch": 0, "special": 0, "action": "second", "second": "damper.c"},
        }
    )  # fmt: skip
    _, curve = talk.ask("branch", view, index=1)
    (special,) = branch.special
    whole = [ss.follow(special, ("table.speed", "damper.c"), to=to, most=400) for to in (4.5, 4.7)]
    assert np.array_equal(curve["value"], np.r_[whole[0].values[:0:-1], whole[1].values])
    assert np.array_equal(curve["second"], np.r_[whole[0].along("damper.c")[:0:-1], whole[1].along("damper.c")])


def test_a_map_is_that_of_sweep(talk):
    view = complete(talk, FORCED)
    view["map"]["x"]["points"], view["map"]["y"]["points"] = 20, 15
    frames = talk.frames(talk.send("map", view))
    header, arrays = frames[-1]
    data = shown(header["python"], ss.models.forced_oscillator("III"))["data"]
    words = {each["key"]: each["label"] for each in header["legend"]}
    found = np.vectorize(words.get)(arrays["colour"])
    assert np.array_equal(found, kinds_of(data)) and len(words) > 3
    some = frames[0][1]["colour"]
    assert np.any(some == -1) and np.all(arrays["colour"][some >= 0] == some[some >= 0])


def test_a_section_and_its_map_are_those_of_the_verbs(talk):
    view = complete(talk, FORCED)
    header, arrays = talk.ask("section", view)
    found = shown(header["python"], ss.models.forced_oscillator("III"))
    points = found["points"]["x.block"].values.ravel()
    assert np.array_equal(arrays["x"], points[~np.isnan(points)])
    releases = found["releases"]
    assert np.array_equal(arrays["now"], releases.points[:-1])
    assert np.array_equal(arrays["next"], releases.points[1:])
    assert np.allclose(arrays["cobweb"][1:], releases(arrays["cobweb"][:-1]), atol=1e-8)


def test_basins_are_those_of_the_verb(talk):
    view = complete(talk, {"model": {"library": "coulomb_oscillator"}})
    for side in "xy":
        view["basins"][side]["points"] = 9
    view["basins"]["t"] = 60.0
    header, arrays = talk.ask("basins", view)
    data = shown(header["python"], ss.models.coulomb_oscillator())["data"]
    expected = data["attractor"].values.T
    assert np.array_equal(arrays["label"], np.where(expected < 0, -2, expected)) and np.any(expected == 0)
    assert [each["label"] for each in header["attractors"]] == ["rest in stick"]


def test_sound_has_the_length_and_the_pitch_that_were_asked_for(talk):
    header, arrays = talk.ask("sound", complete(talk, BELT), seconds=0.5)
    assert len(arrays["sound"]) / header["rate"] == pytest.approx(0.5, abs=0.01)
    spectrum = np.abs(np.fft.rfft(arrays["sound"]))
    assert np.argmax(spectrum) * header["rate"] / len(arrays["sound"]) == pytest.approx(220, abs=3)
    assert 0.5 < np.max(np.abs(arrays["sound"])) <= 1


def test_a_sound_is_of_the_motion_that_is_shown(talk, tmp_path, monkeypatch):
    """A click on a diagram of an excited system begins its motion within a period, and so does its sound."""
    view = complete(talk, FORCED) | {"motion": {"t": 60.0, "start_time": 2.5}}
    header, arrays = talk.ask("sound", view, seconds=0.2, quantity="v.block")
    monkeypatch.chdir(tmp_path)
    shown(header["python"], ss.models.forced_oscillator(characteristic="III"))
    with wave.open("sound.wav", "rb") as file:
        written = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767
    assert "start_time=2.5" in header["python"]
    assert np.array_equal(arrays["sound"], written.astype(np.float32))


def test_a_range_of_rest_without_end_is_told(talk):
    """JSON has no word for infinity: an answer that has one ends neither the job nor its process."""
    text = """
[mass.block]
m = 1.0

[contact.pad]
on = "block"
against = "ground"
law = {kind = "coulomb", mu_s = 0.4, mu_k = 0.3}
"""
    header, _ = talk.ask("equilibria", complete(talk, {"model": {"text": text}}))
    (rest,) = header["equilibria"]
    assert rest["interval"] == {"x.block": [None, None], "v.block": [0.0, 0.0]}
    assert rest["stability"] == "stable" and rest["kind"] == "stick"


def post(page, body, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return urlopen(Request(page.url + "data", data, {"Content-Type": "application/json", **headers}), timeout=60)


def test_downloads_are_the_files_of_the_library(page, talk, tmp_path):
    view = complete(talk, BELT)
    view["diagram"]["points"] = 20
    with post(page, {"view": view, "what": "motion", "format": "nc"}) as answer:
        (tmp_path / "run.nc").write_bytes(answer.read())
    run = ss.load(tmp_path / "run.nc")
    assert np.array_equal(run["x.block"].values, ss.simulate(ss.models.block_on_belt(), 100.0, samples=2000)["x.block"])
    with post(page, {"view": view, "what": "diagram", "format": "csv"}) as answer:
        assert "attachment" in answer.headers["content-disposition"]
        lines = io.StringIO(answer.read().decode()).readlines()
    assert lines[0].startswith("record,belt.speed,") and len(lines) > 100
    with post(page, {"view": view, "what": "motion", "format": "svg", "picture": "history"}) as answer:
        assert answer.read().lstrip().startswith(b"<?xml")


def test_an_error_of_a_model_names_the_field(talk):
    view = complete(talk, BELT)
    header, _ = talk.ask("motion", {**view, "parameters": {"belt.speed": 0.3, "block.m": -1}})
    assert header["error"] == "Mass 'block': m is -1: it must be a positive number" and header["field"] == "block.m"
    header, _ = talk.ask("motion", {**view, "start": {"x.blok": 1.0}})
    assert "x.block" in header["error"] and header["field"] == "x.blok"
    header, _ = talk.ask("diagram", {**view, "diagram": {**view["diagram"], "points": 10**9}})
    assert header["field"] == "diagram.points"
    header, _ = talk.ask("diagram", {**view, "diagram": {**view["diagram"], "low": 2.0, "high": 1.0}})
    assert header["field"] == "diagram.high"


def test_a_model_as_a_text_is_the_model(talk, tmp_path):
    text = ss.save(ss.models.drill_string(), tmp_path / "drill.toml").read_text()
    header, arrays = talk.ask("motion", complete(talk, {"model": {"text": text}}), samples=100)
    system = Reader().model({"model": {"text": text}})
    assert np.array_equal(arrays["x.twist"], shown(header["python"], system)["run"]["x.twist"].values)
