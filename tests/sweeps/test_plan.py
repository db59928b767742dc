"""Plans: sweeps as data, cut into chunks that can be run anywhere."""

import inspect
import math
import pickle

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.field import Field, compile_forcing, compile_forcings
from stickslip.model.formula import Formula
from stickslip.sweeps.chance import uniform
from stickslip.targets.generated import OBSERVE

OVER = {"base.eta": np.linspace(0.8, 2.0, 10)}


def plan_of(**keywords):
    return ss.plan_sweep(ss.models.forced_oscillator("III"), **({"over": OVER, "periods": (20, 10)} | keywords))


def test_chunks_cover_all_points_once():
    plan = plan_of(chunk=4)
    assert [(c.index, c.first, c.last) for c in plan.chunks] == [(0, 0, 4), (1, 4, 8), (2, 8, 10)]
    assert np.concatenate([plan.points(c) for c in plan.chunks]).tolist() == list(range(10))


def test_carry_cuts_across_the_other_axes():
    plan = plan_of(over=OVER | {"base.u0": [0.4, 0.5, 0.6]}, carry="up", chunk=10)
    assert len(plan.chunks) == 3
    assert plan.points(plan.chunks[1]).tolist() == list(range(1, 30, 3))
    assert sorted(np.concatenate([plan.points(c) for c in plan.chunks]).tolist()) == list(range(30))


def test_results_follow_the_layout():
    plan = plan_of(chunk=4)
    results = plan.run(plan.chunks[2])
    assert set(results) == set(plan.layout)
    for name, layout in plan.layout.items():
        length = results[layout.counted_by].sum() if layout.counted_by else 2
        assert results[name].shape == (length, *layout.shape)
        assert results[name].dtype == layout.dtype


def test_order_and_process_do_not_matter():
    plan = plan_of(chunk=3, start="random", seed=1)
    copy = pickle.loads(pickle.dumps(plan))
    assert copy == plan
    assert copy.fingerprint == plan.fingerprint
    forwards = plan.assemble({c.index: plan.run(c) for c in plan.chunks})
    backwards = copy.assemble({c.index: copy.run(c) for c in reversed(copy.chunks)})
    xr.testing.assert_identical(forwards, backwards)


def test_missing_chunks_are_marked():
    plan = plan_of(chunk=4)
    data = plan.assemble({1: plan.run(plan.chunks[1])})
    assert data["status"].values.tolist() == [-1] * 4 + [0] * 4 + [-1] * 2
    assert np.isnan(data["x.block"].values[0]).all()
    assert data.attrs["status"] == "4 of 10 points were computed."
    assert plan.assemble({})["status"].values.tolist() == [-1] * 10


def test_a_stopped_chunk_is_not_complete():
    plan = plan_of(over={"base.eta": np.linspace(0.8, 2.0, 40)})
    answers = iter([False, True])
    results = plan.run(plan.chunks[0], stop=lambda: next(answers))
    assert not plan.is_complete(results)
    assert (results["status"] == 0).sum() == 16
    assert plan.is_complete(plan.run(plan.chunks[0]))


@pytest.mark.parametrize(
    "motion",
    [
        lambda t, w=0.7: math.cos(3 * w * t) + math.sin(2 * w * t),
        lambda t, w=0.7: math.cos(t * w**1.5),
        lambda t, w=0.7: w * t**2,
        0.3,
    ],
)
def test_periods_at_many_points_are_those_at_each(motion):
    """Of formulas for arrays and of others, where there is none, and where it cannot be computed."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=motion)
    model = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=ss.Coulomb(0.3), normal=1.0))
    rows = np.tile(list(model.parameters.values()), (300, 1))
    rows *= np.linspace(0.0, 3.0, 300)[:, None]
    with np.errstate(divide="ignore"):
        alone = [compile_forcing(model)(row) for row in rows]
    np.testing.assert_array_equal(compile_forcings(model)(rows), alone)


@pytest.mark.parametrize("width", [1, 2, 4, 5, 11])
@pytest.mark.parametrize("seed", [0, 7, 2**63 - 1])
def test_random_starts_are_those_of_numpy(seed, width):
    numbers = np.array([*range(9000), 2**40, 2**62])
    chosen = [0, 1, 8191, 8192, 8999, 9000, 9001]
    known = [np.random.Generator(np.random.Philox(key=[seed, int(numbers[i])])).random(width) for i in chosen]
    np.testing.assert_array_equal(uniform(seed, numbers, width)[chosen], known)


def test_fingerprint_tells_sweeps_apart():
    first = plan_of().fingerprint
    assert first == plan_of().fingerprint == plan_of(chunk=3).fingerprint
    others = [
        plan_of(rtol=1e-10), plan_of(periods=(20, 11)), plan_of(observe=ss.observe.SlipToStick()), plan_of(carry="up"),
        plan_of(start={"x.block": 1.0}), plan_of(over={"base.eta": OVER["base.eta"] + 1e-15}), plan_of(most=7),
        plan_of(start="random"), plan_of(start="random", seed=1),
    ]  # fmt: skip
    assert len({first, *(plan.fingerprint for plan in others)}) == 10


def test_a_model_that_cannot_be_written_stays_in_its_process():
    block = ss.Mass("block", m=1.0, x=1.0)
    model = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Force(block, Formula("0.1*formula*sin(t)", ("t",), {"formula": 0.7})),  # in a file, "formula" is a keyword
        ss.Contact(block, ss.Belt("belt", 0.5), law=ss.Coulomb(0.3), normal=1.0),
    )
    plan = ss.plan_sweep(model, {"belt.speed": [0.2, 0.5]}, times=(10, 20))
    assert plan.model is model and not plan.is_written
    assert plan.run(plan.chunks[0])["status"].tolist() == [0, 0]
    with pytest.raises(ss.errors.ModelError, match="another process"):
        pickle.dumps(plan)
    other = ss.plan_sweep(model.with_({"spring.k": 1.1}), {"belt.speed": [0.2, 0.5]}, times=(10, 20))
    assert other.fingerprint != plan.fingerprint  # though the remark in place of the text is the same


def test_compiled_code_does_what_plain_python_does():
    plan = plan_of(over={"base.eta": [0.9, 1.4]}, observe=ss.observe.Section("x.block", 1.0, "both"), periods=(2, 4))
    compiled = plan.run(plan.chunks[0])
    plain = pickle.loads(pickle.dumps(plan))
    plain.__dict__["field"] = Field.of(plan.model, target="python", order=plan.field.order, kernels=OBSERVE)
    for name, values in plain.run(plan.chunks[0]).items():
        np.testing.assert_allclose(values, compiled[name], rtol=1e-6, atol=1e-9, err_msg=name)


def test_sweep_has_the_keywords_of_its_plan():
    of_plan = inspect.signature(ss.plan_sweep).parameters
    of_sweep = inspect.signature(ss.sweep).parameters
    assert {name: of_sweep[name].default for name in of_plan} == {name: p.default for name, p in of_plan.items()}
    assert set(of_sweep) - set(of_plan) == {"threads", "checkpoint", "cluster", "progress"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'obsrve'"):
        ss.sweep(ss.models.forced_oscillator("III"), OVER, obsrve=None)
