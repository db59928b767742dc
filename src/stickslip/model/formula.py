"""Formulas in model files: parsed against a whitelist, never executed.

A formula is arithmetic on names and numbers with a fixed set of functions. Its text must consist of known
signs, and in its syntax tree every node must be known: no attribute access, no indexing, no string, no call
of anything but the functions below; size and depth are bounded. The value is found by walking the tree.

The same tree is walked with plain numbers and with symbols. Symbolic arithmetic on whole numbers is exact: a
short text could ask for a number with more digits than memory holds (9**9**9). Three rules prevent that:
constant parts are worked out as floats when the formula is read, powers of powers are bounded, and whatever
turns out to be a plain number on the way becomes a float again.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.errors import check_mapping, check_name, check_number, check_string, hint, listed_names, shown
from stickslip.model.limits import (
    MAX_BRANCHES,
    MAX_COEFFICIENT,
    MAX_DEPTH,
    MAX_EXACT,
    MAX_EXPONENT,
    MAX_LENGTH,
    MAX_NODES,
)
from stickslip.model.listing import Listing

CASE = 10
"""A case of where, min, max, abs or sign costs as much as so many operations."""


def _sign(value: float) -> float:
    return 0.0 if value == 0 else math.copysign(1.0, value)


def _where(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


def _power(base: Any, exponent: Any) -> Any:
    """Plain numbers stay real floats: `**` makes (-1)**0.5 complex and gives 9**999999 to the last digit."""
    if isinstance(base, int | float) and isinstance(exponent, int | float):
        return math.pow(base, exponent)
    return base**exponent


FLOAT_FUNCTIONS: dict[str, Any] = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "atan": math.atan,
    "abs": abs,
    "sign": _sign,
    "min": min,
    "max": max,
    "where": _where,
}
"""What a formula may call, for plain numbers. The symbolic layer brings the same names for symbols."""

_ARGUMENTS = {"min": (2, " or more"), "max": (2, " or more"), "where": (3, "")}
_CONSTANTS = {"pi": math.pi}
RESERVED = frozenset({*FLOAT_FUNCTIONS, *_CONSTANTS, "functions"})
"""Names that no variable and no parameter may have (`functions` is an argument of `Formula.__call__`)."""

_BINARY: dict[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}
_COMPARE: dict[type[ast.AST], Any] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_WHERE = "where(a < b, value if so, value if not)"
# A number must not touch a name or another number: that excludes 0x10, 1_000, 1j and 1if, which Python reads.
_TOKEN = re.compile(
    r" +"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])"
    r"|[A-Za-z_][A-Za-z0-9_]*"
    r"|[-+*/(),<>]|(?<=[<>])="
)


@dataclass(frozen=True)
class Formula(metaclass=Listing):
    """A formula as a function: laws, forces and motions that can be written to files.

    Parameters
    ----------
    text : str
        The formula, with the operations and functions that model files know.
    variables : sequence of str
        What it depends on; given by position or by name where it is called.
    parameters : mapping of str to float, optional
        The parameters with their values: numbers, a `Parameter`, or a formula or function of other parameters. By
        default there are none.
    what : str, default "a formula"
        What the formula is called in the sentence of an error.

    Raises
    ------
    ModelError
        If the text is no formula, or has names that are neither variables nor parameters.

    See Also
    --------
    Parameter : arithmetic on these gives formulas.
    FunctionLaw : a law from a function.

    Examples
    --------
    >>> law = Formula("mu_k + (mu_s - mu_k)*exp(-v/v_s)", ("v",), {"mu_k": 0.6, "mu_s": 1.0, "v_s": 0.2})
    >>> law(0.0)
    1.0
    """

    text: str
    variables: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    what: str = field(default="a formula", compare=False)

    def __post_init__(self) -> None:
        check_string("what", self.what)
        object.__setattr__(self, "variables", tuple(listed_names(f"{self.what}: variables", self.variables)))
        check_mapping(f"{self.what}: parameters", self.parameters, "{'mu': 0.3}")
        object.__setattr__(self, "parameters", self._checked_parameters())
        known = {*self.variables, *self.parameters}
        for name in _names(self._tree):
            if name in FLOAT_FUNCTIONS:
                raise _refuse(self.what, self.text, f"names the function {name} without calling it: {name}(…)")
            if name not in known:
                raise ModelError(
                    f"{self.what}: the formula {shown(self.text)} uses {name!r}{hint(name, sorted(known))}, "
                    f"which is neither a variable ({', '.join(self.variables) or 'none here'}) "
                    f"nor a given parameter ({', '.join(self.parameters) or 'none given'}) "
                    f"nor a function ({', '.join(FLOAT_FUNCTIONS)})"
                )

    def _checked_parameters(self) -> dict[str, Any]:
        for name in (*self.variables, *self.parameters):
            check_name(f"{self.what}, a variable or parameter,", name)
            if name in RESERVED:
                raise ModelError(f"{self.what}: {name!r} has a meaning in formulas; choose another name")
        for name in self.parameters:
            if name in self.variables:
                raise ModelError(
                    f"{self.what}: the parameter {name!r} has the name of a variable "
                    f"({', '.join(self.variables)}); choose another name"
                )
        return {
            n: v if callable(v) else check_number(f"{self.what}, parameter {n}", v) for n, v in self.parameters.items()
        }

    @cached_property
    def _tree(self) -> Any:
        return parse(self.text, self.what)

    @cached_property
    def _defaults(self) -> dict[str, float]:
        """The values of the parameters, also of those that follow from others."""
        from stickslip.model.terms import numbers  # which is made of formulas

        return numbers(self.parameters, self.what)

    @cached_property
    def operations(self) -> int:
        """What the formula costs; a plain number costs nothing."""
        return _operations(self._tree)

    def __call__(self, /, *values: Any, functions: Mapping[str, Any] = FLOAT_FUNCTIONS, **named: Any) -> Any:
        given = dict(zip(self.variables, values, strict=False))
        given |= named
        missing = any(name not in given for name in self.parameters)
        scope: dict[str, Any] = {**self._defaults, **given} if missing else given
        for name in self.variables:
            if name not in scope:
                raise ModelError(f"{self.what}: the formula {shown(self.text)} needs a value for {name!r}")
        try:
            return _value(self._tree, scope, functions)
        except (ArithmeticError, ValueError) as error:
            if functions is FLOAT_FUNCTIONS:  # a caller with numbers knows what an overflow means
                raise
            raise _refuse(self.what, self.text, f"has a part without a value ({error})") from None


@dataclass(frozen=True)
class Formulas(Formula):
    """Several formulas of the same variables, also in rows: the call returns them as tuples. `text` is JSON.

    >>> rates = Formulas.of(["y", "-a*x"], ("x", "y"), {"a": 2.0})
    >>> rates(1.0, 3.0)
    (3.0, -2.0)
    """

    @classmethod
    def of(
        cls,
        entries: Sequence[Any],
        variables: tuple[str, ...],
        parameters: Mapping[str, float] | None = None,
        what: str = "a formula",
    ) -> Formulas:
        """From formulas in a list, or in a list of rows."""
        return cls(json.dumps(entries), variables, parameters or {}, what)

    @property
    def entries(self) -> list[Any]:
        """The formulas as they were given to `of`."""
        listed: list[Any] = json.loads(self.text)
        return listed

    @cached_property
    def _tree(self) -> Any:
        return _parse_nested(self.entries, self.what)


def _parse_nested(entries: Any, what: str) -> Any:
    if isinstance(entries, list):
        return tuple(_parse_nested(entry, f"{what}[{i}]") for i, entry in enumerate(entries))
    return parse(entries, what)


def names_in(text: object, what: str = "a formula") -> tuple[str, ...]:
    """The variables and parameters that a formula uses, in order of appearance.

    >>> names_in("u0*cos(eta*t) + u0")
    ('u0', 'eta', 't')
    """
    return tuple(dict.fromkeys(_names(parse(text, what))))


def _names(tree: Any) -> Iterator[str]:
    match tree:
        case tuple():
            for entry in tree:
                yield from _names(entry)
        case ast.Name(id=name):
            yield name
        case ast.expr():
            for child in _children(tree):
                yield from _names(child)


def parse(text: object, what: str = "a formula") -> ast.expr:
    """The checked syntax tree of a formula, constants worked out; a ModelError for anything not known.

    >>> ast.unparse(parse("v**(4/2) + 2*3"))
    'v ** 2 + 6'
    """
    if not isinstance(text, str):
        raise ModelError(f"{what} is {shown(text)}: it must be a number or a formula in quotes")
    if len(text) > MAX_LENGTH:
        raise ModelError(f"{what} has {len(text)} characters: a formula has at most {MAX_LENGTH}")
    return _parse(text, what)


@lru_cache(maxsize=1024)
def _parse(text: str, what: str) -> ast.expr:
    line = " ".join(text.split())  # so that a formula may go over several lines
    _check_signs(line, what)
    try:
        tree = ast.parse(line, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ModelError(f"{what}: {shown(text)} is not a formula") from None
    if sum(isinstance(node, ast.expr) for node in ast.walk(tree)) > MAX_NODES:
        raise _refuse(what, text, f"is too long: it has more than {MAX_NODES} names, numbers and operations")
    _check(tree, text, what, depth=0)
    if sum(_branches(node) for node in ast.walk(tree)) > MAX_BRANCHES:
        raise _refuse(what, text, f"has more than {MAX_BRANCHES} cases in where, min, max, abs and sign")
    folded = _fold(tree, text, what)
    _check_powers(folded, 1.0, text, what)
    return folded


def _refuse(what: str, text: str, reason: str) -> ModelError:
    return ModelError(f"{what}: the formula {shown(text)} {reason}")


def _check_signs(line: str, what: str) -> None:
    position = 0
    while position < len(line):
        token = _TOKEN.match(line, position)
        if token is None:
            hint = "; a power is written **" if line[position] == "^" else ""
            reason = f"cannot be read at {shown(line[position : position + 10])}: allowed are names, "
            raise _refuse(what, line, f"{reason}decimal numbers, + - * / ** ( ) , < <= > >={hint}")
        position = token.end()


def _check(node: ast.expr, text: str, what: str, depth: int) -> None:
    """Only arithmetic, comparisons inside `where`, and the known functions."""
    if depth > MAX_DEPTH:
        raise _refuse(what, text, f"is nested more than {MAX_DEPTH} deep")
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            check_number(f"{what}: a number in {shown(text)}", node.value)
        case ast.Name() | ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            pass
        case ast.BinOp(op=op) if type(op) in _BINARY:
            pass
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FLOAT_FUNCTIONS:
            _check_arguments(node, name, text, what)
        case ast.Call(func=ast.Name(id=name)):
            allowed = f"{hint(name, sorted(FLOAT_FUNCTIONS))}: allowed are {', '.join(FLOAT_FUNCTIONS)}"
            raise _refuse(what, text, f"calls {name!r}{allowed}")
        case ast.Compare():
            raise _refuse(what, text, f"compares outside of {_WHERE}")
        case _:
            raise _refuse(what, text, "contains more than arithmetic on names and numbers")
    chain = isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Pow)
    for i, child in enumerate(_children(node)):
        # A long sum is a deep tree, but not a nested formula: its left side stays on the same level.
        _check(child, text, what, depth if chain and i == 0 else depth + 1)


def _check_arguments(node: ast.Call, name: str, text: str, what: str) -> None:
    least, more = _ARGUMENTS.get(name, (1, ""))
    if len(node.args) < least or (len(node.args) > least and not more):
        raise _refuse(what, text, f"calls {name} with {len(node.args)} arguments: it takes {least}{more}")
    if name == "where":
        condition = node.args[0]
        if not isinstance(condition, ast.Compare) or [type(op) in _COMPARE for op in condition.ops] != [True]:
            raise _refuse(what, text, f"calls where without one comparison: write {_WHERE}")
        if any(isinstance(part, ast.Compare) for part in ast.walk(condition) if part is not condition):
            raise _refuse(what, text, "has a where inside the comparison of another where")


def _branches(node: ast.AST) -> int:
    """How many cases a call distinguishes: symbolic work on piecewise functions grows fast with them."""
    match node:
        case ast.Call(func=ast.Name(id="min" | "max" | "where" | "abs" | "sign"), args=arguments):
            return len(arguments)
    return 0


def _operations(tree: Any) -> int:
    if isinstance(tree, tuple):
        return sum(map(_operations, tree))
    if isinstance(tree, ast.Constant):
        return 0
    return sum(isinstance(node, ast.expr) + CASE * _branches(node) for node in ast.walk(tree))


def is_affine(formula: Formula) -> bool:
    """Whether a formula is a sum of multiples of what it depends on.

    >>> is_affine(Formula("0.8*a - b/2", ("a", "b"))), is_affine(Formula("a*b", ("a", "b")))
    (True, False)
    """
    return _is_affine(formula._tree)


def _is_affine(node: Any) -> bool:
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.UnaryOp(operand=operand):
            return _is_affine(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _is_affine(left) and _is_affine(right)
        case (
            ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant())
            | ast.BinOp(left=left, op=ast.Div(), right=ast.Constant())
        ):
            return _is_affine(left)
        case ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=right):
            return _is_affine(right)
    return False


def operations_with(function: Any, arguments: Mapping[str, int]) -> int:
    """What a formula costs where its names stand for formulas that cost so much; of other functions a guess.

    >>> operations_with(Formula("a*a", ("a",)), {"a": 10})
    21
    """
    if not isinstance(function, Formula):
        return CASE * (1 + sum(arguments.values()))
    return function.operations + sum(arguments[name] - 1 for name in _names(function._tree))


def _children(node: ast.expr) -> list[ast.expr]:
    """What a node is made of; the comparison in `where` gives its two sides."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(func=ast.Name(id="where"), args=[ast.Compare(left=left, comparators=[right]), *others]):
            return [left, right, *others]
        case ast.Call(args=arguments):
            return arguments
    return []


