"""The catalogue: which papers there are, which figures and tables each has, and what is printed there.

It is data, `catalogue.toml` in the folder of each paper; here it is read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.errors import shown, suggest
from stickslip.papers.found import Found, Printed

FOLDER = Path(__file__).parent
ORDER = ("leine1998", "wiercigroch1994", "vandevrande1999", "hinrichs1998", "awrejcewicz2002")
"""The papers, in the order in which they are shown."""


@dataclass(frozen=True)
class Item:
    """A figure, a table or a result of a paper.

    Attributes
    ----------
    paper, name : str
        The key of the paper, and the name within it: "leine1998", "fig3".
    title : str
        What the paper calls it: "Figure 3".
    caption : str
        What is shown, in our words.
    says : str
        What the text of the paper says of it.
    chosen : str
        Which values were chosen, and why, where the paper does not give them.
    printed : tuple of Printed
        Every number that the paper prints about it.
    function : str
        The function that recomputes it, `module.name` in the folder of the paper.
    """

    paper: str
    name: str
    title: str
    caption: str
    says: str
    function: str
    chosen: str = ""
    printed: tuple[Printed, ...] = ()

    @property
    def label(self) -> str:
        """Paper and name, which no other item has: "leine1998 fig3"."""
        return f"{self.paper} {self.name}"

    @property
    def recompute(self) -> Callable[[bool], Found]:
        """The function, to be called with whether it shall be quick."""
        module, _, name = self.function.partition(".")
        found: Callable[[bool], Found] = getattr(import_module(f"stickslip.papers.{self.paper}.{module}"), name)
        return found


@dataclass(frozen=True)
class Paper:
    """A paper with its items."""

    key: str
    title: str
    authors: str
    source: str
    about: str
    items: tuple[Item, ...]
    doi: str = ""
    cover: str = ""
    """The item whose picture stands for the paper; the first by default."""

    def choose(self, names: Sequence[str]) -> tuple[Item, ...]:
        """The items of these names, all of them if there are none.

        Raises
        ------
        ModelError
            If there is no such item; the sentence has the nearest names.
        """
        known = {item.name: item for item in self.items}
        for name in names:
            if name not in known:
                raise ModelError(f"{self.key} has no item {shown(name)}{suggest(name, known)}")
        return tuple(known[name] for name in dict.fromkeys(names)) or self.items


@cache
def catalogue() -> dict[str, Paper]:
    """All papers by key, in the order in which they are shown.

    Examples
    --------
    >>> catalogue()["leine1998"].source
    'Nonlinear Dynamics 16 (1998) 41–54'
    """
    return {key: _read(key) for key in ORDER if (FOLDER / key / "catalogue.toml").is_file()}


def paper(key: str) -> Paper:
    """The paper with a key.

    Raises
    ------
    ModelError
        If there is none; the sentence has the nearest keys.

    Examples
    --------
    >>> [item.title for item in paper("leine1998").choose(["fig2"])]
    ['Figure 2']
    """
    if key not in catalogue():
        raise ModelError(f"there is no paper {shown(key)}{suggest(key, catalogue())}")
    return catalogue()[key]


def _read(key: str) -> Paper:
    table = tomllib.loads((FOLDER / key / "catalogue.toml").read_text(encoding="utf-8"))
    items = tuple(_item(key, each) for each in table.pop("item"))
    return Paper(key=key, items=items, **table)


def _item(key: str, table: dict[str, Any]) -> Item:
    printed = tuple(Printed(**each) for each in table.pop("printed", ()))
    return Item(paper=key, printed=printed, **table)
