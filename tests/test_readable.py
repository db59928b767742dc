"""The core can be read: short functions with few arguments, files that import few names, one meaning per name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mutants.changes import CHANGES

import stickslip

PACKAGE = Path(stickslip.__file__).parent
CORE = sorted(file for folder in ("kernels", "targets", "symbolic") for file in (PACKAGE / folder).rglob("*.py"))
KERNELS = sorted((PACKAGE / "kernels").rglob("*.py"))

WORDS = ("records",)
"""Kernels in which the words are declared that all others are written in: Floats, Record, field and so on."""

MOST_ARGUMENTS, MOST_LINES, MOST_NAMES = 7, 60, 12

LONG = {"kernels/chance.py": {"normal_score"}}
"""Functions that may be longer: a table of coefficients, as it is printed in AS 241."""

MANY = {
    "targets/translator.py": {"__init__"},
    "kernels/crew.py": {"watch_kernel"},
}
"""Functions that may have more arguments: work space that compiled functions cannot make themselves; all that a module
is translated from and for, each by its name."""


def functions(file: Path) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef))


def own_lines(node: ast.FunctionDef) -> int:
    """The lines of a function without its docstring."""
    documented = ast.get_docstring(node) is not None
    first = node.body[0]
    inside = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (node.end_lineno or 0) - node.lineno + 1 - inside


def arguments(node: ast.FunctionDef) -> int:
    given = node.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


@pytest.mark.parametrize("file", CORE, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_functions_are_short(file):
    name = file.relative_to(PACKAGE).as_posix()
    long = {node.name: own_lines(node) for node in functions(file) if own_lines(node) > MOST_LINES}
    many = {node.name: arguments(node) for node in functions(file) if arguments(node) > MOST_ARGUMENTS}
    assert not {each: count for each, count in long.items() if each not in LONG.get(name, set())}
    assert not {each: count for each, count in many.items() if each not in MANY.get(name, set())}


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.name)
def test_kernels_import_few_names(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = {"stickslip.kernels", *(f"stickslip.kernels.{each.stem}" for each in KERNELS if each.stem not in WORDS)}
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in inside
        for alias in node.names
    ]
    assert len(names) <= MOST_NAMES, names


SHARED_WORDS = {"STATES", "PARAMETERS", "STAGES", "LAST_STAGE", "OF_THREAD", "OF_BLOCK"}
"""Constants that several kernels declare, each for itself, with one meaning: sizes of the generated module that stands
in a file's place, the stages of a Runge–Kutta method and the last of them, and what entry loops of a GPU are given."""


def constants(file: Path) -> Iterator[str]:
    """The names in capitals that a file declares."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name) and name.id.isupper():
                    yield name.id


def test_a_constant_of_the_kernels_has_one_meaning():
    homes: dict[str, list[str]] = {}
    for file in KERNELS:
        for name in constants(file):
            homes.setdefault(name, []).append(file.name)
    assert not {name: files for name, files in homes.items() if len(files) > 1 and name not in SHARED_WORDS}


KINDS = ("bristle", "bond", "asperity", "compliant", "elasticcontact")
"""Words of kinds of contacts that are more than dry friction."""

ASKING = ("kernels", "symbolic", "targets", "methods", "orbits", "branches", "sweeps")
ASKING_FILES = ("artifacts.py", "field.py", "simulation.py", "energy.py", "status.py", "result.py")


def names(file: Path) -> Iterator[str]:
    """All names in a file: of variables, fields, modules, arguments."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        for part in ("id", "attr", "name", "arg", "module"):
            if isinstance(name := getattr(node, part, None), str):
                yield name


def test_a_kind_of_contact_is_asked_and_never_named():
    """What is special about a kind is in its class, and where formulas do not do in a kernel of its own."""
    files = [file for folder in ASKING for file in (PACKAGE / folder).rglob("*.py")]
    files += [PACKAGE / name for name in ASKING_FILES]
    named = {
        (file.relative_to(PACKAGE).as_posix(), name)
        for file in files
        for name in names(file)
        if any(word in name.lower() for word in KINDS)
    }
    assert {file for file, _ in named} == {"kernels/bristles.py"}, named


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_deliberate_mistakes_are_in_the_text_as_it_is(change):
    """`make mutants` makes each mistake in a text that must be there exactly once, or it tries nothing."""
    assert (PACKAGE / change.file).read_text(encoding="utf-8").count(change.old) == 1
