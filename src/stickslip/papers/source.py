"""The source of an item: its function, with what that uses of its own module; coloured for a page."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from importlib import import_module
from pathlib import Path

from stickslip.notebook import Markup, safe
from stickslip.papers.catalogue import Item

KINDS = {tokenize.STRING: "s", tokenize.NUMBER: "n", tokenize.COMMENT: "c"}
"""Classes of the page, by the kinds of words that they colour; keywords have "k", names that are defined "d"."""


def source_of(item: Item) -> str:
    """The function of an item and, in the order of the file, the constants and functions beside it that it uses.

    >>> from stickslip.papers import paper
    >>> print(source_of(paper("leine1998").choose(["fig2"])[0]).splitlines()[0])
    def fig2(quick: bool) -> Found:
    """
    text = file_of(item).read_text(encoding="utf-8")
    statements = ast.parse(text).body
    homes = {name: number for number, each in enumerate(statements) for name in _defined(each)}
    needed, open_ = set[int](), [homes[item.function.partition(".")[2]]]
    while open_:
        number = open_.pop()
        needed.add(number)
        names = {node.id for node in ast.walk(statements[number]) if isinstance(node, ast.Name)}
        open_ += [homes[name] for name in names & homes.keys() if homes[name] not in needed]
    return _joined(statements, sorted(needed), text.splitlines())


def file_of(item: Item) -> Path:
    """The file in which the function of an item is."""
    module = import_module(f"stickslip.papers.{item.paper}.{item.function.partition('.')[0]}")
    return Path(str(module.__file__))


def coloured(source: str) -> Markup:
    """Python as HTML: keywords, strings, numbers, comments and what is defined each in a class of its own.

    >>> coloured("x = 1")
    'x = <span class="n">1</span>'
    """
    lines = source.splitlines(keepends=True)
    made, row, column, before = list[str](), 1, 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT):
            continue
        made.append(safe(_between(lines, (row, column), token.start)))
        kind = _kind(token, before)
        made.append(f'<span class="{kind}">{safe(token.string)}</span>' if kind else safe(token.string))
        (row, column), before = token.end, token.string
    return Markup("".join(made).rstrip())


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _joined(statements: list[ast.stmt], numbers: list[int], lines: list[str]) -> str:
    """Statements as they stand in the file, with their decorators and the sentence below a constant."""
    made: list[str] = []
    for number in numbers:
        statement, following = statements[number], statements[number + 1 : number + 2]
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        last = int(statement.end_lineno or first)
        if isinstance(statement, ast.Assign) and following and _is_sentence(following[0]):
            last = int(following[0].end_lineno or last)
        gap = "" if not made else "\n" if isinstance(statement, ast.Assign) else "\n\n"
        made.append(gap + "\n".join(lines[first - 1 : last]) + "\n")
    return "".join(made)


def _is_sentence(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _between(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    """What stands between two words: blanks."""
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1] : end[1]] if begin[0] <= len(lines) else ""
    rest = [lines[begin[0] - 1][begin[1] :], *lines[begin[0] : end[0] - 1]]
    return "".join(rest) + (lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else "")


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    if token.type == tokenize.NAME:
        return "d" if before in ("def", "class") else "k" if keyword.iskeyword(token.string) else ""
    name = tokenize.tok_name[token.type]
    return "s" if name.startswith("FSTRING") else KINDS.get(token.type, "")
