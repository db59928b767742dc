"""Expressions of the subset: numbers, places in arrays, conditions, calls of each other and of built-in functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from stickslip.errors import CompileError
from stickslip.targets.aliasing import Call, Root
from stickslip.targets.instructions import (
    BOOL,
    COMPARE,
    COMPARE_NUMBERS,
    FLAGS,
    FLOAT,
    FLOATING,
    FOLD,
    INT,
    INTEGER,
    INTRINSICS,
    LARGEST,
    LIBRARY_FUNCTIONS,
    SMALLEST,
    VOID,
    element,
    kind_name,
)
from stickslip.targets.source import Function

if TYPE_CHECKING:
    from stickslip.targets.translator import Translator


class Expressions:
    """Translates the expressions of one function. Variables live on the stack; LLVM moves them to registers."""

    def __init__(self, translator: Translator, function: ir.Function, source: Function, flags: Sequence[str]) -> None:
        self.translator, self.function, self.source, self.flags = translator, function, source, flags
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.variables: dict[str, Any] = {}
        self.assigned: set[str] = set()
        """Variables that have a value here, on whichever path one comes."""
        self.roots: dict[str, Root] = {}
        """The array of each variable that is one, or a slice of one."""
        self.constants: set[str] = set()
        """Constants of the module that were read: variables cannot have their names."""
        self.node: ast.stmt = source.node
        self.line: int | None = None

    def error(self, sentence: str, node: ast.AST | None = None) -> CompileError:
        """A mistake in the statement that is translated, or in a part of it."""
        return self.source.error(sentence, node or self.node, self.line)

    def converted(self, value: ir.Value, to: ir.Type) -> ir.Value:
        if value.type == to:
            return value
        if value.type == BOOL and to == INT:
            return self.builder.zext(value, INT)
        if value.type == INT and to == BOOL:
            return self.builder.icmp_signed("!=", value, INT(0))
        if value.type == INT and to == FLOAT:
            return self.builder.sitofp(value, FLOAT)
        if value.type == BOOL and to == FLOAT:
            return self.builder.uitofp(value, FLOAT)
        raise self.error(f"This needs a value of the type {kind_name(to)}, and has one of {kind_name(value.type)}.")

    # -- names and arrays -------------------------------------------------------------------------------------

    def name(self, node: ast.Name) -> ir.Value:
        name = node.id
        if name in self.variables:
            if name not in self.assigned:
                self.without_value(node)
            variable = self.variables[name]
            loaded = isinstance(variable, ir.AllocaInstr)
            return self.builder.load(variable, typ=variable.allocated_type) if loaded else variable
        self.constants.add(name)
        if name in self.translator.arrays:
            array = self.translator.array(name)
            return self.builder.bitcast(array, array.value_type.element.as_pointer())
        number = self.translator.number(name)
        if number is None:
            raise self.error(f"{name!r} is no variable that has a value here, and no number or array.", node)
        return number

    def without_value(self, node: ast.Name) -> None:
        """A variable is read to which also a path without an assignment leads."""
        raise self.error(f"{node.id!r} may have no value here: give it one on every path that leads here.", node)

    def whole_number(self, value: int) -> ir.Value:
        if not SMALLEST <= value <= LARGEST:
            raise self.error(f"{value} does not fit into 64 bits.")
        return INT(value)

    def root_of(self, node: ast.expr) -> Root:
        """The array that a name, or a slice, belongs to."""
        match node:
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.root_of(value)
            case ast.Name(id=name):
                return self.roots.get(name, Root(name, constant=True))
        raise self.error("Only an array, or a slice of one, can stand here.", node)

    def pointer(self, node: ast.expr) -> ir.Value:
        """The address of an array, or of the first element of a slice."""
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, step=None)):
                base = self.pointer(value)
                return base if lower is None else self.address(base, lower)
            case ast.Name():
                value = self.name(node)
                if isinstance(value.type, ir.PointerType):
                    return value
        raise self.error("Only an array, or a slice of one without a step, can stand here.", node)

    def index(self, node: ast.expr) -> ir.Value:
        value = self.converted(self.expression(node), INT)
        if isinstance(value, ir.Constant) and value.constant < 0:
            raise self.error("A negative index counts from the end in Python, and not here.", node)
        return value

    def place(self, node: ast.Subscript) -> ir.Value:
        """The address of an array element."""
        return self.address(self.pointer(node.value), node.slice)

    def address(self, base: ir.Value, index: ast.expr) -> ir.Value:
        return self.builder.gep(base, [self.index(index)], source_etype=element(base))

    def load_element(self, place: ir.Value) -> ir.Value:
        return self.builder.load(place, typ=element(place))

    # -- numbers ----------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Name():
                return self.name(node)
            case ast.Constant(value=bool() as value):
                return BOOL(value)
            case ast.Constant(value=int() as value):
                return self.whole_number(value)
            case ast.Constant(value=float() as value):
                return FLOAT(value)
            case ast.Subscript(slice=ast.Slice()):
                return self.pointer(node)
            case ast.Subscript():
                return self.load_element(self.place(node))
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self.expression(left), self.expression(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.negative(self.expression(operand))
            case ast.BoolOp(op=op, values=values):
                return self.all_or_any(op, values, self.condition)
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return self.truth(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(test)
                return self.conditional(condition, lambda: self.expression(body), lambda: self.expression(orelse))
            case ast.Call():
                return self.call(node)
        raise self.error("This is outside the subset of Python that is compiled.", node)

    def negative(self, value: ir.Value) -> ir.Value:
        if value.type == FLOAT:
            constant = isinstance(value, ir.Constant)
            return FLOAT(-value.constant) if constant else self.builder.fneg(value, flags=self.flags)
        value = self.converted(value, INT)
        return self.whole_number(-value.constant) if isinstance(value, ir.Constant) else self.builder.neg(value)

    def arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        if FLOAT not in (left.type, right.type) and not isinstance(op, ast.Div):
            return self.whole_arithmetic(op, self.converted(left, INT), self.converted(right, INT))
        left, right = self.converted(left, FLOAT), self.converted(right, FLOAT)
        if isinstance(op, ast.Pow):
            return self.builder.call(self.external("llvm.pow.f64", 2), [left, right])
        return getattr(self.builder, self.floating_operation(op))(left, right, flags=self.flags)

    def whole_arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        if type(op) not in INTEGER:
            raise self.error(f"Whole numbers have no operation {type(op).__name__} here.")
        if isinstance(right, ir.Constant) and right.constant == 0 and isinstance(op, ast.FloorDiv | ast.Mod):
            raise self.error("This divides by zero.")
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            return self.whole_number(FOLD[type(op)](left.constant, right.constant))
        return INTEGER[type(op)](self.builder, left, right)

    def floating_operation(self, op: ast.operator) -> str:
        if type(op) not in FLOATING:
            raise self.error(f"Floats have no operation {type(op).__name__} here.")
        return FLOATING[type(op)]

    # -- conditions -------------------------------------------------------------------------------------------

    def truth(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.BoolOp(op=op, values=values):
                return self.all_or_any(op, values, self.truth)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                value = self.truth(operand)
                return BOOL(not value.constant) if isinstance(value, ir.Constant) else self.builder.not_(value)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self.comparison(self.expression(left), ops, comparators)
        value = self.expression(node)
        return value if value.type == BOOL else self.compare(ast.NotEq(), value, INT(0))

    def condition(self, node: ast.expr) -> ir.Value:
        """A part of `and` or `or` whose value is used: of numbers Python would give one of them."""
        value = self.expression(node)
        if value.type != BOOL:
            raise self.error("This is a number, and no condition: compare it.", node)
        return value

    def all_or_any(
        self, op: ast.boolop, nodes: Sequence[ast.expr], evaluated: Callable[[ast.expr], ir.Value]
    ) -> ir.Value:
        first = evaluated(nodes[0])
        if len(nodes) == 1:
            return first
        return self.both(isinstance(op, ast.And), first, lambda: self.all_or_any(op, nodes[1:], evaluated))

    def comparison(self, left: ir.Value, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr]) -> ir.Value:
        """One comparison, or a chain of them, where what stands between two is evaluated once."""
        right = self.expression(comparators[0])
        holds = self.compare(ops[0], left, right)
        if len(ops) == 1:
            return holds
        return self.both(True, holds, lambda: self.comparison(right, ops[1:], comparators[1:]))

    def both(self, needs_all: bool, condition: ir.Value, following: Callable[[], ir.Value]) -> ir.Value:
        """`and` / `or`, the second evaluated only where it matters."""
        if isinstance(condition, ir.Constant):
            return following() if bool(condition.constant) == needs_all else condition
        if needs_all:
            return self.conditional(condition, following, lambda: BOOL(False))
        return self.conditional(condition, lambda: BOOL(True), following)

    def compare(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        sign = self.sign(op)
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            return BOOL(COMPARE_NUMBERS[sign](left.constant, right.constant))
        if FLOAT not in (left.type, right.type):
            return self.builder.icmp_signed(sign, self.converted(left, INT), self.converted(right, INT))
        return self.compared(op, self.converted(left, FLOAT), self.converted(right, FLOAT))

    def compared(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        """Two floats, or two vectors of them."""
        sign = self.sign(op)
        if sign == "!=":
            return self.builder.fcmp_unordered(sign, left, right)
        return self.builder.fcmp_ordered(sign, left, right)

    def sign(self, op: ast.cmpop) -> str:
        if type(op) not in COMPARE:
            raise self.error(f"Numbers have no comparison {type(op).__name__} here.")
        return COMPARE[type(op)]

    def conditional(
        self, condition: ir.Value, first: Callable[[], ir.Value], second: Callable[[], ir.Value]
    ) -> ir.Value:
        if isinstance(condition, ir.Constant):
            return first() if condition.constant else second()
        yes, no, after = (self.function.append_basic_block(name) for name in ("yes", "no", "after"))
        self.builder.cbranch(condition, yes, no)
        values = []
        for block, make in ((yes, first), (no, second)):
            self.builder.position_at_end(block)
            values.append((make(), self.builder.block))
        kind = _common_kind(values[0][0].type, values[1][0].type)
        incoming = []
        for value, block in values:
            self.builder.position_at_end(block)
            incoming.append((self.converted(value, kind), self.builder.block))
            self.builder.branch(after)
        self.builder.position_at_end(after)
        result = self.builder.phi(kind)
        for value, block in incoming:
            result.add_incoming(value, block)
        return result

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> ir.Value:
        """The value of a call in an expression: there must be one."""
        value = self.called(node)
        if value.type == VOID:
            raise self.error("This function gives no value.", node)
        return value

    def called(self, node: ast.Call) -> ir.Value:
        if not isinstance(node.func, ast.Name):
            raise self.error("Only functions with a plain name can be called.", node)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.error("Arguments are given one by one, by their position.", node)
        if node.func.id in self.translator.sources:
            return self.own_function(node.func.id, node)
        return self.builtin(node.func.id, [self.expression(argument) for argument in node.args])

    def own_function(self, name: str, node: ast.Call) -> ir.Value:
        function = self.translator.function(name)
        if len(node.args) != len(function.args):
            given = f"{len(node.args)} given" if node.args else "none given"
            raise self.error(f"{name!r} takes {len(function.args)} arguments, and here are {given}.", node)
        roots = []
        values = []
        for argument, parameter in zip(node.args, function.args, strict=True):
            if isinstance(parameter.type, ir.PointerType):
                value, root = self.pointer(argument), self.root_of(argument)
                if value.type != parameter.type:
                    wanted, found = (kind_name(kind) for kind in (parameter.type, value.type))
                    raise self.error(f"{parameter.name!r} of {name!r} is {wanted}, and this is {found}.", argument)
                roots.append((parameter.name, root))
                values.append(value)
            else:
                values.append(self.converted(self.expression(argument), parameter.type))
        self.translator.calls.setdefault(Call(self.function.name, name, tuple(roots)), node)
        return self.builder.call(function, values)

    def writes_to(self, root: Root, node: ast.AST) -> None:
        """Note that an array is written to, and refuse that of a constant one."""
        if root.constant:
            raise self.error(f"{root.name!r} is a constant array and cannot be written to.", node)
        self.translator.written[self.function.name].add(root.name)

    def builtin(self, name: str, values: list[ir.Value]) -> ir.Value:
        b = self.builder
        match name, values:
            case "float", [value]:
                return self.converted(value, FLOAT)
            case "int", [value]:
                return b.fptosi(value, INT) if value.type == FLOAT else self.converted(value, INT)
            case "bool", [value]:
                return value if value.type == BOOL else self.compare(ast.NotEq(), value, INT(0))
            case "abs", [value] if value.type == INT:
                return b.select(b.icmp_signed("<", value, INT(0)), b.neg(value), value)
            case (("min" | "max"), [left, right]):
                kind = _common_kind(left.type, right.type)
                left, right = self.converted(left, kind), self.converted(right, kind)
                return b.select(self.compare(ast.Lt() if name == "min" else ast.Gt(), right, left), right, left)
            case "rough_log2", [value]:  # the bits of a float, read as a number, are its logarithm but for the scale
                bits = b.sitofp(b.bitcast(value, INT), FLOAT)
                return b.fsub(b.fmul(bits, FLOAT(2.0**-52), flags=FLAGS), FLOAT(1023.0), flags=FLAGS)
            case "fused", [_, _, _]:
                floats = [self.converted(value, FLOAT) for value in values]
                return b.call(self.external("llvm.fmuladd.f64", 3), floats)
            case "latest", [array, place]:  # atomic, so that no loop takes it for a constant
                address = b.gep(array, [place], source_etype=INT)
                return b.load_atomic(address, "monotonic", 8, typ=INT)
            case "isfinite", [value]:
                value = self.converted(value, FLOAT)
                return b.fcmp_ordered("<", b.call(self.external("llvm.fabs.f64", 1), [value]), FLOAT(math.inf))
            case "bounded", [index, size, site]:
                return self.bounded(index, size, site)
        return self.of_floats(name, [self.converted(value, FLOAT) for value in values])

    def of_floats(self, name: str, floats: list[ir.Value]) -> ir.Value:
        if name not in (*INTRINSICS, *LIBRARY_FUNCTIONS, "abs", "copysign"):
            raise self.error(f"There is no function {name!r} of {len(floats)} arguments.")
        if len(floats) != (2 if name == "copysign" else 1):
            raise self.error(f"{name!r} takes another number of arguments.")
        if name in LIBRARY_FUNCTIONS:
            return self.builder.call(self.external(name, 1), floats)
        intrinsic = {"abs": "fabs"}.get(name, name)
        return self.builder.call(self.external(f"llvm.{intrinsic}.f64", len(floats)), floats)

    def bounded(self, index: ir.Value, size: ir.Value, site: ir.Value) -> ir.Value:
        """The index; in a checked build, 0 in place of one that is not in 0 … size − 1, which is noted."""
        if not isinstance(site, ir.Constant) or site.type != INT or site.constant < 1:
            raise self.error("The site of an index is a number from 1 on that is known while compiling.")
        index, size = self.converted(index, INT), self.converted(size, INT)
        if not self.translator.checked:
            return index
        return self.builder.call(self.translator.check, [index, size, site])

    def external(self, name: str, arguments: int) -> ir.Function:
        known = self.translator.module.globals.get(name)
        if known is not None:
            return known
        return ir.Function(self.translator.module, ir.FunctionType(FLOAT, [FLOAT] * arguments), name)


def _common_kind(one: ir.Type, other: ir.Type) -> ir.Type:
    """What numbers of two types become where either may be taken."""
    if one == other:
        return one
    return FLOAT if FLOAT in (one, other) else INT
