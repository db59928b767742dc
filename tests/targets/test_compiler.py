"""The compiler: what it takes means the same as in Python, and what does not is refused with file and line."""

from __future__ import annotations

import ast
import ctypes
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickslip.targets import compiler
from stickslip.targets.cpu import aligned

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
    in_lanes = [name for name in functions if name.startswith("lane_")]
    given = {"arrays": {}, "values": {}, "sums": (), "for_all_lanes": in_lanes, **given}
    return compiler.Translator(functions, entry_points=entry_points or list(functions), **given)


class Compiled:
    """Functions of a text as machine code, and in plain Python (`plain`)."""

    def __init__(self, text: str, entry_points: Any = None, **given: Any) -> None:
        self.translator = translated(text, entry_points, **given)
        self.engine = compiler.loaded(compiler.machine_code(self.translator.module))
        self.plain: dict[str, Any] = {"bounded": bounded, "Floats": list, "Ints": list, **vars(math)}
        self.plain |= {**given.get("values", {}), **given.get("arrays", {})}
        exec(text, self.plain)
        for node in ast.parse(text).body:
            if entry_points is None or node.name in entry_points:
                kinds = [KINDS[ast.unparse(annotation)] for annotation in (node.returns, *_annotations(node))]
                address = self.engine.get_function_address(node.name)
                setattr(self, node.name, _with_arrays(ctypes.CFUNCTYPE(*kinds)(address), self.engine))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _annotations(node: ast.FunctionDef) -> list[ast.expr]:
    return [argument.annotation for argument in node.args.args if argument.annotation is not None]


def _with_arrays(function: Any, engine: Any) -> Any:
    def call(*given: Any) -> Any:
        return function(*[a.ctypes.data if isinstance(a, np.ndarray) else a for a in given])

    call.engine = engine  # machine code is there as long as this is
    return call


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


# -- numbers, loops, conditions -----------------------------------------------------------------------------------


KERNELS = """
def loops(A: Floats, n: int) -> float:
    total = 0.0
    for i in range(n):
        if i == 7:
            break
        for j in range(n, i, -2):
            if j % 3 == 1:
                continue
            total += A[j % 4] * (i + 1) - j
    return total


def whiles(x: float, n: int) -> float:
    count = 0
    while count < n and not x > 1e6:
        x = x * 1.5 if x > 0.0 else -x + 0.25
        count += 1
        if count == 9:
            continue
        x -= 0.125
    return x + count


def logic(x: float, y: float, n: int) -> int:
    r = 0
    if x < y or n == 3:
        r += 1
    if x < y and y < 2.0 and n != 2:
        r += 2
    elif not (x >= y):
        r += 4
    else:
        r += 8
    if -1.0 <= x < y <= 3.0:
        r += 16
    if x == y or x != x:
        r += 32
    return -r if n < 0 else r


def extremes(x: float, y: float) -> float:
    return min(x, y) + 3.0 * max(x, y) + abs(x - y) + (1.0 if isfinite(x) else 7.0) + float(min(2, 3)) + abs(-4)


def pick(x: float, y: float) -> float:
    return min(x, y)


def pick_large(x: float, y: float) -> float:
    return max(x, y)


def integers(n: int, m: int) -> int:
    n += 2
    n *= m
    n -= m * m - (n + 1) // 3
    return n % 7 + n // (m + 1) + int(2.9) + abs(n - 100)


def functions(x: float) -> float:
    y = exp(-x * x) + log(1.0 + x * x) + sqrt(2.0 + x) + sin(x) * cos(x) + tanh(x) - atan(x)
    y += sinh(0.3 * x) + cosh(0.2 * x) + tan(0.4 * x) + (2.0 + x * x) ** 1.7 + copysign(2.0, x)
    A_x = x / 3.0
    return y - A_x ** 2


def stores(A: Floats, I: Ints, n: int) -> None:
    I[0] = n
    I[1] = n > 2
    A[0] += n
    A[I[0] % 3] *= 0.5
    A[3] = C[1] + K


def nested(n: int) -> int:
    total = 0
    for i in range(n):
        for k in range(i):
            total += k
        i = 100
        total += i
    return total


def last(n: int) -> int:
    i = -5
    for i in range(3, n):
        pass
    return i


def same_name(n: int) -> int:
    total = 0
    for i in range(n):
        for i in range(2):
            total += i
        total += 10 * i
    return total
"""


