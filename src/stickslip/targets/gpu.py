"""The CUDA target: the same kernels, one trajectory per thread of a GPU.

The loops over trajectories are kernels of their own (kernels/crew.py for lockstep, kernels/alone.py for the march), which
call what the CPU runs. They are translated by `ptx.py`, assembled once, kept in the cache, and launched by `device.py`.
The trajectory of a thread is local memory, which the hardware lays out so that neighbouring threads read neighbouring
words; in lockstep its lane is shared memory, side by side with those of its neighbours.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite
import numpy as np

from stickslip.targets import cache, device, ptx
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.cpu import flat_name
from stickslip.targets.lower import SUFFIXES, lowered, parameters_of, sizes_of

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

TICKS = {
    "travel_tick": {"TOGETHER": 0, "OBSERVED": 0, "REPEATS": 1},
    "watch_tick": {"TOGETHER": 0, "OBSERVED": 1, "REPEATS": 0},
}
"""The ticks of lockstep: one that does not observe is shorter."""

TICK_OF = {"travel_kernel": "travel_tick", "transient_kernel": "travel_tick", "watch_kernel": "watch_tick"}


ELEMENTARY = tuple(f"elementary.{name}" for name in (*ptx.ELEMENTARY.values(), "power"))


class Kernels:
    """The kernels of a generated module, for an architecture; each is named by its file and its own name."""

    def __init__(self, generated: Generated, architecture: ptx.Architecture) -> None:
        self.architecture = architecture
        self.library = generated.library({"machine": {"LANES": THREADS}})

    def code(self, name: str) -> bytes:
        """The code of a kernel."""
        flat = lowered(self.library, [name, *ELEMENTARY])
        kernel = ptx.Kernel(flat_name(name), name.partition(".")[2], self.memory(name), THREADS)
        return self.architecture.code(ptx.GpuTranslator(flat.functions, flat.arrays, kernel, self.architecture).module)

    def memory(self, name: str) -> ptx.Memory:
        """What a kernel has besides what it is given; its file says which parameters that are."""
        module = self.library.module(name.partition(".")[0])
        own = {
            parameter: (of, module.OF_THREAD[parameter])
            for parameter, (_, of) in parameters_of(self.library.function(name)).items()
            if parameter in module.OF_THREAD
        }
        return ptx.Memory(
            {
                f"{parameter}_{SUFFIXES[kind]}": count * size
                for parameter, (of, count) in own.items()
                for kind, size in sizes_of(of).items()
            },
            {},
        )

    def given(self, name: str) -> dict[str, tuple[str, Any]]:
        """The parameters of a kernel that it is given."""
        module = self.library.module(name.partition(".")[0])
        return {
            parameter: kind
            for parameter, kind in parameters_of(self.library.function(name)).items()
            if parameter not in module.OF_THREAD
        }


class Program:
    """The functions of one model, called as those of the CPU; `propagate` and `observe` run on the GPU, the others as
    they stand."""

    def __init__(
        self, generated: Generated, entry_points: Sequence[str], gpu: device.Device, architecture: ptx.Architecture
    ) -> None:
        self._generated, self._gpu, self._kernels = generated, gpu, Kernels(generated, architecture)
        self.kernels = self._kernels.library
        for name in entry_points:
            own = name.partition(".")[2]
            setattr(self, own, getattr(self, f"_{own}", self.kernels.function(name)))

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _kernel(self, name: str) -> Any:
        """A kernel, assembled and loaded."""
        self._gpu.use()
        made_for = f"{name} {self._kernels.architecture.name} {llvmlite.__version__} {self._gpu.software}"
        code = cache.kept(
            self._generated.part(made_for, "cubin"), lambda: self._gpu.assembled(self._kernels.code(name))
        )
        return self._gpu.loaded(code, name.partition(".")[2])

    def _propagate(self, trajectory: Any, ensemble: Any, starts: Any, ends: Any) -> int:
        """All of them, without a pause."""
        given = {"tolerance": float(trajectory.tolerance), "ensemble": ensemble, "starts": starts, "ends": ends}
        self._run("alone.propagate_kernel", int(ensemble.count), given, filled=("ends",))
        return int(ensemble.count)

    def _observe(
        self, _t: Any, request: Any, courses: Any, _tally: Any, _rings: Any, rows: Any, results: Any
    ) -> None:
        given = {"request": request, "courses": courses, "rows": rows, "results": results}
        self._run(
            "alone.observe_kernel", int(request.trajectories), given, filled=("rows", "results"), changed=("courses",)
        )

    def _run(
        self,
        name: str,
        count: int,
        given: Mapping[str, Any],
        filled: Sequence[str],
        changed: Sequence[str] = (),
    ) -> None:
        """Launch a kernel with a thread for each of so many points. What it has `filled` or `changed` comes back; what
        is filled need not go there."""
        gpu = self._gpu
        gpu.use()
        there: list[Any] = []
        back: list[tuple[Any, Any]] = []
        for parameter, (what, of) in self._kernels.given(name).items():
            for part in _parts(given[parameter], what, of):
                is_array = isinstance(part, np.ndarray)
                there.append((gpu.room if parameter in filled else gpu.sent)(part) if is_array else part)
                if parameter in (*filled, *changed):
                    back.append((there[-1], part))
        gpu.launch(self._kernel(name), _blocks_of(count), THREADS, *there)
        for found, array in back:
            gpu.bring(found, array)
        gpu.finish()


def _parts(argument: Any, what: str, of: Any) -> list[Any]:
    """An argument as a kernel is given it: a record as its arrays."""
    if what in ("number", "array"):
        return [argument]
    return [getattr(argument, SUFFIXES[kind]) for kind in sizes_of(of)]


def _blocks_of(count: int) -> int:
    """Blocks for one thread per point."""
    return (count + THREADS - 1) // THREADS


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program:
    """The kernels of a generated module, ready to run on the GPU."""
    gpu = device.device()
    return Program(generated, kernels.entry_points, gpu, ptx.Nvidia(gpu.capability))
