"""Which points of a sweep the model allows: as quickly with many parameters as with few."""

import time
from itertools import pairwise

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import ModelError
from stickslip.kernels.outcome import FINISHED, IMPOSSIBLE


def plan_of(model, over, **keywords):
    return ss.plan_sweep(model, over, times=(1.0, 1.0), zip=True, **keywords)


def allowed(plan):
    """What the plan says of its points."""
    values = dict(zip(plan._swept, plan.axes.values, strict=True))
    return plan._allowed(values, plan.count)


def as_with_says(model, over):
    """The same from the model itself, point by point."""
    found = []
    for point in zip(*over.values(), strict=True):
        try:
            model.with_(dict(zip(over, map(float, point), strict=True)))
        except ModelError:
            found.append(False)
        else:
            found.append(True)
    return found


def chain(n):
    masses = [ss.Mass(f"m{i}", m=1.0) for i in range(n)]
    springs = [ss.Spring(a, b, k=1.0, name=f"s{i}") for i, (a, b) in enumerate(pairwise(masses))]
    belt = ss.Belt("belt", speed=0.2)
    return ss.System(*masses, *springs, ss.Contact(masses[0], belt, law=ss.Coulomb(0.4, 0.3), name="rub"))


@pytest.mark.parametrize("law", [ss.Polynomial([0.5] * 24), None], ids=["one law", "many parts"])
def test_as_quick_with_26_parameters(law):
    model = chain(13) if law is None else ss.System(ss.Contact(ss.Mass("m0", 1.0), ss.Belt("belt", 0.2), law))
    names = [n for n in model.parameters if n not in ("rub.mu_s", "rub.mu_k")][:26]
    assert len(names) == 26
    rng = np.random.default_rng(1)
    over = {name: rng.uniform(0.1, 2.0, 300) for name in names}
    over[names[3]] = np.where(np.arange(300) == 17, -50.0, over[names[3]])
    plan = plan_of(model, over)
    begin = time.perf_counter()
    found = allowed(plan)
    assert time.perf_counter() - begin < 1.0
    assert found.tolist() == as_with_says(model, over)
    assert not found[17]


def test_a_combination_that_is_forbidden_is_found():
    over = {"rub.mu_s": [0.4, 0.2, 0.4], "rub.mu_k": [0.3, 0.3, 0.4], "m1.m": [1.0, 1.0, -1.0]}
    plan = plan_of(chain(2), over)
    assert plan.run(plan.chunks[0])["status"].tolist() == [FINISHED, IMPOSSIBLE, IMPOSSIBLE]


@pytest.mark.parametrize("seed", range(20))
def test_random_sweeps_get_what_the_model_says(seed):
    rng = np.random.default_rng(seed)
    model = chain(3)
    names = rng.permutation(list(model.parameters))[: rng.integers(1, len(model.parameters) + 1)]
    over = {str(name): rng.choice([-0.1, 0.0, 0.2, 0.5], 40) for name in names}
    assert allowed(plan_of(model, over)).tolist() == as_with_says(model, over)


def test_a_parameter_of_a_shared_law_may_be_swept_by_either_name():
    law, belt = ss.Coulomb(0.4, 0.3), ss.Belt("belt", 0.2)
    contacts = [ss.Contact(ss.Mass(f"m{i}", 1.0), belt, law, name=f"c{i}") for i in range(2)]
    model = ss.System(*contacts)
    for name in ("c0.mu_k", "c1.mu_k"):
        plan = plan_of(model, {name: [0.3, 0.5]})
        assert plan.run(plan.chunks[0])["status"].tolist() == [FINISHED, IMPOSSIBLE]


def test_a_function_s_own_parameters_follow_no_rule_of_the_part():
    block = ss.Mass("block", m=1.0)
    softening = ss.Spring(block, ss.ground, force=lambda e, k=-1.0, cubic=2.0: k * e + cubic * e**3, name="spring")
    system = ss.System(softening)
    assert system.parameters["spring.k"] == -1.0
    assert system.with_({"spring.k": -3.0}).parameters["spring.k"] == -3.0
    push = ss.Force(block, lambda t, force=-2.0: force, name="push")
    contact = ss.Contact(block, ss.ground, law=lambda v, mu=0.3: mu, normal=lambda t, normal=-1.0: normal**2)
    assert ss.System(push, contact).with_({"contact.normal": -2.0}).parameters["contact.normal"] == -2.0


def test_one_name_for_two_numbers_of_a_part_is_refused():
    block = ss.Mass("block", m=1.0)
    contact = ss.CompliantContact(
        block, ss.ground, ss.Coulomb(0.4), normal=lambda t, stiffness=3.0: stiffness, stiffness=10.0, name="pad"
    )
    with pytest.raises(ModelError, match="'pad': normal has a parameter 'stiffness', which the part has: rename"):
        ss.System(contact)
