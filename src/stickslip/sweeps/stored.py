"""The Dataset of a sweep that stays on disk: its arrays are read when they are asked for, and as far as they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from stickslip.arrays import Ints
from stickslip.errors import DamagedChunk
from stickslip.sweeps.checkpoint import Checkpoint
from stickslip.sweeps.layout import Results, Sweep, longest_of
from stickslip.sweeps.packed import Dense, Key, filled, unfolded
from stickslip.sweeps.ragged import is_time

IN_MEMORY = 1e9
"""Bytes up to which the results of a sweep in a store are loaded; larger ones are read when they are asked for."""


class StoredArray(Dense):
    """One array of a sweep over all its points, in a store, of the chunks that were finished when it was opened.

    Rows are unpacked as they are read.
    """

    def __init__(self, store: Checkpoint, finished: frozenset[int], name: str, longest: int) -> None:
        self.store, self.finished, self.name, self.longest = store, finished, name, longest
        self.kind = store.plan.layout[name]
        by_row = self.kind.counted_by is not None
        inner = (longest, *self.kind.shape) if by_row else self.kind.shape
        super().__init__(store.plan.axes.shape, inner, self.kind.dtype, by_row)

    def _at(self, numbers: Ints, inner: Key) -> np.ndarray:
        """Read chunk by chunk."""
        own = np.empty(self.kind.shape, self.dtype)[inner].shape
        out = np.full((len(numbers), *self.inner[: int(self.rows)], *own), self.kind.fill, self.dtype)
        chunks, places = self.store.plan.places(numbers)
        for index in np.unique(chunks).tolist():
            if index in self.finished:
                here = chunks == index
                first, last = int(np.min(places[here])), int(np.max(places[here])) + 1
                out[here] = self._lines(index, first, last, inner)[places[here] - first]
        return out

    def _lines(self, index: int, first: int, last: int, inner: Key) -> np.ndarray:
        """The entries of neighbouring points of a chunk."""
        part = (slice(None), *inner)
        if not self.rows:
            return np.asarray(self.store.part(self.name, index, first, last)[part])
        before = int(np.sum(self.store.part(str(self.kind.kept_by), index, 0, first)))
        ragged = self.kind.ragged(lambda name: self.store.part(name, index, first, last))
        packed = self.store.part(self.name, index, before, before + int(np.sum(ragged.kept)))[part]
        found = unfolded(packed, ragged, moves=is_time(self.name))
        return filled(found, ragged.count, self.longest, self.kind.fill)


def dataset_of(store: Checkpoint) -> Sweep:
    """The Dataset of a sweep in a store: in memory where it is small, else read when it is asked for.

    Chunks that are damaged are left out.
    """
    plan = store.plan
    counters = [kind.counted_by for kind in plan.layout.values() if kind.counted_by]
    counts = _readable(
        store, lambda index: {name: store.part(name, index, 0, store.sizes[index]) for name in set(counters)}
    )
    longest = longest_of(plan.layout, counts.values())
    size = plan.count * sum(
        kind.dtype.itemsize * int(np.prod(kind.shape)) * (longest[kind.counted_by] if kind.counted_by else 1)
        for kind in plan.layout.values()
    )
    if size <= IN_MEMORY:
        return plan.assemble(_readable(store, store.__getitem__))
    finished = frozenset(counts)

    def values(name: str, length: int) -> Any:
        return StoredArray(store, finished, name, length).lazy

    return plan.dataset(values, longest)


def _readable(store: Checkpoint, read: Callable[[int], Results]) -> dict[int, Results]:
    """What is read of every finished chunk that is not damaged."""
    found = {}
    for index in store:
        with suppress(DamagedChunk):
            found[index] = read(index)
    return found
