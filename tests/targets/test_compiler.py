"""The compiler: what it takes means the same as in Python, and what does not is refused with file and line."""

from __future__ import annotations

import ast
import ctypes
import re
from typing import Any

import numpy as np
import pytest

from stickslip.targets import compiler

KINDS = {
    "Floats": ctypes.c_void_p, "Ints": ctypes.c_void_p, "float": ctypes.c_double, "int": ctypes.c_int64,
    "bool": ctypes.c_bool, "None": None,
}  # fmt: skip
NO_VIOLATION = [0, 0, 0]


def bounded(index: int, size: int, site: int) -> int:
    """What it means in Python."""
    if not 0 <= index < size:
        raise IndexError(site, index, size)
    return index


def translated(text: str, entry_points: Any = None, **given: Any) -> compiler.Translator:
    tree = ast.parse(text)
    functions = {node.name: compiler.Function(node, "kernels/example.py") for node in tree.body}
    given = {"arrays": {}, "values": {}, "sums": (), **given}
    return compiler.Translator(functions, entry_points=entry_points or list(functions), **given)


class Compiled:
    """Functions of a text as machine code, and in plain Python (`plain`)."""

    def __init__(self, text: str, entry_points: Any = None, **given: Any) -> None:
        self.translator = translated(text, entry_points, **given)
        self.engine = compiler.loaded(compiler.machine_code(self.translator.module))
        self.plain: dict[str, Any] = {"bounded": bounded, "Floats": list, "Ints": list}
        self.plain |= {**given.get("values", {}), **given.get("arrays", {})}
        exec(text, self.plain)
        for node in ast.parse(text).body:
            if entry_points is None or node.name in entry_points:
                kinds = [KINDS[ast.unparse(annotation)] for annotation in (node.returns, *_annotations(node))]
                address = self.engine.get_function_address(node.name)
                setattr(self, node.name, _with_arrays(ctypes.CFUNCTYPE(*kinds)(address)))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _annotations(node: ast.FunctionDef) -> list[ast.expr]:
    return [argument.annotation for argument in node.args.args if argument.annotation is not None]


def _with_arrays(function: Any) -> Any:
    return lambda *given: function(*[a.ctypes.data if isinstance(a, np.ndarray) else a for a in given])


def refused(text: str, line: int, *words: str, **given: Any) -> None:
    """It is refused, and the message names file and line, and shows the source."""
    with pytest.raises(compiler.CompileError) as raised:
        translated(text, **given)
    message = str(raised.value)
    assert message.startswith(f"kernels/example.py:{line}, in "), message
    shown = message.split("\n    ")[1]
    assert re.sub(r"\W", "", shown.removesuffix(" …")) in re.sub(r"\W", "", text)
    for word in words:
        assert word in message


# -- slices -----------------------------------------------------------------------------------------------------


SLICES = """
def total(row: Floats, n: int) -> float:
    result = 0.0
    for k in range(n):
        result += row[k]
    return result


def totals(W: Floats, I: Ints, n: int) -> None:
    for i in range(n):
        W[i] = total(W[3 + i * 4 : 7 + i * 4], 4)
        row = W[3 + i * 4 : 7 + i * 4]
        row[1] = row[0] + W[i]
        half = row[2:]
        half[1] += 0.5 * half[0]
        same = half
        I[i] = int(total(same, 2)) + int(total(row[:2], 2))
    counts = I
    counts[0] += first_of(TABLE[2:]) + first_of(counts[1:])


def first_of(numbers: Ints) -> int:
    return numbers[0]


def chosen(W: Floats, i: int) -> float:
    table = WEIGHTS
    for k in range(9):
        part = W[i + k :]
    return part[0] * table[i] + WEIGHTS[1 : 3][i]
"""


def test_slices_are_addresses():
    arrays = {"TABLE": np.array([3, 5, 7]), "WEIGHTS": np.array([0.5, 2.0, 4.0])}
    made = Compiled(SLICES, arrays=arrays)
    start = np.random.default_rng(1).uniform(1, 9, 20)
    floats, integers, plain_floats, plain_integers = start.copy(), np.arange(5), start.copy(), np.arange(5)
    made.totals(floats, integers, 3)
    made.plain["totals"](plain_floats, plain_integers, 3)
    assert floats.tolist() == plain_floats.tolist() and integers.tolist() == plain_integers.tolist()
    assert floats.tolist() != start.tolist()
    for i in (0, 1):
        assert made.chosen(start, i) == made.plain["chosen"](start, i)


