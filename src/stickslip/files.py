"""Files that appear whole or not at all, and stay when the power fails."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """A name to write a file under, which becomes `path` when it is finished.

    A reader finds the old file or the new one, never half of one; what is not finished leaves nothing behind. The
    content is on the disk before the name is. `mode` says who may use it, as far as the user's mask allows.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with whole_file(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> [file.name for file in target.parent.iterdir()], target.read_text()
    (['note.txt'], 'whole')
    """
    # Beside the target, since a rename must not cross disks; with its suffix, which libraries go by.
    temporary = path.with_name(f".{path.stem[:40]}.{secrets.token_hex(4)}{path.suffix}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield temporary
        put_on_disk(temporary)
        os.replace(temporary, path)
        put_on_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def put_on_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlast a power cut."""
    if path.is_dir() and os.name == "nt":
        return  # Windows writes the names of a folder by itself, and opens no folder
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reason(error: Exception) -> str:
    """Why a file could not be read or written, in the words of the system."""
    return getattr(error, "strerror", None) or str(error)
