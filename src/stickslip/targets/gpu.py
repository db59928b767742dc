"""The CUDA target: the same joined module, one trajectory per thread of a GPU.

The loops over trajectories are kernels of their own (kernels/crew.py for lockstep, kernels/alone.py for the march), which
call what the CPU runs. They are translated by `ptx.py`, assembled once, kept in the cache, and launched by `device.py`.
The work arrays W and I of a trajectory are local memory of its thread, which the hardware lays out so that neighbouring
threads read neighbouring words; in lockstep its rows of B are shared memory, side by side with those of its neighbours.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import llvmlite
import numpy as np

from stickslip.targets import cache, device, join, ptx
from stickslip.targets.precision import NONE, first_in_single, in_two_precisions
from stickslip.targets.unroll import unrolled

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


class Kernels:
    """The kernels of a joined module, for an architecture."""

    def __init__(self, joined: join.Joined, architecture: ptx.Architecture) -> None:
        self.architecture = architecture
        module = joined.module()
        files = ("elementary", "crew" if hasattr(module, "LANE_ROWS") else "alone")
        loops = "\n\n".join(["from __future__ import annotations", *map(join.kernel_text, files)])
        self._module, self._text = joined.text, "\n\n".join([joined.text, loops])
        self.values = dict(vars(module))
        """Constants. A column of B is a lane, so there are as many of these as threads in a block."""
        exec(compile(loops, "<loops of the GPU>", "exec"), self.values)  # our own text
        self.values["LANES"] = THREADS

    def code(self, name: str, first: int = NONE) -> bytes:
        """The code of a kernel; of one of lockstep with single precision from the order `first` on."""
        text, tick = self._text, TICK_OF.get(name)
        if tick is not None:
            text += "\n\n" + self._tick(tick, first)
        limited = tick is not None and self.values["N_CONTACTS"] == 1
        kernel = ptx.Kernel(name, THREADS, REGISTERS if limited else None, () if tick is None else (tick,))
        return self.architecture.code(ptx.GpuTranslator(text, self.values, kernel, self.architecture).module)

    def _tick(self, name: str, first: int) -> str:
        """A tick of lockstep, written out, in two precisions; its column of B is an argument."""
        values = self.values | TICKS[name]
        function = ast.parse(unrolled(self._module, values, "tick", name, values["KEPT"], values["Q"])).body[0]
        assert isinstance(function, ast.FunctionDef)
        in_two_precisions(function, first)
        function.args.args.append(ast.arg("lane", ast.Name("int")))
        return ast.unparse(ast.fix_missing_locations(function))


class Program:
    """The functions and constants of one model; `propagate` and `observe` run on the GPU, with the CPU's arguments."""

    def __init__(self, joined: join.Joined, gpu: device.Device, architecture: ptx.Architecture) -> None:
        module = joined.module()
        self.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
        self._joined, self._gpu, self._kernels = joined, gpu, Kernels(joined, architecture)
        self._values = self._kernels.values
        if "observe_lanes" in module.ENTRY_POINTS:
            self.propagate_lanes, self.observe_lanes = self._propagate_lanes, self._observe_lanes
        if "observe" in module.ENTRY_POINTS:
            self.observe = self._observe
        if "propagate" in module.ENTRY_POINTS:
            self.propagate = self._propagate

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _kernel(self, name: str, first: int = NONE) -> Any:
        """A kernel, assembled and loaded; one of lockstep with single precision from the order `first` on."""
        self._gpu.use()
        made_for = f"{name} {first} {self._kernels.architecture.name} {llvmlite.__version__} {self._gpu.software}"
        code = cache.kept(
            self._joined.part(made_for, "cubin"), lambda: self._gpu.assembled(self._kernels.code(name, first))
        )
        return self._gpu.loaded(code, name)

    def _precisions(self, log_tolerance: float) -> tuple[int, int]:
        """The order from which on single precision is enough; and none, which serves where that has not worked."""
        return first_in_single(self._values["ORDER"], 2.0**log_tolerance), NONE

    def _blocks(self, count: int) -> int:
        """As many blocks as the GPU holds at a time, or as there is work for."""
        return max(1, min(BLOCKS_PER_PROCESSOR * self._gpu.processors, _blocks_of(count)))

    # -- in lockstep ------------------------------------------------------------------------------------------

    def _propagate_lanes(
        self,
        _w: Any,
        _i: Any,
        _b: Any,
        t_start: float,
        t_end: float,
        log_tolerance: float,
        patience: float,
        most_steps: float,
        count: int,
        *arrays: Any,
    ) -> None:
        gpu = self._gpu
        gpu.use()
        given, results = [gpu.sent(a) for a in arrays[:-2]], [gpu.room(a) for a in arrays[-2:]]
        for first in self._precisions(log_tolerance):
            queue = gpu.sent(np.zeros(1, np.int64))
            gpu.launch(
                self._kernel("travel_kernel", first), self._blocks(count), THREADS,
                queue, t_start, t_end, log_tolerance, max(patience, NO_PATIENCE), most_steps, count, *given, *results,
            )  # fmt: skip
            self._bring(results, arrays[-2:])
            if (arrays[-1][::2] != 0).mean() <= MOST_LEFT:
                return

    def _observe_lanes(
        self,
        _w: Any,
        _i: Any,
        _b: Any,
        kept: Any,
        log_tolerance: float,
        patience: float,
        choice: Any,
        settings: Any,
        count: int,
        starts: Any,
        held: Any,
        parameters: Any,
        times: Any,
        _history: Any,
        _tally: Any,
        *results: Any,
    ) -> None:
        gpu, values = self._gpu, self._values
        gpu.use()
        _, numbers, measures = results
        how = [gpu.sent(a) for a in (choice, settings)]
        given = [gpu.sent(a) for a in (starts, held, parameters, times)]
        there = [gpu.room(a) for a in self._wanted(choice, results)]
        aside = gpu.room(kept)
        ring = np.empty(self._blocks(count) * THREADS * values["HISTORY"] * values["HISTORY_WIDTH"])
        histories = [gpu.room(ring) for _ in range(PARTS)]
        for first in self._precisions(log_tolerance):
            limits = (log_tolerance, max(patience, NO_PATIENCE))
            self._travel_and_watch(first, count, limits, how, given, aside, histories, there, results)
            left = numbers.reshape(count, -1)[:, values["STATUS"]] == values["LEFT"]
            early = measures.reshape(count, -1)[:, values["REACHED"]] < times[1::3]
            if (left & early).mean() <= MOST_LEFT:
                break
        if held.any():  # else all starts are as they were
            self._bring(given[:1], [starts])

    def _travel_and_watch(
        self,
        first: int,
        count: int,
        limits: tuple[float, float],
        how: Any,
        given: Any,
        kept: Any,
        histories: Any,
        there: Any,
        results: Any,
    ) -> None:
        """Transients and observed parts, with single precision from the order `first` on.

        The points come in PARTS: while the last trajectories of one are under way, those of the next begin, and what was
        found comes back.
        """
        gpu, blocks = self._gpu, self._blocks(count)
        choice, settings = how
        transient, watch = self._kernel("transient_kernel", first), self._kernel("watch_kernel", first)
        ends = [count * part // PARTS for part in range(PARTS + 1)]
        queues = [[gpu.sent(np.full(1, begin)) for _ in range(2)] for begin in ends[:-1]]
        streams = gpu.streams(PARTS)
        for (queue, _), end, stream in zip(queues, ends[1:], streams, strict=True):
            gpu.launch(transient, blocks, THREADS, queue, kept, *limits, choice, end, *given, stream=stream)
        for (_, queue), end, stream, history in zip(queues, ends[1:], streams, histories, strict=True):
            gpu.launch(
                watch, blocks, THREADS, queue, kept, choice, settings, end, given[-1], history, *there, stream=stream
            )
        for begin, end, stream in zip(ends, ends[1:], streams, strict=False):
            for found, array in zip(there, results, strict=True):
                width = array.size // count if found.size == array.nbytes else 0
                if width and end > begin:
                    gpu.bring(found, array[begin * width : end * width], begin * width, stream)
        gpu.finish(streams)

    # -- one by one -------------------------------------------------------------------------------------------

    def _propagate(
        self,
        W: Any,
        _: Any,
        t_start: float,
        t_end: float,
        most_steps: int,
        pause: int,
        first: int,
        count: int,
        *arrays: Any,
    ) -> int:
        gpu = self._gpu
        gpu.use()
        given, results = [gpu.sent(a) for a in arrays[:-2]], [gpu.room(a) for a in arrays[-2:]]
        rtol = float(W[self._values["TOLERANCE"]])
        gpu.launch(
            self._kernel("propagate_kernel"), _blocks_of(count), THREADS,
            rtol, t_start, t_end, most_steps, count, *given, *results,
        )  # fmt: skip
        self._bring(results, arrays[-2:])
        return count  # all of them, without a pause

    def _observe(self, W: Any, integers: Any, choice: Any, settings: Any, count: int, *arrays: Any) -> None:
        gpu = self._gpu
        gpu.use()
        starts, results = arrays[0], arrays[-3:]
        how, given = [gpu.sent(a) for a in (choice, settings)], [gpu.sent(a) for a in arrays[:4]]
        there = [gpu.room(a) for a in self._wanted(choice, results)]
        gpu.launch(self._kernel("observe_kernel"), _blocks_of(count), THREADS, *how, count, *given, *there)
        self._bring([given[0], *there], [starts, *self._wanted(choice, results)])

    # -- arrays -----------------------------------------------------------------------------------------------

    def _wanted(self, choice: Any, results: Any) -> list[Any]:
        """Results of which the GPU needs room: of recorded rows, where none are asked for, one number is enough."""
        rows, *others = results
        return [rows if choice[self._values["MOST"]] > 0 else rows[:1], *others]

    def _bring(self, there: Any, arrays: Any) -> None:
        """Wait for what lies on the GPU, and put it into the arrays here."""
        for found, array in zip(there, arrays, strict=True):
            self._gpu.bring(found, array)
        self._gpu.finish()


def _blocks_of(count: int) -> int:
    """Blocks for one thread per point."""
    return (count + THREADS - 1) // THREADS


@functools.cache
def program(joined: join.Joined) -> Program:
    """The joined module, ready to run on the GPU."""
    gpu = device.device()
    return Program(joined, gpu, ptx.Nvidia(gpu.capability))
