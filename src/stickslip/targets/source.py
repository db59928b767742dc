"""A function before it is translated, and how what is wrong with it is said."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stickslip.errors import CompileError

SHOWN = 110
"""Longer source is cut off in messages."""


@dataclass(frozen=True)
class Function:
    """One function before translation, and the file that it comes from."""

    node: ast.FunctionDef
    file: str

    def error(self, sentence: str, node: ast.AST, line: int | None = None) -> CompileError:
        """What is wrong, with file, line and source; written nodes may have no line, then the given one counts."""
        line = getattr(node, "lineno", line or getattr(self.node, "lineno", 0))
        source = ast.unparse(node).split("\n")[0]
        shown = source if len(source) <= SHOWN else f"{source[:SHOWN]} …"
        return CompileError(f"{self.file}:{line}, in {self.node.name}: {sentence}\n    {shown}")