def _fold(node: ast.expr, text: str, what: str) -> ast.expr:
    """The tree with every constant part as one number."""
    parts = [_fold(child, text, what) for child in _children(node)]
    match node:
        case ast.Name(id=name) if name in _CONSTANTS:
            return ast.Constant(_CONSTANTS[name])
        case ast.Constant(value=value):
            return ast.Constant(_short(value))
        case ast.BinOp(op=op):
            right = _exponent(parts[1]) if isinstance(op, ast.Pow) else parts[1]
            folded: ast.expr = ast.BinOp(parts[0], op, right)
        case ast.UnaryOp(op=op):
            folded = ast.UnaryOp(op, parts[0])
        case ast.Call(func=ast.Name(id="where") as function, args=[ast.Compare(ops=ops), *_]):
            folded = ast.Call(function, [ast.Compare(parts[0], ops, [parts[1]]), *parts[2:]], [])
        case ast.Call(func=function):
            folded = ast.Call(function, parts, [])
        case _:
            return node
    match folded:
        case ast.BinOp(op=ast.Div(), right=ast.Constant(value=0)):
            raise _refuse(what, text, "divides by zero")
    if not all(isinstance(part, ast.Constant) for part in parts):
        return folded
    return ast.Constant(_worked_out(folded, parts, text, what))


