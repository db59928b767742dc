"""Machines drawn from their parts: every part is there, none in another's place, and they move as the run does."""

import json
import os
import stat
from itertools import combinations, pairwise
from math import cos

import matplotlib
import numpy as np
import pytest
import xarray
from matplotlib import pyplot
from PIL import Image
from tests.campaign.draw import draw_case, draw_structure, fed_structure

import stickslip as ss
from stickslip.errors import ModelError, PictureError
from stickslip.model.library import LIBRARY
from stickslip.plot import style
from stickslip.plot.animation import Film
from stickslip.plot.machine import HEIGHT, Machine, layout
from stickslip.plot.scene import extent_of

matplotlib.use("agg")
SYSTEMS = [name for name, make in LIBRARY.items() if isinstance(make(), ss.System)]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def random_system(seed: int) -> ss.System:
    rng = np.random.default_rng(seed)
    structure = fed_structure(rng) if seed % 5 == 0 else draw_structure(rng)
    return draw_case(structure, rng).system()


def of_rotors(count: int) -> ss.System:
    rotors = [ss.Mass(f"rotor{i}", m=1.0, unit="rad") for i in range(count)]
    table, law = ss.Belt("table", speed=1.0), ss.Coulomb(0.3)
    return ss.System(
        *(ss.Spring(a, b, k=1.0) for a, b in pairwise(rotors)),
        ss.Damper(rotors[0], ss.ground, c=0.1),
        ss.Contact(rotors[-1], table, law=law),
    )


def stacked() -> ss.System:
    """A rider, tied to the slab it stands on, which slides on the ground and below a belt; and a cart at a shaker."""
    slab, rider, cart = ss.Mass("slab", m=2.0), ss.Mass("rider", m=1.0), ss.Mass("cart", m=1.0)
    shaker = ss.Base("shaker", motion=lambda t, u=0.3, w=2.0: u * cos(w * t))
    return ss.System(
        ss.Spring(slab, ss.ground, k=1.0),
        ss.Spring(slab, rider, k=1.0, name="tie"),
        ss.Damper(slab, rider, c=0.1, name="dash"),
        ss.Contact(rider, slab, law=ss.Coulomb(0.3), name="upper"),
        ss.Contact(slab, ss.ground, law=ss.Coulomb(0.3), name="lower"),
        ss.Contact(slab, ss.Belt("lid", speed=0.5), law=ss.Coulomb(0.2), name="cover"),
        ss.Spring(slab, cart, k=1.0),
        ss.Spring(cart, shaker, k=1.0),
    )


def boxes(machine: Machine) -> dict[str, tuple[float, float, float, float]]:
    """Left, right, bottom and top of all bodies that are no surfaces."""
    found = {}
    for p in machine.places:
        low, high = (p.y - p.height - 0.3, p.y) if p.shape == "bob" else (p.y - p.height / 2, p.y + p.height / 2)
        found[p.name] = p.x - p.width / 2, p.x + p.width / 2, low, high
    return found


def check(system: ss.System, machine: Machine) -> None:
    """All parts are drawn once, where they belong, and no body stands in another."""
    standing = boxes(machine)
    masses = {mass.name for mass in system.masses}
    assert masses == {p.name for p in machine.places if p.shape in ("block", "disk", "bob")}
    assert {touch.contact for touch in machine.touches} == set(system.rubbing)
    bobs = {p.name for p in machine.places if p.shape == "bob"}
    for name, part in system.interactions.items():
        bodies = {body.name for body in part.bodies()}
        if isinstance(part, ss.Spring | ss.Damper) and not (bodies & bobs and "ground" in bodies):
            links = [each for each in machine.links if each.name == name]
            ends = {machine.place(end.place).body for link in links for end in (link.start, link.end)}
            assert ends == bodies and len(links) == len(bodies) - 1
        elif isinstance(part, ss.Force):
            assert [push.place for push in machine.pushes if push.name == name] == [part.on.name]
    for name, part in system.rubbing.items():
        touched = {touch.place for touch in machine.touches if touch.contact == name}
        assert touched == {mass.name for mass, _ in part.weights}
        shown = {surface.body for surface in machine.surfaces} | masses
        assert part.against.name in shown
    for (first, a), (second, b) in combinations(standing.items(), 2):
        apart = a[1] <= b[0] + 1e-9 or b[1] <= a[0] + 1e-9 or a[3] <= b[2] + 1e-9 or b[3] <= a[2] + 1e-9
        assert apart, (first, second)
    left, right, low, high = extent_of(machine)
    assert all(left < a and b < right and low < c + 0.01 and d < high for a, b, c, d in standing.values())


