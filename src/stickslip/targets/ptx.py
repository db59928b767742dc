"""Kernels for GPUs of NVIDIA: the same subset of Python, translated to LLVM and on to PTX, which the driver assembles.

`GpuBody` adds what threads of a GPU can do (kernels/warp.py) to the compiler. `TickBody` is for the tick of lockstep,
in which nothing branches that need not: choices are selects, conditions are combined without jumps, numbers are of
double or single precision (precision.py), and lanes are addressed as what they are, shared memory.
"""

from __future__ import annotations

import ast
import builtins
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import llvmlite.binding as llvm
from llvmlite import ir

from stickslip.errors import CudaError
from stickslip.targets.body import Body
from stickslip.targets.instructions import BOOL, FLAGS, FLOAT, INT
from stickslip.targets.source import Function
from stickslip.targets.translator import Translator
from stickslip.targets.vector import BETWEEN, MAGIC

SINGLE, HALF = ir.FloatType(), ir.IntType(32)
SHARED, CONSTANT = 3, 4
"""Address spaces: memory of a block, and constants that instructions read without loading them."""

CLEAR = "llvm.memset.p0.i64"
WARP, ALL_THREADS = 32, HALF(0xFFFFFFFF)
TRIPLE, SPECIAL = "nvptx64-nvidia-cuda", "llvm.nvvm.read.ptx.sreg"
ELEMENTARY = {
    "exp": "exponential",
    "log": "logarithm",
    "sin": "sine_of",
    "cos": "cosine_of",
    "tan": "tangent_of",
    "tanh": "hyperbolic_tangent",
    "atan": "arctangent",
    "sinh": "hyperbolic_sine",
    "cosh": "hyperbolic_cosine",
}
"""Functions of `math` that GPUs have no instruction for, and the kernels that compute them (kernels/elementary.py)."""

RARE = frozenset(["elementary__reduce_far", "elementary__precise_logarithm"])
"""Functions that are long and hardly ever called: once in a kernel is enough."""

PTX_VERSIONS = {75: 63, 80: 70, 86: 71, 87: 74, 89: 78, 90: 78, 100: 86, 103: 88, 120: 87, 121: 88}
"""Kinds of GPUs that LLVM knows, by compute capability, and the first version of PTX for each: old drivers know it."""


SCRATCH = 8
"""So many floats are lent to a function of elementary.py that asks for room."""


@dataclass(frozen=True)
class Memory:
    """Arrays that a kernel does not get from outside: what every thread has to itself, and all of a block together."""

    of_thread: Mapping[str, int]
    """Sizes by the names of flat parameters. They hold zeros at first, as on the CPU: generated functions do not write
    what is always zero."""
    of_block: Mapping[str, int]


@dataclass(frozen=True)
class Kernel:
    """A flat function, and the name under which it is launched; its own memory; how many threads a block has at most,
    and a thread registers (None: as many as it needs); the functions that it calls which have no branches."""

    function: str
    name: str
    memory: Memory
    threads: int
    registers: int | None = None
    ticks: tuple[str, ...] = ()


class Architecture(Protocol):
    """A machine that runs kernels: what its threads can do, and its code."""

    name: str

    def operation(self, body: GpuBody, name: str, values: Sequence[ir.Value]) -> ir.Value | None:
        """An operation of kernels/warp.py on threads; None if it is none."""

    def declare(self, module: ir.Module, function: ir.Function, kernel: Kernel) -> None:
        """Make a function one that can be launched."""

    def code(self, module: ir.Module) -> builtins.bytes:
        """The code of a module."""


