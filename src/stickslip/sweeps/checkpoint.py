"""A sweep on disk: finished chunks are kept as they come, and the same call goes on where it was stopped.

The store is a Zarr group. All arrays are allocated first, under a temporary name, and the group is then renamed: a
store is whole or not there. A chunk of work is one line of every array; it is written first, then marked as done.
Recorded rows are packed at the beginning of their line, and a line is cut into pieces of which only those with rows are
files: a store is as large as what was recorded. Nothing of it is kept in memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from stickslip.model.errors import shown
from stickslip.sweeps.layout import Results
from stickslip.sweeps.observation import SweepError
from stickslip.sweeps.plan import Plan

FORMAT = "stickslip sweep store 2"
DONE = "done"
PIECE = 2**16
"""Rows of one file of a store."""


class Checkpoint(Mapping[int, Results]):
    """The finished chunks of a sweep in a folder, by their number.

    >>> import stickslip as ss, tempfile, pathlib
    >>> plan = ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2, 0.3]}, t=(50, 50), chunk=2)
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
        if not self.path.exists():
            self._create()
        group = self._opened()
        self.arrays: dict[str, Any] = {name: group[name] for name in (*plan.layout, DONE)}

    def keep(self, index: int, results: Results) -> None:
        """Write the results of a chunk, then mark it as done."""
        for name, values in results.items():
            if len(values):
                self.arrays[name][index, : len(values)] = values
        self.arrays[DONE][index] = 1

    def __getitem__(self, index: int) -> Results:
        if not 0 <= index < len(self.sizes) or not int(self.arrays[DONE][index]):
            raise KeyError(index)
        layout = self.plan.layout
        found = {name: self.part(name, index, 0, self.sizes[index]) for name in layout if not layout[name].counted_by}
        rows = {name: int(np.sum(found[kind.counted_by])) for name, kind in layout.items() if kind.counted_by}
        return found | {name: self.part(name, index, 0, count) for name, count in rows.items()}

    def part(self, name: str, index: int, first: int, last: int) -> np.ndarray:
        """Entries of an array of one chunk, from the first up to, but not including, the last."""
        return np.asarray(self.arrays[name][index, first:last])

    def __iter__(self) -> Iterator[int]:
        return iter(np.nonzero(np.asarray(self.arrays[DONE][:]))[0].tolist())

    def __len__(self) -> int:
        return int(np.sum(self.arrays[DONE][:]))

    def _create(self) -> None:
        zarr = _zarr()
        if not self.path.parent.is_dir():
            raise SweepError(f"cannot write {str(self.path)!r}: the folder {str(self.path.parent)!r} does not exist")
        try:
            temporary = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}."))
        except OSError as error:
            raise SweepError(f"cannot write {str(self.path)!r}: {error.strerror}") from None
        try:
            group = zarr.open_group(temporary, mode="w")
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
                )
            group.create_array(DONE, shape=(count,), chunks=(1,), dtype="int8", fill_value=0)
            os.chmod(temporary, 0o755)  # a temporary folder is private, results are for colleagues too
            os.rename(temporary, self.path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def _opened(self) -> Any:
        if not self.path.is_dir():
            raise SweepError(f"{str(self.path)!r} is a file: checkpoint needs a folder")
        try:
            group = _zarr().open_group(self.path, mode="r+")
            attributes = dict(group.attrs)
        except Exception:
            raise SweepError(f"{str(self.path)!r} is not the store of a sweep: choose another name") from None
        if attributes.get("format") != FORMAT:
            raise SweepError(f"{str(self.path)!r} is not the store of a sweep, but something else: choose another name")
        if attributes.get("fingerprint") != self.plan.fingerprint or attributes.get("sizes") != self.sizes:
            raise SweepError(
                f"{str(self.path)!r} holds another sweep: its model, values, times, starts or chunks differ from those "
                "given now. Give the same ones to go on with it, or choose another name"
            )
        return group


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise SweepError("checkpoint= needs the package zarr: pip install 'stickslip[store]'") from None
    return zarr
