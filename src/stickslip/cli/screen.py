"""How the command line prints: plain tables, no markup in what a user wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from stickslip.model.errors import visible

MOST_ROWS = 24


class Screen(Console):
    """A console that shows text of others, and lets none of it command the terminal.

    Titles, units and names come from files: an escape sequence in one could hide what follows, or type for the user.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console(silent: bool = False) -> Screen:
    """The console on stdout; a character that the terminal cannot show becomes a question mark."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return Screen(highlight=False, markup=False, emoji=False, quiet=silent)


def table(rows: Iterable[Sequence[str]], heads: Sequence[str] = (), most: int = MOST_ROWS) -> Padding:
    """An indented table without lines; only its last column may wrap, and a table of more than `most` rows is cut."""
    listed = list(rows)
    made = Table(box=None, show_header=bool(heads), pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    columns = len(listed[0]) if listed else len(heads)
    for column in range(columns):
        made.add_column(heads[column] if heads else "", no_wrap=column < columns - 1, overflow="fold")
    for row in listed[:most]:
        made.add_row(*map(Text, row))
    if len(listed) > most:
        made.add_row(Text(f"… and {len(listed) - most} more", style="dim"))
    return Padding(made, (0, 0, 0, 2), expand=False)


def number(value: float, digits: int = 10) -> str:
    """A number with a proper minus sign.

    >>> number(-0.5)
    '−0.5'
    """
    return f"{value:.{digits}g}".replace("-", "−")
