"""One long function from many short ones: calls written out, loops unrolled, places of the work array as variables.

Whole numbers are known while this runs and vanish from the text; floats and conditions are left to run time. What stays
of control flow are branches and loops on `any_lane(…)`. The result reads and writes an array `B`, whose row r has the
place r of the work array of every trajectory that travels along; places that are not kept are variables only.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stickslip.errors import UnrollError

MACHINE = frozenset(
    [
        "any_lane",
        "anyone",
        "outnumber",
        "rough_log2",
        "rough_ratio",
        "rough_exp2",
        "fused",
        "bit",
        "rough",
        "tail",
        "latest",
    ]
)
"""Kernels that targets have their own instructions for, see machine.py."""

BUILTIN = {*MACHINE, "abs", "min", "max"}
BUILTIN |= {"exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "atan", "sinh", "cosh", "copysign"}
_ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def unrolled(source: str, values: Mapping[str, Any], entry: str, name: str, kept: int, constants: int) -> str:
    """The text of `entry`, written out as the function `name` of B.

    The first `kept` places of the work array are rows of B; those from `constants` on are rows after them, only read.
    """
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    writer = _Writer(functions, values)
    result = writer.call(entry, [ast.Name("W")])
    changed = {place for place in writer.written if place < kept}
    writer.flush(f"w{place}" for place in changed)
    statements = [_Statement(node) for node in writer.out]
    before, after = [], []
    for place in sorted(writer.read | writer.written):
        if place < kept or place >= constants:
            row = place if place < kept else kept + place - constants
            first, last = _moved(statements, f"w{place}", f"B[{row}]")
            before += first
            after += last
    body = [ast.unparse(ast.fix_missing_locations(node)) for node in writer.out]
    lines = [line for text in [*before, *body, *after] for line in text.splitlines()]
    kind = "bool" if result is not None else "None"
    end = [] if result is None else [f"return {ast.unparse(result)}"]
    text = "\n".join(f"    {line}" for line in [*lines, *end])
    return f'def {name}(B: Floats) -> {kind}:\n    """`{entry}`, written out."""\n{text}\n'


class _Statement:
    """A statement, with the names that it uses and assigns, which are looked up once for all variables."""

    def __init__(self, node: ast.stmt) -> None:
        self.names, self.assigned = _names(node), _assigned(node)
        self.branch = node if isinstance(node, ast.If) else None
        self.asked = _names(self.branch.test) if self.branch else set()
        bodies = (self.branch.body, self.branch.orelse) if self.branch else ()
        self.parts = [(body, set[str]().union(*map(_names, body))) for body in bodies if body]


def _moved(statements: Sequence[_Statement], name: str, row: str) -> tuple[list[str], list[str]]:
    """What brings a variable from its row of B in the beginning, and back in the end.

    One that is used only inside of branches is brought there: what is loaded early must be put aside until then.
    """
    using = [statement for statement in statements if name in statement.names]
    changing = [statement for statement in using if name in statement.assigned]
    if not all(statement.branch and not statement.branch.orelse for statement in changing):
        return [f"{name} = {row}"], [f"{row} = {name}"]
    inside = bool(using) and all(statement.branch and name not in statement.asked for statement in using)
    for statement in using:
        for body, names in statement.parts:
            body[:0] = ast.parse(f"{name} = {row}").body if inside and name in names else []
            body += ast.parse(f"{row} = {name}").body if statement in changing else []
    return ([] if inside else [f"{name} = {row}"]), []


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _assigned(node: ast.stmt) -> set[str]:
    targets = [n.targets[0] for n in ast.walk(node) if isinstance(n, ast.Assign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


class _Writer:
    """Walks through the functions as an interpreter does, and writes down what is left for run time."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef], values: Mapping[str, Any]) -> None:
        self.functions, self.values = functions, values
        self.out: list[ast.stmt] = []
        self.known: dict[str, float | bool] = {}
        """Variables that hold a constant at this point of the text; they are not written until they must be."""
        self.read: set[int] = set()
        self.written: set[int] = set()
        self.touched: set[str] = set()
        self.calls = 0

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[ast.expr]) -> ast.expr | None:
        node = self.functions[name]
        self.calls += 1
        assigned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        scope = _Scope(self.calls)
        for parameter, value in zip(node.args.args, arguments, strict=True):
            if parameter.arg in assigned or not isinstance(value, ast.Name | ast.Constant):
                self.assign(scope, ast.Name(parameter.arg, ast.Store()), value)
            else:
                scope.names[parameter.arg] = value
        return self.block(scope, node.body)

    def block(self, scope: _Scope, nodes: Sequence[ast.stmt]) -> ast.expr | None:
        for node in nodes:
            if isinstance(node, ast.Return):
                return None if node.value is None else self.settled(scope, self.expression(scope, node.value))
            self.statement(scope, node)
        return None

    def settled(self, scope: _Scope, value: ast.expr) -> ast.expr:
        """A value that may be used later on: in a variable of its own, unless it is a constant."""
        if isinstance(value, ast.Constant):
            return value
        self.assign(scope, ast.Name("result", ast.Store()), value)
        return self.variable(f"result_{scope.number}")

    # -- statements -------------------------------------------------------------------------------------------

    def statement(self, scope: _Scope, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assign(scope, target, self.expression(scope, value))
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.Name(target.id) if isinstance(target, ast.Name) else target
                self.assign(scope, target, self.expression(scope, ast.BinOp(load, op, value)))
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments), body=body, orelse=[]):
                for i in range(*(_whole(self.expression(scope, a)) for a in arguments)):
                    scope.names[name] = ast.Constant(i)
                    self.block(scope, body)
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self.expression(scope, test)
                if isinstance(condition, ast.Constant):
                    self.block(scope, body if condition.value else orelse)
                else:
                    self.dynamic(scope, lambda: condition, [body, orelse], lambda t, b: ast.If(t, b[0], b[1]))
            case ast.While(test=test, body=body, orelse=[]):
                self.dynamic(scope, lambda: self.expression(scope, test), [body], lambda t, b: ast.While(t, b[0], []))
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=arguments)) if name in self.functions:
                self.call(name, [self.expression(scope, a) for a in arguments])
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise UnrollError(f"cannot write out {ast.unparse(node)!r}")

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
            names = dict(scope.names)
            self.touched, written = set(), []
            condition = test()
            for body in bodies:
                self.out, self.known = [], dict(known)
                self.block(scope, body)
                self.flush(self.touched)
                written.append(self.out)
            mistaken = self.touched & set(known)
            inside, self.out, self.known, self.touched = self.touched, outer, known, touched
            if not mistaken:
                break
            self.flush(mistaken)
            scope.names, self.calls = names, calls
        self.touched |= inside
        for name in inside:
            self.known.pop(name, None)
        self.out.append(make(condition, written))

    def assign(self, scope: _Scope, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            place = _whole(self.expression(scope, target.slice))
            self.written.add(place)
            self.store(f"w{place}", value)
        elif isinstance(target, ast.Name):
            if isinstance(value, ast.Constant) and type(value.value) is int:
                scope.names[target.id] = value
                return
            name = f"{target.id}_{scope.number}"
            scope.names[target.id] = ast.Name(name)
            self.store(name, value)
        else:
            raise UnrollError(f"cannot assign to {ast.unparse(target)!r}")

    def store(self, name: str, value: ast.expr) -> None:
        self.touched.add(name)
        if isinstance(value, ast.Constant):
            self.known[name] = value.value  # type: ignore[assignment]
        else:
            self.known.pop(name, None)
            self.out.append(ast.Assign([ast.Name(name, ast.Store())], value))

    def flush(self, names: Any) -> None:
        """Write down the constants that these variables hold."""
        for name in sorted(set(names) & set(self.known)):
            self.out.append(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(self.known.pop(name))))

    # -- expressions ------------------------------------------------------------------------------------------

    def variable(self, name: str) -> ast.expr:
        return ast.Constant(self.known[name]) if name in self.known else ast.Name(name)

    def expression(self, scope: _Scope, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant():
                return node
            case ast.Name(id=name):
                return self.name(scope, name)
            case ast.Subscript(value=ast.Name(), slice=index):
                place = _whole(self.expression(scope, index))
                self.read.add(place)
                return self.variable(f"w{place}")
            case ast.BinOp(left=left, op=op, right=right):
                return _arithmetic(op, self.expression(scope, left), self.expression(scope, right))
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(op, self.expression(scope, operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self.expression(scope, left), self.expression(scope, right)
                if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
                    return ast.Constant(_COMPARE[type(op)](a.value, b.value))
                return ast.Compare(a, [op], [b])
            case ast.BoolOp(op=op, values=nodes):
                return self.both(scope, op, nodes)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.expression(scope, test)
                if isinstance(condition, ast.Constant):
                    return self.expression(scope, body if condition.value else orelse)
                return _select(condition, self.expression(scope, body), self.expression(scope, orelse))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.function(name, [self.expression(scope, a) for a in arguments])
        raise UnrollError(f"cannot write out {ast.unparse(node)!r}")

    def name(self, scope: _Scope, name: str) -> ast.expr:
        if name in scope.names:
            found = scope.names[name]
            return self.variable(found.id) if isinstance(found, ast.Name) else found
        return ast.Name("W") if name == "W" else ast.Constant(self.values[name])

    def both(self, scope: _Scope, op: ast.boolop, nodes: Sequence[ast.expr]) -> ast.expr:
        decides = isinstance(op, ast.Or)
        left: list[ast.expr] = []
        for node in nodes:
            value = self.expression(scope, node)
            if isinstance(value, ast.Constant):
                if bool(value.value) == decides:
                    return ast.Constant(decides)
            else:
                left.append(value)
        if not left:
            return ast.Constant(not decides)
        return left[0] if len(left) == 1 else ast.BoolOp(op, left)

    def function(self, name: str, arguments: list[ast.expr]) -> ast.expr:
        if name in self.functions and name not in BUILTIN:
            result = self.call(name, arguments)
            if result is None:
                raise UnrollError(f"{name} gives no value")
            return result
        if name not in BUILTIN:
            raise UnrollError(f"cannot call {name!r}")
        fixed = [a.value for a in arguments if isinstance(a, ast.Constant)]
        if len(fixed) == len(arguments) and name in ("abs", "min", "max"):
            return ast.Constant({"abs": abs, "min": min, "max": max}[name](*fixed))  # type: ignore[operator]
        return ast.Call(ast.Name(name), arguments, [])


class _Scope:
    """One call: its number, and what its local names stand for."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.names: dict[str, ast.expr] = {}


def _whole(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    raise UnrollError(f"{ast.unparse(node)!r} is not known beforehand")


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
