"""How things look in notebooks: small cards of HTML, readable on light and on dark pages.

Everything that is shown is escaped: names and titles may come from files of anybody. Only `Markup` passes as it is, and
only what this library writes itself is `Markup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 40
"""Rows of a table that are shown."""

STYLE = (
    "<style>"
    ".stickslip{font-family:system-ui,sans-serif;line-height:1.4;color:inherit;max-width:60em}"
    ".stickslip-title{font-weight:600}"
    ".stickslip-note{opacity:.75}"
    ".stickslip table{border-collapse:collapse;margin:.4em 0;background:none;color:inherit}"
    ".stickslip td,.stickslip th{padding:.1em .9em .1em 0;text-align:left;background:none;color:inherit;"
    "border:0;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top}"
    ".stickslip summary{cursor:pointer}"
    ".stickslip math{font-size:1.1em}"
    "</style>"
)


class Markup(str):
    """HTML that this library wrote, which is not escaped again."""

    __slots__ = ()


def safe(what: object) -> str:
    """Anything as text of a page; numbers with six digits.

    >>> safe("<b>"), safe(0.1 + 0.2), safe(Markup("<i>x</i>"))
    ('&lt;b&gt;', '0.3', '<i>x</i>')
    """
    if isinstance(what, Markup):
        return str(what)
    if isinstance(what, float):
        return f"{what:.6g}"
    return escape(str(what))


def card(title: str, *sections: str, note: str = "") -> str:
    """A card with a title, a line below it, and sections of HTML."""
    head = f'<div class="stickslip-title">{safe(title)}</div>{notes([note]) if note else ""}'
    return f'{STYLE}<div class="stickslip">{head}{"".join(sections)}</div>'


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> Markup:
    """A table, of which the first rows are shown.

    >>> table([("k", 1.0)])
    '<table><tr><td>k</td><td>1</td></tr></table>'
    """
    listed = list(rows)
    lines = ["".join(f"<td>{safe(cell)}</td>" for cell in row) for row in listed[:MOST_ROWS]]
    if head:
        lines.insert(0, "".join(f"<th>{safe(cell)}</th>" for cell in head))
    if len(listed) > MOST_ROWS:
        lines.append(f"<td>… and {len(listed) - MOST_ROWS} more</td>")
    return Markup(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>")


def folded(title: str, content: str, opened: bool = False) -> Markup:
    """A section that opens on a click."""
    return Markup(f"<details{' open' if opened else ''}><summary>{safe(title)}</summary>{content}</details>")


def notes(sentences: Iterable[str]) -> Markup:
    """Sentences below a table, one in each line."""
    return Markup("".join(f'<div class="stickslip-note">{safe(sentence)}</div>' for sentence in sentences))
