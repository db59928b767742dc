"""What jobs are made of: the order of points, ranges of sliders, values in Python, results as they come."""

import io
import json
import math
import re

import numpy as np
import pytest

import stickslip as ss
from stickslip.branches.curves import Curve
from stickslip.branches.equilibria import EquilibriumWalk
from stickslip.branches.orbits import OrbitWalk
from stickslip.branches.outcome import Outcome
from stickslip.errors import StickslipError
from stickslip.explorer import limits, pipes
from stickslip.explorer.calls import Linspace, written
from stickslip.explorer.creeping import creeping, steady
from stickslip.explorer.defaults import duration_of, nice, parameter_range, view_of
from stickslip.explorer.messages import unframed
from stickslip.explorer.motion import whole_motion
from stickslip.explorer.order import coarse_first, coarse_grid_first
from stickslip.explorer.pipes import Message
from stickslip.explorer.view import Reader
from stickslip.explorer.wording import in_words_of_the_page
from stickslip.explorer.worker import Worker
from stickslip.field import Field
from stickslip.model.files import loads
from stickslip.status import Status
from stickslip.sweeps.plan import Chunk

CHANCE = np.random.default_rng(21)


@pytest.mark.parametrize("count", [1, 2, 3, 9, 16, 17, *CHANCE.integers(20, 3000, 20).tolist()])
def test_the_first_points_lie_evenly_over_all(count):
    """Every point comes once; the gaps among the first k are never wider than four times what k points could have."""
    order = coarse_first(count)
    assert sorted(order.tolist()) == list(range(count))
    for k in range(3, count, max(1, count // 50)):
        assert np.max(np.diff(np.sort(order[:k]))) <= 4 * math.ceil(count / (k - 1))


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (7, 7), *map(tuple, CHANCE.integers(2, 60, (10, 2)).tolist())])
def test_squares_become_smaller(shape):
    """Every point comes once, and the corners before all others."""
    order = coarse_grid_first(*shape)
    assert sorted(order.tolist()) == list(range(math.prod(shape)))
    corners = {0, shape[1] - 1, (shape[0] - 1) * shape[1], math.prod(shape) - 1}
    assert corners == set(order[: len(corners)].tolist())


def test_nice_numbers_are_near_and_on_the_right_side():
    for value in np.exp(CHANCE.uniform(-20, 20, 500)) * CHANCE.choice([-1, 1], 500):
        above, below = nice(value), nice(value, upwards=False)
        assert below * (1 - 1e-8 * np.sign(value)) <= value <= above * (1 + 1e-8 * np.sign(value))
        assert abs(above - below) <= 1.5 * abs(value) * (1 + 1e-8)
        assert f"{above:e}"[f"{above:e}"[0] == "-"] in "125"


def test_ranges_follow_the_units():
    """The slider of a mass a million times as heavy goes a million times as far, and motions take as long."""
    for scale in (1e-6, 1.0, 1e6):
        block = ss.Mass("block", m=2.0 * scale)
        system = ss.System(ss.Spring(block, ss.ground, k=3.0 * scale), ss.Damper(block, ss.ground, c=0.0))
        low, high = parameter_range(system, "block.m")
        assert low / scale == pytest.approx(0.2) and high / scale == pytest.approx(5.0)
        assert parameter_range(system, "damper.c") == (0.0, 1.0)
        assert duration_of(system) == nice(10 * 2 * math.pi * math.sqrt(2 / 3))


def test_a_law_is_looked_at_on_the_side_on_which_it_slips():
    """A measured curve has no meaning on the other side of rest; how long a motion is shown came from there."""
    for speed in (0.8, -0.8):
        pad, disc = ss.Mass("pad", m=0.35), ss.Belt("disc", speed=speed)
        law = ss.Tabulated(speeds=[0.0, 0.1, 0.5, 1.0, 2.0], values=[0.5, 0.42, 0.3, 0.26, 0.28])
        system = ss.System(ss.Spring(pad, ss.ground, k=1.5), ss.Contact(pad, disc, law=law, normal=4.0))
        assert duration_of(system) == nice(10 * 2 * math.pi * math.sqrt(0.35 / 1.5), upwards=True)


