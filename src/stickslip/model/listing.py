"""What `dir`, tab completion and `help` show of a class: what users need, and not how it is made.

A class with this metaclass shows the names in `_listed`, its own and those of its bases, or all public ones where there
are no such lists; its instances show besides what they were made of. The signature is that of `__init__`, in plain
names: `Contact(on, against, law, normal=1.0, name='', *, scatter=None)`.
"""

from __future__ import annotations

import inspect
from abc import ABCMeta
from dataclasses import fields, is_dataclass
from typing import Any


class Listing(ABCMeta):
    """The metaclass; abstract classes can have it as well.

    >>> class Disk(metaclass=Listing):
    ...     _listed = ("area",)
    ...     def __init__(self, radius: float) -> None: ...
    ...     def area(self) -> float: ...
    ...     def bookkeeping(self) -> None: ...
    >>> dir(Disk), str(inspect.signature(Disk)), dir(Disk(1.0))
    (['area'], '(radius)', ['area'])
    """

    def __new__(cls, name: str, bases: tuple[type, ...], scope: dict[str, Any], **keywords: Any) -> Listing:
        scope.setdefault("__dir__", _dir)
        return super().__new__(cls, name, bases, scope, **keywords)

    def __dir__(cls) -> list[str]:
        known = {name for each in cls.__mro__ for name in vars(each)}
        return sorted(_shown(cls, known) - _made_of(cls))

    @property
    def __signature__(cls) -> inspect.Signature:
        own = inspect.signature(cls.__init__)  # type: ignore[misc]
        plain = [each.replace(annotation=each.empty) for each in own.parameters.values()]
        return inspect.Signature(plain[1:])


def _shown(kind: type, names: set[str]) -> set[str]:
    lists = [vars(each)["_listed"] for each in kind.__mro__ if "_listed" in vars(each)]
    return {name for name in names if (any(name in each for each in lists) if lists else not name.startswith("_"))}


def _made_of(kind: type) -> set[str]:
    return {own.name for own in fields(kind)} if is_dataclass(kind) else set()


def _dir(self: Any) -> list[str]:
    """What users need of an instance."""
    kind = type(self)
    return sorted({*dir(kind)} | _made_of(kind) | _shown(kind, {*vars(self)}))
