"""The CUDA target: the same kernels, one trajectory per thread of a GPU.

The loops over trajectories are kernels of their own (kernels/boarding.py and kernels/crew.py for lockstep,
kernels/alone.py for the march) that call what the CPU runs. They are translated by `ptx.py`, assembled once, kept in
the cache, and launched by `device.py`.
The trajectory of a thread is local memory, which the hardware lays out so that neighbouring threads read neighbouring
words; in lockstep its lane is shared memory, side by side with those of its neighbours.
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite
import numpy as np

from stickslip.kernels.outcome import FINISHED, LEFT
from stickslip.kernels.records import Record, Records
from stickslip.targets import cache, device, ptx
from stickslip.targets.cpu import flat_name, garbage_kept
from stickslip.targets.generated import Generated, KernelSet
from stickslip.targets.lower import SUFFIXES, Lowering, parameters_of, sizes_of
from stickslip.targets.modules import Library
from stickslip.targets.precision import NONE, first_in_single, in_two_precisions
from stickslip.targets.program import Columns
from stickslip.targets.source import Function
from stickslip.targets.unroll import written_out

THREADS = 64
"""Threads of a block: few, since each needs many registers."""

FEWEST_THREADS, SHARED_MEMORY = 32, 48 * 1024
"""A warp; and the bytes that all GPUs have for the lanes of a block, which has fewer threads where lanes are large."""

THREADS_PER_PROCESSOR = 384
"""Threads that are resident; in lockstep each of them takes point after point."""

REGISTERS = 168
"""So many registers per thread let so many be resident; the tick of a model with two contacts wants more."""

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


def lowered(library: Library, name: str) -> Lowering:
    """A function with what it calls, flat, and the functions that it has in place of those of `math`."""
    lowering = Lowering(library, provided={"crew.advance_thread": TICK})
    for each in (name, *ELEMENTARY):
        lowering.add(library.function(each))
    return lowering


class Kernels:
    """The kernels of a generated module, for an architecture; each is named by its file and its own name."""

    def __init__(
        self, generated: Generated, architecture: ptx.Architecture, choices: Mapping[str, int] | None = None
    ) -> None:
        self.architecture = architecture
        self._generated, self._choices = generated, dict(choices or {})

    def library(self, name: str) -> Library:
        """The modules that a kernel sees."""
        return self._library(name == "crew.watch_kernel")

    @functools.cache  # noqa: B019 - kernels live as long as the process
    def _library(self, watching: bool) -> Library:
        """Every thread of a block has a lane."""
        choices = self._choices | (WATCHING if watching else TRAVELLING)
        return _begun(self._generated.library({"machine": {"LANES": self._lanes, **choices}}))

    @functools.cached_property
    def _lanes(self) -> int:
        return lanes_that_fit(_begun(self._generated.library({"machine": self._choices})).lane.Lane)

    def threads(self, name: str) -> int:
        """Threads of a block."""
        return self._lanes if name.startswith("crew.") else THREADS

    def code(self, name: str, first: int = NONE) -> bytes:
        """The code of a kernel; of one of lockstep with single precision from the order `first` on."""
        library = self.library(name)
        in_lockstep = name.startswith("crew.")
        lowering = lowered(library, name)
        if in_lockstep:
            lowering.flat.functions[TICK] = self._tick(lowering, first)
        registers = REGISTERS if in_lockstep and library.model.CONTACTS == 1 else None
        own, memory = name.partition(".")[2], self._memory(name)
        kernel = ptx.Kernel(flat_name(name), own, memory, self.threads(name), registers, (TICK,))
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
                of_block[f"{parameter}_floats"] = self.threads(name) * of.FLOATS
        return ptx.Memory(of_thread, of_block)

    def given(self, name: str) -> list[str]:
        """The parameters of a kernel that it is given."""
        parameters, module = parameters_of(self.library(name).function(name)), self._module(name)
        return [parameter for parameter in parameters if parameter not in (*module.OF_THREAD, *module.OF_BLOCK)]

    def _module(self, name: str) -> Any:
        return self.library(name).module(name.partition(".")[0])


class Copy:
    """Records on the GPU, where their arrays lie; filled there, their numbers need not go there."""

    def __init__(self, gpu: device.Device, records: Any, filled: bool = False) -> None:
        self._gpu = gpu
        self._here = [array for array in (records.floats, records.integers) if array.shape[-1]]
        self.there = [(gpu.room if filled else gpu.sent)(array) for array in self._here]

    def bring(self, first: int = 0, end: int | None = None, stream: Any = None) -> None:
        """Put what lies there into the records here, those from the first to the end."""
        for there, here in zip(self.there, self._here, strict=True):
            self._gpu.bring(there, here[first:end], first * here.shape[-1], stream)


class Program:
    """The functions of one model, called as those of the CPU; loops over trajectories run on the GPU, the others as
    they stand."""

    def __init__(
        self, generated: Generated, kernels: KernelSet, gpu: device.Device, architecture: ptx.Architecture
    ) -> None:
        self._generated, self._gpu, self._set = generated, gpu, kernels
        self._kernels = Kernels(generated, architecture, dict(kernels.choices))
        self.kernels = generated.library({"machine": dict(kernels.choices)})
        self._assembling = threading.RLock()
        for name in kernels.entry_points:
            own = name.partition(".")[2]
            setattr(self, own, getattr(self, f"_{own}", self.kernels.function(name)))

    # -- one by one -------------------------------------------------------------------------------------------

    def _propagate(self, trajectory: Any, ensemble: Any, starts: Any, ends: Any) -> int:
        """All of them, without a pause."""
        self._gpu.use()
        count, found = int(ensemble.count), self._room(ends)
        given = {"tolerance": float(trajectory.tolerance), "ensemble": self._sent(ensemble)}
        given |= {"starts": self._sent(starts), "ends": found}
        self._launch("alone.propagate_kernel", _blocks_of(count), given)
        self._bring(found)
        return count

    def _observe(self, _trajectory: Any, request: Any, courses: Any, *records: Any) -> Columns:
        _tally, _rings, rows, results = records
        self._gpu.use()
        count = int(request.trajectories)
        given = {"request": self._sent(request), "courses": self._sent(courses)}
        found = {"rows": self._room(rows), "results": self._room(results)}
        self._launch("alone.observe_kernel", _blocks_of(count), given | found)
        self._bring(given["courses"], found["results"])
        return self._gathered(found, results)

    # -- in lockstep ------------------------------------------------------------------------------------------

    def _propagate_lanes(self, convoy: Any, _trajectory: Any, _lanes: Any, starts: Any, ends: Any) -> None:
        self._gpu.use()
        count, found = int(convoy.trajectories), self._room(ends)
        kept = self._room(Records.empty(self.kernels.lane.Lane, count))
        given = {"convoy": self._sent(_hurried(convoy)), "starts": self._sent(starts), "kept": kept, "ends": found}
        for first in self._precisions(convoy):
            given["queue"] = self._queue(0, count)  # which lives until the kernel has ended
            self._launch("boarding.start_kernel", _blocks_of(count), given)
            self._launch("crew.travel_kernel", self._blocks(count), given, first)
            self._launch("boarding.end_kernel", _blocks_of(count), given)
            self._bring(found)
            if (ends.column("status") != FINISHED).mean() <= MOST_LEFT:
                return

    def observe_lanes(self, asked: Sequence[tuple[Any, Any, Any]], courses: Any) -> list[Columns]:
        """`travel_transients`, and `go_on_observed` for every convoy with its rows and results, in the precision that
        serves."""
        kept = Records.empty(self.kernels.lane.Lane, len(courses))
        self._gpu.use()
        there = {"courses": self._sent(courses), "kept": self._room(kept)}
        columns: list[Columns] = []
        for first in self._precisions(asked[0][0]):
            columns = self._observed(first, asked, courses, there)
            if len(columns) == len(asked):
                break
        if courses.column("held").any():  # else all starts are as they were
            self._bring(there["courses"])
        return columns

    def _observed(
        self, first: int, asked: Sequence[tuple[Any, Any, Any]], courses: Any, there: Mapping[str, Copy]
    ) -> list[Columns]:
        """The rows of every observation, with single precision from the order `first` on; no more of them once too much
        is left.

        Transients are travelled once; each observation goes on from their ends.
        """
        columns: list[Columns] = []
        for convoy, rows, results in asked:
            found = {"rows": self._room(rows), "results": self._room(results)}
            given = {"convoy": self._sent(_hurried(convoy)), **there}
            self._travel_and_watch(first, convoy, given, found, travels=not columns)
            self._bring(found["results"])
            early = results.column("time") < courses.column("end_time")
            if first != NONE and ((results.column("status") == LEFT) & early).mean() > MOST_LEFT:
                break
            columns.append(self._gathered(found, results))
        return columns

    def _travel_and_watch(
        self, first: int, convoy: Any, there: Mapping[str, Copy], found: Mapping[str, Copy], travels: bool
    ) -> None:
        """Transients, where they have not been travelled yet, and observed parts.

        The trajectories come in PARTS: while the last of one are under way, those of the next begin.
        """
        count = int(convoy.trajectories)
        blocks = self._blocks(count)
        parts = [(count * part // PARTS, count * (part + 1) // PARTS) for part in range(PARTS)]
        queues = [[self._queue(*part) for _ in range(2)] for part in parts]
        journals = Records(self.kernels.lockjournal.Journal, blocks * self._kernels.threads("crew.watch_kernel"))
        work = [self._room(journals) for _ in parts]
        if travels:
            self._launch("boarding.course_kernel", _blocks_of(count), there)
        streams = self._gpu.streams(PARTS)  # which wait for what has been put into ours until now
        for (queue, _), stream in zip(queues, streams, strict=True):
            if travels:
                self._launch("crew.travel_kernel", blocks, {"queue": queue, **there}, first, stream)
        for (_, queue), journal, stream in zip(queues, work, streams, strict=True):
            given = {"queue": queue, "journals": journal, **there, **found}
            self._launch("crew.watch_kernel", blocks, given, first, stream)
        self._gpu.finish(streams)

    def _gathered(self, found: Mapping[str, Copy], results: Any) -> Columns:
        """The rows of all trajectories one after another; their results, which are here already, then say where each
        has its own."""
        kept = results.column("rows")
        following = np.cumsum(kept)
        total = int(following[-1]) if len(kept) else 0
        gather = self.kernels.gather
        columns = Columns.room(total, self.kernels.model.STATES)
        if total:
            places = Records(gather.Place, len(kept), np.zeros((len(kept), 0)), (following - kept)[:, None])
            moments = self._room(Records(gather.Moment, total, columns.time[:, None], _none(total)))
            spots = self._room(Records(gather.Spot, total, columns.state, _none(total)))
            marks = self._room(Records.empty(gather.Mark, total))
            given = {"count": len(kept), "places": self._sent(places), **found}
            given |= {"moments": moments, "marks": marks, "spots": spots}
            self._launch("gather.gather_kernel", _blocks_of(len(kept)), given)
            self._bring(moments, spots)
            for begin, piece in self._gpu.pieces(marks.there[0], np.dtype(np.int64), 2 * total):
                here = slice(begin // 2, (begin + len(piece)) // 2)
                columns.contact[here], columns.mode[here] = piece[0::2], piece[1::2]
        results.column("first_row")[:] = following - kept
        return columns

    def _precisions(self, convoy: Any) -> tuple[int, int]:
        """The order from which on single precision is enough; and none, which serves where that has not worked."""
        return first_in_single(self.kernels.model.ORDER, 2.0**convoy.log_tolerance), NONE

    def _queue(self, first: int, end: int) -> Copy:
        """Trajectories that wait."""
        queue = self._kernels.library("crew.travel_kernel").crew.Queue()
        queue.following[0], queue.end = first, end
        return self._sent(queue)

    def _blocks(self, count: int) -> int:
        """As many blocks as the GPU holds at a time, or as there is work for."""
        threads = self._kernels.threads("crew.watch_kernel")
        resident = THREADS_PER_PROCESSOR // threads * self._gpu.processors
        return max(1, min(resident, (count + threads - 1) // threads))

    # -- the GPU ----------------------------------------------------------------------------------------------

    def _sent(self, records: Any) -> Copy:
        return Copy(self._gpu, records)

    def _room(self, records: Any) -> Copy:
        return Copy(self._gpu, records, filled=True)

    def _bring(self, *copies: Copy) -> None:
        for copy in copies:
            copy.bring()
        self._gpu.finish()

    def _launch(self, name: str, blocks: int, given: Mapping[str, Any], first: int = NONE, stream: Any = None) -> None:
        """Put a kernel into a stream."""
        arguments: list[Any] = []
        for parameter in self._kernels.given(name):
            argument = given[parameter]
            arguments += argument.there if isinstance(argument, Copy) else [argument]
        self._gpu.launch(self._kernel(name, first), blocks, self._kernels.threads(name), *arguments, stream=stream)

    def _kernel(self, name: str, first: int) -> Any:
        """A kernel, assembled and loaded; threads that want the same one wait for the first."""
        with self._assembling:
            return self._assembled(name, first)

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _assembled(self, name: str, first: int) -> Any:
        """A kernel, of lockstep one with single precision from the order `first` on."""
        machine = f"{self._kernels.architecture.name} {llvmlite.__version__} {self._gpu.software}"
        made_for = f"{self._set.name} {name} {first} {machine}"

        def made() -> bytes:
            with garbage_kept():
                return self._gpu.assembled(self._kernels.code(name, first))

        return self._gpu.loaded(cache.kept(self._generated.part(made_for, "cubin"), made), name.partition(".")[2])


def _hurried(convoy: Any) -> Any:
    """A convoy whose trajectories do not wait for those that are not alike."""
    hurried = type(convoy)(convoy.floats.copy(), convoy.integers.copy())
    hurried.patience = max(hurried.patience, NO_PATIENCE)
    return hurried


def _none(count: int) -> Any:
    """The whole numbers of records that have none."""
    return np.empty((count, 0), np.int64)


def _blocks_of(count: int) -> int:
    """Blocks for one thread per point."""
    return (count + THREADS - 1) // THREADS


def _begun(library: Library) -> Library:
    """Kernel modules, the generated one before those that it and they import from each other."""
    library.module("model")
    return library


def lanes_that_fit(lane: type[Record]) -> int:
    """How many lanes the memory of a block has room for, one for each thread; 0 where that is less than a warp."""
    room = SHARED_MEMORY // (8 * lane.FLOATS)
    return next((threads for threads in (THREADS, FEWEST_THREADS) if threads <= room), 0)


@functools.cache
def program(generated: Generated, kernels: KernelSet) -> Program | None:
    """The kernels of a generated module, ready to run on the GPU; None where lanes have no room in a block."""
    library = generated.library({"machine": dict(kernels.choices)})
    if kernels.tick is not None and not lanes_that_fit(_begun(library).lane.Lane):
        return None
    gpu = device.device()
    return Program(generated, kernels, gpu, ptx.Nvidia(gpu.capability))
