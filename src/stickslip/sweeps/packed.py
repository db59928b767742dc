"""Rows of many points, packed: those of one point after those of the one before, with how many belong to each.

Where a motion repeats itself, its last rows are those of one cycle, and are kept once. Arrays with a line per point,
filled up where it has fewer rows, are made when they are asked for, and as far as they are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from stickslip.arrays import Floats, Ints

Key = tuple[Any, ...]
AT_ONCE = 1e6
"""Bytes of numbers up to which lines of rows are made at once: they can be changed, and are shown."""

BLOCK = 2**20
"""Entries of an array with a line per point that are filled at once: temporary arrays are no larger."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """How many rows every point has, and where they lie among those that are kept.

    `count` are all rows of a point, of which the first `kept` lie from `first` on; the last `cycle` of these come again
    after `length`, again and again, until there are `count`.

    >>> pair = Ragged.in_order(kept=np.array([3, 1]), count=np.array([6, 1]), cycle=np.array([2, 0]))
    >>> [each.tolist() for each in pair.rows(np.array([0, 1]))]
    [[0, 1, 2, 1, 2, 1, 3], [0, 0, 0, 1, 1, 2, 0]]
    """

    first: Ints
    kept: Ints
    count: Ints
    cycle: Ints
    length: Floats

    @classmethod
    def in_order(cls, kept: Ints, count: Ints | None = None, cycle: Ints | None = None, length: Any = None) -> Ragged:
        """Rows that lie in the order of their points; without repetitions where none are given."""
        zero = np.zeros(len(kept), np.int64)
        return cls(
            places(kept)[:-1],
            kept,
            kept if count is None else count,
            zero if cycle is None else cycle,
            np.zeros(len(kept)) if length is None else length,
        )

    @property
    def is_folded(self) -> bool:
        """Whether some rows stand for several."""
        return bool(np.any(self.count != self.kept))

    @property
    def is_in_order(self) -> bool:
        """Whether the rows lie in the order of their points, with nothing between them."""
        return bool(np.array_equal(self.first, places(self.kept)[:-1]))

    def rows(self, points: Any) -> tuple[Ints, Ints]:
        """All rows of some points, one after another: where each is kept, and how many cycles later it comes."""
        count, kept, first = self.count[points], self.kept[points], self.first[points]
        begin = places(count)
        place = np.arange(begin[-1])
        if np.array_equal(count, kept):
            return place + np.repeat(first - begin[:-1], count), np.zeros(len(place), np.int64)
        cycle = np.repeat(np.maximum(self.cycle[points], 1), count)
        beyond = place - np.repeat(begin[:-1] + kept, count)
        turns = np.where(beyond >= 0, beyond // cycle + 1, 0)
        return place + np.repeat(first - begin[:-1], count) - turns * cycle, turns


def places(counts: Ints) -> Ints:
    """Where the rows of each point begin, and where the last ones end.

    >>> places(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


class Pieces:
    """Rows that lie in several arrays, one after another: those of the chunks of a sweep stay where they are.

    >>> pieces = Pieces([np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])])
    >>> pieces.take(np.array([4, 0, 2])).tolist(), pieces.joined.tolist()
    ([5.0, 1.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    """

    def __init__(self, pieces: Sequence[np.ndarray]) -> None:
        self.pieces = list(pieces)
        self.dtype, self.inner = pieces[0].dtype, pieces[0].shape[1:]

    def part(self, key: Key) -> Pieces:
        """A part of every row."""
        return Pieces([piece[(slice(None), *key)] for piece in self.pieces]) if key else self

    @property
    def joined(self) -> np.ndarray:
        """All rows in one array."""
        return self.pieces[0] if len(self.pieces) == 1 else np.concatenate(self.pieces)

    def take(self, index: Ints) -> np.ndarray:
        """Some rows, in this order."""
        if len(self.pieces) == 1 or not len(index):
            return np.take(self.pieces[0], index, axis=0)
        ends = np.cumsum([len(piece) for piece in self.pieces])
        found = np.empty((len(index), *self.inner), self.dtype)
        owner = np.searchsorted(ends, index, side="right")
        for each in range(int(owner.min()), int(owner.max()) + 1):
            here = owner == each
            found[here] = self.pieces[each][index[here] - (ends[each] - len(self.pieces[each]))]
        return found


def unfolded(packed: np.ndarray | Pieces, ragged: Ragged, points: Any = slice(None), moves: bool = False) -> np.ndarray:
    """All rows of some points from those that are kept; times `move` on by the length of a cycle."""
    index, turns = ragged.rows(points)
    found = packed.take(index, axis=0) if isinstance(packed, np.ndarray) else packed.take(index)
    if moves and turns.any():
        found = found + turns * np.repeat(ragged.length[points], ragged.count[points])
    return found


def filled(packed: np.ndarray, counts: Ints, longest: int, fill: Any) -> np.ndarray:
    """Rows of points, one line per point, with fill values after the last of each.

    >>> filled(np.array([1, 2, 3]), np.array([1, 2]), 3, -1).tolist()
    [[1, -1, -1], [2, 3, -1]]
    """
    lines = np.full((len(counts), longest, *packed.shape[1:]), fill, packed.dtype)
    lines[np.arange(longest) < counts[:, None]] = packed
    return lines


class Dense(BackendArray):
    """An array over all points of a sweep whose entries are found when they are asked for, and as far as they are.

    Its shape is that of the grid of points, then the length of the longest record where it has `rows`, then that of an
    entry.
    """

    def __init__(self, points: Sequence[int], inner: Sequence[int], dtype: np.dtype[Any], rows: bool) -> None:
        self.points, self.inner, self.dtype, self.rows = tuple(points), tuple(inner), dtype, rows
        self.shape = (*self.points, *self.inner)

    @property
    def lazy(self) -> indexing.LazilyIndexedArray:
        """As the values of a variable."""
        return indexing.LazilyIndexedArray(self)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._part)

    def _part(self, key: Key) -> np.ndarray:
        """Some places along every axis, each given by a number, a slice or a list of numbers."""
        outer = len(self.points)
        chosen = [np.arange(length)[each] for length, each in zip(self.points, key, strict=False)]
        grid: Any = np.ravel_multi_index(np.meshgrid(*chosen, indexing="ij"), self.points)
        numbers = np.asarray(grid, np.int64).ravel()
        along, inner = (key[outer : outer + 1], key[outer + 1 :]) if self.rows else ((), key[outer:])
        whole = self._at(numbers, inner)[(slice(None), *along)]
        return whole.reshape(*(len(each) for each in chosen if each.ndim), *whole.shape[1:])

    @abstractmethod
    def _at(self, numbers: Ints, inner: Key) -> np.ndarray:
        """The entries of some points, one line each, with the part of each entry that `inner` is the key of."""


