"""Files that appear whole or not at all, stay when the power fails, show damage, and have one writer at a time."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import signal
import socket
import stat
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from stickslip.errors import Busy, WriteError

SEAL = b"\nstickslip sha256 "
"""What stands before the checksum at the end of a file."""

AT_ONCE = 16
"""Files for which the disk is waited for together."""


@contextmanager
def whole_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """A name to write a file under, which becomes `path` when it is finished.

    A reader finds the old file or the new one, never half of one; what is not finished leaves nothing behind. The
    content is on the disk before the name is. `mode` says who may use it, as far as the user's mask allows. A device or
    a pipe is refused: a file would take its place for everybody.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with whole_file(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> [file.name for file in target.parent.iterdir()], target.read_text()
    (['note.txt'], 'whole')
    """
    if is_special(path):
        raise OSError(errno.EINVAL, "that is a device or a pipe, not a file")
    temporary = _beside(path)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield temporary
        put_on_disk(temporary)
        os.replace(temporary, path)
        put_on_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def is_special(path: Path) -> bool:
    """Whether there is something under a name that is neither a file nor a folder: a device, a pipe, a socket.

    >>> is_special(Path("no such file")), is_special(Path())
    (False, False)
    """
    return path.exists() and not (path.is_file() or path.is_dir())


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `path` when it is finished. Where another process was first, its folder stays.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "store"
    >>> with whole_folder(target) as temporary:
    ...     _ = (temporary / "note.txt").write_text("whole")
    >>> [file.name for file in target.parent.iterdir()], (target / "note.txt").read_text()
    (['store'], 'whole')
    """
    temporary = _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        put_all_on_disk([temporary, *temporary.rglob("*")])
        try:
            os.rename(temporary, path)
        except OSError:
            if not path.is_dir():
                raise
        else:
            put_on_disk(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _beside(path: Path) -> Path:
    """A name that nothing has: beside the target, since a rename must not cross disks; with its suffix, which libraries
    go by."""
    return path.with_name(f".{path.stem[:40]}.{secrets.token_hex(4)}{path.suffix}")


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """A whole file that a user has asked for: where it cannot be written, a WriteError names it."""
    if not path.parent.is_dir():
        raise WriteError(f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist")
    try:
        with whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise WriteError(f"cannot write {str(path)!r}: {reason(error)}") from None


def put_on_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlast a power cut."""
    if path.is_dir() and os.name == "nt":
        return  # Windows writes the names of a folder by itself, and opens no folder
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_all_on_disk(paths: Sequence[Path]) -> None:
    """Wait for many files and folders at once: a disk takes hardly longer for all of them than for one."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="disk") as pool:
        for _ in pool.map(put_on_disk, paths):
            pass


def seal(path: Path) -> None:
    """Add a checksum of all that a file holds to its end; programs that read HDF5 pass over it."""
    with open(path, "r+b") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0, os.SEEK_END)
        file.write(SEAL + digest.encode() + b"\n")


def is_damaged(path: Path) -> bool:
    """Whether a file has a seal that is not that of its content. Without a seal nothing is known against it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "result.nc"
    >>> _ = path.write_bytes(b"content")
    >>> seal(path)
    >>> before = is_damaged(path)
    >>> _ = path.write_bytes(path.read_bytes().replace(b"content", b"contend"))
    >>> before, is_damaged(path)
    (False, True)
    """
    length = len(SEAL) + 64 + 1
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - length))
        found = file.read()
        if not found.startswith(SEAL):
            return size > _end_of_content(file, size)
        file.seek(0)
        digest, left = hashlib.sha256(), size - length
        while left > 0 and (part := file.read(min(left, 2**20))):
            digest.update(part)
            left -= len(part)
    return found[len(SEAL) :] != digest.hexdigest().encode() + b"\n"


def _end_of_content(file: BinaryIO, size: int) -> int:
    """Where a file of HDF5 ends by its own account: what stands beyond was a seal. Of others the size is the end."""
    file.seek(0)
    head = file.read(64)
    places = {0: 40, 1: 44, 2: 28, 3: 28}  # of the address in the first block of the file, by its version
    if len(head) < 64 or not head.startswith(b"\x89HDF\r\n\x1a\n") or head[8] not in places:
        return size
    place = places[head[8]]
    return int.from_bytes(head[place : place + 8], "little")


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold a file for this process alone, and say whether its file system knows locks; without them nothing is held.

    The system lets go of it when the process ends, however it ends.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lock"
    >>> with held(path):
    ...     try:
    ...         with held(path):
    ...             pass
    ...     except Busy:
    ...         print("one at a time")
    one at a time
    """
    with _own_file(path) as file:
        try:
            _lock(file.fileno())
            has_locks = True
        except BlockingIOError:
            file.seek(0)
            raise Busy(file.read(200).decode(errors="replace") or "another process") from None
        except OSError:
            has_locks = False
        if has_locks:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
            file.flush()
        try:
            yield has_locks
        finally:
            if has_locks:
                file.truncate(0)
                _unlock(file.fileno())


def _own_file(path: Path) -> BinaryIO:
    """A file to read and write that is this one and no other: a link in a folder of somebody else names any file."""
    flags = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | flags, 0o666)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise PermissionError(errno.EPERM, f"{path.name} is a link, or no file")
    return os.fdopen(descriptor, "r+b")


if sys.platform == "win32":
    import msvcrt

    LOCKED = 2**30  # a byte beyond the content, which others may read meanwhile

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, LOCKED, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from None

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, LOCKED, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # also for processes forked meanwhile, which have it, too


@contextmanager
def interrupted_later() -> Iterator[None]:
    """Keep Ctrl-C waiting until a file is written."""
    came: list[int] = []
    try:
        with interrupts_noted(came):
            yield
    finally:
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def interrupts_noted(came: list[int]) -> Iterator[None]:
    """Note Ctrl-C in `came` instead of raising it. Only the main thread is ever interrupted, so others need nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)


def reason(error: Exception) -> str:
    """Why a file could not be read or written, in the words of the system."""
    return getattr(error, "strerror", None) or str(error)