@pytest.fixture(scope="module")
def kernels() -> Compiled:
    return Compiled(KERNELS, arrays={"C": np.array([0.5, 2.5])}, values={"K": 3})


numbers = st.floats(-5, 5)
any_float = st.floats(allow_nan=True, allow_infinity=True)


def same(a, b, tolerance=0.0):
    return (a != a and b != b) or a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


@settings(deadline=None, max_examples=60)
@given(a=st.lists(numbers, min_size=4, max_size=4), n=st.integers(0, 20))
def test_for_loops(kernels, a, n):
    expected = kernels.plain["loops"](a, n)
    assert same(kernels.loops(np.array(a), n), expected, 1e-12) or abs(expected) < 1e-9


@settings(deadline=None, max_examples=60)
@given(x=numbers, n=st.integers(0, 30))
def test_while_and_conditional(kernels, x, n):
    assert kernels.whiles(x, n) == pytest.approx(kernels.plain["whiles"](x, n), rel=1e-11, abs=1e-11)


@settings(deadline=None, max_examples=150)
@given(x=any_float, y=any_float, n=st.integers(-2, 4))
def test_logic_also_with_nan(kernels, x, y, n):
    plain = kernels.plain["logic"]
    assert kernels.logic(x, y, n) == plain(x, y, n)
    assert kernels.logic(x, x, n) == plain(x, x, n)


@settings(deadline=None, max_examples=150)
@given(x=any_float, y=any_float)
def test_extremes_also_with_nan(kernels, x, y):
    for name in ("extremes", "pick", "pick_large"):
        found, expected = getattr(kernels, name)(x, y), kernels.plain[name](x, y)
        rounding = 1e-15 * (abs(x) + abs(y))  # large terms may cancel
        assert same(found, expected, 1e-12) or abs(found - expected) <= rounding
    for name in ("pick", "pick_large"):
        for pair in ((math.nan, x), (x, math.nan)):
            assert same(getattr(kernels, name)(*pair), kernels.plain[name](*pair))


@settings(deadline=None, max_examples=100)
@given(n=st.integers(-(10**6), 10**6), m=st.integers(0, 4))
def test_integers(kernels, n, m):
    assert kernels.integers(n, m) == kernels.plain["integers"](n, m)