@pytest.mark.parametrize("seed", range(150))
def test_random_systems_are_laid_out(seed):
    system = random_system(seed)
    check(system, layout(system))


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_models_of_the_library_are_laid_out(name):
    system = getattr(ss.models, name)()
    check(system, layout(system))
    assert ss.plot.machine(system).get_title("left").replace("\n", " ") == system.about.title


@pytest.mark.parametrize("system", [of_rotors(3), stacked(), ss.models.chain(40)], ids=["rotors", "stacked", "long"])
def test_others_are_laid_out(system):
    check(system, layout(system))


def test_the_same_parts_in_another_order_of_names_stand_in_the_order_of_their_springs():
    blocks = {name: ss.Mass(name, m=1.0) for name in ("c", "a", "d", "b")}
    row = [blocks[name] for name in "dbac"]
    system = ss.System(*blocks.values(), ss.Spring(row[0], ss.ground, k=1.0),
                       *(ss.Spring(x, y, k=1.0) for x, y in pairwise(row)))  # fmt: skip
    places = sorted((p for p in layout(system).places if p.shape == "block"), key=lambda p: p.x)
    assert [p.name for p in places] == ["d", "b", "a", "c"]


def test_a_spring_that_pulls_one_mass_against_another_is_not_tied_to_the_ground():
    """A belt over a pulley lies between the two; a lever that turns about the ground is held by it."""
    slide, pulley = ss.Mass("slide", m=1.0), ss.Rotor("pulley", inertia=1.0)
    for weight, ends in ((-1.0, {("slide", "pulley")}), (1.0, {("slide", "pulley"), ("slide", "ground.left")})):
        machine = layout(ss.System(ss.Spring({slide: weight, pulley: 0.2}, ss.ground, k=1.0, name="band")))
        found = {frozenset((link.start.place, link.end.place)) for link in machine.links if link.name == "band"}
        assert found == {frozenset(pair) for pair in ends}


def test_what_stands_on_what():
    machine = layout(stacked())
    slab, rider = machine.place("slab"), machine.place("rider")
    assert rider.y - slab.y == pytest.approx(HEIGHT) and slab.x - slab.width / 2 <= rider.x - rider.width / 2
    lower, cover = (next(t for t in machine.touches if t.contact == name) for name in ("lower", "cover"))
    assert lower.right <= cover.left and lower.y == cover.y < 0
    tie = next(link for link in machine.links if link.name == "tie")
    assert tie.end.post and tie.end.place == "slab"
    assert [p.name for p in machine.places if p.wheels] == ["cart"]


def test_what_carries_but_rubs_on_nothing_below_has_wheels():
    slab, rider = ss.Mass("slab", m=2.0), ss.Mass("rider", m=1.0)
    machine = layout(ss.System(ss.Spring(slab, ss.ground, k=1.0), ss.Contact(rider, slab, law=ss.Coulomb(0.3))))
    assert [p.name for p in machine.places if p.wheels] == ["slab"]


def test_a_layout_is_plain_data():
    data = layout(ss.models.two_blocks()).to_dict()
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data)) and data["places"][0]["shape"] == "block"


def test_equations_have_no_parts():
    relay = ss.Filippov(("x", "y"), f=lambda x, y: (y, -x), G=lambda: (0.0, 1.0), h=lambda y: y)
    for draw in (lambda: ss.plot.machine(relay), lambda: ss.plot.animate(ss.simulate(relay, t=5), model=relay)):
        with pytest.raises(ModelError, match=r"no parts that could be drawn.*given by its equations has none"):
            draw()
    with pytest.raises(ModelError, match="no parts that could be drawn"):
        ss.plot.machine("block_on_belt")
    assert pyplot.get_fignums() == []


# -- in motion -----------------------------------------------------------------------------------------


