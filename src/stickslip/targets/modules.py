"""The kernels of one model: every kernel file as a module of its own, which sees the generated `model`.

Kernel files are plain modules that import each other and `stickslip.kernels.model`. Here each is executed once per
model, with the generated module in the place of that one; so a name belongs to its file, and errors know their lines.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

PACKAGE = "stickslip.kernels"
FOLDER = Path(__file__).parents[1] / "kernels"
SHARED = frozenset(["records", "outcome"])
"""Kernel files that know nothing of a model: all models have them in common."""


@functools.cache
def code_of(name: str) -> CodeType:
    """The code of a kernel file, from Python's own cache where that has it."""
    spec = importlib.util.find_spec(f"{PACKAGE}.{name}")
    assert spec is not None and spec.loader is not None
    code: CodeType = spec.loader.get_code(f"{PACKAGE}.{name}")  # type: ignore[attr-defined]
    return code


@functools.cache
def functions_of(name: str) -> dict[str, ast.FunctionDef]:
    """The functions of a kernel file, as syntax."""
    return functions_in((FOLDER / f"{name}.py").read_text(encoding="utf-8"))


def functions_in(text: str) -> dict[str, ast.FunctionDef]:
    """The functions of a text."""
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


class Library:
    """The kernel modules of one model, each executed when it is first imported.

    `generated` has code and text of the modules that are written for it, by the kernel file they stand for. `choices`
    are constants that a target sets before anything is executed, by module: {"machine": {"LANES": 8}}.
    """

    def __init__(
        self,
        generated: Mapping[str, tuple[CodeType, str]],
        choices: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._generated, self._choices = generated, choices or {}
        self._modules: dict[str, ModuleType] = {}
        self._syntax: dict[str, dict[str, ast.FunctionDef]] = {}
        self._builtins = vars(builtins) | {"__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """A kernel module that sees this model."""
        if name in SHARED:
            return importlib.import_module(f"{PACKAGE}.{name}")
        for first in self._generated if name not in self._generated else ():
            self.module(first)  # layouts need its sizes, and it needs the layouts: so it is the one to begin with
        if name not in self._modules:
            module = self._modules[name] = ModuleType(f"{PACKAGE}.{name}")
            vars(module)["__builtins__"] = self._builtins
            vars(module)["__file__"] = f"{name}.py"
            exec(self._generated[name][0] if name in self._generated else code_of(name), vars(module))
            vars(module).update(self._choices.get(name, {}))
        return self._modules[name]

    def function(self, name: str) -> FunctionType:
        """A function by the name of its file and its own: "march.begin"."""
        file, own = name.split(".")
        found: FunctionType = getattr(self.module(file), own)
        return found

    def syntax(self, function: FunctionType) -> ast.FunctionDef:
        """A function as it is written."""
        file = function.__module__.rpartition(".")[2]
        return (self._written(file) if file in self._generated else functions_of(file))[function.__name__]

    def _written(self, name: str) -> dict[str, ast.FunctionDef]:
        if name not in self._syntax:
            self._syntax[name] = functions_in(self._generated[name][1])
        return self._syntax[name]

    def forget_syntax(self) -> None:
        """What was generated is compiled now: its syntax takes megabytes, and is not asked for again."""
        self._syntax.clear()

    def __getattr__(self, name: str) -> ModuleType:
        """A kernel module, as an attribute."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self.module(name)

    def _import(self, name: str, namespace: Any = None, scope: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if name == PACKAGE:
            return SimpleNamespace(**{each: self.module(each) for each in wanted})
        if name.startswith(f"{PACKAGE}."):
            return self.module(name.removeprefix(f"{PACKAGE}."))
        return builtins.__import__(name, namespace, scope, wanted, level)
