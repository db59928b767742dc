"""The CPU target: the joined module as machine code, kept beside its source."""

from __future__ import annotations

import ctypes
import functools
from types import SimpleNamespace
from typing import Any

import numpy as np

from stickslip.targets import cache, join
from stickslip.targets.interrupt import interruptible

SUMS = ("rate_of", "size_of", "end_of", "bend_of", "product_of")
"""Sums whose order does not matter: they may be vectorised."""

_TYPES: dict[str, Any] = {
    "Floats": ctypes.c_void_p,
    "Ints": ctypes.c_void_p,
    "int": ctypes.c_int64,
    "float": ctypes.c_double,
    "bool": ctypes.c_bool,
    "None": None,
}


LONG = ("propagate", "propagate_lanes", "observe", "observe_lanes", "carry_on", "next_releases")
"""Functions that may take long: they look at HALT in their second argument."""


class Program:
    """Compiled functions of one model, called with numpy arrays, and its constants.

    Those that may take long are ended by Ctrl-C; `at_once` has them without that, and without what it costs, for work
    that is known to be short.
    """

    def __init__(self, module: Any, engine: Any) -> None:
        self._engine = engine
        self.at_once = SimpleNamespace()
        self.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
        for name in module.ENTRY_POINTS:
            kinds = dict(getattr(module, name).__annotations__)
            result = _TYPES[kinds.pop("return")]
            signature = ctypes.CFUNCTYPE(result, *(_TYPES[kind] for kind in kinds.values()))
            function = _called(signature(engine.get_function_address(name)))
            setattr(self.at_once, name, function)
            setattr(self, name, _ended_by_user(function, module.HALT) if name in LONG else function)


def _called(function: Any) -> Any:
    """Arrays are passed by address; the interpreter lock is free while the function runs."""

    def call(*arguments: Any) -> Any:
        return function(*[_address(a) if isinstance(a, np.ndarray) else a for a in arguments])

    return call


def _ended_by_user(function: Any, place: int) -> Any:
    def call(floats: Any, integers: Any, *rest: Any) -> Any:
        return interruptible(lambda: function(floats, integers, *rest), integers, place)

    return call


def _address(array: Any) -> int:
    """Where an array lies; the quick way asks for one that is writable and not empty."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):
        return int(array.__array_interface__["data"][0])


def aligned(count: int) -> Any:
    """So many zeros that begin where a cache line does, as vectors want it."""
    room = np.zeros(count + 8)
    begin = -int(room.__array_interface__["data"][0]) % 64 // 8
    return room[begin : begin + count]


@functools.cache
def program(joined: join.Joined) -> Program:
    """Machine code of a joined module, from the cache where possible."""
    from stickslip.targets import compiler

    module = joined.module()
    if hasattr(module, "LANES"):
        vars(module)["LANES"] = compiler.lanes()

    def compiled() -> bytes:
        return compiler.object_code(joined.text, vars(module), module.ENTRY_POINTS, SUMS)

    return Program(module, compiler.loaded(cache.kept(joined.part(compiler.machine_name(), "o"), compiled)))
