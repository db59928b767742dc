"""Records made flat: functions of kernels, over records and modules, as functions over flat arrays and numbers.

What a field, a constant or another module's function is, is known before the program runs. So `trajectory.mode[i]`
becomes `trajectory_integers[4 + i]`, a record among the arguments becomes its two arrays, a row of an array a slice, a
constant its number, and a function of the file march.py has `march__` before its name. The result is what the compiler,
the writing out of lockstep and the GPU see. With `checked`, every index passes through `bounded`, with the size that
the layout declares and the place in the source.
"""

from __future__ import annotations

import ast
import math
import typing
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from stickslip.errors import CompileError
from stickslip.kernels.records import KINDS, Interleaved, Record, Records
from stickslip.targets.modules import Library
from stickslip.targets.source import Function

OWN = frozenset(
    [
        "rough_log2",
        "rough_ratio",
        "rough_exp2",
        "two_to",
        "fused",
        "bit",
        "rough",
        "tail",
        "latest",
        "any_lane",
        "anyone",
        "outnumber",
    ]
)
"""Functions of machine.py for which targets have their own instructions. All of warp.py are such."""

PYTHON = frozenset(["abs", "min", "max", "float", "int", "bool", "range"])
"""Functions of Python that the subset knows."""

PLACES = frozenset(["thread_index", "block_index", "block_size", "warp_size"])
"""Functions of warp.py that say where a thread is: the same however often they are asked."""


@dataclass
class Flat:
    """Flat functions by name, constant arrays, and for `bounded` the places in the source by number; number
    0 is none."""

    functions: dict[str, Function] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)
    sites: list[str] = field(default_factory=lambda: [""])


# -- values ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """An expression for a single number."""

    node: ast.expr


@dataclass(frozen=True)
class Array:
    """Numbers of one kind that lie in `base` from `offset` on; the first of `shape` may be known at run time only."""

    base: str
    kind: str
    offset: ast.expr
    shape: tuple[ast.expr, ...]
    stride: int = 1


@dataclass(frozen=True)
class One:
    """A record: where each of its arrays begins."""

    record: type[Record]
    bases: dict[str, str]
    offsets: dict[str, ast.expr]
    stride: int = 1


@dataclass(frozen=True)
class Many:
    """Several records, one after another, or interleaved."""

    record: type[Record]
    bases: dict[str, str]
    length: ast.expr | None
    lanes: int = 0


@dataclass(frozen=True)
class Known:
    """A module, function or class: nothing that exists at run time."""

    thing: Any


Value = Number | Array | One | Many | Known
SUFFIXES = {"float": "floats", "int": "integers"}
KIND_OF = {suffix: kind for kind, suffix in SUFFIXES.items()}
TYPES = {"float": "Floats", "int": "Ints"}


def sizes_of(record: type[Record]) -> dict[str, int]:
    """How many numbers of each kind a record has; kinds of which it has none are left out."""
    sizes = {"float": record.FLOATS, "int": record.INTEGERS}
    return {kind: size for kind, size in sizes.items() if size}


# -- arithmetic on indices ---------------------------------------------------------------------------------------


def whole(number: int) -> ast.expr:
    """A whole number that is known."""
    return ast.Constant(number)


