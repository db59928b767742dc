"""The Python target: the kernels as they stand, on records that are views on arrays. Slow, for checking."""

from __future__ import annotations

import functools
from typing import Any

from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.modules import Library


class Program:
    """The functions of one model, called with records and numpy arrays; `kernels` has the modules they are in."""

    def __init__(self, library: Library, entry_points: tuple[str, ...]) -> None:
        self.kernels = library
        for name in entry_points:
            setattr(self, name.partition(".")[2], library.function(name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name} is no entry point of this program")


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program:
    """The kernels of a generated module."""
    return Program(generated.library(), kernels.entry_points)
