"""The Jacobians of a field against central differences of its rates, for every kind of part, law and mode."""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import cos, exp, sin, tanh
from types import SimpleNamespace

import numpy as np
import pytest

import stickslip as ss


def on_belt(law, *more, normal=1.3, speed=0.2, m=1.4):
    block, belt = ss.Mass("block", m=m), ss.Belt("belt", speed=speed)
    parts = [make(block) for make in more]
    return ss.System(ss.Spring(block, ss.ground, k=1.1), ss.Contact(block, belt, law=law, normal=normal), *parts)


def weakening(v, mu_k=0.6, mu_s=1.0, v_s=0.7):
    return mu_k + (mu_s - mu_k) * exp(-v / v_s)


def stacked():
    top, bottom, belt = ss.Mass("top", 1.2), ss.Mass("bottom", 2.3), ss.Belt("belt", 0.3)
    return ss.System(
        ss.Spring(top, ss.ground, k=1.0, name="spring1"),
        ss.Spring(bottom, ss.ground, k=0.5, name="spring2"),
        ss.Contact(top, bottom, law=ss.Stribeck(0.8, 0.5, 0.6), normal=1.0, name="upper"),
        ss.Contact(bottom, belt, law=ss.Hyperbolic(0.9, 2.0), normal=2.0, name="lower"),
    )


def weighted():
    first, second, belt = ss.Mass("first", 1.0), ss.Mass("second", 0.5), ss.Belt("belt", 0.3)
    return ss.System(
        ss.Spring(first, ss.ground, k=1.0, name="spring1"),
        ss.Spring(second, first, k=0.5, name="spring2"),
        ss.Contact({first: 1.0, second: -0.75}, belt, law=ss.Hyperbolic(0.9, 2.0), normal=2.0),
    )


def shaken():
    block = ss.Mass("block", 1.5)
    base = ss.Base("base", motion=lambda t, u0=0.4, eta=1.3: u0 * sin(eta * t))
    return ss.System(
        ss.Spring(block, base, force=lambda e, k=1.2, cubic=0.4: k * e + cubic * e**3),
        ss.Damper(block, base, force=lambda e, c=0.3: c * tanh(e)),
        ss.Contact(block, base, law=weakening, normal=2.0),
        ss.Force(block, lambda t, x, v, a=0.2: a * x * v * cos(t)),
    )


def relays():
    return ss.Filippov(
        ("x", "y", "z"),
        f=lambda x, y, z, t, a=1.3: (y * z, -a * x + sin(t) * y, x * y - z),
        G=lambda x, y, b=0.7: ((0.2 * x, b), (1.0 + 0.1 * x**2, 0.3 * y), (b * y, 1.5)),
        h=lambda x, y, z, t, c=0.4: (y + c * x - 0.1 * t, z + 0.2 * x * x),
        kinetic=lambda v, x, d=0.5: (1.0 + d * v, 0.8 + d * x * x + 0.1 * v),
        static=2.0,
        contacts=("one", "two"),
    )


MODELS = {
    **{name: make for name, make in ss.models.LIBRARY.items() if name != "chain"},
    "chain3": lambda: ss.models.chain(3),
    "tabulated": lambda: on_belt(ss.Tabulated([0, 0.5, 1, 2], [0.9, 0.7, 0.6, 0.65], mu_s=1.1)),
    "tabulated viscous": lambda: on_belt(ss.Tabulated([0, 0.5, 1, 2], [0.9, 0.7, 0.6, 0.65]).with_viscous(0.2)),
    "stribeck 1.5": lambda: on_belt(ss.Stribeck(1.0, 0.6, 0.8, shape=1.5)),
    "stribeck 2": lambda: on_belt(ss.Stribeck(1.0, 0.6, 0.8, shape=2)),
    "polynomial": lambda: on_belt(ss.Polynomial([0.9, -0.2, 0.05], mu_s=1.0)),
    "viscous": lambda: on_belt(ss.Hyperbolic(1.0, 2.0).with_viscous(0.3)),
    "function": lambda: on_belt(weakening),
    "function static": lambda: on_belt(ss.FunctionLaw(weakening, static_coefficient=1.4)),
    "abs": lambda: on_belt(lambda v, a=0.9: 0.5 + 0.2 * abs(v - a)),
    "max": lambda: on_belt(lambda v, a=0.9: max(a - 0.1 * v, 0.3 + 0.2 * v)),
    "sign": lambda: on_belt(weakening, lambda b: ss.Force(b, lambda x, a=0.3: a * np.sign(x) * x**2)),
    "belt in time": lambda: on_belt(weakening, speed=lambda t, v0=0.3, w=2.0: v0 * cos(w * t)),
    "normal": lambda: on_belt(weakening, normal=lambda t, x_block, v_block, e=0.2: 3 + e * x_block * v_block + sin(t)),
    "stacked": stacked,
    "weighted": weighted,
    "shaken": shaken,
    "relays": relays,
}
SCALES = {"bowed_string": 1e-3}


