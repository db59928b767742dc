"""A state or a parameter may have any name, also one that the generated source uses itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stickslip as ss

NAMES = ("trajectory", "contact", "largest", "step", "wave_sine", "line", "table_value", "out", "y", "OUT", "P", "flow")


def forced(name: str) -> ss.Filippov:
    """A forced block on a belt, whose stiffness, frequency and friction are all one parameter of that name."""

    def given(text: str) -> Callable[..., Any]:
        return eval(f"lambda x, v, t, {name}=0.7: {text}", {"sin": math.sin})  # type: ignore[no-any-return]

    return ss.Filippov(
        states=("x", "v"),
        f=given(f"(v, sin({name} * t) - (1 + {name}) * x)"),
        G=lambda x, v, t: (0.0, 1.0),
        h=lambda x, v, t: v - 0.2,
        kinetic=given(f"0.3 * {name}"),
        static=given(f"0.4 * {name}"),
        start={"x": 1.0, "v": 0.0},
    )


@pytest.mark.parametrize("name", NAMES)
def test_names_do_not_matter(name):
    model, plain = forced(name), forced("mu")
    assert list(model.parameters) == [name]
    for method in (ss.Exact(target="python"), ss.Henon(step=0.1, target="python")):
        one, other = (ss.simulate(each, t=2.0, method=method) for each in (model, plain))
        np.testing.assert_array_equal(one.step_start, other.step_start)
    np.testing.assert_array_equal(*(ss.Field(each, 8, "python").jacobian([0.3, 0.1])[0] for each in (model, plain)))
