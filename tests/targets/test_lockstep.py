"""Trajectories in lockstep: the same motions as one by one, the same bits in any company."""

from __future__ import annotations

import ast
import dataclasses
from functools import cache
from math import cos, sin
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip as ss
from stickslip.field import GROUP, Field, lane_program, patience
from stickslip.kernels import circular, lockevents
from stickslip.model.system import Model
from stickslip.sweeps import trajectories
from stickslip.sweeps.plan import Plan
from stickslip.symbolic.equations import derive
from stickslip.symbolic.lanes import LaneSource, lane_source
from stickslip.targets.join import LANES, joined_lanes
from stickslip.targets.unroll import unrolled

Floats = NDArray[np.float64]


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


def ensemble(model: Model, spread: float, count: int = 96) -> tuple[Floats, Floats]:
    """Starts and parameters around those of the model."""
    random = np.random.default_rng(7)
    begin = np.array([model.start[state] for state in model.states])
    starts = begin + spread * random.standard_normal((count, len(begin)))
    values = np.array(list(model.parameters.values()))
    return starts, values * (1 + 0.1 * random.standard_normal((count, len(values))))


QUICK = ("block_on_belt", "coupled contacts", "forced_oscillator", "block_and_pendulum", "belt in time")
QUICK += ("effect on v changes", "effect on rates changes", "a rate without states")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_as_one_by_one(name, monkeypatch):
    make, end, spread = MODELS[name]
    model = make()
    field = ss.Field.of(model, order=12)
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


def test_which_models_are_left_alone():
    for law in (ss.Stribeck(1.0, 0.6, 0.3), ss.Tabulated([0, 0.2, 0.5], [0.9, 0.7, 0.6], mu_s=1.0)):
        assert lane_program(on_belt(law), 12) is None
    assert lane_program(ss.models.chain(3), 12) is None


def test_the_same_bits_in_any_company():
    model = ss.models.forced_oscillator("III")
    field = ss.Field.of(model, order=12)
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
    field = ss.Field.of(model, order=12)
    starts, parameters = np.tile([12.0, 6.0], (GROUP, 1)), np.tile(field.parameters, (GROUP, 1))
    parameters[5, list(model.parameters).index("contact.normal")] = -1.0
    ends, outcome = field.propagate(starts, 30.0, parameters=parameters)
    alone, counted = field._one_by_one(starts, parameters, (0.0, 30.0), 1e-9, 10**9)
    assert outcome[5, 0] == counted[5, 0] != 0
    np.testing.assert_array_equal(outcome, counted)
    np.testing.assert_array_equal(ends[5], alone[5])
    np.testing.assert_allclose(ends, alone, atol=1e-8)


def test_too_many_steps():
    field = ss.Field.of(ss.models.block_on_belt(), order=12)
    starts = np.tile([1.1, 0.0], (GROUP, 1))
    _, outcome = field.propagate(starts, 1e4, most_steps=100, shortcut=False)
    assert np.all(outcome[:, 0] == 7)


# -- sweeps --------------------------------------------------------------------------------------------------------


def both_ways(plan: Plan) -> tuple[object, object]:
    """The same sweep in lockstep and one by one."""
    plans = [dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=x)) for x in (True, False)]
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
}


@pytest.mark.parametrize("name", SWEEPS)
def test_sweeps_as_one_by_one(name):
    make, over, observe, settings = SWEEPS[name]
    plan = ss.plan_sweep(make(), over, observe=observe, rtol=2e-9, **settings)
    together, alone = both_ways(plan)
    regular = (alone["n"].values > 0) | (alone["m"].values > 0)
    assert regular.sum() >= 5
    for name in ("status", "truncated", "count", "events", "n", "m", "end_mode", "record_contact"):
        if name in alone:
            np.testing.assert_array_equal(together[name].values[regular], alone[name].values[regular], name)
    states = ("start_state", "end_state", "minimum", "maximum", "x.block")
    for name in (*states, "stick_fraction", "period", "record_time"):
        if name in alone:
            np.testing.assert_allclose(together[name].values[regular], alone[name].values[regular], atol=2e-6)


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
    field = ss.Field.of(model, order=12)
    lanes, count = field.lanes, 300
    alike = np.tile(field.parameters, (count, 1))
    alike[:, list(model.parameters).index("base.eta")] = np.linspace(0.5, 2.5, count)
    starts = np.zeros((count, 2))
    assert patience(lanes, starts, alike) == lanes.PATIENT > 0.0
    assert patience(lanes, starts, np.random.default_rng(1).permutation(alike)) == lanes.IMPATIENT < 0.0
    assert patience(lane_program(ss.models.two_blocks(), 8), np.zeros((count, 4)), alike) == lanes.IMPATIENT
    together, _ = field._in_lockstep(starts, alike, (0.0, 50.0), 1e-9, 10**9)
    monkeypatch.setattr("stickslip.field.ALIKE", 0.0)
    np.testing.assert_array_equal(field._in_lockstep(starts, alike, (0.0, 50.0), 1e-9, 10**9)[0], together)


def test_what_needs_polynomials_is_left_to_the_march():
    codes = ss.observe.Section("x.block", 0.5).codes(ss.models.block_on_belt())
    assert codes.kind not in trajectories.IN_LOCKSTEP


# -- pieces --------------------------------------------------------------------------------------------------------


def test_sine_and_cosine():
    x = np.concatenate([np.linspace(-20, 20, 4001), np.linspace(-1e6, 1e6, 4001)[1:-1]])
    for ours, exact in ((circular.sine, np.sin), (circular.cosine, np.cos)):
        error = np.abs(np.array([ours(v) for v in x.tolist()]) - exact(x))
        assert error.max() < 4e-16
    assert np.isnan(circular.sine(2e6))


