"""The import rule: the order of layers that docs/architecture.md prints holds, and each heavy library has its homes."""

import ast
import re
import sys
from pathlib import Path

import pytest
from tests.layers.imports import Package, breaches
from tests.layers.page import PAGE, exceptions, layers, limits
from tests.layers.picture import PICTURE, drawn

import stickslip

TEXT = PAGE.read_text(encoding="utf-8")
ORDER = [layer.name for layer in layers(TEXT)]
EXCEPTIONS = exceptions(TEXT)
LIMITS = limits(TEXT)
PACKAGE = Package(Path(stickslip.__file__).parent)

HOMES = {
    "sympy": {"symbolic/"},
    "llvmlite": {"targets/"},
    "cuda": {"targets/"},
    "typer": {"cli/"},
    "rich": {"cli/", "progress.py"},
    "matplotlib": {"plot/", "cli/"},
    "starlette": {"explorer/"},
    "uvicorn": {"explorer/"},
    "websockets": {"explorer/"},
    "xarray": {"frames.py", "demo.py", "papers/", "cli/", *ORDER[ORDER.index("result.py") : ORDER.index("models.py")]},
}
"""Libraries that only some layers may know."""


def libraries_of(file):
    """The libraries that a file imports, wherever it does."""
    text = (PACKAGE.folder / file).read_text(encoding="utf-8")
    tree = ast.parse(text)
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) if node.level == 0}
    names |= {called.group(1) for called in re.finditer(r"import_module\(\"([\w.]+)\"", text)}
    return {name.split(".")[0] for name in names}


def test_the_order_of_the_page_holds():
    assert breaches(PACKAGE, ORDER, EXCEPTIONS, LIMITS) == []


def test_the_page_is_understood():
    """What a layer knows is to its left, and none of the lists that are read from the page is empty."""
    assert len(ORDER) == len(set(ORDER)) > 30 and EXCEPTIONS and LIMITS
    for name, known in LIMITS.items():
        assert known <= {*ORDER[: ORDER.index(name)]}, name


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=" → ".join)
def test_exceptions_are_needed_and_late(exception):
    found = [each for each in PACKAGE.imports if (each.source, each.target) == exception]
    assert found and all(each.late for each in found), "it is no import, or one that is made at once"
    assert breaches(PACKAGE, ORDER, {*EXCEPTIONS} - {exception}), "nothing is wrong without it: take it off the page"


def test_the_picture_is_that_of_the_page():
    assert PICTURE.read_text(encoding="utf-8") == drawn(layers(TEXT)), "draw it anew: python -m tests.layers"


@pytest.mark.parametrize("file", PACKAGE.files)
def test_heavy_libraries_stay_at_home(file):
    first, slash, _ = file.partition("/")
    assert [name for name in libraries_of(file) & HOMES.keys() if first + slash not in HOMES[name]] == []


def test_kernels_need_almost_nothing():
    for file in PACKAGE.files:
        if file.startswith("kernels/"):
            assert libraries_of(file) <= {"numpy", "stickslip", *sys.stdlib_module_names}, file


# The rule itself, on a package of a few lines.

SMALL = {
    "__init__.py": "",
    "__init__.pyi": "from .verbs.run import run as run",
    "nouns.py": "import math",
    "numbers/__init__.py": "",
    "numbers/one.py": "from small import nouns",
    "numbers/two.py": "def later():\n    from small.numbers.one import something",
    "numbers/deep/__init__.py": "",
    "numbers/deep/three.py": "from small.numbers import two",
    "verbs/__init__.py": "from small.verbs.run import run",
    "verbs/run.py": "import small.numbers.deep.three\ndef run(): ...",
    "door.py": "import small\nsmall.run()",
}
SMALL_ORDER = ["nouns.py", "numbers/", "verbs/", "__init__.py", "door.py"]


def small(folder, changes):
    for name, text in {**SMALL, **changes}.items():
        path = folder / "small" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Package(folder / "small")


