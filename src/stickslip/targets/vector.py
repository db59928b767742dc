"""Functions for several trajectories at once: every float is a vector, every condition a mask.

Such a function has one argument, an array of rows, each as long as there are lanes. `a if c else b` takes each lane
from its side; branches and loops are left to conditions that hold for all lanes together (`any_lane`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from llvmlite import ir

from stickslip.targets.body import Body
from stickslip.targets.instructions import BOOL, FLAGS, FLOAT, INT, INTRINSICS, LIBRARY_FUNCTIONS

CACHE_LINE = 64
MAGIC = 6755399441055744.0  # 1.5·2^52: the last bits of x + this are those of the nearest whole number
BETWEEN = 0.0425  # 1 + f lies above 2^f by up to 6 %: this puts it on both sides


class LaneBody(Body):
    """The body of one function for all lanes."""

    def translate(self) -> None:
        # Registers that are put aside lie on the stack: across two cache lines each they cost a third of all time.
        self.function.attributes.alignstack = CACHE_LINE
        self.function.attributes.add("noinline")
        super().translate()

    @property
    def alignment(self) -> int:
        """Rows lie one after another from the start of a cache line on."""
        return min(CACHE_LINE, 8 * self.translator.lanes)

    @property
    def vector(self) -> ir.VectorType:
        return ir.VectorType(FLOAT, self.translator.lanes)

    @property
    def mask(self) -> ir.VectorType:
        return ir.VectorType(BOOL, self.translator.lanes)

    def store(self, name: str, value: ir.Value) -> None:
        if value.type == BOOL and not isinstance(value, ir.Constant):
            wanted: ir.Type = BOOL  # it holds for all lanes together
        else:
            wanted = self.mask if value.type in (BOOL, self.mask) else self.vector
        place = self.variable(name, wanted)
        self.builder.store(self.converted(value, place.allocated_type), place)

    def converted(self, value: ir.Value, to: ir.Type) -> ir.Value:
        if value.type == to:
            return value
        lanes = self.translator.lanes
        if isinstance(value, ir.Constant) and to == self.vector and value.type in (FLOAT, INT):
            return ir.Constant(to, [FLOAT(float(value.constant))] * lanes)
        if value.type == BOOL and to == self.mask:
            everywhere = [ir.Constant(to, [BOOL(x)] * lanes) for x in (True, False)]
            return self.builder.select(value, *everywhere)
        raise self.error(f"This needs a value of the type {to}, and has one of {value.type}.")

    def place(self, node: ast.Subscript) -> ir.Value:
        row = self.expression(node.slice)
        if not isinstance(row, ir.Constant) or row.type != INT or row.constant < 0:
            raise self.error("The row of an array of all lanes is a number that is known while compiling.", node)
        address = [INT(row.constant * self.translator.lanes)]
        pointer = self.builder.gep(self.pointer(node.value), address, source_etype=FLOAT)
        return self.builder.bitcast(pointer, self.vector.as_pointer())

    def without_value(self, node: ast.Name) -> None:
        """Lanes that a branch is not for go through it with the others, and nobody reads their numbers: zero will do.

        Variables that stand for places of the work array are read so, since those hold something at all times.
        """
        variable = self.variables[node.id]
        with self.builder.goto_block(self.entry):
            self.builder.store(ir.Constant(variable.allocated_type, None), variable)
        self.assigned.add(node.id)

    def load_element(self, place: ir.Value) -> ir.Value:
        return self.builder.load(place, typ=self.vector, align=self.alignment)

    def store_element(self, target: ast.Subscript, place: ir.Value, value: ir.Value) -> None:
        self.writes_to(self.root_of(target.value), target)
        self.builder.store(self.converted(value, self.vector), place, align=self.alignment)

    def bind(self, name: str, node: ast.expr) -> None:
        raise self.error(f"{name!r} cannot be a slice here, where every row has all lanes.", node)

    def negative(self, value: ir.Value) -> ir.Value:
        if isinstance(value, ir.Constant) and value.type in (FLOAT, INT):
            return value.type(-value.constant)
        return self.builder.fneg(value, flags=self.flags)

    def arithmetic(self, op: ast.operator, left: ir.Value, right: ir.Value) -> ir.Value:
        left, right = self.converted(left, self.vector), self.converted(right, self.vector)
        if isinstance(op, ast.Pow):
            return self.builder.call(self.intrinsic("pow", 2), [left, right])
        return getattr(self.builder, self.floating_operation(op))(left, right, flags=self.flags)

    def compare(self, op: ast.cmpop, left: ir.Value, right: ir.Value) -> ir.Value:
        left, right = self.converted(left, self.vector), self.converted(right, self.vector)
        return self.compared(op, left, right)

    def truth(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                value = self.truth(operand)
                return self.builder.xor(value, self.converted(BOOL(True), value.type))
            case ast.BoolOp() | ast.Compare():
                return super().truth(node)
        return self.expression(node)

    def condition(self, node: ast.expr) -> ir.Value:
        return self.truth(node)

    def both(self, needs_all: bool, condition: ir.Value, following: Callable[[], ir.Value]) -> ir.Value:
        left, right = condition, following()
        if left.type != right.type:
            left, right = self.converted(left, self.mask), self.converted(right, self.mask)
        return self.builder.and_(left, right) if needs_all else self.builder.or_(left, right)

    def conditional(
        self, condition: ir.Value, first: Callable[[], ir.Value], second: Callable[[], ir.Value]
    ) -> ir.Value:
        a, b = first(), second()
        kind = self.mask if BOOL in (a.type, b.type) or self.mask in (a.type, b.type) else self.vector
        return self.builder.select(condition, self.converted(a, kind), self.converted(b, kind))

    def own_function(self, name: str, node: ast.Call) -> ir.Value:
        raise self.error(f"{name!r} is not for all lanes at once, so it cannot be called here.", node)

    def bounded(self, index: ir.Value, size: ir.Value, site: ir.Value) -> ir.Value:
        known = isinstance(index, ir.Constant) and isinstance(size, ir.Constant)
        if not known or not 0 <= index.constant < size.constant:
            raise self.error(f"An index must lie in its array: {index} in one of the length {size}.")
        return index

    def builtin(self, name: str, values: list[ir.Value]) -> ir.Value:
        b = self.builder
        if name in ("any_lane", "anyone"):
            return self.any_lane(self.converted(values[0], self.mask))
        if name in ("rough", "tail"):
            return values[-1]
        if name == "bit":
            return self.bit(values[0], values[1].constant)
        if name == "bounded":
            return self.bounded(*values)
        if name == "outnumber":
            return self.outnumber(*(self.converted(value, self.mask) for value in values))
        values = [self.converted(value, self.vector) for value in values]
        match name, values:
            case (("min" | "max"), [left, right]):
                return b.select(self.compare(ast.Lt() if name == "min" else ast.Gt(), right, left), right, left)
            case "rough_ratio", [
                left,
                right,
            ]:  # bits of floats, read as numbers, are their logarithms but for the scale
                difference = b.sub(b.bitcast(left, self.whole), b.bitcast(right, self.whole))
                return b.fmul(b.sitofp(difference, self.vector), self.constant(2.0**-52), flags=FLAGS)
            case "rough_exp2", [value]:
                return self.rough_exp2(value)
            case "two_to", [value]:
                bits = b.bitcast(b.fadd(value, self.constant(MAGIC + 1023.0)), self.whole)
                return b.bitcast(b.shl(bits, ir.Constant(self.whole, [52] * self.translator.lanes)), self.vector)
            case "fused", [_, _, _]:
                return b.call(self.intrinsic("fmuladd", 3), values)
        if name in INTRINSICS or name in ("abs", "copysign"):
            return b.call(self.intrinsic({"abs": "fabs"}.get(name, name), len(values)), values)
        if name in LIBRARY_FUNCTIONS:
            return self.lane_by_lane(name, values[0])
        raise self.error(f"There is no function {name!r} of {len(values)} arguments for all lanes at once.")

    @property
    def whole(self) -> ir.VectorType:
        return ir.VectorType(INT, self.translator.lanes)

    def constant(self, value: float) -> ir.Value:
        return self.converted(FLOAT(value), self.vector)

    def any_lane(self, mask: ir.Value) -> ir.Value:
        """One number with a bit per lane, compared with nothing."""
        bits = ir.IntType(self.translator.lanes)
        return self.builder.icmp_unsigned("!=", self.builder.bitcast(mask, bits), bits(0))

    def bit(self, value: ir.Value, place: int) -> ir.Value:
        b = self.builder
        digit = b.and_(b.bitcast(value, self.whole), ir.Constant(self.whole, [2**place] * self.translator.lanes))
        return b.icmp_unsigned("!=", digit, ir.Constant(self.whole, [0] * self.translator.lanes))

    def outnumber(self, these: ir.Value, those: ir.Value) -> ir.Value:
        """One bit here at least, and one for every three there."""
        b, bits = self.builder, ir.IntType(self.translator.lanes)
        counts = [b.zext(b.ctpop(b.bitcast(mask, bits)), INT) for mask in (these, those)]
        many = b.icmp_unsigned(">=", b.mul(counts[0], INT(3)), counts[1])
        return b.and_(self.any_lane(these), many)

    def rough_exp2(self, x: ir.Value) -> ir.Value:
        """The other way round, on the upper half of the bits."""
        b = self.builder
        scaled = b.fmul(x, self.constant(2.0**20), flags=FLAGS)
        shifted = b.fadd(scaled, self.constant(MAGIC + (1023.0 - BETWEEN) * 2.0**20), flags=FLAGS)
        bits = b.shl(b.bitcast(shifted, self.whole), ir.Constant(self.whole, [32] * self.translator.lanes))
        return b.bitcast(bits, self.vector)

    def lane_by_lane(self, name: str, vector: ir.Value) -> ir.Value:
        result = vector
        for lane in range(self.translator.lanes):
            value = self.builder.call(self.external(name, 1), [self.builder.extract_element(vector, INT(lane))])
            result = self.builder.insert_element(result, value, INT(lane))
        return result

    def intrinsic(self, name: str, arguments: int) -> ir.Function:
        full = f"llvm.{name}.v{self.translator.lanes}f64"
        known = self.translator.module.globals.get(full)
        if known is not None:
            return known
        return ir.Function(self.translator.module, ir.FunctionType(self.vector, [self.vector] * arguments), full)