def _worked_out(node: ast.expr, parts: Sequence[ast.expr], text: str, what: str) -> int | float:
    try:
        value = _value(node, {}, FLOAT_FUNCTIONS)
    except (ArithmeticError, ValueError) as error:
        raise _refuse(what, text, f"has a constant part without a value ({error})") from None
    if not math.isfinite(value):
        raise _refuse(what, text, f"has a constant part that is {value}: numbers must be finite")
    whole = all(isinstance(part, ast.Constant) and isinstance(part.value, int) for part in parts)
    return _short(int(value) if whole and float(value).is_integer() else value)


def _short(value: Any) -> int | float:
    return value if isinstance(value, int) and abs(value) <= MAX_EXACT else float(value)


def _exponent(node: ast.expr) -> ast.expr:
    """A whole exponent is written as a whole number: v**2.0 has no series at v = 0, v**2 has."""
    if isinstance(node, ast.Constant) and float(node.value).is_integer():  # type: ignore[arg-type]
        return ast.Constant(_short(int(node.value)))  # type: ignore[arg-type]
    return node


def _check_powers(node: ast.expr, outer: float, text: str, what: str) -> None:
    """Powers of powers multiply, so their product is bounded: ((x**8)**8)**8 is x to the 512."""
    children = _children(node)
    match node:
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=exponent)):
            outer *= max(1.0, abs(exponent))  # type: ignore[arg-type]
            if outer > MAX_EXPONENT:
                raise _refuse(what, text, f"has the exponent {outer:g}: at most {MAX_EXPONENT} is allowed")
        case ast.BinOp(op=ast.Pow(), right=exponent):
            _check_powers(exponent, 1.0, text, what)
            children = children[:1]
        case ast.Call():
            outer = 1.0
    for child in children:
        _check_powers(child, outer, text, what)


