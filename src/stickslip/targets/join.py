"""Joins the generated functions of a model with the kernels into one module, and loads it.

Its name carries a hash of all that it is made from, so nothing stale is found under it in the cache.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import marshal
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import stickslip
from stickslip.errors import CompileError
from stickslip.targets import cache


@dataclass(frozen=True)
class KernelSet:
    """Kernel files that are joined for one method, and the functions called from outside."""

    name: str
    files: tuple[str, ...]
    entry_points: tuple[str, ...]
    tangent: bool = False
    replaced: tuple[str, ...] = ()
    """Functions of the first files that a later one has in a form of its own."""


EXACT = KernelSet(
    "exact",
    ("machine", "clock", "tables", "chance", "linear", "polynomial", "bristles", "step", "mode", "march", "ensemble"),
    ("constants", "ingredients", "begin", "march", "propagate"),
)
TANGENT = KernelSet(
    "tangent",
    (*EXACT.files, "tangent", "phase"),
    (*EXACT.entry_points, "flow", "end_variations", "enter_modes"),
    tangent=True,
)
NEIGHBOURS = KernelSet(
    "neighbours",
    (*TANGENT.files, "exponents", "returns"),
    (*TANGENT.entry_points, "carry_on", "next_releases"),
    tangent=True,
)
OBSERVE = KernelSet("observe", (*EXACT.files, "observe"), ("constants", "ingredients", "begin", "march", "observe"))
LANES = KernelSet(
    "lanes",
    (
        "machine",
        "clock",
        "circular",
        "lockevents",
        "lockextent",
        "lockrepeat",
        "lockstep",
        "lockensemble",
        "observe",
        "lockwatch",
    ),
    ("constants", "ingredients", "propagate_lanes", "observe_lanes"),
)
FIXED = KernelSet("fixed", (*EXACT.files, "reach", "fixed"), ("constants", "ingredients", "begin", "march_fixed"))
PACKAGE = Path(stickslip.__file__).parent
_IMPORT = re.compile(r"^from stickslip\.kernels\.\w+ import (\([^)]*\)|[^\n]*)\n", re.MULTILINE)
_PROLOGUE = """\
from __future__ import annotations

from math import atan, comb, copysign, cos, cosh, exp, floor, frexp, inf, isfinite, ldexp, log, nan, pi
from math import sin, sinh, sqrt, tan, tanh

