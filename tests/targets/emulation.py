"""A GPU that is this processor: kernels of the CUDA target in machine code of the host, and a cuda.core to launch them.

The kernels are translated as for a GPU, but for what its threads do together, which is asked of Python. The threads of
a warp are threads of Python that wait for each other at every vote; warps and blocks run one after the other. Of
cuda.core there is what `targets/device.py` uses, with the same signatures (test_cuda.py compares them), and with its
rules: sizes of copies must be equal, work is done only when a stream is waited for, and memory holds anything before.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir

from stickslip.targets import compiler, cuda, device, ptx
from stickslip.targets.instructions import BOOL, INT

FUNCTIONS = {
    "thread_index": ctypes.CFUNCTYPE(ctypes.c_int64),
    "block_index": ctypes.CFUNCTYPE(ctypes.c_int64),
    "block_size": ctypes.CFUNCTYPE(ctypes.c_int64),
    "warp_size": ctypes.CFUNCTYPE(ctypes.c_int64),
    "is_first_of_warp": ctypes.CFUNCTYPE(ctypes.c_int64),
    "votes": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64),
    "count_bits_before": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64),
    "from_first_of_warp": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64),
}


class Warp:
    """Threads that vote together."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._barrier = threading.Barrier(size)
        self._values = [0] * size

    def shared(self, place: int, value: int) -> list[int]:
        """What every thread has brought, when all have."""
        if self.size == 1:
            return [value]
        self._values[place] = value
        self._barrier.wait(timeout=60)
        values = list(self._values)
        self._barrier.wait(timeout=60)
        return values


class Thread(threading.local):
    """The thread that this is."""

    warp: Warp
    block: int
    place: int
    threads: int

    def lane(self) -> int:
        return self.place % self.warp.size


THREAD = Thread()


def votes(condition: int) -> int:
    return sum(value << i for i, value in enumerate(THREAD.warp.shared(THREAD.lane(), condition)))


MEANINGS: dict[str, Callable[..., int]] = {
    "thread_index": lambda: THREAD.place,
    "block_index": lambda: THREAD.block,
    "block_size": lambda: THREAD.threads,
    "warp_size": lambda: THREAD.warp.size,
    "is_first_of_warp": lambda: int(THREAD.lane() == 0),
    "votes": votes,
    "count_bits_before": lambda bits: (bits & ((1 << THREAD.lane()) - 1)).bit_count(),
    "from_first_of_warp": lambda value: THREAD.warp.shared(THREAD.lane(), value)[0],
}
CALLBACKS = {name: kind(MEANINGS[name]) for name, kind in FUNCTIONS.items()}
for _name, _callback in CALLBACKS.items():
    llvm.add_symbol(f"emulated.{_name}", ctypes.cast(_callback, ctypes.c_void_p).value)


class Host:
    """This processor, in the place of a GPU."""

    name = "host"

    def operation(self, body: ptx.GpuBody, name: str, values: Sequence[ir.Value]) -> ir.Value | None:
        if name not in FUNCTIONS:
            return None
        function = body.declared(f"emulated.{name}", INT, [INT] * len(values))
        result = body.builder.call(function, [body.converted(value, INT) for value in values])
        return body.converted(result, BOOL) if name == "is_first_of_warp" else result

    def declare(self, module: ir.Module, function: ir.Function, kernel: ptx.Kernel) -> None:
        """A function is one that can be launched."""

    def code(self, module: ir.Module) -> bytes:
        machine = compiler.machine()
        return bytes(machine.emit_object(ptx.optimised(module, machine)))


# -- cuda.core ---------------------------------------------------------------------------------------------------


class Made(threading.local):
    """The streams that this thread has made and still has."""

    def __init__(self) -> None:
        self.streams: list[weakref.ref[Stream]] = []


MADE = Made()


class Stream:
    """Work that is done when somebody waits for it: of all orders that are allowed, one that nobody hopes for.

    A stream waits for what another one has been given until then, and for nothing that comes later. So what the other
    streams have is done first, those made last before the others.
    """

    def __init__(self) -> None:
        self._work: list[Callable[[], None] | None] = []
        self._done = 0
        MADE.streams.append(weakref.ref(self))

    def put(self, work: Callable[[], None]) -> None:
        """Let this be done after what is here already."""
        self._work.append(work)

    def wait(self, event_or_stream: Stream) -> None:
        until = len(event_or_stream._work)
        self.put(lambda: event_or_stream._do(until))

    def sync(self) -> None:
        for made in reversed(MADE.streams):
            other = made()
            if other is not None and other is not self:
                other._do(len(other._work))
        self._do(len(self._work))

    def _do(self, until: int) -> None:
        while self._done < until:
            place, self._done = self._done, self._done + 1  # before it is done: it does not wait for itself
            work, self._work[place] = self._work[place], None
            assert work is not None
            work()


class Buffer:
    """Memory."""

    def __init__(self, handle: int, size: int, owner: object) -> None:
        self.handle, self.size, self.owner = handle, size, owner

    @staticmethod
    def from_handle(
        ptr: int, size: int, mr: Any = None, owner: object = None, *, stream: Stream | None = None
    ) -> Buffer:
        return Buffer(ptr, size, owner)

    def copy_to(self, dst: Buffer | None = None, *, stream: Stream, options: Any = None) -> Buffer:
        assert dst is not None
        dst.copy_from(self, stream=stream)
        return dst

    def copy_from(self, src: Buffer, *, stream: Stream, options: Any = None) -> None:
        if src.size != self.size:
            raise ValueError(f"buffer sizes mismatch between src and dst (sizes are: src={src.size}, dst={self.size})")
        stream.put(lambda: ctypes.memmove(self.handle, src.handle, src.size) and None)


