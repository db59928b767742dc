"""The CUDA target: the same kernels, one trajectory per thread of a GPU.

The loops over trajectories are kernels of their own (kernels/crew.py for lockstep, kernels/alone.py for the march), which
call what the CPU runs. They are translated by `ptx.py`, assembled once, kept in the cache, and launched by `device.py`.
The trajectory of a thread is local memory, which the hardware lays out so that neighbouring threads read neighbouring
words; in lockstep its lane is shared memory, side by side with those of its neighbours.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite
import numpy as np

from stickslip.kernels.outcome import FINISHED
from stickslip.targets import cache, device, ptx
from stickslip.targets.cpu import flat_name
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.lower import SUFFIXES, Lowering, parameters_of, sizes_of
from stickslip.targets.modules import Library
from stickslip.targets.precision import NONE, first_in_single, in_two_precisions
from stickslip.targets.source import Function
from stickslip.targets.unroll import written_out

THREADS = 64
"""Threads of a block: few, since each needs many registers."""

BLOCKS_PER_PROCESSOR = 6
"""Blocks that are resident; in lockstep each of their threads takes point after point."""

REGISTERS = 168
"""So many registers per thread let that many blocks be resident; the tick of a model with two contacts wants more."""

PARTS = 2
"""In so many parts the points of a sweep are done, so that the processors are busy while the last of a part end."""

NO_PATIENCE = 0.0
"""Those of a warp that are not alike do not wait for each other."""

MOST_LEFT = 0.05
"""Where more is left, numbers may have been too large or too small for single precision."""

TRAVELLING = {"TOGETHER": 0, "OBSERVED": 0, "REPEATS": 1}
WATCHING = {"TOGETHER": 0, "OBSERVED": 1, "REPEATS": 0}
"""Choices of the ticks of lockstep: one that does not observe is shorter."""

ELEMENTARY = tuple(f"elementary.{name}" for name in (*ptx.ELEMENTARY.values(), "power"))
TICK = "tick"


class Kernels:
    """The kernels of a generated module, for an architecture; each is named by its file and its own name."""

    def __init__(self, generated: Generated, architecture: ptx.Architecture) -> None:
        self.architecture = architecture
        self._generated = generated

    @functools.cache  # noqa: B019 - kernels live as long as the process
    def library(self, name: str) -> Library:
        """The modules that a kernel sees. Every thread of a block has a lane."""
        choices = WATCHING if name == "crew.watch_kernel" else TRAVELLING
        library = self._generated.library({"machine": {"LANES": THREADS, **choices}})
        library.module("model")  # before those files that it and they import from each other
        return library

    def code(self, name: str, first: int = NONE) -> bytes:
        """The code of a kernel; of one of lockstep with single precision from the order `first` on."""
        library = self.library(name)
        in_lockstep = name.startswith("crew.")
        lowering = Lowering(library, provided={"crew.advance_thread": TICK})
        for each in (name, *ELEMENTARY):
            lowering.add(library.function(each))
        if in_lockstep:
            lowering.flat.functions[TICK] = self._tick(lowering, first)
        limited = in_lockstep and library.model.CONTACTS == 1
        kernel = ptx.Kernel(
            flat_name(name), name.partition(".")[2], self._memory(name), THREADS, REGISTERS if limited else None, (TICK,)
        )
        functions, arrays = lowering.flat.functions, lowering.flat.arrays
        return self.architecture.code(ptx.GpuTranslator(functions, arrays, kernel, self.architecture).module)

    def _tick(self, lowering: Lowering, first: int) -> Function:
        """The tick of lockstep, written out, in two precisions; which lane, is an argument."""
        tick = written_out(lowering.flat, lowering.add(lowering.library.function("lockstep.advance")), TICK)
        in_two_precisions(tick, first)
        tick.args.args.append(ast.arg("lane", ast.Name("int", ast.Load())))
        return Function(ast.fix_missing_locations(tick), "lockstep.py")

    def _memory(self, name: str) -> ptx.Memory:
        """What a kernel has besides what it is given; its file says which parameters that are."""
        module = self._module(name)
        of_thread, of_block = {}, {}
        for parameter, (_, of) in parameters_of(self.library(name).function(name)).items():
            for kind, size in sizes_of(of).items() if parameter in module.OF_THREAD else ():
                of_thread[f"{parameter}_{SUFFIXES[kind]}"] = module.OF_THREAD[parameter] * size
            if parameter in module.OF_BLOCK:
                of_block[f"{parameter}_floats"] = THREADS * of.FLOATS
        return ptx.Memory(of_thread, of_block)

    def given(self, name: str) -> dict[str, tuple[str, Any]]:
        """The parameters of a kernel that it is given."""
        parameters, module = parameters_of(self.library(name).function(name)), self._module(name)
        return {name: kind for name, kind in parameters.items() if name not in (*module.OF_THREAD, *module.OF_BLOCK)}

    def _module(self, name: str) -> Any:
        return self.library(name).module(name.partition(".")[0])


class Program:
    """The functions of one model, called as those of the CPU; `propagate` and `observe` run on the GPU, the others as
    they stand."""

    def __init__(
        self, generated: Generated, entry_points: Sequence[str], gpu: device.Device, architecture: ptx.Architecture
    ) -> None:
        self._generated, self._gpu, self._kernels = generated, gpu, Kernels(generated, architecture)
        self.kernels = generated.library()
        for name in entry_points:
            own = name.partition(".")[2]
            setattr(self, own, getattr(self, f"_{own}", self.kernels.function(name)))

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _kernel(self, name: str, first: int = NONE) -> Any:
        """A kernel, assembled and loaded."""
        made_for = f"{name} {first} {self._kernels.architecture.name} {llvmlite.__version__} {self._gpu.software}"
        code = cache.kept(
            self._generated.part(made_for, "cubin"), lambda: self._gpu.assembled(self._kernels.code(name, first))
        )
        return self._gpu.loaded(code, name.partition(".")[2])

    # -- one by one -------------------------------------------------------------------------------------------

    def _propagate(self, trajectory: Any, ensemble: Any, starts: Any, ends: Any) -> int:
        """All of them, without a pause."""
        name, count = "alone.propagate_kernel", int(ensemble.count)
        call = self._call(name, tolerance=float(trajectory.tolerance), ensemble=ensemble, starts=starts, ends=ends)
        self._gpu.launch(self._kernel(name), _blocks_of(count), THREADS, *call.there)
        call.bring("ends")
        return count

    def _observe(
        self, _trajectory: Any, request: Any, courses: Any, _tally: Any, _rings: Any, rows: Any, results: Any
    ) -> None:
        name, count = "alone.observe_kernel", int(request.trajectories)
        call = self._call(name, request=request, courses=courses, rows=rows, results=results)
        self._gpu.launch(self._kernel(name), _blocks_of(count), THREADS, *call.there)
        call.bring("courses", "rows", "results")

    # -- in lockstep ------------------------------------------------------------------------------------------

    def _propagate_lanes(
        self, _trajectory: Any, _lanes: Any, convoy: Any, _queue: Any, starts: Any, ends: Any
    ) -> None:
        name, count = "crew.travel_kernel", int(convoy.count)
        convoy = _copied(convoy)
        convoy.patience = max(convoy.patience, NO_PATIENCE)
        for first in self._precisions(convoy.log_tolerance):
            call = self._call(name, queue=np.zeros(1, np.int64), convoy=convoy, starts=starts, ends=ends)
            self._gpu.launch(self._kernel(name, first), self._blocks(count), THREADS, *call.there)
            call.bring("ends")
            if (ends.column("status") != FINISHED).mean() <= MOST_LEFT:
                return

    def _precisions(self, log_tolerance: float) -> tuple[int, int]:
        """The order from which on single precision is enough; and none, which serves where that has not worked."""
        return first_in_single(self.kernels.model.ORDER, 2.0**log_tolerance), NONE

    def _blocks(self, count: int) -> int:
        """As many blocks as the GPU holds at a time, or as there is work for."""
        return max(1, min(BLOCKS_PER_PROCESSOR * self._gpu.processors, _blocks_of(count)))

    def _call(self, name: str, **given: Any) -> _Call:
        """What a kernel is given, on the GPU."""
        self._gpu.use()
        return _Call(self._gpu, self._kernels.given(name), given)


class _Call:
    """Arguments of a kernel: records and arrays here and on the GPU; numbers."""

    def __init__(self, gpu: device.Device, parameters: Mapping[str, tuple[str, Any]], given: Mapping[str, Any]) -> None:
        self._gpu = gpu
        self._arrays: dict[str, list[tuple[Any, Any]]] = {}
        self.there: list[Any] = []
        """In the order of the parameters."""
        for name, (what, of) in parameters.items():
            for part in _parts(given[name], what, of):
                self.there.append(gpu.sent(part) if isinstance(part, np.ndarray) else part)
                self._arrays.setdefault(name, []).append((self.there[-1], part))

    def bring(self, *names: str) -> None:
        """Wait for the kernel, and for what it has written."""
        for name in names:
            for there, here in self._arrays[name]:
                self._gpu.bring(there, here)
        self._gpu.finish()


def _parts(argument: Any, what: str, of: Any) -> list[Any]:
    """An argument as a kernel is given it: a record as its arrays."""
    if what in ("number", "array"):
        return [argument]
    return [getattr(argument, SUFFIXES[kind]) for kind in sizes_of(of)]


def _copied(record: Any) -> Any:
    """A record of its own."""
    return type(record)(record.floats.copy(), record.integers.copy())


def _blocks_of(count: int) -> int:
    """Blocks for one thread per point."""
    return (count + THREADS - 1) // THREADS


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program:
    """The kernels of a generated module, ready to run on the GPU."""
    gpu = device.device()
    return Program(generated, kernels.entry_points, gpu, ptx.Nvidia(gpu.capability))
