"""A GPU of NVIDIA, by their cuda.core: memory, copies, streams and launches. Nothing else here knows cuda.core.

Arrays go to the GPU and come back as plain memory; what a kernel is given is where they lie there. Work is put into
streams, in each of which it is done in order. Every thread has a stream of its own, so that one can put away what has
come back while the GPU works for others; `finish` waits for the work of this thread.

What comes back lands in memory that the GPU can reach by itself, piece by piece, and is copied from there to where it
stays: that is several times as quick as if the driver did it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import queue
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.errors import CudaError

Array = NDArray[Any]

LANDING = 2**24
"""Bytes that come back at a time."""


class Device:
    """The first GPU of this machine; `core` is the module cuda.core, or one that has what is used of it here."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._device = core.Device(0)
        self._own = threading.local()
        self._landings: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.use()

    @property
    def stream(self) -> Any:
        """The stream of this thread."""
        return self._own.stream

    @property
    def name(self) -> str:
        """What its maker calls it."""
        return str(self._device.name)

    @property
    def processors(self) -> int:
        """How many multiprocessors it has."""
        return int(self._device.properties.multiprocessor_count)

    @property
    def capability(self) -> int:
        """Its compute capability, 90 for 9.0."""
        major, minor = self._device.compute_capability
        return 10 * int(major) + int(minor)

    @property
    def software(self) -> str:
        """What assembles code for it, and runs it."""
        driver = ".".join(map(str, self._core.system.get_user_mode_driver_version()))
        with _quietly():
            assembler = self._core.Linker.which_backend()
        return f"sm_{self.capability} driver {driver} {assembler} {self._core.__version__}"

    def use(self) -> None:
        """Let this thread use the GPU; every thread has to say so."""
        self._device.set_current()
        if not hasattr(self._own, "stream"):
            self._own.stream = self._device.create_stream()

    def streams(self, count: int) -> list[Any]:
        """Streams whose work begins when that of the first has been done."""
        made = [self._device.create_stream() for _ in range(count)]
        for one in made:
            one.wait(self.stream)
        return made

    def room(self, like: Array) -> Any:
        """Memory for an array of that size, with anything in it; there is some for an empty one."""
        size = max(like.nbytes, like.itemsize)
        try:
            return self._device.allocate(size, stream=self.stream)
        except Exception as error:
            raise CudaError(
                f"the GPU has no room for {size / 1e6:.1f} MB more ({_first(error)}): give a smaller chunk"
            ) from error

    def sent(self, array: Array) -> Any:
        """A copy of an array on the GPU."""
        there = self.room(array)
        if array.size:
            there.copy_from(self._here(array), stream=self.stream)
        return there

    def bring(self, there: Any, array: Array, first: int = 0, stream: Any = None) -> None:
        """Fill an array with what lies on the GPU, from its element `first` on, when the stream has come to it."""
        flat = array.reshape(-1)
        for begin, piece in self.pieces(there, array.dtype, array.size, first, stream):
            flat[begin : begin + len(piece)] = piece

    def pieces(
        self, there: Any, dtype: np.dtype[Any], count: int, first: int = 0, stream: Any = None
    ) -> Iterator[tuple[int, Array]]:
        """So many numbers that lie on the GPU, piece by piece: where each begins, and the numbers until the next."""
        stream = self.stream if stream is None else stream
        with self._landing() as (buffer, landed):
            size = LANDING // dtype.itemsize
            for begin in range(0, count, size):
                length = min(size, count - begin) * dtype.itemsize
                place = int(there.handle) + (first + begin) * dtype.itemsize
                to = self._core.Buffer.from_handle(int(buffer.handle), length, owner=buffer)
                self._core.Buffer.from_handle(place, length, owner=there).copy_to(to, stream=stream)
                self._wait(stream)
                yield begin, landed[:length].view(dtype)

    @contextmanager
    def _landing(self) -> Iterator[tuple[Any, Array]]:
        """Memory of the host that the GPU can reach, for one thread at a time; and the same as an array."""
        try:
            buffer = self._landings.get_nowait()
        except queue.Empty:
            buffer = self._core.LegacyPinnedMemoryResource().allocate(LANDING)
        try:
            yield buffer, np.ctypeslib.as_array((ctypes.c_uint8 * LANDING).from_address(int(buffer.handle)))
        finally:
            self._landings.put(buffer)

    def _here(self, array: Array) -> Any:
        """The memory of an array, as it is named to cuda.core."""
        if not array.flags.c_contiguous:
            raise AssertionError("only whole arrays travel")
        return self._core.Buffer.from_handle(array.ctypes.data, array.nbytes, owner=array)

    def assembled(self, ptx: bytes) -> bytes:
        """Machine code from PTX, by nvJitLink where it is installed, else by the driver."""
        with _quietly():
            options = self._core.LinkerOptions(arch=f"sm_{self._device.arch}")
            linker = self._core.Linker(self._core.ObjectCode.from_ptx(ptx), options=options)
            return bytes(linker.link("cubin").code)

    def loaded(self, code: bytes, name: str) -> Any:
        """A kernel from machine code."""
        return self._core.ObjectCode.from_cubin(code).get_kernel(name)

    def launch(self, kernel: Any, blocks: int, threads: int, *arguments: Any, stream: Any = None) -> None:
        """Put a kernel into a stream; its arguments are whole numbers, floats, and what lies on the GPU."""
        config = self._core.LaunchConfig(grid=blocks, block=threads)
        self._core.launch(self.stream if stream is None else stream, config, kernel, *arguments)

    def finish(self, streams: Sequence[Any] = ()) -> None:
        """Wait until the work of this thread is done, that of other streams too."""
        for one in streams:
            self.stream.wait(one)
        self._wait(self.stream)

    def _wait(self, stream: Any) -> None:
        try:
            stream.sync()
        except Exception as error:
            raise CudaError(f"the GPU has failed ({_first(error)}): use target='cpu', and tell us") from error


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the warning that it is the driver that assembles, which does as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@functools.cache
def device() -> Device:
    """The GPU of this machine."""
    try:
        core = importlib.import_module("cuda.core")
    except ImportError:
        raise CudaError("target='cuda' needs cuda-core: pip install 'stickslip[gpu]'") from None
    try:
        return Device(core)
    except Exception as error:  # no driver, no GPU, a driver that is too old: each has its own
        raise CudaError(
            f"target='cuda' needs a CUDA GPU with its driver; this machine has none that can be used ({_first(error)})"
        ) from None


def _first(error: Exception) -> str:
    """The first sentence of an error, and its kind where it says nothing."""
    return str(error).strip().split("\n")[0].split(". ")[0].rstrip(".") or type(error).__name__