def known_number(node: ast.expr) -> int | None:
    """The whole number that an expression is, if that is known."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def is_number(node: ast.expr, number: int) -> bool:
    """Whether an expression is this whole number."""
    return known_number(node) == number


def plus(a: ast.expr, b: ast.expr) -> ast.expr:
    """a + b, where that is something at run time."""
    x, y = known_number(a), known_number(b)
    if x is not None and y is not None:
        return whole(x + y)
    return b if x == 0 else a if y == 0 else ast.BinOp(a, ast.Add(), b)


def times(a: ast.expr, b: ast.expr) -> ast.expr:
    """a·b, where that is something at run time."""
    x, y = known_number(a), known_number(b)
    if x is not None and y is not None:
        return whole(x * y)
    if 0 in (x, y):
        return whole(0)
    return b if x == 1 else a if y == 1 else ast.BinOp(a, ast.Mult(), b)


# -- parameters --------------------------------------------------------------------------------------------------


def kind_of(annotation: Any) -> tuple[str, Any]:
    """What a parameter is: ("number", kind), ("array", kind), ("one", record), ("many" or "lanes", record)."""
    if annotation in KINDS:
        kind, is_array = KINDS[annotation]
        return ("array" if is_array else "number"), kind
    if annotation is bool or annotation is None:
        return "number", "bool"
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return "one", annotation
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Records, Interleaved):
        return ("many" if origin is Records else "lanes"), arguments[0]
    raise CompileError(f"{annotation!r} is no type that kernels know")


def parameters_of(function: FunctionType) -> dict[str, tuple[str, Any]]:
    """The parameters of a function and what each is."""
    if function not in _parameters:
        _parameters[function] = _parameters_of(function)
    return _parameters[function]


_parameters: weakref.WeakKeyDictionary[FunctionType, dict[str, tuple[str, Any]]] = weakref.WeakKeyDictionary()


def _parameters_of(function: FunctionType) -> dict[str, tuple[str, Any]]:
    annotations = typing.get_type_hints(function) if _has_text(function) else function.__annotations__
    return {name: kind_of(annotation) for name, annotation in annotations.items() if name != "return"}


def _has_text(function: FunctionType) -> bool:
    return any(isinstance(annotation, str) for annotation in function.__annotations__.values())


def flat_parameters(name: str, what: str, of: Any, checked: bool) -> list[tuple[str, str]]:
    """Names and types of the flat parameters that stand for one."""
    if what == "number":
        return [(name, of)]
    if what == "array":
        return [(name, TYPES[of])] + ([(f"{name}_length", "int")] if checked else [])
    flat = [(f"{name}_{SUFFIXES[kind]}", TYPES[kind]) for kind in sizes_of(of)]
    return flat + ([(f"{name}_length", "int")] if checked and what == "many" else [])


class Lowering:
    """Lowers functions, and those that they call, until all are flat."""

    def __init__(self, library: Library, checked: bool = False, provided: Mapping[str, str] | None = None) -> None:
        self.library, self.checked = library, checked
        self.provided = provided or {}
        """Functions that a target brings itself, "file.function", and the names that they have there."""
        self.flat = Flat()

    def add(self, function: FunctionType, strides: Mapping[str, int] | None = None) -> str:
        """The flat name of a function, which is lowered if it is not yet.

        `strides` are those of records and arrays among the arguments whose numbers do not lie side by side: there is a
        version of the function for every such layout.
        """
        file = function.__module__.rpartition(".")[2]
        if f"{file}.{function.__name__}" in self.provided:
            return self.provided[f"{file}.{function.__name__}"]
        strides = strides or {}
        name = "__".join(
            [file, function.__name__, *(f"{argument}_by_{stride}" for argument, stride in strides.items())]
        )
        if name not in self.flat.functions:
            node = ast.FunctionDef(
                name=name, args=ast.arguments([], [], None, [], [], None, []), body=[], decorator_list=[]
            )
            self.flat.functions[name] = Function(node, f"{file}.py")
            Body(self, function, node, strides).lower(self.library.syntax(function))
        return name

    def array(self, owner: ModuleType | None, name: str, value: Any) -> Array:
        """A constant array, under a name of its own."""
        file = owner.__name__.rpartition(".")[2] if owner is not None else "model"
        flat = f"{file}__{name}"
        self.flat.arrays.setdefault(flat, value)
        kind = "float" if np.asarray(value).dtype.kind == "f" else "int"
        return Array(flat, kind, whole(0), tuple(map(whole, np.shape(value))))

    def site(self, text: str) -> int:
        self.flat.sites.append(text)
        return len(self.flat.sites) - 1


class Body:
    """One function."""

    def __init__(
        self, lowering: Lowering, function: FunctionType, node: ast.FunctionDef, strides: Mapping[str, int]
    ) -> None:
        self.lowering, self.function, self.node, self.strides = lowering, function, node, strides
        self.file = f"{function.__module__.rpartition('.')[2]}.py"
        self.names: dict[str, Value] = {}
        self.line = 0

    def lower(self, syntax: ast.FunctionDef) -> None:
        self.line = syntax.lineno
        arguments: list[ast.arg] = []
        for name, (what, of) in parameters_of(self.function).items():
            self.names[name] = self._parameter(name, what, of)
            for flat, kind in flat_parameters(name, what, of, self.lowering.checked):
                arguments.append(ast.arg(flat, ast.Name(kind, ast.Load())))
        self.node.args.args = arguments
        self.node.returns = syntax.returns if syntax.returns is not None else ast.Constant(None)
        self.node.body = self.filled(syntax.body)
        ast.copy_location(self.node, syntax)  # statements have their lines, from which parts of them have theirs

    def _parameter(self, name: str, what: str, of: Any) -> Value:
        length = ast.Name(f"{name}_length", ast.Load()) if self.lowering.checked else None
        if what == "number":
            return Number(ast.Name(name, ast.Load()))
        if what == "array":
            stride = self.strides.get(name, 1)
            return Array(name, of, whole(0), (length,) if length is not None else (whole(-1),), stride)
        bases = {kind: f"{name}_{SUFFIXES[kind]}" for kind in sizes_of(of)}
        if what == "one":
            return One(of, bases, dict.fromkeys(bases, whole(0)), self.strides.get(name, 1))
        return Many(of, bases, length, self._lanes() if what == "lanes" else 0)

    def _lanes(self) -> int:
        return int(self.lowering.library.module("machine").LANES)

    def error(self, node: ast.AST, what: str) -> CompileError:
        line = getattr(node, "lineno", self.line)
        return CompileError(f"{self.file}, line {line}: {what}: {ast.unparse(node)}")

    # -- statements -------------------------------------------------------------------------------------------

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        lowered: list[ast.stmt] = []
        for node in nodes:
            lowered += [ast.copy_location(each, node) for each in self.statement(node)]
        return lowered

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Expr(value=value):
                return [ast.Expr(self.number(value))]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self.bind(name, self.value(value), node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                return self.together(targets, values)
            case ast.Assign(targets=[target], value=value):
                return [ast.Assign([self.target(target)], self.number(value))]
            case ast.AugAssign(target=target, op=op, value=value):
                return [ast.AugAssign(self.target(target), op, self.number(value))]
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self.number(test)
                if isinstance(condition, ast.Constant):
                    return self.block(body if condition.value else orelse)
                return [ast.If(condition, self.filled(body), self.block(orelse))]
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=bounds), body=body, orelse=[]
            ):
                self.names[name] = Number(ast.Name(name, ast.Load()))
                span = ast.Call(ast.Name("range", ast.Load()), [self.number(bound) for bound in bounds], [])
                return [ast.For(ast.Name(name, ast.Store()), span, self.filled(body), [])]
            case ast.While(test=test, body=body, orelse=[]):
                return [ast.While(self.number(test), self.filled(body), [])]
            case ast.Return(value=None) | ast.Break() | ast.Continue() | ast.Pass():
                return [node]
            case ast.Return(value=ast.expr() as value):
                return [ast.Return(self.number(value))]
        raise self.error(node, "this is not in the subset of Python that kernels are written in")

    def filled(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        return self.block(nodes) or [ast.Pass()]

    def together(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> list[ast.stmt]:
        """a, b = x, y, where no value depends on an earlier target."""
        changed: set[str] = set()
        lowered: list[ast.stmt] = []
        for target, value in zip(targets, values, strict=True):
            used = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            if used & changed or not isinstance(target, ast.Name):
                raise self.error(value, "values that depend on each other are assigned one by one")
            lowered += self.bind(target.id, self.value(value), target)
            changed.add(target.id)
        return lowered

    def bind(self, name: str, value: Value, node: ast.AST) -> list[ast.stmt]:
        """A local name for a number, or for a part of memory."""
        match value:
            case Number(node=expression):
                self.names[name] = Number(ast.Name(name, ast.Load()))
                return [ast.Assign([ast.Name(name, ast.Store())], expression)]
            case Array():
                self.names[name] = Array(name, value.kind, whole(0), value.shape, value.stride)
                return [ast.Assign([ast.Name(name, ast.Store())], self.passed(value))]
            case One():
                bases = {kind: f"{name}_{SUFFIXES[kind]}" for kind in value.bases}
                self.names[name] = One(value.record, bases, dict.fromkeys(bases, whole(0)), value.stride)
                parts = zip(bases.values(), self.parts(value, value.record), strict=True)
                return [ast.Assign([ast.Name(base, ast.Store())], part) for base, part in parts]
        raise self.error(node, "this cannot have a local name")

    def target(self, node: ast.expr) -> ast.Subscript | ast.Name:
        lowered = self.number(node)
        if isinstance(lowered, ast.Subscript):
            return ast.Subscript(lowered.value, lowered.slice, ast.Store())
        if isinstance(lowered, ast.Name):
            return ast.Name(lowered.id, ast.Store())
        raise self.error(node, "nothing can be assigned to this")

    # -- expressions ------------------------------------------------------------------------------------------

    def number(self, node: ast.expr) -> ast.expr:
        value = self.value(node)
        if isinstance(value, Number):
            return value.node
        raise self.error(node, "a number is needed here")

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                return Number(node)
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Attribute(value=owner, attr=name):
                return self.attribute(self.value(owner), name, node)
            case ast.Subscript(value=owner, slice=index):
                indices = index.elts if isinstance(index, ast.Tuple) else [index]
                return self.element(self.value(owner), indices, node)
            case ast.Call(func=called, args=arguments, keywords=[]):
                return Number(self.call(called, arguments, node))
            case ast.BinOp(left=left, op=op, right=right):
                return Number(self.folded(ast.BinOp(self.number(left), op, self.number(right)), node))
            case ast.UnaryOp(op=op, operand=operand):
                return Number(folded(ast.UnaryOp(op, self.number(operand))))
            case ast.Compare(left=left, ops=ops, comparators=others):
                compared = ast.Compare(self.number(left), ops, [self.number(other) for other in others])
                return Number(self.folded(compared, node))
            case ast.BoolOp(op=op, values=values):
                return Number(self.several(op, values))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.number(test)
                if isinstance(condition, ast.Constant):
                    return self.value(body if condition.value else orelse)
                return Number(ast.IfExp(condition, self.number(body), self.number(orelse)))
        raise self.error(node, "this is not in the subset of Python that kernels are written in")

    def folded(self, node: ast.expr, written: ast.expr) -> ast.expr:
        """An operation with its value, where that is known; `written` is how it is spelled in the kernel."""
        try:
            return folded(node)
        except ZeroDivisionError:
            raise self.error(written, "this divides by zero") from None

    def several(self, op: ast.boolop, nodes: Sequence[ast.expr]) -> ast.expr:
        """`and` and `or`: what follows a part that decides does not exist. What does not decide is left out, but not
        behind something that may be a number, which would be the value then."""
        decides = isinstance(op, ast.Or)
        left: list[ast.expr] = []
        for node in nodes:
            value = self.number(node)
            if isinstance(value, ast.Constant):
                if bool(value.value) != decides:
                    if left and not isinstance(left[-1], ast.Compare | ast.BoolOp | ast.UnaryOp):
                        left.append(value)
                    continue
                if not left:
                    return ast.Constant(decides)
                left.append(ast.Constant(decides))
                break
            left.append(value)
        if not left:
            return ast.Constant(not decides)
        return left[0] if len(left) == 1 else ast.BoolOp(op, left)

    def name(self, name: str, node: ast.expr) -> Value:
        if name in self.names:
            return self.names[name]
        space = self.function.__globals__
        if name in space:
            return self.known(space[name], name, None, node)
        if name in PYTHON:
            return Known(name)
        raise self.error(node, f"{name} is not known here")

    def known(self, thing: Any, name: str, owner: ModuleType | None, node: ast.expr) -> Value:
        """Something of a module: a constant, an array, a function, another module."""
        if isinstance(thing, bool | int | float | np.integer | np.floating):
            return Number(ast.Constant(thing.item() if isinstance(thing, np.generic) else thing))
        if isinstance(thing, np.ndarray):
            return self.lowering.array(owner or self._home(name, thing), name, thing)
        return Known(thing)

    def _home(self, name: str, thing: Any) -> ModuleType:
        """The module that defines an array which was imported by name."""
        for module in list(self.lowering.library._modules.values()):
            if vars(module).get(name) is thing:
                return module
        raise AssertionError(name)

    def attribute(self, owner: Value, name: str, node: ast.expr) -> Value:
        match owner:
            case Known(thing=ModuleType() as module):
                if not hasattr(module, name):
                    raise self.error(node, f"{module.__name__.rpartition('.')[2]} has no {name}")
                return self.known(getattr(module, name), name, module, node)
            case Known(thing=type() as record) if issubclass(record, Record) and name in ("FLOATS", "INTEGERS"):
                return Number(whole(getattr(record, name)))
            case One(record=record) if name in ("floats", "integers"):
                kind = KIND_OF[name]
                size = whole(sizes_of(record)[kind])
                return Array(owner.bases[kind], kind, owner.offsets[kind], (size,), owner.stride)
            case One(record=record):
                place = record.PLACES.get(name)
                if place is None:
                    raise self.error(node, f"{record.__name__} has no field {name}")
                base, begin = owner.bases[place.kind], owner.offsets[place.kind]
                offset = plus(begin, whole(place.offset * owner.stride))
                if not place.shape:
                    return Number(ast.Subscript(ast.Name(base, ast.Load()), offset, ast.Load()))
                return Array(base, place.kind, offset, tuple(map(whole, place.shape)), owner.stride)
        raise self.error(node, "this has no parts")

    def element(self, owner: Value, indices: Sequence[ast.expr], node: ast.expr) -> Value:
        """An element of an array, a row of it, or one of several records."""
        match owner:
            case Array(shape=shape) if len(indices) <= len(shape):
                offset = owner.offset
                rest = shape
                for index in indices:
                    size, *others = rest
                    rest = tuple(others)
                    width = owner.stride * prod(_constant(each) for each in rest)
                    offset = plus(offset, times(self.bounded(self.number(index), size, node), whole(width)))
                if rest:
                    return Array(owner.base, owner.kind, offset, rest, owner.stride)
                return Number(ast.Subscript(ast.Name(owner.base, ast.Load()), offset, ast.Load()))
            case Many(record=record, bases=bases) if len(indices) == 1:
                index = self.number(indices[0])
                if len(bases) > 1 and any(
                    isinstance(part, ast.Call) and not _is_plain(part) for part in ast.walk(index)
                ):
                    raise self.error(
                        node, "what a row is chosen by is used for each of its arrays: give it a name first"
                    )
                if owner.lanes:
                    index = self.bounded(index, whole(owner.lanes), node)
                    return One(record, bases, dict.fromkeys(bases, index), owner.lanes)
                index = self.bounded(index, owner.length or whole(-1), node)
                sizes = sizes_of(record)
                return One(record, bases, {kind: times(index, whole(sizes[kind])) for kind in bases})
        raise self.error(node, "this has no such elements")

    def bounded(self, index: ast.expr, size: ast.expr, node: ast.expr) -> ast.expr:
        """An index; in a checked build one that is compared with the size."""
        place, most = known_number(index), known_number(size)
        if place is not None and most is not None and most != -1:
            if not 0 <= place < most:
                raise self.error(node, f"the index {place} is beyond the size {most}")
            return index
        if not self.lowering.checked or is_number(size, -1):
            return index
        site = self.lowering.site(f"{self.file}, line {getattr(node, 'lineno', self.line)}: {ast.unparse(node)}")
        return ast.Call(ast.Name("bounded", ast.Load()), [index, size, whole(site)], [])

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, called: ast.expr, arguments: Sequence[ast.expr], node: ast.expr) -> ast.expr:
        value = self.value(called)
        if not isinstance(value, Known):
            raise self.error(node, "this cannot be called")
        thing = value.thing
        if isinstance(thing, str):
            return folded(ast.Call(ast.Name(thing, ast.Load()), [self.number(each) for each in arguments], []))
        if isinstance(thing, BuiltinFunctionType) and thing in vars(math).values():
            return ast.Call(ast.Name(thing.__name__, ast.Load()), [self.number(each) for each in arguments], [])
        if not isinstance(thing, FunctionType):
            raise self.error(node, "this cannot be called")
        wanted = parameters_of(thing)
        if len(wanted) != len(arguments):
            raise self.error(node, f"{thing.__name__} has {len(wanted)} arguments, not {len(arguments)}")
        is_own = _is_own(thing)
        flat: list[ast.expr] = []
        strides: dict[str, int] = {}
        for argument, (name, (what, of)) in zip(arguments, wanted.items(), strict=True):
            given = self.value(argument)
            passed = self.argument(argument, given, name, what, of)
            flat += passed[:1] if is_own else passed  # instructions of the machine need no lengths
            if isinstance(given, One | Array) and given.stride != 1:
                strides[name] = given.stride
        return ast.Call(ast.Name(thing.__name__ if is_own else self.lowering.add(thing, strides), ast.Load()), flat, [])

    def argument(self, node: ast.expr, value: Value, name: str, what: str, of: Any) -> list[ast.expr]:
        """What is passed for one parameter."""
        checked = self.lowering.checked
        match what, value:
            case "number", Number(node=expression):
                return [expression]
            case "array", Array(kind=kind) if kind == of:
                length = times(value.shape[0], whole(prod(_constant(each) for each in value.shape[1:])))
                return [self.passed(value)] + ([length] if checked else [])
            case "one", One(record=record) if issubclass(record, of):
                return self.parts(value, of)
            case "many", Many(record=record, lanes=0) if record is of:
                bases: list[ast.expr] = [ast.Name(base, ast.Load()) for base in value.bases.values()]
                return bases + ([value.length] if checked and value.length is not None else [])
            case "lanes", Many(record=record) if record is of and value.lanes:
                return [ast.Name(base, ast.Load()) for base in value.bases.values()]
        raise self.error(node, f"this does not fit the parameter {name}")

    def passed(self, array: Array) -> ast.expr:
        """The part of memory that an array takes."""
        if is_number(array.offset, 0) and (is_number(array.shape[0], -1) or array.base in self.lowering.flat.arrays):
            return ast.Name(array.base, ast.Load())
        size = whole(prod(_constant(each) for each in array.shape)) if _is_constant(array.shape) else None
        end = None if size is None or array.stride != 1 else plus(array.offset, size)
        return ast.Subscript(ast.Name(array.base, ast.Load()), ast.Slice(array.offset, end), ast.Load())

    def parts(self, one: One, record: type[Record]) -> list[ast.expr]:
        """The arrays of a record, as far as its base `record` has them: the fields of a base class come first."""
        parts: list[ast.expr] = []
        for kind, size in sizes_of(record).items():
            base, offset = one.bases[kind], one.offsets[kind]
            if is_number(offset, 0):
                parts.append(ast.Name(base, ast.Load()))
                continue
            end = plus(offset, whole(size)) if one.stride == 1 else None
            parts.append(ast.Subscript(ast.Name(base, ast.Load()), ast.Slice(offset, end), ast.Load()))
        return parts


def _is_plain(call: ast.Call) -> bool:
    """Whether it does not matter how often something is called."""
    return isinstance(call.func, ast.Name) and call.func.id in (*PYTHON, *PLACES, "bounded")


def _is_own(function: FunctionType) -> bool:
    """Whether targets have their own instructions for a function."""
    file = function.__module__.rpartition(".")[2]
    return file == "warp" or (file == "machine" and function.__name__ in OWN)


def _constant(node: ast.expr) -> int:
    number = known_number(node)
    assert number is not None
    return number


def _is_constant(nodes: Sequence[ast.expr]) -> bool:
    return all(isinstance(node, ast.Constant) and node.value != -1 for node in nodes)


def folded(node: ast.expr) -> ast.expr:
    """An expression of constants is evaluated; whole numbers and conditions only, floats stay as they are written."""
    match node:
        case ast.BinOp(left=ast.Constant(value=int() as a), op=op, right=ast.Constant(value=int() as b)):
            fold = _FOLD.get(type(op))
            return whole(fold(a, b)) if fold is not None else node
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as a)):
            return ast.Constant(-a)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=a)):
            return ast.Constant(not a)
        case ast.Compare(left=ast.Constant(value=a), ops=[op], comparators=[ast.Constant(value=b)]):
            compare = _COMPARE.get(type(op))
            return ast.Constant(compare(a, b)) if compare is not None else node
        case ast.Call(
            func=ast.Name(id="min" | "max" as name),
            args=[ast.Constant(value=int() as a), ast.Constant(value=int() as b)],
        ):
            return whole(min(a, b) if name == "min" else max(a, b))
    return node


_FOLD: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__,
    ast.FloorDiv: int.__floordiv__, ast.Mod: int.__mod__,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip
