"""Which file of a package imports which, and where that breaks the order of layers.

A file is called by its path in the package, `model/terms.py`. Every import counts, wherever it stands: at the top, in a
function, for types alone, or by name (`import_module("…")`). The stub of a file counts as the file.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple


class Import(NamedTuple):
    """One file imports another; `late`: not when it is itself imported, but in a function, or for types alone."""

    source: str
    target: str
    late: bool


class Package:
    """The files of a package and what they import."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, folder.name
        self.files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.py"))
        self._by_name = {self._dotted(file): file for file in self.files}

    def _dotted(self, file: str) -> str:
        parts = PurePosixPath(file).with_suffix("").parts
        return ".".join((self.name, *(parts[:-1] if parts[-1] == "__init__" else parts)))

    @cached_property
    def imports(self) -> list[Import]:
        """All imports of one file by another."""
        return sorted({found for file in self.files for found in self._imports_of(file) if found.target != file})

    def _imports_of(self, file: str) -> Iterator[Import]:
        for path in (self.folder / file, (self.folder / file).with_suffix(".pyi")):
            tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
            for node, late in _nodes(tree):
                for target in self._targets(node, file, tree):
                    yield Import(file, target, late)

    def _targets(self, node: ast.AST, file: str, tree: ast.Module) -> Iterator[str]:
        """The files that one node imports."""
        match node:
            case ast.Import(names=names):
                for each in names:
                    if not (each.name == self.name and _asks_only_where_it_lies(tree, each)):
                        yield from self._resolved(each.name)
            case ast.ImportFrom(module=module, names=names, level=level):
                begin = self._above(file, level) if level else ""
                full = ".".join(part for part in (begin, module) if part)
                for each in names:
                    yield from self._resolved(f"{full}.{each.name}")
            case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[name, *_]):
                pattern = _pattern(name, _texts(tree))
                yield from (self._by_name[each] for each in self._by_name if re.fullmatch(pattern, each))

    def _above(self, file: str, level: int) -> str:
        """The package that dots in front of a name stand for."""
        return ".".join((self.name, *PurePosixPath(file).parts[:-level]))

    def _resolved(self, name: str) -> Iterator[str]:
        """The file that has a name: a module, or the one that defines or hands on what is imported from it."""
        while name:
            if name in self._by_name:
                yield self._by_name[name]
                return
            name = name.rpartition(".")[0]


def _nodes(tree: ast.AST, late: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """All nodes, and whether each is inside a function, or for types alone."""
    for child in ast.iter_child_nodes(tree):
        yield child, late
        yield from _nodes(child, late or _is_late(child))


def _is_late(node: ast.AST) -> bool:
    """Whether what is inside is not executed when the file is imported."""
    if isinstance(node, ast.If):
        return not node.orelse and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def _asks_only_where_it_lies(tree: ast.Module, imported: ast.alias) -> bool:
    """Whether a file uses the package itself for its place on the disk, and for nothing else."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    name = imported.asname or imported.name
    return {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == name} == {"__file__"}


def _texts(tree: ast.Module) -> dict[str, str]:
    """The constants of a file that are texts."""
    found = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                found[name] = text
    return found


def _pattern(name: ast.expr, texts: Mapping[str, str]) -> str:
    """The names that a text can be: where something unknown is put into it, any public module."""
    match name:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.Name(id=constant) | ast.FormattedValue(value=ast.Name(id=constant)) if constant in texts:
            return re.escape(texts[constant])
        case ast.JoinedStr(values=[first, *_] as pieces) if not _is_unknown(first, texts):
            return "".join(_pattern(piece, texts) for piece in pieces)
        case ast.FormattedValue():
            return r"[A-Za-z]\w*"
    raise AssertionError(f"line {name.lineno}: import_module of {ast.unparse(name)}: write how the name begins")


def _is_unknown(piece: ast.expr, texts: Mapping[str, str]) -> bool:
    """Whether this piece of a text could be anything."""
    known = isinstance(piece, ast.FormattedValue) and isinstance(piece.value, ast.Name) and piece.value.id in texts
    return isinstance(piece, ast.FormattedValue) and not known


def breaches(
    package: Package,
    order: Sequence[str],
    exceptions: Collection[tuple[str, str]] = frozenset(),
    limits: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> list[str]:
    """Sentences on what breaks the order: a layer imports what is left of it; inside a folder there is no circle.

    `limits` has the layers that may import even less, with what they may import.
    """
    counted = [each for each in package.imports if (each.source, each.target) not in exceptions]
    places = {_layer(file) for file in package.files}
    return [
        *(f"{name} has no place in the order: decide what it may import" for name in sorted(places - {*order})),
        *(f"{name} is in the order, but not in the package" for name in order if name not in places),
        *(f"{name} is in the order twice" for name in sorted({*order}) if list(order).count(name) > 1),
        *_to_the_right(counted, {name: place for place, name in enumerate(order)}),
        *_beyond(counted, limits),
        *_circles(counted),
    ]


def _layer(file: str) -> str:
    first, slash, _ = file.partition("/")
    return first + slash


def _to_the_right(imports: Iterable[Import], places: Mapping[str, int]) -> Iterator[str]:
    for source, target, _ in imports:
        here, there = _layer(source), _layer(target)
        if here in places and there in places and places[here] < places[there]:
            yield f"{source} imports {target}, but {there} is to the right of {here}"


def _beyond(imports: Iterable[Import], limits: Mapping[str, Collection[str]]) -> Iterator[str]:
    for source, target, _ in imports:
        here, there = _layer(source), _layer(target)
        if here in limits and there not in (here, *limits[here]):
            yield f"{source} imports {target}, but {here} knows only {', '.join(sorted(limits[here])) or 'itself'}"


def _circles(imports: Sequence[Import]) -> Iterator[str]:
    """A circle in each folder that has one, between its files and its folders, which count as one each."""
    folders = {str(parent) for each in imports for parent in PurePosixPath(each.source).parents} - {"."}
    for folder in sorted(folders):
        graph: dict[str, set[str]] = {}
        for source, target, _ in imports:
            here, there = _child(source, folder), _child(target, folder)
            if here and there and here != there:
                graph.setdefault(here, set()).add(there)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            yield f"{folder}/ has a circle: {' imports '.join(error.args[1][::-1])}"


def _child(file: str, folder: str) -> str:
    """The file or the folder in a folder to which a file belongs; nothing if it lies elsewhere."""
    inside = file.removeprefix(f"{folder}/")
    return "" if inside == file else _layer(inside)
