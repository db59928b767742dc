"""The CPU target: the joined module as machine code, kept beside its source."""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stickslip.targets import join

ENTRY_POINTS = {
    "begin": "WI",
    "march": "WInWWnnI",
    "propagate": "WIffnnWWWI",
    "ingredients": "WI",
}
"""Functions called from Python: per argument W (float array), I (int array), n (int) or f (float)."""

SUMS = ("value_of", "size_of", "end_of")
"""Sums whose order does not matter: they may be vectorised."""

_ARGUMENT = {"W": ctypes.c_void_p, "I": ctypes.c_void_p, "n": ctypes.c_int64, "f": ctypes.c_double}


class Program:
    """Compiled functions of one model, called with numpy arrays, and its constants."""

    def __init__(self, module: Any, engine: Any) -> None:
        self._module, self._engine = module, engine
        for name, arguments in ENTRY_POINTS.items():
            result = ctypes.c_int64 if name in ("begin", "march") else None
            kind = ctypes.CFUNCTYPE(result, *(_ARGUMENT[a] for a in arguments))
            setattr(self, name, _called(kind(engine.get_function_address(name))))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _called(function: Any) -> Any:
    """Arrays are passed by address; the interpreter lock is free while the function runs."""

    def call(*arguments: Any) -> Any:
        return function(*[a.__array_interface__["data"][0] if isinstance(a, np.ndarray) else a for a in arguments])

    return call


@cache
def program(path: Path) -> Program:
    """Machine code of a joined module, from the cache where possible."""
    from stickslip.targets import compiler

    module = join.load(path)
    mark = hashlib.sha256(compiler.machine_name().encode()).hexdigest()[:12]
    stored = path.with_suffix(f".{mark}.o")
    if not stored.exists():
        source = path.read_text(encoding="utf-8")
        join.write(stored, compiler.object_code(source, vars(module), tuple(ENTRY_POINTS), SUMS))
    return Program(module, compiler.loaded(stored.read_bytes()))
