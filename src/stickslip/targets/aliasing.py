"""Which arguments of a function may be parts of one array.

LLVM may keep numbers of an array in registers while another one is written, but only if it is told that they are two:
`noalias`. That is said of a parameter if at no call site the same array, or a slice of it, is given to another one too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations


@dataclass(frozen=True)
class Root:
    """The array that a pointer lies in: a parameter of the function where it is used, or a constant array."""

    name: str
    constant: bool = False


@dataclass(frozen=True)
class Call:
    """A call site: in which function it is, which one is called, and in which array each pointer given to it lies."""

    caller: str
    callee: str
    roots: tuple[tuple[str, Root], ...]


@dataclass
class _Given:
    """What is known of the parameters of one function."""

    together: set[frozenset[str]] = field(default_factory=set)
    """Pairs that lie in one array in some call."""
    constants: dict[str, set[str]] = field(default_factory=dict)
    """Constant arrays that a parameter may be."""


def in_one_array(callers_first: Sequence[str], calls: Iterable[Call]) -> dict[str, set[str]]:
    """Of every function the parameters that may lie in one array with another one.

    What is called from outside is given arrays of its own. As no function calls itself, one pass from callers to
    callees is enough.
    """
    by_caller: dict[str, list[Call]] = {name: [] for name in callers_first}
    for call in calls:
        by_caller[call.caller].append(call)
    given = {name: _Given() for name in callers_first}
    for name in callers_first:
        for call in by_caller[name]:
            _pass_on(given[name], call, given[call.callee])
    return {name: {parameter for pair in known.together for parameter in pair} for name, known in given.items()}


def _pass_on(caller: _Given, call: Call, callee: _Given) -> None:
    for parameter, root in call.roots:
        held = {root.name} if root.constant else caller.constants.get(root.name, set())
        callee.constants.setdefault(parameter, set()).update(held)
    for (one, first), (other, second) in combinations(call.roots, 2):
        if _may_meet(caller, first, second):
            callee.together.add(frozenset([one, other]))


def _may_meet(caller: _Given, first: Root, second: Root) -> bool:
    if first == second:
        return True
    if first.constant or second.constant:
        constant, other = (first, second) if first.constant else (second, first)
        return not other.constant and constant.name in caller.constants.get(other.name, set())
    return frozenset([first.name, second.name]) in caller.together