class GpuTranslator(Translator):
    """Translates one kernel with all that it calls."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        arrays: Mapping[str, Any],
        kernel: Kernel,
        architecture: Architecture,
    ) -> None:
        self.ticks, self.architecture = frozenset(kernel.ticks), architecture
        self.literals: dict[float, ir.GlobalVariable] = {}
        super().__init__(functions, arrays, {}, [kernel.function], [], kernel.threads)
        architecture.declare(self.module, self._entry(self.function(kernel.function), kernel), kernel)

    def body_of(self, name: str) -> type[Body]:
        return TickBody if name in self.ticks else GpuBody

    def _entry(self, function: ir.Function, kernel: Kernel) -> ir.Function:
        """What is launched: it has the memory of the kernel, and is given the rest."""
        memory = kernel.memory
        function.linkage = "internal"
        function.attributes.add("alwaysinline")
        own = memory.of_thread.keys() | memory.of_block.keys()
        given = [argument for argument in function.args if argument.name not in own]
        kinds = [argument.type for argument in given]
        entry = ir.Function(self.module, ir.FunctionType(ir.VoidType(), kinds), kernel.name)
        builder = ir.IRBuilder(entry.append_basic_block("entry"))
        values = {argument.name: value for argument, value in zip(given, entry.args, strict=True)}
        for argument in function.args:
            if argument.name in memory.of_thread:
                values[argument.name] = self._of_thread(builder, argument.type, memory.of_thread[argument.name])
            elif argument.name in memory.of_block:
                values[argument.name] = self._of_block(builder, argument, memory.of_block[argument.name])
        builder.call(function, [values[argument.name] for argument in function.args])
        builder.ret_void()
        return entry

    def _of_thread(self, builder: ir.IRBuilder, kind: ir.PointerType, size: int) -> ir.Value:
        room = builder.alloca(ir.ArrayType(kind.pointee, size))
        byte = ir.IntType(8)
        clear = self.module.globals.get(CLEAR) or ir.Function(
            self.module, ir.FunctionType(ir.VoidType(), [byte.as_pointer(), byte, INT, BOOL]), CLEAR
        )
        builder.call(clear, [builder.bitcast(room, byte.as_pointer()), byte(0), INT(8 * size), BOOL(False)])
        return builder.bitcast(room, kind)

    def _of_block(self, builder: ir.IRBuilder, argument: ir.Argument, size: int) -> ir.Value:
        kind = ir.ArrayType(argument.type.pointee, size)
        room = ir.GlobalVariable(self.module, kind, f"shared_{argument.name}", SHARED)
        room.initializer, room.linkage, room.align = ir.Constant(kind, ir.Undefined), "internal", 8
        return builder.addrspacecast(room, argument.type)

    def literal(self, value: float) -> ir.GlobalVariable:
        """A number among the constants of the kernel; LLVM, which would write it out, must not know that it is one."""
        if value not in self.literals:
            variable = ir.GlobalVariable(self.module, FLOAT, f"literal_{len(self.literals)}", CONSTANT)
            variable.initializer = FLOAT(value)
            self.literals[value] = variable
        return self.literals[value]


class GpuBody(Body):
    """The body of one function of a GPU."""

    translator: GpuTranslator

    def translate(self) -> None:
        if self.function.name in RARE:
            self.function.attributes.add("noinline")
        super().translate()

    def arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        if isinstance(op, ast.Pow):
            return self.elementary("power", [left, right])
        return super().arithmetic(op, left, right)

    def builtin(self, name: str, values: list[ir.Value]) -> ir.Value:
        b = self.builder
        if name in ELEMENTARY:
            return self.elementary(ELEMENTARY[name], values)
        match name, values:
            case "exponent_of", [value]:
                return b.sub(b.and_(b.lshr(b.bitcast(value, INT), INT(52)), INT(0x7FF)), INT(1023))
            case "two_to", [whole]:  # the last bits of the sum are those of the exponent
                shifted = b.fadd(self.converted(whole, FLOAT), FLOAT(MAGIC + 1023.0))
                return b.bitcast(b.shl(b.bitcast(shifted, INT), INT(52)), FLOAT)
            case "latest", [array, place]:  # nobody changes it while a kernel runs
                return b.load(b.gep(array, [place], source_etype=INT), typ=INT)
            case "count_bits", [bits]:
                return b.ctpop(bits)
            case "add_to_common", [array, place, amount]:
                return b.atomic_rmw("add", b.gep(array, [place], source_etype=INT), amount, "monotonic")
        own = self.translator.architecture.operation(self, name, values)
        return super().builtin(name, values) if own is None else own

    def elementary(self, name: str, values: Sequence[ir.Value]) -> ir.Value:
        """A function of elementary.py; those that ask for room get it."""
        function = self.translator.function(f"elementary__{name}")
        arguments = [self.converted(value, FLOAT) for value in values]
        if len(function.args) > len(arguments):
            with self.builder.goto_block(self.entry):
                room = self.builder.alloca(ir.ArrayType(FLOAT, SCRATCH))
            arguments.append(self.builder.bitcast(room, FLOAT.as_pointer()))
        return self.builder.call(function, arguments)

    def declared(self, name: str, result: ir.Type, arguments: Sequence[ir.Type]) -> ir.Function:
        """A function from outside."""
        known = self.translator.module.globals.get(name)
        if known is not None:
            return known
        return ir.Function(self.translator.module, ir.FunctionType(result, arguments), name)


class TickBody(GpuBody):
    """The body of a tick that is written out: B is a lane of shared memory, and what can be a select is one."""

    def translate(self) -> None:
        self.function.attributes.add("alwaysinline")
        rows, lane = self.function.args
        shared = self.builder.addrspacecast(rows, ir.PointerType(FLOAT, SHARED))
        self.column = self.builder.gep(shared, [lane], source_etype=FLOAT)
        super().translate()

    def store(self, name: str, value: ir.Value) -> None:
        """A variable may be of single precision after it was of double precision: then it is another one."""
        value = self.number(value)
        if name in self.variables and self.variables[name].allocated_type != value.type:
            del self.variables[name]
        self.builder.store(value, self.variable(name, value.type))

    def without_value(self, node: ast.Name) -> None:
        """As for lanes: variables that stand for places of the work array hold something at all times."""
        variable = self.variables[node.id]
        with self.builder.goto_block(self.entry):
            self.builder.store(ir.Constant(variable.allocated_type, None), variable)
        self.assigned.add(node.id)

    def place(self, node: ast.Subscript) -> ir.Value:
        row = self.expression(node.slice)
        return self.builder.gep(self.column, [INT(row.constant * self.translator.lanes)], source_etype=FLOAT)

    def load_element(self, place: ir.Value) -> ir.Value:
        return self.builder.load(place, typ=FLOAT)

    def store_element(self, target: ast.Subscript, place: ir.Value, value: ir.Value) -> None:
        self.writes_to(self.root_of(target.value), target)
        self.builder.store(self.converted(value, FLOAT), place)

    def expression(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Constant(value=float() as value) if struct.pack(">d", value)[4:] != bytes(4):
                return self.builder.load(self.translator.literal(value), typ=FLOAT)
        return super().expression(node)

    def number(self, value: ir.Value) -> ir.Value:
        """Whole numbers, which are known, as floats."""
        return FLOAT(float(value.constant)) if value.type == INT and isinstance(value, ir.Constant) else value

    def converted(self, value: ir.Value, to: ir.Type) -> ir.Value:
        if value.type == INT and isinstance(value, ir.Constant) and to in (FLOAT, SINGLE):
            return to(float(value.constant))
        return super().converted(value, to)

    def alike(self, left: ir.Value, right: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Two numbers of one precision."""
        left, right = self.number(left), self.number(right)
        if left.type != right.type:
            raise self.error(f"Here a {left.type} meets a {right.type}.")
        return left, right

    def negative(self, value: ir.Value) -> ir.Value:
        if isinstance(value, ir.Constant):
            return value.type(-value.constant)
        return self.builder.fneg(value, flags=self.flags)

    def arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        if isinstance(op, ast.Pow):
            return super().arithmetic(op, left, right)
        left, right = self.alike(left, right)
        return getattr(self.builder, self.floating_operation(op))(left, right, flags=self.flags)

    def compare(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        return self.compared(op, *self.alike(left, right))

    def truth(self, node: ast.expr) -> ir.Value:
        if isinstance(node, ast.UnaryOp | ast.BoolOp | ast.Compare):
            return super().truth(node)
        return self.expression(node)

    def both(self, needs_all: bool, condition: ir.Value, following: Callable[[], ir.Value]) -> ir.Value:
        return (self.builder.and_ if needs_all else self.builder.or_)(condition, following())

    def conditional(
        self, condition: ir.Value, first: Callable[[], ir.Value], second: Callable[[], ir.Value]
    ) -> ir.Value:
        return self.builder.select(condition, *self.alike(first(), second()))

    def called(self, node: ast.Call) -> ir.Value:
        match node:
            case ast.Call(
                func=ast.Name(id="float32"), args=[ast.Constant(value=value)]
            ):  # instructions have room for it
                return SINGLE(float(value))  # type: ignore[arg-type]
        return super().called(node)

    def builtin(self, name: str, values: list[ir.Value]) -> ir.Value:
        b = self.builder
        match name, values:
            case "float32", [value]:
                return b.fptrunc(self.number(value), SINGLE)
            case "float64", [value]:
                return b.fpext(value, FLOAT)
            case "any_lane", [condition]:  # each thread goes its own way
                return condition
            case "anyone", [condition]:
                return b.icmp_unsigned("!=", self.builtin("votes", [condition]), INT(0))
            case "outnumber", [_, _]:  # nobody has negative patience here
                return BOOL(False)
            case "bit", [value, place]:
                digit = b.and_(b.bitcast(value, INT), INT(1 << place.constant))
                return b.icmp_unsigned("!=", digit, INT(0))
            case "abs", [value] if value.type == SINGLE:
                return b.call(self.declared("llvm.fabs.f32", SINGLE, [SINGLE]), values)
            case (("min" | "max"), [left, right]):
                left, right = self.alike(left, right)
                return b.select(self.compared(ast.Lt() if name == "min" else ast.Gt(), right, left), right, left)
            case (("rough_ratio" | "rough_ratio_in_single"), [left, right]):
                return self.rough_ratio(left, right)
            case "rough_exp2", [value]:
                return self.rough_exp2(value)
        return super().builtin(name, [self.number(value) for value in values])

    def rough_ratio(self, left: ir.Value, right: ir.Value) -> ir.Value:
        """Bits of floats, read as numbers, are their logarithms but for the scale; the upper half of them is enough."""
        b = self.builder
        digits = 20 if left.type == FLOAT else 23
        left, right = (self.upper_half(value) for value in (left, right))
        return b.fmul(b.sitofp(b.sub(left, right), SINGLE), SINGLE(2.0**-digits), flags=FLAGS)

    def upper_half(self, value: ir.Value) -> ir.Value:
        b = self.builder
        if value.type == SINGLE:
            return b.bitcast(value, HALF)
        return b.trunc(b.lshr(b.bitcast(value, INT), INT(32)), HALF)

    def rough_exp2(self, value: ir.Value) -> ir.Value:
        """The other way round."""
        b = self.builder
        scaled = b.fmul(b.fadd(value, SINGLE(1023.0 - BETWEEN), flags=FLAGS), SINGLE(2.0**20), flags=FLAGS)
        return b.bitcast(b.shl(b.zext(b.fptosi(scaled, HALF), INT), INT(32)), FLOAT)


class Nvidia:
    """GPUs of a compute capability (90 for 9.0), or of the nearest before it that LLVM knows: their code runs there."""

    def __init__(self, capability: int) -> None:
        known = max((one for one in PTX_VERSIONS if one <= capability), default=None)
        if known is None:
            oldest = min(PTX_VERSIONS) / 10
            raise CudaError(f"this GPU has compute capability {capability / 10}: target='cuda' needs {oldest} or later")
        self.name, self._version = f"sm_{known}", PTX_VERSIONS[known]

    def operation(self, body: GpuBody, name: str, values: Sequence[ir.Value]) -> ir.Value | None:
        b = body.builder
        match name, values:
            case "thread_index", []:
                return self._register(body, "tid.x")
            case "block_index", []:
                return self._register(body, "ctaid.x")
            case "block_size", []:
                return self._register(body, "ntid.x")
            case "warp_size", []:
                return INT(WARP)
            case "is_first_of_warp", []:
                return b.icmp_signed("==", self._register(body, "laneid"), INT(0))
            case "votes", [condition]:
                ballot = body.declared("llvm.nvvm.vote.ballot.sync", HALF, [HALF, BOOL])
                return b.zext(b.call(ballot, [ALL_THREADS, body.converted(condition, BOOL)]), INT)
            case "count_bits_before", [bits]:
                mask = b.call(body.declared(f"{SPECIAL}.lanemask.lt", HALF, []), [])
                return b.zext(b.ctpop(b.and_(b.trunc(bits, HALF), mask)), INT)
            case "from_first_of_warp", [value]:
                halves = [b.trunc(value, HALF), b.trunc(b.lshr(value, INT(32)), HALF)]
                shuffle = body.declared("llvm.nvvm.shfl.sync.idx.i32", HALF, [HALF, HALF, HALF, HALF])
                low, high = [b.zext(b.call(shuffle, [ALL_THREADS, half, HALF(0), HALF(31)]), INT) for half in halves]
                return b.or_(low, b.shl(high, INT(32)))
        return None

    def _register(self, body: GpuBody, name: str) -> ir.Value:
        """A special register of the thread."""
        return body.builder.zext(body.builder.call(body.declared(f"{SPECIAL}.{name}", HALF, []), []), INT)

    def declare(self, module: ir.Module, function: ir.Function, kernel: Kernel) -> None:
        function.calling_convention = "ptx_kernel"
        limits = {"maxntidx": kernel.threads} | ({"maxnreg": kernel.registers} if kernel.registers else {})
        for name, value in limits.items():
            note = module.add_metadata([function, ir.MetaDataString(module, name), HALF(value)])
            module.add_named_metadata("nvvm.annotations", note)

    def code(self, module: ir.Module) -> builtins.bytes:
        """PTX, with the zero at its end that the driver asks for."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(TRIPLE)
        machine = target.create_target_machine(cpu=self.name, features=f"+ptx{self._version}", opt=3)
        text: str = machine.emit_assembly(optimised(module, machine))
        return text.encode() + b"\0"


def optimised(module: ir.Module, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """The module as LLVM improves it for a machine."""
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    parsed = llvm.parse_assembly(str(module))
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return parsed
