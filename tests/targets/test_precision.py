"""High orders in single precision: what is rounded, and what must not be."""

import ast

import numpy as np
import pytest
from tests.targets.emulation import emulate

import stickslip as ss
from stickslip.kernels import machine
from stickslip.kernels.outcome import FINISHED
from stickslip.targets.precision import NONE, first_in_single, in_two_precisions

MEANING = {"float32": np.float32, "float64": np.float64, "any_lane": bool, "tail": machine.tail, "rough": machine.rough}
ONE_THIRD, HALF = 1.0 / 3.0, np.float32(0.5)


def run(body: str, first: int, *numbers: float) -> tuple[list[float], str]:
    """What the body leaves in the rows of B, which begin with these numbers; and the text that was run."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    tree = ast.parse(f"def function(B):\n{lines}\n")
    in_two_precisions(tree.body[0], first)
    text = ast.unparse(ast.fix_missing_locations(tree))
    names = dict(MEANING)
    exec(text, names)
    B = [np.float64(number) for number in numbers]
    names["function"](B)
    assert all(isinstance(number, np.float64) for number in B)
    return [float(number) for number in B], text


def rounded(x: float) -> float:
    return float(np.float32(x))


def test_from_which_order_on() -> None:
    assert [first_in_single(12, tolerance) for tolerance in (1e-6, 1.5e-8, 1e-8, 1e-10)] == [3, 4, 5, 6]
    for order in (12, 14, 20):
        for tolerance in (1e-5, 1e-8, 1e-11):
            wave = np.cumprod([1.0, *(1.0 / k for k in range(1, order + 1))])
            y = (tolerance / wave[order]) ** (1.0 / order)
            first = first_in_single(order, tolerance)
            assert 2.0**-24 * y**first * wave[first] < tolerance / 2


def test_orders_below_are_not_rounded() -> None:
    body = "x = B[0]\nB[1] = tail(3, x * 1.0)\nB[2] = tail(4, x * 1.0)\nB[3] = rough(x)"
    assert run(body, 4, ONE_THIRD, 0.0, 0.0, 0.0)[0] == [ONE_THIRD, ONE_THIRD, rounded(ONE_THIRD), rounded(ONE_THIRD)]
    found, text = run(body, NONE, ONE_THIRD, 0.0, 0.0, 0.0)
    assert found == [ONE_THIRD] * 4 and "float32" not in text


def test_products_are_rounded_and_sums_are_not() -> None:
    found, text = run("x = B[0]\nc = tail(4, x)\nB[1] = c * x\nB[2] = c * 0.5 + x", 4, ONE_THIRD, 0.0, 0.0)
    single = np.float32(ONE_THIRD)
    assert found[1] == float(single * single) != rounded(ONE_THIRD) * ONE_THIRD
    assert found[2] == float(single * HALF) + ONE_THIRD
    assert "float32(0.5)" in text


def test_a_number_is_rounded_once() -> None:
    text = run("x = B[0]\na = tail(4, x * 0.5)\nb = tail(4, x * 0.25)\nB[1] = a + b", 4, ONE_THIRD, 0.0)[1]
    assert text.count("float32(x)") == 1


def test_a_number_that_has_changed_is_rounded_again() -> None:
    found = run("x = B[0]\na = tail(4, x)\nx = x + 1.0\nB[1] = a\nB[2] = tail(4, x)", 4, ONE_THIRD, 0.0, 0.0)[0]
    assert found[1:] == [rounded(ONE_THIRD), rounded(ONE_THIRD + 1.0)]


def test_the_condition_of_a_loop_is_rounded_in_every_turn() -> None:
    body = "x = B[0]\nwhile any_lane(tail(4, x) < 3.0):\n    x = x + 1.0\nB[1] = x"
    found, text = run(body, 4, ONE_THIRD, 0.0)
    assert "while any_lane(float32(x)" in text
    assert found[1] == ONE_THIRD + 1.0 + 1.0 + 1.0


def test_in_a_loop() -> None:
    body = """
x = B[0]
last = tail(4, x)
while any_lane(x < 3.0):
    last = tail(4, x)
    x = x + 1.0
B[1] = last
B[2] = tail(4, x)
"""
    assert run(body, 4, ONE_THIRD, 0.0, 0.0)[0][1:] == [rounded(ONE_THIRD + 2.0), rounded(ONE_THIRD + 3.0)]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_double_precision_in_one_branch_is_double_precision_in_all(sign: float) -> None:
    body = """
x = B[0]
w = 0.0
if any_lane(B[1] > 0.0):
    w = tail(4, x)
else:
    w = x
y = w * x
if any_lane(B[1] > 0.0):
    y = w * x
B[2] = y
"""
    kept = rounded(ONE_THIRD) if sign > 0.0 else ONE_THIRD
    assert run(body, 4, ONE_THIRD, sign, 0.0)[0][2] == kept * ONE_THIRD


def test_rounding_in_a_branch_is_not_known_after_it() -> None:
    body = """
x = B[0]
a = 0.0
if any_lane(B[1] > 0.0):
    a = tail(4, x * 0.5)
B[2] = a
B[3] = tail(4, x)
"""
    assert run(body, 4, ONE_THIRD, -1.0, 0.0, 0.0)[0][2:] == [0.0, rounded(ONE_THIRD)]


def end_of_motion(order: int, rtol: float, first: int) -> np.ndarray:
    """Where a trajectory in lockstep ends that is rounded from an order on."""
    field = ss.Field.of(ss.models.forced_oscillator("II", eta=1.5), target="cuda", order=order)
    field.lanes._precisions = lambda _: (first,)
    starts, parameters = np.zeros((1, 2)), field.parameters[None, :]
    ends, outcome = field._in_lockstep(starts, parameters, (0.0, 60.0), rtol, 10**9, shortcut=False)
    assert outcome[0, 0] == FINISHED
    return ends


@pytest.mark.parametrize(("order", "rtol"), [(12, 1e-10), (16, 1e-12)])
def test_rounding_stays_below_the_tolerance(order: int, rtol: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to begin two orders before, it would be larger: the choice of the first order matters."""
    core = emulate(monkeypatch)
    first = first_in_single(order, rtol)
    double, rounded_late, rounded_early = (end_of_motion(order, rtol, each) for each in (NONE, first, first - 2))
    late, early = (np.abs(end - double).max() for end in (rounded_late, rounded_early))
    assert 0.0 < late < rtol / 3 and early > 2 * late
    assert core.launched == 3 * ["start_kernel", "travel_kernel", "end_kernel"]  # and nothing was left to the march
