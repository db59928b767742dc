"""Tracing: what formula does a plain function compute?

The function is called once with symbols. Its `math` and `numpy` functions are exchanged for symbolic ones in a copy of
the function, so the user's function is not touched. Because a comparison such as `v != 0` on symbols passes silently,
each trace is audited: formula and function must agree on plain numbers, zero included.
"""

from __future__ import annotations

import functools
import math
import random
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import sympy

from stickslip.errors import ModelError
from stickslip.model.errors import shown
from stickslip.model.formula import FLOAT_FUNCTIONS, Formula
from stickslip.model.functions import sign, where
from stickslip.symbolic.extremes import Max, Min

_PIECEWISE_HINT = (
    "write it with where(condition, a, b), min, max or abs (`from stickslip import where`), or give a Tabulated law"
)


def _where(condition: Any, yes: Any, no: Any) -> Any:
    return sympy.Piecewise((sympy.sympify(yes), condition), (sympy.sympify(no), True))


SYMBOLIC_FUNCTIONS: dict[str, Any] = {
    "exp": sympy.exp,
    "log": sympy.log,
    "sqrt": sympy.sqrt,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "atan": sympy.atan,
    "abs": sympy.Abs,
    "sign": sympy.sign,
    "min": Min,
    "max": Max,
    "where": _where,
}
_OTHER_NAMES = {"arctan": "atan", "fabs": "abs", "absolute": "abs", "minimum": "min", "maximum": "max"}


class _SymbolicModule:
    """Stands for `math` or `numpy` inside a traced function."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name == "pi":
            return math.pi
        if name == "e":
            return math.e
        plain = _OTHER_NAMES.get(name, name)
        if plain in SYMBOLIC_FUNCTIONS:
            return SYMBOLIC_FUNCTIONS[plain]
        raise ModelError(
            f"it uses {self._name}.{name}, which has no known formula; there are: {', '.join(SYMBOLIC_FUNCTIONS)}"
        )


class _SymbolicPackage:
    """Stands for `stickslip` inside a traced function, for `ss.where`."""

    def __init__(self, package: types.ModuleType) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        return _symbolic(getattr(self._package, name))


def _symbolic(value: Any, depth: int = 0) -> Any:
    """The symbolic counterpart of something a traced function refers to."""
    if isinstance(value, Formula):
        return functools.partial(value, functions=SYMBOLIC_FUNCTIONS)
    if isinstance(value, types.ModuleType) and value.__name__ == "stickslip":
        return _SymbolicPackage(value)
    if value is math or value is numpy:
        return _SymbolicModule(value.__name__)
    if isinstance(value, types.FunctionType):
        if value is where:
            return _where
        if value is sign:
            return sympy.sign
        return _symbolic_copy(value, depth + 1) if depth < 8 else value
    name = getattr(value, "__name__", None)
    home = getattr(value, "__module__", None) or "numpy"
    if callable(value) and name and home.split(".")[0] in ("math", "numpy", "builtins"):
        plain = _OTHER_NAMES.get(name, name)
        if plain in SYMBOLIC_FUNCTIONS:
            return SYMBOLIC_FUNCTIONS[plain]
    return value


def _symbolic_copy(function: types.FunctionType, depth: int = 0) -> types.FunctionType:
    scope = dict(function.__globals__)
    scope["__builtins__"] = {
        **(vars(__builtins__) if isinstance(__builtins__, types.ModuleType) else __builtins__),
        "abs": sympy.Abs,
        "min": Min,
        "max": Max,
    }
    for name in _names_used(function.__code__):
        if name in scope:
            scope[name] = _symbolic(scope[name], depth)
    cells = tuple(types.CellType(_symbolic(cell.cell_contents, depth)) for cell in function.__closure__ or ())
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _names_used(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_used(constant)
    return names


def trace(function: Callable[..., Any], arguments: Mapping[str, sympy.Expr], what: str) -> Any:
    """The formula of `function` for symbolic `arguments`: an expression, or nested tuples of expressions."""
    try:
        if isinstance(function, Formula):
            result = function(functions=SYMBOLIC_FUNCTIONS, **arguments)
        elif isinstance(function, types.FunctionType):
            result = _symbolic_copy(function)(**arguments)
        else:
            result = function(**arguments)
    except ModelError as error:
        raise ModelError(f"{what} cannot be turned into a formula: {error}") from None
    except TypeError as error:
        if "truth value" in str(error):
            raise ModelError(f"{what} branches with `if` on a variable: {_PIECEWISE_HINT}") from None
        raise ModelError(f"{what} cannot be turned into a formula ({error}): {_PIECEWISE_HINT}") from None
    except (AttributeError, ValueError, NotImplementedError) as error:
        raise ModelError(f"{what} cannot be turned into a formula ({error}): {_PIECEWISE_HINT}") from None
    except RecursionError:
        raise _too_deep(what) from None
    try:
        traced = _sympify(result, what)
        _audit(function, traced, arguments, what)
    except RecursionError:
        raise _too_deep(what) from None
    return traced


def _too_deep(what: str) -> ModelError:
    return ModelError(f"{what} is nested too deep to be turned into a formula: write it as a Tabulated law, or shorter")


def _sympify(result: Any, what: str) -> Any:
    if isinstance(result, tuple | list | numpy.ndarray | sympy.MatrixBase):
        rows = result.tolist() if isinstance(result, numpy.ndarray | sympy.MatrixBase) else result
        return tuple(_sympify(item, what) for item in rows)
    try:
        expression = sympy.sympify(result)
    except (sympy.SympifyError, TypeError):
        expression = None
    if not isinstance(expression, sympy.Expr):
        raise ModelError(f"{what} returns {shown(result)}: it must return a number")
    return expression


def _flat(nested: Any) -> list[Any]:
    if isinstance(nested, tuple | list | numpy.ndarray):
        return [leaf for item in nested for leaf in _flat(item)]
    return [nested]


def _audit(function: Callable[..., Any], traced: Any, arguments: Mapping[str, sympy.Expr], what: str) -> None:
    """Compare formula and function on plain numbers, zero included."""
    names = list(arguments)
    formulas = [sympy.lambdify(list(arguments.values()), leaf, "math") for leaf in _flat(traced)]
    numbers = random.Random(0)
    points = [[0.0] * len(names), [1.0] * len(names)] + [[numbers.uniform(0.1, 2.0) for _ in names] for _ in range(4)]
    for point in points:
        try:
            plain = [float(x) for x in _flat(function(**dict(zip(names, point, strict=True))))]
            ours = [float(formula(*point)) for formula in formulas]
        except (ArithmeticError, ValueError, TypeError):
            continue  # outside the domain of the function: nothing to compare
        for expected, got in zip(plain, ours, strict=True):
            if not math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-12) and math.isfinite(expected):
                at = ", ".join(f"{n} = {x:.4g}" for n, x in zip(names, point, strict=True))
                raise ModelError(
                    f"{what} is not a single formula: at {at} it returns {expected:g}, its formula gives {got:g}; "
                    + _PIECEWISE_HINT
                )


assert set(SYMBOLIC_FUNCTIONS) == set(FLOAT_FUNCTIONS)