@settings(deadline=None, max_examples=100)
@given(x=st.floats(-1.9, 3.5))
def test_functions(kernels, x):
    assert kernels.functions(x) == pytest.approx(kernels.plain["functions"](x), rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(a=st.lists(numbers, min_size=4, max_size=4), n=st.integers(0, 9))
def test_stores(kernels, a, n):
    floats, integers, other, more = np.array(a), np.zeros(2, np.int64), list(a), [0, 0]
    kernels.stores(floats, integers, n)
    kernels.plain["stores"](other, more, n)
    assert floats.tolist() == pytest.approx(other, rel=1e-15)
    assert integers.tolist() == [int(x) for x in more]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_loop_variables(kernels, n):
    for name in ("nested", "last", "same_name"):
        assert getattr(kernels, name)(n) == kernels.plain[name](n)


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


def test_lanes_know_their_indices_while_compiling():
    text = "def lane_f(B: Floats) -> None:\n    B[bounded({}, 2, 3)] = B[0] + 1.0\n"
    rows = aligned(8)
    Compiled(text.format(1), lanes=4).lane_f(rows)
    assert rows.tolist() == [0.0] * 4 + [1.0] * 4
    refused(text.format(2), 2, "must lie in its array", lanes=4)


# -- arrays that are one, and arrays that are two ---------------------------------------------------------------


OVERLAPPING = """
def spread(a: Floats, b: Floats, n: int) -> None:
    for i in range(n):
        a[i] = b[0] + 1.0


def through(a: Floats, b: Floats, n: int) -> None:
    spread(b, a, n)


def same(W: Floats, n: int) -> None:
    spread(W, W, n)


def slices(W: Floats, n: int) -> None:
    spread(W, W[2:4], n)


def named(W: Floats, n: int) -> None:
    row = W[1:]
    other = row[1:]
    spread(row, other, n)


def deeper(W: Floats, n: int) -> None:
    through(W[2:], W, n)


def counted(W: Floats, I: Ints, n: int) -> None:
    shifted(I, I[1:], n)
    spread(W, W[n - 1 :], n)


def shifted(here: Ints, there: Ints, n: int) -> None:
    for i in range(n):
        there[i] = here[i] + 1
"""


def test_parts_of_one_array_are_not_taken_for_two():
    made = Compiled(OVERLAPPING, ["same", "slices", "named", "deeper", "counted"])
    for name in ("same", "slices", "named", "deeper"):
        found, plain = np.arange(10.0), np.arange(10.0)
        getattr(made, name)(found, 6)
        made.plain[name](plain, 6)
        assert found.tolist() == plain.tolist()
    arrays = [np.arange(10.0), np.arange(10), np.arange(10.0), np.arange(10)]
    made.counted(*arrays[:2], 6)
    made.plain["counted"](*arrays[2:], 6)
    assert [a.tolist() for a in arrays[:2]] == [a.tolist() for a in arrays[2:]]


def told_apart(translator: compiler.Translator) -> dict[str, set[str]]:
    return {
        function.name: {argument.name for argument in function.args if "noalias" in argument.attributes}
        for function in translator.module.functions
    }


def test_what_is_told_to_be_different():
    text = """
def leaf(a: Floats, b: Floats, c: Floats, k: Ints) -> float:
    return a[0] + b[0] + c[0] + float(k[0])


def apart(a: Floats, b: Floats) -> float:
    return leaf(a, b, TABLE, COUNTS)


def together(a: Floats, b: Floats, k: Ints) -> float:
    return leaf(a, b, TABLE[1:], k) + once(a, TABLE) + once(TABLE, b)


def once(a: Floats, b: Floats) -> float:
    return other(a, TABLE) + other(OTHER, b)


def other(a: Floats, b: Floats) -> float:
    return a[0] + b[0]


def entry(W: Floats, V: Floats, I: Ints) -> float:
    row = W[5:]
    return apart(W, V) + together(W, V, I) + twice(V, row, W)


def twice(a: Floats, b: Floats, c: Floats) -> float:
    return other(b, a) + other(c, a)
"""
    arrays = {"TABLE": np.ones(3), "OTHER": np.ones(2), "COUNTS": np.arange(2)}
    found = told_apart(translated(text, ["entry"], arrays=arrays))
    assert found == {
        "entry": {"W", "V", "I"},
        "apart": {"a", "b"},
        "together": {"a", "b", "k"},
        "leaf": {"a", "b", "c", "k"},
        "once": {"a", "b"},
        "twice": {"a"},
        "other": set(),  # once gives it TABLE twice, where its own first argument is TABLE
    }
    both = told_apart(
        translated(text.replace("leaf(a, b, TABLE[1:], k)", "leaf(a, a[1:], b, k)"), ["entry"], arrays=arrays)
    )
    assert both["leaf"] == {"c", "k"}


def test_entry_points_that_are_also_called_inside():
    text = "def inner(a: Floats, b: Floats) -> None:\n    a[0] = b[0]\n\n"
    text += "def outer(a: Floats) -> None:\n    inner(a, a[1:])\n"
    assert told_apart(translated(text)) == {"inner": set(), "outer": {"a"}}
    assert told_apart(translated(text, ["inner"])) == {"inner": {"a", "b"}}


# -- whole numbers ----------------------------------------------------------------------------------------------


DIVISORS = [-(2**40), -1000, -64, -7, -3, -2, -1, 1, 2, 3, 5, 7, 8, 10, 64, 1000, 4096, 2**32, 2**62]
EDGES = [
    -(2**63) + 1,
    -(2**63) + 2,
    -(2**62),
    -(2**32),
    -65,
    -64,
    -63,
    -8,
    -7,
    -1,
    0,
    1,
    6,
    7,
    63,
    64,
    2**62,
    2**63 - 1,
]


def test_division_rounds_down_by_every_divisor():
    functions = [
        f"def {name}{k}(a: int, b: int) -> int:\n    return a {sign} {divisor}\n"
        for name, sign in (("quotient", "//"), ("rest", "%"))
        for k, divisor in enumerate([*DIVISORS, "b"])
    ]
    made = Compiled("\n".join(functions))
    rng = np.random.default_rng(2)
    for a in [*EDGES, *rng.integers(-(2**62), 2**62, 40).tolist(), *range(-20, 20)]:
        for k, divisor in enumerate(DIVISORS):
            assert getattr(made, f"quotient{k}")(a, 0) == made.quotient19(a, divisor) == a // divisor
            assert getattr(made, f"rest{k}")(a, 0) == made.rest19(a, divisor) == a % divisor


def expression(rng: np.random.Generator, depth: int) -> str:
    """A random one of a, b, c and constants, whose values stay small; divisors are not zero, and of either sign."""
    if depth == 0:
        return str(rng.choice(["a", "b", "c", *map(str, rng.integers(-20, 20, 2))]))
    left, right = expression(rng, depth - 1), expression(rng, depth - 1)
    match rng.integers(6):
        case 0:
            return f"({left} + {right})"
        case 1:
            return f"({left} - {right})"
        case 2:
            return f"({left} * {rng.integers(-9, 10)})"
        case 3:
            return f"(-{left} ^ {right})"
    sign = rng.choice(["//", "%"])
    divisor = rng.choice(
        ["c", str(rng.choice([-7, -4, -1, 1, 2, 3, 8, 12])), f"({right} % 5 + 1)", f"({right} % -3 - 2)"]
    )
    return f"({left} {sign} {divisor})"


def test_random_whole_expressions_compiled_and_folded():
    rng = np.random.default_rng(11)
    expressions = [expression(rng, 1 + k % 4) for k in range(80)]
    made = Compiled(
        "\n".join(f"def f{k}(a: int, b: int, c: int) -> int:\n    return {e}\n" for k, e in enumerate(expressions))
    )
    given = [(int(a), int(b), int(c) or 1) for a, b, c in rng.integers(-300, 300, (60, 3))]
    for k, text in enumerate(expressions):
        for a, b, c in given:
            assert getattr(made, f"f{k}")(a, b, c) == eval(text, {"a": a, "b": b, "c": c}), text
    for a, b, c in given[:4]:
        values = {"a": a, "b": b, "c": c}
        folded = translated(
            "\n".join(f"def g{k}() -> int:\n    return {e}\n" for k, e in enumerate(expressions)), values=values
        )
        for k, text in enumerate(expressions):
            returned = re.search(r"ret i64 (-?\d+)", str(folded.module.get_global(f"g{k}")))
            assert returned is not None and int(returned[1]) == eval(text, values), text


def test_division_in_loops_over_both_signs():
    text = """
def f(A: Ints, n: int, d: int) -> None:
    for i in range(-n, n):
        A[i + n] = 3 * (i // 7) + 5 * (i % 6) + 7 * (i // 16) + 11 * (i % 32) + 13 * (i // d) + 17 * (i % d)
"""
    made = Compiled(text)
    for d in (-9, -1, 1, 4, 9):
        found, plain = np.zeros(200, np.int64), np.zeros(200, np.int64)
        made.f(found, 100, d)
        made.plain["f"](plain, 100, d)
        assert found.tolist() == plain.tolist()


def test_division_costs_nothing_more_where_numbers_are_not_negative():
    """Of i // 12 and i % 12 in a loop from 0 on nothing is left but the division of numbers without sign."""
    text = "def f(A: Ints, n: int) -> None:\n    for i in range(n):\n        A[i] = i // 12 + i % 12\n"
    target, module = compiler.machine(), None
    module = compiler.optimised(translated(text).module, target)
    body = str(module)
    assert "udiv" in body and "sdiv" not in body and "srem" not in body
    assert not re.search(r"ashr|\bxor\b|select", body)


# -- every path, one type, one evaluation -----------------------------------------------------------------------


PATHS = """
def both_ways(n: int) -> float:
    if n > 3:
        x = 1.5
    elif n > 1:
        x = 2.5
    else:
        return -1.0
    return x


def turns_surely(n: int) -> int:
    for i in range(6):
        last = i * n
        if last > 9:
            break
    return last


def endless(n: int) -> int:
    while True:
        n += 3
        if n > 10:
            found = n
            break
        if n == 7:
            return 0
    return found


def never_ends(n: int) -> int:
    while True:
        n += 1
        if n > 4:
            return n


def returns_in_both(n: int) -> int:
    if n > 0:
        return 1
    else:
        return -1


def decided(n: int) -> int:
    if not LARGE:
        x = n + 1
    if LARGE == 1 and n > 0:
        x = n + 2
    return x


def flags(n: int) -> int:
    small = n < 4
    odd = n % 2 == 1
    both = small and odd or n == 0
    count = 5
    count = small
    total = count + odd + 2 * (True if both else n) + min(odd, n) + max(small, odd)
    if n and small:
        total -= both
    return total + (3 if bool(n) and not odd else 0) + int(2.5 * odd + float(small))


def typed(n: int) -> int:
    odd: bool = n % 2 == 1
    half: float = n / 2
    return 1 if odd and half > 1.0 else 0
"""


def test_paths_that_give_a_value():
    made = Compiled(PATHS, values={"LARGE": 0})
    for n in (-5, 0, 1, 2, 3, 4, 5, 9):
        for name in (
            "both_ways",
            "turns_surely",
            "endless",
            "never_ends",
            "returns_in_both",
            "decided",
            "flags",
            "typed",
        ):
            assert getattr(made, name)(n) == made.plain[name](n), name


def test_what_stands_between_two_comparisons_is_evaluated_once():
    text = """
def bump(I: Ints) -> int:
    I[0] += 1
    return I[0]


def f(I: Ints, A: Floats, n: int) -> int:
    A[bump(I)] += 0.5
    if 0 < bump(I) < n < 9:
        return bump(I)
    return -1 if 0 < n <= bump(I) else 0
"""
    made = Compiled(text, ["f"])
    for n in (-1, 1, 2, 3, 4, 9):
        found, plain = (np.zeros(2, np.int64), np.zeros(3)), (np.zeros(2, np.int64), np.zeros(3))
        assert made.f(*found, n) == made.plain["f"](*plain, n)
        assert [a.tolist() for a in found] == [a.tolist() for a in plain]


REFUSED = {
    "fall off": ("if n > 1:\n        return 1.0", 2, "without a return"),
    "fall off a loop": ("while n > 1:\n        return 1.0", 2, "without a return"),
    "read before": ("if n > 1:\n        x = 1.0\n    return x", 4, "'x' may have no value"),
    "read in the first turn": (
        "for i in range(n):\n        if i > 0:\n            a = x\n        x = 2.0\n    return a",
        4,
        "x",
    ),
    "read after a loop": ("for i in range(n):\n        x = a\n    return x", 4, "'x' may have no value"),
    "loop variable": ("for i in range(n):\n        a += 1.0\n    return a + i", 4, "'i' may have no value"),
    "left early": (
        "while True:\n        if a > 1.0:\n            break\n        x = a\n        break\n    return x",
        7,
        "x",
    ),
    "int, then float": ("x = 0\n    x = 0.5\n    return x", 3, "'x' is of the type int, and cannot become float"),
    "float, then int": ("x = 0.5\n    x = 1\n    return x", 3, "'x' is of the type float"),
    "int, then a sum": ("x = 0\n    for i in range(9):\n        x += a\n    return x", 4, "'x' is of the type int"),
    "bool, then int": ("x = a > 1.0\n    x = n\n    return a", 3, "'x' is of the type bool"),
    "number as a condition": ("m = n and a > 1.0\n    return a", 2, "is a number"),
    "argument": ("n = a\n    return a", 2, "'n' is of the type int"),
    "constant": ("x = K + 1\n    K = 2\n    return a", 3, "'K'"),
    "itself": ("if n > 1:\n        return f(a, n - 1)\n    return a", 3, "f → f"),
    "too few": ("return one(a)", 2, "'one' takes 2 arguments, and here are 1"),
    "too many": ("x = 1.0\n    return one(a, x, x)", 3, "3 given"),
    "by name": ("return one(a, b=a)", 2, "by their position"),
    "all of them": ("return one(*a)", 2, "by their position"),
    "method": ("return a.real()", 2, "plain name"),
    "type of an argument": ("return one(a, n) + second(a)", 2, "int"),
    "array for a number": ("return one(C, a)", 2, "Floats"),
    "number for an array": ("return third(a)", 2, "array"),
    "wrong array": ("return third(D)", 2, "Ints"),
    "no value": ("return nothing(a)", 2, "no value"),
    "value": ("return", 2, "a value of the type float"),
    "unknown name": ("x = a\n    return x + unknown", 3, "'unknown'"),
    "unknown function": ("return unknown(a)", 2, "'unknown'"),
    "arguments of sine": ("return sin(a, a)", 2, "sin"),
    "zero": ("m = n // (K - 3)\n    return a", 2, "zero"),
    "remainder of floats": ("return a % 2.0", 2, "Mod"),
    "power of whole numbers": ("m = n ** 2\n    return a", 2, "Pow"),
    "large": ("m = 9223372036854775807 + K\n    return a", 2, "64 bits"),
    "loop over floats": ("for i in range(a):\n        pass\n    return a", 2, "range"),
    "loop over an array": ("for i in C:\n        pass\n    return a", 2, "range"),
    "step": ("for i in range(0, 9, n):\n        pass\n    return a", 2, "step"),
    "no step": ("for i in range(0, 9, 0):\n        pass\n    return a", 2, "step"),
    "else of a loop": ("for i in range(3):\n        pass\n    else:\n        a = 5.0\n    return a", 2, "subset"),
    "break": ("break", 2, "subset"),
    "two targets": ("a, x = a, a\n    return x", 2, "variable"),
    "list": ("return sum([a])", 2, "subset"),
    "text": ("x = 'text'\n    return a", 2, "subset"),
    "identity": ("if a is a:\n        return a\n    return a", 2, "Is"),
    "annotation": ("x: int = a\n    return a", 2, "int"),
}
OTHERS = """

def one(a: float, b: float) -> float:
    return a + b


def second(k: int) -> float:
    return float(k)


def third(A: Floats) -> float:
    return A[0]


def nothing(a: float) -> None:
    pass
"""


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_with_file_and_line(name):
    body, line, word = REFUSED[name]
    text = f"def f(a: float, n: int) -> float:\n    {body}\n{OTHERS}"
    arrays = {"C": np.array([0.5]), "D": np.array([1])}
    refused(text, line, word, arrays=arrays, values={"K": 3})


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ("def f(a, n: int) -> float:", "type"),
        ("def f(a: list, n: int) -> float:", "list"),
        ("def f(a: float, n: int = 3) -> float:", "default"),
        ("def f(a: float, *n: int) -> float:", "plain"),
        ("def f(a: float, n: int) -> Floats:", "array"),
    ],
)
def test_heads_that_are_refused(head, word):
    refused(f"{head}\n    return 1.0\n", 1, word)


