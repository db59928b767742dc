"""A compiler for the kernels: a small typed subset of Python, translated to LLVM and on to machine code.

The subset is what the kernels need and no more: numbers (int, float), flat arrays (`Floats`, `Ints`), assignments, if,
for over range, while, calls of each other and of a few functions of `math`. Argument and return types come from
annotations, the rest follows. Integer division and remainder are meant for operands that are not negative.

Why not numba: on a new model its front end took three times as long as LLVM did, and a new model is what a user has;
and compiled models load from disk without importing it. docs/architecture.md has the numbers.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from stickslip.errors import CompileError
from stickslip.targets.unroll import MACHINE

FLOAT, INT, BOOL, VOID = ir.DoubleType(), ir.IntType(64), ir.IntType(1), ir.VoidType()
TYPES = {"Floats": FLOAT.as_pointer(), "Ints": INT.as_pointer(), "float": FLOAT, "int": INT, "bool": BOOL, "None": VOID}
INTRINSICS = ("exp", "log", "sqrt", "sin", "cos")
LIBRARY_FUNCTIONS = ("tan", "tanh", "atan", "sinh", "cosh")
FLAGS = ("contract",)
SHORT = 4
"""Loops of so many turns, which are over states or contacts, are written out. LLVM would do so too, but only after it
has made block copies of some, and a block waits long for numbers that were stored one by one just before."""


INLINED = frozenset(["last_term", "factor"])
"""Functions of every step that LLVM would call although a call costs as much as what they do."""


@dataclass(frozen=True)
class Kernel:
    """One function before translation."""

    node: ast.FunctionDef
    flags: tuple[str, ...]


class Translator:
    """Translates the functions of one module; `values` are its constants (numbers and arrays)."""

    def __init__(
        self, source: str, values: Mapping[str, Any], entry_points: Sequence[str], sums: Sequence[str]
    ) -> None:
        self.values = values
        self.lanes = int(values.get("LANES", 1))
        self.module = ir.Module("stickslip")
        self.arrays: dict[str, ir.GlobalVariable] = {}
        tree = ast.parse(source)
        self.kernels = {
            node.name: Kernel(node, (*FLAGS, "reassoc") if node.name in sums else FLAGS)
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and node.name not in MACHINE
            and node.args.args
            and node.args.args[0].annotation is not None
        }
        self.functions: dict[str, ir.Function] = {}
        for name in entry_points:
            self.function(name).linkage = "external"

    def function(self, name: str) -> ir.Function:
        if name not in self.functions:
            self._declare(name)
        return self.functions[name]

    def _declare(self, name: str) -> None:
        node = self.kernels[name].node
        arguments = [TYPES[ast.unparse(a.annotation)] for a in node.args.args if a.annotation is not None]
        result = TYPES[ast.unparse(node.returns)] if node.returns is not None else VOID
        function = ir.Function(self.module, ir.FunctionType(result, arguments), name)
        function.linkage = "internal"
        function.attributes.add("nounwind")
        if name in INLINED:
            function.attributes.add("alwaysinline")
        for argument, given in zip(function.args, node.args.args, strict=True):
            argument.name = given.arg
            if isinstance(argument.type, ir.PointerType):
                argument.add_attribute("noalias")
        self.functions[name] = function
        self._body_of(name)(self, function, self.kernels[name]).translate()

    def _body_of(self, name: str) -> type[Body]:
        """Functions whose name begins with "lane_" work on all lanes at once."""
        if not name.startswith("lane_"):
            return Body
        from stickslip.targets.vector import LaneBody

        return LaneBody

    def array(self, name: str) -> ir.GlobalVariable:
        """A constant array of the module."""
        if name not in self.arrays:
            data = np.asarray(self.values[name]).ravel()
            kind = FLOAT if data.dtype.kind == "f" else INT
            constant = ir.Constant(ir.ArrayType(kind, len(data)), [kind(x.item()) for x in data])
            variable = ir.GlobalVariable(self.module, constant.type, f"constant.{name}")
            variable.initializer, variable.global_constant, variable.linkage = constant, True, "internal"
            self.arrays[name] = variable
        return self.arrays[name]


class Body:
    """The body of one function. Variables live on the stack; LLVM moves them to registers."""

    def __init__(self, translator: Translator, function: ir.Function, kernel: Kernel) -> None:
        self.translator, self.function, self.kernel = translator, function, kernel
        self.flags = kernel.flags
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.variables: dict[str, Any] = {}
        self.loops: list[tuple[ir.Block, ir.Block]] = []

    def translate(self) -> None:
        body = self.builder.block
        for argument in self.function.args:
            if isinstance(argument.type, ir.PointerType):
                self.variables[argument.name] = argument
            else:
                self.store(argument.name, argument)
        self.statements(self.kernel.node.body)
        if not self.builder.block.is_terminated:
            if self.function.function_type.return_type == VOID:
                self.builder.ret_void()
            else:
                self.builder.unreachable()
        ir.IRBuilder(self.entry).branch(body)

    # -- variables --------------------------------------------------------------------------------------------

    def store(self, name: str, value: ir.Value) -> None:
        if name not in self.variables:
            with self.builder.goto_block(self.entry):
                self.variables[name] = self.builder.alloca(INT if value.type == BOOL else value.type, name=name)
        place = self.variables[name]
        self.builder.store(self.converted(value, place.allocated_type), place)

    def converted(self, value: ir.Value, to: ir.Type) -> ir.Value:
        if value.type == to:
            return value
        if value.type == BOOL and to == INT:
            return self.builder.zext(value, INT)
        if value.type == INT and to == BOOL:
            return self.builder.icmp_signed("!=", value, INT(0))
        if value.type == INT and to == FLOAT:
            return self.builder.sitofp(value, FLOAT)
        raise CompileError(f"{self.function.name}: a {value.type} cannot become a {to}")

    def place(self, node: ast.Subscript) -> ir.Value:
        """The address of an array element."""
        name = _identifier(node.value)
        index = self.expression(node.slice)
        if name in self.variables:
            return self.builder.gep(self.variables[name], [index], source_etype=_element(self.variables[name]))
        variable = self.translator.array(name)
        return self.builder.gep(variable, [INT(0), index], source_etype=variable.value_type)

    # -- statements -------------------------------------------------------------------------------------------

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            if self.builder.block.is_terminated:
                return
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, self.expression(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.assign(target, self.arithmetic(op, self.expression(_loaded(target)), self.expression(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=arguments), body=body, orelse=[]
            ):
                self.loop(name, arguments, body)
            case ast.While(test=test, body=body, orelse=[]):
                self.while_loop(test, body)
            case ast.Return(value=None):
                self.builder.ret_void()
            case ast.Return(value=value) if value is not None:
                self.builder.ret(self.converted(self.expression(value), self.function.function_type.return_type))
            case ast.Break():
                self.builder.branch(self.loops[-1][1])
            case ast.Continue():
                self.builder.branch(self.loops[-1][0])
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case _:
                raise CompileError(f"{self.function.name}: cannot compile {ast.unparse(node)!r}")

    def assign(self, target: ast.expr, value: ir.Value) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Subscript):
            place = self.place(target)
            self.builder.store(
                self.converted(value, place.type.pointee if not _opaque(place) else _element(place)), place
            )
        else:
            raise CompileError(f"{self.function.name}: cannot assign to {ast.unparse(target)!r}")

    def branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        condition = self.truth(test)
        if isinstance(condition, ir.Constant):  # a size of the model: the other branch does not exist
            self.statements(body if condition.constant else orelse)
            return
        yes, no, after = (self.function.append_basic_block(name) for name in ("yes", "no", "after"))
        self.builder.cbranch(condition, yes, no)
        for block, nodes in ((yes, body), (no, orelse)):
            self.builder.position_at_end(block)
            self.statements(nodes)
            if not self.builder.block.is_terminated:
                self.builder.branch(after)
        self.builder.position_at_end(after)

    def loop(self, name: str, arguments: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        bounds = [self.expression(argument) for argument in arguments]
        first, last = (INT(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2] if len(bounds) == 3 else INT(1)
        down = len(bounds) == 3 and isinstance(step, ir.Constant) and step.constant < 0
        if all(isinstance(bound, ir.Constant) for bound in (first, last, step)):
            values = range(first.constant, last.constant, step.constant)
            if len(values) <= SHORT and not _jumps(body):
                for value in values:
                    if not self.builder.block.is_terminated:
                        self.store(name, INT(value))
                        self.statements(body)
                return
        head, inside, following, after = (
            self.function.append_basic_block(block) for block in ("head", "inside", "next", "after")
        )
        counter = f"{name}.counter.{len(self.variables)}"  # neither the body nor an inner loop changes the count
        self.store(counter, first)
        self.builder.branch(head)
        self.builder.position_at_end(head)
        count = self.builder.load(self.variables[counter], typ=INT)
        self.builder.cbranch(self.builder.icmp_signed(">" if down else "<", count, last), inside, after)
        self.builder.position_at_end(inside)
        self.store(name, count)
        self.nested(body, following, after)
        self.builder.position_at_end(following)
        count = self.builder.load(self.variables[counter], typ=INT)
        self.store(counter, self.builder.add(count, step))
        self.builder.branch(head)
        self.builder.position_at_end(after)

    def while_loop(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = (self.function.append_basic_block(block) for block in ("head", "inside", "after"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.truth(test), inside, after)
        self.builder.position_at_end(inside)
        self.nested(body, head, after)
        self.builder.position_at_end(after)

    def nested(self, body: Sequence[ast.stmt], following: ir.Block, after: ir.Block) -> None:
        self.loops.append((following, after))
        self.statements(body)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(following)

    # -- expressions ------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Constant(value=bool() as value):
                return BOOL(value)
            case ast.Constant(value=int() as value):
                return INT(value)
            case ast.Constant(value=float() as value):
                return FLOAT(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Subscript():
                place = self.place(node)
                return self.builder.load(place, typ=_element(place))
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self.expression(left), self.expression(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.negative(self.expression(operand))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare() | ast.BoolOp():
                return self.truth(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.conditional(
                    self.truth(test), lambda: self.expression(body), lambda: self.expression(orelse)
                )
            case ast.Call():
                return self.call(node)
        raise CompileError(f"{self.function.name}: cannot compile {ast.unparse(node)!r}")

    def name(self, name: str) -> ir.Value:
        if name in self.variables:
            variable = self.variables[name]
            if isinstance(variable, ir.AllocaInstr):
                return self.builder.load(variable, typ=variable.allocated_type)
            return variable
        value = self.translator.values[name]
        return FLOAT(value) if isinstance(value, float) else INT(int(value))

    def negative(self, value: ir.Value) -> ir.Value:
        if isinstance(value, ir.Constant):
            return value.type(-value.constant)
        return self.builder.fneg(value, flags=self.flags) if value.type == FLOAT else self.builder.neg(value)

    def arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        if left.type == right.type == INT and not isinstance(op, ast.Div | ast.Pow):
            if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
                return INT(_FOLD[type(op)](left.constant, right.constant))
            return getattr(self.builder, _INTEGER[type(op)])(left, right)
        left, right = self.converted(left, FLOAT), self.converted(right, FLOAT)
        if isinstance(op, ast.Pow):
            return self.builder.call(self.external("llvm.pow.f64", 2), [left, right])
        return getattr(self.builder, floating_operation(op))(left, right, flags=self.flags)

    def truth(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.BoolOp(op=op, values=[first, *rest]):
                following = rest[0] if len(rest) == 1 else ast.BoolOp(op=op, values=rest)
                return self.both(isinstance(op, ast.And), first, following)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.builder.not_(self.truth(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.compare(op, self.expression(left), self.expression(right))
            case ast.Compare(left=left, ops=[op, *others], comparators=[right, *following]):
                first = ast.Compare(left=left, ops=[op], comparators=[right])
                return self.both(True, first, ast.Compare(left=right, ops=others, comparators=following))
        value = self.expression(node)
        return value if value.type == BOOL else self.compare(ast.NotEq(), value, INT(0))

    def both(self, needs_all: bool, first: ast.expr, second: ast.expr) -> ir.Value:
        """`and` / `or`, the second evaluated only where it matters."""
        condition = self.truth(first)
        if isinstance(condition, ir.Constant):
            return self.truth(second) if bool(condition.constant) == needs_all else condition
        if needs_all:
            return self.conditional(condition, lambda: self.truth(second), lambda: BOOL(False))
        return self.conditional(condition, lambda: BOOL(True), lambda: self.truth(second))

    def compare(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        sign = _COMPARE[type(op)]
        if left.type == right.type == INT:
            if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
                return BOOL(_COMPARE_VALUES[sign](left.constant, right.constant))
            return self.builder.icmp_signed(sign, left, right)
        return self.compared(op, self.converted(left, FLOAT), self.converted(right, FLOAT))

    def compared(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        """Two floats, or two vectors of them."""
        sign = _COMPARE[type(op)]
        if sign == "!=":
            return self.builder.fcmp_unordered(sign, left, right)
        return self.builder.fcmp_ordered(sign, left, right)

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
        kind = FLOAT if FLOAT in (values[0][0].type, values[1][0].type) else values[0][0].type
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

    def call(self, node: ast.Call) -> ir.Value:
        name = _identifier(node.func)
        if name in self.translator.kernels:
            function = self.translator.function(name)
            arguments = [
                self.converted(self.expression(argument), kind)
                for argument, kind in zip(node.args, function.function_type.args, strict=True)
            ]
            return self.builder.call(function, arguments)
        values = [self.expression(argument) for argument in node.args]
        return self.builtin(name, values)

    def builtin(self, name: str, values: list[ir.Value]) -> ir.Value:
        b = self.builder
        match name, values:
            case "float", [value]:
                return self.converted(value, FLOAT)
            case "int", [value]:
                return b.fptosi(value, INT) if value.type == FLOAT else self.converted(value, INT)
            case "abs", [value] if value.type == INT:
                return b.select(b.icmp_signed("<", value, INT(0)), b.neg(value), value)
            case (("min" | "max"), [left, right]):
                if FLOAT in (left.type, right.type):
                    left, right = self.converted(left, FLOAT), self.converted(right, FLOAT)
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
                return b.fcmp_ordered("<", b.call(self.external("llvm.fabs.f64", 1), [value]), FLOAT(math.inf))
        floats = [self.converted(value, FLOAT) for value in values]
        if name in INTRINSICS or name in ("abs", "copysign"):
            intrinsic = {"abs": "fabs"}.get(name, name)
            return b.call(self.external(f"llvm.{intrinsic}.f64", len(floats)), floats)
        if name in LIBRARY_FUNCTIONS:
            return b.call(self.external(name, 1), floats)
        raise CompileError(f"{self.function.name}: cannot call {name!r}")

    def external(self, name: str, arguments: int) -> ir.Function:
        known = self.translator.module.globals.get(name)
        if known is not None:
            return known
        return ir.Function(self.translator.module, ir.FunctionType(FLOAT, [FLOAT] * arguments), name)


_INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.Mod: "srem"} | {
    ast.BitXor: "xor"
}
_FOLD: dict[type[ast.operator], Any] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.FloorDiv: int.__floordiv__,
    ast.Mod: int.__mod__,
    ast.BitXor: int.__xor__,
}
_FLOATING = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


def floating_operation(op: ast.operator) -> str:
    """The instruction for an operation on floats."""
    return _FLOATING[type(op)]


_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_COMPARE_VALUES: dict[str, Any] = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
}


def _identifier(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    raise CompileError(f"{ast.unparse(node)!r} is not a plain name")


def _loaded(target: ast.expr) -> ast.expr:
    """An assignment target read as an expression."""
    return ast.Name(id=target.id, ctx=ast.Load()) if isinstance(target, ast.Name) else target


def _jumps(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop may be left, or go on, before the end of its body."""
    return any(isinstance(node, ast.Break | ast.Continue) for statement in body for node in ast.walk(statement))