def test_writing_out():
    source = """
def main(W: Floats) -> bool:
    total = 0.0
    for k in range(SIZE):
        total = total + term(W, k)
    W[0] = total if total > LEVEL else 0.0
    while any_lane(W[1] < 3.0):
        W[1] = W[1] + 1.0
    return any_lane(W[0] > 0.0)

def term(W: Floats, k: int) -> float:
    return W[2 + k] * k
"""
    text = unrolled(source, {"SIZE": 3, "LEVEL": 0.5}, "main", "lane_main", 2, 2)
    assert "for" not in text and "term" not in text
    names = {"any_lane": bool, "Floats": object}
    exec(text, names)
    B = [0.0, 0.5, 10.0, 2.0, 4.0]
    assert names["lane_main"](B) is True
    assert B == [10.0, 3.5, 10.0, 2.0, 4.0]


def test_rows_are_moved_where_they_are_used():
    source = """
def main(W: Floats) -> None:
    W[0] = W[0] + 1.0
    if any_lane(W[0] > 2.0):
        W[1] = W[1] + W[2]
"""
    text = unrolled(source, {}, "main", "lane_main", 3, 3)
    begin, branch = text.split("if any_lane")
    assert "B[1]" not in begin and "B[2]" not in begin and "w1 = B[1]" in branch and "B[1] = w1" in branch
    assert "B[2] = w2" not in text, "what does not change is not written"
    names = {"any_lane": bool, "Floats": object}
    exec(text, names)
    B = [0.0, 5.0, 7.0]
    for expected in ([1.0, 5.0, 7.0], [2.0, 5.0, 7.0], [3.0, 12.0, 7.0]):
        names["lane_main"](B)
        assert expected == B


@pytest.mark.parametrize("limit", [1e-3, 1.0])
def test_bounds_on_the_tail_of_a_series(limit):
    """What `tail_of` gives times VALUE, RATE and BEND is above the terms from order four on, their rate and bend."""
    random = np.random.default_rng(3)
    for order in (12, 13, 20):
        values = vars(lockevents) | {"ORDER": order}
        tail_of = FunctionType(lockevents.tail_of.__code__, values)
        for _ in range(200):
            series = random.standard_normal(order + 1) * limit ** np.arange(order + 1)
            h, k = float(random.uniform(0.1, 3.0)), np.arange(4, order + 1)
            terms, tail = np.abs(series[4:]) * h**k, tail_of(series, 0, h)
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
@cache
def plain_kernels() -> dict[str, Any]:
    """The kernels of lockstep for the forced oscillator, as plain Python."""
    values: dict[str, Any] = {}
    exec(joined_lanes(lane_source(derive(ss.models.forced_oscillator()), 12), LANES), values)
    return values


@pytest.mark.parametrize(("rate", "zeros"), [(5e-9, 1), (1e-14, 2), (-5e-9, 2), (-5e-8, 1)])
def test_how_well_the_limit_is_met(rate, zeros):
    """A contact may be released where the limit is not quite reached, within the tolerance; past it, it slips."""
    values = plain_kernels()
    work = [0.0] * values["FLOATS"]
    names = {"FRESH": 1.0, "SIGN": 1.0, "SCALE": 1.0, "LOG_TOLERANCE": np.log2(1e-8)}
    for name, value in names.items():
        work[values[name]] = value
    work[values["POLYNOMIAL"] + 1] = rate
    values["mark_zeros"](work, 0)
    assert work[values["LEAD"]] == zeros


def test_no_step_is_tried_in_vain():
    """Nearly every tick goes on: releases are met within the tolerance, and steps are guessed well."""
    model = ss.models.forced_oscillator("III", eta=1.5)
    values = plain_kernels()
    row = [0.0] * values["LANE_ROWS"]
    work, whole = [0.0] * values["FLOATS"], [0] * values["INTEGERS"]
    parameters = np.array(list(model.parameters.values()))
    values["enter"](work, whole, row, 0, 0.0, 120.0, np.log2(2e-8), 0.0, 1e9, 0, np.zeros(2), parameters, -1.0)
    ticks, vain = 0, 0
    while row[values["CONDITION"]] == values["RUNNING"]:
        before = row[values["TIME"]]
        values["lane_tick"](row)
        ticks, vain = ticks + 1, vain + (row[values["TIME"]] == before)
    assert row[values["CONDITION"]] == values["ARRIVED"] and ticks > 300
    assert vain <= 0.01 * ticks


def test_a_release_cut_short(monkeypatch):
    """One block is released, and 1e-8 later the other comes to rest: the first is not away yet, and must be told so."""
    model = ss.models.two_blocks().with_({"belt.speed": 0.12851189255946283})
    field = ss.Field.of(model, order=12)
    monkeypatch.setattr(Field, "_one_by_one", lambda *_: pytest.fail("it is given up"))
    field._in_lockstep(np.array([model.start_state()]), field.parameters[None], (0.0, 1660.0), 1.5e-8, 10**7)


def test_no_name_has_two_meanings():
    """Model and kernels are one text, in which a constant that is set again would change what others mean."""
    source = lane_source(derive(ss.models.forced_oscillator()), 8)
    values: dict[str, set[str]] = {}
    for node in ast.parse(joined_lanes(source, LANES)).body:
        if isinstance(node, ast.FunctionDef):
            values.setdefault(node.name, set()).add(ast.unparse(node))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(names)
                for name, part in zip(names, parts, strict=False):
                    values.setdefault(ast.unparse(name), set()).add(ast.unparse(part))
    assert len(values) > 100
    assert {name: found for name, found in values.items() if len(found) > 1} == {}
