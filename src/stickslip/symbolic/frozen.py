"""Symbols for what does not change along a step, but from step to step."""

from __future__ import annotations

from typing import Any

import sympy


class Frozen(sympy.Symbol):  # type: ignore[misc]
    """A slip sign, a frozen branch, a number that a kernel keeps, a change of a parameter.

    >>> sign_of(1), isinstance(sign_of(1), Frozen)
    (_sign1, True)
    """

    @classmethod
    def class_key(cls) -> Any:
        """It stands in sums and products where any symbol would."""
        return sympy.Symbol.class_key()


def sign_of(contact: int) -> Frozen:
    """The mode s of a contact in expressions: −1, 0 (stick) or 1."""
    return Frozen(f"_sign{contact}", real=True)


def branch_of(number: int) -> Frozen:
    """The sign at which a frozen branch stands."""
    return Frozen(f"_branch{number}", real=True)


def stored(place: int) -> Frozen:
    """A number that the kernel of a kind of contact keeps."""
    return Frozen(f"_stored{place}", real=True)