def _value(node: Any, scope: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    match node:
        case tuple():
            return tuple(_value(entry, scope, functions) for entry in node)
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return scope[name]
        case ast.BinOp(left=left, op=op, right=right):
            value = _BINARY[type(op)](_value(left, scope, functions), _value(right, scope, functions))
        case ast.UnaryOp(op=op, operand=operand):
            operand_value = _value(operand, scope, functions)
            value = -operand_value if isinstance(op, ast.USub) else operand_value
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARE[type(op)](_value(left, scope, functions), _value(right, scope, functions))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            value = functions[name](*[_value(argument, scope, functions) for argument in arguments])
        case _:
            raise AssertionError("parse lets nothing else through")
    return _bounded(value) if hasattr(value, "is_number") else value


def _bounded(value: Any) -> Any:
    """A symbolic value, refused where its coefficient has outgrown what a float can hold."""
    if value.is_number:
        return _plain(value)
    coefficient, _ = value.as_coeff_Mul()
    if coefficient.is_Rational and max(abs(coefficient.p), coefficient.q) > MAX_COEFFICIENT:
        raise ValueError("a coefficient has more than 300 digits")
    return value


def _plain(value: Any) -> int | float:
    """A symbolic value without symbols (x/x, x - x) as a plain number, before exact arithmetic grows it."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"it is {shown(value)}")
    return int(number) if value.is_Integer and abs(number) <= MAX_EXACT else number
