"""Functions of the subset as a module of LLVM."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from llvmlite import ir

from stickslip.errors import CompileError
from stickslip.targets.aliasing import Call, in_one_array
from stickslip.targets.body import Body
from stickslip.targets.instructions import FLAGS, FLOAT, INT, LARGEST, SMALLEST, TYPES, VOID
from stickslip.targets.lower import OWN
from stickslip.targets.source import Function
from stickslip.targets.vector import LaneBody

INLINED = frozenset(["step__last_term", "linear__factor"])
"""Functions of every step that LLVM would call although a call costs as much as what they do."""

VIOLATION = "violation"
"""The name of three whole numbers in a checked build: site, index and size of the first index that was out of bounds
since they were set to zero. There is none while the site is zero."""


class Translator:
    """Translates the entry points, and what they call.

    Parameters
    ----------
    functions : mapping of str to Function
        All functions, under names of which each has one meaning.
    arrays : mapping of str to numpy.ndarray
        Constant arrays.
    values : mapping of str to object
        Constants; of these only numbers are used.
    entry_points : sequence of str
        Functions that are called from outside, each array argument with an array of its own.
    sums : sequence of str
        Functions in which the order of additions does not matter.
    lanes : int
        How many trajectories travel together.
    for_all_lanes : sequence of str
        Functions for all of these at once, see vector.py.
    checked : bool
        Whether `bounded` looks at indices.

    Raises
    ------
    CompileError
        Where something is outside the subset; it names file and line.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        arrays: Mapping[str, np.ndarray[Any, Any]],
        values: Mapping[str, Any],
        entry_points: Sequence[str],
        sums: Sequence[str],
        lanes: int = 1,
        for_all_lanes: Sequence[str] = (),
        checked: bool = False,
    ) -> None:
        self.sources = {name: each for name, each in functions.items() if name not in OWN and name != "bounded"}
        self.arrays, self.values, self.sums, self.checked = arrays, values, sums, checked
        self.lanes, self.for_all_lanes = lanes, for_all_lanes
        self.module = ir.Module("stickslip")
        self.calls: dict[Call, ast.Call] = {}
        self.written: dict[str, set[str]] = {}
        """Of every function the parameters that it, or what it calls, writes to."""
        self._functions: dict[str, ir.Function] = {}
        self._waiting: list[str] = []
        self._numbers: dict[str, ir.Constant] = {}
        self._constants: dict[str, ir.GlobalVariable] = {}
        for name in entry_points:
            if name not in self.sources:
                raise CompileError(f"There is no function {name!r} to be called from outside.")
            self.function(name).linkage = "external"
        while self._waiting:
            self._translate(self._waiting.pop(0))
        self._look_at_calls()
        if checked:
            _ = self.check  # also where no index needs it: a checked build can be asked

    def function(self, name: str) -> ir.Function:
        """A function that is called. Its body waits for its turn: one inside of the other would go deep."""
        if name not in self._functions:
            self._functions[name] = self._declared(name)
            self._waiting.append(name)
        return self._functions[name]

    def _declared(self, name: str) -> ir.Function:
        source = self.sources[name]
        arguments = source.node.args
        if arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.defaults:
            raise source.error("Arguments are plain ones, without default values.", source.node)
        kinds = [self._kind(source, argument.annotation) for argument in arguments.args]
        if VOID in kinds:
            raise source.error("Every argument needs a type, and None is none.", source.node)
        result = self._kind(source, source.node.returns)
        if isinstance(result, ir.PointerType):
            raise source.error("A function gives a number or nothing, and no array.", source.node)
        function = ir.Function(self.module, ir.FunctionType(result, kinds), name)
        function.linkage = "internal"
        function.attributes.add("nounwind")
        if name in INLINED:
            function.attributes.add("alwaysinline")
        for argument, given in zip(function.args, arguments.args, strict=True):
            argument.name = given.arg
        return function

    def body_of(self, name: str) -> type[Body]:
        """How a function is translated."""
        return LaneBody if name in self.for_all_lanes else Body

    def _kind(self, source: Function, annotation: ast.expr | None) -> ir.Type:
        match annotation:
            case None | ast.Constant(value=None):
                return VOID
            case ast.Name(id=name) if name in TYPES:
                return TYPES[name]
        raise source.error(f"The type {ast.unparse(annotation)} is none of {', '.join(TYPES)}.", source.node)

    def _translate(self, name: str) -> None:
        self.written[name] = set()
        flags = (*FLAGS, "reassoc") if name in self.sums else FLAGS
        self.body_of(name)(self, self._functions[name], self.sources[name], flags).translate()

    # -- what holds for all calls together --------------------------------------------------------------------

    def _look_at_calls(self) -> None:
        callers_first = self._callers_first()
        for call in sorted(self.calls, key=lambda call: callers_first.index(call.caller), reverse=True):
            self._pass_on_writing(call)
        shared = in_one_array(callers_first, self.calls)
        for name, function in self._functions.items():
            for argument in function.args:
                if isinstance(argument.type, ir.PointerType) and argument.name not in shared[name]:
                    argument.add_attribute("noalias")

    def _callers_first(self) -> list[str]:
        sorter = TopologicalSorter(dict.fromkeys(self._functions, ()))
        for call in self.calls:
            sorter.add(call.callee, call.caller)
        try:
            return list(sorter.static_order())
        except CycleError as error:
            caller, callee, *_ = circle = error.args[1]
            node = next(node for call, node in self.calls.items() if (call.caller, call.callee) == (caller, callee))
            path = " → ".join(circle)
            raise self.sources[caller].error(
                f"No function may call itself, nor through others: {path}.", node
            ) from None

    def _pass_on_writing(self, call: Call) -> None:
        """What a function writes to is written to where it is called."""
        for parameter, root in call.roots:
            if parameter in self.written[call.callee]:
                if root.constant:
                    sentence = f"{root.name!r} is a constant array, and {call.callee!r} writes to it."
                    raise self.sources[call.caller].error(sentence, self.calls[call])
                self.written[call.caller].add(root.name)

    # -- constants --------------------------------------------------------------------------------------------

    def number(self, name: str) -> ir.Constant | None:
        """A constant of the module; nothing where it has no number of that name."""
        if name not in self._numbers:
            value = self.values.get(name)
            if isinstance(value, float | np.floating):
                self._numbers[name] = FLOAT(float(value))
            elif isinstance(value, int | np.integer | np.bool_) and SMALLEST <= value <= LARGEST:
                self._numbers[name] = INT(int(value))
            else:
                return None
        return self._numbers[name]

    def array(self, name: str) -> ir.GlobalVariable:
        """A constant array of the module."""
        if name not in self._constants:
            data = np.asarray(self.arrays[name]).ravel()
            kind, convert = (FLOAT, float) if data.dtype.kind == "f" else (INT, int)
            constant = ir.Constant(ir.ArrayType(kind, len(data)), [kind(convert(x)) for x in data.tolist()])
            variable = ir.GlobalVariable(self.module, constant.type, f"constant.{name}")
            variable.initializer, variable.global_constant, variable.linkage = constant, True, "internal"
            self._constants[name] = variable
        return self._constants[name]

    @cached_property
    def check(self) -> ir.Function:
        """What `bounded` calls in a checked build: it gives the index, or 0, and notes the first one out of bounds."""
        function = ir.Function(self.module, ir.FunctionType(INT, [INT, INT, INT]), "bounded.checked")
        function.linkage = "internal"
        index, size, site = function.args
        notes = ir.GlobalVariable(self.module, ir.ArrayType(INT, 3), VIOLATION)
        notes.initializer = ir.Constant(notes.value_type, [INT(0)] * 3)
        start, outside, first, after = (function.append_basic_block(n) for n in ("start", "outside", "first", "after"))
        b = ir.IRBuilder(start)
        within = b.and_(b.icmp_signed(">=", index, INT(0)), b.icmp_signed("<", index, size))
        with b.if_then(within, likely=True):
            b.ret(index)
        b.branch(outside)
        b.position_at_end(outside)
        place = b.bitcast(notes, INT.as_pointer())
        places = [b.gep(place, [INT(k)], source_etype=INT) for k in range(3)]
        taken = b.cmpxchg(places[0], INT(0), site, "monotonic")  # threads may come here at a time: one is the first
        b.cbranch(b.extract_value(taken, 1), first, after)
        b.position_at_end(first)
        b.store(index, places[1])
        b.store(size, places[2])
        b.branch(after)
        b.position_at_end(after)
        b.ret(INT(0))
        return function
