"""The import rule: every layer imports leftwards only, and each heavy library has one home."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import stickslip

PACKAGE = Path(stickslip.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

VERBS = {
    "simulation",
    "comparison",
    "cycles",
    "energy",
    "stopping",
    "orbits",
    "branches",
    "storage",
    "sweeps",
    "series",
    "identify",
}
BELOW_VERBS = {
    "errors",
    "arguments",
    "arrays",
    "excitation",
    "files",
    "frames",
    "model",
    "notebook",
    "progress",
    "symbolic",
    "kernels",
    "targets",
    "status",
    "field",
    "methods",
    "result",
    "reading",
    "plot",
}
LAYERS = {
    "arrays": set(),
    "errors": set(),
    "files": {"errors"},
    "model": {"errors", "files", "notebook"},
    "arguments": {"arrays", "errors", "model"},
    "symbolic": {"errors", "model"},
    "kernels": set(),
    "targets": {"errors", "files", "kernels"},
    "status": {"kernels"},
    "excitation": {"arrays"},
    "field": {"arguments", "errors", "excitation", "kernels", "model", "symbolic", "targets"},
    "methods": {"errors", "field", "model", "status", "targets"},
    "notebook": set(),
    "frames": set(),
    "progress": {"files"},
    "result": {"arguments", "arrays", "errors", "files", "frames", "model", "notebook", "status"},
    "reading": {"errors", "files", "model", "result", "status"},
    **dict.fromkeys(VERBS, BELOW_VERBS | VERBS),
    "models": {"model"},
    "observe": {"sweeps"},
    "plot": {"arrays", "errors", "files", "model"},
    "demo": {"public"},
    "__main__": {"cli"},
}
"""What each part of the package may import, apart from itself and the version number. The command line may import
everything, and `stickslip/__init__.py` names everything that is public; neither is listed."""

LATE = {"model/portrait.py": {"symbolic"}}
"""What a file may import to its right, but only inside a function: a model that is looked at shows its equations."""

HOMES = {
    "sympy": {"symbolic"},
    "llvmlite": {"targets"},
    "typer": {"cli"},
    "rich": {"cli", "progress"},
    "matplotlib": {"plot", "cli"},
    "xarray": {"frames", "reading", "result", "plot", "cli", "demo", *VERBS},
}
"""Libraries that only some parts may know."""


def part_of(file: Path) -> str:
    """The layer a file belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Full names of all that a file imports, wherever in the file it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full: from stickslip.model import …"
            assert node.module is not None
            if node.module == "stickslip":
                yield from (f"stickslip.{name.name}" for name in node.names)
            else:
                yield node.module


def attributes_of(tree: ast.AST, name: str) -> set[str]:
    """The attributes of a name that a file uses."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == name}


def parts_imported(file: Path) -> set[str]:
    """The parts of stickslip that a file imports; the whole package counts as "public"."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = set(imports_of(tree))
    parts = {name.split(".")[1] for name in names if name.startswith("stickslip.")}
    if "stickslip" in names and not attributes_of(tree, "stickslip") <= {"__file__"}:
        parts.add("public")
    if "stickslip" in names and not attributes_of(tree, "stickslip"):
        parts.add("public")  # under another name
    return parts - {"_version"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_left(file):
    part = part_of(file)
    if part in ("__init__", "cli", "_version"):
        return
    assert part in LAYERS, f"{part} has no place in the table of layers: decide what it may import"
    name = file.relative_to(PACKAGE).as_posix()
    assert parts_imported(file) <= LAYERS[part] | {part} | LATE.get(name, set())


@pytest.mark.parametrize("name", LATE)
def test_what_is_imported_late_is_imported_in_a_function(name):
    top = [
        node for node in ast.parse((PACKAGE / name).read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    at_once = {each.split(".")[1] for each in imports_of(ast.Module(top, [])) if each.startswith("stickslip.")}
    assert not at_once & LATE[name]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_heavy_libraries_stay_at_home(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    libraries = {name.split(".")[0] for name in imports_of(tree)}
    for library in libraries & set(HOMES):
        assert part_of(file) in HOMES[library]


def test_nobody_imports_the_command_line():
    others = [file for file in FILES if part_of(file) not in ("cli", "__main__")]
    assert [file for file in others if "cli" in parts_imported(file)] == []


def test_kernels_need_almost_nothing():
    for file in (PACKAGE / "kernels").glob("*.py"):
        libraries = {name.split(".")[0] for name in imports_of(ast.parse(file.read_text(encoding="utf-8")))}
        assert libraries <= {"numpy", "math", "stickslip", "__future__"}, file.name


def test_the_rule_would_notice_a_breach(tmp_path):
    file = tmp_path / "breach.py"
    file.write_text("def later():\n    from stickslip import cli, simulation\n    import stickslip.plot.phase\n")
    assert parts_imported(file) == {"cli", "simulation", "plot"}
    file.write_text("import stickslip as ss\n")
    assert parts_imported(file) == {"public"}
    file.write_text("import stickslip\nfolder = stickslip.__file__\n")
    assert parts_imported(file) == set()
