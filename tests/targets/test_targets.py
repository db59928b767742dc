"""The compiled target equals plain Python; the compiler means what Python means; the cache tells models apart."""

from __future__ import annotations

import ctypes
import math
import types
from math import cos, exp, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stickslip as ss
from stickslip.model.functions import fingerprint
from stickslip.targets import compiler


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
        ss.simulate(make(), t=end, method=ss.Exact(target=target, order=12, rtol=1e-13, most_steps=3000))
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
    point = ss.Field.of(on_belt(inverse_square)).evaluate([0.0, 0.9])
    assert point.kinetic[0] == pytest.approx(inverse_square(0.7), rel=1e-14)


# -- the compiler's subset --------------------------------------------------------------------------------------


KERNELS = """
def loops(A: Floats, n: int) -> float:
    total = 0.0
    for i in range(n):
        if i == 7:
            break
        for j in range(n, i, -2):
            if j % 3 == 1:
                continue
            total += A[j % 4] * (i + 1) - j
    return total


def whiles(x: float, n: int) -> float:
    count = 0
    while count < n and not x > 1e6:
        x = x * 1.5 if x > 0.0 else -x + 0.25
        count += 1
        if count == 9:
            continue
        x -= 0.125
    return x + count


def logic(x: float, y: float, n: int) -> int:
    r = 0
    if x < y or n == 3:
        r += 1
    if x < y and y < 2.0 and n != 2:
        r += 2
    elif not (x >= y):
        r += 4
    else:
        r += 8
    if -1.0 <= x < y <= 3.0:
        r += 16
    if x == y or x != x:
        r += 32
    return -r if n < 0 else r


def extremes(x: float, y: float) -> float:
    return min(x, y) + 3.0 * max(x, y) + abs(x - y) + (1.0 if isfinite(x) else 7.0) + float(min(2, 3)) + abs(-4)


def pick(x: float, y: float) -> float:
    return min(x, y)


def pick_large(x: float, y: float) -> float:
    return max(x, y)


def integers(n: int, m: int) -> int:
    n += 2
    n *= m
    n -= m * m - (n + 1) // 3
    return n % 7 + n // (m + 1) + int(2.9) + abs(n - 100)


def functions(x: float) -> float:
    y = exp(-x * x) + log(1.0 + x * x) + sqrt(2.0 + x) + sin(x) * cos(x) + tanh(x) - atan(x)
    y += sinh(0.3 * x) + cosh(0.2 * x) + tan(0.4 * x) + (2.0 + x * x) ** 1.7 + copysign(2.0, x)
    A_x = x / 3.0
    return y - A_x ** 2


def stores(A: Floats, I: Ints, n: int) -> None:
    I[0] = n
    I[1] = n > 2
    A[0] += n
    A[I[0] % 3] *= 0.5
    A[3] = C[1] + K


def nested(n: int) -> int:
    total = 0
    for i in range(n):
        for k in range(i):
            total += k
        i = 100
        total += i
    return total


def last(n: int) -> int:
    i = -5
    for i in range(3, n):
        pass
    return i
"""
SIGNATURES = {
    "loops": "dAn", "whiles": "dfn", "logic": "nffn", "extremes": "dff", "pick": "dff", "pick_large": "dff",
    "integers": "nnn", "functions": "df", "stores": "vAIn", "nested": "nn", "last": "nn",
}  # fmt: skip
VALUES = {"C": np.array([0.5, 2.5]), "K": 3}


@pytest.fixture(scope="module")
def kernels():
    """name → (compiled, plain)."""
    code = compiler.object_code(KERNELS, VALUES, tuple(SIGNATURES), ())
    engine = compiler.loaded(code)
    scope = {
        "Floats": list,
        "Ints": list,
        **{n: getattr(math, n) for n in dir(math) if n[0] != "_"},
        **VALUES,
    }
    exec(KERNELS, scope)
    kinds = {
        "d": ctypes.c_double,
        "f": ctypes.c_double,
        "n": ctypes.c_int64,
        "A": ctypes.c_void_p,
        "I": ctypes.c_void_p,
    }
    kinds["v"] = None
    made = {}
    for name, signature in SIGNATURES.items():
        function = ctypes.CFUNCTYPE(*(kinds[c] for c in signature))(engine.get_function_address(name))
        made[name] = (function, scope[name], engine)
    return made