class Device:
    """The GPU; like that of cuda.core, it must be made the current one by every thread that uses it."""

    name = "emulated"
    arch = "90"
    compute_capability = (9, 0)
    properties = SimpleNamespace(multiprocessor_count=1)
    _current = threading.local()

    def __new__(cls, device_id: int | None = None) -> Device:
        return super().__new__(cls)

    def set_current(self, ctx: Any = None) -> None:
        self._current.yes = True

    def create_stream(self, obj: Any = None, options: Any = None) -> Stream:
        assert self._current.yes
        return Stream()

    def allocate(self, size: int, *, stream: Stream) -> Buffer:
        assert self._current.yes and size > 0
        memory = np.full(size + 64, 0xFF, np.uint8)  # as floats these are not numbers
        return Buffer(memory.ctypes.data, size, memory)


class LegacyPinnedMemoryResource:
    """Memory of the host that the GPU can reach."""

    def allocate(self, size: int, *, stream: Stream | None = None) -> Buffer:
        memory = np.full(size, 0xFF, np.uint8)
        return Buffer(memory.ctypes.data, size, memory)


class Kernel:
    """Machine code of the host."""

    def __init__(self, code: bytes, name: str) -> None:
        self._engine, self.name = compiler.loaded(code), name
        self.address = self._engine.get_function_address(name)
        assert self.address


class ObjectCode:
    """Code, and of what kind it is."""

    def __init__(self, code: bytes, code_type: str) -> None:
        self.code, self.code_type = code, code_type

    @staticmethod
    def from_ptx(module: bytes, *, name: str = "", symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return ObjectCode(module, "ptx")

    @staticmethod
    def from_cubin(module: bytes, *, name: str = "", symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return ObjectCode(module, "cubin")

    def get_kernel(self, name: str | bytes) -> Kernel:
        assert self.code_type == "cubin"
        return Kernel(self.code, str(name))


class LinkerOptions:
    """How to assemble."""

    def __init__(self, name: str | None = "<default linker>", arch: str | None = None) -> None:
        self.arch = arch


class Linker:
    """Assembles: here the code is that of the host already."""

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | None = None) -> None:
        (self._code,) = object_codes
        assert options is not None and options.arch == "sm_90"

    def link(self, target_type: str) -> ObjectCode:
        assert self._code.code_type == "ptx"
        return ObjectCode(self._code.code, target_type)

    @classmethod
    def which_backend(cls) -> str:
        return "emulation"


class LaunchConfig:
    """How many blocks of how many threads."""

    def __init__(
        self,
        grid: Any = None,
        cluster: Any = None,
        block: Any = None,
        shmem_size: int | None = None,
        is_cooperative: bool = False,
        programmatic_stream_serialization: bool = False,
    ) -> None:
        self.grid, self.block = (grid, 1, 1), (block, 1, 1)


class Emulation:
    """The module cuda.core, of a GPU with warps of so many threads."""

    __version__ = "0"
    Device, Buffer, ObjectCode, LinkerOptions, Linker = Device, Buffer, ObjectCode, LinkerOptions, Linker
    LaunchConfig, LegacyPinnedMemoryResource = LaunchConfig, LegacyPinnedMemoryResource
    system = SimpleNamespace(get_user_mode_driver_version=lambda: (0, 0))

    def __init__(self, warp_size: int = 1) -> None:
        self.warp_size = warp_size
        self.launched: list[str] = []
        """Names of kernels, in the order in which they came."""

    def launch(self, stream: Stream, config: LaunchConfig, kernel: Kernel, *kernel_args: Any) -> None:
        self.launched.append(kernel.name)
        arguments = [_argument(one) for one in kernel_args]
        function = ctypes.CFUNCTYPE(None, *(type(one) for one in arguments))(kernel.address)

        def run(block: int, warp: Warp, place: int) -> None:
            THREAD.warp, THREAD.block, THREAD.place, THREAD.threads = warp, block, place, config.block[0]
            function(*arguments)

        def work(_freed_in_order: object = kernel_args) -> None:
            for block in range(config.grid[0]):
                for first in range(0, config.block[0], self.warp_size):
                    together(run, block, first, self.warp_size)

        stream.put(work)


def together(run: Callable[[int, Warp, int], None], block: int, first: int, size: int) -> None:
    """The threads of one warp, from `first` on."""
    warp = Warp(size)
    if size == 1:
        run(block, warp, first)
        return
    threads = [threading.Thread(target=run, args=(block, warp, first + i)) for i in range(size)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _argument(value: Any) -> Any:
    """An argument of a kernel as cuda.core passes it: by the type that it has in Python."""
    if isinstance(value, Buffer):
        return ctypes.c_void_p(value.handle)
    if type(value) is float:
        return ctypes.c_double(value)
    if type(value) is int:
        return ctypes.c_int64(value)
    raise TypeError(f"the argument is of unsupported type: {type(value)}")


def emulate(monkeypatch: pytest.MonkeyPatch, warp_size: int = 1) -> Emulation:
    """Let the target "cuda" be this processor, with warps of so many threads."""
    core = Emulation(warp_size)
    machine = device.Device(core)
    monkeypatch.setattr(device, "device", lambda: machine)
    monkeypatch.setattr(ptx, "Nvidia", lambda _: Host())
    monkeypatch.setattr(cuda, "program", functools.cache(cuda.program.__wrapped__))  # none from another test
    return core
