"""The CUDA target: the same joined module, one trajectory per thread of a GPU, through numba-cuda.

Every function of the module becomes a device function as it stands, but for the tick of lockstep, in which selects are
written so that numba sees them and rows lie in shared memory. The work arrays W and I of a trajectory are local
memory of its thread, which the hardware lays out so that neighbouring threads read neighbouring words. Only the loops
over trajectories are replaced, by kernels that take one trajectory each; all else is the text that the CPU runs.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pickle
import re
import struct
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from stickslip.errors import CudaError
from stickslip.kernels.machine import rough_ratio as rough_ratio_of_two
from stickslip.targets import cache
from stickslip.targets.precision import NONE, first_in_single, in_two_precisions

THREADS = 64
"""Threads of a block: few, since each needs many registers."""

_CLEARED = """
    W = cuda.local.array(FLOATS, float64)
    I = cuda.local.array(INTEGERS, int64)
    for i in range(FLOATS):
        W[i] = 0.0
    for i in range(INTEGERS):
        I[i] = 0
"""
"""Work arrays, all zero as on the CPU: generated functions do not write what is always zero."""

_PROPAGATE = (
    """
def propagate_kernel(rtol, t_start, t_end, most_steps, count, starts, parameters, ends, outcome):
    point = cuda.grid(1)
    if point >= count:
        return
"""
    + _CLEARED
    + """
    W[TOLERANCE] = rtol
    propagate_point(W, I, t_start, t_end, most_steps, point, starts, parameters, ends, outcome)
"""
)
_OBSERVE = """
def observe_kernel(choice, settings, count, starts, held, parameters, times, rows, numbers, measures):
    point = cuda.grid(1)
    if point < count:
        W = cuda.local.array(FLOATS, float64)
        I = cuda.local.array(INTEGERS, int64)
        I[HALT] = 0
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

_LOOP = """
    shared = cuda.shared.array(SHARED, float64)
    B = shared[cuda.threadIdx.x :: LANE_THREADS]
    going, more, point, ticks, deadline = False, True, 0, 0, 0
    while True:
        travelling = counted(going)
        if more and travelling < WARP and (travelling == 0 or ticks >= deadline):
            following = taken(queue, not going)
            if not going:
                B[CONDITION] = PARKED
                if following < count:
                    point, going = following, True
                    {begin}
            travelling = counted(going)
            more = travelling == WARP
            ticks, deadline = 0, FAR_OFF
        if travelling == 0:
            break
        ticks += 1
        ended = False
        {tick}
        if ended:
            going = False
            B[CONDITION] = PARKED
        if counted(ended) > 0:
            deadline = min(deadline, ticks + ticks // PART)
"""
"""Neighbours that begin together often do the same at the same time, which is quickest. So the threads of a warp take
points when all have ended, or when the first that has ended has waited for a part of its time."""

PART, FAR_OFF = 4, 2**60
"""That part, one in so many ticks; a tick that never comes."""


def _loop(begin: str, tick: str) -> str:
    begin, tick = (text.strip().replace("\n", "\n" + " " * depth) for text, depth in ((begin, 20), (tick, 8)))
    return _LOOP.format(begin=begin, tick=tick)


_TRAVEL = (
    """
def travel_kernel(
    queue, literals, t_start, t_end, log_tolerance, patience, most_steps, count, starts, parameters, periods, ends,
    outcome,
):
"""
    + _CLEARED
    + _loop(
        """
enter(
    W, I, B, 0, t_start, t_end, log_tolerance, patience, most_steps, point, starts, parameters, periods[point]
)
""",
        """
if travel_tick(shared, literals) & going:
    if has_ended(B, 0):
        leave(B, 0, ends, outcome)
        ended = True
""",
    )
)
_TRANSIENT = (
    """
def transient_kernel(
    queue, literals, kept, log_tolerance, patience, choice, count, starts, held, parameters, times
):
"""
    + _CLEARED
    + _loop(
        """
hold(W, I, point, starts, held, parameters, times)
enter(
    W, I, B, 0, 0.0, times[3 * point], log_tolerance, patience, float(choice[MOST_STEPS]), point, starts, parameters,
    transient_period(choice, times, point),
)
""",
        """
if travel_tick(shared, literals) & going:
    if has_ended(B, 0):
        put_aside(B, 0, kept)
        ended = True
""",
    )
)
_WATCH = """
def watch_kernel(
    queue, literals, kept, choice, settings, count, times, histories, rows, numbers, measures
):
    slot = cuda.grid(1)
    history = histories[slot * RING : (slot + 1) * RING]
    tally = cuda.local.array(TALLY, int64)
""" + _loop(
    "take_up(B, 0, point, kept, choice, settings, times, numbers, measures)",
    """
if watch_tick(shared, literals) & going:
    if attend(B, 0, choice, times, history, rows, numbers, measures):
        finish(B, 0, settings, history, tally, numbers, measures)
        ended = True
""",
)
_ALONE = """
def counted(condition):
    return 1 if condition else 0


def taken(queue, wanted):
    return cuda.atomic.add(queue, 0, 1) if wanted else 0


"""
"""What the threads of a warp do together, for the simulator, in which each travels alone."""