numbers = st.floats(-5, 5)
any_float = st.floats(allow_nan=True, allow_infinity=True)


def same(a, b, tolerance=0.0):
    return (a != a and b != b) or a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


@settings(deadline=None, max_examples=60)
@given(a=st.lists(numbers, min_size=4, max_size=4), n=st.integers(0, 20))
def test_for_loops(kernels, a, n):
    compiled, plain, _ = kernels["loops"]
    array = np.array(a)
    assert same(compiled(array.ctypes.data, n), plain(a, n), 1e-12) or abs(plain(a, n)) < 1e-9


@settings(deadline=None, max_examples=60)
@given(x=numbers, n=st.integers(0, 30))
def test_while_and_conditional(kernels, x, n):
    compiled, plain, _ = kernels["whiles"]
    assert compiled(x, n) == pytest.approx(plain(x, n), rel=1e-11, abs=1e-11)


@settings(deadline=None, max_examples=150)
@given(x=any_float, y=any_float, n=st.integers(-2, 4))
def test_logic_also_with_nan(kernels, x, y, n):
    compiled, plain, _ = kernels["logic"]
    assert compiled(x, y, n) == plain(x, y, n)
    assert compiled(x, x, n) == plain(x, x, n)


@settings(deadline=None, max_examples=150)
@given(x=any_float, y=any_float)
def test_extremes_also_with_nan(kernels, x, y):
    for name in ("extremes", "pick", "pick_large"):
        compiled, plain, _ = kernels[name]
        found, expected = compiled(x, y), plain(x, y)
        rounding = 1e-15 * (abs(x) + abs(y))  # large terms may cancel
        assert same(found, expected, 1e-12) or abs(found - expected) <= rounding
    nan = math.nan
    for name in ("pick", "pick_large"):
        compiled, plain, _ = kernels[name]
        assert same(compiled(nan, x), plain(nan, x)) and same(compiled(x, nan), plain(x, nan))


@settings(deadline=None, max_examples=100)
@given(n=st.integers(20, 10**6), m=st.integers(0, 4))
def test_integers(kernels, n, m):
    compiled, plain, _ = kernels["integers"]
    assert compiled(n, m) == plain(n, m)


@settings(deadline=None, max_examples=100)
@given(x=st.floats(-1.9, 3.5))
def test_functions(kernels, x):
    compiled, plain, _ = kernels["functions"]
    assert compiled(x) == pytest.approx(plain(x), rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(a=st.lists(numbers, min_size=4, max_size=4), n=st.integers(0, 9))
def test_stores(kernels, a, n):
    compiled, plain, _ = kernels["stores"]
    floats, integers, other, more = np.array(a), np.zeros(2, np.int64), list(a), [0, 0]
    compiled(floats.ctypes.data, integers.ctypes.data, n)
    plain(other, more, n)
    assert floats.tolist() == pytest.approx(other, rel=1e-15)
    assert integers.tolist() == [int(x) for x in more]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_loop_variables(kernels, n):
    for name in ("nested", "last"):
        compiled, plain, _ = kernels[name]
        assert compiled(n) == plain(n)


@pytest.mark.parametrize(
    "text",
    [
        "x = 0\n    x = 0.5\n    return x",
        "for i in range(3):\n        pass\n    else:\n        a = 5.0\n    return a",
        "while a < 1.0:\n        a += 1.0\n    else:\n        a = 5.0\n    return a",
        "a, b = a, a\n    return b",
        "return unknown(a)",
        "return sum([a])",
    ],
)
def test_what_is_outside_the_subset_is_refused(text):
    with pytest.raises((compiler.CompileError, KeyError)):
        compiler.object_code(f"def f(a: float) -> float:\n    {text}\n", {}, ("f",), ())


def test_same_variable_in_nested_loops():
    """Refused, or as in Python; not silently something else."""
    text = "def f(n: int) -> int:\n    t = 0\n    for i in range(n):\n        for i in range(2):\n            t += i\n"
    text += "        t += 10\n    return t\n"
    try:
        engine = compiler.loaded(compiler.object_code(text, {}, ("f",), ()))
    except compiler.CompileError:
        return
    scope: dict = {}
    exec(text, scope)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(engine.get_function_address("f"))
    assert function(2) == scope["f"](2)


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
