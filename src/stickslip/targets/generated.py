"""Generated modules: the text that is written for a model, kept in the cache, and executed.

Its name carries a hash of all that it is made from, so nothing stale is found under it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import marshal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import stickslip
from stickslip.targets import cache
from stickslip.targets.modules import Library


@dataclass(frozen=True)
class KernelSet:
    """The functions of kernels that a method calls, as "file.function"; whether they carry small changes along.

    `tick` is a function that is written out for all lanes at once (`targets/unroll.py`), and `for_all_lanes` the one
    that it takes the place of. `choices` are those of kernels/machine.py that differ.
    """

    name: str
    entry_points: tuple[str, ...]
    tangent: bool = False
    tick: str | None = None
    for_all_lanes: str | None = None
    choices: tuple[tuple[str, int], ...] = ()


_MODEL = ("model.constants", "model.ingredients")
EXACT = KernelSet("exact", (*_MODEL, "march.begin", "march.march", "ensemble.propagate"))
TANGENT = KernelSet(
    "tangent",
    (*EXACT.entry_points, "phase.flow", "phase.end_phase", "phase.sample_phase", "tangent.enter_modes"),
    tangent=True,
)
NEIGHBOURS = KernelSet(
    "neighbours", (*TANGENT.entry_points, "exponents.measure_growth", "returns.next_releases"), tangent=True
)
OBSERVE = KernelSet("observe", (*_MODEL, "march.begin", "march.march", "observe.observe"))
LANES = KernelSet(
    "lanes",
    ("lockensemble.propagate_lanes", "lockobserve.travel_transients", "lockobserve.go_on_observed"),
    tick="lockstep.advance",
    for_all_lanes="lockstep.advance_all",
)
SECTIONS = replace(LANES, name="sections", choices=(("SECTIONS", 1),))
_FLOW = ("flow.rates", "flow.slopes", "flow.exchanged", "flow.exchange_slopes", "flow.observed", "flow.characteristics")
SMOOTH = KernelSet("smooth", _FLOW)
STIFF = KernelSet("stiff", (*_FLOW, "flow.slopes_p", "stiff.begin", "stiff.integrate"))
FIXED = KernelSet("fixed", (*_MODEL, "march.begin", "fixed.march_fixed"))

PLAIN = """\
from __future__ import annotations

from math import atan, copysign, cos, cosh, exp, inf, log, nan, pi, sin, sinh, sqrt, tan, tanh

import numpy as np

from stickslip.kernels.tables import table_slope, table_value
"""
PACKAGE = Path(stickslip.__file__).parent


@functools.cache
def sources_hash() -> str:
    """A hash of everything that shapes a compiled module, so that a changed library compiles anew."""
    digest = hashlib.sha256(sys.version.encode())
    for folder in ("model", "symbolic", "kernels", "targets"):
        for file in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def plain(source: str) -> str:
    """The text of a module that is run as it is, and compiled with no kernels."""
    return f"{PLAIN}\n\n{source}"


class Generated:
    """A generated module in the cache: its name, and how its text is written where it is not there.

    `place` is the kernel file that it stands for, such as "model". Only what `cache.read` has returned, or was made
    here, is executed.
    """

    def __init__(self, key: str, written: Callable[[], str], place: str = "model") -> None:
        self.name = f"model_{hashlib.sha256((key + sources_hash()).encode()).hexdigest()[:24]}"
        self.place = place
        self._file, self._module_name = f"{self.name}.py", f"stickslip_{self.name}"
        self._written = written

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Generated) and other.name == self.name

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

    def library(self, choices: Mapping[str, Mapping[str, Any]] | None = None) -> Library:
        """The kernels that see this module, with what a target chooses."""
        return Library({self.place: (self._code(), self.text)}, choices)

    def module(self) -> ModuleType:
        """The module by itself, for those that stand for no kernel file; executed once per process."""
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
