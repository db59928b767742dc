"""Trajectories in lockstep: the same motions as one by one, the same bits in any company."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from functools import cache
from math import cos, sin
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip as ss
from stickslip.artifacts import artifact
from stickslip.errors import UnrollError
from stickslip.field import GROUP, Field, lane_program, patience
from stickslip.kernels import circular, lockevents
from stickslip.kernels.records import Interleaved
from stickslip.model.system import Model
from stickslip.sweeps import trajectories
from stickslip.sweeps.plan import Plan
from stickslip.symbolic.equations import derive
from stickslip.symbolic.lanes import LaneSource
from stickslip.targets import checked, compiler, cpu, python
from stickslip.targets.generated import LANES
from stickslip.targets.lower import Flat, Lowering
from stickslip.targets.modules import Library
from stickslip.targets.source import Function
from stickslip.targets.unroll import written_out

Floats = NDArray[np.float64]
ORDER = 14
"""That of sweeps in lockstep at the usual tolerance, so that both have one program."""


def on_belt(law, normal=1.0, speed=0.2):
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=speed)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=normal))


def coupled_contacts():
    """Two contacts that push each other when both stick."""
    top, bottom, belt = ss.Mass("top", 1.2), ss.Mass("bottom", 2.3), ss.Belt("belt", 0.3)
    return ss.System(
        ss.Spring(top, ss.ground, k=1.0, name="spring1"),
        ss.Spring(bottom, ss.ground, k=0.5, name="spring2"),
        ss.Contact(top, bottom, law=ss.Hyperbolic(0.8, 1.0), normal=1.0, name="upper"),
        ss.Contact(bottom, belt, law=ss.Hyperbolic(0.9, 2.0), normal=2.0, name="lower"),
    )


def given(**functions):
    """A system whose friction weakens with the slip speed, with these functions."""
    plain = {"f": lambda x, y, k=1.0: (y, -k * x), "G": lambda: (0.0, 1.0), "h": lambda y: y - 0.2}
    names = functions.pop("states", ("x", "y"))
    return ss.Filippov(names, **(plain | functions), kinetic=lambda v, a=0.5, d=1.5: a / (1 + d * v), static=0.6)


MODELS = {
    "block_on_belt": (ss.models.block_on_belt, 60.0, 0.3),
    "two_blocks": (ss.models.two_blocks, 25.0, 0.3),
    "coupled contacts": (coupled_contacts, 25.0, 0.3),
    "drill_string": (ss.models.drill_string, 60.0, 0.3),
    "bowed_string": (ss.models.bowed_string, 0.01, 1e-4),
    "forced_oscillator": (ss.models.forced_oscillator, 60.0, 0.3),
    "excited_oscillator": (ss.models.excited_oscillator, 60.0, 0.3),
    "block_and_pendulum": (ss.models.block_and_pendulum, 30.0, 0.2),
    "coulomb_oscillator": (ss.models.coulomb_oscillator, 60.0, 3.0),
    "loaded by time": (
        lambda: on_belt(ss.Hyperbolic(1.0, 3.0), normal=lambda t, x_block: 1.5 + 0.2 * x_block * sin(t)), 40.0, 0.3,
    ),
    "effect on v changes": (lambda: given(h=lambda x, y: y * (1 + 0.3 * x * x) - 0.2), 20.0, 0.3),
    "effect on rates changes": (lambda: given(G=lambda x: (0.0, 1 / (1 + 0.3 * x * x))), 20.0, 0.3),
    "a rate without states": (
        lambda: given(states=("x", "y", "z"), f=lambda x, y, k=1.0: (y, -k * x, 10.0), G=lambda: (0.0, 1.0, 0.5)),
        20.0, 0.3,
    ),
    "belt in time": (lambda: on_belt(ss.Coulomb(0.4, 0.3), speed=lambda t: 0.5 * cos(2 * t)), 40.0, 0.3),
}  # fmt: skip


OF_CONTACTS = ("stick_time", "static_draw", "kinetic_draw", "score", "score_time", "bristle")
"""States that begin as the model says."""


def ensemble(model: Model, spread: float, count: int = 96) -> tuple[Floats, Floats]:
    """Starts and parameters around those of the model."""
    random = np.random.default_rng(7)
    begin = np.array([model.start[state] for state in model.states])
    moved = np.array([state.partition(".")[0] not in OF_CONTACTS for state in model.states])
    starts = begin + spread * moved * random.standard_normal((count, len(begin)))
    values = np.array(list(model.parameters.values()))
    return starts, values * (1 + 0.1 * random.standard_normal((count, len(values))))


QUICK = ("block_on_belt", "coupled contacts", "forced_oscillator", "belt in time", "a rate without states")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_as_one_by_one(name, monkeypatch):
    make, end, spread = MODELS[name]
    check_as_one_by_one(make(), end, spread, monkeypatch)


def check_as_one_by_one(model, end, spread, monkeypatch):
    """Random starts and parameters end where the march takes them, with the same events; few are given up."""
    field = ss.Field.of(model, order=ORDER)
    starts, parameters = ensemble(model, spread)
    alone, outcome = field._one_by_one(starts, parameters, (0.0, end), 1e-10, 10**7)
    again = []
    plain = Field._one_by_one
    monkeypatch.setattr(Field, "_one_by_one", lambda self, *a: again.append(len(a[0])) or plain(self, *a))
    together, counted = field._in_lockstep(starts, parameters, (0.0, end), 1e-10, 10**7)
    assert sum(again) <= 10, "few are given up"
    np.testing.assert_array_equal(counted, outcome)
    error = np.abs(together - alone).max(axis=1) / np.abs(alone).max()
    assert np.median(error) < 1e-9 and np.quantile(error, 0.9) < 1e-7


def test_a_static_limit_that_rises_from_zero():
    """F = a t⁴ against 0.4 t³ lets go at t = 0.4/a; the impulse from there is known. First terms of both are zero."""
    block = ss.Mass("block", m=1.0)
    contact = ss.Contact(block, ss.ground, law=ss.Coulomb(0.4, 0.3), normal=lambda t: t**3)
    model = ss.System(ss.Force(block, lambda t, a=0.2: a * t**4), contact)
    field = ss.Field.of(model, order=ORDER)
    a, end = np.linspace(0.15, 0.3, 40), 4.0
    parameters = np.tile(field.parameters, (len(a), 1))
    parameters[:, list(model.parameters).index("force.a")] = a
    ends, outcome = field._in_lockstep(np.zeros((len(a), 2)), parameters, (0.0, end), 1e-10, 10**6)
    impulse = a * end**5 / 5 - 0.3 * end**4 / 4 - (a * (0.4 / a) ** 5 / 5 - 0.3 * (0.4 / a) ** 4 / 4)
    assert (outcome == [0, 1]).all() and np.abs(ends[:, 1] - impulse).max() < 1e-12


def test_which_models_are_left_alone():
    many = np.linspace(0.0, 2.0, 80)
    law = ss.Tabulated(many.tolist(), (0.6 + 0.3 / (1 + many)).tolist(), mu_s=1.0)
    assert lane_program(on_belt(law), 12) is None
    assert lane_program(ss.models.chain(40), 12) is None


def test_the_same_bits_in_any_company():
    model = ss.models.forced_oscillator("III")
    field = ss.Field.of(model, order=ORDER)
    starts, parameters = ensemble(model, 0.3, 150)
    ends, outcome = field._in_lockstep(starts, parameters, (0.0, 50.0), 1e-9, 10**9)
    order = np.random.default_rng(1).permutation(150)
    shuffled, _ = field._in_lockstep(starts[order], parameters[order], (0.0, 50.0), 1e-9, 10**9)
    np.testing.assert_array_equal(shuffled, ends[order])
    for part in (slice(0, 1), slice(3, 11), slice(60, 150)):
        some, counted = field._in_lockstep(starts[part], parameters[part], (0.0, 50.0), 1e-9, 10**9)
        np.testing.assert_array_equal(some, ends[part])
        np.testing.assert_array_equal(counted, outcome[part])


def test_what_is_given_up_is_done_one_by_one():
    """At the mercy of friction that pushes, the run stops with its sentence; the others are not touched."""
    model = ss.models.coulomb_oscillator()
    field = ss.Field.of(model, order=ORDER)
    starts, parameters = np.tile([12.0, 6.0], (GROUP, 1)), np.tile(field.parameters, (GROUP, 1))
    parameters[5, list(model.parameters).index("contact.normal")] = -1.0
    ends, outcome = field.propagate(starts, 30.0, parameters=parameters)
    alone, counted = field._one_by_one(starts, parameters, (0.0, 30.0), 1e-9, 10**9)
    assert outcome[5, 0] == counted[5, 0] != 0
    np.testing.assert_array_equal(outcome, counted)
    np.testing.assert_array_equal(ends[5], alone[5])
    np.testing.assert_allclose(ends, alone, atol=1e-8)


@pytest.mark.parametrize("push", [0.0, 0.3])
def test_sliding_does_not_feel_what_relays_cancel(push, monkeypatch):
    """As in the march: x₀ exp(−c t), y₀ exp(−c t/2), however large the disturbances."""
    relays = ss.Filippov(
        ("x", "y", "u", "w"),
        f=lambda x, y, u, w, d=1.0: (u, w, d - 2 * x, 3 - d - y),
        G=lambda: ((0.0, 0.0), (0.0, 0.0), (1.0, push), (push, 2.0)),
        h=lambda x, y, u, w, c=1.0: (u + c * x, w + 0.5 * c * y),
        kinetic=1e6,
        contacts=("first", "second"),
    )
    field = ss.Field.of(relays, order=ORDER)
    random = np.random.default_rng(3)
    x, y, c = random.uniform(0.5, 2.0, (3, GROUP))
    d = 10 ** random.uniform(-2, 4, GROUP)
    values = np.array([{"d": d, "c": c, "kinetic": np.full(GROUP, 1e6)}[name] for name in relays.parameters]).T
    monkeypatch.setattr(Field, "_one_by_one", None)  # nothing is given up
    ends, outcome = field.propagate(
        np.array([x, y, -c * x, -c * y / 2]).T, 10.0, parameters=values, rtol=1e-10, most_steps=200
    )
    assert not outcome.any()
    np.testing.assert_allclose(ends[:, :2], np.array([x * np.exp(-10 * c), y * np.exp(-5 * c)]).T, atol=1e-9)


def test_what_begins_at_zero_is_not_given_up(monkeypatch):
    """Nothing moves at first, and then as t³: no state says how large things are."""
    block, feed = ss.Mass("block", m=1.0), ss.Base("feed", motion=lambda t, r=0.1: r * t)
    friction = ss.Contact(block, ss.ground, law=ss.Stribeck(0.5, 0.3, 0.1))
    model = ss.System(ss.Spring(block, feed, k=1.0), friction)
    field = ss.Field.of(model, order=ORDER)
    alone, counted = field._one_by_one(np.zeros((1, 2)), field.parameters[None], (0.0, 30.0), 1e-10, 10**7)
    monkeypatch.setattr(Field, "_one_by_one", None)
    ends, outcome = field.propagate(np.zeros((GROUP, 2)), 30.0, rtol=1e-10)
    np.testing.assert_array_equal(outcome, np.tile(counted, (GROUP, 1)))
    assert counted[0, 1] > 1
    np.testing.assert_allclose(ends, np.tile(alone, (GROUP, 1)), atol=1e-8)


def test_a_load_that_falls_to_zero_is_soon_given_up():
    """Its branch ends together with it, which bounds do not tell: once steps were halved until there were too many."""
    model = on_belt(ss.Coulomb(0.5, 0.3), normal=lambda t, d=1.3: max(0, 1 + d * cos(2 * t)))
    field = ss.Field.of(model, order=ORDER)
    starts, parameters = np.tile([0.0, 0.0], (GROUP, 1)), np.tile(field.parameters, (GROUP, 1))
    parameters[:, list(model.parameters).index("contact.d")] = np.linspace(0.5, 2.0, GROUP)
    ends, outcome = field.propagate(starts, 20.0, parameters=parameters, most_steps=10**9)
    alone, counted = field._one_by_one(starts, parameters, (0.0, 20.0), 1e-9, 10**9)
    np.testing.assert_array_equal(outcome, counted)
    np.testing.assert_allclose(ends, alone, atol=1e-7)


def test_too_many_steps():
    field = ss.Field.of(ss.models.block_on_belt(), order=ORDER)
    starts = np.tile([1.1, 0.0], (GROUP, 1))
    _, outcome = field.propagate(starts, 1e4, most_steps=100, shortcut=False)
    assert np.all(outcome[:, 0] == 7)


# -- sweeps --------------------------------------------------------------------------------------------------------


def both_ways(plan: Plan) -> tuple[object, object]:
    """The same sweep in lockstep and one by one, both of one order."""
    plans = [dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=x)) for x in (True, False)]
    vars(plans[1])["field"] = plans[0].field
    return tuple(p.assemble({c.index: p.run(c) for c in p.chunks}) for p in plans)


ETA, SPEED = np.linspace(0.3, 2.9, 66), np.linspace(0.05, 0.8, 66)
SWEEPS = {
    "released": (ss.models.forced_oscillator, {"base.eta": ETA}, "stick_to_slip", {"periods": (60, 40)}),
    "strobe": (ss.models.excited_oscillator, {"force.eta": 1 + ETA / 2}, "strobe", {"periods": (150, 60)}),
    "many strobes": (
        ss.models.forced_oscillator,
        {"base.eta": ETA},
        ss.observe.Strobe(every=0.37),
        {"periods": (60, 12)},
    ),
    "come to rest": (ss.models.block_on_belt, {"belt.speed": SPEED}, "slip_to_stick", {"times": (100, 200)}),
    "two contacts": (ss.models.two_blocks, {"belt.speed": SPEED / 4}, "stick_to_slip", {"times": (200, 100)}),
    "held": (ss.models.block_on_belt, {"belt.speed": SPEED}, None, {"times": (0, 90), "start": "stick"}),
    "drilling": (ss.models.drill_string, {"table.speed": np.linspace(2, 9, 66)}, "slip_to_stick", {"times": (400, 60)}),
    "never released": (
        lambda: on_belt(ss.Coulomb(0.5), speed=9.0),
        {"spring.k": np.linspace(0.5, 2.0, 66)},
        None,
        {"times": (10, 90), "start": {"x.block": 1.5, "v.block": 0.3}},
    ),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_sweeps_as_one_by_one(name):
    make, over, observe, settings = SWEEPS[name]
    plan = ss.plan_sweep(make(), over, observe=observe, rtol=2e-9, **settings)
    together, alone = both_ways(plan)
    regular = alone["m"].values >= 0  # those without a period may be as far apart as they like
    assert regular.sum() >= 5
    for name in ("status", "truncated", "count", "events", "n", "m", "end_mode", "record_contact"):
        if name in alone:
            np.testing.assert_array_equal(together[name].values[regular], alone[name].values[regular], name)
    states = ("start_state", "end_state", "minimum", "maximum", "x.block")
    for name in (*states, "stick_fraction", "period", "record_time"):
        if name in alone:
            np.testing.assert_allclose(together[name].values[regular], alone[name].values[regular], atol=2e-6)


def test_what_is_never_released_is_left_at_the_end_of_its_transient(monkeypatch):
    """Only its period is not known in lockstep; most of the way it need not go again."""
    plan = ss.plan_sweep(ss.models.drill_string(), {"table.speed": np.linspace(6, 9, GROUP)}, times=(400, 20))
    alone = []
    plain = trajectories._one_by_one
    monkeypatch.setattr(trajectories, "_one_by_one", lambda *given: alone.append(given[-1]) or plain(*given))
    found = plan.assemble({chunk.index: plan.run(chunk) for chunk in plan.chunks})
    (left,) = alone
    assert len(left) == GROUP and (left.begins == 400.0).all() and (found["n"] == 0).all()
    assert (found["start_state"].values == plan.start.states(np.arange(GROUP))).all()
    assert found["steps"].values.min() > 100 and (found["time"] == 420.0).all()


def test_chunks_do_not_change_the_bits():
    over = {"base.eta": np.linspace(0.5, 2.5, GROUP)}
    model = ss.models.forced_oscillator("III")
    found = []
    for chunk in (GROUP, 9):
        plan = ss.plan_sweep(model, over, periods=(20, 10), chunk=chunk)
        assert plan.settings.lockstep
        found.append(plan.assemble({c.index: plan.run(c) for c in plan.chunks}))
    for name in found[0].data_vars:
        np.testing.assert_array_equal(found[0][name].values, found[1][name].values, name)


def test_neighbours_wait_for_each_other(monkeypatch):
    """Those that are alike, with one contact; whether they wait changes no bits."""
    model = ss.models.forced_oscillator("III")
    field = ss.Field.of(model, order=ORDER)
    lanes, count = field.lanes, 300
    kernel = lanes.kernels.lockstep
    alike = np.tile(field.parameters, (count, 1))
    alike[:, list(model.parameters).index("base.eta")] = np.linspace(0.5, 2.5, count)
    starts = np.zeros((count, 2))
    assert patience(lanes, starts, alike) == kernel.PATIENT > 0.0
    assert patience(lanes, starts, np.random.default_rng(1).permutation(alike)) == kernel.IMPATIENT < 0.0
    assert patience(lane_program(ss.models.two_blocks(), ORDER), np.zeros((count, 4)), alike) == kernel.IMPATIENT
    together, _ = field._in_lockstep(starts, alike, (0.0, 50.0), 1e-9, 10**9)
    monkeypatch.setattr("stickslip.field.ALIKE", 0.0)
    np.testing.assert_array_equal(field._in_lockstep(starts, alike, (0.0, 50.0), 1e-9, 10**9)[0], together)


def test_crossings_have_a_tick_of_their_own():
    """What is paid for it is paid only where it is asked for."""
    model = ss.models.block_on_belt()
    field = ss.Field.of(model, order=ORDER)
    crossing, others = (
        trajectories.lanes_for(field, what.codes(model))
        for what in (ss.observe.Section("x.block", 0.5), ss.observe.StickToSlip())
    )
    assert crossing.kernels.machine.SECTIONS == 1 and others.kernels.machine.SECTIONS == 0
    assert crossing.kernels.lane.Lane.FLOATS > others.kernels.lane.Lane.FLOATS


# -- pieces --------------------------------------------------------------------------------------------------------


def test_sine_and_cosine():
    x = np.concatenate([np.linspace(-20, 20, 4001), np.linspace(-1e6, 1e6, 4001)[1:-1]])
    for ours, exact in ((circular.sine, np.sin), (circular.cosine, np.cos)):
        error = np.abs(np.array([ours(v) for v in x.tolist()]) - exact(x))
        assert error.max() < 4e-16
    assert np.isnan(circular.sine(2e6))


def flat(source: str) -> Flat:
    """Functions of a text that are flat already."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return Flat({node.name: Function(node, "text.py") for node in nodes}, {"WEIGHT": np.array([0.0, 1.0, 2.0])})


