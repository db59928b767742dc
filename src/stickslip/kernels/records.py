"""Records: what lies in memory for a trajectory, a step or a row of results, declared once with names.

A record is a class whose fields have a type (`float`, `int`, `Floats`, `Ints`), sizes, and a line that says what they
are. In plain Python it is a view on two flat arrays, one of floats and one of whole numbers. `targets/lower.py` makes
of each access a place in these arrays, known before the program runs: names cost nothing.

>>> class Pendulum(Record):
...     angle: float = field("against the vertical, in rad")
...     history: Floats = field("angles at the last turns, and their times", 3, 2)
...     turns: int = field("how often it has turned")
>>> pendulum = Pendulum()
>>> pendulum.angle = 0.5
>>> pendulum.history[2, 1] = 7.0
>>> pendulum.floats.tolist(), pendulum.integers.tolist()
([0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0], [0])
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KINDS: dict[Any, tuple[str, bool]] = {"float": ("float", False), "int": ("int", False)}
KINDS |= {"Floats": ("float", True), "Ints": ("int", True)}
KINDS |= {float: KINDS["float"], int: KINDS["int"], Floats: KINDS["Floats"], Ints: KINDS["Ints"]}
"""What a field may be: its kind of number, and whether it is an array."""


@dataclass(frozen=True)
class Declared:
    """A field as it is written in the class."""

    doc: str
    shape: tuple[int, ...]


def field(doc: str, *shape: int) -> Any:
    """A field: what it is, and for arrays its sizes."""
    return Declared(doc, shape)


@dataclass(frozen=True)
class Place:
    """A field as it lies in memory: its kind of number, where it begins, its sizes (none for a single number)."""

    name: str
    kind: str
    offset: int
    shape: tuple[int, ...]
    doc: str

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return prod(self.shape)


class Record:
    """A view on two flat arrays under the names of its fields; without arrays, on new ones that hold zeros."""

    PLACES: ClassVar[dict[str, Place]] = {}
    FLOATS: ClassVar[int] = 0
    INTEGERS: ClassVar[int] = 0

    floats: Floats
    integers: Ints

    def __init_subclass__(cls) -> None:
        """Lay the fields out one after another, those of a base class first."""
        cls.PLACES = dict(cls.PLACES)
        for name, annotation in inspect.get_annotations(cls).items():
            declared = cls.__dict__.get(name)
            if isinstance(declared, Declared):
                cls._lay_out(name, annotation, declared)

    @classmethod
    def _lay_out(cls, name: str, annotation: Any, declared: Declared) -> None:
        if name in cls.PLACES:
            raise TypeError(f"{cls.__name__}.{name} is declared twice: rename one")
        if annotation not in KINDS:
            raise TypeError(f"{cls.__name__}.{name} is {annotation!r}: a field is float, int, Floats or Ints")
        kind, is_array = KINDS[annotation]
        if is_array != bool(declared.shape):
            what = "an array needs its sizes" if is_array else "a single number has no sizes"
            raise TypeError(f"{cls.__name__}.{name} is {annotation!r} with sizes {declared.shape}: {what}")
        offset = cls.FLOATS if kind == "float" else cls.INTEGERS
        place = Place(name, kind, offset, declared.shape, declared.doc)
        cls.PLACES[name] = place
        if kind == "float":
            cls.FLOATS += place.size
        else:
            cls.INTEGERS += place.size
        setattr(cls, name, _View(place) if is_array else _Number(place))

    def __init__(self, floats: Floats | None = None, integers: Ints | None = None) -> None:
        self.floats = np.zeros(self.FLOATS) if floats is None else floats
        self.integers = np.zeros(self.INTEGERS, np.int64) if integers is None else integers
        if len(self.floats) != self.FLOATS or len(self.integers) != self.INTEGERS:
            raise ValueError(
                f"{type(self).__name__} has {self.FLOATS} floats and {self.INTEGERS} whole numbers, "
                f"not {len(self.floats)} and {len(self.integers)}"
            )

    def copy(self) -> Self:
        """The same numbers in arrays of their own."""
        return type(self)(self.floats.copy(), self.integers.copy())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.PLACES)
        return f"{type(self).__name__}({values})"


@dataclass(frozen=True)
class _Number:
    """Reads and writes a single number of a record."""

    place: Place

    def __get__(self, record: Record | None, _: type) -> Any:
        if record is None:
            return self.place
        return (record.floats if self.place.kind == "float" else record.integers)[self.place.offset]

    def __set__(self, record: Record, value: float) -> None:
        (record.floats if self.place.kind == "float" else record.integers)[self.place.offset] = value


@dataclass(frozen=True)
class _View:
    """Shows an array of a record; it is made when it is first asked for, and then found in the record itself."""

    place: Place

    def __get__(self, record: Record | None, _: type) -> Any:
        if record is None:
            return self.place
        whole = record.floats if self.place.kind == "float" else record.integers
        view = whole[self.place.offset : self.place.offset + self.place.size].reshape(self.place.shape)
        vars(record)[self.place.name] = view
        return view


R = TypeVar("R", bound=Record)


class Records(Generic[R]):
    """Many records of one kind, each a row of both arrays.

    >>> class Point(Record):
    ...     x: float = field("place")
    >>> points = Records(Point, 3)
    >>> points[1].x = 4.0
    >>> points.floats.tolist()
    [[0.0], [4.0], [0.0]]
    """

    def __init__(self, kind: type[R], count: int, floats: Floats | None = None, integers: Ints | None = None) -> None:
        self.kind, self.count = kind, count
        self.floats = np.zeros((count, kind.FLOATS)) if floats is None else floats
        self.integers = np.zeros((count, kind.INTEGERS), np.int64) if integers is None else integers
        for array, size in ((self.floats, kind.FLOATS), (self.integers, kind.INTEGERS)):
            if array.shape != (count, size) or not array.flags.c_contiguous:
                raise ValueError(
                    f"{count} records of {kind.__name__} need a contiguous array of {count} rows of {size}, "
                    f"not one of shape {array.shape}"
                )

    @classmethod
    def empty(cls, kind: type[R], count: int) -> Records[R]:
        """Records whose numbers are anything, as in `numpy.empty`: each is written before it is read.

        >>> class Point(Record):
        ...     x: float = field("place")
        >>> len(Records.empty(Point, 3))
        3
        """
        return cls(kind, count, np.empty((count, kind.FLOATS)), np.empty((count, kind.INTEGERS), np.int64))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> R:
        if not 0 <= index < self.count:
            raise IndexError(f"row {index} of {self.count} records of {self.kind.__name__}")
        return self.kind(self.floats[index], self.integers[index])

    def __iter__(self) -> Iterator[R]:
        return (self[i] for i in range(self.count))

    def column(self, name: str) -> Any:
        """One field of all records, as a view.

        >>> class Point(Record):
        ...     x: float = field("place")
        >>> Records(Point, 2).column("x").tolist()
        [0.0, 0.0]
        """
        place = self.kind.PLACES[name]
        whole = self.floats if place.kind == "float" else self.integers
        if not place.shape:
            return whole[:, place.offset]
        return whole[:, place.offset : place.offset + place.size].reshape(self.count, *place.shape)


class Interleaved(Generic[R]):
    """Records without whole numbers that travel together: row r of one array holds place r of each.

    >>> class Point(Record):
    ...     x: float = field("place")
    ...     y: float = field("place")
    >>> points = Interleaved(Point, 2)
    >>> points[1].y = 4.0
    >>> points.floats.tolist()
    [[0.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, kind: type[R], count: int, floats: Floats | None = None) -> None:
        if kind.INTEGERS:
            raise TypeError(f"{kind.__name__} has whole numbers: only floats lie interleaved")
        self.kind, self.count = kind, count
        self.floats = np.zeros((kind.FLOATS, count)) if floats is None else floats.reshape(kind.FLOATS, count)
        self.integers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> R:
        if not 0 <= index < self.count:
            raise IndexError(f"lane {index} of {self.count} interleaved records of {self.kind.__name__}")
        return self.kind(self.floats[:, index])