def test_calls_in_a_circle_are_refused():
    text = "def f(n: int) -> int:\n    return g(n)\n\ndef g(n: int) -> int:\n    x = n\n    return f(x)\n"
    with pytest.raises(compiler.CompileError, match=r"kernels/example.py:(2|6), in [fg]: .*(f → g → f|g → f → g)"):
        translated(text)


def test_mistakes_in_nodes_that_were_made_have_the_line_of_the_statement():
    function = ast.parse("def f(n: int) -> int:\n    m = n\n    return m\n").body[0]
    assert isinstance(function, ast.FunctionDef) and isinstance(function.body[1], ast.Return)
    function.body[1].value = ast.BinOp(ast.Name("m"), ast.Add(), ast.Name("lost"))
    with pytest.raises(compiler.CompileError, match=r"file.py:3, in f: 'lost' .*\n    lost"):
        compiler.Translator({"f": compiler.Function(function, "file.py")}, {}, {}, ["f"], ())


def test_long_statements_are_cut_in_messages():
    text = f"def f(n: int) -> int:\n    return {' + '.join(['n'] * 99)} + unknown[0:1:2]\n"
    with pytest.raises(compiler.CompileError) as raised:
        translated(text.replace("unknown[0:1:2]", "0.5"))
    assert len(str(raised.value).split("\n    ")[1]) < 120


