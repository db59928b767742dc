"""The compiled target equals plain Python; the cache tells models apart."""

from __future__ import annotations

import math
import types
from math import cos, exp, sin

import numpy as np
import pytest

import stickslip as ss
from stickslip.model.functions import fingerprint


def on_belt(law, normal=1.0, speed=0.2, **start):
    block, belt = ss.Mass("block", m=1.0, **start), ss.Belt("belt", speed=speed)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=normal))


def stacked():
    top, bottom, belt = ss.Mass("top", 1.2), ss.Mass("bottom", 2.3), ss.Belt("belt", 0.3)
    return ss.System(
        ss.Spring(top, ss.ground, k=1.0, name="spring1"),
        ss.Spring(bottom, ss.ground, k=0.5, name="spring2"),
        ss.Contact(top, bottom, law=ss.Stribeck(0.8, 0.5, 0.6), normal=1.0, name="upper"),
        ss.Contact(bottom, belt, law=ss.Hyperbolic(0.9, 2.0), normal=2.0, name="lower"),
    )


def inverse_square(v, a=0.5, b=1.5):
    return 0.2 + a / (b + v) ** 2


SHORTER = ("chain", "bowed_string", "compliant_oscillator")
MODELS = {
    **{name: (make, 15.0) for name, make in ss.models.LIBRARY.items() if name not in SHORTER},
    "bowed_string": (ss.models.bowed_string, 0.004),
    "chain": (lambda: ss.models.chain(3), 12.0),
    "compliant_oscillator": (ss.models.compliant_oscillator, 2.0),
    "tabulated": (lambda: on_belt(ss.Tabulated([0, 0.2, 0.5, 1], [0.9, 0.7, 0.6, 0.65], mu_s=1.0)), 20.0),
    "stribeck 1.5": (lambda: on_belt(ss.Stribeck(1.0, 0.6, 0.3, shape=1.5)), 12.0),
    "kink": (lambda: on_belt(lambda v, a=0.3: 0.4 + abs(v - a) + max(0.5 - v, 0.1)), 20.0),
    "normal": (
        lambda: on_belt(ss.Hyperbolic(1.0, 3.0), normal=lambda t, x_block: 1.5 + 0.2 * x_block * sin(t)),
        20.0,
    ),
    "belt in time": (lambda: on_belt(ss.Coulomb(0.4, 0.3), speed=lambda t: 0.5 * cos(2 * t)), 20.0),
    "stacked": (stacked, 25.0),
    "inverse square": (lambda: on_belt(inverse_square), 20.0),
}


@pytest.mark.parametrize("name", MODELS)
def test_cpu_equals_python(name):
    make, end = MODELS[name]
    runs = [
        ss.simulate(make(), t=end, method=ss.Exact(target=target, rtol=1e-13, most_steps=3000))
        for target in ("cpu", "python")
    ]
    cpu, python = runs
    assert cpu.attrs["status"] == python.attrs["status"] == ss.Status.FINISHED.value
    for part in ("event_contact", "event_before", "event_after"):
        assert cpu[part].values.tolist() == python[part].values.tolist()
    np.testing.assert_allclose(cpu["event_time"], python["event_time"], rtol=1e-10, atol=1e-12)
    times = np.linspace(0, end, 40)
    a, b = (ss.interpolate(run, times) for run in runs)
    for state in cpu["state"].values:
        scale = np.abs(a[state]).max().item()
        np.testing.assert_allclose(a[state], b[state], rtol=0, atol=1e-11 * scale + 1e-18)


def test_formulas_with_powers_in_the_denominator():
    """x'' = -a/b² x with parameters: the constant, and the law, are divided by b·b, not by b times b."""
    model = ss.Filippov(
        ("x", "y"),
        f=lambda x, y, a=3.0, b=2.0: (y, -a / b**2 * x),
        G=lambda: (0.0, 0.0),
        h=lambda x: x + 10,
        kinetic=0.0,
        start={"x": 1.0},
    )
    run = ss.simulate(model, t=1.0)
    assert float(run["x"][-1]) == pytest.approx(cos(math.sqrt(0.75)), rel=1e-12)
    point = ss.Field.of(on_belt(inverse_square), order=20).evaluate([0.0, 0.9])
    assert point.kinetic[0] == pytest.approx(inverse_square(0.7), rel=1e-14)


# -- telling models apart in the cache --------------------------------------------------------------------------


def from_text(text, **names):
    scope = dict(names)
    exec(text, scope)
    return scope["law"]


def module_with(value):
    module = types.ModuleType("settings_of_a_user")
    module.A = value
    return module


NESTED = "A = {}\ndef law(v):\n    inner = lambda u: A * u\n    return 0.5 + inner(v)"
HELPER = "def helper(u, a={}):\n    return a * u\ndef law(v):\n    return 0.5 + helper(v)"
PAIRS = {
    "digits run together": (lambda v: 0.51 + 0.0 * v, lambda v: 0.5 + 10.0 * v),
    "global used in an inner function": [from_text(NESTED.format(a)) for a in (0.1, 0.2)],
    "default of a helper": [from_text(HELPER.format(a)) for a in (0.1, 0.2)],
    "value in a module": [
        from_text("def law(v):\n    return 0.5 + settings.A * v", settings=module_with(a)) for a in (0.1, 0.2)
    ],
}


@pytest.mark.parametrize("name", PAIRS)
def test_different_functions_are_told_apart(name):
    one, other = PAIRS[name]
    marks = fingerprint(one), fingerprint(other)
    assert marks[0] is None or marks[0] != marks[1]


def test_models_with_different_constants_do_not_share_code():
    one, other = (on_belt(law) for law in PAIRS["digits run together"])
    kinetic = [ss.Field.of(model, target="python", order=6).evaluate([0.0, 1.2]).kinetic[0] for model in (one, other)]
    assert kinetic == pytest.approx([0.51, 10.5], rel=1e-14)


def test_order_of_formula_parameters_does_not_matter():
    formula = "0.2 + a*exp(-b*v)"
    forces = []
    for parameters in ({"a": 0.5, "b": 3.0}, {"b": 3.0, "a": 0.5}):
        model = on_belt(ss.Formula(formula, ("v",), parameters))
        forces.append(ss.Field.of(model, target="python", order=6).evaluate([0.0, 0.7]).kinetic[0])
    assert forces == pytest.approx([0.2 + 0.5 * exp(-1.5)] * 2, rel=1e-14)


def test_readable_source_of_every_kind():
    """Also where G and D vary along the step, for which the looped form is the only one beyond two contacts."""
    model = ss.Filippov(
        ("x", "y"),
        f=lambda x, y: (y, -x),
        G=lambda x, y: (0.1 * x, 1 + 0.2 * x * x),
        h=lambda x, y: y + 0.1 * x * y,
    )
    assert "def taylor" in ss.Field.of(model, target="python", order=6).source
