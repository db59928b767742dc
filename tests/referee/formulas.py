"""Users' functions as plain Python on numbers, and their derivatives by time.

A formula is a text in a subset of Python, so Python evaluates it; a plain function is called with symbols once, to have
its text. Nothing of the library takes part.
"""

from __future__ import annotations

import ast
import inspect
import math
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy
from tests.referee import instants

from stickslip.model.formula import Formula

NUMBERS: dict[str, Any] = {name: getattr(math, name) for name in ("exp", "log", "sqrt", "tan", "sinh", "cosh", "tanh")}
NUMBERS |= {"sin": instants.sin, "cos": instants.cos, "atan": math.atan, "abs": abs, "min": min, "max": max}
NUMBERS |= {"pi": math.pi, "where": lambda condition, yes, no: yes if condition else no}
NUMBERS |= {"Abs": abs, "Min": min, "Max": max}  # as symbols print them
NUMBERS |= {"sign": lambda x: float((x > 0) - (x < 0))}
SYMBOLS: dict[str, Any] = {name: getattr(sympy, name) for name in ("exp", "log", "sqrt", "tan", "sinh", "cosh", "tanh")}
SYMBOLS |= {"sin": sympy.sin, "cos": sympy.cos, "atan": sympy.atan, "abs": sympy.Abs, "pi": sympy.pi}


def arguments_of(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a function depends on, and the names of its parameters."""
    if isinstance(function, Formula):
        return tuple(function.variables), tuple(function.parameters)
    arguments = inspect.signature(function).parameters.values()
    variables = tuple(a.name for a in arguments if a.default is a.empty)
    return variables, tuple(a.name for a in arguments if a.default is not a.empty)


def text_of(function: Callable[..., Any]) -> str | None:
    """The formula of a function; None where it cannot be called with symbols."""
    if isinstance(function, Formula):
        return str(function.text)
    if not isinstance(function, types.FunctionType):
        return None
    variables, parameters = arguments_of(function)
    try:
        return sympy.sstr(
            sympy.sympify(symbolic_twin(function)(**{name: sympy.Symbol(name) for name in (*variables, *parameters)}))
        )
    except Exception:  # whatever a user's function does with a symbol
        return None


def symbolic_twin(function: types.FunctionType) -> types.FunctionType:
    """The same code, with functions of symbols in the place of those of numbers."""
    scope = {name: _symbolic(value) for name, value in function.__globals__.items()}
    return types.FunctionType(function.__code__, scope, None, None, function.__closure__)


def _symbolic(value: Any) -> Any:
    """What stands for a function of `math` or `numpy` where symbols are meant."""
    if value in (math, sympy) or getattr(value, "__name__", "") == "numpy":
        return sympy
    if isinstance(value, types.BuiltinFunctionType) and getattr(value, "__module__", "") == "math":
        return getattr(sympy, value.__name__, value)
    return value


@lru_cache(maxsize=10_000)
def compiled(text: str, arguments: tuple[str, ...]) -> Callable[..., float]:
    """A formula as a function of these arguments."""
    return eval(f"lambda {', '.join(arguments)}: {text}", dict(NUMBERS))  # the texts are our own and the tests'


@lru_cache(maxsize=10_000)
def kinks(text: str) -> tuple[str, ...]:
    """The formulas whose zeros are the kinks of a formula: what |…|, min, max and where decide about."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text, mode="eval")):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        match node.func.id.lower():
            case "abs" | "sign":
                found.append(ast.unparse(node.args[0]))
            case "min" | "max":
                texts = [ast.unparse(argument) for argument in node.args]
                found += [f"({a}) - ({b})" for i, a in enumerate(texts) for b in texts[:i]]
            case "where":
                condition = node.args[0]
                assert isinstance(condition, ast.Compare)
                found.append(f"({ast.unparse(condition.left)}) - ({ast.unparse(condition.comparators[0])})")
    return tuple(found)


@lru_cache(maxsize=10_000)
def derivative(text: str, names: tuple[str, ...], by: str = "t") -> str:
    """The formula of the derivative."""
    scope = SYMBOLS | {name: sympy.Symbol(name) for name in names}
    return sympy.sstr(sympy.diff(eval(text, scope), sympy.Symbol(by)))


def bound(function: Callable[..., Any], values: dict[str, float], differentiate: int = 0) -> Callable[..., float]:
    """The function of its variables alone, by position, differentiated by time so many times."""
    variables, parameters = arguments_of(function)
    text = text_of(function)
    if text is None:
        if differentiate:
            raise ValueError(f"{function!r} cannot be differentiated")
        fixed = {name: values[name] for name in parameters}
        return lambda *point: float(function(**dict(zip(variables, map(float, point), strict=True)), **fixed))
    for _ in range(differentiate):
        text = derivative(text, (*variables, *parameters))
    return _with_numbers(text, variables, {name: values[name] for name in parameters})


def bound_kinks(function: Callable[..., Any], values: dict[str, float]) -> list[Callable[..., float]]:
    """The functions of the same variables that are zero at the kinks of this one."""
    variables, parameters = arguments_of(function)
    text = text_of(function)
    numbers = {name: values[name] for name in parameters}
    return [_with_numbers(kink, variables, numbers) for kink in (kinks(text) if text else ())]


def _with_numbers(text: str, variables: tuple[str, ...], numbers: dict[str, float]) -> Callable[..., float]:
    """A formula of variables; parameters are defaults, so that a call passes the variables alone."""
    inner = compiled(text, (*variables, *numbers))
    return types.FunctionType(inner.__code__, inner.__globals__, "formula", tuple(numbers.values()))
