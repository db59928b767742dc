"""The checked target: machine code in which every index is compared with the size that the layout declares.

It is for developers. An index that is out of bounds is an error with file, line and source, after the call in which it
happened; in other targets it would read or write what lies beside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from stickslip.targets import cpu
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.lower import Flat
from stickslip.targets.modules import Library


class Program(cpu.Program):
    """Compiled functions that raise IndexError where an index was out of bounds."""

    def __init__(self, library: Library, entry_points: tuple[str, ...], engine: Any, flat: Flat) -> None:
        from stickslip.targets import compiler

        self._violation, self._sites = compiler.violation(engine), flat.sites
        super().__init__(library, entry_points, engine, checked=True)

    def connected(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, and then a look at what it noted."""

        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            site, index, size = self._violation.tolist()
            if site:
                self._violation[:] = 0
                raise IndexError(f"{self._sites[site]}: the index is {index}, and there are {size}")
            return result

        return call


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program:
    """The kernels of a generated module, compiled with checks; never kept."""
    from stickslip.targets import compiler

    library = cpu.library_of(generated, kernels)
    flat = cpu.flat_functions(library, kernels, checked=True)
    names = [cpu.flat_name(name) for name in kernels.entry_points]
    translated = compiler.Translator(
        flat.functions, flat.arrays, {}, names, cpu.SUMS, library.machine.LANES, (cpu.ALL_LANES,), checked=True
    )
    return Program(library, kernels.entry_points, compiler.loaded(compiler.machine_code(translated.module)), flat)