def test_an_entry_point_that_is_not_there():
    with pytest.raises(compiler.CompileError, match="'g'"):
        translated("def f(n: int) -> int:\n    return n\n", ["g"])


# -- all lanes at once ------------------------------------------------------------------------------------------


LANE_REFUSED = {
    "row": ("B[n] = 1.0", "known while compiling"),
    "own function": ("B[0] = g(B)", "'g'"),
    "branch of each": ("if B[0] > 1.0:\n        B[1] = 1.0", "any_lane"),
    "slice": ("row = B[1:]", "slice"),
    "remainder": ("B[0] = B[1] % 2.0", "Mod"),
    "unknown": ("B[0] = erf(B[1])", "'erf'"),
    "kind": ("x = B[0] > 1.0\n    x = B[1]", "type"),
}


@pytest.mark.parametrize("name", LANE_REFUSED)
def test_what_lanes_refuse(name):
    body, word = LANE_REFUSED[name]
    text = f"def lane_f(B: Floats) -> None:\n    n = B[0]\n    {body}\n\ndef g(B: Floats) -> float:\n    return B[0]\n"
    refused(text, body.count("\n") + 3 if name == "kind" else 3, word, entry_points=["lane_f"], lanes=4)


def test_lanes_compare_in_chains_and_go_through_branches_together():
    text = """
def lane_f(B: Floats) -> bool:
    inside = 0.0 < B[0] * 2.0 <= B[1]
    if any_lane(inside):
        x = B[1] - B[0]
        B[2] = x if inside else B[2]
    B[3] = x if inside else -1.0
    return any_lane(not inside)
"""
    made = Compiled(text, lanes=4)
    rows = aligned(16).reshape(4, 4)
    rows[0], rows[1] = [1.0, 2.0, -1.0, 0.5], [2.0, 3.0, 5.0, 8.0]
    assert made.lane_f(rows)
    assert rows[2].tolist() == [1.0, 0.0, 0.0, 7.5] and rows[3].tolist() == [1.0, -1.0, -1.0, 7.5]
    rows[0] = -1.0
    assert made.lane_f(rows) and rows[3].tolist() == [-1.0] * 4