def test_a_package_in_order_passes(tmp_path):
    assert breaches(small(tmp_path, {}), SMALL_ORDER) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"nouns.py": "import small.verbs.run"}, "nouns.py imports verbs/run.py, but verbs/ is to the right of nouns"),
        ({"nouns.py": "from small.verbs import run"}, "nouns.py imports verbs/run.py"),
        ({"nouns.py": "from small.verbs.run import run"}, "nouns.py imports verbs/run.py"),
        ({"nouns.py": "def f():\n    from small.numbers.one import x"}, "nouns.py imports numbers/one.py"),
        ({"nouns.py": "class A:\n    async def f(self):\n        import small.door"}, "nouns.py imports door.py"),
        ({"nouns.py": "if TYPE_CHECKING:\n    import small.door"}, "nouns.py imports door.py"),
        ({"nouns.py": "from .numbers import one"}, "nouns.py imports numbers/one.py"),
        ({"numbers/deep/three.py": "from ...verbs.run import run"}, "numbers/deep/three.py imports verbs/run.py"),
        ({"nouns.py": "import small as s\ns.run()"}, "nouns.py imports __init__.py"),
        ({"nouns.py": "import small\nsmall.__file__, small.run()"}, "nouns.py imports __init__.py"),
        ({"nouns.py": "from small import run"}, "nouns.py imports __init__.py"),
        ({"nouns.py": "import importlib\nimportlib.import_module('small.door')"}, "nouns.py imports door.py"),
        ({"nouns.py": "import_module(f'small.{name}.run')"}, "nouns.py imports verbs/run.py"),
        ({"nouns.py": "WHERE = 'small.verbs'\nimport_module(f'{WHERE}.{name}')"}, "nouns.py imports verbs/run.py"),
        ({"nouns.py": "WHERE = 'small.verbs'\nimport_module(WHERE)"}, "nouns.py imports verbs/__init__.py"),
        ({"__init__.pyi": "from .door import x as x"}, "__init__.py imports door.py"),
        ({"numbers/one.py": "from small.numbers import two"}, "numbers/ has a circle: "),
        ({"numbers/one.py": "from small.numbers.deep.three import x"}, "numbers/ has a circle: "),
        (
            {
                "numbers/deep/three.py": "from small.numbers.deep import four",
                "numbers/deep/four.py": "import small.numbers.deep.three",
            },
            "numbers/deep/ has a circle: ",
        ),
        ({"stray.py": ""}, "stray.py has no place in the order"),
    ],
)
def test_a_breach_is_found(tmp_path, changes, sentence):
    found = breaches(small(tmp_path, changes), SMALL_ORDER)
    assert any(each.startswith(sentence) for each in found), found


def test_what_a_circle_says(tmp_path):
    changes = {"numbers/one.py": "import small.numbers.deep.three"}
    assert breaches(small(tmp_path, changes), SMALL_ORDER) in (
        ["numbers/ has a circle: one.py imports deep/ imports two.py imports one.py"],
        ["numbers/ has a circle: deep/ imports two.py imports one.py imports deep/"],
        ["numbers/ has a circle: two.py imports one.py imports deep/ imports two.py"],
    )


def test_what_is_no_breach(tmp_path):
    for text in ("import small\nfolder = small.__file__", "import smaller.verbs", "x = 'small.door'"):
        assert breaches(small(tmp_path, {"nouns.py": text}), SMALL_ORDER) == []
    changes = {"nouns.py": "def f():\n    from small.verbs.run import run"}
    assert breaches(small(tmp_path, changes), SMALL_ORDER, {("nouns.py", "verbs/run.py")}) == []


def test_a_layer_may_know_less_than_its_place_allows(tmp_path):
    package = small(tmp_path, {})
    assert breaches(package, SMALL_ORDER, (), {"nouns.py": set(), "verbs/": {"numbers/"}}) == []
    (found,) = breaches(package, SMALL_ORDER, (), {"verbs/": {"nouns.py"}})
    assert found == "verbs/run.py imports numbers/deep/three.py, but verbs/ knows only nouns.py"
    (found,) = breaches(package, SMALL_ORDER, (), {"numbers/": set()})
    assert found == "numbers/one.py imports nouns.py, but numbers/ knows only itself"


def test_an_order_that_does_not_fit_the_package_is_told(tmp_path):
    package = small(tmp_path, {})
    assert breaches(package, [*SMALL_ORDER, "gone.py"]) == ["gone.py is in the order, but not in the package"]
    assert "door.py is in the order twice" in breaches(package, [*SMALL_ORDER, "door.py"])


def test_any_other_order_of_two_layers_that_need_each_other_fails(tmp_path):
    package = small(tmp_path, {})
    for i in range(len(SMALL_ORDER) - 1):
        swapped = [*SMALL_ORDER[:i], SMALL_ORDER[i + 1], SMALL_ORDER[i], *SMALL_ORDER[i + 2 :]]
        assert breaches(package, swapped), swapped


@pytest.mark.parametrize("text", ["import_module(name)", "import_module(f'{name}.run')", "import_module(names[0])"])
def test_a_name_that_is_put_together_elsewhere_is_refused(tmp_path, text):
    with pytest.raises(AssertionError, match="write how the name begins"):
        breaches(small(tmp_path, {"nouns.py": text}), SMALL_ORDER)


@pytest.mark.parametrize(
    ("text", "late"),
    [
        ("import small.door", False),
        ("if TYPE_CHECKING:\n    import small.door", True),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import small.door", False),
        ("if sys.platform:\n    import small.door", False),
        ("class A:\n    import small.door", False),
        ("class A:\n    def f(self):\n        import small.door", True),
    ],
)
def test_what_is_imported_late(tmp_path, text, late):
    (found,) = (each for each in small(tmp_path, {"nouns.py": text}).imports if each.target == "door.py")
    assert found.late is late