def _opaque(pointer: ir.Value) -> bool:
    return bool(getattr(pointer.type, "is_opaque", False))


def _element(pointer: ir.Value) -> ir.Type:
    kind = pointer.type.pointee
    return kind.element if isinstance(kind, ir.ArrayType) else kind


def machine() -> llvm.TargetMachine:
    """This computer's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
        jit=True,
    )


def lanes() -> int:
    """How many trajectories travel together: a register full. Two were no faster: too many had to be put aside."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4


def machine_name() -> str:
    """What machine code is made for and by: part of the name under which it is kept, since homes are shared."""
    made_for = llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return f"{made_for} {llvmlite.__version__} {llvm.llvm_version_info}"


def object_code(source: str, values: Mapping[str, Any], entry_points: Sequence[str], sums: Sequence[str]) -> bytes:
    """Machine code of a joined module, as an object file."""
    translated = Translator(source, values, entry_points, sums).module
    target = machine()
    translated.triple, translated.data_layout = target.triple, str(target.target_data)
    module = llvm.parse_assembly(str(translated))
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = True
    options.slp_vectorization = False  # what is computed one by one and read in pairs waits for memory
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return builtins.bytes(target.emit_object(module))


def loaded(code: bytes) -> llvm.ExecutionEngine:
    """Machine code placed in memory, ready to be called by address."""
    target = machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
