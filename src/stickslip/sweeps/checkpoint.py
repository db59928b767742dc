"""A sweep on disk: finished chunks are kept as they come, and the same call goes on where it was stopped.

The store is a Zarr group. All arrays are allocated first, under a temporary name, and the group is then renamed: a
store is whole or not there. A chunk of work is one line of every array; it is on the disk before it is marked as done,
and its mark is a checksum of all it holds: what was damaged later is found when the store is opened, and computed
again. Recorded rows are packed at the beginning of their line, and a line is cut into pieces of which only those with
rows are files: a store is as large as what was recorded. Nothing of it is kept in memory.
"""

from __future__ import annotations

import os
import shutil
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from stickslip.arrays import Ints
from stickslip.errors import Busy, DamagedChunk, SweepError
from stickslip.files import held, put_all_on_disk, reason, whole_folder
from stickslip.model.errors import shown
from stickslip.sweeps.layout import Results
from stickslip.sweeps.plan import Plan

FORMAT = "stickslip sweep store 3"
OLDER = "stickslip sweep store 2"
DONE = "done"
PIECE = 2**16
"""Rows of one file of a store."""

DESCRIBED = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs")
"""What an array must agree in with the one that the plan asks for."""


class Checkpoint(Mapping[int, Results]):
    """The finished chunks of a sweep in a folder, by their number.

    `damaged` are those found to be no longer what was written: they count as not done.

    >>> import stickslip as ss, tempfile, pathlib
    >>> plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2, 0.3]}, times=(50, 50), chunk=2)
    >>> store = Checkpoint(pathlib.Path(tempfile.mkdtemp()) / "sweep.zarr", plan)
    >>> store.keep(1, plan.run(plan.chunks[1]))
    >>> list(store), store[1]["status"].tolist()
    ([1], [0])
    """

    def __init__(self, path: str | Path, plan: Plan) -> None:
        if not isinstance(path, str | Path) or not str(path):
            raise SweepError(f"checkpoint is {shown(path)}: give the name of a folder")
        self.path, self.plan = Path(path), plan
        self.sizes = [len(plan.points(chunk)) for chunk in plan.chunks]
        self.damaged: set[int] = set()
        # What equals the fill value is written like anything else: a file that is missing is always a loss.
        with _zarr().config.set({"array.write_empty_chunks": True}):
            if not self.path.exists():
                self._create()
            self.arrays: dict[str, Any] = self._opened()

    def keep(self, index: int, results: Results) -> None:
        """Write the results of a chunk to the disk, then mark it as done."""
        try:
            self._clear(index)
            for name, values in results.items():
                if len(values):
                    self.arrays[name][index, : len(values)] = values
            self._put_on_disk(index, self.plan.layout)
            self.arrays[DONE][index] = 1 + self._checksum(results)
            self._put_on_disk(index, (DONE,))
        except OSError as error:
            raise SweepError(f"cannot write {str(self.path)!r}: {reason(error)}") from None
        self.damaged.discard(index)

    def __getitem__(self, index: int) -> Results:
        mark = self._mark(index) if 0 <= index < len(self.sizes) else 0
        if mark == 0:
            raise KeyError(index)
        layout = self.plan.layout
        found = {name: self.part(name, index, 0, self.sizes[index]) for name in layout if not layout[name].counted_by}
        rows = {name: int(np.sum(found[kind.kept_by])) for name, kind in layout.items() if kind.kept_by}
        found |= {name: self.part(name, index, 0, count) for name, count in rows.items()}
        if mark != 1 + self._checksum(found):
            raise self._damage(index, "its checksum differs")
        return found

    def part(self, name: str, index: int, first: int, last: int) -> np.ndarray:
        """Entries of an array of one chunk, from the first up to, but not including, the last."""
        try:
            found = np.asarray(self.arrays[name][index, first:last])
        except MemoryError:
            raise
        except Exception as error:  # of the disk, or of what unpacks its files: there are many
            raise self._damage(index, " ".join(str(error).split())[:120] or type(error).__name__) from None
        if found.size and not all(piece.is_file() for piece in self._pieces(name, index, first, last)):
            raise self._damage(index, f"a file of {name!r} is missing")
        return found

    def sound(self, known: frozenset[int] = frozenset()) -> frozenset[int]:
        """The finished chunks, those that are known to be sound and others that are found to be."""
        found = set(known)
        for index in self:
            if index not in found:
                try:
                    self[index]
                except DamagedChunk:
                    continue
                found.add(index)
        return frozenset(found)

    def __iter__(self) -> Iterator[int]:
        marks = self._marks()
        return iter([index for index in np.nonzero(marks)[0].tolist() if index not in self.damaged])

    def __len__(self) -> int:
        return len(list(iter(self)))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only process that writes to the store; others are told which one does."""
        with ExitStack() as stack:
            try:
                # In the folder of an array, where Zarr does not look for members of the group.
                has_locks = stack.enter_context(held(self.path / DONE / "lock"))
            except Busy as other:
                raise SweepError(
                    f"{str(self.path)!r} is being written by {other}: wait until it is done, or choose another name"
                ) from None
            except OSError as error:
                raise SweepError(f"cannot write {str(self.path)!r}: {reason(error)}") from None
            if not has_locks:
                warnings.warn(
                    f"the file system of {str(self.path)!r} has no locks: see to it that no other process writes to "
                    "this store",
                    stacklevel=4,
                )
            yield

    # -- checksums and damage ------------------------------------------------------------------------------------------

    def _checksum(self, results: Results) -> int:
        """Of all values of a chunk, in the order of the layout."""
        total = 0
        for name, kind in self.plan.layout.items():
            values = np.ascontiguousarray(results[name], kind.dtype)
            total = zlib.crc32(f"{name} {values.shape}".encode(), total)
            total = zlib.crc32(values.reshape(-1).view(np.uint8).data, total)
        return total

    def _damage(self, index: int, why: str) -> DamagedChunk:
        """What to raise, after saying so: where chunks can be computed again, they are."""
        sentence = f"chunk {index} of {str(self.path)!r} is damaged ({why})"
        if index not in self.damaged:
            warnings.warn(f"{sentence}: the same sweep computes it again", stacklevel=4)
        self.damaged.add(index)
        return DamagedChunk(f"{sentence}: call the same sweep again, which computes this chunk anew")

    def _marks(self) -> Ints:
        """The marks of all chunks, 0 where there is none or where it cannot be read."""
        try:
            return np.asarray(self.arrays[DONE][:], np.int64)
        except Exception:  # one that cannot be read hides all others
            return np.array([self._mark(index) for index in range(len(self.sizes))], np.int64)

    def _mark(self, index: int) -> int:
        try:
            return int(self.arrays[DONE][index])
        except Exception as error:
            self._damage(index, " ".join(str(error).split())[:120] or type(error).__name__)
            return 0

    # -- files ---------------------------------------------------------------------------------------------------------

    def _folder(self, name: str, index: int) -> Path:
        """What holds the line of a chunk in an array: a folder of pieces, for marks a file."""
        return self.path / name / "c" / str(index)

    def _pieces(self, name: str, index: int, first: int, last: int) -> list[Path]:
        """The files of some entries of a line; an entry is never cut, whatever its shape."""
        shape = self.arrays[name].shape
        length = min(shape[1], PIECE)
        inner = ["0"] * (len(shape) - 2)
        pieces = range(first // length, (last - 1) // length + 1)
        return [self._folder(name, index).joinpath(str(piece), *inner) for piece in pieces]

    def _clear(self, index: int) -> None:
        """Remove what an end without warning, or a damaged disk, has left of a chunk; its mark first."""
        self._folder(DONE, index).unlink(missing_ok=True)
        for name in self.plan.layout:
            if (folder := self._folder(name, index)).exists():
                shutil.rmtree(folder)

    def _put_on_disk(self, index: int, names: Iterable[str]) -> None:
        """Wait until the line of a chunk in some arrays would outlast a power cut."""
        folders = [folder for name in names if (folder := self._folder(name, index)).exists()]  # where there are rows
        put_all_on_disk([path for folder in folders for path in (folder.parent, folder, *folder.rglob("*"))])

    # -- the group -----------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        if not self.path.parent.is_dir():
            raise SweepError(f"cannot write {str(self.path)!r}: the folder {str(self.path.parent)!r} does not exist")
        try:
            with whole_folder(self.path) as temporary:
                self._allocate(temporary)
        except OSError as error:
            raise SweepError(f"cannot write {str(self.path)!r}: {reason(error)}") from None

    def _allocate(self, where: Any) -> Any:
        """All arrays, in a folder or in a store of Zarr."""
        zarr = _zarr()
        group = zarr.open_group(where, mode="w")
        group.attrs.update({"format": FORMAT, "fingerprint": self.plan.fingerprint, "sizes": self.sizes})
        count, longest = len(self.sizes), max(self.sizes)
        for name, kind in self.plan.layout.items():
            length = longest * kind.most if kind.counted_by else longest
            group.create_array(
                name,
                shape=(count, length, *kind.shape),
                chunks=(1, min(length, PIECE), *(max(1, each) for each in kind.shape)),
                dtype=kind.dtype,
                fill_value=_plain(kind.fill),
                compressors=[zarr.codecs.ZstdCodec(level=0, checksum=True)],
            )
        group.create_array(DONE, shape=(count,), chunks=(1,), dtype="int64", fill_value=0, compressors=None)
        return group

    def _opened(self) -> dict[str, Any]:
        """The arrays of the store, if they are those of this sweep."""
        if not self.path.is_dir():
            raise SweepError(f"{str(self.path)!r} is a file: checkpoint needs a folder")
        zarr = _zarr()
        _refuse_links(self.path, deep=False)
        try:
            group = zarr.open_group(self.path, mode="r+")
            attributes = dict(group.attrs)
        except Exception:
            raise SweepError(
                f"{str(self.path)!r} is not the store of a sweep, or its zarr.json is damaged: choose another name"
            ) from None
        self._check(attributes)
        _refuse_links(self.path)
        wanted = self._allocate(zarr.storage.MemoryStore())
        arrays = {}
        for name in (*self.plan.layout, DONE):
            try:
                arrays[name] = group[name]
                alike = _description(arrays[name]) == _description(wanted[name])
            except Exception:
                alike = False
            if not alike:
                raise SweepError(
                    f"{str(self.path)!r} is damaged: {name}/zarr.json is missing, cut short, or not as it was written. "
                    "Put back a copy of this file, or choose another name and compute anew"
                )
        return arrays

    def _check(self, attributes: Mapping[str, Any]) -> None:
        """Refuse what is not the store of this sweep."""
        if attributes.get("format") == OLDER:
            raise SweepError(
                f"{str(self.path)!r} was written by an earlier version of stickslip, without checksums: finish it with "
                "that version, or choose another name"
            )
        if attributes.get("format") != FORMAT:
            raise SweepError(f"{str(self.path)!r} is not the store of a sweep, but something else: choose another name")
        if attributes.get("fingerprint") != self.plan.fingerprint or attributes.get("sizes") != self.sizes:
            raise SweepError(
                f"{str(self.path)!r} holds another sweep: its model, values, times, starts or chunks differ from those "
                "given now. Give the same ones to go on with it, or choose another name"
            )


def _refuse_links(folder: Path, deep: bool = True) -> None:
    """Through a link in the store of a stranger any file could be written or removed; a pipe would never end."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:  # another process may be writing just now
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise SweepError(f"{entry.path!r} is a link, or no file: a store holds its data itself")
            if is_folder and deep:
                _refuse_links(Path(entry.path))


def _description(array: Any) -> dict[str, Any]:
    described = array.metadata.to_dict()
    return {key: described[key] for key in DESCRIBED}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise SweepError("checkpoint= needs the package zarr: pip install 'stickslip[store]'") from None
    return zarr
