"""An item, recomputed and kept in files: all of them, or none."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import stickslip as ss
from stickslip.errors import WriteError
from stickslip.files import output_file, reason
from stickslip.papers.catalogue import Item
from stickslip.papers.found import Found, Row, rows

PACKAGE = Path(__file__).parents[1]
FORMAT = "stickslip item 1"
UNFINISHED = ".unfinished-"
"""How the name of a folder begins in which the files of an item are written."""

MAKES_NOTHING = (
    "cli/",
    "explorer/",
    *(f"papers/{name}.py" for name in ("gallery", "source", "crew", "worker", "recomputed")),
)
"""Code that changes no item."""


@dataclass(frozen=True)
class Recomputed:
    """An item that is done.

    Attributes
    ----------
    item : Item
        Which one.
    rows : list of Row
        Its values beside what is printed.
    seconds : float
        How long it took.
    quick : bool
        Whether it is the quick version.
    folder : Path
        Where its files are: `folder / item.paper`.
    has_data : bool
        Whether there is a file of data.
    """

    item: Item
    rows: list[Row]
    seconds: float
    quick: bool
    folder: Path
    has_data: bool

    def file(self, suffix: str) -> Path:
        """One of its files: "svg", "png", "nc" or "json"."""
        return _place(self.folder, self.item, suffix)


@dataclass(frozen=True)
class Failed:
    """An item that could not be recomputed, and why; `is_write` where its files could not be written."""

    item: Item
    sentence: str
    is_write: bool = False


def attempt(item: Item, out: Path, quick: bool) -> Recomputed | Failed:
    """An item recomputed and kept; a failure is told, whatever it is, so that others can go on."""
    try:
        return _keep(item, out, quick)
    except WriteError as error:
        return Failed(item, str(error), is_write=True)
    except ss.StickslipError as error:
        return Failed(item, str(error))
    except Exception as error:  # a mistake in the code of one item shall not cost the others
        return Failed(item, f"{type(error).__name__}: {error}")


def kept(item: Item, out: Path) -> Recomputed | None:
    """What the folder has of an item, if the same code made it; None otherwise."""
    try:
        record = json.loads(_place(out, item, "json").read_text(encoding="utf-8"))
        if record["format"] != FORMAT or record["code"] != code_of(item.paper):
            return None
        found = [Row(**row) for row in record["rows"]]
        result = Recomputed(item, found, record["seconds"], record["quick"], out, record["has_data"])
    except (OSError, ValueError, KeyError, TypeError):  # there is none, or what is there is no record
        return None
    return result if all(result.file(suffix).is_file() for suffix in _suffixes(result)) else None


def sweep_up(out: Path) -> None:
    """Remove what processes that were killed have left unfinished."""
    for folder in out.glob(f"*/{UNFINISHED}*"):
        shutil.rmtree(folder, ignore_errors=True)


def write_json(path: Path, document: Any) -> None:
    """A JSON document as a whole file."""
    with output_file(path) as temporary:
        temporary.write_text(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n", "utf-8")


@cache
def code_of(paper: str) -> str:
    """A checksum of the code that makes the items of a paper: of the library, and of the paper's own folder."""
    digest = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), *(PACKAGE / "papers" / paper).glob("*.toml")]):
        name = path.relative_to(PACKAGE).as_posix()
        is_of_another = name.startswith("papers/") and name.count("/") > 1 and not name.startswith(f"papers/{paper}/")
        if not (is_of_another or name.startswith(MAKES_NOTHING)):
            digest.update(f"{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _place(out: Path, item: Item, suffix: str) -> Path:
    return out / item.paper / f"{item.name}.{suffix}"


def _suffixes(result: Recomputed) -> tuple[str, ...]:
    """Of the files of an item; the record comes last: an item with a record is whole."""
    return ("svg", "png", "nc", "json") if result.has_data else ("svg", "png", "json")


def _keep(item: Item, out: Path, quick: bool) -> Recomputed:
    began = time.perf_counter()
    with _interruptible():
        found = item.recompute(quick)
    seconds = time.perf_counter() - began
    made = rows(item.paper, item.name, item.printed, found.values)
    result = Recomputed(item, made, seconds, quick, out, found.data is not None)
    try:
        with _unfinished(result) as folder:
            _write(result, found, folder)
            result.file("json").unlink(missing_ok=True)
            for suffix in _suffixes(result):
                os.replace(folder / f"{item.name}.{suffix}", result.file(suffix))
    except WriteError as error:
        raise WriteError(f"{item.label} is not kept: {error}") from None
    except OSError as error:
        raise WriteError(f"cannot write {item.label} into {str(out)!r}: {reason(error)}") from None
    return result


@contextmanager
def _unfinished(result: Recomputed) -> Iterator[Path]:
    """A folder beside the files to be, which is gone in the end: where the disk is full, what was there stays whole."""
    target = result.file("json").parent
    target.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=target))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(result: Recomputed, found: Found, folder: Path) -> None:
    for suffix in ("svg", "png"):
        ss.plot.save(found.picture, folder / f"{result.item.name}.{suffix}")
    if found.data is not None:
        ss.save(found.data, folder / f"{result.item.name}.nc")
    record = {
        "format": FORMAT,
        "code": code_of(result.item.paper),
        "quick": result.quick,
        "seconds": result.seconds,
        "has_data": result.has_data,
        "rows": [asdict(row) for row in result.rows],
    }
    write_json(folder / f"{result.item.name}.json", record)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end where Ctrl-C came meanwhile.

    The verbs end early then and give what they have; an item made of that would be no item.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    previous: Any = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if callable(previous):
            previous(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
    if came:
        raise KeyboardInterrupt