def executed(node: ast.FunctionDef):
    """A function that was written out, as plain Python."""
    names = {"any_lane": bool, "Floats": object}
    exec(compile(ast.Module([node], []), "<written out>", "exec"), names)
    return names[node.name]


def test_writing_out():
    """Loops and calls are gone; rows are slices, constants of arrays are known, work space is variables only."""
    source = """
def main(lane_floats: Floats, tick_floats: Floats) -> bool:
    total = 0.0
    row = lane_floats[2:5]
    for k in range(3):
        tick_floats[1 + k] = term(row, k)
        total = total + tick_floats[1 + k]
    lane_floats[0] = total if total > 0.5 else 0.0
    while any_lane(lane_floats[1] < 3.0):
        lane_floats[1] += 1.0
    return any_lane(lane_floats[0] > 0.0)

def term(row: Floats, k: int) -> float:
    return row[k] * WEIGHT[k]
"""
    node = written_out(flat(source), "main", "lane_main")
    text = ast.unparse(node)
    assert not any(word in text for word in ("for ", "term", "tick_floats", "WEIGHT")) and "tick3" in text
    lanes = [0.0, 0.5, 10.0, 2.0, 4.0]
    assert executed(node)(lanes) is True
    assert lanes == [10.0, 3.5, 10.0, 2.0, 4.0]