_CHOICES = """
def smaller(a, b):
    return cuda.selp(b < a, b, a)


def larger(a, b):
    return cuda.selp(b > a, b, a)


"""
LANE_THREADS = 64
BLOCKS_PER_PROCESSOR = 6
"""Trajectories in lockstep: threads of a block, and blocks that are resident; each thread takes point after point."""

PARTS = 2
"""In so many parts the points of a sweep are done, so that the processors are busy while the last of a part end."""

REGISTERS = 168
"""So many registers per thread let that many blocks be resident; the tick of a model with two contacts wants more."""

NO_PATIENCE = 0.0
"""Those of a warp that are not alike do not wait for each other."""


TICKS = {
    "travel_tick": {"TOGETHER": 0, "OBSERVED": 0, "REPEATS": 1},
    "watch_tick": {"TOGETHER": 0, "OBSERVED": 1, "REPEATS": 0},
}
"""The ticks of lockstep: one that does not observe is shorter."""

MOST_LEFT = 0.05
"""Where more is left, numbers may have been too large or too small for single precision."""

WARP, FULL = 32, 0xFFFFFFFF
"""Threads of a warp, and all of them as bits."""


class _WithoutBranches(ast.NodeTransformer):
    """The tick with selects in place of `if` expressions and `and`, of which numba makes branches; rows of B in shared
    memory, and numbers that no instruction has room for among the arguments of the kernel, where all can read them."""

    def __init__(self) -> None:
        self.literals: list[float] = []

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        number = node.value
        if not isinstance(number, float) or struct.pack(">d", number)[4:] == bytes(4):
            return node
        if number not in self.literals:
            self.literals.append(number)
        return ast.Subscript(ast.Name("literals", ast.Load()), ast.Constant(self.literals.index(number)), ast.Load())

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        parts = [self.visit(part) for part in (node.test, node.body, node.orelse)]
        return ast.Call(ast.Attribute(ast.Name("cuda", ast.Load()), "selp", ast.Load()), parts, [])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        parts: list[ast.expr] = [self.visit(value) for value in node.values]
        first, *others = parts
        for other in others:
            first = ast.BinOp(first, ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr(), other)
        return first

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Row r of B, of this thread."""
        place = LANE_THREADS * ast.literal_eval(node.slice)
        node.slice = ast.BinOp(ast.Constant(place), ast.Add(), ast.Name("lane", ast.Load()))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.args.args.append(ast.arg("literals"))
        node.body[:0] = ast.parse(f"lane = cuda.threadIdx.x & {LANE_THREADS - 1}").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "float32" and isinstance(node.args[0], ast.Constant):
            return node  # instructions have room for it
        self.generic_visit(node)
        assert isinstance(node.func, ast.Name)
        node.func.id = {"min": "smaller", "max": "larger"}.get(node.func.id, node.func.id)
        return node


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

    def __init__(self, joined: Any) -> None:
        numba, module = _numba(), joined.module()
        self.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
        self._cuda, self._joined = numba.cuda, joined
        # The module may be the one that the CPU runs, with its number of lanes; here each thread has one.
        self._names = dict(vars(module)) | vars(numba) | {"LANES": 1}
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__globals__ is vars(module):
                self._names[name] = numba.cuda.jit(device=True)(FunctionType(value.__code__, self._names, name))
        if "observe_lanes" in module.ENTRY_POINTS:
            self._prepare_lanes(module)
        if "observe" in module.ENTRY_POINTS:
            self._names["EVENT_ROOM"] = (module.N_CONTACTS + 1) * module.EVENT_WIDTH
            self._names["HISTORY_ROOM"] = 2 * module.HISTORY * module.HISTORY_WIDTH
            self.observe = self._observe
        if "propagate" in module.ENTRY_POINTS:
            self.propagate = self._propagate

    def _prepare_lanes(self, module: Any) -> None:
        """Rows of B lie in shared memory, those of neighbouring threads side by side."""
        own = {"LANE_THREADS": LANE_THREADS, "PART": PART, "FAR_OFF": FAR_OFF}
        own |= {"SHARED": module.LANE_ROWS * LANE_THREADS, "RING": module.HISTORY * module.HISTORY_WIDTH}
        assert not own.keys() & vars(module).keys(), "a name of the kernels would have two meanings"
        self._names |= own
        self._names |= _operations(self._cuda)
        from stickslip.targets.unroll import unrolled  # type: ignore[attr-defined]

        self._ticks = {
            name: unrolled(self._joined.text, vars(module) | choices, "tick", name, module.KEPT, module.Q)
            for name, choices in TICKS.items()
        }
        self.propagate_lanes, self.observe_lanes = self._propagate_lanes, self._observe_lanes

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _lockstep(self, first: int) -> tuple[dict[str, Any], tuple[float, ...]]:
        """All names with the ticks, single precision from that order on; and the numbers that kernels have to bring."""
        writer = _WithoutBranches()
        text = _CHOICES if "counted" in self._names else _CHOICES + _ALONE
        for tick in self._ticks.values():
            tree = ast.parse(tick)
            in_two_precisions(tree.body[0], first)  # type: ignore[arg-type]
            text += ast.unparse(ast.fix_missing_locations(writer.visit(tree))) + "\n\n\n"
        names = dict(self._names)
        exec(compile(text, "<ticks>", "exec"), names)  # our own text
        for name in re.findall(r"^def (\w+)", text, re.MULTILINE):
            names[name] = self._cuda.jit(device=True)(names[name])
        return names, tuple(writer.literals)

    def _blocks(self, count: int) -> int:
        """As many blocks as the GPU holds at a time, or as there is work for."""
        return max(
            1, min(BLOCKS_PER_PROCESSOR * (_processors(self._cuda) or 1), (count + LANE_THREADS - 1) // LANE_THREADS)
        )

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
        given, results = [self._cuda.to_device(a) for a in arrays[:-2]], self._room(*arrays[-2:])
        patience = max(patience, NO_PATIENCE)
        for first in self._precisions(log_tolerance):
            kernel, literals = self._kernel(_TRAVEL, "travel_kernel", first), self._lockstep(first)[1]
            queue = self._cuda.to_device(np.zeros(1, np.int64))
            kernel[self._blocks(count), LANE_THREADS](
                queue, literals, t_start, t_end, log_tolerance, patience, most_steps, count, *given, *results
            )  # fmt: skip
            _bring(results, arrays[-2:])
            if (arrays[-1][::2] != 0).mean() <= MOST_LEFT:
                return

    def _precisions(self, log_tolerance: float) -> tuple[int, int]:
        """The order from which on single precision is enough; and none, which serves where that has not worked."""
        return first_in_single(self.ORDER, 2.0**log_tolerance), NONE  # type: ignore[attr-defined]

    def _observe_lanes(
        self,
        _w: Any,
        _i: Any,
        _b: Any,
        _kept: Any,
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
        rows, numbers, measures = results
        how = (log_tolerance, max(patience, NO_PATIENCE), *map(self._cuda.to_device, (choice, settings)))
        given = [self._cuda.to_device(array) for array in (starts, held, parameters, times)]
        device = [self._row_room(choice, rows), *self._room(numbers, measures)]
        kept = self._cuda.device_array(count * self.LANE_ROWS)  # type: ignore[attr-defined]
        ring = self._blocks(count) * LANE_THREADS * self._names["RING"]
        histories = [self._cuda.device_array(ring) for _ in range(PARTS)]
        for first in self._precisions(log_tolerance):
            self._travel_and_watch(first, count, how, given, kept, histories, device)
            self._bring_observed(choice, device, results)
            left = numbers.reshape(count, -1)[:, self.STATUS] == self.LEFT  # type: ignore[attr-defined]
            early = measures.reshape(count, -1)[:, self.REACHED] < times[1::3]  # type: ignore[attr-defined]
            if (left & early).mean() <= MOST_LEFT:
                break
        if held.any():  # else all starts are as they were
            given[0].copy_to_host(starts)

    def _travel_and_watch(
        self, first: int, count: int, how: Any, given: Any, kept: Any, histories: Any, results: Any
    ) -> None:
        """Transients and observed parts, with single precision from the order `first` on.

        The points come in PARTS: while the last trajectories of one are under way, those of the next begin.
        """
        cuda, blocks, literals = self._cuda, self._blocks(count), self._lockstep(first)[1]
        log_tolerance, patience, choice, settings = how
        transient = self._kernel(_TRANSIENT, "transient_kernel", first)
        watch = self._kernel(_WATCH, "watch_kernel", first)
        ends = [count * part // PARTS for part in range(PARTS + 1)]
        parts = [
            (cuda.to_device(np.full(2, begin)), end, cuda.stream(), history)
            for begin, end, history in zip(ends, ends[1:], histories, strict=False)
        ]
        for queue, end, stream, _ in parts:
            transient[blocks, LANE_THREADS, stream](
                queue[:1], literals, kept, log_tolerance, patience, choice, end, *given
            )
        for queue, end, stream, history in parts:
            watch[blocks, LANE_THREADS, stream](
                queue[1:], literals, kept, choice, settings, end, given[-1], history, *results
            )
        cuda.synchronize()

    @functools.cache  # noqa: B019 - programs live as long as the process
    def _kernel(self, text: str, name: str, first: int | None = None) -> Any:
        """A kernel; one of lockstep with single precision from the order `first` on.

        Compiling takes half a minute, so what has been compiled is kept, and that asks for a file of its own: numba
        keeps nothing that does not come from a file.
        """
        names = self._names if first is None else self._lockstep(first)[0]
        file = f"{self._joined.name}_{name}_{first}.py"
        cache.kept(file, text.encode)
        path = (cache.folder() or Path()) / file
        exec(compile(text, str(path), "exec"), names)  # our own text, above
        if _processors(self._cuda) is None:
            return self._cuda.jit(names[name])
        limited = first is not None and self.N_CONTACTS == 1  # type: ignore[attr-defined]
        options = {"max_registers": REGISTERS} if limited else {}
        kernel = self._cuda.jit(names[name], **options)
        if path.is_absolute() and path.exists():
            _keep(kernel, lambda key: self._joined.part(f"{name} {first} {key}", "gpu"))
        return kernel

    def _room(self, *results: Any) -> list[Any]:
        """Room on the GPU for arrays that a kernel fills: what they hold here needs no way there."""
        return [self._cuda.device_array_like(a) for a in results]

    def _row_room(self, choice: Any, rows: Any) -> Any:
        """The same for recorded rows; no kernel touches it where none are asked for."""
        return self._cuda.device_array_like(rows if self._records(choice) else rows[:1])

    def _records(self, choice: Any) -> bool:
        return bool(choice[self.MOST] > 0)  # type: ignore[attr-defined]

    def _bring_observed(self, choice: Any, device: Any, results: Any) -> None:
        """Rows, numbers and measures back from the GPU, without rows where none are asked for."""
        first = 0 if self._records(choice) else 1
        _bring(device[first:], results[first:])

    def _launch(self, kernel: Any, count: int, *arguments: Any) -> list[Any]:
        """Run a kernel, with its arrays brought to the GPU unless they are there; all arguments, as they are there."""
        on_device = [self._cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel[(count + THREADS - 1) // THREADS, THREADS](*on_device)
        return on_device

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
        kernel, results = self._kernel(_PROPAGATE, "propagate_kernel"), self._room(*arrays[-2:])
        rtol = float(W[self.TOLERANCE])  # type: ignore[attr-defined]
        self._launch(kernel, count, rtol, t_start, t_end, most_steps, count, *arrays[:-2], *results)
        _bring(results, arrays[-2:])
        return count  # all of them, without a pause

    def _observe(self, W: Any, integers: Any, choice: Any, settings: Any, count: int, *arrays: Any) -> None:
        starts, held, parameters, times, _, _, _, _, _, rows, numbers, measures = arrays
        kernel = self._kernel(_OBSERVE, "observe_kernel")
        results = [self._row_room(choice, rows), *self._room(numbers, measures)]
        device = self._launch(kernel, count, choice, settings, count, starts, held, parameters, times, *results)
        device[3].copy_to_host(starts)
        self._bring_observed(choice, results, (rows, numbers, measures))


class KeptKernels:
    """Compiled forms of one kernel, in place of numba's own files, which it unpickles whoever has written them."""

    def __init__(self, file: Callable[[str], str]) -> None:
        self._file = file

    def load(self, key: Any) -> Any:
        content = cache.read(self._file(repr(key)))
        return None if content is None else pickle.loads(content)

    def save(self, key: Any, data: Any) -> None:
        cache.write(self._file(repr(key)), importlib.import_module("numba.cuda.serialize").dumps(data))

    def flush(self) -> None:
        """Nothing is kept open."""


