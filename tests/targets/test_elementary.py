"""Functions for machines without a mathematical library: as Python, and compiled, against mpmath."""

import ctypes
import math
import random
from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.targets.emulation import Host

from stickslip.kernels import elementary
from stickslip.targets import compiler, cuda, ptx
from stickslip.targets.modules import Library

COUNT = 400
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, -5e-324, 1e-310, 1.7976931348623157e308]


def spread(low: float, high: float) -> Callable[[random.Random], float]:
    """Numbers of either sign, of all sizes between these."""
    return lambda chance: math.exp(chance.uniform(math.log(low), math.log(high))) * chance.choice([-1.0, 1.0])


def near_turns(chance: random.Random) -> float:
    """Numbers next to whole quarter turns, where little is left of them."""
    return float(chance.randint(1, 600_000) * mpmath.pi / 2)


CASES = {
    "exponential": (mpmath.exp, math.exp, 1.0, [spread(1e-20, 700.0), lambda chance: chance.uniform(-745.0, 709.7)]),
    "logarithm": (
        mpmath.log,
        math.log,
        1.0,
        [lambda chance: abs(spread(5e-324, 1e308)(chance)), lambda chance: chance.uniform(0.5, 2.0)],
    ),
    "sine_of": (mpmath.sin, math.sin, 1.0, [spread(1e-10, 1e6), spread(1e6, 1e308), near_turns]),
    "cosine_of": (mpmath.cos, math.cos, 1.0, [spread(1e-10, 1e6), spread(1e6, 1e308), near_turns]),
    "tangent_of": (mpmath.tan, math.tan, 2.0, [spread(1e-10, 1e6), spread(1e6, 1e308)]),
    "arctangent": (mpmath.atan, math.atan, 1.0, [spread(1e-10, 1e10), lambda chance: chance.uniform(-3.0, 3.0)]),
    "hyperbolic_tangent": (
        mpmath.tanh,
        math.tanh,
        2.0,
        [spread(1e-10, 30.0), lambda chance: chance.uniform(-2.0, 2.0)],
    ),
    "hyperbolic_sine": (mpmath.sinh, math.sinh, 2.0, [spread(1e-10, 710.4), lambda chance: chance.uniform(-2.0, 2.0)]),
    "hyperbolic_cosine": (mpmath.cosh, math.cosh, 2.0, [spread(1e-10, 710.4)]),
}


KERNEL = """
from math import atan, cos, cosh, exp, log, sin, sinh, tan, tanh

from stickslip.kernels.records import Floats


def evaluate(x: float, y: float, found: Floats) -> None:
    found[0] = {formula}
"""


@cache
def compiled(formula: str) -> Callable[..., float]:
    """A formula in x and y as machine code, as in a kernel of a GPU."""
    text = KERNEL.format(formula=formula)
    library = Library({"trial": (compile(text, "trial.py", "exec"), text)})
    flat = cuda.lowered(library, "trial.evaluate").flat
    kernel = ptx.Kernel("trial__evaluate", "evaluate", ptx.Memory({}, {}), 1)
    translated = ptx.GpuTranslator(flat.functions, flat.arrays, kernel, Host())
    engine = compiler.loaded(Host().code(translated.module))
    kind = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_double, ctypes.POINTER(ctypes.c_double))
    function = kind(engine.get_function_address("evaluate"))

    def call(x: float, y: float = 0.0, engine: Any = engine) -> float:
        found = ctypes.c_double()
        function(x, y, ctypes.byref(found))
        return found.value

    return call


def plain(name: str) -> Callable[..., float]:
    """A function as Python, with the room that some ask for."""
    function = getattr(elementary, name)
    room = [np.zeros(ptx.SCRATCH)] if "room" in signature(function).parameters else []
    return lambda *values: float(function(*values, *room))


def both(name: str) -> list[Callable[..., float]]:
    """A function as Python, and compiled."""
    formula = {new: f"{old}(x)" for old, new in ptx.ELEMENTARY.items()} | {"power": "x ** y"}
    return [plain(name), compiled(formula[name])]


def units(found: float, known: mpmath.mpf) -> float:
    """By how many units in the last place a number is wrong."""
    nearest = float(known)
    if not math.isfinite(nearest):
        return 0.0 if found == nearest else math.inf
    return abs(float((mpmath.mpf(found) - known) / mpmath.mpf(math.ulp(nearest))))


@pytest.mark.parametrize("name", CASES)
def test_as_exact_as_said(name: str) -> None:
    known, _, most, families = CASES[name]
    chance = random.Random(name)
    with mpmath.workprec(1400):
        for family in families:
            for x in [family(chance) for _ in range(COUNT)]:
                for function in both(name):
                    assert units(float(function(x)), known(mpmath.mpf(x))) < most, (x, function)


@pytest.mark.parametrize("name", CASES)
def test_special_numbers(name: str) -> None:
    _, of_python, _, _ = CASES[name]
    for x in SPECIAL:
        try:
            known = of_python(x)
        except ValueError:  # as Python has it
            known = -math.inf if name == "logarithm" and x == 0.0 else math.nan
        except OverflowError:
            known = math.copysign(math.inf, x) if name == "hyperbolic_sine" else math.inf
        for function in both(name):
            found = float(function(x))
            same = (
                found == known or (math.isnan(found) and math.isnan(known)) or abs(found - known) < 1e-15 * abs(known)
            )
            assert same, (x, found, known)


def test_the_angle_that_is_nearest_to_a_whole_turn() -> None:
    x = 6381956970095103.0 * 2.0**797
    with mpmath.workprec(1400):
        for function in both("cosine_of"):
            assert units(float(function(x)), mpmath.cos(mpmath.mpf(x))) < 1.0


def test_powers() -> None:
    chance = random.Random(5)
    with mpmath.workprec(300):
        for _ in range(3 * COUNT):
            x = abs(spread(1e-320, 1e308)(chance)) if chance.random() < 0.5 else abs(spread(0.1, 10.0)(chance))
            y = chance.uniform(-700.0, 700.0) / (math.log(x) or 1.0) if chance.random() < 0.5 else chance.uniform(-5, 5)
            known = mpmath.mpf(x) ** mpmath.mpf(y)
            if 1e-300 < known < 1.7e308:
                for function in both("power"):
                    assert units(float(function(x, y)), known) < 2.0, (x, y)


@pytest.mark.parametrize("x", [*SPECIAL, 2.0, 0.5, -2.0, -0.5, 3.0])
@pytest.mark.parametrize("y", [*SPECIAL, 2.0, 3.0, -2.0, -3.0, 0.5, 1e17, 4503599627370497.0])
def test_powers_of_special_numbers(x: float, y: float) -> None:
    try:
        known = math.pow(x, y)
    except ValueError:
        known = math.inf if x == 0.0 else math.nan  # Python refuses both
    except OverflowError:
        known = math.inf if x > 0.0 or math.fmod(y, 2.0) == 0.0 else -math.inf
    for function in both("power"):
        found = float(function(x, y))
        if math.isnan(known):
            assert math.isnan(found)
        else:
            assert abs(found) == abs(known) or abs(found - known) <= 4e-16 * abs(known)
            assert known == 0.0 or x == 0.0 or math.copysign(1.0, found) == math.copysign(1.0, known)