class Rows(Dense):
    """Rows in memory, with a line per point that is as long as the longest; they `move` where they are times."""

    def __init__(self, points: Sequence[int], packed: Pieces, ragged: Ragged, fill: Any, moves: bool) -> None:
        longest = int(ragged.count.max(initial=0))
        super().__init__(points, (longest, *packed.inner), packed.dtype, True)
        self.packed, self.ragged, self.fill, self.moves = packed, ragged, fill, moves

    def _at(self, numbers: Ints, inner: Key) -> np.ndarray:
        part, longest = self.packed.part(inner), self.inner[0]
        lines = np.empty((len(numbers), longest, *part.inner), self.dtype)
        step = max(1, BLOCK // max(1, longest))
        for begin in range(0, len(numbers), step):
            points = numbers[begin : begin + step]
            found = unfolded(part, self.ragged, points, self.moves)
            lines[begin : begin + step] = filled(found, self.ragged.count[points], longest, self.fill)
        return lines


class Words(Dense):
    """Words of which points share a few: `kind` says which. They are found when they are asked for."""

    def __init__(self, points: Sequence[int], words: Sequence[str], kind: Ints) -> None:
        super().__init__(points, (), np.dtype(object), False)
        self.words, self.kind = np.array([*words, ""], dtype=object), kind

    @property
    def found(self) -> Any:
        """Where they are few, the words themselves; else what finds them."""
        width = max(map(len, self.words))
        if 4 * width * self.kind.size > AT_ONCE:  # as long as the longest, in NumPy's arrays of text
            return self.lazy
        return self.words.astype(np.str_)[self.kind.reshape(self.points)]

    def _at(self, numbers: Ints, inner: Key) -> np.ndarray:
        return np.asarray(self.words[self.kind[numbers]])


def source_of(variable: xr.Variable) -> tuple[Rows, np.ndarray] | None:
    """What a variable is unpacked from, and the column of it; None where it is not, or is a part of the points."""
    lazy = variable._data
    if not isinstance(lazy, indexing.LazilyIndexedArray) or not isinstance(lazy.array, Rows):
        return None
    rows, outer = lazy.array, len(lazy.array.points) + 1
    for length, key in zip(rows.shape[:outer], lazy.key.tuple, strict=False):
        if not isinstance(key, slice) or key.indices(length) != (0, length, 1):
            return None
    return rows, rows.packed.part(lazy.key.tuple[outer:]).joined
