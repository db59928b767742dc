"""A panel of a picture that is made of several."""

from __future__ import annotations

from typing import Any


def name_panel(ax: Any, title: str, *, legend: bool = False) -> None:
    """Give a panel a title of its own in place of the model's, and leave the legend to one of them.

    Examples
    --------
    >>> import stickslip as ss
    >>> left, right = ss.plot.panels(2)
    >>> name_panel(left, "(a)")
    >>> left.get_title(loc="left")
    '(a)'
    """
    for text in list(ax.texts):
        if text.get_gid() == "note":
            text.remove()
    ax.set_title(title, loc="left")
    if not legend and ax.get_legend() is not None:
        ax.get_legend().remove()