def test_what_cannot_be_written_out():
    """The message names file and line."""
    source = """
def main(lane_floats: Floats) -> None:
    lane_floats[{index}] = 1.0
"""
    with pytest.raises(UnrollError, match=r"text\.py, line 3: this whole number is not known beforehand: lane_floats"):
        written_out(flat(source.format(index="lane_floats[0]")), "main", "lane_main")
    with pytest.raises(UnrollError, match=r"text\.py, line 3: this function cannot be called here: fly"):
        written_out(flat(source.format(index="fly(2)")), "main", "lane_main")


RETURNS = "what is written out returns at its end, and not inside of a branch or loop: return 1.0"
DEPENDS = "what this is depends on a condition, and must be known beforehand: "
NOT_WRITTEN_OUT = {
    "a return from a branch": ("if any_lane(lane_floats[0] > 0.0):\n        return 1.0", 1, RETURNS),
    "a return from a branch that is known": ("if k == 1:\n        return 1.0", 1, RETURNS),
    "a return from a loop": ("for i in range(3):\n        return 1.0", 1, RETURNS),
    "a number that a branch decides": (
        "i = 1\n    if any_lane(lane_floats[0] > 0.0):\n        i = 2\n    lane_floats[1] = lane_floats[i]", 3,
        DEPENDS + "i",
    ),
    "a number that both branches set": (
        "if any_lane(lane_floats[0] > 0.0):\n        i = 1\n    else:\n        i = 2\n"
        "    lane_floats[1] = lane_floats[i]", 4, DEPENDS + "i",
    ),
    "a row that a branch decides": (
        "row = lane_floats[1:2]\n    if any_lane(lane_floats[0] > 0.0):\n        row = lane_floats[2:3]\n"
        "    lane_floats[1] = row[0]", 3, "does not depend on a condition: row",
    ),
    "a number that grows in a loop": (
        "i = 0\n    while any_lane(lane_floats[0] > 0.0):\n        lane_floats[0] -= lane_floats[i]\n        i += 1", 2,
        DEPENDS + "i",
    ),
    "a number where a variable may follow": (
        "x = 0\n    if any_lane(lane_floats[0] > 0.0):\n        x = lane_floats[1]\n    lane_floats[2] = x", 3,
        DEPENDS + "x",
    ),
    "a write where it is not chosen": (
        "lane_floats[1] = moved(lane_floats, 1.0) if lane_floats[2] > 0.0 else 0.0", 0,
        "this changes what is kept, also where it is not chosen: write it as a branch: moved(lane_floats, 1.0)",
    ),
    "a write behind an and": (
        "if any_lane(lane_floats[1] > 0.0 and moved(lane_floats, 1.0) > 0.0):\n        lane_floats[2] = 1.0", 0,
        "this changes what is kept, also where it is not chosen: write it as a branch: moved(lane_floats, 1.0) > 0.0",
    ),
    "a write beside what it changes": (
        "lane_floats[0] += moved(lane_floats, 1.0)", 0,
        "this writes to what is read beside it: give its value a name first: moved(lane_floats, 1.0)",
    ),
    "an argument that has changed": (
        "lane_floats[1] = moved(lane_floats, lane_floats[0])", 5,
        "this has changed since it was given: give it a name of its own first: x",
    ),
    "a condition that is asked once": (
        "while any_lane(twice(lane_floats[0]) < 3.0):\n        lane_floats[0] += 1.0", 0,
        "what a loop asks in every turn is computed in the loop, and not by a call: any_lane(twice(lane_floats[0])",
    ),
    "a division by zero": ("lane_floats[1] = 1 // (k - 1)", 0, "this divides by zero: 1 // (k - 1)"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_WRITTEN_OUT)
def test_what_would_mean_something_else_is_not_written_out(case: str) -> None:
    body, below, sentence = NOT_WRITTEN_OUT[case]
    source = f"""
def main(lane_floats: Floats) -> None:
    lane_floats[0] = inner(lane_floats, 1)

def inner(lane_floats: Floats, k: int) -> float:
    {body}
    return 2.0

def moved(lane_floats: Floats, x: float) -> float:
    lane_floats[0] = 5.0
    return x

def twice(x: float) -> float:
    return 2.0 * x
"""
    with pytest.raises(UnrollError, match=rf"text\.py, line {6 + below}: .*{re.escape(sentence)}"):
        written_out(flat(source), "main", "lane_main")


def test_what_branches_have_for_themselves_is_written_out() -> None:
    """Numbers and rows that belong to a branch or loop alone, and variables that several paths set."""
    source = """
def main(lane_floats: Floats) -> None:
    for i in range(2):
        lane_floats[i] += 1.0
    x = 0.5
    if any_lane(lane_floats[0] > 2.0):
        for i in range(1, 3):
            row = lane_floats[i:3]
            x = x + row[0]
    else:
        i = 2
        x = lane_floats[i]
    while any_lane(x > 3.0):
        for i in range(2):
            x -= 0.5
    lane_floats[2] = x
"""
    node = written_out(flat(source), "main", "lane_main")
    for lanes in ([0.0, 5.0, 7.0], [4.0, 5.0, 7.0], [4.0, 0.0, 0.25]):
        plain = list(lanes)
        run = {"any_lane": bool, "Floats": object}
        exec(source, run)
        run["main"](plain)
        executed(node)(lanes)
        assert lanes == plain


def test_rows_are_moved_where_they_are_used():
    source = """
def main(lane_floats: Floats) -> None:
    lane_floats[0] = lane_floats[0] + 1.0
    if any_lane(lane_floats[0] > 2.0):
        lane_floats[1] = lane_floats[1] + lane_floats[2]
"""
    node = written_out(flat(source), "main", "lane_main")
    text = ast.unparse(node)
    begin, branch = text.split("if any_lane")
    assert "lanes[1]" not in begin and "lanes[2]" not in begin
    assert "lane1 = lanes[1]" in branch and "lanes[1] = lane1" in branch
    assert "lanes[2] = lane2" not in text, "what does not change is not written"
    lanes = [0.0, 5.0, 7.0]
    for expected in ([1.0, 5.0, 7.0], [2.0, 5.0, 7.0], [3.0, 12.0, 7.0]):
        executed(node)(lanes)
        assert expected == lanes


@pytest.mark.parametrize("limit", [1e-3, 1.0])
def test_bounds_on_the_tail_of_a_series(limit):
    """What `tail_of` gives times VALUE, RATE and BEND is above the terms from order four on, their rate and bend."""
    random = np.random.default_rng(3)
    for order in (12, 13, 20):
        values = vars(lockevents) | {"model": SimpleNamespace(ORDER=order)}
        tail_of = FunctionType(lockevents.tail_of.__code__, values)
        for _ in range(200):
            series = random.standard_normal(order + 1) * limit ** np.arange(order + 1)
            h, k = float(random.uniform(0.1, 3.0)), np.arange(4, order + 1)
            terms, tail = np.abs(series[4:]) * h**k, tail_of(series, h)
            assert terms.sum() <= lockevents.VALUE * tail * (1 + 1e-12)
            assert (k * terms).sum() <= lockevents.RATE * tail * (1 + 1e-12)
            assert (k * (k - 1) * terms).sum() <= lockevents.BEND * tail * (1 + 1e-12)


def test_few_ticks_are_lost():
    """A block on a belt sticks under a force that grows evenly: one step to the release, one guess after it."""
    model = ss.models.block_on_belt()
    found = ss.sweep(model, {"belt.speed": np.linspace(0.1, 0.5, GROUP)}, times=(0.0, 200.0), observe=None, rtol=1e-8)
    alone = ss.sweep(model, {"belt.speed": np.linspace(0.1, 0.5, 20)}, times=(0.0, 200.0), observe=None, rtol=1e-8)
    assert found["steps"].mean() < 1.5 * alone["steps"].mean()


def test_which_are_expanded_apart_at_rest():
    """Those of which nothing moves in stick by itself: a pendulum swings on, and so does the other of two blocks."""
    simple = (ss.models.block_on_belt, ss.models.forced_oscillator, ss.models.drill_string)
    others = (ss.models.block_and_pendulum, ss.models.two_blocks)
    apart = {make: LaneSource(derive(make()), 8).apart for make in (*simple, *others)}
    assert apart == dict.fromkeys(simple, True) | dict.fromkeys(others, False)


@cache
def plain_kernels() -> Library:
    """The kernels of lockstep for the forced oscillator, as plain Python."""
    return artifact(ss.models.forced_oscillator(), "lanes", 12).library()


@pytest.mark.parametrize(("rate", "zeros"), [(5e-9, 1), (1e-14, 2), (-5e-9, 2), (-5e-8, 1)])
def test_how_well_the_limit_is_met(rate, zeros):
    """A contact may be released where the limit is not quite reached, within the tolerance; past it, it slips."""
    kernels = plain_kernels()
    lane, tick = kernels.lane.Lane(), kernels.lane.Tick()
    lane.on_trial[0], lane.mode[0], lane.log_tolerance = 1.0, 1.0, np.log2(1e-8)
    tick.acceleration_size[0] = 1.0
    tick.polynomial[0, 1] = rate
    kernels.lockmodes.set_leading_zeros(lane, tick, 0)
    assert tick.zeros[0] == zeros


def entered(kernels: Library, model: Model, end: float):
    """The only lane of plain Python, with a trajectory from zero in it."""
    lanes, convoy = Interleaved(kernels.lane.Lane, 1), kernels.convoy.Convoy()
    trajectory = kernels.trajectory.Trajectory()
    trajectory.parameter[:], trajectory.end_time = list(model.parameters.values()), end
    trajectory.step_guess = 1.0
    convoy.log_tolerance, convoy.most_steps = np.log2(2e-8), 10**9
    kernels.lockensemble.enter(trajectory, lanes[0], convoy, -1.0)
    return lanes


def test_no_step_is_tried_in_vain():
    """Nearly every tick goes on: releases are met within the tolerance, and steps are guessed well."""
    kernels = plain_kernels()
    lanes = entered(kernels, ss.models.forced_oscillator("III", eta=1.5), 120.0)
    lane, condition = lanes[0], kernels.condition
    ticks, vain = 0, 0
    while lane.condition == condition.RUNNING:
        before = lane.time
        kernels.lockstep.advance_all(lanes)
        ticks, vain = ticks + 1, vain + (lane.time == before)
    assert lane.condition == condition.ARRIVED and ticks > 300
    assert vain <= 0.01 * ticks


def test_written_out_it_does_the_same():
    """The tick as it stands, on records, and written out, on rows of an array: the same bits, tick by tick."""
    kernels, model = plain_kernels(), ss.models.forced_oscillator("III", eta=1.5)
    plain, rows = entered(kernels, model, 60.0), entered(kernels, model, 60.0)
    lowering = Lowering(kernels)
    node = written_out(lowering.flat, lowering.add(kernels.function(LANES.tick)), "tick")
    names = vars(kernels.machine) | vars(math) | {"Floats": object}
    exec(compile(ast.Module([node], []), "<written out>", "exec"), names)
    for _ in range(150):
        assert names["tick"](rows.floats[:, 0]) == kernels.lockstep.advance_all(plain)
        np.testing.assert_array_equal(rows.floats, plain.floats)
    assert plain[0].events > 10


def test_a_release_cut_short(monkeypatch):
    """One block is released, and 1e-8 later the other comes to rest: the first is not away yet, and must be told so."""
    model = ss.models.two_blocks().with_({"belt.speed": 0.12851189255946283})
    field = ss.Field.of(model, order=12)
    monkeypatch.setattr(Field, "_one_by_one", lambda *_: pytest.fail("it is given up"))
    field._in_lockstep(np.array([model.start_state()]), field.parameters[None], (0.0, 1660.0), 1.5e-8, 10**7)


# -- other targets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [ss.models.forced_oscillator, pytest.param(ss.models.two_blocks, marks=pytest.mark.nightly)]
)
def test_checked_indices(make):
    """A build in which every index is compared finds nothing, and gives the same bits."""
    field = ss.Field.of(make(), order=8)
    starts, parameters = ensemble(field.model, 0.3, 40)
    ends = field._in_lockstep(starts, parameters, (0.0, 30.0), 1e-7, 10**6)
    vars(field)["lanes"] = checked.program(artifact(field.model, "lanes", 8), LANES)
    again = field._in_lockstep(starts, parameters, (0.0, 30.0), 1e-7, 10**6)
    for one, other in zip(ends, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_another_number_of_lanes(monkeypatch):
    """Rows are as long as there are lanes, and what lies interleaved is found there; the bits are the same."""
    field = ss.Field.of(ss.models.forced_oscillator(), order=8)
    starts, parameters = ensemble(field.model, 0.3, 40)
    ends, _ = field._in_lockstep(starts, parameters, (0.0, 30.0), 1e-7, 10**6)
    assert field.lanes.kernels.machine.LANES != 2
    monkeypatch.setattr(compiler, "lanes", lambda: 2)
    monkeypatch.setattr(compiler, "machine_name", lambda: "two lanes")
    vars(field)["lanes"] = cpu.program.__wrapped__(artifact(field.model, "lanes", 8), LANES)
    assert field.lanes.kernels.machine.LANES == 2
    np.testing.assert_array_equal(field._in_lockstep(starts, parameters, (0.0, 30.0), 1e-7, 10**6)[0], ends)


def test_plain_python():
    """One lane, as plain Python: nearly the same ends."""
    field = ss.Field.of(ss.models.forced_oscillator(), order=8)
    starts, parameters = ensemble(field.model, 0.3, 3)
    ends, outcome = field._in_lockstep(starts, parameters, (0.0, 15.0), 1e-7, 10**6)
    vars(field)["lanes"] = python.program(artifact(field.model, "lanes", 8), LANES)
    again, counted = field._in_lockstep(starts, parameters, (0.0, 15.0), 1e-7, 10**6)
    np.testing.assert_array_equal(counted, outcome)
    np.testing.assert_allclose(again, ends, atol=1e-6)
