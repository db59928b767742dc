"""Equal parts as loops: statements that differ by indices alone are written once, in a loop over what differs.

A chain of a thousand blocks has a thousand times the same formulas, of other states, parameters and series. A
`Statement` has a name in braces wherever such a number stands; statements of one text, none of which needs what another
computes, become one loop. Where the numbers of an index grow evenly from part to part the loop reckons them, else they
lie in a table.

>>> roll = Roll(tables := Tables())
>>> for i in (4, 5, 6):
...     roll.add(0, Statement("a[{0}] = b[{1}]", (i, i * i)))
>>> roll.add(1, Statement("c = a[{0}]", (6,)))
>>> print("\\n".join(roll.lines()))
for part in range(3):
    a[4 + part] = b[PART0[part]]
c = a[6]
>>> tables.header()
['PART0 = np.array([16, 25, 36])']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from stickslip.symbolic.printing import indented


@dataclass(frozen=True)
class Statement:
    """Lines with {0}, {1}, … in place of indices, and these."""

    text: str
    indices: tuple[int, ...] = ()

    def written_out(self) -> list[str]:
        """The lines for these indices."""
        return self.text.format(*self.indices).split("\n")


@dataclass
class Indices:
    """The indices of a statement that is being written, each once; kinds keep apart what is equal by chance alone.

    >>> indices = Indices()
    >>> indices.at("state", 7), indices.at("contact", 7), indices.at("state", 7)
    ('{0}', '{1}', '{0}')
    """

    known: dict[tuple[str, int], int] = field(default_factory=dict)

    def at(self, kind: str, number: int) -> str:
        """What stands for an index in the text."""
        return f"{{{self.known.setdefault((kind, number), len(self.known))}}}"

    def statement(self, lines: Sequence[str]) -> Statement:
        """The lines with their indices."""
        return Statement("\n".join(lines), tuple(number for _, number in self.known))


@dataclass
class Tables:
    """Indices that follow no rule, as constant arrays of the module: equal ones once."""

    names: dict[tuple[int, ...], str] = field(default_factory=dict)

    def spelled(self, numbers: tuple[int, ...]) -> str:
        """The number of each part of a loop, as an expression of `part`."""
        step = numbers[1] - numbers[0]
        if any(b - a != step for a, b in pairwise(numbers)):
            return f"{self.names.setdefault(numbers, f'PART{len(self.names)}')}[part]"
        if step == 0:
            return str(numbers[0])
        growing = "part" if step == 1 else f"{step}*part"
        return growing if numbers[0] == 0 else f"{numbers[0]} + {growing}"

    def header(self) -> list[str]:
        """The arrays."""
        return [f"{name} = np.array({[*numbers]})" for numbers, name in self.names.items()]


class Roll:
    """Statements that are collected, and come out as loops.

    Those of a higher level may need what those of lower levels compute; those of one level do not need each other.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.groups: dict[tuple[int, str], list[Statement]] = {}

    def add(self, level: int, statement: Statement) -> None:
        """One more."""
        self.groups.setdefault((level, statement.text), []).append(statement)

    def lines(self) -> list[str]:
        """All of them, level by level."""
        return [line for key in sorted(self.groups, key=lambda key: key[0]) for line in self._loop(self.groups[key])]

    def _loop(self, group: list[Statement]) -> list[str]:
        first, *others = group
        if not others:
            return first.written_out()
        columns = zip(*(statement.indices for statement in group), strict=True)
        body = first.text.format(*(self.tables.spelled(column) for column in columns)).split("\n")
        return [f"for part in range({len(group)}):", *indented(body)]
