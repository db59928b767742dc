"""The Dataset of a sweep that stays on disk: its arrays are read when they are asked for, and as far as they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing

from stickslip.arrays import Ints
from stickslip.errors import DamagedChunk
from stickslip.sweeps.checkpoint import Checkpoint
from stickslip.sweeps.layout import Results, Sweep, longest_of, unpacked

IN_MEMORY = 1e9
"""Bytes up to which the results of a sweep in a store are loaded; larger ones are read when they are asked for."""


class StoredArray(BackendArray):
    """One array of a sweep over all its points, in a store, of the chunks that were finished when it was opened.

    Rows are unpacked as they are read.
    """

    def __init__(self, store: Checkpoint, finished: frozenset[int], name: str, longest: int) -> None:
        self.store, self.finished, self.name, self.longest = store, finished, name, longest
        self.kind = store.plan.layout[name]
        self.inner = (longest, *self.kind.shape) if self.kind.counted_by else self.kind.shape
        self.shape = (*store.plan.axes.shape, *self.inner)
        self.dtype = self.kind.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._part)

    def _part(self, key: tuple[Any, ...]) -> np.ndarray:
        """Some places along every axis, each given by a number, a slice or a list of numbers."""
        axes = self.store.plan.axes.shape
        places = [np.arange(length)[each] for length, each in zip(axes, key, strict=False)]
        numbers = np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), axes)
        found = self._at(np.asarray(numbers, np.int64).ravel()).reshape(*numbers.shape, *self.inner)
        for axis in reversed(range(len(self.shape))):
            if axis >= len(axes):
                found = found[(slice(None),) * axis + (key[axis],)]
            elif np.ndim(places[axis]) == 0:
                found = np.squeeze(found, axis)
        return found

    def _at(self, numbers: Ints) -> np.ndarray:
        """The entries of these points, one line each, read chunk by chunk."""
        out = np.full((len(numbers), *self.inner), self.kind.fill, self.dtype)
        chunks, places = self.store.plan.places(numbers)
        for index in np.unique(chunks).tolist():
            if index in self.finished:
                here = chunks == index
                first, last = int(np.min(places[here])), int(np.max(places[here])) + 1
                out[here] = self._lines(index, first, last)[places[here] - first]
        return out

    def _lines(self, index: int, first: int, last: int) -> np.ndarray:
        """The entries of neighbouring points of a chunk."""
        if not self.kind.counted_by:
            return self.store.part(self.name, index, first, last)
        counts = self.store.part(self.kind.counted_by, index, 0, last)
        begin, end = int(np.sum(counts[:first])), int(np.sum(counts))
        return unpacked(self.store.part(self.name, index, begin, end), counts[first:], self.longest, self.kind)


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
        return indexing.LazilyIndexedArray(StoredArray(store, finished, name, length))

    return plan.dataset(values, longest)


def _readable(store: Checkpoint, read: Callable[[int], Results]) -> dict[int, Results]:
    """What is read of every finished chunk that is not damaged."""
    found = {}
    for index in store:
        with suppress(DamagedChunk):
            found[index] = read(index)
    return found
