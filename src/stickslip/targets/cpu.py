"""The CPU target: the kernels of a model as machine code, kept beside its source."""

from __future__ import annotations

import ctypes
import functools
import gc
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from stickslip.targets import cache
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.interrupt import interruptible
from stickslip.targets.lower import SUFFIXES, Flat, Lowering, flat_parameters, parameters_of, sizes_of
from stickslip.targets.modules import Library
from stickslip.targets.source import Function

SUMS = (
    "polynomial__rate_of",
    "polynomial__size_of",
    "polynomial__end_of",
    "polynomial__bend_of",
    "dense__product_of",
)
"""Sums whose order does not matter: they may be vectorised."""

ALL_LANES = "for_all_lanes"
"""The name of the function that is written out."""

_TYPES: dict[str, Any] = {
    "Floats": ctypes.c_void_p,
    "Ints": ctypes.c_void_p,
    "int": ctypes.c_int64,
    "float": ctypes.c_double,
    "bool": ctypes.c_bool,
}
_RESULTS: dict[Any, Any] = {int: ctypes.c_int64, float: ctypes.c_double, bool: ctypes.c_bool, type(None): None}


LONG = (
    "propagate",
    "observe",
    "measure_growth",
    "next_releases",
    "propagate_lanes",
    "travel_transients",
    "go_on_observed",
)
"""Functions that may take long: they look at `halt` of the record that is their first argument."""


class Program:
    """Compiled functions of one model, called with records and numpy arrays; `kernels` has the modules they are in.

    Those that may take long are ended by Ctrl-C; `at_once` has them without that, and without what it costs, for work
    that is known to be short.
    """

    def __init__(self, library: Library, entry_points: tuple[str, ...], engine: Any, checked: bool = False) -> None:
        self.kernels, self._engine = library, engine
        self.at_once = SimpleNamespace()
        for name in entry_points:
            own, function = name.partition(".")[2], library.function(name)
            called = self.connected(compiled_function(function, engine.get_function_address(flat_name(name)), checked))
            setattr(self.at_once, own, called)
            setattr(self, own, _ended_by_user(called) if own in LONG else called)

    def connected(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What a call does besides calling the function: here nothing."""
        return function


def flat_name(entry_point: str) -> str:
    """The name that "file.function" has when it is compiled."""
    return entry_point.replace(".", "__")


def compiled_function(function: FunctionType, address: int, checked: bool) -> Callable[..., Any]:
    """A compiled function; records and arrays are passed by address, and the interpreter lock is free meanwhile."""
    parameters = parameters_of(function)
    flat = [kind for name, (what, of) in parameters.items() for _, kind in flat_parameters(name, what, of, checked)]
    result = typing.get_type_hints(function)["return"]
    compiled = ctypes.CFUNCTYPE(_RESULTS[result], *(_TYPES[kind] for kind in flat))(address)
    passes = [_passed(what, of, checked) for what, of in parameters.values()]

    def call(*arguments: Any) -> Any:
        return compiled(*[part for pass_on, one in zip(passes, arguments, strict=True) for part in pass_on(one)])

    return call


def _passed(what: str, of: Any, checked: bool) -> Callable[[Any], Sequence[Any]]:
    """How an argument is passed: a number as it is, arrays by address, and in a checked build with their lengths."""
    if what == "number":
        return lambda one: (one,)
    if what == "array":
        return (lambda one: (_address(one), len(one))) if checked else lambda one: (_address(one),)
    fields = [SUFFIXES[kind] for kind in sizes_of(of)]
    if checked and what == "many":
        return lambda one: [*_addresses(one, fields), len(one)]
    return lambda one: _addresses(one, fields)


def _addresses(record: Any, fields: Sequence[str]) -> list[int]:
    """Where the arrays of a record, or of several, lie: they have the same ones as long as they live."""
    known: dict[str, int] | None = vars(record).get("_addresses")
    if known is None:
        known = vars(record)["_addresses"] = {name: _address(getattr(record, name)) for name in SUFFIXES.values()}
    return [known[name] for name in fields]


def _ended_by_user(function: Any) -> Any:
    def call(first: Any, *rest: Any) -> Any:
        return interruptible(lambda: function(first, *rest), first.halt, 0)

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


def flat_functions(library: Library, kernels: KernelSet, checked: bool = False) -> Flat:
    """The functions of a kernel set, flat; that for all lanes at once is written out."""
    provided = {kernels.for_all_lanes: ALL_LANES} if kernels.for_all_lanes else {}
    lowering = Lowering(library, checked, provided)
    for name in kernels.entry_points:
        lowering.add(library.function(name))
    if kernels.tick:
        from stickslip.targets.unroll import written_out

        tick = written_out(lowering.flat, lowering.add(library.function(kernels.tick)), ALL_LANES)
        lowering.flat.functions[ALL_LANES] = Function(tick, f"{kernels.tick.partition('.')[0]}.py")
    library.forget_syntax()
    return lowering.flat


@contextmanager
def garbage_kept() -> Iterator[None]:
    """No collection of garbage meanwhile: looking through all that a compiler makes takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def library_of(generated: Generated, kernels: KernelSet) -> Library:
    """The modules that kernels see, with what is chosen for them and for this machine."""
    from stickslip.targets import compiler

    return generated.library({"machine": {"LANES": compiler.lanes(), **dict(kernels.choices)}})


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program:
    """Machine code of the kernels of a generated module, from the cache where possible."""
    from stickslip.targets import compiler

    library = library_of(generated, kernels)

    def compiled() -> bytes:
        with garbage_kept():
            flat = flat_functions(library, kernels)
            names = [flat_name(name) for name in kernels.entry_points]
            lanes = library.machine.LANES
            return compiler.machine_code(
                compiler.Translator(flat.functions, flat.arrays, {}, names, SUMS, lanes, (ALL_LANES,)).module
            )

    made_for = "|".join(map(str, (compiler.machine_name(), kernels.entry_points, *kernels.choices)))
    code = cache.kept(generated.part(made_for, "o"), compiled)
    return Program(library, kernels.entry_points, compiler.loaded(code))
