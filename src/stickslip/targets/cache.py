"""The cache of compiled models: files in a folder of one's own, each sealed by a checksum.

What is kept here is executed, so it must be what this program has written. Nobody else can have written it: the folder
and every file in it belong to this user (or to root), nobody else may write to them, and they are no links; a file is
asked when it is already open, so that it cannot be exchanged after that. Nothing has damaged it: a file ends with a
hash of its name and its content. What is damaged is removed, and made anew. Without such a folder, and where nothing
can be written, the work goes on in memory, and a sentence says so once.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from stickslip.files import reason, whole_file

MOST_BYTES = 500_000_000
"""What was not used for longest is removed where the folder holds more."""

HOUR, DAY = 3600.0, 86400.0
_OPEN = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))  # a pipe does not make us wait
_said: set[Path] = set()


def folder() -> Path | None:
    """Where compiled models are kept: $STICKSLIP_CACHE, or the user's cache folder; None where that is not safe."""
    try:
        place = _wanted()
    except RuntimeError:
        _say(Path("~/.cache"), "is not known, since this user has no home")
        return None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _problem(place.lstat())
    except OSError as error:
        problem = f"cannot be used ({reason(error)})"
    if problem is not None:
        _say(place, problem)
        return None
    return place


def kept(name: str, made: Callable[[], bytes]) -> bytes:
    """What is kept under that name; where nothing is, it is made, and kept."""
    content = read(name)
    if content is None:
        content = made()
        write(name, content)
    return content


def read(name: str) -> bytes | None:
    """What is kept under that name, as it was written; None where there is nothing, or nothing that can be trusted."""
    place = folder()
    if place is None:
        return None
    path = place / name
    try:
        with _opened(path, os.O_RDONLY) as file:
            sealed = file.read()
            used = os.fstat(file.fileno()).st_mtime
    except FileNotFoundError:
        return None
    except OSError:  # a folder, a link, somebody else's, a disk that fails
        sealed, used = b"", 0.0
    content = sealed[: -len(_seal(name, b""))]
    if sealed != content + _seal(name, content):
        _remove(path)
        return None
    if time.time() - used > DAY:
        with suppress(OSError):
            os.utime(path)
    return content


def write(name: str, content: bytes) -> None:
    """Keep something under that name; where that fails, it is said, and that is all."""
    place = folder()
    if place is None:
        return
    try:
        with whole_file(place / name, mode=0o644) as temporary, _opened(temporary, os.O_WRONLY) as file:
            file.write(content + _seal(name, content))
    except OSError as error:
        _say(place, f"cannot be written to ({reason(error)})")
    else:
        _make_room(place)


def _wanted() -> Path:
    given = os.environ.get("STICKSLIP_CACHE")
    if given:
        return Path(given).absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "stickslip" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stickslip"


def _problem(status: os.stat_result) -> str | None:
    """Why somebody else may have written what lies there; None where nobody can."""
    if stat.S_ISLNK(status.st_mode):
        return "is a link, not a folder"
    if not hasattr(os, "geteuid"):
        return None  # Windows: the folder is in the user's profile, which others cannot write to
    if status.st_uid not in (os.geteuid(), 0):
        return f"is shared: it belongs to another user, number {status.st_uid}"
    if status.st_mode & 0o022:
        return "is shared: other users may write to it, which `chmod 700` would end"
    return None


def _say(place: Path, problem: str) -> None:
    """Say once per process why there is no cache, and what to do."""
    if place not in _said:
        _said.add(place)
        warnings.warn(
            f"The cache folder {place} {problem}. Compiled models are not kept: each process compiles them again. Set "
            "the variable STICKSLIP_CACHE to a folder that is yours alone and has room.",
            stacklevel=3,
        )


def _opened(path: Path, flags: int) -> BinaryIO:
    """A plain file that nobody else can have written, open."""
    descriptor = os.open(path, flags | _OPEN)
    try:
        status = os.fstat(descriptor)
        # A second name for the file that is written would be one that somebody else has chosen.
        if not stat.S_ISREG(status.st_mode) or (flags & os.O_WRONLY and status.st_nlink > 1) or _problem(status):
            raise PermissionError("it is not a file of this user alone")
        return os.fdopen(descriptor, "wb" if flags & os.O_WRONLY else "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _seal(name: str, content: bytes) -> bytes:
    """The last line of a file; with the name in it, files that were exchanged are noticed."""
    return f"\n# sealed {hashlib.sha256(name.encode() + b'|' + content).hexdigest()}\n".encode()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@cache
def _make_room(place: Path) -> None:
    """Once per process: remove what was not used for longest, and what processes that were killed have left."""
    with suppress(OSError), os.scandir(place) as entries:
        ours = [entry for entry in entries if entry.name.lstrip(".").startswith("model_")]
        found = [(entry.stat(follow_symlinks=False), Path(entry.path)) for entry in ours]
        total = sum(status.st_size for status, _ in found)
        for status, path in sorted(found, key=lambda file: (not _left_over(*file), file[0].st_mtime)):
            if total > MOST_BYTES or _left_over(status, path):
                total -= status.st_size
                _remove(path)


def _left_over(status: os.stat_result, path: Path) -> bool:
    """Whether it has a temporary name and nobody can be writing it any more."""
    return path.name.startswith(".") and time.time() - status.st_mtime > HOUR
