"""Plain functions as parts of a model: their parameters, and a fingerprint that survives the process.

A function's *arguments without default* are what it depends on (`t`, `x`, `v`, `x_block`, …); its *arguments
with default* are parameters of the model.  `def push(t, amplitude=0.5, eta=1.0)` has two parameters.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from stickslip.model.errors import ModelError, check_number
from stickslip.model.formula import Formula

Function = Callable[..., Any]
Value = float | Function
"""A number (which becomes a parameter) or a plain function."""


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition (a comparison with < or >) holds, else `no`; for laws and forces with a kink.

    >>> where(1.0 < 2.0, 10.0, 20.0)
    10.0
    """
    return yes if condition else no


def arguments_of(function: Function, what: str) -> tuple[tuple[str, ...], dict[str, float]]:
    """Names the function depends on, and its parameters with their values.

    >>> arguments_of(lambda t, amplitude=0.5: amplitude * t, "a force")
    (('t',), {'amplitude': 0.5})
    """
    if isinstance(function, Formula):
        return function.variables, dict(function.parameters)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {function!r}: it must be a number or a plain Python function") from None
    variables: list[str] = []
    parameters: dict[str, float] = {}
    for argument in signature.parameters.values():
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise ModelError(f"{what} takes *{argument.name}: name every argument of the function")
        if argument.default is argument.empty:
            variables.append(argument.name)
        else:
            parameters[argument.name] = check_number(f"{what}, parameter {argument.name}", argument.default)
    return tuple(variables), parameters


def fingerprint(function: Function) -> str | None:
    """A text that is equal for equal code in any process; None when the code leans on something unknown."""
    if isinstance(function, Formula):
        return f"formula:{function.text}"
    if not isinstance(function, types.FunctionType):
        return None
    digest = hashlib.sha256()
    if not _digest_function(function, digest, depth=0):
        return None
    return f"function:{digest.hexdigest()}"


def _digest_function(function: types.FunctionType, digest: Any, depth: int) -> bool:
    if depth > 5:
        return False
    code = function.__code__
    if not _digest_code(code, digest):
        return False
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    used = [function.__globals__[name] for name in code.co_names if name in function.__globals__]
    return all(_digest_value(value, digest, depth) for value in [*cells, *used])


def _digest_code(code: types.CodeType, digest: Any) -> bool:
    digest.update(repr((code.co_code, code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if not _digest_code(constant, digest):
                return False
        elif isinstance(constant, int | float | str | tuple | None | bool):
            digest.update(repr(constant).encode())
        else:
            return False
    return True


def _digest_value(value: object, digest: Any, depth: int) -> bool:
    if isinstance(value, int | float | str):
        digest.update(repr(value).encode())
        return True
    if isinstance(value, types.ModuleType):
        digest.update(value.__name__.encode())
        return True
    if isinstance(value, types.FunctionType):
        return _digest_function(value, digest, depth + 1)
    name = getattr(value, "__name__", None)  # math.exp, numpy.exp: builtins that keep their meaning
    if name is not None and (isinstance(value, types.BuiltinFunctionType) or type(value).__name__ == "ufunc"):
        digest.update(f"{getattr(value, '__module__', '')}.{name}".encode())
        return True
    return False
