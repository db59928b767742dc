"""Joins the generated functions of a model with the kernels into one module, and keeps it in the cache folder.

The name of the file carries a hash of all that it was made from, so a stale file is never used.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import stickslip
from stickslip.files import whole_file


@dataclass(frozen=True)
class KernelSet:
    """Kernel files that are joined for one method, and the functions called from outside."""

    name: str
    files: tuple[str, ...]
    entry_points: tuple[str, ...]
    tangent: bool = False


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


@cache
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


def joined(model_source: str, kernels: KernelSet) -> str:
    """Model functions and kernels in one text; how runs end comes first, since a model says where its own do."""
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


def cache_folder() -> Path:
    """Where compiled models are kept: $STICKSLIP_CACHE, or the user's cache folder."""
    base = os.environ.get("STICKSLIP_CACHE")
    if base:
        return Path(base)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "stickslip" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "stickslip"


def module_path(key: str) -> Path:
    """The file of the module with that key, in a folder that can be written."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"stickslip-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"model_{hashlib.sha256((key + sources_hash()).encode()).hexdigest()[:24]}.py"


def write(path: Path, content: bytes) -> None:
    """Write a file so that no reader ever sees half of it."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def load(path: Path) -> ModuleType:
    """The module in a file of the cache folder."""
    name = f"stickslip_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