def invented(system: ss.System, seed: int) -> xarray.Dataset:
    """A run of sums of waves: what a machine may be asked to show has no bounds."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0.0, 10.0, 200)
    drift = rng.choice([0.0, 0.0, 3.0])
    count, contacts = len(time), len(system.contacts)
    waves = {}
    for state in system.states:
        size, shift = 10 ** rng.uniform(-3, 3), rng.normal() * 100
        waves[state] = ("time", shift + size * np.sin(rng.uniform(0.5, 4.0) * time + rng.uniform(0, 6)) + drift * time)
    return xarray.Dataset(
        waves
        | {
            "mode": (("time", "contact"), rng.integers(-1, 2, (count, contacts))),
            "force": (("time", "contact"), np.zeros((count, contacts))),
            "slip_velocity": (("time", "contact"), np.zeros((count, contacts))),
            "event_time": ("event", np.zeros(0)),
            "event_contact": ("event", np.zeros(0, "<U1")),
            "event_before": ("event", np.zeros(0, int)),
            "event_after": ("event", np.zeros(0, int)),
            "event_state": (("event", "state"), np.zeros((0, len(system.states)))),
        },
        {"time": time, "contact": list(system.contacts), "state": list(system.states)},
    )


@pytest.mark.parametrize("seed", range(80))
def test_whatever_moves_stays_in_the_picture_and_out_of_others(seed):
    system = random_system(seed)
    film = ss.plot.animate(invented(system, seed), model=system, seconds=2.0).film
    machine = film.machine
    left, right, *_ = extent_of(machine)
    bodies = {name: box for name, box in boxes(machine).items() if machine.place(name).shape == "block"}
    for name, box in bodies.items():
        shift = film.moved[name]
        assert left <= (box[0] + shift).min() and (box[1] + shift).max() <= right
    for (first, a), (second, b) in combinations(bodies.items(), 2):
        if a[2] < b[3] - 1e-9 and b[2] < a[3] - 1e-9:  # side by side
            (one, p), (two, q) = sorted(((first, a), (second, b)), key=lambda each: each[1][0])
            assert ((p[1] + film.moved[one]) < (q[0] + film.moved[two])).all(), (one, two)


def test_bodies_move_as_the_run_does():
    """Displacements in the film are those of the run but for one scale and the middle of each."""
    system = ss.models.two_blocks()
    run = ss.simulate(system, t=60)
    film = ss.plot.animate(run, window=(20.0, 50.0), seconds=3.0).film
    exact = ss.interpolate(run, film.times)
    scales = []
    for name in ("block1", "block2"):
        x = exact[f"x.{name}"].values
        scales.append(np.ptp(film.moved[name]) / np.ptp(x))
        np.testing.assert_allclose(np.diff(film.moved[name]), scales[-1] * np.diff(x), atol=1e-12)
    assert scales[0] == pytest.approx(scales[1], rel=1e-12)
    np.testing.assert_allclose(
        np.diff(film.moved["belt"]), scales[0] * system.parameters["belt.speed"] * np.diff(film.times), rtol=1e-9
    )
    np.testing.assert_array_equal(film.modes, exact["mode"].values)


def test_rotors_turn_by_their_angle_and_tables_by_their_own():
    run = ss.simulate(ss.models.drill_string(), t=40)
    film = ss.plot.animate(run, window=(10.0, 40.0), seconds=2.0).film
    exact = ss.interpolate(run, film.times)
    np.testing.assert_allclose(film.moved["twist"], exact["x.twist"].values, atol=1e-12)
    np.testing.assert_allclose(film.moved["table"], 4.0 * (film.times - 10.0), rtol=1e-12)
    np.testing.assert_array_equal(film.pushes["torque"], -1.0)


def test_belts_with_a_speed_in_time_go_as_far_as_its_integral():
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=lambda t, a=0.5, w=2.0: a * cos(w * t))
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=ss.Coulomb(0.2)))
    film = Film.of(ss.simulate(system, t=20), system, layout(system), np.linspace(0.0, 20.0, 90))
    scale = np.ptp(film.moved["block"]) / np.ptp(film.states["x.block"])
    np.testing.assert_allclose(film.moved["belt"], scale * 0.25 * np.sin(2.0 * film.times), atol=1e-4 * scale)


def test_the_picture_goes_with_a_machine_that_is_fed():
    """A slide pushed over its guideway: it stays within its reach, and the ground passes at the speed of the feed."""
    slide, drive = ss.Mass("slide", m=1.0), ss.Base("drive", motion=lambda t, feed=0.5: feed * t)
    system = ss.System(ss.Spring(slide, drive, k=100.0), ss.Contact(slide, ss.ground, law=ss.Coulomb(0.5, 0.3)))
    film = ss.plot.animate(ss.simulate(system, t=20), window=(5.0, 20.0)).film
    assert np.abs(film.moved["slide"]).max() <= 1e-9 < np.abs(film.moved["drive"]).max() <= 0.75
    apart = film.states["x.slide"] - 0.5 * film.times
    scale = np.ptp(film.moved["drive"]) / np.ptp(apart)
    np.testing.assert_allclose(np.diff(film.moved["ground"]), -scale * np.diff(film.states["x.slide"]), atol=1e-9)


def test_contacts_have_the_colour_of_their_mode():
    run = ss.simulate(ss.models.two_blocks(), t=60)
    shown = ss.plot.animate(run, seconds=2.0)
    for i in (0, 13, 39):
        (axes,) = shown.frame(i).axes
        touching = [line.get_color() for line in axes.lines if line.get_gid() == "touch"]
        assert touching == [style.STICK if mode == 0 else style.SLIP for mode in shown.film.modes[i]]


def test_contacts_without_modes_creep():
    shown = ss.plot.animate(ss.simulate(ss.models.lugre_block(), t=20), seconds=1.0)
    (axes,) = shown.frame(3).axes
    assert [line.get_color() for line in axes.lines if line.get_gid() == "touch"] == [style.QUIET]


def test_a_run_without_dense_output():
    run = ss.simulate(ss.models.block_on_belt(), t=30, dense=False)
    film = ss.plot.animate(run, seconds=2.0).film
    assert np.ptp(film.moved["block"]) > 1.0 and set(np.unique(film.modes)) == {-1, 0}


def test_the_phase_plane_beside_it():
    shown = ss.plot.animate(ss.simulate(ss.models.two_blocks(), t=60), seconds=1.0, phase=("x.block2", "v.block2"))
    _, plane = shown.frame(7).axes
    assert plane.get_xlabel() == r"position $x_\mathrm{block2}$"
    dot = plane.lines[-1]
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == tuple(shown.film.states[s][7] for s in ("x.block2", "v.block2"))


# -- files ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run():
    return ss.simulate(ss.models.block_on_belt(), t=40)


@pytest.mark.parametrize("phase", [False, True])
def test_a_gif_has_all_frames_and_they_differ(run, tmp_path, phase):
    before = dict(matplotlib.rcParams)
    path = tmp_path / "belt.gif"
    ss.plot.animate(run, path, seconds=0.6, frames_per_second=20, phase=phase)
    with Image.open(path) as image:
        assert image.n_frames == 12 and image.info["duration"] == 50 and image.info["loop"] == 0
        frames = []
        for i in range(image.n_frames):
            image.seek(i)
            frames.append(np.asarray(image.convert("RGB"), int))
    assert all(np.abs(a - b).max() > 60 for a, b in pairwise(frames))
    assert all((frame[:3, :3] == 255).all() for frame in frames)
    assert [file.name for file in tmp_path.iterdir()] == ["belt.gif"]
    assert dict(matplotlib.rcParams) == before and pyplot.get_fignums() == []


def test_frames_of_a_file_are_those_drawn_whole(run):
    """What is drawn on a background that is kept is what a figure would show."""
    shown = ss.plot.animate(run, seconds=0.3, phase=True)
    for i, image in enumerate(shown._frames()):
        figure = shown.frame(i)
        figure.canvas.draw()
        whole = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
        different = np.abs(whole - np.asarray(image, int)).max(axis=-1) > 40
        assert different.mean() < 2e-3


def test_notebooks_show_it(run):
    html = ss.plot.animate(run, seconds=0.2)._repr_html_()
    assert html.startswith('<img src="data:image/gif;base64,R0lGOD') and 'alt="Block on a moving belt"' in html


def test_without_ffmpeg_a_sentence_offers_gif(run, tmp_path, monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", "no such program")
    with pytest.raises(PictureError, match=r"ffmpeg, which is not installed: install it, or end the name with \.gif"):
        ss.plot.animate(run, tmp_path / "belt.mp4", seconds=0.2)
    assert list(tmp_path.iterdir()) == []


def test_films_are_given_to_ffmpeg(run, tmp_path, monkeypatch):
    """A stand-in for ffmpeg, which keeps what it is given: all frames, of the size that it was told."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\necho "$@" > "$(dirname "$0")/told"\nfor last; do :; done\ncat > "$last"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", os.fspath(program))
    ss.plot.animate(run, tmp_path / "belt.mp4", seconds=0.3, frames_per_second=10)
    told = (tmp_path / "told").read_text().split()
    width, height = map(int, told[told.index("-s") + 1].split("x"))
    assert told[told.index("-framerate") + 1] == "10" and width % 2 == height % 2 == 0
    assert (tmp_path / "belt.mp4").stat().st_size == 3 * 4 * width * height


def test_mistakes_are_sentences(run, tmp_path):
    for keywords, sentence in (
        ({"path": tmp_path / "x.avi"}, r"cannot save an animation as 'x.avi': end the name with .gif or .mp4"),
        ({"seconds": 0.0}, "seconds is 0: it must be a positive number"),
        ({"seconds": 1e6}, "are 20000000 frames: from 2 to 5000"),
        ({"frames_per_second": -1}, "frames_per_second is -1"),
        ({"window": (50, 60)}, "window is from 50 to 60: the run covers 0 to 40"),
        ({"window": 3}, r"window is 3: give two times"),
        ({"phase": ("x.blok", "v.block")}, "no state 'x.blok'"),
        ({"model": ss.models.two_blocks()}, "the model has the states x.block1.*give the model that was simulated"),
    ):
        with pytest.raises(ss.StickslipError, match=sentence):
            ss.plot.animate(run, **keywords)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ss.plot.animate(run, tmp_path / "none" / "x.gif", seconds=0.2)
    with pytest.raises(ModelError, match=r"does not carry its model.*animate\(run, model=system\)"):
        ss.plot.animate(run.assign_attrs(model=""))
    with pytest.raises(PictureError, match="needs a run"):
        ss.plot.animate("run")
