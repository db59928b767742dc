"""Statements of the subset, and what must hold along the paths through them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from llvmlite import ir

from stickslip.targets.aliasing import Root
from stickslip.targets.expressions import Expressions
from stickslip.targets.instructions import BOOL, INT, TYPES, VOID, element, kind_name

SHORT = 4
"""Loops of so many turns, which are over states or contacts, are written out. LLVM would do so too, but only after it
has made block copies of some, and a block waits long for numbers that were stored one by one just before."""


@dataclass
class Loop:
    """Where `continue` and `break` lead, and which variables have values on the paths that come there."""

    following: ir.Block
    after: ir.Block
    continued: list[set[str]] = field(default_factory=list)
    left: list[set[str]] = field(default_factory=list)


class Body(Expressions):
    """The body of one function."""

    loops: list[Loop]
    bindings: dict[str, ast.stmt]

    def translate(self) -> None:
        self.loops, self.bindings = [], {}
        body = self.builder.block
        for argument in self.function.args:
            if isinstance(argument.type, ir.PointerType):
                self.variables[argument.name] = argument
                self.roots[argument.name] = Root(argument.name)
                self.bindings[argument.name] = self.source.node
                self.assigned.add(argument.name)
            else:
                self.store(argument.name, argument)
        self.statements(self.source.node.body)
        if not self.builder.block.is_terminated:
            if self.function.function_type.return_type != VOID:
                raise self.error("This function may come to its end without a return, and must give a value.", self.end)
            self.builder.ret_void()
        ir.IRBuilder(self.entry).branch(body)

    @property
    def end(self) -> ast.stmt:
        return self.source.node.body[-1]

    # -- variables --------------------------------------------------------------------------------------------

    def store(self, name: str, value: ir.Value) -> None:
        place = self.variable(name, value.type)
        kind = place.allocated_type
        if value.type != kind and (value.type, kind) != (BOOL, INT):
            before, after = kind_name(kind), kind_name(value.type)
            raise self.error(f"{name!r} is of the type {before}, and cannot become {after}: take another name.")
        self.builder.store(self.converted(value, kind), place)

    def variable(self, name: str, kind: ir.Type) -> ir.AllocaInstr:
        """The place of a variable, which is made when it is first assigned."""
        if name in self.constants:
            raise self.error(f"{name!r} was read as a constant before, and cannot be assigned.")
        if name in self.bindings:
            raise self.error(f"{name!r} is an array, or a slice of one, and cannot become anything else.")
        if name not in self.variables:
            with self.builder.goto_block(self.entry):
                self.variables[name] = self.builder.alloca(kind, name=name)
        self.assigned.add(name)
        return self.variables[name]

    def bind(self, name: str, node: ast.expr) -> None:
        """Give a name to an array or a slice. In a loop it may be another one in each turn."""
        value, root = self.pointer(node), self.root_of(node)
        if self.bindings.get(name) is self.node:
            del self.bindings[name]
        place = self.variable(name, value.type)
        if place.allocated_type != value.type:
            raise self.error(f"{name!r} is a number, and cannot become an array.")
        self.builder.store(value, place)
        self.bindings[name], self.roots[name] = self.node, root

    # -- statements -------------------------------------------------------------------------------------------

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            if self.builder.block.is_terminated:
                return
            self.node, self.line = node, getattr(node, "lineno", self.line)
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                self.store(name, self.annotated(value, annotation))
            case ast.AugAssign(target=target, op=op, value=value):
                self.augment(target, op, value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=ast.Name(id=name), iter=counted, body=body, orelse=[]):
                self.loop(name, counted, body)
            case ast.While(test=test, body=body, orelse=[]):
                self.while_loop(test, body)
            case ast.Return(value=value):
                self.leave(value)
            case ast.Break() if self.loops:
                self.loops[-1].left.append(self.assigned)
                self.builder.branch(self.loops[-1].after)
            case ast.Continue() if self.loops:
                self.loops[-1].continued.append(self.assigned)
                self.builder.branch(self.loops[-1].following)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.called(call)
            case _:
                raise self.error("This is outside the subset of Python that is compiled.")

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name) if self.is_array(value):
                self.bind(name, value)
            case ast.Name(id=name):
                self.store(name, self.expression(value))
            case ast.Subscript():
                given = self.expression(value)
                self.store_element(target, self.place(target), given)
            case _:
                raise self.error("Only a variable, or an element of an array, can be assigned to.", target)

    def is_array(self, node: ast.expr) -> bool:
        match node:
            case ast.Subscript(slice=ast.Slice()):
                return True
            case ast.Name(id=name):
                return name in self.roots or (name not in self.variables and name in self.translator.arrays)
        return False

    def annotated(self, value: ast.expr, annotation: ast.expr) -> ir.Value:
        kind = TYPES.get(ast.unparse(annotation), VOID)
        if kind == VOID or isinstance(kind, ir.PointerType):
            raise self.error("A variable is int, float or bool.", annotation)
        found = self.expression(value)
        if found.type != kind:
            raise self.error(f"This is of the type {kind_name(found.type)}, and not {kind_name(kind)}.")
        return found

    def augment(self, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                before = self.name(target)
                self.store(name, self.arithmetic(op, before, self.expression(value)))
            case ast.Subscript():
                place = self.place(target)
                before = self.load_element(place)
                self.store_element(target, place, self.arithmetic(op, before, self.expression(value)))
            case _:
                raise self.error("Only a variable, or an element of an array, can be assigned to.", target)

    def store_element(self, target: ast.Subscript, place: ir.Value, value: ir.Value) -> None:
        self.writes_to(self.root_of(target.value), target)
        self.builder.store(self.converted(value, element(place)), place)

    def leave(self, value: ast.expr | None) -> None:
        kind = self.function.function_type.return_type
        if (value is None) != (kind == VOID):
            wanted = "no value" if kind == VOID else f"a value of the type {kind_name(kind)}"
            raise self.error(f"This function is to give {wanted}, as its annotation says.")
        if value is None:
            self.builder.ret_void()
        else:
            self.builder.ret(self.converted(self.expression(value), kind))

    # -- paths ------------------------------------------------------------------------------------------------

    def meet(self, block: ir.Block, paths: Sequence[set[str]]) -> None:
        """Go on where paths come together: variables have values there that have them on all paths."""
        self.builder.position_at_end(block)
        if paths:
            self.assigned = set.intersection(*paths)
        else:
            self.builder.unreachable()

    def decision(self, test: ast.expr) -> ir.Value:
        condition = self.truth(test)
        if condition.type != BOOL:
            raise self.error("A branch needs a condition that holds for all lanes together, as of any_lane.", test)
        return condition

    def branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        condition = self.decision(test)
        if isinstance(condition, ir.Constant):  # a size of the model: the other branch does not exist
            self.statements(body if condition.constant else orelse)
            return
        yes, no, after = (self.function.append_basic_block(name) for name in ("yes", "no", "after"))
        self.builder.cbranch(condition, yes, no)
        before, paths = self.assigned, []
        for block, nodes in ((yes, body), (no, orelse)):
            self.builder.position_at_end(block)
            self.assigned = set(before)
            self.statements(nodes)
            if not self.builder.block.is_terminated:
                self.builder.branch(after)
                paths.append(self.assigned)
        self.meet(after, paths)

    def loop(self, name: str, counted: ast.expr, body: Sequence[ast.stmt]) -> None:
        first, last, step = self.counted(counted)
        turns = None
        if isinstance(first, ir.Constant) and isinstance(last, ir.Constant):
            turns = range(first.constant, last.constant, step.constant)
            if len(turns) <= SHORT and not _jumps(body):
                for value in turns:
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
        self.builder.cbranch(self.builder.icmp_signed("<" if step.constant > 0 else ">", count, last), inside, after)
        self.builder.position_at_end(inside)
        before = self.assigned
        self.assigned = set(before)
        self.store(name, count)
        loop = Loop(following, after)
        self.nested(loop, body)
        self.builder.position_at_end(following)
        count = self.builder.load(self.variables[counter], typ=INT)
        self.builder.store(self.builder.add(count, step), self.variables[counter])
        self.builder.branch(head)
        self.meet(after, [*loop.continued, *loop.left] if turns else [before])

    def counted(self, node: ast.expr) -> tuple[ir.Value, ir.Value, ir.Constant]:
        """First, last and step of a range."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[ast.expr(), *_] as arguments, keywords=[]) if (
                len(arguments) <= 3
            ):
                bounds = [self.expression(argument) for argument in arguments]
            case _:
                raise self.error("A loop is over a range of whole numbers.", node)
        if any(bound.type != INT for bound in bounds):
            raise self.error("A loop is over a range of whole numbers.", node)
        first, last = (INT(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2] if len(bounds) == 3 else INT(1)
        if not isinstance(step, ir.Constant) or step.constant == 0:
            raise self.error("The step of a range is known while compiling, and is not zero.", node)
        return first, last, step

    def while_loop(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = (self.function.append_basic_block(block) for block in ("head", "inside", "after"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        condition = self.decision(test)
        self.builder.cbranch(condition, inside, after)
        self.builder.position_at_end(inside)
        before = self.assigned
        self.assigned = set(before)
        loop = Loop(head, after)
        self.nested(loop, body)
        endless = isinstance(condition, ir.Constant) and condition.constant
        self.meet(after, loop.left if endless else [before])

    def nested(self, loop: Loop, body: Sequence[ast.stmt]) -> None:
        self.loops.append(loop)
        self.statements(body)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            loop.continued.append(self.assigned)
            self.builder.branch(loop.following)


def _jumps(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop may be left, or go on, before the end of its body."""
    return any(isinstance(node, ast.Break | ast.Continue) for statement in body for node in ast.walk(statement))
