"""Arguments of methods and fields: what is wrong is refused in a sentence that says what is right."""

import math

import numpy as np
import pytest

import stickslip as ss

METHODS = {
    "Exact": ss.Exact,
    "Henon": lambda **more: ss.Henon(**({"step": 0.01} | more)),
    "Bisection": lambda **more: ss.Bisection(**({"step": 0.01} | more)),
    "Switch": ss.Switch,
    "Smoothing": lambda **more: ss.Smoothing(**({"eps": 1e3} | more)),
    "TimeStepping": lambda **more: ss.TimeStepping(**({"step": 0.01} | more)),
}
NO_NUMBER = [math.nan, math.inf, "1", True, None, [1.0], np.array([1.0, 2.0]), 1j]
NO_WHOLE = [0, -1, 1.0, 2.5, 2**70, *NO_NUMBER]


@pytest.fixture(scope="module")
def field():
    return ss.Field.of(ss.models.block_on_belt(), target="python", order=8)


@pytest.mark.parametrize("most", NO_WHOLE, ids=repr)
@pytest.mark.parametrize("method", METHODS)
def test_most_steps_is_a_whole_number(method, most):
    with pytest.raises(ss.errors.ModelError, match=f"{method}: most_steps is .*: it must be a whole number"):
        METHODS[method](most_steps=most)


@pytest.mark.parametrize("order", [5, 31, 20.0, *(x for x in NO_NUMBER if x is not None)], ids=repr)
def test_an_order_is_a_whole_number(order):
    with pytest.raises(ss.errors.ModelError, match=r"order is .*: it must be a whole number, from 6 to 30"):
        ss.Exact(order=order)


@pytest.mark.parametrize("method, name", [
    ("Exact", "rtol"), ("Henon", "step"), ("Bisection", "step"), ("Bisection", "band"), ("Switch", "eta"),
    ("Switch", "rtol"), ("Switch", "atol"), ("Switch", "forgetting"), ("Smoothing", "eps"), ("Smoothing", "rtol"),
    ("TimeStepping", "step"), ("TimeStepping", "theta"),
])  # fmt: skip
@pytest.mark.parametrize("value", [*NO_NUMBER, -1.0], ids=repr)
def test_numbers_of_methods(method, name, value):
    with pytest.raises(ss.errors.ModelError, match=f"{method}: {name} is "):
        METHODS[method](**{name: value})


@pytest.mark.parametrize("method", [name for name in METHODS if name != "Smoothing"])
@pytest.mark.parametrize("target", ["gpu", None, ["cpu"], 1])
def test_the_target_of_a_method(method, target):
    with pytest.raises(ss.errors.ModelError, match=f"{method}: there is no target"):
        METHODS[method](target=target)


def test_numbers_of_numpy_are_numbers():
    method = ss.Exact(rtol=np.float32(1e-6), order=np.int64(12), most_steps=np.uint8(200))
    assert (method.order, method.most_steps) == (12, 200)
    assert type(method.order) is type(method.most_steps) is int


@pytest.mark.parametrize("z", [
    [1.0], 1.0, [1.0, 2.0, 3.0], [[1.0, 2.0]], ["1", "2"], [1.0, math.nan], [True, False], [1j, 0], None, "ab", [],
    {"x.block": 1.0}, np.array([1, 2], "datetime64[s]"), np.ma.masked_array([1.0, 2.0], [True, False]),
], ids=repr)  # fmt: skip
def test_a_field_refuses_what_is_no_state(field, z):
    for verb in (field.evaluate, field.jacobian):
        with pytest.raises(ss.errors.ModelError, match=r"the state|the numbers of the state"):
            verb(z)


@pytest.mark.parametrize("mode", [[2], [0, 1], [0.5], 0, ["stick"], [math.nan], [[0]], "0"], ids=repr)
def test_a_field_refuses_what_is_no_mode(field, mode):
    with pytest.raises(ss.errors.ModelError, match=r"the mode|the numbers of the mode"):
        field.evaluate([1.0, 0.0], mode=mode)


@pytest.mark.parametrize("t", NO_NUMBER, ids=repr)
def test_a_field_refuses_what_is_no_time(field, t):
    with pytest.raises(ss.errors.ModelError, match=r"^t is "):
        field.evaluate([1.0, 0.0], t)


def test_states_of_any_layout(field):
    expected = field.evaluate([1.1, 0.3]).rate.tolist()
    wide = np.array([[1.1, 9.0, 0.3, 9.0]])
    for z in (wide[0, ::2], np.array([0.3, 1.1])[::-1], np.array([1.1, 0.3], ">f8"), (1.1, np.float64(0.3))):
        assert field.evaluate(z).rate.tolist() == expected
    assert field.evaluate(np.array([1, 0], np.uint8)).rate.tolist() == field.evaluate([1.0, 0.0]).rate.tolist()


@pytest.mark.parametrize("wrong, said", [
    ({"starts": [1.0, 0.0]}, "starts have the shape"),
    ({"starts": [[1.0]]}, "starts have the shape"),
    ({"starts": [["a", "b"]]}, "starts are"),
    ({"parameters": [[1.0]]}, "parameters have the shape"),
    ({"parameters": np.ones((2, len(ss.models.block_on_belt().parameters)))}, "1 starts and 2 rows"),
    ({"t_end": math.nan}, "t_end is"),
    ({"t_start": "0"}, "t_start is"),
    ({"rtol": 0.0}, "rtol is"),
    ({"most_steps": 1.5}, "most_steps is"),
])  # fmt: skip
def test_many_trajectories_refuse_the_same(field, wrong, said):
    asked = {"starts": [[1.0, 0.0]], "t_end": 1.0} | wrong
    with pytest.raises(ss.errors.ModelError, match=said):
        field.propagate(**asked)


def test_motions_need_series_of_some_order():
    low = ss.Field.of(ss.models.block_on_belt(), order=4, target="python")
    assert low.evaluate([1.0, 0.0]).rate.shape == (2,)
    with pytest.raises(ss.errors.ModelError, match="order is 4: motions need series of order 6 at least"):
        low.propagate([[1.0, 0.0]], 1.0)


@pytest.mark.parametrize("wrong, said", [
    ({"samples": "ten"}, "samples are 'ten'"),
    ({"samples": 1}, "samples is 1"),
    ({"samples": True}, "samples is True"),
    ({"samples": 2.5}, "samples is 2.5"),
    ({"samples": 10**12}, "samples is"),
    ({"samples": [0.1, math.nan]}, "one of samples is nan"),
    ({"samples": [[0.1]]}, "samples have the shape"),
    ({"samples": ["a"]}, "samples are"),
    ({"samples": [1j]}, "samples are"),
    ({"dense": "no"}, "dense is"),
    ({"progress": 1}, "progress is"),
    ({"method": "Exact"}, "method is"),
    ({"seed": -1}, "seed is -1"),
    ({"seed": 1.0}, "seed is 1.0"),
    ({"model": "block"}, "is not a model"),
    ({"model": ss.models.block_on_belt}, "call it"),
])  # fmt: skip
def test_simulate_refuses_in_a_sentence(wrong, said):
    asked = {"model": ss.models.block_on_belt(), "t": 1.0, "method": ss.Exact(target="python", order=8)} | wrong
    with pytest.raises(ss.errors.ModelError, match=said):
        ss.simulate(**asked)