import numpy as np
"""


@functools.cache
def sources_hash() -> str:
    """A hash of everything that shapes a compiled module, so that a changed library compiles anew."""
    digest = hashlib.sha256(sys.version.encode())
    for folder in ("model", "symbolic", "kernels", "targets"):
        for file in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def kernel_text(name: str) -> str:
    """The text of one kernel file without its imports: the joined module has those at its top."""
    text = (PACKAGE / "kernels" / f"{name}.py").read_text(encoding="utf-8")
    text = _IMPORT.sub("", text)
    return re.sub(r"^(import|from) .*\n", "", text, flags=re.MULTILINE)


@functools.cache
def names_of(file: str) -> frozenset[str]:
    """The constants and functions that a kernel file defines."""
    targets: list[ast.expr] = []
    names: set[str] = set()
    for node in ast.parse(kernel_text(file)).body:
        targets += node.targets if isinstance(node, ast.Assign) else []
        names |= {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()
    return frozenset(names | {name.id for each in targets for name in ast.walk(each) if isinstance(name, ast.Name)})


@functools.cache
def check_names(kernels: KernelSet) -> None:
    """Refuse files that mean different things by one name: joined, the last one would hold for all."""
    home: dict[str, str] = {}
    for file in ("outcome", *kernels.files):
        for name in names_of(file):
            if home.setdefault(name, file) != file and name not in kernels.replaced:
                raise CompileError(f"{name} is defined in kernels/{home[name]}.py and in kernels/{file}.py: rename one")


def joined(model_source: str, kernels: KernelSet) -> str:
    """Model functions and kernels in one text; how runs end comes first, since a model says where its own do."""
    check_names(kernels)
    names = f"ENTRY_POINTS = {kernels.entry_points!r}"
    texts = (kernel_text(name) for name in kernels.files)
    return "\n\n".join([_PROLOGUE, names, kernel_text("outcome"), model_source, *texts])


def joined_lanes(model_source: str | None, kernels: KernelSet) -> str:
    """Model functions and the kernels of lockstep, with its tick written out; a note where the model is not for it."""
    from stickslip.targets.unroll import unrolled

    if model_source is None:
        return "SERVES = False\n"
    text = "\n\n".join([joined(model_source, kernels), "SERVES = True"])
    values: dict[str, Any] = {}
    exec(compile(text, "<lockstep>", "exec"), values)  # our own text, to have its constants
    tick = unrolled(text, values, "tick", "lane_tick", values["KEPT"], values["Q"])
    return "\n\n".join([text, tick])


def joined_jacobian(source: str) -> str:
    """Derivatives of a model with the kernel that puts them together."""
    kernel = re.sub(r"^def derivatives.*?\n\n\n", "", kernel_text("jacobian"), flags=re.MULTILINE | re.DOTALL)
    return "\n\n".join([_PROLOGUE, kernel_text("tables"), source, kernel])


def joined_flow(source: str) -> str:
    """Smoothed equations of a model with what tabulated laws need."""
    return "\n\n".join([_PROLOGUE, kernel_text("tables"), source])


def joined_stiff(source: str) -> str:
    """The same with the integrator for them."""
    return "\n\n".join([_PROLOGUE, *map(kernel_text, ("outcome", "tables")), source, kernel_text("collocation")])


class Joined:
    """A joined module in the cache: its name, and how its text is written where it is not there.

    Only what `cache.read` has returned, or was made here, is executed.
    """

    def __init__(self, key: str, written: Callable[[], str]) -> None:
        self.name = f"model_{hashlib.sha256((key + sources_hash()).encode()).hexdigest()[:24]}"
        self._file, self._module_name = f"{self.name}.py", f"stickslip_{self.name}"
        self._written = written

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joined) and other.name == self.name

    @functools.cached_property
    def text(self) -> str:
        """The source: that of the module that runs, once there is one."""
        running: Any = sys.modules.get(self._module_name)
        if running is not None:
            return str(running.__loader__.get_source(self._module_name))
        return cache.kept(self._file, lambda: self._written().encode()).decode()

    def part(self, made_for: str, kind: str) -> str:
        """The name of something made from this very text, for a machine or another purpose."""
        return f"{self.name}.{hashlib.sha256(f'{made_for}|{self.text}'.encode()).hexdigest()[:12]}.{kind}"

    def module(self) -> ModuleType:
        """The module, executed once per process."""
        name = self._module_name
        if name not in sys.modules:
            loader = _Loader(self.text, self._code())
            module = importlib.util.module_from_spec(ModuleSpec(name, loader, origin=self._file))
            module.__file__ = self._file  # no path: tools that look through the files of a program pass it by
            loader.exec_module(module)
            sys.modules.setdefault(name, module)  # where two threads come at a time, both take the first
        return sys.modules[name]

    def _code(self) -> CodeType:
        def compiled() -> bytes:
            return marshal.dumps(compile(self.text, self._file, "exec", dont_inherit=True, optimize=0))

        code: CodeType = marshal.loads(cache.kept(self.part(sys.version, "code"), compiled))
        return code


class _Loader(Loader):
    """Executes a module, and shows its text to tracebacks and `inspect`, also where that lies in no file."""

    def __init__(self, text: str, code: CodeType) -> None:
        self._text, self._code = text, code

    def create_module(self, _: ModuleSpec) -> None:
        """A plain module will do."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, vars(module))

    def get_source(self, _: str) -> str:
        return self._text
