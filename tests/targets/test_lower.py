"""Records made flat: what is refused, what is checked, and names that belong to their file."""

import re
from types import CodeType

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import CompileError
from stickslip.kernels.records import Floats, Interleaved, Ints, Record, Records, field
from stickslip.targets import checked, compiler, cpu
from stickslip.targets.lower import Lowering
from stickslip.targets.modules import Library

HEAD = """
from stickslip.kernels.records import Floats, Ints, Record, Records, field

SIZE = 3

class Walk(Record):
    place: float = field("where it is")
    steps: Floats = field("lengths of its steps", SIZE, 2)
    taken: int = field("how many are taken")
    turns: Ints = field("how often it has turned", SIZE)

"""


def library(text: str) -> Library:
    source = HEAD + text
    code: CodeType = compile(source, "model.py", "exec")
    return Library({"model": (code, source)})


def flat(text: str, entry: str = "walk", check: bool = False) -> Lowering:
    made = library(text)
    lowering = Lowering(made, check)
    lowering.add(made.function(f"model.{entry}"))
    return lowering


def compiled(text: str, check: bool = True) -> cpu.Program:
    made = library(text)
    lowering = Lowering(made, check)
    lowering.add(made.function("model.walk"))
    translator = compiler.Translator(
        lowering.flat.functions, lowering.flat.arrays, {}, ["model__walk"], (), checked=check
    )
    engine = compiler.loaded(compiler.machine_code(translator.module))
    if check:
        return checked.Program(made, ("model.walk",), engine, lowering.flat)
    return cpu.Program(made, ("model.walk",), engine)


WALK = """
def length(steps: Floats) -> float:
    return steps[0] + steps[1]

def walk(walk: Walk, walks: Records[Walk], count: int) -> float:
    walk.taken = 0
    for i in range(SIZE):
        walk.place += length(walk.steps[i])
        walk.turns[i] += 1
        walk.taken += 1
    last = walks[count - 1]
    last.steps[2, 1] = walk.place
    return last.steps[2, 1] + walk.taken
"""


def test_python_and_machine_code_agree() -> None:
    ends = []
    for program in (None, compiled(WALK, check=False), compiled(WALK)):
        made = program.kernels if program else library(WALK)
        kind = made.model.Walk
        walk, walks = kind(), Records(kind, 4)
        walk.steps[:] = np.arange(6.0).reshape(3, 2)
        function = program.walk if program else made.model.walk
        ends.append((function(walk, walks, 4), walk.floats.tolist(), walk.integers.tolist(), walks.floats.tolist()))
    assert ends[0] == ends[1] == ends[2]
    assert ends[0][0] == 18.0


WRONG = {
    "read": ("return walk.steps[count, 1]", "walk.steps[count, 1]"),
    "written": ("walk.turns[count] = 1\n    return 0.0", "walk.turns[count]"),
    "second index": ("return walk.steps[0, count]", "walk.steps[0, count]"),
    "row": ("return length(walk.steps[count])", "walk.steps[count]"),
    "of an argument": ("return element(walk.steps[1], count)", "steps[i]"),
    "record": ("return walks[count].place", "walks[count]"),
}