def test_what_rubs_is_looked_at_first():
    arm, table, belt = ss.Mass("arm", m=1.0), ss.Mass("table", m=1.0), ss.Belt("belt", speed=0.1)
    law = ss.Coulomb(mu_s=0.4, mu_k=0.3)
    system = ss.System(ss.Spring(arm, table, k=1.0), ss.Spring(arm, ss.ground, k=1.0), ss.Contact(table, belt, law=law))
    view = view_of(system, {"model": {}})
    assert system.states[0] == "x.arm"
    assert view["section"] == {"on": "release", "x": "x.table", "y": "v.table"}
    assert view["diagram"]["quantity"] == "x.table" and view["basins"]["y"]["state"] == "v.table"


def test_bristles_rub_as_the_equations_have_it():
    """The force that is drawn is the one that Newton's law needs, on a belt as on a base that is shaken."""
    block = ss.Mass("block", m=0.7, v=0.4)
    law = ss.LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=50.0, sigma_1=2.0)
    for against in (ss.Belt("surface", speed=0.2), ss.Base("surface", motion=lambda t: 0.1 * np.sin(2 * t))):
        contact = ss.DynamicContact(block, against, law=law, normal=lambda x_block: 2.0 + 0.3 * x_block)
        system = ss.System(ss.Spring(block, ss.ground, k=1.5), contact)
        run = ss.simulate(system, 20.0, samples=500, progress=False)
        arrays = creeping(run, system)
        field = Field.of(system)
        states = zip(run["time"].values, *(run[name].values for name in system.states), strict=True)
        needed = [0.7 * field.evaluate(z, t).rate[1] + 1.5 * z[0] for t, *z in states]
        assert np.allclose(arrays["force.contact"], needed, rtol=0, atol=1e-7)
        assert set(arrays["mode.contact"].tolist()) == {-1, 1}


def test_steady_sliding_is_where_the_state_stays():
    law = ss.DieterichRuina(mu_star=0.6, a=0.01, b=0.015, D_c=1e-5, v_star=1e-6)
    v, force = steady(law, law.parameters(), 1e-5, 3.0)
    assert np.allclose(np.abs(force), 3.0 * (0.6 - 0.005 * np.log(np.abs(v) / 1e-6)), rtol=1e-6)
    assert np.all(np.sign(force) == -np.sign(v))


def test_a_motion_that_is_kept_whole_has_a_bound(monkeypatch):
    monkeypatch.setattr(limits, "KEPT_BYTES", 100_000)
    model = ss.models.block_on_belt()
    assert whole_motion(model, {"t": 10.0}, "motion.t").attrs["outcome"] == "finished"
    with pytest.raises(StickslipError, match="make it shorter"):
        whole_motion(model, {"t": 1000.0}, "motion.t")


def test_the_slider_ends_where_the_model_refuses():
    """Kinetic friction is not above static friction: the slider goes up to it, and no farther."""
    low, high = parameter_range(ss.models.drill_string(), "contact.mu_k")
    assert low == 0 and high == pytest.approx(2.0, rel=1e-5) and high <= 2.0


def value(depth=0):
    """A value as calls have it."""
    kind = CHANCE.integers(0, 7 if depth < 3 else 5)
    if kind == 0:
        return float(CHANCE.normal() * 10.0 ** CHANCE.integers(-12, 12))
    if kind == 1:
        return int(CHANCE.integers(-100, 10**6))
    if kind == 2:
        return "".join(CHANCE.choice(list("ab\\\"'.{}é\n\t"), CHANCE.integers(0, 8)))
    if kind == 3:
        return None
    if kind == 4:
        return bool(CHANCE.integers(2))
    if kind == 5:
        return tuple(value(depth + 1) for _ in range(CHANCE.integers(0, 4)))
    return {f"part.{i}": value(depth + 1) for i in range(CHANCE.integers(0, 4))}


