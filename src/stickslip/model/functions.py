"""Plain functions as parts of a model: their parameters, and a fingerprint that survives the process.

A function's *arguments without default* are what it depends on (`t`, `x`, `v`, `x_block`, …); its *arguments
with default* are parameters of the model.  `def push(t, amplitude=0.5, eta=1.0)` has two parameters.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import types
from collections.abc import Callable
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.formula import Formula

Function = Callable[..., Any]
Value = float | Function
"""A number (which becomes a parameter) or a plain function."""


def where(condition: Any, yes: Any, no: Any) -> Any:
    """The first value where a condition holds, else the second; for laws and forces with a kink.

    Parameters
    ----------
    condition : bool or symbolic comparison
        A comparison with < or >.
    yes : float
        The value where it holds.
    no : float
        The value where it does not.

    Returns
    -------
    float
        One of the two.

    Raises
    ------
    ModelError
        If the condition is neither true nor false.

    See Also
    --------
    FunctionLaw : laws from functions, in which this can stand.

    Examples
    --------
    >>> where(1.0 < 2.0, 10.0, 20.0)
    10.0
    """
    try:
        return yes if condition else no
    except ValueError:  # an array has no truth value
        raise ModelError(f"the condition of where is {shown(condition)}: it must be true or false") from None


def sign(value: Any) -> Any:
    """−1, 0 or 1.

    >>> sign(-2.5)
    -1.0
    """
    return 0.0 if value == 0 else math.copysign(1.0, value)


def arguments_of(function: Function, what: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    """Names the function depends on, and its parameters as they are given: numbers, or functions they follow from.

    >>> arguments_of(lambda t, amplitude=0.5: amplitude * t, "a force")
    (('t',), {'amplitude': 0.5})
    """
    if isinstance(function, Formula):
        return function.variables, dict(function.parameters)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(function)}: it must be a number or a plain Python function") from None
    variables: list[str] = []
    parameters: dict[str, Value] = {}
    for argument in signature.parameters.values():
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise ModelError(f"{what} takes *{argument.name}: name every argument of the function")
        if argument.default is argument.empty:
            variables.append(argument.name)
        elif callable(argument.default):
            parameters[argument.name] = argument.default
        else:
            parameters[argument.name] = check_number(f"{what}, parameter {argument.name}", argument.default)
    return tuple(variables), parameters


def fingerprint(function: Function) -> str | None:
    """A text that is equal for equal code in any process; None when the code leans on something unknown."""
    if isinstance(function, Formula):
        return f"formula:{function.text}|{function.variables}|{tuple(function.parameters)}"
    mark = _function_mark(function, depth=0)
    return None if mark is None else f"function:{hashlib.sha256(repr(mark).encode()).hexdigest()}"


def _function_mark(function: object, depth: int) -> object:
    """Everything a function's result depends on, as nested tuples; None if something is unknown.

    The defaults of the function itself are parameters, whose values do not matter; those of its helpers do.
    """
    if not isinstance(function, types.FunctionType) or depth > 5:
        return None
    code = function.__code__
    if depth > 0:
        defaults: object = (function.__defaults__, function.__kwdefaults__)
    else:
        arguments = inspect.signature(function).parameters.values()
        defaults = tuple((a.name, a.kind.name, a.default is a.empty) for a in arguments)
    used = {name: function.__globals__[name] for name in sorted(_names(code)) if name in function.__globals__}
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    marks = [_value_mark(value, depth) for value in [*used.values(), *cells]]
    inside = _code_mark(code)
    if inside is None or None in marks:
        return None
    return (inside, repr(defaults), tuple(used), tuple(marks))


def _names(code: types.CodeType) -> set[str]:
    """Names that a function, or a function inside it, looks up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _code_mark(code: types.CodeType) -> object:
    constants: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constants.append(_code_mark(constant))
        elif constant is None or isinstance(constant, int | float | str | tuple | bool):
            constants.append(repr(constant))
        else:
            return None
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, tuple(constants))


def _value_mark(value: object, depth: int) -> object:
    if isinstance(value, int | float | str):
        return repr(value)
    if isinstance(value, Formula):
        return fingerprint(value)
    if isinstance(value, types.ModuleType):  # another module's contents may change: only these keep their meaning
        return value.__name__ if value.__name__ in ("math", "numpy", "stickslip") else None
    if isinstance(value, types.FunctionType):
        return _function_mark(value, depth + 1)
    name = getattr(value, "__name__", None)  # math.exp, numpy.exp, abs
    if name is not None and (isinstance(value, types.BuiltinFunctionType) or type(value).__name__ == "ufunc"):
        return f"{getattr(value, '__module__', '')}.{name}"
    return None
