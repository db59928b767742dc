"""One long function from many short ones: calls written out, loops unrolled, places of records as variables.

It begins with the flat functions of `lower.py` and gives syntax: no text lies between. Whole numbers are known while
this runs and vanish; floats and conditions are left to run time. What stays of control flow are branches and loops on
`any_lane(…)`, from which nothing returns; a whole number, or which part of an array a name stands for, does not depend
on them. Both sides of a choice are computed, so neither changes what is kept. What would mean something else is
refused.

Of the arrays that the function was given one is kept: its place r is row r of `lanes`, the only argument of the result,
which has that place of every trajectory that travels along. Places of the others are variables only.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from stickslip.errors import UnrollError
from stickslip.targets.lower import OWN, Flat
from stickslip.targets.source import Function

LANES = "lanes"
"""The argument of a function that is written out: rows, each with one number of every lane."""

V = TypeVar("V")

BUILTIN = {*OWN, "abs", "min", "max"}
BUILTIN |= {"exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "atan", "sinh", "cosh", "copysign"}
_ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def written_out(flat: Flat, entry: str, name: str, kept: str = "lane_floats") -> ast.FunctionDef:
    """The flat function `entry`, with all that it calls, as one function `name` of `lanes`.

    Places of its parameter `kept` are rows of `lanes`: they are brought into variables, and back where they change.

    Raises
    ------
    UnrollError
        Where something must be known beforehand, and is not.
    """
    function = flat.functions[entry].node
    writer = _Writer(flat, kept)
    arrays = [_Part(parameter.arg, 0) for parameter in function.args.args]
    result = writer.call(entry, arrays)
    writer.flush(_variable(kept, place) for array, place in writer.written if array == kept)
    statements = [_Statement(node) for node in writer.out]
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    for place in sorted(place for array, place in writer.read | writer.written if array == kept):
        first, last = _moved(statements, _variable(kept, place), place)
        before += first
        after += last
    end = [] if result is None else [ast.Return(result)]
    node = ast.FunctionDef(
        name=name,
        args=ast.arguments([], [ast.arg(LANES, _name("Floats"))], None, [], [], None, []),
        body=[*before, *writer.out, *after, *end] or [ast.Pass()],
        decorator_list=[],
        returns=function.returns,
    )
    return ast.fix_missing_locations(node)


def _variable(array: str, place: int) -> str:
    """The variable that stands for a place: place 3 of lane_floats is lane3."""
    return f"{array.removesuffix('_floats')}{place}"


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assignment(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([target], value)


class _Statement:
    """A statement, with the names that it uses and assigns, which are looked up once for all variables."""

    def __init__(self, node: ast.stmt) -> None:
        self.names, self.assigned = _names(node), _assigned(node)
        self.branch = node if isinstance(node, ast.If) else None
        self.asked = _names(self.branch.test) if self.branch else set()
        bodies = (self.branch.body, self.branch.orelse) if self.branch else ()
        self.parts = [(body, set[str]().union(*map(_names, body))) for body in bodies if body]


def _moved(statements: Sequence[_Statement], name: str, row: int) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What brings a variable from its row in the beginning, and back in the end.

    One that is used only inside of branches is brought there: what is loaded early must be put aside until then.
    """

    def brought() -> ast.stmt:
        return _assignment(ast.Name(name, ast.Store()), ast.Subscript(_name(LANES), ast.Constant(row), ast.Load()))

    def put_back() -> ast.stmt:
        return _assignment(ast.Subscript(_name(LANES), ast.Constant(row), ast.Store()), _name(name))

    using = [statement for statement in statements if name in statement.names]
    changing = [statement for statement in using if name in statement.assigned]
    if not all(statement.branch and not statement.branch.orelse for statement in changing):
        return [brought()], [put_back()]
    inside = bool(using) and all(statement.branch and name not in statement.asked for statement in using)
    for statement in using:
        for body, names in statement.parts:
            body[:0] = [brought()] if inside and name in names else []
            body += [put_back()] if statement in changing else []
    return ([] if inside else [brought()]), []


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _assigned(node: ast.stmt) -> set[str]:
    targets = [n.targets[0] for n in ast.walk(node) if isinstance(n, ast.Assign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@dataclass(frozen=True)
class _Part:
    """An array, from a place on."""

    array: str
    begin: int


Value = ast.expr | _Part


@dataclass(frozen=True)
class _Open:
    """In the place of a value that is not known any more, and why."""

    why: str


DEPENDS = _Open("what this is depends on a condition, and must be known beforehand")
CHANGED = _Open("this has changed since it was given: give it a name of its own first")


@dataclass
class _Scope:
    """One call: its number, its function, and what its local names stand for."""

    number: int
    function: Function
    names: dict[str, Value | _Open] = field(default_factory=dict)
    line: int = 0

    def error(self, what: str, node: ast.AST) -> UnrollError:
        line = getattr(node, "lineno", self.line or getattr(self.function.node, "lineno", 0))
        return UnrollError(f"{self.function.file}, line {line}: {what}: {ast.unparse(node)}")


class _Writer:
    """Walks through the functions as an interpreter does, and writes down what is left for run time."""

    def __init__(self, flat: Flat, kept: str) -> None:
        self.flat, self.kept = flat, kept
        self.out: list[ast.stmt] = []
        self.known: dict[str, float | bool] = {}
        """Variables that hold a constant at this point of the text; they are not written until they must be."""
        self.read: set[tuple[str, int]] = set()
        self.written: set[tuple[str, int]] = set()
        self.touched: set[str] = set()
        self.calls = self.changes = 0
        self.stores: list[str] = []
        """The variables that stand for memory, in the order in which they are written."""
        self.lent: dict[str, list[tuple[_Scope, str]]] = {}
        """Variables that parameters of calls stand for, which are under way."""

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[Value]) -> ast.expr | None:
        function = self.flat.functions[name]
        self.calls += 1
        stored = _stored([function.node])
        scope = _Scope(self.calls, function)
        for parameter, value in zip(function.node.args.args, arguments, strict=True):
            if isinstance(value, _Part | ast.Name | ast.Constant) and parameter.arg not in stored:
                scope.names[parameter.arg] = value
            else:
                assert not isinstance(value, _Part)
                self.assign(scope, _name(parameter.arg), value)
        lent = [
            (value.id, (scope, name))
            for name, value in scope.names.items()
            if isinstance(value, ast.Name) and name not in stored
        ]
        for variable, loan in lent:
            self.lent.setdefault(variable, []).append(loan)
        result = self.block(scope, function.node.body)
        for variable, loan in lent:
            self.lent[variable].remove(loan)
        return result

    def block(self, scope: _Scope, nodes: Sequence[ast.stmt]) -> ast.expr | None:
        for node in nodes:
            scope.line = getattr(node, "lineno", scope.line)
            if isinstance(node, ast.Return):
                return None if node.value is None else self.settled(scope, self.expression(scope, node.value))
            self.statement(scope, node)
        return None

    def inner(self, scope: _Scope, nodes: Sequence[ast.stmt]) -> None:
        """The body of a branch or loop."""
        for node in nodes:
            scope.line = getattr(node, "lineno", scope.line)
            self.statement(scope, node)

    def settled(self, scope: _Scope, value: ast.expr) -> ast.expr:
        """A value that may be used later on: in a variable of its own, unless it is a constant."""
        if isinstance(value, ast.Constant):
            return value
        self.assign(scope, _name("result"), value)
        return self.variable(f"result_{scope.number}")

    # -- statements -------------------------------------------------------------------------------------------

    def statement(self, scope: _Scope, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (part := self.part(scope, value)) is not None:
                scope.names[name] = part
            case ast.Assign(targets=[target], value=value):
                self.assign(scope, target, self.expression(scope, value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.assign(scope, target, self.expression(scope, ast.BinOp(target, op, value)))
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments), body=body, orelse=[]):
                for i in range(*(self.whole(scope, a) for a in arguments)):
                    scope.names[name] = ast.Constant(i)
                    self.inner(scope, body)
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self.expression(scope, test)
                if isinstance(condition, ast.Constant):
                    self.inner(scope, body if condition.value else orelse)
                else:
                    self.dynamic(scope, lambda: condition, [body, orelse], lambda t, b: ast.If(t, b[0], b[1]))
            case ast.While(test=test, body=body, orelse=[]):
                _leave_open(scope, _stored(body))
                self.dynamic(scope, lambda: self.repeated(scope, test), [body], lambda t, b: ast.While(t, b[0], []))
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=arguments)) if name in self.flat.functions:
                self.call(name, self.arguments(scope, arguments))
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Return():
                raise scope.error("what is written out returns at its end, and not inside of a branch or loop", node)
            case _:
                raise scope.error("this cannot be written out", node)

    def dynamic(
        self,
        scope: _Scope,
        test: Callable[[], ast.expr],
        bodies: Sequence[Sequence[ast.stmt]],
        make: Callable[[ast.expr, list[list[ast.stmt]]], ast.stmt],
    ) -> None:
        """A branch or loop for run time. What it assigns is no constant any more, in it and after it."""
        while True:
            outer, known, touched, calls = self.out, dict(self.known), self.touched, self.calls
            names, paths = dict(scope.names), []
            self.touched, written = set(), []
            condition = test()
            for body in bodies:
                self.out, self.known, scope.names = [], dict(known), dict(names)
                self.inner(scope, body)
                self.flush(self.touched)
                written.append(self.out)
                paths.append(scope.names)
            mistaken = self.touched & set(known)
            inside, self.out, self.known, self.touched = self.touched, outer, known, touched
            if not mistaken:
                break
            self.flush(mistaken)
            scope.names, self.calls = names, calls
        scope.names = _agreed([names, *paths] if len(paths) == 1 else paths)
        self.touched |= inside
        for name in inside:
            self.known.pop(name, None)
        self.out.append(make(condition, written))

    def assign(self, scope: _Scope, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Subscript():
                place = self.place(scope, target)
                self.written.add(place)
                self.changes += place[0] == self.kept
                self.stores.append(_variable(*place))
                self.store(_variable(*place), value)
            case ast.Name(id=name) if isinstance(value, ast.Constant) and type(value.value) is int:
                scope.names[name] = value
            case ast.Name(id=name):
                own = f"{name}_{scope.number}"
                scope.names[name] = _name(own)
                self.store(own, value)
            case _:
                raise scope.error("nothing can be assigned to this", target)

    def store(self, name: str, value: ast.expr) -> None:
        self.touched.add(name)
        for scope, parameter in self.lent.get(name, ()):
            scope.names[parameter] = CHANGED
        if isinstance(value, ast.Constant):
            self.known[name] = value.value  # type: ignore[assignment]
        else:
            self.known.pop(name, None)
            self.out.append(_assignment(ast.Name(name, ast.Store()), value))

    def flush(self, names: Iterable[str]) -> None:
        """Write down the constants that these variables hold."""
        for name in sorted(set(names) & set(self.known)):
            self.out.append(_assignment(ast.Name(name, ast.Store()), ast.Constant(self.known.pop(name))))

    # -- arrays -----------------------------------------------------------------------------------------------

    def part(self, scope: _Scope, node: ast.expr) -> _Part | None:
        """The array that an expression is; none, if it is a number."""
        match node:
            case ast.Name(id=name) if isinstance(found := scope.names.get(name), _Part):
                return found
            case ast.Name(id=name) if name not in scope.names and name in self.flat.arrays:
                return _Part(name, 0)
            case ast.Subscript(value=owner, slice=ast.Slice(lower=lower)):
                whole = self.array(scope, owner)
                return _Part(whole.array, whole.begin + (0 if lower is None else self.whole(scope, lower)))
        return None

    def array(self, scope: _Scope, node: ast.expr) -> _Part:
        """The array that an expression must be."""
        part = self.part(scope, node)
        if part is None:
            raise scope.error(
                "which part of an array this is must be known beforehand, and does not depend on a condition", node
            )
        return part

    def place(self, scope: _Scope, node: ast.Subscript) -> tuple[str, int]:
        """The array of an element, and its place there."""
        part = self.array(scope, node.value)
        return part.array, part.begin + self.whole(scope, node.slice)

    def element(self, scope: _Scope, node: ast.Subscript) -> ast.expr:
        array, place = self.place(scope, node)
        if array in self.flat.arrays:
            return ast.Constant(np.ravel(self.flat.arrays[array])[place].item())
        self.read.add((array, place))
        return self.variable(_variable(array, place))

    def whole(self, scope: _Scope, node: ast.expr) -> int:
        value = self.expression(scope, node)
        if isinstance(value, ast.Constant) and type(value.value) is int:
            return value.value
        raise scope.error("this whole number is not known beforehand", node)

    # -- expressions ------------------------------------------------------------------------------------------

    def variable(self, name: str) -> ast.expr:
        return ast.Constant(self.known[name]) if name in self.known else _name(name)

    def arguments(self, scope: _Scope, nodes: Sequence[ast.expr]) -> list[Value]:
        return self.one_by_one(scope, nodes, lambda node: self.part(scope, node) or self.expression(scope, node))

    def one_by_one(self, scope: _Scope, nodes: Sequence[ast.expr], evaluated: Callable[[ast.expr], V]) -> list[V]:
        """The parts of an expression. One that writes to what an earlier one has read would change that as well."""
        values: list[V] = []
        for node in nodes:
            before = len(self.stores)
            values.append(evaluated(node))
            written = set(self.stores[before:])
            if any(_names(value) & written for value in values[:-1] if written and isinstance(value, ast.expr)):
                raise scope.error("this writes to what is read beside it: give its value a name first", node)
        return values

    def expression(self, scope: _Scope, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant():
                return node
            case ast.Name():
                return self.name(scope, node)
            case ast.Subscript():
                return self.element(scope, node)
            case ast.BinOp(left=left, op=op, right=right):
                try:
                    return _arithmetic(op, *self.numbers(scope, [left, right]))
                except ZeroDivisionError:
                    raise scope.error("this divides by zero", node) from None
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(op, self.expression(scope, operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self.numbers(scope, [left, right])
                if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
                    return ast.Constant(_COMPARE[type(op)](a.value, b.value))
                return ast.Compare(a, [op], [b])
            case ast.BoolOp(op=op, values=nodes):
                return self.both(scope, op, nodes)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.expression(scope, test)
                if isinstance(condition, ast.Constant):
                    return self.expression(scope, body if condition.value else orelse)
                return _select(condition, self.chosen(scope, body), self.chosen(scope, orelse))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.function(scope, name, arguments, node)
        raise scope.error("this cannot be written out", node)

    def numbers(self, scope: _Scope, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        return self.one_by_one(scope, nodes, lambda node: self.expression(scope, node))

    def name(self, scope: _Scope, node: ast.Name) -> ast.expr:
        found = scope.names.get(node.id)
        match found:
            case ast.Name(id=name):
                return self.variable(name)
            case ast.expr():
                return found
        if isinstance(found, _Open):
            raise scope.error(found.why, node)
        raise scope.error("this is no number", node)

    def repeated(self, scope: _Scope, node: ast.expr) -> ast.expr:
        """The condition of a loop, which is asked in every turn: what is written before the loop is not."""
        before = len(self.out)
        value = self.expression(scope, node)
        if len(self.out) > before:
            raise scope.error("what a loop asks in every turn is computed in the loop, and not by a call", node)
        return value

    def chosen(self, scope: _Scope, node: ast.expr) -> ast.expr:
        """What counts on a condition only, and is computed in any case, which work space may show, but nothing else."""
        before = self.changes
        value = self.expression(scope, node)
        if self.changes > before:
            raise scope.error("this changes what is kept, also where it is not chosen: write it as a branch", node)
        return value

    def both(self, scope: _Scope, op: ast.boolop, nodes: Sequence[ast.expr]) -> ast.expr:
        decides = isinstance(op, ast.Or)
        left: list[ast.expr] = []
        for node in nodes:
            value = self.chosen(scope, node) if left else self.expression(scope, node)
            if isinstance(value, ast.Constant):
                if bool(value.value) == decides:
                    return ast.Constant(decides)
            else:
                left.append(value)
        if not left:
            return ast.Constant(not decides)
        return left[0] if len(left) == 1 else ast.BoolOp(op, left)

    def function(self, scope: _Scope, name: str, nodes: Sequence[ast.expr], node: ast.Call) -> ast.expr:
        if name in self.flat.functions:
            result = self.call(name, self.arguments(scope, nodes))
            if result is None:
                raise scope.error("this gives no value", node)
            return result
        if name == "bounded":
            return self.bounded(scope, nodes)
        if name not in BUILTIN:
            raise scope.error("this function cannot be called here", node)
        arguments = self.numbers(scope, nodes)
        fixed = [a.value for a in arguments if isinstance(a, ast.Constant)]
        if len(fixed) == len(arguments) and name in ("abs", "min", "max"):
            return ast.Constant({"abs": abs, "min": min, "max": max}[name](*fixed))  # type: ignore[operator]
        return ast.Call(_name(name), arguments, [])

    def bounded(self, scope: _Scope, nodes: Sequence[ast.expr]) -> ast.expr:
        """An index of a checked build: here it is known, and compared at once."""
        index, size, site = (self.whole(scope, node) for node in nodes)
        if not 0 <= index < size:
            raise UnrollError(f"{self.flat.sites[site]}: the index {index} is beyond the size {size}")
        return ast.Constant(index)


def _stored(nodes: Iterable[ast.stmt]) -> set[str]:
    """The names that statements assign."""
    names = (n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _leave_open(scope: _Scope, changed: Iterable[str]) -> None:
    """What a loop changes is another thing in every turn: variables may, but nothing that is known beforehand."""
    for name in changed:
        if name in scope.names and not isinstance(scope.names[name], ast.Name):
            scope.names[name] = DEPENDS


def _agreed(paths: Sequence[dict[str, Value | _Open]]) -> dict[str, Value | _Open]:
    """What names stand for where paths come together: what is not the same on all is left open, but for variables."""
    first, *others = paths
    names = first | {name: value for path in others for name, value in path.items() if name not in first}
    return {
        name: value if all(_agrees(path, name, value) for path in paths) else DEPENDS for name, value in names.items()
    }


def _agrees(path: Mapping[str, Value | _Open], name: str, value: Value | _Open) -> bool:
    if name not in path:
        return isinstance(value, ast.Name)
    other = path[name]
    if isinstance(value, ast.expr) and isinstance(other, ast.expr):
        return ast.dump(value) == ast.dump(other)
    return value == other


def _is(node: ast.expr, value: float) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == value


def _arithmetic(op: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
    """left op right, with constants folded; 0·x is 0, whatever x."""
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return ast.Constant(_ARITHMETIC[type(op)](left.value, right.value))
    match op:
        case ast.Mult() if _is(left, 0.0) or _is(right, 0.0):
            return ast.Constant(0.0)
        case ast.Mult() if _is(left, 1.0):
            return right
        case ast.Mult() | ast.Div() if _is(right, 1.0):
            return left
        case ast.Add() if _is(left, 0.0):
            return right
        case ast.Add() | ast.Sub() if _is(right, 0.0):
            return left
        case ast.Sub() if _is(left, 0.0):
            return ast.UnaryOp(ast.USub(), right)
    return ast.BinOp(left, op, right)


def _unary(op: ast.unaryop, operand: ast.expr) -> ast.expr:
    if isinstance(operand, ast.Constant):
        return ast.Constant(not operand.value if isinstance(op, ast.Not) else -operand.value)  # type: ignore[operator]
    return ast.UnaryOp(op, operand)


def _select(condition: ast.expr, first: ast.expr, second: ast.expr) -> ast.expr:
    same = isinstance(first, ast.Constant) and isinstance(second, ast.Constant) and first.value == second.value
    return first if same else ast.IfExp(condition, first, second)
