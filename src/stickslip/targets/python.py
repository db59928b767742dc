"""The plain-Python target: the joined module as it is; slow, for checking the other targets."""

from __future__ import annotations

from typing import Any

from stickslip.targets import join


def program(joined: join.Joined) -> Any:
    """The functions and constants of a joined module."""
    return joined.module()