def test_values_in_python_are_the_values():
    for _ in range(500):
        original = value()
        assert eval(written(original)) == original
    assert np.array_equal(eval(str(Linspace(0.1, 0.7, 8)), {"np": np}), Linspace(0.1, 0.7, 8).values)


@pytest.mark.parametrize("carry", [None, "up", "down"])
def test_what_is_told_while_a_chunk_runs_is_its_result(carry):
    values = [0.3, 0.1, 0.2, 0.25]
    plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": values}, times=(50, 50), carry=carry)
    told = {}

    def tell(numbers, part):
        told.update(zip(numbers.tolist(), zip(part["end_state"], part["count"], strict=True), strict=True))

    found = plan.run(Chunk(0, 0, 1 if carry else 4), tell=tell)
    assert [*told] == {None: [0, 1, 2, 3], "up": [1, 2, 3, 0], "down": [0, 3, 2, 1]}[carry]
    for number, (end, count) in told.items():
        place = plan.points(Chunk(0, 0, 1)).tolist().index(number) if carry else number
        assert np.array_equal(end, found["end_state"][place]) and count == found["count"][place]


def test_a_job_that_is_stopped_before_it_begins_says_so(monkeypatch):
    """A page waits for the end of what it stops, also where the process had no time for it yet."""
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    monkeypatch.setattr(Worker, "_listen", lambda worker: None)
    sink = io.BytesIO()
    worker = Worker(io.BytesIO(), sink, Reader())
    request = {"id": 3, "channel": "diagram", "job": "diagram", "view": {}}
    worker.waiting.append(Message(7, pipes.WORK, json.dumps(request).encode()))
    worker.cancelled.add(7)
    worker.closed = True
    worker.run()
    sink.seek(0)
    told, over = pipes.read(sink), pipes.read(sink)
    header, _ = unframed(told.data)
    assert (header["id"], header["done"], header["stopped"]) == (3, True, True)
    assert (over.number, over.kind) == (7, pipes.DONE)


BLOCK = """
[mass.block]
m = 1.0
x = 0.5
[spring.spring]
between = ["block", "ground"]
k = 1.0
"""
PAD = """
[contact.pad]
on = "block"
against = "ground"
law = {kind = "coulomb", mu_s = 0.6}
"""
BRUSH = """
[compliantcontact.brush]
on = "block"
against = "ground"
stiffness = 9.0
law = {kind = "coulomb", mu_s = 0.1}
"""
PUSH = """
[force.push]
on = "block"
force = "sin(t)"
"""


@pytest.mark.parametrize(
    ("text", "verb", "told"),
    [
        (BLOCK + PAD, ss.find_orbit, "start it elsewhere, or look for equilibria"),
        (BLOCK + PUSH, ss.find_equilibria, "look for orbits, or take the excitation out of the model"),
        (BLOCK + BRUSH, ss.find_equilibria, "Equilibria cannot be found with"),
    ],
)
def test_messages_have_no_words_that_only_python_has(text, verb, told):
    with pytest.raises(StickslipError) as error:
        verb(loads(text))
    sentence = in_words_of_the_page(str(error.value))
    assert told in sentence
    assert not re.search(r"\w=|`|find_|guess", sentence)


def test_advice_of_branches_has_no_words_that_only_python_has():
    sentences = [walk.advice for walk in (OrbitWalk, EquilibriumWalk, Curve)]
    sentences += [f"The steps shrank: why. {advice}" for advice in sentences]
    sentences += [each.value[0] for each in Outcome] + [each.value for each in Status]
    for sentence in sentences[3:]:
        assert not re.search(r"\w=|`|find_|guess=", in_words_of_the_page(sentence)), sentence