@pytest.mark.parametrize(
    ("body", "line", "word"),
    [
        ("row = W[0:2]\n    row = W[2:4]\n    return row[0]", 3, "row"),
        ("if n > 1:\n        row = W[1:2]\n    return row[0]", 4, "row"),
        ("row = 1.0\n    row = W[2:4]\n    return row[0]", 3, "row"),
        ("W = W[2:4]\n    return W[0]", 2, "W"),
        ("row = W[0:2]\n    row = 1.0\n    return row", 3, "row"),
        ("return W[0:4:2][0]", 2, "step"),
        ("return W[-1]", 2, "negative"),
        ("return W[-3:][0]", 2, "negative"),
        ("return n[0]", 2, "array"),
        ("return W", 2, "Floats"),
        ("return W[0.5]", 2, "int"),
        ("C[1] = 2.0\n    return 1.0", 2, "constant"),
        ("row = C[1:]\n    row[0] += 2.0\n    return 1.0", 3, "constant"),
    ],
)
def test_slices_outside_the_subset(body, line, word):
    refused(f"def f(W: Floats, n: int) -> float:\n    {body}\n", line, word, arrays={"C": np.array([0.5, 1.5])})


def test_one_of_two_bindings_where_the_model_decides():
    text = "def f(W: Floats) -> float:\n    if SIZE == 2:\n        row = W[1:]\n    else:\n        row = W\n"
    text += "    return row[0]\n"
    for size, expected in ((2, 6.0), (3, 5.0)):
        assert Compiled(text, values={"SIZE": size}).f(np.array([5.0, 6.0])) == expected


def test_constant_arrays_are_not_written_to_through_others():
    text = """
def put(A: Floats, x: float) -> None:
    A[0] = x

def deeper(A: Floats) -> None:
    put(A[1:], 2.0)

def reads(A: Floats) -> float:
    return A[0]

def f(A: Floats) -> float:
    deeper(A)
    return reads(C)
"""
    constants = {"C": np.array([0.5, 1.5])}
    assert Compiled(text, arrays=constants).f(np.zeros(2)) == 0.5
    refused(text.replace("deeper(A)\n", "deeper(C)\n"), 12, "'C'", "constant", arrays=constants)


# -- indices that are looked at ---------------------------------------------------------------------------------


CHECKED = """
def read(A: Floats, i: int, n: int) -> float:
    return A[bounded(i, n, 7)]


def write(A: Floats, i: int, n: int) -> None:
    A[bounded(i, n, 8)] = 5.0


def part(A: Floats, i: int, n: int) -> float:
    row = A[bounded(i, n, 9) : n]
    return row[bounded(1, n - i, 10)]
"""
ARRAY = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("i", [-(2**62), -4, -1, 0, 1, 2, 3, 4, 5, 2**62])
@pytest.mark.parametrize("n", [-1, 0, 1, 4])
def test_a_checked_build_notes_the_first_index_out_of_bounds(i, n):
    made = checked_example()
    noted = compiler.violation(made.engine)
    for name, site in (("read", 7), ("write", 8), ("part", 9)):
        noted[:] = 0
        array, plain = np.array(ARRAY), np.array(ARRAY)
        try:
            expected = made.plain[name](plain, i, n)
        except IndexError as error:
            if error.args[0] == site:
                plain[0] = 5.0 if name == "write" else plain[0]
            result = getattr(made, name)(array, i, n)
            assert tuple(noted) == error.args
            assert name != "read" or result == ARRAY[0]
        else:
            assert getattr(made, name)(array, i, n) == expected
            assert noted.tolist() == NO_VIOLATION
        assert array.tolist() == plain.tolist()


def checked_example(made: list[Compiled] = []) -> Compiled:  # noqa: B006
    """Compiled once."""
    if not made:
        made.append(Compiled(CHECKED, checked=True))
    return made[0]


def test_only_the_first_is_noted_until_it_is_cleared():
    made = checked_example()
    noted, array = compiler.violation(made.engine), np.array(ARRAY)
    noted[:] = 0
    made.write(array, 6, 4)
    made.read(array, -2, 4)
    assert noted.tolist() == [8, 6, 4]
    noted[:] = 0
    made.read(array, -2, 4)
    assert noted.tolist() == [7, -2, 4]


def test_in_a_plain_build_bounds_cost_nothing():
    plain = Compiled(CHECKED, ["read"])
    without = Compiled(CHECKED.replace("bounded(i, n, 7)", "i"), ["read"])
    assert compiler.machine_code(plain.translator.module) == compiler.machine_code(without.translator.module)
    with pytest.raises(compiler.CompileError, match="not compiled with checks"):
        compiler.violation(plain.engine)
    assert plain.read(np.array(ARRAY)[1:], -1, 4) == 1.0


@pytest.mark.parametrize("site", ["0", "-1", "n", "1.0"])
def test_sites_are_numbers_from_one_on(site):
    refused(f"def f(A: Floats, n: int) -> float:\n    return A[bounded(n, 3, {site})]\n", 2, "site")