def difference(function, x, scale):
    """Central difference of fourth order."""
    h = 1e-3 * scale
    return (8 * (function(x + h) - function(x - h)) - (function(x + 2 * h) - function(x - 2 * h))) / (12 * h)


def states_of(model, name, count=3):
    numbers = np.random.default_rng(7)
    return SCALES.get(name, 1.0) * numbers.uniform(-1.2, 1.2, (count, len(model.states)))


@pytest.mark.parametrize("name", MODELS)
def test_jacobian_agrees_with_differences(name):
    model = MODELS[name]()
    field = ss.Field.of(model, target="python", order=8)
    names = list(model.parameters)
    for z, t in zip(states_of(model, name), (0.3, 1.1, 2.0), strict=True):
        for mode in itertools.product((0, 1, -1), repeat=len(model.contacts)):
            # In slip the law is defined for u = s v >= 0 alone: modes against the velocity are skipped.
            v = field.evaluate(z, t, mode).v
            if any(s * x < 0 for s, x in zip(mode, v, strict=True)):
                continue
            by_state, by_parameter = field.jacobian(z, t, mode)
            expected_z, expected_p = np.zeros_like(by_state), np.zeros_like(by_parameter)
            for j in range(len(z)):

                def moved(x, z=z, t=t, mode=mode, j=j):
                    return field.evaluate([*z[:j], x, *z[j + 1 :]], t, mode).rate

                expected_z[:, j] = difference(moved, z[j], 0.1 * SCALES.get(name, 1.0))
            for j, parameter in enumerate(names):
                value = model.parameters[parameter]

                def changed(x, parameter=parameter, z=z, t=t, mode=mode):
                    # Not `with_`: it rightly refuses, say, a static coefficient below the kinetic one.
                    changes = SimpleNamespace(parameters={**model.parameters, parameter: x})
                    other = replace(field, model=changes)
                    vars(other)["program"] = field.program  # the same equations, with numbers that nobody checks
                    return other.evaluate(z, t, mode).rate

                expected_p[:, j] = difference(changed, value, 0.1 * (abs(value) or 0.1))
            check(by_state, expected_z, f"{name} {mode}: by state")
            check(by_parameter, expected_p, f"{name} {mode}: by parameter")


def check(got, expected, what):
    scale = max(np.abs(expected).max(), 1e-4)  # where all is zero, differences leave round-off
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=2e-8 * scale, err_msg=what)


def test_evaluate_of_a_tabulated_law():
    law = ss.Tabulated([0, 1, 2], [0.4, 0.3, 0.35])
    point = ss.Field.of(on_belt(law, normal=2.0), target="python", order=8).evaluate([0.1, 0.9])
    assert point.kinetic[0] == pytest.approx(2.0 * law.kinetic_value(0.7), rel=1e-14)
    assert point.force[0] == -point.kinetic[0]


def test_where_of_the_package_is_traced():
    block_law = on_belt(lambda v, a=0.5: 0.3 + ss.where(v < a, 0.2 * v, 0.2 * a))
    assert ss.Field.of(block_law, target="python", order=8).evaluate([0.0, 0.4]).kinetic[0] == pytest.approx(1.3 * 0.34)


def test_maximum_of_three():
    model = on_belt(lambda v, a=0.5: max(a - 0.1 * v, 0.2, 0.1 + 0.01 * v))
    assert ss.Field.of(model, order=20).evaluate([0.0, 0.7]).kinetic[0] == pytest.approx(1.3 * 0.45)
