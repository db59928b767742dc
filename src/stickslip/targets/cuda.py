"""The CUDA target: the same joined module, one trajectory per thread of a GPU, through numba-cuda.

Every function of the module becomes a device function as it stands. The work arrays W and I of a trajectory are local
memory of its thread, which the hardware lays out so that neighbouring threads read neighbouring words. Only the loops
over trajectories are replaced, by kernels that take one trajectory each; all else is the text that the CPU runs.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from stickslip.targets import join

THREADS = 64
"""Threads of a block: few, since each needs many registers."""

_PROPAGATE = """
def propagate_kernel(rtol, t_start, t_end, most_steps, count, starts, parameters, ends, outcome):
    point = cuda.grid(1)
    if point < count:
        W = cuda.local.array(FLOATS, float64)
        I = cuda.local.array(INTEGERS, int64)
        for i in range(FLOATS):
            W[i] = 0.0
        for i in range(INTEGERS):
            I[i] = 0
        W[TOLERANCE] = rtol
        propagate_point(W, I, t_start, t_end, most_steps, point, starts, parameters, ends, outcome)
"""
_OBSERVE = """
def observe_kernel(choice, settings, count, starts, held, parameters, times, rows, numbers, measures):
    point = cuda.grid(1)
    if point < count:
        W = cuda.local.array(FLOATS, float64)
        I = cuda.local.array(INTEGERS, int64)
        steps = cuda.local.array(STEP_WIDTH, float64)
        events = cuda.local.array(EVENT_ROOM, float64)
        filled = cuda.local.array(2, int64)
        history = cuda.local.array(HISTORY_ROOM, float64)
        tally = cuda.local.array(TALLY, int64)
        observe_point(
            W, I, choice, settings, point, starts, held, parameters, times, steps, events, filled, history, tally,
            rows, numbers, measures,
        )
"""


class CudaError(RuntimeError):
    """A GPU that is not there, or not usable; the message says what is missing."""


def _numba() -> Any:
    vars(np).setdefault("row_stack", np.vstack)  # numba-cuda 0.30 asks for a name that numpy 2.5 no longer has
    try:
        numba = importlib.import_module("numba")
        cuda = importlib.import_module("numba.cuda")
    except ImportError:
        raise CudaError("target='cuda' needs numba-cuda: pip install 'stickslip[gpu]'") from None
    if not cuda.is_available():
        raise CudaError("target='cuda' needs a CUDA GPU with its driver; this machine has none that can be used")
    return SimpleNamespace(cuda=cuda, float64=numba.float64, int64=numba.int64)


class Program:
    """The functions and constants of one model; `propagate` and `observe` run on the GPU, with the CPU's arguments."""

    def __init__(self, module: Any) -> None:
        numba = _numba()
        self.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
        self._cuda = numba.cuda
        self._names = dict(vars(module)) | vars(numba)
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__globals__ is vars(module):
                self._names[name] = numba.cuda.jit(device=True)(FunctionType(value.__code__, self._names, name))
        if "observe" in module.ENTRY_POINTS:
            self._names["EVENT_ROOM"] = (module.N_CONTACTS + 1) * module.EVENT_WIDTH
            self._names["HISTORY_ROOM"] = 2 * module.HISTORY * module.HISTORY_WIDTH
            self.observe = self._observe
        if "propagate" in module.ENTRY_POINTS:
            self.propagate = self._propagate

    @cache  # noqa: B019 - programs live as long as the process
    def _kernel(self, text: str, name: str) -> Any:
        exec(compile(text, f"<{name}>", "exec"), self._names)  # our own text, above
        return self._cuda.jit(self._names[name])

    def _launch(self, kernel: Any, count: int, *arguments: Any) -> list[Any]:
        """Run a kernel with arrays on the device; what it writes into comes back into the arrays."""
        on_device = [self._cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel[(count + THREADS - 1) // THREADS, THREADS](*on_device)
        return on_device

    def _propagate(
        self, W: Any, _: Any, t_start: float, t_end: float, most_steps: int, count: int, *arrays: Any
    ) -> None:
        starts, parameters, ends, outcome = arrays
        kernel = self._kernel(_PROPAGATE, "propagate_kernel")
        rtol = float(W[self.TOLERANCE])  # type: ignore[attr-defined]
        device = self._launch(kernel, count, rtol, t_start, t_end, most_steps, count, starts, parameters, ends, outcome)
        device[-2].copy_to_host(ends)
        device[-1].copy_to_host(outcome)

    def _observe(self, W: Any, integers: Any, choice: Any, settings: Any, count: int, *arrays: Any) -> None:
        starts, held, parameters, times, _, _, _, _, _, rows, numbers, measures = arrays
        kernel = self._kernel(_OBSERVE, "observe_kernel")
        device = self._launch(
            kernel, count, choice, settings, count, starts, held, parameters, times, rows, numbers, measures
        )
        device[3].copy_to_host(starts)
        for there, here in zip(device[-3:], (rows, numbers, measures), strict=True):
            there.copy_to_host(here)


@cache
def program(path: Path) -> Program:
    """The joined module, ready to run on the GPU."""
    return Program(join.load(path))