def _keep(kernel: Any, file: Callable[[str], str]) -> None:
    """Let numba keep the forms of a kernel in our cache, where it has a place for that."""
    try:
        kernel.enable_caching()
    except RuntimeError:  # numba finds no folder that it may write to
        return
    if hasattr(kernel._cache, "_cache_file"):
        kernel._cache._cache_file = KeptKernels(file)
    else:
        kernel._cache.disable()


def _bring(device: Any, arrays: Any) -> None:
    """What lies on the GPU into the arrays here."""
    for there, here in zip(device, arrays, strict=True):
        there.copy_to_host(here)


def _processors(cuda: Any) -> int | None:
    """How many multiprocessors the GPU has; None in the simulator, which has no device, or one without numbers."""
    find = getattr(cuda, "get_current_device", lambda: None)
    return getattr(find(), "MULTIPROCESSOR_COUNT", None)


def _operations(cuda: Any) -> dict[str, Any]:
    """Rough logarithms and powers from the upper halves of floats, and what a warp decides together; the simulator has
    the plain functions."""
    single = importlib.import_module("numba").float32
    if _processors(cuda) is None:
        return {"WARP": 1, "float32": single, "rough_ratio_in_single": rough_ratio_of_two}
    libdevice = importlib.import_module("numba.cuda.libdevice")
    upper, lower, joined = libdevice.double2hiint, libdevice.double2loint, libdevice.hiloint2double
    bits, scale, unscale = libdevice.float_as_int, single(2.0**-20), single(2.0**-23)
    power, offset = single(2.0**20), single(1022.9575)

    def rough_ratio(a: float, b: float) -> float:
        return single(upper(a) - upper(b)) * scale  # type: ignore[no-any-return]

    def rough_ratio_in_single(a: float, b: float) -> float:
        return single(bits(a) - bits(b)) * unscale  # type: ignore[no-any-return]

    def rough_exp2(x: float) -> float:
        return joined(int((x + offset) * power), 0)  # type: ignore[no-any-return]

    def bit(x: float, place: int) -> bool:
        return lower(x) >> place & 1 != 0  # type: ignore[no-any-return]

    def anyone(condition: bool) -> bool:
        return bool(cuda.ballot_sync(FULL, condition) != 0)

    def outnumber(_these: bool, _those: bool) -> bool:
        return False  # nobody has negative patience here

    def counted(condition: bool) -> int:
        return cuda.popc(cuda.ballot_sync(FULL, condition))  # type: ignore[no-any-return]

    def taken(queue: Any, wanted: bool) -> int:
        """The next points of a queue, one for each thread of the warp that wants one."""
        asking = cuda.ballot_sync(FULL, wanted)
        first = 0
        if cuda.laneid == 0:
            first = cuda.atomic.add(queue, 0, cuda.popc(asking))
        before = asking & ((1 << cuda.laneid) - 1)
        return cuda.shfl_sync(FULL, first, 0) + cuda.popc(before)  # type: ignore[no-any-return]

    functions: tuple[Callable[..., Any], ...] = (
        rough_ratio, rough_ratio_in_single, rough_exp2, bit, anyone, outnumber, counted, taken,
    )  # fmt: skip
    return {"WARP": WARP, "float32": single} | {
        function.__name__: cuda.jit(device=True)(function) for function in functions
    }


@functools.cache
def program(joined: Any) -> Program:
    """The joined module, ready to run on the GPU."""
    return Program(joined)
