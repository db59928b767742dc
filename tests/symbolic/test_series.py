"""Taylor coefficients of every operation against the solution of the same equation in high precision."""

from __future__ import annotations

import ast
import tempfile
from math import atan, cos, cosh, exp, log, sin, sinh, sqrt, tan, tanh

import mpmath
import numpy as np
import pytest

import stickslip as ss
from stickslip import where
from stickslip.symbolic import expansion
from stickslip.targets import python

ORDER = 12


def rates(x, y, t, a=1.3, b=0.7):
    return {
        "exp": (exp(-a * x * y), sin(y)),
        "log": (log(2 + x * y), cos(x + t)),
        "tan": (tan(0.5 * x + 0.1 * y), y * x),
        "sinh": (sinh(x) - y, cosh(a * y * x)),
        "tanh": (tanh(b * x + y * y), x - t * t),
        "atan": (atan(a * x - y), x / (1 + y * y)),
        "sqrt": (sqrt(1 + x * x + t), y * sqrt(2 + y)),
        "power": ((1.5 + x) ** a, (2 + x * y) ** (-0.3)),
        "power of power": ((2 + x) ** (1 + 0.2 * y), (1 + x * x) ** -2),
        "quotient": ((x - a) / (2 + b * y), a / (3 + x * y + t)),
        "cube": (y**3 - x**5, x * y * t + t**3),
        "abs": (abs(x + 0.1) * y, abs(y - 3) - x),
        "extremes": (max(x, y - 2, 0.1 * t), min(x * y, a) + x),
        "where": (where(x < 5, x * y, 7.0), where(y < x, sin(t), cos(a * x))),
        "time": (a * t, t * t * x),
    }


NAMES = list(rates(0.3, 0.4, 0.5))


def rate_function(name):
    """One entry of `rates` as a plain function of its own."""
    import inspect
    import textwrap

    line = next(x for x in inspect.getsource(rates).splitlines() if x.strip().startswith(f'"{name}":'))
    body = line.split(":", 1)[1].strip().rstrip(",")
    scope = dict(globals())
    exec(textwrap.dedent(f"def f(x, y, t, a=1.3, b=0.7):\n    return {body}\n"), scope)
    return scope["f"]


def reference(name, x, y, t):
    """Taylor coefficients by Picard iteration on truncated power series, in 40 digits (mpmath.taylor of each rate)."""
    with mpmath.workdps(60):
        function = {
            "exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan,
            "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "atan": mpmath.atan, "sqrt": mpmath.sqrt,
        }  # fmt: skip
        plain = rate_function(name)
        scope = {**plain.__globals__, **function}
        exact = type(plain)(plain.__code__, scope, "f", plain.__defaults__)
        xs, ys = [mpmath.mpf(x)], [mpmath.mpf(y)]
        for k in range(ORDER):
            for which, series in enumerate((xs, ys)):
                known = (xs[: k + 1], ys[: k + 1])

                def along(tau, which=which, known=known):
                    at = [sum(c * tau**n for n, c in enumerate(s)) for s in known]
                    return exact(at[0], at[1], t + tau)[which]

                derivative = mpmath.diff(along, 0, k) if k else along(mpmath.mpf(0))
                series.append(derivative / mpmath.factorial(k) / (k + 1))
        return np.array([[float(c) for c in xs], [float(c) for c in ys]])


def field_of(model, looped, monkeypatch):
    """The model in plain Python, with the recurrences in the form asked for."""
    monkeypatch.setattr(expansion, "UNROLL_LIMIT", 0 if looped else 10**9)
    python.program.cache_clear()  # the name of a module does not say which form it has
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("STICKSLIP_CACHE", folder)
        field = ss.Field.of(model, target="python", order=ORDER)
    python.program.cache_clear()
    kernels = field.program.kernels
    loops = [node for node in ast.walk(kernels.syntax(kernels.model.taylor)) if isinstance(node, ast.For)]
    assert (f"range(1, {ORDER} + 1)" in [ast.unparse(loop.iter) for loop in loops]) == looped
    return field


def coefficients(name, x, y, t, looped, monkeypatch):
    model = ss.Filippov(("x", "y"), f=rate_function(name), G=lambda: (0.0, 0.0), h=lambda x: 10 + x, kinetic=0.0)
    field = field_of(model, looped, monkeypatch)
    generated, trajectory = field.program.kernels.model, field.workspace()
    trajectory.state[:], trajectory.time, trajectory.mode[0] = (x, y), t, 1
    generated.branches(trajectory, 0.0)
    assert generated.taylor(trajectory) == 0
    return trajectory.state_series[:, : ORDER + 1].copy()


@pytest.mark.parametrize("looped", [False, True], ids=["unrolled", "looped"])
@pytest.mark.parametrize("name", NAMES)
def test_series(name, looped, monkeypatch):
    x, y, t = 0.3, 0.45, 0.6
    expected = reference(name, x, y, t)
    got = coefficients(name, x, y, t, looped, monkeypatch)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-13 * scale.max())


@pytest.mark.parametrize("stick", [False, True], ids=["slip", "stick"])
def test_looped_and_unrolled_agree_with_state_dependent_matrices(stick, monkeypatch):
    """Two contacts with G and D that vary along the step: the sticking forces are solved order by order."""
    model = ss.Filippov(
        ("x", "y"),
        f=lambda x, y, t: (sin(y) + t, x * y),
        G=lambda x, y: ((1 + 0.3 * x, 0.2 * y), (0.1 * x * y, 2 + sin(x))),
        h=lambda x, y, t: (x + 0.2 * y * y - 0.3 * t, y - 0.5 * t),
        kinetic=lambda v, x: (1 + 0.2 * v, 0.7 + 0.1 * x * x),
        contacts=("one", "two"),
    )
    rows = []
    for looped in (False, True):
        field = field_of(model, looped, monkeypatch)
        trajectory = field.workspace()
        trajectory.state[:], trajectory.mode[:] = (0.4, 0.3), (0, 0) if stick else (1, 0)
        assert field.program.kernels.model.taylor(trajectory) == 0
        rows.append(np.vstack([trajectory.state_series, trajectory.force_series])[:, : ORDER + 1])
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-11, atol=1e-13)
    x, y = rows[0][0], rows[0][1]
    constraint = y.copy()
    constraint[1] -= 0.5
    assert np.abs(constraint[1:]).max() < 1e-12 * np.abs(rows[0]).max()  # contact two sticks: y' = 0.5 exactly
    if stick:
        first = x + 0.2 * np.convolve(y, y)[: ORDER + 1]
        first[1] -= 0.3
        assert np.abs(first[1:]).max() < 1e-12 * np.abs(rows[0]).max()
