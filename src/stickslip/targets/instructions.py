"""Types and instructions of LLVM that the translation of all functions uses."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir

FLOAT, INT, BOOL, VOID = ir.DoubleType(), ir.IntType(64), ir.IntType(1), ir.VoidType()
TYPES = {"Floats": FLOAT.as_pointer(), "Ints": INT.as_pointer(), "float": FLOAT, "int": INT, "bool": BOOL, "None": VOID}
"""What annotations stand for."""

INTRINSICS = ("exp", "log", "sqrt", "sin", "cos")
LIBRARY_FUNCTIONS = ("tan", "tanh", "atan", "sinh", "cosh")
FLAGS = ("contract",)
SMALLEST, LARGEST = -(2**63), 2**63 - 1

FLOATING: dict[type[ast.operator], str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
"""Operations on floats."""

COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}

COMPARE_NUMBERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

FOLD: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
}
"""Operations on whole numbers that are known while compiling."""


def kind_name(kind: ir.Type) -> str:
    """What a type is called in a kernel."""
    return next((name for name, known in TYPES.items() if known == kind), str(kind))


def element(pointer: ir.Value) -> ir.Type:
    """What an address is the address of."""
    return pointer.type.pointee


def floor_division(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """left // right, rounded down as in Python.

    By a known divisor that is positive it takes no more than the quotient of numbers without sign, since for a < 0 it
    is ~(~a // d); where LLVM sees that a is not negative, nothing else is left.
    """
    divisor = _known_positive(right)
    if divisor is None:
        return builder.sub(builder.sdiv(left, right), builder.zext(_rounded_up(builder, left, right), INT))
    if _power_of_two(divisor):
        return builder.ashr(left, INT(divisor.bit_length() - 1))
    sign = builder.ashr(left, INT(63))
    return builder.xor(builder.udiv(builder.xor(left, sign), right), sign)


def floor_remainder(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """left % right, which has the sign of the divisor as in Python; what `floor_division` says holds here too."""
    divisor = _known_positive(right)
    if divisor is None:
        correction = builder.select(_rounded_up(builder, left, right), right, INT(0))
        return builder.add(builder.srem(left, right), correction)
    if _power_of_two(divisor):
        return builder.and_(left, INT(divisor - 1))
    sign = builder.ashr(left, INT(63))
    rest = builder.urem(builder.xor(left, sign), right)
    return builder.add(builder.xor(rest, sign), builder.and_(sign, right))


def _rounded_up(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Whether the processor's quotient, which is rounded towards zero, is above the true one."""
    rest = builder.srem(left, right)
    inexact = builder.icmp_signed("!=", rest, INT(0))
    return builder.and_(inexact, builder.icmp_signed("<", builder.xor(rest, right), INT(0)))


def _known_positive(value: ir.Value) -> int | None:
    return int(value.constant) if isinstance(value, ir.Constant) and value.constant > 0 else None


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


INTEGER: dict[type[ast.operator], Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]] = {
    ast.Add: ir.IRBuilder.add,
    ast.Sub: ir.IRBuilder.sub,
    ast.Mult: ir.IRBuilder.mul,
    ast.BitXor: ir.IRBuilder.xor,
    ast.FloorDiv: floor_division,
    ast.Mod: floor_remainder,
}
"""Operations on whole numbers."""