@pytest.mark.parametrize("index", [3, -1, 2**40])
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_index_is_caught_with_file_and_line(case: str, index: int) -> None:
    statement, shown = WRONG[case]
    text = f"""
def length(steps: Floats) -> float:
    return steps[0]

def element(steps: Floats, i: int) -> float:
    return steps[i]

def walk(walk: Walk, walks: Records[Walk], count: int) -> float:
    {statement}
"""
    program = compiled(text)
    kind = program.kernels.model.Walk
    source = (HEAD + text).splitlines()
    inner = "    return steps[i]" if case == "of an argument" else f"    {statement.splitlines()[0]}"
    line = source.index(inner) + 1
    with pytest.raises(
        IndexError, match=re.escape(f"model.py, line {line}: {shown}: the index is {index}, and there are")
    ):
        program.walk(kind(), Records(kind, 3), index)
    program.walk(kind(), Records(kind, 3), 0)  # the next call is not blamed for it


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("walk.steps[3, 0] = 1.0", "the index 3 is beyond the size 3: walk.steps[3, 0]"),
        ("walk.steps[-1, 0] = 1.0", "the index -1 is beyond the size 3: walk.steps[-1, 0]"),
        ("walk.pace = 1.0", "Walk has no field pace: walk.pace"),
        ("walk.place = length(walk.turns)", "this does not fit the parameter steps: walk.turns"),
        ("walk.place = length(walk.place)", "this does not fit the parameter steps: walk.place"),
        ("walk.place = length(walk.steps[0], 1)", "length has 1 arguments, not 2"),
        ("walk.place = walk.steps", "a number is needed here: walk.steps"),
        ("walk.place = pace", "pace is not known here: pace"),
        ("walk.place = max(key=1)", "this is not in the subset of Python that kernels are written in"),
        ("for i in [1, 2]:\n        pass", "this is not in the subset of Python that kernels are written in"),
        (
            "for i in range(2):\n        pass\n    else:\n        walk.place = 1.0",
            "this is not in the subset of Python that kernels are written in",
        ),
        (
            "while walk.place > 0.0:\n        pass\n    else:\n        walk.place = 1.0",
            "this is not in the subset of Python that kernels are written in",
        ),
        ("walk.turns[0] = 4 // (SIZE - 3)", "this divides by zero: 4 // (SIZE - 3)"),
        ("walk.turns[0] = 4 % (SIZE - 3)", "this divides by zero: 4 % (SIZE - 3)"),
        (
            "walks[chosen(walk)].taken = 1",
            "what a row is chosen by is used for each of its arrays: give it a name first",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_line(statement: str, sentence: str) -> None:
    text = f"""
def length(steps: Floats) -> float:
    return steps[0]

def chosen(walk: Walk) -> int:
    walk.taken += 1
    return walk.taken

def walk(walk: Walk, walks: Records[Walk]) -> None:
    {statement}
"""
    line = (HEAD + text).splitlines().index(f"    {statement.splitlines()[0]}") + 1
    with pytest.raises(CompileError, match=re.escape(f"model.py, line {line}: {sentence}")):
        flat(text)


def test_a_checked_build_without_an_index_to_check() -> None:
    program = compiled("def walk(walk: Walk) -> float:\n    return walk.place + walk.steps[2, 1]\n")
    walk = program.kernels.model.Walk()
    walk.place, walk.steps[2, 1] = 1.0, 2.0
    assert program.walk(walk) == 3.0


@pytest.mark.parametrize("value", ["n and SIZE > 2", "n or SIZE > 3", "walk.taken and SIZE == 3"])
def test_a_number_is_no_condition_because_the_rest_is_known(value: str) -> None:
    """Python gives True for `n and True`; without the rest it would be n."""
    text = f"def walk(walk: Walk, n: int) -> int:\n    return 10 * ({value})\n"
    with pytest.raises(CompileError, match=r"model\.py:13, in model__walk: This is a number, and no condition"):
        compiled(text, check=False)
    text = f"def walk(walk: Walk, n: int) -> int:\n    return 10 if {value} else 3\n"
    program = compiled(text, check=False)
    walk = program.kernels.model.Walk()
    for n in (0, 1, 5):
        walk.taken = n
        assert program.walk(walk, n) == program.kernels.model.walk(walk, n)


def test_every_access_is_a_number_in_a_flat_array() -> None:
    import ast

    functions = flat(
        "def walk(walk: Walk, i: int) -> float:\n    return walk.steps[i, 1] + walk.turns[2]\n"
    ).flat.functions
    assert ast.unparse(ast.fix_missing_locations(functions["model__walk"].node)).splitlines()[1].strip() == (
        "return walk_floats[1 + i * 2 + 1] + walk_integers[3]"
    )


# -- records -----------------------------------------------------------------------------------------------------


def test_fields_follow_each_other() -> None:
    class Both(Record):
        a: float = field("one")
        b: Ints = field("several", 2)
        c: Floats = field("many", 2, 3)

    assert (Both.FLOATS, Both.INTEGERS) == (7, 2)
    assert [(p.name, p.offset, p.shape) for p in Both.PLACES.values()] == [
        ("a", 0, ()),
        ("b", 0, (2,)),
        ("c", 1, (2, 3)),
    ]


@pytest.mark.parametrize(
    ("annotation", "shape", "sentence"),
    [
        (float, (2,), "a single number has no sizes"),
        (Floats, (), "an array needs its sizes"),
        (str, (), "a field is float, int, Floats or Ints"),
    ],
)
def test_fields_that_are_none(annotation: object, shape: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        type("Wrong", (Record,), {"__annotations__": {"x": annotation}, "x": field("something", *shape)})


def test_a_name_is_used_once() -> None:
    class Base(Record):
        x: float = field("one")

    with pytest.raises(TypeError, match=r"Twice.x is declared twice"):
        type("Twice", (Base,), {"__annotations__": {"x": float}, "x": field("another")})


def test_arrays_must_fit() -> None:
    class One(Record):
        x: Floats = field("three", 3)

    with pytest.raises(ValueError, match="3 floats and 0 whole numbers, not 2 and 0"):
        One(np.zeros(2))
    with pytest.raises(ValueError, match="need a contiguous array of 2 rows of 3"):
        Records(One, 2, np.zeros((2, 4)))
    with pytest.raises(IndexError):
        Records(One, 2)[-1]
    with pytest.raises(IndexError):
        Interleaved(One, 2)[2]


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, *(pytest.param(rank, marks=pytest.mark.nightly) for rank in (2, 3)), 4])
def test_what_rises_late_from_rest_is_swept_as_it_is_simulated(rank: int) -> None:
    """A chain pulled at one end: the first terms of the series of the others are zero, of ever more of them."""
    masses = [ss.Mass(f"m{i}", m=1.0) for i in range(rank + 1)]
    springs = [ss.Spring(masses[i], masses[i + 1], k=1.0 + i, name=f"s{i}") for i in range(rank)]
    contact = ss.Contact(masses[0], ss.Belt("belt", speed=0.2), law=ss.Coulomb(0.4, 0.3))
    model = ss.System(*springs, contact)
    data = ss.sweep(model, {"m0.m": [1.0]}, times=(1.0, 2.0), observe=None, rtol=1e-12)
    run = ss.simulate(model, t=3.0)
    assert data["status"].values.tolist() == [ss.Status.FINISHED.code]
    ends = [float(run[name][-1]) for name in model.states]
    np.testing.assert_allclose(data["end_state"].values[0], ends, rtol=1e-10, atol=1e-13)
